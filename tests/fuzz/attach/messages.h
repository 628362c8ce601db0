/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Messages between processes and their daemon, as they should be, and with whatever the input changes. */
#ifndef TESTS_FUZZ_ATTACH_MESSAGES_H
#define TESTS_FUZZ_ATTACH_MESSAGES_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "attach/protocol.h"
#include "attach/socket.h"
#include "base/check.h"
#include "wire/shm.h"

#define MESSAGES_INCARNATION 0x1234u
#define MESSAGES_HOST "h1"
#define MESSAGES_CLAIM (ATTACH_PORT_IS + 1u) /* a hello of who was attached before */
#define MESSAGES_TYPES (ATTACH_BAD_KEY + 2u) /* and one that there is not */
#define MESSAGES_MOST_FDS 7u		     /* more than a message may have */
#define MESSAGES_NONCE 0x1122334455667788u

/* What is left of the input. */
struct messages {
	const uint8_t *at;
	size_t count;
};

/* Descriptors: what belongs into messages, and what does not. */
enum messages_fd {
	FD_CONTROL,
	FD_WAKE,
	FD_KEYS,
	FD_MEMORY,
	FD_PAIR,
	FD_DIRECTORY,
	FD_SMALL,
	FD_UNSEALED,
	FD_PIPE,
	FD_NULL,
	FD_SOCKET,
	FD_KINDS,
};

static int messages_fd[FD_KINDS];
static uint8_t *messages_shown; /* FD_CONTROL's */

static inline uint8_t messages_byte(struct messages *in)
{
	if (!in->count)
		return 0;
	in->count--;
	return *in->at++;
}

static inline void messages_init(void)
{
	int fds[2];

	messages_fd[FD_CONTROL] = attach_memory("control", ATTACH_SHOWN_BYTES);
	messages_fd[FD_WAKE] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	messages_fd[FD_KEYS] = attach_memory("keys", 4096);
	messages_fd[FD_MEMORY] = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	messages_fd[FD_PAIR] = attach_memory("pair", sizeof(struct shm_pair));
	messages_fd[FD_DIRECTORY] = attach_memory("directory", sizeof(struct directory));
	messages_fd[FD_SMALL] = attach_memory("small", 10);
	messages_fd[FD_UNSEALED] = memfd_create("unsealed", MFD_CLOEXEC);
	messages_fd[FD_NULL] = open("/dev/null", O_RDWR | O_CLOEXEC);
	INVARIANT(!pipe2(fds, O_CLOEXEC | O_NONBLOCK));
	messages_fd[FD_PIPE] = fds[1];
	close(fds[0]); /* who writes to it gets a signal */
	INVARIANT(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds));
	messages_fd[FD_SOCKET] = fds[1];
	close(fds[0]);
	messages_shown = mmap(NULL, ATTACH_SHOWN_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			      messages_fd[FD_CONTROL], 0);
	INVARIANT(messages_shown != MAP_FAILED);
	((struct shm_control *)messages_shown)->nonce = MESSAGES_NONCE;
}

/* Rises with each descriptor that is leaked. */
static inline int messages_first_free_fd(void)
{
	const int fd = dup(messages_fd[FD_NULL]);

	close(fd);
	return fd;
}

/* A byte of an odd number: somewhere in what a process shows of itself. */
static inline void messages_scribble(struct messages *in)
{
	const size_t at = messages_byte(in) | (size_t)messages_byte(in) << 8 |
			  (size_t)messages_byte(in) << 16;
	const uint8_t value = messages_byte(in);

	if (value & 1)
		memset(messages_shown + at % (ATTACH_SHOWN_BYTES - 64), value, 64);
}

/* As it should be. */
static inline void messages_fill(struct attach_message *m, uint32_t type)
{
	*m = (struct attach_message){
		.magic = ATTACH_MAGIC, .version = ATTACH_VERSION, .type = type};
	switch (type) {
	case MESSAGES_CLAIM:
		m->type = ATTACH_HELLO;
		m->hello.incarnation = MESSAGES_INCARNATION;
		m->hello.generation = 1;
		__attribute__((__fallthrough__));
	case ATTACH_HELLO:
		snprintf(m->hello.host, sizeof(m->hello.host), "%s", MESSAGES_HOST);
		snprintf(m->hello.command, sizeof(m->hello.command), "fuzz");
		m->hello.control_address = (uintptr_t)messages_shown;
		m->hello.hca[0].ports = 1;
		break;
	case ATTACH_WELCOME:
		m->welcome.directory_bytes = sizeof(struct directory);
		break;
	case ATTACH_PEER:
		m->peer.control_address = (uintptr_t)messages_shown;
		m->peer.pid = getpid();
		m->peer.id = 1;
		break;
	case ATTACH_AGENT:
		m->agent.is = (struct attach_agent){
			.hi_tid = 1, .qpn = 1, .mgmt_class = 4, .class_version = 1, .methods = {2}};
		break;
	case ATTACH_AGENT_IS:
		m->status = -EINVAL;
		break;
	default:
		break;
	}
}

/* Each: two bytes of an offset, a value, how often. */
static inline void messages_change(struct messages *in, struct attach_message *m, uint8_t changes)
{
	while (changes-- && in->count) {
		const size_t at = (messages_byte(in) | (size_t)messages_byte(in) << 8) % sizeof(*m);
		const uint8_t value = messages_byte(in);
		const size_t times = messages_byte(in) + 1u;

		memset((uint8_t *)m + at, value, times < sizeof(*m) - at ? times : sizeof(*m) - at);
	}
}

static inline void messages_send_with(int fd, const void *bytes, size_t count, const int *fds,
				      unsigned int fd_count)
{
	struct iovec iov = {(void *)(uintptr_t)bytes, count};
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * MESSAGES_MOST_FDS)] = {0};
	struct msghdr header = {.msg_iov = &iov, .msg_iovlen = 1};

	if (fd_count) {
		struct cmsghdr *cmsg;

		header.msg_control = control;
		header.msg_controllen = CMSG_SPACE(sizeof(int) * fd_count);
		cmsg = CMSG_FIRSTHDR(&header);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int) * fd_count);
		memcpy(CMSG_DATA(cmsg), fds, sizeof(int) * fd_count);
	}
	(void)sendmsg(fd, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* What a message of a type comes with, in order. */
static inline unsigned int messages_right_fds(uint32_t type, int fds[MESSAGES_MOST_FDS])
{
	if (type == ATTACH_HELLO || type == MESSAGES_CLAIM) {
		memcpy(fds, messages_fd, 4 * sizeof(int)); /* control, wake, keys, memory */
		return 4;
	}
	if (type == ATTACH_PEER) {
		fds[0] = messages_fd[FD_PAIR];
		memcpy(fds + 1, messages_fd, 4 * sizeof(int));
		return 5;
	}
	fds[0] = messages_fd[FD_DIRECTORY];
	return type == ATTACH_WELCOME;
}

/* Three bytes: the type; descriptors, 0 for the right ones; how many changes follow. */
static inline void messages_send(struct messages *in, int fd)
{
	const uint32_t type = messages_byte(in) % MESSAGES_TYPES;
	const uint8_t wrong = messages_byte(in);
	const uint8_t changes = messages_byte(in);
	int fds[MESSAGES_MOST_FDS];
	unsigned int count = messages_right_fds(type, fds);
	struct attach_message m;

	messages_fill(&m, type);
	messages_change(in, &m, changes % 8);
	if (wrong) {
		count = wrong / FD_KINDS % (MESSAGES_MOST_FDS + 1);
		for (unsigned int i = 0; i < count; i++)
			fds[i] = messages_fd[i == wrong % 5u ? wrong % FD_KINDS : i % 4];
	}
	messages_send_with(fd, &m, sizeof(m), fds, count);
}

/* What is no whole message: a byte for its length, and then it. */
static inline void messages_send_bytes(struct messages *in, int fd)
{
	struct attach_message m;
	size_t bytes = messages_byte(in) * 6u;
	const uint8_t changes = messages_byte(in);

	messages_fill(&m, ATTACH_HELLO);
	messages_change(in, &m, changes % 8);
	messages_send_with(fd, &m, bytes < sizeof(m) ? bytes : sizeof(m), messages_fd,
			   changes / 8 % 6);
}

#endif
