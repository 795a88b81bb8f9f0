/* layers.c: leaves out the functions of a layer, and shows its MPI calls at their callers (layers.h). */
#define _GNU_SOURCE
#include "analysis/layers.h"
#include "analysis/open_regions.h"
#include "common/error.h"
#include "common/path.h"
#include "common/table.h"
#include "model/trace_parts.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An open region. */
struct open_region {
    struct refrain_region_frame head;
    const struct refrain_region_info *shown; /* null: it is left out */
};

/* A call shown at its caller. */
struct filed {
    struct refrain_region_info info;
    char *function;
};

struct refrain_layers {
    const struct refrain_trace *trace;
    unsigned char *is_layer;             /* by region index */
    struct refrain_region_stack *stacks; /* by location */
    struct refrain_table filed;          /* (hash of the name of the MPI function, caller) -> struct filed */
    uint64_t calls, unknown;
    bool no_memory;
};

/* ---- which regions are layers ---- */

static bool is_file(const char *pattern, const char *file) {
    return file[0] && (fnmatch(pattern, file, 0) == 0 || fnmatch(pattern, refrain_base_name(file), 0) == 0);
}

/* Compares the innermost function of "f, inlined into g", or of "f+0x1e9". */
static bool is_function(const char *pattern, const char *functions) {
    const char *inlined = strstr(functions, REFRAIN_INLINED_INTO), *distance = strstr(functions, "+0x");
    const char *end = inlined ? inlined : distance ? distance : functions + strlen(functions);
    char name[1024];
    snprintf(name, sizeof name, "%.*s", (int)(end - functions < 1000 ? end - functions : 1000), functions);
    return fnmatch(pattern, name, 0) == 0;
}

static bool is_named(const struct refrain_region_info *region, const char *pattern) {
    if (region->kind == REFRAIN_REGION_FUNCTION)
        return fnmatch(pattern, region->name, 0) == 0 || is_file(pattern, region->file);
    return region->kind == REFRAIN_REGION_MPI &&
           (is_function(pattern, region->function) || is_file(pattern, region->file));
}

static enum refrain_status mark(struct refrain_layers *layers, const char *pattern, struct refrain_error *error) {
    size_t n = 0;
    for (size_t i = 0; i < layers->trace->n_regions; i++)
        if (is_named(&layers->trace->regions[i], pattern)) {
            layers->is_layer[i] = 1;
            n++;
        }
    return n ? REFRAIN_OK
             : REFRAIN_FAIL(error,
                            "--layer=%s: the trace has no function and no file of that name. refrain stats --by "
                            "source-line and --by call-path list those that it has",
                            pattern);
}

enum refrain_status refrain_layers_open(const struct refrain_trace *trace, const char *const *patterns, size_t n,
                                        struct refrain_layers **result, struct refrain_error *error) {
    struct refrain_layers *layers = *result = calloc(1, sizeof *layers);
    if (!layers)
        return REFRAIN_FAIL_MEMORY(error);
    layers->trace = trace;
    layers->is_layer = calloc(trace->n_regions + 1, 1);
    layers->stacks = calloc(trace->n_locations + 1, sizeof *layers->stacks);
    enum refrain_status status = layers->is_layer && layers->stacks ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; !status && i < n; i++)
        status = mark(layers, patterns[i], error);
    return status;
}

void refrain_layers_close(struct refrain_layers *layers) {
    if (!layers)
        return;
    for (size_t i = 0; layers->stacks && i < layers->trace->n_locations; i++)
        refrain_region_stack_free(&layers->stacks[i]);
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&layers->filed, slot));)
        free(((struct filed *)slot->object)->function);
    refrain_table_free(&layers->filed);
    free(layers->stacks);
    free(layers->is_layer);
    free(layers);
}

void refrain_layers_begin(struct refrain_layers *layers) {
    for (size_t i = 0; i < layers->trace->n_locations; i++)
        layers->stacks[i].depth = 0;
    layers->calls = layers->unknown = 0;
}

bool refrain_layers_failed(const struct refrain_layers *layers) {
    return layers->no_memory;
}

uint64_t refrain_layers_calls(const struct refrain_layers *layers) {
    return layers->calls;
}

uint64_t refrain_layers_unknown(const struct refrain_layers *layers) {
    return layers->unknown;
}

/* ---- events ---- */

static bool is_in_layer(const struct refrain_layers *layers, const struct refrain_region_info *region) {
    return region->index < layers->trace->n_regions && layers->is_layer[region->index];
}

/* The innermost open function that is no layer; null: none. */
static const struct refrain_region_info *caller_in(const struct refrain_region_stack *stack) {
    for (size_t depth = stack->depth; depth-- > 0;) {
        const struct open_region *open = refrain_region_stack_at(stack, depth);
        if (open->shown && open->shown->kind == REFRAIN_REGION_FUNCTION)
            return open->shown;
    }
    return NULL;
}

/* "solve(), solve.c:40"; or the names of the functions into which the layer was inlined. Null if no caller is known,
 * and without memory. */
static char *text_of(const struct refrain_region_info *call, const struct refrain_region_info *caller) {
    const char *inlined = strstr(call->function, REFRAIN_INLINED_INTO);
    char *text = NULL;
    int length = -1;
    if (caller && caller->file[0]) {
        length = asprintf(&text, "%s(), %s:%u", caller->name, refrain_base_name(caller->file), caller->line);
    } else if (caller) {
        length = asprintf(&text, "%s()", caller->name);
    } else if (inlined) {
        length = asprintf(&text, "%s", inlined + sizeof REFRAIN_INLINED_INTO - 1);
    }
    return length < 0 ? NULL : text;
}

/* The call in a layer, shown at its caller; the call itself if no caller is known. */
static const struct refrain_region_info *file_call(struct refrain_layers *layers,
                                                   const struct refrain_region_stack *stack,
                                                   const struct refrain_region_info *call) {
    const struct refrain_region_info *caller = caller_in(stack);
    layers->calls++;
    if (!caller && !strstr(call->function, REFRAIN_INLINED_INTO)) {
        layers->unknown++;
        return call;
    }
    uint64_t where = caller ? (uint64_t)caller->index << 1 : (uint64_t)call->index << 1 | 1;
    struct filed *filed =
        refrain_table_make(&layers->filed, refrain_table_text(REFRAIN_TABLE_TEXT, call->name), where, sizeof *filed);
    if (filed && !filed->function) {
        filed->function = text_of(call, caller);
        filed->info = *call;
        filed->info.index = (uint32_t)(layers->trace->n_regions + layers->filed.n - 1);
        filed->info.file = "";
        filed->info.line = 0;
        filed->info.function = filed->function;
    }
    layers->no_memory |= !filed || !filed->function;
    return layers->no_memory ? call : &filed->info;
}

static bool enter(struct refrain_layers *layers, struct refrain_region_stack *stack, struct refrain_event *event) {
    const struct refrain_region_info *region = event->region, *shown = region;
    const struct open_region *around = refrain_region_stack_top(stack);
    bool is_call = region->kind == REFRAIN_REGION_MPI;
    if (is_in_layer(layers, region) || (is_call && around && !around->shown))
        shown = is_call ? file_call(layers, stack, region) : NULL;
    struct open_region *open = refrain_region_stack_enter(stack, sizeof *open, region, event->time_ns);
    layers->no_memory |= !open;
    if (!open)
        return false;
    open->shown = shown;
    event->region = shown ? shown : region;
    return shown != NULL;
}

bool refrain_layers_event(struct refrain_layers *layers, size_t location, struct refrain_event *event) {
    if (location >= layers->trace->n_locations)
        return true;
    struct refrain_region_stack *stack = &layers->stacks[location];
    if (event->kind == REFRAIN_EVENT_ENTER)
        return enter(layers, stack, event);
    const struct open_region *open = refrain_region_stack_top(stack);
    bool is_open = open && open->head.region == event->region;
    if (is_open && open->shown)
        event->region = open->shown;
    if (event->kind != REFRAIN_EVENT_LEAVE)
        return true;
    bool is_shown = !is_open || open->shown;
    refrain_region_stack_leave(stack, 0);
    return is_shown;
}
