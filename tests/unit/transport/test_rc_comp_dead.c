// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The RC completer and the response of a process that has died since. Responses come from the test. */
#include "common/test.h"

#include <errno.h>

#include "common/test_host.h"
#include "transport/tp_qp.h"

#define FIRST_PSN 0xfffffeu

static int copy_from_dead(const struct tp_source *source, const struct iovec *to,
			  unsigned int to_count, const struct iovec *from, unsigned int from_count,
			  size_t from_offset, size_t bytes)
{
	(void)source;
	(void)to;
	(void)to_count;
	(void)from;
	(void)from_count;
	(void)from_offset;
	(void)bytes;
	return -ESRCH;
}

static void respond(struct test_pair *p, const struct tp_source *source)
{
	static char data[] = "sevenup";
	const struct iovec iov = {data, 8};
	struct tp_run run;

	test_pair_packet(&p->a, &p->b, PKT_RC_READ_RESPONSE_ONLY, FIRST_PSN, &run);
	run.aeth.syndrome = 0x1f;
	run.payload = (struct tp_payload){.iov = &iov, .count = 1, .bytes = 8, .source = source};
	tp_receive(p->host[0]->port, &run);
}

/* Its bytes are not to be had any more: it is lost, and the retries will tell who has died. */
static void read__response_is_lost(void **state)
{
	static const struct tp_source dead = {copy_from_dead};
	struct test_pair *p = *state;
	struct ib_wc wc;

	p->wire->hold = true;
	assert_int_equal(test_pair_connect(p, &(struct test_qp_options){.psn = FIRST_PSN},
					   &(struct test_qp_options){0}),
			 0);
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.wr_id = 1,
								 .opcode = IB_WR_RDMA_READ,
								 .bytes = 8}),
			 0);
	respond(p, &dead);
	assert_false(test_poll(p->a.send_cq, &wc));
	assert_int_equal(test_qp_state(&p->a), IB_QPS_RTS);
	respond(p, NULL);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.status, IB_WC_SUCCESS);
	assert_string_equal(p->host[0]->buffer, "sevenup");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(read__response_is_lost, test_pair_setup,
						test_pair_teardown),
	};

	return verbena_test_main(tests);
}
