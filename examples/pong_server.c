// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The kernel's API against a stock program: answers the messages of libibverbs' ibv_rc_pingpong,
 * which runs in another process, on another host of the same fabric.
 *
 *	pong_server [PORT [MESSAGES]]
 *	verbena run --host beta -- ibv_rc_pingpong [-p PORT] [-n MESSAGES] localhost
 *
 * The two exchange LID, QP number and PSN as text over TCP, as ibv_rc_pingpong has it.
 */
#include <arpa/inet.h>
#include <linux/err.h>
#include <rdma/ib_verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <verbena/verbena.h>

#define DEPTH 16
#define MAX_BYTES 65536u
#define OUR_PSN 0x123456u
#define CARD "0000:000000:000000:00000000000000000000000000000000"

struct server {
	struct ib_device *device;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_mr *mr;
	char buffer[DEPTH][MAX_BYTES];
};

static int complain(const char *what)
{
	fprintf(stderr, "pong_server: %s: %s\n", what, verbena_last_cause());
	return 1;
}

static int open_device(struct server *s)
{
	const struct ib_cq_init_attr cq_attr = {.cqe = 2 * DEPTH};
	struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC,
				       .sq_sig_type = IB_SIGNAL_ALL_WR,
				       .cap = {.max_send_wr = DEPTH,
					       .max_recv_wr = DEPTH,
					       .max_send_sge = 1,
					       .max_recv_sge = 1}};

	s->device = verbena_host_attach(NULL, NULL, NULL);
	if (IS_ERR(s->device))
		return complain("no place on the fabric");
	s->pd = ib_alloc_pd(s->device, 0);
	s->cq = ib_create_cq(s->device, NULL, NULL, NULL, &cq_attr);
	attr.send_cq = attr.recv_cq = s->cq;
	s->qp = ib_create_qp(s->pd, &attr);
	s->mr = ib_reg_user_mr(s->pd, (u64)s->buffer, sizeof(s->buffer), (u64)s->buffer,
			       IB_ACCESS_LOCAL_WRITE);
	return IS_ERR(s->qp) || IS_ERR(s->mr) ? complain("no queue pair") : 0;
}

static void close_device(struct server *s)
{
	ib_destroy_qp(s->qp);
	ib_destroy_cq(s->cq);
	ib_dereg_mr(s->mr);
	ib_dealloc_pd(s->pd);
	verbena_host_remove(s->device);
}

static int receive(struct server *s, u64 slot)
{
	struct ib_sge sge = {(u64)s->buffer[slot], MAX_BYTES, s->mr->lkey};
	struct ib_recv_wr wr = {.wr_id = slot, .sg_list = &sge, .num_sge = 1};

	return ib_post_recv(s->qp, &wr, NULL);
}

/* Back it goes; the slot receives again when the bytes have left. */
static int answer(struct server *s, const struct ib_wc *wc)
{
	struct ib_sge sge = {(u64)s->buffer[wc->wr_id], wc->byte_len, s->mr->lkey};
	struct ib_send_wr wr = {
		.wr_id = wc->wr_id, .sg_list = &sge, .num_sge = 1, .opcode = IB_WR_SEND};

	return ib_post_send(s->qp, &wr, NULL);
}

static int connect_qp(struct server *s, u16 dlid, u32 qpn, u32 psn)
{
	struct ib_qp_attr a = {.qp_state = IB_QPS_INIT, .port_num = 1};
	int ret = ib_modify_qp(s->qp, &a,
			       IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_ACCESS_FLAGS);

	for (u64 slot = 0; slot < DEPTH && !ret; slot++)
		ret = receive(s, slot);
	if (ret)
		return complain("INIT");
	a = (struct ib_qp_attr){.qp_state = IB_QPS_RTR,
				.path_mtu = IB_MTU_1024,
				.dest_qp_num = qpn,
				.rq_psn = psn,
				.max_dest_rd_atomic = 1,
				.min_rnr_timer = 12};
	a.ah_attr.type = RDMA_AH_ATTR_TYPE_IB;
	rdma_ah_set_port_num(&a.ah_attr, 1);
	rdma_ah_set_dlid(&a.ah_attr, dlid);
	if (ib_modify_qp(s->qp, &a,
			 IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN |
				 IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER))
		return complain("RTR");
	a = (struct ib_qp_attr){.qp_state = IB_QPS_RTS,
				.timeout = 14,
				.retry_cnt = 7,
				.rnr_retry = 7,
				.sq_psn = OUR_PSN,
				.max_rd_atomic = 1};
	if (ib_modify_qp(s->qp, &a,
			 IB_QP_STATE | IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
				 IB_QP_SQ_PSN | IB_QP_MAX_QP_RD_ATOMIC))
		return complain("RTS");
	return 0;
}

/* Its address comes, ours goes, "done" comes. */
static int exchange(struct server *s, int peer)
{
	char card[sizeof(CARD)] = "", done[sizeof("done")];
	unsigned int lid, qpn, psn;
	struct ib_port_attr port;

	if (recv(peer, card, sizeof(card), MSG_WAITALL) != sizeof(card) || card[sizeof(card) - 1] ||
	    sscanf(card, "%x:%x:%x:", &lid, &qpn, &psn) != 3) {
		fprintf(stderr, "pong_server: this is no ibv_rc_pingpong\n");
		return 1;
	}
	if (connect_qp(s, (u16)lid, qpn, psn) || ib_query_port(s->device, 1, &port))
		return 1;
	snprintf(card, sizeof(card), "%04x:%06x:%06x:%032x", port.lid & 0xffff, s->qp->qp_num,
		 OUR_PSN, 0);
	if (write(peer, card, sizeof(card)) != sizeof(card))
		return 1;
	return recv(peer, done, sizeof(done), MSG_WAITALL) == sizeof(done) ? 0 : 1;
}

static int serve(struct server *s, unsigned long messages)
{
	unsigned long answered = 0;
	struct ib_wc wc;
	int ret = 0;

	while (answered < messages && !ret) {
		if (!ib_poll_cq(s->cq, 1, &wc))
			continue;
		if (wc.status != IB_WC_SUCCESS) {
			fprintf(stderr, "pong_server: %s\n", verbena_qp_cause(wc.qp));
			return 1;
		}
		if (wc.opcode == IB_WC_RECV) {
			ret = answer(s, &wc);
		} else {
			ret = receive(s, wc.wr_id);
			answered++;
		}
	}
	printf("%lu messages answered\n", answered);
	return ret ? complain("a request") : 0;
}

/* The first to connect on this machine. */
static int accept_peer(unsigned short port)
{
	const struct sockaddr_in address = {.sin_family = AF_INET,
					    .sin_port = htons(port),
					    .sin_addr = {htonl(INADDR_LOOPBACK)}};
	const int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	int peer = -1;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (!bind(fd, (const struct sockaddr *)&address, sizeof(address)) && !listen(fd, 1))
		peer = accept(fd, NULL, NULL);
	if (peer < 0)
		perror("pong_server");
	close(fd);
	return peer;
}

int main(int argc, char **argv)
{
	static struct server server;
	const unsigned short port = (unsigned short)(argc > 1 ? atoi(argv[1]) : 18515);
	const unsigned long messages = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
	int peer, ret;

	if (open_device(&server))
		return 1;
	peer = accept_peer(port);
	ret = peer < 0 || exchange(&server, peer) || serve(&server, messages);
	close_device(&server);
	close(peer);
	return ret;
}
