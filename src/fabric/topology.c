// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The plan: nodes by number and by name, and their cables. */
#include "fabric/topology.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(bytes) base_alloc(bytes)
#define uthash_free(block, bytes) base_free(block)
#include <uthash.h>

#define FIRST_ROOM 64u

struct topology_name {
	UT_hash_handle hh;
	uint32_t node;
	uint32_t bytes;
	char text[];
};

struct topology *topology_new(void)
{
	return base_zalloc(sizeof(struct topology));
}

static void free_names(struct topology *t)
{
	struct topology_name *name, *next;

	HASH_ITER(hh, t->names, name, next)
	{
		HASH_DEL(t->names, name);
		base_free(name);
	}
}

void topology_free(struct topology *t)
{
	if (!t)
		return;
	free_names(t);
	for (uint32_t i = 0; i < t->count; i++)
		base_free(t->node[i].peer);
	base_free(t->node);
	base_free(t);
}

static int make_room(struct topology *t)
{
	const uint32_t room = t->room ? 2 * t->room : FIRST_ROOM;
	struct topology_node *node;

	if (t->count < t->room)
		return 0;
	node = base_realloc(t->node, room * sizeof(*node));
	if (!node)
		return -ENOMEM;
	t->node = node;
	t->room = room;
	return 0;
}

static struct topology_name *add_name(struct topology *t, const char *text, size_t bytes)
{
	struct topology_name *name = base_zalloc(sizeof(*name) + bytes + 1);

	if (!name)
		return NULL;
	name->node = t->count;
	name->bytes = (uint32_t)bytes;
	memcpy(name->text, text, bytes);
	HASH_ADD(hh, t->names, text, bytes, name);
	if (name->hh.tbl)
		return name;
	base_free(name);
	return NULL;
}

static void forget_peers(struct topology_node *node)
{
	for (unsigned int port = 0; port <= node->config.ports; port++)
		node->peer[port].node = TOPOLOGY_NO_NODE;
}

int topology_add(struct topology *t, const char *text, size_t bytes,
		 const struct subnet_node_config *config, uint32_t *number)
{
	struct topology_node node = {.config = *config};
	struct topology_name *name;

	if (!config->ports || config->ports > SUBNET_MAX_PORTS)
		return -EINVAL;
	if (topology_find(t, text, bytes) != TOPOLOGY_NO_NODE)
		return -EEXIST;
	if (t->count == TOPOLOGY_MAX_NODES)
		return -ENOSPC;
	if (make_room(t))
		return -ENOMEM;
	node.peer = base_zalloc_array(config->ports + 1u, sizeof(*node.peer));
	name = node.peer ? add_name(t, text, bytes) : NULL;
	if (!name) {
		base_free(node.peer);
		return -ENOMEM;
	}
	node.name = name->text;
	forget_peers(&node);
	*number = t->count;
	t->node[t->count++] = node;
	return 0;
}

uint32_t topology_find(const struct topology *t, const char *text, size_t bytes)
{
	struct topology_name *name;

	HASH_FIND(hh, t->names, text, bytes, name);
	return name ? name->node : TOPOLOGY_NO_NODE;
}

static struct subnet_at *peer_of(const struct topology *t, struct subnet_at at)
{
	if (at.node >= t->count || !at.port || at.port > t->node[at.node].config.ports)
		return NULL;
	return &t->node[at.node].peer[at.port];
}

static bool is_same(struct subnet_at a, struct subnet_at b)
{
	return a.node == b.node && a.port == b.port;
}

int topology_connect(struct topology *t, struct subnet_at a, struct subnet_at b)
{
	struct subnet_at *of_a = peer_of(t, a), *of_b = peer_of(t, b);

	if (!of_a || !of_b || is_same(a, b))
		return -EINVAL;
	if (is_same(*of_a, b) && is_same(*of_b, a))
		return 0;
	if (of_a->node != TOPOLOGY_NO_NODE || of_b->node != TOPOLOGY_NO_NODE)
		return -EBUSY;
	*of_a = b;
	*of_b = a;
	return 0;
}

uint32_t topology_links(const struct topology *t)
{
	uint32_t ends = 0;

	for (uint32_t i = 0; i < t->count; i++)
		for (unsigned int port = 1; port <= t->node[i].config.ports; port++)
			ends += t->node[i].peer[port].node != TOPOLOGY_NO_NODE;
	return ends / 2;
}
