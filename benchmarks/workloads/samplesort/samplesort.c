/* samplesort.c: parallel sample sort.
 *
 * Every rank sorts its keys and sends regular samples to rank 0, which chooses the splitters and broadcasts them; the
 * keys are exchanged with MPI_Alltoallv, whose counts follow from the data, and merged. The shape of the data changes
 * from round to round. Checked: sorted within and across ranks, and the same keys as before.
 */
#include "../common/workload.h"
#include "records.h"

#include <stdlib.h>

#define SAMPLES_PER_RANK 32
#define TAG_BORDER 3

static const struct workload_spec spec = {
    .name = "samplesort",
    .purpose = "sample sort: gather of samples, broadcast of splitters, exchange with uneven counts",
    .size_meaning = "keys",
    .size = 300000,
    .size_minimum = 1,
    .size_maximum = 200000000,
    .iteration_meaning = "rounds, each with other data",
    .iterations = 8,
    .ranks = WORKLOAD_ANY,
};

struct sorter {
    const struct workload *w;
    sort_key *keys;
    long count;
    sort_key *splitters; /* ranks - 1 */
    int *send_counts, *send_starts, *receive_counts, *receive_starts;
};

static void sort_keys(sort_key *keys, long count) {
    qsort(keys, (size_t)count, sizeof *keys, records_compare);
}

static void choose_splitters(struct sorter *s) {
    int ranks = s->w->ranks;
    sort_key sample[SAMPLES_PER_RANK], *all = NULL;
    for (int i = 0; i < SAMPLES_PER_RANK; i++)
        sample[i] = s->count ? s->keys[(s->count - 1) * i / SAMPLES_PER_RANK] : 0;
    if (s->w->rank == 0)
        all = NEW(sort_key, (long)ranks * SAMPLES_PER_RANK);
    MPI_Gather(sample, SAMPLES_PER_RANK, MPI_UINT64_T, all, SAMPLES_PER_RANK, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (s->w->rank == 0) {
        sort_keys(all, (long)ranks * SAMPLES_PER_RANK);
        for (int i = 1; i < ranks; i++)
            s->splitters[i - 1] = all[i * SAMPLES_PER_RANK];
        free(all);
    }
    MPI_Bcast(s->splitters, ranks - 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
}

/* Keys are sorted: each destination's are one run of them. */
static void count_destinations(struct sorter *s) {
    long i = 0;
    for (int destination = 0; destination < s->w->ranks; destination++) {
        s->send_starts[destination] = (int)i;
        if (destination < s->w->ranks - 1)
            while (i < s->count && s->keys[i] < s->splitters[destination])
                i++;
        else
            i = s->count;
        s->send_counts[destination] = (int)(i - s->send_starts[destination]);
    }
}

static void exchange(struct sorter *s) {
    long total = 0;
    MPI_Alltoall(s->send_counts, 1, MPI_INT, s->receive_counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (int source = 0; source < s->w->ranks; source++) {
        s->receive_starts[source] = (int)total;
        total += s->receive_counts[source];
    }
    sort_key *received = NEW(sort_key, total);
    MPI_Alltoallv(s->keys, s->send_counts, s->send_starts, MPI_UINT64_T, received, s->receive_counts, s->receive_starts,
                  MPI_UINT64_T, MPI_COMM_WORLD);
    free(s->keys);
    s->keys = received;
    s->count = total;
}

/* Merges neighbouring runs in pairs until one is left. */
static void merge_runs(struct sorter *s) {
    long *ends = NEW(long, s->w->ranks);
    sort_key *to = NEW(sort_key, s->count), *from = s->keys;
    int runs = s->w->ranks;
    for (int r = 0; r < runs; r++)
        ends[r] = s->receive_starts[r] + s->receive_counts[r];
    while (runs > 1) {
        int merged = 0;
        long begin = 0;
        for (int r = 0; r < runs; r += 2) {
            long middle = ends[r], end = r + 1 < runs ? ends[r + 1] : middle;
            long a = begin, b = middle;
            for (long k = begin; k < end; k++)
                to[k] = b >= end || (a < middle && from[a] <= from[b]) ? from[a++] : from[b++];
            ends[merged++] = end;
            begin = end;
        }
        sort_key *swap = from;
        from = to;
        to = swap;
        runs = merged;
    }
    s->keys = from;
    free(to);
    free(ends);
}

/* The largest key of all lower ranks, passed up the line; ranks may be left without keys. */
static bool sorted_everywhere(const struct sorter *s) {
    sort_key below = 0;
    bool sorted = true;
    if (s->w->rank > 0)
        MPI_Recv(&below, 1, MPI_UINT64_T, s->w->rank - 1, TAG_BORDER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (long i = 0; i < s->count; i++) {
        sorted = sorted && s->keys[i] >= below;
        below = s->keys[i];
    }
    if (s->w->rank < s->w->ranks - 1)
        MPI_Send(&below, 1, MPI_UINT64_T, s->w->rank + 1, TAG_BORDER, MPI_COMM_WORLD);
    return sorted;
}

static struct digest digest_of_all(const struct sorter *s) {
    struct digest mine = records_digest(s->keys, s->count), all;
    MPI_Allreduce(&mine, &all, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static bool sort_round(struct sorter *s, long round) {
    long first = workload_split(s->w->size, s->w->ranks, s->w->rank);
    s->count = workload_split(s->w->size, s->w->ranks, s->w->rank + 1) - first;
    s->keys = NEW(sort_key, s->count);
    records_make(s->keys, (enum shape)(round % SHAPES), first, s->count, s->w->size, round);
    struct digest before = digest_of_all(s);

    sort_keys(s->keys, s->count);
    choose_splitters(s);
    count_destinations(s);
    exchange(s);
    merge_runs(s);

    struct digest after = digest_of_all(s);
    bool sorted = sorted_everywhere(s);
    free(s->keys);
    return sorted && before.count == after.count && before.sum == after.sum && before.squares == after.squares;
}

int main(int argc, char **argv) {
    struct workload w;
    bool verified = true;

    workload_begin(&w, &spec, &argc, &argv);
    int *counts = NEW(int, 4L * w.ranks);
    struct sorter s = {
        .w = &w,
        .splitters = NEW(sort_key, w.ranks),
        .send_counts = counts,
        .send_starts = counts + w.ranks,
        .receive_counts = counts + 2L * w.ranks,
        .receive_starts = counts + 3L * w.ranks,
    };
    for (long round = 0; round < w.iterations; round++) {
        verified = sort_round(&s, round) && verified;
        workload_lap();
    }
    free(counts);
    free(s.splitters);
    return workload_end(&w, verified, (double)s.count);
}
