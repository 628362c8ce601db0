/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The wire inside a process where a subnet says the way: data goes by its tables, datagrams of QP 0 and those
 * of QP 1 that hardware answers go through it.
 */
#ifndef WIRE_LOOP_SUBNET_H
#define WIRE_LOOP_SUBNET_H

#include "fabric/subnet.h"
#include "wire/loop.h"

/**
 * wire_loop_set_subnet() - Ports are a subnet's from now on.
 * @loop: Wire, without ports.
 * @subnet: Outlives the wire.
 *
 * Return: 0; -ENOMEM.
 */
int wire_loop_set_subnet(struct wire_loop *loop, struct subnet *subnet);

/** wire_loop_place() - Say which of the subnet's ports a slot is, before it is attached. */
void wire_loop_place(struct wire_loop *loop, uint32_t slot, struct subnet_at at);

/** wire_loop_displace() - A slot is none of them any more; it is detached. */
void wire_loop_displace(struct wire_loop *loop, uint32_t slot);

/** wire_loop_at() - Which of them it is. */
struct subnet_at wire_loop_at(const struct wire_loop *loop, uint32_t slot);

/** wire_loop_slot() - Which slot a port of the subnet is; -ENOENT: none. Context: Any. */
int wire_loop_slot(const struct wire_loop *loop, struct subnet_at at);

/**
 * wire_loop_deliver_mad() - &subnet_ops.deliver for a port that may be ours.
 * @loop: Wire.
 * @at: Where it has arrived.
 * @mad: It.
 *
 * Context: No locks. The port's queue pair gets it before the outermost call into the wire returns.
 * Return: Whether there is a queue pair for it.
 */
bool wire_loop_deliver_mad(struct wire_loop *loop, struct subnet_at at,
			   const struct subnet_mad *mad);

/** wire_loop_capture_mad() - One that does not come by the wire, but by its subnet: write it, if that is wanted. */
void wire_loop_capture_mad(struct wire_loop *loop, const struct subnet_mad *mad);

#endif
