/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A ring of records between two processes: one produces, one consumes.
 *
 * A record's length is what publishes it: it is stored last, and a length of 0 lies behind the newest
 * record. So the consumer waits on the very line that it reads next.
 *
 * The memory is both's, so each side believes only its own index, kept in memory of its own. Of the
 * other's it believes what lies within the ring; the consumer takes a record's length once. Records
 * do not wrap: what is left at the end is skipped by an empty one. While the consumer keeps up, all but
 * the ring's first part is skipped, so that it stays in the caches.
 */
#ifndef WIRE_SHM_RING_H
#define WIRE_SHM_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHM_RING_ALIGN 64u
#define SHM_RING_BYTES (1u << 20) /* of records */
#define SHM_RING_CLASSES 256u
#define SHM_RECORD_MAX (SHM_RING_BYTES / 4) /* with its header */
#define SHM_RING_WARM (SHM_RING_BYTES / 2)  /* used again and again while the consumer keeps up */

/**
 * struct shm_ring - What is in shared memory.
 * @tail: Bytes consumed since the beginning. The consumer's, atomic.
 * @answered: As @tail, and whatever those records led to has been sent, too. Likewise.
 * @producer_waits: Wake the producer when there is room. Atomic.
 * @producer_held: Wake the producer when something held is wanted again. Atomic.
 * @can_pull: The consumer can read the producer's memory. The consumer's, atomic.
 * @held: What the consumer does not want for the moment, a bit for each class of records that its
 *	users agree about. The consumer's, atomic; seldom written, so it has a line of its own.
 * @let_go: How often a bit was taken away. Likewise.
 * @data: Records.
 */
struct shm_ring {
	_Alignas(SHM_RING_ALIGN) uint64_t tail;
	uint64_t answered;
	uint32_t producer_waits;
	uint32_t producer_held;
	uint32_t can_pull;
	_Alignas(SHM_RING_ALIGN) uint64_t held[SHM_RING_CLASSES / 64];
	uint32_t let_go;
	_Alignas(SHM_RING_ALIGN) uint8_t data[SHM_RING_BYTES];
};

/**
 * struct shm_record - Begins a record.
 * @bytes: With this header; a multiple of SHM_RING_ALIGN. 0: it is not published. Atomic.
 * @kind: The user's; 0 is the ring's own.
 */
struct shm_record {
	uint32_t bytes;
	uint32_t kind;
};

/**
 * struct shm_producer - The producer's side.
 * @ring: Shared.
 * @head: Published. Atomic, for shm_ring_is_consumed() and shm_ring_is_answered().
 * @record: What shm_ring_reserve() gave out.
 * @want: Its length.
 * @skip: Bytes at the end of the ring to be skipped before it.
 * @tail: As last seen.
 * @answered: Likewise.
 * @skip_bytes: Bytes that were skipped last, and
 * @skip_end: where they end.
 */
struct shm_producer {
	struct shm_ring *ring;
	uint64_t head;
	struct shm_record *record;
	uint32_t want;
	uint32_t skip;
	uint64_t tail;
	uint64_t answered;
	uint32_t skip_bytes;
	uint64_t skip_end;
};

/**
 * struct shm_consumer - The consumer's side.
 * @ring: Shared.
 * @tail: Where the next record is. Atomic, for shm_ring_is_empty().
 * @freed: As published.
 * @answered: Likewise.
 * @peeked: Length of the record that shm_ring_peek() returned.
 * @broken: The producer has written nonsense; nothing more is taken. Atomic.
 */
struct shm_consumer {
	struct shm_ring *ring;
	uint64_t tail;
	uint64_t freed;
	uint64_t answered;
	uint32_t peeked;
	bool broken;
};

/**
 * shm_ring_reserve() - Room for a record.
 * @p: The producer's side.
 * @bytes: Of the record without its header; at most SHM_RECORD_MAX with it.
 *
 * Return: Where they go, until shm_ring_publish(); NULL if the ring is full.
 */
void *shm_ring_reserve(struct shm_producer *p, size_t bytes);

/** shm_ring_publish() - The record is complete: the consumer sees it. @kind: Not 0. */
void shm_ring_publish(struct shm_producer *p, uint32_t kind);

/** shm_ring_hold() - Want no records of a class for the moment. @class: Below SHM_RING_CLASSES. */
void shm_ring_hold(struct shm_consumer *c, uint32_t class);

/** shm_ring_let_go() - Want them again. @class: As there. */
void shm_ring_let_go(struct shm_consumer *c, uint32_t class);

/** shm_ring_is_held() - Whether the consumer wants no records of a class. */
static inline bool shm_ring_is_held(const struct shm_producer *p, uint32_t class)
{
	return __atomic_load_n(&p->ring->held[class / 64], __ATOMIC_ACQUIRE) >> class % 64 & 1;
}

/** shm_ring_consumed() - How far the consumer is, as a value of &shm_producer.head. */
uint64_t shm_ring_consumed(struct shm_producer *p);

/** shm_ring_in_flight() - Bytes of records that the consumer has not taken yet. */
uint64_t shm_ring_in_flight(struct shm_producer *p);

/** shm_ring_is_consumed() - Whether the consumer says that it has taken all. Context: Any thread. */
bool shm_ring_is_consumed(const struct shm_producer *p);

/** shm_ring_is_answered() - Whether the consumer says that it has answered all. Context: Any thread. */
bool shm_ring_is_answered(const struct shm_producer *p);

/** shm_ring_is_newly_answered() - Whether shm_ring_answered() would say more than before. Context: Likewise. */
bool shm_ring_is_newly_answered(const struct shm_producer *p);

/** shm_ring_start() - Where the record begins that shm_ring_reserve() gave out, as a value of @head. */
static inline uint64_t shm_ring_start(const struct shm_producer *p)
{
	return p->head + p->skip;
}

/** shm_ring_end() - Where it ends, with what its publication changes behind it. */
static inline uint64_t shm_ring_end(const struct shm_producer *p)
{
	return shm_ring_start(p) + p->want + SHM_RING_ALIGN;
}

/** shm_ring_mark() - Changes with whatever the consumer writes down of its progress. Context: Likewise. */
uint64_t shm_ring_mark(const struct shm_producer *p);

/** shm_ring_answered() - As shm_ring_consumed(), of &shm_ring.answered. */
uint64_t shm_ring_answered(struct shm_producer *p);

/**
 * shm_ring_peek() - The oldest record.
 * @c: The consumer's side.
 * @kind: Out.
 * @bytes: Out: room of the record, at least what was reserved.
 *
 * Return: Its content, which the producer may still change at any time; NULL if there is none.
 */
void *shm_ring_peek(struct shm_consumer *c, uint32_t *kind, size_t *bytes);

/** shm_ring_has_next() - Whether there is a record behind the one that shm_ring_peek() returned. */
bool shm_ring_has_next(const struct shm_consumer *c);

/** shm_ring_consume() - Done with what shm_ring_peek() returned. Its room is free later. */
void shm_ring_consume(struct shm_consumer *c);

/** shm_ring_free() - The room of all that was consumed is the producer's again. */
void shm_ring_free(struct shm_consumer *c);

/** shm_ring_answer() - What the records consumed so far led to has been sent. */
void shm_ring_answer(struct shm_consumer *c);

/** shm_ring_is_empty() - Whether there is no record. Context: Any thread. */
bool shm_ring_is_empty(const struct shm_consumer *c);

#endif
