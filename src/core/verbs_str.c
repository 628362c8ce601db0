/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What completion statuses and events are called. */
#include <linux/kernel.h>
#include <rdma/ib_verbs.h>

static const char *const wc_statuses[] = {
	[IB_WC_SUCCESS] = "done",
	[IB_WC_LOC_LEN_ERR] = "local error: message and buffer differ in length",
	[IB_WC_LOC_QP_OP_ERR] = "local error: queue pair cannot execute this",
	[IB_WC_LOC_EEC_OP_ERR] = "local error: EE context cannot execute this",
	[IB_WC_LOC_PROT_ERR] = "local error: memory key, bounds or access",
	[IB_WC_WR_FLUSH_ERR] = "flushed: the queue pair had failed or was stopped",
	[IB_WC_MW_BIND_ERR] = "memory window not bound",
	[IB_WC_BAD_RESP_ERR] = "unexpected response from the peer",
	[IB_WC_LOC_ACCESS_ERR] = "local error: peer's write was not permitted",
	[IB_WC_REM_INV_REQ_ERR] = "peer: invalid request",
	[IB_WC_REM_ACCESS_ERR] = "peer: memory access not permitted",
	[IB_WC_REM_OP_ERR] = "peer: operation failed",
	[IB_WC_RETRY_EXC_ERR] = "no acknowledgement after all retries",
	[IB_WC_RNR_RETRY_EXC_ERR] = "peer had no receive posted after all retries",
	[IB_WC_LOC_RDD_VIOL_ERR] = "local error: outside the RD domain",
	[IB_WC_REM_INV_RD_REQ_ERR] = "peer: invalid RD request",
	[IB_WC_REM_ABORT_ERR] = "peer: operation aborted",
	[IB_WC_INV_EECN_ERR] = "no EE context of this number",
	[IB_WC_INV_EEC_STATE_ERR] = "EE context in the wrong state",
	[IB_WC_FATAL_ERR] = "fatal error",
	[IB_WC_RESP_TIMEOUT_ERR] = "no response in time",
	[IB_WC_GENERAL_ERR] = "other error",
};

/* IB_EVENT_WQ_FATAL has no text of its own, as in Linux. */
static const char *const events[] = {
	[IB_EVENT_CQ_ERR] = "completion queue overflowed or failed",
	[IB_EVENT_QP_FATAL] = "queue pair failed",
	[IB_EVENT_QP_REQ_ERR] = "queue pair got an invalid request",
	[IB_EVENT_QP_ACCESS_ERR] = "queue pair got a request without permission",
	[IB_EVENT_COMM_EST] = "first packet arrived",
	[IB_EVENT_SQ_DRAINED] = "send queue drained",
	[IB_EVENT_PATH_MIG] = "moved to the alternate path",
	[IB_EVENT_PATH_MIG_ERR] = "could not move to the alternate path",
	[IB_EVENT_DEVICE_FATAL] = "device failed",
	[IB_EVENT_PORT_ACTIVE] = "port active",
	[IB_EVENT_PORT_ERR] = "port down",
	[IB_EVENT_LID_CHANGE] = "LID changed",
	[IB_EVENT_PKEY_CHANGE] = "P_Key table changed",
	[IB_EVENT_SM_CHANGE] = "subnet manager changed",
	[IB_EVENT_SRQ_ERR] = "shared receive queue failed",
	[IB_EVENT_SRQ_LIMIT_REACHED] = "shared receive queue below its limit",
	[IB_EVENT_QP_LAST_WQE_REACHED] = "queue pair takes no more shared receives",
	[IB_EVENT_CLIENT_REREGISTER] = "subnet manager asks to register again",
	[IB_EVENT_GID_CHANGE] = "GID table changed",
};

static const char *pick(const char *const *texts, size_t count, size_t index, const char *other)
{
	return index < count && texts[index] ? texts[index] : other;
}

const char *ib_wc_status_msg(enum ib_wc_status status)
{
	return pick(wc_statuses, ARRAY_SIZE(wc_statuses), status, "unrecognized status");
}

const char *ib_event_msg(enum ib_event_type event)
{
	return pick(events, ARRAY_SIZE(events), event, "unrecognized event");
}
