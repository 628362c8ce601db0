/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Traps: told to the master subnet manager again and again until it represses them, the most urgent
 * first, and not more than one in the time that it has allowed. All of it under the subnet's lock.
 */
#ifndef FABRIC_TRAP_H
#define FABRIC_TRAP_H

#include "fabric/subnet_priv.h"

/** subnet_trap_link() - 128: a link of a switch has changed. */
void subnet_trap_link(struct subnet *subnet, struct subnet_node *node);

/** subnet_trap_threshold() - 129, 130, 131: errors at a port. @number: Which, network order. */
void subnet_trap_threshold(struct subnet *subnet, struct subnet_at at, __be16 number);

/** subnet_trap_change() - 144: @flags IB_NOTICE_TRAP_*_CHG, or 0 where CapabilityMask has changed. */
void subnet_trap_change(struct subnet *subnet, struct subnet_end *end, uint16_t flags);

/** subnet_trap_system_guid() - 145. */
void subnet_trap_system_guid(struct subnet *subnet, struct subnet_node *node);

/** subnet_trap_mkey() - 256: an SMP had the wrong M_Key. */
void subnet_trap_mkey(struct subnet *subnet, struct subnet_end *end, const struct subnet_mad *mad);

/** subnet_trap_key() - 257, 258: a packet had the wrong P_Key or Q_Key. */
void subnet_trap_key(struct subnet *subnet, struct subnet_end *end, bool qkey,
		     const struct subnet_mad *mad);

/** subnet_trap_enforced() - 259: a switch has refused a packet for its P_Key. */
void subnet_trap_enforced(struct subnet *subnet, struct subnet_at at, uint16_t slid,
			  const struct subnet_route *route);

/** subnet_trap_repress() - TrapRepress has come. Return: Whether it was about one of ours. */
bool subnet_trap_repress(struct subnet_end *end, uint64_t tid);

/** subnet_traps_send() - Queue those that are due. Return: When the next one is; UINT64_MAX: there is none. */
uint64_t subnet_traps_send(struct subnet *subnet, uint64_t now_ns);

/** subnet_traps_drop() - Nobody is to hear of them any more. */
void subnet_traps_drop(struct subnet_end *end);

#endif
