/* mpi_requests.c: the request table (mpi_objects.h).
 *
 * Several requests may share a handle: MPI libraries give out one and the same for sends that were over at once. The
 * oldest of them is the one that completes first. */
#include "mpi_idup.h"
#include "mpi_objects.h"

#include <refrain/settings.h>
#include <string.h>

#define BUCKETS 1024u
#define NUMBERS 4096u /* in a part of a thread's numbering */
#define WORDS (NUMBERS / 64)
#define CHUNK 32u /* entries: as many as the room of a long formula that is not needed any more holds */
#define MOST_CHUNKS 8192u

/* What a persistent request was posted with, in an entry of its own: a start by another thread tells it again. */
struct posted {
    int64_t parameters[REFRAIN_PARAMETERS];
};

/* Entries by place, which is their number in this table; they stay where they are. */
union entry {
    struct refrain_request request;
    struct posted posted;
};
_Static_assert(sizeof(union entry) == sizeof(struct refrain_request) && REFRAIN_REQUESTS % CHUNK == 0,
               "a compact table");
static union entry first_entries[REFRAIN_REQUESTS], *chunks[MOST_CHUNKS];
static uint32_t n_chunks;   /* beyond the first entries */
static uint32_t never_used; /* entries from here on */
static uint32_t first_free; /* place + 1 */
static uint32_t bound;      /* in the buckets */
static struct { uint32_t head, tail; /* place + 1 */ } buckets[BUCKETS];

/* A part of the numbering of one thread. An orphan was completed by another thread; the number is still taken. */
static struct numbering {
    uint64_t taken[WORDS], orphan[WORDS];
    uint64_t full;          /* words of `taken` without a zero */
    uint64_t orphans;       /* words of `orphan` with a one */
    struct numbering *next; /* the numbers after these; null: none yet */
} numberings[REFRAIN_MAXIMUM_THREADS];
_Static_assert(WORDS == 64, "one word says which words are full");

/* ---- numbers: always the lowest free one, so that a replay can tell which ---- */

static REFRAIN_INLINE bool number_take(struct numbering *numbering, uint32_t *index) {
    uint32_t before = 0;
    while (~numbering->full == 0) {
        if (!numbering->next)
            numbering->next = refrain_pool_take_for_open(sizeof *numbering);
        if (!numbering->next)
            return false;
        numbering = numbering->next;
        before += NUMBERS;
    }
    unsigned word = (unsigned)__builtin_ctzll(~numbering->full);
    unsigned bit = (unsigned)__builtin_ctzll(~numbering->taken[word]);
    numbering->taken[word] |= (uint64_t)1 << bit;
    if (~numbering->taken[word] == 0)
        numbering->full |= (uint64_t)1 << word;
    *index = before + word * 64 + bit;
    if (*index >= refrain_region.header->request_high_water)
        refrain_region.header->request_high_water = *index + 1u;
    return true;
}

/* The part that a number taken is in; the number becomes that in the part. */
static REFRAIN_INLINE struct numbering *part_of(struct numbering *numbering, uint32_t *index) {
    for (; *index >= NUMBERS; *index -= NUMBERS)
        numbering = numbering->next;
    return numbering;
}

static REFRAIN_INLINE void number_give(struct numbering *numbering, uint32_t index) {
    numbering = part_of(numbering, &index);
    numbering->taken[index / 64] &= ~((uint64_t)1 << index % 64);
    numbering->full &= ~((uint64_t)1 << index / 64);
}

static void number_orphan(struct numbering *numbering, uint32_t index) {
    numbering = part_of(numbering, &index);
    numbering->orphan[index / 64] |= (uint64_t)1 << index % 64;
    numbering->orphans |= (uint64_t)1 << index / 64;
}

/* Gives orphans back, in the name of the thread they belong to; under the lock. A number that replay would not give
 * back stays taken. */
static void free_orphans(struct refrain_call *call, struct numbering *first) {
    uint32_t before = 0;
    for (struct numbering *part = first; part; part = part->next, before += NUMBERS)
        while (part->orphans) {
            unsigned word = (unsigned)__builtin_ctzll(part->orphans);
            uint32_t index = before + word * 64 + (unsigned)__builtin_ctzll(part->orphan[word]);
            part->orphan[word] &= part->orphan[word] - 1;
            if (part->orphan[word] == 0)
                part->orphans &= part->orphans - 1;
            if (refrain_call_operation(call, REFRAIN_OP_FREE, (int64_t[]){index}, 1))
                number_give(first, index);
        }
}

/* ---- entries ---- */

static inline union entry *entry_at(uint32_t place) {
    if (place < REFRAIN_REQUESTS)
        return &first_entries[place];
    place -= REFRAIN_REQUESTS;
    return &chunks[place / CHUNK][place % CHUNK];
}

static inline struct refrain_request *at(uint32_t place) {
    return &entry_at(place)->request;
}

static bool chunk_take(void) {
    if (n_chunks == MOST_CHUNKS)
        return false;
    union entry *chunk = refrain_pool_take_for_open(CHUNK * sizeof *chunk);
    if (chunk)
        chunks[n_chunks++] = chunk;
    return chunk != NULL;
}

static REFRAIN_INLINE struct refrain_request *entry_take(void) {
    if (first_free) {
        struct refrain_request *request = at(first_free - 1);
        first_free = request->next;
        return request;
    }
    if (never_used == REFRAIN_REQUESTS + n_chunks * CHUNK && !chunk_take())
        return NULL;
    struct refrain_request *request = at(never_used);
    request->place = never_used++;
    return request;
}

static REFRAIN_INLINE uint32_t place_of(const struct refrain_request *request) {
    return request->place + 1;
}

static REFRAIN_INLINE void entry_give(struct refrain_request *request) {
    request->flags = 0;
    request->next = first_free;
    first_free = place_of(request);
}

/* Is the operation that took it one of these? */
#define IS_ONE_OF(request, set) ((UINT32_C(1) << (request)->operation & (set)) != 0)
#define RECEIVES (UINT32_C(1) << REFRAIN_OP_IRECV | UINT32_C(1) << REFRAIN_OP_RECV_INIT)
#define SENDS (UINT32_C(1) << REFRAIN_OP_ISEND | UINT32_C(1) << REFRAIN_OP_SEND_INIT)
#define PERSISTENT                                                                                                     \
    (UINT32_C(1) << REFRAIN_OP_SEND_INIT | UINT32_C(1) << REFRAIN_OP_RECV_INIT |                                       \
     UINT32_C(1) << REFRAIN_OP_COLLECTIVE_INIT)
_Static_assert(REFRAIN_OPERATIONS <= 32, "a set of operations is a word");

static REFRAIN_INLINE bool is_persistent(const struct refrain_request *request) {
    return IS_ONE_OF(request, PERSISTENT);
}

static REFRAIN_INLINE bool is_receive(const struct refrain_request *request) {
    return IS_ONE_OF(request, RECEIVES);
}

static REFRAIN_INLINE bool is_send(const struct refrain_request *request) {
    return IS_ONE_OF(request, SENDS);
}

/* Of a persistent request. */
static REFRAIN_INLINE struct posted *posted_of(const struct refrain_request *request) {
    return &entry_at(request->comm - 1)->posted;
}

/* Index of its communicator; -1 unknown. */
static REFRAIN_INLINE int64_t comm_of(const struct refrain_request *request) {
    return is_persistent(request) ? posted_of(request)->parameters[REFRAIN_PARAMETERS - 1] : (int64_t)request->comm - 1;
}

/* The second entry of a persistent request; false where there is no room, and then it has none any more. */
static bool take_posted(struct refrain_request *request, const int64_t *parameters, unsigned n) {
    struct refrain_request *second = entry_take();
    if (!second) {
        entry_give(request);
        return false;
    }
    request->flags = 0;
    request->comm = place_of(second);
    int64_t *all = posted_of(request)->parameters;
    for (unsigned i = 0; i < REFRAIN_PARAMETERS; i++)
        all[i] = i < n ? parameters[i] : -1;
    if (is_receive(request)) /* their one parameter */
        all[REFRAIN_PARAMETERS - 1] = parameters[0];
    return true;
}

/* An entry for a request that is posted with these parameters; null where there is no room. */
static REFRAIN_INLINE struct refrain_request *request_take(enum refrain_operation operation, const int64_t *parameters,
                                                           unsigned n) {
    struct refrain_request *request = entry_take();
    if (!request)
        return NULL;
    request->operation = (uint8_t)operation;
    bool receives = is_receive(request);
    request->partner = n > 0 ? (int32_t)parameters[0] : -1;
    request->tag = n > 1 ? (int32_t)parameters[1] : -1;
    request->comm = receives                  ? (uint32_t)(parameters[0] + 1)
                    : n == REFRAIN_PARAMETERS ? (uint32_t)(parameters[REFRAIN_PARAMETERS - 1] + 1)
                                              : 0;
    request->flags = REFRAIN_REQUEST_ACTIVE;
    return !is_persistent(request) || take_posted(request, parameters, n) ? request : NULL;
}

static REFRAIN_INLINE void request_give(struct refrain_request *request) {
    if (is_persistent(request)) {
        struct refrain_request *second = at(request->comm - 1);
        second->place = request->comm - 1;
        entry_give(second);
    }
    entry_give(request);
}

static REFRAIN_INLINE unsigned bucket_of(uint64_t key) {
    return (unsigned)(key * 0x9e3779b97f4a7c15u >> 32) % BUCKETS;
}

static REFRAIN_INLINE void entry_insert(struct refrain_request *request, uint64_t key) {
    unsigned b = bucket_of(key);
    request->handle = key;
    request->next = 0;
    if (buckets[b].tail)
        at(buckets[b].tail - 1)->next = place_of(request);
    else
        buckets[b].head = place_of(request);
    buckets[b].tail = place_of(request);
    bound++;
}

static REFRAIN_INLINE void entry_unlink(struct refrain_request *request) {
    unsigned b = bucket_of(request->handle);
    uint32_t *link = &buckets[b].head, before = 0;
    while (*link != place_of(request)) {
        before = *link;
        link = &at(*link - 1)->next;
    }
    *link = request->next;
    if (buckets[b].tail == place_of(request))
        buckets[b].tail = before;
    bound--;
}

#define ANY_THREAD UINT32_MAX

/* The oldest of the thread's that is not watched yet, or the one after the `older` oldest. */
static REFRAIN_INLINE struct refrain_request *entry_of_thread(uint32_t thread, uint64_t key, unsigned older) {
    for (uint32_t n = buckets[bucket_of(key)].head; n; n = at(n - 1)->next) {
        struct refrain_request *request = at(n - 1);
        if (request->handle == key && (thread == ANY_THREAD || request->thread == thread) &&
            !(request->flags & REFRAIN_REQUEST_WATCHED) && older-- == 0)
            return request;
    }
    return NULL;
}

/* The same, of the calling thread's if it has one: what several threads post may have the same handle, and a handle
 * that one of them has just done with may be another's already. */
static inline struct refrain_request *entry_find(const struct refrain_call *call, uint64_t key, unsigned older) {
    uint32_t own = call->entry && refrain_mpi_multiple ? call->context->number : ANY_THREAD;
    struct refrain_request *request = entry_of_thread(own, key, older);
    return request || own == ANY_THREAD ? request : entry_of_thread(ANY_THREAD, key, older);
}

static REFRAIN_INLINE bool is_own(const struct refrain_call *call, const struct refrain_request *request) {
    return call->entry && call->context->number == request->thread;
}

/* A number of the calling thread's is free again, as a replay has been told (`told`). */
static REFRAIN_INLINE void number_done(const struct refrain_call *call, unsigned index, bool told) {
    if (!told)
        return;
    refrain_mpi_lock();
    number_give(&numberings[call->context->number], index);
    refrain_mpi_unlock();
}

/* Tells that a number of the calling thread's is given back without completion being seen. */
static void free_number(struct refrain_call *call, unsigned index) {
    refrain_call_returned(call);
    number_done(call, index, refrain_call_operation(call, REFRAIN_OP_FREE, (int64_t[]){index}, 1) != NULL);
}

/* ---- from posting to starting ---- */

/* Without a request: what can still be told. */
static void tell_blocking_form(struct refrain_call *call, enum refrain_operation operation, const int64_t *parameters,
                               unsigned n) {
    refrain_lose(REFRAIN_LOSS_REQUESTS, 1);
    if (operation == REFRAIN_OP_ISEND)
        refrain_call_operation(call, REFRAIN_OP_SEND, parameters, n);
    else if (operation == REFRAIN_OP_ICOLLECTIVE)
        refrain_call_operation(call, REFRAIN_OP_COLLECTIVE, parameters, n);
    else if (operation == REFRAIN_OP_RMA_REQUEST)
        refrain_call_operation(call, REFRAIN_OP_RMA, parameters, n);
    else if (operation == REFRAIN_OP_IO_REQUEST)
        refrain_call_operation(call, REFRAIN_OP_IO, parameters, n);
}

/* In a pause. What a receive has received is known when it completes, be that after the pause. */
static struct refrain_request *take_untold(const struct refrain_call *call, enum refrain_operation operation,
                                           const int64_t *parameters, unsigned n) {
    if (operation == REFRAIN_OP_ISEND)
        refrain_call_count_untold(call, REFRAIN_UNTOLD_SEND, parameters[0], parameters[1], parameters[3]);
    refrain_mpi_lock();
    struct refrain_request *request = request_take(operation, parameters, n);
    refrain_mpi_unlock();
    if (!request) {
        refrain_lose(REFRAIN_LOSS_REQUESTS, 1);
        return NULL;
    }
    request->posted = 0;
    request->flags |= REFRAIN_REQUEST_UNTOLD;
    request->thread = REFRAIN_REQUEST_NOBODYS;
    return request;
}

struct refrain_request *refrain_request_take(struct refrain_call *call, enum refrain_operation operation,
                                             const int64_t *parameters, unsigned n) {
    if (refrain_call_is_untold(call))
        return take_untold(call, operation, parameters, n);
    if (!call->entry)
        return NULL;
    struct numbering *numbering = &numberings[call->context->number];
    uint32_t index = 0;
    refrain_mpi_lock();
    if (numbering->orphans)
        free_orphans(call, numbering);
    struct refrain_request *request = request_take(operation, parameters, n);
    bool numbered = request && number_take(numbering, &index);
    if (request && !numbered)
        request_give(request);
    refrain_mpi_unlock();
    if (!numbered) {
        tell_blocking_form(call, operation, parameters, n);
        return NULL;
    }
    struct refrain_operation_record *posted = refrain_call_operation(call, operation, parameters, n);
    if (!posted) {
        refrain_mpi_lock();
        number_give(numbering, index);
        request_give(request);
        refrain_mpi_unlock();
        return NULL;
    }
    request->posted = refrain_reference(posted);
    request->index = index;
    request->thread = (uint16_t)call->context->number;
    return request;
}

void refrain_request_expects(struct refrain_request *request, int source, int tag) {
    request->partner = source == MPI_ANY_SOURCE ? -1 : source;
    request->tag = tag == MPI_ANY_TAG ? -1 : tag;
}

void refrain_request_fixed(struct refrain_request *request, int64_t bytes) {
    request->flags |= REFRAIN_REQUEST_FIXED;
    if (is_persistent(request))
        posted_of(request)->parameters[2] = bytes;
}

void refrain_request_bind(struct refrain_call *call, struct refrain_request *request, bool bind, uint64_t key) {
    if (!request)
        return;
    unsigned index = request->index;
    refrain_mpi_lock();
    if (bind)
        entry_insert(request, key);
    else
        request_give(request);
    refrain_mpi_unlock();
    if (!bind)
        free_number(call, index);
}

void refrain_request_rename(const struct refrain_call *call, uint64_t key, uint64_t new_key) {
    refrain_mpi_lock();
    struct refrain_request *request = bound ? entry_find(call, key, 0) : NULL;
    if (request) {
        entry_unlink(request);
        entry_insert(request, new_key);
    }
    refrain_mpi_unlock();
}

void refrain_request_start(struct refrain_call *call, MPI_Request handle) {
    refrain_mpi_lock();
    struct refrain_request *request = bound ? entry_find(call, REFRAIN_MPI_KEY(handle), 0) : NULL;
    if (request) {
        request->flags &= (uint8_t)~REFRAIN_REQUEST_UNTOLD;
        request->flags |= REFRAIN_REQUEST_ACTIVE | (refrain_call_is_untold(call) ? REFRAIN_REQUEST_UNTOLD : 0);
    }
    struct refrain_request copy = request ? *request : (struct refrain_request){.operation = 0};
    struct posted posted = request && is_persistent(request) ? *posted_of(request) : (struct posted){.parameters = {0}};
    const int64_t *parameters = posted.parameters;
    refrain_mpi_unlock();
    if (!request)
        return;
    if (copy.flags & REFRAIN_REQUEST_UNTOLD && copy.operation == REFRAIN_OP_SEND_INIT)
        refrain_call_count_untold(call, REFRAIN_UNTOLD_SEND, parameters[0], parameters[1], parameters[3]);
    else if (is_own(call, &copy))
        refrain_call_operation(call, REFRAIN_OP_START, (int64_t[]){copy.index}, 1);
    else if (copy.operation == REFRAIN_OP_SEND_INIT)
        refrain_call_operation(call, REFRAIN_OP_SEND, parameters, 4);
    else if (copy.operation == REFRAIN_OP_COLLECTIVE_INIT)
        refrain_call_operation(call, REFRAIN_OP_COLLECTIVE, parameters, 4);
}

void refrain_request_not_started(struct refrain_call *call, MPI_Request handle) {
    refrain_mpi_lock();
    struct refrain_request *request = bound ? entry_find(call, REFRAIN_MPI_KEY(handle), 0) : NULL;
    bool own = request && is_own(call, request);
    unsigned index = request ? request->index : 0;
    if (request)
        request->flags &= (uint8_t)~REFRAIN_REQUEST_ACTIVE;
    refrain_mpi_unlock();
    if (own)
        refrain_call_operation(call, REFRAIN_OP_CANCELLED, (int64_t[]){index}, 1);
}

void refrain_request_cancel(const struct refrain_call *call, MPI_Request handle) {
    refrain_mpi_lock();
    struct refrain_request *request = bound ? entry_find(call, REFRAIN_MPI_KEY(handle), 0) : NULL;
    if (request)
        request->flags |= REFRAIN_REQUEST_CANCEL;
    refrain_mpi_unlock();
}

/* ---- completion ---- */

/* Takes the request out of the table, or puts a persistent one to rest; under the lock. The number of the calling
 * thread's own is given back once its completion has been told. */
static REFRAIN_INLINE void settle(const struct refrain_call *call, struct refrain_request *request, bool freed) {
    if (is_persistent(request) && !freed) {
        request->flags &= (uint8_t) ~(REFRAIN_REQUEST_ACTIVE | REFRAIN_REQUEST_CANCEL | REFRAIN_REQUEST_WATCHED);
        return;
    }
    entry_unlink(request);
    if (!is_own(call, request) && request->thread != REFRAIN_REQUEST_NOBODYS)
        number_orphan(&numberings[request->thread], request->index);
    request_give(request);
}

/* The message that has arrived with a receive; what is not known is -1. */
static REFRAIN_INLINE void message_of(const struct refrain_request *request, MPI_Status *status,
                                      struct refrain_completion *message) {
    message->posted = NULL;
    message->source = message->tag = message->bytes = -1;
    if (!is_receive(request))
        return;
    message->posted = request->posted ? refrain_at_reference(request->posted) : NULL;
    if (request->flags & REFRAIN_REQUEST_FIXED) {
        message->source = request->partner;
        message->tag = request->tag;
        message->bytes = is_persistent(request) ? posted_of(request)->parameters[2] : -1;
    } else if (status) {
        message->source = status->MPI_SOURCE;
        message->tag = status->MPI_TAG;
        message->bytes = refrain_status_bytes(status);
    } else {
        refrain_lose(REFRAIN_LOSS_REQUESTS, 1);
    }
}

/* What another thread has posted, or was begun in a pause: its number means nothing here. A send that was not told does
 * not complete. */
static void tell_others_completion(struct refrain_call *call, const struct refrain_request *request,
                                   MPI_Status *status) {
    refrain_call_returned(call);
    if (is_receive(request)) {
        struct refrain_completion message;
        message_of(request, status, &message);
        int64_t parameters[] = {message.source, message.tag, message.bytes, comm_of(request)};
        if (!refrain_call_is_untold(call))
            refrain_call_operation(call, REFRAIN_OP_RECV, parameters, 4);
        else if (message.source >= 0)
            refrain_call_count_untold(call, REFRAIN_UNTOLD_RECEIVE, message.source, message.tag, parameters[3]);
    } else if (request->operation != REFRAIN_OP_NOTHING && !(request->flags & REFRAIN_REQUEST_UNTOLD)) {
        int64_t parameters[] = {request->operation, comm_of(request)};
        refrain_call_operation(call, REFRAIN_OP_COMPLETE_OTHER, parameters, 2);
    }
}

/* Completions in a row of requests whose numbers are in a row: they are told together. */
struct run {
    struct refrain_completion completions[REFRAIN_RUN_REQUESTS];
    uint64_t persistent; /* bits: its number stays taken */
    uint32_t first, n;
};

static REFRAIN_INLINE void run_begin(struct run *run) {
    run->persistent = 0;
    run->first = run->n = 0;
}

static void run_tell(struct refrain_call *call, struct run *run) {
    bool told = run->n == 0 || refrain_call_complete(call, run->first, run->completions, run->n);
    for (uint32_t i = 0; i < run->n; i++)
        if (!(run->persistent >> i & 1))
            number_done(call, run->first + i, told);
    run->n = 0;
    run->persistent = 0;
}

/* Tells of the completion of what was `request`, now or with the next one. */
static REFRAIN_INLINE void run_add(struct refrain_call *call, struct run *run, const struct refrain_request *request,
                                   MPI_Status *status) {
    int cancelled = 0;
    bool own = is_own(call, request) && !(request->flags & REFRAIN_REQUEST_UNTOLD);
    if (request->flags & REFRAIN_REQUEST_CANCEL && status)
        PMPI_Test_cancelled(status, &cancelled);
    if (!cancelled && is_receive(request) && status)
        refrain_order_receives(comm_of(request), status->MPI_SOURCE, status->MPI_TAG, false);
    if (own && !cancelled) {
        if (run->n == REFRAIN_RUN_REQUESTS || request->index != run->first + run->n)
            run_tell(call, run);
        if (run->n == 0)
            run->first = request->index;
        run->persistent |= (uint64_t)is_persistent(request) << run->n;
        message_of(request, status, &run->completions[run->n++]);
    } else {
        run_tell(call, run);
        if (own) {
            refrain_call_returned(call);
            bool told = refrain_call_operation(call, REFRAIN_OP_CANCELLED, (int64_t[]){request->index}, 1) != NULL;
            number_done(call, request->index, told && !is_persistent(request));
        } else if (!cancelled) {
            tell_others_completion(call, request, status);
        }
    }
    if (request->flags & REFRAIN_REQUEST_IDUP) {
        run_tell(call, run);
        refrain_idup_complete((unsigned)request->partner);
    }
}

void refrain_request_complete(struct refrain_call *call, uint64_t key, unsigned older, MPI_Status *status) {
    struct run run;
    refrain_mpi_lock();
    struct refrain_request *request = bound ? entry_find(call, key, older) : NULL;
    if (request && !(request->flags & REFRAIN_REQUEST_ACTIVE))
        request = NULL;
    if (request)
        request->flags |= REFRAIN_REQUEST_WATCHED; /* no other thread's with the same handle */
    refrain_mpi_unlock();
    if (!request)
        return;
    run_begin(&run);
    run_add(call, &run, request, status);
    run_tell(call, &run);
    refrain_mpi_lock();
    settle(call, request, false);
    refrain_mpi_unlock();
}

void refrain_request_await(const struct refrain_call *call, uint64_t key) {
    if (!call->entry || bound == 0)
        return;
    refrain_mpi_lock();
    const struct refrain_request *request = entry_find(call, key, 0);
    if (request && is_send(request))
        refrain_call_awaits(call, request->partner, -1, comm_of(request), request->tag);
    else if (request && is_receive(request))
        refrain_call_awaits(call, -1, request->partner < 0 ? REFRAIN_NOW_ANY : request->partner, comm_of(request),
                            request->tag);
    refrain_mpi_unlock();
}

void refrain_request_lost(struct refrain_call *call, uint64_t key) {
    refrain_mpi_lock();
    struct refrain_request *request = bound ? entry_find(call, key, 0) : NULL;
    bool own = request && is_own(call, request);
    unsigned index = request ? request->index : 0;
    if (request)
        settle(call, request, true);
    refrain_mpi_unlock();
    if (own)
        free_number(call, index);
}

/* ---- arrays of requests ---- */

void refrain_watch_begin(const struct refrain_call *call, struct refrain_watch *watch, int count,
                         const MPI_Request *array) {
    *watch = (struct refrain_watch){0, false, bound == 0};
    if (bound == 0 || !array)
        return;
    refrain_mpi_lock();
    uint32_t *link = &watch->first;
    for (int i = 0; i < count; i++) {
        struct refrain_request *request = entry_find(call, REFRAIN_MPI_KEY(array[i]), 0);
        watch->others |= !request && array[i] != MPI_REQUEST_NULL;
        if (!request || !(request->flags & REFRAIN_REQUEST_ACTIVE))
            continue;
        request->flags |= REFRAIN_REQUEST_WATCHED;
        request->position = (uint32_t)i;
        request->watched = 0;
        *link = place_of(request);
        link = &request->watched;
        watch->receives |= is_receive(request) || request->flags & REFRAIN_REQUEST_CANCEL;
    }
    refrain_mpi_unlock();
}

/* ---- what a call on several requests waits for ---- */

struct awaiting {
    struct refrain_now *now;
    uint32_t n;
    int64_t comm;
};

/* Adds what the request waits for; false: that is not known, or is more than fits. */
static REFRAIN_INLINE bool add_awaited(struct awaiting *awaiting, const struct refrain_request *request) {
    bool sends = is_send(request);
    if (request->operation == REFRAIN_OP_NOTHING)
        return true;
    if (!sends && !is_receive(request))
        return false;
    int64_t comm = comm_of(request);
    if (awaiting->n == REFRAIN_MOST_AWAITED || (awaiting->n > 0 && comm != awaiting->comm))
        return false;
    int32_t peer = request->partner;
    awaiting->comm = comm;
    awaiting->now->awaited[awaiting->n] = (struct refrain_awaited){peer < 0 ? REFRAIN_NOW_ANY : peer, request->tag};
    awaiting->now->sends &= ~(1u << awaiting->n);
    awaiting->now->sends |= (uint32_t)sends << awaiting->n++;
    return true;
}

/* Others read it at any time: the number comes last. */
static REFRAIN_INLINE void tell_awaited(const struct awaiting *awaiting) {
    awaiting->now->comm = (uint32_t)(awaiting->comm + 1);
    __atomic_store_n(&awaiting->now->n_awaited, awaiting->n, __ATOMIC_RELEASE);
}

void refrain_watch_await(const struct refrain_call *call, const struct refrain_watch *watch) {
    if (!call->entry || !watch->first || watch->others)
        return;
    struct awaiting awaiting = {.now = &call->context->thread->now};
    for (uint32_t next = watch->first; next; next = at(next - 1)->watched)
        if (!add_awaited(&awaiting, at(next - 1)))
            return;
    tell_awaited(&awaiting);
}

void refrain_requests_await(const struct refrain_call *call, int count, const MPI_Request *requests) {
    if (!call->entry || bound == 0 || !requests)
        return;
    struct awaiting awaiting = {.now = &call->context->thread->now};
    bool known = true;
    refrain_mpi_lock();
    for (int i = 0; i < count && known; i++) {
        const struct refrain_request *request = entry_find(call, REFRAIN_MPI_KEY(requests[i]), 0);
        if (requests[i] != MPI_REQUEST_NULL)
            known = request && (!(request->flags & REFRAIN_REQUEST_ACTIVE) || add_awaited(&awaiting, request));
    }
    refrain_mpi_unlock();
    if (known)
        tell_awaited(&awaiting);
}

/* One of the array is settled: completed, or gone without a message. */
static REFRAIN_INLINE void watched_done(struct refrain_call *call, struct run *run, struct refrain_request *request,
                                        bool completed, MPI_Status *status) {
    if (completed) {
        run_add(call, run, request, status);
    } else if (is_own(call, request)) {
        run_tell(call, run);
        free_number(call, request->index);
    }
    refrain_mpi_lock();
    settle(call, request, !completed);
    refrain_mpi_unlock();
}

/* One of the array, after a call that returned `rc` and, where it is known, this status for it. */
static REFRAIN_INLINE void watched_returned(struct refrain_call *call, struct run *run, struct refrain_request *request,
                                            int rc, const MPI_Request *array, MPI_Status *status) {
    if (rc == MPI_SUCCESS || (rc == MPI_ERR_IN_STATUS && status && status->MPI_ERROR == MPI_SUCCESS))
        watched_done(call, run, request, true, status);
    else if (array[request->position] == MPI_REQUEST_NULL)
        watched_done(call, run, request, false, NULL);
    else
        request->flags &= (uint8_t)~REFRAIN_REQUEST_WATCHED;
}

void refrain_watch_all(struct refrain_call *call, struct refrain_watch *watch, int rc, const MPI_Request *array,
                       MPI_Status *statuses) {
    struct run run;
    run_begin(&run);
    for (uint32_t n = watch->first, next; n; n = next) {
        struct refrain_request *request = at(n - 1);
        next = request->watched;
        watched_returned(call, &run, request, rc, array, statuses ? &statuses[request->position] : NULL);
    }
    run_tell(call, &run);
}

void refrain_watch_some(struct refrain_call *call, struct refrain_watch *watch, int rc, const MPI_Request *array, int n,
                        const int *indices, MPI_Status *statuses) {
    struct run run;
    uint32_t *link = &watch->first;
    run_begin(&run);
    for (int i = 0; i < n; i++) {
        if (*link && at(*link - 1)->position > (uint32_t)indices[i])
            link = &watch->first;
        while (*link && at(*link - 1)->position < (uint32_t)indices[i])
            link = &at(*link - 1)->watched;
        if (!*link || at(*link - 1)->position != (uint32_t)indices[i])
            continue;
        struct refrain_request *request = at(*link - 1);
        *link = request->watched;
        watched_returned(call, &run, request, rc, array, statuses ? &statuses[i] : NULL);
    }
    run_tell(call, &run);
    for (uint32_t place = watch->first; place; place = at(place - 1)->watched)
        at(place - 1)->flags &= (uint8_t)~REFRAIN_REQUEST_WATCHED;
}
