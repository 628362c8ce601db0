/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What we send, we accept: a view with any fields and payload, completed, encoded and sealed, decodes
 * to the same fields with right CRCs. Input: link, opcode, VCRC or not, the headers, the payload.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "packet/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

struct input {
	const uint8_t *at;
	size_t left;
};

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* The next bytes of the input, then zeros. */
static const uint8_t *take(struct input *in, size_t bytes)
{
	static uint8_t taken[64];
	const size_t n = bytes < in->left ? bytes : in->left;

	memset(taken, 0, sizeof(taken));
	if (n > 0)
		memcpy(taken, in->at, n);
	in->at += n;
	in->left -= n;
	return taken;
}

static void fill_link(struct input *in, struct pkt_view *view)
{
	pkt_lrh_decode(take(in, PKT_LRH_BYTES), &view->lrh);
	pkt_grh_decode(take(in, PKT_GRH_BYTES), &view->grh);
	pkt_ipv4_decode(take(in, PKT_IPV4_BYTES), &view->ipv4);
	view->ipv4.fragment &= 0xc000; /* a fragment is nothing that we would send */
	pkt_udp_decode(take(in, PKT_UDP_BYTES), &view->udp);
}

static void fill_transport(struct input *in, uint8_t opcode, struct pkt_view *view)
{
	pkt_bth_decode(take(in, PKT_BTH_BYTES), &view->bth);
	view->bth.opcode = opcode;
	pkt_xrceth_decode(take(in, PKT_XRCETH_BYTES), &view->xrceth);
	pkt_rdeth_decode(take(in, PKT_RDETH_BYTES), &view->rdeth);
	pkt_deth_decode(take(in, PKT_DETH_BYTES), &view->deth);
	pkt_feth_decode(take(in, PKT_FETH_BYTES), &view->feth);
	pkt_reth_decode(take(in, PKT_RETH_BYTES), &view->reth);
	pkt_atomiceth_decode(take(in, PKT_ATOMICETH_BYTES), &view->atomiceth);
	pkt_aeth_decode(take(in, PKT_AETH_BYTES), &view->aeth);
	pkt_atomicacketh_decode(take(in, PKT_ATOMICACKETH_BYTES), &view->atomicacketh);
	memcpy(&view->immdt, take(in, PKT_IMMDT_BYTES), sizeof(view->immdt));
	view->ieth = pkt_get_be32(take(in, PKT_IETH_BYTES));
}

static enum pkt_framing framing_of(enum pkt_link link)
{
	switch (link) {
	case PKT_LINK_IB:
	case PKT_LINK_IB_GRH:
		return PKT_FRAMING_IB;
	case PKT_LINK_ROCE_V1:
		return PKT_FRAMING_ROCE_V1;
	case PKT_LINK_ROCE_V2_IPV4:
	case PKT_LINK_ROCE_V2_IPV6:
		return PKT_FRAMING_ROCE_V2;
	}
	abort();
}

/* Both views encode alike: all fields that matter for the opcode and the link are equal. */
static void check_same(const struct pkt_view *sent, const struct pkt_view *got)
{
	uint8_t a[PKT_MAX_LINK_BYTES + PKT_MAX_HEADER_BYTES], b[sizeof(a)];
	const int n = pkt_encode_headers(sent, a, sizeof(a));

	require(n > 0 && pkt_encode_headers(got, b, sizeof(b)) == n);
	require(memcmp(a, b, (size_t)n) == 0);
	require(got->link == sent->link && got->op == sent->op && got->bytes == sent->bytes);
	require(got->payload_bytes == sent->payload_bytes);
	require(sent->payload_bytes == 0 ||
		memcmp(got->payload, sent->payload, sent->payload_bytes) == 0);
	require(got->has_vcrc == sent->has_vcrc);
	require(pkt_icrc_ok(got) && pkt_vcrc_ok(got));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct input in = {bytes, count};
	struct pkt_view view = {0}, back;
	enum pkt_refusal why;
	uint8_t first[3];
	uint8_t *wire;
	size_t n;

	memcpy(first, take(&in, sizeof(first)), sizeof(first));
	view.link = (enum pkt_link)(first[0] % (PKT_LINK_ROCE_V2_IPV6 + 1));
	fill_link(&in, &view);
	fill_transport(&in, first[1], &view);
	view.has_vcrc = framing_of(view.link) == PKT_FRAMING_IB && first[2] % 2;
	if (pkt_op(first[1])->headers & PKT_DATA) {
		view.payload = in.at;
		view.payload_bytes = in.left < PKT_MAX_PAYLOAD_BYTES ? in.left
								     : PKT_MAX_PAYLOAD_BYTES;
	}
	pkt_complete(&view);
	n = view.bytes + (view.has_vcrc ? PKT_VCRC_BYTES : 0);
	wire = calloc(1, n);
	require(wire);
	if (view.op->kind == PKT_KIND_RESERVED) {
		require(pkt_encode(&view, wire, n) == -EINVAL);
	} else {
		require(pkt_encode(&view, wire, n) == (int)n);
		require(pkt_seal(view.link, wire, view.bytes - PKT_ICRC_BYTES, view.has_vcrc) == n);
		require(pkt_decode(framing_of(view.link), wire, n, &back, &why) == 0);
		check_same(&view, &back);
	}
	free(wire);
	return 0;
}
