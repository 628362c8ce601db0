// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * For direct.sh. A writer and an owner of memory, two processes that are started before either has a
 * device; what befalls the owner's memory, or one of the two, while the writer is at it.
 *
 * direct order | denied | dereg | unmapped | dead | stopped | executed
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (4u << 20)
#define PLACE ((void *)0x200000000000)
#define DEPTH 64

struct address {
	uint64_t memory;
	uint32_t qpn;
	uint32_t rkey;
	uint16_t lid;
};

static struct {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *memory;
	struct address peer;
	int in, out;
	pid_t other;
} my;

static void must(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static void tell(const void *what, size_t bytes)
{
	must(write(my.out, what, bytes) == (ssize_t)bytes, "write");
}

static void hear(void *what, size_t bytes)
{
	must(read(my.in, what, bytes) == (ssize_t)bytes, "read");
}

static void meet(void)
{
	char c = 'x';

	tell(&c, 1);
	hear(&c, 1);
}

static void open_all(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	must(list && list[0], "a device");
	my.context = ibv_open_device(list[0]);
	must(my.context != NULL, "ibv_open_device");
	my.pd = ibv_alloc_pd(my.context);
	my.cq = ibv_create_cq(my.context, 2 * DEPTH, NULL, NULL, 0);
	my.memory = mmap(PLACE, BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	must(my.pd && my.cq && my.memory == PLACE, "resources");
}

static void to_rtr(void)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT,
				   .port_num = 1,
				   .qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
						      IBV_ACCESS_REMOTE_READ |
						      IBV_ACCESS_REMOTE_ATOMIC};

	must(!ibv_modify_qp(my.qp, &attr,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
	     "INIT");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = my.peer.qpn,
		.rq_psn = 0xfffff0,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
		.ah_attr = {.dlid = my.peer.lid, .port_num = 1},
	};
	must(!ibv_modify_qp(my.qp, &attr,
			    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				    IBV_QP_MIN_RNR_TIMER),
	     "RTR");
}

static void connect_qp(void)
{
	struct ibv_qp_init_attr init = {.send_cq = my.cq,
					.recv_cq = my.cq,
					.qp_type = IBV_QPT_RC,
					.cap = {DEPTH, DEPTH, 1, 1, 0}};
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS,
				   .sq_psn = 0xfffff0,
				   .timeout = 10,
				   .retry_cnt = 7,
				   .rnr_retry = 7,
				   .max_rd_atomic = 4};
	struct ibv_port_attr port;
	struct address own;

	my.qp = ibv_create_qp(my.pd, &init);
	my.mr = ibv_reg_mr(my.pd, my.memory, BYTES, access);
	must(my.qp && my.mr && !ibv_query_port(my.context, 1, &port), "a queue pair");
	memset(&own, 0, sizeof(own));
	own = (struct address){(uintptr_t)my.memory, my.qp->qp_num, my.mr->rkey, port.lid};
	tell(&own, sizeof(own));
	hear(&my.peer, sizeof(my.peer));
	to_rtr();
	must(!ibv_modify_qp(my.qp, &attr,
			    IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				    IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC),
	     "RTS");
	meet();
}

static void post(enum ibv_wr_opcode opcode, uint32_t at, uint32_t bytes, unsigned int flags)
{
	struct ibv_sge sge = {(uintptr_t)my.memory + at, bytes, my.mr->lkey};
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = opcode, .send_flags = flags};
	struct ibv_send_wr *bad;

	wr.wr.rdma.remote_addr = my.peer.memory + at;
	wr.wr.rdma.rkey = my.peer.rkey;
	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = my.peer.memory + at;
		wr.wr.atomic.rkey = my.peer.rkey;
		wr.wr.atomic.compare_add = 1;
	}
	must(!ibv_post_send(my.qp, &wr, &bad), "ibv_post_send");
}

static enum ibv_wc_status wait_one(void)
{
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(my.cq, 1, &wc)))
		;
	must(n == 1, "ibv_poll_cq");
	return wc.status;
}

/* Write until it fails. */
static enum ibv_wc_status write_on(void)
{
	enum ibv_wc_status status;

	do {
		post(IBV_WR_RDMA_WRITE, 0, BYTES, IBV_SEND_SIGNALED);
		status = wait_one();
	} while (!status);
	return status;
}

static void until_written(void)
{
	while (!__atomic_load_n(&my.memory[BYTES - 1], __ATOMIC_ACQUIRE))
		;
}

static void check_all(uint8_t value)
{
	for (uint32_t i = 0; i < BYTES; i++)
		if (my.memory[i] != value) {
			fprintf(stderr, "byte %u is %#x, not %#x\n", i, my.memory[i], value);
			exit(1);
		}
}

/* Requests of all kinds, few of them signaled, in their order whichever way they go. */
#define ROUNDS 1000
#define COUNTER (BYTES / 2)
#define BACK 8192

static void order_writer(void)
{
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		const uint32_t bytes = 1 + round * 7 % 5000;

		memset(my.memory, (int)(round & 0xff), bytes);
		post(IBV_WR_RDMA_WRITE, 0, bytes, 0);
		if (round % 3 == 0)
			post(IBV_WR_ATOMIC_FETCH_AND_ADD, COUNTER, 8, 0);
		post(IBV_WR_RDMA_READ, BACK, 64, IBV_SEND_FENCE);
		if (round % 5 == 0)
			post(IBV_WR_RDMA_WRITE, BACK, 64, IBV_SEND_FENCE);
		post(IBV_WR_SEND, 0, bytes, IBV_SEND_SIGNALED);
		must(wait_one() == IBV_WC_SUCCESS, "a round");
		post(IBV_WR_RDMA_READ, 0, bytes, IBV_SEND_SIGNALED);
		must(wait_one() == IBV_WC_SUCCESS, "a READ");
		must(my.memory[bytes - 1] == (round & 0xff), "what was written");
		meet();
	}
}

/* From now on neither may reach into the other by naming it. */
static void deny(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	must(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS");
	must(!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program),
	     "seccomp");
}

static void post_recv(void)
{
	struct ibv_sge sge = {(uintptr_t)my.memory + BYTES / 4, 8192, my.mr->lkey};
	struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;

	must(!ibv_post_recv(my.qp, &wr, &bad), "ibv_post_recv");
}

static void order_owner(void)
{
	uint64_t added;

	for (uint32_t round = 1; round <= ROUNDS; round++) {
		const uint32_t bytes = 1 + round * 7 % 5000;

		must(wait_one() == IBV_WC_SUCCESS, "a message");
		must(my.memory[0] == (round & 0xff) && my.memory[bytes - 1] == (round & 0xff),
		     "the WRITE before a message");
		must(!memcmp(my.memory, my.memory + BYTES / 4, bytes), "the message");
		memcpy(&added, my.memory + COUNTER, sizeof(added));
		must(added == round / 3, "the atomics before a message");
		post_recv();
		meet();
	}
}

/* Nothing is written once ibv_dereg_mr() has returned. */
static void dereg_owner(void)
{
	until_written();
	must(!ibv_dereg_mr(my.mr), "ibv_dereg_mr");
	memset(my.memory, 0xee, BYTES);
	meet();
	check_all(0xee);
}

static void dereg_writer(void)
{
	must(write_on() == IBV_WC_REM_ACCESS_ERR, "refused by its key");
	meet();
}

static void unmapped_owner(void)
{
	until_written();
	must(!munmap(my.memory, BYTES), "munmap");
	meet();
}

static void stop_other(void)
{
	int status;

	must(!kill(my.other, SIGSTOP), "kill");
	must(waitpid(my.other, &status, WUNTRACED) == my.other && WIFSTOPPED(status), "stopped");
}

/* Whatever the writer held when it died is nobody's. */
static void dead_owner(void)
{
	int status;

	until_written();
	stop_other();
	must(!kill(my.other, SIGKILL), "kill");
	must(waitpid(my.other, &status, 0) == my.other, "waitpid");
	must(!ibv_dereg_mr(my.mr), "ibv_dereg_mr after a death");
	must(!ibv_destroy_qp(my.qp), "ibv_destroy_qp after a death");
	exit(0);
}

static void *dereg(void *arg)
{
	(void)arg;
	return (void *)(intptr_t)ibv_dereg_mr(my.mr);
}

/* It holds what it held when it was stopped, until it goes on. */
static void stopped_owner(void)
{
	pthread_t thread;
	void *ret;

	until_written();
	stop_other();
	must(!pthread_create(&thread, NULL, dereg, NULL), "pthread_create");
	must(!kill(my.other, SIGCONT), "kill");
	must(!pthread_join(thread, &ret) && !ret, "ibv_dereg_mr of a stopped writer");
	memset(my.memory, 0xee, BYTES);
	meet();
	check_all(0xee);
}

/* Another program, at the same place in the same process. */
static void executed_owner(char *self)
{
	char in[16], out[16];

	until_written();
	snprintf(in, sizeof(in), "%d", my.in);
	snprintf(out, sizeof(out), "%d", my.out);
	execl(self, self, "after-exec", in, out, (char *)NULL);
	must(0, "execl");
}

static void after_exec(char **argv)
{
	my.in = atoi(argv[2]);
	my.out = atoi(argv[3]);
	my.memory = mmap(PLACE, BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	must(my.memory == PLACE, "mmap");
	memset(my.memory, 0x55, BYTES);
	meet();
	check_all(0x55);
}

static void gone_writer(enum ibv_wc_status expected)
{
	must(write_on() == expected, "how it ended");
	meet();
}

static void run_writer(const char *what)
{
	memset(my.memory, 0x77, BYTES);
	if (!strcmp(what, "denied"))
		deny();
	if (!strcmp(what, "order") || !strcmp(what, "denied"))
		order_writer();
	else if (!strcmp(what, "dereg") || !strcmp(what, "stopped"))
		dereg_writer();
	else
		gone_writer(!strcmp(what, "unmapped") ? IBV_WC_REM_ACCESS_ERR
						      : IBV_WC_RETRY_EXC_ERR);
}

static void run_owner(const char *what, char *self)
{
	if (!strcmp(what, "denied"))
		deny();
	if (!strcmp(what, "order") || !strcmp(what, "denied"))
		order_owner();
	else if (!strcmp(what, "dereg"))
		dereg_owner();
	else if (!strcmp(what, "unmapped"))
		unmapped_owner();
	else if (!strcmp(what, "dead"))
		dead_owner();
	else if (!strcmp(what, "stopped"))
		stopped_owner();
	else
		executed_owner(self);
}

int main(int argc, char **argv)
{
	int there[2], back[2], status;

	must(argc > 1, "what?");
	if (!strcmp(argv[1], "after-exec")) {
		after_exec(argv);
		return 0;
	}
	must(!pipe(there) && !pipe(back), "pipe");
	my.other = fork();
	must(my.other >= 0, "fork");
	my.in = my.other ? back[0] : there[0];
	my.out = my.other ? there[1] : back[1];
	open_all();
	connect_qp();
	if (my.other) {
		for (int i = 0; i < DEPTH; i++)
			post_recv();
		meet();
		run_owner(argv[1], argv[0]);
		must(waitpid(my.other, &status, 0) == my.other && !status, "the writer");
	} else {
		meet();
		run_writer(argv[1]);
	}
	return 0;
}
