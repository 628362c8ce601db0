// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * PortInfo. A Set is looked at as a whole, and then all of it is done, or nothing.
 *
 * Of a switch, what belongs to the node as a whole (LIDs, keys, capabilities) is in port 0's alone: other
 * ports have zeroes there, and what is written is ignored.
 */
#include <string.h>

#include "fabric/sma.h"

#define NO_CHANGE 0u
#define ALL_WIDTHS 0xffu
#define ALL_SPEEDS 0xfu
#define ALL_EXT_SPEEDS 31u
#define NO_EXT_SPEEDS 30u
#define ASKER_KNOWS_EXT_SPEEDS 0x80000000u
#define VL_ARB_CAP 64u
#define RESPONSE_TIME 16u
#define REREGISTER 0x80u

/* Behind struct ib_port_info. */
#define CAP_MASK2 60
#define EXT_ACTIVE 62
#define EXT_ENABLED 63

/* What a query is about. */
struct subject {
	uint8_t number;
	struct subnet_port *port;
	struct subnet_end *end; /* NULL: an external port of a switch */
};

static bool find(const struct firmware_query *query, struct subject *s)
{
	const uint32_t number = query->modifier & ~ASKER_KNOWS_EXT_SPEEDS;
	const struct subnet_node *node = query->node;

	if (number > UINT8_MAX)
		return false;
	s->number = (uint8_t)number;
	if (!number && !subnet_is_switch(node))
		s->number = query->in_port;
	if (!subnet_has_port(node, s->number))
		return false;
	s->port = subnet_port_of(node, s->number);
	s->end = subnet_is_switch(node) && s->number ? NULL : subnet_end_of(node, s->number);
	return true;
}

static uint16_t cap_mask2(const struct subnet_node *node)
{
	uint16_t mask = 0;

	if (node->config.width & 0x10)
		mask |= IB_PORT_LINK_WIDTH_2X_SUP;
	if (node->config.speed_ext & 4)
		mask |= IB_PORT_LINK_SPEED_HDR_SUP;
	if (node->config.speed_ext & 8)
		mask |= IB_PORT_LINK_SPEED_NDR_SUP;
	return mask;
}

static void get_end(const struct firmware_query *query, const struct subnet_end *end,
		    struct ib_port_info *pi)
{
	const struct ib_smp *smp = (const struct ib_smp *)(const void *)query->mad->data;

	if (sma_may_see_mkey(end, be64_to_cpu(smp->mkey)))
		pi->mkey = cpu_to_be64(end->mkey);
	pi->gid_prefix = cpu_to_be64(end->prefix);
	pi->lid = cpu_to_be16(end->lid);
	pi->sm_lid = cpu_to_be16(end->sm_lid);
	pi->cap_mask = cpu_to_be32(end->cap_mask);
	pi->mkey_lease_period = cpu_to_be16(end->lease_period);
	pi->mkeyprot_resv_lmc = (u8)(end->protect << 6 | end->lmc);
	pi->neighbormtu_mastersmsl |= end->sm_sl;
	pi->inittypereply_mtucap |= (u8)(end->init_type_reply << 4);
	pi->mkey_violations = cpu_to_be16(end->mkey_violations);
	pi->pkey_violations = cpu_to_be16(end->pkey_violations);
	pi->qkey_violations = cpu_to_be16(end->qkey_violations);
	pi->guid_cap = SUBNET_GUIDS;
	pi->clientrereg_resv_subnetto =
		(u8)(end->subnet_timeout | (query->reregisters ? REREGISTER : 0));
	pi->resv_resptimevalue = RESPONSE_TIME;
	put_unaligned_be16(cap_mask2(query->node), query->data + CAP_MASK2);
}

__be16 sma_get_port_info(struct firmware_query *query)
{
	struct ib_port_info *pi = (struct ib_port_info *)(void *)query->data;
	const struct subnet_node_config *c = &query->node->config;
	const struct subnet_port *p;
	struct subject s;

	if (!find(query, &s))
		return FIRMWARE_BAD_VALUE;
	p = s.port;
	pi->local_port_num = query->in_port;
	pi->link_width_enabled = p->width_enabled;
	pi->link_width_supported = c->width;
	pi->link_width_active = p->width_active;
	pi->linkspeed_portstate = (u8)(c->speed << 4 | p->state);
	pi->portphysstate_linkdown = (u8)(p->phys_state << 4 | p->down_default);
	pi->linkspeedactive_enabled = (u8)(p->speed_active << 4 | p->speed_enabled);
	pi->neighbormtu_mastersmsl = (u8)(p->mtu << 4);
	pi->vlcap_inittype = (u8)(c->vl_cap << 4);
	pi->vl_high_limit = p->vl_high_limit;
	pi->vl_arb_high_cap = pi->vl_arb_low_cap = c->vl_cap > 1 ? VL_ARB_CAP : 0;
	pi->inittypereply_mtucap = c->mtu_cap;
	pi->vlstallcnt_hoqlife = p->hoq_life;
	pi->operationalvl_pei_peo_fpi_fpo = (u8)(p->op_vls << 4 | p->enforce);
	pi->localphyerrors_overrunerrors = p->thresholds;
	query->data[EXT_ACTIVE] = (uint8_t)(p->ext_active << 4 | c->speed_ext);
	query->data[EXT_ENABLED] = p->ext_enabled;
	if (s.end)
		get_end(query, s.end, pi);
	return FIRMWARE_OK;
}

/* A LID that is there already may be written again, though nobody could be given it. */
static bool lid_is_sound(uint16_t lid, uint16_t now)
{
	return lid == now || (lid && lid < SUBNET_MULTICAST_LID);
}

static bool end_is_sound(const struct subnet_end *end, const struct ib_port_info *pi)
{
	const uint16_t lid = be16_to_cpu(pi->lid);
	const uint8_t lmc = pi->mkeyprot_resv_lmc & 7;

	return lid_is_sound(lid, end->lid) && !(lid & ((1u << lmc) - 1)) &&
	       lid + (1u << lmc) <= SUBNET_MULTICAST_LID &&
	       lid_is_sound(be16_to_cpu(pi->sm_lid), end->sm_lid);
}

/* Bits that may be enabled, one value for all of them, and one for no change. */
static bool is_enabling(uint8_t wanted, uint8_t all, uint8_t supported)
{
	return wanted == NO_CHANGE || wanted == all || !(wanted & ~supported);
}

static bool ext_is_sound(const struct firmware_query *query, const struct subnet_node_config *c)
{
	const uint8_t wanted = query->data[EXT_ENABLED] & 0x1f;

	return !(query->modifier & ASKER_KNOWS_EXT_SPEEDS) || !c->speed_ext ||
	       wanted == NO_EXT_SPEEDS || is_enabling(wanted, ALL_EXT_SPEEDS, c->speed_ext);
}

/* Port 0 is up as long as the switch is. */
static bool state_is_sound(const struct subject *s, uint8_t state, uint8_t phys)
{
	if (!s->number)
		return !phys && (!state || state == SUBNET_ARMED || state == SUBNET_ACTIVE);
	return subnet_link_allows(s->port, state, phys);
}

static bool is_sound(const struct firmware_query *query, const struct subject *s)
{
	const struct ib_port_info *pi = (const struct ib_port_info *)(const void *)query->data;
	const struct subnet_node_config *c = &query->node->config;
	const uint8_t mtu = pi->neighbormtu_mastersmsl >> 4;
	const uint8_t vls = pi->operationalvl_pei_peo_fpi_fpo >> 4;

	return mtu <= c->mtu_cap && vls <= c->vl_cap &&
	       (pi->portphysstate_linkdown & 0xf) <= SUBNET_POLLING &&
	       is_enabling(pi->link_width_enabled, ALL_WIDTHS, c->width) &&
	       is_enabling(pi->linkspeedactive_enabled & 0xf, ALL_SPEEDS, c->speed) &&
	       ext_is_sound(query, c) &&
	       state_is_sound(s, pi->linkspeed_portstate & 0xf, pi->portphysstate_linkdown >> 4) &&
	       (!s->end || end_is_sound(s->end, pi));
}

static void clear_if_zero(uint16_t *counter, __be16 written)
{
	if (!written)
		*counter = 0;
}

/* In the order in which a CA raises its events. */
static uint32_t set_end(struct subnet *subnet, struct subnet_end *end,
			const struct ib_port_info *pi)
{
	const uint8_t lmc = pi->mkeyprot_resv_lmc & 7, sm_sl = pi->neighbormtu_mastersmsl & 0xf;
	uint32_t changed = 0;

	if (end->lid != be16_to_cpu(pi->lid) || end->lmc != lmc) {
		changed |= SUBNET_CHANGED_LID;
		subnet_new_epoch(subnet);
	}
	if (end->sm_lid != be16_to_cpu(pi->sm_lid) || end->sm_sl != sm_sl)
		changed |= SUBNET_CHANGED_SM;
	if (pi->clientrereg_resv_subnetto & REREGISTER)
		changed |= SUBNET_CHANGED_REREGISTER;
	if (end->prefix != be64_to_cpu(pi->gid_prefix))
		changed |= SUBNET_CHANGED_GID;
	end->mkey = be64_to_cpu(pi->mkey);
	end->prefix = be64_to_cpu(pi->gid_prefix);
	end->lid = be16_to_cpu(pi->lid);
	end->lmc = lmc;
	end->sm_lid = be16_to_cpu(pi->sm_lid);
	end->sm_sl = sm_sl;
	end->lease_period = be16_to_cpu(pi->mkey_lease_period);
	end->protect = pi->mkeyprot_resv_lmc >> 6;
	end->init_type_reply = pi->inittypereply_mtucap >> 4;
	end->subnet_timeout = pi->clientrereg_resv_subnetto & 0x1f;
	clear_if_zero(&end->mkey_violations, pi->mkey_violations);
	clear_if_zero(&end->pkey_violations, pi->pkey_violations);
	clear_if_zero(&end->qkey_violations, pi->qkey_violations);
	return changed;
}

static uint8_t enabled(uint8_t wanted, uint8_t all, uint8_t supported, uint8_t now)
{
	if (wanted == NO_CHANGE)
		return now;
	return wanted == all ? supported : wanted;
}

static void set_ext_speeds(const struct firmware_query *query, struct subnet_port *p)
{
	const uint8_t wanted = query->data[EXT_ENABLED] & 0x1f;
	const uint8_t supported = query->node->config.speed_ext;

	if (!(query->modifier & ASKER_KNOWS_EXT_SPEEDS) || !supported)
		return;
	p->ext_enabled = wanted == NO_EXT_SPEEDS
				 ? 0
				 : enabled(wanted, ALL_EXT_SPEEDS, supported, p->ext_enabled);
}

/* What takes effect at once; widths and speeds do when the link trains next. */
static void set_port(const struct firmware_query *query, struct subnet_port *p)
{
	const struct ib_port_info *pi = (const struct ib_port_info *)(const void *)query->data;
	const struct subnet_node_config *c = &query->node->config;
	const uint8_t mtu = pi->neighbormtu_mastersmsl >> 4, down = pi->portphysstate_linkdown & 15;
	const uint8_t vls = pi->operationalvl_pei_peo_fpi_fpo >> 4;
	const uint8_t enforce = pi->operationalvl_pei_peo_fpi_fpo & 0xf;

	p->width_enabled = enabled(pi->link_width_enabled, ALL_WIDTHS, c->width, p->width_enabled);
	p->speed_enabled =
		enabled(pi->linkspeedactive_enabled & 0xf, ALL_SPEEDS, c->speed, p->speed_enabled);
	set_ext_speeds(query, p);
	p->down_default = down ? down : p->down_default;
	p->vl_high_limit = pi->vl_high_limit;
	p->thresholds = pi->localphyerrors_overrunerrors;
	if ((mtu && mtu != p->mtu) || (vls && vls != p->op_vls))
		subnet_new_epoch(query->subnet);
	if (mtu)
		WRITE_ONCE(p->mtu, mtu);
	p->op_vls = vls ? vls : p->op_vls;
	if (!subnet_is_switch(query->node))
		return;
	p->hoq_life = pi->vlstallcnt_hoqlife;
	if (enforce != p->enforce)
		subnet_new_epoch(query->subnet);
	p->enforce = enforce;
}

/* ClientReregister reads as it was written, in the answer to who has written it. */
__be16 sma_set_port_info(struct firmware_query *query)
{
	const struct ib_port_info *pi = (const struct ib_port_info *)(const void *)query->data;
	const struct subnet_node *node = query->node;
	uint32_t changed = 0;
	struct subject s;

	if (!find(query, &s) || (!subnet_is_switch(node) && s.number != query->in_port) ||
	    !is_sound(query, &s))
		return FIRMWARE_BAD_VALUE;
	set_port(query, s.port);
	if (s.end)
		changed = set_end(query->subnet, s.end, pi);
	if (changed && !subnet_is_switch(node))
		subnet_note(query->subnet, s.end, changed);
	if (s.number)
		subnet_link_set(query->subnet, (struct subnet_at){node->number, s.number},
				pi->linkspeed_portstate & 0xf, pi->portphysstate_linkdown >> 4);
	query->reregisters = s.end && (pi->clientrereg_resv_subnetto & REREGISTER);
	return FIRMWARE_OK;
}
