/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The state changes of a QP: which exist, which attributes each of them needs, and which it takes
 * as well (IBA v1 11.2.4.2). Data, and ib_modify_qp_is_ok(), which reads it.
 */
#include <rdma/ib_verbs.h>

#include "base/cause.h"

#define STATES (IB_QPS_ERR + 1)

/* A change is a row: attribute masks by QP type. A type that is not named needs and takes none. */
struct qp_change {
	bool valid;
	u32 required[IB_QPT_MAX];
	u32 optional[IB_QPT_MAX];
};

/* Attributes, short enough for one line a type. */
enum {
	CUR = IB_QP_CUR_STATE,
	NOTIFY = IB_QP_EN_SQD_ASYNC_NOTIFY,
	ACCESS = IB_QP_ACCESS_FLAGS,
	PKEY = IB_QP_PKEY_INDEX,
	PORT = IB_QP_PORT,
	QKEY = IB_QP_QKEY,
	AV = IB_QP_AV,
	MTU = IB_QP_PATH_MTU,
	TIMEOUT = IB_QP_TIMEOUT,
	RETRY = IB_QP_RETRY_CNT,
	RNR = IB_QP_RNR_RETRY,
	RQ_PSN = IB_QP_RQ_PSN,
	READS_OUT = IB_QP_MAX_QP_RD_ATOMIC,
	ALT = IB_QP_ALT_PATH,
	RNR_TIMER = IB_QP_MIN_RNR_TIMER,
	SQ_PSN = IB_QP_SQ_PSN,
	READS_IN = IB_QP_MAX_DEST_RD_ATOMIC,
	MIG = IB_QP_PATH_MIG_STATE,
	DEST = IB_QP_DEST_QPN,
	RATE = IB_QP_RATE_LIMIT,
};

#define SMI IB_QPT_SMI
#define GSI IB_QPT_GSI
#define RC IB_QPT_RC
#define UC IB_QPT_UC
#define UD IB_QPT_UD
#define RAW IB_QPT_RAW_PACKET
#define INI IB_QPT_XRC_INI
#define TGT IB_QPT_XRC_TGT

/* clang-format off */

/*
 * [sm 3]; the pairs that are not here do not exist [sm 2]. Attributes are changed without a change
 * of state by the rows from a state to itself [sm 1.5]. No pair leads into SQE: the provider alone
 * does [sm 1.7].
 */
static const struct qp_change changes[STATES][STATES] = {
	[IB_QPS_RESET] = {
		[IB_QPS_RESET] = { .valid = true },
		[IB_QPS_INIT] = {
			.valid = true,
			.required = {
				[SMI] = PKEY | QKEY,
				[GSI] = PKEY | QKEY,
				[RC]  = PKEY | PORT | ACCESS,
				[UC]  = PKEY | PORT | ACCESS,
				[UD]  = PKEY | PORT | QKEY,
				[RAW] = PORT,
				[INI] = PKEY | PORT | ACCESS,
				[TGT] = PKEY | PORT | ACCESS,
			},
		},
	},
	[IB_QPS_INIT] = {
		[IB_QPS_RESET] = { .valid = true },
		[IB_QPS_ERR] = { .valid = true },
		[IB_QPS_INIT] = {
			.valid = true,
			.optional = {
				[SMI] = PKEY | QKEY,
				[GSI] = PKEY | QKEY,
				[RC]  = PKEY | PORT | ACCESS,
				[UC]  = PKEY | PORT | ACCESS,
				[UD]  = PKEY | PORT | QKEY,
				[INI] = PKEY | PORT | ACCESS,
				[TGT] = PKEY | PORT | ACCESS,
			},
		},
		[IB_QPS_RTR] = {
			.valid = true,
			.required = {
				[RC]  = AV | MTU | DEST | RQ_PSN | READS_IN | RNR_TIMER,
				[UC]  = AV | MTU | DEST | RQ_PSN,
				[INI] = AV | MTU | DEST | RQ_PSN,
				[TGT] = AV | MTU | DEST | RQ_PSN | READS_IN | RNR_TIMER,
			},
			.optional = {
				[SMI] = PKEY | QKEY,
				[GSI] = PKEY | QKEY,
				[RC]  = PKEY | ACCESS | ALT,
				[UC]  = PKEY | ACCESS | ALT,
				[UD]  = PKEY | QKEY,
				[INI] = PKEY | ACCESS | ALT,
				[TGT] = PKEY | ACCESS | ALT,
			},
		},
	},
	[IB_QPS_RTR] = {
		[IB_QPS_RESET] = { .valid = true },
		[IB_QPS_ERR] = { .valid = true },
		[IB_QPS_RTS] = {
			.valid = true,
			.required = {
				[SMI] = SQ_PSN,
				[GSI] = SQ_PSN,
				[RC]  = SQ_PSN | TIMEOUT | RETRY | RNR | READS_OUT,
				[UC]  = SQ_PSN,
				[UD]  = SQ_PSN,
				[INI] = SQ_PSN | TIMEOUT | RETRY | RNR | READS_OUT,
				[TGT] = SQ_PSN | TIMEOUT,
			},
			.optional = {
				[SMI] = CUR | QKEY,
				[GSI] = CUR | QKEY,
				[RC]  = CUR | ACCESS | ALT | MIG | RNR_TIMER,
				[UC]  = CUR | ACCESS | ALT | MIG,
				[UD]  = CUR | QKEY,
				[RAW] = RATE,
				[INI] = CUR | ACCESS | ALT | MIG,
				[TGT] = CUR | ACCESS | ALT | MIG | RNR_TIMER,
			},
		},
	},
	[IB_QPS_RTS] = {
		[IB_QPS_RESET] = { .valid = true },
		[IB_QPS_ERR] = { .valid = true },
		[IB_QPS_RTS] = {
			.valid = true,
			.optional = {
				[SMI] = CUR | QKEY,
				[GSI] = CUR | QKEY,
				[RC]  = CUR | ACCESS | ALT | MIG | RNR_TIMER,
				[UC]  = CUR | ACCESS | ALT | MIG,
				[UD]  = CUR | QKEY,
				[RAW] = RATE,
				[INI] = CUR | ACCESS | ALT | MIG,
				[TGT] = CUR | ACCESS | ALT | MIG | RNR_TIMER,
			},
		},
		[IB_QPS_SQD] = {
			.valid = true,
			.optional = {
				[SMI] = NOTIFY,
				[GSI] = NOTIFY,
				[RC]  = NOTIFY,
				[UC]  = NOTIFY,
				[UD]  = NOTIFY,
				[INI] = NOTIFY,
				[TGT] = NOTIFY,
			},
		},
	},
	[IB_QPS_SQD] = {
		[IB_QPS_RESET] = { .valid = true },
		[IB_QPS_ERR] = { .valid = true },
		[IB_QPS_RTS] = {
			.valid = true,
			.optional = {
				[SMI] = CUR | QKEY,
				[GSI] = CUR | QKEY,
				[RC]  = CUR | ACCESS | ALT | MIG | RNR_TIMER,
				[UC]  = CUR | ACCESS | ALT | MIG,
				[UD]  = CUR | QKEY,
				[INI] = CUR | ACCESS | ALT | MIG,
				[TGT] = CUR | ACCESS | ALT | MIG | RNR_TIMER,
			},
		},
		[IB_QPS_SQD] = {
			.valid = true,
			.optional = {
				[SMI] = PKEY | QKEY,
				[GSI] = PKEY | QKEY,
				[RC]  = PKEY | ACCESS | AV | ALT | MIG | PORT | TIMEOUT | RETRY |
					RNR | READS_OUT | READS_IN | RNR_TIMER,
				[UC]  = PKEY | ACCESS | AV | ALT | MIG,
				[UD]  = PKEY | QKEY,
				[INI] = PKEY | ACCESS | AV | ALT | MIG | PORT | TIMEOUT | RETRY |
					RNR | READS_OUT,
				[TGT] = PKEY | ACCESS | AV | ALT | MIG | PORT | TIMEOUT |
					READS_IN | RNR_TIMER,
			},
		},
	},
	[IB_QPS_SQE] = {
		[IB_QPS_RESET] = { .valid = true },
		[IB_QPS_ERR] = { .valid = true },
		[IB_QPS_RTS] = {
			.valid = true,
			.optional = {
				[SMI] = CUR | QKEY,
				[GSI] = CUR | QKEY,
				[UC]  = CUR | ACCESS,
				[UD]  = CUR | QKEY,
			},
		},
	},
	[IB_QPS_ERR] = {
		[IB_QPS_RESET] = { .valid = true },
		[IB_QPS_ERR] = { .valid = true },
	},
};

/* clang-format on */

/* [sm 1.1]: a caller that names the state it believes in can be right about these only. */
static bool may_be_current(enum ib_qp_state state)
{
	return state == IB_QPS_RTR || state == IB_QPS_RTS || state == IB_QPS_SQD ||
	       state == IB_QPS_SQE;
}

bool ib_modify_qp_is_ok(enum ib_qp_state cur_state, enum ib_qp_state next_state,
			enum ib_qp_type type, enum ib_qp_attr_mask mask)
{
	const struct qp_change *change;
	u32 missing, extra;

	/* [sm 1.6] */
	if ((u32)cur_state >= STATES || (u32)next_state >= STATES || (u32)type >= IB_QPT_MAX)
		return !base_refuse(-EINVAL, MODIFY_RANGE, cur_state, next_state, type);
	if ((mask & IB_QP_CUR_STATE) && !may_be_current(cur_state))
		return !base_refuse(-EINVAL, MODIFY_CUR_STATE, cur_state, next_state, type);
	change = &changes[cur_state][next_state];
	if (!change->valid) /* [sm 1.2] */
		return !base_refuse(-EINVAL, MODIFY_PAIR, cur_state, next_state, type);
	missing = change->required[type] & ~(u32)mask;
	if (missing) /* [sm 1.3] */
		return !base_refuse(-EINVAL, MODIFY_MISSING, cur_state, next_state, type, missing,
				    mask);
	extra = (u32)mask & ~(change->required[type] | change->optional[type] | IB_QP_STATE);
	if (extra) /* [sm 1.4] */
		return !base_refuse(-EINVAL, MODIFY_EXTRA, cur_state, next_state, type, extra,
				    mask);
	return true;
}
