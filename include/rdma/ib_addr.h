/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Between IP addresses, MAC addresses and GIDs. */
#ifndef VERBENA_RDMA_IB_ADDR_H
#define VERBENA_RDMA_IB_ADDR_H

#include <string.h>
#include <linux/in6.h>
#include <netinet/in.h>
#include <rdma/ib_verbs.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * rdma_is_multicast_addr() - Whether an address or GID is a multicast one.
 * @addr: 16 bytes.
 *
 * Return: Not 0 for IPv6 multicast and for mapped IPv4 multicast.
 */
static inline int rdma_is_multicast_addr(struct in6_addr *addr)
{
	if (addr->s6_addr[0] == 0xff)
		return 1;
	return ipv6_addr_v4mapped(addr) && (addr->s6_addr[12] & 0xf0) == 0xe0;
}

/**
 * rdma_link_local_addr() - Whether an address or GID has the link-local prefix, fe80::/64.
 * @addr: 16 bytes.
 *
 * Return: Not 0 if it has.
 */
static inline int rdma_link_local_addr(struct in6_addr *addr)
{
	static const u8 prefix[8] = {0xfe, 0x80};

	return memcmp(addr->s6_addr, prefix, sizeof(prefix)) == 0;
}

/**
 * rdma_get_ll_mac() - The MAC address inside a link-local address.
 * @addr: Whose lower half was made from a MAC address.
 * @mac: Out: 6 bytes.
 */
static inline void rdma_get_ll_mac(struct in6_addr *addr, u8 *mac)
{
	memcpy(mac, &addr->s6_addr[8], 3);
	memcpy(mac + 3, &addr->s6_addr[13], 3);
	mac[0] ^= 2;
}

/**
 * rdma_get_mcast_mac() - The MAC address of a multicast address.
 * @addr: IPv6 multicast.
 * @mac: Out: 6 bytes.
 */
static inline void rdma_get_mcast_mac(struct in6_addr *addr, u8 *mac)
{
	mac[0] = 0x33;
	mac[1] = 0x33;
	memcpy(mac + 2, &addr->s6_addr[12], 4);
}

/**
 * rdma_ip2gid() - The GID of an IP address.
 * @addr: struct sockaddr_in, which becomes a mapped address, or struct sockaddr_in6.
 * @gid: Out.
 *
 * Return: 0; -EINVAL if it is of another family.
 */
int rdma_ip2gid(struct sockaddr *addr, union ib_gid *gid);

/**
 * rdma_gid2ip() - The IP address of a GID.
 * @out: Out: struct sockaddr_in for a mapped IPv4 address, else struct sockaddr_in6; there must be
 *	room for either. Port 0.
 * @gid: GID.
 */
static inline void rdma_gid2ip(struct sockaddr *out, const union ib_gid *gid)
{
	struct in6_addr v6;

	memcpy(&v6, gid->raw, sizeof(v6));
	if (ipv6_addr_v4mapped(&v6)) {
		struct sockaddr_in *in = (struct sockaddr_in *)(void *)out;

		memset(in, 0, sizeof(*in));
		in->sin_family = AF_INET;
		memcpy(&in->sin_addr, gid->raw + 12, 4);
	} else {
		struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)(void *)out;

		memset(in6, 0, sizeof(*in6));
		in6->sin6_family = AF_INET6;
		in6->sin6_addr = v6;
	}
}

/**
 * iboe_get_mtu() - Largest path MTU that fits into Ethernet frames.
 * @mtu: Bytes of an IP packet.
 *
 * Return: Code, for packets with all headers that RoCE can have; 0 if not even 256 bytes fit.
 */
static inline enum ib_mtu iboe_get_mtu(int mtu)
{
	/* GRH, UDP, BTH, the largest extension (AtomicETH with XRCETH) and ICRC. */
	const int room = mtu - (40 + 8 + 12 + 4 + 28 + 4);

	return room < 256 ? (enum ib_mtu)0 : ib_mtu_int_to_enum(room);
}

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_ADDR_H */
