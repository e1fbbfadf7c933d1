/* The workers of a run: ranks of MPI, each of which goes on with its own PEs until all have ended.
 *
 * A channel whose ends are on two ranks is there twice. What one rank sends on it goes to the other as a message, and so
 * does, the other way, how many words were received. So each end sees the counts of the other, only later: as many
 * words are under way as there are slots, and no more. A word on a bus goes to all ranks.
 *
 * Ranks count their messages. They add up, again and again while they work, how many PEs are left, who was busy since the
 * last sum, and how many messages went out and came in. When nobody was busy in two sums that are the same, and none is
 * under way, no PE can go on: that is a deadlock, which cannot happen in a program whose proofs hold. */
#ifndef MPI_RANKS_H
#define MPI_RANKS_H

#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "channels.h"
#include "pes.h"

/* How a run ended: what the function of a kernel returns. */
enum status { IS_WELL, BAD_ARGUMENT, BAD_SIZE, NO_MEMORY, NO_THREAD, DEADLOCK };

/* The channels of one name: how far the receiver lies from the sender. */
struct link {
    struct channels *channels;
    int64_t offset[GRID_RANK];
};

/* An end of a channel whose other end is on another rank. */
struct end {
    struct channel *channel;
    /* The number of the link, and the position of the PE that sends. */
    int64_t link, position;
    int peer;
    bool is_sender;
    /* How many words, or receipts, the peer was told of. */
    size_t told;
};

/* What stands before the words of a message. */
struct letter {
    /* The number of a link; behind those the buses. */
    int64_t to;
    int64_t position;
    /* Receipts, or 0 where a word follows. */
    int64_t receipts;
};

/* A message that is under way. */
struct posted {
    struct posted *next;
    MPI_Request request;
    unsigned char bytes[];
};

/* The status that all ranks return: the worst. */
static inline int agree(MPI_Comm comm, int status)
{
    int worst = status;
    MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MAX, comm);
    return worst;
}

/* What a rank has of a run. */
struct rank {
    MPI_Comm comm;
    int number, count;
    struct run *run;
    /* The rank of each point of the grid; -1 where there is no PE. */
    int *owners;
    struct link *links;
    size_t link_count;
    struct bus **buses;
    size_t bus_count;
    struct end *ends;
    size_t end_count;
    struct posted *posted;
    int64_t sent, received;
    int status;
    bool is_busy;
};

enum { LETTERS = 1 };

/* What the ranks add up. */
enum { LEFT, BUSY, SENT, RECEIVED, STOPPED, SUMS };

/* Sends bytes; whether there was memory. What was sent before and has arrived is freed. */
static inline bool rank_post(struct rank *rank, int to, const struct letter *letter, const int64_t *key, size_t key_length,
                             const word *value)
{
    const size_t keyed = sizeof *letter + key_length * sizeof *key;
    const size_t length = keyed + (value ? word_length(*value) : 0);
    struct posted *posted = length <= INT32_MAX ? malloc(sizeof *posted + length) : NULL;
    if (!posted)
        return false;
    memcpy(posted->bytes, letter, sizeof *letter);
    if (key_length > 0)
        memcpy(posted->bytes + sizeof *letter, key, key_length * sizeof *key);
    if (value)
        word_pack(*value, posted->bytes + keyed);
    MPI_Isend(posted->bytes, (int)length, MPI_BYTE, to, LETTERS, rank->comm, &posted->request);
    posted->next = rank->posted;
    rank->posted = posted;
    rank->sent++;
    return true;
}

/* Frees the messages that have gone; all of them where it waits. */
static inline void rank_sweep_posted(struct rank *rank, bool waits)
{
    for (struct posted **place = &rank->posted; *place;) {
        int is_gone = 1;
        if (waits)
            MPI_Wait(&(*place)->request, MPI_STATUS_IGNORE);
        else
            MPI_Test(&(*place)->request, &is_gone, MPI_STATUS_IGNORE);
        if (is_gone) {
            struct posted *next = (*place)->next;
            free(*place);
            *place = next;
        } else {
            place = &(*place)->next;
        }
    }
}

/* Tells other ranks what was sent and received on channels. */
static inline void rank_tell(struct rank *rank)
{
    for (size_t number = 0; number < rank->end_count && rank->status == IS_WELL; number++) {
        struct end *end = &rank->ends[number];
        struct channel *channel = end->channel;
        struct letter letter = {end->link, end->position, 0};
        bool has_memory = true;
        if (end->is_sender) {
            const size_t sent = atomic_load_explicit(&channel->sent, memory_order_relaxed);
            for (; end->told < sent && has_memory; end->told++) {
                word *slot = &channel->slots[end->told % channel->depth];
                has_memory = rank_post(rank, end->peer, &letter, NULL, 0, slot);
                word_drop(*slot);
                *slot = NO_WORD;
            }
        } else {
            const size_t received = atomic_load_explicit(&channel->received, memory_order_relaxed);
            letter.receipts = (int64_t)(received - end->told);
            has_memory = letter.receipts == 0 || rank_post(rank, end->peer, &letter, NULL, 0, NULL);
            end->told = received;
        }
        if (!has_memory)
            rank->status = NO_MEMORY;
    }
}

#ifdef BUSES_H
/* Tells all other ranks what was driven on buses; whether something was. */
static inline bool bus_tell(struct rank *rank)
{
    bool has_told = false;
    for (size_t number = 0; number < rank->bus_count && rank->status == IS_WELL; number++) {
        struct bus *bus = rank->buses[number];
        for (; bus->fresh; bus->fresh = bus->fresh->fresh) {
            const struct letter letter = {(int64_t)(rank->link_count + number), 0, 0};
            for (int to = 0; to < rank->count; to++)
                if (to != rank->number
                    && !rank_post(rank, to, &letter, bus->fresh->key, bus->key_length, &bus->fresh->value))
                    rank->status = NO_MEMORY;
            has_told = true;
        }
    }
    return has_told;
}

/* Puts what was driven on another rank into the table; whether there was memory. */
static inline bool bus_deliver(struct rank *rank, size_t number, const unsigned char *bytes)
{
    struct bus *bus = rank->buses[number];
    int64_t *key = malloc((bus->key_length + 1) * sizeof *key);
    word value = NO_WORD;
    if (key)
        memcpy(key, bytes, bus->key_length * sizeof *key);
    const bool has_memory = key && word_unpack(bytes + bus->key_length * sizeof *key, &value);
    const bool is_put = has_memory && bus_put(bus, key, value, false);
    word_drop(value);
    free(key);
    return is_put;
}

static inline void bus_share(struct bus *bus)
{
    bus->is_shared = true;
}
#else
static inline bool bus_tell(struct rank *rank)
{
    (void)rank;
    return false;
}

static inline bool bus_deliver(struct rank *rank, size_t number, const unsigned char *bytes)
{
    (void)rank;
    (void)number;
    (void)bytes;
    return false;
}

static inline void bus_share(struct bus *bus)
{
    (void)bus;
}
#endif

/* The end of a channel that a letter is for. */
static inline struct end *rank_end(struct rank *rank, const struct letter *letter)
{
    size_t first = 0, last = rank->end_count;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        struct end *end = &rank->ends[middle];
        if (end->link < letter->to || (end->link == letter->to && end->position < letter->position))
            first = middle + 1;
        else
            last = middle;
    }
    return first < rank->end_count ? &rank->ends[first] : NULL;
}

/* Takes in what a letter says; whether there was memory. */
static inline bool rank_deliver(struct rank *rank, const unsigned char *bytes)
{
    struct letter letter;
    memcpy(&letter, bytes, sizeof letter);
    bytes += sizeof letter;
    if ((size_t)letter.to >= rank->link_count)
        return bus_deliver(rank, (size_t)letter.to - rank->link_count, bytes);
    struct end *end = rank_end(rank, &letter);
    if (!end)
        return false;
    struct channel *channel = end->channel;
    if (letter.receipts != 0) {
        atomic_fetch_add_explicit(&channel->received, (size_t)letter.receipts, memory_order_relaxed);
        return true;
    }
    word value = NO_WORD;
    const bool has_memory = word_unpack(bytes, &value);
    const size_t sent = atomic_load_explicit(&channel->sent, memory_order_relaxed);
    channel->slots[sent % channel->depth] = value;
    atomic_store_explicit(&channel->sent, sent + 1, memory_order_relaxed);
    return has_memory;
}

/* Takes in what has come; whether there was something. */
static inline bool rank_take(struct rank *rank)
{
    bool has_come = false;
    for (;;) {
        int is_there = 0, length = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, LETTERS, rank->comm, &is_there, &status);
        if (!is_there)
            return has_come;
        MPI_Get_count(&status, MPI_BYTE, &length);
        unsigned char *bytes = malloc((size_t)length + 1);
        if (!bytes) {
            rank->status = NO_MEMORY;
            return has_come;
        }
        MPI_Recv(bytes, length, MPI_BYTE, status.MPI_SOURCE, LETTERS, rank->comm, MPI_STATUS_IGNORE);
        if (rank->status == IS_WELL && !rank_deliver(rank, bytes))
            rank->status = NO_MEMORY;
        free(bytes);
        rank->received++;
        has_come = true;
    }
}

/* Goes on with each PE once; whether some of them did something. */
static inline bool rank_sweep(struct rank *rank, struct pes *pes)
{
    bool has_moved = false;
    size_t left = 0;
    for (size_t number = 0; number < pes->count && rank->status == IS_WELL; number++) {
        struct pe *pe = pes->each[number];
        pe->has_moved = false;
        const enum progress progress = pe->class->resume(rank->run, pe);
        has_moved = has_moved || pe->has_moved || progress == ENDED;
        if (progress == FAILED)
            rank->status = NO_MEMORY;
        if (progress == ENDED) {
            pe_free(rank->run, pe);
            pes->each[number] = NULL;
        }
    }
    for (size_t number = 0; number < pes->count; number++)
        if (pes->each[number])
            pes->each[left++] = pes->each[number];
    pes->count = left;
    return has_moved;
}

/* Whose a PE is: `together` neighbours at a time go to one rank after the other; 0 stands for as many as there are for
 * each. */
static inline size_t rank_of(size_t number, size_t count, size_t ranks, size_t together)
{
    if (together > 0)
        return number / together % ranks;
    const size_t most = count / ranks + (count % ranks > 0 ? 1 : 0), of_most = count - (most - 1) * ranks;
    return number < most * of_most ? number / most : of_most + (number - most * of_most) / (most - 1);
}

/* Finds the rank of each point, and adds the PEs of this one; whether there was memory. */
static inline bool rank_place(struct rank *rank, const struct grid *grid, const struct class *classes,
                              int (*class_at)(struct run *run, const int64_t *point), size_t together, struct pes *pes)
{
    int64_t point[GRID_RANK];
    size_t count = 0;
    const size_t volume = grid_volume(grid);
    rank->owners = volume > SIZE_MAX / sizeof *rank->owners - 1 ? NULL : malloc((volume + 1) * sizeof *rank->owners);
    if (!rank->owners)
        return false;
    for (int round = 0; round < 2; round++) {
        size_t position = 0, number = 0;
        for (int axis = 0; axis < GRID_RANK; axis++)
            point[axis] = grid->first[axis];
        for (bool is_point = volume > 0; is_point; is_point = grid_next(grid, point), position++) {
            const int class = class_at(rank->run, point);
            rank->owners[position] = -1;
            if (class < 0)
                continue;
            if (round == 1) {
                rank->owners[position] = (int)rank_of(number, count, (size_t)rank->count, together);
                if (rank->owners[position] == rank->number && !pes_add(rank->run, pes, &classes[class], point))
                    return false;
            }
            number++;
        }
        count = number;
    }
    return true;
}

/* Finds the ends of channels that go from rank to rank, in the order in which they are looked for; first how many. */
static inline size_t rank_find_ends(struct rank *rank, const struct grid *grid, struct end *ends)
{
    size_t count = 0;
    for (size_t number = 0; number < rank->link_count; number++) {
        const struct link *link = &rank->links[number];
        int64_t point[GRID_RANK], back[GRID_RANK];
        for (int axis = 0; axis < GRID_RANK; axis++) {
            point[axis] = grid->first[axis];
            back[axis] = -link->offset[axis];
        }
        size_t position = 0;
        for (bool is_point = grid_volume(grid) > 0; is_point; is_point = grid_next(grid, point), position++) {
            const size_t other = grid_position(grid, point, back);
            const int from = rank->owners[position], to = other == SIZE_MAX ? -1 : rank->owners[other];
            if (from < 0 || to < 0 || from == to || (from != rank->number && to != rank->number))
                continue;
            const bool is_sender = from == rank->number;
            if (ends)
                ends[count] = (struct end){&link->channels->each[position], (int64_t)number, (int64_t)position,
                                           is_sender ? to : from, is_sender, 0};
            count++;
        }
    }
    return count;
}

/* Works until all ranks have ended, or none can go on. */
static inline void rank_work(struct rank *rank, struct pes *pes)
{
    int64_t own[SUMS], sums[SUMS], before[SUMS] = {0};
    MPI_Request request = MPI_REQUEST_NULL;
    bool is_asked = false, has_before = false;
    for (;;) {
        bool has_moved = rank_sweep(rank, pes);
        rank_tell(rank);
        has_moved = bus_tell(rank) || has_moved;
        has_moved = rank_take(rank) || has_moved;
        rank_sweep_posted(rank, false);
        rank->is_busy = rank->is_busy || has_moved;
        int is_summed = 0;
        if (is_asked) {
            MPI_Test(&request, &is_summed, MPI_STATUS_IGNORE);
        } else {
            const int64_t now[SUMS] = {(int64_t)pes->count, rank->is_busy, rank->sent, rank->received,
                                       rank->status != IS_WELL};
            memcpy(own, now, sizeof own);
            MPI_Iallreduce(own, sums, SUMS, MPI_INT64_T, MPI_SUM, rank->comm, &request);
            is_asked = true;
            rank->is_busy = false;
        }
        if (is_summed) {
            is_asked = false;
            const bool is_quiet = sums[BUSY] == 0 && sums[SENT] == sums[RECEIVED];
            const bool is_same = has_before && memcmp(sums, before, sizeof sums) == 0;
            if (sums[STOPPED] > 0 && rank->status == IS_WELL)
                rank->status = NO_MEMORY;
            if (is_quiet && is_same && sums[LEFT] > 0 && rank->status == IS_WELL)
                rank->status = DEADLOCK;
            if (is_quiet && is_same)
                return;
            memcpy(before, sums, sizeof sums);
            has_before = true;
        } else if (!has_moved) {
            sched_yield();
        }
    }
}

/* Runs the PEs of all ranks, and returns on each how that ended. */
static inline int rank_run(struct rank *rank, const struct grid *grid, const struct class *classes,
                           int (*class_at)(struct run *run, const int64_t *point), size_t together, struct pes *pes)
{
    const bool is_placed = rank_place(rank, grid, classes, class_at, together, pes);
    rank->end_count = is_placed ? rank_find_ends(rank, grid, NULL) : 0;
    rank->ends = malloc((rank->end_count + 1) * sizeof *rank->ends);
    rank->status = is_placed && rank->ends ? IS_WELL : NO_MEMORY;
    for (size_t number = 0; number < rank->bus_count; number++)
        bus_share(rank->buses[number]);
    if (agree(rank->comm, rank->status) == IS_WELL) {
        rank_find_ends(rank, grid, rank->ends);
        rank_work(rank, pes);
        rank_sweep_posted(rank, true);
    }
    free(rank->ends);
    free(rank->owners);
    return agree(rank->comm, rank->status);
}

/* Rows of an array are in blocks: each rank has as many, the last ones fewer or none. */
static inline int64_t first_row(int64_t rows, int ranks, int rank)
{
    const int64_t each = ceil_div(rows, ranks);
    return least((int64_t)rank * each, rows);
}

/* So many elements are sent at a time. */
enum { PIECE = 1 << 24 };

/* An array as rows, which ranks have blocks of: each is so many lines of so many elements that lie side by side. */
struct rows {
    int64_t rows, lines;
    size_t length;
};

/* The first element of a rank's rows, in all of an array. */
static inline size_t rows_begin(const struct rows *rows, const struct rank *rank, int number)
{
    return (size_t)(first_row(rows->rows, rank->count, number) * rows->lines) * rows->length;
}

static inline double *rows_new(const struct rows *rows)
{
    const int64_t extents[] = {rows->rows, rows->lines, (int64_t)rows->length};
    const size_t volume = volume_of(extents, 3);
    return volume < SIZE_MAX / sizeof(double) ? calloc(volume + 1, sizeof(double)) : NULL;
}

/* All of an array from its rows; `step` is how far apart lines are where a rank has them. */
static inline void rows_gather(const struct rows *rows, const struct rank *rank, const double *own, size_t step, double *all)
{
    double *to = all + rows_begin(rows, rank, rank->number);
    for (; to < all + rows_begin(rows, rank, rank->number + 1); to += rows->length, own += step)
        memcpy(to, own, rows->length * sizeof(double));
    for (int from = 0; from < rank->count; from++) {
        const size_t last = rows_begin(rows, rank, from + 1);
        for (size_t at = rows_begin(rows, rank, from); at < last; at += PIECE)
            MPI_Bcast(all + at, (int)(last - at < PIECE ? last - at : PIECE), MPI_DOUBLE, from, rank->comm);
    }
}

/* The rows of a rank from what each rank has stored: an element is stored once, and has no bits elsewhere. */
static inline void rows_scatter(const struct rows *rows, const struct rank *rank, double *all, double *own, size_t step)
{
    for (int to = 0; to < rank->count; to++) {
        const size_t last = rows_begin(rows, rank, to + 1);
        for (size_t at = rows_begin(rows, rank, to); at < last; at += PIECE) {
            const int count = (int)(last - at < PIECE ? last - at : PIECE);
            const bool is_mine = to == rank->number;
            MPI_Reduce(is_mine ? MPI_IN_PLACE : (void *)(all + at), is_mine ? (void *)(all + at) : NULL, count,
                       MPI_UINT64_T, MPI_BOR, to, rank->comm);
        }
    }
    const double *from = all + rows_begin(rows, rank, rank->number);
    for (; from < all + rows_begin(rows, rank, rank->number + 1); from += rows->length, own += step)
        memcpy(own, from, rows->length * sizeof(double));
}

/* Whether all ranks were given the same sizes. */
static inline bool are_same(MPI_Comm comm, const int64_t *sizes, int count)
{
    int differ = 0;
    for (int number = 0; number < count; number++) {
        const int64_t ends[2] = {sizes[number], -sizes[number]};
        int64_t least_of[2];
        MPI_Allreduce(ends, least_of, 2, MPI_INT64_T, MPI_MIN, comm);
        differ += least_of[0] != -least_of[1];
    }
    return differ == 0;
}

#endif
