/* counter_table.c: counters and markers as text, CSV and JSON (counter_table.h). */
#define _GNU_SOURCE
#include "commands/counter_table.h"
#include "commands/command.h"
#include "commands/stats_print.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

static long double mean(const struct refrain_counter *counter) {
    return counter->values ? counter->sum / (long double)counter->values : 0;
}

void refrain_counters_print(const struct refrain_counters *counters) {
    if (counters->n == 0)
        return;
    printf("\n%s%14s %8s %20s %20s %20s  %s%s\n", refrain_style(REFRAIN_BOLD), "times", "ranks", "least", "mean",
           "most", "counter or marker", refrain_style(REFRAIN_NORMAL));
    for (size_t i = 0; i < counters->n; i++) {
        const struct refrain_counter *counter = &counters->counters[i];
        printf("%14s %8u ", refrain_show_count(counter->times), counter->ranks);
        if (counter->values)
            printf("%20" PRId64 " %20.2Lf %20" PRId64 "  ", counter->least, mean(counter), counter->most);
        else
            printf("%20s %20s %20s  ", "-", "-", "-");
        fputs(refrain_show_name(counter->name), stdout);
        if (!counter->is_marker && counter->values < counter->times)
            printf("  of %s values only", refrain_show_count(counter->values));
        putchar('\n');
    }
}

void refrain_counters_csv(const struct refrain_counters *counters) {
    puts("name,kind,times,ranks,values,least,mean,most");
    for (size_t i = 0; i < counters->n; i++) {
        const struct refrain_counter *counter = &counters->counters[i];
        refrain_stats_put_csv(stdout, counter->name);
        printf(",%s,%" PRIu64 ",%u,%" PRIu64, counter->is_marker ? "marker" : "counter", counter->times, counter->ranks,
               counter->values);
        if (counter->values)
            printf(",%" PRId64 ",%.6Lf,%" PRId64 "\n", counter->least, mean(counter), counter->most);
        else
            puts(",,,");
    }
}

json_t *refrain_counters_json(const struct refrain_counters *counters) {
    json_t *list = json_array();
    for (size_t i = 0; i < counters->n; i++) {
        const struct refrain_counter *counter = &counters->counters[i];
        bool known = counter->values > 0;
        json_array_append_new(
            list, json_pack("{s:o,s:s,s:I,s:I,s:I,s:o,s:o,s:o}", "name", refrain_json_text(counter->name), "kind",
                            counter->is_marker ? "marker" : "counter", "times", (json_int_t)counter->times, "ranks",
                            (json_int_t)counter->ranks, "values", (json_int_t)counter->values, "least",
                            known ? json_integer(counter->least) : json_null(), "mean",
                            known ? json_real((double)mean(counter)) : json_null(), "most",
                            known ? json_integer(counter->most) : json_null()));
    }
    return list;
}
