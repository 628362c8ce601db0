/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a port is and can do. */
#ifndef VERBENA_RDMA_IB_VERBS_PORT_H
#define VERBENA_RDMA_IB_VERBS_PORT_H

#include <rdma/ib_device.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline bool rdma_cap_ib_switch(const struct ib_device *device)
{
	return device->is_switch;
}

static inline u32 rdma_start_port(const struct ib_device *device)
{
	return rdma_cap_ib_switch(device) ? 0 : 1;
}

static inline u32 rdma_end_port(const struct ib_device *device)
{
	return rdma_cap_ib_switch(device) ? 0 : device->phys_port_cnt;
}

/* 0, if @iter is a u32; else the build breaks. */
#ifdef __cplusplus
#define BASE_IS_U32(iter) (sizeof(iter) == sizeof(u32))
#else
#define BASE_IS_U32(iter) __builtin_types_compatible_p(u32, __typeof__(iter))
#endif

#define rdma_for_each_port(device, iter)                                                  \
	for (iter = rdma_start_port(device) + (u32)BUILD_BUG_ON_ZERO(!BASE_IS_U32(iter)); \
	     iter <= rdma_end_port(device); iter++)

static inline int rdma_is_port_valid(const struct ib_device *device, unsigned int port)
{
	return port >= rdma_start_port(device) && port <= rdma_end_port(device);
}

/* Whether the port has any of @flags, RDMA_CORE_CAP_*. */
static inline bool rdma_core_cap(const struct ib_device *device, u32 port_num, u32 flags)
{
	return (device->port_data[port_num].immutable.core_cap_flags & flags) != 0;
}

static inline bool rdma_is_grh_required(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_PORT_IB_GRH_REQUIRED);
}

static inline bool rdma_protocol_ib(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_PROT_IB);
}

static inline bool rdma_protocol_roce(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num,
			     RDMA_CORE_CAP_PROT_ROCE | RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP);
}

static inline bool rdma_protocol_roce_udp_encap(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP);
}

static inline bool rdma_protocol_roce_eth_encap(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_PROT_ROCE);
}

static inline bool rdma_protocol_iwarp(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_PROT_IWARP);
}

static inline bool rdma_ib_or_roce(const struct ib_device *device, u32 port_num)
{
	return rdma_protocol_ib(device, port_num) || rdma_protocol_roce(device, port_num);
}

static inline bool rdma_protocol_raw_packet(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_PROT_RAW_PACKET);
}

static inline bool rdma_protocol_usnic(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_PROT_USNIC);
}

static inline bool rdma_cap_ib_mad(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_IB_MAD);
}

static inline bool rdma_cap_opa_mad(struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_OPA_MAD);
}

static inline bool rdma_cap_ib_smi(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_IB_SMI);
}

static inline bool rdma_cap_ib_cm(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_IB_CM);
}

static inline bool rdma_cap_iw_cm(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_IW_CM);
}

static inline bool rdma_cap_ib_sa(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_IB_SA);
}

static inline bool rdma_cap_ib_mcast(const struct ib_device *device, u32 port_num)
{
	return rdma_cap_ib_sa(device, port_num);
}

static inline bool rdma_cap_af_ib(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_AF_IB);
}

static inline bool rdma_cap_eth_ah(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_ETH_AH);
}

static inline bool rdma_cap_opa_ah(struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_OPA_AH);
}

static inline size_t rdma_max_mad_size(const struct ib_device *device, u32 port_num)
{
	return device->port_data[port_num].immutable.max_mad_size;
}

static inline bool rdma_cap_roce_gid_table(const struct ib_device *device, u32 port_num)
{
	return rdma_protocol_roce(device, port_num) && device->ops.add_gid && device->ops.del_gid;
}

static inline bool rdma_core_cap_opa_port(struct ib_device *device, u32 port_num)
{
	return (device->port_data[port_num].immutable.core_cap_flags & RDMA_CORE_PORT_INTEL_OPA) ==
	       RDMA_CORE_PORT_INTEL_OPA;
}

static inline bool rdma_cap_read_inv(struct ib_device *dev, u32 port_num)
{
	return rdma_protocol_iwarp(dev, port_num);
}

static inline int ib_mtu_enum_to_int(enum ib_mtu mtu)
{
	switch (mtu) {
	case IB_MTU_256:
		return 256;
	case IB_MTU_512:
		return 512;
	case IB_MTU_1024:
		return 1024;
	case IB_MTU_2048:
		return 2048;
	case IB_MTU_4096:
		return 4096;
	}
	return -1;
}

static inline enum ib_mtu ib_mtu_int_to_enum(int mtu)
{
	if (mtu >= 4096)
		return IB_MTU_4096;
	if (mtu >= 2048)
		return IB_MTU_2048;
	if (mtu >= 1024)
		return IB_MTU_1024;
	if (mtu >= 512)
		return IB_MTU_512;
	return IB_MTU_256;
}

static inline int opa_mtu_enum_to_int(enum opa_mtu mtu)
{
	switch (mtu) {
	case OPA_MTU_8192:
		return 8192;
	case OPA_MTU_10240:
		return 10240;
	}
	return ib_mtu_enum_to_int((enum ib_mtu)mtu);
}

static inline enum opa_mtu opa_mtu_int_to_enum(int mtu)
{
	if (mtu >= 10240)
		return OPA_MTU_10240;
	if (mtu >= 8192)
		return OPA_MTU_8192;
	return (enum opa_mtu)ib_mtu_int_to_enum(mtu);
}

static inline int rdma_mtu_enum_to_int(struct ib_device *device, u32 port, int mtu)
{
	if (rdma_core_cap_opa_port(device, port))
		return opa_mtu_enum_to_int((enum opa_mtu)mtu);
	return ib_mtu_enum_to_int((enum ib_mtu)mtu);
}

static inline int rdma_mtu_from_attr(struct ib_device *device, u32 port, struct ib_port_attr *attr)
{
	if (rdma_core_cap_opa_port(device, port))
		return (int)attr->phys_mtu;
	return ib_mtu_enum_to_int(attr->max_mtu);
}

static inline int ib_width_enum_to_int(enum ib_port_width width)
{
	switch (width) {
	case IB_WIDTH_1X:
		return 1;
	case IB_WIDTH_2X:
		return 2;
	case IB_WIDTH_4X:
		return 4;
	case IB_WIDTH_8X:
		return 8;
	case IB_WIDTH_12X:
		return 12;
	}
	return -1;
}

static inline enum ib_gid_type ib_network_to_gid_type(enum rdma_network_type network_type)
{
	switch (network_type) {
	case RDMA_NETWORK_IPV4:
	case RDMA_NETWORK_IPV6:
		return IB_GID_TYPE_ROCE_UDP_ENCAP;
	case RDMA_NETWORK_ROCE_V1:
		return IB_GID_TYPE_ROCE;
	case RDMA_NETWORK_IB:
		break;
	}
	return IB_GID_TYPE_IB;
}

static inline enum rdma_network_type rdma_gid_attr_network_type(const struct ib_gid_attr *attr)
{
	static const u8 v4_mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

	if (attr->gid_type == IB_GID_TYPE_IB)
		return RDMA_NETWORK_IB;
	if (attr->gid_type == IB_GID_TYPE_ROCE)
		return RDMA_NETWORK_ROCE_V1;
	return memcmp(attr->gid.raw, v4_mapped, sizeof(v4_mapped)) ? RDMA_NETWORK_IPV6
								   : RDMA_NETWORK_IPV4;
}

static inline u16 rdma_flow_label_to_udp_sport(u32 fl)
{
	const u32 low = fl & 0x03fff, high = (fl & 0xfc000) >> 14;

	return (u16)((low ^ high) | IB_ROCE_UDP_ENCAP_VALID_PORT_MIN);
}

static inline u32 rdma_calc_flow_label(u32 lqpn, u32 rqpn)
{
	u64 fold = (u64)lqpn * rqpn;

	fold ^= fold >> 20;
	fold ^= fold >> 40;
	return (u32)(fold & IB_GRH_FLOWLABEL_MASK);
}

static inline u16 rdma_get_udp_sport(u32 fl, u32 lqpn, u32 rqpn)
{
	return rdma_flow_label_to_udp_sport(fl ? fl : rdma_calc_flow_label(lqpn, rqpn));
}

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_VERBS_PORT_H */
