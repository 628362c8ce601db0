// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * For migrate.sh. Two processes, each with two ports, change to the other port and back. Nothing is under
 * way when one of them migrates, and no timer would tell the other: what arrives must.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 20
#define BYTES 4096

struct address {
	uint32_t qpn;
	uint16_t lid[2];
};

static struct ibv_context *context;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_mr *mr;
static char memory[BYTES];
static struct address mine, peer;
static int other; /* a socket */

static void must(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static void open_all(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_qp_init_attr init = {.qp_type = IBV_QPT_RC, .cap = {4, 4, 1, 1, 0}};
	struct ibv_port_attr port;
	struct ibv_pd *pd;

	context = list && list[0] ? ibv_open_device(list[0]) : NULL;
	must(context != NULL, "ibv_open_device");
	pd = ibv_alloc_pd(context);
	cq = ibv_create_cq(context, 16, NULL, NULL, 0);
	must(pd && cq, "resources");
	mr = ibv_reg_mr(pd, memory, BYTES, IBV_ACCESS_LOCAL_WRITE);
	init.send_cq = init.recv_cq = cq;
	qp = ibv_create_qp(pd, &init);
	must(mr && qp, "a queue pair");
	mine.qpn = qp->qp_num;
	for (uint8_t i = 0; i < 2; i++) {
		must(!ibv_query_port(context, i + 1, &port), "ibv_query_port");
		mine.lid[i] = port.lid;
	}
	must(write(other, &mine, sizeof(mine)) == sizeof(mine) &&
		     read(other, &peer, sizeof(peer)) == sizeof(peer),
	     "the other's address");
}

static void receive_one(void)
{
	struct ibv_sge sge = {(uintptr_t)memory, BYTES, mr->lkey};
	struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;

	must(!ibv_post_recv(qp, &wr, &bad), "ibv_post_recv");
}

/* Without an ACK timer. */
static void connect_qp(void)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};

	must(!ibv_modify_qp(qp, &attr,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
	     "INIT");
	receive_one();
	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR,
				    .path_mtu = IBV_MTU_1024,
				    .dest_qp_num = peer.qpn,
				    .ah_attr = {.dlid = peer.lid[0], .port_num = 1}};
	must(!ibv_modify_qp(qp, &attr,
			    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				    IBV_QP_MIN_RNR_TIMER),
	     "RTR");
	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS, .rnr_retry = 7};
	must(!ibv_modify_qp(qp, &attr,
			    IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				    IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC),
	     "RTS");
}

static void await(enum ibv_wc_opcode opcode)
{
	struct ibv_wc wc;

	while (!ibv_poll_cq(cq, 1, &wc))
		;
	if (wc.status == IBV_WC_SUCCESS && wc.opcode == opcode)
		return;
	fprintf(stderr, "%s, opcode %d\n", ibv_wc_status_str(wc.status), wc.opcode);
	exit(1);
}

static void meet(void)
{
	char c = 'x';

	must(write(other, &c, 1) == 1 && read(other, &c, 1) == 1, "the other process");
}

/* A message there, or back; nothing is under way afterwards. */
static void message(int sends)
{
	struct ibv_sge sge = {(uintptr_t)memory, BYTES, mr->lkey};
	struct ibv_send_wr wr = {.opcode = IBV_WR_SEND,
				 .sg_list = &sge,
				 .num_sge = 1,
				 .send_flags = IBV_SEND_SIGNALED},
			   *bad;

	if (sends) {
		must(!ibv_post_send(qp, &wr, &bad), "ibv_post_send");
		await(IBV_WC_SEND);
	} else {
		await(IBV_WC_RECV);
		receive_one();
	}
	meet();
}

static void arm(uint8_t port)
{
	struct ibv_qp_attr attr = {.alt_ah_attr = {.dlid = peer.lid[port - 1], .port_num = port},
				   .alt_port_num = port,
				   .path_mig_state = IBV_MIG_REARM};

	must(!ibv_modify_qp(qp, &attr, IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE), "REARM");
	meet();
}

static void is_at(uint8_t port, enum ibv_mig_state state)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	must(!ibv_query_qp(qp, &attr, IBV_QP_PORT | IBV_QP_PATH_MIG_STATE, &init), "query");
	if (attr.port_num == port && attr.path_mig_state == state)
		return;
	fprintf(stderr, "at port %d in state %d, not %d in %d\n", attr.port_num,
		attr.path_mig_state, port, state);
	exit(1);
}

static void play(int side)
{
	struct ibv_qp_attr migrated = {.path_mig_state = IBV_MIG_MIGRATED};
	struct ibv_async_event event;

	setenv("VERBENA_HOST", side ? "h1" : "h2", 1);
	open_all();
	connect_qp();
	meet();
	for (int round = 0; round < ROUNDS; round++) {
		const uint8_t there = round % 2 ? 1 : 2;
		const int begins = round / 2 % 2 == side;

		arm(there);
		message(begins);
		message(!begins);
		is_at(3 - there, IBV_MIG_ARMED);
		meet();
		if (begins)
			must(!ibv_modify_qp(qp, &migrated, IBV_QP_PATH_MIG_STATE), "MIGRATED");
		message(begins);
		message(!begins);
		is_at(there, IBV_MIG_MIGRATED);
		must(!ibv_get_async_event(context, &event), "an event");
		must(event.event_type == IBV_EVENT_PATH_MIG && event.element.qp == qp, "PATH_MIG");
		ibv_ack_async_event(&event);
	}
}

int main(void)
{
	int sv[2], status;
	pid_t pid;

	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, sv), "socketpair");
	pid = fork();
	other = sv[pid == 0];
	close(sv[pid != 0]);
	alarm(60);
	play(pid == 0);
	return pid && (waitpid(pid, &status, 0) != pid || status);
}
