// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* All at once, from several threads: MADs, data, cables, nodes that come and go. */
#include "unit/fabric/subnet_fixture.h"

#include <pthread.h>

#define ROUNDS 3000u
#define WORDS 9u

struct crowd {
	struct subnet *subnet;
	uint32_t a, b, sw;
	uint32_t answers; /* atomic, as are the next two */
	uint32_t events;
	uint64_t counted;
};

static bool take(void *ctx, struct subnet_at at, const struct subnet_mad *mad)
{
	struct crowd *c = ctx;

	(void)at;
	(void)mad;
	__atomic_fetch_add(&c->answers, 1, __ATOMIC_RELAXED);
	return true;
}

static void hear(void *ctx, struct subnet_at at, uint32_t what)
{
	struct crowd *c = ctx;

	(void)at;
	(void)what;
	__atomic_fetch_add(&c->events, 1, __ATOMIC_RELAXED);
}

static void *ask(void *arg)
{
	struct crowd *c = arg;
	struct subnet_mad mad = {.slid = 0xffff, .dlid = 0xffff};
	struct ib_smp *smp = smp_of(&mad);

	ib_init_query_mad(smp);
	smp->attr_id = IB_SMP_ATTR_PORT_INFO;
	smp->attr_mod = cpu_to_be32(2);
	for (uint32_t i = 0; i < ROUNDS; i++)
		subnet_send_mad(c->subnet, AT(c->a, 1), &mad);
	return NULL;
}

static void *move(void *arg)
{
	struct crowd *c = arg;
	struct subnet_path path = {.verdict = SUBNET_ARRIVES, .hops = 2, .to = AT(c->b, 1)};
	struct subnet_path real;

	path.hop[0] = AT(c->sw, 3);
	path.hop[1] = AT(c->sw, 4);
	path.hop[2] = AT(77, 1);
	path.hop[3] = AT(3, 1); /* comes and goes */
	for (uint32_t i = 0; i < ROUNDS; i++) {
		subnet_resolve(c->subnet, AT(c->a, 1), 2, 0, 0xffff, &real);
		subnet_path_limit(c->subnet, &real, 5);
		subnet_count(c->subnet, &real, 1, 1, false);
		subnet_count(c->subnet, &path, 1, WORDS, false);
		__atomic_fetch_add(&c->counted, WORDS, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void *pull(void *arg)
{
	struct crowd *c = arg;
	struct subnet_port_view view;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		subnet_set_link(c->subnet, AT(c->b, 1), i % 2);
		(void)subnet_query_port(c->subnet, AT(c->b, 1), &view);
	}
	return NULL;
}

static void *come_and_go(void *arg)
{
	const struct subnet_node_config ca = {.type = SUBNET_CA, .ports = 1};
	struct crowd *c = arg;
	uint32_t node;

	for (uint32_t i = 0; i < ROUNDS / 10; i++) {
		if (subnet_add_node(c->subnet, &ca, &node))
			continue;
		(void)subnet_connect(c->subnet, AT(node, 1), AT(c->sw, 4));
		subnet_remove_node(c->subnet, node);
	}
	return NULL;
}

static void subnet__from_many_threads(void **state)
{
	static const struct subnet_ops ops = {.deliver = take, .changed = hear};
	void *(*const jobs[])(void *) = {ask, ask, move, move, pull, come_and_go};
	struct net *net = *state;
	struct subnet *own = net->subnet;
	struct crowd c = {.a = net->a, .b = net->b, .sw = net->sw};
	const struct subnet_node_config ca = {.type = SUBNET_CA, .ports = 1};
	const struct subnet_node_config sw = {.type = SUBNET_SWITCH, .ports = 4};
	pthread_t thread[6];
	uint8_t data[192] = {0};

	c.subnet = net->subnet = subnet_new(&ops, &c);
	assert_non_null(c.subnet);
	assert_int_equal(subnet_add_node(c.subnet, &ca, &c.a), 0);
	assert_int_equal(subnet_add_node(c.subnet, &ca, &c.b), 0);
	assert_int_equal(subnet_add_node(c.subnet, &sw, &c.sw), 0);
	assert_int_equal(subnet_connect(c.subnet, AT(c.a, 1), AT(c.sw, 1)), 0);
	assert_int_equal(subnet_connect(c.subnet, AT(c.b, 1), AT(c.sw, 2)), 0);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, jobs[i], &c), 0);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(pthread_join(thread[i], NULL), 0);
	/* Who was not the one to move them has left them to who was. */
	assert_int_equal(__atomic_load_n(&c.answers, __ATOMIC_RELAXED), 2 * ROUNDS);
	assert_true(__atomic_load_n(&c.events, __ATOMIC_RELAXED) > 0);
	assert_int_equal(net_port(net, AT(c.b, 1)).state, 2);
	net_turn(net, 0);
	{
		struct subnet_mad in = {.data = {1, 4, 1, 1}}, out;

		in.data[17] = 0x1d;
		in.data[65] = 3;
		assert_int_equal(subnet_process_mad(c.subnet, AT(c.sw, 0), 0, &in, &out), 3);
		memcpy(data, out.data + 64, sizeof(data));
	}
	assert_true(get_unaligned_be64(data + 8) == c.counted);
	assert_int_equal(get_unaligned_be64(data + 24), 2 * ROUNDS);
	subnet_free(c.subnet);
	net->subnet = own;
}

static const struct CMUnitTest tests[] = {
	NET_TEST(subnet__from_many_threads),
};

int main(void)
{
	return verbena_test_main(tests);
}
