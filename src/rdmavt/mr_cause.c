// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Why a key was refused: what the caller most likely did wrong. */
#include "rdmavt/mr.h"
#include "rdmavt/mw.h"

/* What can be said about a key that finds nothing, in both roles. */
struct key_causes {
	enum base_cause_id none, stale, other_role, invalidated, unregistered;
};

static const struct key_causes causes_of[] = {
	[false] = {BASE_CAUSE_LKEY_NONE, BASE_CAUSE_LKEY_STALE, BASE_CAUSE_LKEY_IS_RKEY,
		   BASE_CAUSE_LKEY_INVALIDATED, BASE_CAUSE_LKEY_UNREGISTERED},
	[true] = {BASE_CAUSE_RKEY_NONE, BASE_CAUSE_RKEY_STALE, BASE_CAUSE_RKEY_IS_LKEY,
		  BASE_CAUSE_RKEY_INVALIDATED, BASE_CAUSE_RKEY_UNREGISTERED},
};

void rvt_mr_explain_key(struct rvt_lkey_table *rkt, u32 key, bool remote, struct base_cause *why)
{
	const struct key_causes *causes = &causes_of[remote];
	const struct rvt_mregion *mr;
	const struct rvt_mw *mw;
	u32 right = 0, wrong = 0;

	*why = (struct base_cause){.id = (uint16_t)causes->none, .arg = {key}};
	spin_lock(&rkt->lock);
	mw = rvt_mw_of_key(rkt, key);
	mr = rkt->table[key >> rkt->shift];
	if (mw) {
		why->id = mw->ibmw.rkey == key ? BASE_CAUSE_MW_UNBOUND : BASE_CAUSE_MW_STALE;
		why->arg[1] = mw->ibmw.rkey;
	} else if (mr) {
		right = remote ? rvt_mr_rkey(rkt, mr->lkey) : mr->lkey;
		wrong = remote ? mr->lkey : rvt_mr_rkey(rkt, mr->lkey);
		why->arg[1] = right;
		if (key == right && atomic_read(&mr->lkey_invalid))
			why->id = (uint16_t)causes->invalidated;
		else if (key == right)
			why->id = (uint16_t)causes->unregistered;
		else if (key == wrong)
			why->id = (uint16_t)causes->other_role;
		else
			why->id = (uint16_t)causes->stale;
	}
	spin_unlock(&rkt->lock);
}

/* The right of a peer that was missing. */
static enum base_cause_id missing_right(int acc)
{
	if (acc & IB_ACCESS_REMOTE_WRITE)
		return BASE_CAUSE_RKEY_NO_WRITE;
	if (acc & IB_ACCESS_REMOTE_ATOMIC)
		return BASE_CAUSE_RKEY_NO_ATOMIC;
	if (acc & (IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT))
		return BASE_CAUSE_RKEY_NO_FLUSH;
	return BASE_CAUSE_RKEY_NO_READ;
}

static enum base_cause_id cause_of(enum rvt_key_verdict verdict, const struct rvt_mr_access *access,
				   bool wraps)
{
	switch (verdict) {
	case RVT_KEY_PD:
		return access->remote ? BASE_CAUSE_RKEY_PD : BASE_CAUSE_LKEY_PD;
	case RVT_KEY_BOUNDS:
		if (wraps)
			return access->remote ? BASE_CAUSE_RKEY_WRAP : BASE_CAUSE_LKEY_WRAP;
		return access->remote ? BASE_CAUSE_RKEY_BOUNDS : BASE_CAUSE_LKEY_BOUNDS;
	case RVT_KEY_ACCESS:
		return access->remote ? missing_right(access->acc) : BASE_CAUSE_LKEY_NO_WRITE;
	case RVT_KEY_QP:
		return BASE_CAUSE_MW_OTHER_QP;
	case RVT_KEY_OK:
	case RVT_KEY_NONE:
		break;
	}
	return access->remote ? BASE_CAUSE_RKEY_NONE : BASE_CAUSE_LKEY_NONE;
}

void rvt_mr_explain_access(const struct rvt_mr_entry *entry, enum rvt_key_verdict verdict,
			   const struct rvt_mr_access *access, struct base_cause *why)
{
	const u64 first = access->remote ? RVT_MR_ENTRY_GET(entry, iova)
					 : RVT_MR_ENTRY_GET(entry, user_base);
	const u64 length = RVT_MR_ENTRY_GET(entry, length);
	const bool wraps = access->bytes && access->addr > UINT64_MAX - (access->bytes - 1);

	*why = (struct base_cause){.arg = {access->key}};
	if (verdict == RVT_KEY_BOUNDS && !length) {
		why->id = (uint16_t)causes_of[access->remote].unregistered;
		return;
	}
	why->id = (uint16_t)cause_of(verdict, access, wraps);
	if (verdict == RVT_KEY_PD) {
		why->arg[1] = RVT_MR_ENTRY_GET(entry, pd);
		why->arg[2] = access->pd;
		return;
	}
	if (verdict == RVT_KEY_QP) {
		why->arg[1] = RVT_MR_ENTRY_GET(entry, qpn);
		why->arg[2] = access->qpn;
		return;
	}
	why->arg[1] = first;
	why->arg[2] = first + length - 1;
	why->arg[3] = RVT_MR_ENTRY_GET(entry, access) & ~RVT_MR_DIRECT;
	why->arg[4] = access->bytes;
	why->arg[5] = access->addr;
}
