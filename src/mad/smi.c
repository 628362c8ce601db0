// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Directed routes [rcp 18]. Seen from whoever sends first, requests and responses obey the same rules:
 * one counts its hops up and looks into the initial path, the other counts down and looks into the
 * return path.
 */
#include "mad/smi.h"

#include <rdma/ib_verbs.h>

/* Where the hop pointer is on its way. */
enum place {
	AT_START,   /* still at who sent it */
	ON_THE_WAY, /* at a switch between two links */
	AT_END,	    /* where the directed part ends */
	ARRIVED,    /* the rules of the end were obeyed already */
	NOWHERE,
};

static enum place place_of(struct ib_smp *smp)
{
	const unsigned int at = smp->hop_ptr, count = smp->hop_cnt;

	if (count >= IB_SMP_MAX_PATH_HOPS)
		return NOWHERE;
	if (!ib_get_smp_direction(smp)) {
		if (!at && count)
			return AT_START;
		if (at < count)
			return ON_THE_WAY;
		return at == count ? AT_END : at == count + 1 ? ARRIVED : NOWHERE;
	}
	if (count && at == count + 1)
		return AT_START;
	if (at >= 2 && at <= count)
		return ON_THE_WAY;
	return at == 1 ? AT_END : at == 0 ? ARRIVED : NOWHERE;
}

/* Whether the directed part is all that there is at the end where it goes. */
static bool end_is_permissive(struct ib_smp *smp)
{
	return (ib_get_smp_direction(smp) ? smp->dr_slid : smp->dr_dlid) == IB_LID_PERMISSIVE;
}

static enum smi_action handle_if(bool holds)
{
	return holds ? IB_SMI_HANDLE : IB_SMI_DISCARD;
}

/* The next hop, which must be of this port. */
static enum smi_action step_from(struct ib_smp *smp, u32 port_num)
{
	if (ib_get_smp_direction(smp))
		return handle_if(smp->return_path[--smp->hop_ptr] == port_num);
	return handle_if(smp->initial_path[++smp->hop_ptr] == port_num);
}

enum smi_action smi_handle_dr_smp_send(struct ib_smp *smp, bool is_switch, u32 port_num)
{
	switch (place_of(smp)) {
	case AT_START:
		return step_from(smp, port_num);
	case ON_THE_WAY:
		return is_switch ? step_from(smp, port_num) : IB_SMI_DISCARD;
	case AT_END:
		smp->hop_ptr = (u8)(smp->hop_ptr + (ib_get_smp_direction(smp) ? -1 : 1));
		return handle_if(is_switch || end_is_permissive(smp));
	case ARRIVED:
		return IB_SMI_HANDLE;
	case NOWHERE:
		break;
	}
	return IB_SMI_DISCARD;
}

static enum smi_action receive_request(struct ib_smp *smp, bool is_switch, u32 port_num,
				       int phys_port_cnt)
{
	switch (place_of(smp)) {
	case ON_THE_WAY:
		if (!is_switch)
			return IB_SMI_DISCARD;
		smp->return_path[smp->hop_ptr] = (u8)port_num;
		return handle_if(smp->initial_path[smp->hop_ptr + 1] <= phys_port_cnt);
	case AT_END:
		if (smp->hop_cnt)
			smp->return_path[smp->hop_ptr] = (u8)port_num;
		return handle_if(is_switch || end_is_permissive(smp));
	case ARRIVED:
		return IB_SMI_HANDLE;
	case AT_START:
	case NOWHERE:
		break;
	}
	return IB_SMI_DISCARD;
}

static enum smi_action receive_response(struct ib_smp *smp, bool is_switch, u32 port_num,
					int phys_port_cnt)
{
	switch (place_of(smp)) {
	case AT_START:
		return step_from(smp, port_num);
	case ON_THE_WAY:
		return handle_if(is_switch && smp->return_path[smp->hop_ptr - 1] <= phys_port_cnt);
	case AT_END:
		if (!end_is_permissive(smp))
			return handle_if(is_switch);
		smp->hop_ptr = 0;
		return IB_SMI_HANDLE;
	case ARRIVED:
		return IB_SMI_HANDLE;
	case NOWHERE:
		break;
	}
	return IB_SMI_DISCARD;
}

enum smi_action smi_handle_dr_smp_recv(struct ib_smp *smp, bool is_switch, u32 port_num,
				       int phys_port_cnt)
{
	return (ib_get_smp_direction(smp) ? receive_response : receive_request)(
		smp, is_switch, port_num, phys_port_cnt);
}

enum smi_forward_action smi_check_forward_dr_smp(struct ib_smp *smp)
{
	const bool returning = ib_get_smp_direction(smp);

	switch (place_of(smp)) {
	case ON_THE_WAY:
		return IB_SMI_FORWARD;
	case AT_END:
		return end_is_permissive(smp) != returning ? IB_SMI_SEND : IB_SMI_LOCAL;
	case ARRIVED:
		return returning ? IB_SMI_LOCAL : IB_SMI_SEND;
	case AT_START:
	case NOWHERE:
		break;
	}
	return IB_SMI_LOCAL;
}

int smi_get_fwd_port(struct ib_smp *smp)
{
	if (place_of(smp) != ON_THE_WAY)
		return 0;
	return ib_get_smp_direction(smp) ? smp->return_path[smp->hop_ptr - 1]
					 : smp->initial_path[smp->hop_ptr + 1];
}

enum smi_action smi_check_local_smp(struct ib_smp *smp, struct ib_device *device)
{
	return handle_if(device->ops.process_mad && !ib_get_smp_direction(smp) &&
			 smp->hop_ptr == smp->hop_cnt + 1);
}

enum smi_action smi_check_local_returning_smp(struct ib_smp *smp, struct ib_device *device)
{
	return handle_if(device->ops.process_mad && ib_get_smp_direction(smp) && !smp->hop_ptr);
}
