// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The engine: who runs when, and in whose thread (docs/design/data-path.md).
 *
 * The outermost call of a thread into the transport does the work: it sends, has the wire deliver,
 * and empties its list of queue pairs that want to be looked at meanwhile, among them those whose
 * answers were held back. So nothing recurses, however far the packets of one call go, and one ACK
 * serves all that arrived together.
 */
#include "base/check.h"
#include "transport/tp_qp.h"

/* The calls of this thread into the transport that have not returned, and what they found. */
static _Thread_local struct {
	unsigned int depth;
	struct tp_qp *first;
	struct tp_qp *last;
} here;

static void append_here(struct tp_qp *tq)
{
	tq->ready_next = NULL;
	if (here.last)
		here.last->ready_next = tq;
	else
		here.first = tq;
	here.last = tq;
}

static struct tp_qp *take_here(void)
{
	struct tp_qp *tq = here.first;

	if (tq) {
		here.first = tq->ready_next;
		if (!here.first)
			here.last = NULL;
	}
	return tq;
}

/* On the list of this thread, unless it is on one already: then it is run after this moment, too. */
static void schedule_here(struct tp_qp *tq)
{
	if (__atomic_exchange_n(&tq->queued, 1, __ATOMIC_ACQ_REL))
		return;
	rvt_get_qp(tq->qp);
	append_here(tq);
}

void tp_schedule(struct tp_qp *tq)
{
	if (likely(here.depth)) {
		schedule_here(tq);
		return;
	}
	rvt_get_qp(tq->qp);
	if (!base_run_later(&tq->work))
		rvt_put_qp(tq->qp);
}

/* What a queue pair needs next, beyond what s_lock alone allows. */
enum next {
	NEXT_NOTHING,
	NEXT_LOCAL,    /* a local operation is at the head, and all before it are complete */
	NEXT_FLUSH,    /* requests are to be completed in error */
	NEXT_LOOPBACK, /* rdmavt's loopback engine */
	NEXT_GROUP,    /* a datagram for a group that has members on this very port */
	NEXT_FAIL,     /* the oldest request's memory is not mapped */
	NEXT_DIRECT,   /* a request that can be executed here, in the peer's memory */
};

static bool has_requests(const struct rvt_qp *qp)
{
	return qp->s_cur != smp_load_acquire(&qp->s_head);
}

/* [rcp 8.1]: local operations wait until all before them are complete. */
static bool local_is_due(const struct tp_qp *tq)
{
	struct rvt_qp *qp = tq->qp;

	return has_requests(qp) && qp->s_last == qp->s_cur &&
	       tp_qp_may(qp, RVT_PROCESS_NEXT_SEND_OK) && !(qp->s_flags & RVT_S_ANY_WAIT) &&
	       tp_wqe_is_local(tq, rvt_get_swqe_ptr(qp, qp->s_cur));
}

/* The peer is reached without packets if it is a queue pair of this process on the same port. */
static enum tp_reach find_reach(struct tp_qp *tq)
{
	struct rvt_dev_info *rdi = tq->engine->rdi;
	struct tp_port_state *ps = tp_port_of(tq);
	bool ours;

	if (!tq->engine->loopback || !tp_path_is_own(ps, &tq->path))
		return TP_REACH_WIRE;
	rcu_read_lock();
	ours = rvt_lookup_qpn(rdi, rdi->ports[ps->port.num - 1], tq->qp->remote_qpn) != NULL;
	rcu_read_unlock();
	return ours ? TP_REACH_LOOPBACK : TP_REACH_WIRE;
}

static bool is_loopback(struct tp_qp *tq)
{
	if (unlikely(tq->reach == TP_REACH_UNKNOWN) && has_requests(tq->qp))
		tq->reach = (uint8_t)(tp_is_datagram(tq->qp) ? TP_REACH_WIRE : find_reach(tq));
	return tq->reach == TP_REACH_LOOPBACK;
}

static bool send_requests(struct tp_qp *tq)
{
	if (likely(tq->qp->ibqp.qp_type == IB_QPT_RC))
		return rc_req_send(tq);
	return tp_is_datagram(tq->qp) ? ud_send(tq) : uc_send(tq);
}

static enum next flush_if_due(struct rvt_qp *qp)
{
	if (tp_qp_may(qp, RVT_FLUSH_SEND) && qp->s_last != smp_load_acquire(&qp->s_head))
		return NEXT_FLUSH;
	return NEXT_NOTHING;
}

static bool direct_is_due(const struct tp_qp *tq)
{
	const struct rvt_swqe *wqe = rvt_get_swqe_ptr(tq->qp, tq->qp->s_cur);

	return !tp_wqe_is_local(tq, wqe) && tp_direct_is_due(tq, wqe);
}

/* What sending alone cannot do. */
static enum next next_of(struct tp_qp *tq)
{
	struct rvt_qp *qp = tq->qp;

	if (qp->s_cur == smp_load_acquire(&qp->s_head))
		return NEXT_NOTHING;
	if (tp_is_datagram(qp) && ud_group_is_due(tq))
		return NEXT_GROUP;
	if (unlikely(tq->source_gone) && qp->s_last == qp->s_cur)
		return NEXT_FAIL;
	if (local_is_due(tq))
		return NEXT_LOCAL;
	return qp->ibqp.qp_type == IB_QPT_RC && direct_is_due(tq) ? NEXT_DIRECT : NEXT_NOTHING;
}

/* Under s_lock, of UC and UD r_lock, too: send, and say what else there is to do. */
static enum next send_some(struct tp_qp *tq, bool *sent)
{
	struct rvt_qp *qp = tq->qp;

	if (qp->ibqp.qp_type == IB_QPT_RC && tp_send_answers(tq))
		*sent = true;
	if (unlikely(qp->s_flags & RVT_S_BUSY))
		return NEXT_NOTHING;
	if (unlikely(!tp_qp_may(qp, RVT_PROCESS_SEND_OK)))
		return flush_if_due(qp);
	if (is_loopback(tq))
		return NEXT_LOOPBACK;
	if (send_requests(tq))
		*sent = true;
	return next_of(tq);
}

static void lock_both(struct rvt_qp *qp) ACQUIRE(qp->r_lock, qp->s_lock)
{
	spin_lock(&qp->r_lock);
	spin_lock(&qp->s_lock);
}

static void unlock_both(struct rvt_qp *qp) RELEASE(qp->s_lock, qp->r_lock)
{
	spin_unlock(&qp->s_lock);
	spin_unlock(&qp->r_lock);
}

static void run_local(struct tp_qp *tq)
{
	struct rvt_qp *qp = tq->qp;

	lock_both(qp);
	if (!(qp->s_flags & RVT_S_BUSY) && local_is_due(tq))
		tp_local_op(tq, rvt_get_swqe_ptr(qp, qp->s_cur));
	unlock_both(qp);
}

/* [sm 7.2]. What the wire still has first leaves it. */
static void flush(struct tp_qp *tq)
{
	struct rvt_qp *qp = tq->qp;

	lock_both(qp);
	if (qp->ibqp.qp_type != IB_QPT_RC && tp_is_on_wire(tq)) {
		qp->s_flags |= RVT_S_WAIT_DMA;
	} else if (!(qp->s_flags & RVT_S_BUSY) && tp_qp_may(qp, RVT_FLUSH_SEND)) {
		tq->released_packets = 0; /* of a request whose rest is not sent any more */
		rvt_qp_flush_sends(qp);
	}
	unlock_both(qp);
}

/* What the wire found out when it wanted to send. All requests before this one are complete. */
static void fail_source(struct tp_qp *tq)
{
	const struct base_cause cause = {.id = BASE_CAUSE_REQ_MEMORY_UNMAPPED,
					 .side = BASE_SIDE_REQUESTER};
	struct rvt_qp *qp = tq->qp;

	lock_both(qp);
	if (tq->source_gone && qp->s_last == qp->s_cur && tp_qp_may(qp, RVT_PROCESS_SEND_OK)) {
		tq->source_gone = false;
		qp->s_flags &= ~(u32)RVT_S_WAIT_KMEM;
		tp_send_failed(tq, &cause);
	}
	unlock_both(qp);
}

/* Returns whether there may be more to do. */
static bool do_next(struct tp_qp *tq, enum next next)
{
	switch (next) {
	case NEXT_NOTHING:
		return false;
	case NEXT_LOCAL:
		run_local(tq);
		return true;
	case NEXT_FLUSH:
		flush(tq);
		return false;
	case NEXT_LOOPBACK:
		rvt_ruc_loopback(tq->qp);
		return false;
	case NEXT_GROUP:
		ud_send_group(tq);
		return true;
	case NEXT_FAIL:
		fail_source(tq);
		return true;
	case NEXT_DIRECT:
		(void)tp_direct(tq);
		return true;
	}
	UNREACHABLE("nothing is next");
}

/* All that a queue pair has to do now. No locks. (The analysis cannot follow a lock that depends.) */
static void run(struct tp_qp *tq) NO_THREAD_SAFETY_ANALYSIS
{
	struct rvt_qp *qp = tq->qp;
	const bool both = qp->ibqp.qp_type != IB_QPT_RC;
	struct tp_port *port;
	bool sent = false;
	enum next next;

	if (unlikely(!qp->port_num)) /* never left RESET */
		return;
	do {
		if (both)
			spin_lock(&qp->r_lock);
		spin_lock(&qp->s_lock);
		next = send_some(tq, &sent);
		port = &tp_port_of(tq)->port;
		spin_unlock(&qp->s_lock);
		if (both)
			spin_unlock(&qp->r_lock);
	} while (do_next(tq, next));
	if (sent)
		port->ops->kick(port);
}

static void enter(void)
{
	here.depth++;
}

static void leave(void)
{
	struct tp_qp *tq;

	if (here.depth == 1)
		while ((tq = take_here())) {
			__atomic_store_n(&tq->queued, 0, __ATOMIC_SEQ_CST);
			run(tq);
			rvt_put_qp(tq->qp);
		}
	here.depth--;
}

void tp_batch_begin(void)
{
	enter();
}

void tp_batch_end(void)
{
	INVARIANT(here.depth);
	leave();
}

/* Whether a request may be for us to execute: then that is tried before all else. */
static bool has_windows(const struct tp_qp *tq)
{
	return tq->qp->ibqp.qp_type == IB_QPT_RC && tq->qp->port_num &&
	       tp_port_of(tq)->port.ops->windows;
}

void tp_do_send(struct rvt_qp *qp)
{
	struct tp_qp *tq = tp_qp(qp);

	if (here.depth) {
		tp_schedule(tq);
		return;
	}
	enter();
	if (!has_windows(tq) || !tp_direct(tq))
		run(tq);
	leave();
}

void tp_do_express(struct rvt_qp *qp)
{
	if (unlikely(here.depth || !tp_express_send(tp_qp(qp))))
		tp_do_send(qp);
}

/* base_run_later(), with a reference of its own. */
void tp_qp_work(struct work_struct *work)
{
	struct tp_qp *tq = container_of(work, struct tp_qp, work);

	enter();
	schedule_here(tq);
	leave();
	rvt_put_qp(tq->qp);
}

void tp_die(struct tp_qp *tq, const struct base_cause *cause, enum ib_wc_status status)
{
	rvt_qp_blame(tq->qp, cause);
	if (rvt_error_qp(tq->qp, status))
		rvt_qp_event_later(tq->qp, IB_EVENT_QP_LAST_WQE_REACHED);
	tp_schedule(tq);
}

void tp_responder_dies(struct tp_qp *tq, enum ib_wc_status status, enum base_cause_id id)
{
	const struct base_cause cause = {.id = (uint16_t)id, .side = BASE_SIDE_RESPONDER};

	spin_lock(&tq->qp->s_lock);
	tp_die(tq, &cause, status);
	spin_unlock(&tq->qp->s_lock);
}

void tp_source_is_gone(struct tp_qp *tq)
{
	tq->source_gone = true;
	tq->qp->s_flags |= RVT_S_WAIT_KMEM; /* nothing more until the engine has failed it */
	tp_schedule(tq);
}

void tp_wait_for_port(struct tp_qp *tq, uint32_t readied)
{
	struct tp_port_state *ps = tp_port_of(tq);

	rvt_count(&rvt_to_iport(tq->qp)->n_dmawait, 1);
	spin_lock(&ps->lock);
	if (unlikely(ps->readied != readied)) {
		spin_unlock(&ps->lock);
		tp_schedule(tq);
		return;
	}
	tq->qp->s_flags |= RVT_S_WAIT_TX;
	if (list_empty(&tq->port_link)) {
		list_add_tail(&tq->port_link, &ps->waiting);
		tq->waits_on = ps;
		rvt_get_qp(tq->qp);
	}
	spin_unlock(&ps->lock);
}

void tp_stop_waiting(struct tp_qp *tq)
{
	struct tp_port_state *ps = tq->waits_on;
	bool was_on;

	if (!ps)
		return;
	spin_lock(&ps->lock);
	was_on = !list_empty(&tq->port_link);
	list_del_init(&tq->port_link);
	spin_unlock(&ps->lock);
	if (was_on)
		rvt_put_qp(tq->qp);
}

void tp_ask_again(struct tp_qp *tq)
{
	if (likely(!(tq->qp->s_flags & RVT_S_WAIT_TX)))
		return;
	tp_stop_waiting(tq);
	tq->qp->s_flags &= ~(u32)RVT_S_WAIT_TX;
	tp_schedule(tq);
}

/* The first that waits, or NULL; the list's reference goes to the caller. */
static struct tp_qp *first_waiting(struct tp_port_state *ps)
{
	struct tp_qp *tq;

	spin_lock(&ps->lock);
	tq = list_first_entry_or_null(&ps->waiting, struct tp_qp, port_link);
	if (tq)
		list_del_init(&tq->port_link);
	spin_unlock(&ps->lock);
	return tq;
}

void tp_port_ready(struct tp_port *port)
{
	struct tp_port_state *ps = container_of(port, struct tp_port_state, port);
	struct tp_qp *tq;

	enter();
	spin_lock(&ps->lock);
	__atomic_store_n(&ps->readied, ps->readied + 1, __ATOMIC_RELAXED);
	spin_unlock(&ps->lock);
	/* None comes back to the list before leave(), for it is there that they run. */
	while ((tq = first_waiting(ps))) {
		spin_lock(&tq->qp->s_lock);
		tq->qp->s_flags &= ~(u32)RVT_S_WAIT_TX;
		spin_unlock(&tq->qp->s_lock);
		tp_schedule(tq);
		rvt_put_qp(tq->qp);
	}
	leave();
}

/* Whose packets are on the wire's side, in the order sent. */
void tp_sent(struct tp_port *port, void *sender, uint32_t packets)
{
	struct rvt_qp *qp = sender;
	struct tp_qp *tq = tp_qp(qp);

	(void)port;
	__atomic_fetch_add(&tq->wire_released, packets, __ATOMIC_RELAXED);
	if (likely(qp->ibqp.qp_type == IB_QPT_RC))
		return;
	enter();
	lock_both(qp);
	tp_released(tq, packets);
	unlock_both(qp);
	leave();
}

static bool suits(const struct rvt_qp *qp, const struct pkt_opcode *op)
{
	switch (op->service) {
	case PKT_SERVICE_RC:
		return qp->ibqp.qp_type == IB_QPT_RC;
	case PKT_SERVICE_UC:
		return qp->ibqp.qp_type == IB_QPT_UC;
	case PKT_SERVICE_RD:
	case PKT_SERVICE_UD:
	case PKT_SERVICE_CNP:
	case PKT_SERVICE_XRC:
		return false;
	}
	return false;
}

/* [rcp 9.6]: the first packet in RTR. The handler is called when no locks are held. */
static void note_comm_est(struct rvt_qp *qp)
{
	if (likely(qp->state != IB_QPS_RTR || (qp->r_flags & RVT_R_COMM_EST)))
		return;
	qp->r_flags |= RVT_R_COMM_EST;
	rvt_qp_event_later(qp, IB_EVENT_COMM_EST);
}

/* A run for a connected queue pair, r_lock held. */
static bool receive_connected(struct tp_qp *tq, const struct tp_port *port,
			      const struct tp_run *run, enum tp_drop_reason *why)
{
	const struct pkt_opcode *op = pkt_op(run->first_opcode);
	struct rvt_qp *qp = tq->qp;

	if (unlikely(!suits(qp, op))) {
		*why = TP_DROP_SERVICE;
		return false;
	}
	if (unlikely(!tp_qp_may(qp, RVT_PROCESS_RECV_OK))) {
		*why = TP_DROP_STATE;
		return false;
	}
	if (unlikely(!tp_connected_check(tq, port->num, run, why)))
		return false;
	note_comm_est(qp);
	if (op->side == PKT_RESPONSE)
		rc_comp_receive(tq, run);
	else if (op->service != PKT_SERVICE_RC)
		uc_receive(tq, run);
	else if (unlikely(!tp_window_exec(tq, run))) {
		*why = TP_DROP_WINDOW;
		return false;
	}
	return true;
}

static void receive(struct tp_port *port, const struct tp_run *run)
{
	struct rvt_dev_info *rdi = port->engine->rdi;
	enum tp_drop_reason why;
	struct rvt_qp *qp;

	rcu_read_lock();
	qp = rvt_lookup_qpn(rdi, rdi->ports[port->num - 1], run->dest_qpn);
	if (likely(qp)) {
		spin_lock(&qp->r_lock);
		if (unlikely(!receive_connected(tp_qp(qp), port, run, &why)))
			tp_drop(port, tp_qp(qp), run, why);
		spin_unlock(&qp->r_lock);
	} else {
		tp_drop(port, NULL, run, TP_DROP_NO_QP);
	}
	rcu_read_unlock();
}

void tp_receive(struct tp_port *port, const struct tp_run *run)
{
	const struct pkt_opcode *op = pkt_op(run->first_opcode);

	enter();
	if (unlikely(!op->supported || !tp_run_is_sane(run) || run->dest_qpn > RVT_QPN_MASK))
		tp_drop(port, NULL, run, TP_DROP_MALFORMED);
	else if (op->service == PKT_SERVICE_UD)
		ud_receive(port, run);
	else
		receive(port, run);
	leave();
}

uint32_t tp_sender_qpn(const void *sender)
{
	const struct rvt_qp *qp = sender;

	return qp->ibqp.qp_num;
}

bool tp_port_listens(const struct tp_port *port, uint32_t qpn)
{
	struct rvt_dev_info *rdi = port->engine->rdi;
	struct rvt_qp *qp;
	bool may;

	rcu_read_lock();
	qp = qpn <= RVT_QPN_MASK ? rvt_lookup_qpn(rdi, rdi->ports[port->num - 1], qpn) : NULL;
	may = qp && tp_qp_may(qp, RVT_PROCESS_RECV_OK);
	rcu_read_unlock();
	return may;
}

static void set_starved(struct tp_port *port, uint32_t qpn, bool starved)
{
	struct rvt_dev_info *rdi = port->engine->rdi;
	struct rvt_qp *qp;

	rcu_read_lock();
	qp = qpn <= RVT_QPN_MASK ? rvt_lookup_qpn(rdi, rdi->ports[port->num - 1], qpn) : NULL;
	if (qp) {
		spin_lock(&qp->r_lock);
		tp_qp(qp)->starved = starved;
		spin_unlock(&qp->r_lock);
	}
	rcu_read_unlock();
}

void tp_receive_starved(struct tp_port *port, const struct tp_run *run)
{
	set_starved(port, run->dest_qpn, true);
	tp_batch_begin();
	tp_receive(port, run);
	set_starved(port, run->dest_qpn, false);
	tp_batch_end();
}

int tp_engine_init(struct tp_engine **out, struct rvt_dev_info *rdi)
{
	const uint32_t nports = (uint32_t)rdi->dparms.nports;
	struct tp_engine *tp;

	tp = base_zalloc(sizeof(*tp) + nports * sizeof(tp->ports[0]));
	if (!tp)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*tp));
	tp->rdi = rdi;
	tp->loopback = true;
	tp->nports = nports;
	for (uint32_t i = 0; i < nports; i++) {
		struct tp_port_state *ps = &tp->ports[i];

		ps->port.engine = tp;
		ps->port.num = i + 1;
		ps->addr.mtu_bytes = TP_MAX_MTU_BYTES;
		spin_lock_init(&ps->lock);
		INIT_LIST_HEAD(&ps->waiting);
		rdi->ports[i]->priv = ps;
	}
	tp_driver_fill(rdi);
	*out = tp;
	return 0;
}

void tp_engine_free(struct tp_engine *tp)
{
	if (!tp)
		return;
	for (uint32_t i = 0; i < tp->nports; i++) {
		struct tp_port *port = &tp->ports[i].port;

		if (port->ops && port->ops->release)
			port->ops->release(port);
	}
	base_free(tp);
}

struct tp_port *tp_engine_port(struct tp_engine *tp, uint32_t num)
{
	INVARIANT(num >= 1 && num <= tp->nports);
	return &tp->ports[num - 1].port;
}

void tp_engine_set_loopback(struct tp_engine *tp, bool on)
{
	tp->loopback = on;
}
