/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Negative errnos carried in pointers. */
#ifndef VERBENA_LINUX_ERR_H
#define VERBENA_LINUX_ERR_H

#include <errno.h>
#include <linux/types.h>

#define MAX_ERRNO 4095

#define IS_ERR_VALUE(x) ((unsigned long)(x) >= (unsigned long)-MAX_ERRNO)

static inline void *ERR_PTR(long error)
{
	return (void *)error;
}

static inline long PTR_ERR(const void *ptr)
{
	return (long)ptr;
}

static inline bool IS_ERR(const void *ptr)
{
	return IS_ERR_VALUE(ptr);
}

static inline bool IS_ERR_OR_NULL(const void *ptr)
{
	return !ptr || IS_ERR_VALUE(ptr);
}

static inline void *ERR_CAST(const void *ptr)
{
	return (void *)(uintptr_t)ptr;
}

static inline int PTR_ERR_OR_ZERO(const void *ptr)
{
	return IS_ERR(ptr) ? (int)PTR_ERR(ptr) : 0;
}

#endif /* VERBENA_LINUX_ERR_H */
