/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a cause is made of (src/base/cause.h has the rest), for structures that keep one. */
#ifndef VERBENA_LINUX_VERBENA_CAUSE_H
#define VERBENA_LINUX_VERBENA_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

#define BASE_CAUSE_ARGS 6

/* wr_opcode of a receive, and of a request whose opcode is a number far beyond all that have a name. */
#define BASE_CAUSE_RECEIVE 0xff
#define BASE_CAUSE_NO_OPCODE 0xfe

/**
 * struct base_cause - One cause with its values.
 * @wr_id: The work request's cookie, where @has_wr.
 * @arg: What the row's sentence names {0}, {1} ...
 * @id: enum base_cause_id; 0 is "none".
 * @side: enum base_side.
 * @has_wr: @wr_id and @wr_opcode are valid.
 * @wr_opcode: enum ib_wr_opcode of the request, or BASE_CAUSE_RECEIVE.
 * @status: enum ib_wc_status of the completion, 0 for a refused call.
 * @qpn: The queue pair, 0 if none.
 * @peer_qpn: The queue pair at the other side, 0 if none.
 */
struct base_cause {
	uint64_t wr_id;
	uint64_t arg[BASE_CAUSE_ARGS];
	uint16_t id;
	uint8_t side;
	bool has_wr;
	uint8_t wr_opcode;
	uint8_t status;
	uint32_t qpn;
	uint32_t peer_qpn;
};

#endif /* VERBENA_LINUX_VERBENA_CAUSE_H */
