// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What rdmavt has to do with MADs. */
#include "common/rvt_bare.h"
#include "rdmavt/mad.h"

static int setup(void **state)
{
	*state = bare_new();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	base_free(*state);
	return 0;
}

static unsigned int notified;

static void note(struct rvt_dev_info *rdi, int port_idx)
{
	(void)rdi;
	notified |= 1u << port_idx;
}

static void rvt_process_mad__has_no_answer(void **state)
{
	struct bare *b = *state;
	u8 in[24] = {1}, out[24] = {77};
	size_t out_size = 5;
	u16 pkey_index = 6;

	assert_int_equal(rvt_process_mad(&b->rdi.ibdev, 0, 1, NULL, NULL, (struct ib_mad_hdr *)in,
					 sizeof(in), (struct ib_mad_hdr *)out, &out_size,
					 &pkey_index),
			 IB_MAD_RESULT_FAILURE);
	assert_int_equal(out[0], 77);
	assert_int_equal(out_size, 5);
	assert_int_equal(pkey_index, 6);
}

static void rvt_create_mad_agents__without_a_mad_layer(void **state)
{
	struct bare *b = *state;

	b->rdi.driver_f.notify_create_mad_agent = note;
	notified = 0;
	assert_int_equal(rvt_create_mad_agents(&b->rdi), -EOPNOTSUPP);
	assert_cause(NO_MAD_LAYER);
	assert_null(b->port[0].send_agent);
	assert_int_equal(notified, 0);
	b->rdi.dparms.nports = 0;
	assert_int_equal(rvt_create_mad_agents(&b->rdi), 0);
}

static void rvt_free_mad_agents__tells_the_driver(void **state)
{
	struct bare *b = *state;
	struct ib_mad_agent *agent = (struct ib_mad_agent *)&b->port[1];

	b->rdi.driver_f.notify_free_mad_agent = note;
	notified = 0;
	b->port[1].send_agent = agent;
	rvt_free_mad_agents(&b->rdi);
	assert_null(b->port[1].send_agent);
	assert_int_equal(notified, 2); /* the second port's */
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(rvt_process_mad__has_no_answer),
	TEST(rvt_create_mad_agents__without_a_mad_layer),
	TEST(rvt_free_mad_agents__tells_the_driver),
};

int main(void)
{
	return verbena_test_main(tests);
}
