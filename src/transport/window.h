/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Windows: what two processes share of one RC queue pair, so that its peer can execute a WRITE or a
 * READ by itself ("direct placement", docs/design/direct.md). The owner is the process of the
 * responder, the peer that of the requester.
 *
 * Either may find anything in a window at any time, and nobody waits for its lock on the data path:
 * who does not get it goes through the wire, or drops what came.
 */
#ifndef TRANSPORT_WINDOW_H
#define TRANSPORT_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "transport/tp.h"

struct rvt_mr_entry;

/* struct tp_window.lock: who holds it, 0 if nobody does; above, how often it was taken. */
#define TP_WINDOW_HOLDER 0xffffu
#define TP_WINDOW_TURN 0x10000u

/* struct tp_window.position, from the low end: expected PSN, MSN, last opcode, ready. */
#define TP_WINDOW_MSN_SHIFT 24
#define TP_WINDOW_OPCODE_SHIFT 48
#define TP_WINDOW_READY (1ull << 56)

/**
 * struct tp_window - One line of memory that two processes share.
 * @lock: Guards @position. Atomic.
 * @qpn: The owner's queue pair; 0: there is none, or it takes no requests. Atomic, and as all that
 *	follows written by the owner.
 * @peer_qpn: The one it is connected to.
 * @position: Of struct rc_resp, what changes with each message. In a window that is not ready a message
 *	is in progress, or something else that only the owner can go on with. Atomic; written by who
 *	holds the lock.
 * @pd: Number of its protection domain.
 * @first_key: Where in the owner's exported keys its device's begin.
 * @pmtu_bytes: Path MTU.
 * @slid: Source of its peer's requests.
 * @dlid: Destination of them.
 * @pkey: P_Key.
 * @access: RC_RESP_*: what the queue pair allows. Atomic.
 * @key_shift: As &rvt_lkey_table.shift.
 */
struct tp_window {
	_Alignas(64) uint32_t lock;
	uint32_t qpn;
	uint32_t peer_qpn;
	uint32_t pd;
	uint64_t position;
	uint32_t first_key;
	uint16_t pmtu_bytes;
	uint16_t slid;
	uint16_t dlid;
	uint16_t pkey;
	uint8_t access;
	uint8_t key_shift;
};

/**
 * tp_window_try() - Take the lock of a window, if nobody has it.
 * @w: Window.
 * @self: Who we are: not 0.
 *
 * Before the lock is dropped the owner's keys are looked at, and what it withdraws it withdraws before
 * it looks at the lock: hence the order.
 */
static inline bool tp_window_try(struct tp_window *w, uint16_t self)
{
	uint32_t seen = __atomic_load_n(&w->lock, __ATOMIC_RELAXED);

	return !(seen & TP_WINDOW_HOLDER) &&
	       __atomic_compare_exchange_n(&w->lock, &seen, (seen + TP_WINDOW_TURN) | self, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/** tp_window_drop() - Let go of the lock. */
static inline void tp_window_drop(struct tp_window *w)
{
	const uint32_t mine = __atomic_load_n(&w->lock, __ATOMIC_RELAXED);

	__atomic_store_n(&w->lock, mine & ~TP_WINDOW_HOLDER, __ATOMIC_RELEASE);
}

/**
 * struct tp_peer_window - The window of a peer, and how its memory is reached.
 * @window: Window.
 * @keys: Its exported keys, read-only: rvt_peer_rkey_ok().
 * @key_count: How many.
 * @self: For tp_window_try().
 * @place: Copy @bytes of @local, from @skip on, to address @at of that process, or (@write is false)
 *	from there. The last eight bytes written are seen after all others. Returns 0 or a negative
 *	errno: something is not mapped, on either side, or there is no permission; part of it may be
 *	copied.
 * @ctx: The wire's.
 */
struct tp_peer_window {
	struct tp_window *window;
	const struct rvt_mr_entry *keys;
	uint32_t key_count;
	uint16_t self;
	int (*place)(const struct tp_peer_window *pw, bool write, const struct tp_payload *local,
		     uint32_t skip, uint64_t at, uint32_t bytes);
	const void *ctx;
};

/**
 * struct tp_window_ops - What the transport asks of a wire whose other ends are processes.
 * @open: Make a window for a queue pair of ours. @terms: What goes into it. Returns its handle, or 0 if
 *	there can be none. QP locks may be held.
 * @get: The window of a handle; NULL once the peer is gone. Valid in the RCU read section.
 * @close: No new use of a window, then wait until the peer is out of it, and forget it. @handle may
 *	be 0. May sleep, no locks.
 * @left: See &rvt_driver_provided.peers_left; true if a peer holds none of the port's windows. If not,
 *	@holder says who, and of which queue pair.
 * @find: The window of the queue pair that a request is for, if nothing is in its way there or back. RCU read section,
 *	in which @out is valid.
 * @placed: A request went by a window: count it, and its responses, at both ends.
 * @self: For tp_window_try().
 */
struct tp_window_ops {
	uint64_t (*open)(struct tp_port *port, const struct tp_window *terms);
	struct tp_window *(*get)(struct tp_port *port, uint64_t handle);
	void (*close)(struct tp_port *port, uint64_t handle);
	bool (*left)(struct tp_port *port, uint32_t pd, uint32_t qpn, uint64_t timeout_ns,
		     struct base_cause *holder);
	bool (*find)(struct tp_port *port, const struct tp_run *run, struct tp_peer_window *out);
	void (*placed)(struct tp_port *port, const struct tp_run *run);
	uint16_t (*self)(const struct tp_port *port);
};

#endif
