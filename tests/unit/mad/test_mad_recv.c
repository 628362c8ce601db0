// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What arrives [rcp 16]: what is none, what the driver says to it, and what is answered when nobody wants it. */
#include "raw_fixture.h"

static void receive__base_version(void **state)
{
	struct fixture *f = *state;
	struct end *raw = raw_open(f, 0, 0, false);
	struct end *server = end_open(f, 1, 1, IB_MGMT_CLASS_PERF_MGMT, 2, 0);
	struct ib_mad_send_buf *buf = raw_make(raw, 4, 1, IB_MGMT_METHOD_GET, 1, 1);

	((struct ib_mad_hdr *)buf->mad)->base_version = 2;
	end_post(buf);
	pass(MS);
	buf = raw_make(raw, 4, 1, IB_MGMT_METHOD_GET, 1, 1);
	((struct ib_mad_hdr *)buf->mad)->base_version = OPA_MGMT_BASE_VERSION;
	end_post(buf);
	pass(MS);
	assert_int_equal(server->recvs, 0);
	assert_int_equal(drops(f, 1, MAD_DROP_VERSION), 2);
}

static void receive__length(void **state)
{
	struct fixture *f = *state;
	struct end *raw = raw_open(f, 0, 0, false);
	struct end *server = end_open(f, 1, 1, IB_MGMT_CLASS_PERF_MGMT, 2, 0);

	for (u32 bytes = 0; bytes < IB_MGMT_MAD_SIZE; bytes += 15) {
		struct ib_mad_send_buf *buf = raw_make(raw, 4, 1, IB_MGMT_METHOD_GET, 1, 1);

		mad_send_of(buf)->sg_list[0].length = bytes;
		end_post(buf);
		pass(MS);
	}
	assert_int_equal(server->recvs, 0);
	assert_int_equal(drops(f, 1, MAD_DROP_LENGTH), 18);
	raw_send(raw, 4, 1, IB_MGMT_METHOD_GET, 1);
	assert_int_equal(server->recvs, 1);
}

/* SMPs on QP 0, all others on QP 1; of CM only Send, and Get of ClassPortInfo. */
static void receive__class_of_the_qp(void **state)
{
	struct fixture *f = *state;
	struct end *gsi = raw_open(f, 0, 0, false), *smi = raw_open(f, 1, 0, true);
	struct end *cm = end_open(f, 2, 1, IB_MGMT_CLASS_CM, 1 << 1 | 1 << 3, 0);

	raw_send(gsi, 0x01, 1, IB_MGMT_METHOD_GET, 1);
	raw_send(gsi, 0x81, 1, IB_MGMT_METHOD_GET, 1);
	raw_send(smi, 0x04, 1, IB_MGMT_METHOD_GET, 1);
	raw_send(gsi, 0x07, 1, IB_MGMT_METHOD_GET, 1);
	assert_int_equal(drops(f, 1, MAD_DROP_CLASS), 4);
	assert_int_equal(cm->recvs, 0);
	raw_send(gsi, 0x07, 1, IB_MGMT_METHOD_SEND, 1);
	assert_int_equal(cm->recvs, 1);
	end_post(raw_make(gsi, 0x07, 1, IB_MGMT_METHOD_GET, 1, 1));
	pass(MS);
	assert_int_equal(cm->recvs, 2);
}

/* Get and Set that nobody has registered for are answered by the layer. */
static void receive__unsupported(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	static const u8 methods[] = {IB_MGMT_METHOD_GET, IB_MGMT_METHOD_SET};

	(void)end_open(f, 1, 1, IB_MGMT_CLASS_PERF_MGMT, 1 << 6, 0);
	for (unsigned int i = 0; i < 2; i++) {
		const u64 tid = (u64)client->agent->hi_tid << 32 | i;
		struct ib_mad_send_buf *buf = raw_make(client, 4, 1, methods[i], 0x12, tid);
		const struct ib_mad_hdr *hdr;

		buf->timeout_ms = 100;
		end_post(buf);
		assert_true(wait_count(&client->recvs, i + 1, MS));
		hdr = &client->note[2 * i].hdr;
		assert_int_equal(hdr->method, IB_MGMT_METHOD_GET_RESP);
		assert_int_equal(be16_to_cpu(hdr->status), 0x000c);
		assert_int_equal(be16_to_cpu(hdr->attr_id), 0x12);
		assert_int_equal(be64_to_cpu(hdr->tid), tid);
		assert_true(wait_count(&client->sends, i + 1, MS));
	}
	raw_send(client, 4, 1, IB_MGMT_METHOD_SEND, 1);
	raw_send(client, 4, 1, IB_MGMT_METHOD_TRAP, 1);
	assert_int_equal(client->recvs, 2);
	assert_int_equal(drops(f, 1, MAD_DROP_NO_AGENT), 2);
}

static void receive__unsupported_smp(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, IB_MGMT_CLASS_SUBN_LID_ROUTED, 0, 0);
	struct ib_mad_send_buf *buf;

	(void)end_open(f, 1, 1, IB_MGMT_CLASS_SUBN_LID_ROUTED, 0, 0);
	buf = raw_make(client, 1, 1, IB_MGMT_METHOD_GET, 0x15, (u64)client->agent->hi_tid << 32);
	buf->timeout_ms = 100;
	end_post(buf);
	assert_true(wait_count(&client->recvs, 1, MS));
	assert_int_equal(client->note[0].hdr.method, IB_MGMT_METHOD_GET_RESP);
	assert_int_equal(be16_to_cpu(client->note[0].hdr.status), 0x000c);
	assert_true(wait_count(&client->sends, 1, MS));
}

/* One that asks by a directed route gets the direction, too. */
static void mad_make_unsupported__sets_the_direction(void **state)
{
	struct ib_mad_private *answer = mad_private_new(IB_MGMT_MAD_SIZE);
	struct ib_mad request = {.mad_hdr = {.mgmt_class = 0x81, .method = IB_MGMT_METHOD_GET}};
	size_t bytes = sizeof(request);

	(void)state;
	assert_non_null(answer);
	assert_true(mad_make_unsupported(&request.mad_hdr, answer, &bytes));
	assert_int_equal(be16_to_cpu(((struct ib_mad_hdr *)answer->mad)->status), 0x800c);
	request.mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	assert_false(mad_make_unsupported(&request.mad_hdr, answer, &bytes));
	base_free(answer);
}

/* The driver's word on the next MADs. */
static struct {
	int result;
	unsigned int calls;
	u32 port_num;
	int flags;
	struct ib_mad in;
	struct ib_wc wc;
} driver;

static int process_mad(struct ib_device *device, int flags, u32 port_num, const struct ib_wc *wc,
		       const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		       size_t *out_bytes, u16 *pkey_index)
{
	(void)device;
	(void)grh;
	(void)pkey_index;
	driver.calls++;
	driver.port_num = port_num;
	driver.flags = flags;
	driver.in = *in;
	driver.wc = *wc;
	assert_int_equal(*out_bytes, IB_MGMT_MAD_SIZE);
	if (driver.result & IB_MAD_RESULT_REPLY) {
		*out = *in;
		out->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
		out->data[5] = 0x5a;
	}
	return driver.result;
}

static struct end *open_with_driver(struct fixture *f, int result)
{
	memset(&driver, 0, sizeof(driver));
	driver.result = result;
	f->device[1]->ops.process_mad = process_mad;
	return end_open(f, 1, 1, IB_MGMT_CLASS_PERF_MGMT, 2, 0);
}

static struct ib_mad_send_buf *ask(struct end *client, u8 mgmt_class)
{
	struct ib_mad_send_buf *buf = raw_make(client, mgmt_class, 1, IB_MGMT_METHOD_GET, 0x12,
					       (u64)client->agent->hi_tid << 32 | 5);

	buf->timeout_ms = 20;
	return buf;
}

static void process_mad__consumes(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	struct end *server = open_with_driver(f, IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED);

	end_post(ask(client, 4));
	end_post(ask(client, 5));
	assert_true(wait_count(&client->sends, 2, 100 * MS));
	assert_int_equal(driver.calls, 2);
	assert_int_equal(driver.port_num, 1);
	assert_int_equal(driver.wc.slid, fixture_lid(f, 0));
	assert_int_equal(driver.in.mad_hdr.mgmt_class, 5);
	assert_int_equal(server->recvs, 0);
	assert_int_equal(client->recvs, 0);
	assert_int_equal(client->note[0].status, IB_WC_RESP_TIMEOUT_ERR);
}

static void process_mad__replies(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	struct end *server = open_with_driver(f, IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY);

	client->keep = true;
	end_post(ask(client, 4));
	assert_true(wait_count(&client->recvs, 1, 100 * MS));
	assert_int_equal(client->note[0].wc->recv_buf.mad->data[5], 0x5a);
	assert_int_equal(server->recvs, 0);
	assert_true(wait_count(&client->sends, 1, MS));
	assert_int_equal(client->note[1].status, IB_WC_SUCCESS);
}

static void process_mad__leaves_it_to_agents(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	struct end *server = open_with_driver(f, IB_MAD_RESULT_SUCCESS);

	end_post(ask(client, 4));
	assert_true(wait_count(&server->recvs, 1, 10 * MS));
	end_post(ask(client, 5)); /* nobody's: answered */
	assert_true(wait_count(&client->recvs, 1, 10 * MS));
	assert_int_equal(be16_to_cpu(client->note[0].hdr.status), 0x000c);
	assert_true(wait_count(&client->sends, 2, 100 * MS));
}

/* Agents see it; but for those that have none there is no answer. */
static void process_mad__fails(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	struct end *server = open_with_driver(f, IB_MAD_RESULT_FAILURE);

	end_post(ask(client, 4));
	assert_true(wait_count(&server->recvs, 1, 10 * MS));
	end_post(ask(client, 5));
	assert_true(wait_count(&client->sends, 2, 100 * MS));
	assert_int_equal(client->recvs, 0);
	assert_int_equal(drops(f, 1, MAD_DROP_NO_AGENT), 1);
}

/* 1,000 that nobody wants, and 1,000 that somebody does: the receive queue stays full. */
static void receive__buffers_are_posted_again(void **state)
{
	struct fixture *f = *state;
	struct end *raw = raw_open(f, 0, 0, false);
	struct end *server = end_open(f, 1, 1, IB_MGMT_CLASS_PERF_MGMT, 2, 0);

	for (u32 i = 0; i < 1000; i++) {
		end_post(raw_make(raw, 4, 1, IB_MGMT_METHOD_GET, 1, i));
		end_post(raw_make(raw, 9, 1, IB_MGMT_METHOD_SEND, 1, i));
		if (i % 50 == 0)
			pass(MS);
	}
	pass(MS);
	assert_int_equal(server->recvs, 1000);
	assert_int_equal(drops(f, 1, MAD_DROP_NO_AGENT), 1000);
	assert_int_equal(server->agent->qp->qp_num, 1);
	assert_int_equal(mad_agent_of(server->agent)->qp_info->recv_queue.count,
			 IB_MAD_QP_RECV_SIZE);
}

static const struct CMUnitTest tests[] = {
	TEST(receive__base_version),
	TEST(receive__length),
	TEST(receive__class_of_the_qp),
	TEST(receive__unsupported),
	TEST(receive__unsupported_smp),
	cmocka_unit_test(mad_make_unsupported__sets_the_direction),
	TEST(process_mad__consumes),
	TEST(process_mad__replies),
	TEST(process_mad__leaves_it_to_agents),
	TEST(process_mad__fails),
	TEST(receive__buffers_are_posted_again),
};

int main(void)
{
	return verbena_test_main(tests);
}
