// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * For full.sh. Two processes that have not met yet, one of which has no room for the other: no descriptor,
 * or no memory. What is sent fails; when there is room again the two meet.
 *
 * crowded files|memory sender|receiver: who has no room
 */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES 4096
#define FILES 1024

struct address {
	uint32_t qpn;
	uint16_t lid;
};

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static char memory[BYTES];
static int other; /* a socket */

static void must(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static void meet(void)
{
	char c = 'x';

	must(write(other, &c, 1) == 1 && read(other, &c, 1) == 1, "the other process");
}

static void open_all(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	context = list && list[0] ? ibv_open_device(list[0]) : NULL;
	must(context != NULL, "ibv_open_device");
	pd = ibv_alloc_pd(context);
	cq = ibv_create_cq(context, 16, NULL, NULL, 0);
	must(pd && cq, "resources");
	mr = ibv_reg_mr(pd, memory, BYTES, IBV_ACCESS_LOCAL_WRITE);
	must(mr != NULL, "ibv_reg_mr");
}

static struct ibv_qp *connected(void)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .cap = {4, 4, 1, 1, 0}};
	struct ibv_sge sge = {(uintptr_t)memory, BYTES, mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = 1, .sg_list = &sge, .num_sge = 1}, *bad;
	struct ibv_qp *qp = ibv_create_qp(pd, &init);
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
	struct address mine, peer;
	struct ibv_port_attr port;

	must(qp && !ibv_query_port(context, 1, &port), "a queue pair");
	mine = (struct address){qp->qp_num, port.lid};
	must(write(other, &mine, sizeof(mine)) == sizeof(mine) &&
		     read(other, &peer, sizeof(peer)) == sizeof(peer),
	     "the other's address");
	must(!ibv_modify_qp(qp, &attr,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) &&
		     !ibv_post_recv(qp, &wr, &bad),
	     "INIT");
	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR,
				    .path_mtu = IBV_MTU_1024,
				    .dest_qp_num = peer.qpn,
				    .ah_attr = {.dlid = peer.lid, .port_num = 1}};
	must(!ibv_modify_qp(qp, &attr,
			    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				    IBV_QP_MIN_RNR_TIMER),
	     "RTR");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 3, .rnr_retry = 7};
	must(!ibv_modify_qp(qp, &attr,
			    IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				    IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC),
	     "RTS");
	meet();
	return qp;
}

static void send_one(struct ibv_qp *qp)
{
	struct ibv_sge sge = {(uintptr_t)memory, BYTES, mr->lkey};
	struct ibv_send_wr wr = {.wr_id = 2,
				 .opcode = IBV_WR_SEND,
				 .sg_list = &sge,
				 .num_sge = 1,
				 .send_flags = IBV_SEND_SIGNALED},
			   *bad;

	must(!ibv_post_send(qp, &wr, &bad), "ibv_post_send");
}

static void expect(const struct ibv_qp *qp, enum ibv_wc_status status)
{
	struct ibv_wc wc;

	do
		while (!ibv_poll_cq(cq, 1, &wc))
			;
	while (wc.qp_num != qp->qp_num);
	if (wc.status == status)
		return;
	fprintf(stderr, "QP 0x%x ends with %s\n", wc.qp_num, ibv_wc_status_str(wc.status));
	exit(1);
}

static int fds[FILES], held;
static struct rlimit before;

/* All descriptors, or all addresses that the process may have are in use. */
static void fill_up(const char *what)
{
	struct rlimit limit;
	unsigned long pages;
	FILE *statm;

	if (!strcmp(what, "files")) {
		while (held < FILES && (fds[held] = open("/dev/null", O_RDONLY)) >= 0)
			held++;
		must(held < FILES && errno == EMFILE, "all descriptors");
		return;
	}
	statm = fopen("/proc/self/statm", "r");
	must(statm && fscanf(statm, "%lu", &pages) == 1, "/proc/self/statm");
	fclose(statm);
	must(!getrlimit(RLIMIT_AS, &before), "getrlimit");
	limit = before;
	limit.rlim_cur = pages * (unsigned long)sysconf(_SC_PAGESIZE);
	must(!setrlimit(RLIMIT_AS, &limit), "setrlimit");
}

static void make_room(const char *what)
{
	while (held)
		close(fds[--held]);
	if (strcmp(what, "files") != 0)
		must(!setrlimit(RLIMIT_AS, &before), "setrlimit");
}

static void play(const char *what, int sends, int is_full)
{
	struct ibv_qp *qp;

	setenv("VERBENA_HOST", sends ? "h1" : "h2", 1);
	open_all();
	qp = connected();
	if (is_full)
		fill_up(what);
	meet();
	if (sends) {
		send_one(qp);
		expect(qp, IBV_WC_RETRY_EXC_ERR);
	}
	meet();
	if (is_full)
		make_room(what);
	meet();
	qp = connected();
	if (sends)
		send_one(qp);
	expect(qp, IBV_WC_SUCCESS);
	meet();
}

int main(int argc, char **argv)
{
	const struct rlimit files = {FILES, FILES};
	int sv[2], status;
	pid_t pid;

	must(argc == 3 && !setrlimit(RLIMIT_NOFILE, &files) &&
		     !socketpair(AF_UNIX, SOCK_STREAM, 0, sv),
	     "arguments");
	pid = fork();
	other = sv[pid == 0];
	close(sv[pid != 0]);
	alarm(60);
	play(argv[1], pid == 0, (pid == 0) == !strcmp(argv[2], "sender"));
	return pid && (waitpid(pid, &status, 0) != pid || status);
}
