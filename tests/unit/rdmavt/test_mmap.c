// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Records of memory that a process may map. */
#include "common/process.h"
#include "common/rvt_bare.h"
#include "rdmavt/mmap.h"

struct fixture {
	struct bare *b;
	struct process own, other;
};

static int setup(void **state)
{
	struct fixture *f = bare_fixture_new(sizeof(*f));

	if (!f)
		return -1;
	rvt_mmap_init(&f->b->rdi);
	process_init(&f->own, &f->b->rdi.ibdev);
	process_init(&f->other, &f->b->rdi.ibdev);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	bare_fixture_free(f);
	return 0;
}

static struct rvt_mmap_info *make(struct fixture *f, u32 size)
{
	void *obj = base_zalloc(size);
	struct rvt_mmap_info *ip;

	if (!obj)
		return NULL;
	ip = rvt_create_mmap_info(&f->b->rdi, size, process_call(&f->own, 0, 0), obj);
	if (!IS_ERR(ip))
		return ip;
	base_free(obj);
	return NULL;
}

static int map(struct ib_ucontext *context, u64 offset, unsigned long size, void **got)
{
	struct vm_area_struct vma = {
		.vm_start = 0x10000,
		.vm_end = 0x10000 + size,
		.vm_pgoff = offset >> PAGE_SHIFT,
	};
	const int ret = rvt_mmap(context, &vma);

	*got = vma.vm_private_data;
	return ret;
}

static void rvt_mmap_init__starts_at_one_page(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(f->b->rdi.mmap_offset, PAGE_SIZE);
	assert_true(list_empty(&f->b->rdi.pending_mmaps));
}

static void rvt_create_mmap_info__gives_unique_offsets(void **state)
{
	struct fixture *f = *state;
	struct rvt_mmap_info *a = make(f, 100), *b = make(f, 5000);

	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(a->offset, PAGE_SIZE);
	assert_int_equal(a->size, PAGE_SIZE);
	assert_int_equal(b->size, 2 * PAGE_SIZE);
	assert_true(b->offset >= a->offset + a->size);
	assert_int_equal(b->offset % PAGE_SIZE, 0);
	kref_put(&a->ref, rvt_release_mmap_info);
	kref_put(&b->ref, rvt_release_mmap_info);
}

static void rvt_create_mmap_info__refuses_the_kernel(void **state)
{
	struct fixture *f = *state;
	const struct rvt_mmap_info *ip = rvt_create_mmap_info(&f->b->rdi, 8, NULL, NULL);

	assert_true(IS_ERR(ip));
	assert_int_equal(PTR_ERR(ip), -EINVAL);
	assert_cause(MMAP_KERNEL);
}

static void rvt_create_mmap_info__takes_memory_of_the_context(void **state)
{
	struct fixture *f = *state;
	struct rvt_mmap_info *a, *b;

	a = rvt_create_mmap_info(&f->b->rdi, 100, process_call(&f->own, 0, 0), NULL);
	assert_false(IS_ERR(a));
	b = rvt_create_mmap_info(&f->b->rdi, PAGE_SIZE + 1, process_call(&f->own, 0, 0), NULL);
	if (IS_ERR(b)) {
		kref_put(&a->ref, rvt_release_mmap_info);
		fail();
	}
	assert_int_equal(f->own.live, 2);
	assert_int_equal(a->size, PAGE_SIZE);
	assert_int_equal(b->size, 2 * PAGE_SIZE);
	assert_ptr_equal(process_map(&f->own, a->offset, a->size), a->obj);
	assert_ptr_equal(process_map(&f->own, b->offset, b->size), b->obj);
	kref_put(&a->ref, rvt_release_mmap_info);
	assert_int_equal(f->own.live, 1);
	kref_put(&b->ref, rvt_release_mmap_info);
	assert_int_equal(f->own.live, 0);
}

static void rvt_create_mmap_info__context_has_no_memory(void **state)
{
	struct fixture *f = *state;
	const size_t blocks = base_alloc_live();
	const struct rvt_mmap_info *ip;

	f->own.no_memory = true;
	ip = rvt_create_mmap_info(&f->b->rdi, 100, process_call(&f->own, 0, 0), NULL);
	assert_int_equal(PTR_ERR(ip), -ENOMEM);
	assert_cause(NO_MEMORY);
	assert_int_equal(base_alloc_live(), blocks);
}

/* A context that shares nothing, and one that is not there yet: who maps asks ops.mmap. */
static void rvt_create_mmap_info__makes_memory_of_its_own(void **state)
{
	struct fixture *f = *state;
	struct ib_udata *udata = process_call(&f->own, 0, 0);
	struct rvt_mmap_info *ip;
	void *got;

	f->own.context.mem = NULL;
	ip = rvt_create_mmap_info(&f->b->rdi, 100, udata, NULL);
	assert_false(IS_ERR(ip));
	assert_non_null(ip->obj);
	assert_int_equal(f->own.blocks, 0);
	kref_put(&ip->ref, rvt_release_mmap_info);
	f->own.call.context = NULL;
	ip = rvt_create_mmap_info(&f->b->rdi, 100, udata, NULL);
	assert_false(IS_ERR(ip));
	rvt_mmap_offer(&f->b->rdi, ip);
	assert_int_equal(map(&f->other.context, ip->offset, PAGE_SIZE, &got), 0);
	kref_put(&ip->ref, rvt_release_mmap_info);
	kref_put(&ip->ref, rvt_release_mmap_info);
}

static void rvt_mmap__gives_an_object_out_once(void **state)
{
	struct fixture *f = *state;
	struct rvt_mmap_info *ip = make(f, 100);
	void *got;

	assert_non_null(ip);
	assert_int_equal(map(&f->own.context, ip->offset, PAGE_SIZE, &got),
			 -EINVAL); /* not offered */
	assert_cause(MMAP_NOTHING);
	rvt_mmap_offer(&f->b->rdi, ip);
	rvt_mmap_offer(&f->b->rdi, NULL);
	assert_int_equal(map(&f->own.context, ip->offset + PAGE_SIZE, PAGE_SIZE, &got), -EINVAL);
	assert_int_equal(map(&f->own.context, ip->offset, PAGE_SIZE + 1, &got), -EINVAL);
	assert_int_equal(map(&f->own.context, ip->offset, PAGE_SIZE, &got), 0);
	assert_ptr_equal(got, ip);
	assert_int_equal(kref_read(&ip->ref), 2);
	assert_int_equal(map(&f->own.context, ip->offset, PAGE_SIZE, &got), -EINVAL);
	kref_put(&ip->ref, rvt_release_mmap_info);
	kref_put(&ip->ref, rvt_release_mmap_info);
}

static void rvt_mmap__only_to_its_owner(void **state)
{
	struct fixture *f = *state;
	struct rvt_mmap_info *ip = make(f, 100);
	void *got;

	assert_non_null(ip);
	assert_ptr_equal(ip->context, &f->own.context);
	rvt_mmap_offer(&f->b->rdi, ip);
	assert_int_equal(map(&f->other.context, ip->offset, PAGE_SIZE, &got), -EINVAL);
	assert_int_equal(map(&f->own.context, ip->offset, PAGE_SIZE, &got), 0);
	kref_put(&ip->ref, rvt_release_mmap_info);
	kref_put(&ip->ref, rvt_release_mmap_info);
}

static void rvt_update_mmap_info__moves_the_object(void **state)
{
	struct fixture *f = *state;
	struct rvt_mmap_info *ip = make(f, 100);
	void *obj = base_zalloc(9000), *old;
	u64 before;

	assert_non_null(ip);
	assert_non_null(obj);
	old = ip->obj;
	before = ip->offset;
	rvt_update_mmap_info(&f->b->rdi, ip, 9000, obj);
	assert_true(ip->offset > before);
	assert_int_equal(ip->size, 3 * PAGE_SIZE);
	assert_ptr_equal(ip->obj, obj);
	base_free(old);
	kref_put(&ip->ref, rvt_release_mmap_info);
}

static void rvt_release_mmap_info__takes_the_offer_back(void **state)
{
	struct fixture *f = *state;
	const size_t blocks = base_alloc_live();
	struct rvt_mmap_info *ip = make(f, 100);

	assert_non_null(ip);
	rvt_mmap_offer(&f->b->rdi, ip);
	assert_int_equal(kref_put(&ip->ref, rvt_release_mmap_info), 1);
	assert_true(list_empty(&f->b->rdi.pending_mmaps));
	assert_int_equal(base_alloc_live(), blocks);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(rvt_mmap_init__starts_at_one_page),
	TEST(rvt_create_mmap_info__gives_unique_offsets),
	TEST(rvt_create_mmap_info__refuses_the_kernel),
	TEST(rvt_create_mmap_info__takes_memory_of_the_context),
	TEST(rvt_create_mmap_info__context_has_no_memory),
	TEST(rvt_create_mmap_info__makes_memory_of_its_own),
	TEST(rvt_mmap__gives_an_object_out_once),
	TEST(rvt_mmap__only_to_its_owner),
	TEST(rvt_update_mmap_info__moves_the_object),
	TEST(rvt_release_mmap_info__takes_the_offer_back),
};

int main(void)
{
	return verbena_test_main(tests);
}
