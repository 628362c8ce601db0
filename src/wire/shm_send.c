// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The sending side of a peer: runs into the ring, and telling senders when they have left. */
#include <errno.h>
#include <linux/compiler.h>

#include "base/check.h"
#include "packet/opcode.h"
#include "wire/shm_priv.h"

/* Payload in a record, so that a few of them fit. */
#define MOST_BYTES (SHM_RECORD_MAX - 1024u)

/* Large payload on its way, at most: then it is in the caches still when the receiver takes it. */
#define BULK_BYTES (SHM_RING_WARM / 2)

/* What a packet that meets faults may need: itself, its double, and an entry for its sender. */
#define FAULTY_RECORDS 3u
#define FAULTY_BYTES (SHM_RING_BYTES / 16)

static bool is_rc(const struct tp_run *run)
{
	return pkt_op(run->first_opcode)->service == PKT_SERVICE_RC;
}

static bool is_pulled(const struct shm_peer *peer, const struct tp_run *run, const void *sender)
{
	return sender && run->payload.bytes >= peer->pull_bytes &&
	       run->payload.count <= SHM_RUN_SEGMENTS && is_rc(run) &&
	       __atomic_load_n(&peer->tx.ring->can_pull, __ATOMIC_RELAXED);
}

/* Datagrams for a queue pair that has no receive for them wait here, if they are for it alone. */
static bool is_held(const struct shm_peer *peer, const struct tp_run *run)
{
	return shm_ring_is_held(&peer->tx, run->dest_qpn % SHM_RING_CLASSES) &&
	       shm_run_may_wait(run);
}

static bool is_bulk(const struct tp_run *run)
{
	return run->payload.bytes >= SHM_PULL_LEAST;
}

/* What may be on its way still when who was turned away tries again. */
static uint32_t refill_bytes(const struct tp_run *run)
{
	return is_bulk(run) ? BULK_BYTES / 2 : SHM_RING_BYTES / 2;
}

static bool is_full(const struct shm_queue *queue)
{
	return queue->head - queue->tail == SHM_SENT;
}

static void remember_locked(struct shm_peer *peer, struct shm_queue *queue,
			    const struct shm_sent *sent) REQUIRES(peer->lock)
{
	if (queue == &peer->held && queue->head == queue->tail)
		__atomic_store_n(&peer->awaited, sent->answer, __ATOMIC_RELAXED);
	queue->entry[queue->head % SHM_SENT] = *sent;
	__atomic_store_n(&queue->head, queue->head + 1, __ATOMIC_RELAXED);
}

void shm_remember_held(struct shm_peer *peer, const struct shm_sent *sent)
{
	remember_locked(peer, &peer->held, sent);
}

/* Without the lock: what is put there this moment is found by the next look. */
static bool looks_empty(const struct shm_queue *queue)
{
	return __atomic_load_n(&queue->head, __ATOMIC_RELAXED) ==
	       __atomic_load_n(&queue->tail, __ATOMIC_RELAXED);
}

static int put_locked(struct shm_peer *peer, struct tp_port *port, const struct tp_run *run,
		      void *sender) REQUIRES(peer->lock)
{
	struct shm_queue *queue = is_rc(run) ? &peer->held : &peer->copied;
	const bool pull = is_pulled(peer, run, sender);
	struct tp_run prefix;
	uint64_t start;
	void *record;

	if (unlikely(peer->closed))
		return -ENETDOWN;
	if (is_full(queue) || (queue == &peer->copied && unlikely(is_held(peer, run))))
		return -EAGAIN;
	if (!pull && is_bulk(run) && shm_ring_in_flight(&peer->tx) > BULK_BYTES)
		return -EAGAIN;
	if (!pull && run->payload.bytes > MOST_BYTES) {
		tp_run_prefix(run, MOST_BYTES / run->pmtu_bytes, &prefix);
		run = &prefix;
	}
	record = shm_ring_reserve(&peer->tx, shm_run_bytes(run, pull));
	if (!record || !shm_keeps_answers(peer))
		return -EAGAIN;
	start = shm_ring_start(&peer->tx);
	if (shm_run_write(run, pull, record))
		return -EFAULT;
	shm_ring_publish(&peer->tx, SHM_KIND_RUN);
	remember_locked(peer, queue,
			&(struct shm_sent){.port = port,
					   .sender = sender,
					   .packets = run->packets,
					   .start = start,
					   .end = peer->tx.head,
					   .record = pull ? record : NULL});
	__atomic_store_n(&peer->touched, true, __ATOMIC_RELAXED);
	return (int)run->packets;
}

/* That we wait for room; who has announced it looks once more, for the consumer looks after making room. */
static void announce_locked(struct shm_peer *peer) REQUIRES(peer->lock)
{
	__atomic_store_n(&peer->refused, true, __ATOMIC_RELAXED);
	__atomic_store_n(&peer->tx.ring->producer_waits, 1, __ATOMIC_SEQ_CST);
	smp_mb();
}

/* The same, of datagrams that nobody wants now. The first to wait says since when. */
static void announce_held_locked(struct shm_peer *peer) REQUIRES(peer->lock)
{
	if (!peer->held_back)
		peer->let_go = __atomic_load_n(&peer->tx.ring->let_go, __ATOMIC_ACQUIRE);
	peer->held_back = true;
	__atomic_store_n(&peer->refused, true, __ATOMIC_RELAXED);
	__atomic_store_n(&peer->tx.ring->producer_held, 1, __ATOMIC_SEQ_CST);
	smp_mb();
}

static int put_or_wait_locked(struct shm_peer *peer, struct tp_port *port, const struct tp_run *run,
			      void *sender) REQUIRES(peer->lock)
{
	int ret = put_locked(peer, port, run, sender);

	if (likely(ret != -EAGAIN))
		return ret;
	if (is_held(peer, run)) {
		announce_held_locked(peer);
	} else {
		announce_locked(peer);
		peer->wants_room = true;
		peer->refill_bytes = refill_bytes(run);
	}
	return put_locked(peer, port, run, sender);
}

int shm_put(struct shm_peer *peer, struct tp_port *port, const struct tp_run *run, void *sender)
{
	int ret;

	spin_lock(&peer->lock);
	ret = put_or_wait_locked(peer, port, run, sender);
	spin_unlock(&peer->lock);
	return ret;
}

static bool has_room_locked(struct shm_peer *peer) REQUIRES(peer->lock)
{
	return peer->held.head - peer->held.tail + FAULTY_RECORDS <= SHM_SENT &&
	       peer->copied.head - peer->copied.tail + FAULTY_RECORDS <= SHM_SENT &&
	       peer->tx.head - shm_ring_consumed(&peer->tx) <= SHM_RING_BYTES - FAULTY_BYTES;
}

int shm_await_room(struct shm_peer *peer)
{
	int ret = 0;

	spin_lock(&peer->lock);
	if (unlikely(peer->closed)) {
		ret = -ENETDOWN;
	} else if (!has_room_locked(peer)) {
		announce_locked(peer);
		peer->wants_room = true;
		peer->refill_bytes = SHM_RING_BYTES / 2;
		ret = has_room_locked(peer) ? 0 : -EAGAIN;
	}
	spin_unlock(&peer->lock);
	return ret;
}

void shm_account(struct shm_peer *peer, struct tp_port *port, const struct tp_run *run,
		 void *sender, uint32_t packets)
{
	spin_lock(&peer->lock);
	remember_locked(peer, is_rc(run) ? &peer->held : &peer->copied,
			&(struct shm_sent){.port = port,
					   .sender = sender,
					   .packets = packets,
					   .start = peer->tx.head,
					   .end = peer->tx.head});
	__atomic_store_n(&peer->touched, true, __ATOMIC_RELAXED);
	spin_unlock(&peer->lock);
}

void shm_close(struct shm_peer *peer)
{
	spin_lock(&peer->lock);
	peer->closed = true;
	spin_unlock(&peer->lock);
}

/* Whether the receiver, who is at @position of the ring, is past a record; copied payload needs nobody. */
static bool has_left(const struct shm_peer *peer, const struct shm_queue *queue,
		     const struct shm_sent *sent, uint64_t position)
{
	return queue == &peer->copied || position >= sent->end;
}

/**
 * struct news - What a sender is told in one go.
 * @port: As in struct shm_sent.
 * @sender: Likewise.
 * @entries: Of how many of the oldest entries.
 * @packets: In all.
 * @in_order: See shm_release_held().
 * @acked: One of them was acknowledged in its record;
 * @psn: the last one,
 * @aeth: thus.
 */
struct news {
	struct tp_port *port;
	void *sender;
	uint32_t entries;
	uint32_t packets;
	bool in_order;
	bool acked;
	psn_t psn;
	struct pkt_aeth aeth;
};

/*
 * An ACK is for all before it; but what is behind the last of them may have been answered by a packet. One
 * that was given since @answered was read is out of order.
 */
static bool gather_locked(struct shm_peer *peer, struct shm_queue *queue, uint64_t answered,
			  bool in_order, struct news *news) REQUIRES(peer->lock)
{
	const struct shm_sent *first = &queue->entry[queue->tail % SHM_SENT];
	uint32_t packets = 0;

	*news = (struct news){.port = first->port, .sender = first->sender, .in_order = in_order};
	for (uint32_t i = queue->tail; i != queue->head; i++) {
		const struct shm_sent *sent = &queue->entry[i % SHM_SENT];
		const bool left = has_left(peer, queue, sent, answered);
		bool acked;

		if (sent->sender != first->sender || sent->port != first->port)
			break;
		acked = sent->answer && shm_small_is_acked(sent->answer, &news->aeth);
		if (!left && !acked)
			break;
		packets += sent->packets;
		if (acked) {
			news->acked = true;
			news->psn = sent->psn;
			news->in_order = news->in_order && left;
		} else if (!in_order) {
			continue;
		}
		news->entries = i + 1 - queue->tail;
		news->packets = packets;
	}
	return news->entries;
}

static bool tell(const struct news *news)
{
	const struct tp_small ack = {.opcode = PKT_RC_ACKNOWLEDGE};
	const struct shm_port *port;

	if (!news->sender)
		return true;
	if (news->acked) {
		if (!tp_acked(news->port, news->sender, news->psn, &news->aeth, news->in_order))
			return false;
		port = news->port->wire;
		base_traffic_received(port->traffic, 1, shm_small_wire_bytes(&ack), false);
	}
	tp_sent(news->port, news->sender, news->packets);
	return true;
}

static void forget_locked(struct shm_peer *peer, struct shm_queue *queue, uint32_t entries)
	REQUIRES(peer->lock)
{
	const uint32_t tail = queue->tail + entries;

	__atomic_store_n(&queue->tail, tail, __ATOMIC_RELAXED);
	if (queue == &peer->held)
		__atomic_store_n(&peer->awaited,
				 tail == queue->head ? NULL : queue->entry[tail % SHM_SENT].answer,
				 __ATOMIC_RELAXED);
}

/* The oldest entries stay where they are until their sender has been told, so that quiesce sees them. */
static void release_queue(struct shm_peer *peer, struct shm_queue *queue, uint64_t answered,
			  bool in_order)
{
	bool told = true;
	struct news news;

	spin_lock(&peer->lock);
	while (told && !queue->releasing && queue->tail != queue->head &&
	       gather_locked(peer, queue, answered, in_order, &news)) {
		queue->releasing = news.entries;
		spin_unlock(&peer->lock);
		told = tell(&news);
		spin_lock(&peer->lock);
		queue->releasing = 0;
		if (told)
			forget_locked(peer, queue, news.entries);
	}
	spin_unlock(&peer->lock);
}

void shm_release_copied(struct shm_peer *peer)
{
	if (!looks_empty(&peer->copied))
		release_queue(peer, &peer->copied, 0, true);
}

void shm_release_held(struct shm_peer *peer, uint64_t answered, bool in_order)
{
	release_queue(peer, &peer->held, answered, in_order);
}

bool shm_has_ack(const struct shm_peer *peer)
{
	const void *record = __atomic_load_n(&peer->awaited, __ATOMIC_RELAXED);
	struct pkt_aeth aeth;

	return record && shm_small_is_acked(record, &aeth);
}

bool shm_has_answers(const struct shm_peer *peer)
{
	return !looks_empty(&peer->held) && shm_ring_is_newly_answered(&peer->tx);
}

bool shm_keeps_answers(struct shm_peer *peer)
{
	const struct shm_queue *queue = &peer->held;
	const struct shm_sent *oldest;

	if (queue->head - peer->unread > queue->head - queue->tail)
		peer->unread = queue->tail;
	while (peer->unread != queue->head && !queue->entry[peer->unread % SHM_SENT].answer)
		peer->unread++;
	oldest = &queue->entry[peer->unread % SHM_SENT];
	return peer->unread == queue->head ||
	       shm_ring_end(&peer->tx) - oldest->start <= SHM_RING_BYTES;
}

bool shm_is_owed(const struct shm_peer *peer)
{
	return !looks_empty(&peer->held);
}

bool shm_holds_any(struct shm_peer *peer)
{
	bool any;

	spin_lock(&peer->lock);
	any = peer->held.head != peer->held.tail || peer->copied.head != peer->copied.tail;
	spin_unlock(&peer->lock);
	return any;
}

uint64_t shm_answered(struct shm_peer *peer)
{
	uint64_t answered;

	spin_lock(&peer->lock);
	answered = shm_ring_answered(&peer->tx);
	spin_unlock(&peer->lock);
	return answered;
}

static bool is_ready_locked(struct shm_peer *peer) REQUIRES(peer->lock)
{
	if (peer->held_back &&
	    peer->let_go != __atomic_load_n(&peer->tx.ring->let_go, __ATOMIC_ACQUIRE))
		return true;
	return peer->wants_room && !is_full(&peer->held) && !is_full(&peer->copied) &&
	       shm_ring_in_flight(&peer->tx) <= peer->refill_bytes;
}

bool shm_ready(struct shm_peer *peer)
{
	bool ready;

	if (!__atomic_load_n(&peer->refused, __ATOMIC_RELAXED))
		return false;
	spin_lock(&peer->lock);
	ready = is_ready_locked(peer);
	if (ready) {
		peer->refused = peer->wants_room = peer->held_back = false;
		__atomic_store_n(&peer->tx.ring->producer_waits, 0, __ATOMIC_RELAXED);
	}
	spin_unlock(&peer->lock);
	return ready;
}

/* What was copied may go on without its sender; what is pulled must not, unless it is cancelled. */
static bool cancel(const struct shm_sent *sent)
{
	uint32_t ready = SHM_RUN_READY;

	return !sent->record ||
	       __atomic_compare_exchange_n(&sent->record->state, &ready, SHM_RUN_CANCELLED, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static bool forget_all(struct shm_peer *peer, struct shm_queue *queue, const void *sender)
{
	const uint64_t consumed = shm_ring_consumed(&peer->tx);
	bool none = true;

	for (uint32_t i = queue->tail; i != queue->head; i++) {
		struct shm_sent *sent = &queue->entry[i % SHM_SENT];

		if (sent->sender != sender)
			continue;
		if (i - queue->tail < queue->releasing ||
		    (!has_left(peer, queue, sent, consumed) && !cancel(sent)))
			none = false;
		else
			sent->sender = NULL;
	}
	return none;
}

bool shm_quiesce_peer(struct shm_peer *peer, const void *sender)
{
	bool none;

	spin_lock(&peer->lock);
	none = forget_all(peer, &peer->copied, sender);
	if (!forget_all(peer, &peer->held, sender))
		none = false;
	spin_unlock(&peer->lock);
	return none;
}
