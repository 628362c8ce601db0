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

struct ib_device *_ib_alloc_device(size_t size);

#define ib_alloc_device(drv_struct, member)                                                    \
	container_of(                                                                          \
		_ib_alloc_device(sizeof(struct drv_struct) +                                   \
				 (size_t)BUILD_BUG_ON_ZERO(                                    \
					 __builtin_offsetof(struct drv_struct, member) != 0)), \
		struct drv_struct, member)

void ib_dealloc_device(struct ib_device *device);

void ib_set_device_ops(struct ib_device *device, const struct ib_device_ops *ops);

int ib_register_device(struct ib_device *device, const char *name, struct device *dma_device);

void ib_unregister_device(struct ib_device *device);

void ib_unregister_device_and_put(struct ib_device *device);

void ib_unregister_device_queued(struct ib_device *ib_dev);

/**
 * ib_device_when_idle() - Tell a provider when its tables are no longer needed (not the kernel's).
 * @device: After ib_unregister_device().
 * @fn: Called once, when no PD, QP, CQ, MR, AH ... of the device is left: at once, from this call,
 *	if that is so already; else from within the destruction of the last one. May free the
 *	provider's tables, not the device.
 *
 * A provider that frees right after ib_unregister_device() what its destroy ops need would crash
 * a program that destroys its objects late (docs/design/removal.md).
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

void ib_unregister_driver(enum rdma_driver_id driver_id);

int ib_register_client(struct ib_client *client);

void ib_unregister_client(struct ib_client *client);

void ib_set_client_data(struct ib_device *device, struct ib_client *client, void *data);

void *ib_get_client_data(struct ib_device *device, struct ib_client *client);

static inline bool ib_device_try_get(struct ib_device *dev)
{
	return refcount_inc_not_zero(&dev->refcount);
}

void ib_device_put(struct ib_device *device);

struct ib_device *ib_device_get_by_name(const char *name, enum rdma_driver_id driver_id);

void ib_get_device_fw_str(struct ib_device *device, char *str);

const struct ib_port_immutable *ib_port_immutable_read(struct ib_device *dev, unsigned int port);

#define INIT_IB_EVENT_HANDLER(_ptr, _device, _handler) \
	do {                                           \
		(_ptr)->device = (_device);            \
		(_ptr)->handler = (_handler);          \
		INIT_LIST_HEAD(&(_ptr)->list);         \
	} while (0)

void ib_register_event_handler(struct ib_event_handler *event_handler);

void ib_unregister_event_handler(struct ib_event_handler *event_handler);

void ib_dispatch_event(const struct ib_event *event);

const char *ib_event_msg(enum ib_event_type event);

int ib_query_port(struct ib_device *device, u32 port_num, struct ib_port_attr *port_attr);

int ib_query_pkey(struct ib_device *device, u32 port_num, u16 index, u16 *pkey);

int ib_find_gid(struct ib_device *device, union ib_gid *gid, u32 *port_num, u16 *index);

int ib_find_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index);

int ib_modify_device(struct ib_device *device, int device_modify_mask,
		     struct ib_device_modify *device_modify);

int ib_modify_port(struct ib_device *device, u32 port_num, int port_modify_mask,
		   struct ib_port_modify *port_modify);

enum rdma_transport_type rdma_node_get_transport(unsigned int node_type);

enum rdma_link_layer rdma_port_get_link_layer(struct ib_device *device, u32 port_num);

int ib_rate_to_mult(enum ib_rate rate);

int ib_rate_to_mbps(enum ib_rate rate);

enum ib_rate mult_to_ib_rate(int mult);

int ib_port_attr_to_speed_info(struct ib_port_attr *attr, struct ib_port_speed_info *speed_info);

int ib_get_eth_speed(struct ib_device *dev, u32 port_num, u16 *speed, u8 *width);

void rdma_roce_rescan_device(struct ib_device *ibdev);

struct rdma_hw_stats *rdma_alloc_hw_stats_struct(const struct rdma_stat_desc *descs,
						 int num_counters, unsigned long lifespan);

void rdma_free_hw_stats_struct(struct rdma_hw_stats *stats);

struct net_device *rdma_alloc_netdev(struct ib_device *device, u32 port_num,
				     enum rdma_netdev_t type, const char *name,
				     unsigned char name_assign_type,
				     void (*setup)(struct net_device *));

int rdma_init_netdev(struct ib_device *device, u32 port_num, enum rdma_netdev_t type,
		     const char *name, unsigned char name_assign_type,
		     void (*setup)(struct net_device *), struct net_device *netdev);

static inline struct ib_device *rdma_device_to_ibdev(struct device *device)
{
	return container_of(device, struct ib_core_device, dev)->owner;
}

#define rdma_device_to_drv_device(dev, drv_dev_struct, ibdev_member) \
	container_of(rdma_device_to_ibdev(dev), drv_dev_struct, ibdev_member)

static inline int ibdev_to_node(struct ib_device *ibdev)
{
	return ibdev->dev.parent ? dev_to_node(ibdev->dev.parent) : NUMA_NO_NODE;
}

static inline const struct cpumask *ib_get_vector_affinity(struct ib_device *device,
							   int comp_vector)
{
	if (comp_vector < 0 || comp_vector >= device->num_comp_vectors ||
	    !device->ops.get_vector_affinity)
		return NULL;
	return device->ops.get_vector_affinity(device, comp_vector);
}

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_DEVICE_H */
