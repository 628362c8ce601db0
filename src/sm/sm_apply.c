// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What is to be set, and is not yet: SwitchInfo, tables, ports, states. */
#include <linux/byteorder.h>
#include <rdma/ib_verbs.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "sm/sm_priv.h"

/* SwitchInfo. */
#define LINEAR_TOP 6u
#define LIFE_AND_CHANGE 11u
#define PORT_STATE_CHANGE 0x04u
#define LIFE_TIME (0x12u << 3)

/* PortInfo. */
#define SUBNET_TIMEOUT 10u /* 4 ms: no more than one trap of a port in that time */
#define CLIENT_REREGISTER 0x80u
#define POLLING 2u
#define MFT_POSITION_SHIFT 28
#define ERROR_THRESHOLDS 0x88u
#define PORT_INFO_BYTES 60u /* of which something is set: newer fields are left as they are */
#define LOW 0x0fu
#define HIGH 0xf0u
#define MOST_VLS 4u

static u16 top_of(const struct sm_net *net)
{
	return (u16)(net->lids - 1);
}

static u16 top_that_is(const struct sm_switch *sw)
{
	return (u16)(sw->info[LINEAR_TOP] << 8 | sw->info[LINEAR_TOP + 1]);
}

/* A switch whose top is another one has been switched off and on, or is somebody else's. */
void sm_inherit(struct sm_net *net, struct sm_net *before)
{
	for (u32 i = 0; before && i < net->switches; i++) {
		struct sm_switch *sw = &net->sw[i], *was;
		const u32 node = sm_net_find(before, net->node[sw->node].guid);

		if (node == SM_NONE || before->node[node].sw == SM_NONE)
			continue;
		was = &before->sw[before->node[node].sw];
		if (!sw->known || top_that_is(sw) != top_of(before) ||
		    before->node[node].ports != net->node[sw->node].ports)
			continue;
		sw->set = was->set;
		sw->set_lids = was->set_lids;
		was->set = NULL;
		sw->mft = was->mft;
		sw->mft_blocks = was->mft_blocks;
		was->mft = NULL;
		was->mft_blocks = 0;
	}
}

static u32 lowest(u32 a, u32 b)
{
	return a < b ? a : b;
}

static const struct ib_port_info *peer_info(const struct sm_net *net, const struct sm_port *port)
{
	const u32 peer = port->peer;

	return peer != SM_NONE && net->port[peer].known ? &net->port[peer].info : NULL;
}

/* What both ends of the link can do. */
static void fit_to_peer(const struct sm_net *net, const struct sm_port *port,
			struct ib_port_info *info)
{
	const struct ib_port_info *peer = peer_info(net, port);
	u32 mtu = info->inittypereply_mtucap & LOW, vls = info->vlcap_inittype >> 4;

	if (peer) {
		mtu = lowest(mtu, peer->inittypereply_mtucap & LOW);
		vls = lowest(vls, peer->vlcap_inittype >> 4);
	}
	info->neighbormtu_mastersmsl = (u8)(mtu << 4);
	info->operationalvl_pei_peo_fpi_fpo =
		(u8)(lowest(vls, MOST_VLS) << 4 | (info->operationalvl_pei_peo_fpi_fpo & LOW));
}

static u16 own_lid(const struct sm_net *net)
{
	return net->port[net->own].lid;
}

/* As it is to be, but for the state, which is not to change. */
static void wanted(const struct sm *sm, const struct sm_port *port, struct ib_port_info *info)
{
	const struct sm_net *net = sm->next;

	/* With what fills it up, which an assignment may leave out. */
	memcpy(info, &port->info, sizeof(*info));
	info->mkey = 0;
	info->mkey_lease_period = 0;
	info->mkeyprot_resv_lmc = 0;
	if (port->lid) {
		info->lid = cpu_to_be16(port->lid);
		info->gid_prefix = cpu_to_be64(sm->options.subnet_prefix);
		info->sm_lid = cpu_to_be16(own_lid(net));
		info->clientrereg_resv_subnetto = SUBNET_TIMEOUT; /* others have none */
	}
	info->linkspeed_portstate &= HIGH;
	info->portphysstate_linkdown = POLLING;
	info->localphyerrors_overrunerrors = ERROR_THRESHOLDS;
	if (port->num)
		fit_to_peer(net, port, info);
}

static bool is_as_wanted(const struct sm *sm, const struct sm_port *port)
{
	struct ib_port_info is, want;

	memcpy(&is, &port->info, sizeof(is));
	wanted(sm, port, &want);
	is.linkspeed_portstate &= HIGH;
	is.portphysstate_linkdown &= LOW;
	is.clientrereg_resv_subnetto &= (u8)~CLIENT_REREGISTER;
	return !memcmp(&is, &want, PORT_INFO_BYTES);
}

static bool has_link(const struct sm_port *port)
{
	return port->peer != SM_NONE;
}

/* One that has had another manager, or may have. */
static bool is_new_to_us(const struct sm *sm, const struct sm_port *port)
{
	return port->lid && !sm_knows_us(sm, port->lid);
}

/* A port without a link has nothing to be set; port 0 has no link and always has. */
static bool wants_setting(const struct sm *sm, u32 index)
{
	const struct sm_port *port = &sm->next->port[index];

	if (!port->known || !(has_link(port) || port->lid))
		return false;
	return !is_as_wanted(sm, port) || is_new_to_us(sm, port) ||
	       (port->num && sm_port_state(port) == IB_PORT_INIT && has_link(port));
}

static bool wants_activation(const struct sm *sm, u32 index)
{
	const struct sm_port *port = &sm->next->port[index];

	return port->num && has_link(port) && sm_port_state(port) == IB_PORT_ARMED;
}

static bool wants_switch_info(const struct sm *sm, const struct sm_switch *sw)
{
	return sw->known && (top_that_is(sw) != top_of(sm->next) ||
			     (sw->info[LIFE_AND_CHANGE] & PORT_STATE_CHANGE) ||
			     (sw->info[LIFE_AND_CHANGE] & 0xf8u) != LIFE_TIME);
}

static u32 port_of_switch(const struct sm_net *net, const struct sm_switch *sw)
{
	return net->node[sw->node].first_port;
}

static bool next_switch(struct sm *sm, struct sm_request *request)
{
	const struct sm_net *net = sm->next;

	while (sm->cursor < net->switches) {
		const struct sm_switch *sw = &net->sw[sm->cursor++];

		if (!wants_switch_info(sm, sw))
			continue;
		*request = (struct sm_request){.what = SM_SET_SWITCH,
					       .index = port_of_switch(net, sw)};
		return true;
	}
	return false;
}

static bool lft_is_set(const struct sm_switch *sw, u32 block)
{
	const u32 lid = block * SM_BLOCK;

	return sw->set && lid < sw->set_lids && !memcmp(sw->set + lid, sw->lft + lid, SM_BLOCK);
}

static u32 lft_blocks_of(const struct sm_net *net, const struct sm_switch *sw)
{
	(void)sw;
	return (net->lids + SM_BLOCK - 1) / SM_BLOCK;
}

/* Only so many blocks as the switch has, each with all positions. */
static u32 mft_blocks_of(const struct sm_net *net, const struct sm_switch *sw)
{
	const u32 blocks = (sm_mft_rows(sw) + SM_MFT_ROWS - 1) / SM_MFT_ROWS;

	return lowest(sw->mft_blocks, blocks) * sm_mft_positions(net, sw);
}

static bool mft_is_set(const struct sm_switch *sw, u32 block)
{
	const struct sm_mft *mft = &sw->mft[block];

	return mft->known && !memcmp(mft->want, mft->set, sizeof(mft->set));
}

/* Tables, switch by switch and block by block. */
static bool next_block(struct sm *sm, struct sm_request *request, enum sm_what what,
		       u32 (*blocks_of)(const struct sm_net *net, const struct sm_switch *sw),
		       bool (*is_set)(const struct sm_switch *sw, u32 block))
{
	const struct sm_net *net = sm_net_at_hand(sm);

	while (sm->cursor < net->switches) {
		const struct sm_switch *sw = &net->sw[sm->cursor];
		const u32 blocks = blocks_of(net, sw);

		while (sm->block < blocks) {
			const u32 block = sm->block++;

			if (is_set(sw, block))
				continue;
			*request = (struct sm_request){
				.what = what, .index = port_of_switch(net, sw), .block = block};
			return true;
		}
		sm->cursor++;
		sm->block = 0;
	}
	return false;
}

static bool next_port(struct sm *sm, struct sm_request *request, enum sm_what what,
		      bool (*wants)(const struct sm *sm, u32 index))
{
	while (sm->cursor < sm->next->ports) {
		const u32 index = sm->cursor++;

		if (!wants(sm, index))
			continue;
		*request = (struct sm_request){.what = what, .index = index};
		return true;
	}
	return false;
}

bool sm_next_setting(struct sm *sm, struct sm_request *request)
{
	switch (sm->phase) {
	case SM_SWITCHES:
		return next_switch(sm, request);
	case SM_TABLES:
		return next_block(sm, request, SM_SET_LFT, lft_blocks_of, lft_is_set);
	case SM_GROUPS:
		return next_block(sm, request, SM_SET_MFT, mft_blocks_of, mft_is_set);
	case SM_PORTS:
		return next_port(sm, request, SM_SET_PORT, wants_setting);
	case SM_ACTIVATE:
		return next_port(sm, request, SM_SET_ACTIVE, wants_activation);
	case SM_GUIDS:
		return sm_next_guids(sm, request);
	case SM_IDLE:
	case SM_DISCOVER:
	case SM_POLL:
		break;
	}
	UNREACHABLE("a phase that sets nothing");
}

static void fill_switch(const struct sm *sm, u32 port, struct ib_smp *smp)
{
	const struct sm_net *net = sm->next;
	const u16 top = top_of(net);

	memcpy(smp->data, net->sw[sm_node_of(net, port)->sw].info, sizeof(smp->data));
	smp->data[LINEAR_TOP] = (u8)(top >> 8);
	smp->data[LINEAR_TOP + 1] = (u8)top;
	smp->data[LIFE_AND_CHANGE] &= 0x03u;
	smp->data[LIFE_AND_CHANGE] |= LIFE_TIME | PORT_STATE_CHANGE; /* writing it clears it */
}

/* 0 where nothing is to change; a port that comes up hears that it has a manager, maybe another one. */
static void fill_port(const struct sm *sm, const struct sm_request *request, struct ib_smp *smp)
{
	const struct sm_port *port = &sm->next->port[request->index];
	struct ib_port_info info;

	wanted(sm, port, &info);
	if (request->what == SM_SET_ACTIVE)
		info.linkspeed_portstate |= IB_PORT_ACTIVE;
	else if (port->num && has_link(port) && sm_port_state(port) == IB_PORT_INIT)
		info.linkspeed_portstate |= IB_PORT_ARMED;
	if (request->what == SM_SET_PORT && port->lid &&
	    (port->info.sm_lid != info.sm_lid || is_new_to_us(sm, port)))
		info.clientrereg_resv_subnetto |= CLIENT_REREGISTER;
	memcpy(smp->data, &info, sizeof(info));
	smp->attr_mod = cpu_to_be32(port->num);
}

static void fill_mft(const struct sm *sm, const struct sm_request *request, struct ib_smp *smp)
{
	const struct sm_net *net = sm_net_at_hand(sm);
	const struct sm_switch *sw = &net->sw[sm_node_of(net, request->index)->sw];
	const u32 positions = sm_mft_positions(net, sw);

	memcpy(smp->data, sw->mft[request->block].want, sizeof(sw->mft->want));
	smp->attr_mod = cpu_to_be32(request->block % positions << MFT_POSITION_SHIFT |
				    request->block / positions);
}

void sm_fill_setting(struct sm *sm, const struct sm_request *request, struct ib_smp *smp)
{
	const struct sm_net *net = sm->next;

	if (request->what == SM_SET_GUIDS) {
		sm_fill_guids(sm, request, smp);
	} else if (request->what == SM_SET_MFT) {
		fill_mft(sm, request, smp);
	} else if (request->what == SM_SET_SWITCH) {
		fill_switch(sm, request->index, smp);
	} else if (request->what == SM_SET_LFT) {
		memcpy(smp->data,
		       net->sw[sm_node_of(net, request->index)->sw].lft +
			       (size_t)request->block * SM_BLOCK,
		       SM_BLOCK);
		smp->attr_mod = cpu_to_be32(request->block);
	} else {
		fill_port(sm, request, smp);
	}
}

/* Of blocks that were not set yet nothing is known: 0 everywhere is what no table says. */
static void block_was_set(struct sm *sm, const struct sm_request *request)
{
	const struct sm_net *net = sm->next;
	struct sm_switch *sw = &net->sw[sm_node_of(net, request->index)->sw];
	const u32 lids = (net->lids + SM_BLOCK - 1) / SM_BLOCK * SM_BLOCK;
	const size_t at = (size_t)request->block * SM_BLOCK;

	if (sw->set_lids < lids) {
		u8 *set = base_realloc(sw->set, lids);

		if (!set)
			return; /* it is set once more in the next sweep */
		memset(set + sw->set_lids, 0, lids - sw->set_lids);
		sw->set = set;
		sw->set_lids = lids;
	}
	memcpy(sw->set + at, sw->lft + at, SM_BLOCK);
}

/* What it was told, which may not be what it is to be told by now. */
static void mft_was_set(struct sm *sm, const struct sm_request *request, const struct ib_smp *smp)
{
	const struct sm_net *net = sm_net_at_hand(sm);
	struct sm_mft *mft = &net->sw[sm_node_of(net, request->index)->sw].mft[request->block];

	memcpy(mft->set, smp->data, sizeof(mft->set));
	mft->known = true;
}

static void port_was_set(struct sm *sm, const struct sm_request *request, const struct ib_smp *smp)
{
	struct sm_port *port = &sm->next->port[request->index];

	memcpy(&port->info, smp->data, sizeof(port->info));
	if (request->what == SM_SET_PORT)
		sm->told[port->lid / 64] |= 1ull << port->lid % 64;
}

void sm_was_set(struct sm *sm, const struct sm_request *request, const struct ib_smp *smp)
{
	struct sm_net *net = sm->next;

	if (request->what == SM_TELL_SM)
		sm_other_answered(sm, request, smp);
	else if (request->what == SM_SET_GUIDS)
		sm_guids_were_set(sm, request, smp);
	else if (request->what == SM_SET_MFT)
		mft_was_set(sm, request, smp);
	else if (request->what == SM_SET_SWITCH)
		memcpy(net->sw[sm_node_of(net, request->index)->sw].info, smp->data,
		       sizeof(net->sw->info));
	else if (request->what == SM_SET_LFT)
		block_was_set(sm, request);
	else if (request->what == SM_SET_PORT || request->what == SM_SET_ACTIVE)
		port_was_set(sm, request, smp);
}
