/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The opcode table, spelled out from the list in opcode.h. */
#include "packet/opcode.h"

#define IF(headers, flag, bytes) (((headers) & (flag)) ? (bytes) : 0u)
#define HEADER_BYTES(h)                                                                         \
	(uint8_t)(PKT_BTH_BYTES + IF(h, PKT_XRCETH, PKT_XRCETH_BYTES) +                         \
		  IF(h, PKT_RDETH, PKT_RDETH_BYTES) + IF(h, PKT_DETH, PKT_DETH_BYTES) +         \
		  IF(h, PKT_FETH, PKT_FETH_BYTES) + IF(h, PKT_RETH, PKT_RETH_BYTES) +           \
		  IF(h, PKT_ATOMICETH, PKT_ATOMICETH_BYTES) + IF(h, PKT_AETH, PKT_AETH_BYTES) + \
		  IF(h, PKT_ATOMICACKETH, PKT_ATOMICACKETH_BYTES) +                             \
		  IF(h, PKT_IMMDT, PKT_IMMDT_BYTES) + IF(h, PKT_IETH, PKT_IETH_BYTES))

#define ROW(op, opname, svc, position, kind_of, side_of, rwqe, executed, h) \
	[op] = {                                                            \
		.name = #opname,                                            \
		.headers = (h),                                             \
		.header_bytes = HEADER_BYTES(h),                            \
		.service = PKT_SERVICE_##svc,                               \
		.pos = PKT_##position,                                      \
		.kind = PKT_KIND_##kind_of,                                 \
		.side = PKT_##side_of,                                      \
		.takes_rwqe = (rwqe),                                       \
		.supported = (executed),                                    \
	},

const struct pkt_opcode pkt_opcodes[256] = {PKT_OPCODES(ROW)};

const char *pkt_opcode_name(uint8_t opcode)
{
	const char *name = pkt_opcodes[opcode].name;

	return name ? name : "reserved";
}
