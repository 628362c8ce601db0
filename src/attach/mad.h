/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* QP 0 and QP 1 of a process on a fabric with a topology: agents that the daemon knows of, MADs that go by it. */
#ifndef ATTACH_MAD_H
#define ATTACH_MAD_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/subnet.h"

struct attach;

/* The upper half of a TID has 24 bits: the id of a process, and a number of its own from 1 on. */
#define ATTACH_TID_BITS 14u
#define ATTACH_TIDS ((1u << ATTACH_TID_BITS) - 1)

/**
 * struct attach_agent - An agent that receives requests.
 * @hca: Index of its HCA.
 * @port: From 0.
 * @hi_tid: Its number, which no other agent of the process has.
 * @qpn: 0 or 1.
 * @mgmt_class: Class.
 * @class_version: Its version.
 * @oui: Of vendors' classes; else 0.
 * @reserved: 0.
 * @methods: A bit for each method.
 */
struct attach_agent {
	uint32_t hca;
	uint32_t port;
	uint32_t hi_tid;
	uint8_t qpn;
	uint8_t mgmt_class;
	uint8_t class_version;
	uint8_t oui[3];
	uint8_t reserved[2];
	uint64_t methods[2];
};

/** attach_first_hi_tid() - The first of the ATTACH_TIDS numbers that agents of this process have. */
uint32_t attach_first_hi_tid(const struct attach *a);

/**
 * attach_add_agent() - Receive requests that come to a port of our host, for all daemons to come.
 * @a: Attachment.
 * @is: What it receives. Copied.
 *
 * Context: May sleep.
 * Return: 0; -EINVAL if another process of the host receives some of them; -ENOMEM; -EOPNOTSUPP if the fabric
 *	has no topology; as attach_take_block() if there is no daemon. With a cause.
 */
int attach_add_agent(struct attach *a, const struct attach_agent *is);

/** attach_remove_agent() - Not any more. @hi_tid: Of an agent that was added. Context: May sleep. */
void attach_remove_agent(struct attach *a, uint32_t hi_tid);

/**
 * attach_send_mad() - Have the daemon send a MAD from a port of our host.
 * @a: Attachment.
 * @hca: Index of the HCA.
 * @port: From 0.
 * @mad: It.
 *
 * Context: Any; does not wait.
 * Return: 0; -EAGAIN if the daemon does not read at the moment; -ENOTCONN if there is none.
 */
int attach_send_mad(struct attach *a, uint32_t hca, uint32_t port, const struct subnet_mad *mad);

/** attach_bad_key() - A port of our host has refused a packet: as subnet_bad_key(). Context: Any. */
void attach_bad_key(struct attach *a, uint32_t hca, uint32_t port, bool qkey,
		    const struct subnet_mad *header);

#endif
