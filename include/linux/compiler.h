/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compiler attributes: those that the kernel's headers name, and clang's thread-safety
 * annotations, which vanish under other compilers.
 */
#ifndef VERBENA_LINUX_COMPILER_H
#define VERBENA_LINUX_COMPILER_H

#ifndef __user
#define __user
#endif
#ifndef __rcu
#define __rcu
#endif
#ifndef __percpu
#define __percpu
#endif
#ifndef __iomem
#define __iomem
#endif
#ifndef __force
#define __force
#endif
#ifndef __bitwise
#define __bitwise
#endif
#ifndef __packed
#define __packed __attribute__((packed))
#endif
#ifndef __aligned
#define __aligned(x) __attribute__((aligned(x)))
#endif
#ifndef __must_check
#define __must_check __attribute__((warn_unused_result))
#endif
#ifndef __maybe_unused
#define __maybe_unused __attribute__((unused))
#endif
#ifndef __always_unused
#define __always_unused __attribute__((unused))
#endif
#ifndef __printf
#define __printf(fmt, args) __attribute__((format(printf, fmt, args)))
#endif

/* C++20 has things of these names. */
#ifndef __cplusplus
#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#endif
#ifndef unlikely
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif
#ifndef barrier
#define barrier() __asm__ __volatile__("" ::: "memory")
#endif
#endif

/* Of a number or a pointer, which another thread may be changing by WRITE_ONCE() or atomically. */
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, val) __atomic_store_n(&(x), (val), __ATOMIC_RELAXED)

/* gcc has no fences under its thread sanitizer; an exchange is a full barrier, too. */
#ifdef __SANITIZE_THREAD__
#define smp_mb()                                                        \
	do {                                                            \
		unsigned int word_ = 0;                                 \
		(void)__atomic_exchange_n(&word_, 1, __ATOMIC_SEQ_CST); \
	} while (0)
#define smp_rmb() smp_mb()
#define smp_wmb() smp_mb()
#else
#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#endif
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)

#define container_of(ptr, type, member) ((type *)((char *)(ptr) - __builtin_offsetof(type, member)))

/* The constant 0 if @cond holds; else the build breaks. */
#define BASE_IS_CONST_ZERO(cond) (sizeof(char[(cond) ? 1 : -1]) - 1)

#if defined(__clang__)
#define BASE_TSA(x) __attribute__((x))
#else
#define BASE_TSA(x)
#endif

#ifndef CAPABILITY
#define CAPABILITY(x) BASE_TSA(capability(x))
#endif
#ifndef ACQUIRE
#define ACQUIRE(...) BASE_TSA(acquire_capability(__VA_ARGS__))
#endif
#ifndef ACQUIRE_SHARED
#define ACQUIRE_SHARED(...) BASE_TSA(acquire_shared_capability(__VA_ARGS__))
#endif
#ifndef TRY_ACQUIRE
#define TRY_ACQUIRE(...) BASE_TSA(try_acquire_capability(__VA_ARGS__))
#endif
#ifndef TRY_ACQUIRE_SHARED
#define TRY_ACQUIRE_SHARED(...) BASE_TSA(try_acquire_shared_capability(__VA_ARGS__))
#endif
#ifndef RELEASE
#define RELEASE(...) BASE_TSA(release_capability(__VA_ARGS__))
#endif
#ifndef RELEASE_SHARED
#define RELEASE_SHARED(...) BASE_TSA(release_shared_capability(__VA_ARGS__))
#endif
#ifndef REQUIRES
#define REQUIRES(...) BASE_TSA(requires_capability(__VA_ARGS__))
#endif
#ifndef REQUIRES_SHARED
#define REQUIRES_SHARED(...) BASE_TSA(requires_shared_capability(__VA_ARGS__))
#endif
#ifndef EXCLUDES
#define EXCLUDES(...) BASE_TSA(locks_excluded(__VA_ARGS__))
#endif
#ifndef NO_THREAD_SAFETY_ANALYSIS
#define NO_THREAD_SAFETY_ANALYSIS BASE_TSA(no_thread_safety_analysis)
#endif

#endif /* VERBENA_LINUX_COMPILER_H */
