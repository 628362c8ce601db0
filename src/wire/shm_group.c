// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Datagrams for groups: a copy for each process that has joined, and that copies get to. */
#include <errno.h>
#include <linux/rcupdate.h>

#include "wire/shm_priv.h"

static bool is_in(const struct directory *dir, uint32_t id, const uint64_t *spread)
{
	for (uint32_t n = 0; n < SHM_PORTS; n++) {
		const int slot = directory_slot(dir, dir->process[id].host, n / DIRECTORY_PORTS,
						n % DIRECTORY_PORTS);

		if (slot >= 0 && directory_in_spread(spread, (uint32_t)slot))
			return true;
	}
	return false;
}

/* The next member of a group from @id on, of those that copies get to. */
static int next_member(const struct shm_port *p, const struct tp_run *run, const uint64_t *spread,
		       uint32_t id)
{
	const struct directory *dir = p->shm->config.directory;
	int next = directory_next_member(dir, p->slot, run->path.dgid, id);

	while (unlikely(spread) && next >= 0 && !is_in(dir, (uint32_t)next, spread))
		next = directory_next_member(dir, p->slot, run->path.dgid, (uint32_t)next + 1);
	return next;
}

/* Whether all of them are there, so that none is left out for want of an introduction. */
static bool know_all(struct shm_port *p, const struct tp_run *run, const uint64_t *spread)
{
	struct wire_shm *shm = p->shm;
	bool all = true;

	rcu_read_lock();
	for (int id = next_member(p, run, spread, 0); id >= 0;
	     id = next_member(p, run, spread, (uint32_t)id + 1))
		if (!shm_find_peer(shm, (uint32_t)id) && shm_ask(shm, (uint32_t)id) == -EAGAIN)
			all = false;
	rcu_read_unlock();
	return all;
}

/*
 * A datagram for a group goes to each of its processes. Senders are told once, of our own copy; who
 * has no room for it loses it, as at a switch port that is full.
 */
int shm_send_to_group(struct shm_port *p, const struct tp_run *run, void *sender,
		      const uint64_t *spread)
{
	struct wire_shm *shm = p->shm;
	int ret;

	if (!know_all(p, run, spread))
		return -EAGAIN;
	ret = shm_send_to(p, shm->config.self, run, sender, NULL);
	if (ret < 0)
		return ret;
	for (int id = next_member(p, run, spread, 0); id >= 0;
	     id = next_member(p, run, spread, (uint32_t)id + 1))
		if ((uint32_t)id != shm->config.self &&
		    shm_send_to(p, (uint32_t)id, run, NULL, NULL) < 0)
			shm_count(&shm->stats.dropped, 1);
	return ret;
}
