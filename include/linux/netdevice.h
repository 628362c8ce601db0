/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Network interfaces are named by the verbs, never looked into. */
#ifndef VERBENA_LINUX_NETDEVICE_H
#define VERBENA_LINUX_NETDEVICE_H

struct net;
struct net_device;
struct sk_buff;

typedef struct {
	struct net *net;
} possible_net_t;

#endif /* VERBENA_LINUX_NETDEVICE_H */
