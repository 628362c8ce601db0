// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What is broken in the subnet: cables that were cut or impaired, hosts without power. It is written down in a file,
 * a line each, for the next daemon. Nodes have their numbers in the plan there, for that is read from the same text.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "daemon/subnet.h"
#include "fabric/topology.h"

#define MOST_PPM 1000000u
#define MOST_DELAY_NS 60000000000u

static const struct topology *plan_of(const struct server *s)
{
	return device_managed_plan(s->subnet->managed);
}

static bool has_cable(const struct server *s, uint32_t node, uint32_t port)
{
	const struct topology *plan = plan_of(s);

	return node < plan->count && port && port <= plan->node[node].config.ports &&
	       plan->node[node].peer[port].node != TOPOLOGY_NO_NODE;
}

/* A cable is known by one of its ends. */
static struct subnet_at end_of(const struct server *s, uint32_t node, uint8_t port)
{
	const struct subnet_at peer = plan_of(s)->node[node].peer[port];

	if (peer.node < node || (peer.node == node && peer.port < port))
		return peer;
	return (struct subnet_at){node, port};
}

static struct server_cable *find(const struct server *s, uint32_t node, uint8_t port)
{
	const struct subnet_at end = end_of(s, node, port);
	struct server_subnet *n = s->subnet;

	for (uint32_t i = 0; i < n->cables; i++)
		if (n->cable[i].node == end.node && n->cable[i].port == end.port)
			return &n->cable[i];
	return NULL;
}

const struct server_cable *broken_find(const struct server *s, uint32_t node, uint8_t port)
{
	return has_cable(s, node, port) ? find(s, node, port) : NULL;
}

static struct server_cable *add(struct server *s, uint32_t node, uint8_t port)
{
	const struct subnet_at end = end_of(s, node, port);
	struct server_subnet *n = s->subnet;
	struct server_cable *cable = find(s, node, port);

	if (cable)
		return cable;
	if (n->cables == n->room) {
		const uint32_t room = n->room ? 2 * n->room : 16;

		cable = base_realloc(n->cable, room * sizeof(*cable));
		if (!cable)
			return NULL;
		n->cable = cable;
		n->room = room;
	}
	n->cable[n->cables] = (struct server_cable){.node = end.node, .port = end.port};
	return &n->cable[n->cables++];
}

static void drop_if_whole(struct server_subnet *n, struct server_cable *cable)
{
	if (!cable->cut && !cable->faults.loss_ppm && !cable->faults.delay_ns)
		*cable = n->cable[--n->cables];
}

static bool has_power(const struct server *s, uint32_t node)
{
	return !s->subnet->killed || !s->subnet->killed[node];
}

/* Whether a process of the host keeps it down. */
static bool is_kept_down(const struct server *s, struct subnet_at at)
{
	const int slot = server_subnet_slot(s, at);
	uint32_t hca, port;

	return slot >= 0 && server_subnet_find_port(s, (uint32_t)slot, &hca, &port) &&
	       directory_kept_down(s->directory, s->directory->slot_host[slot]) &
		       directory_port_bit(hca, port);
}

void broken_apply(struct server *s, uint32_t node, uint8_t port)
{
	const struct device_managed *m = s->subnet->managed;
	const struct server_cable *cable;
	struct subnet_at at, far;
	uint32_t peer;
	bool whole;

	if (!has_cable(s, node, port))
		return;
	peer = plan_of(s)->node[node].peer[port].node;
	at = (struct subnet_at){device_managed_node(m, node), port};
	far = (struct subnet_at){device_managed_node(m, peer),
				 plan_of(s)->node[node].peer[port].port};
	cable = find(s, node, port);
	whole = !(cable && cable->cut) && has_power(s, node) && has_power(s, peer) &&
		!is_kept_down(s, at) && !is_kept_down(s, far);
	(void)subnet_set_link(server_subnet(s), at, whole);
}

static void impair(struct server *s, uint32_t node, uint8_t port)
{
	const struct server_cable *cable = find(s, node, port);
	const struct subnet_link_faults none = {.loss_ppm = 0};
	const struct subnet_at at = {device_managed_node(s->subnet->managed, node), port};

	(void)subnet_set_link_faults(server_subnet(s), at, cable ? &cable->faults : &none);
}

static void apply_node(struct server *s, uint32_t node)
{
	for (uint32_t port = 1; port <= plan_of(s)->node[node].config.ports; port++)
		broken_apply(s, node, (uint8_t)port);
}

static void write_all(const struct server_subnet *n, uint32_t nodes, FILE *out)
{
	for (uint32_t i = 0; i < n->cables; i++)
		fprintf(out, "cable %u %u %d %u %" PRIu64 "\n", n->cable[i].node, n->cable[i].port,
			n->cable[i].cut, n->cable[i].faults.loss_ppm, n->cable[i].faults.delay_ns);
	for (uint32_t i = 0; n->killed && i < nodes; i++)
		if (n->killed[i])
			fprintf(out, "killed %u\n", i);
}

/* What is there is whole, whenever we die. */
static int save(const struct server *s)
{
	const struct topology_path part = topology_path(s->path, TOPOLOGY_BROKEN_NEW);
	const struct topology_path kept = topology_path(s->path, TOPOLOGY_BROKEN);
	FILE *out = fopen(part.text, "we");
	int ret = out ? 0 : -errno;

	if (out) {
		write_all(s->subnet, plan_of(s)->count, out);
		ret = ferror(out) ? -EIO : 0;
		if (fclose(out) && !ret)
			ret = -errno;
	}
	if (!ret && rename(part.text, kept.text))
		ret = -errno;
	if (!ret)
		return 0;
	(void)unlink(part.text);
	return base_refuse(ret, FABRIC_MEMORY, (uint64_t)-ret);
}

static int check(const struct server *s, int node, uint32_t port, enum attach_fabric what,
		 uint64_t value)
{
	if (node < 0)
		return node;
	if (port > SUBNET_MAX_PORTS || !has_cable(s, (uint32_t)node, port))
		return base_refuse(-ENOENT, TOPOLOGY_NO_CABLE, port);
	if ((what == ATTACH_FABRIC_LOSS && value > MOST_PPM) ||
	    (what == ATTACH_FABRIC_DELAY && value > MOST_DELAY_NS))
		return base_refuse(-EINVAL, FABRIC_VALUE, MOST_PPM, MOST_DELAY_NS / 1000000000u);
	return 0;
}

static void change(struct server_cable *cable, enum attach_fabric what, uint64_t value)
{
	if (what == ATTACH_FABRIC_CUT)
		cable->cut = true;
	else if (what == ATTACH_FABRIC_LOSS)
		cable->faults.loss_ppm = (uint32_t)value;
	else if (what == ATTACH_FABRIC_DELAY)
		cable->faults.delay_ns = value;
	else
		*cable = (struct server_cable){.node = cable->node, .port = cable->port};
}

int broken_set_cable(struct server *s, const char *node, uint32_t port, enum attach_fabric what,
		     uint64_t value)
{
	const int index = device_managed_find_node(s->subnet->managed, node);
	const int ret = check(s, index, port, what, value);
	struct server_cable *cable;

	if (ret)
		return ret;
	cable = add(s, (uint32_t)index, (uint8_t)port);
	if (!cable)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*cable));
	change(cable, what, value);
	drop_if_whole(s->subnet, cable);
	broken_apply(s, (uint32_t)index, (uint8_t)port);
	impair(s, (uint32_t)index, (uint8_t)port);
	return save(s);
}

static int make_killed(struct server *s)
{
	struct server_subnet *n = s->subnet;

	if (!n->killed)
		n->killed = base_zalloc_array(plan_of(s)->count, sizeof(*n->killed));
	return n->killed ? 0 : base_refuse(-ENOMEM, NO_MEMORY, plan_of(s)->count);
}

int broken_set_host(struct server *s, const char *host, bool killed)
{
	const struct device_managed *m = s->subnet->managed;
	int index = *host ? device_managed_adapter(m, host, 0) : -ENOENT, ret;

	if (index < 0)
		return server_subnet_refuse_host(s);
	ret = make_killed(s);
	for (uint32_t nth = 0; !ret && index >= 0; nth++) {
		s->subnet->killed[index] = killed;
		index = device_managed_adapter(m, host, nth + 1);
	}
	for (uint32_t nth = 0; !ret && (index = device_managed_adapter(m, host, nth)) >= 0; nth++)
		apply_node(s, (uint32_t)index);
	return ret ? ret : save(s);
}

static void load_line(struct server *s, const char *line)
{
	struct server_cable read, *cable;
	uint32_t node, port;
	int cut;

	if (sscanf(line, "killed %" SCNu32, &node) == 1) {
		if (node < plan_of(s)->count && !make_killed(s))
			s->subnet->killed[node] = true;
		return;
	}
	if (sscanf(line, "cable %" SCNu32 " %" SCNu32 " %d %" SCNu32 " %" SCNu64, &node, &port,
		   &cut, &read.faults.loss_ppm, &read.faults.delay_ns) != 5 ||
	    port > SUBNET_MAX_PORTS || !has_cable(s, node, port) ||
	    read.faults.loss_ppm > MOST_PPM || read.faults.delay_ns > MOST_DELAY_NS)
		return;
	cable = add(s, node, (uint8_t)port);
	if (!cable)
		return;
	cable->cut = cut != 0;
	cable->faults = read.faults;
	drop_if_whole(s->subnet, cable);
}

void broken_load(struct server *s)
{
	const struct topology_path kept = topology_path(s->path, TOPOLOGY_BROKEN);
	struct server_subnet *n = s->subnet;
	FILE *in = s->config.topology ? NULL : fopen(kept.text, "re");
	char line[128];

	while (in && fgets(line, sizeof(line), in))
		load_line(s, line);
	if (in)
		fclose(in);
	for (uint32_t i = 0; i < n->cables; i++) {
		broken_apply(s, n->cable[i].node, n->cable[i].port);
		impair(s, n->cable[i].node, n->cable[i].port);
	}
	for (uint32_t i = 0; n->killed && i < plan_of(s)->count; i++)
		if (n->killed[i])
			apply_node(s, i);
	for (uint32_t slot = 0; slot < FABRIC_PORTS; slot++)
		if (n->adapter[slot])
			broken_apply(s, n->adapter[slot] - 1, server_subnet_at(s, slot).port);
}

void broken_free(struct server_subnet *n)
{
	base_free(n->cable);
	base_free(n->killed);
}
