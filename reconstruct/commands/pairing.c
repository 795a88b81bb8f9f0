/* pairing.c: two threads read two sources; events that come early wait in queues (pairing.h). */
#define _GNU_SOURCE
#include "commands/pairing.h"
#include "commands/event_lines.h"
#include "common/array.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 1024u /* events that a thread hands over at once */
#define REGION_CACHE 256u
#define MOST_AHEAD (1u << 20) /* events of a side in queues, before it waits for the other side */

/* ---- spreads and histograms ---- */

static void spread_add(struct refrain_spread *spread, int64_t value) {
    if (spread->n == 0 || value < spread->least)
        spread->least = value;
    if (spread->n == 0 || value > spread->most)
        spread->most = value;
    spread->n++;
    long double delta = (long double)value - spread->mean; /* Welford's method */
    spread->mean += delta / (long double)spread->n;
    spread->squares += delta * ((long double)value - spread->mean);
}

static void spread_merge(struct refrain_spread *to, const struct refrain_spread *from) {
    if (from->n == 0)
        return;
    if (to->n == 0) {
        *to = *from;
        return;
    }
    long double delta = from->mean - to->mean, a = (long double)to->n, b = (long double)from->n;
    to->mean += delta * b / (a + b);
    to->squares += from->squares + delta * delta * a * b / (a + b);
    to->n += from->n;
    to->least = from->least < to->least ? from->least : to->least;
    to->most = from->most > to->most ? from->most : to->most;
}

double refrain_spread_sigma(const struct refrain_spread *spread) {
    return spread->n > 1 ? sqrt((double)(spread->squares / (long double)spread->n)) : 0;
}

double refrain_spread_width(const struct refrain_spread *spread) {
    return 2 * sqrt(log(2)) * refrain_spread_sigma(spread);
}

static void error_add(struct refrain_time_error *error, int64_t off_ns) {
    int64_t size = off_ns < 0 ? -off_ns : off_ns;
    error->n++;
    error->within_1us += size <= 1000;
    error->squares += (long double)size * (long double)size;
    if (size > error->largest_ns)
        error->largest_ns = size;
}

static void error_merge(struct refrain_time_error *to, const struct refrain_time_error *from) {
    to->n += from->n;
    to->within_1us += from->within_1us;
    to->squares += from->squares;
    if (from->largest_ns > to->largest_ns)
        to->largest_ns = from->largest_ns;
}

double refrain_time_error_rms(const struct refrain_time_error *error) {
    return error->n ? sqrt((double)(error->squares / (long double)error->n)) : 0;
}

#define HALF ((int64_t)(REFRAIN_HISTOGRAM_BINS / 2))

static int64_t floor_shift(int64_t value, unsigned shift) {
    return value >= 0 ? value >> shift : -1 - ((-1 - value) >> shift);
}

/* Doubles the width of the bins. */
static void histogram_widen(struct refrain_histogram *histogram) {
    uint64_t *bins = histogram->bins;
    for (int64_t i = 0; i < HALF / 2;
         i++) { /* from the middle to both ends, so that a bin is read before it is overwritten */
        bins[HALF + i] = bins[HALF + 2 * i] + bins[HALF + 2 * i + 1];
        bins[HALF - 1 - i] = bins[HALF - 1 - 2 * i] + bins[HALF - 2 - 2 * i];
    }
    memset(bins, 0, (size_t)(HALF / 2) * sizeof *bins);
    memset(bins + HALF + HALF / 2, 0, (size_t)(HALF / 2) * sizeof *bins);
    histogram->shift++;
}

static void histogram_add(struct refrain_histogram *histogram, int64_t value) {
    int64_t bin;
    while ((bin = floor_shift(value, histogram->shift)) >= HALF || bin < -HALF)
        histogram_widen(histogram);
    histogram->bins[HALF + bin]++;
}

void refrain_histogram_read(const struct refrain_histogram *histogram, const struct refrain_spread *spread,
                            uint64_t *bins, unsigned n) {
    double sigma = refrain_spread_sigma(spread), from = (double)spread->mean - 3 * sigma, width = 6 * sigma / n;
    memset(bins, 0, n * sizeof *bins);
    if (spread->n == 0)
        return;
    int64_t first = floor_shift(spread->least, histogram->shift), last = floor_shift(spread->most, histogram->shift);
    for (int64_t i = first; i <= last; i++) {
        double value = ldexp((double)i + (histogram->shift ? 0.5 : 0), (int)histogram->shift);
        double bin = width > 0 ? (value - from) / width : n / 2;
        bins[bin < 0 ? 0 : bin >= n ? n - 1 : (unsigned)bin] += histogram->bins[HALF + i];
    }
}

uint64_t refrain_pair_compared(const struct refrain_pair_sum *sum) {
    return sum->events[0] > sum->events[1] ? sum->events[0] : sum->events[1];
}

/* ---- events that wait for their partner ---- */

struct event {
    uint64_t hash; /* of all fields except the time */
    int64_t time_ns;
    uint64_t region; /* hash of the region's name if the event enters or leaves a region, else 0 */
    int8_t sign;     /* -1: enters, 1: leaves */
};

/* A ring of the events of one side. The other side's ring is then empty. */
struct refrain_pair_queue {
    unsigned side;
    size_t first, n, capacity; /* capacity: a power of two */
    struct event events[];
};

static bool queue_push(struct refrain_pair_queue **queue, unsigned side, struct event event) {
    struct refrain_pair_queue *old = *queue;
    if (!old || old->n == old->capacity) {
        size_t capacity = old ? old->capacity * 2 : 64;
        struct refrain_pair_queue *larger = malloc(sizeof *larger + capacity * sizeof *larger->events);
        if (!larger)
            return false;
        *larger = (struct refrain_pair_queue){.n = old ? old->n : 0, .capacity = capacity};
        for (size_t i = 0; i < larger->n; i++)
            larger->events[i] = old->events[(old->first + i) & (old->capacity - 1)];
        free(old);
        *queue = larger;
    }
    (*queue)->side = side;
    (*queue)->events[((*queue)->first + (*queue)->n++) & ((*queue)->capacity - 1)] = event;
    return true;
}

static struct event queue_pop(struct refrain_pair_queue *queue) {
    struct event event = queue->events[queue->first];
    queue->first = (queue->first + 1) & (queue->capacity - 1);
    queue->n--;
    return event;
}

/* ---- pairing ---- */

struct shared {
    struct refrain_pairing *pairing;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t ahead[2]; /* by side: events in its queues */
    bool waiting[2], ended[2];
};

struct side {
    struct shared *shared;
    const char *source;
    unsigned number;
    size_t last; /* location of the previous event */
    size_t n;
    struct {
        int32_t rank;
        uint32_t thread;
        struct event event;
    } batch[BATCH];
    uint64_t approximate;
    uint64_t regions[REGION_CACHE]; /* hashes of names that have been seen */
    bool no_memory;
    enum refrain_status status;
    struct refrain_error error;
};

static struct refrain_pair_location *find_location(struct refrain_pairing *pairing, size_t *last, int32_t rank,
                                                   uint32_t thread) {
    const struct refrain_pair_location *before = *last < pairing->n ? &pairing->locations[*last] : NULL;
    if (before && before->rank == rank && before->thread == thread)
        return &pairing->locations[*last];
    size_t low = 0, high = pairing->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct refrain_pair_location *at = &pairing->locations[middle];
        if (at->rank < rank || (at->rank == rank && at->thread < thread))
            low = middle + 1;
        else
            high = middle;
    }
    *last = low;
    if (low < pairing->n && pairing->locations[low].rank == rank && pairing->locations[low].thread == thread)
        return &pairing->locations[low];
    if (!REFRAIN_ARRAY_ROOM(pairing->locations, pairing->n, pairing->capacity))
        return NULL;
    memmove(&pairing->locations[low + 1], &pairing->locations[low], (pairing->n - low) * sizeof *pairing->locations);
    pairing->n++;
    pairing->locations[low] = (struct refrain_pair_location){.rank = rank, .thread = thread};
    return &pairing->locations[low];
}

/* The region with this hash; null if there is none. */
static struct refrain_pair_region *region_of(const struct refrain_pairing *pairing, uint64_t hash) {
    size_t number = refrain_table_number(&pairing->by_hash, hash, 0);
    return number ? &pairing->regions[number - 1] : NULL;
}

/* Adds the region unless it was added before. False without memory. */
static bool add_region(struct refrain_pairing *pairing, uint64_t hash, const char *name, size_t length) {
    if (region_of(pairing, hash))
        return true;
    char *own = strndup(name, length);
    if (!own || !REFRAIN_ARRAY_ROOM(pairing->regions, pairing->n_regions, pairing->capacity_regions) ||
        !refrain_table_put(&pairing->by_hash, hash, 0, pairing->n_regions + 1)) {
        free(own);
        return false;
    }
    pairing->regions[pairing->n_regions++] = (struct refrain_pair_region){.name = own, .hash = hash};
    return true;
}

static void add_pair(struct refrain_pairing *pairing, struct refrain_pair_location *location, struct event a,
                     struct event b) {
    struct refrain_pair_sum *sum = &location->sum;
    int64_t position = b.time_ns - a.time_ns;
    if (a.hash == b.hash) {
        sum->equal++;
    } else if (!sum->differing) {
        sum->differing = 1;
        location->first_difference = sum->position.n;
    }
    if (sum->position.n > 0) {
        spread_add(&sum->block, position - location->last_position);
        error_add(&sum->block_error, position - location->last_position);
        histogram_add(&pairing->block, position - location->last_position);
    }
    if (sum->position.n == 0)
        location->first_ns = a.time_ns;
    sum->run_ns = a.time_ns - location->first_ns;
    struct refrain_pair_region *region = a.region && a.region == b.region ? region_of(pairing, a.region) : NULL;
    if (region) {
        region->total_ns += a.sign * a.time_ns;
        region->more_ns += a.sign * position;
    }
    spread_add(&sum->position, position);
    error_add(&sum->position_error, position);
    histogram_add(&pairing->position, position);
    location->last_position = position;
}

/* Handles an event of one side. The caller holds the lock. False without memory. */
static bool add_event(struct side *side, int32_t rank, uint32_t thread, struct event event) {
    struct shared *shared = side->shared;
    struct refrain_pairing *pairing = shared->pairing;
    unsigned mine = side->number, other = !mine;
    struct refrain_pair_location *location = find_location(pairing, &side->last, rank, thread);
    if (!location)
        return false;
    location->sum.events[mine]++;
    if (location->ahead && location->ahead->n > 0 && location->ahead->side == other) {
        struct event partner = queue_pop(location->ahead);
        shared->ahead[other]--;
        add_pair(pairing, location, mine == 0 ? event : partner, mine == 0 ? partner : event);
        return true;
    }
    if (!queue_push(&location->ahead, mine, event))
        return false;
    shared->ahead[mine]++;
    if (shared->ahead[0] + shared->ahead[1] > pairing->most_kept)
        pairing->most_kept = shared->ahead[0] + shared->ahead[1];
    return true;
}

static bool hand_over(struct side *side) {
    struct shared *shared = side->shared;
    unsigned mine = side->number, other = !mine;
    bool sound = true;
    pthread_mutex_lock(&shared->lock);
    /* If the other side waits, too, each is ahead in some location: then one has to continue. */
    while (shared->ahead[mine] > MOST_AHEAD && !shared->ended[other] && !shared->waiting[other]) {
        shared->waiting[mine] = true;
        pthread_cond_wait(&shared->changed, &shared->lock);
        shared->waiting[mine] = false;
    }
    for (size_t i = 0; sound && i < side->n; i++)
        sound = add_event(side, side->batch[i].rank, side->batch[i].thread, side->batch[i].event);
    pthread_cond_signal(&shared->changed);
    pthread_mutex_unlock(&shared->lock);
    side->n = 0;
    return sound;
}

static uint64_t hash_of(const char *text, size_t n) {
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return hash;
}

/* Finds the region that an event enters or leaves. False without memory. */
static bool find_region(struct side *side, const char *fields, struct event *event) {
    event->sign = strncmp(fields, "enter\t", 6) == 0 ? -1 : strncmp(fields, "leave\t", 6) == 0 ? 1 : 0;
    if (event->sign == 0)
        return true;
    size_t length = strcspn(fields + 6, "\t");
    event->region = hash_of(fields + 6, length);
    uint64_t *known = &side->regions[event->region % REGION_CACHE];
    if (*known == event->region)
        return true;
    pthread_mutex_lock(&side->shared->lock);
    bool added = add_region(side->shared->pairing, event->region, fields + 6, length);
    pthread_mutex_unlock(&side->shared->lock);
    *known = event->region;
    return added;
}

static bool visit_line(void *data, const struct refrain_event_line *line) {
    struct side *side = data;
    struct event event = {.hash = hash_of(line->fields, strlen(line->fields)), .time_ns = line->time_ns};
    if (!find_region(side, line->fields, &event))
        return false;
    side->batch[side->n].rank = line->rank;
    side->batch[side->n].thread = line->thread;
    side->batch[side->n].event = event;
    side->approximate += line->approximate;
    return ++side->n < BATCH || hand_over(side);
}

static void *read_side(void *data) {
    struct side *side = data;
    side->status = refrain_event_lines(side->source, visit_line, side, &side->error);
    if (!side->status && !hand_over(side))
        side->status = REFRAIN_FAIL_MEMORY(&side->error);
    pthread_mutex_lock(&side->shared->lock);
    side->shared->ended[side->number] = true;
    pthread_cond_signal(&side->shared->changed);
    pthread_mutex_unlock(&side->shared->lock);
    return NULL;
}

/* Events without a partner are differences. Then adds up all locations. */
static void add_up(struct refrain_pairing *pairing) {
    struct refrain_pair_sum *total = &pairing->total;
    for (size_t i = 0; i < pairing->n; i++) {
        struct refrain_pair_location *location = &pairing->locations[i];
        struct refrain_pair_sum *sum = &location->sum;
        if (sum->events[0] != sum->events[1] && !sum->differing) {
            sum->differing = 1;
            location->first_difference = sum->position.n;
        }
        for (unsigned side = 0; side < 2; side++)
            total->events[side] += sum->events[side];
        total->equal += sum->equal;
        total->differing += sum->differing;
        spread_merge(&total->position, &sum->position);
        spread_merge(&total->block, &sum->block);
        error_merge(&total->position_error, &sum->position_error);
        error_merge(&total->block_error, &sum->block_error);
        if (sum->run_ns > total->run_ns)
            total->run_ns = sum->run_ns;
        free(location->ahead);
        location->ahead = NULL;
    }
}

enum refrain_status refrain_pairing_read(const char *a, const char *b, struct refrain_pairing *pairing,
                                         struct refrain_error *error) {
    struct shared shared = {.pairing = pairing};
    const char *const sources[2] = {a, b};
    pthread_t thread;
    *pairing = (struct refrain_pairing){0};
    pairing->position.bins = calloc(REFRAIN_HISTOGRAM_BINS, sizeof *pairing->position.bins);
    pairing->block.bins = calloc(REFRAIN_HISTOGRAM_BINS, sizeof *pairing->block.bins);
    struct side *sides = calloc(2, sizeof *sides);
    if (!pairing->position.bins || !pairing->block.bins || !sides) {
        free(sides);
        return REFRAIN_FAIL_MEMORY(error);
    }
    pthread_mutex_init(&shared.lock, NULL);
    pthread_cond_init(&shared.changed, NULL);
    for (unsigned i = 0; i < 2; i++) {
        sides[i].shared = &shared;
        sides[i].source = sources[i];
        sides[i].number = i;
    }
    if (pthread_create(&thread, NULL, read_side, &sides[1]) != 0) {
        /* Reading one after the other gives the same result, with more memory. */
        shared.ended[1] = true;
        read_side(&sides[0]);
        read_side(&sides[1]);
    } else {
        read_side(&sides[0]);
        pthread_join(thread, NULL);
    }
    add_up(pairing);
    enum refrain_status status = REFRAIN_OK;
    for (unsigned i = 0; i < 2; i++) {
        pairing->approximate[i] = sides[i].approximate;
        if (sides[i].status && !status)
            status = refrain_error_set(error, sides[i].status, sides[i].error.file, sides[i].error.line, "%s",
                                       sides[i].error.message);
    }
    pthread_cond_destroy(&shared.changed);
    pthread_mutex_destroy(&shared.lock);
    free(sides);
    return status;
}

void refrain_pairing_free(struct refrain_pairing *pairing) {
    for (size_t i = 0; i < pairing->n; i++)
        free(pairing->locations[i].ahead);
    for (size_t i = 0; i < pairing->n_regions; i++)
        free(pairing->regions[i].name);
    free(pairing->regions);
    refrain_table_close(&pairing->by_hash);
    free(pairing->locations);
    free(pairing->position.bins);
    free(pairing->block.bins);
    *pairing = (struct refrain_pairing){0};
}
