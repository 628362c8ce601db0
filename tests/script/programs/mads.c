// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * A program on the kernel's API on a host of a daemon's fabric, which does what it is told line by line, and says in
 * one line each time how that went: for tests/script/mads.sh.
 *
 *   lid                          its port's LID and the manager's
 *   register CLASS METHODS RMPP  an agent of QP 1 (CLASS 0: of QP 0) for a mask of methods
 *   unregister                   the last one
 *   send LID BYTES MS RETRIES    a Set of its class, by RMPP if it is long; `ended' waits for the outcome
 *   heard                        waits for a request: how long it was, and a sum of it
 *   smp HOPS [PORT...]           NodeDescription at the end of a directed route
 *   path LID                     a path, of the administration
 *   join, cast, caught           be in a multicast group; send a datagram to it; wait for one
 *   event sm|reregister          waits for an event of the port
 *   garbage COUNT SEED LID       MADs with random bytes
 */
#include <errno.h>
#include <linux/err.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_sa.h>
#include <rdma/ib_smi.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <verbena/verbena.h>

#define WORDS 16
#define AGENTS 4
#define PATIENCE_S 30
#define QKEY 0x1234
#define GRH 40

static struct ib_device *device;
static struct ib_mad_agent *agents[AGENTS];
static int agent_count;
static struct ib_ah *ah; /* of the send that is outstanding */
static sem_t ended, heard, done, events;
static enum ib_wc_status ended_status;
static unsigned int heard_bytes, heard_sum, event_seen;
static char text[128];
static int status;

static void say_cause(const char *what)
{
	printf("%s: %s\n", what, verbena_last_cause());
}

static int wait_for(sem_t *sem)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_S;
	return sem_timedwait(sem, &until);
}

static unsigned int sum_of(const struct ib_mad_recv_wc *wc)
{
	const struct ib_mad_recv_buf *segment;
	int left = wc->mad_len - IB_MGMT_VENDOR_HDR;
	unsigned int sum = 0;

	list_for_each_entry(segment, &wc->rmpp_list, list) {
		const u8 *data = (const u8 *)segment->mad + IB_MGMT_VENDOR_HDR;

		for (int i = 0; i < IB_MGMT_VENDOR_DATA && left > 0; i++, left--)
			sum = sum * 31 + data[i];
	}
	return sum;
}

static void answer(struct ib_mad_agent *agent, const struct ib_mad_recv_wc *wc)
{
	struct ib_mad_send_buf *buf = ib_create_send_mad(agent, wc->wc->src_qp, wc->wc->pkey_index,
							 0, IB_MGMT_VENDOR_HDR, IB_MGMT_VENDOR_DATA,
							 GFP_KERNEL, IB_MGMT_BASE_VERSION);

	if (IS_ERR(buf))
		return;
	memcpy(buf->mad, wc->recv_buf.mad, IB_MGMT_VENDOR_HDR);
	((struct ib_mad_hdr *)buf->mad)->method |= IB_MGMT_METHOD_RESP;
	memset((u8 *)buf->mad + IB_MGMT_MAD_HDR, 0, IB_MGMT_RMPP_HDR);
	buf->ah = ib_create_ah_from_wc(agent->qp->pd, wc->wc, wc->recv_buf.grh, agent->port_num);
	if (IS_ERR(buf->ah) || ib_post_send_mad(buf, NULL)) {
		if (!IS_ERR(buf->ah))
			rdma_destroy_ah(buf->ah, 0);
		ib_free_send_mad(buf);
	}
}

static void received(struct ib_mad_agent *agent, struct ib_mad_send_buf *request,
		     struct ib_mad_recv_wc *wc)
{
	const struct ib_mad_hdr *hdr = &wc->recv_buf.mad->mad_hdr;

	if (request) {
		snprintf(text, sizeof(text), "%.60s",
			 (const char *)((const struct ib_smp *)(const void *)hdr)->data);
		status = be16_to_cpu(hdr->status) & 0x7fff;
	} else {
		heard_bytes = (unsigned int)(wc->mad_len - IB_MGMT_VENDOR_HDR);
		heard_sum = sum_of(wc);
		answer(agent, wc);
		sem_post(&heard);
	}
	ib_free_recv_mad(wc);
}

static void sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	const bool mine = ib_response_mad(wc->send_buf->mad) ||
			  wc->send_buf->context[0] != (void *)&ended;

	(void)agent;
	if (mine) {
		rdma_destroy_ah(wc->send_buf->ah, 0);
		ib_free_send_mad(wc->send_buf);
		return;
	}
	ended_status = wc->status;
	rdma_destroy_ah(wc->send_buf->ah, 0);
	ib_free_send_mad(wc->send_buf);
	sem_post(&ended);
}

static void lid(void)
{
	struct ib_port_attr port;

	ib_query_port(device, 1, &port);
	printf("lid %u %u state %d\n", port.lid, port.sm_lid, port.state);
}

static void do_register(u8 mgmt_class, u64 methods, u8 rmpp)
{
	struct ib_mad_reg_req req = {
		.mgmt_class = mgmt_class, .mgmt_class_version = 1, .oui = {0x00, 0x14, 0x05}};
	struct ib_mad_agent *agent;

	req.method_mask[0] = methods;
	agent = ib_register_mad_agent(device, 1, mgmt_class ? IB_QPT_GSI : IB_QPT_SMI,
				      mgmt_class ? &req : NULL, rmpp, sent, received, NULL, 0);
	if (IS_ERR(agent)) {
		printf("refused %ld: %s\n", PTR_ERR(agent), verbena_last_cause());
		return;
	}
	agents[agent_count++] = agent;
	printf("registered %x\n", agent->hi_tid);
}

static void unregister(void)
{
	ib_unregister_mad_agent(agents[--agent_count]);
	printf("unregistered\n");
}

static struct ib_ah *address(const struct ib_mad_agent *agent, u16 dlid)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};

	rdma_ah_set_dlid(&attr, dlid);
	return rdma_create_ah(agent->qp->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
}

static int post(struct ib_mad_send_buf *buf, u16 dlid, int ms, int retries)
{
	buf->ah = ah = address(buf->mad_agent, dlid);
	buf->timeout_ms = ms;
	buf->retries = retries;
	buf->context[0] = &ended;
	status = -1;
	if (!IS_ERR(ah) && !ib_post_send_mad(buf, NULL))
		return 0;
	say_cause("refused");
	if (!IS_ERR(ah))
		rdma_destroy_ah(ah, 0);
	ib_free_send_mad(buf);
	return -1;
}

static void send_mad(u16 dlid, int bytes, int ms, int retries)
{
	static u32 tid;
	struct ib_mad_agent *agent = agents[agent_count - 1];
	const bool rmpp = bytes > IB_MGMT_VENDOR_DATA;
	struct ib_mad_send_buf *buf = ib_create_send_mad(agent, 1, 0, rmpp, IB_MGMT_VENDOR_HDR,
							 bytes, GFP_KERNEL, IB_MGMT_BASE_VERSION);
	struct ib_vendor_mad *mad;
	u8 *data;

	if (IS_ERR(buf)) {
		say_cause("refused");
		return;
	}
	mad = buf->mad;
	mad->mad_hdr.base_version = IB_MGMT_BASE_VERSION;
	mad->mad_hdr.mgmt_class = 0x32;
	mad->mad_hdr.class_version = 1;
	mad->mad_hdr.method = IB_MGMT_METHOD_SET;
	mad->mad_hdr.tid = cpu_to_be64((u64)agent->hi_tid << 32 | ++tid);
	memcpy(mad->oui, "\x00\x14\x05", 3);
	data = (u8 *)buf->mad + buf->hdr_len;
	for (int i = 0; i < bytes; i++)
		data[i] = (u8)(i * 7 + i / 251);
	if (!post(buf, dlid, ms, retries))
		printf("sent\n");
}

static void say_ended(void)
{
	if (wait_for(&ended))
		printf("not ended\n");
	else if (ended_status)
		printf("ended: %s\n", ib_wc_status_msg(ended_status));
	else
		printf("answered with status %x\n", (unsigned int)status);
}

static void say_heard(void)
{
	if (wait_for(&heard))
		printf("not heard\n");
	else
		printf("heard %u bytes sum %08x\n", heard_bytes, heard_sum);
}

static void smp(int hops, char **ports)
{
	struct ib_mad_agent *agent = agents[agent_count - 1];
	struct ib_mad_send_buf *buf = ib_create_send_mad(agent, 0, 0, 0, IB_MGMT_MAD_HDR,
							 IB_MGMT_MAD_DATA, GFP_KERNEL,
							 IB_MGMT_BASE_VERSION);
	struct ib_smp *mad = buf->mad;

	ib_init_query_mad(mad);
	mad->mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	mad->tid = cpu_to_be64((u64)agent->hi_tid << 32 | 1);
	mad->attr_id = IB_SMP_ATTR_NODE_DESC;
	mad->hop_cnt = (u8)hops;
	for (int i = 0; i < hops; i++)
		mad->initial_path[i + 1] = (u8)atoi(ports[i]);
	mad->dr_slid = mad->dr_dlid = IB_LID_PERMISSIVE;
	if (post(buf, be16_to_cpu(IB_LID_PERMISSIVE), 1000, 3))
		return;
	if (wait_for(&ended) || ended_status)
		printf("no answer: %s\n", ib_wc_status_msg(ended_status));
	else
		printf("it is %s\n", text);
}

static struct ib_sa_client client;

static void path_done(int result, struct sa_path_rec *resp, unsigned int count, void *context)
{
	(void)count;
	(void)context;
	status = result;
	if (!result)
		snprintf(text, sizeof(text), "mtu %u from %u to %u", resp->mtu,
			 (unsigned int)be32_to_cpu(sa_path_get_slid(resp)),
			 (unsigned int)be32_to_cpu(sa_path_get_dlid(resp)));
	sem_post(&done);
}

static void path(u16 dlid)
{
	struct sa_path_rec rec = {.rec_type = SA_PATH_REC_TYPE_IB, .numb_path = 1};
	struct ib_port_attr port;
	struct ib_sa_query *query;

	ib_query_port(device, 1, &port);
	sa_path_set_slid(&rec, port.lid);
	sa_path_set_dlid(&rec, dlid);
	if (ib_sa_path_rec_get(&client, device, 1, &rec,
			       IB_SA_PATH_REC_SLID | IB_SA_PATH_REC_DLID | IB_SA_PATH_REC_NUMB_PATH,
			       10000, GFP_KERNEL, path_done, NULL, &query) < 0)
		say_cause("refused");
	else if (wait_for(&done) || status)
		printf("no path: %d\n", status);
	else
		printf("path %s\n", text);
}

/* A member of the group. */
static struct {
	struct ib_sa_multicast *membership;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_ah *ah;
	union ib_gid mgid;
	u16 mlid;
	char buffer[GRH + 64];
} member = {.mgid = {.raw = {0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [15] = 9}}};

static int joined(int result, struct ib_sa_multicast *multicast)
{
	(void)multicast;
	if (result == -ENETRESET) /* another manager */
		return 0;
	status = result;
	sem_post(&done);
	return 0;
}

static int listen_to(u16 mlid)
{
	const struct ib_cq_init_attr cq_attr = {.cqe = 16};
	struct ib_qp_init_attr attr = {
		.qp_type = IB_QPT_UD,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1}};
	struct ib_sge sge = {(u64)(uintptr_t)member.buffer, sizeof(member.buffer), 0};
	struct ib_recv_wr wr = {.sg_list = &sge, .num_sge = 1};
	struct rdma_ah_attr to = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};

	member.pd = ib_alloc_pd(device, 0);
	member.cq = ib_create_cq(device, NULL, NULL, NULL, &cq_attr);
	attr.send_cq = attr.recv_cq = member.cq;
	member.qp = ib_create_qp(member.pd, &attr);
	if (IS_ERR(member.qp) || verbena_ud_ready(member.qp, QKEY) ||
	    ib_attach_mcast(member.qp, &member.mgid, mlid))
		return -1;
	sge.lkey = member.pd->local_dma_lkey;
	rdma_ah_set_dlid(&to, mlid);
	rdma_ah_set_grh(&to, &member.mgid, 0, 0, 1, 0);
	member.ah = rdma_create_ah(member.pd, &to, RDMA_CREATE_AH_SLEEPABLE);
	return IS_ERR(member.ah) ? -1 : ib_post_recv(member.qp, &wr, NULL);
}

static void join(void)
{
	const ib_sa_comp_mask mask = IB_SA_MCMEMBER_REC_MGID | IB_SA_MCMEMBER_REC_PORT_GID |
				     IB_SA_MCMEMBER_REC_JOIN_STATE | IB_SA_MCMEMBER_REC_QKEY |
				     IB_SA_MCMEMBER_REC_PKEY | IB_SA_MCMEMBER_REC_SL |
				     IB_SA_MCMEMBER_REC_FLOW_LABEL |
				     IB_SA_MCMEMBER_REC_TRAFFIC_CLASS;
	struct ib_sa_mcmember_rec rec = {.join_state = 1, .mgid = member.mgid};

	rec.qkey = cpu_to_be32(QKEY);
	rec.pkey = cpu_to_be16(0xffff);
	rdma_query_gid(device, 1, 0, &rec.port_gid);
	member.membership =
		ib_sa_join_multicast(&client, device, 1, &rec, mask, GFP_KERNEL, joined, NULL);
	if (IS_ERR(member.membership) || wait_for(&done) || status) {
		printf("not joined: %d\n", status);
		return;
	}
	member.mlid = be16_to_cpu(member.membership->rec.mlid);
	if (listen_to(member.mlid))
		say_cause("refused");
	else
		printf("joined %x\n", member.mlid);
}

static void cast(void)
{
	static char words[] = "hello, all";
	struct ib_sge sge = {(u64)(uintptr_t)words, sizeof(words), member.pd->local_dma_lkey};
	struct ib_ud_wr wr = {.wr = {.opcode = IB_WR_SEND, .sg_list = &sge, .num_sge = 1},
			      .ah = member.ah,
			      .remote_qpn = IB_MULTICAST_QPN,
			      .remote_qkey = QKEY};
	struct ib_wc wc;

	if (ib_post_send(member.qp, &wr.wr, NULL)) {
		say_cause("refused");
		return;
	}
	while (!ib_poll_cq(member.cq, 1, &wc))
		;
	printf("cast %d\n", wc.status);
}

static void caught(void)
{
	const time_t until = time(NULL) + PATIENCE_S;
	struct ib_wc wc;

	while (!ib_poll_cq(member.cq, 1, &wc))
		if (time(NULL) > until) {
			printf("nothing caught\n");
			return;
		}
	printf("caught '%s'\n", member.buffer + GRH);
}

static void on_event(struct ib_event_handler *handler, struct ib_event *event)
{
	(void)handler;
	event_seen |= 1u << event->event;
	sem_post(&events);
}

static void say_event(const char *name)
{
	const enum ib_event_type wanted = !strcmp(name, "sm") ? IB_EVENT_SM_CHANGE
							      : IB_EVENT_CLIENT_REREGISTER;

	while (!(event_seen >> wanted & 1))
		if (wait_for(&events)) {
			printf("no event\n");
			return;
		}
	event_seen &= ~(1u << wanted);
	printf("event %s\n", ib_event_msg(wanted));
}

/* Each by an agent without a class, with an OUI, a method and all else of any content. */
static void garbage(int count, unsigned int seed, u16 dlid)
{
	struct ib_mad_agent *agent = agents[agent_count - 1];
	int posted = 0;

	srand(seed);
	for (int i = 0; i < count; i++) {
		struct ib_mad_send_buf *buf =
			ib_create_send_mad(agent, agent->qp->qp_num, 0, 0, IB_MGMT_VENDOR_HDR,
					   IB_MGMT_VENDOR_DATA, GFP_KERNEL, IB_MGMT_BASE_VERSION);

		if (IS_ERR(buf))
			break;
		for (int n = 0; n < IB_MGMT_MAD_SIZE; n++)
			((u8 *)buf->mad)[n] = (u8)(rand() >> 8);
		((u8 *)buf->mad)[0] = rand() % 4 ? 1 : (u8)rand();
		buf->ah = address(agent, dlid);
		buf->context[0] = NULL;
		if (IS_ERR(buf->ah) || ib_post_send_mad(buf, NULL)) {
			if (!IS_ERR(buf->ah))
				rdma_destroy_ah(buf->ah, 0);
			ib_free_send_mad(buf);
		} else {
			posted++;
		}
	}
	printf("garbage %s\n", posted ? "posted" : "refused");
}

static void obey(char **word, int count)
{
	const char *what = word[0];

#define IS(name, words) (!strcmp(what, name) && count > (words))
	if (IS("lid", 0))
		lid();
	else if (IS("register", 3))
		do_register((u8)strtoul(word[1], NULL, 0), strtoull(word[2], NULL, 0),
			    (u8)atoi(word[3]));
	else if (IS("unregister", 0))
		unregister();
	else if (IS("send", 4))
		send_mad((u16)atoi(word[1]), atoi(word[2]), atoi(word[3]), atoi(word[4]));
	else if (IS("ended", 0))
		say_ended();
	else if (IS("heard", 0))
		say_heard();
	else if (IS("smp", 1))
		smp(atoi(word[1]), word + 2);
	else if (IS("path", 1))
		path((u16)atoi(word[1]));
	else if (IS("join", 0))
		join();
	else if (IS("cast", 0))
		cast();
	else if (IS("caught", 0))
		caught();
	else if (IS("event", 1))
		say_event(word[1]);
	else if (IS("garbage", 3))
		garbage(atoi(word[1]), (unsigned int)atoi(word[2]), (u16)atoi(word[3]));
	else
		printf("what is %s?\n", what);
#undef IS
}

int main(int argc, char **argv)
{
	struct ib_event_handler handler;
	char line[256], *word[WORDS];

	sem_init(&ended, 0, 0);
	sem_init(&heard, 0, 0);
	sem_init(&done, 0, 0);
	sem_init(&events, 0, 0);
	setvbuf(stdout, NULL, _IOLBF, 0);
	device = verbena_host_attach(NULL, argc > 1 ? argv[1] : NULL, NULL);
	if (IS_ERR(device)) {
		say_cause("not attached");
		return 1;
	}
	ib_sa_register_client(&client);
	INIT_IB_EVENT_HANDLER(&handler, device, on_event);
	ib_register_event_handler(&handler);
	printf("attached %d\n", getpid());
	while (fgets(line, sizeof(line), stdin)) {
		int count = 0;

		for (char *at = strtok(line, " \n"); at && count < WORDS; at = strtok(NULL, " \n"))
			word[count++] = at;
		if (count && !strcmp(word[0], "quit"))
			break;
		if (count)
			obey(word, count);
	}
	while (agent_count)
		ib_unregister_mad_agent(agents[--agent_count]);
	if (member.qp) {
		ib_detach_mcast(member.qp, &member.mgid, member.mlid);
		rdma_destroy_ah(member.ah, RDMA_DESTROY_AH_SLEEPABLE);
		ib_destroy_qp(member.qp);
		ib_destroy_cq(member.cq);
		ib_dealloc_pd(member.pd);
		ib_sa_free_multicast(member.membership);
	}
	ib_unregister_event_handler(&handler);
	ib_sa_unregister_client(&client);
	verbena_host_remove(device);
	printf("bye\n");
	return 0;
}
