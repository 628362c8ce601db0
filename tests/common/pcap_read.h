/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The frames of a capture file, all in memory. */
#ifndef TESTS_COMMON_PCAP_READ_H
#define TESTS_COMMON_PCAP_READ_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct pcap_frame - One Ethernet frame.
 * @time_ns: When it was seen.
 * @bytes: Length of @wire.
 * @wire: From the destination MAC on.
 */
struct pcap_frame {
	uint64_t time_ns;
	size_t bytes;
	uint8_t *wire;
};

/**
 * pcap_read() - Load a capture.
 * @path: A pcap file of whole Ethernet frames.
 * @frames: Out: the frames in the order of the file, for pcap_free().
 * @count: Out: how many.
 *
 * Return: 0; -1 after a line on stderr if the file cannot be read, or is something else.
 */
int pcap_read(const char *path, struct pcap_frame **frames, size_t *count);

/** pcap_free() - Give back what pcap_read() has loaded. */
void pcap_free(struct pcap_frame *frames, size_t count);

#endif
