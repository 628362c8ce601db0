// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Ways through a subnet are resolved once and kept, by address, until its epoch changes. MADs that arrive are put
 * in a queue of the wire, which loop_kick() empties as it does the rings of ports.
 */
#include "wire/loop_subnet.h"

#include <errno.h>
#include <linux/rcupdate.h>
#include <rdma/ib_mad.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/umem.h"
#include "packet/opcode.h"
#include "wire/loop_priv.h"

#define WAYS 64u   /* of a port that are kept; a power of two */
#define MADS 1024u /* that wait; a power of two */
#define NODES 0x10000u
#define NO_SLOT UINT32_MAX

/**
 * struct loop_way - A way that is kept.
 * @known: The rest says something.
 * @dlid: Where to.
 * @sl: SL.
 * @pkey: P_Key.
 * @slot: Of the port at its end; NO_SLOT: no port of the wire.
 * @placed: &loop_subnet.placed then.
 * @path: As resolved.
 */
struct loop_way {
	bool known;
	uint32_t placed;
	uint16_t dlid;
	uint8_t sl;
	uint16_t pkey;
	uint32_t slot;
	struct subnet_path path;
};

struct arrived {
	uint32_t slot;
	struct subnet_mad mad;
};

/**
 * struct loop_subnet - What the wire knows of its subnet.
 * @subnet: It.
 * @key: By slot: which port it is, 0: none. Atomic.
 * @next: By slot: another one of the same node, + 1. Atomic.
 * @first: By node: slot + 1. Atomic.
 * @placed: Counts changes of these. Atomic.
 * @lock: The queue.
 * @head: Where the next goes.
 * @tail: The oldest.
 * @busy: Somebody empties it.
 * @mads: What has arrived.
 */
struct loop_subnet {
	struct subnet *subnet;
	uint64_t key[FABRIC_PORTS];
	uint32_t next[FABRIC_PORTS];
	uint32_t first[NODES];
	uint32_t placed;
	spinlock_t lock;
	uint32_t head, tail;
	bool busy;
	struct arrived mads[MADS];
};

int wire_loop_set_subnet(struct wire_loop *loop, struct subnet *subnet)
{
	struct loop_subnet *s = base_zalloc(sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->subnet = subnet;
	spin_lock_init(&s->lock);
	loop->subnet = s;
	return 0;
}

void loop_subnet_free(struct loop_subnet *s)
{
	base_free(s);
}

static uint64_t key_of(struct subnet_at at)
{
	return (uint64_t)at.node << 8 | at.port | 1ull << 63;
}

static struct subnet_at at_of(const struct loop_subnet *s, uint32_t slot)
{
	const uint64_t key = __atomic_load_n(&s->key[slot], __ATOMIC_RELAXED);

	return (struct subnet_at){(uint32_t)(key >> 8), (uint8_t)key};
}

static uint32_t *first_of(struct loop_subnet *s, uint64_t key)
{
	return &s->first[(key >> 8) % NODES];
}

/* Who follows the list meanwhile comes to its end all the same. */
static void unlink_slot(struct loop_subnet *s, uint32_t slot)
{
	uint32_t *link = first_of(s, s->key[slot]);

	while (*link && *link != slot + 1)
		link = &s->next[*link - 1];
	if (*link)
		__atomic_store_n(link, s->next[slot], __ATOMIC_RELEASE);
	__atomic_store_n(&s->key[slot], 0, __ATOMIC_RELEASE);
}

static void link_slot(struct loop_subnet *s, uint32_t slot, uint64_t key)
{
	uint32_t *first = first_of(s, key);

	__atomic_store_n(&s->key[slot], key, __ATOMIC_RELAXED);
	__atomic_store_n(&s->next[slot], *first, __ATOMIC_RELAXED);
	__atomic_store_n(first, slot + 1, __ATOMIC_RELEASE);
}

void wire_loop_place(struct wire_loop *loop, uint32_t slot, struct subnet_at at)
{
	struct loop_subnet *s = loop->subnet;

	INVARIANT(slot < FABRIC_PORTS);
	spin_lock(&loop->lock);
	if (s->key[slot])
		unlink_slot(s, slot);
	link_slot(s, slot, key_of(at));
	__atomic_store_n(&s->placed, s->placed + 1, __ATOMIC_RELEASE);
	spin_unlock(&loop->lock);
}

void wire_loop_displace(struct wire_loop *loop, uint32_t slot)
{
	struct loop_subnet *s = loop->subnet;

	spin_lock(&loop->lock);
	if (s->key[slot])
		unlink_slot(s, slot);
	__atomic_store_n(&s->placed, s->placed + 1, __ATOMIC_RELEASE);
	spin_unlock(&loop->lock);
}

struct subnet_at wire_loop_at(const struct wire_loop *loop, uint32_t slot)
{
	return at_of(loop->subnet, slot);
}

int wire_loop_slot(const struct wire_loop *loop, struct subnet_at at)
{
	const struct loop_subnet *s = loop->subnet;
	const uint64_t key = key_of(at);
	uint32_t i = __atomic_load_n(&s->first[at.node % NODES], __ATOMIC_ACQUIRE);

	for (unsigned int n = 0; i && n < FABRIC_PORTS; n++) {
		if (__atomic_load_n(&s->key[i - 1], __ATOMIC_RELAXED) == key)
			return (int)(i - 1);
		i = __atomic_load_n(&s->next[i - 1], __ATOMIC_ACQUIRE);
	}
	return -ENOENT;
}

struct loop_way *loop_ways_new(void)
{
	return base_zalloc_array(WAYS, sizeof(struct loop_way));
}

static struct loop_way *way_of(struct loop_port *from, const struct tp_run *run)
{
	const uint32_t key = run->path.dlid ^ (uint32_t)run->path.sl << 4 ^ run->pkey;

	return &from->ways[(key ^ key >> 6) % WAYS];
}

static void resolve(struct loop_port *from, const struct tp_run *run, struct loop_way *way)
{
	struct wire_loop *loop = from->loop;
	const struct loop_subnet *s = loop->subnet;
	int slot = -ENOENT;

	way->placed = __atomic_load_n(&s->placed, __ATOMIC_ACQUIRE);
	subnet_resolve(s->subnet, at_of(s, from->slot), run->path.dlid, run->path.sl, run->pkey,
		       &way->path);
	if (way->path.verdict == SUBNET_ARRIVES)
		slot = wire_loop_slot(loop, way->path.to);
	way->slot = slot < 0 ? NO_SLOT : (uint32_t)slot;
	way->dlid = run->path.dlid;
	way->sl = run->path.sl;
	way->pkey = run->pkey;
	way->known = true;
}

/* Of who empties the port's ring. */
static const struct loop_way *find_way(struct loop_port *from, const struct tp_run *run)
{
	const struct loop_subnet *s = from->loop->subnet;
	struct loop_way *way = way_of(from, run);

	if (unlikely(!way->known || way->dlid != run->path.dlid || way->sl != run->path.sl ||
		     way->pkey != run->pkey || way->path.epoch != subnet_epoch(s->subnet) ||
		     way->placed != __atomic_load_n(&s->placed, __ATOMIC_ACQUIRE)))
		resolve(from, run, way);
	return way;
}

/* From the LRH to before the VCRC. */
static uint64_t words_of(const struct tp_run *run)
{
	return (loop_run_bytes(run) - (uint64_t)run->packets * PKT_VCRC_BYTES) / 4;
}

static uint8_t mtu_for(const struct tp_run *run)
{
	uint32_t bytes = run->packets > 1 ? run->pmtu_bytes : run->payload.bytes;
	uint8_t mtu = IB_MTU_256;

	for (bytes = (bytes + 255) / 256; bytes > 1; bytes = (bytes + 1) / 2)
		mtu++;
	return mtu;
}

static void lose(struct loop_port *from, const struct tp_run *run)
{
	wire_count(&from->stats.dropped, run->packets);
}

/* A packet that has not been lost, at the end of a way that may be slow. */
static void hand_over_late(struct loop_port *from, uint32_t slot, const struct loop_entry *entry,
			   uint64_t late_ns)
{
	if (late_ns && __atomic_load_n(&from->loop->impair, __ATOMIC_ACQUIRE))
		loop_meet_faults(from, slot, &entry->run, entry->sender, late_ns);
	else
		loop_hand_over(from, slot, entry);
}

/* Over links that lose packets, or are slow: each by itself. */
static void deliver_impaired(struct loop_port *from, const struct loop_entry *entry,
			     const struct loop_way *way)
{
	struct subnet *subnet = from->loop->subnet->subnet;
	struct loop_entry one = *entry;
	struct subnet_path path;

	for (uint32_t i = 0; i < entry->run.packets; i++) {
		if (entry->run.packets > 1)
			tp_run_packet(&entry->run, i, &one.run);
		path = way->path;
		(void)subnet_path_lose(subnet, &path);
		subnet_count(subnet, &path, 1, words_of(&one.run), false);
		if (path.verdict == SUBNET_ARRIVES && way->slot != NO_SLOT)
			hand_over_late(from, way->slot, &one, path.delay_ns);
		else
			lose(from, &one.run);
	}
}

static void deliver_data(struct loop_port *from, const struct loop_entry *entry)
{
	struct subnet *subnet = from->loop->subnet->subnet;
	const struct tp_run *run = &entry->run;
	const struct loop_way *way = find_way(from, run);
	struct subnet_path shorter;

	if (unlikely(way->path.verdict == SUBNET_ARRIVES && mtu_for(run) > way->path.mtu)) {
		shorter = way->path;
		(void)subnet_path_limit(subnet, &shorter, mtu_for(run));
		subnet_count(subnet, &shorter, run->packets, words_of(run), false);
		lose(from, run);
		return;
	}
	if (unlikely(way->path.lossy || way->path.delay_ns)) {
		deliver_impaired(from, entry, way);
		return;
	}
	subnet_count(subnet, &way->path, run->packets, words_of(run), false);
	if (likely(way->slot != NO_SLOT))
		loop_hand_over(from, way->slot, entry);
	else
		lose(from, run);
}

/* Where the copies of one packet arrive, and how late. */
struct ends {
	struct loop_port *from;
	uint64_t words;
	uint32_t count;
	uint32_t slot[FABRIC_PORTS];
	uint64_t late_ns[FABRIC_PORTS];
};

static void reach(void *ctx, const struct subnet_path *path)
{
	struct ends *e = ctx;
	const int slot = wire_loop_slot(e->from->loop, path->to);

	subnet_count(e->from->loop->subnet->subnet, path, 1, e->words, true);
	if (path->verdict != SUBNET_ARRIVES || slot < 0 || e->count == FABRIC_PORTS)
		return;
	e->slot[e->count] = (uint32_t)slot;
	e->late_ns[e->count++] = path->delay_ns;
}

/* One packet. Nobody is told before all copies are made: that is under the subnet's lock. */
static void copy_to_group(struct loop_port *from, const struct loop_entry *entry)
{
	const struct tp_run *run = &entry->run;
	struct loop_subnet *s = from->loop->subnet;
	struct ends e; /* is large, so only what is used is set */

	e.from = from;
	e.words = words_of(run);
	e.count = 0;
	subnet_send_group(s->subnet, at_of(s, from->slot), run->path.dlid, run->path.sl, run->pkey,
			  reach, &e);
	for (uint32_t i = 0; i < e.count; i++)
		hand_over_late(from, e.slot[i], entry, e.late_ns[i]);
}

static void deliver_group(struct loop_port *from, const struct loop_entry *entry)
{
	struct loop_entry one;

	if (likely(entry->run.packets == 1)) {
		copy_to_group(from, entry);
		return;
	}
	one = *entry;
	for (uint32_t i = 0; i < entry->run.packets; i++) {
		tp_run_packet(&entry->run, i, &one.run);
		copy_to_group(from, &one);
	}
}

static bool is_datagram(const struct tp_run *run)
{
	return pkt_op(run->first_opcode)->service == PKT_SERVICE_UD;
}

/* Everything but the MAD itself. */
static void fill_header(const struct tp_run *run, struct subnet_mad *mad)
{
	*mad = (struct subnet_mad){
		.slid = run->path.slid,
		.dlid = run->path.dlid,
		.sl = run->path.sl,
		.pkey = run->pkey,
		.dest_qpn = run->dest_qpn,
		.has_grh = run->path.has_grh,
		.traffic_class = run->path.traffic_class,
		.hop_limit = run->path.hop_limit,
		.flow_label = run->path.flow_label,
	};
	memcpy(mad->sgid, run->path.sgid, sizeof(mad->sgid));
	memcpy(mad->dgid, run->path.dgid, sizeof(mad->dgid));
	if (!is_datagram(run))
		return;
	mad->src_qpn = run->deth.src_qpn;
	mad->qkey = run->deth.qkey;
}

static bool to_mad(const struct tp_run *run, struct subnet_mad *mad)
{
	struct iovec to = {mad->data, sizeof(mad->data)};

	fill_header(run, mad);
	return run->payload.bytes == SUBNET_MAD_BYTES &&
	       !base_umem_copy_iov(&to, 1, 0, run->payload.iov, run->payload.count,
				   run->payload.offset, run->payload.bytes);
}

void loop_subnet_bad_key(struct loop_port *port, const struct tp_run *run, bool qkey)
{
	const struct loop_subnet *s = port->loop->subnet;
	struct subnet_mad header;

	fill_header(run, &header);
	subnet_bad_key(s->subnet, at_of(s, port->slot), qkey, &header);
}

static void send_mad(struct loop_port *from, const struct subnet_mad *mad)
{
	const struct loop_subnet *s = from->loop->subnet;

	subnet_send_mad(s->subnet, at_of(s, from->slot), mad);
}

/* What the firmware of its destination answers. */
static bool is_for_hardware(const struct subnet_mad *mad)
{
	struct ib_mad_hdr hdr;

	memcpy(&hdr, mad->data, sizeof(hdr));
	return (hdr.mgmt_class == IB_MGMT_CLASS_PERF_MGMT ||
		hdr.mgmt_class == IB_MGMT_CLASS_CONG_MGMT) &&
	       !(hdr.method & IB_MGMT_METHOD_RESP);
}

static bool listens(const struct wire_loop *loop, uint32_t slot, uint32_t qpn)
{
	const struct loop_port *port = __atomic_load_n(&loop->ports[slot], __ATOMIC_ACQUIRE);

	return port && tp_port_listens(port->tp, qpn);
}

/* A datagram of QP 1 to a program is one like any other; what else there is to be said the subnet says. */
static void deliver_gsi(struct loop_port *from, const struct loop_entry *entry)
{
	const struct tp_run *run = &entry->run;
	const struct loop_way *way = find_way(from, run);
	struct subnet_mad mad;

	if (!to_mad(run, &mad))
		lose(from, run);
	else if (way->slot != NO_SLOT && !is_for_hardware(&mad) &&
		 listens(from->loop, way->slot, PKT_QPN_GSI))
		deliver_data(from, entry);
	else
		send_mad(from, &mad);
}

/* Who sends to the neighbour, whatever its LID, says nothing of his own [IBA 14.2.2.2]. */
static void deliver_smi(struct loop_port *from, const struct tp_run *run)
{
	struct subnet_mad mad;

	if (!to_mad(run, &mad)) {
		lose(from, run);
		return;
	}
	if (mad.dlid == SUBNET_PERMISSIVE_LID)
		mad.slid = SUBNET_PERMISSIVE_LID;
	send_mad(from, &mad);
}

void loop_subnet_deliver(struct loop_port *from, const struct loop_entry *entry)
{
	const struct tp_run *run = &entry->run;

	if (unlikely(run->dest_qpn == PKT_QPN_SMI && is_datagram(run)))
		deliver_smi(from, run);
	else if (unlikely(run->path.dlid >= FABRIC_UNICAST_LIDS))
		deliver_group(from, entry);
	else if (unlikely(run->dest_qpn == PKT_QPN_GSI && is_datagram(run)))
		deliver_gsi(from, entry);
	else
		deliver_data(from, entry);
}

/* What there is no room for is lost, and counted at the port where it has arrived. */
static void put_mad(struct loop_subnet *s, uint32_t slot, struct subnet_at at,
		    const struct subnet_mad *mad)
{
	bool has_room;

	spin_lock(&s->lock);
	has_room = s->head - s->tail < MADS;
	if (has_room)
		s->mads[s->head++ % MADS] = (struct arrived){.slot = slot, .mad = *mad};
	spin_unlock(&s->lock);
	if (!has_room)
		subnet_error(s->subnet, at,
			     mad->dest_qpn == PKT_QPN_SMI ? SUBNET_ERROR_VL15_DROPPED
							  : SUBNET_ERROR_QP1_DROPPED,
			     1);
}

bool wire_loop_deliver_mad(struct wire_loop *loop, struct subnet_at at,
			   const struct subnet_mad *mad)
{
	bool takes;
	int slot;

	rcu_read_lock();
	slot = wire_loop_slot(loop, at);
	takes = slot >= 0 && listens(loop, (uint32_t)slot, mad->dest_qpn);
	if (takes)
		put_mad(loop->subnet, (uint32_t)slot, at, mad);
	rcu_read_unlock();
	if (takes)
		loop_kick(loop);
	return takes;
}

/* The packet of a MAD. @iov: Its payload then. */
static void to_run(const struct subnet_mad *mad, struct iovec *iov, struct tp_run *run)
{
	*iov = (struct iovec){(void *)(uintptr_t)mad->data, sizeof(mad->data)};
	*run = (struct tp_run){
		.path = {.slid = mad->slid,
			 .dlid = mad->dlid,
			 .sl = mad->sl,
			 .has_grh = mad->has_grh,
			 .traffic_class = mad->traffic_class,
			 .hop_limit = mad->hop_limit,
			 .flow_label = mad->flow_label},
		.dest_qpn = mad->dest_qpn,
		.pkey = mad->pkey,
		.packets = 1,
		.first_opcode = PKT_UD_SEND_ONLY,
		.last_opcode = PKT_UD_SEND_ONLY,
		.deth = {.qkey = mad->qkey, .src_qpn = mad->src_qpn},
		.payload = {.iov = iov, .count = 1, .bytes = sizeof(mad->data)},
	};
	memcpy(run->path.sgid, mad->sgid, sizeof(mad->sgid));
	memcpy(run->path.dgid, mad->dgid, sizeof(mad->dgid));
}

void wire_loop_capture_mad(struct wire_loop *loop, const struct subnet_mad *mad)
{
	struct iovec iov;
	struct tp_run run;

	to_run(mad, &iov, &run);
	loop_capture(loop, &run);
}

static void receive(struct wire_loop *loop, const struct arrived *arrived)
{
	struct loop_port *port = __atomic_load_n(&loop->ports[arrived->slot], __ATOMIC_ACQUIRE);
	struct iovec iov;
	struct tp_run run;

	to_run(&arrived->mad, &iov, &run);
	loop_capture(loop, &run);
	if (port)
		tp_receive(port->tp, &run);
}

static bool take_mad(struct loop_subnet *s, struct arrived *arrived)
{
	bool any;

	spin_lock(&s->lock);
	any = s->tail != s->head;
	if (any)
		*arrived = s->mads[s->tail++ % MADS];
	s->busy = any;
	spin_unlock(&s->lock);
	return any;
}

static bool may_begin(struct loop_subnet *s)
{
	bool may;

	spin_lock(&s->lock);
	may = !s->busy && s->tail != s->head;
	if (may)
		s->busy = true;
	spin_unlock(&s->lock);
	return may;
}

bool loop_subnet_take_mads(struct wire_loop *loop)
{
	struct loop_subnet *s = loop->subnet;
	struct arrived arrived;

	if (!may_begin(s))
		return false;
	tp_batch_begin();
	while (take_mad(s, &arrived))
		receive(loop, &arrived);
	tp_batch_end();
	return true;
}

uint32_t loop_subnet_arrived(struct loop_subnet *s)
{
	uint32_t arrived;

	spin_lock(&s->lock);
	arrived = s->head;
	spin_unlock(&s->lock);
	return arrived;
}

/* The last one that was taken may still be in hand. */
bool loop_subnet_has_taken(struct loop_subnet *s, uint32_t arrived)
{
	uint32_t done;

	spin_lock(&s->lock);
	done = s->busy ? s->tail - 1 : s->tail;
	spin_unlock(&s->lock);
	return (int32_t)(done - arrived) >= 0;
}
