// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Who lives, as the kernel says: a child may hold a dead process's socket open. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/server_priv.h"

#define MOST_TICKS 20u /* ten seconds of this daemon's running */
#define START_TIME_FIELD 22u
#define FIRST_FIELD 3u /* behind the name, which may have blanks in it: the state */
#define DEATHS 16

void process_watch(struct server *s, uint32_t id)
{
	const pid_t pid = s->directory->process[id].pid;
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = id};
	struct process *p = &s->process[id];

	p->ticks = 0;
	p->pidfd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	if (p->pidfd >= 0)
		(void)epoll_ctl(s->deaths_fd, EPOLL_CTL_ADD, p->pidfd, &event);
}

void process_unwatch(struct server *s, uint32_t id)
{
	struct process *p = &s->process[id];

	if (p->pidfd >= 0)
		close(p->pidfd);
	p->pidfd = -1;
}

/* What stands behind the name in /proc/PID/stat. */
static bool read_stat(pid_t pid, char *text, size_t bytes)
{
	char path[32], *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, bytes - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	end = strrchr(text, ')');
	if (!end || end[1] != ' ')
		return false;
	memmove(text, end + 2, strlen(end + 2) + 1);
	return true;
}

uint64_t process_start_time(pid_t pid)
{
	unsigned long long time = 0;
	char text[1024], *at = text;

	if (!read_stat(pid, text, sizeof(text)))
		return 0;
	for (unsigned int field = FIRST_FIELD; at && field < START_TIME_FIELD; field++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return at && sscanf(at, "%llu", &time) == 1 ? time : 0;
}

static bool is_stopped(pid_t pid)
{
	char text[1024];

	return pid > 0 && read_stat(pid, text, sizeof(text)) && (*text == 'T' || *text == 't');
}

void process_deaths(struct server *s)
{
	struct epoll_event events[DEATHS];
	const int n = epoll_wait(s->deaths_fd, events, DEATHS, 0);

	for (int i = 0; i < n; i++) {
		const uint32_t id = events[i].data.u32;

		if (s->process[id].client)
			s->process[id].client->broken = true;
		else
			process_gone(s, id);
	}
}

/* Who is stopped cannot come back; who runs and does not has become another program, or let go of us. */
void process_tick(struct server *s)
{
	for (uint32_t id = 0; s->orphans && id < DIRECTORY_PROCESSES; id++) {
		struct process *p = &s->process[id];

		if (s->directory->process[id].state != DIRECTORY_ALIVE || p->client)
			continue;
		if (++p->ticks < MOST_TICKS)
			continue;
		p->ticks = 0;
		if (!is_stopped(s->directory->process[id].pid))
			process_gone(s, id);
	}
}
