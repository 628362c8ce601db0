// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What two processes can do without us: copies out of and into each other's memory, and waking each
 * other. Each is the median of a few blocks of one run.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/bench.h"
#include "cli/cli.h"
#include "cli/stock.h"

#define BLOCKS 5
#define BLOCK_S 0.08
#define STEPS 32

/**
 * struct anchor - Two processes.
 * @peer: The other one.
 * @mine: Our memory.
 * @theirs: Its memory, at the same address in both.
 * @bytes: Of each.
 * @wake: Descriptors: the peer's, ours.
 */
struct anchor {
	pid_t peer;
	char *mine;
	char *theirs;
	size_t bytes;
	int wake[2];
};

static void sleep_forever(struct anchor *a)
{
	memset(a->theirs, 2, a->bytes); /* pages of its own */
	eventfd_write(a->wake[1], 1);
	for (;;)
		pause();
}

static void echo_forever(struct anchor *a)
{
	eventfd_t count;

	while (!eventfd_read(a->wake[0], &count) && !eventfd_write(a->wake[1], 1))
		;
}

static void close_anchor(struct anchor *a)
{
	if (a->peer > 0) {
		kill(a->peer, SIGKILL);
		waitpid(a->peer, NULL, 0);
	}
	for (int i = 0; i < 2; i++)
		if (a->wake[i] >= 0)
			close(a->wake[i]);
	free(a->mine);
	free(a->theirs);
}

static int open_anchor(struct anchor *a, size_t bytes, void (*body)(struct anchor *))
{
	const size_t room = (bytes + 4095) / 4096 * 4096;

	*a = (struct anchor){.bytes = room,
			     .mine = aligned_alloc(4096, room),
			     .theirs = aligned_alloc(4096, room),
			     .wake = {eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC)}};
	if (!a->mine || !a->theirs || a->wake[0] < 0 || a->wake[1] < 0)
		return -1;
	memset(a->mine, 1, room);
	memset(a->theirs, 1, room);
	fflush(NULL);
	a->peer = fork();
	if (!a->peer) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		stock_pin(1);
		body(a);
		_exit(0);
	}
	return a->peer < 0 ? -1 : 0;
}

static bool read_theirs(struct anchor *a, size_t bytes)
{
	const struct iovec mine = {a->mine, bytes}, theirs = {a->theirs, bytes};

	return process_vm_readv(a->peer, &mine, 1, &theirs, 1, 0) == (ssize_t)bytes;
}

static bool write_theirs(struct anchor *a, size_t bytes)
{
	const struct iovec mine = {a->mine, bytes}, theirs = {a->theirs, bytes};

	return process_vm_writev(a->peer, &mine, 1, &theirs, 1, 0) == (ssize_t)bytes;
}

static bool wake_and_wait(struct anchor *a, size_t bytes)
{
	eventfd_t count;

	(void)bytes;
	return !eventfd_write(a->wake[0], 1) && !eventfd_read(a->wake[1], &count);
}

/* Seconds that one step takes. */
static int time_steps(struct anchor *a, bool (*step)(struct anchor *, size_t), size_t bytes,
		      double *seconds)
{
	double block[BLOCKS];

	for (int i = -1; i < BLOCKS; i++) { /* the first warms up */
		const double start = cli_seconds();
		double took;
		uint64_t done = 0;

		do {
			for (int n = 0; n < STEPS; n++)
				if (!step(a, bytes))
					return -1;
			done += STEPS;
			took = cli_seconds() - start;
		} while (took < BLOCK_S);
		if (i >= 0)
			block[i] = took / (double)done;
	}
	bench_sort(block, BLOCKS);
	*seconds = block[BLOCKS / 2];
	return 0;
}

/* In a child, so that being pinned is over with it. */
static int measure(const struct stock_source *source, void (*body)(struct anchor *),
		   bool (*step)(struct anchor *, size_t), double *seconds)
{
	double *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct anchor a;
	eventfd_t count;
	int status = -1;
	pid_t child;

	if (shared == MAP_FAILED)
		return -1;
	child = fork();
	if (!child) {
		int ret = open_anchor(&a, source->bytes, body);

		stock_pin(0);
		if (!ret && body == sleep_forever)
			ret = eventfd_read(a.wake[1], &count);
		if (!ret)
			ret = time_steps(&a, step, source->bytes, shared);
		close_anchor(&a);
		_exit(ret ? 1 : 0);
	}
	if (child > 0)
		waitpid(child, &status, 0);
	*seconds = *shared;
	munmap(shared, sizeof(*shared));
	if (!status)
		return 0;
	fprintf(stderr, "%s: not possible here\n", source->name);
	return -1;
}

static int measure_copy(const struct stock_source *source, bool (*step)(struct anchor *, size_t),
			double *value)
{
	double seconds;

	if (measure(source, sleep_forever, step, &seconds))
		return -1;
	*value = (double)source->bytes / seconds / 1e9;
	return 0;
}

int stock_cma_read(const struct stock_source *source, double *value)
{
	return measure_copy(source, read_theirs, value);
}

int stock_cma_write(const struct stock_source *source, double *value)
{
	return measure_copy(source, write_theirs, value);
}

int stock_cma_call(const struct stock_source *source, double *value)
{
	double seconds;

	if (measure(source, sleep_forever, read_theirs, &seconds))
		return -1;
	*value = seconds * 1e6;
	return 0;
}

/* Half of there and back. */
int stock_eventfd_wake(const struct stock_source *source, double *value)
{
	double seconds;

	if (measure(source, echo_forever, wake_and_wait, &seconds))
		return -1;
	*value = seconds * 0.5e6;
	return 0;
}
