/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Bytes of any content as a packet. The first byte chooses the framing, the rest is the packet.
 * Refused with a reason, or it encodes to the same bytes, and completing it changes no length.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "packet/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* What is accepted comes back, and fits exactly. */
static void check_encode(const struct pkt_view *view, const uint8_t *wire)
{
	const size_t bytes = view->bytes + (view->has_vcrc ? PKT_VCRC_BYTES : 0);
	uint8_t *again = calloc(1, bytes);

	require(again);
	require(pkt_encode(view, again, bytes) == (int)bytes);
	require(memcmp(again, wire, bytes) == 0);
	require(pkt_encode(view, again, bytes - 1) == -EMSGSIZE);
	free(again);
}

/* The derived fields are those that were accepted; sealed, the packet has a right ICRC. */
static void check_complete(enum pkt_framing framing, const struct pkt_view *view,
			   const uint8_t *wire)
{
	uint8_t again[PKT_MAX_LINK_BYTES + PKT_MAX_HEADER_BYTES + PKT_MAX_PAYLOAD_BYTES +
		      PKT_ICRC_BYTES + PKT_VCRC_BYTES];
	struct pkt_view completed = *view, back;
	enum pkt_refusal why;
	size_t bytes;

	completed.has_vcrc = framing == PKT_FRAMING_IB;
	pkt_complete(&completed);
	require(completed.bytes == view->bytes);
	require(completed.bth.pad_bytes == view->bth.pad_bytes);
	memcpy(completed.pad, view->pad, sizeof(completed.pad));
	require(pkt_encode(&completed, again, sizeof(again)) > 0);
	require(memcmp(again, wire, view->bytes) == 0);
	bytes = pkt_seal(completed.link, again, completed.bytes - PKT_ICRC_BYTES,
			 completed.has_vcrc);
	require(pkt_decode(framing, again, bytes, &back, &why) == 0);
	require(pkt_icrc_ok(&back) && pkt_vcrc_ok(&back));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	enum pkt_framing framing;
	struct pkt_view view;
	enum pkt_refusal why;

	if (count == 0)
		return 0;
	framing = (enum pkt_framing)(bytes[0] % 3);
	if (pkt_decode(framing, bytes + 1, count - 1, &view, &why)) {
		require(why > PKT_ACCEPTED && why < PKT_REFUSAL_COUNT);
		return 0;
	}
	require(why == PKT_ACCEPTED);
	check_encode(&view, bytes + 1);
	check_complete(framing, &view, bytes + 1);
	return 0;
}
