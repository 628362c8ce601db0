// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* SMPs of directed routes that end where they begin. */
#include "raw_fixture.h"

static struct {
	int result;
	unsigned int calls;
	struct ib_smp in;
	struct ib_wc wc;
	bool grh;
} driver;

static int process_mad(struct ib_device *device, int flags, u32 port_num, const struct ib_wc *wc,
		       const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		       size_t *out_bytes, u16 *pkey_index)
{
	struct ib_smp *answer = (struct ib_smp *)out;

	(void)device;
	(void)flags;
	(void)out_bytes;
	(void)pkey_index;
	assert_int_equal(port_num, 1);
	driver.calls++;
	memcpy(&driver.in, in, sizeof(driver.in));
	driver.wc = *wc;
	driver.grh = grh;
	if (driver.result & IB_MAD_RESULT_REPLY) {
		memcpy(out, in, sizeof(*out));
		answer->method = IB_MGMT_METHOD_GET_RESP;
		answer->status = IB_SMP_DIRECTION;
		answer->data[7] = 0x77;
	}
	return driver.result;
}

static struct end *open_smi(struct fixture *f, unsigned int which, u8 mgmt_class, u64 methods)
{
	return end_open(f, which, 0, mgmt_class, methods, 0);
}

static void set_driver(struct fixture *f, int result)
{
	memset(&driver, 0, sizeof(driver));
	driver.result = result;
	f->device[0]->ops.process_mad = process_mad;
}

/* A request by a directed route of no hops: to this very port. */
static struct ib_mad_send_buf *make_smp(struct end *end, u8 hop_cnt, u8 method, u32 tid)
{
	struct ib_mad_send_buf *buf =
		raw_make(end, 0x81, 1, method, 0x11, (u64)end->agent->hi_tid << 32 | tid);
	struct ib_smp *smp = buf->mad;

	smp->hop_cnt = hop_cnt;
	smp->initial_path[1] = 1;
	smp->dr_slid = smp->dr_dlid = IB_LID_PERMISSIVE;
	buf->timeout_ms = 100;
	return buf;
}

static void local__reply(void **state)
{
	struct fixture *f = *state;
	struct end *sm = open_smi(f, 0, 0x81, 0);
	struct ib_mad_send_buf *buf = make_smp(sm, 0, IB_MGMT_METHOD_GET, 3);

	set_driver(f, IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY);
	sm->keep = true;
	end_post(buf);
	assert_int_equal(sm->count, 0); /* handlers are called later */
	assert_true(wait_count(&sm->sends, 1, MS));
	assert_int_equal(driver.calls, 1);
	assert_int_equal(driver.in.hop_ptr, 1);
	assert_int_equal(driver.wc.slid, 0xffff);
	assert_int_equal(driver.wc.src_qp, 0);
	assert_false(driver.grh);
	assert_false(sm->note[0].sent);
	assert_ptr_equal(sm->note[0].buf, buf);
	assert_int_equal(((struct ib_smp *)sm->note[0].wc->recv_buf.mad)->data[7], 0x77);
	assert_int_equal(sm->note[0].cqe.slid, 0xffff);
	assert_int_equal(sm->note[0].cqe.src_qp, 0);
	assert_int_equal(sm->note[0].cqe.port_num, 1);
	assert_int_equal(sm->note[0].mad_len, IB_MGMT_MAD_SIZE);
	assert_int_equal(sm->note[1].status, IB_WC_SUCCESS);
	pass(1000 * MS);
	assert_int_equal(sm->count, 2); /* and no time-out */
}

static void local__consumed(void **state)
{
	struct fixture *f = *state;
	struct end *sm = open_smi(f, 0, 0x81, 0);

	set_driver(f, IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED);
	end_post(make_smp(sm, 0, IB_MGMT_METHOD_GET, 3));
	assert_true(wait_count(&sm->sends, 1, MS));
	pass(1000 * MS);
	assert_int_equal(sm->count, 1);
	assert_int_equal(sm->note[0].status, IB_WC_SUCCESS);
}

/* So SMInfo of a local subnet manager can be asked for. */
static void local__for_another_agent(void **state)
{
	struct fixture *f = *state;
	struct end *asker = open_smi(f, 0, 0x81, 0), *sm = open_smi(f, 1, 0x81, 1 << 1);

	set_driver(f, IB_MAD_RESULT_SUCCESS);
	end_post(make_smp(asker, 0, IB_MGMT_METHOD_GET, 3));
	assert_true(wait_count(&asker->sends, 1, MS));
	assert_int_equal(sm->recvs, 1);
	assert_null(sm->note[0].buf); /* it is not its request */
	assert_int_equal(sm->note[0].hdr.method, IB_MGMT_METHOD_GET);
	assert_int_equal(asker->note[0].status, IB_WC_SUCCESS);
	assert_int_equal(asker->recvs, 0);
}

static void local__for_nobody(void **state)
{
	struct fixture *f = *state;
	struct end *asker = open_smi(f, 0, 0x81, 0);

	set_driver(f, IB_MAD_RESULT_SUCCESS);
	end_post(make_smp(asker, 0, IB_MGMT_METHOD_GET, 3));
	assert_true(wait_count(&asker->sends, 1, MS));
	pass(1000 * MS);
	assert_int_equal(asker->count, 1);
	assert_int_equal(asker->note[0].status, IB_WC_SUCCESS);
}

/* An agent's answer to such a request, too, goes to whose number is in its TID. */
static void local__response(void **state)
{
	struct fixture *f = *state;
	struct end *asker = open_smi(f, 0, 0x81, 0), *sm = open_smi(f, 1, 0x81, 1 << 1);
	struct ib_mad_send_buf *buf = make_smp(sm, 0, IB_MGMT_METHOD_GET_RESP, 3);
	struct ib_smp *smp = buf->mad;

	set_driver(f, IB_MAD_RESULT_SUCCESS);
	smp->status = IB_SMP_DIRECTION;
	smp->hop_ptr = 1;
	smp->tid = cpu_to_be64((u64)asker->agent->hi_tid << 32 | 9);
	buf->timeout_ms = 0;
	end_post(buf);
	assert_true(wait_count(&sm->sends, 1, MS));
	assert_int_equal(asker->recvs, 1);
	assert_int_equal((u32)be64_to_cpu(asker->note[0].hdr.tid), 9);
}

static void local__refused(void **state)
{
	struct fixture *f = *state;
	struct end *sm = open_smi(f, 0, 0x81, 0);
	struct ib_mad_send_buf *buf, *bad = NULL;
	static const int results[] = {IB_MAD_RESULT_FAILURE, IB_MAD_RESULT_REPLY, 7, 8};

	for (unsigned int i = 0; i < 4; i++) {
		set_driver(f, results[i]);
		buf = make_smp(sm, 0, IB_MGMT_METHOD_GET, 3);
		assert_int_equal(ib_post_send_mad(buf, &bad), -EINVAL);
		assert_int_equal(base_cause_last()->id, BASE_CAUSE_MAD_PROCESS_RESULT);
		assert_ptr_equal(bad, buf);
		end_free(buf);
	}
	/* It does not leave by this port. */
	buf = make_smp(sm, 1, IB_MGMT_METHOD_GET, 3);
	((struct ib_smp *)buf->mad)->initial_path[1] = 2;
	assert_int_equal(ib_post_send_mad(buf, &bad), -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_MAD_ROUTE);
	end_free(buf);
	buf = make_smp(sm, 64, IB_MGMT_METHOD_GET, 3);
	assert_int_equal(ib_post_send_mad(buf, &bad), -EINVAL);
	end_free(buf);
}

/* One with a hop goes out, with its hop pointer moved on. */
static void local__not_if_it_has_hops(void **state)
{
	struct fixture *f = *state;
	struct end *sm = open_smi(f, 0, 0x81, 0);
	struct ib_mad_send_buf *buf = make_smp(sm, 1, IB_MGMT_METHOD_GET, 3);

	set_driver(f, IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY);
	sm->keep_sent = true;
	end_post(buf);
	assert_int_equal(((struct ib_smp *)buf->mad)->hop_ptr, 1);
	assert_true(wait_count(&sm->sends, 1, 1000 * MS));
	assert_int_equal(driver.calls, 0);
	assert_int_equal(sm->note[0].status, IB_WC_RESP_TIMEOUT_ERR);
	end_free(buf);
}

/* Unregistering outlasts what has been taken. */
static void local__unregister(void **state)
{
	struct fixture *f = *state;
	struct end *sm = open_smi(f, 0, 0x81, 0);

	set_driver(f, IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY);
	for (u32 i = 0; i < 5; i++)
		end_post(make_smp(sm, 0, IB_MGMT_METHOD_GET, i));
	end_close(sm);
	assert_int_equal(sm->sends, 5);
	assert_int_equal(sm->recvs, 5);
}

/* Over the wire: one that ends at the other port, and comes back with its direction turned round. */
static void receive__directed_route_ends_here(void **state)
{
	struct fixture *f = *state;
	struct end *sm = open_smi(f, 0, 0x81, 0);
	struct ib_mad_send_buf *buf;

	(void)end_open(f, 1, 1, 0x81, 0, 0);
	buf = make_smp(sm, 1, IB_MGMT_METHOD_GET, 3);
	end_post(buf);
	/* Nobody wants it: it is answered, and the answer goes back the same way. */
	assert_true(wait_count(&sm->recvs, 1, 10 * MS));
	assert_int_equal(sm->note[0].hdr.method, IB_MGMT_METHOD_GET_RESP);
	assert_int_equal(be16_to_cpu(sm->note[0].hdr.status), 0x800c);
	assert_ptr_equal(sm->note[0].buf, buf);
	assert_int_equal(be16_to_cpu(sm->note[0].hdr.class_specific) >> 8, 0); /* hop pointer */
	assert_true(wait_count(&sm->sends, 1, MS));
	assert_int_equal(sm->note[1].status, IB_WC_SUCCESS);
}

static void receive__directed_route_makes_no_sense(void **state)
{
	struct fixture *f = *state;
	struct end *raw = raw_open(f, 0, 0, true);
	static const u8 route[][2] = {{0, 1}, {1, 3}, {5, 3}, {1, 64}, {3, 1}};

	(void)end_open(f, 1, 1, 0x81, 1 << 1, 0);
	for (unsigned int i = 0; i < 5; i++) {
		struct ib_mad_send_buf *buf = raw_make(raw, 0x81, 1, IB_MGMT_METHOD_GET, 1, 1);
		struct ib_smp *smp = buf->mad;

		/* Its LID-routed part begins here, so the route is not looked at when it is sent. */
		smp->dr_slid = cpu_to_be16(fixture_lid(f, 0));
		smp->dr_dlid = IB_LID_PERMISSIVE;
		smp->hop_ptr = route[i][0];
		smp->hop_cnt = route[i][1];
		end_post(buf);
		pass(MS);
		assert_int_equal(drops(f, 1, MAD_DROP_ROUTE), i + 1);
	}
	assert_int_equal(f->end[1].recvs, 0);
}

static const struct CMUnitTest tests[] = {
	TEST(local__reply),
	TEST(local__consumed),
	TEST(local__for_another_agent),
	TEST(local__for_nobody),
	TEST(local__response),
	TEST(local__refused),
	TEST(local__not_if_it_has_hops),
	TEST(local__unregister),
	TEST(receive__directed_route_ends_here),
	TEST(receive__directed_route_makes_no_sense),
};

int main(void)
{
	return verbena_test_main(tests);
}
