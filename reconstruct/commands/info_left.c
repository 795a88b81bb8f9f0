/* info_left.c: prints the constructs that have no probes, and why (info_left.h). */
#include "commands/info_left.h"
#include "commands/command.h"
#include "common/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct left {
    const char *file, *text;
    uint32_t line;
};

struct list {
    struct left *all;
    size_t n, capacity;
};

static int by_place(const void *a, const void *b) {
    const struct left *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    if (order == 0)
        order = x->line - 1 < y->line - 1 ? -1 : x->line != y->line; /* 0, further places of the file, comes last */
    return order ? order : strcmp(x->text, y->text);
}

/* Collects the constructs of all processes, each once. False without memory. */
static bool collect(const struct refrain_trace *trace, struct list *list) {
    for (size_t p = 0; p < trace->n_processes; p++) {
        const struct refrain_process *process = &trace->processes[p];
        for (size_t u = 0; u < process->n_units; u++) {
            const struct refrain_unit_view *unit = &process->units[u];
            for (uint32_t i = 0; i < unit->record->n_nodes; i++) {
                const struct refrain_node *node = &unit->nodes[i];
                if (node->kind != REFRAIN_LEFT)
                    continue;
                if (!REFRAIN_ARRAY_ROOM(list->all, list->n, list->capacity))
                    return false;
                list->all[list->n++] =
                    (struct left){refrain_node_file(unit, node), refrain_node_name(unit, node), node->line};
            }
        }
    }
    size_t n = list->n;
    if (n > 0)
        qsort(list->all, n, sizeof *list->all, by_place);
    list->n = 0;
    for (size_t i = 0; i < n; i++)
        if (list->n == 0 || by_place(&list->all[list->n - 1], &list->all[i]) != 0)
            list->all[list->n++] = list->all[i];
    return true;
}

bool refrain_info_print_left(const struct refrain_trace *trace, size_t most) {
    struct list list = {0};
    bool made = collect(trace, &list);
    if (made && list.n > 0)
        printf("left as is  %zu place%s of the program that the instrumentor could not take apart%s\n", list.n,
               list.n == 1 ? "" : "s", list.n > most ? "; refrain info --verbose names all:" : ":");
    for (size_t i = 0; made && i < list.n && i < most; i++) {
        printf("            %s", refrain_show_name(list.all[i].file));
        if (list.all[i].line)
            printf(":%u", list.all[i].line);
        printf(": ");
        puts(refrain_show_name(list.all[i].text));
    }
    free(list.all);
    return made;
}

json_t *refrain_info_left_json(const struct refrain_trace *trace) {
    struct list list = {0};
    json_t *array = collect(trace, &list) ? json_array() : NULL;
    for (size_t i = 0; array && i < list.n; i++) {
        json_t *object = json_object();
        json_object_set_new(object, "file", refrain_json_text(list.all[i].file));
        json_object_set_new(object, "line", json_integer(list.all[i].line));
        json_object_set_new(object, "what", refrain_json_text(list.all[i].text));
        json_array_append_new(array, object);
    }
    free(list.all);
    return array;
}
