/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* rdmavt's queue pairs, work queue entries and receive queues: what they look like. */
#ifndef VERBENA_RDMA_RDMAVT_QP_TYPES_H
#define VERBENA_RDMA_RDMAVT_QP_TYPES_H

#include <linux/hrtimer.h>
#include <linux/rcupdate.h>
#include <linux/timer.h>
#include <linux/verbena_cause.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_pack.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_cq.h>

/* rvt_qp.r_aflags: bit numbers. */
#define RVT_R_WRID_VALID 0 /* a receive WQE is being consumed */
#define RVT_R_REWIND_SGE 1 /* the receive's cursor can be set back (UC, UD) */

/* rvt_qp.r_flags. */
#define RVT_R_REUSE_SGE 0x01 /* keep the receive WQE for the next packet */
#define RVT_R_RDMAR_SEQ 0x02 /* READ response out of sequence seen */
#define RVT_R_RSP_NAK 0x04   /* NAK queued */
#define RVT_R_RSP_SEND 0x08  /* response to send */
#define RVT_R_COMM_EST 0x10  /* COMM_EST event raised */

/* rvt_qp.s_flags. */
#define RVT_S_SIGNAL_REQ_WR 0x0001     /* only signalled requests complete */
#define RVT_S_BUSY 0x0002	       /* a send engine owns the QP */
#define RVT_S_TIMER 0x0004	       /* ACK timer runs */
#define RVT_S_RESP_PENDING 0x0008      /* responses queued */
#define RVT_S_ACK_PENDING 0x0010       /* ACK to send after READ and atomic responses */
#define RVT_S_WAIT_FENCE 0x0020	       /* for earlier READs and atomics */
#define RVT_S_WAIT_RDMAR 0x0040	       /* for room for a READ or atomic */
#define RVT_S_WAIT_RNR 0x0080	       /* for the RNR timer */
#define RVT_S_WAIT_SSN_CREDIT 0x0100   /* for a credit */
#define RVT_S_WAIT_DMA 0x0200	       /* for the send DMA to drain */
#define RVT_S_WAIT_PIO 0x0400	       /* for a send buffer */
#define RVT_S_WAIT_TX 0x0800	       /* for a transmit descriptor object */
#define RVT_S_WAIT_DMA_DESC 0x1000     /* for a DMA descriptor */
#define RVT_S_WAIT_KMEM 0x2000	       /* for memory */
#define RVT_S_WAIT_PSN 0x4000	       /* for a PSN that is still in the send DMA queue */
#define RVT_S_WAIT_ACK 0x8000	       /* for an ACK before sending more */
#define RVT_S_SEND_ONE 0x10000	       /* one packet with an ACK request, then wait */
#define RVT_S_UNLIMITED_CREDIT 0x20000 /* the peer gives no credits */
#define RVT_S_ECN 0x40000	       /* BECN to send */
#define RVT_S_MAX_BIT_MASK 0x800000    /* a driver's flags lie above */

/* What blocks every packet, what blocks requests, and both. */
#define RVT_S_ANY_WAIT_IO (RVT_S_WAIT_PIO | RVT_S_WAIT_TX | RVT_S_WAIT_DMA_DESC | RVT_S_WAIT_KMEM)
#define RVT_S_ANY_WAIT_SEND                                                             \
	(RVT_S_WAIT_FENCE | RVT_S_WAIT_RDMAR | RVT_S_WAIT_RNR | RVT_S_WAIT_SSN_CREDIT | \
	 RVT_S_WAIT_DMA | RVT_S_WAIT_PSN | RVT_S_WAIT_ACK)
#define RVT_S_ANY_WAIT (RVT_S_ANY_WAIT_IO | RVT_S_ANY_WAIT_SEND)

/* What ib_rvt_state_ops[] says of each QP state. */
#define RVT_POST_SEND_OK 0x01
#define RVT_POST_RECV_OK 0x02
#define RVT_PROCESS_RECV_OK 0x04
#define RVT_PROCESS_SEND_OK 0x08
#define RVT_PROCESS_NEXT_SEND_OK 0x10 /* a new WQE may be started */
#define RVT_FLUSH_SEND 0x20	      /* send WQEs complete in error */
#define RVT_FLUSH_RECV 0x40	      /* receive WQEs complete in error */
#define RVT_PROCESS_OR_FLUSH_SEND (RVT_PROCESS_SEND_OK | RVT_FLUSH_SEND)
#define RVT_SEND_OR_FLUSH_OR_RECV_OK (RVT_PROCESS_SEND_OK | RVT_FLUSH_SEND | RVT_PROCESS_RECV_OK)

/* Of a WQE's send_flags: it uses a reserved slot; its work is done, only complete it. */
#define RVT_SEND_RESERVE_USED IB_SEND_RESERVED_START
#define RVT_SEND_COMPLETION_ONLY (IB_SEND_RESERVED_START << 1)

/* rvt_operation_params.flags. */
#define RVT_OPERATION_PRIV 0x01	       /* not for PDs of a process */
#define RVT_OPERATION_ATOMIC 0x02      /* needs s_max_rd_atomic */
#define RVT_OPERATION_ATOMIC_SGE 0x04  /* first SGE of 8 aligned bytes */
#define RVT_OPERATION_LOCAL 0x08       /* no packet */
#define RVT_OPERATION_USE_RESERVE 0x10 /* takes a reserved slot */
#define RVT_OPERATION_IGN_RNR_CNT 0x20 /* RNR retries do not count */
#define RVT_OPERATION_MAX (IB_WR_RESERVED10 + 1)

/*
 * wr.opcode of a WQE that a process has put into its ring and that no post would have taken: when
 * its turn comes it completes in error (Verbena). Drivers leave this opcode alone.
 */
#define RVT_WR_REFUSED IB_WR_RESERVED10

#define RVT_OPCODE_QP_MASK 0xe0 /* bits of a BTH opcode that name the service */

#define RVT_QPN_MAX (1 << 24)
#define RVT_QPN_MASK 0xffffff
#define RVT_QPNMAP_ENTRIES (RVT_QPN_MAX / PAGE_SIZE / BITS_PER_BYTE)
#define RVT_BITS_PER_PAGE (PAGE_SIZE * BITS_PER_BYTE)
#define RVT_BITS_PER_PAGE_MASK (RVT_BITS_PER_PAGE - 1)

/* QP numbers that other protocols of a driver use, and those of network devices. */
#define RVT_KDETH_QP_PREFIX 0x80
#define RVT_KDETH_QP_SUFFIX 0xffff
#define RVT_KDETH_QP_PREFIX_MASK 0x00ff0000
#define RVT_KDETH_QP_PREFIX_SHIFT 16
#define RVT_KDETH_QP_BASE (RVT_KDETH_QP_PREFIX << RVT_KDETH_QP_PREFIX_SHIFT)
#define RVT_KDETH_QP_MAX (RVT_KDETH_QP_BASE + RVT_KDETH_QP_SUFFIX)
#define RVT_AIP_QP_PREFIX 0x81
#define RVT_AIP_QP_SUFFIX 0xffff
#define RVT_AIP_QP_PREFIX_MASK 0x00ff0000
#define RVT_AIP_QP_PREFIX_SHIFT 16
#define RVT_AIP_QP_BASE (RVT_AIP_QP_PREFIX << RVT_AIP_QP_PREFIX_SHIFT)
#define RVT_AIP_QPN_MAX (1 << RVT_AIP_QP_PREFIX_SHIFT)
#define RVT_AIP_QP_MAX (RVT_AIP_QP_BASE + RVT_AIP_QPN_MAX - 1)

#define RC_QP_SCALING_INTERVAL 5   /* RC QPs per tick added to the ACK timeout */
#define RVT_RWQ_COUNT_THRESHOLD 16 /* below it the cached count of receives is refreshed */

/**
 * struct rvt_ud_wr - UD WQE part.
 * @wr: Posted WR.
 * @attr: Cached address.
 */
struct rvt_ud_wr {
	struct ib_ud_wr wr;
	struct rdma_ah_attr *attr;
};

/**
 * struct rvt_bind_wr - IB_WR_BIND_MW (Verbena; the kernel API has none).
 * @wr: Common part.
 * @addr: First byte of the window, as requests name it in the region.
 * @length: Bytes; 0 unbinds a window of type 1.
 * @mr_lkey: The region's lkey.
 * @mw_rkey: The window's rkey.
 * @rkey: Its low byte becomes that of the window's new rkey.
 * @access: enum ib_access_flags: remote rights, and IB_ZERO_BASED.
 */
struct rvt_bind_wr {
	struct ib_send_wr wr;
	u64 addr;
	u64 length;
	u32 mr_lkey;
	u32 mw_rkey;
	u32 rkey;
	u32 access;
};

/**
 * rvt_bind_wr_of() - A request of opcode IB_WR_BIND_MW.
 * @wr: Its common part.
 */
static inline const struct rvt_bind_wr *rvt_bind_wr_of(const struct ib_send_wr *wr)
{
	return container_of(wr, struct rvt_bind_wr, wr);
}

/**
 * struct rvt_flush_wr - IB_WR_FLUSH, without SGEs (Verbena; the kernel API has none).
 * @wr: Common part.
 * @remote_addr: First byte, as the peer's region names it.
 * @length: Bytes; 0 is allowed, and the key is checked nevertheless.
 * @rkey: The region's.
 * @type: enum ib_placement_type: one or both.
 * @level: enum ib_selectivity_level.
 */
struct rvt_flush_wr {
	struct ib_send_wr wr;
	u64 remote_addr;
	u32 length;
	u32 rkey;
	u8 type;
	u8 level;
};

/**
 * struct rvt_swqe - Send queue entry.
 * @wr: Common view.
 * @ud_wr: UD view.
 * @reg_wr: Registration view.
 * @rdma_wr: RDMA view.
 * @atomic_wr: Atomic view.
 * @bind_wr: Window view (Verbena).
 * @flush_wr: FLUSH view (Verbena).
 * @psn: First PSN.
 * @lpsn: Last PSN (READ: last response).
 * @ssn: Send sequence number (0 for local operations).
 * @length: Bytes.
 * @priv: Driver.
 * @sg_list: Translated SGEs.
 */
struct rvt_swqe {
	union {
		struct ib_send_wr wr;
		struct rvt_ud_wr ud_wr;
		struct ib_reg_wr reg_wr;
		struct ib_rdma_wr rdma_wr;
		struct ib_atomic_wr atomic_wr;
		struct rvt_bind_wr bind_wr;
		struct rvt_flush_wr flush_wr;
	};
	u32 psn;
	u32 lpsn;
	u32 ssn;
	u32 length;
	void *priv;
	struct rvt_sge sg_list[];
};

/**
 * struct rvt_krwq - Kernel receive ring.
 * @p_lock: Producer lock.
 * @head: Next to fill.
 * @c_lock: Consumer lock.
 * @tail: Next to take.
 * @count: Cached number available.
 * @curr_wq: Entries in use.
 * @wq: Entries.
 */
struct rvt_krwq {
	spinlock_t p_lock;
	u32 head;
	spinlock_t c_lock;
	u32 tail;
	u32 count;
	struct rvt_rwqe *curr_wq;
	struct rvt_rwqe wq[];
};

/**
 * struct rvt_rq - Receive queue.
 * @wq: Shared ring (user) or NULL.
 * @kwq: Kernel ring.
 * @size: Slots (max_wr + 1).
 * @max_sge: SGEs per entry.
 * @lock: Lock.
 * @ring: Ring in another format than the kernel's, or NULL (Verbena).
 * @ip: Whose memory @wq is, or NULL (Verbena).
 */
struct rvt_rq {
	struct rvt_rwq *wq;
	struct rvt_krwq *kwq;
	u32 size;
	u8 max_sge;
	spinlock_t lock;
	struct rvt_ring *ring;
	struct rvt_mmap_info *ip;
};

/**
 * struct rvt_ack_entry - RC response queue entry.
 * @rdma_sge: READ source.
 * @atomic_data: Atomic result.
 * @psn: First PSN.
 * @lpsn: Last PSN.
 * @opcode: Request opcode.
 * @sent: Response sent.
 * @priv: Driver.
 */
struct rvt_ack_entry {
	struct rvt_sge rdma_sge;
	u64 atomic_data;
	u32 psn;
	u32 lpsn;
	u8 opcode;
	u8 sent;
	void *priv;
};

/**
 * struct rvt_operation_params - Post table entry.
 * @length: Bytes of the WR to copy; 0 = opcode unsupported.
 * @qpt_support: Bit per QP type.
 * @flags: RVT_OPERATION_*.
 */
struct rvt_operation_params {
	size_t length;
	u32 qpt_support;
	u32 flags;
};

/**
 * struct rvt_qp - Queue pair (s_ = requester, r_ = responder).
 * @ibqp: Core part.
 * @priv: Driver.
 * @remote_ah_attr: Primary path.
 * @alt_ah_attr: Alternate path.
 * @next: Hash chain.
 * @s_wq: Send ring.
 * @ip: Mapping info.
 * @timeout_jiffies: ACK timeout.
 * @srate_mbps: Static rate.
 * @pid: Creating process, 0 = kernel.
 * @remote_qpn: Peer.
 * @qkey: Q_Key.
 * @s_size: Send ring slots.
 * @pmtu: MTU bytes.
 * @log_pmtu: log2.
 * @state: enum ib_qp_state.
 * @allowed_ops: Opcode class bits.
 * @qp_access_flags: Remote access allowed.
 * @alt_timeout: Alternate timeout.
 * @timeout: 5-bit exponent.
 * @s_srate: Static rate code.
 * @s_mig_state: Migration state.
 * @port_num: Port.
 * @s_pkey_index: P_Key.
 * @s_alt_pkey_index: Alternate P_Key.
 * @r_max_rd_atomic: Responder limit.
 * @s_max_rd_atomic: Requester limit.
 * @s_retry_cnt: Configured retries.
 * @s_rnr_retry_cnt: Configured RNR retries.
 * @r_min_rnr_timer: RNR code to send.
 * @s_max_sge: SGEs per send.
 * @s_draining: SQD drain in progress.
 * @refcount: References.
 * @wait: Destroyer waits here.
 * @s_ack_queue: RC response queue.
 * @s_rdma_read_sge: READ destination state.
 * @r_lock: Responder lock.
 * @r_psn: Expected PSN.
 * @r_aflags: Bit 0 RVT_R_WRID_VALID, bit 1 RVT_R_REWIND_SGE.
 * @r_wr_id: Cookie of the current receive.
 * @r_ack_psn: PSN for the next ACK.
 * @r_len: Receive buffer bytes.
 * @r_rcv_len: Bytes received so far.
 * @r_msn: Message sequence number.
 * @r_state: Last opcode received.
 * @r_flags: RVT_R_*.
 * @r_head_ack_queue: Next free response slot.
 * @r_adefered: Deferred ACK count.
 * @rspwait: Response wait list.
 * @r_sge: Receive state.
 * @r_rq: Receive queue.
 * @s_hlock: Posting lock.
 * @s_head: Next slot to fill.
 * @s_next_psn: PSN of the next request.
 * @s_avail: Cached free slots.
 * @s_ssn: Next SSN.
 * @s_reserved_used: Reserved slots used.
 * @s_lock: Send engine lock.
 * @s_flags: RVT_S_*.
 * @s_cur_sge: State in use.
 * @s_wqe: WQE in progress.
 * @s_sge: Send data state.
 * @s_rdma_mr: MR held by response in progress.
 * @s_len: Bytes left.
 * @s_rdma_read_len: READ bytes left.
 * @s_last_psn: Last acknowledged PSN.
 * @s_sending_psn: Lowest PSN being transmitted.
 * @s_sending_hpsn: Highest PSN being transmitted.
 * @s_psn: Next PSN to transmit.
 * @s_ack_rdma_psn: PSN of READ response.
 * @s_ack_psn: PSN to acknowledge.
 * @s_tail: Next WQE to start.
 * @s_cur: Current WQE.
 * @s_acked: Oldest unacknowledged WQE.
 * @s_last: Oldest uncompleted WQE.
 * @s_lsn: Credit limit.
 * @s_ahgpsn: Driver header cache.
 * @s_cur_size: Packet bytes.
 * @s_rdma_ack_cnt: READ response ack counter.
 * @s_hdrwords: Header words.
 * @s_ahgidx: Driver header cache.
 * @s_state: Last opcode sent.
 * @s_ack_state: Opcode to acknowledge.
 * @s_nak_state: NAK to send.
 * @r_nak_state: NAK pending.
 * @s_retry: Retries left.
 * @s_rnr_retry: RNR retries left.
 * @s_num_rd_atomic: READ/atomic outstanding.
 * @s_tail_ack_queue: Response being sent.
 * @s_acked_ack_queue: Response acknowledged (driver).
 * @s_ack_rdma_sge: READ response source.
 * @s_timer: ACK timer.
 * @s_rnr_timer: RNR timer.
 * @local_ops_pending: Queued local operations.
 * @r_sg_list: Receive SGE scratch.
 * @s_ring: The ring of a process that send requests come from, or NULL (Verbena).
 * @s_refused: Why the request at @s_refused_slot fails when its turn comes; id 0: none (Verbena).
 * @s_refused_slot: Slot of the send queue (Verbena).
 * @late_link: In rvt_dev_info.late_qps, or empty (Verbena).
 * @n_posted: Send requests; s_hlock (Verbena).
 * @n_completed: Completions of the send queue; the lock of its CQ. Likewise the following.
 * @n_send_errors: Of them, those that failed.
 * @n_received: Completions of the receive queue.
 * @n_recv_errors: Of them, those that failed.
 * @first_cause: What drove the QP into ERR or SQE; s_lock, but the id is read without (Verbena).
 * @s_losses_told: Of UC: what was told of messages that the peer on this port did not take, a bit for each
 *	cause; of who has RVT_S_BUSY (Verbena).
 * @r_cause: Why the last receive was refused that was; r_lock (Verbena).
 * @event_work: Raises @events_due where no lock is held (Verbena).
 * @events_due: Bit per enum ib_event_type (Verbena).
 * @s_inline: Room for inline data, one piece a slot (Verbena).
 * @s_inline_bytes: Size of a piece: max_inline_data (Verbena).
 * @alt_port_num: Port of the alternate path (Verbena).
 * @published: Arriving packets can find the QP; qpt_lock (Verbena).
 * @resetting: A reset has dropped the locks and waits; s_lock (Verbena).
 * @sqd_notify: SQ_DRAINED is wanted; s_lock (Verbena).
 * @signal_all: All send requests complete: no RVT_S_SIGNAL_REQ_WR (Verbena).
 * @more_access: Bits 8 to 15 of what @qp_access_flags has no room for: rvt_qp_access() (Verbena).
 */
struct rvt_qp {
	struct ib_qp ibqp;
	void *priv;
	struct rdma_ah_attr remote_ah_attr;
	struct rdma_ah_attr alt_ah_attr;
	struct rvt_qp *next;
	struct rvt_swqe *s_wq;
	struct rvt_mmap_info *ip;
	unsigned long timeout_jiffies;
	int srate_mbps;
	pid_t pid;
	u32 remote_qpn;
	u32 qkey;
	u32 s_size;
	u16 pmtu;
	u8 log_pmtu;
	u8 state;
	u8 allowed_ops;
	u8 qp_access_flags;
	u8 alt_timeout;
	u8 timeout;
	u8 s_srate;
	u8 s_mig_state;
	u8 port_num;
	u8 s_pkey_index;
	u8 s_alt_pkey_index;
	u8 r_max_rd_atomic;
	u8 s_max_rd_atomic;
	u8 s_retry_cnt;
	u8 s_rnr_retry_cnt;
	u8 r_min_rnr_timer;
	u8 s_max_sge;
	u8 s_draining;
	atomic_t refcount;
	wait_queue_head_t wait;
	struct rvt_ack_entry *s_ack_queue;
	struct rvt_sge_state s_rdma_read_sge;
	spinlock_t r_lock;
	u32 r_psn;
	unsigned long r_aflags;
	u64 r_wr_id;
	u32 r_ack_psn;
	u32 r_len;
	u32 r_rcv_len;
	u32 r_msn;
	u8 r_state;
	u8 r_flags;
	u8 r_head_ack_queue;
	u8 r_adefered;
	struct list_head rspwait;
	struct rvt_sge_state r_sge;
	struct rvt_rq r_rq;
	spinlock_t s_hlock;
	u32 s_head;
	u32 s_next_psn;
	u32 s_avail;
	u32 s_ssn;
	atomic_t s_reserved_used;
	spinlock_t s_lock;
	u32 s_flags;
	struct rvt_sge_state *s_cur_sge;
	struct rvt_swqe *s_wqe;
	struct rvt_sge_state s_sge;
	struct rvt_mregion *s_rdma_mr;
	u32 s_len;
	u32 s_rdma_read_len;
	u32 s_last_psn;
	u32 s_sending_psn;
	u32 s_sending_hpsn;
	u32 s_psn;
	u32 s_ack_rdma_psn;
	u32 s_ack_psn;
	u32 s_tail;
	u32 s_cur;
	u32 s_acked;
	u32 s_last;
	u32 s_lsn;
	u32 s_ahgpsn;
	u16 s_cur_size;
	u16 s_rdma_ack_cnt;
	u8 s_hdrwords;
	s8 s_ahgidx;
	u8 s_state;
	u8 s_ack_state;
	u8 s_nak_state;
	u8 r_nak_state;
	u8 s_retry;
	u8 s_rnr_retry;
	u8 s_num_rd_atomic;
	u8 s_tail_ack_queue;
	u8 s_acked_ack_queue;
	struct rvt_sge_state s_ack_rdma_sge;
	struct timer_list s_timer;
	struct hrtimer s_rnr_timer;
	atomic_t local_ops_pending;
	struct rvt_sge *r_sg_list;
	struct rvt_ring *s_ring;
	struct base_cause s_refused;
	u32 s_refused_slot;
	struct list_head late_link;
	u64 n_posted;
	u64 n_completed;
	u64 n_send_errors;
	u64 n_received;
	u64 n_recv_errors;
	struct base_cause first_cause;
	u32 s_losses_told;
	struct base_cause r_cause;
	struct work_struct event_work;
	u32 events_due;
	u32 s_inline_bytes;
	u8 *s_inline;
	u8 alt_port_num;
	bool published;
	bool resetting;
	bool sqd_notify;
	bool signal_all;
	u8 more_access;
};

/**
 * struct rvt_srq - Shared receive queue.
 * @ibsrq: Core part.
 * @rq: Ring.
 * @ip: Mapping info.
 * @limit: Event threshold.
 * @resized: Block of the entries after a resize, or NULL (Verbena).
 * @number: What a process knows it by (Verbena).
 */
struct rvt_srq {
	struct ib_srq ibsrq;
	struct rvt_rq rq;
	struct rvt_mmap_info *ip;
	u32 limit;
	struct rvt_krwq *resized;
	u32 number;
};

/**
 * struct rvt_qpn_map - Bitmap page.
 * @page: Bits or NULL.
 */
struct rvt_qpn_map {
	void *page;
};

/**
 * struct rvt_qpn_table - QPN allocator.
 * @lock: Lock.
 * @flags: Special QPs in use, 2 bits per port.
 * @last: Last number given.
 * @nmaps: Pages considered.
 * @limit: Unused.
 * @incr: Step.
 * @map: Pages.
 */
struct rvt_qpn_table {
	spinlock_t lock;
	unsigned flags;
	u32 last;
	u32 nmaps;
	u16 limit;
	u8 incr;
	struct rvt_qpn_map map[RVT_QPNMAP_ENTRIES];
};

/**
 * struct rvt_qp_ibdev - QP lookup.
 * @qp_table_size: Hash size.
 * @qp_table_bits: log2.
 * @qp_table: Chains.
 * @qpt_lock: Lock.
 * @qpn_table: Allocator.
 */
struct rvt_qp_ibdev {
	u32 qp_table_size;
	u32 qp_table_bits;
	struct rvt_qp **qp_table;
	spinlock_t qpt_lock;
	struct rvt_qpn_table qpn_table;
};

/**
 * struct rvt_mcast_qp - Attached QP.
 * @list: Link.
 * @qp: QP (referenced).
 */
struct rvt_mcast_qp {
	struct list_head list;
	struct rvt_qp *qp;
};

/**
 * struct rvt_mcast_addr - Group address.
 * @mgid: MGID.
 * @lid: MLID.
 */
struct rvt_mcast_addr {
	union ib_gid mgid;
	u16 lid;
};

/**
 * struct rvt_mcast - Group.
 * @rb_node: Tree link.
 * @mcast_addr: Address.
 * @qp_list: QPs.
 * @wait: Waiters.
 * @refcount: References.
 * @n_attached: QPs.
 * @detaching: Members that wait for walkers (Verbena).
 */
struct rvt_mcast {
	struct rb_node rb_node;
	struct rvt_mcast_addr mcast_addr;
	struct list_head qp_list;
	wait_queue_head_t wait;
	atomic_t refcount;
	int n_attached;
	atomic_t detaching;
};

/**
 * struct rvt_qp_iter - QP iterator.
 * @qp: Current.
 * @rdi: Device.
 * @cb: Callback.
 * @v: Argument.
 * @specials: Special slots.
 * @n: Position.
 */
struct rvt_qp_iter {
	struct rvt_qp *qp;
	struct rvt_dev_info *rdi;
	void (*cb)(struct rvt_qp *qp, u64 v);
	u64 v;
	int specials;
	int n;
};

/**
 * rvt_qp_access() - What a QP's peer may do: enum ib_access_flags, those to FLUSH included.
 * @qp: The QP.
 */
static inline int rvt_qp_access(const struct rvt_qp *qp)
{
	return qp->qp_access_flags | qp->more_access << 8;
}

#endif /* VERBENA_RDMA_RDMAVT_QP_TYPES_H */
