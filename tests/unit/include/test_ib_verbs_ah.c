/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Attributes of addresses. */
#include <string.h>
#include <rdma/ib_verbs_ah.h>

#include "common/test.h"

static void rdma_ah_find_type__follows_the_protocol(void **state)
{
	(void)state;
	struct ib_port_data ports[2] = {0};
	struct ib_device device = {.port_data = ports, .phys_port_cnt = 1};
	u32 *flags = &ports[1].immutable.core_cap_flags;

	*flags = RDMA_CORE_PORT_IBA_IB;
	assert_int_equal(rdma_ah_find_type(&device, 1), RDMA_AH_ATTR_TYPE_IB);
	*flags |= RDMA_CORE_CAP_OPA_AH;
	assert_int_equal(rdma_ah_find_type(&device, 1), RDMA_AH_ATTR_TYPE_OPA);
	*flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	assert_int_equal(rdma_ah_find_type(&device, 1), RDMA_AH_ATTR_TYPE_ROCE);
	*flags = RDMA_CORE_PORT_IBA_ROCE;
	assert_int_equal(rdma_ah_find_type(&device, 1), RDMA_AH_ATTR_TYPE_ROCE);
	*flags = RDMA_CORE_PORT_IWARP;
	assert_int_equal(rdma_ah_find_type(&device, 1), RDMA_AH_ATTR_TYPE_UNDEFINED);
}

static void rdma_ah_retrieve_dmac__exists_on_roce_only(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_ROCE};

	assert_ptr_equal(rdma_ah_retrieve_dmac(&attr), attr.roce.dmac);
	attr.type = RDMA_AH_ATTR_TYPE_IB;
	assert_null(rdma_ah_retrieve_dmac(&attr));
}

static void rdma_ah_set_dlid__keeps_what_the_type_has_room_for(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB};

	rdma_ah_set_dlid(&attr, 0x12345);
	assert_int_equal(attr.ib.dlid, 0x2345);
	attr.type = RDMA_AH_ATTR_TYPE_OPA;
	rdma_ah_set_dlid(&attr, 0x12345);
	assert_int_equal(attr.opa.dlid, 0x12345);
	attr.type = RDMA_AH_ATTR_TYPE_ROCE;
	memset(&attr.roce, 0x55, sizeof(attr.roce));
	rdma_ah_set_dlid(&attr, 7);
	assert_int_equal(attr.roce.dmac[0], 0x55);
}

static void rdma_ah_get_dlid__is_0_without_lids(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .ib.dlid = 0x2345};

	assert_int_equal(rdma_ah_get_dlid(&attr), 0x2345);
	attr.type = RDMA_AH_ATTR_TYPE_OPA;
	attr.opa.dlid = 0x12345;
	assert_int_equal(rdma_ah_get_dlid(&attr), 0x12345);
	attr.type = RDMA_AH_ATTR_TYPE_ROCE;
	assert_int_equal(rdma_ah_get_dlid(&attr), 0);
}

static void rdma_ah_set_sl__stores_it(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {0};

	rdma_ah_set_sl(&attr, 11);
	assert_int_equal(attr.sl, 11);
}

static void rdma_ah_get_sl__returns_it(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {.sl = 11};

	assert_int_equal(rdma_ah_get_sl(&attr), 11);
}

static void rdma_ah_set_path_bits__needs_a_type_with_lids(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB};

	rdma_ah_set_path_bits(&attr, 5);
	assert_int_equal(attr.ib.src_path_bits, 5);
	attr.type = RDMA_AH_ATTR_TYPE_OPA;
	rdma_ah_set_path_bits(&attr, 6);
	assert_int_equal(attr.opa.src_path_bits, 6);
	attr.type = RDMA_AH_ATTR_TYPE_ROCE;
	memset(&attr.roce, 0x55, sizeof(attr.roce));
	rdma_ah_set_path_bits(&attr, 7);
	for (size_t i = 0; i < ETH_ALEN; i++)
		assert_int_equal(attr.roce.dmac[i], 0x55);
}

static void rdma_ah_get_path_bits__is_0_without_lids(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .ib.src_path_bits = 5};

	assert_int_equal(rdma_ah_get_path_bits(&attr), 5);
	attr.type = RDMA_AH_ATTR_TYPE_OPA;
	attr.opa.src_path_bits = 6;
	assert_int_equal(rdma_ah_get_path_bits(&attr), 6);
	attr.type = RDMA_AH_ATTR_TYPE_ROCE;
	memset(&attr.roce, 0x55, sizeof(attr.roce));
	assert_int_equal(rdma_ah_get_path_bits(&attr), 0);
}

static void rdma_ah_set_make_grd__is_opas(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_OPA};

	rdma_ah_set_make_grd(&attr, true);
	assert_true(attr.opa.make_grd);
	attr.type = RDMA_AH_ATTR_TYPE_IB;
	rdma_ah_set_make_grd(&attr, false);
	assert_true(attr.opa.make_grd);
}

static void rdma_ah_get_make_grd__is_opas(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_OPA, .opa.make_grd = true};

	assert_true(rdma_ah_get_make_grd(&attr));
	attr.opa.make_grd = false;
	assert_false(rdma_ah_get_make_grd(&attr));
	attr.opa.make_grd = true;
	attr.type = RDMA_AH_ATTR_TYPE_IB;
	assert_false(rdma_ah_get_make_grd(&attr));
}

static void rdma_ah_set_port_num__stores_it(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {0};

	rdma_ah_set_port_num(&attr, 300);
	assert_int_equal(attr.port_num, 300);
}

static void rdma_ah_get_port_num__returns_it(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {.port_num = 300};

	assert_int_equal(rdma_ah_get_port_num(&attr), 300);
}

static void rdma_ah_set_static_rate__stores_it(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {0};

	rdma_ah_set_static_rate(&attr, IB_RATE_100_GBPS);
	assert_int_equal(attr.static_rate, IB_RATE_100_GBPS);
}

static void rdma_ah_get_static_rate__returns_it(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {.static_rate = IB_RATE_100_GBPS};

	assert_int_equal(rdma_ah_get_static_rate(&attr), IB_RATE_100_GBPS);
}

static void rdma_ah_set_ah_flags__stores_it(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {0};

	rdma_ah_set_ah_flags(&attr, IB_AH_GRH);
	assert_int_equal(attr.ah_flags, IB_AH_GRH);
}

static void rdma_ah_get_ah_flags__returns_it(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {.ah_flags = IB_AH_GRH};

	assert_int_equal(rdma_ah_get_ah_flags(&attr), IB_AH_GRH);
}

static void rdma_ah_read_grh__is_the_one_inside(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {0};

	assert_ptr_equal(rdma_ah_read_grh(&attr), &attr.grh);
}

static void rdma_ah_retrieve_grh__is_the_one_inside(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {0};

	assert_ptr_equal(rdma_ah_retrieve_grh(&attr), &attr.grh);
}

static void rdma_ah_set_dgid_raw__copies_16_bytes(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {0};
	u8 raw[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

	rdma_ah_set_dgid_raw(&attr, raw);
	assert_memory_equal(attr.grh.dgid.raw, raw, 16);
	assert_int_equal(attr.grh.flow_label, 0);
}

static void rdma_ah_set_subnet_prefix__is_the_upper_half(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {0};

	rdma_ah_set_subnet_prefix(&attr, cpu_to_be64(0xfe80000000000001));
	assert_int_equal(attr.grh.dgid.raw[0], 0xfe);
	assert_int_equal(attr.grh.dgid.raw[7], 1);
	assert_int_equal(attr.grh.dgid.raw[8], 0);
}

static void rdma_ah_set_interface_id__is_the_lower_half(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {0};

	rdma_ah_set_interface_id(&attr, cpu_to_be64(0x0200000000000003));
	assert_int_equal(attr.grh.dgid.raw[7], 0);
	assert_int_equal(attr.grh.dgid.raw[8], 2);
	assert_int_equal(attr.grh.dgid.raw[15], 3);
}

static void rdma_ah_set_grh__fills_all_and_forgets_the_reference(void **state)
{
	(void)state;
	struct ib_gid_attr entry;
	struct rdma_ah_attr attr = {.grh.sgid_attr = &entry};
	union ib_gid dgid = {.raw = {[15] = 9}};

	rdma_ah_set_grh(&attr, &dgid, 0xabcde, 3, 64, 7);
	assert_int_equal(attr.ah_flags, IB_AH_GRH);
	assert_memory_equal(&attr.grh.dgid, &dgid, 16);
	assert_int_equal(attr.grh.flow_label, 0xabcde);
	assert_int_equal(attr.grh.sgid_index, 3);
	assert_int_equal(attr.grh.hop_limit, 64);
	assert_int_equal(attr.grh.traffic_class, 7);
	assert_null(attr.grh.sgid_attr);
}

static void rdma_ah_set_grh__null_keeps_the_destination(void **state)
{
	(void)state;
	struct rdma_ah_attr attr = {.grh.dgid.raw = {[0] = 0xfe, [15] = 9}};

	rdma_ah_set_grh(&attr, NULL, 1, 0, 1, 0);
	assert_int_equal(attr.grh.dgid.raw[0], 0xfe);
	assert_int_equal(attr.grh.dgid.raw[15], 9);
}

static void ib_lid_cpu16__keeps_the_low_half(void **state)
{
	(void)state;
	assert_int_equal(ib_lid_cpu16(0x1234), 0x1234);
	assert_int_equal(ib_lid_cpu16(0x5671234), 0x1234);
}

static void ib_lid_be16__is_in_wire_order(void **state)
{
	(void)state;
	const __be16 lid = ib_lid_be16(0x1234);
	u8 bytes[2];

	memcpy(bytes, &lid, 2);
	assert_int_equal(bytes[0], 0x12);
	assert_int_equal(bytes[1], 0x34);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rdma_ah_find_type__follows_the_protocol),
		cmocka_unit_test(rdma_ah_retrieve_dmac__exists_on_roce_only),
		cmocka_unit_test(rdma_ah_set_dlid__keeps_what_the_type_has_room_for),
		cmocka_unit_test(rdma_ah_get_dlid__is_0_without_lids),
		cmocka_unit_test(rdma_ah_set_sl__stores_it),
		cmocka_unit_test(rdma_ah_get_sl__returns_it),
		cmocka_unit_test(rdma_ah_set_path_bits__needs_a_type_with_lids),
		cmocka_unit_test(rdma_ah_get_path_bits__is_0_without_lids),
		cmocka_unit_test(rdma_ah_set_make_grd__is_opas),
		cmocka_unit_test(rdma_ah_get_make_grd__is_opas),
		cmocka_unit_test(rdma_ah_set_port_num__stores_it),
		cmocka_unit_test(rdma_ah_get_port_num__returns_it),
		cmocka_unit_test(rdma_ah_set_static_rate__stores_it),
		cmocka_unit_test(rdma_ah_get_static_rate__returns_it),
		cmocka_unit_test(rdma_ah_set_ah_flags__stores_it),
		cmocka_unit_test(rdma_ah_get_ah_flags__returns_it),
		cmocka_unit_test(rdma_ah_read_grh__is_the_one_inside),
		cmocka_unit_test(rdma_ah_retrieve_grh__is_the_one_inside),
		cmocka_unit_test(rdma_ah_set_dgid_raw__copies_16_bytes),
		cmocka_unit_test(rdma_ah_set_subnet_prefix__is_the_upper_half),
		cmocka_unit_test(rdma_ah_set_interface_id__is_the_lower_half),
		cmocka_unit_test(rdma_ah_set_grh__fills_all_and_forgets_the_reference),
		cmocka_unit_test(rdma_ah_set_grh__null_keeps_the_destination),
		cmocka_unit_test(ib_lid_cpu16__keeps_the_low_half),
		cmocka_unit_test(ib_lid_be16__is_in_wire_order),
	};

	return verbena_test_main(tests);
}
