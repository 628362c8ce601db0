/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Messages with descriptors, where they are exchanged, and memory to share. */
#ifndef ATTACH_SOCKET_H
#define ATTACH_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

#include "attach/protocol.h"

#define ATTACH_PATH 96u /* fits into a struct sockaddr_un */

/**
 * attach_send() - Send one message; never waits.
 * @fd: Socket.
 * @m: Its magic and version are filled in.
 * @fds: Descriptors to send along; they stay the caller's.
 * @count: How many, at most ATTACH_FDS.
 *
 * Return: 0; -EAGAIN if the other side does not read; another negative errno if it is gone.
 */
int attach_send(int fd, struct attach_message *m, const int *fds, unsigned int count);

/**
 * attach_receive() - Receive one message; never waits.
 * @fd: Socket.
 * @m: Out.
 * @fds: Out: ATTACH_FDS descriptors, the caller's to close; -1 where there is none, or the process has
 *	as many as it may.
 *
 * Return: 0; -EAGAIN if there is none; -ECONNRESET at the end; -EPROTO if it is not one of ours, or
 *	cut off, and -EPROTONOSUPPORT if it is of another version (@m has it).
 */
int attach_receive(int fd, struct attach_message *m, int fds[ATTACH_FDS]);

/** attach_close_all() - Close what attach_receive() returned. */
void attach_close_all(int fds[ATTACH_FDS]);

/**
 * attach_run_dir() - Where the sockets are: $XDG_RUNTIME_DIR/verbena, else /tmp/verbena-UID.
 * @path: Out. It exists, is ours, and nobody else may enter.
 * @bytes: Size of @path.
 *
 * Return: 0; -EPERM if it is somebody else's, or open to others; -ENAMETOOLONG; another errno.
 */
int attach_run_dir(char *path, size_t bytes);

/**
 * attach_socket_path() - Where the daemon of a fabric listens.
 * @fabric: Name: letters, digits, '-', '_', '.', not first.
 * @path: Out, ATTACH_PATH bytes.
 *
 * Return: 0; -EINVAL if the name is none; and as attach_run_dir().
 */
int attach_socket_path(const char *fabric, char *path);

/**
 * attach_memory() - Memory that can be shared: a descriptor of fixed size.
 * @name: For people.
 * @bytes: Size.
 *
 * Return: Descriptor; or a negative errno.
 */
int attach_memory(const char *name, size_t bytes);

/**
 * attach_map() - Map what another process has sent; refuse what could shrink under us.
 * @fd: Descriptor; stays the caller's.
 * @bytes: At least so many it must have.
 * @writable: For writing, too.
 *
 * Return: The memory, the caller's to munmap(); NULL with errno set.
 */
void *attach_map(int fd, size_t bytes, bool writable);

/**
 * attach_is_eventfd() - Whether another process can be woken by a descriptor that it has sent.
 * @fd: It; or -1. If it is an eventfd writing to it does not wait from here on; of anything else nobody
 *	knows whether it does, or raises a signal.
 */
bool attach_is_eventfd(int fd);

/**
 * attach_map_file() - Map a file of the daemon's, to be read.
 * @fd: Descriptor; stays the caller's.
 * @bytes: At least so many it must have.
 *
 * Return: The memory, the caller's to munmap(); NULL with errno set: -EPROTO if it is another user's,
 *	or too small.
 */
void *attach_map_file(int fd, size_t bytes);

#endif
