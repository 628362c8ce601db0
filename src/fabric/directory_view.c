// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What a driver asks of its port: seen in the subnet, written in the directory, read there by processes. */
#include <linux/compiler.h>
#include <string.h>

#include "fabric/directory.h"
#include "fabric/subnet_priv.h"

#define TRIES 100000u /* at what takes less than a microsecond */

void directory_see(const struct subnet *subnet, struct subnet_at at, struct directory_view *view)
{
	*view = (struct directory_view){.sequence = 0};
	(void)subnet_query_port(subnet, at, &view->port);
	for (uint16_t i = 0; i < DIRECTORY_PKEYS && i < view->port.pkeys; i++)
		(void)subnet_query_pkey(subnet, at, i, &view->pkey[i]);
	for (uint16_t i = 0; i < DIRECTORY_GUIDS; i++)
		(void)subnet_query_guid(subnet, at, i, &view->guid[i]);
}

/* LIDs that stay are this port's all the time: somebody may be looking for them. */
static void follow(struct fabric *fabric, uint32_t slot, const struct subnet_port_view *port)
{
	const struct fabric_port_config *config = &fabric->ports[slot].config;

	if (config->lid != port->lid || config->lmc != port->lmc)
		fabric_port_set_lid(fabric, slot, port->lid, port->lmc);
	(void)fabric_port_set_link(fabric, slot, port->state == SUBNET_ACTIVE);
}

/* An odd sequence lasts for as long as this takes. */
void directory_write_view(struct directory *dir, uint32_t slot, const struct directory_view *view)
{
	struct directory_view *to = &dir->view[slot];
	const uint32_t sequence = to->sequence | 1; /* odd already: who wrote it has died */

	__atomic_store_n(&to->sequence, sequence, __ATOMIC_RELAXED);
	smp_mb();
	to->port = view->port;
	to->node_guid = view->node_guid;
	memcpy(to->pkey, view->pkey, sizeof(to->pkey));
	memcpy(to->guid, view->guid, sizeof(to->guid));
	__atomic_store_n(&to->sequence, sequence + 1, __ATOMIC_RELEASE);
	follow(&dir->fabric, slot, &view->port);
	__atomic_fetch_add(&dir->epoch, 1, __ATOMIC_RELEASE);
}

void directory_read_view(const struct directory *dir, uint32_t slot, struct directory_view *view)
{
	const struct directory_view *from = &dir->view[slot];

	for (unsigned int i = 0; i < TRIES; i++) {
		const uint32_t before = __atomic_load_n(&from->sequence, __ATOMIC_ACQUIRE);

		*view = *from;
		smp_mb();
		if (!(before & 1) && __atomic_load_n(&from->sequence, __ATOMIC_RELAXED) == before)
			return;
	}
}
