/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The wire between the processes of one machine: a ring in shared memory for each direction of each
 * pair that talks. Who the others are it is told (wire_shm_add_peer()); where a packet goes it reads
 * in the directory.
 *
 * Small payload is copied into the ring. Large payload of RC stays where it is, and the receiver
 * reads it out of the sender's memory, once, into its place.
 */
#ifndef WIRE_SHM_H
#define WIRE_SHM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/report.h"
#include "fabric/directory.h"
#include "fabric/faults.h"
#include "fabric/subnet.h"
#include "transport/tp.h"
#include "transport/window.h"
#include "wire/shm_ring.h"

struct wire_shm;

#define SHM_WINDOWS 1024u
#define SHM_KEY_BYTES 64u /* struct rvt_mr_entry */

enum shm_sleep {
	SHM_AWAKE,
	SHM_DOZES, /* somebody polls, and it looks by itself soon */
	SHM_SLEEPS,
};

/**
 * struct shm_control - What a process shows all others about itself; they map it read-only.
 * @nonce: Random. Who finds it at the same place by process_vm_readv() can read payload, too, and reads the
 *	right process: a pid means another one in another PID namespace.
 * @sleeping: enum shm_sleep: it waits in the kernel, and wants its descriptor written to. Atomic.
 * @expects: So many more looks, and its program means to sleep until something comes: wake it then,
 *	even if it has looked a moment ago. Atomic. Like @sleeping read by whoever sends.
 * @polls: Counts how often its threads have looked; more or less, for they do not wait for each
 *	other. Atomic; written so often that it has a line of its own.
 * @placed: Requests that it has executed in others' memory by itself. Atomic.
 */
struct shm_control {
	uint64_t nonce;
	_Alignas(64) uint32_t sleeping;
	uint32_t expects;
	_Alignas(64) uint32_t polls;
	_Alignas(64) uint64_t placed;
};

/**
 * struct shm_pair - Memory that exactly two processes share.
 * @ring: [0] from the one with the lower id to the other, [1] back.
 * @window: [0] of queue pairs of the one with the lower id, [1] of the other's.
 */
struct shm_pair {
	struct shm_ring ring[2];
	struct tp_window window[2][SHM_WINDOWS];
};

/**
 * struct wire_shm_config - What the wire needs of its surroundings.
 * @directory: Mapped, read-only.
 * @self: Our id in it.
 * @control: Ours.
 * @direct: Queue pairs may have windows, and use those of others.
 * @introduce: Ask to be introduced to a process; wire_shm_add_peer() follows sooner or later, or runs
 *	for processes that we do not know are lost. Must neither sleep nor call back; locks are held.
 * @send_mad: A datagram for QP 0 or QP 1 of any port, sent by the port in a slot: these go by the daemon. Likewise
 *	it must neither sleep nor call back. Return: 0; -EAGAIN: offer it again; another errno: it is lost. NULL: ports
 *	have neither queue pair.
 * @bad_key: As &tp_port_ops.bad_key; or NULL.
 * @now_ns: CLOCK_MONOTONIC.
 * @faults: What goes wrong with this process's packets; NULL: nothing ever.
 * @report: Where traffic is counted; NULL: nobody asks.
 * @ctx: Handed to the functions.
 */
struct wire_shm_config {
	const struct directory *directory;
	uint32_t self;
	struct shm_control *control;
	bool direct;
	void (*introduce)(void *ctx, uint32_t peer);
	int (*send_mad)(void *ctx, uint32_t slot, const struct subnet_mad *mad);
	void (*bad_key)(void *ctx, uint32_t slot, bool qkey, const struct subnet_mad *header);
	uint64_t (*now_ns)(void *ctx);
	struct fabric_faults *faults;
	struct base_report *report;
	void *ctx;
};

/**
 * struct wire_shm_peer - A process that we were introduced to.
 * @id: Its id.
 * @generation: Of its id.
 * @pair: Memory of us two; the wire's from now on, to munmap().
 * @control: Its own; likewise. NULL for ourselves.
 * @control_address: Where its control is in its own memory.
 * @wake_fd: Write eight bytes to wake it; the wire's, to close.
 * @pid: Of it.
 * @keys: What its keys are checked against, @key_count of them; the wire's, to munmap(). NULL: it does
 *	not show them.
 * @key_count: How many.
 * @mem_fd: Its memory, as it has opened it itself (/proc/self/mem); the wire's, to close. -1: none.
 */
struct wire_shm_peer {
	uint32_t id;
	uint32_t generation;
	struct shm_pair *pair;
	const struct shm_control *control;
	uint64_t control_address;
	int wake_fd;
	int32_t pid;
	const struct rvt_mr_entry *keys;
	uint32_t key_count;
	int mem_fd;
};

/** wire_shm_new() - Make the wire of a process. Returns NULL if there is no memory. */
struct wire_shm *wire_shm_new(const struct wire_shm_config *config);

/** wire_shm_free() - All ports are detached. Peers are dropped. @shm: May be NULL. */
void wire_shm_free(struct wire_shm *shm);

/**
 * wire_shm_attach() - Connect a port of this process.
 * @shm: Wire.
 * @slot: Its place in the fabric.
 * @port: Gets ops and wire.
 *
 * Return: 0; -ENOSPC if there are too many; -ENOMEM.
 */
int wire_shm_attach(struct wire_shm *shm, uint32_t slot, struct tp_port *port);

/**
 * wire_shm_detach() - Disconnect it: whatever it sends from now on is lost.
 * @shm: Wire.
 * @slot: Of the port.
 *
 * Threads may be sending; the port's share of the wire lives until &tp_port_ops.release.
 *
 * Context: May sleep.
 */
void wire_shm_detach(struct wire_shm *shm, uint32_t slot);

/**
 * wire_shm_prepare_faults() - Have memory for packets that are late, so that faults can be set.
 * @shm: Wire, which was given faults.
 * @packets: At least so many at a time, each way; what exceeds that is dropped.
 *
 * Return: 0; -ENOMEM.
 */
int wire_shm_prepare_faults(struct wire_shm *shm, uint32_t packets);

/** wire_shm_add_peer() - Rings to a process exist. Return: 0; -EEXIST; -ENOMEM: @is stays the caller's. */
int wire_shm_add_peer(struct wire_shm *shm, const struct wire_shm_peer *is);

/**
 * wire_shm_close_windows() - Nobody places bytes in this process by itself any more.
 * @shm: Wire.
 *
 * For a process that becomes another program (exec). What others have begun is waited for, at most a
 * second each; requests go through the rings from now on.
 *
 * Context: May sleep.
 */
void wire_shm_close_windows(struct wire_shm *shm);

/** wire_shm_drop_peer() - It is dead, known or not; what it had sent is delivered first. May sleep. */
void wire_shm_drop_peer(struct wire_shm *shm, uint32_t id);

/** wire_shm_missed() - There was no room for the memory of a pair; older memory is of no use. May sleep. */
void wire_shm_missed(struct wire_shm *shm, uint32_t id);

/** wire_shm_known() - With whom we have rings, and who lives: a bit for each id. Context: Any thread. */
void wire_shm_known(struct wire_shm *shm, uint64_t known[DIRECTORY_PROCESSES / 64]);

/** wire_shm_ask_again() - Whom we asked to introduce us has died: ask its successor. Context: No locks. */
void wire_shm_ask_again(struct wire_shm *shm);

/**
 * wire_shm_receive_mad() - A MAD has arrived at a port of ours.
 * @shm: Wire.
 * @slot: Of the port; if there is none, it is lost.
 * @mad: It. Any content.
 *
 * Context: No locks.
 */
void wire_shm_receive_mad(struct wire_shm *shm, uint32_t slot, const struct subnet_mad *mad);

/**
 * wire_shm_progress() - Take what others have sent.
 * @shm: Wire.
 * @budget: At most so many runs of each.
 *
 * Context: No locks. One thread at a time does the work, others return at once.
 * Return: Runs taken.
 */
unsigned int wire_shm_progress(struct wire_shm *shm, unsigned int budget);

/**
 * wire_shm_polled() - A thread polls now: others need not wake us.
 * @shm: Wire.
 *
 * Return: true if whoever called wire_shm_sleep() sleeps for long, and must be woken: once this
 *	thread polls no more somebody has to look into the rings.
 */
bool wire_shm_polled(struct wire_shm *shm);

/** wire_shm_expect() - A thread of ours is about to sleep until something comes. */
void wire_shm_expect(struct wire_shm *shm);

/** wire_shm_is_polled() - Whether a thread has polled since wire_shm_sleep(), and will go on. */
bool wire_shm_is_polled(const struct wire_shm *shm);

/**
 * wire_shm_sleep() - About to sleep: from here on others wake us, unless one of our threads polls.
 * @shm: Wire.
 *
 * Return: How long at most: 0 if there is something to take; a millisecond if somebody has polled
 *	since the last time, for it may have been the last poll, and once more after that; a second, or
 *	less, if there are other processes, for they may be stopped; UINT64_MAX otherwise.
 */
uint64_t wire_shm_sleep(struct wire_shm *shm);

/** wire_shm_awake() - Not sleeping any more. */
void wire_shm_awake(struct wire_shm *shm);

/**
 * struct wire_shm_stats - What happened so far.
 * @pulled: Runs whose payload we read out of other processes' memory.
 * @dropped: Packets without a destination, or whose receiver was dead.
 * @waited: Datagrams that found no receive and waited for one.
 * @malformed: Records that made no sense.
 */
struct wire_shm_stats {
	uint64_t pulled;
	uint64_t dropped;
	uint64_t waited;
	uint64_t malformed;
};

/** wire_shm_stats() - Read them. */
void wire_shm_stats(struct wire_shm *shm, struct wire_shm_stats *stats);

#endif
