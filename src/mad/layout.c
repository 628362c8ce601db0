// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What is on the wire is where it belongs. */
#include <linux/bug.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_sa.h>

#define AT(type, member, offset) BUILD_BUG_ON(offsetof(struct type, member) != (offset))

BUILD_BUG_ON(sizeof(struct ib_mad_hdr) != IB_MGMT_MAD_HDR);
BUILD_BUG_ON(sizeof(struct ib_rmpp_hdr) != IB_MGMT_RMPP_HDR - IB_MGMT_MAD_HDR);
BUILD_BUG_ON(sizeof(struct ib_sa_hdr) != IB_MGMT_SA_HDR - IB_MGMT_RMPP_HDR);
BUILD_BUG_ON(sizeof(struct ib_mad) != IB_MGMT_MAD_SIZE);
BUILD_BUG_ON(sizeof(struct opa_mad) != OPA_MGMT_MAD_SIZE);
BUILD_BUG_ON(sizeof(struct ib_rmpp_mad) != IB_MGMT_MAD_SIZE);
BUILD_BUG_ON(sizeof(struct opa_rmpp_mad) != OPA_MGMT_MAD_SIZE);
BUILD_BUG_ON(sizeof(struct ib_sa_mad) != IB_MGMT_MAD_SIZE);
BUILD_BUG_ON(sizeof(struct ib_vendor_mad) != IB_MGMT_MAD_SIZE);
BUILD_BUG_ON(sizeof(struct ib_class_port_info) != 72);
BUILD_BUG_ON(sizeof(struct opa_class_port_info) != 80);
BUILD_BUG_ON(sizeof(struct ib_mad_notice_attr) != 64);
AT(ib_mad_hdr, status, 4);
AT(ib_mad_hdr, tid, 8);
AT(ib_mad_hdr, attr_id, 16);
AT(ib_mad_hdr, attr_mod, 20);
AT(ib_rmpp_hdr, seg_num, 4);
AT(ib_rmpp_hdr, paylen_newwin, 8);
AT(ib_sa_hdr, attr_offset, 8);
AT(ib_sa_hdr, comp_mask, 12);
AT(ib_rmpp_mad, data, IB_MGMT_RMPP_HDR);
AT(ib_sa_mad, data, IB_MGMT_SA_HDR);
AT(ib_vendor_mad, oui, 37);
AT(ib_vendor_mad, data, IB_MGMT_VENDOR_HDR);
AT(ib_class_port_info, redirect_gid, 8);
AT(ib_class_port_info, redirect_lid, 28);
AT(ib_class_port_info, redirect_qp, 32);
AT(ib_class_port_info, trap_gid, 40);
AT(ib_class_port_info, trap_qkey, 68);
AT(ib_mad_notice_attr, details, 10);
AT(ib_mad_notice_attr, details.ntc_129_131.port_num, 14);
AT(ib_mad_notice_attr, details.ntc_144.new_cap_mask, 16);
AT(ib_mad_notice_attr, details.ntc_145.new_sys_guid, 16);
AT(ib_mad_notice_attr, details.ntc_256.mkey, 24);
AT(ib_mad_notice_attr, details.ntc_256.dr_rtn_path, 34);
AT(ib_mad_notice_attr, details.ntc_257_258.gid1, 28);
AT(ib_mad_notice_attr, details.ntc_257_258.gid2, 44);
BUILD_BUG_ON(sizeof(struct ib_sa_guidinfo_rec) != 72);
AT(ib_sa_guidinfo_rec, guid_info_list, 8);
