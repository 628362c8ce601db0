/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/core_fixture.h"

static union ib_gid group = {.raw = {0xff, 0x12, 0x40, 0x1b}};

static void ib_attach_mcast__keeps_the_qp(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_UD);

	assert_int_equal(ib_attach_mcast(qp, &group, 0xc000), 0);
	assert_int_equal(f->fake->mcast, 1);
	assert_int_equal(f->fake->arg[FAKE_ATTACH_MCAST][2], 0xc000);
	assert_int_equal(atomic_read(&qp->usecnt), 1);
	assert_int_equal(ib_destroy_qp(qp), -EBUSY);
	assert_int_equal(ib_detach_mcast(qp, &group, 0xc000), 0);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_attach_mcast__takes_mapped_ipv4_groups(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_UD);
	union ib_gid v4 = {.raw = {[10] = 0xff, 0xff, 224, 0, 0, 1}};

	assert_int_equal(ib_attach_mcast(qp, &v4, 0xfffe), 0);
	assert_int_equal(ib_detach_mcast(qp, &v4, 0xfffe), 0);
	v4.raw[12] = 10;
	assert_int_equal(ib_attach_mcast(qp, &v4, 0xfffe), -EINVAL);
	assert_cause(MCAST_GID);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_attach_mcast__refuses_what_is_no_group(void **state)
{
	static const u16 bad_lids[] = {0, 1, 0xbfff, 0xffff};
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_UD);
	struct ib_qp *rc = core_make_qp(f, IB_QPT_RC);
	union ib_gid unicast = fake_gid(1, 0);

	assert_int_equal(ib_attach_mcast(qp, &unicast, 0xc000), -EINVAL);
	assert_cause_text(
		"QP 0x101: GID 0xfe80000000000000 0x2c90000000100 (upper and lower half) is "
		"no multicast GID. Multicast GIDs start with ff, or are IPv4-mapped "
		"multicast addresses.");
	assert_int_equal(ib_attach_mcast(rc, &group, 0xc000), -EINVAL);
	assert_cause(MCAST_QP_TYPE);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(ib_attach_mcast(qp, &group, bad_lids[i]), -EINVAL);
		assert_cause(MCAST_LID);
	}
	f->device->ops.query_qp = NULL; /* the ports answer then */
	assert_int_equal(ib_attach_mcast(qp, &group, 1), -EINVAL);
	assert_cause(MCAST_LID);
	assert_int_equal(f->fake->called[FAKE_ATTACH_MCAST], 0);
	assert_int_equal(ib_destroy_qp(rc), 0);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_attach_mcast__ignores_the_lid_on_ethernet(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_UD);
	struct ib_qp_attr attr = {.qp_state = IB_QPS_INIT, .port_num = 1};

	assert_int_equal(ib_attach_mcast(qp, &group, 0), 0); /* in RESET: by the ports */
	assert_int_equal(ib_detach_mcast(qp, &group, 0), 0);
	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PORT), 0);
	assert_int_equal(ib_attach_mcast(qp, &group, 0), 0); /* by the QP's own port */
	assert_int_equal(ib_detach_mcast(qp, &group, 0), 0);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_attach_mcast__hands_errors_through(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_UD);

	f->fake->fail[FAKE_ATTACH_MCAST] = -ENOMEM;
	assert_int_equal(ib_attach_mcast(qp, &group, 0xc000), -ENOMEM);
	assert_int_equal(atomic_read(&qp->usecnt), 0);
	f->device->ops.attach_mcast = NULL;
	assert_int_equal(ib_attach_mcast(qp, &group, 0xc000), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_detach_mcast__lets_the_qp_go(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_UD);
	union ib_gid unicast = fake_gid(1, 0);

	assert_int_equal(ib_attach_mcast(qp, &group, 0xc000), 0);
	assert_int_equal(ib_detach_mcast(qp, &unicast, 0xc000), -EINVAL);
	assert_int_equal(ib_detach_mcast(qp, &group, 1), -EINVAL);
	f->fake->fail[FAKE_DETACH_MCAST] = -EINVAL;
	assert_int_equal(ib_detach_mcast(qp, &group, 0xc000), -EINVAL);
	assert_int_equal(atomic_read(&qp->usecnt), 1);
	f->fake->fail[FAKE_DETACH_MCAST] = 0;
	assert_int_equal(ib_detach_mcast(qp, &group, 0xc000), 0);
	assert_int_equal(atomic_read(&qp->usecnt), 0);
	assert_int_equal(f->fake->mcast, 0);
	f->device->ops.detach_mcast = NULL;
	assert_int_equal(ib_detach_mcast(qp, &group, 0xc000), -EOPNOTSUPP);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

#define ON_IB(test) cmocka_unit_test_setup_teardown(test, core_setup_ib, core_teardown)
#define ON_ROCE(test) cmocka_unit_test_setup_teardown(test, core_setup_roce, core_teardown)

static const struct CMUnitTest tests[] = {
	ON_IB(ib_attach_mcast__keeps_the_qp),
	ON_IB(ib_attach_mcast__takes_mapped_ipv4_groups),
	ON_IB(ib_attach_mcast__refuses_what_is_no_group),
	ON_ROCE(ib_attach_mcast__ignores_the_lid_on_ethernet),
	ON_IB(ib_attach_mcast__hands_errors_through),
	ON_IB(ib_detach_mcast__lets_the_qp_go),
};

int main(void)
{
	return verbena_test_main(tests);
}
