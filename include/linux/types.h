/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Kernel scalar types in user space, on top of the system's own <linux/types.h>. */
#ifndef VERBENA_LINUX_TYPES_H
#define VERBENA_LINUX_TYPES_H

#include_next <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/compiler.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

/* Allocation context: accepted and ignored. */
typedef unsigned int gfp_t;

/* A bus address; here always the virtual address of the byte. */
typedef u64 dma_addr_t;
typedef u64 phys_addr_t;

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	s64 counter;
} atomic64_t;

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

struct rcu_head {
	struct rcu_head *next;
	void (*func)(struct rcu_head *head);
};

#ifndef BITS_PER_BYTE
#define BITS_PER_BYTE 8
#endif
#ifndef BITS_PER_LONG
#define BITS_PER_LONG __LONG_WIDTH__
#endif
#define BITS_TO_LONGS(nr) (((size_t)(nr) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define DECLARE_BITMAP(name, bits) unsigned long name[BITS_TO_LONGS(bits)]

#define U8_MAX UINT8_MAX
#define U16_MAX UINT16_MAX
#define U32_MAX UINT32_MAX
#define U64_MAX ((u64)UINT64_MAX)

#endif /* VERBENA_LINUX_TYPES_H */
