// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Who is attached where. One writer, many readers without locks. */
#include "fabric/directory.h"

#include <errno.h>
#include <string.h>

#include "base/check.h"

#define FIRST_BLOCK 1u /* numbers below are the port's own: QP 0 and QP 1 */

static void changed(struct directory *dir)
{
	__atomic_fetch_add(&dir->epoch, 1, __ATOMIC_RELEASE);
}

void directory_init(struct directory *dir, uint64_t subnet_prefix, uint64_t incarnation)
{
	dir->version = DIRECTORY_VERSION;
	dir->bytes = sizeof(*dir);
	dir->incarnation = incarnation;
	dir->next_block = FIRST_BLOCK;
	fabric_init(&dir->fabric, subnet_prefix);
	__atomic_store_n(&dir->magic, DIRECTORY_MAGIC, __ATOMIC_RELEASE);
}

bool directory_is_valid(const struct directory *dir, uint64_t bytes)
{
	return bytes >= sizeof(*dir) && dir->magic == DIRECTORY_MAGIC &&
	       dir->version == DIRECTORY_VERSION && dir->bytes == sizeof(*dir);
}

int directory_find_host(const struct directory *dir, const char *name)
{
	for (uint32_t i = 0; i < dir->host_count; i++)
		if (strncmp(dir->host[i].name, name, DIRECTORY_NAME) == 0)
			return (int)i;
	return -ENOENT;
}

int directory_add_host(struct directory *dir, const char *name)
{
	if (dir->host_count == DIRECTORY_HOSTS)
		return -ENOSPC;
	strncpy(dir->host[dir->host_count].name, name, DIRECTORY_NAME - 1);
	return (int)dir->host_count++;
}

static void remove_port(struct directory *dir, uint16_t *place)
{
	fabric_port_remove(&dir->fabric, *place - 1u);
	__atomic_store_n(place, 0, __ATOMIC_RELEASE);
}

static int add_port(struct directory *dir, uint32_t host, const struct fabric_port_config *config,
		    uint16_t *place)
{
	uint32_t slot;
	int ret = fabric_port_add(&dir->fabric, config, &slot);

	if (ret)
		return ret;
	__atomic_store_n(&dir->slot_host[slot], host, __ATOMIC_RELEASE);
	__atomic_store_n(place, (uint16_t)(slot + 1), __ATOMIC_RELEASE);
	return 0;
}

static int join_port(struct directory *dir, uint32_t host, uint64_t guid, uint16_t *place)
{
	uint32_t slot;
	int ret = fabric_port_join(&dir->fabric, guid, &slot);

	if (ret)
		return ret;
	__atomic_store_n(&dir->slot_host[slot], host, __ATOMIC_RELEASE);
	__atomic_store_n(place, (uint16_t)(slot + 1), __ATOMIC_RELEASE);
	return 0;
}

int directory_add_hca(struct directory *dir, uint32_t host, uint32_t index,
		      const struct directory_hca *hca)
{
	bool added[DIRECTORY_PORTS] = {false};
	uint16_t *place;
	int ret = 0;

	if (index >= DIRECTORY_HCAS || hca->ports > DIRECTORY_PORTS)
		return -EINVAL;
	place = dir->host[host].slot[index];
	for (uint32_t port = 0; port < hca->ports && !ret; port++) {
		if (place[port])
			continue;
		ret = add_port(dir, host, &hca->port[port], &place[port]);
		added[port] = !ret;
	}
	for (uint32_t port = 0; port < hca->ports; port++)
		if (ret && added[port])
			remove_port(dir, &place[port]);
	changed(dir);
	return ret;
}

int directory_join_hca(struct directory *dir, uint32_t host, uint32_t index, uint32_t count,
		       const uint64_t *guid)
{
	bool added[DIRECTORY_PORTS] = {false};
	uint16_t *place;
	int ret = 0;

	if (index >= DIRECTORY_HCAS || count > DIRECTORY_PORTS)
		return -EINVAL;
	place = dir->host[host].slot[index];
	for (uint32_t port = 0; port < count && !ret; port++) {
		if (place[port])
			continue;
		ret = join_port(dir, host, guid[port], &place[port]);
		added[port] = !ret;
	}
	for (uint32_t port = 0; port < count; port++)
		if (ret && added[port])
			remove_port(dir, &place[port]);
	changed(dir);
	return ret;
}

int directory_slot(const struct directory *dir, uint32_t host, uint32_t index, uint32_t port)
{
	uint16_t slot = 0;

	if (host < DIRECTORY_HOSTS && index < DIRECTORY_HCAS && port < DIRECTORY_PORTS)
		slot = __atomic_load_n(&dir->host[host].slot[index][port], __ATOMIC_ACQUIRE);
	return slot && slot <= FABRIC_PORTS ? slot - 1 : -ENOENT;
}

int directory_add_process(struct directory *dir, uint32_t host, int32_t pid, uint64_t start_time)
{
	for (uint32_t n = 0; n < DIRECTORY_PROCESSES; n++) {
		const uint32_t id = (dir->next_process + n) % DIRECTORY_PROCESSES;
		struct directory_process *p = &dir->process[id];

		if (p->state == DIRECTORY_ALIVE)
			continue;
		__atomic_store_n(&p->host, host, __ATOMIC_RELAXED);
		p->pid = pid;
		p->start_time = start_time;
		p->down = 0;
		__atomic_store_n(&p->generation, p->generation + 1, __ATOMIC_RELAXED);
		__atomic_store_n(&p->state, DIRECTORY_ALIVE, __ATOMIC_RELEASE);
		dir->next_process = (id + 1) % DIRECTORY_PROCESSES;
		changed(dir);
		return (int)id;
	}
	return -ENOSPC;
}

_Static_assert(DIRECTORY_HCAS *DIRECTORY_PORTS <= 32, "a bit each in &directory_process.down");

/* What processes of a host keep down, but for one. */
static uint32_t kept_down(const struct directory *dir, uint32_t host, uint32_t but)
{
	uint32_t down = 0;

	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++)
		if (id != but && dir->process[id].state == DIRECTORY_ALIVE &&
		    dir->process[id].host == host)
			down |= dir->process[id].down;
	return down;
}

uint32_t directory_kept_down(const struct directory *dir, uint32_t host)
{
	return kept_down(dir, host, DIRECTORY_PROCESSES);
}

int directory_set_link(struct directory *dir, uint32_t id, uint32_t index, uint32_t port, bool up)
{
	const uint32_t host = dir->process[id].host;
	const int slot = directory_slot(dir, host, index, port);
	bool is_new;

	if (slot < 0)
		return slot;
	for (uint32_t n = 0; up && n < DIRECTORY_PROCESSES; n++)
		if (dir->process[n].host == host)
			dir->process[n].down &= ~directory_port_bit(index, port);
	if (!up)
		dir->process[id].down |= directory_port_bit(index, port);
	is_new = !dir->managed && fabric_port_set_link(&dir->fabric, (uint32_t)slot, up);
	changed(dir);
	return is_new;
}

uint32_t directory_release_links(struct directory *dir, uint32_t id)
{
	struct directory_process *p = &dir->process[id];
	const uint32_t down = p->down & ~kept_down(dir, p->host, id);
	uint32_t came_up = 0;

	p->down = 0;
	for (uint32_t n = 0; down && n < DIRECTORY_HCAS * DIRECTORY_PORTS; n++) {
		const int slot =
			directory_slot(dir, p->host, n / DIRECTORY_PORTS, n % DIRECTORY_PORTS);

		if (down >> n & 1 && slot >= 0 && !dir->managed &&
		    fabric_port_set_link(&dir->fabric, (uint32_t)slot, true))
			came_up |= 1u << n;
	}
	changed(dir);
	return came_up;
}

static void leave_all(struct directory *dir, uint32_t id)
{
	for (uint32_t i = 0; i < DIRECTORY_GROUPS; i++)
		while (dir->group[i].used && dir->group[i].joined[id])
			(void)directory_leave(dir, id, dir->group[i].gid);
}

void directory_remove_process(struct directory *dir, uint32_t id)
{
	INVARIANT(id < DIRECTORY_PROCESSES && dir->process[id].state == DIRECTORY_ALIVE);
	(void)directory_release_links(dir, id);
	__atomic_store_n(&dir->process[id].state, DIRECTORY_DEAD, __ATOMIC_RELEASE);
	for (uint32_t block = 0; block < DIRECTORY_QPN_BLOCKS; block++)
		if (dir->qpn_owner[block] == id + 1) {
			__atomic_store_n(&dir->qpn_former[block], id + 1, __ATOMIC_RELEASE);
			__atomic_store_n(&dir->qpn_owner[block], 0, __ATOMIC_RELEASE);
		}
	leave_all(dir, id);
	changed(dir);
}

static void give_block(struct directory *dir, uint32_t id, uint32_t block)
{
	__atomic_store_n(&dir->qpn_owner[block], id + 1, __ATOMIC_RELEASE);
	changed(dir);
}

int directory_take_block(struct directory *dir, uint32_t id, uint32_t *first_qpn)
{
	const uint32_t count = DIRECTORY_QPN_BLOCKS - FIRST_BLOCK;

	for (uint32_t n = 0; n < count; n++) {
		const uint32_t block = FIRST_BLOCK + (dir->next_block - FIRST_BLOCK + n) % count;

		if (dir->qpn_owner[block])
			continue;
		give_block(dir, id, block);
		dir->next_block = block + 1 < DIRECTORY_QPN_BLOCKS ? block + 1 : FIRST_BLOCK;
		*first_qpn = block << DIRECTORY_QPN_BLOCK_BITS;
		return 0;
	}
	return -ENOSPC;
}

static bool is_group(const struct directory_group *g, const uint8_t gid[16])
{
	return __atomic_load_n(&g->used, __ATOMIC_ACQUIRE) &&
	       memcmp(g->gid, gid, sizeof(g->gid)) == 0;
}

/* Returns DIRECTORY_GROUPS if nobody has joined it. */
static uint32_t find_group(const struct directory *dir, const uint8_t gid[16])
{
	uint32_t i = 0;

	while (i < DIRECTORY_GROUPS && !is_group(&dir->group[i], gid))
		i++;
	return i;
}

static struct directory_group *make_group(struct directory *dir, const uint8_t gid[16])
{
	for (uint32_t i = 0; i < DIRECTORY_GROUPS; i++) {
		struct directory_group *g = &dir->group[i];

		if (g->used)
			continue;
		memcpy(g->gid, gid, sizeof(g->gid));
		__atomic_store_n(&g->used, 1, __ATOMIC_RELEASE);
		return g;
	}
	return NULL;
}

int directory_join(struct directory *dir, uint32_t id, const uint8_t gid[16])
{
	const uint32_t i = find_group(dir, gid);
	struct directory_group *g = i < DIRECTORY_GROUPS ? &dir->group[i] : make_group(dir, gid);

	if (!g || g->joined[id] == UINT16_MAX)
		return -ENOSPC;
	__atomic_store_n(&g->joined[id], (uint16_t)(g->joined[id] + 1), __ATOMIC_RELEASE);
	changed(dir);
	return 0;
}

static bool is_empty(const struct directory_group *g)
{
	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++)
		if (g->joined[id])
			return false;
	return true;
}

int directory_leave(struct directory *dir, uint32_t id, const uint8_t gid[16])
{
	const uint32_t i = find_group(dir, gid);
	struct directory_group *g = &dir->group[i];

	if (i == DIRECTORY_GROUPS || !g->joined[id])
		return -ENOENT;
	__atomic_store_n(&g->joined[id], (uint16_t)(g->joined[id] - 1), __ATOMIC_RELEASE);
	if (is_empty(g))
		__atomic_store_n(&g->used, 0, __ATOMIC_RELEASE);
	changed(dir);
	return 0;
}

int directory_owner(const struct directory *dir, uint32_t slot, uint32_t qpn)
{
	const uint32_t block = qpn >> DIRECTORY_QPN_BLOCK_BITS;
	uint32_t owner = 0;

	if (block < DIRECTORY_QPN_BLOCKS)
		owner = __atomic_load_n(&dir->qpn_owner[block], __ATOMIC_ACQUIRE);
	if (!owner || owner > DIRECTORY_PROCESSES ||
	    dir->process[owner - 1].host !=
		    __atomic_load_n(&dir->slot_host[slot], __ATOMIC_ACQUIRE))
		return -ENOENT;
	return (int)(owner - 1);
}

int directory_find(const struct directory *dir, uint32_t from_slot, uint16_t dlid, uint32_t qpn)
{
	const int slot = fabric_route(&dir->fabric, from_slot, dlid);

	return slot < 0 ? slot : directory_owner(dir, (uint32_t)slot, qpn);
}

/* By any of its ports: which of them the packet is for is looked at where it arrives. */
static bool can_reach(const struct directory *dir, uint32_t from_slot, uint32_t host)
{
	for (uint32_t n = 0; n < DIRECTORY_HCAS * DIRECTORY_PORTS; n++) {
		const int slot =
			directory_slot(dir, host, n / DIRECTORY_PORTS, n % DIRECTORY_PORTS);

		if (slot >= 0 && fabric_can_reach(&dir->fabric, from_slot, (uint32_t)slot))
			return true;
	}
	return false;
}

int directory_find_dead(const struct directory *dir, uint32_t qpn)
{
	const uint32_t block = qpn >> DIRECTORY_QPN_BLOCK_BITS;
	uint32_t former = 0;

	if (block < DIRECTORY_QPN_BLOCKS &&
	    !__atomic_load_n(&dir->qpn_owner[block], __ATOMIC_ACQUIRE))
		former = __atomic_load_n(&dir->qpn_former[block], __ATOMIC_ACQUIRE);
	if (!former || former > DIRECTORY_PROCESSES ||
	    __atomic_load_n(&dir->process[former - 1].state, __ATOMIC_ACQUIRE) != DIRECTORY_DEAD)
		return -ENOENT;
	return (int)(former - 1);
}

int directory_next_member(const struct directory *dir, uint32_t from_slot, const uint8_t gid[16],
			  uint32_t id)
{
	const uint32_t i = find_group(dir, gid);

	if (i == DIRECTORY_GROUPS)
		return -ENOENT;
	for (; id < DIRECTORY_PROCESSES; id++)
		if (__atomic_load_n(&dir->group[i].joined[id], __ATOMIC_ACQUIRE) &&
		    can_reach(dir, from_slot, dir->process[id].host))
			return (int)id;
	return -ENOENT;
}

bool directory_any_alive(const struct directory *dir)
{
	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++)
		if (dir->process[id].state == DIRECTORY_ALIVE)
			return true;
	return false;
}

/* A port is a host's if each says so of the other; what was not finished is nobody's. */
static void repair_ports(struct directory *dir)
{
	static bool owned[FABRIC_PORTS];

	memset(owned, 0, sizeof(owned));
	for (uint32_t host = 0; host < dir->host_count; host++) {
		uint16_t *place = &dir->host[host].slot[0][0];

		dir->host[host].name[DIRECTORY_NAME - 1] = 0;
		for (uint32_t i = 0; i < DIRECTORY_HCAS * DIRECTORY_PORTS; i++) {
			const uint32_t slot = place[i] - 1u;

			if (slot < FABRIC_PORTS && dir->fabric.ports[slot].used &&
			    dir->slot_host[slot] == host && !owned[slot])
				owned[slot] = true;
			else
				__atomic_store_n(&place[i], 0, __ATOMIC_RELEASE);
		}
	}
	for (uint32_t slot = 0; slot < FABRIC_PORTS; slot++)
		dir->fabric.ports[slot].used = owned[slot];
}

static void repair_processes(struct directory *dir)
{
	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++) {
		struct directory_process *p = &dir->process[id];

		if (p->host >= dir->host_count) {
			p->host = 0;
			__atomic_store_n(&p->state, DIRECTORY_DEAD, __ATOMIC_RELEASE);
		}
	}
	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++)
		if (dir->process[id].state != DIRECTORY_ALIVE)
			(void)directory_release_links(dir, id);
	for (uint32_t block = 0; block < DIRECTORY_QPN_BLOCKS; block++) {
		const uint32_t owner = dir->qpn_owner[block];

		if (owner > DIRECTORY_PROCESSES ||
		    (owner && dir->process[owner - 1].state != DIRECTORY_ALIVE))
			__atomic_store_n(&dir->qpn_owner[block], 0, __ATOMIC_RELEASE);
	}
}

static void repair_groups(struct directory *dir)
{
	for (uint32_t i = 0; i < DIRECTORY_GROUPS; i++) {
		struct directory_group *g = &dir->group[i];

		for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++)
			if (dir->process[id].state != DIRECTORY_ALIVE)
				__atomic_store_n(&g->joined[id], 0, __ATOMIC_RELEASE);
		if (is_empty(g))
			__atomic_store_n(&g->used, 0, __ATOMIC_RELEASE);
	}
}

bool directory_repair(struct directory *dir, uint64_t bytes)
{
	if (!directory_is_valid(dir, bytes) || dir->host_count > DIRECTORY_HOSTS)
		return false;
	repair_ports(dir);
	if (!fabric_repair(&dir->fabric, dir->managed != 0))
		return false;
	repair_processes(dir);
	repair_groups(dir);
	if (dir->managed)
		directory_repair_ways(&dir->ways);
	if (dir->next_block < FIRST_BLOCK || dir->next_block >= DIRECTORY_QPN_BLOCKS)
		dir->next_block = FIRST_BLOCK;
	dir->next_process %= DIRECTORY_PROCESSES;
	changed(dir);
	return true;
}
