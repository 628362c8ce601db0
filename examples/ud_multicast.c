// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* One datagram to a multicast group, received by every host that has attached to it. */
#include <linux/err.h>
#include <rdma/ib_verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verbena/verbena.h>

#define HOSTS 4
#define GRH 40 /* every UD receive buffer begins with room for the GRH */
#define QKEY 0x1234
#define MLID 0xc001

struct member {
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_mr *mr;
	char buffer[GRH + 64];
};

/* A group address: ff1e::7 */
static union ib_gid mgid = {.raw = {0xff, 0x1e, [15] = 7}};

static void *checked(void *object, const char *what)
{
	if (!IS_ERR(object))
		return object;
	fprintf(stderr, "%s: %s\n", what, verbena_last_cause());
	exit(1);
}

static void succeeded(int ret, const char *what)
{
	if (!ret)
		return;
	fprintf(stderr, "%s: %s\n", what, verbena_last_cause());
	exit(1);
}

static void join(struct member *m, struct ib_device *device)
{
	const struct ib_cq_init_attr cq_attr = {.cqe = 16};
	struct ib_qp_init_attr attr = {
		.qp_type = IB_QPT_UD,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1}};
	struct ib_sge sge = {(u64)m->buffer, sizeof(m->buffer), 0};
	struct ib_recv_wr wr = {.sg_list = &sge, .num_sge = 1};

	m->pd = checked(ib_alloc_pd(device, 0), "PD");
	m->cq = checked(ib_create_cq(device, NULL, NULL, NULL, &cq_attr), "CQ");
	attr.send_cq = attr.recv_cq = m->cq;
	m->qp = checked(ib_create_qp(m->pd, &attr), "QP");
	m->mr = checked(ib_reg_user_mr(m->pd, (u64)m->buffer, sizeof(m->buffer), (u64)m->buffer,
				       IB_ACCESS_LOCAL_WRITE),
			"MR");
	sge.lkey = m->mr->lkey;
	succeeded(verbena_ud_ready(m->qp, QKEY), "to RTS");
	succeeded(ib_attach_mcast(m->qp, &mgid, MLID), "attaching");
	succeeded(ib_post_recv(m->qp, &wr, NULL), "receive");
}

static void send_to_group(struct member *m, const char *text)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB};
	struct ib_sge sge = {(u64)text, (u32)strlen(text) + 1, m->pd->local_dma_lkey};
	struct ib_ud_wr wr = {.wr = {.opcode = IB_WR_SEND, .sg_list = &sge, .num_sge = 1},
			      .remote_qpn = IB_MULTICAST_QPN,
			      .remote_qkey = QKEY};
	struct ib_wc wc;

	rdma_ah_set_port_num(&attr, 1);
	rdma_ah_set_dlid(&attr, MLID);
	rdma_ah_set_grh(&attr, &mgid, 0, 0, 1, 0);
	wr.ah = checked(rdma_create_ah(m->pd, &attr, RDMA_CREATE_AH_SLEEPABLE), "AH");
	succeeded(ib_post_send(m->qp, &wr.wr, NULL), "send");
	while (!ib_poll_cq(m->cq, 1, &wc) || (wc.opcode & IB_WC_RECV))
		;
	rdma_destroy_ah(wr.ah, RDMA_DESTROY_AH_SLEEPABLE);
}

static void leave(struct member *m)
{
	ib_detach_mcast(m->qp, &mgid, MLID);
	ib_destroy_qp(m->qp);
	ib_destroy_cq(m->cq);
	ib_dereg_mr(m->mr);
	ib_dealloc_pd(m->pd);
}

int main(void)
{
	struct verbena_fabric *fabric = checked(verbena_fabric_new(NULL), "fabric");
	struct member member[HOSTS];
	char name[16];

	for (int i = 0; i < HOSTS; i++) {
		snprintf(name, sizeof(name), "host%d", i);
		join(&member[i], checked(verbena_host_add(fabric, name, NULL), "host"));
	}
	send_to_group(&member[0], "hello, all");
	/* The switch sends it to the other hosts; the sender's own copy is not made. */
	for (int i = 1; i < HOSTS; i++) {
		struct ib_wc wc;

		while (!ib_poll_cq(member[i].cq, 1, &wc))
			;
		printf("host%d got '%s' from QP 0x%x\n", i, member[i].buffer + GRH, wc.src_qp);
	}
	for (int i = 0; i < HOSTS; i++)
		leave(&member[i]);
	verbena_fabric_free(fabric);
	return 0;
}
