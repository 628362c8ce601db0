/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A subnet for others: all of its hosts are in other processes, and this one has its manager alone. */
#ifndef DEVICE_HOSTED_H
#define DEVICE_HOSTED_H

#include "device/managed.h"

struct device_hosted;

/**
 * device_hosted_new() - Build a subnet, and bring it up.
 * @fabric: Where guests have their slots. Outlives it.
 * @topology: As ibnetdiscover prints it.
 * @guests: Who has them. Outlives it.
 *
 * Context: May sleep.
 * Return: It or ERR_PTR, with a cause, as device_managed_new() and device_threads_get().
 */
struct device_hosted *device_hosted_new(struct fabric *fabric, const char *topology,
					const struct device_guests *guests);

/** device_hosted_free() - Give it back; nobody is told of anything then. @h: May be NULL. Context: May sleep. */
void device_hosted_free(struct device_hosted *h);

#endif
