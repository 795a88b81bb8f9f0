/* picl_statistics.c: computes and writes PICL's statistics of one process: counts each event in the sums of the run and
 * of every open user event (picl_statistics.h). */
#include "formats/picl_statistics.h"
#include "model/trace_read.h"

#include <inttypes.h>
#include <stdlib.h>

/* The event types of table 4 that are counted, in the order in which they are written. */
static const int counted[] = {PICL_OPEN,        PICL_CLOSE,        PICL_SEND,       PICL_SEND_BEGIN, PICL_SEND_FOUND,
                              PICL_SEND_MISSED, PICL_SEND_DONE,    PICL_SEND_END,   PICL_RECV_THERE, PICL_RECV,
                              PICL_PROBE_FOUND, PICL_PROBE_MISSED, PICL_PROBE_WAIT, PICL_RECV_BEGIN, PICL_RECV_FOUND,
                              PICL_RECV_MISSED, PICL_RECV_DONE,    PICL_RECV_END,   PICL_FILE_OPEN,  PICL_FILE_CLOSE,
                              PICL_WRITE,       PICL_READ,         PICL_SYNC,       PICL_SPAWN};
#define COUNTED (sizeof counted / sizeof *counted)

/* The subsets of table 5. A subset has the event types from `first` down to `last`; is_in() has those of PICL_BLOCKED.
 */
static const struct {
    enum picl_event subset;
    int first, last;
} subsets[] = {{PICL_SENDS, -21, -50},
               {PICL_RECEIVES, -51, -80},
               {PICL_BLOCKED, 0, 0},
               {PICL_FILES, -201, -400},
               {PICL_SYNCS, -401, -500}};
#define SUBSETS (sizeof subsets / sizeof *subsets)

#define OTHER_PAIRS 4 /* tracing itself, and three kinds of user events */

struct sums {
    uint64_t counts[COUNTED], volumes[COUNTED];
    int64_t times_ns[COUNTED];
};

struct user_event {
    uint32_t active; /* number of its open activations (recursion) */
    uint64_t count;
    int64_t time_ns, enter_ns;
    struct sums *within; /* sums of the events while it was open; null for MPI calls and markers */
};

struct refrain_picl_statistics {
    const struct refrain_trace *trace;
    struct sums all;
    bool unknown[COUNTED];    /* the number of events of this type is not known, and written as -1 */
    struct user_event *user;  /* by region; null until the first user event */
    struct user_event **open; /* open functions and user regions, each once, the outermost first; room for n_regions */
    size_t n_open;
    bool no_memory;
};

struct refrain_picl_statistics *refrain_picl_statistics_make(const struct refrain_trace *trace) {
    struct refrain_picl_statistics *statistics = calloc(1, sizeof *statistics);
    if (statistics)
        statistics->trace = trace;
    return statistics;
}

void refrain_picl_statistics_free(struct refrain_picl_statistics *statistics) {
    for (size_t i = 0; statistics && statistics->user && i < statistics->trace->n_regions; i++)
        free(statistics->user[i].within);
    if (statistics) {
        free(statistics->user);
        free(statistics->open);
    }
    free(statistics);
}

bool refrain_picl_statistics_no_memory(const struct refrain_picl_statistics *statistics) {
    return statistics && statistics->no_memory;
}

/* ---- counting ---- */

static void count(struct sums *sums, size_t i, int64_t bytes, int64_t ns) {
    sums->counts[i]++;
    sums->volumes[i] += bytes > 0 ? (uint64_t)bytes : 0;
    sums->times_ns[i] += ns;
}

static size_t index_of(enum picl_event type) {
    size_t i = 0;
    while (i < COUNTED && counted[i] != (int)type)
        i++;
    return i;
}

void refrain_picl_count_unknown(struct refrain_picl_statistics *statistics, enum picl_event type) {
    size_t i = index_of(type);
    if (i < COUNTED)
        statistics->unknown[i] = true;
}

void refrain_picl_count(struct refrain_picl_statistics *statistics, enum picl_event type, int64_t bytes, int64_t ns) {
    size_t i = index_of(type);
    if (i == COUNTED)
        return;
    count(&statistics->all, i, bytes, ns);
    for (size_t o = 0; o < statistics->n_open; o++)
        count(statistics->open[o]->within, i, bytes, ns);
}

/* The user event of a region. Null if the region is not one of the trace, and without memory. */
static struct user_event *user_event(struct refrain_picl_statistics *statistics,
                                     const struct refrain_region_info *region) {
    if (region->index >= statistics->trace->n_regions)
        return NULL;
    if (!statistics->user) {
        if (!statistics->open)
            statistics->open = calloc(statistics->trace->n_regions, sizeof *statistics->open);
        statistics->user = statistics->open ? calloc(statistics->trace->n_regions, sizeof *statistics->user) : NULL;
        statistics->no_memory |= !statistics->user;
    }
    return statistics->user ? &statistics->user[region->index] : NULL;
}

void refrain_picl_count_enter(struct refrain_picl_statistics *statistics, const struct refrain_region_info *region,
                              int64_t time_ns) {
    struct user_event *event = user_event(statistics, region);
    if (!event)
        return;
    event->count++;
    if (event->active++ > 0)
        return;
    event->enter_ns = time_ns;
    if (region->kind == REFRAIN_REGION_MPI)
        return;
    if (!event->within && !(event->within = calloc(1, sizeof *event->within)))
        statistics->no_memory = true;
    else
        statistics->open[statistics->n_open++] = event;
}

/* Ends the outermost activation: adds its time, and removes it from `open`, where it mostly is the last one. */
static void end_user_event(struct refrain_picl_statistics *statistics, struct user_event *event, int64_t time_ns) {
    size_t at = statistics->n_open;
    event->active = 0;
    event->time_ns += time_ns - event->enter_ns;
    while (at > 0 && statistics->open[at - 1] != event)
        at--;
    if (at == 0)
        return;
    statistics->n_open--;
    memmove(statistics->open + at - 1, statistics->open + at,
            (statistics->n_open - (at - 1)) * sizeof *statistics->open);
}

void refrain_picl_count_leave(struct refrain_picl_statistics *statistics, const struct refrain_region_info *region,
                              int64_t time_ns) {
    struct user_event *event = user_event(statistics, region);
    if (!event || event->active == 0)
        return;
    if (event->active > 1)
        event->active--;
    else
        end_user_event(statistics, event, time_ns);
}

void refrain_picl_count_mark(struct refrain_picl_statistics *statistics, const struct refrain_region_info *region) {
    struct user_event *event = user_event(statistics, region);
    if (event)
        event->count++;
}

/* ---- writing ---- */

/* The pairs of one record. They are collected, since their number is written before them. */
struct pairs {
    struct pair {
        int64_t type;
        int64_t value;
    } * all;
    size_t n;
};

/* Values of 0 are not written. */
static void add(struct pairs *pairs, int64_t type, int64_t value) {
    if (value > 0)
        pairs->all[pairs->n++] = (struct pair){type, value};
}

static void put_pairs(struct pairs *pairs, struct refrain_sink *out, enum picl_record record, int64_t of,
                      struct refrain_picl_location location, int64_t time_ns, bool verbose) {
    if (pairs->n > 0) {
        refrain_picl_start(out, record, of, time_ns, location);
        refrain_picl_number(out, (int64_t)pairs->n);
        refrain_picl_descriptor(out, record == PICL_TIMES ? PICL_TYPES_TIMES : PICL_TYPES_NUMBERS, verbose);
        for (size_t i = 0; i < pairs->n; i++) {
            refrain_picl_number(out, pairs->all[i].type);
            if (record == PICL_TIMES)
                refrain_sink_printf(out, " %" PRId64 ".%09" PRId64, pairs->all[i].value / 1000000000,
                                    pairs->all[i].value % 1000000000);
            else
                refrain_picl_number(out, pairs->all[i].value);
        }
        refrain_sink_put_char(out, '\n');
    }
    pairs->n = 0;
}

static int64_t value_of(const struct sums *sums, enum picl_record record, size_t i) {
    return record == PICL_TIMES    ? sums->times_ns[i]
           : record == PICL_COUNTS ? (int64_t)sums->counts[i]
                                   : (int64_t)sums->volumes[i];
}

static bool is_in(size_t subset, int type) {
    if (subsets[subset].subset == PICL_BLOCKED)
        return type == PICL_SEND_END || type == PICL_RECV || type == PICL_PROBE_WAIT || type == PICL_RECV_END;
    return type <= subsets[subset].first && type >= subsets[subset].last;
}

/* `unknown`: types whose number is written as -1. Null: the numbers are those of the events that were counted. */
static void add_sums(struct pairs *pairs, const struct sums *sums, enum picl_record record, const bool *unknown) {
    for (size_t i = 0; i < COUNTED; i++)
        if (unknown && unknown[i] && record == PICL_COUNTS)
            pairs->all[pairs->n++] = (struct pair){counted[i], -1};
        else
            add(pairs, counted[i], value_of(sums, record, i));
    for (size_t s = 0; s < SUBSETS; s++) {
        int64_t sum = 0;
        for (size_t i = 0; i < COUNTED; i++)
            sum += is_in(s, counted[i]) ? value_of(sums, record, i) : 0;
        add(pairs, subsets[s].subset, sum);
    }
}

static void add_user(struct pairs *pairs, const struct refrain_picl_statistics *statistics, enum picl_record record) {
    static const int of_kind[] = {[REFRAIN_REGION_FUNCTION] = PICL_FUNCTIONS,
                                  [REFRAIN_REGION_MPI] = PICL_CALLS,
                                  [REFRAIN_REGION_USER] = PICL_REGIONS};
    int64_t counts[sizeof of_kind / sizeof *of_kind] = {0};
    for (size_t i = 0; i < statistics->trace->n_regions; i++) {
        const struct user_event *event = &statistics->user[i];
        enum refrain_region_kind kind = statistics->trace->regions[i].kind;
        add(pairs, (int64_t)i, record == PICL_TIMES ? event->time_ns : (int64_t)event->count);
        if (kind != REFRAIN_REGION_VALUE)
            counts[kind == REFRAIN_REGION_IO ? REFRAIN_REGION_FUNCTION : kind] += (int64_t)event->count;
    }
    for (size_t kind = 0; record == PICL_COUNTS && kind < sizeof of_kind / sizeof *of_kind; kind++)
        add(pairs, of_kind[kind], counts[kind]);
}

void refrain_picl_put_statistics(struct refrain_picl_statistics *statistics, struct refrain_sink *out,
                                 struct refrain_picl_location location, int64_t start_ns, int64_t end_ns,
                                 uint64_t written, bool verbose) {
    static const enum picl_record records[] = {PICL_TIMES, PICL_COUNTS, PICL_VOLUMES};
    struct pairs pairs = {calloc(statistics->trace->n_regions + COUNTED + SUBSETS + OTHER_PAIRS, sizeof *pairs.all), 0};
    if (!pairs.all) {
        statistics->no_memory = true;
        return;
    }
    for (size_t i = 0; statistics->user && i < statistics->trace->n_regions; i++)
        if (statistics->user[i].active > 0)
            end_user_event(statistics, &statistics->user[i], end_ns);
    /* time, number and volume of tracing itself, in the order of `records` */
    const int64_t tracing[] = {end_ns - start_ns, 1, (int64_t)written};
    for (size_t r = 0; r < 3; r++) {
        add_sums(&pairs, &statistics->all, records[r], statistics->unknown);
        add(&pairs, PICL_TRACING, tracing[r]);
        put_pairs(&pairs, out, records[r], PICL_ALL_EVENTS, location, end_ns, verbose);
    }
    for (size_t r = 0; statistics->user && r < 2; r++) {
        add_user(&pairs, statistics, records[r]);
        put_pairs(&pairs, out, records[r], PICL_ALL_EVENTS, location, end_ns, verbose);
    }
    for (size_t i = 0; statistics->user && i < statistics->trace->n_regions; i++)
        for (size_t r = 0; statistics->user[i].within && r < 3; r++) {
            add_sums(&pairs, statistics->user[i].within, records[r], NULL);
            put_pairs(&pairs, out, records[r], (int64_t)i, location, end_ns, verbose);
        }
    free(pairs.all);
}
