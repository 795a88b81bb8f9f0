/* unknown_steps.c: where the steps go of which only the number is known (recursion_graph.h).
 *
 * A place that had no room to count one more kind of step has counted it as "another". But every place is left as often
 * as it is reached (docs/counts.md), and how often each is left is known. So what the known steps into a place lack of
 * that is what came by unknown ones, and these are shared out until nothing lacks: decisions first, and what an MPI
 * call tells, as they lead to few places; then calls, told by how often the place after a call is left, and by how
 * often functions were entered; then steps within the function; then any; what is left over are ends of activations.
 * Where steps were counted the last one of each place is known, so that all can be walked whichever place lends its
 * steps to which. */
#include "common/arena.h"
#include "common/array.h"
#include "sequence/sequence.h"
#include "walk/recursion_graph.h"

#include <refrain/amounts.h>
#include <refrain/unit.h>
#include <stdlib.h>
#include <string.h>

#define CALL_ROUNDS 8u /* each finds callers for what the functions called that got theirs in the one before */

/* Steps from `node` that become steps of this value. */
struct share {
    int64_t value;
    uint64_t steps;
    size_t next; /* of the node's shares, + 1 */
};

struct sharing {
    struct refrain_recursion *recursion;
    uint64_t *lacks;  /* by node: times it is left for which no known step leads there */
    uint64_t *begun;  /* by node: activations that have begun there, and those that known steps begin */
    uint64_t *told;   /* by number of a marker or counter: values of it that no known step tells */
    uint64_t *calls;  /* by node: unknown steps that are calls, or tell such a value ... */
    uint64_t *others; /* ... and those that are not, or are not told apart yet */
    size_t *first;    /* by node: share, + 1 */
    struct share *shares;
    size_t n_shares, capacity;
    bool no_memory;
};

static const struct refrain_slot *slot_of(const struct refrain_recursion *recursion,
                                          const struct refrain_place_node *node) {
    return (const void *)((const unsigned char *)recursion->walk.image + node->learner);
}

static void share(struct sharing *sharing, size_t from, int64_t value, uint64_t steps) {
    if (steps == 0)
        return;
    if (!REFRAIN_ARENA_ROOM(sharing->shares, sharing->n_shares, sharing->capacity)) {
        sharing->no_memory = true;
        return;
    }
    sharing->shares[sharing->n_shares] = (struct share){.value = value, .steps = steps, .next = sharing->first[from]};
    sharing->first[from] = ++sharing->n_shares;
}

/* ---- what is lacking ---- */

static void reached(uint64_t *times, int node, uint64_t n) {
    if (node != REFRAIN_NOWHERE)
        times[node] += n;
}

static bool find_lacks(struct sharing *sharing) {
    const struct refrain_recursion *recursion = sharing->recursion;
    uint64_t *times = refrain_calloc(recursion->n_nodes + 1, sizeof *times); /* that known steps lead to a node */
    if (!times)
        return false;
    uint64_t *begun = sharing->begun;
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
    /* The activations that are open have reached the places where they are or will go on. */
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
        /* Control has come to the bottom of the thread once more than it left it, when the thread ends. */
        left += recursion->nodes[i].learner == bottom;
        sharing->lacks[i] = left > times[i] ? left - times[i] : 0;
    }
    refrain_free(times);
    return true;
}

/* Values that steps tell, of markers and the like: as many as there are. Returns how many no known step tells. */
static uint64_t find_told(struct sharing *sharing) {
    const struct refrain_recursion *recursion = sharing->recursion;
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
        sharing->told[n] = values > taken ? refrain_least(values - taken, walk->most_steps) : 0;
    }
    for (size_t i = 0; i < recursion->n_arcs; i++) {
        uint64_t n = (uint64_t)recursion->arcs[i].value - (uint64_t)REFRAIN_NEXT_VALUE;
        if (recursion->arcs[i].value >= REFRAIN_NEXT_VALUE && n < walk->numbered->n_regions)
            sharing->told[n] -= refrain_least(sharing->told[n], recursion->arcs[i].left);
    }
    for (size_t n = 0; n < walk->numbered->n_regions; n++)
        all += sharing->told[n];
    return all;
}

/* ---- values that lead to a node ---- */

static bool begins_call_site(const struct refrain_place_node *node) {
    return node->call_site && node->learner == node->call_site + offsetof(struct refrain_call_site, inside);
}

/* The number of the user region, or function without probes, that is entered at this node; -1 where none is. */
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

/* The value of a call that begins at this node; -1 where none does. */
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

/* The value of a step to this node within an activation; -1 where only a return or a decision leads there. */
static int64_t move_to(const struct refrain_recursion *recursion, const struct refrain_place_node *node) {
    const struct refrain_slot *slot = slot_of(recursion, node);
    if (node->call_site || slot->number >= recursion->walk.n_slots)
        return -1;
    switch (REFRAIN_SLOT_KIND(slot->flags)) {
    case REFRAIN_ARRIVAL_AT:
    case REFRAIN_ARRIVAL_DECISION:
    case REFRAIN_ARRIVAL_COUNT:
        return (int64_t)slot->number;
    case REFRAIN_ARRIVAL_DONE: /* behind a loop that tells its count alone */
        return slot->number >= 2 && slot[-2].flags & REFRAIN_SLOT_COUNTED ? (int64_t)slot->number - 2 : -1;
    default:
        return -1;
    }
}

static uint32_t function_of(const struct refrain_slot *slot) {
    return slot->number - REFRAIN_SLOT_OF_FUNCTION(slot->flags);
}

/* ---- sharing out ---- */

/* So many unknown steps of a place are calls, after which it goes on there. */
static void add_calls(struct sharing *sharing, size_t from, int after, uint64_t n) {
    sharing->calls[from] += n;
    sharing->others[from] -= n;
    sharing->lacks[after] -= n;
}

/* The activations of a function that are still to begin by unknown steps; all that its entry lacks, where the image
 * does not say how many there were. */
static uint64_t activations_left(const struct sharing *sharing, size_t entry) {
    const struct refrain_recursion *recursion = sharing->recursion;
    const struct refrain_place_node *node = &recursion->nodes[entry];
    const struct refrain_slot *slot = slot_of(recursion, node);
    int64_t region = region_of(recursion, node);
    if (region >= 0 &&
        recursion->walk.numbered->regions[region] + sizeof(struct refrain_region_name) <= recursion->walk.image_bytes) {
        const struct refrain_region_name *record =
            (const void *)((const unsigned char *)recursion->walk.image + recursion->walk.numbered->regions[region]);
        return record->begun > sharing->begun[entry] ? record->begun - sharing->begun[entry] : 0;
    }
    if (!(slot->flags & REFRAIN_SLOT_FUNCTION) || node->learner + 2 * sizeof *slot > recursion->walk.image_bytes)
        return sharing->lacks[entry];
    return slot[1].count > sharing->begun[entry] ? slot[1].count - sharing->begun[entry] : 0;
}

/* How control comes to a place from another one of its activation, or by a call that returns. */
enum way {
    BEFORE_RETURN, /* a probe at a call: not by its own calls, which return to the place behind it */
    BY_RETURN,     /* only so, or by a decision: what it lacks then are returns */
    BY_STEP,       /* as well by a step of which only the number is known */
    BY_CALL        /* it begins an activation */
};

static enum way way_to(const struct refrain_recursion *recursion, const struct refrain_place_node *node) {
    if (slot_of(recursion, node)->flags & REFRAIN_SLOT_CALL)
        return BEFORE_RETURN;
    return call_of(recursion, node) >= 0 ? BY_CALL : move_to(recursion, node) >= 0 ? BY_STEP : BY_RETURN;
}

/* How many unknown steps of each place are calls. A probe at a call has a place behind it that only returns lead to:
 * its own, and those of calls from there. Other calls lead back to their own place, as what tells a value does. What a
 * function's entry lacks beyond the activations that are still to begin are returns. So all is known but how often
 * control came to a place by a return that steps lead to as well: together that is as often as calls are left. */
static void tell_calls(struct sharing *sharing) {
    struct refrain_recursion *recursion = sharing->recursion;
    uint64_t wanted = find_told(sharing), calls = 0, own_calls = 0;
    for (size_t i = 0; i < recursion->n_nodes; i++) {
        if (recursion->nodes[i].kind || call_of(recursion, &recursion->nodes[i]) < 0)
            continue;
        uint64_t left = refrain_least(sharing->lacks[i], activations_left(sharing, i));
        uint64_t own = refrain_least(sharing->lacks[i] - left, sharing->others[i]);
        if (!recursion->nodes[i].call_site)
            add_calls(sharing, i, (int)i, own);
        own_calls += recursion->nodes[i].call_site ? 0 : own;
        calls += sharing->lacks[i];
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
            uint64_t n = refrain_least(refrain_least(sharing->others[i], sharing->lacks[after]), most);
            add_calls(sharing, i, after, n);
            wanted -= n;
            calls -= refrain_least(calls, n);
        }
}

/* Lends as many steps of this value as what they lead to lacks, at most `most`. */
static void lend_value(struct sharing *sharing, size_t from, int64_t value, uint64_t most) {
    struct refrain_arc arc = {.value = value, .next = REFRAIN_NOWHERE, .called = REFRAIN_NOWHERE};
    refrain_recursion_resolve(sharing->recursion, &sharing->recursion->nodes[from], &arc);
    uint64_t lent = arc.next == REFRAIN_NOWHERE ? 0 : refrain_least(most, sharing->lacks[arc.next]);
    if (lent == 0)
        return;
    sharing->others[from] -= lent;
    sharing->lacks[arc.next] -= lent;
    share(sharing, from, value, lent);
}

/* Lends steps to functions that are known to have been called from here: operations of MPI calls call back. */
static void lend_known_calls(struct sharing *sharing, size_t from) {
    struct refrain_recursion *recursion = sharing->recursion;
    const struct refrain_place_node *node = &recursion->nodes[from];
    for (uint32_t k = 0; k < node->n_arcs; k++) {
        const struct refrain_arc *arc = &recursion->arcs[node->first_arc + k];
        if (arc->called == REFRAIN_NOWHERE || arc->next == REFRAIN_NOWHERE)
            continue;
        uint64_t lent =
            refrain_least(refrain_least(sharing->others[from], sharing->lacks[arc->called]), sharing->lacks[arc->next]);
        sharing->others[from] -= lent;
        sharing->lacks[arc->called] -= lent;
        sharing->lacks[arc->next] -= lent;
        share(sharing, from, arc->value, lent);
    }
}

/* A decision's steps lead to its two branches. What a branch lacks beyond its own unknown steps is no return of a call.
 */
static void lend_decision(struct sharing *sharing, size_t from) {
    const struct refrain_recursion *recursion = sharing->recursion;
    uint64_t steps = sharing->others[from], size = sizeof(struct refrain_slot);
    int taken = refrain_recursion_find(recursion, recursion->nodes[from].learner + size);
    int other = refrain_recursion_find(recursion, recursion->nodes[from].learner + 2 * size);
    if (steps == 0 || taken == REFRAIN_NOWHERE || other == REFRAIN_NOWHERE)
        return;
    uint64_t of_other = sharing->lacks[other] - refrain_least(sharing->lacks[other], sharing->others[other]);
    uint64_t of_taken = refrain_least(sharing->lacks[taken], steps - refrain_least(steps, of_other));
    sharing->lacks[taken] -= of_taken;
    sharing->lacks[other] -= refrain_least(sharing->lacks[other], steps - of_taken);
    sharing->others[from] = 0;
    share(sharing, from, 1, of_taken);
    share(sharing, from, 0, steps - of_taken);
}

/* Steps that lead to few places and nowhere else: a decision's, and one in an MPI call to what it told. */
static void lend_bound_steps(struct sharing *sharing) {
    const struct refrain_recursion *recursion = sharing->recursion;
    for (size_t i = 0; i < recursion->n_nodes; i++) {
        const struct refrain_place_node *node = &recursion->nodes[i];
        if (node->kind)
            lend_decision(sharing, i);
        if (node->call_site)
            lend_known_calls(sharing, i);
        for (unsigned operation = 0; node->call_site && operation < REFRAIN_OPERATIONS; operation++)
            lend_value(sharing, i, REFRAIN_NEXT_OPERATION + (int64_t)operation, sharing->others[i]);
    }
}

/* Of what leads back to a place, values that are told there; `near`: only those that are known to be. */
static void lend_told(struct sharing *sharing, bool near) {
    const struct refrain_recursion *recursion = sharing->recursion;
    for (size_t i = 0; i < recursion->n_nodes; i++) {
        const struct refrain_place_node *node = &recursion->nodes[i];
        bool returns_here = !node->call_site && !(slot_of(recursion, node)->flags & REFRAIN_SLOT_CALL);
        size_t n = near ? node->n_arcs : recursion->walk.numbered->n_regions;
        for (size_t k = 0; returns_here && k < n && sharing->calls[i] > 0; k++) {
            int64_t value = near ? recursion->arcs[node->first_arc + k].value : REFRAIN_NEXT_VALUE + (int64_t)k;
            uint64_t number = (uint64_t)value - (uint64_t)REFRAIN_NEXT_VALUE;
            if (value < REFRAIN_NEXT_VALUE || number >= recursion->walk.numbered->n_regions)
                continue;
            uint64_t lent = refrain_least(sharing->calls[i], sharing->told[number]);
            sharing->calls[i] -= lent;
            sharing->told[number] -= lent;
            share(sharing, i, value, lent);
        }
    }
}

/* Is it known who calls the function of this place, as often as it is called? Else its calls might come to be its own,
 * and nobody else's. */
static bool is_called(const struct sharing *sharing, const struct refrain_slot *slot) {
    int entry =
        refrain_recursion_find(sharing->recursion, refrain_recursion_offset(sharing->recursion, slot) -
                                                       (uint64_t)REFRAIN_SLOT_OF_FUNCTION(slot->flags) * sizeof *slot);
    return entry == REFRAIN_NOWHERE || sharing->lacks[entry] == 0;
}

/* Lets the places lend steps to what lacks some, those `near` it first: its own call site, the same function; to a
 * function those of functions whose callers are known. */
static void lend(struct sharing *sharing, bool calls, bool near) {
    const struct refrain_recursion *recursion = sharing->recursion;
    uint64_t *steps = calls ? sharing->calls : sharing->others;
    size_t *lending = refrain_calloc(recursion->n_nodes + 1, sizeof *lending), n = 0;
    if (!lending) {
        sharing->no_memory = true;
        return;
    }
    for (size_t i = 0; i < recursion->n_nodes; i++)
        if (steps[i] > 0 && !recursion->nodes[i].call_site)
            lending[n++] = i;
    for (size_t to = 0; to < recursion->n_nodes && n > 0; to++) {
        const struct refrain_place_node *node = &recursion->nodes[to];
        int64_t value = sharing->lacks[to] == 0 ? -1 : calls ? call_of(recursion, node) : move_to(recursion, node);
        if (value < 0)
            continue;
        const struct refrain_call_site *call_site =
            node->call_site ? (const void *)((const unsigned char *)recursion->walk.image + node->call_site) : NULL;
        for (size_t i = 0; i < n && sharing->lacks[to] > 0; i++) {
            const struct refrain_slot *from = slot_of(recursion, &recursion->nodes[lending[i]]);
            bool is_near = call_site ? call_site->slot == from->number
                           : calls   ? is_called(sharing, from)
                                     : function_of(from) == function_of(slot_of(recursion, node));
            uint64_t lent = near && !is_near ? 0 : refrain_least(steps[lending[i]], sharing->lacks[to]);
            steps[lending[i]] -= lent;
            sharing->lacks[to] -= lent;
            share(sharing, lending[i], value, lent);
        }
    }
    refrain_free(lending);
}

/* Of a share of calls to a host, what its guests lack of theirs; `near`: those that were called from this place first.
 */
static void share_calls(struct sharing *sharing, size_t from, size_t at, uint64_t *left, bool near) {
    const struct refrain_recursion *recursion = sharing->recursion;
    const struct refrain_numbered *numbered = recursion->walk.numbered;
    uint64_t number = (uint64_t)sharing->shares[at].value - (uint64_t)REFRAIN_NEXT_CALL;
    uint64_t host = number < numbered->n_call_sites ? numbered->call_sites[number] : 0;
    uint32_t slot = slot_of(recursion, &recursion->nodes[from])->number;
    for (size_t g = 0; host && g < numbered->n_guests && sharing->shares[at].steps > 0; g++) {
        if (left[g] == 0 || numbered->guests[g].host != host || (near && numbered->guests[g].slot != slot))
            continue;
        uint64_t calls = refrain_least(left[g], sharing->shares[at].steps);
        left[g] -= calls;
        sharing->shares[at].steps -= calls;
        share(sharing, from, REFRAIN_NEXT_CALL + (int64_t)g, calls);
    }
}

/* Calls from guests come to the place of their host: those that no known step tells of are taken from its calls. */
static void share_with_guests(struct sharing *sharing) {
    const struct refrain_recursion *recursion = sharing->recursion;
    const struct refrain_numbered *numbered = recursion->walk.numbered;
    uint64_t *left = refrain_calloc(numbered->n_guests + 1, sizeof *left);
    sharing->no_memory |= !left;
    for (size_t g = 0; left && g < numbered->n_guests; g++)
        left[g] = numbered->guests[g].host ? numbered->guests[g].calls_left : 0;
    for (size_t i = 0; left && i < recursion->n_arcs; i++) {
        uint64_t g = (uint64_t)recursion->arcs[i].value - (uint64_t)REFRAIN_NEXT_CALL;
        if (g < numbered->n_guests)
            left[g] -= refrain_least(left[g], recursion->arcs[i].left);
    }
    for (unsigned round = 0; left && round < 2; round++)
        for (size_t from = 0; from < recursion->n_nodes; from++)
            for (size_t at = sharing->first[from]; at && !sharing->no_memory; at = sharing->shares[at - 1].next)
                share_calls(sharing, from, at - 1, left, round == 0);
    refrain_free(left);
}

/* Adds the shares to the arcs of their places. */
static bool add_arcs(struct sharing *sharing) {
    struct refrain_recursion *recursion = sharing->recursion;
    size_t capacity = recursion->n_arcs + sharing->n_shares, n = 0;
    struct refrain_arc *arcs = refrain_calloc(capacity + 1, sizeof *arcs);
    if (!arcs)
        return false;
    for (size_t i = 0; i < recursion->n_nodes; i++) {
        struct refrain_place_node *node = &recursion->nodes[i];
        size_t first = n;
        for (uint32_t k = 0; k < node->n_arcs; k++)
            arcs[n++] = recursion->arcs[node->first_arc + k];
        for (size_t at = sharing->first[i]; at; at = sharing->shares[at - 1].next) {
            const struct share *share = &sharing->shares[at - 1];
            size_t k = first;
            while (k < n && arcs[k].value != share->value)
                k++;
            if (k == n) {
                arcs[n] =
                    (struct refrain_arc){.value = share->value, .next = REFRAIN_NOWHERE, .called = REFRAIN_NOWHERE};
                refrain_recursion_resolve(recursion, node, &arcs[n++]);
            }
            arcs[k].left += share->steps;
            arcs[k].shared_out += share->steps;
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

bool refrain_recursion_share_out(struct refrain_recursion *recursion) {
    bool any = false;
    for (size_t i = 0; i < recursion->n_nodes && !any; i++)
        any = recursion->nodes[i].unknown > 0;
    if (!any)
        return true;
    size_t n = recursion->n_nodes + 1;
    struct sharing sharing = {.recursion = recursion,
                              .lacks = refrain_calloc(n, sizeof *sharing.lacks),
                              .begun = refrain_calloc(n, sizeof *sharing.begun),
                              .told = refrain_calloc(recursion->walk.numbered->n_regions + 1, sizeof *sharing.told),
                              .calls = refrain_calloc(n, sizeof *sharing.calls),
                              .others = refrain_calloc(n, sizeof *sharing.others),
                              .first = refrain_calloc(n, sizeof *sharing.first)};
    bool sound = sharing.lacks && sharing.begun && sharing.told && sharing.calls && sharing.others && sharing.first &&
                 find_lacks(&sharing);
    if (sound) {
        for (size_t i = 0; i < recursion->n_nodes; i++)
            sharing.others[i] = recursion->nodes[i].unknown;
        lend_bound_steps(&sharing);
        tell_calls(&sharing);
        lend_told(&sharing, true);
        lend_told(&sharing, false);
        for (unsigned round = 0; round < CALL_ROUNDS; round++)
            lend(&sharing, true, true);
        lend(&sharing, true, false);
        lend(&sharing, false, true);
        lend(&sharing, false, false);
        share_with_guests(&sharing);
        for (size_t i = 0; i < recursion->n_nodes; i++)
            share(&sharing, i, REFRAIN_NEXT_EXIT, sharing.calls[i] + sharing.others[i]);
        sound = !sharing.no_memory && add_arcs(&sharing);
    }
    refrain_free(sharing.lacks);
    refrain_free(sharing.begun);
    refrain_free(sharing.told);
    refrain_free(sharing.calls);
    refrain_free(sharing.others);
    refrain_free(sharing.first);
    refrain_free(sharing.shares);
    return sound;
}
