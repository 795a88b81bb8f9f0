/* trace_tree.c: reads the units, slots, call sites and user regions of a process, and checks each offset
 * (trace_read.h). */
#include "model/trace_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- units ---- */

static enum refrain_status check_unit(const struct refrain_process *process, const struct refrain_unit_view *unit,
                                      uint64_t at, struct refrain_error *error) {
    const struct refrain_unit_record *record = unit->record;
    const struct refrain_header *header = process->header;
    uint64_t slots_bytes = (uint64_t)record->n_slots * header->n_threads * sizeof(struct refrain_slot);
    if (record->n_nodes == 0 || record->strings_bytes == 0 || unit->strings[record->strings_bytes - 1] != 0)
        return refrain_process_damaged(process, at, "a unit without nodes, or whose names do not end", error);
    if (record->n_slots &&
        (record->slots % 8 || !refrain_process_at(process, record->slots, slots_bytes, "the slots of a unit", error)))
        return refrain_process_damaged(process, at, "a unit's slots are out of place", error);
    if ((uint64_t)record->first_slot + record->n_slots > header->n_slots)
        return refrain_process_damaged(process, at, "a unit's slots are numbered beyond the last", error);
    for (uint32_t i = 0; i < record->n_nodes; i++) {
        const struct refrain_node *node = &unit->nodes[i];
        if ((i > 0 && node->parent >= i) || node->kind >= REFRAIN_NODE_KINDS || node->name >= record->strings_bytes ||
            node->file >= record->strings_bytes)
            return refrain_process_damaged(process, record->nodes + i * sizeof *node,
                                           "a node of the program tree "
                                           "makes no sense",
                                           error);
    }
    return REFRAIN_OK;
}

static enum refrain_status place_slots(struct refrain_process *process, const struct refrain_unit_view *unit,
                                       struct refrain_error *error) {
    const struct refrain_unit_record *record = unit->record;
    for (uint32_t i = 0; i < record->n_slots; i++) {
        uint32_t number = record->first_slot + i;
        if (process->slot_offsets[number])
            return refrain_process_damaged(process, record->slots, "two units have slots of the same number", error);
        process->slot_offsets[number] = record->slots + i * sizeof(struct refrain_slot);
        process->slot_stride[number] = record->n_slots;
    }
    for (uint32_t i = 0; i < record->n_nodes; i++) {
        const struct refrain_node *node = &unit->nodes[i];
        uint32_t n = refrain_slots_of_node(node->kind);
        if (node->slot == REFRAIN_NO_SLOT || n == 0)
            continue;
        if (node->slot >= record->n_slots || n > record->n_slots - node->slot)
            return refrain_process_damaged(process, record->nodes + i * sizeof *node,
                                           "a node's slots are beyond its unit's", error);
        for (uint32_t part = 0; part < n; part++)
            process->slots[record->first_slot + node->slot + part] = (struct refrain_slot_view){unit, node, part, NULL};
    }
    return REFRAIN_OK;
}

static enum refrain_status read_units(struct refrain_trace *trace, struct refrain_process *process,
                                      struct refrain_error *error) {
    const struct refrain_header *header = process->header;
    uint64_t previous = 0;
    for (uint64_t at = header->units; at; process->n_units++) {
        if (at <= previous || at % 8)
            return refrain_process_damaged(process, previous, "unit records run backwards", error);
        const struct refrain_unit_record *record =
            refrain_process_at(process, at, sizeof *record, "a unit record", error);
        if (!record)
            return REFRAIN_ERROR;
        previous = at;
        at = record->next;
    }
    if ((uint64_t)header->n_slots * sizeof(struct refrain_slot) > process->image_bytes)
        return refrain_process_damaged(process, 0, "more slots than the trace file can hold", error);
    process->units = refrain_trace_allocate(trace, process->n_units, sizeof *process->units);
    process->slots = refrain_trace_allocate(trace, header->n_slots, sizeof *process->slots);
    process->slot_offsets = refrain_trace_allocate(trace, header->n_slots, sizeof *process->slot_offsets);
    process->slot_stride = refrain_trace_allocate(trace, header->n_slots, sizeof *process->slot_stride);
    if (!process->units || !process->slots || !process->slot_offsets || !process->slot_stride)
        return REFRAIN_FAIL_MEMORY(error);
    uint64_t at = header->units;
    for (size_t u = 0; u < process->n_units; u++) {
        struct refrain_unit_view *unit = &process->units[u];
        unit->record = refrain_process_at(process, at, sizeof *unit->record, "a unit record", error);
        if (!unit->record)
            return REFRAIN_ERROR;
        unit->nodes =
            refrain_process_at(process, unit->record->nodes, (uint64_t)unit->record->n_nodes * sizeof *unit->nodes,
                               "the program tree", error);
        unit->strings = refrain_process_at(process, unit->record->strings, unit->record->strings_bytes,
                                           "the names of a unit", error);
        enum refrain_status status =
            unit->nodes && unit->strings ? check_unit(process, unit, at, error) : REFRAIN_ERROR;
        if (!status)
            status = place_slots(process, unit, error);
        if (status)
            return status;
        at = unit->record->next;
    }
    return REFRAIN_OK;
}

/* ---- call sites and user regions ---- */

enum refrain_status refrain_process_check_name(const struct refrain_process *process, uint32_t reference,
                                               const char *what, struct refrain_error *error) {
    uint64_t at = (uint64_t)reference * REFRAIN_ALIGNMENT_BYTES;
    if (reference == 0)
        return REFRAIN_OK;
    const struct refrain_name *name = refrain_process_at(process, at, sizeof *name, what, error);
    if (!name || !refrain_process_at(process, at, sizeof *name + (uint64_t)name->length + 1, what, error))
        return REFRAIN_ERROR;
    return name->text[name->length] == 0 ? REFRAIN_OK
                                         : refrain_process_damaged(process, at, "a name does not end", error);
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static enum refrain_status check_operations(const struct refrain_process *process,
                                            struct refrain_call_site_view *call_site, struct refrain_error *error) {
    uint32_t reference = call_site->record->operations;
    for (; reference; call_site->n_operations++) {
        uint64_t at = (uint64_t)reference * REFRAIN_ALIGNMENT_BYTES;
        const struct refrain_operation_record *operation =
            refrain_process_at(process, at, sizeof *operation, "an operation", error);
        if (!operation)
            return REFRAIN_ERROR;
        if (operation->operation == 0 || operation->operation >= REFRAIN_OPERATIONS ||
            call_site->n_operations >= REFRAIN_OPERATIONS)
            return refrain_process_damaged(process, at, "an operation of unknown kind, or one operation twice", error);
        reference = operation->next;
    }
    return REFRAIN_OK;
}

/* A list in the image, newest first, that becomes an array of views by number. Each record begins with the reference
 * of the next one, each view with its number. */
struct list {
    const char *what;
    uint64_t first;
    size_t record_bytes, view_bytes;
    enum refrain_status (*read)(const struct refrain_process *process, uint64_t at, void *view,
                                struct refrain_error *error);
};

/* Length of the list; SIZE_MAX if it is circular or leads out of the image. */
static size_t list_length(const struct refrain_process *process, const struct list *list, struct refrain_error *error) {
    size_t n = 0, most = process->image_bytes / list->record_bytes;
    for (uint64_t reference = list->first; reference; n++) {
        if (reference > UINT32_MAX || n > most) {
            refrain_process_damaged(process, 0, "a list of records runs in circles", error);
            return SIZE_MAX;
        }
        const uint32_t *next =
            refrain_process_at(process, reference * REFRAIN_ALIGNMENT_BYTES, list->record_bytes, list->what, error);
        if (!next)
            return SIZE_MAX;
        reference = *next;
    }
    return n;
}

/* Makes an array of *length views, owned by the trace. Null after an error. */
static void *read_list(struct refrain_trace *trace, const struct refrain_process *process, const struct list *list,
                       size_t *length, struct refrain_error *error) {
    size_t n = list_length(process, list, error);
    if (n == SIZE_MAX)
        return NULL;
    unsigned char *views = refrain_trace_allocate(trace, n, list->view_bytes);
    if (!views) {
        REFRAIN_FAIL_MEMORY(error);
        return NULL;
    }
    uint64_t at = list->first * REFRAIN_ALIGNMENT_BYTES;
    for (size_t i = 0; i < n; i++) {
        if (list->read(process, at, views + i * list->view_bytes, error))
            return NULL;
        at = *(const uint32_t *)(const void *)(process->image + at) * (uint64_t)REFRAIN_ALIGNMENT_BYTES;
    }
    qsort(views, n, list->view_bytes, by_number);
    *length = n;
    return views;
}

static enum refrain_status read_call_site(const struct refrain_process *process, uint64_t at, void *view,
                                          struct refrain_error *error) {
    const struct refrain_call_site *record = (const struct refrain_call_site *)(process->image + at);
    struct refrain_call_site_view *call_site = view;
    *call_site = (struct refrain_call_site_view){.number = record->number, .record = record};
    if (record->thread >= process->header->n_threads)
        return refrain_process_damaged(process, at, "a call site of a thread that there is not", error);
    if (refrain_process_check_name(process, record->object, "the name of an object", error) ||
        refrain_process_check_name(process, record->within, "the name of a function", error))
        return REFRAIN_ERROR;
    return check_operations(process, call_site, error);
}

/* Call sites must have been read before. */
static enum refrain_status read_overflow_site(const struct refrain_process *process, uint64_t at, void *view,
                                              struct refrain_error *error) {
    const struct refrain_overflow_site *overflow = (const struct refrain_overflow_site *)(process->image + at);
    const struct refrain_call_site_view *host = refrain_process_call_site(process, overflow->host);
    if (!host)
        return refrain_process_damaged(process, at, "an overflow site without a host", error);
    *(struct refrain_call_site_view *)view =
        (struct refrain_call_site_view){.number = overflow->number, .record = host->record, .overflow = overflow};
    if (refrain_process_check_name(process, overflow->object, "the name of an object", error))
        return REFRAIN_ERROR;
    return refrain_process_check_name(process, overflow->within, "the name of a function", error);
}

static enum refrain_status read_user_region(const struct refrain_process *process, uint64_t at, void *view,
                                            struct refrain_error *error) {
    const struct refrain_region_name *record = (const struct refrain_region_name *)(process->image + at);
    *(struct refrain_user_region_view *)view =
        (struct refrain_user_region_view){.number = record->number, .record = record};
    if (refrain_process_check_name(process, record->name, "the name of a user region", error) ||
        refrain_process_check_name(process, record->object, "the object of a function", error))
        return REFRAIN_ERROR;
    return record->thread < process->header->n_threads
               ? REFRAIN_OK
               : refrain_process_damaged(process, at, "a user region of a thread that there is not", error);
}

static enum refrain_status read_lists(struct refrain_trace *trace, struct refrain_process *process,
                                      struct refrain_error *error) {
    const struct refrain_header *header = process->header;
    const struct list call_sites = {"a call site", header->call_sites, sizeof(struct refrain_call_site),
                                    sizeof(struct refrain_call_site_view), read_call_site},
                      overflow_sites = {"an overflow site", header->overflow_sites,
                                        sizeof(struct refrain_overflow_site), sizeof(struct refrain_call_site_view),
                                        read_overflow_site},
                      regions = {"a user region", header->regions, sizeof(struct refrain_region_name),
                                 sizeof(struct refrain_user_region_view), read_user_region};
    return (process->call_sites = read_list(trace, process, &call_sites, &process->n_call_sites, error)) &&
                   (process->overflow_sites =
                        read_list(trace, process, &overflow_sites, &process->n_overflow_sites, error)) &&
                   (process->user_regions = read_list(trace, process, &regions, &process->n_user_regions, error))
               ? REFRAIN_OK
               : REFRAIN_ERROR;
}

enum refrain_status refrain_process_read_tree(struct refrain_trace *trace, struct refrain_process *process,
                                              struct refrain_error *error) {
    const struct refrain_header *header = process->header;
    const uint32_t names[] = {header->executable, header->environment, header->arguments,
                              header->host,       header->mpi_library, header->start_directory};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (refrain_process_check_name(process, names[i], "a name of the header", error))
            return REFRAIN_ERROR;
    enum refrain_status status = read_units(trace, process, error);
    return status ? status : read_lists(trace, process, error);
}

/* ---- looking up ---- */

const struct refrain_slot *refrain_process_slot(const struct refrain_process *process, uint32_t thread,
                                                uint64_t number) {
    if (number >= process->header->n_slots || thread >= process->header->n_threads || !process->slot_offsets[number])
        return NULL;
    uint64_t at =
        process->slot_offsets[number] + (uint64_t)process->slot_stride[number] * thread * sizeof(struct refrain_slot);
    return (const struct refrain_slot *)(process->image + at);
}

bool refrain_process_throttled(const struct refrain_process *process, uint32_t thread, uint32_t number) {
    const struct refrain_slot *slot = refrain_process_slot(process, thread, number);
    if (!slot || process->slots[number].node->kind == REFRAIN_MPI_CALL)
        return false;
    uint32_t to_function = REFRAIN_SLOT_OF_FUNCTION(slot->flags);
    const struct refrain_slot *function =
        to_function <= number ? refrain_process_slot(process, thread, number - to_function) : NULL;
    return (slot->flags | (function ? function->flags : 0)) & REFRAIN_SLOT_WAS_THROTTLED;
}

const struct refrain_region_info *refrain_process_function(const struct refrain_process *process, uint64_t number) {
    return number < process->header->n_slots ? process->slots[number].region : NULL;
}

/* Numbers are consecutive, except that overflow sites have numbers, too, and that the copy of a running process may
 * lack records. */
const struct refrain_call_site_view *refrain_process_call_site(const struct refrain_process *process, uint64_t number) {
    if (number > UINT32_MAX || process->n_call_sites == 0)
        return NULL;
    uint64_t at = number - process->call_sites[0].number;
    if (at < process->n_call_sites && process->call_sites[at].number == number)
        return &process->call_sites[at];
    uint32_t key = (uint32_t)number;
    const struct refrain_call_site_view *found =
        bsearch(&key, process->call_sites, process->n_call_sites, sizeof *process->call_sites, by_number);
    return found || process->n_overflow_sites == 0 ? found
                                                   : bsearch(&key, process->overflow_sites, process->n_overflow_sites,
                                                             sizeof *process->overflow_sites, by_number);
}

const struct refrain_user_region_view *refrain_process_user_region(const struct refrain_process *process,
                                                                   uint64_t number) {
    if (number > UINT32_MAX || process->n_user_regions == 0)
        return NULL;
    uint32_t key = (uint32_t)number;
    return bsearch(&key, process->user_regions, process->n_user_regions, sizeof *process->user_regions, by_number);
}

const char *refrain_process_name(const struct refrain_process *process, uint32_t reference) {
    if (reference == 0)
        return "";
    return ((const struct refrain_name *)(process->image + (uint64_t)reference * REFRAIN_ALIGNMENT_BYTES))->text;
}

const char *refrain_node_name(const struct refrain_unit_view *unit, const struct refrain_node *node) {
    return unit->strings + node->name;
}

const char *refrain_node_file(const struct refrain_unit_view *unit, const struct refrain_node *node) {
    return unit->strings + node->file;
}

const char *refrain_node_function(const struct refrain_unit_view *unit, const struct refrain_node *node) {
    while (node->kind != REFRAIN_FUNCTION && node != unit->nodes)
        node = &unit->nodes[node->parent];
    return node->kind == REFRAIN_FUNCTION ? unit->strings + node->name : "";
}

const struct refrain_operation_record *refrain_call_site_operation(const struct refrain_process *process,
                                                                   const struct refrain_call_site *call_site,
                                                                   const struct refrain_operation_record *operation) {
    uint32_t reference = operation ? operation->next : call_site->operations;
    if (reference == 0)
        return NULL;
    return (const struct refrain_operation_record *)(process->image + (uint64_t)reference * REFRAIN_ALIGNMENT_BYTES);
}
