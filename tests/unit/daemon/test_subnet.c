// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* A daemon whose fabric is a subnet: whose ports its hosts have, and what they hear. */
#include <rdma/ib_verbs.h>
#include <sys/stat.h>

#include "managed_fixture.h"

static void hello__ports_are_those_of_the_topology(void **state)
{
	struct directory_view a_view, b_view;
	struct client a, b;

	(void)state;
	attach_client(&a, "host-0");
	attach_client(&b, "host-1");
	assert_int_equal(a.directory->managed, 1);
	a_view = view_of(&a, 0);
	b_view = view_of(&b, 0);
	assert_int_equal(a_view.port.state, IB_PORT_ACTIVE);
	assert_int_not_equal(a_view.port.lid, b_view.port.lid);
	assert_int_equal(a_view.port.sm_lid, b_view.port.sm_lid);
	assert_in_range(a_view.port.sm_lid, 1, 0xbfff);
	assert_int_equal(a_view.node_guid, 0x0200560100000000);
	assert_int_equal(a_view.guid[0], 0x0200560100000001);
	assert_int_equal(a_view.pkey[0], 0xffff);
	detach_client(&a);
	detach_client(&b);
}

static void refused(const char *host, const struct directory_hca *hca, unsigned int cause)
{
	struct attach_message m = {.type = 0};
	struct client c;

	memcpy(m.hello.hca, hca, sizeof(m.hello.hca));
	connect_client(&c);
	send_hello(&c, &m, host);
	assert_int_equal(hear(&c), 0);
	assert_int_equal(c.m.type, ATTACH_REFUSED);
	assert_int_equal(c.m.cause.id, cause);
	detach_client(&c);
}

static void hello__others_are_refused(void **state)
{
	struct directory_hca hca[DIRECTORY_HCAS] = {{.ports = 1}};
	char text[BASE_CAUSE_TEXT_BYTES];
	struct client c;

	(void)state;
	refused("host-2", hca, BASE_CAUSE_TOPOLOGY_HOSTS);
	refused("host", hca, BASE_CAUSE_TOPOLOGY_HOSTS);
	hca[1].ports = 1;
	refused("host-0", hca, BASE_CAUSE_TOPOLOGY_HCAS);
	hca[1].ports = 0;
	hca[0].ports = 2;
	refused("host-0", hca, BASE_CAUSE_TOPOLOGY_HCAS);
	connect_client(&c);
	say_hello(&c, "sw-0");
	assert_int_equal(hear(&c), 0);
	base_cause_format(&c.m.cause, text, sizeof(text));
	assert_non_null(strstr(text, "host-0, host-1"));
	detach_client(&c);
	attach_client(&c, "host-0"); /* it is there all the same */
	detach_client(&c);
}

static void say_link(struct client *c, bool up)
{
	struct attach_message m = {.type = ATTACH_SET_LINK, .serial = 7};

	m.link.up = up;
	assert_int_equal(attach_send(c->fd, &m, NULL, 0), 0);
}

static void set_link__is_the_cable(void **state)
{
	struct client a, b;

	(void)state;
	attach_client(&a, "host-0");
	attach_client(&b, "host-0");
	say_link(&a, false);
	assert_int_equal(hear_port(&a), SUBNET_CHANGED_STATE);
	assert_false(a.m.link.up);
	assert_int_equal(view_of(&a, 0).port.state, IB_PORT_DOWN);
	assert_int_equal(hear(&a), 0);
	assert_int_equal(a.m.type, ATTACH_DONE);
	assert_int_equal(a.m.status, 0);
	(void)hear_port(&b);
	assert_false(b.m.link.up);
	detach_client(&a); /* and nobody else has unplugged it: the manager brings it up */
	do
		(void)hear_port(&b);
	while (!b.m.link.up);
	assert_int_equal(view_of(&b, 0).port.state, IB_PORT_ACTIVE);
	detach_client(&b);
}

static void server_new__refuses_what_is_no_topology(void **state)
{
	const struct server_config config = {
		.fabric = "test", .idle_ms = -1, .topology = topology_path};
	int err;

	(void)state;
	assert_null(server_new(&config, &err));
	assert_int_equal(err, -ENOENT);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_TOPOLOGY_FILE);
	write_text("Switch 8 \"a\"\n[1] \"b\"[1]\n");
	assert_null(server_new(&config, &err));
	assert_int_equal(err, -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_TOPOLOGY);
	assert_int_equal(base_cause_last()->arg[0], 2);
	write_text("Ca 1 \"a\"\n[1] \"b\"[1]\nCa 1 \"b\"\n");
	assert_null(server_new(&config, &err));
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_TOPOLOGY_NO_SWITCH);
}

/* It stays for as long as the fabric: whoever starts the next daemon has it. */
static void server_new__has_the_topology_of_the_one_before(void **state)
{
	char kept[160];
	struct stat st;
	struct client a;

	(void)state;
	snprintf(kept, sizeof(kept), "%s/verbena/test.sock.topology", run_dir_path());
	attach_client(&a, "host-0");
	assert_int_equal(stat(kept, &st), 0);
	stop_server(); /* a is attached */
	assert_int_equal(stat(kept, &st), 0);
	topology = NULL;
	assert_int_equal(start_server(), 0);
	assert_int_equal(a.directory->managed, 1);
	detach_client(&a);
	attach_client(&a, "host-1");
	assert_int_equal(view_of(&a, 0).port.state, IB_PORT_ACTIVE);
	detach_client(&a);
}

static void successor__ports_are_who_they_were(void **state)
{
	struct directory_view before, after;
	struct attach_message m;
	struct client a;

	(void)state;
	attach_client(&a, "host-1"); /* alone: LIDs are given by whose is first */
	before = view_of(&a, 0);
	m = claim_of(&a);
	stop_server();
	assert_int_equal(view_of(&a, 0).port.lid, before.port.lid);
	topology = NULL;
	assert_int_equal(start_server(), 0);
	come_back(&a, &m);
	after = view_of(&a, 0);
	assert_int_equal(after.port.lid, before.port.lid);
	assert_int_equal(after.port.state, IB_PORT_ACTIVE);
	assert_int_equal(hear_port(&a), SUBNET_CHANGED_SM | SUBNET_CHANGED_REREGISTER);
	detach_client(&a);
}

static uint32_t slot_of(const struct client *c)
{
	const int slot = directory_slot(c->directory, c->directory->process[c->id].host, 0, 0);

	assert_true(slot >= 0);
	return (uint32_t)slot;
}

static int way_of(const struct client *from, const struct client *to, struct directory_way_is *is)
{
	const struct directory_way_key key = {
		.slot = slot_of(from), .dlid = view_of(to, 0).port.lid, .pkey = 0xffff};

	return directory_find_way(&from->directory->ways, directory_way_pack(&key), is);
}

static void resolve(struct client *c, uint32_t slot, uint16_t dlid)
{
	struct attach_message m = {.type = ATTACH_RESOLVE};

	m.way = (struct directory_way_key){.slot = slot, .dlid = dlid, .pkey = 0xffff};
	assert_int_equal(attach_send(c->fd, &m, NULL, 0), 0);
	assert_int_equal(hear(c), 0);
	assert_int_equal(c->m.type, ATTACH_RESOLVED);
	assert_int_equal(c->m.way.slot, slot);
	assert_int_equal(c->m.way.dlid, dlid);
}

static void resolve__ways_are_in_the_directory(void **state)
{
	struct directory_way_is is;
	struct client a, b;
	uint32_t epoch;

	(void)state;
	attach_client(&a, "host-0");
	attach_client(&b, "host-1");
	assert_int_equal(way_of(&a, &b, &is), -ENOENT);
	resolve(&a, slot_of(&a), view_of(&b, 0).port.lid);
	assert_true(way_of(&a, &b, &is) >= 0);
	assert_int_equal(is.verdict, SUBNET_ARRIVES);
	assert_int_equal(is.slot, slot_of(&b));
	resolve(&a, 77, 0); /* nobody's */
	epoch = a.directory->ways.epoch;
	say_link(&a, false);
	(void)hear_port(&a);
	assert_int_equal(hear(&a), 0);
	assert_int_equal(a.m.type, ATTACH_DONE);
	assert_true(a.directory->ways.epoch > epoch);
	assert_true(way_of(&a, &b, &is) >= 0);
	assert_int_equal(is.verdict, SUBNET_NOT_ACTIVE);
	detach_client(&a);
	detach_client(&b);
}

/* Of those of the daemon before the next one says what becomes of them. */
static void successor__ways_are_there(void **state)
{
	struct directory_way_is is;
	struct attach_message m;
	struct client a, b;

	(void)state;
	attach_client(&a, "host-0");
	attach_client(&b, "host-1");
	resolve(&a, slot_of(&a), view_of(&b, 0).port.lid);
	m = claim_of(&a);
	stop_server();
	topology = NULL;
	assert_true(way_of(&a, &b, &is) >= 0);
	assert_int_equal(is.verdict, SUBNET_ARRIVES);
	assert_int_equal(start_server(), 0);
	come_back(&a, &m);
	assert_true(way_of(&a, &b, &is) >= 0);
	assert_int_equal(is.verdict, SUBNET_ARRIVES);
	assert_int_equal(is.slot, slot_of(&b));
	detach_client(&a);
	detach_client(&b);
}

static void server_new__no_other_topology_while_processes_live(void **state)
{
	struct client a;

	(void)state;
	attach_client(&a, "host-0");
	stop_server();
	assert_int_equal(start_server(), -1);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_TOPOLOGY_ATTACHED);
	topology = NULL;
	assert_int_equal(start_server(), 0);
	detach_client(&a);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start_pair, stop_all)

static const struct CMUnitTest tests[] = {
	TEST(hello__ports_are_those_of_the_topology),
	TEST(hello__others_are_refused),
	TEST(set_link__is_the_cable),
	cmocka_unit_test_setup_teardown(server_new__refuses_what_is_no_topology, start_dir,
					stop_all),
	TEST(server_new__has_the_topology_of_the_one_before),
	TEST(successor__ports_are_who_they_were),
	TEST(server_new__no_other_topology_while_processes_live),
	TEST(resolve__ways_are_in_the_directory),
	TEST(successor__ways_are_there),
};

int main(void)
{
	return verbena_test_main(tests);
}
