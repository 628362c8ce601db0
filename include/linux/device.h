/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* As much of the driver core as an RDMA device shows. */
#ifndef VERBENA_LINUX_DEVICE_H
#define VERBENA_LINUX_DEVICE_H

#include <linux/kref.h>
#include <linux/printk.h>

#define NUMA_NO_NODE (-1)

struct attribute_group;
struct kobject;

struct device {
	struct device *parent;
	const char *init_name;
	void *driver_data;
	void (*release)(struct device *dev);
	struct kref kref;
	int numa_node;
	char name[64];
};

static inline const char *dev_name(const struct device *dev)
{
	return dev->name[0] || !dev->init_name ? dev->name : dev->init_name;
}

static inline int dev_to_node(const struct device *dev)
{
	return dev->numa_node;
}

static inline void *dev_get_drvdata(const struct device *dev)
{
	return dev->driver_data;
}

static inline void dev_set_drvdata(struct device *dev, void *data)
{
	dev->driver_data = data;
}

#define dev_err(dev, fmt, ...) pr_err("%s: " fmt, dev_name(dev), ##__VA_ARGS__)
#define dev_warn(dev, fmt, ...) pr_warn("%s: " fmt, dev_name(dev), ##__VA_ARGS__)
#define dev_notice(dev, fmt, ...) pr_notice("%s: " fmt, dev_name(dev), ##__VA_ARGS__)
#define dev_info(dev, fmt, ...) pr_info("%s: " fmt, dev_name(dev), ##__VA_ARGS__)
#define dev_dbg(dev, fmt, ...) pr_debug("%s: " fmt, dev_name(dev), ##__VA_ARGS__)

#endif /* VERBENA_LINUX_DEVICE_H */
