/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The MAD layer as those see it who put a device together; its clients see <rdma/ib_mad.h>. */
#ifndef MAD_MAD_H
#define MAD_MAD_H

#include <rdma/ib_mad.h>

/**
 * ib_mad_init() - Hear of devices: on those that are there, and come, agents can be registered.
 *
 * Calls nest: each that succeeds wants an ib_mad_cleanup().
 *
 * Context: May sleep.
 * Return: 0; -ENOMEM, with a cause.
 */
int ib_mad_init(void);

/** ib_mad_cleanup() - Undo ib_mad_init(). After the last, no device has agents. */
void ib_mad_cleanup(void);

/**
 * mad_agents_number_from() - Have this process's agents get numbers of a block, from now on.
 * @first: Its first number, not 0.
 * @count: How many; 0: all 24 bits, as at first.
 */
void mad_agents_number_from(u32 first, u32 count);

/** mad_agents_start_at() - The number that was given out last. */
void mad_agents_start_at(u32 last);

/**
 * struct mad_claim - Requests that an agent registers for.
 * @port_num: Port.
 * @hi_tid: The agent's number.
 * @req: What it wants.
 */
struct mad_claim {
	u32 port_num;
	u32 hi_tid;
	const struct ib_mad_reg_req *req;
};

/**
 * struct mad_owner - Who else has a say in who receives requests at a device's ports, for others are there, too.
 * @link: The layer's.
 * @device: Whose ports.
 * @claim: May an agent receive them? May sleep. Return: 0; or a negative errno, with a cause.
 * @disclaim: It does not any more. May sleep.
 * @ctx: Handed to both.
 */
struct mad_owner {
	struct list_head link;
	struct ib_device *device;
	int (*claim)(void *ctx, const struct mad_claim *claim);
	void (*disclaim)(void *ctx, const struct mad_claim *claim);
	void *ctx;
};

/** mad_own() - From before its device is registered. @owner: Stays where it is until mad_let_go(). */
void mad_own(struct mad_owner *owner);

/** mad_let_go() - The device is unregistered, or was never. */
void mad_let_go(struct mad_owner *owner);

/** mad_forked() - Forget everything, in the child of a fork. Context: As core_forked(). */
void mad_forked(void);

/**
 * enum mad_drop - Why a MAD that has arrived is not anybody's.
 * @MAD_DROP_LENGTH: It has not the length of a MAD.
 * @MAD_DROP_VERSION: Of another base version.
 * @MAD_DROP_CLASS: A class of the other QP, or a method that the class does not have.
 * @MAD_DROP_ROUTE: A directed route that makes no sense here.
 * @MAD_DROP_NO_AGENT: Nobody has registered for it, and it is none that must be answered.
 * @MAD_DROP_NO_REQUEST: A response to no request, or to one that has ended.
 * @MAD_DROP_RMPP: RMPP: what no transfer is waiting for.
 * @MAD_DROP_MEMORY: There was no memory.
 * @MAD_DROPS: How many reasons there are.
 */
enum mad_drop {
	MAD_DROP_LENGTH,
	MAD_DROP_VERSION,
	MAD_DROP_CLASS,
	MAD_DROP_ROUTE,
	MAD_DROP_NO_AGENT,
	MAD_DROP_NO_REQUEST,
	MAD_DROP_RMPP,
	MAD_DROP_MEMORY,
	MAD_DROPS,
};

/** mad_port_drops() - How many MADs a port has dropped; 0 if it has no agents. Context: May sleep. */
uint64_t mad_port_drops(struct ib_device *device, u32 port_num, enum mad_drop why);

#endif
