// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A C++ program on the public headers: what they inline works, what they declare links.
#include <asm/byteorder.h>
#include <asm/unaligned.h>
#include <linux/module.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_hdrs.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmavt_qp.h>
#include <rdma/rw.h>
#include <verbena/verbena.h>

#include <algorithm>
#include <cstdlib>
#include <cstdio>
#include <string>
#include <vector>

namespace
{
int failures;

void check(bool ok, const char *what)
{
	if (!ok) {
		std::printf("not so: %s\n", what);
		failures++;
	}
}

#define CHECK(condition) check((condition), #condition)

struct Item {
	int n;
	struct list_head link;
};

struct provider {
	struct ib_device base;
	int more;
};

void lists_and_counters()
{
	LIST_HEAD(head);
	Item items[3] = {};
	Item *pos;
	std::vector<int> seen;

	for (int i = 0; i < 3; i++) {
		items[i].n = i;
		list_add(&items[i].link, &head);
	}
	list_for_each_entry(pos, &head, link)
		seen.push_back(pos->n);
	CHECK((seen == std::vector<int>{2, 1, 0}));
	CHECK(std::max(1, 2) == 2 && max_t(int, 1, 2) == 2);

	atomic_t counter = ATOMIC_INIT(1);
	CHECK(atomic_dec_and_test(&counter));
	CHECK(IS_ERR(ERR_PTR(-EINVAL)) && PTR_ERR(ERR_PTR(-EINVAL)) == -EINVAL);
}

void addresses()
{
	struct rdma_ah_attr attr = {};
	union ib_gid dgid = {};

	attr.type = RDMA_AH_ATTR_TYPE_IB;
	rdma_ah_set_dlid(&attr, 0x12);
	rdma_ah_set_grh(&attr, &dgid, 0xabcde, 1, 64, 0);
	rdma_ah_set_subnet_prefix(&attr, cpu_to_be64(0xfe80000000000000));
	CHECK(rdma_ah_get_dlid(&attr) == 0x12);
	CHECK(rdma_ah_get_ah_flags(&attr) == IB_AH_GRH);
	CHECK(rdma_ah_read_grh(&attr)->dgid.raw[0] == 0xfe);
	CHECK(rdma_flow_label_to_udp_sport(0xabcde) >= 0xc000);
}

void ports()
{
	struct ib_port_data data[3] = {};
	struct ib_device *device = static_cast<struct ib_device *>(kzalloc(sizeof(*device), 0));
	u32 port, count = 0;

	if (!device) {
		check(false, "memory");
		return;
	}
	device->phys_port_cnt = 2;
	device->port_data = data;
	data[1].immutable.core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	rdma_for_each_port(device, port)
		count += rdma_cap_ib_smi(device, port);
	CHECK(count == 1);
	kfree(device);
}

void calls()
{
	CHECK(std::string(ib_wc_status_msg(IB_WC_SUCCESS)) != ib_wc_status_msg(IB_WC_FATAL_ERR));
	CHECK(ib_rate_to_mbps(IB_RATE_10_GBPS) == 10000);
	CHECK(ib_modify_qp_is_ok(IB_QPS_RESET, IB_QPS_INIT, IB_QPT_UD,
				 static_cast<enum ib_qp_attr_mask>(IB_QP_STATE | IB_QP_PKEY_INDEX |
								   IB_QP_PORT | IB_QP_QKEY)));
	struct provider *p = ib_alloc_device(provider, base);
	CHECK(p != nullptr && ib_uses_virt_dma(&p->base));
	if (p)
		ib_dealloc_device(&p->base);
}
} // namespace

int main()
{
	lists_and_counters();
	addresses();
	ports();
	calls();
	return failures != 0;
}
