// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Queries and changes of devices and ports. */
#include <rdma/ib_mad.h>
#include <string.h>

#include "base/cause.h"
#include "common/fake_provider.h"
#include "common/test.h"

#define assert_cause(name) assert_string_equal(base_cause_name(base_cause_last()->id), #name)

static int setup(void **state)
{
	const struct fake_options options = {.ports = 2};

	*state = fake_provider_new(&options);
	return *state ? 0 : -1;
}

static int setup_roce(void **state)
{
	const struct fake_options options = {.roce = true};

	*state = fake_provider_new(&options);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	fake_provider_free(*state);
	return 0;
}

static void ib_query_port__starts_from_zero(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_port_attr attr;

	memset(&attr, 0xff, sizeof(attr));
	assert_int_equal(ib_query_port(&fake->ib, 2, &attr), 0);
	assert_int_equal(attr.lid, 0x20);
	assert_int_equal(attr.max_mtu, IB_MTU_4096);
	assert_int_equal(attr.qkey_viol_cntr, 0);
	assert_int_equal(attr.port_cap_flags2, 0);
}

static void ib_query_port__prefix_from_the_cache(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_port_attr attr;

	assert_int_equal(ib_query_port(&fake->ib, 1, &attr), 0);
	assert_true(attr.subnet_prefix == 0xfe80000000000000ull);
}

static int query_port_with_prefix(struct ib_device *device, u32 port_num, struct ib_port_attr *attr)
{
	(void)device;
	attr->subnet_prefix = 0x1234 + port_num;
	return 0;
}

static void ib_query_port__prefix_of_the_provider(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_port_attr attr;

	fake->ib.ops.query_port = query_port_with_prefix;
	assert_int_equal(ib_query_port(&fake->ib, 1, &attr), 0);
	assert_int_equal(attr.subnet_prefix, 0x1235);
}

static void ib_query_port__ethernet_has_no_prefix(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_port_attr attr;

	assert_int_equal(ib_query_port(&fake->ib, 1, &attr), 0);
	assert_int_equal(attr.subnet_prefix, 0);
}

static void ib_query_port__refused(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_port_attr attr;

	assert_int_equal(ib_query_port(&fake->ib, 0, &attr), -EINVAL);
	assert_int_equal(ib_query_port(&fake->ib, 3, &attr), -EINVAL);
	assert_cause(PORT_RANGE);
	fake->fail[FAKE_QUERY_PORT] = -EIO;
	assert_int_equal(ib_query_port(&fake->ib, 1, &attr), -EIO);
	fake->ib.ops.query_port = NULL;
	assert_int_equal(ib_query_port(&fake->ib, 1, &attr), -EOPNOTSUPP);
}

static void ib_query_pkey__asks_the_provider(void **state)
{
	struct fake_provider *fake = *state;
	u16 pkey = 0;

	fake->pkeys[1][1] = 0x8005;
	assert_int_equal(ib_query_pkey(&fake->ib, 2, 1, &pkey), 0);
	assert_int_equal(pkey, 0x8005);
	assert_int_equal(ib_query_pkey(&fake->ib, 2, FAKE_PKEYS, &pkey), -EINVAL);
}

static void ib_query_pkey__refused(void **state)
{
	struct fake_provider *fake = *state;
	u16 pkey;

	assert_int_equal(ib_query_pkey(&fake->ib, 3, 0, &pkey), -EINVAL);
	assert_cause(PORT_RANGE);
	fake->ib.ops.query_pkey = NULL;
	assert_int_equal(ib_query_pkey(&fake->ib, 1, 0, &pkey), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
}

static void ib_find_gid__all_ports(void **state)
{
	struct fake_provider *fake = *state;
	union ib_gid gid = fake_gid(2, 1);
	u16 index = 99;
	u32 port = 99;

	assert_int_equal(ib_find_gid(&fake->ib, &gid, &port, &index), 0);
	assert_int_equal(port, 2);
	assert_int_equal(index, 1);
	assert_int_equal(ib_find_gid(&fake->ib, &gid, &port, NULL), 0);
	gid.raw[0] ^= 1;
	assert_int_equal(ib_find_gid(&fake->ib, &gid, &port, &index), -ENOENT);
	assert_cause(GID_NOT_FOUND);
}

static void ib_find_gid__not_on_ethernet(void **state)
{
	struct fake_provider *fake = *state;
	union ib_gid gid = fake_gid(1, 0);
	u16 index;
	u32 port;

	assert_int_equal(ib_find_gid(&fake->ib, &gid, &port, &index), -ENOENT);
}

static void ib_find_pkey__prefers_the_full_member(void **state)
{
	struct fake_provider *fake = *state;
	u16 index = 99;

	fake->pkeys[0][0] = 0x0007;
	fake->pkeys[0][1] = 0x8007;
	assert_int_equal(ib_find_pkey(&fake->ib, 1, 0x0007, &index), 0);
	assert_int_equal(index, 1);
	fake->pkeys[0][1] = 0x0007;
	assert_int_equal(ib_find_pkey(&fake->ib, 1, 0x8007, &index), 0);
	assert_int_equal(index, 0);
	assert_int_equal(ib_find_pkey(&fake->ib, 1, 0x8008, &index), -ENOENT);
	assert_cause(PKEY_NOT_FOUND);
	fake->fail[FAKE_QUERY_PKEY] = -EIO;
	assert_int_equal(ib_find_pkey(&fake->ib, 1, 0x8008, &index), -EIO);
}

static void ib_modify_device__is_the_providers(void **state)
{
	struct ib_device_modify modify = {.sys_image_guid = 5};
	struct fake_provider *fake = *state;

	assert_int_equal(ib_modify_device(&fake->ib, IB_DEVICE_MODIFY_NODE_DESC, &modify), 0);
	assert_int_equal(fake->arg[FAKE_MODIFY_DEVICE][1], IB_DEVICE_MODIFY_NODE_DESC);
	assert_ptr_equal(fake->arg[FAKE_MODIFY_DEVICE][2], &modify);
	fake->fail[FAKE_MODIFY_DEVICE] = -EIO;
	assert_int_equal(ib_modify_device(&fake->ib, 1, &modify), -EIO);
	fake->ib.ops.modify_device = NULL;
	assert_int_equal(ib_modify_device(&fake->ib, 1, &modify), -EOPNOTSUPP);
}

static void ib_modify_port__is_the_providers(void **state)
{
	struct ib_port_modify modify = {.set_port_cap_mask = 8};
	struct fake_provider *fake = *state;

	assert_int_equal(ib_modify_port(&fake->ib, 2, IB_PORT_SHUTDOWN, &modify), 0);
	assert_int_equal(fake->arg[FAKE_MODIFY_PORT][1], 2);
	assert_int_equal(fake->arg[FAKE_MODIFY_PORT][2], IB_PORT_SHUTDOWN);
	assert_int_equal(ib_modify_port(&fake->ib, 3, 0, &modify), -EINVAL);
	assert_cause(PORT_RANGE);
	fake->ib.ops.modify_port = NULL;
	assert_int_equal(ib_modify_port(&fake->ib, 2, 0, &modify), -EOPNOTSUPP);
}

static void ib_modify_port__ethernet_takes_the_cm_bit(void **state)
{
	struct ib_port_modify modify = {.set_port_cap_mask = IB_PORT_CM_SUP};
	struct fake_provider *fake = *state;

	fake->ib.ops.modify_port = NULL;
	assert_int_equal(ib_modify_port(&fake->ib, 1, 0, &modify), 0);
	assert_int_equal(ib_modify_port(&fake->ib, 1, IB_PORT_SHUTDOWN, &modify), -EOPNOTSUPP);
	modify.clr_port_cap_mask = IB_PORT_SM;
	assert_int_equal(ib_modify_port(&fake->ib, 1, 0, &modify), -EOPNOTSUPP);
}

static void fw_str(struct ib_device *device, char *str)
{
	(void)device;
	memcpy(str, "1.2.3", sizeof("1.2.3"));
}

static void ib_get_device_fw_str__empty_without_op(void **state)
{
	struct fake_provider *fake = *state;
	char str[IB_FW_VERSION_NAME_MAX] = "x";

	ib_get_device_fw_str(&fake->ib, str);
	assert_string_equal(str, "");
	fake->ib.ops.get_dev_fw_str = fw_str;
	ib_get_device_fw_str(&fake->ib, str);
	assert_string_equal(str, "1.2.3");
}

static void ib_port_immutable_read__of_each_port(void **state)
{
	struct fake_provider *fake = *state;

	assert_ptr_equal(ib_port_immutable_read(&fake->ib, 2), &fake->ib.port_data[2].immutable);
	assert_int_equal(ib_port_immutable_read(&fake->ib, 2)->max_mad_size, 256);
}

static void ib_dma_virt_map_sg__addresses_are_virtual(void **state)
{
	static char data[3][5000];
	struct fake_provider *fake = *state;
	struct scatterlist sg[3];

	sg_init_table(sg, 3);
	for (int i = 0; i < 3; i++)
		sg_set_buf(&sg[i], data[i] + i, 1000u * (unsigned int)(i + 1));
	assert_int_equal(ib_dma_virt_map_sg(&fake->ib, sg, 3), 3);
	for (int i = 0; i < 3; i++) {
		assert_ptr_equal(sg_dma_address(&sg[i]), data[i] + i);
		assert_int_equal(sg_dma_len(&sg[i]), 1000 * (i + 1));
	}
}

static const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define ROCE(name) cmocka_unit_test_setup_teardown(name, setup_roce, teardown)
	T(ib_query_port__starts_from_zero),
	T(ib_query_port__prefix_from_the_cache),
	T(ib_query_port__prefix_of_the_provider),
	ROCE(ib_query_port__ethernet_has_no_prefix),
	T(ib_query_port__refused),
	T(ib_query_pkey__asks_the_provider),
	T(ib_query_pkey__refused),
	T(ib_find_gid__all_ports),
	ROCE(ib_find_gid__not_on_ethernet),
	T(ib_find_pkey__prefers_the_full_member),
	T(ib_modify_device__is_the_providers),
	T(ib_modify_port__is_the_providers),
	ROCE(ib_modify_port__ethernet_takes_the_cm_bit),
	T(ib_get_device_fw_str__empty_without_op),
	T(ib_port_immutable_read__of_each_port),
	T(ib_dma_virt_map_sg__addresses_are_virtual),
};

int main(void)
{
	return verbena_test_main(tests);
}
