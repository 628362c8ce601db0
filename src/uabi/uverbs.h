/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The verbs device of stock programs, /dev/infiniband/uverbsN: what the rest of uabi sees of it. */
#ifndef UABI_UVERBS_H
#define UABI_UVERBS_H

#include <linux/types.h>

struct ib_device;
struct uabi_file;

#define UVERBS_MAX_DEVICES 32u
#define UVERBS_ABI 6

/**
 * uverbs_init() - Become a client of core: from now on each device has a minor number.
 * @host: Name of the process's host, for lines that explain errors.
 *
 * Context: May sleep. Any number of times.
 * Return: 0 or what ib_register_client() returned.
 */
int uverbs_init(const char *host);

/** uverbs_exit() - Be a client no more. No file is open (tests). */
void uverbs_exit(void);

/** uverbs_forked() - Forget all devices, in the child of a fork. */
void uverbs_forked(void);

/**
 * uverbs_device_get() - The device with a minor number.
 * @minor: Any number.
 *
 * Return: The device with a reference, for ib_device_put(); NULL if there is none.
 */
struct ib_device *uverbs_device_get(unsigned int minor);

/** uverbs_is_device() - Whether there is a device with a minor number. @minor: Any number. */
bool uverbs_is_device(unsigned int minor);

/** uverbs_devt() - Number of the character device with a minor number. */
dev_t uverbs_devt(unsigned int minor);

/**
 * uverbs_open() - Open a verbs device.
 * @minor: Which.
 * @file: Out: what the descriptor means, one reference.
 * @backing_fd: Out: the real descriptor, with O_CLOEXEC.
 *
 * Context: May sleep.
 * Return: 0; -ENXIO if there is none; -EMFILE, -ENOMEM. With a cause.
 */
int uverbs_open(unsigned int minor, struct uabi_file **file, int *backing_fd);

/**
 * struct uverbs_library_ops - What is done to the objects of the library that called us.
 * @cq_created: A CQ is being made; @user_handle is its struct ibv_cq.
 * @cq_used: A QP is being made that completes to the CQ, so it is complete now.
 * @cq_destroyed: The CQ is gone.
 * @qp_created: A QP is being made; @user_handle is its struct ibv_qp.
 *
 * Stock libraries keep the data path to themselves. The preload library makes it call us, too.
 */
struct uverbs_library_ops {
	void (*cq_created)(u64 user_handle);
	void (*cq_used)(u64 user_handle);
	void (*cq_destroyed)(u64 user_handle);
	void (*qp_created)(u64 user_handle);
};

/** uverbs_library_install() - Let @ops be told of libraries' objects. @ops: NULL for nobody. */
void uverbs_library_install(const struct uverbs_library_ops *ops);

#endif
