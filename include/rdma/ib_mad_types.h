/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Management datagrams as they are on the wire. */
#ifndef VERBENA_RDMA_IB_MAD_TYPES_H
#define VERBENA_RDMA_IB_MAD_TYPES_H

#include <rdma/ib_mad_consts.h>
#include <rdma/ib_verbs.h>

/* SA: which components of a record count; bit n is IB_SA_COMP_MASK(n). Big-endian. */
typedef __be64 ib_sa_comp_mask;

/**
 * struct ib_mad_hdr - What every MAD begins with.
 * @base_version: IB_MGMT_BASE_VERSION, or OPA_MGMT_BASE_VERSION.
 * @mgmt_class: IB_MGMT_CLASS_*.
 * @class_version: Version of the class.
 * @method: IB_MGMT_METHOD_*; bit 7 is set in responses.
 * @status: IB_MGMT_MAD_STATUS_*; of directed routes bit 15 is the direction.
 * @class_specific: The class's; of directed routes hop pointer and hop count.
 * @tid: Transaction id. Its high half says whose the response is.
 * @attr_id: Attribute.
 * @resv: 0.
 * @attr_mod: Attribute modifier.
 */
struct ib_mad_hdr {
	u8 base_version;
	u8 mgmt_class;
	u8 class_version;
	u8 method;
	__be16 status;
	__be16 class_specific;
	__be64 tid;
	__be16 attr_id;
	__be16 resv;
	__be32 attr_mod;
};

/**
 * struct ib_rmpp_hdr - What follows the header in classes with RMPP.
 * @rmpp_version: IB_MGMT_RMPP_VERSION.
 * @rmpp_type: IB_MGMT_RMPP_TYPE_*.
 * @rmpp_rtime_flags: Response time in the upper 5 bits, IB_MGMT_RMPP_FLAG_* in the lower 3.
 * @rmpp_status: IB_MGMT_RMPP_STATUS_*.
 * @seg_num: Of DATA its number, from 1; of ACK the last segment that has arrived in order.
 * @paylen_newwin: Of DATA the payload's length; of ACK the last segment that may be sent.
 */
struct ib_rmpp_hdr {
	u8 rmpp_version;
	u8 rmpp_type;
	u8 rmpp_rtime_flags;
	u8 rmpp_status;
	__be32 seg_num;
	__be32 paylen_newwin;
};

/**
 * struct ib_sa_hdr - What follows the RMPP header in MADs of the SA.
 * @sm_key: SM_Key.
 * @attr_offset: Distance of two records, in units of 8 bytes.
 * @reserved: 0.
 * @comp_mask: Which components of the record are asked for.
 */
struct ib_sa_hdr {
	__be64 sm_key;
	__be16 attr_offset;
	__be16 reserved;
	ib_sa_comp_mask comp_mask;
} __packed;

/**
 * struct ib_mad - A MAD of InfiniBand.
 * @mad_hdr: Header.
 * @data: The class's.
 */
struct ib_mad {
	struct ib_mad_hdr mad_hdr;
	u8 data[IB_MGMT_MAD_DATA];
};

/**
 * struct opa_mad - A MAD of Omni-Path.
 * @mad_hdr: Header.
 * @data: The class's.
 */
struct opa_mad {
	struct ib_mad_hdr mad_hdr;
	u8 data[OPA_MGMT_MAD_DATA];
};

/**
 * struct ib_rmpp_mad - A MAD of a class with RMPP.
 * @mad_hdr: Header.
 * @rmpp_hdr: RMPP.
 * @data: The class's.
 */
struct ib_rmpp_mad {
	struct ib_mad_hdr mad_hdr;
	struct ib_rmpp_hdr rmpp_hdr;
	u8 data[IB_MGMT_RMPP_DATA];
};

/**
 * struct opa_rmpp_mad - The same of Omni-Path.
 * @mad_hdr: Header.
 * @rmpp_hdr: RMPP.
 * @data: The class's.
 */
struct opa_rmpp_mad {
	struct ib_mad_hdr mad_hdr;
	struct ib_rmpp_hdr rmpp_hdr;
	u8 data[OPA_MGMT_RMPP_DATA];
};

/**
 * struct ib_sa_mad - A MAD of the SA.
 * @mad_hdr: Header.
 * @rmpp_hdr: RMPP.
 * @sa_hdr: SA.
 * @data: Record.
 */
struct ib_sa_mad {
	struct ib_mad_hdr mad_hdr;
	struct ib_rmpp_hdr rmpp_hdr;
	struct ib_sa_hdr sa_hdr;
	u8 data[IB_MGMT_SA_DATA];
} __packed;

/**
 * struct ib_vendor_mad - A MAD of the vendors' classes 0x30 to 0x4f.
 * @mad_hdr: Header.
 * @rmpp_hdr: RMPP.
 * @reserved: 0.
 * @oui: Whose class it is.
 * @data: Theirs.
 */
struct ib_vendor_mad {
	struct ib_mad_hdr mad_hdr;
	struct ib_rmpp_hdr rmpp_hdr;
	u8 reserved;
	u8 oui[3];
	u8 data[IB_MGMT_VENDOR_DATA];
};

/**
 * struct ib_class_port_info - The attribute that every class has.
 * @base_version: Of MADs.
 * @class_version: Of the class.
 * @capability_mask: CapabilityMask.
 * @cap_mask2_resp_time: CapabilityMask2 in the upper 27 bits, RespTimeValue in the lower 5.
 * @redirect_gid: Where to ask instead.
 * @redirect_tcslfl: Traffic class (8 bits), SL (4), flow label (20).
 * @redirect_lid: LID.
 * @redirect_pkey: P_Key.
 * @redirect_qp: QP, 24 bits.
 * @redirect_qkey: Q_Key.
 * @trap_gid: Where traps go to.
 * @trap_tcslfl: As above.
 * @trap_lid: LID.
 * @trap_pkey: P_Key.
 * @trap_hlqp: Hop limit (8 bits), QP (24).
 * @trap_qkey: Q_Key.
 */
struct ib_class_port_info {
	u8 base_version;
	u8 class_version;
	__be16 capability_mask;
	__be32 cap_mask2_resp_time;
	u8 redirect_gid[16];
	__be32 redirect_tcslfl;
	__be16 redirect_lid;
	__be16 redirect_pkey;
	__be32 redirect_qp;
	__be32 redirect_qkey;
	u8 trap_gid[16];
	__be32 trap_tcslfl;
	__be16 trap_lid;
	__be16 trap_pkey;
	__be32 trap_hlqp;
	__be32 trap_qkey;
};

/**
 * struct opa_class_port_info - The same of Omni-Path, whose LIDs have 32 bits.
 * @base_version: Of MADs.
 * @class_version: Of the class.
 * @cap_mask: CapabilityMask.
 * @cap_mask2_resp_time: As in struct ib_class_port_info.
 * @redirect_gid: Where to ask instead.
 * @redirect_tc_fl: Traffic class and flow label.
 * @redirect_lid: LID.
 * @redirect_sl_qp: SL and QP.
 * @redirect_qkey: Q_Key.
 * @trap_gid: Where traps go to.
 * @trap_tc_fl: Traffic class and flow label.
 * @trap_lid: LID.
 * @trap_hl_qp: Hop limit and QP.
 * @trap_qkey: Q_Key.
 * @trap_pkey: P_Key.
 * @redirect_pkey: P_Key.
 * @trap_sl_rsvd: SL.
 * @reserved: 0.
 */
struct opa_class_port_info {
	u8 base_version;
	u8 class_version;
	__be16 cap_mask;
	__be32 cap_mask2_resp_time;
	u8 redirect_gid[16];
	__be32 redirect_tc_fl;
	__be32 redirect_lid;
	__be32 redirect_sl_qp;
	__be32 redirect_qkey;
	u8 trap_gid[16];
	__be32 trap_tc_fl;
	__be32 trap_lid;
	__be32 trap_hl_qp;
	__be32 trap_qkey;
	__be16 trap_pkey;
	__be16 redirect_pkey;
	u8 trap_sl_rsvd;
	u8 reserved[3];
};

/**
 * struct ib_mad_notice_attr - A notice: what a trap or a report says.
 * @generic_type: Bit 7: generic; IB_NOTICE_TYPE_* has it.
 * @prod_type_msb: Producer, upper 8 bits: 0.
 * @prod_type_lsb: Producer, IB_NOTICE_PROD_*.
 * @trap_num: Number of the trap.
 * @issuer_lid: Who says so.
 * @toggle_count: Toggle bit and count.
 * @details: Of the trap, by its number.
 */
struct ib_mad_notice_attr {
	u8 generic_type;
	u8 prod_type_msb;
	__be16 prod_type_lsb;
	__be16 trap_num;
	__be16 issuer_lid;
	__be16 toggle_count;
	union {
		struct {
			u8 details[54];
		} raw_data;
		struct {
			__be16 reserved;
			__be16 lid;
			u8 port_num;
		} __packed ntc_129_131;
		struct {
			__be16 reserved;
			__be16 lid;
			u8 reserved2;
			u8 local_changes; /* bit 0 */
			__be32 new_cap_mask;
			u8 reserved3;
			u8 change_flags; /* low 3 bits */
		} __packed ntc_144;
		struct {
			__be16 reserved;
			__be16 lid;
			__be16 reserved2;
			__be64 new_sys_guid;
		} __packed ntc_145;
		struct {
			__be16 reserved;
			__be16 lid;
			__be16 dr_slid;
			u8 method;
			u8 reserved2;
			__be16 attr_id;
			__be32 attr_mod;
			__be64 mkey;
			u8 reserved3;
			u8 dr_trunc_hop;
			u8 dr_rtn_path[30];
		} __packed ntc_256;
		struct {
			__be16 reserved;
			__be16 lid1;
			__be16 lid2;
			__be32 key;
			__be32 sl_qp1; /* SL: upper 4 bits, QP: lower 24 */
			__be32 qp2;
			union ib_gid gid1;
			union ib_gid gid2;
		} __packed ntc_257_258;
	} details;
};

#endif /* VERBENA_RDMA_IB_MAD_TYPES_H */
