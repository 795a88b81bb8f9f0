/* import_trace.c: opens and finishes a trace directory for events of another tool (import_trace.h). */
#define _GNU_SOURCE
#include "import/import_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- opening ---- */

static struct refrain_sink *open_in(struct refrain_import *import, const char *form, int32_t rank) {
    char path[4096];
    struct refrain_sink *sink = NULL;
    int n = snprintf(path, sizeof path, "%s/", import->directory);
    if (n > 0 && (size_t)n < sizeof path - 64) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(path + n, sizeof path - (size_t)n, form, rank);
#pragma GCC diagnostic pop
        refrain_sink_open_patchable(path, false, &sink, import->error);
    } else {
        REFRAIN_FAIL(import->error, "%.200s...: a path of that length is not supported", import->directory);
    }
    return sink;
}

/* Allows as many open files as needed: each rank with events has one, which stays open. */
static void allow_files(int32_t ranks) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < (rlim_t)ranks + 64) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static enum refrain_status begin(struct refrain_import *import, struct refrain_error *error) {
    if (mkdir(import->directory, 0777) != 0)
        return REFRAIN_FAIL(error, "%s: %s", import->directory,
                            errno == EEXIST ? "exists; remove it, or give another name" : strerror(errno));
    import->made = true;
    allow_files(import->n_ranks);
    return refrain_import_begin_rank(import, 0) ? REFRAIN_OK : REFRAIN_ERROR; /* a trace needs at least one rank */
}

bool refrain_import_begin_rank(struct refrain_import *import, int32_t number) {
    struct refrain_import_rank *rank = &import->ranks[number];
    if (!rank->made)
        rank->events = open_in(import, REFRAIN_EVENTS_NAME, number);
    rank->made |= rank->events != NULL;
    import->no_file |= !rank->events;
    return rank->events;
}

static enum refrain_status close_events(struct refrain_import *import, struct refrain_import_rank *rank, bool keep) {
    if (!rank->events)
        return REFRAIN_OK;
    refrain_import_end_extents(rank);
    struct refrain_sink *events = rank->events;
    rank->events = NULL;
    return refrain_sink_close(events, keep, import->error);
}

int refrain_import_end_rank(struct refrain_import *import, int32_t number) {
    import->no_file |= close_events(import, &import->ranks[number], true) != REFRAIN_OK;
    return import->no_file;
}

enum refrain_status refrain_import_open(const char *directory, int32_t ranks, const char *program, const char *source,
                                        uint64_t start_ns, struct refrain_import **result,
                                        struct refrain_error *error) {
    struct refrain_import *import = calloc(1, sizeof *import);
    *result = NULL;
    if (!import)
        return REFRAIN_FAIL_MEMORY(error);
    import->error = error;
    import->n_ranks = ranks;
    import->start_ns = start_ns;
    import->directory = strdup(directory);
    import->program = strdup(program);
    import->source = strdup(source);
    import->ranks = calloc((size_t)ranks + 1, sizeof *import->ranks);
    enum refrain_status status = import->directory && import->program && import->source && import->ranks
                                     ? begin(import, error)
                                     : REFRAIN_FAIL_MEMORY(error);
    if (status)
        refrain_import_finish(import, false);
    else
        *result = import;
    return status;
}

uint64_t refrain_import_events(const struct refrain_import *import) {
    return import->events;
}

uint64_t refrain_import_left_out(const struct refrain_import *import) {
    return import->left_out;
}

/* ---- finishing ---- */

static int by_number(const void *a, const void *b) {
    const struct refrain_import_image_region *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static enum refrain_status write_image(struct refrain_import *import, int32_t number) {
    struct refrain_import_rank *rank = &import->ranks[number];
    uint32_t n_threads = rank->n_threads ? rank->n_threads : 1;
    struct refrain_import_image_region *regions = calloc(import->n_regions + 1, sizeof *regions);
    struct refrain_import_image_comm *comms = calloc(rank->n_comms + 1, sizeof *comms);
    int64_t *last_ns = calloc(n_threads, sizeof *last_ns);
    struct refrain_sink *out = open_in(import, REFRAIN_TRACE_FILE_NAME, number);
    struct refrain_import_image image = {.rank = number,
                                         .size = import->n_ranks,
                                         .n_threads = n_threads,
                                         .last_ns = last_ns,
                                         .program = import->program,
                                         .source = import->source,
                                         .start_ns = import->start_ns,
                                         .regions = regions,
                                         .n_slots = 2 * rank->n_functions,
                                         .comms = comms,
                                         .objects = rank->objects.first,
                                         .n_comms = rank->n_comms};
    for (uint32_t i = 0; last_ns && i < n_threads; i++)
        last_ns[i] = i < rank->n_threads && rank->threads[i].ran ? rank->threads[i].last_ns : i == 0 ? 0 : -1;
    for (size_t i = 0; regions && i < import->n_regions && i < rank->n_numbers; i++)
        if (rank->numbers[i])
            regions[image.n_regions++] = (struct refrain_import_image_region){
                import->regions[i].kind, import->regions[i].use,      import->regions[i].name, import->regions[i].file,
                import->regions[i].line, import->regions[i].function, rank->numbers[i] - 1};
    for (size_t i = 0; comms && i < rank->n_comms; i++)
        comms[i] = import->comms[rank->comms[i]];
    bool good = regions && comms && last_ns;
    if (good)
        qsort(regions, image.n_regions, sizeof *regions, by_number);
    enum refrain_status status = out ? REFRAIN_OK : REFRAIN_ERROR;
    if (out) {
        good = good && refrain_import_image_write(out, &image);
        status = refrain_sink_close(out, good, import->error);
        if (!good)
            status = REFRAIN_FAIL_MEMORY(import->error);
    }
    free(regions);
    free(comms);
    free(last_ns);
    return status;
}

static void remove_all(const struct refrain_import *import) {
    char path[4200];
    for (int32_t i = 0; i < import->n_ranks; i++) {
        if (!import->ranks[i].made)
            continue;
        snprintf(path, sizeof path, "%.4096s/" REFRAIN_EVENTS_NAME, import->directory, i);
        unlink(path);
        snprintf(path, sizeof path, "%.4096s/" REFRAIN_TRACE_FILE_NAME, import->directory, i);
        unlink(path);
    }
    rmdir(import->directory);
}

/* Frees a location with its pending requests. */
static void free_location(struct refrain_import_location *location) {
    refrain_table_close(&location->names);
    refrain_requests_close(&location->requests);
}

static void free_rank(struct refrain_import_rank *rank) {
    for (uint32_t i = 0; i < rank->n_threads; i++)
        free_location(&rank->threads[i]);
    free(rank->threads);
    free(rank->numbers);
    free(rank->comms);
    refrain_import_objects_free(&rank->objects);
}

enum refrain_status refrain_import_finish(struct refrain_import *import, bool keep) {
    enum refrain_status status = import->no_memory ? REFRAIN_FAIL_MEMORY(import->error)
                                 : import->no_file ? REFRAIN_ERROR
                                                   : REFRAIN_OK;
    for (int32_t i = 0; import->ranks && i < import->n_ranks; i++) {
        enum refrain_status closed = close_events(import, &import->ranks[i], keep && !status);
        status = status ? status : closed;
    }
    if (keep && !status && !refrain_import_keep_comms(import))
        status = REFRAIN_FAIL_MEMORY(import->error);
    for (int32_t i = 0; keep && !status && i < import->n_ranks; i++)
        status = import->ranks[i].made ? write_image(import, i) : REFRAIN_OK;
    if (import->made && (!keep || status))
        remove_all(import);
    for (int32_t i = 0; import->ranks && i < import->n_ranks; i++)
        free_rank(&import->ranks[i]);
    for (size_t i = 0; i < import->n_regions; i++) {
        free(import->regions[i].name);
        free(import->regions[i].file);
    }
    for (size_t i = 0; i < import->n_comms; i++) {
        free((char *)(uintptr_t)import->comms[i].name);
        free((int32_t *)(uintptr_t)import->comms[i].members);
    }
    refrain_table_close(&import->own_comms);
    free(import->regions);
    refrain_table_close(&import->by_name);
    free(import->comms);
    free(import->ranks);
    free(import->directory);
    free(import->program);
    free(import->source);
    free(import);
    return status;
}
