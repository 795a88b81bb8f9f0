/* delay_path.c: adds up the critical path of a run by place and rank, and by bin (delays.h). */
#include "analysis/delay_parts.h"

#include <stdlib.h>

/* By bin: (rank, place) -> nanoseconds. */
struct path_sum {
    struct refrain_delays *delays;
    struct refrain_table bins[REFRAIN_DELAY_BINS];
    bool no_memory;
};

static void add_to_path(void *data, struct refrain_delay_place *place, int32_t rank, size_t bin, int64_t ns) {
    struct path_sum *sum = data;
    struct refrain_table *table = &sum->bins[bin < REFRAIN_DELAY_BINS ? bin : REFRAIN_DELAY_BINS - 1];
    if (place)
        place->path_ns[rank] += ns;
    else
        sum->delays->path_unknown_ns += ns;
    uintptr_t before_ns = refrain_table_number(table, (uint64_t)rank, (uintptr_t)place);
    sum->no_memory |= !refrain_table_put(table, (uint64_t)rank, (uintptr_t)place, before_ns + (uintptr_t)ns);
}

/* Finds the rank with most of the path in the bin, and its place. */
static void set_path_bin(struct refrain_delay_path_bin *bin, const struct refrain_table *table, int64_t *by_rank_ns) {
    const struct refrain_table_slot *slot = NULL;
    bin->rank = -1;
    while ((slot = refrain_table_next(table, slot))) {
        by_rank_ns[slot->a] += (int64_t)slot->number;
        bin->path_ns += (int64_t)slot->number;
    }
    while ((slot = refrain_table_next(table, slot)))
        if (by_rank_ns[slot->a] > bin->rank_ns ||
            (by_rank_ns[slot->a] == bin->rank_ns && (int32_t)slot->a < bin->rank)) {
            bin->rank_ns = by_rank_ns[slot->a];
            bin->rank = (int32_t)slot->a;
        }
    while ((slot = refrain_table_next(table, slot))) {
        by_rank_ns[slot->a] = 0;
        if ((int32_t)slot->a == bin->rank && (int64_t)slot->number > bin->place_ns) {
            bin->place_ns = (int64_t)slot->number;
            bin->place = (const struct refrain_delay_place *)(uintptr_t)slot->b;
        }
    }
}

/* False without memory. */
static bool set_path(struct refrain_delays *delays, struct path_sum *sum) {
    int64_t *by_rank_ns = calloc(delays->n_ranks + 1, sizeof *by_rank_ns);
    for (size_t bin = 0; bin < REFRAIN_DELAY_BINS; bin++) {
        if (by_rank_ns)
            set_path_bin(&delays->path_bins[bin], &sum->bins[bin], by_rank_ns);
        refrain_table_close(&sum->bins[bin]);
    }
    bool done = by_rank_ns && !sum->no_memory;
    free(by_rank_ns);
    return done;
}

bool refrain_delay_find_path(struct refrain_delays *delays) {
    struct refrain_delay_parts *parts = delays->parts;
    struct path_sum sum = {.delays = delays};
    for (size_t i = 0; i < delays->n_ranks; i++)
        if (delays->ranks[i].known &&
            (delays->path_rank < 0 || delays->ranks[i].end_ns > delays->ranks[delays->path_rank].end_ns))
            delays->path_rank = (int32_t)i;
    if (delays->path_rank >= 0)
        delays->path_changes =
            refrain_critical_path_parts(parts->path, delays->path_rank, delays->to_ns, add_to_path, &sum);
    bool done = set_path(delays, &sum);
    refrain_delay_follow_computing(delays, NULL, delays->to_ns);
    if (delays->to_ns > parts->computing_from_ns)
        delays->at_a_time_ns[parts->n_computing] += delays->to_ns - parts->computing_from_ns;
    return done && !refrain_critical_path_failed(parts->path);
}
