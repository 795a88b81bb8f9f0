/* counters.c: adds up the values of each counter and marker (counters.h). */
#include "analysis/counters.h"
#include "common/arena.h"
#include "sequence/sequence.h"
#include <refrain/construct_names.h>

#include <stdlib.h>
#include <string.h>

#define MOST_RUNS 100000000u /* as in profile.c: later runs are not counted */

/* Adds run by run: a counter that grows by one a million times is one run. */
static void add_values(const struct refrain_process *process, const struct refrain_learner *learner,
                       struct refrain_counter *counter) {
    struct refrain_sequence sequence;
    refrain_sequence_open(&sequence, process->image, process->image_bytes, learner);
    for (uint64_t runs = 0; runs < MOST_RUNS && refrain_sequence_advance(&sequence); runs++) {
        uint64_t n = sequence.run;
        int64_t first = sequence.value, last = (int64_t)((uint64_t)first + (uint64_t)sequence.stride * (n - 1));
        sequence.run = 0;
        if (sequence.unknown || n == 0)
            continue;
        int64_t least = first < last ? first : last, most = first < last ? last : first;
        if (counter->values == 0 || least < counter->least)
            counter->least = least;
        if (counter->values == 0 || most > counter->most)
            counter->most = most;
        counter->sum += ((long double)first + (long double)last) / 2 * (long double)n;
        counter->values += n;
    }
    refrain_sequence_close(&sequence);
}

/* The counter with this name, added if it is new. Null without memory. */
static struct refrain_counter *find(struct refrain_counters *counters, const char *name, bool is_marker) {
    for (size_t i = 0; i < counters->n; i++)
        if (counters->counters[i].is_marker == is_marker && strcmp(counters->counters[i].name, name) == 0)
            return &counters->counters[i];
    struct refrain_counter *more = refrain_realloc(counters->counters, (counters->n + 1) * sizeof *more);
    if (!more)
        return NULL;
    counters->counters = more;
    more[counters->n] = (struct refrain_counter){.name = name, .is_marker = is_marker, .last_rank = -1};
    return &more[counters->n++];
}

static bool add_process(const struct refrain_process *process, struct refrain_counters *counters) {
    for (size_t i = 0; i < process->n_user_regions; i++) {
        const struct refrain_region_name *record = process->user_regions[i].record;
        bool is_marker = record->use == REFRAIN_USE_MARKER;
        if (!is_marker && record->use != REFRAIN_USE_COUNTER)
            continue;
        if (strcmp(refrain_process_name(process, record->name), REFRAIN_PTHREAD_NUMBER) == 0)
            continue; /* no counter of the program */
        struct refrain_counter *counter = find(counters, refrain_process_name(process, record->name), is_marker);
        if (!counter)
            return false;
        counter->ranks += counter->last_rank != process->rank;
        counter->last_rank = process->rank;
        counter->times += record->inside.count;
        if (!is_marker)
            add_values(process, &record->inside.next, counter);
    }
    return true;
}

static int by_name(const void *a, const void *b) {
    const struct refrain_counter *x = a, *y = b;
    return x->is_marker != y->is_marker ? x->is_marker - y->is_marker : strcmp(x->name, y->name);
}

enum refrain_status refrain_counters_open(const struct refrain_trace *trace, int32_t rank,
                                          struct refrain_counters *counters, struct refrain_error *error) {
    *counters = (struct refrain_counters){0};
    for (size_t i = 0; i < trace->n_processes; i++)
        if ((rank < 0 || trace->processes[i].rank == rank) && !add_process(&trace->processes[i], counters)) {
            refrain_counters_close(counters);
            return REFRAIN_FAIL_MEMORY(error);
        }
    if (counters->n)
        qsort(counters->counters, counters->n, sizeof *counters->counters, by_name);
    return REFRAIN_OK;
}

void refrain_counters_close(struct refrain_counters *counters) {
    refrain_free(counters->counters);
    *counters = (struct refrain_counters){0};
}
