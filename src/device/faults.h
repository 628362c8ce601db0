/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Faults of the devices of one fabric, or of this process on a daemon's fabric: verbs that fail, queue
 * pairs that die, ports that go down, events. What befalls packets the wire carries out.
 */
#ifndef DEVICE_FAULTS_H
#define DEVICE_FAULTS_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "fabric/faults.h"

#define DEVICE_FAULTS_WAITING 16u

struct device_hca;

/* What is to be done where no locks are held. A port of UINT32_MAX is all of them. */
struct device_fault_act {
	struct fault_rule rule;
	uint32_t slot;
	uint32_t qpn;
};

/**
 * struct device_faults - Faults, and the devices that have them.
 * @faults: The plan.
 * @lock: Of @hcas.
 * @hcas: Devices, by &device_fault_hooks.link.
 * @waiting_lock: Leaf: of what follows.
 * @waiting: What is to be done soon.
 * @count: How much.
 * @due_ns: When time alone brings about each rule; UINT64_MAX: not again.
 * @up_ns: When the ports come up again.
 * @awaits_open: A program is to open a device; until then time stands still for faults.
 * @opened: It has, since they were set. @lock, as are the times.
 * @work: Does it.
 * @timer: Says that it is time.
 * @prepare: As given.
 * @ctx: Handed to it.
 */
struct device_faults {
	struct fabric_faults faults;
	struct mutex lock;
	struct list_head hcas;
	spinlock_t waiting_lock;
	struct device_fault_act waiting[DEVICE_FAULTS_WAITING];
	uint32_t count;
	uint64_t due_ns[FAULT_RULES];
	uint64_t up_ns;
	bool awaits_open;
	bool opened;
	struct work_struct work;
	struct base_timer timer;
	int (*prepare)(void *ctx);
	void *ctx;
};

/**
 * struct device_fault_hooks - A device's share.
 * @link: In &device_faults.hcas.
 * @faults: Whose list; NULL: none, or none any more. Read under RCU.
 * @below: The operations as they are without us.
 * @hca: Device.
 */
struct device_fault_hooks {
	struct list_head link;
	struct device_faults *faults;
	struct ib_device_ops below;
	struct device_hca *hca;
};

/**
 * device_faults_init() - None yet.
 * @faults: Any content.
 * @prepare: Called before there are any for packets: memory for those that are late. NULL: it is there.
 * @ctx: Handed to @prepare.
 */
void device_faults_init(struct device_faults *faults, int (*prepare)(void *ctx), void *ctx);

/** device_faults_free() - No device has them any more, and no wire. */
void device_faults_free(struct device_faults *faults);

/** device_faults_set() - From now on. @plan: NULL: none. Context: May sleep. */
void device_faults_set(struct device_faults *faults, const struct fault_plan *plan);

/** device_faults_opened() - A program has opened a device. See &device_faults.awaits_open. */
void device_faults_opened(struct device_faults *faults);

/** device_faults_hook() - A device has them: its operations become ours. Before clients use it. */
void device_faults_hook(struct device_faults *faults, struct device_hca *hca,
			struct device_fault_hooks *hooks);

/** device_faults_unhook() - It has them no more. Context: May sleep. */
void device_faults_unhook(struct device_fault_hooks *hooks);

/** device_faults_inject() - As verbena_fabric_inject(). */
int device_faults_inject(struct device_faults *faults, const char *spec);

#endif
