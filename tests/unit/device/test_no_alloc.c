// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Nothing allocates between post and completion: this program's malloc() aborts there, and so does
 * base_zalloc(). RC over the wire and over loopback, UC, UD; with several SGEs, inline, immediate.
 */
#include <linux/err.h>
#include <stdlib.h>
#include <string.h>
#include <verbena/verbena.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/sanitizer.h"
#include "common/test.h"
#include "common/verbs_end.h"

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);

static unsigned long watched; /* calls while it was forbidden */

#ifndef BASE_WITH_SANITIZER
static void look(void)
{
	if (base_alloc_forbidden())
		__atomic_fetch_add(&watched, 1, __ATOMIC_RELAXED);
}

void *malloc(size_t size)
{
	look();
	return __libc_malloc(size);
}

void *calloc(size_t nmemb, size_t size)
{
	look();
	return __libc_calloc(nmemb, size);
}

void *realloc(void *ptr, size_t size)
{
	look();
	return __libc_realloc(ptr, size);
}
#endif

#define BYTES 20000u
#define COUNT 40

static struct verbs_end sides[2];
static struct verbena_fabric *fabric;
static struct ib_ah *address;

static void open_both(enum ib_qp_type type, bool one_host)
{
	const struct verbs_end_options options = {
		.type = type,
		.depth = 32,
		.sges = 3,
		.inline_bytes = 64,
		.bytes = BYTES + 40,
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |
			  IB_ACCESS_REMOTE_ATOMIC};
	struct ib_device *a, *b;

	fabric = verbena_fabric_new(NULL);
	assert_false(IS_ERR(fabric));
	a = verbena_host_add(fabric, "a", NULL);
	b = one_host ? a : verbena_host_add(fabric, "b", NULL);
	assert_false(IS_ERR(a) || IS_ERR(b));
	assert_int_equal(verbs_end_open(&sides[0], a, &options), 0);
	assert_int_equal(verbs_end_open(&sides[1], b, &options), 0);
	if (type == IB_QPT_UD) {
		assert_int_equal(verbena_ud_ready(sides[0].qp, 7), 0);
		assert_int_equal(verbena_ud_ready(sides[1].qp, 7), 0);
	} else {
		assert_int_equal(verbena_qp_connect(sides[0].qp, sides[1].qp, NULL), 0);
	}
}

/* As much as there is: a device keeps memory that it took for a call which then failed. */
static int teardown(void **state)
{
	(void)state;
	if (!IS_ERR_OR_NULL(address))
		rdma_destroy_ah(address, RDMA_DESTROY_AH_SLEEPABLE);
	address = NULL;
	verbs_end_close(&sides[0]);
	verbs_end_close(&sides[1]);
	if (!IS_ERR_OR_NULL(fabric))
		verbena_fabric_free(fabric);
	fabric = NULL;
	return 0;
}

static void post_receive(uint32_t bytes)
{
	struct ib_sge sge[2] = {{(u64)sides[1].mem, 40, sides[1].mr->lkey},
				{(u64)sides[1].mem + 40, bytes, sides[1].mr->lkey}};
	struct ib_recv_wr wr = {.sg_list = sge, .num_sge = 2};

	INVARIANT(!ib_post_recv(sides[1].qp, &wr, NULL));
}

static void take(int side)
{
	struct ib_wc wc;

	while (!ib_poll_cq(sides[side].cq, 1, &wc))
		;
	INVARIANT(wc.status == IB_WC_SUCCESS);
}

/* One request of each opcode, from the post to the last completion. */
static void converse(enum ib_wr_opcode opcode, uint32_t bytes, bool takes_receive, struct ib_ah *ah)
{
	struct ib_sge sge[2] = {{(u64)sides[0].mem, bytes / 2, sides[0].mr->lkey},
				{(u64)sides[0].mem + bytes / 2, bytes - bytes / 2,
				 sides[0].mr->lkey}};
	struct ib_rdma_wr rdma = {.remote_addr = (u64)sides[1].mem, .rkey = sides[1].mr->rkey};
	struct ib_atomic_wr atomic = {
		.remote_addr = (u64)sides[1].mem, .rkey = sides[1].mr->rkey, .compare_add = 1};
	struct ib_ud_wr ud = {.ah = ah, .remote_qpn = sides[1].qp->qp_num, .remote_qkey = 7};
	const bool is_atomic = opcode == IB_WR_ATOMIC_FETCH_AND_ADD;
	struct ib_send_wr *wr = ah ? &ud.wr : is_atomic ? &atomic.wr : &rdma.wr;

	wr->opcode = opcode;
	wr->sg_list = sge;
	wr->num_sge = is_atomic ? 1 : 2;
	if (is_atomic)
		sge[0].length = 8;
	if (bytes <= 64 && opcode == IB_WR_SEND)
		wr->send_flags = IB_SEND_INLINE;
	base_alloc_forbid(true);
	if (takes_receive)
		post_receive(bytes);
	INVARIANT(!ib_post_send(sides[0].qp, wr, NULL));
	take(0);
	if (takes_receive)
		take(1);
	base_alloc_forbid(false);
}

static void connected(enum ib_qp_type type, bool one_host)
{
	watched = 0;
	open_both(type, one_host);
	for (int i = 0; i < COUNT; i++) {
		converse(IB_WR_SEND, 16, true, NULL);
		converse(IB_WR_SEND_WITH_IMM, BYTES, true, NULL);
		converse(IB_WR_RDMA_WRITE, BYTES, false, NULL);
		converse(IB_WR_RDMA_WRITE_WITH_IMM, 1000, true, NULL);
		if (type != IB_QPT_RC)
			continue;
		converse(IB_WR_RDMA_READ, BYTES, false, NULL);
		converse(IB_WR_ATOMIC_FETCH_AND_ADD, 8, false, NULL);
	}
	assert_int_equal(watched, 0);
}

static void post_to_completion__rc_over_the_wire(void **state)
{
	(void)state;
	connected(IB_QPT_RC, false);
}

static void post_to_completion__rc_loopback(void **state)
{
	(void)state;
	connected(IB_QPT_RC, true);
}

static void post_to_completion__uc(void **state)
{
	(void)state;
	connected(IB_QPT_UC, false);
}

static void post_to_completion__ud(void **state)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB};
	struct ib_port_attr port;

	(void)state;
	watched = 0;
	open_both(IB_QPT_UD, false);
	assert_int_equal(ib_query_port(sides[1].qp->device, 1, &port), 0);
	rdma_ah_set_port_num(&attr, 1);
	rdma_ah_set_dlid(&attr, port.lid);
	address = rdma_create_ah(sides[0].pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	assert_false(IS_ERR(address));
	for (int i = 0; i < COUNT; i++) {
		converse(IB_WR_SEND, 32, true, address);
		converse(IB_WR_SEND_WITH_IMM, 4096, true, address);
	}
	assert_int_equal(watched, 0);
}

/* The watch itself works. */
static void malloc__is_watched(void **state)
{
	void *volatile block;

	(void)state;
#ifdef BASE_WITH_SANITIZER
	skip(); /* the sanitizer's malloc() stays; base_zalloc() aborts all the same */
#endif
	watched = 0;
	base_alloc_forbid(true);
	block = malloc(10);
	base_alloc_forbid(false);
	free(block);
	assert_int_equal(watched, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(malloc__is_watched),
	cmocka_unit_test_teardown(post_to_completion__rc_over_the_wire, teardown),
	cmocka_unit_test_teardown(post_to_completion__rc_loopback, teardown),
	cmocka_unit_test_teardown(post_to_completion__uc, teardown),
	cmocka_unit_test_teardown(post_to_completion__ud, teardown),
};

int main(void)
{
	return verbena_test_main(tests);
}
