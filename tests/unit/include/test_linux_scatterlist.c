/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* <linux/scatterlist.h>, mm.h, bvec.h, uaccess.h */
#include <linux/bvec.h>
#include <linux/scatterlist.h>
#include <linux/uaccess.h>

#include "common/test.h"

static char pages[2 * 4096] __aligned(4096);

static void sg_set_buf__splits_page_and_offset(void **state)
{
	(void)state;
	struct scatterlist sg;

	sg_init_table(&sg, 1);
	sg_set_buf(&sg, pages + 4096 + 100, 50);
	assert_ptr_equal(page_address(sg_page(&sg)), pages + 4096);
	assert_int_equal(sg.offset, 100);
	assert_int_equal(sg.length, 50);
	assert_ptr_equal(sg_virt(&sg), pages + 4096 + 100);
	assert_true(sg_is_last(&sg));
}

static void sg_set_page__keeps_the_end_mark(void **state)
{
	(void)state;
	struct scatterlist sg;

	sg_init_table(&sg, 1);
	sg_set_page(&sg, virt_to_page(pages), 20, 30);
	assert_ptr_equal(sg_virt(&sg), pages + 30);
	assert_true(sg_is_last(&sg));
	sg_unmark_end(&sg);
	assert_false(sg_is_last(&sg));
	assert_ptr_equal(sg_virt(&sg), pages + 30);
	sg_mark_end(&sg);
	assert_true(sg_is_last(&sg));
}

static void sg_init_one__is_a_list_of_one(void **state)
{
	(void)state;
	struct scatterlist sg;

	sg_init_one(&sg, pages + 5, 6);
	assert_ptr_equal(sg_virt(&sg), pages + 5);
	assert_int_equal(sg_nents(&sg), 1);
	assert_null(sg_next(&sg));
}

static void for_each_sg__crosses_chained_lists(void **state)
{
	(void)state;
	struct scatterlist first[3], second[2], *sg;
	int i, sum = 0;

	sg_init_table(first, 3);
	sg_init_table(second, 2);
	sg_set_buf(&first[0], pages, 1);
	sg_set_buf(&first[1], pages, 2);
	sg_chain(first, 3, second);
	sg_set_buf(&second[0], pages, 4);
	sg_set_buf(&second[1], pages, 8);
	assert_true(sg_is_chain(&first[2]));
	assert_ptr_equal(sg_chain_ptr(&first[2]), second);
	assert_ptr_equal(sg_next(&first[1]), &second[0]);
	assert_int_equal(sg_nents(first), 4);
	for_each_sg(first, sg, 4, i)
		sum = sum * 10 + (int)sg->length;
	assert_int_equal(sum, 1248);
}

static void for_each_sgtable_sg__counts_both_ways(void **state)
{
	(void)state;
	struct scatterlist list[3], *sg;
	struct sg_table table = {.sgl = list, .nents = 2, .orig_nents = 3};
	unsigned int i, n = 0, m = 0;

	sg_init_table(list, 3);
	for_each_sgtable_sg(&table, sg, i) n++;
	for_each_sgtable_dma_sg(&table, sg, i) m++;
	assert_int_equal(n, 3);
	assert_int_equal(m, 2);
}

static void sg_dma_address__can_be_set(void **state)
{
	(void)state;
	struct scatterlist sg;

	sg_init_one(&sg, pages, 6);
	sg_dma_address(&sg) = 77;
	sg_dma_len(&sg) = 6;
	assert_int_equal(sg.dma_address, 77);
	assert_int_equal(sg.dma_length, 6);
}

static void virt_to_page__is_the_pages_start(void **state)
{
	(void)state;
	assert_ptr_equal(page_address(virt_to_page(pages + 4097)), pages + 4096);
	assert_int_equal(offset_in_page(pages + 4097), 1);
	assert_int_equal(PAGE_ALIGN(4097ul), 8192);
}

static void bvec_virt__adds_the_offset(void **state)
{
	(void)state;
	struct bio_vec bvec = {.bv_page = virt_to_page(pages), .bv_offset = 9};

	assert_ptr_equal(bvec_virt(&bvec), pages + 9);
}

static void copy_from_user__null_copies_nothing(void **state)
{
	(void)state;
	char to[4] = "abc";

	assert_int_equal(copy_from_user(to, "xyz", 2), 0);
	assert_string_equal(to, "xyc");
	assert_int_equal(copy_from_user(to, NULL, 2), 2);
	assert_int_equal(copy_to_user(NULL, "xyz", 3), 3);
	assert_int_equal(copy_to_user(to, "q", 1), 0);
	assert_string_equal(to, "qyc");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sg_set_buf__splits_page_and_offset),
		cmocka_unit_test(sg_set_page__keeps_the_end_mark),
		cmocka_unit_test(sg_init_one__is_a_list_of_one),
		cmocka_unit_test(for_each_sg__crosses_chained_lists),
		cmocka_unit_test(for_each_sgtable_sg__counts_both_ways),
		cmocka_unit_test(sg_dma_address__can_be_set),
		cmocka_unit_test(virt_to_page__is_the_pages_start),
		cmocka_unit_test(bvec_virt__adds_the_offset),
		cmocka_unit_test(copy_from_user__null_copies_nothing),
	};

	return verbena_test_main(tests);
}
