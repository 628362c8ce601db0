/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The shape of red-black trees only: who keeps a tree brings the code. */
#ifndef VERBENA_LINUX_RBTREE_H
#define VERBENA_LINUX_RBTREE_H

#include <linux/types.h>

struct rb_node {
	unsigned long __rb_parent_color;
	struct rb_node *rb_right;
	struct rb_node *rb_left;
} __attribute__((aligned(sizeof(long))));

struct rb_root {
	struct rb_node *rb_node;
};

#define RB_ROOT          \
	(struct rb_root) \
	{                \
		NULL     \
	}
#define RB_EMPTY_ROOT(root) (READ_ONCE((root)->rb_node) == NULL)
#define rb_entry(ptr, type, member) container_of(ptr, type, member)

#endif /* VERBENA_LINUX_RBTREE_H */
