// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* GIDs of RoCE ports follow their network interface. */
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

struct roce {
	struct fake_provider *fake;
	struct ib_device *device;
	struct net_device *ndev;
};

static union ib_gid ip(u8 last)
{
	union ib_gid gid = {.raw = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = last}};

	return gid;
}

static int setup(void **state)
{
	const struct fake_options options = {.roce = true};
	static struct roce r;

	r.ndev = verbena_netdev_new("eth0", mac, 1500, VERBENA_NO_VLAN);
	if (!r.ndev)
		return -1;
	r.fake = fake_provider_new(&options);
	if (!r.fake) {
		verbena_netdev_put(r.ndev);
		return -1;
	}
	r.device = &r.fake->ib;
	*state = &r;
	return 0;
}

static int teardown(void **state)
{
	struct roce *r = *state;

	fake_provider_free(r->fake);
	if (r->ndev)
		verbena_netdev_put(r->ndev);
	return base_host_idle() ? 0 : -1;
}

/* The index of a GID on port 1, -1 if it is not there. */
static int index_of(const struct roce *r, const union ib_gid *gid)
{
	const struct ib_gid_attr *attr =
		rdma_find_gid_by_port(r->device, gid, IB_GID_TYPE_ROCE_UDP_ENCAP, 1, r->ndev);
	int index;

	if (IS_ERR(attr))
		return -1;
	index = attr->index;
	rdma_put_gid_attr(attr);
	return index;
}

static void roce_gid_type_mask_support__by_protocol(void **state)
{
	struct roce *r = *state;
	struct ib_port_immutable *port = &r->device->port_data[1].immutable;
	const u32 caps = port->core_cap_flags;

	assert_int_equal(roce_gid_type_mask_support(r->device, 1), 1 << IB_GID_TYPE_ROCE_UDP_ENCAP);
	port->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE;
	port->core_cap_flags |= RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	assert_int_equal(roce_gid_type_mask_support(r->device, 1),
			 1 << IB_GID_TYPE_ROCE | 1 << IB_GID_TYPE_ROCE_UDP_ENCAP);
	port->core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	assert_int_equal(roce_gid_type_mask_support(r->device, 1), 1 << IB_GID_TYPE_IB);
	port->core_cap_flags = caps;
}

static void ib_device_set_netdev__brings_its_gids(void **state)
{
	struct roce *r = *state;
	const union ib_gid a = ip(1), b = ip(2);
	union ib_gid dflt;

	verbena_netdev_default_gid(r->ndev, &dflt);
	assert_int_equal(verbena_netdev_addr_add(r->ndev, &a), 0);
	assert_int_equal(index_of(r, &a), -1);
	assert_int_equal(ib_device_set_netdev(r->device, r->ndev, 1), 0);
	assert_int_equal(index_of(r, &dflt), 0);
	assert_int_equal(index_of(r, &a), 1);
	assert_int_equal(verbena_netdev_addr_add(r->ndev, &b), 0);
	assert_int_equal(index_of(r, &b), 2);
	assert_int_equal(ib_device_set_netdev(r->device, NULL, 1), 0);
	assert_int_equal(index_of(r, &dflt), -1);
	assert_int_equal(index_of(r, &b), -1);
}

static void ib_device_set_netdev__refused(void **state)
{
	struct roce *r = *state;
	struct fake_provider *bare = fake_provider_alloc(NULL);
	int ret;

	assert_non_null(bare);
	ret = ib_device_set_netdev(&bare->ib, r->ndev, 1);
	ib_dealloc_device(&bare->ib);
	assert_int_equal(ret, -ENODEV);
	assert_int_equal(ib_device_set_netdev(r->device, r->ndev, 2), -EINVAL);
	assert_cause(PORT_RANGE);
}

static void ib_device_get_netdev__with_a_reference(void **state)
{
	struct roce *r = *state;
	struct net_device *ndev;

	assert_null(ib_device_get_netdev(r->device, 1));
	assert_null(ib_device_get_netdev(r->device, 9));
	assert_int_equal(ib_device_set_netdev(r->device, r->ndev, 1), 0);
	ndev = ib_device_get_netdev(r->device, 1);
	assert_ptr_equal(ndev, r->ndev);
	verbena_netdev_put(ndev);
}

static struct net_device *netdev_of_op;

static struct net_device *get_netdev(struct ib_device *device, u32 port_num)
{
	(void)device;
	if (port_num != 1)
		return NULL;
	verbena_netdev_hold(netdev_of_op);
	return netdev_of_op;
}

static void rdma_roce_rescan_device__enters_what_is_missing(void **state)
{
	struct roce *r = *state;
	const union ib_gid a = ip(1);
	union ib_gid dflt;

	verbena_netdev_default_gid(r->ndev, &dflt);
	assert_int_equal(verbena_netdev_addr_add(r->ndev, &a), 0);
	netdev_of_op = r->ndev;
	r->device->ops.get_netdev = get_netdev;
	assert_int_equal(index_of(r, &a), -1);
	rdma_roce_rescan_device(r->device);
	assert_int_equal(index_of(r, &dflt), 0);
	assert_int_equal(index_of(r, &a), 1);
	assert_int_equal(r->fake->called[FAKE_ADD_GID], 2);
	rdma_roce_rescan_device(r->device);
	assert_int_equal(r->fake->called[FAKE_ADD_GID], 2);
}

static void rdma_roce_rescan_device__infiniband_is_left_alone(void **state)
{
	struct roce *r = *state;
	struct fake_provider *ib = fake_provider_new(NULL);
	const struct ib_gid_attr *attr;
	union ib_gid dflt;

	assert_non_null(ib);
	verbena_netdev_default_gid(r->ndev, &dflt);
	netdev_of_op = r->ndev;
	ib->ib.ops.get_netdev = get_netdev;
	rdma_roce_rescan_device(&ib->ib);
	attr = rdma_find_gid(&ib->ib, &dflt, IB_GID_TYPE_IB, NULL);
	fake_provider_free(ib);
	assert_int_equal(PTR_ERR(attr), -ENOENT);
}

static void ib_register_device__scans_interfaces(void **state)
{
	const struct fake_options options = {.roce = true};
	struct roce *r = *state, other;
	const union ib_gid a = ip(1);
	int index;

	assert_int_equal(verbena_netdev_addr_add(r->ndev, &a), 0);
	other = *r;
	other.fake = fake_provider_alloc(&options);
	assert_non_null(other.fake);
	netdev_of_op = r->ndev;
	other.device = &other.fake->ib;
	other.device->ops.get_netdev = get_netdev;
	if (ib_register_device(other.device, "roce%d", NULL)) {
		ib_dealloc_device(other.device);
		fail();
	}
	index = index_of(&other, &a);
	fake_provider_free(other.fake);
	assert_int_equal(index, 1);
}

static void verbena_netdev_addr_del__takes_its_gids_out(void **state)
{
	struct roce *r = *state;
	const union ib_gid a = ip(1), b = ip(2);

	assert_int_equal(verbena_netdev_addr_add(r->ndev, &a), 0);
	assert_int_equal(verbena_netdev_addr_add(r->ndev, &b), 0);
	assert_int_equal(ib_device_set_netdev(r->device, r->ndev, 1), 0);
	assert_int_equal(verbena_netdev_addr_del(r->ndev, &a), 0);
	assert_int_equal(index_of(r, &a), -1);
	assert_int_equal(index_of(r, &b), 2);
	assert_int_equal(verbena_netdev_addr_del(r->ndev, &a), -ENOENT);
	assert_cause(GID_NOT_FOUND);
}

static void verbena_netdev_addr_del__the_default_gid_stays(void **state)
{
	struct roce *r = *state;
	union ib_gid dflt;

	verbena_netdev_default_gid(r->ndev, &dflt);
	assert_int_equal(ib_device_set_netdev(r->device, r->ndev, 1), 0);
	assert_int_equal(verbena_netdev_addr_add(r->ndev, &dflt), 0);
	assert_int_equal(r->fake->called[FAKE_ADD_GID], 1);
	assert_int_equal(verbena_netdev_addr_del(r->ndev, &dflt), 0);
	assert_int_equal(index_of(r, &dflt), 0);
}

static void verbena_netdev_addr_add__refused(void **state)
{
	struct roce *r = *state;
	const union ib_gid zero = {.raw = {0}}, a = ip(1);
	union ib_gid at;
	u64 number = 0;

	assert_int_equal(verbena_netdev_addr_add(r->ndev, &zero), -EINVAL);
	assert_int_equal(verbena_netdev_addr_add(r->ndev, &a), 0);
	assert_int_equal(verbena_netdev_addr_add(r->ndev, &a), 0);
	assert_true(verbena_netdev_next_addr(r->ndev, &number, &at));
	assert_memory_equal(&at, &a, sizeof(a));
	assert_false(verbena_netdev_next_addr(r->ndev, &number, &at));
}

static void verbena_netdev_set_mac__makes_all_gids_anew(void **state)
{
	static const u8 other[ETH_ALEN] = {0x02, 0, 0, 0, 0, 9};
	struct roce *r = *state;
	const union ib_gid a = ip(1);
	union ib_gid before, after;

	assert_int_equal(verbena_netdev_addr_add(r->ndev, &a), 0);
	assert_int_equal(ib_device_set_netdev(r->device, r->ndev, 1), 0);
	verbena_netdev_default_gid(r->ndev, &before);
	verbena_netdev_set_mac(r->ndev, other);
	verbena_netdev_default_gid(r->ndev, &after);
	assert_int_equal(index_of(r, &before), -1);
	assert_int_equal(index_of(r, &after), 0);
	assert_int_equal(index_of(r, &a), 1);
	assert_int_equal(r->fake->called[FAKE_DEL_GID], 2);
}

static void verbena_netdev_down__no_gid_is_left(void **state)
{
	struct roce *r = *state;
	const union ib_gid a = ip(1);
	union ib_gid gid;

	assert_int_equal(verbena_netdev_addr_add(r->ndev, &a), 0);
	assert_int_equal(ib_device_set_netdev(r->device, r->ndev, 1), 0);
	verbena_netdev_down(r->ndev);
	r->ndev = NULL;
	for (int i = 0; i < FAKE_GIDS; i++)
		assert_int_equal(rdma_query_gid(r->device, 1, i, &gid), -ENOENT);
	rdma_roce_rescan_device(r->device);
	assert_int_equal(ib_device_set_netdev(r->device, NULL, 1), 0);
}

static void verbena_netdev_new__says_what_it_is(void **state)
{
	struct roce *r = *state;
	u16 vlan_id = 0;
	u8 seen[ETH_ALEN];

	assert_string_equal(verbena_netdev_name(r->ndev), "eth0");
	assert_int_equal(verbena_netdev_mtu(r->ndev), 1500);
	verbena_netdev_l2(r->ndev, &vlan_id, seen);
	assert_int_equal(vlan_id, VERBENA_NO_VLAN);
	assert_memory_equal(seen, mac, sizeof(mac));
}

static const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	T(roce_gid_type_mask_support__by_protocol),
	T(ib_device_set_netdev__brings_its_gids),
	T(ib_device_set_netdev__refused),
	T(ib_device_get_netdev__with_a_reference),
	T(rdma_roce_rescan_device__enters_what_is_missing),
	T(rdma_roce_rescan_device__infiniband_is_left_alone),
	T(ib_register_device__scans_interfaces),
	T(verbena_netdev_addr_del__takes_its_gids_out),
	T(verbena_netdev_addr_del__the_default_gid_stays),
	T(verbena_netdev_addr_add__refused),
	T(verbena_netdev_set_mac__makes_all_gids_anew),
	T(verbena_netdev_down__no_gid_is_left),
	T(verbena_netdev_new__says_what_it_is),
};

int main(void)
{
	return verbena_test_main(tests);
}
