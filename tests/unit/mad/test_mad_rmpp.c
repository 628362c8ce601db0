// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* RMPP: transfers as a whole, and the sender's side. */
#include "rmpp_fixture.h"

/* A transfer of @bytes that nothing is answered to; returns when it is over on both sides. */
static void transfer(struct end *client, struct end *server, u32 tid, int bytes)
{
	const unsigned int sends = client->sends, recvs = server->recvs;
	struct note *note;

	server->keep = true;
	end_post(rmpp_make(client, TEST_METHOD, tid, bytes, 0, 3));
	assert_true(wait_count(&client->sends, sends + 1, 60 * SECOND));
	assert_int_equal(client->note[client->count - 1].status, IB_WC_SUCCESS);
	assert_int_equal(server->recvs, recvs + 1);
	note = &server->note[server->count - 1];
	rmpp_check(note->wc, tid, bytes);
	ib_free_recv_mad(note->wc);
	note->wc = NULL;
}

static void rmpp__sizes_around_borders(void **state)
{
	static const int sizes[] = {0,
				    1,
				    RMPP_SEG - 1,
				    RMPP_SEG,
				    RMPP_SEG + 1,
				    2 * RMPP_SEG,
				    64 * RMPP_SEG,
				    64 * RMPP_SEG + 1,
				    65 * RMPP_SEG,
				    65 * RMPP_SEG + 1,
				    129 * RMPP_SEG - 1,
				    129 * RMPP_SEG,
				    129 * RMPP_SEG + 1,
				    1 << 20};
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *server = rmpp_server(f);

	for (u32 i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		transfer(client, server, i + 1, sizes[i]);
}

static void rmpp__loss_of_each_packet(void **state)
{
	struct fixture *f = *state;
	struct end *client = rmpp_client(f), *server = rmpp_server(f);
	const int bytes = 70 * RMPP_SEG + 5;

	for (u64 n = 0; n < 200; n++) {
		f->lose_number = n;
		fixture_lose(f, 1000, lose_one);
		transfer(client, server, (u32)n + 1, bytes);
		if (!f->lost)
			break;
		client->count = server->count = 0;
	}
	assert_int_equal(f->lost, 0);
}

static const struct CMUnitTest tests[] = {
	TEST(rmpp__sizes_around_borders),
	TEST(rmpp__loss_of_each_packet),
};

int main(void)
{
	return verbena_test_main(tests);
}
