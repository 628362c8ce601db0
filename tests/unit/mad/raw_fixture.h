/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* MADs of any content: what a peer may send that is none of ours. */
#ifndef TESTS_UNIT_MAD_RAW_FIXTURE_H
#define TESTS_UNIT_MAD_RAW_FIXTURE_H

#include "mad_fixture.h"

/* Whoever sends them: an agent that registers for nothing. Its QP is that of @mgmt_class. */
static inline struct end *raw_open(struct fixture *f, unsigned int which, unsigned int host,
				   bool smi)
{
	return end_open(f, which, host, smi ? IB_MGMT_CLASS_SUBN_LID_ROUTED : TEST_CLASS, 0, 0);
}

static inline struct ib_mad_send_buf *raw_make(struct end *end, u8 mgmt_class, u8 version,
					       u8 method, u16 attr_id, u64 tid)
{
	struct ib_mad_send_buf *buf =
		hold(ib_create_send_mad(end->agent, end->agent->qp->qp_num, 0, 0, IB_MGMT_MAD_HDR,
					IB_MGMT_MAD_DATA, GFP_KERNEL, IB_MGMT_BASE_VERSION));
	struct ib_mad_hdr *hdr;

	assert_false(IS_ERR(buf));
	hdr = buf->mad;
	hdr->base_version = IB_MGMT_BASE_VERSION;
	hdr->mgmt_class = mgmt_class;
	hdr->class_version = version;
	hdr->method = method;
	hdr->attr_id = cpu_to_be16(attr_id);
	hdr->tid = cpu_to_be64(tid);
	buf->ah = end->ah;
	return buf;
}

static inline void raw_send(struct end *end, u8 mgmt_class, u8 version, u8 method, u64 tid)
{
	end_post(raw_make(end, mgmt_class, version, method, 0x77, tid));
	pass(MS);
}

static inline u64 drops(struct fixture *f, unsigned int host, enum mad_drop why)
{
	return mad_port_drops(f->device[host], 1, why);
}

#endif
