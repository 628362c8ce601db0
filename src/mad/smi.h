/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The rules of directed routes: what becomes of an SMP at a node, and what the node notes in it. Of the
 * SMP alone: who has one asks about its own port.
 */
#ifndef MAD_SMI_H
#define MAD_SMI_H

#include <rdma/ib_smi.h>

struct ib_device;

/** enum smi_action - Whether an SMP may stay or go on. */
enum smi_action {
	IB_SMI_DISCARD,
	IB_SMI_HANDLE,
};

/** enum smi_forward_action - Where an SMP that has arrived goes. */
enum smi_forward_action {
	IB_SMI_LOCAL,	/* to this node */
	IB_SMI_SEND,	/* the rules of sending decide: to this node, or on by its LID */
	IB_SMI_FORWARD, /* out of another port of this switch */
};

/**
 * smi_handle_dr_smp_send() - An SMP is about to be sent: may it, and its next hop.
 * @smp: Class 0x81; its hop pointer moves on.
 * @is_switch: Whether this node is one.
 * @port_num: Port that it leaves by.
 *
 * Return: IB_SMI_HANDLE; IB_SMI_DISCARD if this port is not on its route, or the route makes no sense.
 */
enum smi_action smi_handle_dr_smp_send(struct ib_smp *smp, bool is_switch, u32 port_num);

/**
 * smi_handle_dr_smp_recv() - An SMP has arrived: the port is noted in it.
 * @smp: Class 0x81.
 * @is_switch: Whether this node is one.
 * @port_num: Port that it came in by.
 * @phys_port_cnt: How many ports this node has, without port 0.
 *
 * Return: IB_SMI_HANDLE; IB_SMI_DISCARD if the route makes no sense here.
 */
enum smi_action smi_handle_dr_smp_recv(struct ib_smp *smp, bool is_switch, u32 port_num,
				       int phys_port_cnt);

/** smi_check_forward_dr_smp() - Whether an SMP that was received ends here. @smp: Class 0x81. */
enum smi_forward_action smi_check_forward_dr_smp(struct ib_smp *smp);

/** smi_get_fwd_port() - The port that an SMP to be forwarded leaves by. @smp: Class 0x81. */
int smi_get_fwd_port(struct ib_smp *smp);

/**
 * smi_check_local_smp() - Whether a request that was about to be sent is for this very node.
 * @smp: Class 0x81, after smi_handle_dr_smp_send().
 * @device: Whose.
 *
 * Return: IB_SMI_HANDLE if so, and @device has process_mad; else IB_SMI_DISCARD.
 */
enum smi_action smi_check_local_smp(struct ib_smp *smp, struct ib_device *device);

/**
 * smi_check_local_returning_smp() - The same of a response.
 * @smp: Class 0x81, after smi_handle_dr_smp_send().
 * @device: Whose.
 *
 * Return: IB_SMI_HANDLE if so, and @device has process_mad; else IB_SMI_DISCARD.
 */
enum smi_action smi_check_local_returning_smp(struct ib_smp *smp, struct ib_device *device);

#endif
