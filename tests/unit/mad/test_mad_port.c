// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Ports: they open with their first agent, and end with the device. */
#include "rmpp_fixture.h"

static void ib_mad_init__nests(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ib_mad_init(), 0);
	ib_mad_cleanup();
	(void)end_open(f, 0, 0, TEST_CLASS, 0, 0); /* the devices still are there for it */
}

/* The device goes: all that is outstanding is flushed, nothing can be posted, agents can only be unregistered. */
static void mad_port__device_goes(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	struct end *smi = end_open(f, 1, 0, IB_MGMT_CLASS_SUBN_LID_ROUTED, 0, 0);
	struct ib_mad_send_buf *buf;

	for (u32 i = 0; i < 200; i++) { /* some wait for a response, some for a place */
		buf = end_make(client, TEST_METHOD, i, false, 1);
		buf->timeout_ms = 1000;
		end_post(buf);
		if (i == 50)
			pass(MS);
	}
	fixture_remove(f, 0);
	assert_int_equal(client->sends, 200);
	for (unsigned int i = 0; i < 200; i++)
		assert_int_equal(client->note[i].status, IB_WC_WR_FLUSH_ERR);
	buf = end_make(client, TEST_METHOD, 1, false, 1);
	assert_int_equal(ib_post_send_mad(buf, NULL), -ENODEV);
	end_free(buf);
	end_close(client);
	end_close(smi);
}

static void mad_port__device_goes_in_the_middle_of_transfers(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *server = rmpp_server(f);

	fixture_lose(f, 1000, NULL);
	for (u32 i = 0; i < 20; i++)
		end_post(rmpp_make(client, TEST_METHOD, i, 300 * RMPP_SEG, 0, 1));
	pass(5000);
	fixture_remove(f, 1);
	pass(100000);
	fixture_remove(f, 0);
	assert_int_equal(client->sends, 20);
	for (unsigned int i = 0; i < 20; i++)
		assert_int_equal(client->note[i].status, IB_WC_WR_FLUSH_ERR);
	end_close(server);
	end_close(client);
}

static void mad_port__peer_goes(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0), *server = rmpp_server(f);
	struct ib_mad_send_buf *buf = end_make(client, TEST_METHOD, 1, false, 1);

	end_close(server);
	fixture_remove(f, 1);
	buf->timeout_ms = 50;
	buf->retries = 1;
	end_post(buf);
	assert_true(wait_count(&client->sends, 1, 1000 * MS));
	assert_int_equal(client->note[0].status, IB_WC_RESP_TIMEOUT_ERR);
}

/* A driver that is smaller than the kernel's queues. */
static void mad_port__small_device(void **state)
{
	struct fixture *f = *state;
	struct end *client, *server;

	f->device[1]->attrs.max_qp_wr = 20;
	f->device[0]->attrs.max_cqe = 60;
	client = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	server = end_open(f, 1, 1, TEST_CLASS, 1ull << TEST_METHOD, 0);
	assert_int_equal(mad_agent_of(client->agent)->qp_info->recv_queue.max_active, 8);
	assert_int_equal(mad_agent_of(server->agent)->qp_info->recv_queue.max_active, 16);
	for (u32 i = 0; i < 12; i++)
		end_post(end_make(client, TEST_METHOD, i, false, 1));
	assert_true(wait_count(&client->sends, 12, MS));
	assert_true(wait_count(&server->recvs, 12, MS));
}

static void mad_drop__is_counted_and_told_once(void **state)
{
	struct fixture *f = *state;
	struct end *end = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	struct ib_mad_port_private *port = mad_agent_of(end->agent)->qp_info->port_priv;
	const struct ib_mad_hdr hdr = {.mgmt_class = 7};

	for (unsigned int why = 0; why < MAD_DROPS; why++) {
		mad_drop(port, 1, &hdr, 256, (enum mad_drop)why);
		mad_drop(port, 1, &hdr, 256, (enum mad_drop)why);
		assert_int_equal(mad_port_drops(f->device[0], 1, (enum mad_drop)why), 2);
	}
}

static const struct CMUnitTest tests[] = {
	TEST(ib_mad_init__nests),
	TEST(mad_port__device_goes),
	TEST(mad_port__device_goes_in_the_middle_of_transfers),
	TEST(mad_port__peer_goes),
	TEST(mad_port__small_device),
	TEST(mad_drop__is_counted_and_told_once),
};

int main(void)
{
	return verbena_test_main(tests);
}
