// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* FLUSH at the responder (IBA 1.5 A19). */
#include <linux/compiler.h>
#include <linux/minmax.h>

#include "base/umem.h"
#include "rdmavt/mr.h"
#include "rdmavt/qp_priv.h"

/* A region may be longer than an SGE can say. */
#define CHUNK_BYTES (1u << 30)

static const struct rvt_mr_entry *entry_of(const struct rvt_qp *qp, u32 rkey)
{
	const struct rvt_lkey_table *rkt = &ib_to_rvt(qp->ibqp.device)->lkey_table;

	return &rkt->entries[rkey >> rkt->shift];
}

bool rvt_flush_check(struct rvt_qp *qp, const struct rvt_flush *flush, struct base_cause *why)
{
	const bool whole = flush->level == IB_FLUSH_MR;
	const u64 addr = whole ? RVT_MR_ENTRY_GET(entry_of(qp, flush->rkey), iova) : flush->addr;
	struct rvt_sge sge;

	if (unlikely(whole && !flush->rkey)) { /* all memory, which is no region */
		*why = (struct base_cause){.id = BASE_CAUSE_RKEY_ZERO,
					   .side = BASE_SIDE_RESPONDER,
					   .arg = {(u32)rvt_flush_rights(flush)}};
		return false;
	}
	if (!rvt_rkey_check(qp, &sge, whole ? 0 : flush->bytes, addr, flush->rkey,
			    rvt_flush_rights(flush), why))
		return false;
	rvt_put_mr(sge.mr);
	return true;
}

static int sync_bytes(struct rvt_qp *qp, u32 rkey, u64 addr, u32 bytes)
{
	struct rvt_sge_state ss = {.num_sge = 1};
	struct base_cause why;
	struct rvt_mregion *mr;
	int ret = 0;

	if (!rvt_rkey_check(qp, &ss.sge, bytes, addr, rkey, IB_ACCESS_FLUSH_PERSISTENT, &why))
		return -EACCES;
	mr = ss.sge.mr;
	while (bytes && !ret) {
		const u32 length = rvt_get_sge_length(&ss.sge, bytes);

		ret = base_umem_sync(ss.sge.vaddr, length);
		rvt_update_sge(&ss, length, false);
		bytes -= length;
	}
	rvt_put_mr(mr);
	return ret;
}

int rvt_flush(struct rvt_qp *qp, const struct rvt_flush *flush)
{
	const struct rvt_mr_entry *entry = entry_of(qp, flush->rkey);
	const bool whole = flush->level == IB_FLUSH_MR;
	u64 addr = whole ? RVT_MR_ENTRY_GET(entry, iova) : flush->addr;
	u64 left = whole ? RVT_MR_ENTRY_GET(entry, length) : flush->bytes;
	int ret = 0;

	smp_mb();
	if (!(flush->type & IB_FLUSH_PERSISTENT))
		return 0;
	while (left && !ret) {
		const u32 bytes = (u32)min_t(u64, left, CHUNK_BYTES);

		ret = sync_bytes(qp, flush->rkey, addr, bytes);
		addr += bytes;
		left -= bytes;
	}
	return ret;
}
