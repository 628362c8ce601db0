/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* See test_host.h. */
#include "common/test_host.h"

#include <linux/verbena_base.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/host.h"
#include "base/umem.h"
#include "common/test.h"

#define TURN_BUDGET 1000u

static struct test_host *host_of(struct rvt_dev_info *rdi)
{
	return container_of(rdi->ports[0], struct test_host, ibp);
}

static int query_port_state(struct rvt_dev_info *rdi, u32 port_num, struct ib_port_attr *props)
{
	const struct test_host *host = host_of(rdi);

	(void)port_num;
	props->state = IB_PORT_ACTIVE;
	props->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	props->max_mtu = props->active_mtu = IB_MTU_4096;
	props->lid = host->options.lid;
	props->sm_lid = 1;
	props->gid_tbl_len = 1;
	props->active_width = IB_WIDTH_4X;
	props->active_speed = IB_SPEED_EDR;
	props->max_vl_num = 1;
	return 0;
}

static int get_guid_be(struct rvt_dev_info *rdi, struct rvt_ibport *rvp, int guid_index,
		       __be64 *guid)
{
	(void)rvp;
	if (guid_index)
		return -EINVAL;
	memcpy(guid, host_of(rdi)->options.gid + 8, sizeof(*guid));
	return 0;
}

static int shut_down_port(struct rvt_dev_info *rdi, u32 port_num)
{
	(void)rdi;
	(void)port_num;
	return 0;
}

static void cap_mask_chg(struct rvt_dev_info *rdi, u32 port_num)
{
	(void)rdi;
	(void)port_num;
}

static int modify_device(struct ib_device *device, int mask, struct ib_device_modify *modify)
{
	(void)device;
	(void)mask;
	(void)modify;
	return -EOPNOTSUPP;
}

static const struct ib_device_ops device_ops = {
	.owner = NULL,
	.modify_device = modify_device,
};

static void fill_params(struct rvt_driver_params *p, const struct test_host_options *o)
{
	const u8 max_rd_atomic = o->max_rd_atomic;
	struct ib_device_attr *props = &p->props;

	props->max_qp = 256;
	props->max_qp_wr = 16384;
	props->max_send_sge = props->max_recv_sge = 16;
	props->max_cq = 512;
	props->max_cqe = 65536;
	props->max_pd = 64;
	props->max_ah = 256;
	props->max_srq = 16;
	props->max_srq_wr = 16384;
	props->max_srq_sge = 16;
	props->max_mcast_grp = 16;
	props->max_mcast_qp_attach = 16;
	props->max_total_mcast_qp_attach = 256;
	props->max_pkeys = TEST_HOST_PKEYS;
	props->max_mr_size = UINT64_MAX;
	props->max_fast_reg_page_list_len = 2048;
	props->max_qp_rd_atom = props->max_qp_init_rd_atom = max_rd_atomic;
	p->lkey_table_size = TEST_HOST_KEY_BITS;
	p->mr_entries = o->keys;
	p->mr_first = o->first_key;
	p->qp_table_size = 64;
	p->qpn_start = 2;
	p->qpn_inc = 1;
	p->nports = 1;
	p->npkeys = TEST_HOST_PKEYS;
	p->core_cap_flags = RDMA_CORE_PORT_IBA_IB & ~(u32)RDMA_CORE_CAP_IB_MAD;
	p->max_rdma_atomic = max_rd_atomic;
}

static void fill_driver(struct test_host *host)
{
	struct rvt_dev_info *rdi = host->rdi;

	fill_params(&rdi->dparms, &host->options);
	rdi->driver_f.query_port_state = query_port_state;
	rdi->driver_f.get_guid_be = get_guid_be;
	rdi->driver_f.shut_down_port = shut_down_port;
	rdi->driver_f.cap_mask_chg = cap_mask_chg;
	ib_set_device_ops(&rdi->ibdev, &device_ops);
	rvt_set_ibdev_name(rdi, "%s_%d", "test", host->options.gid[15]);
	spin_lock_init(&host->ibp.lock);
	host->ibp.mcast_tree = RB_ROOT;
	memcpy(&host->ibp.gid_prefix, host->options.gid, sizeof(host->ibp.gid_prefix));
	host->pkeys[0] = 0xffff;
	rvt_init_port(rdi, &host->ibp, 0, host->pkeys);
}

static int start(struct test_host *host, struct test_wire *wire)
{
	struct tp_port_addr addr = {
		.lid = host->options.lid, .roce = !host->options.lid, .mtu_bytes = 4096};
	int ret;

	fill_driver(host);
	ret = tp_engine_init(&host->tp, host->rdi);
	if (ret)
		return ret;
	tp_engine_set_loopback(host->tp, false);
	host->port = tp_engine_port(host->tp, 1);
	memcpy(addr.gid, host->options.gid, sizeof(addr.gid));
	tp_port_set_addr(host->port, &addr);
	test_wire_attach(wire, host->port, host->options.lid, host->options.gid);
	return rvt_register_device(host->rdi);
}

static int equip(struct test_host *host)
{
	const int access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |
			   IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_FLUSH_GLOBAL;

	host->pd = ib_alloc_pd(&host->rdi->ibdev, 0);
	if (IS_ERR(host->pd)) {
		host->pd = NULL;
		return -ENOMEM;
	}
	host->buffer = base_zalloc(TEST_HOST_BUFFER_BYTES);
	if (!host->buffer)
		return -ENOMEM;
	host->mr = ib_reg_user_mr(host->pd, (uintptr_t)host->buffer, TEST_HOST_BUFFER_BYTES,
				  (uintptr_t)host->buffer, access);
	if (IS_ERR(host->mr)) {
		host->mr = NULL;
		return -ENOMEM;
	}
	return 0;
}

static void default_gid(struct test_host_options *o)
{
	static const uint8_t zero[16];

	if (memcmp(o->gid, zero, sizeof(zero)) != 0)
		return;
	o->gid[0] = 0xfe;
	o->gid[1] = 0x80;
	o->gid[15] = (uint8_t)o->lid;
}

struct test_host *test_host_new(struct test_wire *wire, const struct test_host_options *options)
{
	struct test_host *host = base_zalloc(sizeof(*host));
	bool registered;

	if (!host || base_umem_init()) {
		base_free(host);
		return NULL;
	}
	host->options = *options;
	default_gid(&host->options);
	if (!host->options.max_rd_atomic)
		host->options.max_rd_atomic = 16;
	host->rdi = rvt_alloc_device(sizeof(*host->rdi), 1);
	registered = host->rdi && !start(host, wire);
	if (registered && !equip(host))
		return host;
	if (registered) {
		test_host_free(host);
		return NULL;
	}
	tp_engine_free(host->tp);
	if (host->rdi)
		rvt_dealloc_device(host->rdi);
	base_free(host);
	return NULL;
}

void test_host_free(struct test_host *host)
{
	if (!host)
		return;
	if (host->mr)
		ib_dereg_mr(host->mr);
	base_free(host->buffer);
	if (host->pd)
		ib_dealloc_pd(host->pd);
	rvt_unregister_device(host->rdi);
	tp_engine_free(host->tp);
	rvt_dealloc_device(host->rdi);
	base_free(host);
}

static void note_event(struct ib_event *event, void *context)
{
	struct test_qp *qp = context;

	qp->events |= 1u << event->event;
}

static void defaults(struct test_qp_options *o)
{
	if (o->smi)
		o->type = IB_QPT_SMI;
	else if (!o->type)
		o->type = IB_QPT_RC;
	o->mtu = o->mtu ? o->mtu : IB_MTU_1024;
	o->send_wr = o->send_wr ? o->send_wr : 32;
	o->recv_wr = o->recv_wr ? o->recv_wr : 32;
	o->sge = o->sge ? o->sge : 4;
	o->cqe = o->cqe ? o->cqe : TEST_HOST_CQES;
	o->timeout = o->timeout ? o->timeout % 32 : 14;
	o->retry_cnt = o->retry_cnt ? o->retry_cnt % 8 : 7;
	o->rnr_retry = o->rnr_retry ? o->rnr_retry % 8 : 7;
	o->min_rnr_timer = o->min_rnr_timer ? o->min_rnr_timer : 12;
	o->rd_atomic = o->rd_atomic ? o->rd_atomic : 4;
	o->access = o->access ? o->access
			      : IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
					IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |
					IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT;
	o->qkey = o->qkey ? o->qkey : 0x11111111;
}

static struct ib_cq *create_cq(struct test_host *host, int cqe)
{
	const struct ib_cq_init_attr attr = {.cqe = (unsigned int)cqe};
	struct ib_cq *cq = ib_create_cq(&host->rdi->ibdev, NULL, NULL, NULL, &attr);

	return IS_ERR(cq) ? NULL : cq;
}

int test_qp_create(struct test_qp *qp, struct test_host *host,
		   const struct test_qp_options *options)
{
	struct ib_qp_init_attr attr = {.event_handler = note_event, .qp_context = qp};
	struct test_qp_options *o = &qp->options;

	memset(qp, 0, sizeof(*qp));
	qp->host = host;
	*o = *options;
	defaults(o);
	qp->send_cq = create_cq(host, o->cqe);
	qp->recv_cq = create_cq(host, o->cqe);
	if (!qp->send_cq || !qp->recv_cq)
		goto fail;
	attr.send_cq = qp->send_cq;
	attr.recv_cq = qp->recv_cq;
	attr.srq = o->srq;
	attr.cap = (struct ib_qp_cap){.max_send_wr = o->send_wr,
				      .max_recv_wr = o->srq ? 0 : o->recv_wr,
				      .max_send_sge = o->sge,
				      .max_recv_sge = o->srq ? 0 : o->sge};
	attr.sq_sig_type = o->signal_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	attr.qp_type = o->type;
	attr.port_num = 1;
	qp->ib = ib_create_qp(host->pd, &attr);
	if (!IS_ERR(qp->ib))
		return 0;
	qp->ib = NULL;
fail:
	test_qp_destroy(qp);
	return -ENOMEM;
}

void test_qp_destroy(struct test_qp *qp)
{
	if (qp->ib)
		ib_destroy_qp(qp->ib);
	if (qp->send_cq)
		ib_destroy_cq(qp->send_cq);
	if (qp->recv_cq)
		ib_destroy_cq(qp->recv_cq);
	memset(qp, 0, sizeof(*qp));
}

static bool is_datagram(const struct test_qp *qp)
{
	return qp->options.type != IB_QPT_RC && qp->options.type != IB_QPT_UC;
}

int test_qp_init(struct test_qp *qp)
{
	struct ib_qp_attr attr = {.qp_state = IB_QPS_INIT,
				  .port_num = 1,
				  .qp_access_flags = qp->options.access,
				  .qkey = qp->options.qkey};
	int mask = IB_QP_STATE | IB_QP_PKEY_INDEX;

	if (is_datagram(qp))
		mask |= IB_QP_QKEY;
	if (qp->options.type != IB_QPT_SMI && qp->options.type != IB_QPT_GSI)
		mask |= IB_QP_PORT;
	if (!is_datagram(qp))
		mask |= IB_QP_ACCESS_FLAGS;
	return ib_modify_qp(qp->ib, &attr, mask);
}

void test_qp_ah_attr(const struct test_qp *qp, const struct test_host *peer,
		     struct rdma_ah_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->type = RDMA_AH_ATTR_TYPE_IB;
	rdma_ah_set_port_num(attr, 1);
	if (peer->options.lid) {
		rdma_ah_set_dlid(attr, peer->options.lid);
		if (!qp->options.grh)
			return;
	}
	rdma_ah_set_grh(attr, NULL, 0, 0, 64, 0);
	memcpy(attr->grh.dgid.raw, peer->options.gid, sizeof(attr->grh.dgid.raw));
}

int test_qp_rtr(struct test_qp *qp, const struct test_qp *peer)
{
	const struct test_qp_options *o = &qp->options;
	struct ib_qp_attr attr = {.qp_state = IB_QPS_RTR,
				  .path_mtu = o->mtu,
				  .min_rnr_timer = o->min_rnr_timer,
				  .max_dest_rd_atomic = o->rd_atomic};
	int mask = IB_QP_STATE;

	if (!is_datagram(qp)) {
		attr.dest_qp_num = peer->ib->qp_num;
		attr.rq_psn = peer->options.psn;
		test_qp_ah_attr(qp, peer->host, &attr.ah_attr);
		mask |= IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN;
	}
	if (o->type == IB_QPT_RC)
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	return ib_modify_qp(qp->ib, &attr, mask);
}

int test_qp_rts(struct test_qp *qp)
{
	const struct test_qp_options *o = &qp->options;
	struct ib_qp_attr attr = {.qp_state = IB_QPS_RTS,
				  .sq_psn = o->psn,
				  .timeout = o->timeout,
				  .retry_cnt = o->retry_cnt,
				  .rnr_retry = o->rnr_retry,
				  .max_rd_atomic = o->rd_atomic};
	int mask = IB_QP_STATE | IB_QP_SQ_PSN;

	if (o->type == IB_QPT_RC)
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC;
	return ib_modify_qp(qp->ib, &attr, mask);
}

int test_qp_connect(struct test_qp *a, struct test_qp *b)
{
	int ret = test_qp_init(a);

	ret = ret ? ret : test_qp_init(b);
	ret = ret ? ret : test_qp_rtr(a, b);
	ret = ret ? ret : test_qp_rtr(b, a);
	ret = ret ? ret : test_qp_rts(a);
	return ret ? ret : test_qp_rts(b);
}

int test_qp_to(struct test_qp *qp, enum ib_qp_state state)
{
	struct ib_qp_attr attr = {.qp_state = state};

	return ib_modify_qp(qp->ib, &attr, IB_QP_STATE);
}

enum ib_qp_state test_qp_state(const struct test_qp *qp)
{
	return (enum ib_qp_state)ibqp_to_rvtqp(qp->ib)->state;
}

int test_post_recv(struct test_qp *qp, u64 wr_id, u32 offset, u32 bytes)
{
	struct ib_sge sge = {.addr = (uintptr_t)qp->host->buffer + offset,
			     .length = bytes,
			     .lkey = qp->host->mr->lkey};
	const struct ib_recv_wr wr = {.wr_id = wr_id, .sg_list = &sge, .num_sge = bytes ? 1 : 0};

	if (qp->options.srq)
		return ib_post_srq_recv(qp->options.srq, &wr, NULL);
	return ib_post_recv(qp->ib, &wr, NULL);
}

static uint64_t remote_addr(const struct test_wr *t)
{
	return t->remote ? (uintptr_t)t->remote->buffer + t->remote_offset : t->remote_offset;
}

static u32 remote_key(const struct test_wr *t)
{
	return t->rkey || !t->remote ? t->rkey : t->remote->mr->rkey;
}

static int post_atomic(struct test_qp *qp, const struct test_wr *t, const struct ib_send_wr *wr)
{
	const struct ib_atomic_wr atomic = {.wr = *wr,
					    .remote_addr = remote_addr(t),
					    .rkey = remote_key(t),
					    .compare_add = t->compare_add,
					    .swap = t->swap};

	return ib_post_send(qp->ib, &atomic.wr, NULL);
}

static int post_rdma(struct test_qp *qp, const struct test_wr *t, const struct ib_send_wr *wr)
{
	const struct ib_rdma_wr rdma = {
		.wr = *wr, .remote_addr = remote_addr(t), .rkey = remote_key(t)};

	return ib_post_send(qp->ib, &rdma.wr, NULL);
}

static int post_flush(struct test_qp *qp, const struct test_wr *t, const struct ib_send_wr *wr)
{
	struct rvt_flush_wr flush = {.wr = *wr,
				     .remote_addr = remote_addr(t),
				     .length = t->bytes,
				     .rkey = remote_key(t),
				     .type = t->type,
				     .level = t->level};

	flush.wr.num_sge = 0;
	return ib_post_send(qp->ib, &flush.wr, NULL);
}

static int post_ud(struct test_qp *qp, const struct test_wr *t, const struct ib_send_wr *wr)
{
	const struct ib_ud_wr ud = {.wr = *wr,
				    .ah = t->ah,
				    .remote_qpn = t->remote_qpn,
				    .remote_qkey = t->remote_qkey,
				    .pkey_index = t->pkey_index};

	return ib_post_send(qp->ib, &ud.wr, NULL);
}

int test_post_send(struct test_qp *qp, const struct test_wr *t)
{
	struct ib_sge sge = {.addr = (uintptr_t)qp->host->buffer + t->offset,
			     .length = t->bytes,
			     .lkey = qp->host->mr->lkey};
	struct ib_send_wr wr = {.wr_id = t->wr_id,
				.opcode = t->opcode,
				.sg_list = &sge,
				.num_sge = t->bytes ? 1 : 0,
				.send_flags = IB_SEND_SIGNALED | t->flags,
				.ex.imm_data = cpu_to_be32(t->imm)};

	if (t->opcode == IB_WR_SEND_WITH_INV || t->opcode == IB_WR_LOCAL_INV)
		wr.ex.invalidate_rkey = t->imm;
	if (is_datagram(qp))
		return post_ud(qp, t, &wr);
	if (t->opcode == IB_WR_ATOMIC_CMP_AND_SWP || t->opcode == IB_WR_ATOMIC_FETCH_AND_ADD)
		return post_atomic(qp, t, &wr);
	if (t->opcode == IB_WR_RDMA_WRITE || t->opcode == IB_WR_RDMA_WRITE_WITH_IMM ||
	    t->opcode == IB_WR_RDMA_READ || t->opcode == IB_WR_ATOMIC_WRITE)
		return post_rdma(qp, t, &wr);
	if (t->opcode == IB_WR_FLUSH)
		return post_flush(qp, t, &wr);
	return ib_post_send(qp->ib, &wr, NULL);
}

struct ib_mr *test_unmapped_mr(struct test_host *host, int access, char **page)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ib_mr *mr;

	assert_true(at != MAP_FAILED);
	mr = ib_reg_user_mr(host->pd, (uintptr_t)at, 4096, (uintptr_t)at, access);
	assert_false(IS_ERR(mr));
	assert_int_equal(mprotect(at, 4096, PROT_NONE), 0);
	*page = at;
	return mr;
}

bool test_poll(struct ib_cq *cq, struct ib_wc *wc)
{
	return ib_poll_cq(cq, 1, wc) == 1;
}

unsigned int test_turn(uint64_t ns)
{
	const uint64_t until = base_now_ns() + ns;
	unsigned int n = 0;

	for (;;) {
		uint64_t next;

		n += base_host_turn(base_now_ns(), TURN_BUDGET);
		next = base_host_deadline_ns();
		if (next > until)
			break;
		if (next > base_now_ns())
			n += base_host_turn(next, TURN_BUDGET);
	}
	n += base_host_turn(until, TURN_BUDGET);
	return n;
}

static int pair_setup(void **state, bool roce)
{
	static struct test_pair pair;
	struct test_host_options options = {0};

	memset(&pair, 0, sizeof(pair));
	*state = &pair;
	pair.wire = test_wire_new();
	if (!pair.wire)
		return -1;
	for (uint16_t i = 0; i < 2; i++) {
		options.lid = roce ? 0 : (uint16_t)(i + 1);
		if (roce) {
			/* 10.77.0.2 and .3, as in the captures */
			static const uint8_t gid[16] = {[10] = 0xff, 0xff, 10, 77, 0, 2};

			memcpy(options.gid, gid, sizeof(gid));
			options.gid[15] = (uint8_t)(options.gid[15] + i);
		}
		pair.host[i] = test_host_new(pair.wire, &options);
		if (!pair.host[i]) {
			(void)test_pair_teardown(state);
			return -1;
		}
	}
	return 0;
}

int test_pair_setup(void **state)
{
	return pair_setup(state, false);
}

int test_pair_setup_roce(void **state)
{
	return pair_setup(state, true);
}

int test_pair_teardown(void **state)
{
	struct test_pair *pair = *state;

	test_qp_destroy(&pair->a);
	test_qp_destroy(&pair->b);
	test_host_free(pair->host[0]);
	test_host_free(pair->host[1]);
	test_wire_free(pair->wire);
	memset(pair, 0, sizeof(*pair));
	return 0;
}

int test_pair_create(struct test_pair *pair, const struct test_qp_options *a,
		     const struct test_qp_options *b)
{
	const int ret = test_qp_create(&pair->a, pair->host[0], a);

	return ret ? ret : test_qp_create(&pair->b, pair->host[1], b);
}

int test_pair_connect(struct test_pair *pair, const struct test_qp_options *a,
		      const struct test_qp_options *b)
{
	const int ret = test_pair_create(pair, a, b);

	return ret ? ret : test_qp_connect(&pair->a, &pair->b);
}

void test_pair_packet(const struct test_qp *to, const struct test_qp *from, uint8_t opcode,
		      uint32_t at, struct tp_run *run)
{
	memset(run, 0, sizeof(*run));
	run->path.slid = from->host->options.lid;
	run->path.dlid = to->host->options.lid;
	run->path.has_grh = !run->path.slid || from->options.grh;
	if (run->path.has_grh) {
		memcpy(run->path.sgid, from->host->options.gid, sizeof(run->path.sgid));
		memcpy(run->path.dgid, to->host->options.gid, sizeof(run->path.dgid));
	}
	run->dest_qpn = to->ib->qp_num;
	run->pkey = 0xffff;
	run->psn = psn(at);
	run->packets = 1;
	run->first_opcode = run->last_opcode = opcode;
}
