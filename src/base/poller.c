// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What each turn of the crank looks at because nobody announces it. */
#include "base/poller.h"

#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#include "base/fork.h"

static struct base_lock lock; /* of changes */
static struct base_poller *first;

void base_poller_add(struct base_poller *poller)
{
	spin_lock(&lock);
	if (!poller->listed) {
		poller->listed = true;
		poller->next = first;
		rcu_assign_pointer(first, poller);
	}
	spin_unlock(&lock);
}

void base_poller_remove(struct base_poller *poller)
{
	struct base_poller **link = &first;
	bool listed;

	spin_lock(&lock);
	listed = poller->listed;
	poller->listed = false;
	while (listed && *link != poller)
		link = &(*link)->next;
	if (listed)
		rcu_assign_pointer(*link, poller->next);
	spin_unlock(&lock);
	if (listed)
		synchronize_rcu();
}

bool base_pollers_exist(void)
{
	return rcu_access_pointer(first) != NULL;
}

bool base_pollers_run(void)
{
	bool any = false;

	if (likely(!base_pollers_exist()))
		return false;
	rcu_read_lock();
	for (struct base_poller *p = rcu_dereference(first); p; p = rcu_dereference(p->next))
		any |= p->poll(p);
	rcu_read_unlock();
	return any;
}

void base_pollers_forked(void)
{
	spin_lock_init(&lock);
	rcu_assign_pointer(first, NULL);
}
