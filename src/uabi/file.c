// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The table of descriptors: pages of slots, looked up without a lock. */
#include "uabi/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/verbena_base.h>
#include <unistd.h>

#include "base/cause.h"
#include "base/check.h"
#include "base/thread.h"

#define MAX_FD (1 << 20)
#define HIDDEN_FROM 768 /* below the usual limit of 1024 descriptors, above what programs use */

/* Pages of it that no descriptor of ours has touched cost nothing. */
static struct {
	spinlock_t lock;		/* who writes */
	int end;			/* atomic: above it nothing was ever stored */
	struct uabi_file *slot[MAX_FD]; /* atomic */
} table;

/* Stands for descriptors of our own. */
static struct uabi_file hidden;

void uabi_file_init(struct uabi_file *file, const struct uabi_file_ops *ops)
{
	file->ops = ops;
	refcount_set(&file->refs, 1);
}

static void release(struct uabi_file *file)
{
	BASE_UNCANCELLED;

	synchronize_rcu(); /* a reader that found it in the table may still look at refs */
	file->ops->release(file);
}

void uabi_file_put(struct uabi_file *file)
{
	if (refcount_dec_and_test(&file->refs))
		release(file);
}

static struct uabi_file *look(int fd)
{
	return fd >= 0 && fd < __atomic_load_n(&table.end, __ATOMIC_ACQUIRE)
		       ? __atomic_load_n(&table.slot[fd], __ATOMIC_ACQUIRE)
		       : NULL;
}

bool uabi_fd_known(int fd)
{
	return look(fd) != NULL;
}

bool uabi_fd_is_hidden(int fd)
{
	return look(fd) == &hidden;
}

struct uabi_file *uabi_fd_get(int fd)
{
	struct uabi_file *file = look(fd);

	if (!file || file == &hidden)
		return NULL;
	rcu_read_lock();
	file = __atomic_load_n(&table.slot[fd], __ATOMIC_ACQUIRE);
	if (file == &hidden || (file && !refcount_inc_not_zero(&file->refs)))
		file = NULL;
	rcu_read_unlock();
	return file;
}

bool uabi_fd_write_again(int fd, const void *buf, size_t bytes)
{
	struct uabi_file *file = look(fd);
	bool taken;

	if (likely(!file))
		return false;
	rcu_read_lock();
	file = look(fd);
	taken = file && file != &hidden && file->ops->write_again &&
		file->ops->write_again(file, buf, bytes);
	rcu_read_unlock();
	return taken;
}

/* Put @file (or nothing) in a slot; @old is what was there. */
static int swap(int fd, struct uabi_file *file, struct uabi_file **old)
{
	*old = NULL;
	if (fd < 0 || fd >= MAX_FD)
		return base_refuse(-EBADF, UABI_FD, (u32)fd);
	spin_lock(&table.lock);
	*old = __atomic_exchange_n(&table.slot[fd], file, __ATOMIC_ACQ_REL);
	if (fd >= table.end)
		__atomic_store_n(&table.end, fd + 1, __ATOMIC_RELEASE);
	spin_unlock(&table.lock);
	return 0;
}

int uabi_fd_install(int fd, struct uabi_file *file)
{
	struct uabi_file *old;
	int ret = swap(fd, file, &old);

	/* Closed behind our back, by a call that is not hooked: the number is another's now. */
	if (old && old != &hidden)
		uabi_file_put(old);
	return ret;
}

void uabi_fd_forget(int fd)
{
	struct uabi_file *old = look(fd);

	if (!old || old == &hidden)
		return;
	(void)swap(fd, NULL, &old);
	if (old)
		uabi_file_put(old);
}

void uabi_fd_close(int fd)
{
	uabi_fd_forget(fd);
	close(fd);
}

void uabi_fd_copied(int from, int to)
{
	struct uabi_file *file;

	if (from == to)
		return;
	file = uabi_fd_get(from);
	if (!file)
		uabi_fd_forget(to);
	else if (uabi_fd_install(to, file))
		uabi_file_put(file);
}

void uabi_fd_prepare(void)
{
	const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	const int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, HIDDEN_FROM);

	if (high >= 0)
		close(high);
	if (fd >= 0)
		close(fd);
}

int uabi_fd_hide(int fd)
{
	struct uabi_file *old;
	int high = fcntl(fd, F_DUPFD_CLOEXEC, HIDDEN_FROM);
	int ret;

	if (high < 0)
		high = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (high < 0)
		high = fd; /* there are no more: it stays where it is */
	ret = swap(high, &hidden, &old);
	if (high != fd)
		close(ret ? high : fd);
	return ret ? ret : high;
}

void uabi_fd_unhide(int fd)
{
	struct uabi_file *old;

	if (fd < 0)
		return;
	INVARIANT(uabi_fd_is_hidden(fd));
	(void)swap(fd, NULL, &old);
	close(fd);
}

int uabi_fd_next(int from)
{
	const int end = __atomic_load_n(&table.end, __ATOMIC_ACQUIRE);

	for (int fd = from < 0 ? 0 : from; fd < end; fd++)
		if (look(fd))
			return fd;
	return -1;
}

/* A device that another process has opened: in the child of a fork its descriptors are dead. */
static ssize_t orphan_write(struct uabi_file *file, const void *buf, size_t bytes)
{
	(void)file;
	(void)buf;
	(void)bytes;
	return base_refuse(-EIO, UABI_FORKED);
}

static int orphan_ioctl(struct uabi_file *file, unsigned long request, void *arg)
{
	(void)file;
	(void)request;
	(void)arg;
	return base_refuse(-EIO, UABI_FORKED);
}

static void orphan_release(struct uabi_file *file)
{
	(void)file;
}

static const struct uabi_file_ops orphan_ops = {
	.write = orphan_write,
	.ioctl = orphan_ioctl,
	.release = orphan_release,
};

static struct uabi_file orphan = {.ops = &orphan_ops, .refs = REFCOUNT_INIT(1)};

void uabi_fd_forked(void)
{
	table.lock = (spinlock_t)BASE_LOCK_INIT;
	for (int fd = 0; fd < table.end; fd++) {
		struct uabi_file *old = look(fd);
		bool ours, is_orphan;

		if (!old)
			continue;
		ours = old == &hidden;
		is_orphan = !ours && !old->ops->rewind;
		if (is_orphan)
			refcount_inc(&orphan.refs);
		(void)swap(fd, is_orphan ? &orphan : NULL, &old);
		if (ours)
			close(fd);
	}
}
