/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A client of the SA on host alpha, and an SA there that writes down what it is asked, and answers as it is told to:
 * with the record that it was asked with, changed by @answer.
 */
#ifndef TESTS_UNIT_MAD_SA_CLIENT_FIXTURE_H
#define TESTS_UNIT_MAD_SA_CLIENT_FIXTURE_H

#include <rdma/ib_sa.h>

#include "unit/mad/mad_fixture.h"

#define ASKED 1024u

struct sa_fixture {
	struct ib_sa_client client;
	bool registered;
	unsigned int asked;
	struct ib_sa_mad request[ASKED];
	bool silent;
	u16 status;
	void (*answer)(struct sa_fixture *s, struct ib_sa_mad *mad);
	u8 joined; /* join state */
};

static struct sa_fixture sa;

/* Without memory it says nothing: this is a handler, which no assertion may leave. */
static inline void sa_take(struct end *end, struct ib_mad_send_buf *request,
			   struct ib_mad_recv_wc *wc)
{
	struct ib_mad_send_buf *buf;
	struct ib_sa_mad *mad;

	if (request || ib_response_mad(&wc->recv_buf.mad->mad_hdr))
		return;
	memcpy(&sa.request[sa.asked++ % ASKED], wc->recv_buf.mad, sizeof(*mad));
	if (sa.silent)
		return;
	buf = ib_create_send_mad(end->agent, 1, 0, 0, IB_MGMT_SA_HDR, IB_MGMT_SA_DATA, GFP_KERNEL,
				 IB_MGMT_BASE_VERSION);
	if (IS_ERR(buf))
		return;
	mad = buf->mad;
	memcpy(mad, wc->recv_buf.mad, sizeof(*mad));
	mad->mad_hdr.method = mad->mad_hdr.method == IB_SA_METHOD_DELETE ? IB_SA_METHOD_DELETE_RESP
									 : IB_MGMT_METHOD_GET_RESP;
	mad->mad_hdr.status = cpu_to_be16(sa.status);
	if (sa.answer)
		sa.answer(&sa, mad);
	buf->ah = end->ah;
	if (ib_post_send_mad(buf, NULL))
		ib_free_send_mad(buf);
}

static inline int sa_setup(void **state)
{
	struct ib_mad_reg_req req = {.mgmt_class = IB_MGMT_CLASS_SUBN_ADM,
				     .mgmt_class_version = IB_SA_CLASS_VERSION};
	struct fixture *f;
	struct end *end;

	memset(&sa, 0, sizeof(sa));
	if (fixture_setup(state))
		return -1;
	f = *state;
	end = &f->end[0];
	end->f = f;
	end->on_recv = sa_take;
	req.method_mask[0] = 1ull << IB_MGMT_METHOD_GET | 1ull << IB_MGMT_METHOD_SET |
			     1ull << IB_SA_METHOD_DELETE;
	end->agent = ib_register_mad_agent(f->device[0], 1, IB_QPT_GSI, &req, 0, end_sent,
					   end_received, end, 0);
	if (IS_ERR(end->agent)) {
		end->agent = NULL;
		fixture_teardown(state);
		return -1;
	}
	end->ah = test_ah(f, end->agent, fixture_lid(f, 0));
	if (IS_ERR(end->ah)) {
		end->ah = NULL;
		fixture_teardown(state);
		return -1;
	}
	ib_sa_register_client(&sa.client);
	sa.registered = true;
	return 0;
}

static inline int sa_teardown(void **state)
{
	if (sa.registered)
		ib_sa_unregister_client(&sa.client);
	sa.registered = false;
	return fixture_teardown(state);
}

#define SA_TEST(name) cmocka_unit_test_setup_teardown(name, sa_setup, sa_teardown)

#endif
