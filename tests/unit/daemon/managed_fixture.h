/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The daemon of a fabric that has a topology, and clients of it. */
#ifndef TESTS_DAEMON_MANAGED_FIXTURE_H
#define TESTS_DAEMON_MANAGED_FIXTURE_H

#include "fabric/topology.h"
#include "server_fixture.h"

static char topology_path[128];

static void write_topology(struct topology *t)
{
	FILE *out = fopen(topology_path, "w");

	assert_non_null(t);
	assert_non_null(out);
	topology_write(t, NULL, NULL, out);
	assert_int_equal(fclose(out), 0);
	topology_free(t);
}

MAYBE void write_text(const char *text)
{
	FILE *out = fopen(topology_path, "w");

	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

static int start_dir(void **state)
{
	(void)state;
	if (run_dir_make())
		return -1;
	snprintf(topology_path, sizeof(topology_path), "%s/topology", run_dir_path());
	topology = topology_path;
	return 0;
}

MAYBE int start_pair(void **state)
{
	test_skip_in_torture(); /* two threads allocate */
	if (start_dir(state))
		return -1;
	write_topology(topology_pair());
	return start_server();
}

static int stop_all(void **state)
{
	(void)state;
	stop_server();
	server = NULL;
	topology = NULL;
	(void)unlink(topology_path);
	return run_dir_remove("test", NULL);
}

static struct directory_view view_of(const struct client *c, uint32_t port)
{
	struct directory_view view;
	const int slot = directory_slot(c->directory, c->directory->process[c->id].host, 0, port);

	assert_true(slot >= 0);
	directory_read_view(c->directory, (uint32_t)slot, &view);
	return view;
}

/* The next message about a port. */
MAYBE uint32_t hear_port(struct client *c)
{
	assert_int_equal(hear(c), 0);
	assert_int_equal(c->m.type, ATTACH_PORT_IS);
	assert_int_equal(c->m.link.hca, 0);
	assert_int_equal(c->m.link.port, 0);
	return c->m.link.what;
}

MAYBE struct attach_message claim_of(const struct client *c)
{
	struct attach_message m = {.type = 0};

	m.hello.incarnation = c->directory->incarnation;
	m.hello.id = c->id;
	m.hello.generation = c->generation;
	return m;
}

/* To the next daemon. @m: As claim_of() was. */
MAYBE void come_back(struct client *c, struct attach_message *m)
{
	assert_int_equal(hear(c), -ECONNRESET);
	close(c->fd);
	c->fd = attach_connect("test");
	send_hello(c, m, "any");
	assert_int_equal(hear(c), 0);
	assert_int_equal(c->m.type, ATTACH_WELCOME);
	attach_close_all(c->fds);
}

#endif
