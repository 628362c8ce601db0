// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* A fabric that is a subnet: devices on its hosts, data by its tables, links that break. */
#include <errno.h>
#include <fcntl.h>
#include <linux/err.h>
#include <rdma/ib_cache.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <verbena/verbena.h>

#include "base/cause.h"
#include "base/clock.h"
#include "base/host.h"
#include "cli/pair.h"
#include "common/test.h"
#include "fabric/topology.h"

#define LONG_NS 20000000000u

static struct verbena_fabric *fabric;

static char *text_of(struct topology *t)
{
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(t);
	assert_non_null(out);
	topology_write(t, NULL, NULL, out);
	fclose(out);
	topology_free(t);
	return text;
}

static void make_seeded(struct topology *t, uint64_t seed)
{
	char *text = text_of(t);
	const struct verbena_fabric_options options = {.topology = text, .faults = {.seed = seed}};

	fabric = verbena_fabric_new(&options);
	free(text);
	if (IS_ERR(fabric))
		fail_msg("%s", verbena_last_cause());
}

static void make(struct topology *t)
{
	make_seeded(t, 0);
}

static int teardown(void **state)
{
	(void)state;
	verbena_fabric_free(fabric);
	fabric = NULL;
	return 0;
}

static struct ib_device *host(const char *name)
{
	struct ib_device *device = verbena_host_add(fabric, name, NULL);

	if (IS_ERR(device))
		fail_msg("%s: %s", name, verbena_last_cause());
	return device;
}

static void managed__ports_are_those_of_the_topology(void **state)
{
	struct ib_port_attr a, b;
	struct ib_device *device;
	union ib_gid gid;

	(void)state;
	make(topology_pair());
	device = host("host-0");
	assert_int_equal(ib_query_port(device, 1, &a), 0);
	assert_int_equal(a.state, IB_PORT_ACTIVE);
	assert_int_equal(a.phys_state, IB_PORT_PHYS_STATE_LINK_UP);
	assert_int_equal(a.active_mtu, IB_MTU_4096);
	assert_in_range(a.sm_lid, 1, 0xbfff);
	assert_int_equal(ib_query_port(host("host-1"), 1, &b), 0);
	assert_int_not_equal(a.lid, b.lid);
	assert_int_equal(a.sm_lid, b.sm_lid);
	assert_int_equal(be64_to_cpu(device->node_guid), 0x0200560100000000);
	assert_int_equal(rdma_query_gid(device, 1, 0, &gid), 0);
	assert_int_equal(be64_to_cpu(gid.global.subnet_prefix), 0xfe80000000000000);
	assert_int_equal(be64_to_cpu(gid.global.interface_id), 0x0200560100000001);
}

static void managed__hosts_are_those_of_the_topology(void **state)
{
	struct ib_device *device;

	(void)state;
	make(topology_pair());
	device = host("host-0");
	assert_int_equal(PTR_ERR(verbena_host_add(fabric, "host-0", NULL)), -ENOENT);
	assert_string_equal(verbena_cause_name(verbena_last_cause_id()), "TOPOLOGY_NO_HOST");
	assert_int_equal(PTR_ERR(verbena_host_add(fabric, "host", NULL)), -ENOENT);
	assert_int_equal(PTR_ERR(verbena_host_add(fabric, "sw-0", NULL)), -ENOENT);
	verbena_host_remove(device);
	(void)host("host-0");
}

static void managed__refuses_what_is_no_topology(void **state)
{
	struct verbena_fabric_options options = {.topology = "Switch 8 \"a\"\n[1] \"b\"[1]\n"};

	(void)state;
	assert_int_equal(PTR_ERR(verbena_fabric_new(&options)), -EINVAL);
	assert_string_equal(verbena_cause_name(verbena_last_cause_id()), "TOPOLOGY");
	assert_non_null(strstr(verbena_last_cause(), "line 2"));
	options.topology = "Ca 1 \"a\"\n[1] \"b\"[1]\nCa 1 \"b\"\n";
	assert_int_equal(PTR_ERR(verbena_fabric_new(&options)), -EINVAL);
	assert_string_equal(verbena_cause_name(verbena_last_cause_id()), "TOPOLOGY_NO_SWITCH");
	options.topology = "caguid=0x1\nCa 1 \"a\"\n[1] \"s\"[1]\ncaguid=0x1\nCa 1 \"b\"\n[1] "
			   "\"s\"[2]\nSwitch 4 \"s\"\n";
	assert_int_equal(PTR_ERR(verbena_fabric_new(&options)), -EEXIST);
}

struct wait {
	struct ib_cq *cq;
	struct ib_wc wc;
};

static bool is_complete(void *arg)
{
	struct wait *w = arg;

	return ib_poll_cq(w->cq, 1, &w->wc) == 1;
}

static enum ib_wc_status wait_for(struct pair_side *side)
{
	struct wait w = {.cq = side->cq};

	if (!base_wait_until(is_complete, &w, LONG_NS))
		fail_msg("nothing completes");
	return w.wc.status;
}

static uint8_t bytes_of[2][8192];

static void post(struct pair_side *from, struct pair_side *to, uint32_t bytes, struct ib_mr *mr[2])
{
	struct ib_sge sge;
	const struct ib_recv_wr recv = {.sg_list = &sge, .num_sge = 1};
	const struct ib_send_wr send = {.sg_list = &sge,
					.num_sge = 1,
					.opcode = IB_WR_SEND,
					.send_flags = IB_SEND_SIGNALED};

	for (int i = 0; i < 2; i++) {
		mr[i] = ib_reg_user_mr(i ? to->pd : from->pd, (uintptr_t)bytes_of[i], bytes,
				       (uintptr_t)bytes_of[i], IB_ACCESS_LOCAL_WRITE);
		assert_false(IS_ERR(mr[i]));
	}
	sge = (struct ib_sge){(uintptr_t)bytes_of[1], bytes, mr[1]->lkey};
	assert_int_equal(ib_post_recv(to->qp, &recv, NULL), 0);
	sge = (struct ib_sge){(uintptr_t)bytes_of[0], bytes, mr[0]->lkey};
	assert_int_equal(ib_post_send(from->qp, &send, NULL), 0);
}

static enum ib_wc_status send_one(struct pair *pair, uint32_t bytes)
{
	struct ib_mr *mr[2];
	enum ib_wc_status status;

	memset(bytes_of[0], 0x5a, bytes);
	memset(bytes_of[1], 0, bytes);
	post(&pair->side[0], &pair->side[1], bytes, mr);
	status = wait_for(&pair->side[0]);
	if (!status) {
		assert_int_equal(wait_for(&pair->side[1]), IB_WC_SUCCESS);
		assert_memory_equal(bytes_of[0], bytes_of[1], bytes);
	}
	for (int i = 0; i < 2; i++)
		ib_dereg_mr(mr[i]);
	return status;
}

static struct pair open_pair(struct ib_device *a, struct ib_device *b)
{
	const struct pair_options o = {
		.depth = 16, .type = IB_QPT_RC, .mtu = IB_MTU_2048, .timeout = 14};
	struct pair pair;

	assert_int_equal(pair_open(&pair, a, b, &o), 0);
	return pair;
}

static void managed__data_goes_by_the_tables(void **state)
{
	struct pair pair;

	(void)state;
	make(topology_fat_tree(4));
	pair = open_pair(host("h-0-0-0"), host("h-3-1-1"));
	assert_int_equal(send_one(&pair, 8), IB_WC_SUCCESS);
	assert_int_equal(send_one(&pair, sizeof(bytes_of[0])), IB_WC_SUCCESS);
	pair_close(&pair);
}

struct seen {
	struct ib_event_handler handler;
	unsigned int err, active;
};

static void on_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct seen *seen = container_of(handler, struct seen, handler);

	if (event->event == IB_EVENT_PORT_ERR)
		__atomic_fetch_add(&seen->err, 1, __ATOMIC_SEQ_CST);
	if (event->event == IB_EVENT_PORT_ACTIVE)
		__atomic_fetch_add(&seen->active, 1, __ATOMIC_SEQ_CST);
	base_wake();
}

static bool is_down(void *arg)
{
	return __atomic_load_n(&((struct seen *)arg)->err, __ATOMIC_SEQ_CST) == 1;
}

static bool is_back(void *arg)
{
	return __atomic_load_n(&((struct seen *)arg)->active, __ATOMIC_SEQ_CST) == 1;
}

/* Unplugged: down at once. Plugged in: the manager hears of it, and has it Active again, with its LID. */
static void managed__the_manager_brings_a_port_back(void **state)
{
	struct ib_port_attr before, after;
	struct ib_device *a;
	struct seen seen = {.err = 0};
	struct pair pair;

	(void)state;
	make(topology_pair());
	a = host("host-0");
	pair = open_pair(a, host("host-1"));
	assert_int_equal(ib_query_port(a, 1, &before), 0);
	INIT_IB_EVENT_HANDLER(&seen.handler, a, on_event);
	ib_register_event_handler(&seen.handler);
	assert_int_equal(verbena_port_set_link(a, 1, false), 0);
	assert_true(base_wait_until(is_down, &seen, LONG_NS));
	assert_int_equal(ib_query_port(a, 1, &after), 0);
	assert_int_equal(after.state, IB_PORT_DOWN);
	assert_int_equal(verbena_port_set_link(a, 1, true), 0);
	assert_true(base_wait_until(is_back, &seen, LONG_NS));
	assert_int_equal(ib_query_port(a, 1, &after), 0);
	assert_int_equal(after.state, IB_PORT_ACTIVE);
	assert_int_equal(after.lid, before.lid);
	assert_int_equal(send_one(&pair, 8), IB_WC_SUCCESS);
	ib_unregister_event_handler(&seen.handler);
	pair_close(&pair);
}

/* What is sent meanwhile arrives when the manager has found another way. */
static void managed__a_cable_breaks(void **state)
{
	struct pair pair;

	(void)state;
	make(topology_fat_tree(4));
	pair = open_pair(host("h-0-0-0"), host("h-3-1-1"));
	for (uint32_t port = 3; port <= 4; port++) {
		assert_int_equal(verbena_fabric_set_cable(fabric, "edge-0-0", port, false), 0);
		assert_int_equal(send_one(&pair, 8), IB_WC_SUCCESS);
		assert_int_equal(verbena_fabric_set_cable(fabric, "edge-0-0", port, true), 0);
		assert_int_equal(send_one(&pair, 8), IB_WC_SUCCESS);
	}
	pair_close(&pair);
}

static bool is_active(void *arg)
{
	struct ib_port_attr attr;

	return !ib_query_port(arg, 1, &attr) && attr.state == IB_PORT_ACTIVE;
}

static void impair_all(const char *node, uint32_t ports, uint32_t loss_ppm)
{
	for (uint32_t i = 1; i <= ports; i++)
		assert_int_equal(verbena_fabric_impair_cable(fabric, node, i, loss_ppm, 0), 0);
}

static void break_and_mend(const char *node)
{
	assert_int_equal(verbena_fabric_set_cable(fabric, node, 1, false), 0);
	assert_int_equal(verbena_fabric_set_cable(fabric, node, 1, true), 0);
}

static u32 lid_of(struct ib_device *device)
{
	struct ib_port_attr attr;

	assert_int_equal(ib_query_port(device, 1, &attr), 0);
	return attr.lid;
}

/* The manager asks again, and sweeps again: of what lies behind cables that lose a third of all packets, too. */
static void managed__smps_are_lost(void **state)
{
	struct ib_device *a, *b;
	struct pair pair;
	u32 lid;

	(void)state;
	test_skip_in_torture(); /* it waits for SMPs that are lost */
	make(topology_fat_tree(4));
	a = host("h-1-1-1");
	b = host("h-3-1-1");
	lid = lid_of(a);
	impair_all("edge-1-1", 4, 333333);
	break_and_mend("h-1-1-1");
	assert_true(base_wait_until(is_active, a, LONG_NS));
	impair_all("edge-1-1", 4, 0);
	break_and_mend("h-3-1-1");
	assert_true(base_wait_until(is_active, b, LONG_NS));
	assert_int_equal(lid_of(a), lid);
	pair = open_pair(a, b);
	assert_int_equal(send_one(&pair, 8), IB_WC_SUCCESS);
	pair_close(&pair);
}

/* Others are not held up by a switch that says nothing; when it does again it has all it had. */
static void managed__a_switch_says_nothing(void **state)
{
	struct ib_device *silent, *b, *c;
	struct pair pair;
	u32 lid;

	(void)state;
	test_skip_in_torture(); /* it waits for SMPs that are lost */
	make(topology_fat_tree(4));
	silent = host("h-2-0-0");
	b = host("h-1-1-1");
	c = host("h-3-1-1");
	lid = lid_of(silent);
	impair_all("edge-2-0", 4, 1000000);
	break_and_mend("h-1-1-1");
	assert_true(base_wait_until(is_active, b, LONG_NS));
	pair = open_pair(b, c);
	assert_int_equal(send_one(&pair, 8), IB_WC_SUCCESS);
	pair_close(&pair);
	impair_all("edge-2-0", 4, 0);
	break_and_mend("h-2-0-0");
	assert_true(base_wait_until(is_active, silent, LONG_NS));
	assert_int_equal(lid_of(silent), lid);
	pair = open_pair(silent, c);
	assert_int_equal(send_one(&pair, 8), IB_WC_SUCCESS);
	pair_close(&pair);
}

static struct verbena_stats stats_of(void)
{
	struct verbena_stats stats;

	verbena_fabric_stats(fabric, &stats);
	return stats;
}

/* RC sends again what a cable has lost. */
static void verbena_fabric_impair_cable__loses(void **state)
{
	struct pair pair;

	(void)state;
	make(topology_pair());
	pair = open_pair(host("host-0"), host("host-1"));
	assert_int_equal(verbena_fabric_impair_cable(fabric, "sw-0", 2, 50000, 0), 0);
	for (int i = 0; i < 100; i++)
		assert_int_equal(send_one(&pair, sizeof(bytes_of[0])), IB_WC_SUCCESS);
	assert_true(stats_of().dropped > 0);
	assert_int_equal(verbena_fabric_impair_cable(fabric, "sw-0", 2, 0, 0), 0);
	{
		const uint64_t dropped = stats_of().dropped;

		for (int i = 0; i < 50; i++)
			assert_int_equal(send_one(&pair, 8), IB_WC_SUCCESS);
		assert_int_equal(stats_of().dropped, dropped);
	}
	pair_close(&pair);
}

static void verbena_fabric_impair_cable__is_slow(void **state)
{
	struct pair pair;
	uint64_t before_ns;

	(void)state;
	make(topology_pair());
	pair = open_pair(host("host-0"), host("host-1"));
	assert_int_equal(verbena_fabric_impair_cable(fabric, "host-1", 1, 0, 5000000), 0);
	before_ns = base_clock_ns();
	assert_int_equal(send_one(&pair, 8), IB_WC_SUCCESS);
	assert_true(base_clock_ns() - before_ns >=
		    10000000); /* there, and the acknowledgement back */
	pair_close(&pair);
}

#define MESSAGES 64u

struct outcome {
	struct wait arrives;
	uint64_t dropped_before;
	bool lost;
};

static bool is_decided(void *arg)
{
	struct outcome *o = arg;

	o->lost = stats_of().dropped > o->dropped_before;
	return o->lost || is_complete(&o->arrives);
}

/* A bit for each message that the cable has lost: UC sends none again. */
static uint64_t lost_messages(struct ib_device *a, struct ib_device *b)
{
	const struct pair_options options = {.depth = 16, .type = IB_QPT_UC, .mtu = IB_MTU_2048};
	const struct ib_send_wr send = {.opcode = IB_WR_SEND, .send_flags = IB_SEND_SIGNALED};
	const struct ib_recv_wr recv = {.num_sge = 0};
	struct outcome o = {.lost = false};
	uint64_t lost = 0;
	struct pair pair;

	assert_int_equal(pair_open(&pair, a, b, &options), 0);
	o.arrives.cq = pair.side[1].cq;
	for (uint32_t i = 0; i < MESSAGES; i++) {
		if (!o.lost)
			assert_int_equal(ib_post_recv(pair.side[1].qp, &recv, NULL), 0);
		o.dropped_before = stats_of().dropped;
		assert_int_equal(ib_post_send(pair.side[0].qp, &send, NULL), 0);
		assert_int_equal(wait_for(&pair.side[0]), IB_WC_SUCCESS);
		assert_true(base_wait_until(is_decided, &o, LONG_NS));
		lost |= (uint64_t)o.lost << i;
	}
	pair_close(&pair);
	return lost;
}

static uint64_t lost_messages_of_seed(uint64_t seed)
{
	uint64_t lost;

	make_seeded(topology_pair(), seed);
	assert_int_equal(verbena_fabric_impair_cable(fabric, "sw-0", 2, 500000, 0), 0);
	lost = lost_messages(host("host-0"), host("host-1"));
	teardown(NULL);
	return lost;
}

static void verbena_fabric_impair_cable__loses_by_the_seed(void **state)
{
	const struct verbena_faults seed_7 = {.seed = 7};
	struct ib_device *a, *b;
	uint64_t lost;

	(void)state;
	lost = lost_messages_of_seed(7);
	assert_int_not_equal(lost, 0);
	assert_int_not_equal(lost, UINT64_MAX);
	assert_int_equal(lost_messages_of_seed(7), lost);
	assert_int_not_equal(lost_messages_of_seed(8), lost);
	make(topology_pair());
	a = host("host-0");
	b = host("host-1");
	assert_int_equal(verbena_fabric_impair_cable(fabric, "sw-0", 2, 500000, 0), 0);
	assert_int_not_equal(lost_messages(a, b), lost);
	assert_int_equal(verbena_fabric_faults(fabric, &seed_7), 0);
	assert_int_equal(lost_messages(a, b), lost);
}

static void verbena_fabric_impair_cable__refusals(void **state)
{
	(void)state;
	make(topology_pair());
	assert_int_equal(verbena_fabric_impair_cable(NULL, "sw-0", 1, 0, 0), -EINVAL);
	assert_int_equal(verbena_fabric_impair_cable(fabric, NULL, 1, 0, 0), -EINVAL);
	assert_int_equal(verbena_fabric_impair_cable(fabric, "sw-1", 1, 0, 0), -ENOENT);
	assert_int_equal(verbena_fabric_impair_cable(fabric, "sw-0", 3, 0, 0), -ENOENT);
	assert_int_equal(verbena_fabric_impair_cable(fabric, "sw-0", 1, 1000001, 0), -EINVAL);
	assert_string_equal(verbena_cause_name(verbena_last_cause_id()), "FABRIC_FAULT_RATE");
	teardown(NULL);
	fabric = verbena_fabric_new(NULL);
	assert_false(IS_ERR(fabric));
	assert_int_equal(verbena_fabric_impair_cable(fabric, "sw-0", 1, 0, 0), -EINVAL);
}

static void verbena_fabric_set_cable__refusals(void **state)
{
	(void)state;
	make(topology_pair());
	assert_int_equal(verbena_fabric_set_cable(NULL, "sw-0", 1, false), -EINVAL);
	assert_int_equal(verbena_fabric_set_cable(fabric, NULL, 1, false), -EINVAL);
	assert_int_equal(verbena_fabric_set_cable(fabric, "sw-1", 1, false), -ENOENT);
	assert_int_equal(verbena_fabric_set_cable(fabric, "sw-0", 0, false), -ENOENT);
	assert_int_equal(verbena_fabric_set_cable(fabric, "sw-0", 3, false), -ENOENT);
	assert_int_equal(verbena_fabric_set_cable(fabric, "sw-0", 257, false), -ENOENT);
	assert_int_equal(verbena_fabric_set_cable(fabric, "sw-0", 1, true), 0);
	teardown(NULL);
	fabric = verbena_fabric_new(NULL);
	assert_false(IS_ERR(fabric));
	assert_int_equal(verbena_fabric_set_cable(fabric, "sw-0", 1, false), -EINVAL);
}

static long size_of(const char *path)
{
	FILE *in = fopen(path, "r");
	long bytes;

	assert_non_null(in);
	assert_int_equal(fseek(in, 0, SEEK_END), 0);
	bytes = ftell(in);
	fclose(in);
	return bytes;
}

static void verbena_fabric_capture__writes_what_is_sent(void **state)
{
	char path[] = "/tmp/verbena-capture-XXXXXX";
	const int fd = mkstemp(path);
	struct pair pair;
	long before;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	make(topology_pair());
	assert_int_equal(verbena_fabric_capture(NULL, path), -EINVAL);
	assert_int_equal(verbena_fabric_capture(fabric, "/absent/file"), -ENOENT);
	assert_string_equal(verbena_cause_name(verbena_last_cause_id()), "CAPTURE_FILE");
	assert_int_equal(verbena_fabric_capture(fabric, path), 0);
	pair = open_pair(host("host-0"), host("host-1"));
	assert_int_equal(send_one(&pair, 8), IB_WC_SUCCESS);
	assert_int_equal(verbena_fabric_capture(fabric, NULL), 0);
	before = size_of(path);
	/* The file's header, a SEND of 8 bytes and its ACK, each with 32 bytes of headers of the formats. */
	assert_int_equal(before, 24 + 32 + 8 + 12 + 8 + 6 + 32 + 8 + 12 + 4 + 6);
	assert_int_equal(send_one(&pair, 8), IB_WC_SUCCESS);
	assert_int_equal(size_of(path), before);
	assert_int_equal(verbena_fabric_capture(fabric, NULL), 0);
	pair_close(&pair);
	unlink(path);
}

/* More than what is kept before it is written. */
static void send_much(void)
{
	struct pair pair = open_pair(host("host-0"), host("host-1"));

	for (int i = 0; i < 4; i++)
		assert_int_equal(send_one(&pair, sizeof(bytes_of[0])), IB_WC_SUCCESS);
	pair_close(&pair);
}

static void verbena_fabric_capture__full_disk(void **state)
{
	(void)state;
	make(topology_pair());
	assert_int_equal(verbena_fabric_capture(fabric, "/dev/full"), 0);
	send_much();
	assert_int_equal(verbena_fabric_capture(fabric, NULL), -EIO);
	assert_int_equal(verbena_fabric_capture(fabric, NULL), 0);
}

/* Who reads the packets may end before they do. */
static void verbena_fabric_capture__pipe_that_nobody_reads(void **state)
{
	char dir[] = "/tmp/verbena-capture-XXXXXX", path[sizeof(dir) + sizeof("/pipe")];
	sigset_t pending;
	int reader;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/pipe", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(reader >= 0);
	signal(SIGPIPE, SIG_DFL);
	make(topology_pair());
	assert_int_equal(verbena_fabric_capture(fabric, path), 0);
	close(reader);
	send_much();
	assert_int_equal(verbena_fabric_capture(fabric, NULL), -EIO);
	assert_int_equal(sigpending(&pending), 0);
	assert_false(sigismember(&pending, SIGPIPE));
	unlink(path);
	rmdir(dir);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(managed__ports_are_those_of_the_topology, teardown),
	cmocka_unit_test_teardown(managed__hosts_are_those_of_the_topology, teardown),
	cmocka_unit_test(managed__refuses_what_is_no_topology),
	cmocka_unit_test_teardown(managed__data_goes_by_the_tables, teardown),
	cmocka_unit_test_teardown(managed__the_manager_brings_a_port_back, teardown),
	cmocka_unit_test_teardown(managed__a_cable_breaks, teardown),
	cmocka_unit_test_teardown(managed__smps_are_lost, teardown),
	cmocka_unit_test_teardown(managed__a_switch_says_nothing, teardown),
	cmocka_unit_test_teardown(verbena_fabric_impair_cable__loses, teardown),
	cmocka_unit_test_teardown(verbena_fabric_impair_cable__is_slow, teardown),
	cmocka_unit_test_teardown(verbena_fabric_impair_cable__loses_by_the_seed, teardown),
	cmocka_unit_test_teardown(verbena_fabric_impair_cable__refusals, teardown),
	cmocka_unit_test_teardown(verbena_fabric_set_cable__refusals, teardown),
	cmocka_unit_test_teardown(verbena_fabric_capture__writes_what_is_sent, teardown),
	cmocka_unit_test_teardown(verbena_fabric_capture__full_disk, teardown),
	cmocka_unit_test_teardown(verbena_fabric_capture__pipe_that_nobody_reads, teardown),
};

int main(void)
{
	return verbena_test_main(tests);
}
