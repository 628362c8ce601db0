// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Address handles. */
#include "common/rvt_bare.h"
#include "rdmavt/ah.h"

struct fixture {
	struct bare *b;
	struct rdma_ah_attr attr;
	struct rvt_ah ah;
};

static int setup(void **state)
{
	struct fixture *f = bare_fixture_new(sizeof(*f));

	if (!f)
		return -1;
	f->ah.ibah.device = &f->b->rdi.ibdev;
	f->attr.type = RDMA_AH_ATTR_TYPE_IB;
	rdma_ah_set_port_num(&f->attr, 1);
	rdma_ah_set_dlid(&f->attr, 7);
	rdma_ah_set_sl(&f->attr, 3);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	bare_fixture_free(f);
	return 0;
}

static int check(struct fixture *f)
{
	return rvt_check_ah(&f->b->rdi.ibdev, &f->attr);
}

static int refuse_ah(struct ib_device *device, struct rdma_ah_attr *attr)
{
	(void)device;
	return rdma_ah_get_dlid(attr) == 13 ? -EPERM : 0;
}

static void notify_ah(struct ib_device *device, struct rdma_ah_attr *attr, struct rvt_ah *ah)
{
	(void)device;
	ah->vl = rdma_ah_get_sl(attr);
	ah->log_pmtu = 12;
}

static void rvt_check_ah__takes_a_good_one(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(check(f), 0);
	rdma_ah_set_static_rate(&f->attr, IB_RATE_40_GBPS);
	assert_int_equal(check(f), 0);
	rdma_ah_set_grh(&f->attr, NULL, 0, 3, 1, 0);
	assert_int_equal(check(f), 0);
}

static void rvt_check_ah__refuses(void **state)
{
	struct fixture *f = *state;

	rdma_ah_set_port_num(&f->attr, 0);
	assert_int_equal(check(f), -EINVAL);
	assert_cause(AH_NO_PORT);
	rdma_ah_set_port_num(&f->attr, 3);
	assert_int_equal(check(f), -EINVAL);
	assert_cause(AH_NO_PORT);
	rdma_ah_set_port_num(&f->attr, 2); /* its query fails */
	assert_int_equal(check(f), -EINVAL);
	assert_cause(AH_PORT_QUERY);
	rdma_ah_set_port_num(&f->attr, 1);
	rdma_ah_set_static_rate(&f->attr, 1);
	assert_int_equal(check(f), -EINVAL);
	assert_cause(AH_RATE);
	rdma_ah_set_static_rate(&f->attr, IB_RATE_PORT_CURRENT);
	rdma_ah_set_grh(&f->attr, NULL, 0, 4, 1, 0);
	assert_int_equal(check(f), -EINVAL);
	assert_cause(AH_SGID_INDEX);
}

static void rvt_check_ah__asks_the_driver_last(void **state)
{
	struct fixture *f = *state;

	f->b->rdi.driver_f.check_ah = refuse_ah;
	assert_int_equal(check(f), 0);
	rdma_ah_set_dlid(&f->attr, 13);
	assert_int_equal(check(f), -EPERM);
}

static void rvt_create_ah__copies_and_notifies(void **state)
{
	struct fixture *f = *state;
	struct rdma_ah_init_attr init = {.ah_attr = &f->attr};
	struct rdma_ah_attr read;

	f->b->rdi.driver_f.notify_new_ah = notify_ah;
	assert_int_equal(rvt_create_ah(&f->ah.ibah, &init, NULL), 0);
	assert_int_equal(f->ah.vl, 3);
	assert_int_equal(f->ah.log_pmtu, 12);
	assert_int_equal(f->b->rdi.n_ahs_allocated, 1);
	assert_int_equal(rvt_query_ah(&f->ah.ibah, &read), 0);
	assert_int_equal(rdma_ah_get_dlid(&read), 7);
	assert_int_equal(rdma_ah_get_sl(&read), 3);
	assert_int_equal(rvt_destroy_ah(&f->ah.ibah, 0), 0);
	assert_int_equal(f->b->rdi.n_ahs_allocated, 0);
}

static void rvt_create_ah__up_to_max_ah(void **state)
{
	struct fixture *f = *state;
	struct rdma_ah_init_attr init = {.ah_attr = &f->attr};
	struct rvt_ah second = {.ibah.device = &f->b->rdi.ibdev}, third = second;

	assert_int_equal(rvt_create_ah(&f->ah.ibah, &init, NULL), 0);
	assert_int_equal(rvt_create_ah(&second.ibah, &init, NULL), 0);
	assert_int_equal(rvt_create_ah(&third.ibah, &init, NULL), -ENOMEM);
	assert_cause(AH_COUNT);
	assert_int_equal(rvt_destroy_ah(&second.ibah, 0), 0);
	rdma_ah_set_port_num(&f->attr, 9);
	assert_int_equal(rvt_create_ah(&third.ibah, &init, NULL), -EINVAL);
	assert_int_equal(f->b->rdi.n_ahs_allocated, 1);
}

static void rvt_modify_ah__replaces_all_or_nothing(void **state)
{
	struct fixture *f = *state;
	struct rdma_ah_init_attr init = {.ah_attr = &f->attr};
	struct rdma_ah_attr read;

	f->b->rdi.driver_f.notify_new_ah = notify_ah;
	assert_int_equal(rvt_create_ah(&f->ah.ibah, &init, NULL), 0);
	rdma_ah_set_dlid(&f->attr, 8);
	rdma_ah_set_sl(&f->attr, 5);
	assert_int_equal(rvt_modify_ah(&f->ah.ibah, &f->attr), 0);
	assert_int_equal(f->ah.vl, 5);
	rdma_ah_set_dlid(&f->attr, 9);
	rdma_ah_set_port_num(&f->attr, 9);
	assert_int_equal(rvt_modify_ah(&f->ah.ibah, &f->attr), -EINVAL);
	assert_int_equal(rvt_query_ah(&f->ah.ibah, &read), 0);
	assert_int_equal(rdma_ah_get_dlid(&read), 8);
	assert_int_equal(rdma_ah_get_port_num(&read), 1);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(rvt_check_ah__takes_a_good_one),	  TEST(rvt_check_ah__refuses),
	TEST(rvt_check_ah__asks_the_driver_last), TEST(rvt_create_ah__copies_and_notifies),
	TEST(rvt_create_ah__up_to_max_ah),	  TEST(rvt_modify_ah__replaces_all_or_nothing),
};

int main(void)
{
	return verbena_test_main(tests);
}
