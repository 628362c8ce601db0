// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The requester's side of windows, towards owners that are sound, that change their minds in the middle,
 * and that show nonsense.
 */
#include <linux/kernel.h>
#include <stdio.h>
#include <sys/mman.h>

#include "base/cause.h"
#include "window_fixture.h"

/* How it goes */

static void request__is_executed_by_the_requester_alone(void **state)
{
	static const uint32_t sizes[] = {0, 1, 8, 9, 1024, 1025, 70000};
	struct windows *w = begin(state, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		const struct test_wr wr = write_wr(64, sizes[i]), rd = read_wr(64, sizes[i]);

		assert_true(goes_direct(&wr));
		assert_true(goes_direct(&rd));
	}
	assert_string_equal(test_wire_log(w->pair.wire), "");
	assert_int_equal(w->wild, 0);
	assert_int_equal(window()->lock & TP_WINDOW_HOLDER, 0);
}

/* A device's keys mean nothing in another's table, even if the numbers of PD and key are there, too. */
static void keys__are_those_of_the_queue_pairs_device(void **state)
{
	struct windows *w = begin(state, NULL);
	const struct rvt_mr_entry *real =
		&w->keys[1][FIRST_KEY + (w->pair.host[1]->mr->rkey >> (32 - TEST_HOST_KEY_BITS))];
	const struct test_wr wr = write_wr(64, 100), rd = read_wr(64, 100);

	for (uint32_t i = 0; i < KEYS; i++) {
		if (i / TEST_HOST_KEYS == 1)
			continue;
		w->keys[1][i] = *real;
		w->keys[1][i].base += 4096;
	}
	assert_true(goes_direct(&wr));
	assert_true(goes_direct(&rd));
	memset(w->keys[1], 0, FIRST_KEY * sizeof(w->keys[1][0]));
	assert_true(goes_direct(&wr));
}

/* Order [rcp 6]: nothing overtakes what is under way, and what is done is done for all that follows. */

static void open_atomics(struct windows *w)
{
	memset(BUFFER(w, 1) + 4096, 0, 8);
	assert_int_equal(test_post_recv(&w->pair.b, 1, 8192, 64), 0);
}

static void request__waits_for_what_is_under_way(void **state)
{
	static const struct test_wr before[] = {
		{.opcode = IB_WR_SEND, .bytes = 8},
		{.opcode = IB_WR_SEND_WITH_IMM, .bytes = 8},
		{.opcode = IB_WR_RDMA_WRITE_WITH_IMM, .bytes = 8},
		{.opcode = IB_WR_ATOMIC_FETCH_AND_ADD, .bytes = 8, .compare_add = 1},
		{.opcode = IB_WR_ATOMIC_CMP_AND_SWP, .bytes = 8, .swap = 1},
		{.opcode = IB_WR_ATOMIC_WRITE, .bytes = 8},
		{.opcode = IB_WR_FLUSH, .bytes = 8, .type = IB_FLUSH_GLOBAL},
	};
	struct windows *w = begin(state, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
		struct test_wr first = before[i], wr = write_wr(4096, 8), rd = read_wr(4096, 8);
		struct ib_wc wc;

		open_atomics(w);
		first.remote = w->pair.host[1];
		first.remote_offset = 4096;
		first.offset = 12288;
		memset(BUFFER(w, 0) + 12288, 1, 8);
		memset(BUFFER(w, 0) + 4096, 2, 8);
		wr.wr_id = 1;
		rd.wr_id = 2;
		rd.offset = 20480;
		w->placed = 0;
		w->pair.wire->hold = true;
		assert_int_equal(test_post_send(&w->pair.a, &first), 0);
		assert_int_equal(test_post_send(&w->pair.a, &wr), 0);
		assert_int_equal(test_post_send(&w->pair.a, &rd), 0);
		assert_int_equal(w->placed, 0);
		assert_true(BUFFER(w, 1)[4096] != 2);
		w->pair.wire->hold = false;
		test_wire_deliver(w->pair.wire, UINT32_MAX);
		test_turn(1000000);
		for (u64 id = 0; id < 3; id++) {
			assert_true(test_poll(w->pair.a.send_cq, &wc));
			assert_int_equal(wc.status, IB_WC_SUCCESS);
			assert_int_equal(wc.wr_id, id);
		}
		assert_memory_equal(BUFFER(w, 0) + 20480, BUFFER(w, 0) + 4096, 8);
		assert_memory_equal(BUFFER(w, 1) + 4096, BUFFER(w, 0) + 4096, 8);
		while (test_poll(w->pair.b.recv_cq, &wc))
			assert_int_equal(wc.status, IB_WC_SUCCESS);
	}
}

/* A READ goes direct only when the atomic's result is there, and sees it. */
static void read__sees_the_atomics_before_it(void **state)
{
	struct windows *w = begin(state, NULL);
	const struct test_wr rd = read_wr(4096, 8);

	memset(BUFFER(w, 1) + 4096, 0, 8);
	for (uint64_t i = 1; i <= 40; i++) {
		struct test_wr add = read_wr(4096, 8);
		uint64_t seen;

		add.opcode = IB_WR_ATOMIC_FETCH_AND_ADD;
		add.offset = 64;
		add.compare_add = 1;
		assert_int_equal(do_wr(&add), IB_WC_SUCCESS);
		assert_int_equal(do_wr(&rd), IB_WC_SUCCESS);
		memcpy(&seen, BUFFER(w, 0) + 4096, sizeof(seen));
		assert_int_equal(seen, i);
	}
	assert_int_equal(w->placed, 40);
}

/* Each of these, which its owner executes, finds the bytes of a WRITE that was placed before. */
static void write__is_there_for_all_that_follows(void **state)
{
	static const enum ib_wr_opcode after[] = {IB_WR_SEND, IB_WR_RDMA_WRITE_WITH_IMM,
						  IB_WR_FLUSH, IB_WR_ATOMIC_FETCH_AND_ADD,
						  IB_WR_ATOMIC_WRITE};
	struct windows *w = begin(state, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(after); i++) {
		struct test_wr wr = write_wr(4096, 5000), next = write_wr(16384, 8);
		struct ib_wc wc;

		next.opcode = after[i];
		next.type = IB_FLUSH_GLOBAL;
		assert_int_equal(test_post_recv(&w->pair.b, 1, 8192 * 8, 64), 0);
		fill(BUFFER(w, 0), 4096, 5000, (int)i);
		w->placed = 0;
		w->pair.wire->hold = true;
		assert_int_equal(test_post_send(&w->pair.a, &wr), 0);
		assert_int_equal(test_post_send(&w->pair.a, &next), 0);
		assert_int_equal(w->placed, 1);
		assert_int_equal(w->pair.wire->count, 1);
		assert_memory_equal(BUFFER(w, 0) + 4096, BUFFER(w, 1) + 4096, 5000);
		w->pair.wire->hold = false;
		test_wire_deliver(w->pair.wire, UINT32_MAX);
		test_turn(1000000);
		for (unsigned int n = 0; n < 2; n++) {
			assert_true(test_poll(w->pair.a.send_cq, &wc));
			assert_int_equal(wc.status, IB_WC_SUCCESS);
		}
	}
}

/* An unsignaled WRITE that fails through the wire does not let a later one pass. */
static void request__that_fails_is_the_last(void **state)
{
	struct windows *w = begin(state, NULL);
	struct test_wr bad = write_wr(64, 8), good = write_wr(4096, 8);
	struct ib_wc wc;

	memset(BUFFER(w, 1) + 4096, 9, 8);
	bad.rkey = 0x100;
	w->pair.wire->hold = true;
	assert_int_equal(test_post_send(&w->pair.a, &bad), 0);
	assert_int_equal(test_post_send(&w->pair.a, &good), 0);
	w->pair.wire->hold = false;
	test_wire_deliver(w->pair.wire, UINT32_MAX);
	test_turn(1000000);
	assert_true(test_poll(w->pair.a.send_cq, &wc));
	assert_int_equal(wc.status, IB_WC_REM_ACCESS_ERR);
	assert_true(test_poll(w->pair.a.send_cq, &wc));
	assert_int_equal(wc.status, IB_WC_WR_FLUSH_ERR);
	assert_int_equal(BUFFER(w, 1)[4096], 9);
	assert_int_equal(w->placed, 0);
}

/* What goes through the wire instead, without loss */

static void place__that_is_not_permitted(void **state)
{
	static const int errors[] = {-EPERM, -EFAULT, -EINVAL};
	struct windows *w = begin(state, NULL);
	const struct test_wr wr = write_wr(64, 3000), rd = read_wr(64, 3000);

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		w->place_error = errors[i];
		assert_false(goes_direct(&wr));
		assert_false(goes_direct(&rd));
	}
	assert_int_equal(w->placed, 0);
	w->place_error = 0;
	for (unsigned int tries = 0; !goes_direct(&wr); tries++)
		assert_true(tries < 200); /* its patience has grown */
}

static void window__that_is_held_or_gone(void **state)
{
	struct windows *w = begin(state, NULL);
	const struct test_wr wr = write_wr(64, 8);

	w->gone = true;
	assert_int_equal(do_wr(&wr), IB_WC_SUCCESS);
	assert_int_equal(w->placed, 0);
	assert_int_equal(w->opened, 2); /* for whoever has the number now */
	w->gone = false;
	w->window[1][0].qpn = w->window[1][1].qpn = 0;
	assert_int_equal(do_wr(&wr), IB_WC_SUCCESS);
	assert_int_equal(w->placed, 0);
}

/* The owner changes its mind in the middle */

static struct ib_mr *other;
static int dereg_result;
static unsigned int steps;

static void deregister(struct windows *w, enum moment moment)
{
	if (moment != (enum moment)steps || !w->pair.host[1]->mr)
		return;
	/* In truth it is another process that does so, and that does not wait for sections of ours. */
	rcu_read_unlock();
	dereg_result = ib_dereg_mr(w->pair.host[1]->mr);
	rcu_read_lock();
	if (!dereg_result)
		w->pair.host[1]->mr = NULL;
}

/* Taken away before the check: the wire says so. */
static void key__is_revoked_before_it_is_looked_at(void **state)
{
	struct windows *w = begin(state, NULL);
	struct test_wr wr = write_wr(64, 8);

	for (unsigned int n = 0; n < 8; n++)
		BUFFER(w, 1)[64 + n] = 7;
	wr.rkey = w->pair.host[1]->mr->rkey;
	memset(BUFFER(w, 0) + 64, 3, 8);
	steps = BEFORE_FIND;
	w->step_in = deregister;
	assert_int_equal(do_wr(&wr), IB_WC_REM_ACCESS_ERR);
	assert_int_equal(dereg_result, 0);
	assert_int_equal(BUFFER(w, 1)[64], 7);
	assert_int_equal(w->placed, 0);
}

/* Likewise, with the slot given to another region at once: the generation differs. */
static void reregister(struct windows *w, enum moment moment)
{
	struct test_host *b = w->pair.host[1];

	if (moment != AFTER_FIND || other)
		return;
	rcu_read_unlock(); /* as above */
	assert_int_equal(ib_dereg_mr(b->mr), 0);
	rcu_read_lock();
	b->rdi->lkey_table.next = 0; /* from the first slot on */
	b->mr = NULL;
	other = ib_reg_user_mr(b->pd, (uintptr_t)b->buffer, 4096, (uintptr_t)b->buffer,
			       IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE);
}

static void key__of_another_generation(void **state)
{
	struct windows *w = begin(state, NULL);
	struct test_wr wr = write_wr(64, 8);

	wr.rkey = w->pair.host[1]->mr->rkey;
	memset(BUFFER(w, 1) + 64, 7, 8);
	memset(BUFFER(w, 0) + 64, 3, 8);
	other = NULL;
	w->step_in = reregister;
	assert_int_equal(do_wr(&wr), IB_WC_REM_ACCESS_ERR);
	assert_false(IS_ERR_OR_NULL(other));
	assert_int_equal(other->rkey >> (32 - TEST_HOST_KEY_BITS),
			 wr.rkey >> (32 - TEST_HOST_KEY_BITS));
	assert_int_equal(BUFFER(w, 1)[64], 7);
	assert_int_equal(ib_dereg_mr(other), 0);
}

/* Between check and use the requester is in the window, and the owner sees that. */
static void key__is_revoked_between_check_and_use(void **state)
{
	struct windows *w = begin(state, NULL);
	const struct test_wr wr = write_wr(64, 8);
	char said[BASE_CAUSE_TEXT_BYTES], expected[128];

	snprintf(expected, sizeof(expected), "QP 0x%x: pid 4711 on host there",
		 w->pair.b.ib->qp_num);
	memset(BUFFER(w, 0) + 64, 3, 8);
	steps = BEFORE_PLACE;
	w->step_in = deregister;
	assert_int_equal(do_wr(&wr), IB_WC_SUCCESS);
	assert_int_equal(dereg_result, -EBUSY);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_MR_BUSY_PEER);
	base_cause_format(base_cause_last(), said, sizeof(said));
	assert_non_null(strstr(said, expected));
	assert_non_null(strstr(said, "kill -CONT"));
	assert_int_equal(w->placed, 1);
	w->step_in = NULL;
	assert_int_equal(do_wr(&wr), IB_WC_REM_ACCESS_ERR); /* the key has gone all the same */
}

static void shut(struct windows *w, enum moment moment)
{
	if (moment == (enum moment)steps)
		assert_int_equal(test_qp_to(&w->pair.b, IB_QPS_ERR), 0);
}

static void queue_pair__dies_before_its_window_is_taken(void **state)
{
	struct windows *w = begin(state, NULL);
	const struct test_wr wr = write_wr(64, 8);

	memset(BUFFER(w, 0) + 64, 3, 8);
	steps = AFTER_FIND;
	w->step_in = shut;
	assert_int_equal(do_wr(&wr), IB_WC_RETRY_EXC_ERR);
	assert_int_equal(w->placed, 0);
	assert_int_equal(BUFFER(w, 1)[64], 0);
}

static void rights__that_were_taken_away(void **state)
{
	struct windows *w = begin(state, NULL);
	const struct test_wr rd = read_wr(64, 8), wr = write_wr(64, 8);
	const struct ib_qp_attr attr = {.qp_access_flags = IB_ACCESS_REMOTE_READ};

	assert_int_equal(ib_modify_qp(w->pair.b.ib, (struct ib_qp_attr *)(uintptr_t)&attr,
				      IB_QP_ACCESS_FLAGS),
			 0);
	assert_true(goes_direct(&rd));
	assert_int_equal(do_wr(&wr), IB_WC_REM_INV_REQ_ERR);
	assert_int_equal(w->placed, 1);
}

/* Nonsense in the window. Each value, each field: what follows goes through the wire, or as it should. */

struct field {
	const char *name;
	size_t at;
	size_t bytes;
};

#define FIELD(type, member)                                                     \
	{                                                                       \
#member, offsetof(type, member), sizeof(((type *)NULL)->member) \
	}

static const struct field terms[] = {
	FIELD(struct tp_window, qpn),	     FIELD(struct tp_window, peer_qpn),
	FIELD(struct tp_window, pd),	     FIELD(struct tp_window, first_key),
	FIELD(struct tp_window, pmtu_bytes), FIELD(struct tp_window, slid),
	FIELD(struct tp_window, dlid),	     FIELD(struct tp_window, pkey),
	FIELD(struct tp_window, access),     FIELD(struct tp_window, key_shift),
};

/* 0, all ones, off by one, each single bit turned. */
#define VALUES (4u + 64u)

static bool extreme(uint64_t was, unsigned int n, size_t bytes, uint64_t *value)
{
	const uint64_t mask = bytes == 8 ? UINT64_MAX : (1ull << 8 * bytes) - 1;
	const uint64_t first[] = {0, mask, was + 1, was - 1};

	if (n >= 4 + 8 * bytes)
		return false;
	*value = (n < 4 ? first[n] : was ^ 1ull << (n - 4)) & mask;
	return true;
}

static uint64_t get_field(const void *of, const struct field *field)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)of + field->at, field->bytes);
	return value;
}

static void put_field(void *of, const struct field *field, uint64_t value)
{
	memcpy((char *)of + field->at, &value, field->bytes);
}

static void terms__of_each_kind_of_nonsense(void **state)
{
	struct windows *w = begin(state, NULL);
	const struct test_wr wr = write_wr(64, 2000), rd = read_wr(64, 2000);

	for (size_t i = 0; i < ARRAY_SIZE(terms); i++) {
		const uint64_t was = get_field(window(), &terms[i]);
		uint64_t value;

		for (unsigned int n = 0; extreme(was, n, terms[i].bytes, &value); n++) {
			put_field(window(), &terms[i], value);
			(void)goes_direct(&wr);
			(void)goes_direct(&rd);
			assert_int_equal(window()->lock & TP_WINDOW_HOLDER, 0);
		}
		put_field(window(), &terms[i], was);
	}
	assert_int_equal(w->wild, 0);
}

/*
 * Position and lock are the owner's, too: their connection may break, in bounded time, and another one is
 * as good as ever. Nobody writes beside the buffers.
 */
static void connect_anew(struct windows *w)
{
	test_qp_destroy(&w->pair.a);
	test_qp_destroy(&w->pair.b);
	w->pair.wire->hold = false;
	memset(w->window, 0, sizeof(w->window));
	w->opened = w->placed = 0;
}

static void scribble_once(void **state, const struct field *field, unsigned int n)
{
	const struct test_wr wr = write_wr(64, 2000), rd = read_wr(64, 2000);
	struct windows *w = begin(state, &(struct test_qp_options){.timeout = 8});
	uint64_t value;

	memset(BUFFER(w, 1), 0x5a, 64);
	memset(BUFFER(w, 1) + 2064, 0x5a, 64);
	if (extreme(get_field(window(), field), n, field->bytes, &value)) {
		put_field(window(), field, value);
		if (do_wr(&wr) == IB_WC_SUCCESS)
			(void)do_wr(&rd);
	}
	for (uint32_t i = 0; i < 64; i++)
		assert_true(BUFFER(w, 1)[i] == 0x5a && BUFFER(w, 1)[2064 + i] == 0x5a);
	connect_anew(w);
}

static void position__of_each_kind_of_nonsense(void **state)
{
	static const struct field position = FIELD(struct tp_window, position);

	for (unsigned int n = 0; n < VALUES; n++)
		scribble_once(state, &position, n);
}

static void lock__of_each_kind_of_nonsense(void **state)
{
	static const struct field lock = FIELD(struct tp_window, lock);

	for (unsigned int n = 0; n < 4 + 32; n++)
		scribble_once(state, &lock, n);
}

/* Nonsense in the table of keys. Behind the last one is nothing. */

static struct rvt_mr_entry *map_shown(struct windows *w, uint32_t count)
{
	const size_t bytes = count * sizeof(struct rvt_mr_entry);
	const size_t pages = (bytes + 4095) / 4096 * 4096;
	char *map = mmap(NULL, pages + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	struct rvt_mr_entry *shown = (struct rvt_mr_entry *)(map + pages - bytes);

	assert_true(map != MAP_FAILED);
	assert_int_equal(mprotect(map + pages, 4096, PROT_NONE), 0);
	memcpy(shown, w->keys[1], bytes);
	w->shown = shown;
	w->shown_count = count;
	return shown;
}

static void unmap_shown(struct windows *w)
{
	const size_t bytes = w->shown_count * sizeof(struct rvt_mr_entry);
	const size_t pages = (bytes + 4095) / 4096 * 4096;

	munmap((char *)(uintptr_t)w->shown + bytes - pages, pages + 4096);
	w->shown = NULL;
}

static void keys__reach_as_far_as_the_table(void **state)
{
	static const uint32_t counts[] = {0, 1, FIRST_KEY, 2 * FIRST_KEY - 1, 2 * FIRST_KEY, KEYS};
	struct windows *w = begin(state, NULL);
	const uint32_t key_shift = window()->key_shift;

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		map_shown(w, counts[i]);
		for (uint64_t first = 0; first <= UINT32_MAX; first = first * 2 + 1) {
			for (uint32_t shift = 0; shift < 256; shift = shift * 2 + 1) {
				const struct test_wr wr = write_wr(64, 8);

				window()->first_key = (uint32_t)first;
				window()->key_shift = (uint8_t)shift;
				assert_int_equal(do_wr(&wr), IB_WC_SUCCESS);
			}
		}
		unmap_shown(w);
	}
	window()->first_key = FIRST_KEY;
	window()->key_shift = (uint8_t)key_shift;
}

static const struct field entry_fields[] = {
	FIELD(struct rvt_mr_entry, rkey),      FIELD(struct rvt_mr_entry, lkey),
	FIELD(struct rvt_mr_entry, pd),	       FIELD(struct rvt_mr_entry, access),
	FIELD(struct rvt_mr_entry, iova),      FIELD(struct rvt_mr_entry, length),
	FIELD(struct rvt_mr_entry, base),      FIELD(struct rvt_mr_entry, user_base),
	FIELD(struct rvt_mr_entry, ext_first), FIELD(struct rvt_mr_entry, ext_count),
	FIELD(struct rvt_mr_entry, gen),       FIELD(struct rvt_mr_entry, qpn),
};

/* The request succeeds, by the wire if need be; where the table leads is its owner's harm. */
static void keys__of_each_kind_of_nonsense(void **state)
{
	struct windows *w = begin(state, NULL);
	const u32 slot = w->pair.host[1]->mr->rkey >> (32 - TEST_HOST_KEY_BITS);
	struct rvt_mr_entry *entry = map_shown(w, KEYS) + FIRST_KEY + slot;
	const struct test_wr wr = write_wr(64, 2000), rd = read_wr(64, 2000);

	for (size_t i = 0; i < ARRAY_SIZE(entry_fields); i++) {
		const uint64_t was = get_field(entry, &entry_fields[i]);
		uint64_t value;

		for (unsigned int n = 0; extreme(was, n, entry_fields[i].bytes, &value); n++) {
			put_field(entry, &entry_fields[i], value);
			assert_int_equal(do_wr(&wr), IB_WC_SUCCESS);
			assert_int_equal(do_wr(&rd), IB_WC_SUCCESS);
		}
		put_field(entry, &entry_fields[i], was);
	}
	assert_true(w->wild > 0); /* it was tried */
	unmap_shown(w);
}

/* Keys that the owner's table does not grant are never used by themselves. */
static void keys__are_checked_like_the_owners(void **state)
{
	struct windows *w = begin(state, NULL);
	struct test_host *b = w->pair.host[1];
	const u64 top = -(u64)TEST_HOST_BUFFER_BYTES; /* up to the last address */
	struct ib_pd *pd = ib_alloc_pd(b->pd->device, 0);
	static const struct {
		bool foreign;
		int access;
		u64 va; /* from @top */
		u32 bytes;
		bool good;
	} cases[] = {
		{false, IB_ACCESS_REMOTE_WRITE, 0, 8, true},
		{false, IB_ACCESS_REMOTE_WRITE, TEST_HOST_BUFFER_BYTES - 8, 8, true},
		{false, IB_ACCESS_REMOTE_WRITE, TEST_HOST_BUFFER_BYTES - 8, 9, false},
		{false, IB_ACCESS_REMOTE_WRITE, TEST_HOST_BUFFER_BYTES - 1, 1, true},
		{false, IB_ACCESS_REMOTE_WRITE, TEST_HOST_BUFFER_BYTES - 1, 2, false},
		{false, IB_ACCESS_REMOTE_WRITE, TEST_HOST_BUFFER_BYTES, 1, false},
		{false, IB_ACCESS_REMOTE_WRITE, (u64)-1, 1, false},
		{false, IB_ACCESS_REMOTE_WRITE, (u64)-1, 2, false},
		{false, IB_ACCESS_REMOTE_WRITE, (u64)-8, 8, false},
		{false, IB_ACCESS_REMOTE_READ, 0, 8, false},
		{false, IB_ACCESS_REMOTE_ATOMIC, 0, 8, false},
		{false, 0, 0, 8, false},
		{true, IB_ACCESS_REMOTE_WRITE, 0, 8, false},
	};

	assert_false(IS_ERR(pd));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ib_mr *mr = ib_reg_user_mr(cases[i].foreign ? pd : b->pd,
						  (uintptr_t)b->buffer, TEST_HOST_BUFFER_BYTES, top,
						  IB_ACCESS_LOCAL_WRITE | cases[i].access);
		struct ib_sge sge = {(uintptr_t)BUFFER(w, 0) + 64, cases[i].bytes,
				     w->pair.host[0]->mr->lkey};
		struct ib_rdma_wr rdma = {.wr = {.opcode = IB_WR_RDMA_WRITE,
						 .sg_list = &sge,
						 .num_sge = 1,
						 .send_flags = IB_SEND_SIGNALED},
					  .remote_addr = top + cases[i].va};
		struct ib_wc wc;

		assert_false(IS_ERR(mr));
		rdma.rkey = mr->rkey;
		assert_int_equal(ib_post_send(w->pair.a.ib, &rdma.wr, NULL), 0);
		test_turn(1000000);
		assert_true(test_poll(w->pair.a.send_cq, &wc));
		assert_int_equal(wc.status, cases[i].good ? IB_WC_SUCCESS : IB_WC_REM_ACCESS_ERR);
		assert_int_equal(w->placed, cases[i].good);
		assert_int_equal(w->wild, 0);
		assert_int_equal(ib_dereg_mr(mr), 0);
		if (!cases[i].good) {
			connect_anew(w);
			begin(state, NULL);
		}
		w->placed = 0;
	}
	ib_dealloc_pd(pd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, windows_setup, windows_teardown)

static const struct CMUnitTest tests[] = {
	TEST(request__is_executed_by_the_requester_alone),
	TEST(keys__are_those_of_the_queue_pairs_device),
	TEST(request__waits_for_what_is_under_way),
	TEST(read__sees_the_atomics_before_it),
	TEST(write__is_there_for_all_that_follows),
	TEST(request__that_fails_is_the_last),
	TEST(place__that_is_not_permitted),
	TEST(window__that_is_held_or_gone),
	TEST(key__is_revoked_before_it_is_looked_at),
	TEST(key__of_another_generation),
	TEST(key__is_revoked_between_check_and_use),
	TEST(queue_pair__dies_before_its_window_is_taken),
	TEST(rights__that_were_taken_away),
	TEST(terms__of_each_kind_of_nonsense),
	TEST(position__of_each_kind_of_nonsense),
	TEST(lock__of_each_kind_of_nonsense),
	TEST(keys__reach_as_far_as_the_table),
	TEST(keys__of_each_kind_of_nonsense),
	TEST(keys__are_checked_like_the_owners),
};

int main(void)
{
	return verbena_test_main(tests);
}
