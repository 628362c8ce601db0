// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Datagrams. */
#include "packet/headers.h"
#include "sim/ud.h"

#include <errno.h>
#include <linux/err.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "sim/payload.h"
#include "sim/run.h"
#include "verbena/verbena.h"

#define SEND_SLOT UD_BYTES
#define RECV_SLOT (PKT_GRH_BYTES + UD_BYTES)
#define MEM_BYTES (UD_DEPTH * SEND_SLOT + UD_RECVS * RECV_SLOT)
#define TICK_NS (3 * SIM_US)

/* What a datagram begins with; the rest follows from @key. */
struct ud_header {
	uint64_t number; /* of its sender's datagrams */
	uint64_t key;
	uint32_t from_host;
	uint32_t to_host; /* UINT32_MAX: all */
	uint32_t bytes;
	uint32_t padding;
};

static uint8_t *send_slot(const struct ud_member *m, uint64_t n)
{
	return m->mem + (n % UD_DEPTH) * SEND_SLOT;
}

static uint8_t *recv_slot(const struct ud_member *m, uint64_t n)
{
	return m->mem + UD_DEPTH * SEND_SLOT + (n % UD_RECVS) * RECV_SLOT;
}

static uint64_t below(const struct ud_member *m, uint64_t bound)
{
	return sim_random_below(m->run->w, bound);
}

static void post_receives(struct ud_member *m)
{
	while (m->recv_head - m->recv_tail < UD_RECVS) {
		struct ib_sge sge = {(uintptr_t)recv_slot(m, m->recv_head), RECV_SLOT, m->mr->lkey};
		struct ib_recv_wr wr = {.wr_id = m->recv_head, .sg_list = &sge, .num_sge = 1};

		if (ib_post_recv(m->qp, &wr, NULL))
			run_fail(m->run, "UD of host %u: ib_post_recv() refuses", m->host);
		m->recv_head++;
	}
}

static void send_one(struct ud_member *m)
{
	struct ud_group *group = &m->run->ud;
	const bool to_all = below(m, 4) == 0;
	const unsigned int to = (unsigned int)below(m, group->members);
	struct ud_header header = {.number = ++group->sent,
				   .key = sim_random(m->run->w),
				   .from_host = m->host,
				   .to_host = to_all ? UINT32_MAX : to};
	struct ib_sge sge = {(uintptr_t)send_slot(m, m->head), 0, m->mr->lkey};
	struct ib_ud_wr wr = {.wr = {.wr_id = m->head,
				     .sg_list = &sge,
				     .num_sge = 1,
				     .opcode = below(m, 2) ? IB_WR_SEND : IB_WR_SEND_WITH_IMM,
				     .send_flags = IB_SEND_SIGNALED},
			      .ah = to_all ? m->mcast_ah : m->ah[to],
			      .remote_qpn = to_all ? IB_MULTICAST_QPN
						   : group->member[to].qp->qp_num,
			      .remote_qkey = UD_QKEY};

	header.bytes = (uint32_t)(sizeof(header) + below(m, UD_BYTES - sizeof(header) + 1));
	sge.length = header.bytes;
	memcpy(send_slot(m, m->head), &header, sizeof(header));
	sim_payload_fill(send_slot(m, m->head) + sizeof(header), header.bytes - sizeof(header),
			 header.key);
	wr.wr.ex.imm_data = cpu_to_be32((u32)header.number);
	m->head++;
	if (ib_post_send(m->qp, &wr.wr, NULL))
		run_fail(m->run, "UD of host %u: ib_post_send() refuses", m->host);
}

static const char *judge_datagram(struct ud_member *m, const struct ib_wc *wc)
{
	const uint8_t *bytes = recv_slot(m, wc->wr_id) + PKT_GRH_BYTES;
	struct ud_header header;

	memcpy(&header, bytes, sizeof(header));
	if (wc->byte_len < PKT_GRH_BYTES + sizeof(header) ||
	    header.bytes != wc->byte_len - PKT_GRH_BYTES)
		return "wrong length";
	if (header.from_host >= m->run->ud.members ||
	    wc->src_qp != m->run->ud.member[header.from_host].qp->qp_num)
		return "not from whom it says";
	if (header.to_host != m->host && header.to_host != UINT32_MAX)
		return "meant for another host";
	if (header.to_host == UINT32_MAX && !(wc->wc_flags & IB_WC_GRH))
		return "multicast without a GRH";
	if ((wc->wc_flags & IB_WC_WITH_IMM) && wc->ex.imm_data != cpu_to_be32((u32)header.number))
		return "wrong immediate data";
	if (header.number <= m->last_from[header.from_host] && !m->run->doubles)
		return "twice, or out of order, on a fabric that does neither";
	m->last_from[header.from_host] = header.number;
	if (sim_payload_check(bytes + sizeof(header), header.bytes - sizeof(header), header.key) !=
	    header.bytes - sizeof(header))
		return "wrong bytes";
	return NULL;
}

static void judge(struct ud_member *m, const struct ib_wc *wc)
{
	const char *wrong = NULL;
	const uint64_t seen[] = {sim_now_ns(m->run->w), m->host, wc->wr_id, wc->byte_len};

	sim_note(m->run->w, seen, sizeof(seen));
	m->run->result->completions++;
	if (wc->status != IB_WC_SUCCESS) {
		wrong = ib_wc_status_msg(wc->status);
	} else if (wc->opcode & IB_WC_RECV) {
		if (wc->wr_id != m->recv_tail++)
			wrong = "receive not in order";
		else
			wrong = judge_datagram(m, wc);
		m->received++;
	} else if (wc->wr_id != m->tail++) {
		wrong = "send not in order";
	}
	if (wrong)
		run_fail(m->run, "UD of host %u, WR %llu: %s", m->host,
			 (unsigned long long)wc->wr_id, wrong);
}

static void on_tick(struct base_timer *timer)
{
	struct ud_member *m = container_of(timer, struct ud_member, tick);
	struct ib_wc wc[8];
	int n;

	while ((n = ib_poll_cq(m->cq, 8, wc)) > 0)
		for (int i = 0; i < n; i++)
			judge(m, &wc[i]);
	post_receives(m);
	for (uint64_t k = below(m, 3); k && !m->run->ud.quiet && m->head - m->tail < UD_DEPTH; k--)
		send_one(m);
	base_timer_arm(&m->tick, (m->run->ud.quiet ? 20 : 1) * (TICK_NS / 2 + below(m, TICK_NS)));
}

static void group_gid(union ib_gid *gid)
{
	memset(gid, 0, sizeof(*gid));
	gid->raw[0] = 0xff;
	gid->raw[1] = 0x12;
	gid->raw[15] = 0x77;
}

static int create_ahs(struct ud_member *m)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB};
	union ib_gid mgid;

	rdma_ah_set_port_num(&attr, 1);
	for (unsigned int i = 0; i < m->run->ud.members; i++) {
		struct ib_port_attr port;

		if (ib_query_port(sim_device(m->run->w, i), 1, &port))
			return -EINVAL;
		rdma_ah_set_dlid(&attr, port.lid);
		m->ah[i] = rdma_create_ah(m->pd, &attr, 0);
		if (IS_ERR(m->ah[i]))
			return (int)PTR_ERR(m->ah[i]);
	}
	group_gid(&mgid);
	rdma_ah_set_dlid(&attr, UD_MLID);
	rdma_ah_set_grh(&attr, &mgid, 0, 0, 1, 0);
	m->mcast_ah = rdma_create_ah(m->pd, &attr, 0);
	return PTR_ERR_OR_ZERO(m->mcast_ah);
}

static int create_objects(struct ud_member *m)
{
	const struct ib_cq_init_attr cq_attr = {.cqe = UD_DEPTH + UD_RECVS};
	struct ib_qp_init_attr attr = {.cap = {.max_send_wr = UD_DEPTH,
					       .max_recv_wr = UD_RECVS,
					       .max_send_sge = 1,
					       .max_recv_sge = 1},
				       .qp_type = IB_QPT_UD};

	m->pd = ib_alloc_pd(sim_device(m->run->w, m->host), 0);
	if (IS_ERR(m->pd))
		return (int)PTR_ERR(m->pd);
	m->cq = ib_create_cq(m->pd->device, NULL, NULL, NULL, &cq_attr);
	if (IS_ERR(m->cq))
		return (int)PTR_ERR(m->cq);
	attr.send_cq = attr.recv_cq = m->cq;
	m->qp = ib_create_qp(m->pd, &attr);
	if (IS_ERR(m->qp))
		return (int)PTR_ERR(m->qp);
	m->mem = base_zalloc(MEM_BYTES);
	if (!m->mem)
		return -ENOMEM;
	m->mr = ib_reg_user_mr(m->pd, (uintptr_t)m->mem, MEM_BYTES, (uintptr_t)m->mem,
			       IB_ACCESS_LOCAL_WRITE);
	return PTR_ERR_OR_ZERO(m->mr);
}

static int open_member(struct ud_member *m)
{
	union ib_gid mgid;
	int ret = create_objects(m);

	if (!ret)
		ret = verbena_ud_ready(m->qp, UD_QKEY);
	if (!ret)
		ret = create_ahs(m);
	if (ret)
		return ret;
	group_gid(&mgid);
	ret = ib_attach_mcast(m->qp, &mgid, UD_MLID);
	m->attached = !ret;
	return ret;
}

static bool exists(const void *object)
{
	return !IS_ERR_OR_NULL(object);
}

static void close_member(struct ud_member *m)
{
	union ib_gid mgid;

	group_gid(&mgid);
	base_timer_disarm_sync(&m->tick);
	if (m->attached)
		INVARIANT(!ib_detach_mcast(m->qp, &mgid, UD_MLID));
	for (unsigned int i = 0; i < SIM_MAX_HOSTS; i++)
		if (exists(m->ah[i]))
			rdma_destroy_ah(m->ah[i], 0);
	if (exists(m->mcast_ah))
		rdma_destroy_ah(m->mcast_ah, 0);
	if (exists(m->qp))
		INVARIANT(!ib_destroy_qp(m->qp));
	if (exists(m->cq))
		ib_destroy_cq(m->cq);
	if (exists(m->mr))
		INVARIANT(!ib_dereg_mr(m->mr));
	base_free(m->mem);
	if (exists(m->pd))
		ib_dealloc_pd(m->pd);
	memset(m, 0, sizeof(*m));
}

int ud_open(struct sim_run *run)
{
	struct ud_group *group = &run->ud;
	int ret = 0;

	group->members = run->hosts;
	for (unsigned int i = 0; i < group->members; i++) {
		group->member[i].run = run;
		group->member[i].host = i;
		base_timer_init(&group->member[i].tick, on_tick);
	}
	for (unsigned int i = 0; !ret && i < group->members; i++)
		ret = open_member(&group->member[i]);
	for (unsigned int i = 0; !ret && i < group->members; i++)
		base_timer_arm(&group->member[i].tick, 1 + sim_random_below(run->w, TICK_NS));
	return ret;
}

void ud_close(struct sim_run *run)
{
	for (unsigned int i = 0; i < run->ud.members; i++)
		close_member(&run->ud.member[i]);
}

bool ud_is_idle(const struct ud_group *group)
{
	for (unsigned int i = 0; i < group->members; i++)
		if (group->member[i].head != group->member[i].tail)
			return false;
	return true;
}
