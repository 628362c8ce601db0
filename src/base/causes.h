/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The one table of causes: CAUSE(id, NAME, sentence, cure).
 *
 * An id is for ever (ib_wc.vendor_err carries it): new rows take new numbers, and each layer has a
 * range and a file: 1-99 here, 100-299 core, 300-599 rdmavt, 600-799 transport, 800-899 wire and
 * fabric, 900-949 attach, 950-999 uabi,
 * 1000-1049 mad.
 * Marks in a sentence: {N} decimal, {N:x} hex, {N:state} QP state, {N:type} QP type, {N:wr} send
 * opcode, {N:wc} completion status, {N:access} access rights, {N:mask} attribute mask,
 * {N:queue} send (0) or receive, {N:packet} opcode of an RC packet,
 * {N:errno} errno of either sign, in words, {N:text} characters (base_cause_put_text()).
 *
 * No include guard: included once per use of the table.
 */
CAUSE(1, NO_MEMORY, "no memory for {0} bytes", "Free some, or raise the limit of the process")
CAUSE(2, NOT_SUPPORTED, "the device does not offer this operation",
      "Look at the device's ops or capability flags first")

#include "base/causes_core.h"
#include "base/causes_rdmavt.h"
#include "base/causes_transport.h"
#include "base/causes_fabric.h"
#include "base/causes_attach.h"
#include "base/causes_uabi.h"
#include "base/causes_mad.h"
