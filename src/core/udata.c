/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Requests and responses between a program's library and the provider. Both sides are in this
 * process; yet the buffers are the program's, and a bad pointer must not kill it.
 */
#include <rdma/uverbs_ioctl.h>

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

/* libibverbs' numbers, which no header of the system has. */
#define UVERBS_WC_IP_CSUM_OK (1u << 2)
#define UVERBS_WC_WITH_INV (1u << 3)

static inline u32 uverbs_wc_flags(int flags)
{
	u32 out = (u32)flags & (IB_WC_GRH | IB_WC_WITH_IMM);

	if (likely(!(flags & (IB_WC_WITH_INVALIDATE | IB_WC_IP_CSUM_OK))))
		return out;
	if (flags & IB_WC_WITH_INVALIDATE)
		out |= UVERBS_WC_WITH_INV;
	if (flags & IB_WC_IP_CSUM_OK)
		out |= UVERBS_WC_IP_CSUM_OK;
	return out;
}

void ib_wc_to_uverbs(const struct ib_wc *wc, struct ib_uverbs_wc *entry)
{
	/* Member by member: a compound literal would be made first, and then copied. */
	entry->wr_id = wc->wr_id;
	entry->status = wc->status;
	entry->opcode = wc->opcode;
	entry->vendor_err = wc->vendor_err;
	entry->byte_len = wc->byte_len;
	entry->qp_num = wc->qp ? wc->qp->qp_num : 0;
	entry->src_qp = wc->src_qp;
	entry->wc_flags = uverbs_wc_flags(wc->wc_flags);
	entry->pkey_index = wc->pkey_index;
	entry->slid = (u16)wc->slid;
	entry->sl = wc->sl;
	entry->dlid_path_bits = wc->dlid_path_bits;
	entry->port_num = (u8)wc->port_num;
	entry->reserved = 0;
	if (wc->wc_flags & IB_WC_WITH_INVALIDATE)
		entry->ex.invalidate_rkey = wc->ex.invalidate_rkey;
	else
		entry->ex.imm_data = wc->ex.imm_data;
}
