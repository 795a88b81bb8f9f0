/* mpi_request_table.h: the table of requests, and their numbers (mpi_requests.h). Unless a function says otherwise, the
 * caller holds the lock.
 *
 *     handle --hash--> bucket --> entry --> entry ...    the oldest first
 *     place  --------------------------^                 an entry's number in the table
 *
 * The first entries are in the library's data, further ones in chunks of the pool. Entries do not move. Several
 * requests may share a handle, since MPI libraries return the same one for all sends that were complete at once. Then
 * the oldest of them completes first.
 *
 * Each thread numbers its requests, always with the lowest free number, so a replay can derive the numbers. The
 * numbering is a list of parts with 4,096 numbers each; later parts are taken from the pool. */
#ifndef REFRAIN_MPI_REQUEST_TABLE_H
#define REFRAIN_MPI_REQUEST_TABLE_H

#include "call.h"
#include "context.h"
#include "mpi_objects.h"
#include "run/pool.h"
#include "visibility.h"
#include <refrain/settings.h>
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFRAIN_REQUEST_BUCKETS 1024u
/* Number of entries in a chunk: those that fit into a long formula that is no longer needed. */
#define REFRAIN_REQUEST_CHUNK 32u
#define REFRAIN_MOST_REQUEST_CHUNKS 8192u

/* The arguments of a persistent request, in an entry of its own. If another thread starts the request, it records them
 * again. */
struct refrain_posted {
    int64_t parameters[REFRAIN_PARAMETERS];
};

union refrain_request_entry {
    struct refrain_request request;
    struct refrain_posted posted;
};
_Static_assert(sizeof(union refrain_request_entry) == sizeof(struct refrain_request) &&
                   REFRAIN_REQUESTS % REFRAIN_REQUEST_CHUNK == 0,
               "a compact table");

struct refrain_request_bucket {
    struct refrain_request *head, *tail; /* the oldest one, and the latest one if there are several */
};

struct refrain_request_table {
    _Alignas(REFRAIN_LINE_BYTES) struct refrain_request
        *first_free;     /* the first free entry; the others follow by `next_free` */
    uint32_t bound;      /* number of entries in the buckets */
    uint32_t n_chunks;   /* chunks besides the first entries */
    uint32_t never_used; /* entries from here on have not been used */
    bool cancels;        /* MPI_Cancel was called: the statuses say which requests were cancelled */
    struct refrain_request_bucket buckets[REFRAIN_REQUEST_BUCKETS];
    union refrain_request_entry first_entries[REFRAIN_REQUESTS], *chunks[REFRAIN_MOST_REQUEST_CHUNKS];
};
extern REFRAIN_HIDDEN struct refrain_request_table refrain_requests;

/* Takes memory for more entries. False without memory. */
REFRAIN_HIDDEN bool refrain_request_chunk_take(void);

/* Takes the second entry of a persistent request. False without memory; then the request has none any more. */
REFRAIN_HIDDEN bool refrain_request_take_posted(struct refrain_request *request, const int64_t *parameters, unsigned n);

/* ---- entries by place ---- */

static inline union refrain_request_entry *refrain_request_entry_at(uint32_t place) {
    if (place < REFRAIN_REQUESTS)
        return &refrain_requests.first_entries[place];
    place -= REFRAIN_REQUESTS;
    return &refrain_requests.chunks[place / REFRAIN_REQUEST_CHUNK][place % REFRAIN_REQUEST_CHUNK];
}

static inline struct refrain_request *refrain_request_at(uint32_t place) {
    return &refrain_request_entry_at(place)->request;
}

static REFRAIN_INLINE struct refrain_request *refrain_request_entry_take(void) {
    if (__builtin_expect(refrain_requests.first_free != NULL, 1)) {
        struct refrain_request *request = refrain_requests.first_free;
        refrain_requests.first_free = request->next_free;
        return request;
    }
    if (refrain_requests.never_used == REFRAIN_REQUESTS + refrain_requests.n_chunks * REFRAIN_REQUEST_CHUNK &&
        !refrain_request_chunk_take())
        return NULL;
    struct refrain_request *request = refrain_request_at(refrain_requests.never_used);
    request->place = refrain_requests.never_used++;
    return request;
}

static REFRAIN_INLINE uint32_t refrain_request_place(const struct refrain_request *request) {
    return request->place + 1;
}

static REFRAIN_INLINE void refrain_request_entry_give(struct refrain_request *request) {
    request->flags = 0;
    request->next_free = refrain_requests.first_free;
    refrain_requests.first_free = request;
}

static REFRAIN_INLINE bool refrain_request_is_persistent(const struct refrain_request *request) {
    return request->flags & REFRAIN_REQUEST_PERSISTENT;
}

static REFRAIN_INLINE bool refrain_request_is_receive(const struct refrain_request *request) {
    return request->flags & REFRAIN_REQUEST_RECEIVES;
}

static REFRAIN_INLINE bool refrain_request_is_file_access(const struct refrain_request *request) {
    return request->operation == REFRAIN_OP_IO_REQUEST;
}

static REFRAIN_INLINE bool refrain_request_is_send(const struct refrain_request *request) {
    return request->flags & REFRAIN_REQUEST_SENDS;
}

/* The source of a receive; -1 any. */
static inline int64_t refrain_request_source(const struct refrain_request *request) {
    return request->message.peer == REFRAIN_NOW_ANY ? -1 : request->message.peer;
}

/* The arguments of a persistent request. */
static REFRAIN_INLINE struct refrain_posted *refrain_request_posted(const struct refrain_request *request) {
    return &refrain_request_entry_at(request->comm - 1)->posted;
}

/* The index of its communicator; -1 unknown. */
static REFRAIN_INLINE int64_t refrain_request_comm(const struct refrain_request *request) {
    return refrain_request_is_persistent(request) ? refrain_request_posted(request)->parameters[REFRAIN_PARAMETERS - 1]
                                                  : (int64_t)request->comm - 1;
}

static REFRAIN_INLINE void refrain_request_give(struct refrain_request *request) {
    if (refrain_request_is_persistent(request)) {
        struct refrain_request *second = refrain_request_at(request->comm - 1);
        second->place = request->comm - 1;
        refrain_request_entry_give(second);
    }
    refrain_request_entry_give(request);
}

/* MPICH's handles are numbers in sequence, so neighbouring buckets share cache lines. There is one sequence for
 * persistent requests, one for others, and one for sends that are complete at once; the topmost bits say which. Open
 * MPI's handles are addresses. */
static REFRAIN_INLINE struct refrain_request_bucket *refrain_request_bucket(uint64_t key) {
#ifdef MPICH_VERSION
    key ^= key >> 22;
#else
    key = key * 0x9e3779b97f4a7c15u >> 32;
#endif
    return &refrain_requests.buckets[key % REFRAIN_REQUEST_BUCKETS];
}

static REFRAIN_INLINE void refrain_request_insert(struct refrain_request *request, uint64_t key) {
    struct refrain_request_bucket *bucket = refrain_request_bucket(key);
    request->handle = key;
    request->next = 0;
    if (__builtin_expect(bucket->head != NULL, 0))
        bucket->tail->next = refrain_request_place(request);
    else
        bucket->head = request;
    bucket->tail = request;
    refrain_requests.bound++;
}

/* Inserts a request that was unlinked for a call, and is older than all others with its handle. */
static REFRAIN_INLINE void refrain_request_put_back(struct refrain_request *request) {
    struct refrain_request_bucket *bucket = refrain_request_bucket(request->handle);
    request->next = bucket->head ? refrain_request_place(bucket->head) : 0;
    if (!bucket->head)
        bucket->tail = request;
    bucket->head = request;
    refrain_requests.bound++;
}

static REFRAIN_INLINE void refrain_request_unlink(struct refrain_request_bucket *bucket,
                                                  const struct refrain_request *request) {
    struct refrain_request *next = request->next ? refrain_request_at(request->next - 1) : NULL;
    if (__builtin_expect(bucket->head == request, 1)) {
        bucket->head = next;
    } else {
        struct refrain_request *before = bucket->head;
        while (before->next != refrain_request_place(request))
            before = refrain_request_at(before->next - 1);
        before->next = request->next;
        if (!next)
            bucket->tail = before;
    }
    refrain_requests.bound--;
}

/* Finds the oldest request with this key, or the one after the `older` oldest; if there is one of the calling thread,
 * that. Requests of several threads may share a handle, and a handle that one thread has finished using may be
 * another's already. Requests that a call waits for are not in the table. */
REFRAIN_HIDDEN struct refrain_request *refrain_request_find_any(const struct refrain_call *call, uint64_t key,
                                                                unsigned older);

/* As refrain_request_find_any(). Mostly it is the first one in its bucket. */
static REFRAIN_INLINE struct refrain_request *refrain_request_find(const struct refrain_call *call, uint64_t key,
                                                                   unsigned older) {
    struct refrain_request *request = refrain_request_bucket(key)->head;
    if (!request)
        return NULL;
    return __builtin_expect(request->handle == key && older == 0 && !refrain_mpi_multiple, 1)
               ? request
               : refrain_request_find_any(call, key, older);
}

/* Finds a request in the same way, and removes it from the table, so that no other call finds it. */
static REFRAIN_INLINE struct refrain_request *refrain_request_remove(const struct refrain_call *call, uint64_t key,
                                                                     unsigned older) {
    struct refrain_request *request = refrain_request_find(call, key, older);
    if (request)
        refrain_request_unlink(refrain_request_bucket(key), request);
    return request;
}

static REFRAIN_INLINE bool refrain_request_is_own(const struct refrain_call *call,
                                                  const struct refrain_request *request) {
    return call->entry && call->context->number == request->thread;
}

/* ---- numbers ---- */

#define REFRAIN_NUMBERS 4096u /* in one part of a thread's numbering */
#define REFRAIN_NUMBER_WORDS (REFRAIN_NUMBERS / 64)

/* A part of the numbering of one thread. An orphan is a number whose request another thread has completed; it is still
 * in use. */
struct refrain_numbering {
    _Alignas(REFRAIN_ALIGNMENT_BYTES) uint64_t full; /* bit i: word i of `taken` has no zero */
    uint64_t orphans;                                /* bit i: word i of `orphan` has a one */
    struct refrain_numbering *next;                  /* the part with the next numbers; null: none yet */
    uint64_t most; /* the most numbers that were in use at a time, in this part and those before it */
    uint64_t taken[REFRAIN_NUMBER_WORDS], orphan[REFRAIN_NUMBER_WORDS];
};
extern REFRAIN_HIDDEN struct refrain_numbering refrain_numberings[REFRAIN_MAXIMUM_THREADS];
_Static_assert(REFRAIN_NUMBER_WORDS == 64, "one word says which words are full");

/* Takes the lowest free number. False if all are in use and there is no memory for more. */
static REFRAIN_INLINE bool refrain_number_take(struct refrain_numbering *numbering, uint32_t *index) {
    uint32_t before = 0;
    uint64_t free = ~numbering->taken[0];
    *index = (uint32_t)__builtin_ctzll(free | (uint64_t)1 << 63);
    if (__builtin_expect(free & (free - 1) && *index < numbering->most,
                         1)) { /* another one is free in the first word */
        numbering->taken[0] |= free & -free;
        return true;
    }
    while (~numbering->full == 0) {
        if (!numbering->next)
            numbering->next = refrain_pool_take_for_open(sizeof *numbering);
        if (!numbering->next)
            return false;
        numbering = numbering->next;
        before += REFRAIN_NUMBERS;
    }
    unsigned word = (unsigned)__builtin_ctzll(~numbering->full);
    unsigned bit = (unsigned)__builtin_ctzll(~numbering->taken[word]);
    numbering->taken[word] |= (uint64_t)1 << bit;
    if (__builtin_expect(~numbering->taken[word] == 0, 0))
        numbering->full |= (uint64_t)1 << word;
    *index = before + word * 64 + bit;
    if (__builtin_expect(*index >= numbering->most, 0)) {
        numbering->most = *index + 1u;
        if (*index >= refrain_trace_file.header->request_high_water)
            refrain_trace_file.header->request_high_water = *index + 1u;
    }
    return true;
}

/* Returns the part of a number, and makes the number relative to it. */
static REFRAIN_INLINE struct refrain_numbering *refrain_number_part(struct refrain_numbering *numbering,
                                                                    uint32_t *index) {
    for (; *index >= REFRAIN_NUMBERS; *index -= REFRAIN_NUMBERS)
        numbering = numbering->next;
    return numbering;
}

/* Frees a number. */
static REFRAIN_INLINE void refrain_number_give(struct refrain_numbering *numbering, uint32_t index) {
    numbering = refrain_number_part(numbering, &index);
    numbering->taken[index / 64] &= ~((uint64_t)1 << index % 64);
    numbering->full &= ~((uint64_t)1 << index / 64);
}

/* Frees those of up to 64 numbers, from `first` on, whose bit in `given` is set. */
static REFRAIN_INLINE void refrain_numbers_give(struct refrain_numbering *numbering, uint32_t first, uint64_t given) {
    if (__builtin_expect(first < REFRAIN_NUMBERS && (given << first % 64 >> first % 64) == given, 1)) {
        numbering->taken[first / 64] &= ~(given << first % 64);
        numbering->full &= ~((uint64_t)(given != 0) << first / 64);
        return;
    }
    for (; given; given &= given - 1)
        refrain_number_give(numbering, first + (uint32_t)__builtin_ctzll(given));
}

/* Marks a number of another thread as an orphan: this thread has completed its request, and its owner will free the
 * number. */
REFRAIN_HIDDEN void refrain_number_orphan(struct refrain_numbering *numbering, uint32_t index);

/* Frees orphans; called by their owner. A number that a replay would not free stays in use. */
REFRAIN_HIDDEN void refrain_number_free_orphans(struct refrain_call *call, struct refrain_numbering *first);

/* Frees a request that was removed, or puts a persistent one back as inactive. The number of the thread's `own` request
 * is freed when its completion has been recorded. */
static REFRAIN_INLINE void refrain_request_settle(struct refrain_request *request, bool own, bool freed) {
    if (refrain_request_is_persistent(request) && !freed) {
        request->flags &= (uint8_t) ~(REFRAIN_REQUEST_ACTIVE | REFRAIN_REQUEST_CANCEL);
        refrain_request_put_back(request);
        return;
    }
    if (!own && request->thread != REFRAIN_REQUEST_NOBODYS)
        refrain_number_orphan(&refrain_numberings[request->thread], request->index);
    refrain_request_give(request);
}

/* Frees a number of the calling thread if its completion was recorded (`recorded`), so a replay frees it, too. Without
 * the lock. */
static REFRAIN_INLINE void refrain_number_done(const struct refrain_call *call, unsigned index, bool recorded) {
    if (!recorded)
        return;
    refrain_mpi_lock();
    refrain_number_give(&refrain_numberings[call->context->number], index);
    refrain_mpi_unlock();
}

/* Records that a number of the calling thread is freed without a completion. Without the lock. */
REFRAIN_HIDDEN void refrain_number_free(struct refrain_call *call, unsigned index);

#endif
