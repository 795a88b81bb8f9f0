/* model_read.c: reads a program from JSON (model_file.h). */
#define _GNU_SOURCE
#include "common/array.h"
#include "model/trace_read.h"
#include "predict/expression.h"
#include "predict/model_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_RUNS 64
#define MOST_RANKS (1 << 24)

struct reader {
    const char *path;
    struct refrain_program *program;
    struct refrain_error *error;
    const char *within; /* name of the function that is read */
    size_t items_capacity, regions_capacity;
    size_t function;
};

static enum refrain_status wrong(const struct reader *reader, const char *what, const char *name) {
    return REFRAIN_FAIL(reader->error, "%s: in %s: %s: %s", reader->path, reader->within, name, what);
}

static enum refrain_status no_memory(const struct reader *reader) {
    return REFRAIN_FAIL_MEMORY(reader->error);
}

static enum refrain_status read_number(const struct reader *reader, const json_t *object, const char *name,
                                       int64_t least, int64_t most, int64_t *number) {
    const json_t *value = json_object_get(object, name);
    if (!json_is_integer(value))
        return wrong(reader, "a whole number is expected", name);
    *number = json_integer_value(value);
    return *number < least || *number > most ? wrong(reader, "is a number that cannot be", name) : REFRAIN_OK;
}

/* ---- values ---- */

/* Checks an expression with numbers that do not matter, and copies it. */
static enum refrain_status read_expression(const struct reader *reader, const json_t *value, const char *name,
                                           char **text) {
    char number[32];
    int64_t any;
    if (json_is_integer(value))
        snprintf(number, sizeof number, "%" PRId64, (int64_t)json_integer_value(value));
    else if (!json_is_string(value))
        return wrong(reader, "a number or an expression is expected", name);
    const char *source = json_is_integer(value) ? number : json_string_value(value);
    if (json_is_string(value) && refrain_expression_evaluate(source, 0, 1, &any, NULL) == REFRAIN_EXPRESSION_WRONG)
        return REFRAIN_FAIL(reader->error, "%s: in %s: %s: '%.100s' is no expression", reader->path, reader->within,
                            name, source);
    *text = strdup(source);
    return *text ? REFRAIN_OK : no_memory(reader);
}

static enum refrain_status read_run(const struct reader *reader, const json_t *value, const char *name,
                                    struct refrain_proxy_value_run *run) {
    const json_t *count = json_array_get(value, 0), *first = json_array_get(value, 1), *step = json_array_get(value, 2);
    if (!json_is_integer(count) || !json_is_integer(first) || json_integer_value(count) < 1)
        return wrong(reader, "runs of [count, first value, step] are expected", name);
    run->count = json_integer_value(count);
    run->value = json_integer_value(first);
    run->step = json_integer_value(step);
    if (json_is_string(step) && strcmp(json_string_value(step), REFRAIN_MODEL_DOUBLING) == 0)
        run->step = REFRAIN_PROXY_DOUBLING;
    else if (json_is_string(step) && strcmp(json_string_value(step), REFRAIN_MODEL_HALVING) == 0)
        run->step = REFRAIN_PROXY_HALVING;
    else if (!json_is_integer(step))
        return wrong(reader, "the step of a run is a number, " REFRAIN_MODEL_DOUBLING " or " REFRAIN_MODEL_HALVING,
                     name);
    return REFRAIN_OK;
}

static enum refrain_status read_runs(const struct reader *reader, const json_t *array, const char *name,
                                     struct refrain_proxy_runs *runs) {
    enum refrain_status status = json_is_array(array) ? REFRAIN_OK : wrong(reader, "an array is expected", name);
    for (size_t i = 0; !status && i < json_array_size(array); i++) {
        if (!REFRAIN_ARRAY_ROOM(runs->all, runs->n, runs->capacity))
            return no_memory(reader);
        status = read_run(reader, json_array_get(array, i), name, &runs->all[runs->n++]);
    }
    return status;
}

/* The step of a run whose members are expressions. */
static enum refrain_status read_step(const struct reader *reader, const json_t *value, const char *name, char **text) {
    bool doubles = json_is_string(value) && strcmp(json_string_value(value), REFRAIN_MODEL_DOUBLING) == 0;
    bool halves = json_is_string(value) && strcmp(json_string_value(value), REFRAIN_MODEL_HALVING) == 0;
    if (!doubles && !halves)
        return read_expression(reader, value, name, text);
    if (asprintf(text, "%" PRId64, doubles ? REFRAIN_PROXY_DOUBLING : REFRAIN_PROXY_HALVING) < 0)
        *text = NULL;
    return *text ? REFRAIN_OK : no_memory(reader);
}

static enum refrain_status read_fields(const struct reader *reader, const json_t *array, const char *name,
                                       struct refrain_value *value) {
    value->kind = REFRAIN_VALUE_FIELDS;
    value->fields = calloc(json_array_size(array) + 1, sizeof *value->fields);
    if (!value->fields)
        return no_memory(reader);
    enum refrain_status status = REFRAIN_OK;
    for (; value->n < json_array_size(array) && !status;) {
        struct refrain_value_fields *fields = &value->fields[value->n];
        const json_t *run = json_array_get(array, value->n++);
        status = read_expression(reader, json_array_get(run, 0), name, &fields->count);
        status = status ? status : read_expression(reader, json_array_get(run, 1), name, &fields->value);
        status = status ? status : read_step(reader, json_array_get(run, 2), name, &fields->step);
    }
    return status;
}

static enum refrain_status read_relation(const struct reader *reader, const json_t *object, const char *name,
                                         struct refrain_value *value) {
    const char *each = json_string_value(json_object_get(object, "each"));
    for (unsigned i = 0; i < REFRAIN_PROXY_RELATIONS && each; i++)
        if (strcmp(each, refrain_model_relations[i]) == 0) {
            value->relation = (enum refrain_proxy_relation)i;
            return REFRAIN_OK;
        }
    return wrong(reader, "'each' says nothing that refrain knows", name);
}

/* Runs that all ranks have: of numbers, or of expressions. */
static enum refrain_status read_common_runs(const struct reader *reader, const json_t *object, const char *name,
                                            struct refrain_value *value) {
    const json_t *runs = json_object_get(object, "runs"), *n = json_object_get(object, "n");
    enum refrain_status status = read_relation(reader, object, name, value);
    if (status)
        return status;
    if (n) {
        status = read_fields(reader, runs, name, value);
        return status ? status : read_expression(reader, n, name, &value->text);
    }
    value->kind = REFRAIN_VALUE_RUNS;
    value->runs = calloc(1, sizeof *value->runs);
    value->n = value->runs != NULL;
    return value->runs ? read_runs(reader, runs, name, value->runs) : no_memory(reader);
}

static enum refrain_status read_rank_runs(const struct reader *reader, const json_t *array, const char *name,
                                          struct refrain_value *value) {
    size_t n = reader->program->n_ranks;
    value->kind = REFRAIN_VALUE_RANK_RUNS;
    value->runs = calloc(n, sizeof *value->runs);
    value->like = calloc(n, sizeof *value->like);
    value->n = n;
    enum refrain_status status = value->runs && value->like ? REFRAIN_OK : no_memory(reader);
    if (!status && json_array_size(array) != n)
        status = wrong(reader, "has not as many values as the runs have ranks", name);
    for (size_t r = 0; r < n && !status; r++) {
        const json_t *own = json_array_get(array, r);
        value->like[r] = json_is_integer(own) ? (size_t)json_integer_value(own) : r;
        if (json_is_integer(own))
            status = value->like[r] < r && value->like[value->like[r]] == value->like[r]
                         ? REFRAIN_OK
                         : wrong(reader, "names a rank that has no runs of its own before it", name);
        else
            status = read_runs(reader, own, name, &value->runs[r]);
    }
    return status;
}

static enum refrain_status read_ranks(const struct reader *reader, const json_t *array, const char *name,
                                      struct refrain_value *value) {
    size_t n = reader->program->n_ranks;
    value->kind = REFRAIN_VALUE_RANKS;
    value->n = n;
    value->numbers = calloc(n, sizeof *value->numbers);
    if (!value->numbers)
        return no_memory(reader);
    if (json_array_size(array) != n)
        return wrong(reader, "has not as many values as the runs have ranks", name);
    for (size_t r = 0; r < n; r++) {
        const json_t *number = json_array_get(array, r);
        if (!json_is_integer(number))
            return wrong(reader, "whole numbers by rank are expected", name);
        value->numbers[r] = json_integer_value(number);
    }
    return REFRAIN_OK;
}

static enum refrain_status read_value(const struct reader *reader, const json_t *from, const char *name,
                                      struct refrain_value *value) {
    enum refrain_status status;
    const json_t *by_rank = json_object_get(from, "by_rank"), *runs_by_rank = json_object_get(from, "runs_by_rank");
    if (by_rank)
        status = read_ranks(reader, by_rank, name, value);
    else if (runs_by_rank)
        status = read_rank_runs(reader, runs_by_rank, name, value);
    else if (json_is_object(from))
        status = read_common_runs(reader, from, name, value);
    else {
        value->kind = REFRAIN_VALUE_ONE;
        status = read_expression(reader, from, name, &value->text);
    }
    for (enum refrain_value_pace pace = REFRAIN_VALUE_RESTARTS; pace < REFRAIN_VALUE_PACES; pace++)
        if (json_is_true(json_object_get(from, refrain_model_paces[pace])))
            value->pace = pace;
    if (!status && refrain_value_is_table(value)) {
        reader->program->n_tables++;
        reader->program->functions[reader->function].n_tables++;
    }
    return status;
}

/* ---- regions ---- */

static const char *text_of(const json_t *object, const char *name) {
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

/* Makes the region of an item; null without memory. */
static const struct refrain_region_info *make_region(struct reader *reader, const json_t *object, const char *name,
                                                     enum refrain_region_kind kind) {
    int32_t number = kind == REFRAIN_REGION_MPI ? refrain_mpi_call_named(name) : -1;
    const struct refrain_mpi_call *call = number < 0 ? NULL : refrain_mpi_call((uint32_t)number);
    struct refrain_region_info *region = calloc(1, sizeof *region);
    struct refrain_program *program = reader->program;
    if (!region || !REFRAIN_ARRAY_ROOM(program->regions, program->n_regions, reader->regions_capacity)) {
        free(region);
        return NULL;
    }
    *region = (struct refrain_region_info){.index = (uint32_t)program->n_regions,
                                           .kind = call ? call->region : kind,
                                           .name = strdup(name),
                                           .file = strdup(text_of(object, "file")),
                                           .line = (uint32_t)json_integer_value(json_object_get(object, "line")),
                                           .mpi = (uint32_t)(number + 1),
                                           .function = strdup(text_of(object, "in")),
                                           .collective = call ? refrain_collective_name(call->collective) : "",
                                           .role = call ? call->collective : 0};
    program->regions[program->n_regions++] = region;
    return region->name && region->file && region->function ? region : NULL;
}

/* ---- items ---- */

static enum refrain_status read_items(struct reader *reader, const json_t *array, size_t parent);

/* Times computed: a number, or one for each rank of one run or for each run. */
static enum refrain_status read_seconds(const struct reader *reader, const json_t *object, const char *name,
                                        double **seconds) {
    const json_t *value = json_object_get(object, name);
    size_t n = reader->program->n_seconds;
    *seconds = calloc(n, sizeof **seconds);
    if (!*seconds)
        return no_memory(reader);
    if (value && !json_is_number(value) && json_array_size(value) != n)
        return wrong(reader, "is no time, and not as many times as there are runs, or ranks of one run", name);
    for (size_t i = 0; i < n && value; i++) {
        (*seconds)[i] = json_number_value(json_is_array(value) ? json_array_get(value, i) : value);
        if (!((*seconds)[i] >= 0 && (*seconds)[i] < 1e9))
            return wrong(reader, "is no time in seconds", name);
    }
    return REFRAIN_OK;
}

/* Makes sure that the call has each argument which is in its text. */
static enum refrain_status check_arguments(const struct reader *reader, const struct refrain_program_item *item) {
    int64_t count;
    bool has[REFRAIN_PROXY_ARGUMENTS + 1] = {[REFRAIN_PROXY_ARGUMENTS] = true};
    for (enum refrain_proxy_argument k = 0; k < REFRAIN_PROXY_ARGUMENTS; k++)
        has[k] = item->arguments[k].kind != REFRAIN_VALUE_NONE;
    bool none = refrain_value_constant(&item->arguments[REFRAIN_PROXY_COUNT], &count) && count == 0;
    bool wants_first =
        (refrain_program_asks(item, 'f') || refrain_program_asks(item, 'u')) && !none && !item->scattered;
    enum refrain_proxy_argument missing = REFRAIN_PROXY_ARGUMENTS;
    for (char letter = 'a'; letter <= 'z'; letter++)
        if (refrain_program_asks(item, letter) && !has[refrain_proxy_argument_of(letter)])
            missing = refrain_proxy_argument_of(letter);
    if (wants_first && !has[REFRAIN_PROXY_FIRST])
        missing = REFRAIN_PROXY_FIRST;
    if (has[REFRAIN_PROXY_EACH] && !has[REFRAIN_PROXY_COUNT])
        missing = REFRAIN_PROXY_COUNT;
    if (has[REFRAIN_PROXY_DIMENSIONS] != has[REFRAIN_PROXY_SIZES])
        missing = has[REFRAIN_PROXY_SIZES] ? REFRAIN_PROXY_DIMENSIONS : REFRAIN_PROXY_SIZES;
    return missing == REFRAIN_PROXY_ARGUMENTS
               ? REFRAIN_OK
               : wrong(reader, "a call does not have this argument, and needs it", refrain_model_arguments[missing]);
}

static enum refrain_status read_call(struct reader *reader, const json_t *object, struct refrain_program_item *item) {
    const char *name = text_of(object, "call");
    item->region = make_region(reader, object, name, REFRAIN_REGION_MPI);
    if (!item->region)
        return no_memory(reader);
    if (!item->region->mpi)
        return wrong(reader, "is no function that refrain knows", name);
    if (!refrain_proxy_call_text(item->region, &item->text))
        return no_memory(reader);
    item->letters = item->text ? refrain_proxy_letters(item->text) : 0;
    enum refrain_status status = REFRAIN_OK;
    for (enum refrain_proxy_argument k = 0; k < REFRAIN_PROXY_ARGUMENTS && !status; k++) {
        const json_t *value = json_object_get(object, refrain_model_arguments[k]);
        if (value)
            status = read_value(reader, value, refrain_model_arguments[k], &item->arguments[k]);
    }
    size_t i;
    const json_t *none;
    json_array_foreach(json_object_get(object, "may_be_none"), i, none) for (enum refrain_proxy_argument k = 0;
                                                                             k < REFRAIN_PROXY_ARGUMENTS; k++)
        item->arguments[k]
            .negative |= json_is_string(none) && strcmp(json_string_value(none), refrain_model_arguments[k]) == 0;
    item->scattered = item->arguments[REFRAIN_PROXY_EACH].kind != REFRAIN_VALUE_NONE;
    return status ? status : check_arguments(reader, item);
}

static enum refrain_status read_loop(struct reader *reader, const json_t *object, size_t number) {
    struct refrain_program_item *item = &reader->program->items[number];
    const json_t *one_of = json_object_get(object, "one_of");
    enum refrain_status status = read_value(reader, json_object_get(object, "times"), "times", &item->times);
    item->chooses = one_of != NULL;
    if (!status && one_of)
        status = read_value(reader, json_object_get(object, "choose"), "choose", &item->chosen);
    return status ? status : read_items(reader, one_of ? one_of : json_object_get(object, "loop"), number);
}

static enum refrain_status read_item(struct reader *reader, const json_t *object, size_t number) {
    struct refrain_program *program = reader->program;
    struct refrain_program_item *item = &program->items[number];
    const json_t *condition = json_object_get(object, "if");
    enum refrain_status status = read_seconds(reader, object, "computes_before", &item->seconds);
    if (status)
        return status;
    if (json_object_get(object, "times"))
        return read_loop(reader, object, number);
    status = condition                            ? read_value(reader, condition, "if", &item->times)
             : refrain_value_set(&item->times, 1) ? REFRAIN_OK
                                                  : no_memory(reader);
    if (status)
        return status;
    if (json_object_get(object, "call"))
        return read_call(reader, object, item);
    int64_t called;
    status = read_number(reader, object, "function", 1, (int64_t)program->n_functions - 1, &called);
    if (status)
        return status;
    item->called = (size_t)called;
    item->region = program->functions[called].region;
    return REFRAIN_OK;
}

static size_t add_item(struct reader *reader, size_t parent) {
    struct refrain_program *program = reader->program;
    if (!REFRAIN_ARRAY_ROOM(program->items, program->n_items, reader->items_capacity))
        return SIZE_MAX;
    program->items[program->n_items] =
        (struct refrain_program_item){.function = reader->function, .parent = parent, .called = SIZE_MAX};
    return program->n_items++;
}

/* Reads the children of an item. */
static enum refrain_status read_items(struct reader *reader, const json_t *array, size_t parent) {
    struct refrain_program *program = reader->program;
    size_t n = json_array_size(array);
    if (!json_is_array(array))
        return wrong(reader, "an array of what it does is expected", "does, loop or one_of");
    program->items[parent].children = calloc(n + 1, sizeof *program->items[parent].children);
    if (!program->items[parent].children)
        return no_memory(reader);
    enum refrain_status status = REFRAIN_OK;
    for (size_t i = 0; i < n && !status; i++) {
        size_t child = add_item(reader, parent);
        if (child == SIZE_MAX)
            return no_memory(reader);
        program->items[parent].children[program->items[parent].n_children++] = child;
        status = read_item(reader, json_array_get(array, i), child);
    }
    return status;
}

static enum refrain_status read_function(struct reader *reader, const json_t *object, size_t number) {
    struct refrain_program_function *function = &reader->program->functions[number];
    reader->within = number ? text_of(object, "name") : "the outermost function";
    reader->function = number;
    function->body = add_item(reader, SIZE_MAX);
    if (function->body == SIZE_MAX)
        return no_memory(reader);
    enum refrain_status status = read_seconds(reader, object, "computes_after", &function->seconds);
    if (!status)
        status = read_seconds(reader, NULL, "", &reader->program->items[function->body].seconds);
    return status ? status : read_items(reader, json_object_get(object, "does"), function->body);
}

/* Reads the names of all functions first, as they call each other. */
static enum refrain_status read_functions(struct reader *reader, const json_t *array) {
    struct refrain_program *program = reader->program;
    program->n_functions = json_array_size(array);
    if (program->n_functions == 0)
        return wrong(reader, "an array of functions is expected", "functions");
    program->functions = calloc(program->n_functions, sizeof *program->functions);
    if (!program->functions) {
        program->n_functions = 0;
        return no_memory(reader);
    }
    for (size_t i = 1; i < program->n_functions; i++) {
        const json_t *object = json_array_get(array, i);
        bool user = json_is_true(json_object_get(object, "user_region"));
        const json_t *number = json_object_get(object, "number");
        if (!json_is_integer(number) || json_integer_value(number) != (json_int_t)i)
            return wrong(reader, "functions are numbered from 0 in their order", "number");
        if (!*text_of(object, "name"))
            return wrong(reader, "a function has none", "name");
        program->functions[i].region =
            make_region(reader, object, text_of(object, "name"), user ? REFRAIN_REGION_USER : REFRAIN_REGION_FUNCTION);
        if (!program->functions[i].region)
            return no_memory(reader);
    }
    return REFRAIN_OK;
}

/* ---- the program ---- */

static enum refrain_status read_runs_of(struct reader *reader, const json_t *array) {
    struct refrain_program *program = reader->program;
    size_t n = json_array_size(array);
    if (n == 0 || n > MOST_RUNS)
        return wrong(reader, "the numbers of ranks of 1 to 64 runs are expected", "ranks_of_runs");
    program->runs = calloc(n, sizeof *program->runs);
    if (!program->runs)
        return no_memory(reader);
    for (; program->n_runs < n; program->n_runs++) {
        json_int_t ranks = json_integer_value(json_array_get(array, program->n_runs));
        if (ranks < 1 || ranks > MOST_RANKS || (program->n_runs && ranks <= program->runs[program->n_runs - 1]))
            return wrong(reader, "growing numbers of ranks are expected", "ranks_of_runs");
        program->runs[program->n_runs] = (int)ranks;
        program->n_ranks += (size_t)ranks;
    }
    program->n_seconds = n > 1 ? n : program->n_ranks;
    return REFRAIN_OK;
}

static enum refrain_status read_left_out(struct reader *reader, const json_t *object) {
    struct refrain_program *program = reader->program;
    program->left_out = calloc(json_object_size(object) + 1, sizeof *program->left_out);
    if (!program->left_out)
        return no_memory(reader);
    const char *name;
    json_t *count;
    json_object_foreach((json_t *)object, name, count) {
        struct refrain_program_left_out *left_out = &program->left_out[program->n_left_out++];
        left_out->count = (uint64_t)json_integer_value(count);
        if (refrain_mpi_call_named(name) < 0) {
            program->n_left_out--;
            return wrong(reader, "names a function that refrain does not know", "left_out");
        }
        if (!(left_out->name = strdup(name)))
            return no_memory(reader);
    }
    return REFRAIN_OK;
}

static enum refrain_status read_groups(struct reader *reader, const json_t *array) {
    struct refrain_program *program = reader->program;
    size_t n = json_array_size(array);
    program->groups = calloc(n + 1, sizeof *program->groups);
    if (!program->groups)
        return no_memory(reader);
    for (; program->n_groups < n;) {
        const json_t *members = json_array_get(array, program->n_groups);
        struct refrain_program_group *group = &program->groups[program->n_groups++];
        size_t size = json_array_size(members);
        if (size == 0 || size > program->n_ranks)
            return wrong(reader, "a communicator has no members, or more than there are ranks", "groups");
        if (!(group->members = calloc(size, sizeof *group->members)))
            return no_memory(reader);
        for (; group->n < (int32_t)size; group->n++) {
            const json_t *member = json_array_get(members, (size_t)group->n);
            json_int_t rank = json_integer_value(member);
            if (!json_is_integer(member) || rank < 0 || rank >= program->runs[0])
                return wrong(reader, "a member is no rank", "groups");
            group->members[group->n] = (int32_t)rank;
        }
    }
    return REFRAIN_OK;
}

static enum refrain_status read_program(struct reader *reader, const json_t *root) {
    struct refrain_program *program = reader->program;
    const json_t *functions = json_object_get(root, "functions");
    int64_t version, without;
    enum refrain_status status = read_number(reader, root, "refrain_model", 1, INT64_MAX, &version);
    if (!status && version != REFRAIN_MODEL_VERSION)
        return REFRAIN_FAIL(reader->error, "%s: is a model of version %" PRId64 ", and this refrain reads version %d",
                            reader->path, version, REFRAIN_MODEL_VERSION);
    if (!status && !(program->executable = strdup(text_of(root, "program"))))
        status = no_memory(reader);
    status = status ? status : read_runs_of(reader, json_object_get(root, "ranks_of_runs"));
    status = status ? status : read_number(reader, root, "most_bytes", 0, INT32_MAX, &program->most_bytes);
    status = status ? status : read_number(reader, root, "values_without_expression", 0, INT64_MAX, &without);
    status = status ? status : read_left_out(reader, json_object_get(root, "left_out"));
    status = status ? status : read_groups(reader, json_object_get(root, "groups"));
    status = status ? status : read_functions(reader, functions);
    if (!status)
        status = read_value(reader, json_object_get(root, "request_numbers"), "request_numbers", &program->n_requests);
    if (!status)
        status = read_value(reader, json_object_get(root, "communicator_numbers"), "communicator_numbers",
                            &program->n_comms);
    for (size_t i = 0; i < program->n_functions && !status; i++)
        status = read_function(reader, json_array_get(functions, i), i);
    return status;
}

bool refrain_is_model(const char *path) {
    struct stat status;
    char first = ' ';
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    FILE *file = fopen(path, "r");
    while (file && isspace((unsigned char)first) && fread(&first, 1, 1, file) == 1)
        ;
    if (file)
        fclose(file);
    return first == '{';
}

enum refrain_status refrain_model_read(const char *path, struct refrain_program *program, struct refrain_error *error) {
    json_error_t fault;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &fault);
    if (!root)
        return REFRAIN_FAIL(error, "%s: line %d: %s", path, fault.line, fault.text);
    struct reader reader = {.path = path, .program = program, .error = error, .within = "the model"};
    enum refrain_status status = read_program(&reader, root);
    json_decref(root);
    return status;
}
