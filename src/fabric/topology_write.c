// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* A plan as ibnetdiscover prints what it has found. */
#include <inttypes.h>
#include <string.h>

#include "fabric/topology.h"

struct writer {
	const struct topology *t;
	uint16_t (*lid)(void *ctx, struct subnet_at at);
	void *ctx;
	FILE *out;
};

static const struct topology_node *node_of(const struct writer *w, uint32_t node)
{
	return &w->t->node[node];
}

static bool is_switch(const struct topology_node *node)
{
	return node->config.type == SUBNET_SWITCH;
}

/* Plans may leave GUIDs to the subnet; a text needs one, which is the number then, from where none is taken. */
static uint64_t guid_of(const struct writer *w, uint32_t node)
{
	const uint64_t guid = node_of(w, node)->config.guid;

	return guid ? guid : 0x0200560100000000u + (uint64_t)node * 0x100u;
}

static uint64_t port_guid_of(const struct writer *w, struct subnet_at at)
{
	const struct subnet_node_config *config = &node_of(w, at.node)->config;

	return config->port_guid ? config->port_guid + at.port - 1u : guid_of(w, at.node) + at.port;
}

/* A switch has one LID, at port 0. */
static uint16_t lid_of(const struct writer *w, struct subnet_at at)
{
	if (is_switch(node_of(w, at.node)))
		at.port = 0;
	return w->lid ? w->lid(w->ctx, at) : 0;
}

static const char *width_of(uint8_t width)
{
	return width & 8u ? "12x" : width & 4u ? "8x" : !width || width & 2u ? "4x" : "1x";
}

static const char *speed_of(const struct subnet_node_config *config)
{
	const uint8_t ext = config->speed_ext, speed = config->speed;

	if (ext)
		return ext & 8u ? "NDR" : ext & 4u ? "HDR" : ext & 2u ? "EDR" : "FDR";
	return !speed || speed & 4u ? "QDR" : speed & 2u ? "DDR" : "SDR";
}

/* Of two ends what both can do. */
static struct subnet_node_config common(const struct subnet_node_config *a,
					const struct subnet_node_config *b)
{
	const uint8_t all_widths = 3, all_speeds = 7;
	const struct subnet_node_config both = {
		.width = (a->width ? a->width : all_widths) & (b->width ? b->width : all_widths),
		.speed = (a->speed ? a->speed : all_speeds) & (b->speed ? b->speed : all_speeds),
		.speed_ext = a->speed_ext & b->speed_ext,
	};

	return both;
}

static void write_ident(const struct writer *w, uint32_t node)
{
	fprintf(w->out, "\"%c-%016" PRIx64 "\"", is_switch(node_of(w, node)) ? 'S' : 'H',
		guid_of(w, node));
}

static void write_description(const struct writer *w, uint32_t node)
{
	const struct subnet_node_config *config = &node_of(w, node)->config;

	fprintf(w->out, "\"%.*s\"", (int)sizeof(config->description), config->description);
}

static void write_head(const struct writer *w, uint32_t number)
{
	const struct topology_node *node = node_of(w, number);
	const struct subnet_node_config *config = &node->config;
	const uint64_t guid = guid_of(w, number);

	fprintf(w->out, "vendid=0x%x\ndevid=0x%x\nsysimgguid=0x%" PRIx64 "\n",
		config->vendor_id ? config->vendor_id : SUBNET_VENDOR_ID, config->device_id,
		config->system_guid ? config->system_guid : guid);
	if (is_switch(node))
		fprintf(w->out, "switchguid=0x%" PRIx64 "(%" PRIx64 ")\nSwitch\t%u ", guid, guid,
			config->ports);
	else
		fprintf(w->out, "caguid=0x%" PRIx64 "\nCa\t%u ", guid, config->ports);
	write_ident(w, number);
	fputs("\t\t# ", w->out);
	write_description(w, number);
	if (is_switch(node))
		fprintf(w->out, " enhanced port 0 lid %u lmc 0",
			lid_of(w, (struct subnet_at){number, 0}));
	fputc('\n', w->out);
}

static void write_link(const struct writer *w, struct subnet_at at, struct subnet_at peer)
{
	const struct topology_node *node = node_of(w, at.node), *other = node_of(w, peer.node);
	const struct subnet_node_config both = common(&node->config, &other->config);

	fprintf(w->out, "[%u]", at.port);
	if (!is_switch(node))
		fprintf(w->out, "(%" PRIx64 ") ", port_guid_of(w, at));
	fputc('\t', w->out);
	write_ident(w, peer.node);
	fprintf(w->out, "[%u]", peer.port);
	if (!is_switch(other))
		fprintf(w->out, "(%" PRIx64 ") ", port_guid_of(w, peer));
	fputs("\t\t# ", w->out);
	if (!is_switch(node))
		fprintf(w->out, "lid %u lmc 0 ", lid_of(w, at));
	write_description(w, peer.node);
	fprintf(w->out, " lid %u %s%s\n", lid_of(w, peer), width_of(both.width), speed_of(&both));
}

void topology_write(const struct topology *t, uint16_t (*lid)(void *ctx, struct subnet_at at),
		    void *ctx, FILE *out)
{
	const struct writer w = {t, lid, ctx, out};

	for (uint32_t node = 0; node < t->count; node++) {
		write_head(&w, node);
		for (unsigned int port = 1; port <= t->node[node].config.ports; port++) {
			const struct subnet_at peer = t->node[node].peer[port];

			if (peer.node != TOPOLOGY_NO_NODE)
				write_link(&w, (struct subnet_at){node, (uint8_t)port}, peer);
		}
		fputc('\n', out);
	}
}
