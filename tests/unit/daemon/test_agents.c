// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Whose MADs are that arrive at ports that several processes have. */
#include <errno.h>
#include <rdma/ib_mad.h>
#include <string.h>

#include "base/alloc.h"
#include "common/test.h"
#include "daemon/agents.h"

#define SLOT 5u
#define OTHER_SLOT 6u
#define CLASS 0x30
#define VERSION 1

struct fixture {
	struct directory *dir;
	struct agents *agents;
	uint32_t a, b; /* processes of SLOT's host */
	uint32_t far;  /* of another host, which has OTHER_SLOT */
	struct agents_holder holder;
};

static int setup(void **state)
{
	struct fixture *f = base_zalloc(sizeof(*f));
	int host, other;

	f->dir = base_zalloc(sizeof(*f->dir));
	directory_init(f->dir, 0, 1);
	host = directory_add_host(f->dir, "host");
	other = directory_add_host(f->dir, "other");
	f->dir->slot_host[SLOT] = (uint32_t)host;
	f->dir->slot_host[OTHER_SLOT] = (uint32_t)other;
	f->a = (uint32_t)directory_add_process(f->dir, (uint32_t)host, 1, 0);
	f->b = (uint32_t)directory_add_process(f->dir, (uint32_t)host, 2, 0);
	f->far = (uint32_t)directory_add_process(f->dir, (uint32_t)other, 3, 0);
	f->agents = agents_new(f->dir);
	*state = f;
	return f->agents ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	agents_free(f->agents);
	base_free(f->dir);
	base_free(f);
	return 0;
}

static uint32_t hi_tid(uint32_t id, uint32_t number)
{
	return id << ATTACH_TID_BITS | number;
}

static struct attach_agent agent(uint32_t id, uint32_t number, uint8_t mgmt_class, uint8_t method)
{
	struct attach_agent is = {.hi_tid = hi_tid(id, number),
				  .qpn = 1,
				  .mgmt_class = mgmt_class,
				  .class_version = VERSION,
				  .oui = {0, 1, 2}};

	is.methods[method / 64] = 1ull << (method % 64);
	return is;
}

static int add(struct fixture *f, uint32_t id, const struct attach_agent *is)
{
	return agents_add(f->agents, id, SLOT, is, &f->holder);
}

static struct subnet_mad request(uint8_t mgmt_class, uint8_t method)
{
	struct subnet_mad mad = {.dest_qpn = 1};
	struct ib_vendor_mad *vendor = (struct ib_vendor_mad *)(void *)mad.data;

	vendor->mad_hdr = (struct ib_mad_hdr){.base_version = 1,
					      .mgmt_class = mgmt_class,
					      .class_version = VERSION,
					      .method = method};
	memcpy(vendor->oui, (uint8_t[]){0, 1, 2}, 3);
	return mad;
}

static struct subnet_mad response(uint32_t hi)
{
	struct subnet_mad mad = request(CLASS, IB_MGMT_METHOD_GET_RESP);

	((struct ib_mad_hdr *)(void *)mad.data)->tid = cpu_to_be64((uint64_t)hi << 32 | 7);
	return mad;
}

static void agents_add__request_finds_who_registered(void **state)
{
	struct fixture *f = *state;
	const struct attach_agent get = agent(f->a, 1, CLASS, IB_MGMT_METHOD_GET);
	const struct attach_agent set = agent(f->b, 1, CLASS, IB_MGMT_METHOD_SET);
	struct subnet_mad mad = request(CLASS, IB_MGMT_METHOD_GET);

	assert_int_equal(agents_find(f->agents, SLOT, &mad), -ENOENT);
	assert_int_equal(add(f, f->a, &get), 0);
	assert_int_equal(add(f, f->b, &set), 0);
	assert_int_equal(agents_find(f->agents, SLOT, &mad), f->a);
	assert_int_equal(agents_find(f->agents, OTHER_SLOT, &mad), -ENOENT);
	mad = request(CLASS, IB_MGMT_METHOD_SET);
	assert_int_equal(agents_find(f->agents, SLOT, &mad), f->b);
	mad = request(CLASS + 1, IB_MGMT_METHOD_SET);
	assert_int_equal(agents_find(f->agents, SLOT, &mad), -ENOENT);
}

static void agents_add__method_is_one_process_s(void **state)
{
	struct fixture *f = *state;
	struct attach_agent is = agent(f->a, 1, CLASS, IB_MGMT_METHOD_GET);

	assert_int_equal(add(f, f->a, &is), 0);
	is = agent(f->b, 1, CLASS, IB_MGMT_METHOD_SET);
	is.methods[0] |= 1 << IB_MGMT_METHOD_GET;
	assert_int_equal(add(f, f->b, &is), -EINVAL);
	assert_int_equal(f->holder.id, f->a);
	assert_int_equal(f->holder.method, IB_MGMT_METHOD_GET);
	assert_int_equal(agents_add(f->agents, f->b, OTHER_SLOT, &is, &f->holder), 0);
}

static void agents_add__vendors_are_apart(void **state)
{
	struct fixture *f = *state;
	struct attach_agent is = agent(f->a, 1, CLASS, IB_MGMT_METHOD_GET);
	struct subnet_mad mad = request(CLASS, IB_MGMT_METHOD_GET);

	assert_int_equal(add(f, f->a, &is), 0);
	is = agent(f->b, 1, CLASS, IB_MGMT_METHOD_GET);
	is.oui[2] = 9;
	assert_int_equal(add(f, f->b, &is), 0);
	assert_int_equal(agents_find(f->agents, SLOT, &mad), f->a);
	((struct ib_vendor_mad *)(void *)mad.data)->oui[2] = 9;
	assert_int_equal(agents_find(f->agents, SLOT, &mad), f->b);
}

/* As it says itself after the daemon was started again. */
static void agents_add__same_number_is_the_same_agent(void **state)
{
	struct fixture *f = *state;
	struct attach_agent is = agent(f->a, 1, CLASS, IB_MGMT_METHOD_GET);
	struct subnet_mad mad = request(CLASS, IB_MGMT_METHOD_GET);

	assert_int_equal(add(f, f->a, &is), 0);
	assert_int_equal(add(f, f->a, &is), 0);
	agents_remove(f->agents, f->a, is.hi_tid);
	assert_int_equal(agents_find(f->agents, SLOT, &mad), -ENOENT);
}

static void agents_add__nonsense(void **state)
{
	struct fixture *f = *state;
	struct attach_agent is = agent(f->a, 1, CLASS, IB_MGMT_METHOD_GET);

	assert_int_equal(add(f, f->b, &is), -EBADMSG); /* the number is another's */
	is.hi_tid = hi_tid(f->a, 0);
	assert_int_equal(add(f, f->a, &is), -EBADMSG);
	is = agent(f->a, 1, IB_MGMT_CLASS_SUBN_LID_ROUTED, IB_MGMT_METHOD_GET);
	assert_int_equal(add(f, f->a, &is), -EBADMSG); /* of QP 0 */
	is.qpn = 0;
	assert_int_equal(add(f, f->a, &is), 0);
	is.methods[0] = 0;
	assert_int_equal(add(f, f->a, &is), -EBADMSG);
}

static void agents_add__has_a_limit(void **state)
{
	struct fixture *f = *state;

	for (uint32_t i = 0; i < AGENTS_OF_PROCESS + 1; i++) {
		struct attach_agent is = agent(f->a, i + 1, CLASS, (uint8_t)(i % 128));
		const int ret = ((is.oui[0] = (uint8_t)(i / 128 + 1)), add(f, f->a, &is));

		assert_int_equal(ret, i < AGENTS_OF_PROCESS ? 0 : -ENOMEM);
	}
}

static void agents_gone__forgets_one_process(void **state)
{
	struct fixture *f = *state;
	const struct attach_agent get = agent(f->a, 1, CLASS, IB_MGMT_METHOD_GET);
	const struct attach_agent set = agent(f->b, 1, CLASS, IB_MGMT_METHOD_SET);
	struct subnet_mad mad = request(CLASS, IB_MGMT_METHOD_SET);

	assert_int_equal(add(f, f->a, &get), 0);
	assert_int_equal(add(f, f->b, &set), 0);
	agents_gone(f->agents, f->a);
	assert_int_equal(agents_find(f->agents, SLOT, &mad), f->b);
	mad = request(CLASS, IB_MGMT_METHOD_GET);
	assert_int_equal(agents_find(f->agents, SLOT, &mad), -ENOENT);
}

static void agents_find__response_is_for_whose_request_it_answers(void **state)
{
	struct fixture *f = *state;
	struct subnet_mad mad = response(hi_tid(f->b, 3));

	assert_int_equal(agents_find(f->agents, SLOT, &mad), f->b);
	assert_int_equal(agents_find(f->agents, OTHER_SLOT, &mad), -ENOENT); /* not at that host */
	mad = response(hi_tid(f->far, 3));
	assert_int_equal(agents_find(f->agents, SLOT, &mad), -ENOENT);
	directory_remove_process(f->dir, f->b);
	mad = response(hi_tid(f->b, 3));
	assert_int_equal(agents_find(f->agents, SLOT, &mad), -ENOENT);
	mad = response(UINT32_MAX);
	assert_int_equal(agents_find(f->agents, SLOT, &mad), -ENOENT);
}

static void agents_find__other_queue_pair_is_its_owner_s(void **state)
{
	struct fixture *f = *state;
	struct subnet_mad mad = request(CLASS, IB_MGMT_METHOD_GET);
	uint32_t first_qpn;

	assert_int_equal(directory_take_block(f->dir, f->b, &first_qpn), 0);
	mad.dest_qpn = first_qpn + 1;
	assert_int_equal(agents_find(f->agents, SLOT, &mad), f->b);
	assert_int_equal(agents_find(f->agents, OTHER_SLOT, &mad), -ENOENT);
	mad.dest_qpn = UINT32_MAX;
	assert_int_equal(agents_find(f->agents, SLOT, &mad), -ENOENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(agents_add__request_finds_who_registered),
		TEST(agents_add__method_is_one_process_s),
		TEST(agents_add__vendors_are_apart),
		TEST(agents_add__same_number_is_the_same_agent),
		TEST(agents_add__nonsense),
		TEST(agents_add__has_a_limit),
		TEST(agents_gone__forgets_one_process),
		TEST(agents_find__response_is_for_whose_request_it_answers),
		TEST(agents_find__other_queue_pair_is_its_owner_s),
	};

	return verbena_test_main(tests);
}
