/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* One question after the other by MADs: what the management demo stands on. Public API only. */
#ifndef CLI_MAD_CLIENT_H
#define CLI_MAD_CLIENT_H

#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>
#include <rdma/ib_smi.h>
#include <stdbool.h>
#include <stdint.h>

#define MAD_CLIENT_PERMISSIVE 0xffffu

/**
 * struct mad_client - Agents of a port that get answers only.
 * @agent: Of QP 0 and of QP 1.
 * @retries: How often a question is sent again, each 20 ms.
 * @answer: The answer to the question that was asked last.
 * @status: What became of it.
 * @done: It is answered, or will not be. Atomic.
 */
struct mad_client {
	struct ib_mad_agent *agent[2];
	int retries;
	struct ib_mad answer;
	enum ib_wc_status status;
	bool done;
};

/** mad_client_open() - On a device's first port. Return: 0; a negative errno, with a cause. */
int mad_client_open(struct mad_client *c, struct ib_device *device);

/** mad_client_close() - Also of one that could not be opened. */
void mad_client_close(struct mad_client *c);

/**
 * mad_client_ask() - Ask, and wait for the answer.
 * @c: Client; @answer is it.
 * @question: A MAD without TID.
 * @dlid: Whom; of a directed route MAD_CLIENT_PERMISSIVE.
 *
 * Return: 0; -ETIMEDOUT: no answer; -EPROTO: a status of the answer; another negative errno.
 */
int mad_client_ask(struct mad_client *c, const struct ib_mad *question, uint16_t dlid);

/**
 * struct mad_route - A directed route from our port.
 * @hops: How many.
 * @port: Port to leave by, of each.
 */
struct mad_route {
	uint8_t hops;
	uint8_t port[IB_SMP_MAX_PATH_HOPS];
};

/** mad_client_get() - An attribute of the subnet at the end of a route. @data: Out, of 64 bytes. */
int mad_client_get(struct mad_client *c, const struct mad_route *route, __be16 attribute,
		   uint32_t modifier, void *data);

/** mad_client_counters() - What a port has carried. @lid: Of its node. @counters: Out. */
int mad_client_counters(struct mad_client *c, uint16_t lid, uint8_t port,
			struct ib_pma_portcounters_ext *counters);

#endif
