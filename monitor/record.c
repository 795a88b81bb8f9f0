/* record.c: events as they happen, one after the other into a mapped window of the event file (refrain/event_file.h).
 * The window moves when it is full: that, and nothing else, makes this mode grow. */
#define _GNU_SOURCE
#include "clock.h"
#include "configure.h"
#include "registers.h"
#include "reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define POLL_WORDS 4u /* of a record of polls */
#define CALL_WORDS 3u /* of one that a call begins or ends */

struct refrain_events {
    int fd;
    int lock; /* spin lock: threads share the file */
    struct refrain_events_header *header;
    unsigned char *window;
    uint64_t window_offset; /* of the window in the file */
    uint64_t used;          /* of the window */
    uint64_t last;          /* record, in the window */
    uint64_t most_bytes;    /* that the file may have, 0: no limit */
    struct {
        uint64_t at, end; /* in the window */
    } polls;              /* the latest calls in a row that told nothing; `end` 0: there are none */
};

static struct refrain_events the_events;

/* Maps the window at `offset`; the file is extended by it, on disk. */
static bool map_window(struct refrain_events *events, uint64_t offset) {
    if (events->window)
        munmap(events->window, REFRAIN_EVENTS_WINDOW_BYTES);
    events->window = NULL;
    events->polls.end = 0;
    if (events->most_bytes && offset + REFRAIN_EVENTS_WINDOW_BYTES > events->most_bytes) {
        errno = EFBIG;
        return false;
    }
    int error = refrain_reserve(events->fd, offset, REFRAIN_EVENTS_WINDOW_BYTES);
    if (error) {
        errno = error;
        return false;
    }
    void *window =
        mmap(NULL, REFRAIN_EVENTS_WINDOW_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, events->fd, (off_t)offset);
    if (window == MAP_FAILED)
        return false;
    events->window = window;
    events->window_offset = offset;
    events->used = 0;
    return true;
}

struct refrain_events *refrain_events_open(int directory_fd, const char *name) {
    struct refrain_events *events = &the_events;
    events->fd = openat(directory_fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (events->fd < 0)
        return NULL;
    if (!map_window(events, 0))
        return NULL;
    events->most_bytes = refrain_configuration.event_bytes;
    events->header = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, events->fd, 0);
    if (events->header == MAP_FAILED)
        return NULL;
    events->header->version = REFRAIN_EVENTS_VERSION;
    events->header->header_bytes = REFRAIN_EVENTS_HEADER_BYTES;
    events->header->bytes_used = REFRAIN_EVENTS_HEADER_BYTES;
    memcpy(events->header->magic, REFRAIN_EVENTS_MAGIC, sizeof events->header->magic);
    events->used = REFRAIN_EVENTS_HEADER_BYTES;
    return events;
}

void refrain_events_clear(struct refrain_events *events) {
    events->header->bytes_used = REFRAIN_EVENTS_HEADER_BYTES;
    memset(events->window + REFRAIN_EVENTS_HEADER_BYTES, 0, events->used - REFRAIN_EVENTS_HEADER_BYTES);
    events->used = REFRAIN_EVENTS_HEADER_BYTES;
}

static void map_next_window(void *of) {
    struct refrain_events *events = of;
    int saved = errno;
    map_window(events, events->window_offset + REFRAIN_EVENTS_WINDOW_BYTES);
    errno = saved;
}

static void put_words(struct refrain_events *events, const uint64_t *words, unsigned n) {
    /* A record does not cross windows: the rest of one stays 0, which a reader skips. */
    if (events->window && events->used + n * 8u > REFRAIN_EVENTS_WINDOW_BYTES)
        refrain_keep_vectors(map_next_window, events);
    if (!events->window) {
        refrain_lose(REFRAIN_LOSS_EVENTS, 1);
        return;
    }
    memcpy(events->window + events->used, words, n * 8u);
    events->last = events->used;
    events->used += n * 8u;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    events->header->bytes_used = events->window_offset + events->used;
}

/* Takes back what was written from `at` on in the window. */
static void take_back(struct refrain_events *events, uint64_t at) {
    events->header->bytes_used = events->window_offset + at;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    memset(events->window + at, 0, events->used - at);
    events->used = at;
}

static bool same_but_kind(const uint64_t *words, unsigned kind, const uint64_t *leave) {
    return (words[0] & 255) == kind && (words[0] >> 8 & 0xffff) == (leave[0] >> 8 & 0xffff) && words[2] == leave[2];
}

/* The end of a call that told nothing, right behind its beginning: with those like it right before it, it becomes one
 * record, so that a program which asks over and over whether something has come does not fill the file. False where it
 * is to be written as it is. */
static bool fold_poll(struct refrain_events *events, const uint64_t *leave) {
    uint64_t call_bytes = CALL_WORDS * sizeof *leave, poll_bytes = POLL_WORDS * sizeof *leave;
    if (!events->window || events->used < call_bytes + REFRAIN_EVENTS_HEADER_BYTES)
        return false;
    uint64_t entered = events->used - call_bytes, at = events->polls.at;
    const uint64_t *enter = (const void *)(events->window + entered);
    if (!same_but_kind(enter, REFRAIN_RECORD_CALL_ENTER, leave) || events->last != entered)
        return false;
    uint64_t *polls = (void *)(events->window + at);
    bool goes_on = events->polls.end == entered;
    if (goes_on && same_but_kind(polls, REFRAIN_RECORD_POLLS, leave) && polls[0] >> 32 < REFRAIN_MOST_POLLS) {
        take_back(events, entered);
        polls[3] = leave[1];
        polls[0] += (uint64_t)1 << 32;
        return true;
    }
    if (goes_on && same_but_kind(polls, REFRAIN_RECORD_CALL_ENTER, leave)) {
        uint64_t words[POLL_WORDS] = {REFRAIN_RECORD_POLLS | (leave[0] & 0xffff00) | POLL_WORDS << 24 |
                                          (uint64_t)2 << 32,
                                      polls[1], polls[2], leave[1]};
        take_back(events, at);
        put_words(events, words, POLL_WORDS);
        events->polls.end = at + poll_bytes;
        return true;
    }
    put_words(events, leave, CALL_WORDS);
    events->polls.at = entered;
    events->polls.end = events->last == entered + call_bytes ? events->used : 0;
    return true;
}

/* So long a lock is waited for: who holds it for longer was ended in the middle, by a signal handler that jumped out of
 * the probe, or by pthread_cancel. */
#define MOST_WAIT_NS 10000000000u
#define TURNS 4096u

static void take_lock(struct refrain_events *events) {
    uint64_t begin = 0;
    for (unsigned turn = 1; __atomic_exchange_n(&events->lock, 1, __ATOMIC_ACQUIRE); turn++) {
        if (turn % TURNS)
            continue;
        uint64_t now = refrain_clock_of_system();
        begin = begin ? begin : now;
        if (now - begin > MOST_WAIT_NS) {
            refrain_lose(REFRAIN_LOSS_EVENTS, 1); /* the one that was being written */
            return;
        }
    }
}

void refrain_events_write(struct refrain_context *context, unsigned kind, uint64_t ticks, uint64_t id, uint32_t value,
                          const int64_t *parameters, unsigned n) {
    struct refrain_events *events = context->events;
    uint64_t words[3 + REFRAIN_PARAMETERS];
    words[0] = kind | (uint64_t)context->number << 8 | (uint64_t)(3 + n) << 24 | (uint64_t)value << 32;
    words[1] = ticks;
    words[2] = id;
    for (unsigned i = 0; i < n; i++)
        words[3 + i] = (uint64_t)parameters[i];
    bool shared = refrain_region.header->n_threads > 1;
    if (shared)
        take_lock(events);
    if (!events->most_bytes || kind != REFRAIN_RECORD_CALL_LEAVE || !fold_poll(events, words))
        put_words(events, words, 3 + n);
    if (shared)
        __atomic_store_n(&events->lock, 0, __ATOMIC_RELEASE);
}
