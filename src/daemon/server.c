// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Sockets: who comes, who says something, who goes. One thread. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"
#include "daemon/server_priv.h"

static int open_lock(const struct server *s, const char *suffix)
{
	char path[ATTACH_PATH + 8];
	int fd;

	snprintf(path, sizeof(path), "%s%s", s->path, suffix);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd < 0 ? -errno : fd;
}

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

/* Whoever holds the lock is the daemon. */
static int lock_and_listen(struct server *s)
{
	s->lock_fd = open_lock(s, ".lock");
	if (s->lock_fd < 0)
		return s->lock_fd;
	if (flock(s->lock_fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? -EADDRINUSE : -errno;
	return listen_there(s);
}

/* One starts at a time, so that who comes second finds the first one listening. */
static int take_place(struct server *s)
{
	int ret = attach_socket_path(s->config.fabric, s->path), starting;

	if (ret)
		return ret;
	starting = open_lock(s, ".start");
	if (starting < 0)
		return starting;
	ret = flock(starting, LOCK_EX) ? -errno : lock_and_listen(s);
	close(starting);
	return ret;
}

/* Others map it read-only, whatever they ask for. */
static int make_directory(struct server *s)
{
	s->directory_fd = attach_memory("verbena-directory", sizeof(*s->directory));
	if (s->directory_fd < 0)
		return s->directory_fd;
	s->directory = attach_map(s->directory_fd, sizeof(*s->directory), true);
	if (!s->directory)
		return -errno;
	if (fcntl(s->directory_fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE))
		return -errno;
	directory_init(s->directory, 0);
	return 0;
}

static int open_all(struct server *s)
{
	int ret = take_place(s);

	if (!ret)
		ret = make_directory(s);
	if (ret)
		return ret;
	s->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return s->stop_fd < 0 ? -errno : 0;
}

struct server *server_new(const struct server_config *config, int *err)
{
	struct server *s = base_zalloc(sizeof(*s));

	if (!s) {
		*err = -ENOMEM;
		return NULL;
	}
	s->config = *config;
	s->listener = s->lock_fd = s->stop_fd = s->directory_fd = -1;
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

static void remove_client(struct server *s, unsigned int i)
{
	struct client *c = s->clients[i];

	client_gone(s, c);
	s->clients[i] = s->clients[--s->count];
	close(c->fd);
	base_free(c);
}

void server_free(struct server *s)
{
	if (!s)
		return;
	while (s->count)
		remove_client(s, s->count - 1);
	if (s->listener >= 0)
		(void)unlink(s->path);
	close_fd(s->listener);
	close_fd(s->directory_fd);
	close_fd(s->stop_fd);
	if (s->directory)
		munmap(s->directory, sizeof(*s->directory));
	close_fd(s->lock_fd);
	base_free(s);
}

void server_stop(struct server *s)
{
	const uint64_t one = 1;

	if (write(s->stop_fd, &one, sizeof(one)) < 0)
		return;
}

static void add_client(struct server *s, int fd, pid_t pid)
{
	struct client *c = s->count < SERVER_CLIENTS ? base_zalloc(sizeof(*c)) : NULL;

	if (!c) {
		close(fd);
		return;
	}
	c->fd = fd;
	c->pid = pid;
	s->clients[s->count++] = c;
}

static void accept_one(struct server *s)
{
	const int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct ucred cred;
	socklen_t bytes = sizeof(cred);

	if (fd < 0)
		return;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &bytes) || cred.uid != geteuid())
		close(fd);
	else
		add_client(s, fd, cred.pid);
}

/* Returns whether it stays. */
static bool serve(struct server *s, struct client *c)
{
	struct attach_message m;
	int fds[ATTACH_FDS], ret;
	bool stays = true;

	while (stays && !(ret = attach_receive(c->fd, &m, fds))) {
		stays = client_message(s, c, &m, fds);
		attach_close_all(fds);
	}
	if (!stays)
		return false;
	if (ret == -EPROTONOSUPPORT)
		client_refuse(
			c,
			"the daemon speaks version %u of the protocol, this process version %u:"
			" end the daemon, or use the library that belongs to it",
			ATTACH_VERSION, m.version);
	return ret == -EAGAIN;
}

static void serve_all(struct server *s, const struct pollfd *polled, unsigned int count)
{
	for (unsigned int i = count; i-- > 0;)
		if (polled[i].revents && !serve(s, s->clients[i]))
			remove_client(s, i);
}

void server_run(struct server *s)
{
	struct pollfd *polled = s->polled;
	int idle_ms = s->config.idle_ms;

	if (idle_ms >= 0 && idle_ms < s->config.first_ms)
		idle_ms = s->config.first_ms;
	for (;;) {
		const unsigned int count = s->count;
		int n;

		polled[0] = (struct pollfd){.fd = s->stop_fd, .events = POLLIN};
		polled[1] = (struct pollfd){.fd = s->listener, .events = POLLIN};
		for (unsigned int i = 0; i < count; i++)
			polled[SERVER_FIXED_FDS + i] =
				(struct pollfd){.fd = s->clients[i]->fd, .events = POLLIN};
		n = poll(polled, SERVER_FIXED_FDS + count, count ? -1 : idle_ms);
		if (n == 0 || (n > 0 && polled[0].revents))
			return;
		if (n < 0)
			continue; /* a signal */
		serve_all(s, polled + SERVER_FIXED_FDS, count);
		if (polled[1].revents) {
			accept_one(s);
			idle_ms = s->config.idle_ms;
		}
	}
}
