/* cmd_compare.c: refrain compare: exactness, and the spreads of positions and blocks (Yan, Jin and Schmidt, section
 * 4.2). The i-th event of one is paired with the i-th of the other, location by location. */
#define _GNU_SOURCE
#include "command.h"
#include "event_lines.h"

#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINS 21 /* of a histogram, over three standard deviations to both sides of the mean */
#define BAR_CHARACTERS 50

struct arguments {
    const char *sources[2];
    const char *natural;
    bool json, exact;
};

/* ---- what is kept of the events ---- */

struct pair_part {
    uint64_t hash; /* of all fields but time */
    int64_t time_ns;
};

struct location {
    int32_t rank;
    uint32_t thread;
    struct pair_part *events[2];
    size_t n[2], capacity[2];
};

struct collection {
    struct location *locations; /* by rank and thread */
    size_t n, capacity;
    size_t last;   /* the location of the event before */
    unsigned side; /* which source is being read */
    uint64_t approximate[2];
};

static struct location *find_location(struct collection *all, int32_t rank, uint32_t thread) {
    if (all->last < all->n && all->locations[all->last].rank == rank && all->locations[all->last].thread == thread)
        return &all->locations[all->last];
    size_t low = 0, high = all->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct location *at = &all->locations[middle];
        if (at->rank < rank || (at->rank == rank && at->thread < thread))
            low = middle + 1;
        else
            high = middle;
    }
    all->last = low;
    if (low < all->n && all->locations[low].rank == rank && all->locations[low].thread == thread)
        return &all->locations[low];
    if (all->n == all->capacity) {
        size_t capacity = all->capacity ? all->capacity * 2 : 64;
        struct location *locations = realloc(all->locations, capacity * sizeof *locations);
        if (!locations)
            return NULL;
        all->locations = locations;
        all->capacity = capacity;
    }
    memmove(&all->locations[low + 1], &all->locations[low], (all->n - low) * sizeof *all->locations);
    all->n++;
    all->locations[low] = (struct location){.rank = rank, .thread = thread};
    return &all->locations[low];
}

static bool collect(void *data, const struct refrain_event_line *line) {
    struct collection *all = data;
    unsigned side = all->side;
    struct location *location = find_location(all, line->rank, line->thread);
    if (!location)
        return false;
    if (location->n[side] == location->capacity[side]) {
        size_t capacity = location->capacity[side] ? location->capacity[side] * 2 : 1024;
        struct pair_part *events = realloc(location->events[side], capacity * sizeof *events);
        if (!events)
            return false;
        location->events[side] = events;
        location->capacity[side] = capacity;
    }
    uint64_t hash = 14695981039346656037u;
    for (const char *p = line->fields; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 1099511628211u;
    location->events[side][location->n[side]++] = (struct pair_part){hash, line->time_ns};
    all->approximate[side] += line->approximate;
    return true;
}

static void free_collection(struct collection *all) {
    for (size_t i = 0; i < all->n; i++) {
        free(all->locations[i].events[0]);
        free(all->locations[i].events[1]);
    }
    free(all->locations);
}

static enum refrain_status read_both(const char *a, const char *b, struct collection *all,
                                     struct refrain_error *error) {
    enum refrain_status status = refrain_event_lines(a, collect, all, error);
    all->side = 1;
    return status ? status : refrain_event_lines(b, collect, all, error);
}

/* ---- spreads ---- */

struct spread {
    uint64_t n;
    long double mean, squares; /* Welford */
    int64_t least, most;
};

static void spread_add(struct spread *spread, int64_t value) {
    if (spread->n == 0 || value < spread->least)
        spread->least = value;
    if (spread->n == 0 || value > spread->most)
        spread->most = value;
    spread->n++;
    long double delta = (long double)value - spread->mean;
    spread->mean += delta / (long double)spread->n;
    spread->squares += delta * ((long double)value - spread->mean);
}

static double sigma(const struct spread *spread) {
    return spread->n > 1 ? sqrt((double)(spread->squares / (long double)spread->n)) : 0;
}

/* Full width at 1/e of the height, for a normal distribution: 2 sqrt(ln 2) sigma, as the paper has it. */
static double width(const struct spread *spread) {
    return 2 * sqrt(log(2)) * sigma(spread);
}

struct comparison {
    uint64_t events[2], compared, equal;
    size_t differing; /* locations */
    struct spread position, block;
};

static int64_t position(const struct location *location, size_t i) {
    return location->events[1][i].time_ns - location->events[0][i].time_ns;
}

static int64_t block_change(const struct location *location, size_t i) {
    return position(location, i + 1) - position(location, i);
}

static size_t pairs_of(const struct location *location) {
    return location->n[0] < location->n[1] ? location->n[0] : location->n[1];
}

/* Index of the first pair that differs; the number of pairs when none does. */
static size_t first_difference(const struct location *location) {
    size_t i = 0, n = pairs_of(location);
    while (i < n && location->events[0][i].hash == location->events[1][i].hash)
        i++;
    return i;
}

static void add_location(struct comparison *comparison, const struct location *location) {
    size_t n = pairs_of(location);
    for (size_t i = 0; i < n; i++) {
        comparison->equal += location->events[0][i].hash == location->events[1][i].hash;
        spread_add(&comparison->position, position(location, i));
        if (i + 1 < n)
            spread_add(&comparison->block, block_change(location, i));
    }
    comparison->events[0] += location->n[0];
    comparison->events[1] += location->n[1];
    comparison->compared += location->n[0] > location->n[1] ? location->n[0] : location->n[1];
    comparison->differing += first_difference(location) < n || location->n[0] != location->n[1];
}

static void fill_histogram(const struct collection *all, const struct spread *spread, bool blocks,
                           uint64_t bins[BINS]) {
    double from = (double)spread->mean - 3 * sigma(spread), bin_width = 6 * sigma(spread) / BINS;
    memset(bins, 0, BINS * sizeof *bins);
    for (size_t l = 0; l < all->n; l++) {
        const struct location *location = &all->locations[l];
        size_t n = pairs_of(location);
        for (size_t i = 0; i + blocks < n; i++) {
            int64_t value = blocks ? block_change(location, i) : position(location, i);
            double bin = bin_width > 0 ? ((double)value - from) / bin_width : BINS / 2;
            bins[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : (int)bin]++;
        }
    }
}

/* ---- the first difference in words ---- */

struct search {
    int32_t rank;
    uint32_t thread;
    size_t index, at;
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

static char *event_text(const char *source, const struct location *location, size_t index) {
    struct search search = {location->rank, location->thread, index, 0, NULL};
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

static void print_spread(const char *name, const struct spread *spread) {
    printf("  %-9s spread %11.6f ms, mean %+11.6f ms, from %+.6f to %+.6f ms\n", name, width(spread) / 1e6,
           (double)spread->mean / 1e6, (double)spread->least / 1e6, (double)spread->most / 1e6);
}

static void print_histogram(const char *title, const struct collection *all, const struct spread *spread, bool blocks) {
    uint64_t bins[BINS], most = 1;
    fill_histogram(all, spread, blocks, bins);
    for (int i = 0; i < BINS; i++)
        if (bins[i] > most)
            most = bins[i];
    printf("\n%s (ms: events)\n", title);
    for (int i = 0; i < BINS; i++) {
        double middle = (double)spread->mean + sigma(spread) * (6.0 * (i + 0.5) / BINS - 3);
        int length = (int)((double)bins[i] / (double)most * BAR_CHARACTERS + 0.999);
        printf("%+13.6f %10" PRIu64 " %.*s\n", middle / 1e6, bins[i], bins[i] ? length : 0,
               "##################################################");
    }
}

static void print_difference(const char *const sources[2], const struct location *location) {
    size_t at = first_difference(location);
    printf("  first difference at event %zu:\n", at + 1);
    for (int side = 0; side < 2; side++) {
        char *text = event_text(sources[side], location, at);
        for (char *p = text; p && *p; p++)
            if (*p == '\t')
                *p = ' ';
        printf("    %s: %s\n", sources[side], text ? text : "no more events");
        free(text);
    }
}

static void print_text(const char *const sources[2], const struct collection *all, const struct comparison *total,
                       const struct comparison *natural) {
    size_t told = 0;
    for (size_t i = 0; i < all->n; i++) {
        const struct location *location = &all->locations[i];
        struct comparison one = {0};
        add_location(&one, location);
        printf("rank %d", location->rank);
        if (location->thread)
            printf(" thread %u", location->thread);
        printf(": %s of %s events equal (%s)\n", refrain_show_count(one.equal), refrain_show_count(one.compared),
               percent(one.equal, one.compared));
        if (one.differing && told++ < 4)
            print_difference(sources, location);
        print_spread("position", &one.position);
        print_spread("block", &one.block);
    }
    printf("\nin all: %s of %s events equal (%s), %zu of %zu locations differ\n", refrain_show_count(total->equal),
           refrain_show_count(total->compared), percent(total->equal, total->compared), total->differing, all->n);
    print_spread("position", &total->position);
    print_spread("block", &total->block);
    if (all->approximate[0] || all->approximate[1])
        printf("  approximate events: %s and %s\n", refrain_show_count(all->approximate[0]),
               refrain_show_count(all->approximate[1]));
    if (natural)
        printf("  quality (natural spread / spread): position %.3f of %.6f ms, block %.3f of %.6f ms\n",
               width(&natural->position) / width(&total->position), width(&natural->position) / 1e6,
               width(&natural->block) / width(&total->block), width(&natural->block) / 1e6);
    print_histogram("positions", all, &total->position, false);
    print_histogram("block changes", all, &total->block, true);
}

static json_t *spread_json(const struct spread *spread, const struct collection *all, bool blocks) {
    json_t *object = json_object();
    json_object_set_new(object, "pairs", json_integer((json_int_t)spread->n));
    json_object_set_new(object, "spread_ns", json_real(width(spread)));
    json_object_set_new(object, "sigma_ns", json_real(sigma(spread)));
    json_object_set_new(object, "mean_ns", json_real((double)spread->mean));
    json_object_set_new(object, "minimum_ns", json_integer(spread->least));
    json_object_set_new(object, "maximum_ns", json_integer(spread->most));
    if (all) {
        uint64_t bins[BINS];
        json_t *counts = json_array();
        fill_histogram(all, spread, blocks, bins);
        for (int i = 0; i < BINS; i++)
            json_array_append_new(counts, json_integer((json_int_t)bins[i]));
        json_object_set_new(object, "histogram_from_ns", json_real((double)spread->mean - 3 * sigma(spread)));
        json_object_set_new(object, "histogram_bin_ns", json_real(6 * sigma(spread) / BINS));
        json_object_set_new(object, "histogram", counts);
    }
    return object;
}

static json_t *comparison_json(const struct comparison *comparison, const struct collection *all) {
    json_t *object = json_object();
    json_object_set_new(object, "events_a", json_integer((json_int_t)comparison->events[0]));
    json_object_set_new(object, "events_b", json_integer((json_int_t)comparison->events[1]));
    json_object_set_new(object, "compared", json_integer((json_int_t)comparison->compared));
    json_object_set_new(object, "equal", json_integer((json_int_t)comparison->equal));
    json_object_set_new(object, "exact", json_boolean(comparison->differing == 0));
    json_object_set_new(object, "position", spread_json(&comparison->position, all, false));
    json_object_set_new(object, "block", spread_json(&comparison->block, all, true));
    return object;
}

static enum refrain_status print_json(const struct collection *all, const struct comparison *total,
                                      const struct comparison *natural, struct refrain_error *error) {
    json_t *object = comparison_json(total, all), *locations = json_array();
    json_object_set_new(object, "approximate_a", json_integer((json_int_t)all->approximate[0]));
    json_object_set_new(object, "approximate_b", json_integer((json_int_t)all->approximate[1]));
    for (size_t i = 0; i < all->n; i++) {
        const struct location *location = &all->locations[i];
        struct comparison one = {0};
        add_location(&one, location);
        json_t *part = comparison_json(&one, NULL);
        json_object_set_new(part, "rank", json_integer(location->rank));
        json_object_set_new(part, "thread", json_integer(location->thread));
        if (one.differing)
            json_object_set_new(part, "first_difference", json_integer((json_int_t)first_difference(location)));
        json_array_append_new(locations, part);
    }
    json_object_set_new(object, "locations", locations);
    if (natural) {
        json_object_set_new(object, "natural", comparison_json(natural, NULL));
        json_object_set_new(object, "quality_position",
                            json_real(width(&natural->position) / fmax(width(&total->position), 1e-9)));
        json_object_set_new(object, "quality_block",
                            json_real(width(&natural->block) / fmax(width(&total->block), 1e-9)));
    }
    int result = json_dumpf(object, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(object);
    return result ? REFRAIN_FAIL_MEMORY(error) : REFRAIN_OK;
}

/* ---- command line ---- */

enum { OPTION_NATURAL = 256, OPTION_EXACT };

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case 'j':
        arguments->json = true;
        return 0;
    case OPTION_NATURAL:
        arguments->natural = value;
        return 0;
    case OPTION_EXACT:
        arguments->exact = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num >= 2)
            return ARGP_ERR_UNKNOWN;
        arguments->sources[state->arg_num] = value;
        return 0;
    case ARGP_KEY_END:
        if (!arguments->sources[0])
            argp_error(state, "nothing to compare given");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum refrain_status compare(const struct arguments *arguments, const char *const sources[2],
                                   struct refrain_error *error) {
    struct collection all = {0}, again = {0};
    struct comparison total = {0}, natural = {0};
    enum refrain_status status = read_both(sources[0], sources[1], &all, error);
    for (size_t i = 0; i < all.n; i++)
        add_location(&total, &all.locations[i]);
    if (!status && arguments->natural) {
        status = read_both(sources[0], arguments->natural, &again, error);
        for (size_t i = 0; i < again.n; i++)
            add_location(&natural, &again.locations[i]);
    }
    if (!status && all.n == 0)
        status = REFRAIN_FAIL(error, "%s and %s: no events to compare", sources[0], sources[1]);
    if (!status && arguments->json)
        status = print_json(&all, &total, arguments->natural ? &natural : NULL, error);
    else if (!status)
        print_text(sources, &all, &total, arguments->natural ? &natural : NULL);
    if (!status && arguments->exact && total.differing)
        status = REFRAIN_FAIL(error, "%s and %s differ on %zu of %zu locations", sources[0], sources[1],
                              total.differing, all.n);
    free_collection(&all);
    free_collection(&again);
    return status;
}

enum refrain_status refrain_cmd_compare(int argc, char **argv, struct refrain_error *error) {
    static const struct argp_option options[] = {
        {"exact", OPTION_EXACT, NULL, 0, "Status 1 unless all events are equal in every field but time", 0},
        {"json", 'j', NULL, 0, "Print JSON", 0},
        {"natural", OPTION_NATURAL, "C", 0, "Another recording: quality is the spread of A and C over that of A and B",
         0},
        {0}};
    static const struct argp argp = {
        options,
        parse_option,
        "A [B]",
        "Says how close two sequences of events are: in fields, in position, in duration.\v"
        "A and B are traces or text that refrain reconstruct or refrain events wrote. TRACE:events is what the trace "
        "recorded, TRACE:stat what is reconstructed from it; TRACE alone is the first of these that it holds. With one "
        "trace only, its recording is compared with its reconstruction.\n\n"
        "The i-th event of a rank is paired with the i-th of the other. Position is how far B's event is after A's; "
        "block is how much longer the time to the next event is. Spread is 2 sqrt(ln 2) times the standard deviation "
        "(Yan, Jin and Schmidt, section 4.2).",
        NULL,
        NULL,
        NULL};
    struct arguments arguments = {0};
    argp_err_exit_status = REFRAIN_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
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
