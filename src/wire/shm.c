// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Ports, peers, and who does the work. */
#include "wire/shm.h"

#include <errno.h>
#include <linux/compiler.h>
#include <linux/rcupdate.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/fd.h"
#include "base/map.h"
#include "transport/tp_engine.h"
#include "wire/shm_priv.h"

#define SELF_BUDGET 64u
#define LOOK_AGAIN_NS 1000000u
#define READING_NS 100000u
#define LOOKS_BEFORE_SLEEP 8u /* after a CQ was armed */

/* What a thread has sent to this very process it delivers itself, at one depth only. */
static _Thread_local bool kicking;

static struct shm_port *port_of(const struct tp_port *port)
{
	return port->wire;
}

static void put_wire(struct wire_shm *shm)
{
	if (!__atomic_sub_fetch(&shm->users, 1, __ATOMIC_ACQ_REL))
		base_free(shm);
}

static uint32_t count_of(const struct wire_shm *shm)
{
	return __atomic_load_n(&shm->count, __ATOMIC_ACQUIRE);
}

static uint32_t id_at(const struct wire_shm *shm, uint32_t i)
{
	return __atomic_load_n(&shm->ids[i], __ATOMIC_RELAXED);
}

static size_t max_bytes(const struct tp_port *port)
{
	(void)port;
	return TP_MAX_PACKET_BYTES;
}

/* Ask once; the answer makes everybody look again. If there is none for long, runs are lost. */
static int ask(struct wire_shm *shm, uint32_t id)
{
	const uint64_t bit = 1ull << (id % 64);

	if (!(__atomic_fetch_or(&shm->asked[id / 64], bit, __ATOMIC_ACQ_REL) & bit)) {
		shm->config.introduce(shm->config.ctx, id);
		if (!base_timer_is_armed(&shm->patience))
			(void)base_timer_arm(&shm->patience, SHM_PATIENCE_NS);
	}
	return __atomic_load_n(&shm->unanswered, __ATOMIC_ACQUIRE) ? -ENETDOWN : -EAGAIN;
}

/* RCU. NULL: not introduced yet, or of another generation and about to go. */
static struct shm_peer *find_peer(struct wire_shm *shm, uint32_t id)
{
	const struct directory *dir = shm->config.directory;
	struct shm_peer *peer = rcu_dereference(shm->peers[id]);

	if (likely(peer && directory_is_alive(dir, id, peer->is.generation)))
		return peer;
	return NULL;
}

static int send_to(struct wire_shm *shm, struct tp_port *port, uint32_t id,
		   const struct tp_run *run, void *sender)
{
	struct shm_peer *peer;
	int ret = -EAGAIN;

	rcu_read_lock();
	peer = find_peer(shm, id);
	if (likely(peer))
		ret = unlikely(shm_meets_faults(shm))
			      ? shm_meet_sending(peer, port_of(port), run, sender)
			      : shm_put(peer, port, run, sender);
	else if (__atomic_load_n(&shm->config.directory->process[id].state, __ATOMIC_ACQUIRE) !=
		 DIRECTORY_ALIVE)
		ret = -ENETDOWN;
	else
		ret = ask(shm, id);
	rcu_read_unlock();
	return ret;
}

/* Whether all of them are there, so that none is left out for want of an introduction. */
static bool know_all(struct wire_shm *shm, uint32_t slot, const uint8_t gid[16])
{
	const struct directory *dir = shm->config.directory;
	bool all = true;

	rcu_read_lock();
	for (int id = directory_next_member(dir, slot, gid, 0); id >= 0;
	     id = directory_next_member(dir, slot, gid, (uint32_t)id + 1))
		if (!find_peer(shm, (uint32_t)id) && ask(shm, (uint32_t)id) == -EAGAIN)
			all = false;
	rcu_read_unlock();
	return all;
}

/*
 * A datagram for a group goes to each of its processes. Senders are told once, of our own copy; who
 * has no room for it loses it, as at a switch port that is full.
 */
static int send_to_group(struct shm_port *p, const struct tp_run *run, void *sender)
{
	struct wire_shm *shm = p->shm;
	const struct directory *dir = shm->config.directory;
	const uint8_t *gid = run->path.dgid;
	const uint32_t slot = p->slot;
	struct tp_port *port = p->tp;
	int ret;

	if (!know_all(shm, slot, gid))
		return -EAGAIN;
	ret = send_to(shm, port, shm->config.self, run, sender);
	if (ret < 0)
		return ret;
	for (int id = directory_next_member(dir, slot, gid, 0); id >= 0;
	     id = directory_next_member(dir, slot, gid, (uint32_t)id + 1))
		if ((uint32_t)id != shm->config.self &&
		    send_to(shm, port, (uint32_t)id, run, NULL) < 0)
			shm_count(&shm->stats.dropped, 1);
	return ret;
}

static int send_anywhere(struct shm_port *p, const struct tp_run *run, void *sender)
{
	struct wire_shm *shm = p->shm;
	int id;

	if (unlikely(__atomic_load_n(&p->detached, __ATOMIC_ACQUIRE)))
		return -ENETDOWN;
	if (shm_is_mad(shm, run))
		return shm_send_mad(p, run, sender);
	if (unlikely(run->path.dlid >= FABRIC_UNICAST_LIDS))
		return send_to_group(p, run, sender);
	id = directory_find(shm->config.directory, p->slot, run->path.dlid, run->dest_qpn);
	return likely(id >= 0) ? send_to(shm, p->tp, (uint32_t)id, run, sender) : id;
}

static int shm_send(struct tp_port *port, const struct tp_run *run, void *sender)
{
	struct shm_port *p = port_of(port);
	struct wire_shm *shm = p->shm;
	int ret;

	rcu_read_lock();
	ret = send_anywhere(p, run, sender);
	rcu_read_unlock();
	if (likely(ret > 0)) {
		base_traffic_sent(p->traffic, (uint64_t)ret, shm_run_wire_bytes(run, (uint32_t)ret),
				  run->path.dlid >= FABRIC_UNICAST_LIDS);
	} else if (ret != -EAGAIN && ret != -EFAULT) {
		shm_count(&shm->stats.dropped, run->packets);
		base_traffic_discarded(p->traffic, run->packets);
	}
	return ret;
}

void shm_all_ready(struct wire_shm *shm)
{
	rcu_read_lock();
	for (uint32_t i = 0; i < SHM_PORTS; i++) {
		struct shm_port *p = __atomic_load_n(&shm->ports[i], __ATOMIC_ACQUIRE);

		if (p)
			tp_port_ready(p->tp);
	}
	rcu_read_unlock();
}

static void look_after(struct wire_shm *shm, struct shm_peer *peer)
{
	if (__atomic_load_n(&peer->touched, __ATOMIC_RELAXED)) {
		__atomic_store_n(&peer->touched, false, __ATOMIC_RELAXED);
		shm_wake(peer);
	}
	shm_release_copied(peer);
	if (shm_ready(peer))
		shm_all_ready(shm);
}

/* What it had answered before we looked into its ring is answered for us once the ring is empty. */
static unsigned int take_from(struct wire_shm *shm, struct shm_peer *peer, unsigned int budget)
{
	const bool owed = shm_is_owed(peer);
	const uint64_t answered = owed ? shm_answered(peer) : 0;
	unsigned int taken = shm_drain(shm, peer, budget);

	if (unlikely(peer->park))
		taken += shm_unpark(peer);
	if (owed && taken < budget)
		shm_release_held(peer, answered);
	return taken;
}

static void answer_all(struct wire_shm *shm)
{
	for (uint32_t i = 0; i < count_of(shm); i++)
		shm_ring_answer(&shm->peers[id_at(shm, i)]->rx);
}

static unsigned int take_from_all(struct wire_shm *shm, unsigned int budget)
{
	unsigned int taken = 0;

	tp_batch_begin();
	for (uint32_t i = 0; i < count_of(shm); i++) {
		struct shm_peer *peer = shm->peers[id_at(shm, i)];

		look_after(shm, peer);
		shm_wake_late(shm, peer);
		taken += take_from(shm, peer, budget);
	}
	tp_batch_end();
	answer_all(shm);
	return taken;
}

/* What goes to ourselves is taken by whoever sends, unless somebody takes it already. */
static void take_own(struct wire_shm *shm)
{
	struct shm_peer *own = __atomic_load_n(&shm->peers[shm->config.self], __ATOMIC_ACQUIRE);

	while (own && !shm_ring_is_empty(&own->rx) && spin_trylock(&shm->progress)) {
		tp_batch_begin();
		shm_drain(shm, own, SELF_BUDGET);
		tp_batch_end();
		shm_ring_answer(&own->rx);
		spin_unlock(&shm->progress);
	}
}

unsigned int wire_shm_progress(struct wire_shm *shm, unsigned int budget)
{
	unsigned int taken;

	if (!spin_trylock(&shm->progress))
		return 0;
	taken = take_from_all(shm, budget);
	spin_unlock(&shm->progress);
	take_own(shm); /* what was sent meanwhile by who could not get the lock */
	return taken;
}

void shm_kick(struct wire_shm *shm)
{
	if (kicking)
		return;
	kicking = true;
	rcu_read_lock();
	for (uint32_t i = 0; i < count_of(shm); i++) {
		struct shm_peer *peer = rcu_dereference(shm->peers[id_at(shm, i)]);

		if (peer && __atomic_load_n(&peer->touched, __ATOMIC_RELAXED))
			look_after(shm, peer);
	}
	rcu_read_unlock();
	take_own(shm);
	kicking = false;
}

static void kick(struct tp_port *port)
{
	shm_kick(port_of(port)->shm);
}

struct quiesce {
	struct wire_shm *shm;
	const void *sender;
};

static bool holds_no_run(void *arg)
{
	const struct quiesce *q = arg;
	bool none = true;

	rcu_read_lock();
	for (uint32_t i = 0; i < count_of(q->shm); i++) {
		struct shm_peer *peer = rcu_dereference(q->shm->peers[id_at(q->shm, i)]);

		if (peer && !shm_quiesce_peer(peer, q->sender))
			none = false;
	}
	rcu_read_unlock();
	return none;
}

static void quiesce(struct tp_port *port, void *sender)
{
	struct quiesce q = {port_of(port)->shm, sender};

	/* Who reads payload does not say when it is done: it is another process, and may be dead. */
	while (!base_wait_until(holds_no_run, &q, READING_NS))
		;
}

static void blame_dead(const struct directory *dir, uint32_t id, uint32_t qpn,
		       struct base_cause *cause)
{
	cause->id = BASE_CAUSE_LOST_PEER_DIED;
	shm_name_peer(dir, id, cause);
	cause->arg[1 + BASE_CAUSE_TEXT_ARGS] = qpn;
}

/* Of a process that lives the transport knows as much as we. */
static bool blame_living(struct wire_shm *shm, uint32_t id, struct base_cause *cause)
{
	bool met;

	rcu_read_lock();
	met = find_peer(shm, id);
	rcu_read_unlock();
	if (met)
		return false;
	cause->id = BASE_CAUSE_LOST_NOT_INTRODUCED;
	cause->arg[0] = (uint32_t)shm->config.directory->process[id].pid;
	return true;
}

static bool why_lost(const struct tp_port *port, const struct tp_path *path, uint32_t dest_qpn,
		     struct base_cause *cause)
{
	const struct shm_port *p = port_of(port);
	const struct directory *dir = p->shm->config.directory;
	const int id = directory_find(dir, p->slot, path->dlid, dest_qpn);
	const int dead = directory_find_dead(dir, dest_qpn);

	if (id >= 0)
		return blame_living(p->shm, (uint32_t)id, cause);
	memset(cause->arg, 0, sizeof(cause->arg));
	if (dead >= 0) {
		blame_dead(dir, (uint32_t)dead, dest_qpn, cause);
	} else if (id == -ENOENT) {
		cause->id = BASE_CAUSE_LOST_NOBODY;
		cause->arg[0] = dest_qpn;
		cause->arg[1] = path->dlid;
	} else {
		cause->id = BASE_CAUSE_LOST_NO_PORT;
		cause->arg[0] = path->dlid;
	}
	return true;
}

/* The transport has let go of the port: nobody sends by it any more. */
static void release(struct tp_port *port)
{
	struct shm_port *p = port_of(port);

	INVARIANT(p->detached);
	put_wire(p->shm);
	base_free(p);
	port->wire = NULL;
}

static const struct tp_port_ops shm_ops = {
	.max_bytes = max_bytes,
	.send = shm_send,
	.kick = kick,
	.quiesce = quiesce,
	.release = release,
	.why_lost = why_lost,
	.bad_key = shm_bad_key,
	.copies = false,
	.windows = &shm_window_ops,
};

/* The report has it by HCA and number. */
static struct base_report_port *traffic_of(const struct wire_shm *shm, struct shm_port *p)
{
	const struct directory *dir = shm->config.directory;
	const uint32_t host = dir->slot_host[p->slot];

	for (uint32_t n = 0; shm->config.report && n < SHM_PORTS; n++) {
		const uint32_t hca = n / DIRECTORY_PORTS, port = n % DIRECTORY_PORTS;

		if (directory_slot(dir, host, hca, port) == (int)p->slot)
			return &shm->config.report->port[hca][port];
	}
	return &p->unseen;
}

static bool put_in_table(struct wire_shm *shm, struct shm_port *p)
{
	for (uint32_t i = 0; i < SHM_PORTS; i++)
		if (!shm->ports[i]) {
			__atomic_store_n(&shm->ports[i], p, __ATOMIC_RELEASE);
			return true;
		}
	return false;
}

int wire_shm_attach(struct wire_shm *shm, uint32_t slot, struct tp_port *port)
{
	struct shm_port *p = base_zalloc(sizeof(*p));
	bool put;

	if (!p)
		return -ENOMEM;
	*p = (struct shm_port){.shm = shm, .tp = port, .slot = slot};
	p->traffic = traffic_of(shm, p);
	port->wire = p;
	port->ops = &shm_ops;
	spin_lock(&shm->lock);
	put = put_in_table(shm, p);
	spin_unlock(&shm->lock);
	if (put) {
		__atomic_fetch_add(&shm->users, 1, __ATOMIC_RELAXED);
		return 0;
	}
	port->ops = NULL;
	base_free(p);
	return -ENOSPC;
}

/* Whoever takes records holds the lock, so nobody delivers to the port once it has left the table. */
void wire_shm_detach(struct wire_shm *shm, uint32_t slot)
{
	spin_lock(&shm->progress);
	spin_lock(&shm->lock);
	for (uint32_t i = 0; i < SHM_PORTS; i++) {
		struct shm_port *p = shm->ports[i];

		if (!p || p->slot != slot)
			continue;
		__atomic_store_n(&p->detached, true, __ATOMIC_RELEASE);
		__atomic_store_n(&shm->ports[i], NULL, __ATOMIC_RELEASE);
	}
	spin_unlock(&shm->lock);
	spin_unlock(&shm->progress);
	synchronize_rcu();
}

static void answered(struct wire_shm *shm, uint32_t id)
{
	__atomic_fetch_and(&shm->asked[id / 64], ~(1ull << (id % 64)), __ATOMIC_ACQ_REL);
	__atomic_store_n(&shm->unanswered, false, __ATOMIC_RELEASE);
	shm_all_ready(shm);
}

static void forget_asked(struct wire_shm *shm, bool unanswered)
{
	__atomic_store_n(&shm->unanswered, unanswered, __ATOMIC_RELEASE);
	for (uint32_t i = 0; i < DIRECTORY_PROCESSES / 64; i++)
		__atomic_store_n(&shm->asked[i], 0, __ATOMIC_RELEASE);
	shm_all_ready(shm);
}

void wire_shm_ask_again(struct wire_shm *shm)
{
	forget_asked(shm, false);
}

static void lose_patience(struct base_timer *timer)
{
	struct wire_shm *shm = container_of(timer, struct wire_shm, patience);
	const bool missed = __atomic_exchange_n(&shm->missed, false, __ATOMIC_ACQ_REL);
	bool waits = false;

	for (uint32_t i = 0; i < DIRECTORY_PROCESSES / 64; i++)
		waits = waits || __atomic_load_n(&shm->asked[i], __ATOMIC_ACQUIRE);
	if (waits)
		forget_asked(shm, !missed);
}

void wire_shm_known(struct wire_shm *shm, uint64_t known[DIRECTORY_PROCESSES / 64])
{
	memset(known, 0, DIRECTORY_PROCESSES / 8);
	rcu_read_lock();
	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++)
		if (id != shm->config.self && find_peer(shm, id))
			known[id / 64] |= 1ull << (id % 64);
	rcu_read_unlock();
}

static bool can_read(const struct wire_shm_peer *peer)
{
	uint64_t nonce = 0;
	const struct iovec to = {&nonce, sizeof(nonce)};
	const struct iovec from = {(void *)(uintptr_t)peer->control_address, sizeof(nonce)};

	return process_vm_readv(peer->pid, &to, 1, &from, 1, 0) == sizeof(nonce) &&
	       nonce == peer->control->nonce;
}

static struct shm_peer *make_peer(struct wire_shm *shm, const struct wire_shm_peer *is)
{
	struct shm_peer *peer = base_zalloc(sizeof(*peer));
	const uint32_t out = is->id >= shm->config.self ? 0 : 1;

	if (!peer)
		return NULL;
	spin_lock_init(&peer->lock);
	peer->is = *is;
	peer->source.copy = shm_pull;
	peer->out = out;
	peer->late_ns = SHM_LATE_NS;
	/* What we send to ourselves is copied once where it is "pulled". */
	peer->pull_bytes = is->control ? shm->pull_bytes : SHM_PULL_LEAST;
	peer->tx.ring = &is->pair->ring[out];
	peer->rx.ring = &is->pair->ring[is->control ? 1 - out : out];
	peer->can_pull = !is->control || can_read(is);
	__atomic_store_n(&peer->rx.ring->can_pull, peer->can_pull, __ATOMIC_RELEASE);
	return peer;
}

int wire_shm_add_peer(struct wire_shm *shm, const struct wire_shm_peer *is)
{
	struct shm_peer *peer;

	if (shm->peers[is->id])
		return -EEXIST;
	peer = make_peer(shm, is);
	if (!peer)
		return -ENOMEM;
	spin_lock(&shm->progress);
	rcu_assign_pointer(shm->peers[is->id], peer);
	__atomic_store_n(&shm->ids[shm->count], is->id, __ATOMIC_RELAXED);
	__atomic_store_n(&shm->count, shm->count + 1, __ATOMIC_RELEASE);
	spin_unlock(&shm->progress);
	answered(shm, is->id);
	return 0;
}

static void unlist(struct wire_shm *shm, uint32_t id)
{
	const uint32_t last = shm->count - 1;

	for (uint32_t i = 0; i < last; i++)
		if (shm->ids[i] == id)
			__atomic_store_n(&shm->ids[i], shm->ids[last], __ATOMIC_RELAXED);
	__atomic_store_n(&shm->count, last, __ATOMIC_RELEASE);
	rcu_assign_pointer(shm->peers[id], NULL);
}

static void free_peer(struct shm_peer *peer)
{
	shm_park_free(peer->park);
	munmap(peer->is.pair, sizeof(*peer->is.pair));
	if (peer->is.control) {
		munmap((void *)(uintptr_t)peer->is.control, sizeof(*peer->is.control));
		base_fd_close(peer->is.wake_fd);
	}
	if (peer->is.keys)
		munmap((void *)(uintptr_t)peer->is.keys,
		       peer->is.key_count * (size_t)SHM_KEY_BYTES);
	base_fd_close(peer->is.mem_fd);
	base_free(peer);
}

/* What was held is as good as sent. Another thread may be telling a sender: until it has. */
static void release_all(struct shm_peer *peer)
{
	shm_close(peer);
	do {
		shm_release_copied(peer);
		shm_release_held(peer, peer->tx.head);
	} while (shm_holds_any(peer));
}

/* What it had sent before it died: no more than a ring holds, whatever is written there. */
static void drain_all(struct wire_shm *shm, struct shm_peer *peer)
{
	unsigned int left = SHM_RING_BYTES / SHM_RING_ALIGN, taken;

	while (left && (taken = shm_drain(shm, peer, left < SELF_BUDGET ? left : SELF_BUDGET)))
		left -= taken;
}

/* Senders are told before it leaves the list, for there quiesce() looks whether they are. */
static void drop(struct wire_shm *shm, struct shm_peer *peer)
{
	spin_lock(&shm->progress);
	tp_batch_begin();
	drain_all(shm, peer);
	release_all(peer);
	unlist(shm, peer->is.id);
	spin_unlock(&shm->progress);
	tp_batch_end();
	synchronize_rcu();
	free_peer(peer);
}

/* Also of one that we had only asked for: who waits for it looks again, and finds it dead. */
void wire_shm_drop_peer(struct wire_shm *shm, uint32_t id)
{
	if (shm->peers[id])
		drop(shm, shm->peers[id]);
	answered(shm, id);
}

/* Runs to it are lost for a while, so that who sends is as patient as its retries; then they ask again. */
void wire_shm_missed(struct wire_shm *shm, uint32_t id)
{
	if (shm->peers[id])
		drop(shm, shm->peers[id]);
	__atomic_fetch_or(&shm->asked[id / 64], 1ull << (id % 64), __ATOMIC_ACQ_REL);
	__atomic_store_n(&shm->missed, true, __ATOMIC_RELEASE);
	__atomic_store_n(&shm->unanswered, true, __ATOMIC_RELEASE);
	(void)base_timer_arm(&shm->patience, SHM_MISSED_NS);
	shm_all_ready(shm);
}

/* A pair with ourselves, in memory of our own. */
static int add_self(struct wire_shm *shm)
{
	const struct wire_shm_config *config = &shm->config;
	struct wire_shm_peer self = {
		.id = config->self,
		.generation = config->directory->process[config->self].generation,
		.wake_fd = -1,
		.mem_fd = -1,
	};
	int ret;

	self.pair = base_map(sizeof(*self.pair), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!self.pair)
		return -ENOMEM;
	shm->pull_bytes = shm_measure(config, &self.pair->ring[1]);
	ret = wire_shm_add_peer(shm, &self);
	if (ret)
		munmap(self.pair, sizeof(*self.pair));
	return ret;
}

struct wire_shm *wire_shm_new(const struct wire_shm_config *config)
{
	struct wire_shm *shm = base_zalloc(sizeof(*shm));

	if (!shm)
		return NULL;
	shm->config = *config;
	spin_lock_init(&shm->progress);
	spin_lock_init(&shm->lock);
	shm->users = 1;
	base_timer_init(&shm->patience, lose_patience);
	shm_mads_init(shm);
	if (!add_self(shm))
		return shm;
	base_free(shm);
	return NULL;
}

void wire_shm_free(struct wire_shm *shm)
{
	if (!shm)
		return;
	shm_meet_free(shm->meet);
	while (shm->count)
		wire_shm_drop_peer(shm, shm->ids[shm->count - 1]);
	(void)base_timer_disarm_sync(&shm->patience);
	shm_mads_stop(shm);
	put_wire(shm);
}

bool wire_shm_polled(struct wire_shm *shm)
{
	struct shm_control *control = shm->config.control;
	const uint32_t polls = __atomic_load_n(&control->polls, __ATOMIC_RELAXED);
	const uint32_t expects = __atomic_load_n(&control->expects, __ATOMIC_RELAXED);

	__atomic_store_n(&control->polls, polls + 1, __ATOMIC_RELAXED);
	if (unlikely(expects))
		__atomic_store_n(&control->expects, expects - 1, __ATOMIC_RELAXED);
	return unlikely(__atomic_load_n(&shm->sleeps_long, __ATOMIC_RELAXED)) &&
	       __atomic_exchange_n(&shm->sleeps_long, false, __ATOMIC_RELAXED);
}

void wire_shm_expect(struct wire_shm *shm)
{
	__atomic_store_n(&shm->config.control->expects, LOOKS_BEFORE_SLEEP, __ATOMIC_SEQ_CST);
}

bool wire_shm_is_polled(const struct wire_shm *shm)
{
	const struct shm_control *control = shm->config.control;

	return !__atomic_load_n(&control->expects, __ATOMIC_RELAXED) &&
	       __atomic_load_n(&control->polls, __ATOMIC_RELAXED) != shm->seen_polls;
}

static bool has_something(struct wire_shm *shm)
{
	bool something = false;

	rcu_read_lock();
	for (uint32_t i = 0; !something && i < count_of(shm); i++) {
		struct shm_peer *peer = rcu_dereference(shm->peers[id_at(shm, i)]);

		something = peer && !shm_ring_is_empty(&peer->rx);
	}
	rcu_read_unlock();
	return something;
}

static bool wait_for_room(struct wire_shm *shm)
{
	bool wait = false;

	rcu_read_lock();
	for (uint32_t i = 0; !wait && i < count_of(shm); i++) {
		struct shm_peer *peer = rcu_dereference(shm->peers[id_at(shm, i)]);

		wait = peer && shm_waits_for_room(peer);
	}
	rcu_read_unlock();
	return wait;
}

static uint64_t doze(struct wire_shm *shm)
{
	__atomic_store_n(&shm->config.control->sleeping, SHM_DOZES, __ATOMIC_RELAXED);
	return LOOK_AGAIN_NS;
}

/*
 * Neither who polls nor who sends to one that dozes makes a fence. So what they did may be seen late,
 * and we look a last time, after a while, before we sleep for long.
 */
uint64_t wire_shm_sleep(struct wire_shm *shm)
{
	struct shm_control *control = shm->config.control;
	const bool polled = wire_shm_is_polled(shm);
	const bool settled = shm->settled;
	const uint64_t watch_ns = shm_watch(shm);

	shm->seen_polls = __atomic_load_n(&control->polls, __ATOMIC_RELAXED);
	shm->settled = !polled;
	if (polled)
		return doze(shm);
	__atomic_store_n(&control->sleeping, SHM_SLEEPS, __ATOMIC_SEQ_CST);
	smp_mb();
	if (has_something(shm)) {
		shm->settled = false;
		if (spin_is_locked(&shm->progress))
			return doze(shm); /* somebody takes it, or did, and is not running */
		wire_shm_awake(shm);
		return 0;
	}
	if (!settled || wait_for_room(shm))
		return LOOK_AGAIN_NS;
	__atomic_store_n(&shm->sleeps_long, true, __ATOMIC_SEQ_CST);
	return watch_ns;
}

void wire_shm_awake(struct wire_shm *shm)
{
	__atomic_store_n(&shm->sleeps_long, false, __ATOMIC_RELAXED);
	__atomic_store_n(&shm->config.control->sleeping, SHM_AWAKE, __ATOMIC_RELAXED);
}

void wire_shm_stats(struct wire_shm *shm, struct wire_shm_stats *stats)
{
	*stats = (struct wire_shm_stats){
		.pulled = __atomic_load_n(&shm->stats.pulled, __ATOMIC_RELAXED),
		.dropped = __atomic_load_n(&shm->stats.dropped, __ATOMIC_RELAXED),
		.waited = __atomic_load_n(&shm->stats.waited, __ATOMIC_RELAXED),
		.malformed = __atomic_load_n(&shm->stats.malformed, __ATOMIC_RELAXED),
	};
}
