/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Cursors through memory regions. */
#include <string.h>
#include <rdma/rdmavt_mr.h>

#include "common/test.h"

/* A region of two segments, in a structure with room for two arrays. */
static struct rvt_segarray arrays[2];
static char memory[4][64];
static union {
	struct rvt_mregion region;
	char room[sizeof(struct rvt_mregion) + 2 * sizeof(struct rvt_segarray *)];
} space;
static struct rvt_mregion *const mr = &space.region;
static int released;

static void on_release(struct percpu_ref *ref)
{
	assert_ptr_equal(ref, &mr->refcount);
	released++;
}

static int setup(void **state)
{
	(void)state;
	memset(&space, 0, sizeof(space));
	released = 0;
	for (int i = 0; i < 2; i++) {
		mr->map[i] = &arrays[i];
		arrays[0].segs[i] = (struct rvt_seg){.vaddr = memory[i], .length = 64};
	}
	mr->lkey = 0x100;
	mr->mapsz = 2;
	return percpu_ref_init(&mr->refcount, on_release, 0, GFP_KERNEL);
}

static struct rvt_sge_state two_segments(void)
{
	return (struct rvt_sge_state){
		.sge = {.mr = mr, .vaddr = memory[0], .length = 64, .sge_length = 128},
		.num_sge = 1,
		.total_len = 128,
	};
}

static void rvt_get_mr__takes_a_reference(void **state)
{
	(void)state;
	rvt_get_mr(mr);
	assert_int_equal(atomic64_read(&mr->refcount.count), 2);
}

static void rvt_put_mr__the_last_one_releases(void **state)
{
	(void)state;
	rvt_get_mr(mr);
	rvt_put_mr(mr);
	assert_int_equal(released, 0);
	rvt_put_mr(mr);
	assert_int_equal(released, 1);
}

static void rvt_put_ss__releases_all_that_are_left(void **state)
{
	(void)state;
	struct rvt_sge more[2] = {{.mr = mr}, {.mr = mr}};
	struct rvt_sge_state ss = {.sge = {.mr = mr}, .sg_list = more, .num_sge = 3};

	rvt_get_mr(mr);
	rvt_get_mr(mr);
	rvt_put_ss(&ss);
	assert_int_equal(released, 1);
	assert_int_equal(ss.num_sge, 0);
}

static void rvt_get_sge_length__is_the_least_of_three(void **state)
{
	(void)state;
	struct rvt_sge sge = {.length = 10, .sge_length = 20};

	assert_int_equal(rvt_get_sge_length(&sge, 5), 5);
	assert_int_equal(rvt_get_sge_length(&sge, 15), 10);
	sge.length = 30;
	assert_int_equal(rvt_get_sge_length(&sge, 25), 20);
}

static void rvt_update_sge__moves_inside_a_segment(void **state)
{
	(void)state;
	struct rvt_sge_state ss = two_segments();

	rvt_update_sge(&ss, 10, false);
	assert_ptr_equal(ss.sge.vaddr, memory[0] + 10);
	assert_int_equal(ss.sge.length, 54);
	assert_int_equal(ss.sge.sge_length, 118);
	assert_int_equal(ss.num_sge, 1);
}

static void rvt_update_sge__goes_on_in_the_next_segment(void **state)
{
	(void)state;
	struct rvt_sge_state ss = two_segments();

	rvt_update_sge(&ss, 64, false);
	assert_ptr_equal(ss.sge.vaddr, memory[1]);
	assert_int_equal(ss.sge.n, 1);
	assert_int_equal(ss.sge.length, 64);
	assert_int_equal(ss.sge.sge_length, 64);
}

static void rvt_update_sge__goes_on_in_the_next_array(void **state)
{
	(void)state;
	struct rvt_sge_state ss = two_segments();

	arrays[1].segs[0] = (struct rvt_seg){.vaddr = memory[3], .length = 64};
	ss.sge.n = RVT_SEGSZ - 1;
	rvt_update_sge(&ss, 64, false);
	assert_int_equal(ss.sge.m, 1);
	assert_int_equal(ss.sge.n, 0);
	assert_ptr_equal(ss.sge.vaddr, memory[3]);
}

static void rvt_update_sge__key_0_has_no_segments(void **state)
{
	(void)state;
	struct rvt_sge_state ss = two_segments();

	mr->lkey = 0;
	ss.sge.length = 10;
	rvt_update_sge(&ss, 10, false);
	assert_ptr_equal(ss.sge.vaddr, memory[0] + 10);
	assert_int_equal(ss.sge.n, 0);
}

static void rvt_update_sge__end_of_an_sge_takes_the_next(void **state)
{
	(void)state;
	struct rvt_sge_state ss = two_segments();
	struct rvt_sge next = {.mr = mr, .vaddr = memory[2], .length = 5, .sge_length = 5};

	ss.sg_list = &next;
	ss.num_sge = 2;
	ss.sge.sge_length = 64;
	rvt_update_sge(&ss, 64, false);
	assert_int_equal(ss.num_sge, 1);
	assert_ptr_equal(ss.sge.vaddr, memory[2]);
	assert_ptr_equal(ss.sg_list, &next + 1);
	assert_int_equal(released, 0);
}

static void rvt_update_sge__end_of_an_sge_releases_if_asked(void **state)
{
	(void)state;
	struct rvt_sge_state ss = two_segments();

	ss.sge.sge_length = 64;
	rvt_update_sge(&ss, 64, true);
	assert_int_equal(ss.num_sge, 0);
	assert_int_equal(released, 1);
}

static void rvt_skip_sge__crosses_segments_and_sges(void **state)
{
	(void)state;
	struct rvt_sge_state ss = two_segments();
	struct rvt_sge next = {.mr = mr, .vaddr = memory[2], .length = 64, .sge_length = 64};

	ss.sg_list = &next;
	ss.num_sge = 2;
	rvt_skip_sge(&ss, 128 + 7, true);
	assert_int_equal(ss.num_sge, 1);
	assert_ptr_equal(ss.sge.vaddr, memory[2] + 7);
	assert_int_equal(ss.sge.length, 57);
	assert_int_equal(released, 1);
}

static void rvt_skip_sge__beyond_the_end_stops(void **state)
{
	(void)state;
	struct rvt_sge_state ss = two_segments();

	rvt_skip_sge(&ss, 1000, false);
	assert_int_equal(ss.num_sge, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rvt_get_mr__takes_a_reference, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_put_mr__the_last_one_releases, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_put_ss__releases_all_that_are_left, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rvt_get_sge_length__is_the_least_of_three, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rvt_update_sge__moves_inside_a_segment, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rvt_update_sge__goes_on_in_the_next_segment, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rvt_update_sge__goes_on_in_the_next_array, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rvt_update_sge__key_0_has_no_segments, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_update_sge__end_of_an_sge_takes_the_next, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rvt_update_sge__end_of_an_sge_releases_if_asked,
						setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_skip_sge__crosses_segments_and_sges, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rvt_skip_sge__beyond_the_end_stops, setup, NULL),
	};

	return verbena_test_main(tests);
}
