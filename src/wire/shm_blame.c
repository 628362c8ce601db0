// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Where and why a subnet discards what is sent, in words. Slow: it is asked for when a request has failed. */
#include <string.h>

#include "wire/shm_priv.h"

#define PORT BASE_CAUSE_TEXT_ARGS
#define LID (1 + BASE_CAUSE_TEXT_ARGS)

static enum base_cause_id cause_of(const struct directory_way_is *is)
{
	switch ((enum subnet_verdict)is->verdict) {
	case SUBNET_NOT_ACTIVE:
		return BASE_CAUSE_WAY_NOT_ACTIVE;
	case SUBNET_NO_ROUTE:
		return BASE_CAUSE_WAY_NO_ROUTE;
	case SUBNET_TURNS_BACK:
		return BASE_CAUSE_WAY_TURNS_BACK;
	case SUBNET_LOOPS:
		return BASE_CAUSE_WAY_LOOPS;
	case SUBNET_BAD_PKEY:
		return BASE_CAUSE_WAY_BAD_PKEY;
	case SUBNET_NOT_ALLOWED:
		return BASE_CAUSE_WAY_NOT_ALLOWED;
	case SUBNET_NOT_OURS:
		return BASE_CAUSE_WAY_NOT_OURS;
	case SUBNET_ARRIVES:
	case SUBNET_TOO_LONG:
	case SUBNET_LOST:
		break;
	}
	return BASE_CAUSE_WAY_NO_HOST;
}

static bool is_too_long(const struct wire_shm *shm, uint32_t place)
{
	struct base_way_sum sum;
	uint64_t packets = 0;

	if (!shm->config.report)
		return false;
	base_way_read(shm->config.report, place, &sum);
	for (unsigned int i = 0; i < BASE_WAY_MTUS; i++)
		packets += sum.too_long[i].packets;
	return packets > 0;
}

/* Whether there is something to be said of a way, which leads to @lid. */
static bool blame(const struct wire_shm *shm, uint32_t place, const struct directory_way_is *is,
		  uint16_t lid, struct base_cause *cause)
{
	char name[SUBNET_DESCRIPTION_BYTES + 1] = "";
	const bool arrives = is->verdict == SUBNET_ARRIVES && is->slot < FABRIC_PORTS;

	if (arrives && !is_too_long(shm, place))
		return false;
	memset(cause->arg, 0, sizeof(cause->arg));
	cause->id = (uint16_t)(arrives ? BASE_CAUSE_WAY_TOO_LONG : cause_of(is));
	if (is->verdict != SUBNET_ARRIVES)
		directory_read_name(&shm->config.directory->ways, place, name);
	base_cause_put_text(cause, 0, name);
	cause->arg[PORT] = arrives ? 128u << is->mtu % 8 : is->port;
	cause->arg[LID] = lid;
	return true;
}

struct both {
	int there;
	int back;
	struct directory_way_is is;
	struct directory_way_is is_back;
};

/* By any P_Key: whoever asks does not say which. */
static void look(const struct shm_port *p, const struct tp_path *path, struct both *both)
{
	const struct directory_ways *ways = &p->shm->config.directory->ways;
	struct directory_way_key key = {.slot = p->slot, .dlid = path->dlid, .sl = path->sl};

	both->back = -1;
	both->there = directory_next_way(ways, &key, 0, &both->is);
	if (both->there < 0 || both->is.slot >= FABRIC_PORTS)
		return;
	key.slot = both->is.slot;
	key.dlid = path->slid;
	both->back = directory_next_way(ways, &key, 0, &both->is_back);
}

bool shm_way_blame(const struct shm_port *p, const struct tp_path *path, struct base_cause *cause)
{
	struct both both;

	look(p, path, &both);
	if (both.there < 0) {
		if (!__atomic_load_n(&p->shm->unanswered, __ATOMIC_ACQUIRE))
			return false;
		memset(cause->arg, 0, sizeof(cause->arg));
		cause->id = BASE_CAUSE_WAY_UNKNOWN;
		cause->arg[LID] = path->dlid;
		return true;
	}
	return blame(p->shm, (uint32_t)both.there, &both.is, path->dlid, cause) ||
	       (both.back >= 0 &&
		blame(p->shm, (uint32_t)both.back, &both.is_back, path->slid, cause));
}

bool shm_way_blame_cable(const struct shm_port *p, const struct tp_path *path,
			 struct base_cause *cause)
{
	struct both both;
	uint32_t loss_ppm = 0;
	uint64_t delay_ns = 0;

	look(p, path, &both);
	if (both.there >= 0) {
		loss_ppm += both.is.loss_ppm;
		delay_ns += both.is.delay_ns;
	}
	if (both.back >= 0) {
		loss_ppm += both.is_back.loss_ppm;
		delay_ns += both.is_back.delay_ns;
	}
	if (!loss_ppm && !delay_ns)
		return false;
	memset(cause->arg, 0, sizeof(cause->arg));
	cause->id = BASE_CAUSE_WAY_CABLE;
	cause->arg[0] = loss_ppm;
	cause->arg[1] = delay_ns / 1000;
	cause->arg[2] = path->dlid;
	return true;
}
