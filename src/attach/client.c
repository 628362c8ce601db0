// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * An attachment. Any thread may ask; whoever waits for an answer reads the socket itself and keeps
 * what is not for it for attach_pump(), so that nobody is called back in the middle of a question.
 */
#include "attach/client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "attach/client_priv.h"
#include "attach/socket.h"
#include "attach/start.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/host.h"
#include "base/thread.h"

#define TRIES 3

/* Messages that are heard before what they lead to is done: fewer than the receives of QP 1. */
#define PUMP_BUDGET 128u

static int keep(struct attach *a, const struct attach_message *m, int fds[ATTACH_FDS])
{
	struct attach_kept *kept = base_alloc(sizeof(*kept));

	if (!kept) {
		attach_close_all(fds);
		return -ENOMEM;
	}
	kept->next = NULL;
	kept->m = *m;
	memcpy(kept->fds, fds, sizeof(kept->fds));
	spin_lock(&a->kept_lock);
	*a->last = kept;
	a->last = &kept->next;
	spin_unlock(&a->kept_lock);
	base_wake();
	return 0;
}

static struct attach_kept *take_kept(struct attach *a)
{
	struct attach_kept *kept;

	spin_lock(&a->kept_lock);
	kept = a->first;
	if (kept)
		a->first = kept->next;
	if (!a->first)
		a->last = &a->first;
	spin_unlock(&a->kept_lock);
	return kept;
}

static void drop_kept(struct attach *a)
{
	struct attach_kept *kept;

	while ((kept = take_kept(a))) {
		attach_close_all(kept->fds);
		base_free(kept);
	}
}

static int timed_out(void)
{
	return base_refuse(-ETIMEDOUT, ATTACH_TIMEOUT, ATTACH_ANSWER_MS);
}

static int wait_for_fd(int fd, short events, int ms)
{
	struct pollfd polled = {.fd = fd, .events = events};

	return poll(&polled, 1, ms) == 0 ? timed_out() : 0;
}

static int wait_readable(int fd, int ms)
{
	return wait_for_fd(fd, POLLIN, ms);
}

/* What the daemon says on its own; and answers that nobody waits for. */
static bool is_event(const struct attach_message *m)
{
	return m->type == ATTACH_PEER || m->type == ATTACH_GONE || m->type == ATTACH_PORT_IS ||
	       m->type == ATTACH_MAD || (m->type == ATTACH_AGENT_IS && !m->serial);
}

static int ms_until(uint64_t deadline_ns)
{
	const uint64_t now_ns = base_clock_ns();

	return now_ns < deadline_ns ? (int)((deadline_ns - now_ns) / BASE_NS_PER_MS) : 0;
}

/*
 * The lock is held. Wait for the answer with a serial number. A daemon that does not answer in time may
 * be stopped: what it answers to an earlier question is passed over.
 */
static int await(struct attach *a, uint32_t serial, uint64_t deadline_ns, struct attach_message *m,
		 int fds[ATTACH_FDS])
{
	int ret;

	for (;;) {
		ret = attach_receive(a->socket, m, fds);
		if (!ret && m->type == ATTACH_REFUSED) {
			attach_close_all(fds);
			return attach_give_up(a, &m->cause);
		}
		if (!ret && !is_event(m)) {
			if (m->serial == serial)
				return 0;
			attach_close_all(fds);
		} else if (!ret) {
			ret = keep(a, m, fds);
		} else if (ret == -EAGAIN) {
			ret = wait_readable(a->socket, ms_until(deadline_ns));
			if (ret)
				return ret;
		}
		if (ret)
			return attach_hang_up(a, ret);
	}
}

int attach_send_by(int fd, struct attach_message *m, uint64_t deadline_ns)
{
	int ret;

	while ((ret = attach_send(fd, m, NULL, 0)) == -EAGAIN) {
		ret = wait_for_fd(fd, POLLOUT, ms_until(deadline_ns));
		if (ret)
			break;
	}
	return ret;
}

static int ask_once(struct attach *a, struct attach_message *m, uint64_t deadline_ns)
{
	int fds[ATTACH_FDS], ret;

	m->serial = ++a->serial;
	ret = attach_send_by(a->socket, m, deadline_ns);
	if (ret == -ETIMEDOUT)
		return ret;
	if (ret)
		return attach_hang_up(a, ret);
	ret = await(a, m->serial, deadline_ns, m, fds);
	if (ret)
		return ret;
	attach_close_all(fds);
	return m->status;
}

int attach_ask(struct attach *a, const struct attach_message *question, struct attach_message *m)
{
	const uint64_t deadline_ns = base_clock_ns() + ATTACH_ANSWER_MS * BASE_NS_PER_MS;
	int ret;
	BASE_UNCANCELLED;

	do {
		ret = attach_wait_link(a, deadline_ns);
		if (ret)
			break;
		*m = *question;
		pthread_mutex_lock(&a->lock);
		ret = attach_link(a) == ATTACH_UP ? ask_once(a, m, deadline_ns) : -ECONNRESET;
		pthread_mutex_unlock(&a->lock);
	} while (ret && attach_link(a) != ATTACH_UP);
	return ret;
}

static int map_directory(struct attach *a, const struct attach_message *m, int fd)
{
	a->directory = attach_map_file(fd, m->welcome.directory_bytes);
	if (!a->directory)
		return -errno;
	a->directory_bytes = m->welcome.directory_bytes;
	if (!directory_is_valid(a->directory, a->directory_bytes))
		return -EPROTO;
	a->id = m->welcome.id;
	a->generation = m->welcome.generation;
	return 0;
}

static int take_welcome(struct attach *a, const struct attach_message *m, int fd)
{
	if (m->type == ATTACH_REFUSED) {
		base_cause_set_last(&m->cause);
		return -ECONNREFUSED;
	}
	if (m->type != ATTACH_WELCOME || m->welcome.id >= DIRECTORY_PROCESSES)
		return -EPROTO;
	if (!a->directory)
		return map_directory(a, m, fd);
	return m->welcome.id == a->id ? 0 : -EPROTO;
}

static void claim(struct attach *a, struct attach_message *m)
{
	m->hello.incarnation = a->directory->incarnation;
	m->hello.id = a->id;
	m->hello.generation = a->generation;
	a->config.known(a->config.ctx, m->hello.known);
}

static int send_hello(struct attach *a, int fd)
{
	const int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	const int mine[ATTACH_HELLO_FDS] = {
		[ATTACH_HELLO_CONTROL] = a->control_fd,
		[ATTACH_HELLO_WAKE] = a->wake_fd,
		[ATTACH_HELLO_KEYS] = a->keys_fd,
		[ATTACH_HELLO_MEMORY] = memory,
	};
	struct attach_message m = {.type = ATTACH_HELLO};
	int ret;

	snprintf(m.hello.host, sizeof(m.hello.host), "%s", a->host);
	snprintf(m.hello.command, sizeof(m.hello.command), "%s", program_invocation_short_name);
	m.hello.control_address = (uintptr_t)a->control;
	if (a->directory)
		claim(a, &m);
	else
		memcpy(m.hello.hca, a->config.hca, sizeof(m.hello.hca));
	ret = attach_send(fd, &m, mine, memory < 0 ? ATTACH_HELLO_MEMORY : ATTACH_HELLO_FDS);
	if (memory >= 0)
		close(memory);
	return ret;
}

int attach_hello(struct attach *a, int fd)
{
	struct attach_message m;
	int fds[ATTACH_FDS], ret = send_hello(a, fd);

	if (!ret)
		ret = wait_readable(fd, ATTACH_ANSWER_MS);
	if (!ret)
		ret = attach_receive(fd, &m, fds);
	if (ret == -EPROTONOSUPPORT)
		return base_refuse(ret, ATTACH_OTHER_VERSION, m.version, ATTACH_VERSION);
	if (ret)
		return ret;
	ret = take_welcome(a, &m, fds[0]);
	attach_close_all(fds);
	return ret;
}

/* Others map it read-only, whatever they ask for. */
static int make_keys(struct attach *a)
{
	a->keys_fd = base_fd_hide(attach_memory("verbena-keys", a->config.key_bytes));
	if (a->keys_fd < 0)
		return a->keys_fd;
	a->keys = attach_map(a->keys_fd, a->config.key_bytes, true);
	if (!a->keys || fcntl(a->keys_fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) ||
	    madvise(a->keys, a->config.key_bytes, MADV_DONTFORK))
		return -errno;
	return 0;
}

static int make_own(struct attach *a)
{
	a->control_fd = base_fd_hide(attach_memory("verbena-control", ATTACH_SHOWN_BYTES));
	if (a->control_fd < 0)
		return a->control_fd;
	a->control = attach_map(a->control_fd, ATTACH_SHOWN_BYTES, true);
	if (!a->control)
		return -errno;
	if (getrandom(&a->control->nonce, sizeof(a->control->nonce), GRND_NONBLOCK) < 0)
		return -errno;
	a->wake_fd = base_fd_hide(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	return a->wake_fd < 0 ? -errno : make_keys(a);
}

static bool has_cause(int err)
{
	return err == -ECONNREFUSED || err == -EPROTONOSUPPORT || err == -ETIMEDOUT;
}

/* A daemon that was idle may end between our connecting and its hearing of us. */
static int reach_daemon(struct attach *a)
{
	int ret = -ECONNRESET;

	for (int i = 0; i < TRIES && (ret == -ECONNRESET || ret == -EPIPE); i++) {
		base_fd_close(a->socket);
		a->socket = attach_start(a->fabric);
		if (a->socket < 0)
			return a->socket;
		ret = attach_hello(a, a->socket);
	}
	return ret && !has_cause(ret) ? base_refuse(ret, ATTACH_LOST, (uint64_t)-ret) : ret;
}

static int open_all(struct attach *a)
{
	int ret = make_own(a);

	if (ret == -ENOSYS || ret == -EPERM || ret == -EACCES)
		return base_refuse(ret, ATTACH_NO_MEMFD, (uint64_t)-ret);
	if (ret == -EFBIG)
		return base_refuse(ret, ATTACH_FILE_SIZE);
	return ret ? base_refuse(ret, ATTACH_MEMORY, (uint64_t)-ret) : reach_daemon(a);
}

struct attach *attach_open(const struct attach_config *config, int *err)
{
	struct attach *a = base_zalloc(sizeof(*a));
	BASE_UNCANCELLED;

	if (!a) {
		*err = base_refuse(-ENOMEM, NO_MEMORY, sizeof(*a));
		return NULL;
	}
	a->config = *config;
	snprintf(a->fabric, sizeof(a->fabric), "%s", config->fabric);
	snprintf(a->host, sizeof(a->host), "%s", config->host);
	a->socket = a->control_fd = a->wake_fd = a->keys_fd = -1;
	a->last = &a->first;
	spin_lock_init(&a->kept_lock);
	pthread_mutex_init(&a->lock, NULL);
	attach_agents_init(a);
	attach_again_init(a);
	*err = open_all(a);
	if (!*err)
		return a;
	attach_close(a);
	return NULL;
}

static void close_all(struct attach *a)
{
	drop_kept(a);
	attach_agents_free(a);
	base_fd_close(a->socket);
	if (a->directory)
		munmap((void *)(uintptr_t)a->directory, a->directory_bytes);
	if (a->control)
		munmap(a->control, ATTACH_SHOWN_BYTES);
	base_fd_close(a->control_fd);
	base_fd_close(a->wake_fd);
	base_fd_close(a->keys_fd);
	if (a->keys)
		munmap(a->keys, a->config.key_bytes);
	base_free(a);
}

void attach_close(struct attach *a)
{
	BASE_UNCANCELLED;

	if (!a)
		return;
	attach_again_stop(a);
	close_all(a);
}

/* The socket is the parent's as well: closing our copy says nothing to the daemon. */
void attach_forked(struct attach *a)
{
	if (!a)
		return;
	spin_lock_init(&a->kept_lock);
	attach_agents_init(a); /* those that there are may be in the middle of a change */
	attach_again_forked(a);
	close_all(a);
}

const struct directory *attach_directory(const struct attach *a)
{
	return a->directory;
}

_Static_assert(sizeof(struct shm_control) <= ATTACH_REPORT_AT, "the report lies behind it");

struct base_report *attach_report(const struct attach *a)
{
	return (struct base_report *)((char *)a->control + ATTACH_REPORT_AT);
}

struct shm_control *attach_control(const struct attach *a)
{
	return a->control;
}

uint32_t attach_id(const struct attach *a)
{
	return a->id;
}

int attach_slot(const struct attach *a, uint32_t hca, uint32_t port)
{
	return directory_slot(a->directory, a->directory->process[a->id].host, hca, port);
}

int attach_socket(const struct attach *a)
{
	return attach_link(a) == ATTACH_UP ? a->socket : -1;
}

void *attach_take_keys(struct attach *a)
{
	void *keys = a->keys;

	a->keys = NULL;
	return keys;
}

int attach_wake_fd(const struct attach *a)
{
	return a->wake_fd;
}

/* Descriptors that were used are set to -1. */
static bool take_peer(struct attach *a, const struct attach_message *m, int fds[ATTACH_FDS])
{
	struct wire_shm_peer peer = {
		.id = m->peer.id,
		.generation = m->peer.generation,
		.control_address = m->peer.control_address,
		.wake_fd = -1,
		.pid = m->peer.pid,
		.mem_fd = -1,
	};

	if (attach_map_peer(&peer, fds) && a->config.peer(a->config.ctx, &peer))
		return true;
	attach_unmap_peer(&peer);
	return false;
}

/* Without us the other would wait for ever. A cause of its own: nobody has called. */
static void miss_peer(struct attach *a, const struct attach_message *m, int error)
{
	const struct base_cause cause = {.id = BASE_CAUSE_ATTACH_MISSED,
					 .arg = {(uint64_t)m->peer.pid, (uint64_t)error}};
	struct attach_message told = {.type = ATTACH_MISSED, .peer = m->peer};
	const int fd = attach_socket(a);

	base_cause_tell(&cause);
	a->config.missed(a->config.ctx, m->peer.id);
	if (fd >= 0)
		(void)attach_send(fd, &told, NULL, 0);
}

static void dispatch(struct attach *a, const struct attach_message *m, int fds[ATTACH_FDS])
{
	const bool crowded = fds[ATTACH_PEER_WAKE] < 0; /* they come in this order */

	if (m->type == ATTACH_PEER && m->peer.id < DIRECTORY_PROCESSES) {
		if (!take_peer(a, m, fds))
			miss_peer(a, m, crowded ? EMFILE : ENOMEM);
	} else if (m->type == ATTACH_GONE && m->peer.id < DIRECTORY_PROCESSES) {
		a->config.gone(a->config.ctx, m->peer.id, m->peer.generation);
	} else if (m->type == ATTACH_PORT_IS && m->link.hca < DIRECTORY_HCAS &&
		   m->link.port < DIRECTORY_PORTS) {
		a->config.port(a->config.ctx, m->link.hca, m->link.port, m->link.what,
			       m->link.up != 0);
	} else if (m->type == ATTACH_REFUSED) {
		(void)attach_give_up(a, &m->cause);
	} else if (m->type == ATTACH_MAD && attach_is_mad(m)) {
		a->config.mad(a->config.ctx, m->mad.hca, m->mad.port, &m->mad.mad);
	} else if (m->type == ATTACH_AGENT_IS) {
		attach_agent_is(m);
	}
	attach_close_all(fds);
}

/* The next message. Whoever waits for an answer reads the socket himself, and wakes us. */
static int next(struct attach *a, bool readable, struct attach_message *m, int fds[ATTACH_FDS])
{
	struct attach_kept *kept = take_kept(a);
	int ret;

	if (kept) {
		*m = kept->m;
		memcpy(fds, kept->fds, sizeof(kept->fds));
		base_free(kept);
		return 0;
	}
	if (!readable || pthread_mutex_trylock(&a->lock))
		return -EAGAIN;
	ret = attach_socket(a) < 0 ? -EAGAIN : attach_receive(a->socket, m, fds);
	if (ret && ret != -EAGAIN)
		(void)attach_hang_up(a, ret);
	pthread_mutex_unlock(&a->lock);
	return ret;
}

/* A cause of its own: nobody has called. */
static void tell_link(struct attach *a, enum attach_link link)
{
	struct base_cause cause = {.id = 0};

	pthread_mutex_lock(&a->link_lock);
	if (link != ATTACH_UP)
		cause = a->cause;
	pthread_mutex_unlock(&a->link_lock);
	if (cause.id)
		base_cause_tell(&cause);
	if ((link == ATTACH_UP) != (a->told == ATTACH_UP))
		a->config.link(a->config.ctx, link == ATTACH_UP);
	a->told = link;
}

void attach_pump(struct attach *a, bool readable)
{
	struct attach_message m;
	int fds[ATTACH_FDS];
	enum attach_link link;
	unsigned int budget = PUMP_BUDGET;

	while (budget && !next(a, readable, &m, fds)) {
		dispatch(a, &m, fds);
		budget--;
	}
	if (!budget)
		base_wake(); /* for what was kept; the socket says itself that it is readable */
	link = attach_link(a);
	if (link != a->told)
		tell_link(a, link);
}

int attach_take_block(struct attach *a, uint32_t *first_qpn)
{
	const struct attach_message question = {.type = ATTACH_TAKE_BLOCK};
	struct attach_message m = {.type = 0};
	const int ret = attach_ask(a, &question, &m);

	*first_qpn = m.block.first_qpn;
	return ret;
}

void attach_introduce(struct attach *a, uint32_t id)
{
	struct attach_message m = {.type = ATTACH_INTRODUCE};
	const int fd = attach_socket(a);

	m.peer.id = id;
	if (fd >= 0)
		(void)attach_send(fd, &m, NULL, 0);
}

static struct attach_message link_message(uint32_t hca, uint32_t port, bool up)
{
	struct attach_message m = {.type = ATTACH_SET_LINK};

	m.link.hca = hca;
	m.link.port = port;
	m.link.up = up;
	return m;
}

int attach_set_link(struct attach *a, uint32_t hca, uint32_t port, bool up)
{
	const struct attach_message question = link_message(hca, port, up);
	struct attach_message m;

	return attach_ask(a, &question, &m);
}

bool attach_want_link(struct attach *a, uint32_t hca, uint32_t port, bool up)
{
	struct attach_message m = link_message(hca, port, up);
	const int fd = attach_socket(a);

	return fd >= 0 && !attach_send(fd, &m, NULL, 0);
}

static int ask_for_group(struct attach *a, uint32_t type, const uint8_t gid[16])
{
	struct attach_message question = {.type = type}, m;

	memcpy(question.group.gid, gid, sizeof(question.group.gid));
	return attach_ask(a, &question, &m);
}

int attach_join(struct attach *a, const uint8_t gid[16])
{
	const int ret = ask_for_group(a, ATTACH_JOIN, gid);

	return ret == -ENOSPC ? base_refuse(-ENOMEM, ATTACH_GROUPS, DIRECTORY_GROUPS) : ret;
}

int attach_leave(struct attach *a, const uint8_t gid[16])
{
	return ask_for_group(a, ATTACH_LEAVE, gid);
}

int attach_traffic(struct attach *a, uint32_t hca, uint32_t port, struct base_traffic *traffic)
{
	const struct attach_message question = {.type = ATTACH_COUNTERS,
						.counters = {.hca = hca, .port = port}};
	struct attach_message m;
	int ret;

	if (attach_link(a) != ATTACH_UP)
		return -ENOTCONN; /* who reads a counter shall not wait for the next daemon */
	ret = attach_ask(a, &question, &m);
	*traffic = m.counters.traffic;
	return ret;
}
