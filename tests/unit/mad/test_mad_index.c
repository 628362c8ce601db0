// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What is found by its TID. */
#include <linux/byteorder.h>

#include "common/test.h"
#include "mad/mad_index.h"

#define NODES 2000u

static bool is_in(const struct mad_index *index, const struct mad_index_node *wanted)
{
	struct mad_index_node *node;

	hlist_for_each_entry(node, mad_index_bucket(index, wanted->tid),
			     link) if (node == wanted) return true;
	return false;
}

static void mad_index__grows(void **state)
{
	struct mad_index_node *nodes = base_zalloc(NODES * sizeof(*nodes));
	struct mad_index index;

	(void)state;
	assert_non_null(nodes);
	mad_index_init(&index);
	for (u32 i = 0; i < NODES; i++) {
		u32 wanted = mad_index_wanted(&index, i + 1);

		nodes[i].tid = cpu_to_be64((u64)7 << 32 | i / 2); /* each twice */
		if (wanted) {
			struct hlist_head *bucket = base_zalloc(wanted * sizeof(*bucket));

			if (bucket)
				base_free(mad_index_grow(&index, bucket, wanted));
		}
		mad_index_add(&index, &nodes[i]);
	}
	assert_int_equal(index.count, NODES);
	for (u32 i = 0; i < NODES; i++)
		assert_true(is_in(&index, &nodes[i]));
	for (u32 i = 0; i < NODES; i += 2) {
		mad_index_remove(&index, &nodes[i]);
		mad_index_remove(&index, &nodes[i]);
	}
	assert_int_equal(index.count, NODES / 2);
	for (u32 i = 0; i < NODES; i++)
		assert_int_equal(is_in(&index, &nodes[i]), i % 2);
	mad_index_free(&index);
	base_free(nodes);
}

/* Somebody else was faster: what has been brought is given back. */
static void mad_index_grow__too_late(void **state)
{
	struct hlist_head *bucket = base_zalloc(64 * sizeof(*bucket));
	struct mad_index index;

	(void)state;
	assert_non_null(bucket);
	mad_index_init(&index);
	assert_ptr_equal(mad_index_grow(&index, bucket, MAD_INDEX_FIRST), bucket);
	assert_null(mad_index_grow(&index, bucket, 64));
	assert_int_equal(index.mask, 63);
	mad_index_free(&index);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(mad_index__grows),
	cmocka_unit_test(mad_index_grow__too_late),
};

int main(void)
{
	return verbena_test_main(tests);
}
