// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Messages to clients. One that is stopped gets them later; nobody waits for one that does not read. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "daemon/server_priv.h"

#define MOST_OWED 4096u

static void free_owed(struct owed *owed)
{
	attach_close_all(owed->fds);
	base_free(owed);
}

/* Copies of descriptors: whose they are may be gone by then. */
static bool copy_fds(struct owed *owed, const int *fds, unsigned int count)
{
	for (unsigned int i = 0; i < ATTACH_FDS; i++)
		owed->fds[i] = -1;
	for (unsigned int i = 0; i < count; i++) {
		owed->fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 0);
		if (owed->fds[i] < 0)
			return false;
	}
	owed->count = count;
	return true;
}

static bool owe(struct client *c, const struct attach_message *m, const int *fds,
		unsigned int count)
{
	struct owed *owed = c->owed_count < MOST_OWED ? base_zalloc(sizeof(*owed)) : NULL;

	if (!owed)
		return false;
	owed->m = *m;
	if (!copy_fds(owed, fds, count)) {
		free_owed(owed);
		return false;
	}
	if (!c->owed)
		c->owed_last = &c->owed;
	*c->owed_last = owed;
	c->owed_last = &owed->next;
	c->owed_count++;
	return true;
}

void client_send(struct client *c, struct attach_message *m, const int *fds, unsigned int count)
{
	const int ret = c->owed ? -EAGAIN : attach_send(c->fd, m, fds, count);

	if (ret && (ret != -EAGAIN || !owe(c, m, fds, count)))
		c->broken = true;
}

void client_send_owed(struct client *c)
{
	while (c->owed && !c->broken) {
		struct owed *owed = c->owed;
		const int ret = attach_send(c->fd, &owed->m, owed->fds, owed->count);

		if (ret == -EAGAIN)
			return;
		c->broken = ret != 0;
		c->owed = owed->next;
		c->owed_count--;
		free_owed(owed);
	}
}

void client_drop_owed(struct client *c)
{
	while (c->owed) {
		struct owed *owed = c->owed;

		c->owed = owed->next;
		free_owed(owed);
	}
}
