// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What the daemon knows, for people and their scripts. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/server_priv.h"

static json_t *processes_of(const struct server *s, uint32_t host)
{
	json_t *all = json_array();

	for (unsigned int i = 0; i < s->count; i++) {
		const struct client *c = s->clients[i];

		if (c->attached && s->directory->process[c->id].host == host)
			json_array_append_new(all,
					      json_pack("{s:i, s:i, s:s}", "id", (int)c->id, "pid",
							(int)c->pid, "command", c->command));
	}
	return all;
}

static json_t *port_of(const struct server *s, uint32_t slot)
{
	const struct fabric_port *port = &s->directory->fabric.ports[slot];
	char guid[24];

	snprintf(guid, sizeof(guid), "0x%016llx", (unsigned long long)port->config.guid);
	return json_pack("{s:s, s:i, s:b}", "guid", guid, "lid", (int)port->config.lid, "up",
			 (int)port->up);
}

static json_t *devices_of(const struct server *s, uint32_t host)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < DIRECTORY_HCAS; i++) {
		json_t *ports = json_array();

		for (uint32_t port = 0; port < DIRECTORY_PORTS; port++) {
			const int slot = directory_slot(s->directory, host, i, port);

			if (slot >= 0)
				json_array_append_new(ports, port_of(s, (uint32_t)slot));
		}
		if (json_array_size(ports))
			json_array_append_new(all, json_pack("{s:O}", "ports", ports));
		json_decref(ports);
	}
	return all;
}

static json_t *host_of(const struct server *s, uint32_t host)
{
	return json_pack("{s:s, s:o, s:o}", "name", s->directory->host[host].name, "devices",
			 devices_of(s, host), "processes", processes_of(s, host));
}

int server_status(const struct server *s)
{
	json_t *hosts = json_array(), *all;
	int fd, ret;

	for (uint32_t i = 0; i < s->directory->host_count; i++)
		json_array_append_new(hosts, host_of(s, i));
	all = json_pack("{s:s, s:i, s:o}", "fabric", s->config.fabric, "pid", (int)getpid(),
			"hosts", hosts);
	fd = memfd_create("verbena-status", MFD_CLOEXEC);
	ret = fd < 0 ? -errno : 0;
	if (!ret && (!all || json_dumpfd(all, fd, JSON_INDENT(1)))) {
		ret = -EIO;
		close(fd);
	}
	json_decref(all);
	return ret ? ret : fd;
}
