// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Nodes, a line each; or one with its ports. */
#include "cli/show_fabric.h"

#include <stdio.h>
#include <string.h>

static const char *text(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "-";
}

static long long number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static bool is_switch(const json_t *node)
{
	return !strcmp(text(node, "type"), "switch");
}

static void print_faults(const json_t *port)
{
	if (json_is_true(json_object_get(port, "cut")))
		printf("  cut");
	if (number(port, "loss_ppm"))
		printf("  loss %lld ppm", number(port, "loss_ppm"));
	if (number(port, "delay_ns"))
		printf("  delay %lld ns", number(port, "delay_ns"));
}

/* The LID of a switch is that of its port 0. */
static void print_port(const json_t *port, bool has_lid)
{
	const json_t *peer = json_object_get(port, "peer");

	printf("  port %-3lld %-6s", number(port, "number"), text(port, "state"));
	if (has_lid && number(port, "lid"))
		printf(" lid %-5lld", number(port, "lid"));
	else
		printf("          ");
	printf(" %3s %-3s", text(port, "width"), text(port, "speed"));
	if (peer)
		printf(" to %s port %lld", text(peer, "name"), number(peer, "port"));
	print_faults(port);
	printf("\n");
}

static void print_counters(const json_t *port)
{
	const json_t *c = json_object_get(port, "counters");

	printf("           sent %lld packets, %lld words; received %lld, %lld\n",
	       number(c, "xmit_packets"), number(c, "xmit_data"), number(c, "rcv_packets"),
	       number(c, "rcv_data"));
	if (number(c, "link_downed") || number(c, "rcv_errors") || number(c, "relay_errors") ||
	    number(c, "xmit_discards"))
		printf("           link downed %lld, receive errors %lld, no way %lld, discarded %lld\n",
		       number(c, "link_downed"), number(c, "rcv_errors"), number(c, "relay_errors"),
		       number(c, "xmit_discards"));
}

static void print_head(const json_t *node)
{
	printf("%-6s %s%s", is_switch(node) ? "switch" : "host", text(node, "name"),
	       json_is_true(json_object_get(node, "killed")) ? "  without power" : "");
}

/* Of a switch how many of its ports are what. */
static void print_switch(const json_t *node)
{
	const json_t *port = json_array_get(json_object_get(node, "ports"), 0);

	print_head(node);
	printf("  lid %lld  %lld ports, %lld with a cable, %lld active\n", number(port, "lid"),
	       number(node, "port_count"), number(node, "cabled"), number(node, "active"));
}

static void print_ports(const json_t *node, bool counters)
{
	const json_t *port;
	size_t i;

	print_head(node);
	printf("  guid %s\n", text(node, "guid"));
	json_array_foreach(json_object_get(node, "ports"), i, port) {
		print_port(port, !is_switch(node) || !number(port, "number"));
		if (counters)
			print_counters(port);
	}
}

void show_fabric(const json_t *all, bool ports)
{
	const json_t *nodes = json_object_get(all, "nodes"), *node;
	size_t i;

	if (!ports)
		printf("fabric %s, daemon %lld: %zu nodes, %lld cables\n", text(all, "fabric"),
		       number(all, "pid"), json_array_size(nodes), number(all, "cables"));
	json_array_foreach(nodes, i, node) {
		if (is_switch(node) && !ports)
			print_switch(node);
		else
			print_ports(node, ports);
	}
}
