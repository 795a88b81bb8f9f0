/* cmd_formulas.c: refrain formulas: what each branch, loop and MPI call did, as a formula. */
#include "analysis/formula_rows.h"
#include "commands/command.h"
#include "common/path.h"

#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

struct arguments {
    const char *trace;
    bool json, all, full;
    enum refrain_formula_order order;
};

/* ---- printing ---- */

static void print_totals(const struct refrain_formula_rows *rows) {
    uint64_t by_type[REFRAIN_TYPES] = {0}, values = 0, kept = 0, throttled = 0, left_early = 0;
    for (size_t i = 0; i < rows->n; i++) {
        by_type[rows->rows[i].type]++;
        values += rows->rows[i].values;
        kept += rows->rows[i].kept;
        throttled += rows->rows[i].view.throttled;
        left_early += rows->rows[i].left_early;
    }
    printf("\n%zu formulas:", rows->n);
    for (int type = 0; type < REFRAIN_TYPES; type++)
        if (by_type[type])
            printf(" %s %s", refrain_show_count(by_type[type]), refrain_formula_type_name(type));
    printf("; %.4f %% of the values%s exact\n", values ? 100.0 * (double)kept / (double)values : 100.0,
           throttled ? " that were seen" : "");
    if (throttled)
        printf("%s throttled: of a part of the visits\n", refrain_show_count(throttled));
    if (left_early)
        printf("%s left early: loops that break, return, goto or a jump left at times, or may have left\n",
               refrain_show_count(left_early));
}

/* "bound.c:12", or with the whole path (--full). */
static void line_text(const struct refrain_formula_row *row, bool full, char *text, size_t bytes) {
    if (row->view.file[0])
        snprintf(text, bytes, "%s:%u", full ? row->view.file : refrain_base_name(row->view.file), row->view.line);
    else
        snprintf(text, bytes, "-");
}

static void widen(int *width, const char *text) {
    int length = (int)strlen(text);
    *width = length > *width ? length : *width;
}

/* Each column is as wide as its longest text. */
static void print_text(const struct refrain_formula_rows *rows, bool full) {
    int source = 12, function = 8, construct = 9, value = 5;
    char line[4096];
    for (size_t i = 0; i < rows->n; i++) {
        line_text(&rows->rows[i], full, line, sizeof line);
        widen(&source, line);
        widen(&function, rows->rows[i].view.function);
        widen(&construct, refrain_show_name(rows->rows[i].view.name));
        widen(&value, rows->rows[i].view.label);
    }
    printf("%-*s %-*s %-*s %-*s %-9s %12s %9s  %-8s %s\n", source, "source", function, "function", construct,
           "construct", value, "value", "type", "values", "captured", "ranks", "formula");
    for (size_t i = 0; i < rows->n; i++) {
        const struct refrain_formula_row *row = &rows->rows[i];
        char values[32], share[16] = "a part", thread[16] = "";
        line_text(row, full, line, sizeof line);
        snprintf(values, sizeof values, "%s%" PRIu64, row->view.throttled ? ">=" : "", row->values);
        if (!row->view.throttled)
            snprintf(share, sizeof share, "%.2f %%", 100 * refrain_formula_captured(row));
        if (row->view.thread)
            snprintf(thread, sizeof thread, ".%u", row->view.thread);
        printf("%-*s %-*s %-*s %-*s %-9s %12s %9s  ", source, line, function,
               row->view.function[0] ? row->view.function : "-", construct, refrain_show_name(row->view.name), value,
               row->view.label, refrain_formula_type_name(row->type), values, share);
        int width = refrain_show_ranks(row->ranks, row->n_ranks, full);
        printf("%-*s ", width < 8 ? 8 - width : 0, thread);
        if (row->share >= 0 && !full)
            printf("taken %.1f %%", 100 * row->share);
        else if (full || strlen(row->formula) <= REFRAIN_SHOWN_FORMULA_CHARACTERS)
            fputs(row->formula, stdout);
        else
            printf("%.*s ...", (int)REFRAIN_SHOWN_FORMULA_CHARACTERS, row->formula);
        puts(row->view.throttled ? "  throttled" : row->left_early ? "  left early" : "");
    }
    print_totals(rows);
}

static enum refrain_status print_json(const struct refrain_formula_rows *rows, struct refrain_error *error) {
    json_t *array = json_array();
    for (size_t i = 0; i < rows->n; i++) {
        const struct refrain_formula_row *row = &rows->rows[i];
        json_t *object = json_object();
        json_object_set_new(object, "file", refrain_json_text(row->view.file));
        json_object_set_new(object, "line", json_integer(row->view.line));
        json_object_set_new(object, "function", refrain_json_text(row->view.function));
        json_object_set_new(object, "construct", refrain_json_text(row->view.name));
        json_object_set_new(object, "category", json_string(refrain_subject_name(row->view.subject)));
        json_object_set_new(object, "value", json_string(row->view.label));
        json_object_set_new(object, "type", json_string(refrain_formula_type_name(row->type)));
        json_object_set_new(object, "values", json_integer((json_int_t)row->values));
        json_object_set_new(object, "captured",
                            row->view.throttled ? json_null() : json_real(refrain_formula_captured(row)));
        if (row->share >= 0)
            json_object_set_new(object, "taken", json_real(row->share));
        json_object_set_new(object, "throttled", json_boolean(row->view.throttled));
        if (row->view.subject == REFRAIN_SUBJECT_LOOP)
            json_object_set_new(object, "left_early", json_boolean(row->left_early));
        json_object_set_new(object, "ranks", json_string(row->ranks));
        json_object_set_new(object, "thread", json_integer(row->view.thread));
        json_object_set_new(object, "formula", refrain_json_text(row->formula));
        json_array_append_new(array, object);
    }
    return refrain_print_json(array, error);
}

/* ---- command line ---- */

enum { OPTION_SORT = 256 };

static error_t parse_option(int key, char *value, struct argp_state *state) {
    static const char *const orders[] = {"source", "values", "type", "captured"};
    struct arguments *arguments = state->input;
    switch (key) {
    case OPTION_SORT:
        for (int i = 0; i < 4; i++)
            if (strcmp(value, orders[i]) == 0) {
                arguments->order = (enum refrain_formula_order)i;
                return 0;
            }
        argp_error(state, "%s: source, values, type or captured is expected", value);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct refrain_option options[] = {
    {"all", 'a', NULL, "Also show what came next at each place, and request numbers", 0, REFRAIN_FLAG(all)},
    {"full", 0, NULL, "Show whole paths and formulas, however long", 0, REFRAIN_FLAG(full)},
    {"json", 'j', NULL, "Print JSON", 0, REFRAIN_FLAG(json)},
    {"sort", OPTION_SORT, "ORDER", "Sort by source (default), values, type or captured", 0, REFRAIN_OWN},
    REFRAIN_ARGUMENT("trace", trace),
    {0}};

static const char doc[] =
    "Shows what each branch, loop and MPI call did, as a formula, with its source line.\v"
    "Notation: a^n is a, n times; (a b .. z)^n counts in equal steps, n times over; p (c d)^n is a prologue and a "
    "cycle; in (3+2i 5^(i))^{i<n} the counter i goes from 0 to n-1, and j, k ... are those of loops further out; +r: "
    "the last cycle has begun once more and is r values long so far; [n more, again]: n further values of a cycle that "
    "is written out once before. Values: branch outcomes are 1 and 0, for a loop the number of its "
    "iterations (for a do loop, how often its condition held), ranks are those of the communicator.\n\n"
    "Types: identity a^n, general a^r b^s ..., iteration (a b .. z)^n and cycle p (c^r d^s)^n are those of Yan, Jin "
    "and Schmidt. nested is a formula beyond them, several are formulas in a row. archive is a sequence in which most "
    "values stand by themselves: exact, but no formula. summary: memory ran out, and only the beginning is exact; the "
    "most frequent values follow in {}.\n\n"
    "Ranks on which a construct has the same formula share a line: 0-3,7 or, every second of them, 0-14:2; --full "
    "writes long lists out. If partners are alike on more ranks as distances to the own rank, r, they are shown as "
    "r+1, r-4. .t is thread t. captured is the share of the values that are held exactly. taken is the share of a "
    "decision's values that were true; it is shown if these have no short formula (--full writes them out). throttled: "
    "the probe came too often and was switched off at times; what is shown is a part of the visits, and their number "
    "is a lower bound. left early: break, return, goto or a jump left the loop at times. Its count is how often the "
    "condition held until then. A do loop with such a jump is marked, too: its condition comes last, so the iterations "
    "of a visit that was left early are added to the count of the next visit.";

static const struct argp argp = {.parser = parse_option, .args_doc = "TRACE", .doc = doc};

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {.order = REFRAIN_ORDER_BY_SOURCE};
    struct refrain_trace *trace;
    refrain_command_parse(&refrain_command_formulas, argc, argv, &arguments);
    enum refrain_status status = refrain_trace_open(arguments.trace, true, &trace, error);
    if (status)
        return status;
    refrain_warn_missing(trace);
    struct refrain_formula_rows rows = {.all = arguments.all};
    bool whole = true;
    for (size_t i = 0; whole && i < trace->n_processes; i++)
        whole = refrain_formula_rows_add(&rows, &trace->processes[i]);
    if (!whole || !refrain_formula_rows_merge(&rows, !arguments.json)) {
        status = REFRAIN_FAIL_MEMORY(error);
    } else {
        refrain_formula_rows_sort(&rows, arguments.order);
        status = REFRAIN_OK;
        if (arguments.json)
            status = print_json(&rows, error);
        else
            print_text(&rows, arguments.full);
        for (size_t i = 0; !status && i < trace->n_processes; i++)
            status = refrain_learners_check(&trace->processes[i], error);
    }
    refrain_formula_rows_free(&rows);
    refrain_trace_close(trace);
    return status;
}

const struct refrain_command refrain_command_formulas = {
    .name = "formulas",
    .summary = "what each branch, loop and MPI call did, as a formula",
    .argp = &argp,
    .options = options,
    .run = run,
    .flags = REFRAIN_COMMAND_PAGED,
    .examples = "  refrain formulas --sort values app-*.refrain  # most values first\n",
};
