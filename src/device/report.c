// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Our queue pairs, for whoever asks the daemon about them. */
#include "device/report.h"

#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_qp.h>

#include "fabric/faults.h"

struct walk {
	struct base_report *report;
	u32 hca;
	u32 count;
};

static void write_down(struct rvt_qp *qp, u64 v)
{
	struct walk *walk = (struct walk *)(uintptr_t)v;
	struct base_report_qp *to;

	if (walk->count++ >= BASE_REPORT_QPS)
		return;
	to = &walk->report->qp[walk->count - 1];
	*to = (struct base_report_qp){
		.number = qp->ibqp.qp_num,
		.hca = (uint8_t)walk->hca,
		.port = qp->port_num,
		.type = (uint8_t)qp->ibqp.qp_type,
		.state = (uint8_t)READ_ONCE(qp->state),
		.dest_qpn = qp->remote_qpn,
		.dest_lid = rdma_ah_get_dlid(&qp->remote_ah_attr),
		.posted = READ_ONCE(qp->n_posted),
		.completed = READ_ONCE(qp->n_completed),
		.received = READ_ONCE(qp->n_received),
		.errors = READ_ONCE(qp->n_send_errors) + READ_ONCE(qp->n_recv_errors),
	};
	device_qp_cause(&qp->ibqp, &to->cause);
}

_Static_assert(FAULT_ACTIONS <= BASE_REPORT_FAULTS, "each has its place");

void device_report_faults(struct base_report *report, const struct fabric_faults *faults)
{
	for (unsigned int i = 0; i < FAULT_ACTIONS; i++)
		__atomic_store_n(&report->faults[i],
				 __atomic_load_n(&faults->hits[i], __ATOMIC_RELAXED),
				 __ATOMIC_RELAXED);
}

void device_report_publish(struct base_report *report, struct device_hca *const *hca, u32 count)
{
	const u32 wanted = __atomic_load_n(&report->wanted, __ATOMIC_ACQUIRE);
	struct walk walk = {.report = report};

	for (walk.hca = 0; walk.hca < count && walk.hca < BASE_REPORT_HCAS; walk.hca++)
		rvt_qp_iter(ib_to_rvt(device_hca_device(hca[walk.hca])), (u64)(uintptr_t)&walk,
			    write_down);
	report->qp_count = walk.count;
	__atomic_store_n(&report->published, wanted, __ATOMIC_RELEASE);
}
