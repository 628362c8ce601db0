// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Agents and MADs of an attachment. The list of agents is what the next daemon is told: so one is in it before it is
 * asked for, and none is taken out of it while it is being told.
 */
#include "attach/mad.h"

#include <errno.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/client_priv.h"
#include "attach/socket.h"
#include "base/alloc.h"
#include "base/cause.h"
#include "base/clock.h"

#define MOST_BYTES (96 << 10)

struct agent {
	struct list_head link;
	struct attach_agent is;
};

void attach_agents_init(struct attach *a)
{
	pthread_mutex_init(&a->agents_lock, NULL);
	INIT_LIST_HEAD(&a->agents);
}

void attach_agents_free(struct attach *a)
{
	struct agent *agent, *next;

	list_for_each_entry_safe(agent, next, &a->agents, link)
		base_free(agent);
	INIT_LIST_HEAD(&a->agents);
}

uint32_t attach_first_hi_tid(const struct attach *a)
{
	return (a->id << ATTACH_TID_BITS) + 1;
}

static void add(struct attach *a, struct agent *agent)
{
	pthread_mutex_lock(&a->agents_lock);
	list_add_tail(&agent->link, &a->agents);
	pthread_mutex_unlock(&a->agents_lock);
}

static bool take_out(struct attach *a, uint32_t hi_tid)
{
	struct agent *agent;
	bool found = false;

	pthread_mutex_lock(&a->agents_lock);
	list_for_each_entry(agent, &a->agents, link)
		if (agent->is.hi_tid == hi_tid) {
			list_del(&agent->link);
			base_free(agent);
			found = true;
			break;
		}
	pthread_mutex_unlock(&a->agents_lock);
	return found;
}

static struct base_cause cause_of(const struct attach_message *m, uint16_t id)
{
	return (struct base_cause){.id = id,
				   .side = BASE_SIDE_CALL,
				   .arg = {m->agent.method, m->agent.is.mgmt_class,
					   m->agent.is.class_version, (uint64_t)m->agent.pid}};
}

static int refused(const struct attach_message *m, int err)
{
	struct base_cause cause;

	switch (err) {
	case -EINVAL:
		cause = cause_of(m, BASE_CAUSE_ATTACH_METHOD_TAKEN);
		base_cause_set_last(&cause);
		return err;
	case -EOPNOTSUPP:
		return base_refuse(err, ATTACH_NO_MADS);
	case -ENOMEM:
		return base_refuse(err, ATTACH_AGENTS, ATTACH_TIDS);
	default: /* there is no daemon, and its cause is there */
		return err;
	}
}

int attach_add_agent(struct attach *a, const struct attach_agent *is)
{
	struct attach_message question = {.type = ATTACH_AGENT}, m = {.type = 0};
	struct agent *agent = base_zalloc(sizeof(*agent));
	int ret;

	if (!agent)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*agent));
	agent->is = question.agent.is = *is;
	add(a, agent);
	ret = attach_ask(a, &question, &m);
	if (!ret)
		return 0;
	take_out(a, is->hi_tid);
	return refused(&m, ret);
}

void attach_remove_agent(struct attach *a, uint32_t hi_tid)
{
	struct attach_message question = {.type = ATTACH_AGENT_GONE}, m;

	question.agent.is.hi_tid = hi_tid;
	if (take_out(a, hi_tid) && attach_link(a) == ATTACH_UP)
		(void)attach_ask(a, &question, &m);
}

int attach_agents_declare(struct attach *a, int fd)
{
	const uint64_t deadline_ns = base_clock_ns() + ATTACH_ANSWER_MS * BASE_NS_PER_MS;
	struct attach_message m = {.type = ATTACH_AGENT};
	struct agent *agent;
	int ret = 0;

	list_for_each_entry(agent, &a->agents, link) {
		m.agent.is = agent->is;
		ret = attach_send_by(fd, &m, deadline_ns);
		if (ret)
			break;
	}
	return ret;
}

/* A cause of its own: nobody has called. */
void attach_agent_is(const struct attach_message *m)
{
	struct base_cause cause;

	if (m->status != -EINVAL)
		return;
	cause = cause_of(m, BASE_CAUSE_ATTACH_METHOD_LOST);
	base_cause_warn(&cause);
}

/* Half of what a socket holds is for what nobody sends again: questions, introductions. */
static bool has_room(int fd)
{
	int bytes = 0;

	return syscall(SYS_ioctl, fd, SIOCOUTQ, &bytes) || bytes < MOST_BYTES;
}

static int send_mad(struct attach *a, struct attach_message *m)
{
	const int fd = attach_socket(a);

	if (fd < 0)
		return -ENOTCONN;
	return has_room(fd) ? attach_send(fd, m, NULL, 0) : -EAGAIN;
}

int attach_send_mad(struct attach *a, uint32_t hca, uint32_t port, const struct subnet_mad *mad)
{
	struct attach_message m = {.type = ATTACH_MAD};

	m.mad.hca = hca;
	m.mad.port = port;
	m.mad.mad = *mad;
	return send_mad(a, &m);
}

/* Of many that are wrong not all need be counted. */
void attach_bad_key(struct attach *a, uint32_t hca, uint32_t port, bool qkey,
		    const struct subnet_mad *header)
{
	struct attach_message m = {.type = ATTACH_BAD_KEY};

	m.mad.hca = hca;
	m.mad.port = port;
	m.mad.qkey = qkey;
	m.mad.mad = *header;
	(void)send_mad(a, &m);
}
