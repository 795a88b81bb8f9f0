/* view_colours.c: groups of regions and their colours (view_colours.h). */
#define _GNU_SOURCE
#include "view_colours.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum category {
    CATEGORY_SEND,
    CATEGORY_RECEIVE,
    CATEGORY_WAIT,
    CATEGORY_COLLECTIVE,
    CATEGORY_OTHER,
    CATEGORY_FUNCTION
};
#define CATEGORIES (CATEGORY_FUNCTION + 1)

/* MPI is warm, the program's own functions are cool. */
static const char *const colours[CATEGORIES][17] = {
    [CATEGORY_SEND] = {"#d55e00", "#e8813a", "#b34a00"},
    [CATEGORY_RECEIVE] = {"#cc79a7", "#b0558a", "#e0a3c4"},
    [CATEGORY_WAIT] = {"#f0e442", "#d9c92f", "#fff08a"},
    [CATEGORY_COLLECTIVE] = {"#e69f00", "#f6c04d", "#c47f00", "#ffd98a", "#a86a00"},
    [CATEGORY_OTHER] = {"#9a8f86", "#b8aea5", "#7d736b"},
    [CATEGORY_FUNCTION] = {"#56b4e9", "#009e73", "#0072b2", "#88ccee", "#44aa99", "#6f8fd6", "#117733", "#7fb8a4",
                           "#332288", "#9ecae1", "#5b8c5a", "#4a6fa5", "#a6d3c8", "#7396b8", "#2f7f86", "#b7c9e2"}};

static bool holds(const char *name, const char *part) {
    return strcasestr(name, part) != NULL;
}

static enum category category_of(const struct refrain_region_info *region) {
    const char *name = region->name;
    if (region->kind != REFRAIN_REGION_MPI)
        return CATEGORY_FUNCTION;
    if (strncasecmp(name, "MPI_Wait", 8) == 0 || strncasecmp(name, "MPI_Test", 8) == 0 ||
        strncasecmp(name, "MPI_Request", 11) == 0)
        return CATEGORY_WAIT;
    static const char *const collective[] = {"barrier", "reduce", "bcast", "gather", "scatter", "alltoall", "scan"};
    if (region->collective[0])
        return CATEGORY_COLLECTIVE;
    for (size_t i = 0; i < sizeof collective / sizeof *collective; i++)
        if (holds(name, collective[i]))
            return CATEGORY_COLLECTIVE;
    if ((holds(name, "recv") || holds(name, "probe")) && !holds(name, "sendrecv"))
        return CATEGORY_RECEIVE;
    return holds(name, "send") ? CATEGORY_SEND : CATEGORY_OTHER;
}

static const char *colour_of(enum category category, unsigned number) {
    unsigned n = 0;
    while (colours[category][n])
        n++;
    return colours[category][number % n];
}

static int longest_first(const void *a, const void *b) {
    const struct refrain_group *x = *(struct refrain_group *const *)a, *y = *(struct refrain_group *const *)b;
    return x->own_ns != y->own_ns ? (x->own_ns < y->own_ns ? 1 : -1) : x < y ? -1 : 1;
}

bool refrain_groups_open(struct refrain_groups *groups, const struct refrain_trace *trace, const double *own_ns) {
    size_t n;
    const struct refrain_region_info *regions = refrain_trace_regions(trace, &n);
    *groups = (struct refrain_groups){calloc(n + 1, sizeof *groups->groups), 0, calloc(n + 1, sizeof(uint32_t))};
    struct refrain_group **functions = calloc(n + 1, sizeof *functions);
    static const struct refrain_region_info unknown = {.name = "(unknown)", .file = "", .collective = ""};
    unsigned used[CATEGORIES] = {0};
    size_t n_functions = 0;
    bool good = groups->groups && groups->of_region && functions;
    for (size_t i = 0; good && i <= n; i++) {
        const struct refrain_region_info *region = i < n ? &regions[i] : &unknown;
        uint32_t g = 0;
        while (g < groups->n && (groups->groups[g].region->kind != region->kind ||
                                 strcmp(groups->groups[g].region->name, region->name) != 0))
            g++;
        struct refrain_group *group = &groups->groups[g];
        if (g == groups->n) {
            enum category category = category_of(region);
            *group = (struct refrain_group){region, colour_of(category, used[category]++), 0, 0};
            groups->n++;
            if (category == CATEGORY_FUNCTION)
                functions[n_functions++] = group;
        }
        group->own_ns += own_ns[i];
        groups->of_region[i] = g;
    }
    if (good) {
        qsort(functions, n_functions, sizeof *functions, longest_first);
        for (size_t i = 0; i < n_functions; i++)
            functions[i]->colour = colour_of(CATEGORY_FUNCTION, (unsigned)i);
    } else {
        refrain_groups_close(groups);
    }
    free(functions);
    return good;
}

void refrain_groups_close(struct refrain_groups *groups) {
    free(groups->groups);
    free(groups->of_region);
    *groups = (struct refrain_groups){0};
}
