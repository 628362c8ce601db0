// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* UD, QP 0 and QP 1: keys, the room for the GRH, groups. */
#include "common/test.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "common/test_host.h"
#include "transport/tp_qp.h"

#define QKEY 0x11111111u

static char payload[4096];
static struct iovec payload_iov = {payload, sizeof(payload)};

static struct test_pair *begin_type(void **state, enum ib_qp_type type, bool grh)
{
	struct test_pair *p = *state;
	const struct test_qp_options options = {.type = type, .grh = grh, .psn = 0x55};

	assert_int_equal(test_pair_connect(p, &options, &options), 0);
	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (char)(i * 7 + i / 256);
	return p;
}

static struct test_pair *begin(void **state)
{
	return begin_type(state, IB_QPT_UD, false);
}

static struct ib_ah *handle(struct test_pair *p)
{
	struct rdma_ah_attr attr;
	struct ib_ah *ah;

	test_qp_ah_attr(&p->a, p->host[1], &attr);
	ah = rdma_create_ah(p->host[0]->pd, &attr, 0);
	assert_false(IS_ERR(ah));
	return ah;
}

static struct ib_ah *group_handle(struct test_pair *p, const union ib_gid *mgid, u16 mlid)
{
	struct rdma_ah_attr attr;
	struct ib_ah *ah;

	test_qp_ah_attr(&p->a, p->host[1], &attr);
	if (mlid)
		rdma_ah_set_dlid(&attr, mlid);
	rdma_ah_set_grh(&attr, NULL, 0, 0, 1, 0);
	memcpy(attr.grh.dgid.raw, mgid->raw, sizeof(mgid->raw));
	ah = rdma_create_ah(p->host[0]->pd, &attr, 0);
	assert_false(IS_ERR(ah));
	return ah;
}

static int post(struct test_pair *p, struct ib_ah *ah, uint32_t bytes, uint32_t qkey)
{
	return test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND,
						       .bytes = bytes,
						       .ah = ah,
						       .remote_qpn = p->b.ib->qp_num,
						       .remote_qkey = qkey});
}

static void datagram(struct test_pair *p, uint32_t bytes, struct tp_run *run)
{
	test_pair_packet(&p->b, &p->a, PKT_UD_SEND_ONLY, 0, run);
	run->deth = (struct pkt_deth){.qkey = QKEY, .src_qpn = p->a.ib->qp_num};
	run->payload = (struct tp_payload){.iov = &payload_iov, .count = 1, .bytes = bytes};
}

static u64 drops(struct test_pair *p)
{
	return p->host[1]->ibp.n_pkt_drops;
}

static void ud__from_post_to_both_completions(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_ah *ah = handle(p);
	struct ib_wc wc;

	memcpy(p->host[0]->buffer, payload, 200);
	memset(p->host[1]->buffer, 0x5a, 40);
	assert_int_equal(test_post_recv(&p->b, 7, 0, 240), 0);
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND_WITH_IMM,
								 .bytes = 200,
								 .imm = 0x1234,
								 .flags = IB_SEND_SOLICITED,
								 .ah = ah,
								 .remote_qpn = p->b.ib->qp_num,
								 .remote_qkey = QKEY}),
			 0);
	assert_string_equal(test_wire_log(p->wire), "SEND_ONLY_IMM 000055 200S");
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.status, IB_WC_SUCCESS);
	assert_true(test_poll(p->b.recv_cq, &wc));
	assert_int_equal(wc.wr_id, 7);
	assert_int_equal(wc.byte_len, 240);
	assert_int_equal(wc.src_qp, p->a.ib->qp_num);
	assert_int_equal(wc.slid, 1);
	assert_int_equal(wc.wc_flags, IB_WC_WITH_IMM);
	assert_int_equal(wc.ex.imm_data, cpu_to_be32(0x1234));
	assert_memory_equal(p->host[1]->buffer + 40, payload, 200);
	assert_int_equal(p->host[1]->buffer[0], 0x5a); /* no GRH came, none is written */
	rdma_destroy_ah(ah, 0);
}

/* [rcp 12]: the GRH stands before the datagram. */
static void ud__with_a_grh(void **state)
{
	struct test_pair *p = begin_type(state, IB_QPT_UD, true);
	struct ib_ah *ah = handle(p);
	struct pkt_grh grh;
	struct ib_wc wc;

	assert_int_equal(test_post_recv(&p->b, 7, 0, 240), 0);
	assert_int_equal(post(p, ah, 10, QKEY), 0);
	assert_true(test_poll(p->b.recv_cq, &wc));
	assert_int_equal(wc.byte_len, 50);
	assert_int_equal(wc.wc_flags, IB_WC_GRH);
	pkt_grh_decode((uint8_t *)p->host[1]->buffer, &grh);
	assert_int_equal(p->host[1]->buffer[0] >> 4, 6);
	assert_memory_equal(grh.sgid, p->host[0]->options.gid, 16);
	assert_memory_equal(grh.dgid, p->host[1]->options.gid, 16);
	assert_int_equal(grh.next_header, PKT_NEXT_HEADER_BTH);
	assert_int_equal(grh.payload_bytes, 12 + 8 + 12 + 4);
	assert_int_equal(grh.hop_limit, 64);
	rdma_destroy_ah(ah, 0);
}

/* [rcp 12]: RoCE has the IP header there; of IPv4 in the second half. */
static void ud__on_roce(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_ah *ah = handle(p);
	const uint8_t *area = (const uint8_t *)p->host[1]->buffer;
	static const uint8_t zero[20];
	struct pkt_ipv4 ip;
	struct ib_wc wc;

	assert_int_equal(test_post_recv(&p->b, 7, 0, 240), 0);
	assert_int_equal(post(p, ah, 10, QKEY), 0);
	assert_true(test_poll(p->b.recv_cq, &wc));
	assert_int_equal(wc.wc_flags, IB_WC_GRH);
	assert_int_equal(wc.slid, 0);
	assert_memory_equal(area, zero, 20);
	assert_int_equal(area[20], 0x45);
	pkt_ipv4_decode(area + 20, &ip);
	assert_int_equal(ip.src, 0x0a4d0002);
	assert_int_equal(ip.dst, 0x0a4d0003);
	assert_int_equal(ip.protocol, 17);
	assert_int_equal(ip.total_bytes, 20 + 8 + 12 + 8 + 12 + 4);
	assert_int_equal(ip.checksum, pkt_ipv4_checksum(&ip));
	rdma_destroy_ah(ah, 0);
}

static void ud_encode_grh__ipv6_and_groups(void **state)
{
	struct tp_run run = {.path = {.has_grh = true,
				      .sgid = {[10] = 0xff, 0xff, 1, 2, 3, 4},
				      .dgid = {0xff, 0x0e, [10] = 0xff, 0xff, 239, 7, 7, 7}},
			     .first_opcode = PKT_UD_SEND_ONLY,
			     .last_opcode = PKT_UD_SEND_ONLY};
	uint8_t grh[40];

	(void)state;
	ud_encode_grh(&run, true, grh);
	assert_int_equal(grh[20] >> 4, 4);
	assert_int_equal(grh[36], 239);
	ud_encode_grh(&run, false, grh);
	assert_int_equal(grh[0] >> 4, 6);
	run.path.dgid[0] = 0x20; /* neither a group nor an IPv4 address */
	ud_encode_grh(&run, true, grh);
	assert_int_equal(grh[0] >> 4, 6);
	assert_int_equal(grh[6], 17);
	run.path.sgid[0] = 0x20;
	ud_encode_grh(&run, true, grh);
	assert_int_equal(grh[0] >> 4, 6);
	run.path.has_grh = false;
	ud_encode_grh(&run, true, grh);
	assert_int_equal(grh[0], 0);
}

/* [rcp 12]: in silence; bit 31 stands for the sender's own. */
static void qkey__must_match(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_ah *ah = handle(p);
	struct ib_wc wc;

	assert_int_equal(test_post_recv(&p->b, 7, 0, 240), 0);
	assert_int_equal(post(p, ah, 10, 0x22222222), 0);
	assert_false(test_poll(p->b.recv_cq, &wc));
	assert_int_equal(p->host[1]->ibp.qkey_violations, 1);
	assert_int_equal(drops(p), 1);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.status, IB_WC_SUCCESS);
	assert_int_equal(post(p, ah, 10, 0x80000000), 0);
	assert_true(test_poll(p->b.recv_cq, &wc));
	rdma_destroy_ah(ah, 0);
}

/* [rcp 1] */
static void pkey__must_match(void **state)
{
	struct test_pair *p = begin(state);
	struct tp_run run;
	struct ib_wc wc;

	assert_int_equal(test_post_recv(&p->b, 7, 0, 240), 0);
	datagram(p, 8, &run);
	run.pkey = 0x8001;
	tp_receive(p->host[1]->port, &run);
	assert_int_equal(p->host[1]->ibp.pkey_violations, 1);
	run.pkey = 0x7fff; /* a limited member may talk to a full one */
	tp_receive(p->host[1]->port, &run);
	assert_true(test_poll(p->b.recv_cq, &wc));
	p->host[1]->pkeys[0] = 0x7fff;
	tp_receive(p->host[1]->port, &run);
	assert_int_equal(p->host[1]->ibp.pkey_violations, 2);
}

/* [rcp 12]: without a receive, and one that is too short but stays for the next. */
static void receive__none_and_too_short(void **state)
{
	struct test_pair *p = begin(state);
	struct tp_run run;
	struct ib_wc wc;

	datagram(p, 100, &run);
	tp_receive(p->host[1]->port, &run);
	assert_int_equal(drops(p), 1);
	assert_int_equal(test_post_recv(&p->b, 1, 0, 139), 0);
	tp_receive(p->host[1]->port, &run);
	assert_int_equal(drops(p), 2);
	datagram(p, 99, &run);
	tp_receive(p->host[1]->port, &run);
	assert_true(test_poll(p->b.recv_cq, &wc));
	assert_int_equal(wc.wr_id, 1);
	assert_int_equal(wc.byte_len, 139);
	datagram(p, 0, &run);
	assert_int_equal(test_post_recv(&p->b, 2, 0, 40), 0);
	tp_receive(p->host[1]->port, &run);
	assert_true(test_poll(p->b.recv_cq, &wc));
	assert_int_equal(wc.byte_len, 40);
}

static void receive__bad_sge(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_sge sge = {(uintptr_t)p->host[1]->buffer, 64, 0x12300};
	const struct ib_recv_wr wr = {.wr_id = 6, .sg_list = &sge, .num_sge = 1};
	struct tp_run run;
	struct ib_wc wc;

	assert_int_equal(ib_post_recv(p->b.ib, &wr, NULL), 0);
	datagram(p, 8, &run);
	tp_receive(p->host[1]->port, &run);
	assert_true(test_poll(p->b.recv_cq, &wc));
	assert_int_equal(wc.status, IB_WC_LOC_PROT_ERR);
	assert_int_equal(test_qp_state(&p->b), IB_QPS_ERR);
	tp_receive(p->host[1]->port, &run);
	assert_int_equal(drops(p), 2);
}

static void receive__memory_is_not_mapped(void **state)
{
	for (int grh = 0; grh < 2; grh++) {
		struct test_pair *p = begin(state);
		char *page;
		struct ib_mr *mr = test_unmapped_mr(p->host[1], IB_ACCESS_LOCAL_WRITE, &page);
		struct ib_sge sge = {(uintptr_t)page, 64, mr->lkey};
		const struct ib_recv_wr wr = {.wr_id = 6, .sg_list = &sge, .num_sge = 1};
		struct iovec gone = {page, 8};
		struct tp_run run;
		struct ib_wc wc;

		datagram(p, 8, &run);
		assert_int_equal(test_post_recv(&p->b, 1, 0, 64), 0);
		run.payload.iov = &gone;
		tp_receive(p->host[1]->port, &run); /* the sender's: lost, the receive stays */
		assert_int_equal(test_qp_state(&p->b), IB_QPS_RTS);
		datagram(p, 8, &run);
		tp_receive(p->host[1]->port, &run);
		assert_true(test_poll(p->b.recv_cq, &wc));
		assert_int_equal(ib_post_recv(p->b.ib, &wr, NULL), 0);
		run.path.has_grh = grh;
		tp_receive(p->host[1]->port, &run);
		assert_true(test_poll(p->b.recv_cq, &wc));
		assert_int_equal(wc.status, IB_WC_LOC_PROT_ERR);
		assert_int_equal(test_qp_state(&p->b), IB_QPS_ERR);
		test_qp_destroy(&p->a);
		test_qp_destroy(&p->b);
		ib_dereg_mr(mr);
	}
}

/* Not a datagram's: another service's QP, and none. */
static void receive__wrong_queue_pair(void **state)
{
	struct test_pair *p = begin(state);
	struct test_qp rc;
	struct tp_run run;

	assert_int_equal(test_qp_create(&rc, p->host[1], &(struct test_qp_options){0}), 0);
	assert_int_equal(test_qp_init(&rc), 0);
	datagram(p, 8, &run);
	run.dest_qpn = rc.ib->qp_num;
	tp_receive(p->host[1]->port, &run);
	run.dest_qpn = 0x4321;
	tp_receive(p->host[1]->port, &run);
	assert_int_equal(drops(p), 2);
	test_qp_destroy(&rc);
}

/* [rcp 12, 4]: refused when posted. */
static void post__too_long(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_ah *ah = handle(p);

	assert_int_equal(post(p, ah, 4096, QKEY), 0);
	assert_int_equal(post(p, ah, 4097, QKEY), -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_REQ_LENGTH);
	rdma_destroy_ah(ah, 0);
}

static void send__wire_is_full_or_broken(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_ah *ah = handle(p);
	struct ib_wc wc;

	p->wire->hold = true;
	p->wire->room = 0;
	assert_int_equal(post(p, ah, 8, QKEY), 0);
	p->wire->room = 8;
	tp_port_ready(p->host[0]->port);
	assert_string_equal(test_wire_log(p->wire), "SEND_ONLY 000055 8");
	assert_false(test_poll(p->a.send_cq, &wc));
	test_wire_drop(p->wire);
	assert_true(test_poll(p->a.send_cq, &wc));
	p->wire->error = -ENETDOWN;
	assert_int_equal(post(p, ah, 8, QKEY), 0);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.status, IB_WC_SUCCESS);
	p->wire->error = -EFAULT;
	assert_int_equal(post(p, ah, 8, QKEY), 0);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.status, IB_WC_LOC_PROT_ERR);
	assert_int_equal(test_qp_state(&p->a), IB_QPS_SQE);
	rdma_destroy_ah(ah, 0);
}

/* [rcp 12]: QP 1 takes any P_Key of the port and tells which; the WR says which to send. */
static void gsi__pkeys(void **state)
{
	struct test_pair *p = *state;
	const struct test_qp_options options = {.type = IB_QPT_GSI, .qkey = 0x80010000};
	struct ib_ah *ah;
	struct ib_wc wc;

	assert_int_equal(test_pair_connect(p, &options, &options), 0);
	ah = handle(p);
	p->host[0]->pkeys[2] = 0x8123;
	p->host[1]->pkeys[3] = 0x0123;
	assert_int_equal(test_post_recv(&p->b, 1, 0, 512), 0);
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND,
								 .bytes = 256,
								 .ah = ah,
								 .remote_qpn = 1,
								 .remote_qkey = 0x80010000,
								 .pkey_index = 2}),
			 0);
	assert_true(test_poll(p->b.recv_cq, &wc));
	assert_int_equal(wc.pkey_index, 3);
	assert_int_equal(wc.src_qp, 1);
	p->host[1]->pkeys[3] = 0;
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND,
								 .bytes = 256,
								 .ah = ah,
								 .remote_qpn = 1,
								 .remote_qkey = 0x80010000,
								 .pkey_index = 2}),
			 0);
	assert_int_equal(p->host[1]->ibp.pkey_violations, 1);
	rdma_destroy_ah(ah, 0);
}

/* [rcp 12]: QP 0 has no keys, and takes SMPs only. */
static void smi__takes_smps(void **state)
{
	struct test_pair *p = *state;
	const struct test_qp_options options = {.smi = true};
	struct test_wr wr = {.opcode = IB_WR_SEND, .bytes = 256};
	struct ib_wc wc;

	assert_int_equal(test_pair_connect(p, &options, &options), 0);
	wr.ah = handle(p);
	p->host[0]->pkeys[0] = 0x8042;
	for (int i = 0; i < 2; i++)
		assert_int_equal(test_post_recv(&p->b, 1, 0, 512), 0);
	assert_int_equal(test_post_send(&p->a, &wr), 0);
	assert_true(test_poll(p->b.recv_cq, &wc));
	wr.bytes = 255;
	assert_int_equal(test_post_send(&p->a, &wr), 0);
	assert_int_equal(drops(p), 1);
	wr.bytes = 257;
	assert_int_equal(test_post_send(&p->a, &wr), -EINVAL);
	rdma_destroy_ah(wr.ah, 0);
}

static const union ib_gid mgid = {.raw = {0xff, 0x12, 0x40, 0x1b, [15] = 7}};

/* [rcp 12]: all members on all ports but the sender, each with its own receive. */
static void group__all_but_the_sender(void **state)
{
	struct test_pair *p = begin(state);
	struct test_qp more[2];
	struct ib_ah *ah = group_handle(p, &mgid, 0xc001);
	struct ib_wc wc;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(test_qp_create(&more[i], p->host[i],
						&(struct test_qp_options){.type = IB_QPT_UD}),
				 0);
		assert_int_equal(test_qp_init(&more[i]), 0);
		assert_int_equal(test_qp_rtr(&more[i], NULL), 0);
		assert_int_equal(ib_attach_mcast(more[i].ib, (union ib_gid *)&mgid, 0xc001), 0);
		assert_int_equal(test_post_recv(&more[i], 1, 4096, 512), 0);
	}
	assert_int_equal(ib_attach_mcast(p->a.ib, (union ib_gid *)&mgid, 0xc001), 0);
	assert_int_equal(ib_attach_mcast(p->b.ib, (union ib_gid *)&mgid, 0xc001), 0);
	assert_int_equal(test_post_recv(&p->a, 1, 8192, 512), 0);
	assert_int_equal(test_post_recv(&p->b, 1, 8192, 512), 0);
	for (int n = 0; n < 2; n++)
		assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND,
									 .bytes = 64,
									 .ah = ah,
									 .remote_qpn = 0xffffff,
									 .remote_qkey = QKEY}),
				 0);
	assert_false(test_poll(p->a.recv_cq, &wc));
	assert_true(test_poll(p->b.recv_cq, &wc));
	assert_int_equal(wc.dlid_path_bits, 0);
	assert_true(test_poll(more[0].recv_cq, &wc));
	assert_true(test_poll(more[1].recv_cq, &wc));
	assert_false(test_poll(more[0].recv_cq, &wc)); /* one receive, one datagram */
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_true(test_poll(p->a.send_cq, &wc));
	for (int i = 0; i < 2; i++) {
		ib_detach_mcast(more[i].ib, (union ib_gid *)&mgid, 0xc001);
		test_qp_destroy(&more[i]);
	}
	ib_detach_mcast(p->a.ib, (union ib_gid *)&mgid, 0xc001);
	ib_detach_mcast(p->b.ib, (union ib_gid *)&mgid, 0xc001);
	rdma_destroy_ah(ah, 0);
}

/* [rcp 12]: unknown, or without a GRH. */
static void group__nobody_is_in(void **state)
{
	struct test_pair *p = begin(state);
	struct tp_run run;

	datagram(p, 8, &run);
	run.dest_qpn = 0xffffff;
	run.path.dlid = 0xc001;
	tp_receive(p->host[1]->port, &run);
	run.path.has_grh = true;
	tp_receive(p->host[1]->port, &run); /* the GID of a port */
	memcpy(run.path.dgid, mgid.raw, 16);
	tp_receive(p->host[1]->port, &run);
	assert_int_equal(drops(p), 3);
}

/* While a group gets its copies the sender is busy; posts wait their turn. */
static void group__waits_in_sqd(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_ah *ah = group_handle(p, &mgid, 0xc001);

	assert_int_equal(test_qp_to(&p->a, IB_QPS_SQD), 0);
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND,
								 .ah = ah,
								 .remote_qpn = 0xffffff,
								 .remote_qkey = QKEY}),
			 0);
	assert_string_equal(test_wire_log(p->wire), "");
	assert_int_equal(test_qp_to(&p->a, IB_QPS_RTS), 0);
	test_turn(0);
	assert_string_equal(test_wire_log(p->wire), "SEND_ONLY 000055 0");
	rdma_destroy_ah(ah, 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, test_pair_setup, test_pair_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(ud__from_post_to_both_completions),
		T(ud__with_a_grh),
		cmocka_unit_test_setup_teardown(ud__on_roce, test_pair_setup_roce,
						test_pair_teardown),
		T(ud_encode_grh__ipv6_and_groups),
		T(qkey__must_match),
		T(pkey__must_match),
		T(receive__none_and_too_short),
		T(receive__bad_sge),
		T(receive__memory_is_not_mapped),
		T(receive__wrong_queue_pair),
		T(post__too_long),
		T(send__wire_is_full_or_broken),
		T(gsi__pkeys),
		T(smi__takes_smps),
		T(group__all_but_the_sender),
		T(group__nobody_is_in),
		T(group__waits_in_sqd),
	};

	return verbena_test_main(tests);
}
