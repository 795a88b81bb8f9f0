/* team_load.c: follows when the further threads of each rank compute (team_load.h). */
#include "analysis/team_load.h"
#include "analysis/open_regions.h"
#include "common/table.h"

#include <stdlib.h>
#include <string.h>

struct thread {
    struct refrain_region_stack stack; /* of struct refrain_region_frame */
    int64_t end_ns;                    /* its last clock read */
    bool has_functions;
};

/* From this time on some thread works, or none does; worked_ns: total time until then in which one did. */
struct change {
    int64_t at_ns, worked_ns;
    bool works;
};

struct rank {
    struct refrain_team_rank sums;
    int64_t last_ns; /* earlier times are in the sums */
    bool ended;
    struct refrain_table works_in, idle_beside; /* region index + 1 -> nanoseconds; 0: in no region */
    struct change *changes;                     /* ring of REFRAIN_TEAM_CHANGES; null: no further thread so far */
    uint64_t n_changes;
};

struct refrain_team_load {
    const struct refrain_trace *trace;
    struct refrain_location_index index;
    struct thread *threads; /* by location */
    struct rank *ranks;
    size_t n_ranks;
    bool no_memory;
};

/* ---- activities of a thread ---- */

static const struct refrain_region_info *in(const struct thread *thread) {
    const struct refrain_region_frame *top = refrain_region_stack_top(&thread->stack);
    return top ? top->region : NULL;
}

static bool works(const struct thread *thread) {
    const struct refrain_region_info *region = in(thread);
    return region && region->kind != REFRAIN_REGION_MPI && region->own_time == REFRAIN_OWN_TIME_COMPUTING;
}

static void add(struct refrain_team_load *team, struct refrain_table *sums, const struct refrain_region_info *region,
                int64_t ns) {
    uint64_t key = region ? (uint64_t)region->index + 1 : 0;
    team->no_memory |= !refrain_table_put(sums, key, 0, refrain_table_number(sums, key, 0) + (uintptr_t)ns);
}

/* Adds the time of the thread since rank->last_ns. */
static void count(struct refrain_team_load *team, struct rank *rank, const struct thread *thread, int64_t now_ns,
                  const struct refrain_region_info *first_in) {
    int64_t end_ns = thread->end_ns < now_ns ? thread->end_ns : now_ns, ns = end_ns - rank->last_ns;
    if (!thread->has_functions || ns <= 0)
        return;
    if (works(thread)) {
        rank->sums.works_ns += ns;
        add(team, &rank->works_in, in(thread), ns);
    } else if (!in(thread)) {
        rank->sums.idle_ns += ns;
        add(team, &rank->idle_beside, first_in, ns);
    }
}

/* ---- ranks ---- */

/* The further threads of a rank, as numbers of locations. */
static void threads_of(const struct refrain_team_load *team, int32_t rank, size_t *first, size_t *end) {
    *first = team->index.first_of_rank[rank];
    *end = team->index.first_of_rank[rank + 1];
    while (*first < *end && team->index.locations[*first].thread == 0)
        ++*first;
}

static bool any_works(const struct refrain_team_load *team, size_t first, size_t end) {
    for (size_t i = first; i < end; i++)
        if (works(&team->threads[i]))
            return true;
    return false;
}

static void move_on(struct refrain_team_load *team, int32_t number, int64_t now_ns,
                    const struct refrain_region_info *first_in) {
    struct rank *rank = &team->ranks[number];
    size_t first, end;
    threads_of(team, number, &first, &end);
    for (size_t i = first; i < end && now_ns > rank->last_ns; i++)
        count(team, rank, &team->threads[i], now_ns, first_in);
    rank->last_ns = now_ns > rank->last_ns ? now_ns : rank->last_ns;
}

static int64_t worked_until(const struct change *change, int64_t ns) {
    return change->worked_ns + (change->works && ns > change->at_ns ? ns - change->at_ns : 0);
}

static void note_change(struct refrain_team_load *team, struct rank *rank, int64_t now_ns, bool is_working) {
    const struct change *last = rank->n_changes ? &rank->changes[(rank->n_changes - 1) % REFRAIN_TEAM_CHANGES] : NULL;
    if (last ? last->works == is_working : !is_working)
        return;
    if (!rank->changes && !(rank->changes = calloc(REFRAIN_TEAM_CHANGES, sizeof *rank->changes))) {
        team->no_memory = true;
        return;
    }
    struct change change = {now_ns, last ? worked_until(last, now_ns) : 0, is_working};
    rank->changes[rank->n_changes++ % REFRAIN_TEAM_CHANGES] = change;
}

/* ---- events ---- */

static void follow(struct refrain_team_load *team, struct rank *rank, struct thread *thread,
                   const struct refrain_event *event) {
    if (event->kind == REFRAIN_EVENT_ENTER) {
        if (event->region->kind == REFRAIN_REGION_FUNCTION && !thread->has_functions) {
            thread->has_functions = true;
            rank->sums.n_threads++;
        }
        team->no_memory |= !refrain_region_stack_enter(&thread->stack, sizeof(struct refrain_region_frame),
                                                       event->region, event->time_ns);
    } else if (event->kind == REFRAIN_EVENT_LEAVE) {
        refrain_region_stack_leave(&thread->stack, 0);
    }
}

bool refrain_team_load_event(struct refrain_team_load *team, const struct refrain_event *event,
                             const struct refrain_region_info *first_in) {
    if (event->rank < 0 || (size_t)event->rank >= team->n_ranks || team->ranks[event->rank].ended)
        return true;
    struct rank *rank = &team->ranks[event->rank];
    size_t location = refrain_location_index_of(&team->index, event), first, end;
    move_on(team, event->rank, event->time_ns, first_in);
    if (event->thread == 0 || location == team->index.n)
        return !team->no_memory;
    follow(team, rank, &team->threads[location], event);
    threads_of(team, event->rank, &first, &end);
    note_change(team, rank, event->time_ns, any_works(team, first, end));
    return !team->no_memory;
}

void refrain_team_load_reset(struct refrain_team_load *team, int64_t now_ns) {
    for (size_t i = 0; i < team->n_ranks; i++) {
        struct rank *rank = &team->ranks[i];
        rank->sums = (struct refrain_team_rank){.n_threads = rank->sums.n_threads};
        refrain_table_close(&rank->works_in);
        refrain_table_close(&rank->idle_beside);
        rank->last_ns = now_ns;
    }
}

void refrain_team_load_end(struct refrain_team_load *team, int32_t rank, int64_t now_ns,
                           const struct refrain_region_info *first_in) {
    if (!team->ranks[rank].ended)
        move_on(team, rank, now_ns, first_in);
    team->ranks[rank].ended = true;
}

/* ---- results ---- */

/* Total time until `ns` in which a thread worked; before the oldest kept change, that of this change. */
static int64_t worked_ns(const struct rank *rank, int64_t ns) {
    uint64_t kept = rank->n_changes < REFRAIN_TEAM_CHANGES ? rank->n_changes : REFRAIN_TEAM_CHANGES;
    for (uint64_t i = 0; i < kept; i++) {
        const struct change *change = &rank->changes[(rank->n_changes - 1 - i) % REFRAIN_TEAM_CHANGES];
        if (change->at_ns <= ns || i + 1 == kept)
            return worked_until(change, ns);
    }
    return 0;
}

int64_t refrain_team_load_beside(const struct refrain_team_load *team, int32_t rank, int64_t begin_ns, int64_t end_ns) {
    const struct rank *of = &team->ranks[rank];
    return worked_ns(of, end_ns) - worked_ns(of, begin_ns);
}

/* The region with the largest sum in a table; null: none, or outside of regions. */
static const struct refrain_region_info *most_of(const struct refrain_team_load *team, const struct refrain_table *sums,
                                                 int64_t *most_ns) {
    const struct refrain_table_slot *slot = NULL;
    uint64_t most = 0;
    *most_ns = 0;
    while ((slot = refrain_table_next(sums, slot)))
        if ((int64_t)slot->number > *most_ns || ((int64_t)slot->number == *most_ns && slot->a < most)) {
            *most_ns = (int64_t)slot->number;
            most = slot->a;
        }
    return most && most <= team->trace->n_regions ? &team->trace->regions[most - 1] : NULL;
}

const struct refrain_team_rank *refrain_team_load_rank(struct refrain_team_load *team, int32_t rank) {
    struct rank *of = &team->ranks[rank];
    int64_t ns;
    of->sums.works_in = most_of(team, &of->works_in, &ns);
    of->sums.idle_beside = most_of(team, &of->idle_beside, &of->sums.idle_beside_ns);
    return &of->sums;
}

struct refrain_team_load *refrain_team_load_open(const struct refrain_trace *trace, size_t n_ranks) {
    struct refrain_team_load *team = calloc(1, sizeof *team);
    if (!team)
        return NULL;
    team->trace = trace;
    team->threads = calloc(trace->n_locations + 1, sizeof *team->threads);
    team->ranks = calloc(n_ranks + 1, sizeof *team->ranks);
    if (!team->threads || !team->ranks || !refrain_location_index_open(&team->index, trace)) {
        refrain_team_load_close(team);
        return NULL;
    }
    team->n_ranks = n_ranks < team->index.n_ranks ? n_ranks : team->index.n_ranks;
    for (size_t i = 0; i < trace->n_locations; i++)
        team->threads[i].end_ns = trace->locations[i].end_ns;
    return team;
}

void refrain_team_load_close(struct refrain_team_load *team) {
    if (!team)
        return;
    for (size_t i = 0; team->threads && i < team->trace->n_locations; i++)
        refrain_region_stack_free(&team->threads[i].stack);
    for (size_t i = 0; team->ranks && i < team->n_ranks; i++) {
        refrain_table_close(&team->ranks[i].works_in);
        refrain_table_close(&team->ranks[i].idle_beside);
        free(team->ranks[i].changes);
    }
    refrain_location_index_close(&team->index);
    free(team->threads);
    free(team->ranks);
    free(team);
}
