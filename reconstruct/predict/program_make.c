/* program_make.c: makes the program (program_make.h), with a function once for each caller where that gives its values
 * expressions.
 *
 *     sum() calls exchange() 3 times for 8 ranks, spread() 2 times: the partners of exchange() follow no formula.
 *     Those of the exchange() that sum() calls do, and those of the one that spread() calls do.
 *
 * A function whose values have no expression is split if several items call it, else the function that calls it. This
 * goes on as long as fewer values are without an expression. */
#define _GNU_SOURCE
#include "predict/program_make.h"
#include "common/error.h"
#include "predict/program_values.h"

#include <stdlib.h>

/* ---- functions once for each caller ---- */

/* The item that calls a function; *several: there are others. SIZE_MAX: none. */
static size_t caller_of(const struct refrain_proxy *proxy, size_t function, bool *several) {
    size_t caller = SIZE_MAX;
    *several = false;
    for (size_t i = 0; i < proxy->n_items; i++) {
        if (proxy->items[i].called != function)
            continue;
        *several |= caller != SIZE_MAX;
        caller = i;
    }
    return caller;
}

/* Splits the function, or the nearest one on the way to it that can be split. */
static enum refrain_status split(struct refrain_proxy *proxy, size_t function, bool *any, struct refrain_error *error) {
    for (size_t steps = 0; function != 0 && steps < proxy->n_functions; steps++) {
        bool several;
        size_t caller = caller_of(proxy, function, &several);
        uint32_t shared = proxy->functions[function].shared;
        if (several && !refrain_table_number(&proxy->split, shared, 0)) {
            *any = true;
            return refrain_table_put(&proxy->split, shared, 0, 1) ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
        }
        function = caller == SIZE_MAX ? 0 : proxy->items[caller].function;
    }
    return REFRAIN_OK;
}

static enum refrain_status split_all(struct refrain_proxy *proxy, const struct refrain_program *program, bool *any,
                                     struct refrain_error *error) {
    enum refrain_status status = REFRAIN_OK;
    *any = false;
    for (size_t i = 1; i < proxy->n_functions && !status; i++)
        if (program->functions[i].n_tables)
            status = split(proxy, i, any, error);
    return status;
}

/* ---- the program of what was learned ---- */

/* The mean time, in seconds, of n[r] computations by rank r that took ns[r] in all; 0 if there was none. */
static double mean_of(const double *ns, const uint64_t *n, size_t first, size_t end) {
    double total = 0;
    uint64_t all = 0;
    for (size_t r = first; r < end; r++) {
        total += ns[r];
        all += n[r];
    }
    return all ? 1e-9 * total / (double)all : 0;
}

/* As many digits as a model file has. */
static double rounded(double seconds) {
    char text[32];
    snprintf(text, sizeof text, "%.6g", seconds);
    return strtod(text, NULL);
}

static double *seconds_of(const struct refrain_proxy *proxy, const double *ns, const uint64_t *n) {
    double *seconds = calloc(proxy->n_ranks, sizeof *seconds);
    for (size_t r = 0; seconds && proxy->n_runs == 1 && r < proxy->n_ranks; r++)
        seconds[r] = rounded(mean_of(ns, n, r, r + 1));
    for (size_t i = 0; seconds && proxy->n_runs > 1 && i < proxy->n_runs; i++)
        seconds[i] =
            rounded(mean_of(ns, n, proxy->runs[i].first, proxy->runs[i].first + proxy->runs[i].trace->n_processes));
    return seconds;
}

/* Finds a value of an item, and counts it if it is a table. item: SIZE_MAX of none, or if it has not one value for each
 * execution. */
static bool find(struct refrain_proxy *proxy, struct refrain_program *program, size_t item,
                 const struct refrain_proxy_list *lists, const struct refrain_proxy_list *peers, bool is_condition,
                 struct refrain_value *value) {
    if (!lists)
        return true;
    size_t function = item == SIZE_MAX ? 0 : proxy->items[item].function;
    bool found = refrain_value_find(proxy, lists, peers, is_condition, value);
    if (found && item != SIZE_MAX && proxy->n_runs > 1 && refrain_value_is_table(value))
        found = refrain_value_find_pace(proxy, item, lists, is_condition, value);
    program->functions[function].n_tables += refrain_value_is_table(value);
    program->n_tables += refrain_value_is_table(value);
    return found;
}

/* The lists of the ranks that an argument is for; null: of none. */
static const struct refrain_proxy_list *peers_of(const struct refrain_proxy_item *item,
                                                 enum refrain_proxy_argument argument) {
    bool of_send = argument == REFRAIN_PROXY_SEND_TAG || argument == REFRAIN_PROXY_SENT;
    bool of_receive = argument == REFRAIN_PROXY_RECV_TAG || argument == REFRAIN_PROXY_RECEIVED;
    return of_send ? item->arguments[REFRAIN_PROXY_DEST] : of_receive ? item->arguments[REFRAIN_PROXY_SOURCE] : NULL;
}

/* False if the call does not use the argument: the number of the first request is not in the text if there are none, or
 * if they are collected; their numbers are if they are collected. */
static bool uses(const struct refrain_proxy_item *item, const struct refrain_program_item *made,
                 enum refrain_proxy_argument argument) {
    int64_t count;
    if (argument == REFRAIN_PROXY_EACH)
        return item->scattered;
    if (argument != REFRAIN_PROXY_FIRST || refrain_program_asks(made, 'h'))
        return true;
    bool none = refrain_value_constant(&made->arguments[REFRAIN_PROXY_COUNT], &count) && count == 0;
    return !item->scattered && !none;
}

/* Finds the arguments of a call: how many requests there are first, since others depend on it. */
static bool find_arguments(struct refrain_proxy *proxy, struct refrain_program *program, size_t number,
                           struct refrain_program_item *made) {
    const struct refrain_proxy_item *item = &proxy->items[number];
    struct refrain_value *count = &made->arguments[REFRAIN_PROXY_COUNT];
    bool found = find(proxy, program, number, item->arguments[REFRAIN_PROXY_COUNT], NULL, false, count);
    for (enum refrain_proxy_argument k = 0; k < REFRAIN_PROXY_ARGUMENTS && found; k++)
        if (k != REFRAIN_PROXY_COUNT && uses(item, made, k))
            found = find(proxy, program, number, item->arguments[k], peers_of(item, k), false, &made->arguments[k]);
    return found;
}

static bool make_item(struct refrain_proxy *proxy, struct refrain_program *program, size_t number) {
    const struct refrain_proxy_item *item = &proxy->items[number];
    struct refrain_program_item *made = &program->items[number];
    *made = (struct refrain_program_item){.function = item->function,
                                          .parent = item->parent,
                                          .region = item->region,
                                          .called = item->called,
                                          .letters = item->letters,
                                          .chooses = item->chooses,
                                          .scattered = item->scattered,
                                          .n_children = item->n_children};
    made->text = item->text ? strdup(item->text) : NULL;
    made->children = malloc((item->n_children + 1) * sizeof *made->children);
    made->seconds = seconds_of(proxy, item->ns, item->n);
    if (!made->children || !made->seconds || (item->text && !made->text))
        return false;
    if (item->n_children)
        memcpy(made->children, item->children, item->n_children * sizeof *made->children);
    bool chosen = item->parent != SIZE_MAX && proxy->items[item->parent].chooses;
    bool is_body = item->parent == SIZE_MAX;
    return (is_body || (chosen && item->region) ||
            find(proxy, program, number, item->times, NULL, item->region != NULL, &made->times)) &&
           (!item->chooses || find(proxy, program, number, item->chosen, NULL, false, &made->chosen)) &&
           find_arguments(proxy, program, number, made);
}

static bool make_functions(const struct refrain_proxy *proxy, struct refrain_program *program) {
    program->functions = calloc(proxy->n_functions, sizeof *program->functions);
    program->items = calloc(proxy->n_items, sizeof *program->items);
    bool made = program->functions && program->items;
    for (size_t i = 0; i < proxy->n_functions && made; i++) {
        const struct refrain_proxy_function *function = &proxy->functions[i];
        program->functions[i] =
            (struct refrain_program_function){.region = function->region,
                                              .body = function->body,
                                              .seconds = seconds_of(proxy, function->ns, function->n)};
        made = program->functions[program->n_functions++].seconds != NULL;
    }
    return made;
}

static bool make_left_out(const struct refrain_proxy *proxy, struct refrain_program *program) {
    program->left_out = calloc(proxy->n_left_out + 1, sizeof *program->left_out);
    bool made = program->left_out != NULL;
    for (size_t i = 0; i < proxy->n_left_out && made; i++) {
        program->left_out[i].count = proxy->left_out[i].count;
        made = (program->left_out[program->n_left_out++].name = strdup(proxy->left_out[i].name)) != NULL;
    }
    return made;
}

static bool make_runs(const struct refrain_proxy *proxy, struct refrain_program *program) {
    program->executable = strdup(proxy->runs[0].trace->process_infos[0].executable);
    program->runs = malloc(proxy->n_runs * sizeof *program->runs);
    program->n_ranks = proxy->n_ranks;
    program->n_seconds = proxy->n_runs > 1 ? proxy->n_runs : proxy->n_ranks;
    program->most_bytes = proxy->most_bytes;
    for (size_t i = 0; i < proxy->n_runs && program->runs; i++)
        program->runs[program->n_runs++] = (int)proxy->runs[i].trace->n_processes;
    return program->executable && program->runs;
}

/* True if the text of some call has an argument with this letter. */
static bool asks(const struct refrain_program *program, char letter) {
    bool asks = false;
    for (size_t i = 0; i < program->n_items && !asks; i++)
        asks = refrain_program_asks(&program->items[i], letter);
    return asks;
}

/* Takes the members of the communicators, if there are calls that make a communicator of a group. */
static bool make_groups(const struct refrain_proxy *proxy, struct refrain_program *program) {
    const struct refrain_trace *trace = proxy->runs[0].trace;
    if (!asks(program, 'j'))
        return true;
    program->groups = calloc(trace->n_comms + 1, sizeof *program->groups);
    bool made = program->groups != NULL;
    for (size_t i = 0; i < trace->n_comms && made; i++) {
        const struct refrain_comm_info *comm = &trace->comms[i];
        struct refrain_program_group *group = &program->groups[program->n_groups++];
        group->n = comm->size;
        made = (group->members = malloc(((size_t)comm->size + 1) * sizeof *group->members)) != NULL;
        for (int32_t k = 0; k < comm->size && made; k++)
            group->members[k] = comm->members ? comm->members[k] : k;
    }
    return made;
}

/* Numbers the items in the order in which a person reads them, as those of a model that is read. */
static void number_from(const struct refrain_program *program, size_t item, size_t *numbers, size_t *n) {
    numbers[item] = (*n)++;
    for (size_t i = 0; i < program->items[item].n_children; i++)
        number_from(program, program->items[item].children[i], numbers, n);
}

static bool number_items(struct refrain_program *program) {
    struct refrain_program_item *items = calloc(program->n_items, sizeof *items);
    size_t *numbers = calloc(program->n_items, sizeof *numbers), n = 0;
    bool sound = items && numbers;
    for (size_t i = 0; i < program->n_functions && sound; i++) {
        number_from(program, program->functions[i].body, numbers, &n);
        program->functions[i].body = numbers[program->functions[i].body];
    }
    for (size_t i = 0; i < program->n_items && sound; i++) {
        struct refrain_program_item *item = &items[numbers[i]];
        *item = program->items[i];
        item->parent = item->parent == SIZE_MAX ? SIZE_MAX : numbers[item->parent];
        for (size_t k = 0; k < item->n_children; k++)
            item->children[k] = numbers[item->children[k]];
    }
    free(numbers);
    free(sound ? program->items : items);
    program->items = sound ? items : program->items;
    return sound;
}

/* Learns the program with the functions that are split by now. */
static enum refrain_status learn(struct refrain_proxy *proxy, struct refrain_trace *const *traces, size_t n_traces,
                                 struct refrain_program *program, struct refrain_error *error) {
    *program = (struct refrain_program){0};
    enum refrain_status status = refrain_proxy_learn(proxy, traces, n_traces, error);
    if (status)
        return status;
    bool made = make_runs(proxy, program) && make_functions(proxy, program) && make_left_out(proxy, program) &&
                find(proxy, program, SIZE_MAX, proxy->n_requests, NULL, false, &program->n_requests) &&
                find(proxy, program, SIZE_MAX, proxy->n_comms, NULL, false, &program->n_comms);
    for (size_t i = 0; i < proxy->n_items && made; i++) {
        program->n_items++;
        made = make_item(proxy, program, i);
    }
    return made && make_groups(proxy, program) && number_items(program) ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
}

enum refrain_status refrain_program_make(struct refrain_program *program, struct refrain_trace *const *traces,
                                         size_t n_traces, struct refrain_error *error) {
    struct refrain_proxy proxy = {0};
    enum refrain_status status = learn(&proxy, traces, n_traces, program, error);
    for (bool better = n_traces > 1; better && !status && program->n_tables;) {
        struct refrain_program next = {0};
        status = split_all(&proxy, program, &better, error);
        if (status || !better)
            break;
        status = learn(&proxy, traces, n_traces, &next, error);
        better = !status && next.n_tables < program->n_tables;
        refrain_program_free(better ? program : &next);
        *program = better ? next : *program;
    }
    refrain_proxy_close(&proxy);
    return status;
}
