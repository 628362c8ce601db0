/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fuzz_tp_receive: a pair of queue pairs, what was posted to them, and what must be true of them
 * whatever arrives.
 */
#ifndef TESTS_FUZZ_TP_RECEIVE_WORLD_H
#define TESTS_FUZZ_TP_RECEIVE_WORLD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/test_host.h"

/* Places in the hosts' buffers, with guards before, between and behind. */
#define GUARD_BYTES 8192u
#define OPEN_BYTES 65536u
#define READ_ONLY_BYTES 4096u
#define OPEN_AT GUARD_BYTES
#define READ_ONLY_AT (OPEN_AT + OPEN_BYTES + GUARD_BYTES)

#define MAX_WRS 400u

#define REQUIRE(cond)                                                                      \
	do {                                                                               \
		if (!(cond)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #cond); \
			abort();                                                           \
		}                                                                          \
	} while (0)

struct input {
	const uint8_t *at;
	size_t left;
};

enum wr_state {
	WR_POSTED,
	WR_DONE,
	WR_TAKEN_BACK, /* by RESET */
};

/**
 * struct wr - A posted request or receive; its index is its wr_id.
 * @qp: Where.
 * @send: A request.
 * @signalled: It completes even if nothing goes wrong.
 * @state: What has become of it.
 */
struct wr {
	struct test_qp *qp;
	bool send;
	bool signalled;
	enum wr_state state;
};

/**
 * struct world - One pair on its way.
 * @in: What is left of the input.
 * @pair: Hosts, wire, queue pairs. The hosts' regions have all rights.
 * @read_only: A region of each host that nobody may write.
 * @scattered: RC, UC: a region for fast registration of each host, pages of the open one with gaps.
 * @ah: From each host to the other.
 * @wrs: Everything that was posted.
 * @wr_count: How many.
 */
struct world {
	struct input in;
	struct test_pair pair;
	struct ib_mr *read_only[2];
	struct ib_mr *scattered[2];
	struct ib_ah *ah[2];
	struct wr wrs[MAX_WRS];
	uint32_t wr_count;
};

/* world.c */

/** take8() - The next byte of the input; 0 behind its end. */
uint8_t take8(struct input *in);

/** take16() - Two bytes. */
uint16_t take16(struct input *in);

/** take32() - Four bytes. */
uint32_t take32(struct input *in);

/** take64() - Eight bytes. */
uint64_t take64(struct input *in);

/** rvt() - What rdmavt knows of a queue pair. */
struct rvt_qp *rvt(const struct test_qp *qp);

/** peer_of() - The other one. */
struct test_qp *peer_of(struct world *w, const struct test_qp *qp);

/** side_of() - 0 or 1. */
int side_of(const struct world *w, const struct test_qp *qp);

/** register_open() - The region with all rights of a host, which has none. */
void register_open(struct test_host *host);

/** world_begin() - A connected pair, as the next bytes of the input say. */
void world_begin(struct world *w);

/** set_room() - The wire takes so many runs, and says so. */
void set_room(struct world *w, uint32_t runs);

/** world_check() - What must be true at any time. */
void world_check(const struct world *w);

/** world_end() - All that was posted and not taken back ends, and all is given back. */
void world_end(struct world *w);

/* arrive.c */

/** arrive_load() - Once: the captures. */
void arrive_load(void);

/** inject() - Something arrives at a queue pair that nobody has sent. */
void inject(struct world *w, struct test_qp *to);

/** inject_batch() - Several at a time. */
void inject_batch(struct world *w, struct test_qp *to);

/* work.c */

/** take_rkey() - Mostly that of @owner's open region. */
u32 take_rkey(struct world *w, const struct test_qp *owner);

/** take_va() - Mostly an address in that region. */
u64 take_va(struct world *w, const struct test_qp *owner);

/** post_recv() - A receive. */
void post_recv(struct world *w, struct test_qp *qp);

/** post_send() - A request. */
void post_send(struct world *w, struct test_qp *qp);

/** poll_both() - All completions. Each comes once, in order, and with a cause if it is an error. */
void poll_both(struct world *w);

/** take_back() - The queue pair was reset: nothing of it completes any more. */
void take_back(struct world *w, const struct test_qp *qp);

#endif
