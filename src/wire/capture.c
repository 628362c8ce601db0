// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* pcap: a header for the file, and for each packet one of pcap and one of ERF. */
#include "wire/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/spinlock.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fd.h"
#include "base/host.h"
#include "packet/headers.h"
#include "transport/tp_engine.h"

#define MAGIC_NS 0xa1b23c4du
#define LINKTYPE_ERF 197u
#define ERF_INFINIBAND 21u
#define ERF_VARYING_LENGTH 4u
#define NS_PER_S 1000000000u

struct file_header {
	uint32_t magic;
	uint16_t major, minor;
	int32_t zone;
	uint32_t accuracy;
	uint32_t most_bytes;
	uint32_t link_type;
};

struct packet_header {
	uint32_t seconds;
	uint32_t ns;
	uint32_t bytes;
	uint32_t bytes_on_wire;
};

/* The time is little-endian: seconds in its upper half, their fraction in the lower; the rest is big-endian. */
struct erf_header {
	uint8_t time[8];
	uint8_t type;
	uint8_t flags;
	uint8_t record_bytes[2];
	uint8_t lost[2];
	uint8_t bytes[2];
};

struct record {
	struct packet_header pcap;
	struct erf_header erf;
	uint8_t packet[TP_MAX_PACKET_BYTES];
};

struct wire_capture {
	spinlock_t lock;
	int fd;
	FILE *file;
	bool failed;
	struct record record; /* that is being written */
};

/* The path may be a pipe. That nobody reads it any more is no reason for the program to die. */
static ssize_t write_quietly(int fd, const char *bytes, size_t count)
{
	const struct timespec at_once = {0, 0};
	sigset_t pipe, before, pending;
	ssize_t written;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &pipe, &before);
	written = write(fd, bytes, count);
	if (written < 0 && errno == EPIPE && !sigismember(&pending, SIGPIPE))
		(void)sigtimedwait(&pipe, NULL, &at_once);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return written;
}

static ssize_t write_bytes(void *cookie, const char *bytes, size_t count)
{
	const struct wire_capture *c = cookie;
	size_t done = 0;

	while (done < count) {
		const ssize_t n = write_quietly(c->fd, bytes + done, count - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		done += (size_t)n;
	}
	return (ssize_t)count;
}

static int close_file(void *cookie)
{
	const struct wire_capture *c = cookie;

	return close(c->fd);
}

struct wire_capture *wire_capture_open(const char *path, int *error)
{
	const struct file_header header = {.magic = MAGIC_NS,
					   .major = 2,
					   .minor = 4,
					   .most_bytes =
						   sizeof(struct erf_header) + TP_MAX_PACKET_BYTES,
					   .link_type = LINKTYPE_ERF};
	static const cookie_io_functions_t io = {.write = write_bytes, .close = close_file};
	struct wire_capture *c = base_zalloc(sizeof(*c));

	if (!c) {
		*error = ENOMEM;
		return NULL;
	}
	spin_lock_init(&c->lock);
	c->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	c->file = c->fd < 0 ? NULL : fopencookie(c, "w", io);
	if (c->file && fwrite(&header, sizeof(header), 1, c->file) == 1)
		return c;
	*error = errno ? errno : EIO;
	if (c->file)
		fclose(c->file);
	else if (c->fd >= 0)
		close(c->fd);
	base_free(c);
	return NULL;
}

static void put_be16(uint8_t *at, size_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static void put_time(uint64_t now_ns, struct record *r)
{
	const uint64_t s = now_ns / NS_PER_S, ns = now_ns % NS_PER_S;
	const uint64_t time = s << 32 | (ns << 32) / NS_PER_S;

	r->pcap.seconds = (uint32_t)s;
	r->pcap.ns = (uint32_t)ns;
	for (unsigned int i = 0; i < sizeof(r->erf.time); i++)
		r->erf.time[i] = (uint8_t)(time >> 8 * i);
}

static void write_packet(struct wire_capture *c, const struct tp_run *packet) REQUIRES(c->lock)
{
	struct record *r = &c->record;
	const int bytes = tp_run_encode(packet, r->packet, sizeof(r->packet));
	size_t all;

	if (bytes < 0) /* its memory is not mapped: it is not sent either */
		return;
	all = sizeof(r->erf) + (size_t)bytes;
	put_time(base_now_ns(), r);
	r->pcap.bytes = r->pcap.bytes_on_wire = (uint32_t)all;
	r->erf.type = ERF_INFINIBAND;
	r->erf.flags = ERF_VARYING_LENGTH;
	put_be16(r->erf.record_bytes, all);
	put_be16(r->erf.bytes, (size_t)bytes);
	if (fwrite(r, sizeof(r->pcap) + all, 1, c->file) != 1)
		c->failed = true;
}

void wire_capture_run(struct wire_capture *c, const struct tp_run *run)
{
	struct tp_run packet;

	spin_lock(&c->lock);
	for (uint32_t i = 0; i < run->packets && !c->failed; i++) {
		if (run->packets > 1)
			tp_run_packet(run, i, &packet);
		write_packet(c, run->packets > 1 ? &packet : run);
	}
	spin_unlock(&c->lock);
}

int wire_capture_close(struct wire_capture *c)
{
	int ret = 0;

	if (!c)
		return 0;
	if (fclose(c->file) || c->failed)
		ret = -EIO;
	base_free(c);
	return ret;
}
