// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Sockets: who comes, who says something, who goes. One thread. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/clock.h"
#include "daemon/mads.h"
#include "daemon/server_priv.h"
#include "daemon/subnet.h"

#define BUDGET 64u

static int listen_there(struct server *s)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	(void)unlink(s->path); /* a dead one's */
	memcpy(address.sun_path, s->path, sizeof(s->path));
	s->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(s->listener, 64))
		return -errno;
	return 0;
}

/* The directory first: whoever connects finds it there. */
static int take_and_listen(struct server *s, char **topology)
{
	int ret;

	s->lock_fd = place_take(s->path);
	if (s->lock_fd < 0)
		return s->lock_fd;
	ret = topology_load(s, topology);
	if (!ret)
		ret = server_open_directory(s, *topology != NULL);
	if (!ret && s->orphans && s->config.topology)
		ret = base_refuse(-EBUSY, TOPOLOGY_ATTACHED);
	return ret ? ret : listen_there(s);
}

/* One starts at a time, so that who comes second finds the first one listening. */
static int take_place(struct server *s, char **topology)
{
	int ret = attach_socket_path(s->config.fabric, s->path), starting;

	if (ret)
		return ret;
	starting = place_begin(s->path);
	if (starting < 0)
		return starting;
	ret = take_and_listen(s, topology);
	place_begun(s->path, starting);
	return ret;
}

/* Who connects meanwhile waits. It is kept once it is known to be good. */
static int open_subnet(struct server *s, const char *topology)
{
	int ret = server_later_init(s);

	if (!ret)
		ret = mads_open(s);
	if (!ret)
		ret = server_subnet_open(s, topology);
	if (!ret)
		s->subnet->deliver = mads_deliver;
	if (!ret && s->config.topology)
		ret = topology_keep(s, topology);
	s->config.idle_ms = -1;
	return ret;
}

static int open_all(struct server *s)
{
	char *topology = NULL;
	int ret;

	s->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->stop_fd < 0)
		return -errno;
	s->deaths_fd = epoll_create1(EPOLL_CLOEXEC);
	if (s->deaths_fd < 0)
		return -errno;
	ret = take_place(s, &topology);
	if (!ret && topology)
		ret = open_subnet(s, topology);
	base_free(topology);
	return ret;
}

struct server *server_new(const struct server_config *config, int *err)
{
	struct server *s = base_zalloc(sizeof(*s));

	if (!s) {
		*err = -ENOMEM;
		return NULL;
	}
	s->config = *config;
	s->listener = s->lock_fd = s->stop_fd = s->deaths_fd = s->directory_fd = s->later_fd = -1;
	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++)
		s->process[id].pidfd = -1;
	*err = open_all(s);
	if (!*err)
		return s;
	server_free(s);
	return NULL;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void free_client(struct server *s, unsigned int i)
{
	struct client *c = s->clients[i];

	s->clients[i] = s->clients[--s->count];
	client_drop_owed(c);
	if (c->attached)
		client_close_fds(c);
	close(c->fd);
	base_free(c);
}

static void remove_client(struct server *s, unsigned int i)
{
	client_gone(s, s->clients[i]);
	free_client(s, i);
}

/* Whoever is attached stays so in the directory, for the next daemon. */
void server_free(struct server *s)
{
	if (!s)
		return;
	if (s->listener >= 0)
		(void)unlink(s->path);
	while (s->count)
		free_client(s, s->count - 1);
	server_subnet_close(s);
	mads_close(s);
	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++)
		process_unwatch(s, id);
	if (!server_close_directory(s) && s->lock_fd >= 0)
		place_leave(s->path);
	place_sweep();
	close_fd(s->listener);
	close_fd(s->directory_fd);
	close_fd(s->stop_fd);
	close_fd(s->deaths_fd);
	close_fd(s->later_fd);
	close_fd(s->lock_fd);
	base_free(s);
}

void server_stop(struct server *s)
{
	const uint64_t one = 1;

	if (write(s->stop_fd, &one, sizeof(one)) < 0)
		return;
}

static struct client *add_client(struct server *s, int fd, pid_t pid)
{
	struct client *c = s->count < SERVER_CLIENTS ? base_zalloc(sizeof(*c)) : NULL;

	if (!c) {
		close(fd);
		return NULL;
	}
	c->fd = fd;
	c->pid = pid;
	s->clients[s->count++] = c;
	return c;
}

static bool accept_one(struct server *s)
{
	const int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct ucred cred;
	socklen_t bytes = sizeof(cred);
	struct client *c;

	if (fd < 0)
		return false;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &bytes)) {
		close(fd);
		return true;
	}
	c = add_client(s, fd, cred.pid);
	if (c && cred.uid != geteuid()) {
		(void)base_refuse(-EPERM, ATTACH_USER, geteuid(), cred.uid);
		c->broken = !client_refuse(c);
	}
	return true;
}

static void accept_some(struct server *s)
{
	unsigned int budget = BUDGET;

	while (budget-- && s->count < SERVER_CLIENTS && accept_one(s))
		;
}

/* Returns whether it stays. */
static bool serve(struct server *s, struct client *c)
{
	struct attach_message m;
	int fds[ATTACH_FDS], ret = -EAGAIN;
	unsigned int budget = BUDGET; /* others want something, too */
	bool stays = true;

	while (stays && !c->broken && budget-- && !(ret = attach_receive(c->fd, &m, fds))) {
		stays = client_message(s, c, &m, fds);
		attach_close_all(fds);
	}
	if (stays && ret == -EPROTONOSUPPORT) {
		(void)base_refuse(ret, ATTACH_OTHER_VERSION, ATTACH_VERSION, m.version);
		return client_refuse(c);
	}
	return stays && (!ret || ret == -EAGAIN);
}

static void serve_all(struct server *s, const struct pollfd *polled, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		struct client *c = s->clients[i];

		if (polled[i].revents & POLLOUT)
			client_send_owed(c);
		if (polled[i].revents & ~POLLOUT && !serve(s, c))
			c->broken = true;
	}
}

/* Those that go make others hear of it, who may be broken, too. */
static void remove_broken(struct server *s)
{
	for (unsigned int i = 0; i < s->count;)
		if (s->clients[i]->broken) {
			remove_client(s, i);
			i = 0;
		} else {
			i++;
		}
}

static int wait_for_events(struct server *s, int idle_ms)
{
	struct pollfd *polled = s->polled;
	const unsigned int count = s->count;

	polled[SERVER_STOP] = (struct pollfd){.fd = s->stop_fd, .events = POLLIN};
	polled[SERVER_LISTENER] =
		(struct pollfd){.fd = count < SERVER_CLIENTS ? s->listener : -1, .events = POLLIN};
	polled[SERVER_DEATHS] = (struct pollfd){.fd = s->deaths_fd, .events = POLLIN};
	polled[SERVER_LATER] = (struct pollfd){.fd = s->later_fd, .events = POLLIN};
	for (unsigned int i = 0; i < count; i++)
		polled[SERVER_FIXED_FDS + i] = (struct pollfd){
			.fd = s->clients[i]->fd,
			.events = (short)(POLLIN | (s->clients[i]->owed ? POLLOUT : 0))};
	if (s->orphans)
		idle_ms = SERVER_TICK_MS;
	else if (count)
		idle_ms = -1;
	return poll(polled, SERVER_FIXED_FDS + count, idle_ms);
}

static void tick(struct server *s)
{
	const uint64_t now_ns = base_clock_ns();

	if (!s->orphans || now_ns - s->tick_ns < SERVER_TICK_MS * BASE_NS_PER_MS)
		return;
	s->tick_ns = now_ns;
	process_tick(s);
}

void server_run(struct server *s)
{
	const struct pollfd *polled = s->polled;
	int idle_ms = s->config.idle_ms;

	if (idle_ms >= 0 && idle_ms < s->config.first_ms)
		idle_ms = s->config.first_ms;
	for (;;) {
		const unsigned int count = s->count;
		const bool idle = !s->orphans;
		const int n = wait_for_events(s, idle_ms);

		if ((n == 0 && idle) || (n > 0 && polled[SERVER_STOP].revents))
			return;
		if (n < 0)
			continue; /* a signal */
		tick(s);
		if (polled[SERVER_LATER].revents)
			server_run_later(s);
		serve_all(s, polled + SERVER_FIXED_FDS, count);
		if (polled[SERVER_DEATHS].revents)
			process_deaths(s);
		if (polled[SERVER_LISTENER].revents) {
			accept_some(s);
			idle_ms = s->config.idle_ms;
		}
		remove_broken(s);
	}
}
