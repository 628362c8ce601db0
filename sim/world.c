// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Virtual time, the driver that turns the crank in it, and the digest of what happens. */
#include "sim/world.h"

#include <errno.h>
#include <linux/err.h>
#include <stdio.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/host.h"
#include "base/random.h"
#include "base/trace.h"
#include "base/umem.h"
#include "device/faults.h"
#include "device/hca.h"
#include "fabric/fabric.h"
#include "packet/opcode.h"
#include "wire/loop.h"

#define LINK_DELAY_NS 800u
#define LINK_JITTER_NS 200u
#define LATE_PACKETS 8192u
#define TURN_BUDGET 4096u

struct sim_world {
	uint64_t seed;
	uint64_t random;
	uint64_t start_ns; /* of the process's clock, which never goes back */
	uint64_t fault_changes;
	unsigned int hosts;
	struct device_hca *hca[SIM_MAX_HOSTS];
	struct wire_loop *wire;
	uint64_t digest;
	uint64_t packets;
	uint64_t steps;
	uint64_t most; /* packets and steps; beyond that: */
	void (*beyond)(void *arg);
	void *beyond_arg;
	FILE *trace;
	struct device_faults faults;
	struct fabric fabric;
};

static void nothing(void *ctx)
{
	(void)ctx;
}

static bool wait_until(void *ctx, bool (*cond)(void *arg), void *arg, uint64_t timeout_ns)
{
	return sim_run_until(ctx, cond, arg, timeout_ns);
}

static const struct base_host_ops sim_ops = {
	.run_later = nothing,
	.wait_until = wait_until,
	.wake = nothing,
};

uint64_t sim_now_ns(const struct sim_world *w)
{
	return base_now_ns() - w->start_ns;
}

uint64_t sim_random(struct sim_world *w)
{
	return base_random(&w->random);
}

uint64_t sim_random_below(struct sim_world *w, uint64_t bound)
{
	return base_random_below(&w->random, bound);
}

void sim_note(struct sim_world *w, const void *bytes, size_t count)
{
	w->digest = XXH3_64bits_withSeed(bytes, count, w->digest);
}

uint64_t sim_digest(const struct sim_world *w)
{
	return w->digest;
}

uint64_t sim_packets(const struct sim_world *w)
{
	return w->packets;
}

void sim_set_bound(struct sim_world *w, uint64_t most, void (*beyond)(void *arg), void *arg)
{
	w->most = most;
	w->beyond = beyond;
	w->beyond_arg = arg;
}

/* Virtual time may stand still, so it bounds nothing. */
static void count(struct sim_world *w, uint64_t *what)
{
	if (++*what > w->most)
		w->beyond(w->beyond_arg);
}

static void print_packet(struct sim_world *w, uint32_t from, uint32_t to,
			 const struct tp_run *packet, const struct fabric_fate *fate)
{
	fprintf(w->trace, "%12.3f us  %u > %u  %-30s qpn %06x psn %06x%s %u bytes%s%s%s%s\n",
		(double)sim_now_ns(w) / 1000.0, from, to, pkt_opcode_name(packet->first_opcode),
		packet->dest_qpn, packet->psn.v, packet->ack_req ? " A" : "", packet->payload.bytes,
		fate->drop ? " DROPPED" : "", fate->duplicate ? " DUPLICATED" : "",
		fate->reordered ? " LATE" : "", fate->corrupt ? " CORRUPTED" : "");
}

static void note_headers(struct sim_world *w, const struct tp_run *packet)
{
	const uint64_t all[] = {packet->first_opcode,
				packet->psn.v,
				packet->dest_qpn,
				(uint64_t)packet->path.slid << 16 | packet->path.dlid,
				(uint64_t)(packet->ack_req | packet->solicited << 1 |
					   packet->migrated << 2),
				(uint64_t)packet->aeth.syndrome << 24 | packet->aeth.msn.v,
				(uint64_t)packet->immdt << 32 | packet->ieth};
	const uint16_t headers = pkt_op(packet->first_opcode)->headers;

	sim_note(w, all, sizeof(all));
	if (headers & PKT_RETH)
		sim_note(w, &packet->reth, sizeof(packet->reth));
	if (headers & PKT_ATOMICETH) {
		const struct pkt_atomiceth *eth = &packet->atomiceth;
		const uint64_t atomic[] = {eth->va, eth->rkey, eth->swap_add, eth->compare};

		sim_note(w, atomic, sizeof(atomic));
	}
	if (headers & PKT_ATOMICACKETH)
		sim_note(w, &packet->atomicacketh, sizeof(packet->atomicacketh));
	if (headers & PKT_DETH)
		sim_note(w, &packet->deth, offsetof(struct pkt_deth, resv8));
}

static void note_payload(struct sim_world *w, const struct tp_payload *payload)
{
	uint8_t bytes[PKT_MAX_PAYLOAD_BYTES];
	const struct iovec to = {.iov_base = bytes, .iov_len = sizeof(bytes)};

	if (payload->bytes && !base_umem_copy_iov(&to, 1, 0, payload->iov, payload->count,
						  payload->offset, payload->bytes))
		sim_note(w, bytes, payload->bytes);
}

static void see_packet(void *ctx, uint32_t from_slot, uint32_t to_slot, const struct tp_run *packet,
		       const struct fabric_fate *fate)
{
	struct sim_world *w = ctx;
	const uint64_t when[] = {sim_now_ns(w), from_slot, to_slot, fate->drop, fate->delay_ns};

	count(w, &w->packets);
	sim_note(w, when, sizeof(when));
	note_headers(w, packet);
	note_payload(w, &packet->payload);
	if (w->trace)
		print_packet(w, from_slot, to_slot, packet, fate);
}

static void see_event(void *ctx, enum base_trace_id id, const uint64_t arg[BASE_TRACE_ARGS])
{
	struct sim_world *w = ctx;
	char line[160];

	base_trace_format(id, arg, line, sizeof(line));
	fprintf(w->trace, "%12.3f us  %s\n", (double)sim_now_ns(w) / 1000.0, line);
}

void sim_faults(struct sim_world *w, const struct fabric_fault_rates *rates)
{
	struct fabric_fault_rates r = *rates;

	r.seed = w->seed ^ ++w->fault_changes * 0x9e3779b97f4a7c15u;
	r.delay_ns = LINK_DELAY_NS;
	r.jitter_ns = LINK_JITTER_NS;
	INVARIANT(!fabric_faults_set(&w->faults.faults, &r));
}

void sim_partition(struct sim_world *w, unsigned int host, uint32_t group)
{
	fabric_port_set_group(&w->fabric, device_hca_slot(w->hca[host], 1), group);
}

void sim_set_link(struct sim_world *w, unsigned int host, bool up)
{
	device_hca_set_link(w->hca[host], 1, up);
}

void sim_heal(struct sim_world *w)
{
	sim_faults(w, &(struct fabric_fault_rates){.seed = 0});
	for (unsigned int i = 0; i < w->hosts; i++) {
		sim_partition(w, i, 0);
		sim_set_link(w, i, true);
	}
}

static bool add_hosts(struct sim_world *w, unsigned int hosts)
{
	struct device_profile profile;
	char name[16];

	device_profile_init(&profile, VERBENA_PERSONALITY_NONE);
	snprintf(profile.name, sizeof(profile.name), "sim%%d");

	for (; w->hosts < hosts; w->hosts++) {
		struct device_hca *hca;

		snprintf(name, sizeof(name), "host%u", w->hosts);
		hca = device_hca_new(&w->fabric, w->wire, &w->faults, name, &profile);
		if (IS_ERR(hca))
			return false;
		w->hca[w->hosts] = hca;
	}
	return true;
}

struct sim_world *sim_world_new(uint64_t seed, unsigned int hosts)
{
	struct sim_world *w = base_zalloc(sizeof(*w));

	INVARIANT(hosts >= 1 && hosts <= SIM_MAX_HOSTS);
	if (!w)
		return NULL;
	base_host_install(&sim_ops, w);
	w->seed = seed;
	w->random = seed;
	w->start_ns = base_now_ns();
	w->digest = seed;
	w->most = UINT64_MAX;
	fabric_init(&w->fabric, 0);
	device_faults_init(&w->faults, NULL, NULL);
	w->wire = wire_loop_new(&w->fabric, &w->faults.faults);
	if (!w->wire || wire_loop_prepare_faults(w->wire, LATE_PACKETS))
		goto fail;
	wire_loop_set_tap(w->wire, &(struct wire_tap){see_packet, w});
	sim_heal(w);
	if (add_hosts(w, hosts))
		return w;
fail:
	sim_world_free(w);
	return NULL;
}

void sim_world_free(struct sim_world *w)
{
	while (w->hosts)
		device_hca_free(w->hca[--w->hosts]);
	wire_loop_free(w->wire);
	device_faults_free(&w->faults);
	base_host_install(NULL, NULL);
	base_trace_set_sink(NULL, NULL);
	if (w->trace)
		fclose(w->trace);
	base_free(w);
}

struct ib_device *sim_device(struct sim_world *w, unsigned int host)
{
	return device_hca_device(w->hca[host]);
}

bool sim_step(struct sim_world *w, uint64_t until_ns)
{
	const uint64_t end_ns = w->start_ns + until_ns;
	uint64_t next_ns;

	count(w, &w->steps);
	/* Fresh timers get their deadlines before the time moves on. */
	if (base_host_turn(base_now_ns(), TURN_BUDGET))
		return true;
	next_ns = base_host_deadline_ns();
	if (next_ns > end_ns) {
		base_host_turn(end_ns, 0);
		return false;
	}
	base_host_turn(next_ns, TURN_BUDGET);
	return true;
}

void sim_run(struct sim_world *w, uint64_t for_ns)
{
	const uint64_t until_ns = sim_now_ns(w) + for_ns;

	while (sim_step(w, until_ns))
		;
}

bool sim_run_until(struct sim_world *w, bool (*cond)(void *arg), void *arg, uint64_t for_ns)
{
	const uint64_t now_ns = sim_now_ns(w);
	const uint64_t until_ns = for_ns > UINT64_MAX / 2 ? UINT64_MAX / 2 : now_ns + for_ns;

	while (!cond(arg))
		if (!sim_step(w, until_ns))
			return cond(arg);
	return true;
}

int sim_set_trace(struct sim_world *w, const char *path)
{
	if (w->trace)
		fclose(w->trace);
	w->trace = NULL;
	base_trace_set_sink(NULL, NULL);
	if (!path)
		return 0;
	w->trace = fopen(path, "w");
	if (!w->trace)
		return -errno;
	base_trace_set_sink(see_event, w);
	return 0;
}
