/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Answers that the layer itself, or a driver, gives: they are sent by an agent of each QP's own. */
#ifndef MAD_AGENT_H
#define MAD_AGENT_H

#include <rdma/ib_mad.h>

struct ib_mad_port_private;

/**
 * agent_send_response() - Send an answer back to where something came from.
 * @mad_hdr: The answer. Copied.
 * @grh: GRH of what it answers, if @wc has IB_WC_GRH.
 * @wc: Completion of what it answers.
 * @device: Which device,
 * @port_num: which port of it,
 * @qpn: and which of its QPs, 0 or 1, received it.
 * @resp_mad_len: Bytes of the answer.
 * @opa: The port takes MADs of Omni-Path.
 *
 * What cannot be sent is lost: the other side asks again.
 *
 * Context: May sleep; no locks.
 */
void agent_send_response(const struct ib_mad_hdr *mad_hdr, const struct ib_grh *grh,
			 const struct ib_wc *wc, const struct ib_device *device, int port_num,
			 int qpn, size_t resp_mad_len, bool opa);

/** mad_reply() - The same of a port that is at hand. */
void mad_reply(struct ib_mad_port_private *port, int qpn, const struct ib_mad_hdr *mad_hdr,
	       const struct ib_grh *grh, const struct ib_wc *wc, size_t bytes);

/** ib_agent_port_make() - Register the agents of a port that has just been opened. Returns 0 or an errno. */
int ib_agent_port_make(struct ib_mad_port_private *port);

/** ib_agent_port_free() - Unregister them. */
void ib_agent_port_free(struct ib_mad_port_private *port);

#endif
