/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* IPv6 addresses are the C library's. */
#ifndef VERBENA_LINUX_IN6_H
#define VERBENA_LINUX_IN6_H

#include <netinet/in.h>
#include <stdbool.h>
#include_next <linux/in6.h>

static inline bool ipv6_addr_v4mapped(const struct in6_addr *a)
{
	return IN6_IS_ADDR_V4MAPPED(a);
}

#endif /* VERBENA_LINUX_IN6_H */
