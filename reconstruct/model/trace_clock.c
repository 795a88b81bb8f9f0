/* trace_clock.c: ticks of each process to nanoseconds since the start of the run (trace_read.h).
 *
 * The rate comes from the clock pairs at both ends, by the monotonic clock. Processes that booted with one kernel share
 * the TSC: they get one rate and one base, so that no skew comes between them. Others are placed by the real time
 * clock. */
#include "trace_parts.h"

#include <string.h>

#define LONGEST ((uint64_t)1000000000000000000) /* ns, some thirty years */

/* Times of a damaged file stay where sums and differences of them fit 64 bits. */
static int64_t limited_difference(uint64_t a, uint64_t b) {
    uint64_t distance = a > b ? a - b : b - a;
    if (distance > LONGEST)
        distance = LONGEST;
    return a > b ? (int64_t)distance : -(int64_t)distance;
}

/* Nanoseconds a tick in units of 2^-64, by integers alone: the same on every machine that reads the trace. */
static unsigned __int128 rate_of(const struct refrain_process *process) {
    const struct refrain_header *header = process->header;
    uint64_t ticks = header->last.ticks - header->start.ticks;
    uint64_t ns = header->last.monotonic_ns - header->start.monotonic_ns;
    return header->clock == 1 || !ticks || !ns ? (unsigned __int128)1 << 64 : ((unsigned __int128)ns << 64) / ticks;
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
        process->offset_ns = limited_difference(first->header->start.realtime_ns, trace->start_realtime_ns);
        unsigned __int128 rate = rate_of(longest);
        process->ns_a_tick = (uint64_t)(rate >> 64);
        process->ns_a_tick_fraction = (uint64_t)rate;
        process->ns_per_tick = (long double)process->ns_a_tick + (long double)process->ns_a_tick_fraction / 0x1p64L;
    }
}

int64_t refrain_trace_time_ns(const struct refrain_process *process, uint64_t ticks) {
    int64_t since = (int64_t)(ticks - process->base_ticks);
    uint64_t distance = since < 0 ? -(uint64_t)since : (uint64_t)since;
    unsigned __int128 whole = (unsigned __int128)distance * process->ns_a_tick;
    uint64_t fraction = (uint64_t)((unsigned __int128)distance * process->ns_a_tick_fraction >> 64);
    uint64_t ns = LONGEST;
    if (whole < LONGEST && fraction < LONGEST && (uint64_t)whole + fraction < LONGEST)
        ns = (uint64_t)whole + fraction;
    return process->offset_ns + (since < 0 ? -(int64_t)ns : (int64_t)ns);
}

long double refrain_trace_span_ns(const struct refrain_process *process, uint64_t ticks) {
    return (long double)ticks * process->ns_per_tick;
}
