/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Faults by a text: what VERBENA_FAULTS and `verbena run --faults` take for stock programs, for
 * programs that use this API. The grammar is in docs/faults.md:
 *
 *	"seed=7; drop=2%; rnr, service=rc, try=1..3; down, after=1s, for=500ms"
 */
#ifndef VERBENA_FAULTS_H
#define VERBENA_FAULTS_H

#include <stddef.h>
#include <stdint.h>

#include <verbena/verbena.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct verbena_fault_error - What is wrong with a text.
 * @column: Where, from 1.
 * @text: A sentence without its full stop.
 */
struct verbena_fault_error {
	uint32_t column;
	char text[160];
};

/**
 * verbena_faults_check() - Whether a text describes faults.
 * @spec: Text.
 * @error: Out, on failure. May be NULL.
 *
 * Return: 0; -EINVAL.
 */
int verbena_faults_check(const char *spec, struct verbena_fault_error *error);

/**
 * verbena_fabric_inject() - Faults of a fabric of this process, from now on, instead of those before.
 * @fabric: All its devices are meant.
 * @spec: Text; NULL or "" heals everything.
 *
 * Replaces what verbena_fabric_faults() has set, and the other way round.
 *
 * Context: A thread that may sleep; not a handler of a completion or an event.
 * Return: 0; -EINVAL if the text makes no sense, with nothing changed; -ENOMEM.
 */
int verbena_fabric_inject(struct verbena_fabric *fabric, const char *spec);

/**
 * verbena_device_inject() - The same for a device, on a daemon's fabric, too.
 * @device: From verbena_host_attach(): what this process sends and receives is meant, nobody else's.
 *	From verbena_host_add(): its whole fabric.
 * @spec: As for verbena_fabric_inject().
 *
 * Context: As verbena_fabric_inject().
 * Return: Likewise.
 */
int verbena_device_inject(struct ib_device *device, const char *spec);

/**
 * struct verbena_fault_counts - What was injected so far.
 * @packets: Packets that were looked at.
 * @dropped: Lost; those that met a port that was down by a fault are not counted.
 * @duplicated: Doubled.
 * @reordered: Overtaken.
 * @delayed: Late.
 * @corrupted: Damaged, and so lost, too.
 * @rnr: Their receiver was told that it had no receive.
 * @killed: Queue pairs that were made to fail.
 * @downs: Times that a port went down.
 * @events: Asynchronous events.
 * @refused: Verbs.
 */
struct verbena_fault_counts {
	uint64_t packets;
	uint64_t dropped;
	uint64_t duplicated;
	uint64_t reordered;
	uint64_t delayed;
	uint64_t corrupted;
	uint64_t rnr;
	uint64_t killed;
	uint64_t downs;
	uint64_t events;
	uint64_t refused;
};

/**
 * verbena_device_fault_counts() - Read what was injected.
 * @device: As for verbena_device_inject().
 * @counts: Out.
 *
 * Context: Any thread.
 */
void verbena_device_fault_counts(struct ib_device *device, struct verbena_fault_counts *counts);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_FAULTS_H */
