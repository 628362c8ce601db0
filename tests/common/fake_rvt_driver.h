/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A driver below rdmavt, registered with the real core: two InfiniBand ports, RC and UC by
 * rdmavt's loopback engine, datagrams that go nowhere. It counts its calls and can be told to
 * refuse. And what tests of queues keep needing: connected pairs, filled SGEs, one completion.
 */
#ifndef TESTS_COMMON_FAKE_RVT_DRIVER_H
#define TESTS_COMMON_FAKE_RVT_DRIVER_H

#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_qp.h>

#include "base/cause.h"

#define FAKE_RVT_PORTS 2
#define FAKE_RVT_PKEYS 2
#define FAKE_RVT_MAX_READS 4 /* max_rdma_atomic */

/**
 * struct fake_rvt_options - What kind of device; zeroes make an ordinary one.
 * @reserved_operations: Extra send slots.
 * @max_qp: 0 means 64.
 * @qp_table_size: 0 means 16: chains are longer than one.
 * @sge_copy_mode: RVT_SGE_COPY_*.
 * @keys_same: lkey and rkey of a region are equal.
 */
struct fake_rvt_options {
	u8 reserved_operations;
	int max_qp;
	unsigned int qp_table_size;
	unsigned int sge_copy_mode;
	bool keys_same;
};

/**
 * struct fake_rvt - The device and its notebook.
 * @rdi: The device.
 * @port: Its ports.
 * @pkeys: Their P_Keys: two full memberships; the second port has them the other way round.
 * @manual: The send engine runs only in fake_rvt_run(), not when it is called.
 * @priv_error: What qp_priv_alloc returns; 0: it works.
 * @priv_init_error: What qp_priv_init returns.
 * @setup_error: What setup_wqe returns.
 * @setup_no_call: setup_wqe clears *call_send.
 * @modify_error: What check_modify_qp returns.
 * @sends: Calls of do_send.
 * @schedules: Calls of schedule_send and schedule_send_no_lock.
 * @resets: Calls of notify_qp_reset.
 * @errors: Calls of notify_error_qp.
 * @modifies: Calls of modify_qp.
 * @restarts: Calls of notify_restart_rc.
 * @restart_psn: Where the latest of these starts.
 * @privs: Driver data that is allocated now.
 */
struct fake_rvt {
	struct rvt_dev_info rdi;
	struct rvt_ibport port[FAKE_RVT_PORTS];
	u16 pkeys[FAKE_RVT_PORTS][FAKE_RVT_PKEYS];
	bool manual;
	int priv_error;
	int priv_init_error;
	int setup_error;
	bool setup_no_call;
	int modify_error;
	unsigned int sends;
	unsigned int schedules;
	unsigned int resets;
	unsigned int errors;
	unsigned int modifies;
	unsigned int restarts;
	u32 restart_psn;
	unsigned int privs;
};

/**
 * fake_rvt_new() - Register such a device.
 * @options: May be NULL.
 *
 * Return: The device; NULL without memory.
 */
struct fake_rvt *fake_rvt_new(const struct fake_rvt_options *options);

/** fake_rvt_free() - Unregister and free it. */
void fake_rvt_free(struct fake_rvt *fake);

static inline struct fake_rvt *to_fake_rvt(struct ib_device *device)
{
	return container_of(ib_to_rvt(device), struct fake_rvt, rdi);
}

/** fake_rvt_turn() - Let @ns pass, and run what is due. */
void fake_rvt_turn(u64 ns);

/**
 * struct fake_rvt_end - A QP with a CQ for each direction, and the events that were raised.
 * @qp: The QP.
 * @send_cq: 64 entries unless the test makes its own.
 * @recv_cq: The same.
 * @udata: Of the process that makes the QP, or NULL; for fake_rvt_end_init().
 * @cap: What the QP has got.
 * @events: Bit per enum ib_event_type.
 * @event_count: How many.
 * @event_cause: Id of verbena's last cause while the latest was raised.
 */
struct fake_rvt_end {
	struct ib_qp *qp;
	struct ib_cq *send_cq;
	struct ib_cq *recv_cq;
	struct ib_udata *udata;
	struct ib_qp_cap cap;
	u64 events;
	unsigned int event_count;
	u32 event_cause;
};

/**
 * fake_rvt_end_init() - Make a QP in RESET.
 * @end: Out; @end->send_cq and @end->recv_cq, where they are set already, are used.
 * @pd: PD.
 * @attr: Type, srq, cap (0 send and receive: 8 requests with 4 SGEs), sq_sig_type, port.
 *
 * Return: 0 or what failed; nothing is kept then.
 */
int fake_rvt_end_init(struct fake_rvt_end *end, struct ib_pd *pd,
		      const struct ib_qp_init_attr *attr);

/** fake_rvt_end_exit() - Destroy it, CQs included. */
void fake_rvt_end_exit(struct fake_rvt_end *end);

/**
 * fake_rvt_to() - Bring a QP to a state on the usual way, from RESET.
 * @qp: RC, UC or UD.
 * @state: INIT, RTR, RTS; ERR after RTS; SQD after RTS.
 * @peer: Its peer's number.
 *
 * All remote rights, path MTU 1024, timeout 10, retry_cnt 7, rnr_retry 2, RNR timer code 1 (10 us).
 *
 * Return: 0 or what ib_modify_qp() returned.
 */
int fake_rvt_to(struct ib_qp *qp, enum ib_qp_state state, u32 peer);

/** fake_rvt_connect() - Bring two QPs to RTS as each other's peers. */
int fake_rvt_connect(struct fake_rvt_end *a, struct fake_rvt_end *b);

/** fake_rvt_poll() - One completion: 1 with @wc filled in, or 0. Runs nothing. */
int fake_rvt_poll(struct ib_cq *cq, struct ib_wc *wc);

#endif
