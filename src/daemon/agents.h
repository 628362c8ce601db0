/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which process a MAD is for that has arrived at a port of a host. Agents are known by slot of the fabric, class, version,
 * OUI and method. Any thread may look.
 */
#ifndef DAEMON_AGENTS_H
#define DAEMON_AGENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/mad.h"
#include "fabric/directory.h"

#define AGENTS_OF_PROCESS 1024u

struct agents;

/** struct agents_holder - Who has a method already. */
struct agents_holder {
	uint32_t id;
	uint32_t method;
};

/** agents_new() - Nobody. @dir: Whose processes they are; outlives it. Return: NULL without memory. */
struct agents *agents_new(const struct directory *dir);

/** agents_free() - Forget all. @agents: May be NULL. */
void agents_free(struct agents *agents);

/**
 * agents_add() - A process receives requests.
 * @agents: Where.
 * @id: Of the process.
 * @slot: Of the port.
 * @is: What it says of its agent. Any content. One of the same number is replaced.
 * @holder: Out, with -EINVAL.
 *
 * Return: 0; -EINVAL: another agent has one of the methods; -ENOMEM: no memory, or too many; -EBADMSG: it makes no sense.
 */
int agents_add(struct agents *agents, uint32_t id, uint32_t slot, const struct attach_agent *is,
	       struct agents_holder *holder);

/** agents_remove() - It does not any more. @hi_tid: Its agent's number. */
void agents_remove(struct agents *agents, uint32_t id, uint32_t hi_tid);

/** agents_gone() - A process is dead. */
void agents_gone(struct agents *agents, uint32_t id);

/**
 * agents_find() - Whose a MAD is.
 * @agents: Where.
 * @slot: Of the port that it has arrived at.
 * @mad: It. Any content.
 *
 * A response is for whoever has its transaction, a request for whoever has registered, and what is for another queue
 * pair for whoever has its number; all of them on the port's host.
 *
 * Context: Any.
 * Return: Id of the process, which is alive; -ENOENT.
 */
int agents_find(struct agents *agents, uint32_t slot, const struct subnet_mad *mad);

#endif
