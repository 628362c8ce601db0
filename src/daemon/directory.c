// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The directory is a file in the run directory: when a daemon dies its processes go on with what they
 * have mapped, and the next daemon goes on writing it. Ids, numbers and groups stay whose they were.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "daemon/server_priv.h"

#define SUFFIX ".directory"

struct directory_path {
	char text[ATTACH_PATH + sizeof(SUFFIX)];
};

static struct directory_path path_of(const char *socket_path)
{
	struct directory_path path;

	snprintf(path.text, sizeof(path.text), "%s" SUFFIX, socket_path);
	return path;
}

static uint64_t pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
}

static int map(struct server *s, int fd)
{
	void *mem = mmap(NULL, sizeof(*s->directory), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (mem == MAP_FAILED)
		return -errno;
	s->directory = mem;
	return 0;
}

static void unmap(struct server *s)
{
	munmap(s->directory, sizeof(*s->directory));
	s->directory = NULL;
}

static bool is_plausible(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	       st.st_size == (off_t)sizeof(struct directory);
}

/* Pids of another namespace say nothing: those processes have to come back in time. */
static void find_orphans(struct server *s)
{
	struct directory *dir = s->directory;
	const uint64_t own = pid_namespace();
	const bool same = dir->pid_namespace == own;

	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++) {
		struct directory_process *p = &dir->process[id];

		if (p->state != DIRECTORY_ALIVE)
			continue;
		if (!same)
			p->pid = 0;
		if (p->pid > 0 && process_start_time(p->pid) != p->start_time) {
			directory_remove_process(dir, id);
			continue;
		}
		process_watch(s, id);
		s->orphans++;
	}
	dir->pid_namespace = own;
}

/* Whether the last daemon has left processes behind. */
static bool take_over(struct server *s, const char *path, bool managed)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	bool taken = fd >= 0 && is_plausible(fd) && !map(s, fd);

	if (fd >= 0)
		close(fd);
	if (!taken)
		return false;
	if (directory_repair(s->directory, sizeof(*s->directory)) &&
	    (s->directory->managed != 0) == managed)
		find_orphans(s);
	if (s->orphans)
		return true;
	unmap(s);
	return false;
}

/* All of its blocks are there: a full file system is noticed here, not by SIGBUS. */
static int make_new(struct server *s, const char *path, bool managed)
{
	uint64_t incarnation;
	int fd, ret;

	if (unlink(path) && errno != ENOENT)
		return -errno;
	if (getrandom(&incarnation, sizeof(incarnation), 0) != sizeof(incarnation))
		return -EIO;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	ret = ftruncate(fd, sizeof(*s->directory)) ? -errno : 0;
	if (!ret)
		ret = -posix_fallocate(fd, 0,
				       managed ? sizeof(*s->directory) : DIRECTORY_PLAIN_BYTES);
	if (!ret)
		ret = map(s, fd);
	close(fd);
	if (ret) {
		(void)unlink(path);
		return ret;
	}
	/* For clang's analyzer, which thinks that errno may be 0 where map() fails. */
	INVARIANT(s->directory);
	directory_init(s->directory, 0, incarnation);
	s->directory->pid_namespace = pid_namespace();
	s->directory->managed = managed;
	return 0;
}

/* Others get a descriptor that cannot write. */
int server_open_directory(struct server *s, bool managed)
{
	const struct directory_path path = path_of(s->path);
	int ret = take_over(s, path.text, managed) ? 0 : make_new(s, path.text, managed);

	if (ret)
		return ret;
	s->directory_fd = open(path.text, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return s->directory_fd < 0 ? -errno : 0;
}

bool server_close_directory(struct server *s)
{
	const struct directory_path path = path_of(s->path);
	bool left;

	if (!s->directory)
		return false;
	left = directory_any_alive(s->directory) && !s->down;
	if (!left)
		(void)unlink(path.text);
	unmap(s);
	return left;
}

/* Of another fabric, whose daemon has died. Those who cannot be asked may live. */
static bool all_are_dead(const struct directory *dir)
{
	const bool same = dir->pid_namespace == pid_namespace();

	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++) {
		const struct directory_process *p = &dir->process[id];

		if (p->state == DIRECTORY_ALIVE &&
		    (!same || p->pid <= 0 || process_start_time(p->pid) == p->start_time))
			return false;
	}
	return true;
}

bool server_remove_directory(const char *socket_path)
{
	const struct directory_path path = path_of(socket_path);
	const int fd = open(path.text, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	const struct directory *dir = MAP_FAILED;
	bool dead;

	if (fd < 0)
		return errno == ENOENT;
	if (is_plausible(fd))
		dir = mmap(NULL, sizeof(*dir), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (dir == MAP_FAILED)
		return false;
	dead = all_are_dead(dir);
	munmap((void *)(uintptr_t)dir, sizeof(*dir));
	return dead && !unlink(path.text);
}
