// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * An attachment. Any thread may ask; whoever waits for an answer reads the socket itself and keeps
 * what is not for it for attach_pump(), so that nobody is called back in the middle of a question.
 */
#include "attach/client.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "attach/socket.h"
#include "attach/start.h"
#include "base/alloc.h"
#include "base/cause.h"
#include "base/check.h"
#include "base/host.h"

#define ANSWER_MS 5000
#define TRIES 3

/* A message that came while somebody waited for another one. */
struct kept {
	struct kept *next;
	struct attach_message m;
	int fds[ATTACH_FDS];
};

struct attach {
	struct attach_config config;
	pthread_mutex_t lock; /* one question at a time; of the socket's reading, and @first */
	int socket;	      /* open until attach_close(), for any thread may use it */
	bool lost;	      /* atomic: the daemon is gone */
	int control_fd;
	int wake_fd;
	struct shm_control *control;
	const struct directory *directory;
	uint64_t directory_bytes;
	uint32_t id;
	uint32_t serial;
	struct kept *first;
	struct kept **last;
};

static int hang_up(struct attach *a, int err)
{
	if (!__atomic_exchange_n(&a->lost, true, __ATOMIC_ACQ_REL))
		shutdown(a->socket, SHUT_RDWR);
	return err;
}

static int keep(struct attach *a, const struct attach_message *m, int fds[ATTACH_FDS])
{
	struct kept *kept = base_alloc(sizeof(*kept));

	if (!kept) {
		attach_close_all(fds);
		return -ENOMEM;
	}
	kept->next = NULL;
	kept->m = *m;
	memcpy(kept->fds, fds, sizeof(kept->fds));
	*a->last = kept;
	a->last = &kept->next;
	base_wake();
	return 0;
}

/* The lock is held. Wait for the answer with a serial number. */
static int await(struct attach *a, uint32_t serial, struct attach_message *m, int fds[ATTACH_FDS])
{
	struct pollfd polled = {.fd = a->socket, .events = POLLIN};
	int ret;

	for (;;) {
		ret = attach_receive(a->socket, m, fds);
		if (!ret && m->serial == serial && m->type != ATTACH_PEER && m->type != ATTACH_GONE)
			return 0;
		if (!ret)
			ret = keep(a, m, fds);
		else if (ret == -EAGAIN)
			ret = poll(&polled, 1, ANSWER_MS) == 0 ? -ETIMEDOUT : 0;
		if (ret)
			return hang_up(a, ret);
	}
}

/* Ask, and wait for the answer, which has no descriptors. */
static int ask(struct attach *a, struct attach_message *m)
{
	int fds[ATTACH_FDS], ret = -ENOTCONN;

	pthread_mutex_lock(&a->lock);
	if (attach_socket(a) >= 0) {
		m->serial = ++a->serial;
		ret = attach_send(a->socket, m, NULL, 0);
		if (!ret)
			ret = await(a, m->serial, m, fds);
		if (!ret) {
			attach_close_all(fds);
			ret = m->status;
		}
	}
	pthread_mutex_unlock(&a->lock);
	return ret;
}

static int take_welcome(struct attach *a, const struct attach_message *m, int fd)
{
	if (m->type == ATTACH_REFUSED)
		return base_refuse(-ECONNREFUSED, ATTACH_REFUSED, (uint64_t)-m->status);
	if (m->type != ATTACH_WELCOME || m->welcome.id >= DIRECTORY_PROCESSES)
		return -EPROTO;
	a->directory = attach_map(fd, m->welcome.directory_bytes, false);
	if (!a->directory)
		return -errno;
	a->directory_bytes = m->welcome.directory_bytes;
	if (!directory_is_valid(a->directory, a->directory_bytes))
		return -EPROTO;
	a->id = m->welcome.id;
	return 0;
}

static void own_name(char *name, size_t bytes)
{
	snprintf(name, bytes, "%s", program_invocation_short_name);
}

static int say_hello(struct attach *a)
{
	const int mine[] = {a->control_fd, a->wake_fd};
	struct attach_message m = {.type = ATTACH_HELLO};
	int fds[ATTACH_FDS], ret;

	snprintf(m.hello.host, sizeof(m.hello.host), "%s", a->config.host);
	own_name(m.hello.command, sizeof(m.hello.command));
	m.hello.control_address = (uintptr_t)a->control;
	memcpy(m.hello.hca, a->config.hca, sizeof(m.hello.hca));
	ret = attach_send(a->socket, &m, mine, 2);
	if (!ret)
		ret = await(a, 0, &m, fds);
	if (ret)
		return ret;
	ret = take_welcome(a, &m, fds[0]);
	attach_close_all(fds);
	return ret;
}

static int make_own(struct attach *a)
{
	a->control_fd = attach_memory("verbena-control", sizeof(*a->control));
	if (a->control_fd < 0)
		return a->control_fd;
	a->control = attach_map(a->control_fd, sizeof(*a->control), true);
	if (!a->control)
		return -errno;
	if (getrandom(&a->control->nonce, sizeof(a->control->nonce), GRND_NONBLOCK) < 0)
		return -errno;
	a->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return a->wake_fd < 0 ? -errno : 0;
}

/* A daemon that was idle may end between our connecting and its hearing of us. */
static int reach_daemon(struct attach *a)
{
	int ret = -ECONNRESET;

	for (int i = 0; i < TRIES && (ret == -ECONNRESET || ret == -EPIPE); i++) {
		if (a->socket >= 0)
			close(a->socket);
		a->lost = false;
		a->socket = attach_start(a->config.fabric);
		if (a->socket < 0)
			return a->socket;
		ret = say_hello(a);
	}
	return ret && ret != -ECONNREFUSED ? base_refuse(ret, ATTACH_LOST, (uint64_t)-ret) : ret;
}

static int open_all(struct attach *a)
{
	int ret = make_own(a);

	return ret ? base_refuse(ret, ATTACH_MEMORY, (uint64_t)-ret) : reach_daemon(a);
}

struct attach *attach_open(const struct attach_config *config, int *err)
{
	struct attach *a = base_zalloc(sizeof(*a));

	if (!a) {
		*err = base_refuse(-ENOMEM, NO_MEMORY, sizeof(*a));
		return NULL;
	}
	a->config = *config;
	a->socket = a->control_fd = a->wake_fd = -1;
	a->last = &a->first;
	pthread_mutex_init(&a->lock, NULL);
	*err = open_all(a);
	if (!*err)
		return a;
	attach_close(a);
	return NULL;
}

static void drop_kept(struct attach *a)
{
	struct kept *kept;

	while ((kept = a->first)) {
		a->first = kept->next;
		attach_close_all(kept->fds);
		base_free(kept);
	}
	a->last = &a->first;
}

void attach_close(struct attach *a)
{
	if (!a)
		return;
	drop_kept(a);
	if (a->socket >= 0)
		close(a->socket);
	if (a->directory)
		munmap((void *)(uintptr_t)a->directory, a->directory_bytes);
	if (a->control)
		munmap(a->control, sizeof(*a->control));
	if (a->control_fd >= 0)
		close(a->control_fd);
	if (a->wake_fd >= 0)
		close(a->wake_fd);
	pthread_mutex_destroy(&a->lock);
	base_free(a);
}

/* The socket is the parent's as well: closing our copy says nothing to the daemon. */
void attach_forked(struct attach *a)
{
	if (!a)
		return;
	pthread_mutex_init(&a->lock, NULL);
	attach_close(a);
}

const struct directory *attach_directory(const struct attach *a)
{
	return a->directory;
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
	return __atomic_load_n(&a->lost, __ATOMIC_ACQUIRE) ? -1 : a->socket;
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
		.wake_fd = fds[2],
		.pid = m->peer.pid,
	};

	if (peer.id >= DIRECTORY_PROCESSES || fds[2] < 0)
		return false;
	peer.pair = attach_map(fds[0], sizeof(*peer.pair), true);
	peer.control = attach_map(fds[1], sizeof(*peer.control), false);
	if (peer.pair && peer.control && a->config.peer(a->config.ctx, &peer)) {
		fds[2] = -1;
		return true;
	}
	if (peer.pair)
		munmap(peer.pair, sizeof(*peer.pair));
	if (peer.control)
		munmap((void *)(uintptr_t)peer.control, sizeof(*peer.control));
	return false;
}

static void dispatch(struct attach *a, const struct attach_message *m, int fds[ATTACH_FDS])
{
	if (m->type == ATTACH_PEER)
		(void)take_peer(a, m, fds);
	else if (m->type == ATTACH_GONE && m->peer.id < DIRECTORY_PROCESSES)
		a->config.gone(a->config.ctx, m->peer.id, m->peer.generation);
	attach_close_all(fds);
}

/* The next message, kept or fresh. */
static int next(struct attach *a, struct attach_message *m, int fds[ATTACH_FDS])
{
	struct kept *kept;
	int ret;

	pthread_mutex_lock(&a->lock);
	kept = a->first;
	if (kept) {
		a->first = kept->next;
		if (!a->first)
			a->last = &a->first;
		*m = kept->m;
		memcpy(fds, kept->fds, sizeof(kept->fds));
		base_free(kept);
		ret = 0;
	} else {
		ret = attach_socket(a) < 0 ? -EAGAIN : attach_receive(a->socket, m, fds);
		if (ret && ret != -EAGAIN)
			hang_up(a, ret);
	}
	pthread_mutex_unlock(&a->lock);
	return ret;
}

void attach_pump(struct attach *a)
{
	struct attach_message m;
	int fds[ATTACH_FDS];

	while (!next(a, &m, fds))
		dispatch(a, &m, fds);
}

int attach_take_block(struct attach *a, uint32_t *first_qpn)
{
	struct attach_message m = {.type = ATTACH_TAKE_BLOCK};
	const int ret = ask(a, &m);

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

static int ask_for_group(struct attach *a, uint32_t type, const uint8_t gid[16])
{
	struct attach_message m = {.type = type};

	memcpy(m.group.gid, gid, sizeof(m.group.gid));
	return ask(a, &m);
}

int attach_join(struct attach *a, const uint8_t gid[16])
{
	return ask_for_group(a, ATTACH_JOIN, gid);
}

int attach_leave(struct attach *a, const uint8_t gid[16])
{
	return ask_for_group(a, ATTACH_LEAVE, gid);
}
