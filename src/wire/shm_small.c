// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Small packets between processes, past what runs need (docs/design/express.md). The records are the same:
 * either side may write or read them the one way or the other.
 */
#include <linux/compiler.h>
#include <linux/rcupdate.h>

#include "transport/tp_engine.h"
#include "wire/shm_priv.h"

/* Nothing befalls packets on their way, and no subnet says where that leads. */
static bool is_plain(const struct wire_shm *shm)
{
	return likely(!shm->ways) && !shm_meets_faults(shm);
}

/* Who was turned away goes first. */
static bool put_locked(struct shm_peer *peer, struct tp_port *port, const struct tp_small *small,
		       void *sender) REQUIRES(peer->lock)
{
	struct shm_queue *queue = &peer->held;
	struct shm_sent sent;
	void *record;

	if (unlikely(peer->closed || __atomic_load_n(&peer->refused, __ATOMIC_RELAXED) ||
		     queue->head - queue->tail == SHM_SENT))
		return false;
	record = shm_ring_reserve(&peer->tx, shm_small_bytes(small));
	if (unlikely(!record || !shm_keeps_answers(peer)))
		return false;
	sent = (struct shm_sent){.port = port,
				 .sender = sender,
				 .packets = 1,
				 .start = shm_ring_start(&peer->tx),
				 .answer = small->ack_here ? record : NULL,
				 .psn = small->psn};
	shm_small_write(small, record);
	shm_ring_publish(&peer->tx, SHM_KIND_RUN);
	sent.end = peer->tx.head;
	if (sender)
		shm_remember_held(peer, &sent);
	return true;
}

static bool put(struct shm_peer *peer, struct tp_port *port, const struct tp_small *small,
		void *sender)
{
	bool taken;

	spin_lock(&peer->lock);
	taken = put_locked(peer, port, small, sender);
	spin_unlock(&peer->lock);
	if (likely(taken))
		shm_wake(peer);
	return taken;
}

bool shm_send_small(struct tp_port *port, const struct tp_small *small, void *sender)
{
	struct shm_port *p = port->wire;
	struct wire_shm *shm = p->shm;
	struct shm_peer *peer = NULL;
	bool taken;
	int id;

	if (unlikely(__atomic_load_n(&p->detached, __ATOMIC_ACQUIRE)))
		return false;
	rcu_read_lock();
	id = directory_find(shm->config.directory, p->slot, small->dlid, small->dest_qpn);
	/* What goes to ourselves is delivered by kick(). */
	if (likely(id >= 0 && (uint32_t)id != shm->config.self))
		peer = shm_find_peer(shm, (uint32_t)id);
	taken = likely(peer) && is_plain(shm) && put(peer, port, small, sender);
	rcu_read_unlock();
	if (likely(taken))
		base_traffic_sent(p->traffic, 1, shm_small_wire_bytes(small), false);
	return taken;
}

void shm_say_ack(struct shm_peer *peer)
{
	const struct tp_small ack = {.opcode = PKT_RC_ACKNOWLEDGE};
	struct shm_unsaid *unsaid = &peer->unsaid;

	if (!unsaid->record)
		return;
	shm_small_ack(unsaid->record, &unsaid->aeth);
	unsaid->record = NULL;
	peer->said = true;
	base_traffic_sent(unsaid->port->traffic, 1, shm_small_wire_bytes(&ack), false);
}

/* One ACK for all packets of a queue pair that come in a row. */
static void keep_ack(struct shm_peer *peer, struct shm_port *port, void *record,
		     const struct tp_small *small)
{
	struct shm_unsaid *unsaid = &peer->unsaid;

	if (unsaid->qpn != small->dest_qpn)
		shm_say_ack(peer);
	*unsaid = (struct shm_unsaid){
		.record = record, .port = port, .qpn = small->dest_qpn, .aeth = small->aeth};
}

bool shm_take_small(struct wire_shm *shm, struct shm_peer *peer, void *record, size_t bytes,
		    bool more)
{
	struct shm_port *port;
	struct tp_small small;
	int slot;

	if (!shm_small_read(record, bytes, &small) || !is_plain(shm))
		return false;
	/* To be written to soon: by then this processor has the line for itself. */
	__builtin_prefetch(record, 1);
	slot = fabric_owner(&shm->config.directory->fabric, small.dlid);
	port = likely(slot >= 0) ? shm_port_at(shm, (uint32_t)slot) : NULL;
	small.more = more;
	if (unlikely(!port) || !tp_receive_small(port->tp, &small))
		return false;
	base_traffic_received(port->traffic, 1, shm_small_wire_bytes(&small), false);
	if (likely(small.acked))
		keep_ack(peer, port, record, &small);
	return true;
}
