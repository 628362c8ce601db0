// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Address handles. */
#include "rdmavt/ah.h"

#include <linux/rcupdate.h>
#include <linux/xarray.h>

#include "base/cause.h"
#include "rdmavt/ring_rxe.h"

/* librxe has 15 bits for it; 0 would mean that it must resolve the address itself. */
#define MAX_AH_NUM 32767u

int rvt_check_ah(struct ib_device *ibdev, struct rdma_ah_attr *ah_attr)
{
	struct rvt_dev_info *rdi = ib_to_rvt(ibdev);
	const u32 port = rdma_ah_get_port_num(ah_attr);
	const u8 rate = rdma_ah_get_static_rate(ah_attr);
	struct ib_port_attr port_attr;

	if (port < 1 || port > ibdev->phys_port_cnt)
		return base_refuse(-EINVAL, AH_NO_PORT, port, ibdev->phys_port_cnt);
	if (ib_query_port(ibdev, port, &port_attr))
		return base_refuse(-EINVAL, AH_PORT_QUERY, port);
	if (rate != IB_RATE_PORT_CURRENT && ib_rate_to_mbps((enum ib_rate)rate) < 0)
		return base_refuse(-EINVAL, AH_RATE, rate);
	if ((rdma_ah_get_ah_flags(ah_attr) & IB_AH_GRH) &&
	    rdma_ah_read_grh(ah_attr)->sgid_index >= port_attr.gid_tbl_len)
		return base_refuse(-EINVAL, AH_SGID_INDEX, rdma_ah_read_grh(ah_attr)->sgid_index,
				   (u32)port_attr.gid_tbl_len);
	return rdi->driver_f.check_ah ? rdi->driver_f.check_ah(ibdev, ah_attr) : 0;
}

static int count_ah(struct rvt_dev_info *rdi)
{
	const int most = rdi->dparms.props.max_ah;
	bool full;

	spin_lock(&rdi->n_ahs_lock);
	full = rdi->n_ahs_allocated >= most;
	if (!full)
		rdi->n_ahs_allocated++;
	spin_unlock(&rdi->n_ahs_lock);
	return full ? base_refuse(-ENOMEM, AH_COUNT, (u32)most) : 0;
}

/* What requests in the ring of a process name the handle by; it is complete. */
static int number_ah(struct rvt_dev_info *rdi, struct rvt_ah *ah, struct ib_udata *udata)
{
	struct rxe_create_ah_resp answer = {0};
	int ret = rvt_ring_rxe_check_udata(udata, sizeof(answer));

	if (ret)
		return ret;
	ret = xa_alloc(&rdi->ah_nums, &ah->num, ah, XA_LIMIT(1, MAX_AH_NUM), GFP_KERNEL);
	if (ret == -ENOMEM)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(void *));
	if (ret)
		return base_refuse(-ENOMEM, AH_NUMBERS, MAX_AH_NUM);
	answer.ah_num = ah->num;
	return ib_copy_to_udata(udata, &answer, sizeof(answer));
}

/* A request that is being posted may have found the handle: outlast it. */
static void forget_number(struct rvt_dev_info *rdi, struct rvt_ah *ah)
{
	if (!ah->num)
		return;
	xa_erase(&rdi->ah_nums, ah->num);
	ah->num = 0;
	synchronize_rcu();
}

int rvt_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init_attr, struct ib_udata *udata)
{
	struct rvt_dev_info *rdi = ib_to_rvt(ibah->device);
	struct rvt_ah *ah = ibah_to_rvtah(ibah);
	int ret;

	ret = rvt_check_ah(ibah->device, init_attr->ah_attr);
	if (!ret)
		ret = count_ah(rdi);
	if (ret)
		return ret;
	rdma_copy_ah_attr(&ah->attr, init_attr->ah_attr);
	if (rdi->driver_f.notify_new_ah)
		rdi->driver_f.notify_new_ah(ibah->device, init_attr->ah_attr, ah);
	ret = rvt_ring_rxe_wanted(rdi, udata) ? number_ah(rdi, ah, udata) : 0;
	if (ret)
		rvt_destroy_ah(ibah, 0);
	return ret;
}

int rvt_destroy_ah(struct ib_ah *ibah, u32 destroy_flags)
{
	struct rvt_dev_info *rdi = ib_to_rvt(ibah->device);

	(void)destroy_flags;
	forget_number(rdi, ibah_to_rvtah(ibah));
	spin_lock(&rdi->n_ahs_lock);
	rdi->n_ahs_allocated--;
	spin_unlock(&rdi->n_ahs_lock);
	rdma_destroy_ah_attr(&ibah_to_rvtah(ibah)->attr);
	return 0;
}

int rvt_modify_ah(struct ib_ah *ibah, struct rdma_ah_attr *ah_attr)
{
	struct rvt_dev_info *rdi = ib_to_rvt(ibah->device);
	struct rvt_ah *ah = ibah_to_rvtah(ibah);
	const int ret = rvt_check_ah(ibah->device, ah_attr);

	if (ret)
		return ret;
	rdma_replace_ah_attr(&ah->attr, ah_attr);
	if (rdi->driver_f.notify_new_ah)
		rdi->driver_f.notify_new_ah(ibah->device, ah_attr, ah);
	return 0;
}

int rvt_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *ah_attr)
{
	*ah_attr = ibah_to_rvtah(ibah)->attr;
	return 0;
}
