/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The joint between the transport and the wires.
 *
 * The unit is a run: 1..N packets of one message with consecutive PSNs, one header template, the
 * payload by reference. A wire that can take a run whole does; what must see single packets asks
 * tp_run_packet() for them one by one.
 */
#ifndef TRANSPORT_TP_H
#define TRANSPORT_TP_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/cause.h"
#include "packet/headers.h"
#include "packet/opcode.h"
#include "packet/psn.h"

struct tp_engine;
struct tp_window_ops;
struct rvt_dev_info;

/**
 * struct tp_path - Where packets come from and go to.
 * @slid: Source LID, path bits included.
 * @dlid: Destination LID; from 0xc000 on a multicast group.
 * @sl: Service level.
 * @has_grh: @flow_label to @dgid are valid and go on the wire.
 * @flow_label: 20 bits.
 * @traffic_class: As in the GRH.
 * @hop_limit: As in the GRH.
 * @sgid: Source GID, wire order.
 * @dgid: Destination GID, wire order.
 */
struct tp_path {
	uint16_t slid;
	uint16_t dlid;
	uint8_t sl;
	bool has_grh;
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint32_t flow_label;
	uint8_t sgid[16];
	uint8_t dgid[16];
};

/**
 * struct tp_source - Memory that is not ours.
 * @copy: Gather from @from into @to. Returns 0; -EFAULT if @to is not mapped; -ENODATA if @from
 *	cannot be read; -ESRCH if whose memory it is has died.
 */
struct tp_source {
	int (*copy)(const struct tp_source *source, const struct iovec *to, unsigned int to_count,
		    const struct iovec *from, unsigned int from_count, size_t from_offset,
		    size_t bytes);
};

/**
 * struct tp_payload - Bytes by reference.
 * @iov: Segments. Owned by the sender; they and the memory stay valid until the wire has let go
 *	of the run (see &tp_port_ops.send). Untrusted memory: copy with base_umem_copy_iov().
 * @count: How many segments.
 * @offset: Bytes of @iov to skip.
 * @ours: It is one segment of memory of ours, which is there: inline data. It may be copied without guard.
 * @source: Where @iov's addresses are valid; NULL: here.
 * @bytes: Payload of the whole run, without pad.
 */
struct tp_payload {
	const struct iovec *iov;
	uint32_t count;
	uint32_t bytes;
	size_t offset;
	bool ours;
	const struct tp_source *source;
};

/**
 * struct tp_run - One or more packets of one message.
 * @path: Addresses.
 * @dest_qpn: BTH destination.
 * @pkey: BTH P_Key.
 * @psn: PSN of the first packet; the others follow.
 * @packets: How many, at least 1.
 * @pmtu_bytes: Payload of every packet but the last of a message. 0 in a run of one packet that
 *	came from bytes.
 * @first_opcode: BTH opcode of the first packet.
 * @last_opcode: BTH opcode of the last one; equal to @first_opcode in a run of one. Those between
 *	are the MIDDLE of their kind.
 * @solicited: SE bit of the last packet.
 * @migrated: M bit of all.
 * @ack_req: A bit of the last packet.
 * @becn: BECN bit of all.
 * @reth: With an opcode that has a RETH in the first packet: valid. Likewise the following.
 * @atomiceth: Atomic request.
 * @aeth: Acknowledge and responses: of the first and the last packet that carry one.
 * @atomicacketh: Original value of an atomic response.
 * @deth: Datagram.
 * @feth: FLUSH, which has a RETH, too.
 * @immdt: Immediate data of the last packet, wire order.
 * @ieth: R_Key to invalidate, of the last packet.
 * @payload: Data of all packets.
 * @why: With a NAK, what the responder found; its id is 0 if unknown. Wires inside the fabric
 *	pass it on, byte wires cannot.
 */
struct tp_run {
	struct tp_path path;
	uint32_t dest_qpn;
	uint16_t pkey;
	psn_t psn;
	uint32_t packets;
	uint16_t pmtu_bytes;
	uint8_t first_opcode;
	uint8_t last_opcode;
	bool solicited;
	bool migrated;
	bool ack_req;
	bool becn;
	__be32 immdt;
	uint32_t ieth;
	struct pkt_aeth aeth;
	struct pkt_feth feth;
	union {
		struct pkt_reth reth;
		struct pkt_atomiceth atomiceth;
		struct pkt_atomicacketh atomicacketh;
		struct pkt_deth deth;
	};
	struct tp_payload payload;
	struct base_cause why;
};

/**
 * struct tp_small - A packet of RC of the simplest kind: a whole SEND, or an ACK (docs/design/express.md).
 * @dest_qpn: As in struct tp_run; so are those up to @aeth. There is no GRH, and the M bit is set.
 * @psn: PSN.
 * @pkey: P_Key.
 * @pmtu_bytes: Path MTU of the sender.
 * @slid: Source LID.
 * @dlid: Destination LID.
 * @sl: Service level.
 * @opcode: PKT_RC_SEND_ONLY, PKT_RC_SEND_ONLY_IMM or PKT_RC_ACKNOWLEDGE.
 * @solicited: SE bit.
 * @ack_req: A bit.
 * @immdt: Immediate data.
 * @ack_here: The ACK of a SEND may go back by what has carried it: see tp_receive_small().
 * @acked: Set by tp_receive_small().
 * @aeth: Of an ACK.
 * @bytes: Payload: in memory of ours when it is sent, in the wire's when it arrives.
 * @count: How much of it; at most TP_SMALL_BYTES.
 * @more: When it arrives: another packet is here already, so an answer may wait for that.
 */
struct tp_small {
	uint32_t dest_qpn;
	psn_t psn;
	uint16_t pkey;
	uint16_t pmtu_bytes;
	uint16_t slid;
	uint16_t dlid;
	uint8_t sl;
	uint8_t opcode;
	bool solicited;
	bool ack_req;
	bool ack_here;
	bool acked;
	__be32 immdt;
	struct pkt_aeth aeth;
	const void *bytes;
	uint32_t count;
	bool more;
};

#define TP_SMALL_BYTES 256u

/**
 * struct tp_port - What transport and wire share of one port.
 * @ops: The wire.
 * @engine: Whose port it is.
 * @num: 1 ...
 * @wire: The wire's own.
 *
 * The transport fills in @engine and @num, the wire @ops and @wire (device/assemble.c).
 */
struct tp_port {
	const struct tp_port_ops *ops;
	struct tp_engine *engine;
	uint32_t num;
	void *wire;
};

/**
 * struct tp_port_ops - What the transport asks of the wire below it.
 * @max_bytes: Largest packet the wire takes, from the first header to the CRC.
 * @send: Take a run (packets of one message with consecutive PSNs), or a prefix of it. QP locks
 *	may be held. Returns the packets taken, or -EAGAIN with none taken; the transport offers the
 *	rest again after tp_port_ready(). -EFAULT: the payload is to be copied and is not mapped; the
 *	request fails. Other errors count as packets lost. Must not call the transport back. A
 *	datagram for a group goes to all other members' ports: the transport itself has made the
 *	copies for those of this engine on the sending port. The payload of an RC
 *	run is valid as long as its QP exists; that of UC and UD until the wire, from a context
 *	without locks, has called tp_sent() (or takes the bytes before it returns and sets
 *	@copies).
 * @send_small: Take a packet of the simplest kind, its payload copied, and see to it that it is received: no
 *	@kick is needed. Otherwise as @send. Returns whether it was taken; if not, nothing has happened, and
 *	@send is asked. NULL: never.
 * @kick: All locks of the caller are dropped: a wire that delivers in the caller's context
 *	(loop) does it now, and calls tp_receive() of the destinations. A nested or concurrent
 *	call returns at once and leaves the work to the outermost caller.
 * @quiesce: Return only when the wire holds no run of this QP any more. May sleep, no locks held.
 * @release: The engine ends: give back what the port still has. A wire is disconnected while threads
 *	may still be sending; @send and @kick must do no harm until this. NULL if there is nothing.
 * @why_lost: Why runs to a queue pair are lost, if the wire knows: fills in id and arg of the cause. Returns
 *	whether it does. Locks may be held. NULL: it never knows.
 * @bad_key: A queue pair of the port has refused a packet for its Q_Key, or P_Key: its subnet wants to know.
 *	Locks are held. NULL: nobody does.
 * @copies: The wire has copied the payload when @send returns; tp_sent() is not called.
 * @windows: What queue pairs' peers can do by themselves (transport/window.h); NULL: nothing.
 */
struct tp_port_ops {
	size_t (*max_bytes)(const struct tp_port *port);
	int (*send)(struct tp_port *port, const struct tp_run *run, void *sender);
	bool (*send_small)(struct tp_port *port, const struct tp_small *small, void *sender);
	void (*kick)(struct tp_port *port);
	void (*quiesce)(struct tp_port *port, void *sender);
	void (*release)(struct tp_port *port);
	bool (*why_lost)(const struct tp_port *port, const struct tp_path *path, uint32_t dest_qpn,
			 struct base_cause *cause);
	void (*bad_key)(struct tp_port *port, const struct tp_run *run, bool qkey);
	bool copies;
	const struct tp_window_ops *windows;
};

/**
 * tp_receive() - Packets for a port have arrived.
 * @port: Where.
 * @run: What; ours during the call only, payload included. Any content is tolerated: what is not
 *	valid is counted and dropped or NAKed.
 *
 * Context: No locks. Completions, events and answers may result; answers go to
 * &tp_port_ops.send, and the caller calls &tp_port_ops.kick in the end.
 */
void tp_receive(struct tp_port *port, const struct tp_run *run);

/**
 * tp_receive_small() - A packet of the simplest kind has arrived.
 * @port: Where.
 * @small: It; its payload may be written to by somebody else at any time. If @acked is set afterwards, @aeth is
 *	that of an ACK that was not sent: the wire lets the sender have it, by tp_acked(). Several of one queue pair
 *	may become one, the last.
 *
 * Context: As tp_receive(), between tp_batch_begin() and tp_batch_end(). Who has packets turned away is
 *	asked by &tp_port_ops.send_small as well, at once or at the end of the batch.
 * Return: Whether it was dealt with; if not, nothing has happened, and it is for tp_receive().
 */
bool tp_receive_small(struct tp_port *port, struct tp_small *small);

/**
 * tp_acked() - A SEND that was sent by &tp_port_ops.send_small has been acknowledged, and so have those before it.
 * @port: Where it was sent.
 * @sender: As given there.
 * @psn: Its PSN.
 * @aeth: As &tp_small.aeth; may hold anything.
 * @in_order: All that the receiver had sent before has arrived.
 *
 * Context: No locks, between tp_batch_begin() and tp_batch_end().
 * Return: Whether that was taken; if not it is to be told again, @in_order.
 */
bool tp_acked(struct tp_port *port, void *sender, psn_t psn, const struct pkt_aeth *aeth,
	      bool in_order);

/**
 * tp_sent() - The wire has sent a run that it had taken by reference, and lets go of it.
 * @port: Where it was sent.
 * @sender: As given to &tp_port_ops.send.
 * @packets: How many of its packets are done with, in the order sent.
 *
 * Of RC, too: no ACK is overdue of what the wire still holds.
 */
void tp_sent(struct tp_port *port, void *sender, uint32_t packets);

/**
 * tp_port_ready() - A wire that had answered -EAGAIN takes runs again.
 * @port: Which.
 */
void tp_port_ready(struct tp_port *port);

/**
 * tp_run_packet() - One packet of a run, as a run of its own.
 * @run: The whole.
 * @index: 0 ... packets - 1.
 * @packet: Out. Shares @run's payload.
 */
void tp_run_packet(const struct tp_run *run, uint32_t index, struct tp_run *packet);

/**
 * tp_run_prefix() - The first packets of a run, as a run of its own.
 * @run: The whole; of several packets.
 * @packets: How many, less than @run has.
 * @prefix: Out. Shares @run's payload.
 */
void tp_run_prefix(const struct tp_run *run, uint32_t packets, struct tp_run *prefix);

/**
 * tp_run_encode() - The bytes of a run of one packet, LRH to pad, ICRC and VCRC included.
 * @run: One packet.
 * @wire: Out.
 * @bytes: Size of @wire.
 *
 * Return: Length; -EMSGSIZE if it does not fit; -EFAULT if its payload is not mapped.
 */
int tp_run_encode(const struct tp_run *run, uint8_t *wire, size_t bytes);

/**
 * tp_run_decode() - The run of one packet that some bytes are.
 * @wire: LRH first. Any content.
 * @bytes: How many.
 * @run: Out, on success; its payload points into @wire by way of @iov.
 * @iov: One segment, the caller's, valid as long as @run.
 *
 * Return: 0; -EBADMSG if the headers, the lengths or a CRC are wrong.
 */
int tp_run_decode(const uint8_t *wire, size_t bytes, struct tp_run *run, struct iovec *iov);

#endif
