/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* MADs: what a driver that answers and sends traps itself would use. Here the fabric does both. */
#ifndef RDMAVT_MAD_H
#define RDMAVT_MAD_H

#include <rdma/ib_mad.h>
#include <rdma/rdma_vt.h>

/**
 * rvt_process_mad() - No answer to any MAD: a driver brings its own process_mad.
 * @ibdev: Not looked at, like all that follow.
 * @mad_flags: See @ibdev.
 * @port_num: See @ibdev.
 * @in_wc: See @ibdev.
 * @in_grh: See @ibdev.
 * @in: See @ibdev.
 * @in_mad_size: See @ibdev.
 * @out: Not written, like all that follow.
 * @out_mad_size: See @out.
 * @out_mad_pkey_index: See @out.
 *
 * Return: IB_MAD_RESULT_FAILURE.
 */
int rvt_process_mad(struct ib_device *ibdev, int mad_flags, u32 port_num, const struct ib_wc *in_wc,
		    const struct ib_grh *in_grh, const struct ib_mad_hdr *in, size_t in_mad_size,
		    struct ib_mad_hdr *out, size_t *out_mad_size, u16 *out_mad_pkey_index);

/**
 * rvt_create_mad_agents() - Make the agent that sends each port's traps.
 * @rdi: A registered device.
 *
 * Traps are sent by the ports' firmware, which is the fabric's, and the QPs that an agent needs are not
 * opened for nothing: no port gets a send_agent, and the driver's notify_create_mad_agent is not called.
 *
 * Return: -EOPNOTSUPP; 0 for a device without ports.
 */
int rvt_create_mad_agents(struct rvt_dev_info *rdi);

/**
 * rvt_free_mad_agents() - Undo rvt_create_mad_agents(), and free each port's AH to the SM.
 * @rdi: The device.
 */
void rvt_free_mad_agents(struct rvt_dev_info *rdi);

#endif
