// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Ordinary HCAs, from which profiles differ. */
#include "device/profile.h"

#include <linux/kernel.h>
#include <stdio.h>
#include <string.h>

#include "base/cause.h"

#define VENDOR_ID 0x0056u
#define MAX_RD_ATOMIC 16
#define LOCAL_ACK_DELAY 15u
#define GIDS 8u
/* What a ring of stock user libraries holds. */
#define USER_MAX_CQE 32767
#define USER_MAX_QP_WR 16383
/* So many librxe can number. */
#define USER_MAX_AH 32767
/* So many a fabric has room for, of all hosts together (DIRECTORY_GROUPS). */
#define USER_MAX_GROUPS 512

static const struct {
	const char *name;
	const char *device_name;
} personalities[] = {
	[VERBENA_PERSONALITY_NONE] = {NULL, "verbena%d"},
	[VERBENA_PERSONALITY_RXE] = {"rxe", "rxe0"},
	[VERBENA_PERSONALITY_HFI1] = {"hfi1", "hfi1_0"},
	[VERBENA_PERSONALITY_HFI1_V1] = {"hfi1-v1", "hfi1_0"},
};

bool device_profile_personality(const char *name, enum verbena_personality *personality)
{
	for (size_t i = VERBENA_PERSONALITY_RXE; i < ARRAY_SIZE(personalities); i++) {
		if (strcmp(name, personalities[i].name) != 0)
			continue;
		*personality = (enum verbena_personality)i;
		return true;
	}
	return false;
}

static void set_limits(struct ib_device_attr *props)
{
	*props = (struct ib_device_attr){
		.fw_ver = 1,
		.max_mr_size = UINT64_MAX,
		.page_size_cap = 0xfffff000u,
		.vendor_id = VENDOR_ID,
		.vendor_part_id = 1,
		.hw_ver = 1,
		.max_qp = 1 << 18,
		.max_qp_wr = 1 << 16,
		.device_cap_flags = IB_DEVICE_BAD_PKEY_CNTR | IB_DEVICE_BAD_QKEY_CNTR |
				    IB_DEVICE_CURR_QP_STATE_MOD | IB_DEVICE_RC_RNR_NAK_GEN |
				    IB_DEVICE_PORT_ACTIVE_EVENT | IB_DEVICE_SYS_IMAGE_GUID |
				    IB_DEVICE_SRQ_RESIZE | IB_DEVICE_MEM_MGT_EXTENSIONS |
				    IB_DEVICE_SHUTDOWN_PORT | IB_DEVICE_MEM_WINDOW |
				    IB_DEVICE_MEM_WINDOW_TYPE_2B | IB_DEVICE_ATOMIC_WRITE |
				    IB_DEVICE_FLUSH_GLOBAL | IB_DEVICE_FLUSH_PERSISTENT,
		.max_send_sge = 32,
		.max_recv_sge = 32,
		.max_sge_rd = 32,
		.max_cq = 1 << 17,
		.max_cqe = 1 << 20,
		.max_mr = 1 << 16,
		.max_mw = 1 << 12,
		.max_pd = 1 << 16,
		.max_qp_rd_atom = MAX_RD_ATOMIC,
		.max_res_rd_atom = MAX_RD_ATOMIC << 10,
		.max_qp_init_rd_atom = MAX_RD_ATOMIC,
		.atomic_cap = IB_ATOMIC_GLOB,
		.max_mcast_grp = 1 << 12,
		.max_mcast_qp_attach = 1 << 8,
		.max_total_mcast_qp_attach = 1 << 16,
		.max_ah = 1 << 20,
		.max_srq = 1 << 14,
		.max_srq_wr = 1 << 16,
		.max_srq_sge = 32,
		.max_fast_reg_page_list_len = 1 << 12,
		.local_ca_ack_delay = LOCAL_ACK_DELAY,
		.cq_caps = {.max_cq_moderation_count = UINT16_MAX,
			    .max_cq_moderation_period = UINT16_MAX},
	};
}

/* Copies by the processor fault pages in by themselves: any memory may be registered as it is. */
static void set_user_limits(struct ib_device_attr *props, enum verbena_personality personality)
{
	const u32 datagrams = IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_RECV | IB_ODP_SUPPORT_SRQ_RECV;

	if (personality == VERBENA_PERSONALITY_NONE)
		return;
	props->max_cqe = USER_MAX_CQE;
	props->max_qp_wr = USER_MAX_QP_WR;
	props->max_srq_wr = USER_MAX_QP_WR;
	props->max_mcast_grp = USER_MAX_GROUPS;
	if (personality == VERBENA_PERSONALITY_RXE) {
		props->atomic_cap = IB_ATOMIC_HCA; /* as rxe says; UCX believes nothing else */
		props->max_ah = USER_MAX_AH;
	}
	props->kernel_cap_flags |= IBK_ON_DEMAND_PAGING;
	props->odp_caps.general_caps = IB_ODP_SUPPORT | IB_ODP_SUPPORT_IMPLICIT;
	props->odp_caps.per_transport_caps.rc_odp_caps =
		datagrams | IB_ODP_SUPPORT_WRITE | IB_ODP_SUPPORT_READ | IB_ODP_SUPPORT_ATOMIC;
	props->odp_caps.per_transport_caps.uc_odp_caps = datagrams | IB_ODP_SUPPORT_WRITE;
	props->odp_caps.per_transport_caps.ud_odp_caps = datagrams;
}

void device_profile_init_port(struct device_port_profile *port)
{
	*port = (struct device_port_profile){
		.mtu = IB_MTU_4096, .width = IB_WIDTH_4X, .speed = IB_SPEED_EDR};
}

void device_profile_init(struct device_profile *profile, enum verbena_personality personality)
{
	*profile = (struct device_profile){.personality = personality,
					   .max_inline = DEVICE_MAX_INLINE,
					   .gid_count = GIDS,
					   .pkey_count = 1,
					   .pkeys = {0xffff},
					   .hca.ports = 1};
	snprintf(profile->name, sizeof(profile->name), "%s",
		 personalities[personality].device_name);
	set_limits(&profile->props);
	set_user_limits(&profile->props, personality);
	device_profile_init_port(&profile->port[0]);
}

static int check_options(const struct verbena_host_options *options)
{
	const size_t name_bytes = options->device_name ? strlen(options->device_name) : 1;

	if (name_bytes >= IB_DEVICE_NAME_MAX)
		return base_refuse(-EINVAL, DEVICE_NAME_BAD, name_bytes);
	if (options->mtu && (options->mtu < IB_MTU_256 || options->mtu > IB_MTU_4096))
		return base_refuse(-EINVAL, HOST_MTU, options->mtu);
	if (options->pkey_count > DEVICE_MAX_PKEYS || !options->pkeys != !options->pkey_count)
		return base_refuse(-EINVAL, HOST_PKEYS, options->pkey_count, DEVICE_MAX_PKEYS);
	if (options->personality < 0 || options->personality > VERBENA_PERSONALITY_HFI1_V1)
		return base_refuse(-EINVAL, HOST_PERSONALITY, options->personality);
	return 0;
}

int device_profile_of(struct device_profile *profile, const struct verbena_host_options *options)
{
	int ret = check_options(options);

	if (ret)
		return ret;
	device_profile_init(profile, options->personality);
	if (options->device_name)
		snprintf(profile->name, sizeof(profile->name), "%s", options->device_name);
	profile->node_guid = options->node_guid;
	profile->hca.port[0] = (struct fabric_port_config){
		.guid = options->node_guid, .lid = options->lid, .lmc = options->lmc};
	if (options->mtu)
		profile->port[0].mtu = options->mtu;
	if (options->pkeys) {
		profile->pkey_count = options->pkey_count;
		memcpy(profile->pkeys, options->pkeys,
		       options->pkey_count * sizeof(profile->pkeys[0]));
	}
	profile->keys_same = options->keys_same;
	return 0;
}

void device_profile_fit(struct device_profile *profile, u32 ports,
			const struct directory_view *view)
{
	profile->hca.ports = ports;
	for (u32 i = 1; i < ports; i++)
		profile->port[i] = profile->port[0];
	profile->pkey_count = DEVICE_MAX_PKEYS;
	memcpy(profile->pkeys, view->pkey, sizeof(profile->pkeys));
	if (!profile->node_guid)
		profile->node_guid = view->node_guid;
}
