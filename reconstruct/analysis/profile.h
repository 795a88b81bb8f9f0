/* profile.h: where the time went, per construct over all ranks (trace -> stats).
 *
 * Blocks end where the clock is read: at functions, MPI calls and user regions. A block belongs to the last place that
 * was passed before its end, so that the blocks of a rank add up to its run time. It may have begun before that place.
 * So loops and branches have times of their own, which a walk through the run finds (span_times.h). */
#ifndef REFRAIN_PROFILE_H
#define REFRAIN_PROFILE_H

#include "analysis/span_times.h"
#include "model/metric_totals.h"

/* An MPI call site, over the ranks and threads that have it. */
struct refrain_profile_call_site {
    const struct refrain_region_info *region;
    uint32_t node; /* it was made from */
    uint64_t calls;
    long double mpi_ns;
    struct refrain_metric_totals metrics; /* of these blocks */
};

struct refrain_profile_node {
    uint64_t visits;          /* FUNCTION: calls; loop: iterations; else times control came there */
    uint64_t entries;         /* loop: times it was begun; decision: times it held */
    long double inclusive_ns; /* FUNCTION: from entry to exit, callees included; of recursion, each level counts. And
                                 elsewhere_ns */
    long double elsewhere_ns; /* FUNCTION: what threads that did not call it spent in it, such as those of OpenMP in its
                                 parallel regions; without what they called there */
    long double own_ns;       /* blocks that ended from here */
    long double own_total_ns; /* with the nodes inside */
    long double mpi_ns;       /* in MPI calls made from here */
    long double mpi_total_ns; /* with the nodes inside */
    struct refrain_metric_totals metrics; /* of own_total_ns and mpi_total_ns together */
    uint32_t throttled_ranks; /* on so many its probe was dormant at some time: the counts are the least there were */
    int32_t throttled_rank;   /* the latest of these */
};

/* A translation unit: the same tables on several ranks are one. */
struct refrain_profile_unit {
    const struct refrain_unit_view *view;
    struct refrain_profile_node *nodes; /* view->record->n_nodes */
    struct refrain_span_times *spans;   /* twice as many (span_times.h); null: not asked for */
    struct refrain_profile_call_site *call_sites;
    size_t n_call_sites, capacity_call_sites;
};

struct refrain_profile_region {
    const struct refrain_region_info *region;
    uint64_t visits;
    long double own_ns;
    struct refrain_metric_totals metrics; /* of these blocks */
};

struct refrain_profile_total {
    struct refrain_profile_unit *units;
    size_t n_units;
    struct refrain_profile_region *regions; /* user regions */
    size_t n_regions;
    struct refrain_profile_unit outside; /* call sites of calls made from no instrumented place; no nodes */
    uint32_t n_ranks;                    /* added up */
    long double run_ns;                  /* of all threads together */
    long double outside_ns;              /* before, between and after instrumented functions */
    long double mpi_ns;
    long double functions_ns;
    const char *const *metric_names; /* the trace's */
    size_t n_metrics;
    struct refrain_metric_totals metrics, outside_metrics; /* of all blocks, and of those of outside_ns */
};

/* Adds up the ranks (`rank` >= 0: that one alone). With `spans` it walks through the run, for times of loops and
 * branches. The caller closes. */
enum refrain_status refrain_profile_open(const struct refrain_trace *trace, int32_t rank, bool spans,
                                         struct refrain_profile_total *total, struct refrain_error *error);
void refrain_profile_close(struct refrain_profile_total *total);

#endif
