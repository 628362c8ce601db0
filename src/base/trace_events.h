/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* All events: X(name, printf format of its values, types of the values: at most 4 integers). */
#ifndef BASE_TRACE_EVENTS_H
#define BASE_TRACE_EVENTS_H

/* clang-format off */
#define TRACE_EVENTS(X)                                                                           \
	X(rc_nak_sent, "qpn %06x psn %06x syndrome %02x", uint32_t, uint32_t, uint8_t)            \
	X(rc_retry_exhausted, "qpn %06x psn %06x tries %u", uint32_t, uint32_t, uint8_t)          \
	X(run_dropped, "qpn %06x psn %06x opcode %02x why %u", uint32_t, uint32_t, uint8_t,        \
	  uint8_t)                                                                                \
	X(qp_error, "qpn %06x cause %u", uint32_t, uint16_t)                                      \
	X(core_event_lost, "event %u", uint32_t) \
	X(cq_overflow, "cqe %u qpn %06x", uint32_t, uint32_t) \
	X(copy_fault, "qpn %06x", uint32_t) \
	X(mad_dropped, "port %u class %02x method %02x why %u", uint8_t, uint8_t, uint8_t, uint8_t)
/* clang-format on */

#endif
