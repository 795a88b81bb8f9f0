/* show.c: shared by the commands: arguments, numbers for people, JSON, warnings (command.h). */
#define _GNU_SOURCE
#include "commands/command.h"
#include "commands/names_text.h"
#include "common/path.h"
#include "model/metric_totals.h"
#include "model/mpi_call.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFERS 8
#define MOST_RANKS_NAMED 8
#define SHOWN_CHARACTERS 40u /* of a list of ranks */

int32_t refrain_number_option(const char *value, struct argp_state *state, const char *what) {
    char *end;
    long number = strtol(value, &end, 10);
    if (end == value || *end || number < 0 || number > INT32_MAX)
        argp_error(state, "%s: %s is expected", value, what);
    return (int32_t)number;
}

error_t refrain_take_argument(int key, char *value, struct argp_state *state, const char *what, const char **argument) {
    switch (key) {
    case ARGP_KEY_ARG:
        if (*argument)
            argp_error(state, "one %s is expected, and %s is a second one", what, value);
        *argument = value;
        return 0;
    case ARGP_KEY_END:
        if (!*argument)
            argp_error(state, "no %s given", what);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

json_t *refrain_json_text(const char *text) {
    json_t *value = json_string(text);
    return value ? value : json_string("");
}

enum refrain_status refrain_print_json(json_t *value, struct refrain_error *error) {
    int result = json_dumpf(value, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(value);
    return result ? REFRAIN_FAIL_MEMORY(error) : REFRAIN_OK;
}

static char *next_buffer(void) {
    static char buffers[BUFFERS][48];
    static unsigned at;
    return buffers[at++ % BUFFERS];
}

const char *refrain_show_bytes(uint64_t bytes) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    char *text = next_buffer();
    double value = (double)bytes;
    unsigned unit = 0;
    while (value >= 1024 && unit < 4) {
        value /= 1024;
        unit++;
    }
    snprintf(text, 48, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return text;
}

const char *refrain_show_ns(long double ns) {
    char *text = next_buffer();
    if (ns < 1e3L)
        snprintf(text, 48, "%.0Lf ns", ns);
    else if (ns < 1e6L)
        snprintf(text, 48, "%.2Lf us", ns / 1e3L);
    else if (ns < 1e9L)
        snprintf(text, 48, "%.2Lf ms", ns / 1e6L);
    else
        snprintf(text, 48, "%.3Lf s", ns / 1e9L);
    return text;
}

const char *refrain_show_count(uint64_t n) {
    char digits[24], *text = next_buffer();
    int length = snprintf(digits, sizeof digits, "%" PRIu64, n), out = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = 0;
    return text;
}

static bool is_control(char c) {
    return (unsigned char)c < ' ' || c == 127;
}

const char *refrain_show_name(const char *name) {
    static char buffers[BUFFERS][1024];
    static unsigned next;
    size_t n = 0, plain = 0;
    while (name[plain] && !is_control(name[plain]))
        plain++;
    if (!name[plain])
        return name;
    char *text = buffers[next++ % BUFFERS];
    for (; *name && n < sizeof buffers[0] - 8; name++)
        if (!is_control(*name))
            text[n++] = *name;
        else if (*name == '\t' || *name == '\n')
            n += (size_t)snprintf(text + n, 3, "\\%c", *name == '\t' ? 't' : 'n');
        else
            n += (size_t)snprintf(text + n, 5, "\\x%02x", (unsigned)(unsigned char)*name);
    snprintf(text + n, 4, "%s", *name ? "..." : "");
    return text;
}

const char *refrain_show_region(const struct refrain_region_info *region) {
    static char buffers[BUFFERS][1024];
    static unsigned next;
    char *text = buffers[next++ % BUFFERS];
    bool is_mpi = refrain_region_is_call(region);
    const char *name = refrain_show_name(region->name); /* or an address instead of a name */
    const char *call = region->kind == REFRAIN_REGION_FUNCTION && !strstr(region->name, "+0x") ? "()" : "";
    char line[16] = ""; /* of an inlined function only the file is known */
    if (region->line > 0)
        snprintf(line, sizeof line, ":%u", region->line);
    if (region->file[0])
        snprintf(text, sizeof buffers[0], "%.500s%s%s%.200s%s", name, call, is_mpi ? " " : ", ",
                 refrain_show_name(refrain_base_name(region->file)), line);
    else if (is_mpi && region->function[0])
        snprintf(text, sizeof buffers[0], "%.200s in %.500s", name, refrain_show_name(region->function));
    else
        snprintf(text, sizeof buffers[0], "%.500s%s", name, call);
    return text;
}

int refrain_show_ranks(const char *list, size_t n_ranks, bool full) {
    if (full || strlen(list) <= SHOWN_CHARACTERS)
        return printf("%s", list);
    size_t shown = SHOWN_CHARACTERS;
    while (shown > 0 && list[shown] != ',')
        shown--;
    return printf("%.*s,... (%zu ranks)", (int)shown, list, n_ranks);
}

const char *refrain_show_metric(const char *name, uint64_t value) {
    return refrain_metric_is_time(name) ? refrain_show_ns((long double)value) : refrain_show_count(value);
}

int refrain_show_metric_width(const char *name) {
    size_t length = strlen(name);
    return length > 14 ? (int)length : 14;
}

/* All ranks of a run meet in MPI_Init, so no rank begins after another one has ended. The clocks of two nodes may
 * differ by this much. */
#define OTHER_CLOCK_NS ((uint64_t)60 * 1000000000)

static void warn_mixed(const struct refrain_trace *trace) {
    const struct refrain_process *first = NULL,
                                 *last = NULL; /* the process that ended first, and the one that began last */
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        if (process->header->rank < 0 || process->header->size < 2)
            continue; /* it did not reach MPI_Init, or was alone in it */
        if (process->header->finished && process->header->last.realtime_ns &&
            (!first || process->header->last.realtime_ns < first->header->last.realtime_ns))
            first = process;
        if (!last || process->header->start.realtime_ns > last->header->start.realtime_ns)
            last = process;
    }
    if (!first || first == last)
        return;
    bool one_clock = memcmp(first->header->boot_id, last->header->boot_id, sizeof first->header->boot_id) == 0;
    if (last->header->start.realtime_ns > first->header->last.realtime_ns + (one_clock ? 0 : OTHER_CLOCK_NS))
        refrain_warn("%s: rank %d began after rank %d had ended: files of several runs are mixed in it", trace->path,
                     last->rank, first->rank);
}

void refrain_warn_missing(const struct refrain_trace *trace) {
    warn_mixed(trace);
    refrain_warn_names(trace);
    for (size_t i = 0; i < trace->n_processes; i++)
        if (trace->processes[i].n_left_out)
            refrain_warn(
                "%s: the process runs on, and %zu of its sequences changed too fast to be copied up to now: its "
                "events end early; look again",
                trace->processes[i].path, trace->processes[i].n_left_out);
    if (trace->n_damaged)
        refrain_warn(
            "%s: the parts of %zu rank%s are cut off or damaged, and left out: copy it again from where it was "
            "made",
            trace->path, trace->n_damaged, trace->n_damaged == 1 ? "" : "s");
    if (trace->n_missing == 0)
        return;
    char ranks[256];
    int n = 0;
    for (size_t i = 0; i < trace->n_missing && i < MOST_RANKS_NAMED; i++)
        n += snprintf(ranks + n, sizeof ranks - (size_t)n, "%s %d",
                      i                      ? ","
                      : trace->n_missing > 1 ? "s"
                                             : "",
                      trace->missing[i]);
    if (trace->n_missing > MOST_RANKS_NAMED)
        snprintf(ranks + n, sizeof ranks - (size_t)n, " and %zu more", trace->n_missing - MOST_RANKS_NAMED);
    refrain_warn("%s: rank%s of %d %s missing", trace->path, ranks, trace->size, trace->n_missing > 1 ? "are" : "is");
}

void refrain_warn_uncalibrated(const struct refrain_trace *trace) {
    for (size_t i = 0; i < trace->n_processes; i++) {
        size_t n;
        refrain_trace_probe_costs(trace, trace->processes[i].rank, &n);
        if (n == 0) {
            refrain_warn("what probes cost was not measured on rank %d (there was no memory for it): its times stay as "
                         "they are",
                         trace->processes[i].rank);
            return;
        }
    }
}
