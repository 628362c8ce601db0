// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Without memory, or with verbs that fail, here and there: what was begun is undone, and the rest goes on. */
#include <rdma/ib_cache.h>

#include "mad/mad_rmpp.h"
#include "rmpp_fixture.h"

#define MOST_ALLOCATIONS 3000u

/* Opening a port takes a thousand; whichever fails, the next attempt finds everything as it was. */
static void ib_register_mad_agent__any_allocation_fails(void **state)
{
	struct fixture *f = *state;
	struct ib_mad_reg_req req = test_request(TEST_CLASS, 1);
	const size_t before = base_alloc_live();
	struct ib_mad_agent *agent = NULL;
	unsigned long n;

	test_skip_in_torture();
	req.method_mask[0] = 2;
	for (n = 1; n < MOST_ALLOCATIONS; n += n < 60 ? 1 : 37) {
		base_alloc_fail_nth(n);
		agent = ib_register_mad_agent(f->device[0], 1, IB_QPT_GSI, &req, 0, end_sent,
					      end_received, &f->end[0], 0);
		base_alloc_fail_nth(0);
		if (!IS_ERR(agent))
			break;
		assert_int_equal(PTR_ERR(agent), -ENOMEM);
		/* A table of the device is made when it is first needed. */
		assert_true(base_alloc_live() <= before + 1);
	}
	assert_false(IS_ERR_OR_NULL(agent));
	assert_true(n > IB_MAD_QP_RECV_SIZE);
	ib_unregister_mad_agent(agent);

	/* The port is open: now it is the agent's own alone. */
	for (n = 1; n < 20; n++) {
		base_alloc_fail_nth(n);
		agent = ib_register_mad_agent(f->device[0], 1, IB_QPT_GSI, &req, 0, end_sent,
					      end_received, &f->end[0], 0);
		base_alloc_fail_nth(0);
		if (!IS_ERR(agent))
			break;
	}
	assert_false(IS_ERR_OR_NULL(agent));
	assert_true(n > 3);
	ib_unregister_mad_agent(agent);
}

/* One of the verbs that open the QPs is refused, each in turn. */
static void ib_register_mad_agent__any_verb_fails(void **state)
{
	static const char *const verbs[] = {"alloc_pd", "create_cq", "create_qp", "modify_qp"};
	struct fixture *f = *state;
	struct ib_mad_agent *agent;
	struct fault_error error;
	struct fault_plan plan;
	char spec[64];

	test_skip_in_torture();
	for (unsigned int i = 0; i < 4; i++)
		for (unsigned int nth = 1; nth < 20; nth++) {
			snprintf(spec, sizeof(spec), "fail=EPERM, verb=%s, nth=%u", verbs[i], nth);
			assert_int_equal(fault_plan_parse(spec, &plan, &error), 0);
			fabric_faults_set_plan(&f->faults.faults, &plan);
			agent = ib_register_mad_agent(f->device[0], 1, IB_QPT_GSI, NULL, 0,
						      end_sent, end_received, &f->end[0], 0);
			fabric_faults_set_plan(&f->faults.faults, NULL);
			if (!IS_ERR(agent)) {
				ib_unregister_mad_agent(agent);
				break;
			}
			assert_int_equal(PTR_ERR(agent), -EPERM);
			assert_null(mad_port_find(f->device[0], 1));
		}
}

static void respond_if_possible(struct end *end, struct ib_mad_send_buf *unused,
				struct ib_mad_recv_wc *wc)
{
	struct ib_mad_send_buf *buf;

	(void)unused;
	if (ib_response_mad(&wc->recv_buf.mad->mad_hdr))
		return;
	buf = ib_create_send_mad(end->agent, 1, 0, 1, IB_MGMT_VENDOR_HDR, 3000, GFP_KERNEL,
				 IB_MGMT_BASE_VERSION);
	if (IS_ERR(buf))
		return;
	memcpy(buf->mad, wc->recv_buf.mad, IB_MGMT_MAD_HDR);
	((struct ib_mad_hdr *)buf->mad)->method |= IB_MGMT_METHOD_RESP;
	memcpy(((struct ib_vendor_mad *)buf->mad)->oui, "\x00\x14\x05", 3);
	buf->ah = end->ah;
	buf->retries = 3;
	if (ib_post_send_mad(buf, NULL))
		ib_free_send_mad(buf);
}

/* While transfers go both ways each allocation fails in turn: they end, and later ones are as ever. */
static void transfers__any_allocation_fails(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *server = rmpp_server(f);

	test_skip_in_torture();
	server->on_recv = respond_if_possible;
	fixture_lose(f, 1000, NULL);
	for (u32 n = 1; n < 120; n++) {
		struct ib_mad_send_buf *buf =
			rmpp_make(client, TEST_METHOD, n, n % 2 ? 3000 : 100, 3000, 3);

		base_alloc_fail_nth(n % 60 + 1);
		end_post(buf);
		assert_true(wait_count(&client->sends, n, 100 * SECOND));
		base_alloc_fail_nth(0);
	}
	pass(50 * SECOND);
	client->count = server->count = 0;
	end_post(rmpp_make(client, TEST_METHOD, 1000, 3000, 3000, 0));
	assert_true(wait_count(&client->sends, 120, 100 * SECOND));
	assert_int_equal(client->note[1].status, IB_WC_SUCCESS);
	assert_int_equal(client->note[0].mad_len, IB_MGMT_VENDOR_HDR + 3000);
}

/* The layer's own answers. */
static void replies__any_allocation_fails(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	unsigned int answered = 0;

	test_skip_in_torture();
	(void)end_open(f, 1, 1, IB_MGMT_CLASS_PERF_MGMT, 2, 0);
	for (u32 n = 1; n < 20; n++) {
		struct ib_mad_send_buf *buf = end_make(client, IB_MGMT_METHOD_GET, n, false, 1);

		buf->timeout_ms = 10;
		base_alloc_fail_nth(n);
		end_post(buf);
		assert_true(wait_count(&client->sends, n, SECOND));
		base_alloc_fail_nth(0);
		answered += client->note[client->count - 1].status == IB_WC_SUCCESS;
	}
	assert_true(answered > 0 && answered < 19);
}

static int process_mad(struct ib_device *device, int flags, u32 port_num, const struct ib_wc *wc,
		       const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		       size_t *out_bytes, u16 *pkey_index)
{
	(void)device;
	(void)flags;
	(void)port_num;
	(void)wc;
	(void)grh;
	(void)in;
	(void)out;
	(void)out_bytes;
	(void)pkey_index;
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
}

static void local__any_allocation_fails(void **state)
{
	struct fixture *f = *state;
	struct end *sm = end_open(f, 0, 0, 0x81, 0, 0);
	struct ib_mad_send_buf *buf = end_make(sm, IB_MGMT_METHOD_GET, 1, false, 1);
	struct ib_smp *smp = buf->mad;

	test_skip_in_torture();
	f->device[0]->ops.process_mad = process_mad;
	for (unsigned long n = 1; n < 4; n++) {
		int ret;

		smp->mgmt_class = 0x81;
		smp->hop_ptr = smp->hop_cnt = 0;
		smp->dr_slid = smp->dr_dlid = IB_LID_PERMISSIVE;
		if (n == 3)
			let_go(buf);
		base_alloc_fail_nth(n);
		ret = ib_post_send_mad(buf, NULL);
		base_alloc_fail_nth(0);
		assert_int_equal(ret, n < 3 ? -ENOMEM : 0);
	}
	assert_true(wait_count(&sm->sends, 1, MS));
}

/* RMPP has nothing to do with them. */
static void ib_send_rmpp_mad__others(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f);
	struct ib_mad_send_wr_private *wr = mad_send_of(end_make(client, TEST_METHOD, 1, false, 1));
	struct ib_mad_send_wc wc = {.send_buf = &wr->send_buf, .status = IB_WC_SUCCESS};

	for (int internal = 0; internal < 2; internal++) {
		const int says = internal ? IB_RMPP_RESULT_INTERNAL : IB_RMPP_RESULT_UNHANDLED;

		wr->internal = internal;
		assert_int_equal(ib_send_rmpp_mad(wr), says);
		assert_int_equal(ib_process_rmpp_send_wc(wr, &wc), says);
		assert_int_equal(ib_retry_rmpp(wr), says);
	}
	wr->internal = false;
	end_free(&wr->send_buf);
}

/* With an LMC the path bits must be those that it was sent from. */
static void ib_find_send_mad__path_bits(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	struct ib_mad_private *priv = mad_private_new(IB_MGMT_MAD_SIZE);
	struct ib_mad_recv_wc *wc;
	struct ib_mad_send_buf *buf;
	struct ib_mad_hdr *hdr;

	assert_non_null(priv);
	wc = &priv->header.recv_wc;
	hdr = (struct ib_mad_hdr *)priv->mad;
	wc->wc = &priv->header.wc;
	wc->recv_buf.mad = (struct ib_mad *)priv->mad;
	wc->recv_buf.grh = &priv->grh;
	buf = end_make(client, TEST_METHOD, 5, false, 1);
	buf->timeout_ms = 100;
	*hdr = *(struct ib_mad_hdr *)buf->mad;
	hdr->method |= IB_MGMT_METHOD_RESP;
	end_post(buf);
	pass(MS);
	f->device[0]->port_data[1].cache.lmc = 2;
	for (unsigned int bits = 0; bits < 9; bits++) {
		const struct ib_mad_send_wr_private *found;

		priv->header.wc.dlid_path_bits = (u8)bits;
		found = ib_find_send_mad(mad_agent_of(client->agent), wc);
		assert_true(found == (bits % 4 ? NULL : mad_send_of(buf)));
	}
	f->device[0]->port_data[1].cache.lmc = 0;
	base_free(priv);
	assert_true(wait_count(&client->sends, 1, SECOND));
}

static const struct CMUnitTest tests[] = {
	TEST(ib_register_mad_agent__any_allocation_fails),
	TEST(ib_register_mad_agent__any_verb_fails),
	TEST(transfers__any_allocation_fails),
	TEST(replies__any_allocation_fails),
	TEST(local__any_allocation_fails),
	TEST(ib_send_rmpp_mad__others),
	TEST(ib_find_send_mad__path_bits),
};

int main(void)
{
	return verbena_test_main(tests);
}
