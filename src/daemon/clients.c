// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What clients want of the daemon. Whatever they send is checked; one that talks nonsense is hung up on. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cause.h"
#include "daemon/mads.h"
#include "daemon/server_priv.h"
#include "daemon/subnet.h"
#include "wire/shm.h"

bool client_refuse(struct client *c)
{
	struct attach_message m = {.type = ATTACH_REFUSED, .status = -EPERM};

	m.cause = *base_cause_last();
	client_send(c, &m, NULL, 0);
	return false;
}

static bool answer(struct client *c, const struct attach_message *question, uint32_t type,
		   int status, uint32_t first_qpn)
{
	struct attach_message m = {.type = type, .serial = question->serial, .status = status};

	m.block.first_qpn = first_qpn;
	client_send(c, &m, NULL, 0);
	return true;
}

/* Number of the host with the ports that the process wants there; a cause if there is no room. */
static int take_host(struct server *s, const struct attach_message *m)
{
	int host = directory_find_host(s->directory, m->hello.host), ret = 0;

	if (s->subnet)
		return server_subnet_take_host(s, m->hello.host, m->hello.hca);
	if (host < 0)
		host = directory_add_host(s->directory, m->hello.host);
	if (host < 0)
		return base_refuse(host, FABRIC_FULL, FABRIC_PORTS);
	for (uint32_t i = 0; i < DIRECTORY_HCAS && !ret; i++)
		ret = directory_add_hca(s->directory, (uint32_t)host, i, &m->hello.hca[i]);
	return ret ? ret : host;
}

static void welcome(struct server *s, struct client *c)
{
	struct attach_message m = {.type = ATTACH_WELCOME};

	m.welcome.directory_bytes = sizeof(*s->directory);
	m.welcome.id = c->id;
	m.welcome.generation = s->directory->process[c->id].generation;
	client_send(c, &m, &s->directory_fd, 1);
}

static bool is_hello(const struct attach_message *m, const int fds[ATTACH_FDS])
{
	return fds[ATTACH_HELLO_CONTROL] >= 0 && attach_is_eventfd(fds[ATTACH_HELLO_WAKE]) &&
	       fds[ATTACH_HELLO_KEYS] >= 0 && memchr(m->hello.host, 0, ATTACH_NAME) &&
	       m->hello.host[0] && memchr(m->hello.command, 0, ATTACH_NAME);
}

static bool knows(const struct client *c, uint32_t id)
{
	return server_has_id(c->known, id);
}

static void tell_of(const struct server *s, struct client *to, const struct client *of, int pair)
{
	const int fds[ATTACH_PEER_FDS] = {
		[ATTACH_PEER_PAIR] = pair,	   [ATTACH_PEER_CONTROL] = of->control_fd,
		[ATTACH_PEER_WAKE] = of->wake_fd,  [ATTACH_PEER_KEYS] = of->keys_fd,
		[ATTACH_PEER_MEMORY] = of->mem_fd,
	};
	struct attach_message m = {.type = ATTACH_PEER};

	m.peer.control_address = of->control_address;
	m.peer.id = of->id;
	m.peer.generation = s->directory->process[of->id].generation;
	m.peer.pid = of->pid;
	client_send(to, &m, fds, of->mem_fd < 0 ? ATTACH_PEER_MEMORY : ATTACH_PEER_FDS);
	server_set_id(to->known, of->id, true);
	server_set_id(to->wanted, of->id, false);
}

static void tell_gone(const struct server *s, struct client *c, uint32_t id)
{
	struct attach_message m = {.type = ATTACH_GONE};

	m.peer.id = id;
	m.peer.generation = s->directory->process[id].generation;
	server_set_id(c->known, id, false);
	server_set_id(c->wanted, id, false);
	client_send(c, &m, NULL, 0);
}

/* Rings for two: who has older ones with the other lets go of them. */
static void make_pair(const struct server *s, struct client *a, struct client *b)
{
	const int pair = attach_memory("verbena-pair", sizeof(struct shm_pair));

	if (pair < 0) {
		tell_gone(s, a, b->id);
		return;
	}
	tell_of(s, a, b, pair);
	tell_of(s, b, a, pair);
	close(pair);
}

/* Whoever is asked for and dead already is as gone as one that dies later. */
static bool introduce(struct server *s, struct client *c, const struct attach_message *m)
{
	const uint32_t id = m->peer.id;
	struct client *other;

	if (id >= DIRECTORY_PROCESSES)
		return false;
	other = s->process[id].client;
	if (other == c || (other && knows(c, id)))
		return true;
	if (other)
		make_pair(s, c, other);
	else if (s->directory->process[id].state == DIRECTORY_ALIVE)
		server_set_id(c->wanted, id, true);
	else
		tell_gone(s, c, id);
	return true;
}

/* One of two has not taken what it was given: neither has rings, and they may ask anew. */
static bool missed(const struct server *s, struct client *c, const struct attach_message *m)
{
	const uint32_t id = m->peer.id;
	struct client *other;

	if (id >= DIRECTORY_PROCESSES)
		return false;
	other = s->process[id].client;
	if (!knows(c, id) || m->peer.generation != s->directory->process[id].generation)
		return true;
	server_set_id(c->known, id, false);
	if (other)
		tell_gone(s, other, c->id);
	return true;
}

/* A daemon may have died between telling one of two and telling the other; and they ask for each other. */
static void catch_up(struct server *s, struct client *c)
{
	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++) {
		struct client *other = s->process[id].client;

		if (id == c->id)
			continue;
		if (knows(c, id) && s->directory->process[id].state != DIRECTORY_ALIVE)
			tell_gone(s, c, id);
		else if (other && (knows(c, id) != knows(other, c->id) ||
				   server_has_id(other->wanted, c->id)))
			make_pair(s, c, other);
	}
}

static void attach(struct server *s, struct client *c, const struct attach_message *m,
		   int fds[ATTACH_FDS])
{
	c->attached = true;
	c->control_fd = fds[ATTACH_HELLO_CONTROL];
	c->wake_fd = fds[ATTACH_HELLO_WAKE];
	c->keys_fd = fds[ATTACH_HELLO_KEYS];
	c->mem_fd = fds[ATTACH_HELLO_MEMORY];
	c->control_address = m->hello.control_address;
	memcpy(c->command, m->hello.command, sizeof(c->command));
	for (unsigned int i = 0; i < ATTACH_HELLO_FDS; i++)
		fds[i] = -1;
	report_open(s, c);
	s->process[c->id].client = c;
	welcome(s, c);
}

/* It had waited for so long that it gave up, and comes once more: what it said first is not to be believed. */
static bool has_hung_up(const struct client *c)
{
	struct pollfd polled = {.fd = c->fd, .events = POLLRDHUP};

	return poll(&polled, 1, 0) == 1;
}

/* A process that was attached to the daemon before us comes back. */
static bool claim(struct server *s, struct client *c, const struct attach_message *m,
		  int fds[ATTACH_FDS])
{
	struct directory_process *p;
	const uint32_t id = m->hello.id;

	if (id >= DIRECTORY_PROCESSES || has_hung_up(c))
		return false;
	p = &s->directory->process[id];
	if (m->hello.incarnation != s->directory->incarnation)
		(void)base_refuse(-ENOENT, ATTACH_CLAIM_UNKNOWN);
	else if (p->state != DIRECTORY_ALIVE || p->generation != m->hello.generation)
		(void)base_refuse(-ESTALE, ATTACH_CLAIM_DEAD, id);
	else if (s->process[id].client || (p->pid && p->pid != c->pid))
		(void)base_refuse(-EEXIST, ATTACH_CLAIM_TAKEN, id, (uint64_t)p->pid,
				  (uint64_t)c->pid);
	else {
		c->id = id;
		memcpy(c->known, m->hello.known, sizeof(c->known));
		s->orphans--;
		if (!p->pid) {
			p->pid = c->pid;
			p->start_time = process_start_time(c->pid);
			process_watch(s, id);
		}
		attach(s, c, m, fds);
		catch_up(s, c);
		if (s->subnet)
			server_subnet_came_back(s, c);
		return true;
	}
	return client_refuse(c);
}

/* It was attached to the daemon before us, and is another program now. */
static void forget_former(struct server *s, pid_t pid)
{
	for (uint32_t id = 0; s->orphans && pid > 0 && id < DIRECTORY_PROCESSES; id++)
		if (s->directory->process[id].state == DIRECTORY_ALIVE && !s->process[id].client &&
		    s->directory->process[id].pid == pid)
			process_gone(s, id);
}

static bool hello(struct server *s, struct client *c, const struct attach_message *m,
		  int fds[ATTACH_FDS])
{
	int host, id;

	if (c->attached || !is_hello(m, fds))
		return false;
	if (m->hello.incarnation)
		return claim(s, c, m, fds);
	forget_former(s, c->pid);
	host = take_host(s, m);
	if (host < 0)
		return client_refuse(c);
	id = directory_add_process(s->directory, (uint32_t)host, c->pid,
				   process_start_time(c->pid));
	if (id < 0) {
		(void)base_refuse(id, ATTACH_FULL, DIRECTORY_PROCESSES);
		return client_refuse(c);
	}
	c->id = (uint32_t)id;
	process_watch(s, c->id);
	attach(s, c, m, fds);
	return true;
}

void client_tell_port(const struct server *s, uint32_t host, uint32_t hca, uint32_t port,
		      uint32_t what, bool up)
{
	struct attach_message m = {.type = ATTACH_PORT_IS};

	m.link.hca = hca;
	m.link.port = port;
	m.link.up = up;
	m.link.what = what;
	for (unsigned int i = 0; i < s->count; i++)
		if (s->clients[i]->attached &&
		    s->directory->process[s->clients[i]->id].host == host)
			client_send(s->clients[i], &m, NULL, 0);
}

/* Without a subnet. */
static void tell_link(const struct server *s, uint32_t host, uint32_t hca, uint32_t port)
{
	const int slot = directory_slot(s->directory, host, hca, port);

	if (slot >= 0)
		client_tell_port(s, host, hca, port, SUBNET_CHANGED_STATE,
				 s->directory->fabric.ports[slot].up);
}

/* Who has asked hears of it before the answer. */
static bool set_link(struct server *s, struct client *c, const struct attach_message *m)
{
	const uint32_t host = s->directory->process[c->id].host;
	const int ret =
		directory_set_link(s->directory, c->id, m->link.hca, m->link.port, m->link.up != 0);

	if (s->subnet)
		server_subnet_links(s, host);
	else if (ret > 0)
		tell_link(s, host, m->link.hca, m->link.port);
	return answer(c, m, ATTACH_DONE, ret < 0 ? ret : 0, 0);
}

/* What it has unplugged nobody else would plug in again. */
static void release_links(struct server *s, uint32_t id)
{
	const uint32_t host = s->directory->process[id].host;
	const uint32_t came_up = directory_release_links(s->directory, id);

	if (s->subnet)
		server_subnet_links(s, host);
	for (uint32_t n = 0; n < DIRECTORY_HCAS * DIRECTORY_PORTS; n++)
		if (came_up >> n & 1)
			tell_link(s, host, n / DIRECTORY_PORTS, n % DIRECTORY_PORTS);
}

void process_gone(struct server *s, uint32_t id)
{
	release_links(s, id);
	mads_gone(s, id);
	directory_remove_process(s->directory, id);
	process_unwatch(s, id);
	if (!s->process[id].client)
		s->orphans--;
	s->process[id].client = NULL;
	for (unsigned int i = 0; i < s->count; i++) {
		struct client *c = s->clients[i];

		if (c->attached && (knows(c, id) || server_has_id(c->wanted, id)))
			tell_gone(s, c, id);
	}
}

void client_close_fds(struct client *c)
{
	close(c->control_fd);
	close(c->wake_fd);
	close(c->keys_fd);
	if (c->mem_fd >= 0)
		close(c->mem_fd);
}

void client_gone(struct server *s, struct client *c)
{
	client_drop_owed(c);
	if (!c->attached)
		return;
	c->attached = false;
	report_close(s, c);
	process_gone(s, c->id);
	client_close_fds(c);
}

static bool tell_status(struct server *s, struct client *c)
{
	struct attach_message m = {.type = ATTACH_STATUS_IS};
	const int fd = server_status(s);

	m.status = fd < 0 ? fd : 0;
	client_send(c, &m, &fd, fd >= 0);
	if (fd >= 0)
		close(fd);
	return true;
}

static bool tell_traffic(const struct server *s, struct client *c, const struct attach_message *m)
{
	struct attach_message reply = {.type = ATTACH_TRAFFIC, .serial = m->serial};

	reply.status = report_traffic(s, s->directory->process[c->id].host, m->counters.hca,
				      m->counters.port, &reply.counters.traffic);
	client_send(c, &reply, NULL, 0);
	return true;
}

static bool resolve(const struct server *s, struct client *c, const struct attach_message *m)
{
	struct attach_message reply = {.type = ATTACH_RESOLVED, .way = m->way};

	if (!server_subnet_ways(s))
		return false;
	ways_resolve(server_subnet_ways(s), &m->way);
	client_send(c, &reply, NULL, 0);
	return true;
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
	if (m->type == ATTACH_FABRIC)
		return command_fabric(s, c, m);
	if (!c->attached)
		return false;
	switch (m->type) {
	case ATTACH_TAKE_BLOCK:
		ret = directory_take_block(s->directory, c->id, &first_qpn);
		return answer(c, m, ATTACH_BLOCK, ret, first_qpn);
	case ATTACH_INTRODUCE:
		return introduce(s, c, m);
	case ATTACH_RESOLVE:
		return resolve(s, c, m);
	case ATTACH_MISSED:
		return missed(s, c, m);
	case ATTACH_COUNTERS:
		return tell_traffic(s, c, m);
	case ATTACH_SET_LINK:
		return set_link(s, c, m);
	case ATTACH_AGENT:
		return mads_agent(s, c, m);
	case ATTACH_AGENT_GONE:
		return mads_agent_gone(s, c, m);
	case ATTACH_MAD:
		return mads_send(s, c, m);
	case ATTACH_BAD_KEY:
		return mads_bad_key(s, c, m);
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
