// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What people want of a fabric: verbena fabric. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cause.h"
#include "daemon/subnet.h"

static bool answer(struct client *c, const struct attach_message *question, int status)
{
	struct attach_message m = {
		.type = ATTACH_DONE, .serial = question->serial, .status = status};

	if (status)
		m.cause = *base_cause_last();
	client_send(c, &m, NULL, 0);
	return true;
}

static bool show(struct server *s, struct client *c, const struct attach_message *question)
{
	struct attach_message m = {.type = ATTACH_FABRIC_IS, .serial = question->serial};
	const int fd = command_show(s, question->fabric.node, !question->fabric.value);

	if (fd < 0)
		return answer(c, question, fd);
	client_send(c, &m, &fd, 1);
	close(fd);
	return true;
}

static uint32_t count_attached(const struct server *s)
{
	uint32_t count = 0;

	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++)
		count += s->directory->process[id].state == DIRECTORY_ALIVE;
	return count;
}

/* Who is attached shall not look for the next daemon: there is to be none. */
static void refuse_all(struct server *s)
{
	(void)base_refuse(-ESHUTDOWN, FABRIC_DOWN);
	for (unsigned int i = 0; i < s->count; i++)
		if (s->clients[i]->attached)
			(void)client_refuse(s->clients[i]);
}

static int end(struct server *s, bool force)
{
	const uint32_t attached = count_attached(s);

	if (attached && !force)
		return base_refuse(-EBUSY, FABRIC_ATTACHED, attached);
	refuse_all(s);
	s->down = true;
	server_stop(s);
	return 0;
}

static int change(struct server *s, const struct attach_message *m)
{
	switch ((enum attach_fabric)m->fabric.what) {
	case ATTACH_FABRIC_CUT:
	case ATTACH_FABRIC_MEND:
	case ATTACH_FABRIC_LOSS:
	case ATTACH_FABRIC_DELAY:
		return broken_set_cable(s, m->fabric.node, m->fabric.port,
					(enum attach_fabric)m->fabric.what, m->fabric.value);
	case ATTACH_FABRIC_KILL:
	case ATTACH_FABRIC_START:
		return broken_set_host(s, m->fabric.node, m->fabric.what == ATTACH_FABRIC_KILL);
	case ATTACH_FABRIC_SHOW:
	case ATTACH_FABRIC_DOWN:
		break;
	}
	return base_refuse(-EINVAL, NOT_SUPPORTED);
}

bool command_fabric(struct server *s, struct client *c, const struct attach_message *m)
{
	int ret;

	if (!memchr(m->fabric.node, 0, sizeof(m->fabric.node)))
		return false;
	if (m->fabric.what == ATTACH_FABRIC_DOWN)
		return answer(c, m, end(s, m->fabric.value != 0));
	if (!s->subnet)
		return answer(c, m, base_refuse(-EINVAL, FABRIC_PLAIN));
	if (m->fabric.what == ATTACH_FABRIC_SHOW)
		return show(s, c, m);
	ret = change(s, m);
	server_run_later(s);
	return answer(c, m, ret);
}
