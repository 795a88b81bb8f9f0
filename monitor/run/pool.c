/* pool.c: takes memory from the trace file (pool.h), counts losses, and reads the clocks. */
#define _GNU_SOURCE
#include "run/pool.h"
#include "arch/clock.h"
#include "arch/clock_system.h"
#include "begin.h"
#include "run/tracing.h"
#include <refrain/trace.h>

#include <string.h>
#include <time.h>

#define SETTLING_CALLS 32u /* MPI calls; their number has doubled for the first time at twice as many */

struct refrain_trace_file refrain_trace_file;
int refrain_mpi_linked;

void refrain_lose(enum refrain_loss loss, uint64_t n) {
    if (refrain_trace_file.header)
        __atomic_fetch_add(&refrain_trace_file.header->losses[loss], n, __ATOMIC_RELAXED);
}

#define LEAST_PAGES_BYTES (REFRAIN_TIME_LEAST_PAGES * sizeof(struct refrain_time_page))

/* True if this use may take the last pages of times, too. If the memory guaranteed to times is small, what is met for
 * the first time comes before times. */
static bool ends_times(enum refrain_pool_use use) {
    return use >= REFRAIN_POOL_FIRST_MET && refrain_trace_file.sure_for_times < 2 * LEAST_PAGES_BYTES;
}

/* The end of the part of the file that `use` may take. Behind it lie the bytes reserved for the uses after it in enum
 * refrain_pool_use, or those that it has to leave to times, whichever are more. Both are the same bytes: times use what
 * is reserved until it is needed. */
static uint64_t end_for(enum refrain_pool_use use) {
    const uint64_t bytes = refrain_trace_file.header->bytes;
    uint64_t pages =
        bytes - refrain_least(bytes, __atomic_load_n(&refrain_trace_file.header->times_from, __ATOMIC_RELAXED));
    uint64_t times = use < REFRAIN_POOL_SHORT ? refrain_trace_file.sure_for_times
                     : ends_times(use)        ? 0
                                              : refrain_least(pages, LEAST_PAGES_BYTES);
    uint64_t kept = refrain_pool_kept(use);
    return bytes - refrain_least(bytes, kept > times ? kept : times);
}

/* Shrinks the reserves if the run meets less and less for the first time. The reserves keep the part M / N: M bytes
 * were met for the first time since the number of MPI calls began to double last (met_at_doubling[0]), N in all. */
static void settle(void) {
    struct refrain_trace_file *file = &refrain_trace_file;
    const struct refrain_context *context = refrain_thread_context;
    if (!file->is_settling || !context)
        return;
    uint64_t calls = refrain_context_calls(context),
             met = refrain_pool_taken(REFRAIN_POOL_FIRST_MET, REFRAIN_POOL_LAST);
    while (calls >= 2 * file->doubled_calls) {
        file->doubled_calls = file->doubled_calls ? 2 * file->doubled_calls : SETTLING_CALLS;
        file->met_at_doubling[0] = file->met_at_doubling[1];
        file->met_at_doubling[1] = met;
    }
    uint64_t lately = met - file->met_at_doubling[0];
    file->settled_parts = REFRAIN_POOL_PARTS * lately / (met ? met : 1);
}

/* How much a kind may take beyond its guarantee, in quarters. 4: all memory that is guaranteed to no other kind, for
 * kinds without a substitute. 2: until it has taken half of that memory, counted with what it has. For MORE_ROWS no
 * other kind leaves memory. */
#define OF_KIND(kind) ((kind)-REFRAIN_POOL_CALL_SITES) /* the tables by kind begin with the first kind */
static const unsigned quarters[REFRAIN_POOL_KINDS] = {
    [OF_KIND(REFRAIN_POOL_CALL_SITES)] = 2, /* overflow sites are the substitute, and take much less */
    [OF_KIND(REFRAIN_POOL_OVERFLOW_SITES)] = 3, [OF_KIND(REFRAIN_POOL_OVERFLOW_ROWS)] = 3,
    [OF_KIND(REFRAIN_POOL_MORE_ROWS)] = 1,      [OF_KIND(REFRAIN_POOL_COMMUNICATORS)] = 4,
    [OF_KIND(REFRAIN_POOL_ALIKE)] = 2,          [OF_KIND(REFRAIN_POOL_OBJECTS)] = 4,
};

bool refrain_pool_share(size_t bytes, enum refrain_pool_use kind) {
    uint64_t *taken = refrain_trace_file.taken_of_kinds;
    uint64_t sure = refrain_trace_file.sure_of_kind;
    uint64_t needed = __atomic_load_n(&refrain_trace_file.header->pool_used, __ATOMIC_RELAXED) + bytes;
    uint64_t end = end_for(kind);
    unsigned own = OF_KIND(kind);
    for (unsigned other = 0; other < REFRAIN_POOL_KINDS; other++) {
        uint64_t has = __atomic_load_n(&taken[other], __ATOMIC_RELAXED);
        if (other != own && other != OF_KIND(REFRAIN_POOL_MORE_ROWS) && has < sure)
            needed += sure - has;
    }
    if (needed > end)
        return false;
    uint64_t has = __atomic_load_n(&taken[own], __ATOMIC_RELAXED) + bytes, left = end - needed;
    if (has > sure && has * 4 > (has + left) * quarters[own])
        return false;
    __atomic_fetch_add(&taken[own], bytes, __ATOMIC_RELAXED);
    return true;
}

/* Frees the timeline's lowest page. If only the least number of pages is left, frees all of them for a `use` that may
 * take these (ends_times). False if there is none, or if the timeline belongs to another thread. */
static bool take_page_back(enum refrain_pool_use use) {
    struct refrain_context *context = refrain_thread_context;
    if (!context || !context->timeline.timeline || !refrain_pool_lends_pages())
        return false;
    bool inside = context->busy == 1;
    if (!inside && !refrain_begin())
        return false;
    bool taken = refrain_timeline_give_page(&context->timeline) ||
                 (ends_times(use) && refrain_timeline_give_all(&context->timeline));
    if (!inside)
        refrain_end(context);
    return taken;
}

/* Moves the end of the taken memory from `at` to `end`. False if another thread has moved it first, or if the timeline
 * has taken a page there at the same time. */
static bool move_end(uint64_t at, uint64_t end) {
    uint64_t *used = &refrain_trace_file.header->pool_used;
    if (!__atomic_compare_exchange_n(used, &at, end, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        return false;
    if (end <= __atomic_load_n(&refrain_trace_file.header->times_from, __ATOMIC_SEQ_CST))
        return true;
    __atomic_compare_exchange_n(used, &end, at, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    return false;
}

void *refrain_pool_take(size_t bytes, enum refrain_pool_use use) {
    struct refrain_header *header = refrain_trace_file.header;
    if (!header)
        return NULL;
    if (use >= REFRAIN_POOL_CALL_SITES && use < REFRAIN_POOL_LAST && !refrain_pool_share(bytes, use))
        return NULL;
    bytes = (bytes + REFRAIN_ALIGNMENT_BYTES - 1) & ~(size_t)(REFRAIN_ALIGNMENT_BYTES - 1);
    settle();
    for (;;) {
        uint64_t at = __atomic_load_n(&header->pool_used, __ATOMIC_RELAXED);
        if (at + bytes > end_for(use) || at + bytes < at)
            return NULL;
        if (at + bytes > __atomic_load_n(&refrain_trace_file.header->times_from, __ATOMIC_RELAXED)) {
            if (!take_page_back(use))
                return NULL;
        } else if (move_end(at, at + bytes)) {
            __atomic_fetch_add(&refrain_trace_file.taken[use], bytes, __ATOMIC_RELAXED);
            return refrain_trace_file.base + at;
        }
    }
}

struct refrain_time_page *refrain_pool_take_page(void) {
    struct refrain_time_page *page;
    if (!refrain_pool_lends_pages())
        return refrain_pool_take(sizeof *page, REFRAIN_POOL_VALUES);
    uint64_t from = refrain_trace_file.header->times_from, *used = &refrain_trace_file.header->pool_used;
    if (from < sizeof *page + __atomic_load_n(used, __ATOMIC_RELAXED))
        return NULL;
    __atomic_store_n(&refrain_trace_file.header->times_from, from - sizeof *page, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(used, __ATOMIC_SEQ_CST) <= from - sizeof *page)
        return (void *)(refrain_trace_file.base + from - sizeof *page);
    __atomic_store_n(&refrain_trace_file.header->times_from, from, __ATOMIC_SEQ_CST);
    return NULL;
}

bool refrain_pool_take_kept(uint64_t *kept, uint64_t bytes) {
    uint64_t before = __atomic_load_n(kept, __ATOMIC_RELAXED);
    do
        if (before < bytes)
            return false;
    while (!__atomic_compare_exchange_n(kept, &before, before - bytes, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return true;
}

bool refrain_pool_extend(const void *end, size_t bytes, enum refrain_pool_use use) {
    uint64_t at = (uint64_t)((const unsigned char *)end - refrain_trace_file.base);
    if (at + bytes > refrain_least(end_for(use), refrain_trace_file.header->times_from) || !move_end(at, at + bytes))
        return false;
    __atomic_fetch_add(&refrain_trace_file.taken[use], bytes, __ATOMIC_RELAXED);
    return true;
}

uint32_t refrain_pool_name(const char *text) {
    size_t length = strlen(text);
    struct refrain_name *name = refrain_pool_take(sizeof *name + length + 1, REFRAIN_POOL_FIRST_MET);
    if (!name)
        return 0;
    name->length = (uint32_t)length;
    memcpy(name->text, text, length + 1);
    return refrain_reference(name);
}

/* ---- clocks ---- */

#define CLOCK_PAIR_TRIES 4

/* Reads the system's clocks between two reads of the probes' clock. The process may lose its processor in between, so
 * it tries several times, and keeps the try in which these two reads were closest. */
void refrain_read_clock_pair(struct refrain_clock_pair *pair) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < CLOCK_PAIR_TRIES; i++) {
        uint64_t before = refrain_clock(), realtime_ns = refrain_clock_gettime_ns(CLOCK_REALTIME),
                 monotonic_ns = refrain_clock_gettime_ns(CLOCK_MONOTONIC), between = refrain_clock() - before;
        if (between < least) {
            *pair = (struct refrain_clock_pair){before + between / 2, realtime_ns, monotonic_ns};
            least = between;
        }
    }
}

void refrain_trace_file_refresh_clock(void) {
    if (refrain_trace_file.header)
        refrain_read_clock_pair(&refrain_trace_file.header->last);
}
