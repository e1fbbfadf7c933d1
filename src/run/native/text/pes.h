/* PEs: where they stand, and how they go on. */
#ifndef PES_H
#define PES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* What the PEs of a run share: its sizes, arrays and channels. */
struct run;

/* How a PE left off. */
enum progress {
    /* It has to wait for a word, or for room. */
    WAITS,
    /* Its body is done. */
    ENDED,
    /* There is no memory. */
    FAILED
};

/* What every PE has. */
struct pe {
    const struct class *class;
    /* Where it goes on: 0 at the beginning, else the number of a wait. */
    int at;
    /* Whether it has sent, received or heard something since it went on. */
    bool has_moved;
    int64_t point[GRID_RANK];
};

/* Leaves off at the wait with this number. */
static inline enum progress wait_at(struct pe *pe, int wait)
{
    pe->at = wait;
    return WAITS;
}

/* PEs with the same body. */
struct class {
    const char *name;
    size_t size;
    enum progress (*resume)(struct run *run, struct pe *pe);
    /* Gives a PE its channels and its memory; whether there was memory. */
    bool (*join)(struct run *run, struct pe *pe);
    void (*leave)(struct run *run, struct pe *pe);
    /* What each wait is for, by its number. */
    const char *const *waits;
};

/* The box of all PEs. */
struct grid {
    int64_t first[GRID_RANK], extent[GRID_RANK];
};

static inline size_t grid_volume(const struct grid *grid)
{
    return volume_of(grid->extent, GRID_RANK);
}

/* The row-major position of what lies `offset` before a point; SIZE_MAX outside. */
static inline size_t grid_position(const struct grid *grid, const int64_t *point, const int64_t *offset)
{
    size_t position = 0;
    for (int axis = 0; axis < GRID_RANK; axis++) {
        const int64_t along = point[axis] - offset[axis] - grid->first[axis];
        if (along < 0 || along >= grid->extent[axis])
            return SIZE_MAX;
        position = position * (size_t)grid->extent[axis] + (size_t)along;
    }
    return position;
}

/* The next point in row-major order; whether there is one. */
static inline bool grid_next(const struct grid *grid, int64_t *point)
{
    for (int axis = GRID_RANK - 1; axis >= 0; axis--) {
        if (++point[axis] < grid->first[axis] + grid->extent[axis])
            return true;
        point[axis] = grid->first[axis];
    }
    return false;
}

/* PEs in row-major order. */
struct pes {
    struct pe **each;
    size_t count, room;
};

static inline void pe_free(struct run *run, struct pe *pe)
{
    pe->class->leave(run, pe);
    free(pe);
}

static inline void pes_free(struct run *run, struct pes *pes)
{
    for (size_t number = 0; number < pes->count; number++)
        if (pes->each[number])
            pe_free(run, pes->each[number]);
    free(pes->each);
}

/* Adds a PE of a class at a point; whether there was memory. */
static inline bool pes_add(struct run *run, struct pes *pes, const struct class *class, const int64_t *point)
{
    if (pes->count == pes->room) {
        const size_t room = pes->room == 0 ? 64 : 2 * pes->room;
        struct pe **each = room > SIZE_MAX / sizeof *each ? NULL : realloc(pes->each, room * sizeof *each);
        if (!each)
            return false;
        pes->each = each;
        pes->room = room;
    }
    struct pe *pe = calloc(1, class->size);
    if (!pe)
        return false;
    pe->class = class;
    for (int axis = 0; axis < GRID_RANK; axis++)
        pe->point[axis] = point[axis];
    pes->each[pes->count++] = pe;
    return class->join(run, pe);
}

/* Adds the PEs of all points that have a class; whether there was memory. */
static inline bool pes_place(struct run *run, const struct grid *grid, const struct class *classes,
                             int (*class_at)(struct run *run, const int64_t *point), struct pes *pes)
{
    int64_t point[GRID_RANK];
    for (int axis = 0; axis < GRID_RANK; axis++)
        point[axis] = grid->first[axis];
    for (bool is_point = grid_volume(grid) > 0; is_point; is_point = grid_next(grid, point)) {
        const int number = class_at(run, point);
        if (number >= 0 && !pes_add(run, pes, &classes[number], point))
            return false;
    }
    return true;
}

#endif
