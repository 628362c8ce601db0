/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "common/core_fixture.h"

#define PAGE 0x1000u
#define ROOM 16

/* What set_page() was given; it takes @room pages. */
struct pages {
	struct ib_mr mr;
	unsigned int room;
	unsigned int count;
	u64 page[ROOM];
};

static int set_page(struct ib_mr *mr, u64 page)
{
	struct pages *p = container_of(mr, struct pages, mr);

	if (p->count == p->room)
		return -ENOMEM;
	p->page[p->count++] = page;
	return 0;
}

static struct pages pages_with_room(unsigned int room)
{
	struct pages p;

	memset(&p, 0, sizeof(p));
	p.mr.page_size = PAGE;
	p.mr.length = 99; /* of an earlier mapping */
	p.room = room;
	return p;
}

/* Entries of address and length, ended by length 0. */
static int to_pages(struct pages *p, unsigned int *offset, const u64 (*entry)[2])
{
	struct scatterlist sg[8];
	int count = 0;

	while (entry[count][1])
		count++;
	sg_init_table(sg, 8);
	for (int i = 0; i < count; i++) {
		sg_dma_address(&sg[i]) = entry[i][0];
		sg_dma_len(&sg[i]) = (unsigned int)entry[i][1];
	}
	return ib_sg_to_pages(&p->mr, sg, count, offset, set_page);
}

static void ib_sg_to_pages__takes_aligned_entries(void **state)
{
	static const u64 sg[][2] = {{0x10000, PAGE}, {0x30000, 2 * PAGE}, {0, 0}};
	struct pages p = pages_with_room(ROOM);

	(void)state;
	assert_int_equal(to_pages(&p, NULL, sg), 2);
	assert_int_equal(p.count, 3);
	assert_int_equal(p.page[0], 0x10000);
	assert_int_equal(p.page[1], 0x30000);
	assert_int_equal(p.page[2], 0x31000);
	assert_int_equal(p.mr.iova, 0x10000);
	assert_int_equal(p.mr.length, 3 * PAGE);
}

static void ib_sg_to_pages__starts_inside_a_page_and_ends_inside_one(void **state)
{
	static const u64 sg[][2] = {{0x10800, 0x800}, {0x30000, 0x123}, {0, 0}};
	struct pages p = pages_with_room(ROOM);
	unsigned int offset = 0x100;

	(void)state;
	assert_int_equal(to_pages(&p, &offset, sg), 2);
	assert_int_equal(p.count, 2);
	assert_int_equal(p.page[0], 0x10000);
	assert_int_equal(p.page[1], 0x30000);
	assert_int_equal(p.mr.iova, 0x10900);
	assert_int_equal(p.mr.length, 0x700 + 0x123);
	assert_int_equal(offset, 0);
}

static void ib_sg_to_pages__joins_entries_that_touch(void **state)
{
	static const u64 sg[][2] = {{0x10000, 0x300}, {0x10300, 0x200}, {0x10500, 0x1000},
				    {0x11500, 0xb00}, {0x50000, 0x10},	{0, 0}};
	struct pages p = pages_with_room(ROOM);

	(void)state;
	assert_int_equal(to_pages(&p, NULL, sg), 5);
	assert_int_equal(p.count, 3);
	assert_int_equal(p.page[0], 0x10000);
	assert_int_equal(p.page[1], 0x11000);
	assert_int_equal(p.page[2], 0x50000);
	assert_int_equal(p.mr.length, 0x2000 + 0x10);
}

static void ib_sg_to_pages__stops_at_a_gap(void **state)
{
	static const u64 ends_inside[][2] = {{0x10000, 0x300}, {0x20000, PAGE}, {0, 0}};
	static const u64 starts_inside[][2] = {{0x10000, PAGE}, {0x20010, 8}, {0, 0}};
	struct pages p = pages_with_room(ROOM);
	unsigned int offset = 0;

	(void)state;
	assert_int_equal(to_pages(&p, &offset, ends_inside), 1);
	assert_int_equal(p.mr.length, 0x300);
	assert_int_equal(offset, 0);
	p = pages_with_room(ROOM);
	assert_int_equal(to_pages(&p, NULL, starts_inside), 1);
	assert_int_equal(p.count, 1);
	assert_int_equal(p.mr.length, PAGE);
}

static void ib_sg_to_pages__says_where_the_room_ended(void **state)
{
	static const u64 sg[][2] = {{0x10800, 0x800}, {0x30000, 3 * PAGE}, {0, 0}};
	struct pages p = pages_with_room(3);
	unsigned int offset = 0;

	(void)state;
	assert_int_equal(to_pages(&p, &offset, sg), 1);
	assert_int_equal(p.count, 3);
	assert_int_equal(offset, 2 * PAGE);
	assert_int_equal(p.mr.length, 0x800 + 2 * PAGE);
	p = pages_with_room(1);
	offset = 0x10;
	assert_int_equal(to_pages(&p, &offset, sg), 1);
	assert_int_equal(offset, 0);
	assert_int_equal(p.mr.length, 0x800 - 0x10);
}

static void ib_sg_to_pages__counts_no_entry_that_did_not_fit_whole(void **state)
{
	static const u64 sg[][2] = {{0x10800, 0x2000}, {0, 0}};
	static const u64 touching[][2] = {{0x10000, 0x800}, {0x10800, PAGE}, {0, 0}};
	struct pages p = pages_with_room(2);
	unsigned int offset = 0x100;

	(void)state;
	assert_int_equal(to_pages(&p, &offset, sg), 0);
	assert_int_equal(offset, 0x1800);
	assert_int_equal(p.mr.iova, 0x10900);
	assert_int_equal(p.mr.length, 0x1700);
	p = pages_with_room(1);
	offset = 0;
	assert_int_equal(to_pages(&p, &offset, touching), 1);
	assert_int_equal(offset, 0x800);
	assert_int_equal(p.mr.length, PAGE);
}

static void ib_sg_to_pages__fails_if_nothing_fits(void **state)
{
	static const u64 sg[][2] = {{0x10000, PAGE}, {0, 0}};
	struct pages p = pages_with_room(0);
	unsigned int offset = 0x20;

	(void)state;
	assert_int_equal(to_pages(&p, &offset, sg), -ENOMEM);
	assert_int_equal(offset, 0x20);
}

static void ib_sg_to_pages__refuses_bad_arguments(void **state)
{
	static const u64 none[][2] = {{0, 0}};
	static const u64 sg[][2] = {{0x10000, 0x100}, {0, 0}};
	struct pages p = pages_with_room(ROOM);
	unsigned int offset = 0x101;

	(void)state;
	assert_int_equal(to_pages(&p, NULL, none), -EINVAL);
	assert_cause(MR_SG_RANGE);
	assert_int_equal(to_pages(&p, &offset, sg), -EINVAL);
	assert_cause_text(
		"1 scatter entries, of which 257 bytes of the first are to be skipped; it "
		"has 256. Pass at least one entry, and an offset inside the first.");
	p.mr.page_size = 0;
	assert_int_equal(to_pages(&p, NULL, sg), -EINVAL);
	assert_cause(MR_PAGE_SIZE);
	p.mr.page_size = 0x1800;
	assert_int_equal(to_pages(&p, NULL, sg), -EINVAL);
	assert_int_equal(p.count, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ib_sg_to_pages__takes_aligned_entries),
	cmocka_unit_test(ib_sg_to_pages__starts_inside_a_page_and_ends_inside_one),
	cmocka_unit_test(ib_sg_to_pages__joins_entries_that_touch),
	cmocka_unit_test(ib_sg_to_pages__stops_at_a_gap),
	cmocka_unit_test(ib_sg_to_pages__says_where_the_room_ended),
	cmocka_unit_test(ib_sg_to_pages__counts_no_entry_that_did_not_fit_whole),
	cmocka_unit_test(ib_sg_to_pages__fails_if_nothing_fits),
	cmocka_unit_test(ib_sg_to_pages__refuses_bad_arguments),
};

int main(void)
{
	return verbena_test_main(tests);
}
