// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * MADs on their way: one hop after the other, answered by the firmware where they arrive, or handed to
 * whoever is there.
 *
 * Whoever brings the first MAD moves it and all that comes of it; meanwhile others only put theirs into
 * the ring. The lock is dropped while somebody is told.
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "fabric/sma.h"
#include "fabric/subnet_priv.h"
#include "fabric/trap.h"
#include "mad/smi.h"

#define MOST_FLIGHTS (1u << 16)
#define GMP_SL_MASK 0xfu

/* What a MAD is counted as, in words of four bytes: LRH, BTH, DETH, the MAD, ICRC; with a GRH. */
#define MAD_WORDS (288u / 4)
#define GRH_WORDS (40u / 4)

static uint64_t words_of(const struct subnet_mad *mad)
{
	return MAD_WORDS + (mad->has_grh ? GRH_WORDS : 0);
}

static bool is_directed(const struct subnet_mad *mad)
{
	return mad->data[1] == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
}

static bool is_smp(const struct subnet_mad *mad)
{
	return is_directed(mad) || mad->data[1] == IB_MGMT_CLASS_SUBN_LID_ROUTED;
}

void subnet_note(struct subnet *subnet, struct subnet_end *end, uint32_t what)
{
	end->changed |= what;
	if (list_empty(&end->changed_list))
		list_add_tail(&end->changed_list, &subnet->changed);
}

void subnet_pump_later(struct subnet *subnet)
{
	base_timer_arm(&subnet->timer, 0);
}

/* Counted where it ends. What is lost on a link or for want of a route was counted there. */
static bool drop(struct subnet *subnet, struct subnet_at at, const struct subnet_mad *mad)
{
	struct subnet_node *node;
	struct subnet_port *port;

	if (subnet_find(subnet, at, &node, &port))
		subnet_add(port, is_smp(mad) ? SUBNET_VL15_DROPPED : SUBNET_QP1_DROPPED, 1);
	return false;
}

/* Over the link behind @f->at; false if it is lost there. */
static bool cross(struct subnet *subnet, struct subnet_flight *f)
{
	static const struct subnet_route smp = {.vl15 = true};
	struct subnet_path path = {.mtu = 5, .verdict = SUBNET_ARRIVES, .to = f->at};
	const bool crosses = subnet_cross(subnet, &f->at, &smp, &path) &&
			     !subnet_lose(subnet, &path);

	subnet_count_link(subnet, &path, words_of(&f->mad));
	f->late_ns += path.delay_ns;
	return crosses;
}

/* By the forwarding tables; false if it is lost on the way. */
static bool go_by_lid(struct subnet *subnet, struct subnet_flight *f)
{
	const struct subnet_route route = {.dlid = f->mad.dlid,
					   .sl = f->mad.sl & GMP_SL_MASK,
					   .pkey = f->mad.pkey,
					   .vl15 = is_smp(&f->mad)};
	const struct subnet_node *node = subnet_node_of(subnet, f->at.node);
	struct subnet_path path;

	if (subnet_is_switch(node))
		f->at.port = 0;
	subnet_route(subnet, f->at, &route, &path);
	(void)subnet_lose(subnet, &path);
	f->late_ns += path.delay_ns;
	subnet_count(subnet, &path, 1, words_of(&f->mad), false);
	f->at = path.hops ? path.hop[2 * path.hops - 1] : path.to;
	return path.verdict == SUBNET_ARRIVES;
}

/* A switch that is where the directed part begins sends by the path, whichever port it came by. */
static uint8_t first_port_of(const struct ib_smp *smp)
{
	const uint8_t *path = smp->status & IB_SMP_DIRECTION ? smp->return_path : smp->initial_path;

	return path[smp->hop_ptr % IB_SMP_MAX_PATH_HOPS];
}

/* A MAD leaves the node that has made it; false if it is lost. */
static bool leave(struct subnet *subnet, struct subnet_flight *f)
{
	const struct subnet_node *node = subnet_node_of(subnet, f->at.node);

	if (f->mad.dlid != SUBNET_PERMISSIVE_LID)
		return go_by_lid(subnet, f);
	if (!is_smp(&f->mad))
		return drop(subnet, f->at, &f->mad);
	if (subnet_is_switch(node) && is_directed(&f->mad) && !f->at.port)
		f->at.port = first_port_of(subnet_smp_of(&f->mad));
	return cross(subnet, f);
}

/* The directed part begins at this switch: it came by its LID, and goes on by the path. */
static bool begin_route(struct subnet *subnet, struct subnet_flight *f)
{
	struct ib_smp *smp = subnet_smp_of(&f->mad);
	const bool returning = ib_get_smp_direction(smp);
	const uint8_t hop = returning ? (uint8_t)(smp->hop_ptr - 1) : 1;
	const uint8_t out = returning ? smp->return_path[hop] : smp->initial_path[hop];

	if (smi_handle_dr_smp_send(smp, true, out) != IB_SMI_HANDLE)
		return drop(subnet, f->at, &f->mad);
	f->at.port = out;
	f->mad.slid = f->mad.dlid = SUBNET_PERMISSIVE_LID;
	return cross(subnet, f);
}

/* It ends at this switch, and the rest goes by LID. */
static bool end_route(struct subnet *subnet, struct subnet_flight *f)
{
	const struct subnet_node *node = subnet_node_of(subnet, f->at.node);
	struct ib_smp *smp = subnet_smp_of(&f->mad);

	f->mad.slid = node->end->lid;
	f->mad.dlid = be16_to_cpu(ib_get_smp_direction(smp) ? smp->dr_slid : smp->dr_dlid);
	if (f->mad.dlid == SUBNET_PERMISSIVE_LID)
		return drop(subnet, f->at, &f->mad);
	return go_by_lid(subnet, f);
}

static bool forward(struct subnet *subnet, struct subnet_flight *f)
{
	struct ib_smp *smp = subnet_smp_of(&f->mad);
	const int out = smi_get_fwd_port(smp);

	if (smi_handle_dr_smp_send(smp, true, (u32)out) != IB_SMI_HANDLE)
		return drop(subnet, f->at, &f->mad);
	f->at.port = (uint8_t)out;
	return cross(subnet, f);
}

enum arrival {
	IS_HERE,
	GOES_ON, /* and has arrived somewhere else */
	IS_LOST,
};

/* Both hop pointers of a route that has come by LID to where its directed part begins [rcp 18]. */
static bool route_begins(const struct ib_smp *smp, bool returning)
{
	const unsigned int start = returning ? smp->hop_cnt + 1u : 0;

	return smp->hop_cnt && smp->hop_cnt < IB_SMP_MAX_PATH_HOPS && smp->hop_ptr == start;
}

static enum arrival went_on(bool arrived)
{
	return arrived ? GOES_ON : IS_LOST;
}

/* The rules of sending, for what goes on from here, or ends here. */
static bool may_go_on(struct subnet *subnet, struct subnet_flight *f)
{
	const bool is_switch = subnet_is_switch(subnet_node_of(subnet, f->at.node));

	return smi_handle_dr_smp_send(subnet_smp_of(&f->mad), is_switch, f->at.port) ==
		       IB_SMI_HANDLE ||
	       drop(subnet, f->at, &f->mad);
}

/* An SMP with a directed route is at a port. */
static enum arrival follow_route(struct subnet *subnet, struct subnet_flight *f)
{
	const struct subnet_node *node = subnet_node_of(subnet, f->at.node);
	const bool is_switch = subnet_is_switch(node);
	struct ib_smp *smp = subnet_smp_of(&f->mad);
	const bool returning = ib_get_smp_direction(smp);

	if (is_switch && f->mad.dlid != SUBNET_PERMISSIVE_LID && route_begins(smp, returning))
		return went_on(begin_route(subnet, f));
	if (smi_handle_dr_smp_recv(smp, is_switch, f->at.port, node->config.ports) != IB_SMI_HANDLE)
		return went_on(drop(subnet, f->at, &f->mad));
	switch (smi_check_forward_dr_smp(smp)) {
	case IB_SMI_FORWARD:
		return is_switch ? went_on(forward(subnet, f)) : IS_HERE;
	case IB_SMI_SEND:
		if (!may_go_on(subnet, f))
			return IS_LOST;
		return returning ? went_on(end_route(subnet, f)) : IS_HERE;
	case IB_SMI_LOCAL:
		break;
	}
	/* Of a request that says that its directed part ends here, but not its way. */
	if (returning)
		return IS_HERE;
	return went_on(may_go_on(subnet, f) && end_route(subnet, f));
}

/* Whether a packet of QP 1 has keys that the port accepts. */
static bool keys_fit(struct subnet *subnet, struct subnet_flight *f)
{
	const struct subnet_node *node = subnet_node_of(subnet, f->at.node);
	const uint32_t port = subnet_is_switch(node) ? 0 : f->at.port;
	const bool pkey_fits = subnet_pkey_matches(node, port, f->mad.pkey);
	struct subnet_end *end = subnet_end_of(node, port);

	if (pkey_fits && (f->mad.qkey == IB_QP1_QKEY || f->mad.dest_qpn != 1))
		return true;
	subnet_violate(subnet, end, pkey_fits, &f->mad);
	return drop(subnet, f->at, &f->mad);
}

/* What comes for another QP than 1 answers what that has asked. */
static bool is_admitted(struct subnet *subnet, struct subnet_flight *f)
{
	if (f->mad.data[0] != IB_MGMT_BASE_VERSION || !f->mad.dest_qpn != is_smp(&f->mad))
		return drop(subnet, f->at, &f->mad);
	return is_smp(&f->mad) || keys_fit(subnet, f);
}

static void swap_gids(struct subnet_mad *mad)
{
	uint8_t gid[sizeof(mad->sgid)];

	memcpy(gid, mad->sgid, sizeof(gid));
	memcpy(mad->sgid, mad->dgid, sizeof(gid));
	memcpy(mad->dgid, gid, sizeof(gid));
}

/* An answer goes back to where its question came from; false if it is lost. */
static bool turn_round(struct subnet *subnet, struct subnet_flight *f)
{
	const struct subnet_node *node = subnet_node_of(subnet, f->at.node);
	const struct subnet_end *end = subnet_end_of(node, f->at.port);
	struct subnet_mad *mad = &f->mad;
	struct ib_smp *smp = subnet_smp_of(mad);

	mad->dlid = mad->slid;
	mad->slid = (uint16_t)(end->lid | mad->path_bits);
	mad->dest_qpn = mad->src_qpn;
	mad->src_qpn = is_smp(mad) ? 0 : 1;
	mad->path_bits = 0;
	swap_gids(mad);
	if (is_directed(mad)) {
		if (mad->dlid == SUBNET_PERMISSIVE_LID)
			mad->slid = SUBNET_PERMISSIVE_LID;
		if (!smp->hop_cnt)
			smp->hop_ptr = 0;
		else if (smp->dr_dlid == cpu_to_be16(SUBNET_PERMISSIVE_LID) &&
			 !may_go_on(subnet, f))
			return false;
	}
	return leave(subnet, f);
}

/* Moves it until it is to be delivered at @f->at (true), or is no more. */
static bool travel(struct subnet *subnet, struct subnet_flight *f)
{
	for (;;) {
		const struct subnet_end *end =
			subnet_end_of(subnet_node_of(subnet, f->at.node), f->at.port);
		enum arrival arrival = IS_HERE;
		int result;

		if (f->late_ns) {
			subnet_delay(subnet, f);
			return false;
		}
		if (!is_admitted(subnet, f))
			return false;
		if (is_directed(&f->mad))
			arrival = follow_route(subnet, f);
		if (arrival == GOES_ON)
			continue;
		if (arrival == IS_LOST)
			return false;
		f->mad.path_bits = 0;
		if (f->mad.dlid != SUBNET_PERMISSIVE_LID)
			f->mad.path_bits = (uint8_t)(f->mad.dlid - end->lid);
		result = firmware_answer(subnet, f->at, 0, &f->mad);
		if (!(result & FIRMWARE_REPLY))
			return result == FIRMWARE_SUCCESS;
		if (!turn_round(subnet, f))
			return false;
	}
}

static bool is_request(const struct subnet_mad *mad)
{
	return mad->data[3] == IB_MGMT_METHOD_GET || mad->data[3] == IB_MGMT_METHOD_SET;
}

static bool asks_for_counters(const struct subnet *subnet, const struct subnet_mad *mad)
{
	return subnet->ops->collect && mad->data[1] == IB_MGMT_CLASS_PERF_MGMT && is_request(mad);
}

/* Move one, and whatever comes of it. */
static void fly(struct subnet *subnet, struct subnet_flight *f) REQUIRES(subnet->lock)
{
	struct subnet_node *node;
	struct subnet_port *port;
	bool arrived;

	if (asks_for_counters(subnet, &f->mad)) {
		spin_unlock(&subnet->lock);
		subnet->ops->collect(subnet->ctx);
		spin_lock(&subnet->lock);
	}
	arrived = f->arrived ? subnet_find(subnet, f->at, &node, &port)
			     : subnet_find_end(subnet, f->at) && leave(subnet, f);
	while (arrived && travel(subnet, f)) {
		struct subnet_at at = f->at;
		bool taken;

		if (subnet_is_switch(subnet_node_of(subnet, at.node)))
			at.port = 0;
		spin_unlock(&subnet->lock);
		taken = subnet->ops->deliver(subnet->ctx, at, &f->mad);
		spin_lock(&subnet->lock);
		if (taken || !is_request(&f->mad) || !subnet_find_end(subnet, at))
			break;
		firmware_refuse(&f->mad, FIRMWARE_NOT_HERE);
		arrived = turn_round(subnet, f);
	}
}

static bool tell_one(struct subnet *subnet) REQUIRES(subnet->lock)
{
	struct subnet_end *end;
	struct subnet_at at;
	uint32_t what;

	if (list_empty(&subnet->changed))
		return false;
	end = list_first_entry(&subnet->changed, struct subnet_end, changed_list);
	list_del_init(&end->changed_list);
	at = end->at;
	what = end->changed;
	end->changed = 0;
	spin_unlock(&subnet->lock);
	subnet->ops->changed(subnet->ctx, at, what);
	spin_lock(&subnet->lock);
	return true;
}

static bool fly_one(struct subnet *subnet) REQUIRES(subnet->lock)
{
	struct subnet_flight f;

	if (!subnet->flight_count)
		return false;
	f = subnet->flights[subnet->flight_first];
	subnet->flight_first = (subnet->flight_first + 1) & (subnet->flight_room - 1);
	subnet->flight_count--;
	fly(subnet, &f);
	return true;
}

void subnet_pump(struct subnet *subnet)
{
	spin_lock(&subnet->lock);
	if (!subnet->pumping) {
		subnet->pumping = true;
		while (tell_one(subnet) || fly_one(subnet))
			;
		subnet->pumping = false;
	}
	spin_unlock(&subnet->lock);
}

static bool grow(struct subnet *subnet)
{
	const uint32_t room = 2 * subnet->flight_room;
	struct subnet_flight *wider;

	if (room > MOST_FLIGHTS)
		return false;
	wider = base_zalloc_array(room, sizeof(*wider));
	if (!wider)
		return false;
	for (uint32_t i = 0; i < subnet->flight_count; i++)
		wider[i] = subnet->flights[(subnet->flight_first + i) & (subnet->flight_room - 1)];
	base_free(subnet->flights);
	subnet->flights = wider;
	subnet->flight_room = room;
	subnet->flight_first = 0;
	return true;
}

void subnet_queue(struct subnet *subnet, const struct subnet_flight *flight)
{
	uint32_t last;

	if (subnet->flight_count == subnet->flight_room && !grow(subnet)) {
		drop(subnet, flight->at, &flight->mad);
		return;
	}
	last = subnet->flight_first + subnet->flight_count++;
	subnet->flights[last & (subnet->flight_room - 1)] = *flight;
}

void subnet_queue_mad(struct subnet *subnet, struct subnet_at at, const struct subnet_mad *mad)
{
	const struct subnet_flight flight = {.at = at, .mad = *mad};

	subnet_queue(subnet, &flight);
}

void subnet_send_mad(struct subnet *subnet, struct subnet_at at, const struct subnet_mad *mad)
{
	spin_lock(&subnet->lock);
	subnet_queue_mad(subnet, at, mad);
	spin_unlock(&subnet->lock);
	subnet_pump(subnet);
}

int subnet_process_mad(struct subnet *subnet, struct subnet_at at, int flags,
		       const struct subnet_mad *in, struct subnet_mad *out)
{
	int result = FIRMWARE_FAILURE;

	*out = *in;
	if (asks_for_counters(subnet, in))
		subnet->ops->collect(subnet->ctx);
	spin_lock(&subnet->lock);
	if (subnet_find_end(subnet, at) && in->data[0] == IB_MGMT_BASE_VERSION)
		result = firmware_answer(subnet, at, flags, out);
	spin_unlock(&subnet->lock);
	subnet_pump(subnet);
	return result;
}
