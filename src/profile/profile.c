// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What a profile's words and numbers mean, and which of them cannot be. */
#include "profile/profile.h"

#include <errno.h>
#include <linux/kernel.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "profile/raw.h"

#define MAX_LMC 7u
#define DEFAULT_PERSONALITY "rxe"

/* Where we are in the file, for complaints; the first one counts. */
struct place {
	const char *path;
	u32 device;
	char *error;
	size_t bytes;
	int ret;
};

__attribute__((format(printf, 3, 4))) static void complain(struct place *at, const char *key,
							   const char *format, ...)
{
	va_list args;
	int n;

	if (at->ret)
		return;
	at->ret = -EINVAL;
	n = snprintf(at->error, at->bytes, "%s: devices[%u].%s: ", at->path, at->device, key);
	if (n < 0 || (size_t)n >= at->bytes)
		return;
	va_start(args, format);
	vsnprintf(at->error + n, at->bytes - (size_t)n, format, args);
	va_end(args);
}

/* @otherwise if it is not given. */
static u64 number(struct place *at, const char *key, const uint32_t *given, u64 least, u64 most,
		  u64 otherwise)
{
	if (!given)
		return otherwise;
	if (*given < least || *given > most)
		complain(at, key, "%u is not between %llu and %llu", *given,
			 (unsigned long long)least, (unsigned long long)most);
	return *given;
}

static void take_limits(struct place *at, struct device_profile *p,
			const struct profile_raw_limits *raw)
{
	struct ib_device_attr *props = &p->props;

#define LIMIT(key, least, member)                                                              \
	props->member = (__typeof__(props->member))number(at, "limits." #key, raw->key, least, \
							  (u64)props->member, (u64)props->member);
	PROFILE_LIMITS(LIMIT)
#undef LIMIT
	props->max_recv_sge = props->max_sge_rd = props->max_send_sge;
	props->max_qp_init_rd_atom = props->max_qp_rd_atom;
	p->max_inline = (u32)number(at, "limits.max_inline", raw->max_inline, 1, DEVICE_MAX_INLINE,
				    DEVICE_MAX_INLINE);
	if (raw->max_mr_size)
		props->max_mr_size = *raw->max_mr_size;
	if (!props->max_mr_size)
		complain(at, "limits.max_mr_size", "0 would leave no region at all");
	if (!props->max_mw)
		props->device_cap_flags &=
			~(u64)(IB_DEVICE_MEM_WINDOW | IB_DEVICE_MEM_WINDOW_TYPE_2B);
}

static void take_srq(struct place *at, struct device_profile *p,
		     const struct profile_raw_device *raw)
{
	struct ib_device_attr *props = &p->props;

	if (!raw->srq || *raw->srq)
		return;
	if (raw->limits && (raw->limits->max_srq || raw->limits->max_srq_wr))
		complain(at, "srq", "there are limits for what is not there");
	props->max_srq = props->max_srq_wr = props->max_srq_sge = 0;
	props->device_cap_flags &= ~(u64)IB_DEVICE_SRQ_RESIZE;
}

/* GUIDs that are not given follow the node's, or are the fabric's to choose. */
static void take_port(struct place *at, struct device_profile *p, u32 index,
		      const struct profile_raw_port *raw)
{
	struct fabric_port_config *config = &p->hca.port[index];
	struct device_port_profile *port = &p->port[index];
	char key[32];

	if (raw->guid)
		config->guid = *raw->guid;
	snprintf(key, sizeof(key), "ports[%u].lid", index);
	config->lid = (u16)number(at, key, raw->lid, 1, FABRIC_UNICAST_LIDS - 1, 0);
	snprintf(key, sizeof(key), "ports[%u].lmc", index);
	config->lmc = (u8)number(at, key, raw->lmc, 0, MAX_LMC, 0);
	config->down = raw->up && !*raw->up;
	snprintf(key, sizeof(key), "ports[%u].mtu", index);
	if (raw->mtu) {
		port->mtu = ib_mtu_int_to_enum((int)*raw->mtu);
		if (ib_mtu_enum_to_int(port->mtu) != (int)*raw->mtu)
			complain(at, key, "%u is none of 256, 512, 1024, 2048, 4096", *raw->mtu);
	}
	if (raw->width)
		port->width = (enum ib_port_width) * raw->width;
	if (raw->speed)
		port->speed = (enum ib_port_speed) * raw->speed;
}

static void take_ports(struct place *at, struct device_profile *p,
		       const struct profile_raw_device *raw)
{
	if (raw->ports_count)
		p->hca.ports = raw->ports_count;
	for (u32 i = 0; i < p->hca.ports; i++) {
		device_profile_init_port(&p->port[i]);
		if (p->node_guid)
			p->hca.port[i].guid = p->node_guid + i;
		if (raw->ports)
			take_port(at, p, i, &raw->ports[i]);
	}
}

static void take_pkeys(struct place *at, struct device_profile *p,
		       const struct profile_raw_device *raw)
{
	if (raw->pkeys) {
		memcpy(p->pkeys, raw->pkeys, raw->pkeys_count * sizeof(p->pkeys[0]));
		p->pkey_count = raw->pkeys_count;
	}
	p->pkey_count = (u32)number(at, "pkey_table", raw->pkey_table, p->pkey_count,
				    DEVICE_MAX_PKEYS, p->pkey_count);
	p->gid_count =
		(u32)number(at, "gid_table", raw->gid_table, 1, DEVICE_MAX_GIDS, p->gid_count);
}

/* What libraries show as text they have from a number. */
static void take_firmware(struct place *at, struct device_profile *p, const char *text)
{
	unsigned int part[3] = {0};
	int end = 0;

	if (sscanf(text, "%u.%u.%u%n", &part[0], &part[1], &part[2], &end) != 3 || text[end] ||
	    part[0] > UINT16_MAX || part[1] > UINT16_MAX || part[2] > UINT16_MAX)
		complain(at, "firmware", "'%s' is not of the form 1.2.3, each at most 65535", text);
	p->props.fw_ver = (u64)part[0] << 32 | (u64)part[1] << 16 | part[2];
}

static void take_name(struct place *at, struct device_profile *p, const char *name)
{
	const char *percent = strchr(name, '%');

	if (strchr(name, '/') || name[0] == '.' ||
	    (percent && (percent[1] != 'd' || strchr(percent + 1, '%'))))
		complain(at, "name", "'%s' cannot be the name of a device", name);
	snprintf(p->name, sizeof(p->name), "%s", name);
}

static void take_identity(struct place *at, struct device_profile *p,
			  const struct profile_raw_device *raw)
{
	struct ib_device_attr *props = &p->props;

	take_name(at, p,
		  raw->name				      ? raw->name
		  : p->personality == VERBENA_PERSONALITY_RXE ? "rxe%d"
							      : "hfi1_%d");
	if (raw->link_layer && strcmp(raw->link_layer, "ib") != 0)
		complain(at, "link_layer", "there is no '%s' yet, only ib", raw->link_layer);
	if (raw->node_description)
		snprintf(p->node_desc, sizeof(p->node_desc), "%s", raw->node_description);
	if (raw->board_id)
		snprintf(p->board_id, sizeof(p->board_id), "%s", raw->board_id);
	if (raw->node_guid)
		p->node_guid = *raw->node_guid;
	if (raw->system_image_guid)
		props->sys_image_guid = cpu_to_be64(*raw->system_image_guid);
	props->vendor_id =
		(u32)number(at, "vendor_id", raw->vendor_id, 0, 0xffffff, props->vendor_id);
	props->vendor_part_id = (u32)number(at, "vendor_part_id", raw->vendor_part_id, 0, U32_MAX,
					    props->vendor_part_id);
	props->hw_ver = (u32)number(at, "hardware_version", raw->hardware_version, 0, U32_MAX,
				    props->hw_ver);
	if (raw->firmware)
		take_firmware(at, p, raw->firmware);
}

static void take_device(struct place *at, struct device_profile *p,
			const struct profile_raw_device *raw, const char *personality)
{
	const struct profile_raw_limits none = {.max_qp = NULL};
	enum verbena_personality is = VERBENA_PERSONALITY_RXE;

	if (!personality)
		personality = raw->personality ? raw->personality : DEFAULT_PERSONALITY;
	if (!device_profile_personality(personality, &is))
		complain(at, "personality", "'%s' is none of rxe, hfi1, hfi1-v1", personality);
	device_profile_init(p, is);
	take_identity(at, p, raw);
	take_limits(at, p, raw->limits ? raw->limits : &none);
	take_srq(at, p, raw);
	take_pkeys(at, p, raw);
	take_ports(at, p, raw);
}

static void check_names(struct place *at, const struct device_host_profile *profile)
{
	for (at->device = 1; at->device < profile->count; at->device++)
		for (u32 i = 0; i < at->device; i++) {
			const char *name = profile->hca[at->device].name;

			if (!strchr(name, '%') && strcmp(name, profile->hca[i].name) == 0)
				complain(at, "name", "devices[%u] is called %s already", i, name);
		}
}

int profile_load(const char *path, const char *personality, struct device_host_profile *profile,
		 char *error, size_t bytes)
{
	struct place at = {.path = path, .error = error, .bytes = bytes};
	char why[PROFILE_ERROR_BYTES];
	struct profile_raw *raw;
	int ret = profile_raw_load(path, &raw, why, sizeof(why));

	if (ret) {
		snprintf(error, bytes, "%s: %s", path, why);
		return ret;
	}
	profile->count = raw->devices_count;
	for (at.device = 0; at.device < profile->count; at.device++)
		take_device(&at, &profile->hca[at.device], &raw->devices[at.device], personality);
	check_names(&at, profile);
	profile_raw_free(raw);
	return at.ret;
}
