// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Records between two processes. */
#include "wire/shm_ring.h"

#include "base/check.h"

#define HEADER sizeof(struct shm_record)
#define KIND_SKIP 0u

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
		*seen = now;
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

void *shm_ring_reserve(struct shm_producer *p, size_t bytes)
{
	const size_t want = whole(bytes);
	const size_t to_end = SHM_RING_BYTES - (size_t)(p->head % SHM_RING_BYTES);
	const size_t skip = want > to_end ? to_end : 0;

	INVARIANT(want <= SHM_RECORD_MAX);
	if (!has_room(p, p->head + skip + want))
		return NULL;
	if (skip)
		*at(p->ring, p->head) = (struct shm_record){(uint32_t)skip, KIND_SKIP};
	p->record = at(p->ring, p->head + skip);
	p->record->bytes = (uint32_t)want;
	p->reserved = p->head + skip + want;
	return p->record + 1;
}

void shm_ring_publish(struct shm_producer *p, uint32_t kind)
{
	p->record->kind = kind;
	__atomic_store_n(&p->head, p->reserved, __ATOMIC_RELAXED);
	__atomic_store_n(&p->ring->head, p->head, __ATOMIC_RELEASE);
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

static bool look(struct shm_consumer *c)
{
	const uint64_t head = __atomic_load_n(&c->ring->head, __ATOMIC_ACQUIRE);

	if (head - c->tail > SHM_RING_BYTES || head % SHM_RING_ALIGN)
		set_broken(c);
	else
		c->head = head;
	return !c->broken && c->head != c->tail;
}

static uint32_t length_of(struct shm_consumer *c, const struct shm_record *record)
{
	const uint32_t bytes = __atomic_load_n(&record->bytes, __ATOMIC_RELAXED);
	const uint64_t to_end = SHM_RING_BYTES - c->tail % SHM_RING_BYTES;

	if (!bytes || bytes % SHM_RING_ALIGN || bytes > c->head - c->tail || bytes > to_end)
		set_broken(c);
	return bytes;
}

static void advance(struct shm_consumer *c, uint32_t bytes)
{
	__atomic_store_n(&c->tail, c->tail + bytes, __ATOMIC_RELAXED);
	__atomic_store_n(&c->ring->tail, c->tail, __ATOMIC_RELEASE);
}

void *shm_ring_peek(struct shm_consumer *c, uint32_t *kind, size_t *bytes)
{
	struct shm_record *record;

	for (;;) {
		if (c->broken || (c->head == c->tail && !look(c)))
			return NULL;
		record = at(c->ring, c->tail);
		c->peeked = length_of(c, record);
		*kind = __atomic_load_n(&record->kind, __ATOMIC_RELAXED);
		if (c->broken)
			return NULL;
		if (*kind != KIND_SKIP)
			break;
		advance(c, c->peeked);
	}
	*bytes = c->peeked - HEADER;
	return record + 1;
}

void shm_ring_consume(struct shm_consumer *c)
{
	advance(c, c->peeked);
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
	return __atomic_load_n(&c->broken, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&c->ring->head, __ATOMIC_ACQUIRE) ==
		       __atomic_load_n(&c->tail, __ATOMIC_RELAXED);
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
