/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Bytes from one host to another in one MAD, which the MAD layer cuts into segments. */
#ifndef CLI_RMPP_FILE_H
#define CLI_RMPP_FILE_H

#include <rdma/ib_verbs.h>
#include <stddef.h>
#include <stdint.h>

/**
 * rmpp_file_send() - Send, and receive.
 * @from: Device of the sender; its first port is used.
 * @to: Device of the receiver; likewise.
 * @lid: The receiver's.
 * @file: What is sent.
 * @copy: Out: what has arrived.
 * @bytes: Of each.
 *
 * Return: 0; -EIO: it did not arrive; another negative errno, with a cause.
 */
int rmpp_file_send(struct ib_device *from, struct ib_device *to, uint16_t lid, const void *file,
		   void *copy, size_t bytes);

#endif
