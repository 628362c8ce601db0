// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Two processes on hosts of a fabric that has a topology. */
#include <poll.h>
#include <rdma/ib_cache.h>
#include <sched.h>
#include <stdio.h>

#include "attach/socket.h"
#include "attach/start.h"
#include "attached_fixture.h"
#include "base/cause.h"
#include "base/fd.h"
#include "fabric/topology.h"

/* A fabric with a topology: the ports are those of its hosts. */
static int start_managed(void **state)
{
	struct topology *pair;
	char path[128];
	FILE *out;

	test_skip_in_torture();
	if (start(state))
		return -1;
	snprintf(path, sizeof(path), "%s/topology", run_dir_path());
	out = fopen(path, "w");
	pair = topology_pair();
	if (!out || !pair)
		return -1;
	topology_write(pair, NULL, NULL, out);
	topology_free(pair);
	if (fclose(out) || attach_up("test", path) || unlink(path))
		return -1;
	return 0;
}

/* What a person says. */
static int command(enum attach_fabric what, const char *node)
{
	struct attach_message m = {.type = ATTACH_FABRIC};
	const int fd = attach_connect("test");
	struct pollfd polled = {.fd = fd, .events = POLLIN};
	int fds[ATTACH_FDS], ret;

	m.fabric.what = what;
	snprintf(m.fabric.node, sizeof(m.fabric.node), "%s", node);
	m.fabric.port = 1;
	ret = attach_send(fd, &m, NULL, 0);
	if (!ret && poll(&polled, 1, -1) == 1)
		ret = attach_receive(fd, &m, fds);
	base_fd_close(fd);
	if (ret)
		return ret;
	attach_close_all(fds);
	return m.status;
}

static int stop_managed(void **state)
{
	return command(ATTACH_FABRIC_DOWN, "") ? -1 : stop(state);
}

static const char *managed_host(int which)
{
	return which ? "host-1" : "host-0";
}

static void look(int which)
{
	struct ib_port_attr port;
	union ib_gid gid;
	u16 pkey;

	open_end(managed_host(which), IB_QPT_RC);
	INVARIANT(!ib_query_port(end.device, 1, &port) && port.state == IB_PORT_ACTIVE);
	INVARIANT(port.phys_state == IB_PORT_PHYS_STATE_LINK_UP);
	INVARIANT(port.lid && port.sm_lid && port.lid == end.own.lid);
	INVARIANT(end.own.lid != end.other.lid);
	INVARIANT(be64_to_cpu(end.device->node_guid) == 0x0200560100000000u + 256u * (u32)which);
	INVARIANT(!rdma_query_gid(end.device, 1, 0, &gid));
	INVARIANT(be64_to_cpu(gid.global.interface_id) == be64_to_cpu(end.device->node_guid) + 1);
	INVARIANT(!ib_query_pkey(end.device, 1, 0, &pkey) && pkey == 0xffff);
	connect_end();
	if (which)
		post_receive(BYTES);
	meet();
	if (which) {
		expect(IB_WC_RECV);
	} else {
		post(IB_WR_SEND, BYTES);
		expect(IB_WC_SEND);
	}
	meet();
	close_end();
}

static void process__on_a_host_of_the_topology(void **state)
{
	(void)state;
	in_two(look);
}

struct heard {
	struct ib_event_handler handler;
	unsigned int errors; /* atomic */
	unsigned int active; /* atomic */
};

static void hear(struct ib_event_handler *of, struct ib_event *event)
{
	struct heard *h = container_of(of, struct heard, handler);

	if (event->event == IB_EVENT_PORT_ERR)
		__atomic_fetch_add(&h->errors, 1, __ATOMIC_RELAXED);
	if (event->event == IB_EVENT_PORT_ACTIVE)
		__atomic_fetch_add(&h->active, 1, __ATOMIC_RELAXED);
}

static void await_count(const unsigned int *count, unsigned int least)
{
	while (__atomic_load_n(count, __ATOMIC_RELAXED) < least)
		sched_yield();
}

static enum ib_port_state state_of_port(void)
{
	struct ib_port_attr port;

	INVARIANT(!ib_query_port(end.device, 1, &port));
	return port.state;
}

/* One's cable is cut, and mended: the other hears nothing of it. */
static void lose_cable(int which)
{
	struct heard heard = {.errors = 0};

	open_end(managed_host(which), IB_QPT_RC);
	INIT_IB_EVENT_HANDLER(&heard.handler, end.device, hear);
	ib_register_event_handler(&heard.handler);
	meet();
	if (!which) {
		INVARIANT(!command(ATTACH_FABRIC_CUT, "host-0"));
		await_count(&heard.errors, 1);
		INVARIANT(state_of_port() == IB_PORT_DOWN);
		INVARIANT(!command(ATTACH_FABRIC_MEND, "host-0"));
		await_count(&heard.active, 1);
		INVARIANT(state_of_port() == IB_PORT_ACTIVE);
		INVARIANT(!command(ATTACH_FABRIC_KILL, "host-0"));
		await_count(&heard.errors, 2);
		INVARIANT(!command(ATTACH_FABRIC_START, "host-0"));
		await_count(&heard.active, 2);
	}
	meet();
	INVARIANT(heard.errors == (which ? 0 : 2) && heard.active == heard.errors);
	ib_unregister_event_handler(&heard.handler);
	close_end();
}

static void process__hears_of_its_cable(void **state)
{
	(void)state;
	in_two(lose_cable);
}

static void process__is_not_on_the_topology(void **state)
{
	static struct device_host_profile profile = {.count = 1};

	(void)state;
	device_profile_init(&profile.hca[0], VERBENA_PERSONALITY_NONE);
	assert_true(IS_ERR(device_attached_new("test", "nobody", &profile)));
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_TOPOLOGY_HOSTS);
	assert_int_equal(attach_up("test", "/dev/null"), -EEXIST);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_FABRIC_IS_UP);
}

static void attach_up__says_why_not(void **state)
{
	(void)state;
	assert_int_equal(attach_up("test", "/nowhere"), -ENOENT);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_TOPOLOGY_FILE);
	assert_int_equal(attach_up("no/name", "/nowhere"), -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_ATTACH_FABRIC_NAME);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start_managed, stop_managed)

static const struct CMUnitTest tests[] = {
	TEST(process__on_a_host_of_the_topology),
	TEST(process__hears_of_its_cable),
	TEST(process__is_not_on_the_topology),
	cmocka_unit_test_setup_teardown(attach_up__says_why_not, start, stop),
};

int main(void)
{
	return verbena_test_main(tests);
}
