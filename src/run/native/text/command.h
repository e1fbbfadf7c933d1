/* The command line of a kernel: sizes, files of arrays, threads. */
#ifndef COMMAND_H
#define COMMAND_H

#include <errno.h>

#include "npy.h"

/* A size, and where its value goes. */
struct size_flag {
    const char *name;
    int64_t *value;
    bool is_given;
};

/* An array, and the file that it is read from or written to. */
struct array_flag {
    const char *name;
    bool is_output;
    int rank;
    int64_t shape[BOX_RANK];
    size_t count;
    const char *path;
    double *values;
};

struct command {
    const char *name;
    struct size_flag *sizes;
    int size_count;
    struct array_flag *arrays;
    int array_count;
    /* 0 where its workers are ranks. */
    int threads;
};

static inline int complain(const char *what, const char *word)
{
    fprintf(stderr, "error: %s `%s`\n", what, word);
    return 2;
}

static inline bool read_whole(const char *text, size_t length, long long *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return errno == 0 && length > 0 && end == text + length;
}

/* `N=8,M=4` */
static inline int read_sizes(struct command *command, const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, ",");
        const char *is = memchr(text, '=', length);
        struct size_flag *found = NULL;
        for (int number = 0; is && number < command->size_count; number++)
            if (strlen(command->sizes[number].name) == (size_t)(is - text)
                && strncmp(command->sizes[number].name, text, (size_t)(is - text)) == 0)
                found = &command->sizes[number];
        long long value;
        if (!found || !read_whole(is + 1, length - (size_t)(is + 1 - text), &value))
            return complain("there is no such size, or no such value:", text);
        *found->value = value;
        found->is_given = true;
        text += length + (text[length] == ',' ? 1 : 0);
    }
    return 0;
}

/* `A=a.npy` */
static inline int read_path(struct command *command, const char *text, bool is_output)
{
    const char *is = strchr(text, '=');
    for (int number = 0; is && number < command->array_count; number++) {
        struct array_flag *array = &command->arrays[number];
        if (array->is_output == is_output && strlen(array->name) == (size_t)(is - text)
            && strncmp(array->name, text, (size_t)(is - text)) == 0) {
            array->path = is + 1;
            return 0;
        }
    }
    return complain(is_output ? "there is no such output:" : "there is no such input:", text);
}

static inline int read_flag(struct command *command, const char *flag, const char *value)
{
    if (!value)
        return complain("nothing stands behind", flag);
    if (strcmp(flag, "--size") == 0)
        return read_sizes(command, value);
    if (strcmp(flag, "--input") == 0 || strcmp(flag, "--output") == 0)
        return read_path(command, value, flag[2] == 'o');
    long long threads = 0;
    if (strcmp(flag, "--threads") != 0 || command->threads == 0)
        return complain("there is no flag", flag);
    if (!read_whole(value, strlen(value), &threads) || threads < 1 || threads > 4096)
        return complain("there is no such number of threads:", value);
    command->threads = (int)threads;
    return 0;
}

/* Reads all flags; 0 where all is well. */
static inline int read_command(struct command *command, int argc, char **argv)
{
    for (int at = 1; at < argc; at += 2) {
        const int code = read_flag(command, argv[at], at + 1 < argc ? argv[at + 1] : NULL);
        if (code != 0) {
            fprintf(stderr, "usage: %s --size N=8,.. --input X=X.npy .. --output Y=Y.npy ..%s\n", command->name,
                    command->threads > 0 ? " [--threads 1]" : "");
            return code;
        }
    }
    for (int number = 0; number < command->size_count; number++)
        if (!command->sizes[number].is_given)
            return complain("there is no --size", command->sizes[number].name);
    for (int number = 0; number < command->array_count; number++)
        if (!command->arrays[number].is_output && !command->arrays[number].path)
            return complain("there is no --input", command->arrays[number].name);
    return 0;
}

/* Memory for all arrays, and what the inputs' files hold. */
static inline int read_arrays(struct command *command)
{
    for (int number = 0; number < command->array_count; number++) {
        struct array_flag *array = &command->arrays[number];
        array->count = 1;
        for (int dimension = 0; dimension < array->rank; dimension++)
            array->count *= (size_t)array->shape[dimension];
        array->values = calloc(array->count + 1, sizeof(double));
        if (!array->values)
            return complain("there is no memory for", array->name);
        if (!array->is_output && !npy_read(array->path, array->shape, array->rank, array->values, array->count))
            return 1;
    }
    return 0;
}

static inline int write_arrays(const struct command *command)
{
    for (int number = 0; number < command->array_count; number++) {
        const struct array_flag *array = &command->arrays[number];
        if (array->is_output && array->path
            && !npy_write(array->path, array->shape, array->rank, array->values, array->count))
            return 1;
    }
    return 0;
}

static inline void free_arrays(struct command *command)
{
    for (int number = 0; number < command->array_count; number++)
        free(command->arrays[number].values);
}

#endif
