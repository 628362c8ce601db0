// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The daemon is started by whoever needs it first. */
#include "attach/start.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/socket.h"
#include "base/alloc.h"

#define START_MS 5000
#define TRIES 3
#define STACK_BYTES 65536u

int attach_connect(const char *fabric)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char path[ATTACH_PATH];
	int ret = attach_socket_path(fabric, path), fd;

	if (ret)
		return ret;
	memcpy(address.sun_path, path, sizeof(path));
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}

static const char *daemon_path(char *path, size_t bytes)
{
	const char *wanted = getenv("VERBENAD");
	Dl_info info;
	char *slash;

	if (wanted)
		return wanted;
	if (!dladdr((void *)(uintptr_t)&attach_start, &info) || !info.dli_fname ||
	    !realpath(info.dli_fname, path))
		return "verbenad";
	slash = strrchr(path, '/');
	if (!slash || (size_t)(slash + 1 - path) + sizeof("verbenad") > bytes)
		return "verbenad";
	strcpy(slash + 1, "verbenad");
	return access(path, X_OK) ? "verbenad" : path;
}

/* What the two children between us and the daemon need: made before, for they share our memory. */
struct launch {
	const char *path;
	char *argv[6];
	char *envp[4];
	int ready_fd;
	int null_fd;
	char *inner_stack; /* its upper end */
};

static int exec_daemon(void *arg)
{
	struct launch *l = arg;

	setsid();
	for (int fd = 0; fd < 3; fd++)
		dup2(l->null_fd, fd);
	dup2(l->ready_fd, 3);
	close_range(4, ~0u, 0);
	execvpe(l->path, l->argv, l->envp);
	_exit(127);
}

/* Ends at once, so that the daemon is nobody's child. */
static int run_inner(void *arg)
{
	struct launch *l = arg;

	_exit(clone(exec_daemon, l->inner_stack, CLONE_VM | CLONE_VFORK, l) < 0 ? 1 : 0);
}

/* Without SIGCHLD: the program knows nothing of this child, and must not be told. */
static int run_outer(struct launch *l, char *stack)
{
	const pid_t pid = clone(run_inner, stack, CLONE_VM | CLONE_VFORK, l);
	int status = 0;

	if (pid < 0)
		return -errno;
	while (waitpid(pid, &status, __WALL) < 0)
		if (errno != EINTR)
			return -errno;
	return status ? -EAGAIN : 0;
}

static char *variable(const char *name)
{
	const char *value = getenv(name);
	char *text = NULL;

	if (value && asprintf(&text, "%s=%s", name, value) < 0)
		text = NULL;
	return text;
}

static int launch(const char *fabric, int ready_fd)
{
	static const char *const names[] = {"PATH", "XDG_RUNTIME_DIR", "VERBENA_IDLE"};
	char path[PATH_MAX];
	struct launch l = {.path = daemon_path(path, sizeof(path)), .ready_fd = ready_fd};
	char *const argv[] = {(char *)(uintptr_t) "verbenad", (char *)(uintptr_t) "-r",
			      (char *)(uintptr_t) "3", (char *)(uintptr_t) "-f",
			      (char *)(uintptr_t)fabric};
	char *stacks = base_alloc(2 * STACK_BYTES);
	unsigned int used = 0;
	int ret = -ENOMEM;

	memcpy(l.argv, argv, sizeof(argv));
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		l.envp[used] = variable(names[i]);
		used += l.envp[used] != NULL;
	}
	l.null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (stacks && l.null_fd >= 0) {
		l.inner_stack = stacks + STACK_BYTES;
		ret = run_outer(&l, stacks + 2 * STACK_BYTES);
	}
	if (l.null_fd >= 0)
		close(l.null_fd);
	while (used)
		free(l.envp[--used]);
	base_free(stacks);
	return ret;
}

/* Returns 0 when the daemon says that it listens. */
static int start_daemon(const char *fabric)
{
	struct pollfd ready = {.events = POLLIN};
	int pipe_fds[2], ret;
	char byte;

	if (pipe2(pipe_fds, O_CLOEXEC))
		return -errno;
	ret = launch(fabric, pipe_fds[1]);
	close(pipe_fds[1]);
	ready.fd = pipe_fds[0];
	if (!ret && poll(&ready, 1, START_MS) != 1)
		ret = -ETIMEDOUT;
	if (!ret && read(pipe_fds[0], &byte, 1) != 1)
		ret = -ENOEXEC;
	close(pipe_fds[0]);
	return ret;
}

/* Between two tries the daemon may have ended, because it was idle. */
int attach_start(const char *fabric)
{
	int fd = attach_connect(fabric), ret;

	for (int i = 0; i < TRIES && (fd == -ENOENT || fd == -ECONNREFUSED); i++) {
		ret = start_daemon(fabric);
		if (ret)
			return ret;
		fd = attach_connect(fabric);
	}
	return fd;
}
