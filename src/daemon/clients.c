// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What clients want of the daemon. Whatever they send is checked; one that talks nonsense is hung up on. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/server_priv.h"
#include "wire/shm.h"

void client_refuse(struct client *c, const char *format, ...)
{
	struct attach_message m = {.type = ATTACH_REFUSED, .status = -EPERM};
	va_list args;

	va_start(args, format);
	vsnprintf(m.text, sizeof(m.text), format, args);
	va_end(args);
	(void)attach_send(c->fd, &m, NULL, 0);
}

static bool answer(struct client *c, const struct attach_message *question, uint32_t type,
		   int status, uint32_t first_qpn)
{
	struct attach_message m = {.type = type, .serial = question->serial, .status = status};

	m.block.first_qpn = first_qpn;
	return !attach_send(c->fd, &m, NULL, 0);
}

/* Number of the host with the ports that the process wants there. */
static int take_host(struct server *s, const struct attach_message *m)
{
	int host = directory_find_host(s->directory, m->hello.host), ret = 0;

	if (host < 0)
		host = directory_add_host(s->directory, m->hello.host);
	for (uint32_t i = 0; i < DIRECTORY_HCAS && host >= 0 && !ret; i++)
		ret = directory_add_hca(s->directory, (uint32_t)host, i, &m->hello.hca[i]);
	return ret ? ret : host;
}

static bool welcome(struct server *s, struct client *c)
{
	struct attach_message m = {.type = ATTACH_WELCOME};

	m.welcome.directory_bytes = sizeof(*s->directory);
	m.welcome.id = c->id;
	m.welcome.generation = s->directory->process[c->id].generation;
	return !attach_send(c->fd, &m, &s->directory_fd, 1);
}

static bool is_hello(const struct attach_message *m, const int fds[ATTACH_FDS])
{
	return fds[0] >= 0 && fds[1] >= 0 && memchr(m->hello.host, 0, ATTACH_NAME) &&
	       m->hello.host[0] && memchr(m->hello.command, 0, ATTACH_NAME);
}

static bool hello(struct server *s, struct client *c, const struct attach_message *m,
		  int fds[ATTACH_FDS])
{
	int host, id;

	if (c->attached || !is_hello(m, fds))
		return false;
	host = take_host(s, m);
	if (host < 0) {
		client_refuse(c, "the fabric has no room for host %s and its ports: %s",
			      m->hello.host, strerror(-host));
		return false;
	}
	id = directory_add_process(s->directory, (uint32_t)host, c->pid);
	if (id < 0) {
		client_refuse(c, "%u processes are attached already", DIRECTORY_PROCESSES);
		return false;
	}
	c->attached = true;
	c->id = (uint32_t)id;
	c->host = (uint32_t)host;
	c->control_fd = fds[0];
	c->wake_fd = fds[1];
	c->control_address = m->hello.control_address;
	memcpy(c->command, m->hello.command, sizeof(c->command));
	fds[0] = fds[1] = -1;
	return welcome(s, c);
}

static struct client *find_client(struct server *s, uint32_t id)
{
	for (unsigned int i = 0; i < s->count; i++)
		if (s->clients[i]->attached && s->clients[i]->id == id)
			return s->clients[i];
	return NULL;
}

static bool knows(const struct client *c, uint32_t id)
{
	return c->known[id / 64] >> (id % 64) & 1;
}

static void tell_of(const struct server *s, struct client *to, const struct client *of, int pair)
{
	const int fds[ATTACH_FDS] = {pair, of->control_fd, of->wake_fd};
	struct attach_message m = {.type = ATTACH_PEER};

	m.peer.control_address = of->control_address;
	m.peer.id = of->id;
	m.peer.generation = s->directory->process[of->id].generation;
	m.peer.pid = of->pid;
	/* If it does not read it is stopped or about to be hung up on; it knows of nobody then. */
	if (!attach_send(to->fd, &m, fds, ATTACH_FDS))
		to->known[of->id / 64] |= 1ull << (of->id % 64);
}

static void tell_gone(const struct server *s, struct client *c, uint32_t id)
{
	struct attach_message m = {.type = ATTACH_GONE};

	m.peer.id = id;
	m.peer.generation = s->directory->process[id].generation;
	(void)attach_send(c->fd, &m, NULL, 0);
}

/* Whoever is asked for and dead already is as gone as one that dies later. */
static bool introduce(struct server *s, struct client *c, const struct attach_message *m)
{
	struct client *other;
	int pair;

	if (m->peer.id >= DIRECTORY_PROCESSES)
		return false;
	other = find_client(s, m->peer.id);
	if (other == c || (other && knows(c, other->id)))
		return true;
	pair = other ? attach_memory("verbena-pair", sizeof(struct shm_pair)) : -ENOENT;
	if (pair < 0) {
		tell_gone(s, c, m->peer.id);
		return true;
	}
	tell_of(s, c, other, pair);
	tell_of(s, other, c, pair);
	close(pair);
	return true;
}

void client_gone(struct server *s, struct client *c)
{
	if (!c->attached)
		return;
	directory_remove_process(s->directory, c->id);
	for (unsigned int i = 0; i < s->count; i++) {
		struct client *other = s->clients[i];

		if (other == c || !other->attached || !knows(other, c->id))
			continue;
		other->known[c->id / 64] &= ~(1ull << (c->id % 64));
		tell_gone(s, other, c->id);
	}
	close(c->control_fd);
	close(c->wake_fd);
}

static bool tell_status(const struct server *s, struct client *c)
{
	struct attach_message m = {.type = ATTACH_STATUS_IS};
	const int fd = server_status(s);
	int ret;

	m.status = fd < 0 ? fd : 0;
	ret = attach_send(c->fd, &m, &fd, fd >= 0);
	if (fd >= 0)
		close(fd);
	return !ret;
}

bool client_message(struct server *s, struct client *c, struct attach_message *m,
		    int fds[ATTACH_FDS])
{
	uint32_t first_qpn = 0;
	int ret;

	if (m->type == ATTACH_HELLO)
		return hello(s, c, m, fds);
	if (m->type == ATTACH_STATUS)
		return tell_status(s, c);
	if (!c->attached)
		return false;
	switch (m->type) {
	case ATTACH_TAKE_BLOCK:
		ret = directory_take_block(s->directory, c->id, &first_qpn);
		return answer(c, m, ATTACH_BLOCK, ret, first_qpn);
	case ATTACH_CLAIM:
		ret = directory_claim_block(s->directory, c->id, m->block.first_qpn);
		return answer(c, m, ATTACH_BLOCK, ret, m->block.first_qpn);
	case ATTACH_INTRODUCE:
		return introduce(s, c, m);
	case ATTACH_JOIN:
		return answer(c, m, ATTACH_DONE, directory_join(s->directory, c->id, m->group.gid),
			      0);
	case ATTACH_LEAVE:
		return answer(c, m, ATTACH_DONE, directory_leave(s->directory, c->id, m->group.gid),
			      0);
	default:
		return false;
	}
}
