// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Nodes and cables. */
#include "fabric/subnet.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "fabric/subnet_priv.h"
#include "fabric/trap.h"

/* Locally administered, so that no maker's GUID is claimed. */
#define FIRST_GUID 0x0200560000010000u
#define DEVICE_ID 0x5642u
#define DEFAULT_PREFIX 0xfe80000000000000u
#define DEFAULT_SUBNET_TIMEOUT 18u /* 1.07 s */
#define DEFAULT_LIFE_TIME 18u
#define DEFAULT_THRESHOLDS 0x88u
#define FIRST_NODES 16u
#define FIRST_FLIGHTS 64u

#define WIDTHS 0x1fu
#define SPEEDS 0x7u
#define EXT_SPEEDS 0xfu

static bool deliver_to_nobody(void *ctx, struct subnet_at at, const struct subnet_mad *mad)
{
	(void)ctx;
	(void)at;
	(void)mad;
	return false;
}

static void tell_nobody(void *ctx, struct subnet_at at, uint32_t what)
{
	(void)ctx;
	(void)at;
	(void)what;
}

static const struct subnet_ops nobody = {.deliver = deliver_to_nobody, .changed = tell_nobody};

static uint64_t earliest(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Do what is due, and see that the timer comes when the next is. Nobody else may do that: whoever has
 * something new arms the timer for at once, and must not find it put off.
 */
static void run_timers(struct subnet *subnet)
{
	const uint64_t now_ns = base_now_ns();
	const uint64_t trap_ns = subnet_traps_send(subnet, now_ns);
	const uint64_t sample_ns = subnet_samples_take(subnet, now_ns);
	const uint64_t delayed_ns = subnet_delayed_take(subnet, now_ns);
	const uint64_t next_ns = earliest(earliest(trap_ns, sample_ns), delayed_ns);

	if (next_ns != UINT64_MAX)
		base_timer_arm(&subnet->timer, next_ns - now_ns);
}

/* Samples may end now. */
static void collect_samples(struct subnet *subnet)
{
	bool any;

	spin_lock(&subnet->lock);
	any = !list_empty(&subnet->sampling);
	spin_unlock(&subnet->lock);
	if (any && subnet->ops->collect)
		subnet->ops->collect(subnet->ctx);
}

static void timer_fires(struct base_timer *timer)
{
	struct subnet *subnet = container_of(timer, struct subnet, timer);

	collect_samples(subnet);
	spin_lock(&subnet->lock);
	run_timers(subnet);
	spin_unlock(&subnet->lock);
	subnet_pump(subnet);
}

struct subnet *subnet_new(const struct subnet_ops *ops, void *ctx)
{
	struct subnet *subnet = base_zalloc(sizeof(*subnet));

	if (!subnet)
		return NULL;
	subnet->flight_room = FIRST_FLIGHTS;
	subnet->flights = base_zalloc_array(FIRST_FLIGHTS, sizeof(*subnet->flights));
	if (!subnet->flights) {
		base_free(subnet);
		return NULL;
	}
	spin_lock_init(&subnet->lock);
	subnet->ops = ops ? ops : &nobody;
	subnet->ctx = ctx;
	subnet->next_guid = FIRST_GUID;
	INIT_LIST_HEAD(&subnet->delayed);
	INIT_LIST_HEAD(&subnet->changed);
	INIT_LIST_HEAD(&subnet->trapping);
	INIT_LIST_HEAD(&subnet->sampling);
	base_timer_init(&subnet->timer, timer_fires);
	return subnet;
}

static uint32_t ends_of(const struct subnet_node_config *config)
{
	return config->type == SUBNET_SWITCH ? 1 : config->ports;
}

/* Nobody knows of it any more. */
static void free_node(struct subnet_node *node)
{
	for (uint32_t i = node->first_port; i <= node->config.ports; i++)
		base_free(subnet_port_of(node, i)->vl_arb);
	for (uint32_t i = 0; i < ends_of(&node->config); i++) {
		subnet_traps_drop(&node->end[i]);
		base_free(node->end[i].guids);
		base_free(node->end[i].congestion);
	}
	base_free(node->tables.lft);
	base_free(node->tables.mft);
	base_free(node->sl2vl);
	base_free(node);
}

void subnet_free(struct subnet *subnet)
{
	if (!subnet)
		return;
	base_timer_disarm_sync(&subnet->timer);
	subnet_delayed_drop(subnet);
	for (uint32_t i = 0; i < subnet->node_room; i++)
		if (subnet->node[i]) {
			subnet_samples_free(subnet->node[i]->samples);
			free_node(subnet->node[i]);
		}
	base_free(subnet->node);
	base_free(subnet->flights);
	subnet_guids_free(&subnet->node_guids);
	subnet_guids_free(&subnet->port_guids);
	base_free(subnet);
}

static bool config_is_sound(const struct subnet_node_config *c)
{
	return c->type >= SUBNET_CA && c->type <= SUBNET_ROUTER && c->ports >= 1 &&
	       c->ports <= SUBNET_MAX_PORTS && c->vendor_id < 1u << 24 && c->mtu_cap <= 5 &&
	       c->vl_cap <= 5 && !(c->width & ~WIDTHS) && !(c->speed & ~SPEEDS) &&
	       !(c->speed_ext & ~EXT_SPEEDS) && c->pkeys % SUBNET_PKEY_BLOCK == 0 &&
	       c->linear_cap <= SUBNET_MULTICAST_LID &&
	       c->multicast_cap <= SUBNET_PERMISSIVE_LID - SUBNET_MULTICAST_LID;
}

static bool guids_are_free(const struct subnet *subnet, const struct subnet_node_config *c)
{
	if (subnet_guids_has(&subnet->node_guids, c->guid))
		return false;
	for (uint32_t i = 0; i < ends_of(c); i++)
		if (subnet_guids_has(&subnet->port_guids, c->port_guid + i))
			return false;
	return true;
}

/* What nobody has said, but for the GUIDs. */
static void fill_in(struct subnet_node_config *c)
{
	c->vendor_id = c->vendor_id ? c->vendor_id : SUBNET_VENDOR_ID;
	c->device_id = c->device_id ? c->device_id : DEVICE_ID;
	c->mtu_cap = c->mtu_cap ? c->mtu_cap : 5;
	c->vl_cap = c->vl_cap ? c->vl_cap : 4;
	c->width = c->width ? c->width : 3;
	c->speed = c->speed ? c->speed : SPEEDS;
	c->pkeys = c->pkeys ? c->pkeys : SUBNET_PKEY_BLOCK;
	c->linear_cap = c->linear_cap ? c->linear_cap : SUBNET_MULTICAST_LID;
	c->multicast_cap = c->multicast_cap ? c->multicast_cap : 1024;
}

static void follow_guid(struct subnet_node_config *c, const struct subnet_node_config *given)
{
	c->port_guid = given->port_guid ? given->port_guid : c->guid + 1;
	if (c->type == SUBNET_SWITCH)
		c->port_guid = c->guid;
	c->system_guid = given->system_guid ? given->system_guid : c->guid;
}

/* Those that are given must be free; those that are not are looked for. */
static int choose_guids(struct subnet *subnet, struct subnet_node_config *c)
{
	const struct subnet_node_config given = *c;

	if (given.guid || given.port_guid) {
		c->guid = given.guid ? given.guid : given.port_guid;
		follow_guid(c, &given);
		return guids_are_free(subnet, c) ? 0
						 : base_refuse(-EEXIST, FABRIC_GUID_TAKEN, c->guid);
	}
	do {
		c->guid = subnet->next_guid;
		subnet->next_guid += c->ports + 1u;
		follow_guid(c, &given);
	} while (!guids_are_free(subnet, c));
	return 0;
}

static void init_ports(struct subnet_node *node)
{
	const struct subnet_node_config *c = &node->config;

	for (uint32_t i = node->first_port; i <= c->ports; i++) {
		*subnet_port_of(node, i) = (struct subnet_port){.peer = {SUBNET_NOBODY, 0},
								.state = SUBNET_DOWN,
								.phys_state = SUBNET_POLLING,
								.mtu = c->mtu_cap,
								.op_vls = c->vl_cap,
								.down_default = SUBNET_POLLING,
								.width_enabled = c->width,
								.speed_enabled = c->speed,
								.ext_enabled = c->speed_ext,
								.thresholds = DEFAULT_THRESHOLDS};
		subnet_pkeys_of(node, i)[0] = IB_DEFAULT_PKEY_FULL;
	}
	if (subnet_is_switch(node)) {
		node->port[0].state = SUBNET_ACTIVE;
		node->port[0].phys_state = SUBNET_LINK_UP;
	}
}

static uint32_t first_cap_mask(const struct subnet_node_config *c)
{
	uint32_t mask = IB_PORT_TRAP_SUP | IB_PORT_SL_MAP_SUP | IB_PORT_SYS_IMAGE_GUID_SUP |
			IB_PORT_VENDOR_CLASS_SUP | IB_PORT_CAP_MASK_NOTICE_SUP |
			IB_PORT_CLIENT_REG_SUP | IB_PORT_OTHER_LOCAL_CHANGES_SUP |
			IB_PORT_CAP_MASK2_SUP;

	if (c->speed_ext)
		mask |= IB_PORT_EXTENDED_SPEEDS_SUP;
	if (c->type == SUBNET_SWITCH)
		return mask | IB_PORT_MCAST_FDB_TOP_SUP;
	return mask | IB_PORT_AUTO_MIGR_SUP | IB_PORT_CM_SUP;
}

static void init_ends(struct subnet_node *node)
{
	for (uint32_t i = 0; i < ends_of(&node->config); i++) {
		struct subnet_end *end = &node->end[i];

		end->at.node = node->number;
		end->at.port = (uint8_t)(subnet_is_switch(node) ? 0 : i + 1);
		end->guid = node->config.port_guid + i;
		end->prefix = DEFAULT_PREFIX;
		end->subnet_timeout = DEFAULT_SUBNET_TIMEOUT;
		end->cap_mask = first_cap_mask(&node->config);
		INIT_LIST_HEAD(&end->changed_list);
		INIT_LIST_HEAD(&end->traps);
		INIT_LIST_HEAD(&end->traps_list);
	}
}

static void *align(void *block)
{
	return (void *)(((uintptr_t)block + SUBNET_LINE - 1) & ~(uintptr_t)(SUBNET_LINE - 1));
}

/* One block: the node, its ports, its ends, its P_Keys. */
static struct subnet_node *new_node(const struct subnet_node_config *config)
{
	const size_t first = config->type == SUBNET_SWITCH ? 0 : 1;
	const size_t ports = config->ports + 1u - first, ends = ends_of(config);
	struct subnet_node *node =
		base_zalloc(sizeof(*node) + SUBNET_LINE + ports * sizeof(*node->port) +
			    ends * sizeof(*node->end) + ports * config->pkeys * sizeof(uint16_t));

	if (!node)
		return NULL;
	node->config = *config;
	node->first_port = (uint8_t)first;
	node->port = align(node + 1);
	node->end = (struct subnet_end *)(node->port + ports);
	node->pkeys = (uint16_t *)(node->end + ends);
	init_ports(node);
	node->tables.multicast_top = SUBNET_MULTICAST_LID - 1;
	node->tables.default_port = SUBNET_UNREACHABLE;
	memset(node->tables.default_multicast, SUBNET_UNREACHABLE, 2);
	node->tables.life_time = DEFAULT_LIFE_TIME;
	return node;
}

/* Who counts looks without the lock: the old table is given back when nobody looks any more. */
static int reserve_number(struct subnet *subnet, struct subnet_node ***old)
{
	const uint32_t room = subnet->node_room ? 2 * subnet->node_room : FIRST_NODES;
	struct subnet_node **wider;

	while (subnet->first_free < subnet->node_room && subnet->node[subnet->first_free])
		subnet->first_free++;
	if (subnet->first_free < subnet->node_room)
		return 0;
	wider = base_zalloc_array(room, sizeof(void *));
	if (!wider)
		return -ENOMEM;
	if (subnet->node_room)
		memcpy(wider, subnet->node, subnet->node_room * sizeof(void *));
	*old = subnet->node;
	smp_store_release(&subnet->node, wider);
	smp_store_release(&subnet->node_room, room);
	return 0;
}

static int reserve(struct subnet *subnet, const struct subnet_node_config *config,
		   struct subnet_node ***old)
{
	if (reserve_number(subnet, old) || subnet_guids_reserve(&subnet->node_guids, 1) ||
	    subnet_guids_reserve(&subnet->port_guids, ends_of(config)))
		return -ENOMEM;
	return 0;
}

static void enter(struct subnet *subnet, struct subnet_node *node)
{
	node->number = subnet->first_free;
	init_ends(node);
	smp_store_release(&subnet->node[node->number], node);
	subnet_guids_add(&subnet->node_guids, node->config.guid);
	for (uint32_t i = 0; i < ends_of(&node->config); i++)
		subnet_guids_add(&subnet->port_guids, node->end[i].guid);
}

int subnet_add_node(struct subnet *subnet, const struct subnet_node_config *config, uint32_t *node)
{
	struct subnet_node_config chosen = *config;
	struct subnet_node *made = NULL, **old = NULL;
	int ret;

	if (!config_is_sound(config))
		return base_refuse(-EINVAL, SUBNET_NODE, config->type, config->ports);
	spin_lock(&subnet->lock);
	fill_in(&chosen);
	ret = choose_guids(subnet, &chosen);
	if (!ret && !reserve(subnet, &chosen, &old))
		made = new_node(&chosen);
	if (!ret && !made)
		ret = base_refuse(-ENOMEM, NO_MEMORY, sizeof(*made));
	if (!ret) {
		enter(subnet, made);
		*node = made->number;
	}
	spin_unlock(&subnet->lock);
	if (old) {
		base_rcu_wait();
		base_free(old);
	}
	return ret;
}

bool subnet_find(const struct subnet *subnet, struct subnet_at at, struct subnet_node **node,
		 struct subnet_port **port)
{
	*node = subnet_find_node(subnet, at.node);
	if (!*node || !subnet_has_port(*node, at.port))
		return false;
	*port = subnet_port_of(*node, at.port);
	return true;
}

struct subnet_end *subnet_find_end(const struct subnet *subnet, struct subnet_at at)
{
	struct subnet_node *node;
	struct subnet_port *port;

	if (!subnet_find(subnet, at, &node, &port) || (subnet_is_switch(node) && at.port))
		return NULL;
	return subnet_end_of(node, at.port);
}

/* A port that a cable fits in; NULL if there is none. */
static struct subnet_port *find_socket(const struct subnet *subnet, struct subnet_at at)
{
	struct subnet_node *node;
	struct subnet_port *port;

	return at.port && subnet_find(subnet, at, &node, &port) ? port : NULL;
}

int subnet_connect(struct subnet *subnet, struct subnet_at a, struct subnet_at b)
{
	struct subnet_port *one, *other;
	int ret = 0;

	spin_lock(&subnet->lock);
	one = find_socket(subnet, a);
	other = find_socket(subnet, b);
	if (!one || !other || one == other) {
		ret = base_refuse(-EINVAL, SUBNET_CABLE, a.node, a.port, b.node, b.port);
	} else if (one->peer.node != SUBNET_NOBODY || other->peer.node != SUBNET_NOBODY) {
		ret = base_refuse(-EBUSY, SUBNET_CABLE_TAKEN, a.node, a.port, b.node, b.port);
	} else {
		one->peer = b;
		other->peer = a;
		one->broken = other->broken = false;
		subnet_link_train(subnet, a);
	}
	spin_unlock(&subnet->lock);
	subnet_pump(subnet);
	return ret;
}

static void pull_cable(struct subnet *subnet, struct subnet_at at)
{
	struct subnet_port *port = find_socket(subnet, at), *other;

	if (!port || port->peer.node == SUBNET_NOBODY)
		return;
	subnet_link_fall(subnet, at);
	other = subnet_peer_of(subnet, port);
	port->peer = other->peer = (struct subnet_at){SUBNET_NOBODY, 0};
	port->loss_ppm = other->loss_ppm = 0;
	port->delay_ns = other->delay_ns = 0;
}

static void forget(struct subnet *subnet, struct subnet_node *node)
{
	for (uint32_t i = 1; i <= node->config.ports; i++)
		pull_cable(subnet, (struct subnet_at){node->number, (uint8_t)i});
	subnet_guids_remove(&subnet->node_guids, node->config.guid);
	for (uint32_t i = 0; i < ends_of(&node->config); i++) {
		subnet_guids_remove(&subnet->port_guids, node->end[i].guid);
		list_del_init(&node->end[i].changed_list);
		list_del_init(&node->end[i].traps_list);
	}
	subnet_samples_free(node->samples);
	smp_store_release(&subnet->node[node->number], NULL);
	if (node->number < subnet->first_free)
		subnet->first_free = node->number;
	subnet_new_epoch(subnet);
}

void subnet_remove_node(struct subnet *subnet, uint32_t node)
{
	struct subnet_node *gone;

	spin_lock(&subnet->lock);
	gone = subnet_find_node(subnet, node);
	if (gone)
		forget(subnet, gone);
	spin_unlock(&subnet->lock);
	if (gone) {
		base_rcu_wait();
		free_node(gone);
	}
	subnet_pump(subnet);
}

bool subnet_set_link(struct subnet *subnet, struct subnet_at at, bool whole)
{
	struct subnet_port *port, *other;
	bool differs;

	spin_lock(&subnet->lock);
	port = find_socket(subnet, at);
	differs = port && port->peer.node != SUBNET_NOBODY && port->broken == whole;
	if (differs) {
		if (!whole)
			subnet_link_fall(subnet, at);
		other = subnet_peer_of(subnet, port);
		port->broken = other->broken = !whole;
		if (whole)
			subnet_link_train(subnet, at);
	}
	spin_unlock(&subnet->lock);
	subnet_pump(subnet);
	return differs;
}

bool subnet_peer(const struct subnet *subnet, struct subnet_at at, struct subnet_at *peer)
{
	struct subnet *s = (struct subnet *)(uintptr_t)subnet;
	struct subnet_port *port;
	bool connected;

	spin_lock(&s->lock);
	port = find_socket(s, at);
	connected = port && port->peer.node != SUBNET_NOBODY;
	if (connected)
		*peer = port->peer;
	spin_unlock(&s->lock);
	return connected;
}
