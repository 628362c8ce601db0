/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Whether a sanitizer watches memory in this build: gcc and clang say so differently. */
#ifndef BASE_SANITIZER_H
#define BASE_SANITIZER_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BASE_WITH_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define BASE_WITH_SANITIZER 1
#endif
#endif

#endif
