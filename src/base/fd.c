// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Descriptors of our own: kept by who can, else plain ones. */
#include "base/fd.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct base_fd_ops *keeper; /* atomic */

void base_fd_install(const struct base_fd_ops *ops)
{
	__atomic_store_n(&keeper, ops, __ATOMIC_RELEASE);
}

int base_fd_hide(int fd)
{
	const struct base_fd_ops *ops = __atomic_load_n(&keeper, __ATOMIC_ACQUIRE);
	const int hidden = ops && fd >= 0 ? ops->hide(fd) : fd;

	return hidden < 0 ? fd : hidden;
}

/* Whoever wakes may hold locks, and write() is a place where a thread can be cancelled. */
void base_fd_wake(int fd)
{
	const uint64_t one = 1;

	(void)syscall(SYS_write, fd, &one, sizeof(one));
}

void base_fd_close(int fd)
{
	const struct base_fd_ops *ops = __atomic_load_n(&keeper, __ATOMIC_ACQUIRE);

	if (fd < 0)
		return;
	if (ops)
		ops->close(fd);
	else
		close(fd);
}
