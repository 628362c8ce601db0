/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The QP state table as numbers, for the generated tests of ib_modify_qp_is_ok(). Made from the
 * project's table of facts, not from the code under test.
 */
#ifndef TESTS_UNIT_CORE_QP_TABLE_VECTORS_H
#define TESTS_UNIT_CORE_QP_TABLE_VECTORS_H

#include <stdbool.h>
#include <stdint.h>

/* From (row) RESET, INIT, RTR, RTS, SQD, SQE, ERR to (column) the same. */
static const bool valid_pair[7][7] = {
	{true, true, false, false, false, false, false},
	{true, true, true, false, false, false, true},
	{true, false, false, true, false, false, true},
	{true, false, false, true, true, false, true},
	{true, false, false, true, true, false, true},
	{true, false, false, true, false, false, true},
	{true, false, false, false, false, false, true},
};

/* Pairs and types that are not here need and take nothing. */
static const struct {
	uint8_t cur, next, type;
	uint32_t required, optional;
} vectors[] = {
	{0, 1, 0, 0x50, 0x0},	      {0, 1, 1, 0x50, 0x0},	   {0, 1, 2, 0x38, 0x0},
	{0, 1, 3, 0x38, 0x0},	      {0, 1, 4, 0x70, 0x0},	   {0, 1, 8, 0x20, 0x0},
	{0, 1, 9, 0x38, 0x0},	      {0, 1, 10, 0x38, 0x0},	   {1, 1, 0, 0x0, 0x50},
	{1, 1, 1, 0x0, 0x50},	      {1, 1, 2, 0x0, 0x38},	   {1, 1, 3, 0x0, 0x38},
	{1, 1, 4, 0x0, 0x70},	      {1, 1, 9, 0x0, 0x38},	   {1, 1, 10, 0x0, 0x38},
	{1, 2, 0, 0x0, 0x50},	      {1, 2, 1, 0x0, 0x50},	   {1, 2, 2, 0x129180, 0x4018},
	{1, 2, 3, 0x101180, 0x4018},  {1, 2, 4, 0x0, 0x50},	   {1, 2, 9, 0x101180, 0x4018},
	{1, 2, 10, 0x129180, 0x4018}, {2, 3, 0, 0x10000, 0x42},	   {2, 3, 1, 0x10000, 0x42},
	{2, 3, 2, 0x12e00, 0x4c00a},  {2, 3, 3, 0x10000, 0x4400a}, {2, 3, 4, 0x10000, 0x42},
	{2, 3, 8, 0x0, 0x2000000},    {2, 3, 9, 0x12e00, 0x4400a}, {2, 3, 10, 0x10200, 0x4c00a},
	{3, 3, 0, 0x0, 0x42},	      {3, 3, 1, 0x0, 0x42},	   {3, 3, 2, 0x0, 0x4c00a},
	{3, 3, 3, 0x0, 0x4400a},      {3, 3, 4, 0x0, 0x42},	   {3, 3, 8, 0x0, 0x2000000},
	{3, 3, 9, 0x0, 0x4400a},      {3, 3, 10, 0x0, 0x4c00a},	   {3, 4, 0, 0x0, 0x4},
	{3, 4, 1, 0x0, 0x4},	      {3, 4, 2, 0x0, 0x4},	   {3, 4, 3, 0x0, 0x4},
	{3, 4, 4, 0x0, 0x4},	      {3, 4, 9, 0x0, 0x4},	   {3, 4, 10, 0x0, 0x4},
	{4, 3, 0, 0x0, 0x42},	      {4, 3, 1, 0x0, 0x42},	   {4, 3, 2, 0x0, 0x4c00a},
	{4, 3, 3, 0x0, 0x4400a},      {4, 3, 4, 0x0, 0x42},	   {4, 3, 9, 0x0, 0x4400a},
	{4, 3, 10, 0x0, 0x4c00a},     {4, 4, 0, 0x0, 0x50},	   {4, 4, 1, 0x0, 0x50},
	{4, 4, 2, 0x0, 0x6eeb8},      {4, 4, 3, 0x0, 0x44098},	   {4, 4, 4, 0x0, 0x50},
	{4, 4, 9, 0x0, 0x46eb8},      {4, 4, 10, 0x0, 0x6c2b8},	   {5, 3, 0, 0x0, 0x42},
	{5, 3, 1, 0x0, 0x42},	      {5, 3, 3, 0x0, 0xa},	   {5, 3, 4, 0x0, 0x42},
};

#endif
