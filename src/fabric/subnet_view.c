// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What a driver asks of its port, and changes by itself. */
#include <errno.h>
#include <string.h>

#include "base/cause.h"
#include "fabric/subnet_priv.h"
#include "fabric/trap.h"

/* LinkSpeedActive as verbs have it: 1 SDR, 2 DDR, 4 QDR, 16 FDR, 32 EDR, 64 HDR, 128 NDR. */
static uint16_t verbs_speed(const struct subnet_port *port)
{
	return (uint16_t)(port->ext_active ? port->ext_active << 4 : port->speed_active);
}

static void fill(const struct subnet_node *node, const struct subnet_port *port,
		 const struct subnet_end *end, struct subnet_port_view *view)
{
	*view = (struct subnet_port_view){.state = port->state,
					  .phys_state = port->phys_state,
					  .lid = end->lid,
					  .lmc = end->lmc,
					  .sm_lid = end->sm_lid,
					  .sm_sl = end->sm_sl,
					  .guid = end->guid,
					  .subnet_prefix = end->prefix,
					  .cap_mask = end->cap_mask,
					  .mtu_active = port->mtu,
					  .mtu_cap = node->config.mtu_cap,
					  .vl_cap = node->config.vl_cap,
					  .init_type_reply = end->init_type_reply,
					  .subnet_timeout = end->subnet_timeout,
					  .width_active = port->width_active,
					  .speed_active = verbs_speed(port),
					  .pkey_violations = end->pkey_violations,
					  .qkey_violations = end->qkey_violations,
					  .pkeys = node->config.pkeys};
}

/* Views change nothing but the lock. */
static struct subnet *lock(const struct subnet *subnet)
{
	return (struct subnet *)(uintptr_t)subnet;
}

int subnet_query_port(const struct subnet *subnet, struct subnet_at at,
		      struct subnet_port_view *view)
{
	struct subnet *s = lock(subnet);
	struct subnet_node *node;
	struct subnet_port *port;
	bool found;

	spin_lock(&s->lock);
	found = subnet_find(s, at, &node, &port);
	if (found)
		fill(node, port, subnet_end_of(node, at.port), view);
	spin_unlock(&s->lock);
	return found ? 0 : base_refuse(-EINVAL, SUBNET_NO_PORT, at.node, at.port);
}

int subnet_query_pkey(const struct subnet *subnet, struct subnet_at at, uint16_t index,
		      uint16_t *pkey)
{
	struct subnet *s = lock(subnet);
	struct subnet_node *node;
	struct subnet_port *port;
	bool found;

	spin_lock(&s->lock);
	found = subnet_find(s, at, &node, &port) && index < node->config.pkeys;
	if (found)
		*pkey = subnet_pkeys_of(node, at.port)[index];
	spin_unlock(&s->lock);
	return found ? 0 : base_refuse(-EINVAL, SUBNET_NO_PORT, at.node, at.port);
}

int subnet_query_guid(const struct subnet *subnet, struct subnet_at at, uint16_t index,
		      uint64_t *guid)
{
	struct subnet *s = lock(subnet);
	const struct subnet_end *end;
	bool found;

	spin_lock(&s->lock);
	end = subnet_find_end(s, at);
	found = end && index < SUBNET_GUIDS;
	if (found) {
		if (!index)
			*guid = end->guid;
		else
			*guid = end->guids ? end->guids[index] : 0;
	}
	spin_unlock(&s->lock);
	return found ? 0 : base_refuse(-EINVAL, SUBNET_NO_PORT, at.node, at.port);
}

void subnet_set_cap_mask(struct subnet *subnet, struct subnet_at at, uint32_t set, uint32_t clear)
{
	struct subnet_end *end;
	uint32_t mask;

	spin_lock(&subnet->lock);
	end = subnet_find_end(subnet, at);
	mask = end ? (end->cap_mask | set) & ~clear : 0;
	if (end && mask != end->cap_mask) {
		end->cap_mask = mask;
		subnet_trap_change(subnet, end, 0);
	}
	spin_unlock(&subnet->lock);
}

void subnet_set_lid(struct subnet *subnet, struct subnet_at at, uint16_t lid, uint8_t lmc)
{
	struct subnet_end *end;

	spin_lock(&subnet->lock);
	end = subnet_find_end(subnet, at);
	if (end) {
		end->lid = lid;
		end->lmc = lmc;
		subnet_new_epoch(subnet);
	}
	spin_unlock(&subnet->lock);
}

void subnet_describe(const struct subnet *subnet, uint32_t node,
		     char text[SUBNET_DESCRIPTION_BYTES + 1])
{
	struct subnet *s = lock(subnet);
	const struct subnet_node *n;

	memset(text, 0, SUBNET_DESCRIPTION_BYTES + 1);
	spin_lock(&s->lock);
	n = subnet_find_node(s, node);
	if (n)
		memcpy(text, n->config.description, SUBNET_DESCRIPTION_BYTES);
	spin_unlock(&s->lock);
}

void subnet_set_description(struct subnet *subnet, uint32_t node, const char *text)
{
	char description[SUBNET_DESCRIPTION_BYTES] = "";
	struct subnet_node *n;

	memcpy(description, text, strnlen(text, sizeof(description)));
	spin_lock(&subnet->lock);
	n = subnet_find_node(subnet, node);
	if (n && memcmp(n->config.description, description, sizeof(description)) != 0) {
		memcpy(n->config.description, description, sizeof(description));
		for (uint32_t i = n->first_port; i <= (n->first_port ? n->config.ports : 0u); i++)
			subnet_trap_change(subnet, subnet_end_of(n, i),
					   IB_NOTICE_TRAP_NODE_DESC_CHG);
	}
	spin_unlock(&subnet->lock);
}

void subnet_set_system_guid(struct subnet *subnet, uint32_t node, uint64_t guid)
{
	struct subnet_node *n;

	spin_lock(&subnet->lock);
	n = subnet_find_node(subnet, node);
	if (n && n->config.system_guid != guid) {
		n->config.system_guid = guid;
		subnet_trap_system_guid(subnet, n);
	}
	spin_unlock(&subnet->lock);
}

void subnet_violate(struct subnet *subnet, struct subnet_end *end, bool qkey,
		    const struct subnet_mad *mad)
{
	uint16_t *violations = qkey ? &end->qkey_violations : &end->pkey_violations;

	if (*violations < UINT16_MAX)
		(*violations)++;
	subnet_trap_key(subnet, end, qkey, mad);
}

void subnet_bad_key(struct subnet *subnet, struct subnet_at at, bool qkey,
		    const struct subnet_mad *header)
{
	struct subnet_end *end;

	spin_lock(&subnet->lock);
	end = subnet_find_end(subnet, at);
	if (end)
		subnet_violate(subnet, end, qkey, header);
	spin_unlock(&subnet->lock);
}
