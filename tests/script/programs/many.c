// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * For programs.sh. libibverbs is loaded with dlopen(); four threads send over 64 pairs of RC queue
 * pairs, whose completions go to one CQ that all of them poll. Each message is compared.
 *
 * many forked: the process forks first, and its child does all that, too, on a context of its own.
 * many executed: its child does so after exec().
 */
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define PAIRS 64
#define ROUNDS 50
#define BYTES 64

static struct {
	struct ibv_device **(*get_device_list)(int *);
	void (*free_device_list)(struct ibv_device **);
	struct ibv_context *(*open_device)(struct ibv_device *);
	int (*close_device)(struct ibv_context *);
	struct ibv_pd *(*alloc_pd)(struct ibv_context *);
	int (*dealloc_pd)(struct ibv_pd *);
	struct ibv_mr *(*reg_mr)(struct ibv_pd *, void *, size_t, int);
	int (*dereg_mr)(struct ibv_mr *);
	struct ibv_cq *(*create_cq)(struct ibv_context *, int, void *, struct ibv_comp_channel *,
				    int);
	int (*destroy_cq)(struct ibv_cq *);
	struct ibv_qp *(*create_qp)(struct ibv_pd *, struct ibv_qp_init_attr *);
	int (*modify_qp)(struct ibv_qp *, struct ibv_qp_attr *, int);
	int (*destroy_qp)(struct ibv_qp *);
	int (*query_port)(struct ibv_context *, uint8_t, struct ibv_port_attr *);
} lib;

static struct {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint16_t lid;
	struct ibv_qp *qp[2 * PAIRS]; /* 2n sends to 2n + 1 */
	unsigned int done[2 * PAIRS];
} all;
static char memory[2 * PAIRS][BYTES];

static void must(int holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	exit(1);
}

#define LOAD(name)                                                 \
	do {                                                       \
		*(void **)&lib.name = dlsym(handle, "ibv_" #name); \
		must(lib.name != NULL, #name);                     \
	} while (0)

static void load(void)
{
	void *handle = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL);

	must(handle != NULL, "dlopen");
	LOAD(get_device_list);
	LOAD(free_device_list);
	LOAD(open_device);
	LOAD(close_device);
	LOAD(alloc_pd);
	LOAD(dealloc_pd);
	LOAD(reg_mr);
	LOAD(dereg_mr);
	LOAD(create_cq);
	LOAD(destroy_cq);
	LOAD(create_qp);
	LOAD(modify_qp);
	LOAD(destroy_qp);
	LOAD(query_port);
}

static struct ibv_context *open_first(void)
{
	struct ibv_device **list = lib.get_device_list(NULL);
	struct ibv_context *context;

	must(list && list[0], "no device");
	context = lib.open_device(list[0]);
	must(context != NULL, "open");
	lib.free_device_list(list);
	return context;
}

static void open_all(void)
{
	struct ibv_port_attr port;

	all.context = open_first();
	/* The exported function is the old one, which fills what a compatible structure begins with. */
	must(!lib.query_port(all.context, 1, (void *)&port), "query_port");
	all.lid = port.lid;
	all.pd = lib.alloc_pd(all.context);
	all.cq = lib.create_cq(all.context, 4 * PAIRS, NULL, NULL, 0);
	must(all.pd && all.cq, "pd, cq");
	all.mr = lib.reg_mr(all.pd, memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE);
	must(all.mr != NULL, "mr");
}

static void close_all(void)
{
	for (int i = 0; i < 2 * PAIRS; i++)
		must(!lib.destroy_qp(all.qp[i]), "destroy_qp");
	must(!lib.dereg_mr(all.mr) && !lib.destroy_cq(all.cq) && !lib.dealloc_pd(all.pd),
	     "destroy");
	must(!lib.close_device(all.context), "close");
}

static void make_qp(int i)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = all.cq,
		.recv_cq = all.cq,
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
		.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
	};

	all.qp[i] = lib.create_qp(all.pd, &attr);
	must(all.qp[i] != NULL, "create_qp");
}

static void connect_qp(int i)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = all.qp[i ^ 1]->qp_num,
		.max_dest_rd_atomic = 1,
		.max_rd_atomic = 1,
		.min_rnr_timer = 1,
		.timeout = 16,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.ah_attr = {.dlid = all.lid, .port_num = 1},
	};

	must(!lib.modify_qp(all.qp[i], &attr,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
	     "INIT");
	attr.qp_state = IBV_QPS_RTR;
	must(!lib.modify_qp(all.qp[i], &attr,
			    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				    IBV_QP_MIN_RNR_TIMER),
	     "RTR");
	attr.qp_state = IBV_QPS_RTS;
	must(!lib.modify_qp(all.qp[i], &attr,
			    IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				    IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC),
	     "RTS");
}

static struct ibv_sge sge_of(int i)
{
	return (struct ibv_sge){(uintptr_t)memory[i], BYTES, all.mr->lkey};
}

static void post_receive(int i)
{
	struct ibv_sge sge = sge_of(i);
	struct ibv_recv_wr wr = {.wr_id = (uint64_t)i, .sg_list = &sge, .num_sge = 1}, *bad;

	must(!ibv_post_recv(all.qp[i], &wr, &bad), "post_recv");
}

static void post_send(int i, unsigned int round)
{
	struct ibv_sge sge = sge_of(i);
	struct ibv_send_wr wr = {
		.wr_id = (uint64_t)i, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND};
	struct ibv_send_wr *bad;

	memset(memory[i], (int)(round + (unsigned int)i), BYTES);
	must(!ibv_post_send(all.qp[i], &wr, &bad), "post_send");
}

/* Any thread finds any completion. */
static void poll_one(void)
{
	struct ibv_wc wc;
	const int n = ibv_poll_cq(all.cq, 1, &wc);

	must(n >= 0, "poll_cq");
	if (!n)
		return;
	must(wc.status == IBV_WC_SUCCESS && wc.wr_id < 2 * PAIRS, "completion");
	__atomic_fetch_add(&all.done[wc.wr_id], 1, __ATOMIC_SEQ_CST);
}

static void wait_for(int i, unsigned int count)
{
	while (__atomic_load_n(&all.done[i], __ATOMIC_SEQ_CST) < count)
		poll_one();
}

static void *send_some(void *arg)
{
	const int first = (int)(intptr_t)arg * 2 * (PAIRS / THREADS);
	const int end = first + 2 * (PAIRS / THREADS);

	for (unsigned int round = 1; round <= ROUNDS; round++) {
		for (int i = first; i < end; i += 2) {
			post_receive(i + 1);
			post_send(i, round);
		}
		for (int i = first; i < end; i += 2) {
			wait_for(i, round);
			wait_for(i + 1, round);
			must(!memcmp(memory[i], memory[i + 1], BYTES), "wrong data");
		}
	}
	return NULL;
}

static void run(void)
{
	pthread_t threads[THREADS];

	open_all();
	for (int i = 0; i < 2 * PAIRS; i++)
		make_qp(i);
	for (int i = 0; i < 2 * PAIRS; i++)
		connect_qp(i);
	memset(all.done, 0, sizeof(all.done));
	for (intptr_t i = 0; i < THREADS; i++)
		must(!pthread_create(&threads[i], NULL, send_some, (void *)i), "pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	close_all();
}

/* With a context open, which is dead in the child. */
static void run_in_child(char *program, int executed)
{
	struct ibv_context *before = open_first();
	int status;
	pid_t child = fork();

	must(child >= 0, "fork");
	if (!child) {
		if (executed)
			execl(program, program, (char *)NULL);
		must(!lib.alloc_pd(before), "the inherited context works");
		run();
		_exit(0); /* a leak checker takes what the parent's devices had for leaks of the child */
	}
	must(waitpid(child, &status, 0) == child && !status, "child");
	must(!lib.close_device(before), "close");
}

int main(int argc, char **argv)
{
	load();
	if (argc > 1)
		run_in_child(argv[0], !strcmp(argv[1], "executed"));
	run();
	printf("%d threads, %d pairs of queue pairs: all sent and compared\n", THREADS, PAIRS);
	return 0;
}
