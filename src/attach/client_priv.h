/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What client.c (questions, what the daemon says) and again.c (the daemon's successor) share. */
#ifndef ATTACH_CLIENT_PRIV_H
#define ATTACH_CLIENT_PRIV_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <pthread.h>

#include "attach/client.h"
#include "attach/protocol.h"
#include "base/cause.h"

#define ATTACH_ANSWER_MS 5000

enum attach_link {
	ATTACH_UP,
	ATTACH_LOST,  /* the daemon is gone, a thread looks for the next one */
	ATTACH_ALONE, /* the next one does not want us: for good */
};

/* A message that came while somebody waited for another one. */
struct attach_kept {
	struct attach_kept *next;
	struct attach_message m;
	int fds[ATTACH_FDS];
};

/**
 * struct attach - An attachment.
 * @config: As given; @fabric and @host are copies, @hca is for the first hello.
 * @fabric: Name of the fabric.
 * @host: Name of our host.
 * @lock: One question at a time; of the socket's reading, and of its exchange for another one.
 * @socket: Open until attach_close(), for any thread may use it: a new connection gets its number.
 * @control_fd: Of @control.
 * @wake_fd: To wake us.
 * @keys_fd: Of @keys.
 * @control: Our control page.
 * @keys: Our keys, until they are taken.
 * @directory: The directory.
 * @directory_bytes: Of its mapping.
 * @id: Our id in it.
 * @generation: Of our id.
 * @serial: Of the last question. Of @lock.
 * @kept_lock: Of @first and @last. Leaf.
 * @first: Kept messages.
 * @last: Where the next one is linked.
 * @agents_lock: Of @agents; held while they are declared to another daemon.
 * @agents: Those that receive requests (mad.c).
 * @link_lock: Of what follows.
 * @changed: @link has, or @closing.
 * @link: Atomic: read without the lock.
 * @cause: Why it is not ATTACH_UP.
 * @closing: attach_close() waits for the thread.
 * @looking: The thread was started, and not joined.
 * @trying: The connection that it tries, or -1.
 * @thread: It.
 * @told: What &attach_config.link was last told. Of attach_pump().
 */
struct attach {
	struct attach_config config;
	char fabric[ATTACH_NAME];
	char host[ATTACH_NAME];
	pthread_mutex_t lock;
	int socket;
	int control_fd;
	int wake_fd;
	int keys_fd;
	struct shm_control *control;
	void *keys;
	const struct directory *directory;
	uint64_t directory_bytes;
	uint32_t id;
	uint32_t generation;
	uint32_t serial;
	spinlock_t kept_lock;
	struct attach_kept *first;
	struct attach_kept **last;
	pthread_mutex_t agents_lock;
	struct list_head agents;
	pthread_mutex_t link_lock;
	pthread_cond_t changed;
	enum attach_link link;
	struct base_cause cause;
	bool closing;
	bool looking;
	int trying;
	pthread_t thread;
	enum attach_link told;
};

/**
 * attach_hello() - Introduce ourselves over a fresh connection, and wait for the answer.
 * @a: Attachment; if it has a directory, we claim what we are in it.
 * @fd: Socket.
 *
 * Return: 0; -ECONNREFUSED with the daemon's cause; -EPROTONOSUPPORT, -ETIMEDOUT with a cause; another
 *	negative errno if the connection broke.
 */
int attach_hello(struct attach *a, int fd);

/** attach_again_init() - The connection is up. */
void attach_again_init(struct attach *a);

/** attach_again_stop() - Look for no daemon any more. Context: May sleep. */
void attach_again_stop(struct attach *a);

/** attach_again_forked() - In a child: the thread is not there. */
void attach_again_forked(struct attach *a);

/** attach_link() - How the connection is. */
static inline enum attach_link attach_link(const struct attach *a)
{
	return __atomic_load_n(&a->link, __ATOMIC_ACQUIRE);
}

/** attach_hang_up() - The connection broke: look for the next daemon. Return: @err. */
int attach_hang_up(struct attach *a, int err);

/** attach_give_up() - The daemon does not want us any more, and there is to be no other. Return: -ECONNREFUSED. */
int attach_give_up(struct attach *a, const struct base_cause *cause);

/**
 * attach_wait_link() - Wait until there is a daemon.
 * @a: Attachment.
 * @deadline_ns: Until when at most, as base_clock_ns().
 *
 * Return: 0; -ENOTCONN, with a cause.
 */
int attach_wait_link(struct attach *a, uint64_t deadline_ns);

/**
 * attach_ask() - Ask, and wait for the answer, which has no descriptors: of this daemon, or of its successor.
 * @a: Attachment.
 * @question: What.
 * @m: Out: the answer.
 *
 * Context: May sleep.
 * Return: Its status; as attach_take_block() if there is none.
 */
int attach_ask(struct attach *a, const struct attach_message *question, struct attach_message *m);

/**
 * attach_send_by() - Send a message, without descriptors, that the daemon may not have room for yet.
 * @fd: Socket.
 * @m: As for attach_send().
 * @deadline_ns: Until when to wait, as base_clock_ns().
 *
 * Return: 0; -ETIMEDOUT, with a cause; as attach_send().
 */
int attach_send_by(int fd, struct attach_message *m, uint64_t deadline_ns);

/** attach_agents_init() - There are none (mad.c). */
void attach_agents_init(struct attach *a);

/** attach_agents_free() - Forget them. */
void attach_agents_free(struct attach *a);

/**
 * attach_agents_declare() - Tell another daemon of them.
 * @a: Attachment. What the daemon answers is heard by attach_agent_is().
 * @fd: Socket.
 *
 * Context: May sleep. @a->agents_lock is held until the daemon is ours.
 * Return: 0, or a negative errno.
 */
int attach_agents_declare(struct attach *a, int fd);

/** attach_agent_is() - A daemon that began anew may have given away what an agent of ours had: say so. */
void attach_agent_is(const struct attach_message *m);

/**
 * attach_map_peer() - Take what ATTACH_PEER came with (peer.c).
 * @peer: Its numbers are filled in.
 * @fds: Descriptors; those that are kept are set to -1.
 *
 * Return: false if it is not what it should be; attach_unmap_peer() in either case.
 */
bool attach_map_peer(struct wire_shm_peer *peer, int fds[ATTACH_FDS]);

/** attach_unmap_peer() - Give it back. */
void attach_unmap_peer(struct wire_shm_peer *peer);

#endif
