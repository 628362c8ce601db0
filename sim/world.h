/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The simulated world: hosts on one switch, virtual time, one thread, and a seed that decides
 * everything. Same seed, same trace digest.
 *
 * Above the world everything is the real stack: ib_*() calls on registered devices. The world is
 * the driver of base/host.h, and the faults of fabric/faults.h are its weather.
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include <rdma/ib_verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "fabric/faults.h"

#define SIM_US 1000ull
#define SIM_MS 1000000ull
#define SIM_SECOND 1000000000ull
#define SIM_MAX_HOSTS 16u

struct sim_world;

/**
 * sim_world_new() - Make a world with hosts that are connected by healthy links.
 * @seed: Of everything.
 * @hosts: How many, 1 to SIM_MAX_HOSTS.
 *
 * Every packet takes the wire's delay and some jitter, so all packets are seen one by one. Only
 * one world may exist in a process at a time, and no fabric of <verbena/verbena.h>.
 *
 * Return: The world; NULL if there is no memory.
 */
struct sim_world *sim_world_new(uint64_t seed, unsigned int hosts);

/**
 * sim_world_free() - End of the world: removes the hosts.
 * @w: World, whose objects (QPs, CQs ...) have all been destroyed.
 */
void sim_world_free(struct sim_world *w);

/** sim_device() - The HCA of a host. @host: 0 ... */
struct ib_device *sim_device(struct sim_world *w, unsigned int host);

/** sim_now_ns() - Virtual time since the world began. */
uint64_t sim_now_ns(const struct sim_world *w);

/** sim_random() - The next number of the world's own sequence (not that of the faults). */
uint64_t sim_random(struct sim_world *w);

/** sim_random_below() - From 0 to @bound - 1. */
uint64_t sim_random_below(struct sim_world *w, uint64_t bound);

/**
 * sim_faults() - Change the weather.
 * @w: World.
 * @rates: delay_ns, jitter_ns and seed are the world's own; the rest is taken.
 */
void sim_faults(struct sim_world *w, const struct fabric_fault_rates *rates);

/** sim_partition() - Cut a host off from those with another @group number; all start with 0. */
void sim_partition(struct sim_world *w, unsigned int host, uint32_t group);

/** sim_set_link() - Pull or plug a host's cable, with its port events. */
void sim_set_link(struct sim_world *w, unsigned int host, bool up);

/** sim_heal() - No faults, no partitions, all links up. */
void sim_heal(struct sim_world *w);

/**
 * sim_step() - Go to the next moment at which something happens, and let it happen.
 * @w: World.
 * @until_ns: Not beyond this moment.
 *
 * Return: false if nothing happens until then; the time is @until_ns now.
 */
bool sim_step(struct sim_world *w, uint64_t until_ns);

/** sim_run() - sim_step() until @for_ns from now. */
void sim_run(struct sim_world *w, uint64_t for_ns);

/**
 * sim_run_until() - sim_step() until a condition holds.
 * @w: World.
 * @cond: Asked after each step.
 * @arg: Handed to @cond.
 * @for_ns: At most so long from now.
 *
 * Return: What @cond said last.
 */
bool sim_run_until(struct sim_world *w, bool (*cond)(void *arg), void *arg, uint64_t for_ns);

/**
 * sim_set_bound() - What a world may do at most, so that one that runs away ends soon.
 * @w: World.
 * @most: Packets on the wire; and moments at which something happens.
 * @beyond: Called beyond that, wherever the stack is in at that time. Does not return.
 * @arg: Handed to @beyond.
 */
void sim_set_bound(struct sim_world *w, uint64_t most, void (*beyond)(void *arg), void *arg);

/** sim_note() - Add something that happened to the digest (completions, events). */
void sim_note(struct sim_world *w, const void *bytes, size_t count);

/** sim_digest() - Digest of all packets, their fates, their times, and all that was noted. */
uint64_t sim_digest(const struct sim_world *w);

/** sim_packets() - Packets so far. */
uint64_t sim_packets(const struct sim_world *w);

/**
 * sim_set_trace() - Print each packet and each trace event as a line.
 * @w: World.
 * @path: File, or NULL for none.
 *
 * Return: 0; the negative errno of fopen().
 */
int sim_set_trace(struct sim_world *w, const char *path);

#endif
