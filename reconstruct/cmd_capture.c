/* cmd_capture.c: refrain capture: what share of the sequences each type of formula holds (Yan, Jin and Schmidt, figures
 * 14 to 16), for partners, tags, branches, loop counts and sizes. */
#define _GNU_SOURCE
#include "command.h"
#include "formula_text.h"
#include "learners.h"
#include "sequence.h"

#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const enum refrain_subject subjects[] = {
    REFRAIN_SUBJECT_DEST,   REFRAIN_SUBJECT_SOURCE, REFRAIN_SUBJECT_SEND_TAG, REFRAIN_SUBJECT_RECV_TAG,
    REFRAIN_SUBJECT_BRANCH, REFRAIN_SUBJECT_LOOP,   REFRAIN_SUBJECT_BYTES};
static const char *const subject_titles[] = {"receivers", "senders", "send tags", "receive tags",
                                             "branches",  "loops",   "sizes"};
#define SUBJECTS (sizeof subjects / sizeof *subjects)

/* The last: no limit. */
static const uint64_t lengths[] = {1, 2, 4, 6, 12, 18, 36, 72, UINT64_MAX};
#define LENGTHS (sizeof lengths / sizeof *lengths)

/* Sequences (0) and their values (1). */
struct capture {
    uint64_t total[SUBJECTS][2];
    uint64_t by_type[SUBJECTS][REFRAIN_TYPE_SUMMARY][2]; /* captured at the length asked for */
    uint64_t at_length[SUBJECTS][LENGTHS][2];
};

struct visit {
    const struct refrain_process *process;
    struct capture *capture;
    uint64_t length;
    bool no_memory;
};

/* Values that stand in the formula: what the paper calls its length. */
static uint64_t formula_length(const struct refrain_process *process, const struct refrain_learner *learner) {
    struct refrain_terms terms;
    const struct refrain_item *term;
    uint64_t n = 0;
    refrain_terms_open(&terms, process->region, process->region_bytes, learner);
    bool alone = !terms.formula;
    while ((term = refrain_terms_next(&terms, NULL)))
        for (unsigned i = 0; i < term->span; i++)
            n += term[i].kind == REFRAIN_ITEM_VALUE;
    refrain_terms_close(&terms);
    return alone ? 1 : n;
}

static int add_learner(void *data, const struct refrain_learner_view *view) {
    struct visit *visit = data;
    struct capture *capture = visit->capture;
    const struct refrain_process *process = visit->process;
    size_t s = 0;
    while (s < SUBJECTS && subjects[s] != view->subject)
        s++;
    if (s == SUBJECTS)
        return 0;
    enum refrain_formula_type type;
    char *text = refrain_formula_text(process->region, process->region_bytes, view->learner, NULL, NULL, &type);
    if (!text) {
        visit->no_memory = true;
        return 1;
    }
    free(text);
    uint64_t values = refrain_learner_values(process->region, process->region_bytes, view->learner, NULL);
    const uint64_t add[2] = {1, values};
    uint64_t length = formula_length(process, view->learner);
    for (unsigned k = 0; k < 2; k++) {
        capture->total[s][k] += add[k];
        if (type == REFRAIN_TYPE_SUMMARY)
            continue;
        if (length <= visit->length)
            capture->by_type[s][type][k] += add[k];
        for (unsigned i = 0; i < LENGTHS; i++)
            if (length <= lengths[i])
                capture->at_length[s][i][k] += add[k];
    }
    return 0;
}

static void add_capture(struct capture *to, const struct capture *from) {
    uint64_t *sum = (uint64_t *)to;
    const uint64_t *part = (const uint64_t *)from;
    for (size_t i = 0; i < sizeof *to / sizeof *sum; i++)
        sum[i] += part[i];
}

/* ---- output ---- */

static double share(uint64_t part, uint64_t total) {
    return total ? 100.0 * (double)part / (double)total : 0;
}

static void print_table(const struct capture *capture, unsigned k) {
    printf("%-13s %14s", k ? "values" : "sequences", "number");
    for (int type = 0; type < REFRAIN_TYPE_SUMMARY; type++)
        printf(" %9s", refrain_formula_type_name((enum refrain_formula_type)type));
    printf(" %9s %9s\n", "captured", "not");
    for (size_t s = 0; s < SUBJECTS; s++) {
        uint64_t total = capture->total[s][k], captured = 0;
        printf("%-13s %14" PRIu64, subject_titles[s], total);
        for (int type = 0; type < REFRAIN_TYPE_SUMMARY; type++) {
            captured += capture->by_type[s][type][k];
            if (total)
                printf(" %7.2f %%", share(capture->by_type[s][type][k], total));
            else
                printf(" %9s", "-");
        }
        if (total)
            printf(" %7.2f %% %7.2f %%\n", share(captured, total), share(total - captured, total));
        else
            printf(" %9s %9s\n", "-", "-");
    }
}

static void print_lengths(const struct capture *capture, unsigned k) {
    printf("%-13s", k ? "values" : "sequences");
    for (size_t i = 0; i < LENGTHS; i++)
        if (lengths[i] == UINT64_MAX)
            printf("   no limit");
        else
            printf("    <= %4" PRIu64, lengths[i]);
    putchar('\n');
    for (size_t s = 0; s < SUBJECTS; s++) {
        if (!capture->total[s][k])
            continue;
        printf("%-13s", subject_titles[s]);
        for (size_t i = 0; i < LENGTHS; i++)
            printf("  %7.2f %%", share(capture->at_length[s][i][k], capture->total[s][k]));
        putchar('\n');
    }
}

static void print_text(const char *title, const struct capture *capture, uint64_t length) {
    printf("%s: share held by each type of formula", title);
    if (length == UINT64_MAX)
        puts("");
    else
        printf(", at most %" PRIu64 " values long\n", length);
    for (unsigned k = 0; k < 2; k++) {
        print_table(capture, k);
        putchar('\n');
    }
    puts("share captured by length of formula");
    for (unsigned k = 0; k < 2; k++) {
        print_lengths(capture, k);
        putchar('\n');
    }
}

static json_t *capture_json(const char *title, const struct capture *capture) {
    static const char *const kinds[] = {"sequences", "values"};
    json_t *object = json_object(), *name = json_string(title);
    json_object_set_new(object, "trace", name ? name : json_string(""));
    for (unsigned k = 0; k < 2; k++) {
        json_t *categories = json_object();
        for (size_t s = 0; s < SUBJECTS; s++) {
            json_t *category = json_object(), *types = json_object(), *by_length = json_array();
            for (int type = 0; type < REFRAIN_TYPE_SUMMARY; type++)
                json_object_set_new(types, refrain_formula_type_name((enum refrain_formula_type)type),
                                    json_integer((json_int_t)capture->by_type[s][type][k]));
            for (size_t i = 0; i < LENGTHS; i++) {
                json_t *point = json_object();
                json_object_set_new(point, "length",
                                    lengths[i] == UINT64_MAX ? json_null() : json_integer((json_int_t)lengths[i]));
                json_object_set_new(point, "captured", json_integer((json_int_t)capture->at_length[s][i][k]));
                json_array_append_new(by_length, point);
            }
            json_object_set_new(category, "total", json_integer((json_int_t)capture->total[s][k]));
            json_object_set_new(category, "by_type", types);
            json_object_set_new(category, "by_length", by_length);
            json_object_set_new(categories, subject_titles[s], category);
        }
        json_object_set_new(object, kinds[k], categories);
    }
    return object;
}

/* ---- command line ---- */

struct arguments {
    char **traces;
    int n_traces;
    uint64_t length;
    bool json;
};

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    char *end;
    switch (key) {
    case 'j':
        arguments->json = true;
        return 0;
    case 'l':
        arguments->length = strtoull(value, &end, 10);
        if (*value < '0' || *value > '9' || *end)
            argp_error(state, "%s is no length", value);
        if (arguments->length == 0)
            arguments->length = UINT64_MAX;
        return 0;
    case ARGP_KEY_ARGS:
        arguments->traces = state->argv + state->next;
        arguments->n_traces = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no trace given");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum refrain_status capture_trace(const char *path, uint64_t length, struct capture *capture,
                                         struct refrain_error *error) {
    struct refrain_trace *trace;
    enum refrain_status status = refrain_trace_open(path, false, &trace, error);
    if (status)
        return status;
    refrain_warn_missing(trace);
    struct visit visit = {.capture = capture, .length = length};
    for (size_t i = 0; !visit.no_memory && i < trace->n_processes; i++) {
        visit.process = &trace->processes[i];
        refrain_learners_visit(visit.process, add_learner, &visit);
    }
    refrain_trace_close(trace);
    return visit.no_memory ? REFRAIN_FAIL_MEMORY(error) : REFRAIN_OK;
}

enum refrain_status refrain_cmd_capture(int argc, char **argv, struct refrain_error *error) {
    static const struct argp_option options[] = {
        {"json", 'j', NULL, 0, "Print JSON", 0},
        {"length", 'l', "N", 0, "Formulas of more than N values capture nothing (the paper's is 18; default: no limit)",
         0},
        {0}};
    static const struct argp argp = {
        options,
        parse_option,
        "TRACE...",
        "Says what share of the sequences of partners, tags, branch outcomes, loop counts and sizes the formulas "
        "hold.\v"
        "Counted by sequences (one per construct, rank and thread) and by the values in them. identity, iteration, "
        "cycle "
        "and general are the types of Yan, Jin and Schmidt; nested goes beyond them; what only a summary holds is not "
        "captured. The length of a formula is the number of values that stand in it. Of several traces each is shown, "
        "then all together.",
        NULL,
        NULL,
        NULL};
    struct arguments arguments = {.length = UINT64_MAX};
    argp_err_exit_status = REFRAIN_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    struct capture all = {0};
    json_t *array = arguments.json ? json_array() : NULL;
    enum refrain_status status = REFRAIN_OK;
    for (int i = 0; !status && i < arguments.n_traces; i++) {
        struct capture one = {0};
        status = capture_trace(arguments.traces[i], arguments.length, &one, error);
        add_capture(&all, &one);
        if (!status && array)
            json_array_append_new(array, capture_json(arguments.traces[i], &one));
        else if (!status)
            print_text(arguments.traces[i], &one, arguments.length);
    }
    if (!status && arguments.n_traces > 1 && !array)
        print_text("all traces", &all, arguments.length);
    if (!status && array) {
        if (arguments.n_traces > 1)
            json_array_append_new(array, capture_json("all traces", &all));
        if (json_dumpf(array, stdout, JSON_INDENT(2)))
            status = REFRAIN_FAIL_MEMORY(error);
        putchar('\n');
    }
    json_decref(array);
    return status;
}
