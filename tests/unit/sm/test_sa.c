// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Requests of any kind: which are answered, with which frame and status. */
#include "unit/sm/sa_fixture.h"

static const uint8_t nothing[SA_MOST_RECORD];

static uint16_t status_now(void)
{
	assert_non_null(world.reply.mad);
	return sa_get16(world.reply.mad + 4);
}

static void request__head_of_the_answer(void **state)
{
	(void)state;
	world_make(topology_pair());
	assert_int_equal(world_ask(1, GET, IB_SA_ATTR_CLASS_PORTINFO, 0x55, nothing, 0), 0);
	assert_int_equal(world.reply.bytes, 56 + 72);
	assert_false(world.reply.is_table);
	assert_int_equal(world.reply.mad[0], 1);
	assert_int_equal(world.reply.mad[1], 3);
	assert_int_equal(world.reply.mad[2], 2);
	assert_int_equal(world.reply.mad[3], IB_MGMT_METHOD_GET_RESP);
	assert_int_equal(sa_get64(world.reply.mad + 8), 0x1122334455667788ull);
	assert_int_equal(sa_get16(world.reply.mad + 16), IB_SA_ATTR_CLASS_PORTINFO);
	assert_int_equal(sa_get64(world.reply.mad + 24), 0); /* RMPP */
	assert_int_equal(sa_get32(world.reply.mad + 32), 0);
	assert_int_equal(sa_get16(world.reply.mad + 44), 72 / 8);
	assert_int_equal(sa_get64(world.reply.mad + 48), 0x55);
}

static void request__sm_key_is_never_told(void **state)
{
	(void)state;
	world_make(topology_pair());
	world.key = SM_DEFAULT_KEY;
	assert_int_equal(world_ask(1, GET, IB_SA_ATTR_CLASS_PORTINFO, 0, nothing, 0), 0);
	assert_int_equal(sa_get64(world.reply.mad + 36), 0);
	world.key = 2;
	assert_int_equal(world_ask(1, GET, IB_SA_ATTR_CLASS_PORTINFO, 0, nothing, 0), SA_DENIED);
	assert_int_equal(world.reply.bytes, 56);
}

static void class_port_info__says_what_there_is(void **state)
{
	const uint8_t *info;

	(void)state;
	world_make(topology_pair());
	assert_int_equal(world_ask(1, GET, IB_SA_ATTR_CLASS_PORTINFO, 0, nothing, 0), 0);
	info = world_record(0);
	assert_int_equal(info[0], 1);
	assert_int_equal(info[1], 2);
	assert_int_equal(sa_get16(info + 2), 0x2600);
	assert_int_equal(sa_get32(info + 4) >> 5,
			 IB_SA_CAP_MASK2_SENDONLY_FULL_MEM_SUPPORT | 1 << 5);
	assert_int_equal(sa_get32(info + 4) & 0x1f, 18);
}

static void request__before_the_first_sweep(void **state)
{
	struct ib_sa_mad mad;
	const struct sa_peer from = {.lid = 1, .qpn = 1};

	(void)state;
	world_make_unswept(topology_pair());
	world_head(&mad, GET_TABLE, IB_SA_ATTR_NODE_REC, 0);
	sa_request(world.sa, &from, 0, &mad, sizeof(mad), &world.reply);
	assert_int_equal(status_now(), IB_MGMT_MAD_STATUS_BUSY);
	assert_false(world.reply.is_table);
}

static uint16_t status_of(uint8_t method, uint16_t attribute)
{
	return world_ask(1, method, attribute, 0, nothing, 0);
}

static void request__unknown_attributes_and_methods(void **state)
{
	static const uint8_t methods[] = {0x03, 0x04, 0x06, 0x08, 0x13, 0x16, 0x7f};

	(void)state;
	world_make(topology_pair());
	for (uint32_t id = 0; id < 0x200; id++) {
		bool known = false;

		static const uint16_t ids[] = {0x01, 0x03, 0x11, 0x12, 0x14, 0x15, 0x17, 0x18,
					       0x20, 0x30, 0x31, 0x33, 0x35, 0x38, 0xf3};
		for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
			known |= ids[i] == id;
		if (!known)
			assert_int_equal(status_of(GET, (uint16_t)id), 0x000c);
		else if (id != 0x03)
			assert_int_not_equal(status_of(GET, (uint16_t)id), 0x000c);
	}
	for (size_t i = 0; i < sizeof(methods); i++) {
		assert_int_equal(status_of(methods[i], IB_SA_ATTR_NODE_REC), 0x0008);
		assert_int_equal(world.reply.mad[3], methods[i] | 0x80);
	}
	assert_int_equal(status_of(SET, IB_SA_ATTR_NODE_REC), 0x000c);
	assert_int_equal(world.reply.mad[3], IB_MGMT_METHOD_GET_RESP);
	assert_int_equal(status_of(DELETE, IB_SA_ATTR_PATH_REC), 0x000c);
	assert_int_equal(world.reply.mad[3], IB_SA_METHOD_DELETE_RESP);
	assert_int_equal(status_of(GET_TABLE, IB_SA_ATTR_CLASS_PORTINFO), 0x000c);
	assert_int_equal(status_of(GET, IB_SA_ATTR_INFORM_INFO), 0x000c);
}

static void request__versions(void **state)
{
	struct ib_sa_mad mad;

	(void)state;
	world_make(topology_pair());
	world_head(&mad, GET, IB_SA_ATTR_CLASS_PORTINFO, 0);
	mad.mad_hdr.class_version = 1;
	world_request(1, &mad, sizeof(mad));
	assert_int_equal(status_now(), IB_MGMT_MAD_STATUS_BAD_VERSION);
	mad.mad_hdr.class_version = 2;
	mad.mad_hdr.base_version = 0x80;
	world_request(1, &mad, sizeof(mad));
	assert_int_equal(status_now(), IB_MGMT_MAD_STATUS_BAD_VERSION);
}

/* Responses, and what expects no answer. */
static void request__is_none(void **state)
{
	static const uint8_t methods[] = {0x81, 0x86, 0x92, 0x95, 0x05, 0x07};
	struct sa_stats stats;
	struct ib_sa_mad mad;

	(void)state;
	world_make(topology_pair());
	for (size_t i = 0; i < sizeof(methods); i++) {
		world_head(&mad, methods[i], IB_SA_ATTR_NODE_REC, 0);
		world_request(1, &mad, sizeof(mad));
		assert_null(world.reply.mad);
	}
	world_head(&mad, GET, IB_SA_ATTR_NODE_REC, 0);
	mad.mad_hdr.mgmt_class = IB_MGMT_CLASS_PERF_MGMT;
	world_request(1, &mad, sizeof(mad));
	assert_null(world.reply.mad);
	sa_get_stats(world.sa, &stats);
	assert_int_equal(stats.dropped, sizeof(methods) + 1);
	assert_int_equal(stats.answered, 0);
}

/* All lengths: too short for a head none, too short for a record refused. */
static void request__lengths(void **state)
{
	const uint64_t record_bytes = 112;
	struct ib_sa_mad mad;

	(void)state;
	world_make(topology_pair());
	world_head(&mad, GET_TABLE, IB_SA_ATTR_NODE_REC, 0);
	for (size_t bytes = 0; bytes <= sizeof(mad); bytes++) {
		uint8_t *exact = malloc(bytes ? bytes : 1);

		assert_non_null(exact);
		memcpy(exact, &mad, bytes);
		world_request(1, exact, bytes);
		free(exact);
		if (bytes < 56) {
			assert_null(world.reply.mad);
			continue;
		}
		assert_int_equal(status_now(), bytes < 56 + record_bytes - 7 ? SA_INVALID : 0);
	}
}

static void request__longer_than_a_mad(void **state)
{
	uint8_t mad[4096] = {0};
	struct ib_sa_mad head;

	(void)state;
	world_make(topology_pair());
	world_head(&head, GET_TABLE, IB_SA_ATTR_NODE_REC, 0);
	memcpy(mad, &head, 56);
	world_request(1, mad, sizeof(mad));
	assert_int_equal(status_now(), 0);
	assert_int_equal(world_count(), 3);
}

/* A Get is of one record; a table may have none. */
static void request__counts(void **state)
{
	uint8_t asked[112] = {0};

	(void)state;
	world_make(topology_pair());
	assert_int_equal(world_ask(0, GET, IB_SA_ATTR_NODE_REC, 0, asked, sizeof(asked)),
			 SA_TOO_MANY);
	sa_put16(asked, 0xbfff);
	assert_int_equal(world_ask(0, GET, IB_SA_ATTR_NODE_REC, C(0), asked, sizeof(asked)),
			 SA_NO_RECORDS);
	assert_int_equal(world_table(IB_SA_ATTR_NODE_REC, C(0), asked, sizeof(asked)), 0);
	assert_int_equal(world.reply.bytes, 56);
	sa_put16(asked, world_lid(1));
	assert_int_equal(world_ask(0, GET, IB_SA_ATTR_NODE_REC, C(0), asked, sizeof(asked)), 0);
	assert_int_equal(world.reply.bytes, 56 + 112);
}

static void request__counts_what_it_does(void **state)
{
	struct sa_stats stats;

	(void)state;
	world_make(topology_pair());
	(void)status_of(GET, IB_SA_ATTR_CLASS_PORTINFO);
	(void)status_of(GET, 0x77);
	sa_get_stats(world.sa, &stats);
	assert_int_equal(stats.answered, 2);
	assert_int_equal(stats.refused, 1);
}

static const struct CMUnitTest tests[] = {
	WORLD_TEST(request__head_of_the_answer),
	WORLD_TEST(request__sm_key_is_never_told),
	WORLD_TEST(class_port_info__says_what_there_is),
	WORLD_TEST(request__before_the_first_sweep),
	WORLD_TEST(request__unknown_attributes_and_methods),
	WORLD_TEST(request__versions),
	WORLD_TEST(request__is_none),
	WORLD_TEST(request__lengths),
	WORLD_TEST(request__longer_than_a_mad),
	WORLD_TEST(request__counts),
	WORLD_TEST(request__counts_what_it_does),
};

int main(void)
{
	return verbena_test_main(tests);
}
