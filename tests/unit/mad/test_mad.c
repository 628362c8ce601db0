// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Sending. */
#include "mad_fixture.h"

static struct end *open_server(struct fixture *f)
{
	return end_open(f, 1, 1, TEST_CLASS, 1ull << TEST_METHOD, 0);
}

static struct end *open_client(struct fixture *f)
{
	return end_open(f, 0, 0, TEST_CLASS, 0, 0);
}

static void ib_post_send_mad__without_response(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f), *server = open_server(f);

	end_post(end_make(client, TEST_METHOD, 7, false, IB_MGMT_VENDOR_DATA));
	assert_true(wait_count(&server->recvs, 1, MS));
	assert_true(wait_count(&client->sends, 1, MS));
	assert_int_equal(client->note[0].status, IB_WC_SUCCESS);
	assert_int_equal(server->note[0].mad_len, IB_MGMT_MAD_SIZE);
	assert_int_equal(be64_to_cpu(server->note[0].hdr.tid),
			 (u64)client->agent->hi_tid << 32 | 7);
	assert_int_equal(server->note[0].cqe.slid, fixture_lid(f, 0));
	assert_int_equal(server->note[0].cqe.src_qp, 1);
	assert_null(server->note[0].buf);
}

static void ib_post_send_mad__response_is_handed_up_first(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f), *server = open_server(f);
	struct ib_mad_send_buf *buf;

	server->on_recv = respond_at_once;
	buf = end_make(client, TEST_METHOD, 7, false, IB_MGMT_VENDOR_DATA);
	buf->timeout_ms = 100;
	end_post(buf);
	assert_true(wait_count(&client->sends, 1, 10 * MS));
	assert_int_equal(client->count, 2);
	assert_false(client->note[0].sent);
	assert_ptr_equal(client->note[0].buf, buf);
	assert_int_equal(client->note[0].hdr.method, TEST_METHOD | IB_MGMT_METHOD_RESP);
	assert_true(client->note[1].sent);
	assert_int_equal(client->note[1].status, IB_WC_SUCCESS);
	assert_int_equal(client->note[1].retries, 0);
}

static const struct CMUnitTest tests[] = {
	TEST(ib_post_send_mad__without_response),
	TEST(ib_post_send_mad__response_is_handed_up_first),
};

int main(void)
{
	return verbena_test_main(tests);
}
