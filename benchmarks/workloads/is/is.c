/* is.c: the kernel IS of the NAS Parallel Benchmarks (RNR-94-007, section 2.2.5).
 *
 * Bucket sort of integers: bucket sizes are added up over all ranks, buckets are dealt so that each rank gets about as
 * many keys, and MPI_Alltoallv sends them there, where they are counted. Every iteration changes two keys first.
 */
#include "../common/workload.h"
#include "keys.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS_LOG2 9
#define TAG_LARGEST 5

static const struct workload_spec spec = {
    .name = "is",
    .purpose = "integer bucket sort with all-to-all exchange of uneven counts (NAS IS)",
    .size_meaning = "binary logarithm of the number of keys",
    .size = 20,
    .size_minimum = 10,
    .size_maximum = 28,
    .iteration_meaning = "rankings",
    .iterations = 100,
    .ranks = WORKLOAD_ANY,
};

struct ranking {
    const struct workload *w;
    long total, first, count, bound;
    int buckets, shift;
    int *keys, *by_bucket;
    int *bucket_sizes, *all_sizes;
    int *send_counts, *send_starts, *receive_counts, *receive_starts;
    int *received;                     /* keys that belong here */
    long n_received, capacity, before; /* before: keys on lower ranks */
    int lowest, highest;               /* keys here lie in [lowest, highest) */
    int *counts;                       /* of each key value here */
};

static void change_keys(struct ranking *r, long iteration) {
    long places = LOWER(KEYS_CHANGES, (r->count - 1) / 2), place = (iteration - 1) % places + 1;
    if (r->w->rank != 0)
        return;
    r->keys[place] = (int)(iteration % r->bound);
    r->keys[place + places] = (int)(r->bound - 1 - (iteration - 1) % r->bound);
}

static void fill_buckets(struct ranking *r) {
    int *next = NEW(int, r->buckets);
    memset(r->bucket_sizes, 0, (size_t)r->buckets * sizeof(int));
    for (long i = 0; i < r->count; i++)
        r->bucket_sizes[r->keys[i] >> r->shift]++;
    for (int b = 1; b < r->buckets; b++)
        next[b] = next[b - 1] + r->bucket_sizes[b - 1];
    for (long i = 0; i < r->count; i++)
        r->by_bucket[next[r->keys[i] >> r->shift]++] = r->keys[i];
    free(next);
    MPI_Allreduce(r->bucket_sizes, r->all_sizes, r->buckets, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Gives each rank whole buckets until it has its share of the keys. */
static void deal_buckets(struct ranking *r) {
    long sum = 0;
    int bucket = 0, sent = 0;
    for (int rank = 0; rank < r->w->ranks; rank++) {
        int first_bucket = bucket, out = 0;
        long before = sum;
        while (bucket < r->buckets &&
               (rank == r->w->ranks - 1 || sum < workload_split(r->total, r->w->ranks, rank + 1))) {
            sum += r->all_sizes[bucket];
            out += r->bucket_sizes[bucket++];
        }
        r->send_counts[rank] = out;
        r->send_starts[rank] = sent;
        sent += out;
        if (rank == r->w->rank) {
            r->before = before;
            r->lowest = first_bucket << r->shift;
            r->highest = bucket << r->shift;
        }
    }
}

static void exchange_keys(struct ranking *r) {
    r->n_received = 0;
    MPI_Alltoall(r->send_counts, 1, MPI_INT, r->receive_counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (int rank = 0; rank < r->w->ranks; rank++) {
        r->receive_starts[rank] = (int)r->n_received;
        r->n_received += r->receive_counts[rank];
    }
    if (r->n_received > r->capacity) {
        free(r->received);
        r->capacity = r->n_received;
        r->received = NEW(int, r->capacity);
    }
    MPI_Alltoallv(r->by_bucket, r->send_counts, r->send_starts, MPI_INT, r->received, r->receive_counts,
                  r->receive_starts, MPI_INT, MPI_COMM_WORLD);
}

/* After this, counts[k] is the number of keys here that are not above lowest + k. */
static void count_keys(struct ranking *r) {
    int values = r->highest - r->lowest;
    memset(r->counts, 0, (size_t)values * sizeof(int));
    for (long i = 0; i < r->n_received; i++)
        r->counts[r->received[i] - r->lowest]++;
    for (int k = 1; k < values; k++)
        r->counts[k] += r->counts[k - 1];
}

/* The published ranks of five keys. */
static bool verify_probes(const struct ranking *r, long iteration) {
    const struct keys_class *class = keys_class_of(r->w->size);
    bool verified = true;
    if (!class || iteration > KEYS_CHANGES)
        return true;
    for (int i = 0; i < KEYS_PROBES; i++) {
        int key = -1, mine = -1;
        if (class->probe[i] >= r->first && class->probe[i] < r->first + r->count)
            mine = r->keys[class->probe[i] - r->first];
        MPI_Allreduce(&mine, &key, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (key < r->lowest || key >= r->highest)
            continue;
        long drift = i < class->rising ? iteration - class->rising_offset : class->falling_offset - iteration;
        long expected = class->probe_rank[i] + drift;
        long rank = r->before + (key > r->lowest ? r->counts[key - r->lowest - 1] : 0);
        verified = verified && rank == expected;
    }
    return verified;
}

/* Every key is here that should be, and lower ranks have only lower ones. */
static bool verify_order(const struct ranking *r) {
    int below = -1, highest = -1;
    long found = 0, total = 0;
    bool verified = true;
    for (long i = 0; i < r->n_received; i++) {
        verified = verified && r->received[i] >= r->lowest && r->received[i] < r->highest;
        highest = UPPER(highest, r->received[i]);
    }
    if (r->w->rank > 0)
        MPI_Recv(&below, 1, MPI_INT, r->w->rank - 1, TAG_LARGEST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    highest = UPPER(below, highest);
    if (r->w->rank < r->w->ranks - 1)
        MPI_Send(&highest, 1, MPI_INT, r->w->rank + 1, TAG_LARGEST, MPI_COMM_WORLD);
    for (int k = 0, before = 0; k < r->highest - r->lowest; k++) {
        found += r->counts[k] - before;
        verified = verified && r->counts[k] >= before;
        before = r->counts[k];
    }
    MPI_Allreduce(&found, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return verified && total == r->total && (r->n_received == 0 || below < r->lowest);
}

static void set_up(struct ranking *r, const struct workload *w) {
    int bound_log2 = keys_bound_log2(w->size), buckets_log2 = LOWER(BUCKETS_LOG2, bound_log2);
    *r = (struct ranking){.w = w, .total = 1L << w->size, .bound = 1L << bound_log2, .buckets = 1 << buckets_log2};
    r->shift = bound_log2 - buckets_log2;
    r->first = workload_split(r->total, w->ranks, w->rank);
    r->count = workload_split(r->total, w->ranks, w->rank + 1) - r->first;
    r->keys = NEW(int, r->count);
    r->by_bucket = NEW(int, r->count);
    r->bucket_sizes = NEW(int, r->buckets);
    r->all_sizes = NEW(int, r->buckets);
    r->counts = NEW(int, r->bound);
    r->send_counts = NEW(int, 4L * w->ranks);
    r->send_starts = r->send_counts + w->ranks;
    r->receive_counts = r->send_starts + w->ranks;
    r->receive_starts = r->receive_counts + w->ranks;
    keys_make(r->keys, r->first, r->count, r->bound);
}

static void clean_up(struct ranking *r) {
    int *all[] = {r->keys, r->by_bucket, r->bucket_sizes, r->all_sizes, r->counts, r->send_counts, r->received};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

int main(int argc, char **argv) {
    struct workload w;
    struct ranking r;
    bool verified = true;

    workload_begin(&w, &spec, &argc, &argv);
    set_up(&r, &w);
    workload_start(&w);
    for (long iteration = 1; iteration <= w.iterations; iteration++) {
        change_keys(&r, iteration);
        fill_buckets(&r);
        deal_buckets(&r);
        exchange_keys(&r);
        count_keys(&r);
        verified = verify_probes(&r, iteration) && verified;
        workload_lap();
    }
    verified = verify_order(&r) && verified;
    double check = (double)r.n_received;
    clean_up(&r);
    return workload_end(&w, verified, check);
}
