/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The opcode table: what each BTH opcode is, and which headers follow the BTH [rcp 2].
 *
 * PKT_OPCODES is the only list of opcodes in the tree. The enumerators (PKT_RC_SEND_FIRST ...), the
 * table pkt_opcodes[] and all that encodes, decodes or judges a packet derive from it.
 */
#ifndef PACKET_OPCODE_H
#define PACKET_OPCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits 7-5 of the opcode. 6 and 7 are the manufacturers'. */
enum pkt_service {
	PKT_SERVICE_RC = 0,
	PKT_SERVICE_UC = 1,
	PKT_SERVICE_RD = 2,
	PKT_SERVICE_UD = 3,
	PKT_SERVICE_CNP = 4,
	PKT_SERVICE_XRC = 5,
};

/* Where in its message a packet stands. What has one packet only, an ACK too, is ONLY. */
enum pkt_pos {
	PKT_FIRST,
	PKT_MIDDLE,
	PKT_LAST,
	PKT_ONLY,
};

/* What a packet asks or answers. */
enum pkt_kind {
	PKT_KIND_RESERVED = 0, /* no such opcode */
	PKT_KIND_SEND,
	PKT_KIND_WRITE,
	PKT_KIND_READ_REQ,
	PKT_KIND_READ_RESP,
	PKT_KIND_ACK,
	PKT_KIND_ATOMIC_ACK,
	PKT_KIND_COMPARE_SWAP,
	PKT_KIND_FETCH_ADD,
	PKT_KIND_FLUSH,
	PKT_KIND_ATOMIC_WRITE,
	PKT_KIND_RESYNC,
	PKT_KIND_CNP,
};

/*
 * Who a packet is for: the responder of its QP, the requester, or neither (a congestion
 * notification).
 */
enum pkt_side {
	PKT_REQUEST,
	PKT_RESPONSE,
	PKT_NOTICE,
};

/* What follows the BTH, in the order of the wire; PKT_DATA: a payload may. */
#define PKT_XRCETH 0x001u
#define PKT_RDETH 0x002u
#define PKT_DETH 0x004u
#define PKT_FETH 0x008u
#define PKT_RETH 0x010u
#define PKT_ATOMICETH 0x020u
#define PKT_AETH 0x040u
#define PKT_ATOMICACKETH 0x080u
#define PKT_IMMDT 0x100u
#define PKT_IETH 0x200u
#define PKT_DATA 0x400u

#define PKT_BTH_BYTES 12u
#define PKT_XRCETH_BYTES 4u
#define PKT_RDETH_BYTES 4u
#define PKT_DETH_BYTES 8u
#define PKT_FETH_BYTES 4u
#define PKT_RETH_BYTES 16u
#define PKT_ATOMICETH_BYTES 28u
#define PKT_AETH_BYTES 4u
#define PKT_ATOMICACKETH_BYTES 8u
#define PKT_IMMDT_BYTES 4u
#define PKT_IETH_BYTES 4u

/* The longest headers of one packet: BTH, RDETH, DETH, AtomicETH. */
#define PKT_MAX_HEADER_BYTES 52u

/* clang-format off */
/*
 * Columns: opcode; name; service; position; kind; who it is for; whether it consumes a receive WQE
 * (SEND when it begins, WRITE with immediate when it ends); whether the transport executes it (what
 * it does not is dropped); headers.
 */
#define PKT_OPCODES(X)                                                                           \
	PKT_OPCODES_RC(X) PKT_OPCODES_UC(X) PKT_OPCODES_RD(X) PKT_OPCODES_UD(X)                  \
	PKT_OPCODES_CNP(X) PKT_OPCODES_XRC(X)

#define PKT_OPCODES_RC(X)                                                                        \
	X(0x00, RC_SEND_FIRST,           RC, FIRST,  SEND,         REQUEST,  true,  true,        \
	  PKT_DATA)                                                                              \
	X(0x01, RC_SEND_MIDDLE,          RC, MIDDLE, SEND,         REQUEST,  false, true,        \
	  PKT_DATA)                                                                              \
	X(0x02, RC_SEND_LAST,            RC, LAST,   SEND,         REQUEST,  false, true,        \
	  PKT_DATA)                                                                              \
	X(0x03, RC_SEND_LAST_IMM,        RC, LAST,   SEND,         REQUEST,  false, true,        \
	  PKT_IMMDT | PKT_DATA)                                                                  \
	X(0x04, RC_SEND_ONLY,            RC, ONLY,   SEND,         REQUEST,  true,  true,        \
	  PKT_DATA)                                                                              \
	X(0x05, RC_SEND_ONLY_IMM,        RC, ONLY,   SEND,         REQUEST,  true,  true,        \
	  PKT_IMMDT | PKT_DATA)                                                                  \
	X(0x06, RC_WRITE_FIRST,          RC, FIRST,  WRITE,        REQUEST,  false, true,        \
	  PKT_RETH | PKT_DATA)                                                                   \
	X(0x07, RC_WRITE_MIDDLE,         RC, MIDDLE, WRITE,        REQUEST,  false, true,        \
	  PKT_DATA)                                                                              \
	X(0x08, RC_WRITE_LAST,           RC, LAST,   WRITE,        REQUEST,  false, true,        \
	  PKT_DATA)                                                                              \
	X(0x09, RC_WRITE_LAST_IMM,       RC, LAST,   WRITE,        REQUEST,  true,  true,        \
	  PKT_IMMDT | PKT_DATA)                                                                  \
	X(0x0a, RC_WRITE_ONLY,           RC, ONLY,   WRITE,        REQUEST,  false, true,        \
	  PKT_RETH | PKT_DATA)                                                                   \
	X(0x0b, RC_WRITE_ONLY_IMM,       RC, ONLY,   WRITE,        REQUEST,  true,  true,        \
	  PKT_RETH | PKT_IMMDT | PKT_DATA)                                                       \
	X(0x0c, RC_READ_REQUEST,         RC, ONLY,   READ_REQ,     REQUEST,  false, true,        \
	  PKT_RETH)                                                                              \
	X(0x0d, RC_READ_RESPONSE_FIRST,  RC, FIRST,  READ_RESP,    RESPONSE, false, true,        \
	  PKT_AETH | PKT_DATA)                                                                   \
	X(0x0e, RC_READ_RESPONSE_MIDDLE, RC, MIDDLE, READ_RESP,    RESPONSE, false, true,        \
	  PKT_DATA)                                                                              \
	X(0x0f, RC_READ_RESPONSE_LAST,   RC, LAST,   READ_RESP,    RESPONSE, false, true,        \
	  PKT_AETH | PKT_DATA)                                                                   \
	X(0x10, RC_READ_RESPONSE_ONLY,   RC, ONLY,   READ_RESP,    RESPONSE, false, true,        \
	  PKT_AETH | PKT_DATA)                                                                   \
	X(0x11, RC_ACKNOWLEDGE,          RC, ONLY,   ACK,          RESPONSE, false, true,        \
	  PKT_AETH)                                                                              \
	X(0x12, RC_ATOMIC_ACKNOWLEDGE,   RC, ONLY,   ATOMIC_ACK,   RESPONSE, false, true,        \
	  PKT_AETH | PKT_ATOMICACKETH)                                                           \
	X(0x13, RC_COMPARE_SWAP,         RC, ONLY,   COMPARE_SWAP, REQUEST,  false, true,        \
	  PKT_ATOMICETH)                                                                         \
	X(0x14, RC_FETCH_ADD,            RC, ONLY,   FETCH_ADD,    REQUEST,  false, true,        \
	  PKT_ATOMICETH)                                                                         \
	X(0x16, RC_SEND_LAST_INV,        RC, LAST,   SEND,         REQUEST,  false, true,        \
	  PKT_IETH | PKT_DATA)                                                                   \
	X(0x17, RC_SEND_ONLY_INV,        RC, ONLY,   SEND,         REQUEST,  true,  true,        \
	  PKT_IETH | PKT_DATA)                                                                   \
	X(0x1c, RC_FLUSH,                RC, ONLY,   FLUSH,        REQUEST,  false, true,        \
	  PKT_FETH | PKT_RETH)                                                                   \
	X(0x1d, RC_ATOMIC_WRITE,         RC, ONLY,   ATOMIC_WRITE, REQUEST,  false, true,        \
	  PKT_RETH | PKT_DATA)

#define PKT_OPCODES_UC(X)                                                                        \
	X(0x20, UC_SEND_FIRST,           UC, FIRST,  SEND,         REQUEST,  true,  true,        \
	  PKT_DATA)                                                                              \
	X(0x21, UC_SEND_MIDDLE,          UC, MIDDLE, SEND,         REQUEST,  false, true,        \
	  PKT_DATA)                                                                              \
	X(0x22, UC_SEND_LAST,            UC, LAST,   SEND,         REQUEST,  false, true,        \
	  PKT_DATA)                                                                              \
	X(0x23, UC_SEND_LAST_IMM,        UC, LAST,   SEND,         REQUEST,  false, true,        \
	  PKT_IMMDT | PKT_DATA)                                                                  \
	X(0x24, UC_SEND_ONLY,            UC, ONLY,   SEND,         REQUEST,  true,  true,        \
	  PKT_DATA)                                                                              \
	X(0x25, UC_SEND_ONLY_IMM,        UC, ONLY,   SEND,         REQUEST,  true,  true,        \
	  PKT_IMMDT | PKT_DATA)                                                                  \
	X(0x26, UC_WRITE_FIRST,          UC, FIRST,  WRITE,        REQUEST,  false, true,        \
	  PKT_RETH | PKT_DATA)                                                                   \
	X(0x27, UC_WRITE_MIDDLE,         UC, MIDDLE, WRITE,        REQUEST,  false, true,        \
	  PKT_DATA)                                                                              \
	X(0x28, UC_WRITE_LAST,           UC, LAST,   WRITE,        REQUEST,  false, true,        \
	  PKT_DATA)                                                                              \
	X(0x29, UC_WRITE_LAST_IMM,       UC, LAST,   WRITE,        REQUEST,  true,  true,        \
	  PKT_IMMDT | PKT_DATA)                                                                  \
	X(0x2a, UC_WRITE_ONLY,           UC, ONLY,   WRITE,        REQUEST,  false, true,        \
	  PKT_RETH | PKT_DATA)                                                                   \
	X(0x2b, UC_WRITE_ONLY_IMM,       UC, ONLY,   WRITE,        REQUEST,  true,  true,        \
	  PKT_RETH | PKT_IMMDT | PKT_DATA)

#define PKT_OPCODES_RD(X)                                                                        \
	X(0x40, RD_SEND_FIRST,           RD, FIRST,  SEND,         REQUEST,  true,  false,       \
	  PKT_RDETH | PKT_DETH | PKT_DATA)                                                       \
	X(0x41, RD_SEND_MIDDLE,          RD, MIDDLE, SEND,         REQUEST,  false, false,       \
	  PKT_RDETH | PKT_DETH | PKT_DATA)                                                       \
	X(0x42, RD_SEND_LAST,            RD, LAST,   SEND,         REQUEST,  false, false,       \
	  PKT_RDETH | PKT_DETH | PKT_DATA)                                                       \
	X(0x43, RD_SEND_LAST_IMM,        RD, LAST,   SEND,         REQUEST,  false, false,       \
	  PKT_RDETH | PKT_DETH | PKT_IMMDT | PKT_DATA)                                           \
	X(0x44, RD_SEND_ONLY,            RD, ONLY,   SEND,         REQUEST,  true,  false,       \
	  PKT_RDETH | PKT_DETH | PKT_DATA)                                                       \
	X(0x45, RD_SEND_ONLY_IMM,        RD, ONLY,   SEND,         REQUEST,  true,  false,       \
	  PKT_RDETH | PKT_DETH | PKT_IMMDT | PKT_DATA)                                           \
	X(0x46, RD_WRITE_FIRST,          RD, FIRST,  WRITE,        REQUEST,  false, false,       \
	  PKT_RDETH | PKT_DETH | PKT_RETH | PKT_DATA)                                            \
	X(0x47, RD_WRITE_MIDDLE,         RD, MIDDLE, WRITE,        REQUEST,  false, false,       \
	  PKT_RDETH | PKT_DETH | PKT_DATA)                                                       \
	X(0x48, RD_WRITE_LAST,           RD, LAST,   WRITE,        REQUEST,  false, false,       \
	  PKT_RDETH | PKT_DETH | PKT_DATA)                                                       \
	X(0x49, RD_WRITE_LAST_IMM,       RD, LAST,   WRITE,        REQUEST,  true,  false,       \
	  PKT_RDETH | PKT_DETH | PKT_IMMDT | PKT_DATA)                                           \
	X(0x4a, RD_WRITE_ONLY,           RD, ONLY,   WRITE,        REQUEST,  false, false,       \
	  PKT_RDETH | PKT_DETH | PKT_RETH | PKT_DATA)                                            \
	X(0x4b, RD_WRITE_ONLY_IMM,       RD, ONLY,   WRITE,        REQUEST,  true,  false,       \
	  PKT_RDETH | PKT_DETH | PKT_RETH | PKT_IMMDT | PKT_DATA)                                \
	X(0x4c, RD_READ_REQUEST,         RD, ONLY,   READ_REQ,     REQUEST,  false, false,       \
	  PKT_RDETH | PKT_DETH | PKT_RETH)                                                       \
	X(0x4d, RD_READ_RESPONSE_FIRST,  RD, FIRST,  READ_RESP,    RESPONSE, false, false,       \
	  PKT_RDETH | PKT_AETH | PKT_DATA)                                                       \
	X(0x4e, RD_READ_RESPONSE_MIDDLE, RD, MIDDLE, READ_RESP,    RESPONSE, false, false,       \
	  PKT_RDETH | PKT_DATA)                                                                  \
	X(0x4f, RD_READ_RESPONSE_LAST,   RD, LAST,   READ_RESP,    RESPONSE, false, false,       \
	  PKT_RDETH | PKT_AETH | PKT_DATA)                                                       \
	X(0x50, RD_READ_RESPONSE_ONLY,   RD, ONLY,   READ_RESP,    RESPONSE, false, false,       \
	  PKT_RDETH | PKT_AETH | PKT_DATA)                                                       \
	X(0x51, RD_ACKNOWLEDGE,          RD, ONLY,   ACK,          RESPONSE, false, false,       \
	  PKT_RDETH | PKT_AETH)                                                                  \
	X(0x52, RD_ATOMIC_ACKNOWLEDGE,   RD, ONLY,   ATOMIC_ACK,   RESPONSE, false, false,       \
	  PKT_RDETH | PKT_AETH | PKT_ATOMICACKETH)                                               \
	X(0x53, RD_COMPARE_SWAP,         RD, ONLY,   COMPARE_SWAP, REQUEST,  false, false,       \
	  PKT_RDETH | PKT_DETH | PKT_ATOMICETH)                                                  \
	X(0x54, RD_FETCH_ADD,            RD, ONLY,   FETCH_ADD,    REQUEST,  false, false,       \
	  PKT_RDETH | PKT_DETH | PKT_ATOMICETH)                                                  \
	X(0x55, RD_RESYNC,               RD, ONLY,   RESYNC,       REQUEST,  false, false,       \
	  PKT_RDETH | PKT_DETH)                                                                  \
	X(0x5c, RD_FLUSH,                RD, ONLY,   FLUSH,        REQUEST,  false, false,       \
	  PKT_RDETH | PKT_DETH | PKT_FETH | PKT_RETH)

#define PKT_OPCODES_UD(X)                                                                        \
	X(0x64, UD_SEND_ONLY,            UD, ONLY,   SEND,         REQUEST,  true,  true,        \
	  PKT_DETH | PKT_DATA)                                                                   \
	X(0x65, UD_SEND_ONLY_IMM,        UD, ONLY,   SEND,         REQUEST,  true,  true,        \
	  PKT_DETH | PKT_IMMDT | PKT_DATA)

/* The 16 reserved bytes of a congestion notification count as its payload. */
#define PKT_OPCODES_CNP(X)                                                                       \
	X(0x81, CNP,                     CNP, ONLY,  CNP,          NOTICE,   false, false,       \
	  PKT_DATA)

#define PKT_OPCODES_XRC(X)                                                                       \
	X(0xa0, XRC_SEND_FIRST,           XRC, FIRST,  SEND,         REQUEST,  true,  false,     \
	  PKT_XRCETH | PKT_DATA)                                                                 \
	X(0xa1, XRC_SEND_MIDDLE,          XRC, MIDDLE, SEND,         REQUEST,  false, false,     \
	  PKT_XRCETH | PKT_DATA)                                                                 \
	X(0xa2, XRC_SEND_LAST,            XRC, LAST,   SEND,         REQUEST,  false, false,     \
	  PKT_XRCETH | PKT_DATA)                                                                 \
	X(0xa3, XRC_SEND_LAST_IMM,        XRC, LAST,   SEND,         REQUEST,  false, false,     \
	  PKT_XRCETH | PKT_IMMDT | PKT_DATA)                                                     \
	X(0xa4, XRC_SEND_ONLY,            XRC, ONLY,   SEND,         REQUEST,  true,  false,     \
	  PKT_XRCETH | PKT_DATA)                                                                 \
	X(0xa5, XRC_SEND_ONLY_IMM,        XRC, ONLY,   SEND,         REQUEST,  true,  false,     \
	  PKT_XRCETH | PKT_IMMDT | PKT_DATA)                                                     \
	X(0xa6, XRC_WRITE_FIRST,          XRC, FIRST,  WRITE,        REQUEST,  false, false,     \
	  PKT_XRCETH | PKT_RETH | PKT_DATA)                                                      \
	X(0xa7, XRC_WRITE_MIDDLE,         XRC, MIDDLE, WRITE,        REQUEST,  false, false,     \
	  PKT_XRCETH | PKT_DATA)                                                                 \
	X(0xa8, XRC_WRITE_LAST,           XRC, LAST,   WRITE,        REQUEST,  false, false,     \
	  PKT_XRCETH | PKT_DATA)                                                                 \
	X(0xa9, XRC_WRITE_LAST_IMM,       XRC, LAST,   WRITE,        REQUEST,  true,  false,     \
	  PKT_XRCETH | PKT_IMMDT | PKT_DATA)                                                     \
	X(0xaa, XRC_WRITE_ONLY,           XRC, ONLY,   WRITE,        REQUEST,  false, false,     \
	  PKT_XRCETH | PKT_RETH | PKT_DATA)                                                      \
	X(0xab, XRC_WRITE_ONLY_IMM,       XRC, ONLY,   WRITE,        REQUEST,  true,  false,     \
	  PKT_XRCETH | PKT_RETH | PKT_IMMDT | PKT_DATA)                                          \
	X(0xac, XRC_READ_REQUEST,         XRC, ONLY,   READ_REQ,     REQUEST,  false, false,     \
	  PKT_XRCETH | PKT_RETH)                                                                 \
	X(0xad, XRC_READ_RESPONSE_FIRST,  XRC, FIRST,  READ_RESP,    RESPONSE, false, false,     \
	  PKT_AETH | PKT_DATA)                                                                   \
	X(0xae, XRC_READ_RESPONSE_MIDDLE, XRC, MIDDLE, READ_RESP,    RESPONSE, false, false,     \
	  PKT_DATA)                                                                              \
	X(0xaf, XRC_READ_RESPONSE_LAST,   XRC, LAST,   READ_RESP,    RESPONSE, false, false,     \
	  PKT_AETH | PKT_DATA)                                                                   \
	X(0xb0, XRC_READ_RESPONSE_ONLY,   XRC, ONLY,   READ_RESP,    RESPONSE, false, false,     \
	  PKT_AETH | PKT_DATA)                                                                   \
	X(0xb1, XRC_ACKNOWLEDGE,          XRC, ONLY,   ACK,          RESPONSE, false, false,     \
	  PKT_AETH)                                                                              \
	X(0xb2, XRC_ATOMIC_ACKNOWLEDGE,   XRC, ONLY,   ATOMIC_ACK,   RESPONSE, false, false,     \
	  PKT_AETH | PKT_ATOMICACKETH)                                                           \
	X(0xb3, XRC_COMPARE_SWAP,         XRC, ONLY,   COMPARE_SWAP, REQUEST,  false, false,     \
	  PKT_XRCETH | PKT_ATOMICETH)                                                            \
	X(0xb4, XRC_FETCH_ADD,            XRC, ONLY,   FETCH_ADD,    REQUEST,  false, false,     \
	  PKT_XRCETH | PKT_ATOMICETH)                                                            \
	X(0xb6, XRC_SEND_LAST_INV,        XRC, LAST,   SEND,         REQUEST,  false, false,     \
	  PKT_XRCETH | PKT_IETH | PKT_DATA)                                                      \
	X(0xb7, XRC_SEND_ONLY_INV,        XRC, ONLY,   SEND,         REQUEST,  true,  false,     \
	  PKT_XRCETH | PKT_IETH | PKT_DATA)
/* clang-format on */

#define PKT_OPCODE_ENUMERATOR(op, name, ...) PKT_##name = (op),
/* PKT_RC_SEND_FIRST = 0x00 ... PKT_XRC_SEND_ONLY_INV = 0xb7 */
enum pkt_opcode_value { PKT_OPCODES(PKT_OPCODE_ENUMERATOR) };
#undef PKT_OPCODE_ENUMERATOR

/**
 * struct pkt_opcode - One row of the opcode table.
 * @name: "RC_SEND_FIRST"; NULL in a row without an opcode.
 * @headers: PKT_RETH ...: what follows the BTH; PKT_DATA if a payload may.
 * @header_bytes: BTH and what @headers names.
 * @service: RC, UC ...
 * @pos: Position in the message.
 * @kind: SEND, WRITE ...; PKT_KIND_RESERVED in a row without an opcode.
 * @side: Request, response or neither.
 * @takes_rwqe: Consumes a receive WQE.
 * @supported: The transport executes it. The others decode, too, but nobody answers them.
 */
struct pkt_opcode {
	const char *name;
	uint16_t headers;
	uint8_t header_bytes;
	enum pkt_service service : 8;
	enum pkt_pos pos : 8;
	enum pkt_kind kind : 8;
	enum pkt_side side : 8;
	bool takes_rwqe : 1;
	bool supported : 1;
};

extern const struct pkt_opcode pkt_opcodes[256];

/** pkt_op() - The row of an opcode. */
static inline const struct pkt_opcode *pkt_op(uint8_t opcode)
{
	return &pkt_opcodes[opcode];
}

/** pkt_header_bytes() - Bytes from the BTH to the last extension header; 0 if reserved. */
static inline size_t pkt_header_bytes(uint8_t opcode)
{
	return pkt_opcodes[opcode].header_bytes;
}

/** pkt_opcode_name() - "RC_SEND_FIRST"; "reserved" if there is no such opcode. */
const char *pkt_opcode_name(uint8_t opcode);

#endif
