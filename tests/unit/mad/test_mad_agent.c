// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Agents: who can register, and for what; what becomes of their sends when they go. */
#include "mad_fixture.h"

struct wish {
	u32 port;
	enum ib_qp_type type;
	bool request;
	u8 mgmt_class, version, rmpp;
	bool no_oui, no_send, no_recv;
	u32 flags;
	int error;
};

static struct ib_mad_agent *register_wish(struct fixture *f, const struct wish *w, u64 methods)
{
	struct ib_mad_reg_req req = test_request(w->mgmt_class, w->version);

	if (w->no_oui)
		memset(req.oui, 0, sizeof(req.oui));
	req.method_mask[0] = methods;
	return ib_register_mad_agent(f->device[0], w->port, w->type, w->request ? &req : NULL,
				     w->rmpp, w->no_send ? NULL : end_sent,
				     w->no_recv ? NULL : end_received, &f->end[0], w->flags);
}

/* One row a rule. */
static void ib_register_mad_agent__refuses(void **state)
{
	static const struct wish wishes[] = {
		{1, IB_QPT_UD, true, 0x32, 1, .error = -EINVAL},
		{1, IB_QPT_GSI, true, 0x32, 1, .rmpp = 2, .error = -EINVAL},
		{1, IB_QPT_GSI, true, 0x32, 0x83, .error = -EINVAL},
		{1, IB_QPT_GSI, true, 0, 1, .error = -EINVAL},
		{1, IB_QPT_GSI, true, 80, 1, .error = -EINVAL},
		{1, IB_QPT_GSI, true, 0x32, 1, .no_oui = true, .error = -EINVAL},
		{1, IB_QPT_GSI, true, 4, 1, .rmpp = 1, .error = -EINVAL},
		{1, IB_QPT_GSI, true, 1, 1, .error = -EINVAL},
		{1, IB_QPT_GSI, true, 0x81, 1, .error = -EINVAL},
		{1, IB_QPT_SMI, true, 3, 2, .error = -EINVAL},
		{1, IB_QPT_GSI, true, 0x32, 1, .no_recv = true, .error = -EINVAL},
		{1, IB_QPT_GSI, false, .no_send = true, .error = -EINVAL},
		{1, IB_QPT_GSI, false, .flags = IB_MAD_USER_RMPP, .error = -EINVAL},
		{1, IB_QPT_GSI, true, 0x32, 1, .rmpp = 1, .flags = 2, .error = -EINVAL},
		{0, IB_QPT_GSI, true, 0x32, 1, .error = -ENODEV},
		{2, IB_QPT_GSI, true, 0x32, 1, .error = -ENODEV},
	};
	struct fixture *f = *state;

	for (unsigned int i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++)
		assert_int_equal(PTR_ERR(register_wish(f, &wishes[i], 1)), wishes[i].error);
}

static void ib_register_mad_agent__accepts(void **state)
{
	static const struct wish wishes[] = {
		{1, IB_QPT_SMI, true, 1, 1, .error = 0},
		{1, IB_QPT_SMI, true, 0x81, 1, .error = 0},
		{1, IB_QPT_GSI, true, 3, 2, 1, .error = 0},
		{1, IB_QPT_GSI, true, 79, 0x82, .error = 0},
		{1, IB_QPT_GSI, true, 0x4f, 1, 1, .error = 0},
		{1, IB_QPT_GSI, true, 4, 1, .no_send = true},
		{1, IB_QPT_GSI, false, .rmpp = 1},
		{1, IB_QPT_GSI, false, .no_recv = true},
		{1, IB_QPT_GSI, true, 0x30, 1, 1, .flags = IB_MAD_USER_RMPP},
	};
	struct fixture *f = *state;

	for (unsigned int i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++) {
		struct ib_mad_agent *agent = register_wish(f, &wishes[i], 1ull << 5);

		assert_false(IS_ERR(agent));
		assert_int_equal(agent->qp->qp_num, wishes[i].type == IB_QPT_GSI);
		assert_int_equal(agent->port_num, 1);
		assert_ptr_equal(agent->device, f->device[0]);
		ib_unregister_mad_agent(agent);
	}
}

/* A port without QP 0, and one without QP 1. */
static void ib_register_mad_agent__needs_the_qp(void **state)
{
	struct fixture *f = *state;
	u32 *caps = &f->device[0]->port_data[1].immutable.core_cap_flags;
	const u32 before = *caps;
	const struct wish smi = {1, IB_QPT_SMI, true, 1, 1, .error = 0},
			  gsi = {1, IB_QPT_GSI, true, 4, 1, .error = 0};
	const struct wish wrong = {1, IB_QPT_GSI, true, 1, 0x90, .error = 0};
	struct ib_mad_agent *agent;

	*caps = before & ~(u32)RDMA_CORE_CAP_IB_CM;
	/* Whatever else is wrong with it. */
	assert_int_equal(PTR_ERR(register_wish(f, &wrong, 1)), -EPROTONOSUPPORT);
	assert_int_equal(PTR_ERR(register_wish(f, &gsi, 1)), -EPROTONOSUPPORT);
	*caps = before & ~(u32)RDMA_CORE_CAP_IB_SMI;
	assert_int_equal(PTR_ERR(register_wish(f, &smi, 1)), -EPROTONOSUPPORT);
	agent = register_wish(f, &gsi, 1);
	assert_false(IS_ERR(agent));
	ib_unregister_mad_agent(agent);
	*caps = before & ~(u32)RDMA_CORE_CAP_IB_MAD;
	agent = register_wish(f, &gsi, 1);
	*caps = before;
	assert_int_equal(PTR_ERR(agent), -ENODEV);
}

static void ib_register_mad_agent__one_agent_a_method(void **state)
{
	const struct wish a = {1, IB_QPT_GSI, true, 0x32, 1, .error = 0};
	struct fixture *f = *state;
	struct ib_mad_agent *first, *second;

	first = register_wish(f, &a, 6);
	assert_false(IS_ERR(first));
	assert_int_equal(PTR_ERR(register_wish(f, &a, 4)), -EINVAL);
	second = register_wish(f, &a, 8);
	assert_false(IS_ERR(second));
	ib_unregister_mad_agent(second);
	ib_unregister_mad_agent(first);
	first = register_wish(f, &a, 4);
	assert_false(IS_ERR(first));
	ib_unregister_mad_agent(first);
}

static void ib_register_mad_agent__numbers_are_not_used_again(void **state)
{
	const struct wish a = {1, IB_QPT_GSI, false, .error = 0};
	struct fixture *f = *state;
	struct ib_mad_agent *agent = register_wish(f, &a, 0);
	u32 last;

	for (int i = 0; i < 5; i++) {
		assert_false(IS_ERR(agent));
		last = agent->hi_tid;
		assert_true(last && last <= 0xffffff);
		ib_unregister_mad_agent(agent);
		agent = register_wish(f, &a, 0);
		assert_false(IS_ERR(agent));
		assert_int_not_equal(agent->hi_tid, last);
	}
	ib_unregister_mad_agent(agent);
}

static void mad_agents__numbers_go_round(void **state)
{
	struct fixture *f = *state;
	struct end *a = end_open(f, 0, 0, TEST_CLASS, 0, 0), *b;

	mad_agents_start_at(0xffffff - 1);
	b = end_open(f, 1, 0, TEST_CLASS, 0, 0);
	assert_int_equal(b->agent->hi_tid, 0xffffff);
	mad_agents_start_at(a->agent->hi_tid - 1); /* 0 after 0xffffff, if that is a's turn */
	b = end_open(f, 2, 0, TEST_CLASS, 0, 0);
	assert_int_equal(b->agent->hi_tid, a->agent->hi_tid + 1);
}

static void ib_unregister_mad_agent__flushes_who_waits(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	struct ib_mad_send_buf *buf;

	(void)end_open(f, 1, 1, TEST_CLASS, 1ull << TEST_METHOD, 0);
	for (u32 i = 0; i < 3; i++) {
		buf = end_make(client, TEST_METHOD, i, false, 10);
		buf->timeout_ms = 1000;
		end_post(buf);
	}
	pass(MS);
	assert_int_equal(client->sends, 0);
	rdma_destroy_ah(client->ah, 0);
	client->ah = NULL;
	ib_unregister_mad_agent(client->agent);
	client->agent = NULL;
	assert_int_equal(client->sends, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(client->note[i].status, IB_WC_WR_FLUSH_ERR);
		assert_int_equal(client->note[i].vendor_err, BASE_CAUSE_MAD_CANCELLED);
	}
}

/* At once after posting: those that are under way, those in the list behind the queue. */
static void ib_unregister_mad_agent__flushes_what_is_posted(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	unsigned int flushed = 0;

	for (u32 i = 0; i < 300; i++) {
		struct ib_mad_send_buf *buf = end_make(client, TEST_METHOD, i, false, 10);

		buf->timeout_ms = 1000;
		end_post(buf);
	}
	rdma_destroy_ah(client->ah, 0);
	client->ah = NULL;
	ib_unregister_mad_agent(client->agent);
	client->agent = NULL;
	assert_int_equal(client->sends, 300);
	for (int i = 0; i < 300; i++)
		flushed += client->note[i].status == IB_WC_WR_FLUSH_ERR;
	assert_int_equal(flushed, 300);
}

/* A client that sends again whatever has gone well. */
static void send_again(struct end *end, struct ib_mad_send_wc *wc)
{
	if (wc->status == IB_WC_SUCCESS)
		end_post(wc->send_buf);
	else
		ib_free_send_mad(wc->send_buf);
	(void)end;
}

static void ib_unregister_mad_agent__flushes_what_handlers_post(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	struct end *server = end_open(f, 1, 1, TEST_CLASS, 1ull << TEST_METHOD, 0);
	u64 began_ns;

	client->keep_sent = true;
	client->on_sent = send_again;
	server->on_recv = respond_at_once;
	fixture_lose(f, 1000, NULL);
	for (u32 i = 0; i < 10; i++) {
		struct ib_mad_send_buf *buf = end_make(client, TEST_METHOD, i, false, 10);

		buf->timeout_ms = 100000;
		end_post(buf);
	}
	pass(20000);
	began_ns = base_now_ns();
	end_close(client);
	assert_true(base_now_ns() - began_ns < 100 * MS);
}

static void ib_mad_enforce_security__forbids_smps(void **state)
{
	struct fixture *f = *state;
	struct end *end = end_open(f, 0, 0, IB_MGMT_CLASS_SUBN_LID_ROUTED, 0, 0);
	struct ib_mad_send_buf *buf = end_make(end, IB_MGMT_METHOD_GET, 1, false, 10);

	((struct ib_mad_hdr *)buf->mad)->mgmt_class = IB_MGMT_CLASS_SUBN_LID_ROUTED;
	end->agent->smp_allowed = false;
	assert_int_equal(ib_post_send_mad(buf, NULL), -EACCES);
	end_free(buf);
}

/* Of thousands of hosts most never use them. */
static void mad_port__opens_with_its_first_agent(void **state)
{
	struct fixture *f = *state;
	const size_t before = base_alloc_live();
	struct ib_mad_agent *agent;

	assert_null(mad_port_find(f->device[0], 1));
	agent = register_wish(f, &(struct wish){1, IB_QPT_GSI, false, .error = 0}, 0);
	assert_false(IS_ERR(agent));
	assert_true(base_alloc_live() > before + IB_MAD_QP_RECV_SIZE);
	ib_unregister_mad_agent(agent);
	assert_int_equal(mad_port_drops(f->device[0], 1, MAD_DROP_CLASS), 0);
}

static const struct CMUnitTest tests[] = {
	TEST(ib_register_mad_agent__refuses),
	TEST(ib_register_mad_agent__accepts),
	TEST(ib_register_mad_agent__needs_the_qp),
	TEST(ib_register_mad_agent__one_agent_a_method),
	TEST(ib_register_mad_agent__numbers_are_not_used_again),
	TEST(mad_agents__numbers_go_round),
	TEST(ib_unregister_mad_agent__flushes_who_waits),
	TEST(ib_unregister_mad_agent__flushes_what_is_posted),
	TEST(ib_unregister_mad_agent__flushes_what_handlers_post),
	TEST(ib_mad_enforce_security__forbids_smps),
	TEST(mad_port__opens_with_its_first_agent),
};

int main(void)
{
	return verbena_test_main(tests);
}
