/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Transfers of bytes that are recognised again, between two agents. */
#ifndef TESTS_UNIT_MAD_RMPP_FIXTURE_H
#define TESTS_UNIT_MAD_RMPP_FIXTURE_H

#include "mad_fixture.h"

#define RMPP_SEG (IB_MGMT_MAD_SIZE - IB_MGMT_VENDOR_HDR) /* bytes of data of a segment */
#define SECOND (1000 * MS)

static inline u8 rmpp_byte(u32 key, int at)
{
	return (u8)(((u32)at * 2654435761u + key * 40503u) >> 16);
}

static inline struct ib_mad_send_buf *rmpp_make(struct end *end, u8 method, u32 tid, int bytes,
						int timeout_ms, int retries)
{
	struct ib_mad_send_buf *buf = end_make(end, method, tid, true, bytes);
	u8 *data = (u8 *)buf->mad + buf->hdr_len;

	for (int i = 0; i < bytes; i++)
		data[i] = rmpp_byte(tid, i);
	buf->timeout_ms = timeout_ms;
	buf->retries = retries;
	return buf;
}

/* What has been received is what rmpp_make() with this TID has made. */
static inline void rmpp_check(const struct ib_mad_recv_wc *wc, u32 key, int bytes)
{
	const struct ib_mad_recv_buf *buf;
	int at = 0, wrong = 0, segments = 0;

	assert_non_null(wc);
	assert_int_equal(wc->mad_len, IB_MGMT_VENDOR_HDR + bytes);
	list_for_each_entry(buf, &wc->rmpp_list, list) {
		const struct ib_vendor_mad *mad = (const struct ib_vendor_mad *)buf->mad;

		for (int i = 0; i < RMPP_SEG && at < bytes; i++, at++)
			wrong += mad->data[i] != rmpp_byte(key, at);
		segments++;
	}
	assert_int_equal(at, bytes);
	assert_int_equal(wrong, 0);
	assert_int_equal(segments, bytes ? (bytes + RMPP_SEG - 1) / RMPP_SEG : 1);
}

static inline u32 low_tid(const struct ib_mad_recv_wc *wc)
{
	return (u32)be64_to_cpu(wc->recv_buf.mad->mad_hdr.tid);
}

static inline struct end *rmpp_client(struct fixture *f)
{
	return end_open(f, 0, 0, TEST_CLASS, 0, IB_MGMT_RMPP_VERSION);
}

static inline struct end *rmpp_server(struct fixture *f)
{
	return end_open(f, 1, 1, TEST_CLASS, 1ull << TEST_METHOD, IB_MGMT_RMPP_VERSION);
}

/* The n-th packet of all is lost. */
static inline bool lose_one(struct fixture *f, unsigned int from, const struct ib_rmpp_mad *mad)
{
	(void)from;
	(void)mad;
	return f->packets == f->lose_number;
}

#endif
