/* info_learned.h: counts what a rank learned, left out and lost (trace -> text, JSON of refrain info). */
#ifndef REFRAIN_INFO_LEARNED_H
#define REFRAIN_INFO_LEARNED_H

#include "model/trace_read.h"
#include "times/block_times.h"

struct refrain_learned {
    const struct refrain_process *process;
    uint64_t by_state[REFRAIN_LEARNER_STATES];
    uint64_t total, values, kept;
    uint64_t throttled_functions, throttled_probes; /* disabled for some time, since they were too frequent */
    uint64_t small_functions, light;                /* functions, decisions and loops that --detail=all gave no probe */
    long double run_ns, blocks_ns;                  /* sums over all threads: run time; time of all blocks */
    struct refrain_time_summary times;
    uint64_t control_given_up; /* sequences of control flow whose order was given up */
};

/* Counts what the rank learned. */
enum refrain_status refrain_info_learned(const struct refrain_trace *trace, const struct refrain_process *process,
                                         struct refrain_learned *learned, struct refrain_error *error);

/* What was left out on purpose: pauses, calls in pauses, and calls that a filter excludes. */
struct refrain_info_paused {
    uint64_t times, untold_calls, left_out_calls;
    long double ns;
};

struct refrain_info_paused refrain_info_paused(const struct refrain_process *process);

/* Latest time at which a thread of the process was seen, since the start of the run. */
int64_t refrain_info_end_ns(const struct refrain_process *process);

/* The bytes of the process's trace file while it ran, and how many of them were used. (The image of a packed one is
 * smaller.) */
uint64_t refrain_info_trace_file_bytes(const struct refrain_header *header);
uint64_t refrain_info_trace_file_used(const struct refrain_header *header);

/* Memory of the process beyond REFRAIN_TOTAL_MEMORY: for the lists of ranks; for rearranging formulas, in all traced
 * threads, as far as it exceeds the memory that was set aside (refrain/settings.h). */
uint64_t refrain_info_ranks_bytes(const struct refrain_header *header);
uint64_t refrain_info_scratch_bytes(const struct refrain_process *process);

/* Number of threads that were traced. */
uint32_t refrain_info_threads(const struct refrain_process *process);

/* The name of a loss in JSON; its explanation for users; the name of a learner's state in JSON. */
const char *refrain_info_loss_key(enum refrain_loss loss);
const char *refrain_info_loss_text(enum refrain_loss loss);
const char *refrain_info_state_name(int state);

/* Prints a line with the forms of the sequences, from the number of learners in each state. */
void refrain_info_print_states(const uint64_t *by_state);

#endif
