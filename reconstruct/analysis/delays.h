/* delays.h: finds the computation that caused each wait, through chains of ranks that waited themselves (events with
 * their waits, in time order -> report).
 *
 *     rank 0   |== burn() ========|Send|                      burn() is late by d
 *     rank 1   |== work |  waits  d   |== work |Send|         waits d for rank 0: a direct delay
 *     rank 2   |== work ======|  waits          d   |         waits d for rank 1, which waited d itself: indirect
 *
 * When rank r waits for rank c, both are compared over the time since they last met (one waited for the other, or
 * both were in one collective). Activities of which c had more than r made c late: computing, by function and by the
 * next MPI call; time in MPI calls; or waiting, whose causes are then those of the waits in it. This is the delay
 * analysis of Boehme et al., "Identifying the root causes of wait states in large-scale parallel applications" (ACM
 * TOPC 2016), done in one walk forwards: a wait keeps its causes for later waits that follow from it. Each
 * nanosecond of waiting has one cause.
 *
 * Only the first thread of a rank is analysed, from the end of the last MPI_Init to the last begin of MPI_Finalize.
 * A rank that reaches MPI_Finalize before others counts as waiting there for the last one.
 *
 * Memory: REFRAIN_DELAY_SPANS spans of each rank, and a few numbers for each place and rank. If the ranks of a wait
 * met longer ago, the kept spans have to explain it (`cut_ns`). */
#ifndef REFRAIN_DELAYS_H
#define REFRAIN_DELAYS_H

#include "analysis/rhythm.h"
#include "analysis/team_load.h"
#include "analysis/waiting.h"
#include "common/table.h"

#define REFRAIN_DELAY_SPANS 2048u /* of a rank */
#define REFRAIN_DELAY_VICTIMS 4u  /* of a place, those with the longest waits */
#define REFRAIN_DELAY_PATH 6u     /* ranks of a chain that are named */
#define REFRAIN_DELAY_BINS 120u   /* time bins of the run, for the load of ranks */

/* Activities of a rank. */
enum refrain_doing {
    REFRAIN_DOING_COMPUTING,
    REFRAIN_DOING_WAITING,
    REFRAIN_DOING_TRANSMISSION,
    REFRAIN_DOING_MANAGEMENT,
    REFRAIN_DOING_PAUSED,
    REFRAIN_DOINGS
};

/* Waits that a place caused, in one call for one call. */
struct refrain_delay_victim {
    enum refrain_wait_kind kind;
    const struct refrain_region_info *region, *cause; /* the call that waited; the call that it waited for */
    int32_t rank, cause_rank;                         /* of the longest one */
    int64_t ns, longest_ns;
    int64_t direct_ns; /* part of ns in which the late rank did not wait itself */
};

/* Waits that ended at the same time. */
struct refrain_delay_incident {
    int64_t met_ns, begin_ns, end_ns; /* when the ranks had met before; when the first wait began; when they ended */
    int64_t ns;                       /* over all waiting ranks */
    int32_t rank, waiter;             /* the rank that caused them, and one that waited */
    uint32_t n_path;
    int32_t path[REFRAIN_DELAY_PATH]; /* of an indirect wait: the ranks from the first waiter to the awaited one */
};

/* A part of the program: the computation in a function before an MPI call, or an MPI call. */
struct refrain_delay_place {
    uint64_t before, at; /* private: numbers of function and call, and `doing` */
    enum refrain_doing doing;
    const struct refrain_region_info *function; /* of computing: the innermost open function; null: unknown */
    const struct refrain_region_info *call;     /* of computing: the next MPI call, null: none; else the call itself */
    int64_t *spent_ns;                          /* by rank */
    int64_t *caused_ns;                         /* by late rank: waiting that this place caused */
    int64_t *waited_ns;                         /* by waiting rank */
    int64_t *path_ns;                           /* by rank: part of the critical path; set at the end */
    int64_t total_caused_ns;                    /* over all ranks */
    int64_t indirect_ns, indirect_messages_ns;  /* of it, through other ranks; of that, in calls for messages */
    int64_t beside_ns;                          /* of it, while another thread of the waiting rank computed */
    uint64_t n_waits;
    struct refrain_delay_victim victims[REFRAIN_DELAY_VICTIMS]; /* the longest first at the end; ns 0: none */
    struct refrain_delay_incident worst, current;               /* current: private */
    unsigned stamp;                                             /* private */
    uint32_t item;
};

struct refrain_delay_rank {
    bool known;                       /* the rank has a first thread */
    int64_t doing_ns[REFRAIN_DOINGS]; /* in the window */
    int64_t bins_ns[REFRAIN_DELAY_BINS][REFRAIN_DOINGS];
    int64_t begin_ns, end_ns; /* its part of the window */
    int64_t ideal_ns;         /* when it would have ended on an ideal network (ideal.h) */
};

/* The critical path in a bin. */
struct refrain_delay_path_bin {
    int32_t rank;                            /* rank with most of it; -1: the bin is outside of the window */
    const struct refrain_delay_place *place; /* where that rank has most of its part; null: unknown */
    int64_t path_ns, rank_ns, place_ns;      /* of the path; of that rank; of it at that place */
};

struct refrain_delays {
    int64_t from_ns, to_ns;      /* the window */
    bool has_init, has_finalize; /* the window begins with MPI_Init, ends with MPI_Finalize; else with the trace */
    int64_t first_finalize_ns;   /* if has_finalize: the first begin of MPI_Finalize */
    size_t n_ranks, n_known;
    struct refrain_delay_rank *ranks;    /* by rank */
    struct refrain_delay_place **places; /* places with the longest caused waits first; set at the end */
    size_t n_places;
    int64_t waiting_ns;              /* over all ranks */
    int64_t cut_ns;                  /* of it, explained by incomplete spans */
    int64_t unexplained_ns;          /* of it, without a known cause */
    int64_t ideal_end_ns;            /* of the run on an ideal network */
    const struct refrain_beat *beat; /* the call or function that repeats; null: none. Set at the end */
    int64_t bin_ns;                  /* length of bins, which begin at the start of the run */
    size_t n_other_threads;          /* further threads, whose waits are not analysed */
    struct refrain_team_load *team;  /* activities of these; null: there are none */
    int32_t path_rank;               /* the rank that ended last, whose path is the critical path; -1: none */
    struct refrain_delay_path_bin path_bins[REFRAIN_DELAY_BINS]; /* set at the end, with the following: */
    uint64_t path_changes;                                       /* how often the path changes rank */
    int64_t path_unknown_ns;           /* part of the path for which the activity of the rank is unknown */
    int64_t *at_a_time_ns;             /* by number of ranks, 0 to n_known: how long so many computed at a time */
    int64_t *without_ns;               /* ends of the hypothetical runs of refrain_delays_without() */
    struct refrain_delay_parts *parts; /* private */
};

/* Null without memory. The trace must stay open. One thread. */
struct refrain_delays *refrain_delays_open(const struct refrain_trace *trace);

/* Places that users see as one: all places of a function, else a single one. */
struct refrain_delay_group {
    uint64_t before, at;
};
struct refrain_delay_group refrain_delay_group(const struct refrain_delay_place *place);
static inline bool refrain_delay_group_is(struct refrain_delay_group one, struct refrain_delay_group other) {
    return one.before == other.before && one.at == other.at;
}
extern const struct refrain_delay_group refrain_delay_no_group;

/* To be called before the first event: also find when the run would have ended if each of these groups took no time.
 * refrain_delay_no_group: if nothing changed, which shows how exact these results are. Waits then follow from the
 * other times; everything else, including MPI calls, takes the same time. Groups may come from any walk of the
 * trace. False without memory. */
bool refrain_delays_without(struct refrain_delays *delays, const struct refrain_delay_group *groups, size_t n);

/* Processes the next event, with its waits. False without memory. */
bool refrain_delays_event(struct refrain_delays *delays, const struct refrain_event *event);

/* The same, as the `watch` of struct refrain_activity_request. */
static inline bool refrain_delays_watch(void *delays, const struct refrain_event *event) {
    return refrain_delays_event((struct refrain_delays *)delays, event);
}

/* Called after the last event: sets all results of the end. False without memory. */
bool refrain_delays_finish(struct refrain_delays *delays);

/* Null is allowed. */
void refrain_delays_close(struct refrain_delays *delays);

#endif
