/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Plain data of the verbs, second part: work requests, completions, attributes of queues. */
#ifndef VERBENA_RDMA_IB_VERBS_WR_H
#define VERBENA_RDMA_IB_VERBS_WR_H

#include <rdma/ib_verbs_attrs.h>

/**
 * struct ib_wc - Work completion.
 * @wr_id: Copied from the WR.
 * @wr_cqe: Alternative: completion callback object.
 * @status: Result.
 * @opcode: Operation; undefined when status is an error in the general contract.
 * @vendor_err: Provider detail.
 * @byte_len: Bytes received (UD: including 40 for the GRH), or transferred.
 * @qp: Local QP.
 * @ex: One of two, as @wc_flags says.
 * @ex.imm_data: Immediate data, network order, with IB_WC_WITH_IMM.
 * @ex.invalidate_rkey: Key invalidated by the peer, with IB_WC_WITH_INVALIDATE.
 * @src_qp: Sender QPN (UD).
 * @slid: Source LID.
 * @wc_flags: ib_wc_flags.
 * @pkey_index: P_Key index (GSI).
 * @sl: Service level.
 * @dlid_path_bits: Low bits of the destination LID used.
 * @port_num: Port, only for directed-route SMPs on switches.
 * @smac: Source MAC, with IB_WC_WITH_SMAC.
 * @vlan_id: VLAN, with IB_WC_WITH_VLAN.
 * @network_hdr_type: enum rdma_network_type, with IB_WC_WITH_NETWORK_HDR_TYPE.
 */
struct ib_wc {
	union {
		u64 wr_id;
		struct ib_cqe *wr_cqe;
	};
	enum ib_wc_status status;
	enum ib_wc_opcode opcode;
	u32 vendor_err;
	u32 byte_len;
	struct ib_qp *qp;
	union {
		__be32 imm_data;
		u32 invalidate_rkey;
	} ex;
	u32 src_qp;
	u32 slid;
	int wc_flags;
	u16 pkey_index;
	u8 sl;
	u8 dlid_path_bits;
	u32 port_num;
	u8 smac[ETH_ALEN];
	u16 vlan_id;
	u8 network_hdr_type;
};

/**
 * struct ib_srq_attr - SRQ attributes.
 * @max_wr: WRs.
 * @max_sge: SGEs per WR.
 * @srq_limit: Limit-event threshold; 0 = disarmed.
 */
struct ib_srq_attr {
	u32 max_wr;
	u32 max_sge;
	u32 srq_limit;
};

/**
 * struct ib_srq_init_attr - SRQ creation.
 * @event_handler: SRQ events.
 * @srq_context: Argument of the handler.
 * @attr: Sizes.
 * @srq_type: Type.
 * @ext: Of the types that have a CQ.
 * @ext.cq: CQ for XRC and tag matching.
 * @ext.xrc: XRC.
 * @ext.xrc.xrcd: XRC domain.
 * @ext.tag_matching: Tag matching.
 * @ext.tag_matching.max_num_tags: Tags.
 */
struct ib_srq_init_attr {
	void (*event_handler)(struct ib_event *, void *);
	void *srq_context;
	struct ib_srq_attr attr;
	enum ib_srq_type srq_type;
	struct {
		struct ib_cq *cq;
		union {
			struct {
				struct ib_xrcd *xrcd;
			} xrc;
			struct {
				u32 max_num_tags;
			} tag_matching;
		};
	} ext;
};

/**
 * struct ib_qp_cap - QP capacities.
 * @max_send_wr: Send queue depth.
 * @max_recv_wr: Receive queue depth.
 * @max_send_sge: SGEs per send.
 * @max_recv_sge: SGEs per receive.
 * @max_inline_data: Inline bytes per send.
 * @max_rdma_ctxs: rdma_rw contexts in flight; core derives WRs and MRs.
 */
struct ib_qp_cap {
	u32 max_send_wr;
	u32 max_recv_wr;
	u32 max_send_sge;
	u32 max_recv_sge;
	u32 max_inline_data;
	u32 max_rdma_ctxs;
};

/**
 * struct ib_qp_init_attr - QP creation.
 * @event_handler: QP events, worker context.
 * @qp_context: Argument of the handler.
 * @send_cq: Completions of sends.
 * @recv_cq: Completions of receives.
 * @srq: Shared receive queue or NULL.
 * @xrcd: XRC domain (XRC_TGT).
 * @cap: Capacities; actual values written back.
 * @sq_sig_type: Signalling policy.
 * @qp_type: Type.
 * @create_flags: ib_qp_create_flags.
 * @port_num: Port for special QPs, raw packet and rdma_rw.
 * @rwq_ind_tbl: RSS table (then no recv_cq and no receive caps).
 * @source_qpn: QPN to put in DETH, with IB_QP_CREATE_SOURCE_QPN.
 */
struct ib_qp_init_attr {
	void (*event_handler)(struct ib_event *, void *);
	void *qp_context;
	struct ib_cq *send_cq;
	struct ib_cq *recv_cq;
	struct ib_srq *srq;
	struct ib_xrcd *xrcd;
	struct ib_qp_cap cap;
	enum ib_sig_type sq_sig_type;
	enum ib_qp_type qp_type;
	u32 create_flags;
	u32 port_num;
	struct ib_rwq_ind_table *rwq_ind_tbl;
	u32 source_qpn;
};

/**
 * struct ib_qp_open_attr - Opening a shared XRC target QP.
 * @event_handler: Events for this handle.
 * @qp_context: Argument.
 * @qp_num: QPN to open.
 * @qp_type: Must be XRC_TGT.
 */
struct ib_qp_open_attr {
	void (*event_handler)(struct ib_event *, void *);
	void *qp_context;
	u32 qp_num;
	enum ib_qp_type qp_type;
};

/**
 * struct ib_qp_attr - Modifiable QP attributes (mask bit in brackets).
 * @qp_state: Target state [STATE].
 * @cur_qp_state: State assumed by the caller [CUR_STATE].
 * @path_mtu: Path MTU [PATH_MTU].
 * @path_mig_state: Migration state [PATH_MIG_STATE].
 * @qkey: Q_Key [QKEY].
 * @rq_psn: First expected PSN, 24 bit [RQ_PSN].
 * @sq_psn: First PSN to send, 24 bit [SQ_PSN].
 * @dest_qp_num: Peer QPN [DEST_QPN].
 * @qp_access_flags: Remote access permitted, ib_access_flags [ACCESS_FLAGS].
 * @cap: New capacities [CAP].
 * @ah_attr: Primary path [AV].
 * @alt_ah_attr: Alternate path [ALT_PATH].
 * @pkey_index: P_Key index [PKEY_INDEX].
 * @alt_pkey_index: P_Key of the alternate path [ALT_PATH].
 * @en_sqd_async_notify: Request SQ_DRAINED event [EN_SQD_ASYNC_NOTIFY].
 * @sq_draining: Query only: still draining.
 * @max_rd_atomic: Outstanding READ/atomic as initiator [MAX_QP_RD_ATOMIC].
 * @max_dest_rd_atomic: READ/atomic resources as responder [MAX_DEST_RD_ATOMIC].
 * @min_rnr_timer: 5-bit RNR code sent in RNR NAKs [MIN_RNR_TIMER].
 * @port_num: Primary port [PORT].
 * @timeout: 5-bit ACK timeout exponent, 0 = infinite [TIMEOUT].
 * @retry_cnt: 0..7 [RETRY_CNT].
 * @rnr_retry: 0..7, 7 = infinite [RNR_RETRY].
 * @alt_port_num: Port of the alternate path [ALT_PATH].
 * @alt_timeout: Timeout of the alternate path [ALT_PATH].
 * @rate_limit: kbit/s for raw packet QPs [RATE_LIMIT].
 * @xmit_slave: LAG slave, core internal.
 */
struct ib_qp_attr {
	enum ib_qp_state qp_state;
	enum ib_qp_state cur_qp_state;
	enum ib_mtu path_mtu;
	enum ib_mig_state path_mig_state;
	u32 qkey;
	u32 rq_psn;
	u32 sq_psn;
	u32 dest_qp_num;
	int qp_access_flags;
	struct ib_qp_cap cap;
	struct rdma_ah_attr ah_attr;
	struct rdma_ah_attr alt_ah_attr;
	u16 pkey_index;
	u16 alt_pkey_index;
	u8 en_sqd_async_notify;
	u8 sq_draining;
	u8 max_rd_atomic;
	u8 max_dest_rd_atomic;
	u8 min_rnr_timer;
	u32 port_num;
	u8 timeout;
	u8 retry_cnt;
	u8 rnr_retry;
	u32 alt_port_num;
	u8 alt_timeout;
	u32 rate_limit;
	struct net_device *xmit_slave;
};

/**
 * struct ib_sge - Scatter/gather entry.
 * @addr: Local address (virtual-DMA devices: process virtual address).
 * @length: Bytes (kernel convention: 0 means 0 bytes).
 * @lkey: Local key.
 */
struct ib_sge {
	u64 addr;
	u32 length;
	u32 lkey;
};

/**
 * struct ib_cqe - Completion callback object embedded by the user.
 * @done: Called for each completion with this wr_cqe.
 */
struct ib_cqe {
	void (*done)(struct ib_cq *cq, struct ib_wc *wc);
};

/**
 * struct ib_send_wr - Send work request (common part).
 * @next: Next WR or NULL.
 * @wr_id: User cookie.
 * @wr_cqe: Alternative to wr_id.
 * @sg_list: Local buffers.
 * @num_sge: Entries.
 * @opcode: Operation.
 * @send_flags: ib_send_flags.
 * @ex: One of two, as @opcode says.
 * @ex.imm_data: Immediate, network order.
 * @ex.invalidate_rkey: Key to invalidate (SEND_WITH_INV, LOCAL_INV, READ_WITH_INV).
 */
struct ib_send_wr {
	struct ib_send_wr *next;
	union {
		u64 wr_id;
		struct ib_cqe *wr_cqe;
	};
	struct ib_sge *sg_list;
	int num_sge;
	enum ib_wr_opcode opcode;
	int send_flags;
	union {
		__be32 imm_data;
		u32 invalidate_rkey;
	} ex;
};

/**
 * struct ib_rdma_wr - RDMA READ/WRITE.
 * @wr: Common part, must be first.
 * @remote_addr: Remote virtual address.
 * @rkey: Remote key.
 */
struct ib_rdma_wr {
	struct ib_send_wr wr;
	u64 remote_addr;
	u32 rkey;
};

/**
 * struct ib_atomic_wr - Atomic operations.
 * @wr: Common part.
 * @remote_addr: Remote address, 8-byte aligned.
 * @compare_add: Compare value or addend (host order).
 * @swap: Swap value.
 * @compare_add_mask: Mask (masked atomics).
 * @swap_mask: Mask (masked atomics).
 * @rkey: Remote key.
 */
struct ib_atomic_wr {
	struct ib_send_wr wr;
	u64 remote_addr;
	u64 compare_add;
	u64 swap;
	u64 compare_add_mask;
	u64 swap_mask;
	u32 rkey;
};

/**
 * struct ib_ud_wr - UD and GSI/SMI sends.
 * @wr: Common part.
 * @ah: Address handle.
 * @header: LSO header.
 * @hlen: LSO header length.
 * @mss: LSO segment size.
 * @remote_qpn: Destination QPN.
 * @remote_qkey: Q_Key; high bit set = use the QP own Q_Key.
 * @pkey_index: P_Key index, GSI only.
 * @port_num: Port, directed-route SMPs on switches only.
 */
struct ib_ud_wr {
	struct ib_send_wr wr;
	struct ib_ah *ah;
	void *header;
	int hlen;
	int mss;
	u32 remote_qpn;
	u32 remote_qkey;
	u16 pkey_index;
	u32 port_num;
};

/**
 * struct ib_reg_wr - Fast registration.
 * @wr: Common part.
 * @mr: MR prepared by ib_map_mr_sg.
 * @key: New key value (low 8 bits may differ).
 * @access: ib_access_flags.
 */
struct ib_reg_wr {
	struct ib_send_wr wr;
	struct ib_mr *mr;
	u32 key;
	int access;
};

/**
 * struct ib_recv_wr - Receive work request.
 * @next: Next WR or NULL.
 * @wr_id: User cookie.
 * @wr_cqe: Alternative to wr_id.
 * @sg_list: Buffers.
 * @num_sge: Entries.
 */
struct ib_recv_wr {
	struct ib_recv_wr *next;
	union {
		u64 wr_id;
		struct ib_cqe *wr_cqe;
	};
	struct ib_sge *sg_list;
	int num_sge;
};

#endif /* VERBENA_RDMA_IB_VERBS_WR_H */
