/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A rdmavt device with no driver below it and nothing registered above: enough for the files of
 * rdmavt that keep objects. QPs are structs that nobody runs.
 */
#ifndef TESTS_COMMON_RVT_BARE_H
#define TESTS_COMMON_RVT_BARE_H

#include <linux/err.h>
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_qp.h>

#include "base/cause.h"
#include "base/host.h"
#include "common/test.h"

#define BARE_NPKEYS 3

struct bare {
	struct rvt_dev_info rdi;
	struct rvt_ibport port[2];
	struct rvt_ibport *ports[2];
	u16 pkeys[BARE_NPKEYS];
	struct ib_port_data port_data[3];
};

static inline int bare_query_port(struct ib_device *device, u32 port_num, struct ib_port_attr *attr)
{
	(void)device;
	attr->subnet_prefix = 0xfe80000000000000ull;
	attr->gid_tbl_len = 4;
	attr->pkey_tbl_len = BARE_NPKEYS;
	return port_num == 2 ? -ENODEV : 0;
}

/* All limits are small; a test that needs another one changes it. */
static inline struct bare *bare_new(void)
{
	struct bare *b = base_zalloc(sizeof(*b));
	struct ib_device_attr *props;

	if (!b)
		return NULL;
	props = &b->rdi.dparms.props;
	b->ports[0] = &b->port[0];
	b->ports[1] = &b->port[1];
	b->port[0].pkey_table = b->pkeys;
	b->port[1].pkey_table = b->pkeys;
	b->rdi.ports = b->ports;
	b->rdi.dparms.nports = 2;
	b->rdi.dparms.npkeys = BARE_NPKEYS;
	b->rdi.dparms.lkey_table_size = 4;
	b->rdi.ibdev.phys_port_cnt = 2;
	b->rdi.ibdev.port_data = b->port_data;
	b->rdi.ibdev.num_comp_vectors = 2;
	b->rdi.ibdev.ops.query_port = bare_query_port;
	props->max_pd = 4;
	props->max_cq = 3;
	props->max_cqe = 64;
	props->max_srq = 2;
	props->max_srq_wr = 32;
	props->max_srq_sge = 4;
	props->max_ah = 2;
	props->max_mcast_grp = 2;
	props->max_mcast_qp_attach = 2;
	props->cq_caps.max_cq_moderation_count = 100;
	props->cq_caps.max_cq_moderation_period = 1000;
	return b;
}

/* A fixture of so many bytes, zeroed, that begins with a pointer to the device. NULL without memory. */
static inline void *bare_fixture_new(size_t bytes)
{
	struct bare **fixture = base_zalloc(bytes);

	if (!fixture)
		return NULL;
	*fixture = bare_new();
	if (*fixture)
		return fixture;
	base_free(fixture);
	return NULL;
}

static inline void bare_fixture_free(void *fixture)
{
	base_free(*(struct bare **)fixture);
	base_free(fixture);
}

/* A QP of @pd in @state that has never been created. Its reference count is 1. */
static inline void bare_qp_init(struct rvt_qp *qp, struct bare *b, struct ib_pd *pd, u32 qpn,
				enum ib_qp_state state)
{
	memset(qp, 0, sizeof(*qp));
	qp->ibqp.device = &b->rdi.ibdev;
	qp->ibqp.pd = pd;
	qp->ibqp.qp_num = qpn;
	qp->ibqp.qp_type = IB_QPT_UD;
	qp->port_num = 1;
	qp->state = (u8)state;
	atomic_set(&qp->refcount, 1);
}

/* The text of what was refused last on this thread. */
static inline const char *bare_cause(void)
{
	static _Thread_local char text[BASE_CAUSE_TEXT_BYTES];

	base_cause_format(base_cause_last(), text, sizeof(text));
	return text;
}

#define assert_cause(name) assert_string_equal(base_cause_name(base_cause_last()->id), #name)

/* Run all that waits for a worker. */
static inline void bare_run_workers(void)
{
	while (base_host_turn(base_now_ns(), 1000))
		;
}

#endif
