// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Copies that survive unmapped memory.
 *
 * Plain copies under SIGSEGV and SIGBUS handlers: a copy notes its ranges in thread-local memory,
 * and a fault inside them jumps back out of it; one of few bytes is made of instructions that the handlers
 * know by their addresses, and notes nothing (umem_short.h). Any other fault is the program's and goes to
 * the handler that the program has installed (umem_signal.c).
 */
#include "base/umem.h"

#include <errno.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/sanitizer.h"
#include "base/thread.h"
#include "base/umem_short.h"
#include "base/umem_signal.h"

/* What is above is never a program's, or only where it has asked for it (five levels of tables). */
#define USER_ADDRESS_BITS 47

/* What a copy of this thread is about to touch; @busy only while it does. */
struct guard {
	sigjmp_buf out;
	uintptr_t to;
	uintptr_t from;
	size_t bytes;
	volatile bool busy;
};

static _Thread_local struct guard guard;
static bool always_by_call; /* VERBENA_UMEM=vm; atomic */

static bool covers(uintptr_t start, size_t bytes, uintptr_t address)
{
	return address - start < bytes;
}

bool base_umem_faulted(uintptr_t address)
{
	const struct guard *g = &guard;

	return g->busy && (covers(g->to, g->bytes, address) || covers(g->from, g->bytes, address));
}

static bool has_no_page_tables(uintptr_t start, size_t bytes)
{
	return (start + (bytes - 1)) >> USER_ADDRESS_BITS || start >> USER_ADDRESS_BITS;
}

bool base_umem_faulted_somewhere(void)
{
	const struct guard *g = &guard;

	return g->busy &&
	       (has_no_page_tables(g->to, g->bytes) || has_no_page_tables(g->from, g->bytes));
}

void base_umem_leave(void)
{
	guard.busy = false;
	siglongjmp(guard.out, 1);
}

/* The slow way, for threads whose faults would kill them: the kernel looks before it copies. */
static int copy_by_call(void *to, const void *from, size_t bytes)
{
	struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)from, bytes};
	const pid_t pid = getpid();

	while (local.iov_len) {
		ssize_t n = process_vm_readv(pid, &local, 1, &remote, 1, 0);

		if (n <= 0)
			return -EFAULT;
		local.iov_base = (char *)local.iov_base + n;
		remote.iov_base = (char *)remote.iov_base + n;
		local.iov_len -= (size_t)n;
		remote.iov_len -= (size_t)n;
	}
	return 0;
}

/* A compiler must not turn the copy into anything that touches memory outside the guard. */
static inline void stay_inside(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/*
 * The program's memory may be poisoned, racing with the program, or nowhere: what a sanitizer says
 * of memcpy() there is true and not our concern, so under sanitizers the copy is one they cannot see.
 */
#if defined(__x86_64__) && defined(BASE_WITH_SANITIZER)
static inline void copy_bytes(void *to, const void *from, size_t bytes)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

static inline void store_order(void)
{
	stay_inside(); /* x86 keeps the order of stores */
}
#else
static inline void copy_bytes(void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
}

static inline void store_order(void)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
}
#endif

static inline void copy_last_word_last(char *to, const char *from, size_t bytes)
{
	if (bytes <= sizeof(uint64_t)) {
		copy_bytes(to, from, bytes);
		return;
	}
	copy_bytes(to, from, bytes - sizeof(uint64_t));
	store_order();
	copy_bytes(to + bytes - sizeof(uint64_t), from + bytes - sizeof(uint64_t),
		   sizeof(uint64_t));
}

/* Apart from the short ones, which need no frame of their own. */
static __attribute__((noinline)) int copy_guarded(void *to, const void *from, size_t bytes)
{
	struct guard *g = &guard;

	g->to = (uintptr_t)to;
	g->from = (uintptr_t)from;
	g->bytes = bytes;
	if (sigsetjmp(g->out, 0))
		return -EFAULT;
	g->busy = true;
	stay_inside();
	copy_last_word_last(to, from, bytes);
	stay_inside();
	g->busy = false;
	return 0;
}

int base_umem_copy(void *to, const void *from, size_t bytes)
{
	if (!bytes)
		return 0;
	if (__atomic_load_n(&always_by_call, __ATOMIC_RELAXED) || base_umem_signals_blocked())
		return copy_by_call(to, from, bytes);
	if (bytes > UMEM_SHORT_BYTES)
		return copy_guarded(to, from, bytes);
	return umem_copy_short(to, from, bytes) ? 0 : -EFAULT;
}

int base_umem_copy_iov(const struct iovec *to, unsigned int to_count, size_t to_offset,
		       const struct iovec *from, unsigned int from_count, size_t from_offset,
		       size_t bytes)
{
	unsigned int t = 0, f = 0;

	while (bytes) {
		size_t n = bytes;
		int ret;

		while (t < to_count && to_offset >= to[t].iov_len)
			to_offset -= to[t++].iov_len;
		while (f < from_count && from_offset >= from[f].iov_len)
			from_offset -= from[f++].iov_len;
		if (t == to_count || f == from_count)
			return -EFAULT;
		if (n > to[t].iov_len - to_offset)
			n = to[t].iov_len - to_offset;
		if (n > from[f].iov_len - from_offset)
			n = from[f].iov_len - from_offset;
		ret = base_umem_copy((char *)to[t].iov_base + to_offset,
				     (const char *)from[f].iov_base + from_offset, n);
		if (ret)
			return ret;
		to_offset += n;
		from_offset += n;
		bytes -= n;
	}
	return 0;
}

/* Enter the guard for one word; the caller leaves it by g->busy = false. */
#define GUARD_WORD(g, word)                              \
	do {                                             \
		(g)->to = (g)->from = (uintptr_t)(word); \
		(g)->bytes = sizeof(uint64_t);           \
		if (sigsetjmp((g)->out, 0))              \
			return -EFAULT;                  \
		(g)->busy = true;                        \
		stay_inside();                           \
	} while (0)

/* Unseen by sanitizers, as the copies are: libtsan would keep a lock when a fault jumps out. */
#define UNSEEN __attribute__((no_sanitize("address"), no_sanitize("thread")))

UNSEEN static int cmp_swap(uint64_t *word, uint64_t compare, uint64_t swap, uint64_t *original)
{
	struct guard *g = &guard;

	GUARD_WORD(g, word);
	__atomic_compare_exchange_n(word, &compare, swap, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
	stay_inside();
	g->busy = false;
	*original = compare;
	return 0;
}

UNSEEN static int fetch_add(uint64_t *word, uint64_t add, uint64_t *original)
{
	struct guard *g = &guard;
	uint64_t before;

	GUARD_WORD(g, word);
	before = __atomic_fetch_add(word, add, __ATOMIC_SEQ_CST);
	stay_inside();
	g->busy = false;
	*original = before;
	return 0;
}

UNSEEN static int store(uint64_t *word, uint64_t value)
{
	struct guard *g = &guard;

	GUARD_WORD(g, word);
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
	stay_inside();
	g->busy = false;
	return 0;
}

/*
 * No call is atomic as a CPU is, and whether a word can be written only a write tells. So a thread
 * that blocks the signals lets them through for the one instruction.
 */
int base_umem_cmp_swap(uint64_t *word, uint64_t compare, uint64_t swap, uint64_t *original)
{
	const bool blocked = base_umem_signals_blocked();
	sigset_t mask;
	int ret;

	if (blocked)
		base_umem_signals_open(&mask);
	ret = cmp_swap(word, compare, swap, original);
	if (blocked)
		base_umem_signals_restore(&mask);
	return ret;
}

int base_umem_fetch_add(uint64_t *word, uint64_t add, uint64_t *original)
{
	const bool blocked = base_umem_signals_blocked();
	sigset_t mask;
	int ret;

	if (blocked)
		base_umem_signals_open(&mask);
	ret = fetch_add(word, add, original);
	if (blocked)
		base_umem_signals_restore(&mask);
	return ret;
}

int base_umem_store(uint64_t *word, uint64_t value)
{
	const bool blocked = base_umem_signals_blocked();
	sigset_t mask;
	int ret;

	if (blocked)
		base_umem_signals_open(&mask);
	ret = store(word, value);
	if (blocked)
		base_umem_signals_restore(&mask);
	return ret;
}

/* Without MS_SYNC the call does nothing but to look whether there are gaps. */
bool base_umem_is_there(const void *at, size_t bytes)
{
	const uintptr_t skip = (uintptr_t)at % (uintptr_t)sysconf(_SC_PAGESIZE);
	const char *first = at;
	char c;

	return !msync((char *)(uintptr_t)(first - skip), bytes + skip, MS_ASYNC) &&
	       !base_umem_copy(&c, first, 1) && !base_umem_copy(&c, first + bytes - 1, 1);
}

/* The word around a byte: adding nothing to it is a write that nobody notices. */
static bool can_write(char *byte)
{
	const uintptr_t word = (uintptr_t)byte & ~(uintptr_t)(sizeof(uint64_t) - 1);
	uint64_t was;

	return !base_umem_fetch_add((uint64_t *)word, 0, &was);
}

bool base_umem_is_writable(void *at, size_t bytes)
{
	char *first = at;

	return can_write(first) && can_write(first + bytes - 1);
}

int base_umem_sync(void *at, size_t bytes)
{
	const uintptr_t skip = (uintptr_t)at % (uintptr_t)sysconf(_SC_PAGESIZE);
	BASE_UNCANCELLED;

	if (!bytes || !msync((char *)at - skip, bytes + skip, MS_SYNC))
		return 0;
	return errno == ENOMEM ? -EFAULT : -errno;
}

int base_umem_init(void)
{
	static const char *const ways[] = {"vm", NULL};
	const bool by_call = base_environment_choice("VERBENA_UMEM", ways) == 0;

	__atomic_store_n(&always_by_call, by_call, __ATOMIC_RELAXED);
	return base_umem_signal_init();
}
