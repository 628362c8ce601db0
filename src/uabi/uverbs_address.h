/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Addresses: between the forms of the uABI and the kernel API's. */
#ifndef UABI_UVERBS_ADDRESS_H
#define UABI_UVERBS_ADDRESS_H

#include <rdma/ib_user_verbs.h>
#include <rdma/ib_verbs.h>

/** uverbs_address_of_ah() - The address of a CREATE_AH. @device: has the port that it names. */
void uverbs_address_of_ah(struct ib_device *device, const struct ib_uverbs_ah_attr *from,
			  struct rdma_ah_attr *to);

/** uverbs_address_of_qp() - The address of a MODIFY_QP. @device: has the port that it names. */
void uverbs_address_of_qp(struct ib_device *device, const struct ib_uverbs_qp_dest *from,
			  struct rdma_ah_attr *to);

/** uverbs_address_to_qp() - For QUERY_QP. */
void uverbs_address_to_qp(const struct rdma_ah_attr *from, struct ib_uverbs_qp_dest *to);

#endif
