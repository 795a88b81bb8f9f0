/* hang.c: finds who waits for whom, and whether the waiting can end (hang.h). */
#include "analysis/hang.h"
#include "common/array.h"
#include "model/mpi_call.h"

#include <stdlib.h>
#include <string.h>

/* What one rank needs so that its call can end. */
struct needs {
    size_t first, n; /* edges of hang->edges; all of them are needed */
    bool one;        /* only one is needed: some of the requests have completed */
    bool any;        /* needs a message from any member of its communicator; if `one`: or that */
    bool answered;   /* if `one`: the partner of one request is in a matching call */
};

static bool add_edge(struct refrain_hang *hang, size_t *capacity, struct refrain_hang_edge edge) {
    if (!REFRAIN_ARRAY_ROOM(hang->edges, hang->n_edges, *capacity))
        return false;
    hang->edges[hang->n_edges++] = edge;
    return true;
}

/* True if the calls may be on the same communicator. */
static bool comms_match(const struct refrain_comm_info *a, const struct refrain_comm_info *b) {
    return a == b || !a || !b;
}

static bool tags_match(int32_t sent, int32_t received) {
    return received == -1 || sent == -1 || sent == received;
}

/* True if the other rank is in a call that receives the message sent, or sends the one received. */
static bool meets(const struct refrain_live_rank *other, const struct refrain_live_rank *rank,
                  const struct refrain_live_want *want) {
    if (other->state != REFRAIN_LIVE_CALLS || !comms_match(other->comm, rank->comm))
        return false;
    for (uint32_t i = 0; i < other->n_wants; i++) {
        const struct refrain_live_want *its = &other->wants[i];
        if (its->sends != want->sends && (its->peer == rank->rank || its->peer == REFRAIN_NOW_ANY) &&
            tags_match(want->sends ? want->tag : its->tag, want->sends ? its->tag : want->tag))
            return true;
    }
    return false;
}

/* True if it may have posted the receive before its current call. A rank that waits for requests has no other
 * receives. */
static bool may_have_posted(const struct refrain_live_rank *other, const struct refrain_live_want *want) {
    return want->sends && other->posts_receives && !other->on_requests;
}

static bool sends_to(const struct refrain_live_rank *rank, int32_t peer) {
    for (uint32_t i = 0; rank->state == REFRAIN_LIVE_CALLS && i < rank->n_wants; i++)
        if (rank->wants[i].sends && rank->wants[i].peer == peer)
            return true;
    return false;
}

/* State of the search for ranks that hang. */
struct search {
    const struct refrain_live *live;
    int64_t stuck_ns;
    struct refrain_hang *hang;
    struct refrain_unreceived unreceived; /* messages in transit: used if the duration of calls is unknown */
    struct needs *needs;                  /* by rank */
    size_t capacity;                      /* of hang->edges */
};

static bool lasted_is_known(const struct refrain_live *live) {
    return !live->is_over || live->end_is_known;
}

static bool is_stuck(const struct search *search, const struct refrain_live_rank *rank) {
    return rank->state == REFRAIN_LIVE_CALLS && (rank->since_ns >= search->stuck_ns || !lasted_is_known(search->live));
}

static bool is_what_it_receives(const struct refrain_live_rank *rank, const struct refrain_live_want *want,
                                const struct refrain_unreceived_channel *channel) {
    return !want->sends && channel->destination == rank->rank &&
           (want->peer == REFRAIN_NOW_ANY || want->peer == channel->source) && comms_match(channel->comm, rank->comm) &&
           (want->tag == -1 || want->tag == channel->tag);
}

static bool is_on_its_way(const struct search *search, const struct refrain_live_rank *rank,
                          const struct refrain_live_want *want) {
    for (size_t i = 0; !lasted_is_known(search->live) && i < search->unreceived.n; i++)
        if (is_what_it_receives(rank, want, &search->unreceived.channels[i]))
            return true;
    return false;
}

/* True if the rank will neither send nor receive any more. */
static bool is_over(const struct refrain_live_rank *rank) {
    return rank->state == REFRAIN_LIVE_FINISHED || rank->state == REFRAIN_LIVE_GONE ||
           (rank->state == REFRAIN_LIVE_CALLS && rank->call && refrain_mpi_kind(rank->call) == REFRAIN_MPI_FINALIZE);
}

static bool is_rank(const struct refrain_live *live, int32_t rank) {
    return rank >= 0 && (size_t)rank < live->n_ranks;
}

static int32_t member_of(const struct refrain_comm_info *comm, int32_t i) {
    return comm->members ? comm->members[i] : i;
}

/* True if the edge is listed already. */
static bool has_edge(const struct refrain_hang *hang, size_t first, int32_t awaited) {
    for (size_t i = first; i < hang->n_edges; i++)
        if (hang->edges[i].awaited == awaited)
            return true;
    return false;
}

static bool find_partners(struct search *search, const struct refrain_live_rank *rank, struct needs *needs) {
    const struct refrain_live *live = search->live;
    struct refrain_hang *hang = search->hang;
    bool memory = true;
    for (uint32_t i = 0; i < rank->n_wants; i++) {
        const struct refrain_live_want *want = &rank->wants[i];
        if (is_on_its_way(search, rank, want))
            needs->answered = true;
        else if (want->peer == REFRAIN_NOW_ANY)
            needs->any = true;
        else if (is_rank(live, want->peer) && meets(&live->ranks[want->peer], rank, want))
            needs->answered |= want->peer != rank->rank; /* messages to itself do not count */
        else if (is_rank(live, want->peer) && !has_edge(hang, needs->first, want->peer))
            memory &= add_edge(hang, &search->capacity,
                               (struct refrain_hang_edge){.rank = rank->rank,
                                                          .awaited = want->peer,
                                                          .sends = want->sends,
                                                          .tag = want->tag,
                                                          .may_end = may_have_posted(&live->ranks[want->peer], want)});
    }
    return memory;
}

static enum refrain_collective role_of(const struct refrain_live_rank *rank) {
    return rank->state == REFRAIN_LIVE_CALLS && rank->in_collective && rank->call && rank->call->mpi
               ? refrain_mpi_call(rank->call->mpi - 1)->collective
               : REFRAIN_COLLECTIVE_NONE;
}

/* True if the other rank is in another collective, which has the same number on the same communicator. */
static bool differs(const struct refrain_live_rank *rank, const struct refrain_live_rank *other) {
    return other->comm == rank->comm && other->ordinal == rank->ordinal && role_of(rank) && role_of(other) &&
           role_of(rank) != role_of(other);
}

static bool find_late_members(struct search *search, const struct refrain_live_rank *rank) {
    const struct refrain_live *live = search->live;
    bool memory = true;
    if (!rank->in_collective || !rank->comm || rank->comm->remote_size > 0)
        return true;
    for (int32_t i = 0; i < rank->comm->size; i++) {
        int32_t member = member_of(rank->comm, i);
        uint32_t entered;
        if (!is_rank(live, member) || member == rank->rank)
            continue;
        /* The numbers are modulo 2^32, and close to each other. */
        bool known = refrain_live_entered(live, member, rank->comm, &entered);
        bool mismatch = differs(rank, &live->ranks[member]);
        if (mismatch || (known && (int32_t)(entered - rank->ordinal) < 0) ||
            (!known && live->ranks[member].state == REFRAIN_LIVE_MISSING))
            memory &= add_edge(
                search->hang, &search->capacity,
                (struct refrain_hang_edge){rank->rank, member, .collective = true, .mismatch = mismatch, .tag = -1});
    }
    return memory;
}

static bool find_needs(struct search *search, const struct refrain_live_rank *rank, struct needs *needs) {
    *needs = (struct needs){.first = search->hang->n_edges, .one = rank->some_are_over};
    bool memory = find_partners(search, rank, needs) && find_late_members(search, rank);
    needs->n = search->hang->n_edges - needs->first;
    return memory;
}

/* True if the rank may still do what another one needs. A rank without a file may do anything. */
static bool can_continue(const struct refrain_live *live, const struct refrain_hang *hang, int32_t rank) {
    return live->ranks[rank].state == REFRAIN_LIVE_MISSING || !hang->hangs[rank];
}

/* True if what the rank needs may still come. */
static bool may_continue(const struct search *search, const struct needs *needs, const struct refrain_live_rank *rank) {
    const struct refrain_live *live = search->live;
    const struct refrain_hang *hang = search->hang;
    bool someone = needs->one && needs->answered;
    for (size_t i = 0; i < needs->n && !someone; i++) {
        const struct refrain_hang_edge *edge = &hang->edges[needs->first + i];
        bool can = edge->may_end || can_continue(live, hang, edge->awaited);
        if (!needs->one && !can)
            return false;
        someone = needs->one && can;
    }
    if (someone || !needs->any)
        return someone || !needs->one;
    for (int32_t i = 0; !someone && i < (rank->comm ? rank->comm->size : 0); i++) {
        int32_t member = member_of(rank->comm, i);
        someone = !is_rank(live, member) || (member != rank->rank && can_continue(live, hang, member)) ||
                  (is_rank(live, member) && sends_to(&live->ranks[member], rank->rank));
    }
    return someone || !rank->comm || rank->comm->remote_size > 0;
}

/* Finds a cycle of ranks that hang, starting from the lowest rank in one. */
static bool find_cycle(const struct search *search) {
    const struct refrain_live *live = search->live;
    const struct needs *needs = search->needs;
    struct refrain_hang *hang = search->hang;
    size_t *seen = calloc(live->n_ranks + 1, sizeof *seen);
    int32_t *way = calloc(live->n_ranks + 1, sizeof *way);
    for (size_t start = 0; seen && way && start < live->n_ranks && hang->n_cycle == 0; start++) {
        size_t length = 0;
        int32_t at = (int32_t)start;
        /* Follow the first edge to another rank that hangs, until a rank repeats. */
        while (at >= 0 && hang->hangs[at] && seen[at] == 0 && live->ranks[at].state == REFRAIN_LIVE_CALLS) {
            seen[at] = length + 1;
            way[length++] = at;
            int32_t next = -1;
            for (size_t i = 0; i < needs[at].n && next < 0; i++) {
                int32_t awaited = hang->edges[needs[at].first + i].awaited;
                if (hang->hangs[awaited] && live->ranks[awaited].state == REFRAIN_LIVE_CALLS)
                    next = awaited;
            }
            at = next;
        }
        if (at >= 0 && seen[at] != 0 && length > 0 && way[seen[at] - 1] == at && seen[at] <= length) {
            hang->n_cycle = length - (seen[at] - 1);
            memcpy(hang->cycle, way + seen[at] - 1, hang->n_cycle * sizeof *way);
        }
        for (size_t i = 0; i < length; i++)
            seen[way[i]] = 0;
    }
    bool memory = seen && way;
    free(seen);
    free(way);
    return memory;
}

/* Finds the ranks that hang, given the messages in transit. False without memory. */
static bool find(struct search *search) {
    const struct refrain_live *live = search->live;
    struct refrain_hang *hang = search->hang;
    bool memory = true;
    hang->n_edges = hang->n_hanging = hang->n_cycle = 0;
    memset(search->needs, 0, live->n_ranks * sizeof *search->needs);
    for (size_t i = 0; memory && i < live->n_ranks; i++) {
        const struct refrain_live_rank *rank = &live->ranks[i];
        if (is_stuck(search, rank))
            memory = find_needs(search, rank, &search->needs[i]);
        hang->hangs[i] = is_over(rank) || search->needs[i].n > 0 || search->needs[i].any;
    }
    /* A rank that can continue may let others continue. */
    for (bool changed = memory; changed;) {
        changed = false;
        for (size_t i = 0; i < live->n_ranks; i++)
            if (hang->hangs[i] && (search->needs[i].n > 0 || search->needs[i].any) &&
                may_continue(search, &search->needs[i], &live->ranks[i])) {
                hang->hangs[i] = false;
                changed = true;
            }
    }
    if (memory)
        memory = find_cycle(search);
    for (size_t i = 0; memory && i < live->n_ranks; i++) {
        hang->hangs[i] &= !is_over(&live->ranks[i]);
        hang->n_hanging += hang->hangs[i];
    }
    return memory;
}

/* ---- causes ---- */

/* A channel from the awaited rank, but not for the awaited message. Null if it may be the awaited message, or is
 * from another rank. */
static const struct refrain_live_want *mistaken(const struct refrain_live_rank *rank,
                                                const struct refrain_unreceived_channel *channel) {
    const struct refrain_live_want *near = NULL;
    for (uint32_t i = 0; i < rank->n_wants; i++) {
        const struct refrain_live_want *want = &rank->wants[i];
        if (is_what_it_receives(rank, want, channel))
            return NULL;
        if (!want->sends && (want->peer == REFRAIN_NOW_ANY || want->peer == channel->source))
            near = want;
    }
    return near;
}

static bool find_causes(struct search *search) {
    const struct refrain_unreceived *unreceived = &search->unreceived;
    struct refrain_hang *hang = search->hang;
    hang->causes = calloc(unreceived->n + 1, sizeof *hang->causes);
    for (size_t i = 0; hang->causes && i < unreceived->n; i++) {
        const struct refrain_unreceived_channel *channel = &unreceived->channels[i];
        const struct refrain_live_rank *rank = &search->live->ranks[channel->destination];
        const struct refrain_live_want *want = mistaken(rank, channel);
        if (want && hang->hangs[channel->destination])
            hang->causes[hang->n_causes++] = (struct refrain_hang_cause){*channel, want->tag, rank->comm};
    }
    return hang->causes != NULL;
}

static uint64_t calls_of(const struct refrain_live *live) {
    uint64_t calls = 0;
    for (size_t i = 0; i < live->n_ranks; i++)
        calls += live->ranks[i].calls;
    return calls;
}

/* False without memory. */
static bool replay(struct search *search, uint64_t most_calls) {
    const struct refrain_live *live = search->live;
    struct refrain_error error = {0};
    if (calls_of(live) > most_calls) {
        search->hang->causes_unknown = true;
        return true;
    }
    if (refrain_unreceived_read(live->trace, search->hang->hangs, live->n_ranks, &search->unreceived, &error)) {
        search->hang->causes_unknown = true;
        return true;
    }
    return (lasted_is_known(live) || find(search)) && find_causes(search);
}

enum refrain_status refrain_hang_find(const struct refrain_live *live, int64_t stuck_ns, uint64_t most_calls,
                                      struct refrain_hang *hang, struct refrain_error *error) {
    struct search search = {.live = live, .stuck_ns = stuck_ns, .hang = hang};
    search.needs = calloc(live->n_ranks + 1, sizeof *search.needs);
    *hang = (struct refrain_hang){.hangs = calloc(live->n_ranks + 1, sizeof *hang->hangs),
                                  .cycle = calloc(live->n_ranks + 1, sizeof *hang->cycle)};
    bool memory = search.needs && hang->hangs && hang->cycle && find(&search);
    if (memory && hang->n_hanging > 0)
        memory = replay(&search, most_calls);
    refrain_unreceived_close(&search.unreceived);
    free(search.needs);
    if (memory)
        return REFRAIN_OK;
    refrain_hang_close(hang);
    return REFRAIN_FAIL_MEMORY(error);
}

enum refrain_status refrain_hang_at_end(struct refrain_trace *trace, uint64_t most_calls, struct refrain_live **live,
                                        struct refrain_hang *hang, struct refrain_error *error) {
    *live = NULL;
    if (trace->n_missing > REFRAIN_LIVE_MOST_MISSING)
        return REFRAIN_OK;
    enum refrain_status status = refrain_live_of(trace, live, error);
    if (!status && (*live)->is_over)
        status = refrain_hang_find(*live, REFRAIN_HANG_STUCK_NS, most_calls, hang, error);
    if (!status && (*live)->is_over)
        return REFRAIN_OK;
    refrain_live_close(*live);
    *live = NULL;
    return status;
}

void refrain_hang_close(struct refrain_hang *hang) {
    free(hang->edges);
    free(hang->causes);
    free(hang->hangs);
    free(hang->cycle);
    *hang = (struct refrain_hang){0};
}
