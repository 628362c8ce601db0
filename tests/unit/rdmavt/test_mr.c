// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Memory regions: objects, table, generations. The checks of keys are in test_mr_check.c. */
#include <linux/scatterlist.h>
#include <pthread.h>

#include "common/rvt_bare.h"
#include "rdmavt/mr.c"
#include "rdmavt/pd.h"

struct fixture {
	struct bare *b;
	struct rvt_pd pd, other;
	struct rvt_qp qp, foreign;
	u8 memory[3 * 4096];
};

static int setup(void **state)
{
	struct fixture *f = base_zalloc(sizeof(*f));

	if (!f)
		return -1;
	f->b = bare_new();
	if (!f->b || rvt_driver_mr_init(&f->b->rdi)) {
		base_free(f->b);
		base_free(f);
		return -1;
	}
	f->pd.ibpd.device = &f->b->rdi.ibdev;
	f->other.ibpd.device = &f->b->rdi.ibdev;
	assert_int_equal(rvt_alloc_pd(&f->pd.ibpd, NULL), 0);
	assert_int_equal(rvt_alloc_pd(&f->other.ibpd, NULL), 0);
	bare_qp_init(&f->qp, f->b, &f->pd.ibpd, 0x12, IB_QPS_RTS);
	bare_qp_init(&f->foreign, f->b, &f->other.ibpd, 0x13, IB_QPS_RTS);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rvt_dealloc_pd(&f->pd.ibpd, NULL);
	rvt_dealloc_pd(&f->other.ibpd, NULL);
	rvt_mr_exit(&f->b->rdi);
	base_free(f->b);
	base_free(f);
	return 0;
}

static struct rvt_lkey_table *table(struct fixture *f)
{
	return &f->b->rdi.lkey_table;
}

static struct rvt_mr_entry *entry_of(struct fixture *f, const struct ib_mr *mr)
{
	return &table(f)->entries[mr->lkey >> table(f)->shift];
}

/* What the core does in ib_alloc_mr() and ib_reg_user_mr(). */
static struct ib_mr *adopt(struct fixture *f, struct ib_mr *mr)
{
	if (IS_ERR(mr))
		return mr;
	mr->device = &f->b->rdi.ibdev;
	mr->pd = &f->pd.ibpd;
	return mr;
}

static struct ib_mr *reg(struct fixture *f, u64 start, u64 length, int access)
{
	return adopt(f, rvt_reg_user_mr(&f->pd.ibpd, start, length, start, access, NULL));
}

static struct ib_mr *fast_mr(struct fixture *f, u32 pages)
{
	return adopt(f, rvt_alloc_mr(&f->pd.ibpd, IB_MR_TYPE_MEM_REG, pages));
}

static u64 addr(const void *p)
{
	return (u64)(uintptr_t)p;
}

static void assert_err(const void *ptr, long err)
{
	assert_true(IS_ERR(ptr));
	assert_int_equal(PTR_ERR(ptr), err);
}

static void rvt_driver_mr_init__sets_max_mr(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(f->b->rdi.dparms.props.max_mr, 16);
	assert_int_equal(table(f)->max, 16);
	assert_int_equal(table(f)->shift, 28);
	assert_int_equal((uintptr_t)table(f)->entries % 64, 0);
}

static void rvt_driver_mr_init__refuses_an_empty_table(void **state)
{
	struct bare *b = bare_new();

	(void)state;
	assert_non_null(b);
	b->rdi.dparms.lkey_table_size = 0;
	assert_int_equal(rvt_driver_mr_init(&b->rdi), -EINVAL);
	assert_cause(MR_TABLE_SIZE);
	base_free(b);
}

static void rvt_driver_mr_init__cuts_the_size(void **state)
{
	struct bare *b = bare_new();

	(void)state;
	assert_non_null(b);
	b->rdi.dparms.lkey_table_size = 30;
	assert_int_equal(rvt_driver_mr_init(&b->rdi), 0);
	assert_int_equal(b->rdi.dparms.lkey_table_size, RVT_MAX_LKEY_TABLE_BITS);
	assert_int_equal(b->rdi.dparms.props.max_mr, 1 << RVT_MAX_LKEY_TABLE_BITS);
	rvt_mr_exit(&b->rdi);
	base_free(b);
}

static void rvt_mr_exit__frees_the_table_with_its_last_user(void **state)
{
	struct bare *b = bare_new();
	struct rvt_pd pd = {.ibpd.device = NULL};
	struct ib_mr *mr;

	(void)state;
	assert_non_null(b);
	assert_int_equal(rvt_driver_mr_init(&b->rdi), 0);
	pd.ibpd.device = &b->rdi.ibdev;
	assert_int_equal(rvt_alloc_pd(&pd.ibpd, NULL), 0);
	mr = rvt_reg_user_mr(&pd.ibpd, addr(b), 8, addr(b), 0, NULL);
	assert_false(IS_ERR(mr));
	rvt_mr_exit(&b->rdi);
	assert_non_null(b->rdi.lkey_table.table);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
	assert_non_null(b->rdi.lkey_table.table);
	rvt_dealloc_pd(&pd.ibpd, NULL);
	assert_null(b->rdi.lkey_table.table);
	base_free(b);
}

static void rvt_get_dma_mr__publishes_key_zero(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = rvt_get_dma_mr(&f->pd.ibpd, IB_ACCESS_LOCAL_WRITE);
	struct ib_mr *second;

	assert_false(IS_ERR(mr));
	assert_int_equal(mr->lkey, 0);
	assert_int_equal(mr->rkey, 0);
	assert_non_null(f->b->rdi.dma_mr);
	second = rvt_get_dma_mr(&f->other.ibpd, IB_ACCESS_LOCAL_WRITE);
	assert_false(IS_ERR(second));
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
	assert_non_null(f->b->rdi.dma_mr); /* the other PD's still counts */
	assert_int_equal(rvt_dereg_mr(second, NULL), 0);
	assert_null(f->b->rdi.dma_mr);
}

static void rvt_get_dma_mr__keeps_what_its_pd_grants(void **state)
{
	struct fixture *f = *state;
	const int all = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE;
	struct ib_mr *mr = rvt_get_dma_mr(&f->pd.ibpd, all);

	assert_false(IS_ERR(mr));
	assert_int_equal(f->pd.dma_access, all);
	assert_int_equal(f->other.dma_access, 0);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
	assert_int_equal(f->pd.dma_access, 0);
}

static void rvt_get_dma_mr__refuses_processes(void **state)
{
	struct fixture *f = *state;

	f->pd.user = true;
	assert_err(rvt_get_dma_mr(&f->pd.ibpd, 0), -EPERM);
	assert_cause(MR_DMA_USER);
	f->pd.user = false;
	assert_err(rvt_get_dma_mr(&f->pd.ibpd, IB_ACCESS_REMOTE_WRITE), -EINVAL);
	assert_cause(MR_ACCESS);
}

static void rvt_reg_user_mr__gives_two_keys(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = reg(f, addr(f->memory), 100, IB_ACCESS_REMOTE_READ);

	assert_false(IS_ERR(mr));
	assert_int_not_equal(mr->lkey, 0);
	assert_int_not_equal(mr->lkey, mr->rkey);
	assert_int_equal(mr->lkey ^ mr->rkey, RVT_KEY_REMOTE);
	assert_int_equal(to_imr(mr)->mr.lkey, mr->lkey);
	assert_int_equal(to_imr(mr)->mr.user_base, addr(f->memory));
	assert_int_equal(to_imr(mr)->mr.iova, addr(f->memory));
	assert_int_equal(to_imr(mr)->mr.length, 100);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

static void rvt_reg_user_mr__keys_same(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr;

	table(f)->keys_same = true;
	mr = reg(f, addr(f->memory), 100, IB_ACCESS_REMOTE_READ);
	assert_false(IS_ERR(mr));
	assert_int_equal(mr->lkey, mr->rkey);
	assert_int_equal(entry_of(f, mr)->rkey, mr->lkey);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

static void rvt_driver_mr_init__takes_keys_same_from_the_parameters(void **state)
{
	struct bare *b = bare_new();

	(void)state;
	assert_non_null(b);
	b->rdi.dparms.keys_same = true;
	assert_int_equal(rvt_driver_mr_init(&b->rdi), 0);
	assert_true(b->rdi.lkey_table.keys_same);
	rvt_mr_exit(&b->rdi);
	base_free(b);
}

static void rvt_reg_user_mr__fills_the_flat_table(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = adopt(f, rvt_reg_user_mr(&f->pd.ibpd, addr(f->memory) + 5, 100, 0x7000,
						    IB_ACCESS_REMOTE_READ, NULL));
	const struct rvt_mr_entry *entry;

	assert_false(IS_ERR(mr));
	entry = entry_of(f, mr);
	assert_int_equal(entry->rkey, mr->rkey);
	assert_int_equal(entry->lkey, mr->lkey);
	assert_int_equal(entry->pd, f->pd.number);
	assert_int_equal(entry->access, IB_ACCESS_REMOTE_READ | RVT_MR_DIRECT);
	assert_int_equal(entry->iova, 0x7000);
	assert_int_equal(entry->length, 100);
	assert_int_equal(entry->base, addr(f->memory) + 5);
	assert_int_equal(entry->user_base, addr(f->memory) + 5);
	assert_int_equal(entry->ext_count, 0);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
	assert_int_equal(entry->rkey, 0);
	assert_int_equal(entry->lkey, 0);
}

static void rvt_reg_user_mr__zero_based(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = reg(f, addr(f->memory), 100, IB_ZERO_BASED);

	assert_false(IS_ERR(mr));
	assert_int_equal(entry_of(f, mr)->iova, 0);
	assert_int_equal(entry_of(f, mr)->base, addr(f->memory));
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

static void rvt_reg_user_mr__takes_unmapped_memory(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = reg(f, 0, 4096, 0);

	assert_false(IS_ERR(mr)); /* the copy will find out */
	assert_int_equal(entry_of(f, mr)->base, 0);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

static void rvt_reg_user_mr__refuses_bad_ranges(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr;

	assert_err(reg(f, 0x1000, 0, 0), -EINVAL);
	assert_cause(MR_EMPTY);
	assert_err(reg(f, UINT64_MAX - 7, 9, 0), -EINVAL);
	assert_cause(MR_WRAP);
	assert_err(rvt_reg_user_mr(&f->pd.ibpd, 0x1000, 9, UINT64_MAX - 7, 0, NULL), -EINVAL);
	assert_cause(MR_WRAP);
	mr = reg(f, UINT64_MAX - 7, 8, 0); /* the very last bytes */
	assert_false(IS_ERR(mr));
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
	f->b->rdi.dparms.props.max_mr_size = 4096;
	assert_err(reg(f, 0x1000, 4097, 0), -EINVAL);
	assert_cause(MR_TOO_LONG);
}

static void rvt_reg_user_mr__remote_write_needs_local_write(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr;

	assert_err(reg(f, 0x1000, 8, IB_ACCESS_REMOTE_WRITE), -EINVAL);
	assert_cause(MR_ACCESS);
	assert_err(reg(f, 0x1000, 8, IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_REMOTE_READ), -EINVAL);
	assert_cause(MR_ACCESS);
	mr = reg(f, 0x1000, 8, IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_LOCAL_WRITE);
	assert_false(IS_ERR(mr));
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

static void rvt_alloc_lkey__all_slots_then_none(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr[16];

	for (int i = 0; i < 16; i++) {
		mr[i] = reg(f, 0x1000, 8, 0);
		assert_false(IS_ERR(mr[i]));
		for (int k = 0; k < i; k++)
			assert_int_not_equal(mr[k]->lkey >> 28, mr[i]->lkey >> 28);
	}
	assert_err(reg(f, 0x1000, 8, 0), -ENOMEM);
	assert_cause(MR_TABLE_FULL);
	assert_int_equal(rvt_dereg_mr(mr[7], NULL), 0);
	mr[7] = reg(f, 0x1000, 8, 0);
	assert_false(IS_ERR(mr[7]));
	for (int i = 0; i < 16; i++)
		assert_int_equal(rvt_dereg_mr(mr[i], NULL), 0);
}

static void rvt_alloc_lkey__low_byte_changes_with_each_registration(void **state)
{
	struct fixture *f = *state;
	u32 last[16] = {0};

	for (int i = 0; i < 1000; i++) {
		struct ib_mr *mr = reg(f, 0x1000, 8, 0);
		u32 slot;

		if (IS_ERR(mr))
			break;
		slot = mr->lkey >> 28;
		assert_int_not_equal(mr->lkey & 0xff, last[slot] & 0xff);
		last[slot] = mr->lkey;
		assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
	}
	assert_int_not_equal(last[0], 0);
	assert_int_not_equal(last[15], 0);
}

static void rvt_alloc_lkey__never_gives_key_zero(void **state)
{
	struct fixture *f = *state;
	struct rvt_mregion user = {.pd = NULL};

	(void)user;
	for (u32 gen = 0; gen < 1u << 10; gen++) {
		u32 key;

		table(f)->next = 0;
		table(f)->entries[0].gen = gen << 18 | 0x3fffe; /* about to be 0 in all its bits */
		assert_int_equal(rvt_mr_find_slot(table(f), false, &key), 0);
		assert_int_not_equal(key, 0);
		table(f)->entries[0].gen = gen << 18 | 0x3ffff;
		assert_int_equal(rvt_mr_find_slot(table(f), true, &key), 0);
		assert_true(key > 0xff);
		assert_int_equal(key & 0xff, 0);
	}
}

static void rvt_free_lkey__hides_the_region(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = reg(f, 0x1000, 8, 0);
	struct rvt_mregion *region;

	assert_false(IS_ERR(mr));
	region = &to_imr(mr)->mr;
	assert_int_equal(region->lkey_published, 1);
	rvt_free_lkey(region);
	assert_int_equal(region->lkey_published, 0);
	assert_int_equal(entry_of(f, mr)->lkey, 0);
	assert_null(table(f)->table[mr->lkey >> 28]);
	assert_true(percpu_ref_is_zero(&region->refcount));
	percpu_ref_resurrect(&region->refcount);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

struct holder {
	struct work_struct work;
	struct rvt_mregion *region;
	bool let_go;
};

static void let_go(struct work_struct *work)
{
	struct holder *h = container_of(work, struct holder, work);

	h->let_go = true;
	rvt_put_mr(h->region);
}

static void rvt_dereg_mr__waits_for_users(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = reg(f, 0x1000, 8, 0);
	struct holder h = {.let_go = false};

	assert_false(IS_ERR(mr));
	h.region = &to_imr(mr)->mr;
	INIT_WORK(&h.work, let_go);
	rvt_get_mr(h.region);
	schedule_work(&h.work);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
	assert_true(h.let_go);
}

static void rvt_dereg_mr__gives_up_after_five_seconds(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = reg(f, 0x1000, 8, 0);
	const u64 start = base_now_ns();

	assert_false(IS_ERR(mr));
	rvt_get_mr(&to_imr(mr)->mr);
	assert_int_equal(rvt_dereg_mr(mr, NULL), -EBUSY);
	assert_cause(MR_BUSY);
	assert_int_equal(base_now_ns() - start, RVT_MR_WAIT_NS);
	assert_int_equal(entry_of(f, mr)->lkey, 0); /* its keys are gone all the same */
	rvt_put_mr(&to_imr(mr)->mr);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

static void rvt_check_refs__is_quick_when_unused(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = reg(f, 0x1000, 8, 0);
	const u64 start = base_now_ns();

	assert_false(IS_ERR(mr));
	rvt_free_lkey(&to_imr(mr)->mr);
	assert_int_equal(rvt_check_refs(&to_imr(mr)->mr, "test"), 0);
	assert_int_equal(base_now_ns(), start);
	percpu_ref_get(&to_imr(mr)->mr.refcount);
	assert_int_equal(rvt_check_refs(&to_imr(mr)->mr, "test"), -EBUSY);
	percpu_ref_put(&to_imr(mr)->mr.refcount);
	percpu_ref_resurrect(&to_imr(mr)->mr.refcount);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

static void rvt_alloc_mr__low_byte_is_the_consumers(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = fast_mr(f, 4);
	struct ib_mr *big;

	assert_false(IS_ERR(mr));
	assert_int_equal(mr->lkey & 0xff, 0);
	assert_int_equal(mr->rkey & 0xff, 0);
	assert_int_not_equal(mr->lkey, mr->rkey);
	assert_int_equal(to_imr(mr)->mr.max_segs, 4);
	assert_int_equal(entry_of(f, mr)->lkey, mr->lkey); /* valid at once, but covers nothing */
	assert_int_equal(entry_of(f, mr)->length, 0);
	big = fast_mr(f, RVT_SEGSZ + 1);
	assert_false(IS_ERR(big));
	assert_int_equal(to_imr(big)->mr.mapsz, 2);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
	assert_int_equal(rvt_dereg_mr(big, NULL), 0);
}

static void rvt_alloc_mr__refuses(void **state)
{
	struct fixture *f = *state;

	assert_err(rvt_alloc_mr(&f->pd.ibpd, IB_MR_TYPE_SG_GAPS, 4), -EINVAL);
	assert_cause(MR_TYPE);
	assert_err(fast_mr(f, 0), -EINVAL);
	assert_cause(MR_PAGES);
	f->b->rdi.dparms.props.max_fast_reg_page_list_len = 8;
	assert_err(fast_mr(f, 9), -EINVAL);
	assert_cause(MR_PAGES);
}

static void rvt_alloc_mr__small_regions_are_small(void **state)
{
	struct fixture *f = *state;
	const size_t before = base_alloc_live_bytes();
	struct ib_mr *mr = fast_mr(f, 8);

	assert_false(IS_ERR(mr));
	assert_true(base_alloc_live_bytes() - before < 1024);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

static void rvt_set_page__takes_as_many_as_there_is_room(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = fast_mr(f, 2);
	struct rvt_mregion *region;

	assert_false(IS_ERR(mr));
	region = &to_imr(mr)->mr;
	region->contiguous = 1;
	assert_int_equal(rvt_set_page(mr, 0x10000), 0);
	assert_int_equal(rvt_set_page(mr, 0x11000), 0);
	assert_int_equal(region->contiguous, 1);
	assert_int_equal(region->length, 8192);
	assert_ptr_equal(region->map[0]->segs[1].vaddr, (void *)0x11000);
	assert_int_equal(region->map[0]->segs[1].length, 4096);
	assert_int_equal(rvt_set_page(mr, 0x12000), -ENOMEM);
	assert_cause(MR_PAGES);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

/* A list of @n entries, mapped for DMA to their own addresses. */
static void fill_sg(struct scatterlist *sg, int n, void *const *at, const unsigned int *bytes)
{
	sg_init_table(sg, (unsigned int)n);
	for (int i = 0; i < n; i++) {
		sg_set_buf(&sg[i], at[i], bytes[i]);
		sg[i].dma_address = addr(at[i]);
		sg[i].dma_length = bytes[i];
	}
}

static u8 *page_aligned(struct fixture *f)
{
	return f->memory + (4096 - addr(f->memory) % 4096) % 4096;
}

static void rvt_map_mr_sg__sets_the_range(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = fast_mr(f, 4);
	u8 *page = page_aligned(f);
	struct scatterlist sg[2];
	unsigned int offset = 100;

	assert_false(IS_ERR(mr));
	fill_sg(sg, 2, (void *[]){page, page + 4096}, (unsigned int[]){4096, 1000});
	mr->page_size = 4096;
	assert_int_equal(rvt_map_mr_sg(mr, sg, 2, &offset), 2);
	assert_int_equal(to_imr(mr)->mr.length, 4096 - 100 + 1000);
	assert_int_equal(to_imr(mr)->mr.iova, addr(page) + 100);
	assert_int_equal(to_imr(mr)->mr.user_base, addr(page) + 100);
	assert_int_equal(to_imr(mr)->mr.offset, 100);
	assert_int_equal(to_imr(mr)->mr.contiguous, 1);
	assert_int_equal(entry_of(f, mr)->lkey, 0); /* until it is registered */
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

static void rvt_map_mr_sg__stops_at_gaps_and_when_full(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = fast_mr(f, 1);
	u8 *page = page_aligned(f);
	struct scatterlist sg[2];

	assert_false(IS_ERR(mr));
	mr->page_size = 4096;
	fill_sg(sg, 2, (void *[]){page, page + 4096 + 8}, (unsigned int[]){4096, 8});
	assert_int_equal(rvt_map_mr_sg(mr, sg, 2, NULL), 1);
	assert_int_equal(to_imr(mr)->mr.length, 4096);
	fill_sg(sg, 2, (void *[]){page, page + 4096}, (unsigned int[]){4096, 4096});
	assert_int_equal(rvt_map_mr_sg(mr, sg, 2, NULL), 1);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

static void rvt_map_mr_sg__page_sizes(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = fast_mr(f, 2);
	struct ib_mr *user = reg(f, 0x1000, 8, 0);
	u8 *page = page_aligned(f);
	struct scatterlist sg[1];

	assert_false(IS_ERR(mr));
	assert_false(IS_ERR(user));
	fill_sg(sg, 1, (void *[]){page + 512}, (unsigned int[]){700});
	mr->page_size = 512;
	assert_int_equal(rvt_map_mr_sg(mr, sg, 1, NULL), 1);
	assert_int_equal(to_imr(mr)->mr.page_shift, 9);
	assert_int_equal(to_imr(mr)->mr.length, 700);
	assert_ptr_equal(to_imr(mr)->mr.map[0]->segs[1].vaddr, page + 1024);
	mr->page_size = 1000;
	assert_int_equal(rvt_map_mr_sg(mr, sg, 1, NULL), -EINVAL);
	assert_cause(MR_PAGE_SIZE);
	user->page_size = 4096;
	assert_int_equal(rvt_map_mr_sg(user, sg, 1, NULL), -EINVAL);
	assert_cause(MR_NOT_FAST_REG);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
	assert_int_equal(rvt_dereg_mr(user, NULL), 0);
}

static struct ib_mr *mapped_mr(struct fixture *f)
{
	struct ib_mr *mr = fast_mr(f, 2);
	struct scatterlist sg[1];

	if (IS_ERR(mr))
		return mr;
	fill_sg(sg, 1, (void *[]){page_aligned(f)}, (unsigned int[]){4096});
	mr->page_size = 4096;
	assert_int_equal(rvt_map_mr_sg(mr, sg, 1, NULL), 1);
	return mr;
}

static void rvt_fast_reg_mr__sets_keys_and_access(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = mapped_mr(f);
	u32 rkey, lkey;

	assert_false(IS_ERR(mr));
	ib_update_fast_reg_key(mr, 0x5a);
	rkey = mr->rkey;
	lkey = mr->lkey;
	assert_int_equal(rvt_fast_reg_mr(&f->qp, mr, rkey, IB_ACCESS_REMOTE_READ), 0);
	assert_int_equal(mr->rkey, rkey);
	assert_int_equal(mr->lkey, lkey);
	assert_int_equal(to_imr(mr)->mr.lkey, lkey);
	assert_int_equal(entry_of(f, mr)->rkey, rkey);
	assert_int_equal(entry_of(f, mr)->access, IB_ACCESS_REMOTE_READ);
	assert_int_equal(entry_of(f, mr)->base, addr(page_aligned(f)));
	/* By the other key: the same. */
	assert_int_equal(rvt_fast_reg_mr(&f->qp, mr, ib_inc_rkey(lkey), 0), 0);
	assert_int_equal(mr->lkey, ib_inc_rkey(lkey));
	assert_int_equal(mr->rkey, ib_inc_rkey(rkey));
	mr->iova = 0; /* ib_map_mr_sg_zbva() */
	assert_int_equal(rvt_fast_reg_mr(&f->qp, mr, mr->rkey, 0), 0);
	assert_int_equal(entry_of(f, mr)->iova, 0);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

static void rvt_fast_reg_mr__refuses(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = mapped_mr(f);
	struct ib_mr *user = reg(f, 0x1000, 8, 0);

	assert_false(IS_ERR(mr));
	assert_false(IS_ERR(user));
	assert_int_equal(rvt_fast_reg_mr(&f->foreign, mr, mr->rkey, 0), -EACCES);
	assert_cause(REG_MR_PD);
	assert_int_equal(rvt_fast_reg_mr(&f->qp, user, user->rkey, 0), -EINVAL);
	assert_cause(MR_NOT_FAST_REG);
	assert_int_equal(rvt_fast_reg_mr(&f->qp, mr, mr->rkey ^ 0x200, 0), -EINVAL);
	assert_cause(REG_MR_KEY);
	assert_int_equal(rvt_fast_reg_mr(&f->qp, mr, mr->rkey, IB_ACCESS_REMOTE_WRITE), -EINVAL);
	assert_cause(MR_ACCESS);
	assert_int_equal(base_cause_last()->qpn, 0x12);
	assert_int_equal(entry_of(f, mr)->rkey, 0);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
	assert_int_equal(rvt_dereg_mr(user, NULL), 0);
}

static void rvt_invalidate_rkey__takes_either_key(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = mapped_mr(f);

	assert_false(IS_ERR(mr));
	assert_int_equal(rvt_fast_reg_mr(&f->qp, mr, mr->rkey, 0), 0);
	assert_int_equal(rvt_invalidate_rkey(&f->qp, mr->rkey), 0);
	assert_int_equal(atomic_read(&to_imr(mr)->mr.lkey_invalid), 1);
	assert_int_equal(entry_of(f, mr)->rkey, 0);
	assert_int_equal(entry_of(f, mr)->lkey, 0);
	assert_int_equal(rvt_fast_reg_mr(&f->qp, mr, mr->rkey, 0), 0);
	assert_int_equal(atomic_read(&to_imr(mr)->mr.lkey_invalid), 0);
	assert_int_equal(rvt_invalidate_rkey(&f->qp, mr->lkey), 0);
	assert_int_equal(entry_of(f, mr)->lkey, 0);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

static void rvt_invalidate_rkey__refuses(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = mapped_mr(f);

	assert_false(IS_ERR(mr));
	assert_int_equal(rvt_invalidate_rkey(&f->qp, 0), -EINVAL);
	assert_cause(KEY_ZERO_INVALIDATE);
	assert_int_equal(rvt_invalidate_rkey(&f->qp, 0xf0000000), -EINVAL);
	assert_cause(LKEY_NONE);
	assert_int_equal(rvt_invalidate_rkey(&f->qp, ib_inc_rkey(mr->lkey)), -EINVAL);
	assert_cause(LKEY_STALE);
	assert_int_equal(rvt_invalidate_rkey(&f->foreign, mr->rkey), -EINVAL);
	assert_cause(KEY_INVALIDATE_PD);
	assert_int_equal(base_cause_last()->qpn, 0x13);
	assert_int_equal(atomic_read(&to_imr(mr)->mr.lkey_invalid), 0);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

static void rvt_remote_invalidate__takes_rkeys_of_fast_registrations_only(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = mapped_mr(f);
	struct ib_mr *user = reg(f, 0x1000, 8, IB_ACCESS_REMOTE_READ);
	struct base_cause why;

	assert_false(IS_ERR(mr));
	assert_false(IS_ERR(user));
	assert_int_equal(rvt_fast_reg_mr(&f->qp, mr, mr->rkey, 0), 0);
	assert_int_equal(rvt_remote_invalidate(&f->qp, mr->lkey, &why), -EINVAL);
	assert_int_equal(why.id, BASE_CAUSE_RKEY_IS_LKEY);
	assert_int_equal(why.side, BASE_SIDE_RESPONDER);
	assert_int_equal(rvt_remote_invalidate(&f->foreign, mr->rkey, &why), -EINVAL);
	assert_int_equal(why.id, BASE_CAUSE_RKEY_PD);
	assert_int_equal(rvt_remote_invalidate(&f->qp, user->rkey, &why), -EINVAL);
	assert_int_equal(why.id, BASE_CAUSE_RKEY_INVALIDATE_KIND);
	assert_int_equal(rvt_remote_invalidate(&f->qp, mr->rkey, &why), 0);
	assert_int_equal(atomic_read(&to_imr(mr)->mr.lkey_invalid), 1);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
	assert_int_equal(rvt_dereg_mr(user, NULL), 0);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(rvt_driver_mr_init__sets_max_mr),
	TEST(rvt_driver_mr_init__refuses_an_empty_table),
	TEST(rvt_driver_mr_init__cuts_the_size),
	TEST(rvt_driver_mr_init__takes_keys_same_from_the_parameters),
	TEST(rvt_mr_exit__frees_the_table_with_its_last_user),
	TEST(rvt_get_dma_mr__publishes_key_zero),
	TEST(rvt_get_dma_mr__keeps_what_its_pd_grants),
	TEST(rvt_get_dma_mr__refuses_processes),
	TEST(rvt_reg_user_mr__gives_two_keys),
	TEST(rvt_reg_user_mr__keys_same),
	TEST(rvt_reg_user_mr__fills_the_flat_table),
	TEST(rvt_reg_user_mr__zero_based),
	TEST(rvt_reg_user_mr__takes_unmapped_memory),
	TEST(rvt_reg_user_mr__refuses_bad_ranges),
	TEST(rvt_reg_user_mr__remote_write_needs_local_write),
	TEST(rvt_alloc_lkey__all_slots_then_none),
	TEST(rvt_alloc_lkey__low_byte_changes_with_each_registration),
	TEST(rvt_alloc_lkey__never_gives_key_zero),
	TEST(rvt_free_lkey__hides_the_region),
	TEST(rvt_dereg_mr__waits_for_users),
	TEST(rvt_dereg_mr__gives_up_after_five_seconds),
	TEST(rvt_check_refs__is_quick_when_unused),
	TEST(rvt_alloc_mr__low_byte_is_the_consumers),
	TEST(rvt_alloc_mr__refuses),
	TEST(rvt_alloc_mr__small_regions_are_small),
	TEST(rvt_set_page__takes_as_many_as_there_is_room),
	TEST(rvt_map_mr_sg__sets_the_range),
	TEST(rvt_map_mr_sg__stops_at_gaps_and_when_full),
	TEST(rvt_map_mr_sg__page_sizes),
	TEST(rvt_fast_reg_mr__sets_keys_and_access),
	TEST(rvt_fast_reg_mr__refuses),
	TEST(rvt_invalidate_rkey__takes_either_key),
	TEST(rvt_invalidate_rkey__refuses),
	TEST(rvt_remote_invalidate__takes_rkeys_of_fast_registrations_only),
};

int main(void)
{
	return verbena_test_main(tests);
}
