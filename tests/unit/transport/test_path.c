// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Whether a run came by the right path, and what happens when there are two. */
#include "common/test.h"

#include <string.h>

#include "common/test_host.h"
#include "transport/tp_qp.h"

#define FIRST_PSN 0x100u

static struct test_pair *begin(void **state, bool grh)
{
	struct test_pair *p = *state;

	p->wire->hold = true;
	assert_int_equal(test_pair_connect(p,
					   &(struct test_qp_options){.psn = FIRST_PSN, .grh = grh},
					   &(struct test_qp_options){.grh = grh}),
			 0);
	return p;
}

static void request(struct test_pair *p, struct tp_run *run)
{
	test_pair_packet(&p->b, &p->a, PKT_RC_WRITE_ONLY, FIRST_PSN, run);
	run->ack_req = true;
}

/* Whether b answers. It is then as if it had not. */
static bool is_taken(struct test_pair *p, const struct tp_run *run)
{
	const u64 before = p->host[1]->ibp.n_pkt_drops;
	bool answered;

	tp_receive(p->host[1]->port, run);
	answered = test_wire_drop(p->wire);
	assert_int_equal(p->host[1]->ibp.n_pkt_drops, before + !answered);
	return answered;
}

/* [rcp 9.1]: each part of the header that must fit. */
static void connected__header_checks(void **state)
{
	struct test_pair *p = begin(state, false);
	struct tp_run run;

	request(p, &run);
	run.path.slid = 9;
	assert_false(is_taken(p, &run));
	request(p, &run);
	run.path.has_grh = true;
	assert_false(is_taken(p, &run));
	request(p, &run);
	run.pkey = 0x8001;
	assert_false(is_taken(p, &run));
	assert_int_equal(p->host[1]->ibp.pkey_violations, 1);
	request(p, &run);
	run.dest_qpn ^= 0x1000;
	assert_false(is_taken(p, &run));
	request(p, &run);
	run.dest_qpn |= 1u << 24;
	assert_false(is_taken(p, &run));
	request(p, &run);
	run.first_opcode = run.last_opcode = PKT_UC_WRITE_ONLY;
	assert_false(is_taken(p, &run));
	run.first_opcode = run.last_opcode = PKT_XRC_WRITE_ONLY;
	assert_false(is_taken(p, &run));
	run.first_opcode = run.last_opcode = PKT_CNP;
	assert_false(is_taken(p, &run));
	run.first_opcode = run.last_opcode = 0x15;
	assert_false(is_taken(p, &run));
	run.first_opcode = run.last_opcode = PKT_RD_FLUSH;
	assert_false(is_taken(p, &run));
	request(p, &run);
	assert_true(is_taken(p, &run));
}

static void connected__header_checks_with_grh(void **state)
{
	struct test_pair *p = begin(state, true);
	struct tp_run run;

	request(p, &run);
	run.path.has_grh = false;
	assert_false(is_taken(p, &run));
	request(p, &run);
	run.path.sgid[15] ^= 1;
	assert_false(is_taken(p, &run));
	request(p, &run);
	run.path.dgid[0] ^= 1;
	assert_false(is_taken(p, &run));
	request(p, &run);
	assert_true(is_taken(p, &run));
}

static void connected__header_checks_on_roce(void **state)
{
	struct test_pair *p = begin(state, false);
	struct tp_run run;

	request(p, &run);
	run.path.sgid[15] ^= 1;
	assert_false(is_taken(p, &run));
	request(p, &run);
	assert_true(is_taken(p, &run));
}

/* [sm 5]: states that do not receive, and other kinds of queue pairs. */
static void connected__states(void **state)
{
	struct test_pair *p = *state;
	struct test_qp ud;
	struct tp_run run;

	p->wire->hold = true;
	assert_int_equal(test_pair_create(p, &(struct test_qp_options){.psn = FIRST_PSN},
					  &(struct test_qp_options){0}),
			 0);
	request(p, &run);
	assert_false(is_taken(p, &run)); /* RESET */
	assert_int_equal(test_qp_init(&p->b), 0);
	assert_false(is_taken(p, &run));
	assert_int_equal(test_qp_rtr(&p->b, &p->a), 0);
	assert_true(is_taken(p, &run));
	assert_int_equal(test_qp_to(&p->b, IB_QPS_ERR), 0);
	assert_false(is_taken(p, &run));
	assert_int_equal(test_qp_to(&p->b, IB_QPS_RESET), 0);
	assert_false(is_taken(p, &run));
	assert_int_equal(
		test_qp_create(&ud, p->host[1], &(struct test_qp_options){.type = IB_QPT_UD}), 0);
	assert_int_equal(test_qp_connect(&ud, &ud), -EINVAL); /* it cannot be connected twice */
	run.dest_qpn = ud.ib->qp_num;
	assert_false(is_taken(p, &run));
	test_qp_destroy(&ud);
}

/* A path takes the port's addresses as they are when it is made. */
static void tp_path_from_ah__lmc_and_gid(void **state)
{
	struct test_pair *p = *state;
	struct tp_port_state *ps = container_of(p->host[0]->port, struct tp_port_state, port);
	struct tp_port_addr addr = {.lid = 8, .lmc = 2, .mtu_bytes = 2048, .gid = {0xfe, [15] = 9}};
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB};
	struct tp_path path;

	tp_port_set_addr(p->host[0]->port, &addr);
	rdma_ah_set_dlid(&attr, 77);
	rdma_ah_set_sl(&attr, 3);
	rdma_ah_set_path_bits(&attr, 0x7e);
	tp_path_from_ah(ps, &attr, &path);
	assert_int_equal(path.slid, 10);
	assert_int_equal(path.dlid, 77);
	assert_int_equal(path.sl, 3);
	assert_false(path.has_grh);
	rdma_ah_set_grh(&attr, NULL, 0xfffff, 0, 5, 6);
	attr.grh.flow_label = 0x1abcde;
	tp_path_from_ah(ps, &attr, &path);
	assert_true(path.has_grh);
	assert_int_equal(path.flow_label, 0xabcde);
	assert_int_equal(path.hop_limit, 5);
	assert_int_equal(path.traffic_class, 6);
	assert_memory_equal(path.sgid, addr.gid, 16);
	for (uint16_t lid = 7; lid < 13; lid++) {
		path.dlid = lid;
		assert_int_equal(tp_path_is_own(ps, &path), lid >= 8 && lid < 12);
	}
	addr.lid = 0;
	addr.lmc = 0;
	tp_port_set_addr(p->host[0]->port, &addr);
	path.dlid = 0;
	assert_false(tp_path_is_own(ps, &path));
	addr.roce = true;
	tp_port_set_addr(p->host[0]->port, &addr);
	assert_false(tp_path_is_own(ps, &path));
	memcpy(path.dgid, path.sgid, 16);
	assert_true(tp_path_is_own(ps, &path));
	path.has_grh = false;
	assert_false(tp_path_is_own(ps, &path));
}

/* The alternate path leads to LID 3, which is b's, too. */
static void arm(struct test_qp *qp, uint16_t alt_dlid)
{
	struct ib_qp_attr attr = {
		.path_mig_state = IB_MIG_REARM, .alt_port_num = 1, .alt_timeout = 14};

	attr.alt_ah_attr.type = RDMA_AH_ATTR_TYPE_IB;
	rdma_ah_set_port_num(&attr.alt_ah_attr, 1);
	rdma_ah_set_dlid(&attr.alt_ah_attr, alt_dlid);
	assert_int_equal(ib_modify_qp(qp->ib, &attr, IB_QP_ALT_PATH | IB_QP_PATH_MIG_STATE), 0);
}

static enum ib_mig_state mig_state(const struct test_qp *qp)
{
	return (enum ib_mig_state)ibqp_to_rvtqp(qp->ib)->s_mig_state;
}

/* [rcp 14], [sm 8]: M = 0 arms; then M = 1 by the alternate path migrates. */
static void migration__of_the_responder(void **state)
{
	struct test_pair *p = begin(state, false);
	struct tp_run run;

	request(p, &run);
	run.path.slid = 3;
	run.migrated = true;
	assert_false(is_taken(p, &run));
	arm(&p->b, 3);
	assert_int_equal(mig_state(&p->b), IB_MIG_REARM);
	run.path.slid = 1;
	assert_true(is_taken(p, &run)); /* M = 1: the peer is not there yet */
	assert_int_equal(mig_state(&p->b), IB_MIG_REARM);
	run.migrated = false;
	assert_true(is_taken(p, &run));
	assert_int_equal(mig_state(&p->b), IB_MIG_ARMED);
	run.path.slid = 3;
	assert_false(is_taken(p, &run)); /* not without M */
	run.migrated = true;
	tp_receive(p->host[1]->port, &run);
	assert_int_equal(mig_state(&p->b), IB_MIG_MIGRATED);
	run = p->wire->queue[p->wire->head].run;
	assert_int_equal(run.path.dlid, 3);
	assert_true(run.migrated);
	test_turn(0);
	assert_int_equal(p->b.events & (1u << IB_EVENT_PATH_MIG), 1u << IB_EVENT_PATH_MIG);
	request(p, &run);
	assert_true(test_wire_drop(p->wire));
	assert_false(is_taken(p, &run)); /* the old path is gone */
}

/* [rcp 8.9, 14]: retries used up while armed: the alternate path, and as many retries again. */
static void migration__of_the_requester(void **state)
{
	struct test_pair *p = begin(state, false);
	struct tp_run run;

	test_wire_set_copies(p->wire, true); /* so that what is held counts as sent */
	arm(&p->a, 3);
	test_pair_packet(&p->a, &p->b, PKT_RC_WRITE_ONLY, 0, &run);
	tp_receive(p->host[0]->port, &run);
	assert_int_equal(mig_state(&p->a), IB_MIG_ARMED);
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_RDMA_WRITE}), 0);
	run = p->wire->queue[p->wire->head].run;
	assert_int_equal(run.path.dlid, 2);
	assert_false(run.migrated);
	test_turn(68ull * 8 * 1000000);
	assert_int_equal(mig_state(&p->a), IB_MIG_MIGRATED);
	run = p->wire->queue[p->wire->head + p->wire->count - 1].run;
	assert_int_equal(run.path.dlid, 3);
	assert_true(run.migrated);
	assert_int_equal(p->a.events & (1u << IB_EVENT_PATH_MIG), 1u << IB_EVENT_PATH_MIG);
	assert_int_equal(test_qp_state(&p->a), IB_QPS_RTS);
	test_turn(68ull * 9 * 1000000);
	assert_int_equal(test_qp_state(&p->a), IB_QPS_ERR);
}

/* [rcp 8.9, 14]: as many retries again, though it was the peer that migrated first. */
static void migration__of_the_responder_reloads_retries(void **state)
{
	struct test_pair *p = begin(state, false);
	struct tp_run run;

	test_wire_set_copies(p->wire, true);
	arm(&p->a, 3);
	test_pair_packet(&p->a, &p->b, PKT_RC_WRITE_ONLY, 0, &run);
	tp_receive(p->host[0]->port, &run);
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_RDMA_WRITE}), 0);
	while (ibqp_to_rvtqp(p->a.ib)->s_retry)
		test_turn(68ull * 1000000);
	assert_int_equal(mig_state(&p->a), IB_MIG_ARMED);
	run.path.slid = 3;
	run.migrated = true;
	run.psn = psn_add(run.psn, 1);
	tp_receive(p->host[0]->port, &run);
	assert_int_equal(mig_state(&p->a), IB_MIG_MIGRATED);
	test_turn(68ull * 2 * 1000000);
	assert_int_equal(test_qp_state(&p->a), IB_QPS_RTS);
}

/* [sm 8]: asked for by the user. */
static void migration__on_request(void **state)
{
	struct test_pair *p = begin(state, false);
	struct ib_qp_attr attr = {.path_mig_state = IB_MIG_MIGRATED};
	struct tp_run run;

	arm(&p->a, 3);
	test_pair_packet(&p->a, &p->b, PKT_RC_WRITE_ONLY, 0, &run);
	tp_receive(p->host[0]->port, &run);
	assert_int_equal(ib_modify_qp(p->a.ib, &attr, IB_QP_PATH_MIG_STATE), 0);
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_RDMA_WRITE}), 0);
	run = p->wire->queue[p->wire->head].run;
	assert_int_equal(run.path.dlid, 3);
}

/* Who waits for the port of the old path is not told of that of the new one: it asks. */
static void migration__while_waiting_for_the_port(void **state)
{
	for (int asked = 0; asked < 2; asked++) {
		struct test_pair *p = begin(state, false);
		struct ib_qp_attr attr = {.path_mig_state = IB_MIG_MIGRATED};
		struct tp_run run;

		arm(&p->a, 3);
		test_pair_packet(&p->a, &p->b, PKT_RC_WRITE_ONLY, 0, &run);
		tp_receive(p->host[0]->port, &run);
		assert_int_equal(mig_state(&p->a), IB_MIG_ARMED);
		p->wire->room = 0;
		assert_int_equal(
			test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_RDMA_WRITE}), 0);
		p->wire->room = 8;
		run.path.slid = 3;
		run.migrated = true;
		if (asked)
			assert_int_equal(ib_modify_qp(p->a.ib, &attr, IB_QP_PATH_MIG_STATE), 0);
		else
			tp_receive(p->host[0]->port, &run);
		test_turn(0);
		assert_int_equal(mig_state(&p->a), IB_MIG_MIGRATED);
		assert_int_equal(p->wire->count, 1);
		assert_int_equal(p->wire->queue[p->wire->head].run.path.dlid, 3);
		test_qp_destroy(&p->a);
		test_qp_destroy(&p->b);
	}
}

#define T(name) cmocka_unit_test_setup_teardown(name, test_pair_setup, test_pair_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(connected__header_checks),
		T(connected__header_checks_with_grh),
		cmocka_unit_test_setup_teardown(connected__header_checks_on_roce,
						test_pair_setup_roce, test_pair_teardown),
		T(connected__states),
		T(tp_path_from_ah__lmc_and_gid),
		T(migration__of_the_responder),
		T(migration__of_the_requester),
		T(migration__of_the_responder_reloads_retries),
		T(migration__on_request),
		T(migration__while_waiting_for_the_port),
	};

	return verbena_test_main(tests);
}
