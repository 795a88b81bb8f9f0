/* findings_calls.c: findings about the time in MPI calls besides waiting, by call site (report.h). */
#define _GNU_SOURCE
#include "commands/command.h"
#include "model/mpi_call.h"
#include "report/report.h"

#include <string.h>

#define SMALL_BYTES                                                                                                    \
    2048.0 /* a smaller message costs mostly its start-up: a network moves a larger one in the same time */
#define MANY_MESSAGES 100u
#define LONG_CALL_NS 100e3   /* the limit for a call that moves hardly any data ... */
#define SLOW_BYTES_A_NS 0.05 /* ... and for each byte beyond that: 50 MB/s */

static bool is_one_of(const char *name, const char *const *names) {
    while (*names && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

static bool is_between(enum refrain_mpi_kind kind, enum refrain_mpi_kind first, enum refrain_mpi_kind last) {
    return kind >= first && kind <= last;
}

/* These calls happen once, and no program can do without them. */
static bool is_start_or_end(const char *name) {
    return is_one_of(name, (const char *const[]){"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Session_init",
                                                 "MPI_Session_finalize", "MPI_Abort", NULL});
}

/* True for calls that all ranks of a communicator make together. In most of them, ranks wait for each other. */
static bool is_collective_management(const struct refrain_region_info *region) {
    const enum refrain_mpi_kind kind = refrain_mpi_kind(region);
    return is_between(kind, REFRAIN_MPI_SPAWN, REFRAIN_MPI_COMM_FREE) || kind == REFRAIN_MPI_WINDOW_MAKE ||
           kind == REFRAIN_MPI_WINDOW_FREE;
}

static bool is_small(const struct refrain_activity_region *region) {
    return region->messages >= MANY_MESSAGES && (double)region->bytes / (double)region->messages < SMALL_BYTES;
}

static enum refrain_finding_kind kind_of(const struct refrain_activity_region *region) {
    const enum refrain_mpi_kind kind = refrain_mpi_kind(region->region);
    if (is_between(kind, REFRAIN_MPI_FILE_OPEN, REFRAIN_MPI_FILE_OTHER))
        return REFRAIN_FINDING_INPUT_OUTPUT;
    if (kind == REFRAIN_MPI_TEST || kind == REFRAIN_MPI_IPROBE)
        return REFRAIN_FINDING_POLLING;
    if (is_between(kind, REFRAIN_MPI_PUT, REFRAIN_MPI_WINDOW_OTHER) &&
        region->region->own_time == REFRAIN_OWN_TIME_TRANSMISSION)
        return REFRAIN_FINDING_ONE_SIDED;
    if (region->region->own_time == REFRAIN_OWN_TIME_MANAGEMENT)
        return REFRAIN_FINDING_MANAGEMENT;
    return is_small(region) ? REFRAIN_FINDING_SMALL_MESSAGES : REFRAIN_FINDING_TRANSFER;
}

static char *sentence_of(struct refrain_report *report, enum refrain_finding_kind kind,
                         const struct refrain_activity_region *region, double cost_ns) {
    const char *call = refrain_show_region(region->region), *time = refrain_show_ns((long double)cost_ns);
    const char *count = refrain_show_count(region->count);
    switch (kind) {
    case REFRAIN_FINDING_POLLING:
        return refrain_report_text(report, "%s is called %s times to ask whether something has come, and takes %s",
                                   call, count, time);
    case REFRAIN_FINDING_INPUT_OUTPUT:
        return refrain_report_text(report, "%s is called %s times and takes %s: files", call, count, time);
    case REFRAIN_FINDING_ONE_SIDED:
        return refrain_report_text(report, "%s is called %s times and takes %s: one-sided communication", call, count,
                                   time);
    case REFRAIN_FINDING_MANAGEMENT:
        return refrain_report_text(report,
                                   "%s is called %s times and takes %s: it makes, frees or asks for objects of MPI "
                                   "(communicators, datatypes, windows ...) and moves no data",
                                   call, count, time);
    default:
        break;
    }
    if (region->messages)
        return refrain_report_text(report, "%s moves %s in %s messages, and takes %s without waiting", call,
                                   refrain_show_bytes(region->bytes), refrain_show_count(region->messages), time);
    return refrain_report_text(report, "%s is called %s times and takes %s without waiting", call, count, time);
}

static const char *advice_of(enum refrain_finding_kind kind, const struct refrain_region_info *region) {
    switch (kind) {
    case REFRAIN_FINDING_POLLING:
        return "How much of it is waiting is not known, as calls that poll come back at once.";
    case REFRAIN_FINDING_INPUT_OUTPUT:
    case REFRAIN_FINDING_ONE_SIDED:
        return "How much of it is waiting for other ranks is not known.";
    case REFRAIN_FINDING_MANAGEMENT:
        return is_collective_management(region)
                   ? "All ranks of the communicator make such calls together. How much of this time is waiting for "
                     "other ranks is not known. Keep what the call makes and use it again, where that is possible."
                   : "Keep what it makes and use it again, where that is possible.";
    default:
        return "It is the most that a faster network, less data, or computing meanwhile could save.";
    }
}

/* True if the calls take longer than any network would need for their data. */
static bool is_long_for_bytes(const struct refrain_activity_region *region, double cost_ns) {
    double bytes = (double)(region->bytes + region->collective_bytes);
    return cost_ns > LONG_CALL_NS * (double)region->count + bytes / SLOW_BYTES_A_NS;
}

static char *detail_of(struct refrain_report *report, enum refrain_finding_kind kind,
                       const struct refrain_activity_region *region, double cost_ns) {
    if (kind != REFRAIN_FINDING_TRANSFER || !is_long_for_bytes(region, cost_ns))
        return refrain_report_text(report, "%s", advice_of(kind, region->region));
    double calls = region->count ? (double)region->count : 1;
    uint64_t bytes = (uint64_t)((double)(region->bytes + region->collective_bytes) / calls);
    return refrain_report_text(report, "That is %s a call, which is long for %s.",
                               refrain_show_ns((long double)(cost_ns / calls)),
                               bytes ? refrain_show_bytes(bytes) : "one that moves nothing");
}

/* The rank with more than 60 % of the cost; -1 if there is none. */
static int32_t rank_of(const struct refrain_activity_region *region, double cost_ns) {
    for (size_t i = 0; i < region->n_parts; i++)
        if ((double)(region->parts[i]->own_ns - region->parts[i]->waiting_ns) > 0.6 * cost_ns)
            return region->parts[i]->rank;
    return -1;
}

/* The time of its calls without waiting. */
static double cost_of(const struct refrain_activity_region *region) {
    return (double)(region->own_ns - region->waiting_ns);
}

static void look_at(struct refrain_report *report, const struct refrain_activity_region *region) {
    double cost_ns = cost_of(region) - (report->small_access_ns ? report->small_access_ns[region->region->index] : 0);
    enum refrain_finding_kind kind = kind_of(region);
    if (kind == REFRAIN_FINDING_TRANSFER && is_long_for_bytes(region, cost_ns))
        report->long_calls_ns += cost_ns;
    struct refrain_finding *finding = refrain_report_add(report, kind, cost_ns);
    if (!finding)
        return;
    finding->at_most = kind != REFRAIN_FINDING_MANAGEMENT || is_collective_management(region->region);
    finding->call = region->region;
    finding->rank = rank_of(region, cost_ns);
    finding->sentence = sentence_of(report, kind, region, cost_ns);
    finding->detail = detail_of(report, kind, region, cost_ns);
    finding->command = refrain_report_command(
        report, kind == REFRAIN_FINDING_INPUT_OUTPUT ? "refrain stats --by file " : "refrain stats --by source-line ",
        "");
}

/* ---- small messages: one finding for all call sites, since a message has two ---- */

struct small {
    const struct refrain_activity_region *first, *second; /* the two call sites with the highest costs */
    double ns;
    uint64_t messages, bytes; /* counted at both ends */
    size_t n;
};

static void add_small(struct small *small, const struct refrain_activity_region *region) {
    double ns = cost_of(region);
    small->ns += ns;
    small->messages += region->messages;
    small->bytes += region->bytes;
    small->n++;
    if (!small->first || ns > cost_of(small->first)) {
        small->second = small->first;
        small->first = region;
    } else if (!small->second || ns > cost_of(small->second)) {
        small->second = region;
    }
}

static void add_small_messages(struct refrain_report *report, const struct small *small) {
    struct refrain_finding *finding =
        small->n ? refrain_report_add(report, REFRAIN_FINDING_SMALL_MESSAGES, small->ns) : NULL;
    if (!finding)
        return;
    const char *first = refrain_show_region(small->first->region);
    const char *second = small->second ? refrain_show_region(small->second->region) : "";
    finding->at_most = true;
    finding->call = small->first->region;
    finding->rank = rank_of(small->first, cost_of(small->first));
    finding->sentence = refrain_report_text(
        report,
        "many small messages, %s each on average: %s%s%s%s move or receive them %s times, and take %s without waiting",
        refrain_show_bytes((small->bytes + small->messages / 2) / small->messages), first, small->second ? " and " : "",
        second, small->n > 2 ? " and other calls" : "", refrain_show_count(small->messages),
        refrain_show_ns((long double)small->ns));
    finding->detail = refrain_report_text(report, "Fewer and larger messages would save most of it.");
    finding->command = refrain_report_command(report, "refrain stats --by partner ", "");
}

void refrain_findings_calls(struct refrain_report *report) {
    struct small small = {.n = 0};
    for (size_t i = 0; i < report->activity->n_regions; i++) {
        const struct refrain_activity_region *region = &report->activity->regions[i];
        if (region->region->kind != REFRAIN_REGION_MPI || is_start_or_end(region->region->name))
            continue;
        if (kind_of(region) == REFRAIN_FINDING_SMALL_MESSAGES)
            add_small(&small, region);
        else
            look_at(report, region);
    }
    add_small_messages(report, &small);
}
