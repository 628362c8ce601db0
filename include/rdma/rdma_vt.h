/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* rdmavt: the software half of a provider. What a driver gives, what it gets. */
#ifndef VERBENA_RDMA_RDMA_VT_H
#define VERBENA_RDMA_RDMA_VT_H

#include <stdio.h>
#include <linux/atomic.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <rdma/ib_mad_consts.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmavt_mr.h>

struct base_cause;
struct pci_dev;
struct rvt_dev_info;
struct rvt_mcast;
struct rvt_operation_params;
struct rvt_bind_wr;
struct rvt_qp;
struct rvt_qp_ibdev;
struct rvt_qpn_table;
struct rvt_swqe;

#define RVT_MAX_PKEY_VALUES 16
#define RVT_MAX_TRAP_LEN 100
#define RVT_MAX_TRAP_LISTS 5
#define RVT_TRAP_TIMEOUT 4096
#define RVT_CQN_MAX 16
#define RVT_UVERBS_ABI_VERSION 2

/* How rvt_copy_sge() copies. */
#define RVT_SGE_COPY_MEMCPY 0
#define RVT_SGE_COPY_CACHELESS 1
#define RVT_SGE_COPY_ADAPTIVE 2

/**
 * struct trap_list - Queued traps of one type.
 * @list_len: Entries (max 100).
 * @list: Traps.
 */
struct trap_list {
	u32 list_len;
	struct list_head list;
};

/**
 * struct rvt_ibport - Rdmavt port.
 * @qp: QP0 and QP1.
 * @send_agent: SMI MAD agent for traps.
 * @mcast_tree: Multicast groups by MGID.
 * @lock: Protects the structure.
 * @mkey_lease_timeout: Non-zero while the lease timer runs.
 * @trap_timeout: Trap timer.
 * @gid_prefix: Subnet prefix, network order.
 * @mkey: M_Key.
 * @tid: Trap TID counter.
 * @port_cap_flags: CapabilityMask.
 * @port_cap3_flags: OPA capabilities.
 * @pma_sample_start: PMA sampling.
 * @pma_sample_interval: PMA sampling.
 * @pma_counter_select: PMA sampling.
 * @pma_tag: PMA sampling.
 * @mkey_lease_period: Seconds.
 * @sm_lid: SM LID.
 * @sm_sl: SM SL.
 * @mkeyprot: M_Key protection.
 * @subnet_timeout: Exponent.
 * @vl_high_limit: VL limit.
 * @n_rc_resends: RC packets resent.
 * @n_seq_naks: Sequence NAKs received.
 * @n_rdma_seq: READ sequence errors.
 * @n_rnr_naks: RNR NAKs received.
 * @n_other_naks: Other NAKs received.
 * @n_loop_pkts: Loopback WQEs.
 * @n_pkt_drops: Packets dropped.
 * @n_vl15_dropped: VL15 drops.
 * @n_rc_timeouts: RC timeouts.
 * @n_dmawait: Send DMA waits.
 * @n_unaligned: Unaligned packets.
 * @n_rc_dupreq: Duplicate requests.
 * @n_rc_seqnak: Sequence NAKs sent.
 * @n_rc_crwaits: Credit waits.
 * @pkey_violations: Bad P_Keys.
 * @qkey_violations: Bad Q_Keys.
 * @mkey_violations: Bad M_Keys.
 * @z_rc_acks: Reset base.
 * @z_rc_qacks: Reset base.
 * @z_rc_delayed_comp: Reset base.
 * @rc_acks: ACKs sent (per CPU).
 * @rc_qacks: ACKs queued (per CPU).
 * @rc_delayed_comp: Delayed completions (per CPU).
 * @priv: Driver data.
 * @pkey_table: Driver P_Key table.
 * @sm_ah: AH to the SM.
 * @trap_lists: 5 trap queues.
 * @trap_timer: Resend timer.
 */
struct rvt_ibport {
	struct rvt_qp *qp[2];
	struct ib_mad_agent *send_agent;
	struct rb_root mcast_tree;
	spinlock_t lock;
	unsigned long mkey_lease_timeout;
	unsigned long trap_timeout;
	__be64 gid_prefix;
	__be64 mkey;
	u64 tid;
	u32 port_cap_flags;
	u16 port_cap3_flags;
	u32 pma_sample_start;
	u32 pma_sample_interval;
	__be16 pma_counter_select[5];
	u16 pma_tag;
	u16 mkey_lease_period;
	u32 sm_lid;
	u8 sm_sl;
	u8 mkeyprot;
	u8 subnet_timeout;
	u8 vl_high_limit;
	u64 n_rc_resends;
	u64 n_seq_naks;
	u64 n_rdma_seq;
	u64 n_rnr_naks;
	u64 n_other_naks;
	u64 n_loop_pkts;
	u64 n_pkt_drops;
	u64 n_vl15_dropped;
	u64 n_rc_timeouts;
	u64 n_dmawait;
	u64 n_unaligned;
	u64 n_rc_dupreq;
	u64 n_rc_seqnak;
	u64 n_rc_crwaits;
	u16 pkey_violations;
	u16 qkey_violations;
	u16 mkey_violations;
	u64 z_rc_acks;
	u64 z_rc_qacks;
	u64 z_rc_delayed_comp;
	u64 *rc_acks;
	u64 *rc_qacks;
	u64 *rc_delayed_comp;
	void *priv;
	u16 *pkey_table;
	struct rvt_ah *sm_ah;
	struct trap_list trap_lists[RVT_MAX_TRAP_LISTS];
	struct timer_list trap_timer;
};

/**
 * rvt_count() - Add to a counter of a port, which the QPs of many threads share.
 * @counter: One of &struct rvt_ibport.
 * @more: How much.
 *
 * Context: Any, no lock.
 */
static inline void rvt_count(u64 *counter, u64 more)
{
	__atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
}

/**
 * struct rvt_driver_params - Driver settings.
 * @props: ib_device_attr reported by query_device.
 * @lkey_table_size: log2 of MR table entries (1..23).
 * @qp_table_size: QP hash entries (power of two).
 * @sge_copy_mode: 0 memcpy, 1 cacheless, 2 adaptive.
 * @wss_threshold: Percent.
 * @wss_clean_period: Operations.
 * @qpn_start: QPN allocator start.
 * @qpn_inc: QPN step.
 * @qpn_res_start: Reserved QPN range start (page-of-bits aligned).
 * @qpn_res_end: Reserved QPN range end, inclusive.
 * @nports: Ports.
 * @npkeys: P_Keys per port.
 * @node: NUMA node.
 * @psn_mask: Mask of reported PSNs.
 * @psn_shift: Shift for PSN comparison.
 * @psn_modify_mask: Mask for PSNs given to modify.
 * @core_cap_flags: RDMA_CORE_* for ports.
 * @max_mad_size: MAD size.
 * @qos_shift: QPN QoS bits.
 * @max_rdma_atomic: Responder resources per QP.
 * @extra_rdma_atomic: Additional response slots.
 * @reserved_operations: Extra send slots for internal operations.
 * @keys_same: lkey and rkey of a region are equal (Verbena).
 * @max_inline: Most inline data of a QP in bytes, 0: as much as rdmavt can (Verbena).
 * @mr_entries: Memory for what keys are checked against, which other processes can read: zeroed, a
 *	cache line for each MR table entry, aligned to one. It stays until the device's memory is freed.
 *	NULL: rdmavt allocates it (Verbena).
 * @mr_first: Where @mr_entries begin in all that this process shows to others (Verbena).
 */
struct rvt_driver_params {
	struct ib_device_attr props;
	unsigned int lkey_table_size;
	unsigned int qp_table_size;
	unsigned int sge_copy_mode;
	unsigned int wss_threshold;
	unsigned int wss_clean_period;
	int qpn_start;
	int qpn_inc;
	int qpn_res_start;
	int qpn_res_end;
	int nports;
	int npkeys;
	int node;
	int psn_mask;
	int psn_shift;
	int psn_modify_mask;
	u32 core_cap_flags;
	u32 max_mad_size;
	u8 qos_shift;
	u8 max_rdma_atomic;
	u8 extra_rdma_atomic;
	u8 reserved_operations;
	bool keys_same;
	u32 max_inline;
	void *mr_entries;
	u32 mr_first;
};

/**
 * struct rvt_ucontext - User context.
 * @ibucontext: Core part.
 */
struct rvt_ucontext {
	struct ib_ucontext ibucontext;
};

/**
 * struct rvt_pd - Protection domain.
 * @ibpd: Core part.
 * @user: Created by a process.
 * @number: What the MR table knows it by (Verbena).
 * @dma_access: Rights that its DMA regions grant to peers on key 0 (Verbena).
 */
struct rvt_pd {
	struct ib_pd ibpd;
	bool user;
	u32 number;
	u32 dma_access;
};

/**
 * struct rvt_ah - Address handle.
 * @ibah: Core part.
 * @attr: Address.
 * @vl: Virtual lane (driver).
 * @log_pmtu: log2 of MTU (driver).
 * @num: Its number in rvt_dev_info.ah_nums, or 0 (Verbena).
 */
struct rvt_ah {
	struct ib_ah ibah;
	struct rdma_ah_attr attr;
	u8 vl;
	u8 log_pmtu;
	u32 num;
};

/**
 * struct rvt_mmap_info - Mappable object.
 * @pending_mmaps: Link.
 * @context: Owner, or NULL: anybody may map it.
 * @obj: Memory.
 * @offset: Mmap offset.
 * @ref: References.
 * @size: Bytes.
 * @rdi: Device (Verbena).
 * @mem: Where @obj comes from and goes to; NULL: base_zalloc() (Verbena).
 */
struct rvt_mmap_info {
	struct list_head pending_mmaps;
	struct ib_ucontext *context;
	void *obj;
	__u64 offset;
	struct kref ref;
	u32 size;
	struct rvt_dev_info *rdi;
	const struct ib_ucontext_mem_ops *mem;
};

/**
 * struct rvt_wss - Working-set tracking.
 * @entries: Bitmap.
 * @total_count: Pages in set.
 * @clean_counter: Count-down.
 * @clean_entry: Next to clear.
 * @threshold: Limit.
 * @num_entries: Words.
 * @pages_mask: Mask.
 * @clean_period: Period.
 */
struct rvt_wss {
	unsigned long *entries;
	atomic_t total_count;
	atomic_t clean_counter;
	atomic_t clean_entry;
	int threshold;
	int num_entries;
	long pages_mask;
	unsigned int clean_period;
};

/**
 * struct rvt_driver_provided - Driver callbacks (checked at registration as noted).
 * @schedule_send: Queue the send engine; s_lock held [modify_qp, post_send].
 * @schedule_send_no_lock: Same, s_lock not held.
 * @setup_wqe: Check/adjust a WQE at post time; negative = refuse.
 * @do_send: Run the send engine now [post_send].
 * @do_express: As @do_send, where all that was posted are SENDs of a few bytes, which are in their slots' room
 *	for inline data (Verbena, optional).
 * @get_pci_dev: Device for messages [always required together with ops.port_groups].
 * @qp_priv_alloc: Driver QP data or ERR_PTR [create_qp].
 * @qp_priv_init: Second-stage init (optional).
 * @qp_priv_free: Free it [create_qp, destroy_qp].
 * @notify_qp_reset: QP was reset [create_qp, modify_qp, destroy_qp].
 * @get_pmtu_from_attr: MTU code from attributes, negative = bad [modify_qp].
 * @flush_qp_waiters: Remove from driver wait lists [create/modify/destroy_qp].
 * @stop_send_queue: Stop transmitting [create/modify/destroy_qp].
 * @quiesce_qp: Wait until idle [create/modify/destroy_qp].
 * @notify_error_qp: QP entered ERR; locks held [modify_qp].
 * @mtu_from_qp: MTU bytes from code [modify_qp].
 * @mtu_to_path_mtu: enum ib_mtu from bytes [modify_qp].
 * @get_guid_be: GUID by index [query_gid].
 * @query_port_state: Driver part of query_port [query_port].
 * @shut_down_port: Disable port [modify_port].
 * @cap_mask_chg: Capabilities changed [modify_port].
 * @free_all_qps: Count/free driver QPs [required by rvt_driver_qp_init although listed as
 *	optional].
 * @check_ah: Extra AH check (optional).
 * @notify_new_ah: Fill vl and log_pmtu (optional).
 * @alloc_qpn: Own QPN allocator (optional).
 * @check_modify_qp: Extra modify check, non-zero = refuse (optional).
 * @modify_qp: After a successful modify, locks held (optional).
 * @notify_create_mad_agent: SMI agent created (optional).
 * @notify_free_mad_agent: SMI agent removed (optional).
 * @notify_restart_rc: Restart sending from a PSN [required by rvt_driver_qp_init].
 * @comp_vect_cpu_lookup: CPU of a completion vector (optional).
 * @refresh_qp: Bring r_psn and r_msn up to date; locks held (optional, Verbena).
 * @peers_left: Wait until no other process is in the middle of placing bytes by itself: through QPs
 *	of PD @pd, or, if @qpn is not 0, through that one. False if one still is after @timeout_ns. May
 *	sleep, no locks; with a @timeout_ns of 0 it only looks, for some microseconds, and locks may be
 *	held. If false, @holder's qpn is that of
 *	the QP, and its values {0} and {1:text} are pid and host of the process; it may be NULL
 *	(optional, Verbena).
 */
struct rvt_driver_provided {
	bool (*schedule_send)(struct rvt_qp *qp);
	bool (*schedule_send_no_lock)(struct rvt_qp *qp);
	int (*setup_wqe)(struct rvt_qp *qp, struct rvt_swqe *wqe, bool *call_send);
	void (*do_send)(struct rvt_qp *qp);
	void (*do_express)(struct rvt_qp *qp);
	struct pci_dev *(*get_pci_dev)(struct rvt_dev_info *rdi);
	void *(*qp_priv_alloc)(struct rvt_dev_info *rdi, struct rvt_qp *qp);
	int (*qp_priv_init)(struct rvt_dev_info *rdi, struct rvt_qp *qp,
			    struct ib_qp_init_attr *init_attr);
	void (*qp_priv_free)(struct rvt_dev_info *rdi, struct rvt_qp *qp);
	void (*notify_qp_reset)(struct rvt_qp *qp);
	int (*get_pmtu_from_attr)(struct rvt_dev_info *rdi, struct rvt_qp *qp,
				  struct ib_qp_attr *attr);
	void (*flush_qp_waiters)(struct rvt_qp *qp);
	void (*stop_send_queue)(struct rvt_qp *qp);
	void (*quiesce_qp)(struct rvt_qp *qp);
	void (*notify_error_qp)(struct rvt_qp *qp);
	u32 (*mtu_from_qp)(struct rvt_dev_info *rdi, struct rvt_qp *qp, u32 pmtu);
	int (*mtu_to_path_mtu)(u32 mtu);
	int (*get_guid_be)(struct rvt_dev_info *rdi, struct rvt_ibport *rvp, int guid_index,
			   __be64 *guid);
	int (*query_port_state)(struct rvt_dev_info *rdi, u32 port_num, struct ib_port_attr *props);
	int (*shut_down_port)(struct rvt_dev_info *rdi, u32 port_num);
	void (*cap_mask_chg)(struct rvt_dev_info *rdi, u32 port_num);
	unsigned (*free_all_qps)(struct rvt_dev_info *rdi);
	int (*check_ah)(struct ib_device *, struct rdma_ah_attr *);
	void (*notify_new_ah)(struct ib_device *, struct rdma_ah_attr *, struct rvt_ah *);
	int (*alloc_qpn)(struct rvt_dev_info *rdi, struct rvt_qpn_table *qpt, enum ib_qp_type type,
			 u32 port_num);
	int (*check_modify_qp)(struct rvt_qp *qp, struct ib_qp_attr *attr, int attr_mask,
			       struct ib_udata *udata);
	void (*modify_qp)(struct rvt_qp *qp, struct ib_qp_attr *attr, int attr_mask,
			  struct ib_udata *udata);
	void (*notify_create_mad_agent)(struct rvt_dev_info *rdi, int port_idx);
	void (*notify_free_mad_agent)(struct rvt_dev_info *rdi, int port_idx);
	void (*notify_restart_rc)(struct rvt_qp *qp, u32 psn, int wait);
	int (*comp_vect_cpu_lookup)(struct rvt_dev_info *rdi, int comp_vect);
	void (*refresh_qp)(struct rvt_qp *qp);
	bool (*peers_left)(struct rvt_dev_info *rdi, u32 pd, u32 qpn, u64 timeout_ns,
			   struct base_cause *holder);
};

/**
 * struct rvt_dev_info - Rdmavt device.
 * @ibdev: Core part, first.
 * @dparms: Settings.
 * @post_parms: Table indexed by WR opcode.
 * @wc_opcode: Table WR opcode to WC opcode.
 * @driver_f: Callbacks.
 * @dma_mr: MR for key 0.
 * @lkey_table: MR table.
 * @n_pds_allocated: PDs.
 * @n_pds_lock: Lock.
 * @n_ahs_allocated: AHs.
 * @n_ahs_lock: Lock.
 * @n_srqs_allocated: SRQs.
 * @n_srqs_lock: Lock.
 * @flags: Driver flags.
 * @ports: Port pointers.
 * @qp_dev: QP table.
 * @n_qps_allocated: QPs.
 * @n_rc_qps: RC QPs.
 * @busy_jiffies: Added to RC timeouts (RC QPs / 5).
 * @n_qps_lock: Lock.
 * @pending_mmaps: Objects to map.
 * @mmap_offset_lock: Lock.
 * @mmap_offset: Next offset.
 * @pending_lock: Lock.
 * @n_cqs_allocated: CQs.
 * @n_cqs_lock: Lock.
 * @n_mcast_grps_allocated: Groups.
 * @n_mcast_grps_lock: Lock.
 * @wss: Working set.
 * @last_pd_number: Of the youngest PD; n_pds_lock (Verbena).
 * @last_srq_number: Of the youngest SRQ; n_srqs_lock (Verbena).
 * @ah_nums: Address handles of processes, by the number that their rings name them by (Verbena).
 * @late_lock: Of @late_qps; innermost (Verbena).
 * @late_qps: QPs in ERR into whose rings a process may put more requests (Verbena).
 * @late_count: How many; late_lock (Verbena).
 * @late: Looks after @late_qps (Verbena).
 */
struct rvt_dev_info {
	struct ib_device ibdev;
	struct rvt_driver_params dparms;
	const struct rvt_operation_params *post_parms;
	const enum ib_wc_opcode *wc_opcode;
	struct rvt_driver_provided driver_f;
	struct rvt_mregion *dma_mr;
	struct rvt_lkey_table lkey_table;
	int n_pds_allocated;
	spinlock_t n_pds_lock;
	int n_ahs_allocated;
	spinlock_t n_ahs_lock;
	u32 n_srqs_allocated;
	spinlock_t n_srqs_lock;
	int flags;
	struct rvt_ibport **ports;
	struct rvt_qp_ibdev *qp_dev;
	u32 n_qps_allocated;
	u32 n_rc_qps;
	u32 busy_jiffies;
	spinlock_t n_qps_lock;
	struct list_head pending_mmaps;
	spinlock_t mmap_offset_lock;
	u32 mmap_offset;
	spinlock_t pending_lock;
	u32 n_cqs_allocated;
	spinlock_t n_cqs_lock;
	u32 n_mcast_grps_allocated;
	spinlock_t n_mcast_grps_lock;
	struct rvt_wss *wss;
	u32 last_pd_number;
	u32 last_srq_number;
	struct xarray ah_nums;
	spinlock_t late_lock;
	struct list_head late_qps;
	u32 late_count;
	struct base_poller late;
};

#ifdef __cplusplus
extern "C" {
#endif

/**
 * ibpd_to_rvtpd() - rdmavt's PD around the core's.
 * @ibpd: Of a device of rdmavt's.
 *
 * Return: The structure.
 */
static inline struct rvt_pd *ibpd_to_rvtpd(struct ib_pd *ibpd)
{
	return container_of(ibpd, struct rvt_pd, ibpd);
}

/**
 * ibah_to_rvtah() - rdmavt's address handle around the core's.
 * @ibah: Of a device of rdmavt's.
 *
 * Return: The structure.
 */
static inline struct rvt_ah *ibah_to_rvtah(struct ib_ah *ibah)
{
	return container_of(ibah, struct rvt_ah, ibah);
}

/**
 * ib_to_rvt() - rdmavt's device around the core's.
 * @ibdev: A device of rdmavt's.
 *
 * Return: The structure.
 */
static inline struct rvt_dev_info *ib_to_rvt(struct ib_device *ibdev)
{
	return container_of(ibdev, struct rvt_dev_info, ibdev);
}

/**
 * rvt_set_ibdev_name() - Name a device before it is registered.
 * @rdi: Which device.
 * @fmt: Format with a %s and a %d.
 * @name: For the %s.
 * @unit: For the %d.
 */
static inline void rvt_set_ibdev_name(struct rvt_dev_info *rdi, const char *fmt, const char *name,
				      const int unit)
{
	(void)snprintf(rdi->ibdev.name, sizeof(rdi->ibdev.name), fmt, name, unit);
}

/**
 * rvt_get_ibdev_name() - Name of a device.
 * @rdi: Which device.
 *
 * Return: The name, owned by the device.
 */
static inline const char *rvt_get_ibdev_name(const struct rvt_dev_info *rdi)
{
	return rdi->ibdev.name;
}

/**
 * rvt_get_npkeys() - Entries of each port's P_Key table.
 * @rdi: Which device.
 *
 * Return: Entries.
 */
static inline unsigned rvt_get_npkeys(struct rvt_dev_info *rdi)
{
	return (unsigned)rdi->dparms.npkeys;
}

/**
 * rvt_max_atomic() - Slots of an RC QP's queue of responses.
 * @rdi: Which device.
 *
 * Return: One more than can be in use, so that full and empty differ.
 */
static inline unsigned int rvt_max_atomic(struct rvt_dev_info *rdi)
{
	return rdi->dparms.max_rdma_atomic + rdi->dparms.extra_rdma_atomic + 1u;
}

/**
 * rvt_size_atomic() - Last index of an RC QP's queue of responses, after which comes 0.
 * @rdi: Which device.
 *
 * Return: READs and atomics that can be answered at a time.
 */
static inline unsigned int rvt_size_atomic(struct rvt_dev_info *rdi)
{
	return (unsigned int)rdi->dparms.max_rdma_atomic + rdi->dparms.extra_rdma_atomic;
}

/**
 * rvt_get_pkey() - A P_Key of a port.
 * @rdi: Which device.
 * @port_index: Port, counted from 0.
 * @index: Entry.
 *
 * Return: P_Key, host order; 0 if there is no such entry.
 */
static inline u16 rvt_get_pkey(struct rvt_dev_info *rdi, int port_index, unsigned index)
{
	return index < rvt_get_npkeys(rdi) ? READ_ONCE(rdi->ports[port_index]->pkey_table[index])
					   : 0;
}

/**
 * rvt_alloc_device() - Memory for a driver's device.
 * @size: Bytes of the driver's structure, which begins with a struct rvt_dev_info.
 * @nports: Ports; rvt_init_port() is to be called for each.
 *
 * Context: May sleep.
 * Return: The zeroed device, for rvt_dealloc_device(); NULL without memory.
 */
struct rvt_dev_info *rvt_alloc_device(size_t size, int nports);

/**
 * rvt_dealloc_device() - Give back a device that is not registered.
 * @rdi: From rvt_alloc_device().
 *
 * Context: May sleep.
 */
void rvt_dealloc_device(struct rvt_dev_info *rdi);

/**
 * rvt_register_device() - Bring a device up and register it with the core.
 * @rdi: dparms, driver_f, post_parms, wc_opcode and ports are filled in; ops that the driver has
 *	set itself are kept.
 *
 * Context: May sleep. Clients' add callbacks run.
 * Return: 0; -EINVAL if a callback is missing that the ops which rdmavt provides need, or a
 *	parameter is out of range; -ENOMEM; an errno of ib_register_device().
 */
int rvt_register_device(struct rvt_dev_info *rdi);

/**
 * rvt_unregister_device() - Take a device away and free what rvt_register_device() made.
 * @rdi: Registered.
 *
 * Context: May sleep. Clients' remove callbacks run.
 */
void rvt_unregister_device(struct rvt_dev_info *rdi);

/**
 * rvt_init_port() - Tell rdmavt of a port, before the device is registered.
 * @rdi: Which device.
 * @port: The driver's structure; the driver's until the device is gone.
 * @port_index: Counted from 0.
 * @pkey_table: dparms.npkeys entries, the driver's.
 *
 * Return: 0.
 */
int rvt_init_port(struct rvt_dev_info *rdi, struct rvt_ibport *port, int port_index,
		  u16 *pkey_table);

/**
 * rvt_check_ah() - Whether an address can be used on a device.
 * @ibdev: Which device.
 * @ah_attr: Address.
 *
 * Return: 0; -EINVAL if the port, the static rate or the source GID index does not exist; what the
 *	driver's check_ah returned.
 */
int rvt_check_ah(struct ib_device *ibdev, struct rdma_ah_attr *ah_attr);

/**
 * rvt_fast_reg_mr() - Execute IB_WR_REG_MR.
 * @qp: On which it was posted.
 * @ibmr: Mapped by ib_map_mr_sg().
 * @key: New key; only its low 8 bits may differ.
 * @access: enum ib_access_flags.
 *
 * Context: s_hlock held, or the send engine. Does not sleep.
 * Return: 0; -EACCES if MR and QP are of different PDs; -EINVAL if the MR is not for fast
 *	registration, or @key is not one of its keys.
 */
int rvt_fast_reg_mr(struct rvt_qp *qp, struct ib_mr *ibmr, u32 key, int access);

/**
 * rvt_invalidate_rkey() - Execute IB_WR_LOCAL_INV.
 * @qp: On which it was posted.
 * @rkey: Either key of an MR; neither is accepted until it is registered again.
 *
 * Context: Any, does not sleep.
 * Return: 0; -EINVAL if there is no such key in the QP's PD.
 */
int rvt_invalidate_rkey(struct rvt_qp *qp, u32 rkey);

/**
 * rvt_rkey_check() - rvt_rkey_ok() that tells why not (Verbena).
 * @qp: The responder's QP.
 * @sge: Out, if 1 is returned: where the bytes are. Holds a reference on the region.
 * @len: Bytes.
 * @vaddr: First byte, as the request names it.
 * @rkey: As the request names it.
 * @acc: The one right that is needed: IB_ACCESS_REMOTE_WRITE, _READ or _ATOMIC.
 * @why: Out, on refusal: id, values and side; the caller adds the QPs. The last cause of the thread
 *	stays as it is: what a peer asks for is no call of the program's.
 *
 * Context: Any, does not sleep.
 * Return: 1, or 0 if the access is refused.
 */
int rvt_rkey_check(struct rvt_qp *qp, struct rvt_sge *sge, u32 len, u64 vaddr, u32 rkey, int acc,
		   struct base_cause *why);

/**
 * rvt_remote_invalidate() - Execute a received SEND with invalidate (Verbena).
 * @qp: On which it was received.
 * @rkey: As the peer named it. Stricter than rvt_invalidate_rkey(): it must be an rkey, and that of
 *	an MR for fast registration.
 * @why: Out, on refusal: the reason; the caller adds the QPs.
 *
 * Context: Any, does not sleep.
 * Return: 0; -EINVAL if there is no such key in the QP's PD.
 */
int rvt_remote_invalidate(struct rvt_qp *qp, u32 rkey, struct base_cause *why);

/**
 * rvt_bind_mw() - Execute IB_WR_BIND_MW (Verbena).
 * @qp: On which it was posted.
 * @wr: The request.
 *
 * Context: s_hlock held, or the send engine. Does not sleep.
 * Return: 0; -EINVAL if the window or the region does not exist, is of another PD, or must not be
 *	bound so.
 */
int rvt_bind_mw(struct rvt_qp *qp, const struct rvt_bind_wr *wr);

/**
 * struct rvt_flush - What a FLUSH is to flush: IBA 1.5 A19 (Verbena).
 * @addr: First byte, as the request names it.
 * @bytes: How many.
 * @rkey: Key.
 * @type: enum ib_placement_type: one or both.
 * @level: enum ib_selectivity_level; with IB_FLUSH_MR @addr and @bytes do not matter.
 */
struct rvt_flush {
	u64 addr;
	u32 bytes;
	u32 rkey;
	u8 type;
	u8 level;
};

/**
 * rvt_flush_rights() - enum ib_access_flags that queue pair and region must both grant (Verbena).
 * @flush: What.
 */
static inline int rvt_flush_rights(const struct rvt_flush *flush)
{
	return (flush->type & IB_FLUSH_GLOBAL ? IB_ACCESS_FLUSH_GLOBAL : 0) |
	       (flush->type & IB_FLUSH_PERSISTENT ? IB_ACCESS_FLUSH_PERSISTENT : 0);
}

/**
 * rvt_flush_check() - Whether the key of a FLUSH allows it (Verbena).
 * @qp: Responder.
 * @flush: What. A range of no bytes needs a good key, too.
 * @why: Out, if not: the reason, without the number of @qp.
 *
 * Windows have no rights to flush.
 *
 * Return: true if it does.
 */
bool rvt_flush_check(struct rvt_qp *qp, const struct rvt_flush *flush, struct base_cause *why);

/**
 * rvt_flush() - Execute a FLUSH at the responder (Verbena).
 * @qp: Responder; what came before has been executed.
 * @flush: What, checked by rvt_flush_check().
 *
 * Global: whoever is told of it sees what was stored before. Persistent: besides, a file of which
 * the memory is a shared mapping has the bytes on its storage; other memory has nothing that it
 * could be written to.
 *
 * Context: r_lock may be held. Persistent ones wait for storage.
 * Return: 0; -EFAULT if the memory is not mapped; -EACCES if the key is not good any more; the
 *	errno of msync().
 */
int rvt_flush(struct rvt_qp *qp, const struct rvt_flush *flush);

/**
 * rvt_lkey_ok() - Check an SGE of the program's and translate it.
 * @rkt: Table of keys.
 * @pd: PD of the QP or SRQ.
 * @isge: Out: position in the MR, with a reference.
 * @last_sge: The SGE before it, or NULL: one that goes on where it ends is merged into it.
 * @sge: To be checked.
 * @acc: enum ib_access_flags that are needed, all of them.
 *
 * Context: Any, does not sleep.
 * Return: 1 with a new position in @isge; 0 if it was merged into @last_sge; -EINVAL if the key
 *	does not exist, is of another PD, is invalidated, or does not grant that range or access.
 */
int rvt_lkey_ok(struct rvt_lkey_table *rkt, struct rvt_pd *pd, struct rvt_sge *isge,
		struct rvt_sge *last_sge, struct ib_sge *sge, int acc);

/**
 * rvt_rkey_ok() - Check an address and key that a peer gave, and translate them.
 * @qp: To which they were sent.
 * @sge: Out: position in the MR, with a reference.
 * @len: Bytes.
 * @vaddr: Address.
 * @rkey: Key.
 * @acc: enum ib_access_flags that is needed.
 *
 * Context: r_lock held. Does not sleep.
 * Return: 1; 0 if the key does not exist, is of another PD, is invalidated, or does not grant that
 *	range or access.
 */
int rvt_rkey_ok(struct rvt_qp *qp, struct rvt_sge *sge, u32 len, u64 vaddr, u32 rkey, int acc);

/**
 * rvt_mcast_find() - Find a multicast group of a port.
 * @ibp: Which port.
 * @mgid: MGID.
 * @lid: MLID, which must match, too.
 *
 * Context: Any, does not sleep.
 * Return: The group with a reference: when done with qp_list, decrement refcount and, if it becomes 1
 *	or less, wake_up() wait; NULL if there is none.
 */
struct rvt_mcast *rvt_mcast_find(struct rvt_ibport *ibp, union ib_gid *mgid, u16 lid);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_RDMA_VT_H */
