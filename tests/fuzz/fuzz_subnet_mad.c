// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Any MAD at any port of a subnet that a manager has set up, in any order with cables that break. The input
 * is a list of steps: what and where, two bytes; and for a MAD its addresses and as much of it as there is,
 * with a length before. Whatever was written, everything must still be findable, and given back at the end.
 */
#include <linux/byteorder.h>
#include <rdma/ib_smi.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/host.h"
#include "fabric/subnet.h"

#define STEPS 512u
#define NODES 5u
#define TURN_NS 700000000u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

struct input {
	const uint8_t *bytes;
	size_t count;
};

enum step {
	STEP_SMP, /* thrice: it is what most depends on */
	STEP_SMP_TOO,
	STEP_DIRECTED,
	STEP_GMP,
	STEP_PROCESS,
	STEP_LINK,
	STEP_RESOLVE,
	STEP_GROUP,
	STEP_TURN,
	STEPS_KINDS,
};

static struct subnet *subnet;
static uint32_t node[NODES]; /* two switches, three hosts */
static bool takes;
static uint64_t now_ns;

static uint8_t take(struct input *in)
{
	if (!in->count)
		return 0;
	in->count--;
	return *in->bytes++;
}

static void take_bytes(struct input *in, uint8_t *to, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		to[i] = take(in);
}

static bool deliver(void *ctx, struct subnet_at at, const struct subnet_mad *mad)
{
	(void)ctx;
	INVARIANT(at.node < NODES && mad->data[0] == 1);
	return takes;
}

static void changed(void *ctx, struct subnet_at at, uint32_t what)
{
	struct subnet_port_view view;

	(void)ctx;
	INVARIANT(what && !subnet_query_port(subnet, at, &view));
}

static const struct subnet_ops ops = {.deliver = deliver, .changed = changed};

static void make(void)
{
	const struct subnet_node_config sw = {.type = SUBNET_SWITCH, .ports = 17};
	const struct subnet_node_config ca = {.type = SUBNET_CA, .ports = 2};

	subnet = subnet_new(&ops, NULL);
	INVARIANT(subnet);
	for (uint32_t i = 0; i < NODES; i++)
		INVARIANT(!subnet_add_node(subnet, i < 2 ? &sw : &ca, &node[i]));
	for (uint8_t i = 0; i < 3; i++) {
		const struct subnet_at host = {node[2 + i], 1},
				       port = {node[i % 2], (uint8_t)(i + 1)};

		INVARIANT(!subnet_connect(subnet, host, port));
	}
	for (uint8_t i = 0; i < 2; i++) {
		const struct subnet_at a = {node[0], (uint8_t)(16 + i)},
				       b = {node[1], (uint8_t)(16 + i)};

		INVARIANT(!subnet_connect(subnet, a, b));
	}
}

static void take_mad(struct input *in, struct subnet_mad *mad, enum step what)
{
	const size_t bytes = take(in);

	memset(mad, 0, sizeof(*mad));
	mad->pkey = 0xffff;
	mad->slid = take(in);
	mad->dlid = take(in);
	mad->sl = take(in);
	mad->data[0] = 1;
	mad->data[1] = what == STEP_DIRECTED ? 0x81 : 1;
	mad->data[2] = 1;
	if (what == STEP_DIRECTED) {
		mad->slid = mad->dlid = SUBNET_PERMISSIVE_LID;
		memset(mad->data + 32, 0xff, 4);
	}
	if (what == STEP_GMP) {
		mad->src_qpn = mad->dest_qpn = 1;
		mad->qkey = IB_QP1_QKEY;
		mad->data[1] = take(in);
	}
	/* The paths come at the end of the MAD, and early in the input. */
	take_bytes(in, mad->data + 3, bytes < 61 ? bytes : 61);
	take_bytes(in, mad->data + 129, bytes % 16);
	take_bytes(in, mad->data + 193, bytes % 16);
	take_bytes(in, mad->data + 64, bytes < 61 ? 0 : bytes < 253 ? bytes - 61 : 192);
}

static void visit(void *ctx, const struct subnet_path *path)
{
	(void)ctx;
	INVARIANT(path->shared <= path->hops && path->hops <= SUBNET_MAX_HOPS);
	subnet_count(subnet, path, 1, 9, true);
}

static void resolve(struct input *in, struct subnet_at at)
{
	struct subnet_path path;

	subnet_resolve(subnet, at, take(in), take(in), (uint16_t)(take(in) << 8 | 0xff), &path);
	INVARIANT(path.hops <= SUBNET_MAX_HOPS && path.epoch == subnet_epoch(subnet));
	subnet_path_limit(subnet, &path, take(in) % 6);
	(void)subnet_path_lose(subnet, &path);
	subnet_count(subnet, &path, 1, 9, false);
}

static void set_faults(struct input *in, struct subnet_at at)
{
	const struct subnet_link_faults faults = {take(in) * 4000u,
						  take(in) * (uint64_t)TURN_NS / 64};

	(void)subnet_set_link_faults(subnet, at, &faults);
}

static void take_step(struct input *in)
{
	const uint8_t what = take(in), where = take(in);
	const struct subnet_at at = {where % (NODES + 1), (uint8_t)(where / 8)};
	struct subnet_mad mad, out;

	takes = what & 0x80;
	switch ((enum step)(what % STEPS_KINDS)) {
	case STEP_SMP:
	case STEP_SMP_TOO:
	case STEP_DIRECTED:
	case STEP_GMP:
		take_mad(in, &mad, (enum step)(what % STEPS_KINDS));
		subnet_send_mad(subnet, at, &mad);
		break;
	case STEP_PROCESS:
		take_mad(in, &mad, STEP_SMP);
		(void)subnet_process_mad(subnet, at, what / STEPS_KINDS % 2, &mad, &out);
		break;
	case STEP_LINK:
		if (what & 0x20)
			set_faults(in, at);
		else
			subnet_set_link(subnet, at, what & 0x40);
		break;
	case STEP_RESOLVE:
		resolve(in, at);
		break;
	case STEP_GROUP:
		subnet_resolve_group(subnet, at, (uint16_t)(0xc000 + take(in)), take(in), 0xffff,
				     visit, NULL);
		break;
	case STEP_TURN:
		now_ns += TURN_NS;
		(void)base_host_turn(now_ns, 64);
		break;
	case STEPS_KINDS:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct input in = {bytes, count};
	const size_t live = base_alloc_live();
	struct subnet_port_view view;

	make();
	for (unsigned int i = 0; i < STEPS && in.count; i++)
		take_step(&in);
	for (uint32_t i = 0; i < NODES; i++)
		INVARIANT(!subnet_query_port(subnet, (struct subnet_at){node[i], 1}, &view) &&
			  view.state >= 1 && view.state <= 4);
	subnet_free(subnet);
	INVARIANT(base_alloc_live() == live);
	return 0;
}
