// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The figures of stock programs, each beside what the same machine does by other means. */
#include "cli/stock.h"

#include <limits.h>
#include <sched.h>
#include <unistd.h>

#include "cli/bench.h"

/* clang-format off */
#define PERFTEST(variable, title, where, factor, of, ...)                                             \
	static const struct stock_source variable = {.name = title, .measure = stock_perftest,        \
		.words = {__VA_ARGS__, NULL}, .column = (where), .scale = (factor), .unit = (of)}
#define UCX(variable, title, where, factor, of, less, ...)                                            \
	static const struct stock_source variable = {.name = title, .measure = stock_ucx,             \
		.words = {"ucx_perftest", __VA_ARGS__, NULL}, .column = (where), .scale = (factor),   \
		.unit = (of), .is_less_better = (less)}
#define OURS(variable, title, how, of, n)                                                             \
	static const struct stock_source variable = {.name = title, .measure = (how),                 \
		.scale = 1, .unit = (of), .bytes = (n)}

/* Columns of perftest's reports: the typical time; the average bandwidth in MiB/s; million messages/s. */
#define TYPICAL 4
#define BANDWIDTH 3
#define RATE 4
#define MIB_S 1.048576e-3

PERFTEST(send_lat, "ib_send_lat -s 8", TYPICAL, 1, "us", "ib_send_lat", "-s", "8", "-n", "200000");
PERFTEST(send_lat_events, "ib_send_lat -e -s 8", TYPICAL, 1, "us",
	 "ib_send_lat", "-e", "-s", "8", "-n", "5000");
PERFTEST(write_lat, "ib_write_lat -s 8", TYPICAL, 1, "us", "ib_write_lat", "-s", "8", "-n", "20000");
PERFTEST(read_lat, "ib_read_lat -s 8", TYPICAL, 1, "us", "ib_read_lat", "-s", "8", "-n", "100000");
PERFTEST(send_rate, "ib_send_bw -s 8", RATE, 1, "million/s", "ib_send_bw", "-s", "8", "-n", "400000");
PERFTEST(send_64k, "ib_send_bw -s 65536", BANDWIDTH, MIB_S, "GB/s",
	 "ib_send_bw", "-s", "65536", "-n", "20000");
PERFTEST(write_64k, "ib_write_bw -s 65536", BANDWIDTH, MIB_S, "GB/s",
	 "ib_write_bw", "-s", "65536", "-n", "30000");
PERFTEST(write_1m, "ib_write_bw -s 1048576", BANDWIDTH, MIB_S, "GB/s",
	 "ib_write_bw", "-s", "1048576", "-n", "2000");
PERFTEST(read_64k, "ib_read_bw -s 65536", BANDWIDTH, MIB_S, "GB/s",
	 "ib_read_bw", "-s", "65536", "-n", "20000");

/* Columns of ucx_perftest's reports, as lines of CSV: iterations, the median time, ... */
#define UCX_MEDIAN 1
#define UCX_BANDWIDTH 5
#define UCX_RATE 7

UCX(tag_lat, "UCX tag_lat, 8 bytes", UCX_MEDIAN, 1, "us", true,
    "-t", "tag_lat", "-s", "8", "-n", "200000", "-w", "10000");
UCX(tag_rate, "UCX tag_bw, 8 bytes", UCX_RATE, 1e-6, "million/s", false,
    "-t", "tag_bw", "-s", "8", "-n", "1000000", "-w", "10000");
UCX(tag_64k, "UCX tag_bw, 64 KiB", UCX_BANDWIDTH, MIB_S, "GB/s", false,
    "-t", "tag_bw", "-s", "65536", "-n", "20000", "-w", "500");

OURS(cma_call, "process_vm_readv, 8 bytes", stock_cma_call, "us", 8);
OURS(cma_read_64k, "process_vm_readv, 64 KiB", stock_cma_read, "GB/s", 65536);
OURS(cma_64k, "process_vm_writev, 64 KiB", stock_cma_write, "GB/s", 65536);
OURS(cma_1m, "process_vm_writev, 1 MiB", stock_cma_write, "GB/s", 1u << 20);
OURS(eventfd_wake, "eventfd, back and forth", stock_eventfd_wake, "us", 8);
OURS(start, "first post, with a device", stock_start, "ms more", 0);
OURS(untouched, "true, with our library", stock_untouched, "ms more", 0);

#define ROW(title, of, at, most, a, b)                                                                \
	{.name = title, .unit = of, .target = (at), .at_most = (most),                                \
	 .stock = &(const struct stock){.ours = (a), .anchor = (b)}}

const struct bench bench_stock_table[] = {
	ROW("send-lat-8",     "of UCX's tag_lat",    1.5,  true,  &send_lat,        &tag_lat),
	ROW("write-lat-8",    "of UCX's tag_lat",    2.5,  true,  &write_lat,       &tag_lat),
	ROW("read-lat-8",     "of a copy's call",    1.8,  true,  &read_lat,        &cma_call),
	ROW("send-rate-8",    "of UCX's tag_bw",     0.6,  false, &send_rate,       &tag_rate),
	ROW("write-bw-64k",   "of process_vm_writev", 0.85, false, &write_64k,      &cma_64k),
	ROW("write-bw-1m",    "of process_vm_writev", 0.85, false, &write_1m,       &cma_1m),
	ROW("read-bw-64k",    "of process_vm_readv", 0.85, false, &read_64k,        &cma_read_64k),
	ROW("send-bw-64k",    "of UCX's tag_bw",     0.75, false, &send_64k,        &tag_64k),
	ROW("send-lat-event", "of an eventfd's wake", 1.4, true,  &send_lat_events, &eventfd_wake),
	ROW("start",          "ms more",             30,   true,  &start,           NULL),
	ROW("untouched",      "ms more",             1,    true,  &untouched,       NULL),
};
/* clang-format on */

const unsigned int bench_stock_count = sizeof(bench_stock_table) / sizeof(bench_stock_table[0]);

int stock_measure(const struct stock *stock, double *ours, double *anchor)
{
	*anchor = 1;
	if (stock->anchor && stock->anchor->measure(stock->anchor, anchor))
		return -1;
	return stock->ours->measure(stock->ours, ours);
}

void stock_pin(unsigned int which)
{
	cpu_set_t set, one;

	if (sched_getaffinity(0, sizeof(set), &set))
		return;
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && !which--) {
			CPU_ZERO(&one);
			CPU_SET(cpu, &one);
			sched_setaffinity(0, sizeof(one), &one);
			return;
		}
}

const char *stock_program(void)
{
	static char path[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = 0;
	return path;
}
