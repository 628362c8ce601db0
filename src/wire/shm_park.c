// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Datagrams that find no receive posted wait for one, so that a receiver which is a little late loses
 * nothing. Records are taken out of the ring and put aside, so that nobody else waits behind them;
 * the sender is told by a bit to keep back what is for that queue pair. Who posts no receive for
 * long loses them after all, as on hardware, and then at once until it posts again.
 */
#include <linux/list.h>
#include <string.h>

#include "base/alloc.h"
#include "packet/opcode.h"
#include "transport/tp_engine.h"
#include "wire/shm_priv.h"

#define LOOK_NS 200000u
#define LOOKS 2500u /* so half a second, in which this process was awake */

/* From here on the peer keeps back all datagrams. What is under way then is a ring full at most. */
#define MANY_BYTES (2 * SHM_RING_BYTES)
#define MOST_BYTES (MANY_BYTES + 2 * SHM_RING_BYTES)

/* A record that waits. */
struct parked {
	struct list_head link;
	uint32_t bucket;
	size_t bytes;
	uint64_t record[];
};

/**
 * struct shm_park - Datagrams of a peer that wait. Of who holds &wire_shm.progress.
 * @shm: Our wire.
 * @peer: Who has sent them.
 * @timer: Looks whether receives were posted, for those who do not poll.
 * @waiting: The oldest first.
 * @bytes: Of them.
 * @looks: How often the oldest one was looked at in vain.
 * @all: The peer keeps back all datagrams.
 * @count: How many wait, by queue pair number modulo SHM_RING_CLASSES.
 * @given_up: Nothing waits for these any more, until a receive is posted.
 */
struct shm_park {
	struct wire_shm *shm;
	struct shm_peer *peer;
	struct base_timer timer;
	struct list_head waiting;
	size_t bytes;
	uint32_t looks;
	bool all;
	uint32_t count[SHM_RING_CLASSES];
	bool given_up[SHM_RING_CLASSES];
};

static uint32_t bucket_of(const struct tp_run *run)
{
	return run->dest_qpn % SHM_RING_CLASSES;
}

static void look(struct base_timer *timer)
{
	struct shm_park *park = container_of(timer, struct shm_park, timer);
	struct wire_shm *shm = park->shm;

	bool more = true;

	if (spin_trylock(&shm->progress)) {
		park->looks++;
		tp_batch_begin();
		shm_unpark(park->peer);
		tp_batch_end();
		more = !list_empty(&park->waiting);
		spin_unlock(&shm->progress);
		shm_kick(shm);
	}
	if (more)
		base_timer_arm(&park->timer, LOOK_NS);
}

/* Made when a datagram first has to wait, for most peers never send one. NULL: no memory. */
static struct shm_park *park_of(struct wire_shm *shm, struct shm_peer *peer)
{
	struct shm_park *park = peer->park;

	if (likely(park))
		return park;
	park = base_zalloc(sizeof(*park));
	if (!park)
		return NULL;
	park->shm = shm;
	park->peer = peer;
	INIT_LIST_HEAD(&park->waiting);
	base_timer_init(&park->timer, look);
	peer->park = park;
	return park;
}

static void hold(struct shm_park *park, uint32_t bucket)
{
	struct shm_consumer *rx = &park->peer->rx;

	if (!park->count[bucket]++)
		shm_ring_hold(rx, bucket);
	if (park->all || park->bytes < MANY_BYTES)
		return;
	park->all = true;
	for (uint32_t i = 0; i < SHM_RING_CLASSES; i++)
		shm_ring_hold(rx, i);
}

static void let_go_of_all(struct shm_park *park)
{
	park->all = false;
	for (uint32_t i = 0; i < SHM_RING_CLASSES; i++)
		if (!park->count[i])
			shm_ring_let_go(&park->peer->rx, i);
	shm_tell_held(park->peer);
}

static void let_go(struct shm_park *park, uint32_t bucket)
{
	if (!--park->count[bucket] && !park->all) {
		shm_ring_let_go(&park->peer->rx, bucket);
		shm_tell_held(park->peer);
	}
	if (park->all && park->bytes < MANY_BYTES / 2)
		let_go_of_all(park);
}

static bool put_aside(struct shm_park *park, uint32_t bucket, const void *record, size_t bytes)
{
	struct parked *parked;

	if (park->bytes + bytes > MOST_BYTES)
		return false;
	parked = base_zalloc(sizeof(*parked) + bytes);
	if (!parked)
		return false;
	if (list_empty(&park->waiting)) {
		park->looks = 0;
		base_timer_arm(&park->timer, LOOK_NS);
	}
	parked->bucket = bucket;
	parked->bytes = bytes;
	memcpy(parked->record, record, bytes);
	list_add_tail(&parked->link, &park->waiting);
	park->bytes += bytes;
	hold(park, bucket);
	shm_count(&park->shm->stats.waited, 1);
	return true;
}

bool shm_park(struct wire_shm *shm, struct shm_peer *peer, const struct tp_run *run,
	      const void *record, size_t bytes)
{
	const uint32_t bucket = bucket_of(run);
	struct tp_port *port = shm_port_of(shm, run);
	struct shm_park *park = peer->park;
	const bool behind = park && park->count[bucket];

	/* Who sends to itself is not late: it may be waiting for the send to complete. */
	if (!peer->is.control)
		return false;
	if (!behind && !(port && tp_lacks_receive(port, run))) {
		if (park)
			park->given_up[bucket] = false;
		return false;
	}
	if (!behind && park && park->given_up[bucket])
		return false;
	park = park_of(shm, peer);
	if (park && put_aside(park, bucket, record, bytes))
		return true;
	shm_count(&shm->stats.dropped, 1);
	return behind; /* what cannot wait must not overtake either; others lose it by themselves */
}

/* Whether the oldest one need not wait any more. What finds no receive then is lost, and counted there. */
static bool may_go(struct shm_park *park, const struct tp_run *run)
{
	struct tp_port *port = shm_port_of(park->shm, run);

	if (!port || !tp_lacks_receive(port, run) || park->given_up[bucket_of(run)])
		return true;
	if (park->looks < LOOKS)
		return false;
	park->given_up[bucket_of(run)] = true;
	return true;
}

static bool take_one(struct shm_park *park)
{
	struct parked *parked = list_first_entry_or_null(&park->waiting, struct parked, link);
	struct shm_run_view view;

	/* It was read before, and what is in our own memory does not change. */
	if (!parked || shm_run_read(parked->record, parked->bytes, &view) ||
	    !may_go(park, &view.run))
		return false;
	list_del(&parked->link);
	park->looks = 0;
	park->bytes -= parked->bytes;
	shm_deliver(park->shm, park->peer, &view.run);
	let_go(park, parked->bucket);
	base_free(parked);
	return true;
}

unsigned int shm_unpark(struct shm_peer *peer)
{
	unsigned int taken = 0;

	while (take_one(peer->park))
		taken++;
	return taken;
}

void shm_park_free(struct shm_park *park)
{
	struct parked *parked, *next;

	if (!park)
		return;
	base_timer_disarm_sync(&park->timer);
	list_for_each_entry_safe(parked, next, &park->waiting, link)
		base_free(parked);
	base_free(park);
}
