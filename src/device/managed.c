// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Subnet, manager, wire and devices, put together; who of them hears of what. */
#include "device/managed.h"

#include <errno.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "device/hca.h"
#include "device/manager.h"
#include "fabric/directory.h"
#include "fabric/fabric.h"
#include "fabric/subnet.h"
#include "fabric/topology.h"
#include "wire/loop.h"
#include "wire/loop_subnet.h"

#define UP_NS 60000000000u
#define NS_PER_S 1000000000u

/**
 * struct port_owner - Whose a slot is.
 * @hca: The device.
 * @port_num: Its port.
 * @what: Changes that it has not been told of. Atomic.
 * @work: Tells it: clients of a device may do anything then, so no call into the subnet may be under way.
 */
struct port_owner {
	struct device_hca *hca;
	u32 port_num;
	uint32_t what;
	struct work_struct work;
};

/**
 * struct device_managed - A fabric that is a subnet.
 * @fabric: Slots and LIDs, as the wire and programs see them.
 * @wire: The wire.
 * @subnet: The hardware.
 * @plan: What it was built by.
 * @node: Its numbers in @subnet.
 * @taken: By node of @plan: a device has it.
 * @manager: Brings it up.
 * @place: The manager's port.
 * @hca: The same as a device; NULL: not yet.
 * @lock: Hosts that come and go.
 * @changes: What is known of a port is as new as what was known before; innermost but for those of the subnet.
 * @owner: By slot: who is told of changes. Read under RCU.
 * @guests: Who has guests, or NULL.
 * @guest: By slot: it is one. Atomic.
 */
struct device_managed {
	struct fabric *fabric;
	struct wire_loop *wire;
	struct subnet *subnet;
	struct topology *plan;
	uint32_t *node;
	bool *taken;
	struct device_manager *manager;
	struct subnet_at place;
	struct device_hca *hca;
	struct mutex lock;
	spinlock_t changes;
	struct port_owner *owner[FABRIC_PORTS];
	const struct device_guests *guests;
	bool guest[FABRIC_PORTS];
};

static bool is_manager(const struct device_managed *m, struct subnet_at at)
{
	return at.node == m->place.node && at.port == m->place.port;
}

/* Negative: it is none's. */
static int guest_at(const struct device_managed *m, struct subnet_at at)
{
	const int slot = m->guests ? wire_loop_slot(m->wire, at) : -ENOENT;

	return slot >= 0 && __atomic_load_n(&m->guest[slot], __ATOMIC_ACQUIRE) ? slot : -ENOENT;
}

static bool deliver(void *ctx, struct subnet_at at, const struct subnet_mad *mad)
{
	struct device_managed *m = ctx;
	const int slot = guest_at(m, at);

	if (m->manager && is_manager(m, at) && device_manager_deliver(m->manager, mad)) {
		wire_loop_capture_mad(m->wire, mad);
		return true;
	}
	if (slot >= 0)
		return m->guests->deliver(m->guests->ctx, (uint32_t)slot, mad);
	return wire_loop_deliver_mad(m->wire, at, mad);
}

/* State as the subnet has it now: whoever is late here sees what is newer, too. */
static void take_over(struct device_managed *m, uint32_t slot, struct subnet_at at)
	REQUIRES(m->changes)
{
	struct subnet_port_view view;

	if (subnet_query_port(m->subnet, at, &view))
		return;
	fabric_port_set_lid(m->fabric, slot, view.lid, view.lmc);
	(void)fabric_port_set_link(m->fabric, slot, view.state == IB_PORT_ACTIVE);
}

static void tell(struct work_struct *work)
{
	struct port_owner *owner = container_of(work, struct port_owner, work);

	device_hca_port_changed(owner->hca, owner->port_num,
				__atomic_exchange_n(&owner->what, 0, __ATOMIC_ACQ_REL));
}

/* Addresses at once, for the next packet has them; events soon. */
static void changed(void *ctx, struct subnet_at at, uint32_t what)
{
	struct device_managed *m = ctx;
	struct port_owner *owner = NULL;
	int slot = guest_at(m, at);

	if (slot >= 0) {
		m->guests->changed(m->guests->ctx, (uint32_t)slot, what);
		return;
	}
	rcu_read_lock();
	spin_lock(&m->changes);
	slot = wire_loop_slot(m->wire, at);
	if (slot >= 0) {
		take_over(m, (uint32_t)slot, at);
		owner = rcu_dereference(m->owner[slot]);
	}
	if (owner)
		device_hca_refresh(owner->hca, owner->port_num);
	spin_unlock(&m->changes);
	if (owner) {
		__atomic_fetch_or(&owner->what, what, __ATOMIC_ACQ_REL);
		(void)base_run_later(&owner->work);
	}
	rcu_read_unlock();
}

static void rerouted(void *ctx)
{
	const struct device_managed *m = ctx;

	if (m->guests)
		m->guests->rerouted(m->guests->ctx);
}

static void collect(void *ctx)
{
	const struct device_managed *m = ctx;

	if (m->guests)
		m->guests->collect(m->guests->ctx);
}

static const struct subnet_ops ops = {
	.deliver = deliver, .changed = changed, .rerouted = rerouted, .collect = collect};

static int parse(struct device_managed *m, const char *text)
{
	struct topology_error error;
	int ret = topology_parse(text, strlen(text), &m->plan, &error);

	if (!ret) {
		m->node = base_zalloc_array(m->plan->count, sizeof(*m->node));
		m->taken = base_zalloc_array(m->plan->count, sizeof(*m->taken));
		ret = m->node && m->taken ? topology_build(m->plan, m->subnet, m->node, &error)
					  : -ENOMEM;
	}
	if (ret == -ENOMEM)
		return base_refuse(-ENOMEM, NO_MEMORY, strlen(text));
	if (!ret)
		return 0;
	pr_err("topology, line %u: %s\n", error.line, error.text);
	return base_refuse(ret, TOPOLOGY, error.line);
}

static int find_place(struct device_managed *m)
{
	for (uint32_t i = 0; i < m->plan->count; i++)
		if (m->plan->node[i].config.type == SUBNET_SWITCH) {
			m->place = (struct subnet_at){m->node[i], 0};
			return 0;
		}
	return base_refuse(-EINVAL, TOPOLOGY_NO_SWITCH);
}

static void show(void *ctx, const struct subnet_mad *mad)
{
	wire_loop_capture_mad(ctx, mad);
}

static int bring_up(struct device_managed *m)
{
	const struct sm_options options = {.subnet_prefix = m->fabric->subnet_prefix};
	struct sm_stats stats;

	m->manager = device_manager_new(m->subnet, m->place, &options);
	if (!m->manager)
		return base_refuse(-ENOMEM, NO_MEMORY, 0);
	device_manager_watch(m->manager, show, m->wire);
	if (device_manager_wait(m->manager, UP_NS))
		return 0;
	device_manager_stats(m->manager, &stats);
	return base_refuse(-ETIMEDOUT, TOPOLOGY_NOT_UP, UP_NS / NS_PER_S, stats.sent, stats.lost,
			   stats.refused);
}

struct subnet *device_managed_subnet(struct device_managed *m)
{
	return m->subnet;
}

const struct topology *device_managed_plan(const struct device_managed *m)
{
	return m->plan;
}

uint32_t device_managed_node(const struct device_managed *m, uint32_t index)
{
	return m->node[index];
}

struct subnet_at device_managed_at(const struct device_managed *m, uint32_t slot)
{
	return wire_loop_at(m->wire, slot);
}

int device_managed_slot(const struct device_managed *m, struct subnet_at at)
{
	return wire_loop_slot(m->wire, at);
}

void device_managed_place_guest(struct device_managed *m, uint32_t slot, struct subnet_at at)
{
	__atomic_store_n(&m->guest[slot], true, __ATOMIC_RELEASE);
	wire_loop_place(m->wire, slot, at);
}

void device_managed_displace_guest(struct device_managed *m, uint32_t slot)
{
	wire_loop_displace(m->wire, slot);
	__atomic_store_n(&m->guest[slot], false, __ATOMIC_RELEASE);
}

/* "h-0 mlx5_0" is of the host h-0. */
static bool is_called(const struct topology_node *node, const char *hostname)
{
	const char *text = node->config.description;
	const size_t bytes = strlen(hostname);

	if (strnlen(text, SUBNET_DESCRIPTION_BYTES) < bytes || memcmp(text, hostname, bytes) != 0)
		return false;
	return bytes == SUBNET_DESCRIPTION_BYTES || !text[bytes] || text[bytes] == ' ';
}

int device_managed_adapter(const struct device_managed *m, const char *hostname, uint32_t nth)
{
	for (uint32_t i = 0; i < m->plan->count; i++) {
		const struct topology_node *node = &m->plan->node[i];

		if (node->config.type == SUBNET_CA && is_called(node, hostname) && !nth--)
			return (int)i;
	}
	return -ENOENT;
}

/* Its number in the plan; negative if there is none. */
static int find_free(const struct device_managed *m, const char *hostname)
{
	int index = 0;

	for (uint32_t nth = 0; index >= 0; nth++) {
		index = device_managed_adapter(m, hostname, nth);
		if (index >= 0 && !m->taken[index])
			return index;
	}
	return base_refuse(-ENOENT, TOPOLOGY_NO_HOST);
}

static int plug(void *managed, uint32_t slot, struct tp_port *port)
{
	struct device_managed *m = managed;

	return wire_loop_attach(m->wire, slot, port);
}

/* Changes of the port are nobody's from here on: the slot may be another one's soon. */
static void displace(struct device_managed *m, uint32_t slot)
{
	spin_lock(&m->changes);
	wire_loop_displace(m->wire, slot);
	spin_unlock(&m->changes);
}

static void unplug(void *managed, uint32_t slot)
{
	struct device_managed *m = managed;

	wire_loop_detach(m->wire, slot);
	displace(m, slot);
}

static void leave_slots(struct device_managed *m, const struct device_place *place, u32 count)
{
	for (u32 i = 0; i < count; i++) {
		displace(m, place->slot[i]);
		fabric_port_remove(m->fabric, place->slot[i]);
	}
}

static int take_slots(struct device_managed *m, struct device_place *place, u32 ports)
{
	for (u32 i = 0; i < ports; i++) {
		struct subnet_port_view view;
		int ret = subnet_query_port(m->subnet, place->at[i], &view);

		if (!ret)
			ret = fabric_port_join(m->fabric, view.guid, &place->slot[i]);
		if (ret) {
			leave_slots(m, place, i);
			return ret;
		}
		spin_lock(&m->changes);
		wire_loop_place(m->wire, place->slot[i], place->at[i]);
		take_over(m, place->slot[i], place->at[i]);
		spin_unlock(&m->changes);
	}
	return 0;
}

static void see(void *viewer, uint32_t slot, struct directory_view *view)
{
	const struct device_managed *m = viewer;

	directory_see(m->subnet, wire_loop_at(m->wire, slot), view);
}

static void introduce(struct device_managed *m, struct device_hca *hca, struct port_owner *owner,
		      u32 ports)
{
	for (u32 i = 0; i < ports; i++) {
		owner[i].hca = hca;
		owner[i].port_num = i + 1;
		INIT_WORK(&owner[i].work, tell);
		spin_lock(&m->changes);
		rcu_assign_pointer(m->owner[device_hca_slot(hca, i + 1)], &owner[i]);
		device_hca_refresh(hca, i + 1); /* what has changed since it was looked at */
		spin_unlock(&m->changes);
	}
}

/* @place has wire and ports; slots are taken here. */
static struct device_hca *make(struct device_managed *m, struct device_place *place,
			       const char *hostname, const struct device_profile *profile,
			       void *owner)
{
	const u32 count = profile->hca.ports;
	struct port_owner *ports = base_zalloc_array(count, sizeof(*ports));
	struct device_hca *hca;
	int ret = ports ? take_slots(m, place, count)
			: base_refuse(-ENOMEM, NO_MEMORY, count * sizeof(*ports));

	if (ret) {
		base_free(ports);
		return ERR_PTR(ret);
	}
	hca = device_hca_new_at(place, hostname, profile, owner);
	if (IS_ERR(hca)) {
		leave_slots(m, place, count);
		base_free(ports);
		return hca;
	}
	introduce(m, hca, ports, count);
	return hca;
}

static struct device_place place_of(struct device_managed *m, struct device_faults *faults)
{
	return (struct device_place){.fabric = m->fabric,
				     .ours = m->fabric,
				     .view = see,
				     .viewer = m,
				     .subnet = m->subnet,
				     .plug = plug,
				     .unplug = unplug,
				     .wire = m,
				     .faults = faults};
}

static struct device_hca *make_host(struct device_managed *m, struct device_place *place,
				    uint32_t index, const char *hostname,
				    const struct device_profile *profile, void *owner)
{
	const struct subnet_node_config *config = &m->plan->node[index].config;
	struct device_profile fitted = *profile;
	struct directory_view view;

	if (config->ports > DEVICE_MAX_PORTS)
		return ERR_PTR(
			base_refuse(-EINVAL, TOPOLOGY_PORTS, config->ports, DEVICE_MAX_PORTS));
	for (u32 i = 0; i < config->ports; i++)
		place->at[i] = (struct subnet_at){m->node[index], (uint8_t)(i + 1)};
	directory_see(m->subnet, place->at[0], &view);
	view.node_guid = config->guid;
	device_profile_fit(&fitted, config->ports, &view);
	return make(m, place, hostname, &fitted, owner);
}

struct device_hca *device_managed_host(struct device_managed *m, struct device_faults *faults,
				       const char *hostname, const struct device_profile *profile,
				       int (*link)(void *owner, uint32_t slot, bool up, bool wait),
				       void *owner)
{
	struct device_place place = place_of(m, faults);
	struct device_hca *hca;
	int index = device_hca_check(hostname);

	if (index)
		return ERR_PTR(index);
	mutex_lock(&m->lock);
	index = find_free(m, hostname);
	place.set_link = link;
	hca = index < 0 ? ERR_PTR(index)
			: make_host(m, &place, (uint32_t)index, hostname, profile, owner);
	if (!IS_ERR(hca))
		m->taken[index] = true;
	mutex_unlock(&m->lock);
	return hca;
}

static void give_back(struct device_managed *m, uint32_t node)
{
	for (uint32_t i = 0; i < m->plan->count; i++)
		if (m->node[i] == node)
			m->taken[i] = false;
}

static void unmake(struct device_managed *m, struct device_hca *hca)
{
	const u32 ports = device_hca_profile(hca)->hca.ports;
	struct port_owner *owner = m->owner[device_hca_slot(hca, 1)];

	for (u32 i = 0; i < ports; i++)
		rcu_assign_pointer(m->owner[device_hca_slot(hca, i + 1)], NULL);
	synchronize_rcu();
	for (u32 i = 0; i < ports; i++)
		cancel_work_sync(&owner[i].work);
	device_hca_free(hca);
	base_free(owner);
}

void device_managed_remove(struct device_managed *m, struct device_hca *hca)
{
	const uint32_t node = device_hca_at(hca, 1).node;

	unmake(m, hca);
	mutex_lock(&m->lock);
	give_back(m, node);
	mutex_unlock(&m->lock);
}

/* The manager's place as a device, which programs do not see, so that it can be the administration, too. */
static int serve(struct device_managed *m, struct device_faults *faults)
{
	struct device_place place = place_of(m, faults);
	struct device_profile profile;
	struct device_hca *hca;

	device_profile_init(&profile, VERBENA_PERSONALITY_NONE);
	snprintf(profile.name, sizeof(profile.name), "verbena_sm%%d");
	place.at[0] = m->place;
	place.hidden = true;
	hca = make(m, &place, "subnet-manager", &profile, NULL);
	if (IS_ERR(hca))
		return (int)PTR_ERR(hca);
	m->hca = hca;
	return device_manager_serve(m->manager, device_hca_device(hca));
}

struct device_managed *device_managed_new(struct fabric *fabric, struct wire_loop *wire,
					  struct device_faults *faults, const char *topology,
					  const struct device_guests *guests)
{
	struct device_managed *m = base_zalloc(sizeof(*m));
	int ret = -ENOMEM;

	if (!m)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*m)));
	m->fabric = fabric;
	m->wire = wire;
	m->guests = guests;
	mutex_init(&m->lock);
	spin_lock_init(&m->changes);
	m->subnet = subnet_new(&ops, m);
	if (!m->subnet || wire_loop_set_subnet(wire, m->subnet))
		base_refuse(-ENOMEM, NO_MEMORY, sizeof(*m));
	else
		ret = parse(m, topology);
	if (!ret)
		ret = find_place(m);
	if (!ret && guests)
		ret = guests->built(guests->ctx, m);
	if (!ret)
		ret = bring_up(m);
	if (!ret)
		ret = serve(m, faults);
	if (!ret)
		return m;
	device_managed_free(m);
	return ERR_PTR(ret);
}

void device_managed_free(struct device_managed *m)
{
	if (!m)
		return;
	if (m->manager)
		device_manager_stop(m->manager);
	if (m->hca)
		unmake(m, m->hca);
	subnet_free(m->subnet); /* delivers to the manager until then */
	device_manager_free(m->manager);
	topology_free(m->plan);
	base_free(m->node);
	base_free(m->taken);
	base_free(m);
}

void device_managed_set_link(struct device_managed *m, uint32_t slot, bool up)
{
	(void)subnet_set_link(m->subnet, wire_loop_at(m->wire, slot), up);
}

int device_managed_find_node(const struct device_managed *m, const char *text)
{
	uint32_t named;
	int only;

	for (uint32_t i = 0; i < m->plan->count; i++)
		if (!strncmp(m->plan->node[i].config.description, text, SUBNET_DESCRIPTION_BYTES))
			return (int)i;
	named = topology_find(m->plan, text, strlen(text));
	if (named != TOPOLOGY_NO_NODE)
		return (int)named;
	only = *text ? device_managed_adapter(m, text, 0) : -ENOENT;
	if (only >= 0 && device_managed_adapter(m, text, 1) < 0)
		return only;
	return base_refuse(-ENOENT, TOPOLOGY_NO_NODE);
}

int device_managed_find_cable(const struct device_managed *m, const char *node, uint32_t port_num,
			      struct subnet_at *at)
{
	const int index = device_managed_find_node(m, node);
	struct subnet_at peer;

	if (index < 0)
		return index;
	*at = (struct subnet_at){m->node[index], (uint8_t)port_num};
	if (!port_num || port_num > m->plan->node[index].config.ports ||
	    !subnet_peer(m->subnet, *at, &peer))
		return base_refuse(-ENOENT, TOPOLOGY_NO_CABLE, port_num);
	return 0;
}

int device_managed_set_cable(struct device_managed *m, const char *node, uint32_t port_num,
			     bool whole)
{
	struct subnet_at at;
	const int ret = device_managed_find_cable(m, node, port_num, &at);

	if (!ret)
		(void)subnet_set_link(m->subnet, at, whole);
	return ret;
}

int device_managed_impair_cable(struct device_managed *m, const char *node, uint32_t port_num,
				const struct subnet_link_faults *faults)
{
	struct subnet_at at;
	const int ret = device_managed_find_cable(m, node, port_num, &at);

	return ret ? ret : subnet_set_link_faults(m->subnet, at, faults);
}
