/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Reading a provider's counters (struct rdma_hw_stats). */
#ifndef CORE_HW_STATS_H
#define CORE_HW_STATS_H

#include <rdma/ib_verbs.h>

/**
 * ib_get_hw_stats_port() - The counter set of a port, or of the device as a whole.
 * @ibdev: A registered device.
 * @port_num: Port number; 0 for the device.
 *
 * Return: The set, valid until the device is gone; NULL if there is none.
 */
struct rdma_hw_stats *ib_get_hw_stats_port(struct ib_device *ibdev, u32 port_num);

/**
 * core_hw_stats_read() - The value of one counter, not older than the set's lifespan.
 * @ibdev: A registered device.
 * @port_num: Port number; 0 for the device.
 * @index: Position in the set.
 * @value: Out, on success.
 *
 * Return: 0; -EOPNOTSUPP if there are no counters; -EINVAL for the index; -ENODATA for a counter
 *	that is switched off; what ops.get_hw_stats() returned.
 */
int core_hw_stats_read(struct ib_device *ibdev, u32 port_num, int index, u64 *value);

/**
 * rdma_counter_modify() - Switch an optional counter of a port on or off.
 * @dev: A registered device.
 * @port: Port number.
 * @index: Position in the set.
 * @enable: On.
 *
 * Return: 0; -EOPNOTSUPP if the provider has no such counters; -EINVAL if this one does not exist or
 *	cannot be switched; what ops.modify_hw_stat() returned.
 */
int rdma_counter_modify(struct ib_device *dev, u32 port, unsigned int index, bool enable);

#endif
