// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Where a subnet says the way: each run asks the directory, obeys, and is counted by the way that it went. The
 * daemon knows which hops that are.
 */
#include <errno.h>
#include <linux/compiler.h>
#include <linux/rcupdate.h>

#include "base/alloc.h"
#include "wire/shm_priv.h"

#define LATE_PACKETS 2048u
#define LEAST_MTU_BYTES 256u

_Static_assert(DIRECTORY_WAYS == BASE_REPORT_WAYS, "each way has its place");

/**
 * struct shm_ways - What a wire remembers of ways.
 * @asked: Those that were asked for, a bit each, by where they belong in the table. Atomic.
 * @wants_memory: A way is slow or lossy, and there is no memory for that yet. Atomic.
 * @random: Which packets are lost. Of who sends packet by packet.
 * @last_ns: By place: &shm_toll.last_ns. Likewise.
 */
struct shm_ways {
	uint64_t asked[DIRECTORY_WAYS / 64];
	bool wants_memory;
	uint64_t random;
	uint64_t last_ns[DIRECTORY_WAYS];
};

/**
 * struct found - A way.
 * @place: In the table.
 * @packed: Its key.
 * @is: It.
 */
struct found {
	uint32_t place;
	uint64_t packed;
	struct directory_way_is is;
};

bool shm_ways_new(struct wire_shm *shm)
{
	const struct directory *dir = shm->config.directory;

	if (!dir->managed)
		return true;
	shm->ways = base_zalloc(sizeof(*shm->ways));
	if (!shm->ways)
		return false;
	shm->ways->random = dir->incarnation + shm->config.self;
	return true;
}

void shm_ways_free(struct shm_ways *ways)
{
	base_free(ways);
}

static const struct directory_ways *table_of(const struct wire_shm *shm)
{
	return &shm->config.directory->ways;
}

static struct directory_way_key key_of(uint32_t slot, const struct tp_run *run)
{
	return (struct directory_way_key){
		.slot = slot, .dlid = run->path.dlid, .sl = run->path.sl, .pkey = run->pkey};
}

static bool find(const struct wire_shm *shm, const struct directory_way_key *key,
		 struct found *found)
{
	int place;

	found->packed = directory_way_pack(key);
	place = directory_find_way(table_of(shm), found->packed, &found->is);
	found->place = (uint32_t)place;
	return likely(place >= 0);
}

/* Once for each answer. */
static int ask(struct wire_shm *shm, const struct directory_way_key *key)
{
	const uint32_t n = directory_way_home(directory_way_pack(key));
	const uint64_t bit = 1ull << (n % 64);

	if (!(__atomic_fetch_or(&shm->ways->asked[n / 64], bit, __ATOMIC_ACQ_REL) & bit))
		shm->config.resolve(shm->config.ctx, key);
	return shm_be_patient(shm);
}

void wire_shm_resolved(struct wire_shm *shm, const struct directory_way_key *key)
{
	const uint32_t n = directory_way_home(directory_way_pack(key));

	if (!shm->ways)
		return;
	__atomic_fetch_and(&shm->ways->asked[n / 64], ~(1ull << (n % 64)), __ATOMIC_ACQ_REL);
	if (__atomic_exchange_n(&shm->ways->wants_memory, false, __ATOMIC_ACQ_REL))
		(void)shm_meet_prepare(shm, LATE_PACKETS);
	shm_answer(shm);
}

void shm_ways_forget(struct shm_ways *ways)
{
	for (uint32_t i = 0; i < DIRECTORY_WAYS / 64; i++)
		__atomic_store_n(&ways->asked[i], 0, __ATOMIC_RELEASE);
}

bool shm_ways_asked(const struct shm_ways *ways)
{
	for (uint32_t i = 0; i < DIRECTORY_WAYS / 64; i++)
		if (__atomic_load_n(&ways->asked[i], __ATOMIC_ACQUIRE))
			return true;
	return false;
}

static bool is_clean(const struct directory_way_is *is)
{
	return !is->loss_ppm && !is->delay_ns;
}

static bool arrives(const struct directory_way_is *is)
{
	return is->verdict == SUBNET_ARRIVES && is->slot < FABRIC_PORTS;
}

static uint32_t longest(const struct tp_run *run)
{
	return run->packets > 1 ? run->pmtu_bytes : run->payload.bytes;
}

/* enum ib_mtu: 1 stands for 256 bytes. */
static bool fits(const struct directory_way_is *is, uint32_t bytes)
{
	return bytes <= LEAST_MTU_BYTES / 2 << is->mtu % 8;
}

static uint8_t mtu_for(uint32_t bytes)
{
	uint8_t mtu = 1;

	for (bytes = (bytes + LEAST_MTU_BYTES - 1) / LEAST_MTU_BYTES; bytes > 1;
	     bytes = (bytes + 1) / 2)
		mtu++;
	return mtu;
}

static void count(const struct wire_shm *shm, const struct found *found, const struct tp_run *run,
		  uint32_t packets)
{
	if (likely(shm->config.report))
		base_way_count(shm->config.report, found->place, packets,
			       shm_run_wire_bytes(run, packets) / 4);
}

/* It has memory of its own then; whoever waits is told as of a way that was asked for. */
static int want_memory(struct wire_shm *shm, const struct directory_way_key *key)
{
	__atomic_store_n(&shm->ways->wants_memory, true, __ATOMIC_RELEASE);
	return ask(shm, key);
}

static int send_with_toll(struct shm_port *p, const struct tp_run *run, void *sender,
			  const struct found *found, uint32_t id)
{
	struct shm_ways *ways = p->shm->ways;
	struct base_report *report = p->shm->config.report;
	struct shm_toll toll = {.loss_ppm = found->is.loss_ppm,
				.delay_ns = found->is.delay_ns,
				.random = &ways->random,
				.last_ns = &ways->last_ns[found->place]};
	const int ret = shm_send_to(p, id, run, sender, &toll);

	if (ret > 0 && report) {
		const uint64_t words = shm_run_wire_bytes(run, (uint32_t)ret) / 4;

		if (toll.packets)
			base_way_lost(report, found->place, toll.packets, toll.words);
		base_way_count(report, found->place, (uint64_t)ret - toll.packets,
			       words - toll.words);
	}
	return ret;
}

static int send_to_end(struct shm_port *p, const struct tp_run *run, void *sender,
		       const struct found *found)
{
	struct wire_shm *shm = p->shm;
	const struct directory_way_key key = key_of(p->slot, run);
	int ret = directory_owner(shm->config.directory, found->is.slot, run->dest_qpn);

	if (unlikely(ret >= 0 && !is_clean(&found->is)))
		return __atomic_load_n(&shm->meet, __ATOMIC_ACQUIRE)
			       ? send_with_toll(p, run, sender, found, (uint32_t)ret)
			       : want_memory(shm, &key);
	if (likely(ret >= 0))
		ret = shm_send_to(p, (uint32_t)ret, run, sender, NULL);
	if (likely(ret > 0))
		count(shm, found, run, (uint32_t)ret);
	else if (ret != -EAGAIN && ret != -EFAULT)
		count(shm, found, run, run->packets); /* it came there, and nobody took it */
	return ret;
}

static int lose_too_long(const struct shm_port *p, const struct tp_run *run,
			 const struct found *found)
{
	if (p->shm->config.report)
		base_way_too_long(p->shm->config.report, found->place, mtu_for(longest(run)),
				  run->packets, shm_run_wire_bytes(run, run->packets) / 4);
	return -EMSGSIZE;
}

/* What is sent to a port of the same adapter need not leave it. */
static int send_copies(struct shm_port *p, const struct tp_run *run, void *sender,
		       const struct found *found)
{
	const struct directory_way_key key = key_of(p->slot, run);
	uint64_t spread[DIRECTORY_WAY_SPREAD];
	int ret;

	if (!directory_read_spread(table_of(p->shm), found->place, found->packed, spread))
		return ask(p->shm, &key);
	spread[p->slot / 64] |= 1ull << (p->slot % 64);
	ret = shm_send_to_group(p, run, sender, spread);
	if (ret > 0)
		count(p->shm, found, run, (uint32_t)ret);
	return ret;
}

int shm_way_send(struct shm_port *p, const struct tp_run *run, void *sender)
{
	const struct directory_way_key key = key_of(p->slot, run);
	struct found found;

	if (unlikely(!find(p->shm, &key, &found)))
		return ask(p->shm, &key);
	if (unlikely(run->path.dlid >= FABRIC_UNICAST_LIDS))
		return send_copies(p, run, sender, &found);
	if (unlikely(!arrives(&found.is))) {
		count(p->shm, &found, run, run->packets);
		return -EHOSTUNREACH;
	}
	if (unlikely(!fits(&found.is, longest(run))))
		return lose_too_long(p, run, &found);
	return send_to_end(p, run, sender, &found);
}

/* If it is not known any more the sender knew it a moment ago. */
bool shm_way_leads(const struct wire_shm *shm, uint32_t from, const struct tp_run *run,
		   uint32_t slot)
{
	const struct directory_way_key key = key_of(from, run);
	uint64_t spread[DIRECTORY_WAY_SPREAD];
	struct found found;

	return !find(shm, &key, &found) ||
	       !directory_read_spread(table_of(shm), found.place, found.packed, spread) ||
	       directory_in_spread(spread, slot);
}

static struct directory_way_key way_back(const struct tp_run *run, uint32_t slot)
{
	return (struct directory_way_key){
		.slot = slot, .dlid = run->path.slid, .sl = run->path.sl, .pkey = run->pkey};
}

static bool is_read(const struct tp_run *run)
{
	return pkt_op(run->last_opcode)->kind == PKT_KIND_READ_REQ;
}

static bool takes(const struct wire_shm *shm, const struct directory_way_key *key, uint32_t bytes,
		  struct found *found)
{
	return find(shm, key, found) && arrives(&found->is) && is_clean(&found->is) &&
	       fits(&found->is, bytes);
}

bool shm_way_is_direct(const struct shm_port *p, const struct tp_run *run)
{
	const struct directory_way_key there = key_of(p->slot, run);
	struct directory_way_key back;
	struct found found;
	uint32_t answer = 0;

	if (!takes(p->shm, &there, longest(run), &found))
		return false;
	back = way_back(run, found.is.slot);
	if (is_read(run))
		answer = run->reth.dma_bytes < run->pmtu_bytes ? run->reth.dma_bytes
							       : run->pmtu_bytes;
	if (takes(p->shm, &back, answer, &found))
		return found.is.slot == p->slot;
	if ((int)found.place < 0)
		(void)ask(p->shm, &back);
	return false;
}

void shm_way_placed(const struct shm_port *p, const struct tp_run *run,
		    const struct base_placed *more)
{
	const struct directory_way_key there = key_of(p->slot, run);
	struct base_report *report = p->shm->config.report;
	struct directory_way_key back;
	struct found found;

	if (!report || !find(p->shm, &there, &found))
		return;
	base_way_count(report, found.place, more->received_packets, more->received_bytes / 4);
	back = way_back(run, found.is.slot);
	if (more->sent_packets && find(p->shm, &back, &found))
		base_way_count(report, found.place, more->sent_packets, more->sent_bytes / 4);
}
