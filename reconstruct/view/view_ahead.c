/* view_ahead.c: replays a long run in advance, in a machine that runs the page's engine (view_ahead.h). */
#define _GNU_SOURCE
#include "view/view_ahead.h"
#include "common/array.h"

#ifdef REFRAIN_HAVE_MACHINE
#include "analysis/picture.h"
#include "commands/command.h"
#include "view/view_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define VERSION 4
#define STEP_EVENTS 10000u /* events of one step; page/worker.ts has the same number, but any would do */
/* Largest number of intervals of the overview: of all locations together, and of one. Smallest number of one. */
#define MOST_INTERVALS (1u << 17)
#define MOST_LOCATION_INTERVALS 8192u
#define LEAST_INTERVALS 128u
/* Events between two checkpoints. Doubled if there are too many checkpoints, or if they take too much memory. */
#define FIRST_INTERVAL 1000000.0
#define MOST_CHECKPOINTS 256u
#define MOST_CHECKPOINT_BYTES (96u << 20)
#define FIRST_REPORT_NS 2000000000

/* ---- growing bytes ---- */

struct bytes {
    unsigned char *at;
    size_t n, capacity;
    bool no_memory;
};

static void put(struct bytes *bytes, const void *more, size_t n) {
    if (!REFRAIN_ARRAY_ROOMS(bytes->at, bytes->n, n, bytes->capacity)) {
        bytes->no_memory = true;
        return;
    }
    if (n)
        memcpy(bytes->at + bytes->n, more, n);
    bytes->n += n;
}

static void put_u32(struct bytes *bytes, uint32_t number) {
    put(bytes, &number, sizeof number);
}

static void put_f64(struct bytes *bytes, double number) {
    put(bytes, &number, sizeof number);
}

/* ---- checkpoints ---- */

struct checkpoint {
    double at_ns, events;
    uint32_t address; /* in the machine's memory */
};

struct ahead {
    struct refrain_machine *machine;
    uint32_t opened;
    struct checkpoint *checkpoints;
    size_t n_checkpoints;
    double interval;
    struct bytes shares; /* struct refrain_picture_share */
    struct bytes ends;   /* struct refrain_picture_end, of the spans that were open at a checkpoint */
    uint32_t n_locations, n_bins;
    bool no_memory;
};

/* Drops every second checkpoint, and doubles the interval. */
static void thin(struct ahead *ahead) {
    size_t kept = 0;
    for (size_t i = 0; i < ahead->n_checkpoints; i++)
        if (i % 2 == 1)
            ahead->checkpoints[kept++] = ahead->checkpoints[i];
        else
            refrain_machine_drop(ahead->machine, ahead->checkpoints[i].address);
    ahead->n_checkpoints = kept;
    ahead->interval *= 2;
}

static void keep(struct ahead *ahead) {
    struct refrain_machine *machine = ahead->machine;
    struct checkpoint made = {refrain_machine_last_ns(machine), refrain_machine_events(machine),
                              refrain_machine_keep(machine)};
    ahead->no_memory |= made.address == 0;
    ahead->checkpoints[ahead->n_checkpoints++] = made;
    if (ahead->n_checkpoints == MOST_CHECKPOINTS || refrain_machine_kept_bytes(machine) > MOST_CHECKPOINT_BYTES)
        thin(ahead);
}

/* ---- replaying ---- */

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void drain_list(struct ahead *ahead, enum refrain_machine_list list, size_t record_bytes, struct bytes *to) {
    size_t n;
    const void *items = refrain_machine_items(ahead->machine, list, record_bytes, &n);
    put(to, items, n * record_bytes);
    refrain_machine_clear(ahead->machine, list);
    ahead->no_memory |= to->no_memory;
}

static void drain_lists(struct ahead *ahead) {
    drain_list(ahead, REFRAIN_MACHINE_SHARES, sizeof(struct refrain_picture_share), &ahead->shares);
    drain_list(ahead, REFRAIN_MACHINE_ENDS, sizeof(struct refrain_picture_end), &ahead->ends);
}

/* Replays the whole run. False if the machine fails, or without memory. */
static bool replay(struct ahead *ahead) {
    double end_ns = refrain_machine_end_ns(ahead->machine), next = ahead->interval;
    int64_t started_ns = now_ns();
    bool shows = isatty(STDERR_FILENO) && !refrain_warn_quiet, shown = false;
    refrain_machine_window(ahead->machine, 0, end_ns, ahead->n_bins);
    enum refrain_machine_step step;
    for (;;) {
        step = refrain_machine_step(ahead->machine, STEP_EVENTS);
        drain_lists(ahead);
        if (step != REFRAIN_MACHINE_MORE || ahead->no_memory)
            break;
        double events = refrain_machine_events(ahead->machine);
        if (events >= next) {
            keep(ahead);
            refrain_machine_mark(ahead->machine);
            next = events + ahead->interval;
        }
        if (shows && now_ns() - started_ns > FIRST_REPORT_NS) {
            fprintf(stderr, "\rrefrain: reading the run for the page: %.0f %%, %s events ",
                    100 * refrain_machine_last_ns(ahead->machine) / end_ns, refrain_show_count((uint64_t)events));
            shown = true;
        }
    }
    refrain_machine_finish(ahead->machine);
    drain_lists(ahead);
    if (shown)
        fputs("\r\033[K", stderr);
    return step == REFRAIN_MACHINE_ENDED && !ahead->no_memory;
}

/* ---- output ---- */

/* Writes the shares, sorted by location and interval: the number of shares of each interval, then all shares
 * (page/shares.ts). */
static bool put_shares(struct ahead *ahead, struct bytes *out) {
    size_t n = ahead->shares.n / sizeof(struct refrain_picture_share);
    size_t rows = (size_t)ahead->n_locations * ahead->n_bins;
    const struct refrain_picture_share *shares = (const void *)ahead->shares.at;
    uint32_t *first = calloc(rows + 1, sizeof *first);
    uint32_t *words = malloc((n + 1) * sizeof *words);
    if (first && words) {
        for (size_t i = 0; i < n; i++)
            first[(size_t)shares[i].location * ahead->n_bins + shares[i].bin]++;
        put(out, first, rows * sizeof *first);
        uint32_t sum = 0;
        for (size_t row = 0; row < rows; row++) {
            uint32_t count = first[row];
            first[row] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            words[first[(size_t)shares[i].location * ahead->n_bins + shares[i].bin]++] = shares[i].what;
        put(out, words, n * sizeof *words);
    }
    bool memory = first && words;
    free(first);
    free(words);
    return memory;
}

static void put_chunks(struct ahead *ahead, struct bytes *out) {
    uint32_t n = 0, bytes;
    while (refrain_machine_chunk(ahead->machine, n, &bytes))
        n++;
    put_u32(out, n);
    for (uint32_t i = 0; i < n; i++) {
        put_u32(out, refrain_machine_chunk(ahead->machine, i, &bytes));
        put_u32(out, bytes);
    }
}

/* The addresses of the copies that have been written. */
struct written {
    uint32_t copies[2 * MOST_CHECKPOINTS];
    uint32_t n;
};

static void put_copy(struct ahead *ahead, uint32_t copy, struct written *written, struct bytes *out) {
    size_t n;
    uint32_t base;
    for (uint32_t i = 0; i < written->n; i++)
        if (written->copies[i] == copy)
            return;
    const void *bytes = refrain_machine_copy(ahead->machine, copy, &n, &base);
    if (base)
        put_copy(ahead, base, written, out);
    bytes = refrain_machine_copy(ahead->machine, copy, &n, &base);
    ahead->no_memory |= !bytes;
    put_u32(out, copy);
    put_u32(out, base);
    put_u32(out, (uint32_t)n);
    put(out, bytes, bytes ? n : 0);
    written->copies[written->n++] = copy;
}

/* Writes the copies of the arena, each after its base, then the checkpoints. */
static void put_checkpoints(struct ahead *ahead, struct bytes *out) {
    struct written written = {.n = 0};
    struct bytes copies = {0}, checkpoints = {0};
    for (size_t i = 0; i < ahead->n_checkpoints; i++) {
        const struct checkpoint *checkpoint = &ahead->checkpoints[i];
        size_t n;
        uint32_t copy;
        const void *bytes = refrain_machine_checkpoint(ahead->machine, checkpoint->address, &n, &copy);
        ahead->no_memory |= !bytes;
        put_f64(&checkpoints, checkpoint->at_ns);
        put_f64(&checkpoints, checkpoint->events);
        put_u32(&checkpoints, copy);
        put_u32(&checkpoints, (uint32_t)n);
        put(&checkpoints, bytes, bytes ? n : 0);
        put_copy(ahead, copy, &written, &copies);
    }
    put_u32(out, written.n);
    put(out, copies.at, copies.n);
    put_u32(out, (uint32_t)ahead->n_checkpoints);
    put(out, checkpoints.at, checkpoints.n);
    ahead->no_memory |= copies.no_memory || checkpoints.no_memory;
    free(copies.at);
    free(checkpoints.at);
}

static bool write_all(struct ahead *ahead, struct bytes *out) {
    struct refrain_machine *machine = ahead->machine;
    size_t n_pairs, n_waits, n_totals = (size_t)refrain_machine_n_regions(machine) + 1;
    double events = refrain_machine_events(machine), last_ns = refrain_machine_last_ns(machine);
    uint32_t numbers[] = {VERSION,
                          ahead->opened,
                          ahead->n_locations,
                          ahead->n_bins,
                          (uint32_t)(ahead->shares.n / sizeof(struct refrain_picture_share)),
                          (uint32_t)n_totals};
    put(out, numbers, sizeof numbers);
    put_f64(out, refrain_machine_end_ns(machine));
    put_f64(out, last_ns);
    put_f64(out, events);
    put_f64(out, refrain_machine_unseen(machine));
    const void *totals = refrain_machine_totals(machine, sizeof(struct refrain_picture_total));
    if (!totals || !put_shares(ahead, out))
        return false;
    put(out, totals, n_totals * sizeof(struct refrain_picture_total));
    const void *pairs =
        refrain_machine_items(machine, REFRAIN_MACHINE_PAIRS, sizeof(struct refrain_picture_pair), &n_pairs);
    put_u32(out, (uint32_t)n_pairs);
    put(out, pairs, n_pairs * sizeof(struct refrain_picture_pair));
    const void *waits = refrain_machine_waits(machine, sizeof(struct refrain_picture_wait), &n_waits);
    put_u32(out, (uint32_t)n_waits);
    put(out, waits, n_waits * sizeof(struct refrain_picture_wait));
    put_u32(out, (uint32_t)(ahead->ends.n / sizeof(struct refrain_picture_end)));
    put(out, ahead->ends.at, ahead->ends.n);
    put_chunks(ahead, out);
    put_checkpoints(ahead, out);
    return !out->no_memory;
}

/* ---- the whole ---- */

/* The images get the same names as in page/main.ts. */
static struct refrain_machine *open_machine(const struct refrain_trace *trace, const char *symbols,
                                            size_t symbols_bytes) {
    struct refrain_machine_image *images = calloc(trace->n_processes + 1, sizeof *images);
    char(*names)[32] = calloc(trace->n_processes + 1, sizeof *names);
    struct refrain_machine *machine = NULL;
    for (size_t i = 0; images && names && i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        snprintf(names[i], sizeof names[i], "rank %d", (int)process->rank);
        images[i] = (struct refrain_machine_image){
            .name = names[i], .bytes = {process->image}, .length = {(size_t)process->header->pool_used}};
    }
    if (images && names)
        machine = refrain_machine_open(images, trace->n_processes, symbols, symbols_bytes);
    free(images);
    free(names);
    return machine;
}

static void release(struct ahead *ahead) {
    refrain_machine_close(ahead->machine);
    free(ahead->checkpoints);
    free(ahead->shares.at);
    free(ahead->ends.at);
}

enum refrain_status refrain_view_ahead(const struct refrain_trace *trace, const char *symbols, size_t symbols_bytes,
                                       unsigned char **bytes, size_t *n, struct refrain_error *error) {
    struct ahead ahead = {.interval = FIRST_INTERVAL};
    struct bytes out = {0};
    *bytes = NULL;
    *n = 0;
    /* A trace of recorded events needs no replay, and is short. */
    if (trace->processes[0].header->mode == REFRAIN_MODE_EVENTS ||
        !(ahead.machine = open_machine(trace, symbols, symbols_bytes)))
        return REFRAIN_OK;
    ahead.n_locations = refrain_machine_n_locations(ahead.machine);
    ahead.n_bins = MOST_LOCATION_INTERVALS;
    while (ahead.n_bins > LEAST_INTERVALS && (uint64_t)ahead.n_bins * ahead.n_locations > MOST_INTERVALS)
        ahead.n_bins /= 2;
    ahead.checkpoints = calloc(MOST_CHECKPOINTS, sizeof *ahead.checkpoints);
    ahead.opened = refrain_machine_opened(ahead.machine);
    bool memory = ahead.checkpoints != NULL;
    if (memory && replay(&ahead) && refrain_machine_events(ahead.machine) >= REFRAIN_AHEAD_EVENTS)
        memory = write_all(&ahead, &out);
    memory = memory && !ahead.no_memory;
    release(&ahead);
    if (memory) {
        *bytes = out.at;
        *n = out.n;
        return REFRAIN_OK;
    }
    free(out.at);
    return REFRAIN_FAIL_MEMORY(error);
}

#else

enum refrain_status refrain_view_ahead(const struct refrain_trace *trace, const char *symbols, size_t symbols_bytes,
                                       unsigned char **bytes, size_t *n, struct refrain_error *error) {
    (void)trace, (void)symbols, (void)symbols_bytes, (void)error;
    *bytes = NULL;
    *n = 0;
    return REFRAIN_OK;
}

#endif
