/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The daemon, in a thread, and clients of it. */
#ifndef TESTS_DAEMON_SERVER_FIXTURE_H
#define TESTS_DAEMON_SERVER_FIXTURE_H

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attach/socket.h"
#include "attach/start.h"
#include "common/run_dir.h"
#include "common/test.h"
#include "daemon/server.h"
#include "wire/shm.h"

struct client {
	int fd;
	struct attach_message m; /* the last one received */
	int fds[ATTACH_FDS];
	uint32_t id;
	uint32_t generation;
	const struct directory *directory;
};

static struct server *server;
static pthread_t thread;
static const char *topology; /* file with the fabric's, or NULL */

static void *serve(void *arg)
{
	server_run(arg);
	return NULL;
}

static int start_server(void)
{
	const struct server_config config = {.fabric = "test", .idle_ms = -1, .topology = topology};
	int err;

	server = server_new(&config, &err);
	return server ? pthread_create(&thread, NULL, serve, server) : -1;
}

static void stop_server(void)
{
	if (!server)
		return;
	server_stop(server);
	pthread_join(thread, NULL);
	server_free(server);
}

/* Not every test needs all of it. */
#define MAYBE static __attribute__((unused))

MAYBE int start(void **state)
{
	(void)state;
	return run_dir_make() ? -1 : start_server();
}

MAYBE int stop(void **state)
{
	(void)state;
	stop_server();
	return run_dir_remove("test", NULL);
}

static void connect_client(struct client *c)
{
	memset(c, 0, sizeof(*c));
	c->fd = attach_connect("test");
	assert_true(c->fd >= 0);
}

/* Waits for the next message; its status, or why there is none. */
static int hear(struct client *c)
{
	struct pollfd polled = {.fd = c->fd, .events = POLLIN};
	int ret;

	do
		(void)poll(&polled, 1, -1);
	while ((ret = attach_receive(c->fd, &c->m, c->fds)) == -EAGAIN);
	return ret;
}

MAYBE void say(struct client *c, uint32_t type, uint32_t value)
{
	struct attach_message m = {.type = type, .serial = 5};

	m.peer.id = value;
	if (type == ATTACH_COUNTERS)
		m.counters.hca = value;
	assert_int_equal(attach_send(c->fd, &m, NULL, 0), 0);
}

static void send_hello(struct client *c, struct attach_message *m, const char *host)
{
	int fds[3] = {attach_memory("control", sizeof(struct shm_control)), eventfd(0, EFD_CLOEXEC),
		      attach_memory("keys", 4096)};

	m->type = ATTACH_HELLO;
	snprintf(m->hello.host, sizeof(m->hello.host), "%s", host);
	snprintf(m->hello.command, sizeof(m->hello.command), "test");
	assert_int_equal(attach_send(c->fd, m, fds, 3), 0);
	for (unsigned int i = 0; i < 3; i++)
		close(fds[i]);
}

MAYBE void say_hello(struct client *c, const char *host)
{
	struct attach_message m = {.hello.hca[0].ports = 1};

	send_hello(c, &m, host);
}

static void attach_client(struct client *c, const char *host)
{
	connect_client(c);
	say_hello(c, host);
	assert_int_equal(hear(c), 0);
	assert_int_equal(c->m.type, ATTACH_WELCOME);
	c->id = c->m.welcome.id;
	c->generation = c->m.welcome.generation;
	c->directory = attach_map_file(c->fds[0], c->m.welcome.directory_bytes);
	assert_non_null(c->directory);
	assert_true(directory_is_valid(c->directory, c->m.welcome.directory_bytes));
	/* Nobody else writes there. */
	assert_ptr_equal(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, c->fds[0], 0), MAP_FAILED);
	attach_close_all(c->fds);
}

static void detach_client(struct client *c)
{
	attach_close_all(c->fds);
	if (c->directory)
		munmap((void *)(uintptr_t)c->directory, sizeof(*c->directory));
	close(c->fd);
}

#endif
