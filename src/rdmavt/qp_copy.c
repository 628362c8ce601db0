// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * rvt_copy_sge(): bytes into the memory that a cursor stands for. And the count of the pages that
 * were written lately, by which adaptive copying decides whether a copy should leave the cache alone.
 */
#include <linux/bitops.h>
#include <linux/log2.h>

#include "base/alloc.h"
#include "base/trace.h"
#include "base/umem.h"
#include "rdmavt/qp_priv.h"

#define LAST_BYTES 8u /* of a message: what a peer may spin on */

/* The working set that counts as filling the last-level cache. */
#define CACHE_BYTES (8u << 20)
#define CACHE_PAGES (CACHE_BYTES / PAGE_SIZE)
#define DEFAULT_THRESHOLD_PERCENT 80u
#define DEFAULT_CLEAN_PERIOD 256u

static bool wss_exceeds_threshold(const struct rvt_wss *wss)
{
	return atomic_read(&wss->total_count) >= wss->threshold;
}

/* Every clean_period insertions one word of the set is forgotten. */
static void wss_advance_clean_counter(struct rvt_wss *wss)
{
	unsigned long bits;
	int entry;

	if (!atomic_dec_and_test(&wss->clean_counter))
		return;
	atomic_set(&wss->clean_counter, (int)wss->clean_period);
	entry = (atomic_inc_return(&wss->clean_entry) - 1) & (wss->num_entries - 1);
	bits = __atomic_exchange_n(&wss->entries[entry], 0, __ATOMIC_RELAXED);
	atomic_sub(__builtin_popcountl(bits), &wss->total_count);
}

static void wss_insert(struct rvt_wss *wss, const void *address)
{
	const long page = (long)((uintptr_t)address / PAGE_SIZE) & wss->pages_mask;

	if (!test_and_set_bit(page, wss->entries))
		atomic_inc(&wss->total_count);
	wss_advance_clean_counter(wss);
}

int rvt_wss_init(struct rvt_dev_info *rdi)
{
	const unsigned int percent = rdi->dparms.wss_threshold;
	struct rvt_wss *wss;

	rdi->wss = NULL;
	if (rdi->dparms.sge_copy_mode != RVT_SGE_COPY_ADAPTIVE)
		return 0;
	wss = base_zalloc(sizeof(*wss));
	if (!wss)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*wss));
	wss->clean_period = rdi->dparms.wss_clean_period ? rdi->dparms.wss_clean_period
							 : DEFAULT_CLEAN_PERIOD;
	wss->threshold =
		(int)(CACHE_PAGES *
		      (percent >= 1 && percent <= 100 ? percent : DEFAULT_THRESHOLD_PERCENT) / 100);
	wss->num_entries = (int)(CACHE_PAGES / BITS_PER_LONG);
	wss->pages_mask = (long)CACHE_PAGES - 1;
	atomic_set(&wss->clean_counter, (int)wss->clean_period);
	wss->entries = base_zalloc_array((size_t)wss->num_entries, sizeof(*wss->entries));
	if (!wss->entries) {
		base_free(wss);
		return base_refuse(-ENOMEM, NO_MEMORY, CACHE_PAGES / 8);
	}
	rdi->wss = wss;
	return 0;
}

void rvt_wss_exit(struct rvt_dev_info *rdi)
{
	if (!rdi->wss)
		return;
	base_free(rdi->wss->entries);
	base_free(rdi->wss);
	rdi->wss = NULL;
}

/* Whether this copy should leave the cache as it is. */
static bool bypass_cache(const struct rvt_dev_info *rdi, const struct rvt_sge_state *ss, u32 length)
{
	if (length < PAGE_SIZE || rdi->dparms.sge_copy_mode == RVT_SGE_COPY_MEMCPY)
		return false;
	if (rdi->dparms.sge_copy_mode == RVT_SGE_COPY_CACHELESS)
		return true;
	wss_insert(rdi->wss, ss->sge.vaddr);
	if (length >= 2 * PAGE_SIZE)
		wss_insert(rdi->wss, (const char *)ss->sge.vaddr + PAGE_SIZE);
	return wss_exceeds_threshold(rdi->wss);
}

/*
 * A copy whose lines are the first to be thrown out again: each is fetched with that hint just
 * before it is copied. A prefetch of memory that is not there does nothing.
 */
static int copy_around_cache(char *to, const char *from, u32 length)
{
	while (length) {
		const u32 step = length < PAGE_SIZE ? length : (u32)PAGE_SIZE;

		for (u32 at = 0; at < step; at += 64) {
			__builtin_prefetch(from + at, 0, 0);
			__builtin_prefetch(to + at, 1, 0);
		}
		if (base_umem_copy(to, from, step))
			return -EFAULT;
		to += step;
		from += step;
		length -= step;
	}
	return 0;
}

/* The last bytes one by one, upwards: whoever polls on the last one then has them all. */
static int copy_bytes_in_order(char *to, const char *from, u32 length)
{
	for (u32 i = 0; i < length; i++)
		if (base_umem_copy(to + i, from + i, 1))
			return -EFAULT;
	return 0;
}

void rvt_copy_sge(struct rvt_qp *qp, struct rvt_sge_state *ss, void *data, u32 length, bool release,
		  bool copy_last)
{
	const bool around = bypass_cache(ib_to_rvt(qp->ibqp.device), ss, length);
	const u32 last = !copy_last ? 0 : length < LAST_BYTES ? length : LAST_BYTES;
	const char *from = data;
	int ret = 0;

	while (length) {
		const u32 rest = length > last ? length - last : length;
		const u32 len = rvt_get_sge_length(&ss->sge, rest);

		if (WARN_ON_ONCE(!len))
			return;
		if (length <= last)
			ret |= copy_bytes_in_order(ss->sge.vaddr, from, len);
		else if (around)
			ret |= copy_around_cache(ss->sge.vaddr, from, len);
		else
			ret |= base_umem_copy(ss->sge.vaddr, from, len);
		rvt_update_sge(ss, len, release);
		from += len;
		length -= len;
	}
	/* The prototype has no room for an answer: the program has unmapped its own memory. */
	if (ret)
		trace(copy_fault, qp->ibqp.qp_num);
}

int rvt_copy_between(struct rvt_sge_state *to, struct rvt_sge_state *from, u32 length)
{
	while (length) {
		u32 len = rvt_get_sge_length(&from->sge, length);

		len = rvt_get_sge_length(&to->sge, len);
		INVARIANT(len);
		if (unlikely(base_umem_copy(to->sge.vaddr, from->sge.vaddr, len)))
			return -EFAULT;
		rvt_update_sge(from, len, false);
		rvt_update_sge(to, len, false);
		length -= len;
	}
	return 0;
}

bool rvt_can_read(struct rvt_sge_state *from, u32 length)
{
	char nowhere[256];

	while (length) {
		const u32 len = rvt_get_sge_length(
			&from->sge, length < sizeof(nowhere) ? length : (u32)sizeof(nowhere));

		if (!len || base_umem_copy(nowhere, from->sge.vaddr, len))
			return false;
		rvt_update_sge(from, len, false);
		length -= len;
	}
	return true;
}
