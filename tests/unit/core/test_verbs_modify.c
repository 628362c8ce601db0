/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/core_fixture.h"

#define PSN_MASK 0xffffffu

/* An address on port 1 with a GRH from GID entry 1. */
static struct rdma_ah_attr ib_address(struct core_fixture *f)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	union ib_gid dgid = fake_gid(2, 0);

	(void)f;
	rdma_ah_set_dlid(&attr, 0x20);
	rdma_ah_set_grh(&attr, &dgid, 0, 1, 64, 0);
	return attr;
}

static void ib_modify_qp__hands_mask_and_attributes_to_the_provider(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_UD);
	struct ib_qp_attr attr = {.qp_state = IB_QPS_INIT, .qkey = 7, .xmit_slave = (void *)1};
	const int mask = IB_QP_STATE | IB_QP_QKEY;

	assert_int_equal(ib_modify_qp(qp, &attr, mask), 0);
	assert_int_equal(f->fake->arg[FAKE_MODIFY_QP][0], (uintptr_t)qp);
	assert_int_equal(f->fake->arg[FAKE_MODIFY_QP][1], (uintptr_t)&attr);
	assert_int_equal(f->fake->arg[FAKE_MODIFY_QP][2], mask);
	assert_int_equal(f->fake->arg[FAKE_MODIFY_QP][3], 0);
	assert_null(attr.xmit_slave);
	f->fake->fail[FAKE_MODIFY_QP] = -EINVAL;
	assert_int_equal(ib_modify_qp(qp, &attr, mask), -EINVAL);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_modify_qp__is_not_supported_without_the_op(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_UD);
	struct ib_qp_attr attr = {.qp_state = IB_QPS_INIT};

	f->device->ops.modify_qp = NULL;
	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_STATE), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_modify_qp__is_refused_by_the_table(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);
	struct ib_qp_attr attr = {.qp_state = IB_QPS_RTS};

	f->fake->options.check_modify = true;
	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_STATE), -EINVAL);
	assert_cause(MODIFY_PAIR);
	attr.qp_state = IB_QPS_INIT;
	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_STATE), -EINVAL);
	assert_cause(MODIFY_MISSING);
	attr.port_num = 1;
	assert_int_equal(ib_modify_qp(qp, &attr,
				      IB_QP_STATE | IB_QP_PORT | IB_QP_PKEY_INDEX |
					      IB_QP_ACCESS_FLAGS),
			 0);
	assert_int_equal(to_fake_qp(qp)->state, IB_QPS_INIT);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

/* [sm 4] */
static void ib_modify_qp__holds_the_source_gid_of_the_path(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);
	struct ib_qp_attr attr = {.ah_attr = ib_address(f)};

	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_AV), 0);
	assert_non_null(qp->av_sgid_attr);
	assert_int_equal(qp->av_sgid_attr->index, 1);
	assert_int_equal(qp->av_sgid_attr->port_num, 1);
	assert_ptr_equal(to_fake_qp(qp)->attr.ah_attr.grh.sgid_attr, qp->av_sgid_attr);
	assert_null(attr.ah_attr.grh.sgid_attr); /* as the caller passed it */
	attr.ah_attr.grh.sgid_index = 2;
	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_AV), 0);
	assert_int_equal(qp->av_sgid_attr->index, 2);
	attr.ah_attr.ah_flags = 0;
	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_AV), 0);
	assert_null(qp->av_sgid_attr);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_modify_qp__drops_the_new_gid_when_the_provider_refuses(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);
	struct ib_qp_attr attr = {.ah_attr = ib_address(f)};

	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_AV), 0);
	attr.ah_attr.grh.sgid_index = 2;
	attr.port_num = 2;
	f->fake->fail[FAKE_MODIFY_QP] = -EINVAL;
	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_AV | IB_QP_PORT), -EINVAL);
	assert_int_equal(qp->av_sgid_attr->index, 1);
	assert_int_equal(qp->port, 1);
	assert_null(attr.ah_attr.grh.sgid_attr);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_modify_qp__refuses_a_bad_path(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);
	struct ib_qp_attr attr = {.ah_attr = ib_address(f)};

	attr.ah_attr.port_num = 3;
	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_AV), -EINVAL);
	assert_cause(AH_PORT);
	attr.ah_attr.port_num = 1;
	attr.ah_attr.grh.sgid_index = 200;
	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_AV), -EINVAL);
	attr.ah_attr.grh.sgid_index = FAKE_GIDS - 1; /* nothing is there */
	assert_true(ib_modify_qp(qp, &attr, IB_QP_AV) < 0);
	attr.ah_attr = ib_address(f);
	attr.ah_attr.type = RDMA_AH_ATTR_TYPE_ROCE;
	attr.ah_attr.ah_flags = 0;
	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_AV), -EINVAL);
	assert_cause(AH_NO_GRH);
	attr.port_num = 3;
	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_PORT), -EINVAL);
	assert_cause_text(
		"QP 0x101: port 3 is not one of the device's ports 1 to 2. Set port_num to "
		"one of them.");
	assert_int_equal(f->fake->called[FAKE_MODIFY_QP], 0);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

/* [sm 4] */
static void ib_modify_qp__holds_the_source_gid_of_the_alternate_path(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);
	struct ib_qp_attr attr = {.ah_attr = ib_address(f), .alt_ah_attr = ib_address(f)};
	const int mask = IB_QP_AV | IB_QP_ALT_PATH;

	attr.alt_ah_attr.port_num = 2;
	attr.alt_ah_attr.grh.sgid_index = 0;
	assert_int_equal(ib_modify_qp(qp, &attr, mask), 0);
	assert_int_equal(qp->av_sgid_attr->index, 1);
	assert_int_equal(qp->alt_path_sgid_attr->index, 0);
	assert_int_equal(qp->alt_path_sgid_attr->port_num, 2);
	assert_null(attr.alt_ah_attr.grh.sgid_attr);
	attr.alt_ah_attr.port_num = 9;
	assert_int_equal(ib_modify_qp(qp, &attr, mask), -EINVAL);
	assert_cause(AH_PORT);
	assert_int_equal(qp->alt_path_sgid_attr->port_num, 2);
	assert_null(attr.ah_attr.grh.sgid_attr);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_modify_qp__has_no_alternate_path_on_ethernet(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);
	struct ib_qp_attr attr = {.alt_port_num = 1};

	attr.alt_ah_attr.type = RDMA_AH_ATTR_TYPE_ROCE;
	attr.alt_ah_attr.port_num = 1;
	rdma_ah_set_grh(&attr.alt_ah_attr, NULL, 0, CORE_ROCE_INDEX_V4, 64, 0);
	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_ALT_PATH), -EINVAL);
	assert_cause(MODIFY_ALT_PATH);
	assert_int_equal(f->fake->called[FAKE_MODIFY_QP], 0);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

/* [sm 4] */
static void ib_modify_qp__cuts_psns_to_24_bits(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);
	struct ib_qp_attr attr = {.rq_psn = 0x12345678, .sq_psn = 0xff000001};

	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_RQ_PSN | IB_QP_SQ_PSN), 0);
	assert_int_equal(to_fake_qp(qp)->attr.rq_psn, 0x345678);
	assert_int_equal(to_fake_qp(qp)->attr.sq_psn, 0x000001);
	attr.rq_psn = PSN_MASK;
	attr.sq_psn = 0xff000001; /* not in the mask: not looked at */
	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_RQ_PSN), 0);
	assert_int_equal(to_fake_qp(qp)->attr.rq_psn, PSN_MASK);
	assert_int_equal(attr.sq_psn, 0xff000001);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_modify_qp__moves_the_qp_to_its_port(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);
	struct ib_qp_attr attr = {.port_num = 2};

	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_PKEY_INDEX), 0);
	assert_int_equal(qp->port, 1);
	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_PORT), 0);
	assert_int_equal(qp->port, 2);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

static void ib_modify_qp_with_udata__resolves_the_macs_of_roce_peers(void **state)
{
	struct core_fixture *f = *state;
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);
	union ib_gid group = {.raw = {[10] = 0xff, 0xff, 0xe0 | 1, 0x81, 2, 3}};
	static const u8 mac[ETH_ALEN] = {0x01, 0x00, 0x5e, 0x01, 2, 3};
	struct ib_qp_attr attr = {.ah_attr.type = RDMA_AH_ATTR_TYPE_ROCE};
	struct ib_udata udata = {.inlen = 0};

	attr.ah_attr.port_num = 1;
	rdma_ah_set_grh(&attr.ah_attr, &group, 0, CORE_ROCE_INDEX_V4, 64, 0);
	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_AV), 0);
	assert_int_equal(to_fake_qp(qp)->attr.ah_attr.roce.dmac[0], 0);
	assert_int_equal(ib_modify_qp_with_udata(qp, &attr, IB_QP_AV, &udata), 0);
	assert_memory_equal(to_fake_qp(qp)->attr.ah_attr.roce.dmac, mac, ETH_ALEN);
	assert_int_equal(f->fake->arg[FAKE_MODIFY_QP][3], (uintptr_t)&udata);
	attr.ah_attr.grh.dgid.raw[12] = 10; /* unicast, and nobody knows it */
	assert_int_equal(ib_modify_qp_with_udata(qp, &attr, IB_QP_AV, &udata), -EHOSTUNREACH);
	assert_cause(AH_NO_NEIGHBOUR);
	assert_null(attr.ah_attr.grh.sgid_attr);
	assert_int_equal(ib_destroy_qp(qp), 0);
}

#define ON_IB(test) cmocka_unit_test_setup_teardown(test, core_setup_ib, core_teardown)
#define ON_ROCE(test) cmocka_unit_test_setup_teardown(test, core_setup_roce, core_teardown)

static const struct CMUnitTest tests[] = {
	ON_IB(ib_modify_qp__hands_mask_and_attributes_to_the_provider),
	ON_IB(ib_modify_qp__is_not_supported_without_the_op),
	ON_IB(ib_modify_qp__is_refused_by_the_table),
	ON_IB(ib_modify_qp__holds_the_source_gid_of_the_path),
	ON_IB(ib_modify_qp__drops_the_new_gid_when_the_provider_refuses),
	ON_IB(ib_modify_qp__refuses_a_bad_path),
	ON_IB(ib_modify_qp__holds_the_source_gid_of_the_alternate_path),
	ON_ROCE(ib_modify_qp__has_no_alternate_path_on_ethernet),
	ON_IB(ib_modify_qp__cuts_psns_to_24_bits),
	ON_IB(ib_modify_qp__moves_the_qp_to_its_port),
	ON_ROCE(ib_modify_qp_with_udata__resolves_the_macs_of_roce_peers),
};

int main(void)
{
	return verbena_test_main(tests);
}
