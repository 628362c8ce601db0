// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * For rude.sh: programs that are within their rights, and do to their process what a library with a
 * thread, locks and signal handlers of its own has to bear.
 *
 * rude signals | cancel | fork | handler | mask
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES 65536u
#define DEPTH 32
#define HANGS_S 60

struct side {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *memory;
};

static struct ibv_context *context;
static struct side left, right; /* connected to each other, as the process's own peer */

static void must(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static void open_side(struct side *s)
{
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC, .cap = {DEPTH, DEPTH, 1, 1, 0}};

	s->pd = ibv_alloc_pd(context);
	s->cq = ibv_create_cq(context, 2 * DEPTH, NULL, NULL, 0);
	s->memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(s->pd && s->cq && s->memory != MAP_FAILED, "resources");
	s->mr = ibv_reg_mr(s->pd, s->memory, BYTES, IBV_ACCESS_LOCAL_WRITE);
	init.send_cq = init.recv_cq = s->cq;
	s->qp = ibv_create_qp(s->pd, &init);
	must(s->mr && s->qp, "a queue pair");
}

static void connect_to(const struct side *s, const struct side *peer)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
	struct ibv_port_attr port;

	must(!ibv_query_port(context, 1, &port), "ibv_query_port");
	must(!ibv_modify_qp(s->qp, &attr,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
	     "INIT");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer->qp->qp_num,
		.min_rnr_timer = 1,
		.ah_attr = {.dlid = port.lid, .port_num = 1},
	};
	must(!ibv_modify_qp(s->qp, &attr,
			    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				    IBV_QP_MIN_RNR_TIMER),
	     "RTR");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7};
	must(!ibv_modify_qp(s->qp, &attr,
			    IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				    IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC),
	     "RTS");
}

static void open_both(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	must(list && list[0], "a device");
	context = ibv_open_device(list[0]);
	must(context != NULL, "ibv_open_device");
	ibv_free_device_list(list);
	open_side(&left);
	open_side(&right);
	connect_to(&left, &right);
	connect_to(&right, &left);
}

static int post_send(void)
{
	struct ibv_sge sge = {(uintptr_t)left.memory, 64, left.mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_SEND,
				 .send_flags = IBV_SEND_SIGNALED};
	struct ibv_send_wr *bad;

	return ibv_post_send(left.qp, &wr, &bad);
}

static void post_receive(void)
{
	struct ibv_sge sge = {(uintptr_t)right.memory, 64, right.mr->lkey};
	struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;

	(void)ibv_post_recv(right.qp, &wr, &bad); /* where the queue is full others are waiting */
}

static enum ibv_wc_status wait_one(const struct side *s)
{
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(s->cq, 1, &wc)))
		;
	must(n == 1, "ibv_poll_cq");
	return wc.status;
}

static enum ibv_wc_status send_one(void)
{
	struct ibv_wc wc;

	post_receive();
	must(!post_send(), "ibv_post_send");
	must(ibv_poll_cq(right.cq, 1, &wc) >= 0, "ibv_poll_cq");
	return wait_one(&left);
}

/* A signal that this thread blocks and waits for is nobody else's, whenever it was blocked. */
static void wait_for_signals(void)
{
	sigset_t set;
	int got;

	open_both();
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	must(!sigprocmask(SIG_BLOCK, &set, NULL), "sigprocmask");
	for (int i = 0; i < 200; i++) {
		must(!kill(getpid(), SIGUSR1), "kill");
		must(!sigwait(&set, &got) && got == SIGUSR1, "sigwait");
		must(send_one() == IBV_WC_SUCCESS, "a message");
	}
}

static unsigned int made; /* atomic: calls of the worker */

/* All that a program may call in a loop, with a place to be cancelled at. */
static void *work(void *arg)
{
	struct ibv_wc wc[16];

	(void)arg;
	for (;;) {
		struct ibv_mr *mr = ibv_reg_mr(left.pd, left.memory, BYTES, 0);

		post_receive();
		(void)post_send();
		(void)ibv_poll_cq(left.cq, 16, wc);
		(void)ibv_poll_cq(right.cq, 16, wc);
		(void)ibv_req_notify_cq(right.cq, 0);
		if (mr)
			(void)ibv_dereg_mr(mr);
		__atomic_fetch_add(&made, 1, __ATOMIC_SEQ_CST);
		pthread_testcancel();
	}
	return NULL;
}

/* A thread that is cancelled leaves no lock of ours behind. */
static void cancel_threads(void)
{
	struct ibv_wc wc[16];
	pthread_t thread;
	int n;

	open_both();
	for (unsigned int i = 0; i < 200; i++) {
		const unsigned int before = __atomic_load_n(&made, __ATOMIC_SEQ_CST);

		must(!pthread_create(&thread, NULL, work, NULL), "pthread_create");
		while (__atomic_load_n(&made, __ATOMIC_SEQ_CST) - before <= i % 16)
			sched_yield();
		must(!pthread_cancel(thread) && !pthread_join(thread, NULL), "pthread_cancel");
	}
	do /* what they have left */
		n = ibv_poll_cq(left.cq, 16, wc) + ibv_poll_cq(right.cq, 16, wc);
	while (n > 0);
	must(!ibv_destroy_qp(left.qp) && !ibv_destroy_qp(right.qp), "ibv_destroy_qp");
	must(!ibv_destroy_cq(left.cq) && !ibv_destroy_cq(right.cq), "ibv_destroy_cq");
}

static void *change_handlers(void *arg)
{
	const struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t none;

	(void)arg;
	sigemptyset(&none);
	for (;;) {
		must(!sigaction(SIGSEGV, &action, NULL), "sigaction");
		must(!pthread_sigmask(SIG_BLOCK, &none, NULL), "pthread_sigmask");
	}
	return NULL;
}

static void be_a_child(void)
{
	const struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t none;

	alarm(HANGS_S / 2);
	sigemptyset(&none);
	(void)sigaction(SIGSEGV, &action, NULL);
	(void)sigaction(SIGBUS, &action, NULL);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	_exit(0);
}

/* What a child may call between fork() and exec() does not wait for a thread that is not there. */
static void fork_among_threads(void)
{
	pthread_t thread;
	int status;

	open_both();
	for (int i = 0; i < 3; i++)
		must(!pthread_create(&thread, NULL, change_handlers, NULL), "pthread_create");
	for (int i = 0; i < 30; i++) {
		const pid_t child = fork();

		must(child >= 0, "fork");
		if (!child)
			be_a_child();
		must(waitpid(child, &status, 0) == child && !status, "a child");
	}
}

static void on_fault(int signum)
{
	(void)signum;
	_exit(2); /* it is no fault of the program's */
}

/* Memory that is gone is an error, whatever the program wants done about faults of its own. */
static void lose_memory(void)
{
	must(!munmap(left.memory, BYTES), "munmap");
	must(send_one() == IBV_WC_LOC_PROT_ERR, "memory that is gone");
}

static void handle_faults(void)
{
	const struct sigaction action = {.sa_handler = on_fault};

	open_both();
	must(send_one() == IBV_WC_SUCCESS, "a message");
	must(!sigaction(SIGSEGV, &action, NULL), "sigaction");
	must(signal(SIGSEGV, on_fault) == on_fault, "signal");
	lose_memory();
}

static void block_signals(void)
{
	sigset_t all;

	open_both();
	must(send_one() == IBV_WC_SUCCESS, "a message");
	sigfillset(&all);
	must(!pthread_sigmask(SIG_BLOCK, &all, NULL), "pthread_sigmask");
	lose_memory();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {
		{"signals", wait_for_signals}, {"cancel", cancel_threads},
		{"fork", fork_among_threads},  {"handler", handle_faults},
		{"mask", block_signals},
	};

	alarm(HANGS_S);
	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(argv[1], ways[i].name)) {
			ways[i].run();
			return 0;
		}
	return 1;
}
