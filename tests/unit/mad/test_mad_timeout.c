// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Waiting for responses: what runs out when, what is sent again, and what is cancelled where. */
#include "mad_fixture.h"

#define DELAY_NS 5000ull

static struct end *open_server(struct fixture *f)
{
	return end_open(f, 1, 1, TEST_CLASS, 1ull << TEST_METHOD, 0);
}

static struct end *open_client(struct fixture *f)
{
	return end_open(f, 0, 0, TEST_CLASS, 0, 0);
}

static struct ib_mad_send_buf *request(struct end *end, u32 tid, int timeout_ms, int retries)
{
	struct ib_mad_send_buf *buf = end_make(end, TEST_METHOD, tid, false, 10);

	buf->timeout_ms = timeout_ms;
	buf->retries = retries;
	return buf;
}

/* The time counts from when the MAD has been sent; without delay that is when it was posted. */
static void timeout__is_exact(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f);
	u64 posted_ns;

	pass(3 * MS);
	posted_ns = base_now_ns();
	end_post(request(client, 1, 200, 0));
	assert_true(wait_count(&client->sends, 1, 1000 * MS));
	assert_int_equal(client->note[0].at_ns - posted_ns, 200 * MS);
	assert_int_equal(client->note[0].status, IB_WC_RESP_TIMEOUT_ERR);
	assert_int_equal(client->note[0].vendor_err, BASE_CAUSE_MAD_TIMEOUT);
	assert_int_equal(client->note[0].retries, 0);
}

/* OpenSM's 200 ms and 3 retries: four requests, and a report after 800 ms. */
static void timeout__after_all_retries(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f), *server = open_server(f);
	const u64 posted_ns = base_now_ns();

	end_post(request(client, 1, 200, 3));
	assert_true(wait_count(&client->sends, 1, 10000 * MS));
	assert_int_equal(client->note[0].at_ns - posted_ns, 800 * MS);
	assert_int_equal(client->note[0].status, IB_WC_RESP_TIMEOUT_ERR);
	assert_int_equal(client->note[0].retries, 3);
	assert_int_equal(server->recvs, 4);
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(server->note[i].at_ns - posted_ns, i * 200 * MS);
		assert_memory_equal(&server->note[i].hdr, &server->note[0].hdr,
				    sizeof(struct ib_mad_hdr));
	}
}

static bool lose_first_two(struct fixture *f, unsigned int from, const struct ib_rmpp_mad *mad)
{
	(void)mad;
	return from == 0 && f->packets < 2;
}

static void timeout__answered_at_the_third_try(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f), *server = open_server(f);
	const u64 posted_ns = base_now_ns();

	server->on_recv = respond_at_once;
	fixture_lose(f, DELAY_NS, lose_first_two);
	end_post(request(client, 1, 100, 5));
	assert_true(wait_count(&client->sends, 1, 10000 * MS));
	assert_int_equal(client->note[0].at_ns - posted_ns, 200 * MS + 2 * DELAY_NS);
	assert_int_equal(client->note[1].status, IB_WC_SUCCESS);
	assert_int_equal(client->note[1].retries, 2);
	assert_int_equal(server->recvs, 1);
}

/* Each of its own time, in whatever order they were posted. */
static void timeout__many_at_once(void **state)
{
	static const int ms[] = {500, 200, 300, 100, 400, 200, 50, 1000};
	struct fixture *f = *state;
	struct end *client = open_client(f);
	const u64 posted_ns = base_now_ns();
	u64 before = 0;

	for (u32 i = 0; i < 8; i++)
		end_post(request(client, i, ms[i], 0));
	assert_true(wait_count(&client->sends, 8, 10000 * MS));
	for (u32 i = 0; i < 8; i++) {
		const u32 tid = (u32)be64_to_cpu(client->note[i].hdr.tid);

		assert_int_equal(client->note[i].at_ns - posted_ns, (u64)ms[tid] * MS);
		assert_true(client->note[i].at_ns >= before);
		before = client->note[i].at_ns;
	}
}

/* A later copy of the response is nobody's. */
static void respond_twice(struct end *end, struct ib_mad_send_buf *buf, struct ib_mad_recv_wc *wc)
{
	respond_at_once(end, buf, wc);
	respond_at_once(end, buf, wc);
}

static void response__second_is_dropped(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f), *server = open_server(f);

	server->on_recv = respond_twice;
	end_post(request(client, 1, 100, 0));
	assert_true(wait_count(&client->sends, 1, 1000 * MS));
	pass(10 * MS);
	assert_int_equal(client->recvs, 1);
	assert_int_equal(mad_port_drops(f->device[0], 1, MAD_DROP_NO_REQUEST), 1);
}

static void response__after_its_time_is_dropped(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f), *server = open_server(f);

	server->on_recv = respond_at_once;
	fixture_lose(f, 60 * MS, NULL);
	end_post(request(client, 1, 100, 0));
	assert_true(wait_count(&client->sends, 1, 1000 * MS));
	assert_int_equal(client->note[0].status, IB_WC_RESP_TIMEOUT_ERR);
	pass(1000 * MS);
	assert_int_equal(server->recvs, 1);
	assert_int_equal(client->recvs, 0);
	assert_int_equal(mad_port_drops(f->device[0], 1, MAD_DROP_NO_REQUEST), 1);
}

static void ib_modify_mad__cancels_who_waits(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f);
	struct ib_mad_send_buf *buf;
	u64 at_ns;

	(void)open_server(f);
	client->keep_sent = true;
	buf = request(client, 1, 1000, 3);
	end_post(buf);
	pass(10 * MS);
	at_ns = base_now_ns();
	assert_int_equal(ib_modify_mad(buf, 0), 0);
	assert_int_equal(client->sends, 0); /* not from within */
	assert_int_equal(ib_modify_mad(buf, 0), -EINVAL);
	assert_true(wait_count(&client->sends, 1, MS));
	assert_int_equal(client->note[0].status, IB_WC_WR_FLUSH_ERR);
	assert_int_equal(client->note[0].vendor_err, BASE_CAUSE_MAD_CANCELLED);
	assert_int_equal(client->note[0].at_ns, at_ns);
	ib_cancel_mad(buf);
	assert_int_equal(ib_modify_mad(buf, 5), -EINVAL);
	pass(5000 * MS);
	assert_int_equal(client->sends, 1);
	end_free(buf);
}

static void ib_modify_mad__cancels_what_is_on_its_way(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f), *server = open_server(f);
	struct ib_mad_send_buf *buf = request(client, 1, 1000, 3);

	server->on_recv = respond_at_once;
	fixture_lose(f, DELAY_NS, NULL);
	end_post(buf);
	ib_cancel_mad(buf);
	assert_true(wait_count(&client->sends, 1, 100 * MS));
	assert_int_equal(client->note[0].status, IB_WC_WR_FLUSH_ERR);
	pass(5000 * MS);
	assert_int_equal(client->recvs, 0);
	assert_int_equal(client->sends, 1);
	assert_int_equal(mad_port_drops(f->device[0], 1, MAD_DROP_NO_REQUEST), server->recvs);
}

static void ib_modify_mad__cancels_what_waits_for_nothing(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f);
	struct ib_mad_send_buf *buf = request(client, 1, 0, 0);

	fixture_lose(f, DELAY_NS, NULL);
	end_post(buf);
	ib_cancel_mad(buf);
	assert_true(wait_count(&client->sends, 1, 100 * MS));
	assert_int_equal(client->note[0].status, IB_WC_WR_FLUSH_ERR);
}

static void ib_modify_mad__unknown(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f);
	struct ib_mad_send_buf *buf = request(client, 1, 10, 0);

	assert_int_equal(ib_modify_mad(NULL, 5), -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_MAD_NOT_OUTSTANDING);
	assert_int_equal(ib_modify_mad(buf, 5), -EINVAL);
	ib_cancel_mad(buf);
	end_free(buf);
}

/* From the moment of the call. */
static void ib_modify_mad__restarts_the_wait(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f);
	struct ib_mad_send_buf *longer = request(client, 1, 100, 0),
			       *shorter = request(client, 2, 1000, 0);
	const u64 posted_ns = base_now_ns();

	end_post(longer);
	end_post(shorter);
	pass(50 * MS);
	assert_int_equal(ib_modify_mad(longer, 400), 0);
	assert_int_equal(ib_modify_mad(shorter, 30), 0);
	assert_true(wait_count(&client->sends, 2, 5000 * MS));
	assert_ptr_equal(client->note[0].buf, shorter);
	assert_int_equal(client->note[0].at_ns - posted_ns, 80 * MS);
	assert_int_equal(client->note[0].status, IB_WC_RESP_TIMEOUT_ERR);
	assert_ptr_equal(client->note[1].buf, longer);
	assert_int_equal(client->note[1].at_ns - posted_ns, 450 * MS);
}

/* What has not been sent yet waits the new time, from when it has. */
static void ib_modify_mad__before_it_is_sent(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f);
	struct ib_mad_send_buf *buf = request(client, 1, 1000, 0);
	const u64 posted_ns = base_now_ns();

	end_post(buf);
	assert_int_equal(ib_modify_mad(buf, 70), 0);
	assert_true(wait_count(&client->sends, 1, 5000 * MS));
	assert_int_equal(client->note[0].at_ns - posted_ns, 70 * MS);
}

static void cancel_other(struct end *end, struct ib_mad_send_buf *buf, struct ib_mad_recv_wc *wc)
{
	(void)wc;
	/* Its own has its response already. */
	assert_int_equal(ib_modify_mad(buf, 0), -EINVAL);
	assert_int_equal(ib_modify_mad(buf->context[0], 0), 0);
	(void)end;
}

static void ib_modify_mad__from_a_handler(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f), *server = open_server(f);
	struct ib_mad_send_buf *a = request(client, 1, 1000, 0), *b = request(client, 2, 1000, 0);

	a->context[0] = b;
	((struct ib_mad_hdr *)b->mad)->class_version = 9; /* nobody answers */
	client->on_recv = cancel_other;
	server->on_recv = respond_at_once;
	end_post(b);
	end_post(a);
	assert_true(wait_count(&client->sends, 2, 5000 * MS));
	assert_int_equal(client->recvs, 1);
	assert_int_equal(client->note[1].status, IB_WC_SUCCESS);
	assert_int_equal(client->note[2].status, IB_WC_WR_FLUSH_ERR);
}

static void ib_reset_mad_timeout__waits_anew(void **state)
{
	struct fixture *f = *state;
	struct end *client = open_client(f);
	struct ib_mad_send_buf *buf = request(client, 1, 100, 0);
	struct ib_mad_send_wr_private *wr = mad_send_of(buf);
	const u64 posted_ns = base_now_ns();

	end_post(buf);
	pass(60 * MS);
	spin_lock(&wr->mad_agent_priv->lock);
	ib_reset_mad_timeout(wr, 100);
	spin_unlock(&wr->mad_agent_priv->lock);
	assert_true(wait_count(&client->sends, 1, 5000 * MS));
	assert_int_equal(client->note[0].at_ns - posted_ns, 160 * MS);
}

static const struct CMUnitTest tests[] = {
	TEST(timeout__is_exact),
	TEST(timeout__after_all_retries),
	TEST(timeout__answered_at_the_third_try),
	TEST(timeout__many_at_once),
	TEST(response__second_is_dropped),
	TEST(response__after_its_time_is_dropped),
	TEST(ib_modify_mad__cancels_who_waits),
	TEST(ib_modify_mad__cancels_what_is_on_its_way),
	TEST(ib_modify_mad__cancels_what_waits_for_nothing),
	TEST(ib_modify_mad__unknown),
	TEST(ib_modify_mad__restarts_the_wait),
	TEST(ib_modify_mad__before_it_is_sent),
	TEST(ib_modify_mad__from_a_handler),
	TEST(ib_reset_mad_timeout__waits_anew),
};

int main(void)
{
	return verbena_test_main(tests);
}
