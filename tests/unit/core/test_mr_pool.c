// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Pools of MRs of a QP. */
#include <rdma/mr_pool.h>
#include <string.h>

#include "common/fake_provider.h"
#include "common/test.h"

struct pool {
	struct fake_provider *fake;
	struct ib_pd *pd;
	struct ib_qp qp; /* the pool uses no more of it than these members */
};

static int setup(void **state)
{
	static struct pool p;

	memset(&p, 0, sizeof(p));
	p.fake = fake_provider_new(NULL);
	if (!p.fake)
		return -1;
	p.pd = ib_alloc_pd(&p.fake->ib, 0);
	if (IS_ERR(p.pd)) {
		fake_provider_free(p.fake);
		return -1;
	}
	p.qp.device = &p.fake->ib;
	p.qp.pd = p.pd;
	spin_lock_init(&p.qp.mr_lock);
	INIT_LIST_HEAD(&p.qp.rdma_mrs);
	*state = &p;
	return 0;
}

static int teardown(void **state)
{
	struct pool *p = *state;

	ib_mr_pool_destroy(&p->qp, &p->qp.rdma_mrs);
	ib_dealloc_pd(p->pd);
	fake_provider_free(p->fake);
	return 0;
}

static void ib_mr_pool_init__allocates_so_many(void **state)
{
	struct pool *p = *state;

	assert_int_equal(ib_mr_pool_init(&p->qp, &p->qp.rdma_mrs, 3, IB_MR_TYPE_MEM_REG, 16, 0), 0);
	assert_int_equal(p->fake->called[FAKE_ALLOC_MR], 3);
	assert_int_equal(p->fake->arg[FAKE_ALLOC_MR][1], IB_MR_TYPE_MEM_REG);
	assert_int_equal(p->fake->arg[FAKE_ALLOC_MR][2], 16);
}

static void ib_mr_pool_init__integrity(void **state)
{
	struct pool *p = *state;

	assert_int_equal(ib_mr_pool_init(&p->qp, &p->qp.rdma_mrs, 2, IB_MR_TYPE_INTEGRITY, 16, 4),
			 0);
	assert_int_equal(p->fake->called[FAKE_ALLOC_MR_INTEGRITY], 2);
	assert_int_equal(p->fake->arg[FAKE_ALLOC_MR_INTEGRITY][2], 4);
}

static int good_allocs;

static struct ib_mr *alloc_two_mrs(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg)
{
	(void)type;
	(void)max_num_sg;
	if (!good_allocs--)
		return ERR_PTR(-ENOSPC);
	return pd->device->ops.get_dma_mr(pd, 0);
}

static void ib_mr_pool_init__all_or_none(void **state)
{
	struct pool *p = *state;

	good_allocs = 2;
	p->fake->ib.ops.alloc_mr = alloc_two_mrs;
	assert_int_equal(ib_mr_pool_init(&p->qp, &p->qp.rdma_mrs, 3, IB_MR_TYPE_MEM_REG, 16, 0),
			 -ENOSPC);
	assert_true(list_empty(&p->qp.rdma_mrs));
	assert_int_equal(p->fake->called[FAKE_DEREG_MR], 2);
}

static void ib_mr_pool_get__until_it_is_empty(void **state)
{
	struct pool *p = *state;
	struct ib_mr *a, *b;

	assert_int_equal(ib_mr_pool_init(&p->qp, &p->qp.rdma_mrs, 2, IB_MR_TYPE_MEM_REG, 16, 0), 0);
	a = ib_mr_pool_get(&p->qp, &p->qp.rdma_mrs);
	b = ib_mr_pool_get(&p->qp, &p->qp.rdma_mrs);
	assert_non_null(a);
	assert_non_null(b);
	assert_ptr_not_equal(a, b);
	assert_int_equal(p->qp.mrs_used, 2);
	assert_null(ib_mr_pool_get(&p->qp, &p->qp.rdma_mrs));
	assert_int_equal(p->qp.mrs_used, 2);
	ib_mr_pool_put(&p->qp, &p->qp.rdma_mrs, a);
	ib_mr_pool_put(&p->qp, &p->qp.rdma_mrs, b);
}

static void ib_mr_pool_put__is_the_next_to_be_taken(void **state)
{
	struct pool *p = *state;
	struct ib_mr *a;

	assert_int_equal(ib_mr_pool_init(&p->qp, &p->qp.rdma_mrs, 2, IB_MR_TYPE_MEM_REG, 16, 0), 0);
	a = ib_mr_pool_get(&p->qp, &p->qp.rdma_mrs);
	ib_mr_pool_put(&p->qp, &p->qp.rdma_mrs, a);
	assert_int_equal(p->qp.mrs_used, 0);
	assert_ptr_equal(ib_mr_pool_get(&p->qp, &p->qp.rdma_mrs), a);
	ib_mr_pool_put(&p->qp, &p->qp.rdma_mrs, a);
}

static void ib_mr_pool_destroy__deregisters_all(void **state)
{
	struct pool *p = *state;

	assert_int_equal(ib_mr_pool_init(&p->qp, &p->qp.rdma_mrs, 3, IB_MR_TYPE_MEM_REG, 16, 0), 0);
	ib_mr_pool_destroy(&p->qp, &p->qp.rdma_mrs);
	assert_int_equal(p->fake->called[FAKE_DEREG_MR], 3);
	assert_true(list_empty(&p->qp.rdma_mrs));
}

static const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	T(ib_mr_pool_init__allocates_so_many),
	T(ib_mr_pool_init__integrity),
	T(ib_mr_pool_init__all_or_none),
	T(ib_mr_pool_get__until_it_is_empty),
	T(ib_mr_pool_put__is_the_next_to_be_taken),
	T(ib_mr_pool_destroy__deregisters_all),
};

int main(void)
{
	return verbena_test_main(tests);
}
