/* What a register holds and a channel carries: a number. */
#ifndef WORDS_H
#define WORDS_H

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

#endif
