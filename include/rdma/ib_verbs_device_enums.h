/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Constants of the verbs, first part: devices, ports, events, addresses. */
#ifndef VERBENA_RDMA_IB_VERBS_DEVICE_ENUMS_H
#define VERBENA_RDMA_IB_VERBS_DEVICE_ENUMS_H

#include <linux/byteorder.h>
#include <linux/if_ether.h>
#include <linux/types.h>
#include <rdma/ib_user_ioctl_verbs.h>

/* What kind of GID a table entry holds. */
enum ib_gid_type {
	IB_GID_TYPE_IB = 0,		/* InfiniBand (and iWARP) GID */
	IB_GID_TYPE_ROCE = 1,		/* RoCE v1 (Ethertype 0x8915) */
	IB_GID_TYPE_ROCE_UDP_ENCAP = 2, /* RoCE v2 (UDP 4791) */
	IB_GID_TYPE_SIZE = 3,		/* count */
};

/* Family of transports, derived from the node type. */
enum rdma_transport_type {
	RDMA_TRANSPORT_IB = 0,
	RDMA_TRANSPORT_IWARP = 1,
	RDMA_TRANSPORT_USNIC = 2,
	RDMA_TRANSPORT_USNIC_UDP = 3,
	RDMA_TRANSPORT_UNSPECIFIED = 4,
};

/* Protocol a port speaks. */
enum rdma_protocol_type {
	RDMA_PROTOCOL_IB = 0,
	RDMA_PROTOCOL_IBOE = 1,
	RDMA_PROTOCOL_IWARP = 2,
	RDMA_PROTOCOL_USNIC_UDP = 3,
};

/* Kind of network header in front of the transport header. */
enum rdma_network_type {
	RDMA_NETWORK_IB = 0,
	RDMA_NETWORK_ROCE_V1 = 1,
	RDMA_NETWORK_IPV4 = 2,
	RDMA_NETWORK_IPV6 = 3,
};

/* Link layer of a port. */
enum rdma_link_layer {
	IB_LINK_LAYER_UNSPECIFIED = 0,
	IB_LINK_LAYER_INFINIBAND = 1,
	IB_LINK_LAYER_ETHERNET = 2,
};

/* Bits of ib_device_attr.device_cap_flags; those that user space may see. */
enum ib_device_cap_flags {
	IB_DEVICE_RESIZE_MAX_WR = 1 << 0,	      /* queue resize (IB_QP_CAP) supported */
	IB_DEVICE_BAD_PKEY_CNTR = 1 << 1,	      /* bad P_Key counter */
	IB_DEVICE_BAD_QKEY_CNTR = 1 << 2,	      /* bad Q_Key counter */
	IB_DEVICE_RAW_MULTI = 1 << 3,		      /* raw multicast */
	IB_DEVICE_AUTO_PATH_MIG = 1 << 4,	      /* automatic path migration */
	IB_DEVICE_CHANGE_PHY_PORT = 1 << 5,	      /* port change in modify QP */
	IB_DEVICE_UD_AV_PORT_ENFORCE = 1 << 6,	      /* AH port must match QP port */
	IB_DEVICE_CURR_QP_STATE_MOD = 1 << 7,	      /* cur_qp_state modifier supported */
	IB_DEVICE_SHUTDOWN_PORT = 1 << 8,	      /* port shutdown */
	IB_DEVICE_PORT_ACTIVE_EVENT = 1 << 10,	      /* raises PORT_ACTIVE */
	IB_DEVICE_SYS_IMAGE_GUID = 1 << 11,	      /* system image GUID */
	IB_DEVICE_RC_RNR_NAK_GEN = 1 << 12,	      /* generates RNR NAKs */
	IB_DEVICE_SRQ_RESIZE = 1 << 13,		      /* SRQ resize */
	IB_DEVICE_N_NOTIFY_CQ = 1 << 14,	      /* notification after N completions */
	IB_DEVICE_MEM_WINDOW = 1 << 17,		      /* type 1 windows */
	IB_DEVICE_UD_IP_CSUM = 1 << 18,		      /* IPoIB checksum offload */
	IB_DEVICE_XRC = 1 << 20,		      /* XRC */
	IB_DEVICE_MEM_MGT_EXTENSIONS = 1 << 21,	      /* REG_MR, LOCAL_INV, SEND_WITH_INV */
	IB_DEVICE_MEM_WINDOW_TYPE_2A = 1 << 23,	      /* type 2A windows */
	IB_DEVICE_MEM_WINDOW_TYPE_2B = 1 << 24,	      /* type 2B windows */
	IB_DEVICE_RC_IP_CSUM = 1 << 25,		      /* checksum on RC */
	IB_DEVICE_RAW_IP_CSUM = 1 << 26,	      /* deprecated */
	IB_DEVICE_MANAGED_FLOW_STEERING = 1 << 29,    /* flow steering */
	IB_DEVICE_RAW_SCATTER_FCS = 1ULL << 34,	      /* deprecated */
	IB_DEVICE_PCI_WRITE_END_PADDING = 1ULL << 36, /* padding of writes */
	IB_DEVICE_FLUSH_GLOBAL = 1ULL << 38,	      /* FLUSH to global visibility; after 6.1 */
	IB_DEVICE_FLUSH_PERSISTENT = 1ULL << 39,      /* FLUSH to persistence; after 6.1 */
	IB_DEVICE_ATOMIC_WRITE = 1ULL << 40,	      /* 8-byte atomic write; after 6.1 */
};

/* Bits of ib_device_attr.kernel_cap_flags. */
enum ib_kernel_cap_flags {
	IBK_LOCAL_DMA_LKEY = 1 << 0,	       /* device-wide local key */
	IBK_INTEGRITY_HANDOVER = 1 << 1,       /* T10-PI */
	IBK_ON_DEMAND_PAGING = 1 << 2,	       /* ODP */
	IBK_SG_GAPS_REG = 1 << 3,	       /* SG_GAPS MRs */
	IBK_ALLOW_USER_UNREG = 1 << 4,	       /* software device may be deleted */
	IBK_BLOCK_MULTICAST_LOOPBACK = 1 << 5, /* loopback blocking */
	IBK_UD_TSO = 1 << 6,		       /* UD segmentation */
	IBK_VIRTUAL_FUNCTION = 1 << 7,	       /* VF operations */
	IBK_RDMA_NETDEV_OPA = 1 << 8,	       /* netdev-use QPs */
};

/* How far atomic operations are atomic. */
enum ib_atomic_cap {
	IB_ATOMIC_NONE = 0, /* no guarantee */
	IB_ATOMIC_HCA = 1,  /* atomic among QPs of this device */
	IB_ATOMIC_GLOB = 2, /* atomic with CPU accesses too */
};

/* On-demand paging as a whole. */
enum ib_odp_general_cap_bits {
	IB_ODP_SUPPORT = 1,
	IB_ODP_SUPPORT_IMPLICIT = 2,
};

/* On-demand paging per operation. */
enum ib_odp_transport_cap_bits {
	IB_ODP_SUPPORT_SEND = 1 << 0,
	IB_ODP_SUPPORT_RECV = 1 << 1,
	IB_ODP_SUPPORT_WRITE = 1 << 2,
	IB_ODP_SUPPORT_READ = 1 << 3,
	IB_ODP_SUPPORT_ATOMIC = 1 << 4,
	IB_ODP_SUPPORT_SRQ_RECV = 1 << 5,
};

/* Tag matching. */
enum ib_tm_cap_flags {
	IB_TM_CAP_RNDV_RC = 1,
};

/* What a CQ modification changes. */
enum ib_cq_attr_mask {
	IB_CQ_MODERATE = 1,
};

/* Path MTU codes, as in PortInfo and path records. */
enum ib_mtu {
	IB_MTU_256 = 1,
	IB_MTU_512 = 2,
	IB_MTU_1024 = 3,
	IB_MTU_2048 = 4,
	IB_MTU_4096 = 5,
};

/* MTU codes that only OPA has. */
enum opa_mtu {
	OPA_MTU_8192 = 6,
	OPA_MTU_10240 = 7,
};

/* Logical port state. */
enum ib_port_state {
	IB_PORT_NOP = 0, /* no state change (SMP use) */
	IB_PORT_DOWN = 1,
	IB_PORT_INIT = 2,
	IB_PORT_ARMED = 3,
	IB_PORT_ACTIVE = 4,
	IB_PORT_ACTIVE_DEFER = 5, /* active, deferring */
};

/* Physical port state. */
enum ib_port_phys_state {
	IB_PORT_PHYS_STATE_SLEEP = 1,
	IB_PORT_PHYS_STATE_POLLING = 2,
	IB_PORT_PHYS_STATE_DISABLED = 3,
	IB_PORT_PHYS_STATE_PORT_CONFIGURATION_TRAINING = 4,
	IB_PORT_PHYS_STATE_LINK_UP = 5,
	IB_PORT_PHYS_STATE_LINK_ERROR_RECOVERY = 6,
	IB_PORT_PHYS_STATE_PHY_TEST = 7,
};

/* Link width: one bit per width. */
enum ib_port_width {
	IB_WIDTH_1X = 1,
	IB_WIDTH_2X = 16,
	IB_WIDTH_4X = 2,
	IB_WIDTH_8X = 4,
	IB_WIDTH_12X = 8,
};

/* Lane speed: one bit per speed. */
enum ib_port_speed {
	IB_SPEED_SDR = 1 << 0,
	IB_SPEED_DDR = 1 << 1,
	IB_SPEED_QDR = 1 << 2,
	IB_SPEED_FDR10 = 1 << 3,
	IB_SPEED_FDR = 1 << 4,
	IB_SPEED_EDR = 1 << 5,
	IB_SPEED_HDR = 1 << 6,
	IB_SPEED_NDR = 1 << 7,
	IB_SPEED_XDR = 1 << 8, /* after 6.1 */
};

/* Bits of rdma_stat_desc.flags. */
enum ib_stat_flag {
	IB_STAT_FLAG_OPTIONAL = 1,
};

/* What ib_modify_device() changes. */
enum ib_device_modify_flags {
	IB_DEVICE_MODIFY_SYS_IMAGE_GUID = 1,
	IB_DEVICE_MODIFY_NODE_DESC = 2,
};

/* What ib_modify_port() changes. */
enum ib_port_modify_flags {
	IB_PORT_SHUTDOWN = 1 << 0,
	IB_PORT_INIT_TYPE = 1 << 2,
	IB_PORT_RESET_QKEY_CNTR = 1 << 3,
	IB_PORT_OPA_MASK_CHG = 1 << 4,
};

/* Asynchronous events. */
enum ib_event_type {
	IB_EVENT_CQ_ERR = 0,		   /* CQ overflow or access failure */
	IB_EVENT_QP_FATAL = 1,		   /* QP broken, now ERR */
	IB_EVENT_QP_REQ_ERR = 2,	   /* invalid request at the responder */
	IB_EVENT_QP_ACCESS_ERR = 3,	   /* local access violation at the responder */
	IB_EVENT_COMM_EST = 4,		   /* first packet in RTR */
	IB_EVENT_SQ_DRAINED = 5,	   /* SQD drain complete */
	IB_EVENT_PATH_MIG = 6,		   /* migrated to the alternate path */
	IB_EVENT_PATH_MIG_ERR = 7,	   /* migration failed */
	IB_EVENT_DEVICE_FATAL = 8,	   /* device dead */
	IB_EVENT_PORT_ACTIVE = 9,	   /* port active */
	IB_EVENT_PORT_ERR = 10,		   /* port down */
	IB_EVENT_LID_CHANGE = 11,	   /* LID changed */
	IB_EVENT_PKEY_CHANGE = 12,	   /* P_Key table changed */
	IB_EVENT_SM_CHANGE = 13,	   /* SM changed */
	IB_EVENT_SRQ_ERR = 14,		   /* SRQ broken */
	IB_EVENT_SRQ_LIMIT_REACHED = 15,   /* SRQ below limit (one shot) */
	IB_EVENT_QP_LAST_WQE_REACHED = 16, /* SRQ QP in ERR consumed its last receive */
	IB_EVENT_CLIENT_REREGISTER = 17,   /* SM asks for re-registration */
	IB_EVENT_GID_CHANGE = 18,	   /* GID table changed */
	IB_EVENT_WQ_FATAL = 19,		   /* WQ broken */
};

/* Bits of rdma_ah_attr.ah_flags. */
enum ib_ah_flags {
	IB_AH_GRH = 1, /* global route present */
};

/* Static rates, as in path records; not in order of speed. */
enum ib_rate {
	IB_RATE_PORT_CURRENT = 0,
	IB_RATE_2_5_GBPS = 2,
	IB_RATE_5_GBPS = 5,
	IB_RATE_10_GBPS = 3,
	IB_RATE_20_GBPS = 6,
	IB_RATE_30_GBPS = 4,
	IB_RATE_40_GBPS = 7,
	IB_RATE_60_GBPS = 8,
	IB_RATE_80_GBPS = 9,
	IB_RATE_120_GBPS = 10,
	IB_RATE_14_GBPS = 11,
	IB_RATE_56_GBPS = 12,
	IB_RATE_112_GBPS = 13,
	IB_RATE_168_GBPS = 14,
	IB_RATE_25_GBPS = 15,
	IB_RATE_100_GBPS = 16,
	IB_RATE_200_GBPS = 17,
	IB_RATE_300_GBPS = 18,
	IB_RATE_28_GBPS = 19,
	IB_RATE_50_GBPS = 20,
	IB_RATE_400_GBPS = 21,
	IB_RATE_600_GBPS = 22,
	IB_RATE_800_GBPS = 23, /* after 6.1 */
};

/* Node types, as in NodeInfo; those above 3 are not InfiniBand's. */
enum {
	RDMA_NODE_IB_CA = 1,
	RDMA_NODE_IB_SWITCH,
	RDMA_NODE_IB_ROUTER,
	RDMA_NODE_RNIC,
	RDMA_NODE_USNIC,
	RDMA_NODE_USNIC_UDP,
	RDMA_NODE_UNSPECIFIED,
};

#define IB_MULTICAST_QPN 0xffffff
#define IB_QPN_MASK 0xffffff
#define IB_SA_WELL_KNOWN_GUID (1ULL << 57 | 2)
#define IB_LID_PERMISSIVE cpu_to_be16(0xffff)
#define IB_MULTICAST_LID_BASE cpu_to_be16(0xc000)
#define IB_GRH_FLOWLABEL_MASK 0x000fffff
#define ROCE_V2_UDP_DPORT 4791
#define IB_ROCE_UDP_ENCAP_VALID_PORT_MIN 0xc000
#define IB_ROCE_UDP_ENCAP_VALID_PORT_MAX 0xffff
#define IB_DEVICE_NODE_DESC_MAX 64
#define IB_DEVICE_NAME_MAX 64
#define IB_FW_VERSION_NAME_MAX 32
#define RDMA_HW_STATS_DEFAULT_LIFESPAN 10 /* ms */

/* What a port can do: ib_port_immutable.core_cap_flags. */
#define RDMA_CORE_CAP_IB_MAD 0x00000001
#define RDMA_CORE_CAP_IB_SMI 0x00000002
#define RDMA_CORE_CAP_IB_CM 0x00000004
#define RDMA_CORE_CAP_IW_CM 0x00000008
#define RDMA_CORE_CAP_IB_SA 0x00000010
#define RDMA_CORE_CAP_OPA_MAD 0x00000020
#define RDMA_CORE_CAP_AF_IB 0x00001000
#define RDMA_CORE_CAP_ETH_AH 0x00002000
#define RDMA_CORE_CAP_OPA_AH 0x00004000
#define RDMA_CORE_CAP_IB_GRH_REQUIRED 0x00008000
#define RDMA_CORE_CAP_PROT_IB 0x00100000
#define RDMA_CORE_CAP_PROT_ROCE 0x00200000
#define RDMA_CORE_CAP_PROT_IWARP 0x00400000
#define RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP 0x00800000
#define RDMA_CORE_CAP_PROT_RAW_PACKET 0x01000000
#define RDMA_CORE_CAP_PROT_USNIC 0x02000000

/* What whole kinds of ports can do. */
#define RDMA_CORE_PORT_IBA_IB                                                  \
	(RDMA_CORE_CAP_PROT_IB | RDMA_CORE_CAP_IB_MAD | RDMA_CORE_CAP_IB_SMI | \
	 RDMA_CORE_CAP_IB_CM | RDMA_CORE_CAP_IB_SA | RDMA_CORE_CAP_AF_IB)
#define RDMA_CORE_PORT_IBA_ROCE                                                 \
	(RDMA_CORE_CAP_PROT_ROCE | RDMA_CORE_CAP_IB_MAD | RDMA_CORE_CAP_IB_CM | \
	 RDMA_CORE_CAP_AF_IB | RDMA_CORE_CAP_ETH_AH)
#define RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP                                                 \
	(RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP | RDMA_CORE_CAP_IB_MAD | RDMA_CORE_CAP_IB_CM | \
	 RDMA_CORE_CAP_AF_IB | RDMA_CORE_CAP_ETH_AH)
#define RDMA_CORE_PORT_IWARP (RDMA_CORE_CAP_PROT_IWARP | RDMA_CORE_CAP_IW_CM)
#define RDMA_CORE_PORT_INTEL_OPA (RDMA_CORE_PORT_IBA_IB | RDMA_CORE_CAP_OPA_MAD)
#define RDMA_CORE_PORT_RAW_PACKET RDMA_CORE_CAP_PROT_RAW_PACKET
#define RDMA_CORE_PORT_USNIC RDMA_CORE_CAP_PROT_USNIC
#define RDMA_CORE_PORT_IB_GRH_REQUIRED                             \
	(RDMA_CORE_CAP_IB_GRH_REQUIRED | RDMA_CORE_CAP_PROT_ROCE | \
	 RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP)

#endif /* VERBENA_RDMA_IB_VERBS_DEVICE_ENUMS_H */
