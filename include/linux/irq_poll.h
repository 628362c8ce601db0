/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A CQ names this; polling is done by workers here. */
#ifndef VERBENA_LINUX_IRQ_POLL_H
#define VERBENA_LINUX_IRQ_POLL_H

#include <linux/types.h>

struct irq_poll {
	struct list_head list;
	unsigned long state;
	int weight;
};

#endif /* VERBENA_LINUX_IRQ_POLL_H */
