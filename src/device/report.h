/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Our queue pairs, for whoever asks the daemon about them. */
#ifndef DEVICE_REPORT_H
#define DEVICE_REPORT_H

#include "base/report.h"
#include "device/hca.h"

/** device_report_is_wanted() - Whether the daemon waits for device_report_publish(). */
static inline bool device_report_is_wanted(const struct base_report *report)
{
	return __atomic_load_n(&report->wanted, __ATOMIC_RELAXED) !=
	       __atomic_load_n(&report->published, __ATOMIC_RELAXED);
}

struct fabric_faults;

/** device_report_faults() - Write down how many faults were injected. Context: One thread at a time. */
void device_report_faults(struct base_report *report, const struct fabric_faults *faults);

/**
 * device_report_publish() - Write down all queue pairs as they are.
 * @report: Where.
 * @hca: HCAs, by index.
 * @count: How many.
 *
 * Context: One thread at a time; takes locks of queue pairs.
 */
void device_report_publish(struct base_report *report, struct device_hca *const *hca, u32 count);

#endif
