/* events.c: writes events, one after the other, into a mapped extent of the event file (refrain/event_file.h).
 *
 * Each thread has an extent of its own, and takes a new one when it is full; nothing else grows in this mode. There is
 * no lock, so a thread that ends in the middle of a record, by a jump out of a signal handler or by pthread_cancel(),
 * does not block others. */
#define _GNU_SOURCE
#include "events.h"
#include "arch/registers.h"
#include "context.h"
#include "run/configure.h"
#include "run/pool.h"
#include "run/reserve.h"
#include <refrain/trace.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define POLL_WORDS 4u /* size of a record of polls */
#define CALL_WORDS 3u /* size of a record of the begin or end of a call */

/* The events of one thread. */
struct refrain_events {
    struct refrain_events_header *extent; /* null before the first record, and if the file cannot grow */
    uint32_t used;                        /* bytes used in the extent */
    uint32_t last;                        /* offset of the latest record in the extent */
    struct {
        uint32_t at, end; /* offsets in the extent */
    } polls;              /* the latest sequence of calls without operations; `end` 0: none */
};

static int file;
static uint64_t next_offset; /* end of the file, where the next extent begins */
static bool full;            /* the file cannot grow */

/* Maps a new extent, which enlarges the file. */
static bool map_extent(struct refrain_events *events, uint32_t thread) {
    if (events->extent)
        munmap(events->extent, REFRAIN_EVENTS_EXTENT_BYTES);
    events->extent = NULL;
    events->polls.end = 0;
    uint64_t offset = __atomic_fetch_add(&next_offset, REFRAIN_EVENTS_EXTENT_BYTES, __ATOMIC_RELAXED),
             most = refrain_configuration.event_bytes;
    if (most && offset > 0 && offset + REFRAIN_EVENTS_EXTENT_BYTES > most) {
        errno = EFBIG;
        return false;
    }
    int error = refrain_reserve(file, offset, REFRAIN_EVENTS_EXTENT_BYTES);
    if (error) {
        errno = error;
        return false;
    }
    struct refrain_events_header *extent =
        mmap(NULL, REFRAIN_EVENTS_EXTENT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset);
    if (extent == MAP_FAILED)
        return false;
    extent->version = REFRAIN_EVENTS_VERSION;
    extent->header_bytes = REFRAIN_EVENTS_HEADER_BYTES;
    extent->thread = thread;
    extent->bytes_used = REFRAIN_EVENTS_HEADER_BYTES;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy(extent->magic, REFRAIN_EVENTS_MAGIC, sizeof extent->magic);
    events->extent = extent;
    events->used = REFRAIN_EVENTS_HEADER_BYTES;
    return true;
}

struct refrain_events *refrain_events_open(int directory_fd, const char *name, uint32_t threads) {
    struct refrain_events *events = mmap(NULL, threads * sizeof *events, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (events == MAP_FAILED)
        return NULL;
    file = openat(directory_fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return file >= 0 && map_extent(events, 0) ? events : NULL;
}

struct refrain_events *refrain_events_of_thread(struct refrain_events *events, uint32_t thread) {
    return events ? events + thread : NULL;
}

void refrain_events_clear(struct refrain_events *events) {
    unsigned char *records = (unsigned char *)events->extent + REFRAIN_EVENTS_HEADER_BYTES;
    events->extent->bytes_used = REFRAIN_EVENTS_HEADER_BYTES;
    memset(records, 0, events->used - REFRAIN_EVENTS_HEADER_BYTES);
    events->used = REFRAIN_EVENTS_HEADER_BYTES;
    events->polls.end = 0;
}

static void map_next_extent(void *of) {
    struct refrain_context *context = of;
    int saved = errno;
    if (!map_extent(context->events, context->number))
        __atomic_store_n(&full, true, __ATOMIC_RELAXED);
    errno = saved;
}

static unsigned char *bytes_at(struct refrain_events *events, uint32_t at) {
    return (unsigned char *)events->extent + at;
}

static void set_used(struct refrain_events *events, uint32_t used) {
    events->used = used;
    __atomic_store_n(&events->extent->bytes_used, used, __ATOMIC_RELEASE);
}

static void put_words(struct refrain_context *context, const uint64_t *words, unsigned n) {
    struct refrain_events *events = context->events;
    if ((!events->extent || events->used + n * 8u > REFRAIN_EVENTS_EXTENT_BYTES) &&
        !__atomic_load_n(&full, __ATOMIC_RELAXED))
        refrain_keep_vectors(map_next_extent, context);
    if (!events->extent || events->used + n * 8u > REFRAIN_EVENTS_EXTENT_BYTES) {
        refrain_lose(REFRAIN_LOSS_EVENTS, 1);
        return;
    }
    memcpy(bytes_at(events, events->used), words, n * 8u);
    events->last = events->used;
    set_used(events, events->used + n * 8u);
}

/* Removes all records of the extent from `at` on. */
static void take_back(struct refrain_events *events, uint32_t at) {
    uint32_t used = events->used;
    set_used(events, at);
    memset(bytes_at(events, at), 0, used - at);
}

static bool same_but_kind(const uint64_t *words, unsigned kind, const uint64_t *leave) {
    return (words[0] & 255) == kind && words[2] == leave[2];
}

/* Ends a call without operations right after its begin. Together with equal calls right before it, it becomes one
 * record, so a program that polls does not fill the file. False if it has to be written as an ordinary record. */
static bool fold_poll(struct refrain_context *context, const uint64_t *leave) {
    struct refrain_events *events = context->events;
    uint32_t call_bytes = CALL_WORDS * sizeof *leave, poll_bytes = POLL_WORDS * sizeof *leave;
    if (!events->extent || events->used < call_bytes + REFRAIN_EVENTS_HEADER_BYTES)
        return false;
    uint32_t entered = events->used - call_bytes, at = events->polls.at;
    if (!same_but_kind((void *)bytes_at(events, entered), REFRAIN_RECORD_CALL_ENTER, leave) || events->last != entered)
        return false;
    uint64_t *polls = (void *)bytes_at(events, at);
    bool continues = events->polls.end == entered;
    if (continues && same_but_kind(polls, REFRAIN_RECORD_POLLS, leave) && polls[0] >> 32 < REFRAIN_MOST_POLLS) {
        take_back(events, entered);
        polls[3] = leave[1];
        polls[0] += (uint64_t)1 << 32;
        return true;
    }
    if (continues && same_but_kind(polls, REFRAIN_RECORD_CALL_ENTER, leave)) {
        uint64_t words[POLL_WORDS] = {REFRAIN_RECORD_POLLS | (leave[0] & 0xffff00) | POLL_WORDS << 24 |
                                          (uint64_t)2 << 32,
                                      polls[1], polls[2], leave[1]};
        take_back(events, at);
        put_words(context, words, POLL_WORDS);
        events->polls.end = at + poll_bytes;
        return true;
    }
    put_words(context, leave, CALL_WORDS);
    events->polls.at = entered;
    events->polls.end = events->last == entered + call_bytes ? events->used : 0;
    return true;
}

void refrain_events_write(struct refrain_context *context, unsigned kind, uint64_t ticks, uint64_t id, uint32_t value,
                          const int64_t *parameters, unsigned n) {
    uint64_t words[3 + REFRAIN_PARAMETERS];
    words[0] = kind | (uint64_t)context->number << 8 | (uint64_t)(3 + n) << 24 | (uint64_t)value << 32;
    words[1] = ticks;
    words[2] = id;
    for (unsigned i = 0; i < n; i++)
        words[3 + i] = (uint64_t)parameters[i];
    if (!refrain_configuration.event_bytes || kind != REFRAIN_RECORD_CALL_LEAVE || !fold_poll(context, words))
        put_words(context, words, 3 + n);
}
