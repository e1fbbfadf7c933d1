/* Channels: queues of a proved depth, each with one PE that sends and one that receives, on any two threads.
 *
 * The sender writes a slot before it counts it as sent, the receiver empties it before it counts it as received;
 * so neither needs a lock. */
#ifndef CHANNELS_H
#define CHANNELS_H

#include <stdatomic.h>
#include <stdlib.h>

#include "pes.h"

struct channel {
    word *slots;
    size_t depth;
    /* Of the sender alone. */
    size_t next_sent;
    atomic_size_t sent;
    /* Of the receiver alone. */
    size_t next_received;
    atomic_size_t received;
};

/* The channels of one name: one for each PE of the grid that may send. */
struct channels {
    struct channel *each;
    word *slots;
    size_t count, depth;
};

static inline bool channels_open(struct channels *channels, size_t count, size_t depth)
{
    *channels = (struct channels){NULL, NULL, 0, depth};
    if (count > SIZE_MAX / depth)
        return false;
    channels->each = calloc(count + 1, sizeof *channels->each);
    channels->slots = calloc(count * depth + 1, sizeof *channels->slots);
    if (!channels->each || !channels->slots)
        return false;
    channels->count = count;
    for (size_t number = 0; number < count; number++) {
        channels->each[number].slots = channels->slots + number * depth;
        channels->each[number].depth = depth;
        atomic_init(&channels->each[number].sent, 0);
        atomic_init(&channels->each[number].received, 0);
    }
    return true;
}

static inline void channels_close(struct channels *channels)
{
    for (size_t slot = 0; slot < channels->count * channels->depth; slot++)
        word_drop(channels->slots[slot]);
    free(channels->slots);
    free(channels->each);
}

/* The channel of the PE that lies `offset` before a point; none outside the grid. */
static inline struct channel *channel_at(const struct channels *channels, const struct grid *grid, const int64_t *point,
                                         const int64_t *offset)
{
    const size_t position = grid_position(grid, point, offset);
    return position < channels->count ? &channels->each[position] : NULL;
}

/* Whether there was a free slot. */
static inline bool channel_send(struct pe *pe, struct channel *channel, word value)
{
    const size_t sent = channel ? atomic_load_explicit(&channel->sent, memory_order_relaxed) : 0;
    if (!channel || sent - atomic_load_explicit(&channel->received, memory_order_acquire) == channel->depth)
        return false;
    channel->slots[channel->next_sent] = word_share(value);
    channel->next_sent = channel->next_sent + 1 == channel->depth ? 0 : channel->next_sent + 1;
    atomic_store_explicit(&channel->sent, sent + 1, memory_order_release);
    pe->has_moved = true;
    return true;
}

/* Whether there was a word. */
static inline bool channel_receive(struct pe *pe, struct channel *channel, word *held)
{
    const size_t received = channel ? atomic_load_explicit(&channel->received, memory_order_relaxed) : 0;
    if (!channel || atomic_load_explicit(&channel->sent, memory_order_acquire) == received)
        return false;
    word_set(held, channel->slots[channel->next_received]);
    channel->slots[channel->next_received] = NO_WORD;
    channel->next_received = channel->next_received + 1 == channel->depth ? 0 : channel->next_received + 1;
    atomic_store_explicit(&channel->received, received + 1, memory_order_release);
    pe->has_moved = true;
    return true;
}

#endif
