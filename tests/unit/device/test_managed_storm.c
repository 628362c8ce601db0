// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* A fat tree of which several threads use everything at once, until it is taken away. */
#include <errno.h>
#include <linux/byteorder.h>
#include <linux/err.h>
#include <pthread.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>
#include <rdma/ib_sa.h>
#include <rdma/ib_smi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verbena/verbena.h>

#include "base/check.h"
#include "base/host.h"
#include "cli/pair.h"
#include "common/test.h"
#include "fabric/topology.h"

#define LONG_NS 60000000000u
#define PERMISSIVE 0xffffu
#define ROUNDS 2
#define MADS 300
#define BYTES 8192u
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct verbena_fabric *fabric;
static struct topology *plan;
static bool ends; /* the askers are done: the others may go */

struct thread {
	pthread_t id;
	uint64_t random;
	const char *host[2];
};

static uint32_t draw(struct thread *t, uint32_t below)
{
	t->random = t->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((t->random >> 33) % below);
}

static bool has_ended(void)
{
	return __atomic_load_n(&ends, __ATOMIC_ACQUIRE);
}

static void make(void)
{
	struct verbena_fabric_options options = {.topology = NULL};
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	plan = topology_fat_tree(4);
	assert_non_null(plan);
	assert_non_null(out);
	topology_write(plan, NULL, NULL, out);
	fclose(out);
	options.topology = text;
	fabric = verbena_fabric_new(&options);
	free(text);
	if (IS_ERR(fabric))
		fail_msg("%s", verbena_last_cause());
}

static struct ib_device *host(const char *name)
{
	struct ib_device *device = verbena_host_add(fabric, name, NULL);

	if (IS_ERR(device))
		fprintf(stderr, "%s: %s\n", name, verbena_last_cause());
	INVARIANT(!IS_ERR(device));
	return device;
}

/* One MAD that is asked, and what becomes of it. */
struct asked {
	bool done;
	unsigned int answers;
};

static void on_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct asked *a = wc->send_buf->context[0];

	(void)agent;
	rdma_destroy_ah(wc->send_buf->ah, 0);
	ib_free_send_mad(wc->send_buf);
	if (a) {
		__atomic_store_n(&a->done, true, __ATOMIC_RELEASE);
		base_wake();
	}
}

static void on_received(struct ib_mad_agent *agent, struct ib_mad_send_buf *request,
			struct ib_mad_recv_wc *wc)
{
	(void)agent;
	(void)request;
	ib_free_recv_mad(wc);
}

static bool is_done(void *arg)
{
	return __atomic_load_n(&((struct asked *)arg)->done, __ATOMIC_ACQUIRE);
}

static void fill_smp(struct thread *t, struct ib_mad *mad)
{
	struct ib_smp *smp = (struct ib_smp *)(void *)mad;

	smp->hop_cnt = (u8)draw(t, 6);
	smp->dr_slid = smp->dr_dlid = cpu_to_be16(PERMISSIVE);
	for (int i = 1; i <= smp->hop_cnt; i++)
		smp->initial_path[i] = i == 1 ? 1 : (u8)(1 + draw(t, 4));
}

/* Any content; the class, the agent's half of the TID, and what is not sent at all stay. */
static void garble(struct thread *t, struct ib_mad *mad)
{
	u8 *bytes = (u8 *)mad;

	for (uint32_t n = draw(t, 16); n; n--) {
		const uint32_t at = draw(t, draw(t, 2) ? 64 : IB_MGMT_MAD_SIZE);

		if (at >= 12 || (at >= 2 && at < 8))
			bytes[at] = (u8)draw(t, 256);
	}
}

static const struct kind {
	enum ib_qp_type type;
	u8 class, version, method;
	u16 attribute;
	bool directed;
} kinds[] = {
	{IB_QPT_SMI, IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE, 1, IB_MGMT_METHOD_GET, 0x11, true},
	{IB_QPT_SMI, IB_MGMT_CLASS_SUBN_LID_ROUTED, 1, IB_MGMT_METHOD_GET, 0x15, false},
	{IB_QPT_SMI, IB_MGMT_CLASS_SUBN_LID_ROUTED, 1, IB_MGMT_METHOD_GET, 0x20, false},
	{IB_QPT_GSI, IB_MGMT_CLASS_PERF_MGMT, 1, IB_MGMT_METHOD_GET, 0x12, false},
	{IB_QPT_GSI, IB_MGMT_CLASS_SUBN_ADM, 2, IB_SA_METHOD_GET_TABLE, 0x11, false},
	{IB_QPT_GSI, IB_MGMT_CLASS_SUBN_ADM, 2, IB_SA_METHOD_GET_TABLE, 0x35, false},
	{IB_QPT_GSI, 0x32, 1, IB_MGMT_METHOD_GET, 0x77, false},
};

static void post_one(struct thread *t, struct ib_mad_agent *agent, const struct kind *k, u32 lid,
		     struct asked *a, int timeout_ms)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	const bool sa = k->class == IB_MGMT_CLASS_SUBN_ADM;
	const int header = sa ? IB_MGMT_SA_HDR : IB_MGMT_MAD_HDR;
	struct ib_mad_send_buf *buf;
	struct ib_mad *mad;

	rdma_ah_set_dlid(&attr, k->directed ? PERMISSIVE : lid);
	buf = ib_create_send_mad(agent, k->type == IB_QPT_GSI, 0, 0, header,
				 IB_MGMT_MAD_SIZE - header, GFP_KERNEL, IB_MGMT_BASE_VERSION);
	INVARIANT(!IS_ERR(buf));
	buf->ah = rdma_create_ah(agent->qp->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	INVARIANT(!IS_ERR(buf->ah));
	mad = buf->mad;
	mad->mad_hdr = (struct ib_mad_hdr){.base_version = IB_MGMT_BASE_VERSION,
					   .mgmt_class = k->class,
					   .class_version = k->version,
					   .method = k->method,
					   .tid = cpu_to_be64((u64)agent->hi_tid << 32 |
							      draw(t, 1u << 30)),
					   .attr_id = cpu_to_be16(k->attribute)};
	if (k->directed)
		fill_smp(t, mad);
	if (!draw(t, 4))
		garble(t, mad);
	buf->context[0] = a;
	buf->timeout_ms = timeout_ms;
	buf->retries = 1;
	if (ib_post_send_mad(buf, NULL)) {
		rdma_destroy_ah(buf->ah, 0);
		ib_free_send_mad(buf);
		if (a)
			a->done = true;
	}
}

static void ask_some(struct thread *t, struct ib_device *device, unsigned int count, bool wait)
{
	struct ib_mad_agent *agent[2];
	struct ib_port_attr port;

	INVARIANT(!ib_query_port(device, 1, &port));
	agent[0] = ib_register_mad_agent(device, 1, IB_QPT_SMI, NULL, 0, on_sent, on_received, NULL,
					 0);
	agent[1] = ib_register_mad_agent(device, 1, IB_QPT_GSI, NULL, IB_MGMT_RMPP_VERSION, on_sent,
					 on_received, NULL, 0);
	INVARIANT(!IS_ERR(agent[0]) && !IS_ERR(agent[1]));
	for (unsigned int i = 0; i < count; i++) {
		const struct kind *k = &kinds[draw(t, COUNT(kinds))];
		const u32 lid = k->class == IB_MGMT_CLASS_SUBN_ADM ? port.sm_lid : 1 + draw(t, 40);
		struct asked a = {.done = false};

		post_one(t, agent[k->type == IB_QPT_GSI], k, lid, wait ? &a : NULL,
			 wait ? 5 : 1000);
		if (wait)
			INVARIANT(base_wait_until(is_done, &a, LONG_NS));
	}
	ib_unregister_mad_agent(agent[0]);
	ib_unregister_mad_agent(agent[1]);
}

static void *ask(void *arg)
{
	struct thread *t = arg;
	struct ib_device *device = host(t->host[0]);

	for (int i = 0; i < 4; i++) {
		ask_some(t, device, MADS / 4, true);
		ask_some(t, device, MADS / 8, false);
	}
	return NULL;
}

static bool polls(void *arg)
{
	struct ib_wc wc;

	return ib_poll_cq(arg, 1, &wc) == 1;
}

static void write_some(struct thread *t, struct ib_device *device[2], void *bytes[2])
{
	const struct pair_options o = {
		.depth = 16, .type = IB_QPT_RC, .mtu = IB_MTU_2048, .timeout = 8};
	struct ib_mr *mr[2];
	struct pair pair;

	INVARIANT(!pair_open(&pair, device[0], device[1], &o));
	for (int i = 0; i < 2; i++) {
		mr[i] = ib_reg_user_mr(pair.side[i].pd, (uintptr_t)bytes[i], BYTES,
				       (uintptr_t)bytes[i],
				       IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE);
		INVARIANT(!IS_ERR(mr[i]));
	}
	for (int i = 0; i < 16 && !has_ended(); i++) {
		struct ib_sge sge = {(uintptr_t)bytes[0], 1 + draw(t, BYTES), mr[0]->lkey};
		const struct ib_rdma_wr wr = {.wr = {.sg_list = &sge,
						     .num_sge = 1,
						     .opcode = IB_WR_RDMA_WRITE,
						     .send_flags = IB_SEND_SIGNALED},
					      .remote_addr = (uintptr_t)bytes[1],
					      .rkey = mr[1]->rkey};

		if (ib_post_send(pair.side[0].qp, &wr.wr, NULL))
			break;
		INVARIANT(base_wait_until(polls, pair.side[0].cq, LONG_NS));
	}
	for (int i = 0; i < 2; i++)
		ib_dereg_mr(mr[i]);
	pair_close(&pair);
}

static void *write_all(void *arg)
{
	struct thread *t = arg;
	struct ib_device *device[2] = {host(t->host[0]), host(t->host[1])};
	void *bytes[2] = {calloc(1, BYTES), calloc(1, BYTES)};

	while (!has_ended())
		write_some(t, device, bytes);
	free(bytes[0]);
	free(bytes[1]);
	return NULL;
}

/* Hosts that come and go, in the middle of what they do. */
static void *come_and_go(void *arg)
{
	struct thread *t = arg;

	while (!has_ended()) {
		struct ib_device *device = host(t->host[draw(t, 2)]);

		ask_some(t, device, draw(t, 20), false);
		verbena_host_remove(device);
	}
	return NULL;
}

static const struct topology_node *draw_node(struct thread *t)
{
	return &plan->node[draw(t, plan->count)];
}

static void *cut_and_mend(void *arg)
{
	struct thread *t = arg;

	while (!has_ended()) {
		const struct topology_node *node = draw_node(t);
		const uint32_t port = 1 + draw(t, node->config.ports);

		(void)verbena_fabric_set_cable(fabric, node->config.description, port, false);
		if (draw(t, 2))
			(void)verbena_fabric_impair_cable(fabric, node->config.description, port,
							  draw(t, 300000), draw(t, 2) * 20000);
		(void)verbena_fabric_set_cable(fabric, node->config.description, port, true);
		(void)verbena_fabric_impair_cable(fabric, node->config.description, port, 0, 0);
	}
	return NULL;
}

static void *disturb(void *arg)
{
	struct thread *t = arg;

	while (!has_ended()) {
		struct verbena_faults faults = {.seed = draw(t, 1000),
						.drop_ppm = draw(t, 20000),
						.reorder_ppm = draw(t, 20000),
						.duplicate_ppm = draw(t, 20000),
						.delay_ns = draw(t, 20000)};
		struct verbena_stats stats;

		INVARIANT(!verbena_fabric_faults(fabric, &faults));
		INVARIANT(!verbena_fabric_capture(fabric, "/dev/null"));
		verbena_fabric_stats(fabric, &stats);
		INVARIANT(!verbena_fabric_faults(fabric, NULL));
		INVARIANT(!verbena_fabric_capture(fabric, NULL));
	}
	return NULL;
}

struct job {
	void *(*does)(void *arg);
	bool ends_by_itself;
	const char *host[2];
};

static const struct job jobs[] = {
	{ask, true, {"h-0-0-0"}},
	{ask, true, {"h-1-0-0"}},
	{write_all, false, {"h-0-0-1", "h-3-1-1"}},
	{write_all, false, {"h-0-1-0", "h-2-1-1"}},
	{come_and_go, false, {"h-1-1-0", "h-2-0-0"}},
	{come_and_go, false, {"h-1-1-1", "h-3-0-0"}},
	{cut_and_mend, false, {NULL}},
	{disturb, false, {NULL}},
};

static void run_all(uint64_t seed)
{
	struct thread threads[COUNT(jobs)];

	__atomic_store_n(&ends, false, __ATOMIC_RELEASE);
	for (size_t i = 0; i < COUNT(jobs); i++) {
		threads[i] = (struct thread){.random = seed + i,
					     .host = {jobs[i].host[0], jobs[i].host[1]}};
		assert_int_equal(pthread_create(&threads[i].id, NULL, jobs[i].does, &threads[i]),
				 0);
	}
	for (size_t i = 0; i < COUNT(jobs); i++)
		if (jobs[i].ends_by_itself)
			pthread_join(threads[i].id, NULL);
	__atomic_store_n(&ends, true, __ATOMIC_RELEASE);
	for (size_t i = 0; i < COUNT(jobs); i++)
		if (!jobs[i].ends_by_itself)
			pthread_join(threads[i].id, NULL);
}

static void managed__everything_at_once(void **state)
{
	(void)state;
	test_skip_in_torture(); /* threads must not fail */
	for (uint64_t round = 0; round < ROUNDS; round++) {
		make();
		run_all(round * 1000);
		verbena_fabric_free(fabric);
		topology_free(plan);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(managed__everything_at_once),
};

int main(void)
{
	return verbena_test_main(tests);
}
