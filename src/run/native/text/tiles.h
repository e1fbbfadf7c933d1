/* What a register holds and a channel carries: a tile. And boxes of elements, which tiles, windows and arrays
 * are.
 *
 * A tile has several holders; whoever is the last frees it, and who is the only one may write into it. A
 * function that takes tiles takes them over: its caller holds them no more, also where the result is none
 * because there is no memory. */
#ifndef WORDS_H
#define WORDS_H

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "scalar.h"

struct tile {
    atomic_size_t holders;
    size_t count;
    /* The same number for every element, of whatever box: then the only value there is. */
    bool is_uniform;
    double values[];
};

typedef struct tile *word;

#define NO_WORD NULL

static inline struct tile *tile_new(size_t count)
{
    if (count > (SIZE_MAX - sizeof(struct tile)) / sizeof(double) - 1)
        return NULL;
    struct tile *tile = malloc(sizeof *tile + (count + 1) * sizeof(double));
    if (!tile)
        return NULL;
    atomic_init(&tile->holders, 1);
    tile->count = count;
    tile->is_uniform = false;
    return tile;
}

static inline struct tile *tile_uniform(double value)
{
    struct tile *tile = tile_new(0);
    if (tile) {
        tile->is_uniform = true;
        tile->values[0] = value;
    }
    return tile;
}

static inline void tile_fill(struct tile *tile, double value)
{
    for (size_t element = 0; element < tile->count; element++)
        tile->values[element] = value;
}

/* Another holder of the same word. */
static inline word word_share(word value)
{
    if (value)
        atomic_fetch_add_explicit(&value->holders, 1, memory_order_relaxed);
    return value;
}

static inline void word_drop(word value)
{
    if (value && atomic_fetch_sub_explicit(&value->holders, 1, memory_order_acq_rel) == 1)
        free(value);
}

/* Puts a word into a register, in the place of what was there. */
static inline void word_set(word *held, word value)
{
    word_drop(*held);
    *held = value;
}

/* Takes the word out of a register. */
static inline word word_take(word *held)
{
    word value = *held;
    *held = NULL;
    return value;
}

/* How many bytes of a message a word is: the number of its elements, -1 for one that all have; then these. */
static inline size_t word_length(word value)
{
    return sizeof(int64_t) + (value->is_uniform ? 1 : value->count) * sizeof(double);
}

static inline void word_pack(word value, unsigned char *bytes)
{
    const int64_t count = value->is_uniform ? -1 : (int64_t)value->count;
    memcpy(bytes, &count, sizeof count);
    memcpy(bytes + sizeof count, value->values, word_length(value) - sizeof count);
}

/* The word of a message; whether there was memory. */
static inline bool word_unpack(const unsigned char *bytes, word *value)
{
    int64_t count;
    memcpy(&count, bytes, sizeof count);
    *value = count < 0 ? tile_uniform(0.0) : tile_new((size_t)count);
    if (*value)
        memcpy((*value)->values, bytes + sizeof count, word_length(*value) - sizeof count);
    return *value != NULL;
}

/* The value of a `let` into its register; whether there was memory. */
static inline bool word_assign(word *held, word value)
{
    word_set(held, value);
    return value != NULL;
}

/* The same elements for a single holder. */
static inline struct tile *tile_own(struct tile *tile)
{
    if (!tile || atomic_load_explicit(&tile->holders, memory_order_acquire) == 1)
        return tile;
    struct tile *own = tile_new(tile->count);
    if (own)
        memcpy(own->values, tile->values, tile->count * sizeof(double));
    word_drop(tile);
    return own;
}

static inline double tile_at(const struct tile *tile, size_t element)
{
    return tile->values[tile->is_uniform ? 0 : element];
}

/* A tile for the values of a function of some tiles, element by element. */
static inline struct tile *tile_for(struct tile *const *tiles, int count)
{
    for (int number = 0; number < count; number++)
        if (!tiles[number])
            return NULL;
    for (int number = 0; number < count; number++)
        if (!tiles[number]->is_uniform)
            return tile_new(tiles[number]->count);
    return tile_uniform(0.0);
}

static inline struct tile *tile_apply_1(double (*function)(double), struct tile *a)
{
    struct tile *result = tile_for(&a, 1);
    for (size_t at = 0; result && at < result->count + (result->is_uniform ? 1 : 0); at++)
        result->values[at] = function(tile_at(a, at));
    word_drop(a);
    return result;
}

static inline struct tile *tile_apply_2(double (*function)(double, double), struct tile *a, struct tile *b)
{
    struct tile *result = tile_for((struct tile *[]){a, b}, 2);
    for (size_t at = 0; result && at < result->count + (result->is_uniform ? 1 : 0); at++)
        result->values[at] = function(tile_at(a, at), tile_at(b, at));
    word_drop(a);
    word_drop(b);
    return result;
}

static inline struct tile *tile_apply_3(double (*function)(double, double, double), struct tile *a, struct tile *b,
                                        struct tile *c)
{
    struct tile *result = tile_for((struct tile *[]){a, b, c}, 3);
    for (size_t at = 0; result && at < result->count + (result->is_uniform ? 1 : 0); at++)
        result->values[at] = function(tile_at(a, at), tile_at(b, at), tile_at(c, at));
    word_drop(a);
    word_drop(b);
    word_drop(c);
    return result;
}

/* A box of elements, row-major. */
struct box {
    int rank;
    struct span spans[BOX_RANK];
};

static inline int64_t span_length(struct span span)
{
    return greatest(span.last - span.first + 1, 0);
}

static inline size_t box_volume(const struct box *box)
{
    int64_t lengths[BOX_RANK];
    for (int dimension = 0; dimension < box->rank; dimension++)
        lengths[dimension] = span_length(box->spans[dimension]);
    return volume_of(lengths, box->rank);
}

static inline bool box_equal(const struct box *a, const struct box *b)
{
    for (int dimension = 0; dimension < a->rank; dimension++)
        if (a->spans[dimension].first != b->spans[dimension].first
            || a->spans[dimension].last != b->spans[dimension].last)
            return false;
    return true;
}

/* How far apart neighbours along each dimension lie. */
static inline void box_strides(const struct box *box, int64_t *strides)
{
    int64_t stride = 1;
    for (int dimension = box->rank - 1; dimension >= 0; dimension--) {
        strides[dimension] = stride;
        stride *= span_length(box->spans[dimension]);
    }
}

/* Elements `0..before + body + after`: each of the first and the last is a tile of its own, the body between them is
 * cut into tiles of `size`, the last of which may be ragged; `margin` empty tiles stand at either end. */
struct axis {
    int64_t before, body, size, after, margin;
};

/* The elements of a tile. */
static inline struct span axis_span(struct axis axis, int64_t tile)
{
    const int64_t extent = axis.before + axis.body + axis.after;
    const int64_t number = tile - axis.margin, inner = number - axis.before, tiles = ceil_div(axis.body, axis.size);
    struct span span;
    if (number < 0)
        span = (struct span){0, -1};
    else if (inner < 0)
        span = (struct span){number, number};
    else if (inner < tiles)
        span = (struct span){axis.before + inner * axis.size,
                             axis.before + least((inner + 1) * axis.size, axis.body) - 1};
    else
        span = (struct span){axis.before + axis.body + inner - tiles, axis.before + axis.body + inner - tiles};
    return span.first < extent ? span : (struct span){extent, extent - 1};
}

/* The subscripts from `first` before the values of a form, from `low` to `high`, to `last` beyond them, within the
 * extent of the tensor. */
static inline struct span window_span(bool has_values, int64_t low, int64_t high, int64_t first, int64_t last,
                                      int64_t extent)
{
    const struct span span = {greatest((has_values ? low : 0) + first, 0),
                              least((has_values ? high : -1) + last, extent - 1)};
    return span.first <= span.last ? span : (struct span){0, -1};
}

/* The same where the form is an index and a number. */
static inline struct span span_around(struct span index, int64_t number, int64_t first, int64_t last, int64_t extent)
{
    return window_span(index.first <= index.last, index.first + number, index.last + number, first, last, extent);
}

/* Elements in memory: those of a tile, or of an array with strides of its own. */
struct view {
    double *values;
    int64_t strides[BOX_RANK];
    int64_t first[BOX_RANK];
};

static inline struct view view_of(const struct box *box, double *values)
{
    struct view view = {.values = values};
    box_strides(box, view.strides);
    for (int dimension = 0; dimension < box->rank; dimension++)
        view.first[dimension] = box->spans[dimension].first;
    return view;
}

static inline size_t view_offset(const struct view *view, const int64_t *at, int rank)
{
    int64_t offset = 0;
    for (int dimension = 0; dimension < rank; dimension++)
        offset += (at[dimension] - view->first[dimension]) * view->strides[dimension];
    return (size_t)offset;
}

/* The next first element of a row of a box; whether there is one. */
static inline bool box_next_row(const struct box *box, int64_t *at)
{
    for (int dimension = box->rank - 2; dimension >= 0; dimension--) {
        if (++at[dimension] <= box->spans[dimension].last)
            return true;
        at[dimension] = box->spans[dimension].first;
    }
    return false;
}

/* Copies the elements of a box, which both views have; where there is nowhere to copy from, each becomes `value`. */
static inline void box_copy(const struct box *box, const struct view *from, double value, const struct view *to)
{
    int64_t at[BOX_RANK];
    for (int dimension = 0; dimension < box->rank; dimension++)
        at[dimension] = box->spans[dimension].first;
    if (box_volume(box) == 0)
        return;
    const int64_t length = box->rank > 0 ? span_length(box->spans[box->rank - 1]) : 1;
    do {
        double *target = to->values + view_offset(to, at, box->rank);
        if (from) {
            memcpy(target, from->values + view_offset(from, at, box->rank), (size_t)length * sizeof(double));
        } else {
            for (int64_t element = 0; element < length; element++)
                target[element] = value;
        }
    } while (box_next_row(box, at));
}

static inline struct box box_meet(const struct box *a, const struct box *b)
{
    struct box box = {.rank = a->rank};
    for (int dimension = 0; dimension < a->rank; dimension++) {
        box.spans[dimension].first = greatest(a->spans[dimension].first, b->spans[dimension].first);
        box.spans[dimension].last = least(a->spans[dimension].last, b->spans[dimension].last);
    }
    return box;
}

/* The tile of a box of an array. */
static inline struct tile *tile_load(const struct view *array, const struct box *box)
{
    struct tile *tile = tile_new(box_volume(box));
    if (tile) {
        const struct view to = view_of(box, tile->values);
        box_copy(box, array, 0.0, &to);
    }
    return tile;
}

/* Puts a tile into its box of an array. */
static inline void tile_store(const struct view *array, const struct box *box, struct tile *tile)
{
    const struct view from = view_of(box, tile->values);
    box_copy(box, tile->is_uniform ? NULL : &from, tile->values[0], array);
}

/* How a subscript is moved where elements lie aslant: by so many times each subscript, and by so much more. */
struct slant_row {
    int64_t factors[BOX_RANK], shift;
};

/* The element that lies at a place. After as many rounds as there are dimensions the rows that others are moved by are
 * right, then those. */
static inline void element_at(const struct slant_row *rows, const int64_t *place, int rank, int64_t *element)
{
    for (int dimension = 0; dimension < rank; dimension++)
        element[dimension] = place[dimension];
    for (int round = 0; round <= rank; round++) {
        int64_t back[BOX_RANK];
        for (int dimension = 0; dimension < rank; dimension++) {
            back[dimension] = place[dimension] - rows[dimension].shift;
            for (int other = 0; other < rank; other++)
                back[dimension] -= rows[dimension].factors[other] * element[other];
        }
        for (int dimension = 0; dimension < rank; dimension++)
            element[dimension] = back[dimension];
    }
}

/* Puts a tile into an array whose elements lie aslant in tiles; places without an element are left out. */
static inline void tile_store_aslant(const struct view *array, const struct box *box, struct tile *tile,
                                     const struct slant_row *rows, const int64_t *extents)
{
    const size_t count = box_volume(box);
    for (size_t at = 0; at < count; at++) {
        int64_t place[BOX_RANK], element[BOX_RANK];
        size_t rest = at;
        for (int dimension = box->rank - 1; dimension >= 0; dimension--) {
            const size_t length = (size_t)span_length(box->spans[dimension]);
            place[dimension] = box->spans[dimension].first + (int64_t)(rest % length);
            rest /= length;
        }
        element_at(rows, place, box->rank, element);
        bool is_element = true;
        for (int dimension = 0; dimension < box->rank; dimension++)
            is_element = is_element && element[dimension] >= 0 && element[dimension] < extents[dimension];
        if (is_element)
            array->values[view_offset(array, element, box->rank)] = tile_at(tile, at);
    }
}

/* A tile that fills a window where the two meet. */
struct filling {
    const struct box *box;
    struct tile *tile;
};

/* What the elements of a window are before a tile gives them: under an operator what changes no bit of a value that is
 * combined with them, which also stands for the operator's neutral number. */
struct beginning {
    bool has_operator;
    double neutral, start;
};

static const struct beginning of_nothing = {false, 0.0, (double)NAN};
static const struct beginning of_sum = {true, 0.0, -0.0};
static const struct beginning of_product = {true, 1.0, 1.0};
static const struct beginning of_maximum = {true, -(double)INFINITY, -(double)INFINITY};
static const struct beginning of_minimum = {true, (double)INFINITY, (double)INFINITY};

static inline void tile_put(const struct beginning *beginning, const struct filling *filling, const struct box *window,
                            struct tile *into)
{
    const struct view from = view_of(filling->box, filling->tile->values), to = view_of(window, into->values);
    const struct box common = box_meet(filling->box, window);
    const double value = filling->tile->values[0];
    const bool is_neutral = beginning->has_operator && value == beginning->neutral;
    box_copy(&common, filling->tile->is_uniform ? NULL : &from, is_neutral ? beginning->start : value, &to);
}

/* The elements of a window, filled by tiles in their order. Where the first is all of it, this is that tile. */
static inline struct tile *window_of(const struct box *window, struct beginning beginning,
                                     const struct filling *fillings, int count, bool is_written)
{
    bool has_memory = true;
    for (int number = 0; number < count; number++)
        has_memory = has_memory && fillings[number].tile;
    struct tile *tile = NULL;
    int done = 0;
    if (has_memory && count > 0 && !fillings[0].tile->is_uniform && box_equal(fillings[0].box, window)) {
        tile = is_written || count > 1 ? tile_own(fillings[0].tile) : fillings[0].tile;
        done = 1;
    } else if (has_memory) {
        tile = tile_new(box_volume(window));
        if (tile)
            tile_fill(tile, beginning.start);
    }
    for (int number = done; number < count; number++) {
        if (tile)
            tile_put(&beginning, &fillings[number], window, tile);
        word_drop(fillings[number].tile);
    }
    return tile;
}

/* The window of the result: it begins with the tile that a leaf works onto, if there is one. */
static inline struct tile *window_onto(const struct box *window, struct beginning beginning, const struct box *result,
                                       struct tile *onto, const struct filling *fillings, int count)
{
    if (!onto)
        return window_of(window, beginning, fillings, count, true);
    const struct filling first = {result, onto};
    struct tile *tile = window_of(window, beginning, &first, 1, true);
    for (int number = 0; number < count; number++) {
        if (tile && fillings[number].tile)
            tile_put(&beginning, &fillings[number], window, tile);
        word_drop(fillings[number].tile);
    }
    return tile;
}

/* The tile of the result from its window; none unless all windows are there. */
static inline struct tile *result_of(const struct box *result, struct beginning beginning, const struct box *window,
                                     struct tile *tile, bool is_there)
{
    if (!is_there) {
        word_drop(tile);
        return NULL;
    }
    const struct filling filling = {window, tile};
    return box_equal(result, window) ? tile : window_of(result, beginning, &filling, 1, true);
}

#endif
