// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* A subnet all of whose hosts are elsewhere: what their processes' daemon hears of. */
#include "device/hosted.h"

#include <errno.h>
#include <linux/err.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>
#include <rdma/ib_verbs.h>
#include <stdlib.h>
#include <string.h>

#include "base/cause.h"
#include "base/host.h"
#include "common/test.h"
#include "fabric/directory.h"
#include "fabric/topology.h"

#define LONG_NS 20000000000u
#define WISH 77u

/* What is heard comes from any thread: words are atomic. */
static struct {
	struct fabric *fabric;
	struct device_hosted *hosted;
	struct device_managed *managed;
	struct subnet_at at;
	uint32_t slot;
	uint32_t what;
	uint32_t reroutes;
	uint32_t mads;
	struct subnet_mad mad;
	bool takes;
} h;

static int built(void *ctx, struct device_managed *m)
{
	(void)ctx;
	h.managed = m;
	h.at = (struct subnet_at){
		device_managed_node(m, (uint32_t)device_managed_adapter(m, "host-1", 0)), 1};
	if (fabric_port_join(h.fabric, 0x1234, &h.slot))
		return -ENOSPC;
	device_managed_place_guest(m, h.slot, h.at);
	subnet_set_lid(device_managed_subnet(m), h.at, WISH, 0);
	return 0;
}

static bool deliver(void *ctx, uint32_t slot, const struct subnet_mad *mad)
{
	(void)ctx;
	assert_int_equal(slot, h.slot);
	h.mad = *mad;
	__atomic_fetch_add(&h.mads, 1, __ATOMIC_RELEASE);
	return h.takes;
}

static void changed(void *ctx, uint32_t slot, uint32_t what)
{
	(void)ctx;
	assert_int_equal(slot, h.slot);
	__atomic_fetch_or(&h.what, what, __ATOMIC_RELEASE);
}

static void rerouted(void *ctx)
{
	(void)ctx;
	__atomic_fetch_add(&h.reroutes, 1, __ATOMIC_RELEASE);
}

static const struct device_guests guests = {
	.built = built, .deliver = deliver, .changed = changed, .rerouted = rerouted};

static char *text_of(struct topology *t)
{
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(t);
	assert_non_null(out);
	topology_write(t, NULL, NULL, out);
	fclose(out);
	topology_free(t);
	return text;
}

static int setup(void **state)
{
	char *text;

	(void)state;
	test_skip_in_torture(); /* its engine allocates, too */
	memset(&h, 0, sizeof(h));
	h.fabric = calloc(1, sizeof(*h.fabric));
	if (!h.fabric)
		return -1;
	fabric_init(h.fabric, 0);
	text = text_of(topology_pair());
	h.hosted = device_hosted_new(h.fabric, text, &guests);
	free(text);
	return IS_ERR(h.hosted) ? -1 : 0;
}

static int teardown(void **state)
{
	(void)state;
	device_hosted_free(h.hosted);
	free(h.fabric);
	return 0;
}

static struct subnet_port_view view(void)
{
	struct subnet_port_view view;

	assert_int_equal(subnet_query_port(device_managed_subnet(h.managed), h.at, &view), 0);
	return view;
}

static void device_hosted_new__brings_guests_up(void **state)
{
	(void)state;
	assert_int_equal(view().state, IB_PORT_ACTIVE);
	assert_int_equal(view().lid, WISH); /* what it had already */
	assert_int_equal(h.what & SUBNET_CHANGED_STATE, SUBNET_CHANGED_STATE);
	assert_true(h.reroutes > 0);
	assert_int_equal(device_managed_slot(h.managed, h.at), h.slot);
	assert_int_equal(device_managed_at(h.managed, h.slot).node, h.at.node);
	/* Whose the guest is sees to LID and link of its slot. */
	assert_int_equal(h.fabric->ports[h.slot].config.lid, 0);
	assert_false(h.fabric->ports[h.slot].up);
}

static bool is_active(void *arg)
{
	(void)arg;
	return view().state == IB_PORT_ACTIVE;
}

static void guests__hear_of_their_cable(void **state)
{
	uint32_t before;

	(void)state;
	h.what = 0;
	before = h.reroutes;
	assert_true(subnet_set_link(device_managed_subnet(h.managed), h.at, false));
	assert_int_equal(h.what, SUBNET_CHANGED_STATE);
	assert_true(h.reroutes > before);
	assert_true(subnet_set_link(device_managed_subnet(h.managed), h.at, true));
	assert_true(base_wait_until(is_active, NULL, LONG_NS));
	assert_int_equal(view().lid, WISH);
}

/* From the other host, of a class that no firmware answers. */
static void send_mad(void)
{
	struct subnet_at from = {device_managed_node(h.managed, (uint32_t)device_managed_adapter(
									h.managed, "host-0", 0)),
				 1};
	struct ib_mad_hdr hdr = {.base_version = IB_MGMT_BASE_VERSION,
				 .mgmt_class = IB_MGMT_CLASS_CM,
				 .class_version = 2,
				 .method = IB_MGMT_METHOD_SEND};
	struct subnet_mad mad = {.dlid = WISH,
				 .pkey = IB_DEFAULT_PKEY_FULL,
				 .src_qpn = 1,
				 .dest_qpn = 1,
				 .qkey = IB_QP1_QKEY};
	struct subnet_port_view sender;

	assert_int_equal(subnet_query_port(device_managed_subnet(h.managed), from, &sender), 0);
	mad.slid = sender.lid;
	memcpy(mad.data, &hdr, sizeof(hdr));
	subnet_send_mad(device_managed_subnet(h.managed), from, &mad);
}

static bool has_mad(void *arg)
{
	(void)arg;
	return __atomic_load_n(&h.mads, __ATOMIC_ACQUIRE) == 1;
}

static void guests__get_what_comes_for_them(void **state)
{
	(void)state;
	h.takes = true;
	send_mad();
	assert_true(base_wait_until(has_mad, NULL, LONG_NS)); /* the engine may be moving it */
	assert_int_equal(h.mad.dlid, WISH);
	assert_int_equal(h.mad.dest_qpn, 1);
}

static void guests__are_none_any_more(void **state)
{
	(void)state;
	h.what = 0;
	device_managed_displace_guest(h.managed, h.slot);
	assert_int_equal(device_managed_slot(h.managed, h.at), -ENOENT);
	assert_true(subnet_set_link(device_managed_subnet(h.managed), h.at, false));
	assert_int_equal(h.what, 0);
}

static void device_managed_find_node__by_any_name(void **state)
{
	struct device_managed *m = h.managed;
	struct subnet_at at;

	(void)state;
	assert_int_equal(device_managed_find_node(m, "host-1"),
			 device_managed_adapter(m, "host-1", 0));
	assert_int_equal(device_managed_find_node(m, device_managed_plan(m)->node[0].name), 0);
	assert_int_equal(device_managed_find_node(m, "host"), -ENOENT);
	assert_int_equal(device_managed_find_node(m, ""), -ENOENT);
	assert_int_equal(device_managed_adapter(m, "host-1", 1), -ENOENT);
	assert_int_equal(device_managed_find_cable(m, "host-1", 1, &at), 0);
	assert_int_equal(at.node, h.at.node);
	assert_int_equal(device_managed_find_cable(m, "host-1", 2, &at), -ENOENT);
}

static int refuse(void *ctx, struct device_managed *m)
{
	(void)ctx;
	(void)m;
	return base_refuse(-EPERM, NOT_SUPPORTED);
}

static void device_hosted_new__refusals(void **state)
{
	const struct device_guests none = {
		.built = refuse, .changed = changed, .rerouted = rerouted};
	struct fabric *fabric = calloc(1, sizeof(*fabric));
	char *text = text_of(topology_pair());

	(void)state;
	assert_non_null(fabric);
	fabric_init(fabric, 0);
	assert_int_equal(PTR_ERR(device_hosted_new(fabric, text, &none)), -EPERM);
	assert_int_equal(PTR_ERR(device_hosted_new(fabric, "[1]", &guests)), -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_TOPOLOGY);
	free(text);
	free(fabric);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(device_hosted_new__brings_guests_up),   TEST(guests__hear_of_their_cable),
	TEST(guests__get_what_comes_for_them),	     TEST(guests__are_none_any_more),
	TEST(device_managed_find_node__by_any_name), cmocka_unit_test(device_hosted_new__refusals),
};

int main(void)
{
	return verbena_test_main(tests);
}
