/* time_option.c: times of a run on the command line (time_option.h). */
#include "time_option.h"

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

int64_t refrain_time_option_ns(const struct refrain_time_option *option, const struct refrain_trace *trace,
                               int64_t otherwise) {
    if (!option->given)
        return otherwise;
    if (!option->percent)
        return (int64_t)option->value;
    int64_t end_ns = 0;
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        for (uint32_t t = 0; t < process->header->n_threads; t++) {
            int64_t ns = refrain_trace_time_ns(process, process->threads[t].last_ticks);
            if (process->threads[t].started && ns > end_ns)
                end_ns = ns;
        }
    }
    return (int64_t)((double)end_ns * option->value / 100);
}
