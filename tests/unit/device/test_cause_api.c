// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What a program is told: why its own call was refused, and what befell a QP. */
#include <linux/err.h>
#include <string.h>
#include <verbena/verbena.h>

#include "base/cause.h"
#include "common/test.h"
#include "common/verbs_end.h"

#define BYTES 64u

struct world {
	struct verbena_fabric *fabric;
	struct verbs_end side[2];
};

static int teardown(void **state)
{
	struct world *w = *state;

	verbs_end_close(&w->side[0]);
	verbs_end_close(&w->side[1]);
	verbena_fabric_free(w->fabric);
	return 0;
}

static void forget(void)
{
	const struct base_cause none = {.id = 0};

	base_cause_set_last(&none);
}

static int open_world(void **state, enum ib_qp_type type)
{
	const struct verbs_end_options options = {.type = type,
						  .depth = 8,
						  .sges = 1,
						  .bytes = BYTES,
						  .access = IB_ACCESS_LOCAL_WRITE};
	static struct world w;

	forget();
	*state = &w;
	memset(&w, 0, sizeof(w));
	w.fabric = verbena_fabric_new(NULL);
	if (IS_ERR(w.fabric))
		return -1;
	if (!verbs_end_open(&w.side[0], verbena_host_add(w.fabric, "alpha", NULL), &options) &&
	    !verbs_end_open(&w.side[1], verbena_host_add(w.fabric, "beta", NULL), &options) &&
	    !verbena_qp_connect(w.side[0].qp, w.side[1].qp, NULL))
		return 0;
	teardown(state);
	return -1;
}

static int setup_rc(void **state)
{
	return open_world(state, IB_QPT_RC);
}

static int setup_uc(void **state)
{
	return open_world(state, IB_QPT_UC);
}

/* From side 0; @rkey and the address are those of side 1's region. */
static void post(struct world *w, enum ib_wr_opcode opcode, uint32_t rkey)
{
	struct verbs_end *s = &w->side[0];
	struct ib_sge sge = {(uintptr_t)s->mem, 16, s->mr->lkey};
	struct ib_rdma_wr wr = {.wr = {.wr_id = 5, .sg_list = &sge, .num_sge = 1, .opcode = opcode},
				.remote_addr = (uintptr_t)w->side[1].mem,
				.rkey = rkey};

	if (opcode == IB_WR_SEND_WITH_INV || opcode == IB_WR_LOCAL_INV)
		wr.wr.ex.invalidate_rkey = rkey;
	if (opcode == IB_WR_LOCAL_INV)
		wr.wr.num_sge = 0;
	assert_int_equal(ib_post_send(s->qp, &wr.wr, NULL), 0);
}

static void receive(struct world *w, uint32_t lkey)
{
	struct verbs_end *s = &w->side[1];
	struct ib_sge sge = {(uintptr_t)s->mem, BYTES, lkey};
	const struct ib_recv_wr wr = {.sg_list = &sge, .num_sge = 1};

	assert_int_equal(ib_post_recv(s->qp, &wr, NULL), 0);
}

static enum ib_wc_status next_status(struct verbs_end *s)
{
	struct ib_wc wc;

	while (!ib_poll_cq(s->cq, 1, &wc))
		;
	return wc.status;
}

static void verbena_last_cause__what_succeeds_leaves_none(void **state)
{
	struct world *w = *state;

	assert_string_equal(verbena_last_cause(), "");
	receive(w, w->side[1].mr->lkey);
	post(w, IB_WR_SEND, 0);
	assert_int_equal(next_status(&w->side[0]), IB_WC_SUCCESS);
	assert_string_equal(verbena_last_cause(), "");
}

static void verbena_last_cause__a_remote_access_error_is_none(void **state)
{
	struct world *w = *state;

	post(w, IB_WR_RDMA_WRITE, w->side[1].mr->rkey);
	assert_int_equal(next_status(&w->side[0]), IB_WC_REM_ACCESS_ERR);
	assert_string_equal(verbena_last_cause(), "");
	assert_non_null(strstr(verbena_qp_cause(w->side[0].qp), "REMOTE_WRITE"));
}

static void verbena_last_cause__a_read_of_no_region_is_none(void **state)
{
	struct world *w = *state;

	post(w, IB_WR_RDMA_READ, 0x12345600);
	assert_int_equal(next_status(&w->side[0]), IB_WC_REM_ACCESS_ERR);
	assert_string_equal(verbena_last_cause(), "");
}

static void verbena_last_cause__a_dropped_uc_write_is_none(void **state)
{
	struct world *w = *state;

	post(w, IB_WR_RDMA_WRITE, w->side[1].mr->rkey);
	assert_int_equal(next_status(&w->side[0]), IB_WC_SUCCESS);
	/* What follows on the QP has been handled behind it. */
	receive(w, w->side[1].mr->lkey);
	post(w, IB_WR_SEND, 0);
	assert_int_equal(next_status(&w->side[1]), IB_WC_SUCCESS);
	assert_string_equal(verbena_last_cause(), "");
}

static void verbena_last_cause__a_receive_with_a_bad_key_is_none(void **state)
{
	struct world *w = *state;

	receive(w, 0x12345600);
	post(w, IB_WR_SEND, 0);
	assert_int_equal(next_status(&w->side[1]), IB_WC_LOC_PROT_ERR);
	assert_int_equal(next_status(&w->side[0]), IB_WC_REM_OP_ERR);
	assert_string_equal(verbena_last_cause(), "");
	assert_non_null(strstr(verbena_qp_cause(w->side[1].qp), "0x12345600"));
}

static void verbena_last_cause__a_bad_remote_invalidation_is_none(void **state)
{
	struct world *w = *state;

	receive(w, w->side[1].mr->lkey);
	post(w, IB_WR_SEND_WITH_INV, 0x12345600);
	assert_int_not_equal(next_status(&w->side[1]), IB_WC_SUCCESS);
	assert_string_equal(verbena_last_cause(), "");
	assert_non_null(strstr(verbena_qp_cause(w->side[1].qp), "0x12345600"));
}

/* An invalidation behind a fence is done later than posted. */
static void verbena_last_cause__a_delayed_invalidation_is_none(void **state)
{
	struct world *w = *state;
	const struct ib_send_wr wr = {.opcode = IB_WR_LOCAL_INV,
				      .send_flags = IB_SEND_FENCE,
				      .ex.invalidate_rkey = 0x12345600};

	assert_int_equal(ib_post_send(w->side[0].qp, &wr, NULL), 0);
	assert_int_equal(next_status(&w->side[0]), IB_WC_LOC_PROT_ERR);
	assert_string_equal(verbena_last_cause(), "");
	assert_non_null(strstr(verbena_qp_cause(w->side[0].qp), "0x12345600"));
}

static void verbena_qp_cause__of_two_in_one_breath(void **state)
{
	struct world *w = *state;
	const char *a, *b, *refused;

	post(w, IB_WR_RDMA_WRITE, w->side[1].mr->rkey);
	assert_int_equal(next_status(&w->side[0]), IB_WC_REM_ACCESS_ERR);
	assert_int_equal(ib_query_port(w->side[0].pd->device, 2, &(struct ib_port_attr){0}),
			 -EINVAL);
	a = verbena_qp_cause(w->side[0].qp);
	b = verbena_qp_cause(w->side[1].qp);
	refused = verbena_last_cause();
	assert_non_null(strstr(a, "WR 5 RDMA_WRITE"));
	assert_null(strstr(b, "WR 5"));
	assert_non_null(strstr(b, "REM_ACCESS_ERR"));
	assert_null(strstr(refused, "REM_ACCESS_ERR"));
	assert_string_not_equal(refused, "");
}

static void verbena_qp_cause__alive_asked_and_none(void **state)
{
	struct world *w = *state;
	struct ib_qp_attr attr = {.qp_state = IB_QPS_ERR};

	assert_null(verbena_qp_cause(NULL));
	assert_null(verbena_qp_cause(ERR_PTR(-EINVAL)));
	assert_null(verbena_qp_cause(w->side[0].qp));
	assert_int_equal(ib_modify_qp(w->side[0].qp, &attr, IB_QP_STATE), 0);
	assert_non_null(strstr(verbena_qp_cause(w->side[0].qp), "the program moved the QP to ERR"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_rc, teardown)

static const struct CMUnitTest tests[] = {
	TEST(verbena_last_cause__what_succeeds_leaves_none),
	TEST(verbena_last_cause__a_remote_access_error_is_none),
	TEST(verbena_last_cause__a_read_of_no_region_is_none),
	cmocka_unit_test_setup_teardown(verbena_last_cause__a_dropped_uc_write_is_none, setup_uc,
					teardown),
	TEST(verbena_last_cause__a_receive_with_a_bad_key_is_none),
	TEST(verbena_last_cause__a_bad_remote_invalidation_is_none),
	TEST(verbena_last_cause__a_delayed_invalidation_is_none),
	TEST(verbena_qp_cause__of_two_in_one_breath),
	TEST(verbena_qp_cause__alive_asked_and_none),
};

int main(void)
{
	return verbena_test_main(tests);
}
