/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a port is and can do. */
#ifndef VERBENA_RDMA_IB_VERBS_PORT_H
#define VERBENA_RDMA_IB_VERBS_PORT_H

#include <rdma/ib_device.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * rdma_cap_ib_switch() - Whether a device is a switch.
 * @device: Which device.
 *
 * Return: What the provider set before it registered the device.
 */
static inline bool rdma_cap_ib_switch(const struct ib_device *device)
{
	return device->is_switch;
}

/**
 * rdma_start_port() - Number of the first port.
 * @device: Which device.
 *
 * Return: 0 for a switch, whose port 0 is the management port; else 1.
 */
static inline u32 rdma_start_port(const struct ib_device *device)
{
	return rdma_cap_ib_switch(device) ? 0 : 1;
}

/**
 * rdma_end_port() - Number of the last port.
 * @device: Which device.
 *
 * Return: 0 for a switch, else the number of ports.
 */
static inline u32 rdma_end_port(const struct ib_device *device)
{
	return rdma_cap_ib_switch(device) ? 0 : device->phys_port_cnt;
}

/* Whether @iter is a u32. */
#ifdef __cplusplus
#define BASE_IS_U32(iter) (sizeof(iter) == sizeof(u32))
#else
#define BASE_IS_U32(iter) __builtin_types_compatible_p(u32, __typeof__(iter))
#endif

/**
 * rdma_for_each_port() - Loop over the ports of a device.
 * @device: Which device; evaluated in each turn.
 * @iter: A u32 variable, which the compiler checks.
 */
#define rdma_for_each_port(device, iter)                                                  \
	for (iter = rdma_start_port(device) + (u32)BUILD_BUG_ON_ZERO(!BASE_IS_U32(iter)); \
	     iter <= rdma_end_port(device); iter++)

/**
 * rdma_is_port_valid() - Whether a device has a port.
 * @device: Which device.
 * @port: Any number.
 *
 * Return: 1 or 0.
 */
static inline int rdma_is_port_valid(const struct ib_device *device, unsigned int port)
{
	return port >= rdma_start_port(device) && port <= rdma_end_port(device);
}

/* Whether the port has any of @flags, RDMA_CORE_CAP_*. */
/**
 * rdma_core_cap() - Whether a port can do one of several things (Verbena).
 * @device: Which device.
 * @port_num: A valid port; not checked.
 * @flags: RDMA_CORE_CAP_*.
 *
 * Return: true if any of the bits is set for the port.
 */
static inline bool rdma_core_cap(const struct ib_device *device, u32 port_num, u32 flags)
{
	return (device->port_data[port_num].immutable.core_cap_flags & flags) != 0;
}

/**
 * rdma_is_grh_required() - Whether datagrams on a port need a GRH.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true for RoCE and for ports that say so.
 */
static inline bool rdma_is_grh_required(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_PORT_IB_GRH_REQUIRED);
}

/**
 * rdma_protocol_ib() - Whether a port speaks InfiniBand.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true for native InfiniBand and OPA.
 */
static inline bool rdma_protocol_ib(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_PROT_IB);
}

/**
 * rdma_protocol_roce() - Whether a port speaks RoCE of either version.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true for v1 and v2.
 */
static inline bool rdma_protocol_roce(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num,
			     RDMA_CORE_CAP_PROT_ROCE | RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP);
}

/**
 * rdma_protocol_roce_udp_encap() - Whether a port speaks RoCE v2.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true if packets are encapsulated in UDP.
 */
static inline bool rdma_protocol_roce_udp_encap(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP);
}

/**
 * rdma_protocol_roce_eth_encap() - Whether a port speaks RoCE v1.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true if packets follow the Ethernet header.
 */
static inline bool rdma_protocol_roce_eth_encap(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_PROT_ROCE);
}

/**
 * rdma_protocol_iwarp() - Whether a port speaks iWARP.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true if it does.
 */
static inline bool rdma_protocol_iwarp(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_PROT_IWARP);
}

/**
 * rdma_ib_or_roce() - Whether a port speaks InfiniBand's transport, natively or over Ethernet.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true for InfiniBand and RoCE.
 */
static inline bool rdma_ib_or_roce(const struct ib_device *device, u32 port_num)
{
	return rdma_protocol_ib(device, port_num) || rdma_protocol_roce(device, port_num);
}

/**
 * rdma_protocol_raw_packet() - Whether a port takes raw Ethernet frames.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true if it does.
 */
static inline bool rdma_protocol_raw_packet(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_PROT_RAW_PACKET);
}

/**
 * rdma_protocol_usnic() - Whether a port speaks usNIC.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true if it does.
 */
static inline bool rdma_protocol_usnic(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_PROT_USNIC);
}

/**
 * rdma_cap_ib_mad() - Whether a port takes management datagrams.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true if QP 0 or QP 1 is there for the MAD layer.
 */
static inline bool rdma_cap_ib_mad(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_IB_MAD);
}

/**
 * rdma_cap_opa_mad() - Whether a port takes OPA's management datagrams.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true if they may have up to 2048 bytes.
 */
static inline bool rdma_cap_opa_mad(struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_OPA_MAD);
}

/**
 * rdma_cap_ib_smi() - Whether a port has a QP 0.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true if subnet management reaches it; false on RoCE.
 */
static inline bool rdma_cap_ib_smi(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_IB_SMI);
}

/**
 * rdma_cap_ib_cm() - Whether a port connects by InfiniBand's connection manager.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true if it does, over QP 1.
 */
static inline bool rdma_cap_ib_cm(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_IB_CM);
}

/**
 * rdma_cap_iw_cm() - Whether a port connects by iWARP's connection manager.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true if it does.
 */
static inline bool rdma_cap_iw_cm(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_IW_CM);
}

/**
 * rdma_cap_ib_sa() - Whether a port asks a subnet administrator for paths.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true if it does.
 */
static inline bool rdma_cap_ib_sa(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_IB_SA);
}

/**
 * rdma_cap_ib_mcast() - Whether a port joins multicast groups at the subnet administrator.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: The same as rdma_cap_ib_sa().
 */
static inline bool rdma_cap_ib_mcast(const struct ib_device *device, u32 port_num)
{
	return rdma_cap_ib_sa(device, port_num);
}

/**
 * rdma_cap_af_ib() - Whether a port can be addressed by its GID.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true if AF_IB addresses work.
 */
static inline bool rdma_cap_af_ib(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_AF_IB);
}

/**
 * rdma_cap_eth_ah() - Whether address handles need a MAC address.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true on RoCE.
 */
static inline bool rdma_cap_eth_ah(const struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_ETH_AH);
}

/**
 * rdma_cap_opa_ah() - Whether address handles have 32-bit LIDs.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true on OPA.
 */
static inline bool rdma_cap_opa_ah(struct ib_device *device, u32 port_num)
{
	return rdma_core_cap(device, port_num, RDMA_CORE_CAP_OPA_AH);
}

/**
 * rdma_max_mad_size() - Largest management datagram of a port.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: 256 or, on OPA, 2048 bytes, all headers of the datagram included; 0 without MADs.
 */
static inline size_t rdma_max_mad_size(const struct ib_device *device, u32 port_num)
{
	return device->port_data[port_num].immutable.max_mad_size;
}

/**
 * rdma_cap_roce_gid_table() - Whether the core manages a port's GID table.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true on RoCE if the provider has the ops for it, even if the table could not be
 *	allocated.
 */
static inline bool rdma_cap_roce_gid_table(const struct ib_device *device, u32 port_num)
{
	return rdma_protocol_roce(device, port_num) && device->ops.add_gid && device->ops.del_gid;
}

/**
 * rdma_core_cap_opa_port() - Whether a port is an Omni-Path port.
 * @device: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true if it can do all that RDMA_CORE_PORT_INTEL_OPA stands for.
 */
static inline bool rdma_core_cap_opa_port(struct ib_device *device, u32 port_num)
{
	return (device->port_data[port_num].immutable.core_cap_flags & RDMA_CORE_PORT_INTEL_OPA) ==
	       RDMA_CORE_PORT_INTEL_OPA;
}

/**
 * rdma_cap_read_inv() - Whether a READ can invalidate the local key by itself.
 * @dev: Which device.
 * @port_num: A valid port; not checked.
 *
 * Return: true on iWARP only.
 */
static inline bool rdma_cap_read_inv(struct ib_device *dev, u32 port_num)
{
	return rdma_protocol_iwarp(dev, port_num);
}

/**
 * ib_mtu_enum_to_int() - A path MTU in bytes.
 * @mtu: Code.
 *
 * Return: 256 to 4096; -1 for an unknown code.
 */
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

/**
 * ib_mtu_int_to_enum() - Largest path MTU that is not above a number of bytes.
 * @mtu: Bytes.
 *
 * Return: Code; IB_MTU_256 also for less than 256 bytes.
 */
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

/**
 * opa_mtu_enum_to_int() - An MTU of OPA in bytes.
 * @mtu: Code, also one of enum ib_mtu.
 *
 * Return: 256 to 10240; -1 for an unknown code.
 */
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

/**
 * opa_mtu_int_to_enum() - Largest MTU of OPA that is not above a number of bytes.
 * @mtu: Bytes.
 *
 * Return: Code, below 8192 bytes one of enum ib_mtu.
 */
static inline enum opa_mtu opa_mtu_int_to_enum(int mtu)
{
	if (mtu >= 10240)
		return OPA_MTU_10240;
	if (mtu >= 8192)
		return OPA_MTU_8192;
	return (enum opa_mtu)ib_mtu_int_to_enum(mtu);
}

/**
 * rdma_mtu_enum_to_int() - An MTU code of a port in bytes.
 * @device: Which device.
 * @port: A valid port; on OPA the codes of enum opa_mtu are known, too.
 * @mtu: Code.
 *
 * Return: Bytes; -1 for an unknown code.
 */
static inline int rdma_mtu_enum_to_int(struct ib_device *device, u32 port, int mtu)
{
	if (rdma_core_cap_opa_port(device, port))
		return opa_mtu_enum_to_int((enum opa_mtu)mtu);
	return ib_mtu_enum_to_int((enum ib_mtu)mtu);
}

/**
 * rdma_mtu_from_attr() - Largest MTU of a port in bytes; not the active one.
 * @device: Which device.
 * @port: A valid port.
 * @attr: Its attributes.
 *
 * Return: Bytes; -1 if the code in @attr is unknown.
 */
static inline int rdma_mtu_from_attr(struct ib_device *device, u32 port, struct ib_port_attr *attr)
{
	if (rdma_core_cap_opa_port(device, port))
		return (int)attr->phys_mtu;
	return ib_mtu_enum_to_int(attr->max_mtu);
}

/**
 * ib_width_enum_to_int() - Lanes of a link.
 * @width: Code.
 *
 * Return: 1, 2, 4, 8 or 12; -1 for an unknown code.
 */
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

/**
 * ib_network_to_gid_type() - Kind of GID that goes with a network header.
 * @network_type: Header.
 *
 * Return: RoCE v2 for IPv4 and IPv6, RoCE v1 for its own, else InfiniBand.
 */
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

/**
 * rdma_gid_attr_network_type() - Network header that packets from a GID carry.
 * @attr: Entry of the GID table.
 *
 * Return: For RoCE v2 RDMA_NETWORK_IPV4 if the GID is a mapped IPv4 address, else
 *	RDMA_NETWORK_IPV6; the kind itself otherwise.
 */
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

/**
 * rdma_flow_label_to_udp_sport() - UDP source port of RoCE v2 packets with a flow label.
 * @fl: Flow label, 20 bits.
 *
 * Return: 0xc000 to 0xffff.
 */
static inline u16 rdma_flow_label_to_udp_sport(u32 fl)
{
	const u32 low = fl & 0x03fff, high = (fl & 0xfc000) >> 14;

	return (u16)((low ^ high) | IB_ROCE_UDP_ENCAP_VALID_PORT_MIN);
}

/**
 * rdma_calc_flow_label() - Flow label for a pair of QPs.
 * @lqpn: One QP number.
 * @rqpn: The other; the order does not matter.
 *
 * Return: 20 bits; 0 if one of the numbers is 0.
 */
static inline u32 rdma_calc_flow_label(u32 lqpn, u32 rqpn)
{
	u64 fold = (u64)lqpn * rqpn;

	fold ^= fold >> 20;
	fold ^= fold >> 40;
	return (u32)(fold & IB_GRH_FLOWLABEL_MASK);
}

/**
 * rdma_get_udp_sport() - UDP source port for a connection.
 * @fl: Flow label; 0 to make one from the QP numbers.
 * @lqpn: One QP number.
 * @rqpn: The other.
 *
 * Return: 0xc000 to 0xffff.
 */
static inline u16 rdma_get_udp_sport(u32 fl, u32 lqpn, u32 rqpn)
{
	return rdma_flow_label_to_udp_sport(fl ? fl : rdma_calc_flow_label(lqpn, rqpn));
}

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_VERBS_PORT_H */
