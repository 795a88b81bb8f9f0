/* calibrate.c: each kind of probe is run on places of its own, which are taken out of the pool again (calibrate.h).
 *
 *     clock | probe up to its clock read | clock read | rest of the probe | clock
 *           '------- before -------------------------''--- after --------'
 *
 * The least of some rounds counts: what a probe takes when nothing gets in its way. What it costs where caches are full
 * of the program's data is more: so all kinds are run once more in cold caches. What they take in a program lies
 * between. Looked at one by one probes take longer than in a row, where the processor does parts of several at once: so
 * single times only say what each kind's share is.
 *
 * MPI calls are measured as those that come often: each goes as the one before it. So they come in a row of their own,
 * after as many as it takes until all is predicted. */
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
#define TIMES 8u                                              /* the probes of a round */
#define CALLS_BEFORE (REFRAIN_HISTORY_STRETCHES * 2u * TIMES) /* then a stretch of the history has room for a row */
#define COLD_ROUNDS 2u
#define CACHE_LINE_BYTES 64u
#define PAGE_BYTES 4096u
#define PAGES 2u /* that are stored to to see what that takes */
#define ADDRESSES_BYTES ((size_t)REFRAIN_ADDRESS_TABLE_ENTRIES * REFRAIN_ADDRESS_ENTRY_BYTES)

/* The slots of a program that is nothing but probes. */
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
    uint32_t cold_probes, cold_call, page; /* as in struct refrain_header */
};

/* One round's sums, in ticks. */
struct sums {
    uint64_t before[REFRAIN_PROBE_KINDS], after[REFRAIN_PROBE_KINDS];
};

/* Who looks at single probes: null where they run one after the other. */
static struct sums *sums;
static const struct refrain_context *own;
static uint64_t began;

static inline void begin(void) {
    if (!sums)
        return;
    began = refrain_clock(); /* all before it and after it is kept apart: else much of a probe would run meanwhile */
    refrain_arch_wait();
}

/* The probe that began last is over; `reads`: it read the clock. */
static inline void end(enum refrain_probe_kind kind, bool reads) {
    if (!sums)
        return;
    refrain_arch_wait();
    uint64_t now = refrain_clock(), inside = reads ? own->thread->last_ticks : now;
    sums->before[kind] += inside - began;
    sums->after[kind] += now - inside;
}

/* Of probes that are run in a row: kinds from `first` on, up to `end`. */
struct row {
    void (*run)(struct refrain_unit *unit, char *frame);
    enum refrain_probe_kind first, end;
};

/* An MPI call that sends a message, with its place as the program stores it. */
static void run_call(struct refrain_unit *unit, char *frame) {
    static const int64_t message[4] = {0, 0, 8, 0};
    struct refrain_call call;
    begin();
    refrain_place = (struct refrain_slot *)unit->slots + MPI_CALL;
    refrain_call_begin(&call, 0, NULL, frame - 2 * sizeof(uintptr_t)); /* its wrapper lies below the frame */
    end(REFRAIN_PROBE_CALL_BEGIN, true);
    begin();
    refrain_call_operation(&call, REFRAIN_OP_SEND, message, 4);
    end(REFRAIN_PROBE_OPERATION, false);
    begin();
    refrain_call_returned(&call);
    end(REFRAIN_PROBE_CALL_RETURN, true);
    begin();
    refrain_call_end(&call);
    end(REFRAIN_PROBE_CALL_END, false);
}

/* One probe of each other kind, in an activation whose object in its frame is at `frame`. */
static void run_probes(struct refrain_unit *unit, char *frame) {
    begin();
    refrain_probe(unit, FUNCTION, frame, (uintptr_t)frame);
    end(REFRAIN_PROBE_ENTER, true);
    begin();
    refrain_probe(unit, TRUE, frame, 0);
    end(REFRAIN_PROBE_DECISION, false);
    begin();
    refrain_probe(unit, AGAIN, frame, 0);
    end(REFRAIN_PROBE_ITERATION, false);
    begin();
    refrain_probe(unit, DONE, frame, 0);
    end(REFRAIN_PROBE_LOOP_END, false);
    begin();
    refrain_probe(unit, COUNTED, frame, 7);
    end(REFRAIN_PROBE_COUNT, false);
    begin();
    refrain_region_begin("calibration");
    end(REFRAIN_PROBE_REGION_BEGIN, true);
    begin();
    refrain_region_end();
    end(REFRAIN_PROBE_REGION_END, true);
    begin();
    refrain_probe(unit, PLACE, frame, 0);
    end(REFRAIN_PROBE_PLACE, false);
    begin();
    refrain_probe(unit, WHOLE, frame, (uintptr_t)frame);
    end(REFRAIN_PROBE_LEAVE, true);
}

/* Ticks of TIMES times the row; the least of the rounds. */
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

/* What measuring adds to TIMES probes of a kind. */
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

/* Each kind by itself, the least of the rounds. */
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

/* Sixteenths of a tick, each kind's share of what all take one after the other. */
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
        /* The clock read inside counts as the probe's, that of end() does not. */
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

/* All data that the row's probes look at: calls that go like those before them do without the table of addresses. */
static bool displace_all(uint64_t pool_from) {
    const struct refrain_header *header = refrain_trace_file.header;
    return refrain_arch_displace(own, sizeof *own) && refrain_arch_displace(own->top - 1, 2 * sizeof *own->top) &&
           refrain_arch_displace(header, sizeof *header) &&
           refrain_arch_displace((const unsigned char *)header + pool_from, header->pool_used - pool_from);
}

/* Sixteenths of a tick that a row takes where all data of the monitor has to come from memory, the least of some
 * rounds. Its code stays where it is. 0: not measured. */
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

/* Ticks of the first store to a page of the trace file: the least of some, which nothing was stored to before. They are
 * in the middle, where what comes at the end of a long run comes. */
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
    for (unsigned kind = 0; kind <= REFRAIN_PROBE_COUNT; kind++) /* in optimised code they come by way of a site */
        costs->warm[kind].before += (uint32_t)(entry_ticks << REFRAIN_PROBE_COST_SHIFT);
    costs->cold_probes = ticks_cold(&probes, unit, frame, pool_from);

    refrain_probe(unit, FUNCTION, frame, (uintptr_t)frame);
    for (unsigned i = 0; i < CALLS_BEFORE; i++)
        run_call(unit, frame);
    measure_row(&calls, unit, frame, costs->warm);
    costs->cold_call = ticks_cold(&calls, unit, frame, pool_from);
    refrain_probe(unit, WHOLE, frame, (uintptr_t)frame);
}

/* The thread that runs the probes: what it learns is given back. False when the pool has no room for it. */
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
    context->address_pages = UINT32_MAX; /* its table is not charged */
    context->top->last = &thread->root;
    context->allowance.probes = UINT32_MAX; /* none is a sample */
    refrain_timeline_open(context);
    refrain_metrics_open(context);
    return true;
}

void refrain_calibrate(const struct refrain_context *context, uint64_t ticks_per_us) {
    static struct refrain_context copy; /* too large for a stack that may be small */
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
