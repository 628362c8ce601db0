// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Whom we wait for: a process that has taken nothing for a while though there is something for it is
 * stopped, most likely. It is waited for all the same, without end; but people are told, once, and once
 * more when it goes on.
 */
#include <linux/compiler.h>
#include <linux/rcupdate.h>

#include "wire/shm_priv.h"

/* Looks are further apart only if we ourselves were stopped, which says nothing about others. */
#define LOOKED_ALL_THE_TIME_NS (2 * SHM_WATCH_NS)

/* The queue pair of the oldest run that is not answered; 0 if it is gone, or there is none. */
static uint32_t waiting_qpn(struct shm_peer *peer)
{
	const struct shm_queue *held = &peer->held;
	uint32_t qpn = 0;

	spin_lock(&peer->lock);
	for (uint32_t i = held->tail; i != held->head && !qpn; i++)
		if (held->entry[i % SHM_SENT].sender)
			qpn = tp_sender_qpn(held->entry[i % SHM_SENT].sender);
	spin_unlock(&peer->lock);
	return qpn;
}

void shm_name_peer(const struct directory *dir, uint32_t id, struct base_cause *cause)
{
	const struct directory_process *p = &dir->process[id];

	cause->arg[0] = (uint32_t)p->pid;
	if (p->host < DIRECTORY_HOSTS)
		base_cause_put_text(cause, 1, dir->host[p->host].name);
}

static void tell(const struct wire_shm *shm, const struct shm_peer *peer, enum base_cause_id id,
		 uint64_t now_ns)
{
	const struct shm_watch *w = &peer->watch;
	struct base_cause cause = {.id = (uint16_t)id, .side = BASE_SIDE_REQUESTER, .qpn = w->qpn};

	shm_name_peer(shm->config.directory, peer->is.id, &cause);
	cause.arg[1 + BASE_CAUSE_TEXT_ARGS] = (now_ns - w->since_ns) / NS_PER_MS;
	base_cause_warn(&cause);
}

/* It has moved, or there is nothing for it. */
static void begin(const struct wire_shm *shm, struct shm_peer *peer, uint64_t now_ns)
{
	if (unlikely(peer->watch.told))
		tell(shm, peer, BASE_CAUSE_PEER_GOES_ON, now_ns);
	peer->watch = (struct shm_watch){.mark = shm_ring_mark(&peer->tx), .since_ns = now_ns};
}

static bool is_owed(const struct shm_peer *peer)
{
	return shm_waits_for_room(peer) || !shm_ring_is_answered(&peer->tx);
}

/* Returns when to look again, from @now_ns on. */
static uint64_t watch(const struct wire_shm *shm, struct shm_peer *peer, uint64_t now_ns)
{
	struct shm_watch *w = &peer->watch;
	uint64_t passed_ns;

	if (!w->waits || w->mark != shm_ring_mark(&peer->tx))
		begin(shm, peer, now_ns);
	else if (!w->told && now_ns - w->looked_ns > LOOKED_ALL_THE_TIME_NS)
		w->since_ns = now_ns;
	w->waits = true;
	w->looked_ns = now_ns;
	passed_ns = now_ns - w->since_ns;
	if (w->told)
		return SHM_WATCH_NS;
	if (passed_ns < SHM_STALL_NS)
		return SHM_STALL_NS - passed_ns;
	w->told = true;
	w->qpn = waiting_qpn(peer);
	tell(shm, peer, BASE_CAUSE_PEER_STALLED, now_ns);
	return SHM_WATCH_NS;
}

/* RCU. The clock is read only if somebody is waited for. */
static uint64_t look_at(const struct wire_shm *shm, struct shm_peer *peer)
{
	uint64_t again_ns = SHM_WATCH_NS;

	if (is_owed(peer))
		again_ns = watch(shm, peer, shm->config.now_ns(shm->config.ctx));
	else if (unlikely(peer->watch.told))
		begin(shm, peer, shm->config.now_ns(shm->config.ctx));
	else
		peer->watch.waits = false;
	return again_ns < SHM_WATCH_NS ? again_ns : SHM_WATCH_NS;
}

uint64_t shm_watch(struct wire_shm *shm)
{
	const uint32_t count = __atomic_load_n(&shm->count, __ATOMIC_ACQUIRE);
	uint64_t again_ns = UINT64_MAX;

	rcu_read_lock();
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t id = __atomic_load_n(&shm->ids[i], __ATOMIC_RELAXED);
		struct shm_peer *peer = rcu_dereference(shm->peers[id]);

		if (peer && peer->is.control) {
			const uint64_t its_ns = look_at(shm, peer);

			again_ns = its_ns < again_ns ? its_ns : again_ns;
		}
	}
	rcu_read_unlock();
	return again_ns;
}
