/* info_learned.c: counts what a rank learned, left out and lost (info_learned.h). */
#include "commands/info_learned.h"
#include "analysis/profile.h"
#include "commands/command.h"
#include "model/learners.h"
#include "sequence/sequence.h"

#include <refrain/settings.h>
#include <stdio.h>

static const struct {
    const char *key, *text;
} losses[REFRAIN_LOSSES] = {
    [REFRAIN_LOSS_UNITS] =
        {"units",
         "source files that are untraced: their tables did not fit (raise REFRAIN_TOTAL_MEMORY), or another version "
         "of refrain instrumented them (compile them again)"},
    [REFRAIN_LOSS_THREADS] = {"threads", "threads beyond REFRAIN_THREADS: untraced"},
    [REFRAIN_LOSS_DEPTH] = {"depth", "function calls nested too deeply to be traced"},
    [REFRAIN_LOSS_INTERRUPTED] =
        {"interrupted", "probes that a signal handler ran inside another, or after it jumped out of one, or that a "
                        "thread ran while another one was opening the trace file"},
    [REFRAIN_LOSS_LEARNERS] = {"learners", "sequences that are only summarised; raise REFRAIN_TOTAL_MEMORY"},
    [REFRAIN_LOSS_SUMMARY_VALUES] = {"summary_values", "values of which only a summary is kept"},
    [REFRAIN_LOSS_CALLS] = {"calls", "MPI calls that are not in the trace: no room for their call site"},
    [REFRAIN_LOSS_REQUESTS] =
        {"requests", "requests whose completion is not in the trace: beyond the table, or freed receives of any source "
                     "or tag"},
    [REFRAIN_LOSS_COMMUNICATORS] = {"communicators", "communicators without room for a record: shown as an older one "
                                                     "with the same members, or as unknown"},
    [REFRAIN_LOSS_EVENTS] =
        {"events", "recorded events that could not be written (is the disk full, or REFRAIN_EVENT_MEMORY too little?)"},
    [REFRAIN_LOSS_FORKS] = {"forks", "processes forked: the child is not traced"},
    [REFRAIN_LOSS_REGIONS] = {"regions", "user regions that ended without a beginning, or for which there was no room"},
    [REFRAIN_LOSS_WINDOWS] = {"windows", "windows and files beyond their table"},
    [REFRAIN_LOSS_TYPES] = {"types", "datatypes beyond their table: bytes of their messages are unknown"},
    [REFRAIN_LOSS_COUNTS] =
        {"counts", "values counted as another: no room for a count of their own, so totals by value are not exact"},
    [REFRAIN_LOSS_PATHS] = {"paths", "call paths whose outer part, or a function in them, is unknown: code without "
                                     "unwinding tables, or no memory"},
    [REFRAIN_LOSS_METRICS] = {"metrics", "blocks whose metrics are in no total: no room at their place (raise "
                                         "REFRAIN_TOTAL_MEMORY), or the counters could not be opened or read"},
    [REFRAIN_LOSS_FILE_NAMES] = {"file_names", "opened files without a name: no room for it"},
    [REFRAIN_LOSS_STACKS] = {"stacks", "activations that end too early, since the program switched stacks "
                                       "(coroutines): later events in them belong to those around them"},
    [REFRAIN_LOSS_CALL_SITES] = {"sites",
                                 "MPI calls shown at another call of the same MPI function: no room for their own"},
};

static const char *const state_names[] = {"empty",   "identity",  "predicting", "building",
                                          "summary", "repeating", "plain"};
_Static_assert(sizeof state_names / sizeof *state_names == REFRAIN_LEARNER_STATES, "each state has a name");

const char *refrain_info_loss_key(enum refrain_loss loss) {
    return losses[loss].key;
}

const char *refrain_info_loss_text(enum refrain_loss loss) {
    return losses[loss].text;
}

const char *refrain_info_state_name(int state) {
    return state_names[state];
}

void refrain_info_print_states(const uint64_t *by_state) {
    printf("            of one value %s, formulas %s, long cycles %s, without a rule %s, only "
           "counted %s\n",
           refrain_show_count(by_state[REFRAIN_IDENTITY]),
           refrain_show_count(by_state[REFRAIN_PREDICT] + by_state[REFRAIN_BUILD]),
           refrain_show_count(by_state[REFRAIN_REPEAT]), refrain_show_count(by_state[REFRAIN_PLAIN]),
           refrain_show_count(by_state[REFRAIN_SUMMARY]));
}

static int count_learner(void *data, const struct refrain_learner_view *view) {
    struct refrain_learned *learned = data;
    uint64_t kept = 0;
    uint64_t values =
        refrain_learner_values(learned->process->image, learned->process->image_bytes, view->learner, &kept);
    if (view->learner->state < REFRAIN_LEARNER_STATES)
        learned->by_state[view->learner->state]++;
    if (view->learner->state == REFRAIN_SUMMARY && view->subject <= REFRAIN_SUBJECT_SUCCESSOR)
        learned->control_given_up++;
    learned->total++;
    learned->values += values;
    learned->kept += kept;
    return 0;
}

static void count_throttled(const struct refrain_process *process, struct refrain_learned *learned) {
    for (uint32_t t = 0; t < process->header->n_threads; t++)
        for (uint32_t number = 0; process->threads[t].started && number < process->header->n_slots; number++) {
            const struct refrain_slot_view *view = &process->slots[number];
            const struct refrain_slot *slot = refrain_process_slot(process, t, number);
            if (!view->node || !slot)
                continue;
            if (view->node->kind == REFRAIN_FUNCTION)
                learned->throttled_functions += view->part == 1 && slot->throttled_at != 0;
            else
                learned->throttled_probes += (slot->flags & REFRAIN_SLOT_WAS_THROTTLED) != 0;
        }
}

static void count_left_out(const struct refrain_process *process, struct refrain_learned *learned) {
    for (size_t i = 0; i < process->n_units; i++) {
        const struct refrain_node *whole = process->units[i].nodes; /* the unit itself */
        learned->small_functions += whole->line;
        learned->light += whole->column;
    }
}

enum refrain_status refrain_info_learned(const struct refrain_trace *trace, const struct refrain_process *process,
                                         struct refrain_learned *learned, struct refrain_error *error) {
    struct refrain_profile_total total;
    *learned = (struct refrain_learned){.process = process};
    refrain_learners_visit(process, count_learner, learned);
    count_throttled(process, learned);
    count_left_out(process, learned);
    for (uint32_t t = 0; t < process->header->n_threads; t++)
        if (process->threads[t].started)
            refrain_time_summary_add(&learned->times, process->image, process->image_bytes, &process->threads[t]);
    enum refrain_status status = refrain_profile_open(trace, process->rank, false, &total, error);
    if (status)
        return status;
    learned->run_ns = total.run_ns;
    learned->blocks_ns = total.functions_ns + total.mpi_ns + total.files_ns + total.outside_ns;
    for (size_t i = 0; i < total.n_regions; i++)
        learned->blocks_ns += total.regions[i].own_ns;
    refrain_profile_close(&total);
    return REFRAIN_OK;
}

struct refrain_info_paused refrain_info_paused(const struct refrain_process *process) {
    struct refrain_info_paused paused = {0};
    for (size_t i = 0; i < process->n_user_regions; i++) {
        const struct refrain_region_name *record = process->user_regions[i].record;
        if (record->use == REFRAIN_USE_PAUSE) {
            paused.times += record->inside.count;
            paused.ns += refrain_trace_span_ns(process, record->inside.ticks);
        }
    }
    for (uint32_t t = 0; t < process->header->n_threads; t++) {
        paused.untold_calls += process->threads[t].untold_calls;
        paused.left_out_calls += process->threads[t].left_out_calls;
    }
    return paused;
}

int64_t refrain_info_end_ns(const struct refrain_process *process) {
    int64_t end = 0;
    for (uint32_t t = 0; t < process->header->n_threads; t++) {
        int64_t at = refrain_trace_time_ns(process, process->threads[t].last_ticks);
        if (process->threads[t].started && at > end)
            end = at;
    }
    return end;
}

uint64_t refrain_info_trace_file_bytes(const struct refrain_header *header) {
    return header->image_bytes ? header->image_bytes : header->bytes;
}

uint64_t refrain_info_trace_file_used(const struct refrain_header *header) {
    return header->image_bytes ? header->image_used : header->pool_used;
}

uint64_t refrain_info_ranks_bytes(const struct refrain_header *header) {
    return header->mpi_library && header->size > 0 ? refrain_settings_ranks_bytes((uint64_t)header->size) : 0;
}

uint64_t refrain_info_scratch_bytes(const struct refrain_process *process) {
    uint64_t total = refrain_info_trace_file_bytes(process->header) + process->header->outside_bytes;
    return refrain_settings_scratch_bytes(total, refrain_info_threads(process));
}

uint32_t refrain_info_threads(const struct refrain_process *process) {
    uint32_t n = 0;
    for (uint32_t t = 0; t < process->header->n_threads; t++)
        n += process->threads[t].started != 0;
    return n;
}
