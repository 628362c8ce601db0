/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* From IP addresses to GIDs; the other conversions are inline. */
#include <rdma/ib_addr.h>

#include "base/cause.h"

int rdma_ip2gid(struct sockaddr *addr, union ib_gid *gid)
{
	if (addr->sa_family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)addr;

		memset(gid->raw, 0, 10);
		memset(gid->raw + 10, 0xff, 2);
		memcpy(gid->raw + 12, &in->sin_addr, 4);
		return 0;
	}
	if (addr->sa_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)(const void *)addr;

		memcpy(gid->raw, &in6->sin6_addr, 16);
		return 0;
	}
	return base_refuse(-EINVAL, ADDR_FAMILY, addr->sa_family);
}
