/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Our constants against those of the user ABI, which are the kernel's own values: the compiler
 * compares. WC opcodes are those of Linux 6.1: REG_MR is 8, which later systems gave to FLUSH.
 */
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdmavt_cq.h>

#include "common/test.h"

#define SAME(name)                                                                            \
	_Static_assert((unsigned long long)IB_##name == (unsigned long long)IB_UVERBS_##name, \
		       #name " differs from the user ABI")
#define SAME_AS(name, uapi)                                                      \
	_Static_assert((unsigned long long)(name) == (unsigned long long)(uapi), \
		       #name " differs from the user ABI")

SAME(ACCESS_HUGETLB);
SAME(ACCESS_LOCAL_WRITE);
SAME(ACCESS_MW_BIND);
SAME(ACCESS_ON_DEMAND);
SAME(ACCESS_RELAXED_ORDERING);
SAME(ACCESS_REMOTE_ATOMIC);
SAME(ACCESS_REMOTE_READ);
SAME(ACCESS_REMOTE_WRITE);
SAME(DEVICE_AUTO_PATH_MIG);
SAME(DEVICE_BAD_PKEY_CNTR);
SAME(DEVICE_BAD_QKEY_CNTR);
SAME(DEVICE_CHANGE_PHY_PORT);
SAME(DEVICE_CURR_QP_STATE_MOD);
SAME(DEVICE_MANAGED_FLOW_STEERING);
SAME(DEVICE_MEM_MGT_EXTENSIONS);
SAME(DEVICE_MEM_WINDOW);
SAME(DEVICE_MEM_WINDOW_TYPE_2A);
SAME(DEVICE_MEM_WINDOW_TYPE_2B);
SAME(DEVICE_N_NOTIFY_CQ);
SAME(DEVICE_PCI_WRITE_END_PADDING);
SAME(DEVICE_PORT_ACTIVE_EVENT);
SAME(DEVICE_RAW_IP_CSUM);
SAME(DEVICE_RAW_MULTI);
SAME(DEVICE_RAW_SCATTER_FCS);
SAME(DEVICE_RC_IP_CSUM);
SAME(DEVICE_RC_RNR_NAK_GEN);
SAME(DEVICE_RESIZE_MAX_WR);
SAME(DEVICE_SHUTDOWN_PORT);
SAME(DEVICE_SRQ_RESIZE);
SAME(DEVICE_SYS_IMAGE_GUID);
SAME(DEVICE_UD_AV_PORT_ENFORCE);
SAME(DEVICE_UD_IP_CSUM);
SAME(DEVICE_XRC);
SAME(GID_TYPE_IB);
SAME(QPT_DRIVER);
SAME(QPT_RAW_PACKET);
SAME(QPT_RC);
SAME(QPT_UC);
SAME(QPT_UD);
SAME(QPT_XRC_INI);
SAME(QPT_XRC_TGT);
SAME(QP_CREATE_BLOCK_MULTICAST_LOOPBACK);
SAME(QP_CREATE_CVLAN_STRIPPING);
SAME(QP_CREATE_PCI_WRITE_END_PADDING);
SAME(QP_CREATE_SCATTER_FCS);
SAME(RAW_PACKET_CAP_CVLAN_STRIPPING);
SAME(RAW_PACKET_CAP_DELAY_DROP);
SAME(RAW_PACKET_CAP_IP_CSUM);
SAME(RAW_PACKET_CAP_SCATTER_FCS);
SAME(SRQT_BASIC);
SAME(SRQT_TM);
SAME(SRQT_XRC);
SAME(WC_BIND_MW);
SAME(WC_COMP_SWAP);
SAME(WC_FETCH_ADD);
SAME(WC_LOCAL_INV);
SAME(WC_RDMA_READ);
SAME(WC_RDMA_WRITE);
SAME(WC_SEND);
SAME(WQT_RQ);
SAME(WQ_FLAGS_CVLAN_STRIPPING);
SAME(WQ_FLAGS_DELAY_DROP);
SAME(WQ_FLAGS_PCI_WRITE_END_PADDING);
SAME(WQ_FLAGS_SCATTER_FCS);
SAME(WR_ATOMIC_CMP_AND_SWP);
SAME(WR_ATOMIC_FETCH_AND_ADD);
SAME(WR_BIND_MW);
SAME(WR_LOCAL_INV);
SAME(WR_MASKED_ATOMIC_CMP_AND_SWP);
SAME(WR_MASKED_ATOMIC_FETCH_AND_ADD);
SAME(WR_RDMA_READ);
SAME(WR_RDMA_READ_WITH_INV);
SAME(WR_RDMA_WRITE);
SAME(WR_RDMA_WRITE_WITH_IMM);
SAME(WR_SEND);
SAME(WR_SEND_WITH_IMM);
SAME(WR_SEND_WITH_INV);

SAME_AS(IB_ZERO_BASED, IB_UVERBS_ACCESS_ZERO_BASED);
SAME_AS(IB_ACCESS_OPTIONAL, IB_UVERBS_ACCESS_OPTIONAL_RANGE);
SAME_AS(IB_GID_TYPE_ROCE, IB_UVERBS_GID_TYPE_ROCE_V1);
SAME_AS(IB_GID_TYPE_ROCE_UDP_ENCAP, IB_UVERBS_GID_TYPE_ROCE_V2);
SAME_AS(IB_WR_LSO, IB_UVERBS_WR_TSO);
SAME_AS(IB_WC_LSO, IB_UVERBS_WC_TSO);

/* Bytes that user space and we both lay out. */
_Static_assert(sizeof(union ib_gid) == 16, "GID");
_Static_assert(sizeof(struct ib_grh) == 40, "GRH");
_Static_assert(sizeof(union rdma_network_hdr) == 40, "network header");
_Static_assert(sizeof(struct ib_sge) == sizeof(struct ib_uverbs_sge), "SGE");
_Static_assert(sizeof(struct rvt_wqe_sge) == sizeof(struct ib_sge), "SGE of a ring");
_Static_assert(offsetof(struct rvt_wqe_sge, length) == offsetof(struct ib_sge, length), "length");
_Static_assert(offsetof(struct rvt_wqe_sge, lkey) == offsetof(struct ib_sge, lkey), "lkey");

/* What callers rely on: derived requests begin with the common one. */
_Static_assert(offsetof(struct ib_rdma_wr, wr) == 0, "RDMA request");
_Static_assert(offsetof(struct ib_atomic_wr, wr) == 0, "atomic request");
_Static_assert(offsetof(struct ib_ud_wr, wr) == 0, "datagram request");
_Static_assert(offsetof(struct ib_reg_wr, wr) == 0, "registration request");

static void ib_sge__has_the_user_abis_layout(void **state)
{
	const struct ib_sge sge = {.addr = 1, .length = 2, .lkey = 3};
	struct ib_uverbs_sge user;

	(void)state;
	memcpy(&user, &sge, sizeof(user));
	assert_int_equal(user.addr, 1);
	assert_int_equal(user.length, 2);
	assert_int_equal(user.lkey, 3);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ib_sge__has_the_user_abis_layout),
	};

	return verbena_test_main(tests);
}
