/* info_many_text.c: prints refrain info --verbose for many ranks (info_many.h). */
#define _GNU_SOURCE
#include "analysis/rank_list.h"
#include "commands/command.h"
#include "commands/info_many.h"
#include "commands/info_metrics.h"

#include <stdio.h>
#include <stdlib.h>

static const char *show_bytes(long double value) {
    return refrain_show_bytes((uint64_t)value);
}

static const char *show_count(long double value) {
    return refrain_show_count((uint64_t)value);
}

/* A number of each rank, with the text before it: "3", or "3 (rank 0) to 5 (rank 7)". */
struct number_text {
    const char *before;
    enum refrain_info_number number;
    const char *(*show)(long double value);
};

static void print_numbers(const struct refrain_info_many *many, const struct number_text *numbers, size_t n) {
    for (const struct number_text *one = numbers; one < numbers + n; one++) {
        const struct refrain_info_range *range = &many->range[one->number];
        printf("%s%s", one->before, one->show(range->least));
        if (range->least == range->most)
            continue;
        printf(" (rank %d) to ", range->least_rank);
        printf("%s (rank %d)", one->show(range->most), range->most_rank);
    }
}

static bool print_ranks(const struct refrain_info_many *many, unsigned which) {
    const struct refrain_info_exceptions *exceptions = &many->exception[which];
    if (exceptions->n == many->n) {
        puts(": on all ranks");
        return true;
    }
    char *list = refrain_rank_list(exceptions->ranks, exceptions->n, true);
    if (!list)
        return false;
    printf(exceptions->n == 1 ? ": on rank " : ": on ranks ");
    refrain_show_ranks(list, exceptions->n, false);
    putchar('\n');
    free(list);
    return true;
}

/* The beginning of a line: spaces, then a heading. */
struct margin {
    int indent, width;
};

/* A line on those ranks that have it; `text` follows their number of it, if that is one. */
static bool print_exception(const struct refrain_info_many *many, unsigned which, struct margin margin,
                            const char *name, bool counted, const char *text) {
    const struct refrain_info_exceptions *exceptions = &many->exception[which];
    if (exceptions->n == 0)
        return true;
    printf("%*s%-*s %s%s%s", margin.indent, "", margin.width, name,
           counted ? refrain_show_count(exceptions->total) : "", counted ? " " : "", text);
    return print_ranks(many, which);
}

bool refrain_info_print_exceptions(const struct refrain_info_many *many, int indent, int width) {
    const struct margin margin = {indent, width};
    static const struct {
        unsigned which;
        const char *name;
        bool counted;
        const char *text;
    } texts[] = {
        {REFRAIN_INFO_UNFINISHED, "unended", false, "killed, ended by _exit or exec, or still running"},
        {REFRAIN_INFO_ABORTED, "ended", false, "by MPI_Abort"},
        {REFRAIN_INFO_WITH_MPI, "ended", false, "traced to MPI_Finalize (REFRAIN_PACK)"},
        {REFRAIN_INFO_UNKNOWN, "rank", false, "of processes that never had one, shown by other numbers"},
        {REFRAIN_INFO_CLOCK, "clock", false,
         "CLOCK_MONOTONIC of the system, since the time-stamp counter does not run evenly or REFRAIN_CLOCK says so"},
        {REFRAIN_INFO_UNEVEN_CLOCK, "clock", false, "jumped or did not run evenly; times are not corrected"},
        {REFRAIN_INFO_BACKWARDS, "clock", true, "reads were earlier than the one before them: taken as the same time"},
        {REFRAIN_INFO_ORDER_REFUSED, "order", false, "REFRAIN_ORDER=virtual was not possible"},
        {REFRAIN_INFO_ORDERED, "order", true, "receives of any source in virtual order"},
        {REFRAIN_INFO_HELD, "order", true, "of these delayed for an earlier message"},
        {REFRAIN_INFO_GIVEN_UP_HOLDING, "order", true, "of these up to the limit"},
        {REFRAIN_INFO_MEANS, "times", false,
         "are means per place: REFRAIN_TIME_MEMORY is 0 or too small"},
        {REFRAIN_INFO_STOPPED, "times", false, "end before the run does, for want of memory: means from there on"},
        {REFRAIN_INFO_GIVEN_UP, "order", true, "sequences of control flow whose order was given up"},
        {REFRAIN_INFO_CODE, "code", false,
         "stays as it was compiled, since the system allows no changes: a disabled probe costs a call"},
        {REFRAIN_INFO_THROTTLED, "throttled", true, "functions and other places whose probes were too frequent"},
        {REFRAIN_INFO_LIGHT, "light", true,
         "small functions, and decisions and loops of a few instructions, without a probe"},
        {REFRAIN_INFO_PAUSED, "paused", true, "times"},
        {REFRAIN_INFO_FILTERED, "filtered", true, "MPI calls that the filter leaves out are not in the trace"}};
    bool done = true, lost = false;
    for (size_t i = 0; done && i < sizeof texts / sizeof *texts; i++)
        done = print_exception(many, texts[i].which, margin, texts[i].name, texts[i].counted, texts[i].text);
    for (unsigned i = 0; done && i < REFRAIN_LOSSES; i++) {
        done = print_exception(many, REFRAIN_INFO_LOST + i, margin, "lost", true,
                               refrain_info_loss_text((enum refrain_loss)i));
        lost |= many->exception[REFRAIN_INFO_LOST + i].n > 0;
    }
    if (!lost)
        printf("%*snothing was lost on any rank\n", indent, "");
    return done;
}

static bool print_text(const struct refrain_info_many *many, const struct refrain_trace *trace) {
    static const struct number_text memory[] = {
        {", after ", REFRAIN_INFO_END_NS, refrain_show_ns},  {"\n  memory    ", REFRAIN_INFO_MEMORY, show_bytes},
        {" of ", REFRAIN_INFO_MOST_MEMORY, show_bytes},      {" used: program tree ", REFRAIN_INFO_TREE, show_bytes},
        {", places ", REFRAIN_INFO_PLACE_BYTES, show_bytes}, {"; file ", REFRAIN_INFO_FILE, show_bytes}};
    static const struct number_text contents[] = {
        {"\n  threads   ", REFRAIN_INFO_THREADS, show_count},
        {" of ", REFRAIN_INFO_MOST_THREADS, show_count},
        {", source files ", REFRAIN_INFO_UNITS, show_count},
        {", places ", REFRAIN_INFO_PLACES, show_count},
        {", MPI call sites ", REFRAIN_INFO_CALL_SITES, show_count},
        {", communicators ", REFRAIN_INFO_COMMUNICATORS, show_count},
        {"\n  time      ", REFRAIN_INFO_RUN_NS, refrain_show_ns},
        {" in all threads of a rank, ", REFRAIN_INFO_BLOCKS_NS, refrain_show_ns}};
    static const struct number_text times[] = {{"  times     of ", REFRAIN_INFO_BLOCKS, show_count},
                                               {" blocks, ", REFRAIN_INFO_SINGLE, show_count}};
    printf("\nranks %d-%d, %zu processes on %s", trace->processes[0].rank, trace->processes[many->n - 1].rank, many->n,
           many->host);
    if (many->other_hosts)
        printf(", %zu of them on other nodes", many->other_hosts);
    printf(": %zu finished", many->n - many->exception[REFRAIN_INFO_UNFINISHED].n);
    print_numbers(many, memory, sizeof memory / sizeof *memory);
    fputs(many->packed ? ", packed" : "", stdout);
    print_numbers(many, contents, sizeof contents / sizeof *contents);
    printf(" in blocks\n");
    if (trace->processes[0].header->mode & REFRAIN_MODE_STAT) {
        print_numbers(many, times, sizeof times / sizeof *times);
        printf(" of them with a time of their own\n  learned   %s sequences of %s values%s, %s values exactly (%.4f "
               "%%)\n",
               refrain_show_count(many->learners), refrain_show_count(many->values),
               many->exception[REFRAIN_INFO_THROTTLED].n ? " that were seen" : "", refrain_show_count(many->kept),
               many->values ? 100.0 * (double)many->kept / (double)many->values : 100.0);
        refrain_info_print_states(many->by_state);
    }
    refrain_info_print_metrics_of_all(trace);
    bool done = refrain_info_print_exceptions(many, 2, 9);
    puts("\nrefrain info --rank N says it of one rank, --each of each");
    return done;
}

enum refrain_status refrain_info_print_many(const struct refrain_trace *trace, struct refrain_error *error) {
    struct refrain_info_many many;
    enum refrain_status status = refrain_info_many_count(&many, trace, error);
    if (!status && !print_text(&many, trace))
        status = REFRAIN_FAIL_MEMORY(error);
    refrain_info_many_free(&many);
    return status;
}
