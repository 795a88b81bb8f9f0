/* pairing.h: the i-th event of one source beside the i-th of another, location by location (sources of event lines ->
 * compare).
 *
 *     source A --> thread --\                      / exactness  \
 *                            > per location: queue > position    > spreads, histograms
 *     source B --> thread --/  of what is ahead    \ block      /
 *
 * Both sources are read at once, and only events whose partner has not come yet are kept. The source that gets far
 * ahead waits, so that memory does not depend on the number of events, unless the two are ahead of each other in
 * different locations. Results do not depend on which thread is faster.
 */
#ifndef REFRAIN_PAIRING_H
#define REFRAIN_PAIRING_H

#include "common/error.h"
#include "common/table.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Spread of values of one kind. */
struct refrain_spread {
    uint64_t n;
    long double mean, squares; /* squares: sum over (value - mean)^2 */
    int64_t least, most;
};

double refrain_spread_sigma(const struct refrain_spread *spread);

/* 2 sqrt(ln 2) sigma (Yan, Jin and Schmidt, section 4.2). */
double refrain_spread_width(const struct refrain_spread *spread);

/* Counts over all locations, in ns around 0. The bins are as wide as necessary, a power of two. */
struct refrain_histogram {
    uint64_t *bins; /* REFRAIN_HISTOGRAM_BINS bins; bin i counts values from (i - half) << shift on */
    unsigned shift;
};
#define REFRAIN_HISTOGRAM_BINS ((size_t)1 << 20)

/* Adds the counts to `n` bins of equal width over three standard deviations on both sides of the mean. The first and
 * the last bin count everything outside, too. */
void refrain_histogram_read(const struct refrain_histogram *histogram, const struct refrain_spread *spread,
                            uint64_t *bins, unsigned n);

/* Absolute differences of times. */
struct refrain_time_error {
    uint64_t n, within_1us;
    int64_t largest_ns;
    long double squares;
};

double refrain_time_error_rms(const struct refrain_time_error *error);

struct refrain_pair_sum {
    uint64_t events[2], equal;
    size_t differing; /* number of locations that differ */
    struct refrain_time_error position_error, block_error;
    int64_t run_ns;                        /* from the first event of A to its last one; of all locations the longest */
    struct refrain_spread position, block; /* ns: time in B minus time in A; the change of that to the next event */
};

/* The number of events that were compared. Events without a partner count as different. */
uint64_t refrain_pair_compared(const struct refrain_pair_sum *sum);

/* A region (function, MPI function, user region): the total time of its visits from entry to exit, with callees, over
 * all locations. */
struct refrain_pair_region {
    char *name;
    uint64_t hash;
    int64_t total_ns; /* in A */
    int64_t more_ns;  /* in B, minus total_ns */
};

struct refrain_pair_location {
    int32_t rank;
    uint32_t thread;
    uint64_t first_difference; /* number of the first event that differs, from 0; valid if sum.differing is not 0 */
    struct refrain_pair_sum sum;
    int64_t last_position; /* private from here on */
    int64_t first_ns;
    struct refrain_pair_queue *ahead;
};

struct refrain_pairing {
    struct refrain_pair_location *locations; /* by rank and thread */
    size_t n, capacity;
    struct refrain_pair_sum total;
    struct refrain_histogram position, block;
    uint64_t approximate[2]; /* by side: events that are marked as approximate */
    uint64_t most_kept;      /* events in all queues at one time, at most */
    struct refrain_pair_region *regions;
    size_t n_regions, capacity_regions;
    struct refrain_table by_hash; /* hash -> number of the region + 1 */
};

/* Reads both sources (event_lines.h) to their ends. The caller frees the pairing, also after an error. */
enum refrain_status refrain_pairing_read(const char *a, const char *b, struct refrain_pairing *pairing,
                                         struct refrain_error *error);
void refrain_pairing_free(struct refrain_pairing *pairing);

#endif
