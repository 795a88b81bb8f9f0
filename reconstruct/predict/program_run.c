/* program_run.c: see program_run.h. It does what the C program of proxy_write.c does. */
#include "predict/program_run.h"
#include "common/array.h"
#include "predict/expression.h"
#include "predict/proxy_terms.inc"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STEPS (1 << 27)    /* of one rank: calls, and iterations of loops */
#define DEEPEST 4096            /* functions and loops in one another */
#define MOST_REQUESTS (1 << 24) /* of one call */

/* A value of the rank: one number, or runs of which some have been used. */
struct state {
    bool known;
    const struct refrain_proxy_value_run *runs; /* null: always `number` */
    struct refrain_proxy_value_run *own;        /* FIELDS: their values for this rank */
    size_t n, at;                               /* runs, and the one that is used */
    int64_t used, number;                       /* values of it that have been used, and the next one */
    int64_t held;                               /* of a value that holds for a loop */
};

enum { TIMES = REFRAIN_PROXY_ARGUMENTS, CHOSEN, STATES };

struct refrain_program_run {
    const struct refrain_program *program;
    int64_t rank, ranks, most_bytes;
    size_t own;           /* number of the rank among those of all runs, if there was a run with as many ranks */
    struct state *states; /* STATES for each item */
    int64_t *numbers;     /* requests of a call */
    size_t numbers_capacity;
    int64_t *grid;
    size_t grid_capacity;
    const struct refrain_program_visitor *visitor;
    void *data;
    struct refrain_error *error;
    int depth;
    uint32_t steps;
};

static enum refrain_status execute(struct refrain_program_run *run, size_t item);

/* ---- values ---- */

static const char *function_name(const struct refrain_program_run *run, size_t item) {
    const struct refrain_region_info *region = run->program->functions[run->program->items[item].function].region;
    return region ? region->name : "the program";
}

static enum refrain_status evaluate(struct refrain_program_run *run, size_t item, const char *text, int64_t *value) {
    if (refrain_expression_evaluate(text, run->rank, run->ranks, value, NULL) == REFRAIN_EXPRESSION_OK)
        return REFRAIN_OK;
    return REFRAIN_FAIL(run->error, "%s has no meaning for rank %" PRId64 " of %" PRId64 ", in %s", text, run->rank,
                        run->ranks, function_name(run, item));
}

static enum refrain_status evaluate_fields(struct refrain_program_run *run, size_t item,
                                           const struct refrain_value *value, struct state *state) {
    int64_t n;
    enum refrain_status status = evaluate(run, item, value->text, &n);
    if (!status && (n < 0 || n > (int64_t)value->n))
        status = REFRAIN_FAIL(run->error,
                              "%s gives %" PRId64 " runs of values for rank %" PRId64 " of %" PRId64
                              ", and the model has %zu, in %s",
                              value->text, n, run->rank, run->ranks, value->n, function_name(run, item));
    if (!status && !state->own && !(state->own = calloc(value->n + 1, sizeof *state->own)))
        status = REFRAIN_FAIL_MEMORY(run->error);
    for (int64_t i = 0; i < n && !status; i++) {
        struct refrain_proxy_value_run *own = &state->own[i];
        const struct refrain_value_fields *fields = &value->fields[i];
        status = evaluate(run, item, fields->count, &own->count);
        status = status ? status : evaluate(run, item, fields->value, &own->value);
        status = status ? status : evaluate(run, item, fields->step, &own->step);
        if (!status && own->count <= 0)
            status = REFRAIN_FAIL(run->error,
                                  "%s gives a run of %" PRId64 " values for rank %" PRId64 " of %" PRId64 ", in %s",
                                  fields->count, own->count, run->rank, run->ranks, function_name(run, item));
    }
    state->runs = state->own;
    state->n = status ? 0 : (size_t)n;
    return status;
}

/* Finds the rank's values. */
static enum refrain_status prepare(struct refrain_program_run *run, size_t item, const struct refrain_value *value,
                                   struct state *state) {
    *state = (struct state){.known = true, .own = state->own, .held = state->held};
    switch (value->kind) {
    case REFRAIN_VALUE_NONE:
        return REFRAIN_OK;
    case REFRAIN_VALUE_ONE:
        return evaluate(run, item, value->text, &state->number);
    case REFRAIN_VALUE_FIELDS:
        return evaluate_fields(run, item, value, state);
    case REFRAIN_VALUE_RANKS:
        state->number = value->numbers[run->own];
        return REFRAIN_OK;
    default: {
        const struct refrain_proxy_runs *runs =
            &value->runs[value->kind == REFRAIN_VALUE_RUNS ? 0 : value->like[run->own]];
        state->runs = runs->all;
        state->n = runs->n;
        return REFRAIN_OK;
    }
    }
}

static int64_t sum(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* The next value of runs; 0 if there are none. After the last run the first one follows again. */
static int64_t next(struct state *state) {
    if (state->n == 0)
        return 0;
    const struct refrain_proxy_value_run *values = &state->runs[state->at];
    int64_t value = state->used ? state->number : values->value;
    state->number = values->step == REFRAIN_PROXY_DOUBLING  ? sum(value, value)
                    : values->step == REFRAIN_PROXY_HALVING ? value / 2
                                                            : sum(value, values->step);
    if (++state->used == values->count) {
        state->used = 0;
        state->at = state->at + 1 == state->n ? 0 : state->at + 1;
    }
    return value;
}

/* Finds the next value of an item. */
static enum refrain_status advance(struct refrain_program_run *run, size_t item, size_t which,
                                   const struct refrain_value *value, int64_t *number) {
    struct state *state = &run->states[item * STATES + which];
    enum refrain_status status = state->known ? REFRAIN_OK : prepare(run, item, value, state);
    if (status)
        return status;
    *number = state->runs ? next(state) : state->number;
    if (!state->runs || value->kind == REFRAIN_VALUE_RANK_RUNS)
        return REFRAIN_OK;
    switch (value->relation) {
    case REFRAIN_PROXY_SHIFTED:
        *number = sum(*number, run->rank);
        break;
    case REFRAIN_PROXY_ROTATED:
        *number = sum(*number, run->rank) % run->ranks;
        break;
    case REFRAIN_PROXY_EXCHANGED:
        *number ^= run->rank;
        break;
    default:
        break;
    }
    return REFRAIN_OK;
}

/* Takes the next value of an item, or the one that holds for the loop. */
static enum refrain_status take(struct refrain_program_run *run, size_t item, size_t which,
                                const struct refrain_value *value, int64_t *number) {
    if (value->pace != REFRAIN_VALUE_HOLDS || value->kind == REFRAIN_VALUE_ONE)
        return advance(run, item, which, value, number);
    *number = run->states[item * STATES + which].held;
    return REFRAIN_OK;
}

/* ---- calls ---- */

static enum refrain_status wrong_call(const struct refrain_program_run *run, size_t item, const char *what,
                                      int64_t value) {
    const struct refrain_region_info *region = run->program->items[item].region;
    return REFRAIN_FAIL(run->error, "%s (%s:%u) would have %s %" PRId64 " on rank %" PRId64 " of %" PRId64,
                        region->name, region->file[0] ? region->file : "?", region->line, what, value, run->rank,
                        run->ranks);
}

/* Takes n values of an argument that a call has several of. */
static enum refrain_status take_several(struct refrain_program_run *run, size_t item, enum refrain_proxy_argument which,
                                        size_t n, int64_t **numbers, size_t *capacity) {
    enum refrain_status status =
        REFRAIN_ARRAY_ROOMS(*numbers, 0, n + 1, *capacity) ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(run->error);
    for (size_t i = 0; i < n && !status; i++)
        status = take(run, item, which, &run->program->items[item].arguments[which], &(*numbers)[i]);
    return status;
}

/* Takes the numbers of the requests: each, or the first of consecutive ones. */
static enum refrain_status take_requests(struct refrain_program_run *run, size_t item,
                                         struct refrain_program_call *call) {
    int64_t n = call->arguments[REFRAIN_PROXY_COUNT], first = call->arguments[REFRAIN_PROXY_FIRST];
    if (n < 0 || n > MOST_REQUESTS)
        return wrong_call(run, item, "a number of requests of", n);
    if (call->item->scattered) {
        enum refrain_status status =
            take_several(run, item, REFRAIN_PROXY_EACH, (size_t)n, &run->numbers, &run->numbers_capacity);
        if (status)
            return status;
    } else {
        if (!REFRAIN_ARRAY_ROOMS(run->numbers, 0, (size_t)n + 1, run->numbers_capacity))
            return REFRAIN_FAIL_MEMORY(run->error);
        for (int64_t i = 0; i < n; i++)
            run->numbers[i] = sum(first, i);
    }
    call->requests = run->numbers;
    call->n_requests = (size_t)n;
    return REFRAIN_OK;
}

static enum refrain_status take_arguments(struct refrain_program_run *run, size_t item,
                                          struct refrain_program_call *call) {
    for (enum refrain_proxy_argument k = 0; k < REFRAIN_PROXY_ARGUMENTS; k++) {
        if (k == REFRAIN_PROXY_EACH || k == REFRAIN_PROXY_SIZES || !call->item->arguments[k].kind)
            continue;
        enum refrain_status status = take(run, item, k, &call->item->arguments[k], &call->arguments[k]);
        if (status)
            return status;
        bool bytes = k == REFRAIN_PROXY_SENT || k == REFRAIN_PROXY_RECEIVED;
        if (bytes && (call->arguments[k] < 0 || call->arguments[k] > run->most_bytes))
            return wrong_call(run, item, "a message of so many bytes:", call->arguments[k]);
    }
    return REFRAIN_OK;
}

static enum refrain_status make_call(struct refrain_program_run *run, size_t item) {
    struct refrain_program_call call = {.item = &run->program->items[item]};
    enum refrain_status status = take_arguments(run, item, &call);
    if (!status)
        status = take_requests(run, item, &call);
    int64_t dimensions = call.arguments[REFRAIN_PROXY_DIMENSIONS];
    if (!status && (dimensions < 0 || dimensions > 16))
        status = wrong_call(run, item, "a grid of so many dimensions:", dimensions);
    if (!status && dimensions) {
        status = take_several(run, item, REFRAIN_PROXY_SIZES, 2 * (size_t)dimensions, &run->grid, &run->grid_capacity);
        call.grid = run->grid;
    }
    return status ? status : run->visitor->call(run->data, &call) ? REFRAIN_ERROR : REFRAIN_OK;
}

/* ---- functions, loops ---- */

/* Counts a step. False if there have been too many: a model may say that a loop never ends. */
static bool step(struct refrain_program_run *run) {
    return ++run->steps <= MOST_STEPS;
}

static enum refrain_status too_long(const struct refrain_program_run *run, size_t item) {
    return REFRAIN_FAIL(run->error, "rank %" PRId64 " would take more than %d steps; it is in %s", run->rank,
                        MOST_STEPS, function_name(run, item));
}

static enum refrain_status compute(struct refrain_program_run *run, const double *seconds) {
    const struct refrain_program *program = run->program;
    double mean =
        program->n_runs > 1 ? mean_on(run->ranks, program->runs, (int)program->n_runs, seconds) : seconds[run->own];
    return mean > 0 && run->visitor->compute(run->data, mean) ? REFRAIN_ERROR : REFRAIN_OK;
}

static enum refrain_status execute_children(struct refrain_program_run *run, size_t item) {
    const struct refrain_program_item *loop = &run->program->items[item];
    enum refrain_status status = REFRAIN_OK;
    for (size_t i = 0; i < loop->n_children && !status; i++)
        status = execute(run, loop->children[i]);
    return status;
}

static enum refrain_status execute_choice(struct refrain_program_run *run, size_t item) {
    const struct refrain_program_item *loop = &run->program->items[item];
    int64_t chosen;
    enum refrain_status status = take(run, item, CHOSEN, &loop->chosen, &chosen);
    if (!status && (chosen < 0 || chosen >= (int64_t)loop->n_children))
        return REFRAIN_FAIL(run->error,
                            "a loop in %s chooses the element %" PRId64 " of %zu on rank %" PRId64 " of %" PRId64,
                            function_name(run, item), chosen, loop->n_children, run->rank, run->ranks);
    if (status)
        return status;
    return execute(run, loop->children[chosen]);
}

static enum refrain_status execute_function(struct refrain_program_run *run, size_t number) {
    const struct refrain_program_function *function = &run->program->functions[number];
    if (function->region && run->visitor->enter(run->data, function->region))
        return REFRAIN_ERROR;
    enum refrain_status status = execute_children(run, function->body);
    if (!status)
        status = compute(run, function->seconds);
    if (!status && function->region && run->visitor->leave(run->data, function->region))
        status = REFRAIN_ERROR;
    return status;
}

/* A loop begins: a value in its body begins anew, or changes, if it does so with the loop. */
static enum refrain_status begin_value(struct refrain_program_run *run, size_t item, size_t which,
                                       const struct refrain_value *value) {
    struct state *state = &run->states[item * STATES + which];
    if (value->pace == REFRAIN_VALUE_RESTARTS)
        state->at = 0, state->used = 0;
    return value->pace == REFRAIN_VALUE_HOLDS && value->kind != REFRAIN_VALUE_ONE
               ? advance(run, item, which, value, &state->held)
               : REFRAIN_OK;
}

static enum refrain_status begin_values(struct refrain_program_run *run, const struct refrain_program_item *loop) {
    enum refrain_status status = REFRAIN_OK;
    for (size_t i = 0; i < loop->n_children && !status; i++) {
        size_t number = loop->children[i];
        const struct refrain_program_item *item = &run->program->items[number];
        status = begin_value(run, number, TIMES, &item->times);
        for (size_t k = 0; k < REFRAIN_PROXY_ARGUMENTS && !status; k++)
            status = begin_value(run, number, k, &item->arguments[k]);
    }
    return status;
}

static enum refrain_status execute_loop(struct refrain_program_run *run, size_t number, int64_t times) {
    const struct refrain_program_item *item = &run->program->items[number];
    enum refrain_status status = begin_values(run, item);
    for (int64_t i = 0; i < times && !status; i++)
        status = !step(run)      ? too_long(run, number)
                 : item->chooses ? execute_choice(run, number)
                                 : execute_children(run, number);
    return status;
}

static enum refrain_status execute(struct refrain_program_run *run, size_t number) {
    const struct refrain_program_item *item = &run->program->items[number];
    if (++run->depth > DEEPEST)
        return REFRAIN_FAIL(run->error, "%s calls itself more than %d deep", function_name(run, number), DEEPEST);
    int64_t times = 1;
    enum refrain_status status = REFRAIN_OK;
    if (item->times.kind)
        status = take(run, number, TIMES, &item->times, &times);
    if (!status && times < 0)
        return REFRAIN_FAIL(run->error, "a loop in %s has %" PRId64 " iterations on rank %" PRId64 " of %" PRId64,
                            function_name(run, number), times, run->rank, run->ranks);
    if (!status && !item->region)
        status = execute_loop(run, number, times);
    else if (!status && times) {
        status = step(run) ? compute(run, item->seconds) : too_long(run, number);
        if (!status)
            status = item->called != SIZE_MAX ? execute_function(run, item->called) : make_call(run, number);
    }
    run->depth--;
    return status;
}

/* ---- for other files ---- */

struct refrain_program_run *refrain_program_run_open(const struct refrain_program *program, int64_t ranks) {
    struct refrain_program_run *run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    *run = (struct refrain_program_run){.program = program,
                                        .ranks = ranks,
                                        .most_bytes =
                                            most_on(ranks, program->runs, (int)program->n_runs, program->most_bytes),
                                        .states = calloc(program->n_items * STATES + 1, sizeof *run->states)};
    if (run->states)
        return run;
    free(run);
    return NULL;
}

void refrain_program_run_close(struct refrain_program_run *run) {
    for (size_t i = 0; run && i < run->program->n_items * STATES; i++)
        free(run->states[i].own);
    if (run) {
        free(run->states);
        free(run->numbers);
        free(run->grid);
    }
    free(run);
}

enum refrain_status refrain_program_run_rank(struct refrain_program_run *run, int64_t rank,
                                             const struct refrain_program_visitor *visitor, void *data,
                                             struct refrain_error *error) {
    const struct refrain_program *program = run->program;
    size_t with = refrain_program_run_with(program, run->ranks);
    run->rank = rank;
    run->own = (size_t)rank;
    for (size_t i = 0; i < with && with < program->n_runs; i++)
        run->own += (size_t)program->runs[i];
    run->visitor = visitor;
    run->data = data;
    run->error = error;
    run->depth = 0;
    run->steps = 0;
    for (size_t i = 0; i < program->n_items * STATES; i++)
        run->states[i].known = false;
    return execute_function(run, 0);
}
