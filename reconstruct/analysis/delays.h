/* delays.h: which computation each wait began with, followed along chains of ranks that waited themselves (events with
 * their waits, in time order -> report).
 *
 *     rank 0   |== burn() ========|Send|                      burn() is late by d
 *     rank 1   |== work |  waits  d   |== work |Send|         waits d for rank 0: a direct delay
 *     rank 2   |== work ======|  waits          d   |         waits d for rank 1, which waited d itself: an indirect
 * one
 *
 * When rank r waits for rank c, both are compared over the time since they last met (waited for each other, or in one
 * collective). What c had more of than r is why it came late: computing, by function and by the call that it led to;
 * time in MPI calls; or waiting, whose causes are then those of the waits in it. This is the delay analysis of
 * Boehme et al., "Identifying the root causes of wait states in large-scale parallel applications" (ACM TOPC 2016),
 * done forwards in one walk: a wait keeps its causes for those that follow from it. Each nanosecond of waiting has one
 * cause.
 *
 * Only the first thread of a rank is looked at, from the end of the last MPI_Init to the last begin of MPI_Finalize. A
 * rank that comes to MPI_Finalize before others counts as waiting for the last one there.
 *
 * Memory: REFRAIN_DELAY_SPANS spans of each rank, and a few numbers for each place and rank. A wait whose ranks met
 * longer ago is explained by what is kept (`cut_ns`). */
#ifndef REFRAIN_DELAYS_H
#define REFRAIN_DELAYS_H

#include "analysis/rhythm.h"
#include "analysis/team_load.h"
#include "analysis/waiting.h"
#include "common/table.h"

#define REFRAIN_DELAY_SPANS 2048u /* of a rank */
#define REFRAIN_DELAY_VICTIMS 4u  /* of a place, those with the longest waits */
#define REFRAIN_DELAY_PATH 6u     /* ranks of a chain that are named */
#define REFRAIN_DELAY_BINS 120u   /* of the run's time, for the load of ranks */

/* What a rank does at a moment. */
enum refrain_doing {
    REFRAIN_DOING_COMPUTING,
    REFRAIN_DOING_WAITING,
    REFRAIN_DOING_TRANSMISSION,
    REFRAIN_DOING_MANAGEMENT,
    REFRAIN_DOING_PAUSED,
    REFRAIN_DOINGS
};

/* Waits that follow from a place: where, for which call. */
struct refrain_delay_victim {
    enum refrain_wait_kind kind;
    const struct refrain_region_info *region, *cause; /* the call that waited, the call that it waited for */
    int32_t rank, cause_rank;                         /* of the longest one */
    int64_t ns, longest_ns;
    int64_t direct_ns; /* of ns, where the rank that was late did not wait itself */
};

/* Waits that ended at one moment. */
struct refrain_delay_incident {
    int64_t met_ns, begin_ns, end_ns; /* when the ranks had met before, when the first began to wait, until when */
    int64_t ns;                       /* over all that waited */
    int32_t rank, waiter;             /* where it began, and one that waited */
    uint32_t n_path;
    int32_t path[REFRAIN_DELAY_PATH]; /* of an indirect one: the ranks from the first that waited to the one awaited */
};

/* A part of the program: what ranks compute in a function on the way to an MPI call, or an MPI call. */
struct refrain_delay_place {
    uint64_t before, at; /* private: numbers of function and call, and `doing` */
    enum refrain_doing doing;
    const struct refrain_region_info *function; /* of computing: the innermost one that is open; null: none is known */
    const struct refrain_region_info *call;     /* of computing: that it leads to, null: none; else the call itself */
    int64_t *spent_ns;                          /* by rank */
    int64_t *caused_ns;                         /* by rank that was late: the waiting that began here */
    int64_t *waited_ns;                         /* by rank that waited */
    int64_t *path_ns;                           /* by rank: of the critical path; filled at the end */
    int64_t total_caused_ns;                    /* over all ranks; ... */
    int64_t indirect_ns, indirect_messages_ns;  /* ... of it, by way of other ranks; of that, in calls for messages */
    int64_t beside_ns;                          /* of it, while another thread of the rank that waited computed */
    uint64_t n_waits;
    struct refrain_delay_victim victims[REFRAIN_DELAY_VICTIMS]; /* longest first at the end; ns 0: none */
    struct refrain_delay_incident worst, current;               /* current: private */
    unsigned stamp;                                             /* private */
    uint32_t item;
};

struct refrain_delay_rank {
    bool known;                       /* has a first thread */
    int64_t doing_ns[REFRAIN_DOINGS]; /* of the window */
    int64_t bins_ns[REFRAIN_DELAY_BINS][REFRAIN_DOINGS];
    int64_t begin_ns, end_ns; /* its part of the window */
    int64_t ideal_ns;         /* when it would have ended on an ideal network (ideal.h) */
};

/* The critical path in a bin. */
struct refrain_delay_path_bin {
    int32_t rank;                            /* that has most of it; -1: the bin lies outside of the window */
    const struct refrain_delay_place *place; /* where that rank has most of its part; null: it is not known */
    int64_t path_ns, rank_ns, place_ns;      /* of the path, of that rank, of it at that place */
};

struct refrain_delays {
    int64_t from_ns, to_ns;      /* the window */
    bool has_init, has_finalize; /* that the window begins and ends with; else with the trace */
    int64_t first_finalize_ns;   /* where it has_finalize: the first begin of MPI_Finalize */
    size_t n_ranks, n_known;
    struct refrain_delay_rank *ranks;    /* by rank */
    struct refrain_delay_place **places; /* those that cause the longest waits first; filled at the end */
    size_t n_places;
    int64_t waiting_ns;              /* over all ranks */
    int64_t cut_ns;                  /* of it, explained by what was kept only */
    int64_t unexplained_ns;          /* of it, of which no cause was found */
    int64_t ideal_end_ns;            /* of the run on an ideal network */
    const struct refrain_beat *beat; /* what repeats; null: nothing does. Filled at the end */
    int64_t bin_ns;                  /* bins count from the start of the run */
    size_t n_other_threads;          /* whose waiting is not looked at */
    struct refrain_team_load *team;  /* what these do; null: there are none */
    int32_t path_rank;               /* whose path is the critical one: the last that ended; -1: there is none */
    struct refrain_delay_path_bin path_bins[REFRAIN_DELAY_BINS]; /* filled at the end, as are these: */
    uint64_t path_changes;                                       /* how often that path goes from one rank to another */
    int64_t path_unknown_ns;                                     /* of it, of which it is not known what the rank did */
    int64_t *at_a_time_ns;             /* by number of ranks, 0 to n_known: how long so many computed at a time */
    int64_t *without_ns;               /* ends of the run as asked for with refrain_delays_without() */
    struct refrain_delay_parts *parts; /* private */
};

/* Null without memory. The trace has to stay open. One thread. */
struct refrain_delays *refrain_delays_open(const struct refrain_trace *trace);

/* Places that are one to a person: those of a function, else each by itself. */
struct refrain_delay_group {
    uint64_t before, at;
};
struct refrain_delay_group refrain_delay_group(const struct refrain_delay_place *place);
static inline bool refrain_delay_group_is(struct refrain_delay_group one, struct refrain_delay_group other) {
    return one.before == other.before && one.at == other.at;
}
extern const struct refrain_delay_group refrain_delay_no_group;

/* Before the first event: also find out when the run would have ended if these groups had taken no time;
 * refrain_delay_no_group: if all had taken the time that they did, which tells how far such an end is to be trusted.
 * Waits follow from the rest; all else, MPI calls too, takes the time that it took. Groups are those of any walk of the
 * trace. False without memory. */
bool refrain_delays_without(struct refrain_delays *delays, const struct refrain_delay_group *groups, size_t n);

/* Takes the next event, with its waits. False without memory. */
bool refrain_delays_event(struct refrain_delays *delays, const struct refrain_event *event);

/* The same, as struct refrain_activity_request takes it. */
static inline bool refrain_delays_watch(void *delays, const struct refrain_event *event) {
    return refrain_delays_event((struct refrain_delays *)delays, event);
}

/* There are no further events: fills what is filled at the end. False without memory. */
bool refrain_delays_finish(struct refrain_delays *delays);

/* Null is allowed. */
void refrain_delays_close(struct refrain_delays *delays);

#endif
