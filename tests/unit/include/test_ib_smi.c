// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Where the fields of SMPs and of performance management are, and the inlines. */
#include <rdma/ib_pma.h>
#include <rdma/ib_smi.h>

#include "common/test.h"

#define AT(type, field, offset) \
	_Static_assert(offsetof(struct type, field) == (offset), #type "." #field)
#define SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type)

SIZE(ib_smp, 256);
AT(ib_smp, status, 4);
AT(ib_smp, hop_ptr, 6);
AT(ib_smp, hop_cnt, 7);
AT(ib_smp, tid, 8);
AT(ib_smp, attr_id, 16);
AT(ib_smp, attr_mod, 20);
AT(ib_smp, mkey, 24);
AT(ib_smp, dr_slid, 32);
AT(ib_smp, dr_dlid, 34);
AT(ib_smp, data, 64);
AT(ib_smp, initial_path, 128);
AT(ib_smp, return_path, 192);

AT(ib_port_info, lid, 16);
AT(ib_port_info, sm_lid, 18);
AT(ib_port_info, cap_mask, 20);
AT(ib_port_info, mkey_lease_period, 26);
AT(ib_port_info, local_port_num, 28);
AT(ib_port_info, linkspeed_portstate, 32);
AT(ib_port_info, portphysstate_linkdown, 33);
AT(ib_port_info, mkeyprot_resv_lmc, 34);
AT(ib_port_info, linkspeedactive_enabled, 35);
AT(ib_port_info, neighbormtu_mastersmsl, 36);
AT(ib_port_info, vlcap_inittype, 37);
AT(ib_port_info, inittypereply_mtucap, 41);
AT(ib_port_info, vlstallcnt_hoqlife, 42);
AT(ib_port_info, operationalvl_pei_peo_fpi_fpo, 43);
AT(ib_port_info, mkey_violations, 44);
AT(ib_port_info, guid_cap, 50);
AT(ib_port_info, clientrereg_resv_subnetto, 51);
AT(ib_port_info, localphyerrors_overrunerrors, 53);
AT(ib_port_info, link_roundtrip_latency, 57);

SIZE(ib_node_info, 40);
AT(ib_node_info, sys_guid, 4);
AT(ib_node_info, port_guid, 20);
AT(ib_node_info, partition_cap, 28);
AT(ib_node_info, local_port_num, 36);
AT(ib_node_info, vendor_id, 37);
SIZE(ib_vl_weight_elem, 2);

SIZE(ib_pma_mad, 256);
AT(ib_pma_mad, data, 64);
SIZE(ib_pma_portsamplescontrol, IB_PMA_DATA_SIZE);
AT(ib_pma_portsamplescontrol, sample_mechanisms, 10);
AT(ib_pma_portsamplescontrol, option_mask, 12);
AT(ib_pma_portsamplescontrol, sample_start, 28);
AT(ib_pma_portsamplescontrol, tag, 36);
AT(ib_pma_portsamplescontrol, counter_select, 38);
AT(ib_pma_portsamplescontrol, samples_only_option_mask, 72);
SIZE(ib_pma_portsamplesresult, 64);
SIZE(ib_pma_portsamplesresult_ext, 128);
SIZE(ib_pma_portcounters, 44);
AT(ib_pma_portcounters, link_downed_counter, 7);
AT(ib_pma_portcounters, port_xmit_discards, 14);
AT(ib_pma_portcounters, link_overrun_errors, 19);
AT(ib_pma_portcounters, vl15_dropped, 22);
AT(ib_pma_portcounters, port_xmit_wait, 40);
SIZE(ib_pma_portcounters_ext, 72);
AT(ib_pma_portcounters_ext, port_xmit_data, 8);
AT(ib_pma_portcounters_ext, port_multicast_rcv_packets, 64);

static void ib_get_smp_direction__is_the_top_bit_of_status(void **state)
{
	struct ib_smp smp = {.status = cpu_to_be16(0x7fff)};

	(void)state;
	assert_int_equal(ib_get_smp_direction(&smp), 0);
	smp.status = cpu_to_be16(0x801c);
	assert_int_equal(ib_get_smp_direction(&smp), 1);
}

static void ib_init_query_mad__asks(void **state)
{
	struct ib_smp smp = {.tid = 5};

	(void)state;
	ib_init_query_mad(&smp);
	assert_int_equal(smp.base_version, 1);
	assert_int_equal(smp.mgmt_class, 1);
	assert_int_equal(smp.class_version, 1);
	assert_int_equal(smp.method, 1);
	assert_int_equal(smp.tid, 5);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ib_get_smp_direction__is_the_top_bit_of_status),
	cmocka_unit_test(ib_init_query_mad__asks),
};

int main(void)
{
	return verbena_test_main(tests);
}
