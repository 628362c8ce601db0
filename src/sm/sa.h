/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Subnet administration: answers questions about what the manager has found, and keeps multicast groups, services
 * and subscriptions. Whoever carries the MADs calls it; it has no thread, no lock and no clock: one call at a time, of
 * it and of its manager.
 */
#ifndef SM_SA_H
#define SM_SA_H

#include <linux/types.h>
#include <rdma/ib_sa.h>

#include "sm/sm.h"

struct sa;

/**
 * struct sa_peer - Who asks, or is told.
 * @lid: LID.
 * @qpn: QP.
 * @sl: SL.
 * @has_grh: The request had a GRH, and what goes back is to have one:
 * @gid: with this GID, network order.
 */
struct sa_peer {
	u16 lid;
	u32 qpn;
	u8 sl;
	bool has_grh;
	u8 gid[16];
};

/**
 * struct sa_ops - What it needs.
 * @report: Send a Report, which is copied, and repeat it until it is answered, or as often as is reasonable.
 */
struct sa_ops {
	void (*report)(void *ctx, const struct sa_peer *to, const struct ib_sa_mad *report);
};

/**
 * struct sa_reply - What to send back.
 * @mad: IB_MGMT_SA_HDR bytes of headers, with RMPP's zero, and the records; for base_free(). NULL: no answer.
 * @bytes: Of all that.
 * @is_table: To be sent by RMPP, however short.
 */
struct sa_reply {
	u8 *mad;
	size_t bytes;
	bool is_table;
};

/**
 * struct sa_stats - What it has done.
 * @answered: Requests.
 * @refused: Of these, with a status.
 * @dropped: Requests that are none, or for which there was no memory to answer.
 * @reports: Sent.
 */
struct sa_stats {
	u64 answered;
	u64 refused;
	u64 dropped;
	u64 reports;
};

/** sa_new() - On a manager, which outlives it; with the broadcast group of IPoIB. Return: NULL without memory. */
struct sa *sa_new(struct sm *sm, const struct sa_ops *ops, void *ctx);

/** sa_free() - Forget subscriptions and services; groups are the manager's. @sa: May be NULL. */
void sa_free(struct sa *sa);

/**
 * sa_request() - A request of the SA's class has arrived.
 * @sa: SA.
 * @from: Where from.
 * @now_ns: Time, for leases of services.
 * @mad: It, reassembled if it came by RMPP. Any content.
 * @bytes: Of it.
 * @reply: Out.
 */
void sa_request(struct sa *sa, const struct sa_peer *from, u64 now_ns, const void *mad,
		size_t bytes, struct sa_reply *reply);

/** sa_swept() - The manager has swept: ports that are gone are in no group any more, and who wants to know is told. */
void sa_swept(struct sa *sa);

/** sa_retire() - The manager is the master no more: members, services and subscriptions are somebody else's. */
void sa_retire(struct sa *sa);

/**
 * sa_trap() - A trap has arrived that the manager has repressed: tell who has subscribed to it.
 * @sa: SA.
 * @notice: Its 64 bytes.
 */
void sa_trap(struct sa *sa, const u8 *notice);

/** sa_get_stats() - Read the counters. */
void sa_get_stats(const struct sa *sa, struct sa_stats *stats);

#endif
