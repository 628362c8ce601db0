// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Where bytes are: from SGEs and regions to segments, and the one copy that moves payload.
 *
 * An SGE is one range of virtual addresses, but for regions for fast registration, whose pages need
 * not be neighbours: such an SGE goes on in the region's segments.
 */
#include <errno.h>

#include "base/check.h"
#include "base/umem.h"
#include "transport/tp_qp.h"

/* A region's segments can stand in a payload list as they are. */
_Static_assert(sizeof(struct rvt_seg) == sizeof(struct iovec) &&
		       offsetof(struct rvt_seg, vaddr) == offsetof(struct iovec, iov_base) &&
		       offsetof(struct rvt_seg, length) == offsetof(struct iovec, iov_len),
	       "struct rvt_seg is a struct iovec");

#define COPY_SEGMENTS 32u
#define PROBE_BYTES 4096u

struct list {
	struct iovec *iov;
	unsigned int room;
	unsigned int used;
};

/* Neighbours become one segment. */
static bool append(struct list *list, char *at, uint64_t bytes)
{
	struct iovec *last = list->used ? &list->iov[list->used - 1] : NULL;

	if (last && (char *)last->iov_base + last->iov_len == at) {
		last->iov_len += bytes;
		return true;
	}
	if (list->used == list->room)
		return false;
	list->iov[list->used++] = (struct iovec){.iov_base = at, .iov_len = bytes};
	return true;
}

static const struct rvt_seg *next_segment(const struct rvt_mregion *mr, unsigned int *index)
{
	++*index;
	return &mr->map[*index / RVT_SEGSZ]->segs[*index % RVT_SEGSZ];
}

/* The bytes [skip, skip + bytes) of one SGE. Returns how many of them went into the list. */
static uint64_t append_sge(struct list *list, const struct rvt_sge *sge, uint64_t skip,
			   uint64_t bytes)
{
	unsigned int index = sge->m * (unsigned int)RVT_SEGSZ + sge->n;
	char *at = sge->vaddr;
	uint64_t here = sge->length, done = 0;

	while (done < bytes) {
		if (skip < here) {
			const uint64_t take = here - skip < bytes - done ? here - skip
									 : bytes - done;

			if (!append(list, at + skip, take))
				break;
			done += take;
			skip = 0;
		} else {
			skip -= here;
		}
		if (done < bytes) {
			const struct rvt_seg *seg = next_segment(sge->mr, &index);

			at = seg->vaddr;
			here = seg->length;
		}
	}
	return done;
}

unsigned int tp_sges_iov(const struct tp_sges *sges, uint64_t skip, uint64_t bytes,
			 struct iovec *iov, unsigned int room, uint64_t *covered)
{
	struct list list = {.iov = iov, .room = room};
	uint64_t done = 0;

	for (unsigned int i = 0; i < sges->count && done < bytes; i++) {
		const struct rvt_sge *sge = i ? &sges->rest[i - 1] : sges->first;
		uint64_t want, took;

		if (skip >= sge->sge_length) {
			skip -= sge->sge_length;
			continue;
		}
		want = sge->sge_length - skip;
		if (want > bytes - done)
			want = bytes - done;
		took = append_sge(&list, sge, skip, want);
		done += took;
		if (took < want)
			break;
		skip = 0;
	}
	*covered = done;
	return list.used;
}

bool tp_payload_is_readable(const struct tp_payload *payload, uint64_t skip, uint64_t bytes)
{
	const struct iovec *iov = payload->iov;

	skip += payload->offset;
	for (; bytes; iov++) {
		const char *at = iov->iov_base;
		uint64_t here = iov->iov_len;
		char byte;

		if (skip >= here) {
			skip -= here;
			continue;
		}
		at += skip;
		here -= skip;
		if (here > bytes)
			here = bytes;
		for (uint64_t n = 0; n < here; n += PROBE_BYTES)
			if (base_umem_copy(&byte, at + n, 1))
				return false;
		if (base_umem_copy(&byte, at + here - 1, 1))
			return false;
		bytes -= here;
		skip = 0;
	}
	return true;
}

/* 0, -EFAULT (where it goes), -ENODATA (where it comes from), -EAGAIN (one of the two), -ESRCH. */
static int copy_piece(const struct iovec *to, unsigned int count, const struct tp_payload *from,
		      uint64_t skip, uint64_t bytes)
{
	if (from->source)
		return from->source->copy(from->source, to, count, from->iov, from->count, skip,
					  bytes);
	return base_umem_copy_iov(to, count, 0, from->iov, from->count, skip, bytes) ? -EAGAIN : 0;
}

static int copy_segments(const struct tp_sges *sges, uint64_t to_skip,
			 const struct tp_payload *from, uint64_t from_skip, uint32_t bytes)
{
	struct iovec to[COPY_SEGMENTS];
	uint64_t done = 0, covered;
	int ret;

	while (done < bytes) {
		const unsigned int count = tp_sges_iov(sges, to_skip + done, bytes - done, to,
						       COPY_SEGMENTS, &covered);

		if (!count)
			return -EFAULT;
		ret = copy_piece(to, count, from, from_skip + done, covered);
		if (ret)
			return ret;
		done += covered;
	}
	return 0;
}

enum rc_resp_result tp_place(const struct tp_sges *sges, uint64_t to_skip,
			     const struct tp_payload *from, uint32_t from_skip, uint32_t bytes)
{
	const uint64_t skip = from->offset + from_skip;
	int ret;

	if (likely(sges->count == 1 && from->count == 1 && !from->source &&
		   sges->first->length == sges->first->sge_length))
		ret = base_umem_copy((char *)sges->first->vaddr + to_skip,
				     (char *)from->iov->iov_base + skip, bytes)
			      ? -EAGAIN
			      : 0;
	else
		ret = copy_segments(sges, to_skip, from, skip, bytes);
	if (likely(!ret))
		return RC_OK;
	if (ret == -EAGAIN)
		ret = tp_payload_is_readable(from, from_skip, bytes) ? -EFAULT : -ENODATA;
	if (ret == -ESRCH)
		return RC_DEAD;
	return ret == -EFAULT ? RC_BAD : RC_SOURCE;
}

/*
 * The segments of a region that an SGE with gaps goes through. They lie in one row, and stay where
 * they are when the region goes (mr.c). The SGE's first piece ends where the segment (m, n) ends.
 */
static void segments_of(const struct rvt_sge *sge, const struct iovec **iov, size_t *offset,
			uint32_t *count)
{
	const struct rvt_mregion *mr = sge->mr;
	unsigned int first = sge->m * (unsigned int)RVT_SEGSZ + sge->n, last = first;
	uint64_t before = mr->map[sge->m]->segs[sge->n].length, behind = sge->length;

	while (before < sge->length) {
		first--;
		before += mr->map[first / RVT_SEGSZ]->segs[first % RVT_SEGSZ].length;
	}
	while (behind < sge->sge_length)
		behind += next_segment(mr, &last)->length;
	INVARIANT(mr->map[0] + last / RVT_SEGSZ == mr->map[last / RVT_SEGSZ]);
	*iov = (const struct iovec *)&mr->map[first / RVT_SEGSZ]->segs[first % RVT_SEGSZ];
	*offset = before - sge->length;
	*count = last - first + 1;
}

int tp_swqe_prepare(struct tp_qp *tq, struct rvt_swqe *wqe)
{
	struct tp_swqe *ts = tp_swqe(wqe);
	const struct rvt_sge *sge = wqe->sg_list;
	const struct tp_sges sges = tp_sges_of_wqe(wqe);
	uint64_t covered;

	ts->iov = ts->own;
	ts->offset = 0;
	if (likely(wqe->wr.num_sge == 1 && sge->length == sge->sge_length)) {
		ts->own[0] = (struct iovec){.iov_base = sge->vaddr, .iov_len = sge->length};
		ts->count = 1;
		return 0;
	}
	ts->count = tp_sges_iov(&sges, 0, wqe->length, ts->own, tq->iov_per_wqe, &covered);
	if (covered == wqe->length)
		return 0;
	if (wqe->wr.num_sge != 1)
		return -EINVAL;
	segments_of(sge, &ts->iov, &ts->offset, &ts->count);
	return 0;
}

void tp_slot_source(struct tp_slot *slot, const struct rvt_sge *sge)
{
	if (unlikely(sge->length != sge->sge_length)) {
		segments_of(sge, &slot->iov, &slot->offset, &slot->count);
		return;
	}
	/* A replay has the source that a response under way may be reading here. */
	if (slot->own.iov_base != sge->vaddr || slot->own.iov_len != sge->length)
		slot->own = (struct iovec){.iov_base = sge->vaddr, .iov_len = sge->length};
	slot->iov = &slot->own;
	slot->offset = 0;
	slot->count = 1;
}
