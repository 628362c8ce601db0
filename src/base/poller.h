/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Between poller.c and host.c. */
#ifndef BASE_POLLER_H
#define BASE_POLLER_H

#include <linux/verbena_base.h>

/** base_pollers_exist() - Whether anything is to be polled. */
bool base_pollers_exist(void);

/** base_pollers_run() - Poll all; whether any has found something. */
bool base_pollers_run(void);

#endif
