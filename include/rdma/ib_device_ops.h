/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The table that a provider fills in. */
#ifndef VERBENA_RDMA_IB_DEVICE_OPS_H
#define VERBENA_RDMA_IB_DEVICE_OPS_H

#include <linux/dma-mapping.h>
#include <linux/netdevice.h>
#include <linux/scatterlist.h>
#include <linux/socket.h>
#include <rdma/ib_verbs_objects.h>

/**
 * struct ib_port_immutable - Constants supplied by ops.get_port_immutable.
 * @pkey_tbl_len: P_Key entries.
 * @gid_tbl_len: GID entries.
 * @core_cap_flags: RDMA_CORE_CAP_* bits.
 * @max_mad_size: 256 (IB) or 2048 (OPA); 0 without MAD support.
 */
struct ib_port_immutable {
	int pkey_tbl_len;
	int gid_tbl_len;
	u32 core_cap_flags;
	u32 max_mad_size;
};

/**
 * struct rdma_stat_desc - Counter descriptor.
 * @name: Counter name.
 * @flags: IB_STAT_FLAG_OPTIONAL.
 * @priv: Provider data.
 */
struct rdma_stat_desc {
	const char *name;
	unsigned int flags;
	const void *priv;
};

/**
 * struct rdma_hw_stats - Counter set.
 * @lock: Protects lifespan and values.
 * @timestamp: Time of the last refresh (jiffies).
 * @lifespan: Minimum age before a refresh (jiffies; default 10 ms).
 * @descs: Descriptors.
 * @is_disabled: Bitmap of switched-off counters.
 * @num_counters: Entries.
 * @value: Counter values.
 */
struct rdma_hw_stats {
	struct mutex lock;
	unsigned long timestamp;
	unsigned long lifespan;
	const struct rdma_stat_desc *descs;
	unsigned long *is_disabled;
	int num_counters;
	u64 value[];
};

/**
 * struct rdma_netdev - RDMA-backed network interface.
 * @clnt_priv: Client data.
 * @hca: Device.
 * @port_num: Port.
 * @mtu: MTU.
 * @free_rdma_netdev: Release.
 * @set_id: Set virtual interface id.
 * @send: Transmit.
 * @attach_mcast: Join group.
 * @detach_mcast: Leave group.
 * @tx_timeout: Watchdog.
 */
struct rdma_netdev {
	void *clnt_priv;
	struct ib_device *hca;
	u32 port_num;
	int mtu;
	void (*free_rdma_netdev)(struct net_device *netdev);
	void (*set_id)(struct net_device *netdev, int id);
	int (*send)(struct net_device *dev, struct sk_buff *skb, struct ib_ah *address, u32 dqpn);
	int (*attach_mcast)(struct net_device *dev, struct ib_device *hca, union ib_gid *gid,
			    u16 mlid, int set_qkey, u32 qkey);
	int (*detach_mcast)(struct net_device *dev, struct ib_device *hca, union ib_gid *gid,
			    u16 mlid);
	void (*tx_timeout)(struct net_device *dev, unsigned int txqueue);
};

/**
 * struct rdma_netdev_alloc_params - Netdev allocation parameters.
 * @sizeof_priv: Private bytes.
 * @txqs: Transmit queues.
 * @rxqs: Receive queues.
 * @param: Opaque argument.
 * @initialize_rdma_netdev: Initialiser.
 */
struct rdma_netdev_alloc_params {
	size_t sizeof_priv;
	unsigned int txqs;
	unsigned int rxqs;
	void *param;
	int (*initialize_rdma_netdev)(struct ib_device *device, u32 port_num,
				      struct net_device *netdev, void *param);
};

/**
 * struct ib_device_ops - What a provider can do; a member that is NULL is not supported.
 * @owner: Module of the provider.
 * @driver_id: enum rdma_driver_id.
 * @uverbs_abi_ver: Uverbs ABI version.
 * @uverbs_no_driver_id_binding: User library need not match the driver id.
 * @device_group: Sysfs attributes.
 * @port_groups: Sysfs port attributes.
 * @post_send: Queue send WRs. Needed for kernel verbs.
 * @post_recv: Queue receive WRs. Needed for kernel verbs.
 * @drain_rq: Provider replacement for the generic receive drain.
 * @drain_sq: Provider replacement for the generic send drain.
 * @poll_cq: Take completions, returns count or negative. Needed for kernel verbs.
 * @peek_cq: Count without removing (unused by the core).
 * @req_notify_cq: Arm. Needed for kernel verbs.
 * @post_srq_recv: Queue SRQ WRs.
 * @process_mad: First look at MADs.
 * @query_device: Fill capabilities. Needed for kernel verbs.
 * @modify_device: Change GUID / description.
 * @get_dev_fw_str: Firmware text.
 * @get_vector_affinity: CPU mask of a vector.
 * @query_port: Fill port attributes (core zeroes first). Needed for kernel verbs.
 * @modify_port: Change port.
 * @get_port_immutable: Constants per port. Needed for kernel verbs.
 * @get_link_layer: Link layer; NULL = derive from transport.
 * @get_netdev: Network interface of a port.
 * @alloc_rdma_netdev: Allocate netdev.
 * @rdma_netdev_get_params: Netdev parameters.
 * @query_gid: GID by index (IB, iWARP).
 * @add_gid: RoCE: GID entry added.
 * @del_gid: RoCE: GID entry removed.
 * @query_pkey: P_Key by index.
 * @alloc_ucontext: User context.
 * @dealloc_ucontext: User context.
 * @mmap: User mapping.
 * @mmap_free: Mapping entry released.
 * @disassociate_ucontext: Hot unplug.
 * @alloc_pd: Create PD. Needed for kernel verbs.
 * @dealloc_pd: Destroy PD. Needed for kernel verbs.
 * @create_ah: Create AH.
 * @create_user_ah: Create AH for a process.
 * @modify_ah: Change AH.
 * @query_ah: Read AH.
 * @destroy_ah: Destroy AH.
 * @create_srq: Create SRQ.
 * @modify_srq: Resize / arm.
 * @query_srq: Read.
 * @destroy_srq: Destroy SRQ.
 * @create_qp: Create QP. Needed for kernel verbs.
 * @modify_qp: Change QP. Needed for kernel verbs.
 * @query_qp: Read QP.
 * @destroy_qp: Destroy QP. Needed for kernel verbs.
 * @create_cq: Create CQ (6.12: last parameter struct uverbs_attr_bundle *attrs). Needed for
 *	kernel verbs.
 * @modify_cq: Moderation.
 * @destroy_cq: Destroy CQ. Needed for kernel verbs.
 * @resize_cq: Resize CQ.
 * @pre_destroy_cq: Stop completions (with post_destroy_cq).
 * @post_destroy_cq: Free after stop.
 * @get_dma_mr: MR over all memory. Needed for kernel verbs.
 * @reg_user_mr: Register memory range. Needed for kernel verbs.
 * @reg_user_mr_dmabuf: Register dma-buf (6.12: last parameter struct uverbs_attr_bundle *attrs).
 * @rereg_user_mr: Change MR.
 * @dereg_mr: Destroy MR. Needed for kernel verbs.
 * @alloc_mr: MR for fast registration.
 * @alloc_mr_integrity: Integrity MR.
 * @advise_mr: Prefetch hint.
 * @map_mr_sg: Set page list.
 * @check_mr_status: Integrity result.
 * @alloc_mw: Window.
 * @dealloc_mw: Window.
 * @attach_mcast: Join.
 * @detach_mcast: Leave.
 * @alloc_xrcd: XRC domain.
 * @dealloc_xrcd: XRC domain.
 * @create_flow: Steering.
 * @destroy_flow: Steering.
 * @destroy_flow_action: Steering.
 * @set_vf_link_state: VF.
 * @get_vf_config: VF.
 * @get_vf_stats: VF.
 * @get_vf_guid: VF.
 * @set_vf_guid: VF.
 * @create_wq: WQ.
 * @destroy_wq: WQ.
 * @modify_wq: WQ.
 * @create_rwq_ind_table: RSS.
 * @destroy_rwq_ind_table: RSS.
 * @alloc_dm: Device memory.
 * @dealloc_dm: Device memory.
 * @reg_dm_mr: Device memory MR.
 * @create_counters: Counters.
 * @destroy_counters: Counters.
 * @read_counters: Counters.
 * @map_mr_sg_pi: Integrity page list.
 * @alloc_hw_device_stats: Device counters.
 * @alloc_hw_port_stats: Port counters.
 * @get_hw_stats: Refresh counters; returns index or num_counters.
 * @modify_hw_stat: Switch optional counter.
 * @fill_res_mr_entry: Netlink dump.
 * @fill_res_mr_entry_raw: Netlink dump.
 * @fill_res_cq_entry: Netlink dump.
 * @fill_res_cq_entry_raw: Netlink dump.
 * @fill_res_qp_entry: Netlink dump.
 * @fill_res_qp_entry_raw: Netlink dump.
 * @fill_res_cm_id_entry: Netlink dump.
 * @enable_driver: After registration, before clients.
 * @dealloc_driver: Part of ib_dealloc_device.
 * @iw_add_ref: IWARP CM.
 * @iw_rem_ref: IWARP CM.
 * @iw_get_qp: IWARP CM.
 * @iw_connect: IWARP CM.
 * @iw_accept: IWARP CM.
 * @iw_reject: IWARP CM.
 * @iw_create_listen: IWARP CM.
 * @iw_destroy_listen: IWARP CM.
 * @counter_bind_qp: Statistics counter.
 * @counter_unbind_qp: Statistics counter.
 * @counter_dealloc: Statistics counter.
 * @counter_alloc_stats: Statistics counter.
 * @counter_update_stats: Statistics counter.
 * @fill_stat_mr_entry: Netlink dump.
 * @query_ucontext: User context.
 * @get_numa_node: NUMA node for allocations (rdmavt).
 * @size_ib_ah: Bytes of the provider object.
 * @size_ib_counters: Bytes of the provider object.
 * @size_ib_cq: Bytes of the provider object.
 * @size_ib_mw: Bytes of the provider object.
 * @size_ib_pd: Bytes of the provider object.
 * @size_ib_qp: Bytes of the provider object.
 * @size_ib_rwq_ind_table: Bytes of the provider object.
 * @size_ib_srq: Bytes of the provider object.
 * @size_ib_ucontext: Bytes of the provider object.
 * @size_ib_xrcd: Bytes of the provider object.
 */
struct ib_device_ops {
	struct module *owner;
	enum rdma_driver_id driver_id;
	u32 uverbs_abi_ver;
	unsigned int uverbs_no_driver_id_binding : 1;
	const struct attribute_group *device_group;
	const struct attribute_group **port_groups;
	int (*post_send)(struct ib_qp *qp, const struct ib_send_wr *send_wr,
			 const struct ib_send_wr **bad_send_wr);
	int (*post_recv)(struct ib_qp *qp, const struct ib_recv_wr *recv_wr,
			 const struct ib_recv_wr **bad_recv_wr);
	void (*drain_rq)(struct ib_qp *qp);
	void (*drain_sq)(struct ib_qp *qp);
	int (*poll_cq)(struct ib_cq *cq, int num_entries, struct ib_wc *wc);
	int (*peek_cq)(struct ib_cq *cq, int wc_cnt);
	int (*req_notify_cq)(struct ib_cq *cq, enum ib_cq_notify_flags flags);
	int (*post_srq_recv)(struct ib_srq *srq, const struct ib_recv_wr *recv_wr,
			     const struct ib_recv_wr **bad_recv_wr);
	int (*process_mad)(struct ib_device *device, int process_mad_flags, u32 port_num,
			   const struct ib_wc *in_wc, const struct ib_grh *in_grh,
			   const struct ib_mad *in_mad, struct ib_mad *out_mad,
			   size_t *out_mad_size, u16 *out_mad_pkey_index);
	int (*query_device)(struct ib_device *device, struct ib_device_attr *device_attr,
			    struct ib_udata *udata);
	int (*modify_device)(struct ib_device *device, int device_modify_mask,
			     struct ib_device_modify *device_modify);
	void (*get_dev_fw_str)(struct ib_device *device, char *str);
	const struct cpumask *(*get_vector_affinity)(struct ib_device *ibdev, int comp_vector);
	int (*query_port)(struct ib_device *device, u32 port_num, struct ib_port_attr *port_attr);
	int (*modify_port)(struct ib_device *device, u32 port_num, int port_modify_mask,
			   struct ib_port_modify *port_modify);
	int (*get_port_immutable)(struct ib_device *device, u32 port_num,
				  struct ib_port_immutable *immutable);
	enum rdma_link_layer (*get_link_layer)(struct ib_device *device, u32 port_num);
	struct net_device *(*get_netdev)(struct ib_device *device, u32 port_num);
	struct net_device *(*alloc_rdma_netdev)(struct ib_device *device, u32 port_num,
						enum rdma_netdev_t type, const char *name,
						unsigned char name_assign_type,
						void (*setup)(struct net_device *));
	int (*rdma_netdev_get_params)(struct ib_device *device, u32 port_num,
				      enum rdma_netdev_t type,
				      struct rdma_netdev_alloc_params *params);
	int (*query_gid)(struct ib_device *device, u32 port_num, int index, union ib_gid *gid);
	int (*add_gid)(const struct ib_gid_attr *attr, void **context);
	int (*del_gid)(const struct ib_gid_attr *attr, void **context);
	int (*query_pkey)(struct ib_device *device, u32 port_num, u16 index, u16 *pkey);
	int (*alloc_ucontext)(struct ib_ucontext *context, struct ib_udata *udata);
	void (*dealloc_ucontext)(struct ib_ucontext *context);
	int (*mmap)(struct ib_ucontext *context, struct vm_area_struct *vma);
	void (*mmap_free)(struct rdma_user_mmap_entry *entry);
	void (*disassociate_ucontext)(struct ib_ucontext *ibcontext);
	int (*alloc_pd)(struct ib_pd *pd, struct ib_udata *udata);
	int (*dealloc_pd)(struct ib_pd *pd, struct ib_udata *udata);
	int (*create_ah)(struct ib_ah *ah, struct rdma_ah_init_attr *attr, struct ib_udata *udata);
	int (*create_user_ah)(struct ib_ah *ah, struct rdma_ah_init_attr *attr,
			      struct ib_udata *udata);
	int (*modify_ah)(struct ib_ah *ah, struct rdma_ah_attr *ah_attr);
	int (*query_ah)(struct ib_ah *ah, struct rdma_ah_attr *ah_attr);
	int (*destroy_ah)(struct ib_ah *ah, u32 flags);
	int (*create_srq)(struct ib_srq *srq, struct ib_srq_init_attr *srq_init_attr,
			  struct ib_udata *udata);
	int (*modify_srq)(struct ib_srq *srq, struct ib_srq_attr *srq_attr,
			  enum ib_srq_attr_mask srq_attr_mask, struct ib_udata *udata);
	int (*query_srq)(struct ib_srq *srq, struct ib_srq_attr *srq_attr);
	int (*destroy_srq)(struct ib_srq *srq, struct ib_udata *udata);
	int (*create_qp)(struct ib_qp *qp, struct ib_qp_init_attr *qp_init_attr,
			 struct ib_udata *udata);
	int (*modify_qp)(struct ib_qp *qp, struct ib_qp_attr *qp_attr, int qp_attr_mask,
			 struct ib_udata *udata);
	int (*query_qp)(struct ib_qp *qp, struct ib_qp_attr *qp_attr, int qp_attr_mask,
			struct ib_qp_init_attr *qp_init_attr);
	int (*destroy_qp)(struct ib_qp *qp, struct ib_udata *udata);
	int (*create_cq)(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
			 struct ib_udata *udata);
	int (*modify_cq)(struct ib_cq *cq, u16 cq_count, u16 cq_period);
	int (*destroy_cq)(struct ib_cq *cq, struct ib_udata *udata);
	int (*resize_cq)(struct ib_cq *cq, int cqe, struct ib_udata *udata);
	int (*pre_destroy_cq)(struct ib_cq *cq);
	void (*post_destroy_cq)(struct ib_cq *cq);
	struct ib_mr *(*get_dma_mr)(struct ib_pd *pd, int mr_access_flags);
	struct ib_mr *(*reg_user_mr)(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr,
				     int mr_access_flags, struct ib_udata *udata);
	struct ib_mr *(*reg_user_mr_dmabuf)(struct ib_pd *pd, u64 offset, u64 length, u64 virt_addr,
					    int fd, int mr_access_flags, struct ib_udata *udata);
	struct ib_mr *(*rereg_user_mr)(struct ib_mr *mr, int flags, u64 start, u64 length,
				       u64 virt_addr, int mr_access_flags, struct ib_pd *pd,
				       struct ib_udata *udata);
	int (*dereg_mr)(struct ib_mr *mr, struct ib_udata *udata);
	struct ib_mr *(*alloc_mr)(struct ib_pd *pd, enum ib_mr_type mr_type, u32 max_num_sg);
	struct ib_mr *(*alloc_mr_integrity)(struct ib_pd *pd, u32 max_num_data_sg,
					    u32 max_num_meta_sg);
	int (*advise_mr)(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
			 struct ib_sge *sg_list, u32 num_sge, struct uverbs_attr_bundle *attrs);
	int (*map_mr_sg)(struct ib_mr *mr, struct scatterlist *sg, int sg_nents,
			 unsigned int *sg_offset);
	int (*check_mr_status)(struct ib_mr *mr, u32 check_mask, struct ib_mr_status *mr_status);
	int (*alloc_mw)(struct ib_mw *mw, struct ib_udata *udata);
	int (*dealloc_mw)(struct ib_mw *mw);
	int (*attach_mcast)(struct ib_qp *qp, union ib_gid *gid, u16 lid);
	int (*detach_mcast)(struct ib_qp *qp, union ib_gid *gid, u16 lid);
	int (*alloc_xrcd)(struct ib_xrcd *xrcd, struct ib_udata *udata);
	int (*dealloc_xrcd)(struct ib_xrcd *xrcd, struct ib_udata *udata);
	struct ib_flow *(*create_flow)(struct ib_qp *qp, struct ib_flow_attr *flow_attr,
				       struct ib_udata *udata);
	int (*destroy_flow)(struct ib_flow *flow_id);
	int (*destroy_flow_action)(struct ib_flow_action *action);
	int (*set_vf_link_state)(struct ib_device *device, int vf, u32 port, int state);
	int (*get_vf_config)(struct ib_device *device, int vf, u32 port, struct ifla_vf_info *ivf);
	int (*get_vf_stats)(struct ib_device *device, int vf, u32 port,
			    struct ifla_vf_stats *stats);
	int (*get_vf_guid)(struct ib_device *device, int vf, u32 port,
			   struct ifla_vf_guid *node_guid, struct ifla_vf_guid *port_guid);
	int (*set_vf_guid)(struct ib_device *device, int vf, u32 port, u64 guid, int type);
	struct ib_wq *(*create_wq)(struct ib_pd *pd, struct ib_wq_init_attr *init_attr,
				   struct ib_udata *udata);
	int (*destroy_wq)(struct ib_wq *wq, struct ib_udata *udata);
	int (*modify_wq)(struct ib_wq *wq, struct ib_wq_attr *attr, u32 wq_attr_mask,
			 struct ib_udata *udata);
	int (*create_rwq_ind_table)(struct ib_rwq_ind_table *ib_rwq_ind_table,
				    struct ib_rwq_ind_table_init_attr *init_attr,
				    struct ib_udata *udata);
	int (*destroy_rwq_ind_table)(struct ib_rwq_ind_table *wq_ind_table);
	struct ib_dm *(*alloc_dm)(struct ib_device *device, struct ib_ucontext *context,
				  struct ib_dm_alloc_attr *attr, struct uverbs_attr_bundle *attrs);
	int (*dealloc_dm)(struct ib_dm *dm, struct uverbs_attr_bundle *attrs);
	struct ib_mr *(*reg_dm_mr)(struct ib_pd *pd, struct ib_dm *dm, struct ib_dm_mr_attr *attr,
				   struct uverbs_attr_bundle *attrs);
	int (*create_counters)(struct ib_counters *counters, struct uverbs_attr_bundle *attrs);
	int (*destroy_counters)(struct ib_counters *counters);
	int (*read_counters)(struct ib_counters *counters,
			     struct ib_counters_read_attr *counters_read_attr,
			     struct uverbs_attr_bundle *attrs);
	int (*map_mr_sg_pi)(struct ib_mr *mr, struct scatterlist *data_sg, int data_sg_nents,
			    unsigned int *data_sg_offset, struct scatterlist *meta_sg,
			    int meta_sg_nents, unsigned int *meta_sg_offset);
	struct rdma_hw_stats *(*alloc_hw_device_stats)(struct ib_device *device);
	struct rdma_hw_stats *(*alloc_hw_port_stats)(struct ib_device *device, u32 port_num);
	int (*get_hw_stats)(struct ib_device *device, struct rdma_hw_stats *stats, u32 port,
			    int index);
	int (*modify_hw_stat)(struct ib_device *device, u32 port, unsigned int counter_index,
			      bool enable);
	int (*fill_res_mr_entry)(struct sk_buff *msg, struct ib_mr *ibmr);
	int (*fill_res_mr_entry_raw)(struct sk_buff *msg, struct ib_mr *ibmr);
	int (*fill_res_cq_entry)(struct sk_buff *msg, struct ib_cq *ibcq);
	int (*fill_res_cq_entry_raw)(struct sk_buff *msg, struct ib_cq *ibcq);
	int (*fill_res_qp_entry)(struct sk_buff *msg, struct ib_qp *ibqp);
	int (*fill_res_qp_entry_raw)(struct sk_buff *msg, struct ib_qp *ibqp);
	int (*fill_res_cm_id_entry)(struct sk_buff *msg, struct rdma_cm_id *id);
	int (*enable_driver)(struct ib_device *dev);
	void (*dealloc_driver)(struct ib_device *dev);
	void (*iw_add_ref)(struct ib_qp *qp);
	void (*iw_rem_ref)(struct ib_qp *qp);
	struct ib_qp *(*iw_get_qp)(struct ib_device *device, int qpn);
	int (*iw_connect)(struct iw_cm_id *cm_id, struct iw_cm_conn_param *conn_param);
	int (*iw_accept)(struct iw_cm_id *cm_id, struct iw_cm_conn_param *conn_param);
	int (*iw_reject)(struct iw_cm_id *cm_id, const void *pdata, u8 pdata_len);
	int (*iw_create_listen)(struct iw_cm_id *cm_id, int backlog);
	int (*iw_destroy_listen)(struct iw_cm_id *cm_id);
	int (*counter_bind_qp)(struct rdma_counter *counter, struct ib_qp *qp);
	int (*counter_unbind_qp)(struct ib_qp *qp);
	int (*counter_dealloc)(struct rdma_counter *counter);
	struct rdma_hw_stats *(*counter_alloc_stats)(struct rdma_counter *counter);
	int (*counter_update_stats)(struct rdma_counter *counter);
	int (*fill_stat_mr_entry)(struct sk_buff *msg, struct ib_mr *ibmr);
	int (*query_ucontext)(struct ib_ucontext *context, struct uverbs_attr_bundle *attrs);
	int (*get_numa_node)(struct ib_device *dev);
	size_t size_ib_ah;
	size_t size_ib_counters;
	size_t size_ib_cq;
	size_t size_ib_mw;
	size_t size_ib_pd;
	size_t size_ib_qp;
	size_t size_ib_rwq_ind_table;
	size_t size_ib_srq;
	size_t size_ib_ucontext;
	size_t size_ib_xrcd;
};

#endif /* VERBENA_RDMA_IB_DEVICE_OPS_H */
