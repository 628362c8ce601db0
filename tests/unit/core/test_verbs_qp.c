/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <rdma/ib_verbs_user.h>

#include "common/core_fixture.h"

static int users_of_pd(const struct core_fixture *f)
{
	return atomic_read(&f->pd->usecnt);
}

static void on_event(struct ib_event *event, void *context)
{
	(void)event;
	(void)context;
}

static void ib_create_qp__fills_the_qp_in(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp_init_attr attr = {
		.send_cq = f->cq,
		.recv_cq = f->cq,
		.cap = {.max_send_wr = 8, .max_send_sge = 6},
		.qp_type = IB_QPT_UC,
		.port_num = 2,
		.event_handler = on_event,
		.qp_context = f,
	};
	struct ib_qp *qp = ib_create_qp(f->pd, &attr);

	assert_ok_ptr(qp);
	assert_ptr_equal(qp->device, f->device);
	assert_ptr_equal(qp->pd, f->pd);
	assert_ptr_equal(qp->send_cq, f->cq);
	assert_ptr_equal(qp->recv_cq, f->cq);
	assert_ptr_equal(qp->real_qp, qp);
	assert_true(qp->event_handler == on_event);
	assert_ptr_equal(qp->qp_context, f);
	assert_int_equal(qp->qp_type, IB_QPT_UC);
	assert_int_equal(qp->port, 2);
	assert_int_equal(qp->max_write_sge, 6);
	assert_int_equal(qp->max_read_sge, 4); /* max_sge_rd of the device */
	assert_false(qp->integrity_en);
	assert_true(list_empty(&qp->rdma_mrs));
	assert_true(list_empty(&qp->sig_mrs));
	assert_int_equal(f->fake->arg[FAKE_CREATE_QP][1], (uintptr_t)&attr);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_create_qp__counts_itself_in_what_it_uses(void **state)
{
	struct core_fixture *f = *state;
	struct ib_srq_init_attr srq_attr = {.attr = {.max_wr = 4}};
	struct ib_srq *srq = ib_create_srq(f->pd, &srq_attr);
	struct ib_qp_init_attr attr = {.send_cq = f->cq, .recv_cq = f->cq, .qp_type = IB_QPT_RC};
	struct ib_qp *qp;

	assert_ok_ptr(srq);
	attr.srq = srq;
	qp = ib_create_qp(f->pd, &attr);
	assert_ok_ptr(qp);
	assert_int_equal(users_of_pd(f), 2);
	assert_int_equal(atomic_read(&f->cq->usecnt), 2);
	assert_int_equal(atomic_read(&srq->usecnt), 1);
	assert_int_equal(ib_destroy_srq_user(srq, NULL), -EBUSY);
	assert_int_equal(ib_destroy_cq_user(f->cq, NULL), -EBUSY);
	assert_int_equal(ib_destroy_qp(qp), 0);
	assert_int_equal(users_of_pd(f), 1);
	assert_int_equal(atomic_read(&f->cq->usecnt), 0);
	assert_int_equal(ib_destroy_srq_user(srq, NULL), 0);
	assert_int_equal(users_of_pd(f), 0);
}

static void ib_create_qp__counts_itself_in_its_rwq_table(void **state)
{
	struct core_fixture *f = *state;
	struct ib_rwq_ind_table table = {.device = f->device};
	struct ib_qp_init_attr attr = {
		.send_cq = f->cq,
		.qp_type = IB_QPT_RAW_PACKET,
		.rwq_ind_tbl = &table,
	};
	struct ib_qp *qp = ib_create_qp(f->pd, &attr);

	assert_ok_ptr(qp);
	assert_int_equal(atomic_read(&table.usecnt), 1);
	assert_int_equal(ib_destroy_qp(qp), 0);
	assert_int_equal(atomic_read(&table.usecnt), 0);
	attr.recv_cq = f->cq;
	assert_ptr_err(ib_create_qp(f->pd, &attr), -EINVAL);
	assert_cause(QP_RWQ_TABLE);
	attr.recv_cq = NULL;
	attr.cap.max_recv_wr = 1;
	assert_ptr_err(ib_create_qp(f->pd, &attr), -EINVAL);
	attr.cap.max_recv_wr = 0;
	attr.cap.max_recv_sge = 1;
	assert_ptr_err(ib_create_qp(f->pd, &attr), -EINVAL);
	assert_int_equal(f->fake->called[FAKE_CREATE_QP], 1);
}

static void ib_create_qp__gives_an_xrc_initiator_no_receive_side(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp_init_attr attr = {
		.send_cq = f->cq,
		.recv_cq = f->cq,
		.srq = (void *)f,
		.qp_type = IB_QPT_XRC_INI,
		.cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_recv_sge = 1},
	};
	struct ib_qp *qp = ib_create_qp(f->pd, &attr);

	assert_ok_ptr(qp);
	assert_null(qp->recv_cq);
	assert_null(qp->srq);
	assert_int_equal(to_fake_qp(qp)->cap.max_recv_wr, 0);
	assert_int_equal(to_fake_qp(qp)->cap.max_recv_sge, 0);
	assert_int_equal(to_fake_qp(qp)->cap.max_send_wr, 4);
	assert_int_equal(atomic_read(&f->cq->usecnt), 1);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_create_qp__wants_integrity_from_a_device_that_has_it(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp_init_attr attr = {
		.send_cq = f->cq,
		.recv_cq = f->cq,
		.qp_type = IB_QPT_RC,
		.create_flags = IB_QP_CREATE_INTEGRITY_EN,
	};
	struct ib_qp *qp;

	assert_ptr_err(ib_create_qp(f->pd, &attr), -EINVAL);
	assert_cause(QP_INTEGRITY);
	f->device->attrs.kernel_cap_flags = IBK_INTEGRITY_HANDOVER;
	qp = ib_create_qp(f->pd, &attr);
	assert_ok_ptr(qp);
	assert_true(qp->integrity_en);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_create_qp__hands_errors_through_and_leaves_nothing(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp_init_attr attr = {.send_cq = f->cq, .recv_cq = f->cq, .qp_type = IB_QPT_RC};

	f->fake->fail[FAKE_CREATE_QP] = -ENOSPC;
	assert_ptr_err(ib_create_qp(f->pd, &attr), -ENOSPC);
	assert_int_equal(users_of_pd(f), 0);
	assert_int_equal(atomic_read(&f->cq->usecnt), 0);
	f->device->ops.create_qp = NULL;
	assert_ptr_err(ib_create_qp(f->pd, &attr), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
}

static void ib_create_qp_kernel__prepares_mrs_for_rdma_rw(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp_init_attr attr = {
		.send_cq = f->cq,
		.recv_cq = f->cq,
		.qp_type = IB_QPT_RC,
		.port_num = 1,
		.cap = {.max_send_wr = 8, .max_rdma_ctxs = 3},
	};
	struct ib_qp *qp;

	f->device->attrs.max_sgl_rd = 1; /* reads are better registered */
	qp = ib_create_qp_kernel(f->pd, &attr, "test");
	assert_ok_ptr(qp);
	assert_true(attr.cap.max_send_wr > 8);
	assert_int_equal(f->fake->called[FAKE_ALLOC_MR], 3);
	assert_int_equal(users_of_pd(f), 4);
	assert_int_equal(ib_destroy_qp(qp), 0);
	assert_int_equal(f->fake->called[FAKE_DEREG_MR], 3);
	assert_int_equal(users_of_pd(f), 0);
	f->fake->fail[FAKE_ALLOC_MR] = -ENOSPC;
	attr.cap.max_send_wr = 8;
	assert_ptr_err(ib_create_qp_kernel(f->pd, &attr, "test"), -ENOSPC);
	assert_int_equal(f->fake->called[FAKE_DESTROY_QP], 2);
	assert_int_equal(users_of_pd(f), 0);
}

static void ib_create_qp_user__makes_the_programs_qp(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp_init_attr attr = {.send_cq = f->cq, .recv_cq = f->cq, .qp_type = IB_QPT_UD};
	struct ib_udata udata = {.inlen = 0};
	struct ib_uqp_object *object = (void *)&attr;
	struct ib_qp *qp = ib_create_qp_user(f->device, f->pd, &attr, &udata, object, "test");

	assert_ok_ptr(qp);
	assert_ptr_equal(qp->uobject, object);
	assert_ptr_equal(qp->real_qp, qp);
	assert_int_equal(f->fake->arg[FAKE_CREATE_QP][2], (uintptr_t)&udata);
	assert_int_equal(users_of_pd(f), 1);
	assert_int_equal(ib_destroy_qp_user(qp, &udata), 0);
	assert_int_equal(f->fake->arg[FAKE_DESTROY_QP][1], (uintptr_t)&udata);
	assert_int_equal(users_of_pd(f), 0);
}

static void ib_query_qp__asks_the_provider(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);
	struct ib_qp_attr attr = {.ah_attr.grh.sgid_attr = (void *)1,
				  .alt_ah_attr.grh.sgid_attr = (void *)1};
	struct ib_qp_init_attr init_attr;

	assert_int_equal(ib_query_qp(qp, &attr, IB_QP_STATE, &init_attr), 0);
	assert_int_equal(f->fake->arg[FAKE_QUERY_QP][0], (uintptr_t)qp);
	assert_int_equal(f->fake->arg[FAKE_QUERY_QP][2], IB_QP_STATE);
	assert_int_equal(attr.qp_state, IB_QPS_RESET);
	assert_int_equal(init_attr.qp_type, IB_QPT_RC);
	assert_null(attr.ah_attr.grh.sgid_attr);
	assert_null(attr.alt_ah_attr.grh.sgid_attr);
	f->fake->fail[FAKE_QUERY_QP] = -EIO;
	assert_int_equal(ib_query_qp(qp, &attr, IB_QP_STATE, &init_attr), -EIO);
	f->device->ops.query_qp = NULL;
	assert_int_equal(ib_query_qp(qp, &attr, IB_QP_STATE, &init_attr), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_destroy_qp__refuses_while_it_has_users(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_UD);
	union ib_gid gid = {.raw = {0xff, 0x12}};

	assert_int_equal(ib_attach_mcast(qp, &gid, 0xc001), 0);
	assert_int_equal(ib_destroy_qp(qp), -EBUSY);
	assert_cause(QP_IN_USE);
	assert_int_equal(base_cause_last()->qpn, qp->qp_num);
	assert_int_equal(f->fake->called[FAKE_DESTROY_QP], 0);
	assert_int_equal(ib_detach_mcast(qp, &gid, 0xc001), 0);
	assert_int_equal(ib_destroy_qp(qp), 0);
	assert_int_equal(f->fake->called[FAKE_DESTROY_QP], 1);
}

static void ib_destroy_qp_user__keeps_the_qp_when_the_provider_does(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);

	f->fake->fail[FAKE_DESTROY_QP] = -EBUSY;
	assert_int_equal(ib_destroy_qp_user(qp, NULL), -EBUSY);
	assert_int_equal(users_of_pd(f), 1);
	f->fake->fail[FAKE_DESTROY_QP] = 0;
	assert_int_equal(ib_destroy_qp_user(qp, NULL), 0);
	assert_int_equal(users_of_pd(f), 0);
}

#define WITH_DEVICE(test) cmocka_unit_test_setup_teardown(test, core_setup_ib, core_teardown)

static const struct CMUnitTest tests[] = {
	WITH_DEVICE(ib_create_qp__fills_the_qp_in),
	WITH_DEVICE(ib_create_qp__counts_itself_in_what_it_uses),
	WITH_DEVICE(ib_create_qp__counts_itself_in_its_rwq_table),
	WITH_DEVICE(ib_create_qp__gives_an_xrc_initiator_no_receive_side),
	WITH_DEVICE(ib_create_qp__wants_integrity_from_a_device_that_has_it),
	WITH_DEVICE(ib_create_qp__hands_errors_through_and_leaves_nothing),
	WITH_DEVICE(ib_create_qp_kernel__prepares_mrs_for_rdma_rw),
	WITH_DEVICE(ib_create_qp_user__makes_the_programs_qp),
	WITH_DEVICE(ib_query_qp__asks_the_provider),
	WITH_DEVICE(ib_destroy_qp__refuses_while_it_has_users),
	WITH_DEVICE(ib_destroy_qp_user__keeps_the_qp_when_the_provider_does),
};

int main(void)
{
	return verbena_test_main(tests);
}
