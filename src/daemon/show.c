// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The subnet for people and their scripts: nodes, ports, what they have counted. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cause.h"
#include "daemon/subnet.h"
#include "fabric/topology.h"

#define ACTIVE 4u

static const char *const states[] = {"?", "DOWN", "INIT", "ARMED", "ACTIVE"};
static const char *const physical[] = {"?",	   "SLEEP",   "POLLING",  "DISABLED",
				       "TRAINING", "LINK_UP", "RECOVERY", "TEST"};
static const char *const types[] = {"?", "CA", "switch", "router"};

static const char *word(const char *const *words, size_t count, unsigned int which)
{
	return words[which < count ? which : 0];
}

#define WORD(words, which) word(words, sizeof(words) / sizeof((words)[0]), which)

static const char *width_of(uint8_t width)
{
	switch (width) {
	case 1:
		return "1X";
	case 2:
		return "4X";
	case 4:
		return "8X";
	case 8:
		return "12X";
	case 16:
		return "2X";
	default:
		return "-";
	}
}

static const char *speed_of(uint16_t speed)
{
	static const char *const names[] = {"SDR", "DDR", "QDR", "?", "FDR", "EDR", "HDR", "NDR"};

	return speed ? WORD(names, (unsigned int)__builtin_ctz(speed)) : "-";
}

/* A description may be of any bytes. */
static json_t *text_of(const char *text, size_t most)
{
	char clean[SUBNET_DESCRIPTION_BYTES + 1];
	size_t n = 0;

	for (; n < most && n < sizeof(clean) - 1 && text[n]; n++)
		clean[n] = (char)(text[n] < ' ' || text[n] > '~' ? '?' : text[n]);
	clean[n] = '\0';
	return json_string(clean);
}

static json_t *name_of(const struct topology_node *node)
{
	return text_of(node->config.description, sizeof(node->config.description));
}

static json_t *guid_of(uint64_t guid)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%016llx", (unsigned long long)guid);
	return json_string(text);
}

/* JSON's integers have a sign. */
static json_t *count_of(uint64_t count)
{
	return json_integer((json_int_t)(count & INT64_MAX));
}

static json_t *counters_of(const struct server *s, struct subnet_at at)
{
	struct subnet_counters c = {.xmit_data = 0};

	(void)subnet_query_counters(server_subnet(s), at, &c);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "xmit_data",
			 count_of(c.xmit_data), "rcv_data", count_of(c.rcv_data), "xmit_packets",
			 count_of(c.xmit_packets), "rcv_packets", count_of(c.rcv_packets),
			 "link_downed", count_of(c.link_downed), "rcv_errors",
			 count_of(c.rcv_errors), "relay_errors", count_of(c.relay_errors),
			 "xmit_discards", count_of(c.xmit_discards));
}

/* What is at the other end, and what is wrong with the cable. */
static void add_cable(const struct server *s, uint32_t index, uint8_t port, json_t *to)
{
	const struct topology *plan = device_managed_plan(s->subnet->managed);
	const struct subnet_at peer = plan->node[index].peer[port];
	const struct server_cable *cable = broken_find(s, index, port);

	json_object_set_new(to, "peer",
			    json_pack("{s:o, s:s, s:i}", "name", name_of(&plan->node[peer.node]),
				      "id", plan->node[peer.node].name, "port", (int)peer.port));
	json_object_set_new(to, "cut", json_boolean(cable && cable->cut));
	json_object_set_new(to, "loss_ppm", count_of(cable ? cable->faults.loss_ppm : 0));
	json_object_set_new(to, "delay_ns", count_of(cable ? cable->faults.delay_ns : 0));
}

static json_t *port_of(const struct server *s, uint32_t index, uint8_t number)
{
	const struct topology *plan = device_managed_plan(s->subnet->managed);
	const struct subnet_at at = {device_managed_node(s->subnet->managed, index), number};
	struct subnet_port_view view;
	json_t *port;

	if (subnet_query_port(server_subnet(s), at, &view))
		return NULL;
	port = json_pack("{s:i, s:o, s:i, s:i, s:s, s:s, s:s, s:s, s:o}", "number", (int)number,
			 "guid", guid_of(view.guid), "lid", (int)view.lid, "sm_lid",
			 (int)view.sm_lid, "state", WORD(states, view.state), "physical",
			 WORD(physical, view.phys_state), "width", width_of(view.width_active),
			 "speed", speed_of(view.speed_active), "counters", counters_of(s, at));
	if (number && plan->node[index].peer[number].node != TOPOLOGY_NO_NODE)
		add_cable(s, index, number, port);
	return port;
}

/* Ports of a switch without a cable are not worth a word. */
static json_t *ports_of(const struct server *s, uint32_t index, bool brief)
{
	const struct topology_node *node = &device_managed_plan(s->subnet->managed)->node[index];
	const bool is_switch = node->config.type == SUBNET_SWITCH;
	json_t *ports = json_array();

	if (is_switch)
		json_array_append_new(ports, port_of(s, index, 0));
	for (uint32_t port = 1; port <= node->config.ports && !(is_switch && brief); port++)
		if (node->peer[port].node != TOPOLOGY_NO_NODE || !is_switch)
			json_array_append_new(ports, port_of(s, index, (uint8_t)port));
	return ports;
}

static int count_active(const struct server *s, uint32_t index)
{
	const struct topology *plan = device_managed_plan(s->subnet->managed);
	struct subnet_at at = {device_managed_node(s->subnet->managed, index), 1};
	struct subnet_port_view view;
	int active = 0;

	for (uint32_t port = 1; port <= plan->node[index].config.ports; port++) {
		at.port = (uint8_t)port;
		active += !subnet_query_port(server_subnet(s), at, &view) && view.state == ACTIVE;
	}
	return active;
}

static int count_cables(const struct topology_node *node)
{
	int count = 0;

	for (uint32_t port = 1; port <= node->config.ports; port++)
		count += node->peer[port].node != TOPOLOGY_NO_NODE;
	return count;
}

static json_t *node_of(const struct server *s, uint32_t index, bool brief)
{
	const struct topology_node *node = &device_managed_plan(s->subnet->managed)->node[index];
	const bool killed = s->subnet->killed && s->subnet->killed[index];

	return json_pack("{s:o, s:s, s:s, s:o, s:i, s:i, s:i, s:b, s:o}", "name", name_of(node),
			 "id", node->name, "type", WORD(types, node->config.type), "guid",
			 guid_of(node->config.guid), "port_count", (int)node->config.ports,
			 "cabled", count_cables(node), "active", count_active(s, index), "killed",
			 (int)killed, "ports", ports_of(s, index, brief));
}

static json_t *all_of(const struct server *s, int only, bool brief)
{
	const struct topology *plan = device_managed_plan(s->subnet->managed);
	json_t *nodes = json_array();

	for (uint32_t i = 0; i < plan->count; i++)
		if (only < 0 || i == (uint32_t)only)
			json_array_append_new(nodes, node_of(s, i, brief));
	return json_pack("{s:s, s:i, s:i, s:I, s:o}", "fabric", s->config.fabric, "pid",
			 (int)getpid(), "cables", (int)topology_links(plan), "lost_mads",
			 (json_int_t)__atomic_load_n(&s->mads.lost, __ATOMIC_RELAXED), "nodes",
			 nodes);
}

int command_show(struct server *s, const char *node, bool brief)
{
	const int only = *node ? device_managed_find_node(s->subnet->managed, node) : -1;
	json_t *all;
	int fd;

	if (*node && only < 0)
		return only;
	ways_collect(s->subnet->ways);
	all = all_of(s, only, brief && only < 0);
	fd = status_file("verbena-fabric", all);
	json_decref(all);
	return fd < 0 ? base_refuse(fd, ATTACH_MEMORY, (uint64_t)-fd) : fd;
}
