// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Runs: sanity, packet by packet, and as bytes. */
#include "common/test.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/umem.h"
#include "packet/icrc.h"
#include "transport/run.h"

static uint8_t payload[8192];
static struct iovec payload_iov = {payload, sizeof(payload)};

static struct tp_run packet(uint8_t opcode, uint32_t bytes)
{
	return (struct tp_run){.path = {.slid = 1, .dlid = 2},
			       .dest_qpn = 0x123456,
			       .pkey = 0xffff,
			       .psn = {0xffffff},
			       .packets = 1,
			       .first_opcode = opcode,
			       .last_opcode = opcode,
			       .payload = {.iov = &payload_iov, .count = 1, .bytes = bytes}};
}

static struct tp_run several(uint8_t first, uint8_t last, uint32_t packets, uint32_t bytes)
{
	struct tp_run run = packet(first, bytes);

	run.last_opcode = last;
	run.packets = packets;
	run.pmtu_bytes = 1024;
	run.ack_req = run.solicited = true;
	return run;
}

static int setup(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)(i * 7 + i / 256);
	return base_umem_init();
}

/* [rcp 2, 4] */
static void tp_run_is_sane__packets(void **state)
{
	(void)state;
	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		const struct pkt_opcode *op = pkt_op((uint8_t)opcode);
		const bool exists = op->name != NULL, data = op->headers & PKT_DATA;
		struct tp_run run = packet((uint8_t)opcode, 0);

		assert_int_equal(tp_run_is_sane(&run), exists);
		run.payload.bytes = 1;
		assert_int_equal(tp_run_is_sane(&run), exists && data);
		run.payload.bytes = 4096;
		assert_int_equal(tp_run_is_sane(&run), exists && data);
		run.payload.bytes = 4097;
		assert_false(tp_run_is_sane(&run));
		run.payload.bytes = 0;
		run.last_opcode = (uint8_t)(opcode ^ 1);
		assert_false(tp_run_is_sane(&run));
		run.last_opcode = (uint8_t)opcode;
		run.psn.v = 1u << 24;
		assert_false(tp_run_is_sane(&run));
	}
}

/* [rcp 4]: First and Middle are full, Last is not empty, Only has what its opcode may have. */
static void tp_run_length_is_right__depends_on_the_position(void **state)
{
	static const struct {
		uint8_t opcode;
		uint32_t least, most;
	} rows[] = {
		{PKT_RC_SEND_FIRST, 1024, 1024}, {PKT_RC_SEND_MIDDLE, 1024, 1024},
		{PKT_RC_SEND_LAST, 1, 1024},	 {PKT_RC_SEND_ONLY, 0, 1024},
		{PKT_RC_READ_REQUEST, 0, 0},	 {PKT_UC_WRITE_MIDDLE, 1024, 1024},
		{PKT_UC_WRITE_LAST, 1, 1024},	 {PKT_UC_SEND_ONLY, 0, 1024},
	};
	struct tp_run run = several(PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST, 3, 2049);

	(void)state;
	assert_true(tp_run_length_is_right(&run, 1024));
	assert_false(tp_run_length_is_right(&run, 2048));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (uint32_t bytes = 0; bytes <= 1025; bytes++) {
			run = packet(rows[i].opcode, bytes);
			assert_int_equal(tp_run_length_is_right(&run, 1024),
					 bytes >= rows[i].least && bytes <= rows[i].most);
		}
}

/* [rcp 4]: what several packets of one message can be. */
static void tp_run_is_sane__several(void **state)
{
	static const struct {
		uint8_t first, last;
		uint32_t packets, bytes;
		uint16_t pmtu;
		bool sane;
	} rows[] = {
		{PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST, 3, 2049, 1024, true},
		{PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST_IMM, 3, 3072, 1024, true},
		{PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST, 3, 2048, 1024, false}, /* LAST is empty */
		{PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST, 3, 3073, 1024, false},
		{PKT_RC_SEND_FIRST, PKT_RC_SEND_MIDDLE, 3, 3072, 1024, true},
		{PKT_RC_SEND_FIRST, PKT_RC_SEND_MIDDLE, 3, 3071, 1024, false},
		{PKT_RC_SEND_MIDDLE, PKT_RC_SEND_LAST, 2, 1025, 1024, true},
		{PKT_RC_SEND_MIDDLE, PKT_RC_SEND_MIDDLE, 2, 2048, 1024, true},
		{PKT_RC_SEND_ONLY, PKT_RC_SEND_LAST, 2, 1025, 1024, false},
		{PKT_RC_SEND_LAST, PKT_RC_SEND_LAST, 2, 1025, 1024, false},
		{PKT_RC_SEND_FIRST, PKT_RC_SEND_FIRST, 2, 2048, 1024, false},
		{PKT_RC_SEND_FIRST, PKT_RC_SEND_ONLY, 2, 1025, 1024, false},
		{PKT_RC_SEND_FIRST, PKT_RC_WRITE_LAST, 2, 1025, 1024, false},
		{PKT_RC_SEND_FIRST, PKT_UC_SEND_LAST, 2, 1025, 1024, false},
		{PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST, 2, 1025, 1000, false},
		{PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST, 2, 200, 128, false},
		{PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST, 2, 8193, 8192, false},
		{PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST, 0, 0, 1024, false},
		{PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST, 1u << 23, 0x80000000u, 256, true},
		{PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST, (1u << 23) + 1, 0x80000001u, 256, false},
		{PKT_RC_READ_RESPONSE_FIRST, PKT_RC_READ_RESPONSE_LAST, 2, 1025, 1024, true},
		{PKT_RC_READ_REQUEST, PKT_RC_READ_REQUEST, 2, 0, 1024, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tp_run run =
			several(rows[i].first, rows[i].last, rows[i].packets, rows[i].bytes);

		run.pmtu_bytes = rows[i].pmtu;
		assert_int_equal(tp_run_is_sane(&run), rows[i].sane);
	}
}

/* [rcp 4]: opcodes, PSNs, bytes, and the bits of the last packet alone. */
static void tp_run_packet__each_of_a_run(void **state)
{
	const struct tp_run run = several(PKT_UC_SEND_FIRST, PKT_UC_SEND_LAST_IMM, 4, 3100);
	static const uint8_t opcodes[] = {PKT_UC_SEND_FIRST, PKT_UC_SEND_MIDDLE, PKT_UC_SEND_MIDDLE,
					  PKT_UC_SEND_LAST_IMM};
	struct tp_run one;

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		tp_run_packet(&run, i, &one);
		assert_true(tp_run_is_sane(&one));
		assert_int_equal(one.first_opcode, opcodes[i]);
		assert_int_equal(one.psn.v, (0xffffff + i) & 0xffffff);
		assert_int_equal(one.payload.offset, i * 1024);
		assert_int_equal(one.payload.bytes, i < 3 ? 1024 : 28);
		assert_int_equal(one.ack_req, i == 3);
		assert_int_equal(one.solicited, i == 3);
	}
}

static void tp_run_opcode__of_each_kind(void **state)
{
	struct tp_run run = several(PKT_RC_WRITE_FIRST, PKT_RC_WRITE_LAST, 3, 3000);

	(void)state;
	assert_int_equal(tp_run_opcode(&run, 1), PKT_RC_WRITE_MIDDLE);
	run = several(PKT_RC_READ_RESPONSE_FIRST, PKT_RC_READ_RESPONSE_LAST, 3, 3000);
	assert_int_equal(tp_run_opcode(&run, 1), PKT_RC_READ_RESPONSE_MIDDLE);
	assert_true(tp_run_ends_message(&run));
	run.last_opcode = PKT_RC_READ_RESPONSE_MIDDLE;
	assert_false(tp_run_ends_message(&run));
}

/* The extension headers that the opcode has. */
static void same_extensions(const struct pkt_opcode *op, const struct tp_run *back,
			    const struct tp_run *run)
{
	if (op->headers & PKT_AETH) {
		assert_int_equal(back->aeth.syndrome, run->aeth.syndrome);
		assert_int_equal(back->aeth.msn.v, run->aeth.msn.v);
	}
	if (op->headers & PKT_IMMDT)
		assert_int_equal(back->immdt, run->immdt);
	if (op->headers & PKT_IETH)
		assert_int_equal(back->ieth, run->ieth);
	if (op->headers & PKT_RETH)
		assert_int_equal(back->reth.va, run->reth.va);
	if (op->headers & PKT_FETH)
		assert_int_equal(back->feth.placement, run->feth.placement);
	if (op->headers & PKT_ATOMICETH)
		assert_int_equal(back->atomiceth.compare, run->atomiceth.compare);
	if (op->headers & PKT_ATOMICACKETH)
		assert_int_equal(back->atomicacketh.original, run->atomicacketh.original);
	if (op->headers & PKT_DETH)
		assert_int_equal(back->deth.src_qpn, run->deth.src_qpn);
}

/* [rcp 1, 2, 15]: what is encoded is decoded, whatever the opcode, the GRH and the length. */
static void tp_run_encode__and_back(void **state)
{
	uint8_t wire[5000];

	(void)state;
	for (unsigned int i = 0; i < 256 * 4; i++) {
		const uint8_t opcode = (uint8_t)(i / 4);
		const struct pkt_opcode *op = pkt_op(opcode);
		struct tp_run run = packet(opcode, (op->headers & PKT_DATA) ? i % 4 * 333 : 0),
			      back;
		struct iovec iov;
		int n;

		if (!op->name || !op->supported)
			continue;
		run.payload.offset = 5;
		run.path.has_grh = i & 1;
		memset(run.path.sgid, 0xfe, 16);
		memset(run.path.dgid, 0x3f, 16);
		run.path.flow_label = 0xabcde;
		run.path.hop_limit = 9;
		run.path.traffic_class = 7;
		run.path.sl = 5;
		run.solicited = i & 2;
		run.migrated = i & 1;
		run.ack_req = i & 2;
		run.becn = i & 1;
		run.aeth = (struct pkt_aeth){0x1f, {0x654321}};
		run.immdt = 0x11223344;
		run.ieth = 0x55667788;
		memset(&run.atomiceth, 0x77, sizeof(run.atomiceth));
		run.feth = (struct pkt_feth){.placement = 3, .selectivity = 1};
		run.deth.resv8 = 0;
		run.deth.src_qpn &= 0xffffff;
		n = tp_run_encode(&run, wire, sizeof(wire));
		assert_true(n > 0);
		assert_int_equal(tp_run_decode(wire, (size_t)n, &back, &iov), 0);
		assert_true(tp_run_is_sane(&back));
		assert_memory_equal(back.payload.iov->iov_base, payload + 5, run.payload.bytes);
		assert_int_equal(back.payload.bytes, run.payload.bytes);
		assert_int_equal(back.dest_qpn, run.dest_qpn);
		assert_int_equal(back.psn.v, run.psn.v);
		assert_int_equal(back.pkey, run.pkey);
		assert_int_equal(back.first_opcode, opcode);
		assert_int_equal(back.solicited, run.solicited);
		assert_int_equal(back.migrated, run.migrated);
		assert_int_equal(back.ack_req, run.ack_req);
		assert_int_equal(back.becn, run.becn);
		assert_int_equal(back.path.sl, 5);
		assert_int_equal(back.path.slid, 1);
		assert_int_equal(back.path.dlid, 2);
		assert_int_equal(back.path.has_grh, run.path.has_grh);
		if (run.path.has_grh)
			assert_memory_equal(back.path.sgid, run.path.sgid, 32);
		same_extensions(op, &back, &run);
	}
}

/* [rcp 12]: QP 0 has virtual lane 15. */
static void tp_run_encode__smp_lane(void **state)
{
	struct tp_run run = packet(PKT_UD_SEND_ONLY, 256);
	uint8_t wire[400];

	(void)state;
	assert_true(tp_run_encode(&run, wire, sizeof(wire)) > 0);
	assert_int_equal(wire[0] >> 4, 0);
	run.dest_qpn = 0;
	assert_true(tp_run_encode(&run, wire, sizeof(wire)) > 0);
	assert_int_equal(wire[0] >> 4, 15);
}

static void tp_run_encode__refusals(void **state)
{
	struct tp_run run = packet(PKT_RC_SEND_ONLY, 100);
	struct iovec gone = {.iov_len = 100};
	uint8_t wire[400];
	int n;

	(void)state;
	n = tp_run_encode(&run, wire, sizeof(wire));
	assert_int_equal(tp_run_encode(&run, wire, (size_t)n), n);
	assert_int_equal(tp_run_encode(&run, wire, (size_t)n - 1), -EMSGSIZE);
	gone.iov_base = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	run.payload.iov = &gone;
	assert_int_equal(tp_run_encode(&run, wire, sizeof(wire)), -EFAULT);
	munmap(gone.iov_base, 4096);
	run.first_opcode = run.last_opcode = 0x15;
	assert_int_equal(tp_run_encode(&run, wire, sizeof(wire)), -EINVAL);
	run = several(PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST, 2, 2000);
	assert_int_equal(tp_run_encode(&run, wire, sizeof(wire)), -EINVAL);
}

/* [rcp 15]: no byte may change but those that may. */
static void tp_run_decode__each_bit_matters(void **state)
{
	struct tp_run run = packet(PKT_RC_SEND_ONLY, 20), back;
	struct iovec iov;
	uint8_t wire[100];
	int n;

	(void)state;
	n = tp_run_encode(&run, wire, sizeof(wire));
	assert_true(n > 0);
	for (int bit = 0; bit < n * 8; bit++) {
		wire[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(tp_run_decode(wire, (size_t)n, &back, &iov), -EBADMSG);
		wire[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	assert_int_equal(tp_run_decode(wire, (size_t)n, &back, &iov), 0);
	wire[12] ^= 0x40; /* BECN is not in the ICRC; without a VCRC nobody sees it change */
	assert_int_equal(tp_run_decode(wire, (size_t)n - PKT_VCRC_BYTES, &back, &iov), 0);
	wire[13] ^= 1;
	assert_int_equal(tp_run_decode(wire, (size_t)n - PKT_VCRC_BYTES, &back, &iov), -EBADMSG);
}

#define T(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(tp_run_is_sane__packets),
		T(tp_run_is_sane__several),
		T(tp_run_packet__each_of_a_run),
		T(tp_run_opcode__of_each_kind),
		T(tp_run_length_is_right__depends_on_the_position),
		T(tp_run_encode__and_back),
		T(tp_run_encode__smp_lane),
		T(tp_run_encode__refusals),
		T(tp_run_decode__each_bit_matters),
	};

	return verbena_test_main(tests);
}
