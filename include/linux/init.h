/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Words of module code that others use otherwise (the C library has a member called __init,
 * C++'s has parameters of that name, programs write __attribute__((noinline))): only for who asks
 * for them, and not in C++.
 */
#ifndef VERBENA_LINUX_INIT_H
#define VERBENA_LINUX_INIT_H

#include <stdlib.h>

#ifndef __cplusplus
#ifndef __init
#define __init
#endif
#ifndef __exit
#define __exit
#endif
#ifndef noinline
#define noinline __attribute__((__noinline__))
#endif
#ifndef fallthrough
#define fallthrough __attribute__((__fallthrough__))
#endif
#endif

#endif /* VERBENA_LINUX_INIT_H */
