// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* RMPP: transfers as a whole [rcp 17]. */
#include <rdma/ib_cache.h>

#include "rmpp_fixture.h"

/* A transfer of @bytes that nothing is answered to; returns when it is over on both sides. */
static void transfer(struct end *client, struct end *server, u32 tid, int bytes)
{
	const unsigned int sends = client->sends, recvs = server->recvs;
	struct note *note;

	server->keep = true;
	end_post(rmpp_make(client, TEST_METHOD, tid, bytes, 0, 3));
	assert_true(wait_count(&client->sends, sends + 1, 60 * SECOND));
	assert_int_equal(client->note[client->count - 1].status, IB_WC_SUCCESS);
	assert_int_equal(server->recvs, recvs + 1);
	note = &server->note[server->count - 1];
	rmpp_check(note->wc, tid, bytes);
	ib_free_recv_mad(note->wc);
	note->wc = NULL;
}

static void rmpp__sizes_around_borders(void **state)
{
	static const int sizes[] = {0,
				    1,
				    RMPP_SEG - 1,
				    RMPP_SEG,
				    RMPP_SEG + 1,
				    2 * RMPP_SEG,
				    64 * RMPP_SEG,
				    64 * RMPP_SEG + 1,
				    65 * RMPP_SEG,
				    65 * RMPP_SEG + 1,
				    129 * RMPP_SEG - 1,
				    129 * RMPP_SEG,
				    129 * RMPP_SEG + 1,
				    1 << 20};
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *server = rmpp_server(f);

	for (u32 i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		transfer(client, server, i + 1, sizes[i]);
}

static void rmpp__16_mib(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *server = rmpp_server(f);

	test_skip_in_torture();
	transfer(client, server, 1, 16 << 20);
}

static void rmpp__loss_of_each_packet(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *server = rmpp_server(f);
	const int bytes = 70 * RMPP_SEG + 5;

	for (u64 n = 0; n < 200; n++) {
		f->lose_number = n;
		fixture_lose(f, 1000, lose_one);
		transfer(client, server, (u32)n + 1, bytes);
		if (!f->lost)
			break;
		client->count = server->count = 0;
	}
	assert_int_equal(f->lost, 0);
}

/* Every packet twice, and many late. */
static void rmpp__duplicates_and_reordering(void **state)
{
	const struct fabric_fault_rates rates = {.seed = 5,
						 .delay_ns = 1000,
						 .duplicate_ppm = FABRIC_PPM,
						 .reorder_ppm = 300000,
						 .reorder_ns = 50000};
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *server = rmpp_server(f);

	fixture_lose(f, 1000, NULL);
	assert_int_equal(fabric_faults_set(&f->faults.faults, &rates), 0);
	for (u32 i = 1; i < 20; i++)
		transfer(client, server, i, (int)i * 5000);
}

/* What goes over the wire, to be looked at. */
static struct {
	struct ib_rmpp_hdr hdr;
	unsigned int from;
	u8 method;
} wire[512];
static unsigned int wired;

static bool write_down(struct fixture *f, unsigned int from, const struct ib_rmpp_mad *mad)
{
	(void)f;
	if (wired < 512) {
		wire[wired].hdr = mad->rmpp_hdr;
		wire[wired].from = from;
		wire[wired++].method = mad->mad_hdr.method;
	}
	return false;
}

static void expect_data(unsigned int at, u32 seg, u8 flags, u32 payload)
{
	assert_int_equal(wire[at].from, 0);
	assert_int_equal(wire[at].hdr.rmpp_type, IB_MGMT_RMPP_TYPE_DATA);
	assert_int_equal(be32_to_cpu(wire[at].hdr.seg_num), seg);
	assert_int_equal(wire[at].hdr.rmpp_rtime_flags & 7, IB_MGMT_RMPP_FLAG_ACTIVE | flags);
	assert_int_equal(be32_to_cpu(wire[at].hdr.paylen_newwin), payload);
}

static void expect_ack(unsigned int at, u32 seg, u32 newwin)
{
	assert_int_equal(wire[at].from, 1);
	assert_int_equal(wire[at].method, TEST_METHOD | IB_MGMT_METHOD_RESP);
	assert_int_equal(wire[at].hdr.rmpp_type, IB_MGMT_RMPP_TYPE_ACK);
	assert_int_equal(be32_to_cpu(wire[at].hdr.seg_num), seg);
	assert_int_equal(be32_to_cpu(wire[at].hdr.paylen_newwin), newwin);
}

/* One segment, then as many as the window says; ACKs at its end and at the end of all. */
static void rmpp__on_the_wire(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *server = rmpp_server(f);
	const int segments = 140;

	wired = 0;
	fixture_lose(f, 1000, write_down);
	transfer(client, server, 1, segments * RMPP_SEG - 7);
	assert_int_equal(wired, segments + 4);
	expect_data(0, 1, IB_MGMT_RMPP_FLAG_FIRST, 140 * 220 - 7);
	expect_ack(1, 1, 65);
	for (u32 i = 2; i <= 65; i++)
		expect_data(i, i, 0, 0);
	expect_ack(66, 65, 129);
	expect_data(67, 66, 0, 0);
	expect_data(130, 129, 0, 0);
	expect_ack(131, 129, 193);
	expect_data(142, 140, IB_MGMT_RMPP_FLAG_LAST, 220 - 7);
	expect_ack(143, 140, 193);
}

static void rmpp__one_segment_on_the_wire(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *server = rmpp_server(f);

	wired = 0;
	fixture_lose(f, 1000, write_down);
	transfer(client, server, 1, 0);
	assert_int_equal(wired, 2);
	expect_data(0, 1, IB_MGMT_RMPP_FLAG_FIRST | IB_MGMT_RMPP_FLAG_LAST, 4);
	expect_ack(1, 1, 1);
}

/* A table in answer to one MAD, as the SA gives it. */
static int table_bytes;

static void respond_with_table(struct end *end, struct ib_mad_send_buf *unused,
			       struct ib_mad_recv_wc *wc)
{
	struct ib_mad_send_buf *buf =
		rmpp_make(end, TEST_METHOD | IB_MGMT_METHOD_RESP, low_tid(wc), table_bytes, 0, 3);

	(void)unused;
	((struct ib_mad_hdr *)buf->mad)->tid = wc->recv_buf.mad->mad_hdr.tid;
	end_post(buf);
}

static void rmpp__response_of_many_segments(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *server = rmpp_server(f);

	server->on_recv = respond_with_table;
	client->keep = true;
	for (u32 i = 0; i < 4; i++) {
		struct ib_mad_send_buf *buf = end_make(client, TEST_METHOD, i, false, 1);
		const unsigned int at = client->count;

		table_bytes = (int)i * 50000;
		buf->timeout_ms = 1000;
		end_post(buf);
		assert_true(wait_count(&client->sends, i + 1, 10 * SECOND));
		assert_ptr_equal(client->note[at].buf, buf);
		rmpp_check(client->note[at].wc, i, table_bytes);
		assert_int_equal(client->note[at + 1].status, IB_WC_SUCCESS);
		assert_true(wait_count(&server->sends, i + 1, SECOND));
		assert_int_equal(server->note[server->count - 1].status, IB_WC_SUCCESS);
	}
}

static u64 turns;

static bool count_turns(struct fixture *f, unsigned int from, const struct ib_rmpp_mad *mad)
{
	(void)f;
	if (!from && mad->rmpp_hdr.rmpp_type == IB_MGMT_RMPP_TYPE_ACK && !mad->rmpp_hdr.seg_num) {
		assert_int_equal(be32_to_cpu(mad->rmpp_hdr.paylen_newwin), 1);
		turns++;
	}
	return f->lose_number == f->packets;
}

/* Both request and response take many segments; in between the turn changes, by an ACK of nothing. */
static void rmpp__double_sided(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *server = rmpp_server(f);

	turns = 0;
	f->lose_number = UINT64_MAX;
	fixture_lose(f, 1000, count_turns);
	server->on_recv = respond_with_table;
	client->keep = true;
	table_bytes = 33333;
	end_post(rmpp_make(client, TEST_METHOD, 9, 44444, 1000, 3));
	assert_true(wait_count(&client->sends, 1, 10 * SECOND));
	assert_int_equal(client->note[0].status + client->note[1].status, IB_WC_SUCCESS);
	rmpp_check(client->note[0].wc, 9, table_bytes);
	assert_true(wait_count(&server->sends, 1, SECOND));
	assert_int_equal(turns, 1);
}

/* By GIDs, as between subnets: the address of every answer has a GRH, too. */
static void use_grh(struct end *end)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	union ib_gid gid;

	assert_int_equal(rdma_query_gid(end->f->device[!end->host], 1, 0, &gid), 0);
	rdma_ah_set_dlid(&attr, fixture_lid(end->f, !end->host));
	rdma_ah_set_grh(&attr, &gid, 0, 0, 1, 0);
	rdma_destroy_ah(end->ah, 0);
	end->ah = rdma_create_ah(end->agent->qp->pd, &attr, 0);
	if (IS_ERR(end->ah))
		end->ah = NULL;
	assert_non_null(end->ah);
}

static void rmpp__with_grh(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *server = rmpp_server(f);

	use_grh(client);
	use_grh(server);
	server->on_recv = respond_with_table;
	client->keep = true;
	table_bytes = 20000;
	end_post(rmpp_make(client, TEST_METHOD, 9, 30000, 5000, 0));
	assert_true(wait_count(&client->sends, 1, 10 * SECOND));
	assert_int_equal(client->note[1].status, IB_WC_SUCCESS);
	assert_true(client->note[0].cqe.wc_flags & IB_WC_GRH);
	rmpp_check(client->note[0].wc, 9, table_bytes);
	assert_true(wait_count(&server->sends, 1, SECOND));
	assert_int_equal(server->note[server->count - 1].status, IB_WC_SUCCESS);
}

static void rmpp__double_sided_loss_of_each_packet(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *server = rmpp_server(f);
	u64 n;

	server->on_recv = respond_with_table;
	client->keep = true;
	table_bytes = 5 * RMPP_SEG + 1;
	for (n = 0; n < 60; n++) {
		f->lose_number = n;
		fixture_lose(f, 1000, count_turns);
		end_post(rmpp_make(client, TEST_METHOD, (u32)n + 1, 4 * RMPP_SEG, 10000, 9));
		assert_true(wait_count(&client->sends, (unsigned int)n + 1, 30 * SECOND));
		assert_int_equal(client->note[2 * n].status, IB_WC_SUCCESS);
		rmpp_check(client->note[2 * n].wc, (u32)n + 1, table_bytes);
		assert_int_equal(client->note[2 * n + 1].status, IB_WC_SUCCESS);
		assert_true(wait_count(&server->sends, (unsigned int)n + 1, 30 * SECOND));
		assert_int_equal(server->note[server->count - 1].status, IB_WC_SUCCESS);
		if (!f->lost)
			break;
	}
	assert_int_equal(f->lost, 0);
}

/* What the other side has said of its window holds for the first segments of the response. */
static void mad_rmpp_repwin__starts_the_response(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *server = rmpp_server(f);
	struct ib_mad_send_buf *ack, *buf;
	struct ib_rmpp_mad *mad;

	server->keep = true;
	wired = 0;
	fixture_lose(f, 1000, write_down);
	end_post(rmpp_make(client, TEST_METHOD, 9, 1000, 5000, 0));
	assert_true(wait_count(&server->recvs, 1, SECOND));
	pass(MS);
	/* The turn, once more, with a window of 3. */
	ack = end_make(client, TEST_METHOD, 9, true, 0);
	mad = ack->mad;
	mad->rmpp_hdr.rmpp_type = IB_MGMT_RMPP_TYPE_ACK;
	mad->rmpp_hdr.paylen_newwin = cpu_to_be32(3);
	end_post(ack);
	pass(MS);
	wired = 0;
	buf = rmpp_make(server, TEST_METHOD | IB_MGMT_METHOD_RESP, 9, 10 * RMPP_SEG, 0, 0);
	((struct ib_mad_hdr *)buf->mad)->tid = server->note[0].hdr.tid;
	end_post(buf);
	assert_true(wait_count(&client->recvs, 1, SECOND));
	/* Three of them before the ACK of the first has come. */
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(wire[i].hdr.rmpp_type, IB_MGMT_RMPP_TYPE_DATA);
		assert_int_equal(be32_to_cpu(wire[i].hdr.seg_num), i + 1);
	}
	assert_int_equal(wire[3].hdr.rmpp_type, IB_MGMT_RMPP_TYPE_ACK);
}

static void rmpp__both_directions_at_once(void **state)
{
	struct fixture *f = *state;
	struct end *a = end_open(f, 0, 0, TEST_CLASS, 1ull << TEST_METHOD, IB_MGMT_RMPP_VERSION);
	struct end *b = rmpp_server(f);

	fixture_lose(f, 1000, NULL);
	a->keep = b->keep = true;
	end_post(rmpp_make(a, TEST_METHOD, 1, 100000, 0, 3));
	end_post(rmpp_make(b, TEST_METHOD, 1, 77777, 0, 3)); /* of the same low TID */
	assert_true(wait_count(&a->sends, 1, SECOND));
	assert_true(wait_count(&b->sends, 1, SECOND));
	rmpp_check(a->note[0].sent ? a->note[1].wc : a->note[0].wc, 1, 77777);
	rmpp_check(b->note[0].sent ? b->note[1].wc : b->note[0].wc, 1, 100000);
}

static unsigned int right;

static void check_and_count(struct end *end, struct ib_mad_send_buf *unused,
			    struct ib_mad_recv_wc *wc)
{
	(void)end;
	(void)unused;
	rmpp_check(wc, low_tid(wc), (int)low_tid(wc) % 1500);
	right++;
}

static void rmpp__thousands_at_once(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *server = rmpp_server(f);

	test_skip_in_torture();
	right = 0;
	server->on_recv = check_and_count;
	fixture_lose(f, 1000, NULL);
	for (u32 i = 1; i <= 4000; i++)
		end_post(rmpp_make(client, TEST_METHOD, i, (int)i % 1500, 0, 9));
	assert_true(wait_count(&client->sends, 4000, 60 * SECOND));
	assert_int_equal(right, 4000);
	for (u32 i = 0; i < 4000; i++)
		assert_int_equal(client->note[i].status, IB_WC_SUCCESS);
}

/* With 2048 bytes a MAD. */
static void rmpp__opa(void **state)
{
	struct fixture *f = *state;
	struct end *client, *server;
	struct ib_mad_send_buf *buf;
	const struct ib_mad_recv_wc *wc;
	u8 *data;

	for (int i = 0; i < 2; i++) {
		struct ib_port_immutable *port = &f->device[i]->port_data[1].immutable;

		port->core_cap_flags |= RDMA_CORE_CAP_OPA_MAD;
		port->max_mad_size = OPA_MGMT_MAD_SIZE;
	}
	client = rmpp_client(f);
	server = rmpp_server(f);
	server->keep = true;
	buf = hold(ib_create_send_mad(client->agent, 1, 0, 1, IB_MGMT_VENDOR_HDR, 100000,
				      GFP_KERNEL, OPA_MGMT_BASE_VERSION));
	assert_false(IS_ERR(buf));
	data = (u8 *)buf->mad + buf->hdr_len;
	memset(data, 0xab, 100000);
	*(struct ib_mad_hdr *)buf->mad = (struct ib_mad_hdr){.base_version = OPA_MGMT_BASE_VERSION,
							     .mgmt_class = TEST_CLASS,
							     .class_version = 1,
							     .method = TEST_METHOD};
	((struct ib_mad_hdr *)buf->mad)->tid = cpu_to_be64((u64)client->agent->hi_tid << 32);
	memcpy(((struct ib_vendor_mad *)buf->mad)->oui, "\x00\x14\x05", 3);
	buf->ah = client->ah;
	end_post(buf);
	assert_true(wait_count(&client->sends, 1, 10 * SECOND));
	assert_int_equal(client->note[0].status, IB_WC_SUCCESS);
	assert_int_equal(server->recvs, 1);
	wc = server->note[0].wc;
	assert_int_equal(wc->mad_len, IB_MGMT_VENDOR_HDR + 100000);
	assert_int_equal(wc->mad_seg_size, OPA_MGMT_MAD_SIZE);
	assert_int_equal(wc->recv_buf.opa_mad->data[OPA_MGMT_MAD_DATA - 1], 0xab);
}

/* Agents that do it themselves see every segment. */
static void rmpp__user_agents_see_segments(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f);
	struct end *server = end_open(f, 1, 1, TEST_CLASS, 1ull << TEST_METHOD, 0);

	end_post(rmpp_make(client, TEST_METHOD, 1, 1000, 300, 2));
	assert_true(wait_count(&client->sends, 1, 10 * SECOND));
	assert_int_equal(client->note[0].status, IB_WC_RESP_TIMEOUT_ERR); /* nobody sends ACKs */
	assert_int_equal(client->note[0].retries, 2);
	assert_int_equal(server->recvs, 3); /* the first, and twice more */
	assert_int_equal(server->note[0].mad_len, IB_MGMT_MAD_SIZE);
}

static void rmpp__user_agents_get_responses_in_segments(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0), *server = rmpp_server(f);
	struct ib_mad_send_buf *buf = end_make(client, TEST_METHOD, 5, false, 1);

	server->on_recv = respond_with_table;
	table_bytes = 1000;
	buf->timeout_ms = 300;
	end_post(buf);
	assert_true(wait_count(&client->recvs, 1, SECOND));
	assert_true(wait_count(&client->sends, 1, SECOND));
	assert_ptr_equal(client->note[0].buf, buf);
	/* Resent, for there is no ACK; and handed up without the request, which is over. */
	assert_true(wait_count(&client->recvs, 2, 10 * SECOND));
	assert_null(client->note[2].buf);
	assert_true(wait_count(&server->sends, 1, 60 * SECOND));
	assert_int_equal(server->note[1].status, IB_WC_RESP_TIMEOUT_ERR);
}

static const struct CMUnitTest tests[] = {
	TEST(rmpp__sizes_around_borders),
	TEST(rmpp__16_mib),
	TEST(rmpp__loss_of_each_packet),
	TEST(rmpp__duplicates_and_reordering),
	TEST(rmpp__on_the_wire),
	TEST(rmpp__one_segment_on_the_wire),
	TEST(rmpp__response_of_many_segments),
	TEST(rmpp__double_sided),
	TEST(rmpp__with_grh),
	TEST(rmpp__double_sided_loss_of_each_packet),
	TEST(mad_rmpp_repwin__starts_the_response),
	TEST(rmpp__both_directions_at_once),
	TEST(rmpp__thousands_at_once),
	TEST(rmpp__opa),
	TEST(rmpp__user_agents_see_segments),
	TEST(rmpp__user_agents_get_responses_in_segments),
};

int main(void)
{
	return verbena_test_main(tests);
}
