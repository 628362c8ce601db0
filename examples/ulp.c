// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * A ULP in the shape of a kernel module, and a program around it. One side registers its pages fast
 * (IB_WR_REG_MR) and announces them; the other writes into them, and takes the key back with its
 * answer (IB_WR_SEND_WITH_INV). Completions are callbacks in a work queue.
 *
 * For a module of yours: #include "module.c" in a program, and call its init and exit functions.
 * VERBENA_LOG=6 shows what pr_info() says.
 */
#define KBUILD_MODNAME "ulp"
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#define ULP_PAGES 4
#define ULP_DEPTH 8

MODULE_DESCRIPTION("example of an upper layer protocol");
MODULE_LICENSE("Dual BSD/GPL");

/* What one side tells the other. */
struct ulp_message {
	__be64 addr;
	__be32 rkey;
	__be32 bytes;
};

struct ulp_conn {
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_mr *mr;
	struct ib_cqe done, received;
	struct completion progress;
	enum ib_wc_status status;
	u32 invalidated;
	struct ulp_message message;
	struct page *pages[ULP_PAGES];
	struct scatterlist sg[ULP_PAGES];
};

static struct ib_client ulp_client;

static void ulp_progress(struct ulp_conn *c, struct ib_wc *wc)
{
	c->status = wc->status;
	if (wc->status != IB_WC_SUCCESS && wc->status != IB_WC_WR_FLUSH_ERR)
		pr_info("%s\n", ib_wc_status_msg(wc->status));
	complete(&c->progress);
}

static void ulp_done(struct ib_cq *cq, struct ib_wc *wc)
{
	(void)cq;
	ulp_progress(container_of(wc->wr_cqe, struct ulp_conn, done), wc);
}

static void ulp_received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ulp_conn *c = container_of(wc->wr_cqe, struct ulp_conn, received);

	(void)cq;
	if (wc->status == IB_WC_SUCCESS && (wc->wc_flags & IB_WC_WITH_INVALIDATE))
		c->invalidated = wc->ex.invalidate_rkey;
	ulp_progress(c, wc);
}

static int ulp_wait(struct ulp_conn *c)
{
	wait_for_completion(&c->progress);
	return c->status == IB_WC_SUCCESS ? 0 : -EIO;
}

static int ulp_post(struct ulp_conn *c, struct ib_send_wr *wr)
{
	const int err = ib_post_send(c->qp, wr, NULL);

	return err ? err : ulp_wait(c);
}

static struct ib_sge ulp_message_sge(struct ulp_conn *c)
{
	return (struct ib_sge){.addr = (uintptr_t)&c->message,
			       .length = sizeof(c->message),
			       .lkey = c->pd->local_dma_lkey};
}

static int ulp_receive(struct ulp_conn *c)
{
	struct ib_sge sge = ulp_message_sge(c);
	const struct ib_recv_wr wr = {.wr_cqe = &c->received, .sg_list = &sge, .num_sge = 1};

	return ib_post_recv(c->qp, &wr, NULL);
}

/* Register all pages, and tell the peer how to reach them. */
static int ulp_announce(struct ulp_conn *c)
{
	struct ib_sge sge = ulp_message_sge(c);
	struct ib_send_wr send = {.wr_cqe = &c->done,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IB_WR_SEND,
				  .send_flags = IB_SEND_SIGNALED};
	struct ib_reg_wr reg = {.wr = {.opcode = IB_WR_REG_MR, .next = &send}, .mr = c->mr};

	if (ib_map_mr_sg(c->mr, c->sg, ULP_PAGES, NULL, PAGE_SIZE) != ULP_PAGES)
		return -EINVAL;
	ib_update_fast_reg_key(c->mr, (u8)ib_inc_rkey(c->mr->rkey));
	reg.key = c->mr->rkey;
	reg.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE;
	c->message.addr = cpu_to_be64(c->mr->iova);
	c->message.rkey = cpu_to_be32(c->mr->rkey);
	c->message.bytes = cpu_to_be32((u32)c->mr->length);
	return ulp_post(c, &reg.wr);
}

static int ulp_write(struct ulp_conn *c, const struct ulp_message *to, u32 bytes)
{
	struct ib_sge sge = {
		.addr = sg_dma_address(&c->sg[0]), .length = bytes, .lkey = c->pd->local_dma_lkey};
	struct ib_rdma_wr wr = {.wr = {.wr_cqe = &c->done,
				       .sg_list = &sge,
				       .num_sge = 1,
				       .opcode = IB_WR_RDMA_WRITE,
				       .send_flags = IB_SEND_SIGNALED},
				.remote_addr = be64_to_cpu(to->addr),
				.rkey = be32_to_cpu(to->rkey)};

	return ulp_post(c, &wr.wr);
}

/* The peer's key is of no use from now on. */
static int ulp_answer(struct ulp_conn *c, u32 rkey)
{
	struct ib_sge sge = ulp_message_sge(c);
	struct ib_send_wr wr = {.wr_cqe = &c->done,
				.sg_list = &sge,
				.num_sge = 1,
				.opcode = IB_WR_SEND_WITH_INV,
				.send_flags = IB_SEND_SIGNALED,
				.ex.invalidate_rkey = rkey};

	return ulp_post(c, &wr);
}

static void ulp_close(struct ulp_conn *c)
{
	if (!IS_ERR_OR_NULL(c->qp)) {
		ib_drain_qp(c->qp);
		ib_destroy_qp(c->qp);
	}
	if (!IS_ERR_OR_NULL(c->mr))
		ib_dereg_mr(c->mr);
	if (!IS_ERR_OR_NULL(c->cq))
		ib_free_cq(c->cq);
	for (int i = 0; i < ULP_PAGES; i++)
		if (c->pages[i])
			__free_page(c->pages[i]);
	ib_dealloc_pd(c->pd);
	kfree(c);
}

static int ulp_make_queues(struct ulp_conn *c, struct ib_device *device)
{
	struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC,
				       .sq_sig_type = IB_SIGNAL_REQ_WR,
				       .cap = {.max_send_wr = ULP_DEPTH,
					       .max_recv_wr = ULP_DEPTH,
					       .max_send_sge = 1,
					       .max_recv_sge = 1}};

	c->cq = ib_alloc_cq(device, c, 2 * ULP_DEPTH, 0, IB_POLL_WORKQUEUE);
	if (IS_ERR(c->cq))
		return (int)PTR_ERR(c->cq);
	attr.send_cq = attr.recv_cq = c->cq;
	c->qp = ib_create_qp(c->pd, &attr);
	if (IS_ERR(c->qp))
		return (int)PTR_ERR(c->qp);
	c->mr = ib_alloc_mr(c->pd, IB_MR_TYPE_MEM_REG, ULP_PAGES);
	return IS_ERR(c->mr) ? (int)PTR_ERR(c->mr) : 0;
}

static int ulp_get_pages(struct ulp_conn *c, struct ib_device *device)
{
	sg_init_table(c->sg, ULP_PAGES);
	for (int i = 0; i < ULP_PAGES; i++) {
		c->pages[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		if (!c->pages[i])
			return -ENOMEM;
		sg_set_page(&c->sg[i], c->pages[i], PAGE_SIZE, 0);
	}
	return ib_dma_map_sg(device, c->sg, ULP_PAGES, DMA_BIDIRECTIONAL) == ULP_PAGES ? 0 : -EIO;
}

/* A device has come: one connection on each. */
static int ulp_add(struct ib_device *device)
{
	struct ulp_conn *c = kzalloc(sizeof(*c), GFP_KERNEL);
	int err;

	if (!c)
		return -ENOMEM;
	c->pd = ib_alloc_pd(device, 0);
	if (IS_ERR(c->pd)) {
		err = (int)PTR_ERR(c->pd);
		kfree(c);
		return err;
	}
	init_completion(&c->progress);
	c->done.done = ulp_done;
	c->received.done = ulp_received;
	err = ulp_make_queues(c, device);
	if (!err)
		err = ulp_get_pages(c, device);
	if (err) {
		ulp_close(c);
		return err;
	}
	ib_set_client_data(device, &ulp_client, c);
	ibdev_info(device, "added\n");
	return 0;
}

static void ulp_remove(struct ib_device *device, void *client_data)
{
	ulp_close(client_data);
	ibdev_info(device, "removed\n");
}

static struct ib_client ulp_client = {.name = "ulp", .add = ulp_add, .remove = ulp_remove};

static int __init ulp_init(void)
{
	return ib_register_client(&ulp_client);
}

static void __exit ulp_exit(void)
{
	ib_unregister_client(&ulp_client);
}

module_init(ulp_init);
module_exit(ulp_exit);

/* What is no module: a fabric of two hosts for it. */
#include <stdio.h>
#include <verbena/verbena.h>

static int talk(struct ulp_conn *owner, struct ulp_conn *writer)
{
	struct ulp_message to;

	if (ulp_receive(writer) || ulp_announce(owner) || ulp_wait(writer))
		return -EIO;
	to = writer->message;
	snprintf(page_address(writer->pages[0]), PAGE_SIZE, "written by the peer");
	if (ulp_receive(owner) || ulp_write(writer, &to, PAGE_SIZE) ||
	    ulp_answer(writer, be32_to_cpu(to.rkey)) || ulp_wait(owner))
		return -EIO;
	printf("page 0: %s\n", (char *)page_address(owner->pages[0]));
	printf("key taken back: %s\n", owner->invalidated == owner->mr->rkey ? "yes" : "no");
	if (!ulp_write(writer, &to, PAGE_SIZE))
		return -EIO;
	printf("%s\n", verbena_qp_cause(writer->qp));
	return 0;
}

int main(void)
{
	struct verbena_fabric *fabric = verbena_fabric_new(NULL);
	struct ulp_conn *c[2] = {NULL, NULL};
	int err = ulp_init();

	for (int i = 0; !err && i < 2; i++) {
		struct ib_device *device = verbena_host_add(fabric, i ? "beta" : "alpha", NULL);

		err = IS_ERR(device) ? (int)PTR_ERR(device) : 0;
		c[i] = err ? NULL : ib_get_client_data(device, &ulp_client);
		if (!err && !c[i])
			err = -ENODEV; /* ulp_add() has failed */
	}
	if (!err)
		err = verbena_qp_connect(c[0]->qp, c[1]->qp, NULL);
	if (!err)
		err = talk(c[0], c[1]);
	if (err)
		fprintf(stderr, "%s\n", verbena_last_cause());
	verbena_fabric_free(fabric); /* the remove callback runs for each host */
	ulp_exit();
	return err ? 1 : 0;
}
