/* trace_clock.c: converts the ticks of each process to nanoseconds since the start of the run (trace_read.h).
 *
 * The rate comes from the clock pairs at both ends, by the monotonic clock. Processes that booted with the same
 * kernel share the TSC. They get one rate and one base, so they have no skew among each other. Other nodes are
 * placed as follows:
 *
 *     two meetings with another node    both meetings are at the same time on both nodes (struct refrain_clock_sync)
 *     one meeting                       this meeting is, and the node keeps its own rate
 *     none                              by the real time clock */
#include "model/trace_parts.h"

#include <stdlib.h>
#include <string.h>

#define MOST_DRIFT 100u       /* a clock may differ by 1 / this from the rate that its own node measured */
#define LEAST_JUMP_NS 1000000 /* a clock that differs by this from the clock of the system at the end */
#define LEAST_JUMP_SHARE 50   /* and by more than 1 / this of the run, did not run evenly */
#define MOST_STEPS 64u        /* from a node to the root of the tree */

/* Limits times of a damaged file, so that their sums and differences fit 64 bits. */
static int64_t limited_difference(uint64_t a, uint64_t b) {
    uint64_t distance = a > b ? a - b : b - a;
    if (distance > REFRAIN_LONGEST_NS)
        distance = REFRAIN_LONGEST_NS;
    return a > b ? (int64_t)distance : -(int64_t)distance;
}

/* ---- clocks that went back by more than the length of the run ---- */

/* A total is negative if the clock went back in the blocks of the slot. Then it counts as 0. */
static uint64_t ticks_of(const struct refrain_slot *slot) {
    return slot && (int64_t)slot->ticks > 0 ? slot->ticks : 0;
}

/* Total time of the blocks of a thread. */
static uint64_t ticks_of_blocks(const struct refrain_process *process, uint32_t thread) {
    uint64_t ticks = ticks_of(&process->threads[thread].root);
    for (uint32_t number = 0; number < process->header->n_slots; number++)
        ticks += ticks_of(refrain_process_slot(process, thread, number));
    for (size_t i = 0; i < process->n_call_sites; i++) {
        const struct refrain_call_site *call_site = process->call_sites[i].record;
        const struct refrain_operation_record *operation = NULL;
        if (call_site->thread != thread)
            continue;
        ticks += ticks_of(&call_site->inside);
        while ((operation = refrain_call_site_operation(process, call_site, operation)))
            ticks += ticks_of(&operation->after);
    }
    for (size_t i = 0; i < process->n_user_regions; i++)
        if (process->user_regions[i].record->thread == thread)
            ticks += ticks_of(&process->user_regions[i].record->inside);
    return ticks;
}

/* If a thread seems to end before it began, sets its end to the end of its blocks. image.c has made the image of such a
 * process private. */
static void find_ends(struct refrain_process *process) {
    for (uint32_t t = 0; process->mapped && t < process->header->n_threads; t++)
        if (refrain_thread_has_no_end(&process->threads[t])) {
            unsigned char *image = process->mapped;
            struct refrain_thread *thread = (struct refrain_thread *)(image + process->header->threads) + t;
            thread->last_ticks = thread->start_ticks + ticks_of_blocks(process, t);
        }
}

/* The later of the two clock pairs from which the rate is computed. */
static const struct refrain_clock_pair *later_pair(const struct refrain_header *header) {
    return header->last.ticks < header->start.ticks ? &header->first : &header->last;
}

/* ---- rates ---- */

/* Nanoseconds per tick, in units of 2^-64. Integers only, so that all machines that read the trace get the same
 * result. */
static unsigned __int128 rate_of(const struct refrain_process *process) {
    const struct refrain_header *header = process->header;
    const struct refrain_clock_pair *later = later_pair(header);
    uint64_t ticks = later->ticks - header->start.ticks;
    uint64_t ns = later->monotonic_ns - header->start.monotonic_ns;
    return header->clock == 1 || !ticks || !ns ? (unsigned __int128)1 << 64 : ((unsigned __int128)ns << 64) / ticks;
}

static bool share_clock(const struct refrain_process *a, const struct refrain_process *b) {
    return a->header->clock == b->header->clock &&
           memcmp(a->header->boot_id, b->header->boot_id, sizeof a->header->boot_id) == 0;
}

static void set_rate(struct refrain_process *process, unsigned __int128 rate) {
    process->ns_a_tick = (uint64_t)(rate >> 64);
    process->ns_a_tick_fraction = (uint64_t)rate;
    process->most_ticks = process->ns_a_tick < REFRAIN_LONGEST_NS ? REFRAIN_LONGEST_NS / (process->ns_a_tick + 1) : 0;
    process->ns_per_tick = (long double)process->ns_a_tick + (long double)process->ns_a_tick_fraction / 0x1p64L;
}

/* Of the processes that share a clock: the longest one, whose rate is the most exact. */
static const struct refrain_process *longest_of(const struct refrain_trace *trace,
                                                const struct refrain_process *process) {
    const struct refrain_process *longest = process;
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *other = &trace->processes[i];
        if (share_clock(process, other) && later_pair(other->header)->ticks - other->header->start.ticks >
                                               later_pair(longest->header)->ticks - longest->header->start.ticks)
            longest = other;
    }
    return longest;
}

/* The nearest process before this one that shares its clock; null if there is none. Only the first process of a
 * clock searches all. */
static const struct refrain_process *placed_before(const struct refrain_trace *trace, size_t i) {
    for (size_t j = i; j-- > 0;)
        if (share_clock(&trace->processes[i], &trace->processes[j]))
            return &trace->processes[j];
    return NULL;
}

/* The process that started first sets the base of all that share its clock. */
static void place_by_real_time(struct refrain_trace *trace) {
    trace->start_realtime_ns = UINT64_MAX;
    for (size_t i = 0; i < trace->n_processes; i++)
        if (trace->processes[i].header->start.realtime_ns < trace->start_realtime_ns)
            trace->start_realtime_ns = trace->processes[i].header->start.realtime_ns;
    for (size_t i = 0; i < trace->n_processes; i++) {
        struct refrain_process *process = &trace->processes[i];
        const struct refrain_process *first = process, *like = placed_before(trace, i);
        if (like) {
            process->base_ticks = like->base_ticks;
            process->offset_ns = like->offset_ns;
            set_rate(process, (unsigned __int128)like->ns_a_tick << 64 | like->ns_a_tick_fraction);
            continue;
        }
        for (size_t j = 0; j < trace->n_processes; j++) {
            const struct refrain_process *other = &trace->processes[j];
            if (share_clock(process, other) && other->header->start.ticks < first->header->start.ticks)
                first = other;
        }
        process->base_ticks = first->header->start.ticks;
        process->offset_ns = limited_difference(first->header->start.realtime_ns, trace->start_realtime_ns);
        set_rate(process, rate_of(longest_of(trace, process)));
    }
}

long double refrain_trace_span_ns(const struct refrain_process *process, uint64_t ticks) {
    return (int64_t)ticks < 0 ? 0 : (long double)ticks * process->ns_per_tick;
}

/* ---- clocks that do not run evenly ---- */

/* How far a clock with its first rate was ahead of the clock of the system at the end; negative: behind. */
static int64_t ahead_ns(const struct refrain_header *header, int64_t system_ns) {
    int64_t ticks = limited_difference(header->last.ticks, header->first.ticks);
    if (header->clock == 1)
        return ticks - system_ns;
    long double first_ns = (long double)limited_difference(header->first.monotonic_ns, header->start.monotonic_ns);
    long double first_ticks = (long double)limited_difference(header->first.ticks, header->start.ticks);
    return first_ticks > 0 ? (int64_t)((long double)ticks * first_ns / first_ticks) - system_ns : 0;
}

int64_t refrain_trace_clock_ahead_ns(const struct refrain_process *process) {
    const struct refrain_header *header = process->header;
    int64_t system_ns = header->clock == 1 ? limited_difference(header->last.realtime_ns, header->first.realtime_ns)
                                           : limited_difference(header->last.monotonic_ns, header->first.monotonic_ns);
    if (header->first.monotonic_ns == 0 || system_ns <= 0)
        return 0;
    int64_t ahead = ahead_ns(header, system_ns), distance = ahead < 0 ? -ahead : ahead;
    return distance > LEAST_JUMP_NS && distance > system_ns / LEAST_JUMP_SHARE ? ahead : 0;
}

/* ---- several nodes ---- */

/* The process of a node that compared its clock with that of another node; null if none did. */
static const struct refrain_process *speaker_of(const struct refrain_trace *trace,
                                                const struct refrain_process *process) {
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_clock_sync *sync = &trace->processes[i].header->clock_sync;
        if (sync->n > 0 && sync->n <= 2 && share_clock(process, &trace->processes[i]))
            return &trace->processes[i];
    }
    return NULL;
}

static const struct refrain_process *parent_of(const struct refrain_trace *trace,
                                               const struct refrain_process *speaker) {
    return speaker ? refrain_trace_process(trace, speaker->header->clock_sync.parent) : NULL;
}

/* The rate at which both meetings are at the same time on the node and on its parent, which has been placed. 0: they
 * met only once, or a clock did not run evenly between. */
static unsigned __int128 rate_between_meetings(const struct refrain_trace *trace, const struct refrain_process *speaker,
                                               const struct refrain_process *parent) {
    const struct refrain_clock_meeting *meeting = speaker->header->clock_sync.meeting;
    if (speaker->header->clock_sync.n != 2 || meeting[1].own_ticks <= meeting[0].own_ticks)
        return 0;
    int64_t ns =
        refrain_trace_time_ns(parent, meeting[1].parent_ticks) - refrain_trace_time_ns(parent, meeting[0].parent_ticks);
    unsigned __int128 own = rate_of(longest_of(trace, speaker)), rate = ns > 0 ? (unsigned __int128)ns << 64 : 0;
    rate /= meeting[1].own_ticks - meeting[0].own_ticks;
    return rate > own + own / MOST_DRIFT || rate < own - own / MOST_DRIFT ? 0 : rate;
}

/* Places the processes of a node by the clock of its parent, which has been placed. */
static void place_node(struct refrain_trace *trace, const struct refrain_process *speaker,
                       const struct refrain_process *parent) {
    const struct refrain_clock_meeting *meeting = speaker->header->clock_sync.meeting;
    int64_t offset_ns = refrain_trace_time_ns(parent, meeting[0].parent_ticks);
    unsigned __int128 rate = rate_between_meetings(trace, speaker, parent);
    if (!rate)
        rate = rate_of(longest_of(trace, speaker));
    uint64_t base_ticks = meeting[0].own_ticks;
    for (size_t i = 0; i < trace->n_processes; i++) {
        struct refrain_process *process = &trace->processes[i];
        if (!share_clock(process, speaker))
            continue;
        process->base_ticks = base_ticks;
        process->offset_ns = offset_ns;
        set_rate(process, rate);
    }
}

/* Places nodes from the root of the tree on. Nodes in a circle, or without a parent, stay where the real time clock
 * put them. */
static enum refrain_status place_nodes(struct refrain_trace *trace, struct refrain_error *error) {
    bool *placed = calloc(trace->n_processes + 1, sizeof *placed), more = true;
    if (!placed)
        return REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; i < trace->n_processes; i++)
        placed[i] = !parent_of(trace, speaker_of(trace, &trace->processes[i]));
    while (more) {
        more = false;
        for (size_t i = 0; i < trace->n_processes; i++) {
            const struct refrain_process *speaker = placed[i] ? NULL : speaker_of(trace, &trace->processes[i]);
            const struct refrain_process *parent = parent_of(trace, speaker);
            if (!parent || !placed[parent - trace->processes])
                continue;
            place_node(trace, speaker, parent);
            for (size_t j = 0; j < trace->n_processes; j++)
                placed[j] |= share_clock(&trace->processes[j], speaker);
            more = true;
        }
    }
    free(placed);
    return REFRAIN_OK;
}

/* Shifts all times so that the first process starts at 0. */
static void start_at_zero(struct refrain_trace *trace) {
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < trace->n_processes; i++) {
        int64_t start = refrain_trace_time_ns(&trace->processes[i], trace->processes[i].header->start.ticks);
        if (start < first)
            first = start;
    }
    for (size_t i = 0; i < trace->n_processes; i++)
        trace->processes[i].offset_ns -= first;
    trace->start_realtime_ns += (uint64_t)first;
}

enum refrain_status refrain_trace_read_clock(struct refrain_trace *trace, struct refrain_error *error) {
    bool compared = false;
    for (size_t i = 0; i < trace->n_processes; i++)
        find_ends(&trace->processes[i]);
    place_by_real_time(trace);
    for (size_t i = 0; i < trace->n_processes; i++)
        compared |= trace->processes[i].header->clock_sync.n > 0;
    if (!compared)
        return REFRAIN_OK;
    enum refrain_status status = place_nodes(trace, error);
    if (!status)
        start_at_zero(trace);
    return status;
}

/* How much faster the clock of the node runs than that of rank 0, if it was compared twice; negative: slower. */
static double drift_ppm(const struct refrain_trace *trace, const struct refrain_process *process) {
    unsigned __int128 own = rate_of(longest_of(trace, process));
    long double own_ns = (long double)(uint64_t)(own >> 64) + (long double)(uint64_t)own / 0x1p64L;
    return (double)(process->ns_per_tick / own_ns - 1) * 1e6;
}

void refrain_trace_clocks(const struct refrain_trace *trace, struct refrain_trace_clocks *clocks) {
    *clocks = (struct refrain_trace_clocks){0};
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        bool known = false;
        for (size_t j = 0; j < i; j++)
            known |= share_clock(process, &trace->processes[j]);
        if (known)
            continue;
        const struct refrain_process *speaker = speaker_of(trace, process), *parent = parent_of(trace, speaker);
        clocks->nodes++;
        if (!parent)
            continue;
        int64_t error_ns = 0;
        bool twice = true, uneven = false;
        for (unsigned steps = 0; parent && steps < MOST_STEPS; steps++) {
            const struct refrain_clock_sync *sync = &speaker->header->clock_sync;
            uint64_t ticks = sync->meeting[0].round_trip_ticks;
            if (sync->n == 2 && sync->meeting[1].round_trip_ticks > ticks)
                ticks = sync->meeting[1].round_trip_ticks;
            error_ns += (int64_t)(refrain_trace_span_ns(speaker, ticks < REFRAIN_LONGEST_NS ? ticks : 0) / 2);
            if (rate_between_meetings(trace, speaker, parent) == 0) {
                twice = false;
                uneven |= sync->n == 2;
            }
            speaker = speaker_of(trace, parent);
            parent = parent_of(trace, speaker);
        }
        clocks->compared[twice]++;
        clocks->uneven += uneven;
        if (error_ns > clocks->error_ns[twice])
            clocks->error_ns[twice] = error_ns;
        if (!twice)
            continue;
        double drift = drift_ppm(trace, process);
        if ((drift < 0 ? -drift : drift) > clocks->drift_ppm)
            clocks->drift_ppm = drift < 0 ? -drift : drift;
    }
}
