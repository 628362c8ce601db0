// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Queue pairs come and go. */
#include "rdmavt/qp.c"

#include <linux/bitops.h>
#include <pthread.h>

#include "common/process.h"
#include "qp_fixture.h"

/* What rvt_create_qp() must refuse. */
static void refused(struct fixture *f, struct ib_qp_init_attr attr, int err, const char *cause)
{
	struct fake_rvt_end end = {0};

	assert_int_equal(fake_rvt_end_init(&end, f->pd, &attr), err);
	assert_contains(last_cause(), cause);
	assert_int_equal(f->fake->rdi.n_qps_allocated, 0);
	assert_int_equal(f->fake->privs, 0);
}

static void get_allowed_ops__class_of_opcodes(void **state)
{
	(void)state;
	assert_int_equal(get_allowed_ops(IB_QPT_RC), 0x00);
	assert_int_equal(get_allowed_ops(IB_QPT_UC), 0x20);
	assert_int_equal(get_allowed_ops(IB_QPT_UD), 0x60);
	assert_int_equal(get_allowed_ops(IB_QPT_SMI), 0x60);
	assert_int_equal(get_allowed_ops(IB_QPT_GSI), 0x60);
}

static void create_qp__refusals(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC, .cap = {8, 8, 1, 1, 0, 0}};

	attr.create_flags = IB_QP_CREATE_NETDEV_USE << 1;
	refused(f, attr, -EOPNOTSUPP, "has bits the device does not know");
	attr.create_flags = 0;
	attr.cap.max_send_wr = 1025;
	refused(f, attr, -EINVAL, "a send queue of 1025 requests with 1 SGEs; 1024 and 8");
	attr.cap.max_send_wr = 8;
	attr.cap.max_send_sge = 9;
	refused(f, attr, -EINVAL, "with 9 SGEs");
	attr.cap.max_send_sge = 1;
	attr.cap.max_recv_wr = 1025;
	refused(f, attr, -EINVAL, "a receive queue of 1025 requests");
	attr.cap.max_recv_wr = 8;
	attr.cap.max_recv_sge = 9;
	refused(f, attr, -EINVAL, "a receive queue of 8 requests with 9 SGEs");
	attr.cap.max_recv_sge = 1;
	attr.cap.max_inline_data = RVT_MAX_INLINE_BYTES + 1;
	refused(f, attr, -EINVAL, "513 bytes of inline data; at most 512");
	attr.cap.max_inline_data = 0;
	attr.qp_type = IB_QPT_RAW_PACKET;
	refused(f, attr, -EOPNOTSUPP, "no QPs of type RAW_PACKET");
	attr.qp_type = IB_QPT_GSI;
	refused(f, attr, -EINVAL, "a GSI QP on port 0; the device has ports 1 to 2");
	attr.port_num = 3;
	refused(f, attr, -EINVAL, "a GSI QP on port 3");
}

static void refused_here(struct ib_pd *pd, struct ib_qp_init_attr attr, const char *cause)
{
	struct ib_qp *qp = ib_create_qp(pd, &attr);

	assert_int_equal(PTR_ERR(qp), -EINVAL);
	assert_contains(last_cause(), cause);
}

/* A QP that has nowhere to complete to would find out when it completes. */
static void create_qp__needs_cqs_of_its_device(void **state)
{
	static struct ib_device other;
	struct fixture *f = *state;
	struct ib_cq cq = {.device = &f->fake->rdi.ibdev}, elsewhere = {.device = &other};
	struct ib_srq srq = {.device = &other};
	struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC, .cap = {8, 8, 1, 1, 0, 0}};

	attr.recv_cq = &cq;
	refused_here(f->pd, attr, "without a CQ for each of its queues");
	attr.send_cq = &cq;
	attr.recv_cq = NULL;
	refused_here(f->pd, attr, "without a CQ for each of its queues");
	attr.recv_cq = &elsewhere;
	refused_here(f->pd, attr, "of another device");
	attr.send_cq = &elsewhere;
	attr.recv_cq = &cq;
	refused_here(f->pd, attr, "of another device");
	attr.send_cq = &cq;
	attr.srq = &srq;
	refused_here(f->pd, attr, "of another device");
}

/* The fixture fills in capacities of 0, so this goes straight to rdmavt. */
static void create_qp__without_any_queue_is_refused(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = base_zalloc(sizeof(*qp));
	struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC};

	assert_non_null(qp);
	assert_int_equal(rvt_create_qp(&qp->ibqp, &attr, NULL), -EINVAL);
	assert_contains(last_cause(), "a QP without a device");
	qp->ibqp.device = &f->fake->rdi.ibdev;
	assert_int_equal(rvt_create_qp(&qp->ibqp, &attr, NULL), -EINVAL);
	assert_contains(last_cause(), "whose queues hold no request");
	base_free(qp);
}

static void create_qp__driver_may_fail(void **state)
{
	struct fixture *f = *state;
	const struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC};
	struct fake_rvt_end end = {0};

	f->fake->priv_error = -EBUSY;
	assert_int_equal(fake_rvt_end_init(&end, f->pd, &attr), -EBUSY);
	f->fake->priv_error = 0;
	f->fake->priv_init_error = -EPERM;
	assert_int_equal(fake_rvt_end_init(&end, f->pd, &attr), -EPERM);
	assert_int_equal(f->fake->privs, 0);
	f->fake->priv_init_error = 0;
	/* The number of the one that failed was given back. */
	assert_false(test_bit(2, f->fake->rdi.qp_dev->qpn_table.map[0].page));
}

static int fixture_room_for_two(void **state)
{
	return fixture_device(state, &(struct fake_rvt_options){.max_qp = 2});
}

static void create_qp__at_most_max_qp(void **state)
{
	struct fixture *f = *state;
	const struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC};
	struct fake_rvt_end more = {0};

	assert_int_equal(fake_rvt_end_init(&f->a, f->pd, &attr), 0);
	assert_int_equal(fake_rvt_end_init(&f->b, f->pd, &attr), 0);
	assert_int_equal(fake_rvt_end_init(&more, f->pd, &attr), -ENOMEM);
	assert_contains(last_cause(), "all 2 QPs of the device exist");
	assert_int_equal(f->fake->privs, 2);
}

static void create_qp__is_in_reset_with_what_was_asked_for(void **state)
{
	struct fixture *f = *state;
	const struct ib_qp_init_attr attr = {
		.qp_type = IB_QPT_RC, .sq_sig_type = IB_SIGNAL_REQ_WR, .cap = {5, 6, 2, 3, 33, 0}};
	struct ib_qp_attr got;
	struct ib_qp_init_attr init;
	struct rvt_qp *qp;

	assert_int_equal(fake_rvt_end_init(&f->a, f->pd, &attr), 0);
	qp = qp_a(f);
	assert_int_equal(qp->state, IB_QPS_RESET);
	assert_int_equal(f->a.qp->qp_num, 2);
	assert_int_equal(qp->s_size, 6);
	assert_int_equal(qp->s_avail, 5);
	assert_int_equal(qp->s_flags, RVT_S_SIGNAL_REQ_WR);
	assert_non_null(qp->s_ack_queue);
	assert_int_equal(atomic_read(&qp->refcount), 0);
	assert_int_equal(ib_query_qp(f->a.qp, &got, 0, &init), 0);
	assert_int_equal(got.cap.max_send_wr, 5);
	assert_int_equal(got.cap.max_recv_wr, 6);
	assert_int_equal(got.cap.max_send_sge, 2);
	assert_int_equal(got.cap.max_recv_sge, 3);
	assert_int_equal(got.cap.max_inline_data, 48);
	assert_int_equal(init.sq_sig_type, IB_SIGNAL_REQ_WR);
	assert_false(rvt_is_user_qp(qp));
}

/* cap.max_inline_data tells what there is. */
static void create_qp__answers_max_inline_data(void **state)
{
	struct fixture *f = *state;
	const struct ib_cq_init_attr cq_attr = {.cqe = 4};
	struct ib_cq *cq = ib_create_cq(&f->fake->rdi.ibdev, NULL, NULL, NULL, &cq_attr);
	struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC, .cap = {8, 8, 1, 1, 220, 0}};
	struct ib_qp *qp;

	assert_false(IS_ERR(cq));
	attr.send_cq = attr.recv_cq = cq;
	qp = ib_create_qp(f->pd, &attr);
	if (!IS_ERR(qp)) {
		assert_int_equal(attr.cap.max_inline_data, 224);
		assert_int_equal(ib_destroy_qp(qp), 0);
	}
	ib_destroy_cq(cq);
}

static void create_qp__netdev_numbers_have_a_prefix(void **state)
{
	struct fixture *f = *state;
	const struct ib_qp_init_attr attr = {.qp_type = IB_QPT_UD,
					     .create_flags = IB_QP_CREATE_NETDEV_USE};
	struct ib_qp_attr got;
	struct ib_qp_init_attr init;

	assert_int_equal(fake_rvt_end_init(&f->a, f->pd, &attr), 0);
	assert_int_equal(f->a.qp->qp_num, 0x810002);
	assert_int_equal(ib_query_qp(f->a.qp, &got, 0, &init), 0);
	assert_int_equal(init.create_flags, IB_QP_CREATE_NETDEV_USE);
}

static void alloc_ud_wq_attr__datagram_slots_have_room_for_addresses(void **state)
{
	struct fixture *f = *state;
	const struct ib_qp_init_attr attr = {.qp_type = IB_QPT_UD};

	assert_int_equal(fake_rvt_end_init(&f->a, f->pd, &attr), 0);
	for (u32 i = 0; i < qp_a(f)->s_size; i++)
		assert_non_null(rvt_get_swqe_ptr(qp_a(f), i)->ud_wr.attr);
	assert_null(qp_a(f)->s_ack_queue);
}

static void free_ud_wq_attr__of_every_slot(void **state)
{
	struct fixture *f = *state;
	const struct ib_qp_init_attr attr = {.qp_type = IB_QPT_UD};
	struct rvt_qp *qp;

	assert_int_equal(fake_rvt_end_init(&f->a, f->pd, &attr), 0);
	qp = qp_a(f);
	free_ud_wq_attr(qp);
	for (u32 i = 0; i < qp->s_size; i++)
		assert_null(rvt_get_swqe_ptr(qp, i)->ud_wr.attr);
	assert_int_equal(alloc_ud_wq_attr(qp, 0), 0);
}

/* What lies there in a connected QP's slot is something else. */
static void free_ud_wq_attr__not_of_a_connected_qp(void **state)
{
	struct fixture *f = *state;
	const struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC};
	struct rvt_swqe *wqe;

	assert_int_equal(fake_rvt_end_init(&f->a, f->pd, &attr), 0);
	wqe = rvt_get_swqe_ptr(qp_a(f), 0);
	memset(&wqe->ud_wr, 0x5a, sizeof(wqe->ud_wr));
	free_ud_wq_attr(qp_a(f));
	assert_non_null(wqe->ud_wr.attr);
	assert_int_equal(alloc_ud_wq_attr(qp_a(f), 0), 0);
	assert_non_null(wqe->ud_wr.attr);
}

/* Every RC QP makes timeouts longer, by steps of 5. */
static void create_qp__rc_qps_are_counted(void **state)
{
	struct fixture *f = *state;
	const struct ib_qp_init_attr rc = {.qp_type = IB_QPT_RC}, uc = {.qp_type = IB_QPT_UC};
	struct rvt_dev_info *rdi = &f->fake->rdi;
	struct fake_rvt_end end[6] = {{0}};
	int made = 0;

	assert_int_equal(fake_rvt_end_init(&f->a, f->pd, &uc), 0);
	while (made < 6 && !fake_rvt_end_init(&end[made], f->pd, &rc))
		made++;
	if (made == 6) {
		assert_int_equal(rdi->n_qps_allocated, 7);
		assert_int_equal(rdi->n_rc_qps, 6);
		assert_int_equal(rdi->busy_jiffies, 1);
	}
	for (int i = 0; i < made; i++)
		fake_rvt_end_exit(&end[i]);
	assert_int_equal(rdi->n_rc_qps, 0);
	assert_int_equal(rdi->busy_jiffies, 0);
	assert_int_equal(made, 6);
}

static void create_qp__special_qp_can_be_made_again(void **state)
{
	struct fixture *f = *state;
	const struct ib_qp_init_attr attr = {.qp_type = IB_QPT_SMI, .port_num = 1};

	assert_int_equal(fake_rvt_end_init(&f->a, f->pd, &attr), 0);
	assert_int_equal(f->a.qp->qp_num, 0);
	assert_int_equal(fake_rvt_end_init(&f->b, f->pd, &attr), -EINVAL);
	assert_contains(last_cause(), "port 1 has its QP 0 already");
	fake_rvt_end_exit(&f->a);
	assert_int_equal(fake_rvt_end_init(&f->b, f->pd, &attr), 0);
}

/* The answer to a process: where its receive ring can be mapped. */
static void create_qp__process_gets_a_ring_to_map(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = base_zalloc(sizeof(*qp));
	struct ib_cq cq = {.device = &f->fake->rdi.ibdev};
	struct ib_qp_init_attr attr = {
		.qp_type = IB_QPT_RC, .cap = {8, 8, 1, 1, 0, 0}, .send_cq = &cq, .recv_cq = &cq};
	__u64 offset = 0;
	struct process p;
	int ret;

	assert_non_null(qp);
	qp->ibqp.device = &f->fake->rdi.ibdev;
	qp->ibqp.qp_type = IB_QPT_RC;
	process_init(&p, &f->fake->rdi.ibdev);
	ret = rvt_create_qp(&qp->ibqp, &attr, process_call(&p, 0, sizeof(offset)));
	if (!ret) {
		assert_true(rvt_is_user_qp(qp));
		assert_non_null(qp->r_rq.wq);
		memcpy(&offset, p.answer, sizeof(offset));
		assert_ptr_equal(process_map(&p, offset, PAGE_SIZE), qp->r_rq.wq);
		assert_int_equal(rvt_destroy_qp(&qp->ibqp, NULL), 0);
	}
	base_free(qp);
	assert_int_equal(ret, 0);
	assert_int_equal(p.live, 0);
}

/* Destroying */

static void *let_go(void *arg)
{
	struct rvt_qp *qp = arg;

	while (rvt_qp_state(qp) != IB_QPS_RESET)
		sched_yield();
	for (int i = 0; i < 100; i++)
		sched_yield();
	rvt_put_qp(qp);
	return NULL;
}

static void destroy_qp__waits_for_the_last_reference(void **state)
{
	struct fixture *f = *state;
	pthread_t thread;

	rvt_get_qp(qp_a(f));
	assert_int_equal(pthread_create(&thread, NULL, let_go, qp_a(f)), 0);
	fake_rvt_end_exit(&f->a);
	pthread_join(thread, NULL);
	assert_int_equal(f->fake->privs, 1);
}

static void destroy_qp__discards_what_is_outstanding(void **state)
{
	struct fixture *f = *state;
	const struct rvt_mregion *mr = &container_of(f->mr, struct rvt_mr, ibmr)->mr;
	const s64 references = atomic64_read(&mr->refcount.count);
	struct ib_qp *qp = f->a.qp;
	struct ib_wc wc;

	f->fake->manual = true;
	assert_int_equal(post_send(f, qp, 1, 10), 0);
	assert_int_equal(post_recv(f, qp, 2, 10), 0);
	f->a.qp = NULL;
	assert_int_equal(ib_destroy_qp(qp), 0);
	assert_int_equal(atomic64_read(&mr->refcount.count), references);
	assert_int_equal(fake_rvt_poll(f->a.send_cq, &wc), 0);
	assert_int_equal(fake_rvt_poll(f->a.recv_cq, &wc), 0);
	ib_destroy_cq(f->a.send_cq);
	ib_destroy_cq(f->a.recv_cq);
}

/* 16 KiB a QP beyond the bytes of its rings, of which the fixture's driver has a few. */
static void create_qp__memory_of_a_connected_qp(void **state)
{
	struct fixture *f = *state;
	const struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC, .cap = {32, 32, 1, 1, 0, 0}};
	const size_t rings = 33 * (sizeof(struct rvt_swqe) + sizeof(struct rvt_sge)) +
			     33 * (sizeof(struct rvt_rwqe) + sizeof(struct rvt_wqe_sge));
	size_t before, bytes;

	assert_int_equal(fake_rvt_end_init(&f->a, f->pd, &attr), 0);
	before = base_alloc_live_bytes();
	f->b.send_cq = f->a.send_cq;
	f->b.recv_cq = f->a.recv_cq;
	assert_int_equal(fake_rvt_end_init(&f->b, f->pd, &attr), 0);
	bytes = base_alloc_live_bytes() - before;
	assert_true(bytes - rings < 4096);
	assert_int_equal(ib_destroy_qp(f->b.qp), 0);
	f->b = (struct fake_rvt_end){0};
}

#define BARE(test) cmocka_unit_test_setup_teardown(test, fixture_bare, fixture_down)
#define RC(test) cmocka_unit_test_setup_teardown(test, fixture_rc, fixture_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(get_allowed_ops__class_of_opcodes),
		BARE(create_qp__refusals),
		BARE(create_qp__needs_cqs_of_its_device),
		BARE(create_qp__without_any_queue_is_refused),
		BARE(create_qp__driver_may_fail),
		cmocka_unit_test_setup_teardown(create_qp__at_most_max_qp, fixture_room_for_two,
						fixture_down),
		BARE(create_qp__is_in_reset_with_what_was_asked_for),
		BARE(create_qp__answers_max_inline_data),
		BARE(create_qp__netdev_numbers_have_a_prefix),
		BARE(alloc_ud_wq_attr__datagram_slots_have_room_for_addresses),
		BARE(free_ud_wq_attr__of_every_slot),
		BARE(free_ud_wq_attr__not_of_a_connected_qp),
		BARE(create_qp__rc_qps_are_counted),
		BARE(create_qp__special_qp_can_be_made_again),
		BARE(create_qp__process_gets_a_ring_to_map),
		RC(destroy_qp__waits_for_the_last_reference),
		RC(destroy_qp__discards_what_is_outstanding),
		BARE(create_qp__memory_of_a_connected_qp),
	};

	return verbena_test_main(tests);
}
