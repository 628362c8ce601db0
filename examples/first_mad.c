// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The shortest by MADs: ask the switch that a host hangs on what it is called. docs/management.md explains it. */
#include <linux/completion.h>
#include <linux/err.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>
#include <stdio.h>
#include <verbena/verbena.h>

static const char topology[] = "Switch 8 \"rack-1\"\n[1] \"alpha\"[1]\n[2] \"beta\"[1]\n"
			       "Ca 1 \"alpha\"\nCa 1 \"beta\"\n";
static struct completion done;

static void answered(struct ib_mad_agent *agent, struct ib_mad_send_buf *request,
		     struct ib_mad_recv_wc *wc)
{
	const struct ib_smp *smp = (const struct ib_smp *)wc->recv_buf.mad;

	if (request)
		printf("port %d of %s hangs on: %.64s\n", agent->port_num, agent->device->name,
		       (const char *)smp->data);
	ib_free_recv_mad(wc);
}

static void sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	if (wc->status)
		printf("agent %u: no answer: %s\n", agent->hi_tid, ib_wc_status_msg(wc->status));
	ib_free_send_mad(wc->send_buf);
	complete(&done);
}

/* One hop, out of our port 1. */
static int ask(struct ib_mad_agent *agent, struct ib_ah *ah)
{
	struct ib_mad_send_buf *buf = ib_create_send_mad(agent, 0, 0, 0, IB_MGMT_MAD_HDR,
							 IB_MGMT_MAD_DATA, GFP_KERNEL,
							 IB_MGMT_BASE_VERSION);
	struct ib_smp *smp;
	int ret;

	if (IS_ERR(buf))
		return (int)PTR_ERR(buf);
	smp = buf->mad;
	ib_init_query_mad(smp);
	smp->mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	smp->tid = cpu_to_be64((u64)agent->hi_tid << 32 | 1);
	smp->attr_id = IB_SMP_ATTR_NODE_DESC;
	smp->hop_cnt = 1;
	smp->initial_path[1] = 1;
	smp->dr_slid = smp->dr_dlid = IB_LID_PERMISSIVE;
	buf->ah = ah;
	buf->timeout_ms = 1000;
	ret = ib_post_send_mad(buf, NULL);
	if (ret)
		ib_free_send_mad(buf);
	return ret;
}

int main(void)
{
	const struct verbena_fabric_options options = {.topology = topology};
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	struct verbena_fabric *fabric = verbena_fabric_new(&options);
	struct ib_device *device = verbena_host_add(fabric, "alpha", NULL);
	struct ib_mad_agent *agent = ERR_PTR(-ENODEV);
	struct ib_ah *ah;
	int ret = 1;

	init_completion(&done);
	if (!IS_ERR(device))
		agent = ib_register_mad_agent(device, 1, IB_QPT_SMI, NULL, 0, sent, answered, NULL,
					      0);
	if (!IS_ERR(agent)) {
		rdma_ah_set_dlid(&attr, be16_to_cpu(IB_LID_PERMISSIVE));
		ah = rdma_create_ah(agent->qp->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
		ret = IS_ERR(ah) || ask(agent, ah);
		if (!ret)
			wait_for_completion(&done);
		if (!IS_ERR(ah))
			rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
		ib_unregister_mad_agent(agent);
	}
	if (ret)
		fprintf(stderr, "%s\n", verbena_last_cause());
	verbena_fabric_free(fabric);
	return ret;
}
