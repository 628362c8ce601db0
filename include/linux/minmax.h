/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* min() and max() with one evaluation of each argument. C++ has its own. */
#ifndef VERBENA_LINUX_MINMAX_H
#define VERBENA_LINUX_MINMAX_H

#define BASE_PICK(type, a, b, op)                        \
	__extension__({                                  \
		const type base_a_ = (a), base_b_ = (b); \
		base_a_ op base_b_ ? base_a_ : base_b_;  \
	})

#ifndef min_t
#define min_t(type, a, b) BASE_PICK(type, a, b, <)
#endif
#ifndef max_t
#define max_t(type, a, b) BASE_PICK(type, a, b, >)
#endif

#ifndef __cplusplus
#ifndef min
#define min(a, b) BASE_PICK(__typeof__((a) + 0), a, b, <)
#endif
#ifndef max
#define max(a, b) BASE_PICK(__typeof__((a) + 0), a, b, >)
#endif
#endif

#endif /* VERBENA_LINUX_MINMAX_H */
