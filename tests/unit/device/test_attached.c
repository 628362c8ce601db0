// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Two processes, their hosts, and what becomes of them when something dies. */
#include "device/attached.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>

#include "attach/socket.h"
#include "attach/start.h"
#include "attached_fixture.h"
#include "base/cause.h"

static const char *host_of(int which)
{
	return which ? "beta" : "alpha";
}

static void ping_pong(int which)
{
	static const uint32_t sizes[] = {0, 1, 1024, 5000, 20000, BYTES};

	open_end(host_of(which), IB_QPT_RC);
	connect_end();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (which)
			post_receive(BYTES);
		meet();
		if (which) {
			expect(IB_WC_RECV);
			check((uint8_t)i, sizes[i]);
		} else {
			fill((uint8_t)i);
			post(IB_WR_SEND, sizes[i]);
			expect(IB_WC_SEND);
		}
	}
	meet();
	close_end();
}

static void rdma(int which)
{
	open_end(host_of(which), IB_QPT_RC);
	connect_end();
	if (!which)
		fill(5);
	meet();
	if (!which) {
		post(IB_WR_RDMA_WRITE, BYTES);
		expect(IB_WC_RDMA_WRITE);
		memset(end.mem, 0, BYTES);
	}
	meet();
	if (which)
		check(5, BYTES); /* nobody here has polled */
	meet();
	if (!which) {
		post(IB_WR_RDMA_READ, BYTES);
		expect(IB_WC_RDMA_READ);
		check(5, BYTES);
	}
	meet();
	close_end();
}

/* More than the rings hold, both ways at once. */
static void many(int which)
{
	unsigned int sent = 0, done = 0, received = 0;

	open_end(host_of(which), IB_QPT_RC);
	connect_end();
	for (unsigned int i = 0; i < DEPTH; i++)
		post_receive(BYTES);
	meet();
	while (done < 3000 || received < 3000) {
		struct ib_wc wc;

		while (sent < 3000 && sent - done < DEPTH)
			post(IB_WR_SEND, sent++ % 7 ? 100 : 7000);
		if (!ib_poll_cq(end.cq, 1, &wc))
			continue;
		INVARIANT(wc.status == IB_WC_SUCCESS);
		if (wc.opcode == IB_WC_RECV) {
			INVARIANT(wc.byte_len == (received++ % 7 ? 100 : 7000));
			post_receive(BYTES);
		} else {
			done++;
		}
	}
	meet();
	close_end();
}

static void datagrams(int which)
{
	struct ib_ud_wr wr = {.remote_qkey = QKEY};
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB};
	struct ib_sge sge;
	struct ib_wc wc;

	open_end(host_of(which), IB_QPT_UD);
	INVARIANT(!verbena_ud_ready(end.qp, QKEY));
	fill((uint8_t)which);
	memmove(end.mem + 4000, end.mem, 500);
	post_receive(2000);
	meet();
	rdma_ah_set_port_num(&attr, 1);
	rdma_ah_set_dlid(&attr, end.other.lid);
	wr.ah = rdma_create_ah(end.pd, &attr, 0);
	INVARIANT(!IS_ERR(wr.ah));
	sge = (struct ib_sge){(u64)end.mem + 4000, 500, end.mr->lkey};
	wr.wr = (struct ib_send_wr){.sg_list = &sge, .num_sge = 1, .opcode = IB_WR_SEND};
	wr.remote_qpn = end.other.qpn;
	INVARIANT(!ib_post_send(end.qp, &wr.wr, NULL));
	for (int i = 0; i < 2; i++) {
		wc = take();
		INVARIANT(wc.status == IB_WC_SUCCESS);
		INVARIANT(wc.opcode == IB_WC_SEND ||
			  (wc.byte_len == 540 && wc.src_qp == end.other.qpn));
	}
	memmove(end.mem, end.mem + 40, 500);
	check((uint8_t)!which, 500);
	meet();
	rdma_destroy_ah(wr.ah, 0);
	close_end();
}

/* Two processes on one host: one LID, different numbers. */
static void same_host(int which)
{
	open_end("alpha", IB_QPT_RC);
	INVARIANT(end.own.lid == end.other.lid && end.own.qpn != end.other.qpn);
	connect_end();
	post_receive(BYTES);
	meet();
	if (which)
		expect(IB_WC_RECV);
	else {
		post(IB_WR_SEND, 30000);
		expect(IB_WC_SEND);
	}
	meet();
	close_end();
}

static void process__ping_pong(void **state)
{
	(void)state;
	in_two(ping_pong);
}

static void process__rdma_of_a_passive_target(void **state)
{
	(void)state;
	in_two(rdma);
}

static void process__more_than_the_rings_hold(void **state)
{
	(void)state;
	in_two(many);
}

static void process__datagrams(void **state)
{
	(void)state;
	in_two(datagrams);
}

static void process__on_the_same_host(void **state)
{
	(void)state;
	in_two(same_host);
}

static void wait_to_be_killed(int which)
{
	char byte;

	open_end(host_of(which), IB_QPT_RC);
	connect_end();
	meet();
	while (get(&byte, 1))
		;
}

/* What a dead host gives: the retries run out. */
static void process__killed(void **state)
{
	const pid_t pid = fork_child(wait_to_be_killed);
	char text[BASE_CAUSE_TEXT_BYTES], expected[128];
	struct base_cause cause;
	struct ib_wc wc;

	(void)state;
	open_end("alpha", IB_QPT_RC);
	connect_end();
	meet();
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	post(IB_WR_RDMA_WRITE, 100);
	wc = take();
	assert_int_equal(wc.status, IB_WC_RETRY_EXC_ERR);
	device_qp_cause(end.qp, &cause);
	base_cause_format(&cause, text, sizeof(text));
	snprintf(expected, sizeof(expected),
		 "the process of QP 0x%x, pid %d on host beta, has died", end.other.qpn, pid);
	assert_non_null(strstr(text, expected));
	close_end();
	close(end.fd);
}

static struct ib_event_handler handler;
static unsigned int events[2]; /* atomic: port error, port active */

static void hear_event(struct ib_event_handler *h, struct ib_event *event)
{
	(void)h;
	INVARIANT(event->event == IB_EVENT_PORT_ERR || event->event == IB_EVENT_PORT_ACTIVE);
	__atomic_fetch_add(&events[event->event == IB_EVENT_PORT_ACTIVE], 1, __ATOMIC_SEQ_CST);
}

static void listen_for_events(void)
{
	events[0] = events[1] = 0;
	INIT_IB_EVENT_HANDLER(&handler, end.device, hear_event);
	ib_register_event_handler(&handler);
}

static void await_events(int active, unsigned int count)
{
	while (__atomic_load_n(&events[active], __ATOMIC_SEQ_CST) < count)
		sched_yield();
}

static enum ib_port_state port_state(void)
{
	struct ib_port_attr port;

	INVARIANT(!ib_query_port(end.device, 1, &port));
	return port.state;
}

static pid_t daemon_pid(void)
{
	const int fd = attach_connect("test");
	struct ucred cred;
	socklen_t bytes = sizeof(cred);

	INVARIANT(fd >= 0 && !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &bytes));
	close(fd);
	return cred.pid;
}

/* No daemon can be started for as long as somebody else has its lock. */
static int hold_lock(void)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/verbena/test.sock.start", run_dir_path());
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	INVARIANT(fd >= 0 && !flock(fd, LOCK_EX));
	return fd;
}

static void exchange(int which, uint8_t round)
{
	if (which)
		post_receive(BYTES);
	meet();
	if (which) {
		expect(IB_WC_RECV);
		check(round, 30000);
	} else {
		fill(round);
		post(IB_WR_SEND, 30000);
		expect(IB_WC_SEND);
	}
}

/* More numbers than the process has: the daemon must give some. */
static void take_numbers(void)
{
	static struct ib_qp *qps[300];
	struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC,
				       .send_cq = end.cq,
				       .recv_cq = end.cq,
				       .cap = {.max_send_wr = 1, .max_recv_wr = 1}};

	for (size_t i = 0; i < sizeof(qps) / sizeof(qps[0]); i++) {
		qps[i] = ib_create_qp(end.pd, &attr);
		INVARIANT(!IS_ERR(qps[i]));
	}
	for (size_t i = 0; i < sizeof(qps) / sizeof(qps[0]); i++)
		ib_destroy_qp(qps[i]);
}

static void outlive_daemons(int which)
{
	open_end(host_of(which), IB_QPT_RC);
	connect_end();
	listen_for_events();
	exchange(which, 0);
	for (uint8_t round = 1; round < 4; round++) {
		const int lock = which ? -1 : hold_lock();

		meet();
		if (!which)
			INVARIANT(!kill(daemon_pid(), SIGKILL));
		await_events(0, round);
		INVARIANT(port_state() == IB_PORT_DOWN);
		exchange(which, round);
		meet();
		if (!which)
			close(lock);
		await_events(1, round);
		INVARIANT(port_state() == IB_PORT_ACTIVE);
		exchange(which, (uint8_t)(round + 10));
		meet();
	}
	take_numbers();
	meet();
	ib_unregister_event_handler(&handler);
	close_end();
}

static void process__outlives_its_daemon(void **state)
{
	(void)state;
	in_two(outlive_daemons);
}

/* Two of one host have one cable: one pulls it, and the other puts it back. */
static void share_a_cable(int which)
{
	open_end("alpha", IB_QPT_RC);
	connect_end();
	listen_for_events();
	exchange(which, 0);
	meet();
	if (!which)
		INVARIANT(!verbena_port_set_link(end.device, 1, false));
	await_events(0, 1);
	INVARIANT(port_state() == IB_PORT_DOWN);
	meet();
	if (which)
		INVARIANT(!verbena_port_set_link(end.device, 1, true));
	await_events(1, 1);
	INVARIANT(port_state() == IB_PORT_ACTIVE);
	exchange(which, 1);
	meet();
	ib_unregister_event_handler(&handler);
	close_end();
}

static void process__has_the_link_of_its_host(void **state)
{
	(void)state;
	in_two(share_a_cable);
}

/* Introduced by the second daemon. */
static void meet_late(int which)
{
	open_end(host_of(which), IB_QPT_RC);
	listen_for_events();
	meet();
	if (!which)
		INVARIANT(!kill(daemon_pid(), SIGKILL));
	await_events(1, 1);
	connect_end();
	exchange(which, 1);
	meet();
	ib_unregister_event_handler(&handler);
	close_end();
}

static void process__meets_another_after_a_change_of_daemons(void **state)
{
	(void)state;
	in_two(meet_late);
}

/* What waits for the daemon ends. */
static void process__whose_daemon_is_stopped(void **state)
{
	struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC,
				       .cap = {.max_send_wr = 1, .max_recv_wr = 1}};
	struct ib_qp *qps[600];
	unsigned int count = 0;
	pid_t daemon;
	int fds[2];

	(void)state;
	test_skip_in_torture();
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	end.fd = fds[0];
	put(&end.own, sizeof(end.own));
	assert_int_equal(read(fds[1], &end.own, sizeof(end.own)), sizeof(end.own));
	assert_int_equal(write(fds[1], &end.own, sizeof(end.own)), sizeof(end.own));
	open_end("alpha", IB_QPT_RC);
	attr.send_cq = attr.recv_cq = end.cq;
	daemon = daemon_pid();
	assert_int_equal(kill(daemon, SIGSTOP), 0);
	do
		qps[count] = ib_create_qp(end.pd, &attr);
	while (!IS_ERR(qps[count]) && ++count < 600);
	assert_true(count < 600);
	assert_int_equal(PTR_ERR(qps[count]), -ETIMEDOUT);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_ATTACH_TIMEOUT);
	assert_int_equal(kill(daemon, SIGCONT), 0);
	qps[count] = ib_create_qp(end.pd, &attr);
	assert_false(IS_ERR(qps[count]));
	for (unsigned int i = 0; i <= count; i++)
		ib_destroy_qp(qps[i]);
	close_end();
	close(fds[0]);
	close(fds[1]);
}

static int ascending(const void *a, const void *b)
{
	const u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static void create_many(int which)
{
	static struct ib_qp *qps[600]; /* in RESET, more than two blocks hold */
	static u32 numbers[600];
	struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC,
				       .cap = {.max_send_wr = 1, .max_recv_wr = 1}};
	const size_t count = sizeof(qps) / sizeof(qps[0]);

	open_end(host_of(which), IB_QPT_RC);
	attr.send_cq = attr.recv_cq = end.cq;
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < count; i++) {
			qps[i] = ib_create_qp(end.pd, &attr);
			INVARIANT(!IS_ERR(qps[i]));
			numbers[i] = qps[i]->qp_num;
		}
		qsort(numbers, count, sizeof(numbers[0]), ascending);
		for (size_t i = 1; i < count; i++)
			INVARIANT(numbers[i] != numbers[i - 1]);
		for (size_t i = 0; i < count; i++)
			ib_destroy_qp(qps[i]);
	}
	meet();
	close_end();
}

static void process__has_each_number_once(void **state)
{
	(void)state;
	in_two(create_many);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

static const struct CMUnitTest tests[] = {
	TEST(process__ping_pong),
	TEST(process__rdma_of_a_passive_target),
	TEST(process__more_than_the_rings_hold),
	TEST(process__datagrams),
	TEST(process__on_the_same_host),
	TEST(process__killed),
	TEST(process__has_each_number_once),
	TEST(process__has_the_link_of_its_host),
	TEST(process__outlives_its_daemon),
	TEST(process__meets_another_after_a_change_of_daemons),
	TEST(process__whose_daemon_is_stopped),
};

int main(void)
{
	return verbena_test_main(tests);
}
