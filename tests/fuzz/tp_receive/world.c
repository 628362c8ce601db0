// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* See world.h. */
#include "fuzz/tp_receive/world.h"

#include <linux/scatterlist.h>
#include <string.h>

#include "base/host.h"
#include "packet/aeth.h"
#include "transport/run.h"
#include "transport/tp_qp.h"

/* The hosts' buffers: guard, region with all rights, guard, region that may only be read, guard. */
#define WATCHED_BYTES (READ_ONLY_AT + READ_ONLY_BYTES + GUARD_BYTES)
#define GUARD 0xa5

#define SETTLE_ROUNDS 64
#define SCATTERED_PAGES 6
#define SCATTERED_PAGE_BYTES 4096u

static int (*wire_send)(struct tp_port *port, const struct tp_run *run, void *sender);

uint8_t take8(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->at++;
}

uint16_t take16(struct input *in)
{
	const uint8_t high = take8(in);

	return (uint16_t)(high << 8 | take8(in));
}

uint32_t take32(struct input *in)
{
	const uint32_t high = take16(in);

	return high << 16 | take16(in);
}

uint64_t take64(struct input *in)
{
	const uint64_t high = take32(in);

	return high << 32 | take32(in);
}

struct rvt_qp *rvt(const struct test_qp *qp)
{
	return ibqp_to_rvtqp(qp->ib);
}

struct test_qp *peer_of(struct world *w, const struct test_qp *qp)
{
	return qp == &w->pair.a ? &w->pair.b : &w->pair.a;
}

int side_of(const struct world *w, const struct test_qp *qp)
{
	return qp == &w->pair.b;
}

/* What leaves: sane, from memory that a key grants, and a fatal NAK says why. */
static void check_outgoing(const struct rvt_qp *sender, const struct tp_run *run)
{
	const struct test_host *host =
		container_of(ib_to_rvt(sender->ibqp.device)->ports[0], struct test_host, ibp);
	const char *open = host->buffer + OPEN_AT, *read_only = host->buffer + READ_ONLY_AT;
	uint64_t bytes = 0;

	REQUIRE(tp_run_is_sane(run));
	REQUIRE(sender->state != IB_QPS_RESET && sender->state != IB_QPS_INIT);
	for (uint32_t i = 0; i < run->payload.count; i++) {
		const char *at = run->payload.iov[i].iov_base;
		const size_t n = run->payload.iov[i].iov_len;

		REQUIRE((at >= open && at + n <= open + OPEN_BYTES) ||
			(at >= read_only && at + n <= read_only + READ_ONLY_BYTES));
		bytes += n;
	}
	REQUIRE(!run->payload.bytes || run->payload.offset + run->payload.bytes <= bytes);
	if (run->first_opcode == PKT_RC_ACKNOWLEDGE &&
	    pkt_aeth_kind(run->aeth.syndrome) == PKT_AETH_NAK &&
	    run->aeth.syndrome != PKT_NAK_PSN_SEQUENCE)
		REQUIRE(base_cause_sentence(run->why.id));
}

static int checked_send(struct tp_port *port, const struct tp_run *run, void *sender)
{
	check_outgoing(sender, run);
	return wire_send(port, run, sender);
}

void register_open(struct test_host *host)
{
	const uintptr_t at = (uintptr_t)host->buffer + OPEN_AT;

	host->mr = ib_reg_user_mr(host->pd, at, OPEN_BYTES, at,
				  IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
					  IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC);
	REQUIRE(!IS_ERR(host->mr));
}

static void make_host(struct world *w, int side)
{
	const struct test_host_options options = {.lid = (uint16_t)(side + 1)};
	struct test_host *host = test_host_new(w->pair.wire, &options);
	char *buffer;

	REQUIRE(host);
	w->pair.host[side] = host;
	buffer = host->buffer;
	memset(buffer, GUARD, WATCHED_BYTES);
	REQUIRE(!ib_dereg_mr(host->mr));
	register_open(host);
	w->read_only[side] = ib_reg_user_mr(host->pd, (uintptr_t)buffer + READ_ONLY_AT,
					    READ_ONLY_BYTES, (uintptr_t)buffer + READ_ONLY_AT,
					    IB_ACCESS_REMOTE_READ);
	REQUIRE(!IS_ERR(w->read_only[side]));
}

/* Every second page of the open region. */
static void make_scattered(struct world *w, struct test_qp *qp)
{
	const u64 page = SCATTERED_PAGE_BYTES;
	const u64 at = ((uintptr_t)qp->host->buffer + OPEN_AT + page - 1) / page * page;
	struct ib_mr *mr = ib_alloc_mr(qp->host->pd, IB_MR_TYPE_MEM_REG, SCATTERED_PAGES);
	struct ib_reg_wr reg = {.wr = {.opcode = IB_WR_REG_MR}, .mr = mr};
	struct scatterlist sg[SCATTERED_PAGES];
	struct ib_wc wc;

	REQUIRE(!IS_ERR(mr));
	sg_init_table(sg, SCATTERED_PAGES);
	for (unsigned int i = 0; i < SCATTERED_PAGES; i++) {
		sg_dma_address(&sg[i]) = at + 2 * i * page;
		sg_dma_len(&sg[i]) = SCATTERED_PAGE_BYTES;
	}
	REQUIRE(ib_map_mr_sg(mr, sg, SCATTERED_PAGES, NULL, SCATTERED_PAGE_BYTES) ==
		SCATTERED_PAGES);
	reg.key = mr->rkey;
	reg.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ;
	REQUIRE(!ib_post_send(qp->ib, &reg.wr, NULL));
	while (test_poll(qp->send_cq, &wc)) /* not one of world.wrs */
		REQUIRE(!wc.status);
	w->scattered[side_of(w, qp)] = mr;
}

static void check_guards(const struct world *w)
{
	static char guard[READ_ONLY_BYTES + 2 * GUARD_BYTES];

	if (!guard[0])
		memset(guard, GUARD, sizeof(guard));
	for (int side = 0; side < 2; side++) {
		const char *buffer = w->pair.host[side]->buffer;

		REQUIRE(!memcmp(buffer, guard, GUARD_BYTES));
		REQUIRE(!memcmp(buffer + OPEN_AT + OPEN_BYTES, guard, sizeof(guard)));
	}
}

static void make_ahs(struct world *w)
{
	struct test_qp *const qps[2] = {&w->pair.a, &w->pair.b};

	for (int side = 0; side < 2; side++) {
		struct rdma_ah_attr attr;

		test_qp_ah_attr(qps[side], w->pair.host[!side], &attr);
		w->ah[side] = rdma_create_ah(w->pair.host[side]->pd, &attr, 0);
		REQUIRE(!IS_ERR(w->ah[side]));
	}
}

void world_begin(struct world *w)
{
	static const enum ib_qp_type types[] = {IB_QPT_RC, IB_QPT_RC, IB_QPT_UC, IB_QPT_UD};
	static const u32 psns[] = {0, 0xfffffe, 0x7ffffe, 0x123456};
	const uint8_t kind = take8(&w->in), how = take8(&w->in), limits = take8(&w->in);
	struct test_qp_options o = {.type = types[kind & 3],
				    .mtu = kind & 4 ? IB_MTU_256 : IB_MTU_1024,
				    .psn = psns[kind >> 3 & 3],
				    .access = kind & 32 ? IB_ACCESS_LOCAL_WRITE : 0,
				    .signal_all = kind & 64,
				    .grh = kind & 128,
				    .timeout = (u8)(limits % 15 + 1),
				    .retry_cnt = (u8)(limits >> 4 & 7),
				    .rnr_retry = how >> 5 & 7,
				    .min_rnr_timer = 1,
				    .rd_atomic = how & 16 ? 1 : 4};

	w->pair.wire = test_wire_new();
	REQUIRE(w->pair.wire);
	make_host(w, 0);
	make_host(w, 1);
	w->pair.wire->quiet = true;
	w->pair.wire->hold = true;
	w->pair.wire->mode = (enum test_wire_mode)(how % 3);
	test_wire_set_copies(w->pair.wire, how & 4);
	w->pair.wire->most_packets = how & 8 ? 3 : 0;
	if (!wire_send)
		wire_send = w->pair.wire->ops.send;
	w->pair.wire->ops.send = checked_send;
	REQUIRE(!test_pair_connect(&w->pair, &o, &o));
	make_ahs(w);
	if (o.type != IB_QPT_UD) {
		make_scattered(w, &w->pair.a);
		make_scattered(w, &w->pair.b);
	}
}

void set_room(struct world *w, uint32_t runs)
{
	w->pair.wire->room = runs;
	tp_port_ready(w->pair.host[0]->port);
	tp_port_ready(w->pair.host[1]->port);
}

static void check_qp(const struct test_qp *qp)
{
	const struct rvt_qp *r = rvt(qp);

	REQUIRE(tp_qp(r)->resp.epsn.v <= PKT_PSN_MASK);
	REQUIRE(r->s_num_rd_atomic <= r->s_max_rd_atomic);
	if (r->state == IB_QPS_ERR || r->state == IB_QPS_SQE)
		REQUIRE(base_cause_sentence(r->first_cause.id));
}

void world_check(const struct world *w)
{
	check_guards(w);
	check_qp(&w->pair.a);
	check_qp(&w->pair.b);
}

/* All that was posted and not taken back ends, whatever has happened to it. */
void world_end(struct world *w)
{
	(void)test_qp_to(&w->pair.a, IB_QPS_ERR);
	(void)test_qp_to(&w->pair.b, IB_QPS_ERR);
	set_room(w, TEST_WIRE_ROOM);
	for (int i = 0; i < SETTLE_ROUNDS && (w->pair.wire->count || !base_host_idle()); i++) {
		test_wire_deliver(w->pair.wire, TEST_WIRE_ROOM);
		test_turn(1000000);
	}
	poll_both(w);
	world_check(w);
	for (uint32_t i = 0; i < w->wr_count; i++)
		REQUIRE(w->wrs[i].state != WR_POSTED || !w->wrs[i].signalled);
	REQUIRE(rvt(&w->pair.a)->s_last == rvt(&w->pair.a)->s_head);
	REQUIRE(rvt(&w->pair.b)->s_last == rvt(&w->pair.b)->s_head);
	for (int side = 0; side < 2; side++) {
		rdma_destroy_ah(w->ah[side], 0);
		REQUIRE(!ib_dereg_mr(w->read_only[side]));
	}
	test_qp_destroy(&w->pair.a);
	test_qp_destroy(&w->pair.b);
	for (int side = 0; side < 2; side++)
		REQUIRE(!w->scattered[side] || !ib_dereg_mr(w->scattered[side]));
	test_host_free(w->pair.host[0]);
	test_host_free(w->pair.host[1]);
	test_wire_free(w->pair.wire);
}
