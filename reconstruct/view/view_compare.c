/* view_compare.c: compares two runs of a program (view_compare.h). */
#include "view/view_compare.h"
#include "commands/command.h"
#include "common/array.h"
#include "common/path.h"
#include "view/view_visits.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STRETCHES 4096u /* for one construct in one location */
#define LEAST_STRETCHES 64u
#define ALL_STRETCHES (1u << 16) /* for one construct in all locations */
#define MOST_ANCHORS 4000u
#define FEW_ANCHORS 16u

struct anchor {
    double ns[2];
};

struct anchors {
    struct anchor *of;
    size_t n, capacity;
};

/* The change of a construct that both runs have, or only one of them. */
struct change {
    int32_t region[2]; /* -1: this run does not have it */
    double own_ns[2], waiting_ns[2], count[2];
    double noise_ns; /* standard error of the change; -1: unknown */
    bool beyond;
    bool has_worst; /* from_ns, to_ns: the time span in each run in which the change is largest */
    double from_ns[2], to_ns[2];
};

struct comparison {
    struct refrain_trace *const *traces;
    struct refrain_visit_table tables[2];
    int32_t *region_of;   /* index in B of each region of A; -1: B does not have it */
    int32_t *location_of; /* index in B of each location of A; -1: B does not have it */
    struct anchors anchors;
    struct change *changes;
    size_t n_changes;
};

/* ---- what is the same in both ---- */

static bool is_alike(const struct refrain_region_info *a, const struct refrain_region_info *b) {
    return a->kind == b->kind && strcmp(a->name, b->name) == 0 &&
           strcmp(refrain_base_name(a->file), refrain_base_name(b->file)) == 0 && strcmp(a->function, b->function) == 0;
}

/* Number of regions of the trace that are alike and come before this one by line. */
static size_t order_among(const struct refrain_trace *trace, const struct refrain_region_info *region) {
    size_t before = 0;
    for (size_t i = 0; i < trace->n_regions; i++) {
        const struct refrain_region_info *other = &trace->regions[i];
        before += is_alike(other, region) &&
                  (other->line < region->line || (other->line == region->line && other->index < region->index));
    }
    return before;
}

static bool match_regions(struct comparison *comparison) {
    const struct refrain_trace *a = comparison->traces[0], *b = comparison->traces[1];
    size_t *order = malloc((b->n_regions + 1) * sizeof *order);
    comparison->region_of = malloc((a->n_regions + 1) * sizeof *comparison->region_of);
    if (!order || !comparison->region_of) {
        free(order);
        return false;
    }
    for (size_t j = 0; j < b->n_regions; j++)
        order[j] = order_among(b, &b->regions[j]);
    for (size_t i = 0; i < a->n_regions; i++) {
        size_t wanted = order_among(a, &a->regions[i]);
        comparison->region_of[i] = -1;
        for (size_t j = 0; j < b->n_regions && comparison->region_of[i] < 0; j++)
            if (order[j] == wanted && is_alike(&a->regions[i], &b->regions[j]))
                comparison->region_of[i] = (int32_t)j;
    }
    free(order);
    return true;
}

static bool match_locations(struct comparison *comparison) {
    const struct refrain_trace *a = comparison->traces[0], *b = comparison->traces[1];
    comparison->location_of = malloc((a->n_locations + 1) * sizeof *comparison->location_of);
    if (!comparison->location_of)
        return false;
    size_t j = 0;
    for (size_t i = 0; i < a->n_locations; i++) {
        const struct refrain_location_info *location = &a->locations[i];
        while (j < b->n_locations &&
               (b->locations[j].rank < location->rank ||
                (b->locations[j].rank == location->rank && b->locations[j].thread < location->thread)))
            j++;
        bool same =
            j < b->n_locations && b->locations[j].rank == location->rank && b->locations[j].thread == location->thread;
        comparison->location_of[i] = same ? (int32_t)j : -1;
    }
    return true;
}

static struct refrain_visits *visits_of(struct comparison *comparison, int run, size_t location, int32_t region) {
    struct refrain_visit_table *table = &comparison->tables[run];
    return &table->visits[location * table->n_regions + (size_t)region];
}

/* Gives the visits of one construct the same stride in all locations that both runs have: the longest one of any
 * location. Returns the largest number of stretches of a location. */
static uint32_t make_even(struct comparison *comparison, int32_t region, int32_t other) {
    uint32_t stride = 1, n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t l = 0; l < comparison->tables[0].n_locations; l++) {
            if (comparison->location_of[l] < 0)
                continue;
            struct refrain_visits *both[] = {visits_of(comparison, 0, l, region),
                                             visits_of(comparison, 1, (size_t)comparison->location_of[l], other)};
            for (int run = 0; run < 2; run++) {
                if (pass == 0 && both[run]->stretches && both[run]->stride > stride)
                    stride = both[run]->stride;
                if (pass == 1) {
                    refrain_visits_widen(both[run], stride);
                    n = both[run]->n > n ? both[run]->n : n;
                }
            }
        }
    return n;
}

/* ---- which moments belong together ---- */

static bool add_anchor(struct anchors *anchors, double a_ns, double b_ns) {
    if (!REFRAIN_ARRAY_ROOM(anchors->of, anchors->n, anchors->capacity))
        return false;
    anchors->of[anchors->n++] = (struct anchor){{a_ns, b_ns}};
    return true;
}

/* True if all locations that have visits of the construct have equally many. Then their n-th visits belong together. */
static bool is_even(struct comparison *comparison, int run, int32_t region) {
    uint64_t count = 0;
    for (size_t l = 0; l < comparison->tables[run].n_locations; l++) {
        const struct refrain_visits *visits = visits_of(comparison, run, l, region);
        if (visits->count && count && visits->count != count)
            return false;
        count = visits->count ? visits->count : count;
    }
    return count > 0;
}

/* The mean time at which a stretch begins in each run, over the locations that have it in both runs. */
static bool moment_of(struct comparison *comparison, int32_t region, int32_t other, uint32_t stretch, double ns[2]) {
    size_t n = 0;
    ns[0] = ns[1] = 0;
    for (size_t l = 0; l < comparison->tables[0].n_locations; l++) {
        if (comparison->location_of[l] < 0)
            continue;
        const struct refrain_visits *a = visits_of(comparison, 0, l, region);
        const struct refrain_visits *b = visits_of(comparison, 1, (size_t)comparison->location_of[l], other);
        if (stretch >= a->n || stretch >= b->n)
            continue;
        ns[0] += a->stretches[stretch].enter_ns;
        ns[1] += b->stretches[stretch].enter_ns;
        n++;
    }
    if (n) {
        ns[0] /= (double)n;
        ns[1] /= (double)n;
    }
    return n > 0;
}

static int by_moment(const void *a, const void *b) {
    const struct anchor *x = a, *y = b;
    if (x->ns[0] != y->ns[0])
        return x->ns[0] < y->ns[0] ? -1 : 1;
    return x->ns[1] < y->ns[1] ? -1 : x->ns[1] > y->ns[1];
}

/* Keeps the longest sequence of anchors that go up in both runs. Drops anchors of parts that the program ran in another
 * order. */
static bool straighten(struct anchors *anchors) {
    size_t n = anchors->n, length = 0;
    qsort(anchors->of, n, sizeof *anchors->of, by_moment);
    size_t *ends = malloc((n + 1) * sizeof *ends), *before = malloc((n + 1) * sizeof *before);
    struct anchor *kept = malloc((n + 1) * sizeof *kept);
    bool memory = ends && before && kept;
    for (size_t i = 0; memory && i < n; i++) {
        size_t low = 0, high = length;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (anchors->of[ends[middle]].ns[1] < anchors->of[i].ns[1])
                low = middle + 1;
            else
                high = middle;
        }
        before[i] = low ? ends[low - 1] : SIZE_MAX;
        ends[low] = i;
        length += low == length;
    }
    if (memory && length) {
        size_t at = ends[length - 1];
        for (size_t i = length; i-- > 0; at = before[at])
            kept[i] = anchors->of[at];
        anchors->n = 0;
        for (size_t i = 0; i < length; i++)
            if (anchors->n == 0 || kept[i].ns[0] > anchors->of[anchors->n - 1].ns[0])
                anchors->of[anchors->n++] = kept[i];
    }
    free(ends);
    free(before);
    free(kept);
    return memory;
}

/* ---- what became slower ---- */

/* The number of standard errors that chance alone exceeds once in twenty times, with n stretches (Student's t). */
static double beyond_errors(size_t n) {
    static const double t[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26};
    return n < 2 ? INFINITY : n - 2 < sizeof t / sizeof *t ? t[n - 2] : n < 21 ? 2.2 : 2.05;
}

static void add_up(struct comparison *comparison, int run, int32_t region, struct change *change) {
    for (size_t l = 0; region >= 0 && l < comparison->tables[run].n_locations; l++) {
        const struct refrain_visits *visits = visits_of(comparison, run, l, region);
        change->count[run] += (double)visits->count;
        for (uint32_t i = 0; i < visits->n; i++) {
            change->own_ns[run] += visits->stretches[i].own_ns;
            change->waiting_ns[run] += visits->stretches[i].waiting_ns;
        }
    }
}

/* Finds the location in which this stretch became slower most, and its time span in both runs. */
static void find_worst(struct comparison *comparison, uint32_t stretch, struct change *change) {
    double worst = -INFINITY;
    for (size_t l = 0; l < comparison->tables[0].n_locations; l++) {
        if (comparison->location_of[l] < 0)
            continue;
        const struct refrain_visits *of[] = {
            visits_of(comparison, 0, l, change->region[0]),
            visits_of(comparison, 1, (size_t)comparison->location_of[l], change->region[1])};
        if (stretch >= of[0]->n || stretch >= of[1]->n)
            continue;
        double more = of[1]->stretches[stretch].own_ns - of[0]->stretches[stretch].own_ns;
        if (more <= worst)
            continue;
        worst = more;
        change->has_worst = true;
        for (int run = 0; run < 2; run++) {
            change->from_ns[run] = of[run]->stretches[stretch].enter_ns;
            change->to_ns[run] =
                stretch + 1 < of[run]->n ? of[run]->stretches[stretch + 1].enter_ns : comparison->tables[run].end_ns;
        }
    }
}

/* Computes how the change varies over stretches and locations, decides whether it is significant, and finds the stretch
 * with the largest increase. */
static void weigh(struct comparison *comparison, uint32_t n_stretches, struct change *change) {
    double sum = 0, squares = 0, worst = 0;
    size_t n = 0;
    uint32_t where = 0;
    for (uint32_t i = 0; i < n_stretches; i++) {
        double more = 0;
        for (size_t l = 0; l < comparison->tables[0].n_locations; l++) {
            if (comparison->location_of[l] < 0)
                continue;
            const struct refrain_visits *a = visits_of(comparison, 0, l, change->region[0]);
            const struct refrain_visits *b =
                visits_of(comparison, 1, (size_t)comparison->location_of[l], change->region[1]);
            if (i >= a->n || i >= b->n)
                continue;
            double of = b->stretches[i].own_ns - a->stretches[i].own_ns;
            more += of;
            sum += of;
            squares += of * of;
            n++;
        }
        if (more > worst) {
            worst = more;
            where = i;
        }
    }
    double variance = n > 1 ? (squares - sum * sum / (double)n) / (double)(n - 1) : 0;
    change->noise_ns = n > 1 ? sqrt(fmax(0, variance) * (double)n) : -1;
    change->beyond = change->count[0] != change->count[1] ||
                     (n > 1 && fabs(change->own_ns[1] - change->own_ns[0]) > beyond_errors(n) * change->noise_ns);
    find_worst(comparison, where, change);
}

/* Compares one construct. -1 as a region: the run does not have it. */
static bool compare_region(struct comparison *comparison, int32_t region, int32_t other) {
    struct change *change = &comparison->changes[comparison->n_changes];
    *change = (struct change){.region = {region, other}, .noise_ns = -1};
    add_up(comparison, 0, region, change);
    add_up(comparison, 1, other, change);
    if (change->count[0] + change->count[1] == 0)
        return true;
    comparison->n_changes++;
    if (region < 0 || other < 0) {
        change->beyond = true;
        return true;
    }
    uint32_t n = make_even(comparison, region, other);
    weigh(comparison, n, change);
    bool memory = true;
    bool even = is_even(comparison, 0, region) && is_even(comparison, 1, other);
    for (uint32_t i = 0; even && memory && i < n; i++) {
        double ns[2];
        if (moment_of(comparison, region, other, i, ns))
            memory = add_anchor(&comparison->anchors, ns[0], ns[1]);
    }
    return memory;
}

/* If no construct has equally many visits in all ranks, uses the visits of the first location. */
static bool add_anchors_of_first(struct comparison *comparison) {
    bool memory = true;
    for (size_t c = 0; memory && c < comparison->n_changes && comparison->location_of[0] >= 0; c++) {
        const int32_t *region = comparison->changes[c].region;
        if (region[0] < 0 || region[1] < 0)
            continue;
        const struct refrain_visits *a = visits_of(comparison, 0, 0, region[0]);
        const struct refrain_visits *b = visits_of(comparison, 1, (size_t)comparison->location_of[0], region[1]);
        for (uint32_t i = 0; memory && i < a->n && i < b->n; i++)
            memory = add_anchor(&comparison->anchors, a->stretches[i].enter_ns, b->stretches[i].enter_ns);
    }
    return memory;
}

static bool compare_all(struct comparison *comparison) {
    size_t n_a = comparison->traces[0]->n_regions, n_b = comparison->traces[1]->n_regions;
    comparison->changes = calloc(n_a + n_b + 1, sizeof *comparison->changes);
    bool *met = calloc(n_b + 1, sizeof *met);
    bool memory = comparison->changes && met;
    for (size_t i = 0; memory && i < n_a; i++) {
        int32_t other = comparison->region_of[i];
        if (other >= 0)
            met[other] = true;
        memory = compare_region(comparison, (int32_t)i, other);
    }
    for (size_t j = 0; memory && j < n_b; j++)
        if (!met[j])
            memory = compare_region(comparison, -1, (int32_t)j);
    free(met);
    if (memory && comparison->anchors.n < FEW_ANCHORS)
        memory = add_anchors_of_first(comparison);
    return memory && add_anchor(&comparison->anchors, 0, 0) &&
           add_anchor(&comparison->anchors, comparison->tables[0].end_ns, comparison->tables[1].end_ns) &&
           straighten(&comparison->anchors);
}

/* ---- JSON ---- */

static json_t *pair_json(double a, double b) {
    return json_pack("[f, f]", a, b);
}

/* The names by which the page finds a region among those of its engine; null if the run does not have it. */
static json_t *region_json(const struct comparison *comparison, int run, int32_t index) {
    static const char *const kinds[] = {[REFRAIN_REGION_FUNCTION] = "function",
                                        [REFRAIN_REGION_MPI] = "mpi",
                                        [REFRAIN_REGION_USER] = "user",
                                        [REFRAIN_REGION_VALUE] = "value",
                                        [REFRAIN_REGION_IO] = "io"};
    if (index < 0)
        return json_null();
    const struct refrain_region_info *region = &comparison->traces[run]->regions[index];
    return json_pack("{s:s, s:o, s:o, s:I, s:o}", "kind", kinds[region->kind], "name", refrain_json_text(region->name),
                     "file", refrain_json_text(region->file), "line", (json_int_t)region->line, "function",
                     refrain_json_text(region->function));
}

static json_t *change_json(const struct comparison *comparison, const struct change *change) {
    json_t *object = json_pack(
        "{s:[o, o], s:o, s:o, s:o, s:f, s:b}", "regions", region_json(comparison, 0, change->region[0]),
        region_json(comparison, 1, change->region[1]), "own", pair_json(change->own_ns[0], change->own_ns[1]),
        "waiting", pair_json(change->waiting_ns[0], change->waiting_ns[1]), "count",
        pair_json(change->count[0], change->count[1]), "noise", change->noise_ns, "beyond", (int)change->beyond);
    if (object && change->has_worst)
        json_object_set_new(
            object, "at",
            json_pack("[[f, f], [f, f]]", change->from_ns[0], change->to_ns[0], change->from_ns[1], change->to_ns[1]));
    return object;
}

static json_t *comparison_json(const struct comparison *comparison) {
    json_t *changes = json_array(), *anchors = json_array();
    for (size_t i = 0; i < comparison->n_changes; i++)
        json_array_append_new(changes, change_json(comparison, &comparison->changes[i]));
    size_t n = comparison->anchors.n, step = n / MOST_ANCHORS + 1;
    for (size_t i = 0; i < n; i += step)
        json_array_append_new(anchors, pair_json(comparison->anchors.of[i].ns[0], comparison->anchors.of[i].ns[1]));
    if (n > 1 && (n - 1) % step != 0)
        json_array_append_new(anchors,
                              pair_json(comparison->anchors.of[n - 1].ns[0], comparison->anchors.of[n - 1].ns[1]));
    return json_pack("{s:[o, o], s:o, s:o}", "paths", refrain_json_text(comparison->traces[0]->path),
                     refrain_json_text(comparison->traces[1]->path), "anchors", anchors, "changes", changes);
}

enum refrain_status refrain_view_compare(struct refrain_trace *const traces[2], json_t **compared,
                                         struct refrain_error *error) {
    struct comparison comparison = {.traces = traces};
    size_t locations =
        traces[0]->n_locations > traces[1]->n_locations ? traces[0]->n_locations : traces[1]->n_locations;
    uint32_t most = MOST_STRETCHES;
    while (most > LEAST_STRETCHES && (uint64_t)most * locations > ALL_STRETCHES)
        most /= 2;
    *compared = NULL;
    enum refrain_status status = refrain_visits_open(traces[0], most, &comparison.tables[0], error);
    if (!status)
        status = refrain_visits_open(traces[1], most, &comparison.tables[1], error);
    if (!status && (!match_regions(&comparison) || !match_locations(&comparison) || !compare_all(&comparison) ||
                    !(*compared = comparison_json(&comparison))))
        status = REFRAIN_FAIL_MEMORY(error);
    refrain_visits_close(&comparison.tables[0]);
    refrain_visits_close(&comparison.tables[1]);
    free(comparison.region_of);
    free(comparison.location_of);
    free(comparison.anchors.of);
    free(comparison.changes);
    return status;
}
