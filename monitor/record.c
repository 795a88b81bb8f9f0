/* record.c: events as they happen, one after the other into a mapped window of the event file (refrain/event_file.h).
 * The window moves when it is full: that, and nothing else, makes this mode grow. */
#define _GNU_SOURCE
#include "clock.h"
#include "registers.h"
#include "reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct refrain_events {
    int fd;
    int lock; /* spin lock: threads share the file */
    struct refrain_events_header *header;
    unsigned char *window;
    uint64_t window_offset; /* of the window in the file */
    uint64_t used;          /* of the window */
};

static struct refrain_events the_events;

/* Maps the window at `offset`; the file is extended by it, on disk. */
static bool map_window(struct refrain_events *events, uint64_t offset) {
    if (events->window)
        munmap(events->window, REFRAIN_EVENTS_WINDOW_BYTES);
    events->window = NULL;
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
    events->used += n * 8u;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    events->header->bytes_used = events->window_offset + events->used;
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
    put_words(events, words, 3 + n);
    if (shared)
        __atomic_store_n(&events->lock, 0, __ATOMIC_RELEASE);
}
