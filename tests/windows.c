/* windows.c: compares windows of a trace with the whole trace: windows TRACE [SEED [WINDOWS [CHECKPOINT-KBYTES]]]. With
 * -1 kilobytes only windows from saved states are compared; these states are made first. For any choice of ranks, any
 * earlier position of the cursor, and for traces opened from files and from memory, a window must have the events of
 * the whole trace that lie in it, field by field. All ends of a message or collective must have the same match. */
#define _GNU_SOURCE
#include "match/saved_states.h"
#include "plain_event.h"
#include <glob.h>
#include <refrain/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct refrain_trace_event *all;
static size_t n_all;
static unsigned long failed, compared;
static uint64_t state;

static uint64_t draw(uint64_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % n;
}

static void stop(const struct refrain_error *error) {
    fprintf(stderr, "windows: %s\n", error->code ? error->message : "no memory");
    exit(1);
}

/* Regions and communicators are of another opening of the trace: alike when their numbers and names are. */
static bool same(const struct refrain_trace_event *a, const struct refrain_trace_event *b) {
    struct plain_event x, y;
    memset(&x, 0, sizeof x);
    memset(&y, 0, sizeof y);
    plain_event(a, &x);
    plain_event(b, &y);
    return memcmp(&x, &y, sizeof x) == 0 && strcmp(a->region->name, b->region->name) == 0;
}

static void read_all(struct refrain_trace *trace, bool recorded) {
    struct refrain_error error = {0};
    struct refrain_cursor *cursor;
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    options.recorded = recorded;
    size_t capacity = 0;
    n_all = 0;
    if (refrain_cursor_open(trace, &options, &cursor, &error))
        stop(&error);
    for (const struct refrain_trace_event *event; (event = refrain_cursor_next(cursor)); all[n_all++] = *event)
        if (n_all == capacity && !(all = realloc(all, (capacity = capacity ? capacity * 2 : 4096) * sizeof *all)))
            stop(&error);
    if (refrain_cursor_close(cursor, &error))
        stop(&error);
}

static bool in_ranks(int32_t rank, const int32_t *ranks, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (ranks[i] == rank)
            return true;
    return n == 0;
}

/* Compares the cursor's next events up to to_ns with those of the whole trace. */
static void compare(struct refrain_cursor *cursor, const int32_t *ranks, size_t n_ranks, int64_t from_ns, int64_t to_ns,
                    const char *what) {
    size_t i = 0;
    const struct refrain_trace_event *event;
    for (; i < n_all; i++) {
        if (all[i].time_ns < from_ns || all[i].time_ns >= to_ns || !in_ranks(all[i].rank, ranks, n_ranks))
            continue;
        event = refrain_cursor_next(cursor);
        if (!event || !same(event, &all[i])) {
            printf("FAILED: %s [%lld, %lld): event %zu of the trace %s\n", what, (long long)from_ns, (long long)to_ns,
                   i, event ? "differs" : "is missing");
            failed++;
            return;
        }
        compared++;
    }
    if ((event = refrain_cursor_next(cursor)) || (event = refrain_cursor_next(cursor))) {
        printf("FAILED: %s [%lld, %lld): an event too many, at %lld\n", what, (long long)from_ns, (long long)to_ns,
               (long long)event->time_ns);
        failed++;
    }
}

static void check_order_and_matches(bool recorded) {
    unsigned long receives = 0, unmatched = 0;
    for (size_t i = 1; i < n_all; i++)
        if (all[i].time_ns < all[i - 1].time_ns) {
            printf("FAILED: event %zu is earlier than the one before it\n", i);
            failed++;
            break;
        }
    for (size_t i = 0; i < n_all; i++) {
        if (all[i].kind != REFRAIN_EVENT_RECV)
            continue;
        receives++;
        const struct refrain_event_recv *recv = &all[i].recv;
        unmatched += recv->match == 0;
        bool found = recv->match == 0;
        for (size_t j = i; !found && j-- > 0;) {
            if (all[j].kind != REFRAIN_EVENT_SEND || all[j].send.match != recv->match)
                continue;
            found = true;
            if (all[j].send.dest != all[i].rank || all[j].rank != recv->source || all[j].send.tag != recv->tag ||
                all[j].time_ns != recv->sent_ns || all[j].thread != recv->sent_thread ||
                (!recorded && all[j].time_ns >= all[i].time_ns)) {
                printf("FAILED: event %zu has a match that is not its message\n", i);
                failed++;
            }
        }
        if (!found) {
            printf("FAILED: the match of event %zu is not there\n", i);
            failed++;
        }
        if (receives > 2000)
            break;
    }
    if (!recorded && unmatched) {
        printf("FAILED: %lu of %lu receives have no match\n", unmatched, receives);
        failed++;
    }
}

static glob_t found;                 /* the trace's regions ... */
static struct refrain_image *images; /* ... and their bytes */

/* The same trace from bytes in memory; of a region that is not packed only those in use, at an odd
 * address. */
static struct refrain_trace *open_in_memory(const char *directory) {
    char pattern[4096];
    struct refrain_error error = {0};
    struct refrain_trace *trace;
    snprintf(pattern, sizeof pattern, "%s/rank-*.trace", directory);
    if (glob(pattern, 0, NULL, &found) != 0)
        stop(&error);
    images = calloc(found.gl_pathc, sizeof *images);
    if (!images)
        stop(&error);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        FILE *file = fopen(found.gl_pathv[i], "rb");
        struct stat status;
        if (!file || fstat(fileno(file), &status) != 0)
            stop(&error);
        size_t length = (size_t)status.st_size;
        unsigned char *bytes = malloc(length + 1);
        if (!bytes || fread(bytes + 1, 1, length, file) != length)
            stop(&error);
        fclose(file);
        struct refrain_header header;
        memcpy(&header, bytes + 1, length < sizeof header ? length : sizeof header);
        bool is_region = memcmp(header.magic, REFRAIN_MAGIC, sizeof header.magic) == 0;
        images[i] = (struct refrain_image){
            .name = found.gl_pathv[i], .bytes = bytes + 1, .length = is_region ? (size_t)header.pool_used : length};
    }
    if (refrain_trace_open_images(images, found.gl_pathc, &trace, &error))
        stop(&error);
    return trace;
}

/* The bytes of states of the trace, all `events` events one. */
static unsigned char *make_states(const char *path, uint64_t events, size_t *n) {
    struct refrain_trace *one = NULL, *other = NULL;
    struct refrain_error error = {0};
    unsigned char *bytes = NULL;
    struct refrain_saved_states_options options = {.build = 1, .most_bytes = (size_t)4 << 20, .events = events};
    if (refrain_trace_open(path, false, &one, &error) || refrain_trace_open(path, false, &other, &error) ||
        refrain_saved_states_make(one, other, &options, &bytes, n, &error))
        stop(&error);
    refrain_trace_close(one);
    refrain_trace_close(other);
    return bytes;
}

/* A replay from a saved state must have the events of the whole replay, also with another copy of the trace. Damage
 * must be found. */
static void check_states(const char *path, unsigned windows) {
    size_t n;
    uint64_t between;
    struct refrain_error error = {0};
    unsigned char *bytes = make_states(path, 256, &n);
    struct refrain_trace *trace;
    if (!bytes || refrain_saved_states_count(bytes, &between) == 0) {
        printf("FAILED: no states are made\n");
        failed++;
        return;
    }
    for (unsigned w = 0; n_all && w < windows; w++) {
        if (refrain_trace_open(path, false, &trace, &error))
            stop(&error);
        struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
        struct refrain_cursor *cursor;
        options.from_ns = all[draw(n_all)].time_ns + (int64_t)draw(2);
        options.to_ns =
            options.from_ns + (int64_t)draw((uint64_t)(all[n_all - 1].time_ns - options.from_ns + 2) / 4 + 1);
        size_t at = draw(n), bit = draw(8);
        bytes[at] ^= (unsigned char)((w % 4 == 3) << bit); /* then it is not used, or not that state */
        bool used = refrain_saved_states_use(trace, 1, false, bytes, n);
        if (!used != (w % 4 == 3) && (w % 4 != 3)) {
            printf("FAILED: states are not used\n");
            failed++;
        }
        if (refrain_saved_states_use(trace, 2, false, bytes, n) || refrain_saved_states_use(trace, 1, true, bytes, n)) {
            printf("FAILED: states of another build, or of other times, are used\n");
            failed++;
        }
        if (refrain_cursor_open(trace, &options, &cursor, &error))
            stop(&error);
        compare(cursor, NULL, 0, options.from_ns, options.to_ns, "from a saved state");
        if (refrain_cursor_close(cursor, &error))
            stop(&error);
        refrain_trace_close(trace);
        bytes[at] ^= (unsigned char)((w % 4 == 3) << bit);
    }
    printf("%zu states of %zu bytes, %llu events between two at most\n", refrain_saved_states_count(bytes, &between), n,
           (unsigned long long)between);
    free(bytes);
}

int main(int argc, char **argv) {
    struct refrain_trace *trace;
    struct refrain_error error = {0};
    state = argc > 2 ? strtoull(argv[2], NULL, 0) | 1 : 88172645463325252u;
    unsigned windows = argc > 3 ? (unsigned)atoi(argv[3]) : 50;
    if (argc < 2 || refrain_trace_open(argv[1], false, &trace, &error))
        stop(&error);
    if (argc > 4 && atoi(argv[4]) < 0) {
        read_all(trace, false);
        check_states(argv[1], windows);
        refrain_trace_close(trace);
        free(all);
        printf("%zu events, %lu compared in windows\n%u passed, %lu failed\n", n_all, compared, windows, failed);
        return failed || n_all == 0;
    }
    size_t n_processes, n_locations;
    const struct refrain_process_info *processes = refrain_trace_processes(trace, &n_processes);
    refrain_trace_locations(trace, &n_locations);
    if (processes[0].recorded) {
        read_all(trace, true);
        check_order_and_matches(true);
    }
    read_all(trace, false);
    check_order_and_matches(false);
    struct refrain_cursor *cursor;
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    options.checkpoint_bytes = argc > 4 ? (size_t)atoi(argv[4]) << 10 : (size_t)64 << 20;
    if (refrain_cursor_open(trace, &options, &cursor, &error))
        stop(&error);
    struct refrain_trace *in_memory = open_in_memory(argv[1]);
    for (unsigned w = 0; n_all && w < windows; w++) {
        int64_t from_ns = all[draw(n_all)].time_ns + (int64_t)draw(2);
        int64_t to_ns = draw(8) ? from_ns + (int64_t)draw((uint64_t)(all[n_all - 1].time_ns - from_ns + 2) / 8 + 1)
                                : REFRAIN_TIME_LAST;
        refrain_cursor_set_end(cursor, to_ns);
        if (refrain_cursor_seek(cursor, from_ns, &error))
            stop(&error);
        compare(cursor, NULL, 0, from_ns, to_ns, "seek");
        if (w % 8)
            continue;
        int32_t ranks[2] = {processes[draw(n_processes)].rank, processes[draw(n_processes)].rank};
        struct refrain_cursor_options some = REFRAIN_CURSOR_ALL;
        struct refrain_cursor *of_some;
        some.ranks = ranks;
        some.n_ranks = 2;
        some.from_ns = from_ns;
        some.to_ns = to_ns;
        if (refrain_cursor_open(in_memory, &some, &of_some, &error))
            stop(&error);
        compare(of_some, ranks, 2, from_ns, to_ns, "ranks, in memory");
        if (refrain_cursor_close(of_some, &error))
            stop(&error);
    }
    if (refrain_cursor_close(cursor, &error))
        stop(&error);
    check_states(argv[1], windows);
    refrain_trace_close(in_memory);
    refrain_trace_close(trace);
    for (size_t i = 0; i < found.gl_pathc; i++)
        free((unsigned char *)(uintptr_t)images[i].bytes - 1);
    free(images);
    free(all);
    globfree(&found);
    printf("%zu events, %zu locations, %lu compared in windows\n%u passed, %lu failed\n", n_all, n_locations, compared,
           windows, failed);
    return failed || n_all == 0;
}
