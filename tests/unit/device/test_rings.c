// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * librxe's rings on whole devices: a process at one host, a program of the kernel API at another, and
 * the packet engine between them.
 */
#include <linux/err.h>
#include <rdma/ib_verbs_user.h>
#include <string.h>
#include <verbena/verbena.h>

#include "common/librxe.h"
#include "common/process.h"
#include "common/test.h"

#include "rdmavt/mw.h"

#define BYTES 8192u
#define SECONDS 1000000000ull

struct world {
	struct verbena_fabric *fabric;
	struct ib_device *device[2];
	struct ib_pd *pd[2];
	struct ib_mr *mr[2];
	struct ib_cq *cq[2];
	struct ib_qp *qp[2];
	struct process process; /* at host 0 */
	struct rvt_mw mw;	/* of the process */
	struct ib_ah *ah;
	struct rxe_queue_buf *sq, *rq, *cring;
	u8 memory[2][BYTES];
};

static struct world w;

static void map_cq(void)
{
	struct rxe_create_cq_resp answer;

	memcpy(&answer, w.process.answer, sizeof(answer));
	w.cring = process_map(&w.process, answer.mi.offset, answer.mi.size);
}

static void map_qp(void)
{
	struct rxe_create_qp_resp answer;

	memcpy(&answer, w.process.answer, sizeof(answer));
	w.sq = process_map(&w.process, answer.sq_mi.offset, answer.sq_mi.size);
	w.rq = process_map(&w.process, answer.rq_mi.offset, answer.rq_mi.size);
}

/* As uverbs does it: the CQ's fields are the caller's. NULL if there is no memory. */
static struct ib_cq *make_cq(struct ib_device *device)
{
	const struct ib_cq_init_attr attr = {.cqe = 63};
	struct ib_cq *cq = base_zalloc(device->ops.size_ib_cq);

	if (!cq)
		return NULL;
	cq->device = device;
	if (!device->ops.create_cq(
		    cq, &attr, process_call(&w.process, 0, sizeof(struct rxe_create_cq_resp)))) {
		map_cq();
		return cq;
	}
	base_free(cq);
	return NULL;
}

static bool open_host(int i, enum ib_qp_type type)
{
	struct ib_qp_init_attr attr = {
		.qp_type = type, .sq_sig_type = IB_SIGNAL_REQ_WR, .cap = {15, 15, 2, 2, 64, 0}};
	const struct ib_cq_init_attr cq_attr = {.cqe = 64};

	w.pd[i] = ib_alloc_pd(w.device[i], 0);
	if (IS_ERR(w.pd[i]))
		return false;
	w.mr[i] = ib_reg_user_mr(w.pd[i], (u64)w.memory[i], BYTES, (u64)w.memory[i],
				 IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
					 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |
					 IB_ACCESS_MW_BIND | IB_ACCESS_FLUSH_GLOBAL);
	w.cq[i] = i ? ib_create_cq(w.device[i], NULL, NULL, NULL, &cq_attr) : make_cq(w.device[0]);
	if (IS_ERR(w.mr[i]) || IS_ERR_OR_NULL(w.cq[i]))
		return false;
	attr.send_cq = attr.recv_cq = w.cq[i];
	if (i)
		w.qp[i] = ib_create_qp(w.pd[i], &attr);
	else
		w.qp[i] = ib_create_qp_user(w.device[i], w.pd[i], &attr,
					    process_call(&w.process, 0,
							 sizeof(struct rxe_create_qp_resp)),
					    NULL, KBUILD_MODNAME);
	if (IS_ERR(w.qp[i]))
		return false;
	if (!i)
		map_qp();
	return true;
}

static void close_host(int i)
{
	if (!IS_ERR_OR_NULL(w.qp[i]))
		(void)ib_destroy_qp(w.qp[i]);
	if (!IS_ERR_OR_NULL(w.cq[i]) && i)
		ib_destroy_cq(w.cq[i]);
	if (w.cq[i] && !i) {
		w.device[i]->ops.destroy_cq(w.cq[i], NULL);
		base_free(w.cq[i]);
	}
	if (w.mw.ibmw.rkey && !i)
		(void)w.device[i]->ops.dealloc_mw(&w.mw.ibmw);
	if (!IS_ERR_OR_NULL(w.mr[i]))
		(void)ib_dereg_mr(w.mr[i]);
	if (!IS_ERR_OR_NULL(w.pd[i]))
		ib_dealloc_pd(w.pd[i]);
}

static int close_world(void **state)
{
	(void)state;
	if (!IS_ERR_OR_NULL(w.ah))
		rdma_destroy_ah(w.ah, 0);
	close_host(0);
	close_host(1);
	verbena_fabric_free(w.fabric);
	return w.process.live ? -1 : 0;
}

static bool connect_hosts(enum ib_qp_type type)
{
	if (type != IB_QPT_UD)
		return !verbena_qp_connect(w.qp[0], w.qp[1], NULL);
	return !verbena_ud_ready(w.qp[0], 0x11) && !verbena_ud_ready(w.qp[1], 0x11);
}

static int open_world(void **state, enum ib_qp_type type)
{
	memset(&w, 0, sizeof(w));
	w.fabric = verbena_fabric_new(NULL);
	if (!w.fabric)
		return -1;
	w.device[0] = verbena_host_add(w.fabric, "process", NULL);
	w.device[1] = verbena_host_add(w.fabric, "kernel", NULL);
	if (IS_ERR(w.device[0]) || IS_ERR(w.device[1]))
		goto failed;
	w.device[0]->ops.driver_id = RDMA_DRIVER_RXE;
	process_init(&w.process, w.device[0]);
	for (u32 i = 0; i < BYTES; i++)
		w.memory[0][i] = (u8)(i * 7 + 1);
	if (open_host(0, type) && open_host(1, type) && connect_hosts(type))
		return 0;
failed:
	(void)close_world(state);
	return -1;
}

static int open_rc(void **state)
{
	return open_world(state, IB_QPT_RC);
}

static int open_uc(void **state)
{
	return open_world(state, IB_QPT_UC);
}

static int open_ud(void **state)
{
	return open_world(state, IB_QPT_UD);
}

static bool has_completion(void *arg)
{
	const struct rxe_queue_buf *q = arg;

	return q->consumer_index != librxe_load(&q->producer_index);
}

/* The process's next completion. */
static struct ib_uverbs_wc next(u64 wr_id, enum ib_wc_status status)
{
	struct ib_uverbs_wc wc;

	assert_true(base_wait_until(has_completion, w.cring, 10 * SECONDS));
	assert_true(librxe_poll(w.cring, &wc));
	assert_int_equal(wc.wr_id, wr_id);
	assert_int_equal(wc.status, status);
	return wc;
}

static bool poll_peer(void *arg)
{
	return ib_poll_cq(w.cq[1], 1, arg) == 1;
}

static struct ib_wc peer_next(u64 wr_id)
{
	struct ib_wc wc;

	assert_true(base_wait_until(poll_peer, &wc, 10 * SECONDS));
	assert_int_equal(wc.wr_id, wr_id);
	assert_int_equal(wc.status, IB_WC_SUCCESS);
	return wc;
}

static struct rxe_sge here(u32 offset, u32 length)
{
	return (struct rxe_sge){(u64)(w.memory[0] + offset), length, w.mr[0]->lkey};
}

static void peer_receives(u64 wr_id)
{
	struct ib_sge sge = {(u64)w.memory[1], BYTES, w.mr[1]->lkey};
	const struct ib_recv_wr wr = {.wr_id = wr_id, .sg_list = &sge, .num_sge = 1};

	assert_int_equal(ib_post_recv(w.qp[1], &wr, NULL), 0);
}

static struct rxe_send_wr wr_of(enum ib_wr_opcode opcode, u64 wr_id)
{
	struct rxe_send_wr wr = {.wr_id = wr_id, .opcode = opcode, .send_flags = IB_SEND_SIGNALED};

	wr.wr.rdma.remote_addr = (u64)w.memory[1];
	wr.wr.rdma.rkey = w.mr[1]->rkey;
	return wr;
}

static void ring_doorbell(void)
{
	assert_int_equal(w.device[0]->ops.post_send(w.qp[0], NULL, NULL), 0);
}

static void do_one(struct rxe_send_wr wr, u32 offset, u32 length, enum ib_wc_opcode opcode)
{
	const struct rxe_sge sge = here(offset, length);

	assert_true(librxe_post_send(w.sq, &wr, &sge, 1));
	ring_doorbell();
	assert_int_equal(next(wr.wr_id, IB_WC_SUCCESS).opcode, opcode);
}

static void rc__every_operation(void **state)
{
	struct rxe_send_wr wr;
	u64 word = 40;

	(void)state;
	peer_receives(100);
	do_one(wr_of(IB_WR_SEND, 1), 0, 5000, IB_WC_SEND);
	assert_int_equal(peer_next(100).byte_len, 5000);
	assert_memory_equal(w.memory[0], w.memory[1], 5000);
	memset(w.memory[1], 0, BYTES);
	do_one(wr_of(IB_WR_RDMA_WRITE, 2), 0, BYTES, IB_WC_RDMA_WRITE);
	assert_memory_equal(w.memory[0], w.memory[1], BYTES);
	memset(w.memory[1], 0x33, BYTES);
	do_one(wr_of(IB_WR_RDMA_READ, 3), 0, BYTES, IB_WC_RDMA_READ);
	assert_memory_equal(w.memory[0], w.memory[1], BYTES);
	memcpy(w.memory[1], &word, sizeof(word));
	wr = wr_of(IB_WR_ATOMIC_FETCH_AND_ADD, 4);
	wr.wr.atomic.compare_add = 2;
	wr.wr.atomic.rkey = w.mr[1]->rkey;
	do_one(wr, 4, 8, IB_WC_FETCH_ADD); /* the result's place need not be aligned */
	memcpy(&word, w.memory[1], sizeof(word));
	assert_int_equal(word, 42);
	memcpy(&word, w.memory[0] + 4, sizeof(word));
	assert_int_equal(word, 40);
	wr = wr_of(IB_WR_ATOMIC_WRITE, 5);
	assert_true(librxe_post_inline(w.sq, &wr, "12345678", 8, 0));
	ring_doorbell();
	assert_int_equal(next(5, IB_WC_SUCCESS).opcode, IB_WC_ATOMIC_WRITE);
	assert_memory_equal(w.memory[1], "12345678", 8);
}

/* Behind a write, in its turn; its opcode is the library's, 8. */
static void rc__flush(void **state)
{
	struct ib_qp_attr attr = {.qp_access_flags = IB_ACCESS_REMOTE_WRITE |
						     IB_ACCESS_FLUSH_GLOBAL};
	struct rxe_send_wr wr = wr_of(IB_WR_FLUSH, 2);
	struct rxe_sge sge = here(0, BYTES);
	const u8 type_and_level[2] = {IB_FLUSH_GLOBAL, IB_FLUSH_RANGE};

	(void)state;
	assert_int_equal(ib_modify_qp(w.qp[1], &attr, IB_QP_ACCESS_FLAGS), 0);
	do_one(wr_of(IB_WR_RDMA_WRITE, 1), 0, BYTES, IB_WC_RDMA_WRITE);
	memcpy((char *)&wr.wr + 12, &w.mr[1]->rkey, sizeof(w.mr[1]->rkey));
	memcpy((char *)&wr.wr + 16, type_and_level, sizeof(type_and_level));
	assert_true(librxe_post_send(w.sq, &wr, &sge, 1));
	ring_doorbell();
	assert_int_equal(next(2, IB_WC_SUCCESS).opcode, 8);
	sge.length++;
	assert_true(librxe_post_send(w.sq, &wr, &sge, 1));
	ring_doorbell();
	next(2, IB_WC_REM_ACCESS_ERR);
}

/* The peer writes through a window of the process's, and sends the invalidation of it. */
static void rc__window(void **state)
{
	struct ib_mw *mw = &w.mw.ibmw;
	const struct rxe_sge sge = {(u64)w.memory[0], 64, 0};
	struct rxe_send_wr wr;
	struct ib_sge from;
	struct ib_rdma_wr write;

	(void)state;
	*mw = (struct ib_mw){.device = w.device[0], .pd = w.pd[0], .type = IB_MW_TYPE_2};
	assert_int_equal(w.device[0]->ops.alloc_mw(mw, NULL), 0);
	wr = (struct rxe_send_wr){
		.wr_id = 1, .opcode = IB_WR_BIND_MW, .send_flags = IB_SEND_SIGNALED};
	wr.wr.mw.addr = (u64)(w.memory[0] + 64);
	wr.wr.mw.length = 64;
	wr.wr.mw.mr_lkey = w.mr[0]->lkey;
	wr.wr.mw.mw_rkey = mw->rkey;
	wr.wr.mw.rkey = mw->rkey + 1;
	wr.wr.mw.access = IB_ACCESS_REMOTE_WRITE;
	assert_true(librxe_post_send(w.sq, &wr, NULL, 0));
	ring_doorbell();
	assert_int_equal(next(1, IB_WC_SUCCESS).opcode, IB_WC_BIND_MW);
	from = (struct ib_sge){(u64)w.memory[1], 64, w.mr[1]->lkey};
	memset(w.memory[1], 0x44, 64);
	write = (struct ib_rdma_wr){.wr = {.wr_id = 2,
					   .opcode = IB_WR_RDMA_WRITE,
					   .send_flags = IB_SEND_SIGNALED,
					   .sg_list = &from,
					   .num_sge = 1},
				    .remote_addr = (u64)(w.memory[0] + 64),
				    .rkey = mw->rkey};
	assert_int_equal(ib_post_send(w.qp[1], &write.wr, NULL), 0);
	(void)peer_next(2);
	assert_memory_equal(w.memory[0] + 64, w.memory[1], 64);
	assert_true(librxe_post_recv(w.rq, 3, &sge, 0));
	write.wr.wr_id = 4;
	write.wr.opcode = IB_WR_SEND_WITH_INV;
	write.wr.num_sge = 0;
	write.wr.ex.invalidate_rkey = mw->rkey;
	assert_int_equal(ib_post_send(w.qp[1], &write.wr, NULL), 0);
	(void)peer_next(4);
	assert_int_equal(next(3, IB_WC_SUCCESS).ex.invalidate_rkey, mw->rkey);
	assert_null(w.mw.mr);
}

static void connected__full_rings(void **state)
{
	struct rxe_send_wr wr = wr_of(IB_WR_SEND, 0);
	const struct rxe_sge sge = here(0, 100);

	(void)state;
	for (u64 round = 0; round < 20; round++) {
		for (u64 i = 0; i < 15; i++)
			peer_receives(i);
		for (u64 i = 0; i < 15; i++) {
			wr.wr_id = i;
			assert_true(i % 2 ? librxe_post_inline(w.sq, &wr, w.memory[0], 60, 0)
					  : librxe_post_send(w.sq, &wr, &sge, 1));
			if (i % 3 == 0)
				ring_doorbell();
		}
		ring_doorbell();
		for (u64 i = 0; i < 15; i++)
			(void)next(i, IB_WC_SUCCESS);
		assert_int_equal(w.sq->consumer_index, w.sq->producer_index);
		for (u64 i = 0; i < 15; i++)
			assert_int_equal(peer_next(i).byte_len, i % 2 ? 60 : 100);
	}
}

/* Requests that a post would refuse have their turn in the packet engine, too. */
static void refuse_one(struct rxe_send_wr good)
{
	struct rxe_send_wr bad = good;
	struct rxe_sge sge = here(0, 100);
	struct ib_qp_attr attr = {.qp_state = IB_QPS_RTS};

	for (u64 i = 0; i < 2; i++)
		peer_receives(i);
	good.wr_id = 1;
	assert_true(librxe_post_send(w.sq, &good, &sge, 1));
	good.wr_id = 2;
	assert_true(librxe_post_send(w.sq, &good, &sge, 1));
	bad.wr_id = 3;
	sge.lkey ^= 0xff00;
	assert_true(librxe_post_send(w.sq, &bad, &sge, 1));
	good.wr_id = 4;
	sge = here(0, 100);
	assert_true(librxe_post_send(w.sq, &good, &sge, 1));
	ring_doorbell();
	(void)next(1, IB_WC_SUCCESS);
	(void)next(2, IB_WC_SUCCESS);
	(void)next(3, IB_WC_LOC_PROT_ERR);
	(void)next(4, IB_WC_WR_FLUSH_ERR);
	if (w.qp[0]->qp_type == IB_QPT_RC)
		return;
	assert_int_equal(ib_modify_qp(w.qp[0], &attr, IB_QP_STATE), 0);
	peer_receives(3);
	assert_true(librxe_post_send(w.sq, &good, &sge, 1));
	ring_doorbell();
	(void)next(4, IB_WC_SUCCESS);
}

static void refused__connected(void **state)
{
	(void)state;
	refuse_one(wr_of(IB_WR_SEND, 0));
}

static void refused__datagram(void **state)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	struct rxe_send_wr wr = {.opcode = IB_WR_SEND, .send_flags = IB_SEND_SIGNALED};
	struct rxe_create_ah_resp answer;
	struct ib_port_attr port;

	(void)state;
	assert_int_equal(ib_query_port(w.device[1], 1, &port), 0);
	rdma_ah_set_dlid(&attr, port.lid);
	w.ah = rdma_create_user_ah(w.pd[0], &attr, process_call(&w.process, 0, sizeof(answer)));
	assert_false(IS_ERR(w.ah));
	memcpy(&answer, w.process.answer, sizeof(answer));
	wr.wr.ud.ah_num = answer.ah_num;
	wr.wr.ud.remote_qpn = w.qp[1]->qp_num;
	wr.wr.ud.remote_qkey = 0x11;
	refuse_one(wr);
}

#define TEST(name, open) cmocka_unit_test_setup_teardown(name, open, close_world)

static const struct CMUnitTest tests[] = {
	TEST(rc__every_operation, open_rc),
	TEST(rc__window, open_rc),
	TEST(rc__flush, open_rc),
	TEST(rc__window, open_rc),
	TEST(connected__full_rings, open_rc),
	TEST(connected__full_rings, open_uc),
	TEST(refused__connected, open_rc),
	TEST(refused__connected, open_uc),
	TEST(refused__datagram, open_ud),
};

int main(void)
{
	return verbena_test_main(tests);
}
