/* test_critical_path.c: compares critical paths of random runs with those of a simple method: a table for each rank,
 * which is copied completely with each wait. */
#include "analysis/critical_path.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 5, PLACES = 7, STEPS = 200000, SNAPSHOTS = 64, BIN_NS = 1000000, BINS = 1000 };

/* Nanoseconds on the path of a rank until a moment. */
struct sums {
    int64_t ns[PLACES][RANKS], until_ns;
    uint64_t changes;
    int32_t last; /* rank of the newest part */
};

/* The results of a query. */
struct found {
    int64_t ns[PLACES][RANKS], until_ns, bins_ns[BINS];
    size_t last_bin;
};

struct rank {
    struct sums now, snapshots[SNAPSHOTS]; /* snapshots: after each of the latest spans */
    size_t n_snapshots;
};

static struct refrain_delay_place *place(size_t i) {
    static char places[PLACES];
    return (struct refrain_delay_place *)&places[i]; /* an address, no more */
}

static uint64_t state = 88172645463325252u;
static uint64_t any(uint64_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % n;
}

static void add(struct sums *sums, size_t place, int32_t rank, int64_t ns) {
    sums->ns[place][rank] += ns;
    sums->until_ns += ns;
    sums->changes += sums->last >= 0 && sums->last != rank;
    sums->last = rank;
}

static void keep(struct rank *rank) {
    rank->snapshots[rank->n_snapshots++ % SNAPSHOTS] = rank->now;
}

static void count(void *data, struct refrain_delay_place *at, int32_t rank, size_t bin, int64_t ns) {
    struct found *found = data;
    size_t i = 0;
    while (i < PLACES && at != place(i))
        i++;
    if (i < PLACES)
        found->ns[i][rank] += ns;
    found->until_ns += ns;
    CHECK(bin < BINS, "bin %zu", bin);
    found->bins_ns[bin < BINS ? bin : BINS - 1] += ns;
    found->last_bin = bin > found->last_bin ? bin : found->last_bin;
}

/* A path has no gaps, so it fills each bin but the last one. */
static bool fills_bins(const struct found *found, int64_t from_ns, int64_t bin_ns) {
    for (size_t bin = 0; bin <= found->last_bin; bin++) {
        int64_t begin_ns = (int64_t)bin * bin_ns, end_ns = begin_ns + bin_ns, until_ns = from_ns + found->until_ns;
        begin_ns = begin_ns > from_ns ? begin_ns : from_ns;
        end_ns = end_ns < until_ns ? end_ns : until_ns;
        if (found->bins_ns[bin] != (end_ns > begin_ns ? end_ns - begin_ns : 0))
            return false;
    }
    return true;
}

static void span(struct refrain_critical_path *path, struct rank *ranks, int32_t rank) {
    size_t at = any(PLACES);
    int64_t ns = 1 + (int64_t)any(1000), begin_ns = ranks[rank].now.until_ns;
    refrain_critical_path_span(path, rank, begin_ns, begin_ns + ns, place(at));
    add(&ranks[rank].now, at, rank, ns);
    keep(&ranks[rank]);
}

/* Until a span of another rank ended, a while ago or just now. */
static void wait(struct refrain_critical_path *path, struct rank *ranks, int32_t rank) {
    int32_t cause = (int32_t)any(RANKS);
    const struct rank *late = &ranks[cause];
    if (cause == rank || late->n_snapshots < SNAPSHOTS)
        return;
    const struct sums *until = &late->snapshots[(late->n_snapshots - 1 - any(SNAPSHOTS / 2)) % SNAPSHOTS];
    if (until->until_ns <= ranks[rank].now.until_ns)
        return;
    refrain_critical_path_wait(path, rank, ranks[rank].now.until_ns, until->until_ns, cause);
    ranks[rank].now = *until;
}

/* A span of which it is known only later, after another one, that the rank waited in it. */
static void wait_in_span(struct refrain_critical_path *path, struct rank *ranks, int32_t rank) {
    int32_t cause = (int32_t)any(RANKS);
    const struct sums *until = &ranks[cause].now;
    int64_t begin_ns = ranks[rank].now.until_ns;
    if (cause == rank || until->until_ns <= begin_ns + 10 || until->last < 0)
        return;
    int64_t rest_ns = 1 + (int64_t)any(100), next_ns = 1 + (int64_t)any(100);
    size_t at = any(PLACES), next = any(PLACES);
    int64_t end_ns = until->until_ns + rest_ns;
    refrain_critical_path_span(path, rank, begin_ns, end_ns, place(at));
    refrain_critical_path_span(path, rank, end_ns, end_ns + next_ns, place(next));
    refrain_critical_path_wait(path, rank, begin_ns + 5, until->until_ns, cause);
    ranks[rank].now = *until;
    add(&ranks[rank].now, at, rank, rest_ns);
    add(&ranks[rank].now, next, rank, next_ns);
    ranks[rank].n_snapshots = 0; /* they do not contain the path before the wait */
}

static void test_random(void) {
    struct refrain_critical_path *path = refrain_critical_path_open(RANKS, BIN_NS);
    struct rank *ranks = calloc(RANKS, sizeof *ranks);
    for (int32_t i = 0; i < RANKS; i++)
        ranks[i].now.last = -1;
    for (size_t step = 0; step < STEPS; step++) {
        int32_t rank = (int32_t)any(RANKS);
        uint64_t what = any(40);
        if (what == 0)
            wait(path, ranks, rank);
        else if (what == 1)
            wait_in_span(path, ranks, rank);
        else
            span(path, ranks, rank);
        if (step % 20000 != 19999)
            continue;
        for (int32_t i = 0; i < RANKS; i++) {
            struct found found = {.until_ns = 0};
            uint64_t changes = refrain_critical_path_parts(path, i, ranks[i].now.until_ns, count, &found);
            CHECK(memcmp(found.ns, ranks[i].now.ns, sizeof found.ns) == 0, "step %zu: parts of the path of rank %d",
                  step, i);
            CHECK(found.until_ns == ranks[i].now.until_ns, "step %zu: length of the path of rank %d", step, i);
            CHECK(fills_bins(&found, 0, BIN_NS) && found.last_bin == (size_t)((found.until_ns - 1) / BIN_NS),
                  "step %zu: bins of the path of rank %d", step, i);
            CHECK(changes == ranks[i].now.changes, "step %zu: changes of the path of rank %d", step, i);
        }
    }
    CHECK(!refrain_critical_path_failed(path), "no memory");
    free(ranks);
    refrain_critical_path_close(path);
}

/* Time before the reset is not counted. Time without a span is unknown. */
static void test_reset(void) {
    struct refrain_critical_path *path = refrain_critical_path_open(2, 50);
    struct found found = {.until_ns = 0};
    refrain_critical_path_span(path, 0, 0, 100, place(0));
    refrain_critical_path_reset(path, 60);
    refrain_critical_path_span(path, 0, 50, 160, place(1));
    refrain_critical_path_span(path, 0, 170, 200, place(2));
    CHECK(refrain_critical_path_parts(path, 0, 210, count, &found) == 0, "changes of one rank");
    CHECK(found.ns[0][0] == 0 && found.ns[1][0] == 100 && found.ns[2][0] == 30 && found.until_ns == 150,
          "after a reset");
    CHECK(fills_bins(&found, 60, 50) && found.last_bin == 4, "bins after a reset");
    refrain_critical_path_close(path);
}

/* A rank that waited long ago, and one that went far ahead since: its path of then is known. */
static void test_far_ahead(void) {
    enum { AHEAD = 2000 };
    struct refrain_critical_path *path = refrain_critical_path_open(2, 10 * AHEAD);
    struct found found = {.until_ns = 0};
    for (int64_t i = 0; i < AHEAD; i++)
        refrain_critical_path_span(path, 0, 10 * i, 10 * i + 10, place((size_t)i % 2));
    refrain_critical_path_wait(path, 1, 0, 100, 0);
    refrain_critical_path_span(path, 1, 100, 200, place(2));
    CHECK(refrain_critical_path_parts(path, 1, 200, count, &found) == 1, "changes behind a rank that is ahead");
    CHECK(found.ns[0][0] == 50 && found.ns[1][0] == 50 && found.ns[2][1] == 100, "parts: %ld, %ld, %ld ns",
          (long)found.ns[0][0], (long)found.ns[1][0], (long)found.ns[2][1]);
    refrain_critical_path_close(path);
}

int main(void) {
    test_reset();
    test_far_ahead();
    test_random();
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
