// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What a flush needs, and which bytes it takes to storage. */
#include <linux/err.h>
#include <sys/mman.h>
#include <unistd.h>

#include "qp_fixture.h"

/* No page can be here. */
#define NOWHERE 0x7000000000000000ull

#define BOTH (IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT)

static struct ib_mr *reg(struct fixture *f, u64 start, u64 bytes, u64 iova, int access)
{
	struct ib_mr *mr = ib_reg_user_mr(f->pd, start, bytes, iova, access);

	assert_false(IS_ERR(mr));
	return mr;
}

static void rvt_flush_rights__of_each_type(void **state)
{
	(void)state;
	assert_int_equal(rvt_flush_rights(&(struct rvt_flush){.type = 1}), IB_ACCESS_FLUSH_GLOBAL);
	assert_int_equal(rvt_flush_rights(&(struct rvt_flush){.type = 2}),
			 IB_ACCESS_FLUSH_PERSISTENT);
	assert_int_equal(rvt_flush_rights(&(struct rvt_flush){.type = 3}), BOTH);
}

static void rvt_flush_check__range_and_region(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = reg(f, (uintptr_t)f->rx, 100, 0x1000, IB_ACCESS_FLUSH_GLOBAL);
	struct rvt_flush flush = {.addr = 0x1000, .bytes = 100, .rkey = mr->rkey, .type = 1};
	struct base_cause why;

	assert_true(rvt_flush_check(qp_b(f), &flush, &why));
	flush.bytes = 101;
	assert_false(rvt_flush_check(qp_b(f), &flush, &why));
	assert_int_equal(why.id, BASE_CAUSE_RKEY_BOUNDS);
	flush.level = IB_FLUSH_MR;
	assert_true(rvt_flush_check(qp_b(f), &flush, &why));
	flush.addr = 5;
	assert_true(rvt_flush_check(qp_b(f), &flush, &why));
	assert_int_equal(ib_dereg_mr(mr), 0); /* nobody holds it */
}

/* Each type that is asked for needs its right. */
static void rvt_flush_check__rights_and_keys(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = reg(f, (uintptr_t)f->rx, 100, 0x1000, IB_ACCESS_FLUSH_GLOBAL);
	struct rvt_flush flush = {.addr = 0x1000, .rkey = mr->rkey, .type = 3};
	struct base_cause why;

	assert_false(rvt_flush_check(qp_b(f), &flush, &why));
	assert_int_equal(why.id, BASE_CAUSE_RKEY_NO_FLUSH);
	flush.type = 1;
	flush.rkey = 0xdead00; /* of no bytes, too */
	assert_false(rvt_flush_check(qp_b(f), &flush, &why));
	flush.level = IB_FLUSH_MR;
	assert_false(rvt_flush_check(qp_b(f), &flush, &why));
	flush.rkey = 0;
	assert_false(rvt_flush_check(qp_b(f), &flush, &why));
	assert_int_equal(why.id, BASE_CAUSE_RKEY_ZERO);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

/* Whatever else it is: memory that is not there cannot be made persistent. */
static void rvt_flush__memory_that_is_not_there(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = reg(f, NOWHERE, 5ull << 30, 0x1000, BOTH);
	struct rvt_flush flush = {.addr = 0x1000, .bytes = 8, .rkey = mr->rkey, .type = 1};

	assert_int_equal(rvt_flush(qp_b(f), &flush), 0);
	flush.type = 2;
	assert_int_equal(rvt_flush(qp_b(f), &flush), -EFAULT);
	flush.bytes = 0;
	assert_int_equal(rvt_flush(qp_b(f), &flush), 0);
	flush.level = IB_FLUSH_MR;
	assert_int_equal(rvt_flush(qp_b(f), &flush), -EFAULT);
	assert_int_equal(ib_dereg_mr(mr), 0);
	assert_int_equal(rvt_flush(qp_b(f), &flush), -EACCES);
}

/* Of a file, and from the middle of a page; of other memory. */
static void rvt_flush__persistent(void **state)
{
	struct fixture *f = *state;
	FILE *file = tmpfile();
	struct rvt_flush flush = {.addr = 0x1000, .bytes = 5000, .type = 3};
	struct ib_mr *mr;
	char *at;

	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), 8192), 0);
	at = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	mr = reg(f, (uintptr_t)at + 100, 6000, 0x1000, BOTH);
	memset(at, 7, 8192);
	flush.rkey = mr->rkey;
	assert_int_equal(rvt_flush(qp_b(f), &flush), 0);
	flush.level = IB_FLUSH_MR;
	assert_int_equal(rvt_flush(qp_b(f), &flush), 0);
	assert_int_equal(ib_dereg_mr(mr), 0);
	assert_int_equal(munmap(at, 8192), 0);
	assert_int_equal(fclose(file), 0);
	mr = reg(f, (uintptr_t)f->rx, 100, 0x1000, BOTH);
	flush.rkey = mr->rkey;
	assert_int_equal(rvt_flush(qp_b(f), &flush), 0);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_rc, fixture_down)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(rvt_flush_rights__of_each_type),
	TEST(rvt_flush_check__range_and_region),
	TEST(rvt_flush_check__rights_and_keys),
	TEST(rvt_flush__memory_that_is_not_there),
	TEST(rvt_flush__persistent),
};

int main(void)
{
	return verbena_test_main(tests);
}
