// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* rvt_copy_sge() and what adaptive copying counts. */
#include "rdmavt/qp_copy.c"

#include "qp_fixture.h"

/* A cursor over @count pieces of rx, each with a reference. */
static struct rvt_sge_state cursor(struct fixture *f, struct rvt_sge *list, const u32 *lengths,
				   u8 count)
{
	struct rvt_mregion *mr = &container_of(f->mr, struct rvt_mr, ibmr)->mr;
	struct rvt_sge_state ss = {.sg_list = list, .num_sge = count};

	for (u8 i = 0; i < count; i++) {
		struct rvt_sge *sge = i ? &list[i - 1] : &ss.sge;

		*sge = (struct rvt_sge){.mr = mr,
					.vaddr = f->rx + 1000 * i,
					.sge_length = lengths[i],
					.length = lengths[i]};
		rvt_get_mr(mr);
	}
	return ss;
}

static s64 references(const struct fixture *f)
{
	return atomic64_read(&container_of(f->mr, struct rvt_mr, ibmr)->mr.refcount.count);
}

static void copy_sge__walks_and_releases(void **state)
{
	struct fixture *f = *state;
	struct rvt_sge list[2];
	const s64 before = references(f);
	struct rvt_sge_state ss = cursor(f, list, (const u32[]){10, 20, 30}, 3);

	rvt_copy_sge(qp_a(f), &ss, f->tx, 25, true, false);
	assert_memory_equal(f->rx, f->tx, 10);
	assert_memory_equal(f->rx + 1000, f->tx + 10, 15);
	assert_int_equal(references(f), before + 2);
	assert_int_equal(ss.num_sge, 2);
	assert_int_equal(ss.sge.sge_length, 5);
	rvt_copy_sge(qp_a(f), &ss, f->tx + 25, 35, true, true);
	assert_memory_equal(f->rx + 1000, f->tx + 10, 20);
	assert_memory_equal(f->rx + 2000, f->tx + 30, 30);
	assert_int_equal(ss.num_sge, 0);
	assert_int_equal(references(f), before);
}

static void copy_sge__keeps_references_if_told(void **state)
{
	struct fixture *f = *state;
	struct rvt_sge list[1];
	const s64 before = references(f);
	struct rvt_sge_state ss = cursor(f, list, (const u32[]){10, 20}, 2);

	rvt_copy_sge(qp_a(f), &ss, f->tx, 30, false, true);
	assert_int_equal(references(f), before + 2);
	assert_memory_equal(f->rx, f->tx, 10);
	assert_memory_equal(f->rx + 1000, f->tx + 10, 20);
	rvt_put_mr(&container_of(f->mr, struct rvt_mr, ibmr)->mr);
	rvt_put_mr(&container_of(f->mr, struct rvt_mr, ibmr)->mr);
}

/* The last 8 bytes by themselves, wherever the pieces end. */
static void copy_sge__last_bytes_across_pieces(void **state)
{
	struct fixture *f = *state;
	struct rvt_sge list[2];

	for (u32 first = 1; first < 20; first++) {
		struct rvt_sge_state ss = cursor(f, list, (const u32[]){first, 3, 20 - first}, 3);

		memset(f->rx, 0, BUFFER_BYTES);
		rvt_copy_sge(qp_a(f), &ss, f->tx, 23, true, true);
		assert_memory_equal(f->rx, f->tx, first);
		assert_memory_equal(f->rx + 1000, f->tx + first, 3);
		assert_memory_equal(f->rx + 2000, f->tx + first + 3, 20 - first);
	}
}

static void copy_sge__unmapped_memory_is_survived(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = unmapped_mr(f);
	const u64 faults = base_trace_count(BASE_TRACE_copy_fault);
	struct rvt_sge_state ss = {.num_sge = 1};

	assert_non_null(mr);
	ss.sge = (struct rvt_sge){.mr = &container_of(mr, struct rvt_mr, ibmr)->mr,
				  .vaddr = (void *)(uintptr_t)mr->iova,
				  .sge_length = 100,
				  .length = 100};
	rvt_copy_sge(qp_a(f), &ss, f->tx, 50, false, true);
	assert_int_equal(base_trace_count(BASE_TRACE_copy_fault), faults + 1);
	assert_int_equal(ss.sge.sge_length, 50);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

/* All three modes copy the same bytes. */
static void copy_sge__every_mode(void **state)
{
	struct fixture *f = *state;
	struct rvt_dev_info *rdi = &f->fake->rdi;
	const u32 lengths[] = {BUFFER_BYTES};

	for (unsigned int mode = RVT_SGE_COPY_MEMCPY; mode <= RVT_SGE_COPY_ADAPTIVE; mode++) {
		rdi->dparms.sge_copy_mode = mode;
		assert_int_equal(rvt_wss_init(rdi), 0);
		for (int turn = 0; turn < 3; turn++) {
			struct rvt_sge_state ss = cursor(f, NULL, lengths, 1);

			if (rdi->wss && turn == 2)
				atomic_set(&rdi->wss->total_count, rdi->wss->threshold);
			memset(f->rx, 0, BUFFER_BYTES);
			rvt_copy_sge(qp_a(f), &ss, f->tx, BUFFER_BYTES, true, true);
			assert_memory_equal(f->rx, f->tx, BUFFER_BYTES);
		}
		rvt_wss_exit(rdi);
	}
	rdi->dparms.sge_copy_mode = RVT_SGE_COPY_MEMCPY;
}

/* The working set */

static void wss_init__only_for_adaptive_copying(void **state)
{
	struct rvt_dev_info *rdi = base_zalloc(sizeof(*rdi));
	int ret;

	(void)state;
	assert_non_null(rdi);
	assert_int_equal(rvt_wss_init(rdi), 0);
	assert_null(rdi->wss);
	rdi->dparms.sge_copy_mode = RVT_SGE_COPY_ADAPTIVE;
	rdi->dparms.wss_threshold = 101;
	ret = rvt_wss_init(rdi);
	if (!ret) {
		assert_int_equal(rdi->wss->clean_period, 256);
		assert_int_equal(rdi->wss->threshold, (int)(CACHE_PAGES * 80 / 100));
		rvt_wss_exit(rdi);
		rdi->dparms.wss_threshold = 50;
		rdi->dparms.wss_clean_period = 7;
		ret = rvt_wss_init(rdi);
	}
	if (!ret) {
		assert_int_equal(rdi->wss->clean_period, 7);
		assert_int_equal(rdi->wss->threshold, (int)(CACHE_PAGES / 2));
	}
	rvt_wss_exit(rdi);
	rvt_wss_exit(rdi);
	base_free(rdi);
	assert_int_equal(ret, 0);
}

static void wss__counts_pages_and_forgets_them(void **state)
{
	struct rvt_dev_info *rdi = base_zalloc(sizeof(*rdi));
	struct rvt_wss *wss;

	(void)state;
	assert_non_null(rdi);
	rdi->dparms.sge_copy_mode = RVT_SGE_COPY_ADAPTIVE;
	rdi->dparms.wss_threshold = 1;
	rdi->dparms.wss_clean_period = 1000;
	if (rvt_wss_init(rdi)) {
		base_free(rdi);
		fail();
	}
	wss = rdi->wss;
	for (uintptr_t page = 0; page < (uintptr_t)wss->threshold - 1; page++) {
		wss_insert(wss, (void *)(page * PAGE_SIZE));
		wss_insert(wss, (void *)(page * PAGE_SIZE + 5));
	}
	assert_int_equal(atomic_read(&wss->total_count), wss->threshold - 1);
	assert_false(wss_exceeds_threshold(wss));
	wss_insert(wss, (void *)(100 * PAGE_SIZE));
	assert_true(wss_exceeds_threshold(wss));
	/* In time all words are cleared. */
	for (int i = 0; i < 1000 * wss->num_entries; i++)
		wss_advance_clean_counter(wss);
	assert_int_equal(atomic_read(&wss->total_count), 0);
	rvt_wss_exit(rdi);
	base_free(rdi);
}

#define RC(test) cmocka_unit_test_setup_teardown(test, fixture_rc, fixture_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RC(copy_sge__walks_and_releases),
		RC(copy_sge__keeps_references_if_told),
		RC(copy_sge__last_bytes_across_pieces),
		RC(copy_sge__unmapped_memory_is_survived),
		RC(copy_sge__every_mode),
		cmocka_unit_test(wss_init__only_for_adaptive_copying),
		cmocka_unit_test(wss__counts_pages_and_forgets_them),
	};

	return verbena_test_main(tests);
}
