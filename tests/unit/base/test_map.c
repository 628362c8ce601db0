// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Mappings of ours do not come to lie where the program's were. */
#include "base/map.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#include "base/sanitizer.h"
#include "common/test.h"

#define HOLE ((size_t)64 << 20)
#define OURS ((size_t)4 << 20)
#define MAPS 16u

static bool overlap(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
	return (uintptr_t)a < (uintptr_t)b + b_bytes && (uintptr_t)b < (uintptr_t)a + a_bytes;
}

static void base_map__not_where_the_program_has_unmapped(void **state)
{
	char *hole = mmap(NULL, HOLE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *ours[MAPS];

	(void)state;
	assert_ptr_not_equal(hole, MAP_FAILED);
	munmap(hole, HOLE);
	for (unsigned int i = 0; i < MAPS; i++) {
		ours[i] = base_map(OURS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
		assert_non_null(ours[i]);
		ours[i][0] = ours[i][OURS - 1] = 1;
#ifndef BASE_WITH_SANITIZER
		assert_false(overlap(ours[i], OURS, hole, HOLE));
#endif
		for (unsigned int before = 0; before < i; before++)
			assert_false(overlap(ours[i], OURS, ours[before], OURS));
	}
	for (unsigned int i = 0; i < MAPS; i++)
		munmap(ours[i], OURS);
}

static void base_map__says_why_not(void **state)
{
	(void)state;
	assert_null(base_map(OURS, PROT_READ, MAP_SHARED, -1));
	assert_int_equal(errno, EBADF);
	assert_null(base_map(SIZE_MAX / 2, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1));
	assert_int_equal(errno, ENOMEM);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(base_map__not_where_the_program_has_unmapped),
	cmocka_unit_test(base_map__says_why_not),
};

int main(void)
{
	return verbena_test_main(tests);
}
