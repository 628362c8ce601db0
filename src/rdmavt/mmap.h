/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Memory of ours that a process may map: what it is, and under which offset. */
#ifndef RDMAVT_MMAP_H
#define RDMAVT_MMAP_H

#include <rdma/rdma_vt.h>

/*
 * A mapping that is asked for. Who serves the process (uabi) fills in the first three; the rest it
 * takes from the record that rvt_mmap() leaves in @vm_private_data.
 */
struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	unsigned long vm_pgoff;
	void *vm_private_data;
};

/** rvt_mmap_init() - Nothing to map yet; the first offset is one page. */
void rvt_mmap_init(struct rvt_dev_info *rdi);

/**
 * rvt_release_mmap_info() - The last reference of a record is gone: free it and its memory.
 * @ref: Of a struct rvt_mmap_info.
 */
void rvt_release_mmap_info(struct kref *ref);

/**
 * rvt_mmap() - Give out what lies at an offset, once.
 * @context: Who asks; must be ip->context where that is set.
 * @vma: vm_pgoff is the offset in pages, vm_end - vm_start the size.
 *
 * On success vma->vm_private_data is the record, with a reference of its own for the mapping.
 *
 * Return: 0; -EINVAL if nothing is offered there to this caller, or less than asked for.
 */
int rvt_mmap(struct ib_ucontext *context, struct vm_area_struct *vma);

/**
 * rvt_create_mmap_info() - Make the record of an object that can be mapped.
 * @rdi: The device.
 * @size: Bytes of the object.
 * @udata: Of the process that may map it. If there is no context yet any one of the device may.
 * @obj: The object, from base_zalloc(); the record's from here on. NULL: the object is made, zeroed,
 *	of memory that the context gives (struct ib_ucontext_mem_ops), or of base_zalloc()'s if it
 *	gives none.
 *
 * Return: The record, not offered yet; -EINVAL without @udata; -ENOMEM. On failure @obj stays the
 *	caller's.
 */
struct rvt_mmap_info *rvt_create_mmap_info(struct rvt_dev_info *rdi, u32 size,
					   struct ib_udata *udata, void *obj);

/**
 * rvt_update_mmap_info() - The object has been replaced: new offset.
 * @rdi: The device.
 * @ip: The record.
 * @size: Bytes of the new object.
 * @obj: The new object. The old one is the caller's again.
 */
void rvt_update_mmap_info(struct rvt_dev_info *rdi, struct rvt_mmap_info *ip, u32 size, void *obj);

/**
 * rvt_mmap_offer() - Let rvt_mmap() find a record.
 * @rdi: The device.
 * @ip: The record; NULL: nothing happens.
 */
void rvt_mmap_offer(struct rvt_dev_info *rdi, struct rvt_mmap_info *ip);

#endif
