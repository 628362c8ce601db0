/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The life of a device: allocated, registered under a name, unregistered, freed. What happens to
 * objects that outlive their device is in docs/design/removal.md.
 */
#include "core/device_priv.h"

#include <ctype.h>
#include <linux/bug.h>
#include <linux/slab.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/uverbs_ioctl.h>
#include <stdio.h>
#include <string.h>

#include "base/cause.h"
#include "base/check.h"
#include "core/core_priv.h"

#define UVERBS_CMD(name) (1ULL << IB_USER_VERBS_CMD_##name)

/* What any provider's objects can do for a user program; a provider adds to it or takes away. */
#define UVERBS_DEFAULT_CMDS                                                                \
	(UVERBS_CMD(GET_CONTEXT) | UVERBS_CMD(QUERY_DEVICE) | UVERBS_CMD(QUERY_PORT) |     \
	 UVERBS_CMD(CREATE_COMP_CHANNEL) | UVERBS_CMD(ALLOC_PD) | UVERBS_CMD(DEALLOC_PD) | \
	 UVERBS_CMD(CREATE_AH) | UVERBS_CMD(DESTROY_AH) | UVERBS_CMD(REG_MR) |             \
	 UVERBS_CMD(REREG_MR) | UVERBS_CMD(DEREG_MR) | UVERBS_CMD(ALLOC_MW) |              \
	 UVERBS_CMD(DEALLOC_MW) | UVERBS_CMD(CREATE_CQ) | UVERBS_CMD(RESIZE_CQ) |          \
	 UVERBS_CMD(DESTROY_CQ) | UVERBS_CMD(CREATE_QP) | UVERBS_CMD(OPEN_QP) |            \
	 UVERBS_CMD(QUERY_QP) | UVERBS_CMD(MODIFY_QP) | UVERBS_CMD(DESTROY_QP) |           \
	 UVERBS_CMD(ATTACH_MCAST) | UVERBS_CMD(DETACH_MCAST) | UVERBS_CMD(CREATE_SRQ) |    \
	 UVERBS_CMD(CREATE_XSRQ) | UVERBS_CMD(MODIFY_SRQ) | UVERBS_CMD(QUERY_SRQ) |        \
	 UVERBS_CMD(DESTROY_SRQ) | UVERBS_CMD(OPEN_XRCD) | UVERBS_CMD(CLOSE_XRCD))

DEFINE_MUTEX(core_registry);

static struct {
	struct list_head devices;
	uint64_t last_number;
	u32 next_index;
} registry = {.devices = LIST_HEAD_INIT(registry.devices)};

const void *core_this_thread(void)
{
	static _Thread_local char mark;

	return &mark;
}

enum core_device_state core_device_state(const struct ib_device *device)
{
	enum core_device_state state;

	core_registry_lock();
	state = device->res->state;
	core_registry_unlock();
	return state;
}

static void set_state(struct ib_device *device, enum core_device_state state)
{
	core_registry_lock();
	device->res->state = state;
	core_registry_unlock();
	base_wake();
}

/* Memory */

static void ib_unregister_work(struct work_struct *work);

static void init_device(struct ib_device *device, struct rdma_restrack_root *root)
{
	device->res = root;
	root->device = device;
	INIT_LIST_HEAD(&root->link);
	INIT_LIST_HEAD(&root->clients);
	spin_lock_init(&root->lock);

	kref_init(&device->dev.kref);
	device->dev.numa_node = NUMA_NO_NODE;
	device->coredev.owner = device;
	INIT_LIST_HEAD(&device->coredev.port_list);
	INIT_LIST_HEAD(&device->event_handler_list);
	init_rwsem(&device->event_handler_rwsem);
	spin_lock_init(&device->qp_open_list_lock);
	init_rwsem(&device->client_data_rwsem);
	xa_init_flags(&device->client_data, XA_FLAGS_ALLOC);
	mutex_init(&device->unregistration_lock);
	rwlock_init(&device->cache_lock);
	spin_lock_init(&device->cq_pools_lock);
	for (int i = 0; i <= IB_POLL_LAST_POOL_TYPE; i++)
		INIT_LIST_HEAD(&device->cq_pools[i]);
	xa_init(&device->compat_devs);
	mutex_init(&device->compat_devs_mutex);
	init_completion(&device->unreg_completion);
	INIT_WORK(&device->unregistration_work, ib_unregister_work);
	device->uverbs_cmd_mask = UVERBS_DEFAULT_CMDS;
	core_events_init(device);
}

struct ib_device *_ib_alloc_device(size_t size)
{
	struct rdma_restrack_root *root;
	struct ib_device *device;

	if (size < sizeof(*device)) {
		(void)base_refuse(-EINVAL, DEVICE_SIZE, size, sizeof(*device));
		return NULL;
	}
	device = kzalloc(size, GFP_KERNEL);
	root = kzalloc(sizeof(*root), GFP_KERNEL);
	if (!device || !root) {
		(void)base_refuse(-ENOMEM, NO_MEMORY, size);
		kfree(device);
		kfree(root);
		return NULL;
	}
	init_device(device, root);
	return device;
}

static void free_ports(struct ib_device *device)
{
	if (!device->port_data)
		return;
	ib_cache_release_one(device);
	core_hw_stats_release(device);
	core_netdevs_release(device);
	kfree(device->port_data);
	device->port_data = NULL;
}

static void free_device(struct kref *kref)
{
	struct ib_device *device = container_of(kref, struct ib_device, dev.kref);

	free_ports(device);
	xa_destroy(&device->client_data);
	xa_destroy(&device->compat_devs);
	kfree(device->res);
	kfree(device);
}

void core_device_hold(struct ib_device *device)
{
	kref_get(&device->dev.kref);
}

void core_device_drop(struct ib_device *device)
{
	(void)kref_put(&device->dev.kref, free_device);
}

/* Objects */

int core_object_get(struct ib_device *device)
{
	struct rdma_restrack_root *root = device->res;

	if (core_device_removed(device))
		return base_refuse(-ENODEV, DEVICE_REMOVED, device->index);
	spin_lock(&root->lock);
	root->objects++;
	spin_unlock(&root->lock);
	return 0;
}

unsigned int core_object_count(const struct ib_device *device)
{
	struct rdma_restrack_root *root = device->res;
	unsigned int objects;

	spin_lock(&root->lock);
	objects = root->objects;
	spin_unlock(&root->lock);
	return objects;
}

bool core_device_removed(const struct ib_device *device)
{
	return core_device_state(device) == CORE_DEVICE_REMOVED;
}

/* No object is left: tell the provider, and if the device has been deallocated, do it now. */
static void run_idle(struct ib_device *device)
{
	struct rdma_restrack_root *root = device->res;
	core_idle_fn when_idle[CORE_WHEN_IDLE_MAX] = {NULL};
	bool dealloc = false;

	spin_lock(&root->lock);
	if (!root->objects) {
		memcpy(when_idle, root->when_idle, sizeof(when_idle));
		memset(root->when_idle, 0, sizeof(root->when_idle));
		dealloc = root->dealloc_wanted;
		root->dealloc_wanted = false;
	}
	spin_unlock(&root->lock);
	for (int i = 0; i < CORE_WHEN_IDLE_MAX && when_idle[i]; i++)
		when_idle[i](device);
	if (!dealloc)
		return;
	if (device->ops.dealloc_driver)
		device->ops.dealloc_driver(device);
	core_events_forget(device);
	core_device_drop(device);
}

void core_object_put(struct ib_device *device)
{
	struct rdma_restrack_root *root = device->res;
	bool last;

	spin_lock(&root->lock);
	INVARIANT(root->objects > 0);
	last = --root->objects == 0 && (root->when_idle[0] || root->dealloc_wanted);
	if (last)
		core_device_hold(device);
	spin_unlock(&root->lock);
	if (!last)
		return;
	run_idle(device);
	core_device_drop(device);
}

void ib_device_when_idle(struct ib_device *device, void (*fn)(struct ib_device *device))
{
	struct rdma_restrack_root *root = device->res;
	int i = 0;

	spin_lock(&root->lock);
	while (i < CORE_WHEN_IDLE_MAX && root->when_idle[i])
		i++;
	INVARIANT(i < CORE_WHEN_IDLE_MAX);
	root->when_idle[i] = fn;
	spin_unlock(&root->lock);
	run_idle(device);
}

static void forget_name(struct ib_device *device)
{
	core_registry_lock();
	list_del_init(&device->res->link);
	core_registry_unlock();
}

void ib_dealloc_device(struct ib_device *device)
{
	struct rdma_restrack_root *root = device->res;
	const enum core_device_state state = core_device_state(device);

	if (WARN_ON(state != CORE_DEVICE_NEW && state != CORE_DEVICE_REMOVED))
		return;
	core_device_hold(device);
	forget_name(device);
	if (core_object_count(device))
		dev_warn(&device->dev, "deallocated with %u objects alive, freed with the last\n",
			 core_object_count(device));
	spin_lock(&root->lock);
	root->dealloc_wanted = true;
	spin_unlock(&root->lock);
	run_idle(device);
	core_device_drop(device);
}

/* Names */

static struct ib_device *find_name(const char *name)
{
	struct rdma_restrack_root *root;

	list_for_each_entry(root, &registry.devices, link)
		if (!strcmp(root->device->name, name))
			return root->device;
	return NULL;
}

/* The number that @name has in place of the %d of @pattern; -1 if it has none. */
static long number_in(const char *name, const char *pattern, size_t prefix)
{
	long number = 0;
	size_t i = prefix;

	if (strncmp(name, pattern, prefix) != 0 || !isdigit((unsigned char)name[i]))
		return -1;
	if (name[i] == '0' && isdigit((unsigned char)name[i + 1]))
		return -1;
	for (; isdigit((unsigned char)name[i]) && number < INT32_MAX; i++)
		number = number * 10 + (name[i] - '0');
	return strcmp(name + i, pattern + prefix + 2) == 0 ? number : -1;
}

/* The first number that no name of this pattern has. */
static int free_number(const char *pattern, size_t prefix)
{
	struct rdma_restrack_root *root;
	size_t count = 1, free_one = 0;
	bool *taken;

	list_for_each_entry(root, &registry.devices, link)
		count++;
	taken = base_zalloc_array(count, sizeof(*taken));
	if (!taken)
		return base_refuse(-ENOMEM, NO_MEMORY, count);
	list_for_each_entry(root, &registry.devices, link) {
		const long number = number_in(root->device->name, pattern, prefix);

		if (number >= 0 && (size_t)number < count)
			taken[number] = true;
	}
	while (taken[free_one])
		free_one++;
	base_free(taken);
	return (int)free_one;
}

static int make_name(const char *name, char full[IB_DEVICE_NAME_MAX])
{
	const char *mark = name ? strchr(name, '%') : NULL;
	const size_t length = name ? strnlen(name, IB_DEVICE_NAME_MAX) : 0;
	int number, written;

	if (!length || length == IB_DEVICE_NAME_MAX || strchr(name, '/') ||
	    (mark && (mark[1] != 'd' || strchr(mark + 1, '%'))))
		return base_refuse(-EINVAL, DEVICE_NAME_BAD, length);
	if (!mark) {
		if (find_name(name))
			return base_refuse(-ENFILE, DEVICE_NAME_TAKEN, find_name(name)->index);
		memcpy(full, name, length + 1);
		return 0;
	}
	number = free_number(name, (size_t)(mark - name));
	if (number < 0)
		return number;
	written = snprintf(full, IB_DEVICE_NAME_MAX, "%.*s%d%s", (int)(mark - name), name, number,
			   mark + 2);
	if (written >= IB_DEVICE_NAME_MAX)
		return base_refuse(-EINVAL, DEVICE_NAME_BAD, (uint64_t)written);
	return 0;
}

static int assign_name(struct ib_device *device, const char *name)
{
	struct rdma_restrack_root *root = device->res;
	char full[IB_DEVICE_NAME_MAX] = "";
	int ret;

	core_registry_lock();
	if (root->state != CORE_DEVICE_NEW)
		ret = base_refuse(-EINVAL, DEVICE_STATE, root->state);
	else
		ret = make_name(name, full);
	if (!ret) {
		memcpy(device->name, full, sizeof(device->name));
		memcpy(device->dev.name, full, sizeof(device->dev.name));
		if (list_empty(&registry.devices))
			registry.next_index = 0;
		device->index = registry.next_index++;
		root->number = ++registry.last_number;
		root->state = CORE_DEVICE_NAMED;
		list_add_tail(&root->link, &registry.devices);
	}
	core_registry_unlock();
	return ret;
}

struct ib_device *core_device_next(uint64_t number)
{
	struct rdma_restrack_root *root;
	struct ib_device *found = NULL;

	core_registry_lock();
	list_for_each_entry(root, &registry.devices, link) {
		if (root->number > number) {
			found = root->device;
			core_device_hold(found);
			break;
		}
	}
	core_registry_unlock();
	return found;
}

struct ib_device *ib_device_get_by_name(const char *name, enum rdma_driver_id driver_id)
{
	struct ib_device *device;

	core_registry_lock();
	device = find_name(name);
	if (device && driver_id != RDMA_DRIVER_UNKNOWN && device->ops.driver_id != driver_id)
		device = NULL;
	if (device && !ib_device_try_get(device))
		device = NULL;
	core_registry_unlock();
	return device;
}

/* Registration */

#define OP(name) offsetof(struct ib_device_ops, name)

/* What a client of the kernel's verbs relies on. */
static const size_t mandatory_ops[] = {
	OP(query_device),	OP(query_port), OP(alloc_pd),	 OP(dealloc_pd),
	OP(create_qp),		OP(modify_qp),	OP(destroy_qp),	 OP(post_send),
	OP(post_recv),		OP(create_cq),	OP(destroy_cq),	 OP(poll_cq),
	OP(req_notify_cq),	OP(get_dma_mr), OP(reg_user_mr), OP(dereg_mr),
	OP(get_port_immutable),
};

static bool is_kverbs_provider(const struct ib_device_ops *ops)
{
	for (size_t i = 0; i < sizeof(mandatory_ops) / sizeof(mandatory_ops[0]); i++) {
		void (*op)(void);

		memcpy(&op, (const char *)ops + mandatory_ops[i], sizeof(op));
		if (!op)
			return false;
	}
	return true;
}

static int setup_port(struct ib_device *device, u32 port)
{
	struct ib_port_data *data = &device->port_data[port];
	int ret;

	data->ib_dev = device;
	spin_lock_init(&data->pkey_list_lock);
	spin_lock_init(&data->netdev_lock);
	INIT_LIST_HEAD(&data->pkey_list);
	ret = device->ops.get_port_immutable(device, port, &data->immutable);
	if (ret)
		return ret;
	if (data->immutable.max_mad_size && !rdma_cap_ib_mad(device, port))
		return base_refuse(-EINVAL, PORT_MAD_SIZE, port, data->immutable.max_mad_size);
	if (data->immutable.gid_tbl_len < 0 || data->immutable.pkey_tbl_len < 0)
		return base_refuse(-EINVAL, PORT_TABLE_LENGTH, port);
	return 0;
}

static int setup_ports(struct ib_device *device)
{
	u32 port;
	int ret;

	if (!device->phys_port_cnt)
		return base_refuse(-EINVAL, DEVICE_NO_PORTS);
	if (!device->ops.get_port_immutable)
		return base_refuse(-EINVAL, DEVICE_NO_PORT_DATA);
	device->port_data =
		base_zalloc_array((size_t)rdma_end_port(device) + 1, sizeof(*device->port_data));
	if (!device->port_data)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*device->port_data));
	rdma_for_each_port(device, port) {
		ret = setup_port(device, port);
		if (ret)
			return ret;
	}
	return 0;
}

static int setup_device(struct ib_device *device)
{
	struct uverbs_attr_bundle no_call = {.context = NULL};
	int ret;

	device->kverbs_provider = is_kverbs_provider(&device->ops);
	ret = setup_ports(device);
	if (ret)
		return ret;
	memset(&device->attrs, 0, sizeof(device->attrs));
	if (!device->ops.query_device)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	ret = device->ops.query_device(device, &device->attrs, &no_call.driver_udata);
	if (ret)
		return ret;
	ret = ib_cache_setup_one(device);
	if (ret)
		return ret;
	return core_hw_stats_setup(device);
}

/* Client callbacks are over, references are gone: nothing finds the device any more. */
static void disable_device(struct ib_device *device)
{
	core_clients_remove(device);
	ib_cq_pool_cleanup(device);
	ib_device_put(device);
	wait_for_completion(&device->unreg_completion);
	core_events_close(device);
	ib_cache_cleanup_one(device);
}

/* Whether it is up to the caller to unregister the device now. */
static bool begin_unregister(struct ib_device *device)
{
	bool mine;

	core_registry_lock();
	mine = device->res->state == CORE_DEVICE_REGISTERED;
	if (mine)
		device->res->state = CORE_DEVICE_UNREGISTERING;
	core_registry_unlock();
	return mine;
}

/* Nobody can unregister the device before the second of the two references is put. */
static int enable_device(struct ib_device *device)
{
	int ret = 0;

	reinit_completion(&device->unreg_completion);
	core_registry_lock();
	refcount_set(&device->refcount, 2);
	device->res->state = CORE_DEVICE_ENABLING;
	core_registry_unlock();
	rdma_roce_rescan_device(device);
	if (device->ops.enable_driver)
		ret = device->ops.enable_driver(device);
	set_state(device, CORE_DEVICE_REGISTERED);
	if (!ret)
		ret = core_clients_add(device);
	ib_device_put(device);
	if (ret && begin_unregister(device)) {
		disable_device(device);
		set_state(device, CORE_DEVICE_NAMED);
	}
	return ret;
}

int ib_register_device(struct ib_device *device, const char *name, struct device *dma_device)
{
	int ret = assign_name(device, name);

	if (ret)
		return ret;
	core_device_hold(device);
	device->dma_device = dma_device;
	device->dev.parent = dma_device;
	ret = setup_device(device);
	if (!ret)
		ret = enable_device(device);
	if (ret && core_device_state(device) == CORE_DEVICE_NAMED) {
		free_ports(device);
		forget_name(device);
		core_events_init(device);
		set_state(device, CORE_DEVICE_NEW);
	}
	core_device_drop(device);
	return ret;
}

/* Removal */

static bool is_removed(void *arg)
{
	return core_device_removed(arg);
}

/* The first caller does it; others, meanwhile, wait for it. The caller holds the device. */
static void unregister(struct ib_device *device)
{
	if (!begin_unregister(device)) {
		if (core_device_state(device) == CORE_DEVICE_UNREGISTERING)
			(void)base_wait_until(is_removed, device, BASE_FOREVER_NS);
		return;
	}
	disable_device(device);
	core_post_refuse(device);
	set_state(device, CORE_DEVICE_REMOVED);
	if (device->ops.dealloc_driver)
		ib_dealloc_device(device);
}

void ib_unregister_device(struct ib_device *device)
{
	core_device_hold(device);
	unregister(device);
	core_device_drop(device);
}

void ib_unregister_device_and_put(struct ib_device *device)
{
	WARN_ON(!device->ops.dealloc_driver);
	core_device_hold(device);
	ib_device_put(device);
	unregister(device);
	core_device_drop(device);
}

static void ib_unregister_work(struct work_struct *work)
{
	struct ib_device *device = container_of(work, struct ib_device, unregistration_work);

	unregister(device);
	core_device_drop(device);
}

void ib_unregister_device_queued(struct ib_device *ib_dev)
{
	WARN_ON(!ib_dev->ops.dealloc_driver);
	core_device_hold(ib_dev);
	if (!schedule_work(&ib_dev->unregistration_work))
		core_device_drop(ib_dev);
}

void ib_unregister_driver(enum rdma_driver_id driver_id)
{
	struct ib_device *device;

	for (uint64_t number = 0; (device = core_device_next(number)); core_device_drop(device)) {
		number = device->res->number;
		if (device->ops.driver_id == driver_id)
			unregister(device);
	}
}

void ib_device_put(struct ib_device *device)
{
	if (refcount_dec_and_test(&device->refcount))
		complete(&device->unreg_completion);
}

void core_forked(void)
{
	mutex_init(&core_registry);
	INIT_LIST_HEAD(&registry.devices);
	core_clients_forked();
}
