// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* UD, and QP 0 and 1: one packet a message, to anybody, to groups, and without promises [rcp 12]. */
#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "packet/pkey.h"
#include "transport/tp_qp.h"

#define QPN_GROUP 0xffffffu
#define LID_GROUP 0xc000u
#define QKEY_OF_QP 0x80000000u
#define GRH_VERSION_OF_GID 0xff

static uint16_t pkey_for(const struct tp_qp *tq, struct rvt_swqe *wqe)
{
	const struct rvt_qp *qp = tq->qp;

	if (qp->ibqp.qp_num == PKT_QPN_SMI)
		return PKT_PKEY_DEFAULT;
	return rvt_get_pkey(tq->engine->rdi, qp->port_num - 1,
			    qp->ibqp.qp_num == PKT_QPN_GSI ? rvt_get_swqe_pkey_index(wqe)
							   : qp->s_pkey_index);
}

static void fill(struct tp_qp *tq, struct rvt_swqe *wqe, struct tp_run *run)
{
	const bool imm = wqe->wr.opcode == IB_WR_SEND_WITH_IMM;
	const struct tp_swqe *ts = tp_swqe(wqe);
	const u32 qkey = rvt_get_swqe_remote_qkey(wqe);

	tp_path_from_ah(tp_port_of(tq), rvt_get_swqe_ah_attr(wqe), &run->path);
	run->dest_qpn = rvt_get_swqe_remote_qpn(wqe) & RVT_QPN_MASK;
	run->pkey = pkey_for(tq, wqe);
	run->psn = psn(wqe->psn);
	run->packets = 1;
	run->pmtu_bytes = 0;
	run->first_opcode = run->last_opcode = imm ? PKT_UD_SEND_ONLY_IMM : PKT_UD_SEND_ONLY;
	run->solicited = (wqe->wr.send_flags & IB_SEND_SOLICITED) != 0;
	run->migrated = false;
	run->ack_req = false;
	run->becn = false;
	run->immdt = wqe->wr.ex.imm_data;
	run->ieth = 0;
	run->aeth = (struct pkt_aeth){0};
	run->deth = (struct pkt_deth){.qkey = (qkey & QKEY_OF_QP) ? tq->qp->qkey : qkey,
				      .src_qpn = tq->qp->ibqp.qp_num};
	run->payload = (struct tp_payload){
		.iov = ts->iov, .count = ts->count, .offset = ts->offset, .bytes = wqe->length};
	run->why.id = 0;
}

static bool is_group(const struct tp_run *run)
{
	return run->dest_qpn == QPN_GROUP;
}

static struct rvt_mcast *find_group(struct tp_port *port, const struct tp_run *run)
{
	union ib_gid mgid;

	if (!run->path.has_grh || run->path.dgid[0] != GRH_VERSION_OF_GID)
		return NULL;
	memcpy(mgid.raw, run->path.dgid, sizeof(mgid.raw));
	return rvt_mcast_find(port->engine->rdi->ports[port->num - 1], &mgid, run->path.dlid);
}

static void put_group(struct rvt_mcast *group)
{
	if (atomic_dec_return(&group->refcount) <= 1)
		wake_up(&group->wait);
}

bool ud_group_is_due(struct tp_qp *tq)
{
	struct rvt_qp *qp = tq->qp;
	struct rvt_swqe *wqe;

	if (tq->group_done || (qp->s_flags & RVT_S_ANY_WAIT) ||
	    qp->s_cur == smp_load_acquire(&qp->s_head) || !tp_qp_may(qp, RVT_PROCESS_NEXT_SEND_OK))
		return false;
	wqe = rvt_get_swqe_ptr(qp, qp->s_cur);
	return !tp_wqe_is_local(tq, wqe) && rvt_get_swqe_remote_qpn(wqe) == QPN_GROUP;
}

/*
 * A switch does not send a packet back to where it came from, so the copies for the members on the
 * sending port are ours to make; the sender itself gets none. The queue pair is marked busy, for no
 * lock may be held while others receive.
 */
void ud_send_group(struct tp_qp *tq)
{
	struct rvt_qp *qp = tq->qp;
	struct tp_port *port;
	struct tp_run run;
	bool due;

	spin_lock(&qp->r_lock);
	spin_lock(&qp->s_lock);
	due = !(qp->s_flags & RVT_S_BUSY) && ud_group_is_due(tq);
	if (due) {
		fill(tq, rvt_get_swqe_ptr(qp, qp->s_cur), &run);
		qp->s_flags |= RVT_S_BUSY;
	}
	port = &tp_port_of(tq)->port;
	spin_unlock(&qp->s_lock);
	spin_unlock(&qp->r_lock);
	if (!due)
		return;
	ud_receive_group(port, &run, qp);
	spin_lock(&qp->s_lock);
	qp->s_flags &= ~(u32)RVT_S_BUSY;
	tq->group_done = true;
	spin_unlock(&qp->s_lock);
}

bool ud_send(struct tp_qp *tq)
{
	struct rvt_qp *qp = tq->qp;
	bool any = false;

	while (!(qp->s_flags & RVT_S_ANY_WAIT) && qp->s_cur != smp_load_acquire(&qp->s_head) &&
	       tp_qp_may(qp, RVT_PROCESS_NEXT_SEND_OK) && !ud_group_is_due(tq)) {
		struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp, qp->s_cur);
		struct tp_run run;
		int taken;

		if (unlikely(tp_wqe_is_local(tq, wqe)))
			break;
		fill(tq, wqe, &run);
		qp->s_psn = wqe->psn;
		taken = tp_hand_over_unreliable(tq, &run);
		if (unlikely(taken == -EAGAIN || taken == -EFAULT))
			break;
		tq->group_done = false;
		tp_unreliable_advance(tq, wqe, &run, taken);
		any = true;
	}
	return any;
}

/* [rcp 1, 12]: QP 0 has no P_Key; QP 1 takes any that the port has; others only their own. */
static bool find_pkey(struct tp_qp *tq, const struct tp_run *run, uint16_t *index)
{
	struct rvt_dev_info *rdi = tq->engine->rdi;
	const struct rvt_qp *qp = tq->qp;
	const int port = qp->port_num - 1;

	*index = qp->s_pkey_index;
	if (qp->ibqp.qp_num == PKT_QPN_SMI)
		return true;
	if (qp->ibqp.qp_num != PKT_QPN_GSI)
		return pkt_pkey_match(run->pkey, rvt_get_pkey(rdi, port, qp->s_pkey_index));
	for (unsigned int i = 0; i < rvt_get_npkeys(rdi); i++)
		if (pkt_pkey_match(run->pkey, rvt_get_pkey(rdi, port, i))) {
			*index = (uint16_t)i;
			return true;
		}
	return false;
}

static bool check(struct tp_qp *tq, const struct tp_run *run, uint16_t *pkey_index,
		  enum tp_drop_reason *why)
{
	struct rvt_qp *qp = tq->qp;

	*why = TP_DROP_STATE;
	if (!tp_qp_may(qp, RVT_PROCESS_RECV_OK))
		return false;
	*why = TP_DROP_PKEY;
	if (!find_pkey(tq, run, pkey_index)) {
		tp_bad_key(tq, run, false);
		return false;
	}
	*why = TP_DROP_QKEY;
	if (qp->ibqp.qp_num != PKT_QPN_SMI && run->deth.qkey != qp->qkey) {
		tp_bad_key(tq, run, true);
		return false;
	}
	*why = TP_DROP_LENGTH;
	return qp->ibqp.qp_num != PKT_QPN_SMI || run->payload.bytes == IB_MGMT_MAD_SIZE;
}

static bool is_ipv4(const uint8_t *gid)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	return !memcmp(gid, mapped, sizeof(mapped));
}

static bool is_ipv4_group(const uint8_t *gid)
{
	static const uint8_t prefix[12] = {0xff, 0x0e, [10] = 0xff, [11] = 0xff};

	return !memcmp(gid, prefix, sizeof(prefix));
}

/* RoCEv2 over IPv4: the IP header in the second half of the 40 bytes [rcp 12]. */
static void encode_ipv4(const struct tp_run *run, uint16_t bytes, uint8_t grh[PKT_GRH_BYTES])
{
	const struct tp_path *path = &run->path;
	struct pkt_ipv4 ip = {.tos = path->traffic_class,
			      .ttl = path->hop_limit,
			      .protocol = PKT_NEXT_HEADER_UDP,
			      .total_bytes = (uint16_t)(PKT_IPV4_BYTES + bytes),
			      .fragment = 0x4000,
			      .src = pkt_get_be32(path->sgid + 12),
			      .dst = pkt_get_be32(path->dgid + 12)};

	ip.checksum = pkt_ipv4_checksum(&ip);
	pkt_ipv4_encode(grh + PKT_GRH_BYTES - PKT_IPV4_BYTES, &ip);
}

void ud_encode_grh(const struct tp_run *run, bool roce, uint8_t grh[PKT_GRH_BYTES])
{
	const struct tp_path *path = &run->path;
	const size_t pad = -(size_t)run->payload.bytes & 3;
	uint16_t bytes = (uint16_t)(pkt_header_bytes(run->first_opcode) + run->payload.bytes + pad +
				    PKT_ICRC_BYTES);
	struct pkt_grh header = {.tclass = path->traffic_class,
				 .next_header = roce ? PKT_NEXT_HEADER_UDP : PKT_NEXT_HEADER_BTH,
				 .hop_limit = path->hop_limit,
				 .flow_label = path->flow_label & 0xfffffu};

	memset(grh, 0, PKT_GRH_BYTES);
	if (!path->has_grh)
		return;
	if (roce)
		bytes = (uint16_t)(bytes + PKT_UDP_BYTES);
	if (roce && is_ipv4(path->sgid) && (is_ipv4(path->dgid) || is_ipv4_group(path->dgid))) {
		encode_ipv4(run, bytes, grh);
		return;
	}
	header.payload_bytes = bytes;
	memcpy(header.sgid, path->sgid, sizeof(header.sgid));
	memcpy(header.dgid, path->dgid, sizeof(header.dgid));
	pkt_grh_encode(grh, &header);
}

/* 40 bytes for the GRH, then the datagram. */
static enum rc_resp_result place(struct tp_qp *tq, const struct tp_run *run, bool roce)
{
	const struct tp_sges sges = tp_sges_of_state(&tq->qp->r_sge);
	uint8_t grh[PKT_GRH_BYTES];
	struct iovec iov = {.iov_base = grh, .iov_len = sizeof(grh)};
	const struct tp_payload header = {.iov = &iov, .count = 1, .bytes = sizeof(grh)};
	enum rc_resp_result result;

	if (run->path.has_grh) {
		ud_encode_grh(run, roce, grh);
		result = tp_place(&sges, 0, &header, 0, sizeof(grh));
		if (result != RC_OK)
			return RC_BAD;
	}
	if (!run->payload.bytes)
		return RC_OK;
	return tp_place(&sges, PKT_GRH_BYTES, &run->payload, 0, run->payload.bytes);
}

/* A receive that does not fit stays for the next datagram. Returns whether there is one that fits. */
static bool take_rwqe(struct tp_qp *tq, uint32_t bytes, enum tp_drop_reason *why)
{
	struct rvt_qp *qp = tq->qp;
	int ret = 1;

	if (!(qp->r_flags & RVT_R_REUSE_SGE))
		ret = tp_get_rwqe(tq, false);
	*why = TP_DROP_NO_RECEIVE;
	if (ret < 0)
		tp_responder_dies(tq, IB_WC_LOC_QP_OP_ERR, BASE_CAUSE_RESP_RECEIVE_BAD);
	if (ret <= 0)
		return false;
	qp->r_flags |= RVT_R_REUSE_SGE;
	*why = TP_DROP_LENGTH;
	return bytes <= qp->r_len;
}

static void complete_receive(struct tp_qp *tq, const struct tp_run *run,
			     const struct tp_port_addr *addr, uint16_t pkey_index)
{
	struct rvt_qp *qp = tq->qp;
	struct ib_wc wc;

	qp->r_flags &= (u8)~RVT_R_REUSE_SGE;
	if (qp->r_sge.num_sge)
		rvt_put_ss(&qp->r_sge);
	tp_fill_receive(tq, run, run->payload.bytes + PKT_GRH_BYTES, IB_WC_SUCCESS, &wc);
	wc.src_qp = run->deth.src_qpn;
	wc.pkey_index = pkey_index;
	wc.dlid_path_bits = (u8)(run->path.dlid & ((1u << addr->lmc) - 1));
	if (run->path.dlid >= LID_GROUP)
		wc.dlid_path_bits = 0;
	if (run->path.has_grh)
		wc.wc_flags |= IB_WC_GRH;
	(void)tp_enter_receive(tq, &wc, run->solicited);
}

static void receive_one(struct tp_qp *tq, struct tp_port *port, const struct tp_run *run)
{
	struct tp_port_state *ps = container_of(port, struct tp_port_state, port);
	enum tp_drop_reason why;
	struct tp_port_addr addr;
	uint16_t pkey_index;
	bool taken = false;

	tp_port_get_addr(ps, &addr);
	spin_lock(&tq->qp->r_lock);
	if (check(tq, run, &pkey_index, &why) &&
	    take_rwqe(tq, run->payload.bytes + PKT_GRH_BYTES, &why)) {
		why = TP_DROP_MEMORY;
		switch (place(tq, run, addr.roce)) {
		case RC_OK:
			complete_receive(tq, run, &addr, pkey_index);
			taken = true;
			break;
		case RC_BAD:
			tp_responder_dies(tq, IB_WC_LOC_PROT_ERR, BASE_CAUSE_RESP_RECEIVE_UNMAPPED);
			break;
		case RC_NONE:
		case RC_SOURCE:
		case RC_DEAD:
			break;
		}
	}
	if (!taken)
		tp_drop(port, tq, run, why);
	spin_unlock(&tq->qp->r_lock);
}

/* Whether a queue pair takes datagrams, of this port. */
static bool serves(const struct rvt_qp *qp, const struct tp_port *port)
{
	return tp_is_datagram(qp) && qp->port_num == port->num;
}

void ud_receive_group(struct tp_port *port, const struct tp_run *run, const struct rvt_qp *sender)
{
	struct rvt_mcast *group = find_group(port, run);
	struct list_head *at;

	if (!group) {
		if (!sender)
			tp_drop(port, NULL, run, TP_DROP_GROUP);
		return;
	}
	rcu_read_lock();
	for (at = rcu_dereference(group->qp_list.next); at != &group->qp_list;
	     at = rcu_dereference(at->next)) {
		struct rvt_qp *qp = list_entry(at, struct rvt_mcast_qp, list)->qp;

		if (qp != sender && serves(qp, port))
			receive_one(tp_qp(qp), port, run);
	}
	rcu_read_unlock();
	put_group(group);
}

void ud_receive(struct tp_port *port, const struct tp_run *run)
{
	struct rvt_dev_info *rdi = port->engine->rdi;
	struct rvt_qp *qp;

	if (is_group(run)) {
		ud_receive_group(port, run, NULL);
		return;
	}
	rcu_read_lock();
	qp = rvt_lookup_qpn(rdi, rdi->ports[port->num - 1], run->dest_qpn);
	if (!qp) {
		tp_drop(port, NULL, run, TP_DROP_NO_QP);
	} else if (!serves(qp, port)) {
		spin_lock(&qp->r_lock);
		tp_drop(port, tp_qp(qp), run, TP_DROP_SERVICE);
		spin_unlock(&qp->r_lock);
	} else {
		receive_one(tp_qp(qp), port, run);
	}
	rcu_read_unlock();
}

bool tp_lacks_receive(struct tp_port *port, const struct tp_run *run)
{
	struct rvt_dev_info *rdi = port->engine->rdi;
	struct rvt_qp *qp;
	bool lacks = false;

	if (run->dest_qpn > RVT_QPN_MASK)
		return false;
	rcu_read_lock();
	qp = rvt_lookup_qpn(rdi, rdi->ports[port->num - 1], run->dest_qpn);
	if (qp && serves(qp, port)) {
		spin_lock(&qp->r_lock);
		lacks = tp_qp_may(qp, RVT_PROCESS_RECV_OK) && !(qp->r_flags & RVT_R_REUSE_SGE) &&
			!rvt_has_receive(qp);
		spin_unlock(&qp->r_lock);
	}
	rcu_read_unlock();
	return lacks;
}
