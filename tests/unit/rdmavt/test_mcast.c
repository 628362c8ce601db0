// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Multicast groups. */
#include <pthread.h>
#include <sched.h>

#include "common/rvt_bare.h"
#include "rdmavt/mcast.c"

struct fixture {
	struct bare *b;
	struct rvt_qp qp[3];
};

static int setup(void **state)
{
	struct fixture *f = bare_fixture_new(sizeof(*f));

	if (!f)
		return -1;
	rvt_driver_mcast_init(&f->b->rdi);
	for (u32 i = 0; i < 3; i++)
		bare_qp_init(&f->qp[i], f->b, NULL, 16 + i, IB_QPS_RTS);
	*state = f;
	return 0;
}

static void leave_all(struct fixture *f);

static int teardown(void **state)
{
	struct fixture *f = *state;

	leave_all(f);
	bare_fixture_free(f);
	return 0;
}

static union ib_gid mgid(u8 last)
{
	union ib_gid gid = {.raw = {0xff, 0x12, [15] = last}};

	return gid;
}

static int attach(struct fixture *f, int qp, u8 group, u16 lid)
{
	union ib_gid gid = mgid(group);

	return rvt_attach_mcast(&f->qp[qp].ibqp, &gid, lid);
}

static int detach(struct fixture *f, int qp, u8 group, u16 lid)
{
	union ib_gid gid = mgid(group);

	return rvt_detach_mcast(&f->qp[qp].ibqp, &gid, lid);
}

static struct rvt_mcast *find(struct fixture *f, u8 group, u16 lid)
{
	union ib_gid gid = mgid(group);

	return rvt_mcast_find(&f->b->port[0], &gid, lid);
}

/* What a test that failed has left. */
static void leave_all(struct fixture *f)
{
	for (int qp = 0; qp < 3; qp++)
		for (u8 group = 0; group < 4; group++)
			detach(f, qp, group, 0xc001);
}

/* The members of a group as bits. */
static unsigned int members(struct fixture *f, u8 group)
{
	struct rvt_mcast *mcast = find(f, group, 0xc001);
	struct rvt_mcast_qp *mqp;
	unsigned int bits = 0;

	if (!mcast)
		return 0;
	rvt_mcast_for_each(mqp, mcast) bits |= 1u << (mqp->qp->ibqp.qp_num - 16);
	rvt_mcast_put(mcast);
	return bits;
}

static void rvt_driver_mcast_init__starts_from_none(void **state)
{
	struct fixture *f = *state;

	f->b->rdi.n_mcast_grps_allocated = 5;
	rvt_driver_mcast_init(&f->b->rdi);
	assert_int_equal(f->b->rdi.n_mcast_grps_allocated, 0);
}

static void rvt_attach_mcast__groups_of_qps(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(members(f, 1), 0);
	assert_int_equal(attach(f, 0, 1, 0xc001), 0);
	assert_int_equal(attach(f, 1, 1, 0xc001), 0);
	assert_int_equal(attach(f, 2, 2, 0xc001), 0);
	assert_int_equal(members(f, 1), 3);
	assert_int_equal(members(f, 2), 4);
	assert_int_equal(f->b->rdi.n_mcast_grps_allocated, 2);
	assert_int_equal(atomic_read(&f->qp[0].refcount), 2);
	assert_int_equal(rvt_mcast_tree_empty(&f->b->rdi), 1);
	assert_int_equal(detach(f, 0, 1, 0xc001), 0);
	assert_int_equal(members(f, 1), 2);
	assert_int_equal(atomic_read(&f->qp[0].refcount), 1);
	assert_int_equal(detach(f, 1, 1, 0xc001), 0);
	assert_int_equal(detach(f, 2, 2, 0xc001), 0);
	assert_int_equal(f->b->rdi.n_mcast_grps_allocated, 0);
	assert_int_equal(rvt_mcast_tree_empty(&f->b->rdi), 0);
}

static void rvt_attach_mcast__twice_is_once(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(attach(f, 0, 1, 0xc001), 0);
	assert_int_equal(attach(f, 0, 1, 0xc001), 0);
	assert_int_equal(atomic_read(&f->qp[0].refcount), 2);
	assert_int_equal(detach(f, 0, 1, 0xc001), 0);
	assert_int_equal(detach(f, 0, 1, 0xc001), -EINVAL);
	assert_cause(MCAST_NO_GROUP);
}

static void rvt_attach_mcast__refuses(void **state)
{
	struct fixture *f = *state;

	f->qp[0].ibqp.qp_num = 1;
	assert_int_equal(attach(f, 0, 1, 0xc001), -EINVAL);
	assert_cause(MCAST_QP);
	assert_int_equal(detach(f, 0, 1, 0xc001), -EINVAL);
	assert_cause(MCAST_QP);
	f->qp[0].ibqp.qp_num = 16;
	f->qp[0].state = IB_QPS_RESET;
	assert_int_equal(attach(f, 0, 1, 0xc001), -EINVAL);
	assert_cause(MCAST_QP);
	f->qp[0].state = IB_QPS_INIT;
	assert_int_equal(attach(f, 0, 1, 0xc001), 0);
	assert_int_equal(attach(f, 1, 1, 0xc002), -EINVAL);
	assert_cause(MCAST_MLID);
	assert_int_equal(attach(f, 1, 1, 0xc001), 0);
	assert_int_equal(attach(f, 2, 1, 0xc001), -ENOMEM);
	assert_cause(MCAST_QPS);
	assert_int_equal(attach(f, 2, 2, 0xc001), 0);
	assert_int_equal(attach(f, 2, 3, 0xc001), -ENOMEM);
	assert_cause(MCAST_GROUPS);
	assert_int_equal(atomic_read(&f->qp[2].refcount), 2);
}

static void rvt_detach_mcast__refuses(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(attach(f, 0, 1, 0xc001), 0);
	assert_int_equal(detach(f, 0, 1, 0xc002), -EINVAL);
	assert_cause(MCAST_MLID);
	assert_int_equal(detach(f, 1, 1, 0xc001), -EINVAL);
	assert_cause(MCAST_NOT_ATTACHED);
	assert_int_equal(detach(f, 0, 2, 0xc001), -EINVAL);
	assert_cause(MCAST_NO_GROUP);
	assert_int_equal(members(f, 1), 1);
}

/* A QP that was never in INIT has no port to look at. */
static void rvt_detach_mcast__of_a_qp_without_a_port(void **state)
{
	struct fixture *f = *state;

	f->qp[0].port_num = 0;
	assert_int_equal(detach(f, 0, 1, 0xc001), -EINVAL);
	assert_cause(MCAST_NO_GROUP);
	f->qp[0].port_num = 1;
}

static void rvt_mcast_add__says_what_it_used(void **state)
{
	struct fixture *f = *state;
	struct rvt_ibport *port = &f->b->port[0];
	union ib_gid gid = mgid(1);
	struct rvt_mcast *first = group_new(&gid, 0xc001), *second = group_new(&gid, 0xc001);
	struct rvt_mcast_qp *a = member_new(&f->qp[0]), *b = member_new(&f->qp[1]);

	assert_non_null(first);
	assert_non_null(second);
	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(rvt_mcast_add(&f->b->rdi, port, first, a), 0);
	assert_int_equal(rvt_mcast_add(&f->b->rdi, port, second, b), EEXIST);
	assert_int_equal(rvt_mcast_add(&f->b->rdi, port, second, b), ESRCH);
	second->mcast_addr.lid = 0xc002;
	assert_int_equal(rvt_mcast_add(&f->b->rdi, port, second, b), EINVAL);
	base_free(second);
}

static void rvt_mcast_find__needs_both_addresses(void **state)
{
	struct fixture *f = *state;
	struct rvt_mcast *mcast;

	assert_int_equal(attach(f, 0, 1, 0xc001), 0);
	assert_null(find(f, 1, 0xc002));
	assert_null(find(f, 2, 0xc001));
	mcast = find(f, 1, 0xc001);
	assert_non_null(mcast);
	assert_int_equal(atomic_read(&mcast->refcount), 2);
	assert_int_equal(mcast->n_attached, 1);
	rvt_mcast_put(mcast);
	assert_int_equal(atomic_read(&mcast->refcount), 1);
}

static void rvt_mcast_find__many_groups(void **state)
{
	struct fixture *f = *state;
	unsigned int wrong = 0;

	f->b->rdi.dparms.props.max_mcast_grp = 1000;
	for (u32 i = 4; i < 100; i++)
		assert_int_equal(attach(f, 0, (u8)(i * 77), 0xc001), 0);
	assert_int_equal(f->b->rdi.n_mcast_grps_allocated, 96);
	for (u32 i = 4; i < 100; i += 2)
		wrong += detach(f, 0, (u8)(i * 77), 0xc001) != 0;
	for (u32 i = 4; i < 100; i++)
		wrong += members(f, (u8)(i * 77)) != (i & 1);
	for (u32 i = 5; i < 100; i += 2)
		wrong += detach(f, 0, (u8)(i * 77), 0xc001) != 0;
	assert_int_equal(wrong, 0);
	assert_int_equal(rvt_mcast_tree_empty(&f->b->rdi), 0);
}

struct walk {
	struct work_struct work;
	struct rvt_mcast *mcast;
	bool over;
};

static void end_walk(struct work_struct *work)
{
	struct walk *w = container_of(work, struct walk, work);

	w->over = true;
	rvt_mcast_put(w->mcast);
}

static void rvt_detach_mcast__waits_for_deliveries(void **state)
{
	struct fixture *f = *state;
	struct walk w = {.over = false};

	assert_int_equal(attach(f, 0, 1, 0xc001), 0);
	INIT_WORK(&w.work, end_walk);
	w.mcast = find(f, 1, 0xc001);
	schedule_work(&w.work);
	assert_int_equal(detach(f, 0, 1, 0xc001), 0);
	assert_true(w.over);
}

struct crowd {
	struct fixture *f;
	int qp;
	bool stop;
	unsigned int wrong;
};

static void *come_and_go(void *arg)
{
	struct crowd *c = arg;

	for (int i = 0; i < 500; i++) {
		c->wrong += attach(c->f, c->qp, 1, 0xc001) != 0;
		c->wrong += detach(c->f, c->qp, 1, 0xc001) != 0;
	}
	return NULL;
}

static void *deliver(void *arg)
{
	struct crowd *c = arg;

	while (!__atomic_load_n(&c->stop, __ATOMIC_ACQUIRE)) {
		if (members(c->f, 1) & ~3u)
			c->wrong++;
		sched_yield();
	}
	return NULL;
}

static void rvt_mcast__many_threads(void **state)
{
	struct fixture *f = *state;
	struct crowd c[3] = {{f, 0, false, 0}, {f, 1, false, 0}, {f, 2, false, 0}};
	pthread_t thread[3];

	pthread_create(&thread[2], NULL, deliver, &c[2]);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, come_and_go, &c[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	__atomic_store_n(&c[2].stop, true, __ATOMIC_RELEASE);
	pthread_join(thread[2], NULL);
	assert_int_equal(c[0].wrong + c[1].wrong + c[2].wrong, 0);
	assert_int_equal(rvt_mcast_tree_empty(&f->b->rdi), 0);
	assert_int_equal(f->b->rdi.n_mcast_grps_allocated, 0);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(rvt_driver_mcast_init__starts_from_none),
	TEST(rvt_attach_mcast__groups_of_qps),
	TEST(rvt_attach_mcast__twice_is_once),
	TEST(rvt_attach_mcast__refuses),
	TEST(rvt_detach_mcast__refuses),
	TEST(rvt_detach_mcast__of_a_qp_without_a_port),
	TEST(rvt_mcast_add__says_what_it_used),
	TEST(rvt_mcast_find__needs_both_addresses),
	TEST(rvt_mcast_find__many_groups),
	TEST(rvt_detach_mcast__waits_for_deliveries),
	TEST(rvt_mcast__many_threads),
};

int main(void)
{
	return verbena_test_main(tests);
}
