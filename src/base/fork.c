// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Starting anew in the child of a fork. */
#include "base/fork.h"

void base_forked(void)
{
	base_rcu_forked();
	base_pollers_forked();
	base_timers_forked();
	base_work_forked();
	base_host_forked();
}
