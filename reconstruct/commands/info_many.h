/* info_many.h: sums up refrain info over all ranks: smallest and largest value of each number, and the ranks that are
 * exceptions (trace -> info_summary.c, info_many_text.c). */
#ifndef REFRAIN_INFO_MANY_H
#define REFRAIN_INFO_MANY_H

#include "commands/info_learned.h"

/* Numbers that each rank has. */
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

/* Facts that hold for some ranks only. */
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
    uint64_t total; /* sum over these ranks, of whatever is counted */
};

struct refrain_info_many {
    size_t n;
    struct refrain_info_range range[REFRAIN_INFO_NUMBERS];
    struct refrain_info_exceptions exception[REFRAIN_INFO_EXCEPTIONS];
    uint64_t by_state[REFRAIN_LEARNER_STATES], learners, values, kept;
    long double blocks, single,
        quantum_ns;   /* blocks; blocks with a time of their own; the coarsest resolution of these times */
    const char *host; /* of the first rank */
    size_t other_hosts;
    bool packed;
};

/* Reads all ranks. The caller frees *many, also after an error. */
enum refrain_status refrain_info_many_count(struct refrain_info_many *many, const struct refrain_trace *trace,
                                            struct refrain_error *error);
void refrain_info_many_free(struct refrain_info_many *many);

/* ---- info_many_text.c ---- */

/* Prints a line for each exception and loss of the run, with the ranks. A line begins with `indent` spaces and a
 * heading of `width` columns. False without memory. */
bool refrain_info_print_exceptions(const struct refrain_info_many *many, int indent, int width);

/* Prints all numbers of the ranks, and all exceptions. */
enum refrain_status refrain_info_print_many(const struct refrain_trace *trace, struct refrain_error *error);

/* ---- info_summary.c ---- */

/* Prints about ten lines about the run, and more if something was lost or left out. */
enum refrain_status refrain_info_print_summary(const struct refrain_trace *trace, struct refrain_error *error);

#endif
