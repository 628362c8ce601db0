// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The preload library comes to life when the program first looks at one of our places. Until then
 * it costs a few compares per call and has opened nothing, for every shell inherits LD_PRELOAD.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/printk.h>
#include <pthread.h>
#include <stdio.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cause.h"
#include "base/fd.h"
#include "base/thread.h"
#include "device/process.h"
#include "preload/preload.h"
#include "uabi/file.h"
#include "uabi/netlink.h"
#include "uabi/path.h"
#include "uabi/sysfs.h"
#include "uabi/tree.h"
#include "uabi/uverbs.h"

enum state {
	STATE_NEW,
	STATE_STARTED,
	STATE_FAILED,
};

static struct {
	pthread_mutex_t lock;
	enum state state; /* atomic */
	pid_t owner;
} preload = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool starting;

void *preload_real(void **slot, const char *name)
{
	void *real = __atomic_load_n(slot, __ATOMIC_RELAXED);

	if (real)
		return real;
	real = dlsym(RTLD_NEXT, name);
	if (!real) {
		fprintf(stderr, "libverbena-preload: the C library has no %s()\n", name);
		abort();
	}
	__atomic_store_n(slot, real, __ATOMIC_RELAXED);
	return real;
}

long preload_fail(long ret)
{
	errno = (int)-ret;
	return -1;
}

static void explain(const char *what)
{
	char text[BASE_CAUSE_TEXT_BYTES];

	base_cause_format(base_cause_last(), text, sizeof(text));
	pr_err("%s: %s\n", what, text);
}

/* In the child everything of ours is the parent's, who goes on using it. */
static void forked(void)
{
	preload.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	if (preload.state != STATE_STARTED)
		return;
	preload.state = STATE_NEW;
	preload.owner = getpid();
	uabi_netlink_forked();
	uabi_fd_forked();
	uabi_tree_forked();
	uverbs_forked();
	device_process_forked();
}

/* In the child of a fork all that was hidden is closed already. */
static void close_hidden(int fd)
{
	if (uabi_fd_is_hidden(fd))
		uabi_fd_unhide(fd);
}

static const struct base_fd_ops fd_ops = {.hide = uabi_fd_hide, .close = close_hidden};

static enum state start(void)
{
	char machine[HOST_NAME_MAX + 1];
	static bool once;
	int ret;
	BASE_UNCANCELLED;

	uabi_sysfs_set_traffic(device_process_traffic);
	base_fd_install(&fd_ops);
	uabi_fd_prepare();
	ret = device_process_start();
	if (!ret)
		ret = uverbs_init(device_process_host(machine));
	if (ret) {
		explain("no RDMA device");
		return STATE_FAILED;
	}
	preload.owner = getpid();
	if (!once) {
		once = true;
		(void)pthread_atfork(NULL, NULL, forked);
		preload_library_init();
	}
	return STATE_STARTED;
}

bool preload_start(void)
{
	enum state state = __atomic_load_n(&preload.state, __ATOMIC_ACQUIRE);
	const int saved_errno = errno;

	if (state == STATE_NEW && !starting) {
		starting = true;
		pthread_mutex_lock(&preload.lock);
		if (preload.state == STATE_NEW)
			__atomic_store_n(&preload.state, start(), __ATOMIC_RELEASE);
		state = preload.state;
		pthread_mutex_unlock(&preload.lock);
		starting = false;
		errno = saved_errno;
	}
	return state == STATE_STARTED;
}

bool preload_is_owner(void)
{
	return preload.owner == getpid();
}

/* Who looks at a directory looks at the tree. */
static bool need_tree(void)
{
	const int saved_errno = errno;
	static bool told;
	BASE_UNCANCELLED;
	const bool is_there = !uabi_tree_need();

	errno = saved_errno;
	if (is_there)
		return true;
	if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		explain("no directories of sysfs");
	return false;
}

const char *preload_path(const char *path, struct preload_path *room)
{
	if (!uabi_path_is_ours(path) || !preload_start() || !need_tree())
		return path;
	if (uabi_path_into(uabi_tree_root(), path, room->buf, sizeof(room->buf)))
		return path;
	return room->buf;
}

const char *preload_look(const char *path, struct preload_path *room)
{
	const int minor = uabi_path_is_ours(path) ? uabi_path_minor(path) : -1;

	if (minor >= 0 && preload_start() && uverbs_is_device((unsigned int)minor))
		return "/dev/null";
	return preload_path(path, room);
}

/* A path from the root, if it is one of ours; below a directory of the tree that is open, too. */
static const char *whole_path(int dir, const char *path, struct preload_path *room)
{
	char link[32], base[UABI_PATH_BYTES];
	ssize_t n;

	if (dir < 0 || !path || path[0] == '/' || !*uabi_tree_root() || !preload_is_owner())
		return uabi_path_is_ours(path) ? path : NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	n = readlink(link, base, sizeof(base) - 1);
	if (n <= 0 || n == sizeof(base) - 1)
		return NULL;
	base[n] = '\0';
	uabi_path_outside(uabi_tree_root(), base);
	if ((size_t)snprintf(room->buf, sizeof(room->buf), "%s/%s", base, path) >=
	    sizeof(room->buf))
		return NULL;
	return uabi_path_is_ours(room->buf) ? room->buf : NULL;
}

int preload_open(int dir, const char *path, int flags, struct uabi_file **file)
{
	struct preload_path room;
	const char *whole = whole_path(dir, path, &room);
	int minor, fd, ret = -EISDIR;

	if (!whole || !preload_start())
		return -EISDIR;
	BASE_UNCANCELLED;
	minor = uabi_path_minor(whole);
	if (minor >= 0)
		ret = uverbs_open((unsigned int)minor, file, &fd);
	else if (!(flags & (O_ACCMODE | O_CREAT | O_DIRECTORY | O_PATH)))
		ret = uabi_sysfs_open(whole, file, &fd);
	return ret ? ret : fd;
}

/* By now it is clear: libibverbs looks for its libraries when it has been told of devices, and keeps silent. */
static void tell_lack_of_provider(void)
{
	const struct base_cause cause = {.id = BASE_CAUSE_UABI_NO_PROVIDER};

	if (uabi_netlink_showed() && preload_lacks_provider())
		base_cause_tell(&cause);
}

__attribute__((destructor)) static void stop(void)
{
	if (preload.state != STATE_STARTED)
		return;
	tell_lack_of_provider();
	uabi_tree_remove();
}
