// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The check of every key: on the data path, without a lock. See mr.c for who may rely on what. */
#include "rdmavt/mr.h"

#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <rdma/rdmavt_qp.h>

#define GET(field) __atomic_load_n(&(field), __ATOMIC_ACQUIRE)

/* The region that has @key now, with a reference on it; NULL if there is none. */
static struct rvt_mregion *hold_region(struct rvt_lkey_table *rkt, u32 key, const u32 *entry_key)
{
	struct rvt_mregion **slot = &rkt->table[key >> rkt->shift];
	struct rvt_mregion *mr;

	if (__atomic_load_n(entry_key, __ATOMIC_ACQUIRE) != key)
		return NULL;
	mr = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	if (!mr)
		return NULL;
	__atomic_fetch_add(&mr->refcount.count.counter, 1, __ATOMIC_SEQ_CST);
	if (likely(__atomic_load_n(entry_key, __ATOMIC_SEQ_CST) == key &&
		   __atomic_load_n(slot, __ATOMIC_SEQ_CST) == mr))
		return mr;
	percpu_ref_put(&mr->refcount);
	return NULL;
}

/* Where byte @off of a region with gaps is, and how many follow it there. */
static void locate_in_pages(const struct rvt_mregion *mr, u64 off, u32 bytes, struct rvt_sge *sge)
{
	const u64 at = off + mr->offset;
	u32 n = (u32)(at >> mr->page_shift);
	const struct rvt_seg *seg = &mr->map[n / RVT_SEGSZ]->segs[n % RVT_SEGSZ];
	const u64 in_seg = at & (seg->length - 1);
	const u32 count = (u32)((mr->offset + mr->length + seg->length - 1) >> mr->page_shift);
	u64 here = seg->length - in_seg;

	sge->vaddr = (char *)seg->vaddr + in_seg;
	while (here < bytes && n + 1 < count) {
		const struct rvt_seg *next =
			&mr->map[(n + 1) / RVT_SEGSZ]->segs[(n + 1) % RVT_SEGSZ];

		if ((char *)sge->vaddr + here != next->vaddr)
			break;
		here += next->length;
		n++;
	}
	sge->length = (u32)min_t(u64, here, bytes);
	sge->m = (u16)(n / RVT_SEGSZ);
	sge->n = (u16)(n % RVT_SEGSZ);
}

static void fill_sge(struct rvt_sge *sge, struct rvt_mregion *mr, u64 base, u64 off, u32 bytes)
{
	sge->mr = mr;
	sge->sge_length = bytes;
	if (likely(base != RVT_MR_SCATTERED)) {
		sge->vaddr = (void *)(uintptr_t)(base + off);
		sge->length = bytes;
		sge->m = 0;
		sge->n = 0;
	} else if (off == mr->length) {
		*sge = (struct rvt_sge){.mr = mr};
	} else {
		locate_in_pages(mr, off, bytes, sge);
	}
}

/* Key 0: the address is the byte's own. */
static bool fill_all_memory(struct rvt_dev_info *rdi, struct rvt_sge *sge, u64 addr, u32 bytes)
{
	struct rvt_mregion *mr = rcu_dereference(rdi->dma_mr);

	if (unlikely(!mr || addr > UINT64_MAX - bytes))
		return false;
	fill_sge(sge, mr, addr, 0, bytes);
	return true;
}

static int lkey_zero(struct rvt_pd *pd, struct rvt_sge *isge, const struct ib_sge *sge,
		     struct base_cause *why)
{
	if (likely(!pd->user &&
		   fill_all_memory(ib_to_rvt(pd->ibpd.device), isge, sge->addr, sge->length)))
		return 1;
	*why = (struct base_cause){.arg = {sge->addr, sge->length}};
	if (pd->user)
		why->id = BASE_CAUSE_LKEY_ZERO_USER;
	else if (rcu_dereference(ib_to_rvt(pd->ibpd.device)->dma_mr))
		why->id = BASE_CAUSE_KEY_ZERO_WRAP;
	else
		why->id = BASE_CAUSE_LKEY_ZERO_NO_MR;
	return -EINVAL;
}

/* Whether @sge goes on where @last ends, so that both can be one. */
static bool merge_sge(struct rvt_lkey_table *rkt, struct rvt_sge *last, const struct ib_sge *sge)
{
	const struct rvt_mregion *mr = last->mr;
	const struct rvt_mr_entry *entry;

	if ((u64)(uintptr_t)last->vaddr + last->sge_length != sge->addr ||
	    last->length != last->sge_length || last->sge_length > UINT32_MAX - sge->length)
		return false;
	if (mr->all_memory) {
		if (sge->lkey || sge->addr > UINT64_MAX - sge->length)
			return false;
	} else {
		entry = &rkt->entries[sge->lkey >> rkt->shift];
		if (!sge->lkey || !rvt_mr_entry_has_lkey(entry, sge->lkey) ||
		    __atomic_load_n(&mr->lkey, __ATOMIC_RELAXED) != sge->lkey ||
		    RVT_MR_ENTRY_GET(entry, base) == RVT_MR_SCATTERED ||
		    !rvt_range_holds(RVT_MR_ENTRY_GET(entry, base), RVT_MR_ENTRY_GET(entry, length),
				     sge->addr, sge->length))
			return false;
	}
	last->sge_length += sge->length;
	last->length += sge->length;
	return true;
}

/* Where @addr lies in a region, by the address that its owner knows it by, or by its own. */
static u64 offset_of(const struct rvt_mr_entry *entry, u64 length, u64 addr, u32 bytes)
{
	const u64 off = addr - RVT_MR_ENTRY_GET(entry, user_base);

	return likely(rvt_range_holds(0, length, off, bytes))
		       ? off
		       : addr - RVT_MR_ENTRY_GET(entry, iova);
}

void *rvt_lkey_look(struct rvt_lkey_table *rkt, const struct rvt_pd *pd, const struct ib_sge *sge,
		    int acc)
{
	const struct rvt_mr_entry *entry = &rkt->entries[sge->lkey >> rkt->shift];
	const u32 need = (u32)acc | RVT_MR_DIRECT;
	u64 length, off, base;

	if (unlikely(!sge->lkey || RVT_MR_ENTRY_GET(entry, lkey) != sge->lkey))
		return NULL;
	length = RVT_MR_ENTRY_GET(entry, length);
	off = offset_of(entry, length, sge->addr, sge->length);
	base = RVT_MR_ENTRY_GET(entry, base);
	if (unlikely(RVT_MR_ENTRY_GET(entry, pd) != pd->number || base == RVT_MR_SCATTERED ||
		     (RVT_MR_ENTRY_GET(entry, access) & need) != need ||
		     !rvt_range_holds(0, length, off, sge->length)))
		return NULL;
	/* What was read is one registration's. */
	return likely(rvt_mr_entry_has_lkey(entry, sge->lkey)) ? (void *)(uintptr_t)(base + off)
							       : NULL;
}

int rvt_lkey_check(struct rvt_lkey_table *rkt, struct rvt_pd *pd, struct rvt_sge *isge,
		   struct rvt_sge *last_sge, const struct ib_sge *sge, int acc,
		   struct base_cause *why)
{
	const struct rvt_mr_entry *entry = &rkt->entries[sge->lkey >> rkt->shift];
	enum rvt_key_verdict verdict = RVT_KEY_OK;
	struct rvt_mregion *mr;
	u64 length, off;

	if (last_sge && merge_sge(rkt, last_sge, sge))
		return 0;
	if (!sge->lkey)
		return lkey_zero(pd, isge, sge, why);
	mr = hold_region(rkt, sge->lkey, &entry->lkey);
	if (unlikely(!mr)) {
		rvt_mr_explain_key(rkt, sge->lkey, false, why);
		return -EINVAL;
	}
	length = RVT_MR_ENTRY_GET(entry, length);
	off = offset_of(entry, length, sge->addr, sge->length);
	if (unlikely(RVT_MR_ENTRY_GET(entry, pd) != pd->number))
		verdict = RVT_KEY_PD;
	else if (unlikely(!rvt_range_holds(0, length, off, sge->length)))
		verdict = RVT_KEY_BOUNDS;
	else if (unlikely(((int)RVT_MR_ENTRY_GET(entry, access) & acc) != acc))
		verdict = RVT_KEY_ACCESS;
	if (likely(verdict == RVT_KEY_OK)) {
		fill_sge(isge, mr, RVT_MR_ENTRY_GET(entry, base), off, sge->length);
		return 1;
	}
	rvt_mr_explain_access(entry, verdict,
			      &(struct rvt_mr_access){.key = sge->lkey,
						      .acc = acc,
						      .pd = pd->number,
						      .addr = sge->addr,
						      .bytes = sge->length},
			      why);
	rvt_put_mr(mr);
	return -EINVAL;
}

int rvt_lkey_ok(struct rvt_lkey_table *rkt, struct rvt_pd *pd, struct rvt_sge *isge,
		struct rvt_sge *last_sge, struct ib_sge *sge, int acc)
{
	struct base_cause why;
	const int ret = rvt_lkey_check(rkt, pd, isge, last_sge, sge, acc, &why);

	if (unlikely(ret < 0)) {
		why.side = BASE_SIDE_CALL;
		base_cause_set_last(&why);
	}
	return ret;
}

/* All memory, through a PD whose owner has opened it to peers. */
static int rkey_zero(struct rvt_qp *qp, struct rvt_sge *sge, u32 len, u64 vaddr, int acc,
		     struct base_cause *why)
{
	const struct rvt_pd *pd = ibpd_to_rvtpd(qp->ibqp.pd);

	*why = (struct base_cause){.side = BASE_SIDE_RESPONDER, .arg = {vaddr, len}};
	if (pd->user || ((u32)acc & ~GET(pd->dma_access))) {
		why->id = BASE_CAUSE_RKEY_ZERO;
		why->arg[0] = (u32)acc;
		return 0;
	}
	if (!fill_all_memory(ib_to_rvt(qp->ibqp.device), sge, vaddr, len)) {
		why->id = BASE_CAUSE_KEY_ZERO_WRAP;
		return 0;
	}
	return 1;
}

int rvt_rkey_check(struct rvt_qp *qp, struct rvt_sge *sge, u32 len, u64 vaddr, u32 rkey, int acc,
		   struct base_cause *why)
{
	struct rvt_lkey_table *rkt = &ib_to_rvt(qp->ibqp.device)->lkey_table;
	const struct rvt_mr_entry *entry = &rkt->entries[rkey >> rkt->shift];
	const u32 pd = ibpd_to_rvtpd(qp->ibqp.pd)->number;
	enum rvt_key_verdict verdict;
	struct rvt_mregion *mr;

	if (!rkey)
		return rkey_zero(qp, sge, len, vaddr, acc, why);
	mr = hold_region(rkt, rkey, &entry->rkey);
	if (unlikely(!mr)) {
		rvt_mr_explain_key(rkt, rkey, true, why);
		why->side = BASE_SIDE_RESPONDER;
		return 0;
	}
	verdict = rvt_mr_entry_check_remote(entry, pd, qp->ibqp.qp_num, vaddr, len, (u32)acc);
	if (likely(verdict == RVT_KEY_OK)) {
		fill_sge(sge, mr, RVT_MR_ENTRY_GET(entry, base),
			 vaddr - RVT_MR_ENTRY_GET(entry, iova), len);
		/* What was read is one registration's or one window's, not half of the next. */
		if (likely(rvt_mr_entry_has_rkey(entry, rkey)))
			return 1;
		rvt_put_mr(mr);
		rvt_mr_explain_key(rkt, rkey, true, why);
		why->side = BASE_SIDE_RESPONDER;
		return 0;
	}
	rvt_mr_explain_access(entry, verdict,
			      &(struct rvt_mr_access){.key = rkey,
						      .remote = true,
						      .acc = acc,
						      .pd = pd,
						      .addr = vaddr,
						      .bytes = len,
						      .qpn = qp->ibqp.qp_num},
			      why);
	why->side = BASE_SIDE_RESPONDER;
	rvt_put_mr(mr);
	return 0;
}

int rvt_rkey_ok(struct rvt_qp *qp, struct rvt_sge *sge, u32 len, u64 vaddr, u32 rkey, int acc)
{
	struct base_cause why;
	const int ret = rvt_rkey_check(qp, sge, len, vaddr, rkey, acc, &why);

	if (unlikely(!ret)) {
		why.qpn = qp->ibqp.qp_num;
		base_cause_set_last(&why);
	}
	return ret;
}

int rvt_rkey_enter(struct rvt_qp *qp, u32 rkey, struct base_cause *why)
{
	struct rvt_lkey_table *rkt = &ib_to_rvt(qp->ibqp.device)->lkey_table;
	const u32 slot = rkey >> rkt->shift;

	if (!rkey)
		return 1;
	__atomic_fetch_add(&rkt->placing[slot], 1, __ATOMIC_SEQ_CST);
	if (likely(rvt_mr_entry_has_rkey(&rkt->entries[slot], rkey)))
		return 1;
	rvt_rkey_leave(qp, rkey);
	rvt_mr_explain_key(rkt, rkey, true, why);
	why->side = BASE_SIDE_RESPONDER;
	return 0;
}

void rvt_rkey_leave(struct rvt_qp *qp, u32 rkey)
{
	struct rvt_lkey_table *rkt = &ib_to_rvt(qp->ibqp.device)->lkey_table;

	if (rkey)
		__atomic_fetch_sub(&rkt->placing[rkey >> rkt->shift], 1, __ATOMIC_RELEASE);
}

/* As rvt_rkey_check(), but for the reference: the owner waits for the window that the caller holds. */
bool rvt_peer_rkey_ok(const struct rvt_peer_keys *keys, const struct rvt_peer_access *access,
		      u64 *at)
{
	const struct rvt_mr_entry *entry =
		keys->entries + keys->first + (access->rkey >> keys->shift);

	if (!access->rkey || !rvt_mr_entry_has_rkey(entry, access->rkey) ||
	    rvt_mr_entry_check_remote(entry, access->pd, access->qpn, access->vaddr, access->len,
				      access->acc) != RVT_KEY_OK ||
	    !(RVT_MR_ENTRY_GET(entry, access) & RVT_MR_DIRECT))
		return false;
	*at = RVT_MR_ENTRY_GET(entry, base) + (access->vaddr - RVT_MR_ENTRY_GET(entry, iova));
	return rvt_mr_entry_has_rkey(entry, access->rkey);
}

bool rvt_mr_has_lkey(struct rvt_mregion *mr, u32 lkey)
{
	return mr && GET(mr->lkey) == lkey;
}

bool rvt_ss_has_lkey(struct rvt_sge_state *ss, u32 lkey)
{
	if (!ss->num_sge)
		return false;
	if (rvt_mr_has_lkey(ss->sge.mr, lkey))
		return true;
	for (unsigned int i = 0; i + 1u < ss->num_sge; i++)
		if (rvt_mr_has_lkey(ss->sg_list[i].mr, lkey))
			return true;
	return false;
}
