/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Network interfaces; see netdev.h. What follows from them for GIDs is in roce_gid_mgmt.c. */
#include <verbena/netdev.h>

#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <string.h>

#include "base/cause.h"
#include "core/roce_gid_mgmt.h"

struct net_device {
	char name[VERBENA_NETDEV_NAME_MAX];
	unsigned int mtu;
	u16 vlan_id;
	refcount_t refs;
	spinlock_t lock; /* for what follows */
	u8 mac[ETH_ALEN];
	u64 last_number;
	unsigned int speed_mbps;
	struct list_head addrs;
	_Alignas(64) char priv[];
};

struct netdev_addr {
	struct list_head link;
	u64 number;
	union ib_gid ip;
};

struct net_device *verbena_netdev_alloc(const char *name, size_t priv_bytes)
{
	struct net_device *ndev = NULL;

	if (priv_bytes <= SIZE_MAX - sizeof(*ndev))
		ndev = kzalloc(sizeof(*ndev) + priv_bytes, GFP_KERNEL);
	if (!ndev)
		return NULL;
	strncpy(ndev->name, name, sizeof(ndev->name) - 1);
	ndev->vlan_id = VERBENA_NO_VLAN;
	refcount_set(&ndev->refs, 1);
	spin_lock_init(&ndev->lock);
	INIT_LIST_HEAD(&ndev->addrs);
	return ndev;
}

struct net_device *verbena_netdev_new(const char *name, const u8 mac[ETH_ALEN], unsigned int mtu,
				      u16 vlan_id)
{
	struct net_device *ndev = verbena_netdev_alloc(name, 0);

	if (!ndev)
		return NULL;
	memcpy(ndev->mac, mac, ETH_ALEN);
	ndev->mtu = mtu;
	ndev->vlan_id = vlan_id;
	return ndev;
}

void *verbena_netdev_priv(struct net_device *ndev)
{
	return ndev->priv;
}

void verbena_netdev_set_speed(struct net_device *ndev, unsigned int mbps)
{
	WRITE_ONCE(ndev->speed_mbps, mbps);
}

unsigned int verbena_netdev_speed(const struct net_device *ndev)
{
	return READ_ONCE(ndev->speed_mbps);
}

void verbena_netdev_hold(struct net_device *ndev)
{
	refcount_inc(&ndev->refs);
}

void verbena_netdev_put(struct net_device *ndev)
{
	struct netdev_addr *addr, *next;

	if (!refcount_dec_and_test(&ndev->refs))
		return;
	list_for_each_entry_safe(addr, next, &ndev->addrs, link)
		kfree(addr);
	kfree(ndev);
}

const char *verbena_netdev_name(const struct net_device *ndev)
{
	return ndev->name;
}

unsigned int verbena_netdev_mtu(const struct net_device *ndev)
{
	return ndev->mtu;
}

static void read_mac(const struct net_device *ndev, u8 mac[ETH_ALEN])
{
	spinlock_t *lock = (spinlock_t *)&ndev->lock;

	spin_lock(lock);
	memcpy(mac, ndev->mac, ETH_ALEN);
	spin_unlock(lock);
}

void verbena_netdev_l2(const struct net_device *ndev, u16 *vlan_id, u8 *mac)
{
	if (vlan_id)
		*vlan_id = ndev->vlan_id;
	if (mac)
		read_mac(ndev, mac);
}

void verbena_netdev_default_gid(const struct net_device *ndev, union ib_gid *gid)
{
	u8 mac[ETH_ALEN];

	read_mac(ndev, mac);
	memset(gid, 0, sizeof(*gid));
	gid->raw[0] = 0xfe;
	gid->raw[1] = 0x80;
	memcpy(gid->raw + 8, mac, 3);
	gid->raw[8] ^= 2; /* universal or local: the other way round than in a MAC */
	gid->raw[11] = 0xff;
	gid->raw[12] = 0xfe;
	memcpy(gid->raw + 13, mac + 3, 3);
}

/* With the lock. */
static struct netdev_addr *find_addr(struct net_device *ndev, const union ib_gid *ip)
{
	struct netdev_addr *addr;

	list_for_each_entry(addr, &ndev->addrs, link)
		if (!memcmp(&addr->ip, ip, sizeof(*ip)))
			return addr;
	return NULL;
}

int verbena_netdev_addr_add(struct net_device *ndev, const union ib_gid *ip)
{
	struct netdev_addr *addr;
	bool there;

	if (rdma_is_zero_gid(ip))
		return base_refuse(-EINVAL, GID_ZERO, 0);
	addr = kzalloc(sizeof(*addr), GFP_KERNEL);
	if (!addr)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*addr));
	addr->ip = *ip;
	spin_lock(&ndev->lock);
	there = find_addr(ndev, ip) != NULL;
	if (!there) {
		addr->number = ++ndev->last_number;
		list_add_tail(&addr->link, &ndev->addrs);
	}
	spin_unlock(&ndev->lock);
	if (there) {
		kfree(addr);
		return 0;
	}
	core_roce_addr_changed(ndev, ip, true);
	return 0;
}

int verbena_netdev_addr_del(struct net_device *ndev, const union ib_gid *ip)
{
	const union ib_gid gone = *ip;
	struct netdev_addr *addr;

	spin_lock(&ndev->lock);
	addr = find_addr(ndev, ip);
	if (addr)
		list_del(&addr->link);
	spin_unlock(&ndev->lock);
	if (!addr)
		return base_refuse(-ENOENT, GID_NOT_FOUND, be64_to_cpu(ip->global.subnet_prefix),
				   be64_to_cpu(ip->global.interface_id));
	kfree(addr);
	core_roce_addr_changed(ndev, &gone, false);
	return 0;
}

bool verbena_netdev_next_addr(struct net_device *ndev, u64 *number, union ib_gid *ip)
{
	struct netdev_addr *addr;
	bool found = false;

	spin_lock(&ndev->lock);
	list_for_each_entry(addr, &ndev->addrs, link) {
		if (addr->number > *number) {
			*number = addr->number;
			*ip = addr->ip;
			found = true;
			break;
		}
	}
	spin_unlock(&ndev->lock);
	return found;
}

void verbena_netdev_set_mac(struct net_device *ndev, const u8 mac[ETH_ALEN])
{
	core_roce_netdev_gone(ndev);
	spin_lock(&ndev->lock);
	memcpy(ndev->mac, mac, ETH_ALEN);
	spin_unlock(&ndev->lock);
	core_roce_netdev_came(ndev);
}

void verbena_netdev_down(struct net_device *ndev)
{
	struct netdev_addr *addr, *next;
	LIST_HEAD(addrs);

	spin_lock(&ndev->lock);
	list_splice_init(&ndev->addrs, &addrs);
	spin_unlock(&ndev->lock);
	list_for_each_entry_safe(addr, next, &addrs, link)
		kfree(addr);
	core_roce_netdev_gone(ndev);
	verbena_netdev_put(ndev);
}
