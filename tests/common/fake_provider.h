/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A provider that does nothing but count its calls, remember their arguments and answer as it is
 * told. Each op may be made to fail, or be taken out of the table (provider->ib.ops.x = NULL).
 */
#ifndef TESTS_COMMON_FAKE_PROVIDER_H
#define TESTS_COMMON_FAKE_PROVIDER_H

#include <rdma/ib_verbs.h>

enum fake_op {
	FAKE_POST_SEND,
	FAKE_POST_RECV,
	FAKE_POST_SRQ_RECV,
	FAKE_POLL_CQ,
	FAKE_REQ_NOTIFY_CQ,
	FAKE_QUERY_DEVICE,
	FAKE_MODIFY_DEVICE,
	FAKE_QUERY_PORT,
	FAKE_MODIFY_PORT,
	FAKE_GET_PORT_IMMUTABLE,
	FAKE_QUERY_GID,
	FAKE_ADD_GID,
	FAKE_DEL_GID,
	FAKE_QUERY_PKEY,
	FAKE_ALLOC_PD,
	FAKE_DEALLOC_PD,
	FAKE_CREATE_AH,
	FAKE_CREATE_USER_AH,
	FAKE_MODIFY_AH,
	FAKE_QUERY_AH,
	FAKE_DESTROY_AH,
	FAKE_CREATE_SRQ,
	FAKE_MODIFY_SRQ,
	FAKE_QUERY_SRQ,
	FAKE_DESTROY_SRQ,
	FAKE_CREATE_QP,
	FAKE_MODIFY_QP,
	FAKE_QUERY_QP,
	FAKE_DESTROY_QP,
	FAKE_CREATE_CQ,
	FAKE_MODIFY_CQ,
	FAKE_RESIZE_CQ,
	FAKE_DESTROY_CQ,
	FAKE_GET_DMA_MR,
	FAKE_REG_USER_MR,
	FAKE_ALLOC_MR,
	FAKE_ALLOC_MR_INTEGRITY,
	FAKE_ADVISE_MR,
	FAKE_MAP_MR_SG,
	FAKE_MAP_MR_SG_PI,
	FAKE_CHECK_MR_STATUS,
	FAKE_DEREG_MR,
	FAKE_ATTACH_MCAST,
	FAKE_DETACH_MCAST,
	FAKE_ALLOC_XRCD,
	FAKE_DEALLOC_XRCD,
	FAKE_CREATE_WQ,
	FAKE_DESTROY_WQ,
	FAKE_ENABLE_DRIVER,
	FAKE_OPS
};

#define FAKE_PORTS 2
#define FAKE_GIDS 4
#define FAKE_PKEYS 2
#define FAKE_CQ_ROOM 64
#define FAKE_MR_PAGES 16
#define FAKE_LOCAL_DMA_LKEY 0x4711u

/**
 * struct fake_options - What kind of device; zeroes make one InfiniBand port.
 * @ports: 1 or 2; 0 means 1.
 * @roce: Ethernet ports with RoCEv2 instead of InfiniBand.
 * @roce_v1: With @roce: RoCEv1 as well.
 * @grh_required: InfiniBand ports that take addresses with a GRH only.
 * @kernel_cap_flags: attrs.kernel_cap_flags.
 * @check_modify: modify_qp looks into the table of QP state changes, as real providers do.
 */
struct fake_options {
	u32 ports;
	bool roce;
	bool roce_v1;
	bool grh_required;
	u64 kernel_cap_flags;
	bool check_modify;
};

/**
 * struct fake_provider - The device and its notebook.
 * @ib: The device.
 * @options: As given to fake_provider_new().
 * @called: How often each op was called.
 * @fail: What each op returns from its next call on, instead of doing its work; 0: it works.
 * @arg: First arguments of each op's latest call, in order, the object first; up to 6.
 * @gids: What query_gid answers, by port - 1 and index.
 * @pkeys: What query_pkey answers.
 * @lmc: LMC of the ports.
 * @port_state: State of the ports.
 * @send_wrs: WRs that post_send has taken.
 * @recv_wrs: WRs that post_recv and post_srq_recv have taken.
 * @post_room: post_* take so many more WRs, then return -ENOMEM. Huge at first.
 * @last_send: Copy of the latest WR that post_send has taken.
 * @last_ah: AH of the latest UD request.
 * @last_address: Its address then.
 * @last_bad_wr: What post_* have been given to write the refused WR to.
 * @mcast: Members, as attach_mcast and detach_mcast have left it.
 */
struct fake_provider {
	struct ib_device ib;
	struct fake_options options;
	unsigned int called[FAKE_OPS];
	int fail[FAKE_OPS];
	u64 arg[FAKE_OPS][6];
	union ib_gid gids[FAKE_PORTS][FAKE_GIDS];
	u16 pkeys[FAKE_PORTS][FAKE_PKEYS];
	u8 lmc;
	enum ib_port_state port_state;
	unsigned int send_wrs;
	unsigned int recv_wrs;
	unsigned int post_room;
	struct ib_send_wr last_send;
	struct ib_ah *last_ah;
	struct rdma_ah_attr last_address;
	const void *last_bad_wr;
	int mcast;
	u32 next_number;
};

struct fake_pd {
	struct ib_pd ib;
	u32 mark;
};

/* @state and @attr follow modify_qp. In ERR each posted WR completes as flushed. */
struct fake_qp {
	struct ib_qp ib;
	enum ib_qp_state state;
	struct ib_qp_attr attr;
	struct ib_qp_cap cap;
};

/* A ring of completions: fake_cq_push() fills it, poll_cq empties it. */
struct fake_cq {
	struct ib_cq ib;
	u32 first;
	u32 count;
	struct ib_wc wc[FAKE_CQ_ROOM];
	bool armed;
	enum ib_cq_notify_flags armed_for;
};

struct fake_srq {
	struct ib_srq ib;
	struct ib_srq_attr attr;
};

struct fake_ah {
	struct ib_ah ib;
	struct rdma_ah_attr attr;
};

struct fake_mr {
	struct ib_mr ib;
	u32 max_pages;
	u32 page_count;
	u64 page[FAKE_MR_PAGES];
	int access;
};

static inline struct fake_provider *to_fake(struct ib_device *device)
{
	return container_of(device, struct fake_provider, ib);
}

static inline struct fake_qp *to_fake_qp(struct ib_qp *qp)
{
	return container_of(qp, struct fake_qp, ib);
}

static inline struct fake_cq *to_fake_cq(struct ib_cq *cq)
{
	return container_of(cq, struct fake_cq, ib);
}

static inline struct fake_srq *to_fake_srq(struct ib_srq *srq)
{
	return container_of(srq, struct fake_srq, ib);
}

static inline struct fake_ah *to_fake_ah(struct ib_ah *ah)
{
	return container_of(ah, struct fake_ah, ib);
}

static inline struct fake_mr *to_fake_mr(struct ib_mr *mr)
{
	return container_of(mr, struct fake_mr, ib);
}

/**
 * fake_provider_alloc() - A device that is not registered yet.
 * @options: NULL for one InfiniBand port.
 *
 * Return: The device; NULL if there is no memory. Free it with ib_dealloc_device(&fake->ib).
 */
struct fake_provider *fake_provider_alloc(const struct fake_options *options);

/**
 * fake_provider_new() - A registered device, called fake0, fake1 ...
 * @options: NULL for one InfiniBand port.
 *
 * Return: The device; NULL if it could not be allocated or registered.
 */
struct fake_provider *fake_provider_new(const struct fake_options *options);

/** fake_provider_free() - Unregister and deallocate. NULL is allowed. */
void fake_provider_free(struct fake_provider *fake);

/** fake_gid() - The GID that port @port has at @index when the device is new. */
union ib_gid fake_gid(u32 port, unsigned int index);

/**
 * fake_cq_push() - A completion comes in; if the CQ is armed for it, its handler runs.
 * @cq: A CQ of a fake device.
 * @wc: The completion.
 * @solicited: The other side asked for an event.
 *
 * Return: false if FAKE_CQ_ROOM completions wait already.
 */
bool fake_cq_push(struct ib_cq *cq, const struct ib_wc *wc, bool solicited);

#endif
