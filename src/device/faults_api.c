// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Faults by a text: the calls of <verbena/faults.h>. */
#include "verbena/faults.h"

#include <errno.h>
#include <stdio.h>

#include "device/faults.h"
#include "device/hca.h"

int verbena_faults_check(const char *spec, struct verbena_fault_error *error)
{
	struct fault_error found;
	struct fault_plan plan;
	const int ret = fault_plan_parse(spec ? spec : "", &plan, &found);

	if (!ret)
		return 0;
	if (error) {
		error->column = found.column;
		snprintf(error->text, sizeof(error->text), "%s", found.text);
	}
	return base_refuse(ret, FAULT_SPEC, found.column);
}

int verbena_device_inject(struct ib_device *device, const char *spec)
{
	if (!device_is_object(device))
		return -EINVAL;
	return device_faults_inject(device_hca_fault_hooks(device_hca_of(device))->faults, spec);
}

void verbena_device_fault_counts(struct ib_device *device, struct verbena_fault_counts *counts)
{
	const struct fabric_faults *f;

	if (!device_is_object(counts))
		return;
	*counts = (struct verbena_fault_counts){.packets = 0};
	if (!device_is_object(device))
		return;
	f = &device_hca_fault_hooks(device_hca_of(device))->faults->faults;
	*counts = (struct verbena_fault_counts){
		.packets = READ_ONCE(f->met),
		.dropped = READ_ONCE(f->hits[FAULT_DROP]),
		.duplicated = READ_ONCE(f->hits[FAULT_DUPLICATE]),
		.reordered = READ_ONCE(f->hits[FAULT_REORDER]),
		.delayed = READ_ONCE(f->hits[FAULT_DELAY]),
		.corrupted = READ_ONCE(f->hits[FAULT_CORRUPT]),
		.rnr = READ_ONCE(f->hits[FAULT_RNR]),
		.killed = READ_ONCE(f->hits[FAULT_KILL]),
		.downs = READ_ONCE(f->hits[FAULT_DOWN]),
		.events = READ_ONCE(f->hits[FAULT_EVENT]),
		.refused = READ_ONCE(f->hits[FAULT_FAIL]),
	};
}
