/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Replacements for functions of the user library's objects. */
#ifndef PRELOAD_LIBRARY_H
#define PRELOAD_LIBRARY_H

struct ibv_cq;
struct ibv_cq_ex;
struct ibv_wc;

/** preload_poll_cq() - ibv_poll_cq() that makes progress when there is nothing to be had. */
int preload_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);

/** preload_cq_ex_replace() - Have an extended CQ polled by us. @cq: Complete. */
void preload_cq_ex_replace(struct ibv_cq_ex *cq);

/** preload_cq_ex_forget() - It is gone. @cq: Any address. */
void preload_cq_ex_forget(const struct ibv_cq_ex *cq);

#endif
