/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What drivers and the transport do with QPs. */
#include <string.h>
#include <rdma/rdmavt_qp.h>

#include "common/test.h"

#define SLOTS 4
#define MAX_SGE 2

/* A QP with a send ring, a port, and CQs. */
static char send_ring[SLOTS *
		      (sizeof(struct rvt_swqe) + MAX_SGE * sizeof(struct rvt_sge))] __aligned(8);
static struct rvt_dev_info rdi;
static struct rvt_ibport port;
static struct rvt_ibport *ports[] = {&port};
static struct rvt_cq send_cq, recv_cq;
static struct rvt_qp qp;
static struct rvt_mregion mr;

/* What stands behind the inlines. */
static struct rvt_cq *entered_in;
static struct ib_wc entered;
static bool entered_solicited, cq_is_full;
static struct ib_cq *full_cq;
static struct rdma_ah_attr *address_released;
static struct rvt_qp *retry_timer_of;
static u8 retry_timer_shift;

bool rvt_cq_enter(struct rvt_cq *cq, struct ib_wc *entry, bool solicited)
{
	entered_in = cq;
	entered = *entry;
	entered_solicited = solicited;
	return !cq_is_full;
}

void rvt_qp_ring_completed(struct rvt_qp *q)
{
	assert_ptr_equal(q, &qp);
}

void rvt_qp_cq_full(struct rvt_qp *q, struct ib_cq *ibcq)
{
	assert_ptr_equal(q, &qp);
	full_cq = ibcq;
}

void rdma_destroy_ah_attr(struct rdma_ah_attr *ah_attr)
{
	address_released = ah_attr;
}

void rvt_add_retry_timer_ext(struct rvt_qp *q, u8 shift)
{
	retry_timer_of = q;
	retry_timer_shift = shift;
}

static void on_release(struct percpu_ref *ref)
{
	(void)ref;
}

static int setup(void **state)
{
	(void)state;
	memset(send_ring, 0, sizeof(send_ring));
	memset(&rdi, 0, sizeof(rdi));
	memset(&port, 0, sizeof(port));
	memset(&send_cq, 0, sizeof(send_cq));
	memset(&recv_cq, 0, sizeof(recv_cq));
	memset(&qp, 0, sizeof(qp));
	memset(&mr, 0, sizeof(mr));
	memset(&entered, 0, sizeof(entered));
	entered_in = NULL;
	entered_solicited = false;
	cq_is_full = false;
	full_cq = NULL;
	address_released = NULL;
	retry_timer_of = NULL;
	retry_timer_shift = 0xff;

	rdi.ports = ports;
	qp.ibqp.device = &rdi.ibdev;
	qp.ibqp.send_cq = &send_cq.ibcq;
	qp.ibqp.recv_cq = &recv_cq.ibcq;
	qp.s_wq = (struct rvt_swqe *)send_ring;
	qp.s_size = SLOTS;
	qp.s_max_sge = MAX_SGE;
	qp.port_num = 1;
	qp.pmtu = 1024;
	qp.log_pmtu = 10;
	atomic_set(&qp.refcount, 1);
	return percpu_ref_init(&mr.refcount, on_release, 0, GFP_KERNEL);
}

/* A request in slot 0 with two SGEs. */
static struct rvt_swqe *queue_request(int flags)
{
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(&qp, 0);

	wqe->wr.wr_id = 0x77;
	wqe->wr.num_sge = MAX_SGE;
	wqe->wr.send_flags = flags;
	wqe->length = 99;
	for (int i = 0; i < MAX_SGE; i++) {
		wqe->sg_list[i].mr = &mr;
		rvt_get_mr(&mr);
	}
	return wqe;
}

static void rvt_get_swqe_remote_qpn__reads_the_datagram_part(void **state)
{
	(void)state;
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(&qp, 0);

	wqe->ud_wr.wr.remote_qpn = 0x123456;
	assert_int_equal(rvt_get_swqe_remote_qpn(wqe), 0x123456);
}

static void rvt_get_swqe_remote_qkey__reads_the_datagram_part(void **state)
{
	(void)state;
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(&qp, 0);

	wqe->ud_wr.wr.remote_qkey = 0x80010000;
	assert_int_equal(rvt_get_swqe_remote_qkey(wqe), 0x80010000);
}

static void rvt_get_swqe_pkey_index__reads_the_datagram_part(void **state)
{
	(void)state;
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(&qp, 0);

	wqe->ud_wr.wr.pkey_index = 3;
	assert_int_equal(rvt_get_swqe_pkey_index(wqe), 3);
}

static void rvt_get_swqe_ah__is_rdmavts(void **state)
{
	(void)state;
	static struct rvt_ah ah;
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(&qp, 0);

	wqe->ud_wr.wr.ah = &ah.ibah;
	assert_ptr_equal(rvt_get_swqe_ah(wqe), &ah);
}

static void rvt_get_swqe_ah_attr__is_the_cached_address(void **state)
{
	(void)state;
	struct rdma_ah_attr attr;
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(&qp, 0);

	wqe->ud_wr.attr = &attr;
	assert_ptr_equal(rvt_get_swqe_ah_attr(wqe), &attr);
}

static void rvt_get_rq_count__wraps(void **state)
{
	(void)state;
	struct rvt_rq rq = {.size = 8};

	assert_int_equal(rvt_get_rq_count(&rq, 5, 2), 3);
	assert_int_equal(rvt_get_rq_count(&rq, 2, 5), 5);
	assert_int_equal(rvt_get_rq_count(&rq, 4, 4), 0);
}

static void ibsrq_to_rvtsrq__is_the_structure_around_it(void **state)
{
	(void)state;
	static struct rvt_srq srq;

	assert_ptr_equal(ibsrq_to_rvtsrq(&srq.ibsrq), &srq);
}

static void ibqp_to_rvtqp__is_the_structure_around_it(void **state)
{
	(void)state;
	assert_ptr_equal(ibqp_to_rvtqp(&qp.ibqp), &qp);
}

static void rvt_get_swqe_ptr__steps_over_the_sges(void **state)
{
	(void)state;
	const size_t slot = sizeof(struct rvt_swqe) + MAX_SGE * sizeof(struct rvt_sge);

	assert_ptr_equal(rvt_get_swqe_ptr(&qp, 0), send_ring);
	assert_ptr_equal(rvt_get_swqe_ptr(&qp, 3), send_ring + 3 * slot);
}

static void rvt_get_rwqe_ptr__steps_over_the_sges(void **state)
{
	(void)state;
	const size_t slot = sizeof(struct rvt_rwqe) + 3 * sizeof(struct rvt_wqe_sge);
	char entries[1] = {0};
	struct rvt_krwq kwq = {.curr_wq = (struct rvt_rwqe *)entries};
	struct rvt_rq rq = {.kwq = &kwq, .max_sge = 3};

	assert_ptr_equal(rvt_get_rwqe_ptr(&rq, 0), entries);
	assert_int_equal((char *)rvt_get_rwqe_ptr(&rq, 5) - entries, 5 * slot);
}

static void rvt_is_user_qp__has_a_process(void **state)
{
	(void)state;
	assert_false(rvt_is_user_qp(&qp));
	qp.pid = 7;
	assert_true(rvt_is_user_qp(&qp));
}

static void rvt_get_qp__takes_a_reference(void **state)
{
	(void)state;
	rvt_get_qp(&qp);
	assert_int_equal(atomic_read(&qp.refcount), 2);
}

static void rvt_put_qp__the_last_one_wakes(void **state)
{
	(void)state;
	uint64_t wakes = base_wake_count();

	rvt_get_qp(&qp);
	rvt_put_qp(&qp);
	assert_int_equal(base_wake_count(), wakes);
	rvt_put_qp(&qp);
	assert_int_equal(atomic_read(&qp.refcount), 0);
	assert_int_equal(base_wake_count(), wakes + 1);
	rvt_put_qp(NULL);
}

static void rvt_put_swqe__releases_its_mrs(void **state)
{
	(void)state;
	struct rvt_swqe *wqe = queue_request(0);

	rvt_put_swqe(wqe);
	assert_int_equal(atomic64_read(&mr.refcount.count), 1);
}

static void rvt_put_qp_swqe__releases_a_datagrams_address(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {0};
	struct rvt_swqe *wqe = queue_request(0);

	wqe->ud_wr.attr = &attr;
	qp.allowed_ops = IB_OPCODE_UD;
	rvt_put_qp_swqe(&qp, wqe);
	assert_int_equal(atomic64_read(&mr.refcount.count), 1);
	assert_ptr_equal(address_released, &attr);
}

static void rvt_put_qp_swqe__connected_qps_have_no_address(void **state)
{
	(void)state;
	struct rvt_swqe *wqe = queue_request(0);

	qp.allowed_ops = IB_OPCODE_RC;
	rvt_put_qp_swqe(&qp, wqe);
	assert_int_equal(atomic64_read(&mr.refcount.count), 1);
	assert_null(address_released);
}

static void rvt_qp_wqe_reserve__counts(void **state)
{
	(void)state;
	rvt_qp_wqe_reserve(&qp, rvt_get_swqe_ptr(&qp, 0));
	assert_int_equal(atomic_read(&qp.s_reserved_used), 1);
}

static void rvt_qp_wqe_unreserve__needs_the_flag(void **state)
{
	(void)state;
	atomic_set(&qp.s_reserved_used, 1);
	rvt_qp_wqe_unreserve(&qp, IB_SEND_SIGNALED);
	assert_int_equal(atomic_read(&qp.s_reserved_used), 1);
	rvt_qp_wqe_unreserve(&qp, RVT_SEND_RESERVE_USED);
	assert_int_equal(atomic_read(&qp.s_reserved_used), 0);
}

static void rvt_cmp_msn__lives_on_a_circle(void **state)
{
	(void)state;
	assert_int_equal(rvt_cmp_msn(5, 5), 0);
	assert_true(rvt_cmp_msn(6, 5) > 0);
	assert_true(rvt_cmp_msn(5, 6) < 0);
	assert_true(rvt_cmp_msn(0, 0xffffff) > 0);
	assert_true(rvt_cmp_msn(0xffffff, 0) < 0);
	assert_int_equal(rvt_cmp_msn(0x1000005, 5), 0);
}

static void rvt_div_round_up_mtu__counts_packets(void **state)
{
	(void)state;
	assert_int_equal(rvt_div_round_up_mtu(&qp, 0), 0);
	assert_int_equal(rvt_div_round_up_mtu(&qp, 1), 1);
	assert_int_equal(rvt_div_round_up_mtu(&qp, 1024), 1);
	assert_int_equal(rvt_div_round_up_mtu(&qp, 1025), 2);
	assert_int_equal(rvt_div_round_up_mtu(&qp, 0xffffffff), 1 << 22);
}

static void rvt_div_mtu__counts_whole_packets(void **state)
{
	(void)state;
	assert_int_equal(rvt_div_mtu(&qp, 1023), 0);
	assert_int_equal(rvt_div_mtu(&qp, 2049), 2);
}

static void rvt_timeout_to_jiffies__rounds_up_and_caps(void **state)
{
	(void)state;
	assert_int_equal(rvt_timeout_to_jiffies(0), 5);
	assert_int_equal(rvt_timeout_to_jiffies(1), 9);
	assert_int_equal(rvt_timeout_to_jiffies(14), 67109);
	assert_int_equal(rvt_timeout_to_jiffies(31), 8796093023);
	assert_int_equal(rvt_timeout_to_jiffies(255), 8796093023);
}

static void rvt_lookup_qpn__special_qps_are_the_ports(void **state)
{
	(void)state;
	port.qp[1] = &qp;
	assert_ptr_equal(rvt_lookup_qpn(&rdi, &port, 1), &qp);
	assert_null(rvt_lookup_qpn(&rdi, &port, 0));
}

static void rvt_lookup_qpn__follows_the_chain(void **state)
{
	(void)state;
	static struct rvt_qp other;
	struct rvt_qp *table[4] = {0};
	struct rvt_qp_ibdev qp_dev = {.qp_table = table, .qp_table_size = 4, .qp_table_bits = 2};

	rdi.qp_dev = &qp_dev;
	qp.ibqp.qp_num = 0x123456;
	other.ibqp.qp_num = 77;
	other.next = &qp;
	table[hash_32(0x123456, 2)] = &other;
	assert_ptr_equal(rvt_lookup_qpn(&rdi, &port, 0x123456), &qp);
	qp.ibqp.qp_num = 0x123457;
	assert_null(rvt_lookup_qpn(&rdi, &port, 0x123456));
}

static void rvt_mod_retry_timer_ext__passes_the_shift_on(void **state)
{
	(void)state;
	rvt_mod_retry_timer_ext(&qp, 2);
	assert_ptr_equal(retry_timer_of, &qp);
	assert_int_equal(retry_timer_shift, 2);
}

static void rvt_mod_retry_timer__has_no_shift(void **state)
{
	(void)state;
	rvt_mod_retry_timer(&qp);
	assert_ptr_equal(retry_timer_of, &qp);
	assert_int_equal(retry_timer_shift, 0);
}

static void rvt_add_retry_timer__has_no_shift(void **state)
{
	(void)state;
	rvt_add_retry_timer(&qp);
	assert_ptr_equal(retry_timer_of, &qp);
	assert_int_equal(retry_timer_shift, 0);
}

static void rvt_qp_swqe_incr__wraps(void **state)
{
	(void)state;
	assert_int_equal(rvt_qp_swqe_incr(&qp, 0), 1);
	assert_int_equal(rvt_qp_swqe_incr(&qp, SLOTS - 2), SLOTS - 1);
	assert_int_equal(rvt_qp_swqe_incr(&qp, SLOTS - 1), 0);
}

static void rvt_recv_cq__enters_into_the_right_cq(void **state)
{
	(void)state;
	struct ib_wc wc = {.wr_id = 7};

	rvt_recv_cq(&qp, &wc, true);
	assert_ptr_equal(entered_in, &recv_cq);
	assert_int_equal(entered.wr_id, 7);
	assert_true(entered_solicited);
	assert_null(full_cq);
}

static void rvt_recv_cq__overflow_kills_the_qp(void **state)
{
	(void)state;
	struct ib_wc wc = {.wr_id = 7};

	cq_is_full = true;
	rvt_recv_cq(&qp, &wc, false);
	assert_false(entered_solicited);
	assert_ptr_equal(full_cq, &recv_cq.ibcq);
}

static void rvt_send_cq__enters_into_the_right_cq(void **state)
{
	(void)state;
	struct ib_wc wc = {.wr_id = 7};

	rvt_send_cq(&qp, &wc, true);
	assert_ptr_equal(entered_in, &send_cq);
	assert_int_equal(entered.wr_id, 7);
	assert_true(entered_solicited);
	assert_null(full_cq);
}

static void rvt_send_cq__overflow_kills_the_qp(void **state)
{
	(void)state;
	struct ib_wc wc = {.wr_id = 7};

	cq_is_full = true;
	rvt_send_cq(&qp, &wc, false);
	assert_false(entered_solicited);
	assert_ptr_equal(full_cq, &send_cq.ibcq);
}

static void ib_cq_tail__reads_the_kernels_ring(void **state)
{
	(void)state;
	struct rvt_k_cq_wc ring = {.head = 9, .tail = 5};

	send_cq.kqueue = &ring;
	assert_int_equal(ib_cq_tail(&send_cq.ibcq), 5);
}

static void ib_cq_tail__reads_a_processs_ring(void **state)
{
	(void)state;
	struct rvt_cq_wc ring = {.head.val = 9, .tail.val = 5};

	send_cq.queue = &ring;
	assert_int_equal(ib_cq_tail(&send_cq.ibcq), 5);
}

static void ib_cq_head__reads_the_kernels_ring(void **state)
{
	(void)state;
	struct rvt_k_cq_wc ring = {.head = 9, .tail = 5};

	send_cq.kqueue = &ring;
	assert_int_equal(ib_cq_head(&send_cq.ibcq), 9);
}

static void ib_cq_head__reads_a_processs_ring(void **state)
{
	(void)state;
	struct rvt_cq_wc ring = {.head.val = 9, .tail.val = 5};

	send_cq.queue = &ring;
	assert_int_equal(ib_cq_head(&send_cq.ibcq), 9);
}

static void rvt_free_rq__frees_both_once(void **state)
{
	(void)state;
	struct rvt_rq rq = {.kwq = base_zalloc(sizeof(*rq.kwq)), .wq = base_zalloc(sizeof(*rq.wq))};

	rvt_free_rq(&rq);
	assert_null(rq.kwq);
	assert_null(rq.wq);
	rvt_free_rq(&rq);
}

static void rvt_to_iport__counts_from_1(void **state)
{
	(void)state;
	assert_ptr_equal(rvt_to_iport(&qp), &port);
}

static void rvt_rc_credit_avail__up_to_the_limit(void **state)
{
	(void)state;
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(&qp, 0);

	qp.s_lsn = 4;
	wqe->ssn = 5;
	assert_true(rvt_rc_credit_avail(&qp, wqe));
	assert_false(qp.s_flags & RVT_S_WAIT_SSN_CREDIT);
	wqe->ssn = 6;
	assert_false(rvt_rc_credit_avail(&qp, wqe));
	assert_true(qp.s_flags & RVT_S_WAIT_SSN_CREDIT);
	assert_int_equal(port.n_rc_crwaits, 1);
}

static void rvt_rc_credit_avail__no_limit_if_the_peer_gives_no_credits(void **state)
{
	(void)state;
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(&qp, 0);

	qp.s_flags = RVT_S_UNLIMITED_CREDIT;
	wqe->ssn = 600;
	assert_true(rvt_rc_credit_avail(&qp, wqe));
	assert_int_equal(port.n_rc_crwaits, 0);
}

static void rvt_qp_complete_swqe__enters_a_completion(void **state)
{
	(void)state;
	struct rvt_swqe *wqe = queue_request(IB_SEND_SIGNALED);

	assert_int_equal(rvt_qp_complete_swqe(&qp, wqe, IB_WC_RDMA_READ, IB_WC_SUCCESS), 1);
	assert_int_equal(qp.s_last, 1);
	assert_int_equal(atomic64_read(&mr.refcount.count), 1);
	assert_ptr_equal(entered_in, &send_cq);
	assert_int_equal(entered.wr_id, 0x77);
	assert_int_equal(entered.opcode, IB_WC_RDMA_READ);
	assert_int_equal(entered.status, IB_WC_SUCCESS);
	assert_int_equal(entered.byte_len, 99);
	assert_ptr_equal(entered.qp, &qp.ibqp);
	assert_false(entered_solicited);
}

static void rvt_qp_complete_swqe__unsignalled_success_is_silent(void **state)
{
	(void)state;
	struct rvt_swqe *wqe = queue_request(0);

	qp.s_flags = RVT_S_SIGNAL_REQ_WR;
	assert_int_equal(rvt_qp_complete_swqe(&qp, wqe, IB_WC_SEND, IB_WC_SUCCESS), 1);
	assert_null(entered_in);
}

static void rvt_qp_complete_swqe__unsignalled_error_is_not(void **state)
{
	(void)state;
	struct rvt_swqe *wqe = queue_request(0);

	qp.s_flags = RVT_S_SIGNAL_REQ_WR;
	qp.first_cause.id = 205;
	rvt_qp_complete_swqe(&qp, wqe, IB_WC_SEND, IB_WC_RETRY_EXC_ERR);
	assert_int_equal(entered.status, IB_WC_RETRY_EXC_ERR);
	assert_int_equal(entered.vendor_err, 205);
	assert_true(entered_solicited);
}

static void rvt_qp_complete_swqe__reserved_operations_are_silent(void **state)
{
	(void)state;
	struct rvt_swqe *wqe = queue_request(RVT_SEND_RESERVE_USED | IB_SEND_SIGNALED);

	atomic_set(&qp.s_reserved_used, 1);
	rvt_qp_complete_swqe(&qp, wqe, IB_WC_SEND, IB_WC_SUCCESS);
	assert_null(entered_in);
	assert_int_equal(atomic_read(&qp.s_reserved_used), 0);
}

static void rvt_qp_complete_swqe__wraps_s_last(void **state)
{
	(void)state;
	struct rvt_swqe *wqe = queue_request(0);

	qp.s_last = SLOTS - 1;
	assert_int_equal(rvt_qp_complete_swqe(&qp, wqe, IB_WC_SEND, IB_WC_SUCCESS), 0);
	assert_int_equal(qp.s_last, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rvt_get_swqe_remote_qpn__reads_the_datagram_part,
						setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_get_swqe_remote_qkey__reads_the_datagram_part,
						setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_get_swqe_pkey_index__reads_the_datagram_part,
						setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_get_swqe_ah__is_rdmavts, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_get_swqe_ah_attr__is_the_cached_address, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rvt_get_rq_count__wraps, setup, NULL),
		cmocka_unit_test_setup_teardown(ibsrq_to_rvtsrq__is_the_structure_around_it, setup,
						NULL),
		cmocka_unit_test_setup_teardown(ibqp_to_rvtqp__is_the_structure_around_it, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rvt_get_swqe_ptr__steps_over_the_sges, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_get_rwqe_ptr__steps_over_the_sges, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_is_user_qp__has_a_process, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_get_qp__takes_a_reference, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_put_qp__the_last_one_wakes, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_put_swqe__releases_its_mrs, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_put_qp_swqe__releases_a_datagrams_address,
						setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_put_qp_swqe__connected_qps_have_no_address,
						setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_qp_wqe_reserve__counts, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_qp_wqe_unreserve__needs_the_flag, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_cmp_msn__lives_on_a_circle, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_div_round_up_mtu__counts_packets, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_div_mtu__counts_whole_packets, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_timeout_to_jiffies__rounds_up_and_caps, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rvt_lookup_qpn__special_qps_are_the_ports, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rvt_lookup_qpn__follows_the_chain, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_mod_retry_timer_ext__passes_the_shift_on, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rvt_mod_retry_timer__has_no_shift, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_add_retry_timer__has_no_shift, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_qp_swqe_incr__wraps, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_recv_cq__enters_into_the_right_cq, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_recv_cq__overflow_kills_the_qp, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_send_cq__enters_into_the_right_cq, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_send_cq__overflow_kills_the_qp, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_cq_tail__reads_the_kernels_ring, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_cq_tail__reads_a_processs_ring, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_cq_head__reads_the_kernels_ring, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_cq_head__reads_a_processs_ring, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_free_rq__frees_both_once, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_to_iport__counts_from_1, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_rc_credit_avail__up_to_the_limit, setup, NULL),
		cmocka_unit_test_setup_teardown(
			rvt_rc_credit_avail__no_limit_if_the_peer_gives_no_credits, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_qp_complete_swqe__enters_a_completion, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rvt_qp_complete_swqe__unsignalled_success_is_silent,
						setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_qp_complete_swqe__unsignalled_error_is_not,
						setup, NULL),
		cmocka_unit_test_setup_teardown(
			rvt_qp_complete_swqe__reserved_operations_are_silent, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_qp_complete_swqe__wraps_s_last, setup, NULL),
	};

	return verbena_test_main(tests);
}
