/* delay_causes.c: finds the places and ranks where a wait has its roots (delay_parts.h).
 *
 *     waiter   met |== a ==|- b -|  waits   |          since they met, the late rank spent more time than the
 *     late     met |====== a =========|- c -|          waiter in these places: they are the causes, in proportion
 *
 * The times are compared top down: first by activity (computing, waiting, MPI), then by function, then by place.
 * Otherwise, if a rank does the same work in another place, both would seem to have more of something. */
#include "analysis/delay_parts.h"

#include <stdlib.h>

#define MOST_ITEMS 96u

/* A place in one of the two. */
struct item {
    struct refrain_delay_place *place;
    int64_t more_ns; /* time of the late rank minus that of the waiter */
};

struct comparison {
    struct item items[MOST_ITEMS];
    uint32_t n;
    int64_t doing_ns[REFRAIN_DOINGS]; /* time of the late rank minus that of the waiter */
    struct refrain_delay_roots waits; /* roots of waits of the late rank, by time */
    int64_t waits_ns;
};

/* ---- when they met ---- */

static uint64_t pair_key(const struct refrain_wait *wait) {
    int32_t a = wait->rank, b = wait->cause_rank;
    return (uint64_t)(uint32_t)(a < b ? a : b) << 32 | (uint32_t)(a < b ? b : a);
}

static bool is_meeting_of_all(enum refrain_wait_kind kind) {
    return kind == REFRAIN_WAIT_BARRIER || kind == REFRAIN_WAIT_N_TO_N;
}

/* Times are noted when a waiter leaves the collective, so they need not come in order. */
static void note_meeting(struct refrain_delay_line *line, int64_t ns) {
    for (unsigned i = 0; i < REFRAIN_DELAY_MEETINGS; i++) {
        int64_t there_ns = line->met_ns[i];
        if (there_ns == ns)
            return;
        if (there_ns < ns) {
            line->met_ns[i] = ns;
            ns = there_ns;
        }
    }
}

void refrain_delay_meet(struct refrain_delays *delays, const struct refrain_wait *wait) {
    struct refrain_delay_parts *parts = delays->parts;
    int64_t met_ns = wait->begin_ns + wait->ns;
    if (is_meeting_of_all(wait->kind)) {
        note_meeting(&parts->lines[wait->rank], met_ns);
        note_meeting(&parts->lines[wait->cause_rank], met_ns);
        return;
    }
    struct refrain_delay_pair *pair = refrain_table_make(&parts->pairs, pair_key(wait), 0, sizeof *pair);
    if (!pair) {
        parts->no_memory = true;
        return;
    }
    pair->met_ns = met_ns > pair->met_ns ? met_ns : pair->met_ns;
}

static int64_t last_meeting(const struct refrain_delays *delays, const struct refrain_wait *wait) {
    const struct refrain_delay_parts *parts = delays->parts;
    const struct refrain_delay_line *a = &parts->lines[wait->rank], *b = &parts->lines[wait->cause_rank];
    const struct refrain_delay_pair *pair = refrain_table_object(&parts->pairs, pair_key(wait), 0);
    int64_t met_ns = delays->from_ns;
    if (pair && pair->met_ns > met_ns)
        met_ns = pair->met_ns;
    for (unsigned i = 0; i < REFRAIN_DELAY_MEETINGS; i++)
        for (unsigned k = 0; k < REFRAIN_DELAY_MEETINGS; k++)
            if (a->met_ns[i] == b->met_ns[k] && a->met_ns[i] > met_ns && a->met_ns[i] <= wait->begin_ns)
                met_ns = a->met_ns[i];
    return met_ns;
}

/* ---- activities since then ---- */

static void add_place(struct comparison *comparison, struct refrain_delay_parts *parts,
                      struct refrain_delay_place *place, int64_t ns) {
    comparison->doing_ns[place->doing] += ns;
    if (place->stamp != parts->stamp) {
        if (comparison->n == MOST_ITEMS)
            return;
        place->stamp = parts->stamp;
        place->item = comparison->n;
        comparison->items[comparison->n++] = (struct item){place, 0};
    }
    comparison->items[place->item].more_ns += ns;
}

/* The roots of a wait of the late rank become roots of the current wait, through the late rank. */
static void add_roots(struct comparison *comparison, const struct refrain_delay_roots *roots, int32_t late,
                      int64_t ns) {
    for (uint32_t i = 0; roots && i < roots->n; i++) {
        struct refrain_delay_root root = roots->roots[i];
        root.weight *= (double)ns;
        if (root.n_path < REFRAIN_DELAY_PATH)
            root.path[root.n_path++] = late;
        refrain_delay_roots_add(&comparison->waits, &root);
    }
    comparison->waits_ns += ns;
}

/* `sign`: 1 for the late rank, -1 for the waiter. */
static void add_rank(struct comparison *comparison, struct refrain_delays *delays, int32_t rank, int64_t from_ns,
                     int64_t to_ns, int sign) {
    struct refrain_delay_parts *parts = delays->parts;
    const struct refrain_delay_spans *list = &parts->lines[rank].spans;
    for (size_t i = refrain_delay_spans_after(list, from_ns); i < list->n && list->spans[i].begin_ns < to_ns; i++) {
        const struct refrain_delay_span *span = &list->spans[i];
        int64_t begin_ns = span->begin_ns > from_ns ? span->begin_ns : from_ns;
        int64_t ns = (span->end_ns < to_ns ? span->end_ns : to_ns) - begin_ns;
        if (span->place) {
            add_place(comparison, parts, span->place, sign * ns);
            continue;
        }
        comparison->doing_ns[REFRAIN_DOING_WAITING] += sign * ns;
        if (sign > 0)
            add_roots(comparison, span->roots, rank, ns);
    }
}

/* ---- differences ---- */

static int64_t positive(int64_t ns) {
    return ns > 0 ? ns : 0;
}

/* Difference over all places of the function. */
static int64_t more_of_function(const struct comparison *comparison, enum refrain_doing doing,
                                const struct refrain_region_info *function) {
    int64_t ns = 0;
    for (uint32_t i = 0; i < comparison->n; i++)
        if (comparison->items[i].place->doing == doing && comparison->items[i].place->function == function)
            ns += comparison->items[i].more_ns;
    return positive(ns);
}

/* Sum of the positive differences of its places, which may be larger. */
static int64_t more_of_places(const struct comparison *comparison, enum refrain_doing doing,
                              const struct refrain_region_info *function) {
    int64_t ns = 0;
    for (uint32_t i = 0; i < comparison->n; i++)
        if (comparison->items[i].place->doing == doing && comparison->items[i].place->function == function)
            ns += positive(comparison->items[i].more_ns);
    return ns;
}

/* Weight of an item among those of its activity. Also adds up these weights. */
static double weight_of(const struct comparison *comparison, const struct item *item) {
    const struct refrain_region_info *function = item->place->function;
    int64_t places_ns = more_of_places(comparison, item->place->doing, function);
    return places_ns == 0 ? 0
                          : (double)more_of_function(comparison, item->place->doing, function) *
                                (double)positive(item->more_ns) / (double)places_ns;
}

static void add_items(const struct comparison *comparison, struct refrain_delay_roots *roots, enum refrain_doing doing,
                      int32_t late, double share) {
    double sum = 0;
    for (uint32_t i = 0; i < comparison->n; i++)
        if (comparison->items[i].place->doing == doing)
            sum += weight_of(comparison, &comparison->items[i]);
    for (uint32_t i = 0; sum > 0 && i < comparison->n; i++) {
        double weight = comparison->items[i].place->doing == doing ? weight_of(comparison, &comparison->items[i]) : 0;
        if (weight > 0)
            refrain_delay_roots_add(roots, &(struct refrain_delay_root){.place = comparison->items[i].place,
                                                                        .rank = late,
                                                                        .weight = share * weight / sum});
    }
}

static void add_waits(const struct comparison *comparison, struct refrain_delay_roots *roots, double share) {
    for (uint32_t i = 0; comparison->waits_ns > 0 && i < comparison->waits.n; i++) {
        struct refrain_delay_root root = comparison->waits.roots[i];
        root.weight *= share / (double)comparison->waits_ns;
        refrain_delay_roots_add(roots, &root);
    }
}

static bool find(const struct comparison *comparison, struct refrain_delay_roots *roots, int32_t late) {
    for (int doing = 0; doing < REFRAIN_DOINGS; doing++) {
        double share = (double)positive(comparison->doing_ns[doing]);
        if (share > 0 && doing == REFRAIN_DOING_WAITING)
            add_waits(comparison, roots, share);
        else if (share > 0)
            add_items(comparison, roots, (enum refrain_doing)doing, late, share);
    }
    if (roots->n)
        refrain_delay_roots_scale(roots);
    return roots->n > 0;
}

struct refrain_delay_roots *refrain_delay_find(struct refrain_delays *delays, const struct refrain_wait *wait,
                                               int64_t *met_ns, bool *cut) {
    struct refrain_delay_parts *parts = delays->parts;
    const struct refrain_delay_spans *late = &parts->lines[wait->cause_rank].spans,
                                     *waiter = &parts->lines[wait->rank].spans;
    int64_t until_ns = wait->begin_ns + wait->ns, from_ns = *met_ns = last_meeting(delays, wait);
    struct comparison comparison = {.n = 0};
    struct refrain_delay_roots *roots = calloc(1, sizeof *roots);
    parts->no_memory |= !roots;
    if (!roots)
        return NULL;
    int64_t kept_ns = late->n && late->spans[0].begin_ns > from_ns ? late->spans[0].begin_ns : from_ns;
    if (waiter->n && waiter->spans[0].begin_ns > kept_ns)
        kept_ns = waiter->spans[0].begin_ns;
    *cut = kept_ns > from_ns;
    parts->stamp++;
    add_rank(&comparison, delays, wait->cause_rank, kept_ns, until_ns, 1);
    add_rank(&comparison, delays, wait->rank, kept_ns, wait->begin_ns, -1);
    if (find(&comparison, roots, wait->cause_rank))
        return roots;
    /* No difference is positive: use the activities of the late rank during the wait. */
    comparison = (struct comparison){.n = 0};
    parts->stamp++;
    add_rank(&comparison, delays, wait->cause_rank, wait->begin_ns, until_ns, 1);
    if (find(&comparison, roots, wait->cause_rank))
        return roots;
    free(roots);
    return NULL;
}
