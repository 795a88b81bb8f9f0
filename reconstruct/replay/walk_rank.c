/* walk_rank.c: the stack machine (walk_rank.h). It mirrors the monitor's probe.c and call.c step by step: what they
 * feed, it takes, in the same order. */
#include "walk_rank.h"
#include "arena.h"
#include "block_times.h"
#include "places.h"
#include "probe_costs.h"
#include "recursion.h"
#include "successors.h"
#include "walk_requests.h"

#include <refrain/settings.h>
#include <refrain/unit.h>
#include <string.h>

/* Steps that are walked beyond those the run had time for: the clocks they are judged by are not read at every step,
 * and those of a process that has not finished say nothing of what it did since. */
#define SPARE_STEPS ((uint64_t)1 << 24)
#define SPARE_STEPS_UNFINISHED ((uint64_t)1 << 30)
#define MOST_TICKS_PER_NS 16u
/* Numbers of MPI functions in traces. */
enum mpi_function {
#define REFRAIN_MPI_CALL(name, class, collective) CALL_##name,
#include <refrain/mpi_calls.def>
#undef REFRAIN_MPI_CALL
};

#define MOST_OVER_MEAN 4u /* times the mean of its stretch that a visit is expected to take at most; and at least */

struct activation {
    struct refrain_walk_place *at; /* of its last slot */
    uint64_t id;
    uint8_t kind; /* enum refrain_record_kind of its entering */
    bool returned;
    uint64_t begin_ticks, end_ticks;
    uint64_t begin_cost, end_cost;
};

struct slot_info {
    uint64_t offset;
    uint32_t kind; /* enum refrain_node_kind */
};

struct refrain_walk {
    const unsigned char *region;
    size_t region_bytes;
    const struct refrain_header *header;
    const struct refrain_thread *thread;
    unsigned thread_number;
    struct refrain_numbered numbered;
    struct slot_info *slots; /* by number */
    uint32_t n_slots;
    struct refrain_walk_places places;
    struct activation *stack;
    size_t depth, capacity_stack; /* stack[0] is the thread's root */
    struct refrain_walk_requests requests;
    uint64_t owed;              /* completions that came where no request was under way: with the next ones */
    uint64_t completing_site;   /* of the call that completed one last */
    int64_t run_next, run_left; /* requests that complete together: the next one's number, how many are left */
    uint64_t ticks;
    uint64_t cost; /* of the probes so far (struct refrain_record) */
    struct refrain_block_times times;
    struct refrain_record *waiting; /* records of blocks whose times are not known yet */
    size_t first_waiting, n_waiting, capacity_waiting;
    uint64_t steps_left;      /* that the run had time for */
    uint64_t successors_left; /* once it is known: values that tell what came next and have not been taken */
    bool counts_successors;
    struct refrain_recursion *recursion; /* once the order is our own ... */
    bool knows_recursion;                /* ... and unless there was no memory for it */
    bool approximate;
    bool ended;
    const char *wrong;
    uint64_t wrong_offset;
};

static bool wrong(struct refrain_walk *walk, const void *at, const char *what) {
    if (!walk->wrong) {
        walk->wrong = what;
        walk->wrong_offset = at ? (uint64_t)((const unsigned char *)at - walk->region) : 0;
    }
    walk->ended = true;
    return false;
}

/* What is to come does not go with what has been: damage, but where the order of values is our own. */
static bool impossible(struct refrain_walk *walk, const void *at, const char *what) {
    return walk->approximate ? false : wrong(walk, at, what);
}

static const void *at_offset(struct refrain_walk *walk, uint64_t offset, uint64_t bytes) {
    if (offset < REFRAIN_HEADER_BYTES || offset % 8 || offset > walk->region_bytes ||
        bytes > walk->region_bytes - offset) {
        wrong(walk, walk->region, "a reference leads out of the region");
        walk->wrong_offset = offset;
        return NULL;
    }
    return walk->region + offset;
}

/* ---- what is known of learners ---- */

static struct refrain_walk_place *place_of(struct refrain_walk *walk, const struct refrain_learner *learner) {
    struct refrain_walk_place *place = refrain_walk_places_get(&walk->places, learner);
    if (!place)
        wrong(walk, NULL, "no memory");
    return place;
}

static struct refrain_walk_place *place_of_slot(struct refrain_walk *walk, const struct refrain_slot *slot) {
    struct refrain_walk_place *place = place_of(walk, &slot->next);
    if (place)
        place->slot = slot;
    return place;
}

/* The slot that lies `n` (1 or 2) behind that of a place, both within the region. */
static struct refrain_walk_place *place_beyond(struct refrain_walk *walk, struct refrain_walk_place *place,
                                               unsigned n) {
    struct refrain_walk_place **beyond = &place->beyond[n - 1];
    if (!*beyond)
        *beyond = place_of_slot(walk, place->slot + n);
    return *beyond;
}

/* Takes the next value of a place; false at its end, which is where the walk ends. */
static bool take_from(struct refrain_walk *walk, struct refrain_walk_place *place, int64_t *value, bool *approximate) {
    if (!refrain_sequence_next(&place->sequence, value)) {
        const struct refrain_terms *terms = &place->sequence.terms;
        if (terms->wrong)
            wrong(walk, walk->region + terms->wrong_offset, terms->wrong);
        walk->ended = true;
        return false;
    }
    place->taken++;
    *approximate |= place->sequence.approximate;
    return true;
}

/* ---- steps whose order is our own ---- */

static uint64_t slot_at(const void *of, uint32_t number, uint32_t *kind) {
    const struct refrain_walk *walk = of;
    *kind = walk->slots[number].kind;
    return walk->slots[number].offset;
}

static uint64_t taken_of(const void *of, const struct refrain_learner *learner, int64_t *iterations, bool *open) {
    const struct refrain_walk *walk = of;
    const struct refrain_walk_place *place =
        refrain_walk_places_find(&walk->places, learner); /* also of a loop whose end never came */
    *iterations = place && place->counting ? (int64_t)place->remaining : -1;
    *open = place && place->counting && place->pending;
    return place ? place->taken : 0;
}

static size_t depth_of(const void *walk) {
    return ((const struct refrain_walk *)walk)->depth;
}

static const struct refrain_slot *place_at(const void *walk, size_t activation) {
    return ((const struct refrain_walk *)walk)->stack[activation].at->slot;
}

/* The place's number in the recursion; -1 none, or the order is still that of the run. */
static int recursive_node(struct refrain_walk *walk, struct refrain_walk_place *place) {
    if (!walk->approximate)
        return -1;
    if (!walk->knows_recursion) {
        struct refrain_recursion_walk what = {walk->region,
                                              walk->region_bytes,
                                              walk->thread_number,
                                              walk->n_slots,
                                              &walk->numbered,
                                              walk->steps_left,
                                              walk,
                                              (const void *)(walk->region + place->offset),
                                              slot_at,
                                              taken_of,
                                              depth_of,
                                              place_at};
        walk->recursion = refrain_recursion_open(&what);
        walk->knows_recursion = true;
    }
    if (!walk->recursion)
        return -1;
    if (!place->node_known)
        place->node = refrain_recursion_node(walk->recursion, (const void *)(walk->region + place->offset));
    place->node_known = true;
    return place->node;
}

/* Takes the next value of a place where its order is not known to be the run's, or where it has none left: in a
 * recursion one that leaves nothing over. */
static bool take_likely_step(struct refrain_walk *walk, struct refrain_walk_place *place, int64_t *value) {
    bool approximate = walk->approximate, given = take_from(walk, place, value, &approximate);
    if (given && !approximate)
        return true;
    if (walk->wrong)
        return false;
    walk->approximate |= approximate;
    place->taken -= given; /* while what is left is counted */
    int node = recursive_node(walk, place);
    place->taken += given;
    const struct refrain_learner *learner = place->sequence.learner;
    bool unknown = given && place->sequence.unknown && learner->kind == REFRAIN_KIND_CONTROL;
    if (node < 0 && unknown && walk->recursion)
        refrain_recursion_unknown(walk->recursion, learner, value);
    if (node < 0)
        return given;
    walk->ended = !refrain_recursion_step(walk->recursion, node, given && !unknown, *value, value);
    return !walk->ended;
}

/* Takes the next value of a place or decision. */
static inline bool take_step(struct refrain_walk *walk, struct refrain_walk_place *place, int64_t *value) {
    struct refrain_sequence *sequence = &place->sequence;
    bool given = !walk->approximate && (sequence->run > 0 || refrain_sequence_advance(sequence));
    if (!given || sequence->approximate)
        return take_likely_step(walk, place, value);
    place->taken++;
    return refrain_sequence_next(sequence, value);
}

/* The place of the first of several parameters, with the rows that were counted of them, if any. */
static struct refrain_walk_place *place_of_rows(struct refrain_walk *walk, const struct refrain_learner *learner) {
    struct refrain_walk_place *place = place_of(walk, learner);
    if (!place || place->rows.tally || !learner->tally ||
        refrain_learner_tally(walk->region, walk->region_bytes, learner))
        return place;
    if (!refrain_tally_open(&place->rows, walk->region, walk->region_bytes, learner->tally)) {
        wrong(walk, learner, "counts of parameters that cannot be any");
        return NULL;
    }
    uint64_t all = refrain_learner_values(walk->region, walk->region_bytes, learner, NULL);
    place->rows_before = all > place->rows.left ? all - place->rows.left : 0;
    return place;
}

/* The learner that has the next value of parameter i: its own, or that of its key, of which values[] must be known
 * (bits). Null when it is not. */
static const struct refrain_learner *learner_of(struct refrain_walk *walk, const struct refrain_learner *learners,
                                                const int64_t *values, unsigned i, unsigned known) {
    const struct refrain_learner *learner = &learners[i];
    struct refrain_walk_place *place = learner->state == REFRAIN_BY_KEY ? place_of(walk, learner) : NULL;
    if (!place || place->sequence.run > 0 || refrain_sequence_advance(&place->sequence))
        return learner;
    const struct refrain_by_key *by = refrain_learner_keys(walk->region, walk->region_bytes, learner);
    if (!by || by->parameter >= i) {
        wrong(walk, learner, "a parameter depends on one that is not before it");
        return NULL;
    }
    return known >> by->parameter & 1 ? refrain_key_learner(by, values[by->parameter]) : NULL;
}

/* Takes the n parameters of an event. What one does not know itself, having given up, is in the rows that were counted:
 * it is that of a row which goes with what the others know. */
static bool take_row(struct refrain_walk *walk, const struct refrain_learner *learners, int64_t *values, unsigned n,
                     bool *approximate) {
    struct refrain_walk_place *first = n > 0 ? place_of_rows(walk, learners) : NULL;
    if (!first)
        return n == 0;
    bool counted = first->rows.tally && first->rows_taken >= first->rows_before && first->rows.tally->width == n;
    unsigned all = (1u << n) - 1, known = 0;
    for (unsigned round = 0; round < 2 && known != all; round++)
        for (unsigned i = 0; i < n; i++) {
            const struct refrain_learner *learner =
                known >> i & 1 ? NULL : learner_of(walk, learners, values, i, known);
            struct refrain_walk_place *place = learner ? place_of(walk, learner) : NULL;
            bool taken = place && take_from(walk, place, &values[i], approximate);
            if (walk->wrong)
                return false;
            if (!taken && round > 0 && !(known >> i & 1)) {
                bool lost = learner && learner->state == REFRAIN_SUMMARY && !first->rows.tally;
                if (lost) /* there was no memory to count it */
                    values[i] = learner->expect;
                else if (!counted || !refrain_tally_peek(&first->rows, values, known, i))
                    return false;
                *approximate = taken = true;
                walk->ended = false;
            }
            known |= (unsigned)taken << i;
        }
    walk->ended = false;
    first->rows_taken++;
    if (counted) {
        *approximate = true;
        refrain_tally_next(&first->rows, values, all);
    }
    return true;
}

/* Begins the next stretch of a place's profile. */
static void begin_stretch(struct refrain_walk *walk, struct refrain_walk_place *place) {
    const struct refrain_slot *slot = place->slot;
    const struct refrain_profile *profile =
        slot->profile ? at_offset(walk, (uint64_t)slot->profile * REFRAIN_UNIT_BYTES, sizeof *profile) : NULL;
    uint64_t bucket = profile && profile->shift < 64 ? place->visits >> profile->shift : REFRAIN_PROFILE_BUCKETS,
             end = slot->count;
    if (bucket < REFRAIN_PROFILE_BUCKETS && (bucket + 1) << profile->shift < end)
        end = (bucket + 1) << profile->shift;
    place->visits_left = end - place->visits;
    uint64_t ticks = bucket < REFRAIN_PROFILE_BUCKETS ? profile->ticks[bucket] : slot->ticks;
    place->ticks_left = (int64_t)((uint64_t)place->ticks_left + ticks);
    place->mean_ticks = place->visits_left ? ticks / place->visits_left : 0;
}

/* What the profile expects of the next block of a place: the mean of what its stretch has left. */
static uint64_t expected_ticks(struct refrain_walk *walk, struct refrain_walk_place *place) {
    if (place->visits >= place->slot->count)
        return 0;
    if (place->visits_left == 0)
        begin_stretch(walk, place);
    uint64_t expected = place->ticks_left > 0 ? (uint64_t)place->ticks_left / place->visits_left : 0;
    if (walk->times.ended)
        return expected; /* none may be lost */
    /* The last visits must not make up for all that those before them were given too much or too little. */
    if (expected > place->mean_ticks * MOST_OVER_MEAN)
        return place->mean_ticks * MOST_OVER_MEAN;
    return expected < place->mean_ticks / MOST_OVER_MEAN ? place->mean_ticks / MOST_OVER_MEAN : expected;
}

static void settle(struct refrain_walk *walk);

/* Lets the block that a place began pass: as long as the timeline says; where it says nothing, or the order of blocks
 * is not that of the run any longer, as long as the profile expects. */
static void pass_block(struct refrain_walk *walk, struct refrain_walk_place *place) {
    uint64_t told;
    if (!walk->approximate && refrain_block_times_single(&walk->times, walk->ticks, &told)) {
        /* What was expected of it is of no matter. */
        if (place->visits < place->slot->count && place->visits_left == 0)
            begin_stretch(walk, place);
        place->visits_left -= place->visits_left > 0;
        place->visits++;
        place->ticks_left = (int64_t)((uint64_t)place->ticks_left - (told - walk->ticks));
        walk->ticks = told;
        return;
    }
    uint64_t ticks = expected_ticks(walk, place);
    place->ticks_left = (int64_t)((uint64_t)place->ticks_left - ticks);
    place->visits_left -= place->visits_left > 0;
    place->visits++;
    if (walk->approximate && !walk->times.ended) {
        bool waited = walk->times.n_kept > 0 && !walk->times.settled;
        uint64_t end_ticks = refrain_block_times_give_up(&walk->times, false, 0);
        walk->ticks = waited ? end_ticks : walk->ticks;
        settle(walk);
    }
    switch (refrain_block_times_pass(&walk->times, ticks, &place->ticks_left, &walk->ticks)) {
    case REFRAIN_BLOCK_UNTOLD:
        walk->ticks += ticks;
        /* Blocks in an order of our own may have been given too much before: none is beyond the last clock read. */
        if (walk->approximate && walk->ticks > walk->thread->last_ticks)
            walk->ticks = walk->thread->last_ticks;
        return;
    case REFRAIN_BLOCK_SETTLED:
        settle(walk);
        return;
    default:
        return;
    }
}

/* The times of an item's blocks have become known: open activations and waiting records get them. */
static void settle(struct refrain_walk *walk) {
    uint64_t begin_ticks = walk->times.begin_ticks;
    for (size_t i = walk->depth; i-- > 0;) {
        struct activation *activation = &walk->stack[i];
        bool began_before = activation->begin_ticks <= begin_ticks;
        activation->begin_ticks = refrain_block_times_resolve(&walk->times, activation->begin_ticks);
        activation->end_ticks = refrain_block_times_resolve(&walk->times, activation->end_ticks);
        if (began_before)
            break;
    }
    for (size_t i = walk->first_waiting; i < walk->first_waiting + walk->n_waiting; i++)
        walk->waiting[i].ticks = refrain_block_times_resolve(&walk->times, walk->waiting[i].ticks);
}

/* ---- opening ---- */

static bool read_units(struct refrain_walk *walk) {
    const struct refrain_header *header = walk->header;
    if ((uint64_t)header->n_slots * sizeof(struct refrain_slot) > walk->region_bytes)
        return wrong(walk, walk->region, "more slots than the region can hold");
    walk->n_slots = header->n_slots;
    walk->slots = refrain_calloc((size_t)walk->n_slots + 1, sizeof *walk->slots);
    if (!walk->slots)
        return wrong(walk, NULL, "no memory");
    uint64_t previous = 0;
    for (uint64_t offset = header->units; offset;) {
        if (offset <= previous)
            return wrong(walk, walk->region + previous, "unit records run backwards");
        previous = offset;
        const struct refrain_unit_record *unit = at_offset(walk, offset, sizeof *unit);
        if (!unit)
            return false;
        uint64_t of_thread = (uint64_t)unit->n_slots * sizeof(struct refrain_slot);
        const struct refrain_node *nodes =
            at_offset(walk, unit->nodes, (uint64_t)unit->n_nodes * sizeof(struct refrain_node));
        if (!nodes || !at_offset(walk, unit->slots, of_thread * header->n_threads))
            return false;
        if ((uint64_t)unit->first_slot + unit->n_slots > walk->n_slots)
            return wrong(walk, unit, "a unit's slots are numbered beyond the last");
        for (uint32_t i = 0; i < unit->n_slots; i++)
            walk->slots[unit->first_slot + i].offset =
                unit->slots + of_thread * walk->thread_number + i * sizeof(struct refrain_slot);
        for (uint32_t i = 0; i < unit->n_nodes; i++)
            if (nodes[i].slot < unit->n_slots)
                walk->slots[unit->first_slot + nodes[i].slot].kind = nodes[i].kind;
        offset = unit->next;
    }
    return true;
}

/* The most steps that the thread can have made: a probe takes longer than a tick. More are damage ("2^60 times here"),
 * and would be walked for years. */
static uint64_t steps_of_run(const struct refrain_walk *walk) {
    const struct refrain_clock_pair *start = &walk->header->start, *last = &walk->header->last;
    uint64_t from = walk->thread->start_ticks, to = walk->thread->last_ticks;
    if (!walk->header->finished)
        return SPARE_STEPS_UNFINISHED + (to > from ? to - from : 0);
    /* Its last clock read may lie long before its end, but not after that of the process. */
    uint64_t ticks = last->ticks > from ? last->ticks - from : 0;
    uint64_t most = last->monotonic_ns > start->monotonic_ns ? last->monotonic_ns - start->monotonic_ns : 0;
    return SPARE_STEPS + (ticks / MOST_TICKS_PER_NS < most ? ticks : most * MOST_TICKS_PER_NS);
}

struct refrain_walk *refrain_walk_open(const void *region, size_t region_bytes, unsigned thread, const char **what,
                                       uint64_t *offset) {
    struct refrain_walk *walk = refrain_calloc(1, sizeof *walk);
    if (!walk) {
        *what = "no memory";
        *offset = 0;
        return NULL;
    }
    walk->region = region;
    walk->region_bytes = region_bytes;
    walk->places.region = region;
    walk->places.region_bytes = region_bytes;
    walk->header = region;
    walk->thread_number = thread;
    bool sound = thread < walk->header->n_threads &&
                 (walk->thread = at_offset(walk, walk->header->threads,
                                           (uint64_t)walk->header->n_threads * sizeof *walk->thread)) != NULL;
    if (sound && !refrain_numbered_open(&walk->numbered, region, region_bytes))
        wrong(walk, NULL, "no memory");
    if (!sound || walk->wrong || !read_units(walk)) {
        *what = walk->wrong ? walk->wrong : "no such thread";
        *offset = walk->wrong_offset;
        refrain_walk_close(walk);
        return NULL;
    }
    walk->thread += thread;
    walk->ticks = walk->thread->start_ticks;
    refrain_block_times_open(&walk->times, region, region_bytes, walk->thread);
    walk->steps_left = steps_of_run(walk);
    walk->ended = !walk->thread->started;
    walk->capacity_stack = 64;
    walk->stack = refrain_calloc(walk->capacity_stack, sizeof *walk->stack);
    if (!walk->stack) {
        *what = "no memory";
        *offset = 0;
        refrain_walk_close(walk);
        return NULL;
    }
    walk->stack[0].at = place_of_slot(walk, &walk->thread->root);
    if (!walk->stack[0].at) {
        *what = "no memory";
        *offset = 0;
        refrain_walk_close(walk);
        return NULL;
    }
    walk->depth = 1;
    if (thread == 0)
        walk->cost = refrain_probe_setup(walk->header->setup_ticks);
    return walk;
}

const char *refrain_walk_wrong(const struct refrain_walk *walk, uint64_t *offset) {
    if (offset)
        *offset = walk->wrong_offset;
    return walk->wrong;
}

uint64_t refrain_walk_ticks(const struct refrain_walk *walk) {
    return walk->ticks;
}

void refrain_walk_close(struct refrain_walk *walk) {
    if (!walk)
        return;
    refrain_walk_places_close(&walk->places);
    refrain_recursion_close(walk->recursion);
    refrain_numbered_close(&walk->numbered);
    refrain_free(walk->slots);
    refrain_free(walk->stack);
    refrain_free(walk->waiting);
    refrain_block_times_close(&walk->times);
    refrain_walk_requests_close(&walk->requests);
    refrain_free(walk);
}

/* ---- what probes cost ---- */

static void probe_begins(struct refrain_walk *walk, enum refrain_probe_kind kind) {
    walk->cost += walk->header->probe_costs[kind].before;
}

static void probe_ends(struct refrain_walk *walk, enum refrain_probe_kind kind) {
    walk->cost += walk->header->probe_costs[kind].after;
}

/* ---- requests ---- */

static bool take_request(struct refrain_walk *walk, const struct refrain_operation_record *posted, bool persistent) {
    return refrain_walk_requests_take(&walk->requests, posted, persistent) ||
           wrong(walk, walk->stack[walk->depth - 1].at->slot, "more requests in flight than there is memory for");
}

/* ---- the machine ---- */

static void fill(struct refrain_walk *walk, struct refrain_record *record, uint8_t kind, uint64_t ticks, uint64_t cost,
                 uint64_t id) {
    *record = (struct refrain_record){.kind = kind,
                                      .approximate = walk->approximate,
                                      .thread = walk->thread_number,
                                      .ticks = ticks,
                                      .cost = cost,
                                      .id = id};
}

static bool push(struct refrain_walk *walk, struct refrain_walk_place *to, uint8_t kind, uint64_t id,
                 struct refrain_record *record) {
    struct refrain_walk_place *from = walk->stack[walk->depth - 1].at;
    probe_begins(walk, refrain_probe_entering(kind));
    pass_block(walk, from);
    if (walk->recursion && refrain_recursion_node(walk->recursion, &from->slot->next) < 0)
        refrain_recursion_enter(walk->recursion, &to->slot->next);
    if (walk->depth == REFRAIN_SHADOW_STACK_ENTRIES)
        return impossible(walk, to->slot, "more activations open than the monitor keeps");
    if (walk->depth == walk->capacity_stack) {
        struct activation *stack = refrain_realloc(walk->stack, walk->capacity_stack * 2 * sizeof *stack);
        if (!stack)
            return wrong(walk, NULL, "no memory");
        walk->stack = stack;
        walk->capacity_stack *= 2;
    }
    walk->stack[walk->depth++] =
        (struct activation){.at = to, .id = id, .kind = kind, .begin_ticks = walk->ticks, .begin_cost = walk->cost};
    fill(walk, record, kind, walk->ticks, walk->cost, id);
    probe_ends(walk, refrain_probe_entering(kind));
    return true;
}

/* Leaves the activation on top; what it was called from goes on. */
static void pop(struct refrain_walk *walk, struct refrain_record *record) {
    const struct activation *top = &walk->stack[--walk->depth];
    fill(walk, record, (uint8_t)(top->kind + 1), top->returned ? top->end_ticks : walk->ticks,
         top->returned ? top->end_cost : walk->cost, top->id);
    if (!top->returned)
        probe_ends(walk, refrain_probe_leaving(top->kind));
    if (top->kind == REFRAIN_RECORD_CALL_ENTER)
        probe_begins(walk, REFRAIN_PROBE_CALL_END);
    struct activation *caller = &walk->stack[walk->depth - 1];
    const struct refrain_slot *last = caller->at->slot;
    if (last->flags & REFRAIN_SLOT_CALL) {
        uint64_t next = (uint64_t)((const unsigned char *)(last + 1) - walk->region);
        struct refrain_walk_place *after =
            at_offset(walk, next, sizeof *last) ? place_beyond(walk, caller->at, 1) : NULL;
        if (after)
            caller->at = after;
    }
}

/* The activation on top goes on at the slot `n` behind that of `place`. */
static bool go_beyond(struct refrain_walk *walk, struct refrain_walk_place *place, unsigned n) {
    struct refrain_walk_place *to = place_beyond(walk, place, n);
    if (to)
        walk->stack[walk->depth - 1].at = to;
    return to != NULL;
}

/* Moves within the activation, to the slot of that number. */
static bool move(struct refrain_walk *walk, int64_t number, struct refrain_walk_place *place) {
    const struct refrain_slot *slot = place->slot;
    uint32_t kind = walk->slots[number].kind;
    int64_t decision;
    if (kind < REFRAIN_IF || kind > REFRAIN_DO) {
        probe_begins(walk, REFRAIN_PROBE_PLACE);
        walk->stack[walk->depth - 1].at = place;
        return true;
    }
    if (kind < REFRAIN_WHILE) {
        probe_begins(walk, REFRAIN_PROBE_DECISION);
        return take_step(walk, place, &decision) && go_beyond(walk, place, decision ? 1 : 2);
    }
    if (slot->flags & REFRAIN_SLOT_COUNTED) { /* nothing happens in it: the count is for reading */
        probe_begins(walk, REFRAIN_PROBE_COUNT);
        return go_beyond(walk, place, 2);
    }
    if (!place->counting) {
        place->pending = !refrain_sequence_next(&place->sequence, &decision);
        if (!place->pending && decision < 0)
            return impossible(walk, slot, "a loop is said to have run less than no time");
        place->remaining = place->pending ? slot->count : (uint64_t)decision;
        walk->approximate |= place->sequence.approximate;
        place->taken += !place->pending;
        place->counting = true;
    }
    int node = recursive_node(walk, place);
    if (node >= 0) {
        if (!refrain_recursion_step(walk->recursion, node, true, place->remaining > 0, &decision)) {
            walk->ended = true;
            return false;
        }
        probe_begins(walk, decision ? REFRAIN_PROBE_ITERATION : REFRAIN_PROBE_LOOP_END);
        if (decision)
            place->remaining -= place->remaining > 0;
        else
            place->counting = place->remaining > 0;
        return go_beyond(walk, place, decision ? 1 : 2);
    }
    if (place->remaining > 0) {
        probe_begins(walk, REFRAIN_PROBE_ITERATION);
        place->remaining--;
        return go_beyond(walk, place, 1);
    }
    if (place->pending) {
        walk->ended = true;
        return false;
    }
    probe_begins(walk, REFRAIN_PROBE_LOOP_END);
    place->counting = false;
    return go_beyond(walk, place, 2);
}

static const struct refrain_operation_record *operation_at(struct refrain_walk *walk,
                                                           const struct refrain_call_site *site, uint32_t operation) {
    uint32_t reference = site->operations;
    for (unsigned n = 0; reference && n < REFRAIN_OPERATIONS; n++) {
        const struct refrain_operation_record *record =
            at_offset(walk, (uint64_t)reference * REFRAIN_UNIT_BYTES, sizeof *record);
        if (!record)
            return NULL;
        if (record->operation == operation)
            return record;
        reference = record->next;
    }
    impossible(walk, site, "a call site lacks the operation it is said to have done");
    return NULL;
}

/* Parameters that an operation has of its own. */
static unsigned parameters_of(uint32_t operation) {
    switch (operation) {
    case REFRAIN_OP_RMA:
        return 3;
    case REFRAIN_OP_IO:
    case REFRAIN_OP_COMPLETE_RUN:
    case REFRAIN_OP_COMPLETE_OTHER:
        return 2;
    case REFRAIN_OP_IRECV:
    case REFRAIN_OP_RECV_INIT:
    case REFRAIN_OP_START:
    case REFRAIN_OP_COMPLETE:
    case REFRAIN_OP_CANCELLED:
    case REFRAIN_OP_FREE:
        return 1;
    case REFRAIN_OP_NOTHING:
        return 0;
    default:
        return 4;
    }
}

static bool names_requests(uint32_t operation) {
    return operation == REFRAIN_OP_COMPLETE || operation == REFRAIN_OP_COMPLETE_RUN ||
           operation == REFRAIN_OP_CANCELLED || operation == REFRAIN_OP_FREE;
}

/* Is it only likely which request an operation is about? Then one that it can be about is as good as another. */
static bool guesses_requests(const struct refrain_walk *walk) {
    return walk->approximate || walk->requests.guessed;
}

/* The request with this number; where that is only likely, one in the same state. */
static struct refrain_walk_request *likely_request(const struct refrain_walk *walk, int64_t number, bool active) {
    struct refrain_walk_request *request = refrain_walk_requests_at(&walk->requests, number);
    if (!guesses_requests(walk) || (request && request->active == active))
        return request;
    return refrain_walk_requests_oldest(&walk->requests, active, NULL);
}

/* A request completes: a receive gets its source, tag and bytes. False when those of its operation are used up. */
static bool complete(struct refrain_walk *walk, struct refrain_walk_request *request, struct refrain_record *record) {
    record->parameters[0] = refrain_walk_requests_number(&walk->requests, request);
    if (request->posted) {
        if (!take_row(walk, request->posted->parameter, &record->parameters[1], 3, &record->approximate))
            return false;
        record->n_parameters += 3;
    }
    request->active = false;
    if (!request->persistent)
        refrain_walk_requests_give(&walk->requests, request);
    return true;
}

/* The next of requests that complete together; a record like that of one that completes alone. */
static bool complete_next(struct refrain_walk *walk, struct refrain_record *record) {
    const struct activation *top = &walk->stack[walk->depth - 1];
    bool guesses = guesses_requests(walk), in_call = top->kind == REFRAIN_RECORD_CALL_ENTER;
    walk->run_left--;
    if (in_call)
        walk->completing_site = top->id;
    bool returned = in_call && top->returned;
    fill(walk, record, REFRAIN_RECORD_OPERATION, returned ? top->end_ticks : walk->ticks,
         returned ? top->end_cost : walk->cost, walk->completing_site);
    record->operation = REFRAIN_OP_COMPLETE;
    record->n_parameters = 1;
    record->approximate |= guesses;
    record->parameters[0] = walk->run_next++;
    struct refrain_walk_request *request = likely_request(walk, record->parameters[0], true);
    if (!guesses)
        return !request || complete(walk, request, record);
    while (request && !complete(walk, request, record)) {
        if (walk->wrong)
            return false;
        walk->ended = false; /* no more of its operation's were completed */
        request = refrain_walk_requests_oldest(&walk->requests, true, request);
    }
    if (request) {
        walk->owed--;
        return true;
    }
    walk->run_left = 0; /* those that are still owed complete with the next ones */
    record->kind = REFRAIN_RECORD_NONE;
    return true;
}

/* `n` requests complete, the first of them with this number. */
static bool complete_run(struct refrain_walk *walk, int64_t first, int64_t n, struct refrain_record *record) {
    walk->run_next = first;
    walk->run_left = n;
    if (guesses_requests(walk)) {
        walk->owed += n > 0 ? (uint64_t)n : 0;
        walk->run_left = walk->owed < INT64_MAX ? (int64_t)walk->owed : INT64_MAX;
        if (walk->run_left == 0) {
            record->kind = REFRAIN_RECORD_NONE;
            return true;
        }
    } else if (n < 1 || n > REFRAIN_RUN_REQUESTS) {
        return impossible(walk, walk->stack[walk->depth - 1].at->slot,
                          "more requests complete together than the monitor tells of at once");
    }
    return complete_next(walk, record);
}

/* Requests taken and given back by an operation. */
static bool follow_requests(struct refrain_walk *walk, const struct refrain_operation_record *from,
                            struct refrain_record *record) {
    struct refrain_walk_request *request;
    switch (record->operation) {
    case REFRAIN_OP_ISEND:
    case REFRAIN_OP_ICOLLECTIVE:
    case REFRAIN_OP_NOTHING:
        return take_request(walk, NULL, false);
    case REFRAIN_OP_IRECV:
        return take_request(walk, from, false);
    case REFRAIN_OP_SEND_INIT:
    case REFRAIN_OP_COLLECTIVE_INIT:
        return take_request(walk, NULL, true);
    case REFRAIN_OP_RECV_INIT:
        return take_request(walk, from, true);
    case REFRAIN_OP_COMPLETE:
        return complete_run(walk, record->parameters[0], 1, record);
    case REFRAIN_OP_COMPLETE_RUN:
        return complete_run(walk, record->parameters[0], record->parameters[1], record);
    case REFRAIN_OP_START:
        request = likely_request(walk, record->parameters[0], false);
        break;
    case REFRAIN_OP_CANCELLED:
        request = likely_request(walk, record->parameters[0], true);
        break;
    case REFRAIN_OP_FREE:
        request = refrain_walk_requests_at(&walk->requests, record->parameters[0]);
        break;
    default:
        return true;
    }
    if (!request)
        return true;
    record->parameters[0] = refrain_walk_requests_number(&walk->requests, request);
    request->active = record->operation == REFRAIN_OP_START;
    if (record->operation == REFRAIN_OP_FREE || (record->operation == REFRAIN_OP_CANCELLED && !request->persistent))
        refrain_walk_requests_give(&walk->requests, request);
    return true;
}

/* What is known of an operation of the call on top; null when it has none such. */
static struct refrain_walk_operation *operation_of(struct refrain_walk *walk, uint32_t operation,
                                                   struct refrain_walk_place **after) {
    const struct activation *top = &walk->stack[walk->depth - 1];
    const struct refrain_call_site *site =
        at_offset(walk, refrain_numbered_call_site(&walk->numbered, top->id), sizeof(struct refrain_call_site));
    const struct refrain_operation_record *from = site ? operation_at(walk, site, operation) : NULL;
    struct refrain_walk_place *place = *after = from ? place_of_slot(walk, &from->after) : NULL;
    if (!place || place->operation)
        return place ? place->operation : NULL;
    struct refrain_walk_operation *made = refrain_calloc(1, sizeof *made);
    if (!made) {
        wrong(walk, NULL, "no memory");
        return NULL;
    }
    bool posts = operation == REFRAIN_OP_IRECV || operation == REFRAIN_OP_RECV_INIT;
    *made = (struct refrain_walk_operation){.from = from, .n = parameters_of(operation), .plain = true};
    made->learners = posts ? &from->parameter[REFRAIN_PARAMETERS - 1] : from->parameter;
    for (unsigned i = 0; i < made->n; i++) {
        made->plain &= made->learners[i].state != REFRAIN_BY_KEY && !made->learners[i].tally;
        if (!(made->parameter[i] = place_of(walk, &made->learners[i]))) {
            refrain_free(made);
            return NULL;
        }
    }
    return place->operation = made;
}

/* Takes the parameters of an operation where each of them has a next value of its own. */
static bool take_plain_row(const struct refrain_walk_operation *operation, int64_t *values, bool *approximate) {
    for (unsigned i = 0; i < operation->n; i++) {
        struct refrain_sequence *sequence = &operation->parameter[i]->sequence;
        if (sequence->run == 0 && !refrain_sequence_advance(sequence))
            return false;
    }
    for (unsigned i = 0; i < operation->n; i++) {
        struct refrain_walk_place *place = operation->parameter[i];
        refrain_sequence_next(&place->sequence, &values[i]);
        place->taken++;
        *approximate |= place->sequence.approximate;
    }
    if (operation->n > 0)
        operation->parameter[0]->rows_taken++;
    return true;
}

static bool operate(struct refrain_walk *walk, uint32_t number, const struct refrain_walk_link *link,
                    struct refrain_record *record) {
    struct activation *top = &walk->stack[walk->depth - 1];
    const struct refrain_walk_operation *operation = link->operation;
    const struct refrain_operation_record *from = operation->from;
    if (from->after_return && !top->returned) {
        probe_begins(walk, REFRAIN_PROBE_CALL_RETURN);
        pass_block(walk, top->at);
        top->end_ticks = walk->ticks;
        top->end_cost = walk->cost;
        top->returned = true;
        probe_ends(walk, REFRAIN_PROBE_CALL_RETURN);
    }
    top->at = link->to;
    fill(walk, record, REFRAIN_RECORD_OPERATION, top->returned ? top->end_ticks : top->begin_ticks,
         top->returned ? top->end_cost : top->begin_cost, top->id);
    probe_begins(walk, REFRAIN_PROBE_OPERATION);
    record->operation = number;
    record->n_parameters = operation->n;
    bool taken = operation->plain && take_plain_row(operation, record->parameters, &record->approximate);
    if (!taken && !take_row(walk, operation->learners, record->parameters, operation->n, &record->approximate))
        return false;
    walk->requests.guessed |= record->approximate && names_requests(number);
    return follow_requests(walk, from, record);
}

static bool starts_mpi(struct refrain_walk *walk, const struct activation *call) {
    const struct refrain_call_site *site =
        at_offset(walk, refrain_numbered_call_site(&walk->numbered, call->id), sizeof(struct refrain_call_site));
    return site && (site->function == CALL_MPI_Init || site->function == CALL_MPI_Init_thread);
}

/* The activation on top ends: by itself, by a jump out of it, or by one out of another above it. */
static bool leave(struct refrain_walk *walk, int64_t how, struct refrain_record *record) {
    struct activation *top = &walk->stack[walk->depth - 1];
    if (walk->depth == 1)
        return impossible(walk, top->at->slot, "the outermost activation ends");
    if (how == REFRAIN_NEXT_UNWIND || (how == REFRAIN_NEXT_EXIT && !top->returned)) {
        if (top->kind == REFRAIN_RECORD_CALL_ENTER && starts_mpi(walk, top))
            walk->cost += refrain_probe_setup(walk->header->init_ticks);
        probe_begins(walk, refrain_probe_leaving(top->kind));
        pass_block(walk, top->at);
    }
    if (how != REFRAIN_NEXT_EXIT)
        top->returned = false; /* it ends now */
    pop(walk, record);
    return true;
}

/* The place of a slot that begins what has a record of its own, of `bytes` bytes: a call site or a user region. Null
 * also where the image of a process that runs does not have it yet: then no more is known of the thread. */
static struct refrain_walk_place *place_inside(struct refrain_walk *walk, uint64_t offset, size_t slot_offset,
                                               size_t bytes) {
    if (!offset && !walk->header->finished)
        return NULL;
    const unsigned char *at = at_offset(walk, offset, bytes);
    return at ? place_of_slot(walk, (const struct refrain_slot *)(at + slot_offset)) : NULL;
}

/* Where a value that is not negative leads from the place on top; false where it leads nowhere. */
static bool follow_value(struct refrain_walk *walk, int64_t value, struct refrain_walk_link *link) {
    const struct activation *top = &walk->stack[walk->depth - 1];
    *link = (struct refrain_walk_link){.value = value};
    if (value < (int64_t)walk->n_slots) {
        const struct slot_info *info = &walk->slots[value];
        bool decides = info->kind >= REFRAIN_IF && info->kind <= REFRAIN_DO;
        size_t n = decides ? 3 : info->kind == REFRAIN_FUNCTION ? 2 : 1;
        const struct refrain_slot *slot = at_offset(walk, info->offset, n * sizeof *slot);
        link->to = slot ? place_of_slot(walk, slot) : NULL;
    } else if (value >= REFRAIN_NEXT_REGION) {
        uint64_t first = (uint64_t)(value >= REFRAIN_NEXT_VALUE ? REFRAIN_NEXT_VALUE : REFRAIN_NEXT_REGION);
        link->to = place_inside(walk, refrain_numbered_region(&walk->numbered, (uint64_t)value - first),
                                offsetof(struct refrain_region_name, inside), sizeof(struct refrain_region_name));
    } else if (value >= REFRAIN_NEXT_OPERATION) {
        if (top->kind != REFRAIN_RECORD_CALL_ENTER)
            return impossible(walk, top->at->slot, "an operation outside an MPI call");
        link->operation = operation_of(walk, (uint32_t)(value - REFRAIN_NEXT_OPERATION), &link->to);
        if (!link->operation)
            return false;
    } else if (value >= REFRAIN_NEXT_CALL) {
        link->to =
            place_inside(walk, refrain_numbered_call_site(&walk->numbered, (uint64_t)(value - REFRAIN_NEXT_CALL)),
                         offsetof(struct refrain_call_site, inside), sizeof(struct refrain_call_site));
    } else {
        return impossible(walk, top->at->slot, "a slot number beyond the last");
    }
    return link->to != NULL;
}

/* The next value of a marker, of a counter, or of what passed in a pause. */
static bool tell_value(struct refrain_walk *walk, uint64_t number, struct refrain_walk_place *values,
                       struct refrain_record *record) {
    const struct refrain_learner *learner = &values->slot->next;
    int64_t value = learner->expect;
    bool approximate = walk->approximate;
    const struct refrain_region_name *region =
        (const void *)((const unsigned char *)values->slot - offsetof(struct refrain_region_name, inside));
    if (region->use != REFRAIN_USE_UNTOLD)
        pass_block(walk, walk->stack[walk->depth - 1].at);
    if (!take_from(walk, values, &value, &approximate)) {
        /* Where there was no memory to count its values one is as likely as another. */
        if (walk->wrong || learner->state != REFRAIN_SUMMARY)
            return false;
        walk->ended = false;
        approximate = true;
    }
    fill(walk, record, REFRAIN_RECORD_VALUE, walk->ticks, walk->cost, number);
    record->approximate = approximate;
    record->n_parameters = 1;
    record->parameters[0] = value;
    return true;
}

/* One step: takes what came next and does it. `record` is filled when that makes an event. */
static bool step(struct refrain_walk *walk, struct refrain_record *record) {
    struct refrain_walk_place *last = walk->stack[walk->depth - 1].at;
    int64_t value;
    if (walk->steps_left == 0) {
        /* Killed after a long time in which it read no clock: there is no further event. */
        if (!walk->header->finished && walk->ticks >= walk->thread->last_ticks)
            return false;
        return wrong(walk, last->slot, "more happens here than there was time for");
    }
    walk->steps_left--;
    if (!take_step(walk, last, &value))
        return false;
    walk->successors_left -= walk->counts_successors;
    if (value < 0)
        return value < REFRAIN_NEXT_GONE ? impossible(walk, last->slot, "an activation ends in no known way")
                                         : leave(walk, value, record);
    struct refrain_walk_link *link = &last->links[(uint64_t)value % REFRAIN_WALK_LINKS];
    if ((!link->to || link->value != value) && !follow_value(walk, value, link)) {
        link->to = NULL;
        return false;
    }
    if (value < (int64_t)walk->n_slots && walk->slots[value].kind != REFRAIN_FUNCTION)
        return move(walk, value, link->to);
    if (value < (int64_t)walk->n_slots)
        return push(walk, link->to, REFRAIN_RECORD_ENTER, (uint64_t)value, record);
    if (value >= REFRAIN_NEXT_VALUE)
        return tell_value(walk, (uint64_t)(value - REFRAIN_NEXT_VALUE), link->to, record);
    if (value >= REFRAIN_NEXT_REGION)
        return push(walk, link->to, REFRAIN_RECORD_REGION_ENTER, (uint64_t)(value - REFRAIN_NEXT_REGION), record);
    if (value >= REFRAIN_NEXT_OPERATION)
        return operate(walk, (uint32_t)(value - REFRAIN_NEXT_OPERATION), link, record);
    return push(walk, link->to, REFRAIN_RECORD_CALL_ENTER, (uint64_t)(value - REFRAIN_NEXT_CALL), record);
}

static bool is_decision(const void *data, uint32_t slot) {
    const struct refrain_walk *walk = data;
    return slot < walk->n_slots && walk->slots[slot].kind >= REFRAIN_IF && walk->slots[slot].kind <= REFRAIN_DO;
}

static void count_successors(void *data, const struct refrain_learner *learner) {
    struct refrain_walk *walk = data;
    struct refrain_walk_place *place = learner->state == REFRAIN_EMPTY ? NULL : place_of(walk, learner);
    if (!place)
        return;
    uint64_t values = refrain_learner_values(walk->region, walk->region_bytes, learner, NULL);
    walk->successors_left += values > place->taken ? values - place->taken : 0;
}

/* Has the place on top nothing more to say, although others have? That is where the order of values is our own, in
 * recursion: then the activation is over, and the one around it goes on. Else it is the end of the run. */
static bool recover(struct refrain_walk *walk, struct refrain_record *record) {
    if (!walk->approximate || walk->wrong || walk->depth == 1)
        return false;
    if (!walk->counts_successors) {
        refrain_successors_visit(walk->region, walk->region_bytes, walk->thread_number, is_decision, count_successors,
                                 walk);
        walk->counts_successors = true;
    }
    if (walk->successors_left == 0)
        return false;
    walk->ended = false;
    walk->run_left = 0;
    return leave(walk, REFRAIN_NEXT_EXIT, record);
}

static bool next_record(struct refrain_walk *walk, struct refrain_record *record) {
    record->kind = REFRAIN_RECORD_NONE;
    while (record->kind == REFRAIN_RECORD_NONE) {
        if (walk->ended) {
            bool owes = walk->owed > 0 && walk->completing_site && !walk->wrong;
            walk->run_left = 1;
            if (!owes || !complete_next(walk, record) || record->kind == REFRAIN_RECORD_NONE)
                return false;
        } else if (!(walk->run_left > 0 ? complete_next(walk, record) : step(walk, record)) && !recover(walk, record)) {
            walk->ended = true;
            record->kind = REFRAIN_RECORD_NONE; /* what it began to say is not known */
        }
    }
    return true;
}

static bool times_pending(const struct refrain_walk *walk) {
    return walk->times.n_kept > 0 && !walk->times.settled;
}

static bool wait_for_time(struct refrain_walk *walk, const struct refrain_record *record) {
    if (walk->first_waiting + walk->n_waiting == walk->capacity_waiting) {
        size_t capacity = walk->capacity_waiting ? walk->capacity_waiting * 2 : 64;
        struct refrain_record *waiting = refrain_realloc(walk->waiting, capacity * sizeof *waiting);
        if (!waiting)
            return wrong(walk, NULL, "no memory");
        walk->waiting = waiting;
        walk->capacity_waiting = capacity;
    }
    walk->waiting[walk->first_waiting + walk->n_waiting++] = *record;
    return true;
}

/* Nothing more comes: what waits gets its time, up to the thread's last clock read, which ended one block more. */
static void settle_last(struct refrain_walk *walk) {
    uint64_t further = expected_ticks(walk, walk->stack[walk->depth - 1].at);
    walk->ticks = refrain_block_times_give_up(&walk->times, true, further);
    settle(walk);
}

bool refrain_walk_next(struct refrain_walk *walk, struct refrain_record *record) {
    for (;;) {
        if (walk->n_waiting > 0 && !times_pending(walk)) {
            *record = walk->waiting[walk->first_waiting++];
            if (--walk->n_waiting == 0)
                walk->first_waiting = 0;
            return true;
        }
        bool more = next_record(walk, record);
        if (!more && !times_pending(walk))
            return false;
        if (!more)
            settle_last(walk);
        else if (!times_pending(walk) && walk->n_waiting == 0)
            return true;
        else if (!wait_for_time(walk, record))
            return false;
    }
}
