/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A connection of the simulated world, and what its two ends expect of each other.
 *
 * Each end is requester and responder. It remembers what it has posted, and what its peer will
 * see, in the order posted; the checkers take from the front.
 */
#ifndef SIM_END_H
#define SIM_END_H

#include <linux/verbena_base.h>
#include <rdma/ib_verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/sim.h"
#include "sim/world.h"

#define END_DEPTH 16u	    /* send WRs, and slots of the areas for sending and reading */
#define END_RECVS 16u	    /* receive WRs */
#define END_TARGETS 8u	    /* slots that the peer writes to and reads from */
#define END_WORDS 4u	    /* words that the peer changes atomically */
#define END_MESSAGES 1024u  /* messages on their way: more than queues and wire hold */
#define END_MESSAGES_RC 64u /* RC: wait at so many, for they will be received */
#define END_GUARD 64u	    /* bytes between and around areas that nobody may touch */
#define END_GUARD_BYTE 0xa5

struct sim_run;

/* What a connection is like; chosen once. */
struct conn_options {
	enum ib_qp_type type; /* RC or UC */
	enum ib_mtu mtu;
	uint32_t max_bytes; /* longest message */
	uint8_t retry_cnt, rnr_retry, min_rnr_timer, timeout, rd_atomic;
	bool srq;
	bool signal_all;
	bool by_events; /* completion handler instead of polling */
	uint64_t poll_every_ns;
	uint32_t first_psn;
	bool bursts;		  /* RC: an atomic, data, an atomic; then all of them complete */
	uint8_t withhold_percent; /* how often no receive is posted when one could be */
	uint8_t bad_key_percent;  /* requests with an R_Key that is wrong */
};

/* One area of memory with its MR; guards lie before, between and after its slots. */
struct area {
	uint8_t *mem;
	size_t slot_bytes; /* without guard */
	uint32_t slots;
	size_t bytes;
	uint64_t iova; /* of @mem */
	struct ib_mr *mr;
};

/* A send WR that is outstanding. */
struct posted {
	enum ib_wr_opcode opcode;
	bool signalled;
	bool bad_key; /* must fail */
	uint32_t bytes;
	uint32_t slot;	   /* of the own area; END_DEPTH of them are reused in order */
	uint32_t target;   /* of the peer's area */
	uint64_t key;	   /* payload that is sent, or that a READ must find */
	uint64_t original; /* what an atomic must find */
};

/* A message that the peer will receive. */
struct message {
	uint32_t bytes;
	uint64_t key;
	bool with_imm;
	bool is_write;
	bool solicited;
	uint32_t target;
};

struct conn;

struct end {
	struct conn *conn;
	struct end *peer;
	unsigned int host;
	struct ib_device *device;
	struct ib_pd *pd;
	struct ib_cq *send_cq, *recv_cq;
	struct ib_srq *srq;
	struct ib_qp *qp;
	struct area sends, recvs, targets, reads, words;
	struct base_timer tick;
	bool armed;	    /* by_events: a handler will call */
	bool dead;	    /* the QP is in ERR, or was reset */
	bool sends_fail;    /* a send completed in error: all that follow do so, too */
	bool drained_event; /* SQ_DRAINED was raised */

	/* Requester: WRs from @tail to @head are outstanding. */
	struct posted posted[END_DEPTH];
	uint64_t head, tail;
	uint32_t since_signal;
	uint64_t pace_ns; /* UC: since this moment ... */
	uint32_t paced;	  /* ... it has posted so many */

	/* What the peer has to see, from @message_tail on. */
	struct message messages[END_MESSAGES];
	uint64_t message_head, message_tail;

	/* Responder's side, as its peer (the only requester) knows it. */
	uint64_t target_key[END_TARGETS];
	bool target_known[END_TARGETS];
	uint32_t target_users[END_TARGETS]; /* outstanding requests */
	bool target_written[END_TARGETS];   /* one of them is a WRITE ... */
	uint64_t target_write[END_TARGETS]; /* ... of bytes from this key */
	uint64_t word_value[END_WORDS];

	uint64_t recv_head, recv_tail; /* receives posted and consumed */
};

struct conn {
	struct sim_run *run;
	unsigned int number;
	unsigned int incarnation;
	struct conn_options options;
	struct end ends[2];
	bool quiet;    /* post nothing new */
	bool may_fail; /* a fault explains a retry error of this connection */
	bool failed;   /* it had one, or was told to die; both ends are to be set up anew */
};

/**
 * conn_open() - Create and connect.
 * @run: The simulation.
 * @conn: Zeroed memory of @run.
 * @number: Of the connection.
 * @options: Copied.
 * @host_a: One host.
 * @host_b: The other, or the same.
 *
 * Return: 0, or what a call of the verbs refused; then nothing is left over.
 */
int conn_open(struct sim_run *run, struct conn *conn, unsigned int number,
	      const struct conn_options *options, unsigned int host_a, unsigned int host_b);

/** conn_close() - Destroy what conn_open() made. */
void conn_close(struct conn *conn);

/** conn_reopen() - Destroy and connect anew, with everything expected forgotten. */
int conn_reopen(struct conn *conn);

/** conn_is_idle() - Whether nothing is outstanding at either end. */
bool conn_is_idle(const struct conn *conn);

/** conn_check_guards() - No byte outside the slots was written. Fails the simulation if so. */
void conn_check_guards(struct conn *conn);

/** end_post() - Post requests and receives, as many as chance wants. */
void end_post(struct end *end);

/** end_poll() - Take completions and check them. Returns how many there were. */
unsigned int end_poll(struct end *end);

/** area_slot() - Memory of one slot. */
static inline uint8_t *area_slot(const struct area *area, uint32_t slot)
{
	return area->mem + END_GUARD + slot * (area->slot_bytes + END_GUARD);
}

/** area_remote_addr() - What the peer calls that slot. */
static inline uint64_t area_remote_addr(const struct area *area, uint32_t slot)
{
	return area->iova + (uint64_t)(area_slot(area, slot) - area->mem);
}

#endif
