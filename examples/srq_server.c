// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * A server with one shared receive queue for all its clients, driven by completion callbacks: no
 * polling, a limit event that asks for more receives, and answers from the callback.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <rdma/ib_verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <verbena/verbena.h>

#define CLIENTS 4
#define REQUESTS 100 /* of each client */
#define RECEIVES 32
#define LOW_WATER 8

struct request {
	struct ib_cqe cqe; /* done() gets the completion by way of this */
	u64 number;
};

static struct ib_device *server_device, *client_device;
static struct ib_pd *server_pd, *client_pd;
static struct ib_srq *srq;
static struct ib_mr *server_mr, *client_mr;
static struct request requests[RECEIVES], answers[CLIENTS];
static struct ib_cqe sent = {0};
static struct completion all_answered;
static struct ib_qp *server_qp[CLIENTS], *client_qp[CLIENTS];
static u64 client_number[CLIENTS];
static u64 sum;
static int limit_events, answered;

static void *checked(void *object, const char *what)
{
	if (!IS_ERR(object))
		return object;
	fprintf(stderr, "%s: %s\n", what, verbena_last_cause());
	exit(1);
}

static void post_request_buffer(struct request *r)
{
	struct ib_sge sge = {(u64)&r->number, sizeof(r->number), server_mr->lkey};
	struct ib_recv_wr wr = {.wr_cqe = &r->cqe, .sg_list = &sge, .num_sge = 1};

	if (ib_post_srq_recv(srq, &wr, NULL))
		fprintf(stderr, "SRQ: %s\n", verbena_last_cause());
}

static void send_number(struct ib_qp *qp, u64 *number, u32 lkey)
{
	struct ib_sge sge = {(u64)number, sizeof(*number), lkey};
	struct ib_send_wr wr = {.wr_cqe = &sent,
				.opcode = IB_WR_SEND,
				.sg_list = &sge,
				.num_sge = 1,
				.send_flags = IB_SEND_SIGNALED};

	if (ib_post_send(qp, &wr, NULL))
		fprintf(stderr, "send: %s\n", verbena_last_cause());
}

static void on_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	(void)cq;
	if (wc->status != IB_WC_SUCCESS)
		fprintf(stderr, "%s\n", verbena_qp_cause(wc->qp));
}

/* The server: add up, answer with an empty message, give the buffer back. */
static void on_request(struct ib_cq *cq, struct ib_wc *wc)
{
	struct request *r = container_of(wc->wr_cqe, struct request, cqe);
	struct ib_send_wr answer = {
		.wr_cqe = &sent, .opcode = IB_WR_SEND, .send_flags = IB_SEND_SIGNALED};

	(void)cq;
	if (wc->status != IB_WC_SUCCESS)
		return;
	sum += r->number;
	if (ib_post_send(wc->qp, &answer, NULL))
		fprintf(stderr, "answer: %s\n", verbena_last_cause());
	post_request_buffer(r);
}

static void post_answer_buffer(struct request *r)
{
	struct ib_recv_wr wr = {.wr_cqe = &r->cqe};

	if (ib_post_recv(client_qp[r - answers], &wr, NULL))
		fprintf(stderr, "receive: %s\n", verbena_last_cause());
}

/* A client: the next request, until all are answered. */
static void on_answer(struct ib_cq *cq, struct ib_wc *wc)
{
	struct request *r = container_of(wc->wr_cqe, struct request, cqe);
	const long client = r - answers;

	(void)cq;
	if (wc->status != IB_WC_SUCCESS)
		return;
	if (++answered == CLIENTS * REQUESTS)
		complete(&all_answered);
	if (++client_number[client] > REQUESTS)
		return;
	post_answer_buffer(r);
	send_number(client_qp[client], &client_number[client], client_mr->lkey);
}

static void on_srq_event(struct ib_event *event, void *context)
{
	(void)context;
	if (event->event == IB_EVENT_SRQ_LIMIT_REACHED)
		limit_events++;
}

static void create_objects(struct ib_cq **server_cq, struct ib_cq **client_cq)
{
	struct ib_srq_init_attr attr = {.event_handler = on_srq_event,
					.attr = {.max_wr = RECEIVES, .max_sge = 1}};

	server_pd = checked(ib_alloc_pd(server_device, 0), "PD");
	client_pd = checked(ib_alloc_pd(client_device, 0), "PD");
	*server_cq = checked(ib_alloc_cq(server_device, NULL, 1024, 0, IB_POLL_WORKQUEUE), "CQ");
	*client_cq = checked(ib_alloc_cq(client_device, NULL, 1024, 0, IB_POLL_WORKQUEUE), "CQ");
	srq = checked(ib_create_srq(server_pd, &attr), "SRQ");
	server_mr = checked(ib_reg_user_mr(server_pd, (u64)requests, sizeof(requests),
					   (u64)requests, IB_ACCESS_LOCAL_WRITE),
			    "MR");
	client_mr = checked(ib_reg_user_mr(client_pd, (u64)client_number, sizeof(client_number),
					   (u64)client_number, 0),
			    "MR");
}

static void connect_clients(struct ib_cq *server_cq, struct ib_cq *client_cq)
{
	for (int i = 0; i < CLIENTS; i++) {
		struct ib_qp_init_attr s = {.qp_type = IB_QPT_RC,
					    .send_cq = server_cq,
					    .recv_cq = server_cq,
					    .srq = srq,
					    .cap = {.max_send_wr = 16, .max_send_sge = 1}};
		struct ib_qp_init_attr c = {.qp_type = IB_QPT_RC,
					    .send_cq = client_cq,
					    .recv_cq = client_cq,
					    .cap = {.max_send_wr = 4,
						    .max_recv_wr = 4,
						    .max_send_sge = 1,
						    .max_recv_sge = 1}};

		server_qp[i] = checked(ib_create_qp(server_pd, &s), "QP");
		client_qp[i] = checked(ib_create_qp(client_pd, &c), "QP");
		if (verbena_qp_connect(server_qp[i], client_qp[i], NULL))
			fprintf(stderr, "connecting: %s\n", verbena_last_cause());
	}
}

int main(void)
{
	struct verbena_fabric *fabric = checked(verbena_fabric_new(NULL), "fabric");
	struct ib_srq_attr limit = {.srq_limit = LOW_WATER};
	struct ib_cq *server_cq, *client_cq;

	sent.done = on_sent;
	init_completion(&all_answered);
	server_device = checked(verbena_host_add(fabric, "server", NULL), "host");
	client_device = checked(verbena_host_add(fabric, "clients", NULL), "host");
	create_objects(&server_cq, &client_cq);
	connect_clients(server_cq, client_cq);
	for (int i = 0; i < RECEIVES; i++) {
		requests[i].cqe.done = on_request;
		post_request_buffer(&requests[i]);
	}
	ib_modify_srq(srq, &limit, IB_SRQ_LIMIT);
	for (int i = 0; i < CLIENTS; i++) {
		answers[i].cqe.done = on_answer;
		client_number[i] = 1;
		post_answer_buffer(&answers[i]);
		send_number(client_qp[i], &client_number[i], client_mr->lkey);
	}
	wait_for_completion(&all_answered);
	for (int i = 0; i < CLIENTS; i++) {
		ib_drain_qp(client_qp[i]);
		ib_destroy_qp(client_qp[i]);
		ib_drain_qp(server_qp[i]);
		ib_destroy_qp(server_qp[i]);
	}
	printf("%d requests answered, their sum is %llu\n", answered, (unsigned long long)sum);
	ib_free_cq(server_cq);
	ib_free_cq(client_cq);
	ib_destroy_srq(srq);
	ib_dereg_mr(server_mr);
	ib_dereg_mr(client_mr);
	ib_dealloc_pd(server_pd);
	ib_dealloc_pd(client_pd);
	verbena_fabric_free(fabric);
	return sum == CLIENTS * (u64)REQUESTS * (REQUESTS + 1) / 2 ? 0 : 1;
}
