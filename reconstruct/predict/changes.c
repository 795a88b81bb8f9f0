/* changes.c: parses changes of a run, and finds the regions that they name (changes.h). */
#define _GNU_SOURCE
#include "predict/changes.h"
#include "common/array.h"
#include "common/path.h"
#include "match/collective_rule.h"
#include "model/mpi_call.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEFORE "before "

/* ---- texts ---- */

/* NAME=FACTOR: returns the end of NAME; null if the text has another form. */
static const char *factor_of(const char *text, double *factor) {
    const char *equals = strrchr(text, '=');
    char *end;
    if (!equals || equals == text)
        return NULL;
    *factor = strtod(equals + 1, &end);
    return end != equals + 1 && *end == 0 && isfinite(*factor) && *factor > 0 ? equals : NULL;
}

bool refrain_changes_add(struct refrain_changes *changes, enum refrain_change_kind kind, const char *text,
                         const char **why) {
    struct refrain_change change = {.kind = kind, .factor = 1};
    const char *end = kind == REFRAIN_CHANGE_FASTER ? factor_of(text, &change.factor) : text + strlen(text);
    if (!end || end == text) {
        *why = kind == REFRAIN_CHANGE_FASTER ? "NAME=FACTOR with a factor above 0 is expected, such as burn()=2"
                                             : "the name of a region is expected";
        return false;
    }
    if (kind == REFRAIN_CHANGE_FASTER && strncmp(text, BEFORE, strlen(BEFORE)) == 0) {
        change.kind = REFRAIN_CHANGE_BEFORE;
        text += strlen(BEFORE);
    }
    change.name = strndup(text, (size_t)(end - text));
    if (!change.name || !REFRAIN_ARRAY_ROOM(changes->changes, changes->n, changes->capacity)) {
        free(change.name);
        *why = "there is too little memory";
        return false;
    }
    changes->changes[changes->n++] = change;
    return true;
}

/* ---- regions ---- */

static size_t name_length(const char *name) {
    size_t n = strlen(name);
    return n > 2 && strcmp(name + n - 2, "()") == 0 ? n - 2 : n;
}

static bool is_meant(const struct refrain_change *change, const struct refrain_region_info *region) {
    const size_t n = name_length(change->name);
    if (n == name_length(region->name) && strncmp(change->name, region->name, n) == 0)
        return true;
    const char *colon = strrchr(change->name, ':');
    if (!colon || !region->file[0] || strtoul(colon + 1, NULL, 10) != region->line)
        return false;
    const size_t file = (size_t)(colon - change->name);
    const char *base = refrain_base_name(region->file);
    return (strlen(base) == file && strncmp(base, change->name, file) == 0) ||
           (strlen(region->file) == file && strncmp(region->file, change->name, file) == 0);
}

/* True if a call of this region is a blocking collective, so that ranks wait in it. */
static bool is_blocking_collective(const struct refrain_region_info *region) {
    return refrain_mpi_kind(region) == REFRAIN_MPI_COLLECTIVE &&
           refrain_collective_rule(region->role) != REFRAIN_RULE_NONE;
}

static enum refrain_status set(struct refrain_changes *changes, size_t number, const struct refrain_trace *trace,
                               const struct refrain_region_info *region, struct refrain_error *error) {
    const struct refrain_change *change = &changes->changes[number];
    struct refrain_changed_region *changed = &changes->regions[region->index];
    switch (change->kind) {
    case REFRAIN_CHANGE_FASTER:
        changed->speed = change->factor;
        return REFRAIN_OK;
    case REFRAIN_CHANGE_BEFORE:
        changed->before = change->factor;
        return REFRAIN_OK;
    case REFRAIN_CHANGE_BALANCE:
        if (region->kind == REFRAIN_REGION_MPI)
            return REFRAIN_FAIL(error, "%s: %s is an MPI call; only what is computed can be balanced: name a function",
                                trace->path, region->name);
        changed->balance = number + 1;
        return REFRAIN_OK;
    default:
        if (!is_blocking_collective(region))
            return REFRAIN_FAIL(
                error,
                "%s: %s has to wait: only blocking collectives that all wait in can go without (barrier, "
                "broadcast, reduce, gather, alltoall ...)",
                trace->path, region->name);
        changed->no_wait = true;
        return REFRAIN_OK;
    }
}

enum refrain_status refrain_changes_find(struct refrain_changes *changes, const struct refrain_trace *trace,
                                         struct refrain_error *error) {
    changes->n_regions = trace->n_regions;
    changes->regions = calloc(trace->n_regions + 1, sizeof *changes->regions);
    if (!changes->regions)
        return REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; i < changes->n; i++) {
        size_t n = 0;
        for (size_t k = 0; k < trace->n_regions; k++) {
            if (trace->regions[k].kind == REFRAIN_REGION_VALUE || !is_meant(&changes->changes[i], &trace->regions[k]))
                continue;
            n++;
            if (set(changes, i, trace, &trace->regions[k], error))
                return REFRAIN_ERROR;
        }
        if (n == 0)
            return REFRAIN_FAIL(error,
                                "%s: no function, region or MPI call is %s; refrain stats --by function lists them "
                                "(functions without MPI calls: build with REFRAIN_DETAIL=every, or name 'before CALL')",
                                trace->path, changes->changes[i].name);
    }
    return REFRAIN_OK;
}

void refrain_changes_close(struct refrain_changes *changes) {
    for (size_t i = 0; i < changes->n; i++)
        free(changes->changes[i].name);
    free(changes->changes);
    free(changes->regions);
}
