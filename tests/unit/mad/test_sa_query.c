// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Questions to the SA: how they are asked, and all the ways in which they end. */
#include "unit/mad/sa_client_fixture.h"

/* What the callback was told. */
static struct told {
	unsigned int count;
	int status;
	struct sa_path_rec path;
	unsigned int paths;
	struct ib_sa_mcmember_rec mcmember;
	struct ib_sa_service_rec service;
	bool has_record;
	u64 at_ns;
} told;

static void tell_path(int status, struct sa_path_rec *resp, unsigned int num_prs, void *context)
{
	told.count += context == &told;
	told.status = status;
	told.has_record = resp != NULL;
	if (resp)
		told.path = *resp;
	told.paths = num_prs;
	told.at_ns = base_now_ns();
}

static void tell_mcmember(int status, struct ib_sa_mcmember_rec *resp, void *context)
{
	(void)context;
	told.count++;
	told.status = status;
	told.has_record = resp != NULL;
	if (resp)
		told.mcmember = *resp;
}

static void tell_service(int status, struct ib_sa_service_rec *resp, void *context)
{
	(void)context;
	told.count++;
	told.status = status;
	told.has_record = resp != NULL;
	if (resp)
		told.service = *resp;
}

static int get(struct fixture *f, unsigned long timeout_ms, struct ib_sa_query **query)
{
	struct sa_path_rec rec = {.pkey = cpu_to_be16(0x1234), .sl = 5, .numb_path = 1};

	memset(&told, 0, sizeof(told));
	rec.dgid.raw[15] = 7;
	return ib_sa_path_rec_get(&sa.client, f->device[0], 1, &rec,
				  IB_SA_PATH_REC_DGID | IB_SA_PATH_REC_PKEY, timeout_ms, GFP_KERNEL,
				  tell_path, &told, query);
}

static void path__is_asked_for(void **state)
{
	struct fixture *f = *state;
	struct ib_sa_query *query;
	const struct ib_sa_mad *mad = &sa.request[0];

	assert_true(get(f, 1000, &query) >= 0);
	assert_non_null(query);
	assert_true(wait_count(&told.count, 1, 100 * MS));
	assert_int_equal(told.status, 0);
	assert_int_equal(told.paths, 1);
	assert_int_equal(told.path.rec_type, SA_PATH_REC_TYPE_IB);
	assert_int_equal(told.path.sl, 5);
	assert_int_equal(told.path.dgid.raw[15], 7);
	assert_int_equal(sa.asked, 1);
	assert_int_equal(mad->mad_hdr.base_version, 1);
	assert_int_equal(mad->mad_hdr.mgmt_class, 3);
	assert_int_equal(mad->mad_hdr.class_version, 2);
	assert_int_equal(mad->mad_hdr.method, IB_MGMT_METHOD_GET);
	assert_int_equal(be16_to_cpu(mad->mad_hdr.attr_id), IB_SA_ATTR_PATH_REC);
	assert_int_equal(be64_to_cpu(mad->sa_hdr.comp_mask), 1 << 2 | 1 << 13);
	assert_int_equal(mad->data[8 + 15], 7);
	assert_int_equal(mad->data[50], 0x12);
	pass(5000 * MS);
	assert_int_equal(told.count, 1);
}

static void path__is_refused(void **state)
{
	struct fixture *f = *state;
	struct ib_sa_query *query;

	sa.status = 0x0300;
	assert_true(get(f, 1000, &query) >= 0);
	assert_true(wait_count(&told.count, 1, 100 * MS));
	assert_int_equal(told.status, -EINVAL);
	assert_false(told.has_record);
	assert_int_equal(told.paths, 0);
}

static void path__nobody_answers(void **state)
{
	static const unsigned long times[] = {1000, 55, 3, 1, 0};
	struct fixture *f = *state;
	struct ib_sa_query *query;

	sa.silent = true;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		const u64 from = base_now_ns();

		sa.asked = 0;
		assert_true(get(f, times[i], &query) >= 0);
		assert_true(wait_count(&told.count, 1, 2000 * MS));
		assert_int_equal(told.status, -ETIMEDOUT);
		assert_int_equal(sa.asked, times[i] > 10 ? 10 : times[i] ? times[i] : 1);
		assert_in_range(told.at_ns - from, (times[i] * 9 / 10) * MS, (times[i] + 2) * MS);
	}
}

static void path__answered_in_the_end(void **state)
{
	struct fixture *f = *state;
	struct ib_sa_query *query;

	sa.silent = true;
	assert_true(get(f, 1000, &query) >= 0);
	assert_true(wait_count(&sa.asked, 4, 1000 * MS));
	sa.silent = false;
	assert_true(wait_count(&told.count, 1, 1000 * MS));
	assert_int_equal(told.status, 0);
	assert_int_equal(sa.asked, 5);
}

static void query__cancelled(void **state)
{
	struct fixture *f = *state;
	struct ib_sa_query *query;
	int id;

	sa.silent = true;
	id = get(f, 1000, &query);
	assert_true(id >= 0);
	ib_sa_cancel_query(id + 1, query); /* no such one */
	ib_sa_cancel_query(-1, query);
	pass(150 * MS);
	assert_int_equal(told.count, 0);
	ib_sa_cancel_query(id, query);
	assert_int_equal(told.count, 0); /* later */
	assert_true(wait_count(&told.count, 1, 100 * MS));
	assert_int_equal(told.status, -EINTR);
	ib_sa_cancel_query(id, query);
	pass(100 * MS);
	assert_int_equal(told.count, 1);
}

static void query__device_goes(void **state)
{
	struct fixture *f = *state;
	struct ib_sa_query *query;

	sa.silent = true;
	assert_true(get(f, 1000, &query) >= 0);
	end_close(&f->end[0]);
	fixture_remove(f, 0);
	assert_int_equal(told.count, 1);
	assert_int_equal(told.status, -EINTR);
}

static void query__nobody_to_ask(void **state)
{
	struct fixture *f = *state;
	struct ib_sa_query *query;
	struct sa_path_rec rec = {.sl = 0};

	f->fabric.ports[device_hca_slot(f->hca[0], 1)].config.lid = 0;
	assert_int_equal(get(f, 1000, &query), -EAGAIN);
	assert_int_equal(ib_sa_path_rec_get(&sa.client, f->device[0], 9, &rec, 0, 1, GFP_KERNEL,
					    tell_path, &told, &query),
			 -ENODEV);
	ib_sa_unregister_client(&sa.client);
	sa.registered = false;
	assert_int_equal(get(f, 1000, &query), -ENODEV);
	assert_int_equal(told.count, 0);
}

/* A client is gone when all that it has asked has ended. */
static void client__waits_for_its_queries(void **state)
{
	struct fixture *f = *state;
	struct ib_sa_query *query;

	sa.silent = true;
	assert_true(get(f, 500, &query) >= 0);
	ib_sa_unregister_client(&sa.client);
	sa.registered = false;
	assert_int_equal(told.count, 1);
	assert_int_equal(told.status, -ETIMEDOUT);
}

static void clients__several(void **state)
{
	struct fixture *f = *state;
	struct ib_sa_client another;
	struct ib_sa_query *query;

	ib_sa_register_client(&another);
	ib_sa_unregister_client(&sa.client);
	sa.registered = false;
	ib_sa_unregister_client(&another);
	ib_sa_register_client(&sa.client);
	sa.registered = true;
	assert_true(get(f, 1000, &query) >= 0);
	assert_true(wait_count(&told.count, 1, 100 * MS));
	assert_int_equal(told.status, 0);
}

static void query__many_at_once(void **state)
{
	struct fixture *f = *state;
	struct ib_sa_query *query;

	for (int i = 0; i < 500; i++) {
		const unsigned int before = told.count;
		const int id = get(f, 10000, &query);

		told.count = before;
		assert_true(id >= 0);
	}
	assert_true(wait_count(&told.count, 500, 2000 * MS));
	assert_int_equal(told.status, 0);
	for (unsigned int i = 1; i < 500; i++)
		assert_true(sa.request[i].mad_hdr.tid != sa.request[i - 1].mad_hdr.tid);
}

static void mcmember__all_methods(void **state)
{
	struct ib_sa_mcmember_rec rec = {.mlid = cpu_to_be16(0xc123),
					 .mtu = IB_MTU_2048,
					 .join_state = 5,
					 .scope = 2,
					 .rate = IB_RATE_10_GBPS};
	static const u8 methods[] = {IB_MGMT_METHOD_GET, IB_MGMT_METHOD_SET, IB_SA_METHOD_DELETE};
	struct fixture *f = *state;
	struct ib_sa_query *query;

	for (size_t i = 0; i < 3; i++) {
		memset(&told, 0, sizeof(told));
		assert_true(ib_sa_mcmember_rec_query(&sa.client, f->device[0], 1, methods[i], &rec,
						     IB_SA_MCMEMBER_REC_MLID, 1000, GFP_KERNEL,
						     tell_mcmember, NULL, &query) >= 0);
		assert_true(wait_count(&told.count, 1, 100 * MS));
		assert_int_equal(told.status, 0);
		assert_int_equal(told.mcmember.mlid, rec.mlid);
		assert_int_equal(told.mcmember.mtu, IB_MTU_2048);
		assert_int_equal(told.mcmember.join_state, 5);
		assert_int_equal(sa.request[i].mad_hdr.method, methods[i]);
		assert_int_equal(be16_to_cpu(sa.request[i].mad_hdr.attr_id),
				 IB_SA_ATTR_MC_MEMBER_REC);
	}
	assert_int_equal(ib_sa_mcmember_rec_query(&sa.client, f->device[0], 1, 0x12, &rec, 0, 1000,
						  GFP_KERNEL, tell_mcmember, NULL, &query),
			 -EINVAL);
}

static void service__there_and_back(void **state)
{
	struct ib_sa_service_rec rec = {.id = 0x1122334455667788ull,
					.pkey = cpu_to_be16(0xffff),
					.lease = 77,
					.key = "key",
					.name = "name"};
	struct fixture *f = *state;
	struct ib_sa_query *query;

	for (u8 i = 0; i < 8; i++) {
		rec.data8[i] = i;
		rec.data16[i] = (u16)(0x100 * i + 1);
		rec.data32[i % 4] = 0x10000u * i + 2;
		rec.data64[i % 2] = 0x100000000ull * i + 3;
	}
	memset(&told, 0, sizeof(told));
	assert_true(ib_sa_service_rec_query(&sa.client, f->device[0], 1, IB_MGMT_METHOD_SET, &rec,
					    IB_SA_SERVICE_REC_SERVICE_ID, 1000, GFP_KERNEL,
					    tell_service, NULL, &query) >= 0);
	assert_true(wait_count(&told.count, 1, 100 * MS));
	assert_int_equal(told.status, 0);
	assert_memory_equal(&told.service, &rec, sizeof(rec));
	assert_int_equal(sa.request[0].data[0], 0x11);
	assert_int_equal(sa.request[0].data[31], 77);
	assert_string_equal((char *)sa.request[0].data + 48, "name");
	assert_int_equal(sa.request[0].data[128 + 2], 1);
	assert_int_equal(sa.request[0].data[128 + 3], 1);
	assert_int_equal(ib_sa_service_rec_query(&sa.client, f->device[0], 1, 0x14, &rec, 0, 1000,
						 GFP_KERNEL, tell_service, NULL, &query),
			 -EINVAL);
}

static const struct CMUnitTest tests[] = {
	SA_TEST(path__is_asked_for),	SA_TEST(path__is_refused),
	SA_TEST(path__nobody_answers),	SA_TEST(path__answered_in_the_end),
	SA_TEST(query__cancelled),	SA_TEST(query__device_goes),
	SA_TEST(query__nobody_to_ask),	SA_TEST(client__waits_for_its_queries),
	SA_TEST(clients__several),	SA_TEST(query__many_at_once),
	SA_TEST(mcmember__all_methods), SA_TEST(service__there_and_back),
};

int main(void)
{
	return verbena_test_main(tests);
}
