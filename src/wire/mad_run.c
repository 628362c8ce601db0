// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* MADs as subnets have them, and as packets. */
#include "wire/mad_run.h"

#include <string.h>

#include "base/umem.h"

void wire_mad_header(const struct tp_run *run, struct subnet_mad *mad)
{
	*mad = (struct subnet_mad){
		.slid = run->path.slid,
		.dlid = run->path.dlid,
		.sl = run->path.sl,
		.pkey = run->pkey,
		.dest_qpn = run->dest_qpn,
		.has_grh = run->path.has_grh,
		.traffic_class = run->path.traffic_class,
		.hop_limit = run->path.hop_limit,
		.flow_label = run->path.flow_label,
	};
	memcpy(mad->sgid, run->path.sgid, sizeof(mad->sgid));
	memcpy(mad->dgid, run->path.dgid, sizeof(mad->dgid));
	if (!wire_run_is_datagram(run))
		return;
	mad->src_qpn = run->deth.src_qpn;
	mad->qkey = run->deth.qkey;
}

bool wire_mad_of_run(const struct tp_run *run, struct subnet_mad *mad)
{
	struct iovec to = {mad->data, sizeof(mad->data)};

	wire_mad_header(run, mad);
	return run->payload.bytes == SUBNET_MAD_BYTES &&
	       !base_umem_copy_iov(&to, 1, 0, run->payload.iov, run->payload.count,
				   run->payload.offset, run->payload.bytes);
}

void wire_mad_run(const struct subnet_mad *mad, struct iovec *iov, struct tp_run *run)
{
	*iov = (struct iovec){(void *)(uintptr_t)mad->data, sizeof(mad->data)};
	*run = (struct tp_run){
		.path = {.slid = mad->slid,
			 .dlid = mad->dlid,
			 .sl = mad->sl,
			 .has_grh = mad->has_grh,
			 .traffic_class = mad->traffic_class,
			 .hop_limit = mad->hop_limit,
			 .flow_label = mad->flow_label},
		.dest_qpn = mad->dest_qpn,
		.pkey = mad->pkey,
		.packets = 1,
		.first_opcode = PKT_UD_SEND_ONLY,
		.last_opcode = PKT_UD_SEND_ONLY,
		.deth = {.qkey = mad->qkey, .src_qpn = mad->src_qpn},
		.payload = {.iov = iov, .count = 1, .bytes = sizeof(mad->data)},
	};
	memcpy(run->path.sgid, mad->sgid, sizeof(mad->sgid));
	memcpy(run->path.dgid, mad->dgid, sizeof(mad->dgid));
}
