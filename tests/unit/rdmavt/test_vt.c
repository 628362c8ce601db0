// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Devices: registration over the real core, with the smallest driver that is accepted. */
#include "common/process.h"
#include "common/rvt_bare.h"
#include "rdmavt/vt.c"

#define NPORTS 2

struct driver {
	struct rvt_dev_info rdi;
	struct rvt_ibport port[NPORTS];
	u16 pkeys[BARE_NPKEYS];
	unsigned int cap_changes, shut_downs;
	u32 last_port;
	bool registered;
};

static struct driver *driver_of(struct rvt_dev_info *rdi)
{
	return container_of(rdi, struct driver, rdi);
}

/* What no test of this file gets to call. */
static bool no_schedule(struct rvt_qp *qp)
{
	(void)qp;
	return false;
}

static void no_qp(struct rvt_qp *qp)
{
	(void)qp;
}

static void *no_priv(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	(void)rdi;
	return qp;
}

static void no_priv_free(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	(void)rdi;
	(void)qp;
}

static int no_pmtu(struct rvt_dev_info *rdi, struct rvt_qp *qp, struct ib_qp_attr *attr)
{
	(void)rdi;
	(void)qp;
	return (int)attr->path_mtu;
}

static u32 no_mtu(struct rvt_dev_info *rdi, struct rvt_qp *qp, u32 pmtu)
{
	(void)rdi;
	(void)qp;
	return pmtu;
}

static int no_path_mtu(u32 mtu)
{
	return (int)mtu;
}

static void no_restart(struct rvt_qp *qp, u32 psn, int wait)
{
	(void)qp;
	(void)psn;
	(void)wait;
}

static unsigned no_qps(struct rvt_dev_info *rdi)
{
	(void)rdi;
	return 0;
}

static int get_guid(struct rvt_dev_info *rdi, struct rvt_ibport *rvp, int index, __be64 *guid)
{
	(void)rdi;
	(void)rvp;
	*guid = cpu_to_be64(0x1000u + (u32)index);
	return index < 4 ? 0 : -EINVAL;
}

static int port_state(struct rvt_dev_info *rdi, u32 port_num, struct ib_port_attr *props)
{
	(void)rdi;
	props->gid_tbl_len = 4;
	props->lid = port_num + 4;
	props->subnet_prefix = 0xfe80000000000000ull;
	return 0;
}

static int shut_down(struct rvt_dev_info *rdi, u32 port_num)
{
	driver_of(rdi)->shut_downs++;
	driver_of(rdi)->last_port = port_num;
	return -EBUSY;
}

static void cap_changed(struct rvt_dev_info *rdi, u32 port_num)
{
	driver_of(rdi)->cap_changes++;
	driver_of(rdi)->last_port = port_num;
}

static int own_modify_device(struct ib_device *device, int mask, struct ib_device_modify *modify)
{
	(void)device;
	(void)mask;
	(void)modify;
	return 0;
}

static const struct ib_device_ops driver_ops = {.modify_device = own_modify_device};

static const struct rvt_driver_provided driver_functions = {
	.schedule_send = no_schedule,
	.schedule_send_no_lock = no_schedule,
	.do_send = no_qp,
	.qp_priv_alloc = no_priv,
	.qp_priv_free = no_priv_free,
	.notify_qp_reset = no_qp,
	.get_pmtu_from_attr = no_pmtu,
	.flush_qp_waiters = no_qp,
	.stop_send_queue = no_qp,
	.quiesce_qp = no_qp,
	.notify_error_qp = no_qp,
	.mtu_from_qp = no_mtu,
	.mtu_to_path_mtu = no_path_mtu,
	.get_guid_be = get_guid,
	.query_port_state = port_state,
	.shut_down_port = shut_down,
	.cap_mask_chg = cap_changed,
	.free_all_qps = no_qps,
	.notify_restart_rc = no_restart,
};

static const struct rvt_operation_params no_operations[1];

static int setup(void **state)
{
	struct rvt_dev_info *rdi = rvt_alloc_device(sizeof(struct driver), NPORTS);
	struct driver *d;

	if (!rdi)
		return -1;
	d = driver_of(rdi);
	ib_set_device_ops(&rdi->ibdev, &driver_ops);
	rdi->driver_f = driver_functions;
	rdi->post_parms = no_operations;
	rdi->dparms.nports = NPORTS;
	rdi->dparms.npkeys = BARE_NPKEYS;
	rdi->dparms.qp_table_size = 16;
	rdi->dparms.lkey_table_size = 4;
	rdi->dparms.core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	rdi->dparms.max_mad_size = 256;
	rdi->dparms.props.max_pd = 2;
	rdi->dparms.props.max_cq = 2;
	rdi->dparms.props.max_cqe = 16;
	rdi->dparms.props.vendor_id = 0x1234;
	for (u16 i = 0; i < BARE_NPKEYS; i++)
		d->pkeys[i] = (u16)(0x8001 + i);
	for (int i = 0; i < NPORTS; i++)
		rvt_init_port(rdi, &d->port[i], i, d->pkeys);
	rvt_set_ibdev_name(rdi, "%s_%d", "bare", 0);
	*state = d;
	return 0;
}

static void unregister(struct driver *d)
{
	d->registered = false;
	rvt_unregister_device(&d->rdi);
	bare_run_workers();
}

static int teardown(void **state)
{
	struct driver *d = *state;

	if (d->registered)
		unregister(d);
	rvt_dealloc_device(&d->rdi);
	return 0;
}

static int setup_registered(void **state)
{
	struct driver *d;

	if (setup(state))
		return -1;
	d = *state;
	d->registered = !rvt_register_device(&d->rdi);
	if (d->registered)
		return 0;
	teardown(state);
	return -1;
}

static struct ib_device *ib(struct driver *d)
{
	return &d->rdi.ibdev;
}

static void rvt_alloc_device__has_room_for_the_ports(void **state)
{
	struct rvt_dev_info *rdi = rvt_alloc_device(sizeof(*rdi) + 5, 3);

	(void)state;
	assert_non_null(rdi);
	assert_null(rdi->ports[0]);
	assert_null(rdi->ports[2]);
	rvt_dealloc_device(rdi);
	assert_null(rvt_alloc_device(8, 1));
}

static void rvt_dealloc_device__frees_all(void **state)
{
	const size_t before = base_alloc_live();
	struct rvt_dev_info *rdi = rvt_alloc_device(sizeof(*rdi), 1);

	(void)state;
	assert_non_null(rdi);
	rvt_dealloc_device(rdi);
	assert_int_equal(base_alloc_live(), before);
}

static void rvt_init_port__keeps_port_and_pkeys(void **state)
{
	struct driver *d = *state;
	u16 pkeys[BARE_NPKEYS] = {5};

	assert_int_equal(rvt_init_port(&d->rdi, &d->port[1], 0, pkeys), 0);
	assert_ptr_equal(d->rdi.ports[0], &d->port[1]);
	assert_ptr_equal(d->port[1].pkey_table, pkeys);
}

static void rvt_register_device__publishes_it(void **state)
{
	struct driver *d = *state;
	struct ib_device *found;

	assert_string_equal(rvt_get_ibdev_name(&d->rdi), "bare_0");
	assert_int_equal(ib(d)->node_type, RDMA_NODE_IB_CA);
	assert_int_equal(ib(d)->num_comp_vectors, 1);
	assert_int_equal(ib(d)->phys_port_cnt, NPORTS);
	assert_int_equal(ib(d)->attrs.vendor_id, 0x1234);
	assert_int_equal(ib(d)->attrs.max_mr, 16);
	assert_int_equal(ib(d)->attrs.cq_caps.max_cq_moderation_count, U16_MAX);
	assert_true(ib(d)->kverbs_provider);
	found = ib_device_get_by_name("bare_0", RDMA_DRIVER_UNKNOWN);
	assert_ptr_equal(found, ib(d));
	ib_device_put(found);
}

static void rvt_register_device__the_drivers_ops_win(void **state)
{
	struct driver *d = *state;

	assert_ptr_equal(ib(d)->ops.modify_device, own_modify_device);
	assert_ptr_equal(ib(d)->ops.alloc_mr, rvt_alloc_mr);
	assert_ptr_equal(ib(d)->ops.map_mr_sg, rvt_map_mr_sg);
	assert_ptr_equal(ib(d)->ops.post_send, rvt_post_send);
	assert_int_equal(ib(d)->ops.size_ib_qp, sizeof(struct rvt_qp));
}

static void rvt_register_device__refuses_half_a_driver(void **state)
{
	struct driver *d = *state;

	assert_int_equal(rvt_register_device(NULL), -EINVAL);
	assert_cause(DRIVER_NONE);
	d->rdi.driver_f.quiesce_qp = NULL;
	assert_int_equal(rvt_register_device(&d->rdi), -EINVAL);
	assert_cause(DRIVER_INCOMPLETE);
	d->rdi.driver_f.quiesce_qp = no_qp;
	d->rdi.dparms.lkey_table_size = 0;
	assert_int_equal(rvt_register_device(&d->rdi), -EINVAL);
	assert_cause(MR_TABLE_SIZE);
	d->rdi.dparms.lkey_table_size = 4;
	d->rdi.dparms.qp_table_size = 0;
	assert_int_equal(rvt_register_device(&d->rdi), -EINVAL);
	d->rdi.dparms.qp_table_size = 16;
	ib(d)->ops.modify_device = NULL;
	assert_int_equal(rvt_register_device(&d->rdi), -EOPNOTSUPP);
	assert_cause(MODIFY_DEVICE);
	assert_null(d->rdi.qp_dev);
}

static void check_support__wants_helpers_or_the_op(void **state)
{
	struct driver *d = *state;

	assert_int_equal(check_support(&d->rdi, QUERY_GID), 0);
	d->rdi.driver_f.get_guid_be = NULL;
	assert_int_equal(check_support(&d->rdi, QUERY_GID), -EINVAL);
	ib(d)->ops.query_gid = rvt_query_gid; /* as if the driver's own */
	assert_int_equal(check_support(&d->rdi, QUERY_GID), 0);
	d->rdi.post_parms = NULL;
	assert_int_equal(check_support(&d->rdi, POST_SEND), -EINVAL);
	assert_int_equal(check_support(&d->rdi, QUERY_PKEY), 0);
	assert_int_equal(check_support(&d->rdi, _VERB_IDX_MAX), -EINVAL);
	assert_int_equal(check_support(&d->rdi, -1), -EINVAL);
	assert_int_equal(check_support(&d->rdi, MISC), 0);
	ib(d)->ops.port_groups = (const struct attribute_group **)d;
	assert_int_equal(check_support(&d->rdi, MISC), -EINVAL);
	ib(d)->ops.port_groups = NULL;
}

static void rvt_unregister_device__takes_all_back(void **state)
{
	struct driver *d = *state;

	rvt_unregister_device(NULL);
	unregister(d);
	assert_null(ib_device_get_by_name("bare_0", RDMA_DRIVER_UNKNOWN));
	assert_null(d->rdi.qp_dev);
	assert_null(d->rdi.lkey_table.table);
}

static void rvt_unregister_device__with_objects_alive(void **state)
{
	struct driver *d = *state;
	struct ib_cq_init_attr attr = {.cqe = 4};
	struct ib_pd *pd = ib_alloc_pd(ib(d), 0);
	struct ib_mr *mr;
	struct ib_cq *cq;
	u8 memory[16];
	struct ib_sge sge = {.addr = (u64)(uintptr_t)memory, .length = 16};
	struct rvt_sge out;

	assert_false(IS_ERR(pd));
	mr = ib_reg_user_mr(pd, sge.addr, 16, sge.addr, 0);
	assert_false(IS_ERR(mr));
	cq = ib_create_cq(ib(d), NULL, NULL, NULL, &attr);
	assert_false(IS_ERR(cq));
	unregister(d);
	/* A key can be looked up, and all can be destroyed. */
	sge.lkey = mr->lkey;
	assert_int_equal(rvt_lkey_ok(&d->rdi.lkey_table, ibpd_to_rvtpd(pd), &out, NULL, &sge, 0),
			 1);
	rvt_put_mr(out.mr);
	assert_int_equal(ib_dereg_mr(mr), 0);
	ib_destroy_cq(cq);
	ib_dealloc_pd(pd);
	assert_null(d->rdi.lkey_table.table);
}

static void rvt_query_device__copies_the_properties(void **state)
{
	struct driver *d = *state;
	struct uverbs_attr_bundle call = {.driver_udata = {.inlen = 8}};
	struct ib_device_attr props;

	memset(&props, 0, sizeof(props));
	assert_int_equal(rvt_query_device(ib(d), &props, NULL), 0);
	assert_int_equal(props.vendor_id, 0x1234);
	assert_int_equal(rvt_query_device(ib(d), &props, &call.driver_udata), -EINVAL);
	assert_cause(DEVICE_UHW);
}

static void rvt_modify_device__is_the_drivers(void **state)
{
	struct driver *d = *state;

	assert_int_equal(rvt_modify_device(ib(d), 0, NULL), -EOPNOTSUPP);
	assert_cause(MODIFY_DEVICE);
}

static void rvt_query_port__ours_and_the_drivers_part(void **state)
{
	struct driver *d = *state;
	struct ib_port_attr attr = {.init_type_reply = 0};

	d->port[1].sm_lid = 9;
	d->port[1].sm_sl = 2;
	d->port[1].port_cap_flags = 0x10;
	d->port[1].pkey_violations = 3;
	d->port[1].qkey_violations = 4;
	d->port[1].subnet_timeout = 17;
	assert_int_equal(rvt_query_port(ib(d), 2, &attr), 0);
	assert_int_equal(attr.sm_lid, 9);
	assert_int_equal(attr.sm_sl, 2);
	assert_int_equal(attr.port_cap_flags, 0x10);
	assert_int_equal(attr.max_msg_sz, 0x80000000u);
	assert_int_equal(attr.pkey_tbl_len, BARE_NPKEYS);
	assert_int_equal(attr.bad_pkey_cntr, 3);
	assert_int_equal(attr.qkey_viol_cntr, 4);
	assert_int_equal(attr.subnet_timeout, 17);
	assert_int_equal(attr.lid, 6);
	assert_int_equal(rvt_query_port(ib(d), 3, &attr), -EINVAL);
	assert_cause(DEVICE_PORT);
}

static void rvt_modify_port__changes_capabilities(void **state)
{
	struct driver *d = *state;
	struct ib_port_modify modify = {.set_port_cap_mask = 0x6, .clr_port_cap_mask = 0x1};

	d->port[0].port_cap_flags = 0x11;
	d->port[0].qkey_violations = 5;
	assert_int_equal(rvt_modify_port(ib(d), 1, 0, &modify), 0);
	assert_int_equal(d->port[0].port_cap_flags, 0x16);
	assert_int_equal(d->port[0].port_cap3_flags, 0);
	assert_int_equal(d->cap_changes, 1);
	assert_int_equal(rvt_modify_port(ib(d), 1, IB_PORT_OPA_MASK_CHG, &modify), 0);
	assert_int_equal(d->port[0].port_cap_flags, 0x16);
	assert_int_equal(d->port[0].port_cap3_flags, 6);
	memset(&modify, 0, sizeof(modify));
	assert_int_equal(rvt_modify_port(ib(d), 1, IB_PORT_RESET_QKEY_CNTR, &modify), 0);
	assert_int_equal(d->cap_changes, 2);
	assert_int_equal(d->port[0].qkey_violations, 0);
	assert_int_equal(rvt_modify_port(ib(d), 2, IB_PORT_SHUTDOWN, &modify), -EBUSY);
	assert_int_equal(d->shut_downs, 1);
	assert_int_equal(d->last_port, 2);
	assert_int_equal(rvt_modify_port(ib(d), 0, 0, &modify), -EINVAL);
	assert_cause(DEVICE_PORT);
}

static void rvt_query_pkey__reads_the_drivers_table(void **state)
{
	struct driver *d = *state;
	u16 pkey = 0;

	assert_int_equal(rvt_query_pkey(ib(d), 1, 2, &pkey), 0);
	assert_int_equal(pkey, 0x8003);
	assert_int_equal(rvt_query_pkey(ib(d), 1, BARE_NPKEYS, &pkey), -EINVAL);
	assert_cause(PORT_PKEY_INDEX);
	assert_int_equal(rvt_query_pkey(ib(d), 3, 0, &pkey), -EINVAL);
	assert_cause(DEVICE_PORT);
}

static void rvt_query_gid__prefix_and_guid(void **state)
{
	struct driver *d = *state;
	union ib_gid gid = {.raw = {0}};

	d->port[0].gid_prefix = cpu_to_be64(0xfec0000000000000ull);
	assert_int_equal(rvt_query_gid(ib(d), 1, 3, &gid), 0);
	assert_int_equal(be64_to_cpu(gid.global.subnet_prefix), 0xfec0000000000000ull);
	assert_int_equal(be64_to_cpu(gid.global.interface_id), 0x1003);
	assert_int_equal(rvt_query_gid(ib(d), 1, 4, &gid), -EINVAL);
	assert_int_equal(rvt_query_gid(ib(d), 9, 0, &gid), -EINVAL);
	assert_cause(DEVICE_PORT);
}

static void rvt_get_port_immutable__from_parameters_and_query(void **state)
{
	struct driver *d = *state;
	struct ib_port_immutable immutable = {.max_mad_size = 0};

	assert_int_equal(rvt_get_port_immutable(ib(d), 1, &immutable), 0);
	assert_int_equal(immutable.core_cap_flags, RDMA_CORE_PORT_IBA_IB);
	assert_int_equal(immutable.pkey_tbl_len, BARE_NPKEYS);
	assert_int_equal(immutable.gid_tbl_len, 4);
	assert_int_equal(immutable.max_mad_size, 256);
	assert_int_equal(rvt_get_port_immutable(ib(d), 9, &immutable), -EINVAL);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define REGISTERED(name) cmocka_unit_test_setup_teardown(name, setup_registered, teardown)
	cmocka_unit_test(rvt_alloc_device__has_room_for_the_ports),
	cmocka_unit_test(rvt_dealloc_device__frees_all),
	TEST(rvt_init_port__keeps_port_and_pkeys),
	REGISTERED(rvt_register_device__publishes_it),
	REGISTERED(rvt_register_device__the_drivers_ops_win),
	TEST(rvt_register_device__refuses_half_a_driver),
	TEST(check_support__wants_helpers_or_the_op),
	REGISTERED(rvt_unregister_device__takes_all_back),
	REGISTERED(rvt_unregister_device__with_objects_alive),
	REGISTERED(rvt_query_device__copies_the_properties),
	REGISTERED(rvt_modify_device__is_the_drivers),
	REGISTERED(rvt_query_port__ours_and_the_drivers_part),
	REGISTERED(rvt_modify_port__changes_capabilities),
	REGISTERED(rvt_query_pkey__reads_the_drivers_table),
	REGISTERED(rvt_query_gid__prefix_and_guid),
	REGISTERED(rvt_get_port_immutable__from_parameters_and_query),
};

int main(void)
{
	return verbena_test_main(tests);
}
