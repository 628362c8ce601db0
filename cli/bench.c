// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The benchmarks. */
#include "cli/bench.h"

#include <linux/err.h>
#include <rdma/rdmavt_qp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verbena/verbena.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/pair.h"
#include "sim/sim.h"

#define ROUND_S 0.3
#define DEPTH 64u
#define BATCH 16
#define MANY_PAIRS 5000u
#define RING_WRS 32u
#define SIM_PACKETS 300000u

/* Two hosts, a pair of QPs, and memory on both sides. */
struct stage {
	struct verbena_fabric *fabric;
	struct ib_device *device[2];
	struct pair pair;
	uint8_t *mem[2];
	struct ib_mr *mr[2];
	size_t bytes;
};

static void stage_close(struct stage *s)
{
	for (int i = 0; i < 2; i++) {
		if (s->mr[i] && !IS_ERR(s->mr[i]))
			ib_dereg_mr(s->mr[i]);
		free(s->mem[i]);
	}
	if (s->pair.side[0].qp)
		pair_close(&s->pair);
	verbena_fabric_free(s->fabric);
}

static int stage_open(struct stage *s, bool loopback, size_t bytes)
{
	const struct pair_options o = {
		.depth = DEPTH, .type = IB_QPT_RC, .mtu = IB_MTU_4096, .timeout = 14};

	memset(s, 0, sizeof(*s));
	s->bytes = bytes;
	s->fabric = verbena_fabric_new(NULL);
	if (IS_ERR(s->fabric))
		return -1;
	s->device[0] = verbena_host_add(s->fabric, "alpha", NULL);
	s->device[1] = loopback ? s->device[0] : verbena_host_add(s->fabric, "beta", NULL);
	if (IS_ERR(s->device[0]) || IS_ERR(s->device[1]) ||
	    pair_open(&s->pair, s->device[0], s->device[1], &o))
		goto fail;
	for (int i = 0; i < 2; i++) {
		s->mem[i] = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
		if (!s->mem[i])
			goto fail;
		memset(s->mem[i], i, bytes);
		s->mr[i] = ib_reg_user_mr(s->pair.side[i].pd, (uintptr_t)s->mem[i], bytes,
					  (uintptr_t)s->mem[i],
					  IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE);
		if (IS_ERR(s->mr[i]))
			goto fail;
	}
	return 0;
fail:
	stage_close(s);
	return -1;
}

static int post_receive(struct stage *s)
{
	struct ib_sge sge = {(uintptr_t)s->mem[1], 8, s->mr[1]->lkey};
	struct ib_recv_wr wr = {.sg_list = &sge, .num_sge = 1};

	return ib_post_recv(s->pair.side[1].qp, &wr, NULL);
}

static int post_send(struct stage *s)
{
	struct ib_sge sge = {(uintptr_t)s->mem[0], 8, s->mr[0]->lkey};
	struct ib_send_wr wr = {.sg_list = &sge,
				.num_sge = 1,
				.opcode = IB_WR_SEND,
				.send_flags = IB_SEND_SIGNALED};

	return ib_post_send(s->pair.side[0].qp, &wr, NULL);
}

/* Takes completions of one side; -1 if one is in error. */
static int take(struct stage *s, int side)
{
	struct ib_wc wc[BATCH];
	const int n = ib_poll_cq(s->pair.side[side].cq, BATCH, wc);

	for (int i = 0; i < n; i++)
		if (wc[i].status != IB_WC_SUCCESS)
			return -1;
	return n;
}

/* Messages until the time is over; each is posted, received, and polled on both sides. */
static int send_for(struct stage *s, double seconds, uint64_t *messages, double *took)
{
	const double start = cli_seconds();
	uint64_t sent = 0, done = 0, received = 0;
	int ret = 0;

	for (unsigned int i = 0; !ret && i < DEPTH; i++)
		ret = post_receive(s);
	while (!ret) {
		int n;

		for (int i = 0; !ret && i < BATCH && sent - received < DEPTH && sent - done < DEPTH;
		     i++, sent++)
			ret = post_send(s);
		n = take(s, 0);
		if (n < 0)
			return -1;
		done += (uint64_t)n;
		n = take(s, 1);
		if (n < 0)
			return -1;
		received += (uint64_t)n;
		while (!ret && n--)
			ret = post_receive(s);
		if (cli_seconds() - start > seconds)
			break;
	}
	*took = cli_seconds() - start;
	*messages = received;
	return ret;
}

static int send_rate(bool loopback, double *value)
{
	struct stage s;
	uint64_t messages;
	double took;
	int ret;

	if (stage_open(&s, loopback, 4096))
		return -1;
	ret = send_for(&s, ROUND_S, &messages, &took);
	stage_close(&s);
	*value = (double)messages / took / 1e6;
	return ret;
}

static int send_rate_loopback(double *value)
{
	return send_rate(true, value);
}

static int send_rate_packets(double *value)
{
	return send_rate(false, value);
}

/* As bandwidth is measured on hardware: a chain of requests in flight, each with its completion. */
static int write_chain(struct stage *s)
{
	struct ib_sge sge = {(uintptr_t)s->mem[0], (u32)s->bytes, s->mr[0]->lkey};
	struct ib_rdma_wr wr[BATCH];
	int done = 0, n = 0;

	for (int i = 0; i < BATCH; i++) {
		wr[i] = (struct ib_rdma_wr){.wr = {.sg_list = &sge,
						   .num_sge = 1,
						   .opcode = IB_WR_RDMA_WRITE,
						   .send_flags = IB_SEND_SIGNALED},
					    .remote_addr = (uintptr_t)s->mem[1],
					    .rkey = s->mr[1]->rkey};
		if (i)
			wr[i - 1].wr.next = &wr[i].wr;
	}
	if (ib_post_send(s->pair.side[0].qp, &wr[0].wr, NULL))
		return -1;
	for (; n >= 0 && done < BATCH; done += n)
		n = take(s, 0);
	return done == BATCH ? 0 : -1;
}

/* Alternating blocks of memcpy and WRITE over the same buffers. */
static int write_ratio(bool loopback, size_t bytes, double *value)
{
	const unsigned int chains = (unsigned int)((8u << 20) / bytes) / BATCH + 1;
	double copying = 0, writing = 0;
	struct stage s;
	int ret = 0;

	if (stage_open(&s, loopback, bytes))
		return -1;
	while (!ret && copying + writing < ROUND_S) {
		double start = cli_seconds();

		for (unsigned int i = 0; i < chains * BATCH; i++) {
			memcpy(s.mem[1], s.mem[0], bytes);
			__asm__ volatile("" : : "r"(s.mem[1]) : "memory");
		}
		copying += cli_seconds() - start;
		start = cli_seconds();
		for (unsigned int i = 0; !ret && i < chains; i++)
			ret = write_chain(&s);
		writing += cli_seconds() - start;
	}
	stage_close(&s);
	*value = copying / writing;
	return ret;
}

static int write_64k_loopback(double *value)
{
	return write_ratio(true, 65536, value);
}

static int write_64k_packets(double *value)
{
	return write_ratio(false, 65536, value);
}

static int write_1m_loopback(double *value)
{
	return write_ratio(true, 1u << 20, value);
}

static int write_1m_packets(double *value)
{
	return write_ratio(false, 1u << 20, value);
}

/* Many QPs that share one CQ a side. */
struct crowd {
	struct pair_side side[2];
	struct ib_qp **qp; /* both sides of each pair, one after the other */
	unsigned int pairs;
};

static struct ib_qp *crowd_qp(struct pair_side *side)
{
	struct ib_qp_init_attr attr = {.cap = {.max_send_wr = RING_WRS,
					       .max_recv_wr = RING_WRS,
					       .max_send_sge = 1,
					       .max_recv_sge = 1},
				       .send_cq = side->cq,
				       .recv_cq = side->cq,
				       .qp_type = IB_QPT_RC};

	return ib_create_qp(side->pd, &attr);
}

static void crowd_close(struct crowd *c)
{
	for (unsigned int i = 0; i < 2 * c->pairs; i++)
		if (!IS_ERR_OR_NULL(c->qp[i]))
			ib_destroy_qp(c->qp[i]);
	free(c->qp);
}

static int crowd_open(struct crowd *c, const struct stage *s, unsigned int pairs)
{
	*c = (struct crowd){.side = {s->pair.side[0], s->pair.side[1]},
			    .qp = calloc(2 * (size_t)pairs, sizeof(struct ib_qp *))};
	if (!c->qp)
		return -1;
	for (c->pairs = 0; c->pairs < pairs; c->pairs++) {
		for (int i = 0; i < 2; i++) {
			c->side[i].qp = crowd_qp(&c->side[i]);
			c->qp[2 * c->pairs + (unsigned int)i] = c->side[i].qp;
			if (IS_ERR(c->side[i].qp)) {
				c->pairs++;
				return -1;
			}
		}
		if (verbena_qp_connect(c->side[0].qp, c->side[1].qp, NULL)) {
			c->pairs++;
			return -1;
		}
	}
	return 0;
}

static size_t ring_bytes(void)
{
	const size_t send = sizeof(struct rvt_swqe) + sizeof(struct rvt_sge);
	const size_t receive = sizeof(struct rvt_rwqe) + sizeof(struct rvt_wqe_sge);

	return RING_WRS * (send + receive);
}

static int qp_memory(double *value)
{
	struct crowd c;
	struct stage s;
	size_t before;
	int ret;

	if (stage_open(&s, false, 4096))
		return -1;
	before = base_alloc_live_bytes();
	ret = crowd_open(&c, &s, MANY_PAIRS);
	*value = ((double)(base_alloc_live_bytes() - before) / (2.0 * MANY_PAIRS) -
		  (double)ring_bytes()) /
		 1024.0;
	crowd_close(&c);
	stage_close(&s);
	return ret;
}

/* The same traffic on one QP, alone and in a crowd, in one round. */
static int post_in_crowd(double *value)
{
	double alone = 0, crowded = 0;
	uint64_t messages;
	struct crowd c;
	struct stage s;
	int ret = stage_open(&s, false, 4096);

	if (ret)
		return -1;
	ret = send_for(&s, ROUND_S, &messages, &alone);
	alone /= (double)messages;
	stage_close(&s);
	if (ret || stage_open(&s, false, 4096))
		return -1;
	ret = crowd_open(&c, &s, MANY_PAIRS);
	if (!ret)
		ret = send_for(&s, ROUND_S, &messages, &crowded);
	*value = crowded / (double)messages / alone;
	crowd_close(&c);
	stage_close(&s);
	return ret;
}

static int sim_packets_rate(double *value)
{
	struct sim_result result;
	const double start = cli_seconds();

	sim_bench(SIM_PACKETS, &result);
	*value = (double)result.packets / (cli_seconds() - start) / 1e6;
	if (result.failed)
		fprintf(stderr, "verbena bench: %s\n", result.failure);
	return result.failed ? -1 : 0;
}

const struct bench bench_table[] = {
	{"send-8-loopback", "million messages/s", 5.0, false, send_rate_loopback, NULL},
	{"send-8-packets", "million messages/s", 2.5, false, send_rate_packets, NULL},
	{"write-64k-loopback", "of memcpy", 0.85, false, write_64k_loopback, NULL},
	{"write-1m-loopback", "of memcpy", 0.85, false, write_1m_loopback, NULL},
	{"write-64k-packets", "of memcpy", 0.75, false, write_64k_packets, NULL},
	{"write-1m-packets", "of memcpy", 0.75, false, write_1m_packets, NULL},
	{"qp-memory", "KiB a QP beyond rings", 16.0, true, qp_memory, NULL},
	{"post-among-10000", "of the time alone", 1.3, true, post_in_crowd, NULL},
	{"sim-packets", "million packets/s", 1.0, false, sim_packets_rate, NULL},
};

const unsigned int bench_count = sizeof(bench_table) / sizeof(bench_table[0]);
