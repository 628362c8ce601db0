/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What becomes of the GIDs of RoCE ports when a network interface changes. */
#ifndef CORE_ROCE_GID_MGMT_H
#define CORE_ROCE_GID_MGMT_H

#include <rdma/ib_verbs.h>

/** core_roce_addr_changed() - An interface has (@added) or has no longer an address. */
void core_roce_addr_changed(struct net_device *ndev, const union ib_gid *ip, bool added);

/* All GIDs that follow from an interface: take them out; enter them. */
void core_roce_netdev_gone(struct net_device *ndev);
void core_roce_netdev_came(struct net_device *ndev);

#endif
