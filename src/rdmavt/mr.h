/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Memory regions: registration, and the check of every key (architecture: keys). */
#ifndef RDMAVT_MR_H
#define RDMAVT_MR_H

#include <rdma/ib_verbs.h>
#include <rdma/rdma_vt.h>

#include "base/cause.h"
#include "rdmavt/mr_table.h"

/* How long rvt_dereg_mr() waits for requests that still use the region. */
#define RVT_MR_WAIT_NS 5000000000ull

/**
 * struct ib_umem - Memory of the process that a region is made of.
 * @ibdev: For which device.
 * @address: First byte.
 * @length: Bytes.
 * @writable: The region's access rights ask for it.
 *
 * Nothing is pinned: memory that is not mapped shows when a copy faults (base/umem.h).
 */
struct ib_umem {
	struct ib_device *ibdev;
	unsigned long address;
	size_t length;
	bool writable;
};

static inline struct rvt_mr *to_imr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct rvt_mr, ibmr);
}

/** rvt_mr_rkey() - The rkey that goes with an lkey. */
static inline u32 rvt_mr_rkey(const struct rvt_lkey_table *rkt, u32 lkey)
{
	return rkt->keys_same || !lkey ? lkey : lkey | RVT_KEY_REMOTE;
}

/**
 * rvt_driver_mr_init() - Make the MR table of a device.
 * @rdi: dparms.lkey_table_size is the log2 of its entries; more than RVT_MAX_LKEY_TABLE_BITS is cut
 *	to that. dparms.keys_same makes lkey and rkey of a region equal. props.max_mr is set.
 *
 * Return: 0; -EINVAL for a size of 0; -ENOMEM.
 */
int rvt_driver_mr_init(struct rvt_dev_info *rdi);

/**
 * rvt_mr_exit() - The device lets go of its MR table.
 * @rdi: The device. The table stays until the last PD and MR are gone, too.
 */
void rvt_mr_exit(struct rvt_dev_info *rdi);

/**
 * rvt_mr_find_slot() - A free slot of the MR table, and a key for it.
 * @rkt: The table.
 * @fast_reg: The low byte of the key is the consumer's.
 * @key: Out: the lkey, not 0.
 *
 * Context: rkt->lock held.
 * Return: The slot; rkt->max if there is none.
 */
u32 rvt_mr_find_slot(struct rvt_lkey_table *rkt, bool fast_reg, u32 *key);

/**
 * rvt_mr_hide() - No key finds the entry of a slot any more.
 * @rkt: The table.
 * @slot: Which one.
 *
 * Nobody stores by its rkey any more, either: see rvt_rkey_enter(). Who has found it before holds a
 * reference on the region.
 */
void rvt_mr_hide(struct rvt_lkey_table *rkt, u32 slot);

/** rvt_mr_table_get() - Keep the MR table for one more PD, MR or window. */
void rvt_mr_table_get(struct rvt_lkey_table *rkt);

/** rvt_mr_table_put() - One of them is gone. */
void rvt_mr_table_put(struct rvt_lkey_table *rkt);

/**
 * rvt_get_dma_mr() - A region for all memory of the process: key 0.
 * @pd: Of the kernel API, not of a process.
 * @acc: enum ib_access_flags; what a peer may do with key 0 through QPs of @pd.
 *
 * Return: The region; -EPERM for a process's PD; -EINVAL for rights that exclude each other;
 *	-ENOMEM.
 */
struct ib_mr *rvt_get_dma_mr(struct ib_pd *pd, int acc);

/**
 * rvt_reg_user_mr() - Register a range of memory.
 * @pd: Who may use it.
 * @start: First byte. Need not be mapped now; a copy that faults is a protection error.
 * @length: Bytes.
 * @virt_addr: Address of the first byte in requests of peers; with IB_ZERO_BASED it is 0.
 * @mr_access_flags: enum ib_access_flags.
 * @udata: Of the caller, or NULL.
 *
 * An SGE may name the bytes by their own address or by @virt_addr.
 *
 * Return: The region; -EINVAL if @length is 0 or above max_mr_size, if a range wraps around the end
 *	of the address space, or for rights that exclude each other; -ENOMEM, also when max_mr regions
 *	exist.
 */
struct ib_mr *rvt_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr,
			      int mr_access_flags, struct ib_udata *udata);

/**
 * rvt_dereg_mr() - Take a region out.
 * @ibmr: Of this device.
 * @udata: Of the caller, or NULL.
 *
 * Its keys stop working at once. QPs of its PD that have it in outstanding requests go to ERR
 * (SMI and GSI QPs excepted); then it is waited for what still copies.
 *
 * Context: May sleep; no locks.
 * Return: 0; -EINVAL if memory windows are bound to it; -EBUSY if it is still in use after 5 seconds.
 *	It then exists, without keys, and can be deregistered again.
 */
int rvt_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);

/**
 * rvt_alloc_mr() - A region for fast registration (ib_map_mr_sg(), then IB_WR_REG_MR).
 * @pd: Who may use it.
 * @mr_type: IB_MR_TYPE_MEM_REG.
 * @max_num_sg: Pages it can have.
 *
 * Return: The region, which grants nothing yet; -EINVAL for another type or more pages than
 *	max_fast_reg_page_list_len; -ENOMEM, also when max_mr regions exist.
 */
struct ib_mr *rvt_alloc_mr(struct ib_pd *pd, enum ib_mr_type mr_type, u32 max_num_sg);

/**
 * rvt_map_mr_sg() - Set the pages of a region for fast registration.
 * @ibmr: From rvt_alloc_mr(), ibmr->page_size set.
 * @sg: Scatter list, mapped for DMA.
 * @sg_nents: Entries of it.
 * @sg_offset: Bytes of the first entry to skip; out: where it stopped. May be NULL.
 *
 * The keys stop working until the next IB_WR_REG_MR.
 *
 * Return: Entries taken, a prefix of @sg; -EINVAL for a page size that is no power of two or a region
 *	of another kind; what ib_sg_to_pages() returns.
 */
int rvt_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int sg_nents,
		  unsigned int *sg_offset);

/**
 * rvt_lkey_look() - Where the bytes of an SGE are, in a region that is one range of addresses.
 * @rkt: MR table.
 * @pd: Of the QP or SRQ.
 * @sge: Its key is not 0.
 * @acc: enum ib_access_flags that the region must grant, all of them.
 *
 * No reference is taken: rvt_dereg_mr() waits for those who are in an RCU section.
 *
 * Context: Between rcu_read_lock() and rcu_read_unlock(), where the bytes are used, too.
 * Return: Where; NULL if the key is not good for that, or leads to a region of another kind.
 */
void *rvt_lkey_look(struct rvt_lkey_table *rkt, const struct rvt_pd *pd, const struct ib_sge *sge,
		    int acc);

/**
 * rvt_lkey_check() - rvt_lkey_ok() that tells why not.
 * @rkt: MR table.
 * @pd: Of the QP or SRQ.
 * @isge: Out, if 1 is returned: where the bytes are. Holds a reference on the region.
 * @last_sge: The SGE before, or NULL.
 * @sge: To be translated.
 * @acc: enum ib_access_flags that the region must grant, all of them.
 * @why: Out, on refusal: id and values; the caller adds QP and request.
 *
 * Return: 1: @isge is filled; 0: @last_sge now covers @sge, too; -EINVAL.
 */
int rvt_lkey_check(struct rvt_lkey_table *rkt, struct rvt_pd *pd, struct rvt_sge *isge,
		   struct rvt_sge *last_sge, const struct ib_sge *sge, int acc,
		   struct base_cause *why);

/**
 * rvt_mr_explain_key() - Fill in why a key finds no region (mr_cause.c).
 * @rkt: MR table.
 * @key: Not 0.
 * @remote: It was used as an rkey.
 * @why: Out: id and values.
 *
 * Context: Takes rkt->lock.
 */
void rvt_mr_explain_key(struct rvt_lkey_table *rkt, u32 key, bool remote, struct base_cause *why);

/**
 * struct rvt_mr_access - An access that was refused though its key is good.
 * @key: Which.
 * @remote: It is an rkey.
 * @acc: Rights that were needed.
 * @pd: Number of the protection domain that asked.
 * @addr: First byte.
 * @bytes: How many.
 * @qpn: Number of the QP that asked for it, of a remote access.
 */
struct rvt_mr_access {
	u32 key;
	bool remote;
	int acc;
	u32 pd;
	u64 addr;
	u64 bytes;
	u32 qpn;
};

/**
 * rvt_mr_explain_access() - Fill in why a region refuses an access (mr_cause.c).
 * @entry: Of the region, on which the caller has a reference.
 * @verdict: What the check said.
 * @access: What was asked for.
 * @why: Out: id and values.
 */
void rvt_mr_explain_access(const struct rvt_mr_entry *entry, enum rvt_key_verdict verdict,
			   const struct rvt_mr_access *access, struct base_cause *why);

#endif
