/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Two hosts whose wire has windows. Both processes are this one; what one may see of the other, and
 * what it may reach, this file decides.
 *
 * Each host's keys begin in the middle of what its process shows: before and behind them are those of
 * other devices, which have nothing to say here.
 */
#ifndef TESTS_TRANSPORT_WINDOW_FIXTURE_H
#define TESTS_TRANSPORT_WINDOW_FIXTURE_H

#include <errno.h>
#include <string.h>

#include "base/umem.h"
#include "common/test.h"
#include "common/test_host.h"
#include "rdmavt/mr_table.h"
#include "transport/tp_qp.h"
#include "transport/window.h"

#define WINDOWS 4u
#define FIRST_KEY TEST_HOST_KEYS
#define KEYS (3u * TEST_HOST_KEYS)
#define BUFFER(w, i) ((w)->pair.host[i]->buffer)

/* Where a test can step in. */
enum moment {
	BEFORE_FIND,
	AFTER_FIND,   /* the window is known, and its lock not taken */
	BEFORE_PLACE, /* the key was good */
	AFTER_PLACE,
};

/**
 * struct windows - The fixture.
 * @pair: Hosts and queue pairs.
 * @window: Those of each host's queue pairs.
 * @keys: What each process has of keys.
 * @shown: What its peer sees instead; NULL: @keys.
 * @shown_count: How many of them.
 * @refuse: No windows are to be had.
 * @gone: The peer is dead: handles lead nowhere.
 * @place_error: What place() says after it has copied half; 0: it does as it is told.
 * @step_in: Called at each moment, or NULL.
 * @opened: Windows.
 * @closed: Windows.
 * @placed: Requests.
 * @wild: Copies to or from an address that is none of a buffer's.
 */
static struct windows {
	struct test_pair pair;
	struct tp_window window[2][WINDOWS];
	struct rvt_mr_entry keys[2][KEYS];
	const struct rvt_mr_entry *shown;
	uint32_t shown_count;
	bool refuse;
	bool gone;
	int place_error;
	void (*step_in)(struct windows *w, enum moment moment);
	unsigned int opened;
	unsigned int closed;
	unsigned int placed;
	unsigned int wild;
} fixture;

static void at(enum moment moment)
{
	if (fixture.step_in)
		fixture.step_in(&fixture, moment);
}

static unsigned int index_of(const struct tp_port *port)
{
	const struct test_host *first = fixture.pair.host[0]; /* none while it is being made */

	return first && port != first->port;
}

static uint64_t window_open(struct tp_port *port, const struct tp_window *terms)
{
	struct tp_window *w = fixture.window[index_of(port)];

	for (uint64_t i = 0; i < WINDOWS && !fixture.refuse; i++) {
		if (w[i].qpn)
			continue;
		w[i] = *terms;
		fixture.opened++;
		return i + 1;
	}
	return 0;
}

static struct tp_window *window_get(struct tp_port *port, uint64_t handle)
{
	assert_in_range(handle, 1, WINDOWS);
	return fixture.gone ? NULL : &fixture.window[index_of(port)][handle - 1];
}

static void window_close(struct tp_port *port, uint64_t handle)
{
	__atomic_store_n(&window_get(port, handle)->qpn, 0, __ATOMIC_SEQ_CST);
	fixture.closed++;
}

static bool window_left(struct tp_port *port, uint32_t pd, uint32_t qpn, uint64_t timeout_ns,
			struct base_cause *holder)
{
	const struct tp_window *w = fixture.window[index_of(port)];

	(void)pd;
	(void)qpn;
	(void)timeout_ns;
	for (uint32_t i = 0; i < WINDOWS; i++) {
		if (!(__atomic_load_n(&w[i].lock, __ATOMIC_SEQ_CST) & TP_WINDOW_HOLDER))
			continue;
		if (holder) {
			holder->qpn = w[i].qpn;
			holder->arg[0] = 4711;
			base_cause_put_text(holder, 1, "there");
		}
		return false;
	}
	return true;
}

static bool is_within(const char *buffer, uint64_t at_address, uint64_t bytes)
{
	return rvt_range_holds((uintptr_t)buffer, TEST_HOST_BUFFER_BYTES, at_address, bytes);
}

/* What a requester says of its own bytes is never the peer's to decide. */
static void check_local(const struct tp_payload *local, uint32_t skip, uint32_t bytes)
{
	uint64_t room = 0;

	for (uint32_t i = 0; i < local->count; i++)
		room += local->iov[i].iov_len;
	assert_true(local->offset + skip + bytes <= room);
}

static int copy(bool write, const struct tp_payload *local, uint32_t skip, uint64_t there,
		uint32_t bytes)
{
	struct iovec remote = {(void *)(uintptr_t)there, bytes};

	if (write)
		return base_umem_copy_iov(&remote, 1, 0, local->iov, local->count,
					  local->offset + skip, bytes);
	return base_umem_copy_iov(local->iov, local->count, local->offset + skip, &remote, 1, 0,
				  bytes);
}

static int window_place(const struct tp_peer_window *pw, bool write, const struct tp_payload *local,
			uint32_t skip, uint64_t there, uint32_t bytes)
{
	const char *buffer = pw->ctx;
	int ret;

	at(BEFORE_PLACE);
	check_local(local, skip, bytes);
	if (!is_within(buffer, there, bytes)) {
		fixture.wild++;
		return -EFAULT;
	}
	ret = copy(write, local, skip, there, fixture.place_error ? bytes / 2 : bytes);
	at(AFTER_PLACE);
	return fixture.place_error ? fixture.place_error : ret;
}

static bool window_find(struct tp_port *port, const struct tp_run *run, struct tp_peer_window *out)
{
	const unsigned int peer = 1 - index_of(port);

	assert_int_equal(run->path.dlid, fixture.pair.host[peer]->options.lid);
	at(BEFORE_FIND);
	for (uint32_t i = 0; i < WINDOWS && !fixture.gone; i++) {
		struct tp_window *w = &fixture.window[peer][i];

		if (__atomic_load_n(&w->qpn, __ATOMIC_ACQUIRE) != run->dest_qpn)
			continue;
		*out = (struct tp_peer_window){
			.window = w,
			.keys = fixture.shown ? fixture.shown : fixture.keys[peer],
			.key_count = fixture.shown ? fixture.shown_count : KEYS,
			.self = (uint16_t)(2 - peer),
			.place = window_place,
			.ctx = BUFFER(&fixture, peer),
		};
		at(AFTER_FIND);
		return true;
	}
	return false;
}

static void window_placed(struct tp_port *port, const struct tp_run *run)
{
	(void)port;
	(void)run;
	fixture.placed++;
}

static uint16_t window_self(const struct tp_port *port)
{
	return (uint16_t)(index_of(port) + 1);
}

static const struct tp_window_ops window_ops = {
	.open = window_open,
	.get = window_get,
	.close = window_close,
	.left = window_left,
	.find = window_find,
	.placed = window_placed,
	.self = window_self,
};

static int windows_teardown(void **state)
{
	fixture.step_in = NULL;
	fixture.gone = false;
	return test_pair_teardown(state);
}

static int windows_setup(void **state)
{
	memset(&fixture, 0, sizeof(fixture));
	*state = &fixture; /* and its pair */
	fixture.pair.wire = test_wire_new();
	if (!fixture.pair.wire)
		return -1;
	fixture.pair.wire->ops.windows = &window_ops;
	for (uint16_t i = 0; i < 2; i++) {
		const struct test_host_options options = {.lid = (uint16_t)(i + 1),
							  .keys = &fixture.keys[i][FIRST_KEY],
							  .first_key = FIRST_KEY};

		fixture.pair.host[i] = test_host_new(fixture.pair.wire, &options);
		if (!fixture.pair.host[i]) {
			windows_teardown(state);
			return -1;
		}
	}
	return 0;
}

/* Of b's memory, by a. */
static struct test_wr write_wr(uint32_t offset, uint32_t bytes)
{
	return (struct test_wr){.opcode = IB_WR_RDMA_WRITE,
				.offset = offset,
				.bytes = bytes,
				.remote = fixture.pair.host[1],
				.remote_offset = offset};
}

static struct test_wr read_wr(uint32_t offset, uint32_t bytes)
{
	struct test_wr wr = write_wr(offset, bytes);

	wr.opcode = IB_WR_RDMA_READ;
	return wr;
}

/* Posts a request, and returns how it ended; timers run if it needs them. */
static enum ib_wc_status do_wr(const struct test_wr *wr)
{
	struct ib_wc wc;

	assert_int_equal(test_post_send(&fixture.pair.a, wr), 0);
	for (unsigned int seconds = 0; !test_poll(fixture.pair.a.send_cq, &wc); seconds++) {
		assert_true(seconds < 60);
		test_turn(1000000000);
	}
	return wc.status;
}

/* Connected, and the first WRITE, which went through the wire, has opened b's window. */
static struct windows *begin(void **state, const struct test_qp_options *b)
{
	static const struct test_qp_options usual = {.psn = 0};
	struct windows *w = *state;
	const struct test_wr first = write_wr(0, 8);

	assert_int_equal(test_pair_connect(&w->pair, &(struct test_qp_options){.psn = 0xfffffe},
					   b ? b : &usual),
			 0);
	assert_int_equal(do_wr(&first), IB_WC_SUCCESS);
	assert_int_equal(w->opened, 1);
	assert_int_equal(w->placed, 0);
	test_wire_log(w->pair.wire);
	return w;
}

static struct tp_window *window(void)
{
	return &fixture.window[1][0];
}

static void fill(char *buffer, uint32_t offset, uint32_t bytes, int seed)
{
	for (uint32_t i = 0; i < bytes; i++)
		buffer[offset + i] = (char)(seed + (int)i * 7);
}

/* Whether a request went direct. */
static bool goes_direct(const struct test_wr *wr)
{
	const unsigned int before = fixture.placed;

	fill(BUFFER(&fixture, 0), wr->offset, wr->bytes, (int)before);
	fill(BUFFER(&fixture, 1), wr->offset, wr->bytes, (int)before + 1);
	assert_int_equal(do_wr(wr), IB_WC_SUCCESS);
	assert_memory_equal(BUFFER(&fixture, 0) + wr->offset, BUFFER(&fixture, 1) + wr->offset,
			    wr->bytes);
	return fixture.placed == before + 1;
}

#endif
