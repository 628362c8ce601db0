// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Whose a MAD is: rule by rule [rcp 16.4]. */
#include <rdma/ib_cache.h>

#include "raw_fixture.h"

static struct ib_mad_agent *open_for(struct fixture *f, unsigned int which, u8 mgmt_class,
				     u8 version, const char *oui, u64 methods, u64 high_methods)
{
	struct ib_mad_reg_req req = test_request(mgmt_class, version);
	struct ib_mad_agent *agent;

	if (oui)
		memcpy(req.oui, oui, 3);
	req.method_mask[0] = methods;
	req.method_mask[1] = high_methods;
	f->end[which].f = f;
	agent = ib_register_mad_agent(f->device[1], 1, IB_QPT_GSI, &req, 0, end_sent, end_received,
				      &f->end[which], 0);
	assert_false(IS_ERR(agent));
	f->end[which].agent = agent;
	return agent;
}

static void dispatch__by_class_version_and_method(void **state)
{
	struct fixture *f = *state;
	struct end *raw = raw_open(f, 0, 0, false);

	(void)open_for(f, 1, 4, 1, NULL, 1ull << 1 | 1ull << 0x11, 1ull << (0x7f - 64));
	(void)open_for(f, 2, 4, 2, NULL, 1ull << 1, 0);
	(void)open_for(f, 3, 5, 1, NULL, 1ull << 1, 0);
	raw_send(raw, 4, 1, 0x01, 1);
	assert_int_equal(f->end[1].recvs, 1);
	raw_send(raw, 4, 1, 0x11, 1);
	raw_send(raw, 4, 1, 0x7f, 1);
	assert_int_equal(f->end[1].recvs, 3);
	raw_send(raw, 4, 2, 0x01, 1);
	assert_int_equal(f->end[2].recvs, 1);
	raw_send(raw, 5, 1, 0x01, 1);
	assert_int_equal(f->end[3].recvs, 1);
	/* Another method, version, class. */
	raw_send(raw, 4, 1, 0x12, 1);
	raw_send(raw, 4, 3, 0x11, 1);
	raw_send(raw, 4, 0xff, 0x11, 1);
	raw_send(raw, 6, 1, 0x11, 1);
	raw_send(raw, 0xf0, 1, 0x11, 1);
	assert_int_equal(drops(f, 1, MAD_DROP_NO_AGENT), 5);
	assert_int_equal(f->end[1].recvs + f->end[2].recvs + f->end[3].recvs, 5);
}

static void send_vendor(struct end *raw, u8 mgmt_class, const char *oui)
{
	struct ib_mad_send_buf *buf = raw_make(raw, mgmt_class, 1, 0x10, 1, 1);

	memcpy(((struct ib_vendor_mad *)buf->mad)->oui, oui, 3);
	end_post(buf);
	pass(MS);
}

static void dispatch__by_oui(void **state)
{
	struct fixture *f = *state;
	struct end *raw = raw_open(f, 0, 0, false);

	(void)open_for(f, 1, 0x32, 1, "abc", 1ull << 0x10, 0);
	(void)open_for(f, 2, 0x32, 1, "abd", 1ull << 0x10, 0);
	(void)open_for(f, 3, 0x33, 1, "abc", 1ull << 0x10, 0);
	send_vendor(raw, 0x32, "abd");
	assert_int_equal(f->end[2].recvs, 1);
	send_vendor(raw, 0x32, "abc");
	assert_int_equal(f->end[1].recvs, 1);
	send_vendor(raw, 0x33, "abc");
	assert_int_equal(f->end[3].recvs, 1);
	send_vendor(raw, 0x33, "abd");
	send_vendor(raw, 0x34, "abc");
	assert_int_equal(drops(f, 1, MAD_DROP_NO_AGENT), 2);
}

static struct ib_mad_agent *try_oui(struct fixture *f, u8 last)
{
	struct ib_mad_reg_req req = test_request(0x32, 1);

	req.oui[2] = last;
	req.method_mask[0] = 1ull << 0x10;
	return ib_register_mad_agent(f->device[1], 1, IB_QPT_GSI, &req, 0, end_sent, end_received,
				     &f->end[1], 0);
}

static void dispatch__eight_vendors_a_class(void **state)
{
	struct fixture *f = *state;
	struct ib_mad_agent *agents[8];

	for (u8 i = 0; i < 8; i++) {
		agents[i] = try_oui(f, i);
		assert_false(IS_ERR(agents[i]));
	}
	assert_int_equal(PTR_ERR(try_oui(f, 8)), -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_MAD_OUIS);
	ib_unregister_mad_agent(agents[3]);
	agents[3] = try_oui(f, 8);
	assert_false(IS_ERR(agents[3]));
	for (int i = 0; i < 8; i++)
		ib_unregister_mad_agent(agents[i]);
}

/* All 128 methods, as ibping's server has them: a second server is refused. */
static void dispatch__all_methods(void **state)
{
	struct fixture *f = *state;
	struct ib_mad_reg_req req = test_request(0x32, 1);

	(void)open_for(f, 1, 0x32, 1, NULL, ~0ull, ~0ull);
	req.method_mask[1] = 1ull << 63;
	assert_int_equal(PTR_ERR(ib_register_mad_agent(f->device[1], 1, IB_QPT_GSI, &req, 0,
						       end_sent, end_received, &f->end[2], 0)),
			 -EINVAL);
}

/* A response goes to whose number is in its TID, whatever he has registered for. */
static void dispatch__responses_by_tid(void **state)
{
	struct fixture *f = *state;
	struct end *a = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	struct end *b = end_open(f, 1, 0, TEST_CLASS, 1ull << TEST_METHOD, 0);
	struct end *server = end_open(f, 2, 1, TEST_CLASS, 1ull << TEST_METHOD, 0);
	struct ib_mad_send_buf *buf;

	server->on_recv = respond_at_once;
	buf = end_make(a, TEST_METHOD, 1, false, 1);
	buf->timeout_ms = 20;
	end_post(buf);
	buf = end_make(b, TEST_METHOD, 1, false, 1);
	buf->timeout_ms = 20;
	end_post(buf);
	assert_true(wait_count(&a->sends, 1, 10 * MS));
	assert_true(wait_count(&b->sends, 1, 10 * MS));
	assert_int_equal(a->recvs, 1);
	assert_int_equal(b->recvs, 1);
	assert_int_equal(be64_to_cpu(a->note[0].hdr.tid) >> 32, a->agent->hi_tid);
}

struct forged {
	u8 mgmt_class, method;
	int hi_tid, low_tid; /* added to the right ones */
	u32 attr_mod;
	bool taken;
};

/* What a request takes for its response, and what it does not [rcp 16.6]. */
static void dispatch__what_is_a_response(void **state)
{
	static const struct forged rows[] = {
		{TEST_CLASS, 0x90, 0, 0, 0, true},  {TEST_CLASS, 0x81, 0, 0, 0, true},
		{TEST_CLASS, 0x90, 1, 0, 0, false}, {TEST_CLASS, 0x90, 0, 1, 0, false},
		{0x33, 0x90, 0, 0, 0, false},	    {TEST_CLASS, 0x10, 0, 0, 0, false},
		{TEST_CLASS, 0x07, 0, 0, 0, true},
	};
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0), *raw = raw_open(f, 1, 1, false);

	for (u32 i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const u64 tid = (u64)(client->agent->hi_tid + (u32)rows[i].hi_tid) << 32 |
				(100 + i + (u32)rows[i].low_tid);
		struct ib_mad_send_buf *buf = end_make(client, TEST_METHOD, 100 + i, false, 1);
		const unsigned int before = client->recvs;

		buf->timeout_ms = 10;
		end_post(buf);
		pass(MS);
		raw_send(raw, rows[i].mgmt_class, 1, rows[i].method, tid);
		assert_int_equal(client->recvs - before, rows[i].taken);
		pass(20 * MS);
		assert_int_equal(client->note[client->count - 1].status,
				 rows[i].taken ? IB_WC_SUCCESS : IB_WC_RESP_TIMEOUT_ERR);
	}
}

/* Baseboard management has its own bit for it. */
static void ib_response_mad__says_so(void **state)
{
	struct ib_mad_hdr hdr = {.mgmt_class = 4, .method = 0x81};

	(void)state;
	assert_true(ib_response_mad(&hdr));
	hdr.method = 0x01;
	assert_false(ib_response_mad(&hdr));
	hdr.method = IB_MGMT_METHOD_TRAP_REPRESS;
	assert_true(ib_response_mad(&hdr));
	hdr.method = 0x05;
	hdr.attr_mod = cpu_to_be32(1);
	assert_false(ib_response_mad(&hdr));
	hdr.mgmt_class = IB_MGMT_CLASS_BM;
	assert_true(ib_response_mad(&hdr));
	hdr.attr_mod = cpu_to_be32(2);
	assert_false(ib_response_mad(&hdr));
}

/* An agent of another port, or host, is not meant, even if the number is his. */
static void dispatch__responses_stay_on_their_port(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0), *other = raw_open(f, 1, 0, false);
	struct end *raw = raw_open(f, 2, 1, false);
	struct ib_mad_send_buf *buf = end_make(client, TEST_METHOD, 1, false, 1);

	buf->timeout_ms = 10;
	end_post(buf);
	/* From host 0 to host 1, where nobody has this number. */
	raw_send(other, TEST_CLASS, 1, 0x90, (u64)client->agent->hi_tid << 32 | 1);
	assert_int_equal(drops(f, 1, MAD_DROP_NO_REQUEST), 1);
	assert_int_equal(client->recvs, 0);
	raw_send(raw, TEST_CLASS, 1, 0x90, (u64)client->agent->hi_tid << 32 | 1);
	assert_int_equal(client->recvs, 1);
	assert_true(wait_count(&client->sends, 1, MS));
}

/* Answered with a GRH, the request had none. */
static void dispatch__addresses_must_fit(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0), *raw = raw_open(f, 1, 1, false);
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	struct ib_mad_send_buf *buf = end_make(client, TEST_METHOD, 1, false, 1);
	union ib_gid gid;
	struct ib_ah *ah;

	assert_int_equal(rdma_query_gid(f->device[0], 1, 0, &gid), 0);
	rdma_ah_set_dlid(&attr, fixture_lid(f, 0));
	rdma_ah_set_grh(&attr, &gid, 0, 0, 1, 0);
	ah = rdma_create_ah(raw->agent->qp->pd, &attr, 0);
	assert_false(IS_ERR(ah));
	buf->timeout_ms = 10;
	end_post(buf);
	pass(MS);
	buf = raw_make(raw, TEST_CLASS, 1, 0x90, 1, (u64)client->agent->hi_tid << 32 | 1);
	buf->ah = ah;
	end_post(buf);
	pass(MS);
	assert_int_equal(client->recvs, 0);
	assert_int_equal(drops(f, 0, MAD_DROP_NO_REQUEST), 1);
	assert_true(wait_count(&client->sends, 1, 100 * MS));

	/* Both with a GRH: our GID is the destination. */
	rdma_destroy_ah(client->ah, 0);
	client->ah = NULL;
	assert_int_equal(rdma_query_gid(f->device[1], 1, 0, &gid), 0);
	rdma_ah_set_dlid(&attr, fixture_lid(f, 1));
	rdma_ah_set_grh(&attr, &gid, 0, 0, 1, 0);
	client->ah = rdma_create_ah(client->agent->qp->pd, &attr, 0);
	assert_false(IS_ERR(client->ah));
	buf = end_make(client, TEST_METHOD, 2, false, 1);
	buf->timeout_ms = 10;
	end_post(buf);
	pass(MS);
	buf = raw_make(raw, TEST_CLASS, 1, 0x90, 1, (u64)client->agent->hi_tid << 32 | 2);
	buf->ah = ah;
	end_post(buf);
	pass(MS);
	assert_int_equal(client->recvs, 1);
	rdma_destroy_ah(ah, 0);
	assert_true(wait_count(&client->sends, 2, 100 * MS));
}

static const struct CMUnitTest tests[] = {
	TEST(dispatch__by_class_version_and_method),
	TEST(dispatch__by_oui),
	TEST(dispatch__eight_vendors_a_class),
	TEST(dispatch__all_methods),
	TEST(dispatch__responses_by_tid),
	TEST(dispatch__what_is_a_response),
	cmocka_unit_test(ib_response_mad__says_so),
	TEST(dispatch__responses_stay_on_their_port),
	TEST(dispatch__addresses_must_fit),
};

int main(void)
{
	return verbena_test_main(tests);
}
