// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The shortest: one message from one host to another, and back. */
#include <linux/err.h>
#include <rdma/ib_verbs.h>
#include <stdio.h>
#include <string.h>
#include <verbena/verbena.h>

/* One side: its queue pair, and a buffer that the device may use. */
struct side {
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_mr *mr;
	char buffer[64];
};

static void open_side(struct side *s, struct ib_device *device)
{
	const struct ib_cq_init_attr cq_attr = {.cqe = 16};
	struct ib_qp_init_attr qp_attr = {
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.cap = {.max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1}};

	s->pd = ib_alloc_pd(device, 0);
	s->cq = ib_create_cq(device, NULL, NULL, NULL, &cq_attr);
	qp_attr.send_cq = qp_attr.recv_cq = s->cq;
	s->qp = ib_create_qp(s->pd, &qp_attr);
	s->mr = ib_reg_user_mr(s->pd, (u64)s->buffer, sizeof(s->buffer), (u64)s->buffer,
			       IB_ACCESS_LOCAL_WRITE);
}

static void receive(struct side *s)
{
	struct ib_sge sge = {(u64)s->buffer, sizeof(s->buffer), s->mr->lkey};
	struct ib_recv_wr wr = {.sg_list = &sge, .num_sge = 1};

	if (ib_post_recv(s->qp, &wr, NULL))
		printf("%s\n", verbena_last_cause());
}

static void send_text(struct side *s, const char *text)
{
	struct ib_sge sge = {(u64)s->buffer, (u32)strlen(text) + 1, s->mr->lkey};
	struct ib_send_wr wr = {.opcode = IB_WR_SEND, .sg_list = &sge, .num_sge = 1};

	snprintf(s->buffer, sizeof(s->buffer), "%s", text);
	if (ib_post_send(s->qp, &wr, NULL))
		printf("%s\n", verbena_last_cause());
}

static void wait_for(struct side *s, enum ib_wc_opcode opcode)
{
	struct ib_wc wc = {.status = IB_WC_SUCCESS};

	do {
		while (!ib_poll_cq(s->cq, 1, &wc))
			;
		if (wc.status != IB_WC_SUCCESS)
			printf("%s\n", verbena_qp_cause(wc.qp));
	} while (wc.status == IB_WC_SUCCESS && wc.opcode != opcode);
}

static void close_side(struct side *s)
{
	ib_destroy_qp(s->qp);
	ib_destroy_cq(s->cq);
	ib_dereg_mr(s->mr);
	ib_dealloc_pd(s->pd);
}

int main(void)
{
	struct verbena_fabric *fabric = verbena_fabric_new(NULL);
	struct side a, b;

	open_side(&a, verbena_host_add(fabric, "alpha", NULL));
	open_side(&b, verbena_host_add(fabric, "beta", NULL));
	if (verbena_qp_connect(a.qp, b.qp, NULL))
		printf("%s\n", verbena_last_cause());
	receive(&b);
	send_text(&a, "ping");
	wait_for(&b, IB_WC_RECV);
	printf("beta got: %s\n", b.buffer);
	wait_for(&a, IB_WC_SEND);
	receive(&a);
	send_text(&b, "pong");
	wait_for(&a, IB_WC_RECV);
	printf("alpha got: %s\n", a.buffer);
	close_side(&a);
	close_side(&b);
	verbena_fabric_free(fabric);
	return 0;
}
