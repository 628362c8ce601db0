/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the files of the transport share: a queue pair's own data, and who does what with it. */
#ifndef TRANSPORT_TP_QP_H
#define TRANSPORT_TP_QP_H

#include <linux/workqueue.h>
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_cq.h>
#include <rdma/rdmavt_qp.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/trace.h"
#include "transport/rc_resp.h"
#include "transport/run.h"
#include "transport/tp_engine.h"

/**
 * struct tp_port_state - A port with what only the transport knows.
 * @port: What the wire knows of it.
 * @addr: Addresses. Written by tp_port_set_addr() under @lock, read likewise.
 * @lock: Leaf.
 * @readied: How often the wire has called tp_port_ready(). Changes under @lock.
 * @waiting: Queue pairs that the wire has turned away, first come, first served. Under @lock.
 * @drops: Runs dropped, by reason. Atomic.
 * @told: A run for a queue pair that is not there was told of. Atomic.
 */
struct tp_port_state {
	struct tp_port port;
	spinlock_t lock;
	uint32_t readied;
	struct tp_port_addr addr;
	struct list_head waiting;
	uint64_t drops[TP_DROP_REASONS];
	bool told;
};

/**
 * struct tp_engine - The transport of one device.
 * @rdi: The device.
 * @loopback: See tp_engine_set_loopback().
 * @had_qps: Queue pairs have been destroyed: packets for them may still come. Atomic.
 * @nports: Ports.
 * @ports: They.
 */
struct tp_engine {
	struct rvt_dev_info *rdi;
	bool loopback;
	bool had_qps;
	uint32_t nports;
	struct tp_port_state ports[];
};

/* Segments that a request's SGEs become, when regions for fast registration have gaps. */
#define TP_MIN_SEGMENTS 8u

/**
 * struct tp_swqe - A request's payload, as the wire wants it. Made when it is posted, and not changed
 * until its slot is posted anew: a run refers to it as long as it is under way.
 * @iov: @own, or the segments of a region.
 * @offset: Bytes of @iov to skip.
 * @count: Segments.
 * @own: Room for the queue pair's iov_per_wqe segments.
 */
struct tp_swqe {
	const struct iovec *iov;
	size_t offset;
	uint32_t count;
	struct iovec own[];
};

/**
 * struct tp_slot - What the responder remembers of a READ or an atomic, besides rvt_ack_entry.
 * @reth: The READ's.
 * @msn: Message number of the response.
 * @first: First packet of the response that is being sent: later than entry->psn in a replay.
 * @next: Next packet of it.
 * @replay: It was answered before.
 * @iov: The READ's source; one segment, unless it is those of a region.
 * @own: That one segment.
 * @offset: Bytes of @iov to skip.
 * @count: Segments.
 */
struct tp_slot {
	struct pkt_reth reth;
	msn_t msn;
	psn_t first;
	psn_t next;
	const struct iovec *iov;
	struct iovec own;
	size_t offset;
	uint32_t count;
	bool replay;
};

/* How a connected queue pair reaches its peer. Chosen at the first request. */
enum tp_reach {
	TP_REACH_UNKNOWN,
	TP_REACH_WIRE,
	TP_REACH_LOOPBACK,
};

/* What waits to be answered. A NAK goes before and instead of an ACK. */
enum tp_answer {
	TP_ANSWER_NONE,
	TP_ANSWER_ACK,
	TP_ANSWER_NAK,
};

/**
 * struct tp_qp - rvt_qp.priv.
 * @qp: Whose.
 * @engine: Of which device.
 * @work: Runs the engine from the driver's thread.
 * @ready_next: Next on the ready list of a thread.
 * @queued: On such a list, which holds a reference. Atomic.
 * @port_link: On a port's waiting list, under the port's lock.
 * @waits_on: Whose list it was on last. s_lock.
 * @resp: The responder of RC and UC. r_lock.
 * @starved: It shall find no receive, by a fault. r_lock.
 * @write_rkey: Of the WRITE in progress. r_lock.
 * @told: Of which drops it was told: a bit for each reason. r_lock.
 * @path: Primary path. Changes under r_lock and s_lock.
 * @alt_path: Alternate path.
 * @answer: enum tp_answer. s_lock, and so all that follows.
 * @answer_syndrome: Of a NAK.
 * @answer_psn: What is acknowledged or refused.
 * @answer_why: Of a NAK.
 * @owes: The queue pair died of a request; the responses to those before it are still to be sent.
 * @reach: enum tp_reach.
 * @source_gone: The payload of the request at s_cur is not mapped.
 * @group_done: The local copies of the datagram at s_cur are made.
 * @sent_psn: The PSN after the last one that was ever sent.
 * @released_packets: UC, UD: packets of the WQE at s_last that the wire has let go of.
 * @wire_taken: Packets that the wire has ever taken by reference.
 * @wire_released: Those of them that it has let go of, in the order taken. Atomic.
 * @wire_requests: RC: @wire_taken after the latest request.
 * @window: Handle of what our peer can do by itself, or 0. r_lock.
 * @window_refused: There can be none.
 * @turned_away: The request at s_cur cannot go direct. s_lock, and so what follows.
 * @missed: Requests since the last one that went direct, or could not have.
 * @patience: So many more of them may be sent before all is waited for.
 * @iov_per_wqe: Segments that a tp_swqe has room for.
 * @swqes: Their memory.
 * @slots: As many as s_ack_queue has entries.
 */
struct tp_qp {
	struct rvt_qp *qp;
	struct tp_engine *engine;
	struct work_struct work;
	struct tp_qp *ready_next;
	uint32_t queued;
	struct list_head port_link;
	struct tp_port_state *waits_on;
	struct rc_resp resp;
	bool starved;
	uint32_t write_rkey;
	uint32_t told;
	struct tp_path path;
	struct tp_path alt_path;
	uint8_t answer;
	uint8_t answer_syndrome;
	psn_t answer_psn;
	struct base_cause answer_why;
	bool owes;
	uint8_t reach;
	bool source_gone;
	bool group_done;
	psn_t sent_psn;
	uint32_t released_packets;
	uint32_t wire_taken;
	uint32_t wire_released;
	uint32_t wire_requests;
	uint64_t window;
	bool window_refused;
	bool turned_away;
	uint32_t missed;
	uint32_t patience;
	uint32_t iov_per_wqe;
	char *swqes;
	struct tp_slot *slots;
};

static inline struct tp_qp *tp_qp(const struct rvt_qp *qp)
{
	return qp->priv;
}

/* rvt_get_rwqe(), unless a fault says that there is none. */
static inline int tp_get_rwqe(struct tp_qp *tq, bool wr_id_only)
{
	return unlikely(tq->starved) ? 0 : rvt_get_rwqe(tq->qp, wr_id_only);
}

static inline struct tp_swqe *tp_swqe(const struct rvt_swqe *wqe)
{
	return wqe->priv;
}

static inline bool tp_qp_may(const struct rvt_qp *qp, int what)
{
	return (ib_rvt_state_ops[READ_ONCE(qp->state)] & what) != 0;
}

static inline bool tp_is_datagram(const struct rvt_qp *qp)
{
	return qp->allowed_ops == IB_OPCODE_UD;
}

static inline struct tp_port_state *tp_port_of(const struct tp_qp *tq)
{
	return &tq->engine->ports[tq->qp->port_num - 1];
}

/* tp_ahead() - Packets from the last one acknowledged forward to @psn, in [0, 2^24). */
static inline uint32_t tp_ahead(const struct rvt_qp *qp, psn_t psn)
{
	return (psn.v - qp->s_last_psn) & PKT_PSN_MASK;
}

static inline void tp_count16(u16 *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* engine.c */

/**
 * tp_schedule() - Have the engine look at a queue pair soon.
 * @tq: A reference is held on it meanwhile.
 *
 * Context: Any; locks may be held.
 */
void tp_schedule(struct tp_qp *tq);

/**
 * tp_wait_for_port() - The wire is full: look again after tp_port_ready().
 * @tq: Queue pair, s_lock held.
 * @readied: &tp_port_state.readied before the wire was asked. If it has changed since, the wire may
 *	have room again, and nobody would tell: then the look is taken soon.
 */
void tp_wait_for_port(struct tp_qp *tq, uint32_t readied);

/** tp_stop_waiting() - Off the port's waiting list. s_lock held. */
void tp_stop_waiting(struct tp_qp *tq);

/** tp_ask_again() - What one port has turned away, another one may take. s_lock held. */
void tp_ask_again(struct tp_qp *tq);

/**
 * tp_die() - A queue pair goes to ERR.
 * @tq: Queue pair; r_lock and s_lock held.
 * @cause: Why: kept if nothing was before.
 * @status: Of the receive that is in use.
 */
void tp_die(struct tp_qp *tq, const struct base_cause *cause, enum ib_wc_status status);

/**
 * tp_responder_dies() - tp_die() of a responder: of UC and UD, which refuse nothing.
 * @tq: Queue pair; r_lock held.
 * @status: Of the receive that is in use.
 * @id: What is wrong with it.
 */
void tp_responder_dies(struct tp_qp *tq, enum ib_wc_status status, enum base_cause_id id);

/** tp_source_is_gone() - The wire cannot read the request at s_cur: it will fail. s_lock held. */
void tp_source_is_gone(struct tp_qp *tq);

/** tp_do_send() - rvt_driver_provided.do_send: look at a queue pair now, or soon if we are at it. */
void tp_do_send(struct rvt_qp *qp);

/** tp_do_express() - rvt_driver_provided.do_express: the express way, and if that is not free as tp_do_send(). */
void tp_do_express(struct rvt_qp *qp);

/** tp_qp_work() - tp_qp.work. */
void tp_qp_work(struct work_struct *work);

/* drop.c */

/**
 * tp_drop() - A run was not for us, or not worth an answer: count it, trace it, and tell of the first of
 *	each kind that nobody else hears of.
 * @port: Where it came.
 * @tq: The queue pair that has dropped it, or NULL. Its r_lock is held.
 * @run: It.
 * @why: Why.
 */
void tp_drop(struct tp_port *port, struct tp_qp *tq, const struct tp_run *run,
	     enum tp_drop_reason why);

/** tp_lost() - The wire does not take a run of UC or UD: tell of the first. r_lock, s_lock held. */
void tp_lost(struct tp_qp *tq, const struct tp_run *run);

/* driver.c */

/** tp_driver_fill() - The transport's functions and tables into a device. */
void tp_driver_fill(struct rvt_dev_info *rdi);

/* path.c */

/** tp_port_get_addr() - The port's addresses, as of now. */
void tp_port_get_addr(struct tp_port_state *ps, struct tp_port_addr *addr);

/** tp_migrate() - The alternate path becomes the primary one. r_lock and s_lock held. */
void tp_migrate(struct tp_qp *tq);

/** tp_path_from_ah() - The path that an address stands for. */
void tp_path_from_ah(struct tp_port_state *ps, const struct rdma_ah_attr *attr,
		     struct tp_path *path);

/** tp_path_arrives() - Whether a run came by this path: addresses are each other's mirror. */
bool tp_path_arrives(const struct tp_path *path, const struct tp_run *run);

/** tp_path_is_own() - Whether a path leads back to the port it starts from. */
bool tp_path_is_own(struct tp_port_state *ps, const struct tp_path *path);

/**
 * tp_bad_key() - A packet is refused for its key: it is counted, and the subnet hears of it.
 * @tq: Queue pair that it was for; r_lock held.
 * @run: The packet.
 * @qkey: Its Q_Key; else its P_Key.
 */
void tp_bad_key(struct tp_qp *tq, const struct tp_run *run, bool qkey);

/**
 * tp_connected_check() - Header checks of a run for an RC or UC queue pair [rcp 9.1].
 * @tq: Queue pair, r_lock held.
 * @port_num: Where it has arrived: at the queue pair's port, or at that of the path to migrate to.
 * @run: Its service is the queue pair's.
 * @why: Out, if false.
 */
bool tp_connected_check(struct tp_qp *tq, uint32_t port_num, const struct tp_run *run,
			enum tp_drop_reason *why);

/* sge.c */

/** Where the bytes of a work request are: @first, then @rest[0] ... of @count in all. */
struct tp_sges {
	const struct rvt_sge *first;
	const struct rvt_sge *rest;
	unsigned int count;
};

static inline struct tp_sges tp_sges_of_wqe(const struct rvt_swqe *wqe)
{
	return (struct tp_sges){wqe->sg_list, wqe->sg_list + 1, (unsigned int)wqe->wr.num_sge};
}

static inline struct tp_sges tp_sges_of_state(const struct rvt_sge_state *ss)
{
	return (struct tp_sges){&ss->sge, ss->sg_list, ss->num_sge};
}

/**
 * tp_sges_iov() - A range of the bytes as segments.
 * @sges: The bytes.
 * @skip: Bytes before the range.
 * @bytes: Length of the range; @sges hold at least @skip + @bytes.
 * @iov: Out.
 * @room: Its size.
 * @covered: Out: bytes of the range that @iov has; less than @bytes if @room is too small.
 *
 * Return: Segments.
 */
unsigned int tp_sges_iov(const struct tp_sges *sges, uint64_t skip, uint64_t bytes,
			 struct iovec *iov, unsigned int room, uint64_t *covered);

/**
 * tp_payload_is_readable() - Whether payload of ours can be read: a byte of each page is touched.
 * @payload: In our memory.
 * @skip: Bytes of it that do not matter.
 * @bytes: Those that do.
 */
bool tp_payload_is_readable(const struct tp_payload *payload, uint64_t skip, uint64_t bytes);

/**
 * tp_place() - Copy payload to where it belongs. The one way that bytes get there.
 * @sges: Destination.
 * @to_skip: Bytes of it to skip.
 * @from: Payload.
 * @from_skip: Bytes of it to skip.
 * @bytes: How many.
 *
 * Return: RC_OK; RC_BAD if the destination is not mapped, RC_SOURCE if the payload is not, RC_DEAD if it was
 *	that of a process that has died.
 */
enum rc_resp_result tp_place(const struct tp_sges *sges, uint64_t to_skip,
			     const struct tp_payload *from, uint32_t from_skip, uint32_t bytes);

/**
 * tp_swqe_prepare() - Make a request's payload list.
 * @tq: Queue pair.
 * @wqe: Being posted; its SGEs are translated.
 *
 * Return: 0; -EINVAL if its SGEs have more gaps than there is room for.
 */
int tp_swqe_prepare(struct tp_qp *tq, struct rvt_swqe *wqe);

/** tp_slot_source() - Make the payload list of a READ's response. */
void tp_slot_source(struct tp_slot *slot, const struct rvt_sge *sge);

/* answer.c: all with s_lock held */

/** tp_answer_ack() - Acknowledge up to @psn, unless something else waits that says so. */
void tp_answer_ack(struct tp_qp *tq, psn_t psn);

/** tp_aeth_of() - The AETH of an ACK that is sent now. */
struct pkt_aeth tp_aeth_of(struct tp_qp *tq);

/** tp_answer_ack_now() - The same, and say it at once if nothing else waits. */
void tp_answer_ack_now(struct tp_qp *tq, psn_t psn);

/** tp_answer_nak() - Refuse @psn. */
void tp_answer_nak(struct tp_qp *tq, psn_t psn, uint8_t syndrome, const struct base_cause *why);

/** tp_send_answers() - Responses in order, then the ACK or NAK. Returns whether any was sent. */
bool tp_send_answers(struct tp_qp *tq);

/** tp_run_begin() - The headers that all runs of a connected queue pair have. */
void tp_run_begin(struct tp_qp *tq, struct tp_run *run);

/** tp_small_begin() - The same of a small packet, of a queue pair whose path is plain. */
void tp_small_begin(struct tp_qp *tq, uint8_t opcode, psn_t psn, struct tp_small *small);

/**
 * tp_hand_over() - Give a run to the wire.
 * @tq: Queue pair.
 * @run: One of its runs.
 *
 * Return: What &tp_port_ops.send returns; with -EAGAIN the queue pair waits for the port.
 */
int tp_hand_over(struct tp_qp *tq, const struct tp_run *run);

/** tp_next_slot() - The slot of s_ack_queue behind @slot. */
uint8_t tp_next_slot(const struct tp_qp *tq, uint8_t slot);

/* rc_req.c */

/** rc_req_is_read_or_atomic() - Whether a request is answered by more than an ACK. */
bool rc_req_is_read_or_atomic(const struct rvt_swqe *wqe);

/**
 * tp_fill_data() - Opcodes, payload and headers of a SEND or WRITE, of UC, too.
 * @tq: Queue pair.
 * @wqe: The request.
 * @index: First packet.
 * @most: How many packets at most.
 * @run: Out; tp_run_begin() and the PSN are done.
 */
void tp_fill_data(struct tp_qp *tq, const struct rvt_swqe *wqe, uint32_t index, uint32_t most,
		  struct tp_run *run);

/** rc_req_fill() - The run of what goes next, at (s_cur, s_psn). s_lock held. */
void rc_req_fill(struct tp_qp *tq, const struct rvt_swqe *wqe, struct tp_run *run);

/** rc_req_send() - Send what may be sent. s_lock held. Returns whether any was. */
bool rc_req_send(struct tp_qp *tq);

/** rc_req_fits_circle() - Whether all packets of a request may be under way, too. s_lock held. */
bool rc_req_fits_circle(const struct rvt_qp *qp, const struct rvt_swqe *wqe);

/** rc_req_restart() - Send again from @from on. s_lock held. */
void rc_req_restart(struct tp_qp *tq, psn_t from);

/* express.c */

/** tp_path_is_plain() - Whether a queue pair's packets can be small ones (struct tp_small). */
static inline bool tp_path_is_plain(const struct tp_qp *tq)
{
	return !tq->path.has_grh && tq->qp->s_mig_state == IB_MIG_MIGRATED;
}

/**
 * tp_express_send() - Send what is due the express way.
 * @tq: Queue pair; no locks.
 *
 * Return: Whether nothing is left to be done; if not, the engine shall look.
 */
bool tp_express_send(struct tp_qp *tq);

/* rc_comp.c */

/** rc_comp_receive() - A response has arrived. r_lock held; takes s_lock. */
void rc_comp_receive(struct tp_qp *tq, const struct tp_run *run);

/**
 * rc_comp_small() - An ACK has arrived.
 * @tq: May send; r_lock and s_lock held.
 * @psn: Its PSN.
 * @aeth: Its AETH.
 *
 * Return: Whether it is a plain one of what is outstanding; if not, it is for rc_comp_receive().
 */
bool rc_comp_small(struct tp_qp *tq, psn_t psn, const struct pkt_aeth *aeth);

/** rc_comp_retry() - Restart and count it, or fail. r_lock and s_lock held. */
void rc_comp_retry(struct tp_qp *tq, psn_t from, bool timeout);

/** rc_comp_fail() - The oldest request fails, and the queue pair with it. r_lock, s_lock held. */
void rc_comp_fail(struct tp_qp *tq, enum ib_wc_status status, const struct base_cause *cause);

/* rc_resp_exec.c */

/**
 * tp_fill_receive() - The completion of a receive, but for who sent it.
 * @tq: Queue pair, r_lock held; r_wr_id is the receive's.
 * @run: What completes it.
 * @bytes: byte_len.
 * @status: Status.
 * @wc: Out.
 */
void tp_fill_receive(struct tp_qp *tq, const struct tp_run *run, uint32_t bytes,
		     enum ib_wc_status status, struct ib_wc *wc);

/**
 * tp_enter_receive() - Into the receive queue's CQ with it. r_lock held; takes s_lock.
 * @tq: Queue pair.
 * @wc: The completion.
 * @solicited: It raises an event even where only solicited ones do.
 *
 * Return: true; false if there is no room [sm 7.6]: the queue pair is then in ERR.
 */
bool tp_enter_receive(struct tp_qp *tq, struct ib_wc *wc, bool solicited);

/** rc_resp_exec() - Requests have arrived. r_lock held; takes s_lock. */
void rc_resp_exec(struct tp_qp *tq, const struct tp_run *run);

/* window.c: the owner's side of windows */

struct tp_window;

/** tp_window_position() - What of a responder's state stands in &tp_window.position. */
uint64_t tp_window_position(const struct rc_resp *r);

/** tp_window_load() - Take the position over from a window, if it is ready. */
bool tp_window_load(const struct tp_window *w, struct rc_resp *r);

/**
 * tp_window_exec() - rc_resp_exec(), unless the peer is about to do the same; opens a window.
 * @tq: Queue pair; r_lock held, RCU read section.
 * @run: Requests.
 *
 * Return: false: the peer holds the window, and what came is as good as lost.
 */
bool tp_window_exec(struct tp_qp *tq, const struct tp_run *run);

/** tp_window_shut() - The peer begins nothing any more. r_lock held. */
void tp_window_shut(struct tp_qp *tq);

/** tp_window_update() - Rights have changed. r_lock held. */
void tp_window_update(struct tp_qp *tq);

/** tp_window_refresh() - &rvt_driver_provided.refresh_qp. */
void tp_window_refresh(struct rvt_qp *qp);

/** tp_window_close() - Wait until the peer is out, and forget the window. May sleep, no locks. */
void tp_window_close(struct tp_qp *tq);

/** tp_peers_left() - &rvt_driver_provided.peers_left. */
bool tp_peers_left(struct rvt_dev_info *rdi, u32 pd, u32 qpn, u64 timeout_ns,
		   struct base_cause *holder);

/* direct.c: the requester's; s_lock held */

/** tp_direct_is_due() - Whether the request at s_cur, not a local one, may go direct now. */
bool tp_direct_is_due(const struct tp_qp *tq, const struct rvt_swqe *wqe);

/** tp_direct_waits() - Whether it waits for all before it, so that it may go direct then. */
bool tp_direct_waits(const struct tp_qp *tq, const struct rvt_swqe *wqe);

/** tp_direct_missed() - A request was begun on the wire. */
void tp_direct_missed(struct tp_qp *tq, const struct rvt_swqe *wqe);

/** tp_direct() - Execute the request at s_cur if it is due. No locks. Returns whether nothing else is to be done. */
bool tp_direct(struct tp_qp *tq);

/* uc.c, ud.c, local.c */

/** uc_send() - Send what may be sent. s_lock held. Returns whether any was. */
bool uc_send(struct tp_qp *tq);

/** uc_receive() - A run has arrived. r_lock held. */
void uc_receive(struct tp_qp *tq, const struct tp_run *run);

/** ud_send() - Send what may be sent. s_lock held. Returns whether any was. */
bool ud_send(struct tp_qp *tq);

/** ud_group_is_due() - Whether the next datagram is for a group with members here. s_lock held. */
bool ud_group_is_due(struct tp_qp *tq);

/** ud_send_group() - Copies of the next datagram for queue pairs of this port. No locks. */
void ud_send_group(struct tp_qp *tq);

/**
 * ud_receive_group() - A datagram for a group, to all its members on a port.
 * @port: Port.
 * @run: The datagram.
 * @sender: Gets no copy. NULL if it came over the wire.
 *
 * Context: No locks.
 */
void ud_receive_group(struct tp_port *port, const struct tp_run *run, const struct rvt_qp *sender);

/** ud_encode_grh() - The 40 bytes that stand before a datagram. */
void ud_encode_grh(const struct tp_run *run, bool roce, uint8_t grh[PKT_GRH_BYTES]);

/** ud_receive() - A datagram has arrived for one queue pair or a group. No locks. */
void ud_receive(struct tp_port *port, const struct tp_run *run);

/**
 * tp_released() - The wire has let go of packets of UC or UD. r_lock, s_lock held.
 * @tq: Queue pair.
 * @packets: How many, in the order sent.
 */
void tp_released(struct tp_qp *tq, uint32_t packets);

/** tp_is_on_wire() - Whether the wire still has packets of a queue pair. */
bool tp_is_on_wire(const struct tp_qp *tq);

/**
 * tp_hand_over_unreliable() - tp_hand_over() of UC and UD; a missing source fails the request.
 * @tq: Queue pair; r_lock and s_lock held.
 * @run: One of its runs.
 *
 * Return: As tp_hand_over(); -EAGAIN, too, if the wire loses packets while it still has some.
 */
int tp_hand_over_unreliable(struct tp_qp *tq, const struct tp_run *run);

/**
 * tp_unreliable_advance() - UC, UD: the wire has taken packets of the request at s_cur.
 * @tq: Queue pair; r_lock and s_lock held.
 * @wqe: The request.
 * @run: What was offered.
 * @taken: What tp_hand_over_unreliable() has returned: not -EAGAIN, not -EFAULT.
 */
void tp_unreliable_advance(struct tp_qp *tq, const struct rvt_swqe *wqe, const struct tp_run *run,
			   int taken);

/** tp_send_failed() - The request at s_last cannot be read. r_lock, s_lock held. */
void tp_send_failed(struct tp_qp *tq, const struct base_cause *cause);

/** tp_wqe_is_local() - Whether a request makes no packet. */
bool tp_wqe_is_local(const struct tp_qp *tq, const struct rvt_swqe *wqe);

/** tp_local_op() - Execute and complete the local operation at s_cur. r_lock, s_lock held. */
void tp_local_op(struct tp_qp *tq, struct rvt_swqe *wqe);

#endif
