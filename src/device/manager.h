/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The built-in subnet manager at its place: a port of a subnet that it sends SMPs from and gets them at, as
 * the one in a managed switch does. SMPs that are not answered are sent again. While another manager is the master
 * this one asks each 10 s whether it is still there, and requests to the administration are not answered, as OpenSM does
 * not: who asks finds the master's by the LID that the master tells the port.
 */
#ifndef DEVICE_MANAGER_H
#define DEVICE_MANAGER_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/subnet.h"
#include "sm/sm.h"

struct device_manager;
struct ib_device;

/**
 * device_manager_new() - A manager that does nothing yet.
 * @subnet: Outlives it.
 * @at: A CA's port, or port 0 of a switch.
 * @options: Copied.
 *
 * Return: NULL without memory.
 */
struct device_manager *device_manager_new(struct subnet *subnet, struct subnet_at at,
					  const struct sm_options *options);

/**
 * device_manager_watch() - Have each MAD shown that the manager sends.
 * @manager: It has not begun.
 * @show: Called without locks.
 * @ctx: Handed to it.
 */
void device_manager_watch(struct device_manager *manager,
			  void (*show)(void *ctx, const struct subnet_mad *mad), void *ctx);

/**
 * device_manager_serve() - Be the subnet's administration, too.
 * @manager: Manager.
 * @device: Its place as a device.
 *
 * Context: May sleep.
 * Return: 0; as ib_register_mad_agent().
 */
int device_manager_serve(struct device_manager *manager, struct ib_device *device);

/**
 * device_manager_stop() - Do nothing any more; neither device nor subnet are needed then.
 * @manager: Stopped already, or not. What is delivered to it is not taken.
 *
 * Context: May sleep.
 */
void device_manager_stop(struct device_manager *manager);

/** device_manager_free() - Nothing is delivered to it any more. @manager: May be NULL. Context: May sleep. */
void device_manager_free(struct device_manager *manager);

/**
 * device_manager_deliver() - A MAD has arrived at its port.
 * @manager: Manager.
 * @mad: Of QP 0.
 *
 * Context: No locks.
 * Return: Whether it is for a subnet manager: an answer, a trap, SMInfo.
 */
bool device_manager_deliver(struct device_manager *manager, const struct subnet_mad *mad);

/** device_manager_state() - Whether it is the master, or leaves the subnet to another one. */
enum sm_state device_manager_state(const struct device_manager *manager);

/** device_manager_sweep() - Look at the subnet now. Context: No locks. */
void device_manager_sweep(struct device_manager *manager);

/**
 * device_manager_wait() - Sweep until all is up, or somebody else is found to see to it.
 * @manager: Manager.
 * @timeout_ns: How long at most.
 *
 * Context: May sleep.
 * Return: Whether it is.
 */
bool device_manager_wait(struct device_manager *manager, uint64_t timeout_ns);

/** device_manager_stats() - What it has done. */
void device_manager_stats(struct device_manager *manager, struct sm_stats *stats);

#endif
