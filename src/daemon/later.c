// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What other threads, and callbacks of the subnet, leave to the main loop, which alone writes the directory and sends. */
#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/fd.h"
#include "daemon/server_priv.h"

int server_later_init(struct server *s)
{
	spin_lock_init(&s->later_lock);
	s->later_last = &s->later;
	s->later_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return s->later_fd < 0 ? -errno : 0;
}

void server_later(struct server *s, struct later *later)
{
	bool first;

	later->next = NULL;
	spin_lock(&s->later_lock);
	first = !s->later;
	*s->later_last = later;
	s->later_last = &later->next;
	spin_unlock(&s->later_lock);
	if (first)
		base_fd_wake(s->later_fd);
}

static struct later *take_all(struct server *s)
{
	struct later *all;

	spin_lock(&s->later_lock);
	all = s->later;
	s->later = NULL;
	s->later_last = &s->later;
	spin_unlock(&s->later_lock);
	return all;
}

/* What comes meanwhile is for the next time: clients want something, too. */
void server_run_later(struct server *s)
{
	struct later *later, *next;
	uint64_t count;

	if (read(s->later_fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return;
	for (later = take_all(s); later; later = next) {
		next = later->next;
		later->run(s, later);
	}
}
