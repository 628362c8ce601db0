// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Protection domains: a number that queue and region must have in common. */
#include "rdmavt/pd.h"

#include "base/cause.h"
#include "rdmavt/mr.h"

int rvt_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct rvt_dev_info *rdi = ib_to_rvt(ibpd->device);
	struct rvt_pd *pd = ibpd_to_rvtpd(ibpd);
	const int most = rdi->dparms.props.max_pd;
	bool full;

	spin_lock(&rdi->n_pds_lock);
	full = rdi->n_pds_allocated >= most;
	if (!full) {
		rdi->n_pds_allocated++;
		/* 2^32 PDs must come and go before a number is given out twice. */
		if (!++rdi->last_pd_number)
			rdi->last_pd_number = 1;
		pd->number = rdi->last_pd_number;
	}
	spin_unlock(&rdi->n_pds_lock);
	if (full)
		return base_refuse(-ENOMEM, PD_COUNT, (u32)most);
	pd->user = udata != NULL;
	rvt_mr_table_get(&rdi->lkey_table);
	return 0;
}

int rvt_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct rvt_dev_info *rdi = ib_to_rvt(ibpd->device);

	(void)udata;
	spin_lock(&rdi->n_pds_lock);
	rdi->n_pds_allocated--;
	spin_unlock(&rdi->n_pds_lock);
	rvt_mr_table_put(&rdi->lkey_table);
	return 0;
}
