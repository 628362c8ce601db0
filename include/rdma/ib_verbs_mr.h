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

/**
 * ib_alloc_mr() - Make a memory region for fast registration.
 * @pd: It belongs to it.
 * @mr_type: IB_MR_TYPE_MEM_REG, or another type that the provider knows; not IB_MR_TYPE_INTEGRITY.
 * @max_num_sg: Pages that it can hold.
 *
 * It covers nothing yet: ib_map_mr_sg() says what, IB_WR_REG_MR makes it usable.
 *
 * Context: May sleep.
 * Return: The MR, the caller's until ib_dereg_mr(); or ERR_PTR: -EINVAL if the type or the number
 *	is not possible; -EOPNOTSUPP if the provider has none; -ENOMEM; -ENODEV if the device has
 *	been removed.
 */
struct ib_mr *ib_alloc_mr(struct ib_pd *pd, enum ib_mr_type mr_type, u32 max_num_sg);

/**
 * ib_alloc_mr_integrity() - Make a memory region with protection information.
 * @pd: It belongs to it.
 * @max_num_data_sg: Pages of data.
 * @max_num_meta_sg: Pages of protection information.
 *
 * Context: May sleep.
 * Return: The MR; or ERR_PTR: -EOPNOTSUPP if the provider has none; -EINVAL if @max_num_meta_sg is
 *	0; -ENOMEM.
 */
struct ib_mr *ib_alloc_mr_integrity(struct ib_pd *pd, u32 max_num_data_sg, u32 max_num_meta_sg);

/**
 * ib_map_mr_sg() - Say which memory a fast-registration MR shall cover.
 * @mr: From ib_alloc_mr(), not in use by a posted request. What it covered before is forgotten.
 * @sg: Scatter list, mapped with ib_dma_map_sg().
 * @sg_nents: Entries of it.
 * @sg_offset: In: bytes of the first entry to skip. Out: where in the next entry mapping ended. May
 *	be NULL.
 * @page_size: Power of two. Between entries there may be gaps only at its multiples.
 *
 * mr->iova and mr->length are set. IB_WR_REG_MR makes the MR usable.
 *
 * Return: How many entries it covers from the first on, fewer than @sg_nents if there is a gap or
 *	no room; or -EINVAL if there is no entry or the offset lies beyond the first; -ENOMEM if not
 *	even one page fits; -EOPNOTSUPP if the provider has no such MRs.
 */
int ib_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int sg_nents, unsigned int *sg_offset,
		 unsigned int page_size);

/**
 * ib_map_mr_sg_pi() - Say which memory an MR with protection information shall cover.
 * @mr: From ib_alloc_mr_integrity().
 * @data_sg: Data.
 * @data_sg_nents: Entries of it.
 * @data_sg_offset: As in ib_map_mr_sg().
 * @meta_sg: Protection information.
 * @meta_sg_nents: Entries of it.
 * @meta_sg_offset: As in ib_map_mr_sg().
 * @page_size: As in ib_map_mr_sg().
 *
 * Return: 0; -EOPNOTSUPP if the provider or the MR is of another kind; another errno of the
 *	provider's.
 */
int ib_map_mr_sg_pi(struct ib_mr *mr, struct scatterlist *data_sg, int data_sg_nents,
		    unsigned int *data_sg_offset, struct scatterlist *meta_sg, int meta_sg_nents,
		    unsigned int *meta_sg_offset, unsigned int page_size);

/**
 * ib_map_mr_sg_zbva() - ib_map_mr_sg() with addresses that begin at 0.
 * @mr: As there.
 * @sg: As there.
 * @sg_nents: As there.
 * @sg_offset: As there.
 * @page_size: As there.
 *
 * mr->iova is 0 also after a failure.
 *
 * Return: As ib_map_mr_sg().
 */
static inline int ib_map_mr_sg_zbva(struct ib_mr *mr, struct scatterlist *sg, int sg_nents,
				    unsigned int *sg_offset, unsigned int page_size)
{
	const int n = ib_map_mr_sg(mr, sg, sg_nents, sg_offset, page_size);

	mr->iova = 0;
	return n;
}

/**
 * ib_sg_to_pages() - Cut a scatter list into pages (providers, for their map_mr_sg op).
 * @mr: Its page_size counts; iova and length are set.
 * @sgl: Scatter list, mapped.
 * @sg_nents: Entries of it.
 * @sg_offset: As in ib_map_mr_sg().
 * @set_page: Called with the address of each page in turn; an errno ends it.
 *
 * Return: How many entries were taken from the first on; -EINVAL if there is no entry or the offset
 *	lies beyond the first; what @set_page returned, if not even one entry was taken.
 */
int ib_sg_to_pages(struct ib_mr *mr, struct scatterlist *sgl, int sg_nents, unsigned int *sg_offset,
		   int (*set_page)(struct ib_mr *, u64));

/**
 * ib_reg_user_mr() - Register a range of the program's memory.
 * @pd: The MR belongs to it.
 * @start: Address of the first byte.
 * @length: Bytes, not 0.
 * @virt_addr: Address by which peers shall name the first byte.
 * @mr_access_flags: enum ib_access_flags. Rights to write remotely need IB_ACCESS_LOCAL_WRITE.
 *
 * The MR is usable at once. That the memory stays mapped is the program's business: access to what
 * is not there any more is a protection error with a cause, not a crash.
 *
 * Context: May sleep.
 * Return: The MR, the caller's until ib_dereg_mr(); or ERR_PTR: -EINVAL if the length is 0, the
 *	range wraps around, the rights contradict each other or one is unknown to the device;
 *	-EFAULT if the provider finds that the range is not mapped (Verbena's looks when the memory
 *	is used); -ENOMEM; -EOPNOTSUPP if the provider cannot; -ENODEV if the device has been
 *	removed.
 */
struct ib_mr *ib_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr,
			     int mr_access_flags);

/**
 * ib_advise_mr() - Say which memory will soon be used.
 * @pd: Its MRs are meant.
 * @advice: What will be done with it.
 * @flags: IB_UVERBS_ADVISE_MR_FLAG_FLUSH to wait for it.
 * @sg_list: Ranges.
 * @num_sge: How many.
 *
 * Context: May sleep.
 * Return: 0, also without a range; -EOPNOTSUPP if the provider cannot; another errno of the
 *	provider's.
 */
int ib_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		 struct ib_sge *sg_list, u32 num_sge);

/**
 * ib_dereg_mr_user() - Deregister a memory region on behalf of a process.
 * @mr: Which MR.
 * @udata: The process's request, or NULL.
 *
 * Context: May sleep.
 * Return: As ib_dereg_mr().
 */
int ib_dereg_mr_user(struct ib_mr *mr, struct ib_udata *udata);

/**
 * ib_dereg_mr() - Deregister a memory region.
 * @mr: Which MR. QPs of its PD that still use it for queued requests go to ERR.
 *
 * On return nobody reads or writes the memory by this MR any more.
 *
 * Context: May sleep.
 * Return: 0; -EBUSY if it is in use still after 5 s, the MR is then still there; another errno of
 *	the provider's.
 */
static inline int ib_dereg_mr(struct ib_mr *mr)
{
	return ib_dereg_mr_user(mr, NULL);
}

/**
 * ib_check_mr_status() - Check a memory region.
 * @mr: With protection information.
 * @check_mask: IB_MR_CHECK_SIG_STATUS.
 * @mr_status: Out.
 *
 * Return: 0; -EOPNOTSUPP if the provider cannot; another errno of the provider's.
 */
int ib_check_mr_status(struct ib_mr *mr, u32 check_mask, struct ib_mr_status *mr_status);

/**
 * ib_update_fast_reg_key() - Change the part of an MR's keys that is the consumer's.
 * @mr: Of fast registration.
 * @newkey: New low byte of both keys; counts from the next IB_WR_REG_MR on.
 */
static inline void ib_update_fast_reg_key(struct ib_mr *mr, u8 newkey)
{
	mr->lkey = (mr->lkey & 0xffffff00) | newkey;
	mr->rkey = (mr->rkey & 0xffffff00) | newkey;
}

/**
 * ib_inc_rkey() - The key with the next low byte.
 * @rkey: Key.
 *
 * Return: The same upper 24 bits, the low 8 one more, 0xff becoming 0.
 */
static inline u32 ib_inc_rkey(u32 rkey)
{
	return (rkey & 0xffffff00) | ((rkey + 1) & 0xff);
}

/**
 * ib_access_writable() - Whether rights need memory that can be written.
 * @access_flags: enum ib_access_flags.
 *
 * Return: true if one of them lets somebody write, or bind a window.
 */
static inline bool ib_access_writable(int access_flags)
{
	return (access_flags & (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
				IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_MW_BIND)) != 0;
}

/**
 * ib_check_mr_access() - Whether a set of rights makes sense on a device.
 * @ib_dev: Which device.
 * @flags: enum ib_access_flags.
 *
 * Return: 0; -EINVAL if a right to write remotely lacks IB_ACCESS_LOCAL_WRITE, one is unknown, or
 *	on-demand paging is asked of a device that has none.
 */
int ib_check_mr_access(struct ib_device *ib_dev, unsigned int flags);

/**
 * ib_uses_virt_dma() - Whether a device takes virtual addresses for DMA addresses.
 * @dev: Which device.
 *
 * Return: true if it was registered without a DMA device. Of Verbena's own all are.
 */
static inline bool ib_uses_virt_dma(struct ib_device *dev)
{
	return !dev->dma_device;
}

/**
 * ib_dma_pci_p2p_dma_supported() - Whether a device reaches other devices' memory.
 * @dev: Which device.
 *
 * Return: false.
 */
static inline bool ib_dma_pci_p2p_dma_supported(struct ib_device *dev)
{
	(void)dev;
	return false;
}

/**
 * ib_virt_dma_to_ptr() - The memory behind a DMA address that is a virtual one.
 * @dma_addr: Address.
 *
 * Return: Pointer to it.
 */
static inline void *ib_virt_dma_to_ptr(u64 dma_addr)
{
	return (void *)(uintptr_t)dma_addr;
}

/**
 * ib_virt_dma_to_page() - The page behind a DMA address that is a virtual one.
 * @dma_addr: Address.
 *
 * Return: The page that contains it.
 */
static inline struct page *ib_virt_dma_to_page(u64 dma_addr)
{
	return virt_to_page(ib_virt_dma_to_ptr(dma_addr));
}

/**
 * ib_dma_mapping_error() - Whether mapping failed.
 * @dev: For which device it was.
 * @dma_addr: From ib_dma_map_single() and the like.
 *
 * Return: 0: in user space it never fails.
 */
static inline int ib_dma_mapping_error(struct ib_device *dev, u64 dma_addr)
{
	(void)dev;
	(void)dma_addr;
	return 0;
}

/**
 * ib_dma_map_single() - DMA address of a buffer.
 * @dev: For which device.
 * @cpu_addr: The buffer.
 * @size: Its bytes.
 * @direction: Who will write.
 *
 * Return: Address for SGEs: the buffer's own.
 */
static inline u64 ib_dma_map_single(struct ib_device *dev, void *cpu_addr, size_t size,
				    enum dma_data_direction direction)
{
	(void)dev;
	(void)size;
	(void)direction;
	return (uintptr_t)cpu_addr;
}

/**
 * ib_dma_unmap_single() - Undo ib_dma_map_single().
 * @dev: For which device it was.
 * @addr: Address that was returned.
 * @size: Bytes, as then.
 * @direction: As then.
 */
static inline void ib_dma_unmap_single(struct ib_device *dev, u64 addr, size_t size,
				       enum dma_data_direction direction)
{
	(void)dev;
	(void)addr;
	(void)size;
	(void)direction;
}

/**
 * ib_dma_map_page() - DMA address of a part of a page.
 * @dev: For which device.
 * @page: The page.
 * @offset: First byte in it.
 * @size: Bytes.
 * @direction: Who will write.
 *
 * Return: Address for SGEs.
 */
static inline u64 ib_dma_map_page(struct ib_device *dev, struct page *page, unsigned long offset,
				  size_t size, enum dma_data_direction direction)
{
	return ib_dma_map_single(dev, (char *)page_address(page) + offset, size, direction);
}

/**
 * ib_dma_unmap_page() - Undo ib_dma_map_page().
 * @dev: For which device it was.
 * @addr: Address that was returned.
 * @size: Bytes, as then.
 * @direction: As then.
 */
static inline void ib_dma_unmap_page(struct ib_device *dev, u64 addr, size_t size,
				     enum dma_data_direction direction)
{
	ib_dma_unmap_single(dev, addr, size, direction);
}

/**
 * ib_dma_map_bvec() - DMA address of a struct bio_vec.
 * @dev: For which device.
 * @bvec: Page, offset and length.
 * @direction: Who will write.
 *
 * Return: Address for SGEs.
 */
static inline u64 ib_dma_map_bvec(struct ib_device *dev, struct bio_vec *bvec,
				  enum dma_data_direction direction)
{
	return ib_dma_map_single(dev, bvec_virt(bvec), bvec->bv_len, direction);
}

/**
 * ib_dma_unmap_bvec() - Undo ib_dma_map_bvec().
 * @dev: For which device it was.
 * @addr: Address that was returned.
 * @size: Bytes, as then.
 * @direction: As then.
 */
static inline void ib_dma_unmap_bvec(struct ib_device *dev, u64 addr, size_t size,
				     enum dma_data_direction direction)
{
	ib_dma_unmap_single(dev, addr, size, direction);
}

/**
 * ib_dma_virt_map_sg() - Give each entry of a scatter list its virtual address as DMA address.
 * @dev: For which device.
 * @sg: Scatter list.
 * @nents: Entries of it.
 *
 * Return: @nents.
 */
int ib_dma_virt_map_sg(struct ib_device *dev, struct scatterlist *sg, int nents);

/**
 * ib_dma_map_sg_attrs() - DMA addresses of a scatter list, with attributes.
 * @dev: For which device.
 * @sg: Scatter list.
 * @nents: Entries of it.
 * @direction: Who will write.
 * @dma_attrs: DMA_ATTR_*, none of which matters here.
 *
 * Return: @nents.
 */
static inline int ib_dma_map_sg_attrs(struct ib_device *dev, struct scatterlist *sg, int nents,
				      enum dma_data_direction direction, unsigned long dma_attrs)
{
	(void)direction;
	(void)dma_attrs;
	return ib_dma_virt_map_sg(dev, sg, nents);
}

/**
 * ib_dma_unmap_sg_attrs() - Undo ib_dma_map_sg_attrs().
 * @dev: For which device it was.
 * @sg: Scatter list.
 * @nents: Entries, as then.
 * @direction: As then.
 * @dma_attrs: As then.
 */
static inline void ib_dma_unmap_sg_attrs(struct ib_device *dev, struct scatterlist *sg, int nents,
					 enum dma_data_direction direction, unsigned long dma_attrs)
{
	(void)dev;
	(void)sg;
	(void)nents;
	(void)direction;
	(void)dma_attrs;
}

/**
 * ib_dma_map_sg() - DMA addresses of a scatter list.
 * @dev: For which device.
 * @sg: Scatter list; sg_dma_address() and sg_dma_len() of its entries are valid afterwards.
 * @nents: Entries of it.
 * @direction: Who will write.
 *
 * Return: Entries that are mapped: @nents; 0 would be a failure.
 */
static inline int ib_dma_map_sg(struct ib_device *dev, struct scatterlist *sg, int nents,
				enum dma_data_direction direction)
{
	return ib_dma_map_sg_attrs(dev, sg, nents, direction, 0);
}

/**
 * ib_dma_unmap_sg() - Undo ib_dma_map_sg().
 * @dev: For which device it was.
 * @sg: Scatter list.
 * @nents: Entries, as then.
 * @direction: As then.
 */
static inline void ib_dma_unmap_sg(struct ib_device *dev, struct scatterlist *sg, int nents,
				   enum dma_data_direction direction)
{
	ib_dma_unmap_sg_attrs(dev, sg, nents, direction, 0);
}

/**
 * ib_dma_map_sgtable_attrs() - DMA addresses of a table of a scatter list.
 * @dev: For which device.
 * @sgt: Its orig_nents entries are mapped; nents is set.
 * @direction: Who will write.
 * @dma_attrs: DMA_ATTR_*, none of which matters here.
 *
 * Return: 0; -EIO if there was nothing to map.
 */
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

/**
 * ib_dma_unmap_sgtable_attrs() - Undo ib_dma_map_sgtable_attrs().
 * @dev: For which device it was.
 * @sgt: Table.
 * @direction: As then.
 * @dma_attrs: As then.
 */
static inline void ib_dma_unmap_sgtable_attrs(struct ib_device *dev, struct sg_table *sgt,
					      enum dma_data_direction direction,
					      unsigned long dma_attrs)
{
	ib_dma_unmap_sg_attrs(dev, sgt->sgl, (int)sgt->orig_nents, direction, dma_attrs);
}

/**
 * ib_dma_max_seg_size() - Longest piece that an entry of a scatter list may be.
 * @dev: Which device.
 *
 * Return: Bytes: UINT_MAX.
 */
static inline unsigned int ib_dma_max_seg_size(struct ib_device *dev)
{
	(void)dev;
	return UINT_MAX;
}

/**
 * ib_dma_sync_single_for_cpu() - Look into a buffer while it is mapped.
 * @dev: For which device it is.
 * @addr: Address of ib_dma_map_single().
 * @size: Bytes.
 * @dir: As it was mapped.
 */
static inline void ib_dma_sync_single_for_cpu(struct ib_device *dev, u64 addr, size_t size,
					      enum dma_data_direction dir)
{
	(void)dev;
	(void)addr;
	(void)size;
	(void)dir;
}

/**
 * ib_dma_sync_single_for_device() - Give a mapped buffer back to the device.
 * @dev: For which device it is.
 * @addr: Address of ib_dma_map_single().
 * @size: Bytes.
 * @dir: As it was mapped.
 */
static inline void ib_dma_sync_single_for_device(struct ib_device *dev, u64 addr, size_t size,
						 enum dma_data_direction dir)
{
	(void)dev;
	(void)addr;
	(void)size;
	(void)dir;
}

/**
 * ib_copy_from_udata() - Read a process's request.
 * @dest: Out.
 * @udata: The request.
 * @len: Bytes from its start.
 *
 * Return: 0; -EFAULT if the request is shorter, or cannot be read.
 */
int ib_copy_from_udata(void *dest, struct ib_udata *udata, size_t len);

/**
 * ib_copy_to_udata() - Write the answer to a process's request.
 * @udata: The request.
 * @src: Answer.
 * @len: Bytes.
 *
 * Return: 0; -EFAULT if the room for an answer is smaller, or cannot be written.
 */
int ib_copy_to_udata(struct ib_udata *udata, void *src, size_t len);

/**
 * ib_is_buffer_cleared() - Whether a buffer of a process is all zero.
 * @p: Buffer.
 * @len: Bytes, at most 65535.
 *
 * Return: true if it is; false also if it cannot be read.
 */
bool ib_is_buffer_cleared(const void __user *p, size_t len);

/**
 * ib_is_udata_cleared() - Whether the rest of a process's request is all zero.
 * @udata: The request.
 * @offset: First byte of the rest.
 * @len: Bytes of the rest.
 *
 * Return: As ib_is_buffer_cleared().
 */
bool ib_is_udata_cleared(struct ib_udata *udata, size_t offset, size_t len);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_VERBS_MR_H */
