/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Subnet management packets, and the layout of what they carry. All fields are in network order. */
#ifndef VERBENA_RDMA_IB_SMI_H
#define VERBENA_RDMA_IB_SMI_H

#include <rdma/ib_mad.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IB_SMP_DATA_SIZE 64
#define IB_SMP_MAX_PATH_HOPS 64

/**
 * struct ib_smp - A subnet management packet, 256 bytes.
 * @base_version: IB_MGMT_BASE_VERSION.
 * @mgmt_class: IB_MGMT_CLASS_SUBN_LID_ROUTED or IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE.
 * @class_version: 1.
 * @method: IB_MGMT_METHOD_*.
 * @status: IB_MGMT_MAD_STATUS_*; IB_SMP_DIRECTION in a response by a directed route.
 * @hop_ptr: Directed route: where on the way it is.
 * @hop_cnt: Directed route: links of the way, 0 to 63.
 * @tid: Transaction id.
 * @attr_id: IB_SMP_ATTR_*.
 * @resv: 0.
 * @attr_mod: Attribute modifier.
 * @mkey: M_Key.
 * @dr_slid: LID where the directed route begins; IB_LID_PERMISSIVE: at the requester.
 * @dr_dlid: LID to go to where the directed route ends; IB_LID_PERMISSIVE: none.
 * @reserved: 0.
 * @data: The attribute.
 * @initial_path: Port to leave by, of each hop from 1 on.
 * @return_path: Port that it came in by, of each hop from 1 on.
 */
struct ib_smp {
	u8 base_version;
	u8 mgmt_class;
	u8 class_version;
	u8 method;
	__be16 status;
	u8 hop_ptr;
	u8 hop_cnt;
	__be64 tid;
	__be16 attr_id;
	__be16 resv;
	__be32 attr_mod;
	__be64 mkey;
	__be16 dr_slid;
	__be16 dr_dlid;
	u8 reserved[28];
	u8 data[IB_SMP_DATA_SIZE];
	u8 initial_path[IB_SMP_MAX_PATH_HOPS];
	u8 return_path[IB_SMP_MAX_PATH_HOPS];
} __packed;

#define IB_SMP_DIRECTION cpu_to_be16(0x8000)

/* Attributes. */
#define IB_SMP_ATTR_NOTICE cpu_to_be16(0x0002)
#define IB_SMP_ATTR_NODE_DESC cpu_to_be16(0x0010)
#define IB_SMP_ATTR_NODE_INFO cpu_to_be16(0x0011)
#define IB_SMP_ATTR_SWITCH_INFO cpu_to_be16(0x0012)
#define IB_SMP_ATTR_GUID_INFO cpu_to_be16(0x0014)
#define IB_SMP_ATTR_PORT_INFO cpu_to_be16(0x0015)
#define IB_SMP_ATTR_PKEY_TABLE cpu_to_be16(0x0016)
#define IB_SMP_ATTR_SL_TO_VL_TABLE cpu_to_be16(0x0017)
#define IB_SMP_ATTR_VL_ARB_TABLE cpu_to_be16(0x0018)
#define IB_SMP_ATTR_LINEAR_FORWARD_TABLE cpu_to_be16(0x0019)
#define IB_SMP_ATTR_RANDOM_FORWARD_TABLE cpu_to_be16(0x001A)
#define IB_SMP_ATTR_MCAST_FORWARD_TABLE cpu_to_be16(0x001B)
#define IB_SMP_ATTR_SM_INFO cpu_to_be16(0x0020)
#define IB_SMP_ATTR_VENDOR_DIAG cpu_to_be16(0x0030)
#define IB_SMP_ATTR_LED_INFO cpu_to_be16(0x0031)
#define IB_SMP_ATTR_VENDOR_MASK cpu_to_be16(0xFF00)

/**
 * struct ib_port_info - PortInfo.
 * @mkey: M_Key.
 * @gid_prefix: Subnet prefix.
 * @lid: Base LID.
 * @sm_lid: LID of the master subnet manager.
 * @cap_mask: enum ib_port_capability_mask_bits.
 * @diag_code: Diagnostic.
 * @mkey_lease_period: Seconds.
 * @local_port_num: Port that the packet came in by.
 * @link_width_enabled: Bit mask: 1 1x, 2 4x, 4 8x, 8 12x, 16 2x.
 * @link_width_supported: The same.
 * @link_width_active: One of them.
 * @linkspeed_portstate: Speeds supported (7:4), enum ib_port_state (3:0).
 * @portphysstate_linkdown: Physical state (7:4), state to go to after Down (3:0).
 * @mkeyprot_resv_lmc: Protection (7:6), LMC (2:0).
 * @linkspeedactive_enabled: Speed active (7:4), speeds enabled (3:0).
 * @neighbormtu_mastersmsl: enum ib_mtu (7:4), SL of the subnet manager (3:0).
 * @vlcap_inittype: VLCap (7:4), InitType (3:0).
 * @vl_high_limit: Limit of the high-priority table.
 * @vl_arb_high_cap: Entries of the high-priority table.
 * @vl_arb_low_cap: Entries of the low-priority table.
 * @inittypereply_mtucap: InitTypeReply (7:4), enum ib_mtu (3:0).
 * @vlstallcnt_hoqlife: VLStallCount (7:5), HOQLife (4:0).
 * @operationalvl_pei_peo_fpi_fpo: OperationalVLs (7:4), partition enforcement in (3) and out (2),
 *	filters of raw packets in (1) and out (0).
 * @mkey_violations: Counter.
 * @pkey_violations: Counter.
 * @qkey_violations: Counter.
 * @guid_cap: GUIDs that GUIDInfo has.
 * @clientrereg_resv_subnetto: Ask clients to register again (7), SubnetTimeOut (4:0).
 * @resv_resptimevalue: RespTimeValue (4:0).
 * @localphyerrors_overrunerrors: Thresholds: LocalPhyErrors (7:4), OverrunErrors (3:0).
 * @max_credit_hint: Hint.
 * @resv: 0.
 * @link_roundtrip_latency: 24 bits.
 *
 * Ends where newer fields begin: CapabilityMask2 at byte 60, extended speeds at 62 and 63.
 */
struct ib_port_info {
	__be64 mkey;
	__be64 gid_prefix;
	__be16 lid;
	__be16 sm_lid;
	__be32 cap_mask;
	__be16 diag_code;
	__be16 mkey_lease_period;
	u8 local_port_num;
	u8 link_width_enabled;
	u8 link_width_supported;
	u8 link_width_active;
	u8 linkspeed_portstate;
	u8 portphysstate_linkdown;
	u8 mkeyprot_resv_lmc;
	u8 linkspeedactive_enabled;
	u8 neighbormtu_mastersmsl;
	u8 vlcap_inittype;
	u8 vl_high_limit;
	u8 vl_arb_high_cap;
	u8 vl_arb_low_cap;
	u8 inittypereply_mtucap;
	u8 vlstallcnt_hoqlife;
	u8 operationalvl_pei_peo_fpi_fpo;
	__be16 mkey_violations;
	__be16 pkey_violations;
	__be16 qkey_violations;
	u8 guid_cap;
	u8 clientrereg_resv_subnetto;
	u8 resv_resptimevalue;
	u8 localphyerrors_overrunerrors;
	__be16 max_credit_hint;
	u8 resv;
	u8 link_roundtrip_latency[3];
};

/**
 * struct ib_node_info - NodeInfo.
 * @base_version: IB_MGMT_BASE_VERSION.
 * @class_version: 1.
 * @node_type: 1 CA, 2 switch, 3 router.
 * @num_ports: Without port 0.
 * @sys_guid: SystemImageGUID.
 * @node_guid: NodeGUID.
 * @port_guid: Of the port that the packet came in by.
 * @partition_cap: Entries of the P_Key table.
 * @device_id: Device.
 * @revision: Revision.
 * @local_port_num: Port that the packet came in by.
 * @vendor_id: OUI.
 */
struct ib_node_info {
	u8 base_version;
	u8 class_version;
	u8 node_type;
	u8 num_ports;
	__be64 sys_guid;
	__be64 node_guid;
	__be64 port_guid;
	__be16 partition_cap;
	__be16 device_id;
	__be32 revision;
	u8 local_port_num;
	u8 vendor_id[3];
} __packed;

/**
 * struct ib_vl_weight_elem - Entry of a VL arbitration table.
 * @vl: Low four bits.
 * @weight: In units of 64 bytes.
 */
struct ib_vl_weight_elem {
	u8 vl;
	u8 weight;
};

/* Traps. */
#define IB_NOTICE_TRAP_LLI_THRESH cpu_to_be16(129)   /* local link integrity */
#define IB_NOTICE_TRAP_EBO_THRESH cpu_to_be16(130)   /* excessive buffer overruns */
#define IB_NOTICE_TRAP_FLOW_UPDATE cpu_to_be16(131)  /* flow control watchdog */
#define IB_NOTICE_TRAP_CAP_MASK_CHG cpu_to_be16(144) /* a port has changed something itself */
#define IB_NOTICE_TRAP_SYS_GUID_CHG cpu_to_be16(145) /* SystemImageGUID */
#define IB_NOTICE_TRAP_BAD_MKEY cpu_to_be16(256)
#define IB_NOTICE_TRAP_BAD_PKEY cpu_to_be16(257)
#define IB_NOTICE_TRAP_BAD_QKEY cpu_to_be16(258)

/* Trap 144: what has changed. */
#define IB_NOTICE_TRAP_LSE_CHG 0x04	  /* LinkSpeedEnabled */
#define IB_NOTICE_TRAP_LWE_CHG 0x02	  /* LinkWidthEnabled */
#define IB_NOTICE_TRAP_NODE_DESC_CHG 0x01 /* NodeDescription */

/* Trap 256: dr_trunc_hop. */
#define IB_NOTICE_TRAP_DR_NOTICE 0x80 /* it came by a directed route */
#define IB_NOTICE_TRAP_DR_TRUNC 0x40  /* of which there is more than fits */

/**
 * ib_get_smp_direction() - Which way a directed-route SMP goes.
 * @smp: SMP.
 *
 * Return: 1 if it is on its way back, else 0.
 */
static inline u8 ib_get_smp_direction(struct ib_smp *smp)
{
	return (smp->status & IB_SMP_DIRECTION) == IB_SMP_DIRECTION;
}

/**
 * ib_init_query_mad() - Begin an SMP that asks: versions, class 1, method Get.
 * @mad: SMP; its other fields stay.
 */
static inline void ib_init_query_mad(struct ib_smp *mad)
{
	mad->base_version = IB_MGMT_BASE_VERSION;
	mad->mgmt_class = IB_MGMT_CLASS_SUBN_LID_ROUTED;
	mad->class_version = 1;
	mad->method = IB_MGMT_METHOD_GET;
}

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_SMI_H */
