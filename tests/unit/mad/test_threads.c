// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Real time, and several threads that post, cancel, and register on one port. */
#include <linux/err.h>
#include <pthread.h>
#include <rdma/ib_mad.h>
#include <stdio.h>
#include <string.h>
#include <verbena/verbena.h>

#include "base/random.h"
#include "common/test.h"

#define THREADS 4u
#define EACH 80u /* the receive queue has 512 */
#define CLASS 0x32
#define METHOD 0x10

struct stage {
	struct verbena_fabric *fabric;
	struct ib_device *device[2];
	struct ib_mad_agent *server;
	struct ib_ah *back;
	u16 lid[2];
};

struct thread {
	pthread_t id;
	struct stage *stage;
	unsigned int number;
	u32 sent, flushed, other, responses; /* atomic */
	u32 refused;
};

static void fill(struct ib_mad_send_buf *buf, u8 method, __be64 tid)
{
	struct ib_vendor_mad *mad = buf->mad;

	mad->mad_hdr.base_version = IB_MGMT_BASE_VERSION;
	mad->mad_hdr.mgmt_class = CLASS;
	mad->mad_hdr.class_version = 1;
	mad->mad_hdr.method = method;
	mad->mad_hdr.tid = tid;
	mad->oui[2] = 1;
}

static struct ib_mad_send_buf *make(struct ib_mad_agent *agent, struct ib_ah *ah, int bytes)
{
	struct ib_mad_send_buf *buf = ib_create_send_mad(agent, 1, 0, bytes > IB_MGMT_VENDOR_DATA,
							 IB_MGMT_VENDOR_HDR, bytes, GFP_KERNEL,
							 IB_MGMT_BASE_VERSION);

	if (!IS_ERR(buf)) {
		memset((u8 *)buf->mad + buf->hdr_len, 0x33, (size_t)bytes);
		buf->ah = ah;
	}
	return buf;
}

static void free_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	(void)agent;
	ib_free_send_mad(wc->send_buf);
}

static void respond(struct ib_mad_agent *agent, struct ib_mad_send_buf *unused,
		    struct ib_mad_recv_wc *wc)
{
	struct stage *s = agent->context;
	struct ib_mad_send_buf *buf = make(agent, s->back, IB_MGMT_VENDOR_DATA);

	(void)unused;
	if (!IS_ERR(buf)) {
		fill(buf, METHOD | IB_MGMT_METHOD_RESP, wc->recv_buf.mad->mad_hdr.tid);
		if (ib_post_send_mad(buf, NULL))
			ib_free_send_mad(buf);
	}
	ib_free_recv_mad(wc);
}

static void count_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct thread *t = agent->context;
	u32 *counter = &t->other;

	if (wc->status == IB_WC_SUCCESS)
		counter = &t->sent;
	else if (wc->status == IB_WC_WR_FLUSH_ERR)
		counter = &t->flushed;
	ib_free_send_mad(wc->send_buf);
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static void count_response(struct ib_mad_agent *agent, struct ib_mad_send_buf *buf,
			   struct ib_mad_recv_wc *wc)
{
	struct thread *t = agent->context;

	(void)buf;
	ib_free_recv_mad(wc);
	__atomic_fetch_add(&t->responses, 1, __ATOMIC_RELAXED);
}

static struct ib_ah *address(struct ib_mad_agent *agent, u16 lid)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};

	rdma_ah_set_dlid(&attr, lid);
	return rdma_create_ah(agent->qp->pd, &attr, 0);
}

static void post_all(struct thread *t, struct ib_mad_agent *agent, struct ib_ah *ah)
{
	uint64_t random = t->number + 1;

	for (u32 i = 0; i < EACH; i++) {
		const int bytes = base_random_below(&random, 4) ? 100 : 3000;
		struct ib_mad_send_buf *buf = make(agent, ah, bytes);

		if (IS_ERR(buf)) {
			t->refused++;
			continue;
		}
		fill(buf, METHOD, cpu_to_be64((u64)agent->hi_tid << 32 | i));
		buf->timeout_ms = 500;
		buf->retries = 20;
		if (ib_post_send_mad(buf, NULL)) {
			ib_free_send_mad(buf);
			t->refused++;
		}
	}
}

static bool all_ended(void *arg)
{
	const struct thread *t = arg;

	return __atomic_load_n(&t->sent, __ATOMIC_RELAXED) +
		       __atomic_load_n(&t->flushed, __ATOMIC_RELAXED) +
		       __atomic_load_n(&t->other, __ATOMIC_RELAXED) + t->refused >=
	       EACH;
}

/* Odd ones unregister while all of it is under way. */
static void *run(void *arg)
{
	struct thread *t = arg;
	struct ib_mad_agent *agent = ib_register_mad_agent(t->stage->device[0], 1, IB_QPT_GSI, NULL,
							   IB_MGMT_RMPP_VERSION, count_sent,
							   count_response, t, 0);
	struct ib_ah *ah;

	if (IS_ERR(agent))
		return NULL;
	ah = address(agent, t->stage->lid[1]);
	if (!IS_ERR(ah)) {
		post_all(t, agent, ah);
		if (t->number % 2 == 0)
			base_wait_until(all_ended, t, BASE_FOREVER_NS);
	}
	ib_unregister_mad_agent(agent);
	if (!IS_ERR(ah))
		rdma_destroy_ah(ah, 0);
	return NULL;
}

static bool open_stage(struct stage *s)
{
	struct ib_mad_reg_req req = {
		.mgmt_class = CLASS, .mgmt_class_version = 1, .oui = {0, 0, 1}};

	s->fabric = verbena_fabric_new(NULL);
	for (int i = 0; i < 2; i++) {
		struct ib_port_attr attr;

		s->device[i] = verbena_host_add(s->fabric, i ? "beta" : "alpha", NULL);
		if (IS_ERR(s->device[i]) || ib_query_port(s->device[i], 1, &attr))
			return false;
		s->lid[i] = (u16)attr.lid;
	}
	req.method_mask[0] = 1ul << METHOD;
	s->server = ib_register_mad_agent(s->device[1], 1, IB_QPT_GSI, &req, IB_MGMT_RMPP_VERSION,
					  free_sent, respond, s, 0);
	if (IS_ERR(s->server))
		return false;
	s->back = address(s->server, s->lid[0]);
	return !IS_ERR(s->back);
}

static void close_stage(struct stage *s)
{
	if (!IS_ERR_OR_NULL(s->server))
		ib_unregister_mad_agent(s->server);
	if (!IS_ERR_OR_NULL(s->back))
		rdma_destroy_ah(s->back, 0);
	verbena_fabric_free(s->fabric);
}

static void threads__on_one_port(void **state)
{
	static struct thread threads[THREADS];
	struct stage s = {.fabric = NULL};
	const bool open = open_stage(&s);

	(void)state;
	memset(threads, 0, sizeof(threads));
	for (unsigned int i = 0; open && i < THREADS; i++) {
		threads[i].stage = &s;
		threads[i].number = i;
		pthread_create(&threads[i].id, NULL, run, &threads[i]);
	}
	for (unsigned int i = 0; open && i < THREADS; i++)
		pthread_join(threads[i].id, NULL);
	close_stage(&s);
	assert_true(open);
	for (unsigned int i = 0; i < THREADS; i++) {
		const struct thread *t = &threads[i];

		assert_int_equal(t->sent + t->flushed + t->other + t->refused, EACH);
		assert_true(t->responses >= t->sent);
		if (i % 2 == 0)
			assert_int_equal(t->sent, EACH);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(threads__on_one_port),
};

int main(void)
{
	return verbena_test_main(tests);
}
