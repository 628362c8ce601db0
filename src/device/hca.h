/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An HCA, put together from all layers (assemble.c), for the fabric of a process and
 * for the simulator.
 */
#ifndef DEVICE_HCA_H
#define DEVICE_HCA_H

#include <linux/err.h>
#include <rdma/ib_verbs.h>

#include "base/cause.h"
#include "base/report.h"
#include "device/profile.h"
#include "fabric/directory.h"
#include "fabric/subnet.h"
#include "verbena/verbena.h"

struct device_fault_hooks;
struct device_faults;
struct device_hca;
struct fabric;
struct mad_claim;
struct rvt_dev_info;
struct rvt_qpn_table;
struct tp_port;
struct wire_loop;

/** DEVICE_MAX_HOST_NAME: longest host name in bytes; device name and it share the description. */
#define DEVICE_MAX_HOST_NAME 40u

/* Regions of an HCA, as a power of two, and the size of the table that their keys are checked against. */
#define DEVICE_KEY_BITS 16u
#define DEVICE_KEY_BYTES (((size_t)1 << DEVICE_KEY_BITS) * 64)

/**
 * device_hca_new() - Make, connect and register an HCA.
 * @fabric: Where its ports get slots and LIDs.
 * @wire: The fabric's wire.
 * @faults: What goes wrong on it.
 * @hostname: For the node description.
 * @profile: What it shall look like.
 *
 * Context: May sleep.
 * Return: The HCA or ERR_PTR, as verbena_host_add().
 */
struct device_hca *device_hca_new(struct fabric *fabric, struct wire_loop *wire,
				  struct device_faults *faults, const char *hostname,
				  const struct device_profile *profile);

/**
 * struct device_place - Where an HCA's ports hang.
 * @fabric: The fabric; to be read.
 * @ours: It, if it is ours to change, or NULL.
 * @view: What there is to be said of the port of a slot; NULL: @fabric says all of it.
 * @viewer: Handed to @view.
 * @subnet: Whose hardware the ports are, if it is in this process.
 * @at: Which of @subnet's they are.
 * @hidden: Clients that want all verbs of a device do not hear of it.
 * @slot: Their places.
 * @plug: Connect a port to the wire; wire_shm_attach().
 * @unplug: And disconnect it.
 * @wire: Handed to both.
 * @faults: What goes wrong there.
 * @alloc_qpn: &rvt_driver_provided.alloc_qpn, or NULL.
 * @keys: &rvt_driver_params.mr_entries for DEVICE_KEY_BYTES, or NULL.
 * @first_key: &rvt_driver_params.mr_first.
 * @put_keys: Nobody uses @keys any more. Not called if there is no HCA in the end.
 * @set_link: Unplug a port for all, or plug it in; or NULL. Handed @owner; sleeps only if it is to
 *	wait. Return: 0; a negative errno. device_hca_link_changed() follows for each process of the host.
 * @claim: An agent of a port is about to receive requests; or NULL: it may. Handed @owner; may sleep. Return: as
 *	&mad_owner.claim.
 * @disclaim: It does not any more. Likewise.
 * @join: A queue pair joins a multicast group, or leaves it; or NULL. Handed @owner; may sleep.
 */
struct device_place {
	const struct fabric *fabric;
	struct fabric *ours;
	void (*view)(void *viewer, uint32_t slot, struct directory_view *view);
	void *viewer;
	struct subnet *subnet;
	struct subnet_at at[DEVICE_MAX_PORTS];
	bool hidden;
	uint32_t slot[DEVICE_MAX_PORTS];
	int (*plug)(void *wire, uint32_t slot, struct tp_port *port);
	void (*unplug)(void *wire, uint32_t slot);
	void *wire;
	struct device_faults *faults;
	int (*alloc_qpn)(struct rvt_dev_info *rdi, struct rvt_qpn_table *qpt, enum ib_qp_type type,
			 u32 port_num);
	void *keys;
	u32 first_key;
	void (*put_keys)(void *keys);
	int (*set_link)(void *owner, uint32_t slot, bool up, bool wait);
	int (*claim)(void *owner, uint32_t slot, const struct mad_claim *claim);
	void (*disclaim)(void *owner, const struct mad_claim *claim);
	int (*join)(void *owner, const union ib_gid *gid, bool on);
};

/**
 * device_hca_check() - Whether a host can have that name, and ready what all need.
 * @hostname: Any.
 *
 * Return: 0; -EINVAL with a cause, or what base_umem_init() returns.
 */
int device_hca_check(const char *hostname);

/**
 * device_hca_new_at() - As device_hca_new(), at a place that there is.
 * @place: Copied.
 * @hostname: Checked by device_hca_check().
 * @profile: What it shall look like.
 * @owner: As for device_hca_set_owner().
 *
 * Return: The HCA or ERR_PTR.
 */
struct device_hca *device_hca_new_at(const struct device_place *place, const char *hostname,
				     const struct device_profile *profile, void *owner);

/** device_hca_free() - Unregister, disconnect and free it. Context: May sleep. */
void device_hca_free(struct device_hca *hca);

/** device_hca_device() - Its ib_device. */
struct ib_device *device_hca_device(struct device_hca *hca);

/** device_host_add() - As verbena_host_add(), for an HCA of any shape. */
struct ib_device *device_host_add(struct verbena_fabric *fabric, const char *hostname,
				  const struct device_profile *profile);

/** device_is_object() - False, with a cause, if a program hands in NULL or an error pointer. */
static inline bool device_is_object(const void *object)
{
	if (!IS_ERR_OR_NULL(object))
		return true;
	(void)base_refuse(-EINVAL, HOST_NO_OBJECT, (uint64_t)-PTR_ERR(object));
	return false;
}

/** device_hca_fabric() - The fabric that it is on; NULL if that is a daemon's. */
const struct fabric *device_hca_fabric(const struct device_hca *hca);

/** device_hca_of() - The HCA of an ib_device that came from here. */
struct device_hca *device_hca_of(struct ib_device *device);

/** device_hca_set_owner() - Remember whose it is. @owner: The caller's own. */
void device_hca_set_owner(struct device_hca *hca, void *owner);

/** device_hca_owner() - What was remembered. */
void *device_hca_owner(const struct device_hca *hca);

/** device_qp_cause() - The first cause of a QP's death. @cause: Out; id 0 if it is alive. */
void device_qp_cause(struct ib_qp *qp, struct base_cause *cause);

/** device_hcas_forked() - Forget all devices and what carried them, in the child of a fork. */
void device_hcas_forked(void);

/** device_hca_profile() - What it looks like. */
const struct device_profile *device_hca_profile(const struct device_hca *hca);

/** device_hca_fault_hooks() - Its share of the faults. */
struct device_fault_hooks *device_hca_fault_hooks(struct device_hca *hca);

/** device_hca_slot() - Where a port hangs on the fabric. @port_num: 1 ... */
uint32_t device_hca_slot(const struct device_hca *hca, u32 port_num);

/**
 * device_hca_set_link() - As verbena_port_set_link(), without waiting.
 * @hca: HCA.
 * @port_num: 1 ...
 * @up: Which of the two.
 *
 * On a daemon's fabric the event comes when the daemon has told all processes of the host; while there is
 * no daemon this process alone has no link.
 */
void device_hca_set_link(struct device_hca *hca, u32 port_num, bool up);

/** device_hca_ask_link() - As verbena_port_set_link(). Context: May sleep. */
int device_hca_ask_link(struct device_hca *hca, u32 port_num, bool up);

/** device_hca_link_changed() - Who owns the fabric says so: raise the event. */
void device_hca_link_changed(struct device_hca *hca, u32 port_num, bool up);

/** device_hca_at() - Which of the subnet's ports it is. @port_num: 1 ... */
struct subnet_at device_hca_at(const struct device_hca *hca, u32 port_num);

/** device_hca_refresh() - The subnet has changed something at a port, or may have: take it over. Context: Any. */
void device_hca_refresh(struct device_hca *hca, u32 port_num);

/**
 * device_hca_port_changed() - And raise the events.
 * @hca: HCA.
 * @port_num: 1 ...
 * @what: Bits SUBNET_CHANGED_*.
 *
 * Context: No locks.
 */
void device_hca_port_changed(struct device_hca *hca, u32 port_num, uint32_t what);

/**
 * device_hca_set_cut() - Nobody manages its fabric at the moment: its port is down for programs.
 * @hca: HCA.
 * @cut: Whether. Connections that there are go on all the same.
 *
 * Context: No locks. Raises the port's event if it changes anything.
 */
void device_hca_set_cut(struct device_hca *hca, bool cut);

/** device_hca_add_stats() - Add its transport counters to @stats. */
void device_hca_add_stats(const struct device_hca *hca, struct verbena_stats *stats);

/** device_hca_errors() - Write down what its transport has counted. @report: Of the HCA's ports. */
void device_hca_errors(const struct device_hca *hca, struct base_report_port *report);

/** device_hca_set_loopback() - Whether QPs of this device reach each other without packets. */
void device_hca_set_loopback(struct device_hca *hca, bool on);

#endif
