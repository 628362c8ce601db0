// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Windows between two processes: where they lie in the memory of a pair, who may be in one, and the
 * one routine by which bytes get into another process, or out of it.
 *
 * Nobody sleeps on a window: who wants to know that a peer is out of it looks again after a while,
 * for a peer may be stopped, dead, or scribble over it.
 */
#include <errno.h>
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cause.h"
#include "base/host.h"
#include "wire/shm_priv.h"

/* A number's window is one of so many slots from where it belongs. */
#define PROBES 8u

/* By the descriptor up to here; beyond, a call that names the process costs less. Measured. */
#define WRITE_BY_FD_BYTES 8u
#define READ_BY_FD_BYTES 4096u

#define TAIL_BYTES 8u
#define SPINS 1000u
#define LOOK_AGAIN_NS 100000u /* at first, and twice as long each time */
#define MOST_LOOK_AGAIN_NS 10000000u
#define CLOSE_NS 5000000000ull
#define LATE_NS 1000000000ull

/* A handle: generation and id of the peer, slot + 1. */
#define HANDLE_ID_SHIFT 16
#define HANDLE_GENERATION_SHIFT 32

static struct wire_shm *shm_of(const struct tp_port *port)
{
	return ((const struct shm_port *)port->wire)->shm;
}

static uint32_t slot_of(uint32_t qpn, uint32_t probe)
{
	return (qpn + probe) % SHM_WINDOWS;
}

static uint16_t lock_value(const struct tp_port *port)
{
	return (uint16_t)(shm_of(port)->config.self + 1);
}

static struct tp_window *own_window(struct shm_peer *peer, uint32_t slot)
{
	return &peer->is.pair->window[peer->out][slot];
}

/* RCU. The peer of a handle, if it is still the same. */
static struct shm_peer *peer_of(struct wire_shm *shm, uint64_t handle)
{
	const uint32_t id = handle >> HANDLE_ID_SHIFT & 0xffffu;
	struct shm_peer *peer = rcu_dereference(shm->peers[id % DIRECTORY_PROCESSES]);

	return peer && peer->is.generation == handle >> HANDLE_GENERATION_SHIFT ? peer : NULL;
}

static uint32_t slot_in(uint64_t handle)
{
	return ((uint32_t)handle & 0xffffu) - 1;
}

static uint64_t handle_of(const struct shm_peer *peer, uint32_t slot)
{
	return (uint64_t)peer->is.generation << HANDLE_GENERATION_SHIFT |
	       (uint64_t)peer->is.id << HANDLE_ID_SHIFT | (slot + 1);
}

static struct tp_window *get(struct tp_port *port, uint64_t handle)
{
	struct shm_peer *peer = peer_of(shm_of(port), handle);

	return likely(peer) ? own_window(peer, slot_in(handle)) : NULL;
}

/* The number is stored last, and never before: whoever finds it finds the rest. */
static void show(struct tp_window *w, const struct tp_window *terms)
{
	struct tp_window hidden = *terms;

	hidden.qpn = 0;
	hidden.lock = __atomic_load_n(&w->lock, __ATOMIC_RELAXED) & ~TP_WINDOW_HOLDER;
	*w = hidden;
	__atomic_store_n(&w->qpn, terms->qpn, __ATOMIC_RELEASE);
}

static bool may_be_direct(const struct wire_shm *shm)
{
	return __atomic_load_n(&shm->config.direct, __ATOMIC_ACQUIRE);
}

/* Returns the slot, or -1. Who wants no windows any more says so, and then shuts those there are. */
static int open_slot(struct wire_shm *shm, struct shm_peer *peer, const struct tp_window *terms)
{
	int slot = -1;

	spin_lock(&peer->lock);
	for (uint32_t i = 0; i < PROBES && slot < 0 && !peer->closed && may_be_direct(shm); i++) {
		struct shm_own_window *own = &peer->own[slot_of(terms->qpn, i)];

		if (own->used)
			continue;
		*own = (struct shm_own_window){.used = true, .pd = terms->pd, .qpn = terms->qpn};
		slot = (int)slot_of(terms->qpn, i);
		show(own_window(peer, (uint32_t)slot), terms);
	}
	spin_unlock(&peer->lock);
	return slot;
}

static uint64_t open_window(struct tp_port *port, const struct tp_window *terms)
{
	struct shm_port *p = port->wire;
	struct wire_shm *shm = p->shm;
	struct shm_peer *peer;
	uint64_t handle = 0;
	int id, slot;

	if (!may_be_direct(shm))
		return 0;
	rcu_read_lock();
	id = directory_find(shm->config.directory, p->slot, terms->slid, terms->peer_qpn);
	peer = id >= 0 ? rcu_dereference(shm->peers[id]) : NULL;
	slot = peer && peer->is.control ? open_slot(shm, peer, terms) : -1;
	if (slot >= 0)
		handle = handle_of(peer, (uint32_t)slot);
	rcu_read_unlock();
	return handle;
}

/**
 * struct visit - A window that a peer was seen in.
 * @shm: Wire.
 * @handle: The window.
 * @seen: Its lock, as it was.
 */
struct visit {
	struct wire_shm *shm;
	uint64_t handle;
	uint32_t seen;
};

/* Whether the peer has been out of the window since, or is dead. */
static bool is_out(void *arg)
{
	const struct visit *v = arg;
	struct shm_peer *peer;
	bool out;

	rcu_read_lock();
	peer = peer_of(v->shm, v->handle);
	out = !peer ||
	      __atomic_load_n(&own_window(peer, slot_in(v->handle))->lock, __ATOMIC_SEQ_CST) !=
		      v->seen ||
	      !directory_is_alive(v->shm->config.directory, peer->is.id, peer->is.generation);
	rcu_read_unlock();
	return out;
}

/**
 * struct patience - How long somebody waits, however many windows there are.
 * @shm: Wire.
 * @begin_ns: Since when.
 * @end_ns: Until when.
 * @look_ns: Until the next look.
 * @said: That it takes long.
 */
struct patience {
	struct wire_shm *shm;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t look_ns;
	bool said;
};

static struct patience patience_of(struct wire_shm *shm, uint64_t timeout_ns)
{
	const uint64_t now_ns = timeout_ns ? shm->config.now_ns(shm->config.ctx) : 0;

	return (struct patience){.shm = shm,
				 .begin_ns = now_ns,
				 .end_ns = now_ns + timeout_ns,
				 .look_ns = LOOK_AGAIN_NS};
}

static void name_peer(const struct visit *v, struct base_cause *cause)
{
	shm_name_peer(v->shm->config.directory,
		      (v->handle >> HANDLE_ID_SHIFT & 0xffffu) % DIRECTORY_PROCESSES, cause);
}

/* Who it is that is in a window, from &tp_window_ops.left. */
static void name_holder(const struct visit *v, struct base_cause *holder)
{
	const struct shm_peer *peer;

	name_peer(v, holder);
	rcu_read_lock();
	peer = peer_of(v->shm, v->handle);
	if (peer)
		holder->qpn = peer->own[slot_in(v->handle)].qpn;
	rcu_read_unlock();
}

static void say(const struct visit *v, enum base_cause_id id, uint64_t waited_ns)
{
	struct base_cause cause = {.id = (uint16_t)id};

	name_peer(v, &cause);
	cause.arg[1 + BASE_CAUSE_TEXT_ARGS] = waited_ns / NS_PER_MS;
	base_cause_warn(&cause);
}

/* Most copies are over before it is worth while to sleep. */
static bool wait_for(struct visit *v, struct patience *p)
{
	uint64_t now_ns;

	for (uint32_t i = 0; i < SPINS; i++)
		if (is_out(v))
			return true;
	if (p->end_ns == p->begin_ns)
		return false;
	while ((now_ns = p->shm->config.now_ns(p->shm->config.ctx)) < p->end_ns) {
		if (!p->said && now_ns - p->begin_ns >= LATE_NS) {
			p->said = true;
			say(v, BASE_CAUSE_PEER_IN_WINDOW, LATE_NS);
		}
		if (base_wait_until(is_out, v, min_t(uint64_t, p->look_ns, p->end_ns - now_ns)))
			return true;
		p->look_ns = min_t(uint64_t, 2 * p->look_ns, MOST_LOOK_AGAIN_NS);
	}
	say(v, BASE_CAUSE_PEER_STAYS_IN_WINDOW, p->end_ns - p->begin_ns);
	return false;
}

/* Whether a peer is in the window now; what else stands there is garbage, and nobody's. */
static bool is_visited(struct wire_shm *shm, uint64_t handle, struct visit *v)
{
	const struct shm_peer *peer = peer_of(shm, handle);

	if (!peer)
		return false;
	*v = (struct visit){.shm = shm, .handle = handle};
	v->seen = __atomic_load_n(&peer->is.pair->window[peer->out][slot_in(handle)].lock,
				  __ATOMIC_SEQ_CST);
	return (v->seen & TP_WINDOW_HOLDER) == peer->is.id + 1;
}

/**
 * struct wanted - Which windows are asked for.
 * @all: All.
 * @pd: Those of this PD,
 * @qpn: and of this queue pair, unless it is 0.
 */
struct wanted {
	bool all;
	uint32_t pd;
	uint32_t qpn;
};

static bool is_wanted(const struct shm_own_window *own, const struct wanted *wanted)
{
	return __atomic_load_n(&own->used, __ATOMIC_ACQUIRE) &&
	       (wanted->all ||
		(own->pd == wanted->pd && (!wanted->qpn || own->qpn == wanted->qpn)));
}

/* The next window of a peer, from @slot on, that it is in and that is asked for. RCU. */
static bool next_visited(struct wire_shm *shm, const struct shm_peer *peer, uint32_t *slot,
			 const struct wanted *wanted, struct visit *v)
{
	for (; *slot < SHM_WINDOWS; ++*slot)
		if (is_wanted(&peer->own[*slot], wanted) &&
		    is_visited(shm, handle_of(peer, *slot), v))
			return true;
	return false;
}

/* False: @v is where it still is. */
static bool peer_left(struct wire_shm *shm, uint32_t id, const struct wanted *wanted,
		      struct patience *patience, struct visit *v)
{
	for (uint32_t slot = 0;; slot++) {
		struct shm_peer *peer;
		bool visited;

		rcu_read_lock();
		peer = rcu_dereference(shm->peers[id]);
		visited = peer && next_visited(shm, peer, &slot, wanted, v);
		rcu_read_unlock();
		if (!visited)
			return true;
		if (!wait_for(v, patience))
			return false;
	}
}

static bool left(struct tp_port *port, uint32_t pd, uint32_t qpn, uint64_t timeout_ns,
		 struct base_cause *holder)
{
	const struct wanted wanted = {.pd = pd, .qpn = qpn};
	struct wire_shm *shm = shm_of(port);
	struct patience patience = patience_of(shm, timeout_ns);
	struct visit v;

	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++) {
		if (!__atomic_load_n(&shm->peers[id], __ATOMIC_RELAXED) ||
		    peer_left(shm, id, &wanted, &patience, &v))
			continue;
		if (holder)
			name_holder(&v, holder);
		return false;
	}
	return true;
}

/* A slot whose peer never comes out is not given out again. */
static void close_window(struct tp_port *port, uint64_t handle)
{
	struct wire_shm *shm = shm_of(port);
	struct patience patience = patience_of(shm, CLOSE_NS);
	struct shm_peer *peer;
	struct visit v;
	bool visited = false;

	rcu_read_lock();
	peer = peer_of(shm, handle);
	if (peer) {
		__atomic_store_n(&own_window(peer, slot_in(handle))->qpn, 0, __ATOMIC_SEQ_CST);
		visited = is_visited(shm, handle, &v);
	}
	rcu_read_unlock();
	if (visited && !wait_for(&v, &patience))
		return;
	rcu_read_lock();
	peer = peer_of(shm, handle);
	if (peer)
		__atomic_store_n(&peer->own[slot_in(handle)].used, false, __ATOMIC_RELEASE);
	rcu_read_unlock();
}

static void shut_all(struct shm_peer *peer)
{
	spin_lock(&peer->lock);
	for (uint32_t slot = 0; slot < SHM_WINDOWS; slot++)
		if (__atomic_load_n(&peer->own[slot].used, __ATOMIC_ACQUIRE))
			__atomic_store_n(&own_window(peer, slot)->qpn, 0, __ATOMIC_SEQ_CST);
	spin_unlock(&peer->lock);
}

void wire_shm_close_windows(struct wire_shm *shm)
{
	__atomic_store_n(&shm->config.direct, false, __ATOMIC_RELEASE);
	rcu_read_lock();
	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++) {
		struct shm_peer *peer = rcu_dereference(shm->peers[id]);

		if (peer && peer->is.control)
			shut_all(peer);
	}
	rcu_read_unlock();
	for (uint32_t id = 0; id < DIRECTORY_PROCESSES; id++) {
		struct patience patience = patience_of(shm, LATE_NS);
		struct visit v;

		(void)peer_left(shm, id, &(struct wanted){.all = true}, &patience, &v);
	}
}

static int by_fd(const struct shm_peer *peer, bool write, const struct iovec *local,
		 unsigned int count, uint64_t at, size_t bytes)
{
	const long call = write ? SYS_pwritev : SYS_preadv;
	const long n = syscall(call, peer->is.mem_fd, local, (unsigned long)count,
			       (unsigned long)at, (unsigned long)(at >> 32));

	return n >= 0 && (size_t)n == bytes ? 0 : -EFAULT;
}

/* -EPERM: never again. */
static int by_pid(struct shm_peer *peer, bool write, const struct iovec *local, unsigned int count,
		  const struct iovec *remote, unsigned int remote_count, size_t bytes)
{
	const long call = write ? SYS_process_vm_writev : SYS_process_vm_readv;
	const long n = syscall(call, (long)peer->is.pid, local, (unsigned long)count, remote,
			       (unsigned long)remote_count, 0UL);

	if (likely(n >= 0 && (size_t)n == bytes))
		return 0;
	return n < 0 && shm_is_refused(peer, errno) ? -EPERM : -EFAULT;
}

static void *address(uint64_t at)
{
	return (void *)(uintptr_t)at;
}

/* Bytes that go by one copy, in any order. */
static int copy(struct shm_peer *peer, bool write, const struct tp_payload *local, uint32_t skip,
		uint64_t at, uint32_t bytes)
{
	const uint32_t most = write ? WRITE_BY_FD_BYTES : READ_BY_FD_BYTES;
	const struct iovec remote = {address(at), bytes};
	struct iovec iov[SHM_RUN_SEGMENTS] = {{NULL, 0}};
	const unsigned int count =
		shm_cut(local->iov, local->count, local->offset + skip, bytes, iov);
	int ret = -EPERM;

	if (shm_may_pull(peer) && (bytes > most || peer->is.mem_fd < 0))
		ret = by_pid(peer, write, iov, count, &remote, 1, bytes);
	if (ret == -EPERM && peer->is.mem_fd >= 0)
		ret = by_fd(peer, write, iov, count, at, bytes);
	return ret;
}

/*
 * What is written last is seen last. One call does for both parts where the processor keeps stores in
 * order, those of two string instructions included.
 */
static int write_in_order(struct shm_peer *peer, const struct tp_payload *local, uint32_t skip,
			  uint64_t at, uint32_t bytes)
{
	const uint32_t head = bytes - TAIL_BYTES;
	int ret;

#ifdef __x86_64__
	if (shm_may_pull(peer)) {
		const struct iovec remote[2] = {{address(at), head},
						{address(at + head), TAIL_BYTES}};
		struct iovec iov[SHM_RUN_SEGMENTS] = {{NULL, 0}};
		const unsigned int count =
			shm_cut(local->iov, local->count, local->offset + skip, bytes, iov);

		ret = by_pid(peer, true, iov, count, remote, 2, bytes);
		if (ret != -EPERM)
			return ret;
	}
#endif
	ret = copy(peer, true, local, skip, at, head);
	smp_mb();
	return ret ? ret : copy(peer, true, local, skip + head, at + head, TAIL_BYTES);
}

static int place(const struct tp_peer_window *pw, bool write, const struct tp_payload *local,
		 uint32_t skip, uint64_t at, uint32_t bytes)
{
	struct shm_peer *peer = (struct shm_peer *)(uintptr_t)pw->ctx;

	if (local->count > SHM_RUN_SEGMENTS || at > (uint64_t)INT64_MAX - bytes)
		return -EINVAL;
	if (write && bytes > TAIL_BYTES)
		return write_in_order(peer, local, skip, at, bytes);
	return copy(peer, write, local, skip, at, bytes);
}

static bool find(struct tp_port *port, const struct tp_run *run, struct tp_peer_window *out)
{
	const uint32_t qpn = run->dest_qpn;
	const struct shm_port *p = port->wire;
	struct wire_shm *shm = p->shm;
	const int id = directory_find(shm->config.directory, p->slot, run->path.dlid, qpn);
	struct shm_peer *peer = id >= 0 ? rcu_dereference(shm->peers[id]) : NULL;

	if (!peer || !peer->is.keys || !may_be_direct(shm) ||
	    __atomic_load_n(&p->detached, __ATOMIC_ACQUIRE) ||
	    !directory_is_alive(shm->config.directory, (uint32_t)id, peer->is.generation) ||
	    (unlikely(shm->ways) && !shm_way_is_direct(p, run)))
		return false;
	for (uint32_t i = 0; i < PROBES; i++) {
		struct tp_window *w = &peer->is.pair->window[1 - peer->out][slot_of(qpn, i)];

		if (__atomic_load_n(&w->qpn, __ATOMIC_ACQUIRE) != qpn)
			continue;
		*out = (struct tp_peer_window){.window = w,
					       .keys = peer->is.keys,
					       .key_count = peer->is.key_count,
					       .self = lock_value(port),
					       .place = place,
					       .ctx = peer};
		return true;
	}
	return false;
}

_Static_assert(FABRIC_PORTS == BASE_REPORT_SLOTS, "each port has its place");

/*
 * As if packets had gone, but for ACKs, of which there are none. The owner, who need not run, does not
 * see anything arrive: what its port has carried is counted here.
 */
static void placed(struct tp_port *port, const struct tp_run *run)
{
	struct shm_port *p = port->wire;
	const struct wire_shm_config *config = &p->shm->config;
	const int target = fabric_owner(&config->directory->fabric, run->path.dlid);
	struct base_placed more = {.received_packets = run->packets,
				   .received_bytes = shm_run_wire_bytes(run, run->packets)};
	uint32_t responses;

	shm_count(&config->control->placed, 1);
	base_traffic_sent(p->traffic, more.received_packets, more.received_bytes, false);
	if (pkt_op(run->last_opcode)->kind == PKT_KIND_READ_REQ) {
		more.sent_bytes = shm_run_response_bytes(run, &responses);
		more.sent_packets = responses;
		base_traffic_received(p->traffic, more.sent_packets, more.sent_bytes, false);
	}
	if (likely(config->report && target >= 0))
		base_placed_count(config->report, (uint32_t)target, &more);
	if (unlikely(p->shm->ways))
		shm_way_placed(p, run, &more);
}

const struct tp_window_ops shm_window_ops = {
	.open = open_window,
	.get = get,
	.close = close_window,
	.left = left,
	.find = find,
	.placed = placed,
	.self = lock_value,
};
