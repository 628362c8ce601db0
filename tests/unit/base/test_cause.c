// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The table of causes, and the sentences made from it. */
#include "base/cause.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cause_names.h"
#include "base/log.h"
#include "common/test.h"
#include "packet/opcode.h"

static const char *sentence_of(const struct base_cause *cause)
{
	static char text[BASE_CAUSE_TEXT_BYTES];
	const size_t bytes = base_cause_format(cause, text, sizeof(text));

	assert_int_equal(bytes, strlen(text));
	return text;
}

static void base_cause_format__names_qp_request_and_status(void **state)
{
	const struct base_cause cause = {.id = BASE_CAUSE_NO_MEMORY,
					 .qpn = 0x12,
					 .has_wr = true,
					 .wr_id = 7,
					 .status = 10,
					 .arg = {4096}};

	(void)state;
	assert_string_equal(sentence_of(&cause),
			    "QP 0x12 WR 7 RDMA_WRITE -> REM_ACCESS_ERR: no memory for 4096 bytes. "
			    "Free some, or raise the limit of the process.");
}

/* wr_cqe and cookies that are pointers read as such. */
/* What a newcomer reads: names instead of numbers, and a cure that can be followed. */
static void base_cause_format__responder_and_keys_in_words(void **state)
{
	(void)state;
	assert_string_equal(sentence_of(&(struct base_cause){.id = BASE_CAUSE_RESP_QP_ACCESS,
							     .arg = {0x0a, 1 | 4}}),
			    "RDMA WRITE Only, yet the responder's queue pair allows its peer only "
			    "LOCAL_WRITE|REMOTE_READ. Give its qp_access_flags the remote right "
			    "(ib_modify_qp() with IB_QP_ACCESS_FLAGS).");
	assert_non_null(strstr(sentence_of(&(struct base_cause){
				       .id = BASE_CAUSE_RESP_PAYLOAD_LENGTH, .arg = {0, 8, 256}}),
			       "packet SEND First has 8 bytes of payload where"));
	assert_non_null(strstr(sentence_of(&(struct base_cause){.id = BASE_CAUSE_REQ_BAD_RESPONSE,
								.arg = {0x10, 3}}),
			       "response RDMA READ Response Only to PSN 0x3"));
	assert_non_null(strstr(
		sentence_of(
			&(struct base_cause){.id = BASE_CAUSE_RKEY_STALE, .arg = {0x104, 0x101}}),
		"rkey 0x104 is not the key of its slot, which has rkey 0x101: it is an old one, or "
		"made up."));
	assert_string_equal(
		sentence_of(&(struct base_cause){
			.id = BASE_CAUSE_CQ_OVERFLOW, .qpn = 0x12, .arg = {4, 1}}),
		"QP 0x12: its receive CQ of 4 entries is full: this completion and all "
		"that follow are lost. Make it as large as all that can complete to it, "
		"and poll.");
	assert_null(strstr(sentence_of(&(struct base_cause){.id = BASE_CAUSE_RKEY_IS_LKEY}),
			   "keys_same"));
	assert_non_null(
		strstr(sentence_of(&(struct base_cause){.id = BASE_CAUSE_REQ_RETRY_TIMEOUT}),
		       "as its rq_psn the sq_psn of this one."));
}

/* What a filter forbids, no higher limit allows. */
static void base_cause_format__errnos_in_words(void **state)
{
	const struct base_cause filtered = {.id = BASE_CAUSE_ATTACH_NO_MEMFD, .arg = {38}};
	struct base_cause full = {.id = BASE_CAUSE_ATTACH_NO_SPACE, .arg = {28}};

	(void)state;
	assert_non_null(strstr(sentence_of(&filtered), "(Function not implemented). Look for a"));
	assert_null(strstr(sentence_of(&filtered), "limits"));
	base_cause_put_text(&full, 1, "/tmp/verbena-0");
	assert_non_null(strstr(sentence_of(&full), "run directory: /tmp/verbena-0. Make room"));
}

/* Each opcode of an RC packet has its words. */
static void base_cause_value_name__rc_packets(void **state)
{
	char text[128];

	(void)state;
	for (unsigned int op = 0; op < 0x20; op++)
		assert_int_equal(base_cause_value_name("packet", 6, op, text, sizeof(text)),
				 pkt_opcodes[op].name != NULL);
}

static void base_cause_format__large_cookies_are_hexadecimal(void **state)
{
	struct base_cause cause = {
		.id = BASE_CAUSE_NO_MEMORY, .has_wr = true, .wr_id = UINT32_MAX, .arg = {1}};

	(void)state;
	assert_non_null(strstr(sentence_of(&cause), "WR 4294967295 "));
	cause.wr_id = 0x7ffd12345678;
	assert_non_null(strstr(sentence_of(&cause), "WR 0x7ffd12345678 "));
}

static void base_cause_format__without_subject_and_unknown_id(void **state)
{
	(void)state;
	assert_string_equal(sentence_of(&(struct base_cause){.id = BASE_CAUSE_NOT_SUPPORTED}),
			    "the device does not offer this operation. "
			    "Look at the device's ops or capability flags first.");
	assert_string_equal(sentence_of(&(struct base_cause){0}), "");
	assert_string_equal(sentence_of(&(struct base_cause){.id = 65535}),
			    "cause 65535, which this version does not know.");
}

static void base_cause_format__says_who_found_it(void **state)
{
	const struct base_cause cause = {
		.id = BASE_CAUSE_NOT_SUPPORTED, .side = BASE_SIDE_RESPONDER, .peer_qpn = 0x34};

	(void)state;
	assert_non_null(strstr(sentence_of(&cause), "(found by the responder, QP 0x34)"));
}

static void base_cause_format__never_overruns(void **state)
{
	const struct base_cause cause = {.id = BASE_CAUSE_NO_MEMORY,
					 .qpn = 0xffffff,
					 .has_wr = true,
					 .wr_id = UINT64_MAX,
					 .status = 13};
	char text[64];

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		memset(text, '#', sizeof(text));
		base_cause_format(&cause, text, n);
		assert_int_equal(text[n], '#');
		if (n)
			assert_non_null(memchr(text, '\0', n));
	}
}

/* Every row: an id of its own, a sentence and a cure without a full stop, marks that exist. */
static void causes__rows_are_well_formed(void **state)
{
	unsigned int rows = 0;

	(void)state;
#define CAUSE(id, name, sentence, cure) rows++;
#include "base/causes.h"
#undef CAUSE
	for (unsigned int id = base_cause_next_id(0); id; id = base_cause_next_id(id), rows--) {
		const char *s = base_cause_sentence(id);
		const struct base_cause cause = {.id = (uint16_t)id};

		assert_string_not_equal(base_cause_name(id), "UNKNOWN");
		assert_true(strlen(s) > 10 && s[strlen(s) - 1] != '.');
		assert_false(isupper((unsigned char)s[0]) && islower((unsigned char)s[1]));
		assert_null(strchr(sentence_of(&cause), '{'));
		assert_string_not_equal(sentence_of(&cause) + strlen(sentence_of(&cause)) - 2,
					"..");
		assert_true(strlen(sentence_of(&cause)) < BASE_CAUSE_TEXT_BYTES - 100);
	}
	assert_int_equal(rows, 0); /* no id twice */
}

static int refuse_something(void)
{
	return base_refuse(-ENOMEM, NO_MEMORY, 12345);
}

static void base_refuse__remembers_on_this_thread(void **state)
{
	(void)state;
	assert_int_equal(refuse_something(), -ENOMEM);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_NO_MEMORY);
	assert_int_equal(base_cause_last()->side, BASE_SIDE_CALL);
	assert_non_null(strstr(sentence_of(base_cause_last()), "12345"));
	assert_int_equal(base_refuse_wr(-EINVAL, 5, 77, BASE_CAUSE_RECEIVE, NO_MEMORY, 1), -EINVAL);
	assert_non_null(strstr(sentence_of(base_cause_last()), "QP 0x5 WR 77 RECV: "));
	/* Numbers that are no opcode at all are not cut to one. */
	assert_int_equal(base_refuse_wr(-EINVAL, 5, 77, 0x100, NO_MEMORY, 1), -EINVAL);
	assert_non_null(strstr(sentence_of(base_cause_last()), "QP 0x5 WR 77: "));
	assert_int_equal(base_refuse_wr(-EINVAL, 5, 77, UINT32_MAX, NO_MEMORY, 1), -EINVAL);
	assert_non_null(strstr(sentence_of(base_cause_last()), "QP 0x5 WR 77: "));
}

static struct base_cause heard;
static char logged[BASE_CAUSE_TEXT_BYTES];

static void hear(const struct base_cause *cause)
{
	heard = *cause;
}

static void keep_line(void *ctx, int level, const char *line)
{
	(void)ctx;
	assert_int_equal(level, 4);
	snprintf(logged, sizeof(logged), "%s", line);
}

/* A stock program's listener hears of it, and nobody else; a program without one has a log. */
static void base_cause_warn__to_the_listener_or_the_log(void **state)
{
	const struct base_cause cause = {.id = BASE_CAUSE_PEER_STALLED, .qpn = 7, .arg = {99}};

	(void)state;
	base_log_set_sink(keep_line, NULL);
	base_cause_listen(hear);
	base_cause_warn(&cause);
	assert_int_equal(heard.id, BASE_CAUSE_PEER_STALLED);
	assert_string_equal(logged, "");
	base_cause_listen(NULL);
	base_cause_warn(&cause);
	base_log_set_sink(NULL, NULL);
	assert_string_equal(logged, sentence_of(&cause));
}

static void base_cause_value_name__kinds(void **state)
{
	char text[128];

	(void)state;
	assert_true(base_cause_value_name("state", 5, 3, text, sizeof(text)));
	assert_string_equal(text, "RTS");
	assert_true(base_cause_value_name("access", 6, 0x46, text, sizeof(text)));
	assert_string_equal(text, "REMOTE_WRITE|REMOTE_READ|ON_DEMAND");
	assert_true(base_cause_value_name("mask", 4, 0x80000001, text, sizeof(text)));
	assert_string_equal(text, "STATE|0x80000000");
	assert_true(base_cause_value_name("access", 6, 0, text, sizeof(text)));
	assert_string_equal(text, "none");
	assert_true(base_cause_value_name("queue", 5, 1, text, sizeof(text)));
	assert_string_equal(text, "receive");
	assert_true(base_cause_value_name("errno", 5, 28, text, sizeof(text)));
	assert_string_equal(text, "No space left on device");
	assert_true(base_cause_value_name("errno", 5, (uint64_t)-12, text, sizeof(text)));
	assert_string_equal(text, "Cannot allocate memory");
	assert_true(base_cause_value_name("errno", 5, 0, text, sizeof(text)));
	assert_string_equal(text, "errno 0");
	assert_false(base_cause_value_name("state", 5, 9, text, sizeof(text)));
	assert_false(base_cause_value_name("colour", 6, 1, text, sizeof(text)));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(base_cause_format__names_qp_request_and_status),
	cmocka_unit_test(base_cause_format__responder_and_keys_in_words),
	cmocka_unit_test(base_cause_format__errnos_in_words),
	cmocka_unit_test(base_cause_value_name__rc_packets),
	cmocka_unit_test(base_cause_format__large_cookies_are_hexadecimal),
	cmocka_unit_test(base_cause_format__without_subject_and_unknown_id),
	cmocka_unit_test(base_cause_format__says_who_found_it),
	cmocka_unit_test(base_cause_format__never_overruns),
	cmocka_unit_test(causes__rows_are_well_formed),
	cmocka_unit_test(base_refuse__remembers_on_this_thread),
	cmocka_unit_test(base_cause_warn__to_the_listener_or_the_log),
	cmocka_unit_test(base_cause_value_name__kinds),
};

int main(void)
{
	return verbena_test_main(tests);
}
