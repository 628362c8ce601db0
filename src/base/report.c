// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Counting without others' cache lines: lanes. */
#include "base/report.h"

#define SHARED (BASE_REPORT_LANES - 1)

/* Threads come and go: lanes are not given back, and who finds none shares the last. */
static unsigned int my_lane(void)
{
	static unsigned int next;
	static _Thread_local unsigned int lane; /* plus 1 */

	if (!lane) {
		lane = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) + 1;
		if (lane > BASE_REPORT_LANES || !lane)
			lane = BASE_REPORT_LANES;
	}
	return lane - 1;
}

static void add(unsigned int lane, uint64_t *counter, uint64_t more)
{
	if (lane == SHARED)
		__atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
	else
		__atomic_store_n(counter, __atomic_load_n(counter, __ATOMIC_RELAXED) + more,
				 __ATOMIC_RELAXED);
}

void base_traffic_sent(struct base_report_port *port, uint64_t packets, uint64_t bytes,
		       bool multicast)
{
	const unsigned int lane = my_lane();
	struct base_traffic *t = &port->lane[lane];

	add(lane, &t->sent_packets, packets);
	add(lane, &t->sent_bytes, bytes);
	if (multicast)
		add(lane, &t->sent_multicast, packets);
}

void base_traffic_received(struct base_report_port *port, uint64_t packets, uint64_t bytes,
			   bool multicast)
{
	const unsigned int lane = my_lane();
	struct base_traffic *t = &port->lane[lane];

	add(lane, &t->received_packets, packets);
	add(lane, &t->received_bytes, bytes);
	if (multicast)
		add(lane, &t->received_multicast, packets);
}

void base_traffic_discarded(struct base_report_port *port, uint64_t packets)
{
	const unsigned int lane = my_lane();

	add(lane, &port->lane[lane].discarded, packets);
}

static void add_all(const struct base_traffic *from, struct base_traffic *sum)
{
	const uint64_t *counters = (const uint64_t *)from;
	uint64_t *to = (uint64_t *)sum;

	for (unsigned int i = 0; i < BASE_TRAFFIC_WORDS; i++)
		to[i] += __atomic_load_n(&counters[i], __ATOMIC_RELAXED);
}

void base_traffic_add(const struct base_report_port *port, struct base_traffic *sum)
{
	for (unsigned int lane = 0; lane < BASE_REPORT_LANES; lane++)
		add_all(&port->lane[lane], sum);
	add_all(&port->errors, sum);
}

/* Most slots stay as they are, and their pages are nowhere. */
static bool is_placed(const struct base_report *report, uint32_t slot)
{
	return __atomic_load_n(&report->placed[slot / 64], __ATOMIC_RELAXED) >> (slot % 64) & 1;
}

void base_placed_count(struct base_report *report, uint32_t slot, const struct base_placed *more)
{
	const unsigned int lane = my_lane();
	struct base_placed *p = &report->target[slot].lane[lane];

	if (!is_placed(report, slot))
		__atomic_fetch_or(&report->placed[slot / 64], 1ull << (slot % 64),
				  __ATOMIC_RELAXED);
	add(lane, &p->received_packets, more->received_packets);
	add(lane, &p->received_bytes, more->received_bytes);
	if (!more->sent_packets)
		return;
	add(lane, &p->sent_packets, more->sent_packets);
	add(lane, &p->sent_bytes, more->sent_bytes);
}

static uint64_t load(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

void base_placed_add(const struct base_report *report, uint32_t slot, struct base_traffic *sum)
{
	if (!is_placed(report, slot))
		return;
	for (unsigned int lane = 0; lane < BASE_REPORT_LANES; lane++) {
		const struct base_placed *p = &report->target[slot].lane[lane];

		sum->received_packets += load(&p->received_packets);
		sum->received_bytes += load(&p->received_bytes);
		sum->sent_packets += load(&p->sent_packets);
		sum->sent_bytes += load(&p->sent_bytes);
	}
}

static void use_way(struct base_report_ways *ways, uint32_t way)
{
	const uint64_t bit = 1ull << (way % 64);

	if (!(__atomic_load_n(&ways->used[way / 64], __ATOMIC_RELAXED) & bit))
		__atomic_fetch_or(&ways->used[way / 64], bit, __ATOMIC_RELAXED);
}

void base_way_count(struct base_report *report, uint32_t way, uint64_t packets, uint64_t words)
{
	struct base_report_ways *ways = &report->ways;
	const unsigned int lane = my_lane();
	struct base_way_count *gone = &ways->gone[lane][way];

	use_way(ways, way);
	if (!(__atomic_load_n(&ways->lanes, __ATOMIC_RELAXED) >> lane & 1))
		__atomic_fetch_or(&ways->lanes, 1u << lane, __ATOMIC_RELAXED);
	add(lane, &gone->packets, packets);
	add(lane, &gone->words, words);
}

static void count_other(struct base_report *report, uint32_t way, struct base_way_count *count,
			uint64_t packets, uint64_t words)
{
	use_way(&report->ways, way);
	__atomic_fetch_add(&count->packets, packets, __ATOMIC_RELAXED);
	__atomic_fetch_add(&count->words, words, __ATOMIC_RELAXED);
}

void base_way_lost(struct base_report *report, uint32_t way, uint64_t packets, uint64_t words)
{
	count_other(report, way, &report->ways.others[way].lost, packets, words);
}

void base_way_too_long(struct base_report *report, uint32_t way, uint8_t mtu, uint64_t packets,
		       uint64_t words)
{
	const unsigned int i = (mtu < 2 ? 0 : mtu - 2u) % BASE_WAY_MTUS;

	count_other(report, way, &report->ways.others[way].too_long[i], packets, words);
}

uint32_t base_way_next(const struct base_report *report, uint32_t way)
{
	while (way < BASE_REPORT_WAYS) {
		const uint64_t left = load(&report->ways.used[way / 64]) >> (way % 64);

		if (left)
			return way + (uint32_t)__builtin_ctzll(left);
		way = (way / 64 + 1) * 64;
	}
	return BASE_REPORT_WAYS;
}

static void add_way(const struct base_way_count *from, struct base_way_count *to)
{
	to->packets += load(&from->packets);
	to->words += load(&from->words);
}

/* Lanes of threads that there are not are pages that nobody has made. */
void base_way_read(const struct base_report *report, uint32_t way, struct base_way_sum *sum)
{
	const struct base_report_ways *ways = &report->ways;
	const uint32_t lanes = __atomic_load_n(&ways->lanes, __ATOMIC_RELAXED);

	*sum = (struct base_way_sum){.gone = {0}};
	for (unsigned int lane = 0; lane < BASE_REPORT_LANES; lane++)
		if (lanes >> lane & 1)
			add_way(&ways->gone[lane][way], &sum->gone);
	add_way(&ways->others[way].lost, &sum->lost);
	for (unsigned int i = 0; i < BASE_WAY_MTUS; i++)
		add_way(&ways->others[way].too_long[i], &sum->too_long[i]);
}
