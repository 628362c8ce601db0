// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Ports that others have, too: who is asked before an agent receives requests, and told when it does not any more. */
#include "mad_fixture.h"

#define FIRST (5u << 14 | 1)

static struct {
	struct mad_owner owner;
	int result;
	unsigned int claims, disclaims;
	u32 claimed, disclaimed;
	u64 methods;
} host;

static int claim(void *ctx, const struct mad_claim *claim)
{
	assert_ptr_equal(ctx, &host);
	host.claims++;
	host.claimed = claim->hi_tid;
	host.methods = claim->req->method_mask[0];
	assert_int_equal(claim->port_num, 1);
	return host.result;
}

static void disclaim(void *ctx, const struct mad_claim *claim)
{
	assert_ptr_equal(ctx, &host);
	host.disclaims++;
	host.disclaimed = claim->hi_tid;
}

static int start_owned(void **state)
{
	const int ret = fixture_setup(state);
	struct fixture *f = *state;

	if (ret)
		return ret;
	memset(&host, 0, sizeof(host));
	host.owner = (struct mad_owner){
		.device = f->device[0], .claim = claim, .disclaim = disclaim, .ctx = &host};
	mad_own(&host.owner);
	return 0;
}

static int stop_owned(void **state)
{
	const int ret = fixture_teardown(state);

	mad_let_go(&host.owner);
	mad_agents_number_from(0, 0);
	return ret;
}

static struct ib_mad_agent *add(struct fixture *f, unsigned int who, u64 methods)
{
	struct ib_mad_reg_req req = test_request(TEST_CLASS, 1);

	req.method_mask[0] = methods;
	return ib_register_mad_agent(f->device[who], 1, IB_QPT_GSI, &req, 0, end_sent, end_received,
				     &f->end[0], 0);
}

static void mad_claim__is_asked_and_told(void **state)
{
	struct fixture *f = *state;
	struct ib_mad_agent *agent = add(f, 0, 6);
	u32 hi_tid;

	assert_false(IS_ERR(agent));
	hi_tid = agent->hi_tid;
	assert_int_equal(host.claims, 1);
	assert_int_equal(host.claimed, hi_tid);
	assert_int_equal(host.methods, 6);
	ib_unregister_mad_agent(agent);
	assert_int_equal(host.disclaims, 1);
	assert_int_equal(host.disclaimed, hi_tid);
}

static void mad_claim__may_refuse(void **state)
{
	struct fixture *f = *state;
	struct ib_mad_agent *agent;

	host.result = -EINVAL;
	agent = add(f, 0, 6);
	assert_int_equal(PTR_ERR(agent), -EINVAL);
	assert_int_equal(host.disclaims, 0);
	host.result = 0;
	agent = add(f, 0, 6); /* nobody has it */
	assert_false(IS_ERR(agent));
	ib_unregister_mad_agent(agent);
}

static void mad_claim__is_not_asked_by_who_only_sends(void **state)
{
	struct fixture *f = *state;
	struct ib_mad_agent *agent = add(f, 0, 0);

	assert_false(IS_ERR(agent));
	ib_unregister_mad_agent(agent);
	assert_int_equal(host.claims + host.disclaims, 0);
}

static void mad_claim__other_devices_are_their_own(void **state)
{
	struct fixture *f = *state;
	struct ib_mad_agent *agent = add(f, 1, 6);

	assert_false(IS_ERR(agent));
	ib_unregister_mad_agent(agent);
	assert_int_equal(host.claims + host.disclaims, 0);
}

static void mad_agents_number_from__block_goes_round(void **state)
{
	struct fixture *f = *state;
	struct ib_mad_agent *opener = add(f, 0, 0), *agent; /* with the port's own */

	assert_false(IS_ERR(opener));
	mad_agents_number_from(FIRST, 3);
	for (u32 i = 0; i < 7; i++) {
		agent = add(f, 0, 0);
		assert_false(IS_ERR(agent));
		assert_int_equal(agent->hi_tid, FIRST + i % 3);
		ib_unregister_mad_agent(agent);
	}
	mad_agents_number_from(0, 0);
	agent = add(f, 0, 0);
	assert_false(IS_ERR(agent));
	assert_int_equal(agent->hi_tid, FIRST + 1);
	ib_unregister_mad_agent(agent);
	ib_unregister_mad_agent(opener);
}

static void mad_agents_number_from__block_is_full(void **state)
{
	struct fixture *f = *state;
	struct ib_mad_agent *opener = add(f, 0, 0), *agent[3], *over;

	assert_false(IS_ERR(opener));
	mad_agents_number_from(FIRST, 3);
	for (unsigned int i = 0; i < 3; i++) {
		agent[i] = add(f, 0, 0);
		assert_false(IS_ERR(agent[i]));
	}
	over = add(f, 0, 0);
	assert_int_equal(PTR_ERR(over), -EBUSY);
	for (unsigned int i = 0; i < 3; i++)
		ib_unregister_mad_agent(agent[i]);
	ib_unregister_mad_agent(opener);
}

#define OWNED(name) cmocka_unit_test_setup_teardown(name, start_owned, stop_owned)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		OWNED(mad_claim__is_asked_and_told),
		OWNED(mad_claim__may_refuse),
		OWNED(mad_claim__is_not_asked_by_who_only_sends),
		OWNED(mad_claim__other_devices_are_their_own),
		OWNED(mad_agents_number_from__block_goes_round),
		OWNED(mad_agents_number_from__block_is_full),
	};

	return verbena_test_main(tests);
}
