/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* verbena demo --mad. */
#ifndef CLI_DEMO_MAD_H
#define CLI_DEMO_MAD_H

#include <stdbool.h>

/**
 * demo_mad() - A subnet that is managed: a file by RMPP, RDMA, counters on its way, a cable that is cut.
 * @json: One JSON object instead of text.
 * @capture: File for all packets, or NULL.
 *
 * Return: The exit status.
 */
int demo_mad(bool json, const char *capture);

#endif
