/* trace_clock.c: ticks of each process to nanoseconds since the start of the run (trace_read.h).
 *
 * The rate comes from the clock pairs at both ends, by the monotonic clock. Processes that booted with one kernel share
 * the TSC: they get one rate and one base, so that no skew comes between them. Others are placed by the real time
 * clock. */
#include "trace_parts.h"

#include <string.h>

#define LONGEST_NS 1e18L /* some thirty years */

/* Times of a damaged file stay where sums and differences of them fit 64 bits. */
static int64_t limit(long double ns) {
    return ns > LONGEST_NS ? (int64_t)LONGEST_NS : ns < -LONGEST_NS ? -(int64_t)LONGEST_NS : (int64_t)ns;
}

static long double rate_of(const struct refrain_process *process) {
    const struct refrain_header *header = process->header;
    if (header->clock == 1)
        return 1;
    uint64_t ticks = header->last.ticks - header->start.ticks;
    uint64_t ns = header->last.monotonic_ns - header->start.monotonic_ns;
    return ticks && ns ? (long double)ns / (long double)ticks : 1;
}

static bool share_clock(const struct refrain_process *a, const struct refrain_process *b) {
    return a->header->clock == b->header->clock &&
           memcmp(a->header->boot_id, b->header->boot_id, sizeof a->header->boot_id) == 0;
}

void refrain_trace_read_clock(struct refrain_trace *trace) {
    trace->start_realtime_ns = UINT64_MAX;
    for (size_t i = 0; i < trace->n_processes; i++)
        if (trace->processes[i].header->start.realtime_ns < trace->start_realtime_ns)
            trace->start_realtime_ns = trace->processes[i].header->start.realtime_ns;
    for (size_t i = 0; i < trace->n_processes; i++) {
        struct refrain_process *process = &trace->processes[i];
        /* Of those that share its clock: the one that started first sets the base, the one that ran longest the rate.
         */
        const struct refrain_process *first = process, *longest = process;
        for (size_t j = 0; j < trace->n_processes; j++) {
            const struct refrain_process *other = &trace->processes[j];
            if (!share_clock(process, other))
                continue;
            if (other->header->start.ticks < first->header->start.ticks)
                first = other;
            if (other->header->last.ticks - other->header->start.ticks >
                longest->header->last.ticks - longest->header->start.ticks)
                longest = other;
        }
        process->base_ticks = first->header->start.ticks;
        process->offset_ns =
            limit((long double)first->header->start.realtime_ns - (long double)trace->start_realtime_ns);
        process->ns_per_tick = rate_of(longest);
    }
}

int64_t refrain_trace_time_ns(const struct refrain_process *process, uint64_t ticks) {
    return process->offset_ns + limit((long double)(int64_t)(ticks - process->base_ticks) * process->ns_per_tick);
}

long double refrain_trace_span_ns(const struct refrain_process *process, uint64_t ticks) {
    return (long double)ticks * process->ns_per_tick;
}
