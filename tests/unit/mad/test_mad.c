// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Sending. */
#include <sys/mman.h>

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

/* To an agent of the very port that it leaves by. */
static void ib_post_send_mad__to_oneself(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f);
	struct end *server = end_open(f, 1, 0, TEST_CLASS, 1ull << TEST_METHOD, 0);
	struct ib_mad_send_buf *buf = end_make(client, TEST_METHOD, 7, false, 10);
	struct ib_ah *self = test_ah(f, client->agent, fixture_lid(f, 0));

	assert_false(IS_ERR(self));
	rdma_destroy_ah(server->ah, 0);
	server->ah = test_ah(f, server->agent, fixture_lid(f, 0));
	assert_false(IS_ERR(server->ah));
	server->on_recv = respond_at_once;
	buf->ah = self;
	buf->timeout_ms = 100;
	end_post(buf);
	assert_true(wait_count(&client->sends, 1, 10 * MS));
	assert_int_equal(client->note[0].hdr.method, TEST_METHOD | IB_MGMT_METHOD_RESP);
	assert_int_equal(client->note[1].status, IB_WC_SUCCESS);
	rdma_destroy_ah(self, 0);
}

static void ib_post_send_mad__nothing(void **state)
{
	struct ib_mad_send_buf *bad = NULL;

	(void)state;
	assert_int_equal(ib_post_send_mad(NULL, NULL), 0);
	assert_int_equal(ib_post_send_mad(NULL, &bad), 0);
	assert_null(bad);
}

/* Those ahead of the bad one are on their way; it and those that follow are the caller's. */
static void ib_post_send_mad__chain_up_to_the_bad_one(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f), *server = open_server(f);
	struct ib_mad_send_buf *buf[4], *bad = NULL;

	for (u32 i = 0; i < 4; i++)
		buf[i] = end_make(client, TEST_METHOD, i, false, 10);
	for (u32 i = 0; i < 3; i++)
		buf[i]->next = buf[i + 1];
	buf[2]->ah = NULL;
	assert_int_equal(ib_post_send_mad(buf[0], &bad), -EINVAL);
	assert_ptr_equal(bad, buf[2]);
	let_go(buf[0]);
	let_go(buf[1]);
	assert_true(wait_count(&server->recvs, 2, MS));
	pass(MS);
	assert_int_equal(client->sends, 2);
	assert_int_equal(server->recvs, 2);
	buf[2]->ah = client->ah;
	let_go(buf[2]);
	let_go(buf[3]);
	assert_int_equal(ib_post_send_mad(buf[2], NULL), 0);
	assert_true(wait_count(&server->recvs, 4, MS));
	assert_true(wait_count(&client->sends, 4, MS));
}

static void ib_post_send_mad__bad_one_is_not_asked_for(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f);
	struct ib_mad_send_buf *buf = end_make(client, TEST_METHOD, 1, false, 10);

	buf->ah = NULL;
	assert_int_equal(ib_post_send_mad(buf, NULL), -EINVAL);
	end_free(buf);
}

static struct ib_mad_send_buf *make_of(struct ib_mad_agent *agent, struct ib_ah *ah, u8 mgmt_class)
{
	struct ib_mad_send_buf *buf = hold(ib_create_send_mad(agent, 1, 0, 0, IB_MGMT_MAD_HDR, 10,
							      GFP_KERNEL, IB_MGMT_BASE_VERSION));

	assert_false(IS_ERR(buf));
	((struct ib_mad_hdr *)buf->mad)->base_version = IB_MGMT_BASE_VERSION;
	((struct ib_mad_hdr *)buf->mad)->mgmt_class = mgmt_class;
	buf->ah = ah;
	return buf;
}

static void ib_post_send_mad__needs_handlers(void **state)
{
	struct fixture *f = *state;
	struct ib_mad_reg_req req = test_request(TEST_CLASS, 1);
	struct ib_mad_agent *agent = ib_register_mad_agent(f->device[0], 1, IB_QPT_GSI, NULL, 0,
							   end_sent, NULL, &f->end[0], 0);
	struct ib_mad_send_buf *buf;
	struct ib_ah *ah;

	assert_false(IS_ERR(agent));
	ah = test_ah(f, agent, fixture_lid(f, 1));
	assert_false(IS_ERR(ah));
	buf = make_of(agent, ah, TEST_CLASS);
	buf->timeout_ms = 1; /* nobody to be told of the response */
	assert_int_equal(ib_post_send_mad(buf, NULL), -EINVAL);
	buf->timeout_ms = 0;
	end_post(buf);
	assert_true(wait_count(&f->end[0].sends, 1, MS));
	rdma_destroy_ah(ah, 0);
	ib_unregister_mad_agent(agent);

	agent = ib_register_mad_agent(f->device[0], 1, IB_QPT_GSI, &req, 0, NULL, end_received,
				      &f->end[0], 0);
	assert_false(IS_ERR(agent));
	ah = test_ah(f, agent, fixture_lid(f, 1));
	assert_false(IS_ERR(ah));
	buf = make_of(agent, ah, TEST_CLASS);
	assert_int_equal(ib_post_send_mad(buf, NULL), -EINVAL);
	end_free(buf);
	rdma_destroy_ah(ah, 0);
	ib_unregister_mad_agent(agent);
}

static void ib_post_send_mad__class_without_rmpp(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, IB_MGMT_RMPP_VERSION);
	struct ib_mad_send_buf *buf = make_of(client->agent, client->ah, IB_MGMT_CLASS_PERF_MGMT);

	assert_int_equal(ib_post_send_mad(buf, NULL), -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_MAD_CLASS_RMPP);
	end_free(buf);
}

/* The queue has 128; the others wait, and nobody is refused. */
static void ib_post_send_mad__beyond_the_queue(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f), *server = open_server(f);
	u64 seen[16] = {0};

	fixture_lose(f, 1000, NULL);
	for (u32 i = 0; i < 1000; i++)
		end_post(end_make(client, TEST_METHOD, i, false, 10));
	assert_true(wait_count(&client->sends, 1000, 100 * MS));
	assert_true(wait_count(&server->recvs, 1000, 100 * MS));
	for (u32 i = 0; i < 1000; i++) {
		const u32 tid = (u32)be64_to_cpu(server->note[i].hdr.tid);

		assert_int_equal(client->note[i].status, IB_WC_SUCCESS);
		assert_true(tid < 1000);
		seen[tid / 64] |= 1ull << tid % 64;
	}
	for (u32 i = 0; i < 1000; i++)
		assert_true(seen[i / 64] >> i % 64 & 1);
}

/* What waits for its place and is cancelled does not go out. */
static void ib_cancel_mad__of_who_waits_for_a_place(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f), *server = open_server(f);
	struct ib_mad_send_buf *last = NULL;

	for (u32 i = 0; i < 200; i++) {
		last = end_make(client, TEST_METHOD, i, false, 10);
		end_post(last);
	}
	ib_cancel_mad(last);
	assert_true(wait_count(&client->sends, 200, 100 * MS));
	pass(MS);
	assert_int_equal(server->recvs, 199);
	for (int i = 0; i < 200; i++)
		assert_int_equal(client->note[i].status,
				 client->note[i].buf == last ? IB_WC_WR_FLUSH_ERR : IB_WC_SUCCESS);
}

/*
 * The response to one that is still on its way, from a peer that knows what is coming: it is handed up at once,
 * and the send completes later, well.
 */
static void ib_post_send_mad__response_before_it_is_sent(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f), *peer = end_open(f, 1, 1, TEST_CLASS, 0, 0);
	struct ib_mad_send_buf *buf = NULL, *response;
	unsigned int at = 0;

	for (u32 i = 0; i < 150; i++) {
		buf = end_make(client, TEST_METHOD, i, false, 1);
		buf->timeout_ms = 50;
		end_post(buf);
	}
	response = end_make(peer, TEST_METHOD | IB_MGMT_METHOD_RESP, 0, false, 1);
	((struct ib_mad_hdr *)response->mad)->tid = ((struct ib_mad_hdr *)buf->mad)->tid;
	end_post(response);
	assert_int_equal(mad_send_of(buf)->where, MAD_SENDING);
	assert_true(wait_count(&client->recvs, 1, MS));
	assert_true(wait_count(&client->sends, 1, MS)); /* the first of all is its own */
	while (client->note[at].sent)
		at++;
	assert_int_equal(at, 0);
	assert_ptr_equal(client->note[0].buf, buf);
	assert_ptr_equal(client->note[1].buf, buf);
	assert_int_equal(client->note[1].status, IB_WC_SUCCESS);
	assert_true(wait_count(&client->sends, 150, 100 * MS));
	assert_int_equal(client->note[2].status, IB_WC_RESP_TIMEOUT_ERR);
}

/* It is for any context: it takes what memory there is, and asks for none. */
static void ib_post_send_mad__does_not_allocate(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, IB_MGMT_RMPP_VERSION);
	struct ib_mad_send_buf *bufs[200];
	int refused = 0;

	(void)end_open(f, 1, 1, TEST_CLASS, 1ull << TEST_METHOD, IB_MGMT_RMPP_VERSION);
	for (u32 i = 0; i < 200; i++) {
		bufs[i] = end_make(client, TEST_METHOD, i, i % 2, 100);
		bufs[i]->timeout_ms = 10;
	}
	for (u32 i = 0; i < 200; i++) {
		let_go(bufs[i]);
		base_alloc_forbid(true);
		refused += ib_post_send_mad(bufs[i], NULL) != 0;
		if (i % 3 == 0)
			refused += ib_modify_mad(bufs[i], 20) != 0;
		base_alloc_forbid(false);
	}
	assert_int_equal(refused, 0);
	assert_true(wait_count(&client->sends, 200, 1000 * MS));
}

static void repost(struct end *end, struct ib_mad_send_wc *wc)
{
	if (end->sends < 50)
		end_post(wc->send_buf);
	else
		ib_free_send_mad(wc->send_buf);
}

static void ib_post_send_mad__from_the_handler(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f), *server = open_server(f);

	client->on_sent = repost;
	client->keep_sent = true;
	end_post(end_make(client, TEST_METHOD, 1, false, 10));
	assert_true(wait_count(&client->sends, 50, MS));
	assert_true(wait_count(&server->recvs, 50, MS));
}

/*
 * A send whose memory is gone brings the QP into SQE: it alone ends in error, those behind it are flushed,
 * and are sent once more.
 */
static void mad_send_done__recovers_from_sqe(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f), *server = open_server(f);
	void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ib_mad_send_buf *buf[10];

	assert_true(page != MAP_FAILED);
	fixture_lose(f, 1000, NULL);
	for (u32 i = 0; i < 10; i++)
		buf[i] = end_make(client, TEST_METHOD, i, false, 10);
	mad_send_of(buf[3])->sg_list[0].addr = (u64)(uintptr_t)page;
	for (u32 i = 0; i < 10; i++)
		end_post(buf[i]);
	assert_true(wait_count(&client->sends, 10, 100 * MS));
	assert_true(wait_count(&server->recvs, 9, 100 * MS));
	for (int i = 0; i < 10; i++) {
		const bool bad = client->note[i].buf == buf[3];

		assert_true(bad == (client->note[i].status != IB_WC_SUCCESS));
		assert_true(!bad || client->note[i].status != IB_WC_WR_FLUSH_ERR);
	}
	end_post(end_make(client, TEST_METHOD, 99, false, 10));
	assert_true(wait_count(&server->recvs, 10, 100 * MS));
	munmap(page, 4096);
}

static const struct CMUnitTest tests[] = {
	TEST(ib_post_send_mad__without_response),
	TEST(ib_post_send_mad__response_is_handed_up_first),
	TEST(ib_post_send_mad__to_oneself),
	TEST(ib_post_send_mad__nothing),
	TEST(ib_post_send_mad__chain_up_to_the_bad_one),
	TEST(ib_post_send_mad__bad_one_is_not_asked_for),
	TEST(ib_post_send_mad__needs_handlers),
	TEST(ib_post_send_mad__class_without_rmpp),
	TEST(ib_post_send_mad__beyond_the_queue),
	TEST(ib_cancel_mad__of_who_waits_for_a_place),
	TEST(ib_post_send_mad__response_before_it_is_sent),
	TEST(ib_post_send_mad__does_not_allocate),
	TEST(ib_post_send_mad__from_the_handler),
	TEST(mad_send_done__recovers_from_sqe),
};

int main(void)
{
	return verbena_test_main(tests);
}
