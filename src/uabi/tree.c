// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The private tree: where it lies, who may enter, and how it goes away. Its contents: sysfs.c. */
#include "uabi/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cause.h"
#include "uabi/file.h"
#include "uabi/path.h"
#include "uabi/sysfs.h"

#define TREE_PREFIX "tree-"
#define MAX_OPEN_DIRS 16

#define TREE_NEW 1

static struct {
	char root[UABI_PATH_BYTES];
	pid_t owner;
	int alive; /* locked as long as the process lives */
	pthread_mutex_t lock;
	int state; /* atomic: TREE_NEW, 0 when it is there, or why it cannot be */
} tree = {.alive = -1, .lock = PTHREAD_MUTEX_INITIALIZER, .state = TREE_NEW};

/* Which step of making it failed. */
enum step {
	STEP_DIRECTORY = 1,
	STEP_LOCK,
	STEP_TREE,
	STEP_ALIVE,
};

static int failed(enum step step)
{
	return base_refuse(-errno, UABI_TREE, (u32)errno, step);
}

/* A directory of this user that nobody else can look into. */
static int check_owner(const char *dir)
{
	struct stat st;

	if (lstat(dir, &st))
		return failed(STEP_DIRECTORY);
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 07777) != 0700)
		return base_refuse(-EACCES, UABI_TREE_OWNER, st.st_mode, st.st_uid, geteuid());
	return 0;
}

static int make_directory(const char *dir)
{
	if (mkdir(dir, 0700) && errno != EEXIST)
		return failed(STEP_DIRECTORY);
	return check_owner(dir);
}

static int choose_directory(char *dir, size_t bytes)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (runtime && runtime[0] == '/' &&
	    (size_t)snprintf(dir, bytes, "%s/verbena", runtime) < bytes && !make_directory(dir))
		return 0;
	snprintf(dir, bytes, "/tmp/verbena-%u", geteuid());
	return make_directory(dir);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *level)
{
	(void)st;
	(void)kind;
	(void)level;
	(void)remove(path);
	return 0;
}

static void remove_all(const char *dir)
{
	(void)nftw(dir, remove_one, MAX_OPEN_DIRS, FTW_DEPTH | FTW_PHYS);
}

/* Whoever made a tree holds its lock for life; what has none was not finished. */
static bool is_stale(const char *dir)
{
	char path[UABI_PATH_BYTES];
	bool stale;
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/alive", dir) >= sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT;
	stale = !flock(fd, LOCK_EX | LOCK_NB);
	close(fd);
	return stale;
}

static void remove_stale(const char *dir)
{
	DIR *entries = opendir(dir);
	char path[UABI_PATH_BYTES];
	struct dirent *entry;

	if (!entries)
		return;
	while ((entry = readdir(entries)) != NULL) {
		if (strncmp(entry->d_name, TREE_PREFIX, strlen(TREE_PREFIX)) != 0)
			continue;
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) <
			    sizeof(path) &&
		    is_stale(path))
			remove_all(path);
	}
	closedir(entries);
}

static int make_alive(void)
{
	char path[UABI_PATH_BYTES + sizeof("/alive")];
	int fd;

	snprintf(path, sizeof(path), "%s/alive", tree.root);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return failed(STEP_ALIVE);
	if (flock(fd, LOCK_EX)) {
		close(fd);
		return failed(STEP_ALIVE);
	}
	tree.alive = uabi_fd_hide(fd);
	if (tree.alive < 0)
		close(fd);
	return tree.alive < 0 ? tree.alive : 0;
}

/* Under the directory's lock, so that nobody takes the new tree for a dead one. */
static int make_root(const char *dir)
{
	remove_stale(dir);
	if ((size_t)snprintf(tree.root, sizeof(tree.root), "%s/" TREE_PREFIX "%d-XXXXXX", dir,
			     getpid()) >= sizeof(tree.root)) {
		errno = ENAMETOOLONG;
		return failed(STEP_TREE);
	}
	if (!mkdtemp(tree.root))
		return failed(STEP_TREE);
	tree.owner = getpid();
	return make_alive();
}

static int make_locked_root(const char *dir)
{
	char path[UABI_PATH_BYTES];
	int ret, lock;

	if ((size_t)snprintf(path, sizeof(path), "%s/lock", dir) >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return failed(STEP_LOCK);
	}
	lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (lock < 0)
		return failed(STEP_LOCK);
	ret = flock(lock, LOCK_EX) ? failed(STEP_LOCK) : make_root(dir);
	close(lock);
	return ret;
}

int uabi_tree_make(void)
{
	char dir[UABI_PATH_BYTES];
	int ret = choose_directory(dir, sizeof(dir));

	if (ret)
		return ret;
	ret = make_locked_root(dir);
	if (!ret)
		ret = uabi_sysfs_write(tree.root);
	if (ret) {
		uabi_tree_remove();
		tree.root[0] = '\0';
	}
	return ret;
}

int uabi_tree_need(void)
{
	int ret = __atomic_load_n(&tree.state, __ATOMIC_ACQUIRE);

	if (ret != TREE_NEW)
		return ret;
	pthread_mutex_lock(&tree.lock);
	ret = tree.state;
	if (ret == TREE_NEW) {
		ret = uabi_tree_make();
		__atomic_store_n(&tree.state, ret, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&tree.lock);
	return ret;
}

const char *uabi_tree_root(void)
{
	return tree.root;
}

void uabi_tree_remove(void)
{
	if (!tree.root[0] || tree.owner != getpid())
		return;
	remove_all(tree.root);
	uabi_fd_unhide(tree.alive);
	tree.alive = -1;
	tree.owner = 0;
}

void uabi_tree_forked(void)
{
	tree.root[0] = '\0';
	tree.owner = 0;
	tree.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	tree.state = TREE_NEW;
	tree.alive = -1; /* closed by uabi_fd_forked() */
}
