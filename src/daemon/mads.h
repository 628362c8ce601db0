/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* MADs of processes: into the daemon's subnet, and out of it. */
#ifndef DAEMON_MADS_H
#define DAEMON_MADS_H

#include "daemon/server_priv.h"

/* MADs that wait until a process reads. What comes then is lost. */
#define MADS_OWED 1024u

/** mads_open() - Before there is a subnet. Return: 0; -ENOMEM, with a cause. */
int mads_open(struct server *s);

/** mads_close() - There is none any more: nothing arrives. */
void mads_close(struct server *s);

/** mads_gone() - A process is dead. */
void mads_gone(struct server *s, uint32_t id);

/** mads_agent() - ATTACH_AGENT: an agent is to receive requests. Returns whether the client may stay. */
bool mads_agent(struct server *s, struct client *c, const struct attach_message *m);

/** mads_agent_gone() - ATTACH_AGENT_GONE: it does not any more. Returns likewise. */
bool mads_agent_gone(struct server *s, struct client *c, const struct attach_message *m);

/** mads_send() - ATTACH_MAD: send one. Returns likewise. */
bool mads_send(struct server *s, struct client *c, const struct attach_message *m);

/** mads_bad_key() - ATTACH_BAD_KEY: a queue pair has refused a packet. Returns likewise. */
bool mads_bad_key(struct server *s, struct client *c, const struct attach_message *m);

/**
 * mads_deliver() - A MAD has arrived at a port of a host.
 * @s: Server.
 * @slot: Of the port.
 * @mad: It.
 *
 * Context: Any thread, no locks.
 * Return: Whether a process wants it; the main loop sends it there, soon.
 */
bool mads_deliver(struct server *s, uint32_t slot, const struct subnet_mad *mad);

#endif
