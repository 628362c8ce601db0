/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Every packet of every capture of the real Soft-RoCE decodes, encodes to the same bytes, and its
 * ICRC is right; and the captures hold what their names say [rcp 1, 2, 15].
 */
#include "common/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/trace.h"
#include "packet/aeth.h"

#define CAPTURES TEST_DATA_DIR "/captures/"

/* Packets, dialogues, requests and responses in these of each file. */
static const struct {
	const char *name;
	size_t packets, dialogues, requests, responses;
} captures[] = {
	{"rxe-cm-mckey", 3, 0, 0, 0},		{"rxe-cm-reject", 2, 0, 0, 0},
	{"rxe-cm-rping-ipv6", 29, 2, 12, 12},	{"rxe-cm-rping", 41, 2, 18, 18},
	{"rxe-cm-rstream", 47, 2, 21, 21},	{"rxe-cm-ucmatose", 34, 4, 12, 12},
	{"rxe-cm-udaddy", 8, 0, 0, 0},		{"rxe-ib-atomic-bw", 10, 1, 5, 5},
	{"rxe-ib-read-lat", 15, 1, 5, 10},	{"rxe-ib-send-bw-uc", 10, 1, 10, 0},
	{"rxe-ib-send-bw", 15, 1, 10, 5},	{"rxe-ib-send-lat-ud", 10, 0, 0, 0},
	{"rxe-ib-write-bw-cm", 89, 3, 42, 37},	{"rxe-ib-write-bw", 15, 1, 10, 5},
	{"rxe-mtu4096-rc-read", 15, 1, 7, 8},	{"rxe-mtu4096-rc-send", 19, 1, 10, 9},
	{"rxe-mtu4096-rc-write", 19, 1, 10, 9}, {"rxe-mtu4096-uc-send", 10, 1, 10, 0},
	{"rxe-rc-atomic", 6, 1, 3, 3},		{"rxe-rc-duplicate", 173, 1, 64, 109},
	{"rxe-rc-event", 4, 1, 2, 2},		{"rxe-rc-ipv6", 27, 1, 17, 10},
	{"rxe-rc-loss", 99, 1, 52, 47},		{"rxe-rc-mw", 6, 1, 3, 3},
	{"rxe-rc-nak", 36, 10, 25, 11},		{"rxe-rc-noaccess", 6, 3, 3, 3},
	{"rxe-rc-pingpong", 158, 2, 109, 49},	{"rxe-rc-psnwrap", 25, 1, 16, 9},
	{"rxe-rc-read", 19, 1, 7, 12},		{"rxe-rc-readpipe", 22, 1, 8, 14},
	{"rxe-rc-reorder", 181, 1, 91, 90},	{"rxe-rc-retry-exceeded", 18, 1, 18, 0},
	{"rxe-rc-rnr-exceeded", 12, 1, 6, 6},	{"rxe-rc-rnr", 48, 1, 35, 13},
	{"rxe-rc-send", 25, 1, 16, 9},		{"rxe-rc-write", 25, 1, 16, 9},
	{"rxe-srq-pingpong", 16, 4, 8, 8},	{"rxe-uc-pingpong", 80, 2, 80, 0},
	{"rxe-uc-send", 16, 1, 16, 0},		{"rxe-uc-write", 16, 1, 16, 0},
	{"rxe-ud-pingpong", 20, 0, 0, 0},	{"rxe-ud-send", 4, 0, 0, 0},
};

#define CAPTURE_COUNT (sizeof(captures) / sizeof(captures[0]))

static struct trace *load(const char *name)
{
	struct trace *trace;
	char path[4096];

	snprintf(path, sizeof(path), CAPTURES "%s.pcap", name);
	trace = trace_load(path);
	assert_non_null(trace);
	return trace;
}

static void captures__none_is_forgotten(void **state)
{
	DIR *folder = opendir(CAPTURES);
	const struct dirent *entry;
	size_t files = 0;

	(void)state;
	assert_non_null(folder);
	while ((entry = readdir(folder)))
		files += strstr(entry->d_name, ".pcap") != NULL;
	closedir(folder);
	assert_int_equal(files, CAPTURE_COUNT);
}

static void captures__have_all_their_packets(void **state)
{
	size_t all = 0;

	(void)state;
	for (size_t i = 0; i < CAPTURE_COUNT; i++) {
		struct trace *trace = load(captures[i].name);
		size_t requests = 0, responses = 0;

		for (size_t j = 0; j < trace->dialogue_count; j++) {
			requests += trace->dialogues[j].requests;
			responses += trace->dialogues[j].responses;
		}
		assert_int_equal(trace->packet_count, captures[i].packets);
		assert_int_equal(trace->dialogue_count, captures[i].dialogues);
		assert_int_equal(requests, captures[i].requests);
		assert_int_equal(responses, captures[i].responses);
		all += trace->packet_count;
		trace_free(trace);
	}
	assert_int_equal(all, 1433);
}

static void captures__decode_and_encode_to_the_same_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < CAPTURE_COUNT; i++) {
		struct trace *trace = load(captures[i].name);

		for (size_t j = 0; j < trace->packet_count; j++) {
			const struct trace_packet *p = &trace->packets[j];
			uint8_t again[8192];

			assert_int_equal(p->refusal, PKT_ACCEPTED);
			assert_true(p->view.op->supported);
			assert_int_equal(pkt_encode(&p->view, again, sizeof(again)), p->bytes);
			assert_memory_equal(again, p->wire, p->bytes);
		}
		trace_free(trace);
	}
}

static void captures__icrc_is_confirmed(void **state)
{
	(void)state;
	for (size_t i = 0; i < CAPTURE_COUNT; i++) {
		struct trace *trace = load(captures[i].name);

		for (size_t j = 0; j < trace->packet_count; j++)
			assert_true(pkt_icrc_ok(&trace->packets[j].view));
		trace_free(trace);
	}
}

/* Lengths, pad and checksums that pkt_complete() derives are those that Linux sent. */
static void captures__complete_and_seal_as_linux_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < CAPTURE_COUNT; i++) {
		struct trace *trace = load(captures[i].name);

		for (size_t j = 0; j < trace->packet_count; j++) {
			const struct trace_packet *p = &trace->packets[j];
			struct pkt_view view = p->view;
			uint8_t again[8192];

			view.ipv4.total_bytes = view.grh.payload_bytes = view.udp.bytes = 0;
			view.bth.pad_bytes = 0;
			view.ipv4.checksum = 0;
			view.icrc = 0;
			pkt_complete(&view);
			assert_int_equal(pkt_encode(&view, again, sizeof(again)), p->bytes);
			pkt_seal(view.link, again, p->bytes - PKT_ICRC_BYTES, false);
			assert_memory_equal(again, p->wire, p->bytes);
		}
		trace_free(trace);
	}
}

static void captures__dialogues_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < CAPTURE_COUNT; i++) {
		struct trace *trace = load(captures[i].name);

		for (size_t j = 0; j < trace->dialogue_count; j++) {
			const struct trace_dialogue *d = &trace->dialogues[j];
			size_t requests = 0, responses = 0;

			for (const struct trace_packet *p = d->first; p; p = p->next) {
				const bool request = p->view.op->side == PKT_REQUEST;

				requests += request;
				responses += !request;
				assert_true(!p->next || p->next->number > p->number);
				assert_memory_equal(p->src, request ? d->requester : d->responder,
						    16);
				assert_int_equal(p->view.bth.dest_qpn,
						 request ? d->responder_qpn : d->requester_qpn);
			}
			assert_int_equal(requests, d->requests);
			assert_int_equal(responses, d->responses);
			assert_true(d->service == PKT_SERVICE_RC || d->responses == 0);
		}
		trace_free(trace);
	}
}

static void captures__nak_codes_are_there(void **state)
{
	struct trace *trace = load("rxe-rc-nak");
	unsigned int naks[5] = {0};

	(void)state;
	assert_int_equal(trace->dialogue_count, 10);
	for (size_t i = 0; i < trace->packet_count; i++) {
		const struct pkt_view *v = &trace->packets[i].view;

		if (v->op->kind == PKT_KIND_ACK && pkt_aeth_kind(v->aeth.syndrome) == PKT_AETH_NAK)
			naks[v->aeth.syndrome - PKT_NAK_PSN_SEQUENCE]++;
	}
	assert_int_equal(naks[PKT_NAK_REMOTE_ACCESS - PKT_NAK_PSN_SEQUENCE], 6);
	assert_int_equal(naks[PKT_NAK_REMOTE_OPERATIONAL - PKT_NAK_PSN_SEQUENCE], 2);
	trace_free(trace);
}

static void captures__rnr_naks_carry_the_timer(void **state)
{
	struct trace *trace = load("rxe-rc-rnr");
	unsigned int rnr_naks = 0;

	(void)state;
	for (size_t i = 0; i < trace->packet_count; i++) {
		const struct pkt_view *v = &trace->packets[i].view;

		if (v->op->kind != PKT_KIND_ACK ||
		    pkt_aeth_kind(v->aeth.syndrome) != PKT_AETH_RNR_NAK)
			continue;
		rnr_naks++;
		assert_int_equal(pkt_rnr_wait_ns(v->aeth.syndrome), 640000);
	}
	assert_int_equal(rnr_naks, 6);
	trace_free(trace);
}

static void captures__psn_wraps(void **state)
{
	struct trace *trace = load("rxe-rc-psnwrap");
	const struct trace_packet *before = NULL;
	bool wrapped = false;

	(void)state;
	assert_int_equal(trace->dialogue_count, 1);
	for (const struct trace_packet *p = trace->dialogues[0].first; p; p = p->next) {
		if (p->view.op->side != PKT_REQUEST)
			continue;
		if (before)
			assert_int_equal(psn_diff(p->view.bth.psn, before->view.bth.psn), 1);
		wrapped |= p->view.bth.psn.v == 0;
		before = p;
	}
	assert_true(wrapped);
	trace_free(trace);
}

static void trace_load__without_a_file(void **state)
{
	(void)state;
	assert_null(trace_load(CAPTURES "no-such-file.pcap"));
	assert_null(trace_load(CAPTURES "README.md"));
	trace_free(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(captures__none_is_forgotten),
	cmocka_unit_test(captures__have_all_their_packets),
	cmocka_unit_test(captures__decode_and_encode_to_the_same_bytes),
	cmocka_unit_test(captures__icrc_is_confirmed),
	cmocka_unit_test(captures__complete_and_seal_as_linux_does),
	cmocka_unit_test(captures__dialogues_are_whole),
	cmocka_unit_test(captures__nak_codes_are_there),
	cmocka_unit_test(captures__rnr_naks_carry_the_timer),
	cmocka_unit_test(captures__psn_wraps),
	cmocka_unit_test(trace_load__without_a_file),
};

int main(void)
{
	return verbena_test_main(tests);
}
