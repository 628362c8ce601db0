/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The flat table of memory regions that every key is checked against (docs/design/data-path.md).
 *
 * One entry per slot, for a region or a memory window, in one allocation, integers only: a peer's process that maps the table
 * read-only runs the same check on the same bytes as rvt_lkey_ok() and rvt_rkey_ok() do here.
 * Only rdmavt/mr.c and mw.c write it.
 */
#ifndef RDMAVT_MR_TABLE_H
#define RDMAVT_MR_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A key, from the top: slot index (rkt->max has as many values), generation, one bit that tells
 * an rkey from an lkey (clear in both with keys_same), and 8 bits that are the consumer's in a
 * region for fast registration and the low bits of the generation in all others. Key 0 stands for
 * all memory of the process and has no entry.
 */
#define RVT_KEY_CONSUMER_MASK 0xffu
#define RVT_KEY_REMOTE 0x100u

#define RVT_MR_SCATTERED UINT64_MAX

/*
 * In @access: other processes may place bytes there by themselves. Only regions that are one range of
 * addresses and go by ib_dereg_mr(), which waits for those processes.
 */
#define RVT_MR_DIRECT 0x80000000u

/**
 * struct rvt_mr_entry - One region.
 * @rkey: Its key for remote access; 0 while there is none to be had: slot free, key invalidated
 *	or being taken out. Stored last (release) when a region is published, first when it goes.
 * @lkey: The same for local access.
 * @pd: Number of its protection domain (struct rvt_pd).
 * @access: enum ib_access_flags, and RVT_MR_DIRECT.
 * @iova: Address of its first byte for a remote access.
 * @length: Bytes.
 * @base: Address of its first byte in the owner's process; RVT_MR_SCATTERED if its pages are not
 *	neighbours.
 * @user_base: Address of its first byte in an SGE of the owner.
 * @ext_first: Index of its first extent in the process's extent table.
 * @ext_count: Extents; 0: none, @base is to be reached through the owner.
 * @gen: How often the slot was given out; survives the region.
 * @qpn: Number of the only QP it can be reached through (a window of type 2); 0: any.
 *
 * While a reader relies on an entry the owner must be kept from reusing its slot: here by a
 * reference on the region (rvt_get_mr()), in a peer by the window's lock. The order is then: see
 * the key, get hold, see the key again, read the rest.
 */
struct rvt_mr_entry {
	uint32_t rkey;
	uint32_t lkey;
	uint32_t pd;
	uint32_t access;
	uint64_t iova;
	uint64_t length;
	uint64_t base;
	uint64_t user_base;
	uint32_t ext_first;
	uint32_t ext_count;
	uint32_t gen;
	uint32_t qpn;
};

_Static_assert(sizeof(struct rvt_mr_entry) == 64, "one cache line");

/* The owner may register an entry anew while a reader looks at it. */
#define RVT_MR_ENTRY_GET(entry, field) __atomic_load_n(&(entry)->field, __ATOMIC_ACQUIRE)

/* What a check says. */
enum rvt_key_verdict {
	RVT_KEY_OK,
	RVT_KEY_NONE, /* no region has this key now */
	RVT_KEY_PD,
	RVT_KEY_ACCESS,
	RVT_KEY_BOUNDS,
	RVT_KEY_QP,
};

/**
 * rvt_mr_entry_has_rkey() - Whether a remote access through @rkey finds this region.
 * @entry: That of the slot @rkey >> rkt->shift.
 * @rkey: Not 0.
 */
static inline bool rvt_mr_entry_has_rkey(const struct rvt_mr_entry *entry, uint32_t rkey)
{
	return __atomic_load_n(&entry->rkey, __ATOMIC_SEQ_CST) == rkey;
}

/** rvt_mr_entry_has_lkey() - The same for an SGE. */
static inline bool rvt_mr_entry_has_lkey(const struct rvt_mr_entry *entry, uint32_t lkey)
{
	return __atomic_load_n(&entry->lkey, __ATOMIC_SEQ_CST) == lkey;
}

/* Whether [addr, addr + bytes) lies in [first, first + length). No sum can wrap. */
static inline bool rvt_range_holds(uint64_t first, uint64_t length, uint64_t addr, uint64_t bytes)
{
	return addr >= first && addr - first <= length && bytes <= length - (addr - first);
}

/**
 * rvt_mr_entry_check_remote() - Whether a remote access may happen.
 * @entry: Has the request's rkey, and is kept from being reused.
 * @pd: Number of the QP's protection domain.
 * @qpn: The QP's number.
 * @addr: First byte, as the request names it.
 * @bytes: How many.
 * @access: Rights that are needed, all of them: enum ib_access_flags, not 0.
 */
static inline enum rvt_key_verdict rvt_mr_entry_check_remote(const struct rvt_mr_entry *entry,
							     uint32_t pd, uint32_t qpn,
							     uint64_t addr, uint64_t bytes,
							     uint32_t access)
{
	const uint32_t only_qpn = RVT_MR_ENTRY_GET(entry, qpn);

	if (RVT_MR_ENTRY_GET(entry, pd) != pd)
		return RVT_KEY_PD;
	if (only_qpn && only_qpn != qpn)
		return RVT_KEY_QP;
	if (!rvt_range_holds(RVT_MR_ENTRY_GET(entry, iova), RVT_MR_ENTRY_GET(entry, length), addr,
			     bytes))
		return RVT_KEY_BOUNDS;
	return access & ~RVT_MR_ENTRY_GET(entry, access) ? RVT_KEY_ACCESS : RVT_KEY_OK;
}

#endif
