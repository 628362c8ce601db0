// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Causes: from their values to a sentence, when somebody asks. */
#include "base/cause.h"

#include <inttypes.h>
#include <linux/printk.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cause_names.h"

struct row {
	unsigned int id;
	const char *name, *sentence, *cure;
};

static const struct row rows[] = {
#define CAUSE(number, label, says, helps) {number, #label, says, helps},
#include "base/causes.h"
#undef CAUSE
};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static _Thread_local struct base_cause last;

static const struct row *row_of(unsigned int id)
{
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (rows[i].id == id)
			return &rows[i];
	return NULL;
}

/* Text that is being written: never past the end, always terminated. */
struct sentence {
	char *text;
	size_t bytes, used;
};

__attribute__((format(printf, 2, 3))) static void add(struct sentence *s, const char *format, ...)
{
	va_list args;
	int n;

	if (s->used + 1 >= s->bytes)
		return;
	va_start(args, format);
	n = vsnprintf(s->text + s->used, s->bytes - s->used, format, args);
	va_end(args);
	if (n < 0)
		return;
	s->used += (size_t)n;
	if (s->used >= s->bytes)
		s->used = s->bytes - 1;
}

static void add_value(struct sentence *s, uint64_t value, const char *kind, size_t kind_bytes)
{
	char name[128];

	if (kind_bytes == 1 && *kind == 'x')
		add(s, "0x%" PRIx64, value);
	else if (kind_bytes == 1 && *kind == 'd')
		add(s, "%" PRId64, (int64_t)value);
	else if (base_cause_value_name(kind, kind_bytes, value, name, sizeof(name)))
		add(s, "%s", name);
	else
		add(s, "%" PRIu64, value);
}

/* {N:text}: the values from the N-th on are characters. */
static void add_text(struct sentence *s, const uint64_t *arg, unsigned int count)
{
	char text[BASE_CAUSE_TEXT_ARGS * sizeof(*arg) + 1] = "";

	if (count > BASE_CAUSE_TEXT_ARGS)
		count = BASE_CAUSE_TEXT_ARGS;
	memcpy(text, arg, count * sizeof(*arg));
	add(s, "%s", text);
}

/* {N} and {N:kind} become the N-th value; all else is copied. */
static void add_template(struct sentence *s, const char *from, const uint64_t *arg)
{
	while (*from) {
		const char *close = *from == '{' ? strchr(from, '}') : NULL;
		const unsigned int n = (unsigned int)(from[1] - '0');

		if (close && n < BASE_CAUSE_ARGS) {
			const char *kind = from[2] == ':' ? from + 3 : close;

			if (strncmp(kind, "text}", 5) == 0)
				add_text(s, &arg[n], BASE_CAUSE_ARGS - n);
			else
				add_value(s, arg[n], kind, (size_t)(close - kind));
			from = close + 1;
			continue;
		}
		add(s, "%c", *from++);
	}
}

static void add_subject(struct sentence *s, const struct base_cause *cause)
{
	char name[64];

	if (cause->qpn)
		add(s, "QP 0x%" PRIx32, cause->qpn);
	if (cause->has_wr) {
		/* Large ones are pointers, wr_cqe most of all. */
		add(s, cause->wr_id > UINT32_MAX ? "%sWR 0x%" PRIx64 : "%sWR %" PRIu64,
		    s->used ? " " : "", cause->wr_id);
		if (cause->wr_opcode == BASE_CAUSE_RECEIVE)
			add(s, " RECV");
		else if (base_cause_value_name("wr", 2, cause->wr_opcode, name, sizeof(name)))
			add(s, " %s", name);
	}
	if (cause->status && base_cause_value_name("wc", 2, cause->status, name, sizeof(name)))
		add(s, "%s-> %s", s->used ? " " : "", name);
	if (s->used)
		add(s, ": ");
}

size_t base_cause_format(const struct base_cause *cause, char *text, size_t bytes)
{
	const struct row *row = row_of(cause->id);
	struct sentence s = {text, bytes, 0};

	if (bytes)
		*text = '\0';
	if (!cause->id)
		return 0;
	add_subject(&s, cause);
	if (row) {
		add_template(&s, row->sentence, cause->arg);
		if (cause->side == BASE_SIDE_RESPONDER && cause->peer_qpn)
			add(&s, " (found by the responder, QP 0x%" PRIx32 ")", cause->peer_qpn);
		add(&s, ". %s.", row->cure);
	} else {
		add(&s, "cause %u, which this version does not know.", cause->id);
	}
	return s.used;
}

const char *base_cause_name(unsigned int id)
{
	const struct row *row = row_of(id);

	if (!id)
		return "NONE";
	return row ? row->name : "UNKNOWN";
}

const char *base_cause_sentence(unsigned int id)
{
	const struct row *row = row_of(id);

	return row ? row->sentence : NULL;
}

unsigned int base_cause_next_id(unsigned int id)
{
	unsigned int best = 0;

	for (size_t i = 0; i < ROW_COUNT; i++)
		if (rows[i].id > id && (!best || rows[i].id < best))
			best = rows[i].id;
	return best;
}

const struct base_cause *base_cause_last(void)
{
	return &last;
}

static void (*told)(const struct base_cause *cause); /* atomic */

void base_cause_listen(void (*listener)(const struct base_cause *cause))
{
	__atomic_store_n(&told, listener, __ATOMIC_RELEASE);
}

void base_cause_tell(const struct base_cause *cause)
{
	void (*listener)(const struct base_cause *) = __atomic_load_n(&told, __ATOMIC_ACQUIRE);

	if (listener)
		listener(cause);
}

void base_cause_warn(const struct base_cause *cause)
{
	char text[BASE_CAUSE_TEXT_BYTES];

	if (__atomic_load_n(&told, __ATOMIC_ACQUIRE)) {
		base_cause_tell(cause);
		return;
	}
	base_cause_format(cause, text, sizeof(text));
	pr_warn("%s\n", text);
}

void base_cause_put_text(struct base_cause *cause, unsigned int first, const char *text)
{
	strncpy((char *)&cause->arg[first], text, BASE_CAUSE_TEXT_ARGS * sizeof(cause->arg[0]));
}

void base_cause_set_last(const struct base_cause *cause)
{
	last = *cause;
}

int base_refuse_args(int err, enum base_cause_id id, uint32_t qpn, const uint64_t *arg)
{
	last = (struct base_cause){.id = (uint16_t)id, .side = BASE_SIDE_CALL, .qpn = qpn};
	memcpy(last.arg, arg, sizeof(last.arg));
	return err;
}

int base_refuse_wr_args(int err, enum base_cause_id id, uint32_t qpn, uint64_t wr_id,
			uint32_t wr_opcode, const uint64_t *arg)
{
	base_refuse_args(err, id, qpn, arg);
	last.has_wr = true;
	last.wr_id = wr_id;
	last.wr_opcode = wr_opcode <= UINT8_MAX ? (uint8_t)wr_opcode : BASE_CAUSE_NO_OPCODE;
	return err;
}
