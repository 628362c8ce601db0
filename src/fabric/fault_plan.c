// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The grammar of faults: clauses, selectors, numbers with units, and where a text goes wrong. */
#include "fabric/fault_plan.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

#define ARRAY_LENGTH(a) (sizeof(a) / sizeof((a)[0]))
#define REORDER_NS 20000u
#define MOST_NS 3600000000000ull /* an hour */
#define MOST_QPN 0xffffffu
#define MOST_LID 0xffffu
#define MOST_SHOWN 40 /* characters of a word that is not understood */

/* What may be said of an action, a bit each: which selectors these are, their table says. */
enum says {
	SAYS_PACKETS = 1u << 0,
	SAYS_TIME = 1u << 1,
	SAYS_BY = 1u << 2,
	SAYS_VERB = 1u << 3,
	SAYS_COUNTS = 1u << 4,
	SAYS_NO_TX = 1u << 5, /* a packet is met where it arrives */
};

enum value {
	VALUE_NONE,
	VALUE_PERCENT, /* may be left out */
	VALUE_TIME,
	VALUE_EVENT,
	VALUE_ERRNO,
};

/* clang-format off */
static const struct {
	const char *name;
	enum value value;
	unsigned int says;
} actions[FAULT_ACTIONS] = {
	[FAULT_DROP]      = {"drop",    VALUE_PERCENT, SAYS_PACKETS | SAYS_TIME},
	[FAULT_DUPLICATE] = {"dup",     VALUE_PERCENT, SAYS_PACKETS | SAYS_TIME | SAYS_BY},
	[FAULT_REORDER]   = {"reorder", VALUE_PERCENT, SAYS_PACKETS | SAYS_TIME | SAYS_BY},
	[FAULT_DELAY]     = {"delay",   VALUE_TIME,    SAYS_PACKETS | SAYS_TIME},
	[FAULT_CORRUPT]   = {"corrupt", VALUE_PERCENT, SAYS_PACKETS | SAYS_TIME},
	[FAULT_RNR]       = {"rnr",     VALUE_PERCENT, SAYS_PACKETS | SAYS_TIME | SAYS_NO_TX},
	[FAULT_KILL]      = {"kill",    VALUE_PERCENT, SAYS_PACKETS | SAYS_TIME},
	[FAULT_DOWN]      = {"down",    VALUE_NONE,    SAYS_PACKETS | SAYS_TIME},
	[FAULT_EVENT]     = {"event",   VALUE_EVENT,   SAYS_PACKETS | SAYS_TIME},
	[FAULT_FAIL]      = {"fail",    VALUE_ERRNO,   SAYS_VERB | SAYS_COUNTS | SAYS_TIME},
};

static const char *const verbs[FAULT_VERBS] = {
	[FAULT_VERB_OPEN] = "open",             [FAULT_VERB_QUERY_PORT] = "query_port",
	[FAULT_VERB_ALLOC_PD] = "alloc_pd",     [FAULT_VERB_REG_MR] = "reg_mr",
	[FAULT_VERB_ALLOC_MW] = "alloc_mw",     [FAULT_VERB_CREATE_CQ] = "create_cq",
	[FAULT_VERB_RESIZE_CQ] = "resize_cq",   [FAULT_VERB_CREATE_SRQ] = "create_srq",
	[FAULT_VERB_MODIFY_SRQ] = "modify_srq", [FAULT_VERB_CREATE_QP] = "create_qp",
	[FAULT_VERB_MODIFY_QP] = "modify_qp",   [FAULT_VERB_QUERY_QP] = "query_qp",
	[FAULT_VERB_CREATE_AH] = "create_ah",   [FAULT_VERB_ATTACH_MCAST] = "attach_mcast",
};

static const char *const events[FAULT_EVENTS] = {
	[FAULT_EVENT_PORT_ERR] = "port_err",       [FAULT_EVENT_PORT_ACTIVE] = "port_active",
	[FAULT_EVENT_LID_CHANGE] = "lid_change",   [FAULT_EVENT_PKEY_CHANGE] = "pkey_change",
	[FAULT_EVENT_SM_CHANGE] = "sm_change",     [FAULT_EVENT_CLIENT_REREGISTER] = "client_reregister",
	[FAULT_EVENT_GID_CHANGE] = "gid_change",   [FAULT_EVENT_DEVICE_FATAL] = "device_fatal",
	[FAULT_EVENT_CQ_ERR] = "cq_err",
};

/* The bit of FAULT_SEND is that of "send", and so on. */
static const char *const kinds[] = {"send", "write", "read", "atomic", "response", "ack"};
static const char *const services[] = {"rc", "uc", "ud"};

static const struct {
	const char *name;
	int error;
} errors[] = {
	{"EPERM", EPERM},   {"EIO", EIO},       {"ENXIO", ENXIO},         {"EAGAIN", EAGAIN},
	{"ENOMEM", ENOMEM}, {"EACCES", EACCES}, {"EFAULT", EFAULT},       {"EBUSY", EBUSY},
	{"ENODEV", ENODEV}, {"EINVAL", EINVAL}, {"EMFILE", EMFILE},       {"ENFILE", ENFILE},
	{"ENOSPC", ENOSPC}, {"ENOSYS", ENOSYS}, {"EOPNOTSUPP", EOPNOTSUPP}, {"ETIMEDOUT", ETIMEDOUT},
};

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
/* clang-format on */

/* A text that is being read. */
struct text {
	const char *start;
	const char *at;
	struct fault_error *error;
};

__attribute__((format(printf, 3, 4))) static int wrong(const struct text *t, const char *at,
						       const char *format, ...)
{
	va_list args;

	t->error->column = (uint32_t)(at - t->start) + 1;
	va_start(args, format);
	vsnprintf(t->error->text, sizeof(t->error->text), format, args);
	va_end(args);
	return -EINVAL;
}

static void skip_space(struct text *t)
{
	while (isspace((unsigned char)*t->at))
		t->at++;
}

/* Whether the next character is @c; then it is taken. */
static bool take(struct text *t, char c)
{
	skip_space(t);
	if (*t->at != c)
		return false;
	t->at++;
	skip_space(t);
	return true;
}

struct word {
	const char *at;
	size_t bytes;
};

static struct word take_word(struct text *t)
{
	struct word w;

	skip_space(t);
	w.at = t->at;
	while (isalnum((unsigned char)*t->at) || *t->at == '_')
		t->at++;
	w.bytes = (size_t)(t->at - w.at);
	return w;
}

static bool is(struct word w, const char *name)
{
	return strlen(name) == w.bytes && !memcmp(w.at, name, w.bytes);
}

static int find(struct word w, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is(w, names[i]))
			return (int)i;
	return -ENOENT;
}

static int unknown(const struct text *t, struct word w, const char *what)
{
	const int bytes = w.bytes < MOST_SHOWN ? (int)w.bytes : MOST_SHOWN;

	if (!w.bytes)
		return wrong(t, w.at, "here should be %s", what);
	return wrong(t, w.at, "'%.*s' is not %s", bytes, w.at, what);
}

static int read_number(struct text *t, uint64_t least, uint64_t most, uint64_t *number)
{
	const char *at;
	uint64_t n;
	char *end;

	skip_space(t);
	at = t->at;
	if (!isdigit((unsigned char)*at))
		return wrong(t, at, "here should be a number");
	errno = 0;
	n = strtoull(at, &end, 0);
	t->at = end;
	if (errno || n < least || n > most)
		return wrong(t, at, "the number must be from %llu to %llu",
			     (unsigned long long)least, (unsigned long long)most);
	*number = n;
	return 0;
}

/* Digits with a point as millionths: exact, whatever the locale. */
static int read_decimal(struct text *t, uint64_t most, uint64_t *millionths)
{
	uint64_t unit = FAULT_PPM, whole = 0, part = 0;
	const char *at;

	skip_space(t);
	at = t->at;
	if (!isdigit((unsigned char)*at))
		return wrong(t, at, "here should be a number");
	for (; isdigit((unsigned char)*t->at); t->at++) {
		whole = whole * 10 + (uint64_t)(*t->at - '0');
		if (whole > most)
			return wrong(t, at, "the number must be at most %llu",
				     (unsigned long long)most);
	}
	if (*t->at == '.') {
		t->at++;
		for (; isdigit((unsigned char)*t->at); t->at++) {
			unit /= 10;
			part += unit * (uint64_t)(*t->at - '0');
		}
	}
	*millionths = whole * FAULT_PPM + part;
	return 0;
}

static int read_percent(struct text *t, struct fault_rule *rule)
{
	const char *at = t->at;
	uint64_t millionths = 0;
	int ret = read_decimal(t, 100, &millionths);

	if (ret)
		return ret;
	if (!take(t, '%'))
		return wrong(t, t->at, "here should be '%%': a probability, such as 2%% or 0.5%%");
	if (millionths > 100ull * FAULT_PPM)
		return wrong(t, at, "more than 100%%");
	rule->ppm = (uint32_t)(millionths / 100);
	return 0;
}

static int read_time(struct text *t, uint64_t *ns)
{
	const char *at = t->at;
	uint64_t millionths = 0;
	struct word unit;
	int ret = read_decimal(t, MOST_NS, &millionths);

	if (ret)
		return ret;
	unit = take_word(t);
	for (size_t i = 0; i < ARRAY_LENGTH(units); i++) {
		if (!is(unit, units[i].name))
			continue;
		if (millionths / FAULT_PPM > MOST_NS / units[i].ns)
			return wrong(t, at, "more than an hour");
		*ns = millionths / FAULT_PPM * units[i].ns +
		      millionths % FAULT_PPM * units[i].ns / FAULT_PPM;
		return 0;
	}
	return unknown(t, unit, "a unit of time: ns, us, ms or s");
}

/* Whether two points follow, as in 1..3. */
static bool take_range(struct text *t)
{
	skip_space(t);
	if (t->at[0] != '.' || t->at[1] != '.')
		return false;
	t->at += 2;
	return true;
}

static int read_times(struct text *t, struct fault_rule *rule)
{
	const char *at = t->at;
	int ret = read_time(t, &rule->least_ns);

	rule->most_ns = rule->least_ns;
	if (!ret && take_range(t))
		ret = read_time(t, &rule->most_ns);
	if (!ret && rule->most_ns < rule->least_ns)
		return wrong(t, at, "the range ends before it begins");
	return ret;
}

/* One of several names, as its place among them; @what is said of another word that it is not. */
static int read_name(struct text *t, const char *const *names, size_t count, const char *what,
		     uint8_t *place)
{
	const struct word w = take_word(t);
	const int i = find(w, names, count);

	if (i < 0)
		return unknown(t, w, what);
	*place = (uint8_t)i;
	return 0;
}

static int read_event(struct text *t, struct fault_rule *rule)
{
	return read_name(t, events, FAULT_EVENTS,
			 "an event: port_err, port_active, lid_change, pkey_change, sm_change, "
			 "client_reregister, gid_change, device_fatal, cq_err",
			 &rule->event);
}

static int read_errno(struct text *t, struct fault_rule *rule)
{
	const struct word w = take_word(t);

	for (size_t i = 0; i < ARRAY_LENGTH(errors); i++)
		if (is(w, errors[i].name)) {
			rule->error = -errors[i].error;
			return 0;
		}
	return unknown(t, w, "an errno that can be injected, such as ENOMEM, EINVAL or EIO");
}

static int read_value(struct text *t, struct fault_rule *rule)
{
	const char *name = actions[rule->action].name;
	const enum value value = actions[rule->action].value;
	const char *at = t->at;

	if (!take(t, '=')) {
		if (value == VALUE_NONE || value == VALUE_PERCENT)
			return 0;
		return wrong(t, at, "'%s' needs a value: %s=%s", name, name,
			     value == VALUE_TIME    ? "50us"
			     : value == VALUE_EVENT ? "device_fatal"
						    : "ENOMEM");
	}
	switch (value) {
	case VALUE_NONE:
		return wrong(t, at, "'%s' takes no value", name);
	case VALUE_PERCENT:
		return read_percent(t, rule);
	case VALUE_TIME:
		return read_times(t, rule);
	case VALUE_EVENT:
		return read_event(t, rule);
	case VALUE_ERRNO:
		return read_errno(t, rule);
	}
	UNREACHABLE("action whose value is of no kind");
}

/* Selectors. Each reads what stands behind its '='. */

static int read_u32(struct text *t, uint32_t most, uint32_t *number)
{
	uint64_t n = 0;
	const int ret = read_number(t, 1, most, &n);

	if (!ret)
		*number = (uint32_t)n;
	return ret;
}

static int read_qp(struct text *t, struct fault_rule *rule)
{
	return read_u32(t, MOST_QPN, &rule->qp);
}

static int read_qpn(struct text *t, struct fault_rule *rule)
{
	return read_u32(t, MOST_QPN, &rule->qpn);
}

static int read_dlid(struct text *t, struct fault_rule *rule)
{
	uint32_t n = 0;
	const int ret = read_u32(t, MOST_LID, &n);

	if (!ret)
		rule->dlid = (uint16_t)n;
	return ret;
}

/* One of several names, or more of them with '+' in between, as bits. */
static int read_bits(struct text *t, const char *const *names, size_t count, const char *what,
		     unsigned int *bits)
{
	unsigned int read = 0;

	do {
		const struct word w = take_word(t);
		const int i = find(w, names, count);

		if (i < 0)
			return unknown(t, w, what);
		read |= 1u << i;
	} while (take(t, '+'));
	*bits = read;
	return 0;
}

static int read_op(struct text *t, struct fault_rule *rule)
{
	unsigned int bits = 0;
	const int ret = read_bits(t, kinds, ARRAY_LENGTH(kinds),
				  "a kind of packet: send, write, read, atomic, response, ack",
				  &bits);

	if (!ret)
		rule->kinds = (uint16_t)bits;
	return ret;
}

static int read_service(struct text *t, struct fault_rule *rule)
{
	unsigned int bits = 0;
	const int ret =
		read_bits(t, services, ARRAY_LENGTH(services), "a service: rc, uc or ud", &bits);

	if (!ret)
		rule->services = (uint8_t)bits;
	return ret;
}

static int read_nth(struct text *t, struct fault_rule *rule)
{
	uint64_t n = 0;
	const int ret = read_number(t, 1, UINT64_MAX, &n);

	if (ret)
		return ret;
	rule->skip = n - 1;
	rule->count = 1;
	return 0;
}

static int read_skip(struct text *t, struct fault_rule *rule)
{
	return read_number(t, 0, UINT64_MAX, &rule->skip);
}

static int read_count(struct text *t, struct fault_rule *rule)
{
	return read_number(t, 1, UINT64_MAX, &rule->count);
}

static int read_every(struct text *t, struct fault_rule *rule)
{
	return read_number(t, 1, UINT64_MAX, &rule->every);
}

static int read_try(struct text *t, struct fault_rule *rule)
{
	const char *at = t->at;
	int ret = read_u32(t, UINT32_MAX, &rule->try_first);

	rule->try_last = rule->try_first;
	if (!ret && take_range(t))
		ret = read_u32(t, UINT32_MAX, &rule->try_last);
	if (!ret && rule->try_last < rule->try_first)
		return wrong(t, at, "the range ends before it begins");
	return ret;
}

static int read_after(struct text *t, struct fault_rule *rule)
{
	return read_time(t, &rule->after_ns);
}

static int read_for(struct text *t, struct fault_rule *rule)
{
	return read_time(t, &rule->for_ns);
}

static int read_verb(struct text *t, struct fault_rule *rule)
{
	return read_name(t, verbs, FAULT_VERBS,
			 "a verb that can fail: open, query_port, alloc_pd, reg_mr, create_cq, "
			 "create_qp ...",
			 &rule->verb);
}

static int say_tx(struct text *t, struct fault_rule *rule)
{
	(void)t;
	rule->directions |= FAULT_TX;
	return 0;
}

static int say_rx(struct text *t, struct fault_rule *rule)
{
	(void)t;
	rule->directions |= FAULT_RX;
	return 0;
}

static int say_msg(struct text *t, struct fault_rule *rule)
{
	(void)t;
	rule->messages = true;
	return 0;
}

/* clang-format off */
static const struct selector {
	const char *name;
	bool has_value;
	unsigned int of; /* actions of which one of these may be said */
	int (*read)(struct text *t, struct fault_rule *rule);
} selectors[] = {
	{"tx",      false, SAYS_PACKETS,               say_tx},
	{"rx",      false, SAYS_PACKETS,               say_rx},
	{"msg",     false, SAYS_PACKETS,               say_msg},
	{"qp",      true,  SAYS_PACKETS,               read_qp},
	{"qpn",     true,  SAYS_PACKETS,               read_qpn},
	{"op",      true,  SAYS_PACKETS,               read_op},
	{"service", true,  SAYS_PACKETS,               read_service},
	{"dlid",    true,  SAYS_PACKETS,               read_dlid},
	{"try",     true,  SAYS_PACKETS,               read_try},
	{"p",       true,  SAYS_PACKETS | SAYS_COUNTS, read_percent},
	{"nth",     true,  SAYS_PACKETS | SAYS_COUNTS, read_nth},
	{"skip",    true,  SAYS_PACKETS | SAYS_COUNTS, read_skip},
	{"count",   true,  SAYS_PACKETS | SAYS_COUNTS, read_count},
	{"every",   true,  SAYS_PACKETS | SAYS_COUNTS, read_every},
	{"by",      true,  SAYS_BY,                    read_times},
	{"after",   true,  SAYS_TIME,                  read_after},
	{"for",     true,  SAYS_TIME,                  read_for},
	{"verb",    true,  SAYS_VERB,                  read_verb},
};
/* clang-format on */

static int read_selector(struct text *t, struct fault_rule *rule, unsigned int *said)
{
	const char *name = actions[rule->action].name;
	const struct word w = take_word(t);

	for (size_t i = 0; i < ARRAY_LENGTH(selectors); i++) {
		const struct selector *s = &selectors[i];

		if (!is(w, s->name))
			continue;
		if (!(actions[rule->action].says & s->of))
			return wrong(t, w.at, "'%s' cannot be said of '%s'", s->name, name);
		if (*said & 1u << i)
			return wrong(t, w.at, "'%s' is said twice", s->name);
		*said |= 1u << i;
		if (s->of & SAYS_PACKETS)
			rule->on_packet = true;
		if (s->has_value && !take(t, '='))
			return wrong(t, t->at, "'%s' needs a value: %s=...", s->name, s->name);
		return s->read(t, rule);
	}
	return unknown(t, w, "a selector");
}

/* What only the clause as a whole tells. */
static int check(const struct text *t, const char *at, const struct fault_rule *rule,
		 unsigned int said)
{
	bool has_verb = false;

	for (size_t i = 0; i < ARRAY_LENGTH(selectors); i++)
		if (said & 1u << i && selectors[i].of == SAYS_VERB)
			has_verb = true;
	if (rule->action == FAULT_FAIL && !has_verb)
		return wrong(t, at, "'fail' needs a verb: fail=ENOMEM, verb=create_qp");
	if (actions[rule->action].says & SAYS_NO_TX && rule->directions & FAULT_TX)
		return wrong(t, at, "'%s' is the receiver's: it cannot be said with 'tx'",
			     actions[rule->action].name);
	if (rule->action == FAULT_EVENT && rule->event == FAULT_EVENT_CQ_ERR && !rule->on_packet)
		return wrong(t, at,
			     "cq_err needs a packet whose queue pair's CQ is meant, such as "
			     "event=cq_err, nth=100");
	return 0;
}

static int read_rule(struct text *t, int action, const char *at, struct fault_plan *plan)
{
	struct fault_rule *rule = &plan->rule[plan->count];
	unsigned int said = 0;
	int ret;

	if (plan->count == FAULT_RULES)
		return wrong(t, at, "more than %u faults", FAULT_RULES);
	fault_rule_init(rule, (enum fault_action)action);
	rule->column = (uint32_t)(at - t->start) + 1;
	ret = read_value(t, rule);
	while (!ret && take(t, ','))
		ret = read_selector(t, rule, &said);
	if (!ret)
		ret = check(t, at, rule, said);
	if (!ret)
		plan->count++;
	return ret;
}

static int find_action(struct word w)
{
	for (int i = 0; i < FAULT_ACTIONS; i++)
		if (is(w, actions[i].name))
			return i;
	return -ENOENT;
}

static int read_clause(struct text *t, struct fault_plan *plan)
{
	const struct word w = take_word(t);
	const int action = find_action(w);

	if (is(w, "seed")) {
		if (!take(t, '='))
			return wrong(t, t->at, "'seed' needs a value: seed=7");
		return read_number(t, 0, UINT64_MAX, &plan->seed);
	}
	if (action < 0)
		return unknown(t, w,
			       "a fault: drop, dup, reorder, delay, corrupt, rnr, kill, down, "
			       "event, fail (or seed)");
	return read_rule(t, action, w.at, plan);
}

int fault_plan_parse(const char *spec, struct fault_plan *plan, struct fault_error *error)
{
	struct text t = {spec, spec, error};
	struct fault_plan read = {.seed = 1};
	int ret;

	if (strnlen(spec, FAULT_SPEC_BYTES) == FAULT_SPEC_BYTES)
		return wrong(&t, spec, "longer than %u bytes", FAULT_SPEC_BYTES - 1);
	skip_space(&t);
	while (*t.at) {
		if (take(&t, ';'))
			continue;
		ret = read_clause(&t, &read);
		if (ret)
			return ret;
		skip_space(&t);
		if (*t.at && *t.at != ';')
			return wrong(&t, t.at,
				     "here should be ',' and a selector, or ';' and the next "
				     "fault");
	}
	*plan = read;
	return 0;
}

void fault_rule_init(struct fault_rule *rule, enum fault_action action)
{
	*rule = (struct fault_rule){
		.action = (uint8_t)action,
		.ppm = FAULT_PPM,
		.try_first = 1,
		.try_last = UINT32_MAX,
		.count = UINT64_MAX,
		.every = 1,
		.for_ns = UINT64_MAX,
	};
	if (action == FAULT_REORDER || action == FAULT_DUPLICATE)
		rule->most_ns = REORDER_NS;
	if (action == FAULT_RNR)
		rule->directions = FAULT_RX;
}

bool fault_rule_is_of_packets(const struct fault_rule *rule)
{
	if (rule->action == FAULT_DOWN || rule->action == FAULT_EVENT)
		return rule->on_packet;
	return rule->action != FAULT_FAIL;
}

const char *fault_action_name(enum fault_action action)
{
	return actions[action].name;
}

const char *fault_verb_name(enum fault_verb verb)
{
	return verbs[verb];
}

const char *fault_event_name(enum fault_event event)
{
	return events[event];
}
