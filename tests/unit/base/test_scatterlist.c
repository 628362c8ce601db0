// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <linux/scatterlist.h>

#include "common/test.h"

static void sg_next__ends_behind_the_last(void **state)
{
	struct scatterlist list[2];

	(void)state;
	sg_init_table(list, 2);
	assert_ptr_equal(sg_next(&list[0]), &list[1]);
	assert_null(sg_next(&list[1]));
}

static void sg_next__follows_links(void **state)
{
	struct scatterlist first[3], second[2], *at;
	int i;

	(void)state;
	sg_init_table(first, 3);
	sg_init_table(second, 2);
	sg_chain(first, 3, second);
	assert_ptr_equal(sg_next(&first[0]), &first[1]);
	assert_ptr_equal(sg_next(&first[1]), &second[0]);
	assert_int_equal(sg_nents(first), 4);
	for_each_sg(first, at, 3, i)
		assert_non_null(at);
	assert_ptr_equal(at, &second[1]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sg_next__ends_behind_the_last),
		cmocka_unit_test(sg_next__follows_links),
	};

	return verbena_test_main(tests);
}
