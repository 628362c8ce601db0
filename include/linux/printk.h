/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The kernel's log. It goes to stderr, up to the level that the environment names by VERBENA_LOG=0
 * to 7; without it up to 4, warnings. VERBENA_LOG=6 shows pr_info(), too.
 */
#ifndef VERBENA_LINUX_PRINTK_H
#define VERBENA_LINUX_PRINTK_H

#include <linux/verbena_base.h>

#ifndef pr_fmt
#define pr_fmt(fmt) fmt
#endif

#define KERN_ERR ""
#define KERN_WARNING ""
#define KERN_NOTICE ""
#define KERN_INFO ""
#define KERN_DEBUG ""

#define printk(...) base_log(6, __VA_ARGS__)
#define pr_err(fmt, ...) base_log(3, pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warn(fmt, ...) base_log(4, pr_fmt(fmt), ##__VA_ARGS__)
#define pr_notice(fmt, ...) base_log(5, pr_fmt(fmt), ##__VA_ARGS__)
#define pr_info(fmt, ...) base_log(6, pr_fmt(fmt), ##__VA_ARGS__)
#define pr_debug(fmt, ...) base_log(7, pr_fmt(fmt), ##__VA_ARGS__)
#define pr_err_ratelimited pr_err
#define pr_warn_ratelimited pr_warn
#define pr_info_ratelimited pr_info

#define base_log_once(level, ...)                                                \
	do {                                                                     \
		static bool base_logged_;                                        \
		if (!__atomic_exchange_n(&base_logged_, true, __ATOMIC_RELAXED)) \
			base_log((level), __VA_ARGS__);                          \
	} while (0)

#define pr_err_once(fmt, ...) base_log_once(3, pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warn_once(fmt, ...) base_log_once(4, pr_fmt(fmt), ##__VA_ARGS__)
#define pr_notice_once(fmt, ...) base_log_once(5, pr_fmt(fmt), ##__VA_ARGS__)
#define pr_info_once(fmt, ...) base_log_once(6, pr_fmt(fmt), ##__VA_ARGS__)

#endif /* VERBENA_LINUX_PRINTK_H */
