// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The fabric inside a process, over the whole stack and in real time. */
#include <errno.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <rdma/ib_cache.h>
#include <string.h>
#include <verbena/verbena.h>

#include "base/cause.h"
#include "base/host.h"
#include "common/test.h"

struct world {
	struct verbena_fabric *fabric;
	struct ib_device *a, *b;
};

static int setup(void **state)
{
	static struct world w;

	w.fabric = verbena_fabric_new(NULL);
	if (IS_ERR(w.fabric))
		return -1;
	w.a = verbena_host_add(w.fabric, "alpha", NULL);
	w.b = verbena_host_add(w.fabric, "beta", NULL);
	*state = &w;
	if (!IS_ERR(w.a) && !IS_ERR(w.b))
		return 0;
	verbena_fabric_free(w.fabric);
	return -1;
}

static int teardown(void **state)
{
	struct world *w = *state;

	verbena_fabric_free(w->fabric);
	return 0;
}

static void verbena_fabric_new__refuses_a_rate_above_a_million(void **state)
{
	const struct verbena_fabric_options options = {.faults = {.drop_ppm = 1000001}};
	struct verbena_fabric *fabric = verbena_fabric_new(&options);

	(void)state;
	assert_true(IS_ERR(fabric));
	if (PTR_ERR(fabric) == -ENOMEM) /* torture */
		fail();
	assert_int_equal(PTR_ERR(fabric), -EINVAL);
	assert_string_equal(verbena_cause_name(verbena_last_cause_id()), "FABRIC_FAULT_RATE");
	assert_non_null(strstr(verbena_last_cause(), "1000001"));
}

static void verbena_host_add__gives_an_active_port_with_a_lid(void **state)
{
	struct world *w = *state;
	struct ib_port_attr a, b;
	union ib_gid gid;

	assert_int_equal(ib_query_port(w->a, 1, &a), 0);
	assert_int_equal(ib_query_port(w->b, 1, &b), 0);
	assert_int_equal(a.state, IB_PORT_ACTIVE);
	assert_true(a.lid && b.lid && a.lid != b.lid);
	assert_int_equal(a.active_mtu, IB_MTU_4096);
	assert_int_equal(rdma_query_gid(w->a, 1, 0, &gid), 0);
	assert_int_equal(be64_to_cpu(gid.global.subnet_prefix), 0xfe80000000000000);
	assert_int_equal(gid.global.interface_id, w->a->node_guid);
	assert_memory_equal(w->a->node_desc, "alpha", 5);
}

static void verbena_host_add__refusals(void **state)
{
	struct world *w = *state;
	struct ib_port_attr port;
	struct verbena_host_options o = {.lmc = 8};
	char long_name[42];

	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(PTR_ERR(verbena_host_add(w->fabric, "c", &o)), -EINVAL);
	assert_int_equal(PTR_ERR(verbena_host_add(w->fabric, "", NULL)), -EINVAL);
	assert_int_equal(PTR_ERR(verbena_host_add(w->fabric, NULL, NULL)), -EINVAL);
	assert_int_equal(PTR_ERR(verbena_host_add(w->fabric, long_name, NULL)), -EINVAL);
	o = (struct verbena_host_options){.mtu = (enum ib_mtu)6};
	assert_int_equal(PTR_ERR(verbena_host_add(w->fabric, "c", &o)), -EINVAL);
	o = (struct verbena_host_options){.pkey_count = 1};
	assert_int_equal(PTR_ERR(verbena_host_add(w->fabric, "c", &o)), -EINVAL);
	ib_query_port(w->a, 1, &port);
	o = (struct verbena_host_options){.lid = (uint16_t)port.lid};
	assert_int_equal(PTR_ERR(verbena_host_add(w->fabric, "c", &o)), -EEXIST);
	o = (struct verbena_host_options){.node_guid = be64_to_cpu(w->b->node_guid)};
	assert_int_equal(PTR_ERR(verbena_host_add(w->fabric, "c", &o)), -EEXIST);
	o = (struct verbena_host_options){.device_name = w->a->name};
	assert_int_equal(PTR_ERR(verbena_host_add(w->fabric, "c", &o)), -ENFILE);
}

/* Names are not cut: a shorter one would be another device's. */
static void verbena_host_add__name_of_a_device_has_at_most_63_characters(void **state)
{
	struct world *w = *state;
	char name[80];
	const struct verbena_host_options o = {.device_name = name};
	struct ib_device *device;

	memset(name, 'n', sizeof(name));
	name[64] = '\0';
	assert_int_equal(PTR_ERR(verbena_host_add(w->fabric, "c", &o)), -EINVAL);
	assert_string_equal(verbena_cause_name(verbena_last_cause_id()), "DEVICE_NAME_BAD");
	name[63] = '\0';
	device = verbena_host_add(w->fabric, "c", &o);
	assert_false(IS_ERR(device));
	assert_string_equal(device->name, name);
}

struct seen {
	struct ib_event_handler handler;
	enum ib_event_type types[4];
	int count;
};

static void on_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct seen *seen = container_of(handler, struct seen, handler);

	if (seen->count < 4)
		seen->types[seen->count] = event->event;
	__atomic_fetch_add(&seen->count, 1, __ATOMIC_SEQ_CST);
	base_wake();
}

static bool saw_two(void *arg)
{
	return __atomic_load_n(&((struct seen *)arg)->count, __ATOMIC_SEQ_CST) >= 2;
}

static void verbena_port_set_link__raises_events_once(void **state)
{
	struct world *w = *state;
	struct ib_port_attr port;
	static struct seen seen; /* the device forgets it, if an assertion ends the test */

	seen.count = 0;
	INIT_IB_EVENT_HANDLER(&seen.handler, w->a, on_event);
	ib_register_event_handler(&seen.handler);
	assert_int_equal(verbena_port_set_link(w->a, 2, false), -EINVAL);
	assert_int_equal(verbena_port_set_link(w->a, 1, false), 0);
	assert_int_equal(verbena_port_set_link(w->a, 1, false), 0);
	assert_int_equal(ib_query_port(w->a, 1, &port), 0);
	assert_int_equal(port.state, IB_PORT_DOWN);
	assert_int_equal(verbena_port_set_link(w->a, 1, true), 0);
	assert_true(base_wait_until(saw_two, &seen, 10000000000u));
	ib_unregister_event_handler(&seen.handler);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.types[0], IB_EVENT_PORT_ERR);
	assert_int_equal(seen.types[1], IB_EVENT_PORT_ACTIVE);
}

static void verbena_fabric_faults__are_checked(void **state)
{
	struct world *w = *state;
	const struct verbena_faults bad = {.reorder_ppm = 2000000}, good = {.drop_ppm = 5};

	assert_int_equal(verbena_fabric_faults(w->fabric, &bad), -EINVAL);
	assert_int_equal(verbena_fabric_faults(w->fabric, &good), 0);
	assert_int_equal(verbena_fabric_faults(w->fabric, NULL), 0);
}

static void verbena_fabric_stats__start_at_zero(void **state)
{
	struct world *w = *state;
	struct verbena_stats stats;

	memset(&stats, 0xff, sizeof(stats));
	verbena_fabric_stats(w->fabric, &stats);
	assert_int_equal(stats.packets + stats.bytes + stats.dropped + stats.retransmitted, 0);
}

static void verbena_host_remove__tells_the_clients(void **state)
{
	struct world *w = *state;
	struct ib_device *c = verbena_host_add(w->fabric, "gamma", NULL);
	char name[IB_DEVICE_NAME_MAX];

	assert_false(IS_ERR(c));
	memcpy(name, c->name, sizeof(name));
	verbena_host_remove(c);
	assert_null(ib_device_get_by_name(name, RDMA_DRIVER_UNKNOWN));
}

/* What a program has when the host that it is on is unplugged. */
struct left {
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_mr *mr;
	struct ib_qp *qp, *peer;
	char memory[64];
};

static struct ib_qp *make_qp(struct ib_pd *pd, struct ib_cq *cq)
{
	struct ib_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1},
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
	};

	return ib_create_qp(pd, &attr);
}

static void destroy_left(struct left *l)
{
	if (!IS_ERR_OR_NULL(l->qp))
		assert_int_equal(ib_destroy_qp(l->qp), 0);
	if (!IS_ERR_OR_NULL(l->peer))
		assert_int_equal(ib_destroy_qp(l->peer), 0);
	if (!IS_ERR_OR_NULL(l->mr))
		assert_int_equal(ib_dereg_mr(l->mr), 0);
	if (!IS_ERR_OR_NULL(l->cq))
		ib_destroy_cq(l->cq);
	if (!IS_ERR_OR_NULL(l->pd))
		ib_dealloc_pd(l->pd);
	*l = (struct left){.pd = NULL};
}

/* Two connected QPs on @device; on one a receive and a SEND are posted that nobody takes. */
static void make_left(struct left *l, struct ib_device *device)
{
	const struct ib_cq_init_attr cq_attr = {.cqe = 16};
	struct ib_qp_attr sqd = {.qp_state = IB_QPS_SQD};
	struct ib_sge sge = {.addr = (uintptr_t)l->memory, .length = sizeof(l->memory)};
	const struct ib_recv_wr recv = {.wr_id = 1, .sg_list = &sge, .num_sge = 1};
	const struct ib_send_wr send = {
		.wr_id = 2, .sg_list = &sge, .num_sge = 1, .opcode = IB_WR_SEND};

	l->pd = ib_alloc_pd(device, 0);
	assert_false(IS_ERR(l->pd));
	l->cq = ib_create_cq(device, NULL, NULL, NULL, &cq_attr);
	assert_false(IS_ERR(l->cq));
	l->mr = ib_reg_user_mr(l->pd, sge.addr, sge.length, sge.addr, IB_ACCESS_LOCAL_WRITE);
	assert_false(IS_ERR(l->mr));
	sge.lkey = l->mr->lkey;
	l->qp = make_qp(l->pd, l->cq);
	assert_false(IS_ERR(l->qp));
	l->peer = make_qp(l->pd, l->cq);
	assert_false(IS_ERR(l->peer));
	assert_int_equal(verbena_qp_connect(l->qp, l->peer, NULL), 0);
	assert_int_equal(ib_modify_qp(l->qp, &sqd, IB_QP_STATE), 0);
	assert_int_equal(ib_post_recv(l->qp, &recv, NULL), 0);
	assert_int_equal(ib_post_send(l->qp, &send, NULL), 0); /* is held */
}

static void check_flushed(struct left *l)
{
	unsigned int seen = 0;
	struct ib_wc wc;

	while (ib_poll_cq(l->cq, 1, &wc) == 1) {
		assert_int_equal(wc.status, IB_WC_WR_FLUSH_ERR);
		assert_string_equal(verbena_cause_name(wc.vendor_err), "DEVICE_REMOVED");
		seen |= 1u << wc.wr_id;
	}
	assert_int_equal(seen, 1u << 1 | 1u << 2);
}

static void remove_with_objects(struct world *w, struct left *l)
{
	const struct ib_send_wr send = {.wr_id = 3, .opcode = IB_WR_SEND};
	struct ib_device *c = verbena_host_add(w->fabric, "gamma", NULL);

	assert_false(IS_ERR(c));
	make_left(l, c);
	verbena_host_remove(c);
	check_flushed(l);
	assert_int_equal(ib_post_send(l->qp, &send, NULL), -ENODEV);
}

static struct left left;

static void verbena_host_remove__what_is_left_is_flushed_and_destroyed(void **state)
{
	remove_with_objects(*state, &left);
	destroy_left(&left);
}

static void verbena_fabric_free__what_is_left_is_destroyed_later(void **state)
{
	struct world *w = *state;

	make_left(&left, w->a);
	verbena_fabric_free(w->fabric);
	w->fabric = NULL;
	check_flushed(&left);
	destroy_left(&left);
}

static int teardown_left(void **state)
{
	destroy_left(&left);
	return teardown(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(verbena_fabric_new__refuses_a_rate_above_a_million),
	TEST(verbena_host_add__gives_an_active_port_with_a_lid),
	TEST(verbena_host_add__refusals),
	TEST(verbena_host_add__name_of_a_device_has_at_most_63_characters),
	TEST(verbena_port_set_link__raises_events_once),
	TEST(verbena_fabric_faults__are_checked),
	TEST(verbena_fabric_stats__start_at_zero),
	TEST(verbena_host_remove__tells_the_clients),
	cmocka_unit_test_setup_teardown(verbena_host_remove__what_is_left_is_flushed_and_destroyed,
					setup, teardown_left),
	cmocka_unit_test_setup_teardown(verbena_fabric_free__what_is_left_is_destroyed_later, setup,
					teardown_left),
};

int main(void)
{
	return verbena_test_main(tests);
}
