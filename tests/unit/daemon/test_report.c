// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What processes show of themselves, and what the daemon tells of it. */
#include <jansson.h>

#include "fabric/fault_plan.h"
#include "server_fixture.h"

/* What it shows of itself, for munmap(). */
static uint8_t *attach_shown(struct client *c, const char *host, const char *command)
{
	struct attach_message m = {.type = ATTACH_HELLO, .hello.hca[0].ports = 1};
	int fds[3] = {attach_memory("control", ATTACH_SHOWN_BYTES), eventfd(0, EFD_CLOEXEC),
		      attach_memory("keys", 4096)};
	uint8_t *shown = attach_map(fds[0], ATTACH_SHOWN_BYTES, true);

	assert_non_null(shown);
	connect_client(c);
	snprintf(m.hello.host, sizeof(m.hello.host), "%s", host);
	snprintf(m.hello.command, sizeof(m.hello.command), "%s", command);
	assert_int_equal(attach_send(c->fd, &m, fds, 3), 0);
	for (unsigned int i = 0; i < 3; i++)
		close(fds[i]);
	assert_int_equal(hear(c), 0);
	assert_int_equal(c->m.type, ATTACH_WELCOME);
	return shown;
}

static json_t *ask_status(void)
{
	struct client asker;
	json_t *status;

	connect_client(&asker);
	say(&asker, ATTACH_STATUS, 0);
	assert_int_equal(hear(&asker), 0);
	assert_int_equal(asker.m.status, 0);
	assert_int_equal(lseek(asker.fds[0], 0, SEEK_SET), 0);
	status = json_loadfd(asker.fds[0], 0, NULL);
	assert_non_null(status);
	detach_client(&asker);
	return status;
}

/* Whatever a process shows of itself, status is JSON, and its counters are a port's. */
static void status__of_garbage(void **state)
{
	struct client c;
	uint8_t *shown = attach_shown(&c, "a\xff\"b", "\xc3\\\"");
	uint64_t random = 1;

	(void)state;
	for (unsigned int round = 0; round < 3; round++) {
		for (size_t at = 0; at < ATTACH_SHOWN_BYTES; at++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			shown[at] = round ? (uint8_t)(random >> 56) : 0xff;
		}
		json_decref(ask_status());
		say(&c, ATTACH_COUNTERS, 0);
		assert_int_equal(hear(&c), 0);
		assert_int_equal(c.m.type, ATTACH_TRAFFIC);
		assert_int_equal(c.m.status, 0);
		say(&c, ATTACH_COUNTERS, 1u << 30); /* no such HCA */
		assert_int_equal(hear(&c), 0);
		assert_int_equal(c.m.status, -ENOENT);
	}
	munmap(shown, ATTACH_SHOWN_BYTES);
	detach_client(&c);
}

/* Counts of faults are a process's own; kinds that nobody knows are not shown. */
static void status__has_processes_and_their_faults(void **state)
{
	struct client c;
	uint8_t *shown = attach_shown(&c, "alpha", "test");
	struct base_report *report = (struct base_report *)(shown + ATTACH_REPORT_AT);
	const char *host, *command;
	json_int_t drops, dups;
	json_t *status, *faults;

	(void)state;
	report->faults[FAULT_DROP] = 7;
	report->faults[FAULT_DUPLICATE] = UINT64_MAX;
	report->faults[BASE_REPORT_FAULTS - 1] = 5;
	status = ask_status();
	assert_int_equal(json_unpack(status, "{s:[{s:s, s:[{s:s, s:o}]}]}", "hosts", "name", &host,
				     "processes", "command", &command, "faults", &faults),
			 0);
	assert_string_equal(host, "alpha");
	assert_string_equal(command, "test");
	assert_int_equal(json_unpack(faults, "{s:I, s:I}", "drop", &drops, "dup", &dups), 0);
	assert_int_equal(json_object_size(faults), 2);
	assert_int_equal(drops, 7);
	assert_true(dups > 0);
	json_decref(status);
	munmap(shown, ATTACH_SHOWN_BYTES);
	detach_client(&c);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

static const struct CMUnitTest tests[] = {
	TEST(status__of_garbage),
	TEST(status__has_processes_and_their_faults),
};

int main(void)
{
	return verbena_test_main(tests);
}
