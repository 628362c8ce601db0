// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Ports of devices. Their QPs are opened when the first agent comes, and live as long as the device and
 * the agents do: of a device that is gone they are in ERR, and agents can only be unregistered.
 */
#include <linux/err.h>
#include <linux/mutex.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/trace.h"
#include "mad/agent.h"
#include "mad/mad_priv.h"
#include "mad/sa_query.h"

/* What is known of a device: its ports, as far as they are open. */
struct mad_device {
	u32 ports;
	struct ib_mad_port_private *port[]; /* by number */
};

static struct mutex ports_lock; /* of users, owners, and of all struct mad_device */
static unsigned int users;
static LIST_HEAD(owners);

static int add_device(struct ib_device *device);
static void remove_device(struct ib_device *device, void *data);

static struct ib_client mad_client = {
	.name = "mad", .add = add_device, .remove = remove_device, .no_kverbs_req = true};

static int add_device(struct ib_device *device)
{
	const u32 ports = rdma_end_port(device) + 1;
	struct mad_device *d = base_zalloc(sizeof(*d) + ports * sizeof(void *));

	if (!d)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*d));
	d->ports = ports;
	ib_set_client_data(device, &mad_client, d);
	return 0;
}

int ib_mad_init(void)
{
	int ret = 0;

	mutex_lock(&ports_lock);
	if (!users)
		ret = ib_register_client(&mad_client);
	if (!ret)
		users++;
	mutex_unlock(&ports_lock);
	return ret;
}

void ib_mad_cleanup(void)
{
	bool last;

	mutex_lock(&ports_lock);
	last = !--users;
	mutex_unlock(&ports_lock);
	if (!last)
		return;
	ib_unregister_client(&mad_client);
	/* No port is left that a late answer could come to: the next world is as the first. */
	mad_agents_start_at(0);
}

void mad_forked(void)
{
	mutex_init(&ports_lock);
	users = 0;
	INIT_LIST_HEAD(&owners);
	mad_agents_forked();
	sa_forked();
}

void mad_own(struct mad_owner *owner)
{
	mutex_lock(&ports_lock);
	list_add(&owner->link, &owners);
	mutex_unlock(&ports_lock);
}

void mad_let_go(struct mad_owner *owner)
{
	mutex_lock(&ports_lock);
	list_del(&owner->link);
	mutex_unlock(&ports_lock);
}

static const struct mad_owner *owner_of(const struct ib_device *device)
{
	const struct mad_owner *owner;

	list_for_each_entry(owner, &owners, link)
		if (owner->device == device)
			return owner;
	return NULL;
}

static void free_port(struct ib_mad_port_private *port)
{
	if (port->wq)
		flush_workqueue(port->wq);
	ib_agent_port_free(port);
	mad_port_close_qps(port);
	destroy_workqueue(port->wq);
	base_free(port->answer);
	base_free(port);
}

static struct ib_mad_port_private *open_port(struct ib_device *device, u32 port_num)
{
	struct ib_mad_port_private *port = base_zalloc(sizeof(*port));
	int ret = -ENOMEM;

	if (!port)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*port)));
	port->device = device;
	port->port_num = port_num;
	port->mad_size = rdma_max_mad_size(device, port_num);
	port->owner = owner_of(device);
	mutex_init(&port->owner_lock);
	spin_lock_init(&port->reg_lock);
	INIT_LIST_HEAD(&port->agents);
	refcount_set(&port->refcount, 1);
	port->answer = mad_private_new(port->mad_size);
	port->wq = alloc_ordered_workqueue("ib_mad", 0);
	if (port->answer && port->wq)
		ret = mad_port_open_qps(port);
	else
		(void)base_refuse(-ENOMEM, NO_MEMORY, port->mad_size);
	if (!ret)
		ret = ib_agent_port_make(port);
	if (!ret)
		return port;
	mad_port_fail_qps(port);
	free_port(port);
	return ERR_PTR(ret);
}

static bool takes_mads(const struct ib_device *device, u32 port_num)
{
	return rdma_is_port_valid(device, port_num) && rdma_cap_ib_mad(device, port_num);
}

static struct ib_mad_port_private **slot_locked(struct ib_device *device, u32 port_num)
{
	struct mad_device *d = users ? ib_get_client_data(device, &mad_client) : NULL;

	return d && port_num < d->ports && takes_mads(device, port_num) ? &d->port[port_num] : NULL;
}

struct ib_mad_port_private *mad_port_get(struct ib_device *device, u32 port_num)
{
	struct ib_mad_port_private *port, **slot;

	mutex_lock(&ports_lock);
	slot = slot_locked(device, port_num);
	if (!slot)
		port = ERR_PTR(base_refuse(-ENODEV, MAD_NO_PORT, port_num));
	else if (*slot)
		port = *slot;
	else
		port = open_port(device, port_num);
	if (!IS_ERR(port)) {
		*slot = port;
		refcount_inc(&port->refcount);
	}
	mutex_unlock(&ports_lock);
	return port;
}

struct ib_mad_port_private *mad_port_find(struct ib_device *device, u32 port_num)
{
	struct ib_mad_port_private **slot, *port;

	mutex_lock(&ports_lock);
	slot = slot_locked(device, port_num);
	port = slot ? *slot : NULL;
	if (port)
		refcount_inc(&port->refcount);
	mutex_unlock(&ports_lock);
	return port;
}

void mad_port_put(struct ib_mad_port_private *port)
{
	if (refcount_dec_and_test(&port->refcount))
		free_port(port);
}

/* One that has not been flushed since the device went, with a reference; NULL: no more. */
static struct ib_mad_agent_private *take_agent(struct ib_mad_port_private *port)
{
	struct ib_mad_agent_private *agent, *found = NULL;

	spin_lock(&port->reg_lock);
	list_for_each_entry(agent, &port->agents, port_link)
		if (!agent->dead) {
			found = agent;
			found->dead = true;
			refcount_inc(&found->refcount);
			break;
		}
	spin_unlock(&port->reg_lock);
	return found;
}

static void close_port(struct ib_mad_port_private *port)
{
	struct ib_mad_agent_private *agent;

	spin_lock(&port->reg_lock);
	port->gone = true;
	spin_unlock(&port->reg_lock);
	mad_disown(port);
	mad_port_fail_qps(port);
	while ((agent = take_agent(port)) != NULL) {
		mad_agent_flush(agent);
		mad_agent_put(agent);
	}
	mad_port_put(port);
}

static void remove_device(struct ib_device *device, void *data)
{
	struct mad_device *d = data;

	if (!d)
		return;
	mutex_lock(&ports_lock);
	ib_set_client_data(device, &mad_client, NULL);
	mutex_unlock(&ports_lock);
	for (u32 i = 0; i < d->ports; i++)
		if (d->port[i])
			close_port(d->port[i]);
	base_free(d);
}

static const u16 drop_cause[MAD_DROPS] = {
	[MAD_DROP_LENGTH] = BASE_CAUSE_MAD_DROP_LENGTH,
	[MAD_DROP_VERSION] = BASE_CAUSE_MAD_DROP_VERSION,
	[MAD_DROP_CLASS] = BASE_CAUSE_MAD_DROP_CLASS,
	[MAD_DROP_ROUTE] = BASE_CAUSE_MAD_DROP_ROUTE,
	[MAD_DROP_NO_AGENT] = BASE_CAUSE_MAD_DROP_NO_AGENT,
	[MAD_DROP_NO_REQUEST] = 0, /* late or double: nobody's mistake */
	[MAD_DROP_RMPP] = 0,
	[MAD_DROP_MEMORY] = BASE_CAUSE_MAD_DROP_MEMORY,
};

void mad_drop(struct ib_mad_port_private *port, u32 qpn, const struct ib_mad_hdr *hdr, u32 bytes,
	      enum mad_drop why)
{
	struct base_cause cause = {.id = drop_cause[why], .side = BASE_SIDE_RESPONDER, .qpn = qpn};
	const u32 bit = 1u << why;

	__atomic_fetch_add(&port->drops[why], 1, __ATOMIC_RELAXED);
	trace(mad_dropped, port->port_num, hdr->mgmt_class, hdr->method, why);
	if (!cause.id || (__atomic_fetch_or(&port->told, bit, __ATOMIC_RELAXED) & bit))
		return;
	cause.arg[0] = port->port_num;
	cause.arg[1] = bytes;
	cause.arg[2] = hdr->base_version;
	cause.arg[3] = hdr->mgmt_class;
	cause.arg[4] = hdr->method;
	cause.arg[5] = be16_to_cpu(hdr->attr_id);
	base_cause_tell(&cause);
}

uint64_t mad_port_drops(struct ib_device *device, u32 port_num, enum mad_drop why)
{
	struct ib_mad_port_private *port = mad_port_find(device, port_num);
	uint64_t count;

	if (!port)
		return 0;
	count = __atomic_load_n(&port->drops[why], __ATOMIC_RELAXED);
	mad_port_put(port);
	return count;
}
