/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Between IP addresses, MAC addresses and GIDs. */
#include <arpa/inet.h>
#include <errno.h>
#include <rdma/ib_addr.h>

#include "base/cause.h"
#include "common/test.h"

static struct in6_addr address(const char *text)
{
	struct in6_addr a;

	assert_int_equal(inet_pton(AF_INET6, text, &a), 1);
	return a;
}

static void rdma_is_multicast_addr__knows_both_families(void **state)
{
	(void)state;
	struct in6_addr a = address("ff12::1");

	assert_true(rdma_is_multicast_addr(&a));
	a = address("::ffff:224.0.0.1");
	assert_true(rdma_is_multicast_addr(&a));
	a = address("::ffff:239.255.255.255");
	assert_true(rdma_is_multicast_addr(&a));
	a = address("::ffff:223.0.0.1");
	assert_false(rdma_is_multicast_addr(&a));
	a = address("::fffe:224.0.0.1");
	assert_false(rdma_is_multicast_addr(&a));
	a = address("fe80::1");
	assert_false(rdma_is_multicast_addr(&a));
}

static void rdma_link_local_addr__looks_at_the_whole_prefix(void **state)
{
	(void)state;
	struct in6_addr a = address("fe80::1");

	assert_true(rdma_link_local_addr(&a));
	a = address("fe80:0:0:1::1");
	assert_false(rdma_link_local_addr(&a));
	a = address("fec0::1");
	assert_false(rdma_link_local_addr(&a));
}

static void rdma_get_ll_mac__flips_the_local_bit(void **state)
{
	(void)state;
	static const u8 expected[] = {0x52, 0x54, 0x00, 0x12, 0x34, 0x56};
	struct in6_addr a = address("fe80::5054:ff:fe12:3456");
	u8 mac[7] = {[6] = 0xee};

	rdma_get_ll_mac(&a, mac);
	assert_memory_equal(mac, expected, 6);
	assert_int_equal(mac[6], 0xee);
}

static void rdma_get_mcast_mac__begins_with_3333(void **state)
{
	(void)state;
	static const u8 expected[] = {0x33, 0x33, 0x01, 0x02, 0x03, 0x04};
	struct in6_addr a = address("ff12::102:304");
	u8 mac[7] = {[6] = 0xee};

	rdma_get_mcast_mac(&a, mac);
	assert_memory_equal(mac, expected, 6);
	assert_int_equal(mac[6], 0xee);
}

static void rdma_ip2gid__maps_ipv4(void **state)
{
	(void)state;
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a000102)};
	const struct in6_addr expected = address("::ffff:10.0.1.2");
	union ib_gid gid = {.raw = {1, 2, 3}};

	assert_int_equal(rdma_ip2gid((struct sockaddr *)&in, &gid), 0);
	assert_memory_equal(gid.raw, &expected, 16);
}

static void rdma_ip2gid__copies_ipv6(void **state)
{
	(void)state;
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_addr = address("2001:db8::7")};
	union ib_gid gid = {0};

	assert_int_equal(rdma_ip2gid((struct sockaddr *)&in6, &gid), 0);
	assert_memory_equal(gid.raw, &in6.sin6_addr, 16);
}

static void rdma_ip2gid__other_family_is_einval(void **state)
{
	(void)state;
	struct sockaddr un = {.sa_family = AF_UNIX};
	union ib_gid gid = {.raw = {7}};

	assert_int_equal(rdma_ip2gid(&un, &gid), -EINVAL);
	assert_string_equal(base_cause_name(base_cause_last()->id), "ADDR_FAMILY");
	assert_int_equal(gid.raw[0], 7);
}

static void rdma_gid2ip__undoes_rdma_ip2gid(void **state)
{
	(void)state;
	struct sockaddr_storage out;
	union ib_gid gid;
	struct in6_addr a = address("::ffff:10.0.1.2");

	memset(&out, 0x55, sizeof(out));
	memcpy(gid.raw, &a, 16);
	rdma_gid2ip((struct sockaddr *)&out, &gid);
	assert_int_equal(out.ss_family, AF_INET);
	assert_int_equal(((struct sockaddr_in *)&out)->sin_addr.s_addr, htonl(0x0a000102));
	assert_int_equal(((struct sockaddr_in *)&out)->sin_port, 0);
	a = address("2001:db8::7");
	memset(&out, 0x55, sizeof(out));
	memcpy(gid.raw, &a, 16);
	rdma_gid2ip((struct sockaddr *)&out, &gid);
	assert_int_equal(out.ss_family, AF_INET6);
	assert_memory_equal(&((struct sockaddr_in6 *)&out)->sin6_addr, &a, 16);
	assert_int_equal(((struct sockaddr_in6 *)&out)->sin6_scope_id, 0);
}

static void iboe_get_mtu__leaves_room_for_all_headers(void **state)
{
	(void)state;
	assert_int_equal(iboe_get_mtu(1500), IB_MTU_1024);
	assert_int_equal(iboe_get_mtu(9000), IB_MTU_4096);
	assert_int_equal(iboe_get_mtu(4096 + 96), IB_MTU_4096);
	assert_int_equal(iboe_get_mtu(4096 + 95), IB_MTU_2048);
	assert_int_equal(iboe_get_mtu(256 + 96), IB_MTU_256);
	assert_int_equal(iboe_get_mtu(256 + 95), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rdma_is_multicast_addr__knows_both_families),
		cmocka_unit_test(rdma_link_local_addr__looks_at_the_whole_prefix),
		cmocka_unit_test(rdma_get_ll_mac__flips_the_local_bit),
		cmocka_unit_test(rdma_get_mcast_mac__begins_with_3333),
		cmocka_unit_test(rdma_ip2gid__maps_ipv4),
		cmocka_unit_test(rdma_ip2gid__copies_ipv6),
		cmocka_unit_test(rdma_ip2gid__other_family_is_einval),
		cmocka_unit_test(rdma_gid2ip__undoes_rdma_ip2gid),
		cmocka_unit_test(iboe_get_mtu__leaves_room_for_all_headers),
	};

	return verbena_test_main(tests);
}
