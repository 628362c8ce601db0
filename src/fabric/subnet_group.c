// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The ways of a multicast packet: wherever the tables of the switches copy it. Tables that copy in circles
 * make ever more copies; of one packet there are not more than can be looked at.
 */
#include "fabric/subnet_priv.h"

#define MOST_COPIES 65536u

/**
 * struct stop - A switch on the way of the copy that is being followed.
 * @next: Port to be tried next.
 * @mtu: &subnet_path.mtu as far as there; so are the others.
 * @lossy: Likewise.
 * @delay_ns: Likewise.
 */
struct stop {
	uint16_t next;
	uint8_t mtu;
	bool lossy;
	uint64_t delay_ns;
};

/**
 * struct walk - Where the copy is that is being followed, and what else its switches have to copy.
 * @subnet: Subnet.
 * @route: Of the packet.
 * @visit: As given.
 * @ctx: As given.
 * @path: From the source to here.
 * @stop: After so many links.
 * @shared: Links at the beginning of the path that were visited before.
 * @copies: Made so far.
 * @loses: It is one packet, and links may lose it.
 */
struct walk {
	struct subnet *subnet;
	const struct subnet_route *route;
	void (*visit)(void *ctx, const struct subnet_path *path);
	void *ctx;
	struct subnet_path path;
	struct stop stop[SUBNET_MAX_HOPS + 1];
	uint8_t shared;
	uint32_t copies;
	bool loses;
};

/* Whether a switch copies what has come by @in to @out. */
static bool copies_to(const struct subnet_node *node, uint16_t mlid, uint8_t in, uint32_t out)
{
	const struct subnet_tables *t = &node->tables;
	const uint32_t index = mlid - SUBNET_MULTICAST_LID, words = subnet_mft_words(node);
	uint8_t otherwise;

	if (index < node->config.multicast_cap)
		return index < t->mft_lids &&
		       t->mft[index * words + out / SUBNET_MFT_PORTS] >> out % SUBNET_MFT_PORTS & 1;
	otherwise = t->default_multicast[0];
	if (otherwise == in)
		otherwise = t->default_multicast[1];
	return otherwise == out;
}

static void end_at(struct walk *w, enum subnet_verdict verdict, struct subnet_at to)
{
	const struct subnet_at before = w->path.to;

	w->path.epoch = subnet_epoch(w->subnet);
	w->path.verdict = verdict;
	w->path.to = to;
	w->path.shared = w->shared;
	w->visit(w->ctx, &w->path);
	w->shared = w->path.hops;
	w->path.to = before;
}

/* Back at the switch after so many links. */
static void go_back(struct walk *w, uint8_t hops)
{
	w->path.hops = hops;
	if (w->shared > hops)
		w->shared = hops;
}

/* One copy over one link; true if it is at a switch then. */
static bool copy(struct walk *w, struct subnet_at out)
{
	const uint8_t hops = w->path.hops;
	const struct subnet_at link = out;
	bool crossed;

	w->path.mtu = w->stop[hops].mtu;
	w->path.lossy = w->stop[hops].lossy;
	w->path.delay_ns = w->stop[hops].delay_ns;
	crossed = subnet_cross(w->subnet, &out, w->route, &w->path);
	if (!crossed)
		end_at(w, w->path.verdict, w->path.to);
	else if (w->loses && subnet_link_loses(w->subnet, link))
		end_at(w, SUBNET_LOST, out);
	else if (!subnet_is_switch(subnet_node_of(w->subnet, out.node)))
		end_at(w, SUBNET_ARRIVES, out);
	else
		return true;
	go_back(w, hops);
	return false;
}

/* The copy has come to a switch, which has copied it to nobody yet. */
static void stop_here(struct walk *w)
{
	w->stop[w->path.hops] = (struct stop){
		.mtu = w->path.mtu, .lossy = w->path.lossy, .delay_ns = w->path.delay_ns};
}

/* The next port that the switch at the end of the path copies to; past the last if there is none. */
static uint32_t next_port(const struct walk *w, const struct subnet_node *node, uint8_t in)
{
	uint32_t port = w->stop[w->path.hops].next;

	while (port <= node->config.ports &&
	       (port == in || !copies_to(node, w->route->dlid, in, port)))
		port++;
	return port;
}

/* At a switch, which it has come to by @path.to; false if all its copies are made. */
static bool relay(struct walk *w)
{
	const struct subnet_at here = w->path.to;
	const struct subnet_node *node = subnet_node_of(w->subnet, here.node);
	const uint32_t port = next_port(w, node, w->path.hops ? here.port : 0);
	const uint8_t hops = w->path.hops;

	if (port > node->config.ports && !w->stop[hops].next)
		end_at(w, SUBNET_NO_ROUTE, here);
	if (port > node->config.ports || w->copies == MOST_COPIES)
		return false;
	w->stop[hops].next = (uint16_t)(port + 1);
	w->copies++;
	if (!port) {
		end_at(w, SUBNET_ARRIVES, (struct subnet_at){here.node, 0});
	} else if (subnet_vl_of(node, here.port, port, w->route->sl) == SUBNET_DROP_VL) {
		end_at(w, SUBNET_NOT_ALLOWED, here);
	} else if (copy(w, (struct subnet_at){here.node, (uint8_t)port})) {
		stop_here(w);
		return true;
	}
	w->path.to = here;
	return true;
}

static void walk_all(struct walk *w, struct subnet_at from)
{
	const struct subnet_node *node = subnet_node_of(w->subnet, from.node);
	uint32_t first_switch = 0;

	w->path.mtu = node->config.mtu_cap;
	w->path.to = from;
	stop_here(w);
	if (!subnet_is_switch(node)) {
		if (subnet_vl_of(node, 0, from.port, w->route->sl) == SUBNET_DROP_VL) {
			end_at(w, SUBNET_NOT_ALLOWED, from);
			return;
		}
		if (!copy(w, from))
			return;
		first_switch = 1;
		stop_here(w);
	}
	for (;;) {
		if (relay(w))
			continue;
		if (w->path.hops == first_switch)
			return;
		go_back(w, (uint8_t)(w->path.hops - 1));
		w->path.to = w->path.hops ? w->path.hop[2 * w->path.hops - 1] : from;
	}
}

static void walk_group(struct walk *w, struct subnet_at from)
{
	const uint16_t mlid = w->route->dlid;

	if (mlid < SUBNET_MULTICAST_LID || mlid == SUBNET_PERMISSIVE_LID)
		return;
	spin_lock(&w->subnet->lock);
	if (subnet_find_end(w->subnet, from))
		walk_all(w, from);
	spin_unlock(&w->subnet->lock);
}

void subnet_resolve_group(struct subnet *subnet, struct subnet_at from, uint16_t mlid, uint8_t sl,
			  uint16_t pkey, void (*visit)(void *ctx, const struct subnet_path *path),
			  void *ctx)
{
	const struct subnet_route route = {.dlid = mlid, .sl = sl % SUBNET_SLS, .pkey = pkey};
	struct walk w = {.subnet = subnet, .route = &route, .visit = visit, .ctx = ctx};

	walk_group(&w, from);
}

void subnet_send_group(struct subnet *subnet, struct subnet_at from, uint16_t mlid, uint8_t sl,
		       uint16_t pkey, void (*visit)(void *ctx, const struct subnet_path *path),
		       void *ctx)
{
	const struct subnet_route route = {.dlid = mlid, .sl = sl % SUBNET_SLS, .pkey = pkey};
	struct walk w = {
		.subnet = subnet, .route = &route, .visit = visit, .ctx = ctx, .loses = true};

	walk_group(&w, from);
}
