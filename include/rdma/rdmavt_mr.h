/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* rdmavt's memory regions, and cursors that walk through them. */
#ifndef VERBENA_RDMA_RDMAVT_MR_H
#define VERBENA_RDMA_RDMAVT_MR_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/percpu-refcount.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

/**
 * struct rvt_seg - Contiguous memory.
 * @vaddr: Address.
 * @length: Bytes.
 */
struct rvt_seg {
	void *vaddr;
	size_t length;
};

/* Segments that fit in a page. */
#define RVT_SEGSZ (PAGE_SIZE / sizeof(struct rvt_seg))
#define RVT_MAX_LKEY_TABLE_BITS 23

/**
 * struct rvt_segarray - One page of segments.
 * @segs: Segments.
 */
struct rvt_segarray {
	struct rvt_seg segs[RVT_SEGSZ];
};

/**
 * struct rvt_mregion - Memory region internals.
 * @pd: PD.
 * @user_base: Local start address.
 * @iova: Remote start address.
 * @length: Bytes.
 * @lkey: Key (also rkey).
 * @offset: Offset in the first segment.
 * @access_flags: Access.
 * @max_segs: Segments possible.
 * @mapsz: Arrays.
 * @lkey_invalid: Key invalidated.
 * @page_shift: log2 of segment size, 0 = irregular.
 * @lkey_published: In the table.
 * @contiguous: Its pages are neighbours (Verbena).
 * @all_memory: It is what key 0 names, and has no references (Verbena).
 * @windows: Memory windows that are bound to it; the table's lock (Verbena).
 * @refcount: References.
 * @comp: Signalled at zero.
 * @map: Segment arrays.
 */
struct rvt_mregion {
	struct ib_pd *pd;
	u64 user_base;
	u64 iova;
	size_t length;
	u32 lkey;
	u32 offset;
	int access_flags;
	u32 max_segs;
	u32 mapsz;
	atomic_t lkey_invalid;
	u8 page_shift;
	u8 lkey_published;
	u8 contiguous;
	bool all_memory;
	u32 windows;
	struct percpu_ref refcount;
	struct completion comp;
	struct rvt_segarray *map[];
};

struct base_cause;
struct rvt_mr_entry;
struct rvt_qp;

/* Sizes of a region's block: room for 0, 1, 2, 4 ... segments. */
#define RVT_MR_CLASSES 22

/**
 * struct rvt_lkey_table - MR table.
 * @max: Entries.
 * @shift: Key shift to index.
 * @table: Entries.
 * @lock: Lock.
 * @next: Search start.
 * @gen: Generation.
 * @keys_same: lkey and rkey of a region are equal (Verbena).
 * @entries: What keys are checked against, src/rdmavt/mr_table.h (Verbena).
 * @entries_block: The memory of @entries, if it is ours (Verbena).
 * @placing: By entry: who stores bytes there by its rkey at the moment; atomic (Verbena).
 * @all_memory: What key 0 names (Verbena).
 * @dma_mrs: Regions of ib_get_dma_mr(); lock (Verbena).
 * @spare: Blocks of regions that are gone, by size; lock (Verbena).
 * @users: The device, PDs, MRs and windows (Verbena).
 * @mws: Memory windows by slot; lock (Verbena).
 * @n_mws: How many; lock (Verbena).
 * @n_mrs: Regions in @table; lock (Verbena).
 */
struct rvt_lkey_table {
	u32 max;
	u32 shift;
	struct rvt_mregion **table;
	spinlock_t lock;
	u32 next;
	u32 gen;
	bool keys_same;
	struct rvt_mr_entry *entries;
	void *entries_block;
	u32 *placing;
	struct rvt_mregion *all_memory;
	struct list_head dma_mrs;
	struct list_head spare[RVT_MR_CLASSES];
	atomic_t users;
	struct xarray mws;
	u32 n_mws;
	u32 n_mrs;
};

/**
 * struct rvt_sge - Position in an MR.
 * @mr: MR (referenced).
 * @vaddr: Current address.
 * @sge_length: Bytes left in the SGE.
 * @length: Bytes left in the segment.
 * @m: Array index.
 * @n: Segment index.
 */
struct rvt_sge {
	struct rvt_mregion *mr;
	void *vaddr;
	u32 sge_length;
	u32 length;
	u16 m;
	u16 n;
};

/**
 * struct rvt_sge_state - SGE list state.
 * @sg_list: Following SGEs.
 * @sge: Current SGE.
 * @total_len: Bytes in all.
 * @num_sge: SGEs left including current.
 */
struct rvt_sge_state {
	struct rvt_sge *sg_list;
	struct rvt_sge sge;
	u32 total_len;
	u8 num_sge;
};

/**
 * struct rvt_mw - Memory window (Verbena).
 * @ibmw: Core part; its rkey is the current one.
 * @mr: To which it is bound, or NULL.
 * @slot: In the MR table.
 * @qpn: The QP that a window of type 2 is bound through.
 */
struct rvt_mw {
	struct ib_mw ibmw;
	struct rvt_mregion *mr;
	u32 slot;
	u32 qpn;
};

/**
 * struct rvt_mr - Memory region.
 * @ibmr: Core part.
 * @umem: Pinned memory.
 * @link: In a list of the MR table (Verbena).
 * @mr: Internals, last.
 */
struct rvt_mr {
	struct ib_mr ibmr;
	struct ib_umem *umem;
	struct list_head link;
	struct rvt_mregion mr;
};

/**
 * struct rvt_peer_keys - The keys of another process's device (Verbena).
 * @entries: What that process shows of keys; may hold anything, and change at any time.
 * @first: Where those of the device begin: its &rvt_driver_params.mr_first.
 * @shift: How far its keys are shifted to be an index: 1 to 31. There are 2^(32 - @shift) of them.
 */
struct rvt_peer_keys {
	const struct rvt_mr_entry *entries;
	u32 first;
	u32 shift;
};

/**
 * struct rvt_peer_access - What a request asks of another process's memory (Verbena).
 * @pd: Number of the PD of the QP that it is for.
 * @qpn: That QP's number.
 * @rkey: Key.
 * @len: Bytes.
 * @vaddr: Address, as the request names it.
 * @acc: enum ib_access_flags that is needed.
 */
struct rvt_peer_access {
	u32 pd;
	u32 qpn;
	u32 rkey;
	u32 len;
	u64 vaddr;
	u32 acc;
};

#ifdef __cplusplus
extern "C" {
#endif

/* What all threads use all the time, key 0, has a life of its own and is not counted. */
/**
 * rvt_put_mr() - Give back a reference to an MR.
 * @mr: The last one completes @mr->comp, after the MR was withdrawn.
 *
 * Context: Any, does not sleep.
 */
static inline void rvt_put_mr(struct rvt_mregion *mr)
{
	if (!mr->all_memory)
		percpu_ref_put(&mr->refcount);
}

/**
 * rvt_get_mr() - Take one more reference to an MR.
 * @mr: To which there is one already.
 *
 * Context: Any, does not sleep.
 */
static inline void rvt_get_mr(struct rvt_mregion *mr)
{
	if (!mr->all_memory)
		percpu_ref_get(&mr->refcount);
}

/**
 * rvt_put_ss() - Give back the references of all SGEs that are left in a cursor.
 * @ss: Has no SGEs afterwards.
 */
static inline void rvt_put_ss(struct rvt_sge_state *ss)
{
	while (ss->num_sge) {
		rvt_put_mr(ss->sge.mr);
		if (--ss->num_sge)
			ss->sge = *ss->sg_list++;
	}
}

/**
 * rvt_get_sge_length() - How many bytes lie in one piece at a position.
 * @sge: Position.
 * @length: At most so many.
 *
 * Return: Bytes up to the end of the segment, of the SGE or of @length, whichever comes first.
 */
static inline u32 rvt_get_sge_length(struct rvt_sge *sge, u32 length)
{
	u32 len = sge->length < length ? sge->length : length;

	return sge->sge_length < len ? sge->sge_length : len;
}

/**
 * rvt_update_sge() - Move a cursor on inside a piece.
 * @ss: Cursor.
 * @length: At most what rvt_get_sge_length() returned.
 * @release: Give back the reference of an SGE at its end.
 */
static inline void rvt_update_sge(struct rvt_sge_state *ss, u32 length, bool release)
{
	struct rvt_sge *sge = &ss->sge;

	sge->vaddr = (char *)sge->vaddr + length;
	sge->length -= length;
	sge->sge_length -= length;
	if (!sge->sge_length) {
		if (release)
			rvt_put_mr(sge->mr);
		if (--ss->num_sge)
			*sge = *ss->sg_list++;
	} else if (!sge->length && sge->mr->lkey) {
		if (++sge->n >= RVT_SEGSZ) {
			if (++sge->m >= sge->mr->mapsz)
				return;
			sge->n = 0;
		}
		sge->vaddr = sge->mr->map[sge->m]->segs[sge->n].vaddr;
		sge->length = (u32)sge->mr->map[sge->m]->segs[sge->n].length;
	}
}

/**
 * rvt_skip_sge() - Move a cursor on across pieces.
 * @ss: Cursor.
 * @length: At most what is left; more is complained about.
 * @release: Give back the reference of an SGE at its end.
 */
static inline void rvt_skip_sge(struct rvt_sge_state *ss, u32 length, bool release)
{
	while (length) {
		const u32 len = rvt_get_sge_length(&ss->sge, length);

		if (WARN_ON_ONCE(!len))
			return;
		rvt_update_sge(ss, len, release);
		length -= len;
	}
}

/**
 * rvt_ss_has_lkey() - Whether a cursor uses a key.
 * @ss: Cursor.
 * @lkey: Key of an MR.
 *
 * Return: true if one of the SGEs that are left does.
 */
bool rvt_ss_has_lkey(struct rvt_sge_state *ss, u32 lkey);

/**
 * rvt_mr_has_lkey() - Whether an MR has a key.
 * @mr: MR, or NULL.
 * @lkey: Key.
 *
 * Return: true if it has.
 */
bool rvt_mr_has_lkey(struct rvt_mregion *mr, u32 lkey);

/**
 * rvt_peer_rkey_ok() - Check a request against another process's table (Verbena).
 * @keys: Of the device that it is for.
 * @access: The request.
 * @at: Out: address of the first byte in that process. Anything, if the table is garbage.
 *
 * Context: Any, does not sleep. The owner waits for the caller (&rvt_driver_provided.peers_left).
 * Return: true; false if its owner must look at it, because it is not allowed or not simple.
 */
bool rvt_peer_rkey_ok(const struct rvt_peer_keys *keys, const struct rvt_peer_access *access,
		      u64 *at);

/**
 * rvt_rkey_enter() - Bytes are about to be stored by an rkey that was good before (Verbena).
 * @qp: The responder's QP.
 * @rkey: See rvt_rkey_check(), which has given the place; 0 stands for all memory.
 * @why: Out, if it is not good any more: see rvt_rkey_check().
 *
 * Once a key is invalidated or bound anew, or its window is gone, nobody stores by it: not a message that
 * began before, nor a copy that is under way, which is waited for. So the place is left again, by
 * rvt_rkey_leave(), as soon as the bytes are there; nothing may be invalidated meanwhile.
 *
 * Context: Any, does not sleep.
 * Return: 1; or 0, and then there is nothing to leave.
 */
int rvt_rkey_enter(struct rvt_qp *qp, u32 rkey, struct base_cause *why);

/**
 * rvt_rkey_leave() - They are stored (Verbena).
 * @qp: See rvt_rkey_enter().
 * @rkey: Likewise.
 *
 * Context: Any, does not sleep.
 */
void rvt_rkey_leave(struct rvt_qp *qp, u32 rkey);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_RDMAVT_MR_H */
