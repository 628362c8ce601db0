/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A subnet of hardware that a manager has brought up, and subnet administration on it. The manager is at the first
 * host; all is done in the caller's thread. Requests come from a host; the last reply and all reports are kept.
 */
#ifndef TESTS_UNIT_SM_SA_FIXTURE_H
#define TESTS_UNIT_SM_SA_FIXTURE_H

#include <linux/byteorder.h>
#include <stdlib.h>
#include <string.h>

#include "common/test.h"
#include "fabric/subnet.h"
#include "fabric/topology.h"
#include "sm/sa.h"
#include "sm/sa_priv.h"

#define WORLD_QUEUE 128
#define WORLD_REPORTS 64
#define GET IB_MGMT_METHOD_GET
#define SET IB_MGMT_METHOD_SET
#define GET_TABLE IB_SA_METHOD_GET_TABLE
#define DELETE IB_SA_METHOD_DELETE
#define C(n) (1ull << (n)) /* component */

static struct {
	struct topology *plan;
	struct subnet *subnet;
	uint32_t *node;
	struct sm *sm;
	struct sa *sa;
	struct ib_smp out[WORLD_QUEUE];
	uint32_t out_head, out_tail;
	struct ib_smp answer;
	bool answered;
	uint32_t set_mft; /* SMPs that did */
	uint32_t set_other;
	uint32_t losing; /* so many of the next ones */
	uint32_t sweeps;
	struct sa_reply reply;
	uint64_t now_ns;
	uint64_t key;
	uint32_t modifier;
	struct sa_peer report_to[WORLD_REPORTS];
	struct ib_sa_mad report[WORLD_REPORTS];
	uint32_t reports;
	bool (*elsewhere)(struct subnet_at at,
			  const struct subnet_mad *mad); /* who else is there */
} world;

static inline struct subnet_at world_at(uint32_t i, uint8_t port)
{
	return (struct subnet_at){world.node[i], port};
}

static inline bool world_deliver(void *ctx, struct subnet_at at, const struct subnet_mad *mad)
{
	(void)ctx;
	if (at.node != world.node[0] || at.port != 1)
		return world.elsewhere && world.elsewhere(at, mad);
	memcpy(&world.answer, mad->data, sizeof(world.answer));
	world.answered = world.answer.method == IB_MGMT_METHOD_GET_RESP;
	return true;
}

static inline void world_changed(void *ctx, struct subnet_at at, uint32_t what)
{
	(void)ctx;
	(void)at;
	(void)what;
}

static const struct subnet_ops world_subnet_ops = {.deliver = world_deliver,
						   .changed = world_changed};

static inline int world_send(void *ctx, const struct ib_smp *smp)
{
	(void)ctx;
	assert_true(world.out_head - world.out_tail < WORLD_QUEUE);
	world.out[world.out_head++ % WORLD_QUEUE] = *smp;
	return 0;
}

static inline void world_swept(void *ctx)
{
	(void)ctx;
	world.sweeps++;
	if (world.sa)
		sa_swept(world.sa);
}

static const struct sm_ops world_sm_ops = {.send = world_send, .swept = world_swept};

static inline void world_report(void *ctx, const struct sa_peer *to, const struct ib_sa_mad *report)
{
	(void)ctx;
	assert_true(world.reports < WORLD_REPORTS);
	world.report_to[world.reports] = *to;
	world.report[world.reports++] = *report;
}

static const struct sa_ops world_sa_ops = {.report = world_report};

/* What the node at the end of the way says. */
static inline void world_carry(const struct ib_smp *smp)
{
	const struct subnet_at at = world_at(0, 1);
	struct subnet_mad mad = {.slid = SUBNET_PERMISSIVE_LID, .dlid = SUBNET_PERMISSIVE_LID};
	struct subnet_mad answer;
	struct ib_smp *out = (struct ib_smp *)(void *)mad.data;

	world.answered = false;
	if (world.losing) {
		world.losing--;
		return;
	}
	*out = *smp;
	out->hop_ptr = 1;
	if (smp->hop_cnt) {
		subnet_send_mad(world.subnet, at, &mad);
		return;
	}
	if (subnet_process_mad(world.subnet, at, 0, &mad, &answer) & 2) {
		memcpy(&world.answer, answer.data, sizeof(world.answer));
		world.answered = true;
	}
}

/* Until nothing is under way any more. */
static inline void world_run(void)
{
	while (world.out_tail != world.out_head) {
		const struct ib_smp smp = world.out[world.out_tail++ % WORLD_QUEUE];

		if (smp.method == SET && smp.attr_id == IB_SMP_ATTR_MCAST_FORWARD_TABLE)
			world.set_mft++;
		else if (smp.method == SET)
			world.set_other++;
		world_carry(&smp);
		if (world.answered)
			sm_answer(world.sm, &world.answer);
		else
			sm_lost(world.sm, smp.tid);
	}
}

static inline void world_sweep(void)
{
	sm_sweep(world.sm);
	world_run();
}

static inline void world_build(void)
{
	const struct topology *plan = world.plan;

	for (uint32_t i = 0; i < plan->count; i++)
		assert_int_equal(
			subnet_add_node(world.subnet, &plan->node[i].config, &world.node[i]), 0);
	for (uint32_t i = 0; i < plan->count; i++)
		for (unsigned int port = 1; port <= plan->node[i].config.ports; port++) {
			const struct subnet_at peer = plan->node[i].peer[port];

			if (peer.node == TOPOLOGY_NO_NODE || peer.node < i)
				continue;
			assert_int_equal(subnet_connect(world.subnet, world_at(i, (uint8_t)port),
							world_at(peer.node, peer.port)),
					 0);
		}
}

/* A subnet with a manager and an SA, which has not been looked at yet. */
static inline void world_make_unswept(struct topology *plan)
{
	const struct sm_options options = {.window = 16};

	memset(&world, 0, sizeof(world));
	world.plan = plan;
	assert_non_null(plan);
	world.node = calloc(plan->count, sizeof(*world.node));
	world.subnet = subnet_new(&world_subnet_ops, NULL);
	assert_non_null(world.subnet);
	world_build();
	world.sm = sm_new(&world_sm_ops, NULL, &options);
	assert_non_null(world.sm);
	world.sa = sa_new(world.sm, &world_sa_ops, NULL);
	assert_non_null(world.sa);
}

static inline void world_make(struct topology *plan)
{
	world_make_unswept(plan);
	world_sweep();
	assert_true(sm_is_up(world.sm));
	world.set_mft = world.set_other = 0;
}

static inline int world_teardown(void **state)
{
	(void)state;
	base_free(world.reply.mad);
	sa_free(world.sa);
	sm_free(world.sm);
	subnet_free(world.subnet);
	topology_free(world.plan);
	free(world.node);
	memset(&world, 0, sizeof(world));
	return 0;
}

/* Hosts are the first nodes of a plan. */
static inline uint64_t world_guid(uint32_t host)
{
	struct subnet_port_view view;

	assert_int_equal(subnet_query_port(world.subnet, world_at(host, 1), &view), 0);
	return view.guid;
}

static inline uint16_t world_lid(uint32_t host)
{
	struct subnet_port_view view;

	assert_int_equal(subnet_query_port(world.subnet, world_at(host, 1), &view), 0);
	return view.lid;
}

static inline void world_gid(uint32_t host, uint8_t *gid)
{
	sa_put64(gid, 0xfe80000000000000ull);
	sa_put64(gid + 8, world_guid(host));
}

/* Any bytes as a request from a host. */
static inline void world_request(uint32_t host, const void *mad, size_t bytes)
{
	const struct sa_peer from = {.lid = world_lid(host), .qpn = 1 + host};

	base_free(world.reply.mad);
	sa_request(world.sa, &from, world.now_ns, mad, bytes, &world.reply);
	world_run();
}

static inline void world_head(struct ib_sa_mad *mad, uint8_t method, uint16_t attribute,
			      uint64_t mask)
{
	memset(mad, 0, sizeof(*mad));
	mad->mad_hdr.base_version = 1;
	mad->mad_hdr.mgmt_class = IB_MGMT_CLASS_SUBN_ADM;
	mad->mad_hdr.class_version = 2;
	mad->mad_hdr.method = method;
	mad->mad_hdr.tid = cpu_to_be64(0x1122334455667788ull);
	mad->mad_hdr.attr_id = cpu_to_be16(attribute);
	mad->mad_hdr.attr_mod = cpu_to_be32(world.modifier);
	mad->sa_hdr.sm_key = cpu_to_be64(world.key);
	mad->sa_hdr.comp_mask = cpu_to_be64(mask);
}

/* A request, whose status is returned. */
static inline uint16_t world_ask(uint32_t host, uint8_t method, uint16_t attribute, uint64_t mask,
				 const void *record, size_t bytes)
{
	struct ib_sa_mad mad;

	world_head(&mad, method, attribute, mask);
	memcpy(mad.data, record, bytes);
	world_request(host, &mad, sizeof(mad));
	assert_non_null(world.reply.mad);
	assert_in_range(world.reply.bytes, IB_MGMT_SA_HDR, SA_MOST_REPLY);
	return sa_get16(world.reply.mad + 4);
}

static inline size_t world_record_bytes(void)
{
	return 8 * (size_t)sa_get16(world.reply.mad + 44);
}

/* As saquery counts. */
static inline size_t world_count(void)
{
	if (!world_record_bytes())
		return 0;
	assert_int_equal((world.reply.bytes - IB_MGMT_SA_HDR) % world_record_bytes(), 0);
	return (world.reply.bytes - IB_MGMT_SA_HDR) / world_record_bytes();
}

static inline const uint8_t *world_record(size_t i)
{
	assert_true(i < world_count());
	return world.reply.mad + IB_MGMT_SA_HDR + i * world_record_bytes();
}

static inline size_t world_table(uint16_t attribute, uint64_t mask, const void *record,
				 size_t bytes)
{
	assert_int_equal(world_ask(0, GET_TABLE, attribute, mask, record, bytes), 0);
	assert_true(world.reply.is_table);
	assert_int_equal(world.reply.mad[3], IB_SA_METHOD_GET_TABLE_RESP);
	return world_count();
}

/* A copy of a record, of which single bits are changed. */
static inline void world_flip(uint8_t *record, uint32_t bit)
{
	record[bit / 8] ^= (uint8_t)(0x80u >> bit % 8);
}

/**
 * world_check_components() - Each component of a record finds it, and does not once its last bit is another.
 * @attribute: Its table is searched.
 * @record: Of it.
 * @components: All that are compared.
 */
static inline void world_check_components(const struct sa_attribute *attribute,
					  const uint8_t *record, uint64_t components)
{
	uint64_t compared = 0;

	for (uint32_t i = 0; i < attribute->fields; i++) {
		const struct sa_field *f = &attribute->field[i];
		uint8_t asked[SA_MOST_RECORD] = {0};
		size_t with, without;

		if (!f->bits)
			continue;
		compared |= C(i);
		memcpy(asked, record, attribute->bytes);
		with = world_table(attribute->id, C(i), asked, attribute->bytes);
		assert_true(with > 0);
		/* the others do not matter */
		memset(asked, 0xff, attribute->bytes);
		sa_copy(attribute->field, attribute->fields, C(i), asked, record);
		assert_int_equal(world_table(attribute->id, C(i), asked, attribute->bytes), with);
		world_flip(asked, f->at + (f->text ? 7u : f->bits - 1u));
		without = world_table(attribute->id, C(i), asked, attribute->bytes);
		for (size_t k = 0; k < without; k++)
			assert_memory_not_equal(world_record(k), record, attribute->bytes);
	}
	assert_int_equal(compared, components);
}

#define WORLD_TEST(name) cmocka_unit_test_teardown(name, world_teardown)

#endif
