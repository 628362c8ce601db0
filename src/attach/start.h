/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Reaching the daemon of a fabric, and starting it. */
#ifndef ATTACH_START_H
#define ATTACH_START_H

#include <stdint.h>

#include "base/cause.h"

#define ATTACH_MAX_IDLE_S 1000000 /* of VERBENA_IDLE */

#define ATTACH_TOPOLOGY ".topology" /* beside its socket: what the daemon of a fabric has */

/**
 * struct attach_ready - What a daemon says when it has begun, or has not.
 * @status: 0 or a negative errno.
 * @cause: Why, if there is more to be said.
 */
struct attach_ready {
	int32_t status;
	struct base_cause cause;
};

/**
 * attach_connect() - Connect to the daemon of a fabric.
 * @fabric: Name.
 *
 * Return: A socket, for base_fd_close(); -ENOENT or -ECONNREFUSED if there is no daemon; another negative errno.
 */
int attach_connect(const char *fabric);

/**
 * attach_start() - Connect, and start the daemon if there is none.
 * @fabric: Name.
 *
 * $VERBENAD names the program; otherwise it is `verbenad` beside the library or the program that this
 * code is in, where it is installed seen from there, or in the PATH.
 *
 * Context: May sleep.
 * Return: A socket, for base_fd_close(), or a negative errno with a cause.
 */
int attach_start(const char *fabric);

/**
 * attach_up() - Start the daemon of a fabric that has a topology, and wait until all is up.
 * @fabric: Name.
 * @topology: File, as ibnetdiscover prints it.
 *
 * Context: May sleep, for seconds if there are thousands of nodes.
 * Return: 0; -EEXIST: the fabric is up; another negative errno; all with a cause.
 */
int attach_up(const char *fabric, const char *topology);

#endif
