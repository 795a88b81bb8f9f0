/* info_many.c: see info_many.h. */
#define _GNU_SOURCE
#include "commands/info_many.h"
#include "commands/command.h"
#include "commands/info_metrics.h"
#include "commands/rank_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is a number of each rank. */
enum number {
    NUMBER_END_NS,
    NUMBER_MEMORY,
    NUMBER_MOST_MEMORY,
    NUMBER_TREE,
    NUMBER_PLACE_BYTES,
    NUMBER_FILE,
    NUMBER_THREADS,
    NUMBER_MOST_THREADS,
    NUMBER_UNITS,
    NUMBER_PLACES,
    NUMBER_CALL_SITES,
    NUMBER_COMMUNICATORS,
    NUMBER_RUN_NS,
    NUMBER_BLOCKS_NS,
    NUMBER_BLOCKS,
    NUMBER_SINGLE,
    NUMBERS
};

/* What only some ranks may have. */
enum exception {
    EXCEPTION_UNFINISHED,
    EXCEPTION_ABORTED,
    EXCEPTION_WITH_MPI, /* traced to MPI_Finalize */
    EXCEPTION_UNKNOWN,  /* without a rank */
    EXCEPTION_CLOCK,
    EXCEPTION_UNEVEN_CLOCK,
    EXCEPTION_BACKWARDS, /* clock reads */
    EXCEPTION_ORDER_REFUSED,
    EXCEPTION_ORDERED, /* receives */
    EXCEPTION_HELD,
    EXCEPTION_GIVEN_UP_HOLDING,
    EXCEPTION_MEANS, /* no times of single blocks */
    EXCEPTION_STOPPED,
    EXCEPTION_GIVEN_UP,
    EXCEPTION_CODE,
    EXCEPTION_THROTTLED,
    EXCEPTION_LIGHT,
    EXCEPTION_PAUSED,
    EXCEPTION_FILTERED,
    EXCEPTION_LOST, /* and one for each kind of loss */
    EXCEPTIONS = EXCEPTION_LOST + REFRAIN_LOSSES
};

struct range {
    long double least, most;
    int32_t least_rank, most_rank;
};

struct exceptions {
    int32_t *ranks;
    size_t n;
    uint64_t total; /* of what they have */
};

struct many {
    size_t n;
    struct range range[NUMBERS];
    struct exceptions exception[EXCEPTIONS];
    uint64_t by_state[REFRAIN_LEARNER_STATES], learners, values, kept;
    const char *host; /* of the first rank */
    size_t other_hosts;
    bool packed;
};

/* ---- collecting ---- */

static void add_number(struct many *many, enum number which, int32_t rank, long double value) {
    struct range *range = &many->range[which];
    if (many->n == 0 || value < range->least) {
        range->least = value;
        range->least_rank = rank;
    }
    if (many->n == 0 || value > range->most) {
        range->most = value;
        range->most_rank = rank;
    }
}

static void add_exception(struct many *many, unsigned which, int32_t rank, uint64_t amount) {
    struct exceptions *exceptions = &many->exception[which];
    if (amount == 0)
        return;
    exceptions->ranks[exceptions->n++] = rank;
    exceptions->total += amount;
}

static void add_exceptions(struct many *many, const struct refrain_process *process,
                           const struct refrain_learned *learned) {
    const struct refrain_header *header = process->header;
    int32_t rank = process->rank;
    struct refrain_info_paused paused = refrain_info_paused(process);
    add_exception(many, EXCEPTION_UNFINISHED, rank, header->finished == REFRAIN_UNFINISHED);
    add_exception(many, EXCEPTION_ABORTED, rank, header->finished == REFRAIN_FINISHED_BY_ABORT);
    add_exception(many, EXCEPTION_WITH_MPI, rank, header->finished == REFRAIN_FINISHED_WITH_MPI);
    add_exception(many, EXCEPTION_UNKNOWN, rank, header->rank < 0);
    add_exception(many, EXCEPTION_CLOCK, rank, header->clock == 1);
    add_exception(many, EXCEPTION_UNEVEN_CLOCK, rank, refrain_trace_clock_ahead_ns(process) != 0);
    add_exception(many, EXCEPTION_BACKWARDS, rank, learned->times.backwards);
    add_exception(many, EXCEPTION_ORDER_REFUSED, rank, header->order.state == REFRAIN_ORDER_REFUSED);
    add_exception(many, EXCEPTION_ORDERED, rank, header->order.receives);
    add_exception(many, EXCEPTION_HELD, rank, header->order.held);
    add_exception(many, EXCEPTION_GIVEN_UP_HOLDING, rank, header->order.given_up);
    add_exception(many, EXCEPTION_MEANS, rank, header->mode & REFRAIN_MODE_STAT && learned->times.most_bytes == 0);
    add_exception(many, EXCEPTION_STOPPED, rank, learned->times.stopped);
    add_exception(many, EXCEPTION_GIVEN_UP, rank, learned->control_given_up);
    add_exception(many, EXCEPTION_CODE, rank, header->code_is_kept);
    add_exception(many, EXCEPTION_THROTTLED, rank, learned->throttled_functions + learned->throttled_probes);
    add_exception(many, EXCEPTION_LIGHT, rank, learned->small_functions + learned->light);
    add_exception(many, EXCEPTION_PAUSED, rank, paused.times);
    add_exception(many, EXCEPTION_FILTERED, rank, paused.left_out_calls);
    for (unsigned i = 0; i < REFRAIN_LOSSES; i++)
        add_exception(many, EXCEPTION_LOST + i, rank, header->losses[i]);
}

static enum refrain_status add_process(struct many *many, const struct refrain_trace *trace,
                                       const struct refrain_process *process, struct refrain_error *error) {
    const struct refrain_header *header = process->header;
    int32_t rank = process->rank;
    struct refrain_learned learned;
    enum refrain_status status = refrain_info_learned(trace, process, &learned, error);
    if (status)
        return status;
    const long double numbers[NUMBERS] = {
        [NUMBER_END_NS] = (long double)refrain_info_end_ns(process),
        [NUMBER_MEMORY] = (long double)refrain_info_trace_file_used(header),
        [NUMBER_MOST_MEMORY] = (long double)refrain_info_trace_file_bytes(header),
        [NUMBER_TREE] = (long double)header->tree_bytes,
        [NUMBER_PLACE_BYTES] = (long double)header->slot_bytes,
        [NUMBER_FILE] = (long double)process->file_bytes,
        [NUMBER_THREADS] = refrain_info_threads(process),
        [NUMBER_MOST_THREADS] = header->n_threads,
        [NUMBER_UNITS] = (long double)process->n_units,
        [NUMBER_PLACES] = header->n_slots,
        [NUMBER_CALL_SITES] = (long double)(process->n_call_sites + process->n_guests),
        [NUMBER_COMMUNICATORS] = (long double)process->n_comms,
        [NUMBER_RUN_NS] = learned.run_ns,
        [NUMBER_BLOCKS_NS] = learned.blocks_ns,
        [NUMBER_BLOCKS] = (long double)learned.times.blocks,
        [NUMBER_SINGLE] = (long double)learned.times.single,
    };
    for (unsigned i = 0; i < NUMBERS; i++)
        add_number(many, (enum number)i, rank, numbers[i]);
    add_exceptions(many, process, &learned);
    for (unsigned i = 0; i < REFRAIN_LEARNER_STATES; i++)
        many->by_state[i] += learned.by_state[i];
    many->learners += learned.total;
    many->values += learned.values;
    many->kept += learned.kept;
    const char *host = refrain_process_name(process, header->host);
    if (many->n == 0)
        many->host = host;
    many->other_hosts += strcmp(host, many->host) != 0;
    many->packed |= header->image_bytes != 0;
    many->n++;
    return REFRAIN_OK;
}

/* ---- text ---- */

static const char *show_bytes(long double value) {
    return refrain_show_bytes((uint64_t)value);
}

static const char *show_count(long double value) {
    return refrain_show_count((uint64_t)value);
}

/* A number of each rank, with what stands before it: "3", or "3 (rank 0) to 5 (rank 7)". */
struct told {
    const char *before;
    enum number number;
    const char *(*show)(long double value);
};

static void print_numbers(const struct many *many, const struct told *told, size_t n) {
    for (const struct told *one = told; one < told + n; one++) {
        const struct range *range = &many->range[one->number];
        printf("%s%s", one->before, one->show(range->least));
        if (range->least == range->most)
            continue;
        printf(" (rank %d) to ", range->least_rank);
        printf("%s (rank %d)", one->show(range->most), range->most_rank);
    }
}

static bool print_ranks(const struct many *many, unsigned which) {
    const struct exceptions *exceptions = &many->exception[which];
    if (exceptions->n == many->n) {
        puts(": on all ranks");
        return true;
    }
    char *list = refrain_rank_list(exceptions->ranks, exceptions->n, true);
    if (!list)
        return false;
    printf(exceptions->n == 1 ? ": on rank " : ": on ranks ");
    refrain_rank_list_print(list, exceptions->n, false);
    putchar('\n');
    free(list);
    return true;
}

/* A line on those ranks that have it; `text` follows their number of it, if that is one. */
static bool print_exception(const struct many *many, unsigned which, const char *name, bool counted, const char *text) {
    const struct exceptions *exceptions = &many->exception[which];
    if (exceptions->n == 0)
        return true;
    printf("  %-9s %s%s%s", name, counted ? refrain_show_count(exceptions->total) : "", counted ? " " : "", text);
    return print_ranks(many, which);
}

static bool print_exceptions(const struct many *many) {
    static const struct {
        unsigned which;
        const char *name;
        bool counted;
        const char *text;
    } texts[] = {
        {EXCEPTION_UNFINISHED, "unended", false, "killed, ended by _exit or exec, or still running"},
        {EXCEPTION_ABORTED, "ended", false, "by MPI_Abort"},
        {EXCEPTION_WITH_MPI, "ended", false, "traced to MPI_Finalize (REFRAIN_PACK)"},
        {EXCEPTION_UNKNOWN, "rank", false, "of processes that never had one, shown by other numbers"},
        {EXCEPTION_CLOCK, "clock", false,
         "CLOCK_MONOTONIC of the system, since the time-stamp counter does not run evenly or REFRAIN_CLOCK says so"},
        {EXCEPTION_UNEVEN_CLOCK, "clock", false, "jumped or did not run evenly; times are as it told them"},
        {EXCEPTION_BACKWARDS, "clock", true,
         "reads told an earlier time than the one before them: taken as the same time"},
        {EXCEPTION_ORDER_REFUSED, "order", false, "REFRAIN_ORDER=virtual was not possible"},
        {EXCEPTION_ORDERED, "order", true, "receives of any source in virtual order"},
        {EXCEPTION_HELD, "order", true, "of these held for a message that might be earlier"},
        {EXCEPTION_GIVEN_UP_HOLDING, "order", true, "of these to the limit"},
        {EXCEPTION_MEANS, "times", false,
         "are means per place and stretch of the run: REFRAIN_TIME_MEMORY is 0 or too small"},
        {EXCEPTION_STOPPED, "times", false, "end before the run does, for want of memory: means from there on"},
        {EXCEPTION_GIVEN_UP, "order", true, "sequences of control flow whose order was given up"},
        {EXCEPTION_CODE, "code", false,
         "stays as it was compiled, since the system lets none be changed: a probe that is off costs a call"},
        {EXCEPTION_THROTTLED, "throttled", true, "functions and other places that came too often for their length"},
        {EXCEPTION_LIGHT, "light", true,
         "small functions, and decisions and loops of a few instructions, without a probe"},
        {EXCEPTION_PAUSED, "paused", true, "times"},
        {EXCEPTION_FILTERED, "filtered", true, "MPI calls that the filter leaves out are not in the trace"}};
    bool done = true, lost = false;
    for (size_t i = 0; done && i < sizeof texts / sizeof *texts; i++)
        done = print_exception(many, texts[i].which, texts[i].name, texts[i].counted, texts[i].text);
    for (unsigned i = 0; done && i < REFRAIN_LOSSES; i++) {
        done = print_exception(many, EXCEPTION_LOST + i, "lost", true, refrain_info_loss_text((enum refrain_loss)i));
        lost |= many->exception[EXCEPTION_LOST + i].n > 0;
    }
    if (!lost)
        puts("  nothing was lost on any rank");
    return done;
}

static bool print_text(const struct many *many, const struct refrain_trace *trace) {
    static const struct told memory[] = {
        {", after ", NUMBER_END_NS, refrain_show_ns},  {"\n  memory    ", NUMBER_MEMORY, show_bytes},
        {" of ", NUMBER_MOST_MEMORY, show_bytes},      {" used: program tree ", NUMBER_TREE, show_bytes},
        {", places ", NUMBER_PLACE_BYTES, show_bytes}, {"; file ", NUMBER_FILE, show_bytes}};
    static const struct told contents[] = {{"\n  threads   ", NUMBER_THREADS, show_count},
                                           {" of ", NUMBER_MOST_THREADS, show_count},
                                           {", source files ", NUMBER_UNITS, show_count},
                                           {", places ", NUMBER_PLACES, show_count},
                                           {", MPI call sites ", NUMBER_CALL_SITES, show_count},
                                           {", communicators ", NUMBER_COMMUNICATORS, show_count},
                                           {"\n  time      ", NUMBER_RUN_NS, refrain_show_ns},
                                           {" in all threads of a rank, ", NUMBER_BLOCKS_NS, refrain_show_ns}};
    static const struct told times[] = {{"  times     of ", NUMBER_BLOCKS, show_count},
                                        {" blocks, ", NUMBER_SINGLE, show_count}};
    printf("\nranks %d-%d, %zu processes on %s", trace->processes[0].rank, trace->processes[many->n - 1].rank, many->n,
           many->host);
    if (many->other_hosts)
        printf(", %zu of them on other nodes", many->other_hosts);
    printf(": %zu finished", many->n - many->exception[EXCEPTION_UNFINISHED].n);
    print_numbers(many, memory, sizeof memory / sizeof *memory);
    fputs(many->packed ? ", packed" : "", stdout);
    print_numbers(many, contents, sizeof contents / sizeof *contents);
    printf(" in blocks\n");
    if (trace->processes[0].header->mode & REFRAIN_MODE_STAT) {
        print_numbers(many, times, sizeof times / sizeof *times);
        printf(" of them with a time of their own\n  learned   %s sequences of %s values%s, %s values exactly (%.4f "
               "%%)\n",
               refrain_show_count(many->learners), refrain_show_count(many->values),
               many->exception[EXCEPTION_THROTTLED].n ? " that were seen" : "", refrain_show_count(many->kept),
               many->values ? 100.0 * (double)many->kept / (double)many->values : 100.0);
        refrain_info_print_states(many->by_state);
    }
    refrain_info_print_metrics_of_all(trace);
    bool done = print_exceptions(many);
    puts("\nrefrain info --rank N says it of one rank, --each of each");
    return done;
}

enum refrain_status refrain_info_print_many(const struct refrain_trace *trace, struct refrain_error *error) {
    struct many many = {0};
    enum refrain_status status = REFRAIN_OK;
    for (unsigned i = 0; !status && i < EXCEPTIONS; i++) {
        many.exception[i].ranks = malloc(trace->n_processes * sizeof *many.exception[i].ranks);
        if (!many.exception[i].ranks)
            status = REFRAIN_FAIL_MEMORY(error);
    }
    for (size_t i = 0; !status && i < trace->n_processes; i++)
        status = add_process(&many, trace, &trace->processes[i], error);
    if (!status && !print_text(&many, trace))
        status = REFRAIN_FAIL_MEMORY(error);
    for (unsigned i = 0; i < EXCEPTIONS; i++)
        free(many.exception[i].ranks);
    return status;
}
