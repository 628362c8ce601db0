// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Windows between two processes: station 1 owns them, station 0 is the peer. Time is virtual, so what
 * takes seconds takes none.
 */
#include <linux/filter.h>
#include <linux/kernel.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/cause.h"
#include "base/check.h"
#include "base/timer.h"
#include "shm_fixture.h"

#define PD 7u
#define SECOND 1000000000ull

static const struct tp_window_ops *ops(void)
{
	return stations[1].port.ops->windows;
}

static struct tp_window terms_of(uint32_t qpn)
{
	return (struct tp_window){.qpn = qpn,
				  .peer_qpn = stations[0].qpn,
				  .position = TP_WINDOW_READY | 5,
				  .pd = PD,
				  .pmtu_bytes = 1024,
				  .slid = dir->fabric.ports[stations[0].slot].config.lid,
				  .dlid = dir->fabric.ports[stations[1].slot].config.lid,
				  .pkey = 0xffff};
}

static uint64_t open_window(uint32_t qpn)
{
	const struct tp_window terms = terms_of(qpn);

	return ops()->open(&stations[1].port, &terms);
}

static struct tp_window *window_of(uint64_t handle)
{
	return ops()->get(&stations[1].port, handle);
}

static bool find(uint32_t qpn, struct tp_peer_window *out)
{
	struct tp_run run = make_run(&stations[1], 1, 1);

	run.dest_qpn = qpn;
	return ops()->find(&stations[0].port, &run, out);
}

static bool left(uint32_t pd, uint32_t qpn, uint64_t timeout_ns, struct base_cause *holder)
{
	return ops()->left(&stations[1].port, pd, qpn, timeout_ns, holder);
}

/* As the peer takes it. */
static void hold(struct tp_window *w)
{
	assert_true(tp_window_try(w, (uint16_t)(stations[0].id + 1)));
}

static int start_direct(void **state)
{
	direct = true;
	return start(state);
}

static int stop_direct(void **state)
{
	direct = false;
	return stop(state);
}

/* Opening and finding */

static void open__is_found_by_its_number(void **state)
{
	struct tp_peer_window pw;
	uint64_t handle;

	(void)state;
	meet();
	assert_false(find(stations[1].qpn, &pw));
	handle = open_window(stations[1].qpn);
	assert_true(handle);
	assert_true(find(stations[1].qpn, &pw));
	assert_int_equal(pw.window->position, TP_WINDOW_READY | 5);
	assert_int_equal(pw.window->peer_qpn, stations[0].qpn);
	assert_int_equal(pw.key_count, SHOWN_KEYS);
	assert_int_equal(pw.self, stations[0].id + 1);
	pw.window->position = TP_WINDOW_READY | 6; /* one memory, two mappings */
	assert_int_equal(window_of(handle)->position, TP_WINDOW_READY | 6);
	assert_false(find(stations[1].qpn + 1, &pw));
	ops()->close(&stations[1].port, handle);
	assert_false(find(stations[1].qpn, &pw));
}

/* Whatever stood there: the lock is free, and has not been taken less often than before. */
static void open__in_a_window_that_was_scribbled_over(void **state)
{
	struct tp_window *w;
	uint64_t handle;

	(void)state;
	meet();
	handle = open_window(stations[1].qpn);
	w = window_of(handle);
	ops()->close(&stations[1].port, handle);
	memset(w, 0xff, sizeof(*w));
	handle = open_window(stations[1].qpn);
	assert_ptr_equal(window_of(handle), w);
	assert_int_equal(w->lock, 0xffff0000);
	assert_int_equal(w->qpn, stations[1].qpn);
	assert_int_equal(w->position, TP_WINDOW_READY | 5);
}

static void open__until_all_places_are_taken(void **state)
{
	uint64_t handle[9];
	struct tp_peer_window pw;

	(void)state;
	meet();
	for (uint32_t i = 0; i < 8; i++) {
		handle[i] = open_window(stations[1].qpn + i * SHM_WINDOWS);
		assert_true(handle[i]);
		for (uint32_t n = 0; n < i; n++)
			assert_int_not_equal(handle[n], handle[i]);
	}
	assert_int_equal(open_window(stations[1].qpn + 8 * SHM_WINDOWS), 0);
	assert_true(find(stations[1].qpn, &pw));
	ops()->close(&stations[1].port, handle[3]);
	assert_true(open_window(stations[1].qpn + 8 * SHM_WINDOWS));
}

static void open__not_for_who_is_not_there(void **state)
{
	struct tp_window terms = terms_of(stations[1].qpn);

	(void)state;
	assert_int_equal(open_window(stations[1].qpn), 0); /* not introduced */
	meet();
	terms.peer_qpn = 0xffffff;
	assert_int_equal(ops()->open(&stations[1].port, &terms), 0);
	terms.peer_qpn = stations[1].qpn; /* ourselves */
	terms.slid = terms.dlid;
	assert_int_equal(ops()->open(&stations[1].port, &terms), 0);
}

static void find__not_of_the_dead(void **state)
{
	struct tp_peer_window pw;
	uint64_t handle;

	(void)state;
	meet();
	handle = open_window(stations[1].qpn);
	assert_true(find(stations[1].qpn, &pw));
	directory_remove_process(dir, stations[1].id);
	assert_false(find(stations[1].qpn, &pw));
	wire_shm_drop_peer(stations[1].wire, stations[0].id);
	assert_null(window_of(handle));
	ops()->close(&stations[1].port, handle);
}

/* Who wants nothing direct, on either side: an environment variable, or faults [docs/faults.md]. */

static void direct__not_of_who_does_not_want_it(void **state)
{
	struct tp_peer_window pw;

	(void)state;
	meet();
	assert_true(open_window(stations[1].qpn));
	assert_true(find(stations[1].qpn, &pw));
	stations[0].wire->config.direct = false;
	assert_false(find(stations[1].qpn, &pw));
	stations[0].wire->config.direct = true;
	stations[1].wire->config.direct = false;
	assert_int_equal(open_window(stations[1].qpn + 1), 0);
}

static void faults__of_the_requester(void **state)
{
	struct tp_peer_window pw;

	(void)state;
	meet();
	assert_true(open_window(stations[1].qpn));
	assert_true(find(stations[1].qpn, &pw));
	assert_int_equal(wire_shm_prepare_faults(stations[0].wire, 16), 0);
	assert_false(find(stations[1].qpn, &pw));
}

static void faults__of_the_target(void **state)
{
	struct tp_peer_window pw;
	uint64_t handle;

	(void)state;
	meet();
	handle = open_window(stations[1].qpn);
	assert_int_equal(wire_shm_prepare_faults(stations[1].wire, 16), 0);
	assert_false(find(stations[1].qpn, &pw));
	assert_int_equal(window_of(handle)->qpn, 0);
	assert_int_equal(open_window(stations[1].qpn + 1), 0);
}

/* Who is in a window */

static void left__nobody_is_there(void **state)
{
	static const uint32_t nonsense[] = {3, 0xffff, 0x8000, 0xffff0000, 0xfffffffe};
	struct tp_window *w;

	(void)state;
	meet();
	w = window_of(open_window(stations[1].qpn));
	assert_true(left(PD, 0, SECOND, NULL));
	for (size_t i = 0; i < ARRAY_SIZE(nonsense); i++) {
		w->lock = nonsense[i];
		assert_true(left(PD, 0, SECOND, NULL));
	}
	w->lock = stations[1].id + 1; /* our own engine */
	assert_true(left(PD, 0, SECOND, NULL));
	assert_int_equal(base_now_ns(), 0);
}

static void left__somebody_elses_windows(void **state)
{
	(void)state;
	meet();
	hold(window_of(open_window(stations[1].qpn)));
	assert_true(left(PD + 1, 0, SECOND, NULL));
	assert_true(left(PD, stations[1].qpn + 1, SECOND, NULL));
	assert_false(left(PD, 0, 0, NULL));
	assert_false(left(PD, stations[1].qpn, 0, NULL));
	assert_int_equal(base_now_ns(), 0);
}

static struct base_timer timer;
static struct tp_window *held;

static void let_go(struct base_timer *t)
{
	(void)t;
	tp_window_drop(held);
}

static void take_again(struct base_timer *t)
{
	(void)t;
	tp_window_drop(held);
	hold(held);
}

static void die(struct base_timer *t)
{
	(void)t;
	directory_remove_process(dir, stations[0].id);
}

/* Returns for how long left() waited. */
static uint64_t waited(void (*then)(struct base_timer *t))
{
	const uint64_t begin_ns = base_now_ns();

	meet();
	held = window_of(open_window(stations[1].qpn));
	hold(held);
	base_timer_init(&timer, then);
	(void)base_timer_arm(&timer, 700 * 1000000ull);
	assert_true(left(PD, 0, 5 * SECOND, NULL));
	return base_now_ns() - begin_ns;
}

static void left__when_the_holder_lets_go(void **state)
{
	(void)state;
	assert_in_range(waited(let_go), SECOND / 2, SECOND);
}

/* It is in the window again, but has been out of it. */
static void left__when_the_holder_is_busy(void **state)
{
	(void)state;
	assert_in_range(waited(take_again), SECOND / 2, SECOND);
}

static void left__when_the_holder_dies(void **state)
{
	(void)state;
	assert_in_range(waited(die), SECOND / 2, SECOND);
}

static void assert_says(const struct base_cause *cause, const char *what)
{
	char text[BASE_CAUSE_TEXT_BYTES];

	base_cause_format(cause, text, sizeof(text));
	assert_non_null(strstr(text, what));
}

/* A holder that is stopped is named. */
static void left__not_while_the_holder_is_stopped(void **state)
{
	struct base_cause holder = {.id = BASE_CAUSE_PEER_STAYS_IN_WINDOW};
	const uint64_t begin_ns = base_now_ns();
	char who[64];

	(void)state;
	meet();
	hold(window_of(open_window(stations[1].qpn)));
	assert_false(left(PD, 0, 5 * SECOND, &holder));
	assert_in_range(base_now_ns() - begin_ns, 5 * SECOND, 5 * SECOND + SECOND / 10);
	assert_int_equal(holder.qpn, stations[1].qpn);
	snprintf(who, sizeof(who), "pid %d on host host ", getpid());
	assert_says(&holder, who);
	assert_says(&holder, "kill -CONT");
}

/* However many windows there are, and whatever it does: all of them together take no longer. */
static void left__does_not_wait_for_each_window_anew(void **state)
{
	const uint64_t begin_ns = base_now_ns();

	(void)state;
	meet();
	for (uint32_t i = 0; i < SHM_WINDOWS; i++)
		hold(window_of(open_window(stations[1].qpn + i)));
	held = window_of(open_window(stations[1].qpn + SHM_WINDOWS));
	assert_null(held);
	assert_false(left(PD, 0, 5 * SECOND, NULL));
	assert_in_range(base_now_ns() - begin_ns, 5 * SECOND, 5 * SECOND + SECOND / 10);
}

static uint32_t slow; /* slot */

/* The window that is waited for is left, a moment before it is too late; the next one is held. */
static void let_go_of_the_next(struct base_timer *t)
{
	tp_window_drop(&pair->window[1][slow++]);
	(void)base_timer_arm(t, 900 * 1000000ull);
}

static void left__does_not_wait_for_ever(void **state)
{
	const uint64_t begin_ns = base_now_ns();

	(void)state;
	meet();
	for (uint32_t i = 0; i < SHM_WINDOWS; i++)
		hold(window_of(open_window(stations[1].qpn + i)));
	slow = 0;
	base_timer_init(&timer, let_go_of_the_next);
	(void)base_timer_arm(&timer, 900 * 1000000ull);
	assert_false(left(PD, 0, 5 * SECOND, NULL));
	assert_in_range(base_now_ns() - begin_ns, 5 * SECOND, 5 * SECOND + SECOND / 10);
	base_timer_disarm_sync(&timer);
}

static void close__of_a_window_that_is_never_left(void **state)
{
	const uint64_t begin_ns = base_now_ns();
	struct tp_peer_window pw;
	uint64_t handle;

	(void)state;
	meet();
	handle = open_window(stations[1].qpn);
	held = window_of(handle);
	hold(held);
	ops()->close(&stations[1].port, handle);
	assert_in_range(base_now_ns() - begin_ns, 5 * SECOND, 5 * SECOND + SECOND / 10);
	assert_false(find(stations[1].qpn, &pw));
	assert_int_not_equal(open_window(stations[1].qpn), handle);
	assert_false(left(PD, stations[1].qpn, 0, NULL)); /* what it has begun is not over */
	tp_window_drop(held);
	assert_true(left(PD, stations[1].qpn, 0, NULL));
}

/* Handles of another generation, or that were never given out, lead nowhere. */
static void get__of_any_handle(void **state)
{
	const uint64_t handle = (meet(), open_window(stations[1].qpn));

	(void)state;
	assert_non_null(window_of(handle));
	assert_null(window_of(handle + (1ull << 32)));
	assert_null(window_of(handle ^ (7ull << 16)));
}

/* Bytes */

static uint8_t from[70000], to[70000];

static int place(bool write, const struct iovec *iov, uint32_t count, uint32_t skip, uint64_t at,
		 uint32_t bytes)
{
	const struct tp_payload local = {.iov = iov, .count = count, .bytes = bytes};
	struct tp_peer_window pw;

	assert_true(find(stations[1].qpn, &pw));
	return pw.place(&pw, write, &local, skip, at, bytes);
}

static void check_place(uint32_t bytes)
{
	const struct iovec iov[3] = {{from, 3}, {from + 3, 4}, {from + 7, sizeof(from) - 7}};

	for (uint32_t i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)(i * 7 + bytes);
	memset(to, 0, sizeof(to));
	assert_int_equal(place(true, iov, 3, 5, (uintptr_t)to + 100, bytes), 0);
	assert_memory_equal(to + 100, from + 5, bytes);
	assert_int_equal(to[99], 0);
	assert_int_equal(to[100 + bytes], 0);
	memset(from, 0, sizeof(from));
	assert_int_equal(place(false, iov, 3, 5, (uintptr_t)to + 100, bytes), 0);
	assert_memory_equal(to + 100, from + 5, bytes);
	assert_int_equal(from[4], 0);
	assert_int_equal(from[5 + bytes], 0);
}

static void place__by_each_way(void **state)
{
	static const uint32_t sizes[] = {1, 7, 8, 9, 16, 4096, 4097, 65536};

	(void)state;
	meet();
	assert_true(open_window(stations[1].qpn));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		check_place(sizes[i]);
	stations[0].wire->peers[stations[1].id]->can_pull = false; /* the descriptor alone */
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		check_place(sizes[i]);
}

static void place__where_nothing_is(void **state)
{
	static const uint64_t addresses[] = {
		0,	    1,		4096,		INT64_MAX,  INT64_MAX - 8,
		UINT64_MAX, 1ull << 63, UINT64_MAX - 7, 1ull << 47, 1ull << 56};
	const struct iovec iov = {from, sizeof(from)};

	(void)state;
	meet();
	assert_true(open_window(stations[1].qpn));
	for (int way = 0; way < 2; way++) {
		for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
			assert_true(place(true, &iov, 1, 0, addresses[i], 8) < 0);
			assert_true(place(true, &iov, 1, 0, addresses[i], 5000) < 0);
			assert_true(place(false, &iov, 1, 0, addresses[i], 8) < 0);
			assert_true(place(false, &iov, 1, 0, addresses[i], 5000) < 0);
		}
		assert_true(place(true, &iov, SHM_RUN_SEGMENTS + 1, 0, (uintptr_t)to, 8) < 0);
		stations[0].wire->peers[stations[1].id]->can_pull = false;
	}
}

/* As long as it was permitted by the other way, too; another process is refused. */
static void refuse_calls(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {.len = ARRAY_SIZE(code), .filter = code};

	INVARIANT(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	INVARIANT(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

/* The child is station 0; what it reads and writes is its parent's. */
static void be_refused(void)
{
	const struct shm_peer *peer = stations[0].wire->peers[stations[1].id];
	const struct iovec iov = {from, sizeof(from)};

	refuse_calls();
	memset(from, 0x33, sizeof(from));
	INVARIANT(peer->can_pull);
	INVARIANT(!place(true, &iov, 1, 0, (uintptr_t)to, 40000));
	INVARIANT(!peer->can_pull);
	INVARIANT(!__atomic_load_n(&peer->rx.ring->can_pull, __ATOMIC_ACQUIRE));
	INVARIANT(!place(false, &iov, 1, 8, (uintptr_t)to + 50000, 10000));
	INVARIANT(from[7] == 0x33 && from[8] == 0x44 && from[10007] == 0x44 && from[10008] == 0x33);
	INVARIANT(place(false, &iov, 1, 0, 4096, 10000) < 0);
	/* What is under way in the ring is not lost either. */
	stations[0].wire->peers[stations[1].id]->can_pull = true;
	wire_shm_progress(stations[0].wire, 64);
	INVARIANT(stations[0].heard == 1 && !stations[0].copy_result);
	INVARIANT(stations[0].last_byte == 0x44 && !peer->can_pull);
}

static void place__that_is_refused_from_now_on(void **state)
{
	const struct iovec iov = {to + 50000, 10000};
	struct tp_run run;
	int status;
	pid_t pid;

	(void)state;
	test_skip_in_torture();
	meet();
	assert_true(open_window(stations[1].qpn));
	memset(to, 0x44, sizeof(to));
	run = make_run(&stations[0], 7, 10000);
	run.path.slid = run.path.dlid;
	run.path.dlid = dir->fabric.ports[stations[0].slot].config.lid;
	run.payload.iov = &iov;
	stations[1].wire->peers[stations[0].id]->pull_bytes = SHM_PULL_LEAST;
	assert_int_equal(stations[1].port.ops->send(&stations[1].port, &run, &sender_a), 10);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		be_refused();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(to[0], 0x33);
	assert_int_equal(to[39999], 0x33);
	assert_int_equal(to[40000], 0x44);
}

/*
 * Small WRITEs go by the descriptor, which passes over page protections, as a device does to pages that
 * are pinned (docs/design/direct.md). Nothing goes where nothing is mapped.
 */
static void place__where_the_program_may_not_write(void **state)
{
	const struct iovec iov = {from, sizeof(from)};
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(page, MAP_FAILED);
	meet();
	assert_true(open_window(stations[1].qpn));
	from[0] = 7;
	assert_int_equal(place(true, &iov, 1, 0, (uintptr_t)page, 8), 0);
	assert_int_equal(page[0], 7);
	from[0] = 8;
	assert_true(place(true, &iov, 1, 0, (uintptr_t)page, 9) < 0);
	assert_int_equal(page[0], 7);
	munmap(page, 4096);
	assert_true(place(true, &iov, 1, 0, (uintptr_t)page, 8) < 0);
}

/* Counting */

/* As the daemon adds up: its own, and what any has placed there. */
static struct base_traffic carried_by(const struct station *s)
{
	struct base_traffic sum = {0};

	base_traffic_add(&reports[s - stations].port[0][0], &sum);
	for (int i = 0; i < 2; i++)
		base_placed_add(&reports[i], s->slot, &sum);
	return sum;
}

struct carried {
	struct base_traffic at[2];
};

static struct carried carried_since(const struct carried *before)
{
	struct carried now = {{carried_by(&stations[0]), carried_by(&stations[1])}};

	for (size_t i = 0; i < 2 * BASE_TRAFFIC_WORDS; i++)
		((uint64_t *)&now)[i] -= ((const uint64_t *)before)[i];
	return now;
}

static struct tp_run request(bool write, uint32_t bytes)
{
	struct tp_run run = make_run(&stations[1], 5, write ? bytes : 0);

	if (write) {
		run.first_opcode = run.packets > 1 ? PKT_RC_WRITE_FIRST : PKT_RC_WRITE_ONLY;
		run.last_opcode = run.packets > 1 ? PKT_RC_WRITE_LAST : PKT_RC_WRITE_ONLY;
	} else {
		run.first_opcode = run.last_opcode = PKT_RC_READ_REQUEST;
	}
	run.reth.dma_bytes = bytes;
	return run;
}

static struct tp_run response(uint32_t bytes)
{
	struct tp_run run = make_run(&stations[0], 5, bytes);

	run.path.slid = dir->fabric.ports[stations[1].slot].config.lid;
	run.first_opcode = run.packets > 1 ? PKT_RC_READ_RESPONSE_FIRST : PKT_RC_READ_RESPONSE_ONLY;
	run.last_opcode = run.packets > 1 ? PKT_RC_READ_RESPONSE_LAST : PKT_RC_READ_RESPONSE_ONLY;
	return run;
}

static void send_by_ring(int from_station, const struct tp_run *run)
{
	struct tp_port *port = &stations[from_station].port;

	assert_int_equal(port->ops->send(port, run, &sender_a), run->packets);
	assert_true(wire_shm_progress(stations[1 - from_station].wire, 64) > 0);
	wire_shm_progress(stations[from_station].wire, 64);
}

static struct carried by_ring(bool write, uint32_t bytes)
{
	const struct carried before = carried_since(&(struct carried){0});
	const struct tp_run run = request(write, bytes), answer = response(bytes);

	send_by_ring(0, &run);
	if (!write)
		send_by_ring(1, &answer);
	return carried_since(&before);
}

static struct carried by_window(bool write, uint32_t bytes)
{
	const struct carried before = carried_since(&(struct carried){0});
	const struct tp_run run = request(write, bytes);

	ops()->placed(&stations[0].port, &run);
	return carried_since(&before);
}

static void placed__counts_as_the_ring_does(void **state)
{
	static const uint32_t sizes[] = {0, 1, 4, 1023, 1024, 1025, 8192, 70001};

	(void)state;
	meet();
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (int write = 0; write < 2; write++) {
			const struct carried ring = by_ring(write, sizes[i]);
			const struct carried window = by_window(write, sizes[i]);

			assert_memory_equal(&ring, &window, sizeof(ring));
			assert_true(window.at[1].received_bytes >= sizes[i] * (uint32_t)write);
			assert_int_equal(window.at[0].sent_bytes, window.at[1].received_bytes);
			assert_int_equal(window.at[0].received_bytes, window.at[1].sent_bytes);
			assert_int_equal(window.at[1].sent_packets > 0, !write);
		}
	assert_int_equal(controls[0].placed, 2 * ARRAY_SIZE(sizes));
}

/* Its link may be gone, and its LID another's or nobody's, by the time that it is counted. */
static void placed__where_nobody_is_any_more(void **state)
{
	struct tp_run run;

	(void)state;
	meet();
	run = request(true, 8);
	run.path.dlid = 0x777;
	ops()->placed(&stations[0].port, &run);
	assert_int_equal(carried_by(&stations[0]).sent_packets, 1);
	assert_int_equal(carried_by(&stations[1]).received_packets, 0);
	stations[0].wire->config.report = NULL; /* nobody asks */
	run = request(true, 8);
	ops()->placed(&stations[0].port, &run);
	assert_int_equal(carried_by(&stations[1]).received_packets, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start_direct, stop_direct)

static const struct CMUnitTest tests[] = {
	TEST(open__is_found_by_its_number),
	TEST(open__in_a_window_that_was_scribbled_over),
	TEST(open__until_all_places_are_taken),
	TEST(open__not_for_who_is_not_there),
	TEST(find__not_of_the_dead),
	TEST(direct__not_of_who_does_not_want_it),
	TEST(faults__of_the_requester),
	TEST(faults__of_the_target),
	TEST(left__nobody_is_there),
	TEST(left__somebody_elses_windows),
	TEST(left__when_the_holder_lets_go),
	TEST(left__when_the_holder_is_busy),
	TEST(left__when_the_holder_dies),
	TEST(left__not_while_the_holder_is_stopped),
	TEST(left__does_not_wait_for_each_window_anew),
	TEST(left__does_not_wait_for_ever),
	TEST(close__of_a_window_that_is_never_left),
	TEST(get__of_any_handle),
	TEST(place__by_each_way),
	TEST(place__where_nothing_is),
	TEST(place__that_is_refused_from_now_on),
	TEST(place__where_the_program_may_not_write),
	TEST(placed__counts_as_the_ring_does),
	TEST(placed__where_nobody_is_any_more),
};

int main(void)
{
	return verbena_test_main(tests);
}
