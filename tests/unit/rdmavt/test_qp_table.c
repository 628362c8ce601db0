// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The table in which packets find their QP, and a device's beginning and end. */
#include "rdmavt/qp_table.c"

#include "base/log.h"
#include "qp_fixture.h"

static unsigned int free_all(struct rvt_dev_info *rdi)
{
	(void)rdi;
	return 0;
}

static void *priv_alloc(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	(void)rdi;
	return qp;
}

static void priv_free(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	(void)rdi;
	(void)qp;
}

static void notify(struct rvt_qp *qp)
{
	(void)qp;
}

static void restart(struct rvt_qp *qp, u32 psn, int wait)
{
	(void)qp;
	(void)psn;
	(void)wait;
}

static int device_up(void **state)
{
	struct rvt_dev_info *rdi = base_zalloc(sizeof(*rdi));

	*state = rdi;
	if (!rdi)
		return -1;
	rdi->dparms.qp_table_size = 64;
	rdi->dparms.qpn_inc = 1;
	rdi->driver_f.free_all_qps = free_all;
	rdi->driver_f.qp_priv_alloc = priv_alloc;
	rdi->driver_f.qp_priv_free = priv_free;
	rdi->driver_f.notify_qp_reset = notify;
	rdi->driver_f.notify_restart_rc = restart;
	return 0;
}

static int device_down(void **state)
{
	struct rvt_dev_info *rdi = *state;

	if (rdi)
		rvt_qp_exit(rdi);
	base_free(rdi);
	return 0;
}

static void driver_qp_init__makes_an_empty_table(void **state)
{
	struct rvt_dev_info *rdi = *state;

	if (rvt_driver_qp_init(rdi)) {
		fail();
		return;
	}
	assert_int_equal(rdi->qp_dev->qp_table_size, 64);
	assert_int_equal(rdi->qp_dev->qp_table_bits, 6);
	for (u32 i = 0; i < 64; i++)
		assert_null(rdi->qp_dev->qp_table[i]);
}

static void driver_qp_init__refusals(void **state)
{
	struct rvt_dev_info *rdi = *state;
	struct rvt_driver_provided f = rdi->driver_f;

	rdi->dparms.qp_table_size = 0;
	assert_int_equal(rvt_driver_qp_init(rdi), -EINVAL);
	assert_contains(last_cause(), "QP table has no entries");
	rdi->dparms.qp_table_size = 64;
	rdi->driver_f.free_all_qps = NULL;
	assert_int_equal(rvt_driver_qp_init(rdi), -EINVAL);
	assert_contains(last_cause(), "lacks a function that QPs need");
	rdi->driver_f = f;
	rdi->driver_f.qp_priv_alloc = NULL;
	assert_int_equal(rvt_driver_qp_init(rdi), -EINVAL);
	rdi->driver_f = f;
	rdi->driver_f.qp_priv_free = NULL;
	assert_int_equal(rvt_driver_qp_init(rdi), -EINVAL);
	rdi->driver_f = f;
	rdi->driver_f.notify_qp_reset = NULL;
	assert_int_equal(rvt_driver_qp_init(rdi), -EINVAL);
	rdi->driver_f = f;
	rdi->driver_f.notify_restart_rc = NULL;
	assert_int_equal(rvt_driver_qp_init(rdi), -EINVAL);
	rdi->driver_f = f;
	/* Whatever the number allocator finds wrong is -ENOMEM. */
	rdi->dparms.qpn_res_start = 10;
	assert_int_equal(rvt_driver_qp_init(rdi), -ENOMEM);
	assert_null(rdi->qp_dev);
}

/* A QP for the table alone. */
static struct rvt_qp *bare_qp(struct rvt_dev_info *rdi, u32 qpn)
{
	struct rvt_qp *qp = base_zalloc(sizeof(*qp));

	assert_non_null(qp);
	qp->ibqp.device = &rdi->ibdev;
	qp->ibqp.qp_num = qpn;
	qp->port_num = 2;
	return qp;
}

static void insert_and_remove__hash_chain(void **state)
{
	struct rvt_dev_info *rdi = *state;
	struct rvt_qp *qp[3];

	rdi->dparms.qp_table_size = 1; /* one chain */
	if (rvt_driver_qp_init(rdi)) {
		fail();
		return;
	}
	for (u32 i = 0; i < 3; i++) {
		qp[i] = bare_qp(rdi, 10 + i);
		rvt_insert_qp(rdi, qp[i]);
		assert_int_equal(atomic_read(&qp[i]->refcount), 1);
		assert_ptr_equal(rdi->qp_dev->qp_table[0], qp[i]);
	}
	assert_ptr_equal(qp[2]->next, qp[1]);
	assert_ptr_equal(rvt_lookup_qpn(rdi, NULL, 10), qp[0]);
	rvt_remove_qp(rdi, qp[1]);
	assert_int_equal(atomic_read(&qp[1]->refcount), 0);
	assert_null(rvt_lookup_qpn(rdi, NULL, 11));
	assert_ptr_equal(qp[2]->next, qp[0]);
	/* One that is not there loses no reference. */
	rvt_get_qp(qp[1]);
	rvt_remove_qp(rdi, qp[1]);
	assert_int_equal(atomic_read(&qp[1]->refcount), 1);
	rvt_remove_qp(rdi, qp[0]);
	rvt_remove_qp(rdi, qp[2]);
	assert_null(rdi->qp_dev->qp_table[0]);
	for (u32 i = 0; i < 3; i++)
		base_free(qp[i]);
}

static void insert_and_remove__special_slots(void **state)
{
	struct rvt_dev_info *rdi = *state;
	static struct rvt_ibport port[2];
	struct rvt_ibport *ports[2] = {&port[0], &port[1]};
	struct rvt_qp *gsi;

	rdi->ports = ports;
	if (rvt_driver_qp_init(rdi)) {
		fail();
		return;
	}
	gsi = bare_qp(rdi, 1);
	rvt_insert_qp(rdi, gsi);
	assert_ptr_equal(port[1].qp[1], gsi);
	assert_null(port[0].qp[1]);
	assert_ptr_equal(rvt_lookup_qpn(rdi, &port[1], 1), gsi);
	rvt_remove_qp(rdi, gsi);
	assert_null(port[1].qp[1]);
	assert_int_equal(atomic_read(&gsi->refcount), 0);
	base_free(gsi);
	rdi->ports = NULL;
}

static void note_line(void *ctx, int level, const char *line)
{
	char *text = ctx;

	(void)level;
	(void)snprintf(text, 100, "%s", line);
}

/* What is still there at the end is reset, and counted. */
static void qp_exit__counts_what_has_leaked(void **state)
{
	struct fixture *f = *state;
	struct rvt_dev_info *rdi = &f->fake->rdi;
	char text[100] = "";
	unsigned int leaked = 0;

	rvt_free_qp_cb(qp_a(f), (u64)(uintptr_t)&leaked);
	assert_int_equal(leaked, 1);
	assert_int_equal(state_of(&f->a), IB_QPS_RESET);
	assert_int_equal(rvt_free_all_qps(rdi), 1);
	assert_int_equal(state_of(&f->b), IB_QPS_RESET);
	assert_int_equal(rvt_free_all_qps(rdi), 0);
	base_log_set_sink(note_line, text);
	assert_int_equal(fake_rvt_to(f->a.qp, IB_QPS_INIT, 0), 0);
	fake_rvt_end_exit(&f->b);
	assert_int_equal(rvt_free_all_qps(rdi), 1);
	base_log_set_sink(NULL, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, device_up, device_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(driver_qp_init__makes_an_empty_table),
		TEST(driver_qp_init__refusals),
		TEST(insert_and_remove__hash_chain),
		TEST(insert_and_remove__special_slots),
		cmocka_unit_test_setup_teardown(qp_exit__counts_what_has_leaked, fixture_rc,
						fixture_down),
	};

	return verbena_test_main(tests);
}
