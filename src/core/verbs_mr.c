/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Memory regions. The provider allocates and frees them; core counts them and fills them in. */
#include <rdma/ib_verbs.h>
#include <rdma/ib_verbs_user.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "core/verbs_priv.h"

/* A region that the provider has made, or an ERR_PTR: from here on it is an object of @pd. */
static struct ib_mr *adopt(struct ib_pd *pd, struct ib_mr *mr, enum ib_mr_type type)
{
	if (IS_ERR(mr)) {
		core_object_put(pd->device);
		return mr;
	}
	mr->device = pd->device;
	mr->pd = pd;
	mr->type = type;
	mr->dm = NULL;
	mr->uobject = NULL;
	mr->need_inval = false;
	mr->sig_attrs = NULL;
	atomic_inc(&pd->usecnt);
	return mr;
}

static struct ib_mr *reg_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
			    struct ib_udata *udata)
{
	struct ib_device *device = pd->device;
	struct ib_mr *mr;
	int ret;

	if ((access & IB_ACCESS_ON_DEMAND) &&
	    !(device->attrs.kernel_cap_flags & IBK_ON_DEMAND_PAGING))
		return ERR_PTR(base_refuse(-EINVAL, MR_ON_DEMAND));
	if (!device->ops.reg_user_mr)
		return ERR_PTR(base_refuse(-EOPNOTSUPP, NOT_SUPPORTED));
	ret = core_object_get(device);
	if (ret)
		return ERR_PTR(ret);
	mr = device->ops.reg_user_mr(pd, start, length, virt_addr, access, udata);
	mr = adopt(pd, mr, IB_MR_TYPE_USER);
	if (IS_ERR(mr))
		return mr;
	mr->iova = virt_addr;
	mr->length = length;
	return mr;
}

struct ib_mr *ib_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr,
			     int mr_access_flags)
{
	return reg_mr(pd, start, length, virt_addr, mr_access_flags, NULL);
}

/* Programs may set the bits of optional rights, which a provider may do without. */
struct ib_mr *ib_reg_mr_user(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
			     struct ib_uobject *uobject, struct ib_udata *udata)
{
	int ret = ib_check_mr_access(pd->device, (unsigned int)access);
	struct ib_mr *mr;

	if (ret)
		return ERR_PTR(ret);
	mr = reg_mr(pd, start, length, virt_addr, access, udata);
	if (!IS_ERR(mr))
		mr->uobject = uobject;
	return mr;
}

int ib_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		 struct ib_sge *sg_list, u32 num_sge)
{
	if (!pd->device->ops.advise_mr)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	if (!num_sge)
		return 0;
	return pd->device->ops.advise_mr(pd, advice, flags, sg_list, num_sge, NULL);
}

int ib_dereg_mr_user(struct ib_mr *mr, struct ib_udata *udata)
{
	struct ib_sig_attrs *sig_attrs = mr->sig_attrs;
	struct ib_device *device = mr->device;
	struct ib_pd *pd = mr->pd;
	struct ib_dm *dm = mr->dm;
	int ret = device->ops.dereg_mr(mr, udata);

	if (ret)
		return ret;
	atomic_dec(&pd->usecnt);
	if (dm)
		atomic_dec(&dm->usecnt);
	base_free(sig_attrs);
	core_object_put(device);
	return 0;
}

struct ib_mr *ib_alloc_mr(struct ib_pd *pd, enum ib_mr_type mr_type, u32 max_num_sg)
{
	struct ib_device *device = pd->device;
	int ret;

	if (!device->ops.alloc_mr)
		return ERR_PTR(base_refuse(-EOPNOTSUPP, NOT_SUPPORTED));
	if (mr_type == IB_MR_TYPE_INTEGRITY)
		return ERR_PTR(base_refuse(-EINVAL, MR_IS_INTEGRITY));
	ret = core_object_get(device);
	if (ret)
		return ERR_PTR(ret);
	return adopt(pd, device->ops.alloc_mr(pd, mr_type, max_num_sg), mr_type);
}

struct ib_mr *ib_alloc_mr_integrity(struct ib_pd *pd, u32 max_num_data_sg, u32 max_num_meta_sg)
{
	struct ib_device *device = pd->device;
	struct ib_sig_attrs *sig_attrs;
	struct ib_mr *mr;
	int ret;

	if (!device->ops.alloc_mr_integrity || !device->ops.map_mr_sg_pi)
		return ERR_PTR(base_refuse(-EOPNOTSUPP, NOT_SUPPORTED));
	if (!max_num_meta_sg)
		return ERR_PTR(base_refuse(-EINVAL, MR_NO_META));
	ret = core_object_get(device);
	if (ret)
		return ERR_PTR(ret);
	sig_attrs = base_zalloc(sizeof(*sig_attrs));
	if (!sig_attrs) {
		core_object_put(device);
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*sig_attrs)));
	}
	mr = device->ops.alloc_mr_integrity(pd, max_num_data_sg, max_num_meta_sg);
	mr = adopt(pd, mr, IB_MR_TYPE_INTEGRITY);
	if (IS_ERR(mr))
		base_free(sig_attrs);
	else
		mr->sig_attrs = sig_attrs;
	return mr;
}

int ib_check_mr_status(struct ib_mr *mr, u32 check_mask, struct ib_mr_status *mr_status)
{
	if (!mr->device->ops.check_mr_status)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	return mr->device->ops.check_mr_status(mr, check_mask, mr_status);
}

int ib_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int sg_nents, unsigned int *sg_offset,
		 unsigned int page_size)
{
	if (!mr->device->ops.map_mr_sg)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	mr->page_size = page_size;
	return mr->device->ops.map_mr_sg(mr, sg, sg_nents, sg_offset);
}

int ib_map_mr_sg_pi(struct ib_mr *mr, struct scatterlist *data_sg, int data_sg_nents,
		    unsigned int *data_sg_offset, struct scatterlist *meta_sg, int meta_sg_nents,
		    unsigned int *meta_sg_offset, unsigned int page_size)
{
	if (!mr->device->ops.map_mr_sg_pi)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	if (WARN_ON_ONCE(mr->type != IB_MR_TYPE_INTEGRITY))
		return base_refuse(-EOPNOTSUPP, MR_PI_TYPE, mr->type);
	mr->page_size = page_size;
	return mr->device->ops.map_mr_sg_pi(mr, data_sg, data_sg_nents, data_sg_offset, meta_sg,
					    meta_sg_nents, meta_sg_offset);
}
