/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the inlines around PDs, QPs, SRQs, CQs and AHs pass on. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <rdma/ib_verbs_queues.h>

#include "common/test.h"

#define RESULT ((void *)0x1000)

/* What stands behind the inlines: says how it was called, and returns what the test wants. */
static char called[200];
static int result;
static struct ib_device device;
static struct ib_pd pd;
static struct ib_qp qp;
static struct ib_srq srq = {.device = &device};
static struct ib_cq cq = {.device = &device};
static struct ib_ah ah;

static const char *name(const void *p)
{
	if (!p)
		return "NULL";
	return p == &device ? "device"
	       : p == &pd   ? "pd"
	       : p == &qp   ? "qp"
	       : p == &srq  ? "srq"
	       : p == &cq   ? "cq"
	       : p == &ah   ? "ah"
			    : "?";
}

static int setup(void **state)
{
	(void)state;
	called[0] = '\0';
	result = 0;
	return 0;
}

void base_warn(const char *file, int line, const char *condition)
{
	(void)file;
	(void)line;
	(void)condition;
	const size_t length = strlen(called);

	snprintf(called + length, sizeof(called) - length, " warned");
}

/* The words that follow a warning. */
void base_log(int level, const char *format, ...)
{
	assert_int_equal(level, 4);
	assert_non_null(strstr(format, "a kernel user's"));
}

#define SAY(...) snprintf(called, sizeof(called), __VA_ARGS__)

struct ib_pd *__ib_alloc_pd(struct ib_device *d, unsigned int flags, const char *caller)
{
	SAY("__ib_alloc_pd %s %u %s", name(d), flags, caller);
	return RESULT;
}

int ib_dealloc_pd_user(struct ib_pd *p, struct ib_udata *udata)
{
	SAY("ib_dealloc_pd_user %s %s", name(p), name(udata));
	return result;
}

struct ib_qp *ib_create_qp_kernel(struct ib_pd *p, struct ib_qp_init_attr *attr, const char *caller)
{
	(void)attr;
	SAY("ib_create_qp_kernel %s %s", name(p), caller);
	return RESULT;
}

int ib_destroy_qp_user(struct ib_qp *q, struct ib_udata *udata)
{
	SAY("ib_destroy_qp_user %s %s", name(q), name(udata));
	return result;
}

struct ib_srq *ib_create_srq_user(struct ib_pd *p, struct ib_srq_init_attr *attr,
				  struct ib_usrq_object *uobject, struct ib_udata *udata)
{
	(void)attr;
	SAY("ib_create_srq_user %s %s %s", name(p), name(uobject), name(udata));
	return RESULT;
}

int ib_destroy_srq_user(struct ib_srq *s, struct ib_udata *udata)
{
	SAY("ib_destroy_srq_user %s %s", name(s), name(udata));
	return result;
}

struct ib_cq *__ib_alloc_cq(struct ib_device *dev, void *priv, int nr_cqe, int comp_vector,
			    enum ib_poll_context poll_ctx, const char *caller)
{
	SAY("__ib_alloc_cq %s %s %d %d %d %s", name(dev), name(priv), nr_cqe, comp_vector,
	    (int)poll_ctx, caller);
	return RESULT;
}

struct ib_cq *__ib_alloc_cq_any(struct ib_device *dev, void *priv, int nr_cqe,
				enum ib_poll_context poll_ctx, const char *caller)
{
	SAY("__ib_alloc_cq_any %s %s %d %d %s", name(dev), name(priv), nr_cqe, (int)poll_ctx,
	    caller);
	return RESULT;
}

static void on_comp(struct ib_cq *c, void *context)
{
	(void)c;
	(void)context;
}

static void on_event(struct ib_event *event, void *context)
{
	(void)event;
	(void)context;
}

struct ib_cq *__ib_create_cq(struct ib_device *d, ib_comp_handler comp_handler,
			     void (*event_handler)(struct ib_event *, void *), void *cq_context,
			     const struct ib_cq_init_attr *cq_attr, const char *caller)
{
	const bool both = comp_handler == on_comp && event_handler == on_event;

	SAY("__ib_create_cq %s %s %s %u %s", name(d), both ? "handlers" : "?", name(cq_context),
	    cq_attr->cqe, caller);
	return RESULT;
}

int ib_destroy_cq_user(struct ib_cq *c, struct ib_udata *udata)
{
	SAY("ib_destroy_cq_user %s %s", name(c), name(udata));
	return result;
}

int rdma_destroy_ah_user(struct ib_ah *a, u32 flags, struct ib_udata *udata)
{
	SAY("rdma_destroy_ah_user %s %u %s", name(a), flags, name(udata));
	return result;
}

static int refuse_srq_recv(struct ib_srq *s, const struct ib_recv_wr *wr,
			   const struct ib_recv_wr **bad)
{
	(void)s;
	*bad = wr;
	return -ENOMEM;
}

static int take_notify(struct ib_cq *c, enum ib_cq_notify_flags flags)
{
	assert_ptr_equal(c, &cq);
	return (int)flags;
}

static void ib_alloc_pd__names_the_module(void **state)
{
	(void)state;
	assert_ptr_equal(ib_alloc_pd(&device, IB_PD_UNSAFE_GLOBAL_RKEY), RESULT);
	assert_string_equal(called, "__ib_alloc_pd device 1 " KBUILD_MODNAME);
}

static void ib_dealloc_pd__has_no_process(void **state)
{
	(void)state;
	ib_dealloc_pd(&pd);
	assert_string_equal(called, "ib_dealloc_pd_user pd NULL");
}

static void ib_dealloc_pd__failure_is_complained_about(void **state)
{
	(void)state;
	result = -EBUSY;
	ib_dealloc_pd(&pd);
	assert_string_equal(called, "ib_dealloc_pd_user pd NULL warned");
}

static void ib_create_qp__names_the_module(void **state)
{
	(void)state;
	struct ib_qp_init_attr attr = {0};

	assert_ptr_equal(ib_create_qp(&pd, &attr), RESULT);
	assert_string_equal(called, "ib_create_qp_kernel pd " KBUILD_MODNAME);
}

static void ib_destroy_qp__passes_the_error_on(void **state)
{
	(void)state;
	result = -EBUSY;
	assert_int_equal(ib_destroy_qp(&qp), -EBUSY);
	assert_string_equal(called, "ib_destroy_qp_user qp NULL");
}

static void ib_create_srq__has_no_process(void **state)
{
	(void)state;
	struct ib_srq_init_attr attr = {0};

	assert_ptr_equal(ib_create_srq(&pd, &attr), RESULT);
	assert_string_equal(called, "ib_create_srq_user pd NULL NULL");
}

static void ib_destroy_srq__failure_is_complained_about(void **state)
{
	(void)state;
	result = -EBUSY;
	ib_destroy_srq(&srq);
	assert_string_equal(called, "ib_destroy_srq_user srq NULL warned");
}

static void ib_alloc_cq__passes_all_on(void **state)
{
	(void)state;
	assert_ptr_equal(ib_alloc_cq(&device, &pd, 10, 3, IB_POLL_WORKQUEUE), RESULT);
	assert_string_equal(called, "__ib_alloc_cq device pd 10 3 1 " KBUILD_MODNAME);
}

static void ib_alloc_cq_any__passes_all_on(void **state)
{
	(void)state;
	assert_ptr_equal(ib_alloc_cq_any(&device, &pd, 10, IB_POLL_DIRECT), RESULT);
	assert_string_equal(called, "__ib_alloc_cq_any device pd 10 3 " KBUILD_MODNAME);
}

static void ib_create_cq__passes_all_on(void **state)
{
	(void)state;
	struct ib_cq_init_attr attr = {.cqe = 7};

	assert_ptr_equal(ib_create_cq(&device, on_comp, on_event, &pd, &attr), RESULT);
	assert_string_equal(called, "__ib_create_cq device handlers pd 7 " KBUILD_MODNAME);
}

static void ib_destroy_cq__failure_is_complained_about(void **state)
{
	(void)state;
	result = -EBUSY;
	ib_destroy_cq(&cq);
	assert_string_equal(called, "ib_destroy_cq_user cq NULL warned");
}

static void rdma_destroy_ah__has_no_process(void **state)
{
	(void)state;
	rdma_destroy_ah(&ah, RDMA_DESTROY_AH_SLEEPABLE);
	assert_string_equal(called, "rdma_destroy_ah_user ah 1 NULL");
}

static void rdma_destroy_ah__failure_is_complained_about(void **state)
{
	(void)state;
	result = -EINVAL;
	rdma_destroy_ah(&ah, 0);
	assert_string_equal(called, "rdma_destroy_ah_user ah 0 NULL warned");
}

static void ib_post_srq_recv__goes_to_the_provider(void **state)
{
	(void)state;
	const struct ib_recv_wr wr = {.wr_id = 1}, *bad = NULL;

	device.ops.post_srq_recv = refuse_srq_recv;
	assert_int_equal(ib_post_srq_recv(&srq, &wr, &bad), -ENOMEM);
	assert_ptr_equal(bad, &wr);
}

static void ib_post_srq_recv__without_bad_wr_the_provider_may_still_write(void **state)
{
	(void)state;
	const struct ib_recv_wr wr = {.wr_id = 1};

	device.ops.post_srq_recv = refuse_srq_recv;
	assert_int_equal(ib_post_srq_recv(&srq, &wr, NULL), -ENOMEM);
}

static void ib_req_notify_cq__goes_to_the_provider(void **state)
{
	(void)state;
	device.ops.req_notify_cq = take_notify;
	assert_int_equal(ib_req_notify_cq(&cq, IB_CQ_NEXT_COMP), IB_CQ_NEXT_COMP);
}

static void rdma_wr__is_the_request_around_it(void **state)
{
	(void)state;
	struct ib_rdma_wr request = {.wr.wr_id = 1};

	assert_ptr_equal(rdma_wr(&request.wr), &request);
	assert_int_equal(offsetof(struct ib_rdma_wr, wr), 0);
}

static void atomic_wr__is_the_request_around_it(void **state)
{
	(void)state;
	struct ib_atomic_wr request = {.wr.wr_id = 1};

	assert_ptr_equal(atomic_wr(&request.wr), &request);
	assert_int_equal(offsetof(struct ib_atomic_wr, wr), 0);
}

static void ud_wr__is_the_request_around_it(void **state)
{
	(void)state;
	struct ib_ud_wr request = {.wr.wr_id = 1};

	assert_ptr_equal(ud_wr(&request.wr), &request);
	assert_int_equal(offsetof(struct ib_ud_wr, wr), 0);
}

static void reg_wr__is_the_request_around_it(void **state)
{
	(void)state;
	struct ib_reg_wr request = {.wr.wr_id = 1};

	assert_ptr_equal(reg_wr(&request.wr), &request);
	assert_int_equal(offsetof(struct ib_reg_wr, wr), 0);
}

static void ib_srq_has_cq__is_so_of_two_types(void **state)
{
	(void)state;
	assert_false(ib_srq_has_cq(IB_SRQT_BASIC));
	assert_true(ib_srq_has_cq(IB_SRQT_XRC));
	assert_true(ib_srq_has_cq(IB_SRQT_TM));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ib_alloc_pd__names_the_module, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_dealloc_pd__has_no_process, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_dealloc_pd__failure_is_complained_about, setup,
						NULL),
		cmocka_unit_test_setup_teardown(ib_create_qp__names_the_module, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_destroy_qp__passes_the_error_on, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_create_srq__has_no_process, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_destroy_srq__failure_is_complained_about, setup,
						NULL),
		cmocka_unit_test_setup_teardown(ib_alloc_cq__passes_all_on, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_alloc_cq_any__passes_all_on, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_create_cq__passes_all_on, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_destroy_cq__failure_is_complained_about, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rdma_destroy_ah__has_no_process, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_destroy_ah__failure_is_complained_about, setup,
						NULL),
		cmocka_unit_test_setup_teardown(ib_post_srq_recv__goes_to_the_provider, setup,
						NULL),
		cmocka_unit_test_setup_teardown(
			ib_post_srq_recv__without_bad_wr_the_provider_may_still_write, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_req_notify_cq__goes_to_the_provider, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rdma_wr__is_the_request_around_it, setup, NULL),
		cmocka_unit_test_setup_teardown(atomic_wr__is_the_request_around_it, setup, NULL),
		cmocka_unit_test_setup_teardown(ud_wr__is_the_request_around_it, setup, NULL),
		cmocka_unit_test_setup_teardown(reg_wr__is_the_request_around_it, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_srq_has_cq__is_so_of_two_types, setup, NULL),
	};

	return verbena_test_main(tests);
}
