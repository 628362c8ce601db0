// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * A host goes, or the whole fabric, while threads post, poll and make objects there. Each thread goes
 * on until it is refused because the device is gone; what is left is destroyed afterwards.
 */
#include <errno.h>
#include <linux/err.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <verbena/verbena.h>

#include "base/check.h"
#include "common/test.h"
#include "common/verbs_end.h"

#define PAIRS 2
#define ROUNDS 8
#define DEPTH 32u
#define BYTES 5000u
#define POSTS_BEFORE_REMOVAL 200u

struct pair {
	struct verbs_end from, to;
	pthread_t poster, poller, maker;
};

static struct verbena_fabric *fabric;
static struct pair pairs[PAIRS];
static struct ib_device *leaving;
static unsigned int posts; /* atomic */
static bool gone;	   /* atomic */

/* A WRITE or, every other time, a SEND, for which the peer seldom has a receive. */
static int post(struct pair *p, unsigned int number)
{
	struct ib_sge sge = {(u64)p->from.mem, BYTES, p->from.mr->lkey};
	struct ib_rdma_wr wr = {.wr = {.opcode = number % 2 ? IB_WR_SEND : IB_WR_RDMA_WRITE,
				       .sg_list = &sge,
				       .num_sge = 1},
				.remote_addr = (u64)p->to.mem,
				.rkey = p->to.mr->rkey};

	return ib_post_send(p->from.qp, &wr.wr, NULL);
}

static void *run_poster(void *arg)
{
	struct pair *p = arg;
	struct ib_sge sge = {(u64)p->to.mem, BYTES, p->to.mr->lkey};
	const struct ib_recv_wr receive = {.sg_list = &sge, .num_sge = 1};
	struct ib_wc wc;
	int ret;

	for (unsigned int n = 0; (ret = post(p, n)) != -ENODEV; n++) {
		INVARIANT(!ret || ret == -ENOMEM);
		__atomic_fetch_add(&posts, 1, __ATOMIC_RELAXED);
		(void)ib_post_recv(p->to.qp, &receive, NULL);
		(void)ib_poll_cq(p->from.cq, 1, &wc);
	}
	return NULL;
}

static void *run_poller(void *arg)
{
	struct pair *p = arg;
	struct ib_wc wc[4];

	while (!__atomic_load_n(&gone, __ATOMIC_ACQUIRE)) {
		(void)ib_poll_cq(p->from.cq, 4, wc);
		(void)ib_poll_cq(p->to.cq, 4, wc);
	}
	return NULL;
}

static void *run_maker(void *arg)
{
	const struct ib_cq_init_attr cq_attr = {.cqe = 1};
	struct ib_pd *pd;
	struct ib_cq *cq;

	(void)arg;
	while ((pd = ib_alloc_pd(leaving, 0)) != ERR_PTR(-ENODEV)) {
		if (IS_ERR(pd))
			continue;
		cq = ib_create_cq(leaving, NULL, NULL, NULL, &cq_attr);
		if (!IS_ERR(cq))
			ib_destroy_cq(cq);
		ib_dealloc_pd(pd);
	}
	return NULL;
}

static void open_pair(struct pair *p, struct ib_device *from, struct ib_device *to)
{
	const struct verbs_end_options options = {.type = IB_QPT_RC,
						  .depth = DEPTH,
						  .sges = 1,
						  .bytes = BYTES,
						  .access = IB_ACCESS_LOCAL_WRITE |
							    IB_ACCESS_REMOTE_WRITE};

	assert_int_equal(verbs_end_open(&p->from, from, &options), 0);
	assert_int_equal(verbs_end_open(&p->to, to, &options), 0);
	assert_int_equal(verbena_qp_connect(p->from.qp, p->to.qp, NULL), 0);
}

static void start(struct pair *p)
{
	assert_int_equal(pthread_create(&p->poster, NULL, run_poster, p), 0);
	assert_int_equal(pthread_create(&p->poller, NULL, run_poller, p), 0);
	assert_int_equal(pthread_create(&p->maker, NULL, run_maker, p), 0);
}

static void stop(struct pair *p)
{
	pthread_join(p->poster, NULL);
	pthread_join(p->maker, NULL);
	__atomic_store_n(&gone, true, __ATOMIC_RELEASE);
	pthread_join(p->poller, NULL);
}

static void free_fabric(void)
{
	verbena_fabric_free(fabric);
	fabric = NULL;
}

static void close_all(void)
{
	for (int i = 0; i < PAIRS; i++) {
		verbs_end_close(&pairs[i].to);
		verbs_end_close(&pairs[i].from);
	}
	free_fabric();
}

/* As much as there is: a device keeps memory that it took for a call which then failed. */
static int teardown(void **state)
{
	(void)state;
	close_all();
	return 0;
}

/* @whole: The fabric goes. @alone: On one host, so that the loopback engine is at work. */
static void remove_under_load(const struct verbena_faults *faults, bool whole, bool alone)
{
	const struct verbena_fabric_options options = {.faults = *faults};
	struct ib_device *other;

	fabric = verbena_fabric_new(&options);
	assert_false(IS_ERR(fabric));
	leaving = verbena_host_add(fabric, "leaving", NULL);
	other = alone ? leaving : verbena_host_add(fabric, "staying", NULL);
	assert_false(IS_ERR(leaving) || IS_ERR(other));
	for (int i = 0; i < PAIRS; i++)
		open_pair(&pairs[i], leaving, other);
	posts = 0;
	gone = false;
	for (int i = 0; i < PAIRS; i++)
		start(&pairs[i]);
	while (__atomic_load_n(&posts, __ATOMIC_RELAXED) < POSTS_BEFORE_REMOVAL)
		sched_yield();
	if (whole)
		free_fabric();
	else
		verbena_host_remove(leaving);
	for (int i = 0; i < PAIRS; i++)
		stop(&pairs[i]);
	close_all();
}

static const struct verbena_faults none = {.seed = 0};
static const struct verbena_faults some = {.drop_ppm = 20000, .delay_ns = 100000};

static void verbena_host_remove__while_threads_are_at_work(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++)
		remove_under_load(&none, false, false);
}

static void verbena_host_remove__while_packets_are_under_way(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++)
		remove_under_load(&some, false, false);
}

static void verbena_host_remove__while_the_loopback_engine_works(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++)
		remove_under_load(&none, false, true);
}

static void verbena_fabric_free__while_threads_are_at_work(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++)
		remove_under_load(round % 2 ? &some : &none, true, false);
}

static void verbena_fabric_free__while_the_loopback_engine_works(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++)
		remove_under_load(&none, true, true);
}

/* Hosts that come and go at once, on one fabric. Returns what was refused, if anything was. */
static void *come_and_go(void *arg)
{
	struct ib_device *device;

	for (int i = 0; i < ROUNDS; i++) {
		device = verbena_host_add(arg, "passing", NULL);
		if (IS_ERR(device))
			return device;
		verbena_host_remove(device);
	}
	return NULL;
}

static void verbena_host_remove__several_at_once(void **state)
{
	pthread_t threads[3];
	void *failure[3];

	(void)state;
	fabric = verbena_fabric_new(NULL);
	assert_false(IS_ERR(fabric));
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, fabric), 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], &failure[i]);
	for (int i = 0; i < 3; i++)
		assert_null(failure[i]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(verbena_host_remove__while_threads_are_at_work, teardown),
	cmocka_unit_test_teardown(verbena_host_remove__while_packets_are_under_way, teardown),
	cmocka_unit_test_teardown(verbena_host_remove__while_the_loopback_engine_works, teardown),
	cmocka_unit_test_teardown(verbena_host_remove__several_at_once, teardown),
	cmocka_unit_test_teardown(verbena_fabric_free__while_threads_are_at_work, teardown),
	cmocka_unit_test_teardown(verbena_fabric_free__while_the_loopback_engine_works, teardown),
};

int main(void)
{
	return verbena_test_main(tests);
}
