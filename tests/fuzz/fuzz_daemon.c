// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What processes may say to the daemon: messages in any order, cut off, with wrong descriptors; and
 * anything in the memory that they show of themselves. The input is a list of steps, of four bytes and
 * what belongs to them: what to do and who does it, the type of a message, its descriptors, and how many
 * changes to it follow, each of an offset, a value and how often.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "attach/messages.h"
#include "base/check.h"
#include "daemon/server.c"

#define CLIENTS 6u
#define STEPS 64u
#define GIVE_UP_TICKS 100u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum step {
	STEP_CONNECT,
	STEP_HANG_UP,
	STEP_SAY, /* thrice: it is what most depends on */
	STEP_SAY_TOO,
	STEP_SAY_ALSO,
	STEP_BYTES,
	STEP_HEAR,
	STEP_STATUS,
	STEPS_KINDS,
};

static struct server *s;
static struct directory *directory;

static int end[CLIENTS]; /* the processes' */

/* Of the daemon before this one: who claims to be it is believed if it can be. */
static void add_orphan(int32_t pid)
{
	const struct directory_hca one = {.ports = 1};
	int host = directory_find_host(directory, MESSAGES_HOST), id;

	if (host < 0)
		host = directory_add_host(directory, MESSAGES_HOST);
	INVARIANT(host >= 0 && !directory_add_hca(directory, (uint32_t)host, 0, &one));
	id = directory_add_process(directory, (uint32_t)host, pid, 0);
	INVARIANT(id >= 0);
	process_watch(s, (uint32_t)id);
	s->orphans++;
}

static void init_once(void)
{
	if (s)
		return;
	messages_init();
	(void)signal(SIGPIPE, SIG_IGN); /* as in main.c */
	s = calloc(1, sizeof(*s));
	directory = calloc(1, sizeof(*directory));
	INVARIANT(s && directory);
	s->directory_fd = attach_memory("directory", sizeof(*directory));
	s->stop_fd = -1;
}

static void make_server(void)
{
	memset(s->process, 0, sizeof(s->process));
	memset(directory, 0, sizeof(*directory));
	directory_init(directory, 0, MESSAGES_INCARNATION);
	s->directory = directory;
	s->config.fabric = "fuzz";
	s->orphans = 0;
	s->deaths_fd = epoll_create1(EPOLL_CLOEXEC);
	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++)
		s->process[id].pidfd = -1;
	for (unsigned int i = 0; i < CLIENTS; i++)
		end[i] = -1;
	add_orphan(0);
	add_orphan(getpid());
}

static void come(unsigned int who)
{
	int sv[2];

	if (end[who] >= 0)
		return;
	INVARIANT(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sv));
	end[who] = sv[0];
	INVARIANT(add_client(s, sv[1], getpid()));
}

static void go(unsigned int who)
{
	if (end[who] >= 0)
		close(end[who]);
	end[who] = -1;
}

/* What it hears has to make sense to a process. */
static void hear(unsigned int who)
{
	struct attach_message m;
	int fds[ATTACH_FDS];

	while (end[who] >= 0 && !attach_receive(end[who], &m, fds)) {
		INVARIANT(m.type == ATTACH_WELCOME || m.type == ATTACH_REFUSED ||
			  m.type == ATTACH_BLOCK || m.type == ATTACH_PEER ||
			  m.type == ATTACH_GONE || m.type == ATTACH_DONE ||
			  m.type == ATTACH_TRAFFIC || m.type == ATTACH_STATUS_IS ||
			  m.type == ATTACH_AGENT_IS || m.type == ATTACH_PORT_IS);
		INVARIANT(m.type != ATTACH_PEER ||
			  (m.peer.id < DIRECTORY_PROCESSES && fds[0] >= 0 && fds[3] >= 0));
		attach_close_all(fds);
	}
}

static void serve_everybody(void)
{
	for (unsigned int i = 0; i < s->count; i++) {
		struct client *c = s->clients[i];

		client_send_owed(c);
		if (!serve(s, c))
			c->broken = true;
	}
	remove_broken(s);
}

/* Whoever is attached is alive in the directory, and nobody else. */
static void check(void)
{
	unsigned int alive = 0, attached = 0;

	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++)
		alive += directory->process[id].state == DIRECTORY_ALIVE;
	for (unsigned int i = 0; i < s->count; i++) {
		const struct client *c = s->clients[i];

		attached += c->attached;
		INVARIANT(!c->attached || s->process[c->id].client == c);
	}
	INVARIANT(alive == attached + s->orphans);
}

static ino_t shown_by(const struct client *c)
{
	struct stat st;

	return c->attached && c->report && !fstat(c->control_fd, &st) ? st.st_ino : 0;
}

/* How many show the same memory: each of them is asked. */
static uint32_t asked_there(const struct client *c)
{
	uint32_t count = 0;

	for (unsigned int i = 0; i < s->count; i++)
		count += shown_by(s->clients[i]) == shown_by(c);
	return count;
}

/* Nobody is waited for: each has answered what it is about to be asked. */
static void status(void)
{
	int fd;

	for (unsigned int i = 0; i < s->count; i++)
		if (shown_by(s->clients[i]))
			s->clients[i]->report->published =
				s->clients[i]->report->wanted + asked_there(s->clients[i]);
	fd = server_status(s);
	INVARIANT(fd >= 0);
	close(fd);
}

static void take_step(struct messages *in)
{
	const uint8_t what = messages_byte(in);
	const unsigned int who = what / STEPS_KINDS % CLIENTS;

	switch ((enum step)(what % STEPS_KINDS)) {
	case STEP_CONNECT:
		come(who);
		break;
	case STEP_HANG_UP:
		go(who);
		break;
	case STEP_SAY:
	case STEP_SAY_TOO:
	case STEP_SAY_ALSO:
		come(who);
		messages_send(in, end[who]);
		break;
	case STEP_BYTES:
		come(who);
		messages_send_bytes(in, end[who]);
		break;
	case STEP_HEAR:
		hear(who);
		break;
	case STEP_STATUS:
		messages_scribble(in);
		status();
		break;
	case STEPS_KINDS:
		break;
	}
	serve_everybody();
	check();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct messages in = {bytes, count};
	int first_free;

	init_once();
	first_free = messages_first_free_fd();
	make_server();
	for (unsigned int i = 0; i < STEPS && in.count; i++)
		take_step(&in);
	for (unsigned int i = 0; i < CLIENTS; i++) {
		hear(i);
		go(i);
	}
	serve_everybody();
	for (unsigned int i = 0; s->orphans && i < GIVE_UP_TICKS; i++)
		process_tick(s);
	check();
	INVARIANT(!s->count && !directory_any_alive(directory));
	close(s->deaths_fd);
	INVARIANT(messages_first_free_fd() == first_free);
	return 0;
}
