// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* For mpi.sh: messages of all sizes around a ring, then an alltoall; what arrives is compared. */
#include <mpi.h>
#include <stdio.h>

#define MOST 200000
#define EACH 1000
#define ROUNDS 18

static int out[MOST], in[MOST];

static void must(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s: wrong data\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void ring(int rank, int ranks, int round)
{
	const int count = 1 << round, left = (rank + ranks - 1) % ranks;

	for (int i = 0; i < count; i++)
		out[i] = rank * MOST + round + i;
	MPI_Sendrecv(out, count, MPI_INT, (rank + 1) % ranks, 0, in, count, MPI_INT, left, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < count; i++)
		must(in[i] == left * MOST + round + i, "ring");
}

static void all_to_all(int rank, int ranks)
{
	for (int i = 0; i < ranks * EACH; i++)
		out[i] = rank * MOST + i;
	MPI_Alltoall(out, EACH, MPI_INT, in, EACH, MPI_INT, MPI_COMM_WORLD);
	for (int i = 0; i < ranks * EACH; i++)
		must(in[i] == i / EACH * MOST + rank * EACH + i % EACH, "alltoall");
}

int main(int argc, char **argv)
{
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int round = 0; round < ROUNDS; round++)
		ring(rank, ranks, round);
	all_to_all(rank, ranks);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank)
		printf("%d processes: ring and alltoall as they should be\n", ranks);
	MPI_Finalize();
	return 0;
}
