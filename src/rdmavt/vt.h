/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a driver must bring for each verb, and the part of a device that rdmavt keeps. */
#ifndef RDMAVT_VT_H
#define RDMAVT_VT_H

#include <rdma/rdma_vt.h>

/* The verbs that check_support() looks at. */
enum rvt_verb {
	MISC,
	QUERY_DEVICE,
	MODIFY_DEVICE,
	QUERY_PORT,
	MODIFY_PORT,
	QUERY_PKEY,
	QUERY_GID,
	ALLOC_UCONTEXT,
	DEALLOC_UCONTEXT,
	GET_PORT_IMMUTABLE,
	CREATE_QP,
	MODIFY_QP,
	DESTROY_QP,
	QUERY_QP,
	POST_SEND,
	POST_RECV,
	POST_SRQ_RECV,
	CREATE_AH,
	DESTROY_AH,
	MODIFY_AH,
	QUERY_AH,
	CREATE_SRQ,
	MODIFY_SRQ,
	DESTROY_SRQ,
	QUERY_SRQ,
	ATTACH_MCAST,
	DETACH_MCAST,
	GET_DMA_MR,
	REG_USER_MR,
	DEREG_MR,
	ALLOC_MR,
	MAP_MR_SG,
	CREATE_CQ,
	DESTROY_CQ,
	POLL_CQ,
	REQ_NOTIFY_CQ,
	RESIZE_CQ,
	MODIFY_CQ,
	ALLOC_PD,
	DEALLOC_PD,
	MMAP,
	_VERB_IDX_MAX /* Must always be last! */
};

#endif
