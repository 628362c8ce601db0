// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Directed routes, row by row [rcp 18]; then whole routes, there and back. The nodes of the rows have 36
 * ports, and the packet is at port 7.
 */
#include "mad/smi.h"

#include <rdma/ib_verbs.h>
#include <string.h>

#include "common/test.h"

#define PORT 7
#define PORTS 36

/* The end that the packet goes to. */
enum end {
	PURE,  /* the permissive LID */
	MIXED, /* a LID: it goes on from there, or it came by it */
};

enum { CA, SWITCH };

/* Of the path that counts: entry @path_index holds @path, all others a port that is not there. */
struct row {
	const char *name;
	bool returning;
	int node;
	enum end end;
	u8 ptr, count;
	u8 path_index, path;
	enum smi_action action;
	u8 ptr_after;
	u8 noted; /* entry of the return path that is PORT after; 0: none */
};

#define OK IB_SMI_HANDLE
#define NO IB_SMI_DISCARD

/* clang-format off */
static const struct row send_rows[] = {
	/* name                                 back   node    end    ptr cnt  i  path  action after noted */
	{"out, at the start",                   false, CA,     PURE,   0,  3,  1, PORT, OK,  1, 0},
	{"out, at the start, of a switch",      false, SWITCH, MIXED,  0,  3,  1, PORT, OK,  1, 0},
	{"out, at the start, another port",     false, CA,     PURE,   0,  3,  1, 8,    NO,  1, 0},
	{"out, between, a switch",              false, SWITCH, PURE,   1,  3,  2, PORT, OK,  2, 0},
	{"out, between, another port",          false, SWITCH, PURE,   1,  3,  2, 8,    NO,  2, 0},
	{"out, between, a CA",                  false, CA,     PURE,   1,  3,  2, PORT, NO,  1, 0},
	{"out, last link",                      false, SWITCH, PURE,   62, 63, 63, PORT, OK, 63, 0},
	{"out, at the end, a switch",           false, SWITCH, PURE,   3,  3,  0, 0,    OK,  4, 0},
	{"out, at the end, a switch, mixed",    false, SWITCH, MIXED,  3,  3,  0, 0,    OK,  4, 0},
	{"out, at the end, a CA",               false, CA,     PURE,   3,  3,  0, 0,    OK,  4, 0},
	{"out, at the end, a CA, mixed",        false, CA,     MIXED,  3,  3,  0, 0,    NO,  4, 0},
	{"out, no hops",                        false, CA,     PURE,   0,  0,  0, 0,    OK,  1, 0},
	{"out, no hops, mixed",                 false, CA,     MIXED,  0,  0,  0, 0,    NO,  1, 0},
	{"out, no hops, mixed, a switch",       false, SWITCH, MIXED,  0,  0,  0, 0,    OK,  1, 0},
	{"out, arrived",                        false, CA,     MIXED,  4,  3,  0, 0,    OK,  4, 0},
	{"out, arrived, longest",               false, CA,     PURE,   64, 63, 0, 0,    OK, 64, 0},
	{"out, beyond",                         false, SWITCH, PURE,   5,  3,  0, 0,    NO,  5, 0},
	{"out, far beyond",                     false, SWITCH, PURE, 255,  3,  0, 0,    NO, 255, 0},
	{"out, too many hops",                  false, SWITCH, PURE,   0, 64,  1, PORT, NO,  0, 0},
	{"out, most hops",                      false, SWITCH, PURE,   0, 255, 1, PORT, NO,  0, 0},
	{"back, at the start",                  true,  CA,     PURE,   4,  3,  3, PORT, OK,  3, 0},
	{"back, at the start, longest",         true,  CA,     PURE,  64, 63, 63, PORT, OK, 63, 0},
	{"back, at the start, another port",    true,  CA,     PURE,   4,  3,  3, 8,    NO,  3, 0},
	{"back, between, a switch",             true,  SWITCH, PURE,   3,  3,  2, PORT, OK,  2, 0},
	{"back, between, least",                true,  SWITCH, PURE,   2,  3,  1, PORT, OK,  1, 0},
	{"back, between, another port",         true,  SWITCH, PURE,   3,  3,  2, 8,    NO,  2, 0},
	{"back, between, a CA",                 true,  CA,     PURE,   3,  3,  2, PORT, NO,  3, 0},
	{"back, at the end, a switch",          true,  SWITCH, PURE,   1,  3,  0, 0,    OK,  0, 0},
	{"back, at the end, a switch, mixed",   true,  SWITCH, MIXED,  1,  3,  0, 0,    OK,  0, 0},
	{"back, at the end, a CA",              true,  CA,     PURE,   1,  3,  0, 0,    OK,  0, 0},
	{"back, at the end, a CA, mixed",       true,  CA,     MIXED,  1,  3,  0, 0,    NO,  0, 0},
	{"back, no hops",                       true,  CA,     PURE,   1,  0,  0, 0,    OK,  0, 0},
	{"back, no hops, mixed",                true,  CA,     MIXED,  1,  0,  0, 0,    NO,  0, 0},
	{"back, arrived",                       true,  CA,     MIXED,  0,  3,  0, 0,    OK,  0, 0},
	{"back, arrived, no hops",              true,  CA,     PURE,   0,  0,  0, 0,    OK,  0, 0},
	{"back, beyond",                        true,  SWITCH, PURE,   5,  3,  0, 0,    NO,  5, 0},
	{"back, beyond, no hops",               true,  SWITCH, PURE,   2,  0,  0, 0,    NO,  2, 0},
	{"back, too many hops",                 true,  SWITCH, PURE,  65, 64,  0, 0,    NO, 65, 0},
	{"back, most hops",                     true,  SWITCH, PURE,   0, 255, 0, 0,    NO,  0, 0},
};

static const struct row recv_rows[] = {
	/* name                                 back   node    end    ptr cnt  i  path  action after noted */
	{"out, at the start",                   false, SWITCH, PURE,   0,  3,  1, PORT, NO,  0, 0},
	{"out, between, a switch",              false, SWITCH, PURE,   1,  3,  2, 36,   OK,  1, 1},
	{"out, between, its port 0",            false, SWITCH, PURE,   1,  3,  2, 0,    OK,  1, 1},
	{"out, between, no such port",          false, SWITCH, PURE,   1,  3,  2, 37,   NO,  1, 1},
	{"out, between, a CA",                  false, CA,     PURE,   1,  3,  2, 1,    NO,  1, 0},
	{"out, last but one of the longest",    false, SWITCH, PURE,  62, 63, 63, 36,   OK, 62, 62},
	{"out, at the end, a switch",           false, SWITCH, PURE,   3,  3,  0, 0,    OK,  3, 3},
	{"out, at the end, a switch, mixed",    false, SWITCH, MIXED,  3,  3,  0, 0,    OK,  3, 3},
	{"out, at the end, a CA",               false, CA,     PURE,   3,  3,  0, 0,    OK,  3, 3},
	{"out, at the end, a CA, mixed",        false, CA,     MIXED,  3,  3,  0, 0,    NO,  3, 3},
	{"out, at the end of the longest",      false, CA,     PURE,  63, 63,  0, 0,    OK, 63, 63},
	{"out, no hops",                        false, CA,     PURE,   0,  0,  0, 0,    OK,  0, 0},
	{"out, no hops, mixed",                 false, CA,     MIXED,  0,  0,  0, 0,    NO,  0, 0},
	{"out, arrived",                        false, CA,     MIXED,  4,  3,  0, 0,    OK,  4, 0},
	{"out, beyond",                         false, SWITCH, PURE,   5,  3,  0, 0,    NO,  5, 0},
	{"out, too many hops",                  false, SWITCH, PURE,   1, 64,  2, 1,    NO,  1, 0},
	{"out, most hops",                      false, SWITCH, PURE, 254, 255, 0, 0,    NO, 254, 0},
	{"back, at the start",                  true,  CA,     PURE,   4,  3,  3, PORT, OK,  3, 3},
	{"back, at the start, another port",    true,  CA,     PURE,   4,  3,  3, 8,    NO,  3, 0},
	{"back, between, a switch",             true,  SWITCH, PURE,   3,  3,  2, 36,   OK,  3, 0},
	{"back, between, no such port",         true,  SWITCH, PURE,   3,  3,  2, 37,   NO,  3, 0},
	{"back, between, a CA",                 true,  CA,     PURE,   3,  3,  2, 1,    NO,  3, 0},
	{"back, at the end",                    true,  CA,     PURE,   1,  3,  0, 0,    OK,  0, 0},
	{"back, at the end, a switch",          true,  SWITCH, PURE,   1,  3,  0, 0,    OK,  0, 0},
	{"back, at the end, a switch, mixed",   true,  SWITCH, MIXED,  1,  3,  0, 0,    OK,  1, 0},
	{"back, at the end, a CA, mixed",       true,  CA,     MIXED,  1,  3,  0, 0,    NO,  1, 0},
	{"back, no hops",                       true,  CA,     PURE,   1,  0,  0, 0,    OK,  0, 0},
	{"back, arrived",                       true,  CA,     MIXED,  0,  3,  0, 0,    OK,  0, 0},
	{"back, beyond",                        true,  SWITCH, PURE,   5,  3,  0, 0,    NO,  5, 0},
	{"back, too many hops",                 true,  SWITCH, PURE,   1, 64,  0, 0,    NO,  1, 0},
};
/* clang-format on */

/* The other end's LID is the opposite, so that who mixes them up is found. */
static void make(struct ib_smp *smp, const struct row *r)
{
	const __be16 lid = r->end == PURE ? IB_LID_PERMISSIVE : cpu_to_be16(5);
	const __be16 other = r->end == PURE ? cpu_to_be16(5) : IB_LID_PERMISSIVE;
	u8 *path = r->returning ? smp->return_path : smp->initial_path;

	memset(smp, 0, sizeof(*smp));
	memset(smp->initial_path, 99, sizeof(smp->initial_path));
	memset(smp->return_path, 99, sizeof(smp->return_path));
	path[r->path_index] = r->path;
	smp->mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	smp->status = r->returning ? IB_SMP_DIRECTION : 0;
	smp->dr_dlid = r->returning ? other : lid;
	smp->dr_slid = r->returning ? lid : other;
	smp->hop_ptr = r->ptr;
	smp->hop_cnt = r->count;
}

static void check(const struct row *r, const struct ib_smp *smp, enum smi_action action)
{
	if (action != r->action || smp->hop_ptr != r->ptr_after)
		print_message("row: %s\n", r->name);
	assert_int_equal(action, r->action);
	assert_int_equal(smp->hop_ptr, r->ptr_after);
	for (u8 i = 0; i < IB_SMP_MAX_PATH_HOPS; i++) {
		if (i && i == r->noted)
			assert_int_equal(smp->return_path[i], PORT);
		else if (!r->returning || i != r->path_index)
			assert_int_equal(smp->return_path[i], 99);
	}
}

static void smi_handle_dr_smp_send__each_row(void **state)
{
	struct ib_smp smp;

	(void)state;
	for (size_t i = 0; i < sizeof(send_rows) / sizeof(send_rows[0]); i++) {
		const struct row *r = &send_rows[i];

		make(&smp, r);
		check(r, &smp, smi_handle_dr_smp_send(&smp, r->node == SWITCH, PORT));
	}
}

static void smi_handle_dr_smp_recv__each_row(void **state)
{
	struct ib_smp smp;

	(void)state;
	for (size_t i = 0; i < sizeof(recv_rows) / sizeof(recv_rows[0]); i++) {
		const struct row *r = &recv_rows[i];

		make(&smp, r);
		check(r, &smp, smi_handle_dr_smp_recv(&smp, r->node == SWITCH, PORT, PORTS));
	}
}

static void smi_check_forward_dr_smp__each_row(void **state)
{
	static const struct {
		bool returning;
		enum end end;
		u8 ptr, count;
		enum smi_forward_action action;
	} rows[] = {
		{false, PURE, 0, 3, IB_SMI_LOCAL},    {false, PURE, 1, 3, IB_SMI_FORWARD},
		{false, MIXED, 2, 3, IB_SMI_FORWARD}, {false, PURE, 3, 3, IB_SMI_SEND},
		{false, MIXED, 3, 3, IB_SMI_LOCAL},   {false, PURE, 4, 3, IB_SMI_SEND},
		{false, MIXED, 4, 3, IB_SMI_SEND},    {false, PURE, 5, 3, IB_SMI_LOCAL},
		{false, PURE, 0, 0, IB_SMI_SEND},     {false, MIXED, 0, 0, IB_SMI_LOCAL},
		{false, PURE, 1, 64, IB_SMI_LOCAL},   {true, PURE, 3, 3, IB_SMI_FORWARD},
		{true, MIXED, 2, 3, IB_SMI_FORWARD},  {true, PURE, 1, 3, IB_SMI_LOCAL},
		{true, MIXED, 1, 3, IB_SMI_SEND},     {true, PURE, 0, 3, IB_SMI_LOCAL},
		{true, MIXED, 0, 3, IB_SMI_LOCAL},    {true, PURE, 4, 3, IB_SMI_LOCAL},
		{true, MIXED, 1, 0, IB_SMI_SEND},     {true, MIXED, 1, 64, IB_SMI_LOCAL},
	};
	struct ib_smp smp;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row r = {.returning = rows[i].returning,
				      .end = rows[i].end,
				      .ptr = rows[i].ptr,
				      .count = rows[i].count};

		make(&smp, &r);
		if (smi_check_forward_dr_smp(&smp) != rows[i].action)
			print_message("row: %zu\n", i);
		assert_int_equal(smi_check_forward_dr_smp(&smp), rows[i].action);
	}
}

static void smi_get_fwd_port__next_of_the_path(void **state)
{
	struct ib_smp smp = {.hop_ptr = 2, .hop_cnt = 4};

	(void)state;
	for (u8 i = 0; i < IB_SMP_MAX_PATH_HOPS; i++) {
		smp.initial_path[i] = i;
		smp.return_path[i] = (u8)(100 + i);
	}
	assert_int_equal(smi_get_fwd_port(&smp), 3);
	smp.status = IB_SMP_DIRECTION;
	assert_int_equal(smi_get_fwd_port(&smp), 101);
	smp.hop_ptr = 255; /* of what was never looked at */
	assert_int_equal(smi_get_fwd_port(&smp), 0);
}

static int process_mad(struct ib_device *device, int flags, u32 port, const struct ib_wc *wc,
		       const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		       size_t *size, u16 *pkey_index)
{
	(void)device, (void)flags, (void)port, (void)wc, (void)grh, (void)in, (void)out;
	(void)size, (void)pkey_index;
	return 0;
}

static void smi_check_local_smp__ends_here(void **state)
{
	struct ib_device *device = calloc(1, sizeof(*device));
	struct ib_smp smp = {.hop_ptr = 4, .hop_cnt = 3};

	(void)state;
	assert_non_null(device);
	assert_int_equal(smi_check_local_smp(&smp, device), IB_SMI_DISCARD);
	device->ops.process_mad = process_mad;
	assert_int_equal(smi_check_local_smp(&smp, device), IB_SMI_HANDLE);
	assert_int_equal(smi_check_local_returning_smp(&smp, device), IB_SMI_DISCARD);
	smp.hop_ptr = 3;
	assert_int_equal(smi_check_local_smp(&smp, device), IB_SMI_DISCARD);
	smp.hop_ptr = 0;
	smp.status = IB_SMP_DIRECTION;
	assert_int_equal(smi_check_local_smp(&smp, device), IB_SMI_DISCARD);
	assert_int_equal(smi_check_local_returning_smp(&smp, device), IB_SMI_HANDLE);
	smp.hop_ptr = 1;
	assert_int_equal(smi_check_local_returning_smp(&smp, device), IB_SMI_DISCARD);
	device->ops.process_mad = NULL;
	smp.hop_ptr = 0;
	assert_int_equal(smi_check_local_returning_smp(&smp, device), IB_SMI_DISCARD);
	free(device);
}

/* Link i leaves by port 10 + i and comes in by port 20 + i; the nodes between are switches. */
static void route(u8 count)
{
	struct ib_smp smp = {.mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE,
			     .hop_cnt = count,
			     .dr_slid = IB_LID_PERMISSIVE,
			     .dr_dlid = IB_LID_PERMISSIVE};

	for (u8 i = 1; i <= count; i++)
		smp.initial_path[i] = (u8)(10 + i);
	assert_int_equal(smi_handle_dr_smp_send(&smp, false, count ? 11 : 1), OK);
	for (u8 i = 1; i < count; i++) {
		assert_int_equal(smi_handle_dr_smp_recv(&smp, true, 20u + i, 200), OK);
		assert_int_equal(smi_check_forward_dr_smp(&smp), IB_SMI_FORWARD);
		assert_int_equal(smi_get_fwd_port(&smp), 11 + i);
		assert_int_equal(smi_handle_dr_smp_send(&smp, true, 11u + i), OK);
	}
	if (count) {
		assert_int_equal(smi_handle_dr_smp_recv(&smp, false, 20u + count, 1), OK);
		assert_int_equal(smi_check_forward_dr_smp(&smp), IB_SMI_SEND);
		assert_int_equal(smi_handle_dr_smp_send(&smp, false, 20u + count), OK);
	}
	assert_int_equal(smp.hop_ptr, count + 1);

	smp.status = IB_SMP_DIRECTION;
	assert_int_equal(smi_handle_dr_smp_send(&smp, false, count ? 20u + count : 1), OK);
	for (u8 i = count; i > 1; i--) {
		assert_int_equal(smi_handle_dr_smp_recv(&smp, true, 10u + i, 200), OK);
		assert_int_equal(smi_check_forward_dr_smp(&smp), IB_SMI_FORWARD);
		assert_int_equal(smi_get_fwd_port(&smp), 19 + i);
		assert_int_equal(smi_handle_dr_smp_send(&smp, true, 19u + i), OK);
	}
	if (count) {
		assert_int_equal(smi_handle_dr_smp_recv(&smp, false, 11, 1), OK);
		assert_int_equal(smi_check_forward_dr_smp(&smp), IB_SMI_LOCAL);
	}
	assert_int_equal(smp.hop_ptr, 0);
}

static void smi__every_length_there_and_back(void **state)
{
	(void)state;
	for (u8 count = 0; count < IB_SMP_MAX_PATH_HOPS; count++)
		route(count);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(smi_handle_dr_smp_send__each_row),
	cmocka_unit_test(smi_handle_dr_smp_recv__each_row),
	cmocka_unit_test(smi_check_forward_dr_smp__each_row),
	cmocka_unit_test(smi_get_fwd_port__next_of_the_path),
	cmocka_unit_test(smi_check_local_smp__ends_here),
	cmocka_unit_test(smi__every_length_there_and_back),
};

int main(void)
{
	return verbena_test_main(tests);
}
