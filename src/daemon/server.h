/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The daemon: it knows which processes are attached to a fabric, tells them of each other in the
 * directory, introduces those that want to talk, and notices when one dies. It moves no packets.
 */
#ifndef DAEMON_SERVER_H
#define DAEMON_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/protocol.h"
#include "fabric/directory.h"

struct server;

/**
 * struct server_config - How it shall be.
 * @fabric: Its name.
 * @idle_ms: It ends when nobody has been attached for so long; negative: never.
 * @first_ms: The first may take so long instead, if that is longer.
 * @topology: File with a topology that the fabric shall have, or NULL: the one that the daemon before us had, if
 *	any. A fabric that has one ends when it is told to.
 */
struct server_config {
	const char *fabric;
	int idle_ms;
	int first_ms;
	const char *topology;
};

/**
 * server_new() - Listen.
 * @config: Its strings outlive the server.
 * @err: Out, on failure: a negative errno; -EADDRINUSE if there is a daemon for this fabric already. If it is for the
 *	topology the last cause says more.
 *
 * Return: The server or NULL.
 */
struct server *server_new(const struct server_config *config, int *err);

/** server_run() - Serve until idle, or until server_stop(). */
void server_run(struct server *s);

/** server_stop() - Have server_run() return. Context: Signal handler, too. */
void server_stop(struct server *s);

/** server_free() - Hang up. @s: May be NULL. */
void server_free(struct server *s);

#endif
