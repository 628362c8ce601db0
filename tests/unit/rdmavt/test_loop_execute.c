// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What each operation does at the responder, and the statuses of both sides when it cannot. */
#include "qp_fixture.h"

static void send__bytes_arrive_and_both_sides_complete(void **state)
{
	struct fixture *f = *state;
	struct ib_wc wc;

	assert_int_equal(post_recv(f, f->b.qp, 7, 100), 0);
	assert_int_equal(post_send(f, f->a.qp, 8, 60), 0);
	wc = expect(f->b.recv_cq, 7, IB_WC_SUCCESS);
	assert_int_equal(wc.opcode, IB_WC_RECV);
	assert_int_equal(wc.byte_len, 60);
	assert_ptr_equal(wc.qp, f->b.qp);
	assert_int_equal(wc.src_qp, f->a.qp->qp_num);
	assert_int_equal(wc.slid, 1);
	assert_int_equal(wc.port_num, 1);
	assert_int_equal(wc.wc_flags, 0);
	wc = expect(f->a.send_cq, 8, IB_WC_SUCCESS);
	assert_int_equal(wc.opcode, IB_WC_SEND);
	assert_int_equal(wc.byte_len, 60);
	assert_memory_equal(f->rx, f->tx, 60);
	assert_int_equal(f->rx[60], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(send__bytes_arrive_and_both_sides_complete,
						fixture_rc, fixture_down),
	};

	return verbena_test_main(tests);
}
