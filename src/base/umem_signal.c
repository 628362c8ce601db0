// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The fault handlers, and the libc functions that would displace them.
 *
 * sigaction() and signal(), under both its names, are interposed: for SIGSEGV and SIGBUS they keep
 * what the program wants in a table, and ours stays installed. sigprocmask() and pthread_sigmask()
 * are interposed to know which threads block these signals, since a fault there cannot be caught; so
 * are siglongjmp() and swapcontext() and what is like them, for they bring a mask along.
 */
#undef _FORTIFY_SOURCE /* it gives some of these other names */
#include "base/umem_signal.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#include "base/umem_short.h"

#define PUBLIC __attribute__((visibility("default")))

typedef int (*sigaction_fn)(int, const struct sigaction *, struct sigaction *);
typedef int (*sigmask_fn)(int, const sigset_t *, sigset_t *);

static const int signals[] = {SIGSEGV, SIGBUS};

#define SIGNAL_COUNT (sizeof(signals) / sizeof(signals[0]))

/* Not asked yet, or as the mask of the thread was last set. */
enum mask_state { MASK_UNKNOWN, MASK_OPEN, MASK_BLOCKED };

static _Thread_local enum mask_state mask_state;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction programs[SIGNAL_COUNT]; /* table_lock, but for reads of the handler */
static bool installed;
static sigset_t fork_mask; /* table_lock, which is held over a fork */

/* Looked up once: dlsym() waits for whoever is in dlopen(). */
static void *next_symbol(void **slot, const char *name)
{
	void *fn = __atomic_load_n(slot, __ATOMIC_RELAXED);

	if (fn)
		return fn;
	fn = dlsym(RTLD_NEXT, name);
	if (!fn)
		fn = dlsym(RTLD_DEFAULT, name);
	__atomic_store_n(slot, fn, __ATOMIC_RELAXED);
	return fn;
}

static int real_sigaction(int signum, const struct sigaction *act, struct sigaction *old)
{
	static void *slot;
	sigaction_fn fn;

	*(void **)&fn = next_symbol(&slot, "sigaction");
	return fn(signum, act, old);
}

static int real_thread_mask(int how, const sigset_t *set, sigset_t *old)
{
	static void *slot;
	sigmask_fn fn;

	*(void **)&fn = next_symbol(&slot, "pthread_sigmask");
	return fn(how, set, old);
}

static int real_process_mask(int how, const sigset_t *set, sigset_t *old)
{
	static void *slot;
	sigmask_fn fn;

	*(void **)&fn = next_symbol(&slot, "sigprocmask");
	return fn(how, set, old);
}

/* sigaction() may be called by a handler: none runs in a thread that has the lock. */
static void lock_table(sigset_t *mask)
{
	sigset_t all;

	sigfillset(&all);
	real_thread_mask(SIG_SETMASK, &all, mask);
	pthread_mutex_lock(&table_lock);
}

static void unlock_table(const sigset_t *mask)
{
	pthread_mutex_unlock(&table_lock);
	real_thread_mask(SIG_SETMASK, mask, NULL);
}

/* Nobody else is in the table when its copy is made, for the child may look into it, too. */
static void before_fork(void)
{
	sigset_t mask;

	lock_table(&mask);
	fork_mask = mask;
}

static void after_fork(void)
{
	const sigset_t mask = fork_mask;

	unlock_table(&mask);
}

static int index_of(int signum)
{
	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		if (signals[i] == signum)
			return (int)i;
	return -1;
}

static void reset_to_default(int signum)
{
	const struct sigaction dfl = {.sa_handler = SIG_DFL};

	real_sigaction(signum, &dfl, NULL);
}

/* What the handler asked to have blocked while it runs. Our return from the signal opens it. */
static void block_for_handler(int signum, const struct sigaction *act)
{
	sigset_t mask;

	memcpy(&mask, &act->sa_mask, sizeof(mask));
	if (!(act->sa_flags & SA_NODEFER))
		sigaddset(&mask, signum);
	real_thread_mask(SIG_BLOCK, &mask, NULL);
	mask_state = MASK_UNKNOWN;
}

/* As the kernel would have done it without us. */
static void give_to_program(int signum, siginfo_t *info, void *context)
{
	struct sigaction *p = &programs[index_of(signum)], act;
	const bool is_fault = info->si_code > 0;

	memcpy(&act, p, sizeof(act));
	if (act.sa_handler == SIG_IGN && !is_fault)
		return;
	if (act.sa_handler == SIG_DFL || act.sa_handler == SIG_IGN) {
		/* Ignored or not, a fault kills: let it happen again without us. */
		reset_to_default(signum);
		if (!is_fault)
			raise(signum);
		return;
	}
	if (act.sa_flags & (int)SA_RESETHAND) {
		p->sa_flags = 0;
		p->sa_handler = SIG_DFL;
	}
	block_for_handler(signum, &act);
	if (act.sa_flags & SA_SIGINFO)
		act.sa_sigaction(signum, info, context);
	else
		act.sa_handler(signum);
	mask_state = MASK_UNKNOWN;
}

/* Whether the copy that this thread is in has caused it. */
static bool is_ours(const siginfo_t *info)
{
	if (info->si_code == SI_KERNEL)
		return base_umem_faulted_somewhere();
	return info->si_code > 0 && base_umem_faulted((uintptr_t)info->si_addr);
}

static void on_fault(int signum, siginfo_t *info, void *context)
{
	const int saved = errno;

	if (info->si_code > 0 && umem_short_fix(context)) {
		errno = saved;
		return;
	}
	/* The copy is left by a jump, so the mask of the time before the fault comes back here. */
	if (is_ours(info)) {
		real_thread_mask(SIG_SETMASK, &((ucontext_t *)context)->uc_sigmask, NULL);
		base_umem_leave();
	}
	give_to_program(signum, info, context);
	errno = saved;
}

int base_umem_signal_init(void)
{
	struct sigaction ours = {.sa_sigaction = on_fault,
				 .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
	sigset_t mask;
	int ret = 0;

	sigemptyset(&ours.sa_mask);
	lock_table(&mask);
	if (!installed)
		ret = -pthread_atfork(before_fork, after_fork, after_fork);
	for (size_t i = 0; !ret && !installed && i < SIGNAL_COUNT; i++)
		if (real_sigaction(signals[i], &ours, &programs[i]))
			ret = -errno;
	installed = installed || !ret;
	unlock_table(&mask);
	return ret;
}

PUBLIC int sigaction(int sig, const struct sigaction *act, struct sigaction *oact)
{
	const int i = index_of(sig);
	struct sigaction wanted, before;
	sigset_t mask;

	if (i < 0 || !__atomic_load_n(&installed, __ATOMIC_ACQUIRE))
		return real_sigaction(sig, act, oact);
	if (act)
		wanted = *act;
	lock_table(&mask);
	before = programs[i];
	if (act)
		programs[i] = wanted;
	unlock_table(&mask);
	if (oact)
		*oact = before;
	return 0;
}

static sighandler_t set_handler(int sig, sighandler_t handler, int flags)
{
	struct sigaction act = {.sa_handler = handler, .sa_flags = flags}, old;

	sigemptyset(&act.sa_mask);
	if (sigaction(sig, &act, &old))
		return SIG_ERR;
	return old.sa_handler;
}

PUBLIC sighandler_t signal(int sig, sighandler_t handler)
{
	return set_handler(sig, handler, SA_RESTART);
}

/* What signal() is in a source that is compiled with -std=c17: for one signal, and not blocked. */
PUBLIC sighandler_t __sysv_signal(int sig, sighandler_t handler)
{
	return set_handler(sig, handler, (int)SA_RESETHAND | SA_NODEFER);
}

static enum mask_state state_of(const sigset_t *set)
{
	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		if (sigismember(set, signals[i]) == 1)
			return MASK_BLOCKED;
	return MASK_OPEN;
}

PUBLIC int pthread_sigmask(int how, const sigset_t *newmask, sigset_t *oldmask)
{
	mask_state = MASK_UNKNOWN;
	return real_thread_mask(how, newmask, oldmask);
}

PUBLIC int sigprocmask(int how, const sigset_t *set, sigset_t *oset)
{
	mask_state = MASK_UNKNOWN;
	return real_process_mask(how, set, oset);
}

/* Jumps bring a mask along. */
typedef void (*jump_fn)(struct __jmp_buf_tag *env, int value);

_Noreturn void __longjmp_chk(struct __jmp_buf_tag env[1], int value);

static _Noreturn void jump(void **slot, const char *name, struct __jmp_buf_tag *env, int value)
{
	jump_fn fn;

	*(void **)&fn = next_symbol(slot, name);
	mask_state = MASK_UNKNOWN;
	fn(env, value);
	__builtin_unreachable();
}

#define JUMP(function)                                                       \
	PUBLIC _Noreturn void function(struct __jmp_buf_tag env[1], int val) \
	{                                                                    \
		static void *slot;                                           \
                                                                             \
		jump(&slot, #function, env, val);                            \
	}

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)

PUBLIC int setcontext(const ucontext_t *ucp)
{
	int (*fn)(const ucontext_t *);
	static void *slot;

	*(void **)&fn = next_symbol(&slot, "setcontext");
	mask_state = MASK_UNKNOWN;
	return fn(ucp);
}

/* Who comes back here has a mask of its own again. */
PUBLIC int swapcontext(ucontext_t *oucp, const ucontext_t *ucp)
{
	int (*fn)(ucontext_t *, const ucontext_t *);
	static void *slot;
	int ret;

	*(void **)&fn = next_symbol(&slot, "swapcontext");
	mask_state = MASK_UNKNOWN;
	ret = fn(oucp, ucp);
	mask_state = MASK_UNKNOWN;
	return ret;
}

void base_umem_signals_open(sigset_t *mask)
{
	sigset_t ours;

	sigemptyset(&ours);
	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		sigaddset(&ours, signals[i]);
	real_thread_mask(SIG_UNBLOCK, &ours, mask);
}

void base_umem_signals_restore(const sigset_t *mask)
{
	real_thread_mask(SIG_SETMASK, mask, NULL);
}

bool base_umem_signals_blocked(void)
{
	sigset_t now;

	if (__builtin_expect(mask_state == MASK_UNKNOWN, 0)) {
		sigemptyset(&now);
		real_thread_mask(SIG_BLOCK, NULL, &now);
		mask_state = state_of(&now);
	}
	return mask_state == MASK_BLOCKED;
}
