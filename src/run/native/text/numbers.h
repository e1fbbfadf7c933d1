/* What a register holds and a channel carries: a number. */
#ifndef WORDS_H
#define WORDS_H

#include "scalar.h"

typedef double word;

#define NO_WORD 0.0

/* Another holder of the same word. */
static inline word word_share(word value)
{
    return value;
}

static inline void word_drop(word value)
{
    (void)value;
}

/* Puts a word into a register, in the place of what was there. */
static inline void word_set(word *held, word value)
{
    *held = value;
}

/* How many bytes of a message a word is. */
static inline size_t word_length(word value)
{
    return sizeof value;
}

static inline void word_pack(word value, unsigned char *bytes)
{
    memcpy(bytes, &value, sizeof value);
}

/* The word of a message; whether there was memory. */
static inline bool word_unpack(const unsigned char *bytes, word *value)
{
    memcpy(value, bytes, sizeof *value);
    return true;
}

#endif
