// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* A plan of faults, carried out: the places of packets, and what befalls them. */
#include "fabric/faults.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/host.h"
#include "base/random.h"

#define DEFAULT_REORDER_NS 20000u
#define PLACES 1024u /* whose attempts are counted; older PSNs are told apart, but not counted */
#define PSN_SHIFT 8  /* a difference of 24 bits with its sign */

/**
 * struct fault_stream - Packets of one queue pair, one direction, requests or responses.
 * @begun: @next_psn is valid.
 * @next_psn: The one that has not been seen yet.
 * @top: Its place.
 * @strays: Seen again, too old to be counted.
 * @matched: How many each rule has selected.
 * @seen: Latest places, and how often they were seen.
 */
struct fault_stream {
	bool begun;
	uint32_t next_psn;
	uint64_t top;
	uint32_t strays;
	uint64_t matched[FAULT_RULES];
	struct {
		uint32_t place;
		uint32_t attempts;
	} seen[PLACES];
};

struct fault_qp {
	uint32_t ordinal;
	struct fault_stream stream[4]; /* stream_index() */
};

static unsigned int stream_index(uint8_t direction, bool response)
{
	return (direction == FAULT_RX ? 2u : 0u) + response;
}

static unsigned long key_of(uint32_t slot, uint32_t qpn)
{
	return (unsigned long)slot << 24 | qpn;
}

void fabric_faults_init(struct fabric_faults *faults)
{
	memset(faults, 0, sizeof(*faults));
	spin_lock_init(&faults->lock);
	xa_init(&faults->qps);
}

void fabric_faults_free(struct fabric_faults *faults)
{
	unsigned long key;
	void *qp;

	xa_for_each(&faults->qps, key, qp)
		base_free(qp);
	xa_destroy(&faults->qps);
}

/* The counts of rules; the places of packets stay, for connections go on. */
static void forget_counts_locked(struct fabric_faults *faults) REQUIRES(faults->lock)
{
	struct fault_qp *qp;
	unsigned long key;

	memset(faults->matched, 0, sizeof(faults->matched));
	xa_for_each(&faults->qps, key, qp)
		for (size_t i = 0; i < 4; i++)
			memset(qp->stream[i].matched, 0, sizeof(qp->stream[i].matched));
}

void fabric_faults_set_plan(struct fabric_faults *faults, const struct fault_plan *plan)
{
	static const struct fault_plan none = {.seed = 0};
	bool active = false, refuses = false;

	spin_lock(&faults->lock);
	faults->plan = plan ? *plan : none;
	for (uint32_t i = 0; i < faults->plan.count; i++) {
		const struct fault_rule *rule = &faults->plan.rule[i];

		active |= fault_rule_is_of_packets(rule) || rule->action == FAULT_DOWN;
		refuses |= rule->action == FAULT_FAIL;
	}
	fabric_faults_begin(faults);
	forget_counts_locked(faults);
	__atomic_store_n(&faults->active, active, __ATOMIC_RELEASE);
	__atomic_store_n(&faults->refuses, refuses, __ATOMIC_RELEASE);
	spin_unlock(&faults->lock);
}

void fabric_faults_begin(struct fabric_faults *faults)
{
	__atomic_store_n(&faults->start_ns, base_now_ns(), __ATOMIC_RELAXED);
}

static void add_rule(struct fault_plan *plan, enum fault_action action, uint32_t ppm,
		     uint64_t least_ns, uint64_t most_ns)
{
	struct fault_rule *rule = &plan->rule[plan->count];

	if (!ppm)
		return;
	fault_rule_init(rule, action);
	rule->ppm = ppm;
	rule->least_ns = least_ns;
	rule->most_ns = most_ns;
	plan->count++;
}

int fabric_faults_set(struct fabric_faults *faults, const struct fabric_fault_rates *rates)
{
	const struct fabric_fault_rates none = {.seed = 0};
	const struct fabric_fault_rates *r = rates ? rates : &none;
	const uint64_t reorder_ns = r->reorder_ns ? r->reorder_ns : DEFAULT_REORDER_NS;
	const uint32_t all[] = {r->drop_ppm, r->duplicate_ppm, r->reorder_ppm, r->corrupt_ppm};
	struct fault_plan plan = {.seed = r->seed};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i] > FABRIC_PPM)
			return base_refuse(-EINVAL, FABRIC_FAULT_RATE, all[i], FABRIC_PPM);
	add_rule(&plan, FAULT_DROP, r->drop_ppm, 0, 0);
	if (r->delay_ns || r->jitter_ns)
		add_rule(&plan, FAULT_DELAY, FABRIC_PPM, r->delay_ns, r->delay_ns + r->jitter_ns);
	add_rule(&plan, FAULT_REORDER, r->reorder_ppm, 1, reorder_ns);
	add_rule(&plan, FAULT_DUPLICATE, r->duplicate_ppm, r->delay_ns,
		 r->delay_ns + r->jitter_ns + reorder_ns);
	add_rule(&plan, FAULT_CORRUPT, r->corrupt_ppm, 0, 0);
	fabric_faults_set_plan(faults, &plan);
	return 0;
}

bool fabric_faults_set_cut(struct fabric_faults *faults, uint32_t slot, bool cut)
{
	const uint64_t bit = 1ull << slot % 64;
	uint64_t *word = &faults->cut[slot / 64];
	const uint64_t before = cut ? __atomic_fetch_or(word, bit, __ATOMIC_ACQ_REL)
				    : __atomic_fetch_and(word, ~bit, __ATOMIC_ACQ_REL);

	return !(before & bit) == cut;
}

static bool in_time(const struct fabric_faults *faults, const struct fault_rule *rule)
{
	const uint64_t ns = base_now_ns() - __atomic_load_n(&faults->start_ns, __ATOMIC_RELAXED);

	if (rule->action == FAULT_DOWN) /* its "for" is how long the port stays down */
		return ns >= rule->after_ns;
	return ns >= rule->after_ns && ns - rule->after_ns < rule->for_ns;
}

/* Whether the next one that a rule has selected is among those to be hit, but for its probability. */
static bool is_due(const struct fault_rule *rule, uint64_t *matched)
{
	const uint64_t n = (*matched)++;

	return n >= rule->skip && (n - rule->skip) % rule->every == 0 &&
	       (n - rule->skip) / rule->every < rule->count;
}

static bool chance(uint64_t *random, uint32_t ppm)
{
	return ppm >= FAULT_PPM || base_random_below(random, FAULT_PPM) < ppm;
}

static void tell_locked(struct fabric_faults *faults, const struct fault_hit *hit)
	REQUIRES(faults->lock)
{
	__atomic_fetch_add(&faults->hits[hit->rule->action], 1, __ATOMIC_RELAXED);
	if (faults->listener.hit)
		faults->listener.hit(faults->listener.ctx, hit);
}

void fabric_faults_happened(struct fabric_faults *faults, const struct fault_rule *rule)
{
	spin_lock(&faults->lock);
	tell_locked(faults, &(struct fault_hit){.rule = rule});
	spin_unlock(&faults->lock);
}

static int refuse_locked(struct fabric_faults *faults, enum fault_verb verb) REQUIRES(faults->lock)
{
	for (uint32_t i = 0; i < faults->plan.count; i++) {
		const struct fault_rule *rule = &faults->plan.rule[i];
		uint64_t random = faults->plan.seed + i + (faults->matched[i] << 8);

		if (rule->action != FAULT_FAIL || rule->verb != verb || !in_time(faults, rule) ||
		    !is_due(rule, &faults->matched[i]) || !chance(&random, rule->ppm))
			continue;
		tell_locked(faults, &(struct fault_hit){.rule = rule, .place = faults->matched[i]});
		return base_refuse(rule->error, FAULT_VERB, faults->matched[i], rule->column);
	}
	return 0;
}

int fabric_faults_refuse(struct fabric_faults *faults, enum fault_verb verb)
{
	int ret;

	if (!__atomic_load_n(&faults->refuses, __ATOMIC_ACQUIRE))
		return 0;
	spin_lock(&faults->lock);
	ret = refuse_locked(faults, verb);
	spin_unlock(&faults->lock);
	return ret;
}

/* NULL if there is no memory for one that was not there. */
static struct fault_qp *find_locked(struct fabric_faults *faults, uint32_t slot, uint32_t qpn)
	REQUIRES(faults->lock)
{
	struct fault_qp *qp = xa_load(&faults->qps, key_of(slot, qpn));

	if (qp)
		return qp;
	qp = base_zalloc(sizeof(*qp));
	if (!qp)
		return NULL;
	qp->ordinal = ++faults->qp_count;
	if (!xa_is_err(xa_store(&faults->qps, key_of(slot, qpn), qp, GFP_KERNEL)))
		return qp;
	base_free(qp);
	return NULL;
}

void fabric_faults_qp_is_made(struct fabric_faults *faults, uint32_t slot, uint32_t qpn)
{
	if (!fabric_faults_active(faults))
		return;
	spin_lock(&faults->lock);
	(void)find_locked(faults, slot, qpn);
	spin_unlock(&faults->lock);
}

void fabric_faults_qp_is_gone(struct fabric_faults *faults, uint32_t slot, uint32_t qpn)
{
	spin_lock(&faults->lock);
	base_free(xa_erase(&faults->qps, key_of(slot, qpn)));
	spin_unlock(&faults->lock);
}

static void begin(struct fault_stream *stream, uint32_t psn)
{
	*stream = (struct fault_stream){.begun = true, .next_psn = psn};
}

void fabric_faults_qp_connects(struct fabric_faults *faults, uint32_t slot, uint32_t qpn,
			       uint8_t direction, uint32_t psn)
{
	struct fault_qp *qp;

	if (!fabric_faults_active(faults))
		return;
	spin_lock(&faults->lock);
	qp = find_locked(faults, slot, qpn);
	if (qp) { /* responses have the PSNs of the requests that came the other way */
		begin(&qp->stream[stream_index(direction, false)], psn);
		begin(&qp->stream[stream_index(direction == FAULT_TX ? FAULT_RX : FAULT_TX, true)],
		      psn);
	}
	spin_unlock(&faults->lock);
}

/* Which attempt this is of a place that was seen before. Never 1, so that the same fate is not for ever. */
static uint32_t again(struct fault_stream *stream, uint64_t place)
{
	const uint32_t i = place % PLACES;

	if (stream->top <= PLACES + place && stream->seen[i].place == (uint32_t)place)
		return ++stream->seen[i].attempts;
	return 2 + stream->strays++;
}

static uint64_t place_of(struct fault_stream *stream, const struct fault_packet *packet,
			 uint32_t *attempt)
{
	uint64_t place = stream->top;
	int32_t ahead;

	*attempt = 1;
	if (packet->service == FAULT_UD) {
		stream->top++;
		return place;
	}
	if (!stream->begun)
		begin(stream, packet->psn);
	ahead = (int32_t)((packet->psn - stream->next_psn) << PSN_SHIFT) >> PSN_SHIFT;
	if (ahead < 0 && (uint64_t)-ahead > place) /* before the connection began */
		return 0;
	place = stream->top + (uint64_t)(int64_t)ahead;
	if (ahead < 0) {
		*attempt = again(stream, place);
		return place;
	}
	stream->seen[place % PLACES].place = (uint32_t)place;
	stream->seen[place % PLACES].attempts = 1;
	stream->top = place + 1;
	stream->next_psn = (packet->psn + 1) & 0xffffffu;
	return place;
}

/* What a rule says of the packet itself. */
static bool is_meant(const struct fault_rule *rule, const struct fault_packet *packet)
{
	return (!rule->services || rule->services & packet->service) &&
	       (!rule->kinds || rule->kinds & packet->kind) &&
	       (!rule->dlid || rule->dlid == packet->dlid) &&
	       (!rule->qpn || rule->qpn == packet->qpn) &&
	       (!rule->messages || (packet->begins && !packet->response));
}

static bool selects(const struct fault_rule *rule, const struct fault_packet *packet,
		    const struct fault_qp *qp, uint32_t attempt)
{
	if (rule->directions ? !(rule->directions & packet->direction) : packet->met)
		return false;
	if ((rule->qp && rule->qp != qp->ordinal) || (rule->messages && attempt != 1))
		return false;
	return attempt >= rule->try_first && attempt <= rule->try_last && is_meant(rule, packet);
}

static uint64_t between(uint64_t *random, const struct fault_rule *rule)
{
	return rule->least_ns + base_random_below(random, rule->most_ns - rule->least_ns + 1);
}

static void apply(const struct fault_rule *rule, uint64_t *random, struct fabric_fate *fate)
{
	switch ((enum fault_action)rule->action) {
	case FAULT_DROP:
		fate->drop = true;
		break;
	case FAULT_DUPLICATE:
		fate->duplicate = true;
		fate->duplicate_delay_ns = between(random, rule);
		break;
	case FAULT_REORDER:
		fate->reordered = true;
		fate->delay_ns += 1 + between(random, rule);
		break;
	case FAULT_DELAY:
		fate->delay_ns += between(random, rule);
		break;
	case FAULT_CORRUPT:
		fate->corrupt = true;
		fate->corrupt_bit = (uint32_t)base_random(random);
		break;
	case FAULT_RNR:
		fate->starve = true;
		break;
	case FAULT_KILL:
	case FAULT_DOWN:
	case FAULT_EVENT:
	case FAULT_FAIL:
	case FAULT_ACTIONS:
		break;
	}
}

static bool is_act(const struct fault_rule *rule)
{
	return rule->action == FAULT_KILL || rule->action == FAULT_DOWN ||
	       rule->action == FAULT_EVENT;
}

/* A port is one for all its queue pairs, so packets of all of them are counted together. */
static bool counts_by_stream(const struct fault_rule *rule)
{
	return rule->action != FAULT_DOWN && rule->action != FAULT_EVENT;
}

/* A generator for one decision. Each number is mixed in before the next, so none cancels another. */
static uint64_t decision(const struct fabric_faults *faults, uint32_t rule,
			 const struct fault_hit *hit, unsigned int stream)
{
	uint64_t state = faults->plan.seed;

	state = base_random(&state) ^ ((uint64_t)rule << 32 | stream << 24 | hit->qp);
	state = base_random(&state) ^ hit->place;
	state = base_random(&state) ^ hit->attempt;
	return base_random(&state);
}

static void decide_locked(struct fabric_faults *faults, const struct fault_packet *packet,
			  struct fabric_fate *fate) REQUIRES(faults->lock)
{
	const unsigned int index = stream_index(packet->direction, packet->response);
	struct fault_qp *qp = find_locked(faults, packet->slot, packet->qpn);
	struct fault_hit hit = {.packet = packet};
	struct fault_stream *stream;

	if (!qp)
		return;
	stream = &qp->stream[index];
	hit.qp = qp->ordinal;
	hit.place = place_of(stream, packet, &hit.attempt);
	for (uint32_t i = 0; i < faults->plan.count && !fate->drop; i++) {
		const struct fault_rule *rule = &faults->plan.rule[i];
		uint64_t random;

		if (!fault_rule_is_of_packets(rule) || !selects(rule, packet, qp, hit.attempt) ||
		    !in_time(faults, rule))
			continue;
		fate->may_corrupt |= rule->action == FAULT_CORRUPT;
		random = decision(faults, i, &hit, index);
		if (!is_due(rule,
			    counts_by_stream(rule) ? &stream->matched[i] : &faults->matched[i]) ||
		    !chance(&random, rule->ppm))
			continue;
		apply(rule, &random, fate);
		hit.rule = rule;
		tell_locked(faults, &hit);
		if (is_act(rule) && faults->listener.act)
			faults->listener.act(faults->listener.act_ctx, rule, packet->slot,
					     packet->qpn);
	}
}

void fabric_faults_decide(struct fabric_faults *faults, const struct fault_packet *packet,
			  struct fabric_fate *fate)
{
	__atomic_fetch_add(&faults->met, 1, __ATOMIC_RELAXED);
	if (fabric_faults_cut(faults, packet->slot)) {
		fate->drop = true;
		return;
	}
	spin_lock(&faults->lock);
	decide_locked(faults, packet, fate);
	spin_unlock(&faults->lock);
}
