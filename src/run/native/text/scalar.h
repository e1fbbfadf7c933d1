/* Integers, spans of them, and numbers as a per-PE program means them.
 *
 * Division of integers rounds down. `larger` and `smaller` are maximum and minimum of IEEE 754-2019: what is not
 * a number on either side stays so, and -0 is less than 0. All other functions are those of the C library. */
#ifndef SCALAR_H
#define SCALAR_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* No product of sizes is taken for more, so that sums of a few stay within 64 bits. */
#define LARGEST_PRODUCT (INT64_C(1) << 60)

/* The first and last value of an index or a subscript; none where the last is less. */
struct span {
    int64_t first, last;
};

static inline int64_t floor_div(int64_t value, int64_t by)
{
    return value / by - (value % by < 0 ? 1 : 0);
}

static inline int64_t ceil_div(int64_t value, int64_t by)
{
    return value / by + (value % by > 0 ? 1 : 0);
}

static inline int64_t remainder_of(int64_t value, int64_t by)
{
    return value - floor_div(value, by) * by;
}

static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t greatest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The product, or as much as there can be. */
static inline int64_t times(int64_t a, int64_t b)
{
    const bool is_negative = (a < 0) != (b < 0);
    if (a != 0 && (b < -LARGEST_PRODUCT / greatest(a, -a) || b > LARGEST_PRODUCT / greatest(a, -a)))
        return is_negative ? -LARGEST_PRODUCT : LARGEST_PRODUCT;
    return a * b;
}

/* The product of extents, none of which is negative; SIZE_MAX where it does not fit. */
static inline size_t volume_of(const int64_t *extents, int rank)
{
    size_t volume = 1;
    for (int dimension = 0; dimension < rank; dimension++) {
        const size_t extent = extents[dimension] > 0 ? (size_t)extents[dimension] : 0;
        if (extent != 0 && volume > SIZE_MAX / extent)
            return SIZE_MAX;
        volume *= extent;
    }
    return volume;
}

/* One of two numbers that are equal: both zeros are -0 if one is, or only if both are. */
static inline double equal_or(double a, double b)
{
    uint64_t bits, other;
    memcpy(&bits, &a, sizeof bits);
    memcpy(&other, &b, sizeof other);
    bits |= other;
    memcpy(&a, &bits, sizeof a);
    return a;
}

static inline double equal_and(double a, double b)
{
    uint64_t bits, other;
    memcpy(&bits, &a, sizeof bits);
    memcpy(&other, &b, sizeof other);
    bits &= other;
    memcpy(&a, &bits, sizeof a);
    return a;
}

static inline double smaller(double a, double b)
{
    const double either = a == b ? equal_or(a, b) : (double)NAN;
    const double first = a < b ? a : either;
    return b < a ? b : first;
}

static inline double larger(double a, double b)
{
    const double either = a == b ? equal_and(a, b) : (double)NAN;
    const double first = a > b ? a : either;
    return b > a ? b : first;
}

/* The same two where one element waits for another: the usual case without detours, the others apart. */
#if defined(__GNUC__)
#define APART __attribute__((noinline, cold, unused))
#define SELDOM(what) __builtin_expect(what, 0)
#else
#define APART
#define SELDOM(what) (what)
#endif

static APART double smaller_apart(double a, double b)
{
    return smaller(a, b);
}

static APART double larger_apart(double a, double b)
{
    return larger(a, b);
}

/* Whether two results that should be one are: not for a zero of either sign, or what is not a number. */
static inline bool is_same(double a, double b)
{
    uint64_t bits, other;
    memcpy(&bits, &a, sizeof bits);
    memcpy(&other, &b, sizeof other);
    return bits == other;
}

static inline double smaller_in_line(double a, double b)
{
    const double found = a < b ? a : b, other = b < a ? b : a;
    return SELDOM(!is_same(found, other)) ? smaller_apart(a, b) : found;
}

static inline double larger_in_line(double a, double b)
{
    const double found = a > b ? a : b, other = b > a ? b : a;
    return SELDOM(!is_same(found, other)) ? larger_apart(a, b) : found;
}

static inline double choose(bool is_first, double a, double b)
{
    return is_first ? a : b;
}

/* By two choices, for which processors need no jump. */
static inline double choose_equal(double x, double y, double a, double b)
{
    return choose(x <= y, choose(x >= y, a, b), b);
}

/* -1, 0 or 1; what is not a number stays so. */
static inline double sign_of(double value)
{
    return value > 0.0 ? 1.0 : value < 0.0 ? -1.0 : fabs(value);
}

static inline double select_of(double choice, double a, double b)
{
    return choice == 0.0 ? b : a;
}

#endif
