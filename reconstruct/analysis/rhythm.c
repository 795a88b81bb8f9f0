/* rhythm.c: finds the call or function that repeats in a run (rhythm.h). */
#include "analysis/rhythm.h"

#include <math.h>
#include <stdlib.h>

#define BINS_AN_OCTAVE 4.0
#define FAR_LONGER 2.0   /* times the median */
#define LEAST_SHARE 0.25 /* part of the run that has to repeat */
/* If two beats cover the run to nearly the same part, the one with fewer iterations is the outer loop. */
#define SAME 0.98

struct refrain_rhythm {
    struct refrain_beat **beats; /* by region index */
    size_t n_regions;
};

struct refrain_rhythm *refrain_rhythm_open(size_t n_regions) {
    struct refrain_rhythm *rhythm = calloc(1, sizeof *rhythm);
    if (!rhythm || !(rhythm->beats = calloc(n_regions + 1, sizeof *rhythm->beats))) {
        free(rhythm);
        return NULL;
    }
    rhythm->n_regions = n_regions;
    return rhythm;
}

void refrain_rhythm_reset(struct refrain_rhythm *rhythm) {
    for (size_t i = 0; i < rhythm->n_regions; i++) {
        free(rhythm->beats[i]);
        rhythm->beats[i] = NULL;
    }
}

void refrain_rhythm_close(struct refrain_rhythm *rhythm) {
    if (!rhythm)
        return;
    refrain_rhythm_reset(rhythm);
    free(rhythm->beats);
    free(rhythm);
}

static unsigned bin_of(double ns) {
    double bin = BINS_AN_OCTAVE * log2(ns < 1 ? 1 : ns);
    return bin < REFRAIN_RHYTHM_BINS ? (unsigned)bin : REFRAIN_RHYTHM_BINS - 1;
}

/* The mean of the bin that contains the median. */
static double median_of(const struct refrain_beat *beat) {
    uint64_t below = 0;
    for (unsigned bin = 0; bin < REFRAIN_RHYTHM_BINS; bin++)
        if ((below += beat->bins[bin]) * 2 >= beat->count && beat->bins[bin])
            return beat->bin_ns[bin] / (double)beat->bins[bin];
    return 0;
}

static bool add_interval(struct refrain_beat *beat, int64_t from_ns, int64_t to_ns) {
    int64_t ns = to_ns - from_ns, longest_ns = beat->longest_to_ns - beat->longest_from_ns;
    unsigned bin = bin_of((double)ns);
    beat->count++;
    beat->bins[bin]++;
    beat->bin_ns[bin] += (double)ns;
    if (ns <= longest_ns) {
        beat->second_ns = ns > beat->second_ns ? ns : beat->second_ns;
        return false;
    }
    beat->second_ns = longest_ns;
    beat->longest_from_ns = from_ns;
    beat->longest_to_ns = to_ns;
    beat->longest = beat->count;
    beat->place = NULL;
    return true;
}

struct refrain_beat *refrain_rhythm_enter(struct refrain_rhythm *rhythm, const struct refrain_event *event,
                                          bool *done) {
    if (event->region->index >= rhythm->n_regions)
        return NULL;
    struct refrain_beat **beat = &rhythm->beats[event->region->index];
    if (!*beat) {
        *beat = calloc(1, sizeof **beat);
        *done &= *beat != NULL;
        if (*beat) {
            (*beat)->region = event->region;
            (*beat)->rank = event->rank;
            (*beat)->last_ns = event->time_ns;
        }
        return NULL;
    }
    if (event->rank < (*beat)->rank && (*beat)->count == 0) { /* the lowest of the ranks that come first */
        (*beat)->rank = event->rank;
        (*beat)->last_ns = event->time_ns;
        return NULL;
    }
    if ((*beat)->rank != event->rank)
        return NULL;
    int64_t from_ns = (*beat)->last_ns;
    (*beat)->last_ns = event->time_ns;
    bool longest = add_interval(*beat, from_ns, event->time_ns);
    return longest && (double)(event->time_ns - from_ns) >= FAR_LONGER * median_of(*beat) ? *beat : NULL;
}

static void finish(struct refrain_beat *beat) {
    beat->median_ns = median_of(beat);
    beat->regular_ns = 0;
    for (unsigned bin = 0; bin < REFRAIN_RHYTHM_BINS; bin++) {
        double mean = beat->bins[bin] ? beat->bin_ns[bin] / (double)beat->bins[bin] : 0;
        if (mean >= beat->median_ns / 2 && mean <= beat->median_ns * 2)
            beat->regular_ns += beat->bin_ns[bin];
    }
}

static bool is_better(const struct refrain_beat *beat, const struct refrain_beat *than) {
    if (!than || beat->regular_ns > than->regular_ns / SAME)
        return true;
    return beat->regular_ns >= than->regular_ns * SAME && beat->count < than->count;
}

const struct refrain_beat *refrain_rhythm_beat(struct refrain_rhythm *rhythm, int64_t run_ns) {
    const struct refrain_beat *best = NULL;
    for (size_t i = 0; i < rhythm->n_regions; i++) {
        struct refrain_beat *beat = rhythm->beats[i];
        if (!beat || beat->count < REFRAIN_RHYTHM_LEAST)
            continue;
        finish(beat);
        if (is_better(beat, best))
            best = beat;
    }
    return best && best->regular_ns >= LEAST_SHARE * (double)run_ns ? best : NULL;
}
