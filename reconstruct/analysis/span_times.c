/* span_times.c: computes times of loops and branches from the steps and clock reads of a thread (span_times.h). */
#include "analysis/span_times.h"
#include "common/array.h"
#include "walk/walk_cycle.h"
#include "walk/walk_rank.h"

#include <stdlib.h>

/* Time in what an activation called: all, MPI calls, calls of the C library for files. */
struct called {
    uint64_t all_ticks, mpi_ticks, files_ticks;
};

/* An open loop or branch. */
struct open_span {
    uint32_t node;
    struct refrain_span_times *times;
    bool bounded; /* the clock has been read in it */
    uint64_t begin_ticks;
    struct called called; /* totals of its activation at that read */
};

/* A time at which all open spans were certainly open. */
struct certain {
    size_t spans; /* spans of the stack up to here */
    uint64_t ticks;
    struct called called;
};

struct activation {
    const struct refrain_unit_view *unit; /* null: a function without a unit */
    uint32_t function;                    /* node of the function */
    uint32_t node;                        /* current node */
    uint32_t around;                      /* node of the enclosing activation where a user region began; 0 none */
    size_t first_span,
        bounded_spans; /* first span of its own on the stack; spans before bounded_spans had a clock read */
    struct certain certain;
    uint64_t enter_ticks;
    struct called called;
    size_t again,
        gap; /* again: number + 1 of the span whose iteration has begun; gap: the one whose last gap took gap_ticks */
    uint64_t gap_ticks;
    bool calls;      /* it is at a call that has a probe */
    bool was_called; /* it was called from such a call */
    bool is_mpi, is_files, is_region;
};

struct walked {
    const struct refrain_process *process;
    struct refrain_span_times *const *of;
    struct activation *activations;
    size_t depth, capacity;
    struct open_span *spans;
    size_t n_spans, capacity_spans;
    struct refrain_span_times *ended; /* loop that ended since the last clock read; null: none */
    uint64_t ticks;                   /* of the last clock read */
    bool no_memory;
};

static long double ns_of(const struct walked *walked, uint64_t ticks) {
    return (int64_t)ticks > 0 ? refrain_trace_span_ns(walked->process, ticks) : 0;
}

/* True if the call site is one of the C library for files, false if it is MPI's. */
static bool calls_for_file(const struct refrain_process *process, uint64_t call_site) {
    const struct refrain_call_site_view *view = refrain_process_call_site(process, call_site);
    return view && view->region->kind == REFRAIN_REGION_IO;
}

/* ---- clock reads ---- */

static void read_clock(struct walked *walked, struct activation *top, uint64_t ticks) {
    long double block_ns = ns_of(walked, ticks - walked->ticks);
    for (size_t i = top->bounded_spans; i < walked->n_spans; i++) {
        struct open_span *span = &walked->spans[i];
        span->bounded = true;
        span->begin_ticks = ticks;
        span->called = top->called;
        span->times->edge_ns += block_ns;
        span->times->bounded++;
    }
    top->bounded_spans = walked->n_spans;
    if (walked->ended)
        walked->ended->edge_ns += block_ns;
    walked->ended = NULL;
    if (top->again) {
        top->gap = top->again;
        top->gap_ticks = ticks - walked->ticks;
        top->again = 0;
    }
    walked->ticks = ticks;
}

/* Control is certainly in all open spans of the activation, and has been since they began. */
static void be_certain(struct walked *walked, struct activation *top) {
    top->certain = (struct certain){top->bounded_spans, walked->ticks, top->called};
    if (top->gap) {
        struct refrain_span_times *times = walked->spans[top->gap - 1].times;
        times->gap_ns += ns_of(walked, top->gap_ticks);
        times->gaps++;
    }
    top->gap = 0;
}

/* ---- spans ---- */

static void close_span(struct walked *walked, struct activation *top) {
    size_t number = --walked->n_spans;
    struct open_span *span = &walked->spans[number];
    const struct certain *certain = &top->certain;
    bool is_certain = number < certain->spans && certain->ticks >= span->begin_ticks;
    uint64_t last_ticks = is_certain ? certain->ticks : span->begin_ticks; /* later reads may be after it */
    span->times->edge_ns += span->bounded ? ns_of(walked, walked->ticks - last_ticks) : 0;
    if (span->bounded && is_certain) {
        span->times->known_ns += ns_of(walked, certain->ticks - span->begin_ticks);
        span->times->called_ns += ns_of(walked, certain->called.all_ticks - span->called.all_ticks);
        span->times->mpi_ns += ns_of(walked, certain->called.mpi_ticks - span->called.mpi_ticks);
        span->times->files_ns += ns_of(walked, certain->called.files_ticks - span->called.files_ticks);
    }
    top->certain.spans = number < certain->spans ? number : certain->spans;
    top->bounded_spans = number < top->bounded_spans ? number : top->bounded_spans;
    top->again = top->again > number ? 0 : top->again;
    top->gap = top->gap > number ? 0 : top->gap;
}

static void open_span(struct walked *walked, const struct activation *top, uint32_t node, unsigned branch) {
    if (!REFRAIN_ARRAY_ROOM(walked->spans, walked->n_spans, walked->capacity_spans)) {
        walked->no_memory = true;
        return;
    }
    struct refrain_span_times *times = walked->of[top->unit - walked->process->units];
    walked->spans[walked->n_spans++] = (struct open_span){.node = node, .times = &times[2 * node + branch]};
}

/* Begins the loops around a node that are inside the innermost open span, the outermost first. */
static void open_loops(struct walked *walked, const struct activation *top, uint32_t node) {
    uint32_t loops[64];
    unsigned n = 0;
    uint32_t outer = walked->n_spans > top->first_span ? walked->spans[walked->n_spans - 1].node : 0;
    for (uint32_t at = node; at > outer && n < 64; at = top->unit->nodes[at].parent) {
        if (top->around && refrain_unit_contains(top->unit, at, top->around))
            break;
        if (refrain_kind_is_loop(top->unit->nodes[at].kind))
            loops[n++] = at;
        if (top->unit->nodes[at].parent >= at)
            break;
    }
    while (n > 0)
        open_span(walked, top, loops[--n], 0);
}

/* Ends the spans that do not contain the node. */
static void leave_spans(struct walked *walked, struct activation *top, uint32_t node) {
    while (walked->n_spans > top->first_span &&
           !refrain_unit_contains(top->unit, walked->spans[walked->n_spans - 1].node, node))
        close_span(walked, top);
}

/* True if the innermost span is that of the node. */
static bool is_in(const struct walked *walked, const struct activation *top, uint32_t node) {
    return walked->n_spans > top->first_span && walked->spans[walked->n_spans - 1].node == node;
}

/* Control reaches the node: begins the loops around it. */
static void reach(struct walked *walked, struct activation *top, uint32_t node) {
    leave_spans(walked, top, node);
    open_loops(walked, top, node);
    top->node = node;
}

/* ---- steps ---- */

/* An iteration begins. */
static void iterate(struct walked *walked, struct activation *top, uint32_t loop) {
    leave_spans(walked, top, loop);
    if (is_in(walked, top, loop)) {
        be_certain(walked, top);
        top->again = walked->spans[walked->n_spans - 1].bounded ? walked->n_spans : 0;
    }
    reach(walked, top, loop);
}

/* A loop ends by its condition. */
static void end_loop(struct walked *walked, struct activation *top, uint32_t loop) {
    leave_spans(walked, top, loop);
    if (is_in(walked, top, loop)) {
        be_certain(walked, top);
        walked->ended = walked->spans[walked->n_spans - 1].times;
    }
    reach(walked, top, top->unit->nodes[loop].parent);
}

/* A branch is taken. */
static void decide(struct walked *walked, struct activation *top, uint32_t decision, unsigned branch) {
    reach(walked, top, top->unit->nodes[decision].parent);
    open_span(walked, top, decision, branch);
}

static void take_step(struct walked *walked, struct activation *top, uint64_t number) {
    const struct refrain_slot_view *view =
        number < walked->process->header->n_slots ? &walked->process->slots[number] : NULL;
    if (!view || !view->node)
        return;
    uint32_t node = (uint32_t)(view->node - view->unit->nodes), kind = view->node->kind;
    top->calls = false;
    if (top->unit != view->unit || !refrain_unit_contains(top->unit, top->function, node))
        return; /* an MPI call in a function whose entry is not in the trace */
    top->calls = view->part == 0 && kind >= REFRAIN_CALL && kind <= REFRAIN_MACRO;
    if (refrain_kind_is_loop(kind) && view->part == 1)
        iterate(walked, top, node);
    else if (refrain_kind_is_loop(kind))
        end_loop(walked, top, node);
    else if (kind == REFRAIN_IF && view->part > 0)
        decide(walked, top, node, view->part - 1);
    else
        reach(walked, top, node);
}

/* ---- activations ---- */

static void enter(struct walked *walked, uint8_t kind, uint64_t id, uint64_t ticks) {
    struct activation *top = &walked->activations[walked->depth - 1];
    if (top->calls)
        be_certain(walked, top);
    struct activation inner = {.first_span = walked->n_spans,
                               .bounded_spans = walked->n_spans,
                               .enter_ticks = ticks,
                               .was_called = top->calls,
                               .is_region = kind == REFRAIN_RECORD_REGION_ENTER};
    if (kind == REFRAIN_RECORD_ENTER && id < walked->process->header->n_slots && walked->process->slots[id].node) {
        const struct refrain_slot_view *view = &walked->process->slots[id];
        inner.unit = view->unit;
        inner.function = inner.node = (uint32_t)(view->node - view->unit->nodes);
    }
    if (kind == REFRAIN_RECORD_CALL_ENTER) {
        inner.is_files = calls_for_file(walked->process, id);
        inner.is_mpi = !inner.is_files;
    }
    if (inner.is_region) {
        inner.unit = top->unit;
        inner.function = top->function;
        inner.node = inner.around = top->node;
    }
    if (!REFRAIN_ARRAY_ROOM(walked->activations, walked->depth, walked->capacity))
        walked->no_memory = true;
    else
        walked->activations[walked->depth++] = inner;
}

static void leave(struct walked *walked, uint64_t ticks) {
    struct activation *top = &walked->activations[walked->depth - 1];
    if (walked->depth == 1)
        return;
    while (walked->n_spans > top->first_span)
        close_span(walked, top);
    uint64_t took_ticks = ticks - top->enter_ticks;
    struct activation *caller = &walked->activations[--walked->depth - 1];
    caller->called.all_ticks += took_ticks;
    caller->called.mpi_ticks += top->is_mpi ? took_ticks : 0;
    caller->called.files_ticks += top->is_files ? took_ticks : 0;
    if (top->was_called)
        be_certain(walked, caller);
    caller->calls = false;
}

static void take(struct walked *walked, const struct refrain_record *record, uint64_t ticks) {
    struct activation *top = &walked->activations[walked->depth - 1];
    if (record->kind == REFRAIN_RECORD_STEP) {
        take_step(walked, top, record->id);
        return;
    }
    read_clock(walked, top, ticks);
    switch (record->kind) {
    case REFRAIN_RECORD_ENTER:
    case REFRAIN_RECORD_CALL_ENTER:
    case REFRAIN_RECORD_REGION_ENTER:
        enter(walked, record->kind, record->id, ticks);
        return;
    case REFRAIN_RECORD_LEAVE:
    case REFRAIN_RECORD_CALL_LEAVE:
    case REFRAIN_RECORD_REGION_LEAVE:
        leave(walked, ticks);
        return;
    default:
        return;
    }
}

/* ---- a thread ---- */

#define RECORDS 64u

static bool take_some(struct walked *walked, struct refrain_walk *walk) {
    struct refrain_record records[RECORDS];
    if (refrain_walk_gives_cycle(walk)) {
        struct refrain_walk_cycle *cycle;
        const uint64_t *ticks = refrain_walk_cycle_next(walk, &cycle);
        for (uint32_t i = 0; ticks && i < cycle->n_records; i++)
            take(walked, &cycle->records[i], ticks[cycle->records[i].read]);
        return true;
    }
    size_t n = refrain_walk_read(walk, records, RECORDS);
    for (size_t i = 0; i < n; i++)
        take(walked, &records[i], records[i].ticks);
    return n == RECORDS || refrain_walk_gives_cycle(walk);
}

bool refrain_span_times_add(const struct refrain_process *process, uint32_t thread,
                            struct refrain_span_times *const *of) {
    const char *wrong;
    uint64_t offset;
    struct walked walked = {.process = process, .of = of, .ticks = process->threads[thread].start_ticks};
    struct refrain_walk *walk = refrain_walk_open(process->image, process->image_bytes, thread, &wrong, &offset);
    if (!walk)
        return true;
    refrain_walk_find_cycles(walk);
    refrain_walk_record_steps(walk);
    if (REFRAIN_ARRAY_ROOM(walked.activations, walked.depth, walked.capacity))
        walked.activations[walked.depth++] = (struct activation){0};
    walked.no_memory = walked.depth == 0;
    while (!walked.no_memory && take_some(&walked, walk))
        continue;
    while (walked.depth > 1)
        leave(&walked, walked.ticks);
    refrain_walk_close(walk);
    free(walked.activations);
    free(walked.spans);
    return !walked.no_memory;
}
