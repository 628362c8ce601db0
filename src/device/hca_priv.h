/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What assemble.c (an HCA as a whole) and hca_port.c (its ports) share. */
#ifndef DEVICE_HCA_PRIV_H
#define DEVICE_HCA_PRIV_H

#include <rdma/rdma_vt.h>

#include "device/faults.h"
#include "device/hca.h"
#include "mad/mad.h"

struct tp_engine;

/**
 * struct device_hca - An HCA.
 * @rdi: First.
 * @ports: Its ports.
 * @tp: Its transport.
 * @place: Where it hangs.
 * @profile: What it looks like.
 * @fault_hooks: Its share of the faults.
 * @mad_owner: Who is asked before its agents receive requests.
 * @owner: Whose it is.
 * @cut: Nobody manages its fabric at the moment. Atomic.
 * @cap_flags: What programs have set of the capability masks, as the subnet was told. Atomic.
 * @pkeys: P_Key tables.
 */
struct device_hca {
	struct rvt_dev_info rdi; /* first */
	struct rvt_ibport ports[DEVICE_MAX_PORTS];
	struct tp_engine *tp;
	struct device_place place;
	struct device_profile profile;
	struct device_fault_hooks fault_hooks;
	struct mad_owner mad_owner;
	void *owner;
	bool cut;			 /* atomic */
	u32 cap_flags[DEVICE_MAX_PORTS]; /* as the subnet was told; atomic */
	u16 pkeys[DEVICE_MAX_PORTS][DEVICE_MAX_PKEYS];
};

static inline struct device_hca *device_hca_of_rdi(struct rvt_dev_info *rdi)
{
	return container_of(rdi, struct device_hca, rdi);
}

/** device_hca_set_ports() - Everything of its ports that is known before they are connected. */
void device_hca_set_ports(struct device_hca *hca);

/** device_hca_set_port_ops() - What rdmavt asks of ports. */
void device_hca_set_port_ops(struct device_hca *hca);

/** device_hca_set_addresses() - The transport learns what the fabric says of a port. */
void device_hca_set_addresses(struct device_hca *hca, u32 port_num);

/** device_hca_port_guid() - What the fabric calls a port; host order. */
u64 device_hca_port_guid(const struct device_hca *hca, u32 port_num);

/** device_hca_modify() - &ib_device_ops.modify_device. */
int device_hca_modify(struct ib_device *device, int mask, struct ib_device_modify *change);

/** device_hca_query_gid() - &ib_device_ops.query_gid. */
int device_hca_query_gid(struct ib_device *device, u32 port_num, int index, union ib_gid *gid);

#endif
