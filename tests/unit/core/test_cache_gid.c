// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The GID tables of InfiniBand ports, and of RoCE ports as far as the table goes. */
#include <rdma/ib_cache.h>
#include <string.h>
#include <verbena/netdev.h>

#include "base/cause.h"
#include "base/host.h"
#include "common/fake_provider.h"
#include "common/test.h"
#include "core/cache_priv.h"

#define assert_cause(name) assert_string_equal(base_cause_name(base_cause_last()->id), #name)

static const u8 mac[ETH_ALEN] = {0x02, 0x00, 0x00, 0x00, 0x00, 0x01};

static int setup(void **state)
{
	const struct fake_options options = {.ports = 2};

	*state = fake_provider_new(&options);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	fake_provider_free(*state);
	return base_host_idle() ? 0 : -1;
}

static void turn(void)
{
	while (base_host_turn(base_now_ns(), 10))
		;
}

static void change_gid(struct fake_provider *fake, const union ib_gid *gid, int index)
{
	const struct ib_event event = {
		.device = &fake->ib,
		.element.port_num = 1,
		.event = IB_EVENT_GID_CHANGE,
	};

	fake->gids[0][index] = *gid;
	ib_dispatch_event(&event);
	turn();
}

static void rdma_query_gid__values_and_refusals(void **state)
{
	struct fake_provider *fake = *state;
	const union ib_gid expected = fake_gid(2, 1);
	union ib_gid gid;

	assert_int_equal(rdma_query_gid(&fake->ib, 2, 1, &gid), 0);
	assert_memory_equal(&gid, &expected, sizeof(gid));
	assert_int_equal(rdma_query_gid(&fake->ib, 2, FAKE_GIDS - 1, &gid), -ENOENT);
	assert_cause(GID_EMPTY);
	assert_int_equal(rdma_query_gid(&fake->ib, 2, FAKE_GIDS, &gid), -EINVAL);
	assert_cause(GID_INDEX);
	assert_int_equal(rdma_query_gid(&fake->ib, 2, -1, &gid), -EINVAL);
	assert_int_equal(rdma_query_gid(&fake->ib, 3, 0, &gid), -EINVAL);
	assert_cause(PORT_RANGE);
}

static void rdma_get_gid_attr__says_where_it_is(void **state)
{
	struct fake_provider *fake = *state;
	const union ib_gid expected = fake_gid(2, 1);
	const struct ib_gid_attr *attr = rdma_get_gid_attr(&fake->ib, 2, 1);

	assert_false(IS_ERR(attr));
	assert_ptr_equal(attr->device, &fake->ib);
	assert_int_equal(attr->port_num, 2);
	assert_int_equal(attr->index, 1);
	assert_int_equal(attr->gid_type, IB_GID_TYPE_IB);
	assert_null(attr->ndev);
	assert_memory_equal(&attr->gid, &expected, sizeof(expected));
	rdma_put_gid_attr(attr);
}

static void rdma_get_gid_attr__refused(void **state)
{
	struct fake_provider *fake = *state;

	assert_int_equal(PTR_ERR(rdma_get_gid_attr(&fake->ib, 1, FAKE_GIDS - 1)), -ENODATA);
	assert_int_equal(PTR_ERR(rdma_get_gid_attr(&fake->ib, 1, FAKE_GIDS)), -EINVAL);
	assert_int_equal(PTR_ERR(rdma_get_gid_attr(&fake->ib, 0, 0)), -EINVAL);
}

static void rdma_put_gid_attr__the_last_frees_what_has_gone(void **state)
{
	struct fake_provider *fake = *state;
	const struct ib_gid_attr *attr = rdma_get_gid_attr(&fake->ib, 1, 0);
	const union ib_gid old = fake_gid(1, 0), new_gid = fake_gid(7, 7);
	size_t blocks;
	union ib_gid gid;

	assert_false(IS_ERR(attr));
	change_gid(fake, &new_gid, 0);
	assert_int_equal(rdma_query_gid(&fake->ib, 1, 0, &gid), 0);
	assert_memory_equal(&gid, &new_gid, sizeof(gid));
	assert_memory_equal(&attr->gid, &old, sizeof(old));
	blocks = base_alloc_live();
	rdma_put_gid_attr(attr);
	assert_int_equal(base_alloc_live(), blocks - 1);
}

static void rdma_hold_gid_attr__needs_one_more_put(void **state)
{
	struct fake_provider *fake = *state;
	const struct ib_gid_attr *attr = rdma_get_gid_attr(&fake->ib, 1, 0);
	const union ib_gid zero = {.raw = {0}};
	size_t blocks;

	assert_false(IS_ERR(attr));
	rdma_hold_gid_attr(attr);
	change_gid(fake, &zero, 0);
	blocks = base_alloc_live();
	rdma_put_gid_attr(attr);
	assert_int_equal(base_alloc_live(), blocks);
	rdma_put_gid_attr(attr);
	assert_int_equal(base_alloc_live(), blocks - 1);
}

static void core_gid_table_set__an_unchanged_gid_is_the_same_entry(void **state)
{
	struct fake_provider *fake = *state;
	const struct ib_gid_attr *before = rdma_get_gid_attr(&fake->ib, 1, 0), *after;
	const union ib_gid new_gid = fake_gid(7, 7);

	assert_false(IS_ERR(before));
	change_gid(fake, &new_gid, 1);
	after = rdma_get_gid_attr(&fake->ib, 1, 0);
	assert_ptr_equal(after, before);
	rdma_put_gid_attr(after);
	rdma_put_gid_attr(before);
}

static void rdma_find_gid__on_any_port(void **state)
{
	struct fake_provider *fake = *state;
	union ib_gid gid = fake_gid(2, 2);
	const struct ib_gid_attr *attr = rdma_find_gid(&fake->ib, &gid, IB_GID_TYPE_IB, NULL);

	assert_false(IS_ERR(attr));
	assert_int_equal(attr->port_num, 2);
	assert_int_equal(attr->index, 2);
	rdma_put_gid_attr(attr);
	attr = rdma_find_gid(&fake->ib, &gid, IB_GID_TYPE_ROCE, NULL);
	assert_int_equal(PTR_ERR(attr), -ENOENT);
	gid.raw[15]++;
	attr = rdma_find_gid(&fake->ib, &gid, IB_GID_TYPE_IB, NULL);
	assert_int_equal(PTR_ERR(attr), -ENOENT);
	assert_cause(GID_NOT_FOUND);
}

static void rdma_find_gid_by_port__on_that_port_only(void **state)
{
	struct fake_provider *fake = *state;
	const union ib_gid gid = fake_gid(2, 2);
	const struct ib_gid_attr *attr;

	attr = rdma_find_gid_by_port(&fake->ib, &gid, IB_GID_TYPE_IB, 2, NULL);
	assert_false(IS_ERR(attr));
	assert_int_equal(attr->index, 2);
	rdma_put_gid_attr(attr);
	attr = rdma_find_gid_by_port(&fake->ib, &gid, IB_GID_TYPE_IB, 1, NULL);
	assert_int_equal(PTR_ERR(attr), -ENOENT);
	attr = rdma_find_gid_by_port(&fake->ib, &gid, IB_GID_TYPE_IB, 3, NULL);
	assert_int_equal(PTR_ERR(attr), -ENOENT);
}

static bool count_and_take_second(const union ib_gid *gid, const struct ib_gid_attr *attr,
				  void *context)
{
	int *calls = context;

	assert_memory_equal(gid, &attr->gid, sizeof(*gid));
	return ++*calls == 2;
}

static void rdma_find_gid_by_filter__the_first_accepted(void **state)
{
	struct fake_provider *fake = *state;
	const union ib_gid gid = fake_gid(1, 0);
	const struct ib_gid_attr *attr;
	int calls = 0;

	change_gid(fake, &gid, 2);
	attr = rdma_find_gid_by_filter(&fake->ib, &gid, 1, count_and_take_second, &calls);
	assert_false(IS_ERR(attr));
	assert_int_equal(attr->index, 2);
	assert_int_equal(calls, 2);
	rdma_put_gid_attr(attr);
	attr = rdma_find_gid_by_filter(&fake->ib, &gid, 1, count_and_take_second, &calls);
	assert_int_equal(PTR_ERR(attr), -ENOENT);
	assert_int_equal(calls, 4);
	attr = rdma_find_gid_by_filter(&fake->ib, &gid, 3, count_and_take_second, &calls);
	assert_int_equal(PTR_ERR(attr), -EINVAL);
}

static void rdma_is_zero_gid__all_16_bytes(void **state)
{
	union ib_gid gid = {.raw = {0}};

	(void)state;
	assert_true(rdma_is_zero_gid(&gid));
	for (int i = 0; i < 16; i++) {
		gid.raw[i] = 1;
		assert_false(rdma_is_zero_gid(&gid));
		gid.raw[i] = 0;
	}
}

static void rdma_read_gid_l2_fields__infiniband_has_none(void **state)
{
	struct fake_provider *fake = *state;
	const struct ib_gid_attr *attr = rdma_get_gid_attr(&fake->ib, 1, 0);
	u16 vlan_id;
	u8 smac[ETH_ALEN];

	assert_false(IS_ERR(attr));
	assert_int_equal(rdma_read_gid_l2_fields(attr, &vlan_id, smac), -ENODEV);
	assert_cause(GID_NO_NETDEV);
	rdma_put_gid_attr(attr);
}

/* RoCE */

struct roce {
	struct fake_provider *fake;
	struct net_device *ndev;
	int events;
	struct ib_event_handler handler;
};

static void on_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct roce *r = container_of(handler, struct roce, handler);

	assert_int_equal(event->event, IB_EVENT_GID_CHANGE);
	assert_int_equal(event->element.port_num, 1);
	r->events++;
}

static int setup_roce(void **state)
{
	const struct fake_options options = {.roce = true};
	static struct roce r;

	memset(&r, 0, sizeof(r));
	*state = &r;
	r.ndev = verbena_netdev_new("eth0", mac, 1500, 42);
	if (!r.ndev)
		return -1;
	r.fake = fake_provider_new(&options);
	if (!r.fake) {
		verbena_netdev_put(r.ndev);
		return -1;
	}
	INIT_IB_EVENT_HANDLER(&r.handler, &r.fake->ib, on_event);
	ib_register_event_handler(&r.handler);
	return 0;
}

static int teardown_roce(void **state)
{
	struct roce *r = *state;

	ib_unregister_event_handler(&r->handler);
	fake_provider_free(r->fake);
	verbena_netdev_put(r->ndev);
	return base_host_idle() ? 0 : -1;
}

static struct ib_gid_attr attr_of(const struct roce *r)
{
	return (struct ib_gid_attr){.ndev = r->ndev, .gid_type = IB_GID_TYPE_ROCE_UDP_ENCAP};
}

static void ib_cache_gid_add__at_the_lowest_free_index(void **state)
{
	struct roce *r = *state;
	struct ib_gid_attr attr = attr_of(r);
	union ib_gid gid = fake_gid(1, 5);
	const struct ib_gid_attr *found;
	u8 smac[ETH_ALEN] = {0};
	u16 vlan_id = 0;

	assert_int_equal(ib_cache_gid_add(&r->fake->ib, 1, &gid, &attr), 0);
	assert_int_equal(r->fake->called[FAKE_ADD_GID], 1);
	found = rdma_get_gid_attr(&r->fake->ib, 1, 1); /* 0 is for the MAC's */
	assert_false(IS_ERR(found));
	assert_memory_equal(&found->gid, &gid, sizeof(gid));
	assert_ptr_equal(found->ndev, r->ndev);
	assert_int_equal(found->gid_type, IB_GID_TYPE_ROCE_UDP_ENCAP);
	assert_int_equal(rdma_read_gid_l2_fields(found, &vlan_id, smac), 0);
	assert_int_equal(vlan_id, 42);
	assert_memory_equal(smac, mac, sizeof(mac));
	assert_int_equal(rdma_read_gid_l2_fields(found, NULL, NULL), 0);
	rdma_put_gid_attr(found);
	turn();
	assert_int_equal(r->events, 1);
}

static void ib_cache_gid_add__the_same_once(void **state)
{
	struct roce *r = *state;
	struct ib_gid_attr attr = attr_of(r);
	union ib_gid gid = fake_gid(1, 5);

	assert_int_equal(ib_cache_gid_add(&r->fake->ib, 1, &gid, &attr), 0);
	assert_int_equal(ib_cache_gid_add(&r->fake->ib, 1, &gid, &attr), 0);
	assert_int_equal(r->fake->called[FAKE_ADD_GID], 1);
	attr.gid_type = IB_GID_TYPE_ROCE;
	assert_int_equal(ib_cache_gid_add(&r->fake->ib, 1, &gid, &attr), 0);
	assert_int_equal(r->fake->called[FAKE_ADD_GID], 2);
}

static void ib_cache_gid_add__refused(void **state)
{
	struct roce *r = *state;
	struct ib_gid_attr attr = attr_of(r);
	union ib_gid gid = {.raw = {0}};

	assert_int_equal(ib_cache_gid_add(&r->fake->ib, 1, &gid, &attr), -EINVAL);
	assert_cause(GID_ZERO);
	assert_int_equal(ib_cache_gid_add(&r->fake->ib, 2, &gid, &attr), -EINVAL);
	for (unsigned int i = 1; i < FAKE_GIDS; i++) {
		gid = fake_gid(1, i);
		assert_int_equal(ib_cache_gid_add(&r->fake->ib, 1, &gid, &attr), 0);
	}
	gid = fake_gid(1, 0);
	assert_int_equal(ib_cache_gid_add(&r->fake->ib, 1, &gid, &attr), -ENOSPC);
	assert_cause(GID_TABLE_FULL);
	turn();
}

static void ib_cache_gid_add__the_provider_refuses(void **state)
{
	struct roce *r = *state;
	struct ib_gid_attr attr = attr_of(r);
	union ib_gid gid = fake_gid(1, 5);

	r->fake->fail[FAKE_ADD_GID] = -EIO;
	assert_int_equal(ib_cache_gid_add(&r->fake->ib, 1, &gid, &attr), -EIO);
	assert_int_equal(rdma_query_gid(&r->fake->ib, 1, 1, &gid), -ENOENT);
	turn();
	assert_int_equal(r->events, 0);
	r->fake->fail[FAKE_ADD_GID] = 0;
	assert_int_equal(ib_cache_gid_add(&r->fake->ib, 1, &gid, &attr), 0);
}

static void ib_cache_gid_del__leaves_a_gap(void **state)
{
	struct roce *r = *state;
	struct ib_gid_attr attr = attr_of(r);
	union ib_gid a = fake_gid(1, 5), b = fake_gid(1, 6), gid;

	assert_int_equal(ib_cache_gid_add(&r->fake->ib, 1, &a, &attr), 0);
	assert_int_equal(ib_cache_gid_add(&r->fake->ib, 1, &b, &attr), 0);
	assert_int_equal(ib_cache_gid_del(&r->fake->ib, 1, &a, &attr), 0);
	assert_int_equal(r->fake->called[FAKE_DEL_GID], 1);
	assert_int_equal(ib_cache_gid_del(&r->fake->ib, 1, &a, &attr), -EINVAL);
	assert_int_equal(rdma_query_gid(&r->fake->ib, 1, 1, &gid), -ENOENT);
	assert_int_equal(rdma_query_gid(&r->fake->ib, 1, 2, &gid), 0);
	assert_memory_equal(&gid, &b, sizeof(b));
	turn();
	assert_int_equal(r->events, 3);
}

static void ib_cache_gid_del__a_referenced_index_is_not_used_again(void **state)
{
	struct roce *r = *state;
	struct ib_gid_attr attr = attr_of(r);
	union ib_gid a = fake_gid(1, 5), b = fake_gid(1, 6), gid;
	const struct ib_gid_attr *held;

	assert_int_equal(ib_cache_gid_add(&r->fake->ib, 1, &a, &attr), 0);
	held = rdma_find_gid(&r->fake->ib, &a, attr.gid_type, r->ndev);
	assert_false(IS_ERR(held));
	assert_int_equal(ib_cache_gid_del(&r->fake->ib, 1, &a, &attr), 0);
	assert_int_equal(PTR_ERR(rdma_find_gid(&r->fake->ib, &a, attr.gid_type, NULL)), -ENOENT);
	assert_int_equal(ib_cache_gid_add(&r->fake->ib, 1, &b, &attr), 0);
	assert_int_equal(rdma_query_gid(&r->fake->ib, 1, 2, &gid), 0);
	rdma_put_gid_attr(held);
	assert_int_equal(ib_cache_gid_add(&r->fake->ib, 1, &a, &attr), 0);
	assert_int_equal(rdma_query_gid(&r->fake->ib, 1, 1, &gid), 0);
	assert_memory_equal(&gid, &a, sizeof(a));
}

static void ib_cache_gid_del_all_netdev_gids__defaults_too(void **state)
{
	struct roce *r = *state;
	struct ib_gid_attr attr = attr_of(r);
	union ib_gid a = fake_gid(1, 5), gid;

	ib_cache_gid_set_default_gid(&r->fake->ib, 1, r->ndev, 1ul << IB_GID_TYPE_ROCE_UDP_ENCAP,
				     IB_CACHE_GID_DEFAULT_MODE_SET);
	assert_int_equal(ib_cache_gid_add(&r->fake->ib, 1, &a, &attr), 0);
	assert_int_equal(rdma_query_gid(&r->fake->ib, 1, 0, &gid), 0);
	assert_int_equal(ib_cache_gid_del_all_netdev_gids(&r->fake->ib, 1, r->ndev), 0);
	assert_int_equal(rdma_query_gid(&r->fake->ib, 1, 0, &gid), -ENOENT);
	assert_int_equal(rdma_query_gid(&r->fake->ib, 1, 1, &gid), -ENOENT);
	assert_int_equal(r->fake->called[FAKE_DEL_GID], 2);
}

static void ib_cache_gid_set_default_gid__follows_from_the_mac(void **state)
{
	static const u8 expected[16] = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfe, 0, 0, 1};
	const unsigned long mask = 1ul << IB_GID_TYPE_ROCE_UDP_ENCAP;
	struct roce *r = *state;
	union ib_gid gid;

	ib_cache_gid_set_default_gid(&r->fake->ib, 1, r->ndev, mask, IB_CACHE_GID_DEFAULT_MODE_SET);
	assert_int_equal(rdma_query_gid(&r->fake->ib, 1, 0, &gid), 0);
	assert_memory_equal(&gid, expected, sizeof(gid));
	ib_cache_gid_set_default_gid(&r->fake->ib, 1, r->ndev, mask,
				     IB_CACHE_GID_DEFAULT_MODE_DELETE);
	assert_int_equal(rdma_query_gid(&r->fake->ib, 1, 0, &gid), -ENOENT);
}

static const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define ROCE(name) cmocka_unit_test_setup_teardown(name, setup_roce, teardown_roce)
	T(rdma_query_gid__values_and_refusals),
	T(rdma_get_gid_attr__says_where_it_is),
	T(rdma_get_gid_attr__refused),
	T(rdma_put_gid_attr__the_last_frees_what_has_gone),
	T(rdma_hold_gid_attr__needs_one_more_put),
	T(core_gid_table_set__an_unchanged_gid_is_the_same_entry),
	T(rdma_find_gid__on_any_port),
	T(rdma_find_gid_by_port__on_that_port_only),
	T(rdma_find_gid_by_filter__the_first_accepted),
	cmocka_unit_test(rdma_is_zero_gid__all_16_bytes),
	T(rdma_read_gid_l2_fields__infiniband_has_none),
	ROCE(ib_cache_gid_add__at_the_lowest_free_index),
	ROCE(ib_cache_gid_add__the_same_once),
	ROCE(ib_cache_gid_add__refused),
	ROCE(ib_cache_gid_add__the_provider_refuses),
	ROCE(ib_cache_gid_del__leaves_a_gap),
	ROCE(ib_cache_gid_del__a_referenced_index_is_not_used_again),
	ROCE(ib_cache_gid_del_all_netdev_gids__defaults_too),
	ROCE(ib_cache_gid_set_default_gid__follows_from_the_mac),
};

int main(void)
{
	return verbena_test_main(tests);
}
