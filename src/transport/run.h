/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a run is made of, for those inside the transport. The rest is in tp.h. */
#ifndef TRANSPORT_RUN_H
#define TRANSPORT_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "packet/view.h"
#include "transport/tp.h"

/**
 * tp_run_is_sane() - Whether such packets could have come from a wire.
 * @run: Any content.
 *
 * The opcodes exist and follow each other, a run of several packets has all of them full but the
 * last, and that not empty. What one packet alone could violate is left to the responder and the
 * requester, who must tell the peer.
 */
bool tp_run_is_sane(const struct tp_run *run);

/**
 * tp_run_length_is_right() - Whether each packet has the length that its position demands [rcp 4].
 * @run: Sane: of several packets all but the last are full.
 * @pmtu_bytes: Path MTU of the queue pair.
 */
bool tp_run_length_is_right(const struct tp_run *run, uint32_t pmtu_bytes);

/**
 * tp_run_opcode() - The opcode of one packet.
 * @run: Sane.
 * @index: 0 ... packets - 1.
 */
uint8_t tp_run_opcode(const struct tp_run *run, uint32_t index);

/** tp_run_ends_message() - Whether the last packet of @run is the last of its message. */
static inline bool tp_run_ends_message(const struct tp_run *run)
{
	const enum pkt_pos pos = pkt_op(run->last_opcode)->pos;

	return pos == PKT_LAST || pos == PKT_ONLY;
}

/**
 * tp_run_to_view() - The headers of a run of one packet, complete but for the CRCs.
 * @run: Sane, one packet.
 * @view: Out. @view->payload stays NULL: the payload is in @run.
 */
void tp_run_to_view(const struct tp_run *run, struct pkt_view *view);

/**
 * tp_run_from_view() - The run of one packet that was decoded.
 * @view: From pkt_decode(). Of RoCE, only the transport headers count: its path is the caller's.
 * @run: Out.
 * @iov: Out: its payload.
 */
void tp_run_from_view(const struct pkt_view *view, struct tp_run *run, struct iovec *iov);

#endif
