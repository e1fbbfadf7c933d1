/* Buses: a word that is driven with a tag stays there for every PE of the line that asks for the tag.
 *
 * A bus is a table. Its keys are the point that stands for a line, and the tag. It is divided, so that threads
 * seldom meet at one lock. */
#ifndef BUSES_H
#define BUSES_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "pes.h"

enum { DIVISIONS = 64 };

/* A word that was driven. */
struct drive {
    struct drive *next;
    /* Among those that other ranks do not know yet. */
    struct drive *fresh;
    word value;
    int64_t key[];
};

struct division {
    pthread_mutex_t lock;
    struct drive **chains;
    /* A power of two, or 0. */
    size_t room;
    size_t count;
};

struct bus {
    size_t key_length;
    struct division *divisions;
    int ready;
    /* Whether what is driven is kept for other ranks, and what they do not know yet. */
    bool is_shared;
    struct drive *fresh;
};

static inline bool bus_open(struct bus *bus, size_t key_length)
{
    bus->key_length = key_length;
    bus->ready = 0;
    bus->is_shared = false;
    bus->fresh = NULL;
    bus->divisions = calloc(DIVISIONS, sizeof *bus->divisions);
    while (bus->divisions && bus->ready < DIVISIONS && pthread_mutex_init(&bus->divisions[bus->ready].lock, NULL) == 0)
        bus->ready++;
    return bus->ready == DIVISIONS;
}

static inline void bus_close(struct bus *bus)
{
    for (int number = 0; number < bus->ready; number++) {
        struct division *division = &bus->divisions[number];
        for (size_t chain = 0; chain < division->room; chain++) {
            for (struct drive *drive = division->chains[chain], *next; drive; drive = next) {
                next = drive->next;
                word_drop(drive->value);
                free(drive);
            }
        }
        free(division->chains);
        pthread_mutex_destroy(&division->lock);
    }
    free(bus->divisions);
}

static inline uint64_t bus_hash(const int64_t *key, size_t length)
{
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);
    for (size_t entry = 0; entry < length; entry++) {
        hash = (hash ^ (uint64_t)key[entry]) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    return hash;
}

static inline struct drive **bus_chain(struct division *division, uint64_t hash)
{
    return &division->chains[(hash / DIVISIONS) & (division->room - 1)];
}

/* Makes room for one more; whether there was memory. */
static inline bool division_grow(struct division *division, size_t key_length)
{
    if (division->count < division->room)
        return true;
    struct division grown = *division;
    grown.room = division->room == 0 ? 16 : 2 * division->room;
    grown.chains = calloc(grown.room, sizeof *grown.chains);
    if (!grown.chains)
        return false;
    for (size_t chain = 0; chain < division->room; chain++) {
        for (struct drive *drive = division->chains[chain], *next; drive; drive = next) {
            next = drive->next;
            struct drive **place = bus_chain(&grown, bus_hash(drive->key, key_length));
            drive->next = *place;
            *place = drive;
        }
    }
    free(division->chains);
    division->chains = grown.chains;
    division->room = grown.room;
    return true;
}

/* Puts a word into the table; whether there was memory. */
static inline bool bus_put(struct bus *bus, const int64_t *key, word value, bool is_fresh)
{
    const uint64_t hash = bus_hash(key, bus->key_length);
    struct division *division = &bus->divisions[hash % DIVISIONS];
    struct drive *drive = malloc(sizeof *drive + bus->key_length * sizeof *key);
    if (!drive)
        return false;
    memcpy(drive->key, key, bus->key_length * sizeof *key);
    pthread_mutex_lock(&division->lock);
    const bool has_room = division_grow(division, bus->key_length);
    if (has_room) {
        struct drive **place = bus_chain(division, hash);
        drive->value = word_share(value);
        drive->next = *place;
        *place = drive;
        division->count++;
        drive->fresh = is_fresh ? bus->fresh : NULL;
        if (is_fresh)
            bus->fresh = drive;
    }
    pthread_mutex_unlock(&division->lock);
    if (!has_room)
        free(drive);
    return has_room;
}

/* Puts a word on a bus; whether there was memory. */
static inline bool bus_drive(struct pe *pe, struct bus *bus, const int64_t *key, word value)
{
    pe->has_moved = true;
    return bus_put(bus, key, value, bus->is_shared);
}

/* Whether the word with this key was driven. */
static inline bool bus_listen(struct pe *pe, struct bus *bus, const int64_t *key, word *held)
{
    const uint64_t hash = bus_hash(key, bus->key_length);
    struct division *division = &bus->divisions[hash % DIVISIONS];
    pthread_mutex_lock(&division->lock);
    struct drive *drive = division->room > 0 ? *bus_chain(division, hash) : NULL;
    while (drive && memcmp(drive->key, key, bus->key_length * sizeof *key) != 0)
        drive = drive->next;
    if (drive)
        word_set(held, word_share(drive->value));
    pthread_mutex_unlock(&division->lock);
    if (drive)
        pe->has_moved = true;
    return drive != NULL;
}

#endif
