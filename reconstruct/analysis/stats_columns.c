/* stats_columns.c: the columns of each view of the statistics (stats_rows.h). */
#include "analysis/stats_rows.h"

/* Value, key in CSV and JSON, title, unit. */
#define NS(value, key, title, level)                                                                                   \
    { REFRAIN_STATS_##value, key, title, REFRAIN_STATS_NS, level }
#define NUMBER(value, key, title, level)                                                                               \
    { REFRAIN_STATS_##value, key, title, REFRAIN_STATS_NUMBER, level }
#define SHARE                                                                                                          \
    { REFRAIN_STATS_SHARE, "share_percent", "share", REFRAIN_STATS_MILLIPERCENT, 0 }
#define BYTES(level)                                                                                                   \
    { REFRAIN_STATS_BYTES, "bytes", "bytes", REFRAIN_STATS_SIZE, level }
#define TRANSMISSION NS(TRANSMISSION, "transmission_ns", "transm.", 0)
#define MANAGEMENT NS(MANAGEMENT, "management_ns", "managem.", 1)
#define WAITING NS(WAITING, "waiting_ns", "waiting", 0)
#define PAUSED NS(PAUSED, "paused_ns", "paused", 2)
#define TOTAL(title) NS(TOTAL, "total_ns", title, 0)
#define OWN NS(OWN, "own_ns", "own", 0)
#define CALLS NUMBER(COUNT, "calls", "calls", 0)

static const struct refrain_stats_column of_regions[] = {TOTAL("total"),
                                                         SHARE,
                                                         OWN,
                                                         TRANSMISSION,
                                                         MANAGEMENT,
                                                         WAITING,
                                                         PAUSED,
                                                         CALLS,
                                                         NS(LEAST, "least_ns", "least", 2),
                                                         NS(MEAN, "mean_ns", "mean", 2),
                                                         NS(MOST, "most_ns", "most", 2),
                                                         NUMBER(MOST_RANK, "most_rank", "of rank", 2),
                                                         {REFRAIN_STATS_IMBALANCE, "imbalance_percent", "imbal.",
                                                          REFRAIN_STATS_MILLIPERCENT, 2}},
                                         of_paths[] = {TOTAL("total"), SHARE,   OWN,    TRANSMISSION,
                                                       MANAGEMENT,     WAITING, PAUSED, CALLS},
                                         of_partners[] = {NUMBER(MESSAGES, "messages", "messages", 0), BYTES(0),
                                                          TRANSMISSION, WAITING, SHARE},
                                         of_ranks[] = {TOTAL("run"),
                                                       NS(COMPUTING, "computing_ns", "computing", 0),
                                                       TRANSMISSION,
                                                       MANAGEMENT,
                                                       WAITING,
                                                       PAUSED,
                                                       NS(CAUSED, "caused_waiting_ns", "others w.", 0),
                                                       NUMBER(COUNT, "calls", "MPI calls", 2),
                                                       NUMBER(MESSAGES, "messages", "sent", 2),
                                                       BYTES(0)},
                                         of_waits[] = {WAITING, SHARE, NUMBER(COUNT, "times", "times", 0)};

const struct refrain_stats_column *refrain_stats_columns(enum refrain_stats_view view, size_t *n) {
#define COLUMNS(list) (*n = sizeof(list) / sizeof *(list), (list))
    switch (view) {
    case REFRAIN_STATS_BY_CALL_PATH:
        return COLUMNS(of_paths);
    case REFRAIN_STATS_BY_PARTNER:
        return COLUMNS(of_partners);
    case REFRAIN_STATS_BY_RANK:
        return COLUMNS(of_ranks);
    case REFRAIN_STATS_BY_WAIT:
        return COLUMNS(of_waits);
    default:
        return COLUMNS(of_regions);
    }
#undef COLUMNS
}
