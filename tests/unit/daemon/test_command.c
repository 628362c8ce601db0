// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What people want of a fabric: to see it, to break it, to end it. */
#include <jansson.h>
#include <rdma/ib_verbs.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "managed_fixture.h"

#define LONG_NS 10000000000u

static int start_ring(void **state)
{
	test_skip_in_torture(); /* two threads allocate */
	if (start_dir(state))
		return -1;
	write_topology(topology_ring(4));
	return start_server();
}

/* Its answer is in c->m; the caller closes c. */
static void ask(struct client *c, enum attach_fabric what, const char *node, uint32_t port,
		uint64_t value)
{
	struct attach_message m = {.type = ATTACH_FABRIC, .serial = 9};

	m.fabric.what = what;
	m.fabric.port = port;
	m.fabric.value = value;
	snprintf(m.fabric.node, sizeof(m.fabric.node), "%s", node);
	connect_client(c);
	assert_int_equal(attach_send(c->fd, &m, NULL, 0), 0);
	assert_int_equal(hear(c), 0);
	assert_int_equal(c->m.serial, 9);
}

static void done(enum attach_fabric what, const char *node, uint32_t port, uint64_t value)
{
	struct client c;

	ask(&c, what, node, port, value);
	assert_int_equal(c.m.type, ATTACH_DONE);
	assert_int_equal(c.m.status, 0);
	detach_client(&c);
}

static void refused(enum attach_fabric what, const char *node, uint32_t port, uint64_t value,
		    unsigned int cause)
{
	struct client c;

	ask(&c, what, node, port, value);
	assert_int_equal(c.m.type, ATTACH_DONE);
	assert_true(c.m.status < 0);
	assert_int_equal(c.m.cause.id, cause);
	detach_client(&c);
}

static json_t *show(const char *node)
{
	struct client c;
	json_t *all;

	ask(&c, ATTACH_FABRIC_SHOW, node, 0, 0);
	assert_int_equal(c.m.type, ATTACH_FABRIC_IS);
	assert_int_equal(lseek(c.fds[0], 0, SEEK_SET), 0);
	all = json_loadfd(c.fds[0], 0, NULL);
	assert_non_null(all);
	detach_client(&c);
	return all;
}

/* Port @n of the only node, in the order of the list. */
static json_t *port_of(const json_t *all, size_t n)
{
	return json_array_get(
		json_object_get(json_array_get(json_object_get(all, "nodes"), 0), "ports"), n);
}

static const char *text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static long long number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static bool has_state(const char *node, size_t n, const char *state)
{
	json_t *all = show(node);
	const bool has = !strcmp(text(port_of(all, n), "state"), state);

	json_decref(all);
	return has;
}

/* The manager sees to it. */
static void becomes(const char *node, size_t n, const char *state)
{
	const uint64_t end_ns = base_clock_ns() + LONG_NS;

	while (!has_state(node, n, state))
		if (base_clock_ns() > end_ns)
			fail_msg("%s does not become %s", node, state);
}

static void show__nodes_with_their_ports(void **state)
{
	json_t *all = show(""), *one = show("h-2-0-0"), *sw = show("s-1-0-0");
	const json_t *port = port_of(one, 0);

	(void)state;
	assert_int_equal(json_array_size(json_object_get(all, "nodes")), 8);
	assert_int_equal(number(all, "cables"), 8);
	assert_int_equal(json_array_size(json_object_get(one, "nodes")), 1);
	assert_string_equal(text(port, "state"), "ACTIVE");
	assert_string_equal(text(port, "physical"), "LINK_UP");
	assert_in_range(number(port, "lid"), 1, 0xbfff);
	assert_string_equal(text(json_object_get(port, "peer"), "name"), "s-2-0-0");
	assert_false(json_is_true(json_object_get(port, "cut")));
	assert_true(number(json_object_get(port, "counters"), "xmit_packets") >= 0);
	port = port_of(sw, 0);
	assert_int_equal(number(port, "number"), 0);
	assert_null(json_object_get(port, "peer"));
	json_decref(all);
	json_decref(one);
	assert_int_equal(json_array_size(json_object_get(
				 json_array_get(json_object_get(sw, "nodes"), 0), "ports")),
			 4); /* port 0, and those with a cable */
	json_decref(sw);
	refused(ATTACH_FABRIC_SHOW, "s-9-0-0", 0, 0, BASE_CAUSE_TOPOLOGY_NO_NODE);
}

static void link__is_cut_and_mended(void **state)
{
	struct client a;

	(void)state;
	attach_client(&a, "h-0-0-0");
	done(ATTACH_FABRIC_CUT, "h-0-0-0", 1, 0);
	assert_int_equal(hear_port(&a), SUBNET_CHANGED_STATE);
	assert_false(a.m.link.up);
	done(ATTACH_FABRIC_CUT, "h-0-0-0", 1, 0); /* it is, already */
	assert_true(has_state("h-0-0-0", 0, "DOWN"));
	done(ATTACH_FABRIC_MEND, "h-0-0-0", 1, 0);
	do
		(void)hear_port(&a);
	while (!a.m.link.up);
	assert_int_equal(view_of(&a, 0).port.state, IB_PORT_ACTIVE);
	detach_client(&a);
}

static void link__loses_packets_and_is_late(void **state)
{
	const json_t *port;
	json_t *all;

	(void)state;
	done(ATTACH_FABRIC_LOSS, "h-1-0-0", 1, 1000);
	done(ATTACH_FABRIC_DELAY, "h-1-0-0", 1, 3000);
	all = show("h-1-0-0");
	port = port_of(all, 0);
	assert_int_equal(number(port, "loss_ppm"), 1000);
	assert_int_equal(number(port, "delay_ns"), 3000);
	json_decref(all);
	done(ATTACH_FABRIC_MEND, "h-1-0-0", 1, 0);
	all = show("h-1-0-0");
	assert_int_equal(number(port_of(all, 0), "loss_ppm"), 0);
	json_decref(all);
	refused(ATTACH_FABRIC_LOSS, "h-1-0-0", 1, 1000001, BASE_CAUSE_FABRIC_VALUE);
	refused(ATTACH_FABRIC_DELAY, "h-1-0-0", 1, UINT64_MAX, BASE_CAUSE_FABRIC_VALUE);
}

static void link__there_must_be_one(void **state)
{
	(void)state;
	refused(ATTACH_FABRIC_CUT, "nobody", 1, 0, BASE_CAUSE_TOPOLOGY_NO_NODE);
	refused(ATTACH_FABRIC_CUT, "", 1, 0, BASE_CAUSE_TOPOLOGY_NO_NODE);
	refused(ATTACH_FABRIC_CUT, "h-1-0-0", 0, 0, BASE_CAUSE_TOPOLOGY_NO_CABLE);
	refused(ATTACH_FABRIC_CUT, "h-1-0-0", 2, 0, BASE_CAUSE_TOPOLOGY_NO_CABLE);
	refused(ATTACH_FABRIC_CUT, "s-1-0-0", 257, 0, BASE_CAUSE_TOPOLOGY_NO_CABLE);
}

/* Two reasons why it is down: both have to go. */
static void host__has_no_power(void **state)
{
	struct client a;

	(void)state;
	attach_client(&a, "h-3-0-0");
	done(ATTACH_FABRIC_KILL, "h-3-0-0", 0, 0);
	assert_int_equal(hear_port(&a), SUBNET_CHANGED_STATE);
	assert_false(a.m.link.up);
	done(ATTACH_FABRIC_CUT, "h-3-0-0", 1, 0);
	done(ATTACH_FABRIC_START, "h-3-0-0", 0, 0);
	assert_true(has_state("h-3-0-0", 0, "DOWN"));
	done(ATTACH_FABRIC_MEND, "h-3-0-0", 1, 0);
	becomes("h-3-0-0", 0, "ACTIVE");
	detach_client(&a);
	refused(ATTACH_FABRIC_KILL, "s-1-0-0", 0, 0, BASE_CAUSE_TOPOLOGY_HOSTS);
	refused(ATTACH_FABRIC_KILL, "", 0, 0, BASE_CAUSE_TOPOLOGY_HOSTS);
}

/* Ports that are down when the next manager looks keep their LIDs all the same. */
static void successor__knows_what_is_broken(void **state)
{
	struct attach_message m;
	struct client a;
	uint16_t lid;
	json_t *all;

	(void)state;
	attach_client(&a, "h-2-0-0");
	lid = view_of(&a, 0).port.lid;
	m = claim_of(&a);
	done(ATTACH_FABRIC_LOSS, "h-1-0-0", 1, 70);
	done(ATTACH_FABRIC_KILL, "h-0-0-0", 0, 0);
	done(ATTACH_FABRIC_CUT, "s-2-0-0", 7, 0); /* host-2's */
	stop_server();
	topology = NULL;
	assert_int_equal(start_server(), 0);
	close(a.fd);
	a.fd = attach_connect("test");
	send_hello(&a, &m, "any");
	assert_int_equal(hear(&a), 0);
	assert_int_equal(a.m.type, ATTACH_WELCOME);
	attach_close_all(a.fds);
	all = show("h-1-0-0");
	assert_int_equal(number(port_of(all, 0), "loss_ppm"), 70);
	json_decref(all);
	assert_true(has_state("h-0-0-0", 0, "DOWN"));
	assert_int_equal(view_of(&a, 0).port.state, IB_PORT_DOWN);
	assert_int_equal(view_of(&a, 0).port.lid, lid);
	done(ATTACH_FABRIC_MEND, "s-2-0-0", 7, 0);
	becomes("h-2-0-0", 0, "ACTIVE");
	assert_int_equal(view_of(&a, 0).port.lid, lid);
	done(ATTACH_FABRIC_START, "h-0-0-0", 0, 0);
	becomes("h-0-0-0", 0, "ACTIVE");
	detach_client(&a);
}

static bool is_there(const char *suffix)
{
	char path[160];
	struct stat st;

	snprintf(path, sizeof(path), "%s/verbena/test.sock%s", run_dir_path(), suffix);
	return !stat(path, &st);
}

static void end_server(void)
{
	pthread_join(thread, NULL);
	server_free(server);
	server = NULL;
}

static void down__leaves_nothing(void **state)
{
	struct client a;

	(void)state;
	attach_client(&a, "h-0-0-0");
	refused(ATTACH_FABRIC_DOWN, "", 0, 0, BASE_CAUSE_FABRIC_ATTACHED);
	done(ATTACH_FABRIC_CUT, "s-2-0-0", 1, 0);
	assert_true(is_there(".topology") && is_there(".broken"));
	done(ATTACH_FABRIC_DOWN, "", 0, 1);
	end_server();
	assert_int_equal(hear(&a), 0); /* there is to be no other */
	assert_int_equal(a.m.type, ATTACH_REFUSED);
	assert_int_equal(a.m.cause.id, BASE_CAUSE_FABRIC_DOWN);
	detach_client(&a);
	assert_false(is_there(".topology") || is_there(".broken") || is_there(".directory") ||
		     is_there(".lock") || is_there(""));
}

static void plain__has_nothing_to_show(void **state)
{
	(void)state;
	refused(ATTACH_FABRIC_SHOW, "", 0, 0, BASE_CAUSE_FABRIC_PLAIN);
	refused(ATTACH_FABRIC_CUT, "a", 1, 0, BASE_CAUSE_FABRIC_PLAIN);
	done(ATTACH_FABRIC_DOWN, "", 0, 0);
	end_server();
}

static void nonsense__is_refused(void **state)
{
	struct attach_message m = {.type = ATTACH_FABRIC};
	struct client c;

	(void)state;
	refused((enum attach_fabric)77, "s-1-0-0", 1, 0, BASE_CAUSE_NOT_SUPPORTED);
	memset(m.fabric.node, 'a', sizeof(m.fabric.node));
	connect_client(&c);
	assert_int_equal(attach_send(c.fd, &m, NULL, 0), 0);
	assert_int_equal(hear(&c), -ECONNRESET);
	detach_client(&c);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start_ring, stop_all)

static const struct CMUnitTest tests[] = {
	TEST(show__nodes_with_their_ports),
	TEST(link__is_cut_and_mended),
	TEST(link__loses_packets_and_is_late),
	TEST(link__there_must_be_one),
	TEST(host__has_no_power),
	TEST(successor__knows_what_is_broken),
	TEST(down__leaves_nothing),
	cmocka_unit_test_setup_teardown(plain__has_nothing_to_show, start, stop_all),
	TEST(nonsense__is_refused),
};

int main(void)
{
	return verbena_test_main(tests);
}
