// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Memberships: a port joins once for all, leaves with the last, and tells when they are lost. */
#include "unit/mad/sa_client_fixture.h"

#define JOIN (IB_SA_MCMEMBER_REC_MGID | IB_SA_MCMEMBER_REC_PORT_GID | IB_SA_MCMEMBER_REC_JOIN_STATE)
#define FULL 1
#define SENDS 4
#define CLIENTS 4

/* A client's membership, and what it was told. */
static struct user {
	struct ib_sa_multicast *multicast;
	unsigned int told;
	int status;
	int gives_up; /* on this */
} user[CLIENTS];

static int callback(int status, struct ib_sa_multicast *multicast)
{
	struct user *u = multicast->context;

	u->told++;
	u->status = status;
	if (!u->gives_up || status != u->gives_up)
		return 0;
	u->multicast = NULL;
	return 1;
}

/* As an SA does it, for one port and one group. */
static void keep_state(struct sa_fixture *s, struct ib_sa_mad *mad)
{
	u8 *state = &mad->data[48];

	if (mad->mad_hdr.status)
		return;
	if (mad->mad_hdr.method == IB_SA_METHOD_DELETE_RESP)
		s->joined &= (u8) ~(*state & 0xf);
	else
		s->joined |= *state & 0xf;
	*state = (u8)((*state & 0xf0) | s->joined);
	mad->data[36] = 0xc1;
	mad->data[38] = 0x84;
}

static struct ib_sa_mcmember_rec record(u8 group, u8 state)
{
	struct ib_sa_mcmember_rec rec = {.join_state = state};

	rec.mgid.raw[0] = 0xff;
	rec.mgid.raw[15] = group;
	rec.port_gid.raw[15] = 9;
	return rec;
}

static void join_as(struct fixture *f, unsigned int i, struct ib_sa_mcmember_rec rec,
		    ib_sa_comp_mask mask)
{
	user[i] = (struct user){.gives_up = user[i].gives_up};
	sa.answer = keep_state;
	user[i].multicast = ib_sa_join_multicast(&sa.client, f->device[0], 1, &rec, mask,
						 GFP_KERNEL, callback, &user[i]);
	if (IS_ERR(user[i].multicast)) {
		user[i].multicast = NULL;
		fail_msg("refused");
	}
}

static void join(struct fixture *f, unsigned int i, u8 group, u8 state)
{
	join_as(f, i, record(group, state), JOIN);
}

static void wait_told(unsigned int i, unsigned int count, int status)
{
	assert_true(wait_count(&user[i].told, count, 5000 * MS));
	assert_int_equal(user[i].told, count);
	assert_int_equal(user[i].status, status);
}

static void leave(unsigned int i)
{
	struct ib_sa_multicast *multicast = user[i].multicast;

	user[i].multicast = NULL;
	ib_sa_free_multicast(multicast);
}

static int setup(void **state)
{
	memset(user, 0, sizeof(user));
	return sa_setup(state);
}

static int teardown(void **state)
{
	for (unsigned int i = 0; i < CLIENTS; i++)
		if (user[i].multicast)
			leave(i);
	return sa_teardown(state);
}

static void join__and_leave(void **state)
{
	struct ib_sa_mcmember_rec rec, asked = record(1, FULL);
	struct fixture *f = *state;

	assert_int_equal(ib_sa_get_mcmember_rec(f->device[0], 1, &asked.mgid, &rec),
			 -EADDRNOTAVAIL);
	join(f, 0, 1, FULL);
	assert_int_equal(user[0].told, 0); /* not from within the call */
	wait_told(0, 1, 0);
	assert_int_equal(be16_to_cpu(user[0].multicast->rec.mlid), 0xc100);
	assert_int_equal(user[0].multicast->rec.mtu, IB_MTU_2048);
	assert_int_equal(user[0].multicast->rec.join_state, FULL);
	assert_int_equal(sa.asked, 1);
	assert_int_equal(sa.request[0].mad_hdr.method, IB_MGMT_METHOD_SET);
	assert_true(sa.request[0].sa_hdr.comp_mask == JOIN);
	assert_int_equal(ib_sa_get_mcmember_rec(f->device[0], 1, &asked.mgid, &rec), 0);
	assert_int_equal(be16_to_cpu(rec.mlid), 0xc100);
	leave(0);
	assert_true(wait_count(&sa.asked, 2, 100 * MS));
	assert_int_equal(sa.request[1].mad_hdr.method, IB_SA_METHOD_DELETE);
	assert_true(sa.request[1].sa_hdr.comp_mask == JOIN);
	assert_int_equal(sa.request[1].data[48] & 0xf, FULL);
	assert_int_equal(sa.request[1].data[15], 1);
	assert_int_equal(sa.request[1].data[31], 9);
	pass(100 * MS);
	assert_int_equal(ib_sa_get_mcmember_rec(f->device[0], 1, &asked.mgid, &rec),
			 -EADDRNOTAVAIL);
}

static void join__once_for_all(void **state)
{
	struct fixture *f = *state;

	for (unsigned int i = 0; i < 3; i++)
		join(f, i, 1, FULL);
	for (unsigned int i = 0; i < 3; i++)
		wait_told(i, 1, 0);
	assert_int_equal(sa.asked, 1);
	leave(1);
	leave(0);
	pass(100 * MS);
	assert_int_equal(sa.asked, 1);
	leave(2);
	pass(100 * MS);
	assert_int_equal(sa.asked, 2);
	assert_int_equal(sa.joined, 0);
}

static void join__states(void **state)
{
	struct fixture *f = *state;

	join(f, 0, 1, SENDS);
	join(f, 1, 1, FULL);
	join(f, 2, 1, FULL | SENDS);
	for (unsigned int i = 0; i < 3; i++)
		wait_told(i, 1, 0);
	assert_int_equal(sa.asked, 2);
	assert_int_equal(user[0].multicast->rec.join_state, SENDS);
	assert_int_equal(user[1].multicast->rec.join_state, FULL);
	leave(0);
	leave(1);
	pass(100 * MS);
	assert_int_equal(sa.asked, 2);
	join(f, 1, 1, FULL);
	wait_told(1, 1, 0);
	leave(2);
	pass(100 * MS);
	assert_int_equal(sa.joined, FULL);
	assert_int_equal(sa.request[2].data[48] & 0xf, SENDS);
	leave(1);
	pass(100 * MS);
	assert_int_equal(sa.joined, 0);
}

static void join__groups_are_their_own(void **state)
{
	struct fixture *f = *state;

	join(f, 0, 1, FULL);
	join(f, 1, 2, FULL);
	wait_told(0, 1, 0);
	wait_told(1, 1, 0);
	assert_int_equal(sa.asked, 2);
	/* and so is each whose MGID the SA is to choose */
	join_as(f, 2, (struct ib_sa_mcmember_rec){.join_state = FULL}, JOIN);
	join_as(f, 3, (struct ib_sa_mcmember_rec){.join_state = FULL}, JOIN);
	wait_told(2, 1, 0);
	wait_told(3, 1, 0);
	assert_int_equal(sa.asked, 4);
}

static void join__refused(void **state)
{
	struct fixture *f = *state;

	sa.status = 0x0200;
	join(f, 0, 1, FULL);
	wait_told(0, 1, -EINVAL);
	leave(0);
	user[1].gives_up = -EINVAL;
	join(f, 1, 1, FULL);
	wait_told(1, 1, -EINVAL);
	assert_null(user[1].multicast);
	sa.status = 0;
	join(f, 0, 1, FULL);
	wait_told(0, 1, 0);
	pass(100 * MS);
	assert_int_equal(sa.asked, 3);
}

static void join__another_group_than_asked_for(void **state)
{
	struct ib_sa_mcmember_rec rec = record(1, FULL);
	struct fixture *f = *state;

	join(f, 0, 1, FULL);
	wait_told(0, 1, 0);
	rec.mtu_selector = IB_SA_GT;
	rec.mtu = IB_MTU_1024;
	join_as(f, 1, rec, JOIN | IB_SA_MCMEMBER_REC_MTU | IB_SA_MCMEMBER_REC_MTU_SELECTOR);
	wait_told(1, 1, 0);
	rec.mtu = IB_MTU_2048;
	join_as(f, 2, rec, JOIN | IB_SA_MCMEMBER_REC_MTU | IB_SA_MCMEMBER_REC_MTU_SELECTOR);
	wait_told(2, 1, -EINVAL);
	rec.qkey = 5;
	join_as(f, 3, rec, JOIN | IB_SA_MCMEMBER_REC_QKEY);
	wait_told(3, 1, -EINVAL);
	assert_int_equal(sa.asked, 1);
}

static void join__nobody_answers(void **state)
{
	struct fixture *f = *state;

	sa.silent = true;
	join(f, 0, 1, FULL);
	wait_told(0, 1, -ETIMEDOUT);
	/* and freed before it was told */
	join(f, 1, 1, FULL);
	pass(100 * MS);
	leave(1);
	assert_int_equal(user[1].told, 0);
	sa.silent = false;
	pass(5000 * MS);
	assert_int_equal(user[1].told, 0);
	assert_int_equal(sa.joined, 0); /* what was joined in vain was left */
}

static void membership__is_lost(void **state)
{
	static const enum ib_event_type events[] = {IB_EVENT_CLIENT_REREGISTER, IB_EVENT_LID_CHANGE,
						    IB_EVENT_SM_CHANGE, IB_EVENT_PORT_ERR};
	struct ib_sa_mcmember_rec rec, asked = record(1, FULL);
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct ib_event event = {
			.device = f->device[0], .event = events[i], .element.port_num = 1};

		user[1].gives_up = -ENETRESET;
		join(f, 0, 1, FULL);
		join(f, 1, 1, FULL);
		wait_told(0, 1, 0);
		wait_told(1, 1, 0);
		ib_dispatch_event(&event);
		wait_told(0, 2, -ENETRESET);
		wait_told(1, 2, -ENETRESET);
		assert_null(user[1].multicast);
		assert_int_equal(ib_sa_get_mcmember_rec(f->device[0], 1, &asked.mgid, &rec),
				 -EADDRNOTAVAIL);
		sa.joined = 0;
		leave(0);
		pass(100 * MS);
		assert_int_equal(sa.asked, i + 1);
	}
}

static void membership__device_goes(void **state)
{
	struct fixture *f = *state;

	join(f, 0, 1, FULL);
	wait_told(0, 1, 0);
	sa.silent = true;
	leave(0); /* a leave is outstanding */
	end_close(&f->end[0]);
	fixture_remove(f, 0);
}

/* By a client that hears of it later than we do. */
static void membership__outlives_its_device(void **state)
{
	struct fixture *f = *state;

	join(f, 0, 1, FULL);
	join(f, 1, 1, FULL);
	join(f, 2, 2, FULL);
	wait_told(0, 1, 0);
	wait_told(2, 1, 0);
	sa.silent = true;
	join(f, 3, 3, FULL); /* still waits */
	pass(100 * MS);
	end_close(&f->end[0]);
	fixture_remove(f, 0);
	assert_int_equal(user[3].told, 1);
	assert_int_equal(user[3].status, -EINTR);
	for (unsigned int i = 0; i < 4; i++)
		leave(i);
	pass(100 * MS);
}

static void join__nobody_to_ask(void **state)
{
	struct ib_sa_mcmember_rec rec = record(1, FULL);
	struct fixture *f = *state;

	assert_int_equal(PTR_ERR(ib_sa_join_multicast(&sa.client, f->device[0], 9, &rec, JOIN,
						      GFP_KERNEL, callback, &user[0])),
			 -ENODEV);
	f->fabric.ports[device_hca_slot(f->hca[0], 1)].config.lid = 0;
	join(f, 0, 1, FULL);
	wait_told(0, 1, -EAGAIN);
}

#define MC_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	MC_TEST(join__and_leave),
	MC_TEST(join__once_for_all),
	MC_TEST(join__states),
	MC_TEST(join__groups_are_their_own),
	MC_TEST(join__refused),
	MC_TEST(join__another_group_than_asked_for),
	MC_TEST(join__nobody_answers),
	MC_TEST(membership__is_lost),
	MC_TEST(membership__device_goes),
	MC_TEST(membership__outlives_its_device),
	MC_TEST(join__nobody_to_ask),
};

int main(void)
{
	return verbena_test_main(tests);
}
