/* Arrays of double precision in files of NumPy. */
#ifndef NPY_H
#define NPY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No header of a file is longer. */
enum { LONGEST_HEADER = 4096 };

static inline bool npy_fails(const char *path, const char *why)
{
    fprintf(stderr, "error: `%s`: %s\n", path, why);
    return false;
}

/* Reads the magic bytes and the text of the header. */
static inline bool npy_read_header(FILE *file, char *text)
{
    unsigned char start[12];
    if (fread(start, 1, 10, file) != 10 || memcmp(start, "\x93NUMPY", 6) != 0)
        return false;
    size_t length = start[8] + 256u * start[9];
    if (start[6] >= 2) {
        if (fread(start + 10, 1, 2, file) != 2)
            return false;
        length += 65536u * start[10] + 16777216u * start[11];
    }
    if (length >= LONGEST_HEADER || fread(text, 1, length, file) != length)
        return false;
    text[length] = '\0';
    return true;
}

/* Whether a header says that the shape is this one. */
static inline bool npy_has_shape(const char *text, const int64_t *shape, int rank)
{
    const char *at = strstr(text, "'shape':");
    at = at ? strchr(at, '(') : NULL;
    if (!at++)
        return false;
    for (int dimension = 0; dimension < rank; dimension++) {
        char *end;
        if (strtoll(at, &end, 10) != shape[dimension] || end == at)
            return false;
        at = end + strspn(end, "L, ");
    }
    return *at == ')';
}

/* Reads an array of this shape. */
static inline bool npy_read(const char *path, const int64_t *shape, int rank, double *values, size_t count)
{
    char text[LONGEST_HEADER];
    FILE *file = fopen(path, "rb");
    if (!file)
        return npy_fails(path, "cannot be opened");
    const char *why = NULL;
    if (!npy_read_header(file, text))
        why = "is no array of NumPy";
    else if (!strstr(text, "'<f8'"))
        why = "its elements are not of double precision; save it as float64";
    else if (strstr(text, "'fortran_order': True"))
        why = "it is stored by columns; save it by rows";
    else if (!npy_has_shape(text, shape, rank))
        why = "has another shape than these sizes give it";
    else if (fread(values, sizeof *values, count, file) != count || fgetc(file) != EOF)
        why = "has fewer or more elements than it says";
    fclose(file);
    return why ? npy_fails(path, why) : true;
}

/* Writes an array; where that fails there is no file. */
static inline bool npy_write(const char *path, const int64_t *shape, int rank, const double *values, size_t count)
{
    char text[LONGEST_HEADER];
    size_t length = (size_t)snprintf(text, sizeof text, "{'descr': '<f8', 'fortran_order': False, 'shape': (");
    for (int dimension = 0; dimension < rank; dimension++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%lld,%s", (long long)shape[dimension],
                                   dimension + 1 < rank ? " " : "");
    length += (size_t)snprintf(text + length, sizeof text - length, "), }");
    while ((10 + length + 1) % 64 != 0)
        text[length++] = ' ';
    text[length++] = '\n';
    const unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, length % 256, (unsigned char)(length / 256)};
    FILE *file = fopen(path, "wb");
    if (!file)
        return npy_fails(path, "cannot be written");
    bool is_written = fwrite(start, 1, sizeof start, file) == sizeof start && fwrite(text, 1, length, file) == length
                      && fwrite(values, sizeof *values, count, file) == count;
    is_written = fclose(file) == 0 && is_written;
    if (!is_written)
        remove(path);
    return is_written || npy_fails(path, "cannot be written");
}

#endif
