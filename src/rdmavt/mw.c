// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Memory windows.
 *
 * A window has a slot of the MR table, so that its key is checked as any other. While it is bound
 * the slot leads to the region behind it: an access through the window counts on the region, which
 * cannot go as long as windows are bound to it. All changes are made under the table's lock, with the
 * entry hidden; readers look at the key once more when they have read the rest.
 */
#include "rdmavt/mw.h"

#include <linux/xarray.h>
#include <rdma/rdmavt_qp.h>

#include "rdmavt/mr.h"

#define REMOTE_RIGHTS (IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)

#define PUT(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELEASE)

static struct rvt_mw *to_imw(struct ib_mw *ibmw)
{
	return container_of(ibmw, struct rvt_mw, ibmw);
}

static struct rvt_lkey_table *table_of(const struct ib_mw *ibmw)
{
	return &ib_to_rvt(ibmw->device)->lkey_table;
}

/* A slot that is not bound is taken, and leads nowhere. */
static void unbind(struct rvt_lkey_table *rkt, struct rvt_mw *mw)
{
	rvt_mr_hide(rkt, mw->slot);
	PUT(rkt->table[mw->slot], rkt->all_memory);
	if (mw->mr)
		mw->mr->windows--;
	mw->mr = NULL;
	mw->qpn = 0;
}

/* A slot and a key; rkt->lock is held. */
static int take_slot(struct rvt_lkey_table *rkt, struct rvt_mw *mw, u32 most)
{
	u32 key;

	if (rkt->n_mws >= most)
		return base_refuse(-ENOMEM, MW_COUNT, most);
	mw->slot = rvt_mr_find_slot(rkt, true, &key);
	if (mw->slot == rkt->max)
		return base_refuse(-ENOMEM, MR_TABLE_FULL, rkt->max);
	if (xa_insert(&rkt->mws, mw->slot, mw, GFP_ATOMIC))
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(void *));
	rkt->n_mws++;
	rkt->next = (mw->slot + 1) & (rkt->max - 1);
	mw->ibmw.rkey = rvt_mr_rkey(rkt, key);
	unbind(rkt, mw);
	return 0;
}

int rvt_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct rvt_lkey_table *rkt = table_of(ibmw);
	int ret;

	(void)udata;
	if (ibmw->type != IB_MW_TYPE_1 && ibmw->type != IB_MW_TYPE_2)
		return base_refuse(-EINVAL, MW_KIND, ibmw->type);
	spin_lock(&rkt->lock);
	ret = take_slot(rkt, to_imw(ibmw), (u32)ib_to_rvt(ibmw->device)->dparms.props.max_mw);
	spin_unlock(&rkt->lock);
	if (!ret)
		rvt_mr_table_get(rkt);
	return ret;
}

int rvt_dealloc_mw(struct ib_mw *ibmw)
{
	struct rvt_lkey_table *rkt = table_of(ibmw);
	struct rvt_mw *mw = to_imw(ibmw);

	spin_lock(&rkt->lock);
	unbind(rkt, mw);
	xa_erase(&rkt->mws, mw->slot);
	rkt->n_mws--;
	PUT(rkt->table[mw->slot], NULL);
	spin_unlock(&rkt->lock);
	rvt_mr_table_put(rkt);
	return 0;
}

struct rvt_mw *rvt_mw_of_key(struct rvt_lkey_table *rkt, u32 key)
{
	return rkt->n_mws ? xa_load(&rkt->mws, key >> rkt->shift) : NULL;
}

/* Why @key is not that of a window of the QP's. */
static int refuse_window(const struct rvt_mw *mw, const struct rvt_qp *qp, u32 key,
			 struct base_cause *why)
{
	*why = (struct base_cause){.arg = {key}};
	if (!mw) {
		why->id = BASE_CAUSE_MW_NONE;
	} else if (mw->ibmw.rkey != key) {
		why->id = BASE_CAUSE_MW_STALE;
		why->arg[1] = mw->ibmw.rkey;
	} else if (mw->ibmw.pd != qp->ibqp.pd) {
		why->id = BASE_CAUSE_MW_PD;
		why->arg[1] = ibpd_to_rvtpd(mw->ibmw.pd)->number;
		why->arg[2] = ibpd_to_rvtpd(qp->ibqp.pd)->number;
	}
	return why->id ? -EINVAL : 0;
}

static int refuse(struct base_cause *why, const struct base_cause *because)
{
	*why = *because;
	return -EINVAL;
}

#define REFUSE(why, name, ...) \
	refuse((why), &(const struct base_cause){.id = BASE_CAUSE_##name, .arg = {__VA_ARGS__}})

/* Whether a window of its type can be bound as it is now. */
static int check_type(const struct rvt_mw *mw, const struct rvt_bind_wr *wr, struct base_cause *why)
{
	if (mw->ibmw.type == IB_MW_TYPE_1)
		return wr->access & IB_ZERO_BASED ? REFUSE(why, MW_ZERO_BASED, wr->mw_rkey) : 0;
	if (mw->mr)
		return REFUSE(why, MW_BOUND, wr->mw_rkey);
	return wr->length ? 0 : REFUSE(why, MW_EMPTY, wr->mw_rkey);
}

/* The region behind the window, if it can be one. */
static int find_region(struct rvt_lkey_table *rkt, const struct rvt_mw *mw,
		       const struct rvt_bind_wr *wr, struct rvt_mregion **region,
		       struct base_cause *why) REQUIRES(rkt->lock)
{
	struct rvt_mregion *mr = rkt->table[wr->mr_lkey >> rkt->shift];

	if (!wr->mr_lkey || !mr || mr->all_memory || mr->lkey != wr->mr_lkey ||
	    rvt_mw_of_key(rkt, wr->mr_lkey) || atomic_read(&mr->lkey_invalid) ||
	    !container_of(mr, struct rvt_mr, mr)->umem)
		return REFUSE(why, MW_REGION, wr->mr_lkey);
	if (mr->pd != mw->ibmw.pd)
		return REFUSE(why, LKEY_PD, wr->mr_lkey, ibpd_to_rvtpd(mr->pd)->number,
			      ibpd_to_rvtpd(mw->ibmw.pd)->number);
	if (mr->access_flags & IB_ZERO_BASED)
		return REFUSE(why, MW_ZERO_BASED, wr->mw_rkey);
	if (!(mr->access_flags & IB_ACCESS_MW_BIND) ||
	    ((wr->access & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)) &&
	     !(mr->access_flags & IB_ACCESS_LOCAL_WRITE)))
		return REFUSE(why, MW_RIGHTS, (u32)mr->access_flags, wr->access & REMOTE_RIGHTS);
	if (!rvt_range_holds(mr->iova, mr->length, wr->addr, wr->length))
		return REFUSE(why, MW_BOUNDS, wr->addr, wr->length, mr->iova,
			      mr->iova + mr->length - 1);
	*region = mr;
	return 0;
}

/* The entry is hidden. */
static void show_window(struct rvt_lkey_table *rkt, const struct rvt_mw *mw,
			const struct rvt_bind_wr *wr) REQUIRES(rkt->lock)
{
	struct rvt_mr_entry *entry = &rkt->entries[mw->slot];
	const struct rvt_mr *mr = container_of(mw->mr, struct rvt_mr, mr);

	PUT(entry->pd, ibpd_to_rvtpd(mw->ibmw.pd)->number);
	PUT(entry->access, wr->access & REMOTE_RIGHTS);
	PUT(entry->iova, wr->access & IB_ZERO_BASED ? 0 : wr->addr);
	PUT(entry->length, wr->length);
	PUT(entry->user_base, 0);
	PUT(entry->base, mr->umem->address + (wr->addr - mw->mr->iova));
	PUT(entry->ext_first, 0);
	PUT(entry->ext_count, 0);
	PUT(entry->qpn, mw->qpn);
	PUT(rkt->table[mw->slot], mw->mr);
	PUT(entry->rkey, mw->ibmw.rkey);
}

static int bind_locked(struct rvt_lkey_table *rkt, const struct rvt_qp *qp,
		       const struct rvt_bind_wr *wr, struct base_cause *why) REQUIRES(rkt->lock)
{
	struct rvt_mw *mw = rvt_mw_of_key(rkt, wr->mw_rkey);
	struct rvt_mregion *region = NULL;
	int ret = refuse_window(mw, qp, wr->mw_rkey, why);

	if (!ret)
		ret = check_type(mw, wr, why);
	if (!ret && wr->length)
		ret = find_region(rkt, mw, wr, &region, why);
	if (ret)
		return ret;
	unbind(rkt, mw);
	PUT(mw->ibmw.rkey,
	    (mw->ibmw.rkey & ~RVT_KEY_CONSUMER_MASK) | (wr->rkey & RVT_KEY_CONSUMER_MASK));
	if (!region)
		return 0;
	mw->mr = region;
	mw->qpn = mw->ibmw.type == IB_MW_TYPE_2 ? qp->ibqp.qp_num : 0;
	region->windows++;
	show_window(rkt, mw, wr);
	return 0;
}

int rvt_bind_mw(struct rvt_qp *qp, const struct rvt_bind_wr *wr)
{
	struct rvt_lkey_table *rkt = &ib_to_rvt(qp->ibqp.device)->lkey_table;
	struct base_cause why;
	int ret;

	spin_lock(&rkt->lock);
	ret = bind_locked(rkt, qp, wr, &why);
	spin_unlock(&rkt->lock);
	if (ret) {
		why.side = BASE_SIDE_CALL;
		why.qpn = qp->ibqp.qp_num;
		base_cause_set_last(&why);
	}
	return ret;
}

int rvt_mw_invalidate(struct rvt_mw *mw, const struct rvt_qp *qp, u32 key, bool remote,
		      struct base_cause *why)
{
	const int ret = refuse_window(mw, qp, key, why);

	if (ret)
		return ret;
	if (mw->ibmw.type == IB_MW_TYPE_1)
		return REFUSE(why, MW_INVALIDATE_TYPE, key);
	if (!mw->mr)
		return REFUSE(why, MW_UNBOUND, key);
	if (remote && mw->qpn != qp->ibqp.qp_num)
		return REFUSE(why, MW_OTHER_QP, key, mw->qpn, qp->ibqp.qp_num);
	unbind(table_of(&mw->ibmw), mw);
	return 0;
}

void rvt_mw_qp_gone(struct rvt_dev_info *rdi, u32 qpn)
{
	struct rvt_lkey_table *rkt = &rdi->lkey_table;
	unsigned long slot;
	struct rvt_mw *mw;

	spin_lock(&rkt->lock);
	if (rkt->n_mws)
		xa_for_each(&rkt->mws, slot, mw)
			if (mw->mr && mw->qpn == qpn)
				unbind(rkt, mw);
	spin_unlock(&rkt->lock);
}
