/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The bytes of the longer and the rarer headers [rcp 1]. */
#include "packet/headers.h"

size_t pkt_link_bytes(enum pkt_link link)
{
	static const uint8_t link_bytes[] = {
		[PKT_LINK_IB] = PKT_LRH_BYTES,
		[PKT_LINK_IB_GRH] = PKT_LRH_BYTES + PKT_GRH_BYTES,
		[PKT_LINK_ROCE_V1] = PKT_GRH_BYTES,
		[PKT_LINK_ROCE_V2_IPV4] = PKT_IPV4_BYTES + PKT_UDP_BYTES,
		[PKT_LINK_ROCE_V2_IPV6] = PKT_GRH_BYTES + PKT_UDP_BYTES,
	};

	return link_bytes[link];
}

void pkt_atomiceth_encode(uint8_t *wire, const struct pkt_atomiceth *atomiceth)
{
	pkt_put_be64(wire, atomiceth->va);
	pkt_put_be32(wire + 8, atomiceth->rkey);
	pkt_put_be64(wire + 12, atomiceth->swap_add);
	pkt_put_be64(wire + 20, atomiceth->compare);
}

void pkt_atomiceth_decode(const uint8_t *wire, struct pkt_atomiceth *atomiceth)
{
	atomiceth->va = pkt_get_be64(wire);
	atomiceth->rkey = pkt_get_be32(wire + 8);
	atomiceth->swap_add = pkt_get_be64(wire + 12);
	atomiceth->compare = pkt_get_be64(wire + 20);
}

void pkt_atomicacketh_encode(uint8_t *wire, const struct pkt_atomicacketh *atomicacketh)
{
	pkt_put_be64(wire, atomicacketh->original);
}

void pkt_atomicacketh_decode(const uint8_t *wire, struct pkt_atomicacketh *atomicacketh)
{
	atomicacketh->original = pkt_get_be64(wire);
}

void pkt_xrceth_encode(uint8_t *wire, const struct pkt_xrceth *xrceth)
{
	pkt_put_be32(wire, (uint32_t)xrceth->resv8 << 24 | (xrceth->srqn & 0xffffffu));
}

void pkt_xrceth_decode(const uint8_t *wire, struct pkt_xrceth *xrceth)
{
	const uint32_t w = pkt_get_be32(wire);

	xrceth->resv8 = (uint8_t)(w >> 24);
	xrceth->srqn = w & 0xffffffu;
}

void pkt_rdeth_encode(uint8_t *wire, const struct pkt_rdeth *rdeth)
{
	pkt_put_be32(wire, (uint32_t)rdeth->resv8 << 24 | (rdeth->eecn & 0xffffffu));
}

void pkt_rdeth_decode(const uint8_t *wire, struct pkt_rdeth *rdeth)
{
	const uint32_t w = pkt_get_be32(wire);

	rdeth->resv8 = (uint8_t)(w >> 24);
	rdeth->eecn = w & 0xffffffu;
}

void pkt_feth_encode(uint8_t *wire, const struct pkt_feth *feth)
{
	pkt_put_be32(wire,
		     feth->resv26 << 6 | (feth->selectivity & 3u) << 4 | (feth->placement & 15u));
}

void pkt_feth_decode(const uint8_t *wire, struct pkt_feth *feth)
{
	const uint32_t w = pkt_get_be32(wire);

	feth->placement = w & 15;
	feth->selectivity = w >> 4 & 3;
	feth->resv26 = w >> 6;
}

void pkt_lrh_encode(uint8_t *wire, const struct pkt_lrh *lrh)
{
	pkt_put_be32(wire, (lrh->vl & 15u) << 28 | (lrh->lver & 15u) << 24 | (lrh->sl & 15u) << 20 |
				   (lrh->resv2 & 3u) << 18 | (lrh->lnh & 3u) << 16 | lrh->dlid);
	pkt_put_be32(wire + 4,
		     (lrh->resv5 & 31u) << 27 | (lrh->packet_words & 0x7ffu) << 16 | lrh->slid);
}

void pkt_lrh_decode(const uint8_t *wire, struct pkt_lrh *lrh)
{
	const uint32_t w0 = pkt_get_be32(wire), w1 = pkt_get_be32(wire + 4);

	lrh->vl = (uint8_t)(w0 >> 28);
	lrh->lver = w0 >> 24 & 15;
	lrh->sl = w0 >> 20 & 15;
	lrh->resv2 = w0 >> 18 & 3;
	lrh->lnh = w0 >> 16 & 3;
	lrh->dlid = (uint16_t)w0;
	lrh->resv5 = (uint8_t)(w1 >> 27);
	lrh->packet_words = w1 >> 16 & 0x7ff;
	lrh->slid = (uint16_t)w1;
}

void pkt_grh_encode(uint8_t *wire, const struct pkt_grh *grh)
{
	pkt_put_be32(wire, 6u << 28 | (uint32_t)grh->tclass << 20 | (grh->flow_label & 0xfffffu));
	pkt_put_be16(wire + 4, grh->payload_bytes);
	wire[6] = grh->next_header;
	wire[7] = grh->hop_limit;
	memcpy(wire + 8, grh->sgid, sizeof(grh->sgid));
	memcpy(wire + 24, grh->dgid, sizeof(grh->dgid));
}

void pkt_grh_decode(const uint8_t *wire, struct pkt_grh *grh)
{
	const uint32_t w = pkt_get_be32(wire);

	grh->tclass = (uint8_t)(w >> 20);
	grh->flow_label = w & 0xfffffu;
	grh->payload_bytes = pkt_get_be16(wire + 4);
	grh->next_header = wire[6];
	grh->hop_limit = wire[7];
	memcpy(grh->sgid, wire + 8, sizeof(grh->sgid));
	memcpy(grh->dgid, wire + 24, sizeof(grh->dgid));
}

void pkt_ipv4_encode(uint8_t *wire, const struct pkt_ipv4 *ip)
{
	wire[0] = 0x45; /* version 4, five words */
	wire[1] = ip->tos;
	pkt_put_be16(wire + 2, ip->total_bytes);
	pkt_put_be16(wire + 4, ip->id);
	pkt_put_be16(wire + 6, ip->fragment);
	wire[8] = ip->ttl;
	wire[9] = ip->protocol;
	pkt_put_be16(wire + 10, ip->checksum);
	pkt_put_be32(wire + 12, ip->src);
	pkt_put_be32(wire + 16, ip->dst);
}

void pkt_ipv4_decode(const uint8_t *wire, struct pkt_ipv4 *ip)
{
	ip->tos = wire[1];
	ip->total_bytes = pkt_get_be16(wire + 2);
	ip->id = pkt_get_be16(wire + 4);
	ip->fragment = pkt_get_be16(wire + 6);
	ip->ttl = wire[8];
	ip->protocol = wire[9];
	ip->checksum = pkt_get_be16(wire + 10);
	ip->src = pkt_get_be32(wire + 12);
	ip->dst = pkt_get_be32(wire + 16);
}

uint16_t pkt_ipv4_checksum(const struct pkt_ipv4 *ip)
{
	uint8_t wire[PKT_IPV4_BYTES];
	uint32_t sum = 0;

	pkt_ipv4_encode(wire, ip);
	pkt_put_be16(wire + 10, 0);
	for (size_t i = 0; i < sizeof(wire); i += 2)
		sum += pkt_get_be16(wire + i);
	sum = (sum & 0xffff) + (sum >> 16);
	sum += sum >> 16; /* at most one more carry */
	return (uint16_t)~sum;
}

void pkt_udp_encode(uint8_t *wire, const struct pkt_udp *udp)
{
	pkt_put_be16(wire, udp->src_port);
	pkt_put_be16(wire + 2, udp->dst_port);
	pkt_put_be16(wire + 4, udp->bytes);
	pkt_put_be16(wire + 6, udp->checksum);
}

void pkt_udp_decode(const uint8_t *wire, struct pkt_udp *udp)
{
	udp->src_port = pkt_get_be16(wire);
	udp->dst_port = pkt_get_be16(wire + 2);
	udp->bytes = pkt_get_be16(wire + 4);
	udp->checksum = pkt_get_be16(wire + 6);
}
