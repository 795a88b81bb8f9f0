/* profile.h: times of constructs over all ranks (trace -> stats).
 *
 * Blocks end where the clock is read: at functions, MPI calls and user regions. A block counts for the last place
 * before its end, so the blocks of a rank add up to its run time. But it may have begun before that place. Therefore
 * loops and branches have times of their own, which a walk through the run finds (span_times.h). */
#ifndef REFRAIN_PROFILE_H
#define REFRAIN_PROFILE_H

#include "analysis/span_times.h"
#include "model/metric_totals.h"

/* A call site of MPI, or of the C library for files, over the ranks and threads that have it. */
struct refrain_profile_call_site {
    const struct refrain_region_info *region;
    uint32_t node; /* it was made from */
    uint64_t calls;
    long double ns;
    struct refrain_metric_totals metrics; /* of these blocks */
};

struct refrain_profile_node {
    uint64_t visits;          /* FUNCTION: calls; loop: iterations; else how often control reached it */
    uint64_t entries;         /* loop: how often it began; decision: how often it was true */
    long double inclusive_ns; /* FUNCTION: from entry to exit, including callees; each level of a recursion counts.
                                 Includes elsewhere_ns */
    long double elsewhere_ns; /* FUNCTION: time of threads that are in it without having called it, such as those of
                                 OpenMP in its parallel regions; without callees */
    long double own_ns;       /* blocks that ended here */
    long double own_total_ns; /* including nodes inside */
    long double mpi_ns;       /* in MPI calls made from here */
    long double mpi_total_ns; /* including nodes inside */
    long double files_ns, files_total_ns; /* the same of calls of the C library for files */
    struct refrain_metric_totals metrics; /* of own_total_ns, mpi_total_ns and files_total_ns together */
    uint32_t throttled_ranks; /* ranks on which its probe was throttled at some time: counts are lower bounds */
    int32_t throttled_rank;   /* the latest of these */
};

/* A translation unit. Equal tables on several ranks are one unit. */
struct refrain_profile_unit {
    const struct refrain_unit_view *view;
    struct refrain_profile_node *nodes; /* view->record->n_nodes entries */
    struct refrain_span_times *spans;   /* twice as many (span_times.h); null: not requested */
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
    struct refrain_profile_unit outside; /* call sites outside of instrumented places; no nodes */
    uint32_t n_ranks;                    /* that are included */
    long double run_ns;                  /* of all threads together */
    long double outside_ns;              /* before, between and after instrumented functions */
    long double mpi_ns;
    long double files_ns; /* in calls of the C library for files */
    long double functions_ns;
    const char *const *metric_names; /* those of the trace */
    size_t n_metrics;
    struct refrain_metric_totals metrics, outside_metrics; /* of all blocks; of those of outside_ns */
};

/* Adds up all ranks, or only rank `rank` if that is >= 0. With `spans`, walks through the run for times of loops and
 * branches. The caller closes the profile. */
enum refrain_status refrain_profile_open(const struct refrain_trace *trace, int32_t rank, bool spans,
                                         struct refrain_profile_total *total, struct refrain_error *error);
void refrain_profile_close(struct refrain_profile_total *total);

#endif
