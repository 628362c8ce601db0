/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a subnet carries by itself, MADs of QP 0 and QP 1, and the datagrams that they are for queue pairs. */
#ifndef WIRE_MAD_RUN_H
#define WIRE_MAD_RUN_H

#include <stdbool.h>

#include "fabric/subnet.h"
#include "packet/opcode.h"
#include "transport/tp.h"

/** wire_run_is_datagram() - Whether it has a DETH. */
static inline bool wire_run_is_datagram(const struct tp_run *run)
{
	return pkt_op(run->first_opcode)->service == PKT_SERVICE_UD;
}

/** wire_mad_header() - Everything of a run but its payload. */
void wire_mad_header(const struct tp_run *run, struct subnet_mad *mad);

/** wire_mad_of_run() - All of it. Returns false if it has not the length of a MAD, or is not there. */
bool wire_mad_of_run(const struct tp_run *run, struct subnet_mad *mad);

/**
 * wire_mad_run() - The packet of a MAD.
 * @mad: MAD; is to outlive @run.
 * @iov: Of the payload; likewise.
 * @run: Out.
 */
void wire_mad_run(const struct subnet_mad *mad, struct iovec *iov, struct tp_run *run);

#endif
