// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Who is connected, and who reaches whom. */
#include "fabric/fabric.h"

#include <errno.h>
#include <string.h>

#include "base/cause.h"
#include "base/check.h"

/* Locally administered, so that no maker's GUID is claimed. */
#define FIRST_GUID 0x0200560000000001u

void fabric_init(struct fabric *fabric, uint64_t subnet_prefix)
{
	spin_lock_init(&fabric->lock);
	fabric->subnet_prefix = subnet_prefix ? subnet_prefix : FABRIC_DEFAULT_PREFIX;
	fabric->next_guid = FIRST_GUID;
}

static bool lids_are_free(const struct fabric *fabric, uint32_t lid, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (fabric->lid_port[lid + i])
			return false;
	return true;
}

/* LID 0 is nobody's, so a port with an LMC starts at the next multiple. */
static uint32_t find_lids(const struct fabric *fabric, uint32_t count)
{
	for (uint32_t lid = count; lid + count <= FABRIC_UNICAST_LIDS; lid += count)
		if (lids_are_free(fabric, lid, count))
			return lid;
	return 0;
}

static int find_slot(const struct fabric *fabric)
{
	for (uint32_t slot = 0; slot < FABRIC_PORTS; slot++)
		if (!fabric->ports[slot].used)
			return (int)slot;
	return -ENOSPC;
}

static bool guid_is_taken(const struct fabric *fabric, uint64_t guid)
{
	for (uint32_t slot = 0; slot < FABRIC_PORTS; slot++)
		if (fabric->ports[slot].used && fabric->ports[slot].config.guid == guid)
			return true;
	return false;
}

static int choose_locked(struct fabric *fabric, struct fabric_port_config *config)
	REQUIRES(fabric->lock)
{
	const uint32_t count = 1u << config->lmc;

	if (config->guid && guid_is_taken(fabric, config->guid))
		return base_refuse(-EEXIST, FABRIC_GUID_TAKEN, config->guid);
	while (!config->guid) {
		if (!guid_is_taken(fabric, fabric->next_guid))
			config->guid = fabric->next_guid;
		fabric->next_guid++;
	}
	if (config->lid && !lids_are_free(fabric, config->lid, count))
		return base_refuse(-EEXIST, FABRIC_LID_TAKEN, config->lid, count);
	if (!config->lid)
		config->lid = (uint16_t)find_lids(fabric, count);
	return config->lid ? 0 : base_refuse(-ENOSPC, FABRIC_NO_LID, count);
}

static void publish_lids(struct fabric *fabric, const struct fabric_port_config *config,
			 uint16_t value)
{
	for (uint32_t i = 0; config->lid && i < 1u << config->lmc; i++)
		__atomic_store_n(&fabric->lid_port[config->lid + i], value, __ATOMIC_RELEASE);
}

static int take_slot(struct fabric *fabric, const struct fabric_port_config *config, bool up,
		     uint32_t *slot) REQUIRES(fabric->lock)
{
	const int free_slot = find_slot(fabric);
	struct fabric_port *port;

	if (free_slot < 0)
		return base_refuse(-ENOSPC, FABRIC_FULL, FABRIC_PORTS);
	port = &fabric->ports[free_slot];
	port->config = *config;
	port->used = true;
	__atomic_store_n(&port->group, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&port->up, up, __ATOMIC_RELEASE);
	publish_lids(fabric, config, (uint16_t)(free_slot + 1));
	*slot = (uint32_t)free_slot;
	return 0;
}

static int add_locked(struct fabric *fabric, struct fabric_port_config *config, uint32_t *slot)
	REQUIRES(fabric->lock)
{
	const int ret = choose_locked(fabric, config);

	return ret ? ret : take_slot(fabric, config, !config->down, slot);
}

static bool is_in_range(const struct fabric_port_config *config)
{
	return config->lmc <= 7 && !(config->lid & ((1u << config->lmc) - 1)) &&
	       config->lid + (1u << config->lmc) <= FABRIC_UNICAST_LIDS;
}

/* Which LIDs are whose follows from the ports. */
static bool find_owners(const struct fabric *fabric, bool managed, uint16_t *owner)
{
	for (uint32_t slot = 0; slot < FABRIC_PORTS; slot++) {
		const struct fabric_port *port = &fabric->ports[slot];
		const uint16_t lid = port->config.lid;

		if (!port->used || (managed && !lid))
			continue;
		if (!lid || !is_in_range(&port->config))
			return false;
		for (uint32_t i = 0; i < 1u << port->config.lmc; i++) {
			if (owner[lid + i] && !managed)
				return false;
			owner[lid + i] = (uint16_t)(slot + 1);
		}
	}
	return true;
}

/* Readers see no LID that is nobody's meanwhile. */
bool fabric_repair(struct fabric *fabric, bool managed)
{
	static uint16_t owner[FABRIC_UNICAST_LIDS];

	memset(owner, 0, sizeof(owner));
	spin_lock_init(&fabric->lock);
	if (!find_owners(fabric, managed, owner))
		return false;
	for (uint32_t lid = 0; lid < FABRIC_UNICAST_LIDS; lid++)
		__atomic_store_n(&fabric->lid_port[lid], owner[lid], __ATOMIC_RELEASE);
	return true;
}

int fabric_port_add(struct fabric *fabric, const struct fabric_port_config *config, uint32_t *slot)
{
	struct fabric_port_config wanted = *config;
	int ret;

	if (!is_in_range(&wanted))
		return base_refuse(-EINVAL, FABRIC_LID_RANGE, wanted.lid, wanted.lmc);
	spin_lock(&fabric->lock);
	ret = add_locked(fabric, &wanted, slot);
	spin_unlock(&fabric->lock);
	return ret;
}

int fabric_port_join(struct fabric *fabric, uint64_t guid, uint32_t *slot)
{
	const struct fabric_port_config config = {.guid = guid};
	int ret;

	spin_lock(&fabric->lock);
	if (guid_is_taken(fabric, guid))
		ret = base_refuse(-EEXIST, FABRIC_GUID_TAKEN, guid);
	else
		ret = take_slot(fabric, &config, false, slot);
	spin_unlock(&fabric->lock);
	return ret;
}

/* Where the LIDs are still this port's: another one may have been given them since. */
static void withdraw_lids(struct fabric *fabric, const struct fabric_port_config *config,
			  uint32_t slot)
{
	for (uint32_t i = 0; config->lid && i < 1u << config->lmc; i++)
		if (fabric->lid_port[config->lid + i] == slot + 1)
			__atomic_store_n(&fabric->lid_port[config->lid + i], 0, __ATOMIC_RELEASE);
}

void fabric_port_set_lid(struct fabric *fabric, uint32_t slot, uint16_t lid, uint8_t lmc)
{
	struct fabric_port_config *config = &fabric->ports[slot].config;
	struct fabric_port_config wanted = {.lid = lid, .lmc = lmc};

	spin_lock(&fabric->lock);
	withdraw_lids(fabric, config, slot);
	if (!is_in_range(&wanted))
		wanted.lid = wanted.lmc = 0;
	__atomic_store_n(&config->lid, wanted.lid, __ATOMIC_RELAXED);
	__atomic_store_n(&config->lmc, wanted.lmc, __ATOMIC_RELAXED);
	publish_lids(fabric, &wanted, (uint16_t)(slot + 1));
	spin_unlock(&fabric->lock);
}

void fabric_port_remove(struct fabric *fabric, uint32_t slot)
{
	struct fabric_port *port = &fabric->ports[slot];

	INVARIANT(slot < FABRIC_PORTS && port->used);
	spin_lock(&fabric->lock);
	withdraw_lids(fabric, &port->config, slot);
	__atomic_store_n(&port->up, false, __ATOMIC_RELEASE);
	port->used = false;
	spin_unlock(&fabric->lock);
}

bool fabric_port_set_link(struct fabric *fabric, uint32_t slot, bool up)
{
	return __atomic_exchange_n(&fabric->ports[slot].up, up, __ATOMIC_ACQ_REL) != up;
}

void fabric_port_set_group(struct fabric *fabric, uint32_t slot, uint32_t group)
{
	__atomic_store_n(&fabric->ports[slot].group, group, __ATOMIC_RELEASE);
}

bool fabric_can_reach(const struct fabric *fabric, uint32_t from_slot, uint32_t to_slot)
{
	const struct fabric_port *from = &fabric->ports[from_slot], *to = &fabric->ports[to_slot];

	return __atomic_load_n(&from->up, __ATOMIC_ACQUIRE) &&
	       __atomic_load_n(&to->up, __ATOMIC_ACQUIRE) &&
	       __atomic_load_n(&from->group, __ATOMIC_RELAXED) ==
		       __atomic_load_n(&to->group, __ATOMIC_RELAXED);
}

int fabric_owner(const struct fabric *fabric, uint16_t lid)
{
	uint16_t owner = 0;

	if (lid < FABRIC_UNICAST_LIDS)
		owner = __atomic_load_n(&fabric->lid_port[lid], __ATOMIC_ACQUIRE);
	return owner && owner <= FABRIC_PORTS ? owner - 1 : -EHOSTUNREACH;
}

int fabric_route(const struct fabric *fabric, uint32_t from_slot, uint16_t dlid)
{
	const int owner = fabric_owner(fabric, dlid);

	if (owner < 0 || !fabric_can_reach(fabric, from_slot, (uint32_t)owner))
		return -EHOSTUNREACH;
	return owner;
}
