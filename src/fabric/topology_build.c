// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* A plan becomes a subnet. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "fabric/topology.h"

static int refuse(struct topology_error *error, const struct topology_node *node, int ret)
{
	error->line = node->line;
	snprintf(error->text, sizeof(error->text), "node \"%.80s\": %s", node->name,
		 ret == -EEXIST	  ? "another node has its GUID, or one of its ports'"
		 : ret == -EINVAL ? "no node is like this: type, number of ports, or a capability"
				  : strerror(-ret));
	return ret;
}

static int add_nodes(const struct topology *t, struct subnet *subnet, uint32_t *nodes,
		     uint32_t *added, struct topology_error *error)
{
	for (*added = 0; *added < t->count; ++*added) {
		const struct topology_node *node = &t->node[*added];
		const int ret = subnet_add_node(subnet, &node->config, &nodes[*added]);

		if (ret)
			return refuse(error, node, ret);
	}
	return 0;
}

/* Each cable is met at both its ends. */
static int connect_all(const struct topology *t, struct subnet *subnet, const uint32_t *nodes,
		       struct topology_error *error)
{
	for (uint32_t i = 0; i < t->count; i++)
		for (unsigned int port = 1; port <= t->node[i].config.ports; port++) {
			const struct subnet_at peer = t->node[i].peer[port];
			int ret;

			if (peer.node == TOPOLOGY_NO_NODE || peer.node < i ||
			    (peer.node == i && peer.port < port))
				continue;
			ret = subnet_connect(subnet, (struct subnet_at){nodes[i], (uint8_t)port},
					     (struct subnet_at){nodes[peer.node], peer.port});
			if (ret)
				return refuse(error, &t->node[i], ret);
		}
	return 0;
}

int topology_build(const struct topology *t, struct subnet *subnet, uint32_t *nodes,
		   struct topology_error *error)
{
	uint32_t *numbers = nodes ? nodes : base_zalloc_array(t->count, sizeof(*numbers));
	uint32_t added = 0;
	int ret;

	*error = (struct topology_error){.line = 0};
	if (!numbers)
		return -ENOMEM;
	ret = add_nodes(t, subnet, numbers, &added, error);
	if (!ret)
		ret = connect_all(t, subnet, numbers, error);
	while (ret && added > 0)
		subnet_remove_node(subnet, numbers[--added]);
	if (!nodes)
		base_free(numbers);
	return ret;
}
