// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What docs/design/removal.md promises to a program whose device goes while it uses it. */
#include <rdma/ib_cache.h>
#include <string.h>

#include "base/cause.h"
#include "base/host.h"
#include "common/fake_provider.h"
#include "common/test.h"
#include "core/core_priv.h"

#define assert_cause(name) assert_string_equal(base_cause_name(base_cause_last()->id), #name)

static int idle_calls;

struct user {
	struct fake_provider *fake;
	struct ib_device *device;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_srq *srq;
	struct ib_mr *mr;
};

static void count_idle(struct ib_device *device)
{
	(void)device;
	idle_calls++;
}

/* Whoever calls it asserts after each step that may fail. */
static void make_objects(struct user *u)
{
	const struct ib_cq_init_attr cq_attr = {.cqe = 16};
	struct ib_srq_init_attr srq_attr = {.attr = {.max_wr = 4, .max_sge = 1}};
	struct ib_qp_init_attr qp_attr = {
		.cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1},
		.qp_type = IB_QPT_RC,
	};

	u->pd = ib_alloc_pd(u->device, 0);
	assert_false(IS_ERR(u->pd));
	u->cq = ib_create_cq(u->device, NULL, NULL, NULL, &cq_attr);
	assert_false(IS_ERR(u->cq));
	qp_attr.send_cq = u->cq;
	qp_attr.recv_cq = u->cq;
	u->qp = ib_create_qp(u->pd, &qp_attr);
	assert_false(IS_ERR(u->qp));
	u->srq = ib_create_srq(u->pd, &srq_attr);
	assert_false(IS_ERR(u->srq));
	u->mr = ib_alloc_mr(u->pd, IB_MR_TYPE_MEM_REG, 4);
	assert_false(IS_ERR(u->mr));
}

static void destroy_objects(struct user *u)
{
	if (!IS_ERR_OR_NULL(u->mr))
		assert_int_equal(ib_dereg_mr(u->mr), 0);
	if (!IS_ERR_OR_NULL(u->srq))
		ib_destroy_srq(u->srq);
	if (!IS_ERR_OR_NULL(u->qp))
		assert_int_equal(ib_destroy_qp(u->qp), 0);
	if (!IS_ERR_OR_NULL(u->cq))
		ib_destroy_cq(u->cq);
	if (!IS_ERR_OR_NULL(u->pd))
		ib_dealloc_pd(u->pd);
	memset(u, 0, sizeof(*u));
}

static int setup(void **state)
{
	static struct user user;

	memset(&user, 0, sizeof(user));
	idle_calls = 0;
	user.fake = fake_provider_new(NULL);
	if (!user.fake)
		return -1;
	user.device = &user.fake->ib;
	*state = &user;
	return 0;
}

static int teardown(void **state)
{
	struct user *u = *state;
	struct fake_provider *fake = u->fake;

	destroy_objects(u);
	fake_provider_free(fake);
	return base_host_idle() ? 0 : -1;
}

static void ib_unregister_device__posting_is_refused(void **state)
{
	struct user *u = *state;
	const struct ib_send_wr second = {.wr_id = 8, .opcode = IB_WR_SEND};
	const struct ib_send_wr send = {.next = (struct ib_send_wr *)&second, .wr_id = 7};
	const struct ib_recv_wr recv = {.wr_id = 9};
	const struct ib_send_wr *bad_send = NULL;
	const struct ib_recv_wr *bad_recv = NULL;
	char text[BASE_CAUSE_TEXT_BYTES];

	make_objects(u);
	ib_unregister_device(u->device);

	assert_int_equal(ib_post_send(u->qp, &send, &bad_send), -ENODEV);
	assert_ptr_equal(bad_send, &send);
	assert_cause(DEVICE_REMOVED);
	assert_int_equal(base_cause_last()->wr_id, 7);
	assert_int_equal(base_cause_last()->qpn, u->qp->qp_num);
	base_cause_format(base_cause_last(), text, sizeof(text));
	assert_non_null(strstr(text, "device 0 has been removed"));

	assert_int_equal(ib_post_recv(u->qp, &recv, &bad_recv), -ENODEV);
	assert_ptr_equal(bad_recv, &recv);
	assert_cause(DEVICE_REMOVED);
	bad_recv = NULL;
	assert_int_equal(ib_post_srq_recv(u->srq, &recv, &bad_recv), -ENODEV);
	assert_ptr_equal(bad_recv, &recv);
	assert_int_equal(ib_post_send(u->qp, &send, NULL), -ENODEV);
	/* Of an empty chain no request can be named. */
	assert_int_equal(ib_post_send(u->qp, NULL, NULL), -ENODEV);
	assert_false(base_cause_last()->has_wr);
	assert_int_equal(ib_post_recv(u->qp, NULL, NULL), -ENODEV);
	assert_false(base_cause_last()->has_wr);
	assert_int_equal(u->fake->called[FAKE_POST_SEND], 0);
	assert_int_equal(u->fake->called[FAKE_POST_RECV], 0);
	assert_int_equal(u->fake->called[FAKE_POST_SRQ_RECV], 0);
}

static void ib_unregister_device__creating_is_refused(void **state)
{
	struct user *u = *state;
	const struct ib_cq_init_attr cq_attr = {.cqe = 16};
	struct ib_qp_init_attr qp_attr = {.qp_type = IB_QPT_RC};

	make_objects(u);
	ib_unregister_device(u->device);
	qp_attr.send_cq = u->cq;
	qp_attr.recv_cq = u->cq;
	assert_int_equal(PTR_ERR(ib_alloc_pd(u->device, 0)), -ENODEV);
	assert_cause(DEVICE_REMOVED);
	assert_int_equal(PTR_ERR(ib_create_cq(u->device, NULL, NULL, NULL, &cq_attr)), -ENODEV);
	assert_int_equal(PTR_ERR(ib_create_qp(u->pd, &qp_attr)), -ENODEV);
	assert_int_equal(PTR_ERR(ib_alloc_mr(u->pd, IB_MR_TYPE_MEM_REG, 4)), -ENODEV);
	assert_int_equal(PTR_ERR(ib_alloc_cq_any(u->device, NULL, 16, IB_POLL_DIRECT)), -ENODEV);
}

static void ib_unregister_device__polling_modifying_and_destroying_work(void **state)
{
	struct user *u = *state;
	struct ib_qp_attr attr = {.qp_state = IB_QPS_ERR};
	const struct ib_wc in = {.wr_id = 5};
	struct ib_wc wc;

	make_objects(u);
	ib_unregister_device(u->device);
	assert_true(fake_cq_push(u->cq, &in, false));
	assert_int_equal(ib_poll_cq(u->cq, 1, &wc), 1);
	assert_int_equal(wc.wr_id, 5);
	assert_int_equal(ib_modify_qp(u->qp, &attr, IB_QP_STATE), 0);
	assert_int_equal(u->fake->called[FAKE_MODIFY_QP], 1);
	destroy_objects(&(struct user){.mr = u->mr, .qp = u->qp, .srq = u->srq});
	u->mr = NULL;
	u->qp = NULL;
	u->srq = NULL;
	assert_int_equal(u->fake->called[FAKE_DESTROY_QP], 1);
	assert_int_equal(u->fake->called[FAKE_DEREG_MR], 1);
}

static void ib_unregister_device__draining_ends(void **state)
{
	struct user *u = *state;

	make_objects(u);
	ib_unregister_device(u->device);
	ib_drain_qp(u->qp);
	assert_int_equal(u->fake->called[FAKE_POST_SEND], 0);
}

static void ib_dealloc_device__objects_are_destroyed_later(void **state)
{
	struct user *u = *state, left;

	make_objects(u);
	ib_unregister_device(u->device);
	ib_device_when_idle(u->device, count_idle);
	assert_int_equal(idle_calls, 0);
	assert_int_equal(core_object_count(u->device), 5);
	left = *u;
	u->fake = NULL;
	memset(u, 0, sizeof(*u));
	ib_dealloc_device(left.device);

	assert_int_equal(ib_dereg_mr(left.mr), 0);
	ib_destroy_srq(left.srq);
	assert_int_equal(ib_destroy_qp(left.qp), 0);
	ib_destroy_cq(left.cq);
	assert_int_equal(idle_calls, 0);
	ib_dealloc_pd(left.pd);
	assert_int_equal(idle_calls, 1);
}

static void ib_dealloc_device__name_is_free_at_once(void **state)
{
	struct user *u = *state;
	struct fake_provider *fake = u->fake, *next;

	u->pd = ib_alloc_pd(u->device, 0);
	assert_false(IS_ERR(u->pd));
	ib_unregister_device(u->device);
	ib_dealloc_device(u->device);
	u->fake = NULL;
	next = fake_provider_new(NULL);
	ib_dealloc_pd(u->pd);
	u->pd = NULL;
	assert_non_null(next);
	assert_ptr_not_equal(next, fake);
	assert_string_equal(next->ib.name, "fake0");
	fake_provider_free(next);
}

static void ib_device_when_idle__at_once_without_objects(void **state)
{
	struct user *u = *state;

	ib_unregister_device(u->device);
	ib_device_when_idle(u->device, count_idle);
	assert_int_equal(idle_calls, 1);
}

static void count_after_idle(struct ib_device *device)
{
	(void)device;
	idle_calls = idle_calls * 10 + 5;
}

static void ib_device_when_idle__in_order(void **state)
{
	struct user *u = *state;

	u->pd = ib_alloc_pd(u->device, 0);
	assert_false(IS_ERR(u->pd));
	ib_unregister_device(u->device);
	ib_device_when_idle(u->device, count_idle);
	ib_device_when_idle(u->device, count_after_idle);
	assert_int_equal(idle_calls, 0);
	ib_dealloc_pd(u->pd);
	u->pd = NULL;
	assert_int_equal(idle_calls, 15);
}

static void ib_unregister_device__gids_leave_but_references_stay(void **state)
{
	struct user *u = *state;
	const struct ib_gid_attr *attr = rdma_get_gid_attr(u->device, 1, 0);
	const union ib_gid was = fake_gid(1, 0);
	struct fake_provider *fake = u->fake;
	union ib_gid gid;

	assert_false(IS_ERR(attr));
	ib_unregister_device(u->device);
	assert_int_equal(rdma_query_gid(u->device, 1, 0, &gid), -ENOENT);
	assert_int_equal(PTR_ERR(rdma_get_gid_attr(u->device, 1, 0)), -ENODATA);
	u->fake = NULL;
	fake_provider_free(fake);
	assert_memory_equal(&attr->gid, &was, sizeof(was));
	rdma_put_gid_attr(attr);
}

static void ib_unregister_device__pkeys_and_state_stay_as_they_were(void **state)
{
	struct user *u = *state;
	enum ib_port_state port_state = IB_PORT_NOP;
	u16 pkey = 0;

	ib_unregister_device(u->device);
	assert_int_equal(ib_get_cached_pkey(u->device, 1, 1, &pkey), 0);
	assert_int_equal(pkey, 0x1234);
	assert_int_equal(ib_get_cached_port_state(u->device, 1, &port_state), 0);
	assert_int_equal(port_state, IB_PORT_ACTIVE);
}

static struct user *in_remove;

static void remove_and_use(struct ib_device *device, void *data)
{
	const struct ib_send_wr send = {.wr_id = 7, .opcode = IB_WR_SEND};
	struct user *u = in_remove;

	(void)device;
	(void)data;
	assert_int_equal(ib_post_send(u->qp, &send, NULL), 0);
	destroy_objects(
		&(struct user){.mr = u->mr, .qp = u->qp, .srq = u->srq, .cq = u->cq, .pd = u->pd});
	u->mr = NULL;
	u->qp = NULL;
	u->srq = NULL;
	u->cq = NULL;
	u->pd = NULL;
}

static void ib_unregister_device__everything_works_in_remove(void **state)
{
	struct ib_client client = {.name = "c", .remove = remove_and_use};
	struct user *u = *state;
	int ret;

	make_objects(u);
	in_remove = u;
	ret = ib_register_client(&client);
	assert_int_equal(ret, 0);
	ib_unregister_device(u->device);
	ib_unregister_client(&client);
	assert_null(u->qp);
	assert_int_equal(u->fake->called[FAKE_POST_SEND], 1);
	assert_int_equal(core_object_count(u->device), 0);
}

static const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	T(ib_unregister_device__posting_is_refused),
	T(ib_unregister_device__creating_is_refused),
	T(ib_unregister_device__polling_modifying_and_destroying_work),
	T(ib_unregister_device__draining_ends),
	T(ib_dealloc_device__objects_are_destroyed_later),
	T(ib_dealloc_device__name_is_free_at_once),
	T(ib_device_when_idle__at_once_without_objects),
	T(ib_device_when_idle__in_order),
	T(ib_unregister_device__gids_leave_but_references_stay),
	T(ib_unregister_device__pkeys_and_state_stay_as_they_were),
	T(ib_unregister_device__everything_works_in_remove),
};

int main(void)
{
	return verbena_test_main(tests);
}
