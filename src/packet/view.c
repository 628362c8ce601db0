/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Packets to views and back. The bytes are hostile: each step checks before it reads. */
#include "packet/view.h"

#include <errno.h>

#include "base/check.h"
#include "packet/icrc.h"

/* A walk over bytes: what is left of them. */
struct cursor {
	const uint8_t *at;
	size_t left;
};

static void skip(struct cursor *c, size_t bytes)
{
	c->at += bytes;
	c->left -= bytes;
}

/* The headers behind the BTH, in the order of the wire [rcp 2]; their length has been checked. */
static void decode_extensions(const uint8_t *at, struct pkt_view *view)
{
	const unsigned int headers = view->op->headers;

	if (headers & PKT_XRCETH) {
		pkt_xrceth_decode(at, &view->xrceth);
		at += PKT_XRCETH_BYTES;
	}
	if (headers & PKT_RDETH) {
		pkt_rdeth_decode(at, &view->rdeth);
		at += PKT_RDETH_BYTES;
	}
	if (headers & PKT_DETH) {
		pkt_deth_decode(at, &view->deth);
		at += PKT_DETH_BYTES;
	}
	if (headers & PKT_FETH) {
		pkt_feth_decode(at, &view->feth);
		at += PKT_FETH_BYTES;
	}
	if (headers & PKT_RETH) {
		pkt_reth_decode(at, &view->reth);
		at += PKT_RETH_BYTES;
	}
	if (headers & PKT_ATOMICETH) {
		pkt_atomiceth_decode(at, &view->atomiceth);
		at += PKT_ATOMICETH_BYTES;
	}
	if (headers & PKT_AETH) {
		pkt_aeth_decode(at, &view->aeth);
		at += PKT_AETH_BYTES;
	}
	if (headers & PKT_ATOMICACKETH) {
		pkt_atomicacketh_decode(at, &view->atomicacketh);
		at += PKT_ATOMICACKETH_BYTES;
	}
	if (headers & PKT_IMMDT) {
		memcpy(&view->immdt, at, PKT_IMMDT_BYTES);
		at += PKT_IMMDT_BYTES;
	}
	if (headers & PKT_IETH)
		view->ieth = pkt_get_be32(at);
}

/* From the BTH on; c ends with the ICRC. */
static enum pkt_refusal decode_transport(struct cursor c, struct pkt_view *view)
{
	size_t area; /* payload and pad */

	if (c.left < PKT_BTH_BYTES + PKT_ICRC_BYTES)
		return PKT_REFUSED_SHORT;
	if (c.left % 4)
		return PKT_REFUSED_LENGTH;
	pkt_bth_decode(c.at, &view->bth);
	view->op = pkt_op(view->bth.opcode);
	if (view->op->kind == PKT_KIND_RESERVED)
		return PKT_REFUSED_OPCODE;
	if (view->bth.tver != 0) /* [rcp 9.1] */
		return PKT_REFUSED_TVER;
	if (c.left < view->op->header_bytes + PKT_ICRC_BYTES)
		return PKT_REFUSED_SHORT;
	decode_extensions(c.at + PKT_BTH_BYTES, view);
	skip(&c, view->op->header_bytes);

	area = c.left - PKT_ICRC_BYTES;
	if (area > 0 && !(view->op->headers & PKT_DATA))
		return PKT_REFUSED_PAYLOAD;
	if (view->bth.pad_bytes > area)
		return PKT_REFUSED_PAD;
	view->payload = c.at;
	view->payload_bytes = area - view->bth.pad_bytes;
	if (view->payload_bytes > PKT_MAX_PAYLOAD_BYTES)
		return PKT_REFUSED_PAYLOAD;
	memcpy(view->pad, c.at + view->payload_bytes, view->bth.pad_bytes);
	view->icrc = pkt_get_le32(c.at + area);
	return PKT_ACCEPTED;
}

/* A GRH or IPv6 header; c loses what stands behind the packet. */
static enum pkt_refusal decode_grh(struct cursor *c, uint8_t next_header, struct pkt_view *view)
{
	if (c->left < PKT_GRH_BYTES)
		return PKT_REFUSED_SHORT;
	if (c->at[0] >> 4 != 6)
		return PKT_REFUSED_IP_VERSION;
	pkt_grh_decode(c->at, &view->grh);
	if (view->grh.next_header != next_header)
		return PKT_REFUSED_NEXT_HEADER;
	skip(c, PKT_GRH_BYTES);
	if (view->grh.payload_bytes > c->left)
		return PKT_REFUSED_LENGTH;
	c->left = view->grh.payload_bytes;
	return PKT_ACCEPTED;
}

static enum pkt_refusal decode_ipv4(struct cursor *c, struct pkt_view *view)
{
	if (c->left < PKT_IPV4_BYTES)
		return PKT_REFUSED_SHORT;
	if (c->at[0] != 0x45)
		return PKT_REFUSED_IP_VERSION;
	pkt_ipv4_decode(c->at, &view->ipv4);
	if (view->ipv4.total_bytes > c->left || view->ipv4.total_bytes < PKT_IPV4_BYTES)
		return PKT_REFUSED_LENGTH;
	if (view->ipv4.fragment & 0x3fff) /* more fragments, or not the first */
		return PKT_REFUSED_IP_FRAGMENT;
	if (view->ipv4.protocol != PKT_NEXT_HEADER_UDP)
		return PKT_REFUSED_NEXT_HEADER;
	if (view->ipv4.checksum != pkt_ipv4_checksum(&view->ipv4))
		return PKT_REFUSED_IP_CHECKSUM;
	c->left = view->ipv4.total_bytes;
	skip(c, PKT_IPV4_BYTES);
	return PKT_ACCEPTED;
}

/* The UDP checksum may be 0, over IPv6 too, and is not looked at: the ICRC covers more [rcp 1]. */
static enum pkt_refusal decode_udp(struct cursor *c, struct pkt_view *view)
{
	if (c->left < PKT_UDP_BYTES)
		return PKT_REFUSED_SHORT;
	pkt_udp_decode(c->at, &view->udp);
	if (view->udp.dst_port != PKT_ROCE_V2_PORT)
		return PKT_REFUSED_UDP_PORT;
	if (view->udp.bytes != c->left)
		return PKT_REFUSED_LENGTH;
	skip(c, PKT_UDP_BYTES);
	return PKT_ACCEPTED;
}

static enum pkt_refusal decode_ib(struct cursor *c, struct pkt_view *view)
{
	const uint8_t *const wire = c->at;
	enum pkt_refusal why;
	size_t bytes; /* once equal to what is left: no less than the LRH, being whole words */

	if (c->left < PKT_LRH_BYTES)
		return PKT_REFUSED_SHORT;
	pkt_lrh_decode(c->at, &view->lrh);
	if (view->lrh.lver != 0)
		return PKT_REFUSED_LINK_VERSION;
	if (view->lrh.lnh != PKT_LNH_BTH && view->lrh.lnh != PKT_LNH_GRH)
		return PKT_REFUSED_NEXT_HEADER;
	bytes = view->lrh.packet_words * 4u;
	if (bytes != c->left && bytes + PKT_VCRC_BYTES != c->left)
		return PKT_REFUSED_LENGTH;
	view->has_vcrc = bytes != c->left;
	if (view->has_vcrc)
		view->vcrc = pkt_get_le16(wire + bytes);
	c->left = bytes;
	skip(c, PKT_LRH_BYTES);

	view->link = view->lrh.lnh == PKT_LNH_GRH ? PKT_LINK_IB_GRH : PKT_LINK_IB;
	if (view->link == PKT_LINK_IB)
		return PKT_ACCEPTED;
	why = decode_grh(c, PKT_NEXT_HEADER_BTH, view);
	if (why == PKT_ACCEPTED && (size_t)(c->at - wire) + c->left != bytes)
		return PKT_REFUSED_LENGTH;
	return why;
}

static enum pkt_refusal decode_roce_v1(struct cursor *c, struct pkt_view *view)
{
	view->link = PKT_LINK_ROCE_V1;
	return decode_grh(c, PKT_NEXT_HEADER_BTH, view);
}

static enum pkt_refusal decode_roce_v2(struct cursor *c, struct pkt_view *view)
{
	enum pkt_refusal why;

	if (c->left > 0 && c->at[0] >> 4 == 6) {
		view->link = PKT_LINK_ROCE_V2_IPV6;
		why = decode_grh(c, PKT_NEXT_HEADER_UDP, view);
	} else {
		view->link = PKT_LINK_ROCE_V2_IPV4;
		why = decode_ipv4(c, view);
	}
	return why == PKT_ACCEPTED ? decode_udp(c, view) : why;
}

static enum pkt_refusal decode_link(enum pkt_framing framing, struct cursor *c,
				    struct pkt_view *view)
{
	view->has_vcrc = false;
	switch (framing) {
	case PKT_FRAMING_IB:
		return decode_ib(c, view);
	case PKT_FRAMING_ROCE_V1:
		return decode_roce_v1(c, view);
	case PKT_FRAMING_ROCE_V2:
		return decode_roce_v2(c, view);
	}
	UNREACHABLE("a framing that does not exist");
}

int pkt_decode(enum pkt_framing framing, const uint8_t *wire, size_t bytes, struct pkt_view *view,
	       enum pkt_refusal *why)
{
	struct cursor c = {wire, bytes};

	*why = decode_link(framing, &c, view);
	if (*why == PKT_ACCEPTED)
		*why = decode_transport(c, view);
	if (*why != PKT_ACCEPTED)
		return -EBADMSG;
	view->wire = wire;
	view->bytes = (size_t)(c.at - wire) + c.left;
	return 0;
}

bool pkt_icrc_ok(const struct pkt_view *view)
{
	return view->icrc == pkt_icrc(view->link, view->wire, view->bytes - PKT_ICRC_BYTES);
}

bool pkt_vcrc_ok(const struct pkt_view *view)
{
	return !view->has_vcrc || view->vcrc == pkt_vcrc(view->wire, view->bytes);
}

static void complete_lrh(struct pkt_lrh *lrh, uint8_t lnh, size_t bytes)
{
	lrh->lver = 0;
	lrh->lnh = lnh;
	lrh->packet_words = (uint16_t)(bytes / 4);
}

static void complete_grh(struct pkt_grh *grh, uint8_t next_header, size_t bytes)
{
	grh->next_header = next_header;
	grh->payload_bytes = (uint16_t)bytes;
}

static void complete_ipv4(struct pkt_ipv4 *ip, size_t bytes)
{
	ip->protocol = PKT_NEXT_HEADER_UDP;
	ip->total_bytes = (uint16_t)(PKT_IPV4_BYTES + bytes);
	ip->checksum = pkt_ipv4_checksum(ip);
}

static void complete_udp(struct pkt_udp *udp, size_t bytes)
{
	udp->dst_port = PKT_ROCE_V2_PORT;
	udp->bytes = (uint16_t)(PKT_UDP_BYTES + bytes);
}

void pkt_complete(struct pkt_view *view)
{
	size_t bytes; /* BTH to ICRC */

	INVARIANT(view->payload_bytes <= PKT_MAX_PAYLOAD_BYTES);
	view->op = pkt_op(view->bth.opcode);
	view->bth.tver = 0;
	view->bth.pad_bytes = -view->payload_bytes & 3;
	memset(view->pad, 0, sizeof(view->pad));
	bytes = view->op->header_bytes + view->payload_bytes + view->bth.pad_bytes + PKT_ICRC_BYTES;
	view->bytes = pkt_link_bytes(view->link) + bytes;
	switch (view->link) {
	case PKT_LINK_IB:
		complete_lrh(&view->lrh, PKT_LNH_BTH, view->bytes);
		break;
	case PKT_LINK_IB_GRH:
		complete_lrh(&view->lrh, PKT_LNH_GRH, view->bytes);
		complete_grh(&view->grh, PKT_NEXT_HEADER_BTH, bytes);
		break;
	case PKT_LINK_ROCE_V1:
		complete_grh(&view->grh, PKT_NEXT_HEADER_BTH, bytes);
		break;
	case PKT_LINK_ROCE_V2_IPV4:
		complete_ipv4(&view->ipv4, PKT_UDP_BYTES + bytes);
		complete_udp(&view->udp, bytes);
		break;
	case PKT_LINK_ROCE_V2_IPV6:
		complete_grh(&view->grh, PKT_NEXT_HEADER_UDP, PKT_UDP_BYTES + bytes);
		complete_udp(&view->udp, bytes);
		break;
	}
}

size_t pkt_encode_transport(const struct pkt_view *view, uint8_t *wire)
{
	const struct pkt_opcode *op = pkt_op(view->bth.opcode);
	const unsigned int headers = op->headers;

	pkt_bth_encode(wire, &view->bth);
	wire += PKT_BTH_BYTES;
	if (headers & PKT_XRCETH) {
		pkt_xrceth_encode(wire, &view->xrceth);
		wire += PKT_XRCETH_BYTES;
	}
	if (headers & PKT_RDETH) {
		pkt_rdeth_encode(wire, &view->rdeth);
		wire += PKT_RDETH_BYTES;
	}
	if (headers & PKT_DETH) {
		pkt_deth_encode(wire, &view->deth);
		wire += PKT_DETH_BYTES;
	}
	if (headers & PKT_FETH) {
		pkt_feth_encode(wire, &view->feth);
		wire += PKT_FETH_BYTES;
	}
	if (headers & PKT_RETH) {
		pkt_reth_encode(wire, &view->reth);
		wire += PKT_RETH_BYTES;
	}
	if (headers & PKT_ATOMICETH) {
		pkt_atomiceth_encode(wire, &view->atomiceth);
		wire += PKT_ATOMICETH_BYTES;
	}
	if (headers & PKT_AETH) {
		pkt_aeth_encode(wire, &view->aeth);
		wire += PKT_AETH_BYTES;
	}
	if (headers & PKT_ATOMICACKETH) {
		pkt_atomicacketh_encode(wire, &view->atomicacketh);
		wire += PKT_ATOMICACKETH_BYTES;
	}
	if (headers & PKT_IMMDT) {
		memcpy(wire, &view->immdt, PKT_IMMDT_BYTES);
		wire += PKT_IMMDT_BYTES;
	}
	if (headers & PKT_IETH)
		pkt_put_be32(wire, view->ieth);
	return op->header_bytes;
}

static void encode_link(const struct pkt_view *view, uint8_t *wire)
{
	switch (view->link) {
	case PKT_LINK_IB:
		pkt_lrh_encode(wire, &view->lrh);
		return;
	case PKT_LINK_IB_GRH:
		pkt_lrh_encode(wire, &view->lrh);
		pkt_grh_encode(wire + PKT_LRH_BYTES, &view->grh);
		return;
	case PKT_LINK_ROCE_V1:
		pkt_grh_encode(wire, &view->grh);
		return;
	case PKT_LINK_ROCE_V2_IPV4:
		pkt_ipv4_encode(wire, &view->ipv4);
		pkt_udp_encode(wire + PKT_IPV4_BYTES, &view->udp);
		return;
	case PKT_LINK_ROCE_V2_IPV6:
		pkt_grh_encode(wire, &view->grh);
		pkt_udp_encode(wire + PKT_GRH_BYTES, &view->udp);
		return;
	}
	UNREACHABLE("a link that does not exist");
}

int pkt_encode_headers(const struct pkt_view *view, uint8_t *wire, size_t room)
{
	const size_t link_bytes = pkt_link_bytes(view->link),
		     header_bytes = pkt_header_bytes(view->bth.opcode);

	if (header_bytes == 0)
		return -EINVAL;
	if (room < link_bytes + header_bytes)
		return -EMSGSIZE;
	encode_link(view, wire);
	pkt_encode_transport(view, wire + link_bytes);
	return (int)(link_bytes + header_bytes);
}

int pkt_encode(const struct pkt_view *view, uint8_t *wire, size_t room)
{
	const size_t behind = view->payload_bytes + view->bth.pad_bytes + PKT_ICRC_BYTES +
			      (view->has_vcrc ? PKT_VCRC_BYTES : 0);
	const int ret = pkt_encode_headers(view, wire, room);
	uint8_t *at;

	if (ret < 0)
		return ret;
	if (room - (size_t)ret < behind)
		return -EMSGSIZE;
	at = wire + ret;
	if (view->payload_bytes > 0)
		memcpy(at, view->payload, view->payload_bytes);
	at += view->payload_bytes;
	memcpy(at, view->pad, view->bth.pad_bytes);
	at += view->bth.pad_bytes;
	pkt_put_le32(at, view->icrc);
	if (view->has_vcrc)
		pkt_put_le16(at + PKT_ICRC_BYTES, view->vcrc);
	return ret + (int)behind;
}

size_t pkt_seal(enum pkt_link link, uint8_t *wire, size_t bytes, bool vcrc)
{
	pkt_put_le32(wire + bytes, pkt_icrc(link, wire, bytes));
	bytes += PKT_ICRC_BYTES;
	if (vcrc) {
		pkt_put_le16(wire + bytes, pkt_vcrc(wire, bytes));
		bytes += PKT_VCRC_BYTES;
	}
	return bytes;
}

#define TEXT(name, text) [name] = (text),
static const char *const refusal_texts[PKT_REFUSAL_COUNT] = {PKT_REFUSALS(TEXT)};

const char *pkt_refusal_text(enum pkt_refusal why)
{
	return refusal_texts[why];
}
