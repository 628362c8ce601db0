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

static struct base_report *report_in(uint8_t *shown)
{
	return (struct base_report *)(shown + ATTACH_REPORT_AT);
}

/* Counts of faults are a process's own; kinds that nobody knows are not shown. */
static void status__has_processes_and_their_faults(void **state)
{
	struct client c;
	uint8_t *shown = attach_shown(&c, "alpha", "test");
	struct base_report *report = report_in(shown);
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

/* What a client is told of its port. */
static struct base_traffic traffic_told(struct client *c)
{
	say(c, ATTACH_COUNTERS, 0);
	assert_int_equal(hear(c), 0);
	assert_int_equal(c->m.type, ATTACH_TRAFFIC);
	assert_int_equal(c->m.status, 0);
	return c->m.counters.traffic;
}

static uint32_t slot_on(const struct directory *dir, const char *host)
{
	const int number = directory_find_host(dir, host);

	assert_true(number >= 0);
	return (uint32_t)directory_slot(dir, (uint32_t)number, 0, 0);
}

static void check_placed(struct client *target, uint64_t received, uint64_t sent)
{
	const struct base_traffic t = traffic_told(target);

	assert_int_equal(t.received_packets, received);
	assert_int_equal(t.received_bytes, 100 * received);
	assert_int_equal(t.sent_packets, sent);
	assert_int_equal(t.sent_bytes, 100 * sent);
}

/* How many packets the status says that a port of a host has received. */
static json_int_t received_on(const char *host)
{
	json_t *status = ask_status(), *h;
	json_int_t received = -1;
	const char *name;
	size_t i;

	json_array_foreach(json_object_get(status, "hosts"), i, h)
		if (!json_unpack(h, "{s:s}", "name", &name) && !strcmp(name, host))
			assert_int_equal(json_unpack(h, "{s:[{s:[{s:I}]}]}", "devices", "ports",
						     "received_packets", &received),
					 0);
	json_decref(status);
	return received;
}

/* What others have placed at a port counts there, whoever says so and on whatever host; but only there. */
static void counters__have_what_others_have_placed(void **state)
{
	const struct base_placed placed = {
		.received_packets = 5, .received_bytes = 500, .sent_packets = 2, .sent_bytes = 200};
	struct client other, same, target;
	uint8_t *shown[2] = {attach_shown(&other, "placers", "other"),
			     attach_shown(&same, "targets", "same")};
	uint32_t slot;

	(void)state;
	other.id = other.m.welcome.id;
	attach_client(&target, "targets");
	slot = slot_on(target.directory, "targets");
	report_in(shown[1])->port[0][0].lane[2] =
		(struct base_traffic){.received_packets = 10, .received_bytes = 1000};
	check_placed(&target, 10, 0);
	base_placed_count(report_in(shown[0]), slot, &placed);
	check_placed(&target, 15, 2);
	base_placed_count(report_in(shown[1]), slot, &placed);
	check_placed(&target, 20, 4);
	check_placed(&other, 0, 0);
	assert_int_equal(received_on("targets"), 20);
	assert_int_equal(received_on("placers"), 0);

	/* The dead have said what they have said. */
	say(&target, ATTACH_INTRODUCE, other.id);
	assert_int_equal(hear(&target), 0);
	assert_int_equal(target.m.type, ATTACH_PEER);
	attach_close_all(target.fds);
	attach_close_all(other.fds);
	close(other.fd);
	assert_int_equal(hear(&target), 0);
	assert_int_equal(target.m.type, ATTACH_GONE);
	report_in(shown[0])->target[slot].lane[0].received_packets += 1000; /* too late */
	check_placed(&target, 20, 4);
	munmap(shown[0], ATTACH_SHOWN_BYTES);
	munmap(shown[1], ATTACH_SHOWN_BYTES);
	detach_client(&same);
	detach_client(&target);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

static const struct CMUnitTest tests[] = {
	TEST(status__of_garbage),
	TEST(status__has_processes_and_their_faults),
	TEST(counters__have_what_others_have_placed),
};

int main(void)
{
	return verbena_test_main(tests);
}
