/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* <linux/list.h> */
#include <linux/list.h>

#include "common/test.h"

struct item {
	int n;
	struct list_head link;
};

struct hitem {
	int n;
	struct hlist_node link;
};

/* 1, 2, 3 ... */
static void fill(struct list_head *head, struct item *items, int count)
{
	for (int i = 0; i < count; i++) {
		items[i].n = i + 1;
		list_add_tail(&items[i].link, head);
	}
}

/* The numbers of the list, forwards and backwards. */
static void assert_order(struct list_head *head, const char *expected)
{
	const struct item *pos;
	size_t n = 0;

	list_for_each_entry(pos, head, link)
		assert_int_equal(pos->n, expected[n++] - '0');
	assert_int_equal(expected[n], 0);
	list_for_each_entry_reverse(pos, head, link)
		assert_int_equal(pos->n, expected[--n] - '0');
	assert_int_equal(n, 0);
}

static void list_add__puts_in_front(void **state)
{
	(void)state;
	LIST_HEAD(head);
	struct item a = {.n = 1}, b = {.n = 2};

	list_add(&a.link, &head);
	list_add(&b.link, &head);
	assert_order(&head, "21");
}

static void list_add_tail__puts_at_the_end(void **state)
{
	(void)state;
	LIST_HEAD(head);
	struct item a = {.n = 1}, b = {.n = 2};

	list_add_tail(&a.link, &head);
	list_add_tail(&b.link, &head);
	assert_order(&head, "12");
}

static void list_del__leaves_the_others(void **state)
{
	(void)state;
	LIST_HEAD(head);
	struct item items[3];

	fill(&head, items, 3);
	list_del(&items[1].link);
	assert_order(&head, "13");
	assert_ptr_equal(items[1].link.next, LIST_POISON1);
}

static void list_del_init__can_be_added_again(void **state)
{
	(void)state;
	LIST_HEAD(head);
	struct item items[3];

	fill(&head, items, 3);
	list_del_init(&items[0].link);
	assert_true(list_empty(&items[0].link));
	list_add_tail(&items[0].link, &head);
	assert_order(&head, "231");
}

static void list_replace__takes_the_place(void **state)
{
	(void)state;
	LIST_HEAD(head);
	struct item items[3], other = {.n = 9};

	fill(&head, items, 3);
	list_replace(&items[1].link, &other.link);
	assert_order(&head, "193");
}

static void list_replace_init__empties_the_old(void **state)
{
	(void)state;
	LIST_HEAD(head);
	struct item items[1], other = {.n = 9};

	fill(&head, items, 1);
	list_replace_init(&items[0].link, &other.link);
	assert_order(&head, "9");
	assert_true(list_empty(&items[0].link));
}

static void list_move__goes_to_the_front(void **state)
{
	(void)state;
	LIST_HEAD(head);
	struct item items[3];

	fill(&head, items, 3);
	list_move(&items[2].link, &head);
	assert_order(&head, "312");
}

static void list_move_tail__goes_to_the_end(void **state)
{
	(void)state;
	LIST_HEAD(head);
	struct item items[3];

	fill(&head, items, 3);
	list_move_tail(&items[0].link, &head);
	assert_order(&head, "231");
}

static void list_empty__knows(void **state)
{
	(void)state;
	LIST_HEAD(head);
	struct item items[1];

	assert_true(list_empty(&head));
	fill(&head, items, 1);
	assert_false(list_empty(&head));
}

static void list_is_singular__is_one_entry(void **state)
{
	(void)state;
	LIST_HEAD(head);
	struct item items[2];

	assert_false(list_is_singular(&head));
	fill(&head, items, 1);
	assert_true(list_is_singular(&head));
	INIT_LIST_HEAD(&head);
	fill(&head, items, 2);
	assert_false(list_is_singular(&head));
}

static void list_is_first__and_last(void **state)
{
	(void)state;
	LIST_HEAD(head);
	struct item items[2];

	fill(&head, items, 2);
	assert_true(list_is_first(&items[0].link, &head));
	assert_false(list_is_first(&items[1].link, &head));
	assert_true(list_is_last(&items[1].link, &head));
	assert_false(list_is_last(&items[0].link, &head));
}

static void list_splice__joins_two_lists(void **state)
{
	(void)state;
	LIST_HEAD(head);
	LIST_HEAD(more);
	struct item items[2], others[2] = {{.n = 4}, {.n = 5}};

	fill(&head, items, 2);
	list_add_tail(&others[0].link, &more);
	list_add_tail(&others[1].link, &more);
	list_splice(&more, &head);
	assert_order(&head, "4512");
}

static void list_splice_tail__joins_two_lists(void **state)
{
	(void)state;
	LIST_HEAD(head);
	LIST_HEAD(more);
	struct item items[2], others[2] = {{.n = 4}, {.n = 5}};

	fill(&head, items, 2);
	list_add_tail(&others[0].link, &more);
	list_add_tail(&others[1].link, &more);
	list_splice_tail(&more, &head);
	assert_order(&head, "1245");
}

static void list_splice_init__joins_two_lists(void **state)
{
	(void)state;
	LIST_HEAD(head);
	LIST_HEAD(more);
	struct item items[2], others[2] = {{.n = 4}, {.n = 5}};

	fill(&head, items, 2);
	list_add_tail(&others[0].link, &more);
	list_add_tail(&others[1].link, &more);
	list_splice_init(&more, &head);
	assert_order(&head, "4512");
	assert_true(list_empty(&more));
	list_splice_init(&more, &head);
	assert_order(&head, "4512");
}

static void list_splice_tail_init__joins_two_lists(void **state)
{
	(void)state;
	LIST_HEAD(head);
	LIST_HEAD(more);
	struct item items[2], others[2] = {{.n = 4}, {.n = 5}};

	fill(&head, items, 2);
	list_add_tail(&others[0].link, &more);
	list_add_tail(&others[1].link, &more);
	list_splice_tail_init(&more, &head);
	assert_order(&head, "1245");
	assert_true(list_empty(&more));
	list_splice_tail_init(&more, &head);
	assert_order(&head, "1245");
}

static void list_first_entry__and_last_and_neighbours(void **state)
{
	(void)state;
	LIST_HEAD(head);
	struct item items[3];
	struct item *pos;

	assert_null(list_first_entry_or_null(&head, struct item, link));
	fill(&head, items, 3);
	assert_ptr_equal(list_first_entry(&head, struct item, link), &items[0]);
	assert_ptr_equal(list_first_entry_or_null(&head, struct item, link), &items[0]);
	assert_ptr_equal(list_last_entry(&head, struct item, link), &items[2]);
	pos = &items[1];
	assert_ptr_equal(list_next_entry(pos, link), &items[2]);
	assert_ptr_equal(list_prev_entry(pos, link), &items[0]);
}

static void list_for_each__and_its_kin(void **state)
{
	(void)state;
	LIST_HEAD(head);
	struct item items[3];
	struct item *pos, *n;
	struct list_head *p, *q;
	int sum = 0, digits = 0;

	fill(&head, items, 3);
	list_for_each(p, &head)
		sum += list_entry(p, struct item, link)->n;
	assert_int_equal(sum, 6);
	list_for_each_prev(p, &head)
		digits = digits * 10 + list_entry(p, struct item, link)->n;
	assert_int_equal(digits, 321);
	digits = 0;
	list_for_each_entry_reverse(pos, &head, link)
		digits = digits * 10 + pos->n;
	assert_int_equal(digits, 321);
	digits = 0;
	pos = &items[0];
	list_for_each_entry_continue(pos, &head, link) digits = digits * 10 + pos->n;
	assert_int_equal(digits, 23);
	digits = 0;
	pos = &items[1];
	list_for_each_entry_from(pos, &head, link) digits = digits * 10 + pos->n;
	assert_int_equal(digits, 23);
	list_for_each_safe(p, q, &head)
		if (list_entry(p, struct item, link)->n == 2)
			list_del(p);
	assert_order(&head, "13");
	list_for_each_entry_safe(pos, n, &head, link)
		list_del(&pos->link);
	assert_true(list_empty(&head));
}

static void hlist_add_head__and_del(void **state)
{
	(void)state;
	HLIST_HEAD(head);
	struct hitem a = {.n = 1}, b = {.n = 2}, c = {.n = 3};
	struct hitem *pos;
	struct hlist_node *n;
	int digits = 0;

	assert_true(hlist_empty(&head));
	hlist_add_head(&a.link, &head);
	hlist_add_head(&b.link, &head);
	hlist_add_head(&c.link, &head);
	hlist_del(&b.link);
	assert_true(hlist_unhashed(&b.link));
	hlist_del_init(&b.link);
	hlist_for_each_entry(pos, &head, link) digits = digits * 10 + pos->n;
	assert_int_equal(digits, 31);
	hlist_for_each_entry_safe(pos, n, &head, link) hlist_del_init(&pos->link);
	assert_true(hlist_empty(&head));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_add__puts_in_front),
		cmocka_unit_test(list_add_tail__puts_at_the_end),
		cmocka_unit_test(list_del__leaves_the_others),
		cmocka_unit_test(list_del_init__can_be_added_again),
		cmocka_unit_test(list_replace__takes_the_place),
		cmocka_unit_test(list_replace_init__empties_the_old),
		cmocka_unit_test(list_move__goes_to_the_front),
		cmocka_unit_test(list_move_tail__goes_to_the_end),
		cmocka_unit_test(list_empty__knows),
		cmocka_unit_test(list_is_singular__is_one_entry),
		cmocka_unit_test(list_is_first__and_last),
		cmocka_unit_test(list_splice__joins_two_lists),
		cmocka_unit_test(list_splice_tail__joins_two_lists),
		cmocka_unit_test(list_splice_init__joins_two_lists),
		cmocka_unit_test(list_splice_tail_init__joins_two_lists),
		cmocka_unit_test(list_first_entry__and_last_and_neighbours),
		cmocka_unit_test(list_for_each__and_its_kin),
		cmocka_unit_test(hlist_add_head__and_del),
	};

	return verbena_test_main(tests);
}
