/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A subnet as text and as a plan: nodes, and who is cabled to whom. The text is what ibnetdiscover prints and
 * ibsim reads, so that a dump of a real cluster can be loaded; the other source is a generator.
 */
#ifndef FABRIC_TOPOLOGY_H
#define FABRIC_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fabric/subnet.h"

#define TOPOLOGY_NO_NODE UINT32_MAX
#define TOPOLOGY_MAX_NODES 0xbfffu /* each has a LID at least */

struct topology_name;

/**
 * struct topology_node - A node of the plan.
 * @config: What it is.
 * @name: What the text calls it, in quotes; unique.
 * @peer: By port number, from 1 on; @node is TOPOLOGY_NO_NODE where there is no cable.
 * @line: Where the text says so; 0: nowhere.
 */
struct topology_node {
	struct subnet_node_config config;
	char *name;
	struct subnet_at *peer;
	uint32_t line;
};

/**
 * struct topology - A plan.
 * @node: Its nodes, by number.
 * @count: How many.
 * @room: Of @node.
 * @names: Which name is whose.
 */
struct topology {
	struct topology_node *node;
	uint32_t count;
	uint32_t room;
	struct topology_name *names;
};

/**
 * struct topology_error - What is wrong.
 * @line: Of the text; 0: the plan as such.
 * @text: A sentence.
 */
struct topology_error {
	uint32_t line;
	char text[200];
};

/** topology_new() - A plan without nodes. Return: NULL without memory. */
struct topology *topology_new(void);

/** topology_free() - Give it back. @topology: May be NULL. */
void topology_free(struct topology *topology);

/**
 * topology_add() - A node without cables.
 * @topology: Plan.
 * @text: Its name; copied.
 * @bytes: Its length.
 * @config: Copied.
 * @number: Out: the node's.
 *
 * Return: 0; -EEXIST: the name is taken; -ENOSPC: there are TOPOLOGY_MAX_NODES; -EINVAL: no ports, or more
 *	than SUBNET_MAX_PORTS; -ENOMEM.
 */
int topology_add(struct topology *topology, const char *text, size_t bytes,
		 const struct subnet_node_config *config, uint32_t *number);

/** topology_find() - The node of a name; TOPOLOGY_NO_NODE if there is none. @text: @bytes of it. */
uint32_t topology_find(const struct topology *topology, const char *text, size_t bytes);

/**
 * topology_connect() - A cable; once more the same one is no error.
 * @topology: Plan.
 * @a: One end.
 * @b: The other.
 *
 * Return: 0; -EINVAL: no such port, or both are the same; -EBUSY: one of them has another cable.
 */
int topology_connect(struct topology *topology, struct subnet_at a, struct subnet_at b);

/** topology_links() - How many cables there are. */
uint32_t topology_links(const struct topology *topology);

/**
 * topology_parse() - Read the text.
 * @text: @bytes of it, any content.
 * @bytes: How many.
 * @topology: Out: the caller's.
 * @error: Out: what is wrong with it.
 *
 * Return: 0; -EINVAL: see @error; -ENOMEM.
 */
int topology_parse(const char *text, size_t bytes, struct topology **topology,
		   struct topology_error *error);

/**
 * topology_write() - Write the text, as ibnetdiscover does.
 * @topology: Plan, or what stands for a subnet.
 * @lid: LID of a port; NULL: none has one yet.
 * @ctx: Handed to @lid.
 * @out: Where to.
 */
void topology_write(const struct topology *topology,
		    uint16_t (*lid)(void *ctx, struct subnet_at at), void *ctx, FILE *out);

/**
 * topology_build() - Put it up.
 * @topology: Plan.
 * @subnet: Where.
 * @nodes: Out: numbers in @subnet by number of the plan, @topology->count of them; NULL if nobody asks.
 * @error: Out: which node cannot be.
 *
 * Return: 0; what subnet_add_node() or subnet_connect() return, with nothing of it left in @subnet.
 */
int topology_build(const struct topology *topology, struct subnet *subnet, uint32_t *nodes,
		   struct topology_error *error);

/* Generators. Return: the plan, the caller's; NULL without memory, or where a number is out of range. */

/** topology_pair() - Two hosts on a switch of 8 ports. */
struct topology *topology_pair(void);

/** topology_fat_tree() - Three levels of switches of @k ports: k^3/4 hosts, 5k^2/4 switches. @k: Even, 2 to 56. */
struct topology *topology_fat_tree(uint32_t k);

/**
 * topology_leaf_spine() - Two levels: every leaf has a cable to every spine.
 * @leaves: Switches with hosts.
 * @hosts: Of each leaf.
 * @spines: Switches without.
 */
struct topology *topology_leaf_spine(uint32_t leaves, uint32_t hosts, uint32_t spines);

/**
 * topology_dragonfly() - Groups of switches, all to all within and between.
 * @hosts: Of each switch.
 * @switches: Of each group.
 * @globals: Cables of a switch to other groups; there are switches * globals + 1 groups.
 */
struct topology *topology_dragonfly(uint32_t hosts, uint32_t switches, uint32_t globals);

/** topology_torus() - @x by @y by @z switches, a host on each; a size of 1 leaves a dimension out. */
struct topology *topology_torus(uint32_t x, uint32_t y, uint32_t z);

/** topology_ring() - @n switches in a circle, a host on each. */
struct topology *topology_ring(uint32_t n);

#endif
