/* walk_rank.c: the stack machine (walk_rank.h). It takes values in the order in which the monitor's probe.c appends
 * them. */
#include "common/arena.h"
#include "walk/successors.h"
#include "walk/walk_parts.h"
#include "walk/walk_time.h"

#include <refrain/settings.h>
#include <refrain/unit.h>

/* Numbers of the MPI functions in traces. */
enum mpi_function {
#define REFRAIN_MPI_CALL(name, class, collective, own_time, kind, ...) CALL_##name,
#include <refrain/mpi_calls.def>
#undef REFRAIN_MPI_CALL
};

/* The place of the slot that is `n` (1 or 2) slots after that of `place`. */
static inline struct refrain_walk_learner *beyond_of(struct refrain_walk *walk, struct refrain_walk_learner *place,
                                                     unsigned n) {
    struct refrain_walk_learner **beyond = &place->beyond[n - 1];
    if (!*beyond)
        *beyond = refrain_walk_meet_slot(walk, place->slot + n);
    return *beyond;
}

/* Takes the next value of a place or decision. */
static inline bool take_step(struct refrain_walk *walk, struct refrain_walk_learner *place, int64_t *value) {
    struct refrain_sequence *sequence = &place->sequence;
    bool given = !walk->approximate && (sequence->run > 0 || refrain_sequence_advance(sequence));
    if (!given || sequence->approximate)
        return refrain_walk_take_likely_step(walk, place, value);
    place->taken++;
    refrain_sequence_next(sequence, value);
    return true;
}

/* The record (user region, marker ...) that contains the slot. */
static const struct refrain_region_name *region_of(const struct refrain_slot *inside) {
    return (const void *)((const unsigned char *)inside - offsetof(struct refrain_region_name, inside));
}

/* ---- activations ---- */

static bool grow_stack(struct refrain_walk *walk) {
    struct refrain_walk_activation *stack = refrain_realloc(walk->stack, walk->capacity_stack * 2 * sizeof *stack);
    if (!stack)
        return refrain_walk_fail(walk, NULL, "no memory");
    walk->stack = stack;
    walk->capacity_stack *= 2;
    return true;
}

/* Time of all calls from a call site: the blocks of its own slots. */
static uint64_t ticks_of_calls(struct refrain_walk *walk, const struct refrain_slot *inside) {
    const struct refrain_call_site *call_site =
        (const void *)((const unsigned char *)inside - offsetof(struct refrain_call_site, inside));
    const struct refrain_operation_record *operation;
    uint64_t ticks = inside->ticks;
    for (uint32_t reference = call_site->operations, n = 0; reference && n < REFRAIN_OPERATIONS; n++) {
        operation = refrain_walk_at(walk, (uint64_t)reference * REFRAIN_ALIGNMENT_BYTES, sizeof *operation);
        if (!operation)
            return 0;
        ticks += operation->after.ticks;
        reference = operation->next;
    }
    return ticks;
}

/* Sets the context of a new activation, if the total time of its kind is known. */
static void enter_context(struct refrain_walk *walk, const struct refrain_walk_link *link,
                          struct refrain_walk_activation *top) {
    const struct refrain_slot *slot = link->to->slot;
    uint32_t inner = refrain_walk_contexts_inner(walk->contexts, top->context, link->to->offset);
    uint64_t total_ticks = 0;
    if (inner > 0)
        top->context = inner;
    else if (walk->contexts->counted)
        return;
    else if (link->kind == REFRAIN_RECORD_ENTER)
        total_ticks = slot[1].ticks;
    else if (link->kind == REFRAIN_RECORD_REGION_ENTER)
        total_ticks = region_of(slot)->use == REFRAIN_USE_FUNCTION ? 0 : region_of(slot)->total_ticks;
    else
        total_ticks = ticks_of_calls(walk, slot);
    if (total_ticks > 0)
        top->context = refrain_walk_contexts_enter(walk->contexts, top->context, link->to->offset, total_ticks);
}

/* Counts a call from an overflow site. */
static void enter_overflow_site(struct refrain_walk *walk, uint64_t number) {
    struct refrain_numbered_overflow_site *overflow = &walk->numbered.overflow_sites[number];
    overflow->calls_left -= overflow->calls_left > 0;
    if (walk->recorder)
        refrain_walk_give_up_recording(walk);
}

/* Begins the activation to which the link leads. */
static inline bool push(struct refrain_walk *walk, const struct refrain_walk_link *link,
                        struct refrain_record *record) {
    struct refrain_walk_learner *from = walk->stack[walk->depth - 1].at, *to = link->to;
    enum refrain_probe_kind probe = refrain_probe_entering(link->kind);
    refrain_walk_probe_begins(walk, probe);
    refrain_walk_pass_block(walk, from);
    if (walk->recursion && refrain_recursion_node(walk->recursion, &from->slot->next) < 0)
        refrain_recursion_enter(walk->recursion, &to->slot->next);
    if (walk->depth == REFRAIN_SHADOW_STACK_ENTRIES)
        return refrain_walk_impossible(walk, to->slot, "more activations open than the monitor keeps");
    if (walk->depth == walk->capacity_stack && !grow_stack(walk))
        return false;
    struct refrain_walk_activation *top = &walk->stack[walk->depth++];
    top->at = top->begun = to;
    top->region = link->is_overflow_site ? NULL : &to->region;
    if (link->is_overflow_site)
        enter_overflow_site(walk, link->id);
    top->context = top[-1].context;
    if (walk->contexts)
        enter_context(walk, link, top);
    top->id = link->id;
    top->kind = link->kind;
    top->returned = false;
    top->begin_ticks = walk->ticks;
    top->end_ticks = 0;
    top->begin_cost = walk->cost;
    top->end_cost = 0;
    top->begin_read = walk->reads;
    refrain_walk_fill(walk, record, link->kind, walk->ticks, walk->cost, link->id, top->region);
    refrain_walk_probe_ends(walk, probe);
    return true;
}

/* Ends the innermost activation. Its caller continues. */
static void pop(struct refrain_walk *walk, struct refrain_record *record) {
    const struct refrain_walk_activation *top = &walk->stack[--walk->depth];
    refrain_walk_fill(walk, record, (uint8_t)(top->kind + 1), top->returned ? top->end_ticks : walk->ticks,
                      top->returned ? top->end_cost : walk->cost, top->id, top->region);
    if (top->returned)
        record->read = top->end_read;
    if (!top->returned)
        refrain_walk_probe_ends(walk, refrain_probe_leaving(top->kind));
    if (top->kind == REFRAIN_RECORD_CALL_ENTER)
        refrain_walk_probe_begins(walk, REFRAIN_PROBE_CALL_END);
    struct refrain_walk_activation *caller = &walk->stack[walk->depth - 1];
    const struct refrain_slot *last = caller->at->slot;
    if (last->flags & REFRAIN_SLOT_CALL) {
        uint64_t next = (uint64_t)((const unsigned char *)(last + 1) - walk->image);
        struct refrain_walk_learner *after =
            refrain_walk_at(walk, next, sizeof *last) ? beyond_of(walk, caller->at, 1) : NULL;
        if (after)
            caller->at = after;
    }
}

static bool starts_mpi(struct refrain_walk *walk, const struct refrain_walk_activation *call) {
    const struct refrain_call_site *call_site =
        refrain_walk_at(walk, refrain_numbered_call_site(&walk->numbered, call->id), sizeof(struct refrain_call_site));
    return call_site && (call_site->function == CALL_MPI_Init || call_site->function == CALL_MPI_Init_thread);
}

/* The innermost activation ends: by itself, by a jump out of it, or by a jump out of an activation above it. */
static bool leave(struct refrain_walk *walk, int64_t how, struct refrain_record *record) {
    struct refrain_walk_activation *top = &walk->stack[walk->depth - 1];
    if (walk->depth == 1)
        return refrain_walk_impossible(walk, top->at->slot, "the outermost activation ends");
    if (how == REFRAIN_NEXT_UNWIND || (how == REFRAIN_NEXT_EXIT && !top->returned)) {
        if (top->kind == REFRAIN_RECORD_CALL_ENTER && starts_mpi(walk, top))
            walk->cost += refrain_probe_setup(walk->header->init_ticks);
        refrain_walk_probe_begins(walk, refrain_probe_leaving(top->kind));
        refrain_walk_pass_block(walk, top->at);
    }
    if (how != REFRAIN_NEXT_EXIT)
        top->returned = false; /* it ends now, not when its last probe ran */
    pop(walk, record);
    return true;
}

/* ---- places ---- */

/* Moves the innermost activation to the slot `n` after that of `place`. */
static bool go_beyond(struct refrain_walk *walk, struct refrain_walk_learner *place, unsigned n) {
    struct refrain_walk_learner *to = beyond_of(walk, place, n);
    if (to)
        walk->stack[walk->depth - 1].at = to;
    return to != NULL;
}

/* Makes a record of a step to another slot. A recorded iteration contains it, too. */
static void record_step(struct refrain_walk *walk, struct refrain_record *record) {
    uint32_t number = walk->stack[walk->depth - 1].at->slot->number;
    refrain_walk_fill(walk, record, REFRAIN_RECORD_STEP, walk->ticks, walk->cost, number, NULL);
    if (walk->recorder)
        refrain_walk_note_record(walk, record);
}

/* A loop takes a count while an iteration is recorded. A likely count, and the last one, which has no end in the
 * trace, cannot repeat. */
static void note_count(struct refrain_walk *walk, struct refrain_walk_learner *place) {
    if (place->pending || walk->approximate)
        refrain_walk_give_up_recording(walk);
    else
        refrain_walk_note_count(walk, place,
                                place->left_early ? -(int64_t)place->remaining : (int64_t)place->remaining);
}

/* Takes the next count of a loop. If there is none, takes the iterations of the unfinished loop, which are not stored
 * as a count. */
static void take_count(struct refrain_walk *walk, struct refrain_walk_learner *place) {
    int64_t count;
    place->pending = !refrain_sequence_next(&place->sequence, &count);
    place->left_early = !place->pending && count < 0;
    place->remaining = place->pending ? place->slot->count : place->left_early ? -(uint64_t)count : (uint64_t)count;
    walk->approximate |= place->sequence.approximate;
    place->taken += !place->pending;
    place->counting = true;
    if (walk->recorder)
        note_count(walk, place);
}

/* Continues inside or after the loop of that place. */
static bool loop(struct refrain_walk *walk, struct refrain_walk_learner *place, struct refrain_record *record) {
    int64_t decision;
    if (!place->counting)
        take_count(walk, place);
    else if (walk->recorder && !refrain_walk_knows_count(walk, place))
        refrain_walk_give_up_recording(walk);
    int node = refrain_walk_recursive_node(walk, place);
    if (node >= 0) {
        if (!refrain_recursion_step(walk->recursion, node, true, place->remaining > 0, &decision)) {
            walk->ended = true;
            return false;
        }
        refrain_walk_probe_begins(walk, decision ? REFRAIN_PROBE_ITERATION : REFRAIN_PROBE_LOOP_END);
        if (decision)
            refrain_walk_count_iterations(place, place->remaining > 0);
        else
            place->counting = place->remaining > 0;
        return go_beyond(walk, place, decision ? 1 : 2);
    }
    if (place->remaining > 0) {
        refrain_walk_probe_begins(walk, REFRAIN_PROBE_ITERATION);
        refrain_walk_count_iterations(place, 1);
        bool continues = go_beyond(walk, place, 1);
        if (continues && walk->records_steps) /* its block belongs to the iteration before */
            record_step(walk, record);
        if (continues && walk->finds_cycles)
            refrain_walk_begin_iteration(walk, place);
        return continues;
    }
    if (place->pending) {
        walk->ended = true;
        return false;
    }
    refrain_walk_probe_begins(walk, REFRAIN_PROBE_LOOP_END);
    place->counting = false;
    return go_beyond(walk, place, 2);
}

/* Moves within the activation, to the slot to which the link leads. */
static inline bool move(struct refrain_walk *walk, const struct refrain_walk_link *link,
                        struct refrain_record *record) {
    struct refrain_walk_learner *place = link->to;
    int64_t decision;
    switch (link->action) {
    case REFRAIN_WALK_MOVES:
        if (!(place->slot->flags & REFRAIN_SLOT_MPI_CALL)) /* otherwise the probe is part of the call */
            refrain_walk_probe_begins(walk, REFRAIN_PROBE_PLACE);
        walk->stack[walk->depth - 1].at = place;
        return true;
    case REFRAIN_WALK_DECIDES:
        refrain_walk_probe_begins(walk, REFRAIN_PROBE_DECISION);
        if (!take_step(walk, place, &decision))
            return false;
        refrain_walk_note(walk, place, decision);
        return go_beyond(walk, place, decision ? 1 : 2);
    case REFRAIN_WALK_SKIPS_LOOP: /* replay does not need the count */
        refrain_walk_probe_begins(walk, REFRAIN_PROBE_COUNT);
        return go_beyond(walk, place, 2);
    default:
        return loop(walk, place, record);
    }
}

/* The place of the slot inside a record of `bytes` bytes: a call site or a user region. Null also if the image of a
 * running process does not have the record yet: then the rest of the thread is unknown. */
static struct refrain_walk_learner *place_inside(struct refrain_walk *walk, uint64_t offset, size_t slot_offset,
                                                 size_t bytes) {
    if (!offset && !walk->header->finished)
        return NULL;
    const unsigned char *at = refrain_walk_at(walk, offset, bytes);
    return at ? refrain_walk_meet_slot(walk, (const struct refrain_slot *)(at + slot_offset)) : NULL;
}

/* Finds where a value >= 0 leads from the innermost activation. False if it leads nowhere. */
static bool follow_value(struct refrain_walk *walk, int64_t value, struct refrain_walk_link *link) {
    const struct refrain_walk_activation *top = &walk->stack[walk->depth - 1];
    *link = (struct refrain_walk_link){.value = value, .action = REFRAIN_WALK_ENTERS};
    if (value < (int64_t)walk->n_slots) {
        const struct refrain_walk_slot *info = &walk->slots[value];
        bool decides = info->kind >= REFRAIN_IF && info->kind <= REFRAIN_DO;
        size_t n = decides ? 3 : info->kind == REFRAIN_FUNCTION ? 2 : 1;
        const struct refrain_slot *slot = refrain_walk_at(walk, info->offset, n * sizeof *slot);
        link->to = slot ? refrain_walk_meet_slot(walk, slot) : NULL;
        link->id = (uint64_t)value;
        link->kind = REFRAIN_RECORD_ENTER;
        if (slot && info->kind != REFRAIN_FUNCTION)
            link->action = !decides                             ? REFRAIN_WALK_MOVES
                           : info->kind < REFRAIN_WHILE         ? REFRAIN_WALK_DECIDES
                           : slot->flags & REFRAIN_SLOT_COUNTED ? REFRAIN_WALK_SKIPS_LOOP
                                                                : REFRAIN_WALK_LOOPS;
    } else if (value >= REFRAIN_NEXT_REGION) {
        bool is_value = value >= REFRAIN_NEXT_VALUE;
        link->id = (uint64_t)value - (uint64_t)(is_value ? REFRAIN_NEXT_VALUE : REFRAIN_NEXT_REGION);
        link->kind = REFRAIN_RECORD_REGION_ENTER;
        link->action = is_value ? REFRAIN_WALK_RECORDS_VALUE : REFRAIN_WALK_ENTERS;
        link->to = place_inside(walk, refrain_numbered_region(&walk->numbered, link->id),
                                offsetof(struct refrain_region_name, inside), sizeof(struct refrain_region_name));
    } else if (value >= REFRAIN_NEXT_OPERATION) {
        if (top->kind != REFRAIN_RECORD_CALL_ENTER)
            return refrain_walk_impossible(walk, top->at->slot, "an operation outside an MPI call");
        link->action = REFRAIN_WALK_OPERATES;
        link->operation = refrain_walk_operation(walk, (uint32_t)(value - REFRAIN_NEXT_OPERATION), &link->to);
        if (!link->operation)
            return false;
    } else if (value >= REFRAIN_NEXT_CALL) {
        link->id = (uint64_t)(value - REFRAIN_NEXT_CALL);
        link->kind = REFRAIN_RECORD_CALL_ENTER;
        link->is_overflow_site = refrain_numbered_is_overflow_site(&walk->numbered, link->id);
        link->to = place_inside(walk, refrain_numbered_call_site(&walk->numbered, link->id),
                                offsetof(struct refrain_call_site, inside), sizeof(struct refrain_call_site));
    } else {
        return refrain_walk_impossible(walk, top->at->slot, "a slot number beyond the last");
    }
    return link->to != NULL;
}

/* Takes the next value of a marker, of a counter, or of calls in a pause. */
static bool record_value(struct refrain_walk *walk, uint64_t number, struct refrain_walk_learner *values,
                         struct refrain_record *record) {
    const struct refrain_learner *learner = &values->slot->next;
    int64_t value = learner->expect;
    if (walk->recorder) /* several values can make one event */
        refrain_walk_give_up_recording(walk);
    bool approximate = walk->approximate;
    if (region_of(values->slot)->use != REFRAIN_USE_UNTOLD)
        refrain_walk_pass_block(walk, walk->stack[walk->depth - 1].at);
    if (!refrain_walk_take(walk, values, &value, &approximate)) {
        /* Without memory for its counts, any value is as likely as another. */
        if (walk->wrong || learner->state != REFRAIN_SUMMARY)
            return false;
        walk->ended = false;
        approximate = true;
    }
    refrain_walk_fill(walk, record, REFRAIN_RECORD_VALUE, walk->ticks, walk->cost, number, NULL);
    record->approximate = approximate;
    record->n_parameters = 1;
    record->parameters[0] = value;
    return true;
}

/* ---- the machine ---- */

/* Takes one step. Fills `record` if the step makes an event. */
static bool step(struct refrain_walk *walk, struct refrain_record *record) {
    struct refrain_walk_learner *last = walk->stack[walk->depth - 1].at;
    int64_t value;
    if (walk->steps_left == 0 && !refrain_walk_allow_steps(walk))
        return refrain_walk_fail(walk, last->slot, "more happens here than there was time for");
    walk->steps_left--;
    if (!take_step(walk, last, &value))
        return false;
    if (walk->recorder)
        refrain_walk_note_step(walk, last, value);
    walk->successors_left -= walk->counts_successors;
    if (value < 0)
        return value < REFRAIN_NEXT_GONE
                   ? refrain_walk_impossible(walk, last->slot, "an activation ends in no known way")
                   : leave(walk, value, record);
    struct refrain_walk_link *link = &last->links[(uint64_t)value % REFRAIN_WALK_LINKS];
    if ((!link->to || link->value != value) && !follow_value(walk, value, link)) {
        link->to = NULL;
        return false;
    }
    switch (link->action) {
    case REFRAIN_WALK_ENTERS:
        return push(walk, link, record);
    case REFRAIN_WALK_OPERATES:
        return refrain_walk_operate(walk, link, record);
    case REFRAIN_WALK_RECORDS_VALUE:
        return record_value(walk, link->id, link->to, record);
    default:
        if (!move(walk, link, record))
            return false;
        if (walk->records_steps && record->kind == REFRAIN_RECORD_NONE)
            record_step(walk, record);
        return true;
    }
}

static bool is_decision(const void *data, uint32_t slot) {
    const struct refrain_walk *walk = data;
    return slot < walk->n_slots && walk->slots[slot].kind >= REFRAIN_IF && walk->slots[slot].kind <= REFRAIN_DO;
}

static void count_successors(void *data, const struct refrain_learner *learner) {
    struct refrain_walk *walk = data;
    struct refrain_walk_learner *place = learner->state == REFRAIN_EMPTY ? NULL : refrain_walk_meet(walk, learner);
    if (!place)
        return;
    uint64_t values = refrain_learner_values(walk->image, walk->image_bytes, learner, NULL);
    walk->successors_left += values > place->taken ? values - place->taken : 0;
}

/* Called when the current place has no value left. If the order is approximate and other places still have values,
 * this happens in a recursion: ends the activation, and its caller continues. Else returns false: the run ends here. */
static bool recover(struct refrain_walk *walk, struct refrain_record *record) {
    if (!walk->approximate || walk->wrong || walk->depth == 1)
        return false;
    if (!walk->counts_successors) {
        refrain_successors_visit(walk->image, walk->image_bytes, walk->thread_number, is_decision, count_successors,
                                 walk);
        walk->counts_successors = true;
    }
    if (walk->successors_left == 0)
        return false;
    walk->ended = false;
    walk->run_left = 0;
    return leave(walk, REFRAIN_NEXT_EXIT, record);
}

/* A step failed: continues if the order is approximate, else ends the walk. */
static void stop(struct refrain_walk *walk, struct refrain_record *record) {
    if (recover(walk, record))
        return;
    walk->ended = true;
    record->kind = REFRAIN_RECORD_NONE; /* the record is incomplete */
}

enum before_step {
    NOTHING,  /* take the step */
    MADE,     /* a record was made, or none */
    IN_ORDER, /* a record that waited for its time, which is known now */
    OVER,     /* the walk has ended */
};

/* Fast path of before_step(): true if it has nothing to do. */
static bool only_steps(const struct refrain_walk *walk) {
    return !walk->ended && walk->run_left <= 0 && walk->n_waiting == 0 && !refrain_walk_is_time_pending(walk);
}

/* Removes the first waiting record. */
static void take_waiting(struct refrain_walk *walk, struct refrain_record *record) {
    *record = walk->waiting[walk->first_waiting++];
    walk->n_known -= walk->n_known > 0;
    if (--walk->n_waiting == 0)
        walk->first_waiting = 0;
}

static enum before_step before_step(struct refrain_walk *walk, struct refrain_record *record) {
    if (walk->n_waiting > 0 && !refrain_walk_is_time_pending(walk)) {
        take_waiting(walk, record);
        return IN_ORDER;
    }
    if (walk->ended) {
        bool owes = walk->owed > 0 && !walk->wrong;
        walk->run_left = 1;
        return owes && refrain_walk_complete_next(walk, record) && record->kind != REFRAIN_RECORD_NONE ? MADE : OVER;
    }
    if (walk->run_left <= 0)
        return NOTHING;
    if (!refrain_walk_complete_next(walk, record))
        stop(walk, record);
    return MADE;
}

size_t refrain_walk_read(struct refrain_walk *walk, struct refrain_record *records, size_t n) {
    size_t i = 0;
    while (i < n) {
        if (walk->cycle) { /* waiting records come before its iterations */
            if (walk->n_waiting == 0)
                break;
            if (walk->n_known > 0)
                take_waiting(walk, &records[i++]);
            else
                refrain_walk_cycle_settle(walk);
            continue;
        }
        /* If times are not known yet, a new record has to wait behind those that wait already. */
        bool waits = refrain_walk_is_time_pending(walk);
        struct refrain_record *record = waits ? refrain_walk_next_waiting(walk) : &records[i];
        if (!record)
            break;
        record->kind = REFRAIN_RECORD_NONE;
        enum before_step before = only_steps(walk) ? NOTHING : before_step(walk, record);
        if (before == OVER && !waits)
            break;
        if (before == OVER) {
            refrain_walk_settle_last(walk);
            continue;
        }
        if (before == NOTHING && !step(walk, record))
            stop(walk, record);
        if (record->kind == REFRAIN_RECORD_NONE)
            continue;
        if (walk->recorder && before != IN_ORDER && record->kind != REFRAIN_RECORD_STEP)
            refrain_walk_note_record(walk, record);
        if (waits)
            walk->n_waiting++;
        else if (before == IN_ORDER || !refrain_walk_is_time_pending(walk))
            i++;
        else if (!refrain_walk_wait_for_time(walk, record))
            break;
    }
    return i;
}

bool refrain_walk_next(struct refrain_walk *walk, struct refrain_record *record) {
    return refrain_walk_read(walk, record, 1) == 1;
}
