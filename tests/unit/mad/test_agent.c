// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Answers in the layer's own name. */
#include <rdma/ib_cache.h>

#include "mad/agent.h"
#include "raw_fixture.h"

/* A request has arrived at host 1, kept there. */
static const struct note *ask(struct fixture *f, struct end *client, struct end *server)
{
	struct ib_mad_send_buf *buf = raw_make(client, 4, 1, IB_MGMT_METHOD_GET, 0x12,
					       (u64)client->agent->hi_tid << 32 | 5);

	(void)f;
	server->keep = true;
	buf->timeout_ms = 100;
	end_post(buf);
	assert_true(wait_count(&server->recvs, 1, MS));
	return &server->note[0];
}

static void respond(struct fixture *f, const struct note *note, u32 port_num, int qpn)
{
	struct ib_mad answer = *note->wc->recv_buf.mad;

	answer.mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	agent_send_response(&answer.mad_hdr, note->wc->recv_buf.grh, note->wc->wc, f->device[1],
			    (int)port_num, qpn, sizeof(answer), false);
}

static void agent_send_response__goes_back(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	struct end *server = end_open(f, 1, 1, IB_MGMT_CLASS_PERF_MGMT, 2, 0);

	respond(f, ask(f, client, server), 1, 1);
	assert_true(wait_count(&client->recvs, 1, MS));
	assert_int_equal(client->note[0].hdr.method, IB_MGMT_METHOD_GET_RESP);
	assert_true(wait_count(&client->sends, 1, MS));
}

/* The way back has a GRH if the way there had one. */
static void agent_send_response__with_grh(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	struct end *server = end_open(f, 1, 1, IB_MGMT_CLASS_PERF_MGMT, 2, 0);
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	union ib_gid gid;

	rdma_destroy_ah(client->ah, 0);
	client->ah = NULL;
	assert_int_equal(rdma_query_gid(f->device[1], 1, 0, &gid), 0);
	rdma_ah_set_dlid(&attr, fixture_lid(f, 1));
	rdma_ah_set_grh(&attr, &gid, 0, 0, 1, 0);
	client->ah = rdma_create_ah(client->agent->qp->pd, &attr, 0);
	assert_false(IS_ERR(client->ah));
	respond(f, ask(f, client, server), 1, 1);
	assert_true(wait_count(&client->recvs, 1, MS));
	assert_true(client->note[0].cqe.wc_flags & IB_WC_GRH);
	assert_true(wait_count(&client->sends, 1, MS));
	assert_int_equal(client->note[1].status, IB_WC_SUCCESS);
}

/* A port that is not open, one that there is not, no such QP: nothing, and nobody's last cause. */
static void agent_send_response__to_nowhere(void **state)
{
	struct fixture *f = *state;
	struct end *client = end_open(f, 0, 0, TEST_CLASS, 0, 0);
	struct end *server = end_open(f, 1, 1, IB_MGMT_CLASS_PERF_MGMT, 2, 0);
	const struct note *note = ask(f, client, server);

	base_cause_set_last(&(struct base_cause){.id = 1});
	respond(f, note, 7, 1);
	respond(f, note, 1, 2);
	respond(f, note, 1, -1);
	note->wc->wc->wc_flags |= IB_WC_GRH; /* of a GID that the port does not have */
	memset(note->wc->recv_buf.grh, 0x55, sizeof(struct ib_grh));
	respond(f, note, 1, 1);
	assert_int_equal(base_cause_last()->id, 1);
	pass(MS);
	assert_int_equal(client->recvs, 0);
	assert_true(wait_count(&client->sends, 1, 1000 * MS));
}

static const struct CMUnitTest tests[] = {
	TEST(agent_send_response__goes_back),
	TEST(agent_send_response__with_grh),
	TEST(agent_send_response__to_nowhere),
};

int main(void)
{
	return verbena_test_main(tests);
}
