/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Verbs on behalf of a program: what uverbs calls where the kernel API has no udata to pass on.
 * The calls to destroy such objects are the *_user() ones of <rdma/ib_verbs.h> (Verbena).
 */
#ifndef VERBENA_RDMA_IB_VERBS_USER_H
#define VERBENA_RDMA_IB_VERBS_USER_H

#include <rdma/ib_verbs.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * ib_alloc_ucontext() - Make a program's context.
 * @device: Whose.
 * @mem: Where rings that the program maps come from; NULL if it maps none.
 *
 * Must be followed by ib_start_ucontext() before the provider sees it.
 *
 * Context: May sleep.
 * Return: The context; ERR_PTR(-EOPNOTSUPP), ERR_PTR(-ENODEV), ERR_PTR(-ENOMEM).
 */
struct ib_ucontext *ib_alloc_ucontext(struct ib_device *device,
				      const struct ib_ucontext_mem_ops *mem);

/**
 * ib_start_ucontext() - Let the provider set up a context.
 * @context: From ib_alloc_ucontext(). On failure it is gone.
 * @udata: The program's request and response.
 *
 * Context: May sleep.
 * Return: 0 or what the provider refused.
 */
int ib_start_ucontext(struct ib_ucontext *context, struct ib_udata *udata);

/**
 * ib_dealloc_ucontext() - Undo ib_start_ucontext().
 * @context: No object of it is left.
 *
 * Context: May sleep.
 */
void ib_dealloc_ucontext(struct ib_ucontext *context);

/**
 * ib_alloc_pd_user() - Allocate a PD for a program.
 * @device: Whose.
 * @uobject: Who keeps it for the program.
 * @udata: The program's request and response.
 *
 * Context: May sleep.
 * Return: The PD, for ib_dealloc_pd_user(); or ERR_PTR as ib_alloc_pd().
 */
struct ib_pd *ib_alloc_pd_user(struct ib_device *device, struct ib_uobject *uobject,
			       struct ib_udata *udata);

/**
 * ib_create_cq_user() - Create a CQ for a program.
 * @device: Whose.
 * @attr: Size, vector, flags.
 * @comp_handler: Called when an armed CQ fires.
 * @event_handler: Called when the CQ fails.
 * @uobject: Who keeps it for the program; cq_context of both handlers.
 * @udata: The program's request and response.
 *
 * Context: May sleep.
 * Return: The CQ, for ib_destroy_cq_user(); or ERR_PTR as ib_create_cq().
 */
struct ib_cq *ib_create_cq_user(struct ib_device *device, const struct ib_cq_init_attr *attr,
				ib_comp_handler comp_handler,
				void (*event_handler)(struct ib_event *, void *),
				struct ib_ucq_object *uobject, struct ib_udata *udata);

/**
 * ib_resize_cq_user() - Resize a program's CQ.
 * @cq: Which.
 * @cqe: Entries at least.
 * @udata: The program's request and response.
 *
 * Context: May sleep.
 * Return: As ib_resize_cq().
 */
int ib_resize_cq_user(struct ib_cq *cq, int cqe, struct ib_udata *udata);

/**
 * ib_modify_srq_user() - Resize or arm a program's SRQ.
 * @srq: Which.
 * @attr: New values.
 * @mask: Which of them.
 * @udata: The program's request and response.
 *
 * Context: May sleep.
 * Return: As ib_modify_srq().
 */
int ib_modify_srq_user(struct ib_srq *srq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		       struct ib_udata *udata);

/**
 * ib_reg_mr_user() - Register a program's memory.
 * @pd: In which domain.
 * @start: First byte.
 * @length: Bytes.
 * @virt_addr: Address by which requests name the first byte.
 * @access: enum ib_access_flags.
 * @uobject: Who keeps it for the program.
 * @udata: The program's request and response.
 *
 * Context: May sleep.
 * Return: The MR, for ib_dereg_mr_user(); or ERR_PTR as ib_reg_user_mr().
 */
struct ib_mr *ib_reg_mr_user(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
			     struct ib_uobject *uobject, struct ib_udata *udata);

/**
 * ib_alloc_mw_user() - Allocate a memory window for a program.
 * @pd: In which domain.
 * @type: 1 or 2.
 * @uobject: Who keeps it for the program.
 * @udata: The program's request and response.
 *
 * Context: May sleep.
 * Return: The window, for ib_dealloc_mw_user(); ERR_PTR(-EINVAL) for another type;
 *	ERR_PTR(-EOPNOTSUPP); another errno of the provider's.
 */
struct ib_mw *ib_alloc_mw_user(struct ib_pd *pd, enum ib_mw_type type, struct ib_uobject *uobject,
			       struct ib_udata *udata);

/**
 * ib_dealloc_mw_user() - Free a memory window.
 * @mw: From ib_alloc_mw_user().
 *
 * Context: May sleep.
 * Return: 0, or what the provider refused.
 */
int ib_dealloc_mw_user(struct ib_mw *mw);

/**
 * ib_create_qp_user() - Create a QP for a program.
 * @dev: Its device.
 * @pd: Its PD; NULL for an XRC target QP.
 * @attr: As for ib_create_qp().
 * @udata: The program's request and response, or NULL.
 * @uobj: Who keeps the QP for the program.
 * @caller: Name of who asks.
 *
 * An XRC target QP belongs to attr->xrcd; what is returned is the first handle to it, as from
 * ib_open_qp(). Others are as from ib_create_qp(), without rdma_rw contexts.
 *
 * Context: May sleep.
 * Return: As for ib_create_qp().
 */
struct ib_qp *ib_create_qp_user(struct ib_device *dev, struct ib_pd *pd,
				struct ib_qp_init_attr *attr, struct ib_udata *udata,
				struct ib_uqp_object *uobj, const char *caller);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_VERBS_USER_H */
