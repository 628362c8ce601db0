/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What processes and their daemon say to each other, over a SOCK_SEQPACKET socket: one struct
 * attach_message each time, with descriptors where it says so. Both sides are of one version, or part:
 * magic, version and type stay where they are.
 */
#ifndef ATTACH_PROTOCOL_H
#define ATTACH_PROTOCOL_H

#include <stdint.h>
#include <string.h>

#include "attach/mad.h"
#include "base/cause.h"
#include "base/report.h"
#include "fabric/directory.h"

#define ATTACH_MAGIC 0x76626e61u
#define ATTACH_VERSION 11u
#define ATTACH_NAME DIRECTORY_NAME
#define ATTACH_NODE 68u /* a node's description, and its end */

/* In a process's memory, behind its control page: its report. */
#define ATTACH_REPORT_AT 4096u
#define ATTACH_SHOWN_BYTES (ATTACH_REPORT_AT + sizeof(struct base_report))

enum attach_type {
	ATTACH_HELLO = 1,  /* process: hello; descriptors: enum attach_hello_fd */
	ATTACH_WELCOME,	   /* daemon: welcome; descriptor: the directory */
	ATTACH_REFUSED,	   /* daemon, to a hello or at its end: cause; then it hangs up */
	ATTACH_TAKE_BLOCK, /* process: give me QP numbers */
	ATTACH_BLOCK,	   /* daemon: block, the answer; status */
	ATTACH_INTRODUCE,  /* process: peer.id, please */
	ATTACH_PEER,	   /* daemon: peer; descriptors: enum attach_peer_fd */
	ATTACH_GONE,	   /* daemon: peer.id of peer.generation is dead */
	ATTACH_JOIN,	   /* process: group */
	ATTACH_LEAVE,	   /* process: group */
	ATTACH_DONE,	   /* daemon: status, the answer to the two; cause, if it is to FABRIC */
	ATTACH_COUNTERS,   /* process: counters of a port of its host, please */
	ATTACH_TRAFFIC,	   /* daemon: counters */
	ATTACH_STATUS,	   /* anybody, instead of hello */
	ATTACH_STATUS_IS,  /* daemon: descriptor: a file with JSON in it */
	ATTACH_SET_LINK,   /* process: link; the answer is DONE */
	ATTACH_PORT_IS,	   /* daemon, to all of a host: link and what has changed there */
	ATTACH_MISSED,	   /* process: PEER's peer.id of peer.generation could not be taken */
	ATTACH_FABRIC,	   /* anybody, instead of hello: fabric; the answer is FABRIC_IS or DONE */
	ATTACH_FABRIC_IS,  /* daemon: descriptor: a file with JSON in it */
	ATTACH_RESOLVE,	   /* process: way, please */
	ATTACH_RESOLVED,   /* daemon: way is in the directory */
	ATTACH_AGENT,	   /* process: agent, which is new; the answer is AGENT_IS */
	ATTACH_AGENT_GONE, /* process: agent.is.hi_tid is none any more; the answer is DONE */
	ATTACH_AGENT_IS,   /* daemon: status; agent, with who has it instead */
	ATTACH_MAD,	   /* process: mad, to be sent; daemon: mad, which has arrived */
	ATTACH_BAD_KEY,	   /* process: mad, all but its data: it was refused */
};

/* What is wanted of a fabric that has a topology; of ATTACH_FABRIC_DOWN, of any. */
enum attach_fabric {
	ATTACH_FABRIC_SHOW, /* node; "" for all, of which switches show no ports unless value is 1 */
	ATTACH_FABRIC_CUT,  /* the cable at port of node */
	ATTACH_FABRIC_MEND,  /* likewise: nothing is wrong with it any more */
	ATTACH_FABRIC_LOSS,  /* likewise: value of a million packets are lost */
	ATTACH_FABRIC_DELAY, /* likewise: packets are late by value nanoseconds */
	ATTACH_FABRIC_KILL,  /* node is a host */
	ATTACH_FABRIC_START, /* likewise */
	ATTACH_FABRIC_DOWN,  /* value: 1: even if processes are attached */
};

/* What a process shows of itself. The last one is left out if it cannot be opened. */
enum attach_hello_fd {
	ATTACH_HELLO_CONTROL,
	ATTACH_HELLO_WAKE,
	ATTACH_HELLO_KEYS,
	ATTACH_HELLO_MEMORY,
	ATTACH_HELLO_FDS,
};

/* Memory of the two, and what the other one has shown. */
enum attach_peer_fd {
	ATTACH_PEER_PAIR,
	ATTACH_PEER_CONTROL,
	ATTACH_PEER_WAKE,
	ATTACH_PEER_KEYS,
	ATTACH_PEER_MEMORY,
	ATTACH_PEER_FDS,
};

#define ATTACH_FDS ATTACH_PEER_FDS /* of any message at most */

/**
 * struct attach_message - One message.
 * @magic: ATTACH_MAGIC.
 * @version: ATTACH_VERSION, in every one.
 * @type: enum attach_type.
 * @serial: Of a question; its answer has the same.
 * @status: 0 or a negative errno.
 * @reserved: 0.
 * @hello: Of ATTACH_HELLO; hca: what the host shall have, if it has not got it yet. Who was attached
 *	already, by a daemon before, says to which directory (incarnation), as whom (id, generation),
 *	and whom it has rings with (known, a bit for each id).
 * @welcome: Of ATTACH_WELCOME.
 * @block: Of ATTACH_BLOCK.
 * @peer: Of ATTACH_INTRODUCE, ATTACH_PEER, ATTACH_GONE and ATTACH_MISSED.
 * @group: Of ATTACH_JOIN and ATTACH_LEAVE.
 * @counters: Of ATTACH_COUNTERS (hca and port, from 0) and ATTACH_TRAFFIC.
 * @link: Of ATTACH_SET_LINK and ATTACH_PORT_IS: HCA and port of the process's host, from 0; what: of the latter, bits
 *	SUBNET_CHANGED_*.
 * @agent: Of ATTACH_AGENT and the next two. If it was refused, whose (pid) which method is.
 * @mad: Of ATTACH_MAD and ATTACH_BAD_KEY (qkey: for its Q_Key, else for its P_Key): HCA and port of the process's
 *	host, from 0. Any content: attach_is_mad().
 * @fabric: Of ATTACH_FABRIC; what: enum attach_fabric.
 * @way: Of ATTACH_RESOLVE and ATTACH_RESOLVED.
 * @cause: Of ATTACH_REFUSED, and of ATTACH_DONE where that has failed.
 */
struct attach_message {
	uint32_t magic;
	uint32_t version;
	uint32_t type;
	uint32_t serial;
	int32_t status;
	uint32_t reserved;
	union {
		struct {
			char host[ATTACH_NAME];
			char command[ATTACH_NAME];
			uint64_t control_address;
			struct directory_hca hca[DIRECTORY_HCAS];
			uint64_t incarnation; /* 0: new here */
			uint32_t id;
			uint32_t generation;
			uint64_t known[DIRECTORY_PROCESSES / 64];
		} hello;
		struct {
			uint64_t directory_bytes;
			uint32_t id;
			uint32_t generation;
		} welcome;
		struct {
			uint32_t first_qpn;
		} block;
		struct {
			uint64_t control_address;
			uint32_t id;
			uint32_t generation;
			int32_t pid;
		} peer;
		struct {
			uint8_t gid[16];
		} group;
		struct {
			uint32_t hca;
			uint32_t port;
			struct base_traffic traffic;
		} counters;
		struct {
			uint32_t hca;
			uint32_t port;
			uint32_t up;
			uint32_t what;
		} link;
		struct {
			char node[ATTACH_NODE];
			uint32_t what;
			uint32_t port;
			uint64_t value;
		} fabric;
		struct directory_way_key way;
		struct {
			struct attach_agent is;
			int32_t pid;
			uint32_t method;
		} agent;
		struct {
			uint32_t hca;
			uint32_t port;
			uint32_t qkey;
			struct subnet_mad mad;
		} mad;
		struct base_cause cause;
	};
};

/** attach_is_mad() - Whether a message's MAD is one: its values are such as their types have, and its port may be. */
static inline bool attach_is_mad(const struct attach_message *m)
{
	uint8_t has_grh;

	memcpy(&has_grh, &m->mad.mad.has_grh, sizeof(has_grh));
	return has_grh <= 1 && m->mad.hca < DIRECTORY_HCAS && m->mad.port < DIRECTORY_PORTS;
}

#endif
