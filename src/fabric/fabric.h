/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The fabric: one switch, the ports that hang on it, which LIDs are whose, and which links are up.
 * It moves no packets: a wire asks it where a packet goes.
 */
#ifndef FABRIC_FABRIC_H
#define FABRIC_FABRIC_H

#include <linux/spinlock.h>
#include <stdbool.h>
#include <stdint.h>

#define FABRIC_PORTS 1024u
#define FABRIC_UNICAST_LIDS 0xc000u
#define FABRIC_DEFAULT_PREFIX 0xfe80000000000000u

/**
 * struct fabric_port_config - What a port is called.
 * @guid: Host order; 0 has the fabric choose.
 * @lid: Base LID; 0 has the fabric choose.
 * @lmc: The port owns 2^lmc LIDs.
 * @down: Its link is down at first.
 */
struct fabric_port_config {
	uint64_t guid;
	uint16_t lid;
	uint8_t lmc;
	bool down;
};

/**
 * struct fabric_port - A port of the fabric.
 * @config: With the values chosen.
 * @used: A port is here.
 * @up: Its link is up. Atomic.
 * @group: Ports reach those of their own group only (a partition of the fabric). Atomic.
 */
struct fabric_port {
	struct fabric_port_config config;
	bool used;
	bool up;
	uint32_t group;
};

/**
 * struct fabric - All of it.
 * @subnet_prefix: Host order.
 * @lock: Taken to change the tables.
 * @lid_port: Slot + 1 of the port that owns a LID, 0 if nobody does. Read without lock.
 * @ports: By slot.
 * @next_guid: For ports that bring none.
 */
struct fabric {
	uint64_t subnet_prefix;
	spinlock_t lock;
	uint16_t lid_port[FABRIC_UNICAST_LIDS];
	struct fabric_port ports[FABRIC_PORTS];
	uint64_t next_guid;
};

/** fabric_init() - Make a fabric without ports. @fabric: Zeroed. @subnet_prefix: 0: the default. */
void fabric_init(struct fabric *fabric, uint64_t subnet_prefix);

/**
 * fabric_port_add() - Connect a port.
 * @fabric: Fabric.
 * @config: What is asked for; what was chosen is in &fabric_port.config afterwards.
 * @slot: Out: its number here.
 *
 * Return: 0; -EINVAL: LID, LMC out of range or LID no multiple of 2^lmc; -EEXIST: GUID or a LID is
 *	taken; -ENOSPC: no slot or no LIDs are left.
 */
int fabric_port_add(struct fabric *fabric, const struct fabric_port_config *config, uint32_t *slot);

/**
 * fabric_port_join() - Connect a port whose state and LID somebody else keeps: none, and Down, at first.
 * @fabric: Fabric.
 * @guid: Host order, not 0.
 * @slot: Out: its number here.
 *
 * Return: 0; -EEXIST: the GUID is taken; -ENOSPC: no slot is left.
 */
int fabric_port_join(struct fabric *fabric, uint64_t guid, uint32_t *slot);

/**
 * fabric_port_set_lid() - Such a port has other LIDs now.
 * @fabric: Fabric.
 * @slot: The port.
 * @lid: Base LID; 0: none.
 * @lmc: The port owns 2^lmc LIDs.
 *
 * Of LIDs that another port has, too, the last one that was told about is the owner.
 */
void fabric_port_set_lid(struct fabric *fabric, uint32_t slot, uint16_t lid, uint8_t lmc);

/**
 * fabric_repair() - Take over a fabric whose owner has died, perhaps in the middle of a change.
 * @fabric: Any content; ports that are used are kept.
 * @managed: Somebody else keeps LIDs, and will say again which are whose: ports may have none, and of two that claim
 *	the same either may have them until then.
 *
 * Return: false if two ports claim the same LIDs, or LIDs that there are not.
 */
bool fabric_repair(struct fabric *fabric, bool managed);

/** fabric_port_remove() - Disconnect a port; its LIDs and slot are free again. */
void fabric_port_remove(struct fabric *fabric, uint32_t slot);

/** fabric_port_set_link() - Plug or unplug. Returns whether that changed anything. */
bool fabric_port_set_link(struct fabric *fabric, uint32_t slot, bool up);

/** fabric_port_set_group() - Put a port in a partition: 0 is where all are at first. */
void fabric_port_set_group(struct fabric *fabric, uint32_t slot, uint32_t group);

/**
 * fabric_can_reach() - Whether a packet from one port gets to another now.
 * @fabric: Fabric.
 * @from_slot: Where it starts.
 * @to_slot: Where it is to arrive.
 *
 * Context: Any, no lock.
 */
bool fabric_can_reach(const struct fabric *fabric, uint32_t from_slot, uint32_t to_slot);

/**
 * fabric_owner() - Which port has a LID.
 * @fabric: Fabric.
 * @lid: Any number.
 *
 * Context: Any, no lock.
 * Return: Its slot; -EHOSTUNREACH if nobody has it.
 */
int fabric_owner(const struct fabric *fabric, uint16_t lid);

/**
 * fabric_route() - Which port a unicast LID leads to.
 * @fabric: Fabric.
 * @from_slot: Where the packet starts.
 * @dlid: Destination.
 *
 * Context: Any, no lock.
 * Return: The slot; -EHOSTUNREACH if nobody owns the LID, or a link or partition is in the way.
 */
int fabric_route(const struct fabric *fabric, uint32_t from_slot, uint16_t dlid);

#endif
