/* What the command of a kernel does with several ranks: all of them read the inputs, the first one writes the outputs. */
#ifndef COLLECT_H
#define COLLECT_H

#include <mpi.h>

#include "command.h"

/* So many elements are sent at a time. */
enum { AT_ONCE = 1 << 24 };

/* What says where the rows of a rank begin. */
typedef int64_t first_row_of(int64_t rows, int ranks, int rank);

/* How many rows an array has, and how many elements each; a number is one row. */
static inline int64_t row_count(const struct array_flag *array)
{
    return array->rank > 0 ? array->shape[0] : 1;
}

static inline size_t row_length(const struct array_flag *array)
{
    const int64_t rows = row_count(array);
    return rows > 0 ? array->count / (size_t)rows : 0;
}

/* Where the rows of this rank begin. */
static inline double *own_rows(const struct array_flag *array, first_row_of *first_row)
{
    int ranks, rank;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return array->values + (size_t)first_row(row_count(array), ranks, rank) * row_length(array);
}

static inline bool is_first_rank(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

/* Sends the rows of all other ranks to the first. */
static inline void collect_rows(const struct array_flag *array, first_row_of *first_row)
{
    int ranks, rank;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int from = 1; from < ranks; from++) {
        const size_t last = (size_t)first_row(row_count(array), ranks, from + 1) * row_length(array);
        size_t at = (size_t)first_row(row_count(array), ranks, from) * row_length(array);
        for (; at < last; at += AT_ONCE) {
            const int count = (int)(last - at < AT_ONCE ? last - at : AT_ONCE);
            if (rank == from)
                MPI_Send(array->values + at, count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
            if (rank == 0)
                MPI_Recv(array->values + at, count, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

/* Whether something went wrong on any rank. The first says which, where it has nothing to say itself. */
static inline int failed_anywhere(int failed)
{
    int rank, ranks, own, first;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    own = failed ? rank : ranks;
    MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0 && first > 0 && first < ranks)
        fprintf(stderr, "error: rank %d could not go on\n", first);
    return first < ranks;
}

/* Starts this rank; all but the first are silent, since most of what they say is the same. */
static inline void begin_ranks(int *argc, char ***argv)
{
    int rank;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0 && !freopen("/dev/null", "w", stderr))
        perror("/dev/null");
}

static inline int end_ranks(int code)
{
    MPI_Finalize();
    return code;
}

#endif
