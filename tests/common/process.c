// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* See process.h. */
#include "common/process.h"

#include <linux/mm.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"

static void *process_alloc(struct ib_ucontext *context, size_t bytes, u64 *offset)
{
	struct process *p = container_of(context, struct process, context);
	struct process_block *block = &p->block[p->blocks];

	INVARIANT(bytes && bytes % PAGE_SIZE == 0);
	if (p->no_memory || p->blocks == PROCESS_BLOCKS)
		return NULL;
	block->mem = base_zalloc(bytes);
	if (!block->mem)
		return NULL;
	block->offset = p->next_offset;
	block->bytes = bytes;
	*offset = block->offset;
	p->next_offset += bytes;
	p->blocks++;
	p->live++;
	return block->mem;
}

static void process_free(struct ib_ucontext *context, void *mem, size_t bytes, u64 offset)
{
	struct process *p = container_of(context, struct process, context);

	for (unsigned int i = 0; i < p->blocks; i++) {
		struct process_block *block = &p->block[i];

		if (block->mem != mem || block->bytes != bytes || block->offset != offset)
			continue;
		base_free(mem);
		block->mem = NULL;
		p->live--;
		return;
	}
	UNREACHABLE("memory of this process");
}

static const struct ib_ucontext_mem_ops process_mem_ops = {
	.alloc = process_alloc,
	.free = process_free,
};

void process_init(struct process *p, struct ib_device *device)
{
	memset(p, 0, sizeof(*p));
	p->context.device = device;
	p->context.mem = &process_mem_ops;
	p->next_offset = PAGE_SIZE;
}

struct ib_udata *process_call(struct process *p, size_t in, size_t out)
{
	INVARIANT(in <= sizeof(p->request) && out <= sizeof(p->answer));
	memset(p->answer, 0xa5, sizeof(p->answer));
	p->call = (struct uverbs_attr_bundle){
		.driver_udata = {.inbuf = p->request,
				 .outbuf = p->answer,
				 .inlen = in,
				 .outlen = out},
		.context = &p->context,
	};
	return &p->call.driver_udata;
}

void *process_map(const struct process *p, u64 offset, size_t bytes)
{
	for (unsigned int i = 0; i < p->blocks; i++)
		if (p->block[i].mem && p->block[i].offset == offset && bytes <= p->block[i].bytes)
			return p->block[i].mem;
	return NULL;
}
