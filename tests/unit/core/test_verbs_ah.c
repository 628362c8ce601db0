/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <rdma/ib_cache.h>

#include "common/core_fixture.h"
#include "core/core_priv.h"

static struct rdma_ah_attr ib_address(void)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1, .sl = 3};
	union ib_gid dgid = fake_gid(2, 0);

	rdma_ah_set_dlid(&attr, 0x20);
	rdma_ah_set_grh(&attr, &dgid, 0x12345, 1, 64, 9);
	return attr;
}

static struct rdma_ah_attr roce_address(const union ib_gid *dgid)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_ROCE, .port_num = 1};
	union ib_gid copy = *dgid;

	rdma_ah_set_grh(&attr, &copy, 0, CORE_ROCE_INDEX_V4, 64, 0);
	return attr;
}

static const union ib_gid unicast = {.raw = {[10] = 0xff, 0xff, 10, 0, 0, 2}};

static int find_neighbour(const struct ib_gid_attr *sgid_attr, const union ib_gid *dgid, u8 *dmac,
			  u8 *hop_limit)
{
	if (dgid->raw[15] != 2)
		return -ENOENT;
	memset(dmac, 0x42, ETH_ALEN);
	*hop_limit = (u8)sgid_attr->port_num;
	return 0;
}

/* Whoever drops a reference too many takes the entry out of the table. */
static void assert_gid_is_there(struct core_fixture *f, int index)
{
	union ib_gid gid;

	assert_int_equal(rdma_query_gid(f->device, 1, index, &gid), 0);
}

static struct ib_ah *make_ah(struct core_fixture *f)
{
	struct rdma_ah_attr attr = ib_address();
	struct ib_ah *ah = rdma_create_ah(f->pd, &attr, 0);

	assert_ok_ptr(ah);
	return ah;
}

static void rdma_create_ah__references_the_source_gid(void **state)
{
	struct core_fixture *f = *state;
	struct rdma_ah_attr attr = ib_address();
	struct ib_ah *ah = rdma_create_ah(f->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);

	assert_ok_ptr(ah);
	assert_ptr_equal(ah->device, f->device);
	assert_ptr_equal(ah->pd, f->pd);
	assert_int_equal(ah->type, RDMA_AH_ATTR_TYPE_IB);
	assert_int_equal(ah->sgid_attr->index, 1);
	assert_ptr_equal(to_fake_ah(ah)->attr.grh.sgid_attr, ah->sgid_attr);
	assert_int_equal(f->fake->arg[FAKE_CREATE_AH][3], RDMA_CREATE_AH_SLEEPABLE);
	assert_int_equal(atomic_read(&f->pd->usecnt), 1);
	assert_null(attr.grh.sgid_attr);
	rdma_destroy_ah(ah, 0);
	assert_int_equal(atomic_read(&f->pd->usecnt), 0);
}

static void rdma_create_ah__takes_an_address_without_grh(void **state)
{
	struct core_fixture *f = *state;
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 2};
	struct ib_ah *ah = rdma_create_ah(f->pd, &attr, 0);

	assert_ok_ptr(ah);
	assert_null(ah->sgid_attr);
	rdma_destroy_ah(ah, 0);
}

static void rdma_create_ah__takes_the_callers_gid_reference(void **state)
{
	struct core_fixture *f = *state;
	struct rdma_ah_attr attr = ib_address();
	const struct ib_gid_attr *mine = rdma_get_gid_attr(f->device, 1, 1);
	struct ib_ah *ah;

	assert_ok_ptr(mine);
	attr.grh.sgid_attr = mine;
	ah = rdma_create_ah(f->pd, &attr, 0);
	assert_ok_ptr(ah);
	assert_ptr_equal(ah->sgid_attr, mine);
	assert_ptr_equal(attr.grh.sgid_attr, mine);
	rdma_put_gid_attr(mine);
	rdma_destroy_ah(ah, 0);
	assert_gid_is_there(f, 1);
}

static void rdma_create_ah__refuses_bad_addresses(void **state)
{
	struct core_fixture *f = *state;
	struct rdma_ah_attr attr = ib_address();
	const struct ib_gid_attr *other = rdma_get_gid_attr(f->device, 1, 2);

	assert_ok_ptr(other);
	attr.port_num = 0;
	assert_ptr_err(rdma_create_ah(f->pd, &attr, 0), -EINVAL);
	assert_cause_text("port 0 is not one of the device's ports 1 to 2. Set the address's "
			  "port_num.");
	attr = ib_address();
	attr.grh.sgid_attr = other;
	assert_ptr_err(rdma_create_ah(f->pd, &attr, 0), -EINVAL);
	assert_cause(AH_SGID_ATTR);
	assert_int_equal(base_cause_last()->arg[0], 2);
	assert_int_equal(base_cause_last()->arg[2], 1);
	attr = ib_address();
	attr.grh.sgid_index = 250;
	assert_ptr_err(rdma_create_ah(f->pd, &attr, 0), -EINVAL);
	attr.grh.sgid_index = FAKE_GIDS - 1;
	assert_ptr_err(rdma_create_ah(f->pd, &attr, 0), -ENODATA);
	attr.type = RDMA_AH_ATTR_TYPE_ROCE;
	attr.ah_flags = 0;
	assert_ptr_err(rdma_create_ah(f->pd, &attr, 0), -EINVAL);
	assert_cause(AH_NO_GRH);
	assert_int_equal(f->fake->called[FAKE_CREATE_AH], 0);
	rdma_put_gid_attr(other);
}

static int setup_grh_required(void **state)
{
	return core_setup(state, &(struct fake_options){.grh_required = true});
}

static void rdma_create_ah__wants_a_grh_where_the_port_does(void **state)
{
	struct core_fixture *f = *state;
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};

	assert_ptr_err(rdma_create_ah(f->pd, &attr, 0), -EINVAL);
	assert_cause(AH_NO_GRH);
}

static void rdma_create_ah__hands_errors_through_and_leaves_nothing(void **state)
{
	struct core_fixture *f = *state;
	struct rdma_ah_attr attr = ib_address();

	f->fake->fail[FAKE_CREATE_AH] = -ENOSPC;
	assert_ptr_err(rdma_create_ah(f->pd, &attr, 0), -ENOSPC);
	assert_null(attr.grh.sgid_attr);
	assert_int_equal(atomic_read(&f->pd->usecnt), 0);
	f->device->ops.create_ah = NULL;
	assert_ptr_err(rdma_create_ah(f->pd, &attr, 0), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
}

static void rdma_create_user_ah__resolves_the_peers_mac(void **state)
{
	struct core_fixture *f = *state;
	struct rdma_ah_attr attr = roce_address(&unicast);
	struct ib_udata udata = {.inlen = 0};
	struct ib_ah *ah;

	assert_ptr_err(rdma_create_user_ah(f->pd, &attr, &udata), -EHOSTUNREACH);
	assert_cause(AH_NO_NEIGHBOUR);
	core_neighbour_install(find_neighbour);
	ah = rdma_create_user_ah(f->pd, &attr, &udata);
	core_neighbour_install(NULL);
	assert_ok_ptr(ah);
	assert_int_equal(to_fake_ah(ah)->attr.roce.dmac[5], 0x42);
	assert_int_equal(to_fake_ah(ah)->attr.grh.hop_limit, 1);
	assert_int_equal(f->fake->called[FAKE_CREATE_USER_AH], 1);
	assert_int_equal(f->fake->arg[FAKE_CREATE_USER_AH][3], RDMA_CREATE_AH_SLEEPABLE);
	assert_int_equal(rdma_destroy_ah_user(ah, RDMA_DESTROY_AH_SLEEPABLE, &udata), 0);
	attr.grh.dgid.raw[15] = 3;
	core_neighbour_install(find_neighbour);
	ah = rdma_create_user_ah(f->pd, &attr, &udata);
	core_neighbour_install(NULL);
	assert_ptr_err(ah, -ENOENT);
	assert_null(attr.grh.sgid_attr);
}

static void rdma_create_user_ah__maps_multicast_groups(void **state)
{
	struct core_fixture *f = *state;
	static const union ib_gid v4 = {.raw = {[10] = 0xff, 0xff, 239, 0x81, 2, 3}};
	static const union ib_gid v6 = {.raw = {0xff, 0x0e, [12] = 9, 8, 7, 6}};
	static const u8 v4_mac[ETH_ALEN] = {0x01, 0x00, 0x5e, 0x01, 2, 3};
	static const u8 v6_mac[ETH_ALEN] = {0x33, 0x33, 9, 8, 7, 6};
	struct rdma_ah_attr attr = roce_address(&v4);
	struct ib_ah *ah;

	memset(attr.roce.dmac, 0xee, ETH_ALEN);
	ah = rdma_create_user_ah(f->pd, &attr, NULL);
	assert_ok_ptr(ah);
	assert_int_equal(f->fake->called[FAKE_CREATE_AH], 1); /* no udata: the kernel's op */
	assert_memory_equal(to_fake_ah(ah)->attr.roce.dmac, v4_mac, ETH_ALEN);
	rdma_destroy_ah(ah, 0);
	attr = roce_address(&v6);
	ah = rdma_create_user_ah(f->pd, &attr, NULL);
	assert_ok_ptr(ah);
	assert_memory_equal(to_fake_ah(ah)->attr.roce.dmac, v6_mac, ETH_ALEN);
	rdma_destroy_ah(ah, 0);
}

static int setup_roce_v1(void **state)
{
	return core_setup(state, &(struct fake_options){.roce = true, .roce_v1 = true, .ports = 2});
}

/* RoCEv1 needs no neighbour for a link-local GID: the MAC is in it. */
static void rdma_create_user_ah__reads_the_mac_from_a_link_local_gid(void **state)
{
	static const union ib_gid dgid = {.raw = {0xfe, 0x80, [8] = 2, 1, 2, 0xff, 0xfe, 3, 4, 5}};
	static const u8 mac[ETH_ALEN] = {0, 1, 2, 3, 4, 5};
	struct core_fixture *f = *state;
	struct rdma_ah_attr attr = roce_address(&dgid);
	const struct ib_gid_attr *sgid_attr = NULL;
	struct ib_ah *ah;

	for (u8 i = 0; i < FAKE_GIDS; i++) {
		sgid_attr = rdma_get_gid_attr(f->device, 1, i);
		assert_ok_ptr(sgid_attr);
		attr.grh.sgid_index = i;
		rdma_put_gid_attr(sgid_attr);
		if (sgid_attr->gid_type == IB_GID_TYPE_ROCE)
			break;
	}
	assert_int_equal(sgid_attr->gid_type, IB_GID_TYPE_ROCE);
	ah = rdma_create_user_ah(f->pd, &attr, NULL);
	assert_ok_ptr(ah);
	assert_memory_equal(to_fake_ah(ah)->attr.roce.dmac, mac, ETH_ALEN);
	rdma_destroy_ah(ah, 0);
}

static void rdma_modify_ah__moves_to_another_gid(void **state)
{
	struct core_fixture *f = *state;
	struct rdma_ah_attr attr = ib_address();
	struct ib_ah *ah = make_ah(f);

	attr.grh.sgid_index = 2;
	assert_int_equal(rdma_modify_ah(ah, &attr), 0);
	assert_int_equal(ah->sgid_attr->index, 2);
	assert_null(attr.grh.sgid_attr);
	attr.grh.sgid_index = 0;
	f->fake->fail[FAKE_MODIFY_AH] = -EINVAL;
	assert_int_equal(rdma_modify_ah(ah, &attr), -EINVAL);
	assert_int_equal(ah->sgid_attr->index, 2);
	rdma_destroy_ah(ah, 0);
}

static void rdma_modify_ah__refuses_another_type(void **state)
{
	struct core_fixture *f = *state;
	struct rdma_ah_attr attr = ib_address();
	struct ib_ah *ah = make_ah(f);

	attr.type = RDMA_AH_ATTR_TYPE_OPA;
	assert_int_equal(rdma_modify_ah(ah, &attr), -EINVAL);
	assert_cause(AH_TYPE);
	attr = ib_address();
	attr.port_num = 7;
	assert_int_equal(rdma_modify_ah(ah, &attr), -EINVAL);
	assert_cause(AH_PORT);
	f->device->ops.modify_ah = NULL;
	assert_int_equal(rdma_modify_ah(ah, &attr), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
	assert_int_equal(f->fake->called[FAKE_MODIFY_AH], 0);
	rdma_destroy_ah(ah, 0);
}

static void rdma_query_ah__asks_the_provider(void **state)
{
	struct core_fixture *f = *state;
	struct rdma_ah_attr attr = {.grh.sgid_attr = (void *)1};
	struct ib_ah *ah = make_ah(f);

	assert_int_equal(rdma_query_ah(ah, &attr), 0);
	assert_int_equal(f->fake->arg[FAKE_QUERY_AH][2], 0); /* cleared before */
	assert_int_equal(rdma_ah_get_dlid(&attr), 0x20);
	assert_int_equal(rdma_ah_get_sl(&attr), 3);
	f->fake->fail[FAKE_QUERY_AH] = -EIO;
	assert_int_equal(rdma_query_ah(ah, &attr), -EIO);
	f->device->ops.query_ah = NULL;
	attr.grh.sgid_attr = (void *)1;
	assert_int_equal(rdma_query_ah(ah, &attr), -EOPNOTSUPP);
	assert_null(attr.grh.sgid_attr);
	rdma_destroy_ah(ah, 0);
}

static void rdma_destroy_ah_user__frees_what_the_provider_gave_up(void **state)
{
	struct core_fixture *f = *state;
	struct ib_ah *ah = make_ah(f);

	f->fake->fail[FAKE_DESTROY_AH] = -EBUSY;
	assert_int_equal(rdma_destroy_ah_user(ah, RDMA_DESTROY_AH_SLEEPABLE, NULL), -EBUSY);
	assert_int_equal(f->fake->arg[FAKE_DESTROY_AH][1], RDMA_DESTROY_AH_SLEEPABLE);
	assert_int_equal(atomic_read(&f->pd->usecnt), 1);
	f->fake->fail[FAKE_DESTROY_AH] = 0;
	assert_int_equal(rdma_destroy_ah_user(ah, 0, NULL), 0);
	assert_int_equal(atomic_read(&f->pd->usecnt), 0);
}

static void rdma_destroy_ah__destroys(void **state)
{
	struct core_fixture *f = *state;

	rdma_destroy_ah(make_ah(f), RDMA_DESTROY_AH_SLEEPABLE);
	assert_int_equal(f->fake->called[FAKE_DESTROY_AH], 1);
	assert_int_equal(f->fake->arg[FAKE_DESTROY_AH][1], RDMA_DESTROY_AH_SLEEPABLE);
}

/* The references of copies: what is left over shows as blocks at the end of the test. */
static void rdma_copy_ah_attr__takes_a_reference_of_its_own(void **state)
{
	struct core_fixture *f = *state;
	struct rdma_ah_attr a = ib_address(), b, c;

	a.grh.sgid_attr = rdma_get_gid_attr(f->device, 1, 1);
	assert_ok_ptr(a.grh.sgid_attr);
	rdma_copy_ah_attr(&b, &a);
	assert_memory_equal(&b, &a, sizeof(a));
	rdma_destroy_ah_attr(&a);
	assert_int_equal(b.grh.sgid_attr->index, 1);
	rdma_destroy_ah_attr(&b);
	a.grh.sgid_attr = NULL;
	rdma_copy_ah_attr(&c, &a);
	assert_null(c.grh.sgid_attr);
	assert_gid_is_there(f, 1);
}

static void rdma_replace_ah_attr__drops_the_old_reference(void **state)
{
	struct core_fixture *f = *state;
	struct rdma_ah_attr a = ib_address(), b = ib_address();

	a.grh.sgid_attr = rdma_get_gid_attr(f->device, 1, 1);
	b.grh.sgid_attr = rdma_get_gid_attr(f->device, 1, 2);
	b.sl = 7;
	assert_ok_ptr(a.grh.sgid_attr);
	assert_ok_ptr(b.grh.sgid_attr);
	rdma_replace_ah_attr(&a, &b);
	assert_int_equal(a.grh.sgid_attr->index, 2);
	assert_int_equal(a.sl, 7);
	rdma_destroy_ah_attr(&b);
	assert_int_equal(a.grh.sgid_attr->index, 2);
	rdma_destroy_ah_attr(&a);
	assert_gid_is_there(f, 1);
	assert_gid_is_there(f, 2);
}

static void rdma_move_ah_attr__hands_the_reference_over(void **state)
{
	struct core_fixture *f = *state;
	struct rdma_ah_attr a = ib_address(), b = ib_address();

	a.grh.sgid_attr = rdma_get_gid_attr(f->device, 1, 1);
	b.grh.sgid_attr = rdma_get_gid_attr(f->device, 1, 2);
	assert_ok_ptr(a.grh.sgid_attr);
	assert_ok_ptr(b.grh.sgid_attr);
	rdma_move_ah_attr(&a, &b);
	assert_null(b.grh.sgid_attr);
	assert_int_equal(a.grh.sgid_attr->index, 2);
	rdma_destroy_ah_attr(&a);
	assert_null(a.grh.sgid_attr);
	rdma_destroy_ah_attr(&a); /* twice is allowed */
	assert_gid_is_there(f, 1);
	assert_gid_is_there(f, 2);
}

static void rdma_destroy_ah_attr__clears_the_pointer(void **state)
{
	struct core_fixture *f = *state;
	struct rdma_ah_attr a = ib_address();

	a.grh.sgid_attr = rdma_get_gid_attr(f->device, 1, 0);
	assert_ok_ptr(a.grh.sgid_attr);
	rdma_destroy_ah_attr(&a);
	assert_null(a.grh.sgid_attr);
	rdma_destroy_ah_attr(&a);
}

static void rdma_move_grh_sgid_attr__takes_the_reference_over(void **state)
{
	struct core_fixture *f = *state;
	struct rdma_ah_attr a = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	const struct ib_gid_attr *sgid_attr = rdma_get_gid_attr(f->device, 1, 2);
	union ib_gid dgid = fake_gid(2, 1);

	assert_ok_ptr(sgid_attr);
	rdma_move_grh_sgid_attr(&a, &dgid, 0xabcde, 12, 34, sgid_attr);
	assert_int_equal(a.ah_flags, IB_AH_GRH);
	assert_int_equal(a.grh.sgid_index, 2);
	assert_int_equal(a.grh.flow_label, 0xabcde);
	assert_int_equal(a.grh.hop_limit, 12);
	assert_int_equal(a.grh.traffic_class, 34);
	assert_memory_equal(&a.grh.dgid, &dgid, sizeof(dgid));
	assert_ptr_equal(a.grh.sgid_attr, sgid_attr);
	rdma_destroy_ah_attr(&a);
}

#define ON_IB(test) cmocka_unit_test_setup_teardown(test, core_setup_ib, core_teardown)
#define ON_ROCE(test) cmocka_unit_test_setup_teardown(test, core_setup_roce, core_teardown)

static const struct CMUnitTest tests[] = {
	ON_IB(rdma_create_ah__references_the_source_gid),
	ON_IB(rdma_create_ah__takes_an_address_without_grh),
	ON_IB(rdma_create_ah__takes_the_callers_gid_reference),
	ON_IB(rdma_create_ah__refuses_bad_addresses),
	cmocka_unit_test_setup_teardown(rdma_create_ah__wants_a_grh_where_the_port_does,
					setup_grh_required, core_teardown),
	ON_IB(rdma_create_ah__hands_errors_through_and_leaves_nothing),
	ON_ROCE(rdma_create_user_ah__resolves_the_peers_mac),
	ON_ROCE(rdma_create_user_ah__maps_multicast_groups),
	cmocka_unit_test_setup_teardown(rdma_create_user_ah__reads_the_mac_from_a_link_local_gid,
					setup_roce_v1, core_teardown),
	ON_IB(rdma_modify_ah__moves_to_another_gid),
	ON_IB(rdma_modify_ah__refuses_another_type),
	ON_IB(rdma_query_ah__asks_the_provider),
	ON_IB(rdma_destroy_ah_user__frees_what_the_provider_gave_up),
	ON_IB(rdma_destroy_ah__destroys),
	ON_IB(rdma_copy_ah_attr__takes_a_reference_of_its_own),
	ON_IB(rdma_replace_ah_attr__drops_the_old_reference),
	ON_IB(rdma_move_ah_attr__hands_the_reference_over),
	ON_IB(rdma_destroy_ah_attr__clears_the_pointer),
	ON_IB(rdma_move_grh_sgid_attr__takes_the_reference_over),
};

int main(void)
{
	return verbena_test_main(tests);
}
