/* view_ahead.c: a long run replayed for its page (view_ahead.h). */
#define _GNU_SOURCE
#include "view/view_ahead.h"
#include "common/array.h"

#ifdef REFRAIN_HAVE_MACHINE
#include "commands/command.h"
#include "view/picture.h"
#include "view/view_keep.h"
#include "view/view_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define VERSION 3
#define STEP_EVENTS 10000u /* as page/worker.ts has it, though nothing depends on it */
/* Intervals of the overview: of all locations together, and of one. */
#define MOST_INTERVALS (1u << 17)
#define MOST_LOCATION_INTERVALS 8192u
#define LEAST_INTERVALS 128u
/* Events between two checkpoints, until there are so many of them or they take so much. */
#define FIRST_INTERVAL 1000000.0
#define MOST_CHECKPOINTS 256u
#define MOST_CHECKPOINT_BYTES (96u << 20)
#define FIRST_REPORT_NS 2000000000

/* ---- bytes that grow ---- */

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

/* Memory of the engine to compare with; bytes behind its end count as zeros. */
struct image {
    uint32_t *words;
    size_t n;
};

struct checkpoint {
    double at_ns, events;
    bool is_key;
    struct bytes gaps, words; /* what differs: how many words further than the one before, and what it is then */
};

struct ahead {
    struct refrain_machine *machine;
    struct image base, key;
    size_t key_words, latest_key;
    struct checkpoint *checkpoints;
    size_t n_checkpoints, checkpoint_bytes;
    double interval;
    struct bytes shares; /* struct refrain_picture_share */
    struct bytes ends;   /* struct refrain_picture_end, of the spans that were open at a checkpoint */
    uint32_t n_locations, n_bins;
    bool no_memory;
};

static bool take_image(struct ahead *ahead, struct image *image) {
    size_t bytes;
    const unsigned char *memory = refrain_machine_memory(ahead->machine, &bytes);
    uint32_t *words = realloc(image->words, bytes + 1);
    if (!words)
        return false;
    memcpy(words, memory, bytes);
    *image = (struct image){words, bytes / sizeof *words};
    return true;
}

#define BLOCK_WORDS 1024u

/* What the memory has otherwise than the image, word by word. The trace itself does not change. */
static void difference(struct ahead *ahead, const struct image *image, struct checkpoint *checkpoint) {
    static const uint32_t zeros[BLOCK_WORDS];
    size_t bytes, from, to, last = 0;
    const unsigned char *memory = refrain_machine_memory(ahead->machine, &bytes);
    refrain_machine_unchanged(ahead->machine, &from, &to);
    for (size_t at = 0; at < bytes; at += sizeof zeros) {
        if (at >= from && at + sizeof zeros <= to)
            continue;
        size_t first = at / sizeof *zeros;
        const unsigned char *now = memory + at;
        const uint32_t *was = first < image->n ? image->words + first : zeros;
        if (memcmp(now, was, sizeof zeros) == 0)
            continue;
        for (size_t i = 0; i < BLOCK_WORDS; i++) {
            uint32_t word;
            memcpy(&word, now + i * sizeof word, sizeof word);
            if (word == was[i])
                continue;
            put_u32(&checkpoint->gaps, (uint32_t)(first + i - last));
            put_u32(&checkpoint->words, word);
            last = first + i;
        }
    }
}

static void drop(struct ahead *ahead, struct checkpoint *checkpoint) {
    ahead->checkpoint_bytes -= checkpoint->gaps.n + checkpoint->words.n;
    free(checkpoint->gaps.at);
    free(checkpoint->words.at);
}

/* There are fewer (view_keep.h), and half as many come from now on. From the last one to the first: a key comes before
 * those that are told by it. */
static void thin(struct ahead *ahead) {
    uint32_t n_told = 0, n_keys = 0;
    size_t first = ahead->n_checkpoints;
    bool has_told = false;
    for (size_t i = ahead->n_checkpoints; i-- > 0;) {
        bool is_key = ahead->checkpoints[i].is_key;
        bool stays =
            is_key ? has_told || i == ahead->latest_key || refrain_keep_stays(n_keys++) : refrain_keep_stays(n_told++);
        has_told = !is_key && (has_told || stays);
        if (!stays)
            drop(ahead, &ahead->checkpoints[i]);
        else if (--first != i)
            ahead->checkpoints[first] = ahead->checkpoints[i];
        if (stays && i == ahead->latest_key)
            ahead->latest_key = first;
    }
    ahead->n_checkpoints -= first;
    memmove(ahead->checkpoints, ahead->checkpoints + first, ahead->n_checkpoints * sizeof *ahead->checkpoints);
    ahead->latest_key -= first;
    ahead->interval *= 2;
}

/* Keeps the memory as it is now: told by the last key, unless so much differs from that, as it does while the replay
 * comes to new parts of the program, that the next ones had better be told by this one. */
static void keep(struct ahead *ahead) {
    struct checkpoint made = {.at_ns = refrain_machine_last_ns(ahead->machine),
                              .events = refrain_machine_events(ahead->machine)};
    bool is_key = !ahead->key.words;
    if (!is_key)
        difference(ahead, &ahead->key, &made);
    if (is_key || made.words.n / sizeof(uint32_t) > refrain_keep_most_words((uint32_t)ahead->key_words)) {
        made.gaps.n = made.words.n = 0;
        made.is_key = true;
        difference(ahead, &ahead->base, &made);
        ahead->key_words = made.words.n / sizeof(uint32_t);
        ahead->latest_key = ahead->n_checkpoints;
        ahead->no_memory |= !take_image(ahead, &ahead->key);
    }
    ahead->no_memory |= made.gaps.no_memory || made.words.no_memory;
    ahead->checkpoints[ahead->n_checkpoints++] = made;
    ahead->checkpoint_bytes += made.gaps.n + made.words.n;
    if (ahead->n_checkpoints == MOST_CHECKPOINTS || ahead->checkpoint_bytes > MOST_CHECKPOINT_BYTES)
        thin(ahead);
}

/* ---- replaying ---- */

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void take_list(struct ahead *ahead, enum refrain_machine_list list, size_t record_bytes, struct bytes *to) {
    size_t n;
    const void *items = refrain_machine_items(ahead->machine, list, record_bytes, &n);
    put(to, items, n * record_bytes);
    refrain_machine_take(ahead->machine, list);
    ahead->no_memory |= to->no_memory;
}

static void take_lists(struct ahead *ahead) {
    take_list(ahead, REFRAIN_MACHINE_SHARES, sizeof(struct refrain_picture_share), &ahead->shares);
    take_list(ahead, REFRAIN_MACHINE_ENDS, sizeof(struct refrain_picture_end), &ahead->ends);
}

/* From end to end; false where that cannot be. */
static bool replay(struct ahead *ahead) {
    double end_ns = refrain_machine_end_ns(ahead->machine), next = ahead->interval;
    int64_t started_ns = now_ns();
    bool says = isatty(STDERR_FILENO) && !refrain_warn_quiet, said = false;
    refrain_machine_window(ahead->machine, 0, end_ns, ahead->n_bins);
    enum refrain_machine_step step;
    for (;;) {
        step = refrain_machine_step(ahead->machine, STEP_EVENTS);
        take_lists(ahead);
        if (step != REFRAIN_MACHINE_MORE || ahead->no_memory)
            break;
        double events = refrain_machine_events(ahead->machine);
        if (events >= next) {
            keep(ahead);
            refrain_machine_mark(ahead->machine);
            next = events + ahead->interval;
        }
        if (says && now_ns() - started_ns > FIRST_REPORT_NS) {
            fprintf(stderr, "\rrefrain: reading the run for the page: %.0f %%, %s events ",
                    100 * refrain_machine_last_ns(ahead->machine) / end_ns, refrain_show_count((uint64_t)events));
            said = true;
        }
    }
    refrain_machine_finish(ahead->machine);
    take_lists(ahead);
    if (said)
        fputs("\r\033[K", stderr);
    return step == REFRAIN_MACHINE_ENDED && !ahead->no_memory;
}

/* ---- what is written ---- */

/* Shares in order of location and interval: how many each interval has, then all of them (page/shares.ts). */
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

/* By which the page knows that its memory is this one (FNV-1a of words). */
static uint32_t hash_of(const struct image *image) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < image->n; i++)
        hash = (hash ^ image->words[i]) * 16777619u;
    return hash;
}

static bool write_all(struct ahead *ahead, struct bytes *out) {
    struct refrain_machine *machine = ahead->machine;
    size_t n_pairs, n_waits, n_totals = (size_t)refrain_machine_n_regions(machine) + 1;
    double events = refrain_machine_events(machine), last_ns = refrain_machine_last_ns(machine);
    uint32_t numbers[] = {VERSION,
                          (uint32_t)ahead->base.n,
                          hash_of(&ahead->base),
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
    put_u32(out, (uint32_t)ahead->n_checkpoints);
    for (size_t i = 0; i < ahead->n_checkpoints; i++) {
        const struct checkpoint *checkpoint = &ahead->checkpoints[i];
        put_f64(out, checkpoint->at_ns);
        put_f64(out, checkpoint->events);
        put_u32(out, checkpoint->is_key);
        put_u32(out, (uint32_t)(checkpoint->words.n / sizeof(uint32_t)));
        put(out, checkpoint->gaps.at, checkpoint->gaps.n);
        put(out, checkpoint->words.at, checkpoint->words.n);
    }
    return !out->no_memory;
}

/* ---- all of it ---- */

/* The names are those that page/main.ts gives. */
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
    for (size_t i = 0; i < ahead->n_checkpoints; i++)
        drop(ahead, &ahead->checkpoints[i]);
    free(ahead->checkpoints);
    free(ahead->base.words);
    free(ahead->key.words);
    free(ahead->shares.at);
    free(ahead->ends.at);
}

enum refrain_status refrain_view_ahead(const struct refrain_trace *trace, const char *symbols, size_t symbols_bytes,
                                       unsigned char **bytes, size_t *n, struct refrain_error *error) {
    struct ahead ahead = {.interval = FIRST_INTERVAL};
    struct bytes out = {0};
    *bytes = NULL;
    *n = 0;
    /* Recorded events lie there to be read, and are not many. */
    if (trace->processes[0].header->mode == REFRAIN_MODE_EVENTS ||
        !(ahead.machine = open_machine(trace, symbols, symbols_bytes)))
        return REFRAIN_OK;
    ahead.n_locations = refrain_machine_n_locations(ahead.machine);
    ahead.n_bins = MOST_LOCATION_INTERVALS;
    while (ahead.n_bins > LEAST_INTERVALS && (uint64_t)ahead.n_bins * ahead.n_locations > MOST_INTERVALS)
        ahead.n_bins /= 2;
    ahead.checkpoints = calloc(MOST_CHECKPOINTS, sizeof *ahead.checkpoints);
    bool memory = ahead.checkpoints && take_image(&ahead, &ahead.base);
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
