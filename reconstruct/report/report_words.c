/* report_words.c: makes the parts of sentences that findings share: places, percentages, commands (report.h). */
#define _GNU_SOURCE
#include "commands/command.h"
#include "report/report.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define BUFFERS 8

static bool is_utf8(const char *text) {
    json_t *value = json_string(text);
    json_decref(value);
    return value != NULL;
}

static char *make_text(const char *format, va_list arguments) {
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        return NULL;
    bool good = is_utf8(text);
    for (char *at = text; *at; at++)
        if (!good && (unsigned char)*at >= 0x80)
            *at = '?';
    return text;
}

char *refrain_report_text(struct refrain_report *report, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = make_text(format, arguments);
    va_end(arguments);
    report->no_memory |= !text;
    return text;
}

static void add(struct refrain_report *report, char ***list, size_t *n, size_t *capacity, char *text) {
    char **larger = *n < *capacity ? *list : realloc(*list, (*capacity * 2 + 8) * sizeof **list);
    if (!text || !larger) {
        free(text);
        report->no_memory = true;
        return;
    }
    if (larger != *list || *n == *capacity)
        *capacity = *capacity * 2 + 8;
    *list = larger;
    (*list)[(*n)++] = text;
}

void refrain_report_well(struct refrain_report *report, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(report, &report->well, &report->n_well, &report->capacity_well, make_text(format, arguments));
    va_end(arguments);
}

void refrain_report_unknown(struct refrain_report *report, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(report, &report->unknown, &report->n_unknown, &report->capacity_unknown, make_text(format, arguments));
    va_end(arguments);
}

char *refrain_report_place(struct refrain_report *report, const struct refrain_delay_place *place) {
    const struct refrain_region_info *call = place->call;
    if (place->doing != REFRAIN_DOING_COMPUTING)
        return refrain_report_text(report, "in %s", call ? refrain_show_region(call) : "MPI");
    if (place->function && call)
        return refrain_report_text(report, "in %s, before %s", refrain_show_region(place->function),
                                   refrain_show_region(call));
    if (place->function)
        return refrain_report_text(report, "in %s", refrain_show_region(place->function));
    return call ? refrain_report_text(report, "before %s", refrain_show_region(call))
                : refrain_report_text(report, "outside of MPI, where no function is known");
}

const char *refrain_report_percent(double share) {
    static char buffers[BUFFERS][32];
    static unsigned next;
    char *text = buffers[next++ % BUFFERS];
    double percent = 100 * share;
    if (percent > 0 && percent < 0.05)
        snprintf(text, sizeof buffers[0], "less than 0.1 %%");
    else
        snprintf(text, sizeof buffers[0], fabs(percent) < 9.95 ? "%.1f %%" : "%.0f %%", percent);
    return text;
}

const char *refrain_report_rest(const struct refrain_report *report) {
    static char text[128];
    double cost_ns = 0;
    text[0] = 0;
    for (size_t i = REFRAIN_REPORT_SHOWN; i < report->n; i++)
        cost_ns += report->findings[i].cost_ns;
    if (report->n > REFRAIN_REPORT_SHOWN)
        snprintf(text, sizeof text, "%zu more that cost %s together: --json has them all",
                 report->n - REFRAIN_REPORT_SHOWN, refrain_report_percent(cost_ns / report->run_ns));
    return text;
}

/* A path as a shell takes it. */
static void quote(const char *path, char *text, size_t bytes) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:=@%,";
    if (*path && *path != '-' && path[strspn(path, plain)] == 0) {
        snprintf(text, bytes, "%s", path);
        return;
    }
    size_t n = 0;
    text[n++] = '\'';
    for (; *path && n + 6 < bytes; path++)
        n += (size_t)snprintf(text + n, 6, *path == '\'' ? "'\\''" : "%c", *path);
    snprintf(text + n, 2, "'");
}

char *refrain_report_command(struct refrain_report *report, const char *before, const char *behind) {
    char path[4096];
    quote(report->trace->path, path, sizeof path);
    return refrain_report_text(report, "%s%s%s", before, refrain_show_name(path), behind);
}
