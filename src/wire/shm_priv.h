/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the files of this wire share: shm.c has ports and progress, the others are called after what they do. */
#ifndef WIRE_SHM_PRIV_H
#define WIRE_SHM_PRIV_H

#include <linux/compiler.h>
#include <linux/spinlock.h>
#include <linux/verbena_base.h>

#include "base/cause.h"
#include "packet/opcode.h"
#include "transport/tp_engine.h"
#include "wire/mad_run.h"
#include "wire/shm.h"
#include "wire/shm_run.h"

#define SHM_PORTS (DIRECTORY_HCAS * DIRECTORY_PORTS)
#define SHM_SENT 1024u
#define NS_PER_MS 1000000u

/* Who asks to be introduced to a process, and hears nothing for so long, sends no more. */
#define SHM_PATIENCE_NS 5000000000u
/* Who was introduced, and had no room for it, asks again after so long. */
#define SHM_MISSED_NS 100000000u

/* Below, copying twice is quicker than a system call; from here on what is larger than the caches likes. */
#define SHM_PULL_LEAST 8192u
#define SHM_PULL_MOST (128u << 10)

/*
 * A process whose threads have polled is woken if it leaves our records alone for so long; again after
 * twice that, for it may only have lost its processor; and so on up to the second.
 */
#define SHM_LATE_NS 50000u
#define SHM_LATEST_NS 10000000u
#define SHM_LOOKS_PER_CLOCK 32u

/* Who takes nothing for so long though there is something for it, is said to be stopped. */
#define SHM_STALL_NS 3000000000u
/* Whether it is so long is looked at so often. */
#define SHM_WATCH_NS 1000000000u

/**
 * struct shm_sent - A run in a ring whose sender has not been told yet that it left.
 * @port: Where it was sent.
 * @sender: Whose; NULL if it is gone.
 * @packets: How many.
 * @end: Where in the ring its record ends.
 * @record: The record if its payload is pulled, or NULL.
 */
struct shm_sent {
	struct tp_port *port;
	void *sender;
	uint32_t packets;
	uint64_t end;
	struct shm_run *record;
};

/**
 * struct shm_queue - Runs that were sent, oldest first. The peer's lock.
 * @head: Next entry to fill. Atomic, as is
 * @tail: the oldest one: they are read without the lock, too.
 * @releasing: Somebody tells the sender of the oldest one, without the lock.
 * @entry: A ring.
 */
struct shm_queue {
	uint32_t head;
	uint32_t tail;
	bool releasing;
	struct shm_sent entry[SHM_SENT];
};

/**
 * struct shm_own_window - What we know of a window of ours, out of the peer's reach.
 * @used: It is given out. Changes under the peer's lock or from true to false. Atomic.
 * @pd: Of its queue pair; constant while it is given out, as is
 * @qpn: its number.
 */
struct shm_own_window {
	bool used;
	uint32_t pd;
	uint32_t qpn;
};

/**
 * struct shm_watch - A process that may be stopped. Of who sleeps (wire_shm_sleep()).
 * @waits: There was something for it when we last looked.
 * @told: That it takes nothing was said.
 * @qpn: Of which queue pair of ours; 0: of none in particular.
 * @mark: shm_ring_mark() then.
 * @since_ns: Since when that is so.
 * @looked_ns: When we last looked.
 */
struct shm_watch {
	bool waits;
	bool told;
	uint32_t qpn;
	uint64_t mark;
	uint64_t since_ns;
	uint64_t looked_ns;
};

/**
 * struct shm_peer - A process that we talk to, perhaps ourselves.
 * @source: Its memory, for payload; first, so that it leads back here.
 * @is: What we were told.
 * @lock: Of @tx, @held, @copied, @refused. Leaf.
 * @tx: Our records.
 * @rx: Its records. Of who holds &wire_shm.progress.
 * @can_pull: We can read its memory, and write it, by a call that names the process. Atomic; never again
 *	once it was refused.
 * @pull_bytes: From here on it pulls our payload of RC; what is less is copied into the ring.
 * @out: Our side of the pair.
 * @own: Our windows, as &shm_pair.window.
 * @refused: A sender was turned away. Atomic.
 * @wants_room: Because there was no room. @lock.
 * @refill_bytes: So much may be on its way when there is room again. @lock.
 * @held_back: Because the peer wants no such datagrams. @lock.
 * @let_go: &shm_ring.let_go when that was. @lock.
 * @park: Its datagrams that wait for receives; NULL as long as none ever did. Of who holds
 *	&wire_shm.progress.
 * @closed: It is dead: nothing more goes in. Of @lock.
 * @looks: How often we asked ourselves whether it is late. This and what follows: of who holds
 *	&wire_shm.progress.
 * @seen_polls: Its polls, and
 * @seen_tail: How far it was, when we last looked.
 * @seen_ns: Since when they have not moved, or it was woken.
 * @late_ns: How long until it is woken.
 * @watch: Whether it is stopped.
 * @touched: Records were published since it was last considered to be woken. Atomic.
 * @held: Of RC: no ACK is overdue as long as the receiver has not taken the record and sent what
 *	it led to, and we have not taken that.
 * @copied: Of the others: their payload has been copied, so the next kick() releases them.
 */
struct shm_peer {
	struct tp_source source;
	struct wire_shm_peer is;
	spinlock_t lock;
	struct shm_producer tx;
	struct shm_consumer rx;
	bool can_pull;
	uint32_t pull_bytes;
	uint32_t out;
	bool refused;
	bool wants_room;
	uint32_t refill_bytes;
	bool held_back;
	uint32_t let_go;
	struct shm_park *park;
	bool closed;
	bool touched;
	uint32_t looks;
	uint32_t seen_polls;
	uint64_t seen_tail;
	uint64_t seen_ns;
	uint64_t late_ns;
	struct shm_watch watch;
	struct shm_queue held;
	struct shm_queue copied;
	struct shm_own_window own[SHM_WINDOWS];
};

/**
 * struct shm_port - A port of this process on the wire.
 * @shm: Its wire.
 * @tp: The transport's side.
 * @slot: Where it is in the fabric.
 * @traffic: What it has carried.
 * @unseen: @traffic if nobody asks.
 * @detached: Whatever it sends is lost. Atomic; set, and waited for, before anything is unmapped.
 */
struct shm_port {
	struct wire_shm *shm;
	struct tp_port *tp;
	uint32_t slot;
	struct base_report_port *traffic;
	struct base_report_port unseen;
	bool detached;
};

/**
 * struct shm_mads - MADs that the daemon does not read at the moment.
 * @again: Armed: who was turned away tries again when it fires.
 * @since_ns: Since when it does not; 0: it does. Atomic.
 */
struct shm_mads {
	struct base_timer again;
	uint64_t since_ns;
};

/**
 * struct wire_shm - The wire of a process.
 * @config: As given.
 * @meet: What packets meet if faults are set; NULL until they were for the first time. Atomic.
 * @users: Who made it, and each port until it is released. Atomic.
 * @progress: Of who takes what others have sent.
 * @lock: Of changes of @ports and @peers. Not a leaf: a peer's lock may be taken under it.
 * @ports: Ours, those that are not detached. Read under RCU, or by who holds @progress.
 * @peers: By id. Read under RCU.
 * @ids: Those that are there. Of who holds @progress.
 * @count: How many.
 * @asked: Ids that we asked to be introduced to, a bit each. Atomic.
 * @patience: Armed when something is asked.
 * @unanswered: It has run out, and nobody was introduced since. Atomic.
 * @missed: Somebody could not be met; @patience runs until he is asked for again. Atomic.
 * @mads: On their way to the daemon.
 * @pull_bytes: As &shm_peer, of all peers but ourselves.
 * @seen_polls: Ours, when wire_shm_sleep() looked last. Of who sleeps.
 * @settled: Nobody had polled then. Likewise.
 * @sleeps_long: Whoever polls has to wake it. Atomic.
 * @stats: Atomic.
 */
struct wire_shm {
	struct wire_shm_config config;
	struct shm_meet *meet;
	uint32_t users;
	spinlock_t progress;
	spinlock_t lock;
	struct shm_port *ports[SHM_PORTS];
	struct shm_peer *peers[DIRECTORY_PROCESSES];
	uint32_t ids[DIRECTORY_PROCESSES];
	uint32_t count;
	uint64_t asked[DIRECTORY_PROCESSES / 64];
	struct base_timer patience;
	bool unanswered;
	bool missed;
	struct shm_mads mads;
	uint32_t pull_bytes;
	uint32_t seen_polls;
	bool settled;
	bool sleeps_long;
	struct wire_shm_stats stats;
};

/**
 * shm_meets_faults() - Whether packets of this process meet faults.
 * @shm: Its wire.
 *
 * Then each goes through a ring, so that it can. Whatever takes a shorter way asks here first, at
 * both ends.
 */
static inline bool shm_meets_faults(const struct wire_shm *shm)
{
	return unlikely(__atomic_load_n(&shm->meet, __ATOMIC_ACQUIRE)) &&
	       fabric_faults_active(shm->config.faults);
}

/**
 * shm_meet_sending() - As shm_put(), packet by packet, each with its fate.
 * @peer: To whom.
 * @p: Where it was sent.
 * @run: Run.
 * @sender: Whose; NULL if nobody is to be told.
 */
int shm_meet_sending(struct shm_peer *peer, struct shm_port *p, const struct tp_run *run,
		     void *sender);

/** shm_meet_receiving() - A run for a port of ours, likewise. Context: &wire_shm.progress held. */
void shm_meet_receiving(struct wire_shm *shm, const struct shm_peer *peer, uint32_t slot,
			const struct tp_run *run);

/** shm_meet_free() - Drop what is late. @m: May be NULL. */
void shm_meet_free(struct shm_meet *m);

/** shm_all_ready() - Senders that were turned away, by whatever port, may try again. Context: No locks. */
void shm_all_ready(struct wire_shm *shm);

/** shm_is_mad() - Whether a run goes by the daemon. */
static inline bool shm_is_mad(const struct wire_shm *shm, const struct tp_run *run)
{
	return unlikely(run->dest_qpn <= PKT_QPN_GSI) && shm->config.send_mad &&
	       wire_run_is_datagram(run);
}

/** shm_send_mad() - &tp_port_ops.send of such a run. Context: RCU. */
int shm_send_mad(struct shm_port *port, const struct tp_run *run, void *sender);

/** shm_bad_key() - &tp_port_ops.bad_key. */
void shm_bad_key(struct tp_port *port, const struct tp_run *run, bool qkey);

/** shm_mads_init() - None is on its way. */
void shm_mads_init(struct wire_shm *shm);

/** shm_mads_stop() - Nobody sends any more. Context: May sleep. */
void shm_mads_stop(struct wire_shm *shm);

/** shm_kick() - &tp_port_ops.kick for the whole wire. */
void shm_kick(struct wire_shm *shm);

/** shm_port_at() - Our port in a slot, or NULL. Context: &wire_shm.progress held. */
struct shm_port *shm_port_at(struct wire_shm *shm, uint32_t slot);

/** shm_arrive() - Packets for a port: counted, and received. Context: As shm_port_at(). */
void shm_arrive(struct shm_port *port, const struct tp_run *run);

static inline void shm_count(uint64_t *counter, uint64_t more)
{
	__atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
}

/**
 * shm_put() - Put a run, or a prefix of it, into the ring to a peer.
 * @peer: To whom.
 * @port: Where it was sent.
 * @run: Run.
 * @sender: Whose; NULL if nobody is to be told.
 *
 * Return: Packets taken; -EAGAIN if there is no room (shm_ready() says when there is), -EFAULT if
 *	its payload is not mapped, -ENETDOWN after shm_close().
 */
int shm_put(struct shm_peer *peer, struct tp_port *port, const struct tp_run *run, void *sender);

/**
 * shm_await_room() - Whether a packet and its doubles fit into the ring to a peer, of a run that meets faults.
 * @peer: To whom.
 *
 * Return: 0; -EAGAIN if not (shm_ready() says when); -ENETDOWN after shm_close().
 */
int shm_await_room(struct shm_peer *peer);

/** shm_account() - Packets of a run are with us, whatever has become of them: tell @sender in its turn. */
void shm_account(struct shm_peer *peer, struct tp_port *port, const struct tp_run *run,
		 void *sender, uint32_t packets);

/** shm_close() - Nothing is put into the ring of a peer from now on. */
void shm_close(struct shm_peer *peer);

/** shm_release_copied() - Tell senders whose payload was copied. Context: No locks. */
void shm_release_copied(struct shm_peer *peer);

/**
 * shm_release_held() - Tell senders of RC whose runs have been answered, in order.
 * @peer: Where they went.
 * @answered: Up to where; a value of shm_ring_answered().
 *
 * Context: No locks.
 */
void shm_release_held(struct shm_peer *peer, uint64_t answered);

/** shm_is_owed() - Whether a sender of RC has not been told yet, more or less: no lock is taken. */
bool shm_is_owed(const struct shm_peer *peer);

/** shm_holds_any() - Whether a sender has not been told yet. */
bool shm_holds_any(struct shm_peer *peer);

/** shm_answered() - How far a peer has answered; what it had to say is in its ring by then. */
uint64_t shm_answered(struct shm_peer *peer);

/** shm_ready() - Whether senders that were turned away may try again; if so it is not said twice. */
bool shm_ready(struct shm_peer *peer);

/** shm_quiesce_peer() - Whether no run of @sender is on its way to a peer any more; helps that on. */
bool shm_quiesce_peer(struct shm_peer *peer, const void *sender);

/** shm_wake_late() - Wake a peer that has left our records alone for a while; looks now and then. */
void shm_wake_late(struct wire_shm *shm, struct shm_peer *peer);

/**
 * shm_watch() - See whether processes that we wait for are stopped, and say so.
 * @shm: Our wire.
 *
 * Context: Who sleeps; no locks.
 * Return: When to look again; UINT64_MAX if there is no other process.
 */
uint64_t shm_watch(struct wire_shm *shm);

/** shm_name_peer() - Values 0 to BASE_CAUSE_TEXT_ARGS of a cause: pid and host of a process, by its @id. */
void shm_name_peer(const struct directory *dir, uint32_t id, struct base_cause *cause);

/** shm_wake() - Wake a process if it sleeps, unless one of its threads is polling. */
void shm_wake(struct shm_peer *peer);

/** shm_waits_for_room() - Whether a sender to a peer has been turned away. */
bool shm_waits_for_room(const struct shm_peer *peer);

/** shm_drain() - Deliver records of a peer, at most @budget. Context: &wire_shm.progress held. */
unsigned int shm_drain(struct wire_shm *shm, struct shm_peer *peer, unsigned int budget);

/** shm_deliver() - Hand a run that has been read to its port. Context: &wire_shm.progress held. */
void shm_deliver(struct wire_shm *shm, const struct shm_peer *peer, const struct tp_run *run);

/** shm_port_of() - The port of ours that a run is for, or NULL; of groups NULL, too. Context: Likewise. */
struct tp_port *shm_port_of(struct wire_shm *shm, const struct tp_run *run);

/** shm_tell_held() - Wake a peer if it waits for us to want its datagrams again. */
void shm_tell_held(struct shm_peer *peer);

/**
 * shm_park() - Whether a datagram has to wait for a receive; then it is put aside.
 * @shm: Our wire.
 * @peer: Who has sent it.
 * @run: It, with shm_run_may_wait().
 * @record: What it was read from.
 * @bytes: Of @record.
 *
 * Context: &wire_shm.progress held.
 */
bool shm_park(struct wire_shm *shm, struct shm_peer *peer, const struct tp_run *run,
	      const void *record, size_t bytes);

/** shm_unpark() - Deliver what need not wait any more. Context: Likewise. @peer: Has a park. */
unsigned int shm_unpark(struct shm_peer *peer);

/** shm_park_free() - Drop what waits. @park: May be NULL. */
void shm_park_free(struct shm_park *park);

/** shm_run_may_wait() - Whether a run is a datagram for one queue pair. */
static inline bool shm_run_may_wait(const struct tp_run *run)
{
	return pkt_op(run->first_opcode)->service == PKT_SERVICE_UD &&
	       run->path.dlid < FABRIC_UNICAST_LIDS;
}

/** shm_may_pull() - &shm_peer.can_pull. */
static inline bool shm_may_pull(const struct shm_peer *peer)
{
	return __atomic_load_n(&peer->can_pull, __ATOMIC_RELAXED);
}

/**
 * shm_is_refused() - Whether a call that names a process was refused, and not only failed.
 * @peer: Whom it named. It is told not to leave payload where it is, if so.
 * @error: errno.
 */
bool shm_is_refused(struct shm_peer *peer, int error);

/**
 * struct shm_cost - What moving payload takes, in ns.
 * @bytes: How much of it.
 * @copy: By memcpy(), within the caches.
 * @call: By process_vm_readv(2).
 * @first: Likewise, one word.
 */
struct shm_cost {
	uint64_t bytes;
	uint64_t copy;
	uint64_t call;
	uint64_t first;
};

/**
 * shm_pull_from() - From how many bytes on pulling is cheaper than two copies.
 * @cost: As measured; @call of 0: it was not.
 *
 * Return: From SHM_PULL_LEAST to SHM_PULL_MOST.
 */
uint32_t shm_pull_from(const struct shm_cost *cost);

/** shm_measure() - shm_pull_from() of this machine. Takes some 50 us. @scratch: Of no other use. */
uint32_t shm_measure(const struct wire_shm_config *config, struct shm_ring *scratch);

/** shm_pull() - &tp_source.copy of a peer's memory. */
int shm_pull(const struct tp_source *source, const struct iovec *to, unsigned int to_count,
	     const struct iovec *from, unsigned int from_count, size_t from_offset, size_t bytes);

/** shm_cut() - What of @from lies behind @offset, at most @bytes of it. Returns the segments in @to. */
unsigned int shm_cut(const struct iovec *from, unsigned int count, size_t offset, size_t bytes,
		     struct iovec *to);

/** shm_window_ops - Windows of this wire. */
extern const struct tp_window_ops shm_window_ops;

#endif
