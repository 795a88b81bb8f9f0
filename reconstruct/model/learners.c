/* learners.c: visits all learners of a process (learners.h). */
#include "model/learners.h"
#include "model/trace_parts.h"
#include "sequence/sequence.h"

#include <string.h>

const char *refrain_subject_name(enum refrain_subject subject) {
    static const char *const names[REFRAIN_SUBJECTS] = {"branch",   "loop",  "next", "dest", "source",  "send-tag",
                                                        "recv-tag", "bytes", "comm", "root", "request", "value"};
    return names[subject];
}

typedef int visitor(void *data, const struct refrain_learner_view *view);

bool refrain_learner_is_for_readers(const struct refrain_learner_view *view) {
    return !view->absent && view->subject != REFRAIN_SUBJECT_SUCCESSOR && view->subject != REFRAIN_SUBJECT_REQUEST;
}

static int visit_one(const struct refrain_learner *learner, struct refrain_learner_view view,
                     enum refrain_subject subject, const char *label, visitor *visit, void *data) {
    if (learner->state == REFRAIN_EMPTY)
        return 0;
    view.learner = learner;
    view.subject = subject;
    view.label = label;
    return visit(data, &view);
}

/* ---- the program tree ---- */

static const char *kind_name(uint32_t kind) {
    static const char *const names[REFRAIN_NODE_KINDS] = {
        [REFRAIN_IF] = "if",         [REFRAIN_CONDITIONAL] = "?:", [REFRAIN_AND] = "&&",
        [REFRAIN_OR] = "||",         [REFRAIN_WHILE] = "while",    [REFRAIN_FOR] = "for",
        [REFRAIN_DO] = "do",         [REFRAIN_SWITCH] = "switch",  [REFRAIN_CALL] = "call",
        [REFRAIN_MPI_CALL] = "call", [REFRAIN_MACRO] = "macro",    [REFRAIN_FUNCTION] = "function"};
    return names[kind] ? names[kind] : "";
}

static int visit_slot(const struct refrain_process *process, uint32_t number, uint32_t thread, visitor *visit,
                      void *data) {
    const struct refrain_slot_view *slot = &process->slots[number];
    const struct refrain_slot *at = refrain_process_slot(process, thread, number);
    if (!slot->node || !at)
        return 0;
    uint32_t kind = slot->node->kind;
    const char *name = refrain_node_name(slot->unit, slot->node);
    struct refrain_learner_view view = {.thread = thread,
                                        .name = name[0] ? name : kind_name(kind),
                                        .function = refrain_node_function(slot->unit, slot->node),
                                        .file = refrain_node_file(slot->unit, slot->node),
                                        .line = slot->node->line,
                                        .slot = number,
                                        .throttled = refrain_process_throttled(process, thread, number)};
    bool decides = kind >= REFRAIN_IF && kind <= REFRAIN_OR, loops = refrain_kind_is_loop(kind);
    if (slot->part == 0 && decides)
        return visit_one(&at->next, view, REFRAIN_SUBJECT_BRANCH, "taken", visit, data);
    if (slot->part == 0 && loops)
        return visit_one(&at->next, view, REFRAIN_SUBJECT_LOOP, "count", visit, data);
    const char *label = "after";
    if (decides)
        label = slot->part == 1 ? "after true" : "after false";
    else if (loops)
        label = slot->part == 1 ? "each time" : "after the last";
    else if (slot->part == 0 && kind != REFRAIN_FUNCTION)
        label = "into";
    return visit_one(&at->next, view, REFRAIN_SUBJECT_SUCCESSOR, label, visit, data);
}

/* ---- call sites ---- */

struct parameter {
    enum refrain_subject subject;
    const char *label;
};

/* The parameters of each operation, in the order of trace.h. Operations without a list have one parameter, a
 * request. */
static const struct parameter
    send[] = {{REFRAIN_SUBJECT_DEST, "dest"},
              {REFRAIN_SUBJECT_SEND_TAG, "send tag"},
              {REFRAIN_SUBJECT_BYTES, "sent"},
              {REFRAIN_SUBJECT_COMM, "comm"}},
    recv[] = {{REFRAIN_SUBJECT_SOURCE, "source"},
              {REFRAIN_SUBJECT_RECV_TAG, "recv tag"},
              {REFRAIN_SUBJECT_BYTES, "received"},
              {REFRAIN_SUBJECT_COMM, "comm"}},
    collective[] = {{REFRAIN_SUBJECT_ROOT, "root"},
                    {REFRAIN_SUBJECT_BYTES, "sent"},
                    {REFRAIN_SUBJECT_BYTES, "received"},
                    {REFRAIN_SUBJECT_COMM, "comm"}},
    request[] = {{REFRAIN_SUBJECT_REQUEST, "request"}},
    rma[] = {{REFRAIN_SUBJECT_DEST, "target"}, {REFRAIN_SUBJECT_BYTES, "bytes"}, {REFRAIN_SUBJECT_COMM, "window"}},
    io[] = {{REFRAIN_SUBJECT_BYTES, "bytes"}, {REFRAIN_SUBJECT_COMM, "file"}, {REFRAIN_SUBJECT_BYTES, "moved"}},
    window[] = {{REFRAIN_SUBJECT_DEST, "target"}, {REFRAIN_SUBJECT_COMM, "lock"}, {REFRAIN_SUBJECT_COMM, "window"}},
    file[] = {{REFRAIN_SUBJECT_COMM, "mode"}, {REFRAIN_SUBJECT_COMM, "file"}},
    moved[] = {{REFRAIN_SUBJECT_BYTES, "moved"}, {REFRAIN_SUBJECT_COMM, "file"}},
    seek[] = {{REFRAIN_SUBJECT_COMM, "whence"},
              {REFRAIN_SUBJECT_BYTES, "offset"},
              {REFRAIN_SUBJECT_BYTES, "position"},
              {REFRAIN_SUBJECT_COMM, "file"}},
    comm[] = {{REFRAIN_SUBJECT_COMM, "comm"}},
    run[] = {{REFRAIN_SUBJECT_REQUEST, "request"}, {REFRAIN_SUBJECT_REQUEST, "requests"}},
    other[] = {{REFRAIN_SUBJECT_REQUEST, "operation"}, {REFRAIN_SUBJECT_COMM, "comm"}};
#define OF(parameters) (parameters), sizeof(parameters) / sizeof *(parameters)
static const struct {
    const struct parameter *parameters;
    unsigned n;
} operations[] = {[REFRAIN_OP_SEND] = {OF(send)},
                  [REFRAIN_OP_ISEND] = {OF(send)},
                  [REFRAIN_OP_SEND_INIT] = {OF(send)},
                  [REFRAIN_OP_RECV] = {OF(recv)},
                  [REFRAIN_OP_IRECV] = {OF(recv)},
                  [REFRAIN_OP_RECV_INIT] = {OF(recv)},
                  [REFRAIN_OP_COLLECTIVE] = {OF(collective)},
                  [REFRAIN_OP_ICOLLECTIVE] = {OF(collective)},
                  [REFRAIN_OP_COLLECTIVE_INIT] = {OF(collective)},
                  [REFRAIN_OP_RMA] = {OF(rma)},
                  [REFRAIN_OP_RMA_REQUEST] = {OF(rma)},
                  [REFRAIN_OP_IO] = {io, 2},
                  [REFRAIN_OP_IO_REQUEST] = {OF(io)},
                  [REFRAIN_OP_WINDOW] = {OF(window)},
                  [REFRAIN_OP_FILE] = {OF(file)},
                  [REFRAIN_OP_MOVED] = {OF(moved)},
                  [REFRAIN_OP_SEEK] = {OF(seek)},
                  [REFRAIN_OP_COMM] = {OF(comm)},
                  [REFRAIN_OP_COMPLETE_RUN] = {OF(run)},
                  [REFRAIN_OP_COMPLETE_OTHER] = {OF(other)},
                  [REFRAIN_OP_NOTHING] = {request, 0}};
#undef OF

static const struct parameter *parameters_of(uint32_t operation, unsigned *n) {
    bool listed = operation < sizeof operations / sizeof *operations && operations[operation].parameters;
    *n = listed ? operations[operation].n : 1;
    return listed ? operations[operation].parameters : request;
}

/* True if the parameter has only had the value for "none". */
static bool is_absent(uint32_t operation, unsigned parameter, const struct refrain_learner *learner) {
    if (learner->state != REFRAIN_IDENTITY)
        return false;
    switch (operation) {
    case REFRAIN_OP_COLLECTIVE:
    case REFRAIN_OP_ICOLLECTIVE:
    case REFRAIN_OP_COLLECTIVE_INIT: /* a barrier has no root */
        return parameter == 0 && learner->expect == -1;
    case REFRAIN_OP_WINDOW: /* a fence has no target, a flush no lock */
        return (parameter == 0 && learner->expect == -1) || (parameter == 1 && learner->expect == 0);
    case REFRAIN_OP_FILE: /* a file that is closed has no mode */
        return parameter == 0 && learner->expect == 0;
    default:
        return false;
    }
}

static int visit_call_site(const struct refrain_process *process, const struct refrain_call_site_view *call_site,
                           visitor *visit, void *data) {
    struct refrain_learner_view view = {.thread = call_site->record->thread,
                                        .name = call_site->region->name,
                                        .function = call_site->region->function,
                                        .file = call_site->region->file,
                                        .line = call_site->region->line};
    int result = visit_one(&call_site->record->inside.next, view, REFRAIN_SUBJECT_SUCCESSOR, "inside", visit, data);
    const struct refrain_operation_record *operation = NULL;
    while (!result && (operation = refrain_call_site_operation(process, call_site->record, operation))) {
        unsigned n;
        const struct parameter *parameters = parameters_of(operation->operation, &n);
        for (unsigned i = 0; !result && i < n; i++) {
            view.absent = is_absent(operation->operation, i, &operation->parameter[i]);
            result = visit_one(&operation->parameter[i], view, parameters[i].subject, parameters[i].label, visit, data);
        }
        view.absent = false;
        if (!result)
            result = visit_one(&operation->after.next, view, REFRAIN_SUBJECT_SUCCESSOR, "after operation", visit, data);
    }
    return result;
}

int refrain_learners_visit(const struct refrain_process *process,
                           int (*visit)(void *data, const struct refrain_learner_view *view), void *data) {
    int result = 0;
    for (uint32_t t = 0; !result && t < process->header->n_threads; t++) {
        if (!process->threads[t].started)
            continue;
        struct refrain_learner_view root = {.thread = t, .name = "program", .function = "", .file = ""};
        result = visit_one(&process->threads[t].root.next, root, REFRAIN_SUBJECT_SUCCESSOR, "after", visit, data);
        for (uint32_t number = 0; !result && number < process->header->n_slots; number++)
            result = visit_slot(process, number, t, visit, data);
    }
    for (size_t i = 0; !result && i < process->n_call_sites; i++)
        result = visit_call_site(process, &process->call_sites[i], visit, data);
    for (size_t i = 0; !result && i < process->n_user_regions; i++) {
        const struct refrain_user_region_view *region = &process->user_regions[i];
        struct refrain_learner_view view = {
            .thread = region->record->thread, .name = region->region->name, .function = "", .file = ""};
        bool is_value = refrain_use_is_value(region->record->use);
        if (region->record->use == REFRAIN_USE_UNTOLD)
            view.name = "untold";
        result =
            visit_one(&region->record->inside.next, view, is_value ? REFRAIN_SUBJECT_VALUE : REFRAIN_SUBJECT_SUCCESSOR,
                      is_value ? "value" : "inside", visit, data);
    }
    return result;
}

struct check {
    const struct refrain_process *process;
    const char *wrong;
    uint64_t offset;
};

static int check_learner(void *data, const struct refrain_learner_view *view) {
    struct check *check = data;
    struct refrain_terms terms;
    refrain_terms_open(&terms, check->process->image, check->process->image_bytes, view->learner);
    while (refrain_terms_next(&terms, NULL))
        ;
    check->wrong = terms.wrong;
    check->offset = terms.wrong_offset;
    refrain_terms_close(&terms);
    return check->wrong != NULL;
}

enum refrain_status refrain_learners_check(const struct refrain_process *process, struct refrain_error *error) {
    struct check check = {.process = process};
    if (refrain_learners_visit(process, check_learner, &check))
        return refrain_process_damaged(process, check.offset, check.wrong, error);
    return REFRAIN_OK;
}
