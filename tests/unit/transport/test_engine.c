/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Two devices on one wire: messages from a post to both completions. */
#include "common/test.h"

#include <string.h>

#include "common/test_host.h"

struct fixture {
	struct test_wire *wire;
	struct test_host *host[2];
	struct test_qp a, b;
};

static int setup(void **state)
{
	static struct fixture f;

	memset(&f, 0, sizeof(f));
	*state = &f;
	f.wire = test_wire_new();
	if (!f.wire)
		return -1;
	for (uint16_t i = 0; i < 2; i++) {
		f.host[i] = test_host_new(f.wire,
					  &(struct test_host_options){.lid = (uint16_t)(i + 1)});
		if (!f.host[i])
			return -1;
	}
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	test_qp_destroy(&f->a);
	test_qp_destroy(&f->b);
	test_host_free(f->host[0]);
	test_host_free(f->host[1]);
	test_wire_free(f->wire);
	return 0;
}

static void connect_pair(struct fixture *f, const struct test_qp_options *a,
			 const struct test_qp_options *b)
{
	assert_int_equal(test_qp_create(&f->a, f->host[0], a), 0);
	assert_int_equal(test_qp_create(&f->b, f->host[1], b), 0);
	assert_int_equal(test_qp_connect(&f->a, &f->b), 0);
}

static void rc_send__from_post_to_both_completions(void **state)
{
	struct fixture *f = *state;
	struct ib_wc wc;

	connect_pair(f, &(struct test_qp_options){.psn = 0x100},
		     &(struct test_qp_options){.psn = 0x200});
	memcpy(f->host[0]->buffer, "payload", 8);
	assert_int_equal(test_post_recv(&f->b, 7, 4096, 64), 0);
	assert_int_equal(
		test_post_send(&f->a,
			       &(struct test_wr){.opcode = IB_WR_SEND, .wr_id = 1, .bytes = 8}),
		0);
	assert_string_equal(test_wire_log(f->wire), "SEND_ONLY 000100 8A, ACK 000100");
	assert_true(test_poll(f->a.send_cq, &wc));
	assert_int_equal(wc.wr_id, 1);
	assert_int_equal(wc.status, IB_WC_SUCCESS);
	assert_int_equal(wc.opcode, IB_WC_SEND);
	assert_true(test_poll(f->b.recv_cq, &wc));
	assert_int_equal(wc.wr_id, 7);
	assert_int_equal(wc.status, IB_WC_SUCCESS);
	assert_int_equal(wc.opcode, IB_WC_RECV);
	assert_int_equal(wc.byte_len, 8);
	assert_int_equal(wc.src_qp, f->a.ib->qp_num);
	assert_string_equal(f->host[1]->buffer + 4096, "payload");
	assert_false(test_poll(f->a.send_cq, &wc));
	assert_false(test_poll(f->b.recv_cq, &wc));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rc_send__from_post_to_both_completions, setup,
						teardown),
	};

	return verbena_test_main(tests);
}
