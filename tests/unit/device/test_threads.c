// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Threads that have nothing in common but the two ports: each drives a queue pair of its own, and all
 * their runs go through the same two rings, which are emptied by whoever comes first.
 */
#include <linux/err.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <verbena/verbena.h>

#include "base/check.h"
#include "base/host.h"
#include "common/test.h"
#include "common/verbs_end.h"
#include "device/threads.h"

#define PAIRS 4
#define MESSAGES 1500u
#define STARTS 8000
#define DEPTH 32u
#define BYTES 6000u /* two packets */

struct end {
	pthread_t thread;
	struct verbs_end v;
	struct end *peer;
	uint32_t posted, sent, received;
	uint8_t mem[2][DEPTH][BYTES]; /* to send; to receive */
};

static struct verbena_fabric *fabric;
static struct end ends[PAIRS][2];
static unsigned int wrong; /* atomic: all give up */

static void note_wrong(void)
{
	__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static void open_end(struct end *e, struct ib_device *device, struct end *peer)
{
	const struct verbs_end_options options = {.type = IB_QPT_RC, .depth = DEPTH, .sges = 1};

	memset(e, 0, sizeof(*e));
	e->peer = peer;
	assert_int_equal(verbs_end_open(&e->v, device, &options), 0);
	e->v.mr = ib_reg_user_mr(e->v.pd, (u64)e->mem, sizeof(e->mem), (u64)e->mem,
				 IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ);
	assert_false(IS_ERR(e->v.mr));
}

/* As much as there is: a device keeps memory that it took for a call which then failed. */
static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < 2 * PAIRS; i++)
		verbs_end_close(&ends[i / 2][i % 2].v);
	if (!IS_ERR_OR_NULL(fabric))
		verbena_fabric_free(fabric);
	fabric = NULL;
	return 0;
}

static void post_receive(struct end *e, uint32_t slot)
{
	struct ib_sge sge = {(u64)e->mem[1][slot], BYTES, e->v.mr->lkey};
	struct ib_recv_wr wr = {.wr_id = slot, .sg_list = &sge, .num_sge = 1};

	INVARIANT(!ib_post_recv(e->v.qp, &wr, NULL));
}

/* Every third message is also read back by its sender: answers go through the rings, too. */
static void post_send(struct end *e, uint32_t number)
{
	const uint32_t slot = number % DEPTH;
	struct ib_sge sge = {(u64)e->mem[0][slot], BYTES, e->v.mr->lkey};
	struct ib_rdma_wr wr = {.wr = {.wr_id = number,
				       .sg_list = &sge,
				       .num_sge = 1,
				       .opcode = number % 3 ? IB_WR_SEND : IB_WR_RDMA_READ},
				.remote_addr = (u64)e->peer->mem[0][slot],
				.rkey = e->peer->v.mr->rkey};

	if (number % 3)
		memset(e->mem[0][slot], (int)number, BYTES);
	INVARIANT(!ib_post_send(e->v.qp, &wr.wr, NULL));
}

static bool is_message(uint32_t number)
{
	return number % 3 != 0;
}

static void take_receive(struct end *e, const struct ib_wc *wc)
{
	const uint8_t *got = e->mem[1][wc->wr_id];
	uint32_t number = e->received + e->received / 2 + 1; /* the one that is no READ */

	if (got[0] != (uint8_t)number || memcmp(got, got + 1, BYTES - 1) != 0)
		note_wrong();
	e->received++;
	post_receive(e, (uint32_t)wc->wr_id);
}

static void take(struct end *e)
{
	struct ib_wc wc[8];
	const int n = ib_poll_cq(e->v.cq, 8, wc);

	if (n <= 0)
		(void)sched_yield();
	for (int i = 0; i < n; i++) {
		if (wc[i].status != IB_WC_SUCCESS)
			note_wrong();
		if (wc[i].opcode == IB_WC_RECV)
			take_receive(e, &wc[i]);
		else
			e->sent++;
	}
}

static void *converse(void *arg)
{
	uint32_t expected = 0;
	struct end *e = arg;

	for (uint32_t i = 0; i < MESSAGES; i++)
		expected += is_message(i);
	while (!__atomic_load_n(&wrong, __ATOMIC_RELAXED) &&
	       (e->sent < MESSAGES || e->received < expected)) {
		while (e->posted < MESSAGES && e->posted - e->sent < DEPTH)
			post_send(e, e->posted++);
		take(e);
	}
	return NULL;
}

/* A ring's entries that move while another thread sends or empties would be lost, or come twice. */
/* The engine may be told to stop at any moment, also when it is just about to sleep. */
static void device_threads_put__never_waits_for_a_sleeper(void **state)
{
	(void)state;
	for (int round = 0; round < STARTS; round++) {
		assert_int_equal(device_threads_get(), 0);
		for (int wait = 0; wait < round % 500; wait++)
			(void)base_host_deadline_ns();
		device_threads_put();
	}
}

static void threads__share_two_ports(void **state)
{
	struct ib_device *host[2];

	(void)state;
	fabric = verbena_fabric_new(NULL);
	assert_false(IS_ERR(fabric));
	host[0] = verbena_host_add(fabric, "a", NULL);
	host[1] = verbena_host_add(fabric, "b", NULL);
	assert_false(IS_ERR(host[0]) || IS_ERR(host[1]));
	for (int i = 0; i < PAIRS; i++) {
		for (int s = 0; s < 2; s++)
			open_end(&ends[i][s], host[s], &ends[i][1 - s]);
		assert_int_equal(verbena_qp_connect(ends[i][0].v.qp, ends[i][1].v.qp, NULL), 0);
		for (uint32_t slot = 0; slot < 2 * DEPTH; slot++)
			post_receive(&ends[i][slot / DEPTH], slot % DEPTH);
	}
	for (int i = 0; i < 2 * PAIRS; i++)
		assert_int_equal(pthread_create(&ends[i / 2][i % 2].thread, NULL, converse,
						&ends[i / 2][i % 2]),
				 0);
	for (int i = 0; i < 2 * PAIRS; i++) {
		assert_int_equal(pthread_join(ends[i / 2][i % 2].thread, NULL), 0);
		assert_int_equal(wrong, 0);
		assert_int_equal(ends[i / 2][i % 2].sent, MESSAGES);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(device_threads_put__never_waits_for_a_sleeper),
	cmocka_unit_test_teardown(threads__share_two_ports, teardown),
};

int main(void)
{
	return verbena_test_main(tests);
}
