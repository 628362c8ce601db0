// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Visiting every QP. */
#include "qp_fixture.h"
#include "rdmavt/qp_priv.h"

#define QPS 6

struct crowd {
	struct fixture *f;
	struct fake_rvt_end end[QPS];
};

static int crowd_down(void **state)
{
	struct crowd *c = *state;
	void *f;

	if (!c)
		return 0;
	f = c->f;
	for (int i = 0; i < QPS; i++)
		fake_rvt_end_exit(&c->end[i]);
	base_free(c);
	return f ? fixture_down(&f) : 0;
}

/* SMI and GSI QPs of both ports, and two others; all but the last can be found. */
static int crowd_up(void **state)
{
	struct crowd *c = base_zalloc(sizeof(*c));
	void *f = NULL;

	*state = c;
	if (!c)
		return -1;
	if (fixture_bare(&f))
		goto failed;
	c->f = f;
	for (int i = 0; i < QPS; i++) {
		const struct ib_qp_init_attr attr = {.qp_type = i >= 4	? IB_QPT_RC
								: i & 1 ? IB_QPT_GSI
									: IB_QPT_SMI,
						     .port_num = i >= 4 ? 0 : (u32)i / 2 + 1};
		struct ib_qp_attr init = {.qp_state = IB_QPS_INIT};

		if (fake_rvt_end_init(&c->end[i], c->f->pd, &attr))
			goto failed;
		if (i < 4 &&
		    ib_modify_qp(c->end[i].qp, &init, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_QKEY))
			goto failed;
		if (i == 4 && fake_rvt_to(c->end[i].qp, IB_QPS_INIT, 0))
			goto failed;
	}
	return 0;
failed:
	(void)crowd_down(state);
	*state = NULL;
	return -1;
}

struct visits {
	struct crowd *c;
	unsigned int count[QPS];
};

static void note(struct rvt_qp *qp, u64 v)
{
	struct visits *visits = (struct visits *)(uintptr_t)v;

	for (int i = 0; i < QPS; i++)
		if (visits->c->end[i].qp == &qp->ibqp)
			visits->count[i]++;
}

static void iter_next__special_ones_first_then_the_chains(void **state)
{
	struct crowd *c = *state;
	struct rvt_qp_iter *iter = rvt_qp_iter_init(&c->f->fake->rdi, 0x123456789, note);

	assert_non_null(iter);
	assert_int_equal(iter->v, 0x123456789);
	assert_int_equal(iter->specials, 4);
	rcu_read_lock();
	for (int i = 0; i < 5; i++) {
		assert_int_equal(rvt_qp_iter_next(iter), 0);
		assert_ptr_equal(iter->qp, ibqp_to_rvtqp(c->end[i].qp));
	}
	assert_int_equal(rvt_qp_iter_next(iter), 1);
	assert_int_equal(rvt_qp_iter_next(iter), 1);
	rcu_read_unlock();
	base_free(iter);
}

static void iter__everyone_once_with_a_reference(void **state)
{
	struct crowd *c = *state;
	struct visits visits = {.c = c};

	rvt_qp_iter(&c->f->fake->rdi, (u64)(uintptr_t)&visits, note);
	for (int i = 0; i < QPS; i++)
		assert_int_equal(visits.count[i], i < 5);
	for (int i = 0; i < QPS; i++)
		assert_int_equal(atomic_read(&ibqp_to_rvtqp(c->end[i].qp)->refcount), i < 5);
}

static void reset(struct rvt_qp *qp, u64 v)
{
	note(qp, v);
	assert_true(atomic_read(&qp->refcount) >= 2);
	rvt_qp_reset(ib_to_rvt(qp->ibqp.device), qp);
}

/* The callback may take QPs out of the chain that is being walked. */
static void iter__callback_may_reset(void **state)
{
	struct crowd *c = *state;
	struct visits visits = {.c = c};

	assert_int_equal(fake_rvt_to(c->end[5].qp, IB_QPS_INIT, 0), 0);
	rvt_qp_iter(&c->f->fake->rdi, (u64)(uintptr_t)&visits, reset);
	for (int i = 0; i < QPS; i++) {
		assert_int_equal(visits.count[i], 1);
		assert_int_equal(rvt_qp_state(ibqp_to_rvtqp(c->end[i].qp)), IB_QPS_RESET);
	}
}

/* Chains of several: fewer slots than QPs. */
static void iter__long_chains(void **state)
{
	struct fixture *f = *state;
	struct fake_rvt_end *end = base_zalloc(16 * sizeof(*end));
	const struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC};
	unsigned int found = 0;
	struct rvt_qp_iter *iter;

	assert_non_null(end);
	iter = rvt_qp_iter_init(&f->fake->rdi, 0, NULL);
	for (int i = 0; iter && i < 16; i++) {
		end[i].send_cq = end[i].recv_cq = NULL;
		if (fake_rvt_end_init(&end[i], f->pd, &attr) ||
		    fake_rvt_to(end[i].qp, IB_QPS_INIT, 0)) {
			base_free(iter);
			iter = NULL;
		}
	}
	if (iter) {
		rcu_read_lock();
		while (!rvt_qp_iter_next(iter))
			found++;
		rcu_read_unlock();
	}
	for (int i = 0; i < 16; i++)
		fake_rvt_end_exit(&end[i]);
	base_free(end);
	base_free(iter);
	assert_int_equal(found, 16);
}

#define CROWD(test) cmocka_unit_test_setup_teardown(test, crowd_up, crowd_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CROWD(iter_next__special_ones_first_then_the_chains),
		CROWD(iter__everyone_once_with_a_reference),
		CROWD(iter__callback_may_reset),
		cmocka_unit_test_setup_teardown(iter__long_chains, fixture_bare, fixture_down),
	};

	return verbena_test_main(tests);
}
