/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Constants of the verbs, second part: memory, queues, work requests. */
#ifndef VERBENA_RDMA_IB_VERBS_ENUMS_H
#define VERBENA_RDMA_IB_VERBS_ENUMS_H

#include <linux/version.h>
#include <rdma/ib_verbs_device_enums.h>

/* Kinds of memory regions. */
enum ib_mr_type {
	IB_MR_TYPE_MEM_REG = 0,
	IB_MR_TYPE_SG_GAPS = 1,
	IB_MR_TYPE_DM = 2,
	IB_MR_TYPE_USER = 3,
	IB_MR_TYPE_DMA = 4,
	IB_MR_TYPE_INTEGRITY = 5,
};

/* What ib_check_mr_status() checks. */
enum ib_mr_status_check {
	IB_MR_CHECK_SIG_STATUS = 1,
};

/* Which part of rdma_ah_attr is in use. */
enum rdma_ah_attr_type {
	RDMA_AH_ATTR_TYPE_UNDEFINED = 0,
	RDMA_AH_ATTR_TYPE_IB = 1,
	RDMA_AH_ATTR_TYPE_ROCE = 2,
	RDMA_AH_ATTR_TYPE_OPA = 3,
};

/* Results of work requests. */
enum ib_wc_status {
	IB_WC_SUCCESS = 0, /* ok */
	/* local length error: message longer than the receive buffer, or send too long */
	IB_WC_LOC_LEN_ERR = 1,
	IB_WC_LOC_QP_OP_ERR = 2,       /* internal QP inconsistency */
	IB_WC_LOC_EEC_OP_ERR = 3,      /* EE context (RD, unused) */
	IB_WC_LOC_PROT_ERR = 4,	       /* local SGE key/range/access refused */
	IB_WC_WR_FLUSH_ERR = 5,	       /* flushed because the QP left the processing states */
	IB_WC_MW_BIND_ERR = 6,	       /* window bind refused */
	IB_WC_BAD_RESP_ERR = 7,	       /* unexpected response opcode */
	IB_WC_LOC_ACCESS_ERR = 8,      /* responder: RDMA WRITE with immediate protection error */
	IB_WC_REM_INV_REQ_ERR = 9,     /* NAK invalid request */
	IB_WC_REM_ACCESS_ERR = 10,     /* NAK remote access error */
	IB_WC_REM_OP_ERR = 11,	       /* NAK remote operational error */
	IB_WC_RETRY_EXC_ERR = 12,      /* timeouts / sequence retries exhausted */
	IB_WC_RNR_RETRY_EXC_ERR = 13,  /* RNR retries exhausted */
	IB_WC_LOC_RDD_VIOL_ERR = 14,   /* RD domain (unused) */
	IB_WC_REM_INV_RD_REQ_ERR = 15, /* NAK invalid RD request (unused) */
	IB_WC_REM_ABORT_ERR = 16,      /* operation aborted by peer (RD; RMPP abort) */
	IB_WC_INV_EECN_ERR = 17,       /* unused */
	IB_WC_INV_EEC_STATE_ERR = 18,  /* unused */
	IB_WC_FATAL_ERR = 19,	       /* fatal */
	IB_WC_RESP_TIMEOUT_ERR = 20,   /* MAD response timeout */
	IB_WC_GENERAL_ERR = 21,	       /* other */
};

/*
 * What completed. The values are those of Linux 6.1: FLUSH (8) and ATOMIC_WRITE (9), which
 * came later, took numbers that REG_MR and MASKED_COMP_SWAP have here. So a process's library
 * reads them right: it cannot register through a queue pair. A user of this API, who can, knows
 * by wr_id which of both it posted; the devices here have no masked atomics.
 */
enum ib_wc_opcode {
	IB_WC_SEND = 0,			 /* SEND family */
	IB_WC_RDMA_WRITE = 1,		 /* RDMA WRITE family */
	IB_WC_RDMA_READ = 2,		 /* RDMA READ */
	IB_WC_COMP_SWAP = 3,		 /* compare and swap */
	IB_WC_FETCH_ADD = 4,		 /* fetch and add */
	IB_WC_BIND_MW = 5,		 /* window bind */
	IB_WC_LOCAL_INV = 6,		 /* local invalidate */
	IB_WC_LSO = 7,			 /* segmented UD send */
	IB_WC_REG_MR = 8,		 /* fast registration */
	IB_WC_MASKED_COMP_SWAP = 9,	 /* masked compare and swap */
	IB_WC_MASKED_FETCH_ADD = 10,	 /* masked fetch and add */
	IB_WC_FLUSH = 8,		 /* FLUSH; after 6.1 */
	IB_WC_ATOMIC_WRITE = 9,		 /* 8-byte atomic write; after 6.1 */
	IB_WC_RECV = 0x80,		 /* receive; bit 7 is common to all receive opcodes */
	IB_WC_RECV_RDMA_WITH_IMM = 0x81, /* receive consumed by RDMA WRITE with immediate */
};

/* Which optional members of a completion are valid. */
enum ib_wc_flags {
	IB_WC_GRH = 1 << 0,		      /* GRH valid (first 40 bytes of the buffer) */
	IB_WC_WITH_IMM = 1 << 1,	      /* ex.imm_data valid */
	IB_WC_WITH_INVALIDATE = 1 << 2,	      /* ex.invalidate_rkey valid */
	IB_WC_IP_CSUM_OK = 1 << 3,	      /* checksum verified */
	IB_WC_WITH_SMAC = 1 << 4,	      /* smac valid */
	IB_WC_WITH_VLAN = 1 << 5,	      /* vlan_id valid */
	IB_WC_WITH_NETWORK_HDR_TYPE = 1 << 6, /* network_hdr_type valid */
};

/* What arms a CQ. */
enum ib_cq_notify_flags {
	IB_CQ_SOLICITED = 1,		/* next solicited or error completion */
	IB_CQ_NEXT_COMP = 2,		/* next completion */
	IB_CQ_SOLICITED_MASK = 3,	/* mask of the two */
	IB_CQ_REPORT_MISSED_EVENTS = 4, /* return >0 if entries may already be there */
};

/* Kinds of shared receive queues. */
enum ib_srq_type {
	IB_SRQT_BASIC = 0,
	IB_SRQT_XRC = 1,
	IB_SRQT_TM = 2,
};

/* What ib_modify_srq() changes. */
enum ib_srq_attr_mask {
	IB_SRQ_MAX_WR = 1,
	IB_SRQ_LIMIT = 2,
};

/* Which send requests give a completion. */
enum ib_sig_type {
	IB_SIGNAL_ALL_WR = 0, /* every send produces a completion */
	IB_SIGNAL_REQ_WR = 1, /* only with IB_SEND_SIGNALED (or on error) */
};

/* QP types. The first two are what they are so that the value is the QP number. */
enum ib_qp_type {
	IB_QPT_SMI = 0,		  /* QP0 */
	IB_QPT_GSI = 1,		  /* QP1 */
	IB_QPT_RC = 2,		  /* reliable connected */
	IB_QPT_UC = 3,		  /* unreliable connected */
	IB_QPT_UD = 4,		  /* unreliable datagram */
	IB_QPT_RAW_IPV6 = 5,	  /* raw IPv6 */
	IB_QPT_RAW_ETHERTYPE = 6, /* raw Ethertype */
	IB_QPT_RAW_PACKET = 8,	  /* raw Ethernet frames */
	IB_QPT_XRC_INI = 9,	  /* XRC initiator */
	IB_QPT_XRC_TGT = 10,	  /* XRC target */
	IB_QPT_MAX = 11,	  /* table size */
	IB_QPT_DRIVER = 0xff,	  /* driver specific */
	IB_QPT_RESERVED1 = 0x1000,
	IB_QPT_RESERVED2 = 0x1001,
	IB_QPT_RESERVED3 = 0x1002,
	IB_QPT_RESERVED4 = 0x1003,
	IB_QPT_RESERVED5 = 0x1004,
	IB_QPT_RESERVED6 = 0x1005,
	IB_QPT_RESERVED7 = 0x1006,
	IB_QPT_RESERVED8 = 0x1007,
	IB_QPT_RESERVED9 = 0x1008,
	IB_QPT_RESERVED10 = 0x1009,
};

/* Bits of ib_qp_init_attr.create_flags. */
enum ib_qp_create_flags {
	IB_QP_CREATE_IPOIB_UD_LSO = 1 << 0,		/* UD LSO */
	IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK = 1 << 1, /* no own multicast */
	IB_QP_CREATE_CROSS_CHANNEL = 1 << 2,
	IB_QP_CREATE_MANAGED_SEND = 1 << 3,
	IB_QP_CREATE_MANAGED_RECV = 1 << 4,
	IB_QP_CREATE_NETIF_QP = 1 << 5,	       /* steering QP range */
	IB_QP_CREATE_INTEGRITY_EN = 1 << 6,    /* T10-PI */
	IB_QP_CREATE_NETDEV_USE = 1 << 7,      /* network device QP */
	IB_QP_CREATE_SCATTER_FCS = 1 << 8,     /* deliver FCS */
	IB_QP_CREATE_CVLAN_STRIPPING = 1 << 9, /* strip VLAN */
	IB_QP_CREATE_SOURCE_QPN = 1 << 10,     /* use source_qpn */
	IB_QP_CREATE_PCI_WRITE_END_PADDING = 1 << 11,
	IB_QP_CREATE_RESERVED_START = 1 << 26, /* bits 26-31 driver */
	IB_QP_CREATE_RESERVED_END = 1U << 31,
};

/* RNR timer codes; the names give milliseconds. Code 0 is the longest. */
enum ib_rnr_timeout {
	IB_RNR_TIMER_655_36 = 0,
	IB_RNR_TIMER_000_01 = 1,
	IB_RNR_TIMER_000_02 = 2,
	IB_RNR_TIMER_000_03 = 3,
	IB_RNR_TIMER_000_04 = 4,
	IB_RNR_TIMER_000_06 = 5,
	IB_RNR_TIMER_000_08 = 6,
	IB_RNR_TIMER_000_12 = 7,
	IB_RNR_TIMER_000_16 = 8,
	IB_RNR_TIMER_000_24 = 9,
	IB_RNR_TIMER_000_32 = 10,
	IB_RNR_TIMER_000_48 = 11,
	IB_RNR_TIMER_000_64 = 12,
	IB_RNR_TIMER_000_96 = 13,
	IB_RNR_TIMER_001_28 = 14,
	IB_RNR_TIMER_001_92 = 15,
	IB_RNR_TIMER_002_56 = 16,
	IB_RNR_TIMER_003_84 = 17,
	IB_RNR_TIMER_005_12 = 18,
	IB_RNR_TIMER_007_68 = 19,
	IB_RNR_TIMER_010_24 = 20,
	IB_RNR_TIMER_015_36 = 21,
	IB_RNR_TIMER_020_48 = 22,
	IB_RNR_TIMER_030_72 = 23,
	IB_RNR_TIMER_040_96 = 24,
	IB_RNR_TIMER_061_44 = 25,
	IB_RNR_TIMER_081_92 = 26,
	IB_RNR_TIMER_122_88 = 27,
	IB_RNR_TIMER_163_84 = 28,
	IB_RNR_TIMER_245_76 = 29,
	IB_RNR_TIMER_327_68 = 30,
	IB_RNR_TIMER_491_52 = 31,
};

/* Which members of ib_qp_attr a modification sets. */
enum ib_qp_attr_mask {
	IB_QP_STATE = 1 << 0,
	IB_QP_CUR_STATE = 1 << 1,
	IB_QP_EN_SQD_ASYNC_NOTIFY = 1 << 2,
	IB_QP_ACCESS_FLAGS = 1 << 3,
	IB_QP_PKEY_INDEX = 1 << 4,
	IB_QP_PORT = 1 << 5,
	IB_QP_QKEY = 1 << 6,
	IB_QP_AV = 1 << 7,
	IB_QP_PATH_MTU = 1 << 8,
	IB_QP_TIMEOUT = 1 << 9,
	IB_QP_RETRY_CNT = 1 << 10,
	IB_QP_RNR_RETRY = 1 << 11,
	IB_QP_RQ_PSN = 1 << 12,
	IB_QP_MAX_QP_RD_ATOMIC = 1 << 13,
	IB_QP_ALT_PATH = 1 << 14,
	IB_QP_MIN_RNR_TIMER = 1 << 15,
	IB_QP_SQ_PSN = 1 << 16,
	IB_QP_MAX_DEST_RD_ATOMIC = 1 << 17,
	IB_QP_PATH_MIG_STATE = 1 << 18,
	IB_QP_CAP = 1 << 19,
	IB_QP_DEST_QPN = 1 << 20,
	IB_QP_RESERVED1 = 1 << 21,
	IB_QP_RESERVED2 = 1 << 22,
	IB_QP_RESERVED3 = 1 << 23,
	IB_QP_RESERVED4 = 1 << 24,
	IB_QP_RATE_LIMIT = 1 << 25,
	IB_QP_ATTR_STANDARD_BITS = 0x1fffff,
};

/* QP states. */
enum ib_qp_state {
	IB_QPS_RESET = 0, /* idle */
	IB_QPS_INIT = 1,  /* may post receives */
	IB_QPS_RTR = 2,	  /* may receive */
	IB_QPS_RTS = 3,	  /* may send and receive */
	IB_QPS_SQD = 4,	  /* send queue drain */
	IB_QPS_SQE = 5,	  /* send queue error */
	IB_QPS_ERR = 6,	  /* error */
};

/* Path migration. */
enum ib_mig_state {
	IB_MIG_MIGRATED = 0, /* migrated (initial) */
	IB_MIG_REARM = 1,    /* rearm requested */
	IB_MIG_ARMED = 2,    /* ready to migrate */
};

/* Memory window types. */
enum ib_mw_type {
	IB_MW_TYPE_1 = 1,
	IB_MW_TYPE_2 = 2,
};

/* Operations of send work requests. */
enum ib_wr_opcode {
	IB_WR_RDMA_WRITE = 0,			/* RC, UC, XRC */
	IB_WR_RDMA_WRITE_WITH_IMM = 1,		/* RC, UC, XRC */
	IB_WR_SEND = 2,				/* all */
	IB_WR_SEND_WITH_IMM = 3,		/* all */
	IB_WR_RDMA_READ = 4,			/* RC, XRC */
	IB_WR_ATOMIC_CMP_AND_SWP = 5,		/* RC, XRC */
	IB_WR_ATOMIC_FETCH_AND_ADD = 6,		/* RC, XRC */
	IB_WR_BIND_MW = 8,			/* local */
	IB_WR_LSO = 10,				/* UD */
	IB_WR_SEND_WITH_INV = 9,		/* RC */
	IB_WR_RDMA_READ_WITH_INV = 11,		/* iWARP */
	IB_WR_LOCAL_INV = 7,			/* local */
	IB_WR_MASKED_ATOMIC_CMP_AND_SWP = 12,	/* RC */
	IB_WR_MASKED_ATOMIC_FETCH_AND_ADD = 13, /* RC */
	IB_WR_REG_MR = 32,			/* local, kernel only */
	IB_WR_REG_MR_INTEGRITY = 33,		/* local, kernel only */
	IB_WR_RESERVED1 = 0xf0,
	IB_WR_RESERVED2 = 0xf1,
	IB_WR_RESERVED3 = 0xf2,
	IB_WR_RESERVED4 = 0xf3,
	IB_WR_RESERVED5 = 0xf4,
	IB_WR_RESERVED6 = 0xf5,
	IB_WR_RESERVED7 = 0xf6,
	IB_WR_RESERVED8 = 0xf7,
	IB_WR_RESERVED9 = 0xf8,
	IB_WR_RESERVED10 = 0xf9,
	IB_WR_FLUSH = 14,	 /* RC; after 6.1 */
	IB_WR_ATOMIC_WRITE = 15, /* RC; after 6.1 */
};

/* Bits of ib_send_wr.send_flags. */
enum ib_send_flags {
	/* start only after all earlier READ/atomic of this QP completed */
	IB_SEND_FENCE = 1 << 0,
	IB_SEND_SIGNALED = 1 << 1,  /* produce a completion */
	IB_SEND_SOLICITED = 1 << 2, /* set the solicited event bit at the receiver */
	IB_SEND_INLINE = 1 << 3,    /* data copied at post time */
	IB_SEND_IP_CSUM = 1 << 4,   /* checksum offload */
	IB_SEND_RESERVED_START = 1 << 26,
	IB_SEND_RESERVED_END = 1U << 31,
};

/* Rights that a memory region or a QP grants. */
enum ib_access_flags {
	IB_ACCESS_LOCAL_WRITE = 1 << 0,	      /* local write */
	IB_ACCESS_REMOTE_WRITE = 1 << 1,      /* remote write (needs LOCAL_WRITE) */
	IB_ACCESS_REMOTE_READ = 1 << 2,	      /* remote read */
	IB_ACCESS_REMOTE_ATOMIC = 1 << 3,     /* remote atomic (needs LOCAL_WRITE) */
	IB_ACCESS_MW_BIND = 1 << 4,	      /* windows may be bound */
	IB_ZERO_BASED = 1 << 5,		      /* addresses start at 0 */
	IB_ACCESS_ON_DEMAND = 1 << 6,	      /* ODP */
	IB_ACCESS_HUGETLB = 1 << 7,	      /* huge pages */
	IB_ACCESS_RELAXED_ORDERING = 1 << 20, /* relaxed ordering (optional) */
	IB_ACCESS_OPTIONAL = 0x3ff00000,      /* bits 20..29, may be ignored */
	IB_ACCESS_SUPPORTED = 0x3ff000ff,     /* all known bits of 6.1 */
	IB_ACCESS_FLUSH_GLOBAL = 1 << 8,      /* FLUSH to visibility allowed; after 6.1 */
	IB_ACCESS_FLUSH_PERSISTENT = 1 << 9,  /* FLUSH to persistence allowed; after 6.1 */
};

/* What a re-registration changes. */
enum ib_mr_rereg_flags {
	IB_MR_REREG_TRANS = 1,
	IB_MR_REREG_PD = 2,
	IB_MR_REREG_ACCESS = 4,
	IB_MR_REREG_SUPPORTED = 7,
};

/* Why an object of a process goes away. */
enum rdma_remove_reason {
	RDMA_REMOVE_DESTROY = 0,
	RDMA_REMOVE_CLOSE = 1,
	RDMA_REMOVE_DRIVER_REMOVE = 2,
	RDMA_REMOVE_ABORT = 3,
	RDMA_REMOVE_DRIVER_FAILURE = 4,
};

/* Who polls a CQ of ib_alloc_cq(). */
enum ib_poll_context {
	IB_POLL_SOFTIRQ = 0,	       /* core polls in soft-irq context */
	IB_POLL_WORKQUEUE = 1,	       /* core polls in a worker */
	IB_POLL_UNBOUND_WORKQUEUE = 2, /* core polls in an unbound worker */
	IB_POLL_LAST_POOL_TYPE = 2,
	IB_POLL_DIRECT = 3, /* user calls ib_process_cq_direct */
};

/* Raw packet capabilities. */
enum ib_raw_packet_caps {
	IB_RAW_PACKET_CAP_CVLAN_STRIPPING = 1 << 0,
	IB_RAW_PACKET_CAP_SCATTER_FCS = 1 << 1,
	IB_RAW_PACKET_CAP_IP_CSUM = 1 << 2,
	IB_RAW_PACKET_CAP_DELAY_DROP = 1 << 3,
};

/* Kinds of standalone work queues. */
enum ib_wq_type {
	IB_WQT_RQ = 0,
};

/* States of a standalone work queue. */
enum ib_wq_state {
	IB_WQS_RESET = 0,
	IB_WQS_RDY = 1,
	IB_WQS_ERR = 2,
};

/* Bits of ib_wq_init_attr.create_flags. */
enum ib_wq_flags {
	IB_WQ_FLAGS_CVLAN_STRIPPING = 1 << 0,
	IB_WQ_FLAGS_SCATTER_FCS = 1 << 1,
	IB_WQ_FLAGS_DELAY_DROP = 1 << 2,
	IB_WQ_FLAGS_PCI_WRITE_END_PADDING = 1 << 3,
};

/* What a work queue modification changes. */
enum ib_wq_attr_mask {
	IB_WQ_STATE = 1,
	IB_WQ_CUR_STATE = 2,
	IB_WQ_FLAGS = 4,
};

/* Bookkeeping of P_Key security. */
enum port_pkey_state {
	IB_PORT_PKEY_NOT_VALID = 0,
	IB_PORT_PKEY_VALID = 1,
	IB_PORT_PKEY_LISTED = 2,
};

/* Kinds of steering rules. */
enum ib_flow_attr_type {
	IB_FLOW_ATTR_NORMAL = 0,
	IB_FLOW_ATTR_ALL_DEFAULT = 1,
	IB_FLOW_ATTR_MC_DEFAULT = 2,
	IB_FLOW_ATTR_SNIFFER = 3,
};

/* Headers that a steering rule matches, and its actions. */
enum ib_flow_spec_type {
	IB_FLOW_SPEC_ETH = 32,
	IB_FLOW_SPEC_IB = 34,
	IB_FLOW_SPEC_IPV4 = 48,
	IB_FLOW_SPEC_IPV6 = 49,
	IB_FLOW_SPEC_ESP = 52,
	IB_FLOW_SPEC_TCP = 64,
	IB_FLOW_SPEC_UDP = 65,
	IB_FLOW_SPEC_VXLAN_TUNNEL = 80,
	IB_FLOW_SPEC_GRE = 81,
	IB_FLOW_SPEC_MPLS = 96,
	IB_FLOW_SPEC_INNER = 0x100,
	IB_FLOW_SPEC_ACTION_TAG = 0x1000,
	IB_FLOW_SPEC_ACTION_DROP = 0x1001,
	IB_FLOW_SPEC_ACTION_HANDLE = 0x1002,
	IB_FLOW_SPEC_ACTION_COUNT = 0x1003,
};

/* Bits of ib_flow_attr.flags. */
enum ib_flow_flags {
	IB_FLOW_ATTR_FLAGS_DONT_TRAP = 1 << 1,
	IB_FLOW_ATTR_FLAGS_EGRESS = 1 << 2,
	IB_FLOW_ATTR_FLAGS_RESERVED = 1 << 3,
};

/* IPv4 fragment flags in steering rules. */
enum ib_ipv4_flags {
	IB_IPV4_DONT_FRAG = 2,
	IB_IPV4_MORE_FRAG = 4,
};

/* Counters of a counter object. */
enum ib_counters_description {
	IB_COUNTER_PACKETS = 0,
	IB_COUNTER_BYTES = 1,
};

/* Kinds of steering actions. */
enum ib_flow_action_type {
	IB_FLOW_ACTION_UNSPECIFIED = 0,
	IB_FLOW_ACTION_ESP = 1,
};

/* Bits for ESP actions. */
enum ib_flow_action_attrs_esp_flags {
	IB_FLOW_ACTION_ESP_FLAGS_ESN_TRIGGERED = 1ULL << 32,
	IB_FLOW_ACTION_ESP_FLAGS_MOD_ESP_ATTRS = 1ULL << 33,
};

/* Checks that process_mad shall skip. */
enum ib_process_mad_flags {
	IB_MAD_IGNORE_MKEY = 1,
	IB_MAD_IGNORE_BKEY = 2,
	IB_MAD_IGNORE_ALL = 3,
};

/* Bits that process_mad returns. */
enum ib_mad_result {
	IB_MAD_RESULT_FAILURE = 0,	 /* error */
	IB_MAD_RESULT_SUCCESS = 1 << 0,	 /* processed */
	IB_MAD_RESULT_REPLY = 1 << 1,	 /* send out_mad */
	IB_MAD_RESULT_CONSUMED = 1 << 2, /* stop */
};

/* Kinds of network interfaces over RDMA. */
enum rdma_netdev_t {
	RDMA_NETDEV_OPA_VNIC = 0,
	RDMA_NETDEV_IPOIB = 1,
};

/* Flags of ib_alloc_pd(). */
enum ib_pd_flags {
	IB_PD_UNSAFE_GLOBAL_RKEY = 1, /* create a remotely usable key for all memory */
};

/* Flags of rdma_create_ah(). */
enum rdma_create_ah_flags {
	RDMA_CREATE_AH_SLEEPABLE = 1, /* caller may sleep */
};

/* Flags of rdma_destroy_ah(). */
enum rdma_destroy_ah_flags {
	RDMA_DESTROY_AH_SLEEPABLE = 1, /* caller may sleep */
};

#define IB_FLOW_SPEC_LAYER_MASK 0xf0
#define IB_FLOW_SPEC_SUPPORT_LAYERS 10

/* Parameters of FLUSH; later systems have them in their own header. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
enum ib_placement_type {
	IB_FLUSH_GLOBAL = 1 << 0,
	IB_FLUSH_PERSISTENT = 1 << 1,
};

enum ib_selectivity_level {
	IB_FLUSH_RANGE = 0,
	IB_FLUSH_MR = 1,
};
#endif

#endif /* VERBENA_RDMA_IB_VERBS_ENUMS_H */
