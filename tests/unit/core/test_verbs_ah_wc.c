/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <rdma/ib_cache.h>

#include "common/core_fixture.h"
#include "core/core_priv.h"

/* An IPv4 header from 10.0.0.9 to 10.0.0.1 with a valid checksum. */
static const u8 ipv4[20] = {
	0x45, 0x00, 0x00, 0x54, 0x12, 0x34, 0x40, 0x00, 0x40, 0x11,
	0x14, 0x5c, 10,	  0,	0,    9,    10,	  0,	0,    1,
};

static union rdma_network_hdr from_ipv4(void)
{
	union rdma_network_hdr hdr;

	memset(&hdr, 0, sizeof(hdr));
	memcpy((u8 *)&hdr + 20, ipv4, sizeof(ipv4));
	return hdr;
}

/* A GRH from port 2's GID 0 to port 1's GID 1; traffic class 0x5a, flow label 0x12345. */
static struct ib_grh ib_grh(void)
{
	struct ib_grh grh = {
		.version_tclass_flow = cpu_to_be32(0x65a12345),
		.next_hdr = 0x1b,
		.hop_limit = 3,
		.sgid = fake_gid(2, 0),
		.dgid = fake_gid(1, 1),
	};

	return grh;
}

static int find_neighbour(const struct ib_gid_attr *sgid_attr, const union ib_gid *dgid, u8 *dmac,
			  u8 *hop_limit)
{
	(void)sgid_attr;
	(void)hop_limit;
	if (dgid->raw[15] != 9)
		return -ENETUNREACH;
	memset(dmac, 0x42, ETH_ALEN);
	return 0;
}

static void ib_get_rdma_header_version__knows_ipv6_by_its_first_nibble(void **state)
{
	union rdma_network_hdr hdr;

	(void)state;
	memset(&hdr, 0, sizeof(hdr));
	hdr.ibgrh = ib_grh();
	assert_int_equal(ib_get_rdma_header_version(&hdr), 6);
}

static void ib_get_rdma_header_version__knows_ipv4_at_the_end(void **state)
{
	union rdma_network_hdr hdr = from_ipv4();

	(void)state;
	assert_int_equal(ib_get_rdma_header_version(&hdr), 4);
	*((u8 *)&hdr + 21) ^= 0xff; /* the checksum is not looked at, since this is no IPv6 */
	assert_int_equal(ib_get_rdma_header_version(&hdr), 4);
	*((u8 *)&hdr + 20) = 0x55;
	assert_int_equal(ib_get_rdma_header_version(&hdr), 0);
}

static void ib_get_rdma_header_version__believes_a_checksum_only(void **state)
{
	union rdma_network_hdr hdr = from_ipv4();

	(void)state;
	*(u8 *)&hdr = 0x60; /* rubbish in front of IPv4 that looks like IPv6 */
	assert_int_equal(ib_get_rdma_header_version(&hdr), 4);
	*((u8 *)&hdr + 30) ^= 1;
	assert_int_equal(ib_get_rdma_header_version(&hdr), 6);
	*((u8 *)&hdr + 30) ^= 1;
	*((u8 *)&hdr + 20) = 0x46; /* options: not 20 bytes */
	assert_int_equal(ib_get_rdma_header_version(&hdr), 6);
}

static void ib_get_gids_from_rdma_hdr__reads_both_addresses(void **state)
{
	static const union ib_gid nine = {.raw = {[10] = 0xff, 0xff, 10, 0, 0, 9}};
	static const union ib_gid one = {.raw = {[10] = 0xff, 0xff, 10, 0, 0, 1}};
	static const enum rdma_network_type six[] = {RDMA_NETWORK_IB, RDMA_NETWORK_ROCE_V1,
						     RDMA_NETWORK_IPV6};
	union rdma_network_hdr hdr = from_ipv4();
	union ib_gid sgid, dgid, expected;

	(void)state;
	assert_int_equal(ib_get_gids_from_rdma_hdr(&hdr, RDMA_NETWORK_IPV4, &sgid, &dgid), 0);
	assert_memory_equal(&sgid, &nine, sizeof(nine));
	assert_memory_equal(&dgid, &one, sizeof(one));
	hdr.ibgrh = ib_grh();
	for (size_t i = 0; i < 3; i++) {
		memset(&sgid, 0, sizeof(sgid));
		assert_int_equal(ib_get_gids_from_rdma_hdr(&hdr, six[i], &sgid, &dgid), 0);
		expected = fake_gid(2, 0);
		assert_memory_equal(&sgid, &expected, sizeof(expected));
		expected = fake_gid(1, 1);
		assert_memory_equal(&dgid, &expected, sizeof(expected));
	}
}

static void ib_get_gids_from_rdma_hdr__refuses_bad_arguments(void **state)
{
	union rdma_network_hdr hdr = from_ipv4();
	union ib_gid gid;

	(void)state;
	assert_int_equal(ib_get_gids_from_rdma_hdr(&hdr, RDMA_NETWORK_IB, NULL, &gid), -EINVAL);
	assert_cause(WC_NO_GID_ROOM);
	assert_int_equal(ib_get_gids_from_rdma_hdr(&hdr, RDMA_NETWORK_IB, &gid, NULL), -EINVAL);
	assert_int_equal(ib_get_gids_from_rdma_hdr(&hdr, (enum rdma_network_type)17, &gid, &gid),
			 -EINVAL);
	assert_cause_text("there is no network header type 17. Use an enum rdma_network_type.");
}

static void ib_init_ah_attr_from_wc__answers_by_lid(void **state)
{
	struct core_fixture *f = *state;
	const struct ib_wc wc = {.slid = 0x33, .sl = 5, .dlid_path_bits = 2};
	struct rdma_ah_attr attr;

	memset(&attr, 0xff, sizeof(attr));
	assert_int_equal(ib_init_ah_attr_from_wc(f->device, 2, &wc, NULL, &attr), 0);
	assert_int_equal(attr.type, RDMA_AH_ATTR_TYPE_IB);
	assert_int_equal(rdma_ah_get_dlid(&attr), 0x33);
	assert_int_equal(rdma_ah_get_sl(&attr), 5);
	assert_int_equal(rdma_ah_get_path_bits(&attr), 2);
	assert_int_equal(rdma_ah_get_port_num(&attr), 2);
	assert_int_equal(rdma_ah_get_ah_flags(&attr), 0);
	assert_null(attr.grh.sgid_attr);
}

static void ib_init_ah_attr_from_wc__turns_the_grh_round(void **state)
{
	struct core_fixture *f = *state;
	const struct ib_wc wc = {.slid = 0x33, .wc_flags = IB_WC_GRH};
	const struct ib_grh grh = ib_grh();
	const union ib_gid expected = fake_gid(2, 0);
	struct rdma_ah_attr attr;

	assert_int_equal(ib_init_ah_attr_from_wc(f->device, 1, &wc, &grh, &attr), 0);
	assert_int_equal(rdma_ah_get_ah_flags(&attr), IB_AH_GRH);
	assert_int_equal(attr.grh.sgid_index, 1);
	assert_int_equal(attr.grh.sgid_attr->index, 1);
	assert_memory_equal(&attr.grh.dgid, &expected, sizeof(expected));
	assert_int_equal(attr.grh.flow_label, 0x12345);
	assert_int_equal(attr.grh.traffic_class, 0x5a);
	assert_int_equal(attr.grh.hop_limit, 255);
	rdma_destroy_ah_attr(&attr);
}

static void ib_init_ah_attr_from_wc__takes_gid_0_for_the_sa(void **state)
{
	struct core_fixture *f = *state;
	const struct ib_wc wc = {.slid = 0x33, .wc_flags = IB_WC_GRH};
	struct ib_grh grh = ib_grh();
	struct rdma_ah_attr attr;

	grh.dgid.global.interface_id = cpu_to_be64(IB_SA_WELL_KNOWN_GUID);
	assert_int_equal(ib_init_ah_attr_from_wc(f->device, 1, &wc, &grh, &attr), 0);
	assert_int_equal(attr.grh.sgid_index, 0);
	rdma_destroy_ah_attr(&attr);
}

static void ib_init_ah_attr_from_wc__refuses_gids_and_ports_of_others(void **state)
{
	struct core_fixture *f = *state;
	const struct ib_wc wc = {.slid = 0x33, .wc_flags = IB_WC_GRH};
	const struct ib_grh grh = ib_grh();
	struct rdma_ah_attr attr;

	assert_int_equal(ib_init_ah_attr_from_wc(f->device, 2, &wc, &grh, &attr), -ENOENT);
	assert_null(attr.grh.sgid_attr);
	assert_int_equal(ib_init_ah_attr_from_wc(f->device, 3, &wc, &grh, &attr), -EINVAL);
	assert_cause(AH_PORT);
}

static void ib_init_ah_attr_from_wc__wants_a_grh_on_roce(void **state)
{
	struct core_fixture *f = *state;
	const struct ib_wc wc = {.slid = 0x33};
	struct rdma_ah_attr attr;

	assert_int_equal(ib_init_ah_attr_from_wc(f->device, 1, &wc, NULL, &attr), -EPROTOTYPE);
	assert_cause(WC_NO_GRH);
}

static void ib_init_ah_attr_from_wc__finds_gid_and_mac_on_roce(void **state)
{
	struct core_fixture *f = *state;
	const union rdma_network_hdr hdr = from_ipv4();
	struct ib_wc wc = {.wc_flags = IB_WC_GRH};
	struct rdma_ah_attr attr;

	assert_int_equal(ib_init_ah_attr_from_wc(f->device, 1, &wc, &hdr.ibgrh, &attr),
			 -EHOSTUNREACH);
	assert_null(attr.grh.sgid_attr);
	core_neighbour_install(find_neighbour);
	assert_int_equal(ib_init_ah_attr_from_wc(f->device, 1, &wc, &hdr.ibgrh, &attr), 0);
	assert_int_equal(attr.type, RDMA_AH_ATTR_TYPE_ROCE);
	assert_int_equal(attr.grh.dgid.raw[15], 9);
	assert_int_equal(attr.grh.sgid_attr->gid.raw[15], 1);
	assert_int_equal(attr.roce.dmac[0], 0x42);
	rdma_destroy_ah_attr(&attr);
	wc.wc_flags |= IB_WC_WITH_VLAN; /* of VLAN 5, where this GID is not */
	wc.vlan_id = 5;
	assert_int_equal(ib_init_ah_attr_from_wc(f->device, 1, &wc, &hdr.ibgrh, &attr), -ENOENT);
	core_neighbour_install(NULL);
}

static void ib_init_ah_attr_from_wc__believes_the_completions_header_type(void **state)
{
	static const union ib_gid one = {.raw = {[10] = 0xff, 0xff, 10, 0, 0, 1}};
	struct core_fixture *f = *state;
	struct ib_wc wc = {.wc_flags = IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE};
	struct ib_grh grh = ib_grh();
	struct rdma_ah_attr attr;

	grh.dgid = one;
	grh.sgid.raw[15] = 9;
	core_neighbour_install(find_neighbour);
	wc.network_hdr_type = RDMA_NETWORK_IPV6;
	assert_int_equal(ib_init_ah_attr_from_wc(f->device, 1, &wc, &grh, &attr), 0);
	rdma_destroy_ah_attr(&attr);
	wc.network_hdr_type = RDMA_NETWORK_ROCE_V1; /* a GID of that type is not there */
	assert_int_equal(ib_init_ah_attr_from_wc(f->device, 1, &wc, &grh, &attr), -ENOENT);
	wc.network_hdr_type = 17;
	assert_int_equal(ib_init_ah_attr_from_wc(f->device, 1, &wc, &grh, &attr), -EINVAL);
	assert_cause(WC_NETWORK_TYPE);
	wc.wc_flags = IB_WC_GRH; /* the header itself says: UDP, so RoCEv2 */
	grh.next_hdr = 17;
	assert_int_equal(ib_init_ah_attr_from_wc(f->device, 1, &wc, &grh, &attr), 0);
	rdma_destroy_ah_attr(&attr);
	grh.next_hdr = 0x1b; /* RoCEv1 */
	assert_int_equal(ib_init_ah_attr_from_wc(f->device, 1, &wc, &grh, &attr), -ENOENT);
	core_neighbour_install(NULL);
}

static void ib_create_ah_from_wc__makes_the_ah(void **state)
{
	struct core_fixture *f = *state;
	const struct ib_wc wc = {.slid = 0x33, .wc_flags = IB_WC_GRH};
	const struct ib_grh grh = ib_grh();
	struct ib_ah *ah = ib_create_ah_from_wc(f->pd, &wc, &grh, 1);

	assert_ok_ptr(ah);
	assert_int_equal(ah->sgid_attr->index, 1);
	assert_int_equal(rdma_ah_get_dlid(&to_fake_ah(ah)->attr), 0x33);
	assert_int_equal(f->fake->arg[FAKE_CREATE_AH][3], RDMA_CREATE_AH_SLEEPABLE);
	rdma_destroy_ah(ah, 0);
	assert_ptr_err(ib_create_ah_from_wc(f->pd, &wc, &grh, 2), -ENOENT);
	f->fake->fail[FAKE_CREATE_AH] = -ENOSPC;
	assert_ptr_err(ib_create_ah_from_wc(f->pd, &wc, &grh, 1), -ENOSPC);
}

#define ON_IB(test) cmocka_unit_test_setup_teardown(test, core_setup_ib, core_teardown)
#define ON_ROCE(test) cmocka_unit_test_setup_teardown(test, core_setup_roce, core_teardown)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ib_get_rdma_header_version__knows_ipv6_by_its_first_nibble),
	cmocka_unit_test(ib_get_rdma_header_version__knows_ipv4_at_the_end),
	cmocka_unit_test(ib_get_rdma_header_version__believes_a_checksum_only),
	cmocka_unit_test(ib_get_gids_from_rdma_hdr__reads_both_addresses),
	cmocka_unit_test(ib_get_gids_from_rdma_hdr__refuses_bad_arguments),
	ON_IB(ib_init_ah_attr_from_wc__answers_by_lid),
	ON_IB(ib_init_ah_attr_from_wc__turns_the_grh_round),
	ON_IB(ib_init_ah_attr_from_wc__takes_gid_0_for_the_sa),
	ON_IB(ib_init_ah_attr_from_wc__refuses_gids_and_ports_of_others),
	ON_ROCE(ib_init_ah_attr_from_wc__wants_a_grh_on_roce),
	ON_ROCE(ib_init_ah_attr_from_wc__finds_gid_and_mac_on_roce),
	ON_ROCE(ib_init_ah_attr_from_wc__believes_the_completions_header_type),
	ON_IB(ib_create_ah_from_wc__makes_the_ah),
};

int main(void)
{
	return verbena_test_main(tests);
}
