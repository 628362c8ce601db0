// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Records of memory that a process may map. The mapping itself is uabi's. */
#include "rdmavt/mmap.h"

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <rdma/uverbs_ioctl.h>

#include "base/alloc.h"
#include "base/cause.h"

/* Offsets are handed out in steps that suit any machine's aliasing of shared pages. */
#define STEP 0x4000u

void rvt_mmap_init(struct rvt_dev_info *rdi)
{
	INIT_LIST_HEAD(&rdi->pending_mmaps);
	spin_lock_init(&rdi->pending_lock);
	spin_lock_init(&rdi->mmap_offset_lock);
	rdi->mmap_offset = PAGE_SIZE;
}

void rvt_release_mmap_info(struct kref *ref)
{
	struct rvt_mmap_info *ip = container_of(ref, struct rvt_mmap_info, ref);
	struct rvt_dev_info *rdi = ip->rdi;

	spin_lock(&rdi->pending_lock);
	list_del(&ip->pending_mmaps);
	spin_unlock(&rdi->pending_lock);
	if (ip->mem)
		ip->mem->free(ip->context, ip->obj, ip->size, ip->offset);
	else
		base_free(ip->obj);
	base_free(ip);
}

int rvt_mmap(struct ib_ucontext *context, struct vm_area_struct *vma)
{
	struct rvt_dev_info *rdi = ib_to_rvt(context->device);
	const u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	const u64 size = vma->vm_end - vma->vm_start;
	struct rvt_mmap_info *ip;

	spin_lock(&rdi->pending_lock);
	list_for_each_entry(ip, &rdi->pending_mmaps, pending_mmaps) {
		if ((ip->context && ip->context != context) || ip->offset != offset)
			continue;
		if (size > ip->size)
			break;
		list_del_init(&ip->pending_mmaps);
		kref_get(&ip->ref);
		spin_unlock(&rdi->pending_lock);
		vma->vm_private_data = ip;
		return 0;
	}
	spin_unlock(&rdi->pending_lock);
	return base_refuse(-EINVAL, MMAP_NOTHING, offset, size);
}

static u64 take_offset(struct rvt_dev_info *rdi, u32 size)
{
	u64 offset;

	spin_lock(&rdi->mmap_offset_lock);
	if (rdi->mmap_offset == 0)
		rdi->mmap_offset = STEP;
	offset = rdi->mmap_offset;
	rdi->mmap_offset = (u32)ALIGN(offset + size, STEP);
	spin_unlock(&rdi->mmap_offset_lock);
	return offset;
}

/* Memory for an object, of the context's where it has some to share. */
static int make_object(struct rvt_dev_info *rdi, struct rvt_mmap_info *ip, u32 size)
{
	const struct ib_ucontext_mem_ops *mem = ip->context ? ip->context->mem : NULL;
	void *obj;

	if (!mem) {
		obj = base_zalloc(size);
		if (obj)
			rvt_update_mmap_info(rdi, ip, size, obj);
		return obj ? 0 : base_refuse(-ENOMEM, NO_MEMORY, size);
	}
	ip->mem = mem;
	ip->size = (u32)PAGE_ALIGN(size);
	ip->obj = mem->alloc(ip->context, ip->size, &ip->offset);
	return ip->obj ? 0 : base_refuse(-ENOMEM, NO_MEMORY, ip->size);
}

struct rvt_mmap_info *rvt_create_mmap_info(struct rvt_dev_info *rdi, u32 size,
					   struct ib_udata *udata, void *obj)
{
	struct rvt_mmap_info *ip;
	int ret = 0;

	if (!udata)
		return ERR_PTR(base_refuse(-EINVAL, MMAP_KERNEL));
	ip = base_zalloc(sizeof(*ip));
	if (!ip)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*ip)));
	INIT_LIST_HEAD(&ip->pending_mmaps);
	kref_init(&ip->ref);
	ip->rdi = rdi;
	ip->context = rdma_udata_to_uverbs_attr_bundle(udata)->context;
	if (obj)
		rvt_update_mmap_info(rdi, ip, size, obj);
	else
		ret = make_object(rdi, ip, size);
	if (!ret)
		return ip;
	base_free(ip);
	return ERR_PTR(ret);
}

void rvt_update_mmap_info(struct rvt_dev_info *rdi, struct rvt_mmap_info *ip, u32 size, void *obj)
{
	const u32 whole = (u32)PAGE_ALIGN(size);
	const u64 offset = take_offset(rdi, whole);

	spin_lock(&rdi->pending_lock);
	ip->offset = offset;
	ip->size = whole;
	ip->obj = obj;
	spin_unlock(&rdi->pending_lock);
}

void rvt_mmap_offer(struct rvt_dev_info *rdi, struct rvt_mmap_info *ip)
{
	if (!ip)
		return;
	spin_lock(&rdi->pending_lock);
	if (list_empty(&ip->pending_mmaps))
		list_add(&ip->pending_mmaps, &rdi->pending_mmaps);
	spin_unlock(&rdi->pending_lock);
}
