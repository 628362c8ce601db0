/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* CPU sets are passed on, never looked into. */
#ifndef VERBENA_LINUX_CPUMASK_H
#define VERBENA_LINUX_CPUMASK_H

struct cpumask;

#endif /* VERBENA_LINUX_CPUMASK_H */
