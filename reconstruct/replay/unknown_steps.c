/* unknown_steps.c: where the steps go of which only the number is known (recursion_graph.h).
 *
 * A place that had no room to count one more kind of step has counted it as "another". But every place is left as often
 * as it is reached (docs/design.md), and how often each is left is known. So what the known steps into a place lack of
 * that is what came by unknown ones, and these are shared out until nothing lacks: decisions first, and
 * what an MPI call tells, as they lead to few places; then calls, told by how often the place after a call is left;
 * then steps within the function; then any; what is left over are ends of activations. Where steps were counted the
 * last one of each place is known, so that all can be walked whichever place lends its steps to which. */
#include "arena.h"
#include "array.h"
#include "recursion_graph.h"

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
    uint64_t *calls;  /* by node: unknown steps that are calls ... */
    uint64_t *others; /* ... and those that are not */
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
    struct share *shares =
        refrain_array_room_of(refrain_realloc, sharing->shares, sharing->n_shares, &sharing->capacity, sizeof *shares);
    sharing->no_memory |= !shares;
    if (!shares)
        return;
    sharing->shares = shares;
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
    for (size_t i = 0; i < recursion->n_nodes; i++)
        for (uint32_t k = 0; k < recursion->nodes[i].n_arcs; k++) {
            const struct refrain_arc *arc = &recursion->arcs[recursion->nodes[i].first_arc + k];
            reached(times, arc->next, arc->left);
            reached(times, arc->called, arc->left);
        }
    /* The activations that are open have reached the places where they are or will go on. */
    const unsigned char *image = recursion->walk.image;
    reached(times, refrain_recursion_find(recursion, (uint64_t)((const unsigned char *)recursion->walk.at - image)), 1);
    size_t depth = recursion->walk.depth(recursion->walk.walk);
    for (size_t i = 0; i + 1 < depth; i++) {
        const struct refrain_slot *slot = recursion->walk.place(recursion->walk.walk, i);
        uint64_t offset = (uint64_t)((const unsigned char *)slot - image);
        reached(times, refrain_recursion_find(recursion, offset + (slot->flags & REFRAIN_SLOT_CALL ? sizeof *slot : 0)),
                1);
    }
    for (size_t i = 0; i < recursion->n_nodes; i++) {
        const struct refrain_place_node *node = &recursion->nodes[i];
        uint64_t left = node->unknown;
        for (uint32_t k = 0; k < node->n_arcs; k++)
            left += recursion->arcs[node->first_arc + k].left;
        sharing->lacks[i] = left > times[i] ? left - times[i] : 0;
    }
    refrain_free(times);
    return true;
}

/* ---- values that lead to a node ---- */

static bool begins_call_site(const struct refrain_place_node *node) {
    return node->call_site && node->learner == node->call_site + offsetof(struct refrain_call_site, inside);
}

/* The value of a call that begins at this node; -1 where none does. */
static int64_t call_of(const struct refrain_recursion *recursion, const struct refrain_place_node *node) {
    const struct refrain_slot *slot = slot_of(recursion, node);
    if (begins_call_site(node)) {
        const struct refrain_call_site *call_site =
            (const void *)((const unsigned char *)recursion->walk.image + node->call_site);
        return REFRAIN_NEXT_CALL + (int64_t)call_site->number;
    }
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

/* How many unknown steps of each place are calls. A probe at a call has a place behind it that only its returns lead
 * to; elsewhere a call leads back to its own place. */
static void tell_calls(struct sharing *sharing) {
    struct refrain_recursion *recursion = sharing->recursion;
    uint64_t wanted = 0;
    for (size_t i = 0; i < recursion->n_nodes; i++)
        if (call_of(recursion, &recursion->nodes[i]) >= 0)
            wanted += sharing->lacks[i];
    for (unsigned round = 0; round < 2; round++)
        for (size_t i = 0; i < recursion->n_nodes; i++) {
            const struct refrain_place_node *node = &recursion->nodes[i];
            bool has_return = slot_of(recursion, node)->flags & REFRAIN_SLOT_CALL;
            int after =
                node->unknown && !node->call_site ? refrain_recursion_after_call(recursion, node) : REFRAIN_NOWHERE;
            if (after == REFRAIN_NOWHERE || has_return != (round == 0))
                continue;
            uint64_t n = refrain_least(refrain_least(node->unknown, sharing->lacks[after]), wanted);
            sharing->calls[i] = n;
            sharing->others[i] -= n;
            sharing->lacks[after] -= n;
            wanted -= n;
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
        uint64_t lent = refrain_least(sharing->others[from], sharing->lacks[arc->called]);
        sharing->others[from] -= lent;
        sharing->lacks[arc->called] -= lent;
        sharing->lacks[arc->next] -= refrain_least(lent, sharing->lacks[arc->next]);
        share(sharing, from, arc->value, lent);
    }
}

/* Steps that lead to few places and nowhere else: a decision's to its two branches, one in an MPI call to what it told.
 */
static void lend_bound_steps(struct sharing *sharing) {
    const struct refrain_recursion *recursion = sharing->recursion;
    for (size_t i = 0; i < recursion->n_nodes; i++) {
        const struct refrain_place_node *node = &recursion->nodes[i];
        if (node->kind) {
            lend_value(sharing, i, 1, sharing->others[i]);
            share(sharing, i, 0, sharing->others[i]);
            sharing->others[i] = 0;
        }
        if (node->call_site)
            lend_known_calls(sharing, i);
        for (unsigned operation = 0; node->call_site && operation < REFRAIN_OPERATIONS; operation++)
            lend_value(sharing, i, REFRAIN_NEXT_OPERATION + (int64_t)operation, sharing->others[i]);
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
                              .calls = refrain_calloc(n, sizeof *sharing.calls),
                              .others = refrain_calloc(n, sizeof *sharing.others),
                              .first = refrain_calloc(n, sizeof *sharing.first)};
    bool sound = sharing.lacks && sharing.calls && sharing.others && sharing.first && find_lacks(&sharing);
    if (sound) {
        for (size_t i = 0; i < recursion->n_nodes; i++)
            sharing.others[i] = recursion->nodes[i].unknown;
        lend_bound_steps(&sharing);
        tell_calls(&sharing);
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
    refrain_free(sharing.calls);
    refrain_free(sharing.others);
    refrain_free(sharing.first);
    refrain_free(sharing.shares);
    return sound;
}
