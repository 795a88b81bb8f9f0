/* info_many.c: sums up the numbers of refrain info over all ranks (info_many.h). */
#define _GNU_SOURCE
#include "commands/info_many.h"

#include <stdlib.h>
#include <string.h>

static void add_number(struct refrain_info_many *many, enum refrain_info_number which, int32_t rank,
                       long double value) {
    struct refrain_info_range *range = &many->range[which];
    if (many->n == 0 || value < range->least) {
        range->least = value;
        range->least_rank = rank;
    }
    if (many->n == 0 || value > range->most) {
        range->most = value;
        range->most_rank = rank;
    }
}

static void add_exception(struct refrain_info_many *many, unsigned which, int32_t rank, uint64_t amount) {
    struct refrain_info_exceptions *exceptions = &many->exception[which];
    if (amount == 0)
        return;
    exceptions->ranks[exceptions->n++] = rank;
    exceptions->total += amount;
}

static void add_exceptions(struct refrain_info_many *many, const struct refrain_process *process,
                           const struct refrain_learned *learned) {
    const struct refrain_header *header = process->header;
    int32_t rank = process->rank;
    struct refrain_info_paused paused = refrain_info_paused(process);
    add_exception(many, REFRAIN_INFO_UNFINISHED, rank, header->finished == REFRAIN_UNFINISHED);
    add_exception(many, REFRAIN_INFO_ABORTED, rank, header->finished == REFRAIN_FINISHED_BY_ABORT);
    add_exception(many, REFRAIN_INFO_WITH_MPI, rank, header->finished == REFRAIN_FINISHED_WITH_MPI);
    add_exception(many, REFRAIN_INFO_UNKNOWN, rank, header->rank < 0);
    add_exception(many, REFRAIN_INFO_CLOCK, rank, header->clock == 1);
    add_exception(many, REFRAIN_INFO_UNEVEN_CLOCK, rank, refrain_trace_clock_ahead_ns(process) != 0);
    add_exception(many, REFRAIN_INFO_BACKWARDS, rank, learned->times.backwards);
    add_exception(many, REFRAIN_INFO_ORDER_REFUSED, rank, header->order.state == REFRAIN_ORDER_REFUSED);
    add_exception(many, REFRAIN_INFO_ORDERED, rank, header->order.receives);
    add_exception(many, REFRAIN_INFO_HELD, rank, header->order.held);
    add_exception(many, REFRAIN_INFO_GIVEN_UP_HOLDING, rank, header->order.given_up);
    add_exception(many, REFRAIN_INFO_MEANS, rank, header->mode & REFRAIN_MODE_STAT && learned->times.most_bytes == 0);
    add_exception(many, REFRAIN_INFO_STOPPED, rank, learned->times.stopped);
    add_exception(many, REFRAIN_INFO_GIVEN_UP, rank, learned->control_given_up);
    add_exception(many, REFRAIN_INFO_CODE, rank, header->code_is_kept);
    add_exception(many, REFRAIN_INFO_THROTTLED, rank, learned->throttled_functions + learned->throttled_probes);
    add_exception(many, REFRAIN_INFO_LIGHT, rank, learned->small_functions + learned->light);
    add_exception(many, REFRAIN_INFO_PAUSED, rank, paused.times);
    add_exception(many, REFRAIN_INFO_FILTERED, rank, paused.left_out_calls);
    for (unsigned i = 0; i < REFRAIN_LOSSES; i++)
        add_exception(many, REFRAIN_INFO_LOST + i, rank, header->losses[i]);
}

static enum refrain_status add_process(struct refrain_info_many *many, const struct refrain_trace *trace,
                                       const struct refrain_process *process, struct refrain_error *error) {
    const struct refrain_header *header = process->header;
    int32_t rank = process->rank;
    struct refrain_learned learned;
    enum refrain_status status = refrain_info_learned(trace, process, &learned, error);
    if (status)
        return status;
    const long double numbers[REFRAIN_INFO_NUMBERS] = {
        [REFRAIN_INFO_END_NS] = (long double)refrain_info_end_ns(process),
        [REFRAIN_INFO_MEMORY] = (long double)refrain_info_trace_file_used(header),
        [REFRAIN_INFO_MOST_MEMORY] = (long double)refrain_info_trace_file_bytes(header),
        [REFRAIN_INFO_TREE] = (long double)header->tree_bytes,
        [REFRAIN_INFO_PLACE_BYTES] = (long double)header->slot_bytes,
        [REFRAIN_INFO_FILE] = (long double)process->file_bytes,
        [REFRAIN_INFO_THREADS] = refrain_info_threads(process),
        [REFRAIN_INFO_MOST_THREADS] = header->n_threads,
        [REFRAIN_INFO_UNITS] = (long double)process->n_units,
        [REFRAIN_INFO_PLACES] = header->n_slots,
        [REFRAIN_INFO_CALL_SITES] = (long double)(process->n_call_sites + process->n_overflow_sites),
        [REFRAIN_INFO_COMMUNICATORS] = (long double)process->n_comms,
        [REFRAIN_INFO_RUN_NS] = learned.run_ns,
        [REFRAIN_INFO_BLOCKS_NS] = learned.blocks_ns,
        [REFRAIN_INFO_BLOCKS] = (long double)learned.times.blocks,
        [REFRAIN_INFO_SINGLE] = (long double)learned.times.single,
    };
    for (unsigned i = 0; i < REFRAIN_INFO_NUMBERS; i++)
        add_number(many, (enum refrain_info_number)i, rank, numbers[i]);
    add_exceptions(many, process, &learned);
    for (unsigned i = 0; i < REFRAIN_LEARNER_STATES; i++)
        many->by_state[i] += learned.by_state[i];
    many->learners += learned.total;
    many->values += learned.values;
    many->kept += learned.kept;
    many->blocks += (long double)learned.times.blocks;
    many->single += (long double)learned.times.single;
    long double quantum_ns = refrain_trace_span_ns(process, learned.times.quantum_ticks);
    many->quantum_ns = quantum_ns > many->quantum_ns ? quantum_ns : many->quantum_ns;
    const char *host = refrain_process_name(process, header->host);
    if (many->n == 0)
        many->host = host;
    many->other_hosts += strcmp(host, many->host) != 0;
    many->packed |= header->image_bytes != 0;
    many->n++;
    return REFRAIN_OK;
}

enum refrain_status refrain_info_many_count(struct refrain_info_many *many, const struct refrain_trace *trace,
                                            struct refrain_error *error) {
    enum refrain_status status = REFRAIN_OK;
    *many = (struct refrain_info_many){0};
    for (unsigned i = 0; !status && i < REFRAIN_INFO_EXCEPTIONS; i++) {
        many->exception[i].ranks = malloc(trace->n_processes * sizeof *many->exception[i].ranks);
        if (!many->exception[i].ranks)
            status = REFRAIN_FAIL_MEMORY(error);
    }
    for (size_t i = 0; !status && i < trace->n_processes; i++)
        status = add_process(many, trace, &trace->processes[i], error);
    return status;
}

void refrain_info_many_free(struct refrain_info_many *many) {
    for (unsigned i = 0; i < REFRAIN_INFO_EXCEPTIONS; i++)
        free(many->exception[i].ranks);
}
