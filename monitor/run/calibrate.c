/* calibrate.c: measures what each kind of probe costs. It runs probes on slots of its own, which are removed from the
 * pool afterwards (calibrate.h).
 *
 *     clock | probe up to its clock read | clock read | rest of the probe | clock
 *           '------- before -------------------------''--- after --------'
 *
 * The least of several rounds counts, as the cost of a probe without disturbance. In a program whose data fill the
 * caches a probe costs more. So all kinds are measured once more with cold caches; the cost in a program lies between
 * both.
 *
 * A probe that is timed alone takes longer than in a row of probes, in which the processor overlaps neighbours. So the
 * row's time is the cost of all kinds together, and the single times only divide it among the kinds.
 *
 * MPI calls are measured in the usual case, in which each call is as predicted. So they have a row of their own, after
 * as many calls as it takes until all values are predicted. */
#define _GNU_SOURCE
#include "run/calibrate.h"
#include "arch/arch.h"
#include "arch/clock.h"
#include "begin.h"
#include "call.h"
#include "context.h"
#include "events.h"
#include "metrics.h"
#include "run/allowance.h"
#include "run/loaded_units.h"
#include "run/pool.h"
#include <refrain/settings.h>
#include <refrain/trace.h>
#define REFRAIN_BUILDING
#pragma GCC visibility push(default)
#include <refrain/refrain.h>
#pragma GCC visibility pop

#include <string.h>
#include <sys/mman.h>

#define ROUNDS 8u
#define TIMES 8u                   /* repetitions of a row in a round */
#define CALLS_BEFORE (64u * TIMES) /* until all that they learn is predicted */
#define COLD_ROUNDS 2u
#define CACHE_LINE_BYTES 64u
#define PAGE_BYTES 4096u
#define PAGES 2u /* pages whose first store is measured */
#define ADDRESSES_BYTES ((size_t)REFRAIN_ADDRESS_TABLE_ENTRIES * REFRAIN_ADDRESS_ENTRY_BYTES)

/* The slots of an imaginary program. */
enum {
    FUNCTION = 0,
    WHOLE,
    PLACE,
    DECISION,
    TRUE,
    FALSE,
    LOOP,
    AGAIN,
    DONE,
    COUNTED = LOOP + 6,
    MPI_CALL = COUNTED + 3,
    SLOTS = MPI_CALL + 2
};

static const struct {
    uint32_t slot, arrival, flags;
} places[] = {
    {FUNCTION, REFRAIN_ARRIVAL_ENTER, REFRAIN_SLOT_FUNCTION},
    {WHOLE, REFRAIN_ARRIVAL_LEAVE, 0},
    {PLACE, REFRAIN_ARRIVAL_AT, 0},
    {DECISION, REFRAIN_ARRIVAL_DECISION, 0},
    {TRUE, REFRAIN_ARRIVAL_TRUE, 0},
    {FALSE, REFRAIN_ARRIVAL_FALSE, 0},
    {AGAIN, REFRAIN_ARRIVAL_AGAIN, 0},
    {DONE, REFRAIN_ARRIVAL_DONE, 0},
    {COUNTED, REFRAIN_ARRIVAL_COUNT, REFRAIN_SLOT_COUNTED},
    {MPI_CALL, REFRAIN_ARRIVAL_AT, REFRAIN_SLOT_CALL | REFRAIN_SLOT_MPI_CALL},
};

struct costs {
    struct refrain_probe_cost warm[REFRAIN_PROBE_KINDS];
    uint32_t cold_probes, cold_call, page; /* see struct refrain_header */
};

/* Sums of one round, in ticks. */
struct sums {
    uint64_t before[REFRAIN_PROBE_KINDS], after[REFRAIN_PROBE_KINDS];
};

/* Sums of the current round; null while probes run in a row and are not timed one by one. */
static struct sums *sums;
static const struct refrain_context *own;
static uint64_t began;

static inline void begin(void) {
    if (!sums)
        return;
    began = refrain_clock(); /* The waits keep the program's other instructions out of the measured interval. */
    refrain_arch_wait();
}

/* Adds the time since begin() to a kind. `reads`: the probe read the clock, which divides its time into before and
 * after. */
static inline void end(enum refrain_probe_kind kind, bool reads) {
    if (!sums)
        return;
    refrain_arch_wait();
    uint64_t now = refrain_clock(), inside = reads ? own->thread->last_ticks : now;
    sums->before[kind] += inside - began;
    sums->after[kind] += now - inside;
}

/* A function that runs probes, and the kinds that it runs: from `first` up to, but not including, `end`. */
struct row {
    void (*run)(struct refrain_unit *unit, char *frame);
    enum refrain_probe_kind first, end;
};

#define TIMED(kind, reads, probe)                                                                                      \
    do {                                                                                                               \
        begin();                                                                                                       \
        probe;                                                                                                         \
        end(REFRAIN_PROBE_##kind, reads);                                                                              \
    } while (0)

/* An MPI call that sends a message. Its place is stored before it, as an instrumented program does. The frame is as if
 * the wrapper's frame lay below this one. */
static void run_call(struct refrain_unit *unit, char *frame) {
    static const int64_t message[4] = {0, 0, 8, 0};
    struct refrain_call call;
    TIMED(CALL_BEGIN, true, refrain_place = (struct refrain_slot *)unit->slots + MPI_CALL;
          refrain_call_begin(&call, 0, NULL, frame - 2 * sizeof(uintptr_t)));
    TIMED(OPERATION, false, refrain_call_operation(&call, REFRAIN_OP_SEND, message, 4));
    TIMED(CALL_RETURN, true, refrain_call_returned(&call));
    TIMED(CALL_END, false, refrain_call_end(&call));
}

/* Runs one probe of each other kind, in an activation whose frame object is at `frame`. */
static void run_probes(struct refrain_unit *unit, char *frame) {
    TIMED(ENTER, true, refrain_probe(unit, FUNCTION, frame, (uintptr_t)frame));
    TIMED(DECISION, false, refrain_probe(unit, TRUE, frame, 0));
    TIMED(ITERATION, false, refrain_probe(unit, AGAIN, frame, 0));
    TIMED(LOOP_END, false, refrain_probe(unit, DONE, frame, 0));
    TIMED(COUNT, false, refrain_probe(unit, COUNTED, frame, 7));
    TIMED(REGION_BEGIN, true, refrain_region_begin("calibration"));
    TIMED(REGION_END, true, refrain_region_end());
    TIMED(PLACE, false, refrain_probe(unit, PLACE, frame, 0));
    TIMED(LEAVE, true, refrain_probe(unit, WHOLE, frame, (uintptr_t)frame));
}

/* Ticks for TIMES runs of the row; the least of the rounds. */
static uint64_t ticks_in_a_row(const struct row *row, struct refrain_unit *unit, char *frame) {
    uint64_t least = UINT64_MAX;
    sums = NULL;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t from = refrain_clock();
        for (unsigned i = 0; i < TIMES; i++)
            row->run(unit, frame);
        uint64_t ticks = refrain_clock() - from;
        least = ticks < least ? ticks : least;
    }
    return least;
}

/* Ticks that begin() and end() add to TIMES probes. */
static uint64_t clock_ticks(void) {
    uint64_t least = UINT64_MAX;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t ticks = 0;
        for (unsigned i = 0; i < TIMES; i++) {
            uint64_t from = refrain_clock();
            refrain_arch_wait();
            refrain_arch_wait();
            ticks += refrain_clock() - from;
        }
        least = ticks < least ? ticks : least;
    }
    return least;
}

/* Times each kind separately; the least of the rounds. */
static void measure_single(const struct row *row, struct refrain_unit *unit, char *frame, struct sums *least) {
    struct sums round_sums;
    for (unsigned round = 0; round < ROUNDS; round++) {
        memset(&round_sums, 0, sizeof round_sums);
        sums = &round_sums;
        for (unsigned i = 0; i < TIMES; i++)
            row->run(unit, frame);
        for (unsigned kind = row->first; kind < row->end; kind++)
            if (round == 0 ||
                round_sums.before[kind] + round_sums.after[kind] < least->before[kind] + least->after[kind]) {
                least->before[kind] = round_sums.before[kind];
                least->after[kind] = round_sums.after[kind];
            }
    }
    sums = NULL;
}

static uint64_t less(uint64_t ticks, uint64_t by) {
    return ticks > by ? ticks - by : 0;
}

/* A kind's cost in sixteenths of a tick: the row's time, divided in proportion to the single times. */
static uint32_t cost_of(uint64_t ticks, uint64_t in_a_row, uint64_t single) {
    uint64_t cost = single ? (ticks * in_a_row << REFRAIN_PROBE_COST_SHIFT) / single / TIMES : 0;
    return cost < UINT32_MAX ? (uint32_t)cost : UINT32_MAX;
}

static void measure_row(const struct row *row, struct refrain_unit *unit, char *frame,
                        struct refrain_probe_cost *costs) {
    struct sums least;
    measure_single(row, unit, frame, &least);
    uint64_t in_a_row = ticks_in_a_row(row, unit, frame), read = clock_ticks(), single = 0;
    for (unsigned kind = row->first; kind < row->end; kind++) {
        /* The probe's own clock read is part of its cost; that of end() is not. */
        if (least.after[kind] > 0)
            least.after[kind] = less(least.after[kind], read);
        else
            least.before[kind] = less(least.before[kind], read);
        single += least.before[kind] + least.after[kind];
    }
    for (unsigned kind = row->first; kind < row->end; kind++) {
        costs[kind].before = cost_of(least.before[kind], in_a_row, single);
        costs[kind].after = cost_of(least.after[kind], in_a_row, single);
    }
}

/* ---- in cold caches ---- */

/* Moves all data of the row's probes out of the caches. The table of addresses is left out, as a call that is as
 * predicted does not use it. */
static bool displace_all(uint64_t pool_from) {
    const struct refrain_header *header = refrain_trace_file.header;
    return refrain_arch_displace(own, sizeof *own) && refrain_arch_displace(own->top - 1, 2 * sizeof *own->top) &&
           refrain_arch_displace(header, sizeof *header) &&
           refrain_arch_displace((const unsigned char *)header + pool_from, header->pool_used - pool_from);
}

/* Sixteenths of a tick for one row if all data of the monitor come from memory (its code stays cached); the least of
 * the rounds. 0: not measured. */
static uint32_t ticks_cold(const struct row *row, struct refrain_unit *unit, char *frame, uint64_t pool_from) {
    uint64_t least = UINT32_MAX, read = clock_ticks() / TIMES;
    sums = NULL;
    for (unsigned round = 0; round < COLD_ROUNDS; round++) {
        if (!displace_all(pool_from))
            return 0;
        uint64_t from = refrain_clock();
        refrain_arch_wait();
        row->run(unit, frame);
        refrain_arch_wait();
        uint64_t ticks = less(refrain_clock() - from, read);
        least = ticks < least ? ticks : least;
    }
    least <<= REFRAIN_PROBE_COST_SHIFT;
    return least < UINT32_MAX ? (uint32_t)least : UINT32_MAX;
}

/* Ticks of the first store to a page of the trace file; the least of some pages that have not been written. They lie in
 * the middle of the file, where a long run's data end. */
static uint32_t ticks_of_page(const struct refrain_header *header) {
    uint64_t least = UINT32_MAX, at = header->bytes / 2 & ~(uint64_t)(PAGE_BYTES - 1), read = clock_ticks() / TIMES;
    for (unsigned i = 0; i < PAGES && at + PAGE_BYTES <= header->bytes && at > header->pool_used;
         i++, at += PAGE_BYTES) {
        uint64_t from = refrain_clock();
        *(volatile unsigned char *)(refrain_trace_file.base + at) = 0;
        uint64_t ticks = less(refrain_clock() - from, read);
        least = ticks < least ? ticks : least;
    }
    return least < UINT32_MAX ? (uint32_t)least : 0;
}

static void measure(struct refrain_unit *unit, uint64_t entry_ticks, uint64_t pool_from, struct costs *costs) {
    static const struct row probes = {run_probes, 0, REFRAIN_PROBE_CALL_BEGIN},
                            calls = {run_call, REFRAIN_PROBE_CALL_BEGIN, REFRAIN_PROBE_KINDS};
    char stack[64], *frame = stack + sizeof stack / 2;
    measure_row(&probes, unit, frame, costs->warm);
    for (unsigned kind = 0; kind <= REFRAIN_PROBE_COUNT;
         kind++) /* in optimised code they are entered by way of a site */
        costs->warm[kind].before += (uint32_t)(entry_ticks << REFRAIN_PROBE_COST_SHIFT);
    costs->cold_probes = ticks_cold(&probes, unit, frame, pool_from);

    refrain_probe(unit, FUNCTION, frame, (uintptr_t)frame);
    for (unsigned i = 0; i < CALLS_BEFORE; i++)
        run_call(unit, frame);
    measure_row(&calls, unit, frame, costs->warm);
    costs->cold_call = ticks_cold(&calls, unit, frame, pool_from);
    refrain_probe(unit, WHOLE, frame, (uintptr_t)frame);
}

/* Sets up a thread for the measurement. refrain_calibrate() removes what it learns. False if the pool is too small. */
static bool make_thread(struct refrain_context *context, struct refrain_unit *unit) {
    struct refrain_thread *thread = refrain_pool_take(sizeof *thread, REFRAIN_POOL_LAST);
    struct refrain_slot *slots = refrain_pool_take(SLOTS * sizeof *slots, REFRAIN_POOL_LAST);
    if (!thread || !slots)
        return false;
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
        slots[places[i].slot].flags = REFRAIN_SLOT_FLAGS(places[i].arrival, places[i].slot) | places[i].flags;
    for (uint32_t i = 0; i < SLOTS; i++)
        slots[i].number = i;
    unit->slots = slots;
    unit->n_slots = SLOTS;
    thread->start_ticks = thread->last_ticks = refrain_clock();
    thread->root.number = UINT32_MAX;
    context->thread = thread;
    context->number = 0;
    context->address_pages = UINT32_MAX; /* so that its table does not count as used memory */
    context->top->last = &thread->root;
    context->allowance.probes = UINT32_MAX; /* so that none is a sample */
    refrain_timeline_open(context);
    refrain_metrics_open(context);
    return true;
}

void refrain_calibrate(const struct refrain_context *context, uint64_t ticks_per_us) {
    static struct refrain_context copy; /* static, since a thread's stack may be too small */
    struct refrain_header *header = refrain_trace_file.header, before = *header;
    struct refrain_trace_file file_before = refrain_trace_file;
    struct costs costs = {.page = ticks_of_page(header)};
    struct refrain_unit unit = {.n_slots = 0};
    void *addresses =
        mmap(NULL, ADDRESSES_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (addresses == MAP_FAILED)
        return;
    struct refrain_context *caller = refrain_thread_context;
    copy = *context;
    copy.addresses = addresses;
    own = &copy;
    if (make_thread(&copy, &unit)) {
        refrain_thread_context = &copy;
        measure(&unit, ticks_per_us * REFRAIN_ENTRY_NS / 1000, before.pool_used, &costs);
        refrain_thread_context = caller;
        refrain_metrics_close(&copy);
    }
    context->top->last = &context->thread->root;
    if (context->events)
        refrain_events_clear(context->events);
    memset(refrain_trace_file.base + before.pool_used, 0, header->pool_used - before.pool_used);
    memset(refrain_trace_file.base + header->times_from, 0, header->bytes - header->times_from);
    *header = before;
    refrain_trace_file = file_before;
    memcpy(header->probe_costs, costs.warm, sizeof costs.warm);
    header->cold_probes = costs.cold_probes;
    header->cold_call = costs.cold_call;
    header->page_ticks = costs.page;
    munmap(addresses, ADDRESSES_BYTES);
}
