/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Send and receive ring of a process with any content, against a peer of the kernel API. The first
 * byte chooses the QPs' type; then come steps: write to a ring, make an entry's addresses and keys
 * good ones, ring the doorbell, let the peer send, let time pass. Completions are sane, no index
 * leaves its ring, and nothing is left over when the QPs are destroyed.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <rdma/ib_verbs.h>
#include <stdlib.h>
#include <string.h>

#include "common/fake_rvt_driver.h"
#include "common/librxe.h"
#include "common/process.h"
#include "rdmavt/ring.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#define BUFFER_BYTES 4096u
#define SLOTS 4u

static const enum ib_qp_type types[] = {IB_QPT_RC, IB_QPT_UC, IB_QPT_UD};

static struct {
	struct fake_rvt *fake;
	struct ib_pd *pd;
	struct ib_mr *mr;
	struct ib_ah *ah;
	struct rvt_mw mw;
	u32 ah_num;
	struct process process;
	struct fake_rvt_end ours, peer;
	struct rxe_queue_buf *rings[2]; /* send, receive */
	size_t ring_bytes[2];
	u8 buffer[BUFFER_BYTES];
} world;

struct input {
	const uint8_t *at;
	const uint8_t *end;
};

static void require(bool holds)
{
	if (!holds)
		abort();
}

static u8 take(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

static void make_world(void)
{
	struct rdma_ah_attr ah_attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	struct rxe_create_ah_resp answer;

	world.fake = fake_rvt_new(NULL);
	require(world.fake);
	world.fake->rdi.ibdev.ops.driver_id = RDMA_DRIVER_RXE;
	process_init(&world.process, &world.fake->rdi.ibdev);
	world.pd = ib_alloc_pd(&world.fake->rdi.ibdev, 0);
	require(!IS_ERR(world.pd));
	ibpd_to_rvtpd(world.pd)->user = true; /* no key 0 */
	world.mr = ib_reg_user_mr(world.pd, (u64)(uintptr_t)world.buffer, BUFFER_BYTES, 0x10000,
				  IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
					  IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |
					  IB_ACCESS_MW_BIND);
	require(!IS_ERR(world.mr));
	world.mw.ibmw =
		(struct ib_mw){.device = world.pd->device, .pd = world.pd, .type = IB_MW_TYPE_2};
	require(!world.pd->device->ops.alloc_mw(&world.mw.ibmw, NULL));
	rdma_ah_set_dlid(&ah_attr, 1);
	world.ah = rdma_create_user_ah(world.pd, &ah_attr,
				       process_call(&world.process, 0, sizeof(answer)));
	require(!IS_ERR(world.ah));
	memcpy(&answer, world.process.answer, sizeof(answer));
	world.ah_num = answer.ah_num;
}

static void make_qps(enum ib_qp_type type)
{
	const struct ib_qp_init_attr attr = {.qp_type = type,
					     .cap = {SLOTS - 1, SLOTS - 1, 2, 2, 0, 0}};
	struct rxe_create_qp_resp answer;

	world.process.blocks = 0;
	world.ours.udata = process_call(&world.process, 0, sizeof(answer));
	require(!fake_rvt_end_init(&world.ours, world.pd, &attr));
	require(!fake_rvt_end_init(&world.peer, world.pd, &attr));
	require(!fake_rvt_connect(&world.ours, &world.peer));
	memcpy(&answer, world.process.answer, sizeof(answer));
	world.rings[0] = process_map(&world.process, answer.sq_mi.offset, answer.sq_mi.size);
	world.rings[1] = process_map(&world.process, answer.rq_mi.offset, answer.rq_mi.size);
	world.ring_bytes[0] = answer.sq_mi.size;
	world.ring_bytes[1] = answer.rq_mi.size;
}

static void write_ring(struct input *in, unsigned int which)
{
	const size_t offset = (take(in) | (size_t)take(in) << 8) % world.ring_bytes[which];
	size_t bytes = take(in);
	u8 *to = (u8 *)world.rings[which] + offset;

	if (bytes > world.ring_bytes[which] - offset)
		bytes = world.ring_bytes[which] - offset;
	while (bytes--)
		*to++ = take(in);
}

/* An entry whose keys are right goes further. The rings' strides are known here, too. */
static void mend_send(unsigned int slot)
{
	struct rxe_send_wqe *wqe = (void *)(world.rings[0]->data + slot % SLOTS * (size_t)256);

	for (unsigned int i = 0; i < 2; i++) {
		wqe->dma.sge[i].addr = 0x10000 + wqe->dma.sge[i].addr % BUFFER_BYTES;
		wqe->dma.sge[i].lkey = world.mr->lkey;
	}
	if (world.ours.qp->qp_type == IB_QPT_UD) {
		wqe->wr.wr.ud.ah_num = world.ah_num;
		return;
	}
	wqe->wr.wr.rdma.remote_addr = 0x10000 + wqe->wr.wr.rdma.remote_addr % BUFFER_BYTES;
	wqe->wr.wr.rdma.rkey = wqe->wr.wr.atomic.rkey = world.mr->rkey;
}

static void mend_bind(unsigned int slot)
{
	struct rxe_send_wqe *wqe = (void *)(world.rings[0]->data + slot % SLOTS * (size_t)256);

	wqe->wr.opcode = IB_WR_BIND_MW;
	wqe->wr.wr.mw.addr = 0x10000 + wqe->wr.wr.mw.addr % BUFFER_BYTES;
	wqe->wr.wr.mw.length %= BUFFER_BYTES;
	wqe->wr.wr.mw.mr_lkey = world.mr->lkey;
	wqe->wr.wr.mw.mw_rkey = world.mw.ibmw.rkey;
}

static void mend_receive(unsigned int slot)
{
	struct rxe_recv_wqe *wqe = (void *)(world.rings[1]->data + slot % SLOTS * (size_t)128);

	for (unsigned int i = 0; i < 2; i++) {
		wqe->dma.sge[i].addr = 0x10000 + wqe->dma.sge[i].addr % BUFFER_BYTES;
		wqe->dma.sge[i].lkey = world.mr->lkey;
	}
}

static void peer_posts(u8 length)
{
	const struct ib_send_wr *bad;
	struct ib_sge sge = {.addr = 0x10000, .length = length, .lkey = world.mr->lkey};
	const struct ib_recv_wr recv = {.sg_list = &sge, .num_sge = 1};
	const struct ib_ud_wr wr = {.wr = {.opcode = IB_WR_SEND, .sg_list = &sge, .num_sge = 1},
				    .ah = world.ah};

	(void)ib_post_recv(world.peer.qp, &recv, NULL);
	(void)ib_post_send(world.peer.qp, &wr.wr, &bad);
}

static void check_cq(struct ib_cq *cq)
{
	struct ib_wc wc;

	while (fake_rvt_poll(cq, &wc)) {
		require(wc.status <= IB_WC_GENERAL_ERR);
		require(!wc.status == !wc.vendor_err);
	}
}

static void check(void)
{
	const struct rvt_qp *qp = ibqp_to_rvtqp(world.ours.qp);

	check_cq(world.ours.send_cq);
	check_cq(world.ours.recv_cq);
	check_cq(world.peer.send_cq);
	check_cq(world.peer.recv_cq);
	require(qp->s_ring->tail < SLOTS && qp->s_ring->done < SLOTS);
	require(qp->r_rq.ring->tail < SLOTS);
	require(world.rings[0] && qp->s_head < qp->s_size);
}

static void step(struct input *in)
{
	const u8 op = take(in);

	switch (op % 8) {
	case 0:
	case 1:
		write_ring(in, op % 8);
		break;
	case 2:
		mend_send(op / 8);
		break;
	case 3:
		mend_receive(op / 8);
		break;
	case 4:
		(void)rvt_doorbell(world.ours.qp);
		break;
	case 5:
		peer_posts(take(in));
		break;
	case 6:
		mend_bind(op / 8);
		break;
	default:
		fake_rvt_turn(1000);
		break;
	}
	check();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct input in = {bytes, bytes + count};

	if (!world.fake)
		make_world();
	make_qps(types[take(&in) % ARRAY_SIZE(types)]);
	while (in.at < in.end)
		step(&in);
	fake_rvt_end_exit(&world.ours);
	fake_rvt_end_exit(&world.peer);
	require(!world.process.live);
	require(!world.fake->rdi.late_count);
	return 0;
}
