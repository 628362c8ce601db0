/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A kernel module's trimmings. Nobody calls the functions of module_init() and module_exit() by
 * itself: a program includes the module's .c file and calls them, as examples/ulp.c does.
 */
#ifndef VERBENA_LINUX_MODULE_H
#define VERBENA_LINUX_MODULE_H

#include_next <linux/module.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/printk.h>

struct module;

#define THIS_MODULE ((struct module *)NULL)
#ifndef KBUILD_MODNAME
#define KBUILD_MODNAME "verbena"
#endif

#define BASE_DECLARE_NOTHING(name) struct base_nothing_##name
#define MODULE_LICENSE(text) BASE_DECLARE_NOTHING(license)
#define MODULE_AUTHOR(text) BASE_DECLARE_NOTHING(author)
#define MODULE_DESCRIPTION(text) BASE_DECLARE_NOTHING(description)
#define MODULE_VERSION(text) BASE_DECLARE_NOTHING(version)
#define MODULE_ALIAS(text) BASE_DECLARE_NOTHING(alias)
#define MODULE_PARM_DESC(name, text) BASE_DECLARE_NOTHING(parm_##name)
#define module_param(name, type, perm) BASE_DECLARE_NOTHING(param_##name)
#define module_param_named(name, value, type, perm) BASE_DECLARE_NOTHING(param_##name)
#define EXPORT_SYMBOL(name) BASE_DECLARE_NOTHING(export_##name)
#define EXPORT_SYMBOL_GPL(name) BASE_DECLARE_NOTHING(export_##name)

/* They keep the functions used, and let a program call them by these names. */
#define module_init(fn)                                  \
	__maybe_unused static int base_module_init(void) \
	{                                                \
		return fn();                             \
	}                                                \
	BASE_DECLARE_NOTHING(init)
#define module_exit(fn)                                   \
	__maybe_unused static void base_module_exit(void) \
	{                                                 \
		fn();                                     \
	}                                                 \
	BASE_DECLARE_NOTHING(exit)

#define try_module_get(module) ((void)(module), true)
#define module_put(module) ((void)(module))

#endif /* VERBENA_LINUX_MODULE_H */
