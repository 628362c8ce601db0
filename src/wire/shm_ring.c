// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Records between two processes. */
#include "wire/shm_ring.h"

#include <linux/compiler.h>

#include "base/check.h"

#define HEADER sizeof(struct shm_record)
#define KIND_SKIP 0u
#define SKIP_MAX (SHM_RING_BYTES - SHM_RING_WARM)

/* So much is consumed at most before the producer is told: it waits on that line while we work. */
#define FREE_BYTES (SHM_RING_BYTES / 16)

static size_t whole(size_t bytes)
{
	return (bytes + HEADER + SHM_RING_ALIGN - 1) & ~(size_t)(SHM_RING_ALIGN - 1);
}

static struct shm_record *at(struct shm_ring *ring, uint64_t index)
{
	return (struct shm_record *)(void *)&ring->data[index % SHM_RING_BYTES];
}

/* The other side's index as far as it can be: forward, and not beyond what there is. */
static uint64_t follow(const struct shm_producer *p, const uint64_t *index, uint64_t *seen)
{
	const uint64_t now = __atomic_load_n(index, __ATOMIC_ACQUIRE);

	if (now - *seen <= p->head - *seen)
		__atomic_store_n(seen, now, __ATOMIC_RELAXED);
	return *seen;
}

uint64_t shm_ring_consumed(struct shm_producer *p)
{
	return follow(p, &p->ring->tail, &p->tail);
}

uint64_t shm_ring_answered(struct shm_producer *p)
{
	return follow(p, &p->ring->answered, &p->answered);
}

static bool has_room(struct shm_producer *p, uint64_t end)
{
	return end - p->tail <= SHM_RING_BYTES || end - shm_ring_consumed(p) <= SHM_RING_BYTES;
}

uint64_t shm_ring_in_flight(struct shm_producer *p)
{
	const uint64_t tail = shm_ring_consumed(p), bytes = p->head - tail;

	return bytes > p->head - p->skip_end ? bytes - p->skip_bytes : bytes;
}

/* From the beginning again: where the end has no room, or early, if the consumer will hardly be in the way. */
static size_t skip_before(struct shm_producer *p, size_t want)
{
	const size_t position = (size_t)(p->head % SHM_RING_BYTES);
	const size_t to_end = SHM_RING_BYTES - position;

	if (want > to_end)
		return to_end;
	if (position < SHM_RING_WARM || shm_ring_in_flight(p) > SHM_RING_WARM / 2 ||
	    !has_room(p, p->head + to_end + want + SHM_RING_ALIGN))
		return 0;
	return to_end;
}

void *shm_ring_reserve(struct shm_producer *p, size_t bytes)
{
	const size_t want = whole(bytes);
	const size_t skip = skip_before(p, want);

	INVARIANT(want <= SHM_RECORD_MAX);
	if (!has_room(p, p->head + skip + want + SHM_RING_ALIGN))
		return NULL;
	p->record = at(p->ring, p->head + skip);
	p->want = (uint32_t)want;
	p->skip = (uint32_t)skip;
	return p->record + 1;
}

static void publish(struct shm_record *record, uint32_t bytes, uint32_t kind)
{
	__atomic_store_n(&record->kind, kind, __ATOMIC_RELAXED);
	__atomic_store_n(&record->bytes, bytes, __ATOMIC_RELEASE);
}

/* First the end, then the record, and last what the consumer looks at. */
void shm_ring_publish(struct shm_producer *p, uint32_t kind)
{
	const uint64_t end = p->head + p->skip + p->want;

	__atomic_store_n(&at(p->ring, end)->bytes, 0, __ATOMIC_RELAXED);
	publish(p->record, p->want, kind);
	if (unlikely(p->skip)) {
		publish(at(p->ring, p->head), p->skip, KIND_SKIP);
		p->skip_bytes = p->skip;
		p->skip_end = p->head + p->skip;
	}
	__atomic_store_n(&p->head, end, __ATOMIC_RELAXED);
	/* What the next record changes behind it: the other processor has that line. */
	__builtin_prefetch(at(p->ring, end + SHM_RING_ALIGN), 1);
}

bool shm_ring_is_consumed(const struct shm_producer *p)
{
	return __atomic_load_n(&p->head, __ATOMIC_RELAXED) ==
	       __atomic_load_n(&p->ring->tail, __ATOMIC_RELAXED);
}

bool shm_ring_is_answered(const struct shm_producer *p)
{
	return __atomic_load_n(&p->ring->answered, __ATOMIC_RELAXED) ==
	       __atomic_load_n(&p->head, __ATOMIC_RELAXED);
}

bool shm_ring_is_newly_answered(const struct shm_producer *p)
{
	const uint64_t seen = __atomic_load_n(&p->answered, __ATOMIC_RELAXED);
	const uint64_t now = __atomic_load_n(&p->ring->answered, __ATOMIC_RELAXED);

	return now != seen && now - seen <= __atomic_load_n(&p->head, __ATOMIC_RELAXED) - seen;
}

uint64_t shm_ring_mark(const struct shm_producer *p)
{
	return __atomic_load_n(&p->ring->tail, __ATOMIC_RELAXED) +
	       __atomic_load_n(&p->ring->answered, __ATOMIC_RELAXED) +
	       __atomic_load_n(&p->ring->let_go, __ATOMIC_RELAXED);
}

static void set_broken(struct shm_consumer *c)
{
	__atomic_store_n(&c->broken, true, __ATOMIC_RELAXED);
}

/* Length of the record at the tail; 0 if there is none, or nonsense. */
static uint32_t look(struct shm_consumer *c)
{
	const uint32_t bytes = __atomic_load_n(&at(c->ring, c->tail)->bytes, __ATOMIC_ACQUIRE);
	const uint64_t to_end = SHM_RING_BYTES - c->tail % SHM_RING_BYTES;

	if (likely(!(bytes % SHM_RING_ALIGN) && bytes <= SKIP_MAX && bytes <= to_end))
		return bytes;
	set_broken(c);
	return 0;
}

static void advance(struct shm_consumer *c)
{
	__atomic_store_n(&c->tail, c->tail + c->peeked, __ATOMIC_RELAXED);
	if (unlikely(c->tail - c->freed >= FREE_BYTES))
		shm_ring_free(c);
}

/* At the end of the ring, and nowhere else, so nobody can have us go round it. */
static bool skip(struct shm_consumer *c)
{
	if (c->peeked != SHM_RING_BYTES - c->tail % SHM_RING_BYTES) {
		set_broken(c);
		return false;
	}
	advance(c);
	return true;
}

void *shm_ring_peek(struct shm_consumer *c, uint32_t *kind, size_t *bytes)
{
	struct shm_record *record;

	do {
		if (unlikely(c->broken))
			return NULL;
		record = at(c->ring, c->tail);
		c->peeked = look(c);
		if (!c->peeked)
			return NULL;
		*kind = __atomic_load_n(&record->kind, __ATOMIC_RELAXED);
	} while (unlikely(*kind == KIND_SKIP) && skip(c));
	if (unlikely(c->peeked > SHM_RECORD_MAX && *kind != KIND_SKIP))
		set_broken(c);
	*bytes = c->peeked - HEADER;
	return unlikely(c->broken) ? NULL : record + 1;
}

bool shm_ring_has_next(const struct shm_consumer *c)
{
	return __atomic_load_n(&at(c->ring, c->tail + c->peeked)->bytes, __ATOMIC_RELAXED) != 0;
}

void shm_ring_consume(struct shm_consumer *c)
{
	advance(c);
}

void shm_ring_free(struct shm_consumer *c)
{
	if (c->freed == c->tail)
		return;
	c->freed = c->tail;
	__atomic_store_n(&c->ring->tail, c->tail, __ATOMIC_RELEASE);
}

void shm_ring_answer(struct shm_consumer *c)
{
	if (c->answered == c->tail)
		return;
	c->answered = c->tail;
	__atomic_store_n(&c->ring->answered, c->tail, __ATOMIC_RELEASE);
}

bool shm_ring_is_empty(const struct shm_consumer *c)
{
	const uint64_t tail = __atomic_load_n(&c->tail, __ATOMIC_RELAXED);

	return __atomic_load_n(&c->broken, __ATOMIC_RELAXED) ||
	       !__atomic_load_n(&at(c->ring, tail)->bytes, __ATOMIC_ACQUIRE);
}

void shm_ring_hold(struct shm_consumer *c, uint32_t class)
{
	__atomic_fetch_or(&c->ring->held[class / 64], 1ull << class % 64, __ATOMIC_RELEASE);
}

void shm_ring_let_go(struct shm_consumer *c, uint32_t class)
{
	__atomic_fetch_and(&c->ring->held[class / 64], ~(1ull << class % 64), __ATOMIC_RELEASE);
	__atomic_fetch_add(&c->ring->let_go, 1, __ATOMIC_RELEASE);
}
