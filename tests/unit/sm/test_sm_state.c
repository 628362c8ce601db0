// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Who is the master: us, or the one at the second host, who says what the test tells it to. */
#include "mad/smi.h"
#include "sa_fixture.h"

#define OTHER 1u
#define SETS 8u

/* SMInfo. */
struct info {
	__be64 guid;
	__be64 key;
	__be32 activity;
	u8 priority_state;
} __packed;

static struct {
	enum sm_state state;
	u8 priority;
	u64 key;
	u16 status;  /* of the answer to a Set */
	bool silent; /* no answer to a Set */
	bool gone;   /* nor to anything */
	u32 asked;
	u32 set[SETS]; /* how often it was told what */
	struct info told;
} other;

/* Its answer, by the way that the request has come. */
static void send_back(struct subnet_at at, struct ib_smp *smp)
{
	struct subnet_mad mad = {.slid = SUBNET_PERMISSIVE_LID, .dlid = SUBNET_PERMISSIVE_LID};

	smp->status |= IB_SMP_DIRECTION;
	assert_int_equal(smi_handle_dr_smp_send(smp, false, at.port), IB_SMI_HANDLE);
	memcpy(mad.data, smp, sizeof(*smp));
	subnet_send_mad(world.subnet, at, &mad);
}

static bool be_the_other(struct subnet_at at, const struct subnet_mad *mad)
{
	struct info info = {.guid = cpu_to_be64(world_guid(OTHER)),
			    .key = cpu_to_be64(other.key),
			    .activity = cpu_to_be32(77),
			    .priority_state = (u8)((u32)other.priority << 4 | other.state)};
	struct ib_smp smp;

	memcpy(&smp, mad->data, sizeof(smp));
	if (at.node != world.node[OTHER] || smp.attr_id != IB_SMP_ATTR_SM_INFO ||
	    (smp.method != GET && smp.method != SET))
		return false;
	other.asked++;
	if (smp.method == SET) {
		other.set[be32_to_cpu(smp.attr_mod) % SETS]++;
		memcpy(&other.told, smp.data, sizeof(other.told));
		smp.status = cpu_to_be16(other.status);
	}
	if (other.gone || (other.silent && smp.method == SET))
		return true;
	smp.method = IB_MGMT_METHOD_GET_RESP;
	memcpy(smp.data, &info, sizeof(info));
	send_back(at, &smp);
	return true;
}

static void make(enum sm_state state, u8 priority)
{
	memset(&other, 0, sizeof(other));
	other.state = state;
	other.priority = priority;
	world_make_unswept(topology_fat_tree(4));
	world.elsewhere = be_the_other;
	subnet_set_cap_mask(world.subnet, world_at(OTHER, 1), IB_PORT_SM, 0);
}

static void poll(void)
{
	sm_poll(world.sm);
	world_run();
}

/* SMInfo is asked of us, or set; returns the status. */
static u16 tell(u8 method, u32 control, u64 key, struct info *info)
{
	struct ib_smp smp = {
		.method = method, .attr_id = IB_SMP_ATTR_SM_INFO, .attr_mod = cpu_to_be32(control)};
	const struct info says = {.guid = cpu_to_be64(world_guid(OTHER)),
				  .key = cpu_to_be64(key),
				  .priority_state = SM_MASTER};

	memcpy(smp.data, &says, sizeof(says));
	assert_true(sm_info(world.sm, &smp));
	assert_int_equal(smp.method, IB_MGMT_METHOD_GET_RESP);
	memcpy(info, smp.data, sizeof(*info));
	sm_proceed(world.sm);
	world_run();
	return be16_to_cpu(smp.status);
}

static u16 control(u32 what)
{
	struct info info;

	return tell(SET, what, 0, &info);
}

static u16 master_lid_of(uint32_t host)
{
	struct subnet_port_view view;

	assert_int_equal(subnet_query_port(world.subnet, world_at(host, 1), &view), 0);
	return view.sm_lid;
}

static void elect__alone(void **state)
{
	(void)state;
	world_make_unswept(topology_pair());
	assert_int_equal(sm_state(world.sm), SM_DISCOVERING);
	world_sweep();
	assert_int_equal(sm_state(world.sm), SM_MASTER);
}

/* As long as nothing is decided: a master is left to it, and of the others the highest becomes it. */
static void elect__table(void **state)
{
	static const struct {
		enum sm_state state;
		u8 priority;
		enum sm_state ours;
	} row[] = {
		{SM_NOT_ACTIVE, 15, SM_MASTER}, {SM_DISCOVERING, 1, SM_STANDBY},
		{SM_DISCOVERING, 0, SM_MASTER}, {SM_STANDBY, 1, SM_STANDBY},
		{SM_STANDBY, 0, SM_MASTER}, /* its GUID is higher */
		{SM_MASTER, 0, SM_STANDBY},	{SM_MASTER, 1, SM_STANDBY},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		make(row[i].state, row[i].priority);
		world_sweep();
		assert_int_equal(sm_state(world.sm), row[i].ours);
		assert_int_equal(sm_is_up(world.sm), row[i].ours == SM_MASTER);
		assert_true(sm_polls(world.sm));
		assert_int_equal(other.asked, 1);
		assert_int_equal(master_lid_of(0), row[i].ours == SM_MASTER ? sm_lid(world.sm) : 0);
		world_teardown(state);
	}
	make(SM_NOT_ACTIVE, 0);
}

/* Nobody there, or nobody of ours: no trouble. */
static void elect__no_manager_behind_the_bit(void **state)
{
	(void)state;
	make(SM_MASTER, 9);
	other.gone = true;
	world_sweep();
	assert_true(sm_is_up(world.sm));
	other.gone = false;
	world.elsewhere = NULL; /* the firmware says that there is none */
	world_sweep();
	assert_true(sm_is_up(world.sm));
	world.elsewhere = be_the_other;
	other.key = 4711;
	world_sweep();
	assert_true(sm_is_up(world.sm));
	assert_int_equal(sm_state(world.sm), SM_MASTER);
	other.key = SM_DEFAULT_KEY;
	poll();
	assert_int_equal(sm_state(world.sm), SM_STANDBY);
}

static void elect__a_higher_one_is_handed_the_subnet(void **state)
{
	(void)state;
	make(SM_DISCOVERING, 7);
	other.gone = true;
	world_sweep();
	other.gone = false;
	poll();
	assert_int_equal(sm_state(world.sm), SM_MASTER); /* it is not ready */
	other.state = SM_STANDBY;
	other.status = IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	poll();
	assert_int_equal(sm_state(world.sm), SM_MASTER); /* it does not want to */
	assert_int_equal(other.set[SM_HANDOVER], 1);
	other.status = 0;
	world_sweep();
	assert_int_equal(sm_state(world.sm), SM_STANDBY);
	assert_false(sm_is_up(world.sm));
	assert_int_equal(other.set[SM_HANDOVER], 2);
	assert_int_equal(other.told.priority_state, SM_MASTER);
	assert_int_equal(other.told.key, 0); /* it may be anybody */
	assert_int_equal(be64_to_cpu(other.told.guid), world_guid(0));
	world_sweep();
	assert_int_equal(sm_state(world.sm), SM_STANDBY); /* does not sweep */
}

static void lose_but_acknowledge(const struct ib_smp *smp)
{
	assert_int_equal(control(SM_ACKNOWLEDGE), 0);
	sm_lost(world.sm, smp->tid);
}

/* Its answer is lost, but not that it has taken over. */
static void elect__an_acknowledgement_will_do(void **state)
{
	(void)state;
	make(SM_DISCOVERING, 0);
	world_sweep();
	other = (typeof(other)){.state = SM_STANDBY, .priority = 1, .silent = true};
	sm_poll(world.sm);
	while (!other.set[SM_HANDOVER]) {
		const struct ib_smp smp = world.out[world.out_tail % WORLD_QUEUE];

		assert_true(world.out_tail++ != world.out_head);
		world_carry(&smp);
		if (world.answered)
			sm_answer(world.sm, &world.answer);
		else
			lose_but_acknowledge(&smp);
	}
	world_run();
	assert_int_equal(sm_state(world.sm), SM_STANDBY);
}

/* Two masters: the lower one is waited for, the higher one gets the subnet. */
static void elect__two_masters(void **state)
{
	(void)state;
	make(SM_STANDBY, 0);
	world_sweep();
	other.state = SM_MASTER;
	world_sweep();
	assert_int_equal(sm_state(world.sm), SM_MASTER);
	assert_false(sm_is_up(world.sm));
	assert_int_equal(other.set[SM_HANDOVER], 0);
	other.state = SM_STANDBY;
	poll();
	world_sweep();
	assert_true(sm_is_up(world.sm));
	other.state = SM_MASTER;
	other.priority = 1;
	other.status =
		IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE; /* it is the master whatever it says */
	poll();
	assert_int_equal(sm_state(world.sm), SM_STANDBY);
	assert_int_equal(other.set[SM_HANDOVER], 1);
	assert_int_equal(be64_to_cpu(other.told.key), SM_DEFAULT_KEY);
}

static void poll__the_master_is_missed_four_times(void **state)
{
	(void)state;
	make(SM_MASTER, 0);
	world_sweep();
	other.gone = true;
	for (int i = 0; i < 3; i++)
		poll();
	other.gone = false;
	poll(); /* and all is well again */
	other.state = SM_STANDBY;
	for (int i = 0; i < 3; i++) {
		poll();
		assert_int_equal(sm_state(world.sm), SM_STANDBY);
	}
	poll();
	assert_int_equal(sm_state(world.sm), SM_MASTER);
	assert_true(sm_is_up(world.sm));
	assert_int_equal(master_lid_of(0), sm_lid(world.sm));
}

static void poll__who_says_that_it_is_none_is_not_waited_for(void **state)
{
	(void)state;
	make(SM_MASTER, 9);
	world_sweep();
	subnet_set_cap_mask(world.subnet, world_at(OTHER, 1), 0, IB_PORT_SM);
	poll();
	assert_int_equal(sm_state(world.sm), SM_MASTER);
	assert_true(sm_is_up(world.sm));
}

/* An adapter's port sends no trap of its own. */
static void poll__our_own_cable(void **state)
{
	const u32 swept = (make(SM_NOT_ACTIVE, 0), world_sweep(), world.sweeps);
	struct sm_stats stats;

	(void)state;
	assert_true(sm_polls(world.sm));
	poll();
	assert_int_equal(world.sweeps, swept);
	assert_true(subnet_set_link(world.subnet, world_at(0, 1), false));
	poll();
	poll();
	assert_int_equal(world.sweeps, swept + 1);
	sm_get_stats(world.sm, &stats);
	assert_int_equal(stats.switches, 0);
	assert_true(sm_polls(world.sm));
	assert_true(subnet_set_link(world.subnet, world_at(0, 1), true));
	poll();
	assert_int_equal(world.sweeps, swept + 2);
	sm_get_stats(world.sm, &stats);
	assert_int_equal(stats.switches, 20);
}

static void into(enum sm_state state)
{
	make(state == SM_MASTER ? SM_NOT_ACTIVE : SM_MASTER, 0);
	if (state == SM_DISCOVERING) {
		world.sm->guid = world_guid(0); /* in the midst of the first sweep */
		return;
	}
	world_sweep();
	if (state == SM_NOT_ACTIVE)
		assert_int_equal(control(SM_DISABLE), 0);
	assert_int_equal(sm_state(world.sm), state);
}

static void info__controls(void **state)
{
	static const enum sm_state same = SM_STATES;
	static const struct {
		enum sm_state before;
		u8 control;
		enum sm_state after;
	} row[] = {
		{SM_NOT_ACTIVE, SM_STAND_BY, SM_STANDBY},
		{SM_STANDBY, SM_ACKNOWLEDGE, SM_STANDBY},
		{SM_STANDBY, SM_DISABLE, SM_NOT_ACTIVE},
		{SM_MASTER, SM_HANDOVER, SM_MASTER},
		{SM_MASTER, SM_ACKNOWLEDGE, SM_MASTER},
		{SM_NOT_ACTIVE, SM_HANDOVER, same},
		{SM_NOT_ACTIVE, SM_REDISCOVER, same},
		{SM_DISCOVERING, SM_HANDOVER, same},
		{SM_DISCOVERING, SM_DISABLE, same},
		{SM_STANDBY, SM_STAND_BY, same},
		{SM_MASTER, SM_DISABLE, same},
		{SM_MASTER, SM_STAND_BY, same},
		{SM_MASTER, SM_REDISCOVER, same},
		{SM_MASTER, 0, same},
		{SM_MASTER, SM_CONTROLS, same},
		{SM_MASTER, 255, same},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const bool refused = row[i].after == same;

		into(row[i].before);
		assert_int_equal(control(row[i].control), refused ? 0x1c : 0);
		assert_int_equal(sm_state(world.sm), refused ? row[i].before : row[i].after);
		world_teardown(state);
	}
	make(SM_NOT_ACTIVE, 0);
}

static void info__handover_is_acknowledged(void **state)
{
	(void)state;
	into(SM_STANDBY);
	other.state = SM_STANDBY; /* from here on */
	assert_int_equal(control(SM_HANDOVER), 0);
	assert_int_equal(sm_state(world.sm), SM_MASTER);
	assert_true(sm_is_up(world.sm));
	assert_int_equal(other.set[SM_ACKNOWLEDGE], 1);
	world_sweep();
	assert_int_equal(other.set[SM_ACKNOWLEDGE], 1);
}

static void info__discover_begins_anew(void **state)
{
	(void)state;
	into(SM_STANDBY);
	other.state = SM_NOT_ACTIVE;
	assert_int_equal(control(SM_REDISCOVER), 0);
	assert_int_equal(sm_state(world.sm), SM_MASTER);
}

static void info__key(void **state)
{
	struct ib_smp smp = {.method = GET};
	struct info info;

	(void)state;
	world_make_unswept(topology_pair());
	assert_false(sm_info(world.sm, &smp)); /* who are we? */
	world_teardown(state);
	into(SM_STANDBY);
	assert_int_equal(tell(SET, SM_DISABLE, 4711, &info), 0x1c);
	assert_int_equal(sm_state(world.sm), SM_STANDBY);
	assert_int_equal(info.key, 0);
	assert_int_equal(tell(GET, 0, 4711, &info), 0);
	assert_int_equal(info.key, 0);
	assert_int_equal(info.priority_state, SM_STANDBY);
	assert_int_equal(be64_to_cpu(info.guid), world_guid(0));
	assert_int_equal(tell(GET, 0, SM_DEFAULT_KEY, &info), 0);
	assert_int_equal(be64_to_cpu(info.key), SM_DEFAULT_KEY);
}

static void info__activity_rises(void **state)
{
	struct info first, second;

	(void)state;
	into(SM_MASTER);
	(void)tell(GET, 0, 0, &first);
	(void)tell(GET, 0, 0, &second);
	assert_in_range(be32_to_cpu(second.activity), be32_to_cpu(first.activity) + 1, UINT32_MAX);
}

/* SMInfoRecord: us, and who has answered. */
static void records__of_all_managers(void **state)
{
	static const u8 nothing[SA_MOST_RECORD];
	const u8 *record;

	(void)state;
	make(SM_STANDBY, 0);
	world_sweep();
	assert_int_equal(world_table(IB_SA_ATTR_SM_INFO_REC, 0, nothing, 0), 2);
	record = world_record(1);
	assert_int_equal(sa_get16(record), world_lid(OTHER));
	assert_int_equal(sa_get64(record + 4), world_guid(OTHER));
	assert_int_equal(sa_get32(record + 20), 77);
	assert_int_equal(record[24], SM_STANDBY);
	other.gone = true;
	poll();
	assert_int_equal(world_table(IB_SA_ATTR_SM_INFO_REC, 0, nothing, 0), 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(elect__alone, world_teardown),
	cmocka_unit_test_teardown(elect__table, world_teardown),
	cmocka_unit_test_teardown(elect__no_manager_behind_the_bit, world_teardown),
	cmocka_unit_test_teardown(elect__a_higher_one_is_handed_the_subnet, world_teardown),
	cmocka_unit_test_teardown(elect__an_acknowledgement_will_do, world_teardown),
	cmocka_unit_test_teardown(elect__two_masters, world_teardown),
	cmocka_unit_test_teardown(poll__the_master_is_missed_four_times, world_teardown),
	cmocka_unit_test_teardown(poll__who_says_that_it_is_none_is_not_waited_for, world_teardown),
	cmocka_unit_test_teardown(poll__our_own_cable, world_teardown),
	cmocka_unit_test_teardown(info__controls, world_teardown),
	cmocka_unit_test_teardown(info__handover_is_acknowledged, world_teardown),
	cmocka_unit_test_teardown(info__discover_begins_anew, world_teardown),
	cmocka_unit_test_teardown(info__key, world_teardown),
	cmocka_unit_test_teardown(info__activity_rises, world_teardown),
	cmocka_unit_test_teardown(records__of_all_managers, world_teardown),
};

int main(void)
{
	return verbena_test_main(tests);
}
