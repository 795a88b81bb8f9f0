/* model_write.c: writes a program as JSON (model_file.h). */
#include "formats/utf8.h"
#include "predict/model_file.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define LINE 120 /* columns of the file, as far as a value fits */

const char *const refrain_model_arguments[REFRAIN_PROXY_ARGUMENTS] = {
    [REFRAIN_PROXY_DEST] = "to",
    [REFRAIN_PROXY_SEND_TAG] = "send_tag",
    [REFRAIN_PROXY_SENT] = "sent_bytes",
    [REFRAIN_PROXY_SOURCE] = "from",
    [REFRAIN_PROXY_RECV_TAG] = "receive_tag",
    [REFRAIN_PROXY_RECEIVED] = "received_bytes",
    [REFRAIN_PROXY_ROOT] = "root",
    [REFRAIN_PROXY_COMM] = "communicator",
    [REFRAIN_PROXY_PARENT] = "parent",
    [REFRAIN_PROXY_LEADER] = "first_member",
    [REFRAIN_PROXY_KEY] = "key",
    [REFRAIN_PROXY_MEMBERS] = "group",
    [REFRAIN_PROXY_REQUEST] = "new_request",
    [REFRAIN_PROXY_FIRST] = "first_request",
    [REFRAIN_PROXY_COUNT] = "requests",
    [REFRAIN_PROXY_EACH] = "each_request",
    [REFRAIN_PROXY_DIMENSIONS] = "dimensions",
    [REFRAIN_PROXY_SIZES] = "sizes",
};
const char *const refrain_model_paces[REFRAIN_VALUE_PACES] = {"", "restarts", "holds"};
const char *const refrain_model_relations[REFRAIN_PROXY_RELATIONS] = {
    [REFRAIN_PROXY_EQUAL] = "value",
    [REFRAIN_PROXY_SHIFTED] = "rank + value",
    [REFRAIN_PROXY_ROTATED] = "(rank + value) % ranks",
    [REFRAIN_PROXY_EXCHANGED] = "rank ^ value",
};

/* ---- JSON ---- */

/* A name of the program, whose bytes may be anything. */
static json_t *text_json(const char *text) {
    char *valid = malloc(3 * strlen(text) + 1);
    json_t *value = valid ? json_stringn(valid, refrain_utf8_name(valid, text)) : NULL;
    free(valid);
    return value;
}

static void print(const json_t *value, int indent, FILE *out);

/* Begins a line, or goes on in it if the next value is short. */
static int next_column(int column, int indent, size_t length, FILE *out) {
    if (column > indent && (size_t)column + length + 2 < LINE) {
        putc(' ', out);
        return column + (int)length + 2;
    }
    fprintf(out, "\n%*s", indent, "");
    return indent + (int)length + 1;
}

/* Prints the elements of an array: as many in a line as fit, and each that is an object or needs several lines in lines
 * of its own. */
static void print_elements(const json_t *array, int indent, FILE *out) {
    size_t i, n = json_array_size(array);
    const json_t *value;
    int column = indent;
    json_array_foreach(array, i, value) {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        size_t length = text ? strlen(text) : 0;
        column = next_column(json_is_object(value) ? indent : column, indent, length, out);
        print(value, indent, out);
        if (i + 1 < n)
            putc(',', out);
        free(text);
    }
}

/* Prints a value, in one line if it fits. */
static void print(const json_t *value, int indent, FILE *out) {
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    bool array = json_is_array(value), fits = text && indent + strlen(text) < LINE;
    if (!text || fits || (!array && !json_is_object(value))) {
        fputs(text ? text : "null", out);
        free(text);
        return;
    }
    free(text);
    putc(array ? '[' : '{', out);
    if (array)
        print_elements(value, indent + 1, out);
    const char *key, *comma = "";
    json_t *member;
    json_object_foreach((json_t *)value, key, member) {
        fprintf(out, "%s\n%*s\"%s\": ", comma, indent + 1, "", key);
        print(member, indent + 1, out);
        comma = ",";
    }
    fprintf(out, "\n%*s%c", indent, "", array ? ']' : '}');
}

/* ---- values ---- */

static json_t *step_json(int64_t step) {
    return step == REFRAIN_PROXY_DOUBLING  ? json_string(REFRAIN_MODEL_DOUBLING)
           : step == REFRAIN_PROXY_HALVING ? json_string(REFRAIN_MODEL_HALVING)
                                           : json_integer(step);
}

static json_t *run_json(const struct refrain_proxy_value_run *run) {
    return json_pack("[I,I,o]", (json_int_t)run->count, (json_int_t)run->value, step_json(run->step));
}

static json_t *runs_json(const struct refrain_proxy_runs *runs) {
    json_t *array = json_array();
    for (size_t i = 0; i < runs->n; i++)
        json_array_append_new(array, run_json(&runs->all[i]));
    return array;
}

static json_t *expression_json(const char *text) {
    struct refrain_value one = {.kind = REFRAIN_VALUE_ONE, .text = (char *)text};
    int64_t number;
    return refrain_value_constant(&one, &number) ? step_json(number) : json_string(text);
}

static json_t *fields_json(const struct refrain_value *value) {
    json_t *array = json_array();
    for (size_t i = 0; i < value->n; i++)
        json_array_append_new(array, json_pack("[o,o,o]", expression_json(value->fields[i].count),
                                               expression_json(value->fields[i].value),
                                               expression_json(value->fields[i].step)));
    return array;
}

/* The runs of each rank; a number: they are those of this rank. */
static json_t *rank_runs_json(const struct refrain_value *value) {
    json_t *array = json_array();
    for (size_t r = 0; r < value->n; r++)
        json_array_append_new(array, value->like[r] == r ? runs_json(&value->runs[r])
                                                         : json_integer((json_int_t)value->like[r]));
    return array;
}

static json_t *value_json(const struct refrain_value *value) {
    json_t *numbers;
    switch (value->kind) {
    case REFRAIN_VALUE_ONE:
        return expression_json(value->text);
    case REFRAIN_VALUE_RUNS:
        return json_pack("{s:o,s:s}", "runs", runs_json(value->runs), "each", refrain_model_relations[value->relation]);
    case REFRAIN_VALUE_FIELDS:
        return json_pack("{s:o,s:o,s:s}", "runs", fields_json(value), "n", expression_json(value->text), "each",
                         refrain_model_relations[value->relation]);
    case REFRAIN_VALUE_RANK_RUNS:
        return json_pack("{s:o}", "runs_by_rank", rank_runs_json(value));
    default:
        numbers = json_array();
        for (size_t r = 0; r < value->n; r++)
            json_array_append_new(numbers, json_integer(value->numbers[r]));
        return json_pack("{s:o}", "by_rank", numbers);
    }
}

/* Sets a member of the object. */
static void set_value(json_t *object, const char *name, const struct refrain_value *value) {
    json_t *made = value_json(value);
    if (value->pace != REFRAIN_VALUE_GOES_ON && json_is_object(made))
        json_object_set_new(made, refrain_model_paces[value->pace], json_true());
    json_object_set_new(object, name, made);
}

static void set_seconds(json_t *object, const char *name, const struct refrain_program *program,
                        const double *seconds) {
    bool same = true, any = false;
    for (size_t i = 0; i < program->n_seconds; i++) {
        same &= !(seconds[i] < seconds[0] || seconds[i] > seconds[0]);
        any |= seconds[i] > 0;
    }
    if (!any)
        return;
    json_t *array = json_array();
    for (size_t i = 0; i < program->n_seconds && !same; i++)
        json_array_append_new(array, json_real(seconds[i]));
    json_object_set_new(object, name, same ? json_real(seconds[0]) : json_incref(array));
    json_decref(array);
}

/* ---- items ---- */

static json_t *items_json(const struct refrain_program *program, const struct refrain_program_item *item);

static void set_place(json_t *object, const struct refrain_region_info *region) {
    if (region->file[0])
        json_object_set_new(object, "file", text_json(region->file));
    if (region->line)
        json_object_set_new(object, "line", json_integer(region->line));
}

static json_t *loop_json(const struct refrain_program *program, const struct refrain_program_item *item) {
    json_t *object = json_object();
    set_value(object, "times", &item->times);
    if (item->chooses)
        set_value(object, "choose", &item->chosen);
    json_object_set_new(object, item->chooses ? "one_of" : "loop", items_json(program, item));
    return object;
}

static json_t *call_json(const struct refrain_program_item *item) {
    json_t *object = json_object(), *negative = json_array();
    json_object_set_new(object, "call", text_json(item->region->name));
    set_place(object, item->region);
    if (item->region->function[0])
        json_object_set_new(object, "in", text_json(item->region->function));
    for (enum refrain_proxy_argument k = 0; k < REFRAIN_PROXY_ARGUMENTS; k++) {
        if (!item->arguments[k].kind)
            continue;
        set_value(object, refrain_model_arguments[k], &item->arguments[k]);
        if (item->arguments[k].negative)
            json_array_append_new(negative, json_string(refrain_model_arguments[k]));
    }
    if (json_array_size(negative))
        json_object_set(object, "may_be_none", negative);
    json_decref(negative);
    return object;
}

static json_t *item_json(const struct refrain_program *program, const struct refrain_program_item *item) {
    int64_t times;
    json_t *object = !item->region              ? loop_json(program, item)
                     : item->called == SIZE_MAX ? call_json(item)
                                                : json_object();
    if (item->called != SIZE_MAX) {
        json_object_set_new(object, "function", json_integer((json_int_t)item->called));
        json_object_set_new(object, "name", text_json(item->region->name));
    }
    bool always = !item->times.kind || (refrain_value_constant(&item->times, &times) && times == 1);
    if (item->region && !always)
        set_value(object, "if", &item->times);
    set_seconds(object, "computes_before", program, item->seconds);
    return object;
}

static json_t *items_json(const struct refrain_program *program, const struct refrain_program_item *item) {
    json_t *array = json_array();
    for (size_t i = 0; i < item->n_children; i++)
        json_array_append_new(array, item_json(program, &program->items[item->children[i]]));
    return array;
}

static json_t *function_json(const struct refrain_program *program, size_t number) {
    const struct refrain_program_function *function = &program->functions[number];
    json_t *object = json_pack("{s:I}", "number", (json_int_t)number);
    if (function->region) {
        json_object_set_new(object, "name", text_json(function->region->name));
        set_place(object, function->region);
    }
    if (function->region && function->region->kind == REFRAIN_REGION_USER)
        json_object_set_new(object, "user_region", json_true());
    json_object_set_new(object, "does", items_json(program, &program->items[function->body]));
    set_seconds(object, "computes_after", program, function->seconds);
    return object;
}

/* ---- the program ---- */

static json_t *groups_json(const struct refrain_program *program) {
    json_t *groups = json_array();
    for (size_t i = 0; i < program->n_groups; i++) {
        json_t *members = json_array();
        for (int32_t k = 0; k < program->groups[i].n; k++)
            json_array_append_new(members, json_integer(program->groups[i].members[k]));
        json_array_append_new(groups, members);
    }
    return groups;
}

static json_t *program_json(const struct refrain_program *program) {
    json_t *runs = json_array(), *functions = json_array(), *left_out = json_object(), *root = json_object();
    for (size_t i = 0; i < program->n_runs; i++)
        json_array_append_new(runs, json_integer(program->runs[i]));
    for (size_t i = 0; i < program->n_left_out; i++)
        json_object_set_new(left_out, program->left_out[i].name, json_integer((json_int_t)program->left_out[i].count));
    for (size_t i = 0; i < program->n_functions; i++)
        json_array_append_new(functions, function_json(program, i));
    json_object_set_new(root, "refrain_model", json_integer(REFRAIN_MODEL_VERSION));
    json_object_set_new(root, "made_by", json_string("refrain " REFRAIN_VERSION));
    json_object_set_new(root, "program", text_json(program->executable));
    json_object_set_new(root, "ranks_of_runs", runs);
    json_object_set_new(root, "values_without_expression", json_integer((json_int_t)program->n_tables));
    json_object_set_new(root, "most_bytes", json_integer(program->most_bytes));
    json_object_set_new(root, "request_numbers", value_json(&program->n_requests));
    json_object_set_new(root, "communicator_numbers", value_json(&program->n_comms));
    json_object_set_new(root, "left_out", left_out);
    if (program->n_groups)
        json_object_set_new(root, "groups", groups_json(program));
    json_object_set_new(root, "functions", functions);
    return root;
}

enum refrain_status refrain_model_write(const struct refrain_program *program, FILE *out, struct refrain_error *error) {
    json_t *root = program_json(program);
    if (!root)
        return REFRAIN_FAIL_MEMORY(error);
    print(root, 0, out);
    putc('\n', out);
    json_decref(root);
    return REFRAIN_OK;
}
