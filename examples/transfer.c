// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * A file goes from one host to another three ways: SEND, RDMA WRITE with immediate, RDMA READ;
 * over a fabric that loses one packet in a hundred. Usage: transfer FILE
 */
#include <linux/err.h>
#include <rdma/ib_verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verbena/verbena.h>

#define CHUNK (1u << 20)
#define DEPTH 8u

enum way { SEND, WRITE, READ, WAYS };

static const char *const names[] = {"SEND", "RDMA WRITE", "RDMA READ"};

struct side {
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_mr *mr;
	char *bytes; /* the file, or room for it */
};

static size_t file_bytes;

static void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, verbena_last_cause());
	exit(1);
}

static void open_side(struct side *s, struct ib_device *device)
{
	const struct ib_cq_init_attr cq_attr = {.cqe = 2 * DEPTH};
	struct ib_qp_init_attr qp_attr = {.qp_type = IB_QPT_RC,
					  .sq_sig_type = IB_SIGNAL_ALL_WR,
					  .cap = {.max_send_wr = DEPTH,
						  .max_recv_wr = DEPTH,
						  .max_send_sge = 1,
						  .max_recv_sge = 1}};

	s->pd = ib_alloc_pd(device, 0);
	if (IS_ERR(s->pd))
		fail("PD");
	s->cq = ib_create_cq(device, NULL, NULL, NULL, &cq_attr);
	if (IS_ERR(s->cq))
		fail("CQ");
	qp_attr.send_cq = qp_attr.recv_cq = s->cq;
	s->qp = ib_create_qp(s->pd, &qp_attr);
	if (IS_ERR(s->qp))
		fail("QP");
	s->mr = ib_reg_user_mr(s->pd, (u64)s->bytes, file_bytes, (u64)s->bytes,
			       IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
				       IB_ACCESS_REMOTE_READ);
	if (IS_ERR(s->mr))
		fail("MR");
}

static void close_side(struct side *s)
{
	ib_destroy_qp(s->qp);
	ib_destroy_cq(s->cq);
	ib_dereg_mr(s->mr);
	ib_dealloc_pd(s->pd);
}

/* The piece of one side's memory that chunk number @i is. */
static struct ib_sge piece(const struct side *s, size_t i)
{
	const size_t left = file_bytes - i * CHUNK;

	return (struct ib_sge){(u64)s->bytes + i * CHUNK, left < CHUNK ? (u32)left : CHUNK,
			       s->mr->lkey};
}

static void post_receive(struct side *s, size_t i)
{
	struct ib_sge sge = piece(s, i);
	struct ib_recv_wr wr = {.wr_id = i, .sg_list = &sge, .num_sge = 1};

	if (ib_post_recv(s->qp, &wr, NULL))
		fail("receive");
}

static void post_request(struct side *from, const struct side *to, enum way way, size_t i)
{
	static const enum ib_wr_opcode opcodes[] = {IB_WR_SEND, IB_WR_RDMA_WRITE_WITH_IMM,
						    IB_WR_RDMA_READ};
	struct ib_sge sge = piece(from, i);
	struct ib_rdma_wr wr = {
		.wr = {.wr_id = i, .opcode = opcodes[way], .sg_list = &sge, .num_sge = 1},
		.remote_addr = (u64)to->bytes + i * CHUNK,
		.rkey = to->mr->rkey};

	if (ib_post_send(from->qp, &wr.wr, NULL))
		fail("request");
}

/* Take completions; returns how many there were. */
static size_t take(struct side *s)
{
	struct ib_wc wc[DEPTH];
	const int n = ib_poll_cq(s->cq, DEPTH, wc);

	for (int i = 0; i < n; i++)
		if (wc[i].status != IB_WC_SUCCESS) {
			fprintf(stderr, "%s\n", verbena_qp_cause(s->qp));
			exit(1);
		}
	return (size_t)n;
}

/* @active asks, @passive is asked; READ turns the roles round. */
static void move(struct side *active, struct side *passive, enum way way)
{
	const size_t chunks = (file_bytes + CHUNK - 1) / CHUNK;
	size_t posted = 0, done = 0, receives = 0, received = 0;

	while (done < chunks || (way != READ && received < chunks)) {
		while (way != READ && receives < chunks && receives - received < DEPTH)
			post_receive(passive, receives++);
		while (posted < chunks && posted - done < DEPTH)
			post_request(active, passive, way, posted++);
		done += take(active);
		received += take(passive);
	}
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *bytes = NULL;

	if (file && !fseek(file, 0, SEEK_END) && ftell(file) > 0) {
		file_bytes = (size_t)ftell(file);
		rewind(file);
		bytes = malloc(file_bytes);
		if (bytes && fread(bytes, 1, file_bytes, file) != file_bytes) {
			free(bytes);
			bytes = NULL;
		}
	}
	if (!bytes) {
		fprintf(stderr, "cannot read %s, or it is empty\n", path);
		exit(2);
	}
	fclose(file);
	return bytes;
}

int main(int argc, char **argv)
{
	const struct verbena_fabric_options options = {
		.faults = {.seed = 1, .drop_ppm = 10000, .reorder_ppm = 10000}};
	struct verbena_fabric *fabric = verbena_fabric_new(&options);
	struct side a, b;
	struct ib_device *alpha, *beta;
	bool same = true;

	if (argc != 2) {
		fprintf(stderr, "Usage: %s FILE\n", argv[0]);
		return 2;
	}
	if (IS_ERR(fabric))
		fail("fabric");
	alpha = verbena_host_add(fabric, "alpha", NULL);
	beta = verbena_host_add(fabric, "beta", NULL);
	if (IS_ERR(alpha) || IS_ERR(beta))
		fail("host");
	a.bytes = read_file(argv[1]);
	b.bytes = malloc(file_bytes);
	for (int way = 0; b.bytes && way < WAYS; way++) {
		memset(b.bytes, 0, file_bytes);
		open_side(&a, alpha);
		open_side(&b, beta);
		if (verbena_qp_connect(a.qp, b.qp, NULL))
			fail("connecting");
		if (way == READ)
			move(&b, &a, READ);
		else
			move(&a, &b, (enum way)way);
		close_side(&a);
		close_side(&b);
		same &= !memcmp(a.bytes, b.bytes, file_bytes);
		printf("%-10s %zu bytes, %s\n", names[way], file_bytes,
		       same ? "equal" : "DIFFERENT");
	}
	free(a.bytes);
	free(b.bytes);
	verbena_fabric_free(fabric);
	return same ? 0 : 1;
}
