/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What is to go wrong, as people write it (docs/faults.md) and as it is executed: a list of rules.
 *
 *	seed=7; drop=2%; rnr, service=rc, try=1..3; down, after=1s, for=500ms; fail=ENOMEM, verb=create_qp, nth=3
 */
#ifndef FABRIC_FAULT_PLAN_H
#define FABRIC_FAULT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAULT_PPM 1000000u
#define FAULT_RULES 32u
#define FAULT_SPEC_BYTES 4096u

/* The order is that of fault_action_name(). */
enum fault_action {
	FAULT_DROP,
	FAULT_DUPLICATE,
	FAULT_REORDER,
	FAULT_DELAY,
	FAULT_CORRUPT,
	FAULT_RNR,   /* the responder says that it has no receive */
	FAULT_KILL,  /* the queue pair fails */
	FAULT_DOWN,  /* the port goes down */
	FAULT_EVENT, /* an asynchronous event is raised */
	FAULT_FAIL,  /* a verb is refused */
	FAULT_ACTIONS,
};

/* Where a packet is met, a bit each; none: wherever it is met first. */
#define FAULT_TX 1u
#define FAULT_RX 2u

/* What a packet is, a bit each. */
enum fault_kind {
	FAULT_SEND = 1u << 0,
	FAULT_WRITE = 1u << 1,
	FAULT_READ = 1u << 2,
	FAULT_ATOMIC = 1u << 3,
	FAULT_RESPONSE = 1u << 4, /* to a READ or an atomic */
	FAULT_ACK = 1u << 5,	  /* ACK, NAK, RNR NAK */
	FAULT_OTHER = 1u << 6,
};

#define FAULT_RC 1u
#define FAULT_UC 2u
#define FAULT_UD 4u

enum fault_verb {
	FAULT_VERB_OPEN,
	FAULT_VERB_QUERY_PORT,
	FAULT_VERB_ALLOC_PD,
	FAULT_VERB_REG_MR,
	FAULT_VERB_ALLOC_MW,
	FAULT_VERB_CREATE_CQ,
	FAULT_VERB_RESIZE_CQ,
	FAULT_VERB_CREATE_SRQ,
	FAULT_VERB_MODIFY_SRQ,
	FAULT_VERB_CREATE_QP,
	FAULT_VERB_MODIFY_QP,
	FAULT_VERB_QUERY_QP,
	FAULT_VERB_CREATE_AH,
	FAULT_VERB_ATTACH_MCAST,
	FAULT_VERBS,
};

enum fault_event {
	FAULT_EVENT_PORT_ERR,
	FAULT_EVENT_PORT_ACTIVE,
	FAULT_EVENT_LID_CHANGE,
	FAULT_EVENT_PKEY_CHANGE,
	FAULT_EVENT_SM_CHANGE,
	FAULT_EVENT_CLIENT_REREGISTER,
	FAULT_EVENT_GID_CHANGE,
	FAULT_EVENT_DEVICE_FATAL,
	FAULT_EVENT_CQ_ERR, /* of the queue pair whose packet it is */
	FAULT_EVENTS,
};

/**
 * struct fault_rule - One clause.
 * @action: enum fault_action.
 * @directions: FAULT_TX, FAULT_RX; 0: either, but once.
 * @services: FAULT_RC and so on; 0: all.
 * @verb: Of FAULT_FAIL: enum fault_verb.
 * @event: Of FAULT_EVENT: enum fault_event.
 * @messages: Packets that begin a message only, when they are sent first.
 * @on_packet: Of FAULT_DOWN and FAULT_EVENT: a packet brings it about, not time alone.
 * @kinds: enum fault_kind; 0: all.
 * @dlid: Destination; 0: any.
 * @error: Of FAULT_FAIL: a negative errno.
 * @qp: The how-many-eth queue pair of this process, from 1; 0: any.
 * @qpn: Its number; 0: any.
 * @ppm: Probability, of those that the other members select.
 * @try_first: How often it was sent with this one, from 1.
 * @try_last: Likewise, inclusive. UINT32_MAX: no limit.
 * @skip: So many that match go unharmed, of a queue pair's stream.
 * @count: So many are hit.
 * @every: Of the others each so-many-eth; 1: all.
 * @least_ns: FAULT_DELAY, FAULT_REORDER, FAULT_DUPLICATE: by how much it is late.
 * @most_ns: At most.
 * @after_ns: From when on, after the plan was set.
 * @for_ns: For how long; UINT64_MAX: for ever. Of FAULT_DOWN: how long it is down.
 * @column: Where it begins in the text.
 */
struct fault_rule {
	uint8_t action;
	uint8_t directions;
	uint8_t services;
	uint8_t verb;
	uint8_t event;
	bool messages;
	bool on_packet;
	uint16_t kinds;
	uint16_t dlid;
	int error;
	uint32_t qp;
	uint32_t qpn;
	uint32_t ppm;
	uint32_t try_first;
	uint32_t try_last;
	uint64_t skip;
	uint64_t count;
	uint64_t every;
	uint64_t least_ns;
	uint64_t most_ns;
	uint64_t after_ns;
	uint64_t for_ns;
	uint32_t column;
};

/**
 * struct fault_plan - All clauses.
 * @seed: Of all decisions that have a probability.
 * @count: Rules.
 * @rule: In the order written.
 */
struct fault_plan {
	uint64_t seed;
	uint32_t count;
	struct fault_rule rule[FAULT_RULES];
};

/**
 * struct fault_error - What is wrong with a text.
 * @column: Where, from 1.
 * @text: A sentence.
 */
struct fault_error {
	uint32_t column;
	char text[160];
};

/**
 * fault_plan_parse() - Read a text.
 * @spec: As in docs/faults.md; nothing is a plan without rules.
 * @plan: Out, on success.
 * @error: Out, on failure.
 *
 * Return: 0; -EINVAL.
 */
int fault_plan_parse(const char *spec, struct fault_plan *plan, struct fault_error *error);

/** fault_rule_init() - A rule that hits everything. */
void fault_rule_init(struct fault_rule *rule, enum fault_action action);

/** fault_rule_is_of_packets() - Whether packets have to be looked at for it. */
bool fault_rule_is_of_packets(const struct fault_rule *rule);

/** fault_action_name() - As it is written. */
const char *fault_action_name(enum fault_action action);

/** fault_event_name() - As it is written. */
const char *fault_event_name(enum fault_event event);

/** fault_verb_name() - As it is written. */
const char *fault_verb_name(enum fault_verb verb);

#endif
