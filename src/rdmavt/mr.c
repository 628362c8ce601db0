// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Memory regions and their keys.
 *
 * The flat table (mr_table.h) decides about every access. A lookup takes no lock: it sees the key
 * in the entry, takes a reference on the region, and sees the key again; who takes a region out
 * clears the key first and then waits for the references. So that a late lookup may count on
 * a region that is gone already, the blocks of regions stay with the device, as spares; and with
 * them their segments, for a wire may have a run that is described by them.
 *
 * Key 0 means all memory of the process. It has no entry and is not counted.
 */
#include "rdmavt/mr.h"

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/rcupdate.h>
#include <linux/scatterlist.h>
#include <sched.h>

#include "base/alloc.h"
#include "base/check.h"
#include "rdmavt/mw.h"
#include "rdmavt/qp.h"

#define CONSUMER_BITS 8
#define INVALIDATE_LOOKS 64u

/* Spares are kept by size class: room for 0, 1, 2, 4, 8 ... segments. */
#define MAX_SEGS (1u << (RVT_MR_CLASSES - 2))

static struct rvt_dev_info *rdi_of(const struct rvt_mregion *mr)
{
	return ib_to_rvt(mr->pd->device);
}

/* Whether the consumer decides about the low byte of the keys. */
static bool is_fast_reg(const struct rvt_mregion *mr)
{
	return mr->max_segs != 0;
}

static void region_unused(struct percpu_ref *ref)
{
	struct rvt_mregion *mr = container_of(ref, struct rvt_mregion, refcount);

	complete(&mr->comp);
}

static unsigned int class_of(u32 segs)
{
	return segs ? (unsigned int)ilog2(roundup_pow_of_two(segs)) + 1 : 0;
}

static size_t class_segs(unsigned int class)
{
	return class ? (size_t)1 << (class - 1) : 0;
}

static size_t class_slots(unsigned int class)
{
	return DIV_ROUND_UP(class_segs(class), RVT_SEGSZ);
}

/*
 * The block ends in the table of arrays and, behind it, the arrays: one row of segments, which the
 * transport can hand to a wire as they are.
 */
static void map_segments(struct rvt_mregion *mr, unsigned int class, u32 segs)
{
	struct rvt_segarray *all = (struct rvt_segarray *)&mr->map[class_slots(class)];

	mr->mapsz = (u32)DIV_ROUND_UP(segs, RVT_SEGSZ);
	mr->max_segs = segs;
	memset(all, 0, segs * sizeof(all->segs[0]));
	for (u32 m = 0; m < mr->mapsz; m++)
		mr->map[m] = all + m;
}

/* A region with room for segments, but without key, whose first reference is ours. */
static struct rvt_mr *block_get(struct rvt_lkey_table *rkt, u32 segs)
{
	const unsigned int class = class_of(segs);
	struct rvt_mr *mr = NULL;

	spin_lock(&rkt->lock);
	if (!list_empty(&rkt->spare[class])) {
		mr = list_first_entry(&rkt->spare[class], struct rvt_mr, link);
		list_del(&mr->link);
	}
	spin_unlock(&rkt->lock);
	if (mr) {
		percpu_ref_resurrect(&mr->mr.refcount);
	} else {
		mr = base_zalloc(sizeof(*mr) + class_slots(class) * sizeof(void *) +
				 class_segs(class) * sizeof(struct rvt_seg));
		if (!mr)
			return NULL;
		percpu_ref_init(&mr->mr.refcount, region_unused, 0, 0);
		init_completion(&mr->mr.comp);
	}
	map_segments(&mr->mr, class, segs);
	rvt_mr_table_get(rkt);
	return mr;
}

/* All but the count, the link and the segments is zero again. Returns the block's class. */
static unsigned int block_clear(struct rvt_mr *mr)
{
	struct rvt_mregion *region = &mr->mr;
	const unsigned int class = class_of(region->max_segs);

	for (u32 m = 0; m < region->mapsz; m++)
		region->map[m] = NULL;
	base_free(mr->umem);
	mr->umem = NULL;
	memset(&mr->ibmr, 0, sizeof(mr->ibmr));
	memset(region, 0, offsetof(struct rvt_mregion, refcount));
	return class;
}

static void block_put(struct rvt_lkey_table *rkt, struct rvt_mr *mr)
{
	const unsigned int class = block_clear(mr);

	spin_lock(&rkt->lock);
	list_add(&mr->link, &rkt->spare[class]);
	spin_unlock(&rkt->lock);
	rvt_mr_table_put(rkt);
}

/* A block whose region got no key. If it never had one, no late lookup can come. */
static void block_drop(struct rvt_lkey_table *rkt, struct rvt_mr *mr)
{
	const bool fresh = !mr->link.next;

	percpu_ref_kill(&mr->mr.refcount);
	if (!fresh) {
		block_put(rkt, mr);
		return;
	}
	block_clear(mr);
	base_free(mr);
	rvt_mr_table_put(rkt);
}

void rvt_mr_table_get(struct rvt_lkey_table *rkt)
{
	atomic_inc(&rkt->users);
}

void rvt_mr_table_put(struct rvt_lkey_table *rkt)
{
	struct rvt_mr *mr, *next;

	if (!atomic_dec_and_test(&rkt->users) || !rkt->table)
		return;
	for (unsigned int class = 0; class < RVT_MR_CLASSES; class ++)
		list_for_each_entry_safe(mr, next, &rkt->spare[class], link)
			base_free(mr);
	xa_destroy(&rkt->mws);
	base_free(rkt->all_memory);
	base_free(rkt->entries_block);
	base_free(rkt->placing);
	base_free(rkt->table);
	rkt->all_memory = NULL;
	rkt->entries = NULL;
	rkt->entries_block = NULL;
	rkt->table = NULL;
}

/* What keys are checked against: an entry is one cache line. */
static bool alloc_entries(struct rvt_lkey_table *rkt)
{
	const size_t line = sizeof(struct rvt_mr_entry);

	rkt->entries_block = base_zalloc((rkt->max + 1) * line);
	rkt->entries = (struct rvt_mr_entry *)(((uintptr_t)rkt->entries_block + line - 1) &
					       ~(uintptr_t)(line - 1));
	return rkt->entries_block != NULL;
}

static int alloc_tables(struct rvt_dev_info *rdi)
{
	struct rvt_lkey_table *rkt = &rdi->lkey_table;

	rkt->table = base_zalloc_array(rkt->max, sizeof(void *));
	rkt->all_memory = base_zalloc(sizeof(*rkt->all_memory));
	rkt->entries = rdi->dparms.mr_entries;
	rkt->entries_block = NULL;
	rkt->placing = base_zalloc_array(rkt->max, sizeof(*rkt->placing));
	if (rkt->table && rkt->all_memory && rkt->placing && (rkt->entries || alloc_entries(rkt)))
		return 0;
	base_free(rkt->placing);
	base_free(rkt->all_memory);
	base_free(rkt->table);
	rkt->table = NULL;
	return -ENOMEM;
}

int rvt_driver_mr_init(struct rvt_dev_info *rdi)
{
	struct rvt_lkey_table *rkt = &rdi->lkey_table;

	if (!rdi->dparms.lkey_table_size)
		return base_refuse(-EINVAL, MR_TABLE_SIZE);
	rdi->dparms.lkey_table_size =
		min_t(unsigned int, rdi->dparms.lkey_table_size, RVT_MAX_LKEY_TABLE_BITS);
	spin_lock_init(&rkt->lock);
	rkt->next = 0;
	rkt->gen = 0;
	rkt->max = 1u << rdi->dparms.lkey_table_size;
	rkt->shift = 32 - rdi->dparms.lkey_table_size;
	rkt->keys_same = rdi->dparms.keys_same;
	INIT_LIST_HEAD(&rkt->dma_mrs);
	xa_init(&rkt->mws);
	rkt->n_mws = 0;
	rkt->n_mrs = 0;
	for (unsigned int class = 0; class < RVT_MR_CLASSES; class ++)
		INIT_LIST_HEAD(&rkt->spare[class]);
	RCU_INIT_POINTER(rdi->dma_mr, NULL);
	if (alloc_tables(rdi))
		return base_refuse(-ENOMEM, NO_MEMORY, rkt->max * sizeof(struct rvt_mr_entry));
	rkt->all_memory->all_memory = true;
	percpu_ref_init(&rkt->all_memory->refcount, region_unused, 0, 0);
	init_completion(&rkt->all_memory->comp);
	atomic_set(&rkt->users, 1);
	if (rdi->dparms.props.max_mr <= 0 || (u32)rdi->dparms.props.max_mr > rkt->max)
		rdi->dparms.props.max_mr = (int)rkt->max;
	return 0;
}

void rvt_mr_exit(struct rvt_dev_info *rdi)
{
	if (rdi->dma_mr)
		base_log(4, "%s: a DMA region outlives the device", rvt_get_ibdev_name(rdi));
	if (rdi->lkey_table.table)
		rvt_mr_table_put(&rdi->lkey_table);
}

/* Where the region's first byte is, if all others follow it. */
static u64 base_of(const struct rvt_mr *mr)
{
	const struct rvt_mregion *region = &mr->mr;

	if (mr->umem)
		return mr->umem->address;
	if (!region->contiguous || !region->length)
		return RVT_MR_SCATTERED;
	return (u64)(uintptr_t)region->map[0]->segs[0].vaddr + region->offset;
}

void rvt_mr_hide(struct rvt_lkey_table *rkt, u32 slot)
{
	struct rvt_mr_entry *entry = &rkt->entries[slot];

	__atomic_store_n(&entry->rkey, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&entry->lkey, 0, __ATOMIC_SEQ_CST);
	/* A copy of bytes, which waits for nobody. */
	while (unlikely(__atomic_load_n(&rkt->placing[slot], __ATOMIC_SEQ_CST)))
		sched_yield();
}

#define PUT(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELEASE)

/* rkt->lock is held, and the entry hidden. */
static void show_entry(struct rvt_lkey_table *rkt, const struct rvt_mregion *region)
{
	struct rvt_mr_entry *entry = &rkt->entries[region->lkey >> rkt->shift];
	const struct rvt_mr *mr = container_of(region, struct rvt_mr, mr);

	PUT(entry->pd, ibpd_to_rvtpd(region->pd)->number);
	PUT(entry->access, (u32)region->access_flags | (mr->umem ? RVT_MR_DIRECT : 0));
	PUT(entry->iova, region->iova);
	PUT(entry->length, region->length);
	PUT(entry->user_base, region->user_base);
	PUT(entry->base, base_of(mr));
	PUT(entry->ext_first, 0);
	PUT(entry->ext_count, 0);
	PUT(entry->qpn, 0);
	PUT(entry->rkey, rvt_mr_rkey(rkt, region->lkey));
	PUT(entry->lkey, region->lkey);
}

/* The lkey of the @gen-th region in slot @slot. */
static u32 make_key(const struct rvt_lkey_table *rkt, u32 slot, u32 gen, bool fast_reg)
{
	const u32 above_kind = CONSUMER_BITS + 1;
	const u32 middle_bits = rkt->shift - above_kind;
	const u32 low = fast_reg ? 0 : gen & RVT_KEY_CONSUMER_MASK;
	const u32 middle = (fast_reg ? gen : gen >> CONSUMER_BITS) & ((1u << middle_bits) - 1);

	return slot << rkt->shift | middle << above_kind | low;
}

/* From rkt->next on. */
u32 rvt_mr_find_slot(struct rvt_lkey_table *rkt, bool fast_reg, u32 *key)
{
	u32 slot = rkt->next;

	for (u32 n = 0; n < rkt->max; n++, slot = (slot + 1) & (rkt->max - 1)) {
		struct rvt_mr_entry *entry = &rkt->entries[slot];
		u32 gen = entry->gen;

		if (rkt->table[slot])
			continue;
		for (unsigned int tries = 0; tries < 2; tries++) {
			*key = make_key(rkt, slot, ++gen, fast_reg);
			if (*key > (fast_reg ? RVT_KEY_CONSUMER_MASK : 0)) {
				entry->gen = gen;
				return slot;
			}
		}
	}
	return rkt->max;
}

/**
 * rvt_alloc_lkey() - Publish a region.
 * @mr: Complete but for its key.
 * @dma_region: It is all memory: key 0.
 *
 * Return: 0; -ENOMEM if the table is full.
 */
static int rvt_alloc_lkey(struct rvt_mregion *mr, int dma_region)
{
	struct rvt_dev_info *rdi = rdi_of(mr);
	struct rvt_lkey_table *rkt = &rdi->lkey_table;
	struct rvt_mr *block = container_of(mr, struct rvt_mr, mr);
	const u32 most = (u32)rdi->dparms.props.max_mr;
	u32 slot, key = 0;

	spin_lock(&rkt->lock);
	if (dma_region) {
		mr->lkey = 0;
		list_add_tail(&block->link, &rkt->dma_mrs);
		rcu_assign_pointer(rdi->dma_mr, rkt->all_memory);
	} else {
		slot = rkt->n_mrs < most ? rvt_mr_find_slot(rkt, is_fast_reg(mr), &key) : rkt->max;
		if (slot == rkt->max) {
			spin_unlock(&rkt->lock);
			return base_refuse(-ENOMEM, MR_TABLE_FULL, most);
		}
		rkt->n_mrs++;
		rkt->next = (slot + 1) & (rkt->max - 1);
		rkt->gen++;
		mr->lkey = key;
		__atomic_store_n(&rkt->table[slot], mr, __ATOMIC_RELEASE);
		show_entry(rkt, mr);
	}
	mr->lkey_published = 1;
	spin_unlock(&rkt->lock);
	return 0;
}

/* What the DMA regions of @pd together grant to peers. rkt->lock is held. */
static void sum_dma_access(struct rvt_lkey_table *rkt, struct ib_pd *pd)
{
	const struct rvt_mr *mr;
	u32 access = 0;

	list_for_each_entry(mr, &rkt->dma_mrs, link)
		if (mr->mr.pd == pd)
			access |= (u32)mr->mr.access_flags;
	PUT(ibpd_to_rvtpd(pd)->dma_access, access);
}

/**
 * rvt_free_lkey() - Take a region's keys back, and start to drain its references.
 * @mr: Published or not.
 */
static void rvt_free_lkey(struct rvt_mregion *mr)
{
	struct rvt_dev_info *rdi = rdi_of(mr);
	struct rvt_lkey_table *rkt = &rdi->lkey_table;
	const u32 slot = mr->lkey >> rkt->shift;

	spin_lock(&rkt->lock);
	if (mr->lkey_published && !mr->lkey) {
		list_del(&container_of(mr, struct rvt_mr, mr)->link);
		sum_dma_access(rkt, mr->pd);
		if (list_empty(&rkt->dma_mrs))
			rcu_assign_pointer(rdi->dma_mr, NULL);
	} else if (mr->lkey_published) {
		rvt_mr_hide(rkt, slot);
		__atomic_store_n(&rkt->table[slot], NULL, __ATOMIC_RELEASE);
		rkt->n_mrs--;
	}
	mr->lkey_published = 0;
	spin_unlock(&rkt->lock);
	percpu_ref_kill(&mr->refcount);
}

static bool region_idle(void *arg)
{
	struct rvt_mregion *mr = arg;

	return __atomic_load_n(&mr->refcount.count.counter, __ATOMIC_SEQ_CST) == 0;
}

static void clean_qp(struct rvt_qp *qp, u64 v)
{
	const struct rvt_mregion *mr = (const struct rvt_mregion *)(uintptr_t)v;

	if (qp->ibqp.pd == mr->pd)
		rvt_qp_mr_clean(qp, mr->lkey);
}

/**
 * rvt_check_refs() - Make those who use a region give up, and wait for them.
 * @mr: After rvt_free_lkey().
 * @t: Who asks, for the log.
 *
 * Return: 0; -EBUSY after 5 seconds.
 */
static int rvt_check_refs(struct rvt_mregion *mr, const char *t)
{
	if (region_idle(mr))
		return 0;
	/* A device that is unregistered has no table of QPs any more. */
	if (mr->lkey && rdi_of(mr)->qp_dev)
		rvt_qp_iter(rdi_of(mr), (u64)(uintptr_t)mr, clean_qp);
	if (region_idle(mr) || base_wait_until(region_idle, mr, RVT_MR_WAIT_NS))
		return 0;
	base_log(3, "%s: the region with lkey 0x%x is still in use", t, mr->lkey);
	return base_refuse(-EBUSY, MR_BUSY, mr->lkey, (size_t)atomic64_read(&mr->refcount.count));
}

static int check_access(struct ib_pd *pd, int access)
{
	return ib_check_mr_access(pd->device, (unsigned int)access);
}

struct ib_mr *rvt_get_dma_mr(struct ib_pd *pd, int acc)
{
	struct rvt_lkey_table *rkt = &ib_to_rvt(pd->device)->lkey_table;
	struct rvt_mr *mr;
	int ret;

	if (ibpd_to_rvtpd(pd)->user)
		return ERR_PTR(base_refuse(-EPERM, MR_DMA_USER));
	ret = check_access(pd, acc);
	if (ret)
		return ERR_PTR(ret);
	mr = block_get(rkt, 0);
	if (!mr)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*mr)));
	mr->mr.pd = pd;
	mr->mr.access_flags = acc;
	ret = rvt_alloc_lkey(&mr->mr, 1);
	INVARIANT(!ret);
	spin_lock(&rkt->lock);
	sum_dma_access(rkt, pd);
	spin_unlock(&rkt->lock);
	return &mr->ibmr;
}

static int check_user_range(struct ib_pd *pd, u64 start, u64 length, u64 iova)
{
	const u64 most = ib_to_rvt(pd->device)->dparms.props.max_mr_size;

	if (!length)
		return base_refuse(-EINVAL, MR_EMPTY, start);
	if (start > UINT64_MAX - (length - 1))
		return base_refuse(-EINVAL, MR_WRAP, start, length);
	if (iova > UINT64_MAX - (length - 1))
		return base_refuse(-EINVAL, MR_WRAP, iova, length);
	if (most && length > most)
		return base_refuse(-EINVAL, MR_TOO_LONG, length, most);
	return 0;
}

static struct ib_umem *umem_get(struct ib_device *device, u64 start, u64 length, int access)
{
	struct ib_umem *umem = base_zalloc(sizeof(*umem));

	if (!umem)
		return NULL;
	umem->ibdev = device;
	umem->address = (unsigned long)start;
	umem->length = length;
	umem->writable = ib_access_writable(access);
	return umem;
}

struct ib_mr *rvt_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr,
			      int mr_access_flags, struct ib_udata *udata)
{
	struct rvt_lkey_table *rkt = &ib_to_rvt(pd->device)->lkey_table;
	const u64 iova = mr_access_flags & IB_ZERO_BASED ? 0 : virt_addr;
	struct rvt_mr *mr;
	int ret;

	(void)udata;
	ret = check_user_range(pd, start, length, iova);
	if (!ret)
		ret = check_access(pd, mr_access_flags);
	if (ret)
		return ERR_PTR(ret);
	mr = block_get(rkt, 0);
	if (!mr)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*mr)));
	mr->umem = umem_get(pd->device, start, length, mr_access_flags);
	if (!mr->umem) {
		ret = base_refuse(-ENOMEM, NO_MEMORY, sizeof(*mr->umem));
		goto drop;
	}
	mr->mr.pd = pd;
	mr->mr.user_base = start;
	mr->mr.iova = iova;
	mr->mr.length = length;
	mr->mr.offset = (u32)(start & ~PAGE_MASK);
	mr->mr.access_flags = mr_access_flags;
	ret = rvt_alloc_lkey(&mr->mr, 0);
	if (ret)
		goto drop;
	mr->ibmr.lkey = mr->mr.lkey;
	mr->ibmr.rkey = rvt_mr_rkey(rkt, mr->mr.lkey);
	return &mr->ibmr;

drop:
	block_drop(rkt, mr);
	return ERR_PTR(ret);
}

/* Windows keep the region behind them. */
static int check_windows(struct rvt_lkey_table *rkt, const struct rvt_mregion *mr)
{
	u32 windows;

	spin_lock(&rkt->lock);
	windows = mr->windows;
	spin_unlock(&rkt->lock);
	return windows ? base_refuse(-EINVAL, MR_BOUND, mr->lkey, windows) : 0;
}

/* Processes that have seen the key while it was good, and place bytes by it. */
static int wait_for_peers(const struct rvt_mregion *mr)
{
	struct rvt_dev_info *rdi = rdi_of(mr);
	struct base_cause holder = {.arg = {[1 + BASE_CAUSE_TEXT_ARGS] = mr->lkey}};

	if (!rdi->driver_f.peers_left || !mr->lkey ||
	    rdi->driver_f.peers_left(rdi, ibpd_to_rvtpd(mr->pd)->number, 0, RVT_MR_WAIT_NS,
				     &holder))
		return 0;
	return base_refused(
		base_refuse_args(-EBUSY, BASE_CAUSE_MR_BUSY_PEER, holder.qpn, holder.arg), -EBUSY);
}

int rvt_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct rvt_mr *mr = to_imr(ibmr);
	struct rvt_lkey_table *rkt = &rdi_of(&mr->mr)->lkey_table;
	int ret;

	(void)udata;
	ret = check_windows(rkt, &mr->mr);
	if (ret)
		return ret;
	rvt_free_lkey(&mr->mr);
	if (mr->umem)
		synchronize_rcu(); /* rvt_lkey_look() */
	ret = wait_for_peers(&mr->mr);
	if (!ret)
		ret = rvt_check_refs(&mr->mr, __func__);
	if (ret) {
		percpu_ref_resurrect(&mr->mr.refcount);
		return ret;
	}
	block_put(rkt, mr);
	return 0;
}

struct ib_mr *rvt_alloc_mr(struct ib_pd *pd, enum ib_mr_type mr_type, u32 max_num_sg)
{
	struct rvt_dev_info *rdi = ib_to_rvt(pd->device);
	struct rvt_lkey_table *rkt = &rdi->lkey_table;
	const u32 device_most = rdi->dparms.props.max_fast_reg_page_list_len;
	const u32 most = device_most ? device_most : MAX_SEGS;
	struct rvt_mr *mr;
	int ret;

	if (mr_type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(base_refuse(-EINVAL, MR_TYPE, mr_type));
	if (!max_num_sg || max_num_sg > min_t(u32, most, MAX_SEGS))
		return ERR_PTR(base_refuse(-EINVAL, MR_PAGES, max_num_sg, most));
	mr = block_get(rkt, max_num_sg);
	if (!mr)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*mr)));
	mr->mr.pd = pd;
	mr->mr.page_shift = PAGE_SHIFT;
	ret = rvt_alloc_lkey(&mr->mr, 0);
	if (ret) {
		block_drop(rkt, mr);
		return ERR_PTR(ret);
	}
	mr->ibmr.lkey = mr->mr.lkey;
	mr->ibmr.rkey = rvt_mr_rkey(rkt, mr->mr.lkey);
	return &mr->ibmr;
}

/**
 * rvt_set_page() - Take one more page into a region (callback of ib_sg_to_pages()).
 * @ibmr: The region.
 * @addr: First byte of the page.
 *
 * Return: 0; -ENOMEM if it has as many as it can.
 */
static int rvt_set_page(struct ib_mr *ibmr, u64 addr)
{
	struct rvt_mregion *mr = &to_imr(ibmr)->mr;
	const size_t page_bytes = (size_t)1 << mr->page_shift;
	const u32 count = (u32)(mr->length >> mr->page_shift);
	struct rvt_seg *seg;

	if (count == mr->max_segs)
		return base_refuse(-ENOMEM, MR_PAGES, count + 1u, mr->max_segs);
	if (count) {
		const u32 last = count - 1;

		seg = &mr->map[last / RVT_SEGSZ]->segs[last % RVT_SEGSZ];
		if ((u64)(uintptr_t)seg->vaddr + page_bytes != addr)
			mr->contiguous = 0;
	}
	seg = &mr->map[count / RVT_SEGSZ]->segs[count % RVT_SEGSZ];
	seg->vaddr = (void *)(uintptr_t)addr;
	seg->length = page_bytes;
	mr->length += page_bytes;
	return 0;
}

int rvt_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents, unsigned int *sg_offset)
{
	struct rvt_mregion *mr = &to_imr(ibmr)->mr;
	struct rvt_lkey_table *rkt = &rdi_of(mr)->lkey_table;
	int ret;

	if (!is_fast_reg(mr))
		return base_refuse(-EINVAL, MR_NOT_FAST_REG, mr->lkey);
	if (!is_power_of_2(ibmr->page_size))
		return base_refuse(-EINVAL, MR_PAGE_SIZE, ibmr->page_size);
	spin_lock(&rkt->lock);
	if (mr->lkey_published)
		rvt_mr_hide(rkt, mr->lkey >> rkt->shift);
	spin_unlock(&rkt->lock);
	mr->length = 0;
	mr->contiguous = 1;
	mr->page_shift = (u8)ilog2(ibmr->page_size);
	ret = ib_sg_to_pages(ibmr, sg, sg_nents, sg_offset, rvt_set_page);
	if (ret <= 0) {
		mr->length = 0;
		return ret;
	}
	mr->user_base = ibmr->iova;
	mr->iova = ibmr->iova;
	mr->offset = (u32)(ibmr->iova - (u64)(uintptr_t)mr->map[0]->segs[0].vaddr);
	mr->length = ibmr->length;
	return ret;
}

int rvt_fast_reg_mr(struct rvt_qp *qp, struct ib_mr *ibmr, u32 key, int access)
{
	struct rvt_mregion *mr = &to_imr(ibmr)->mr;
	struct rvt_lkey_table *rkt = &rdi_of(mr)->lkey_table;
	const u32 qpn = qp->ibqp.qp_num;
	const u32 rkey = rvt_mr_rkey(rkt, mr->lkey);

	if (qp->ibqp.pd != mr->pd)
		return base_refuse_qp(-EACCES, qpn, REG_MR_PD, key);
	if (!is_fast_reg(mr) || !mr->lkey_published)
		return base_refuse_qp(-EINVAL, qpn, MR_NOT_FAST_REG, mr->lkey);
	if ((key ^ mr->lkey) > RVT_KEY_CONSUMER_MASK && (key ^ rkey) > RVT_KEY_CONSUMER_MASK)
		return base_refuse_qp(-EINVAL, qpn, REG_MR_KEY, key, mr->lkey, rkey);
	if (ib_check_mr_access(mr->pd->device, (unsigned int)access)) {
		struct base_cause why = *base_cause_last();

		why.qpn = qpn;
		base_cause_set_last(&why);
		return -EINVAL;
	}

	spin_lock(&rkt->lock);
	rvt_mr_hide(rkt, mr->lkey >> rkt->shift);
	mr->access_flags = access;
	mr->iova = ibmr->iova;
	atomic_set(&mr->lkey_invalid, 0);
	PUT(mr->lkey, (mr->lkey & ~RVT_KEY_CONSUMER_MASK) | (key & RVT_KEY_CONSUMER_MASK));
	show_entry(rkt, mr);
	spin_unlock(&rkt->lock);
	ibmr->lkey = mr->lkey;
	ibmr->rkey = rvt_mr_rkey(rkt, mr->lkey);
	return 0;
}

/*
 * Nobody sleeps here, so a process that is stopped, or in a long copy, keeps the region until it is
 * deregistered. Regions for fast registration are not placed in by others.
 */
static void await_peers_locked(const struct rvt_mregion *mr)
{
	struct rvt_dev_info *rdi = rdi_of(mr);
	const u32 pd = ibpd_to_rvtpd(mr->pd)->number;

	if (!rdi->driver_f.peers_left)
		return;
	for (unsigned int looks = 0; looks < INVALIDATE_LOOKS; looks++)
		if (rdi->driver_f.peers_left(rdi, pd, 0, 0, NULL))
			return;
}

/* Invalidates the region that @key names, if there is one; rkt->lock is held. */
static bool invalidate_region(struct rvt_lkey_table *rkt, const struct rvt_qp *qp, u32 key,
			      bool remote, struct base_cause *why)
{
	struct rvt_mregion *mr = rkt->table[key >> rkt->shift];

	if (!mr || (key != rvt_mr_rkey(rkt, mr->lkey) && (remote || key != mr->lkey)))
		return false;
	if (mr->pd != qp->ibqp.pd) {
		why->id = remote ? BASE_CAUSE_RKEY_PD : BASE_CAUSE_KEY_INVALIDATE_PD;
		why->arg[1] = ibpd_to_rvtpd(mr->pd)->number;
		why->arg[2] = ibpd_to_rvtpd(qp->ibqp.pd)->number;
	} else if (remote && !is_fast_reg(mr)) {
		why->id = BASE_CAUSE_RKEY_INVALIDATE_KIND;
	} else if (mr->windows) {
		why->id = BASE_CAUSE_MR_BOUND;
		why->arg[0] = mr->lkey;
		why->arg[1] = mr->windows;
	} else {
		atomic_set(&mr->lkey_invalid, 1);
		rvt_mr_hide(rkt, key >> rkt->shift);
		if (!is_fast_reg(mr))
			await_peers_locked(mr);
	}
	return true;
}

/* Invalidates what @key names; @remote: by the wish of a peer. */
static int invalidate(struct rvt_qp *qp, u32 key, bool remote, struct base_cause *why)
{
	struct rvt_lkey_table *rkt = &ib_to_rvt(qp->ibqp.device)->lkey_table;
	struct rvt_mw *mw;
	bool found = true;

	*why = (struct base_cause){.arg = {key}};
	if (!key) {
		why->id = BASE_CAUSE_KEY_ZERO_INVALIDATE;
		return -EINVAL;
	}
	spin_lock(&rkt->lock);
	mw = rvt_mw_of_key(rkt, key);
	if (mw)
		(void)rvt_mw_invalidate(mw, qp, key, remote, why);
	else
		found = invalidate_region(rkt, qp, key, remote, why);
	spin_unlock(&rkt->lock);
	if (!found)
		rvt_mr_explain_key(rkt, key, remote, why);
	return why->id ? -EINVAL : 0;
}

int rvt_invalidate_rkey(struct rvt_qp *qp, u32 rkey)
{
	struct base_cause why;
	const int ret = invalidate(qp, rkey, false, &why);

	if (ret) {
		why.side = BASE_SIDE_CALL;
		why.qpn = qp->ibqp.qp_num;
		base_cause_set_last(&why);
	}
	return ret;
}

int rvt_remote_invalidate(struct rvt_qp *qp, u32 rkey, struct base_cause *why)
{
	const int ret = invalidate(qp, rkey, true, why);

	why->side = BASE_SIDE_RESPONDER;
	return ret;
}
