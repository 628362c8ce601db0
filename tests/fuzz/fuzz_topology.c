// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Any text as a subnet: a plan whose cables have two ends, or a line inside it and a sentence. */
#include <stdint.h>

#include "base/check.h"
#include "fabric/topology.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check_node(const struct topology *t, uint32_t node)
{
	for (unsigned int port = 1; port <= t->node[node].config.ports; port++) {
		const struct subnet_at peer = t->node[node].peer[port];

		if (peer.node == TOPOLOGY_NO_NODE)
			continue;
		INVARIANT(peer.node < t->count && peer.port <= t->node[peer.node].config.ports);
		INVARIANT(t->node[peer.node].peer[peer.port].node == node &&
			  t->node[peer.node].peer[peer.port].port == port);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct topology_error error;
	struct topology *t;
	uint32_t lines = 1;

	for (size_t i = 0; i < count; i++)
		lines += bytes[i] == '\n';
	if (topology_parse((const char *)bytes, count, &t, &error)) {
		INVARIANT(error.text[0] && error.line <= lines);
		return 0;
	}
	INVARIANT(t->count && t->count <= TOPOLOGY_MAX_NODES);
	for (uint32_t node = 0; node < t->count; node++)
		check_node(t, node);
	topology_free(t);
	return 0;
}
