/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The network interfaces of a host, as far as RoCE needs them: a MAC, a VLAN and IP addresses,
 * from which the GIDs of RoCE ports follow. Whoever owns the host (fabric, device) makes them.
 */
#ifndef VERBENA_NETDEV_H
#define VERBENA_NETDEV_H

#include <rdma/ib_verbs.h>

#define VERBENA_NETDEV_NAME_MAX 16
#define VERBENA_NO_VLAN 0xffff

#ifdef __cplusplus
extern "C" {
#endif

/**
 * verbena_netdev_new() - An interface without addresses.
 * @name: What users see, at most VERBENA_NETDEV_NAME_MAX - 1 characters.
 * @mac: Its MAC address.
 * @mtu: Bytes.
 * @vlan_id: Its VLAN, or VERBENA_NO_VLAN.
 *
 * Return: The interface, with one reference; NULL if there is no memory.
 */
struct net_device *verbena_netdev_new(const char *name, const u8 mac[ETH_ALEN], unsigned int mtu,
				      u16 vlan_id);

/**
 * verbena_netdev_alloc() - An interface without MAC, VLAN and MTU, for rdma_alloc_netdev().
 * @name: As for verbena_netdev_new().
 * @priv_bytes: Size of its owner's part.
 *
 * Return: As verbena_netdev_new().
 */
struct net_device *verbena_netdev_alloc(const char *name, size_t priv_bytes);

/**
 * verbena_netdev_priv() - The owner's part of an interface.
 * @ndev: From verbena_netdev_alloc().
 *
 * Return: Memory that was cleared at first, aligned to 64 bytes.
 */
void *verbena_netdev_priv(struct net_device *ndev);

/**
 * verbena_netdev_set_speed() - Say how fast an interface is.
 * @ndev: The interface.
 * @mbps: In Mb/s; 0, as at first, means unknown.
 */
void verbena_netdev_set_speed(struct net_device *ndev, unsigned int mbps);

/**
 * verbena_netdev_speed() - How fast an interface is.
 * @ndev: The interface.
 *
 * Return: Mb/s; 0 if that is not known.
 */
unsigned int verbena_netdev_speed(const struct net_device *ndev);

/**
 * verbena_netdev_hold() - Take another reference.
 * @ndev: The interface.
 */
void verbena_netdev_hold(struct net_device *ndev);

/**
 * verbena_netdev_put() - Drop a reference; the last one frees the interface.
 * @ndev: The interface.
 */
void verbena_netdev_put(struct net_device *ndev);

/**
 * verbena_netdev_name() - What users see.
 * @ndev: The interface.
 *
 * Return: The name, as long as the interface lives.
 */
const char *verbena_netdev_name(const struct net_device *ndev);

/**
 * verbena_netdev_mtu() - Largest IP packet in bytes.
 * @ndev: The interface.
 *
 * Return: As given to verbena_netdev_new().
 */
unsigned int verbena_netdev_mtu(const struct net_device *ndev);

/**
 * verbena_netdev_l2() - VLAN and MAC of an interface.
 * @ndev: The interface.
 * @vlan_id: Out; VERBENA_NO_VLAN if it has none. May be NULL.
 * @mac: Out, 6 bytes. May be NULL.
 */
void verbena_netdev_l2(const struct net_device *ndev, u16 *vlan_id, u8 *mac);

/**
 * verbena_netdev_default_gid() - The link-local GID that follows from the MAC (EUI-64).
 * @ndev: The interface.
 * @gid: Out.
 */
void verbena_netdev_default_gid(const struct net_device *ndev, union ib_gid *gid);

/**
 * verbena_netdev_addr_add() - The interface gets an IP address; RoCE ports on it get its GIDs.
 * @ndev: The interface.
 * @ip: The address as a GID (rdma_ip2gid()).
 *
 * Return: 0, also if it has it already; -EINVAL for the zero address; -ENOMEM.
 */
int verbena_netdev_addr_add(struct net_device *ndev, const union ib_gid *ip);

/**
 * verbena_netdev_addr_del() - The interface loses an IP address; RoCE ports lose its GIDs.
 * @ndev: The interface.
 * @ip: The address as a GID.
 *
 * Return: 0; -ENOENT if it has no such address.
 */
int verbena_netdev_addr_del(struct net_device *ndev, const union ib_gid *ip);

/**
 * verbena_netdev_set_mac() - It gets another MAC: all GIDs of RoCE ports on it are made anew.
 * @ndev: The interface.
 * @mac: The new one.
 */
void verbena_netdev_set_mac(struct net_device *ndev, const u8 mac[ETH_ALEN]);

/**
 * verbena_netdev_down() - The interface goes: its addresses and all GIDs that followed from it go.
 * @ndev: The caller's reference is dropped, too.
 */
void verbena_netdev_down(struct net_device *ndev);

/**
 * verbena_netdev_next_addr() - Walk over the addresses, which may change meanwhile.
 * @ndev: The interface.
 * @number: 0 for the first; moves on to the number of the one that is returned.
 * @ip: Out: the first address with a higher number.
 *
 * Return: false if there is none.
 */
bool verbena_netdev_next_addr(struct net_device *ndev, u64 *number, union ib_gid *ip);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_NETDEV_H */
