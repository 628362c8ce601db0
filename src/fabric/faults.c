// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Fates of packets. */
#include "fabric/faults.h"

#include <errno.h>
#include <stddef.h>

#include "base/cause.h"
#include "base/random.h"

#define DEFAULT_REORDER_NS 20000u

void fabric_faults_init(struct fabric_faults *faults)
{
	*faults = (struct fabric_faults){.active = false};
}

static uint32_t largest_rate(const struct fabric_fault_rates *r)
{
	const uint32_t rates[] = {r->drop_ppm, r->duplicate_ppm, r->reorder_ppm, r->corrupt_ppm};
	uint32_t largest = 0;

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		if (rates[i] > largest)
			largest = rates[i];
	return largest;
}

int fabric_faults_set(struct fabric_faults *faults, const struct fabric_fault_rates *rates)
{
	const struct fabric_fault_rates none = {.seed = 0};
	const struct fabric_fault_rates *r = rates ? rates : &none;

	if (largest_rate(r) > FABRIC_PPM)
		return base_refuse(-EINVAL, FABRIC_FAULT_RATE, largest_rate(r), FABRIC_PPM);
	spin_lock(&faults->lock);
	faults->rates = *r;
	if (!faults->rates.reorder_ns)
		faults->rates.reorder_ns = DEFAULT_REORDER_NS;
	faults->random = r->seed;
	__atomic_store_n(&faults->active, largest_rate(r) || r->delay_ns || r->jitter_ns,
			 __ATOMIC_RELEASE);
	spin_unlock(&faults->lock);
	return 0;
}

static bool chance(struct fabric_faults *faults, uint32_t ppm)
{
	return ppm && base_random_below(&faults->random, FABRIC_PPM) < ppm;
}

static uint64_t usual_delay_ns(struct fabric_faults *faults)
{
	const struct fabric_fault_rates *r = &faults->rates;

	if (!r->jitter_ns)
		return r->delay_ns;
	return r->delay_ns + base_random_below(&faults->random, r->jitter_ns + 1);
}

struct fabric_fate fabric_faults_decide(struct fabric_faults *faults)
{
	const struct fabric_fault_rates *r = &faults->rates;
	struct fabric_fate fate = {.drop = false};

	spin_lock(&faults->lock);
	fate.drop = chance(faults, r->drop_ppm);
	fate.delay_ns = usual_delay_ns(faults);
	fate.reordered = chance(faults, r->reorder_ppm);
	if (fate.reordered)
		fate.delay_ns += 1 + base_random_below(&faults->random, r->reorder_ns);
	fate.duplicate = chance(faults, r->duplicate_ppm);
	if (fate.duplicate)
		fate.duplicate_delay_ns =
			usual_delay_ns(faults) + base_random_below(&faults->random, r->reorder_ns);
	fate.may_corrupt = r->corrupt_ppm != 0;
	fate.corrupt = chance(faults, r->corrupt_ppm);
	if (fate.corrupt)
		fate.corrupt_bit = (uint32_t)base_random(&faults->random);
	spin_unlock(&faults->lock);
	return fate;
}
