/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Memory: regions, keys, DMA addresses, and the buffers of user-space calls. */
#ifndef VERBENA_RDMA_IB_VERBS_MR_H
#define VERBENA_RDMA_IB_VERBS_MR_H

#include <limits.h>
#include <linux/bvec.h>
#include <linux/err.h>
#include <rdma/ib_verbs_queues.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ib_mr *ib_alloc_mr(struct ib_pd *pd, enum ib_mr_type mr_type, u32 max_num_sg);

struct ib_mr *ib_alloc_mr_integrity(struct ib_pd *pd, u32 max_num_data_sg, u32 max_num_meta_sg);

int ib_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int sg_nents, unsigned int *sg_offset,
		 unsigned int page_size);

int ib_map_mr_sg_pi(struct ib_mr *mr, struct scatterlist *data_sg, int data_sg_nents,
		    unsigned int *data_sg_offset, struct scatterlist *meta_sg, int meta_sg_nents,
		    unsigned int *meta_sg_offset, unsigned int page_size);

static inline int ib_map_mr_sg_zbva(struct ib_mr *mr, struct scatterlist *sg, int sg_nents,
				    unsigned int *sg_offset, unsigned int page_size)
{
	const int n = ib_map_mr_sg(mr, sg, sg_nents, sg_offset, page_size);

	mr->iova = 0;
	return n;
}

int ib_sg_to_pages(struct ib_mr *mr, struct scatterlist *sgl, int sg_nents, unsigned int *sg_offset,
		   int (*set_page)(struct ib_mr *, u64));

struct ib_mr *ib_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr,
			     int mr_access_flags);

int ib_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		 struct ib_sge *sg_list, u32 num_sge);

int ib_dereg_mr_user(struct ib_mr *mr, struct ib_udata *udata);

static inline int ib_dereg_mr(struct ib_mr *mr)
{
	return ib_dereg_mr_user(mr, NULL);
}

int ib_check_mr_status(struct ib_mr *mr, u32 check_mask, struct ib_mr_status *mr_status);

static inline void ib_update_fast_reg_key(struct ib_mr *mr, u8 newkey)
{
	mr->lkey = (mr->lkey & 0xffffff00) | newkey;
	mr->rkey = (mr->rkey & 0xffffff00) | newkey;
}

static inline u32 ib_inc_rkey(u32 rkey)
{
	return (rkey & 0xffffff00) | ((rkey + 1) & 0xff);
}

static inline bool ib_access_writable(int access_flags)
{
	return (access_flags & (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
				IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_MW_BIND)) != 0;
}

static inline int ib_check_mr_access(struct ib_device *ib_dev, unsigned int flags)
{
	if ((flags & (IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_REMOTE_WRITE)) &&
	    !(flags & IB_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	if (flags & ~(unsigned int)IB_ACCESS_SUPPORTED)
		return -EINVAL;
	if ((flags & IB_ACCESS_ON_DEMAND) &&
	    !(ib_dev->attrs.kernel_cap_flags & IBK_ON_DEMAND_PAGING))
		return -EINVAL;
	return 0;
}

static inline bool ib_uses_virt_dma(struct ib_device *dev)
{
	return !dev->dma_device;
}

static inline bool ib_dma_pci_p2p_dma_supported(struct ib_device *dev)
{
	(void)dev;
	return false;
}

static inline void *ib_virt_dma_to_ptr(u64 dma_addr)
{
	return (void *)(uintptr_t)dma_addr;
}

static inline struct page *ib_virt_dma_to_page(u64 dma_addr)
{
	return virt_to_page(ib_virt_dma_to_ptr(dma_addr));
}

static inline int ib_dma_mapping_error(struct ib_device *dev, u64 dma_addr)
{
	(void)dev;
	(void)dma_addr;
	return 0;
}

static inline u64 ib_dma_map_single(struct ib_device *dev, void *cpu_addr, size_t size,
				    enum dma_data_direction direction)
{
	(void)dev;
	(void)size;
	(void)direction;
	return (uintptr_t)cpu_addr;
}

static inline void ib_dma_unmap_single(struct ib_device *dev, u64 addr, size_t size,
				       enum dma_data_direction direction)
{
	(void)dev;
	(void)addr;
	(void)size;
	(void)direction;
}

static inline u64 ib_dma_map_page(struct ib_device *dev, struct page *page, unsigned long offset,
				  size_t size, enum dma_data_direction direction)
{
	return ib_dma_map_single(dev, (char *)page_address(page) + offset, size, direction);
}

static inline void ib_dma_unmap_page(struct ib_device *dev, u64 addr, size_t size,
				     enum dma_data_direction direction)
{
	ib_dma_unmap_single(dev, addr, size, direction);
}

static inline u64 ib_dma_map_bvec(struct ib_device *dev, struct bio_vec *bvec,
				  enum dma_data_direction direction)
{
	return ib_dma_map_single(dev, bvec_virt(bvec), bvec->bv_len, direction);
}

static inline void ib_dma_unmap_bvec(struct ib_device *dev, u64 addr, size_t size,
				     enum dma_data_direction direction)
{
	ib_dma_unmap_single(dev, addr, size, direction);
}

int ib_dma_virt_map_sg(struct ib_device *dev, struct scatterlist *sg, int nents);

static inline int ib_dma_map_sg_attrs(struct ib_device *dev, struct scatterlist *sg, int nents,
				      enum dma_data_direction direction, unsigned long dma_attrs)
{
	(void)direction;
	(void)dma_attrs;
	return ib_dma_virt_map_sg(dev, sg, nents);
}

static inline void ib_dma_unmap_sg_attrs(struct ib_device *dev, struct scatterlist *sg, int nents,
					 enum dma_data_direction direction, unsigned long dma_attrs)
{
	(void)dev;
	(void)sg;
	(void)nents;
	(void)direction;
	(void)dma_attrs;
}

static inline int ib_dma_map_sg(struct ib_device *dev, struct scatterlist *sg, int nents,
				enum dma_data_direction direction)
{
	return ib_dma_map_sg_attrs(dev, sg, nents, direction, 0);
}

static inline void ib_dma_unmap_sg(struct ib_device *dev, struct scatterlist *sg, int nents,
				   enum dma_data_direction direction)
{
	ib_dma_unmap_sg_attrs(dev, sg, nents, direction, 0);
}

static inline int ib_dma_map_sgtable_attrs(struct ib_device *dev, struct sg_table *sgt,
					   enum dma_data_direction direction,
					   unsigned long dma_attrs)
{
	const int nents =
		ib_dma_map_sg_attrs(dev, sgt->sgl, (int)sgt->orig_nents, direction, dma_attrs);

	if (nents <= 0)
		return -EIO;
	sgt->nents = (unsigned int)nents;
	return 0;
}

static inline void ib_dma_unmap_sgtable_attrs(struct ib_device *dev, struct sg_table *sgt,
					      enum dma_data_direction direction,
					      unsigned long dma_attrs)
{
	ib_dma_unmap_sg_attrs(dev, sgt->sgl, (int)sgt->orig_nents, direction, dma_attrs);
}

static inline unsigned int ib_dma_max_seg_size(struct ib_device *dev)
{
	(void)dev;
	return UINT_MAX;
}

static inline void ib_dma_sync_single_for_cpu(struct ib_device *dev, u64 addr, size_t size,
					      enum dma_data_direction dir)
{
	(void)dev;
	(void)addr;
	(void)size;
	(void)dir;
}

static inline void ib_dma_sync_single_for_device(struct ib_device *dev, u64 addr, size_t size,
						 enum dma_data_direction dir)
{
	(void)dev;
	(void)addr;
	(void)size;
	(void)dir;
}

/**
 * ib_copy_from_udata() - Read what a program's library has to say to the provider.
 * @dest: Where to.
 * @udata: Of the call.
 * @len: Bytes, from the start of the request on.
 *
 * Return: 0; -EFAULT if the request is shorter, or is not mapped.
 */
int ib_copy_from_udata(void *dest, struct ib_udata *udata, size_t len);

/**
 * ib_copy_to_udata() - Answer a program's library.
 * @udata: Of the call.
 * @src: Where from.
 * @len: Bytes, from the start of the response on.
 *
 * Return: 0; -EFAULT if there is less room, or it is not mapped.
 */
int ib_copy_to_udata(struct ib_udata *udata, void *src, size_t len);

/**
 * ib_is_buffer_cleared() - Whether all bytes of a program's buffer are 0.
 * @p: The buffer.
 * @len: Bytes; more than 65535 are never taken for cleared.
 *
 * Return: false, too, if the buffer is not mapped.
 */
bool ib_is_buffer_cleared(const void __user *p, size_t len);

/**
 * ib_is_udata_cleared() - Whether a part of a request is 0: what a newer library may add.
 * @udata: Of the call.
 * @offset: Where the part begins.
 * @len: Its bytes.
 *
 * Return: As ib_is_buffer_cleared(); false if the request is shorter.
 */
bool ib_is_udata_cleared(struct ib_udata *udata, size_t offset, size_t len);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_VERBS_MR_H */
