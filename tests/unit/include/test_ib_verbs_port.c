/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a port is and can do. */
#include <limits.h>
#include <rdma/ib_verbs_port.h>

#include "common/test.h"

static struct ib_device device;
static struct ib_port_data ports[3];

static int setup(void **state)
{
	(void)state;
	memset(&device, 0, sizeof(device));
	memset(ports, 0, sizeof(ports));
	device.phys_port_cnt = 2;
	device.port_data = ports;
	return 0;
}

static int gid_op(const struct ib_gid_attr *attr, void **context)
{
	(void)attr;
	(void)context;
	return 0;
}

/* For each single bit: @fn is true if it is one of @bits, and only then. */
#define ASSERT_TELLS_BITS(fn, bits)                                                   \
	do {                                                                          \
		for (u32 bit_ = 0; bit_ < 32; bit_++) {                               \
			ports[1].immutable.core_cap_flags = 1u << bit_;               \
			assert_int_equal(fn(&device, 1), (1u << bit_ & (bits)) != 0); \
			assert_false(fn(&device, 2));                                 \
		}                                                                     \
	} while (0)

static void rdma_cap_ib_switch__is_what_the_provider_set(void **state)
{
	(void)state;
	device.is_switch = 1;
	assert_true(rdma_cap_ib_switch(&device));
	device.is_switch = 0;
	assert_false(rdma_cap_ib_switch(&device));
}

static void rdma_start_port__is_0_only_for_a_switch(void **state)
{
	(void)state;
	assert_int_equal(rdma_start_port(&device), 1);
	device.is_switch = 1;
	assert_int_equal(rdma_start_port(&device), 0);
}

static void rdma_end_port__is_the_last_one(void **state)
{
	(void)state;
	assert_int_equal(rdma_end_port(&device), 2);
	device.is_switch = 1;
	assert_int_equal(rdma_end_port(&device), 0);
}

static void rdma_for_each_port__visits_each_once(void **state)
{
	(void)state;
	u32 port, sum = 0, count = 0;

	rdma_for_each_port(&device, port) {
		sum += port;
		count++;
	}
	assert_int_equal(count, 2);
	assert_int_equal(sum, 1 + 2);
}

static void rdma_for_each_port__visits_port_0_of_a_switch(void **state)
{
	(void)state;
	u32 port, count = 0;

	device.is_switch = 1;
	rdma_for_each_port(&device, port) {
		assert_int_equal(port, 0);
		count++;
	}
	assert_int_equal(count, 1);
}

static void rdma_is_port_valid__knows_both_ends(void **state)
{
	(void)state;
	assert_int_equal(rdma_is_port_valid(&device, 0), 0);
	assert_int_equal(rdma_is_port_valid(&device, 1), 1);
	assert_int_equal(rdma_is_port_valid(&device, 2), 1);
	assert_int_equal(rdma_is_port_valid(&device, 3), 0);
	assert_int_equal(rdma_is_port_valid(&device, UINT_MAX), 0);
	device.is_switch = 1;
	assert_int_equal(rdma_is_port_valid(&device, 0), 1);
	assert_int_equal(rdma_is_port_valid(&device, 1), 0);
}

static void rdma_core_cap__looks_at_the_port_that_is_named(void **state)
{
	(void)state;
	ports[2].immutable.core_cap_flags = RDMA_CORE_CAP_IB_SA;
	assert_true(rdma_core_cap(&device, 2, RDMA_CORE_CAP_IB_SA | RDMA_CORE_CAP_IB_CM));
	assert_false(rdma_core_cap(&device, 1, RDMA_CORE_CAP_IB_SA));
	assert_false(rdma_core_cap(&device, 2, RDMA_CORE_CAP_IB_CM));
}

static void rdma_is_grh_required__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_is_grh_required, RDMA_CORE_CAP_IB_GRH_REQUIRED |
							RDMA_CORE_CAP_PROT_ROCE |
							RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP);
}

static void rdma_protocol_ib__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_protocol_ib, RDMA_CORE_CAP_PROT_IB);
}

static void rdma_protocol_roce__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_protocol_roce,
			  RDMA_CORE_CAP_PROT_ROCE | RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP);
}

static void rdma_protocol_roce_udp_encap__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_protocol_roce_udp_encap, RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP);
}

static void rdma_protocol_roce_eth_encap__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_protocol_roce_eth_encap, RDMA_CORE_CAP_PROT_ROCE);
}

static void rdma_protocol_iwarp__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_protocol_iwarp, RDMA_CORE_CAP_PROT_IWARP);
}

static void rdma_ib_or_roce__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_ib_or_roce, RDMA_CORE_CAP_PROT_IB | RDMA_CORE_CAP_PROT_ROCE |
						   RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP);
}

static void rdma_protocol_raw_packet__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_protocol_raw_packet, RDMA_CORE_CAP_PROT_RAW_PACKET);
}

static void rdma_protocol_usnic__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_protocol_usnic, RDMA_CORE_CAP_PROT_USNIC);
}

static void rdma_cap_ib_mad__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_cap_ib_mad, RDMA_CORE_CAP_IB_MAD);
}

static void rdma_cap_opa_mad__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_cap_opa_mad, RDMA_CORE_CAP_OPA_MAD);
}

static void rdma_cap_ib_smi__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_cap_ib_smi, RDMA_CORE_CAP_IB_SMI);
}

static void rdma_cap_ib_cm__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_cap_ib_cm, RDMA_CORE_CAP_IB_CM);
}

static void rdma_cap_iw_cm__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_cap_iw_cm, RDMA_CORE_CAP_IW_CM);
}

static void rdma_cap_ib_sa__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_cap_ib_sa, RDMA_CORE_CAP_IB_SA);
}

static void rdma_cap_ib_mcast__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_cap_ib_mcast, RDMA_CORE_CAP_IB_SA);
}

static void rdma_cap_af_ib__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_cap_af_ib, RDMA_CORE_CAP_AF_IB);
}

static void rdma_cap_eth_ah__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_cap_eth_ah, RDMA_CORE_CAP_ETH_AH);
}

static void rdma_cap_opa_ah__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_cap_opa_ah, RDMA_CORE_CAP_OPA_AH);
}

static void rdma_cap_read_inv__tells_its_bits(void **state)
{
	(void)state;
	ASSERT_TELLS_BITS(rdma_cap_read_inv, RDMA_CORE_CAP_PROT_IWARP);
}

static void rdma_max_mad_size__is_the_ports(void **state)
{
	(void)state;
	ports[1].immutable.max_mad_size = 256;
	ports[2].immutable.max_mad_size = 2048;
	assert_int_equal(rdma_max_mad_size(&device, 1), 256);
	assert_int_equal(rdma_max_mad_size(&device, 2), 2048);
}

static void rdma_cap_roce_gid_table__needs_roce_and_both_ops(void **state)
{
	(void)state;
	ports[1].immutable.core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	assert_false(rdma_cap_roce_gid_table(&device, 1));
	device.ops.add_gid = gid_op;
	assert_false(rdma_cap_roce_gid_table(&device, 1));
	device.ops.del_gid = gid_op;
	assert_true(rdma_cap_roce_gid_table(&device, 1));
	device.ops.add_gid = NULL;
	assert_false(rdma_cap_roce_gid_table(&device, 1));
	device.ops.add_gid = gid_op;
	ports[1].immutable.core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	assert_false(rdma_cap_roce_gid_table(&device, 1));
}

static void rdma_core_cap_opa_port__needs_all_bits(void **state)
{
	(void)state;
	ports[1].immutable.core_cap_flags = RDMA_CORE_PORT_INTEL_OPA;
	assert_true(rdma_core_cap_opa_port(&device, 1));
	for (u32 bit = 0; bit < 32; bit++) {
		if (!(RDMA_CORE_PORT_INTEL_OPA & 1u << bit))
			continue;
		ports[1].immutable.core_cap_flags = RDMA_CORE_PORT_INTEL_OPA & ~(1u << bit);
		assert_false(rdma_core_cap_opa_port(&device, 1));
	}
}

static void ib_mtu_enum_to_int__knows_its_codes_only(void **state)
{
	(void)state;
	assert_int_equal(ib_mtu_enum_to_int(IB_MTU_256), 256);
	assert_int_equal(ib_mtu_enum_to_int(IB_MTU_512), 512);
	assert_int_equal(ib_mtu_enum_to_int(IB_MTU_1024), 1024);
	assert_int_equal(ib_mtu_enum_to_int(IB_MTU_2048), 2048);
	assert_int_equal(ib_mtu_enum_to_int(IB_MTU_4096), 4096);
	assert_int_equal(ib_mtu_enum_to_int((enum ib_mtu)0), -1);
	assert_int_equal(ib_mtu_enum_to_int((enum ib_mtu)6), -1);
}

static void ib_mtu_int_to_enum__rounds_down(void **state)
{
	(void)state;
	assert_int_equal(ib_mtu_int_to_enum(-1), IB_MTU_256);
	assert_int_equal(ib_mtu_int_to_enum(511), IB_MTU_256);
	assert_int_equal(ib_mtu_int_to_enum(512), IB_MTU_512);
	assert_int_equal(ib_mtu_int_to_enum(1024), IB_MTU_1024);
	assert_int_equal(ib_mtu_int_to_enum(2048), IB_MTU_2048);
	assert_int_equal(ib_mtu_int_to_enum(4095), IB_MTU_2048);
	assert_int_equal(ib_mtu_int_to_enum(9000), IB_MTU_4096);
}

static void opa_mtu_enum_to_int__knows_both_tables(void **state)
{
	(void)state;
	assert_int_equal(opa_mtu_enum_to_int(OPA_MTU_8192), 8192);
	assert_int_equal(opa_mtu_enum_to_int(OPA_MTU_10240), 10240);
	assert_int_equal(opa_mtu_enum_to_int((enum opa_mtu)IB_MTU_2048), 2048);
	assert_int_equal(opa_mtu_enum_to_int((enum opa_mtu)8), -1);
}

static void opa_mtu_int_to_enum__rounds_down(void **state)
{
	(void)state;
	assert_int_equal(opa_mtu_int_to_enum(10240), OPA_MTU_10240);
	assert_int_equal(opa_mtu_int_to_enum(10239), OPA_MTU_8192);
	assert_int_equal(opa_mtu_int_to_enum(8191), IB_MTU_4096);
	assert_int_equal(opa_mtu_int_to_enum(0), IB_MTU_256);
}

static void rdma_mtu_enum_to_int__has_large_codes_on_opa_only(void **state)
{
	(void)state;
	ports[2].immutable.core_cap_flags = RDMA_CORE_PORT_INTEL_OPA;
	assert_int_equal(rdma_mtu_enum_to_int(&device, 2, OPA_MTU_10240), 10240);
	assert_int_equal(rdma_mtu_enum_to_int(&device, 1, OPA_MTU_10240), -1);
	assert_int_equal(rdma_mtu_enum_to_int(&device, 1, IB_MTU_4096), 4096);
}

static void rdma_mtu_from_attr__is_the_largest(void **state)
{
	(void)state;
	struct ib_port_attr attr = {
		.max_mtu = IB_MTU_4096, .active_mtu = IB_MTU_1024, .phys_mtu = 10240};

	ports[2].immutable.core_cap_flags = RDMA_CORE_PORT_INTEL_OPA;
	assert_int_equal(rdma_mtu_from_attr(&device, 1, &attr), 4096);
	assert_int_equal(rdma_mtu_from_attr(&device, 2, &attr), 10240);
}

static void ib_width_enum_to_int__counts_lanes(void **state)
{
	(void)state;
	assert_int_equal(ib_width_enum_to_int(IB_WIDTH_1X), 1);
	assert_int_equal(ib_width_enum_to_int(IB_WIDTH_2X), 2);
	assert_int_equal(ib_width_enum_to_int(IB_WIDTH_4X), 4);
	assert_int_equal(ib_width_enum_to_int(IB_WIDTH_8X), 8);
	assert_int_equal(ib_width_enum_to_int(IB_WIDTH_12X), 12);
	assert_int_equal(ib_width_enum_to_int((enum ib_port_width)3), -1);
}

static void ib_network_to_gid_type__maps_each(void **state)
{
	(void)state;
	assert_int_equal(ib_network_to_gid_type(RDMA_NETWORK_IB), IB_GID_TYPE_IB);
	assert_int_equal(ib_network_to_gid_type(RDMA_NETWORK_ROCE_V1), IB_GID_TYPE_ROCE);
	assert_int_equal(ib_network_to_gid_type(RDMA_NETWORK_IPV4), IB_GID_TYPE_ROCE_UDP_ENCAP);
	assert_int_equal(ib_network_to_gid_type(RDMA_NETWORK_IPV6), IB_GID_TYPE_ROCE_UDP_ENCAP);
}

static void rdma_gid_attr_network_type__looks_into_a_v2_gid(void **state)
{
	(void)state;
	struct ib_gid_attr attr = {.gid_type = IB_GID_TYPE_IB};

	assert_int_equal(rdma_gid_attr_network_type(&attr), RDMA_NETWORK_IB);
	attr.gid_type = IB_GID_TYPE_ROCE;
	assert_int_equal(rdma_gid_attr_network_type(&attr), RDMA_NETWORK_ROCE_V1);
	attr.gid_type = IB_GID_TYPE_ROCE_UDP_ENCAP;
	assert_int_equal(rdma_gid_attr_network_type(&attr), RDMA_NETWORK_IPV6);
	attr.gid.raw[10] = 0xff;
	attr.gid.raw[11] = 0xff;
	attr.gid.raw[12] = 10;
	assert_int_equal(rdma_gid_attr_network_type(&attr), RDMA_NETWORK_IPV4);
	attr.gid.raw[0] = 1;
	assert_int_equal(rdma_gid_attr_network_type(&attr), RDMA_NETWORK_IPV6);
}

static void rdma_flow_label_to_udp_sport__folds_the_top_bits(void **state)
{
	(void)state;
	assert_int_equal(rdma_flow_label_to_udp_sport(0), 0xc000);
	assert_int_equal(rdma_flow_label_to_udp_sport(0x03fff), 0xffff);
	assert_int_equal(rdma_flow_label_to_udp_sport(0x04001), 0xc000);
	assert_int_equal(rdma_flow_label_to_udp_sport(0xfc000), 0xc03f);
}

static void rdma_calc_flow_label__is_symmetric(void **state)
{
	(void)state;
	assert_int_equal(rdma_calc_flow_label(0x12345, 0xabcde),
			 rdma_calc_flow_label(0xabcde, 0x12345));
	assert_int_equal(rdma_calc_flow_label(0, 0xabcde), 0);
	assert_int_equal(rdma_calc_flow_label(3, 5), 15);
	/* 0x800000 squared is 2^46: bit 26 after the first fold, bit 6 after the second. */
	assert_int_equal(rdma_calc_flow_label(0x800000, 0x800000), 1 << 6);
}

static void rdma_get_udp_sport__prefers_the_flow_label(void **state)
{
	(void)state;
	assert_int_equal(rdma_get_udp_sport(0x00007, 3, 5), 0xc007);
	assert_int_equal(rdma_get_udp_sport(0, 3, 5), 0xc00f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rdma_cap_ib_switch__is_what_the_provider_set, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rdma_start_port__is_0_only_for_a_switch, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rdma_end_port__is_the_last_one, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_for_each_port__visits_each_once, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_for_each_port__visits_port_0_of_a_switch,
						setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_is_port_valid__knows_both_ends, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_core_cap__looks_at_the_port_that_is_named,
						setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_is_grh_required__tells_its_bits, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_protocol_ib__tells_its_bits, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_protocol_roce__tells_its_bits, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_protocol_roce_udp_encap__tells_its_bits, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rdma_protocol_roce_eth_encap__tells_its_bits, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rdma_protocol_iwarp__tells_its_bits, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_ib_or_roce__tells_its_bits, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_protocol_raw_packet__tells_its_bits, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rdma_protocol_usnic__tells_its_bits, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_cap_ib_mad__tells_its_bits, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_cap_opa_mad__tells_its_bits, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_cap_ib_smi__tells_its_bits, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_cap_ib_cm__tells_its_bits, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_cap_iw_cm__tells_its_bits, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_cap_ib_sa__tells_its_bits, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_cap_ib_mcast__tells_its_bits, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_cap_af_ib__tells_its_bits, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_cap_eth_ah__tells_its_bits, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_cap_opa_ah__tells_its_bits, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_cap_read_inv__tells_its_bits, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_max_mad_size__is_the_ports, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_cap_roce_gid_table__needs_roce_and_both_ops,
						setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_core_cap_opa_port__needs_all_bits, setup,
						NULL),
		cmocka_unit_test_setup_teardown(ib_mtu_enum_to_int__knows_its_codes_only, setup,
						NULL),
		cmocka_unit_test_setup_teardown(ib_mtu_int_to_enum__rounds_down, setup, NULL),
		cmocka_unit_test_setup_teardown(opa_mtu_enum_to_int__knows_both_tables, setup,
						NULL),
		cmocka_unit_test_setup_teardown(opa_mtu_int_to_enum__rounds_down, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_mtu_enum_to_int__has_large_codes_on_opa_only,
						setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_mtu_from_attr__is_the_largest, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_width_enum_to_int__counts_lanes, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_network_to_gid_type__maps_each, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_gid_attr_network_type__looks_into_a_v2_gid,
						setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_flow_label_to_udp_sport__folds_the_top_bits,
						setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_calc_flow_label__is_symmetric, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_get_udp_sport__prefers_the_flow_label, setup,
						NULL),
	};

	return verbena_test_main(tests);
}
