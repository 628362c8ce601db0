/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A packet, taken apart: its headers by value and in host order, its payload by reference.
 *
 * pkt_decode() takes bytes of any content. It refuses what no receiver could make sense of, with a
 * reason that callers count; what a QP must judge (order, lengths against the path MTU, rights) is
 * the transport's. CRCs are checked apart: pkt_icrc_ok(), pkt_vcrc_ok().
 *
 * pkt_encode() is its exact inverse: each bit comes back, the reserved ones and the CRCs too.
 * To send a packet of one's own, fill in headers and payload, then pkt_complete(), pkt_encode()
 * and pkt_seal().
 */
#ifndef PACKET_VIEW_H
#define PACKET_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packet/headers.h"
#include "packet/opcode.h"

/* What the first byte of a packet belongs to; the packet tells the rest. */
enum pkt_framing {
	PKT_FRAMING_IB,	     /* LRH */
	PKT_FRAMING_ROCE_V1, /* GRH, behind an Ethernet header */
	PKT_FRAMING_ROCE_V2, /* IPv4 or IPv6 header */
};

/* clang-format off */
#define PKT_REFUSALS(X)                                                                    \
	X(PKT_ACCEPTED,             "accepted")                                            \
	X(PKT_REFUSED_SHORT,        "ends inside its headers")                             \
	X(PKT_REFUSED_LENGTH,       "length fields contradict each other or the packet")   \
	X(PKT_REFUSED_LINK_VERSION, "LRH with a link version other than 0")                \
	X(PKT_REFUSED_IP_VERSION,   "IP or GRH version unknown, or IPv4 options")          \
	X(PKT_REFUSED_NEXT_HEADER,  "no transport header follows")                         \
	X(PKT_REFUSED_IP_FRAGMENT,  "an IPv4 fragment")                                    \
	X(PKT_REFUSED_IP_CHECKSUM,  "IPv4 header checksum wrong")                          \
	X(PKT_REFUSED_UDP_PORT,     "UDP destination port is not RoCE's")                  \
	X(PKT_REFUSED_TVER,         "BTH with a transport version other than 0")           \
	X(PKT_REFUSED_OPCODE,       "reserved opcode")                                     \
	X(PKT_REFUSED_PAD,          "more pad than payload")                               \
	X(PKT_REFUSED_PAYLOAD,      "payload where none belongs, or over 4096 bytes")      \
	X(PKT_REFUSED_ICRC,         "ICRC wrong")                                          \
	X(PKT_REFUSED_VCRC,         "VCRC wrong")
/* clang-format on */

#define PKT_REFUSAL_ENUMERATOR(name, text) name,
/* Why a packet was refused. */
enum pkt_refusal { PKT_REFUSALS(PKT_REFUSAL_ENUMERATOR) PKT_REFUSAL_COUNT };
#undef PKT_REFUSAL_ENUMERATOR

/**
 * struct pkt_view - One packet.
 * @link: Which of the link headers are valid.
 * @op: Row of @bth.opcode; its headers tell which of the transport headers are valid.
 * @wire: The first byte. Set by pkt_decode(); not read by pkt_encode().
 * @bytes: From @wire to the ICRC, included.
 * @lrh: With PKT_LINK_IB and PKT_LINK_IB_GRH.
 * @grh: With PKT_LINK_IB_GRH and PKT_LINK_ROCE_V1; the IPv6 header of PKT_LINK_ROCE_V2_IPV6.
 * @ipv4: With PKT_LINK_ROCE_V2_IPV4.
 * @udp: With both kinds of RoCEv2.
 * @bth: Always.
 * @xrceth: With PKT_XRCETH in @op->headers. Likewise the following.
 * @rdeth: RD.
 * @deth: UD, RD.
 * @feth: FLUSH.
 * @reth: WRITE, READ.
 * @atomiceth: Atomic request.
 * @aeth: Acknowledge, responses.
 * @atomicacketh: Atomic response.
 * @immdt: Immediate data, wire order: it is the consumers'.
 * @ieth: R_Key to invalidate.
 * @payload: Not ours; valid as long as the packet that was decoded.
 * @payload_bytes: Without pad.
 * @pad: @bth.pad_bytes bytes, zero if the sender keeps the rules.
 * @icrc: As found or, by pkt_encode(), to be stored.
 * @vcrc: Likewise.
 * @has_vcrc: A VCRC follows the ICRC (native only; a wire in software may leave it out).
 */
struct pkt_view {
	enum pkt_link link;
	const struct pkt_opcode *op;
	const uint8_t *wire;
	size_t bytes;
	struct pkt_lrh lrh;
	struct pkt_grh grh;
	struct pkt_ipv4 ipv4;
	struct pkt_udp udp;
	struct pkt_bth bth;
	struct pkt_xrceth xrceth;
	struct pkt_rdeth rdeth;
	struct pkt_deth deth;
	struct pkt_feth feth;
	struct pkt_reth reth;
	struct pkt_atomiceth atomiceth;
	struct pkt_aeth aeth;
	struct pkt_atomicacketh atomicacketh;
	__be32 immdt;
	uint32_t ieth;
	const uint8_t *payload;
	size_t payload_bytes;
	uint8_t pad[3];
	bool has_vcrc;
	uint16_t vcrc;
	uint32_t icrc;
};

/**
 * pkt_decode() - Take a packet apart.
 * @framing: What it begins with.
 * @wire: Its bytes, of any content and alignment.
 * @bytes: How many. Native: to the ICRC, or to the VCRC. RoCE: what Ethernet has padded behind
 *	the ICRC is ignored.
 * @view: Out. Meaningful on success only; @wire must outlive it.
 * @why: Out, always: PKT_ACCEPTED, or the first fault in the order of the bytes.
 *
 * Return: 0; -EBADMSG if the packet is refused.
 */
int pkt_decode(enum pkt_framing framing, const uint8_t *wire, size_t bytes, struct pkt_view *view,
	       enum pkt_refusal *why);

/** pkt_icrc_ok() - Whether the ICRC of a packet just decoded fits it. */
bool pkt_icrc_ok(const struct pkt_view *view);

/** pkt_vcrc_ok() - Whether the VCRC of a packet just decoded fits it; true if it has none. */
bool pkt_vcrc_ok(const struct pkt_view *view);

/**
 * pkt_complete() - Fill in what follows from the rest.
 * @view: @link, @bth.opcode and @payload_bytes (at most PKT_MAX_PAYLOAD_BYTES) are set, also the
 *	addresses of the link headers. Out: @op, @bytes, pad, versions, next headers, port, lengths
 *	and the IPv4 checksum.
 */
void pkt_complete(struct pkt_view *view);

/**
 * pkt_encode_transport() - BTH and extension headers.
 * @view: @bth and the headers of its opcode.
 * @wire: Out. Room for pkt_header_bytes() of the opcode; PKT_MAX_HEADER_BYTES always do.
 *
 * Return: Bytes written.
 */
size_t pkt_encode_transport(const struct pkt_view *view, uint8_t *wire);

/**
 * pkt_encode_headers() - Link headers, BTH and extension headers: all that stands before payload.
 * @view: The packet.
 * @wire: Out.
 * @room: Its size.
 *
 * Return: Bytes written; -EMSGSIZE if @room is less; -EINVAL if the opcode is reserved.
 */
int pkt_encode_headers(const struct pkt_view *view, uint8_t *wire, size_t room);

/**
 * pkt_encode() - The whole packet.
 * @view: The packet. Lengths and CRCs are stored as they stand in it.
 * @wire: Out.
 * @room: Its size.
 *
 * Return: Bytes written, to the ICRC or, with @view->has_vcrc, the VCRC; -EMSGSIZE if @room is
 *	less; -EINVAL if the opcode is reserved.
 */
int pkt_encode(const struct pkt_view *view, uint8_t *wire, size_t room);

/**
 * pkt_seal() - Compute and store the CRCs.
 * @link: How the packet travels.
 * @wire: The packet. Room for PKT_ICRC_BYTES more and, with @vcrc, PKT_VCRC_BYTES.
 * @bytes: From the first link header to the end of the pad.
 * @vcrc: Store a VCRC, too.
 *
 * Return: @bytes and what was added.
 */
size_t pkt_seal(enum pkt_link link, uint8_t *wire, size_t bytes, bool vcrc);

/** pkt_refusal_text() - "ICRC wrong" ...: the reason in words. */
const char *pkt_refusal_text(enum pkt_refusal why);

#endif
