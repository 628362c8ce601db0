// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The receiving side of a peer: records out of the ring, payload out of its memory, waking it. */
#include <errno.h>
#include <linux/compiler.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/fd.h"
#include "transport/tp_engine.h"
#include "wire/shm_priv.h"

#define PROBE_BYTES 4096u

static struct shm_peer *peer_of(const struct tp_source *source)
{
	return container_of(source, struct shm_peer, source);
}

unsigned int shm_cut(const struct iovec *from, unsigned int count, size_t offset, size_t bytes,
		     struct iovec *to)
{
	unsigned int used = 0;

	for (unsigned int i = 0; i < count && bytes; i++) {
		size_t here = from[i].iov_len;

		if (offset >= here) {
			offset -= here;
			continue;
		}
		here -= offset;
		if (here > bytes)
			here = bytes;
		to[used++] = (struct iovec){(char *)from[i].iov_base + offset, here};
		bytes -= here;
		offset = 0;
	}
	return used;
}

/* After a copy that did not go through: a byte of each page of the sender's memory tells. */
static bool is_readable(pid_t pid, const struct iovec *from, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		for (size_t at = 0; at < from[i].iov_len; at += PROBE_BYTES) {
			char byte;
			const struct iovec to = {&byte, 1};
			const struct iovec one = {(char *)from[i].iov_base + at, 1};

			if (process_vm_readv(pid, &to, 1, &one, 1, 0) != 1)
				return false;
		}
	return true;
}

/* A filter of system calls, or a setting of the system, that has come since we were introduced. */
bool shm_is_refused(struct shm_peer *peer, int error)
{
	if (error != EPERM && error != ENOSYS)
		return false;
	__atomic_store_n(&peer->can_pull, false, __ATOMIC_RELAXED);
	__atomic_store_n(&peer->rx.ring->can_pull, false, __ATOMIC_RELEASE);
	return true;
}

/* By the descriptor: what was left there before the peer knew better. */
static int pull_by_fd(const struct shm_peer *peer, const struct iovec *to, const struct iovec *from,
		      unsigned int count)
{
	size_t used = 0;

	for (unsigned int i = 0; i < count; i++)
		for (size_t done = 0; done < from[i].iov_len;) {
			const size_t room = to->iov_len - used, left = from[i].iov_len - done;
			const size_t bytes = room < left ? room : left;
			const uint64_t at = (uint64_t)(uintptr_t)from[i].iov_base + done;
			const long n = syscall(SYS_pread64, peer->is.mem_fd,
					       (char *)to->iov_base + used, bytes, at);

			if (n == 0) /* the process has no memory any more */
				return -ESRCH;
			if (n < 0 || (size_t)n != bytes)
				return n < 0 && errno == EFAULT ? -EFAULT : -ENODATA;
			done += bytes;
			used += bytes;
			if (used == to->iov_len) {
				to++;
				used = 0;
			}
		}
	return 0;
}

int shm_pull(const struct tp_source *source, const struct iovec *to, unsigned int to_count,
	     const struct iovec *from, unsigned int from_count, size_t from_offset, size_t bytes)
{
	struct shm_peer *peer = peer_of(source);
	struct iovec remote[SHM_RUN_SEGMENTS];
	unsigned int count;
	ssize_t n;

	remote[0] = (struct iovec){NULL, 0}; /* shm_cut() may leave nothing */
	count = shm_cut(from, from_count, from_offset, bytes, remote);
	/* The program's memory, written as a device would: no concern of a sanitizer's. */
	n = syscall(SYS_process_vm_readv, peer->is.pid, to, to_count, remote, count, 0UL);
	if (likely(n >= 0 && (size_t)n == bytes))
		return 0;
	if (n < 0 && errno == ESRCH)
		return -ESRCH;
	if (n < 0 && shm_is_refused(peer, errno))
		return peer->is.mem_fd >= 0 ? pull_by_fd(peer, to, remote, count) : -ENODATA;
	return is_readable(peer->is.pid, remote, count) ? -EFAULT : -ENODATA;
}

/*
 * Who dozes looks by itself, or else shm_wake_late() sees to it; and it looks a last time when it has
 * slept a while (wire_shm_sleep()), so only towards who is awake is there a fence to be paid for.
 */
void shm_wake(struct shm_peer *peer)
{
	const struct shm_control *control = peer->is.control;
	uint32_t sleeping;

	if (!control)
		return;
	sleeping = __atomic_load_n(&control->sleeping, __ATOMIC_RELAXED);
	if (sleeping == SHM_AWAKE) {
		smp_mb();
		sleeping = __atomic_load_n(&control->sleeping, __ATOMIC_RELAXED);
	}
	if (sleeping == SHM_SLEEPS ||
	    (sleeping == SHM_DOZES && __atomic_load_n(&control->expects, __ATOMIC_RELAXED)))
		base_fd_wake(peer->is.wake_fd);
}

void shm_wake_late(struct wire_shm *shm, struct shm_peer *peer)
{
	const struct shm_control *control = peer->is.control;
	uint32_t polls;
	uint64_t now_ns, tail;

	if (likely(shm_ring_is_consumed(&peer->tx)) || !control ||
	    ++peer->looks % SHM_LOOKS_PER_CLOCK ||
	    !__atomic_load_n(&control->sleeping, __ATOMIC_RELAXED))
		return;
	now_ns = shm->config.now_ns(shm->config.ctx);
	polls = __atomic_load_n(&control->polls, __ATOMIC_RELAXED);
	tail = __atomic_load_n(&peer->tx.ring->tail, __ATOMIC_RELAXED);
	if (polls == peer->seen_polls && tail == peer->seen_tail) {
		if (now_ns - peer->seen_ns < peer->late_ns)
			return;
		base_fd_wake(peer->is.wake_fd);
		peer->late_ns *= peer->late_ns < SHM_LATEST_NS ? 2 : 1;
	} else {
		peer->late_ns = SHM_LATE_NS;
	}
	peer->seen_polls = polls;
	peer->seen_tail = tail;
	peer->seen_ns = now_ns;
}

bool shm_waits_for_room(const struct shm_peer *peer)
{
	return __atomic_load_n(&peer->refused, __ATOMIC_RELAXED);
}

struct shm_port *shm_port_at(struct wire_shm *shm, uint32_t slot)
{
	for (uint32_t i = 0; i < SHM_PORTS; i++)
		if (shm->ports[i] && shm->ports[i]->slot == slot)
			return shm->ports[i];
	return NULL;
}

void shm_arrive(struct shm_port *port, const struct tp_run *run)
{
	base_traffic_received(port->traffic, run->packets, shm_run_wire_bytes(run, run->packets),
			      run->path.dlid >= FABRIC_UNICAST_LIDS);
	tp_receive(port->tp, run);
}

static void receive(struct wire_shm *shm, const struct shm_peer *peer, struct shm_port *port,
		    const struct tp_run *run)
{
	if (unlikely(shm_meets_faults(shm)))
		shm_meet_receiving(shm, peer, port->slot, run);
	else
		shm_arrive(port, run);
}

/* A datagram for a group is for all ports of this process but the one that it was sent by. */
static void deliver_to_all(struct wire_shm *shm, const struct shm_peer *peer,
			   const struct tp_run *run)
{
	const struct fabric *fabric = &shm->config.directory->fabric;
	const int from = fabric_owner(fabric, run->path.slid);

	for (uint32_t i = 0; i < SHM_PORTS; i++)
		if (from >= 0 && shm->ports[i] && shm->ports[i]->slot != (uint32_t)from &&
		    fabric_can_reach(fabric, (uint32_t)from, shm->ports[i]->slot) &&
		    (likely(!shm->ways) ||
		     shm_way_leads(shm, (uint32_t)from, run, shm->ports[i]->slot)))
			receive(shm, peer, shm->ports[i], run);
}

/* That of ours which a run is for, or NULL; of groups NULL, too. */
static struct shm_port *port_for(struct wire_shm *shm, const struct tp_run *run)
{
	const int slot = fabric_owner(&shm->config.directory->fabric, run->path.dlid);

	return slot >= 0 ? shm_port_at(shm, (uint32_t)slot) : NULL;
}

struct tp_port *shm_port_of(struct wire_shm *shm, const struct tp_run *run)
{
	struct shm_port *port = port_for(shm, run);

	return port ? port->tp : NULL;
}

void shm_deliver(struct wire_shm *shm, const struct shm_peer *peer, const struct tp_run *run)
{
	struct shm_port *port = port_for(shm, run);

	if (run->path.dlid >= FABRIC_UNICAST_LIDS)
		deliver_to_all(shm, peer, run);
	else if (port)
		receive(shm, peer, port, run);
	else
		shm_count(&shm->stats.dropped, run->packets);
}

/* Whether the payload may be read: the sender has not taken its memory back. */
static bool take_payload(struct shm_peer *peer, struct shm_run *record, struct shm_run_view *view)
{
	uint32_t ready = SHM_RUN_READY;

	if (!view->pull)
		return true;
	view->run.payload.source = peer->is.control ? &peer->source : NULL;
	return __atomic_compare_exchange_n(&record->state, &ready, SHM_RUN_TAKEN, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static void take_record(struct wire_shm *shm, struct shm_peer *peer, void *record, size_t bytes)
{
	struct shm_run_view view;

	shm_say_ack(peer); /* the record that it goes to is the sender's again soon */
	if (shm_run_read(record, bytes, &view)) {
		shm_count(&shm->stats.malformed, 1);
		return;
	}
	if (!take_payload(peer, record, &view))
		return;
	if (view.pull)
		shm_count(&shm->stats.pulled, 1);
	if (unlikely(shm_run_may_wait(&view.run)) && !shm_meets_faults(shm) &&
	    shm_park(shm, peer, &view.run, record, bytes))
		return;
	shm_deliver(shm, peer, &view.run);
}

/*
 * The producer waits for room. No fence: it looks once more after it has announced that, and again
 * each millisecond.
 */
static void tell_producer(struct shm_peer *peer)
{
	struct shm_ring *ring = peer->rx.ring;

	if (likely(!__atomic_load_n(&ring->producer_waits, __ATOMIC_RELAXED)))
		return;
	if (__atomic_exchange_n(&ring->producer_waits, 0, __ATOMIC_RELAXED))
		shm_wake(peer);
}

void shm_tell_held(struct shm_peer *peer)
{
	smp_mb();
	if (__atomic_exchange_n(&peer->rx.ring->producer_held, 0, __ATOMIC_RELAXED))
		base_fd_wake(peer->is.wake_fd);
}

unsigned int shm_drain(struct wire_shm *shm, struct shm_peer *peer, unsigned int budget)
{
	unsigned int taken = 0;
	size_t bytes;
	uint32_t kind;
	void *record;

	while (taken < budget && (record = shm_ring_peek(&peer->rx, &kind, &bytes))) {
		taken++;
		if (unlikely(kind != SHM_KIND_RUN))
			shm_count(&shm->stats.malformed, 1);
		else if (!shm_take_small(shm, peer, record, bytes,
					 taken < budget && shm_ring_has_next(&peer->rx)))
			take_record(shm, peer, record, bytes);
		shm_ring_consume(&peer->rx);
	}
	if (taken) {
		shm_say_ack(peer);
		shm_ring_free(&peer->rx);
		tell_producer(peer);
	}
	return taken;
}
