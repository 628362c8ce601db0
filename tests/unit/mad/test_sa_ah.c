// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Addresses from paths and groups. */
#include <rdma/ib_cache.h>
#include <rdma/ib_sa.h>

#include "unit/mad/mad_fixture.h"

static union ib_gid own_gid(struct fixture *f)
{
	union ib_gid gid;

	assert_int_equal(rdma_query_gid(f->device[0], 1, 0, &gid), 0);
	return gid;
}

static struct sa_path_rec path(struct fixture *f)
{
	struct sa_path_rec rec = {.sgid = own_gid(f), .sl = 3, .rate = IB_RATE_20_GBPS};

	rec.dgid.raw[15] = 5;
	rec.flow_label = cpu_to_be32(0x12345);
	rec.traffic_class = 0x9a;
	sa_path_set_dlid(&rec, 0x77);
	sa_path_set_slid(&rec, 0x8f);
	return rec;
}

static void path__within_the_subnet(void **state)
{
	struct fixture *f = *state;
	struct sa_path_rec rec = path(f);
	struct rdma_ah_attr attr;

	assert_int_equal(ib_init_ah_attr_from_path(f->device[0], 1, &rec, &attr, NULL), 0);
	assert_int_equal(attr.type, RDMA_AH_ATTR_TYPE_IB);
	assert_int_equal(rdma_ah_get_dlid(&attr), 0x77);
	assert_int_equal(attr.sl, 3);
	assert_int_equal(attr.port_num, 1);
	assert_int_equal(attr.static_rate, IB_RATE_20_GBPS);
	assert_int_equal(attr.ib.src_path_bits, 0); /* the port has one LID */
	assert_int_equal(attr.ah_flags, 0);
	rdma_destroy_ah_attr(&attr);
}

static void path__beyond_the_subnet(void **state)
{
	struct fixture *f = *state;
	struct sa_path_rec rec = path(f);
	struct rdma_ah_attr attr;

	rec.hop_limit = 9;
	assert_int_equal(ib_init_ah_attr_from_path(f->device[0], 1, &rec, &attr, NULL), 0);
	assert_int_equal(attr.ah_flags, IB_AH_GRH);
	assert_memory_equal(&attr.grh.dgid, &rec.dgid, 16);
	assert_int_equal(attr.grh.flow_label, 0x12345);
	assert_int_equal(attr.grh.hop_limit, 9);
	assert_int_equal(attr.grh.traffic_class, 0x9a);
	assert_non_null(attr.grh.sgid_attr);
	rdma_destroy_ah_attr(&attr);
	rec.sgid.raw[15] ^= 0xff; /* not ours */
	assert_int_equal(ib_init_ah_attr_from_path(f->device[0], 1, &rec, &attr, NULL), -ENOENT);
}

static void path__from_a_gid_that_is_given(void **state)
{
	struct fixture *f = *state;
	const struct ib_gid_attr *gid_attr = rdma_get_gid_attr(f->device[0], 1, 0);
	struct sa_path_rec rec = path(f);
	struct rdma_ah_attr attr;

	assert_false(IS_ERR(gid_attr));
	rec.hop_limit = 9;
	rec.sgid.raw[15] ^= 0xff;
	assert_int_equal(ib_init_ah_attr_from_path(f->device[0], 1, &rec, &attr, gid_attr), 0);
	assert_ptr_equal(attr.grh.sgid_attr, gid_attr);
	rdma_destroy_ah_attr(&attr);
	rdma_put_gid_attr(gid_attr);
}

static void path__of_roce_without_its_mac(void **state)
{
	struct fixture *f = *state;
	struct sa_path_rec rec = {.rec_type = SA_PATH_REC_TYPE_ROCE_V2};
	struct rdma_ah_attr attr;

	assert_int_equal(ib_init_ah_attr_from_path(f->device[0], 1, &rec, &attr, NULL), -EINVAL);
}

static void group__address(void **state)
{
	struct fixture *f = *state;
	struct ib_sa_mcmember_rec rec = {.port_gid = own_gid(f),
					 .mlid = cpu_to_be16(0xc012),
					 .sl = 4,
					 .rate = IB_RATE_10_GBPS,
					 .hop_limit = 7,
					 .traffic_class = 0x55,
					 .flow_label = cpu_to_be32(0x54321)};
	struct rdma_ah_attr attr;

	rec.mgid.raw[0] = 0xff;
	assert_int_equal(
		ib_init_ah_from_mcmember(f->device[0], 1, &rec, NULL, IB_GID_TYPE_IB, &attr), 0);
	assert_int_equal(rdma_ah_get_dlid(&attr), 0xc012);
	assert_int_equal(attr.sl, 4);
	assert_int_equal(attr.static_rate, IB_RATE_10_GBPS);
	assert_int_equal(attr.ah_flags, IB_AH_GRH);
	assert_memory_equal(&attr.grh.dgid, &rec.mgid, 16);
	assert_int_equal(attr.grh.flow_label, 0x54321);
	assert_int_equal(attr.grh.hop_limit, 7);
	assert_int_equal(attr.grh.traffic_class, 0x55);
	rdma_destroy_ah_attr(&attr);
	rec.port_gid.raw[15] ^= 0xff;
	assert_int_equal(ib_init_ah_from_mcmember(f->device[0], 1, &rec, NULL, IB_GID_TYPE_IB,
						  &attr),
			 -ENOENT);
}

static const struct CMUnitTest tests[] = {
	TEST(path__within_the_subnet),
	TEST(path__beyond_the_subnet),
	TEST(path__from_a_gid_that_is_given),
	TEST(path__of_roce_without_its_mac),
	TEST(group__address),
};

int main(void)
{
	return verbena_test_main(tests);
}
