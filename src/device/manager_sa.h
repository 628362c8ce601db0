/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Subnet administration as an agent: what arrives at QP 1 of the manager's port is answered, tables by RMPP, and
 * reports are sent until they are answered.
 */
#ifndef DEVICE_MANAGER_SA_H
#define DEVICE_MANAGER_SA_H

#include <linux/types.h>

#include "sm/sa.h"

struct device_sa;
struct ib_device;
struct ib_mad_recv_wc;

/**
 * device_sa_new() - Register the agent.
 * @device: At the manager's place; its first port is used.
 * @arrived: A request has arrived; the caller's until device_sa_answer(). Called where work is done, without locks.
 * @ctx: Handed to it.
 *
 * Context: May sleep.
 * Return: The agent or ERR_PTR, as ib_register_mad_agent().
 */
struct device_sa *device_sa_new(struct ib_device *device,
				void (*arrived)(void *ctx, struct ib_mad_recv_wc *request),
				void *ctx);

/** device_sa_free() - Unregister it: nothing arrives any more. @s: May be NULL. Context: May sleep. */
void device_sa_free(struct device_sa *s);

/**
 * device_sa_answer() - Have a request answered, and send that.
 * @s: Agent.
 * @sa: Who knows.
 * @request: Given back.
 *
 * Context: No locks.
 */
void device_sa_answer(struct device_sa *s, struct sa *sa, struct ib_mad_recv_wc *request);

/** device_sa_drop() - Give a request back that nobody answers. */
void device_sa_drop(struct ib_mad_recv_wc *request);

/** device_sa_report() - &sa_ops.report. */
void device_sa_report(struct device_sa *s, const struct sa_peer *to,
		      const struct ib_sa_mad *report);

#endif
