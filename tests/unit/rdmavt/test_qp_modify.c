// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* rvt_modify_qp(): what it refuses, what it stores, what a change of state sets going. */
#include "qp_fixture.h"
#include "rdmavt/qp.h"

/* A modify call that must be refused, and change nothing. */
static void refused(struct ib_qp *ibqp, struct ib_qp_attr attr, int mask, int err,
		    const char *cause)
{
	struct rvt_qp *qp = ibqp_to_rvtqp(ibqp);
	struct ib_qp_attr before, after;
	struct ib_qp_init_attr init;

	memset(&before, 0, sizeof(before));
	memset(&after, 0, sizeof(after));
	assert_int_equal(rvt_query_qp(ibqp, &before, 0, &init), 0);
	assert_int_equal(rvt_modify_qp(ibqp, &attr, mask, NULL), err);
	assert_contains(last_cause(), cause);
	assert_int_equal(rvt_query_qp(ibqp, &after, 0, &init), 0);
	assert_memory_equal(&before, &after, sizeof(before));
	assert_false(spin_is_locked(&qp->r_lock));
}

static void modified(struct ib_qp *ibqp, struct ib_qp_attr attr, int mask)
{
	assert_int_equal(rvt_modify_qp(ibqp, &attr, mask, NULL), 0);
}

static struct ib_qp_attr to(enum ib_qp_state state)
{
	return (struct ib_qp_attr){.qp_state = state};
}

/* Refusals */

static void modify__unknown_bits(void **state)
{
	struct fixture *f = *state;

	refused(f->a.qp, to(IB_QPS_INIT), IB_QP_STATE | IB_QP_RATE_LIMIT, -EOPNOTSUPP,
		"has bits the device does not know");
	assert_int_equal(f->fake->modifies, 0);
}

/* The kernel's rdmavt believes cur_qp_state. */
static void modify__cur_qp_state_must_be_true(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr attr = {.qp_state = IB_QPS_RTS, .cur_qp_state = IB_QPS_SQE};

	refused(f->a.qp, attr, IB_QP_STATE | IB_QP_CUR_STATE, -EINVAL,
		"cur_qp_state says SQE, yet the QP is in RTS");
	attr.cur_qp_state = IB_QPS_RTS;
	modified(f->a.qp, attr, IB_QP_STATE | IB_QP_CUR_STATE);
}

static void modify__driver_may_refuse(void **state)
{
	struct fixture *f = *state;

	f->fake->modify_error = 1;
	refused(f->a.qp, to(IB_QPS_ERR), IB_QP_STATE, -EINVAL, "the driver refuses");
}

static void modify__no_way_into_sqe(void **state)
{
	struct fixture *f = *state;

	refused(f->a.qp, to(IB_QPS_SQE), IB_QP_STATE, -EINVAL, "an RC QP has no SQE state");
}

#define RTR_MASK                                                                   \
	(IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN | \
	 IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER)
#define RTS_MASK                                                                          \
	(IB_QP_STATE | IB_QP_SQ_PSN | IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | \
	 IB_QP_MAX_QP_RD_ATOMIC)
#define INIT_MASK (IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS)

static struct rdma_ah_attr path_to(u16 lid)
{
	struct rdma_ah_attr ah = {.type = RDMA_AH_ATTR_TYPE_IB};

	rdma_ah_set_dlid(&ah, lid);
	rdma_ah_set_port_num(&ah, 1);
	return ah;
}

static struct ib_qp_attr to_init(void)
{
	return (struct ib_qp_attr){.qp_state = IB_QPS_INIT,
				   .port_num = 2,
				   .pkey_index = 1,
				   .qp_access_flags = IB_ACCESS_FLUSH_PERSISTENT | 6};
}

static struct ib_qp_attr to_rtr(void)
{
	return (struct ib_qp_attr){.qp_state = IB_QPS_RTR,
				   .path_mtu = IB_MTU_2048,
				   .dest_qp_num = 0x123456,
				   .rq_psn = 0x7654321,
				   .max_dest_rd_atomic = 3,
				   .min_rnr_timer = 31,
				   .ah_attr = path_to(7)};
}

static struct ib_qp_attr to_rts(void)
{
	return (struct ib_qp_attr){.qp_state = IB_QPS_RTS,
				   .sq_psn = 0x1000000,
				   .timeout = 14,
				   .retry_cnt = 7,
				   .rnr_retry = 6,
				   .max_rd_atomic = 200};
}

static void modify__init_attributes_are_checked(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr attr = to_init();

	attr.pkey_index = FAKE_RVT_PKEYS;
	refused(f->a.qp, attr, INIT_MASK, -EINVAL, "P_Key index 2; the port has 2");
	attr = to_init();
	attr.port_num = 3;
	refused(f->a.qp, attr, INIT_MASK, -EINVAL, "port 3; the device has ports 1 to 2");
	attr.port_num = 0;
	refused(f->a.qp, attr, INIT_MASK, -EINVAL, "port 0");
	refused(f->a.qp, to_init(), INIT_MASK & ~IB_QP_PORT, -EINVAL, "missing");
	refused(f->a.qp, to_init(), INIT_MASK | IB_QP_QKEY, -EINVAL, "does not take");
	modified(f->a.qp, to_init(), INIT_MASK);
	assert_int_equal(f->fake->modifies, 1);
}

static void modify__rtr_attributes_are_checked(void **state)
{
	struct fixture *f = *state;
	struct ib_qp *qp = f->a.qp;
	struct ib_qp_attr attr;

	modified(qp, to_init(), INIT_MASK);
	attr = to_rtr();
	rdma_ah_set_dlid(&attr.ah_attr, 0xc000);
	refused(qp, attr, RTR_MASK, -EINVAL, "leads to LID 0xc000, which is a multicast LID");
	attr = to_rtr();
	rdma_ah_set_port_num(&attr.ah_attr, 3);
	refused(qp, attr, RTR_MASK, -EINVAL, "port 3");
	attr = to_rtr();
	attr.min_rnr_timer = 32;
	refused(qp, attr, RTR_MASK, -EINVAL, "min_rnr_timer 32");
	attr = to_rtr();
	attr.dest_qp_num = 0x1000000;
	refused(qp, attr, RTR_MASK, -EINVAL, "destination QP 0x1000000");
	attr = to_rtr();
	attr.path_mtu = (enum ib_mtu)9;
	refused(qp, attr, RTR_MASK, -EINVAL, "path MTU code 9");
	attr = to_rtr();
	attr.max_dest_rd_atomic = FAKE_RVT_MAX_READS + 1;
	refused(qp, attr, RTR_MASK, -EINVAL, "max_dest_rd_atomic 5; the device takes 4");
	attr = to_rtr();
	attr.alt_ah_attr = path_to(8);
	attr.alt_pkey_index = 2;
	refused(qp, attr, RTR_MASK | IB_QP_ALT_PATH, -EINVAL, "P_Key index 2");
	attr.alt_pkey_index = 1;
	attr.alt_port_num = 3;
	refused(qp, attr, RTR_MASK | IB_QP_ALT_PATH, -EINVAL, "port 3");
	attr.alt_port_num = 0;
	rdma_ah_set_dlid(&attr.alt_ah_attr, 0xffff);
	refused(qp, attr, RTR_MASK | IB_QP_ALT_PATH, -EINVAL, "multicast LID");
	modified(qp, to_rtr(), RTR_MASK);
}

static void modify__rts_attributes_are_checked(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr attr;

	modified(f->a.qp, to_init(), INIT_MASK);
	modified(f->a.qp, to_rtr(), RTR_MASK);
	attr = to_rts();
	attr.retry_cnt = 8;
	refused(f->a.qp, attr, RTS_MASK, -EINVAL, "retry_cnt 8");
	attr = to_rts();
	attr.rnr_retry = 8;
	refused(f->a.qp, attr, RTS_MASK, -EINVAL, "rnr_retry 8");
	modified(f->a.qp, to_rts(), RTS_MASK);
}

/* Everything that was set can be read. */
static void query__returns_what_was_set(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);
	struct ib_qp_attr attr = to_rtr(), got;
	struct ib_qp_init_attr init;

	modified(f->a.qp, to_init(), INIT_MASK);
	attr.alt_ah_attr = path_to(9);
	attr.alt_pkey_index = 1;
	attr.alt_port_num = 2;
	attr.alt_timeout = 11;
	modified(f->a.qp, attr, RTR_MASK | IB_QP_ALT_PATH);
	modified(f->a.qp, to_rts(), RTS_MASK);
	assert_int_equal(ib_query_qp(f->a.qp, &got, 0, &init), 0);
	assert_int_equal(got.qp_state, IB_QPS_RTS);
	assert_int_equal(got.cur_qp_state, IB_QPS_RTS);
	assert_int_equal(got.path_mtu, IB_MTU_2048);
	assert_int_equal(got.path_mig_state, IB_MIG_MIGRATED);
	assert_int_equal(got.rq_psn, 0x654321);
	assert_int_equal(got.sq_psn, 0);
	assert_int_equal(got.dest_qp_num, 0x123456);
	assert_int_equal(got.qp_access_flags, IB_ACCESS_FLUSH_PERSISTENT | 6);
	assert_int_equal(rdma_ah_get_dlid(&got.ah_attr), 7);
	assert_int_equal(rdma_ah_get_dlid(&got.alt_ah_attr), 9);
	assert_int_equal(got.pkey_index, 1);
	assert_int_equal(got.alt_pkey_index, 1);
	assert_int_equal(got.en_sqd_async_notify, 0);
	assert_int_equal(got.sq_draining, 0);
	assert_int_equal(got.max_rd_atomic, 200);
	assert_int_equal(got.max_dest_rd_atomic, 3);
	assert_int_equal(got.min_rnr_timer, 31);
	assert_int_equal(got.port_num, 2);
	assert_int_equal(got.timeout, 14);
	assert_int_equal(got.retry_cnt, 7);
	assert_int_equal(got.rnr_retry, 6);
	assert_int_equal(got.alt_port_num, 2);
	assert_int_equal(got.alt_timeout, 11);
	assert_int_equal(got.cap.max_send_wr, 8);
	assert_int_equal(got.cap.max_recv_wr, 8);
	assert_int_equal(got.cap.max_send_sge, 4);
	assert_int_equal(got.cap.max_recv_sge, 4);
	assert_int_equal(got.cap.max_inline_data, 0);
	assert_ptr_equal(init.send_cq, f->a.send_cq);
	assert_ptr_equal(init.recv_cq, f->a.recv_cq);
	assert_ptr_equal(init.qp_context, &f->a);
	assert_int_equal(init.qp_type, IB_QPT_RC);
	assert_int_equal(init.sq_sig_type, IB_SIGNAL_ALL_WR);
	assert_int_equal(init.port_num, 2);
	assert_int_equal(init.create_flags, 0);
	/* The rest of what SQ_PSN and the MTU set. */
	assert_int_equal(qp->s_psn, 0);
	assert_int_equal(qp->s_last_psn, 0xffffff);
	assert_int_equal(qp->pmtu, 2048);
	assert_int_equal(qp->log_pmtu, 11);
	assert_int_equal(qp->timeout_jiffies, rvt_timeout_to_jiffies(14));
	assert_int_equal(qp->s_retry, 7);
	assert_int_equal(qp->s_rnr_retry, 6);
}

/* A timeout of 0 is no timeout [rcp 7]. */
static void modify__timeout_of_zero_is_none(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr attr = {.timeout = 0};

	modified(f->a.qp, to(IB_QPS_SQD), IB_QP_STATE);
	modified(f->a.qp, attr, IB_QP_TIMEOUT);
	assert_int_equal(qp_a(f)->timeout_jiffies, 0);
}

/* The table, by this way in: each pair with bare STATE and with all that is required [sm 3]. */
static void modify__every_pair_as_the_table_says(void **state)
{
	static const enum ib_qp_type types[] = {IB_QPT_RC, IB_QPT_UC, IB_QPT_UD};
	struct fixture *f = *state;

	for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
		const struct ib_qp_init_attr init = {.qp_type = types[t]};
		struct fake_rvt_end end = {0};

		assert_int_equal(fake_rvt_end_init(&end, f->pd, &init), 0);
		for (int from = IB_QPS_RESET; from <= IB_QPS_ERR; from++) {
			for (int into = IB_QPS_RESET; into <= IB_QPS_ERR; into++) {
				struct ib_qp_attr attr = to((enum ib_qp_state)into);
				const bool ok = ib_modify_qp_is_ok((enum ib_qp_state)from,
								   (enum ib_qp_state)into, types[t],
								   IB_QP_STATE);
				struct rvt_qp *qp = ibqp_to_rvtqp(end.qp);

				modified(end.qp, to(IB_QPS_RESET), IB_QP_STATE);
				if (from)
					assert_int_equal(fake_rvt_to(end.qp, IB_QPS_INIT, 1), 0);
				qp->state = (u8)from;
				assert_int_equal(rvt_modify_qp(end.qp, &attr, IB_QP_STATE, NULL),
						 ok ? 0 : -EINVAL);
				assert_int_equal(qp->state, ok ? into : from);
			}
		}
		fake_rvt_end_exit(&end);
	}
}

/* Changes of state */

static void modify__init_publishes_and_reset_withdraws(void **state)
{
	struct fixture *f = *state;
	struct rvt_dev_info *rdi = &f->fake->rdi;
	const u32 qpn = f->a.qp->qp_num;

	rcu_read_lock();
	assert_null(rvt_lookup_qpn(rdi, rdi->ports[0], qpn));
	rcu_read_unlock();
	modified(f->a.qp, to_init(), INIT_MASK);
	assert_int_equal(atomic_read(&qp_a(f)->refcount), 1);
	rcu_read_lock();
	assert_ptr_equal(rvt_lookup_qpn(rdi, rdi->ports[0], qpn), qp_a(f));
	rcu_read_unlock();
	modified(f->a.qp, to(IB_QPS_RESET), IB_QP_STATE);
	assert_int_equal(atomic_read(&qp_a(f)->refcount), 0);
	assert_int_equal(f->fake->resets, 1);
	rcu_read_lock();
	assert_null(rvt_lookup_qpn(rdi, rdi->ports[0], qpn));
	rcu_read_unlock();
	/* Once more changes nothing. */
	modified(f->a.qp, to(IB_QPS_RESET), IB_QP_STATE);
	assert_int_equal(f->fake->resets, 1);
}

static void modify__rtr_may_establish_again(void **state)
{
	struct fixture *f = *state;

	modified(f->a.qp, to_init(), INIT_MASK);
	qp_a(f)->r_flags = RVT_R_COMM_EST | RVT_R_REUSE_SGE;
	modified(f->a.qp, to_rtr(), RTR_MASK);
	assert_int_equal(qp_a(f)->r_flags, RVT_R_REUSE_SGE);
}

static void modify__idle_queue_is_drained_at_once(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr sqd = {.qp_state = IB_QPS_SQD, .en_sqd_async_notify = 1};
	struct ib_qp_attr got;
	struct ib_qp_init_attr init;

	modified(f->a.qp, sqd, IB_QP_STATE);
	assert_int_equal(f->a.events, 0);
	modified(f->a.qp, to(IB_QPS_RTS), IB_QP_STATE);
	modified(f->a.qp, sqd, IB_QP_STATE | IB_QP_EN_SQD_ASYNC_NOTIFY);
	assert_true(raised(&f->a, IB_EVENT_SQ_DRAINED));
	assert_int_equal(ib_query_qp(f->a.qp, &got, 0, &init), 0);
	assert_int_equal(got.en_sqd_async_notify, 1);
	/* Changing attributes in SQD is not entering it. */
	modified(f->a.qp, (struct ib_qp_attr){.timeout = 5}, IB_QP_TIMEOUT);
	assert_int_equal(f->a.event_count, 1);
	modified(f->a.qp, to(IB_QPS_RTS), IB_QP_STATE);
	assert_int_equal(ib_query_qp(f->a.qp, &got, 0, &init), 0);
	assert_int_equal(got.en_sqd_async_notify, 0);
}

/* [sm 6]: what was not flushed in SQE is not sent in RTS. */
static void modify__rts_after_sqe_flushes_the_rest(void **state)
{
	struct fixture *f = *state;
	const struct ib_send_wr wr = {.wr_id = 9, .opcode = IB_WR_SEND};
	struct ib_qp_attr rts = {.qp_state = IB_QPS_RTS, .cur_qp_state = IB_QPS_SQE};
	struct rvt_qp *qp = qp_a(f);

	f->fake->manual = true;
	assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), 0);
	assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), 0);
	spin_lock(&qp->r_lock);
	spin_lock(&qp->s_lock);
	rvt_send_complete(qp, rvt_get_swqe_ptr(qp, 0), IB_WC_LOC_PROT_ERR);
	spin_unlock(&qp->s_lock);
	spin_unlock(&qp->r_lock);
	assert_int_equal(state_of(&f->a), IB_QPS_SQE);
	assert_int_not_equal(rvt_qp_cause_id(qp), 0);
	modified(f->a.qp, rts, IB_QP_STATE | IB_QP_CUR_STATE);
	expect(f->a.send_cq, 9, IB_WC_LOC_PROT_ERR);
	expect(f->a.send_cq, 9, IB_WC_WR_FLUSH_ERR);
	assert_int_equal(rvt_qp_cause_id(qp), 0);
	assert_int_equal(post_recv(f, f->b.qp, 1, 1), 0);
	assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), 0);
	fake_rvt_turn(0);
	expect(f->a.send_cq, 9, IB_WC_SUCCESS);
}

static void modify__err_is_the_programs_own_cause(void **state)
{
	struct fixture *f = *state;

	modified(f->a.qp, to(IB_QPS_ERR), IB_QP_STATE);
	assert_int_equal(rvt_qp_cause_id(qp_a(f)), BASE_CAUSE_QP_ERR_ASKED);
	assert_int_equal(f->fake->errors, 1);
	modified(f->a.qp, to(IB_QPS_ERR), IB_QP_STATE);
	assert_int_equal(f->fake->errors, 1);
	modified(f->a.qp, to(IB_QPS_RESET), IB_QP_STATE);
	assert_int_equal(rvt_qp_cause_id(qp_a(f)), 0);
}

/* Path migration [sm 8] */

static void set_mig(struct fixture *f, enum ib_mig_state mig, enum ib_qp_state state, int err)
{
	struct ib_qp_attr attr = {.qp_state = state, .path_mig_state = mig};

	assert_int_equal(rvt_modify_qp(f->a.qp, &attr, IB_QP_STATE | IB_QP_PATH_MIG_STATE, NULL),
			 err);
}

static void migration__what_a_program_may_ask(void **state)
{
	struct fixture *f = *state;

	set_mig(f, IB_MIG_ARMED, IB_QPS_RTS, -EINVAL);
	assert_contains(last_cause(), "migration state 2 after 0 on the way to RTS");
	set_mig(f, IB_MIG_REARM, IB_QPS_RTS, 0);
	assert_int_equal(qp_a(f)->s_mig_state, IB_MIG_REARM);
	set_mig(f, IB_MIG_MIGRATED, IB_QPS_RTS, -EINVAL);
	qp_a(f)->s_mig_state = IB_MIG_ARMED;
	set_mig(f, IB_MIG_REARM, IB_QPS_RTS, -EINVAL);
}

static void migration__armed_to_migrated_changes_the_path(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);
	struct ib_qp_attr attr = {.qp_state = IB_QPS_RTS, .alt_ah_attr = path_to(42)};

	attr.alt_port_num = 2;
	attr.alt_pkey_index = 1;
	attr.alt_timeout = 20;
	modified(f->a.qp, attr, IB_QP_STATE | IB_QP_ALT_PATH);
	qp->s_mig_state = IB_MIG_ARMED;
	set_mig(f, IB_MIG_MIGRATED, IB_QPS_RTS, 0);
	fake_rvt_turn(0);
	assert_true(raised(&f->a, IB_EVENT_PATH_MIG));
	assert_int_equal(qp->s_mig_state, IB_MIG_MIGRATED);
	assert_int_equal(rdma_ah_get_dlid(&qp->remote_ah_attr), 42);
	assert_int_equal(qp->port_num, 2);
	assert_int_equal(qp->s_pkey_index, 1);
	assert_int_equal(qp->timeout, 20);
}

/* SMI and GSI QPs stay on their port. */
static void modify__special_qp_keeps_its_port(void **state)
{
	struct fixture *f = *state;
	const struct ib_qp_init_attr init = {.qp_type = IB_QPT_GSI, .port_num = 1};
	struct ib_qp_attr attr = {.qp_state = IB_QPS_INIT, .qkey = 0x80010000};
	struct rvt_dev_info *rdi = &f->fake->rdi;

	assert_int_equal(fake_rvt_end_init(&f->a, f->pd, &init), 0);
	assert_int_equal(f->a.qp->qp_num, 1);
	modified(f->a.qp, attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_QKEY);
	assert_ptr_equal(rdi->ports[0]->qp[1], qp_a(f));
	assert_null(rdi->ports[1]->qp[1]);
	modified(f->a.qp, to(IB_QPS_RESET), IB_QP_STATE);
	assert_null(rdi->ports[0]->qp[1]);
}

#define RESET(test) cmocka_unit_test_setup_teardown(test, fixture_rc_reset, fixture_down)
#define RC(test) cmocka_unit_test_setup_teardown(test, fixture_rc, fixture_down)
#define UC(test) cmocka_unit_test_setup_teardown(test, fixture_uc, fixture_down)
#define BARE(test) cmocka_unit_test_setup_teardown(test, fixture_bare, fixture_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESET(modify__unknown_bits),
		RC(modify__cur_qp_state_must_be_true),
		RC(modify__driver_may_refuse),
		RC(modify__no_way_into_sqe),
		RESET(modify__init_attributes_are_checked),
		RESET(modify__rtr_attributes_are_checked),
		RESET(modify__rts_attributes_are_checked),
		RESET(query__returns_what_was_set),
		RC(modify__timeout_of_zero_is_none),
		BARE(modify__every_pair_as_the_table_says),
		RESET(modify__init_publishes_and_reset_withdraws),
		RESET(modify__rtr_may_establish_again),
		RC(modify__idle_queue_is_drained_at_once),
		UC(modify__rts_after_sqe_flushes_the_rest),
		RC(modify__err_is_the_programs_own_cause),
		RC(migration__what_a_program_may_ask),
		RC(migration__armed_to_migrated_changes_the_path),
		BARE(modify__special_qp_keeps_its_port),
	};

	return verbena_test_main(tests);
}
