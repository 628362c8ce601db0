/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What an HCA shall look like: names, numbers, ports, limits. */
#ifndef DEVICE_PROFILE_H
#define DEVICE_PROFILE_H

#include <rdma/ib_verbs.h>

#include "fabric/directory.h"
#include "verbena/verbena.h"

#define DEVICE_MAX_HCAS DIRECTORY_HCAS
#define DEVICE_MAX_PORTS DIRECTORY_PORTS
#define DEVICE_MAX_PKEYS DIRECTORY_PKEYS
#define DEVICE_MAX_GIDS 256u
#define DEVICE_MAX_INLINE 512u
#define DEVICE_BOARD_BYTES IB_DEVICE_NODE_DESC_MAX

/**
 * struct device_port_profile - A port.
 * @mtu: Its active MTU.
 * @width: Of its link.
 * @speed: Of its link.
 */
struct device_port_profile {
	enum ib_mtu mtu;
	enum ib_port_width width;
	enum ib_port_speed speed;
};

/**
 * struct device_profile - An HCA.
 * @name: Of the ib_device; may have a %d.
 * @node_desc: Node description; "": the host's name and @name.
 * @board_id: For sysfs; "": nothing is known.
 * @personality: What stock programs take it for.
 * @node_guid: Host order; 0: that of its first port.
 * @props: Attributes and limits; its sys_image_guid 0: the node's GUID.
 * @max_inline: Most inline data of a queue pair.
 * @gid_count: Entries of the GID tables.
 * @pkey_count: Entries of the P_Key tables.
 * @pkeys: Their contents.
 * @keys_same: R_Keys equal L_Keys.
 * @hca: Ports: how many, and what the fabric is to call them.
 * @port: What else there is to say of them.
 */
struct device_profile {
	char name[IB_DEVICE_NAME_MAX];
	char node_desc[IB_DEVICE_NODE_DESC_MAX];
	char board_id[DEVICE_BOARD_BYTES];
	enum verbena_personality personality;
	u64 node_guid;
	struct ib_device_attr props;
	u32 max_inline;
	u32 gid_count;
	u32 pkey_count;
	u16 pkeys[DEVICE_MAX_PKEYS];
	bool keys_same;
	struct directory_hca hca;
	struct device_port_profile port[DEVICE_MAX_PORTS];
};

/**
 * struct device_host_profile - All HCAs of a host.
 * @count: How many.
 * @hca: They.
 */
struct device_host_profile {
	u32 count;
	struct device_profile hca[DEVICE_MAX_HCAS];
};

/**
 * device_profile_init() - An ordinary HCA with one port.
 * @profile: Out.
 * @personality: Decides about name and limits.
 */
void device_profile_init(struct device_profile *profile, enum verbena_personality personality);

/** device_profile_init_port() - An ordinary port. */
void device_profile_init_port(struct device_port_profile *port);

/**
 * device_profile_of() - What the options of the public interface ask for.
 * @profile: Out.
 * @options: Any.
 *
 * Return: 0; -EINVAL, with a cause, if an option is out of range.
 */
int device_profile_of(struct device_profile *profile, const struct verbena_host_options *options);

/**
 * device_profile_personality() - What a personality is called.
 * @name: "rxe", "hfi1", "hfi1-v1".
 * @personality: Out.
 *
 * Return: Whether there is one of this name.
 */
bool device_profile_personality(const char *name, enum verbena_personality *personality);

/**
 * device_profile_fit() - The HCA is an adapter of a topology, which decides about ports, P_Keys and GUIDs.
 * @profile: Changed.
 * @ports: How many it has, up to DEVICE_MAX_PORTS.
 * @view: What is said of the first.
 */
void device_profile_fit(struct device_profile *profile, u32 ports,
			const struct directory_view *view);

/** device_profile_without_srq() - Whether there are no shared receive queues. */
static inline bool device_profile_without_srq(const struct device_profile *profile)
{
	return !profile->props.max_srq;
}

#endif
