// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * A fabric's place in the run directory: its socket, and files beside it. Whoever holds the lock on
 * SOCKET.lock is the daemon; one that begins or ends makes SOCKET.start and holds a lock on that, too. A
 * file may be removed by who holds its lock, so who gets a lock looks whether the file is still there. A
 * daemon that was killed leaves all of it: the next one of its fabric goes on with it, or another's end
 * removes it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/server_priv.h"

#define SOCKET ".sock"
#define LOCK ".lock"
#define START ".start"

struct file_path {
	char text[ATTACH_PATH + 8];
};

static struct file_path path_of(const char *socket_path, const char *suffix)
{
	struct file_path path;

	snprintf(path.text, sizeof(path.text), "%s%s", socket_path, suffix);
	return path;
}

static bool is_still_there(int fd, const char *path)
{
	struct stat by_fd, by_path;

	return !fstat(fd, &by_fd) && !lstat(path, &by_path) && by_fd.st_ino == by_path.st_ino &&
	       by_fd.st_dev == by_path.st_dev;
}

/* @flags: O_CREAT, or only if it is there. @how: Of flock(). Returns the descriptor or a negative errno. */
static int lock(const char *socket_path, const char *suffix, int flags, int how)
{
	const struct file_path path = path_of(socket_path, suffix);

	for (;;) {
		const int fd = open(path.text, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
		int err;

		if (fd < 0)
			return -errno;
		err = flock(fd, how) ? errno : 0;
		if (!err && is_still_there(fd, path.text))
			return fd;
		close(fd);
		if (err)
			return -err;
	}
}

int place_begin(const char *socket_path)
{
	return lock(socket_path, START, O_CREAT, LOCK_EX);
}

int place_take(const char *socket_path)
{
	const int fd = lock(socket_path, LOCK, O_CREAT, LOCK_EX | LOCK_NB);

	return fd == -EWOULDBLOCK ? -EADDRINUSE : fd;
}

void place_begun(const char *socket_path, int starting)
{
	(void)unlink(path_of(socket_path, START).text);
	close(starting);
}

/* Both locks are held. */
static void remove_files(const char *socket_path)
{
	(void)unlink(socket_path);
	topology_forget(socket_path);
	(void)unlink(path_of(socket_path, LOCK).text);
}

void place_leave(const char *socket_path)
{
	const int starting = lock(socket_path, START, O_CREAT, LOCK_EX | LOCK_NB);

	if (starting < 0)
		return; /* the next daemon begins, and needs them */
	remove_files(socket_path);
	place_begun(socket_path, starting);
}

static void clear(const char *socket_path)
{
	const int starting = lock(socket_path, START, O_CREAT, LOCK_EX | LOCK_NB);
	int held;

	if (starting < 0)
		return;
	held = lock(socket_path, LOCK, 0, LOCK_EX | LOCK_NB);
	if (held >= 0 && server_remove_directory(socket_path))
		remove_files(socket_path);
	if (held >= 0)
		close(held);
	place_begun(socket_path, starting);
}

/* The socket that a file is beside, if it is one's lock. */
static bool socket_of(const char *dir, const char *name, char *path)
{
	const size_t bytes = strlen(name), suffix = sizeof(SOCKET LOCK) - 1;
	int n;

	if (bytes <= suffix || strcmp(name + bytes - suffix, SOCKET LOCK) != 0)
		return false;
	n = snprintf(path, ATTACH_PATH, "%s/%.*s", dir, (int)(bytes - (sizeof(LOCK) - 1)), name);
	return n > 0 && n < (int)ATTACH_PATH;
}

void place_sweep(void)
{
	char dir[ATTACH_PATH], path[ATTACH_PATH];
	struct dirent *entry;
	DIR *entries;

	if (attach_run_dir(dir, sizeof(dir)))
		return;
	entries = opendir(dir);
	if (!entries)
		return;
	while ((entry = readdir(entries)) != NULL)
		if (socket_of(dir, entry->d_name, path))
			clear(path);
	closedir(entries);
}
