// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What processes show of themselves: memory of theirs, of which nothing is believed. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "daemon/server_priv.h"
#include "daemon/subnet.h"

#define REFRESH_LOOKS 100u
#define LOOK_NS 500000

void report_open(const struct server *s, struct client *c)
{
	struct ways *ways = server_subnet_ways(s);
	char *mem = attach_map(c->control_fd, ATTACH_SHOWN_BYTES, true);

	c->since = time(NULL);
	c->report = mem ? (struct base_report *)(mem + ATTACH_REPORT_AT) : NULL;
	if (ways && c->report)
		(void)ways_attach(ways, c->id, c->report);
}

/* What it has placed at anybody's ports is theirs, and stays, too. */
static void keep_placed(struct server *s, const struct client *c)
{
	for (uint32_t slot = 0; slot < FABRIC_PORTS; slot++)
		base_placed_add(c->report, slot, &s->gone[slot]);
}

static void keep_traffic(struct server *s, const struct client *c)
{
	const uint32_t host = s->directory->process[c->id].host;

	for (uint32_t i = 0; i < DIRECTORY_HCAS; i++)
		for (uint32_t port = 0; port < DIRECTORY_PORTS; port++) {
			const int slot = directory_slot(s->directory, host, i, port);

			if (slot < 0)
				continue;
			base_traffic_add(&c->report->port[i][port], &s->gone[slot]);
			if (c->report->device[i][0])
				memcpy(s->device[slot], c->report->device[i], BASE_REPORT_NAME);
		}
}

void report_close(struct server *s, struct client *c)
{
	if (!c->report)
		return;
	keep_traffic(s, c);
	keep_placed(s, c);
	if (server_subnet_ways(s))
		ways_detach(server_subnet_ways(s), c->id);
	munmap((char *)c->report - ATTACH_REPORT_AT, ATTACH_SHOWN_BYTES);
	c->report = NULL;
}

int report_traffic(const struct server *s, uint32_t host, uint32_t hca, uint32_t port,
		   struct base_traffic *traffic)
{
	const int slot = directory_slot(s->directory, host, hca, port);

	if (slot < 0)
		return slot;
	*traffic = s->gone[slot];
	for (unsigned int i = 0; i < s->count; i++) {
		const struct client *c = s->clients[i];

		if (!c->attached || !c->report)
			continue;
		if (s->directory->process[c->id].host == host)
			base_traffic_add(&c->report->port[hca][port], traffic);
		base_placed_add(c->report, (uint32_t)slot, traffic);
	}
	return 0;
}

static bool is_fresh(const struct client *c)
{
	return !c->attached || !c->report ||
	       __atomic_load_n(&c->report->published, __ATOMIC_ACQUIRE) ==
		       __atomic_load_n(&c->report->wanted, __ATOMIC_RELAXED);
}

static bool all_fresh(const struct server *s)
{
	for (unsigned int i = 0; i < s->count; i++)
		if (!is_fresh(s->clients[i]))
			return false;
	return true;
}

/* Who is stopped does not answer, and is shown as it was. */
void report_refresh(struct server *s)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	const uint64_t one = 1;

	for (unsigned int i = 0; i < s->count; i++) {
		struct client *c = s->clients[i];

		if (!c->attached || !c->report)
			continue;
		__atomic_fetch_add(&c->report->wanted, 1, __ATOMIC_RELEASE);
		if (write(c->wake_fd, &one, sizeof(one)) < 0)
			continue; /* it is being woken */
	}
	for (unsigned int looks = 0; looks < REFRESH_LOOKS && !all_fresh(s); looks++)
		nanosleep(&pause, NULL);
}
