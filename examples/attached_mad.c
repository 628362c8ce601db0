// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * A host of a fabric that several processes share: which switch does it hang on, and which way leads to the manager? First:
 * verbena fabric up --topology FILE. Its argument is one of the hosts of FILE. docs/management.md explains it.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_sa.h>
#include <rdma/ib_smi.h>
#include <stdio.h>
#include <verbena/verbena.h>

static struct completion done;
static struct ib_sa_client client;

static void answered(struct ib_mad_agent *agent, struct ib_mad_send_buf *request,
		     struct ib_mad_recv_wc *wc)
{
	const u8 *info = ((const struct ib_smp *)wc->recv_buf.mad)->data;

	(void)agent;
	if (request) /* NodeInfo: type, ports, and where the request has come in */
		printf("at port %u of a node of type %u with %u ports\n", info[36], info[2],
		       info[3]);
	ib_free_recv_mad(wc);
}

static void sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	(void)agent;
	if (wc->status)
		printf("no answer: %s\n", ib_wc_status_msg(wc->status));
	ib_free_send_mad(wc->send_buf);
	complete(&done);
}

/* One hop, out of our port 1. */
static int ask_switch(struct ib_mad_agent *agent, struct ib_ah *ah)
{
	struct ib_mad_send_buf *buf = ib_create_send_mad(agent, 0, 0, 0, IB_MGMT_MAD_HDR,
							 IB_MGMT_MAD_DATA, GFP_KERNEL,
							 IB_MGMT_BASE_VERSION);
	struct ib_smp *smp;

	if (IS_ERR(buf))
		return (int)PTR_ERR(buf);
	smp = buf->mad;
	ib_init_query_mad(smp);
	smp->mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	smp->tid = cpu_to_be64((u64)agent->hi_tid << 32 | 1);
	smp->attr_id = IB_SMP_ATTR_NODE_INFO;
	smp->hop_cnt = 1;
	smp->initial_path[1] = 1;
	smp->dr_slid = smp->dr_dlid = IB_LID_PERMISSIVE;
	buf->ah = ah;
	buf->timeout_ms = 1000;
	if (!ib_post_send_mad(buf, NULL)) {
		wait_for_completion(&done);
		return 0;
	}
	ib_free_send_mad(buf);
	return -1;
}

static int ask_by_directed_route(struct ib_device *device)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	struct ib_mad_agent *agent;
	struct ib_ah *ah;
	int ret;

	agent = ib_register_mad_agent(device, 1, IB_QPT_SMI, NULL, 0, sent, answered, NULL, 0);
	if (IS_ERR(agent))
		return (int)PTR_ERR(agent);
	rdma_ah_set_dlid(&attr, be16_to_cpu(IB_LID_PERMISSIVE));
	ah = rdma_create_ah(agent->qp->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	ret = IS_ERR(ah) ? (int)PTR_ERR(ah) : ask_switch(agent, ah);
	if (!IS_ERR(ah))
		rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
	ib_unregister_mad_agent(agent);
	return ret;
}

static void found(int status, struct sa_path_rec *path, unsigned int count, void *context)
{
	(void)count;
	(void)context;
	if (status)
		printf("no path: %d\n", status);
	else
		printf("path from LID %u to the manager's, %u, MTU %d\n",
		       be32_to_cpu(sa_path_get_slid(path)), be32_to_cpu(sa_path_get_dlid(path)),
		       ib_mtu_enum_to_int(path->mtu));
	complete(&done);
}

static int ask_administration(struct ib_device *device)
{
	struct sa_path_rec rec = {.rec_type = SA_PATH_REC_TYPE_IB, .numb_path = 1};
	struct ib_sa_query *query;
	struct ib_port_attr port;
	int ret;

	ib_query_port(device, 1, &port);
	sa_path_set_slid(&rec, port.lid);
	sa_path_set_dlid(&rec, port.sm_lid);
	ib_sa_register_client(&client);
	ret = ib_sa_path_rec_get(&client, device, 1, &rec,
				 IB_SA_PATH_REC_SLID | IB_SA_PATH_REC_DLID |
					 IB_SA_PATH_REC_NUMB_PATH,
				 2000, GFP_KERNEL, found, NULL, &query);
	if (ret >= 0)
		wait_for_completion(&done);
	ib_sa_unregister_client(&client);
	return ret < 0 ? ret : 0;
}

int main(int argc, char **argv)
{
	struct ib_device *device = verbena_host_attach(NULL, argc > 1 ? argv[1] : NULL, NULL);
	int ret = 1;

	init_completion(&done);
	if (!IS_ERR(device)) {
		ret = ask_by_directed_route(device) || ask_administration(device);
		verbena_host_remove(device);
	}
	if (ret)
		fprintf(stderr, "%s\n", verbena_last_cause());
	return ret;
}
