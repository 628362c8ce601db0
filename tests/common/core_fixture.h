/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A fake device with a PD and a CQ, for the tests of core. */
#ifndef TESTS_COMMON_CORE_FIXTURE_H
#define TESTS_COMMON_CORE_FIXTURE_H

#include "base/cause.h"
#include "common/fake_provider.h"
#include "common/test.h"

/**
 * struct core_fixture - What each test starts with.
 * @fake: A registered device.
 * @device: &fake->ib.
 * @pd: A PD.
 * @cq: A CQ of 16 entries without handlers.
 * @ndev: The interface of the RoCE ports, with the IP addresses 10.0.0.1 and 10.0.0.2.
 */
struct core_fixture {
	struct fake_provider *fake;
	struct ib_device *device;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct net_device *ndev;
};

#define CORE_ROCE_INDEX_V4 1 /* of 10.0.0.1; 0 is the one that follows from the MAC */

/* Setup functions for cmocka: two InfiniBand ports; two RoCE ports on one interface. */
int core_setup_ib(void **state);
int core_setup_roce(void **state);

/** core_setup() - The same with other options. Returns 0 or -1. */
int core_setup(void **state, const struct fake_options *options);

/* Fails the test if it has left an object. */
int core_teardown(void **state);

/** core_make_qp() - A QP of @type with the fixture's PD and CQ. Asserts. */
struct ib_qp *core_make_qp(struct core_fixture *f, enum ib_qp_type type);

/** assert_cause() - The last refusal was for this reason. */
#define assert_cause(name) assert_string_equal(base_cause_name(base_cause_last()->id), #name)

/** assert_cause_text() - The last refusal's sentence. */
#define assert_cause_text(text)                                             \
	do {                                                                \
		char said_[BASE_CAUSE_TEXT_BYTES];                          \
		base_cause_format(base_cause_last(), said_, sizeof(said_)); \
		assert_string_equal(said_, text);                           \
	} while (0)

/** assert_ptr_err() - An ERR_PTR of this errno. */
#define assert_ptr_err(ptr, err) assert_int_equal(PTR_ERR(ptr), err)

/** assert_ok_ptr() - Neither NULL nor an ERR_PTR. */
#define assert_ok_ptr(ptr) assert_false(IS_ERR_OR_NULL(ptr))

#endif
