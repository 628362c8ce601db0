/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Intrusive doubly linked lists: a ring through its head; and hash chains with a one-word head. */
#ifndef VERBENA_LINUX_LIST_H
#define VERBENA_LINUX_LIST_H

#include <linux/types.h>

/* What a removed entry points to, so that a second removal faults at once. */
#define LIST_POISON1 ((struct list_head *)0x100)
#define LIST_POISON2 ((struct list_head *)0x122)

#define LIST_HEAD_INIT(name)     \
	{                        \
		&(name), &(name) \
	}
#ifndef LIST_HEAD
#define LIST_HEAD(name) struct list_head name = LIST_HEAD_INIT(name)
#endif

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline void base_list_insert(struct list_head *entry, struct list_head *before,
				    struct list_head *after)
{
	after->prev = entry;
	entry->next = after;
	entry->prev = before;
	before->next = entry;
}

static inline void base_list_unlink(struct list_head *before, struct list_head *after)
{
	after->prev = before;
	before->next = after;
}

static inline void list_add(struct list_head *entry, struct list_head *head)
{
	base_list_insert(entry, head, head->next);
}

static inline void list_add_tail(struct list_head *entry, struct list_head *head)
{
	base_list_insert(entry, head->prev, head);
}

static inline void list_del(struct list_head *entry)
{
	base_list_unlink(entry->prev, entry->next);
	entry->next = LIST_POISON1;
	entry->prev = LIST_POISON2;
}

static inline void list_del_init(struct list_head *entry)
{
	base_list_unlink(entry->prev, entry->next);
	INIT_LIST_HEAD(entry);
}

static inline void list_replace(struct list_head *old, struct list_head *entry)
{
	base_list_insert(entry, old->prev, old->next);
}

static inline void list_replace_init(struct list_head *old, struct list_head *entry)
{
	list_replace(old, entry);
	INIT_LIST_HEAD(old);
}

static inline void list_move(struct list_head *entry, struct list_head *head)
{
	base_list_unlink(entry->prev, entry->next);
	list_add(entry, head);
}

static inline void list_move_tail(struct list_head *entry, struct list_head *head)
{
	base_list_unlink(entry->prev, entry->next);
	list_add_tail(entry, head);
}

static inline bool list_empty(const struct list_head *head)
{
	return READ_ONCE(head->next) == head;
}

static inline bool list_is_first(const struct list_head *entry, const struct list_head *head)
{
	return entry->prev == head;
}

static inline bool list_is_last(const struct list_head *entry, const struct list_head *head)
{
	return entry->next == head;
}

static inline bool list_is_singular(const struct list_head *head)
{
	return !list_empty(head) && head->next == head->prev;
}

static inline void base_list_join(const struct list_head *list, struct list_head *before,
				  struct list_head *after)
{
	struct list_head *first = list->next, *last = list->prev;

	first->prev = before;
	before->next = first;
	last->next = after;
	after->prev = last;
}

static inline void list_splice(const struct list_head *list, struct list_head *head)
{
	if (!list_empty(list))
		base_list_join(list, head, head->next);
}

static inline void list_splice_tail(const struct list_head *list, struct list_head *head)
{
	if (!list_empty(list))
		base_list_join(list, head->prev, head);
}

static inline void list_splice_init(struct list_head *list, struct list_head *head)
{
	list_splice(list, head);
	INIT_LIST_HEAD(list);
}

static inline void list_splice_tail_init(struct list_head *list, struct list_head *head)
{
	list_splice_tail(list, head);
	INIT_LIST_HEAD(list);
}

#define list_entry(ptr, type, member) container_of(ptr, type, member)
#define list_first_entry(head, type, member) list_entry((head)->next, type, member)
#define list_last_entry(head, type, member) list_entry((head)->prev, type, member)
#define list_first_entry_or_null(head, type, member) \
	(list_empty(head) ? (type *)NULL : list_first_entry(head, type, member))
#define list_next_entry(pos, member) list_entry((pos)->member.next, __typeof__(*(pos)), member)
#define list_prev_entry(pos, member) list_entry((pos)->member.prev, __typeof__(*(pos)), member)
#define list_entry_is_head(pos, head, member) (&(pos)->member == (head))

#define list_for_each(pos, head) for (pos = (head)->next; pos != (head); pos = pos->next)
#define list_for_each_prev(pos, head) for (pos = (head)->prev; pos != (head); pos = pos->prev)
#define list_for_each_safe(pos, n, head) \
	for (pos = (head)->next, n = pos->next; pos != (head); pos = n, n = pos->next)
#define list_for_each_entry(pos, head, member)                       \
	for (pos = list_first_entry(head, __typeof__(*pos), member); \
	     !list_entry_is_head(pos, head, member); pos = list_next_entry(pos, member))
#define list_for_each_entry_reverse(pos, head, member)              \
	for (pos = list_last_entry(head, __typeof__(*pos), member); \
	     !list_entry_is_head(pos, head, member); pos = list_prev_entry(pos, member))
#define list_for_each_entry_continue(pos, head, member)                                  \
	for (pos = list_next_entry(pos, member); !list_entry_is_head(pos, head, member); \
	     pos = list_next_entry(pos, member))
#define list_for_each_entry_from(pos, head, member) \
	for (; !list_entry_is_head(pos, head, member); pos = list_next_entry(pos, member))
#define list_for_each_entry_safe(pos, n, head, member)               \
	for (pos = list_first_entry(head, __typeof__(*pos), member), \
	    n = list_next_entry(pos, member);                        \
	     !list_entry_is_head(pos, head, member); pos = n, n = list_next_entry(n, member))

#define HLIST_HEAD_INIT \
	{               \
		NULL    \
	}
#define HLIST_HEAD(name) struct hlist_head name = HLIST_HEAD_INIT
#define INIT_HLIST_HEAD(ptr) ((ptr)->first = NULL)

static inline void INIT_HLIST_NODE(struct hlist_node *node)
{
	node->next = NULL;
	node->pprev = NULL;
}

static inline bool hlist_unhashed(const struct hlist_node *node)
{
	return !node->pprev;
}

static inline bool hlist_empty(const struct hlist_head *head)
{
	return !READ_ONCE(head->first);
}

static inline void hlist_add_head(struct hlist_node *node, struct hlist_head *head)
{
	node->next = head->first;
	if (node->next)
		node->next->pprev = &node->next;
	node->pprev = &head->first;
	head->first = node;
}

static inline void hlist_del_init(struct hlist_node *node)
{
	if (hlist_unhashed(node))
		return;
	*node->pprev = node->next;
	if (node->next)
		node->next->pprev = node->pprev;
	INIT_HLIST_NODE(node);
}

static inline void hlist_del(struct hlist_node *node)
{
	hlist_del_init(node);
}

#define hlist_entry(ptr, type, member) container_of(ptr, type, member)
#define hlist_entry_safe(ptr, type, member) ((ptr) ? hlist_entry(ptr, type, member) : (type *)NULL)
#define hlist_for_each_entry(pos, head, member)                                      \
	for (pos = hlist_entry_safe((head)->first, __typeof__(*(pos)), member); pos; \
	     pos = hlist_entry_safe((pos)->member.next, __typeof__(*(pos)), member))
#define hlist_for_each_entry_safe(pos, n, head, member)                         \
	for (pos = hlist_entry_safe((head)->first, __typeof__(*(pos)), member); \
	     pos && ((n = (pos)->member.next), 1);                              \
	     pos = hlist_entry_safe(n, __typeof__(*(pos)), member))

#endif /* VERBENA_LINUX_LIST_H */
