/* delays.c: follows the activities of each rank, and attributes its waits to their causes (delays.h). */
#include "analysis/delay_parts.h"

#include <stdlib.h>
#include <string.h>

enum mark { MARK_NONE, MARK_INIT, MARK_FINALIZE };

/* ---- places ---- */

/* Null without memory. */
static struct refrain_delay_place *place_of(struct refrain_delays *delays, enum refrain_doing doing,
                                            const struct refrain_region_info *function,
                                            const struct refrain_region_info *call) {
    struct refrain_delay_parts *parts = delays->parts;
    uint64_t before = (uint64_t)(function ? (uint64_t)function->index + 1 : 0) << 8 | (uint64_t)doing;
    uint64_t at = call ? (uint64_t)call->index + 1 : 0;
    struct refrain_delay_place *place = refrain_table_make(&parts->places, before, at, sizeof *place);
    if (place && place->spent_ns)
        return place;
    size_t n = delays->n_ranks + 1;
    if (!place || !(place->spent_ns = calloc(4 * n, sizeof *place->spent_ns))) {
        parts->no_memory = true;
        return NULL;
    }
    place->before = before;
    place->at = at;
    place->doing = doing;
    place->function = function;
    place->call = call;
    place->caused_ns = place->spent_ns + n;
    place->waited_ns = place->spent_ns + 2 * n;
    place->path_ns = place->spent_ns + 3 * n;
    return place;
}

static void reset_place(struct refrain_delay_place *place, size_t n_ranks) {
    memset(place->spent_ns, 0, 4 * (n_ranks + 1) * sizeof *place->spent_ns);
    place->total_caused_ns = place->indirect_ns = place->indirect_messages_ns = place->beside_ns = 0;
    place->n_waits = 0;
    memset(place->victims, 0, sizeof place->victims);
    place->worst = place->current = (struct refrain_delay_incident){0};
}

static enum mark mark_of(const struct refrain_delays *delays, const struct refrain_region_info *region) {
    return region->index < delays->parts->trace->n_regions ? (enum mark)delays->parts->marks[region->index] : MARK_NONE;
}

/* ---- activities of a rank ---- */

static void add_to_bins(struct refrain_delays *delays, struct refrain_delay_rank *rank, enum refrain_doing doing,
                        int64_t begin_ns, int64_t end_ns, int64_t sign) {
    for (int64_t ns = begin_ns > 0 ? begin_ns : 0, bin_end_ns; ns < end_ns; ns = bin_end_ns) {
        int64_t bin = ns / delays->bin_ns;
        bin_end_ns = (bin + 1) * delays->bin_ns;
        if (bin >= REFRAIN_DELAY_BINS - 1) { /* the last bin also has times that were moved beyond the end */
            bin = REFRAIN_DELAY_BINS - 1;
            bin_end_ns = end_ns;
        }
        bin_end_ns = bin_end_ns < end_ns ? bin_end_ns : end_ns;
        rank->bins_ns[bin][doing] += sign * (bin_end_ns - ns);
    }
}

/* `sign`: -1 subtracts. Only the part inside the window counts. */
static void count(struct refrain_delays *delays, int32_t rank, enum refrain_doing doing,
                  struct refrain_delay_place *place, int64_t begin_ns, int64_t end_ns, int64_t sign) {
    begin_ns = begin_ns > delays->from_ns ? begin_ns : delays->from_ns;
    if (end_ns <= begin_ns)
        return;
    delays->ranks[rank].doing_ns[doing] += sign * (end_ns - begin_ns);
    add_to_bins(delays, &delays->ranks[rank], doing, begin_ns, end_ns, sign);
    if (place)
        place->spent_ns[rank] += sign * (end_ns - begin_ns);
}

/* Ends the current span of the rank. `next`: the region that the rank enters now; null: it enters none. */
static void close_span(struct refrain_delays *delays, int32_t rank, int64_t now_ns,
                       const struct refrain_region_info *next) {
    struct refrain_delay_parts *parts = delays->parts;
    struct refrain_delay_line *line = &parts->lines[rank];
    int64_t begin_ns = line->begin_ns;
    line->begin_ns = now_ns;
    if (now_ns <= begin_ns)
        return;
    const struct refrain_region_info *in = refrain_delay_in(line);
    enum refrain_doing doing = refrain_delay_doing(in);
    bool is_mpi = in && in->kind == REFRAIN_REGION_MPI;
    const struct refrain_region_info *leads_to = next && next->kind == REFRAIN_REGION_MPI ? next : NULL;
    struct refrain_delay_place *place = place_of(delays, doing, is_mpi ? NULL : in, is_mpi ? in : leads_to);
    if (!place || !refrain_delay_spans_add(&line->spans, begin_ns, now_ns, place, NULL)) {
        parts->no_memory = true;
        return;
    }
    count(delays, rank, doing, place, begin_ns, now_ns, 1);
    refrain_critical_path_span(parts->path, rank, begin_ns, now_ns, place);
    int64_t from_ns = begin_ns > delays->from_ns ? begin_ns : delays->from_ns;
    if (now_ns > from_ns)
        refrain_delay_clocks_move(delays, rank, place, now_ns - from_ns);
}

/* ---- waits ---- */

static void add_victim(struct refrain_delay_place *place, const struct refrain_wait *wait, int64_t ns, bool direct) {
    struct refrain_delay_victim *at = &place->victims[0];
    for (unsigned i = 0; i < REFRAIN_DELAY_VICTIMS; i++) {
        struct refrain_delay_victim *victim = &place->victims[i];
        if (victim->ns > 0 && victim->kind == wait->kind && victim->region == wait->region &&
            victim->cause == wait->cause) {
            at = victim;
            break;
        }
        at = victim->ns < at->ns ? victim : at;
    }
    /* The smallest entry makes room for others; a frequent wait grows until it stays. */
    if (at->ns > 0 && (at->kind != wait->kind || at->region != wait->region || at->cause != wait->cause)) {
        at->ns -= ns;
        if (at->ns > 0)
            return;
        ns = -at->ns;
    }
    if (at->ns <= 0)
        *at = (struct refrain_delay_victim){.kind = wait->kind, .region = wait->region, .cause = wait->cause};
    at->ns += ns;
    at->direct_ns += direct ? ns : 0;
    if (wait->ns > at->longest_ns) {
        at->longest_ns = wait->ns;
        at->rank = wait->rank;
        at->cause_rank = wait->cause_rank;
    }
}

static void keep_worse(struct refrain_delay_place *place) {
    if (place->current.ns > place->worst.ns)
        place->worst = place->current;
}

static void add_incident(struct refrain_delay_place *place, const struct refrain_wait *wait,
                         const struct refrain_delay_root *root, int64_t met_ns, int64_t ns) {
    struct refrain_delay_incident *incident = &place->current;
    int64_t end_ns = wait->begin_ns + wait->ns;
    if (incident->end_ns != end_ns || incident->rank != root->rank) {
        keep_worse(place);
        *incident = (struct refrain_delay_incident){.met_ns = met_ns,
                                                    .begin_ns = wait->begin_ns,
                                                    .end_ns = end_ns,
                                                    .rank = root->rank,
                                                    .waiter = wait->rank,
                                                    .n_path = root->n_path};
        memcpy(incident->path, root->path, sizeof root->path);
    }
    incident->ns += ns;
    incident->met_ns = met_ns < incident->met_ns ? met_ns : incident->met_ns;
    incident->begin_ns = wait->begin_ns < incident->begin_ns ? wait->begin_ns : incident->begin_ns;
}

/* `beside`: part of the wait in which another thread of the rank computed. */
static void add_cause(const struct refrain_wait *wait, const struct refrain_delay_root *root, int64_t met_ns,
                      int64_t ns, double beside) {
    struct refrain_delay_place *place = root->place;
    place->caused_ns[root->rank] += ns;
    place->waited_ns[wait->rank] += ns;
    place->total_caused_ns += ns;
    place->beside_ns += (int64_t)(beside * (double)ns);
    place->indirect_ns += root->n_path ? ns : 0;
    place->indirect_messages_ns += root->n_path && refrain_wait_is_for_message(wait->kind) ? ns : 0;
    place->n_waits++;
    add_victim(place, wait, ns, root->n_path == 0);
    add_incident(place, wait, root, met_ns, ns);
}

/* The part of the wait inside the window. */
static int64_t counted_ns(const struct refrain_delays *delays, const struct refrain_wait *wait) {
    int64_t begin_ns = wait->begin_ns > delays->from_ns ? wait->begin_ns : delays->from_ns;
    int64_t ns = wait->begin_ns + wait->ns - begin_ns;
    return ns > 0 ? ns : 0;
}

static void explain(struct refrain_delays *delays, const struct refrain_wait *wait,
                    const struct refrain_delay_roots *roots, int64_t met_ns, bool cut) {
    int64_t ns = counted_ns(delays, wait);
    delays->waiting_ns += ns;
    delays->cut_ns += cut ? ns : 0;
    delays->unexplained_ns += roots ? 0 : ns;
    double beside = 0;
    if (delays->team && ns > 0)
        beside = (double)refrain_team_load_beside(delays->team, wait->rank, wait->begin_ns, wait->begin_ns + wait->ns) /
                 (double)wait->ns;
    for (uint32_t i = 0; ns > 0 && roots && i < roots->n; i++)
        add_cause(wait, &roots->roots[i], met_ns, (int64_t)(roots->roots[i].weight * (double)ns + 0.5), beside);
}

static bool is_looked_at(const struct refrain_delays *delays, const struct refrain_wait *wait) {
    return wait->thread == 0 && wait->ns > 0 && (size_t)wait->rank < delays->n_ranks && wait->cause_rank >= 0 &&
           (size_t)wait->cause_rank < delays->n_ranks && delays->parts->lines[wait->cause_rank].begun;
}

static void add_wait(struct refrain_delays *delays, const struct refrain_wait *wait) {
    struct refrain_delay_parts *parts = delays->parts;
    if (!is_looked_at(delays, wait))
        return;
    struct refrain_delay_line *line = &parts->lines[wait->rank];
    int64_t end_ns = wait->begin_ns + wait->ns, met_ns;
    bool cut = false;
    if (wait->begin_ns >= line->begin_ns)
        close_span(delays, wait->rank, wait->begin_ns, NULL);
    struct refrain_delay_roots *roots = refrain_delay_find(delays, wait, &met_ns, &cut);
    explain(delays, wait, roots, met_ns, cut);
    refrain_delay_meet(delays, wait);
    refrain_critical_path_wait(parts->path, wait->rank, wait->begin_ns, end_ns, wait->cause_rank);
    if (wait->begin_ns == line->begin_ns) {
        line->begin_ns = end_ns;
        count(delays, wait->rank, REFRAIN_DOING_WAITING, NULL, wait->begin_ns, end_ns, 1);
        parts->no_memory |= !refrain_delay_spans_add(&line->spans, wait->begin_ns, end_ns, NULL, roots);
        return;
    }
    /* A send whose receive came late: its wait is known only after the send. */
    struct refrain_delay_place *place = refrain_delay_spans_cut(&line->spans, wait->begin_ns, end_ns, roots);
    if (place) {
        count(delays, wait->rank, place->doing, place, wait->begin_ns, end_ns, -1);
        count(delays, wait->rank, REFRAIN_DOING_WAITING, NULL, wait->begin_ns, end_ns, 1);
        refrain_delay_clocks_move(delays, wait->rank, place, -counted_ns(delays, wait));
    }
}

/* ---- the window ---- */

static void begin_window(struct refrain_delays *delays, int64_t now_ns) {
    struct refrain_delay_parts *parts = delays->parts;
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&parts->places, slot));)
        reset_place(slot->object, delays->n_ranks);
    for (size_t i = 0; i < delays->n_ranks; i++) {
        memset(delays->ranks[i].doing_ns, 0, sizeof delays->ranks[i].doing_ns);
        memset(delays->ranks[i].bins_ns, 0, sizeof delays->ranks[i].bins_ns);
    }
    delays->waiting_ns = delays->cut_ns = delays->unexplained_ns = 0;
    delays->from_ns = now_ns;
    delays->has_init = true;
    refrain_delay_clocks_reset(delays, now_ns);
    refrain_critical_path_reset(parts->path, now_ns);
    memset(delays->at_a_time_ns, 0, (delays->n_ranks + 2) * sizeof *delays->at_a_time_ns);
    parts->computing_from_ns = now_ns;
    refrain_rhythm_reset(parts->rhythm);
    if (delays->team)
        refrain_team_load_reset(delays->team, now_ns);
}

/* ---- events ---- */

static void enter(struct refrain_delays *delays, const struct refrain_event *event) {
    struct refrain_delay_line *line = &delays->parts->lines[event->rank];
    close_span(delays, event->rank, event->time_ns, event->region);
    bool done = refrain_region_stack_enter(&line->stack, sizeof(struct refrain_region_frame), event->region,
                                           event->time_ns) != NULL;
    struct refrain_beat *longest = refrain_rhythm_enter(delays->parts->rhythm, event, &done);
    if (longest)
        refrain_delay_find_longer(delays, longest);
    delays->parts->no_memory |= !done;
    if (mark_of(delays, event->region) == MARK_FINALIZE) {
        line->ended = true;
        if (delays->team)
            refrain_team_load_end(delays->team, event->rank, event->time_ns, refrain_delay_in(line));
        line->finalize = event->region;
        if (!delays->has_finalize)
            delays->first_finalize_ns = event->time_ns;
        delays->has_finalize = true;
    }
}

static void leave(struct refrain_delays *delays, const struct refrain_event *event) {
    struct refrain_delay_line *line = &delays->parts->lines[event->rank];
    close_span(delays, event->rank, event->time_ns, NULL);
    refrain_region_stack_leave(&line->stack, 0);
    if (mark_of(delays, event->region) == MARK_INIT)
        begin_window(delays, event->time_ns);
}

static void begin_line(struct refrain_delays *delays, const struct refrain_event *event) {
    struct refrain_delay_line *line = &delays->parts->lines[event->rank];
    struct refrain_delay_parts *parts = delays->parts;
    line->begun = true;
    if (delays->n_known == 0 && !delays->has_init) {
        refrain_critical_path_reset(parts->path, event->time_ns);
        parts->computing_from_ns = event->time_ns;
    }
    line->begin_ns = delays->ranks[event->rank].begin_ns = event->time_ns;
    delays->ranks[event->rank].known = true;
    delays->n_known++;
    refrain_delay_clocks_begin(delays, event->rank, event->time_ns);
}

bool refrain_delays_event(struct refrain_delays *delays, const struct refrain_event *event) {
    struct refrain_delay_parts *parts = delays->parts;
    if (event->peer_wait)
        add_wait(delays, event->peer_wait);
    if (event->rank < 0 || (size_t)event->rank >= delays->n_ranks)
        return !parts->no_memory;
    struct refrain_delay_line *line = &parts->lines[event->rank];
    if (delays->team)
        parts->no_memory |= !refrain_team_load_event(delays->team, event, refrain_delay_in(line));
    if (event->thread != 0)
        return !parts->no_memory;
    if (line->ended)
        return !parts->no_memory;
    if (!line->begun)
        begin_line(delays, event);
    if (event->wait)
        add_wait(delays, event->wait);
    delays->ranks[event->rank].end_ns = event->time_ns;
    /* The waits of a collective come before the rest of its call, computing comes before the call. */
    if (event->kind == REFRAIN_EVENT_LEAVE) {
        parts->no_memory |= !refrain_delay_clocks_event(delays, event);
        leave(delays, event);
    } else {
        if (event->kind == REFRAIN_EVENT_ENTER)
            enter(delays, event);
        parts->no_memory |= !refrain_delay_clocks_event(delays, event);
    }
    refrain_delay_follow_computing(delays, line, event->time_ns);
    return !parts->no_memory && !refrain_critical_path_failed(parts->path);
}

/* ---- open, finish, close ---- */

static bool prepare(struct refrain_delays *delays, const struct refrain_trace *trace) {
    struct refrain_delay_parts *parts = delays->parts;
    for (size_t i = 0; i < trace->n_processes; i++)
        if (trace->processes[i].rank >= 0 && (size_t)trace->processes[i].rank >= delays->n_ranks)
            delays->n_ranks = (size_t)trace->processes[i].rank + 1;
    for (size_t i = 0; i < trace->n_locations; i++)
        delays->n_other_threads += trace->locations[i].thread > 0;
    delays->bin_ns = refrain_trace_end_ns(trace) / REFRAIN_DELAY_BINS + 1;
    parts->trace = trace;
    parts->lines = calloc(delays->n_ranks + 1, sizeof *parts->lines);
    parts->marks = calloc(trace->n_regions + 1, sizeof *parts->marks);
    parts->path = refrain_critical_path_open(delays->n_ranks, delays->bin_ns);
    delays->path_rank = -1;
    delays->at_a_time_ns = calloc(delays->n_ranks + 2, sizeof *delays->at_a_time_ns);
    parts->rhythm = refrain_rhythm_open(trace->n_regions);
    delays->ranks = calloc(delays->n_ranks + 1, sizeof *delays->ranks);
    if (!parts->lines || !parts->marks || !parts->path || !parts->rhythm || !delays->ranks || !delays->at_a_time_ns ||
        !refrain_delay_clocks_open(delays) || !refrain_delay_find_ends(delays) ||
        (delays->n_other_threads && !(delays->team = refrain_team_load_open(trace, delays->n_ranks))))
        return false;
    for (size_t i = 0; i < trace->n_regions; i++) {
        const struct refrain_region_info *region = &trace->regions[i];
        if (region->kind != REFRAIN_REGION_MPI)
            continue;
        if (strcmp(region->name, "MPI_Init") == 0 || strcmp(region->name, "MPI_Init_thread") == 0)
            parts->marks[i] = MARK_INIT;
        else if (strcmp(region->name, "MPI_Finalize") == 0)
            parts->marks[i] = MARK_FINALIZE;
    }
    return true;
}

struct refrain_delays *refrain_delays_open(const struct refrain_trace *trace) {
    struct refrain_delays *delays = calloc(1, sizeof *delays);
    if (delays && (delays->parts = calloc(1, sizeof *delays->parts)) && prepare(delays, trace))
        return delays;
    refrain_delays_close(delays);
    return NULL;
}

/* The last rank that reached MPI_Finalize if all did, else -1. */
static int32_t last_to_finalize(const struct refrain_delays *delays) {
    int32_t last = -1;
    for (size_t i = 0; i < delays->n_ranks; i++) {
        if (delays->ranks[i].known && !delays->parts->lines[i].ended)
            return -1;
        if (delays->ranks[i].known && (last < 0 || delays->ranks[i].end_ns > delays->ranks[last].end_ns))
            last = (int32_t)i;
    }
    return last;
}

/* All ranks that reached MPI_Finalize earlier wait there for the last one. */
static void wait_in_finalize(struct refrain_delays *delays, int32_t last) {
    int64_t until_ns = delays->ranks[last].end_ns;
    for (size_t i = 0; i < delays->n_ranks; i++) {
        const struct refrain_delay_line *line = &delays->parts->lines[i];
        int64_t begin_ns = delays->ranks[i].end_ns;
        if (!delays->ranks[i].known || begin_ns >= until_ns)
            continue;
        struct refrain_wait wait = {.kind = REFRAIN_WAIT_BARRIER,
                                    .rank = (int32_t)i,
                                    .begin_ns = begin_ns,
                                    .ns = until_ns - begin_ns,
                                    .region = line->finalize,
                                    .cause_rank = last,
                                    .cause = delays->parts->lines[last].finalize};
        add_wait(delays, &wait);
    }
}

static void set_ends(struct refrain_delays *delays) {
    int64_t first_ns = INT64_MAX;
    for (size_t i = 0; i < delays->n_ranks; i++)
        if (delays->ranks[i].known && delays->ranks[i].begin_ns < first_ns)
            first_ns = delays->ranks[i].begin_ns;
    if (!delays->has_init)
        delays->from_ns = first_ns < INT64_MAX ? first_ns : 0;
    for (size_t i = 0; i < delays->n_ranks; i++) {
        struct refrain_delay_rank *rank = &delays->ranks[i];
        if (!rank->known)
            continue;
        delays->to_ns = rank->end_ns > delays->to_ns ? rank->end_ns : delays->to_ns;
        rank->begin_ns = rank->begin_ns > delays->from_ns ? rank->begin_ns : delays->from_ns;
    }
    refrain_delay_clocks_finish(delays);
}

static int by_cause(const void *a, const void *b) {
    const struct refrain_delay_place *x = *(void *const *)a, *y = *(void *const *)b;
    if (x->total_caused_ns != y->total_caused_ns)
        return x->total_caused_ns < y->total_caused_ns ? 1 : -1;
    return x->before != y->before ? (x->before < y->before ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

static int by_length(const void *a, const void *b) {
    const struct refrain_delay_victim *x = a, *y = b;
    return (x->ns < y->ns) - (x->ns > y->ns);
}

/* Ends the spans that were open when the events of their ranks ended. */
static void close_open_spans(struct refrain_delays *delays) {
    for (size_t i = 0; i < delays->n_ranks; i++)
        if (delays->ranks[i].known && !delays->parts->lines[i].ended)
            close_span(delays, (int32_t)i, delays->ranks[i].end_ns, NULL);
}

bool refrain_delays_finish(struct refrain_delays *delays) {
    struct refrain_delay_parts *parts = delays->parts;
    close_open_spans(delays);
    int32_t last = last_to_finalize(delays);
    set_ends(delays);
    if (last >= 0)
        wait_in_finalize(delays, last);
    if (!refrain_delay_find_path(delays))
        return false;
    delays->places = calloc(parts->places.n + 1, sizeof *delays->places);
    if (!delays->places || parts->no_memory)
        return false;
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&parts->places, slot));) {
        struct refrain_delay_place *place = slot->object;
        keep_worse(place);
        qsort(place->victims, REFRAIN_DELAY_VICTIMS, sizeof *place->victims, by_length);
        delays->places[delays->n_places++] = place;
    }
    qsort(delays->places, delays->n_places, sizeof *delays->places, by_cause);
    delays->beat = refrain_rhythm_beat(parts->rhythm, delays->to_ns - delays->from_ns);
    return true;
}

static void close_parts(struct refrain_delay_parts *parts, size_t n_ranks) {
    for (size_t i = 0; parts->lines && i < n_ranks; i++) {
        refrain_region_stack_free(&parts->lines[i].stack);
        refrain_delay_spans_close(&parts->lines[i].spans);
    }
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&parts->places, slot));)
        free(((struct refrain_delay_place *)slot->object)->spent_ns);
    refrain_table_free(&parts->places);
    refrain_table_free(&parts->pairs);
    free(parts->lines);
    free(parts->marks);
    refrain_delay_clocks_close(parts);
    refrain_critical_path_close(parts->path);
    refrain_rhythm_close(parts->rhythm);
    free(parts);
}

void refrain_delays_close(struct refrain_delays *delays) {
    if (!delays)
        return;
    if (delays->parts)
        close_parts(delays->parts, delays->n_ranks);
    refrain_team_load_close(delays->team);
    free(delays->places);
    free(delays->at_a_time_ns);
    free(delays->without_ns);
    free(delays->ranks);
    free(delays);
}
