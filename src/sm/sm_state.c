// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Who is the master [IBA 14.4]. A sweep asks whoever says that he is a manager. Until it is decided a master that is
 * there is left to it, whoever it be; else the highest wins. A master hands the subnet to a higher one that stands by. Who
 * stands by asks the master now and then, and begins anew when it is gone.
 */
#include <linux/byteorder.h>
#include <rdma/ib_mad_consts.h>
#include <rdma/ib_verbs.h>
#include <string.h>

#include "base/check.h"
#include "sm/sm_priv.h"

#define OTHER_MASK ((1u << SM_CONTROL_SHIFT) - 1)

/* SMInfo. */
struct info {
	__be64 guid;
	__be64 key;
	__be32 activity;
	u8 priority_state;
} __packed;

enum sm_state sm_state(const struct sm *sm)
{
	return sm->state;
}

/* A switch says what becomes of its cables, an adapter does not. */
static bool is_at_adapter(const struct sm_net *net)
{
	return !sm_is_switch(sm_node_of(net, net->own));
}

bool sm_polls(const struct sm *sm)
{
	return sm->state == SM_STANDBY ||
	       (sm->state == SM_MASTER && sm->net && (sm->net->others || is_at_adapter(sm->net)));
}

void sm_own_port(struct sm *sm, const struct ib_smp *smp)
{
	struct sm_port now = {.known = true};

	memcpy(&now.info, smp->data, sizeof(now.info));
	if (sm_port_state(&now) == IB_PORT_DOWN ? sm->net->port[sm->net->own].peer != SM_NONE
						: sm_port_state(&now) != IB_PORT_ACTIVE)
		sm->again = true;
}

/* There is, or was, another master: what we have set may be otherwise, and who knew us may know it. */
static void somebody_meddles(struct sm *sm)
{
	sm->meddled = true;
	memset(sm->told, 0, sizeof(sm->told));
}

/* LIDs are those that the other one gives. */
static void set_state(struct sm *sm, enum sm_state state)
{
	const enum sm_state before = sm->state;

	if (state == before)
		return;
	sm->state = state;
	sm->misses = 0;
	if (before == SM_MASTER) {
		sm->up = false;
		somebody_meddles(sm);
		sm_forget_lids(sm);
	}
	if (sm->ops->changed)
		sm->ops->changed(sm->ctx);
}

static void stand_by(struct sm *sm, u64 guid)
{
	sm->polled = guid;
	set_state(sm, SM_STANDBY);
}

static bool is_higher(u8 priority, u64 guid, u8 than_priority, u64 than_guid)
{
	return priority != than_priority ? priority > than_priority : guid < than_guid;
}

static bool is_above_us(const struct sm *sm, const struct sm_other *other)
{
	return is_higher(other->priority, other->guid, sm->options.priority, sm->guid);
}

/* Of those in one of the @states, bits: the one that would be the master; NULL if there is none. */
static struct sm_other *highest(struct sm_net *net, u32 states)
{
	struct sm_other *best = NULL;

	for (u32 i = 0; i < net->others; i++) {
		struct sm_other *other = &net->other[i];

		if (!other->known || other->declined || !(states >> other->state & 1))
			continue;
		if (!best || is_higher(other->priority, other->guid, best->priority, best->guid))
			best = other;
	}
	return best;
}

static struct sm_other *find(struct sm_net *net, u64 guid)
{
	for (u32 i = 0; i < net->others; i++)
		if (net->other[i].guid == guid)
			return &net->other[i];
	return NULL;
}

void sm_ask_other(struct sm *sm, u32 port)
{
	const u32 i = sm_net_add_other(sm->next, port);

	if (i == SM_NONE || i > OTHER_MASK)
		sm->trouble = true;
	else
		sm_add_work(sm, SM_ASK_SM, port, i);
}

static void tell(struct sm *sm, const struct sm_other *other, enum sm_control what)
{
	const struct sm_net *net = sm_net_at_hand(sm);

	sm_add_work(sm, SM_TELL_SM, other->port,
		    (u32)(other - net->other) | (u32)what << SM_CONTROL_SHIFT);
}

/* A key that is not told is 0. */
static bool key_fits(const struct sm *sm, const struct info *info)
{
	return !info->key || be64_to_cpu(info->key) == sm->options.key;
}

static struct sm_other *other_of(struct sm *sm, const struct sm_request *request)
{
	return &sm_net_at_hand(sm)->other[request->block & OTHER_MASK];
}

static void learn(struct sm *sm, struct sm_other *other, const struct info *info)
{
	other->known = key_fits(sm, info) && info->guid && be64_to_cpu(info->guid) != sm->guid &&
		       (info->priority_state & 0xf) < SM_STATES;
	other->guid = be64_to_cpu(info->guid);
	other->activity = be32_to_cpu(info->activity);
	other->priority = info->priority_state >> 4;
	other->state = info->priority_state & 0xf;
	if (!other->known || sm->taken_from != other->guid)
		return;
	sm->taken_from = 0;
	tell(sm, other, SM_ACKNOWLEDGE);
}

void sm_other_answered(struct sm *sm, const struct sm_request *request, const struct ib_smp *smp)
{
	struct info info;

	memcpy(&info, smp->data, sizeof(info));
	if (request->what == SM_ASK_SM)
		learn(sm, other_of(sm, request), &info);
	else if (request->block >> SM_CONTROL_SHIFT == SM_HANDOVER)
		sm->acknowledged = true;
}

void sm_other_failed(struct sm *sm, const struct sm_request *request, bool refused)
{
	if (request->what == SM_ASK_SM)
		other_of(sm, request)->absent = refused;
}

/* The key is for a master, which we have found to be one; others may be anybody. */
static void write_info(const struct sm *sm, bool with_key, u8 *to)
{
	const struct info info = {
		.guid = cpu_to_be64(sm->guid),
		.key = cpu_to_be64(with_key ? sm->options.key : 0),
		.activity = cpu_to_be32(sm->activity),
		.priority_state = (u8)((u32)sm->options.priority << 4 | sm->state),
	};

	memset(to, 0, IB_SMP_DATA_SIZE);
	memcpy(to, &info, sizeof(info));
}

void sm_fill_info(struct sm *sm, const struct sm_request *request, struct ib_smp *smp)
{
	const struct sm_other *other = other_of(sm, request);

	write_info(sm, other->state == SM_MASTER, smp->data);
	smp->attr_mod = cpu_to_be32(request->block >> SM_CONTROL_SHIFT);
}

static void ask_again(struct sm *sm, struct sm_other *other)
{
	other->known = other->absent = other->declined = false;
	sm_add_work(sm, SM_ASK_SM, other->port, (u32)(other - sm->net->other));
}

bool sm_begin_poll(struct sm *sm)
{
	struct sm_net *net = sm->net;
	struct sm_other *master = find(net, sm->polled);

	if (sm->state == SM_STANDBY && master)
		ask_again(sm, master);
	if (sm->state == SM_MASTER && is_at_adapter(net))
		sm_add_work(sm, SM_ASK_OWN_PORT, net->own, 0);
	for (u32 i = 0; sm->state == SM_MASTER && i < net->others; i++)
		ask_again(sm, &net->other[i]);
	return sm_polls(sm);
}

/* Nothing is decided yet. */
static enum sm_verdict compete(struct sm *sm)
{
	struct sm_net *net = sm->next;
	const struct sm_other *other = highest(net, 1u << SM_MASTER);

	if (!other) {
		other = highest(net, 1u << SM_STANDBY | 1u << SM_DISCOVERING);
		if (other && !is_above_us(sm, other))
			other = NULL;
	}
	if (other) {
		stand_by(sm, other->guid);
		return SM_THEIRS;
	}
	set_state(sm, SM_MASTER);
	return SM_OURS;
}

/* Whom we have offered the subnet: it has it, or it is not offered it again this time. */
static bool has_taken(struct sm *sm, struct sm_other *other)
{
	const bool taken = sm->acknowledged || (other && other->state == SM_MASTER);

	sm->handed_to = 0;
	sm->acknowledged = false;
	if (other)
		other->declined = !taken;
	return taken;
}

/* As the master: is somebody to be it instead? One that is a lower master must hand its part to us first. */
static enum sm_verdict defend(struct sm *sm)
{
	struct sm_net *net = sm_net_at_hand(sm);
	const u64 handed_to = sm->handed_to;
	struct sm_other *other;

	if (handed_to && has_taken(sm, find(net, handed_to))) {
		stand_by(sm, handed_to);
		return SM_THEIRS;
	}
	other = highest(net, 1u << SM_MASTER | 1u << SM_STANDBY);
	if (other && is_above_us(sm, other)) {
		sm->handed_to = other->guid;
		tell(sm, other, SM_HANDOVER);
		return SM_ASKS;
	}
	if (!highest(net, 1u << SM_MASTER))
		return SM_OURS;
	somebody_meddles(sm);
	return SM_WAITS;
}

/* Standing by: is the master there? Who is not any more has said so, or does not answer. */
static enum sm_verdict watch(struct sm *sm)
{
	const struct sm_other *master = find(sm_net_at_hand(sm), sm->polled);

	if (master && master->known && master->state == SM_MASTER) {
		sm->misses = 0;
		return SM_THEIRS;
	}
	if (++sm->misses < sm->options.polls && master && !master->absent)
		return SM_THEIRS;
	set_state(sm, SM_DISCOVERING);
	return SM_WAITS;
}

enum sm_verdict sm_elect(struct sm *sm)
{
	switch (sm->state) {
	case SM_DISCOVERING:
		return sm->phase == SM_DISCOVER ? compete(sm) : SM_WAITS;
	case SM_MASTER:
		return defend(sm);
	case SM_STANDBY:
		return watch(sm);
	case SM_NOT_ACTIVE:
		return SM_THEIRS;
	}
	UNREACHABLE("a state of no manager");
}

enum step {
	REFUSE,
	NOTED,
	TAKE_OVER,
	GO_TO_SLEEP,
	WAKE_UP,
	BEGIN_ANEW,
};

/* What a manager in a state does when it is told something. */
static const u8 steps[SM_STATES][SM_CONTROLS] = {
	[SM_NOT_ACTIVE] = {[SM_STAND_BY] = WAKE_UP},
	[SM_STANDBY] = {[SM_HANDOVER] = TAKE_OVER,
			[SM_ACKNOWLEDGE] = NOTED,
			[SM_DISABLE] = GO_TO_SLEEP,
			[SM_REDISCOVER] = BEGIN_ANEW},
	[SM_MASTER] = {[SM_HANDOVER] = TAKE_OVER, [SM_ACKNOWLEDGE] = NOTED},
};

static enum step step_of(const struct sm *sm, const struct info *told, u32 control)
{
	return control < SM_CONTROLS && key_fits(sm, told) ? (enum step)steps[sm->state][control]
							   : REFUSE;
}

static void take_step(struct sm *sm, enum step step, u64 by)
{
	switch (step) {
	case REFUSE:
		break;
	case NOTED:
		if (sm->handed_to && by == sm->handed_to)
			sm->acknowledged = true;
		break;
	case TAKE_OVER:
		sm->taken_from = by;
		somebody_meddles(sm);
		set_state(sm, SM_MASTER);
		sm->again = true;
		break;
	case GO_TO_SLEEP:
		set_state(sm, SM_NOT_ACTIVE);
		break;
	case WAKE_UP:
		set_state(sm, SM_STANDBY);
		break;
	case BEGIN_ANEW:
		set_state(sm, SM_DISCOVERING);
		sm->again = true;
		break;
	}
}

bool sm_info(struct sm *sm, struct ib_smp *smp)
{
	const bool is_set = smp->method == IB_MGMT_METHOD_SET;
	enum step step = NOTED;
	struct info told;

	if (!sm->guid)
		return false;
	memcpy(&told, smp->data, sizeof(told));
	smp->status = 0;
	smp->method = IB_MGMT_METHOD_GET_RESP;
	if (is_set) {
		step = step_of(sm, &told, be32_to_cpu(smp->attr_mod));
		take_step(sm, step, be64_to_cpu(told.guid));
	}
	if (step == REFUSE)
		smp->status = cpu_to_be16(IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE);
	sm->activity++;
	write_info(sm, be64_to_cpu(told.key) == sm->options.key, smp->data);
	return true;
}
