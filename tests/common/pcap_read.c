/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/pcap_read.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES 100000u

static int append(struct pcap_frame **frames, size_t *count, const struct pcap_pkthdr *header,
		  const uint8_t *bytes)
{
	struct pcap_frame *more = reallocarray(*frames, *count + 1, sizeof(*more));
	uint8_t *copy = malloc(header->caplen ? header->caplen : 1);

	if (more)
		*frames = more;
	if (!more || !copy) {
		free(copy);
		return -1;
	}
	memcpy(copy, bytes, header->caplen);
	more[(*count)++] = (struct pcap_frame){
		.time_ns = (uint64_t)header->ts.tv_sec * 1000000000 + (uint64_t)header->ts.tv_usec,
		.bytes = header->caplen,
		.wire = copy,
	};
	return 0;
}

int pcap_read(const char *path, struct pcap_frame **frames, size_t *count)
{
	char error[PCAP_ERRBUF_SIZE] = "cannot be read";
	pcap_t *pcap =
		pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, error);
	struct pcap_pkthdr *header;
	const uint8_t *bytes;
	int ret = -1;

	*frames = NULL;
	*count = 0;
	if (pcap && pcap_datalink(pcap) == DLT_EN10MB)
		while ((ret = pcap_next_ex(pcap, &header, &bytes)) == 1)
			if (*count == MAX_FRAMES || header->caplen != header->len ||
			    append(frames, count, header, bytes))
				break;
	if (pcap)
		pcap_close(pcap);
	if (ret == PCAP_ERROR_BREAK) /* the end of the file */
		return 0;
	fprintf(stderr, "%s: %s\n", path, error);
	pcap_free(*frames, *count);
	*frames = NULL;
	*count = 0;
	return -1;
}

void pcap_free(struct pcap_frame *frames, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(frames[i].wire);
	free(frames);
}
