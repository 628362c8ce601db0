/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Objects of the verbs: what a PD, CQ, QP, MR and their like look like. */
#ifndef VERBENA_RDMA_IB_VERBS_OBJECTS_H
#define VERBENA_RDMA_IB_VERBS_OBJECTS_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/irq_poll.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs_wr.h>

/* The kernel accounts objects to cgroups here; nobody does in user space. */
struct ib_rdmacg_object {
	void *cg;
};

struct rdmacg_device {
	const char *name;
};

/* Who owns an object, for listings. */
struct rdma_restrack_entry {
	const char *kern_name;
	u32 id;
	bool valid;
};

typedef void (*ib_comp_handler)(struct ib_cq *cq, void *cq_context);

struct ib_ucontext;

/**
 * struct ib_ucontext_mem_ops - Memory that a provider shares with a process (Verbena).
 * @alloc: Make @bytes of memory, a multiple of a page, all zero, which the process can map at
 *	*@offset of the descriptor that its context came through. An offset is a multiple of a page and
 *	is never given out again for the same descriptor. Returns NULL if there is no memory.
 * @free: We are done with what @alloc returned. A mapping that the process still has stays its own.
 *
 * Context: May sleep.
 */
struct ib_ucontext_mem_ops {
	void *(*alloc)(struct ib_ucontext *context, size_t bytes, u64 *offset);
	void (*free)(struct ib_ucontext *context, void *mem, size_t bytes, u64 offset);
};

/**
 * struct ib_ucontext - Per-process uverbs context (not needed in a library).
 * @device: Owning device.
 * @ufile: Uverbs file.
 * @cg_obj: Cgroup accounting.
 * @res: Resource tracking (core private).
 * @mmap_xa: Mmap entries.
 * @mem: Where shared memory comes from; NULL: the provider makes its own, for ops.mmap (Verbena).
 */
struct ib_ucontext {
	struct ib_device *device;
	struct ib_uverbs_file *ufile;
	struct ib_rdmacg_object cg_obj;
	struct rdma_restrack_entry res;
	struct xarray mmap_xa;
	const struct ib_ucontext_mem_ops *mem;
};

/**
 * struct ib_uobject - User-space handle bookkeeping (not needed in a library).
 * @user_handle: Cookie from the process.
 * @ufile: Owning file.
 * @context: Owning context.
 * @object: The kernel object.
 * @list: Link.
 * @cg_obj: Cgroup accounting.
 * @id: Handle number.
 * @ref: Reference count.
 * @usecnt: Use count; destruction refused (-EBUSY) while non-zero.
 * @rcu: Deferred free.
 * @uapi_object: Method table.
 */
struct ib_uobject {
	u64 user_handle;
	struct ib_uverbs_file *ufile;
	struct ib_ucontext *context;
	void *object;
	struct list_head list;
	struct ib_rdmacg_object cg_obj;
	int id;
	struct kref ref;
	atomic_t usecnt;
	struct rcu_head rcu;
	const struct uverbs_api_object *uapi_object;
};

/**
 * struct ib_udata - Driver-private request/response buffers of a uverbs call.
 * @inbuf: Request.
 * @outbuf: Response.
 * @inlen: Request bytes.
 * @outlen: Response capacity.
 */
struct ib_udata {
	const void *inbuf;
	void *outbuf;
	size_t inlen;
	size_t outlen;
};

/**
 * struct ib_pd - Protection domain.
 * @local_dma_lkey: Key usable for any local memory (device key or key of an internal DMA MR).
 * @flags: ib_pd_flags.
 * @device: Owning device.
 * @uobject: User-space object, NULL for kernel users.
 * @usecnt: Use count; destruction refused (-EBUSY) while non-zero.
 * @unsafe_global_rkey: Rkey for all memory, only with IB_PD_UNSAFE_GLOBAL_RKEY.
 * @__internal_mr: DMA MR created by ib_alloc_pd.
 * @res: Resource tracking (core private).
 */
struct ib_pd {
	u32 local_dma_lkey;
	u32 flags;
	struct ib_device *device;
	struct ib_uobject *uobject;
	atomic_t usecnt;
	u32 unsafe_global_rkey;
	struct ib_mr *__internal_mr;
	struct rdma_restrack_entry res;
};

/**
 * struct ib_xrcd - XRC domain.
 * @device: Owning device.
 * @usecnt: Use count; destruction refused (-EBUSY) while non-zero.
 * @inode: File identity for sharing, else NULL.
 * @tgt_qps_rwsem: Protects tgt_qps.
 * @tgt_qps: Target QPs by number.
 */
struct ib_xrcd {
	struct ib_device *device;
	atomic_t usecnt;
	struct inode *inode;
	struct rw_semaphore tgt_qps_rwsem;
	struct xarray tgt_qps;
};

/**
 * struct ib_ah - Address handle.
 * @device: Owning device.
 * @pd: Protection domain.
 * @uobject: User-space object, NULL for kernel users.
 * @sgid_attr: Held source GID entry.
 * @type: Address type.
 */
struct ib_ah {
	struct ib_device *device;
	struct ib_pd *pd;
	struct ib_uobject *uobject;
	const struct ib_gid_attr *sgid_attr;
	enum rdma_ah_attr_type type;
};

/**
 * struct ib_cq - Completion queue.
 * @device: Owning device.
 * @uobject: User-space object, NULL for kernel users.
 * @comp_handler: Callback for ib_create_cq users.
 * @event_handler: CQ error callback.
 * @cq_context: Argument of both.
 * @cqe: Usable entries.
 * @cqe_used: Entries claimed from a pooled CQ.
 * @usecnt: Use count; destruction refused (-EBUSY) while non-zero.
 * @poll_ctx: See enum ib_poll_context.
 * @wc: Batch buffer of the polling core.
 * @pool_entry: Link in the device CQ pool.
 * @iop: Soft-irq polling state.
 * @work: Worker polling state.
 * @comp_wq: Worker queue.
 * @dim: Adaptive moderation.
 * @timestamp: Tracing only.
 * @interrupt: Tracing only.
 * @shared: Belongs to a pool.
 * @comp_vector: Vector index.
 * @res: Resource tracking (core private).
 */
struct ib_cq {
	struct ib_device *device;
	struct ib_ucq_object *uobject;
	ib_comp_handler comp_handler;
	void (*event_handler)(struct ib_event *, void *);
	void *cq_context;
	int cqe;
	unsigned int cqe_used;
	atomic_t usecnt;
	enum ib_poll_context poll_ctx;
	struct ib_wc *wc;
	struct list_head pool_entry;
	union {
		struct irq_poll iop;
		struct work_struct work;
	};
	struct workqueue_struct *comp_wq;
	struct dim *dim;
	ktime_t timestamp;
	u8 interrupt : 1;
	u8 shared : 1;
	unsigned int comp_vector;
	struct rdma_restrack_entry res;
};

/**
 * struct ib_srq - Shared receive queue.
 * @device: Owning device.
 * @pd: Protection domain.
 * @uobject: User-space object, NULL for kernel users.
 * @event_handler: SRQ events.
 * @srq_context: Argument.
 * @srq_type: Type.
 * @usecnt: Use count; destruction refused (-EBUSY) while non-zero.
 * @ext: Of the types that have a CQ.
 * @ext.cq: CQ (XRC, tag matching).
 * @ext.xrc: XRC.
 * @ext.xrc.xrcd: XRC domain.
 * @ext.xrc.srq_num: Number carried in XRCETH.
 * @res: Resource tracking (core private).
 */
struct ib_srq {
	struct ib_device *device;
	struct ib_pd *pd;
	struct ib_usrq_object *uobject;
	void (*event_handler)(struct ib_event *, void *);
	void *srq_context;
	enum ib_srq_type srq_type;
	atomic_t usecnt;
	struct {
		struct ib_cq *cq;
		union {
			struct {
				struct ib_xrcd *xrcd;
				u32 srq_num;
			} xrc;
		};
	} ext;
	struct rdma_restrack_entry res;
};

/**
 * struct ib_wq - Standalone receive work queue (RSS).
 * @device: Owning device.
 * @uobject: User-space object, NULL for kernel users.
 * @wq_context: User argument.
 * @event_handler: Events.
 * @pd: Protection domain.
 * @cq: Completions.
 * @wq_num: Number.
 * @state: State.
 * @wq_type: Type.
 * @usecnt: Use count; destruction refused (-EBUSY) while non-zero.
 */
struct ib_wq {
	struct ib_device *device;
	struct ib_uwq_object *uobject;
	void *wq_context;
	void (*event_handler)(struct ib_event *, void *);
	struct ib_pd *pd;
	struct ib_cq *cq;
	u32 wq_num;
	enum ib_wq_state state;
	enum ib_wq_type wq_type;
	atomic_t usecnt;
};

/**
 * struct ib_wq_init_attr - WQ creation.
 * @wq_context: User argument.
 * @wq_type: Type.
 * @max_wr: Depth.
 * @max_sge: SGEs.
 * @cq: Completions.
 * @event_handler: Events.
 * @create_flags: ib_wq_flags.
 */
struct ib_wq_init_attr {
	void *wq_context;
	enum ib_wq_type wq_type;
	u32 max_wr;
	u32 max_sge;
	struct ib_cq *cq;
	void (*event_handler)(struct ib_event *, void *);
	u32 create_flags;
};

/**
 * struct ib_wq_attr - WQ modification.
 * @wq_state: Target.
 * @curr_wq_state: Current.
 * @flags: Flag values.
 * @flags_mask: Which flags change.
 */
struct ib_wq_attr {
	enum ib_wq_state wq_state;
	enum ib_wq_state curr_wq_state;
	u32 flags;
	u32 flags_mask;
};

/**
 * struct ib_rwq_ind_table - RSS indirection table.
 * @device: Owning device.
 * @uobject: User-space object, NULL for kernel users.
 * @usecnt: Use count; destruction refused (-EBUSY) while non-zero.
 * @ind_tbl_num: Number.
 * @log_ind_tbl_size: log2 entries.
 * @ind_tbl: WQ pointers.
 */
struct ib_rwq_ind_table {
	struct ib_device *device;
	struct ib_uobject *uobject;
	atomic_t usecnt;
	u32 ind_tbl_num;
	u32 log_ind_tbl_size;
	struct ib_wq **ind_tbl;
};

/**
 * struct ib_rwq_ind_table_init_attr - RSS table creation.
 * @log_ind_tbl_size: log2 entries.
 * @ind_tbl: WQ pointers.
 */
struct ib_rwq_ind_table_init_attr {
	u32 log_ind_tbl_size;
	struct ib_wq **ind_tbl;
};

/**
 * struct ib_qp - Queue pair.
 * @device: Owning device.
 * @pd: Protection domain.
 * @send_cq: Send completions.
 * @recv_cq: Receive completions (NULL for XRC_INI).
 * @mr_lock: Protects the MR pools.
 * @mrs_used: MRs taken.
 * @rdma_mrs: MR pool of rdma_rw.
 * @sig_mrs: Integrity MR pool.
 * @srq: Shared receive queue.
 * @xrcd: XRC domain (XRC_TGT).
 * @xrcd_list: Link in the domain.
 * @usecnt: Use count; destruction refused (-EBUSY) while non-zero.
 * @open_list: Opened handles / link.
 * @real_qp: The hardware QP (itself unless opened by ib_open_qp).
 * @uobject: User-space object, NULL for kernel users.
 * @event_handler: QP events.
 * @qp_context: Argument.
 * @av_sgid_attr: Held source GID of the primary path.
 * @alt_path_sgid_attr: Held source GID of the alternate path.
 * @qp_num: 24-bit number.
 * @max_write_sge: SGEs per RDMA WRITE.
 * @max_read_sge: SGEs per RDMA READ.
 * @qp_type: Type.
 * @rwq_ind_tbl: RSS table.
 * @qp_sec: Security state.
 * @port: Port number.
 * @integrity_en: T10-PI enabled.
 * @res: Resource tracking (core private).
 * @counter: Bound statistics counter.
 */
struct ib_qp {
	struct ib_device *device;
	struct ib_pd *pd;
	struct ib_cq *send_cq;
	struct ib_cq *recv_cq;
	spinlock_t mr_lock;
	int mrs_used;
	struct list_head rdma_mrs;
	struct list_head sig_mrs;
	struct ib_srq *srq;
	struct ib_xrcd *xrcd;
	struct list_head xrcd_list;
	atomic_t usecnt;
	struct list_head open_list;
	struct ib_qp *real_qp;
	struct ib_uqp_object *uobject;
	void (*event_handler)(struct ib_event *, void *);
	void *qp_context;
	const struct ib_gid_attr *av_sgid_attr;
	const struct ib_gid_attr *alt_path_sgid_attr;
	u32 qp_num;
	u32 max_write_sge;
	u32 max_read_sge;
	enum ib_qp_type qp_type;
	struct ib_rwq_ind_table *rwq_ind_tbl;
	struct ib_qp_security *qp_sec;
	u32 port;
	bool integrity_en;
	struct rdma_restrack_entry res;
	struct rdma_counter *counter;
};

/**
 * struct ib_dm - Device memory.
 * @device: Owning device.
 * @length: Bytes.
 * @flags: Reserved.
 * @uobject: User-space object, NULL for kernel users.
 * @usecnt: Use count; destruction refused (-EBUSY) while non-zero.
 */
struct ib_dm {
	struct ib_device *device;
	u32 length;
	u32 flags;
	struct ib_uobject *uobject;
	atomic_t usecnt;
};

/**
 * struct ib_mr - Memory region.
 * @device: Owning device.
 * @pd: Protection domain.
 * @lkey: Local key.
 * @rkey: Remote key.
 * @iova: Start address as seen by the network.
 * @length: Bytes.
 * @page_size: Page size of the mapping.
 * @type: Type.
 * @need_inval: rdma_rw: invalidate before reuse.
 * @uobject: User-space object, NULL for kernel users.
 * @qp_entry: Pool link.
 * @dm: Device memory.
 * @sig_attrs: Integrity attributes.
 * @res: Resource tracking (core private).
 */
struct ib_mr {
	struct ib_device *device;
	struct ib_pd *pd;
	u32 lkey;
	u32 rkey;
	u64 iova;
	u64 length;
	unsigned int page_size;
	enum ib_mr_type type;
	bool need_inval;
	union {
		struct ib_uobject *uobject;
		struct list_head qp_entry;
	};
	struct ib_dm *dm;
	struct ib_sig_attrs *sig_attrs;
	struct rdma_restrack_entry res;
};

/**
 * struct ib_mw - Memory window.
 * @device: Owning device.
 * @pd: Protection domain.
 * @uobject: User-space object, NULL for kernel users.
 * @rkey: Current key.
 * @type: 1 or 2.
 */
struct ib_mw {
	struct ib_device *device;
	struct ib_pd *pd;
	struct ib_uobject *uobject;
	u32 rkey;
	enum ib_mw_type type;
};

/* Common start of all specifications of a steering rule. */
union ib_flow_spec {
	struct {
		u32 type;
		u16 size;
	};
};

/**
 * struct ib_flow_attr - Flow steering rule.
 * @type: Rule type.
 * @size: Total bytes.
 * @priority: 0 highest.
 * @flags: ib_flow_flags.
 * @num_of_specs: Entries in flows.
 * @port: Port.
 * @flows: Match/action specs.
 */
struct ib_flow_attr {
	enum ib_flow_attr_type type;
	u16 size;
	u16 priority;
	u32 flags;
	u8 num_of_specs;
	u32 port;
	union ib_flow_spec flows[];
};

/**
 * struct ib_flow - Installed rule.
 * @qp: Target QP.
 * @device: Owning device.
 * @uobject: User-space object, NULL for kernel users.
 */
struct ib_flow {
	struct ib_qp *qp;
	struct ib_device *device;
	struct ib_uobject *uobject;
};

/**
 * struct ib_counters - User counter object.
 * @device: Owning device.
 * @uobject: User-space object, NULL for kernel users.
 * @usecnt: Use count; destruction refused (-EBUSY) while non-zero.
 */
struct ib_counters {
	struct ib_device *device;
	struct ib_uobject *uobject;
	atomic_t usecnt;
};

/**
 * struct ib_counters_read_attr - Reading counters.
 * @counters_buff: Output.
 * @ncounters: Entries.
 * @flags: Read flags.
 */
struct ib_counters_read_attr {
	u64 *counters_buff;
	u32 ncounters;
	u32 flags;
};

/**
 * struct rdma_user_mmap_entry - User mapping entry.
 * @ref: References.
 * @ucontext: Owner.
 * @start_pgoff: Offset in pages.
 * @npages: Pages.
 * @driver_removed: Device gone.
 */
struct rdma_user_mmap_entry {
	struct kref ref;
	struct ib_ucontext *ucontext;
	unsigned long start_pgoff;
	size_t npages;
	bool driver_removed;
};

#endif /* VERBENA_RDMA_IB_VERBS_OBJECTS_H */
