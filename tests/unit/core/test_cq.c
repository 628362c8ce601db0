// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* CQs that the core polls: contexts, batches, budgets, re-arming, pools. */
#include <string.h>

#include "base/cause.h"
#include "base/host.h"
#include "common/fake_provider.h"
#include "common/test.h"

#define assert_cause(name) assert_string_equal(base_cause_name(base_cause_last()->id), #name)

struct counter {
	struct ib_cqe cqe;
	int done;
	u64 last_status;
	struct fake_provider *feed; /* done() brings the next completion in, @to_feed times */
	int to_feed;
};

static struct counter counter;

static void push(struct ib_cq *cq, struct ib_cqe *cqe, enum ib_wc_status status)
{
	const struct ib_wc wc = {.wr_cqe = cqe, .status = status};

	assert_true(fake_cq_push(cq, &wc, false));
}

static void on_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct counter *c = container_of(wc->wr_cqe, struct counter, cqe);

	c->done++;
	c->last_status = wc->status;
	if (c->to_feed > 0) {
		c->to_feed--;
		push(cq, &c->cqe, IB_WC_SUCCESS);
	}
}

static int setup(void **state)
{
	memset(&counter, 0, sizeof(counter));
	counter.cqe.done = on_done;
	*state = fake_provider_new(NULL);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	fake_provider_free(*state);
	return base_host_idle() ? 0 : -1;
}

static unsigned int turn(void)
{
	unsigned int turns = 0;

	while (base_host_turn(base_now_ns(), 1))
		turns++;
	return turns;
}

static struct ib_cq *alloc(struct fake_provider *fake, enum ib_poll_context ctx)
{
	struct ib_cq *cq = ib_alloc_cq(&fake->ib, &counter, 32, 0, ctx);

	assert_false(IS_ERR(cq));
	return cq;
}

/* ib_poll_cq(), ib_req_notify_cq() */

static struct work_struct late_work;
static struct ib_cq *late_cq;

static void push_late(struct work_struct *work)
{
	(void)work;
	push(late_cq, &counter.cqe, IB_WC_SUCCESS);
}

static void ib_poll_cq__takes_in_order(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_cq *cq = alloc(fake, IB_POLL_DIRECT);
	struct ib_wc wc[4];

	push(cq, &counter.cqe, IB_WC_SUCCESS);
	push(cq, &counter.cqe, IB_WC_WR_FLUSH_ERR);
	assert_int_equal(ib_poll_cq(cq, 1, wc), 1);
	assert_int_equal(wc[0].status, IB_WC_SUCCESS);
	assert_int_equal(ib_poll_cq(cq, 4, wc), 1);
	assert_int_equal(wc[0].status, IB_WC_WR_FLUSH_ERR);
	assert_int_equal(ib_poll_cq(cq, 4, wc), 0);
	fake->fail[FAKE_POLL_CQ] = -EINVAL;
	assert_int_equal(ib_poll_cq(cq, 4, wc), -EINVAL);
	fake->fail[FAKE_POLL_CQ] = 0;
	ib_free_cq(cq);
}

static void ib_poll_cq__turns_the_crank_when_empty(void **state)
{
	struct ib_cq *cq = alloc(*state, IB_POLL_DIRECT);
	struct ib_wc wc;

	late_cq = cq;
	INIT_WORK(&late_work, push_late);
	schedule_work(&late_work);
	assert_int_equal(ib_poll_cq(cq, 1, &wc), 1);
	assert_int_equal(ib_poll_cq(cq, 1, &wc), 0);
	ib_free_cq(cq);
}

static void ib_req_notify_cq__tells_of_what_waits(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_cq *cq = alloc(fake, IB_POLL_DIRECT);
	const enum ib_cq_notify_flags flags =
		(enum ib_cq_notify_flags)(IB_CQ_SOLICITED | IB_CQ_REPORT_MISSED_EVENTS);

	assert_int_equal(ib_req_notify_cq(cq, flags), 0);
	assert_int_equal(fake->arg[FAKE_REQ_NOTIFY_CQ][1], flags);
	assert_true(to_fake_cq(cq)->armed);
	push(cq, &counter.cqe, IB_WC_SUCCESS);
	assert_true(ib_req_notify_cq(cq, flags) > 0);
	ib_free_cq(cq);
}

/* ib_process_cq_direct() */

static void ib_process_cq_direct__in_batches_of_8(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_cq *cq = alloc(fake, IB_POLL_DIRECT);

	for (int i = 0; i < 20; i++)
		push(cq, &counter.cqe, IB_WC_SUCCESS);
	assert_int_equal(ib_process_cq_direct(cq, -1), 20);
	assert_int_equal(counter.done, 20);
	assert_int_equal(fake->called[FAKE_POLL_CQ], 3);
	assert_int_equal(fake->arg[FAKE_POLL_CQ][1], 8);
	assert_int_equal(fake->called[FAKE_REQ_NOTIFY_CQ], 0);
	assert_int_equal(ib_process_cq_direct(cq, -1), 0);
	ib_free_cq(cq);
}

static void ib_process_cq_direct__keeps_to_its_budget(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_cq *cq = alloc(fake, IB_POLL_DIRECT);

	for (int i = 0; i < 20; i++)
		push(cq, &counter.cqe, IB_WC_SUCCESS);
	assert_int_equal(ib_process_cq_direct(cq, 10), 10);
	assert_int_equal(fake->arg[FAKE_POLL_CQ][1], 2);
	assert_int_equal(ib_process_cq_direct(cq, 0), 0);
	assert_int_equal(ib_process_cq_direct(cq, 16), 10);
	ib_free_cq(cq);
}

static void ib_process_cq_direct__errors_without_cqe_are_passed_over(void **state)
{
	struct ib_cq *cq = alloc(*state, IB_POLL_DIRECT);

	push(cq, NULL, IB_WC_WR_FLUSH_ERR);
	push(cq, &counter.cqe, IB_WC_LOC_LEN_ERR);
	assert_int_equal(ib_process_cq_direct(cq, -1), 2);
	assert_int_equal(counter.done, 1);
	assert_int_equal(counter.last_status, IB_WC_LOC_LEN_ERR);
	ib_free_cq(cq);
}

static void ib_process_cq_direct__done_may_bring_in_more(void **state)
{
	struct ib_cq *cq = alloc(*state, IB_POLL_DIRECT);

	counter.to_feed = 30;
	for (int i = 0; i < 8; i++)
		push(cq, &counter.cqe, IB_WC_SUCCESS);
	assert_int_equal(ib_process_cq_direct(cq, -1), 38);
	ib_free_cq(cq);
}

/* ib_alloc_cq() */

static void ib_alloc_cq__arms_and_polls_in_a_work(void **state)
{
	static const enum ib_poll_context contexts[] = {
		IB_POLL_SOFTIRQ,
		IB_POLL_WORKQUEUE,
		IB_POLL_UNBOUND_WORKQUEUE,
	};
	struct fake_provider *fake = *state;

	for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++) {
		struct ib_cq *cq = alloc(fake, contexts[i]);

		counter.done = 0;
		assert_ptr_equal(cq->cq_context, &counter);
		assert_int_equal(cq->cqe, 32);
		assert_true(to_fake_cq(cq)->armed);
		assert_int_equal(fake->arg[FAKE_REQ_NOTIFY_CQ][1], IB_CQ_NEXT_COMP);
		for (int n = 0; n < 20; n++)
			push(cq, &counter.cqe, IB_WC_SUCCESS);
		assert_int_equal(counter.done, 0);
		assert_int_equal(turn(), 1);
		assert_int_equal(counter.done, 20);
		assert_int_equal(fake->arg[FAKE_POLL_CQ][1], 16);
		assert_true(to_fake_cq(cq)->armed);
		assert_int_equal(fake->arg[FAKE_REQ_NOTIFY_CQ][1],
				 IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS);
		push(cq, &counter.cqe, IB_WC_SUCCESS);
		assert_int_equal(turn(), 1);
		assert_int_equal(counter.done, 21);
		ib_free_cq(cq);
	}
}

static void ib_alloc_cq__softirq_takes_256_at_a_time(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_cq *cq = alloc(fake, IB_POLL_SOFTIRQ);

	counter.to_feed = 500;
	for (int i = 0; i < 16; i++)
		push(cq, &counter.cqe, IB_WC_SUCCESS);
	assert_int_equal(base_host_turn(base_now_ns(), 1), 1);
	assert_int_equal(counter.done, 256);
	assert_false(to_fake_cq(cq)->armed);
	assert_int_equal(turn(), 2);
	assert_int_equal(counter.done, 516);
	assert_true(to_fake_cq(cq)->armed);
	ib_free_cq(cq);
}

static void ib_alloc_cq__workqueue_takes_65536_at_a_time(void **state)
{
	struct ib_cq *cq = alloc(*state, IB_POLL_WORKQUEUE);

	counter.to_feed = 70000;
	for (int i = 0; i < 16; i++)
		push(cq, &counter.cqe, IB_WC_SUCCESS);
	assert_int_equal(base_host_turn(base_now_ns(), 1), 1);
	assert_int_equal(counter.done, 65536);
	assert_int_equal(turn(), 1);
	assert_int_equal(counter.done, 70016);
	ib_free_cq(cq);
}

static int missed_calls;

/* Arming finds something once: it came between the last poll and the arming. */
static int notify_missing_once(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	if (!(flags & IB_CQ_REPORT_MISSED_EVENTS) || missed_calls++)
		return 0;
	to_fake_cq(cq)->armed = false;
	push(cq, &counter.cqe, IB_WC_SUCCESS);
	return 1;
}

static void ib_alloc_cq__polls_again_what_arming_missed(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_cq *cq = alloc(fake, IB_POLL_SOFTIRQ);

	missed_calls = 0;
	fake->ib.ops.req_notify_cq = notify_missing_once;
	push(cq, &counter.cqe, IB_WC_SUCCESS);
	assert_int_equal(turn(), 2);
	assert_int_equal(counter.done, 2);
	assert_int_equal(missed_calls, 2);
	ib_free_cq(cq);
}

static void ib_alloc_cq__direct_is_not_armed(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_cq *cq = alloc(fake, IB_POLL_DIRECT);

	assert_int_equal(fake->called[FAKE_REQ_NOTIFY_CQ], 0);
	to_fake_cq(cq)->armed = true;
	push(cq, &counter.cqe, IB_WC_SUCCESS); /* an event that nobody asked for: only a warning */
	assert_int_equal(turn(), 0);
	assert_int_equal(counter.done, 0);
	ib_free_cq(cq);
}

static void __ib_alloc_cq__refused(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_cq *cq;

	cq = __ib_alloc_cq(&fake->ib, NULL, 32, 0, (enum ib_poll_context)9, "test");
	assert_int_equal(PTR_ERR(cq), -EINVAL);
	assert_cause(CQ_POLL_CONTEXT);
	fake->fail[FAKE_CREATE_CQ] = -ENOSPC;
	cq = __ib_alloc_cq(&fake->ib, NULL, 32, 0, IB_POLL_SOFTIRQ, "test");
	assert_int_equal(PTR_ERR(cq), -ENOSPC);
	fake->ib.ops.create_cq = NULL;
	cq = __ib_alloc_cq(&fake->ib, NULL, 32, 0, IB_POLL_SOFTIRQ, "test");
	assert_int_equal(PTR_ERR(cq), -EOPNOTSUPP);
}

static void ib_alloc_cq_any__takes_vectors_in_turn(void **state)
{
	struct fake_provider *fake = *state;
	unsigned int vectors[4];

	fake->ib.num_comp_vectors = 3;
	for (int i = 0; i < 4; i++) {
		struct ib_cq *cq = ib_alloc_cq_any(&fake->ib, NULL, 32, IB_POLL_DIRECT);

		assert_false(IS_ERR(cq));
		vectors[i] = cq->comp_vector;
		ib_free_cq(cq);
		assert_in_range(vectors[i], 0, 2);
	}
	assert_int_equal(vectors[1], (vectors[0] + 1) % 3);
	assert_int_equal(vectors[2], (vectors[0] + 2) % 3);
	assert_int_equal(vectors[3], vectors[0]);
}

static void __ib_alloc_cq_any__one_vector(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_cq *cq = __ib_alloc_cq_any(&fake->ib, &counter, 32, IB_POLL_SOFTIRQ, "test");

	assert_false(IS_ERR(cq));
	assert_int_equal(cq->comp_vector, 0);
	assert_int_equal(cq->poll_ctx, IB_POLL_SOFTIRQ);
	assert_ptr_equal(cq->cq_context, &counter);
	ib_free_cq(cq);
}

/* ib_free_cq() */

static void ib_free_cq__no_callback_afterwards(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_cq *cq = alloc(fake, IB_POLL_SOFTIRQ);

	push(cq, &counter.cqe, IB_WC_SUCCESS);
	ib_free_cq(cq);
	assert_int_equal(fake->called[FAKE_DESTROY_CQ], 1);
	assert_int_equal(turn(), 0);
	assert_int_equal(counter.done, 0);
}

static void ib_free_cq__in_use_stays(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_cq *cq = alloc(fake, IB_POLL_SOFTIRQ);

	atomic_inc(&cq->usecnt);
	ib_free_cq(cq);
	atomic_dec(&cq->usecnt);
	cq->cqe_used = 1;
	ib_free_cq(cq);
	cq->cqe_used = 0;
	assert_int_equal(fake->called[FAKE_DESTROY_CQ], 0);
	push(cq, &counter.cqe, IB_WC_SUCCESS);
	assert_int_equal(turn(), 1);
	assert_int_equal(counter.done, 1);
	ib_free_cq(cq);
}

static int steps;

static int pre_destroy(struct ib_cq *cq)
{
	(void)cq;
	steps = steps * 10 + 1;
	return 0;
}

static void post_destroy(struct ib_cq *cq)
{
	(void)cq;
	steps = steps * 10 + 2;
}

static void ib_free_cq__in_two_steps_where_the_provider_has_them(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_cq *cq = alloc(fake, IB_POLL_SOFTIRQ);

	steps = 0;
	fake->ib.ops.pre_destroy_cq = pre_destroy;
	fake->ib.ops.post_destroy_cq = post_destroy;
	ib_free_cq(cq);
	assert_int_equal(steps, 12);
	assert_int_equal(fake->called[FAKE_DESTROY_CQ], 0);
}

/* Pools */

static void ib_cq_pool_get__shares_the_least_used(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_cq *a, *b, *c;

	fake->ib.attrs.max_cqe = 100000;
	a = ib_cq_pool_get(&fake->ib, 3000, -1, IB_POLL_SOFTIRQ);
	assert_false(IS_ERR(a));
	assert_int_equal(a->cqe, 4096);
	assert_true(a->shared);
	b = ib_cq_pool_get(&fake->ib, 1000, -1, IB_POLL_SOFTIRQ);
	assert_ptr_equal(b, a);
	assert_int_equal(a->cqe_used, 4000);
	c = ib_cq_pool_get(&fake->ib, 1000, -1, IB_POLL_SOFTIRQ);
	assert_false(IS_ERR(c));
	assert_ptr_not_equal(c, a);
	b = ib_cq_pool_get(&fake->ib, 50, -1, IB_POLL_SOFTIRQ);
	assert_ptr_equal(b, c);
	ib_cq_pool_put(a, 3000);
	ib_cq_pool_put(a, 1000);
	ib_cq_pool_put(c, 1050);
	assert_int_equal(a->cqe_used, 0);
}

static void ib_cq_pool_get__one_per_vector(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_cq *cq;

	fake->ib.num_comp_vectors = 2;
	for (int hint = 0; hint < 4; hint++) {
		cq = ib_cq_pool_get(&fake->ib, 8, hint, IB_POLL_WORKQUEUE);
		assert_false(IS_ERR(cq));
		assert_int_equal(cq->comp_vector, hint % 2);
		ib_cq_pool_put(cq, 8);
	}
	assert_int_equal(fake->called[FAKE_CREATE_CQ], 2);
}

static void ib_cq_pool_get__refused(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_cq *cq = ib_cq_pool_get(&fake->ib, 8, 0, IB_POLL_DIRECT);

	assert_int_equal(PTR_ERR(cq), -EINVAL);
	assert_cause(CQ_POLL_CONTEXT);
	fake->ib.attrs.max_cqe = 100;
	cq = ib_cq_pool_get(&fake->ib, 101, 0, IB_POLL_SOFTIRQ);
	assert_int_equal(PTR_ERR(cq), -EINVAL);
	assert_cause(CQ_POOL_ENTRIES);
	cq = ib_cq_pool_get(&fake->ib, 0, 0, IB_POLL_SOFTIRQ);
	assert_int_equal(PTR_ERR(cq), -EINVAL);
	fake->fail[FAKE_CREATE_CQ] = -ENOSPC;
	cq = ib_cq_pool_get(&fake->ib, 8, 0, IB_POLL_SOFTIRQ);
	assert_int_equal(PTR_ERR(cq), -ENOSPC);
}

static void ib_cq_pool_get__no_more_than_the_device_has(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_cq *cq;

	fake->ib.attrs.max_cqe = 100;
	cq = ib_cq_pool_get(&fake->ib, 100, 0, IB_POLL_SOFTIRQ);
	assert_false(IS_ERR(cq));
	assert_int_equal(cq->cqe, 100);
	ib_cq_pool_put(cq, 100);
}

static void ib_cq_pool_put__more_than_taken_is_passed_over(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_cq *cq = ib_cq_pool_get(&fake->ib, 8, 0, IB_POLL_SOFTIRQ);

	assert_false(IS_ERR(cq));
	ib_cq_pool_put(cq, 9);
	assert_int_equal(cq->cqe_used, 8);
	ib_cq_pool_put(cq, 8);
}

static void ib_cq_pool_cleanup__at_removal_of_the_device(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_cq *cq = ib_cq_pool_get(&fake->ib, 8, 0, IB_POLL_SOFTIRQ);

	assert_false(IS_ERR(cq));
	ib_cq_pool_put(cq, 8);
	assert_int_equal(fake->called[FAKE_DESTROY_CQ], 0);
	ib_unregister_device(&fake->ib);
	assert_int_equal(fake->called[FAKE_DESTROY_CQ], 1);
}

static const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	T(ib_poll_cq__takes_in_order),
	T(ib_poll_cq__turns_the_crank_when_empty),
	T(ib_req_notify_cq__tells_of_what_waits),
	T(ib_process_cq_direct__in_batches_of_8),
	T(ib_process_cq_direct__keeps_to_its_budget),
	T(ib_process_cq_direct__errors_without_cqe_are_passed_over),
	T(ib_process_cq_direct__done_may_bring_in_more),
	T(ib_alloc_cq__arms_and_polls_in_a_work),
	T(ib_alloc_cq__softirq_takes_256_at_a_time),
	T(ib_alloc_cq__workqueue_takes_65536_at_a_time),
	T(ib_alloc_cq__polls_again_what_arming_missed),
	T(ib_alloc_cq__direct_is_not_armed),
	T(__ib_alloc_cq__refused),
	T(ib_alloc_cq_any__takes_vectors_in_turn),
	T(__ib_alloc_cq_any__one_vector),
	T(ib_free_cq__no_callback_afterwards),
	T(ib_free_cq__in_use_stays),
	T(ib_free_cq__in_two_steps_where_the_provider_has_them),
	T(ib_cq_pool_get__shares_the_least_used),
	T(ib_cq_pool_get__one_per_vector),
	T(ib_cq_pool_get__refused),
	T(ib_cq_pool_get__no_more_than_the_device_has),
	T(ib_cq_pool_put__more_than_taken_is_passed_over),
	T(ib_cq_pool_cleanup__at_removal_of_the_device),
};

int main(void)
{
	return verbena_test_main(tests);
}
