/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A device of one port for tests of the transport: rdmavt on top, a wire below, and what is needed to
 * send something: a PD, a registered buffer, CQs.
 */
#ifndef TESTS_COMMON_TEST_HOST_H
#define TESTS_COMMON_TEST_HOST_H

#include <rdma/ib_verbs.h>
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_qp.h>

#include "common/test_wire.h"
#include "transport/tp_engine.h"

#define TEST_HOST_PKEYS 4
#define TEST_HOST_BUFFER_BYTES (1u << 20)
#define TEST_HOST_CQES 512
#define TEST_HOST_KEY_BITS 8
#define TEST_HOST_KEYS (1u << TEST_HOST_KEY_BITS)

/**
 * struct test_host_options - What kind of host; zeroes make the usual one.
 * @lid: LID; 0 means RoCE.
 * @gid: GID, wire order. All zero: made from the LID.
 * @max_rd_atomic: READs and atomics that a responder remembers; 0 means 16.
 * @keys: &rvt_driver_params.mr_entries, TEST_HOST_KEYS of them; or NULL.
 * @first_key: &rvt_driver_params.mr_first.
 */
struct test_host_options {
	uint16_t lid;
	uint8_t gid[16];
	u8 max_rd_atomic;
	void *keys;
	u32 first_key;
};

/**
 * struct test_host - It.
 * @rdi: Device, registered.
 * @ibp: Its port.
 * @pkeys: P_Key table: 0xffff, and three empty ones.
 * @options: As given.
 * @tp: Transport.
 * @port: Its port.
 * @pd: Protection domain.
 * @buffer: Registered, with all rights.
 * @mr: Its region.
 */
struct test_host {
	struct rvt_dev_info *rdi;
	struct rvt_ibport ibp;
	u16 pkeys[TEST_HOST_PKEYS];
	struct test_host_options options;
	struct tp_engine *tp;
	struct tp_port *port;
	struct ib_pd *pd;
	char *buffer;
	struct ib_mr *mr;
};

/**
 * test_host_new() - Make a host.
 * @wire: The port is attached to it.
 * @options: What kind.
 *
 * Return: The host; NULL if there is no memory.
 */
struct test_host *test_host_new(struct test_wire *wire, const struct test_host_options *options);

/** test_host_free() - Give it back. Its queue pairs and CQs are destroyed. May be NULL. */
void test_host_free(struct test_host *host);

/**
 * struct test_qp_options - What a queue pair is like; zeroes make the usual one.
 * @type: 0 means IB_QPT_RC, for IB_QPT_SMI there is @smi.
 * @smi: IB_QPT_SMI.
 * @mtu: 0 means IB_MTU_1024.
 * @send_wr: Send requests; 0 means 32.
 * @recv_wr: Receives; 0 means 32.
 * @sge: SGEs of each; 0 means 4.
 * @cqe: Of each CQ; 0 means TEST_HOST_CQES.
 * @psn: First PSN that it sends; the peer's is its own.
 * @timeout: ACK timeout code; 0 means 14, 32 means none.
 * @retry_cnt: 0 means 7, 8 means 0.
 * @rnr_retry: Likewise.
 * @min_rnr_timer: 0 means 12.
 * @rd_atomic: Both limits; 0 means 4.
 * @access: 0 means all remote rights, IB_ACCESS_LOCAL_WRITE alone none.
 * @srq: Shared receive queue, or NULL.
 * @qkey: 0 means 0x11111111.
 * @signal_all: Every request completes.
 * @grh: The path has a GRH though the port has a LID.
 */
struct test_qp_options {
	enum ib_qp_type type;
	bool smi;
	enum ib_mtu mtu;
	u32 send_wr;
	u32 recv_wr;
	u32 sge;
	int cqe;
	u32 psn;
	u8 timeout;
	u8 retry_cnt;
	u8 rnr_retry;
	u8 min_rnr_timer;
	u8 rd_atomic;
	int access;
	struct ib_srq *srq;
	u32 qkey;
	bool signal_all;
	bool grh;
};

/**
 * struct test_qp - A queue pair and its CQs.
 * @host: On which host.
 * @ib: It.
 * @send_cq: CQ.
 * @recv_cq: CQ.
 * @options: As given, the defaults filled in.
 * @events: Bit per enum ib_event_type that its handler has seen.
 */
struct test_qp {
	struct test_host *host;
	struct ib_qp *ib;
	struct ib_cq *send_cq;
	struct ib_cq *recv_cq;
	struct test_qp_options options;
	unsigned int events;
};

/** test_qp_create() - Make one, in RESET. Returns 0 or a negative errno. */
int test_qp_create(struct test_qp *qp, struct test_host *host,
		   const struct test_qp_options *options);

/** test_qp_destroy() - Destroy it, if it exists. */
void test_qp_destroy(struct test_qp *qp);

/** test_qp_init() - RESET to INIT. Returns what ib_modify_qp() does. */
int test_qp_init(struct test_qp *qp);

/** test_qp_rtr() - INIT to RTR, with a path to @peer. */
int test_qp_rtr(struct test_qp *qp, const struct test_qp *peer);

/** test_qp_rts() - RTR to RTS. */
int test_qp_rts(struct test_qp *qp);

/** test_qp_connect() - Two queue pairs from RESET to RTS. UD: each alone. */
int test_qp_connect(struct test_qp *a, struct test_qp *b);

/** test_qp_to() - A bare change of state. */
int test_qp_to(struct test_qp *qp, enum ib_qp_state state);

/** test_qp_state() - The state that it is in. */
enum ib_qp_state test_qp_state(const struct test_qp *qp);

/** test_qp_ah_attr() - The address of @peer's port, as seen from @qp's. */
void test_qp_ah_attr(const struct test_qp *qp, const struct test_host *peer,
		     struct rdma_ah_attr *attr);

/**
 * test_post_recv() - Post a receive.
 * @qp: Where.
 * @wr_id: Cookie.
 * @offset: In the host's buffer.
 * @bytes: Length; 0 has no SGE.
 */
int test_post_recv(struct test_qp *qp, u64 wr_id, u32 offset, u32 bytes);

/**
 * struct test_wr - A send request.
 * @opcode: What.
 * @wr_id: Cookie.
 * @offset: In the host's buffer.
 * @bytes: Length; 0 has no SGE.
 * @flags: IB_SEND_*; signalled goes without saying.
 * @imm: Immediate data, or key to invalidate.
 * @remote: Whose buffer an RDMA is about.
 * @remote_offset: Where in it.
 * @rkey: 0 means that of @remote's buffer.
 * @compare_add: Atomics.
 * @swap: Atomics.
 * @ah: Datagrams.
 * @remote_qpn: Datagrams.
 * @remote_qkey: Datagrams.
 * @pkey_index: Datagrams of QP 1.
 * @type: Flushes. @bytes, which has no SGE then, is how many.
 * @level: Flushes.
 */
struct test_wr {
	enum ib_wr_opcode opcode;
	u64 wr_id;
	u32 offset;
	u32 bytes;
	int flags;
	u32 imm;
	const struct test_host *remote;
	u32 remote_offset;
	u32 rkey;
	u64 compare_add;
	u64 swap;
	struct ib_ah *ah;
	u32 remote_qpn;
	u32 remote_qkey;
	u16 pkey_index;
	u8 type;
	u8 level;
};

/** test_post_send() - Post one. Returns what ib_post_send() does. */
int test_post_send(struct test_qp *qp, const struct test_wr *t);

/**
 * test_unmapped_mr() - A region of one page that the program has lost since it was registered.
 * @host: Whose.
 * @access: IB_ACCESS_*.
 * @page: Out.
 *
 * Asserts that it could be registered. The page stays reserved, or something else could be mapped
 * there.
 *
 * Return: The region.
 */
struct ib_mr *test_unmapped_mr(struct test_host *host, int access, char **page);

/** test_poll() - One completion. Returns false if there is none. */
bool test_poll(struct ib_cq *cq, struct ib_wc *wc);

/**
 * struct test_pair - Two hosts on a wire, and a queue pair on each.
 * @wire: The wire.
 * @host: LIDs 1 and 2, or RoCE.
 * @a: On the first.
 * @b: On the second.
 */
struct test_pair {
	struct test_wire *wire;
	struct test_host *host[2];
	struct test_qp a;
	struct test_qp b;
};

/** test_pair_setup() - cmocka's setup: *state is a pair without queue pairs, on InfiniBand. */
int test_pair_setup(void **state);

/** test_pair_setup_roce() - The same on RoCE. */
int test_pair_setup_roce(void **state);

/** test_pair_teardown() - cmocka's teardown. */
int test_pair_teardown(void **state);

/** test_pair_create() - Make both queue pairs. Returns 0 or a negative errno. */
int test_pair_create(struct test_pair *pair, const struct test_qp_options *a,
		     const struct test_qp_options *b);

/** test_pair_connect() - Make both queue pairs and connect them. */
int test_pair_connect(struct test_pair *pair, const struct test_qp_options *a,
		      const struct test_qp_options *b);

/**
 * test_pair_packet() - A packet to one queue pair of a pair, as if from the other.
 * @to: Receiver.
 * @from: Sender.
 * @opcode: BTH opcode.
 * @at: PSN.
 * @run: Out. No payload; RETH and the like are zero.
 */
void test_pair_packet(const struct test_qp *to, const struct test_qp *from, uint8_t opcode,
		      uint32_t at, struct tp_run *run);

/** test_turn() - Run work and timers for so long. Returns functions run. */
unsigned int test_turn(uint64_t ns);

#endif
