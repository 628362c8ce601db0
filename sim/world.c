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
#include "device/hca.h"
#include "fabric/fabric.h"
#include "packet/view.h"
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
	XXH64_state_t *digest;
	uint64_t packets;
	FILE *trace;
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
	return base_host_now_ns() - w->start_ns;
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
	XXH64_update(w->digest, bytes, count);
}

uint64_t sim_digest(const struct sim_world *w)
{
	return XXH64_digest(w->digest);
}

uint64_t sim_packets(const struct sim_world *w)
{
	return w->packets;
}

static void print_packet(struct sim_world *w, uint32_t from, uint32_t to, const uint8_t *bytes,
			 size_t count, const struct fabric_fate *fate)
{
	enum pkt_refusal why;
	struct pkt_view view;

	fprintf(w->trace, "%12.3f us  %u > %u  ", (double)sim_now_ns(w) / 1000.0, from, to);
	if (pkt_decode(PKT_FRAMING_IB, bytes, count, &view, &why))
		fprintf(w->trace, "%zu bytes: %s", count, pkt_refusal_text(why));
	else
		fprintf(w->trace, "%-30s qpn %06x psn %06x%s %u bytes", view.op->name,
			view.bth.dest_qpn, view.bth.psn.v, view.bth.ack_req ? " A" : "",
			(unsigned int)view.payload_bytes);
	fprintf(w->trace, "%s%s%s%s\n", fate->drop ? " DROPPED" : "",
		fate->duplicate ? " DUPLICATED" : "", fate->reordered ? " LATE" : "",
		fate->corrupt ? " CORRUPTED" : "");
}

static void see_packet(void *ctx, uint32_t from_slot, uint32_t to_slot, const uint8_t *bytes,
		       size_t count, const struct fabric_fate *fate)
{
	struct sim_world *w = ctx;
	const uint64_t when[] = {sim_now_ns(w), from_slot,  to_slot,
				 count,		fate->drop, fate->delay_ns};

	w->packets++;
	XXH64_update(w->digest, when, sizeof(when));
	XXH64_update(w->digest, bytes, count);
	if (w->trace)
		print_packet(w, from_slot, to_slot, bytes, count, fate);
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
	INVARIANT(!fabric_faults_set(&w->fabric.faults, &r));
}

void sim_partition(struct sim_world *w, unsigned int host, uint32_t group)
{
	fabric_port_set_group(&w->fabric, device_hca_slot(w->hca[host]), group);
}

void sim_set_link(struct sim_world *w, unsigned int host, bool up)
{
	device_hca_set_link(w->hca[host], up);
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
	const struct verbena_host_options options = {.device_name = "sim%d"};
	char name[16];

	for (; w->hosts < hosts; w->hosts++) {
		struct device_hca *hca;

		snprintf(name, sizeof(name), "host%u", w->hosts);
		hca = device_hca_new(&w->fabric, w->wire, name, &options);
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
	w->start_ns = base_host_now_ns();
	w->digest = XXH64_createState();
	fabric_init(&w->fabric, 0);
	w->wire = wire_loop_new(&w->fabric);
	if (!w->digest || !w->wire || wire_loop_prepare_faults(w->wire, LATE_PACKETS))
		goto fail;
	XXH64_reset(w->digest, seed);
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
	base_host_install(NULL, NULL);
	base_trace_set_sink(NULL, NULL);
	XXH64_freeState(w->digest);
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

	/* Fresh timers get their deadlines before the time moves on. */
	if (base_host_turn(base_host_now_ns(), TURN_BUDGET))
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
