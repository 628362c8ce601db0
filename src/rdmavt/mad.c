// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What rdmavt has to do with MADs. */
#include "rdmavt/mad.h"

#include "base/cause.h"

int rvt_process_mad(struct ib_device *ibdev, int mad_flags, u32 port_num, const struct ib_wc *in_wc,
		    const struct ib_grh *in_grh, const struct ib_mad_hdr *in, size_t in_mad_size,
		    struct ib_mad_hdr *out, size_t *out_mad_size, u16 *out_mad_pkey_index)
{
	(void)ibdev;
	(void)mad_flags;
	(void)port_num;
	(void)in_wc;
	(void)in_grh;
	(void)in;
	(void)in_mad_size;
	(void)out;
	(void)out_mad_size;
	(void)out_mad_pkey_index;
	return IB_MAD_RESULT_FAILURE;
}

int rvt_create_mad_agents(struct rvt_dev_info *rdi)
{
	for (int i = 0; i < rdi->dparms.nports; i++)
		if (!rdi->ports[i]->send_agent)
			return base_refuse(-EOPNOTSUPP, NO_MAD_LAYER);
	return 0;
}

void rvt_free_mad_agents(struct rvt_dev_info *rdi)
{
	for (int i = 0; i < rdi->dparms.nports; i++) {
		struct rvt_ibport *rvp = rdi->ports[i];

		if (rvp->send_agent) {
			rvp->send_agent = NULL;
			if (rdi->driver_f.notify_free_mad_agent)
				rdi->driver_f.notify_free_mad_agent(rdi, i);
		}
		if (rvp->sm_ah) {
			rdma_destroy_ah(&rvp->sm_ah->ibah, RDMA_DESTROY_AH_SLEEPABLE);
			rvp->sm_ah = NULL;
		}
	}
}
