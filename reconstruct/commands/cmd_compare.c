/* cmd_compare.c: refrain compare: exactness, and the spreads of positions and blocks (Yan, Jin and Schmidt, section
 * 4.2). */
#define _GNU_SOURCE
#include "commands/command.h"
#include "commands/event_lines.h"
#include "commands/pairing.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINS 21 /* of a histogram: three standard deviations on both sides of the mean */
#define BAR_CHARACTERS 50

struct arguments {
    const char *sources[2];
    const char *natural;
    bool json, exact;
};

/* ---- the first difference in words ---- */

struct search {
    int32_t rank;
    uint32_t thread;
    uint64_t index, at;
    char *found;
};

static bool search_line(void *data, const struct refrain_event_line *line) {
    struct search *search = data;
    if (line->rank != search->rank || line->thread != search->thread)
        return true;
    if (search->at++ == search->index)
        search->found = strdup(line->fields);
    return true;
}

static char *event_text(const char *source, const struct refrain_pair_location *location) {
    struct search search = {location->rank, location->thread, location->first_difference, 0, NULL};
    refrain_event_lines(source, search_line, &search, NULL);
    return search.found;
}

/* ---- output ---- */

static const char *percent(uint64_t part, uint64_t of) {
    static char text[32];
    if (part == of)
        return "100 %";
    snprintf(text, sizeof text, "%.4f %%", of ? 100.0 * (double)part / (double)of : 100.0);
    return text;
}

static void print_spread(const char *name, const struct refrain_spread *spread) {
    printf("  %-9s spread %11.6f ms, mean %+11.6f ms, from %+.6f to %+.6f ms\n", name,
           refrain_spread_width(spread) / 1e6, (double)spread->mean / 1e6, (double)spread->least / 1e6,
           (double)spread->most / 1e6);
}

static double share(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

static void print_errors(const struct refrain_pair_sum *sum) {
    const struct refrain_time_error *position = &sum->position_error, *block = &sum->block_error;
    double run_ns = (double)sum->run_ns;
    printf(
        "  errors    position at most %.6f ms (%.6f %% of the run), root mean square %.6f ms (%.6f %%); block at most "
        "%.6f ms, root mean square %.6f ms\n",
        (double)position->largest_ns / 1e6, share((double)position->largest_ns, run_ns),
        refrain_time_error_rms(position) / 1e6, share(refrain_time_error_rms(position), run_ns),
        (double)block->largest_ns / 1e6, refrain_time_error_rms(block) / 1e6);
    printf("            %.4f %% of events within 1 microsecond\n",
           share((double)position->within_1us, (double)position->n));
}

/* The region whose total time differs most; null if none differs. */
static const struct refrain_pair_region *worst_region(const struct refrain_pairing *pairing) {
    const struct refrain_pair_region *worst = NULL;
    for (size_t i = 0; i < pairing->n_regions; i++) {
        const struct refrain_pair_region *region = &pairing->regions[i];
        if (region->more_ns && (!worst || llabs(region->more_ns) > llabs(worst->more_ns)))
            worst = region;
    }
    return worst;
}

static void print_regions(const struct refrain_pairing *pairing) {
    const struct refrain_pair_region *worst = worst_region(pairing);
    if (worst)
        printf("  totals of %zu regions, most different: %s by %+.6f ms of %.6f ms (%.6f %%)\n", pairing->n_regions,
               worst->name, (double)worst->more_ns / 1e6, (double)worst->total_ns / 1e6,
               share((double)llabs(worst->more_ns), fabs((double)worst->total_ns)));
    else if (pairing->n_regions)
        printf("  totals of all %zu regions are equal\n", pairing->n_regions);
}

static void print_histogram(const char *title, const struct refrain_histogram *histogram,
                            const struct refrain_spread *spread) {
    uint64_t bins[BINS], most = 1;
    refrain_histogram_read(histogram, spread, bins, BINS);
    for (int i = 0; i < BINS; i++)
        if (bins[i] > most)
            most = bins[i];
    printf("\n%s (ms: events)\n", title);
    for (int i = 0; i < BINS; i++) {
        double middle = (double)spread->mean + refrain_spread_sigma(spread) * (6.0 * (i + 0.5) / BINS - 3);
        int length = (int)((double)bins[i] / (double)most * BAR_CHARACTERS + 0.999);
        printf("%+13.6f %10" PRIu64 " %.*s\n", middle / 1e6, bins[i], bins[i] ? length : 0,
               "##################################################");
    }
}

static void print_difference(const char *const sources[2], const struct refrain_pair_location *location) {
    printf("  first difference at event %" PRIu64 ":\n", location->first_difference + 1);
    for (int side = 0; side < 2; side++) {
        char *text = event_text(sources[side], location);
        for (char *p = text; p && *p; p++)
            if (*p == '\t')
                *p = ' ';
        printf("    %s: %s\n", sources[side], text ? text : "no more events");
        free(text);
    }
}

static void print_equal(const struct refrain_pair_sum *sum) {
    printf(": %s of %s events equal (%s)", refrain_show_count(sum->equal),
           refrain_show_count(refrain_pair_compared(sum)), percent(sum->equal, refrain_pair_compared(sum)));
}

static double quality(const struct refrain_spread *natural, const struct refrain_spread *spread) {
    return refrain_spread_width(natural) / fmax(refrain_spread_width(spread), 1e-9);
}

/* True if both names mean the same trace, read in the same way. */
static bool is_one_trace(const char *const sources[2]) {
    size_t n = strcspn(sources[0], ":");
    return n == strcspn(sources[1], ":") && strncmp(sources[0], sources[1], n) == 0;
}

static void print_text(const char *const sources[2], const struct refrain_pairing *pairing,
                       const struct refrain_pair_sum *natural) {
    const struct refrain_pair_sum *total = &pairing->total;
    size_t printed = 0;
    for (size_t i = 0; i < pairing->n; i++) {
        const struct refrain_pair_location *location = &pairing->locations[i];
        printf("rank %d", location->rank);
        if (location->thread)
            printf(" thread %u", location->thread);
        print_equal(&location->sum);
        putchar('\n');
        if (location->sum.differing && printed++ < 4)
            print_difference(sources, location);
        print_spread("position", &location->sum.position);
        print_spread("block", &location->sum.block);
        print_errors(&location->sum);
    }
    printf("\nin all");
    print_equal(total);
    printf(", %zu of %zu locations differ\n", total->differing, pairing->n);
    print_spread("position", &total->position);
    print_spread("block", &total->block);
    print_errors(total);
    print_regions(pairing);
    if (!is_one_trace(sources) && !natural)
        puts("  if these are two runs, the machine's noise is in all of this: --natural, with a third one, says how "
             "much");
    if (pairing->approximate[0] || pairing->approximate[1])
        printf("  approximate events: %s and %s\n", refrain_show_count(pairing->approximate[0]),
               refrain_show_count(pairing->approximate[1]));
    if (natural)
        printf("  quality (natural spread / spread): position %.3f of %.6f ms, block %.3f of %.6f ms\n",
               quality(&natural->position, &total->position), refrain_spread_width(&natural->position) / 1e6,
               quality(&natural->block, &total->block), refrain_spread_width(&natural->block) / 1e6);
    print_histogram("positions", &pairing->position, &total->position);
    print_histogram("block changes", &pairing->block, &total->block);
}

/* `histogram` may be null. */
static json_t *spread_json(const struct refrain_spread *spread, const struct refrain_histogram *histogram) {
    double sigma = refrain_spread_sigma(spread);
    json_t *object = json_object();
    json_object_set_new(object, "pairs", json_integer((json_int_t)spread->n));
    json_object_set_new(object, "spread_ns", json_real(refrain_spread_width(spread)));
    json_object_set_new(object, "sigma_ns", json_real(sigma));
    json_object_set_new(object, "mean_ns", json_real((double)spread->mean));
    json_object_set_new(object, "minimum_ns", json_integer(spread->least));
    json_object_set_new(object, "maximum_ns", json_integer(spread->most));
    if (histogram) {
        uint64_t bins[BINS];
        json_t *counts = json_array();
        refrain_histogram_read(histogram, spread, bins, BINS);
        for (int i = 0; i < BINS; i++)
            json_array_append_new(counts, json_integer((json_int_t)bins[i]));
        json_object_set_new(object, "histogram_from_ns", json_real((double)spread->mean - 3 * sigma));
        json_object_set_new(object, "histogram_bin_ns", json_real(6 * sigma / BINS));
        json_object_set_new(object, "histogram", counts);
    }
    return object;
}

static json_t *error_json(const struct refrain_time_error *error) {
    json_t *object = json_object();
    json_object_set_new(object, "largest_ns", json_integer(error->largest_ns));
    json_object_set_new(object, "rms_ns", json_real(refrain_time_error_rms(error)));
    json_object_set_new(object, "within_1us", json_integer((json_int_t)error->within_1us));
    return object;
}

/* Adds the histograms of `pairing`, unless it is null. */
static json_t *sum_json(const struct refrain_pair_sum *sum, const struct refrain_pairing *pairing) {
    json_t *object = json_object();
    json_object_set_new(object, "events_a", json_integer((json_int_t)sum->events[0]));
    json_object_set_new(object, "events_b", json_integer((json_int_t)sum->events[1]));
    json_object_set_new(object, "compared", json_integer((json_int_t)refrain_pair_compared(sum)));
    json_object_set_new(object, "equal", json_integer((json_int_t)sum->equal));
    json_object_set_new(object, "exact", json_boolean(sum->differing == 0));
    json_object_set_new(object, "run_ns", json_integer(sum->run_ns));
    json_object_set_new(object, "position_error", error_json(&sum->position_error));
    json_object_set_new(object, "block_error", error_json(&sum->block_error));
    json_object_set_new(object, "position", spread_json(&sum->position, pairing ? &pairing->position : NULL));
    json_object_set_new(object, "block", spread_json(&sum->block, pairing ? &pairing->block : NULL));
    return object;
}

static enum refrain_status print_json(const struct refrain_pairing *pairing, const struct refrain_pair_sum *natural,
                                      struct refrain_error *error) {
    json_t *object = sum_json(&pairing->total, pairing), *locations = json_array();
    json_object_set_new(object, "approximate_a", json_integer((json_int_t)pairing->approximate[0]));
    json_object_set_new(object, "approximate_b", json_integer((json_int_t)pairing->approximate[1]));
    for (size_t i = 0; i < pairing->n; i++) {
        const struct refrain_pair_location *location = &pairing->locations[i];
        json_t *part = sum_json(&location->sum, NULL);
        json_object_set_new(part, "rank", json_integer(location->rank));
        json_object_set_new(part, "thread", json_integer(location->thread));
        if (location->sum.differing)
            json_object_set_new(part, "first_difference", json_integer((json_int_t)location->first_difference));
        json_array_append_new(locations, part);
    }
    json_object_set_new(object, "locations", locations);
    json_t *regions = json_array();
    for (size_t i = 0; i < pairing->n_regions; i++) {
        json_t *region = json_object();
        json_object_set_new(region, "name", refrain_json_text(pairing->regions[i].name));
        json_object_set_new(region, "total_ns", json_integer(pairing->regions[i].total_ns));
        json_object_set_new(region, "difference_ns", json_integer(pairing->regions[i].more_ns));
        json_array_append_new(regions, region);
    }
    json_object_set_new(object, "regions", regions);
    if (natural) {
        json_object_set_new(object, "natural", sum_json(natural, NULL));
        json_object_set_new(object, "quality_position",
                            json_real(quality(&natural->position, &pairing->total.position)));
        json_object_set_new(object, "quality_block", json_real(quality(&natural->block, &pairing->total.block)));
    }
    return refrain_print_json(object, error);
}

/* ---- command line ---- */

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (state->arg_num < 2)
            arguments->sources[state->arg_num] = value;
        else
            argp_error(state, "two traces are compared, and %s is a third one", value);
        return 0;
    case ARGP_KEY_END:
        if (!arguments->sources[0])
            argp_error(state, "no trace given");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum refrain_status compare(const struct arguments *arguments, const char *const sources[2],
                                   struct refrain_error *error) {
    struct refrain_pairing pairing = {0}, again = {0};
    enum refrain_status status = refrain_pairing_read(sources[0], sources[1], &pairing, error);
    if (!status && arguments->natural)
        status = refrain_pairing_read(sources[0], arguments->natural, &again, error);
    const struct refrain_pair_sum *natural = arguments->natural ? &again.total : NULL;
    if (!status && pairing.n == 0)
        status = REFRAIN_FAIL(error, "%s and %s: no events to compare", sources[0], sources[1]);
    if (!status && arguments->json)
        status = print_json(&pairing, natural, error);
    else if (!status)
        print_text(sources, &pairing, natural);
    if (!status && arguments->exact && pairing.total.differing)
        status =
            refrain_error_set(error, REFRAIN_DIFFERS, __FILE__, __LINE__, "%s and %s differ on %zu of %zu locations",
                              sources[0], sources[1], pairing.total.differing, pairing.n);
    refrain_pairing_free(&pairing);
    refrain_pairing_free(&again);
    return status;
}

static const struct refrain_option options[] = {
    {"exact", 0, NULL, "Exit with status 3 unless all events are equal in every field except time", 0,
     REFRAIN_FLAG(exact)},
    {"json", 'j', NULL, "Print JSON", 0, REFRAIN_FLAG(json)},
    {"natural", 0, "C", "Another recording of A's program: quality is the spread of A and C over that of A and B", 0,
     REFRAIN_TEXT(natural)},
    {0}};

static const char doc[] =
    "Says how close two sequences of events are: in fields, in position, in duration.\v"
    "A and B are traces or text that refrain reconstruct or refrain events wrote. TRACE:events is what the trace "
    "recorded, TRACE:stat what is reconstructed from it, TRACE:unaligned the same before times of different ranks are "
    "made consistent; TRACE alone is the first of these that it holds. With one "
    "trace only, its recording is compared with its reconstruction.\n\n"
    "The i-th event of a rank is paired with the i-th of the other. Position is how far B's event is after A's; "
    "block is how much longer the time to the next event is. Spread is 2 sqrt(ln 2) times the standard deviation "
    "(Yan, Jin and Schmidt, section 4.2). No two runs of a program take the same time: of different runs all figures "
    "hold what the machine makes them differ by, of one run they do not. --natural says how much that is, by another "
    "recording of A's program.";

static const struct argp argp = {.parser = parse_option, .args_doc = "A [B]", .doc = doc};

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {0};
    refrain_command_parse(&refrain_command_compare, argc, argv, &arguments);
    if (arguments.sources[1])
        return compare(&arguments, arguments.sources, error);
    char *names[2] = {NULL, NULL};
    enum refrain_status status = asprintf(&names[0], "%s:events", arguments.sources[0]) < 0 ||
                                         asprintf(&names[1], "%s:stat", arguments.sources[0]) < 0
                                     ? REFRAIN_FAIL_MEMORY(error)
                                     : compare(&arguments, (const char *const[2]){names[0], names[1]}, error);
    free(names[0]);
    free(names[1]);
    return status;
}

const struct refrain_command refrain_command_compare = {
    .name = "compare",
    .summary = "how close two runs or two traces of one run are",
    .argp = &argp,
    .options = options,
    .run = run,
    .flags = REFRAIN_COMMAND_PAGED,
    .examples = "  refrain compare app-*.refrain            # of a run with REFRAIN_MODE=both\n"
                "  refrain compare --exact a.text b.text    # status 3: not only times differ\n",
};
