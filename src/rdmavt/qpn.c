// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * QP numbers: a bitmap in pages that are allocated when they are first needed. Numbers rise from
 * the last one given, so that a freed number is the last to come back.
 */
#include <linux/bitops.h>
#include <rdma/rdma_vt.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "rdmavt/qp_priv.h"

#define FIRST_ORDINARY_QPN 2 /* 0 and 1 are the SMI's and the GSI's, kept in qpt->flags */

/* The page of bits that holds @qpn, allocated if it is not there yet; NULL without memory. */
static unsigned long *bits_of(struct rvt_qpn_table *qpt, u32 qpn)
{
	struct rvt_qpn_map *map = &qpt->map[qpn / RVT_BITS_PER_PAGE];
	void *page = __atomic_load_n(&map->page, __ATOMIC_ACQUIRE);
	void *fresh;

	if (page)
		return page;
	fresh = base_zalloc(RVT_BITS_PER_PAGE / 8);
	if (!fresh)
		return NULL;
	spin_lock(&qpt->lock);
	if (!map->page)
		__atomic_store_n(&map->page, fresh, __ATOMIC_RELEASE);
	else
		base_free(fresh);
	page = map->page;
	spin_unlock(&qpt->lock);
	return page;
}

int rvt_claim_qpn(struct rvt_qpn_table *qpt, u32 qpn)
{
	unsigned long *bits = bits_of(qpt, qpn);

	if (!bits)
		return base_refuse(-ENOMEM, NO_MEMORY, RVT_BITS_PER_PAGE / 8);
	return test_and_set_bit((long)(qpn % RVT_BITS_PER_PAGE), bits) ? -EBUSY : 0;
}

/* Claim the first free number of @from, @from + incr ... below @end. */
static int claim_between(struct rvt_qpn_table *qpt, u32 from, u32 end)
{
	for (u32 qpn = from; qpn < end; qpn += qpt->incr) {
		unsigned long *bits;

		if (qpn < FIRST_ORDINARY_QPN)
			continue;
		bits = bits_of(qpt, qpn);
		if (!bits)
			return -ENOMEM;
		if (!test_and_set_bit((long)(qpn % RVT_BITS_PER_PAGE), bits)) {
			__atomic_store_n(&qpt->last, qpn, __ATOMIC_RELAXED);
			return (int)qpn;
		}
	}
	return -ENOSPC;
}

/* Lowest number of a page that is in step with @qpn. */
static u32 first_in_step(const struct rvt_qpn_table *qpt, u32 page_index, u32 qpn)
{
	const u32 parity = qpt->incr > 1 ? qpn & 1 : 0;

	return page_index ? page_index * (u32)RVT_BITS_PER_PAGE + parity : qpt->incr + parity;
}

/* Pages that are not considered yet, one after the other. */
static int claim_in_new_page(struct rvt_qpn_table *qpt, u32 in_step_with, u32 max)
{
	for (;;) {
		u32 index, end;
		int ret;

		spin_lock(&qpt->lock);
		index = qpt->nmaps;
		if (index < RVT_QPNMAP_ENTRIES && (u64)index * RVT_BITS_PER_PAGE < max)
			qpt->nmaps++;
		else
			index = RVT_QPNMAP_ENTRIES;
		spin_unlock(&qpt->lock);
		if (index == RVT_QPNMAP_ENTRIES)
			return base_refuse(-ENOMEM, QPN_NONE_FREE, max);
		end = (index + 1) * (u32)RVT_BITS_PER_PAGE;
		ret = claim_between(qpt, first_in_step(qpt, index, in_step_with),
				    end < max ? end : max);
		if (ret != -ENOSPC)
			return ret;
	}
}

int rvt_claim_special_qpn(struct rvt_qpn_table *qpt, enum ib_qp_type type, u32 port_num)
{
	const u32 qpn = type == IB_QPT_GSI;
	const unsigned int bit = 1u << (qpn + 2u * (port_num - 1u));
	bool taken;

	spin_lock(&qpt->lock);
	taken = qpt->flags & bit;
	qpt->flags |= bit;
	spin_unlock(&qpt->lock);
	return taken ? base_refuse(-EINVAL, QPN_SPECIAL_TAKEN, qpn, port_num) : (int)qpn;
}

static int alloc_qpn(struct rvt_dev_info *rdi, struct rvt_qpn_table *qpt, enum ib_qp_type type,
		     u8 port_num, u8 exclude_prefix)
{
	const u32 max = exclude_prefix == RVT_AIP_QP_PREFIX ? RVT_AIP_QPN_MAX : RVT_QPN_MAX;
	const u32 last = __atomic_load_n(&qpt->last, __ATOMIC_RELAXED);
	u32 start, known, other;
	int ret;

	if (rdi->driver_f.alloc_qpn)
		return rdi->driver_f.alloc_qpn(rdi, qpt, type, port_num);
	if (type == IB_QPT_SMI || type == IB_QPT_GSI)
		return rvt_claim_special_qpn(qpt, type, port_num);

	spin_lock(&qpt->lock);
	known = qpt->nmaps * (u32)RVT_BITS_PER_PAGE;
	spin_unlock(&qpt->lock);
	known = known < max ? known : max;
	start = last + qpt->incr;
	if (start >= max)
		start = qpt->incr | (~last & 1);
	other = qpt->incr | (~start & 1);

	ret = claim_between(qpt, start, known);
	if (ret == -ENOSPC)
		ret = claim_between(qpt, other, known);
	if (ret == -ENOSPC)
		ret = claim_between(qpt, qpt->incr | (start & 1), start < known ? start : known);
	if (ret == -ENOSPC)
		ret = claim_in_new_page(qpt, start, max);
	return ret;
}

static void rvt_free_qpn(struct rvt_qpn_table *qpt, u32 qpn)
{
	unsigned long *bits;

	if ((qpn >> 16) == RVT_AIP_QP_PREFIX)
		qpn &= 0xffff;
	bits = __atomic_load_n(&qpt->map[qpn / RVT_BITS_PER_PAGE].page, __ATOMIC_ACQUIRE);
	if (bits)
		clear_bit((long)(qpn % RVT_BITS_PER_PAGE), bits);
}

static void free_qpn_table(struct rvt_qpn_table *qpt)
{
	for (size_t i = 0; i < RVT_QPNMAP_ENTRIES; i++) {
		base_free(qpt->map[i].page);
		qpt->map[i].page = NULL;
	}
}

static int init_qpn_table(struct rvt_dev_info *rdi, struct rvt_qpn_table *qpt)
{
	const u32 first = (u32)rdi->dparms.qpn_res_start, last = (u32)rdi->dparms.qpn_res_end;

	if (rdi->dparms.qpn_res_end < rdi->dparms.qpn_res_start || last >= RVT_QPN_MAX)
		return base_refuse(-EINVAL, QPN_RESERVED_RANGE, first, last);
	spin_lock_init(&qpt->lock);
	qpt->last = (u32)rdi->dparms.qpn_start;
	qpt->incr = (u8)(rdi->dparms.qpn_inc << rdi->dparms.qos_shift);
	if (!qpt->incr)
		qpt->incr = 1;
	qpt->nmaps = first / (u32)RVT_BITS_PER_PAGE;
	for (u32 qpn = first; qpn <= last; qpn++) {
		unsigned long *bits = bits_of(qpt, qpn);

		if (!bits)
			return base_refuse(-ENOMEM, NO_MEMORY, RVT_BITS_PER_PAGE / 8);
		set_bit((long)(qpn % RVT_BITS_PER_PAGE), bits);
		if ((qpn + 1) % RVT_BITS_PER_PAGE == 0)
			qpt->nmaps++;
	}
	return 0;
}

int rvt_qpn_table_init(struct rvt_dev_info *rdi)
{
	int ret = init_qpn_table(rdi, &rdi->qp_dev->qpn_table);

	if (ret)
		free_qpn_table(&rdi->qp_dev->qpn_table);
	return ret;
}

void rvt_qpn_table_free(struct rvt_dev_info *rdi)
{
	free_qpn_table(&rdi->qp_dev->qpn_table);
}

int rvt_qpn_take(struct rvt_dev_info *rdi, const struct ib_qp_init_attr *attr)
{
	const bool netdev = attr->create_flags & IB_QP_CREATE_NETDEV_USE;
	int qpn = alloc_qpn(rdi, &rdi->qp_dev->qpn_table, attr->qp_type, (u8)attr->port_num,
			    netdev ? RVT_AIP_QP_PREFIX : 0);

	return qpn < 0 || !netdev ? qpn : qpn | RVT_AIP_QP_BASE;
}

void rvt_qpn_give(struct rvt_dev_info *rdi, const struct ib_qp *ibqp, u32 port_num)
{
	struct rvt_qpn_table *qpt = &rdi->qp_dev->qpn_table;

	if (ibqp->qp_type == IB_QPT_SMI || ibqp->qp_type == IB_QPT_GSI) {
		/* rvt_free_qpn() knows bits only: the port's slot is reopened here. */
		spin_lock(&qpt->lock);
		qpt->flags &= ~(1u << ((ibqp->qp_type == IB_QPT_GSI) + 2u * (port_num - 1u)));
		spin_unlock(&qpt->lock);
		return;
	}
	rvt_free_qpn(qpt, ibqp->qp_num);
}
