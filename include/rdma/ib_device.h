/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* RDMA devices, their ports, and clients that want to hear of them. */
#ifndef VERBENA_RDMA_IB_DEVICE_H
#define VERBENA_RDMA_IB_DEVICE_H

#include <linux/bug.h>
#include <linux/device.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include <rdma/ib_device_ops.h>

/* Whose name calls without one of their own are recorded under. */
#ifndef KBUILD_MODNAME
#define KBUILD_MODNAME "verbena"
#endif

/**
 * struct ib_port_cache - Cached port data.
 * @subnet_prefix: Prefix.
 * @pkey: P_Key cache.
 * @gid: GID table.
 * @lmc: LMC.
 * @port_state: State.
 */
struct ib_port_cache {
	u64 subnet_prefix;
	struct ib_pkey_cache *pkey;
	struct ib_gid_table *gid;
	u8 lmc;
	enum ib_port_state port_state;
};

/* Which counter set the QPs of a port are bound to. */
struct rdma_port_counter {
	struct rdma_hw_stats *hstats;
	unsigned int num_counters;
};

/**
 * struct ib_port_data - Per-port core state, indexed by port number.
 * @ib_dev: Back pointer.
 * @immutable: Constants.
 * @pkey_list_lock: Protects pkey_list.
 * @netdev_lock: Protects netdev.
 * @pkey_list: Security list.
 * @cache: Cached values.
 * @netdev: Network interface.
 * @ndev_hash_link: Hash link.
 * @port_counter: Statistics binding.
 * @sysfs: Sysfs object.
 */
struct ib_port_data {
	struct ib_device *ib_dev;
	struct ib_port_immutable immutable;
	spinlock_t pkey_list_lock;
	spinlock_t netdev_lock;
	struct list_head pkey_list;
	struct ib_port_cache cache;
	struct net_device *netdev;
	struct hlist_node ndev_hash_link;
	struct rdma_port_counter port_counter;
	struct ib_port *sysfs;
};

/**
 * struct ib_core_device - Device-model part.
 * @dev: Generic device.
 * @rdma_net: Network namespace.
 * @ports_kobj: Sysfs directory.
 * @port_list: Sysfs ports.
 * @owner: ib_device.
 */
struct ib_core_device {
	struct device dev;
	possible_net_t rdma_net;
	struct kobject *ports_kobj;
	struct list_head port_list;
	struct ib_device *owner;
};

/**
 * struct ib_device - RDMA device.
 * @dma_device: Device used for DMA; NULL = virtual addresses are used directly.
 * @ops: Method table.
 * @name: Device name (64 bytes).
 * @rcu_head: Deferred free.
 * @event_handler_list: Registered ib_event_handler.
 * @event_handler_rwsem: Protects the list.
 * @qp_open_list_lock: Protects shared-QP handle lists.
 * @client_data_rwsem: Protects client registration state.
 * @client_data: Per-client data.
 * @unregistration_lock: Serialises unregister.
 * @cache_lock: Protects GID/P_Key/LMC caches.
 * @port_data: Per-port state, indexed from the first port.
 * @num_comp_vectors: Completion vectors.
 * @dev: Generic device.
 * @coredev: Same memory, core view.
 * @groups: Sysfs groups.
 * @hw_stats_attr_index: Position in groups.
 * @uverbs_cmd_mask: Enabled uverbs commands.
 * @node_desc: Node description.
 * @board_id: What sysfs says of the board; "" for nothing in particular (Verbena).
 * @node_guid: Node GUID.
 * @local_dma_lkey: Device-wide key (with IBK_LOCAL_DMA_LKEY).
 * @is_switch: Switch; ports start at 0.
 * @kverbs_provider: All mandatory kernel methods present.
 * @use_cq_dim: Adaptive moderation.
 * @node_type: RDMA_NODE_*.
 * @phys_port_cnt: Number of ports.
 * @attrs: Capabilities.
 * @hw_stats_data: Counters.
 * @cg_device: Cgroup accounting.
 * @index: Device index.
 * @cq_pools_lock: Protects cq_pools.
 * @cq_pools: Shared CQs per poll context.
 * @res: Resource tracking (core private).
 * @driver_def: Uverbs description.
 * @refcount: Users while registered.
 * @unreg_completion: Signalled when refcount drops to 0.
 * @unregistration_work: Deferred unregister.
 * @link_ops: Netlink creation ops.
 * @compat_devs_mutex: Protects compat_devs.
 * @compat_devs: Namespace shadow devices.
 * @iw_ifname: IWARP interface name.
 * @iw_driver_flags: IWARP flags.
 * @lag_flags: LAG flags.
 */
struct ib_device {
	struct device *dma_device;
	struct ib_device_ops ops;
	char name[IB_DEVICE_NAME_MAX];
	struct rcu_head rcu_head;
	struct list_head event_handler_list;
	struct rw_semaphore event_handler_rwsem;
	spinlock_t qp_open_list_lock;
	struct rw_semaphore client_data_rwsem;
	struct xarray client_data;
	struct mutex unregistration_lock;
	rwlock_t cache_lock;
	struct ib_port_data *port_data;
	int num_comp_vectors;
	union {
		struct device dev;
		struct ib_core_device coredev;
	};
	const struct attribute_group *groups[4];
	u8 hw_stats_attr_index;
	u64 uverbs_cmd_mask;
	char node_desc[IB_DEVICE_NODE_DESC_MAX];
	char board_id[IB_DEVICE_NODE_DESC_MAX];
	__be64 node_guid;
	u32 local_dma_lkey;
	u16 is_switch : 1;
	u16 kverbs_provider : 1;
	u16 use_cq_dim : 1;
	u8 node_type;
	u32 phys_port_cnt;
	struct ib_device_attr attrs;
	struct hw_stats_device_data *hw_stats_data;
	struct rdmacg_device cg_device;
	u32 index;
	spinlock_t cq_pools_lock;
	struct list_head cq_pools[IB_POLL_LAST_POOL_TYPE + 1];
	struct rdma_restrack_root *res;
	const struct uapi_definition *driver_def;
	refcount_t refcount;
	struct completion unreg_completion;
	struct work_struct unregistration_work;
	const struct rdma_link_ops *link_ops;
	struct mutex compat_devs_mutex;
	struct xarray compat_devs;
	char iw_ifname[16]; /* IFNAMSIZ, whose header not every program can bear */
	u32 iw_driver_flags;
	u32 lag_flags;
};

/**
 * struct ib_client - In-kernel user of all devices.
 * @name: Name.
 * @add: Called for each device; error means not attached.
 * @remove: Called on removal with the client data.
 * @rename: Device renamed.
 * @get_nl_info: Netlink.
 * @get_global_nl_info: Netlink.
 * @get_net_dev_by_params: Find network interface (rdma_cm).
 * @uses: Callbacks in progress.
 * @uses_zero: Signalled at zero.
 * @client_id: Index.
 * @no_kverbs_req: Also wants devices without kernel verbs.
 */
struct ib_client {
	const char *name;
	int (*add)(struct ib_device *ibdev);
	void (*remove)(struct ib_device *, void *client_data);
	void (*rename)(struct ib_device *dev, void *client_data);
	int (*get_nl_info)(struct ib_device *ibdev, void *client_data,
			   struct ib_client_nl_info *res);
	int (*get_global_nl_info)(struct ib_client_nl_info *res);
	struct net_device *(*get_net_dev_by_params)(struct ib_device *dev, u32 port, u16 pkey,
						    const union ib_gid *gid,
						    const struct sockaddr *addr, void *client_data);
	refcount_t uses;
	struct completion uses_zero;
	u32 client_id;
	u8 no_kverbs_req : 1;
};

/**
 * struct ib_port_speed_info - Rate of a link.
 * @str: Suffix that names the speed, with a space in front: " EDR".
 * @rate: In units of 100 Mbit/s, all lanes together.
 */
struct ib_port_speed_info {
	const char *str;
	int rate;
};

#ifdef __cplusplus
extern "C" {
#endif

/**
 * _ib_alloc_device() - Memory for a provider's device.
 * @size: Bytes of the provider's structure, which begins with a struct ib_device.
 *
 * Use ib_alloc_device(), which counts the bytes itself.
 *
 * Context: May sleep.
 * Return: The zeroed device with lists, locks and reference count set up, the caller's until
 *	ib_dealloc_device(); NULL if @size is less than a struct ib_device, or without memory.
 */
struct ib_device *_ib_alloc_device(size_t size);

/* A cast and not container_of(): without memory there is nothing to subtract from. */
/**
 * ib_alloc_device() - Memory for a provider's device, by type.
 * @drv_struct: Tag of the provider's structure.
 * @member: Its struct ib_device; must be the first member, which the compiler checks.
 *
 * Return: Pointer to a struct @drv_struct, or NULL without memory.
 */
#define ib_alloc_device(drv_struct, member)             \
	((struct drv_struct *)(void *)_ib_alloc_device( \
		sizeof(struct drv_struct) +             \
		(size_t)BUILD_BUG_ON_ZERO(__builtin_offsetof(struct drv_struct, member) != 0)))

/**
 * ib_dealloc_device() - Give back a device that is not registered.
 * @device: From ib_alloc_device(); never registered, or unregistered since.
 *
 * Calls the provider's dealloc_driver op. Objects that clients failed to destroy keep the memory
 * until the last of them is gone; everything else of the device is gone on return.
 *
 * Context: May sleep. Not for a device whose unregistration frees it (see ib_unregister_device()).
 */
void ib_dealloc_device(struct ib_device *device);

/**
 * ib_set_device_ops() - Tell the core what a provider can do.
 * @device: Not registered yet.
 * @ops: Copied; members that are NULL or 0 say nothing.
 *
 * What an earlier call has set is kept, so a driver calls this before the library it stands on
 * does. A driver_id or owner that contradicts an earlier one is complained about and ignored.
 */
void ib_set_device_ops(struct ib_device *device, const struct ib_device_ops *ops);

/**
 * ib_register_device() - Make a device known to clients.
 * @device: With its ops set, at least one port, and a provider that is ready to serve.
 * @name: Name; a "%d" in it becomes the first free number.
 * @dma_device: Device whose DMA addresses the verbs take. NULL: they are virtual addresses.
 *
 * Reads attributes and the ports' constants, fills the caches of GIDs and P_Keys, then runs the add
 * callback of every client in the order of their registration.
 *
 * Context: May sleep; takes no lock of the caller's.
 * Return: 0. On failure the caller still owns the device: -ENFILE if a device has that fixed name
 *	already; -EINVAL if there is no port, or a port without usable constants; -ENOMEM; or what
 *	an op of the provider returned.
 */
int ib_register_device(struct ib_device *device, const char *name, struct device *dma_device);

/**
 * ib_unregister_device() - Take a device away from everybody.
 * @device: Registered.
 *
 * Runs the remove callbacks in reverse order, waits until the last ib_device_put() of those that
 * got it by ib_device_try_get(), and empties the caches. A provider with a dealloc_driver op has
 * its device freed, too.
 *
 * Context: May sleep, as long as users keep references. No lock that a client's callback takes.
 */
void ib_unregister_device(struct ib_device *device);

/**
 * ib_unregister_device_and_put() - Unregister a device to which the caller holds a reference.
 * @device: From ib_device_get_by_name() or after ib_device_try_get(); needs a dealloc_driver op.
 *
 * Several threads may do this at once; one of them does the work, all return when it is done.
 *
 * Context: May sleep.
 */
void ib_unregister_device_and_put(struct ib_device *device);

/**
 * ib_unregister_device_queued() - Unregister a device soon, in another context.
 * @ib_dev: Registered; needs a dealloc_driver op.
 *
 * Context: Any that may allocate nothing and not sleep.
 */
void ib_unregister_device_queued(struct ib_device *ib_dev);

/**
 * ib_device_when_idle() - Tell a provider when its tables are no longer needed (not the kernel's).
 * @device: After ib_unregister_device().
 * @fn: Called once, when no PD, QP, CQ, MR, AH ... of the device is left: at once, from this call,
 *	if that is so already; else from within the destruction of the last one. May free the
 *	provider's tables, not the device.
 *
 * Up to three may wait, a driver and the library that it stands on for instance; they are called
 * in the order of these calls. Who frees right after ib_unregister_device() what the destroy ops
 * need would crash a program that destroys its objects late (docs/design/removal.md).
 *
 * Context: May sleep.
 */
void ib_device_when_idle(struct ib_device *device, void (*fn)(struct ib_device *device));

/**
 * ib_device_set_netdev() - Say which interface a RoCE port is on.
 * @ib_dev: The device, registered or not.
 * @ndev: The interface, which gets a reference, or NULL.
 * @port: Port number.
 *
 * GIDs of a registered port follow at once. ops.get_netdev, where there is one, has precedence.
 *
 * Return: 0; -EINVAL if there is no such port; -ENODEV before ib_register_device() has set up
 *	the ports (ops.enable_driver may call it).
 */
int ib_device_set_netdev(struct ib_device *ib_dev, struct net_device *ndev, u32 port);

/**
 * ib_device_get_netdev() - The interface of a port.
 * @ib_dev: The device.
 * @port: Port number.
 *
 * Return: The interface with a reference, for verbena_netdev_put(); NULL if it has none.
 */
struct net_device *ib_device_get_netdev(struct ib_device *ib_dev, u32 port);

/**
 * ib_unregister_driver() - Unregister all devices of a driver.
 * @driver_id: Which driver.
 *
 * Context: May sleep. No device of that driver is registered when it returns.
 */
void ib_unregister_driver(enum rdma_driver_id driver_id);

/**
 * ib_register_client() - Hear of all devices, those of now and those to come.
 * @client: Stays the caller's, but must not change until ib_unregister_client().
 *
 * Calls @client->add for every registered device at once. A device on which it fails is as if it
 * were not there for this client: no data, no remove callback. Devices without kernel verbs are
 * shown only to clients with no_kverbs_req.
 *
 * Context: May sleep.
 * Return: 0, also if some add callback failed; -ENOMEM; -EBUSY if there are too many clients.
 */
int ib_register_client(struct ib_client *client);

/**
 * ib_unregister_client() - Hear of devices no more.
 * @client: From ib_register_client().
 *
 * Calls @client->remove for every device that the client still has.
 *
 * Context: May sleep. No callback of the client runs any more when it returns.
 */
void ib_unregister_client(struct ib_client *client);

/**
 * ib_set_client_data() - Keep a client's pointer with a device.
 * @device: Which device.
 * @client: Whose pointer.
 * @data: Handed to the remove callback. An error pointer is complained about and kept as NULL.
 *
 * Context: From the start of the client's add callback to the return of its remove callback.
 */
void ib_set_client_data(struct ib_device *device, struct ib_client *client, void *data);

/**
 * ib_get_client_data() - The pointer that ib_set_client_data() stored.
 * @device: Which device.
 * @client: Whose pointer.
 *
 * Context: From the client's add callback to the return of its remove callback. Takes a lock for a
 *	moment, does not sleep.
 * Return: The pointer, or NULL.
 */
void *ib_get_client_data(struct ib_device *device, struct ib_client *client);

/**
 * ib_device_try_get() - Keep a device from being unregistered.
 * @dev: A device whose memory is known to exist.
 *
 * Context: Any, does not sleep.
 * Return: true with a reference, for ib_device_put(); false if the device is not registered, or is
 *	being unregistered.
 */
static inline bool ib_device_try_get(struct ib_device *dev)
{
	return refcount_inc_not_zero(&dev->refcount);
}

/**
 * ib_device_put() - Give back what ib_device_try_get() took.
 * @device: The last reference wakes a waiting ib_unregister_device().
 *
 * Context: Any, does not sleep.
 */
void ib_device_put(struct ib_device *device);

/**
 * ib_device_get_by_name() - Find a registered device.
 * @name: Its name.
 * @driver_id: Its driver, or RDMA_DRIVER_UNKNOWN for any.
 *
 * Context: May sleep.
 * Return: The device with a reference, for ib_device_put(); NULL if there is none.
 */
struct ib_device *ib_device_get_by_name(const char *name, enum rdma_driver_id driver_id);

/**
 * ib_get_device_fw_str() - Firmware version as text.
 * @device: Which device.
 * @str: Out: IB_FW_VERSION_NAME_MAX bytes; an empty string if the provider says nothing.
 */
void ib_get_device_fw_str(struct ib_device *device, char *str);

/**
 * ib_port_immutable_read() - What never changes of a port.
 * @dev: Registered.
 * @port: A valid port; any other is complained about.
 *
 * Return: The constants, owned by the device.
 */
const struct ib_port_immutable *ib_port_immutable_read(struct ib_device *dev, unsigned int port);

/**
 * INIT_IB_EVENT_HANDLER() - Prepare a struct ib_event_handler.
 * @_ptr: The handler.
 * @_device: Whose events.
 * @_handler: What to call.
 */
#define INIT_IB_EVENT_HANDLER(_ptr, _device, _handler) \
	do {                                           \
		(_ptr)->device = (_device);            \
		(_ptr)->handler = (_handler);          \
		INIT_LIST_HEAD(&(_ptr)->list);         \
	} while (0)

/**
 * ib_register_event_handler() - Hear of events of a device and its ports.
 * @event_handler: Prepared with INIT_IB_EVENT_HANDLER(); the core's until unregistered.
 *
 * Handlers are called one after the other, in the order of registration. Events of a QP, CQ, SRQ or
 * WQ go to the object's own handler instead.
 *
 * Context: May sleep; not from within a handler.
 */
void ib_register_event_handler(struct ib_event_handler *event_handler);

/**
 * ib_unregister_event_handler() - Hear of a device's events no more.
 * @event_handler: Registered.
 *
 * Context: May sleep; not from within a handler. The handler does not run any more on return.
 */
void ib_unregister_event_handler(struct ib_event_handler *event_handler);

/**
 * ib_dispatch_event() - Report an event of a device or port (providers).
 * @event: Copied.
 *
 * The handlers run later, in a context that may sleep. Events after which GIDs, P_Keys, LIDs or
 * states may differ bring the caches up to date first; of IB_EVENT_GID_CHANGE that is all: the
 * cache reports the entries that did change.
 *
 * Context: Any, completion handlers and held locks included. Without memory the event is lost.
 */
void ib_dispatch_event(const struct ib_event *event);

/**
 * ib_event_msg() - Name of an event, for people.
 * @event: Any value.
 *
 * Return: A constant; "unrecognized event" where there is no text.
 */
const char *ib_event_msg(enum ib_event_type event);

/**
 * ib_query_port() - Read what a port is and does now.
 * @device: Which device.
 * @port_num: Which port.
 * @port_attr: Out; cleared first.
 *
 * Context: May sleep.
 * Return: 0; -EINVAL if there is no such port; what the provider's query_port op returned.
 */
int ib_query_port(struct ib_device *device, u32 port_num, struct ib_port_attr *port_attr);

/**
 * ib_query_pkey() - Read an entry of a port's P_Key table from the provider.
 * @device: Which device.
 * @port_num: Which port.
 * @index: Which entry.
 * @pkey: Out, host order; 0 for an empty entry.
 *
 * Context: May sleep. ib_get_cached_pkey() does not.
 * Return: 0; -EINVAL if there is no such port or entry; -EOPNOTSUPP if the provider has no P_Keys;
 *	another errno of the provider's.
 */
int ib_query_pkey(struct ib_device *device, u32 port_num, u16 index, u16 *pkey);

/**
 * ib_find_gid() - Find the port that has a GID.
 * @device: Where to search; RoCE ports are left out.
 * @gid: All 16 bytes must match.
 * @port_num: Out, on success: the port.
 * @index: Out, on success: index in its GID table. May be NULL.
 *
 * Context: May sleep.
 * Return: 0; -ENOENT if no port has it.
 */
int ib_find_gid(struct ib_device *device, union ib_gid *gid, u32 *port_num, u16 *index);

/**
 * ib_find_pkey() - Find a P_Key in a port's table.
 * @device: Which device.
 * @port_num: Which port.
 * @pkey: The low 15 bits must match; a full member's entry is preferred to a limited one's.
 * @index: Out, on success.
 *
 * Context: May sleep. ib_find_cached_pkey() does not.
 * Return: 0; -ENOENT if it is not there; an errno of ib_query_pkey().
 */
int ib_find_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index);

/**
 * ib_modify_device() - Change a device's identity.
 * @device: Which device.
 * @device_modify_mask: IB_DEVICE_MODIFY_* for each member of @device_modify that is meant.
 * @device_modify: New values.
 *
 * Context: May sleep.
 * Return: 0; -EOPNOTSUPP if the provider cannot; another errno of the provider's.
 */
int ib_modify_device(struct ib_device *device, int device_modify_mask,
		     struct ib_device_modify *device_modify);

/**
 * ib_modify_port() - Change a port.
 * @device: Which device.
 * @port_num: Which port.
 * @port_modify_mask: IB_PORT_SHUTDOWN, IB_PORT_INIT_TYPE, IB_PORT_RESET_QKEY_CNTR.
 * @port_modify: Capability bits to set and clear.
 *
 * Context: May sleep.
 * Return: 0, also on a RoCE port of a provider that cannot, if all that is asked for is the bit of
 *	the connection manager; -EINVAL if there is no such port; -EOPNOTSUPP if the provider
 *	cannot; another errno of the provider's.
 */
int ib_modify_port(struct ib_device *device, u32 port_num, int port_modify_mask,
		   struct ib_port_modify *port_modify);

/**
 * rdma_node_get_transport() - Transport family of a kind of node.
 * @node_type: RDMA_NODE_*.
 *
 * Return: enum rdma_transport_type; RDMA_TRANSPORT_IB for the three kinds of InfiniBand nodes and
 *	any unknown kind.
 */
enum rdma_transport_type rdma_node_get_transport(unsigned int node_type);

/**
 * rdma_port_get_link_layer() - Link layer of a port.
 * @device: Which device.
 * @port_num: Which port.
 *
 * Return: What the provider says; else InfiniBand for a device whose transport is, and Ethernet.
 */
enum rdma_link_layer rdma_port_get_link_layer(struct ib_device *device, u32 port_num);

/**
 * ib_rate_to_mult() - A static rate as a multiple of 2.5 Gb/s.
 * @rate: Code.
 *
 * Return: The multiple, rounded down; -1 for IB_RATE_PORT_CURRENT and unknown codes.
 */
int ib_rate_to_mult(enum ib_rate rate);

/**
 * ib_rate_to_mbps() - A static rate in Mbit/s.
 * @rate: Code.
 *
 * Return: Mbit/s, as signalled on the line; -1 for IB_RATE_PORT_CURRENT and unknown codes.
 */
int ib_rate_to_mbps(enum ib_rate rate);

/**
 * mult_to_ib_rate() - The static rate that is a multiple of 2.5 Gb/s.
 * @mult: The multiple; must be one that ib_rate_to_mult() returns.
 *
 * Return: Code; IB_RATE_PORT_CURRENT for any other multiple.
 */
enum ib_rate mult_to_ib_rate(int mult);

/**
 * ib_port_attr_to_speed_info() - Rate of a link.
 * @attr: Of which active_width and active_speed are read. An unknown speed counts as SDR.
 * @speed_info: Out, also on failure.
 *
 * Return: 0; -EINVAL if the width is unknown; the rate is then negative.
 */
int ib_port_attr_to_speed_info(struct ib_port_attr *attr, struct ib_port_speed_info *speed_info);

/**
 * ib_get_eth_speed() - Speed and width codes that come closest to an Ethernet port's speed.
 * @dev: Which device.
 * @port_num: A port with an Ethernet link layer.
 * @speed: Out: enum ib_port_speed.
 * @width: Out: enum ib_port_width.
 *
 * Context: May sleep.
 * Return: 0; -EINVAL if the link layer is another; -ENODEV if the port has no network interface.
 */
int ib_get_eth_speed(struct ib_device *dev, u32 port_num, u16 *speed, u8 *width);

/**
 * rdma_roce_rescan_device() - Make the GIDs of RoCE ports follow their interfaces' addresses again.
 * @ibdev: Which device. Without a GID table that the core manages nothing happens.
 *
 * Context: May sleep.
 */
void rdma_roce_rescan_device(struct ib_device *ibdev);

/**
 * rdma_alloc_hw_stats_struct() - Memory for a set of counters.
 * @descs: One per counter; must outlive the set.
 * @num_counters: How many.
 * @lifespan: For so many ms a value that was read is good enough; 0 for the default.
 *
 * Context: May sleep.
 * Return: The set, for rdma_free_hw_stats_struct(); NULL without memory. All counters are switched
 *	on; who wants optional ones off sets their bits in is_disabled.
 */
struct rdma_hw_stats *rdma_alloc_hw_stats_struct(const struct rdma_stat_desc *descs,
						 int num_counters, unsigned long lifespan);

/**
 * rdma_free_hw_stats_struct() - Give back a set of counters.
 * @stats: From rdma_alloc_hw_stats_struct(), or NULL.
 */
void rdma_free_hw_stats_struct(struct rdma_hw_stats *stats);

/**
 * rdma_alloc_netdev() - Make a network interface on a port.
 * @device: Which device.
 * @port_num: Which port.
 * @type: What it is for.
 * @name: Its name.
 * @name_assign_type: Where the name comes from.
 * @setup: Fills the interface in.
 *
 * Context: May sleep.
 * Return: The interface; ERR_PTR(-EOPNOTSUPP) if the provider has none, which is so for all of
 *	Verbena's; ERR_PTR(-ENOMEM); another errno of the provider's.
 */
struct net_device *rdma_alloc_netdev(struct ib_device *device, u32 port_num,
				     enum rdma_netdev_t type, const char *name,
				     unsigned char name_assign_type,
				     void (*setup)(struct net_device *));

/**
 * rdma_init_netdev() - Have the provider fill in a network interface.
 * @device: Which device.
 * @port_num: Which port.
 * @type: What it is for.
 * @name: Its name.
 * @name_assign_type: Where the name comes from.
 * @setup: Fills the interface in.
 * @netdev: The interface.
 *
 * Context: May sleep.
 * Return: 0; -EOPNOTSUPP if the provider has none; another errno of the provider's.
 */
int rdma_init_netdev(struct ib_device *device, u32 port_num, enum rdma_netdev_t type,
		     const char *name, unsigned char name_assign_type,
		     void (*setup)(struct net_device *), struct net_device *netdev);

/**
 * rdma_device_to_ibdev() - The RDMA device around a generic one.
 * @device: The dev member of a struct ib_device or ib_core_device.
 *
 * Return: Its owner.
 */
static inline struct ib_device *rdma_device_to_ibdev(struct device *device)
{
	return container_of(device, struct ib_core_device, dev)->owner;
}

/**
 * rdma_device_to_drv_device() - The provider's structure around a generic device.
 * @dev: The dev member of its struct ib_device.
 * @drv_dev_struct: Type of the provider's structure.
 * @ibdev_member: Its struct ib_device.
 *
 * Return: Pointer to the provider's structure.
 */
#define rdma_device_to_drv_device(dev, drv_dev_struct, ibdev_member) \
	container_of(rdma_device_to_ibdev(dev), drv_dev_struct, ibdev_member)

/**
 * ibdev_to_node() - NUMA node that a device is close to.
 * @ibdev: Which device.
 *
 * Return: Node of its parent device; NUMA_NO_NODE without one.
 */
static inline int ibdev_to_node(struct ib_device *ibdev)
{
	return ibdev->dev.parent ? dev_to_node(ibdev->dev.parent) : NUMA_NO_NODE;
}

/**
 * ib_get_vector_affinity() - CPUs that a completion vector runs on.
 * @device: Which device.
 * @comp_vector: Which vector.
 *
 * Return: The provider's mask; NULL if it has none or there is no such vector.
 */
static inline const struct cpumask *ib_get_vector_affinity(struct ib_device *device,
							   int comp_vector)
{
	if (comp_vector < 0 || comp_vector >= device->num_comp_vectors ||
	    !device->ops.get_vector_affinity)
		return NULL;
	return device->ops.get_vector_affinity(device, comp_vector);
}

/* The log, with the device's name in front. */
#define ibdev_err(ibdev, fmt, ...) dev_err(&(ibdev)->dev, fmt, ##__VA_ARGS__)
#define ibdev_warn(ibdev, fmt, ...) dev_warn(&(ibdev)->dev, fmt, ##__VA_ARGS__)
#define ibdev_notice(ibdev, fmt, ...) dev_notice(&(ibdev)->dev, fmt, ##__VA_ARGS__)
#define ibdev_info(ibdev, fmt, ...) dev_info(&(ibdev)->dev, fmt, ##__VA_ARGS__)
#define ibdev_dbg(ibdev, fmt, ...) dev_dbg(&(ibdev)->dev, fmt, ##__VA_ARGS__)
#define ibdev_err_ratelimited ibdev_err
#define ibdev_warn_ratelimited ibdev_warn
#define ibdev_info_ratelimited ibdev_info

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_DEVICE_H */
