// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * A sweep: discover, then switches, tables, ports, and last all ports Active. A phase ends when it has nothing
 * more to ask and all is answered. What is lost or refused does not stop it, but the next sweep will be needed.
 */
#include "sm/sm.h"

#include <errno.h>
#include <linux/byteorder.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "sm/sm_priv.h"

#define DEFAULT_WINDOW 64u
#define MOST_WINDOW 4096u
#define DEFAULT_POLLS 4u
#define FIRST_WORK 256u /* a power of two */
#define TID_SLOT_BITS 12
#define TID_BITS 32 /* the upper half belongs to who carries it */

struct sm *sm_new(const struct sm_ops *ops, void *ctx, const struct sm_options *options)
{
	struct sm *sm = base_zalloc(sizeof(*sm));

	if (!sm)
		return NULL;
	sm->ops = ops;
	sm->ctx = ctx;
	sm->options = *options;
	if (!sm->options.subnet_prefix)
		sm->options.subnet_prefix = 0xfe80000000000000ull;
	sm->window = options->window ? options->window : DEFAULT_WINDOW;
	if (sm->window > MOST_WINDOW)
		sm->window = MOST_WINDOW;
	if (!sm->options.polls)
		sm->options.polls = DEFAULT_POLLS;
	if (!sm->options.key)
		sm->options.key = SM_DEFAULT_KEY;
	sm->options.priority &= 0xf;
	sm->state = SM_DISCOVERING;
	sm->slot = base_zalloc_array(sm->window, sizeof(*sm->slot));
	if (sm->slot)
		return sm;
	base_free(sm);
	return NULL;
}

void sm_free(struct sm *sm)
{
	if (!sm)
		return;
	sm_net_free(sm->net);
	sm_net_free(sm->next);
	sm_groups_free(sm);
	base_free(sm->work);
	base_free(sm->slot);
	base_free(sm->lid_of);
	base_free(sm->alias);
	base_free(sm);
}

bool sm_is_up(const struct sm *sm)
{
	return sm->up;
}

u16 sm_lid(const struct sm *sm)
{
	const struct sm_net *net = sm->net;

	return net && net->own != SM_NONE ? net->port[net->own].lid : 0;
}

void sm_get_stats(const struct sm *sm, struct sm_stats *stats)
{
	*stats = sm->stats;
}

static bool widen_work(struct sm *sm)
{
	const u32 room = sm->work_room ? 2 * sm->work_room : FIRST_WORK;
	struct sm_request *work = base_zalloc_array(room, sizeof(*work));
	u32 count = 0;

	if (!work)
		return false;
	while (sm->work_tail != sm->work_head) {
		INVARIANT(sm->work_room);
		work[count++] = sm->work[sm->work_tail++ % sm->work_room];
	}
	base_free(sm->work);
	sm->work = work;
	sm->work_room = room;
	sm->work_tail = 0;
	sm->work_head = count;
	return true;
}

void sm_add_work(struct sm *sm, enum sm_what what, u32 index, u32 block)
{
	if (sm->work_head - sm->work_tail == sm->work_room && !widen_work(sm)) {
		sm->trouble = true;
		return;
	}
	sm->work[sm->work_head++ % sm->work_room] =
		(struct sm_request){.what = what, .index = index, .block = block};
}

static bool next_work(struct sm *sm, struct sm_request *request)
{
	if (sm->work_tail == sm->work_head)
		return false;
	*request = sm->work[sm->work_tail++ % sm->work_room];
	return true;
}

static struct sm_slot *free_slot(struct sm *sm)
{
	for (u32 i = 0; i < sm->window; i++) {
		struct sm_slot *slot = &sm->slot[(sm->generation + i) % sm->window];

		if (!slot->tid)
			return slot;
	}
	UNREACHABLE("fewer requests are under way than there are slots");
}

/* The slot is in the low bits; the others make a late answer to an earlier sweep nobody's. */
static u64 new_tid(struct sm *sm, const struct sm_slot *slot)
{
	const u64 generations = 1ull << (TID_BITS - TID_SLOT_BITS);
	const u64 generation = sm->generation++ % (generations - 1) + 1;

	return generation << TID_SLOT_BITS | (u64)(slot - sm->slot);
}

static __be16 attribute_of(enum sm_what what)
{
	switch (what) {
	case SM_ASK_NODE:
		return IB_SMP_ATTR_NODE_INFO;
	case SM_ASK_DESCRIPTION:
		return IB_SMP_ATTR_NODE_DESC;
	case SM_ASK_SWITCH:
	case SM_SET_SWITCH:
		return IB_SMP_ATTR_SWITCH_INFO;
	case SM_ASK_PORT:
	case SM_ASK_OWN_PORT:
	case SM_SET_PORT:
	case SM_SET_ACTIVE:
		return IB_SMP_ATTR_PORT_INFO;
	case SM_ASK_PKEYS:
		return IB_SMP_ATTR_PKEY_TABLE;
	case SM_ASK_GUIDS:
	case SM_SET_GUIDS:
		return IB_SMP_ATTR_GUID_INFO;
	case SM_SET_LFT:
		return IB_SMP_ATTR_LINEAR_FORWARD_TABLE;
	case SM_SET_MFT:
		return IB_SMP_ATTR_MCAST_FORWARD_TABLE;
	case SM_ASK_SM:
	case SM_TELL_SM:
		return IB_SMP_ATTR_SM_INFO;
	}
	UNREACHABLE("a request of no kind");
}

/* Where it goes: what is at the far end of a port is one hop further than the port's node. */
static bool address(const struct sm_net *net, const struct sm_request *request, struct ib_smp *smp)
{
	if (request->index == SM_NONE)
		return true;
	if (!sm_net_path(net, request->index, smp))
		return false;
	if (request->what != SM_ASK_NODE)
		return true;
	if (smp->hop_cnt == IB_SMP_MAX_PATH_HOPS - 1)
		return false;
	smp->initial_path[++smp->hop_cnt] = net->port[request->index].num;
	return true;
}

/* The M_Key that a port's node wants to be asked with, as far as it has told: of a switch that of port 0. */
static __be64 mkey_of(const struct sm_net *net, u32 port)
{
	const struct sm_node *node = sm_node_of(net, port);

	return net->port[sm_is_switch(node) ? node->first_port : port].info.mkey;
}

static bool fill(struct sm *sm, const struct sm_request *request, struct ib_smp *smp)
{
	const struct sm_net *net = sm_net_at_hand(sm);

	*smp = (struct ib_smp){
		.base_version = IB_MGMT_BASE_VERSION,
		.mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE,
		.class_version = 1,
		.method = request->what < SM_SET_SWITCH ? IB_MGMT_METHOD_GET : IB_MGMT_METHOD_SET,
		.attr_id = attribute_of(request->what),
		.dr_slid = cpu_to_be16(0xffff),
		.dr_dlid = cpu_to_be16(0xffff),
	};
	if (!address(net, request, smp))
		return false;
	if (request->what != SM_ASK_NODE)
		smp->mkey = mkey_of(net, request->index);
	if (request->what == SM_ASK_PORT)
		smp->attr_mod = cpu_to_be32(sm->next->port[request->index].num);
	else if (request->what == SM_ASK_PKEYS || request->what == SM_ASK_GUIDS)
		smp->attr_mod = cpu_to_be32(request->block);
	else if (request->what == SM_TELL_SM)
		sm_fill_info(sm, request, smp);
	else if (request->what >= SM_SET_SWITCH)
		sm_fill_setting(sm, request, smp);
	return true;
}

static void send_request(struct sm *sm, const struct sm_request *request)
{
	struct sm_slot *slot = free_slot(sm);
	const u64 tid = new_tid(sm, slot);
	struct ib_smp smp;

	if (!fill(sm, request, &smp)) {
		sm->trouble = true;
		return;
	}
	smp.tid = cpu_to_be64(tid);
	*slot = (struct sm_slot){tid, *request};
	sm->outstanding++;
	sm->stats.sent++;
	sm->activity++;
	if (sm->ops->send(sm->ctx, &smp))
		sm_lost(sm, smp.tid);
}

static bool next_request(struct sm *sm, struct sm_request *request)
{
	return sm->phase == SM_DISCOVER || sm->phase == SM_POLL ? next_work(sm, request)
								: sm_next_setting(sm, request);
}

static void count_what_is_there(struct sm *sm)
{
	const struct sm_net *net = sm->net;

	sm->stats.switches = net->switches;
	sm->stats.links = net->links;
	sm->stats.adapters = 0;
	for (u32 i = 0; i < net->nodes; i++)
		sm->stats.adapters += net->node[i].type == SM_NODE_CA;
}

/* Well is also if it is found that the subnet is somebody else's. */
static void end_sweep(struct sm *sm, bool well)
{
	sm->phase = SM_IDLE;
	sm->up = well && sm->state == SM_MASTER;
	sm->ended = true;
	sm->realias = sm->aliases > 0;
	if (well)
		sm->stats.sweeps++;
	else
		sm->stats.failed++;
	if (sm->next->own != SM_NONE) {
		sm_net_free(sm->net);
		sm->net = sm->next;
		count_what_is_there(sm);
	} else {
		sm_net_free(sm->next);
	}
	sm->next = NULL;
}

/* What could not be set a sweep may. */
static void end_regroup(struct sm *sm)
{
	sm->phase = SM_IDLE;
	if (!sm->trouble)
		return;
	sm->up = false;
	sm->ended = true;
}

/* All is found: what it is to be. Returns whether that could be made out. */
static bool plan(struct sm *sm)
{
	if (sm_give_lids(sm, sm->next))
		return false;
	if (!sm->meddled)
		sm_inherit(sm->next, sm->net);
	sm->meddled = false;
	return !sm_make_routes(sm->next) && !sm_make_trees(sm, sm->next);
}

static void begin_phase(struct sm *sm, enum sm_phase phase)
{
	sm->phase = phase;
	sm->cursor = 0;
	sm->block = 0;
}

/* Whose is what was discovered? Returns whether there is more to do. */
static bool discovered(struct sm *sm)
{
	const enum sm_verdict whose = sm->next->own == SM_NONE ? SM_WAITS : sm_elect(sm);

	if (whose == SM_ASKS)
		return true;
	if (whose == SM_OURS && plan(sm)) {
		begin_phase(sm, SM_SWITCHES);
		return true;
	}
	end_sweep(sm, whose == SM_THEIRS);
	return false;
}

static bool polled(struct sm *sm)
{
	const enum sm_verdict whose = sm_elect(sm);

	if (whose == SM_ASKS)
		return true;
	sm->phase = SM_IDLE;
	if (whose == SM_WAITS)
		sm->again = true;
	return false;
}

/* Returns whether there is another one. */
static bool next_phase(struct sm *sm)
{
	if (sm->phase == SM_DISCOVER)
		return discovered(sm);
	if (sm->phase == SM_POLL)
		return polled(sm);
	if (!sm->next) {
		end_regroup(sm);
		return false;
	}
	if (sm->phase != SM_ACTIVATE) {
		begin_phase(sm, sm->phase + 1);
		return true;
	}
	end_sweep(sm, !sm->trouble);
	return false;
}

static bool is_at_work(const struct sm *sm)
{
	return sm->state == SM_DISCOVERING || sm->state == SM_MASTER;
}

static bool begin_sweep(struct sm *sm)
{
	sm->again = false;
	if (!is_at_work(sm))
		return false;
	sm->trouble = false;
	sm->next = sm_net_new();
	if (!sm->next) {
		sm->stats.failed++;
		sm->up = false;
		sm->ended = true;
		return false;
	}
	sm->work_head = sm->work_tail = 0;
	begin_phase(sm, SM_DISCOVER);
	sm_add_work(sm, SM_ASK_NODE, SM_NONE, 0);
	return true;
}

static bool begin_regroup(struct sm *sm)
{
	if (!sm->net || !sm->net->by_lid || sm->state != SM_MASTER)
		return false; /* the first sweep does it all */
	sm->trouble = sm_make_changed_trees(sm) != 0;
	sm->regroup = false; /* or a sweep will do it */
	begin_phase(sm, SM_GROUPS);
	return true;
}

static bool begin_guids(struct sm *sm)
{
	if (!sm->net || !sm->net->by_lid || sm->state != SM_MASTER)
		return false; /* the end of the next sweep is time enough */
	sm->realias = false;
	sm->trouble = false;
	sm->guids_port = SM_NONE;
	begin_phase(sm, SM_GUIDS);
	return true;
}

static bool begin_poll(struct sm *sm)
{
	sm->poll = false;
	sm->work_head = sm->work_tail = 0;
	if (!sm->net || !sm_begin_poll(sm))
		return false;
	begin_phase(sm, SM_POLL);
	return true;
}

static bool begin_something(struct sm *sm)
{
	return (sm->again && begin_sweep(sm)) || (sm->regroup && begin_regroup(sm)) ||
	       (sm->realias && begin_guids(sm)) || (sm->poll && begin_poll(sm));
}

/* Send what may be sent. Answers may come meanwhile, and lead to more. */
static void send_some(struct sm *sm)
{
	struct sm_request request;

	while (sm->phase != SM_IDLE) {
		while (sm->outstanding < sm->window && next_request(sm, &request))
			send_request(sm, &request);
		if (sm->outstanding || !next_phase(sm))
			return;
	}
}

static void pump(struct sm *sm)
{
	if (sm->pumping)
		return;
	sm->pumping = true;
	send_some(sm);
	while (sm->phase == SM_IDLE && begin_something(sm))
		send_some(sm);
	sm->pumping = false;
	if (!sm->ended || sm->phase != SM_IDLE)
		return;
	sm->ended = false;
	if (sm->ops->swept)
		sm->ops->swept(sm->ctx);
}

void sm_sweep(struct sm *sm)
{
	sm->again = true;
	if (sm->phase == SM_IDLE)
		pump(sm);
}

void sm_regroup(struct sm *sm)
{
	sm->regroup = true;
	if (sm->phase == SM_IDLE)
		pump(sm);
}

void sm_realias(struct sm *sm)
{
	if (sm->phase == SM_IDLE)
		pump(sm);
}

void sm_poll(struct sm *sm)
{
	sm->poll = true;
	if (sm->phase == SM_IDLE)
		pump(sm);
}

void sm_proceed(struct sm *sm)
{
	if (sm->phase == SM_IDLE)
		pump(sm);
}

/* The request that a TID belongs to, which is not under way any more. */
static bool take_slot(struct sm *sm, __be64 tid, struct sm_request *request)
{
	const u64 low = be64_to_cpu(tid) & ((1ull << TID_BITS) - 1);
	const u64 i = low & ((1ull << TID_SLOT_BITS) - 1);

	if (!low || i >= sm->window || sm->slot[i].tid != low)
		return false;
	*request = sm->slot[i].request;
	sm->slot[i].tid = 0;
	sm->outstanding--;
	return true;
}

static bool is_answer(const struct sm_request *request, const struct ib_smp *smp)
{
	return smp->method == IB_MGMT_METHOD_GET_RESP &&
	       smp->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE &&
	       smp->attr_id == attribute_of(request->what);
}

/* Other managers may be there or not, and ports may have room for GUIDs: that is no trouble. */
static void failed(struct sm *sm, const struct sm_request *request, bool refused)
{
	if (request->what == SM_ASK_SM || request->what == SM_TELL_SM)
		sm_other_failed(sm, request, refused);
	else if (request->what == SM_SET_GUIDS && refused)
		sm_guids_were_refused(sm, request);
	else if (request->what != SM_ASK_OWN_PORT)
		sm->trouble = true;
}

void sm_answer(struct sm *sm, const struct ib_smp *smp)
{
	struct sm_request request;

	if (!take_slot(sm, smp->tid, &request))
		return;
	if (!is_answer(&request, smp) || (smp->status & ~IB_SMP_DIRECTION)) {
		sm->stats.refused++;
		failed(sm, &request, true);
	} else if (request.what < SM_SET_SWITCH) {
		sm_found(sm, &request, smp);
	} else {
		sm_was_set(sm, &request, smp);
	}
	pump(sm);
}

void sm_lost(struct sm *sm, __be64 tid)
{
	struct sm_request request;

	if (!take_slot(sm, tid, &request))
		return;
	sm->stats.lost++;
	failed(sm, &request, false);
	pump(sm);
}

bool sm_trap(struct sm *sm, const struct ib_smp *trap, struct ib_smp *repress)
{
	const u8 *notice = trap->data;
	const unsigned int number = (unsigned int)notice[4] << 8 | notice[5];
	const u16 issuer_lid = (u16)(notice[6] << 8 | notice[7]);
	const u32 issuer = sm->net ? sm_port_of_lid(sm->net, issuer_lid) : SM_NONE;

	*repress = *trap;
	repress->method = IB_MGMT_METHOD_TRAP_REPRESS;
	repress->status = 0;
	repress->mkey = issuer == SM_NONE ? 0 : mkey_of(sm->net, issuer);
	return (notice[0] & 0x80) && (number == 128 || number == 144 || number == 145);
}
