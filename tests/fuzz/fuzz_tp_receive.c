// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What may arrive at a live queue pair, in any order: runs with any headers, and damaged packets of
 * real captures; between them requests and receives of ours, deliveries, losses, time, and changes of
 * state. Input: the kind of the pair, then steps of an opcode and its arguments; zeros follow its end.
 *
 * It aborts when a byte outside of what a key grants is written or offered to the wire, when a
 * request completes twice, not at all or out of order, when a run is neither taken nor counted, when
 * an error has no cause, and when something is left at the end.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/host.h"
#include "fuzz/tp_receive/world.h"

/* Enough for what libFuzzer makes of a thousand bytes. */
#define MAX_STEPS 400u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void reconnect(struct world *w)
{
	poll_both(w);
	REQUIRE(!test_qp_to(&w->pair.a, IB_QPS_RESET) && !test_qp_to(&w->pair.b, IB_QPS_RESET));
	poll_both(w);
	take_back(w, &w->pair.a);
	take_back(w, &w->pair.b);
	REQUIRE(!test_qp_connect(&w->pair.a, &w->pair.b));
}

static void change_state(struct world *w, struct test_qp *qp)
{
	switch (take8(&w->in) % 8) {
	case 0:
	case 1:
		reconnect(w);
		break;
	case 2:
		(void)test_qp_to(qp, IB_QPS_ERR);
		break;
	case 3:
	case 4:
		(void)test_qp_to(qp, IB_QPS_SQD);
		break;
	default:
		(void)test_qp_to(qp, IB_QPS_RTS);
		break;
	}
}

static void change_room(struct world *w, struct test_qp *qp)
{
	const uint8_t room = take8(&w->in);

	(void)qp;
	set_room(w, room & 0x80 ? TEST_WIRE_ROOM : room % 8);
}

/*
 * Who uses the region dies of that; its successor has other keys. A wire that would not let go of what
 * it reads from there keeps it from going.
 */
static void register_anew(struct world *w, struct test_qp *qp)
{
	set_room(w, TEST_WIRE_ROOM);
	test_wire_deliver(w->pair.wire, TEST_WIRE_ROOM);
	REQUIRE(!ib_dereg_mr(qp->host->mr));
	register_open(qp->host);
}

static void deliver(struct world *w, struct test_qp *qp)
{
	(void)qp;
	test_wire_deliver(w->pair.wire, take8(&w->in) % 16u + 1u);
}

static void lose(struct world *w, struct test_qp *qp)
{
	(void)qp;
	(void)test_wire_drop(w->pair.wire);
}

static void poll_all(struct world *w, struct test_qp *qp)
{
	(void)qp;
	poll_both(w);
}

static void let_time_pass(struct world *w, struct test_qp *qp)
{
	const uint64_t ns = take8(&w->in);

	(void)qp;
	test_turn(ns << (take8(&w->in) % 20));
}

static void change_something(struct world *w, struct test_qp *qp)
{
	const uint8_t what = take8(&w->in);

	if (what & 0x80)
		change_state(w, qp);
	else if (what & 0x40)
		register_anew(w, qp);
	else
		change_room(w, qp);
}

static void take_step(struct world *w)
{
	static void (*const steps[])(struct world * w, struct test_qp * qp) = {
		inject,	   inject,    inject,	     inject,	      inject_batch, post_recv,
		post_recv, post_send, post_send,     post_send,	      deliver,	    deliver,
		lose,	   poll_all,  let_time_pass, change_something};
	const uint8_t what = take8(&w->in);

	steps[what % 16](w, what & 0x80 ? &w->pair.b : &w->pair.a);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	static struct world w;
	static bool begun;
	size_t live;

	if (!begun)
		arrive_load();
	begun = true;
	live = base_alloc_live();
	memset(&w, 0, sizeof(w));
	w.in = (struct input){bytes, count};
	world_begin(&w);
	for (unsigned int i = 0; i < MAX_STEPS && w.in.left; i++) {
		take_step(&w);
		world_check(&w);
	}
	world_end(&w);
	REQUIRE(base_alloc_live() == live && base_host_idle());
	return 0;
}
