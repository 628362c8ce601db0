/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Complaints about conditions that should not hold. */
#ifndef VERBENA_LINUX_BUG_H
#define VERBENA_LINUX_BUG_H

#include <linux/verbena_base.h>

/* Each has the value of @condition as a truth value. */
#define WARN_ON(condition)                                         \
	__extension__({                                            \
		const bool base_met_ = !!(condition);              \
		if (__builtin_expect(base_met_, 0))                \
			base_warn(__FILE__, __LINE__, #condition); \
		base_met_;                                         \
	})

#define WARN_ON_ONCE(condition)                                                \
	__extension__({                                                        \
		static bool base_said_;                                        \
		const bool base_met_ = !!(condition);                          \
		if (__builtin_expect(base_met_, 0) &&                          \
		    !__atomic_exchange_n(&base_said_, true, __ATOMIC_RELAXED)) \
			base_warn(__FILE__, __LINE__, #condition);             \
		base_met_;                                                     \
	})

/* The same, and the words that follow. */
#define WARN(condition, ...)                                \
	__extension__({                                     \
		const bool base_told_ = WARN_ON(condition); \
		if (__builtin_expect(base_told_, 0))        \
			base_log(4, __VA_ARGS__);           \
		base_told_;                                 \
	})

#define WARN_ONCE(condition, ...)                                                \
	__extension__({                                                          \
		static bool base_said_;                                          \
		const bool base_met_ = !!(condition);                            \
		if (__builtin_expect(base_met_, 0) &&                            \
		    !__atomic_exchange_n(&base_said_, true, __ATOMIC_RELAXED)) { \
			base_warn(__FILE__, __LINE__, #condition);               \
			base_log(4, __VA_ARGS__);                                \
		}                                                                \
		base_met_;                                                       \
	})

#ifndef BUILD_BUG_ON
#ifdef __cplusplus
#define BUILD_BUG_ON(condition) static_assert(!(condition), #condition)
#else
#define BUILD_BUG_ON(condition) _Static_assert(!(condition), #condition)
#endif
#endif

#define BUILD_BUG_ON_ZERO(condition) ((int)BASE_IS_CONST_ZERO(!(condition)))

#endif /* VERBENA_LINUX_BUG_H */
