// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The checks of keys, and what they say when they refuse. */
#include <linux/kernel.h>
#include <linux/scatterlist.h>
#include <pthread.h>

#include "common/rvt_bare.h"
#include "rdmavt/mr_check.c"
#include "rdmavt/pd.h"

#define READ IB_ACCESS_REMOTE_READ
#define WRITE IB_ACCESS_REMOTE_WRITE
#define ATOMIC IB_ACCESS_REMOTE_ATOMIC
#define LOCAL IB_ACCESS_LOCAL_WRITE

struct fixture {
	struct bare *b;
	struct rvt_pd pd, other;
	struct rvt_qp qp, foreign;
	struct ib_mr *mr; /* 256 bytes of memory + 16, at 0x1000 for peers, LOCAL | READ */
	u8 memory[6 * 4096];
};

static u64 addr(const void *p)
{
	return (u64)(uintptr_t)p;
}

static struct ib_mr *reg(struct fixture *f, const void *at, u64 length, u64 iova, int access)
{
	struct ib_mr *mr = rvt_reg_user_mr(&f->pd.ibpd, addr(at), length, iova, access, NULL);

	if (!IS_ERR(mr)) {
		mr->device = &f->b->rdi.ibdev;
		mr->pd = &f->pd.ibpd;
	}
	return mr;
}

static int setup(void **state)
{
	struct fixture *f = base_zalloc(sizeof(*f));

	if (!f)
		return -1;
	f->b = bare_new();
	if (!f->b || rvt_driver_mr_init(&f->b->rdi))
		goto free;
	f->pd.ibpd.device = &f->b->rdi.ibdev;
	f->other.ibpd.device = &f->b->rdi.ibdev;
	f->mr = ERR_PTR(-ENOMEM);
	assert_int_equal(rvt_alloc_pd(&f->pd.ibpd, NULL), 0);
	assert_int_equal(rvt_alloc_pd(&f->other.ibpd, NULL), 0);
	f->mr = reg(f, f->memory + 16, 256, 0x1000, LOCAL | READ);
	if (IS_ERR(f->mr)) {
		rvt_dealloc_pd(&f->pd.ibpd, NULL);
		rvt_dealloc_pd(&f->other.ibpd, NULL);
		rvt_mr_exit(&f->b->rdi);
		goto free;
	}
	bare_qp_init(&f->qp, f->b, &f->pd.ibpd, 0x12, IB_QPS_RTS);
	bare_qp_init(&f->foreign, f->b, &f->other.ibpd, 0x13, IB_QPS_RTS);
	*state = f;
	return 0;
free:
	base_free(f->b);
	base_free(f);
	return -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (f->mr)
		assert_int_equal(rvt_dereg_mr(f->mr, NULL), 0);
	rvt_dealloc_pd(&f->pd.ibpd, NULL);
	rvt_dealloc_pd(&f->other.ibpd, NULL);
	rvt_mr_exit(&f->b->rdi);
	base_free(f->b);
	base_free(f);
	return 0;
}

static void let_go(struct rvt_sge *sge)
{
	if (sge->mr)
		rvt_put_mr(sge->mr);
	sge->mr = NULL;
}

static int lkey_ok(struct fixture *f, struct rvt_sge *out, struct rvt_sge *last, u64 at, u32 length,
		   u32 lkey, int acc)
{
	struct ib_sge sge = {.addr = at, .length = length, .lkey = lkey};

	return rvt_lkey_ok(&f->b->rdi.lkey_table, &f->pd, out, last, &sge, acc);
}

static void assert_refs(const struct ib_mr *mr, s64 refs)
{
	assert_int_equal(atomic64_read(&container_of(mr, struct rvt_mr, ibmr)->mr.refcount.count),
			 1 + refs);
}

static void rvt_lkey_ok__finds_the_bytes(void **state)
{
	struct fixture *f = *state;
	struct rvt_sge sge = {.mr = NULL};

	assert_int_equal(lkey_ok(f, &sge, NULL, addr(f->memory) + 20, 100, f->mr->lkey, LOCAL), 1);
	assert_ptr_equal(sge.vaddr, f->memory + 20);
	assert_int_equal(sge.length, 100);
	assert_int_equal(sge.sge_length, 100);
	assert_refs(f->mr, 1);
	let_go(&sge);
	assert_refs(f->mr, 0);
}

static void rvt_lkey_ok__takes_the_peers_address_too(void **state)
{
	struct fixture *f = *state;
	struct rvt_sge sge = {.mr = NULL};

	assert_int_equal(lkey_ok(f, &sge, NULL, 0x1004, 8, f->mr->lkey, 0), 1);
	assert_ptr_equal(sge.vaddr, f->memory + 20);
	let_go(&sge);
}

static void rvt_lkey_ok__all_bytes_but_not_one_more(void **state)
{
	struct fixture *f = *state;
	const u64 first = addr(f->memory) + 16;
	struct rvt_sge sge = {.mr = NULL};

	assert_int_equal(lkey_ok(f, &sge, NULL, first, 256, f->mr->lkey, 0), 1);
	let_go(&sge);
	assert_int_equal(lkey_ok(f, &sge, NULL, first + 256, 0, f->mr->lkey, 0), 1);
	let_go(&sge);
	assert_int_equal(lkey_ok(f, &sge, NULL, first, 257, f->mr->lkey, 0), -EINVAL);
	assert_cause(LKEY_BOUNDS);
	assert_int_equal(lkey_ok(f, &sge, NULL, first - 1, 1, f->mr->lkey, 0), -EINVAL);
	assert_cause(LKEY_BOUNDS);
	assert_int_equal(lkey_ok(f, &sge, NULL, first + 257, 0, f->mr->lkey, 0), -EINVAL);
	assert_int_equal(lkey_ok(f, &sge, NULL, UINT64_MAX - 3, 8, f->mr->lkey, 0), -EINVAL);
	assert_cause(LKEY_WRAP);
	assert_refs(f->mr, 0);
}

static void rvt_lkey_ok__needs_local_write_to_store(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = reg(f, f->memory, 64, 0x2000, READ);
	struct rvt_sge sge = {.mr = NULL};

	assert_false(IS_ERR(mr));
	assert_int_equal(lkey_ok(f, &sge, NULL, addr(f->memory), 64, mr->lkey, 0), 1);
	let_go(&sge);
	assert_int_equal(lkey_ok(f, &sge, NULL, addr(f->memory), 64, mr->lkey, LOCAL), -EINVAL);
	assert_cause(LKEY_NO_WRITE);
	assert_refs(mr, 0);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

static void rvt_lkey_ok__refuses_other_pds(void **state)
{
	struct fixture *f = *state;
	struct ib_sge sge = {addr(f->memory) + 16, 8, f->mr->lkey};
	struct rvt_sge out = {.mr = NULL};

	assert_int_equal(rvt_lkey_ok(&f->b->rdi.lkey_table, &f->other, &out, NULL, &sge, 0),
			 -EINVAL);
	assert_cause(LKEY_PD);
	assert_int_equal(base_cause_last()->arg[1], f->pd.number);
	assert_int_equal(base_cause_last()->arg[2], f->other.number);
	assert_refs(f->mr, 0);
}

static void rvt_lkey_ok__names_the_mixed_up_key(void **state)
{
	struct fixture *f = *state;
	struct rvt_sge sge = {.mr = NULL};
	char text[200];

	assert_int_equal(lkey_ok(f, &sge, NULL, addr(f->memory) + 16, 8, f->mr->rkey, 0), -EINVAL);
	snprintf(text, sizeof(text),
		 "lkey 0x%x is the region's rkey; its lkey is 0x%x. Put mr->lkey into an SGE, "
		 "mr->rkey into what a peer gets.",
		 f->mr->rkey, f->mr->lkey);
	assert_string_equal(bare_cause(), text);
}

static void rvt_lkey_ok__refuses_what_is_no_key(void **state)
{
	struct fixture *f = *state;
	struct rvt_sge sge = {.mr = NULL};

	assert_int_equal(lkey_ok(f, &sge, NULL, addr(f->memory), 8, 0xf0000001, 0), -EINVAL);
	assert_cause(LKEY_NONE);
	assert_int_equal(lkey_ok(f, &sge, NULL, addr(f->memory), 8, f->mr->lkey + 1, 0), -EINVAL);
	assert_cause(LKEY_STALE);
	assert_int_equal(base_cause_last()->side, BASE_SIDE_CALL);
}

static void rvt_lkey_ok__an_old_key_is_stale(void **state)
{
	struct fixture *f = *state;
	const u32 old = f->mr->lkey;
	struct rvt_sge sge = {.mr = NULL};

	assert_int_equal(rvt_dereg_mr(f->mr, NULL), 0);
	f->mr = NULL;
	assert_int_equal(lkey_ok(f, &sge, NULL, addr(f->memory) + 16, 8, old, 0), -EINVAL);
	assert_cause(LKEY_NONE);
	f->b->rdi.lkey_table.next = old >> f->b->rdi.lkey_table.shift;
	f->mr = reg(f, f->memory + 16, 256, 0x1000, 0);
	if (IS_ERR(f->mr))
		f->mr = NULL;
	assert_non_null(f->mr);
	assert_int_equal(lkey_ok(f, &sge, NULL, addr(f->memory) + 16, 8, old, 0), -EINVAL);
	assert_cause(LKEY_STALE);
	assert_int_equal(base_cause_last()->arg[1], f->mr->lkey);
}

static void rvt_lkey_ok__key_zero_is_all_memory(void **state)
{
	struct fixture *f = *state;
	struct rvt_sge sge = {.mr = NULL};
	struct ib_mr *dma;

	assert_int_equal(lkey_ok(f, &sge, NULL, addr(f->memory), 8, 0, LOCAL), -EINVAL);
	assert_cause(LKEY_ZERO_NO_MR);
	dma = rvt_get_dma_mr(&f->pd.ibpd, LOCAL);
	assert_false(IS_ERR(dma));
	assert_int_equal(lkey_ok(f, &sge, NULL, addr(f->memory), 8, 0, LOCAL), 1);
	assert_ptr_equal(sge.vaddr, f->memory);
	assert_ptr_equal(sge.mr, f->b->rdi.dma_mr);
	assert_int_equal(sge.sge_length, 8);
	let_go(&sge);
	assert_int_equal(lkey_ok(f, &sge, NULL, UINT64_MAX - 3, 8, 0, LOCAL), -EINVAL);
	assert_cause(KEY_ZERO_WRAP);
	f->pd.user = true;
	assert_int_equal(lkey_ok(f, &sge, NULL, addr(f->memory), 8, 0, LOCAL), -EINVAL);
	assert_cause(LKEY_ZERO_USER);
	f->pd.user = false;
	assert_int_equal(rvt_dereg_mr(dma, NULL), 0);
}

static void rvt_lkey_ok__merges_neighbours(void **state)
{
	struct fixture *f = *state;
	const u64 first = addr(f->memory) + 16;
	struct rvt_sge sge = {.mr = NULL}, next = {.mr = NULL};

	assert_int_equal(lkey_ok(f, &sge, NULL, first, 100, f->mr->lkey, 0), 1);
	assert_int_equal(lkey_ok(f, &next, &sge, first + 100, 50, f->mr->lkey, 0), 0);
	assert_int_equal(sge.sge_length, 150);
	assert_int_equal(sge.length, 150);
	assert_refs(f->mr, 1);
	/* Not neighbours, or not the same region, or beyond its end. */
	assert_int_equal(lkey_ok(f, &next, &sge, first + 151, 8, f->mr->lkey, 0), 1);
	let_go(&next);
	assert_int_equal(lkey_ok(f, &next, &sge, first + 150, 107, f->mr->lkey, 0), -EINVAL);
	assert_cause(LKEY_BOUNDS);
	assert_int_equal(lkey_ok(f, &next, &sge, first + 150, 8, 0, 0), -EINVAL);
	assert_int_equal(sge.sge_length, 150);
	let_go(&sge);
}

static void rvt_lkey_ok__merges_key_zero(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *dma = rvt_get_dma_mr(&f->pd.ibpd, LOCAL);
	struct rvt_sge sge = {.mr = NULL}, next = {.mr = NULL};

	assert_false(IS_ERR(dma));
	assert_int_equal(lkey_ok(f, &sge, NULL, addr(f->memory), 8, 0, 0), 1);
	assert_int_equal(lkey_ok(f, &next, &sge, addr(f->memory) + 8, 8, 0, 0), 0);
	assert_int_equal(sge.sge_length, 16);
	assert_int_equal(lkey_ok(f, &next, &sge, addr(f->memory) + 16, 8, f->mr->lkey, 0), 1);
	let_go(&next);
	assert_int_equal(rvt_dereg_mr(dma, NULL), 0);
}

static void rvt_lkey_ok__merging_never_wraps_the_length(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *dma = rvt_get_dma_mr(&f->pd.ibpd, LOCAL);
	struct rvt_sge sge = {.mr = NULL}, next = {.mr = NULL};

	assert_false(IS_ERR(dma));
	assert_int_equal(lkey_ok(f, &sge, NULL, 0x1000, UINT32_MAX, 0, 0), 1);
	assert_int_equal(lkey_ok(f, &next, &sge, 0x1000 + (u64)UINT32_MAX, 8, 0, 0), 1);
	assert_int_equal(sge.sge_length, UINT32_MAX);
	assert_int_equal(rvt_dereg_mr(dma, NULL), 0);
}

/* Pages 0, 1 and 3 of the memory, from byte 100 of page 0 on. */
static struct ib_mr *scattered(struct fixture *f, u8 **pages)
{
	struct ib_mr *mr = rvt_alloc_mr(&f->pd.ibpd, IB_MR_TYPE_MEM_REG, 4);
	u8 *page = f->memory + (4096 - addr(f->memory) % 4096) % 4096;
	struct scatterlist sg[3];

	if (IS_ERR(mr))
		return mr;
	mr->device = &f->b->rdi.ibdev;
	mr->pd = &f->pd.ibpd;
	mr->page_size = 4096;
	sg_init_table(sg, 3);
	for (int i = 0; i < 3; i++) {
		u8 *at = page + 4096 * (i + (i == 2)) + (i ? 0 : 100);

		sg_set_buf(&sg[i], at, i ? 4096 : 3996);
		sg[i].dma_address = addr(at);
		sg[i].dma_length = i ? 4096 : 3996;
	}
	assert_int_equal(rvt_map_mr_sg(mr, sg, 3, NULL), 3);
	*pages = page;
	return mr;
}

static void rvt_lkey_ok__walks_over_gaps(void **state)
{
	struct fixture *f = *state;
	u8 *page = NULL;
	struct ib_mr *mr = scattered(f, &page);
	struct rvt_sge_state ss = {.num_sge = 1};

	assert_false(IS_ERR(mr));
	assert_int_equal(lkey_ok(f, &ss.sge, NULL, mr->iova, 8, mr->lkey, 0), -EINVAL);
	assert_cause(LKEY_UNREGISTERED);
	assert_int_equal(rvt_fast_reg_mr(&f->qp, mr, mr->rkey, LOCAL), 0);
	/* From 10 bytes before the end of page 1 to 20 bytes into page 3; 0 and 1 are neighbours. */
	assert_int_equal(
		lkey_ok(f, &ss.sge, NULL, mr->iova + 3996 - 5, 5 + 4096 + 20, mr->lkey, LOCAL), 1);
	assert_non_null(ss.sge.mr);
	assert_ptr_equal(ss.sge.vaddr, page + 4091);
	assert_int_equal(ss.sge.length, 5 + 4096);
	rvt_update_sge(&ss, 5 + 4096, false);
	assert_ptr_equal(ss.sge.vaddr, page + 3 * 4096);
	assert_int_equal(ss.sge.sge_length, 20);
	rvt_put_ss(&ss);
	assert_refs(mr, 0);
	assert_int_equal(lkey_ok(f, &ss.sge, NULL, mr->iova + 3996 + 8192, 1, mr->lkey, 0),
			 -EINVAL);
	assert_int_equal(lkey_ok(f, &ss.sge, NULL, mr->iova + 3996 + 8191, 1, mr->lkey, 0), 1);
	assert_ptr_equal(ss.sge.vaddr, page + 4 * 4096 - 1);
	let_go(&ss.sge);
	assert_int_equal(lkey_ok(f, &ss.sge, NULL, mr->iova + 3996 + 8192, 0, mr->lkey, 0), 1);
	assert_int_equal(ss.sge.sge_length, 0);
	let_go(&ss.sge);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

static void rvt_lkey_ok__invalidated(void **state)
{
	struct fixture *f = *state;
	u8 *page = NULL;
	struct ib_mr *mr = scattered(f, &page);
	struct rvt_sge sge = {.mr = NULL};

	assert_false(IS_ERR(mr));
	assert_int_equal(rvt_fast_reg_mr(&f->qp, mr, mr->rkey, LOCAL | READ), 0);
	assert_int_equal(rvt_invalidate_rkey(&f->qp, mr->rkey), 0);
	assert_int_equal(lkey_ok(f, &sge, NULL, mr->iova, 8, mr->lkey, 0), -EINVAL);
	assert_cause(LKEY_INVALIDATED);
	assert_int_equal(rvt_rkey_ok(&f->qp, &sge, 8, mr->iova, mr->rkey, READ), 0);
	assert_cause(RKEY_INVALIDATED);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

static void rvt_rkey_ok__finds_the_bytes(void **state)
{
	struct fixture *f = *state;
	struct rvt_sge sge = {.mr = NULL};

	assert_int_equal(rvt_rkey_ok(&f->qp, &sge, 16, 0x1008, f->mr->rkey, READ), 1);
	assert_ptr_equal(sge.vaddr, f->memory + 24);
	assert_int_equal(sge.sge_length, 16);
	assert_refs(f->mr, 1);
	let_go(&sge);
	/* By the bytes' own address a peer finds nothing. */
	assert_int_equal(rvt_rkey_ok(&f->qp, &sge, 16, addr(f->memory) + 16, f->mr->rkey, READ), 0);
	assert_cause(RKEY_BOUNDS);
}

static void rvt_rkey_ok__zero_based(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = reg(f, f->memory, 64, 0x2000, READ | IB_ZERO_BASED);
	struct rvt_sge sge = {.mr = NULL};

	assert_false(IS_ERR(mr));
	assert_int_equal(rvt_rkey_ok(&f->qp, &sge, 64, 0, mr->rkey, READ), 1);
	assert_ptr_equal(sge.vaddr, f->memory);
	let_go(&sge);
	assert_int_equal(rvt_rkey_ok(&f->qp, &sge, 1, 64, mr->rkey, READ), 0);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

static void rvt_rkey_ok__grants_what_was_registered(void **state)
{
	static const struct {
		int granted, asked;
		unsigned int cause;
	} rows[] = {
		{LOCAL | WRITE, WRITE, 0},
		{LOCAL | WRITE, READ, BASE_CAUSE_RKEY_NO_READ},
		{LOCAL | WRITE, ATOMIC, BASE_CAUSE_RKEY_NO_ATOMIC},
		{READ, READ, 0},
		{READ, WRITE, BASE_CAUSE_RKEY_NO_WRITE},
		{LOCAL | ATOMIC, ATOMIC, 0},
		{LOCAL, READ, BASE_CAUSE_RKEY_NO_READ},
		{LOCAL | WRITE | READ | ATOMIC, ATOMIC, 0},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ib_mr *mr = reg(f, f->memory, 64, 0x2000, rows[i].granted);
		struct base_cause why = {.id = 0};
		struct rvt_sge sge = {.mr = NULL};
		int ok;

		assert_false(IS_ERR(mr));
		ok = rvt_rkey_check(&f->qp, &sge, 8, 0x2000, mr->rkey, rows[i].asked, &why);
		assert_int_equal(ok, !rows[i].cause);
		assert_int_equal(ok ? 0 : why.id, rows[i].cause);
		assert_int_equal(ok ? BASE_SIDE_RESPONDER : why.side, BASE_SIDE_RESPONDER);
		if (ok)
			let_go(&sge);
		assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
	}
}

static void rvt_rkey_check__the_sentence(void **state)
{
	struct fixture *f = *state;
	struct base_cause why = {.id = 0};
	char text[BASE_CAUSE_TEXT_BYTES], expected[BASE_CAUSE_TEXT_BYTES];
	struct rvt_sge sge = {.mr = NULL};

	assert_int_equal(rvt_rkey_check(&f->qp, &sge, 16, 0x10f0, f->mr->rkey, WRITE, &why), 0);
	base_cause_format(&why, text, sizeof(text));
	snprintf(expected, sizeof(expected),
		 "rkey 0x%x grants 0x1000..0x10ff LOCAL_WRITE|REMOTE_READ; 16 bytes written at "
		 "0x10f0. Register with IB_ACCESS_LOCAL_WRITE and IB_ACCESS_REMOTE_WRITE.",
		 f->mr->rkey);
	assert_string_equal(text, expected);
	assert_int_equal(rvt_rkey_check(&f->qp, &sge, 17, 0x10f0, f->mr->rkey, READ, &why), 0);
	base_cause_format(&why, text, sizeof(text));
	snprintf(expected, sizeof(expected),
		 "rkey 0x%x grants 0x1000..0x10ff LOCAL_WRITE|REMOTE_READ; 17 bytes at 0x10f0 are "
		 "not all inside. Stay inside the region, or register more.",
		 f->mr->rkey);
	assert_string_equal(text, expected);
}

static void rvt_rkey_ok__wraps_are_refused(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = reg(f, f->memory, 64, UINT64_MAX - 63, READ); /* the last 64 bytes */
	struct rvt_sge sge = {.mr = NULL};

	assert_false(IS_ERR(mr));
	assert_int_equal(rvt_rkey_ok(&f->qp, &sge, 64, UINT64_MAX - 63, mr->rkey, READ), 1);
	assert_ptr_equal(sge.vaddr, f->memory);
	let_go(&sge);
	assert_int_equal(rvt_rkey_ok(&f->qp, &sge, 65, UINT64_MAX - 63, mr->rkey, READ), 0);
	assert_cause(RKEY_WRAP);
	assert_int_equal(rvt_rkey_ok(&f->qp, &sge, UINT32_MAX, UINT64_MAX - 7, mr->rkey, READ), 0);
	assert_cause(RKEY_WRAP);
	assert_int_equal(rvt_rkey_ok(&f->qp, &sge, 8, 0, mr->rkey, READ), 0);
	assert_cause(RKEY_BOUNDS);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
}

static void rvt_rkey_ok__names_the_mixed_up_key(void **state)
{
	struct fixture *f = *state;
	struct rvt_sge sge = {.mr = NULL};

	assert_int_equal(rvt_rkey_ok(&f->qp, &sge, 8, 0x1000, f->mr->lkey, READ), 0);
	assert_cause(RKEY_IS_LKEY);
	assert_int_equal(base_cause_last()->arg[1], f->mr->rkey);
	assert_int_equal(base_cause_last()->qpn, 0x12);
	assert_int_equal(rvt_rkey_ok(&f->foreign, &sge, 8, 0x1000, f->mr->rkey, READ), 0);
	assert_cause(RKEY_PD);
	assert_int_equal(rvt_rkey_ok(&f->qp, &sge, 8, 0x1000, 0xf0000101, READ), 0);
	assert_cause(RKEY_NONE);
	assert_int_equal(rvt_rkey_ok(&f->qp, &sge, 8, 0x1000, ib_inc_rkey(f->mr->rkey), READ), 0);
	assert_cause(RKEY_STALE);
}

static void rvt_rkey_ok__keys_same(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr;
	struct rvt_sge sge = {.mr = NULL};

	f->b->rdi.lkey_table.keys_same = true;
	mr = reg(f, f->memory, 64, 0x2000, READ);
	assert_false(IS_ERR(mr));
	assert_int_equal(rvt_rkey_ok(&f->qp, &sge, 8, 0x2000, mr->lkey, READ), 1);
	let_go(&sge);
	assert_int_equal(lkey_ok(f, &sge, NULL, addr(f->memory), 8, mr->rkey, 0), 1);
	let_go(&sge);
	assert_int_equal(rvt_dereg_mr(mr, NULL), 0);
	f->b->rdi.lkey_table.keys_same = false;
}

static void rvt_rkey_ok__key_zero_only_where_its_pd_grants_it(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *dma = rvt_get_dma_mr(&f->pd.ibpd, LOCAL | WRITE);
	struct rvt_sge sge = {.mr = NULL};

	assert_false(IS_ERR(dma));
	assert_int_equal(rvt_rkey_ok(&f->qp, &sge, 8, addr(f->memory), 0, WRITE), 1);
	assert_ptr_equal(sge.vaddr, f->memory);
	let_go(&sge);
	assert_int_equal(rvt_rkey_ok(&f->qp, &sge, 8, addr(f->memory), 0, READ), 0);
	assert_cause(RKEY_ZERO);
	assert_int_equal(rvt_rkey_ok(&f->foreign, &sge, 8, addr(f->memory), 0, WRITE), 0);
	assert_cause(RKEY_ZERO);
	assert_int_equal(rvt_rkey_ok(&f->qp, &sge, 8, UINT64_MAX - 3, 0, WRITE), 0);
	assert_cause(KEY_ZERO_WRAP);
	f->pd.user = true;
	assert_int_equal(rvt_rkey_ok(&f->qp, &sge, 8, addr(f->memory), 0, WRITE), 0);
	f->pd.user = false;
	assert_int_equal(rvt_dereg_mr(dma, NULL), 0);
	assert_int_equal(rvt_rkey_ok(&f->qp, &sge, 8, addr(f->memory), 0, WRITE), 0);
}

static void rvt_mr_has_lkey__compares(void **state)
{
	struct fixture *f = *state;
	struct rvt_mregion *mr = &container_of(f->mr, struct rvt_mr, ibmr)->mr;

	assert_true(rvt_mr_has_lkey(mr, f->mr->lkey));
	assert_false(rvt_mr_has_lkey(mr, f->mr->rkey));
	assert_false(rvt_mr_has_lkey(NULL, f->mr->lkey));
}

static void rvt_ss_has_lkey__looks_at_all_sges(void **state)
{
	struct fixture *f = *state;
	struct rvt_mregion *mr = &container_of(f->mr, struct rvt_mr, ibmr)->mr;
	struct rvt_sge more[2] = {{.mr = NULL}, {.mr = mr}};
	struct rvt_sge_state ss = {.sg_list = more, .num_sge = 3};

	assert_true(rvt_ss_has_lkey(&ss, f->mr->lkey));
	ss.num_sge = 2;
	assert_false(rvt_ss_has_lkey(&ss, f->mr->lkey));
	ss.sge.mr = mr;
	assert_true(rvt_ss_has_lkey(&ss, f->mr->lkey));
	ss.num_sge = 0;
	assert_false(rvt_ss_has_lkey(&ss, f->mr->lkey));
}

struct race {
	struct fixture *f;
	u32 key; /* the latest one */
	bool stop;
	unsigned int hits;
};

/* Whatever the owner does, a hit is a region that says what the table said. */
static void *look_up(void *arg)
{
	struct race *r = arg;

	while (!__atomic_load_n(&r->stop, __ATOMIC_ACQUIRE)) {
		struct rvt_sge sge = {.mr = NULL};

		if (!rvt_rkey_ok(&r->f->qp, &sge, 8, 0x3000,
				 __atomic_load_n(&r->key, __ATOMIC_ACQUIRE), READ))
			continue;
		if (sge.vaddr == r->f->memory && sge.sge_length == 8)
			r->hits++;
		let_go(&sge);
	}
	return NULL;
}

static void rvt_rkey_ok__while_regions_come_and_go(void **state)
{
	struct fixture *f = *state;
	struct race r = {.f = f};
	unsigned int refused = 0;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, look_up, &r), 0);
	for (int i = 0; i < 3000; i++) {
		struct ib_mr *mr = reg(f, f->memory, 64, 0x3000, READ);

		if (IS_ERR(mr)) {
			refused++;
			continue;
		}
		__atomic_store_n(&r.key, mr->rkey, __ATOMIC_RELEASE);
		/* Virtual time is over at once, though the other thread holds on a moment only. */
		while (rvt_dereg_mr(mr, NULL) == -EBUSY)
			;
	}
	__atomic_store_n(&r.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	assert_int_equal(refused, 0);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(rvt_lkey_ok__finds_the_bytes),
	TEST(rvt_lkey_ok__takes_the_peers_address_too),
	TEST(rvt_lkey_ok__all_bytes_but_not_one_more),
	TEST(rvt_lkey_ok__needs_local_write_to_store),
	TEST(rvt_lkey_ok__refuses_other_pds),
	TEST(rvt_lkey_ok__names_the_mixed_up_key),
	TEST(rvt_lkey_ok__refuses_what_is_no_key),
	TEST(rvt_lkey_ok__an_old_key_is_stale),
	TEST(rvt_lkey_ok__key_zero_is_all_memory),
	TEST(rvt_lkey_ok__merges_neighbours),
	TEST(rvt_lkey_ok__merges_key_zero),
	TEST(rvt_lkey_ok__merging_never_wraps_the_length),
	TEST(rvt_lkey_ok__walks_over_gaps),
	TEST(rvt_lkey_ok__invalidated),
	TEST(rvt_rkey_ok__finds_the_bytes),
	TEST(rvt_rkey_ok__zero_based),
	TEST(rvt_rkey_ok__grants_what_was_registered),
	TEST(rvt_rkey_check__the_sentence),
	TEST(rvt_rkey_ok__wraps_are_refused),
	TEST(rvt_rkey_ok__names_the_mixed_up_key),
	TEST(rvt_rkey_ok__keys_same),
	TEST(rvt_rkey_ok__key_zero_only_where_its_pd_grants_it),
	TEST(rvt_mr_has_lkey__compares),
	TEST(rvt_ss_has_lkey__looks_at_all_sges),
	TEST(rvt_rkey_ok__while_regions_come_and_go),
};

int main(void)
{
	return verbena_test_main(tests);
}
