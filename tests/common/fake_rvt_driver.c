// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/fake_rvt_driver.h"

#include <rdma/ib_verbs.h>
#include <rdma/ib_verbs_user.h>

#include "base/alloc.h"
#include "base/host.h"
#include "base/umem.h"
#include "rdmavt/cq.h"

#define UD_BYTES 2048

struct fake_priv {
	struct rvt_qp *qp;
	struct work_struct work;
};

#define CONNECTED (BIT(IB_QPT_RC) | BIT(IB_QPT_UC))
#define EVERY (CONNECTED | BIT(IB_QPT_UD) | BIT(IB_QPT_SMI) | BIT(IB_QPT_GSI))
#define READS RVT_OPERATION_ATOMIC

/* clang-format off */
static const struct rvt_operation_params post_parms[RVT_OPERATION_MAX] = {
	[IB_WR_RDMA_WRITE] = { sizeof(struct ib_rdma_wr), CONNECTED, 0 },
	[IB_WR_RDMA_WRITE_WITH_IMM] = { sizeof(struct ib_rdma_wr), CONNECTED, 0 },
	[IB_WR_RDMA_READ] = { sizeof(struct ib_rdma_wr), BIT(IB_QPT_RC), READS },
	[IB_WR_ATOMIC_CMP_AND_SWP] = { sizeof(struct ib_atomic_wr), BIT(IB_QPT_RC),
				       READS | RVT_OPERATION_ATOMIC_SGE },
	[IB_WR_ATOMIC_FETCH_AND_ADD] = { sizeof(struct ib_atomic_wr), BIT(IB_QPT_RC),
					 READS | RVT_OPERATION_ATOMIC_SGE },
	[IB_WR_SEND] = { sizeof(struct ib_send_wr), EVERY, 0 },
	[IB_WR_SEND_WITH_IMM] = { sizeof(struct ib_send_wr), EVERY, 0 },
	[IB_WR_SEND_WITH_INV] = { sizeof(struct ib_send_wr), BIT(IB_QPT_RC), 0 },
	[IB_WR_ATOMIC_WRITE] = { sizeof(struct ib_rdma_wr), BIT(IB_QPT_RC), READS },
	[IB_WR_FLUSH] = { sizeof(struct rvt_flush_wr), BIT(IB_QPT_RC), READS },
	[IB_WR_REG_MR] = { sizeof(struct ib_reg_wr), CONNECTED, RVT_OPERATION_LOCAL },
	[IB_WR_LOCAL_INV] = { sizeof(struct ib_send_wr), CONNECTED, RVT_OPERATION_LOCAL },
	[IB_WR_BIND_MW] = { sizeof(struct rvt_bind_wr), CONNECTED, RVT_OPERATION_LOCAL },
	[IB_WR_RESERVED1] = { sizeof(struct ib_send_wr), CONNECTED, RVT_OPERATION_USE_RESERVE },
	[IB_WR_RESERVED2] = { sizeof(struct ib_send_wr), CONNECTED, RVT_OPERATION_PRIV },
};

static const enum ib_wc_opcode wc_opcode[RVT_OPERATION_MAX] = {
	[IB_WR_RDMA_WRITE] = IB_WC_RDMA_WRITE,
	[IB_WR_RDMA_WRITE_WITH_IMM] = IB_WC_RDMA_WRITE,
	[IB_WR_RDMA_READ] = IB_WC_RDMA_READ,
	[IB_WR_ATOMIC_CMP_AND_SWP] = IB_WC_COMP_SWAP,
	[IB_WR_ATOMIC_FETCH_AND_ADD] = IB_WC_FETCH_ADD,
	[IB_WR_SEND] = IB_WC_SEND,
	[IB_WR_SEND_WITH_IMM] = IB_WC_SEND,
	[IB_WR_SEND_WITH_INV] = IB_WC_SEND,
	[IB_WR_REG_MR] = IB_WC_REG_MR,
	[IB_WR_LOCAL_INV] = IB_WC_LOCAL_INV,
	[IB_WR_BIND_MW] = IB_WC_BIND_MW,
	[IB_WR_ATOMIC_WRITE] = IB_WC_ATOMIC_WRITE,
	[IB_WR_FLUSH] = IB_WC_FLUSH,
};
/* clang-format on */

static u64 now_ns;

static _Thread_local bool in_engine;

static void run_engine(struct rvt_qp *qp)
{
	const bool nested = in_engine;

	in_engine = true;
	if (qp->allowed_ops != IB_OPCODE_UD) {
		rvt_ruc_loopback(qp);
	} else {
		spin_lock(&qp->r_lock);
		spin_lock(&qp->s_lock);
		while (qp->s_last != smp_load_acquire(&qp->s_head)) {
			const bool flush = ib_rvt_state_ops[qp->state] & RVT_FLUSH_SEND;
			struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp, qp->s_last);
			enum ib_wc_status status = IB_WC_SUCCESS;

			if (!flush && !(ib_rvt_state_ops[qp->state] & RVT_PROCESS_NEXT_SEND_OK))
				break;
			if (flush)
				status = IB_WC_WR_FLUSH_ERR;
			else if (rvt_swqe_is_local(post_parms, wqe))
				status = rvt_qp_do_local(qp, wqe);
			rvt_send_complete(qp, wqe, status);
		}
		spin_unlock(&qp->s_lock);
		spin_unlock(&qp->r_lock);
	}
	in_engine = nested;
}

static void engine_work(struct work_struct *work)
{
	run_engine(container_of(work, struct fake_priv, work)->qp);
}

static void count(unsigned int *counter)
{
	(void)__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

static bool schedule_send(struct rvt_qp *qp)
{
	struct fake_priv *priv = qp->priv;

	count(&to_fake_rvt(qp->ibqp.device)->schedules);
	return base_run_later(&priv->work);
}

static bool schedule_send_no_lock(struct rvt_qp *qp)
{
	struct fake_rvt *fake = to_fake_rvt(qp->ibqp.device);

	if (fake->manual || in_engine)
		return schedule_send(qp);
	count(&fake->schedules);
	run_engine(qp);
	return true;
}

static void do_send(struct rvt_qp *qp)
{
	struct fake_rvt *fake = to_fake_rvt(qp->ibqp.device);

	count(&fake->sends);
	if (fake->manual || in_engine)
		(void)schedule_send(qp);
	else
		run_engine(qp);
}

static int setup_wqe(struct rvt_qp *qp, struct rvt_swqe *wqe, bool *call_send)
{
	struct fake_rvt *fake = to_fake_rvt(qp->ibqp.device);

	if (fake->setup_error)
		return base_refuse_wr(fake->setup_error, qp->ibqp.qp_num, wqe->wr.wr_id,
				      (u8)wqe->wr.opcode, POST_DRIVER, wqe->wr.opcode, wqe->length);
	if (fake->setup_no_call)
		*call_send = false;
	return 0;
}

static void *qp_priv_alloc(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	struct fake_rvt *fake = container_of(rdi, struct fake_rvt, rdi);
	struct fake_priv *priv;

	if (fake->priv_error)
		return ERR_PTR(fake->priv_error);
	priv = base_zalloc(sizeof(*priv));
	if (!priv)
		return ERR_PTR(-ENOMEM);
	priv->qp = qp;
	INIT_WORK(&priv->work, engine_work);
	fake->privs++;
	return priv;
}

static int qp_priv_init(struct rvt_dev_info *rdi, struct rvt_qp *qp, struct ib_qp_init_attr *attr)
{
	(void)qp;
	(void)attr;
	return container_of(rdi, struct fake_rvt, rdi)->priv_init_error;
}

static void qp_priv_free(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	struct fake_priv *priv = qp->priv;

	(void)base_cancel_work(&priv->work, true);
	base_free(priv);
	container_of(rdi, struct fake_rvt, rdi)->privs--;
}

static void notify_qp_reset(struct rvt_qp *qp)
{
	count(&to_fake_rvt(qp->ibqp.device)->resets);
}

static void notify_error_qp(struct rvt_qp *qp)
{
	count(&to_fake_rvt(qp->ibqp.device)->errors);
}

static void flush_qp_waiters(struct rvt_qp *qp)
{
	(void)qp;
}

static void stop_send_queue(struct rvt_qp *qp)
{
	struct fake_priv *priv = qp->priv;

	(void)base_cancel_work(&priv->work, true);
}

static void notify_restart_rc(struct rvt_qp *qp, u32 psn, int wait)
{
	struct fake_rvt *fake = to_fake_rvt(qp->ibqp.device);

	(void)wait;
	fake->restarts++;
	fake->restart_psn = psn;
}

static int get_pmtu_from_attr(struct rvt_dev_info *rdi, struct rvt_qp *qp, struct ib_qp_attr *attr)
{
	(void)rdi;
	(void)qp;
	return attr->path_mtu >= IB_MTU_256 && attr->path_mtu <= IB_MTU_4096 ? (int)attr->path_mtu
									     : -EINVAL;
}

static u32 mtu_from_qp(struct rvt_dev_info *rdi, struct rvt_qp *qp, u32 pmtu)
{
	(void)rdi;
	(void)qp;
	return (u32)ib_mtu_enum_to_int((enum ib_mtu)pmtu);
}

static int mtu_to_path_mtu(u32 mtu)
{
	return (int)ib_mtu_int_to_enum((int)mtu);
}

static int get_guid_be(struct rvt_dev_info *rdi, struct rvt_ibport *rvp, int guid_index,
		       __be64 *guid)
{
	(void)rdi;
	(void)rvp;
	*guid = cpu_to_be64(0x0002c90300000000ull + (u64)guid_index);
	return guid_index == 0 ? 0 : -EINVAL;
}

static int query_port_state(struct rvt_dev_info *rdi, u32 port_num, struct ib_port_attr *props)
{
	(void)rdi;
	props->state = IB_PORT_ACTIVE;
	props->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	props->max_mtu = IB_MTU_4096;
	props->active_mtu = IB_MTU_4096;
	props->gid_tbl_len = 1;
	props->pkey_tbl_len = FAKE_RVT_PKEYS;
	props->lid = (u16)port_num;
	props->active_width = IB_WIDTH_4X;
	props->active_speed = IB_SPEED_EDR;
	return 0;
}

static int shut_down_port(struct rvt_dev_info *rdi, u32 port_num)
{
	(void)rdi;
	(void)port_num;
	return 0;
}

static void cap_mask_chg(struct rvt_dev_info *rdi, u32 port_num)
{
	(void)rdi;
	(void)port_num;
}

static unsigned free_all_qps(struct rvt_dev_info *rdi)
{
	(void)rdi;
	return 0;
}

static void notify_new_ah(struct ib_device *ibdev, struct rdma_ah_attr *attr, struct rvt_ah *ah)
{
	(void)ibdev;
	(void)attr;
	ah->log_pmtu = 11;
}

static int check_modify_qp(struct rvt_qp *qp, struct ib_qp_attr *attr, int attr_mask,
			   struct ib_udata *udata)
{
	(void)attr;
	(void)attr_mask;
	(void)udata;
	return to_fake_rvt(qp->ibqp.device)->modify_error;
}

static void modify_qp(struct rvt_qp *qp, struct ib_qp_attr *attr, int attr_mask,
		      struct ib_udata *udata)
{
	(void)attr;
	(void)attr_mask;
	(void)udata;
	to_fake_rvt(qp->ibqp.device)->modifies++;
}

static int modify_device(struct ib_device *device, int mask, struct ib_device_modify *modify)
{
	(void)device;
	(void)mask;
	(void)modify;
	return 0;
}

static const struct rvt_driver_provided driver_f = {
	.schedule_send = schedule_send,
	.schedule_send_no_lock = schedule_send_no_lock,
	.setup_wqe = setup_wqe,
	.do_send = do_send,
	.qp_priv_alloc = qp_priv_alloc,
	.qp_priv_init = qp_priv_init,
	.qp_priv_free = qp_priv_free,
	.notify_qp_reset = notify_qp_reset,
	.get_pmtu_from_attr = get_pmtu_from_attr,
	.flush_qp_waiters = flush_qp_waiters,
	.stop_send_queue = stop_send_queue,
	.quiesce_qp = flush_qp_waiters,
	.notify_error_qp = notify_error_qp,
	.mtu_from_qp = mtu_from_qp,
	.mtu_to_path_mtu = mtu_to_path_mtu,
	.get_guid_be = get_guid_be,
	.query_port_state = query_port_state,
	.shut_down_port = shut_down_port,
	.cap_mask_chg = cap_mask_chg,
	.free_all_qps = free_all_qps,
	.notify_new_ah = notify_new_ah,
	.check_modify_qp = check_modify_qp,
	.modify_qp = modify_qp,
	.notify_restart_rc = notify_restart_rc,
};

static void fill_limits(struct ib_device_attr *props, const struct fake_rvt_options *options)
{
	props->max_qp = options->max_qp ? options->max_qp : 64;
	props->max_qp_wr = 1024;
	props->max_send_sge = 8;
	props->max_recv_sge = 8;
	props->max_cq = 64;
	props->max_cqe = 4096;
	props->max_pd = 16;
	props->max_ah = 16;
	props->max_srq = 8;
	props->max_srq_wr = 256;
	props->max_srq_sge = 4;
	props->max_mr_size = UINT64_MAX;
	props->max_mw = 4;
	props->max_qp_rd_atom = FAKE_RVT_MAX_READS;
	props->max_qp_init_rd_atom = 255;
	props->max_mcast_grp = 4;
	props->max_mcast_qp_attach = 4;
	props->max_fast_reg_page_list_len = 256;
	props->max_pkeys = FAKE_RVT_PKEYS;
	props->device_cap_flags = IB_DEVICE_MEM_MGT_EXTENSIONS;
}

static void fill_params(struct rvt_driver_params *dparms, const struct fake_rvt_options *options)
{
	fill_limits(&dparms->props, options);
	dparms->lkey_table_size = 8;
	dparms->qp_table_size = options->qp_table_size ? options->qp_table_size : 16;
	dparms->sge_copy_mode = options->sge_copy_mode;
	dparms->qpn_start = 1;
	dparms->qpn_inc = 1;
	dparms->qpn_res_start = RVT_KDETH_QP_BASE;
	dparms->qpn_res_end = RVT_AIP_QP_MAX;
	dparms->nports = FAKE_RVT_PORTS;
	dparms->npkeys = FAKE_RVT_PKEYS;
	dparms->psn_mask = 0xffffff;
	dparms->psn_modify_mask = 0xffffff;
	dparms->core_cap_flags = RDMA_CORE_PORT_IBA_IB & ~(u32)RDMA_CORE_CAP_IB_MAD;
	dparms->max_mad_size = 0;
	dparms->max_rdma_atomic = FAKE_RVT_MAX_READS;
	dparms->reserved_operations = options->reserved_operations;
	dparms->keys_same = options->keys_same;
}

struct fake_rvt *fake_rvt_new(const struct fake_rvt_options *options)
{
	static const struct ib_device_ops ops = {.modify_device = modify_device};
	static const struct fake_rvt_options ordinary;
	struct rvt_dev_info *rdi = rvt_alloc_device(sizeof(struct fake_rvt), FAKE_RVT_PORTS);
	struct fake_rvt *fake;

	if (!rdi)
		return NULL;
	(void)base_umem_init();
	fake = container_of(rdi, struct fake_rvt, rdi);
	fill_params(&rdi->dparms, options ? options : &ordinary);
	rdi->driver_f = driver_f;
	rdi->post_parms = post_parms;
	rdi->wc_opcode = wc_opcode;
	for (int i = 0; i < FAKE_RVT_PORTS; i++) {
		fake->pkeys[i][i] = 0xffff;
		fake->pkeys[i][!i] = 0x8001;
		fake->port[i].gid_prefix = cpu_to_be64(0xfe80000000000000ull);
		(void)rvt_init_port(rdi, &fake->port[i], i, fake->pkeys[i]);
	}
	ib_set_device_ops(&rdi->ibdev, &ops);
	rvt_set_ibdev_name(rdi, "%s_%d", "fakervt", 0);
	if (rvt_register_device(rdi)) {
		rvt_dealloc_device(rdi);
		return NULL;
	}
	return fake;
}

void fake_rvt_free(struct fake_rvt *fake)
{
	rvt_unregister_device(&fake->rdi);
	rvt_dealloc_device(&fake->rdi);
}

void fake_rvt_turn(u64 ns)
{
	now_ns = base_now_ns() > now_ns ? base_now_ns() : now_ns;
	/* A fresh timer is stamped by the first turn. */
	while (base_host_turn(now_ns, 1000))
		;
	now_ns += ns;
	while (base_host_turn(now_ns, 1000))
		;
}

static void note_event(struct ib_event *event, void *context)
{
	struct fake_rvt_end *end = context;

	end->events |= 1ull << event->event;
	end->event_count++;
	end->event_cause = base_cause_last()->id;
}

static struct ib_cq *make_cq(struct ib_device *device)
{
	const struct ib_cq_init_attr attr = {.cqe = 64};

	return ib_create_cq(device, NULL, NULL, NULL, &attr);
}

int fake_rvt_end_init(struct fake_rvt_end *end, struct ib_pd *pd,
		      const struct ib_qp_init_attr *attr)
{
	struct ib_qp_init_attr init = *attr;
	const bool own_send = !end->send_cq, own_recv = !end->recv_cq;
	int ret;

	if (!init.cap.max_send_wr && !init.cap.max_recv_wr) {
		init.cap.max_send_wr = init.cap.max_recv_wr = 8;
		init.cap.max_send_sge = init.cap.max_recv_sge = 4;
	}
	if (own_send)
		end->send_cq = make_cq(pd->device);
	if (own_recv)
		end->recv_cq = make_cq(pd->device);
	ret = IS_ERR(end->send_cq) ? (int)PTR_ERR(end->send_cq)
				   : (int)PTR_ERR_OR_ZERO(end->recv_cq);
	if (!ret) {
		init.send_cq = end->send_cq;
		init.recv_cq = end->recv_cq;
		init.event_handler = note_event;
		init.qp_context = end;
		end->qp = end->udata ? ib_create_qp_user(pd->device, pd, &init, end->udata, NULL,
							 KBUILD_MODNAME)
				     : ib_create_qp(pd, &init);
		end->cap = init.cap;
		if (!IS_ERR(end->qp))
			return 0;
		ret = (int)PTR_ERR(end->qp);
		end->qp = NULL;
	}
	if (own_send && !IS_ERR(end->send_cq))
		ib_destroy_cq(end->send_cq);
	if (own_recv && !IS_ERR(end->recv_cq))
		ib_destroy_cq(end->recv_cq);
	end->send_cq = end->recv_cq = NULL;
	return ret;
}

void fake_rvt_end_exit(struct fake_rvt_end *end)
{
	if (!end->qp)
		return;
	(void)ib_destroy_qp(end->qp);
	ib_destroy_cq(end->send_cq);
	if (end->recv_cq != end->send_cq)
		ib_destroy_cq(end->recv_cq);
	*end = (struct fake_rvt_end){0};
}

static int to_init(struct ib_qp *qp)
{
	struct ib_qp_attr attr = {.qp_state = IB_QPS_INIT,
				  .port_num = 1,
				  .qkey = 0x1234,
				  .qp_access_flags =
					  IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |
					  IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_FLUSH_GLOBAL |
					  IB_ACCESS_FLUSH_PERSISTENT};
	const int mask = IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT;

	return ib_modify_qp(qp, &attr,
			    mask | (qp->qp_type == IB_QPT_UD ? IB_QP_QKEY : IB_QP_ACCESS_FLAGS));
}

static int to_rtr(struct ib_qp *qp, u32 peer)
{
	struct ib_qp_attr attr = {.qp_state = IB_QPS_RTR,
				  .path_mtu = IB_MTU_1024,
				  .dest_qp_num = peer,
				  .rq_psn = 0x100,
				  .max_dest_rd_atomic = FAKE_RVT_MAX_READS,
				  .min_rnr_timer = 1};
	const int connected = IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN;
	int mask = IB_QP_STATE;

	attr.ah_attr.type = RDMA_AH_ATTR_TYPE_IB;
	rdma_ah_set_dlid(&attr.ah_attr, 1);
	rdma_ah_set_port_num(&attr.ah_attr, 1);
	if (qp->qp_type != IB_QPT_UD)
		mask |= connected;
	if (qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	return ib_modify_qp(qp, &attr, mask);
}

static int to_rts(struct ib_qp *qp)
{
	struct ib_qp_attr attr = {.qp_state = IB_QPS_RTS,
				  .sq_psn = 0x100,
				  .timeout = 10,
				  .retry_cnt = 7,
				  .rnr_retry = 2,
				  .max_rd_atomic = FAKE_RVT_MAX_READS};
	int mask = IB_QP_STATE | IB_QP_SQ_PSN;

	if (qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC;
	return ib_modify_qp(qp, &attr, mask);
}

int fake_rvt_to(struct ib_qp *qp, enum ib_qp_state state, u32 peer)
{
	struct ib_qp_attr attr = {.qp_state = state};
	int ret = 0;

	if (state >= IB_QPS_INIT)
		ret = to_init(qp);
	if (!ret && state >= IB_QPS_RTR)
		ret = to_rtr(qp, peer);
	if (!ret && state >= IB_QPS_RTS)
		ret = to_rts(qp);
	if (!ret && state > IB_QPS_RTS)
		ret = ib_modify_qp(qp, &attr, IB_QP_STATE);
	return ret;
}

int fake_rvt_connect(struct fake_rvt_end *a, struct fake_rvt_end *b)
{
	const int ret = fake_rvt_to(a->qp, IB_QPS_RTS, b->qp->qp_num);

	return ret ? ret : fake_rvt_to(b->qp, IB_QPS_RTS, a->qp->qp_num);
}

int fake_rvt_poll(struct ib_cq *cq, struct ib_wc *wc)
{
	return rvt_poll_cq(cq, 1, wc) == 1;
}
