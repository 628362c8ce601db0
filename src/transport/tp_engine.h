/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The transport of one device, for whoever puts a device together (device/assemble.c, tests).
 *
 *	rdi = rvt_alloc_device(); dparms, ports: rvt_init_port() for each
 *	tp_engine_init(&tp, rdi);		  fills in the transport's share of rdi->driver_f
 *	tp_engine_port(tp, n)->ops = ..., ->wire = ...
 *	tp_port_set_addr(port n);		  and again when the subnet manager sets LIDs
 *	rvt_register_device(rdi); ... rvt_unregister_device(rdi);
 *	tp_engine_free(tp);
 */
#ifndef TRANSPORT_TP_ENGINE_H
#define TRANSPORT_TP_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "transport/tp.h"

/* Path MTUs reach from 256 to 4096; shorter by the port's. */
#define TP_MAX_MTU_BYTES 4096u

/* From the first byte of the LRH to the VCRC. */
#define TP_MAX_PACKET_BYTES                                                        \
	(PKT_LRH_BYTES + PKT_GRH_BYTES + PKT_MAX_HEADER_BYTES + TP_MAX_MTU_BYTES + \
	 PKT_ICRC_BYTES + PKT_VCRC_BYTES)

/**
 * struct tp_port_addr - What the transport must know of a port's addresses.
 * @lid: Base LID; 0 if the port has none (RoCE, or not configured yet).
 * @lmc: Its low @lmc bits are path bits.
 * @roce: Ethernet link layer: addresses are GIDs, and every packet has a GRH.
 * @mtu_bytes: Active MTU.
 * @gid: The port's first GID, wire order. Source of packets whose address has no GID entry of its
 *	own.
 */
struct tp_port_addr {
	uint16_t lid;
	uint8_t lmc;
	bool roce;
	uint16_t mtu_bytes;
	uint8_t gid[16];
};

/* Why runs are dropped: the last value of trace event run_dropped. */
enum tp_drop_reason {
	TP_DROP_MALFORMED,
	TP_DROP_NO_QP,
	TP_DROP_STATE,
	TP_DROP_SERVICE,
	TP_DROP_PKEY,
	TP_DROP_QKEY,
	TP_DROP_PATH,
	TP_DROP_LENGTH,
	TP_DROP_NO_RECEIVE,
	TP_DROP_ORDER,
	TP_DROP_ACCESS,
	TP_DROP_MEMORY,
	TP_DROP_GROUP,
	TP_DROP_REPLAY,
	TP_DROP_RESPONSE,
	TP_DROP_WINDOW,
	TP_DROP_REASONS,
};

/**
 * tp_engine_init() - Make the transport of a device.
 * @out: Out, on success.
 * @rdi: Allocated, all ports initialised, not registered. Its driver_f gets the functions that the
 *	transport provides (the ports' functions are left alone), dparms its PSN parameters,
 *	post_parms and wc_opcode their tables. Each port's priv becomes the transport's.
 *
 * Return: 0; -ENOMEM.
 */
int tp_engine_init(struct tp_engine **out, struct rvt_dev_info *rdi);

/**
 * tp_engine_free() - Give it back.
 * @tp: No queue pair of its device exists any more. May be NULL.
 */
void tp_engine_free(struct tp_engine *tp);

/**
 * tp_engine_port() - A port.
 * @tp: Engine.
 * @num: 1 ...
 *
 * Its @ops and @wire are the caller's to set, before the first queue pair leaves RESET.
 */
struct tp_port *tp_engine_port(struct tp_engine *tp, uint32_t num);

/**
 * tp_engine_set_loopback() - Whether queue pairs of one port reach each other without packets.
 * @tp: Engine.
 * @on: false sends all through the wire (tests, and fabrics that must see every packet). It is on
 *	at first.
 */
void tp_engine_set_loopback(struct tp_engine *tp, bool on);

/**
 * tp_port_set_addr() - The port's addresses have changed.
 * @port: Port.
 * @addr: Copied.
 *
 * Queue pairs take a LID for their path when they are connected, as the kernel's do.
 *
 * Context: Any thread.
 */
void tp_port_set_addr(struct tp_port *port, const struct tp_port_addr *addr);

/** tp_port_drops() - How many runs a port has dropped. Context: Any thread. */
uint64_t tp_port_drops(const struct tp_port *port, enum tp_drop_reason why);

/**
 * tp_port_listens() - Whether a port has a queue pair that could receive.
 * @port: Port.
 * @qpn: Its number.
 *
 * Context: Any thread.
 */
bool tp_port_listens(const struct tp_port *port, uint32_t qpn);

/** tp_sender_qpn() - The number of a queue pair. @sender: As given to &tp_port_ops.send; not NULL. */
uint32_t tp_sender_qpn(const void *sender);

/**
 * tp_lacks_receive() - Whether a datagram would be lost for want of a receive, and of nothing else that is to
 *	be seen before its headers are checked.
 * @port: Where it has arrived.
 * @run: It; for one queue pair.
 */
bool tp_lacks_receive(struct tp_port *port, const struct tp_run *run);

/** tp_receive_starved() - As tp_receive(), and the queue pair finds no receive (faults). */
void tp_receive_starved(struct tp_port *port, const struct tp_run *run);

/**
 * tp_batch_begin() - This thread is about to call tp_receive() several times.
 *
 * Answers are held back until the matching tp_batch_end(), so that one ACK may serve several
 * messages. Calls nest. Waiting for anything meanwhile is not allowed.
 */
void tp_batch_begin(void);

/**
 * tp_batch_end() - What was held back is sent, and the wires' kick() called.
 *
 * Context: No locks.
 */
void tp_batch_end(void);

#endif
