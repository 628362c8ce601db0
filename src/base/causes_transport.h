/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Causes, part of causes.h: transport, 600-799. */
