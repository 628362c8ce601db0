/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The kernel's verbs: this header brings all of them. The parts stand alone, too. */
#ifndef VERBENA_RDMA_IB_VERBS_H
#define VERBENA_RDMA_IB_VERBS_H

#include <linux/err.h>
#include <linux/slab.h>
#include <rdma/ib_device.h>
#include <rdma/ib_verbs_ah.h>
#include <rdma/ib_verbs_mr.h>
#include <rdma/ib_verbs_port.h>
#include <rdma/ib_verbs_queues.h>

#endif /* VERBENA_RDMA_IB_VERBS_H */
