/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A cause: why a call was refused, a request completed in error, or an event was raised.
 *
 * The rows are in causes.h. Whoever finds the error fills in a struct base_cause, which is plain
 * data and costs no formatting; the sentence is made when somebody asks for it.
 */
#ifndef BASE_CAUSE_H
#define BASE_CAUSE_H

#include <linux/verbena_cause.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BASE_CAUSE_TEXT_BYTES 512
#define BASE_CAUSE_TEXT_ARGS 4u /* of {N:text} */

/* Which side found it. */
enum base_side {
	BASE_SIDE_NONE,
	BASE_SIDE_CALL, /* the call itself, before anything was queued */
	BASE_SIDE_REQUESTER,
	BASE_SIDE_RESPONDER,
	BASE_SIDE_FABRIC,
};

enum base_cause_id {
#define CAUSE(id, name, sentence, cure) BASE_CAUSE_##name = id,
#include "base/causes.h"
#undef CAUSE
};

/**
 * base_cause_format() - Make the sentence.
 * @cause: What happened.
 * @text: Out, always terminated.
 * @bytes: Size of @text; BASE_CAUSE_TEXT_BYTES holds any sentence.
 *
 * "QP 0x12 WR 7 RDMA_WRITE -> REM_ACCESS_ERR: <sentence>. <cure>." with the parts that apply;
 * the responder's findings end in "(found by the responder, QP 0x34)".
 *
 * Return: Length of the text.
 */
size_t base_cause_format(const struct base_cause *cause, char *text, size_t bytes);

/** base_cause_name() - The row's name, "NONE" for 0 and "UNKNOWN" where there is no such row. */
const char *base_cause_name(unsigned int id);

/** base_cause_sentence() - The row's sentence with its {} marks; NULL where there is no such row. */
const char *base_cause_sentence(unsigned int id);

/** base_cause_next_id() - The first id after @id that has a row; 0 after the last. */
unsigned int base_cause_next_id(unsigned int id);

/** base_cause_last() - What was last refused on this thread; its id is 0 if nothing was. */
const struct base_cause *base_cause_last(void);

/**
 * base_cause_listen() - Hear of each queue pair's first error completion, for this process.
 * @listener: Called with locks held; must not call back. NULL: nobody.
 */
void base_cause_listen(void (*listener)(const struct base_cause *cause));

/** base_cause_tell() - A queue pair has its first error completion. @cause: The listener may copy it. */
void base_cause_tell(const struct base_cause *cause);

/**
 * base_cause_warn() - Something concerns the process, and no call or queue pair of its alone.
 * @cause: What. If nobody listens the log has its sentence, as a warning.
 *
 * Context: As base_log(); the listener may copy @cause.
 */
void base_cause_warn(const struct base_cause *cause);

/**
 * base_cause_put_text() - Make values of a cause characters, for {N:text}.
 * @cause: Cause.
 * @first: N; of BASE_CAUSE_TEXT_ARGS.
 * @text: What does not fit is cut off.
 */
void base_cause_put_text(struct base_cause *cause, unsigned int first, const char *text);

/** base_cause_set_last() - Make @cause this thread's last one. */
void base_cause_set_last(const struct base_cause *cause);

int base_refuse_args(int err, enum base_cause_id id, uint32_t qpn, const uint64_t *arg);
int base_refuse_wr_args(int err, enum base_cause_id id, uint32_t qpn, uint64_t wr_id,
			uint32_t wr_opcode, const uint64_t *arg);

/* The errno once more, where an analyser of the caller sees that it is not 0. */
static inline int base_refused(int refused, int err)
{
	(void)refused;
	return err;
}

/**
 * base_refuse() - Remember why a call is refused, and hand the errno through.
 * @err: Negative errno.
 * @name: Row of causes.h without BASE_CAUSE_.
 * @...: Up to six integers or pointers for {0}, {1} ...
 *
 *	return base_refuse(-EINVAL, POST_SEND_STATE, qp->state);
 */
#define base_refuse(err, name, ...)                                                    \
	base_refused(base_refuse_args((err), BASE_CAUSE_##name, 0,                     \
				      (const uint64_t[BASE_CAUSE_ARGS]){__VA_ARGS__}), \
		     (err))

/** base_refuse_qp() - base_refuse() that names the queue pair. */
#define base_refuse_qp(err, qpn, name, ...)                                            \
	base_refused(base_refuse_args((err), BASE_CAUSE_##name, (qpn),                 \
				      (const uint64_t[BASE_CAUSE_ARGS]){__VA_ARGS__}), \
		     (err))

/** base_refuse_wr() - base_refuse() that names queue pair and work request. */
#define base_refuse_wr(err, qpn, wr_id, wr_opcode, name, ...)                                   \
	base_refused(base_refuse_wr_args((err), BASE_CAUSE_##name, (qpn), (wr_id), (wr_opcode), \
					 (const uint64_t[BASE_CAUSE_ARGS]){__VA_ARGS__}),       \
		     (err))

#endif
