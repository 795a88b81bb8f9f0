/* time_option.c: parses times of a run on the command line (time_option.h). */
#include "commands/time_option.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NS 9e18

bool refrain_time_option(const char *text, struct refrain_time_option *option) {
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"%", 1}};
    char *end;
    double value = strtod(text, &end);
    if (end == text || !isfinite(value) || value < 0)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0 && value * units[i].factor < MOST_NS) {
            *option = (struct refrain_time_option){true, *end == '%', value * units[i].factor};
            return true;
        }
    return false;
}

void refrain_time_option_parse(const char *text, struct refrain_time_option *option, const struct argp_state *state) {
    if (!refrain_time_option(text, option))
        argp_error(state, "%s is not a time: %s", text, REFRAIN_TIME_FORMS);
}

static int64_t ns_of(const struct refrain_time_option *option, int64_t end_ns, int64_t otherwise) {
    if (!option->given)
        return otherwise;
    return (int64_t)(option->percent ? (double)end_ns * option->value / 100 : option->value + 0.5);
}

enum refrain_status refrain_time_option_window(const struct refrain_time_option *from,
                                               const struct refrain_time_option *to, const struct refrain_trace *trace,
                                               int64_t *from_ns, int64_t *to_ns, struct refrain_error *error) {
    int64_t end_ns = refrain_trace_end_ns(trace);
    *from_ns = ns_of(from, end_ns, INT64_MIN);
    *to_ns = ns_of(to, end_ns, INT64_MAX);
    if (*from_ns >= *to_ns)
        return REFRAIN_FAIL_USAGE(error, "--from is not before --to");
    if (*from_ns > end_ns)
        return REFRAIN_FAIL_USAGE(error, "--from: the window begins after %.9g s, and the run ends at %.9g s: %s",
                                  (double)*from_ns / 1e9, (double)end_ns / 1e9, trace->path);
    return REFRAIN_OK;
}
