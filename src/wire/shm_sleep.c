// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Who polls, who sleeps, and who is to be woken (docs/design/attach.md). */
#include <linux/compiler.h>
#include <linux/rcupdate.h>

#include "wire/shm_priv.h"

#define LOOK_AGAIN_NS 1000000u
#define LOOKS_BEFORE_SLEEP 8u /* after a CQ was armed */

bool wire_shm_polled(struct wire_shm *shm)
{
	struct shm_control *control = shm->config.control;
	const uint32_t polls = __atomic_load_n(&control->polls, __ATOMIC_RELAXED);
	const uint32_t expects = __atomic_load_n(&control->expects, __ATOMIC_RELAXED);

	__atomic_store_n(&control->polls, polls + 1, __ATOMIC_RELAXED);
	if (unlikely(expects))
		__atomic_store_n(&control->expects, expects - 1, __ATOMIC_RELAXED);
	return unlikely(__atomic_load_n(&shm->sleeps_long, __ATOMIC_RELAXED)) &&
	       __atomic_exchange_n(&shm->sleeps_long, false, __ATOMIC_RELAXED);
}

void wire_shm_expect(struct wire_shm *shm)
{
	__atomic_store_n(&shm->config.control->expects, LOOKS_BEFORE_SLEEP, __ATOMIC_SEQ_CST);
}

bool wire_shm_is_polled(const struct wire_shm *shm)
{
	const struct shm_control *control = shm->config.control;

	return !__atomic_load_n(&control->expects, __ATOMIC_RELAXED) &&
	       __atomic_load_n(&control->polls, __ATOMIC_RELAXED) != shm->seen_polls;
}

static bool has_something(struct wire_shm *shm)
{
	bool something = false;

	rcu_read_lock();
	for (uint32_t i = 0; !something && i < shm_peer_count(shm); i++) {
		struct shm_peer *peer = rcu_dereference(shm->peers[shm_id_at(shm, i)]);

		something = peer && (!shm_ring_is_empty(&peer->rx) || shm_has_answers(peer));
	}
	rcu_read_unlock();
	return something;
}

static bool wait_for_room(struct wire_shm *shm)
{
	bool wait = false;

	rcu_read_lock();
	for (uint32_t i = 0; !wait && i < shm_peer_count(shm); i++) {
		struct shm_peer *peer = rcu_dereference(shm->peers[shm_id_at(shm, i)]);

		wait = peer && shm_waits_for_room(peer);
	}
	rcu_read_unlock();
	return wait;
}

static uint64_t doze(struct wire_shm *shm)
{
	__atomic_store_n(&shm->config.control->sleeping, SHM_DOZES, __ATOMIC_RELAXED);
	return LOOK_AGAIN_NS;
}

/*
 * Neither who polls nor who sends to one that dozes makes a fence. So what they did may be seen late,
 * and we look a last time, after a while, before we sleep for long.
 */
uint64_t wire_shm_sleep(struct wire_shm *shm)
{
	struct shm_control *control = shm->config.control;
	const bool polled = wire_shm_is_polled(shm);
	const bool settled = shm->settled;
	const uint64_t watch_ns = shm_watch(shm);

	shm->seen_polls = __atomic_load_n(&control->polls, __ATOMIC_RELAXED);
	shm->settled = !polled;
	if (polled)
		return doze(shm);
	__atomic_store_n(&control->sleeping, SHM_SLEEPS, __ATOMIC_SEQ_CST);
	smp_mb();
	if (has_something(shm)) {
		shm->settled = false;
		if (spin_is_locked(&shm->progress))
			return doze(shm); /* somebody takes it, or did, and is not running */
		wire_shm_awake(shm);
		return 0;
	}
	if (!settled || wait_for_room(shm))
		return LOOK_AGAIN_NS;
	__atomic_store_n(&shm->sleeps_long, true, __ATOMIC_SEQ_CST);
	return watch_ns;
}

void wire_shm_awake(struct wire_shm *shm)
{
	__atomic_store_n(&shm->sleeps_long, false, __ATOMIC_RELAXED);
	__atomic_store_n(&shm->config.control->sleeping, SHM_AWAKE, __ATOMIC_RELAXED);
}
