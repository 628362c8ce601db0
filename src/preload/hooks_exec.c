// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Hooks on exec: other processes may be placing bytes in this one, by its number. They are out before
 * the number means another program. The C library's own functions do not call each other by name.
 */
#include <alloca.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "device/process.h"
#include "preload/preload.h"

/* A child of vfork() is the one that becomes another program, not we. */
static void before_exec(void)
{
	if (preload_is_owner())
		device_process_close_windows();
}

HOOK int execve(const char *path, char *const argv[], char *const envp[])
{
	before_exec();
	return REAL(execve)(path, argv, envp);
}

HOOK int execv(const char *path, char *const argv[])
{
	before_exec();
	return REAL(execv)(path, argv);
}

HOOK int execvp(const char *file, char *const argv[])
{
	before_exec();
	return REAL(execvp)(file, argv);
}

HOOK int execvpe(const char *file, char *const argv[], char *const envp[])
{
	before_exec();
	return REAL(execvpe)(file, argv, envp);
}

HOOK int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags)
{
	before_exec();
	return REAL(execveat)(dir, path, argv, envp, flags);
}

HOOK int fexecve(int fd, char *const argv[], char *const envp[])
{
	before_exec();
	return REAL(fexecve)(fd, argv, envp);
}

/* Of a list that ends with NULL, with it and with the one before the list. */
static size_t count_args(va_list *args)
{
	size_t count = 2;

	while (va_arg(*args, char *))
		count++;
	return count;
}

/* By a pointer: a va_list may be a structure, and what a copy has passed over stands in the copy alone. */
static void take_args(char **argv, const char *first, size_t count, va_list *args)
{
	memcpy(argv, &first, sizeof(first));
	for (size_t i = 1; i < count; i++)
		argv[i] = va_arg(*args, char *);
}

/*
 * Make an array of @first and the hook's arguments behind it. The array lies on the hook's own stack: in
 * a child of vfork() nothing may be allocated. @args stands behind the NULL, to be ended by the hook.
 */
#define COLLECT_ARGS(argv, first, args)                    \
	do {                                               \
		size_t count_;                             \
		va_start(args, first);                     \
		count_ = count_args(&(args));              \
		va_end(args);                              \
		(argv) = alloca(count_ * sizeof(*(argv))); \
		va_start(args, first);                     \
		take_args(argv, first, count_, &(args));   \
	} while (0)

HOOK int execl(const char *path, const char *arg, ...)
{
	va_list args;
	char **argv;

	COLLECT_ARGS(argv, arg, args);
	va_end(args);
	return execv(path, argv);
}

HOOK int execlp(const char *file, const char *arg, ...)
{
	va_list args;
	char **argv;

	COLLECT_ARGS(argv, arg, args);
	va_end(args);
	return execvp(file, argv);
}

HOOK int execle(const char *path, const char *arg, ...)
{
	va_list args;
	char **argv, **envp;

	COLLECT_ARGS(argv, arg, args);
	envp = va_arg(args, char **);
	va_end(args);
	return execve(path, argv, envp);
}
