/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Requests and responses between a program's library and the provider. Both sides are in this
 * process; yet the buffers are the program's, and a bad pointer must not kill it.
 */
#include <rdma/ib_verbs.h>

#include "base/cause.h"
#include "base/umem.h"

#define CHUNK_BYTES 256

int ib_copy_from_udata(void *dest, struct ib_udata *udata, size_t len)
{
	if (len > udata->inlen)
		return base_refuse(-EFAULT, UDATA_SHORT, udata->inlen, len);
	if (base_umem_copy(dest, udata->inbuf, len))
		return base_refuse(-EFAULT, UDATA_FAULT, (uintptr_t)udata->inbuf, len);
	return 0;
}

int ib_copy_to_udata(struct ib_udata *udata, void *src, size_t len)
{
	if (len > udata->outlen)
		return base_refuse(-EFAULT, UDATA_SHORT, udata->outlen, len);
	if (base_umem_copy(udata->outbuf, src, len))
		return base_refuse(-EFAULT, UDATA_FAULT, (uintptr_t)udata->outbuf, len);
	return 0;
}

bool ib_is_buffer_cleared(const void __user *p, size_t len)
{
	const u8 *from = p;
	u8 chunk[CHUNK_BYTES];

	if (len > U16_MAX)
		return false;
	while (len) {
		const size_t n = len < sizeof(chunk) ? len : sizeof(chunk);

		if (base_umem_copy(chunk, from, n))
			return false;
		for (size_t i = 0; i < n; i++) {
			if (chunk[i])
				return false;
		}
		from += n;
		len -= n;
	}
	return true;
}

bool ib_is_udata_cleared(struct ib_udata *udata, size_t offset, size_t len)
{
	if (offset > udata->inlen || len > udata->inlen - offset)
		return false;
	return ib_is_buffer_cleared((const u8 *)udata->inbuf + offset, len);
}
