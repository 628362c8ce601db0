/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Plain data of the verbs, first part: GIDs, attributes of devices and ports, events,
 * addresses.
 */
#ifndef VERBENA_RDMA_IB_VERBS_ATTRS_H
#define VERBENA_RDMA_IB_VERBS_ATTRS_H

#include <linux/ip.h>
#include <linux/list.h>
#include <linux/types.h>
#include <rdma/ib_verbs_enums.h>
#include <rdma/signature.h>

struct attribute_group;
struct cpumask;
struct dim;
struct dma_buf;
struct hw_stats_device_data;
struct ib_client;
struct ib_client_nl_info;
struct ib_cq;
struct ib_device;
struct ib_dm;
struct ib_flow_action;
struct ib_gid_table;
struct ib_mad;
struct ib_mad_hdr;
struct ib_pkey_cache;
struct ib_port;
struct ib_qp;
struct ib_qp_security;
struct ib_srq;
struct ib_ucq_object;
struct ib_umem;
struct ib_uobject;
struct ib_uqp_object;
struct ib_usrq_object;
struct ib_uverbs_file;
struct ib_uwq_object;
struct ib_wq;
struct ib_xrcd;
struct ifla_vf_guid;
struct ifla_vf_info;
struct ifla_vf_stats;
struct inode;
struct iw_cm_conn_param;
struct iw_cm_id;
struct kobject;
struct module;
struct net_device;
struct rdma_cm_id;
struct rdma_counter;
struct rdma_link_ops;
struct rdma_restrack_root;
struct sk_buff;
struct uapi_definition;
struct uverbs_api_object;
struct uverbs_attr_bundle;
struct vm_area_struct;
struct workqueue_struct;

/**
 * union ib_gid - 128-bit global identifier (network byte order).
 * @raw: 16 bytes in wire order.
 * @global: The same bytes as two halves.
 * @global.subnet_prefix: Upper 64 bits (default prefix 0xFE80000000000000).
 * @global.interface_id: Lower 64 bits, EUI-64 GUID of the port.
 */
union ib_gid {
	u8 raw[16];
	struct {
		__be64 subnet_prefix;
		__be64 interface_id;
	} global;
};

/**
 * struct ib_gid_attr - One GID table entry (reference counted, immutable).
 * @ndev: Associated network interface (RoCE) or NULL.
 * @device: Owning device.
 * @gid: The GID value.
 * @gid_type: See enum ib_gid_type.
 * @index: Position in the port GID table.
 * @port_num: Port owning the table.
 */
struct ib_gid_attr {
	struct net_device *ndev;
	struct ib_device *device;
	union ib_gid gid;
	enum ib_gid_type gid_type;
	u16 index;
	u32 port_num;
};

/**
 * struct ib_odp_caps - On-demand paging capabilities.
 * @general_caps: Bits of enum ib_odp_general_cap_bits.
 * @per_transport_caps: What each transport can do.
 * @per_transport_caps.rc_odp_caps: RC operations, bits of ib_odp_transport_cap_bits.
 * @per_transport_caps.uc_odp_caps: UC operations.
 * @per_transport_caps.ud_odp_caps: UD operations.
 * @per_transport_caps.xrc_odp_caps: XRC operations.
 */
struct ib_odp_caps {
	uint64_t general_caps;
	struct {
		uint32_t rc_odp_caps;
		uint32_t uc_odp_caps;
		uint32_t ud_odp_caps;
		uint32_t xrc_odp_caps;
	} per_transport_caps;
};

/**
 * struct ib_rss_caps - Receive-side scaling limits.
 * @supported_qpts: Bit per QP type.
 * @max_rwq_indirection_tables: Number of tables.
 * @max_rwq_indirection_table_size: Entries per table.
 */
struct ib_rss_caps {
	u32 supported_qpts;
	u32 max_rwq_indirection_tables;
	u32 max_rwq_indirection_table_size;
};

/**
 * struct ib_tm_caps - Tag matching limits.
 * @max_rndv_hdr_size: Largest rendezvous header.
 * @max_num_tags: Tag list entries.
 * @flags: Bits of ib_tm_cap_flags.
 * @max_ops: Outstanding list operations.
 * @max_sge: SGEs per entry.
 */
struct ib_tm_caps {
	u32 max_rndv_hdr_size;
	u32 max_num_tags;
	u32 flags;
	u32 max_ops;
	u32 max_sge;
};

/**
 * struct ib_cq_init_attr - Arguments of CQ creation.
 * @cqe: Minimum number of entries.
 * @comp_vector: Completion vector index.
 * @flags: Provider flags; must be 0 for rdmavt.
 */
struct ib_cq_init_attr {
	unsigned int cqe;
	u32 comp_vector;
	u32 flags;
};

/**
 * struct ib_cq_caps - CQ moderation limits.
 * @max_cq_moderation_count: Largest count.
 * @max_cq_moderation_period: Largest period in us.
 */
struct ib_cq_caps {
	u16 max_cq_moderation_count;
	u16 max_cq_moderation_period;
};

/**
 * struct ib_dm_mr_attr - MR on device memory.
 * @length: Bytes.
 * @offset: Offset in the allocation.
 * @access_flags: ib_access_flags.
 */
struct ib_dm_mr_attr {
	u64 length;
	u64 offset;
	u32 access_flags;
};

/**
 * struct ib_dm_alloc_attr - Device memory allocation.
 * @length: Bytes.
 * @alignment: log2 alignment.
 * @flags: Reserved.
 */
struct ib_dm_alloc_attr {
	u64 length;
	u32 alignment;
	u32 flags;
};

/**
 * struct ib_device_attr - Device capabilities, cached in ib_device.attrs.
 * @fw_ver: Firmware version.
 * @sys_image_guid: System image GUID.
 * @max_mr_size: Largest MR in bytes.
 * @page_size_cap: Bit mask of supported page sizes.
 * @vendor_id: Vendor (24-bit OUI).
 * @vendor_part_id: Device id.
 * @hw_ver: Hardware revision.
 * @max_qp: QPs.
 * @max_qp_wr: WRs per send or receive queue.
 * @device_cap_flags: ib_device_cap_flags.
 * @kernel_cap_flags: ib_kernel_cap_flags.
 * @max_send_sge: SGEs per send WR.
 * @max_recv_sge: SGEs per receive WR.
 * @max_sge_rd: SGEs per RDMA READ WR.
 * @max_cq: CQs.
 * @max_cqe: Entries per CQ.
 * @max_mr: MRs.
 * @max_pd: PDs.
 * @max_qp_rd_atom: RDMA READ/atomic requests one QP can serve (responder).
 * @max_ee_rd_atom: Same per EE context (RD, unused).
 * @max_res_rd_atom: Responder resources of the device.
 * @max_qp_init_rd_atom: RDMA READ/atomic requests one QP can have outstanding (initiator).
 * @max_ee_init_rd_atom: Same per EE context (unused).
 * @atomic_cap: Scope of atomicity.
 * @masked_atomic_cap: Same for masked atomics.
 * @max_ee: EE contexts (unused).
 * @max_rdd: RD domains (unused).
 * @max_mw: Memory windows.
 * @max_raw_ipv6_qp: Raw IPv6 QPs.
 * @max_raw_ethy_qp: Raw Ethertype QPs.
 * @max_mcast_grp: Multicast groups.
 * @max_mcast_qp_attach: QPs per group.
 * @max_total_mcast_qp_attach: Attachments over all groups.
 * @max_ah: Address handles.
 * @max_srq: SRQs.
 * @max_srq_wr: WRs per SRQ.
 * @max_srq_sge: SGEs per SRQ WR.
 * @max_fast_reg_page_list_len: Pages in one fast registration.
 * @max_pi_fast_reg_page_list_len: Same with integrity.
 * @max_pkeys: P_Key table size.
 * @local_ca_ack_delay: Exponent of the ACK delay (4.096 us * 2^n).
 * @sig_prot_cap: T10 protection types supported.
 * @sig_guard_cap: Guard types supported.
 * @odp_caps: On-demand paging.
 * @timestamp_mask: Valid bits of CQ timestamps.
 * @hca_core_clock: Clock in kHz.
 * @rss_caps: RSS.
 * @max_wq_type_rq: Standalone receive work queues.
 * @raw_packet_caps: ib_raw_packet_caps bits.
 * @tm_caps: Tag matching.
 * @cq_caps: Moderation.
 * @max_dm_size: Device memory in bytes.
 * @max_sgl_rd: SGEs per READ above which registration is better (0 = no preference).
 */
struct ib_device_attr {
	u64 fw_ver;
	__be64 sys_image_guid;
	u64 max_mr_size;
	u64 page_size_cap;
	u32 vendor_id;
	u32 vendor_part_id;
	u32 hw_ver;
	int max_qp;
	int max_qp_wr;
	u64 device_cap_flags;
	u64 kernel_cap_flags;
	int max_send_sge;
	int max_recv_sge;
	int max_sge_rd;
	int max_cq;
	int max_cqe;
	int max_mr;
	int max_pd;
	int max_qp_rd_atom;
	int max_ee_rd_atom;
	int max_res_rd_atom;
	int max_qp_init_rd_atom;
	int max_ee_init_rd_atom;
	enum ib_atomic_cap atomic_cap;
	enum ib_atomic_cap masked_atomic_cap;
	int max_ee;
	int max_rdd;
	int max_mw;
	int max_raw_ipv6_qp;
	int max_raw_ethy_qp;
	int max_mcast_grp;
	int max_mcast_qp_attach;
	int max_total_mcast_qp_attach;
	int max_ah;
	int max_srq;
	int max_srq_wr;
	int max_srq_sge;
	unsigned int max_fast_reg_page_list_len;
	unsigned int max_pi_fast_reg_page_list_len;
	u16 max_pkeys;
	u8 local_ca_ack_delay;
	int sig_prot_cap;
	int sig_guard_cap;
	struct ib_odp_caps odp_caps;
	uint64_t timestamp_mask;
	uint64_t hca_core_clock;
	struct ib_rss_caps rss_caps;
	u32 max_wq_type_rq;
	u32 raw_packet_caps;
	struct ib_tm_caps tm_caps;
	struct ib_cq_caps cq_caps;
	u64 max_dm_size;
	u32 max_sgl_rd;
};

/**
 * struct ib_port_attr - Port properties.
 * @subnet_prefix: Subnet prefix (host order).
 * @state: Logical state.
 * @max_mtu: Largest supported MTU.
 * @active_mtu: MTU in force.
 * @phys_mtu: MTU in bytes (OPA may exceed the enum).
 * @gid_tbl_len: GID table entries.
 * @ip_gids: GIDs are IP based (RoCE).
 * @port_cap_flags: PortInfo CapabilityMask bits.
 * @max_msg_sz: Largest message in bytes.
 * @bad_pkey_cntr: Bad P_Key counter.
 * @qkey_viol_cntr: Bad Q_Key counter.
 * @pkey_tbl_len: P_Key table entries.
 * @sm_lid: LID of the SM.
 * @lid: Base LID (0 on RoCE).
 * @lmc: LID mask count.
 * @max_vl_num: VL capability code.
 * @sm_sl: SL towards the SM.
 * @subnet_timeout: Exponent of the subnet timeout.
 * @init_type_reply: Initialisation type granted by the SM.
 * @active_width: enum ib_port_width.
 * @active_speed: enum ib_port_speed.
 * @phys_state: enum ib_port_phys_state.
 * @port_cap_flags2: CapabilityMask2 bits.
 */
struct ib_port_attr {
	u64 subnet_prefix;
	enum ib_port_state state;
	enum ib_mtu max_mtu;
	enum ib_mtu active_mtu;
	u32 phys_mtu;
	int gid_tbl_len;
	unsigned int ip_gids : 1;
	u32 port_cap_flags;
	u32 max_msg_sz;
	u32 bad_pkey_cntr;
	u32 qkey_viol_cntr;
	u16 pkey_tbl_len;
	u32 sm_lid;
	u32 lid;
	u8 lmc;
	u8 max_vl_num;
	u8 sm_sl;
	u8 subnet_timeout;
	u8 init_type_reply;
	u8 active_width;
	u16 active_speed;
	u8 phys_state;
	u16 port_cap_flags2;
};

/**
 * struct ib_device_modify - Arguments of ib_modify_device.
 * @sys_image_guid: New system image GUID.
 * @node_desc: New node description (64 bytes).
 */
struct ib_device_modify {
	u64 sys_image_guid;
	char node_desc[IB_DEVICE_NODE_DESC_MAX];
};

/**
 * struct ib_port_modify - Arguments of ib_modify_port.
 * @set_port_cap_mask: Capability bits to set.
 * @clr_port_cap_mask: Capability bits to clear.
 * @init_type: Initialisation type.
 */
struct ib_port_modify {
	u32 set_port_cap_mask;
	u32 clr_port_cap_mask;
	u8 init_type;
};

/**
 * struct ib_event - Asynchronous event.
 * @device: Owning device.
 * @element: Where it happened.
 * @element.cq: CQ events.
 * @element.qp: QP events.
 * @element.srq: SRQ events.
 * @element.wq: WQ events.
 * @element.port_num: Port events.
 * @event: Type.
 */
struct ib_event {
	struct ib_device *device;
	union {
		struct ib_cq *cq;
		struct ib_qp *qp;
		struct ib_srq *srq;
		struct ib_wq *wq;
		u32 port_num;
	} element;
	enum ib_event_type event;
};

/**
 * struct ib_event_handler - Registration for device-wide events.
 * @device: Owning device.
 * @handler: Callback, called in process context.
 * @list: Core private link.
 */
struct ib_event_handler {
	struct ib_device *device;
	void (*handler)(struct ib_event_handler *, struct ib_event *);
	struct list_head list;
};

/**
 * struct ib_global_route - Global routing part of an address.
 * @sgid_attr: Referenced source GID entry (set by the core).
 * @dgid: Destination GID.
 * @flow_label: 20 bits.
 * @sgid_index: Source GID index.
 * @hop_limit: Hop limit / TTL.
 * @traffic_class: Traffic class / DSCP.
 */
struct ib_global_route {
	const struct ib_gid_attr *sgid_attr;
	union ib_gid dgid;
	u32 flow_label;
	u8 sgid_index;
	u8 hop_limit;
	u8 traffic_class;
};

/**
 * struct ib_grh - Wire GRH, 40 bytes; first 40 bytes of UD receive buffers.
 * @version_tclass_flow: 4-bit version (6), 8-bit traffic class, 20-bit flow label.
 * @paylen: Bytes after the GRH up to and including ICRC.
 * @next_hdr: 0x1B for IBA transport.
 * @hop_limit: Hop limit.
 * @sgid: Source.
 * @dgid: Destination.
 */
struct ib_grh {
	__be32 version_tclass_flow;
	__be16 paylen;
	u8 next_hdr;
	u8 hop_limit;
	union ib_gid sgid;
	union ib_gid dgid;
};

/**
 * union rdma_network_hdr - The 40-byte area of a UD receive buffer.
 * @ibgrh: IB or IPv6 view.
 * @reserved: First 20 bytes, unused with IPv4.
 * @roce4grh: IPv4 header in the last 20 bytes.
 */
union rdma_network_hdr {
	struct ib_grh ibgrh;
	struct {
		u8 reserved[20];
		struct iphdr roce4grh;
	};
};

/**
 * struct ib_mr_status - Result of ib_check_mr_status.
 * @fail_status: Bit per failed check.
 * @sig_err: Details for IB_MR_CHECK_SIG_STATUS.
 */
struct ib_mr_status {
	u32 fail_status;
	struct ib_sig_err sig_err;
};

/**
 * struct rdma_ah_init_attr - Argument of ops.create_ah.
 * @ah_attr: Address.
 * @flags: RDMA_CREATE_AH_SLEEPABLE.
 * @xmit_slave: Bonding slave for RoCE LAG.
 */
struct rdma_ah_init_attr {
	struct rdma_ah_attr *ah_attr;
	u32 flags;
	struct net_device *xmit_slave;
};

/**
 * struct ib_ah_attr - IB part of an address.
 * @dlid: Destination LID.
 * @src_path_bits: Low LMC bits of the source LID.
 */
struct ib_ah_attr {
	u16 dlid;
	u8 src_path_bits;
};

/**
 * struct roce_ah_attr - RoCE part.
 * @dmac: Destination MAC.
 */
struct roce_ah_attr {
	u8 dmac[ETH_ALEN];
};

/**
 * struct opa_ah_attr - OPA part.
 * @dlid: 32-bit LID.
 * @src_path_bits: Source path bits.
 * @make_grd: Build a GRH even for local LIDs.
 */
struct opa_ah_attr {
	u32 dlid;
	u8 src_path_bits;
	bool make_grd;
};

/**
 * struct rdma_ah_attr - Address vector.
 * @grh: Global route, valid with IB_AH_GRH.
 * @sl: Service level.
 * @static_rate: enum ib_rate, inter-packet delay.
 * @port_num: Source port.
 * @ah_flags: IB_AH_GRH.
 * @type: Selects the union member.
 * @ib: IB.
 * @roce: RoCE.
 * @opa: OPA.
 */
struct rdma_ah_attr {
	struct ib_global_route grh;
	u8 sl;
	u8 static_rate;
	u32 port_num;
	u8 ah_flags;
	enum rdma_ah_attr_type type;
	union {
		struct ib_ah_attr ib;
		struct roce_ah_attr roce;
		struct opa_ah_attr opa;
	};
};

/* The all-zero GID. */
#ifdef __cplusplus
extern "C" {
#endif
extern union ib_gid zgid;
#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_VERBS_ATTRS_H */
