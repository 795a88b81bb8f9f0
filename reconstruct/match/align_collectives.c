/* align_collectives.c: a location leaves a collective only after the members that it depends on have entered
 * (align_parts.h). */
#include "common/arena.h"
#include "match/align_parts.h"

/* A location whose leaving of the collective waits for other members. */
struct waiter {
    struct refrain_store_entry entry;
    uint32_t location;
};

/* One collective operation of a communicator. Kept only for kinds in which a location may have to wait. */
struct collective {
    struct refrain_store_entry entry;
    const struct refrain_comm_info *comm;
    uint64_t ordinal;
    uint32_t kind, inside; /* `inside`: locations that are in it now */
    uint32_t entered, left;
    struct refrain_moment latest_enter, root_enter;
    bool root_entered;
    bool broken; /* some member will never enter it ... */
    bool untold; /* ... since it entered the operation in a pause */
    struct refrain_store_list waiters;
};

/* The number of collectives that a rank has entered, by communicator and kind. */
struct ordinal {
    struct refrain_store_entry entry;
    uint64_t next;
};

static uint64_t kind_of(const struct refrain_event *event) {
    return (uint64_t)event->region->role * 2 + (event->request >= 0);
}

static uint64_t ordinal_key(const struct refrain_comm_info *comm, uint64_t kind) {
    return (uint64_t)comm->index << 8 | kind;
}

/* True if some member has ended without entering the operation. */
static bool lacks_ended_member(struct refrain_align *align, const struct collective *collective) {
    const struct refrain_comm_info *comm = collective->comm;
    for (int32_t i = 0; i < comm->size; i++) {
        int32_t rank = comm->members ? comm->members[i] : i;
        if (!refrain_align_gone(align, rank))
            continue;
        uint32_t at = refrain_store_find(&align->ordinals, (uint32_t)rank, ordinal_key(comm, collective->kind));
        if (at && ((const struct ordinal *)refrain_store_at(&align->ordinals, at))->next > collective->ordinal)
            continue;
        /* With turns, other ranks may have ended earlier; their ends have not been reached yet. */
        if (align->turn > 0 && rank >= 0 && (size_t)rank < align->n_ranks && align->ended_ns[rank] > INT64_MIN)
            refrain_align_order_matters(align, "a rank ended before others' collective");
        return true;
    }
    return false;
}

/* True if a member other than `entering` passed the operation in a pause. */
static bool was_entered_in_pause(const struct refrain_align *align, const struct collective *collective,
                                 int32_t entering) {
    const struct refrain_comm_info *comm = collective->comm;
    for (int32_t i = 0; align->collectives_untold && i < comm->size; i++) {
        int32_t rank = comm->members ? comm->members[i] : i;
        uint32_t at = rank == entering
                          ? 0
                          : refrain_store_find(&align->ordinals, (uint32_t)rank, ordinal_key(comm, collective->kind));
        if (at && ((const struct ordinal *)refrain_store_at(&align->ordinals, at))->next > collective->ordinal)
            return true;
    }
    return false;
}

/* Counts a call of a collective that some member never entered. */
static void count_incomplete(struct refrain_align *align, const struct collective *collective) {
    if (collective->untold)
        align->report.other_end_untold++;
    else
        align->report.unmatched_collectives++;
}

/* ---- who waits ---- */

static bool add_waiter(struct refrain_align *align, struct collective *collective, uint32_t location) {
    uint32_t number = refrain_store_take(&align->waiters);
    if (!number) {
        align->no_memory = true;
        return false;
    }
    ((struct waiter *)refrain_store_at(&align->waiters, number))->location = location;
    refrain_store_insert(&align->waiters, &collective->waiters, collective->waiters.last, number);
    return true;
}

/* Removes the waiter behind `before` (0: the first one). */
static void remove_waiter(struct refrain_align *align, struct collective *collective, uint32_t before) {
    uint32_t number = before ? refrain_store_next(&align->waiters, before) : collective->waiters.first;
    refrain_store_unlink(&align->waiters, &collective->waiters, before);
    refrain_store_give(&align->waiters, number);
}

/* True if the members that a location with this rule waits for have entered. *cause: when they did. */
static bool may_leave(const struct collective *collective, uint8_t rule, struct refrain_moment *cause) {
    bool from_root = rule == REFRAIN_RULE_FROM_ROOT;
    *cause = from_root ? collective->root_enter : collective->latest_enter;
    return from_root ? collective->root_entered : collective->entered >= (uint32_t)collective->comm->size;
}

/* Wakes each waiter whose members have all entered. If the collective is broken, wakes all of them without a cause. */
static void wake(struct refrain_align *align, uint32_t number) {
    struct collective *collective = refrain_store_at(&align->collectives, number);
    uint32_t before = 0;
    for (uint32_t at = collective->waiters.first, next; at; at = next) {
        const struct waiter *waiter = refrain_store_at(&align->waiters, at);
        uint32_t woken = waiter->location;
        struct refrain_align_location *location = &align->locations[woken];
        struct refrain_moment cause;
        bool complete = may_leave(collective, location->rule, &cause);
        next = waiter->entry.next;
        if (!complete && !collective->broken) {
            before = at;
            continue;
        }
        remove_waiter(align, collective, before);
        location->wait_collective = false;
        if (!complete)
            count_incomplete(align, collective);
        refrain_align_satisfy(align, woken, complete ? &cause : NULL);
    }
}

void refrain_align_release_collective(struct refrain_align *align, uint32_t number) {
    struct refrain_align_location *location = &align->locations[number];
    if (!location->wait_collective)
        return;
    struct collective *collective = refrain_store_at(&align->collectives, location->inside);
    uint32_t before = 0, at = collective->waiters.first;
    for (; at; before = at, at = refrain_store_next(&align->waiters, at))
        if (((const struct waiter *)refrain_store_at(&align->waiters, at))->location == number)
            break;
    if (at) {
        remove_waiter(align, collective, before);
        align->report.unmatched_collectives++;
    }
    location->wait_collective = false;
}

/* ---- operations ---- */

/* Removes the collective if nobody is inside, and all members have left or some will never enter. */
static void drop_collective(struct refrain_align *align, uint32_t number) {
    const struct collective *collective = refrain_store_at(&align->collectives, number);
    if (collective->inside == 0 && (collective->left >= (uint32_t)collective->comm->size || collective->broken))
        refrain_store_remove(&align->collectives, number);
}

void refrain_align_left(struct refrain_align *align, struct refrain_align_location *location) {
    uint32_t number = location->inside;
    struct collective *collective = refrain_store_at(&align->collectives, number);
    location->inside = 0;
    collective->inside--;
    collective->left++;
    drop_collective(align, number);
}

static uint32_t find_collective(struct refrain_align *align, const struct refrain_comm_info *comm, uint64_t kind,
                                uint64_t ordinal, int32_t rank) {
    uint64_t key = ordinal_key(comm, kind);
    uint32_t at = refrain_store_find(&align->collectives, key, ordinal);
    if (at || !(at = refrain_store_add(&align->collectives, key, ordinal)))
        return at;
    struct collective *collective = refrain_store_at(&align->collectives, at);
    collective->comm = comm;
    collective->ordinal = ordinal;
    collective->kind = (uint32_t)kind;
    collective->untold = was_entered_in_pause(align, collective, rank);
    collective->broken = collective->untold || lacks_ended_member(align, collective);
    return at;
}

static uint32_t ordinal_of(struct refrain_align *align, const struct refrain_event *event, uint64_t key) {
    uint32_t at = refrain_store_find(&align->ordinals, (uint32_t)event->rank, key);
    if (!at && !(at = refrain_store_add(&align->ordinals, (uint32_t)event->rank, key)))
        align->no_memory = true;
    return at;
}

/* The collectives of this kind that the rank entered in a pause can never become complete for the other members. */
void refrain_align_collectives_in_pause(struct refrain_align *align, const struct refrain_event *event) {
    uint64_t kind = (uint64_t)event->tag * 2 + (event->request >= 0);
    uint64_t n = event->value > 0 ? (uint64_t)event->value : 0;
    uint32_t at = event->comm && event->tag > 0 && event->tag < REFRAIN_COLLECTIVES
                      ? ordinal_of(align, event, ordinal_key(event->comm, kind))
                      : 0;
    if (!at)
        return;
    struct ordinal *ordinal = refrain_store_at(&align->ordinals, at);
    uint64_t first = ordinal->next;
    ordinal->next += n;
    align->collectives_untold = true;
    for (uint32_t i = 1; i < align->collectives.n; i++) {
        struct collective *collective = refrain_store_at(&align->collectives, i);
        if (!refrain_store_live(&align->collectives, i) || collective->comm != event->comm ||
            collective->kind != kind || collective->ordinal < first || collective->ordinal >= first + n)
            continue;
        collective->broken = collective->untold = true;
        wake(align, i);
    }
}

/* Updates the latest time at which a member entered. `first`: no other member has entered before. */
static void entered_at(struct collective *collective, const struct refrain_moment *when, bool first) {
    struct refrain_moment *latest = &collective->latest_enter;
    if (first || when->virtual_ns > latest->virtual_ns)
        latest->virtual_ns = when->virtual_ns;
    if (first || when->real_ns > latest->real_ns)
        latest->real_ns = when->real_ns;
}

void refrain_align_enter(struct refrain_align *align, uint32_t number, struct refrain_event *event) {
    struct refrain_align_location *location = &align->locations[number];
    enum refrain_collective_rule rule = refrain_collective_rule(event->region->role);
    if (!event->comm || event->region->role == REFRAIN_COLLECTIVE_NONE)
        return;
    uint32_t at = ordinal_of(align, event, ordinal_key(event->comm, kind_of(event)));
    if (!at)
        return;
    struct ordinal *counted = refrain_store_at(&align->ordinals, at);
    uint64_t ordinal = counted->next++;
    bool alone = event->comm->size <= 1;
    uint64_t scope = alone ? (uint64_t)1 << 23 | (uint32_t)event->rank : event->comm->index;
    event->match = (scope << 6 | (kind_of(event) & 63)) << REFRAIN_MATCH_ORDINAL_BITS | (ordinal + 1);
    /* A nonblocking collective makes nobody wait in its call. In REFRAIN_RULE_PAIRS it is unknown whose data a rank
     * needs. */
    if (!align->adjust || rule == REFRAIN_RULE_NONE || rule == REFRAIN_RULE_PAIRS || event->comm->remote_size > 0 ||
        alone || event->request >= 0)
        return;
    if (location->inside)
        refrain_align_left(align, location);
    if (!(at = find_collective(align, event->comm, kind_of(event), ordinal, event->rank))) {
        align->no_memory = true;
        return;
    }
    struct collective *collective = refrain_store_at(&align->collectives, at);
    location->inside = at;
    location->inside_region = event->region;
    bool empty = event->received == 0 && event->region->role != REFRAIN_COLLECTIVE_BARRIER;
    location->rule = (uint8_t)(empty ? REFRAIN_RULE_NONE : rule); /* a rank that receives nothing need not wait */
    location->is_root = event->peer == event->rank;
    collective->inside++;
    collective->entered++;
    struct refrain_moment now = refrain_align_moment(align, number);
    entered_at(collective, &now, collective->entered == 1);
    if (location->is_root) {
        collective->root_entered = true;
        collective->root_enter = now;
    }
    wake(align, at);
}

void refrain_align_leave(struct refrain_align *align, uint32_t number) {
    struct refrain_align_location *location = &align->locations[number];
    struct collective *collective = refrain_store_at(&align->collectives, location->inside);
    bool waits = location->rule == REFRAIN_RULE_ALL ||
                 (location->rule == REFRAIN_RULE_FROM_ROOT && !location->is_root) ||
                 (location->rule == REFRAIN_RULE_TO_ROOT && location->is_root);
    struct refrain_moment cause;
    if (!waits)
        return;
    if (may_leave(collective, location->rule, &cause)) {
        refrain_align_hold(align, location, &cause);
    } else if (collective->broken) {
        count_incomplete(align, collective);
    } else if (add_waiter(align, collective, number)) {
        location->waiting++;
        location->wait_collective = true;
    }
}

void refrain_align_collectives_ended(struct refrain_align *align) {
    for (uint32_t i = 1; i < align->collectives.n; i++) {
        if (!refrain_store_live(&align->collectives, i))
            continue;
        struct collective *collective = refrain_store_at(&align->collectives, i);
        if (!collective->broken && lacks_ended_member(align, collective)) {
            collective->broken = true;
            wake(align, i);
        }
    }
}

void refrain_align_collectives_open(struct refrain_align *align) {
    align->waiters.entry_bytes = sizeof(struct waiter);
    align->collectives.entry_bytes = sizeof(struct collective);
    align->ordinals.entry_bytes = sizeof(struct ordinal);
}

void refrain_align_collectives_close(struct refrain_align *align) {
    refrain_store_close(&align->waiters);
    refrain_store_close(&align->collectives);
    refrain_store_close(&align->ordinals);
}
