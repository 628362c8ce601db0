// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The daemon is started by whoever needs it first. */
#include "attach/start.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/socket.h"
#include "base/alloc.h"
#include "base/cause.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/sanitizer.h"

#define START_MS 5000
#define UP_MS 120000 /* of thousands of nodes it takes its time */
#define CONNECT_S 5
#define AGAIN_MS 5
#define DAEMON "verbenad"

int attach_connect(const char *fabric)
{
	const struct timeval most = {.tv_sec = CONNECT_S};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char path[ATTACH_PATH];
	int ret = attach_socket_path(fabric, path), fd;

	if (ret)
		return ret;
	memcpy(address.sun_path, path, sizeof(path));
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	fd = base_fd_hide(fd);
	/* A stopped daemon whose backlog is full would keep us waiting. */
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	ret = errno == EAGAIN ? -ETIMEDOUT : -errno;
	base_fd_close(fd);
	return ret;
}

/*
 * Beside the library or program that we are in, as it is built; or where it is installed, seen from
 * the library's folder (the build says where that is).
 */
static bool near_us(char *path, size_t bytes)
{
	static const char *const places[] = {"", VERBENA_BIN_FROM_LIB};
	char us[PATH_MAX];
	Dl_info info;

	if (!dladdr((void *)(uintptr_t)&attach_start, &info) || !info.dli_fname ||
	    !realpath(info.dli_fname, us))
		return false;
	strrchr(us, '/')[1] = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const int n = snprintf(path, bytes, "%s%s" DAEMON, us, places[i]);

		if (n > 0 && (size_t)n < bytes && !access(path, X_OK))
			return true;
	}
	return false;
}

static bool in_search_path(char *path, size_t bytes)
{
	const char *dirs = getenv("PATH");

	while (dirs && *dirs) {
		const size_t length = strcspn(dirs, ":");
		const int n = snprintf(path, bytes, "%.*s/" DAEMON, (int)length, dirs);

		if (n > 0 && (size_t)n < bytes && !access(path, X_OK))
			return true;
		dirs += length + (dirs[length] == ':');
	}
	return false;
}

static bool find_daemon(char *path, size_t bytes)
{
	const char *wanted = getenv("VERBENAD");

	if (wanted)
		return snprintf(path, bytes, "%s", wanted) < (int)bytes && !access(path, X_OK);
	return near_us(path, bytes) || in_search_path(path, bytes);
}

#define STACK_BYTES 16384

/* A sanitizer would take a child with our memory for the thread that has made it. */
#ifdef BASE_WITH_SANITIZER
#define SHARED_MEMORY 0
#else
#define SHARED_MEMORY CLONE_VM
#endif

/* What the two children between us and the daemon need; made before. */
struct launch {
	char path[PATH_MAX];
	char *argv[8];
	char *envp[4];
	int ready_fd;
	int null_fd;
	_Alignas(16) char stack[2][STACK_BYTES];
};

/*
 * A child by the kernel alone: no handlers of fork(), no SIGCHLD, for the program knows nothing of it. It has
 * our memory until it is another program or ends, for a copy would have to be made of all that the
 * program has mapped; so it gets a stack of its own.
 */
static pid_t raw_fork(int (*body)(void *arg), struct launch *l, unsigned int nested)
{
	return clone(body, l->stack[nested] + STACK_BYTES, SHARED_MEMORY | CLONE_VFORK, l);
}

/* In the child's child: system calls only, for other threads' locks may be held. */
static int exec_daemon(void *arg)
{
	const struct launch *l = arg;
	const uint64_t none = 0;

	syscall(SYS_setsid);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof(none));
	for (int fd = 0; fd < 3; fd++)
		syscall(SYS_dup3, l->null_fd, fd, 0);
	syscall(SYS_dup3, l->ready_fd, 3, 0);
	syscall(SYS_close_range, 4, ~0u, 0);
	syscall(SYS_execve, l->path, l->argv, l->envp);
	return 1;
}

static int start_inner(void *arg)
{
	return raw_fork(exec_daemon, arg, 1) <= 0;
}

/* The child ends at once, so that the daemon is nobody's child. */
static int run(struct launch *l)
{
	sigset_t all, before;
	int status = 0, err;
	pid_t pid;

	/* No handler of the program shall run there. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = raw_fork(start_inner, l, 0);
	err = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (pid < 0)
		return -err;
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

/* @text is cut off in front, for its end tells more. */
static int refuse_for(int err, enum base_cause_id id, const char *text)
{
	struct base_cause why = {
		.id = (uint16_t)id, .side = BASE_SIDE_CALL, .arg = {(uint64_t)-err}};
	const size_t most = BASE_CAUSE_TEXT_ARGS * sizeof(why.arg[0]), bytes = strlen(text);

	base_cause_put_text(&why, 1, bytes > most ? text + bytes - most : text);
	if (bytes > most)
		memcpy(&why.arg[1], "...", 3);
	base_cause_set_last(&why);
	return err;
}

static int refuse_run_dir(int err)
{
	char dir[ATTACH_PATH];

	(void)attach_run_dir(dir, sizeof(dir));
	return refuse_for(
		err, err == -ENOSPC ? BASE_CAUSE_ATTACH_NO_SPACE : BASE_CAUSE_ATTACH_RUN_DIR, dir);
}

/* What the daemon would find, too, yet it has no stderr to say it on; or runs already, and would not. */
static int check_idle(void)
{
	const char *idle = getenv("VERBENA_IDLE");
	char *end;
	long n;

	if (!idle || !*idle)
		return 0;
	n = strtol(idle, &end, 10);
	if (*end || end == idle || n < -1 || n > ATTACH_MAX_IDLE_S)
		return refuse_for(-EINVAL, BASE_CAUSE_ATTACH_IDLE, idle);
	return 0;
}

static int launch_in(struct launch *l, const char *fabric, const char *topology)
{
	static const char *const names[] = {"PATH", "XDG_RUNTIME_DIR", "VERBENA_IDLE"};
	char *const argv[] = {
		(char *)(uintptr_t) "verbenad", (char *)(uintptr_t) "-r",
		(char *)(uintptr_t) "3",	(char *)(uintptr_t) "-f",
		(char *)(uintptr_t)fabric,	(char *)(uintptr_t)(topology ? "-t" : NULL),
		(char *)(uintptr_t)topology,	NULL};
	unsigned int used = 0;
	int ret;

	if (!find_daemon(l->path, sizeof(l->path)))
		return base_refuse(-ENOENT, ATTACH_NO_DAEMON);
	memcpy(l->argv, argv, sizeof(argv));
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		l->envp[used] = variable(names[i]);
		used += l->envp[used] != NULL;
	}
	l->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	ret = l->null_fd < 0 ? -errno : run(l);
	if (ret)
		(void)base_refuse(ret, ATTACH_START, (uint64_t)-ret);
	if (l->null_fd >= 0)
		close(l->null_fd);
	while (used)
		free(l->envp[--used]);
	return ret;
}

/* A program's thread may have a smaller stack than this takes. */
static int launch(const char *fabric, const char *topology, int ready_fd)
{
	struct launch *l = base_zalloc(sizeof(*l));
	int ret;

	if (!l)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*l));
	l->ready_fd = ready_fd;
	ret = launch_in(l, fabric, topology);
	base_free(l);
	return ret;
}

/* What the daemon ended with: it has no stderr. */
static int refuse_start(int status, const struct base_cause *cause)
{
	if (cause->id) {
		base_cause_set_last(cause);
		return status;
	}
	if (status == -ENOSPC)
		return refuse_run_dir(status);
	if (status == -EFBIG)
		return base_refuse(status, ATTACH_FILE_SIZE);
	return base_refuse(status, ATTACH_START, (uint64_t)-status);
}

/* Of the daemon before: the next one has it, too. */
static bool has_topology(const char *fabric)
{
	char path[ATTACH_PATH], file[ATTACH_PATH + sizeof(ATTACH_TOPOLOGY)];

	if (attach_socket_path(fabric, path))
		return false;
	snprintf(file, sizeof(file), "%s" ATTACH_TOPOLOGY, path);
	return !access(file, F_OK);
}

/* A daemon that has ended is ready, too: it will not say anything any more. */
static bool is_ready(int fd, const char *fabric, bool has_many_nodes)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	if (poll(&ready, 1, START_MS) == 1)
		return true;
	return (has_many_nodes || has_topology(fabric)) && poll(&ready, 1, UP_MS) == 1;
}

/* Returns 0 when the daemon says that it listens, or another one does; else what it says. */
static int start_daemon(const char *fabric, const char *topology)
{
	struct attach_ready said = {.status = 0};
	int pipe_fds[2], ret;

	if (pipe2(pipe_fds, O_CLOEXEC))
		return base_refuse(-errno, ATTACH_MEMORY, (uint64_t)errno);
	ret = launch(fabric, topology, pipe_fds[1]);
	close(pipe_fds[1]);
	if (!ret && !is_ready(pipe_fds[0], fabric, topology != NULL))
		ret = base_refuse(-ETIMEDOUT, ATTACH_START, ETIMEDOUT);
	if (!ret && read(pipe_fds[0], &said, sizeof(said)) < (ssize_t)sizeof(said.status))
		ret = base_refuse(-ENOEXEC, ATTACH_START, ENOEXEC);
	else if (!ret && said.status)
		ret = refuse_start(said.status, &said.cause);
	close(pipe_fds[0]);
	return ret;
}

/* Whether there is a place to look for it, and such a name. */
static int check_place(const char *fabric)
{
	char path[ATTACH_PATH];
	const int ret = attach_socket_path(fabric, path);

	if (ret == -EINVAL)
		return base_refuse(ret, ATTACH_FABRIC_NAME);
	return ret ? refuse_run_dir(ret) : 0;
}

static bool nobody_listens(int fd)
{
	return fd == -ENOENT || fd == -ECONNREFUSED;
}

/*
 * A daemon that ends, because it was idle, has no socket any more and yet keeps others from starting,
 * for a moment; on a busy machine that can be a long one.
 */
int attach_start(const char *fabric)
{
	const uint64_t deadline_ns = base_clock_ns() + START_MS * BASE_NS_PER_MS;
	int ret = check_place(fabric), fd;

	if (!ret)
		ret = check_idle();
	if (ret)
		return ret;
	fd = attach_connect(fabric);
	while (nobody_listens(fd) && base_clock_ns() < deadline_ns) {
		ret = start_daemon(fabric, NULL);
		if (ret)
			return ret;
		fd = attach_connect(fabric);
		if (nobody_listens(fd))
			(void)poll(NULL, 0, AGAIN_MS);
	}
	return fd < 0 ? base_refuse(fd, ATTACH_START, (uint64_t)-fd) : fd;
}

int attach_up(const char *fabric, const char *topology)
{
	int ret = check_place(fabric), fd;

	if (!ret)
		ret = check_idle();
	if (ret)
		return ret;
	fd = attach_connect(fabric);
	if (fd >= 0)
		base_fd_close(fd);
	if (!nobody_listens(fd))
		return fd < 0 ? base_refuse(fd, ATTACH_START, (uint64_t)-fd)
			      : base_refuse(-EEXIST, FABRIC_IS_UP);
	ret = start_daemon(fabric, topology);
	return ret == -EADDRINUSE ? base_refuse(-EEXIST, FABRIC_IS_UP) : ret;
}
