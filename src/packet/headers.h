/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The headers of InfiniBand and RoCE, each as a struct in host order, and their bytes [rcp 1].
 *
 * pkt_X_decode() reads exactly X's bytes, pkt_X_encode() writes exactly these; the caller has
 * checked that they are there. Reserved bits are kept, so that what is decoded encodes to the same
 * bytes; zero them in headers of your own. Nothing is judged here, see view.h.
 *
 * The short headers of the data path are inline, the rest is in headers.c.
 */
#ifndef PACKET_HEADERS_H
#define PACKET_HEADERS_H

#include <endian.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "packet/opcode.h"
#include "packet/psn.h"

#define PKT_LRH_BYTES 8u
#define PKT_GRH_BYTES 40u
#define PKT_IPV4_BYTES 20u
#define PKT_UDP_BYTES 8u
#define PKT_ICRC_BYTES 4u
#define PKT_VCRC_BYTES 2u

/* The largest path MTU: no packet has more payload [rcp 4]. */
#define PKT_MAX_PAYLOAD_BYTES 4096u

#define PKT_QPN_SMI 0u
#define PKT_QPN_GSI 1u

#define PKT_LNH_BTH 2u
#define PKT_LNH_GRH 3u
#define PKT_NEXT_HEADER_BTH 0x1bu
#define PKT_NEXT_HEADER_UDP 17u
#define PKT_ROCE_V2_PORT 4791u
#define PKT_ROCE_V1_ETHERTYPE 0x8915u

/* How a packet travels: which headers stand before its BTH. */
enum pkt_link {
	PKT_LINK_IB,	       /* LRH */
	PKT_LINK_IB_GRH,       /* LRH, GRH */
	PKT_LINK_ROCE_V1,      /* GRH; in Ethernet, which is not ours */
	PKT_LINK_ROCE_V2_IPV4, /* IPv4, UDP */
	PKT_LINK_ROCE_V2_IPV6, /* IPv6, UDP */
};

#define PKT_MAX_LINK_BYTES (PKT_LRH_BYTES + PKT_GRH_BYTES)

/**
 * struct pkt_lrh - Local route header.
 * @vl: Virtual lane; 15 for SMPs.
 * @lver: Link version, 0.
 * @sl: Service level.
 * @resv2: Two reserved bits.
 * @lnh: What follows: PKT_LNH_BTH, PKT_LNH_GRH; 0 and 1 are not InfiniBand transport.
 * @resv5: Five reserved bits.
 * @dlid: Destination LID.
 * @packet_words: Length of the packet, LRH to ICRC, in words of 4 bytes. 11 bits.
 * @slid: Source LID.
 */
struct pkt_lrh {
	uint8_t vl;
	uint8_t lver;
	uint8_t sl;
	uint8_t resv2;
	uint8_t lnh;
	uint8_t resv5;
	uint16_t dlid;
	uint16_t packet_words;
	uint16_t slid;
};

/**
 * struct pkt_grh - Global route header; the IPv6 header of RoCEv2 has the same layout.
 * @tclass: Traffic class.
 * @next_header: PKT_NEXT_HEADER_BTH, or PKT_NEXT_HEADER_UDP in IPv6.
 * @hop_limit: Hops left.
 * @payload_bytes: From here to the ICRC, included.
 * @flow_label: 20 bits.
 * @sgid: Source, wire order.
 * @dgid: Destination, wire order.
 *
 * The version is always 6.
 */
struct pkt_grh {
	uint8_t tclass;
	uint8_t next_header;
	uint8_t hop_limit;
	uint16_t payload_bytes;
	uint32_t flow_label;
	uint8_t sgid[16];
	uint8_t dgid[16];
};

/**
 * struct pkt_ipv4 - IPv4 header without options, as in RoCEv2.
 * @tos: Type of service: DSCP and ECN.
 * @ttl: Hops left.
 * @protocol: PKT_NEXT_HEADER_UDP.
 * @total_bytes: From here to the ICRC, included.
 * @id: Identification. The ICRC covers it.
 * @fragment: Flags and fragment offset as on the wire; 0x4000 is "don't fragment".
 * @checksum: See pkt_ipv4_checksum().
 * @src: Source address.
 * @dst: Destination address.
 */
struct pkt_ipv4 {
	uint8_t tos;
	uint8_t ttl;
	uint8_t protocol;
	uint16_t total_bytes;
	uint16_t id;
	uint16_t fragment;
	uint16_t checksum;
	uint32_t src;
	uint32_t dst;
};

/**
 * struct pkt_udp - UDP header.
 * @src_port: Entropy for ECMP.
 * @dst_port: PKT_ROCE_V2_PORT.
 * @bytes: From here to the ICRC, included.
 * @checksum: 0 (none) as a rule, over IPv6 too. Not checked here: the ICRC is there.
 */
struct pkt_udp {
	uint16_t src_port;
	uint16_t dst_port;
	uint16_t bytes;
	uint16_t checksum;
};

/**
 * struct pkt_bth - Base transport header.
 * @opcode: Row of pkt_opcodes[].
 * @solicited: SE: the receiver asked to be woken by this completion.
 * @migrated: M: path migration state of the sender.
 * @pad_bytes: 0 to 3 bytes behind the payload.
 * @tver: Transport version, 0.
 * @pkey: P_Key.
 * @fecn: Congestion seen on the way here.
 * @becn: Congestion seen on the way there.
 * @resv6: Six reserved bits, not covered by the ICRC.
 * @resv7: Seven reserved bits.
 * @ack_req: A: the responder shall acknowledge.
 * @dest_qpn: 24 bits.
 * @psn: Packet sequence number.
 */
struct pkt_bth {
	uint8_t opcode;
	bool solicited;
	bool migrated;
	uint8_t pad_bytes;
	uint8_t tver;
	bool fecn;
	bool becn;
	uint8_t resv6;
	uint8_t resv7;
	bool ack_req;
	uint16_t pkey;
	uint32_t dest_qpn;
	psn_t psn;
};

/**
 * struct pkt_xrceth - XRC: which SRQ.
 * @resv8: Reserved.
 * @srqn: 24 bits.
 */
struct pkt_xrceth {
	uint8_t resv8;
	uint32_t srqn;
};

/**
 * struct pkt_rdeth - RD: which end-to-end context.
 * @resv8: Reserved.
 * @eecn: 24 bits.
 */
struct pkt_rdeth {
	uint8_t resv8;
	uint32_t eecn;
};

/**
 * struct pkt_deth - Datagram.
 * @qkey: Q_Key.
 * @src_qpn: 24 bits.
 * @resv8: Reserved.
 */
struct pkt_deth {
	uint32_t qkey;
	uint32_t src_qpn;
	uint8_t resv8;
};

/**
 * struct pkt_feth - FLUSH.
 * @placement: Four bits.
 * @selectivity: Two bits.
 * @resv26: Reserved.
 */
struct pkt_feth {
	uint8_t placement;
	uint8_t selectivity;
	uint32_t resv26;
};

/**
 * struct pkt_reth - RDMA WRITE or READ.
 * @va: Remote virtual address.
 * @rkey: R_Key.
 * @dma_bytes: Length of the whole message.
 */
struct pkt_reth {
	uint64_t va;
	uint32_t rkey;
	uint32_t dma_bytes;
};

/**
 * struct pkt_atomiceth - Atomic request.
 * @va: Remote virtual address.
 * @rkey: R_Key.
 * @swap_add: COMPARE_SWAP: what to store. FETCH_ADD: what to add.
 * @compare: COMPARE_SWAP: what must be there.
 */
struct pkt_atomiceth {
	uint64_t va;
	uint32_t rkey;
	uint64_t swap_add;
	uint64_t compare;
};

/**
 * struct pkt_aeth - Acknowledge, and responses.
 * @syndrome: See aeth.h.
 * @msn: Messages that the responder has completed.
 */
struct pkt_aeth {
	uint8_t syndrome;
	msn_t msn;
};

/**
 * struct pkt_atomicacketh - Atomic response.
 * @original: What was in the responder's memory before.
 */
struct pkt_atomicacketh {
	uint64_t original;
};

/** pkt_put_be16() - Store 16 bits, most significant byte first; any alignment. */
static inline void pkt_put_be16(uint8_t *wire, uint16_t v)
{
	v = htobe16(v);
	memcpy(wire, &v, sizeof(v));
}

/** pkt_put_be32() - Store 32 bits, most significant byte first; any alignment. */
static inline void pkt_put_be32(uint8_t *wire, uint32_t v)
{
	v = htobe32(v);
	memcpy(wire, &v, sizeof(v));
}

/** pkt_put_be64() - Store 64 bits, most significant byte first; any alignment. */
static inline void pkt_put_be64(uint8_t *wire, uint64_t v)
{
	v = htobe64(v);
	memcpy(wire, &v, sizeof(v));
}

/** pkt_get_be16() - Load 16 bits, most significant byte first; any alignment. */
static inline uint16_t pkt_get_be16(const uint8_t *wire)
{
	uint16_t v;

	memcpy(&v, wire, sizeof(v));
	return be16toh(v);
}

/** pkt_get_be32() - Load 32 bits, most significant byte first; any alignment. */
static inline uint32_t pkt_get_be32(const uint8_t *wire)
{
	uint32_t v;

	memcpy(&v, wire, sizeof(v));
	return be32toh(v);
}

/** pkt_get_be64() - Load 64 bits, most significant byte first; any alignment. */
static inline uint64_t pkt_get_be64(const uint8_t *wire)
{
	uint64_t v;

	memcpy(&v, wire, sizeof(v));
	return be64toh(v);
}

/** pkt_bth_encode() - 12 bytes of BTH. */
static inline void pkt_bth_encode(uint8_t *wire, const struct pkt_bth *bth)
{
	pkt_put_be32(wire, (uint32_t)bth->opcode << 24 | (uint32_t)bth->solicited << 23 |
				   (uint32_t)bth->migrated << 22 | (bth->pad_bytes & 3u) << 20 |
				   (bth->tver & 15u) << 16 | bth->pkey);
	pkt_put_be32(wire + 4, (uint32_t)bth->fecn << 31 | (uint32_t)bth->becn << 30 |
				       (bth->resv6 & 63u) << 24 | (bth->dest_qpn & 0xffffffu));
	pkt_put_be32(wire + 8, (uint32_t)bth->ack_req << 31 | (bth->resv7 & 127u) << 24 |
				       (bth->psn.v & PKT_PSN_MASK));
}

/** pkt_bth_decode() - BTH from 12 bytes. */
static inline void pkt_bth_decode(const uint8_t *wire, struct pkt_bth *bth)
{
	const uint32_t w0 = pkt_get_be32(wire), w1 = pkt_get_be32(wire + 4),
		       w2 = pkt_get_be32(wire + 8);

	bth->opcode = (uint8_t)(w0 >> 24);
	bth->solicited = w0 >> 23 & 1;
	bth->migrated = w0 >> 22 & 1;
	bth->pad_bytes = w0 >> 20 & 3;
	bth->tver = w0 >> 16 & 15;
	bth->pkey = (uint16_t)w0;
	bth->fecn = w1 >> 31;
	bth->becn = w1 >> 30 & 1;
	bth->resv6 = w1 >> 24 & 63;
	bth->dest_qpn = w1 & 0xffffffu;
	bth->ack_req = w2 >> 31;
	bth->resv7 = w2 >> 24 & 127;
	bth->psn = psn(w2);
}

/** pkt_reth_encode() - 16 bytes of RETH. */
static inline void pkt_reth_encode(uint8_t *wire, const struct pkt_reth *reth)
{
	pkt_put_be64(wire, reth->va);
	pkt_put_be32(wire + 8, reth->rkey);
	pkt_put_be32(wire + 12, reth->dma_bytes);
}

/** pkt_reth_decode() - RETH from 16 bytes. */
static inline void pkt_reth_decode(const uint8_t *wire, struct pkt_reth *reth)
{
	reth->va = pkt_get_be64(wire);
	reth->rkey = pkt_get_be32(wire + 8);
	reth->dma_bytes = pkt_get_be32(wire + 12);
}

/** pkt_aeth_encode() - 4 bytes of AETH. */
static inline void pkt_aeth_encode(uint8_t *wire, const struct pkt_aeth *aeth)
{
	pkt_put_be32(wire, (uint32_t)aeth->syndrome << 24 | (aeth->msn.v & PKT_PSN_MASK));
}

/** pkt_aeth_decode() - AETH from 4 bytes. */
static inline void pkt_aeth_decode(const uint8_t *wire, struct pkt_aeth *aeth)
{
	const uint32_t w = pkt_get_be32(wire);

	aeth->syndrome = (uint8_t)(w >> 24);
	aeth->msn = msn(w);
}

/** pkt_deth_encode() - 8 bytes of DETH. */
static inline void pkt_deth_encode(uint8_t *wire, const struct pkt_deth *deth)
{
	pkt_put_be32(wire, deth->qkey);
	pkt_put_be32(wire + 4, (uint32_t)deth->resv8 << 24 | (deth->src_qpn & 0xffffffu));
}

/** pkt_deth_decode() - DETH from 8 bytes. */
static inline void pkt_deth_decode(const uint8_t *wire, struct pkt_deth *deth)
{
	const uint32_t w = pkt_get_be32(wire + 4);

	deth->qkey = pkt_get_be32(wire);
	deth->resv8 = (uint8_t)(w >> 24);
	deth->src_qpn = w & 0xffffffu;
}

/** pkt_link_bytes() - Bytes before the BTH. */
size_t pkt_link_bytes(enum pkt_link link);

/** pkt_atomiceth_encode() - 28 bytes of AtomicETH. */
void pkt_atomiceth_encode(uint8_t *wire, const struct pkt_atomiceth *atomiceth);

/** pkt_atomiceth_decode() - AtomicETH from 28 bytes. */
void pkt_atomiceth_decode(const uint8_t *wire, struct pkt_atomiceth *atomiceth);

/** pkt_atomicacketh_encode() - 8 bytes of AtomicAckETH. */
void pkt_atomicacketh_encode(uint8_t *wire, const struct pkt_atomicacketh *atomicacketh);

/** pkt_atomicacketh_decode() - AtomicAckETH from 8 bytes. */
void pkt_atomicacketh_decode(const uint8_t *wire, struct pkt_atomicacketh *atomicacketh);

/** pkt_xrceth_encode() - 4 bytes of XRCETH. */
void pkt_xrceth_encode(uint8_t *wire, const struct pkt_xrceth *xrceth);

/** pkt_xrceth_decode() - XRCETH from 4 bytes. */
void pkt_xrceth_decode(const uint8_t *wire, struct pkt_xrceth *xrceth);

/** pkt_rdeth_encode() - 4 bytes of RDETH. */
void pkt_rdeth_encode(uint8_t *wire, const struct pkt_rdeth *rdeth);

/** pkt_rdeth_decode() - RDETH from 4 bytes. */
void pkt_rdeth_decode(const uint8_t *wire, struct pkt_rdeth *rdeth);

/** pkt_feth_encode() - 4 bytes of FETH. */
void pkt_feth_encode(uint8_t *wire, const struct pkt_feth *feth);

/** pkt_feth_decode() - FETH from 4 bytes. */
void pkt_feth_decode(const uint8_t *wire, struct pkt_feth *feth);

/** pkt_lrh_encode() - 8 bytes of LRH. */
void pkt_lrh_encode(uint8_t *wire, const struct pkt_lrh *lrh);

/** pkt_lrh_decode() - LRH from 8 bytes. */
void pkt_lrh_decode(const uint8_t *wire, struct pkt_lrh *lrh);

/** pkt_grh_encode() - 40 bytes of GRH or IPv6 header. */
void pkt_grh_encode(uint8_t *wire, const struct pkt_grh *grh);

/** pkt_grh_decode() - GRH or IPv6 header from 40 bytes. The version, wire[0] >> 4, is not kept. */
void pkt_grh_decode(const uint8_t *wire, struct pkt_grh *grh);

/** pkt_ipv4_encode() - 20 bytes of IPv4 header; the checksum is ip->checksum. */
void pkt_ipv4_encode(uint8_t *wire, const struct pkt_ipv4 *ip);

/** pkt_ipv4_decode() - IPv4 header from 20 bytes; wire[0] (version and length) is not kept. */
void pkt_ipv4_decode(const uint8_t *wire, struct pkt_ipv4 *ip);

/** pkt_ipv4_checksum() - What ip->checksum must be. */
uint16_t pkt_ipv4_checksum(const struct pkt_ipv4 *ip);

/** pkt_udp_encode() - 8 bytes of UDP header. */
void pkt_udp_encode(uint8_t *wire, const struct pkt_udp *udp);

/** pkt_udp_decode() - UDP header from 8 bytes. */
void pkt_udp_decode(const uint8_t *wire, struct pkt_udp *udp);

#endif
