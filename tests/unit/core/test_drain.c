/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <rdma/ib_cache.h>

#include "common/core_fixture.h"

static struct ib_cq *make_cq(struct core_fixture *f, enum ib_poll_context context)
{
	struct ib_cq *cq = ib_alloc_cq(f->device, NULL, 16, 0, context);

	assert_ok_ptr(cq);
	return cq;
}

static struct ib_qp *make_qp(struct core_fixture *f, struct ib_cq *cq, enum ib_qp_type type,
			     struct ib_srq *srq)
{
	struct ib_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.srq = srq,
		.qp_type = type,
		.port_num = 1,
	};
	struct ib_qp *qp = ib_create_qp(f->pd, &attr);

	assert_ok_ptr(qp);
	to_fake_qp(qp)->state = IB_QPS_RTS;
	return qp;
}

/* A request of the user's, which completes before the marker. */
struct request {
	struct ib_cqe cqe;
	unsigned int done;
};

static void on_done(struct ib_cq *cq, struct ib_wc *wc)
{
	(void)cq;
	container_of(wc->wr_cqe, struct request, cqe)->done++;
}

static void ib_drain_sq__waits_for_a_write_in_err(void **state)
{
	struct core_fixture *f = *state;
	struct ib_cq *cq = make_cq(f, IB_POLL_WORKQUEUE);
	struct ib_qp *qp = make_qp(f, cq, IB_QPT_RC, NULL);

	ib_drain_sq(qp);
	assert_int_equal(to_fake_qp(qp)->state, IB_QPS_ERR);
	assert_int_equal(f->fake->arg[FAKE_MODIFY_QP][2], IB_QP_STATE);
	assert_int_equal(f->fake->send_wrs, 1);
	assert_int_equal(f->fake->last_send.opcode, IB_WR_RDMA_WRITE);
	assert_int_equal(f->fake->last_send.num_sge, 0);
	assert_int_equal(to_fake_cq(cq)->count, 0);
	assert_int_equal(ib_destroy_qp(qp), 0);
	ib_free_cq(cq);
}

static void ib_drain_sq__polls_a_direct_cq_itself(void **state)
{
	struct core_fixture *f = *state;
	struct ib_cq *cq = make_cq(f, IB_POLL_DIRECT);
	struct ib_qp *qp = make_qp(f, cq, IB_QPT_RC, NULL);
	struct request request = {.cqe.done = on_done};
	const struct ib_wc wc = {.wr_cqe = &request.cqe, .status = IB_WC_WR_FLUSH_ERR};

	assert_true(fake_cq_push(cq, &wc, false));
	ib_drain_sq(qp);
	assert_int_equal(request.done, 1);
	assert_int_equal(to_fake_cq(cq)->count, 0);
	assert_int_equal(ib_destroy_qp(qp), 0);
	ib_free_cq(cq);
}

/* [sm 7.8]: UD has no RDMA WRITE. */
static void ib_drain_sq__sends_to_itself_on_datagram_qps(void **state)
{
	static const enum ib_qp_type types[] = {IB_QPT_UD, IB_QPT_GSI, IB_QPT_SMI};
	struct core_fixture *f = *state;
	struct ib_cq *cq = make_cq(f, IB_POLL_DIRECT);

	for (unsigned int i = 0; i < 3; i++) {
		struct ib_qp *qp = make_qp(f, cq, types[i], NULL);

		ib_drain_sq(qp);
		assert_int_equal(f->fake->send_wrs, i + 1);
		assert_int_equal(f->fake->last_send.opcode, IB_WR_SEND);
		assert_non_null(f->fake->last_ah);
		assert_int_equal(rdma_ah_get_dlid(&f->fake->last_address), 0x10); /* its own */
		assert_int_equal(f->fake->called[FAKE_CREATE_AH], i + 1);
		assert_int_equal(f->fake->called[FAKE_DESTROY_AH], i + 1);
		assert_int_equal(ib_destroy_qp(qp), 0);
	}
	assert_int_equal(atomic_read(&f->pd->usecnt), 0);
	ib_free_cq(cq);
}

static void ib_drain_sq__brings_a_grh_on_roce(void **state)
{
	struct core_fixture *f = *state;
	struct ib_cq *cq = make_cq(f, IB_POLL_DIRECT);
	struct ib_qp *qp = make_qp(f, cq, IB_QPT_UD, NULL);
	union ib_gid gid;

	assert_int_equal(rdma_query_gid(f->device, 1, 0, &gid), 0);
	ib_drain_sq(qp);
	assert_int_equal(f->fake->send_wrs, 1);
	assert_memory_equal(&f->fake->last_address.grh.dgid, &gid, sizeof(gid));
	assert_int_equal(ib_destroy_qp(qp), 0);
	ib_free_cq(cq);
}

static void ib_drain_sq__gives_up_when_refused(void **state)
{
	struct core_fixture *f = *state;
	struct ib_cq *cq = make_cq(f, IB_POLL_DIRECT);
	struct ib_qp *qp = make_qp(f, cq, IB_QPT_RC, NULL);

	f->fake->fail[FAKE_MODIFY_QP] = -EINVAL; /* as from RESET */
	ib_drain_sq(qp);
	assert_int_equal(f->fake->called[FAKE_POST_SEND], 0);
	f->fake->fail[FAKE_MODIFY_QP] = 0;
	f->fake->fail[FAKE_POST_SEND] = -ENOMEM;
	ib_drain_sq(qp);
	assert_int_equal(f->fake->called[FAKE_POST_SEND], 1);
	assert_int_equal(ib_destroy_qp(qp), 0);
	qp = make_qp(f, cq, IB_QPT_UD, NULL);
	f->fake->fail[FAKE_CREATE_AH] = -ENOSPC; /* nothing to send to */
	ib_drain_sq(qp);
	f->fake->fail[FAKE_QUERY_PORT] = -EIO;
	ib_drain_sq(qp);
	assert_int_equal(f->fake->called[FAKE_POST_SEND], 1);
	assert_int_equal(ib_destroy_qp(qp), 0);
	ib_free_cq(cq);
}

/* The owner of such a CQ would get the marker, and nobody would wake the one who waits. */
static void ib_drain_qp__refuses_a_cq_that_core_does_not_poll(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = make_qp(f, f->cq, IB_QPT_RC, NULL);

	ib_drain_qp(qp);
	assert_cause(DRAIN_CQ);
	assert_int_equal(f->fake->called[FAKE_MODIFY_QP], 0);
	assert_int_equal(f->fake->called[FAKE_POST_SEND], 0);
	assert_int_equal(f->fake->called[FAKE_POST_RECV], 0);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void drained(struct ib_qp *qp)
{
	to_fake(qp->device)->mcast++;
}

static void ib_drain_sq__prefers_the_providers_way(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);

	f->device->ops.drain_sq = drained;
	ib_drain_sq(qp);
	assert_int_equal(f->fake->mcast, 1);
	assert_int_equal(f->fake->called[FAKE_MODIFY_QP], 0);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_drain_rq__waits_for_an_empty_receive(void **state)
{
	struct core_fixture *f = *state;
	struct ib_cq *cq = make_cq(f, IB_POLL_DIRECT);
	struct ib_qp *qp = make_qp(f, cq, IB_QPT_RC, NULL);

	ib_drain_rq(qp);
	assert_int_equal(to_fake_qp(qp)->state, IB_QPS_ERR);
	assert_int_equal(f->fake->recv_wrs, 1);
	assert_int_equal(f->fake->send_wrs, 0);
	assert_int_equal(to_fake_cq(cq)->count, 0);
	f->fake->fail[FAKE_POST_RECV] = -EINVAL;
	ib_drain_rq(qp);
	f->device->ops.drain_rq = drained;
	ib_drain_rq(qp);
	assert_int_equal(f->fake->mcast, 1);
	assert_int_equal(ib_destroy_qp(qp), 0);
	ib_free_cq(cq);
}

static void ib_drain_qp__drains_both_queues(void **state)
{
	struct core_fixture *f = *state;
	struct ib_cq *cq = make_cq(f, IB_POLL_WORKQUEUE);
	struct ib_qp *qp = make_qp(f, cq, IB_QPT_RC, NULL);

	ib_drain_qp(qp);
	assert_int_equal(f->fake->send_wrs, 1);
	assert_int_equal(f->fake->recv_wrs, 1);
	assert_int_equal(ib_destroy_qp(qp), 0);
	ib_free_cq(cq);
}

static void ib_drain_qp__leaves_a_shared_receive_queue_alone(void **state)
{
	struct core_fixture *f = *state;
	struct ib_cq *cq = make_cq(f, IB_POLL_DIRECT);
	struct ib_srq_init_attr attr = {.attr = {.max_wr = 4}};
	struct ib_srq *srq = ib_create_srq(f->pd, &attr);
	struct ib_qp *qp;

	assert_ok_ptr(srq);
	qp = make_qp(f, cq, IB_QPT_RC, srq);
	ib_drain_qp(qp);
	assert_int_equal(f->fake->send_wrs, 1);
	assert_int_equal(f->fake->recv_wrs, 0);
	assert_int_equal(ib_destroy_qp(qp), 0);
	ib_destroy_srq(srq);
	ib_free_cq(cq);
}

#define ON_IB(test) cmocka_unit_test_setup_teardown(test, core_setup_ib, core_teardown)
#define ON_ROCE(test) cmocka_unit_test_setup_teardown(test, core_setup_roce, core_teardown)

static const struct CMUnitTest tests[] = {
	ON_IB(ib_drain_sq__waits_for_a_write_in_err),
	ON_IB(ib_drain_sq__polls_a_direct_cq_itself),
	ON_IB(ib_drain_sq__sends_to_itself_on_datagram_qps),
	ON_ROCE(ib_drain_sq__brings_a_grh_on_roce),
	ON_IB(ib_drain_sq__gives_up_when_refused),
	ON_IB(ib_drain_qp__refuses_a_cq_that_core_does_not_poll),
	ON_IB(ib_drain_sq__prefers_the_providers_way),
	ON_IB(ib_drain_rq__waits_for_an_empty_receive),
	ON_IB(ib_drain_qp__drains_both_queues),
	ON_IB(ib_drain_qp__leaves_a_shared_receive_queue_alone),
};

int main(void)
{
	return verbena_test_main(tests);
}
