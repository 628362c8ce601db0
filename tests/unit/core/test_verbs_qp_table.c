/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Every state pair, QP type and mask bit of the state table [sm 2] [sm 3]. */
#include <rdma/ib_verbs.h>

#include "base/cause.h"
#include "common/test.h"
#include "unit/core/qp_table_vectors.h"

#define STATES 7
#define TYPES 11
#define MASK_BITS 26

/* One cell of the table, from the vectors. */
struct cell {
	enum ib_qp_state cur, next;
	enum ib_qp_type type;
	u32 required, optional;
};

static unsigned int checks;

static struct cell cell_of(unsigned int cur, unsigned int next, unsigned int type)
{
	struct cell cell = {cur, next, type, 0, 0};

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		if (vectors[i].cur == cur && vectors[i].next == next && vectors[i].type == type) {
			cell.required = vectors[i].required;
			cell.optional = vectors[i].optional;
		}
	}
	return cell;
}

static bool names_a_current_state(enum ib_qp_state cur)
{
	return cur == IB_QPS_RTR || cur == IB_QPS_RTS || cur == IB_QPS_SQD || cur == IB_QPS_SQE;
}

static bool ok(const struct cell *c, u32 mask)
{
	checks++;
	return ib_modify_qp_is_ok(c->cur, c->next, c->type, (enum ib_qp_attr_mask)mask);
}

static void assert_ok(const struct cell *c, u32 mask)
{
	if (!ok(c, mask))
		fail_msg("%u -> %u, type %u, mask %#x is refused", c->cur, c->next, c->type, mask);
}

static void assert_refused(const struct cell *c, u32 mask, enum base_cause_id id, u32 bits)
{
	const struct base_cause *why = base_cause_last();

	base_cause_set_last(&(struct base_cause){0});
	if (ok(c, mask))
		fail_msg("%u -> %u, type %u, mask %#x is taken", c->cur, c->next, c->type, mask);
	assert_int_equal(why->id, id);
	assert_int_equal(why->side, BASE_SIDE_CALL);
	assert_int_equal(why->arg[0], c->cur);
	assert_int_equal(why->arg[1], c->next);
	assert_int_equal(why->arg[2], c->type);
	assert_int_equal(why->arg[3], bits);
}

static void for_each_cell(void (*check)(const struct cell *cell))
{
	for (unsigned int cur = 0; cur < STATES; cur++) {
		for (unsigned int next = 0; next < STATES; next++) {
			for (unsigned int type = 0; type < TYPES; type++) {
				const struct cell cell = cell_of(cur, next, type);

				check(&cell);
			}
		}
	}
}

/* [sm 1.2] */
static void check_pair(const struct cell *c)
{
	const u32 all = c->required | c->optional | IB_QP_STATE;

	if (valid_pair[c->cur][c->next])
		return;
	assert_refused(c, IB_QP_STATE, BASE_CAUSE_MODIFY_PAIR, 0);
	assert_refused(c, 0, BASE_CAUSE_MODIFY_PAIR, 0);
	assert_refused(c, all | IB_QP_PKEY_INDEX, BASE_CAUSE_MODIFY_PAIR, 0);
}

static void ib_modify_qp_is_ok__refuses_pairs_that_do_not_exist(void **state)
{
	(void)state;
	checks = 0;
	for_each_cell(check_pair);
	assert_int_equal(checks, 27 * TYPES * 3);
}

/* [sm 1.4] [sm 1.5]: with or without IB_QP_STATE, with each optional attribute and with all. */
static void check_legal(const struct cell *c)
{
	if (!valid_pair[c->cur][c->next])
		return;
	assert_ok(c, c->required);
	assert_ok(c, c->required | IB_QP_STATE);
	assert_ok(c, c->required | c->optional);
	assert_ok(c, c->required | c->optional | IB_QP_STATE);
	for (unsigned int bit = 0; bit < MASK_BITS; bit++) {
		if (c->optional & 1u << bit)
			assert_ok(c, c->required | 1u << bit | IB_QP_STATE);
	}
}

static void ib_modify_qp_is_ok__takes_required_and_optional_attributes(void **state)
{
	(void)state;
	checks = 0;
	for_each_cell(check_legal);
	assert_true(checks > 22 * TYPES * 4);
}

/* [sm 1.3] */
static void check_missing(const struct cell *c)
{
	if (!valid_pair[c->cur][c->next])
		return;
	for (unsigned int bit = 0; bit < MASK_BITS; bit++) {
		const u32 one = 1u << bit;

		if (!(c->required & one))
			continue;
		assert_refused(c, (c->required & ~one) | IB_QP_STATE, BASE_CAUSE_MODIFY_MISSING,
			       one);
		assert_refused(c, ((c->required | c->optional) & ~one) | IB_QP_STATE,
			       BASE_CAUSE_MODIFY_MISSING, one);
	}
	if (c->required)
		assert_refused(c, IB_QP_STATE, BASE_CAUSE_MODIFY_MISSING, c->required);
}

static void ib_modify_qp_is_ok__refuses_each_missing_attribute(void **state)
{
	(void)state;
	checks = 0;
	for_each_cell(check_missing);
	assert_int_equal(checks, 131);
}

/* [sm 1.4] [sm 1.7] */
static void check_foreign(const struct cell *c)
{
	const u32 all = c->required | c->optional | IB_QP_STATE;

	if (!valid_pair[c->cur][c->next])
		return;
	for (unsigned int bit = 0; bit < MASK_BITS; bit++) {
		const u32 one = 1u << bit;

		if (all & one)
			continue;
		if (one == IB_QP_CUR_STATE && !names_a_current_state(c->cur))
			continue;
		assert_refused(c, c->required | one | IB_QP_STATE, BASE_CAUSE_MODIFY_EXTRA, one);
		assert_refused(c, all | one, BASE_CAUSE_MODIFY_EXTRA, one);
	}
}

static void ib_modify_qp_is_ok__refuses_each_foreign_attribute(void **state)
{
	(void)state;
	checks = 0;
	for_each_cell(check_foreign);
	assert_true(checks > 11000);
}

/* [sm 1.1]: before the pair is looked at. */
static void check_cur_state(const struct cell *c)
{
	if (names_a_current_state(c->cur))
		return;
	assert_refused(c, c->required | IB_QP_CUR_STATE | IB_QP_STATE, BASE_CAUSE_MODIFY_CUR_STATE,
		       0);
	assert_refused(c, IB_QP_CUR_STATE, BASE_CAUSE_MODIFY_CUR_STATE, 0);
}

static void ib_modify_qp_is_ok__refuses_a_current_state_outside_rtr_to_sqe(void **state)
{
	(void)state;
	checks = 0;
	for_each_cell(check_cur_state);
	assert_int_equal(checks, 3 * STATES * TYPES * 2);
}

static void ib_modify_qp_is_ok__takes_a_current_state_where_the_table_has_it(void **state)
{
	const u32 mask = IB_QP_STATE | IB_QP_CUR_STATE;

	(void)state;
	assert_true(ib_modify_qp_is_ok(IB_QPS_RTS, IB_QPS_RTS, IB_QPT_RC, mask));
	assert_true(ib_modify_qp_is_ok(IB_QPS_SQE, IB_QPS_RTS, IB_QPT_UD, mask));
	assert_true(ib_modify_qp_is_ok(IB_QPS_SQD, IB_QPS_RTS, IB_QPT_GSI, mask));
	assert_false(ib_modify_qp_is_ok(IB_QPS_SQE, IB_QPS_RTS, IB_QPT_RC, mask));
	assert_false(ib_modify_qp_is_ok(IB_QPS_RTS, IB_QPS_ERR, IB_QPT_RC, mask));
}

/* [sm 1.7] */
static void ib_modify_qp_is_ok__has_no_way_into_sqe_and_takes_no_cap(void **state)
{
	(void)state;
	for (unsigned int type = 0; type < TYPES; type++) {
		for (unsigned int cur = 0; cur < STATES; cur++) {
			const struct cell into_sqe = cell_of(cur, IB_QPS_SQE, type);

			assert_refused(&into_sqe, IB_QP_STATE, BASE_CAUSE_MODIFY_PAIR, 0);
			for (unsigned int next = 0; next < STATES; next++) {
				const struct cell any = cell_of(cur, next, type);

				assert_false(ok(&any, any.required | IB_QP_CAP | IB_QP_STATE));
			}
		}
	}
}

/* [sm 1.6] */
static void ib_modify_qp_is_ok__survives_states_and_types_out_of_range(void **state)
{
	static const u32 odd[] = {11, 12, 255, 0x1000, 0x1009, 0x80000000, 0xffffffff};

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		assert_false(ib_modify_qp_is_ok(IB_QPS_RESET, IB_QPS_RESET, (enum ib_qp_type)odd[i],
						IB_QP_STATE));
		assert_int_equal(base_cause_last()->id, BASE_CAUSE_MODIFY_RANGE);
		assert_false(ib_modify_qp_is_ok((enum ib_qp_state)odd[i], IB_QPS_RESET, IB_QPT_RC,
						IB_QP_STATE));
		assert_false(ib_modify_qp_is_ok(IB_QPS_RESET, (enum ib_qp_state)odd[i], IB_QPT_RC,
						IB_QP_STATE));
	}
	assert_true(ib_modify_qp_is_ok(IB_QPS_RESET, IB_QPS_INIT, IB_QPT_RAW_IPV6, IB_QP_STATE));
	assert_false(ib_modify_qp_is_ok(IB_QPS_RESET, IB_QPS_INIT, IB_QPT_RAW_IPV6,
					IB_QP_STATE | IB_QP_PORT));
}

static void assert_text(const char *expected)
{
	char text[BASE_CAUSE_TEXT_BYTES];

	base_cause_format(base_cause_last(), text, sizeof(text));
	assert_string_equal(text, expected);
}

static void ib_modify_qp_is_ok__says_what_is_wrong(void **state)
{
	(void)state;
	ib_modify_qp_is_ok(IB_QPS_RESET, IB_QPS_INIT, IB_QPT_RC, IB_QP_STATE | IB_QP_PORT);
	assert_text("RC QP from RESET to INIT: ACCESS_FLAGS|PKEY_INDEX missing; the mask is "
		    "STATE|PORT. Set these attributes and their bits of the mask.");
	ib_modify_qp_is_ok(IB_QPS_RTR, IB_QPS_RTS, IB_QPT_UD,
			   IB_QP_STATE | IB_QP_SQ_PSN | IB_QP_TIMEOUT);
	assert_text("UD QP from RTR to RTS: does not take TIMEOUT; the mask is "
		    "STATE|TIMEOUT|SQ_PSN. Leave them out, or set them in a change that takes "
		    "them.");
	ib_modify_qp_is_ok(IB_QPS_RESET, IB_QPS_RTS, IB_QPT_UC, IB_QP_STATE);
	assert_text("UC QP: there is no way from RESET to RTS. Connect by RESET, INIT, RTR, RTS in "
		    "this order; ERR and SQE lead back by RESET or RTS.");
	ib_modify_qp_is_ok(IB_QPS_INIT, IB_QPS_RTR, IB_QPT_UD, IB_QP_STATE | IB_QP_CUR_STATE);
	assert_text("IB_QP_CUR_STATE is for RTR, RTS, SQD and SQE, not for INIT (UD to RTR). "
		    "Leave IB_QP_CUR_STATE out.");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ib_modify_qp_is_ok__refuses_pairs_that_do_not_exist),
	cmocka_unit_test(ib_modify_qp_is_ok__takes_required_and_optional_attributes),
	cmocka_unit_test(ib_modify_qp_is_ok__refuses_each_missing_attribute),
	cmocka_unit_test(ib_modify_qp_is_ok__refuses_each_foreign_attribute),
	cmocka_unit_test(ib_modify_qp_is_ok__refuses_a_current_state_outside_rtr_to_sqe),
	cmocka_unit_test(ib_modify_qp_is_ok__takes_a_current_state_where_the_table_has_it),
	cmocka_unit_test(ib_modify_qp_is_ok__has_no_way_into_sqe_and_takes_no_cap),
	cmocka_unit_test(ib_modify_qp_is_ok__survives_states_and_types_out_of_range),
	cmocka_unit_test(ib_modify_qp_is_ok__says_what_is_wrong),
};

int main(void)
{
	return verbena_test_main(tests);
}
