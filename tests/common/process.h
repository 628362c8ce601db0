/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A process that uses a device through the user ABI, as far as a provider sees it: a context with
 * shared memory, and calls with a request and a response. "Mapping" is looking up an offset.
 */
#ifndef TESTS_COMMON_PROCESS_H
#define TESTS_COMMON_PROCESS_H

#include <rdma/uverbs_ioctl.h>

#define PROCESS_BLOCKS 64
#define PROCESS_UDATA_BYTES 64

/**
 * struct process - The process.
 * @context: Its context.
 * @call: The call that process_call() has begun.
 * @request: What @call.driver_udata.inbuf points to.
 * @answer: What @call.driver_udata.outbuf points to.
 * @next_offset: Where the next block goes.
 * @live: Blocks that have not been given back.
 * @no_memory: alloc() fails.
 * @block: Blocks by the order of their making; mem is NULL once it was given back.
 * @blocks: How many have ever been made.
 */
struct process {
	struct ib_ucontext context;
	struct uverbs_attr_bundle call;
	u8 request[PROCESS_UDATA_BYTES];
	u8 answer[PROCESS_UDATA_BYTES];
	u64 next_offset;
	unsigned int live;
	bool no_memory;
	struct process_block {
		void *mem;
		u64 offset;
		size_t bytes;
	} block[PROCESS_BLOCKS];
	unsigned int blocks;
};

/** process_init() - A process with a context of @device. */
void process_init(struct process *p, struct ib_device *device);

/**
 * process_call() - Begin a call.
 * @p: The process.
 * @in: Bytes of p->request that count.
 * @out: Bytes of p->answer that the provider may fill in; they are scribbled over first.
 *
 * Return: What the provider gets.
 */
struct ib_udata *process_call(struct process *p, size_t in, size_t out);

/**
 * process_map() - Map what the provider has told of.
 * @p: The process.
 * @offset: Offset.
 * @bytes: Size.
 *
 * Return: The memory; NULL where the kernel would say EINVAL.
 */
void *process_map(const struct process *p, u64 offset, size_t bytes);

#endif
