/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Between host.c and work.c. */
#ifndef BASE_HOST_PRIV_H
#define BASE_HOST_PRIV_H

/** base_host_work_queued() - Tell the driver that there is work. */
void base_host_work_queued(void);

#endif
