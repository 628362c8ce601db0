/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The device of this process when it runs a stock program: from the environment, when first needed. */
#ifndef DEVICE_PROCESS_H
#define DEVICE_PROCESS_H

#include <stdbool.h>

#include "base/report.h"

/**
 * device_process_start() - See that this process has its fabric, its host and its device.
 *
 * The environment is read the first time: VERBENA_FABRIC and VERBENA_HOST, VERBENA_PROFILE (a file),
 * VERBENA_PERSONALITY (rxe, hfi1, hfi1-v1; default rxe), VERBENA_DEVICE_NAME (default rxe0, hfi1_0),
 * VERBENA_FAULTS and VERBENA_FAULTS_TRACE. Clients of ib_register_client() hear of the device before the
 * call returns.
 *
 * Context: Any thread, may sleep. Several threads may do it at once.
 * Return: 0, also if it is there already; -EINVAL for what the environment asks for; -ENOENT if the
 *	library that reads profiles is not there; -ENOMEM; as profile_load() and device_attach(). With a cause.
 */
int device_process_start(void);

/** device_process_fabric() - Name of the fabric: $VERBENA_FABRIC, else "default". */
const char *device_process_fabric(void);

/**
 * device_process_host() - Name of the host: $VERBENA_HOST, else the machine's name.
 * @machine: Room for the latter, DEVICE_MAX_HOST_NAME + 1 bytes.
 *
 * Return: The name; it may be in @machine.
 */
const char *device_process_host(char *machine);

/**
 * device_process_traffic() - What a port of this process's host has carried.
 * @name: Of the device.
 * @port_num: 1 ...
 * @traffic: Out.
 *
 * Return: Whether that is known: not on a fabric of the process's own.
 */
bool device_process_traffic(const char *name, unsigned int port_num, struct base_traffic *traffic);

/**
 * device_process_close_windows() - Before exec: no other process places bytes in this one any more.
 *
 * It goes on without direct placement if it stays the program that it is.
 *
 * Context: Any thread of the process that has called device_process_start(). May sleep.
 */
void device_process_close_windows(void);

/**
 * device_process_forked() - Forget the parent's device, in the child of a fork.
 *
 * Context: The child's only thread, before it does anything else.
 */
void device_process_forked(void);

#endif
