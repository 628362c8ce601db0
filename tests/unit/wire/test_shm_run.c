// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Runs as records: what goes in comes out, and nonsense does not. */
#include "wire/shm_run.h"

#include <errno.h>
#include <string.h>

#include "base/random.h"
#include "base/umem.h"
#include "common/test.h"
#include "packet/opcode.h"

static uint8_t payload[2][300];
static struct iovec iov[2] = {{payload[0], sizeof(payload[0])}, {payload[1], sizeof(payload[1])}};
static uint8_t record[8192];

static struct tp_run make_run(uint8_t opcode)
{
	struct tp_run run = {.dest_qpn = 0x123456,
			     .pkey = 0x8001,
			     .psn = {0xfffffe},
			     .packets = 1,
			     .pmtu_bytes = 1024,
			     .first_opcode = opcode,
			     .last_opcode = opcode,
			     .immdt = 0x11223344,
			     .ieth = 0x55667788,
			     .aeth = {0x61, {0x777}}};

	run.path = (struct tp_path){.slid = 3, .dlid = 4, .sl = 5};
	run.payload = (struct tp_payload){.iov = iov, .count = 2, .offset = 290, .bytes = 100};
	return run;
}

static void round_trip(const struct tp_run *run, bool pull, struct shm_run_view *view)
{
	const size_t bytes = shm_run_bytes(run, pull);

	assert_true(bytes <= sizeof(record));
	memset(record, 0xee, sizeof(record));
	assert_int_equal(shm_run_write(run, pull, record), 0);
	assert_int_equal(record[bytes], 0xee);
	assert_int_equal(shm_run_read(record, bytes, view), 0);
	assert_int_equal(view->pull, pull);
	assert_int_equal(view->run.dest_qpn, run->dest_qpn);
	assert_int_equal(view->run.pkey, run->pkey);
	assert_int_equal(view->run.psn.v, run->psn.v);
	assert_int_equal(view->run.packets, run->packets);
	assert_int_equal(view->run.pmtu_bytes, run->pmtu_bytes);
	assert_int_equal(view->run.first_opcode, run->first_opcode);
	assert_int_equal(view->run.last_opcode, run->last_opcode);
	assert_int_equal(view->run.immdt, run->immdt);
	assert_int_equal(view->run.ieth, run->ieth);
	assert_int_equal(view->run.aeth.syndrome, run->aeth.syndrome);
	assert_int_equal(view->run.aeth.msn.v, run->aeth.msn.v);
	assert_int_equal(view->run.path.slid, run->path.slid);
	assert_int_equal(view->run.path.dlid, run->path.dlid);
	assert_int_equal(view->run.path.sl, run->path.sl);
	assert_int_equal(view->run.payload.bytes, run->payload.bytes);
	assert_null(view->run.payload.source);
}

static void shm_run__flags_one_by_one(void **state)
{
	(void)state;
	for (unsigned int bits = 0; bits < 32; bits++) {
		struct tp_run run = make_run(PKT_RC_SEND_ONLY);
		struct shm_run_view view;

		run.solicited = bits & 1;
		run.migrated = bits >> 1 & 1;
		run.ack_req = bits >> 2 & 1;
		run.becn = bits >> 3 & 1;
		run.path.has_grh = bits >> 4 & 1;
		run.path.flow_label = 0xabcde;
		run.path.hop_limit = 9;
		run.path.traffic_class = 8;
		memset(run.path.sgid, 1, 16);
		memset(run.path.dgid, 2, 16);
		round_trip(&run, false, &view);
		assert_int_equal(view.run.solicited, run.solicited);
		assert_int_equal(view.run.migrated, run.migrated);
		assert_int_equal(view.run.ack_req, run.ack_req);
		assert_int_equal(view.run.becn, run.becn);
		assert_int_equal(view.run.path.has_grh, run.path.has_grh);
		if (!run.path.has_grh)
			continue;
		assert_int_equal(view.run.path.flow_label, 0xabcde);
		assert_int_equal(view.run.path.hop_limit, 9);
		assert_int_equal(view.run.path.traffic_class, 8);
		assert_memory_equal(view.run.path.sgid, run.path.sgid, 16);
		assert_memory_equal(view.run.path.dgid, run.path.dgid, 16);
	}
}

/* LRH 8, GRH 40, BTH 12, RETH 16, ICRC 4; payload padded to words. */
static void shm_run_wire_bytes__as_on_a_wire(void **state)
{
	struct tp_run run = make_run(PKT_RC_SEND_ONLY);

	(void)state;
	run.path.has_grh = false;
	run.payload.bytes = 0;
	assert_int_equal(shm_run_wire_bytes(&run, 1), 24);
	run.payload.bytes = 5;
	assert_int_equal(shm_run_wire_bytes(&run, 1), 24 + 8);
	run.path.has_grh = true;
	assert_int_equal(shm_run_wire_bytes(&run, 1), 24 + 40 + 8);
	run = make_run(PKT_RC_WRITE_FIRST);
	run.path.has_grh = false;
	run.last_opcode = PKT_RC_WRITE_LAST;
	run.packets = 3;
	run.payload.bytes = 2500;
	assert_int_equal(shm_run_wire_bytes(&run, 3), 3 * 24 + 16 + 2500);
	assert_int_equal(shm_run_wire_bytes(&run, 2), 2 * 24 + 16 + 2048);
}

/* AETH 4, in the first and the last. */
static void shm_run_response_bytes__as_on_a_wire(void **state)
{
	/* clang-format off */
	static const struct { uint32_t bytes, packets, on_wire; } rows[] = {
		{0,	     1,	      24 + 4},
		{1,	     1,	      24 + 4 + 4},
		{1024,	     1,	      24 + 4 + 1024},
		{1025,	     2,	      2 * 24 + 8 + 1028},
		{2048,	     2,	      2 * 24 + 8 + 2048},
		{2500,	     3,	      3 * 24 + 8 + 2500},
		{0x80000000, 1 << 21, (24 << 21) + 8 + 0x80000000u},
	};
	/* clang-format on */
	struct tp_run run = make_run(PKT_RC_READ_REQUEST);
	uint32_t packets;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		run.reth.dma_bytes = rows[i].bytes;
		assert_int_equal(shm_run_response_bytes(&run, &packets), rows[i].on_wire);
		assert_int_equal(packets, rows[i].packets);
	}
	run.path.has_grh = true;
	run.reth.dma_bytes = 1500;
	assert_int_equal(shm_run_response_bytes(&run, &packets), 2 * (24 + 40) + 8 + 1500);
}

static void shm_run__extended_headers(void **state)
{
	struct tp_run run = make_run(PKT_RC_WRITE_ONLY);
	struct shm_run_view view;

	(void)state;
	run.reth = (struct pkt_reth){0x1122334455667788, 0x99aabbcc, 0xddeeff00};
	round_trip(&run, false, &view);
	assert_memory_equal(&view.run.reth, &run.reth, sizeof(run.reth));
	run = make_run(PKT_RC_FLUSH);
	run.payload.bytes = 0;
	run.reth = (struct pkt_reth){8, 7, 6};
	run.feth = (struct pkt_feth){.placement = 3, .selectivity = 1};
	round_trip(&run, false, &view);
	assert_int_equal(view.run.reth.dma_bytes, 6);
	assert_int_equal(view.run.feth.placement, 3);
	assert_int_equal(view.run.feth.selectivity, 1);
	run = make_run(PKT_RC_COMPARE_SWAP);
	run.payload.bytes = 0;
	run.atomiceth = (struct pkt_atomiceth){.va = 8, .rkey = 7, .swap_add = 6, .compare = 5};
	round_trip(&run, false, &view);
	assert_int_equal(view.run.atomiceth.va, 8);
	assert_int_equal(view.run.atomiceth.rkey, 7);
	assert_int_equal(view.run.atomiceth.swap_add, 6);
	assert_int_equal(view.run.atomiceth.compare, 5);
	run = make_run(PKT_RC_ATOMIC_ACKNOWLEDGE);
	run.payload.bytes = 0;
	run.atomicacketh.original = 0x1234567890;
	round_trip(&run, false, &view);
	assert_int_equal(view.run.atomicacketh.original, 0x1234567890);
	run = make_run(PKT_UD_SEND_ONLY);
	run.deth = (struct pkt_deth){.qkey = 0x80010000, .src_qpn = 0x654321};
	round_trip(&run, false, &view);
	assert_int_equal(view.run.deth.qkey, 0x80010000);
	assert_int_equal(view.run.deth.src_qpn, 0x654321);
}

static void shm_run__payload_in_the_ring_or_where_it_is(void **state)
{
	struct tp_run run = make_run(PKT_RC_SEND_ONLY);
	struct shm_run_view view;

	(void)state;
	for (size_t i = 0; i < sizeof(payload[0]); i++)
		payload[0][i] = payload[1][i] = (uint8_t)(i * 7);
	round_trip(&run, false, &view);
	assert_memory_equal(view.iov[0].iov_base, payload[0] + 290, 10);
	assert_memory_equal((uint8_t *)view.iov[0].iov_base + 10, payload[1], 90);
	round_trip(&run, true, &view);
	assert_int_equal(view.run.payload.count, 2);
	assert_int_equal(view.run.payload.offset, 290);
	assert_ptr_equal(view.iov[1].iov_base, payload[1]);
	assert_int_equal(view.iov[1].iov_len, sizeof(payload[1]));
}

static void shm_run__the_reason_of_a_nak(void **state)
{
	struct tp_run run = make_run(PKT_RC_ACKNOWLEDGE);
	struct shm_run_view view;

	(void)state;
	run.payload.bytes = 0;
	run.why = (struct base_cause){.wr_id = 1,
				      .arg = {2, 3, 4, 5, 6, 7},
				      .id = 8,
				      .side = 1,
				      .has_wr = true,
				      .wr_opcode = 9,
				      .status = 10,
				      .qpn = 11,
				      .peer_qpn = 12};
	round_trip(&run, false, &view);
	assert_int_equal(view.run.why.wr_id, 1);
	assert_memory_equal(view.run.why.arg, run.why.arg, sizeof(run.why.arg));
	assert_int_equal(view.run.why.id, 8);
	assert_int_equal(view.run.why.side, 1);
	assert_true(view.run.why.has_wr);
	assert_int_equal(view.run.why.wr_opcode, 9);
	assert_int_equal(view.run.why.status, 10);
	assert_int_equal(view.run.why.qpn, 11);
	assert_int_equal(view.run.why.peer_qpn, 12);
}

static void shm_run_read__beyond_the_record(void **state)
{
	struct tp_run run = make_run(PKT_RC_SEND_ONLY);
	struct shm_run *r = (struct shm_run *)(void *)record;
	const size_t bytes = shm_run_bytes(&run, false);
	struct shm_run_view view;

	(void)state;
	assert_int_equal(shm_run_write(&run, false, record), 0);
	assert_int_equal(shm_run_read(record, bytes - 1, &view), -EBADMSG);
	assert_int_equal(shm_run_read(record, sizeof(*r) - 1, &view), -EBADMSG);
	r->payload_bytes = UINT32_MAX;
	assert_int_equal(shm_run_read(record, bytes, &view), -EBADMSG);
	assert_int_equal(shm_run_write(&run, true, record), 0);
	r->segments = SHM_RUN_SEGMENTS + 1;
	assert_int_equal(shm_run_read(record, sizeof(record), &view), -EBADMSG);
	r->segments = 2;
	r->payload_bytes = 601 - 290;
	assert_int_equal(shm_run_read(record, sizeof(record), &view), -EBADMSG);
	r->payload_bytes = 10;
	memset(r + 1, 0xff, sizeof(uint64_t)); /* the offset into the segments */
	assert_int_equal(shm_run_read(record, sizeof(record), &view), -EBADMSG);
}

/* Whatever is in the record, what is read lies in it, and every bool is one. */
static void shm_run_read__noise(void **state)
{
	uint64_t random = 3;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct shm_run_view view;
		const size_t bytes = (size_t)base_random_below(&random, 1024);

		for (size_t i = 0; i < bytes; i++)
			record[i] = (uint8_t)(base_random(&random) &
					      (base_random_below(&random, 4) ? 0 : 0xff));
		if (shm_run_read(record, bytes, &view) || view.pull)
			continue;
		assert_true((uint8_t *)view.iov[0].iov_base + view.iov[0].iov_len <=
			    record + bytes);
	}
}

static void shm_run_write__memory_that_is_not_there(void **state)
{
	struct tp_run run = make_run(PKT_RC_SEND_ONLY);
	struct iovec nowhere = {(void *)(uintptr_t)4096, 400};

	(void)state;
	assert_int_equal(base_umem_init(), 0);
	run.payload.iov = &nowhere;
	run.payload.count = 1;
	assert_int_equal(shm_run_write(&run, false, record), -EFAULT);
}

static struct tp_small make_small(uint8_t opcode)
{
	return (struct tp_small){.dest_qpn = 0x123456,
				 .psn = {0xfffffe},
				 .pkey = 0x8001,
				 .pmtu_bytes = 1024,
				 .slid = 3,
				 .dlid = 4,
				 .sl = 5,
				 .opcode = opcode,
				 .solicited = true,
				 .ack_req = true,
				 .immdt = 0x11223344,
				 .aeth = {0x1f, {0x777}},
				 .bytes = payload[0],
				 .count = opcode == PKT_RC_ACKNOWLEDGE ? 0 : 100};
}

/* The same record as that of the run; and what comes out is what went in. */
static void shm_small__is_a_run(void **state)
{
	const uint8_t opcodes[] = {PKT_RC_SEND_ONLY, PKT_RC_SEND_ONLY_IMM, PKT_RC_ACKNOWLEDGE};
	uint8_t other[sizeof(record)];
	struct tp_small small, read;

	(void)state;
	for (unsigned int i = 0; i < sizeof(opcodes); i++) {
		struct tp_run run = make_run(opcodes[i]);

		small = make_small(opcodes[i]);
		run.solicited = run.ack_req = run.migrated = true;
		run.ieth = 0;
		run.aeth = small.aeth;
		run.payload = (struct tp_payload){.iov = iov, .count = 1, .bytes = small.count};
		memset(record, 0, sizeof(record));
		memset(other, 0, sizeof(other));
		assert_int_equal(shm_small_bytes(&small), shm_run_bytes(&run, false));
		assert_int_equal(shm_run_write(&run, false, other), 0);
		shm_small_write(&small, record);
		assert_memory_equal(record, other, sizeof(record));
		assert_int_equal(shm_small_wire_bytes(&small), shm_run_wire_bytes(&run, 1));
		assert_true(shm_small_read(record, shm_small_bytes(&small), &read));
		assert_ptr_equal(read.bytes, record + sizeof(struct shm_run));
		read.bytes = small.bytes;
		assert_memory_equal(&read, &small, sizeof(read));
		small.ack_here = true;
		shm_small_write(&small, record);
		assert_true(shm_small_read(record, shm_small_bytes(&small), &read));
		assert_true(read.ack_here);
	}
}

/* Each is for the general way, which may refuse it. */
static void shm_small_read__not(void **state)
{
	const struct tp_small small = make_small(PKT_RC_SEND_ONLY);
	struct shm_run *r = (struct shm_run *)record, good;
	struct tp_small read;

	(void)state;
	shm_small_write(&small, record);
	good = *r;
#define NOT(set)                                                               \
	do {                                                                   \
		set;                                                           \
		assert_false(shm_small_read(record, sizeof(*r) + 100, &read)); \
		*r = good;                                                     \
	} while (0)
	NOT(r->first_opcode = PKT_RC_SEND_FIRST);
	NOT(r->first_opcode = r->last_opcode = PKT_RC_WRITE_ONLY);
	NOT(r->first_opcode = r->last_opcode = PKT_RC_ACKNOWLEDGE); /* with payload */
	NOT(r->packets = 2);
	NOT(r->packets = 0);
	NOT(r->segments = 1);
	NOT(r->payload_bytes = 101);
	NOT(r->payload_bytes = 0xffffffff);
	NOT(r->psn = 0x1000000);
	NOT(r->flags |= 16); /* GRH */
	NOT(r->flags |= 0x8000);
	NOT(r->flags &= (uint16_t)~2); /* not migrated */
	assert_false(shm_small_read(record, sizeof(*r) - 1, &read));
	assert_true(shm_small_read(record, sizeof(*r) + 100, &read));
}

static void shm_small_ack__in_the_record(void **state)
{
	const struct tp_small small = make_small(PKT_RC_SEND_ONLY);
	struct pkt_aeth aeth;

	(void)state;
	shm_small_write(&small, record);
	assert_false(shm_small_is_acked(record, &aeth));
	shm_small_ack(record, &(struct pkt_aeth){0x0a, {0xabcdef}});
	assert_true(shm_small_is_acked(record, &aeth));
	assert_int_equal(aeth.syndrome, 0x0a);
	assert_int_equal(aeth.msn.v, 0xabcdef);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(shm_run__flags_one_by_one),
	cmocka_unit_test(shm_run__extended_headers),
	cmocka_unit_test(shm_run_wire_bytes__as_on_a_wire),
	cmocka_unit_test(shm_run_response_bytes__as_on_a_wire),
	cmocka_unit_test(shm_run__payload_in_the_ring_or_where_it_is),
	cmocka_unit_test(shm_run__the_reason_of_a_nak),
	cmocka_unit_test(shm_run_read__beyond_the_record),
	cmocka_unit_test(shm_run_read__noise),
	cmocka_unit_test(shm_run_write__memory_that_is_not_there),
	cmocka_unit_test(shm_small__is_a_run),
	cmocka_unit_test(shm_small_read__not),
	cmocka_unit_test(shm_small_ack__in_the_record),
};

int main(void)
{
	return verbena_test_main(tests);
}
