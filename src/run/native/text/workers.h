/* The workers of a run: threads, each of which goes on with its PEs until all of these have ended.
 *
 * A PE goes on until it has to wait. A worker that could go on with none of its PEs sleeps until another worker
 * has news. When all workers that have PEs left sleep, and none has had news since each of them looked at its
 * PEs last, no PE can go on: that is a deadlock, and ends the run. It cannot happen in a program whose proofs
 * hold. */
#ifndef WORKERS_H
#define WORKERS_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifdef SYSTOLE_WATCHDOG
#include <stdio.h>
#endif

#include "pes.h"

/* How a run ended: what the function of a kernel returns. */
enum status { IS_WELL, BAD_ARGUMENT, BAD_SIZE, NO_MEMORY, NO_THREAD, DEADLOCK };

/* What the workers of a run share. */
struct crew {
    struct run *run;
    atomic_int status;
    /* How often some worker has told the others that its PEs went on. */
    atomic_ulong news;
    /* Workers that sleep since the last news. */
    atomic_int asleep;
    /* Workers that have PEs left. */
    int active;
    int workers;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

struct worker {
    struct crew *crew;
    struct pe **pes;
    size_t left;
    pthread_t thread;
};

/* A worker looks so often for something to do before it sleeps. */
enum { PATIENCE = 64 };

static inline void crew_stop(struct crew *crew, int status)
{
    pthread_mutex_lock(&crew->lock);
    if (atomic_load(&crew->status) == IS_WELL)
        atomic_store(&crew->status, status);
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
}

/* Wakes all who sleep; the lock is held. */
static inline void crew_wake(struct crew *crew)
{
    atomic_fetch_add(&crew->news, 1);
    atomic_store(&crew->asleep, 0);
    pthread_cond_broadcast(&crew->changed);
}

static inline void crew_tell(struct crew *crew, int leaves)
{
    pthread_mutex_lock(&crew->lock);
    crew->active -= leaves;
    crew_wake(crew);
    pthread_mutex_unlock(&crew->lock);
}

/* Sleeps until there is news after `seen`, or the run ends. */
static inline void crew_rest(struct crew *crew, unsigned long seen, bool has_news)
{
    pthread_mutex_lock(&crew->lock);
    const bool is_late = atomic_load(&crew->news) != seen;
    if (has_news)
        crew_wake(crew);
    seen = atomic_load(&crew->news);
    if (!is_late && atomic_fetch_add(&crew->asleep, 1) + 1 == crew->active) {
        int well = IS_WELL;
        atomic_compare_exchange_strong(&crew->status, &well, DEADLOCK);
        pthread_cond_broadcast(&crew->changed);
    }
    while (!is_late && atomic_load(&crew->news) == seen && atomic_load(&crew->status) == IS_WELL)
        pthread_cond_wait(&crew->changed, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}

/* Goes on with each PE of a worker once; whether some of them did something. */
static inline bool worker_sweep(struct worker *worker, bool is_backward)
{
    struct run *run = worker->crew->run;
    bool has_moved = false;
    for (size_t number = 0; number < worker->left; number++) {
        struct pe **place = &worker->pes[is_backward ? worker->left - 1 - number : number];
        struct pe *pe = *place;
        pe->has_moved = false;
        const enum progress progress = pe->class->resume(run, pe);
        has_moved = has_moved || pe->has_moved || progress == ENDED;
        if (progress == FAILED)
            crew_stop(worker->crew, NO_MEMORY);
        if (progress == ENDED) {
            pe_free(run, pe);
            *place = NULL;
        }
    }
    size_t left = 0;
    for (size_t number = 0; number < worker->left; number++)
        if (worker->pes[number])
            worker->pes[left++] = worker->pes[number];
    for (size_t number = left; number < worker->left; number++)
        worker->pes[number] = NULL;
    worker->left = left;
    return has_moved;
}

static inline void *worker_main(void *argument)
{
    struct worker *worker = argument;
    struct crew *crew = worker->crew;
    bool has_news = false;
    bool is_backward = false;
    int idle = 0;
    while (worker->left > 0 && atomic_load(&crew->status) == IS_WELL) {
        const unsigned long seen = atomic_load(&crew->news);
        if (worker_sweep(worker, is_backward)) {
            idle = 0;
            has_news = atomic_load(&crew->asleep) == 0;
            if (!has_news)
                crew_tell(crew, 0);
        } else if (idle < PATIENCE && crew->workers > 1) {
            idle++;
            sched_yield();
        } else {
            crew_rest(crew, seen, has_news);
            has_news = false;
            idle = 0;
        }
        is_backward = !is_backward;
    }
    crew_tell(crew, 1);
    return NULL;
}

#ifdef SYSTOLE_WATCHDOG
/* Says who waits for what. */
static inline void name_waits(const struct pes *pes)
{
    size_t shown = 0, waiting = 0;
    for (size_t number = 0; number < pes->count; number++) {
        const struct pe *pe = pes->each[number];
        if (!pe)
            continue;
        waiting++;
        if (shown++ >= 16)
            continue;
        fprintf(stderr, "PE (");
        for (int axis = 0; axis < GRID_RANK; axis++)
            fprintf(stderr, "%s%lld", axis == 0 ? "" : ", ", (long long)pe->point[axis]);
        fprintf(stderr, ") of class %s waits: %s\n", pe->class->name, pe->class->waits[pe->at]);
    }
    fprintf(stderr, "deadlock: %zu PEs wait, and nobody can go on\n", waiting);
}
#endif

/* Whose a PE is: `together` neighbours at a time go to one worker after the other; 0 stands for as many as there are
 * for each. */
static inline size_t worker_of(size_t number, size_t count, size_t workers, size_t together)
{
    if (together > 0)
        return number / together % workers;
    const size_t most = count / workers + (count % workers > 0 ? 1 : 0), of_most = count - (most - 1) * workers;
    return number < most * of_most ? number / most : of_most + (number - most * of_most) / (most - 1);
}

/* Sorts PEs by their workers, and says where those of each are; whether there was memory. */
static inline bool divide(struct pes *pes, struct worker *each, size_t workers, size_t together)
{
    struct pe **sorted = calloc(pes->count + 1, sizeof *sorted);
    if (!sorted)
        return false;
    size_t next = 0;
    for (size_t worker = 0; worker < workers; worker++) {
        each[worker].pes = sorted + next;
        for (size_t number = 0; number < pes->count; number++)
            if (worker_of(number, pes->count, workers, together) == worker)
                sorted[next++] = pes->each[number];
        each[worker].left = (size_t)(sorted + next - each[worker].pes);
    }
    free(pes->each);
    pes->each = sorted;
    return true;
}

/* Has all workers run, the first of them here, and returns how that ended. */
static inline int crew_start(struct crew *crew, struct worker *each)
{
    int started = 1;
    for (int number = 0; number < crew->workers; number++)
        each[number].crew = crew;
    while (started < crew->workers && pthread_create(&each[started].thread, NULL, worker_main, &each[started]) == 0)
        started++;
    if (started < crew->workers)
        crew_stop(crew, NO_THREAD);
    worker_main(&each[0]);
    for (int number = 1; number < started; number++)
        pthread_join(each[number].thread, NULL);
    return atomic_load(&crew->status);
}

/* Divides PEs among so many threads and has all of them run. What has ended is taken out. */
static inline int crew_run(struct run *run, struct pes *pes, int threads, size_t together)
{
    const int workers = (size_t)threads < pes->count ? threads : pes->count > 0 ? (int)pes->count : 1;
    struct crew crew = {.run = run, .active = workers, .workers = workers};
    atomic_init(&crew.status, IS_WELL);
    atomic_init(&crew.news, 0);
    atomic_init(&crew.asleep, 0);
    struct worker *each = calloc((size_t)workers, sizeof *each);
    if (!each || !divide(pes, each, (size_t)workers, together)) {
        free(each);
        return NO_MEMORY;
    }
    int status = NO_THREAD;
    if (pthread_mutex_init(&crew.lock, NULL) == 0) {
        if (pthread_cond_init(&crew.changed, NULL) == 0) {
            status = crew_start(&crew, each);
            pthread_cond_destroy(&crew.changed);
        }
        pthread_mutex_destroy(&crew.lock);
    }
    free(each);
#ifdef SYSTOLE_WATCHDOG
    if (status == DEADLOCK)
        name_waits(pes);
#endif
    return status;
}

#endif
