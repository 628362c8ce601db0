// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Faults on the wire between processes: this process's own, met by what it sends before that is in a
 * ring, and by what it receives after it was taken out of one. A peer knows nothing of them.
 */
#include <errno.h>
#include <linux/rcupdate.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/random.h"
#include "transport/tp_engine.h"
#include "wire/impair.h"
#include "wire/shm_priv.h"

#define MILLION 1000000u

/**
 * struct shm_meet - What packets of this process meet.
 * @shm: Its wire.
 * @tx: On their way out; from a port's slot to a peer's id.
 * @rx: On their way in; to a port's slot.
 * @lock: Senders go one by one, so that the room that was found is there.
 * @tx_last_ns: &impair_link.last_arrival_ns. @lock.
 * @rx_last_ns: Likewise. Of who holds &wire_shm.progress.
 * @stats: Atomic.
 */
struct shm_meet {
	struct wire_shm *shm;
	struct impair *tx;
	struct impair *rx;
	spinlock_t lock;
	uint64_t tx_last_ns;
	uint64_t rx_last_ns;
	struct impair_stats stats;
};

static int put(struct shm_meet *m, uint32_t id, const struct tp_run *packet)
{
	struct shm_peer *peer;
	int ret = -ENETDOWN;

	rcu_read_lock();
	peer = rcu_dereference(m->shm->peers[id]);
	if (peer)
		ret = shm_put(peer, NULL, packet, NULL);
	rcu_read_unlock();
	return ret;
}

static void leave(void *ctx, uint32_t from, uint32_t id, const struct tp_run *packet, bool starved)
{
	struct shm_meet *m = ctx;

	(void)from;
	(void)starved;
	if (put(m, id, packet) < 0)
		shm_count(&m->stats.dropped, 1);
}

static bool leave_late(void *ctx, uint32_t from, uint32_t id, const struct tp_run *packet,
		       bool starved)
{
	struct shm_meet *m = ctx;
	int ret;

	(void)from;
	(void)starved;
	spin_lock(&m->lock);
	ret = put(m, id, packet);
	spin_unlock(&m->lock);
	shm_kick(m->shm);
	return ret != -EAGAIN;
}

static void arrive(void *ctx, uint32_t from, uint32_t slot, const struct tp_run *packet,
		   bool starved)
{
	const struct shm_meet *m = ctx;
	struct shm_port *port = shm_port_at(m->shm, slot);

	(void)from;
	if (!port)
		return;
	if (starved)
		tp_receive_starved(port->tp, packet);
	else
		shm_arrive(port, packet);
}

/* Who takes records may be this very thread, further up. */
static bool arrive_late(void *ctx, uint32_t from, uint32_t slot, const struct tp_run *packet,
			bool starved)
{
	struct shm_meet *m = ctx;

	if (!spin_trylock(&m->shm->progress))
		return false;
	tp_batch_begin();
	arrive(ctx, from, slot, packet, starved);
	tp_batch_end();
	spin_unlock(&m->shm->progress);
	shm_kick(m->shm);
	return true;
}

static void meet(struct shm_meet *m, const struct impair_link *link,
		 const struct fault_packet *described, const struct tp_run *packet,
		 uint64_t late_ns)
{
	struct fabric_fate fate = {.drop = false};

	if (shm_meets_faults(m->shm))
		fabric_faults_decide(m->shm->config.faults, described, &fate);
	fate.delay_ns += late_ns;
	fate.duplicate_delay_ns += late_ns;
	impair_packet(link, packet, &fate);
}

/* A cable on the way has damaged it. */
static bool is_lost(struct shm_toll *toll, const struct tp_run *packet)
{
	if (!toll || base_random_below(toll->random, MILLION) >= toll->loss_ppm)
		return false;
	toll->packets++;
	toll->words += shm_run_wire_bytes(packet, 1) / 4;
	return true;
}

/* One packet of a run, or the run itself if it is one. */
static const struct tp_run *packet_of(const struct tp_run *run, uint32_t i, struct tp_run *packet)
{
	if (run->packets == 1)
		return run;
	tp_run_packet(run, i, packet);
	return packet;
}

/* Copies for a group have no sender; datagrams say whose they are. */
static uint32_t source_qpn(const struct tp_run *run, const void *sender)
{
	return sender ? tp_sender_qpn(sender) : run->deth.src_qpn;
}

int shm_meet_sending(struct shm_peer *peer, struct shm_port *p, const struct tp_run *run,
		     void *sender, struct shm_toll *toll)
{
	struct shm_meet *m = p->shm->meet;
	const struct impair_link link = {.impair = m->tx,
					 .from = p->slot,
					 .to = peer->is.id,
					 .last_arrival_ns = toll ? toll->last_ns : &m->tx_last_ns,
					 .stats = &m->stats};
	struct fault_packet described;
	uint32_t i;
	int ret = 0;

	spin_lock(&m->lock);
	for (i = 0; i < run->packets; i++) {
		struct tp_run one;
		const struct tp_run *packet = packet_of(run, i, &one);

		ret = shm_await_room(peer);
		if (ret)
			break;
		if (is_lost(toll, packet))
			continue;
		impair_describe(packet, FAULT_TX, p->slot, source_qpn(run, sender), &described);
		meet(m, &link, &described, packet, toll ? toll->delay_ns : 0);
	}
	if (i)
		shm_account(peer, p->tp, run, sender, i);
	spin_unlock(&m->lock);
	return i ? (int)i : ret;
}

void shm_meet_receiving(struct wire_shm *shm, const struct shm_peer *peer, uint32_t slot,
			const struct tp_run *run)
{
	struct shm_meet *m = shm->meet;
	const struct impair_link link = {.impair = m->rx,
					 .from = peer->is.id,
					 .to = slot,
					 .last_arrival_ns = &m->rx_last_ns,
					 .stats = &m->stats};
	struct fault_packet described;

	/* A peer's record may say any number; more than there are bytes for is nonsense. */
	if (run->packets > 1 && !run->pmtu_bytes)
		return;
	for (uint32_t i = 0; i < run->packets; i++) {
		struct tp_run one;
		const struct tp_run *packet = packet_of(run, i, &one);

		impair_describe(packet, FAULT_RX, slot, run->dest_qpn, &described);
		described.met = !peer->is.control;
		meet(m, &link, &described, packet, 0);
	}
}

int shm_meet_prepare(struct wire_shm *shm, uint32_t packets)
{
	const struct impair_ops tx = {.arrive = leave, .arrive_late = leave_late};
	const struct impair_ops rx = {.arrive = arrive, .arrive_late = arrive_late};
	struct shm_meet *m;

	if (__atomic_load_n(&shm->meet, __ATOMIC_ACQUIRE))
		return 0;
	m = base_zalloc(sizeof(*m));
	if (!m)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*m));
	m->shm = shm;
	spin_lock_init(&m->lock);
	m->tx = impair_new(&tx, m, packets);
	m->rx = m->tx ? impair_new(&rx, m, packets) : NULL;
	if (!m->rx) {
		impair_free(m->tx);
		base_free(m);
		return -ENOMEM;
	}
	__atomic_store_n(&shm->meet, m, __ATOMIC_RELEASE);
	return 0;
}

int wire_shm_prepare_faults(struct wire_shm *shm, uint32_t packets)
{
	const int ret = shm_meet_prepare(shm, packets);

	if (!ret && __atomic_load_n(&shm->config.direct, __ATOMIC_ACQUIRE))
		wire_shm_close_windows(shm); /* what is placed directly meets nothing */
	return ret;
}

void shm_meet_free(struct shm_meet *m)
{
	if (!m)
		return;
	impair_free(m->tx);
	impair_free(m->rx);
	base_free(m);
}
