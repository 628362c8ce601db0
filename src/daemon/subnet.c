// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Whose ports are which of the subnet's, and what becomes of what it says. */
#include "daemon/subnet.h"

#include <errno.h>
#include <linux/err.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "fabric/topology.h"

#define MOST_LISTED 30u /* characters of the hosts that a cause names */
#define BITS 64u

struct subnet *server_subnet(const struct server *s)
{
	return device_managed_subnet(s->subnet->managed);
}

struct subnet_at server_subnet_at(const struct server *s, uint32_t slot)
{
	return device_managed_at(s->subnet->managed, slot);
}

int server_subnet_slot(const struct server *s, struct subnet_at at)
{
	const int slot = device_managed_slot(s->subnet->managed, at);

	return slot >= 0 && s->directory->slot_host[slot] != DIRECTORY_NO_HOST ? slot : -ENOENT;
}

bool server_subnet_find_port(const struct server *s, uint32_t slot, uint32_t *hca, uint32_t *port)
{
	const uint32_t host = s->directory->slot_host[slot];

	for (uint32_t n = 0; host != DIRECTORY_NO_HOST && n < DIRECTORY_HCAS * DIRECTORY_PORTS;
	     n++) {
		*hca = n / DIRECTORY_PORTS;
		*port = n % DIRECTORY_PORTS;
		if (directory_slot(s->directory, host, *hca, *port) == (int)slot)
			return true;
	}
	return false;
}

static void tell_host(const struct server *s, uint32_t slot, uint32_t what, bool up)
{
	uint32_t hca, port;

	if (what && server_subnet_find_port(s, slot, &hca, &port))
		client_tell_port(s, s->directory->slot_host[slot], hca, port, what, up);
}

/*
 * Down and Init are the same to a process, and it takes several steps to become Active, all of which may be told when
 * the last one is done. A link that was down meanwhile has been so all the same.
 */
static void tell_change(struct server *s, uint32_t slot, uint32_t what, bool was_up)
{
	const bool up = s->directory->fabric.ports[slot].up;
	struct subnet_counters counters = {.link_downed = 0};
	bool was_down;

	(void)subnet_query_counters(server_subnet(s), server_subnet_at(s, slot), &counters);
	was_down = s->subnet->downs[slot] != counters.link_downed;
	s->subnet->downs[slot] = counters.link_downed;
	if (what & SUBNET_CHANGED_STATE && was_up && up && was_down)
		tell_host(s, slot, SUBNET_CHANGED_STATE, false);
	else if (was_up == up)
		what &= ~SUBNET_CHANGED_STATE;
	tell_host(s, slot, what, up);
}

void server_subnet_refresh(struct server *s, uint32_t slot, uint32_t what)
{
	const struct topology *plan = device_managed_plan(s->subnet->managed);
	const uint32_t adapter = s->subnet->adapter[slot] - 1;
	const bool was_up = s->directory->fabric.ports[slot].up;
	struct directory_view view;

	directory_see(server_subnet(s), server_subnet_at(s, slot), &view);
	view.node_guid = plan->node[adapter].config.guid;
	directory_write_view(s->directory, slot, &view);
	tell_change(s, slot, what, was_up);
}

static void tell_slot(struct server_subnet *n, uint32_t slot)
{
	server_subnet_refresh(n->s, slot, __atomic_exchange_n(&n->what[slot], 0, __ATOMIC_ACQ_REL));
}

static void tell(struct server *s, struct later *later)
{
	struct server_subnet *n = s->subnet;

	(void)later;
	__atomic_store_n(&n->telling, false, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < FABRIC_PORTS / BITS; i++) {
		uint64_t changed = __atomic_exchange_n(&n->changed[i], 0, __ATOMIC_SEQ_CST);

		for (; changed; changed &= changed - 1)
			tell_slot(n, i * BITS + (uint32_t)__builtin_ctzll(changed));
	}
}

static void reroute(struct server *s, struct later *later)
{
	struct server_subnet *n = s->subnet;

	(void)later;
	__atomic_store_n(&n->rerouting, false, __ATOMIC_SEQ_CST);
	if (n->ways)
		ways_refresh(n->ways);
}

static void soon(struct server_subnet *n, struct later *later, bool *queued)
{
	if (!__atomic_exchange_n(queued, true, __ATOMIC_SEQ_CST))
		server_later(n->s, later);
}

static void changed(void *ctx, uint32_t slot, uint32_t what)
{
	struct server_subnet *n = ctx;

	__atomic_fetch_or(&n->what[slot], what, __ATOMIC_SEQ_CST);
	__atomic_fetch_or(&n->changed[slot / BITS], 1ull << slot % BITS, __ATOMIC_SEQ_CST);
	soon(n, &n->tell, &n->telling);
}

static void rerouted(void *ctx)
{
	struct server_subnet *n = ctx;

	soon(n, &n->reroute, &n->rerouting);
}

/* Any thread, and before there are any. */
static void collect(void *ctx)
{
	struct server_subnet *n = ctx;
	struct ways *ways = __atomic_load_n(&n->ways, __ATOMIC_ACQUIRE);

	if (ways)
		ways_collect(ways);
}

static bool deliver(void *ctx, uint32_t slot, const struct subnet_mad *mad)
{
	struct server_subnet *n = ctx;

	return n->deliver && n->deliver(n->s, slot, mad);
}

static int adapter_of(const struct server *s, const char *host, uint32_t hca)
{
	return device_managed_adapter(s->subnet->managed, host, hca);
}

static struct subnet_at port_of(const struct server *s, int adapter, uint32_t port)
{
	return (struct subnet_at){device_managed_node(s->subnet->managed, (uint32_t)adapter),
				  (uint8_t)(port + 1)};
}

static void place(struct server *s, uint32_t slot, int adapter, uint32_t port)
{
	s->subnet->adapter[slot] = (uint32_t)adapter + 1;
	device_managed_place_guest(s->subnet->managed, slot, port_of(s, adapter, port));
}

/* A port that the daemon before us has given a host: it has its LIDs already. */
static void place_again(struct server *s, uint32_t host, uint32_t hca, uint32_t port)
{
	const int slot = directory_slot(s->directory, host, hca, port);
	const int adapter = adapter_of(s, s->directory->host[host].name, hca);
	const struct fabric_port_config *config;
	struct subnet_port_view view;

	if (slot < 0)
		return;
	config = &s->directory->fabric.ports[slot].config;
	if (adapter < 0 || subnet_query_port(server_subnet(s), port_of(s, adapter, port), &view) ||
	    view.guid != config->guid) {
		(void)fabric_port_set_link(&s->directory->fabric, (uint32_t)slot, false);
		return;
	}
	place(s, (uint32_t)slot, adapter, port);
	if (config->lid)
		subnet_set_lid(server_subnet(s), port_of(s, adapter, port), config->lid,
			       config->lmc);
}

static int built(void *ctx, struct device_managed *m)
{
	struct server_subnet *n = ctx;
	struct directory *dir = n->s->directory;

	n->managed = m;
	for (uint32_t slot = 0; slot < FABRIC_PORTS; slot++)
		if (!dir->fabric.ports[slot].used)
			dir->slot_host[slot] = DIRECTORY_NO_HOST;
	for (uint32_t host = 0; host < dir->host_count; host++)
		for (uint32_t i = 0; i < DIRECTORY_HCAS * DIRECTORY_PORTS; i++)
			place_again(n->s, host, i / DIRECTORY_PORTS, i % DIRECTORY_PORTS);
	return 0;
}

static bool way_at(void *ctx, uint32_t slot, struct subnet_at *at)
{
	const struct server_subnet *n = ctx;

	*at = server_subnet_at(n->s, slot);
	return n->adapter[slot] != 0;
}

static int way_slot(void *ctx, struct subnet_at at)
{
	const struct server_subnet *n = ctx;

	return server_subnet_slot(n->s, at);
}

/* Processes of the daemon before us go by what it has said until here. */
static int open_ways(struct server_subnet *n)
{
	static const struct ways_ops ops = {.at = way_at, .slot = way_slot};
	struct ways *ways = ways_new(n->s->directory, server_subnet(n->s), &ops, n);

	if (!ways)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*n));
	__atomic_store_n(&n->ways, ways, __ATOMIC_RELEASE);
	ways_refresh(ways);
	return 0;
}

struct ways *server_subnet_ways(const struct server *s)
{
	return s->subnet ? s->subnet->ways : NULL;
}

static void refresh_all(struct server *s)
{
	for (uint32_t slot = 0; slot < FABRIC_PORTS; slot++)
		if (s->subnet->adapter[slot])
			server_subnet_refresh(s, slot, 0);
}

int server_subnet_open(struct server *s, const char *topology)
{
	struct server_subnet *n = base_zalloc(sizeof(*n));
	int ret;

	if (!n)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*n));
	n->s = s;
	n->tell.run = tell;
	n->reroute.run = reroute;
	n->guests = (struct device_guests){.built = built,
					   .deliver = deliver,
					   .changed = changed,
					   .rerouted = rerouted,
					   .collect = collect,
					   .ctx = n};
	s->subnet = n;
	n->hosted = device_hosted_new(&s->directory->fabric, topology, &n->guests);
	if (IS_ERR(n->hosted)) {
		ret = (int)PTR_ERR(n->hosted);
		s->subnet = NULL;
		broken_free(n);
		base_free(n);
		return ret;
	}
	broken_load(s);
	server_run_later(s);
	refresh_all(s);
	return open_ways(n);
}

void server_subnet_close(struct server *s)
{
	if (!s->subnet)
		return;
	if (s->subnet->ways)
		ways_close(s->subnet->ways);
	device_hosted_free(s->subnet->hosted);
	broken_free(s->subnet);
	ways_free(s->subnet->ways);
	base_free(s->subnet);
	s->subnet = NULL;
}

static size_t first_word(const char *description)
{
	size_t n = 0;

	while (n < SUBNET_DESCRIPTION_BYTES && description[n] && description[n] != ' ')
		n++;
	return n;
}

/* Some of the hosts that there are: there is not much room. */
int server_subnet_refuse_host(const struct server *s)
{
	const struct topology *plan = device_managed_plan(s->subnet->managed);
	struct base_cause why = {.id = BASE_CAUSE_TOPOLOGY_HOSTS, .side = BASE_SIDE_CALL};
	char list[MOST_LISTED + SUBNET_DESCRIPTION_BYTES + 8] = "";
	size_t bytes = 0;

	for (uint32_t i = 0; i < plan->count; i++) {
		const char *name = plan->node[i].config.description;
		const size_t length = first_word(name);

		if (plan->node[i].config.type != SUBNET_CA)
			continue;
		if (bytes + length + 6 > MOST_LISTED) {
			(void)sprintf(list + bytes, "%s...", bytes ? ", " : "");
			break;
		}
		bytes += (size_t)sprintf(list + bytes, "%s%.*s", bytes ? ", " : "", (int)length,
					 name);
	}
	base_cause_put_text(&why, 0, list);
	base_cause_set_last(&why);
	return -ENOENT;
}

static int check_hca(const struct server *s, const char *host, uint32_t i, uint32_t wanted)
{
	const struct topology *plan = device_managed_plan(s->subnet->managed);
	const int adapter = adapter_of(s, host, i);
	const uint32_t ports = adapter < 0 ? 0 : plan->node[adapter].config.ports;

	if (ports > DIRECTORY_PORTS)
		return base_refuse(-EINVAL, TOPOLOGY_PORTS, ports, DIRECTORY_PORTS);
	return wanted <= ports ? 0 : base_refuse(-EINVAL, TOPOLOGY_HCAS, i, wanted, ports);
}

static int check_host(const struct server *s, const char *name, const struct directory_hca *hca)
{
	int ret = adapter_of(s, name, 0) < 0 ? server_subnet_refuse_host(s) : 0;

	for (uint32_t i = 0; i < DIRECTORY_HCAS && !ret; i++)
		if (hca[i].ports)
			ret = check_hca(s, name, i, hca[i].ports);
	return ret;
}

/* All ports of an adapter that a process wants some of. */
static int join(struct server *s, uint32_t host, uint32_t i)
{
	const struct topology *plan = device_managed_plan(s->subnet->managed);
	const int adapter = adapter_of(s, s->directory->host[host].name, i);
	const uint32_t ports = plan->node[adapter].config.ports;
	uint64_t guid[DIRECTORY_PORTS];
	struct subnet_port_view view;
	int ret;

	if (directory_slot(s->directory, host, i, 0) >= 0)
		return 0;
	for (uint32_t port = 0; port < ports; port++) {
		(void)subnet_query_port(server_subnet(s), port_of(s, adapter, port), &view);
		guid[port] = view.guid;
	}
	ret = directory_join_hca(s->directory, host, i, ports, guid);
	for (uint32_t port = 0; port < ports && !ret; port++) {
		const uint32_t slot = (uint32_t)directory_slot(s->directory, host, i, port);

		place(s, slot, adapter, port);
		server_subnet_refresh(s, slot, 0);
	}
	return ret;
}

int server_subnet_take_host(struct server *s, const char *name, const struct directory_hca *hca)
{
	int host = directory_find_host(s->directory, name), ret = check_host(s, name, hca);

	if (ret)
		return ret;
	if (host < 0)
		host = directory_add_host(s->directory, name);
	if (host < 0)
		return base_refuse(host, FABRIC_FULL, FABRIC_PORTS);
	for (uint32_t i = 0; i < DIRECTORY_HCAS && !ret; i++)
		if (hca[i].ports)
			ret = join(s, (uint32_t)host, i);
	return ret ? ret : host;
}

void server_subnet_links(struct server *s, uint32_t host)
{
	for (uint32_t i = 0; i < DIRECTORY_HCAS * DIRECTORY_PORTS; i++) {
		const int slot = directory_slot(s->directory, host, i / DIRECTORY_PORTS,
						i % DIRECTORY_PORTS);

		if (slot >= 0 && s->subnet->adapter[slot])
			broken_apply(s, s->subnet->adapter[slot] - 1,
				     (uint8_t)(i % DIRECTORY_PORTS + 1));
	}
	server_run_later(s);
}

void server_subnet_came_back(struct server *s, struct client *c)
{
	const uint32_t host = s->directory->process[c->id].host;

	for (uint32_t i = 0; i < DIRECTORY_HCAS * DIRECTORY_PORTS; i++) {
		const int slot = directory_slot(s->directory, host, i / DIRECTORY_PORTS,
						i % DIRECTORY_PORTS);

		if (slot >= 0)
			tell_host(s, (uint32_t)slot, SUBNET_CHANGED_SM | SUBNET_CHANGED_REREGISTER,
				  s->directory->fabric.ports[slot].up);
	}
}
