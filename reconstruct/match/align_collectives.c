/* align_collectives.c: who leaves a collective waits for those that have to enter it before (align_parts.h). */
#include "common/arena.h"
#include "match/align_parts.h"

/* A location that waits in a collective. */
struct waiter {
    struct refrain_store_entry entry;
    uint32_t location;
};

/* One operation of all members; only those in which somebody may have to wait. */
struct collective {
    struct refrain_store_entry entry;
    const struct refrain_comm_info *comm;
    uint64_t ordinal;
    uint32_t kind, inside; /* locations in it now */
    uint32_t entered, left;
    struct refrain_moment latest_enter, root_enter;
    bool root_entered;
    bool broken; /* somebody will never come ... */
    bool untold; /* ... as it did so in a pause */
    struct refrain_store_list waiters;
};

/* Per (rank, comm, kind): how many collectives it has entered. */
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

/* Will some member never enter the operation? */
static bool never_complete(struct refrain_align *align, const struct collective *collective) {
    const struct refrain_comm_info *comm = collective->comm;
    for (int32_t i = 0; i < comm->size; i++) {
        int32_t rank = comm->members ? comm->members[i] : i;
        if (!refrain_align_gone(align, rank))
            continue;
        uint32_t at = refrain_store_find(&align->ordinals, (uint32_t)rank, ordinal_key(comm, collective->kind));
        if (at && ((const struct ordinal *)refrain_store_at(&align->ordinals, at))->next > collective->ordinal)
            continue;
        /* Another one may have ended before, and that is not known yet. */
        if (align->turn > 0 && rank >= 0 && (size_t)rank < align->n_ranks && align->ended_ns[rank] > INT64_MIN)
            refrain_align_order_matters(align, "a rank ended before others' collective");
        return true;
    }
    return false;
}

/* Has another member than `entering` passed the operation by, in a pause? */
static bool was_passed_by(const struct refrain_align *align, const struct collective *collective, int32_t entering) {
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

/* Counts a call of a collective that some member did not come to. */
static void incomplete(struct refrain_align *align, const struct collective *collective) {
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

/* The one behind `before` does not wait any more. */
static void remove_waiter(struct refrain_align *align, struct collective *collective, uint32_t before) {
    uint32_t number = before ? refrain_store_next(&align->waiters, before) : collective->waiters.first;
    refrain_store_unlink(&align->waiters, &collective->waiters, before);
    refrain_store_give(&align->waiters, number);
}

/* Has come what a location with that rule waits for, and when? */
static bool may_leave(const struct collective *collective, uint8_t rule, struct refrain_moment *cause) {
    bool from_root = rule == REFRAIN_RULE_FROM_ROOT;
    *cause = from_root ? collective->root_enter : collective->latest_enter;
    return from_root ? collective->root_entered : collective->entered >= (uint32_t)collective->comm->size;
}

/* Wakes those for whom the collective has become complete enough, or who would wait for ever. */
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
            incomplete(align, collective);
        refrain_align_satisfy(align, woken, complete ? &cause : NULL);
    }
}

void refrain_align_pass_collective(struct refrain_align *align, uint32_t number) {
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

/* The collective is no longer needed when all who were to leave have. */
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
    collective->untold = was_passed_by(align, collective, rank);
    collective->broken = collective->untold || never_complete(align, collective);
    return at;
}

static uint32_t ordinal_of(struct refrain_align *align, const struct refrain_event *event, uint64_t key) {
    uint32_t at = refrain_store_find(&align->ordinals, (uint32_t)event->rank, key);
    if (!at && !(at = refrain_store_add(&align->ordinals, (uint32_t)event->rank, key)))
        align->no_memory = true;
    return at;
}

/* For the others they never become complete. */
void refrain_align_untold_collectives(struct refrain_align *align, const struct refrain_event *event) {
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

/* Members have entered, the latest of them then. */
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
    /* A nonblocking one makes nobody wait in its call, and who is sent nothing by another need not wait for it. */
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
    location->rule = (uint8_t)(empty ? REFRAIN_RULE_NONE : rule); /* who receives nothing need not wait either */
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
        incomplete(align, collective);
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
        if (!collective->broken && never_complete(align, collective)) {
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
