/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Copies from and to a caller: both sides are in one address space. */
#ifndef VERBENA_LINUX_UACCESS_H
#define VERBENA_LINUX_UACCESS_H

#include <string.h>
#include <linux/types.h>

/* Bytes that could not be copied: none, or all where an address is NULL. */
static inline unsigned long copy_from_user(void *to, const void __user *from, unsigned long n)
{
	if (!n)
		return 0;
	if (!to || !from)
		return n;
	memcpy(to, from, n);
	return 0;
}

static inline unsigned long copy_to_user(void __user *to, const void *from, unsigned long n)
{
	return copy_from_user(to, from, n);
}

#endif /* VERBENA_LINUX_UACCESS_H */
