// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What is counted at ports: packets that have gone a way, and errors. Without the lock. */
#include "fabric/subnet_priv.h"
#include "fabric/trap.h"

/* A port that is kept from being given back by the caller's base_rcu_read_lock(); NULL: it is gone. */
static struct subnet_port *port_at(const struct subnet *subnet, struct subnet_at at)
{
	struct subnet_node *node;
	struct subnet_port *port;

	return subnet_find(subnet, at, &node, &port) ? port : NULL;
}

static void count_out(struct subnet_port *port, uint64_t packets, uint64_t words, bool group)
{
	if (!port)
		return;
	subnet_add(port, SUBNET_XMIT_DATA, words);
	subnet_add(port, group ? SUBNET_MULTICAST_XMIT : SUBNET_UNICAST_XMIT, packets);
}

static void count_in(struct subnet_port *port, uint64_t packets, uint64_t words, bool group)
{
	if (!port)
		return;
	subnet_add(port, SUBNET_RCV_DATA, words);
	subnet_add(port, group ? SUBNET_MULTICAST_RCV : SUBNET_UNICAST_RCV, packets);
}

static void count_hops(const struct subnet *subnet, const struct subnet_path *path,
		       uint64_t packets, uint64_t words, bool group)
{
	for (uint32_t i = path->shared; i < path->hops; i++) {
		count_out(port_at(subnet, path->hop[2 * i]), packets, words, group);
		count_in(port_at(subnet, path->hop[2 * i + 1]), packets, words, group);
	}
}

/* Whether it was discarded where it came in, not where it was to go out. */
static bool ends_at_input(const struct subnet_path *path)
{
	const struct subnet_at *last;

	if (!path->hops)
		return false;
	last = &path->hop[2 * path->hops - 1];
	return path->to.node == last->node && path->to.port == last->port;
}

struct discard {
	enum subnet_counter counter;
	enum subnet_detail detail; /* SUBNET_DETAILS: none */
};

static struct discard discard_of(const struct subnet_path *path)
{
	const bool input = ends_at_input(path);

	switch (path->verdict) {
	case SUBNET_ARRIVES:
		break;
	case SUBNET_NOT_ACTIVE:
		return (struct discard){SUBNET_XMIT_DISCARDS, SUBNET_XMIT_INACTIVE};
	case SUBNET_NO_ROUTE:
		return (struct discard){SUBNET_RCV_RELAY_ERRORS, SUBNET_RCV_DLID_MAPPING};
	case SUBNET_TURNS_BACK:
		return (struct discard){SUBNET_RCV_RELAY_ERRORS, SUBNET_RCV_LOOPING};
	case SUBNET_LOOPS:
		return (struct discard){SUBNET_XMIT_DISCARDS, SUBNET_XMIT_SWITCH_LIFETIME};
	case SUBNET_BAD_PKEY:
		return (struct discard){input ? SUBNET_RCV_CONSTRAINTS : SUBNET_XMIT_CONSTRAINTS,
					SUBNET_DETAILS};
	case SUBNET_TOO_LONG:
		return (struct discard){SUBNET_XMIT_DISCARDS, SUBNET_XMIT_MTU};
	case SUBNET_NOT_ALLOWED:
		if (input)
			return (struct discard){SUBNET_RCV_RELAY_ERRORS, SUBNET_RCV_VL_MAPPING};
		return (struct discard){SUBNET_XMIT_DISCARDS, SUBNET_DETAILS};
	case SUBNET_LOST:
		return (struct discard){SUBNET_RCV_ERRORS, SUBNET_RCV_LOCAL_PHYSICAL};
	case SUBNET_NOT_OURS:
		return (struct discard){SUBNET_RCV_ERRORS, SUBNET_RCV_MALFORMED};
	}
	return (struct discard){SUBNET_COUNTED, SUBNET_DETAILS};
}

static void count_discard(struct subnet_port *port, struct discard what, uint64_t packets)
{
	if (what.counter != SUBNET_COUNTED)
		subnet_add(port, what.counter, packets);
	if (what.detail != SUBNET_DETAILS)
		subnet_add_detail(port, what.detail, packets);
}

static void count_end(const struct subnet *subnet, const struct subnet_path *path, uint64_t packets)
{
	struct subnet_port *end;

	if (path->verdict == SUBNET_ARRIVES)
		return;
	end = port_at(subnet, path->to);
	if (end)
		count_discard(end, discard_of(path), packets);
}

/* What a switch sends or gets itself goes through its port 0. */
static void count_port_0(const struct subnet *subnet, const struct subnet_path *path,
			 uint64_t packets, uint64_t words, bool group)
{
	if (path->hops && !path->shared)
		count_out(port_at(subnet, (struct subnet_at){path->hop[0].node, 0}), packets, words,
			  group);
	if (path->verdict == SUBNET_ARRIVES && !path->to.port)
		count_in(port_at(subnet, path->to), packets, words, group);
}

void subnet_count(struct subnet *subnet, const struct subnet_path *path, uint64_t packets,
		  uint64_t words, bool group)
{
	base_rcu_read_lock();
	count_hops(subnet, path, packets, words, group);
	count_port_0(subnet, path, packets, words, group);
	count_end(subnet, path, packets);
	base_rcu_read_unlock();
}

void subnet_count_link(struct subnet *subnet, const struct subnet_path *path, uint64_t words)
{
	count_hops(subnet, path, 1, words, false);
	count_end(subnet, path, 1);
}

bool subnet_path_limit(const struct subnet *subnet, struct subnet_path *path, uint8_t mtu)
{
	bool limited = false;

	base_rcu_read_lock();
	for (uint8_t i = 0; i < path->hops && mtu > path->mtu && !limited; i++) {
		const struct subnet_port *out = port_at(subnet, path->hop[2 * i]);

		limited = out && READ_ONCE(out->mtu) < mtu;
		if (limited) {
			path->hops = i;
			path->to = path->hop[2 * i];
			path->verdict = SUBNET_TOO_LONG;
		}
	}
	base_rcu_read_unlock();
	return limited;
}

static const struct discard errors[] = {
	[SUBNET_ERROR_SYMBOL] = {SUBNET_SYMBOL_ERRORS, SUBNET_DETAILS},
	[SUBNET_ERROR_LINK_RECOVERY] = {SUBNET_LINK_RECOVERIES, SUBNET_DETAILS},
	[SUBNET_ERROR_RCV] = {SUBNET_RCV_ERRORS, SUBNET_RCV_LOCAL_PHYSICAL},
	[SUBNET_ERROR_RCV_REMOTE] = {SUBNET_RCV_REMOTE_ERRORS, SUBNET_DETAILS},
	[SUBNET_ERROR_XMIT_DISCARD] = {SUBNET_XMIT_DISCARDS, SUBNET_DETAILS},
	[SUBNET_ERROR_INTEGRITY] = {SUBNET_INTEGRITY_ERRORS, SUBNET_DETAILS},
	[SUBNET_ERROR_OVERRUN] = {SUBNET_OVERRUNS, SUBNET_RCV_OVERRUN},
	[SUBNET_ERROR_VL15_DROPPED] = {SUBNET_VL15_DROPPED, SUBNET_DETAILS},
	[SUBNET_ERROR_QP1_DROPPED] = {SUBNET_QP1_DROPPED, SUBNET_DETAILS},
	[SUBNET_ERROR_XMIT_WAIT] = {SUBNET_XMIT_WAIT, SUBNET_DETAILS},
	[SUBNET_ERROR_WATCHDOG] = {SUBNET_COUNTED, SUBNET_DETAILS},
};

/* How many errors it takes until the manager is told; 0: it is not. */
static uint64_t threshold_of(const struct subnet_port *port, enum subnet_error error)
{
	switch (error) {
	case SUBNET_ERROR_INTEGRITY:
		return port->thresholds >> 4;
	case SUBNET_ERROR_OVERRUN:
		return port->thresholds & 0xf;
	case SUBNET_ERROR_WATCHDOG:
		return 1;
	case SUBNET_ERROR_SYMBOL:
	case SUBNET_ERROR_LINK_RECOVERY:
	case SUBNET_ERROR_RCV:
	case SUBNET_ERROR_RCV_REMOTE:
	case SUBNET_ERROR_XMIT_DISCARD:
	case SUBNET_ERROR_VL15_DROPPED:
	case SUBNET_ERROR_QP1_DROPPED:
	case SUBNET_ERROR_XMIT_WAIT:
		break;
	}
	return 0;
}

static __be16 trap_of(enum subnet_error error)
{
	if (error == SUBNET_ERROR_INTEGRITY)
		return IB_NOTICE_TRAP_LLI_THRESH;
	return error == SUBNET_ERROR_OVERRUN ? IB_NOTICE_TRAP_EBO_THRESH
					     : IB_NOTICE_TRAP_FLOW_UPDATE;
}

void subnet_error(struct subnet *subnet, struct subnet_at at, enum subnet_error error,
		  uint64_t count)
{
	const struct discard what = errors[error];
	struct subnet_port *port;
	uint64_t before = 0, threshold;

	spin_lock(&subnet->lock);
	port = count ? port_at(subnet, at) : NULL;
	if (port) {
		threshold = threshold_of(port, error);
		if (what.counter != SUBNET_COUNTED)
			before = port->count[what.counter];
		count_discard(port, what, count);
		if (threshold && (before + count) / threshold != before / threshold)
			subnet_trap_threshold(subnet, at, trap_of(error));
	}
	spin_unlock(&subnet->lock);
}
