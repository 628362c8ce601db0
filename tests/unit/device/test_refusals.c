// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Wrong arguments of the calls of <verbena/verbena.h>: an errno and a cause, no crash. */
#include <errno.h>
#include <linux/err.h>
#include <string.h>
#include <verbena/verbena.h>

#include "base/cause.h"
#include "common/test.h"
#include "common/verbs_end.h"

#define assert_refused(call, name)                                                      \
	do {                                                                            \
		assert_int_equal((call), -EINVAL);                                      \
		assert_string_equal(verbena_cause_name(verbena_last_cause_id()), name); \
	} while (0)

static void calls__refuse_what_is_no_object(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		void *none = i ? ERR_PTR(-ENOSPC) : NULL;
		struct verbena_stats stats = {.packets = 1};

		assert_refused(PTR_ERR(verbena_host_add(none, "alpha", NULL)), "HOST_NO_OBJECT");
		assert_refused(verbena_fabric_faults(none, NULL), "HOST_NO_OBJECT");
		assert_refused(verbena_port_set_link(none, 1, true), "HOST_NO_OBJECT");
		assert_refused(verbena_qp_connect(none, none, NULL), "HOST_NO_OBJECT");
		assert_refused(verbena_ud_ready(none, 1), "HOST_NO_OBJECT");
		verbena_fabric_stats(none, &stats);
		assert_int_equal(stats.packets, 0);
		verbena_fabric_stats(none, NULL);
	}
	assert_non_null(strstr(verbena_last_cause(), "NULL or an error pointer"));
}

static void free_and_remove__keep_the_cause_of_the_failure(void **state)
{
	const struct verbena_fabric_options options = {.faults = {.drop_ppm = 1000001}};

	(void)state;
	verbena_fabric_free(verbena_fabric_new(&options));
	verbena_host_remove(NULL);
	verbena_host_remove(ERR_PTR(-ENOSPC));
	assert_string_equal(verbena_cause_name(verbena_last_cause_id()), "FABRIC_FAULT_RATE");
}

struct world {
	struct verbena_fabric *fabric[2];
	struct verbs_end end[3]; /* the third is on the second fabric */
};

static const struct verbs_end_options end_options = {.type = IB_QPT_RC, .depth = 1};

static int teardown(void **state)
{
	struct world *w = *state;

	for (int i = 0; i < 3; i++)
		verbs_end_close(&w->end[i]);
	verbena_fabric_free(w->fabric[0]);
	verbena_fabric_free(w->fabric[1]);
	return 0;
}

static int setup(void **state)
{
	static struct world w;

	memset(&w, 0, sizeof(w));
	*state = &w;
	w.fabric[0] = verbena_fabric_new(NULL);
	w.fabric[1] = verbena_fabric_new(NULL);
	if (!verbs_end_open(&w.end[0], verbena_host_add(w.fabric[0], "alpha", NULL),
			    &end_options) &&
	    !verbs_end_open(&w.end[1], verbena_host_add(w.fabric[0], "beta", NULL), &end_options) &&
	    !verbs_end_open(&w.end[2], verbena_host_add(w.fabric[1], "gamma", NULL), &end_options))
		return 0;
	teardown(state);
	return -1;
}

static void verbena_qp_connect__of_two_fabrics_is_refused(void **state)
{
	struct world *w = *state;

	assert_refused(verbena_qp_connect(w->end[0].qp, w->end[2].qp, NULL), "CONNECT_FABRICS");
	assert_refused(verbena_qp_connect(w->end[2].qp, w->end[0].qp, NULL), "CONNECT_FABRICS");
	assert_int_equal(verbena_qp_connect(w->end[0].qp, w->end[1].qp, NULL), 0);
}

static void verbena_qp_connect__options_out_of_range_change_nothing(void **state)
{
	const struct verbena_connect_options timeout = {.timeout = 32}, retry = {.retry_cnt = 9},
					     rnr = {.rnr_retry = 9},
					     most = {.timeout = 31, .retry_cnt = 8, .rnr_retry = 8};
	struct world *w = *state;
	struct ib_qp *a = w->end[0].qp, *b = w->end[1].qp;

	assert_refused(verbena_qp_connect(a, b, &timeout), "CONNECT_TIMEOUT");
	assert_refused(verbena_qp_connect(a, b, &retry), "CONNECT_RETRIES");
	assert_refused(verbena_qp_connect(a, b, &rnr), "CONNECT_RETRIES");
	assert_non_null(strstr(verbena_last_cause(), "rnr_retry 9"));
	assert_int_equal(verbena_qp_connect(a, b, &most), 0);
}

static struct ib_qp_attr queried(struct ib_qp *qp)
{
	struct ib_qp_init_attr init_attr;
	struct ib_qp_attr attr = {.qp_state = IB_QPS_RESET};

	assert_int_equal(ib_query_qp(qp, &attr, IB_QP_SQ_PSN | IB_QP_RQ_PSN, &init_attr), 0);
	return attr;
}

static void verbena_qp_connect__each_direction_has_its_first_psn(void **state)
{
	const struct verbena_connect_options options = {.sq_psn_a = 0x111111, .sq_psn_b = 0x222222};
	struct world *w = *state;
	struct ib_qp *a = w->end[0].qp, *b = w->end[1].qp;

	assert_int_equal(verbena_qp_connect(a, b, &options), 0);
	assert_int_equal(queried(a).sq_psn, 0x111111);
	assert_int_equal(queried(b).rq_psn, 0x111111);
	assert_int_equal(queried(b).sq_psn, 0x222222);
	assert_int_equal(queried(a).rq_psn, 0x222222);
}

/*
 * Make every allocation of a call fail, one after the other: each failure has a cause. The call
 * returns NULL if it worked, and has undone that.
 */
static void for_each_allocation(struct world *w, void *(*call)(struct world *w))
{
	const struct base_cause none = {.id = 0};
	void *failure;
	bool struck;

	for (unsigned long n = 1;; n++) {
		base_cause_set_last(&none);
		base_alloc_fail_nth(n);
		failure = call(w);
		struck = base_alloc_failed();
		base_alloc_fail_nth(0);
		if (!struck) {
			assert_null(failure);
			return;
		}
		if (failure && !verbena_last_cause_id())
			fail_msg("allocation %lu: error %ld without a cause", n, PTR_ERR(failure));
	}
}

static void *new_fabric(struct world *w)
{
	const struct verbena_fabric_options options = {.faults = {.drop_ppm = 1}};
	struct verbena_fabric *fabric = verbena_fabric_new(&options);

	(void)w;
	if (IS_ERR(fabric))
		return fabric;
	verbena_fabric_free(fabric);
	return NULL;
}

static void *add_host(struct world *w)
{
	struct ib_device *device = verbena_host_add(w->fabric[0], "delta", NULL);

	if (IS_ERR(device))
		return device;
	verbena_host_remove(device);
	return NULL;
}

static void *create_pd_cq_qp(struct world *w)
{
	struct verbs_end e;
	const int ret = verbs_end_open(&e, w->end[0].pd->device, &end_options);

	verbs_end_close(&e);
	return ret ? ERR_PTR(ret) : NULL;
}

static void *alloc_cq(struct world *w)
{
	struct ib_cq *cq = ib_alloc_cq(w->end[0].pd->device, NULL, 8, 0, IB_POLL_WORKQUEUE);

	if (IS_ERR(cq))
		return cq;
	ib_free_cq(cq);
	return NULL;
}

static void *alloc_mr(struct world *w)
{
	struct ib_mr *mr = ib_alloc_mr(w->end[0].pd, IB_MR_TYPE_MEM_REG, 8);

	if (IS_ERR(mr))
		return mr;
	ib_dereg_mr(mr);
	return NULL;
}

static void *reg_user_mr(struct world *w)
{
	struct ib_mr *mr = ib_reg_user_mr(w->end[0].pd, (uintptr_t)w, sizeof(*w), 0, 0);

	if (IS_ERR(mr))
		return mr;
	ib_dereg_mr(mr);
	return NULL;
}

static void *create_srq(struct world *w)
{
	struct ib_srq_init_attr attr = {.attr = {.max_wr = 4, .max_sge = 1}};
	struct ib_srq *srq = ib_create_srq(w->end[0].pd, &attr);

	if (IS_ERR(srq))
		return srq;
	ib_destroy_srq(srq);
	return NULL;
}

static void *connect_two(struct world *w)
{
	struct ib_qp_attr reset = {.qp_state = IB_QPS_RESET};
	const int ret = verbena_qp_connect(w->end[0].qp, w->end[1].qp, NULL);

	if (!ret) {
		ib_modify_qp(w->end[0].qp, &reset, IB_QP_STATE);
		ib_modify_qp(w->end[1].qp, &reset, IB_QP_STATE);
	}
	return ret ? ERR_PTR(ret) : NULL;
}

static void calls__without_memory_have_a_cause(void **state)
{
	struct world *w = *state;

	for_each_allocation(w, new_fabric);
	for_each_allocation(w, add_host);
	for_each_allocation(w, create_pd_cq_qp);
	for_each_allocation(w, alloc_cq);
	for_each_allocation(w, alloc_mr);
	for_each_allocation(w, reg_user_mr);
	for_each_allocation(w, create_srq);
	for_each_allocation(w, connect_two);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(calls__without_memory_have_a_cause),
	cmocka_unit_test(calls__refuse_what_is_no_object),
	cmocka_unit_test(free_and_remove__keep_the_cause_of_the_failure),
	TEST(verbena_qp_connect__of_two_fabrics_is_refused),
	TEST(verbena_qp_connect__options_out_of_range_change_nothing),
	TEST(verbena_qp_connect__each_direction_has_its_first_psn),
};

int main(void)
{
	return verbena_test_main(tests);
}
