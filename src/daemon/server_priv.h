/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What server.c (sockets), clients.c (what they want) and status.c share. */
#ifndef DAEMON_SERVER_PRIV_H
#define DAEMON_SERVER_PRIV_H

#include <poll.h>
#include <sys/types.h>

#include "attach/socket.h"
#include "daemon/server.h"

#define SERVER_CLIENTS DIRECTORY_PROCESSES

/**
 * struct client - A connection.
 * @fd: Socket.
 * @pid: Of the process, as the kernel says.
 * @attached: It has said hello: the rest is valid.
 * @id: In the directory.
 * @host: Its number in the directory.
 * @control_fd: Its control page.
 * @wake_fd: To wake it.
 * @control_address: Where its control page is in its memory.
 * @command: What it is called.
 * @known: Ids that it has been introduced to, a bit each.
 */
struct client {
	int fd;
	pid_t pid;
	bool attached;
	uint32_t id;
	uint32_t host;
	int control_fd;
	int wake_fd;
	uint64_t control_address;
	char command[ATTACH_NAME];
	uint64_t known[DIRECTORY_PROCESSES / 64];
};

#define SERVER_FIXED_FDS 2u /* of those polled: stop, listener */

struct server {
	struct server_config config;
	int listener;
	int lock_fd;
	int stop_fd;
	int directory_fd;
	char path[ATTACH_PATH];
	struct directory *directory;
	struct client *clients[SERVER_CLIENTS];
	unsigned int count;
	struct pollfd polled[SERVER_FIXED_FDS + SERVER_CLIENTS];
};

/**
 * client_message() - Do what a client wants.
 * @s: Server.
 * @c: Client.
 * @m: What it said.
 * @fds: What it sent along; those that are kept are set to -1.
 *
 * Return: Whether it may stay.
 */
bool client_message(struct server *s, struct client *c, struct attach_message *m,
		    int fds[ATTACH_FDS]);

/** client_refuse() - Say why, before hanging up. */
void client_refuse(struct client *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** client_gone() - Whoever knew it is told, and its place is free. */
void client_gone(struct server *s, struct client *c);

/** server_status() - A file with what there is, as JSON. Return: Descriptor or a negative errno. */
int server_status(const struct server *s);

#endif
