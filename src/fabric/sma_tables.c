// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Tables: P_Keys, SL to VL, VL arbitration, linear and multicast forwarding. */
#include <string.h>

#include "base/alloc.h"
#include "fabric/sma.h"

/* The port that a modifier names; a CA has only the one that was asked, whatever is named. */
static bool find_port(const struct firmware_query *query, uint32_t number, uint8_t *port)
{
	*port = (uint8_t)(subnet_is_switch(query->node) ? number : query->in_port);
	return number <= UINT8_MAX && subnet_has_port(query->node, *port);
}

static uint16_t *find_pkeys(const struct firmware_query *query, uint8_t *port)
{
	const uint32_t block = query->modifier & 0xffff;

	if (!find_port(query, query->modifier >> 16, port) ||
	    block >= query->node->config.pkeys / SUBNET_PKEY_BLOCK)
		return NULL;
	return subnet_pkeys_of(query->node, *port) + block * SUBNET_PKEY_BLOCK;
}

__be16 sma_get_pkeys(struct firmware_query *query)
{
	uint8_t port;
	const uint16_t *pkeys = find_pkeys(query, &port);

	if (!pkeys)
		return FIRMWARE_BAD_VALUE;
	for (uint32_t i = 0; i < SUBNET_PKEY_BLOCK; i++)
		put_unaligned_be16(pkeys[i], query->data + 2 * (size_t)i);
	return FIRMWARE_OK;
}

__be16 sma_set_pkeys(struct firmware_query *query)
{
	uint8_t port;
	uint16_t *pkeys = find_pkeys(query, &port);
	bool differs = false;

	if (!pkeys)
		return FIRMWARE_BAD_VALUE;
	for (uint32_t i = 0; i < SUBNET_PKEY_BLOCK; i++) {
		const uint16_t pkey = get_unaligned_be16(query->data + 2 * (size_t)i);

		differs |= pkey != pkeys[i];
		pkeys[i] = pkey;
	}
	if (!differs)
		return FIRMWARE_OK;
	if (subnet_is_switch(query->node))
		subnet_new_epoch(query->subnet);
	else
		subnet_note(query->subnet, subnet_end_of(query->node, port), SUBNET_CHANGED_PKEY);
	return FIRMWARE_OK;
}

/* Input and output ports from and to which a mapping is meant, ends included. */
struct span {
	uint32_t first_in, last_in;
	uint32_t first_out, last_out;
};

#define ALL_OUTPUTS 0x10000u
#define ALL_INPUTS 0x20000u

static bool find_span(const struct firmware_query *query, struct span *s)
{
	const struct subnet_node *node = query->node;
	const uint32_t in = query->modifier >> 8 & 0xff, out = query->modifier & 0xff;

	if (!subnet_is_switch(node)) {
		*s = (struct span){0, 0, query->in_port, query->in_port};
		return true;
	}
	*s = (struct span){in, in, out, out};
	if (query->modifier & ALL_INPUTS) {
		s->first_in = 0;
		s->last_in = node->config.ports;
	}
	if (query->modifier & ALL_OUTPUTS) {
		s->first_out = 0;
		s->last_out = node->config.ports;
	}
	return !(query->modifier >> 18) && s->last_in <= node->config.ports &&
	       s->last_out <= node->config.ports;
}

__be16 sma_get_sl2vl(struct firmware_query *query)
{
	struct span s;

	if (!find_span(query, &s))
		return FIRMWARE_BAD_VALUE;
	for (uint8_t sl = 0; sl < SUBNET_SLS; sl++)
		query->data[sl / 2] |=
			(uint8_t)(subnet_vl_written(query->node, s.first_in, s.first_out, sl)
				  << (sl % 2 ? 0 : 4));
	return FIRMWARE_OK;
}

/* The whole of a node's mapping, as it is without one. */
static bool make_sl2vl(struct subnet_node *node)
{
	const uint32_t ins = subnet_is_switch(node) ? node->config.ports + 1u : 1;
	const uint32_t outs = node->config.ports + 1u;
	uint8_t *map;

	if (node->sl2vl)
		return true;
	map = base_zalloc_array((size_t)ins * outs, SUBNET_SLS);
	if (!map)
		return false;
	for (uint32_t in = 0; in < ins; in++)
		for (uint32_t out = node->first_port; out < outs; out++)
			for (uint8_t sl = 0; sl < SUBNET_SLS; sl++)
				map[(in * outs + out) * SUBNET_SLS + sl] =
					subnet_vl_written(node, in, out, sl);
	node->sl2vl = map;
	return true;
}

__be16 sma_set_sl2vl(struct firmware_query *query)
{
	struct subnet_node *node = query->node;
	bool differs = false;
	struct span s;

	if (!find_span(query, &s))
		return FIRMWARE_BAD_VALUE;
	if (!make_sl2vl(node))
		return FIRMWARE_BUSY;
	for (uint32_t in = s.first_in; in <= s.last_in; in++)
		for (uint32_t out = s.first_out; out <= s.last_out; out++) {
			uint8_t *map = subnet_sl2vl_of(node, in, out);

			for (uint8_t sl = 0; sl < SUBNET_SLS; sl++) {
				const uint8_t vl = query->data[sl / 2] >> (sl % 2 ? 0 : 4) & 0xf;

				differs |= map[sl] != vl;
				map[sl] = vl;
			}
		}
	if (differs)
		subnet_new_epoch(query->subnet);
	return FIRMWARE_OK;
}

#define VL_ARB_PARTS 4u
#define VL_ARB_BYTES 64u /* of a part: 32 pairs of VL and weight */
#define VL_ARB_WEIGHT 64u

static struct subnet_port *find_vl_arb(const struct firmware_query *query, uint32_t *part)
{
	uint8_t port;

	*part = (query->modifier >> 16) - 1; /* 0 wraps round */
	if (!find_port(query, query->modifier & 0xffff, &port) || *part >= VL_ARB_PARTS)
		return NULL;
	return subnet_port_of(query->node, port);
}

/* With one VL there is nothing to choose from. */
static bool arbitrates(const struct firmware_query *query)
{
	return query->node->config.vl_cap > 1;
}

/* As at first: each VL alike, in the first low-priority part. */
static void first_vl_arb(const struct subnet_node *node, uint8_t *low)
{
	const uint32_t vls = node->config.vl_cap == 5 ? 15 : 1u << (node->config.vl_cap - 1);

	for (uint32_t vl = 0; vl < vls; vl++) {
		low[2 * vl] = (uint8_t)vl;
		low[2 * vl + 1] = VL_ARB_WEIGHT;
	}
}

__be16 sma_get_vl_arb(struct firmware_query *query)
{
	uint32_t part;
	const struct subnet_port *port = find_vl_arb(query, &part);

	if (!arbitrates(query))
		return FIRMWARE_NOT_HERE;
	if (!port)
		return FIRMWARE_BAD_VALUE;
	if (port->vl_arb)
		memcpy(query->data, port->vl_arb + part * (size_t)VL_ARB_BYTES, VL_ARB_BYTES);
	else if (!part)
		first_vl_arb(query->node, query->data);
	return FIRMWARE_OK;
}

__be16 sma_set_vl_arb(struct firmware_query *query)
{
	uint32_t part;
	struct subnet_port *port = find_vl_arb(query, &part);

	if (!arbitrates(query))
		return FIRMWARE_NOT_HERE;
	if (!port)
		return FIRMWARE_BAD_VALUE;
	if (!port->vl_arb) {
		port->vl_arb = base_zalloc(VL_ARB_PARTS * VL_ARB_BYTES);
		if (!port->vl_arb)
			return FIRMWARE_BUSY;
		first_vl_arb(query->node, port->vl_arb);
	}
	memcpy(port->vl_arb + part * (size_t)VL_ARB_BYTES, query->data, VL_ARB_BYTES);
	return FIRMWARE_OK;
}

/* First LID of the block; its end must be within what the switch can have. */
static bool find_lft_block(const struct firmware_query *query, uint32_t *lid)
{
	const uint32_t cap = query->node->config.linear_cap;

	*lid = query->modifier * SUBNET_LFT_BLOCK;
	return query->modifier < (cap + SUBNET_LFT_BLOCK - 1) / SUBNET_LFT_BLOCK;
}

__be16 sma_get_lft(struct firmware_query *query)
{
	const struct subnet_tables *t = &query->node->tables;
	uint32_t lid;

	if (!find_lft_block(query, &lid))
		return FIRMWARE_BAD_VALUE;
	if (lid < t->lft_lids)
		memcpy(query->data, t->lft + lid, SUBNET_LFT_BLOCK);
	else
		memset(query->data, SUBNET_UNREACHABLE, SUBNET_LFT_BLOCK);
	return FIRMWARE_OK;
}

/* Up to LinearFDBTop at once, for managers write that first and then all blocks below it. */
static bool grow_lft(struct subnet_tables *t, uint32_t lids)
{
	const uint32_t top = t->linear_top / SUBNET_LFT_BLOCK * SUBNET_LFT_BLOCK + SUBNET_LFT_BLOCK;
	const uint32_t room = lids < top ? top : lids;
	uint8_t *wider;

	if (lids <= t->lft_lids)
		return true;
	wider = base_realloc(t->lft, room);
	if (!wider)
		return false;
	memset(wider + t->lft_lids, SUBNET_UNREACHABLE, room - t->lft_lids);
	t->lft = wider;
	t->lft_lids = room;
	return true;
}

__be16 sma_set_lft(struct firmware_query *query)
{
	struct subnet_tables *t = &query->node->tables;
	uint32_t lid;

	if (!find_lft_block(query, &lid))
		return FIRMWARE_BAD_VALUE;
	if (!grow_lft(t, lid + SUBNET_LFT_BLOCK))
		return FIRMWARE_BUSY;
	if (!memcmp(t->lft + lid, query->data, SUBNET_LFT_BLOCK))
		return FIRMWARE_OK;
	memcpy(t->lft + lid, query->data, SUBNET_LFT_BLOCK);
	subnet_new_epoch(query->subnet);
	return FIRMWARE_OK;
}

static bool find_mft_block(const struct firmware_query *query, uint32_t *mlid, uint32_t *position)
{
	const uint32_t block = query->modifier & 0x1ff, cap = query->node->config.multicast_cap;

	*mlid = block * SUBNET_MFT_BLOCK;
	*position = query->modifier >> 28;
	return !(query->modifier & 0x0ffffe00) && *mlid < cap &&
	       *position < subnet_mft_words(query->node);
}

__be16 sma_get_mft(struct firmware_query *query)
{
	const struct subnet_tables *t = &query->node->tables;
	uint32_t mlid, position;

	if (!find_mft_block(query, &mlid, &position))
		return FIRMWARE_BAD_VALUE;
	for (uint32_t i = 0; i < SUBNET_MFT_BLOCK && mlid + i < t->mft_lids; i++)
		put_unaligned_be16(t->mft[(mlid + i) * subnet_mft_words(query->node) + position],
				   query->data + 2 * (size_t)i);
	return FIRMWARE_OK;
}

static bool grow_mft(struct subnet_node *node, uint32_t mlids)
{
	struct subnet_tables *t = &node->tables;
	const size_t words = subnet_mft_words(node);
	uint16_t *wider;

	if (mlids <= t->mft_lids)
		return true;
	wider = base_realloc(t->mft, mlids * words * sizeof(*wider));
	if (!wider)
		return false;
	memset(wider + t->mft_lids * words, 0, (mlids - t->mft_lids) * words * sizeof(*wider));
	t->mft = wider;
	t->mft_lids = mlids;
	return true;
}

__be16 sma_set_mft(struct firmware_query *query)
{
	struct subnet_node *node = query->node;
	uint32_t mlid, position;
	bool differs = false;

	if (!find_mft_block(query, &mlid, &position))
		return FIRMWARE_BAD_VALUE;
	if (!grow_mft(node, mlid + SUBNET_MFT_BLOCK))
		return FIRMWARE_BUSY;
	for (uint32_t i = 0; i < SUBNET_MFT_BLOCK; i++) {
		uint16_t *ports = &node->tables.mft[(mlid + i) * subnet_mft_words(node) + position];
		const uint16_t written = get_unaligned_be16(query->data + 2 * (size_t)i);

		differs |= *ports != written;
		*ports = written;
	}
	if (differs)
		subnet_new_epoch(query->subnet);
	return FIRMWARE_OK;
}
