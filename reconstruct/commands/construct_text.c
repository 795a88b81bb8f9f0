/* construct_text.c: prints the times of constructs of OpenMP and of the thread library (construct_text.h). */
#define _GNU_SOURCE
#include "commands/construct_text.h"
#include "commands/command.h"
#include "commands/stats_print.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

/* "critical(name)": the construct's class, and its name if it has one. */
static void class_text(const struct refrain_construct_name *name, char *text, size_t bytes) {
    snprintf(text, bytes, "%s%s%.*s%s", refrain_construct_word(name->class), name->argument_length ? "(" : "",
             (int)name->argument_length, name->argument_length ? name->argument : "", name->argument_length ? ")" : "");
}

void refrain_constructs_print(const struct refrain_construct_rows *rows, size_t most) {
    if (rows->n == 0) {
        puts("the trace has no constructs: compile with refrain-cc and -fopenmp, use clang's OpenMP, or refrain record "
             "--threads=pthread");
        return;
    }
    printf("%s%11s %11s %9s %7s %11s %11s %9s %9s  %s%s\n", refrain_style(REFRAIN_BOLD), "in it", "waiting", "times",
           "threads", "least", "most", "of thread", "imbalance", "construct", refrain_style(REFRAIN_NORMAL));
    for (size_t i = 0; i < rows->n && i < most; i++) {
        const struct refrain_construct_row *row = &rows->rows[i];
        const struct refrain_construct_name name = refrain_construct_name(row->name);
        char class[256], thread[32];
        class_text(&name, class, sizeof class);
        snprintf(thread, sizeof thread, "%d.%u", row->most_rank, row->most_thread);
        printf("%11s %11s %9s %7u ", refrain_show_ns((long double)row->inside_ns),
               refrain_show_ns((long double)row->waiting_ns), refrain_show_count(row->times), row->threads);
        printf("%11s %11s %9s %7.1f %%  ", refrain_show_ns((long double)row->least_ns),
               refrain_show_ns((long double)row->most_ns), thread, row->imbalance_percent);
        printf("%s ", refrain_show_name(class));
        puts(refrain_show_name(name.place));
    }
    if (rows->n > most)
        printf("%zu more: --top\n", rows->n - most);
}

void refrain_constructs_csv(const struct refrain_construct_rows *rows) {
    puts("construct,place,inside_ns,waiting_ns,times,threads,least_ns,most_ns,most_rank,most_thread,"
         "imbalance_percent");
    for (size_t i = 0; i < rows->n; i++) {
        const struct refrain_construct_row *row = &rows->rows[i];
        const struct refrain_construct_name name = refrain_construct_name(row->name);
        char class[256];
        class_text(&name, class, sizeof class);
        refrain_stats_put_csv(stdout, class);
        putchar(',');
        refrain_stats_put_csv(stdout, name.place);
        printf(",%" PRId64 ",%" PRId64 ",%" PRIu64 ",%u,%" PRId64 ",%" PRId64 ",%d,%u,%.4f\n", row->inside_ns,
               row->waiting_ns, row->times, row->threads, row->least_ns, row->most_ns, row->most_rank, row->most_thread,
               row->imbalance_percent);
    }
}

json_t *refrain_constructs_json(const struct refrain_construct_rows *rows) {
    json_t *array = json_array();
    for (size_t i = 0; i < rows->n; i++) {
        const struct refrain_construct_row *row = &rows->rows[i];
        const struct refrain_construct_name name = refrain_construct_name(row->name);
        char class[256];
        class_text(&name, class, sizeof class);
        json_array_append_new(array,
                              json_pack("{so,so,sI,sI,sI,si,sI,sI,si,si,sf}", "construct", refrain_json_text(class),
                                        "place", refrain_json_text(name.place), "inside_ns", (json_int_t)row->inside_ns,
                                        "waiting_ns", (json_int_t)row->waiting_ns, "times", (json_int_t)row->times,
                                        "threads", (int)row->threads, "least_ns", (json_int_t)row->least_ns, "most_ns",
                                        (json_int_t)row->most_ns, "most_rank", (int)row->most_rank, "most_thread",
                                        (int)row->most_thread, "imbalance_percent", row->imbalance_percent));
    }
    return array;
}
