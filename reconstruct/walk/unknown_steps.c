/* unknown_steps.c: gives values to steps of which only the number is known (recursion_graph.h).
 *
 * A place without room for one more kind of step has counted the step as "another". But every place is left as often
 * as it is reached (docs/counts.md), and the trace has how often each place is left. If the known steps reach a
 * place less often, unknown steps must have reached it the other times: this number is `missing` here. The unknown
 * steps of all places are assigned until nothing is missing, in this order:
 *
 *     1. steps with few destinations: those of decisions, and those inside MPI calls
 *     2. calls: how often the place after a call is left, and how often functions were entered, gives their number
 *     3. steps within a function
 *     4. all other steps between places
 *     5. the steps left over end their activations
 *
 * If steps were counted, the last step of each place is known. So all steps can be taken, whichever place gets which
 * assignment. */
#include "common/arena.h"
#include "common/array.h"
#include "sequence/sequence.h"
#include "walk/recursion_graph.h"

#include <refrain/amounts.h>
#include <refrain/unit.h>
#include <stdlib.h>
#include <string.h>

/* Each round finds callers for the functions called by those that got callers in the round before. */
#define CALL_ROUNDS 8u

/* A number of unknown steps of a node that get this value. */
struct assignment {
    int64_t value;
    uint64_t steps;
    size_t next; /* number + 1 of the next assignment of the node */
};

struct state {
    struct refrain_recursion *recursion;
    uint64_t *missing;   /* by node: times it is left beyond the known steps that lead to it */
    uint64_t *begun;     /* by node: activations that have begun there or that known steps begin */
    uint64_t *unclaimed; /* by number of a marker or counter: its values without a known step */
    uint64_t *calls;     /* by node: unknown steps that are calls, or values of markers and counters */
    uint64_t *others;    /* by node: other unknown steps, or of unknown kind so far */
    size_t *first;       /* by node: number + 1 of its first assignment */
    struct assignment *assignments;
    size_t n_assignments, capacity;
    bool no_memory;
};

static const struct refrain_slot *slot_of(const struct refrain_recursion *recursion,
                                          const struct refrain_place_node *node) {
    return (const void *)((const unsigned char *)recursion->walk.image + node->learner);
}

static void assign(struct state *state, size_t from, int64_t value, uint64_t steps) {
    if (steps == 0)
        return;
    if (!REFRAIN_ARENA_ROOM(state->assignments, state->n_assignments, state->capacity)) {
        state->no_memory = true;
        return;
    }
    state->assignments[state->n_assignments] =
        (struct assignment){.value = value, .steps = steps, .next = state->first[from]};
    state->first[from] = ++state->n_assignments;
}

/* ---- what is missing ---- */

static void reached(uint64_t *times, int node, uint64_t n) {
    if (node != REFRAIN_NOWHERE)
        times[node] += n;
}

static bool find_missing(struct state *state) {
    const struct refrain_recursion *recursion = state->recursion;
    uint64_t *times =
        refrain_calloc(recursion->n_nodes + 1, sizeof *times); /* by node: how often known steps reach it */
    if (!times)
        return false;
    uint64_t *begun = state->begun;
    for (size_t i = 0; i < recursion->n_nodes; i++) {
        const struct refrain_place_node *node = &recursion->nodes[i];
        begun[i] += node->taken - node->calls_taken;
        for (uint32_t k = 0; k < node->n_arcs; k++) {
            const struct refrain_arc *arc = &recursion->arcs[node->first_arc + k];
            reached(times, arc->next, arc->left);
            reached(times, arc->called, arc->left);
            reached(begun, arc->called, arc->left);
        }
    }
    /* Open activations have reached the place where they are or where they will continue. */
    int at = refrain_recursion_find(recursion, refrain_recursion_offset(recursion, recursion->walk.at));
    reached(times, at, 1);
    reached(begun, at, 1);
    size_t depth = recursion->walk.depth(recursion->walk.walk);
    for (size_t i = 0; i + 1 < depth; i++) {
        const struct refrain_slot *slot = recursion->walk.place(recursion->walk.walk, i);
        at = refrain_recursion_find(recursion, refrain_recursion_offset(recursion, slot) +
                                                   (slot->flags & REFRAIN_SLOT_CALL ? sizeof *slot : 0));
        reached(times, at, 1);
        reached(begun, at, 1);
    }
    uint64_t bottom = refrain_recursion_offset(recursion, recursion->walk.place(recursion->walk.walk, 0));
    for (size_t i = 0; i < recursion->n_nodes; i++) {
        const struct refrain_place_node *node = &recursion->nodes[i];
        uint64_t left = node->unknown;
        for (uint32_t k = 0; k < node->n_arcs; k++)
            left += recursion->arcs[node->first_arc + k].left;
        /* The run ends at the bottom place of the thread, so control reaches it once more than it leaves it. */
        left += recursion->nodes[i].learner == bottom;
        state->missing[i] = left > times[i] ? left - times[i] : 0;
    }
    refrain_free(times);
    return true;
}

/* Finds how many values of markers and counters have no known step. Returns their sum. */
static uint64_t find_unclaimed(struct state *state) {
    const struct refrain_recursion *recursion = state->recursion;
    const struct refrain_recursion_walk *walk = &recursion->walk;
    uint64_t all = 0;
    for (size_t n = 0; n < walk->numbered->n_regions; n++) {
        uint64_t offset = walk->numbered->regions[n];
        const struct refrain_region_name *region = (const void *)((const unsigned char *)walk->image + offset);
        if (!offset || offset + sizeof *region > walk->image_bytes || region->thread != walk->thread ||
            !refrain_use_is_value(region->use))
            continue;
        int64_t iterations;
        bool open;
        uint64_t values = refrain_learner_values(walk->image, walk->image_bytes, &region->inside.next, NULL);
        uint64_t taken = walk->taken(walk->walk, &region->inside.next, &iterations, &open);
        state->unclaimed[n] = values > taken ? refrain_least(values - taken, walk->most_steps) : 0;
    }
    for (size_t i = 0; i < recursion->n_arcs; i++) {
        uint64_t n = (uint64_t)recursion->arcs[i].value - (uint64_t)REFRAIN_NEXT_VALUE;
        if (recursion->arcs[i].value >= REFRAIN_NEXT_VALUE && n < walk->numbered->n_regions)
            state->unclaimed[n] -= refrain_least(state->unclaimed[n], recursion->arcs[i].left);
    }
    for (size_t n = 0; n < walk->numbered->n_regions; n++)
        all += state->unclaimed[n];
    return all;
}

/* ---- values that lead to a node ---- */

static bool begins_call_site(const struct refrain_place_node *node) {
    return node->call_site && node->learner == node->call_site + offsetof(struct refrain_call_site, inside);
}

/* The number of the user region, or of the function without probes, that begins at this node; -1 if none does. */
static int64_t region_of(const struct refrain_recursion *recursion, const struct refrain_place_node *node) {
    const struct refrain_numbered *numbered = recursion->walk.numbered;
    if (node->kind || node->call_site || slot_of(recursion, node)->number < recursion->walk.n_slots)
        return -1;
    for (size_t n = 0; n < numbered->n_regions; n++)
        if (numbered->regions[n] &&
            numbered->regions[n] + offsetof(struct refrain_region_name, inside) == node->learner)
            return (int64_t)n;
    return -1;
}

/* The value of a call that begins at this node; -1 if none does. */
static int64_t call_of(const struct refrain_recursion *recursion, const struct refrain_place_node *node) {
    const struct refrain_slot *slot = slot_of(recursion, node);
    if (begins_call_site(node)) {
        const struct refrain_call_site *call_site =
            (const void *)((const unsigned char *)recursion->walk.image + node->call_site);
        return REFRAIN_NEXT_CALL + (int64_t)call_site->number;
    }
    int64_t region = region_of(recursion, node);
    if (region >= 0)
        return REFRAIN_NEXT_REGION + region;
    bool enters = !node->kind && slot->number < recursion->walk.n_slots &&
                  REFRAIN_SLOT_KIND(slot->flags) == REFRAIN_ARRIVAL_ENTER;
    return enters ? (int64_t)slot->number : -1;
}

/* The value of a step within an activation to this node; -1 if only a return or a decision leads there. */
static int64_t move_to(const struct refrain_recursion *recursion, const struct refrain_place_node *node) {
    const struct refrain_slot *slot = slot_of(recursion, node);
    if (node->call_site || slot->number >= recursion->walk.n_slots)
        return -1;
    switch (REFRAIN_SLOT_KIND(slot->flags)) {
    case REFRAIN_ARRIVAL_AT:
    case REFRAIN_ARRIVAL_DECISION:
    case REFRAIN_ARRIVAL_COUNT:
        return (int64_t)slot->number;
    case REFRAIN_ARRIVAL_DONE: /* after a loop whose probe only has a count */
        return slot->number >= 2 && slot[-2].flags & REFRAIN_SLOT_COUNTED ? (int64_t)slot->number - 2 : -1;
    default:
        return -1;
    }
}

static uint32_t function_of(const struct refrain_slot *slot) {
    return slot->number - REFRAIN_SLOT_OF_FUNCTION(slot->flags);
}

/* ---- assigning ---- */

/* Marks n unknown steps of a place as calls, after which control continues at `after`. */
static void add_calls(struct state *state, size_t from, int after, uint64_t n) {
    state->calls[from] += n;
    state->others[from] -= n;
    state->missing[after] -= n;
}

/* How many activations of a function must still begin by unknown steps. If the image has no count of them: all that
 * its entry misses. */
static uint64_t activations_left(const struct state *state, size_t entry) {
    const struct refrain_recursion *recursion = state->recursion;
    const struct refrain_place_node *node = &recursion->nodes[entry];
    const struct refrain_slot *slot = slot_of(recursion, node);
    int64_t region = region_of(recursion, node);
    if (region >= 0 &&
        recursion->walk.numbered->regions[region] + sizeof(struct refrain_region_name) <= recursion->walk.image_bytes) {
        const struct refrain_region_name *record =
            (const void *)((const unsigned char *)recursion->walk.image + recursion->walk.numbered->regions[region]);
        return record->begun > state->begun[entry] ? record->begun - state->begun[entry] : 0;
    }
    if (!(slot->flags & REFRAIN_SLOT_FUNCTION) || node->learner + 2 * sizeof *slot > recursion->walk.image_bytes)
        return state->missing[entry];
    return slot[1].count > state->begun[entry] ? slot[1].count - state->begun[entry] : 0;
}

/* How control reaches a place from within its activation, or by a return. */
enum way {
    BEFORE_RETURN, /* by a step only: a probe before a call, whose return leads to the place after it */
    BY_RETURN,     /* by a return or a decision only, so missing steps are returns */
    BY_STEP,       /* by a return, or by a step that may be unknown */
    BY_CALL        /* by a call: an activation begins */
};

static enum way way_to(const struct refrain_recursion *recursion, const struct refrain_place_node *node) {
    if (slot_of(recursion, node)->flags & REFRAIN_SLOT_CALL)
        return BEFORE_RETURN;
    return call_of(recursion, node) >= 0 ? BY_CALL : move_to(recursion, node) >= 0 ? BY_STEP : BY_RETURN;
}

/* Finds how many unknown steps of each place are calls. A place before a call has a place after it that only returns
 * reach: those of its own calls and of other calls from there. Any other call returns to its own place, and so does
 * the value of a marker or counter. If the entry of a function misses more than the activations that must still
 * begin, the difference is returns. One number remains unknown: returns to a place that steps reach, too. Their sum
 * over all places equals the number of calls left. */
static void count_calls(struct state *state) {
    struct refrain_recursion *recursion = state->recursion;
    uint64_t wanted = find_unclaimed(state), calls = 0, own_calls = 0;
    for (size_t i = 0; i < recursion->n_nodes; i++) {
        if (recursion->nodes[i].kind || call_of(recursion, &recursion->nodes[i]) < 0)
            continue;
        uint64_t left = refrain_least(state->missing[i], activations_left(state, i));
        uint64_t own = refrain_least(state->missing[i] - left, state->others[i]);
        if (!recursion->nodes[i].call_site)
            add_calls(state, i, (int)i, own);
        own_calls += recursion->nodes[i].call_site ? 0 : own;
        calls += state->missing[i];
    }
    wanted += calls;
    wanted -= refrain_least(wanted, own_calls);
    for (enum way way = BEFORE_RETURN; way < BY_CALL; way++)
        for (size_t i = 0; i < recursion->n_nodes; i++) {
            const struct refrain_place_node *node = &recursion->nodes[i];
            if (node->kind || node->call_site || node->unknown == 0 || way_to(recursion, node) != way)
                continue;
            int after = refrain_recursion_after_call(recursion, node);
            if (after == REFRAIN_NOWHERE)
                continue;
            uint64_t most = way == BEFORE_RETURN ? refrain_least(calls, wanted) : wanted;
            uint64_t n = refrain_least(refrain_least(state->others[i], state->missing[after]), most);
            add_calls(state, i, after, n);
            wanted -= n;
            calls -= refrain_least(calls, n);
        }
}

/* Assigns this value to as many steps as its destination misses, at most `most`. */
static void assign_value(struct state *state, size_t from, int64_t value, uint64_t most) {
    struct refrain_arc arc = {.value = value, .next = REFRAIN_NOWHERE, .called = REFRAIN_NOWHERE};
    refrain_recursion_resolve(state->recursion, &state->recursion->nodes[from], &arc);
    uint64_t assigned = arc.next == REFRAIN_NOWHERE ? 0 : refrain_least(most, state->missing[arc.next]);
    if (assigned == 0)
        return;
    state->others[from] -= assigned;
    state->missing[arc.next] -= assigned;
    assign(state, from, value, assigned);
}

/* Assigns steps to functions that known steps from here call. Operations of MPI calls have such callbacks. */
static void assign_known_calls(struct state *state, size_t from) {
    struct refrain_recursion *recursion = state->recursion;
    const struct refrain_place_node *node = &recursion->nodes[from];
    for (uint32_t k = 0; k < node->n_arcs; k++) {
        const struct refrain_arc *arc = &recursion->arcs[node->first_arc + k];
        if (arc->called == REFRAIN_NOWHERE || arc->next == REFRAIN_NOWHERE)
            continue;
        uint64_t assigned =
            refrain_least(refrain_least(state->others[from], state->missing[arc->called]), state->missing[arc->next]);
        state->others[from] -= assigned;
        state->missing[arc->called] -= assigned;
        state->missing[arc->next] -= assigned;
        assign(state, from, arc->value, assigned);
    }
}

/* The steps of a decision lead to its two branches. A branch has no returns: it misses just its steps from the
 * decision, beyond its own unknown steps. */
static void assign_decision(struct state *state, size_t from) {
    const struct refrain_recursion *recursion = state->recursion;
    uint64_t steps = state->others[from], size = sizeof(struct refrain_slot);
    int taken = refrain_recursion_find(recursion, recursion->nodes[from].learner + size);
    int other = refrain_recursion_find(recursion, recursion->nodes[from].learner + 2 * size);
    if (steps == 0 || taken == REFRAIN_NOWHERE || other == REFRAIN_NOWHERE)
        return;
    uint64_t of_other = state->missing[other] - refrain_least(state->missing[other], state->others[other]);
    uint64_t of_taken = refrain_least(state->missing[taken], steps - refrain_least(steps, of_other));
    state->missing[taken] -= of_taken;
    state->missing[other] -= refrain_least(state->missing[other], steps - of_taken);
    state->others[from] = 0;
    assign(state, from, 1, of_taken);
    assign(state, from, 0, steps - of_taken);
}

/* Assigns steps with few destinations: those of decisions, and those inside MPI calls to operations. */
static void assign_bound_steps(struct state *state) {
    const struct refrain_recursion *recursion = state->recursion;
    for (size_t i = 0; i < recursion->n_nodes; i++) {
        const struct refrain_place_node *node = &recursion->nodes[i];
        if (node->kind)
            assign_decision(state, i);
        if (node->call_site)
            assign_known_calls(state, i);
        for (unsigned operation = 0; node->call_site && operation < REFRAIN_OPERATIONS; operation++)
            assign_value(state, i, REFRAIN_NEXT_OPERATION + (int64_t)operation, state->others[i]);
    }
}

/* Of the calls from a place, assigns those that are values of markers and counters. `nearby`: only markers and
 * counters with a known step from this place. */
static void assign_unclaimed(struct state *state, bool nearby) {
    const struct refrain_recursion *recursion = state->recursion;
    for (size_t i = 0; i < recursion->n_nodes; i++) {
        const struct refrain_place_node *node = &recursion->nodes[i];
        bool returns_here = !node->call_site && !(slot_of(recursion, node)->flags & REFRAIN_SLOT_CALL);
        size_t n = nearby ? node->n_arcs : recursion->walk.numbered->n_regions;
        for (size_t k = 0; returns_here && k < n && state->calls[i] > 0; k++) {
            int64_t value = nearby ? recursion->arcs[node->first_arc + k].value : REFRAIN_NEXT_VALUE + (int64_t)k;
            uint64_t number = (uint64_t)value - (uint64_t)REFRAIN_NEXT_VALUE;
            if (value < REFRAIN_NEXT_VALUE || number >= recursion->walk.numbered->n_regions)
                continue;
            uint64_t assigned = refrain_least(state->calls[i], state->unclaimed[number]);
            state->calls[i] -= assigned;
            state->unclaimed[number] -= assigned;
            assign(state, i, value, assigned);
        }
    }
}

/* True if all calls of the function of this place have a caller. Else its own calls might become its only callers. */
static bool is_called(const struct state *state, const struct refrain_slot *slot) {
    int entry =
        refrain_recursion_find(state->recursion, refrain_recursion_offset(state->recursion, slot) -
                                                     (uint64_t)REFRAIN_SLOT_OF_FUNCTION(slot->flags) * sizeof *slot);
    return entry == REFRAIN_NOWHERE || state->missing[entry] == 0;
}

/* Assigns the steps of all places to places that miss some. `nearby`: only from close sources. For a call site, from
 * its own place; for a step, from the same function; for a function, from functions whose callers are known. */
static void assign_to_missing(struct state *state, bool calls, bool nearby) {
    const struct refrain_recursion *recursion = state->recursion;
    uint64_t *steps = calls ? state->calls : state->others;
    size_t *sources = refrain_calloc(recursion->n_nodes + 1, sizeof *sources), n = 0;
    if (!sources) {
        state->no_memory = true;
        return;
    }
    for (size_t i = 0; i < recursion->n_nodes; i++)
        if (steps[i] > 0 && !recursion->nodes[i].call_site)
            sources[n++] = i;
    for (size_t to = 0; to < recursion->n_nodes && n > 0; to++) {
        const struct refrain_place_node *node = &recursion->nodes[to];
        int64_t value = state->missing[to] == 0 ? -1 : calls ? call_of(recursion, node) : move_to(recursion, node);
        if (value < 0)
            continue;
        const struct refrain_call_site *call_site =
            node->call_site ? (const void *)((const unsigned char *)recursion->walk.image + node->call_site) : NULL;
        for (size_t i = 0; i < n && state->missing[to] > 0; i++) {
            const struct refrain_slot *from = slot_of(recursion, &recursion->nodes[sources[i]]);
            bool is_nearby = call_site ? call_site->slot == from->number
                             : calls   ? is_called(state, from)
                                       : function_of(from) == function_of(slot_of(recursion, node));
            uint64_t assigned = nearby && !is_nearby ? 0 : refrain_least(steps[sources[i]], state->missing[to]);
            steps[sources[i]] -= assigned;
            state->missing[to] -= assigned;
            assign(state, sources[i], value, assigned);
        }
    }
    refrain_free(sources);
}

/* Of the calls assigned to a host, gives overflow sites those that they miss. `nearby`: only overflow sites that
 * were called from this place. */
static void assign_to_overflow_sites(struct state *state, size_t from, size_t at, uint64_t *left, bool nearby) {
    const struct refrain_recursion *recursion = state->recursion;
    const struct refrain_numbered *numbered = recursion->walk.numbered;
    uint64_t number = (uint64_t)state->assignments[at].value - (uint64_t)REFRAIN_NEXT_CALL;
    uint64_t host = number < numbered->n_call_sites ? numbered->call_sites[number] : 0;
    uint32_t slot = slot_of(recursion, &recursion->nodes[from])->number;
    for (size_t g = 0; host && g < numbered->n_overflow_sites && state->assignments[at].steps > 0; g++) {
        if (left[g] == 0 || numbered->overflow_sites[g].host != host ||
            (nearby && numbered->overflow_sites[g].slot != slot))
            continue;
        uint64_t calls = refrain_least(left[g], state->assignments[at].steps);
        left[g] -= calls;
        state->assignments[at].steps -= calls;
        assign(state, from, REFRAIN_NEXT_CALL + (int64_t)g, calls);
    }
}

/* Calls from overflow sites lead to the place of their host. Those without a known step are taken from the calls of
 * the host. */
static void assign_overflow_site_calls(struct state *state) {
    const struct refrain_recursion *recursion = state->recursion;
    const struct refrain_numbered *numbered = recursion->walk.numbered;
    uint64_t *left = refrain_calloc(numbered->n_overflow_sites + 1, sizeof *left);
    state->no_memory |= !left;
    for (size_t g = 0; left && g < numbered->n_overflow_sites; g++)
        left[g] = numbered->overflow_sites[g].host ? numbered->overflow_sites[g].calls_left : 0;
    for (size_t i = 0; left && i < recursion->n_arcs; i++) {
        uint64_t g = (uint64_t)recursion->arcs[i].value - (uint64_t)REFRAIN_NEXT_CALL;
        if (g < numbered->n_overflow_sites)
            left[g] -= refrain_least(left[g], recursion->arcs[i].left);
    }
    for (unsigned round = 0; left && round < 2; round++)
        for (size_t from = 0; from < recursion->n_nodes; from++)
            for (size_t at = state->first[from]; at && !state->no_memory; at = state->assignments[at - 1].next)
                assign_to_overflow_sites(state, from, at - 1, left, round == 0);
    refrain_free(left);
}

/* Adds the assignments to the arcs of their nodes. */
static bool add_arcs(struct state *state) {
    struct refrain_recursion *recursion = state->recursion;
    size_t capacity = recursion->n_arcs + state->n_assignments, n = 0;
    struct refrain_arc *arcs = refrain_calloc(capacity + 1, sizeof *arcs);
    if (!arcs)
        return false;
    for (size_t i = 0; i < recursion->n_nodes; i++) {
        struct refrain_place_node *node = &recursion->nodes[i];
        size_t first = n;
        for (uint32_t k = 0; k < node->n_arcs; k++)
            arcs[n++] = recursion->arcs[node->first_arc + k];
        for (size_t at = state->first[i]; at; at = state->assignments[at - 1].next) {
            const struct assignment *assignment = &state->assignments[at - 1];
            size_t k = first;
            while (k < n && arcs[k].value != assignment->value)
                k++;
            if (k == n) {
                arcs[n] = (struct refrain_arc){
                    .value = assignment->value, .next = REFRAIN_NOWHERE, .called = REFRAIN_NOWHERE};
                refrain_recursion_resolve(recursion, node, &arcs[n++]);
            }
            arcs[k].left += assignment->steps;
            arcs[k].assigned += assignment->steps;
        }
        node->first_arc = (uint32_t)first;
        node->n_arcs = (uint32_t)(n - first);
    }
    refrain_free(recursion->arcs);
    recursion->arcs = arcs;
    recursion->n_arcs = n;
    recursion->capacity_arcs = capacity + 1;
    return true;
}

bool refrain_recursion_assign_unknown(struct refrain_recursion *recursion) {
    bool any = false;
    for (size_t i = 0; i < recursion->n_nodes && !any; i++)
        any = recursion->nodes[i].unknown > 0;
    if (!any)
        return true;
    size_t n = recursion->n_nodes + 1;
    struct state state = {.recursion = recursion,
                          .missing = refrain_calloc(n, sizeof *state.missing),
                          .begun = refrain_calloc(n, sizeof *state.begun),
                          .unclaimed = refrain_calloc(recursion->walk.numbered->n_regions + 1, sizeof *state.unclaimed),
                          .calls = refrain_calloc(n, sizeof *state.calls),
                          .others = refrain_calloc(n, sizeof *state.others),
                          .first = refrain_calloc(n, sizeof *state.first)};
    bool sound = state.missing && state.begun && state.unclaimed && state.calls && state.others && state.first &&
                 find_missing(&state);
    if (sound) {
        for (size_t i = 0; i < recursion->n_nodes; i++)
            state.others[i] = recursion->nodes[i].unknown;
        assign_bound_steps(&state);
        count_calls(&state);
        assign_unclaimed(&state, true);
        assign_unclaimed(&state, false);
        for (unsigned round = 0; round < CALL_ROUNDS; round++)
            assign_to_missing(&state, true, true);
        assign_to_missing(&state, true, false);
        assign_to_missing(&state, false, true);
        assign_to_missing(&state, false, false);
        assign_overflow_site_calls(&state);
        for (size_t i = 0; i < recursion->n_nodes; i++)
            assign(&state, i, REFRAIN_NEXT_EXIT, state.calls[i] + state.others[i]);
        sound = !state.no_memory && add_arcs(&state);
    }
    refrain_free(state.missing);
    refrain_free(state.begun);
    refrain_free(state.unclaimed);
    refrain_free(state.calls);
    refrain_free(state.others);
    refrain_free(state.first);
    refrain_free(state.assignments);
    return sound;
}
