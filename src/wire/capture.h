/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Packets in a file that wireshark and tshark read: pcap with ERF records of InfiniBand, from the LRH to the VCRC.
 * The time is that of the fabric, base_now_ns().
 */
#ifndef WIRE_CAPTURE_H
#define WIRE_CAPTURE_H

#include "transport/tp.h"

struct wire_capture;

/**
 * wire_capture_open() - Begin a file.
 * @path: It is made, or emptied.
 * @error: Out, if it cannot be: a positive errno.
 *
 * Return: NULL if it cannot be.
 */
struct wire_capture *wire_capture_open(const char *path, int *error);

/** wire_capture_run() - Write the packets of a run. Context: Any thread; of what cannot be written the rest is left out. */
void wire_capture_run(struct wire_capture *capture, const struct tp_run *run);

/** wire_capture_close() - Finish it. @capture: May be NULL. Return: 0; a negative errno if something was left out. */
int wire_capture_close(struct wire_capture *capture);

#endif
