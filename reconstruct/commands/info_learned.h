/* info_learned.h: what refrain info counts of a rank (trace -> text, JSON). */
#ifndef REFRAIN_INFO_LEARNED_H
#define REFRAIN_INFO_LEARNED_H

#include "model/trace_read.h"
#include "times/block_times.h"

struct refrain_learned {
    const struct refrain_process *process;
    uint64_t by_state[REFRAIN_LEARNER_STATES];
    uint64_t total, values, kept;
    uint64_t throttled_functions, throttled_probes; /* switched off during the run, since they came too often */
    uint64_t small_functions, light;                /* functions, decisions and loops that --detail=all gave no probe */
    long double run_ns, blocks_ns; /* of all its threads: how long they ran, and what their blocks add up to */
    struct refrain_time_summary times;
    uint64_t control_given_up; /* sequences of control flow of which the order is not known any longer */
};

/* Counts what the rank learned. */
enum refrain_status refrain_info_learned(const struct refrain_trace *trace, const struct refrain_process *process,
                                         struct refrain_learned *learned, struct refrain_error *error);

/* What was left out on purpose: pauses, and the calls in them and by a filter. */
struct refrain_info_paused {
    uint64_t times, untold_calls, left_out_calls;
    long double ns;
};

struct refrain_info_paused refrain_info_paused(const struct refrain_process *process);

/* When the last of its threads was seen, after the start of the run. */
int64_t refrain_info_end_ns(const struct refrain_process *process);

/* The bytes of the process's trace file while it ran, and how many of them were used. (The image of a packed one is
 * smaller.) */
uint64_t refrain_info_trace_file_bytes(const struct refrain_header *header);
uint64_t refrain_info_trace_file_used(const struct refrain_header *header);

/* What of its memory was not part of REFRAIN_TOTAL_MEMORY: lists of the ranks, and the most that rearranging formulas
 * took in all threads that were traced beyond what was set aside (refrain/settings.h). */
uint64_t refrain_info_ranks_bytes(const struct refrain_header *header);
uint64_t refrain_info_scratch_bytes(const struct refrain_process *process);

/* Threads that were traced. */
uint32_t refrain_info_threads(const struct refrain_process *process);

/* What was lost, for JSON and for people; a state of a learner, for JSON. */
const char *refrain_info_loss_key(enum refrain_loss loss);
const char *refrain_info_loss_text(enum refrain_loss loss);
const char *refrain_info_state_name(int state);

/* A line that says, by the number of learners in each state, how sequences are held. */
void refrain_info_print_states(const uint64_t *by_state);

#endif
