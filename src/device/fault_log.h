/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What was injected into a stock program, for whoever runs it: a line at first, one at the end, a list. */
#ifndef DEVICE_FAULT_LOG_H
#define DEVICE_FAULT_LOG_H

struct fabric_faults;

/**
 * fault_log_start() - Listen to faults, until the process ends.
 * @faults: They outlive the process's use of devices.
 * @path: File to which each is appended, or NULL. If it cannot be opened that is said on stderr, and they go there.
 */
void fault_log_start(struct fabric_faults *faults, const char *path);

/** fault_log_forked() - In a child: they are the parent's. */
void fault_log_forked(void);

#endif
