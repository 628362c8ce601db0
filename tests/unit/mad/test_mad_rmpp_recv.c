// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * RMPP against a peer that does what it wants: a sender that is wrong, a receiver that is, and the times that
 * transfers have [rcp 17].
 */
#include "base/random.h"

#include "rmpp_fixture.h"

/* A peer without RMPP: it sends and sees single segments. */
static struct end *open_peer(struct fixture *f, unsigned int which, unsigned int host)
{
	struct end *peer = end_open(f, which, host, TEST_CLASS, 1ull << TEST_METHOD, 0);

	peer->keep = true;
	return peer;
}

struct segment {
	u8 type, flags, status, version;
	u32 number, length;
};

static struct ib_mad_send_buf *make_segment(struct end *peer, u8 method, u64 tid, struct segment s)
{
	struct ib_mad_send_buf *buf = end_make(peer, method, 0, false, RMPP_SEG);
	struct ib_rmpp_mad *mad = buf->mad;

	mad->mad_hdr.tid = cpu_to_be64(tid);
	mad->rmpp_hdr.rmpp_version = s.version ? s.version : IB_MGMT_RMPP_VERSION;
	mad->rmpp_hdr.rmpp_type = s.type ? s.type : IB_MGMT_RMPP_TYPE_DATA;
	mad->rmpp_hdr.rmpp_rtime_flags = IB_MGMT_RMPP_FLAG_ACTIVE | s.flags;
	mad->rmpp_hdr.rmpp_status = s.status;
	mad->rmpp_hdr.seg_num = cpu_to_be32(s.number);
	mad->rmpp_hdr.paylen_newwin = cpu_to_be32(s.length);
	return buf;
}

static void send_segment(struct end *peer, u8 method, u64 tid, struct segment s)
{
	end_post(make_segment(peer, method, tid, s));
	pass(MS);
}

/* TIDs of the peer, so that what answers comes back to it. */
static u64 tid_of(const struct end *peer, u32 low)
{
	return (u64)peer->agent->hi_tid << 32 | low;
}

#define FIRST IB_MGMT_RMPP_FLAG_FIRST
#define LAST IB_MGMT_RMPP_FLAG_LAST

static const struct ib_rmpp_hdr *last_answer(const struct end *peer)
{
	for (unsigned int i = peer->count; i-- > 0;)
		if (peer->note[i].wc)
			return &((struct ib_rmpp_mad *)peer->note[i].wc->recv_buf.mad)->rmpp_hdr;
	return NULL;
}

static void expect_answer(const struct end *peer, u8 type, u8 status, u32 seg, u32 win)
{
	const struct ib_rmpp_hdr *hdr = last_answer(peer);

	assert_non_null(hdr);
	assert_int_equal(hdr->rmpp_type, type);
	assert_int_equal(hdr->rmpp_status, status);
	assert_int_equal(be32_to_cpu(hdr->seg_num), seg);
	assert_int_equal(be32_to_cpu(hdr->paylen_newwin), win);
}

static void expect_abort(const struct end *peer, unsigned int answers, u8 status)
{
	assert_int_equal(peer->recvs, answers);
	expect_answer(peer, IB_MGMT_RMPP_TYPE_ABORT, status, 0, 0);
}

static void data__refused(void **state)
{
	static const struct {
		struct segment s;
		u8 status;
	} rows[] = {
		{{.number = 1, .flags = 0}, IB_MGMT_RMPP_STATUS_BAD_SEG},
		{{.number = 2, .flags = FIRST}, IB_MGMT_RMPP_STATUS_BAD_SEG},
		{{.number = 0, .flags = FIRST}, IB_MGMT_RMPP_STATUS_BAD_SEG},
		{{.number = 0, .flags = 0}, IB_MGMT_RMPP_STATUS_BAD_SEG},
		{{.number = 1, .flags = FIRST, .status = 1}, IB_MGMT_RMPP_STATUS_BAD_STATUS},
		{{.number = 1, .flags = FIRST, .version = 2}, IB_MGMT_RMPP_STATUS_UNV},
		{{.number = 1, .flags = FIRST, .type = 9}, IB_MGMT_RMPP_STATUS_BADT},
	};
	struct fixture *f = *state;
	struct end *peer = open_peer(f, 0, 0), *server = rmpp_server(f);

	for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		send_segment(peer, TEST_METHOD, tid_of(peer, i), rows[i].s);
		expect_abort(peer, i + 1, rows[i].status);
	}
	assert_int_equal(server->recvs, 0);
}

/* Nobody's window allows for it, or nobody knows of it. */
static void data__dropped(void **state)
{
	struct fixture *f = *state;
	struct end *peer = open_peer(f, 0, 0);

	(void)rmpp_server(f);
	send_segment(peer, TEST_METHOD, tid_of(peer, 1), (struct segment){.number = 7});
	assert_int_equal(peer->recvs, 0);
	send_segment(peer, TEST_METHOD, tid_of(peer, 1),
		     (struct segment){.number = 1, .flags = FIRST});
	expect_answer(peer, IB_MGMT_RMPP_TYPE_ACK, 0, 1, 65);
	send_segment(peer, TEST_METHOD, tid_of(peer, 1), (struct segment){.number = 66});
	send_segment(peer, TEST_METHOD, tid_of(peer, 1), (struct segment){.number = UINT32_MAX});
	assert_int_equal(peer->recvs, 1);
	assert_int_equal(mad_port_drops(f->device[1], 1, MAD_DROP_RMPP), 3);
}

/* In any order, some of them twice; lengths as the last says. */
static void data__in_any_order(void **state)
{
	static const u32 order[] = {3, 5, 3, 2, 4};
	struct fixture *f = *state;
	struct end *peer = open_peer(f, 0, 0), *server = rmpp_server(f);
	u32 number = 0;
	const struct ib_mad_recv_buf *buf;

	server->keep = true;
	send_segment(peer, TEST_METHOD, tid_of(peer, 1),
		     (struct segment){.number = 1, .flags = FIRST});
	for (unsigned int i = 0; i < 5; i++)
		send_segment(peer, TEST_METHOD, tid_of(peer, 1),
			     (struct segment){.number = order[i],
					      .flags = order[i] == 5 ? LAST : 0,
					      .length = order[i] == 5 ? 4 + 100 : 0});
	assert_int_equal(server->recvs, 1);
	assert_int_equal(server->note[0].mad_len, IB_MGMT_VENDOR_HDR + 4 * RMPP_SEG + 100);
	list_for_each_entry(buf, &server->note[0].wc->rmpp_list, list)
		assert_int_equal(be32_to_cpu(((struct ib_rmpp_mad *)buf->mad)->rmpp_hdr.seg_num),
				 ++number);
	assert_int_equal(number, 5);
	expect_answer(peer, IB_MGMT_RMPP_TYPE_ACK, 0, 5, 65);
	assert_int_equal(peer->recvs, 2);
}

/* One that says it is the last, though later ones have come: those are forgotten. */
static void data__behind_the_last(void **state)
{
	struct fixture *f = *state;
	struct end *peer = open_peer(f, 0, 0), *server = rmpp_server(f);

	server->keep = true;
	send_segment(peer, TEST_METHOD, tid_of(peer, 1),
		     (struct segment){.number = 1, .flags = FIRST});
	send_segment(peer, TEST_METHOD, tid_of(peer, 1), (struct segment){.number = 3});
	send_segment(peer, TEST_METHOD, tid_of(peer, 1),
		     (struct segment){.number = 4, .flags = LAST});
	send_segment(peer, TEST_METHOD, tid_of(peer, 1),
		     (struct segment){.number = 2, .flags = LAST, .length = 220});
	assert_int_equal(server->recvs, 1);
	assert_int_equal(server->note[0].mad_len, IB_MGMT_VENDOR_HDR + 2 * RMPP_SEG);
	assert_ptr_equal(server->note[0].wc->rmpp_list.prev->prev,
			 server->note[0].wc->rmpp_list.next);
}

/* Payload lengths that make no sense. */
static void data__length_of_the_last(void **state)
{
	static const struct {
		u32 payload;
		int bytes;
	} rows[] = {{220, RMPP_SEG},	   {4, 0}, {5, 1}, {0, 0}, {3, 0}, {221, RMPP_SEG},
		    {UINT32_MAX, RMPP_SEG}};
	struct fixture *f = *state;
	struct end *peer = open_peer(f, 0, 0), *server = rmpp_server(f);

	for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		send_segment(peer, TEST_METHOD, tid_of(peer, i),
			     (struct segment){.number = 1,
					      .flags = FIRST | LAST,
					      .length = rows[i].payload});
		assert_int_equal(server->recvs, i + 1);
		assert_int_equal(server->note[i].mad_len, IB_MGMT_VENDOR_HDR + rows[i].bytes);
	}
}

/* Repeated ones are acknowledged again, for 10 s after the end. */
static void data__repeated(void **state)
{
	struct fixture *f = *state;
	struct end *peer = open_peer(f, 0, 0), *server = rmpp_server(f);
	const struct segment first = {.number = 1, .flags = FIRST},
			     last = {.number = 2, .flags = LAST, .length = 220};

	send_segment(peer, TEST_METHOD, tid_of(peer, 1), first);
	send_segment(peer, TEST_METHOD, tid_of(peer, 1), first);
	assert_int_equal(peer->recvs, 2);
	expect_answer(peer, IB_MGMT_RMPP_TYPE_ACK, 0, 1, 65);
	send_segment(peer, TEST_METHOD, tid_of(peer, 1), last);
	pass(9990 * MS);
	send_segment(peer, TEST_METHOD, tid_of(peer, 1), last);
	send_segment(peer, TEST_METHOD, tid_of(peer, 1), first);
	assert_int_equal(peer->recvs, 5);
	expect_answer(peer, IB_MGMT_RMPP_TYPE_ACK, 0, 2, 65);
	pass(10 * MS);
	send_segment(peer, TEST_METHOD, tid_of(peer, 1), last);
	assert_int_equal(peer->recvs, 5);
	assert_int_equal(server->recvs, 1);
}

/* The whole must have come within 40 s. */
static void data__too_slow(void **state)
{
	struct fixture *f = *state;
	struct end *peer = open_peer(f, 0, 0), *server = rmpp_server(f);
	const u64 began_ns = base_now_ns();

	send_segment(peer, TEST_METHOD, tid_of(peer, 1),
		     (struct segment){.number = 1, .flags = FIRST});
	for (u32 i = 2; i < 22; i++) {
		pass(1900 * MS);
		send_segment(peer, TEST_METHOD, tid_of(peer, 1), (struct segment){.number = i});
	}
	assert_int_equal(peer->recvs, 1);
	assert_true(wait_count(&peer->recvs, 2, 10 * SECOND));
	expect_abort(peer, 2, IB_MGMT_RMPP_STATUS_T2L);
	assert_int_equal(peer->note[peer->count - 1].at_ns - began_ns, 40 * SECOND);
	send_segment(peer, TEST_METHOD, tid_of(peer, 1),
		     (struct segment){.number = 22, .flags = LAST});
	assert_int_equal(server->recvs, 0);
}

/* A response that nobody has asked for. */
static void data__of_a_response(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *peer = open_peer(f, 1, 1);
	struct ib_mad_send_buf *buf = end_make(client, TEST_METHOD, 3, false, 1);
	const struct segment only = {.number = 1, .flags = FIRST | LAST, .length = 220};

	send_segment(peer, TEST_METHOD | IB_MGMT_METHOD_RESP, tid_of(client, 3), only);
	assert_int_equal(client->recvs, 0);
	assert_int_equal(mad_port_drops(f->device[0], 1, MAD_DROP_NO_REQUEST), 1);
	buf->timeout_ms = 1000;
	end_post(buf);
	pass(MS);
	send_segment(peer, TEST_METHOD | IB_MGMT_METHOD_RESP, tid_of(client, 3), only);
	assert_int_equal(client->recvs, 1);
	assert_int_equal(client->sends, 1);
}

static void data__of_two_peers(void **state)
{
	struct fixture *f = *state;
	struct end *peer = open_peer(f, 0, 0), *server = rmpp_server(f);
	struct ib_mad_send_buf *buf;

	server->keep = true;
	/* Of one TID, but of different class versions: that is two, of whom nobody has registered for one. */
	send_segment(peer, TEST_METHOD, tid_of(peer, 1),
		     (struct segment){.number = 1, .flags = FIRST});
	buf = make_segment(peer, TEST_METHOD, tid_of(peer, 1),
			   (struct segment){.number = 2, .flags = LAST, .length = 220});
	((struct ib_mad_hdr *)buf->mad)->class_version = 2;
	end_post(buf);
	pass(MS);
	assert_int_equal(server->recvs, 0);
	send_segment(peer, TEST_METHOD, tid_of(peer, 1),
		     (struct segment){.number = 2, .flags = LAST, .length = 220});
	assert_int_equal(server->recvs, 1);
}

/* Of one TID, but from two ports, and with two methods: these are three transfers. */
static void data__of_several_senders(void **state)
{
	struct fixture *f = *state;
	struct ib_mad_reg_req req = test_request(TEST_CLASS, 1);
	struct end *a = end_open(f, 0, 0, TEST_CLASS, 0, 0),
		   *b = end_open(f, 1, 1, TEST_CLASS, 0, 0);
	struct end *server = &f->end[2];
	const struct segment first = {.number = 1, .flags = FIRST},
			     last = {.number = 2, .flags = LAST, .length = 220};

	req.method_mask[0] = 3ull << TEST_METHOD;
	server->f = f;
	server->agent = ib_register_mad_agent(f->device[1], 1, IB_QPT_GSI, &req,
					      IB_MGMT_RMPP_VERSION, end_sent, end_received, server,
					      0);
	if (IS_ERR(server->agent))
		server->agent = NULL;
	assert_non_null(server->agent);
	rdma_destroy_ah(b->ah, 0);
	b->ah = test_ah(f, b->agent, fixture_lid(f, 1)); /* to its own port */
	if (IS_ERR(b->ah))
		b->ah = NULL;
	assert_non_null(b->ah);
	send_segment(a, TEST_METHOD, tid_of(a, 1), first);
	send_segment(b, TEST_METHOD, tid_of(a, 1), first);
	send_segment(a, TEST_METHOD + 1, tid_of(a, 1), first);
	assert_int_equal(mad_agent_of(server->agent)->transfer_count, 3);
	send_segment(b, TEST_METHOD, tid_of(a, 1), last);
	assert_int_equal(server->recvs, 1);
	assert_int_equal(server->note[0].cqe.slid, fixture_lid(f, 1));
	send_segment(a, TEST_METHOD + 1, tid_of(a, 1), last);
	send_segment(a, TEST_METHOD, tid_of(a, 1), last);
	assert_int_equal(server->recvs, 3);
}

/* Of too many that are complete the oldest are forgotten. */
static void data__remembered(void **state)
{
	struct fixture *f = *state;
	struct end *peer = open_peer(f, 0, 0), *server = rmpp_server(f);
	const struct segment only = {.number = 1, .flags = FIRST | LAST, .length = 220};
	u32 *count = &mad_agent_of(server->agent)->remembered_count;

	send_segment(peer, TEST_METHOD, tid_of(peer, 1), only);
	send_segment(peer, TEST_METHOD, tid_of(peer, 2), only);
	assert_int_equal(*count, 2);
	*count += 16384 - 2;
	send_segment(peer, TEST_METHOD, tid_of(peer, 3), only);
	*count -= 16384 - 2;
	assert_int_equal(*count, 2);
	assert_int_equal(server->recvs, 3);
	send_segment(peer, TEST_METHOD, tid_of(peer, 2), only);
	assert_int_equal(server->recvs, 3);
	send_segment(peer, TEST_METHOD, tid_of(peer, 1), only); /* as if it were new */
	assert_int_equal(server->recvs, 4);
}

/* The sender gives up: what has come is forgotten, and a new one may begin. */
static void abort__of_what_is_received(void **state)
{
	struct fixture *f = *state;
	struct end *peer = open_peer(f, 0, 0), *server = rmpp_server(f);
	const struct segment first = {.number = 1, .flags = FIRST};

	send_segment(peer, TEST_METHOD, tid_of(peer, 1), first);
	assert_int_equal(mad_agent_of(server->agent)->transfer_count, 1);
	send_segment(peer, TEST_METHOD, tid_of(peer, 1),
		     (struct segment){.type = IB_MGMT_RMPP_TYPE_ABORT, .status = 127});
	assert_int_equal(mad_agent_of(server->agent)->transfer_count, 0);
	assert_int_equal(peer->recvs, 1);
}

static void ib_cancel_rmpp_recvs__on_unregister(void **state)
{
	struct fixture *f = *state;
	struct end *peer = open_peer(f, 0, 0), *server = rmpp_server(f);

	for (u32 i = 0; i < 100; i++)
		send_segment(peer, TEST_METHOD, tid_of(peer, i),
			     (struct segment){.number = 1, .flags = FIRST});
	assert_int_equal(mad_agent_of(server->agent)->transfer_count, 100);
	end_close(server); /* the harness counts the memory */
}

/* What is kept is counted, for there is an end to it. */
static void data__is_counted(void **state)
{
	struct fixture *f = *state;
	struct end *peer = open_peer(f, 0, 0), *server = rmpp_server(f);
	const u32 *segments = &mad_agent_of(server->agent)->segments;

	for (u32 number = 1; number < 10; number++)
		if (number != 5)
			send_segment(peer, TEST_METHOD, tid_of(peer, 1),
				     (struct segment){.number = number,
						      .flags = number == 1 ? FIRST : 0});
	assert_int_equal(*segments, 7);
	mad_agent_of(server->agent)->segments += 1u << 20;
	send_segment(peer, TEST_METHOD, tid_of(peer, 1), (struct segment){.number = 5});
	assert_int_equal(mad_port_drops(f->device[1], 1, MAD_DROP_MEMORY), 1);
	mad_agent_of(server->agent)->segments -= 1u << 20;
	send_segment(peer, TEST_METHOD, tid_of(peer, 1), (struct segment){.number = 5});
	send_segment(peer, TEST_METHOD, tid_of(peer, 1),
		     (struct segment){.number = 10, .flags = LAST});
	assert_int_equal(server->recvs, 1);
	assert_int_equal(*segments, 0);
	send_segment(peer, TEST_METHOD, tid_of(peer, 2),
		     (struct segment){.number = 1, .flags = FIRST});
	send_segment(peer, TEST_METHOD, tid_of(peer, 2), (struct segment){.number = 3});
	pass(50 * SECOND);
	assert_int_equal(*segments, 0);
}

/* A sender of ours, and what a receiver may say to its segments. */
static void sender_hears(struct fixture *f, struct end *client, struct end *peer, u32 tid,
			 struct segment says, int status, u32 vendor_err)
{
	const unsigned int sends = client->sends;

	end_post(rmpp_make(client, TEST_METHOD, tid, 100 * RMPP_SEG, 0, 1));
	pass(MS);
	send_segment(peer, TEST_METHOD | IB_MGMT_METHOD_RESP, tid_of(client, tid), says);
	assert_int_equal(client->sends, sends + 1);
	assert_int_equal(client->note[client->count - 1].status, status);
	assert_int_equal(client->note[client->count - 1].vendor_err, vendor_err);
	(void)f;
}

static void ack__refused(void **state)
{
	static const struct {
		struct segment says;
		u8 status;
	} rows[] = {
		{{.type = 2, .number = 5, .length = 4}, IB_MGMT_RMPP_STATUS_W2S},
		{{.type = 2, .number = 101, .length = 200}, IB_MGMT_RMPP_STATUS_S2B},
		{{.type = 2, .number = 2, .length = 200}, IB_MGMT_RMPP_STATUS_S2B},
		{{.type = 2, .number = 1, .length = 64, .status = 3},
		 IB_MGMT_RMPP_STATUS_BAD_STATUS},
		{{.type = 2, .number = 1, .length = 64, .version = 3}, IB_MGMT_RMPP_STATUS_UNV},
		{{.type = 7, .number = 1, .length = 64}, IB_MGMT_RMPP_STATUS_BADT},
		{{.type = 3, .status = 2}, IB_MGMT_RMPP_STATUS_BAD_STATUS},
		{{.type = 4, .status = 117}, IB_MGMT_RMPP_STATUS_BAD_STATUS},
		{{.type = 4, .status = 128}, IB_MGMT_RMPP_STATUS_BAD_STATUS},
	};
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *peer = open_peer(f, 1, 1);

	for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sender_hears(f, client, peer, i + 1, rows[i].says, IB_WC_REM_ABORT_ERR,
			     rows[i].status);
		/* And the other side is told so. */
		expect_answer(peer, IB_MGMT_RMPP_TYPE_ABORT, rows[i].status, 0, 0);
	}
}

static void abort__ends_the_send(void **state)
{
	static const struct segment rows[] = {{.type = 3, .status = 1},
					      {.type = 4, .status = 118},
					      {.type = 4, .status = 123},
					      {.type = 4, .status = 127}};
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *peer = open_peer(f, 1, 1);

	for (u32 i = 0; i < 4; i++) {
		const unsigned int before = peer->recvs;

		sender_hears(f, client, peer, i + 1, rows[i], IB_WC_REM_ABORT_ERR, rows[i].status);
		assert_int_equal(peer->recvs, before + 1); /* the first segment, and no answer */
	}
}

/* In the middle of a window, at its end, and when only the response is missing. */
static void abort__at_each_stage(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *peer = open_peer(f, 1, 1);
	const struct segment abort = {.type = 4, .status = 127};
	const u8 response = TEST_METHOD | IB_MGMT_METHOD_RESP;

	/* While a segment is on its way. */
	fixture_lose(f, 5 * MS, NULL);
	end_post(rmpp_make(client, TEST_METHOD, 1, 100 * RMPP_SEG, 0, 1));
	end_post(make_segment(peer, response, tid_of(client, 1), abort));
	assert_true(wait_count(&client->sends, 1, 20 * MS));
	assert_int_equal(client->note[0].status, IB_WC_REM_ABORT_ERR);
	pass(100 * MS);
	fixture_lose(f, 0, NULL);

	/* After a window of 10. */
	end_post(rmpp_make(client, TEST_METHOD, 2, 100 * RMPP_SEG, 0, 1));
	pass(MS);
	send_segment(peer, response, tid_of(client, 2),
		     (struct segment){.type = 2, .number = 1, .length = 11});
	send_segment(peer, response, tid_of(client, 2), abort);
	assert_int_equal(client->sends, 2);
	assert_int_equal(client->note[1].status, IB_WC_REM_ABORT_ERR);

	/* All of it has arrived: too late. */
	end_post(rmpp_make(client, TEST_METHOD, 3, RMPP_SEG, 1000, 0));
	pass(MS);
	send_segment(peer, response, tid_of(client, 3),
		     (struct segment){.type = 2, .number = 1, .length = 65});
	expect_answer(peer, IB_MGMT_RMPP_TYPE_ACK, 0, 0, 1); /* its turn */
	send_segment(peer, response, tid_of(client, 3), abort);
	assert_int_equal(client->sends, 2);
	assert_true(wait_count(&client->sends, 3, 2 * SECOND));
	assert_int_equal(client->note[2].status, IB_WC_RESP_TIMEOUT_ERR);
}

/* Windows of 1, of 3, and one that is closed: what is sent is what it says. */
static void ack__window(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *peer = open_peer(f, 1, 1);
	const u8 response = TEST_METHOD | IB_MGMT_METHOD_RESP;
	const u64 tid = tid_of(client, 1);

	end_post(rmpp_make(client, TEST_METHOD, 1, 8 * RMPP_SEG, 0, 0));
	pass(MS);
	assert_int_equal(peer->recvs, 1);
	send_segment(peer, response, tid, (struct segment){.type = 2, .number = 1, .length = 1});
	assert_int_equal(peer->recvs, 1); /* closed */
	send_segment(peer, response, tid, (struct segment){.type = 2, .number = 1, .length = 2});
	assert_int_equal(peer->recvs, 2);
	send_segment(peer, response, tid, (struct segment){.type = 2, .number = 2, .length = 5});
	assert_int_equal(peer->recvs, 5);
	/* Old ones change nothing. */
	send_segment(peer, response, tid, (struct segment){.type = 2, .number = 1, .length = 65});
	send_segment(peer, response, tid, (struct segment){.type = 2, .number = 3, .length = 4});
	assert_int_equal(peer->recvs, 5);
	send_segment(peer, response, tid,
		     (struct segment){.type = 2, .number = 5, .length = UINT32_MAX});
	assert_int_equal(peer->recvs, 8);
	send_segment(peer, response, tid, (struct segment){.type = 2, .number = 8, .length = 8});
	assert_int_equal(client->sends, 1);
	assert_int_equal(client->note[0].status, IB_WC_SUCCESS);
}

/* No ACK: from the first that was not acknowledged, as often as asked for; progress counts anew. */
static void ack__missing(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *peer = open_peer(f, 1, 1);
	const u64 began_ns = base_now_ns(), tid = tid_of(client, 1);
	const u8 response = TEST_METHOD | IB_MGMT_METHOD_RESP;
	u64 acked_ns;

	end_post(rmpp_make(client, TEST_METHOD, 1, 8 * RMPP_SEG, 0, 2));
	pass(2500 * MS);
	assert_int_equal(peer->recvs, 2);
	assert_int_equal(peer->note[1].at_ns - began_ns, 2 * SECOND);
	acked_ns = base_now_ns();
	send_segment(peer, response, tid, (struct segment){.type = 2, .number = 1, .length = 3});
	assert_int_equal(peer->recvs, 4);
	assert_true(wait_count(&client->sends, 1, 20 * SECOND));
	assert_int_equal(client->note[0].status, IB_WC_RESP_TIMEOUT_ERR);
	assert_int_equal(client->note[0].at_ns - acked_ns, 6 * SECOND);
	assert_int_equal(peer->recvs, 8); /* segments 2 and 3, twice more */
	assert_int_equal(client->note[0].retries, 3);
}

/* What a transfer is told to wait is shorter than 2 s. */
static void ack__missing_for_a_shorter_time(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *peer = open_peer(f, 1, 1);
	const u64 began_ns = base_now_ns();

	end_post(rmpp_make(client, TEST_METHOD, 1, 8 * RMPP_SEG, 150, 1));
	assert_true(wait_count(&client->sends, 1, 20 * SECOND));
	assert_int_equal(client->note[0].at_ns - began_ns, 300 * MS);
	assert_int_equal(peer->recvs, 2);
}

static void ib_cancel_mad__of_a_transfer(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *peer = open_peer(f, 1, 1);
	struct ib_mad_send_buf *buf;
	const u8 response = TEST_METHOD | IB_MGMT_METHOD_RESP;

	for (u32 stage = 0; stage < 3; stage++) {
		buf = rmpp_make(client, TEST_METHOD, stage, 8 * RMPP_SEG, 0, 1);
		end_post(buf);
		if (stage)
			pass(MS);
		if (stage == 2)
			send_segment(peer, response, tid_of(client, stage),
				     (struct segment){.type = 2, .number = 1, .length = 3});
		ib_cancel_mad(buf);
		assert_true(wait_count(&client->sends, stage + 1, 10 * MS));
		assert_int_equal(client->note[client->count - 1].status, IB_WC_WR_FLUSH_ERR);
		/* What comes for it is dropped. */
		send_segment(peer, response, tid_of(client, stage),
			     (struct segment){.type = 2, .number = 1, .length = 5});
	}
	pass(10 * SECOND);
	assert_int_equal(client->sends, 3);
}

static void ib_unregister_mad_agent__in_the_middle_of_transfers(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *server = rmpp_server(f);

	fixture_lose(f, 1000, NULL);
	for (u32 i = 0; i < 20; i++)
		end_post(rmpp_make(client, TEST_METHOD, i, 300 * RMPP_SEG, 0, 1));
	pass(5000);
	assert_true(mad_agent_of(server->agent)->transfer_count);
	end_close(client);
	assert_int_equal(client->sends, 20);
	end_close(server);
	pass(MS);
}

/* Anything, from somebody who knows the TIDs: nobody falls over, and others are served. */
static void rmpp__hostile_peer(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *server = rmpp_server(f);
	struct end *peer = end_open(f, 2, 1, TEST_CLASS, 0, 0);
	struct end *other = end_open(f, 3, 0, TEST_CLASS, 0, 0);
	uint64_t random = 42;

	for (u32 round = 0; round < 3000; round++) {
		struct end *from = round % 2 ? peer : other;
		const u64 tid = (u64)(round % 2 ? client : from)->agent->hi_tid << 32 |
				base_random_below(&random, 8);
		struct ib_mad_send_buf *buf = end_make(from, 0, 0, false, RMPP_SEG);
		struct ib_rmpp_mad *mad = buf->mad;

		for (unsigned int i = 0; i < RMPP_SEG; i++)
			mad->data[4 + i] = (u8)base_random(&random);
		mad->mad_hdr.method = (u8)(TEST_METHOD | (round % 2 ? IB_MGMT_METHOD_RESP : 0));
		mad->mad_hdr.tid = cpu_to_be64(tid);
		mad->rmpp_hdr.rmpp_version = (u8)(base_random_below(&random, 20) ? 1 : 2);
		mad->rmpp_hdr.rmpp_type = (u8)base_random_below(&random, 6);
		mad->rmpp_hdr.rmpp_rtime_flags = (u8)(base_random(&random) | 1);
		mad->rmpp_hdr.rmpp_status = (u8)(base_random_below(&random, 5) ? 0 : 120);
		mad->rmpp_hdr.seg_num = cpu_to_be32((u32)base_random_below(&random, 12));
		mad->rmpp_hdr.paylen_newwin = cpu_to_be32((u32)base_random_below(&random, 300));
		end_post(buf);
		if (round % 100 == 0)
			end_post(rmpp_make(client, TEST_METHOD, (u32)base_random_below(&random, 8),
					   20 * RMPP_SEG, 5, 1));
		if (round % 20 == 0)
			pass(MS);
		client->count = server->count = peer->count = other->count = 0;
	}
	pass(100 * SECOND);
	assert_int_equal(client->sends, 30);
	assert_int_equal(mad_agent_of(server->agent)->transfer_count, 0);
	client->count = server->count = 0;
	server->keep = true;
	end_post(rmpp_make(client, TEST_METHOD, 77, 5000, 0, 0));
	assert_true(wait_count(&server->recvs, server->recvs + 1, SECOND));
	rmpp_check(server->note[0].wc, 77, 5000);
	assert_true(wait_count(&client->sends, 31, SECOND));
}

static const struct CMUnitTest tests[] = {
	TEST(data__refused),
	TEST(data__dropped),
	TEST(data__in_any_order),
	TEST(data__behind_the_last),
	TEST(data__length_of_the_last),
	TEST(data__repeated),
	TEST(data__too_slow),
	TEST(data__of_a_response),
	TEST(data__of_two_peers),
	TEST(data__of_several_senders),
	TEST(data__remembered),
	TEST(abort__of_what_is_received),
	TEST(ib_cancel_rmpp_recvs__on_unregister),
	TEST(data__is_counted),
	TEST(ack__refused),
	TEST(abort__ends_the_send),
	TEST(abort__at_each_stage),
	TEST(ack__window),
	TEST(ack__missing),
	TEST(ack__missing_for_a_shorter_time),
	TEST(ib_cancel_mad__of_a_transfer),
	TEST(ib_unregister_mad_agent__in_the_middle_of_transfers),
	TEST(rmpp__hostile_peer),
};

int main(void)
{
	return verbena_test_main(tests);
}
