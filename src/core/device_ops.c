/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The table of a provider's methods: how it is put together, and what is left of it at the end. */
#include "core/device_priv.h"

#include <linux/bug.h>
#include <string.h>

#include "base/cause.h"

/*
 * From device_group on, struct ib_device_ops has members of one word each: pointers and sizes.
 * Taking them as words, no member can be forgotten here when one is added there.
 */
#define FIRST_WORD offsetof(struct ib_device_ops, device_group)
#define WORDS ((sizeof(struct ib_device_ops) - FIRST_WORD) / sizeof(uintptr_t))

_Static_assert(sizeof(void *) == sizeof(uintptr_t) && sizeof(size_t) == sizeof(uintptr_t) &&
		       sizeof(void (*)(void)) == sizeof(uintptr_t) &&
		       FIRST_WORD % sizeof(uintptr_t) == 0,
	       "members of one word each");

static void add_missing_words(struct ib_device_ops *to, const struct ib_device_ops *from)
{
	uintptr_t mine[WORDS], theirs[WORDS];

	memcpy(mine, (const char *)to + FIRST_WORD, sizeof(mine));
	memcpy(theirs, (const char *)from + FIRST_WORD, sizeof(theirs));
	for (size_t i = 0; i < WORDS; i++)
		if (!mine[i])
			mine[i] = theirs[i];
	memcpy((char *)to + FIRST_WORD, mine, sizeof(mine));
}

void ib_set_device_ops(struct ib_device *device, const struct ib_device_ops *ops)
{
	struct ib_device_ops *mine = &device->ops;

	if (ops->driver_id != RDMA_DRIVER_UNKNOWN) {
		WARN_ON(mine->driver_id != RDMA_DRIVER_UNKNOWN &&
			mine->driver_id != ops->driver_id);
		mine->driver_id = ops->driver_id;
	}
	if (ops->owner) {
		WARN_ON(mine->owner && mine->owner != ops->owner);
		mine->owner = ops->owner;
	}
	if (ops->uverbs_abi_ver)
		mine->uverbs_abi_ver = ops->uverbs_abi_ver;
	mine->uverbs_no_driver_id_binding |= ops->uverbs_no_driver_id_binding;
	add_missing_words(mine, ops);
}

static int refuse_send(struct ib_qp *qp, const struct ib_send_wr *send_wr,
		       const struct ib_send_wr **bad_send_wr)
{
	*bad_send_wr = send_wr;
	if (!send_wr)
		return base_refuse_qp(-ENODEV, qp->qp_num, DEVICE_REMOVED, qp->device->index);
	return base_refuse_wr(-ENODEV, qp->qp_num, send_wr->wr_id, (u32)send_wr->opcode,
			      DEVICE_REMOVED, qp->device->index);
}

static int refuse_receive(u32 qpn, const struct ib_recv_wr *wr, u32 device_index)
{
	if (!wr)
		return base_refuse_qp(-ENODEV, qpn, DEVICE_REMOVED, device_index);
	return base_refuse_wr(-ENODEV, qpn, wr->wr_id, BASE_CAUSE_RECEIVE, DEVICE_REMOVED,
			      device_index);
}

static int refuse_recv(struct ib_qp *qp, const struct ib_recv_wr *recv_wr,
		       const struct ib_recv_wr **bad_recv_wr)
{
	*bad_recv_wr = recv_wr;
	return refuse_receive(qp->qp_num, recv_wr, qp->device->index);
}

static int refuse_srq_recv(struct ib_srq *srq, const struct ib_recv_wr *recv_wr,
			   const struct ib_recv_wr **bad_recv_wr)
{
	*bad_recv_wr = recv_wr;
	return refuse_receive(0, recv_wr, srq->device->index);
}

/* A post that is under way has loaded the old pointer, and still finds the provider alive. */
void core_post_refuse(struct ib_device *device)
{
	__atomic_store_n(&device->ops.post_send, refuse_send, __ATOMIC_RELEASE);
	__atomic_store_n(&device->ops.post_recv, refuse_recv, __ATOMIC_RELEASE);
	__atomic_store_n(&device->ops.post_srq_recv, refuse_srq_recv, __ATOMIC_RELEASE);
}
