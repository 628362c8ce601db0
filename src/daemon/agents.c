// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Agents of processes, in a table by port, class and version. */
#include "daemon/agents.h"

#include <errno.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <rdma/ib_mad.h>
#include <string.h>

#include "base/alloc.h"

#define BUCKETS 256u
#define METHODS 128u

struct agent {
	struct hlist_node link;
	uint32_t id;
	uint32_t slot;
	struct attach_agent is;
};

/**
 * struct agents - All of them.
 * @dir: Whose processes they are.
 * @lock: Of what follows. Leaf.
 * @bucket: By what bucket_of() says.
 * @count: By process: how many.
 */
struct agents {
	const struct directory *dir;
	spinlock_t lock;
	struct hlist_head bucket[BUCKETS];
	uint32_t count[DIRECTORY_PROCESSES];
};

struct agents *agents_new(const struct directory *dir)
{
	struct agents *agents = base_zalloc(sizeof(*agents));

	if (!agents)
		return NULL;
	agents->dir = dir;
	spin_lock_init(&agents->lock);
	return agents;
}

static struct hlist_head *bucket_of(struct agents *agents, uint32_t slot, uint8_t mgmt_class,
				    uint8_t class_version)
{
	return &agents->bucket[(slot * 31 + mgmt_class * 7u + class_version) % BUCKETS];
}

static void forget(struct agents *agents, struct agent *agent)
{
	hlist_del_init(&agent->link);
	agents->count[agent->id]--;
	base_free(agent);
}

/* Those of a process; @hi_tid: one of them, or 0 for all. */
static void forget_of(struct agents *agents, uint32_t id, uint32_t hi_tid)
{
	struct hlist_node *next;
	struct agent *agent;

	for (unsigned int i = 0; agents->count[id] && i < BUCKETS; i++)
		hlist_for_each_entry_safe(agent, next, &agents->bucket[i],
					  link) if (agent->id == id &&
						    (!hi_tid || agent->is.hi_tid == hi_tid))
			forget(agents, agent);
}

void agents_free(struct agents *agents)
{
	if (!agents)
		return;
	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++)
		forget_of(agents, id, 0);
	base_free(agents);
}

static bool is_subnet_class(uint8_t mgmt_class)
{
	return mgmt_class == IB_MGMT_CLASS_SUBN_LID_ROUTED ||
	       mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
}

static bool is_vendor_class(uint8_t mgmt_class)
{
	return mgmt_class >= IB_MGMT_CLASS_VENDOR_RANGE2_START &&
	       mgmt_class <= IB_MGMT_CLASS_VENDOR_RANGE2_END;
}

static bool makes_sense(const struct attach_agent *is, uint32_t id)
{
	return is->hi_tid >> ATTACH_TID_BITS == id && (is->hi_tid & ATTACH_TIDS) &&
	       is->qpn == !is_subnet_class(is->mgmt_class) && (is->methods[0] || is->methods[1]);
}

static bool has_oui(const struct agent *agent, const uint8_t oui[3])
{
	return !is_vendor_class(agent->is.mgmt_class) ||
	       !memcmp(agent->is.oui, oui, sizeof(agent->is.oui));
}

/* Who receives a method of a class. */
static const struct agent *find_locked(struct agents *agents, uint32_t slot, uint8_t mgmt_class,
				       uint8_t class_version, const uint8_t oui[3], uint32_t method)
	REQUIRES(agents->lock)
{
	const struct agent *agent;

	hlist_for_each_entry(
		agent, bucket_of(agents, slot, mgmt_class, class_version),
		link) if (agent->slot == slot && agent->is.mgmt_class == mgmt_class &&
			  agent->is.class_version == class_version && has_oui(agent, oui) &&
			  agent->is.methods[method / 64] >> (method % 64) & 1) return agent;
	return NULL;
}

static int check_free_locked(struct agents *agents, uint32_t slot, const struct attach_agent *is,
			     struct agents_holder *holder) REQUIRES(agents->lock)
{
	for (uint32_t method = 0; method < METHODS; method++) {
		const struct agent *other = NULL;

		if (is->methods[method / 64] >> (method % 64) & 1)
			other = find_locked(agents, slot, is->mgmt_class, is->class_version,
					    is->oui, method);
		if (!other)
			continue;
		*holder = (struct agents_holder){other->id, method};
		return -EINVAL;
	}
	return 0;
}

int agents_add(struct agents *agents, uint32_t id, uint32_t slot, const struct attach_agent *is,
	       struct agents_holder *holder)
{
	struct agent *agent;
	int ret;

	if (!makes_sense(is, id))
		return -EBADMSG;
	agent = base_zalloc(sizeof(*agent));
	if (!agent)
		return -ENOMEM;
	*agent = (struct agent){.id = id, .slot = slot, .is = *is};
	spin_lock(&agents->lock);
	forget_of(agents, id, is->hi_tid);
	ret = agents->count[id] < AGENTS_OF_PROCESS ? check_free_locked(agents, slot, is, holder)
						    : -ENOMEM;
	if (!ret) {
		hlist_add_head(&agent->link,
			       bucket_of(agents, slot, is->mgmt_class, is->class_version));
		agents->count[id]++;
	}
	spin_unlock(&agents->lock);
	if (ret)
		base_free(agent);
	return ret;
}

void agents_remove(struct agents *agents, uint32_t id, uint32_t hi_tid)
{
	spin_lock(&agents->lock);
	if (hi_tid)
		forget_of(agents, id, hi_tid);
	spin_unlock(&agents->lock);
}

void agents_gone(struct agents *agents, uint32_t id)
{
	spin_lock(&agents->lock);
	forget_of(agents, id, 0);
	spin_unlock(&agents->lock);
}

static int who_registered(struct agents *agents, uint32_t slot, const struct ib_mad_hdr *hdr)
{
	const struct ib_vendor_mad *vendor = (const struct ib_vendor_mad *)(const void *)hdr;
	const struct agent *agent;
	int id = -ENOENT;

	spin_lock(&agents->lock);
	agent = find_locked(agents, slot, hdr->mgmt_class, hdr->class_version, vendor->oui,
			    hdr->method % METHODS);
	if (agent)
		id = (int)agent->id;
	spin_unlock(&agents->lock);
	return id;
}

static int who_has_number(const struct directory *dir, uint32_t qpn)
{
	const uint32_t block = qpn >> DIRECTORY_QPN_BLOCK_BITS;

	if (block >= DIRECTORY_QPN_BLOCKS)
		return -ENOENT;
	return (int)__atomic_load_n(&dir->qpn_owner[block], __ATOMIC_ACQUIRE) - 1;
}

static bool is_on_host_of(const struct directory *dir, int id, uint32_t slot)
{
	const struct directory_process *p;

	if (id < 0 || id >= (int)DIRECTORY_PROCESSES)
		return false;
	p = &dir->process[id];
	return __atomic_load_n(&p->state, __ATOMIC_ACQUIRE) == DIRECTORY_ALIVE &&
	       __atomic_load_n(&p->host, __ATOMIC_RELAXED) == dir->slot_host[slot];
}

int agents_find(struct agents *agents, uint32_t slot, const struct subnet_mad *mad)
{
	const struct ib_mad_hdr *hdr = (const struct ib_mad_hdr *)(const void *)mad->data;
	int id;

	if (mad->dest_qpn > 1)
		id = who_has_number(agents->dir, mad->dest_qpn);
	else if (ib_response_mad(hdr))
		id = (int)(be64_to_cpu(hdr->tid) >> (32 + ATTACH_TID_BITS));
	else
		id = who_registered(agents, slot, hdr);
	return is_on_host_of(agents->dir, id, slot) ? id : -ENOENT;
}
