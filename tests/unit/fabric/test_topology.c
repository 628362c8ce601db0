// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The text of ibnetdiscover, read and written, and the generators. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/test.h"
#include "fabric/topology.h"

static struct topology *t;
static struct topology_error error;

static struct subnet *subnet;

static int teardown(void **state)
{
	(void)state;
	subnet_free(subnet);
	subnet = NULL;
	topology_free(t);
	t = NULL;
	return 0;
}

static void parse(const char *text)
{
	if (topology_parse(text, strlen(text), &t, &error))
		fail_msg("line %u: %s", error.line, error.text);
}

static uint32_t named(const char *name)
{
	return topology_find(t, name, strlen(name));
}

static void assert_peer(const char *from, uint8_t port, const char *to, uint8_t to_port)
{
	const struct subnet_at peer = t->node[named(from)].peer[port];

	assert_int_equal(peer.node, named(to));
	assert_int_equal(peer.port, to_port);
}

static void topology_parse__short_form(void **state)
{
	(void)state;
	parse("Switch 8 \"sw-0\"\n[1] \"host-0\"[1]\n[2] \"host-1\"[1]\n\n"
	      "Hca 1 \"host-0\"\n[1] \"sw-0\"[1]\n\nHca 1 \"host-1\"\n[1] \"sw-0\"[2]\n");
	assert_int_equal(t->count, 3);
	assert_int_equal(topology_links(t), 2);
	assert_int_equal(t->node[0].config.type, SUBNET_SWITCH);
	assert_int_equal(t->node[0].config.ports, 8);
	assert_int_equal(t->node[0].config.guid, 0);
	assert_string_equal(t->node[1].config.description, "host-0");
	assert_int_equal(t->node[2].line, 8);
	assert_peer("host-1", 1, "sw-0", 2);
}

static const char long_form[] =
	"#\n# Topology file: generated on a day\n#\n"
	"# Initiated from node 0002c90300100000 port 0002c90300100001\n\n"
	"vendid=0x2c9\ndevid=0x101b\nsysimgguid=0x2c90300100003\ncaguid=0x2c90300100000\n"
	"Ca\t2 \"H-0002c90300100000\"\t\t# \"h-0 mlx5_0\"\n"
	"[2](2c90300100012) \t\"S-0002c90200200000\"[1]\t\t# lid 1 lmc 0 \"edge 0\" lid 55 4xHDR\n\n"
	"Chassis 1 (guid 0x2c90200200003)\n"
	"vendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0x2c90200200000\n"
	"switchguid=0x2c90200200000(2c90200200000)\r\n"
	"Switch\t36 \"S-0002c90200200000\"\t\t# \"edge 0\" enhanced port 0 lid 55 lmc 0\n"
	"[1]\t\"H-0002c90300100000\"[2](2c90300100012) \t\t# \"h-0 mlx5_0\" lid 1 4xHDR\n";

static void topology_parse__long_form(void **state)
{
	const struct subnet_node_config *host, *sw;

	(void)state;
	parse(long_form);
	assert_int_equal(t->count, 2);
	assert_int_equal(topology_links(t), 1);
	host = &t->node[0].config;
	sw = &t->node[1].config;
	assert_int_equal(host->type, SUBNET_CA);
	assert_int_equal(host->ports, 2);
	assert_int_equal(host->guid, 0x2c90300100000);
	assert_int_equal(host->system_guid, 0x2c90300100003);
	assert_int_equal(host->port_guid, 0x2c90300100011);
	assert_int_equal(host->vendor_id, 0x2c9);
	assert_int_equal(host->device_id, 0x101b);
	assert_int_equal(host->width, 3);
	assert_int_equal(host->speed_ext, 7);
	assert_string_equal(host->description, "h-0 mlx5_0");
	assert_int_equal(sw->guid, 0x2c90200200000);
	assert_string_equal(sw->description, "edge 0");
	assert_peer("S-0002c90200200000", 1, "H-0002c90300100000", 2);
}

static void topology_parse__guid_of_the_name(void **state)
{
	(void)state;
	parse("Ca 1 \"H-00000000000000ff\"\nCa 1 \"H-xyz\"\n");
	assert_int_equal(t->node[0].config.guid, 0xff);
	assert_int_equal(t->node[1].config.guid, 0);
}

static void topology_parse__says_where_and_why(void **state)
{
	static const struct {
		const char *text;
		uint32_t line;
		const char *why;
	} wrong[] = {
		{"", 0, "no node"},
		{"# nothing\n", 1, "no node"},
		{"\nwhat is this\n", 2, "\"what is this\""},
		{"vendid=0x2c9\ndevid=0x12345\n", 2,
		 "devid is a hexadecimal number, at most 0xffff"},
		{"colour=0x1\n", 1, "nothing is called \"colour\""},
		{"[1] \"a\"[1]\n", 1, "a cable of no node"},
		{"Switch \"a\"\n", 1, "number of ports"},
		{"Switch 0 \"a\"\n", 1, "1 to 254"},
		{"Switch 255 \"a\"\n", 1, "1 to 254"},
		{"Switch 8 a\n", 1, "name in quotes"},
		{"Switch 8 \"a\n", 1, "name in quotes"},
		{"Switch 8 \"\"\n", 1, "name in quotes"},
		{"Switch 8 \"a\"\n\nHca 1 \"a\"\n", 3, "\"a\" in line 1 already"},
		{"Switch 8 \"a\"\n[9] \"a\"[1]\n", 2, "ports 1 to 8, not 9"},
		{"Switch 8 \"a\"\n[0] \"a\"[1]\n", 2, "not 0"},
		{"Switch 8 \"a\"\n[x] \"a\"[1]\n", 2, "number of its port"},
		{"Switch 8 \"a\"\n[1 \"a\"[1]\n", 2, "number of its port"},
		{"Switch 8 \"a\"\n[1] a[1]\n", 2, "ends at"},
		{"Switch 8 \"a\"\n[1] \"a\"\n", 2, "ends at"},
		{"Switch 8 \"a\"\n[1] \"b\"[1]\n", 2, "no node is called \"b\""},
		{"Switch 8 \"a\"\n[1] \"a\"[1]\n", 2, "no port 1 for this cable"},
		{"Switch 8 \"a\"\n[1] \"b\"[2]\nHca 1 \"b\"\n", 2, "no port 2"},
		{"Switch 8 \"a\"\n[1] \"b\"[1]\n[2] \"b\"[1]\nHca 1 \"b\"\n", 3,
		 "has another cable"},
		{"Switch 8 \"a\"\n[99999999999999999999] \"b\"[1]\n", 2, "number of its port"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(topology_parse(wrong[i].text, strlen(wrong[i].text), &t, &error),
				 -EINVAL);
		assert_null(t);
		if (error.line != wrong[i].line || !strstr(error.text, wrong[i].why))
			fail_msg("%s: line %u: %s", wrong[i].text, error.line, error.text);
	}
}

/* Every prefix, and every byte replaced: an error, or a plan that can be used. */
static void topology_parse__any_text(void **state)
{
	char text[sizeof(long_form)];

	(void)state;
	for (size_t bytes = 0; bytes < sizeof(long_form); bytes++) {
		if (!topology_parse(long_form, bytes, &t, &error))
			assert_in_range(topology_links(t), 0, 1);
		else
			assert_true(error.text[0]);
		teardown(NULL);
		memcpy(text, long_form, sizeof(text));
		text[bytes] = bytes % 2 ? '\0' : '"';
		(void)topology_parse(text, sizeof(text) - 1, &t, &error);
		teardown(NULL);
	}
}

static void write_and_read(void)
{
	struct topology *before = t;
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(before);
	assert_non_null(out);
	topology_write(before, NULL, NULL, out);
	fclose(out);
	t = NULL;
	parse(text);
	assert_int_equal(t->count, before->count);
	for (uint32_t i = 0; i < t->count; i++) {
		const struct topology_node *a = &before->node[i], *b = &t->node[i];

		assert_int_equal(a->config.type, b->config.type);
		assert_int_equal(a->config.ports, b->config.ports);
		assert_string_equal(a->config.description, b->config.description);
		for (unsigned int port = 1; port <= a->config.ports; port++) {
			assert_int_equal(a->peer[port].node, b->peer[port].node);
			if (a->peer[port].node != TOPOLOGY_NO_NODE)
				assert_int_equal(a->peer[port].port, b->peer[port].port);
		}
	}
	free(text);
	topology_free(before);
}

static void topology_write__is_read_again(void **state)
{
	(void)state;
	parse(long_form);
	write_and_read();
	assert_int_equal(t->node[0].config.port_guid, 0x2c90300100011);
	assert_int_equal(t->node[0].config.vendor_id, 0x2c9);
	assert_int_equal(t->node[1].config.speed_ext, 7);
}

/* VendorID of a node of a subnet, as it says itself. */
static uint32_t vendor_of(uint32_t node)
{
	struct subnet_mad in = {.data = {1, 1, 1, 1}}, out;

	in.data[17] = 0x11;
	assert_int_equal(subnet_process_mad(subnet, (struct subnet_at){node, 1}, 0, &in, &out), 3);
	return (uint32_t)out.data[64 + 37] << 16 | (uint32_t)out.data[64 + 38] << 8 |
	       out.data[64 + 39];
}

/* What nobody has said of a plan is the same in what is built of it, and in what is written of it. */
static void topology_write__vendor_is_that_of_the_subnet(void **state)
{
	uint32_t node[3];

	(void)state;
	subnet = subnet_new(NULL, NULL);
	assert_non_null(subnet);
	t = topology_pair();
	assert_non_null(t);
	assert_int_equal(t->count, 3);
	assert_int_equal(t->node[0].config.vendor_id, 0);
	assert_int_equal(topology_build(t, subnet, node, &error), 0);
	write_and_read();
	assert_int_equal(t->node[0].config.vendor_id, vendor_of(node[0]));
}

/* Whatever is cabled once is so at both ends, and all hosts reach each other. */
static void assert_whole(uint32_t hosts, uint32_t switches, uint32_t links)
{
	uint32_t *queue, head = 0, tail = 0, found_hosts = 0;
	bool *seen;

	assert_non_null(t);
	assert_int_equal(t->count, hosts + switches);
	assert_int_equal(topology_links(t), links);
	queue = calloc(t->count, sizeof(*queue));
	seen = calloc(t->count, sizeof(*seen));
	seen[0] = true;
	queue[tail++] = 0;
	while (head < tail) {
		const uint32_t at = queue[head++];
		const struct topology_node *node = &t->node[at];

		found_hosts += node->config.type == SUBNET_CA;
		for (unsigned int port = 1; port <= node->config.ports; port++) {
			const struct subnet_at peer = node->peer[port];

			if (peer.node == TOPOLOGY_NO_NODE)
				continue;
			assert_int_equal(t->node[peer.node].peer[peer.port].node, at);
			assert_int_equal(t->node[peer.node].peer[peer.port].port, port);
			if (!seen[peer.node])
				queue[tail++] = peer.node;
			seen[peer.node] = true;
		}
	}
	assert_int_equal(tail, t->count);
	assert_int_equal(found_hosts, hosts);
	free(queue);
	free(seen);
}

static void topology_generators__counts(void **state)
{
	static const uint32_t ks[] = {2, 4, 6, 14};

	(void)state;
	t = topology_pair();
	assert_whole(2, 1, 2);
	teardown(NULL);
	for (size_t i = 0; i < sizeof(ks) / sizeof(ks[0]); i++) {
		const uint32_t k = ks[i];

		t = topology_fat_tree(k);
		assert_whole(k * k * k / 4, 5 * k * k / 4, 3 * k * k * k / 4);
		teardown(NULL);
	}
	t = topology_leaf_spine(4, 5, 3);
	assert_whole(20, 7, 20 + 12);
	teardown(NULL);
	t = topology_dragonfly(2, 4, 2); /* 9 groups of 4 switches */
	assert_whole(72, 36, 72 + 9 * 6 + 36);
	teardown(NULL);
	t = topology_torus(3, 4, 5);
	assert_whole(60, 60, 60 + 3 * 60);
	teardown(NULL);
	t = topology_torus(2, 3, 1);
	assert_whole(6, 6, 6 + 3 + 6);
	teardown(NULL);
	t = topology_ring(5);
	assert_whole(5, 5, 10);
}

static void topology_generators__limits(void **state)
{
	(void)state;
	assert_null(topology_fat_tree(0));
	assert_null(topology_fat_tree(3));
	assert_null(topology_fat_tree(58));
	assert_null(topology_leaf_spine(255, 1, 1));
	assert_null(topology_leaf_spine(2, 254, 1));
	assert_null(topology_dragonfly(1, 0, 1));
	assert_null(topology_dragonfly(1, 200, 200));
	assert_null(topology_dragonfly(UINT32_MAX, UINT32_MAX, UINT32_MAX));
	assert_null(topology_torus(0, 1, 1));
	assert_null(topology_torus(UINT32_MAX, UINT32_MAX, UINT32_MAX));
	assert_null(topology_torus(30, 30, 30));
}

static void topology_generators__are_read_again(void **state)
{
	(void)state;
	t = topology_dragonfly(2, 3, 1);
	write_and_read();
	assert_whole(24, 12, 24 + 12 + 6);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(topology_parse__short_form, teardown),
	cmocka_unit_test_teardown(topology_parse__long_form, teardown),
	cmocka_unit_test_teardown(topology_parse__guid_of_the_name, teardown),
	cmocka_unit_test_teardown(topology_parse__says_where_and_why, teardown),
	cmocka_unit_test_teardown(topology_parse__any_text, teardown),
	cmocka_unit_test_teardown(topology_write__is_read_again, teardown),
	cmocka_unit_test_teardown(topology_write__vendor_is_that_of_the_subnet, teardown),
	cmocka_unit_test_teardown(topology_generators__counts, teardown),
	cmocka_unit_test_teardown(topology_generators__limits, teardown),
	cmocka_unit_test_teardown(topology_generators__are_read_again, teardown),
};

int main(void)
{
	return verbena_test_main(tests);
}
