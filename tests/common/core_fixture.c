/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/core_fixture.h"

#include <string.h>
#include <verbena/netdev.h>

#include "base/alloc.h"
#include "core/core_priv.h"

static int add_ip(struct net_device *ndev, u8 last)
{
	union ib_gid ip = {.raw = {[10] = 0xff, 0xff, 10, 0, 0, last}};

	return verbena_netdev_addr_add(ndev, &ip);
}

static int add_interface(struct core_fixture *f)
{
	static const u8 mac[ETH_ALEN] = {0x02, 0, 0, 0, 0, 1};

	f->ndev = verbena_netdev_new("eth0", mac, 1500, VERBENA_NO_VLAN);
	if (!f->ndev || add_ip(f->ndev, 1) || add_ip(f->ndev, 2))
		return -1;
	if (ib_device_set_netdev(f->device, f->ndev, 1))
		return -1;
	return ib_device_set_netdev(f->device, f->ndev, 2);
}

static int fill(struct core_fixture *f, const struct fake_options *options)
{
	const struct ib_cq_init_attr cq_attr = {.cqe = 16};

	f->fake = fake_provider_new(options);
	if (!f->fake)
		return -1;
	f->device = &f->fake->ib;
	if (options->roce && add_interface(f))
		return -1;
	f->pd = ib_alloc_pd(f->device, 0);
	if (IS_ERR(f->pd)) {
		f->pd = NULL;
		return -1;
	}
	f->cq = ib_create_cq(f->device, NULL, NULL, NULL, &cq_attr);
	if (IS_ERR(f->cq)) {
		f->cq = NULL;
		return -1;
	}
	return 0;
}

static void empty(struct core_fixture *f)
{
	if (f->cq)
		ib_destroy_cq_user(f->cq, NULL);
	if (f->pd)
		ib_dealloc_pd_user(f->pd, NULL);
	if (f->ndev)
		verbena_netdev_down(f->ndev);
	fake_provider_free(f->fake);
	base_free(f);
}

int core_setup(void **state, const struct fake_options *options)
{
	struct core_fixture *f = base_zalloc(sizeof(*f));

	if (!f)
		return -1;
	if (fill(f, options)) {
		empty(f);
		return -1;
	}
	*state = f;
	return 0;
}

int core_setup_ib(void **state)
{
	return core_setup(state, &(struct fake_options){.ports = 2});
}

int core_setup_roce(void **state)
{
	return core_setup(state, &(struct fake_options){.ports = 2, .roce = true});
}

int core_teardown(void **state)
{
	struct core_fixture *f = *state;

	if (!f)
		return 0;
	/* What the tests have told the ops to refuse, or have taken out, is not for the clean-up. */
	memset(f->fake->fail, 0, sizeof(f->fake->fail));
	empty(f);
	return 0;
}

struct ib_qp *core_make_qp(struct core_fixture *f, enum ib_qp_type type)
{
	struct ib_qp_init_attr attr = {
		.send_cq = f->cq,
		.recv_cq = f->cq,
		.cap = {.max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 6},
		.qp_type = type,
		.port_num = 1,
	};
	struct ib_qp *qp = ib_create_qp(f->pd, &attr);

	assert_ok_ptr(qp);
	return qp;
}
