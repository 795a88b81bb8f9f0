/* info_many.h: what refrain info counts of all ranks together: the least and the greatest of each number, and which
 * ranks are exceptions (trace -> info_summary.c, info_many_text.c). */
#ifndef REFRAIN_INFO_MANY_H
#define REFRAIN_INFO_MANY_H

#include "commands/info_learned.h"

/* What is a number of each rank. */
enum refrain_info_number {
    REFRAIN_INFO_END_NS,
    REFRAIN_INFO_MEMORY,
    REFRAIN_INFO_MOST_MEMORY,
    REFRAIN_INFO_TREE,
    REFRAIN_INFO_PLACE_BYTES,
    REFRAIN_INFO_FILE,
    REFRAIN_INFO_THREADS,
    REFRAIN_INFO_MOST_THREADS,
    REFRAIN_INFO_UNITS,
    REFRAIN_INFO_PLACES,
    REFRAIN_INFO_CALL_SITES,
    REFRAIN_INFO_COMMUNICATORS,
    REFRAIN_INFO_RUN_NS,
    REFRAIN_INFO_BLOCKS_NS,
    REFRAIN_INFO_BLOCKS,
    REFRAIN_INFO_SINGLE,
    REFRAIN_INFO_NUMBERS
};

/* What only some ranks may have. */
enum refrain_info_exception {
    REFRAIN_INFO_UNFINISHED,
    REFRAIN_INFO_ABORTED,
    REFRAIN_INFO_WITH_MPI, /* traced to MPI_Finalize */
    REFRAIN_INFO_UNKNOWN,  /* without a rank */
    REFRAIN_INFO_CLOCK,
    REFRAIN_INFO_UNEVEN_CLOCK,
    REFRAIN_INFO_BACKWARDS, /* clock reads */
    REFRAIN_INFO_ORDER_REFUSED,
    REFRAIN_INFO_ORDERED, /* receives */
    REFRAIN_INFO_HELD,
    REFRAIN_INFO_GIVEN_UP_HOLDING,
    REFRAIN_INFO_MEANS, /* no times of single blocks */
    REFRAIN_INFO_STOPPED,
    REFRAIN_INFO_GIVEN_UP,
    REFRAIN_INFO_CODE,
    REFRAIN_INFO_THROTTLED,
    REFRAIN_INFO_LIGHT,
    REFRAIN_INFO_PAUSED,
    REFRAIN_INFO_FILTERED,
    REFRAIN_INFO_LOST, /* and one for each kind of loss */
    REFRAIN_INFO_EXCEPTIONS = REFRAIN_INFO_LOST + REFRAIN_LOSSES
};

struct refrain_info_range {
    long double least, most;
    int32_t least_rank, most_rank;
};

struct refrain_info_exceptions {
    int32_t *ranks;
    size_t n;
    uint64_t total; /* of what they have */
};

struct refrain_info_many {
    size_t n;
    struct refrain_info_range range[REFRAIN_INFO_NUMBERS];
    struct refrain_info_exceptions exception[REFRAIN_INFO_EXCEPTIONS];
    uint64_t by_state[REFRAIN_LEARNER_STATES], learners, values, kept;
    long double blocks, single, quantum_ns; /* of blocks, those with a time of their own, to within how much at most */
    const char *host;                       /* of the first rank */
    size_t other_hosts;
    bool packed;
};

/* Looks at all ranks. The caller frees what it has found, also where it fails. */
enum refrain_status refrain_info_many_count(struct refrain_info_many *many, const struct refrain_trace *trace,
                                            struct refrain_error *error);
void refrain_info_many_free(struct refrain_info_many *many);

/* ---- info_many_text.c ---- */

/* A line for each kind of exception that there is, with the ranks that have it, and what was lost; each line begins
 * with `indent` spaces and what it is about, in `width` columns. False without memory. */
bool refrain_info_print_exceptions(const struct refrain_info_many *many, int indent, int width);

/* What the ranks have in common and which are exceptions, in full. */
enum refrain_status refrain_info_print_many(const struct refrain_trace *trace, struct refrain_error *error);

/* ---- info_summary.c ---- */

/* The run in some ten lines; more where something was lost or left out. */
enum refrain_status refrain_info_print_summary(const struct refrain_trace *trace, struct refrain_error *error);

#endif
