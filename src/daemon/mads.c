// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * MADs of processes. What one sends goes into the subnet at its port; what arrives at a port of a host goes to the process
 * that it is for, by the main loop. SMPs that end where they begin go no further than the firmware of that port.
 */
#include "daemon/mads.h"

#include <errno.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "daemon/agents.h"
#include "daemon/subnet.h"

/* MADs that the main loop has not seen yet. */
#define MOST_ARRIVED 4096u

/* One that has arrived. */
struct arrived {
	struct arrived *next;
	uint32_t id;
	uint32_t generation;
	uint32_t slot;
	struct subnet_mad mad;
};

static void send_arrived(struct server *s, struct later *later);

static void init_queue(struct server_mads *mads)
{
	mads->first = NULL;
	mads->last = &mads->first;
	mads->count = 0;
}

int mads_open(struct server *s)
{
	struct server_mads *mads = &s->mads;

	spin_lock_init(&mads->lock);
	init_queue(mads);
	mads->later.run = send_arrived;
	mads->agents = agents_new(s->directory);
	return mads->agents ? 0 : base_refuse(-ENOMEM, NO_MEMORY, 0);
}

static struct arrived *take_arrived(struct server_mads *mads)
{
	struct arrived *first;

	spin_lock(&mads->lock);
	first = mads->first;
	init_queue(mads);
	spin_unlock(&mads->lock);
	return first;
}

void mads_close(struct server *s)
{
	struct arrived *a, *next;

	if (!s->mads.agents)
		return;
	for (a = take_arrived(&s->mads); a; a = next) {
		next = a->next;
		base_free(a);
	}
	agents_free(s->mads.agents);
	s->mads.agents = NULL;
}

void mads_gone(struct server *s, uint32_t id)
{
	if (s->mads.agents)
		agents_gone(s->mads.agents, id);
}

static void lose(struct server *s)
{
	__atomic_fetch_add(&s->mads.lost, 1, __ATOMIC_RELAXED);
}

static int slot_of(const struct server *s, const struct client *c, uint32_t hca, uint32_t port)
{
	return directory_slot(s->directory, s->directory->process[c->id].host, hca, port);
}

bool mads_agent(struct server *s, struct client *c, const struct attach_message *m)
{
	struct attach_message reply = {.type = ATTACH_AGENT_IS, .serial = m->serial};
	const int slot = slot_of(s, c, m->agent.is.hca, m->agent.is.port);
	struct agents_holder holder;

	if (slot < 0)
		return false;
	reply.agent.is = m->agent.is;
	reply.status =
		s->subnet ? agents_add(s->mads.agents, c->id, (uint32_t)slot, &m->agent.is, &holder)
			  : -EOPNOTSUPP;
	if (reply.status == -EBADMSG)
		return false;
	if (reply.status == -EINVAL) {
		reply.agent.pid = s->directory->process[holder.id].pid;
		reply.agent.method = holder.method;
	}
	client_send(c, &reply, NULL, 0);
	return true;
}

bool mads_agent_gone(struct server *s, struct client *c, const struct attach_message *m)
{
	struct attach_message reply = {.type = ATTACH_DONE, .serial = m->serial};

	if (s->subnet)
		agents_remove(s->mads.agents, c->id, m->agent.is.hi_tid);
	client_send(c, &reply, NULL, 0);
	return true;
}

static struct ib_smp *smp_of(struct subnet_mad *mad)
{
	return (struct ib_smp *)(void *)mad->data;
}

static bool is_directed(const struct subnet_mad *mad)
{
	return mad->data[1] == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
}

/* Of an SMP that obeys the rules of sending already [rcp 18]. */
static bool ends_here(struct subnet_mad *mad)
{
	struct ib_smp *smp = smp_of(mad);

	if (mad->dest_qpn || !is_directed(mad))
		return false;
	return ib_get_smp_direction(smp) ? !smp->hop_ptr : smp->hop_ptr == smp->hop_cnt + 1;
}

/* A queue pair of its own, of which it says what it sends. */
static bool has_qp(const struct server *s, const struct client *c, uint32_t qpn)
{
	const uint32_t block = qpn >> DIRECTORY_QPN_BLOCK_BITS;

	return qpn <= 1 ||
	       (block < DIRECTORY_QPN_BLOCKS && s->directory->qpn_owner[block] == c->id + 1);
}

/* What waits for a process that does not read is bounded, or it would be hung up on for what others send it. */
static void send_to(struct server *s, struct client *c, uint32_t slot, const struct subnet_mad *mad)
{
	struct attach_message m = {.type = ATTACH_MAD};
	uint32_t n = 0;

	while (n < DIRECTORY_HCAS * DIRECTORY_PORTS &&
	       slot_of(s, c, n / DIRECTORY_PORTS, n % DIRECTORY_PORTS) != (int)slot)
		n++;
	if (n == DIRECTORY_HCAS * DIRECTORY_PORTS || c->owed_count >= MADS_OWED) {
		lose(s);
		return;
	}
	m.mad.hca = n / DIRECTORY_PORTS;
	m.mad.port = n % DIRECTORY_PORTS;
	m.mad.mad = *mad;
	client_send(c, &m, NULL, 0);
}

static void send_one(struct server *s, const struct arrived *a)
{
	struct client *c = s->process[a->id].client;

	if (c && s->directory->process[a->id].generation == a->generation)
		send_to(s, c, a->slot, &a->mad);
	else
		lose(s);
}

static void send_arrived(struct server *s, struct later *later)
{
	struct arrived *a, *next;

	(void)later;
	for (a = take_arrived(&s->mads); a; a = next) {
		next = a->next;
		send_one(s, a);
		base_free(a);
	}
}

/* Returns false if there are too many. */
static bool put_arrived(struct server *s, struct arrived *a)
{
	struct server_mads *mads = &s->mads;
	bool put, first;

	spin_lock(&mads->lock);
	put = mads->count < MOST_ARRIVED;
	first = !mads->first;
	if (put) {
		*mads->last = a;
		mads->last = &a->next;
		mads->count++;
	}
	spin_unlock(&mads->lock);
	if (put && first)
		server_later(s, &mads->later);
	return put;
}

bool mads_deliver(struct server *s, uint32_t slot, const struct subnet_mad *mad)
{
	const int id = agents_find(s->mads.agents, slot, mad);
	struct arrived *a;

	if (id < 0)
		return false;
	a = base_zalloc(sizeof(*a));
	if (a) {
		a->id = (uint32_t)id;
		a->generation =
			__atomic_load_n(&s->directory->process[id].generation, __ATOMIC_RELAXED);
		a->slot = slot;
		a->mad = *mad;
	}
	if (!a || !put_arrived(s, a)) {
		base_free(a);
		lose(s);
	}
	return true;
}

static bool make_unsupported(struct subnet_mad *mad)
{
	struct ib_smp *smp = smp_of(mad);

	if (smp->method != IB_MGMT_METHOD_GET && smp->method != IB_MGMT_METHOD_SET)
		return false;
	smp->method = IB_MGMT_METHOD_GET_RESP;
	smp->status = cpu_to_be16(IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB) | IB_SMP_DIRECTION;
	return true;
}

/* As if it came by the wire, from the permissive LID to the same [rcp 18]. */
static void send_back(struct server *s, struct client *c, uint32_t slot, struct subnet_mad *answer)
{
	answer->slid = answer->dlid = SUBNET_PERMISSIVE_LID;
	answer->dest_qpn = answer->src_qpn;
	answer->src_qpn = 0;
	smp_of(answer)->hop_ptr = 0;
	send_to(s, c, slot, answer);
}

/* What the firmware leaves to agents of the port is theirs, whichever process they are in. */
static void send_locally(struct server *s, struct client *c, uint32_t slot, struct subnet_mad *mad)
{
	struct subnet_mad answer;
	const int result =
		subnet_process_mad(server_subnet(s), server_subnet_at(s, slot), 0, mad, &answer);

	if (result == (IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY))
		send_back(s, c, slot, &answer);
	else if (result == IB_MAD_RESULT_SUCCESS && !mads_deliver(s, slot, mad) &&
		 make_unsupported(mad))
		send_back(s, c, slot, mad);
}

bool mads_send(struct server *s, struct client *c, const struct attach_message *m)
{
	struct subnet_mad mad;
	int slot;

	if (!attach_is_mad(m))
		return false;
	slot = slot_of(s, c, m->mad.hca, m->mad.port);
	if (slot < 0)
		return false;
	mad = m->mad.mad;
	if (!s->subnet || mad.dest_qpn > 1 || !has_qp(s, c, mad.src_qpn))
		lose(s);
	else if (ends_here(&mad))
		send_locally(s, c, (uint32_t)slot, &mad);
	else
		subnet_send_mad(server_subnet(s), server_subnet_at(s, (uint32_t)slot), &mad);
	return true;
}

bool mads_bad_key(struct server *s, struct client *c, const struct attach_message *m)
{
	int slot;

	if (!attach_is_mad(m))
		return false;
	slot = slot_of(s, c, m->mad.hca, m->mad.port);
	if (slot < 0)
		return false;
	if (s->subnet)
		subnet_bad_key(server_subnet(s), server_subnet_at(s, (uint32_t)slot),
			       m->mad.qkey != 0, &m->mad.mad);
	return true;
}
