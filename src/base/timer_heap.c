// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The pairing heap. child: leftmost child. next: right sibling. prev: left sibling, or the parent
 * of a leftmost child.
 */
#include "base/timer_heap.h"

static bool earlier(const struct base_timer *a, const struct base_timer *b)
{
	return a->deadline_ns < b->deadline_ns ||
	       (a->deadline_ns == b->deadline_ns && a->order < b->order);
}

/* Two roots without siblings become one. */
static struct base_timer *meld(struct base_timer *a, struct base_timer *b)
{
	struct base_timer *top, *under;

	if (!a || !b)
		return a ? a : b;
	top = earlier(a, b) ? a : b;
	under = top == a ? b : a;
	under->next = top->child;
	under->prev = top;
	if (top->child)
		top->child->prev = under;
	top->child = under;
	top->next = NULL;
	top->prev = NULL;
	return top;
}

/* The children of a removed root: meld in pairs from the left, then the pairs from the right. */
static struct base_timer *meld_siblings(struct base_timer *first)
{
	struct base_timer *pairs = NULL, *root = NULL;

	while (first) {
		struct base_timer *a = first, *b = first->next;

		first = b ? b->next : NULL;
		a->next = NULL;
		a->prev = NULL;
		if (b) {
			b->next = NULL;
			b->prev = NULL;
		}
		a = meld(a, b);
		a->next = pairs;
		pairs = a;
	}
	while (pairs) {
		struct base_timer *pair = pairs;

		pairs = pair->next;
		pair->next = NULL;
		root = meld(root, pair);
	}
	return root;
}

struct base_timer *base_timer_heap_insert(struct base_timer *root, struct base_timer *timer)
{
	timer->child = NULL;
	timer->next = NULL;
	timer->prev = NULL;
	return meld(root, timer);
}

struct base_timer *base_timer_heap_remove(struct base_timer *root, struct base_timer *timer)
{
	struct base_timer *rest = meld_siblings(timer->child);

	timer->child = NULL;
	if (timer == root)
		return rest;
	if (timer->prev->child == timer)
		timer->prev->child = timer->next;
	else
		timer->prev->next = timer->next;
	if (timer->next)
		timer->next->prev = timer->prev;
	timer->next = NULL;
	timer->prev = NULL;
	return meld(root, rest);
}

bool base_timer_heap_any(const struct base_timer *root,
			 bool (*test)(const struct base_timer *timer))
{
	const struct base_timer *t = root;

	while (t) {
		if (test(t))
			return true;
		if (t->child) {
			t = t->child;
			continue;
		}
		/* Up from a leftmost child is its parent; from others, back along the siblings. */
		while (t && !t->next) {
			while (t->prev && t->prev->child != t)
				t = t->prev;
			t = t->prev;
		}
		t = t ? t->next : NULL;
	}
	return false;
}
