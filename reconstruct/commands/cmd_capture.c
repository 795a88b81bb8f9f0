/* cmd_capture.c: refrain capture: which share of the sequences each type of formula holds (Yan, Jin and Schmidt,
 * figures 14 to 16), for partners, tags, branches, loop counts and sizes, and which share shorter formulas would hold.
 */
#define _GNU_SOURCE
#include "analysis/formula_text.h"
#include "commands/command.h"
#include "commands/relearn.h"
#include "match/replayable.h"
#include "model/learners.h"
#include "sequence/sequence.h"

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

/* The command learns the sequences again with each of these lengths. The last is the longest formula that there is. */
static const unsigned lengths[] = {4, 6, 12, 18, 36, 72, REFRAIN_RELEARN_LONGEST};
#define LENGTHS (sizeof lengths / sizeof *lengths)

/* [..][0] counts sequences, [..][1] counts their values. */
struct capture {
    uint64_t total[SUBJECTS][2];
    uint64_t by_type[SUBJECTS][REFRAIN_TYPES][2]; /* with the formulas of the trace, or learned again with `length` */
    uint64_t at_length[SUBJECTS][LENGTHS][2];
    uint64_t exact[SUBJECTS][2]; /* values that are held exactly, by any type */
    uint64_t throttled;          /* sequences of which only some values were recorded */
};

struct visit {
    const struct refrain_process *process;
    struct capture *capture;
    unsigned length; /* of the formulas; 0: as in the trace */
    bool no_memory;
};

static int add_learner(void *data, const struct refrain_learner_view *view) {
    struct visit *visit = data;
    struct capture *capture = visit->capture;
    const struct refrain_process *process = visit->process;
    size_t s = 0;
    while (s < SUBJECTS && subjects[s] != view->subject)
        s++;
    if (s == SUBJECTS || view->absent)
        return 0;
    const void *image = process->image;
    size_t bytes = process->image_bytes;
    enum refrain_formula_type type;
    char *text = refrain_formula_text(image, bytes, view->learner, NULL, NULL, NULL, &type);
    bool exact = type != REFRAIN_TYPE_SUMMARY, sound = text != NULL;
    free(text);
    if (sound && exact && visit->length)
        sound = refrain_relearn(image, bytes, view->learner, visit->length, &type);
    /* What a short formula holds, a longer one holds too. So the least length that suffices is enough to know. */
    size_t least = LENGTHS;
    for (size_t i = 0; sound && exact && i < LENGTHS && least == LENGTHS; i++) {
        enum refrain_formula_type shorter;
        sound = refrain_relearn(image, bytes, view->learner, lengths[i], &shorter);
        if (refrain_formula_type_captures(shorter))
            least = i;
    }
    if (!sound) {
        visit->no_memory = true;
        return 1;
    }
    capture->throttled += view->throttled;
    const uint64_t add[2] = {1, refrain_learner_values(image, bytes, view->learner, NULL)};
    for (unsigned k = 0; k < 2; k++) {
        capture->total[s][k] += add[k];
        capture->by_type[s][type][k] += add[k];
        capture->exact[s][k] += exact ? add[k] : 0;
        for (size_t i = least; i < LENGTHS; i++)
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

static void print_share(uint64_t part, uint64_t total) {
    if (total)
        printf(" %7.2f %%", share(part, total));
    else
        printf(" %9s", "-");
}

static uint64_t captured(const struct capture *capture, size_t s, unsigned k) {
    uint64_t n = 0;
    for (int type = 0; type < REFRAIN_TYPES; type++)
        if (refrain_formula_type_captures((enum refrain_formula_type)type))
            n += capture->by_type[s][type][k];
    return n;
}

static void print_table(const struct capture *capture, unsigned k) {
    printf("%-13s %14s", k ? "values" : "sequences", "number");
    for (int type = 0; type < REFRAIN_TYPES; type++)
        printf(" %9s", refrain_formula_type_name((enum refrain_formula_type)type));
    printf(" %9s\n", "captured");
    for (size_t s = 0; s < SUBJECTS; s++) {
        uint64_t total = capture->total[s][k];
        printf("%-13s %14" PRIu64, subject_titles[s], total);
        for (int type = 0; type < REFRAIN_TYPES; type++)
            print_share(capture->by_type[s][type][k], total);
        print_share(captured(capture, s, k), total);
        putchar('\n');
    }
}

static void print_lengths(const struct capture *capture, unsigned k) {
    printf("%-13s", k ? "values" : "sequences");
    for (size_t i = 0; i < LENGTHS; i++)
        printf("   <= %4u", lengths[i]);
    puts("     exact");
    for (size_t s = 0; s < SUBJECTS; s++) {
        uint64_t total = capture->total[s][k];
        if (!total)
            continue;
        printf("%-13s", subject_titles[s]);
        for (size_t i = 0; i < LENGTHS; i++)
            print_share(capture->at_length[s][i][k], total);
        print_share(capture->exact[s][k], total);
        putchar('\n');
    }
}

static void print_text(const char *title, const struct capture *capture, unsigned length) {
    printf("%s: share of each type of formula", title);
    if (length == 0)
        puts("");
    else
        printf(", learned again with at most %u items a formula\n", length);
    for (unsigned k = 0; k < 2; k++) {
        print_table(capture, k);
        putchar('\n');
    }
    puts("share captured, learned again with so many items a formula; exact: held exactly, archive and all");
    for (unsigned k = 0; k < 2; k++) {
        print_lengths(capture, k);
        putchar('\n');
    }
    if (capture->throttled)
        printf("%s sequences throttled: of these, the shares are of the values that were seen\n\n",
               refrain_show_count(capture->throttled));
}

static json_t *category_json(const struct capture *capture, size_t s, unsigned k) {
    json_t *category = json_object(), *types = json_object(), *by_length = json_array();
    for (int type = 0; type < REFRAIN_TYPES; type++)
        json_object_set_new(types, refrain_formula_type_name((enum refrain_formula_type)type),
                            json_integer((json_int_t)capture->by_type[s][type][k]));
    for (size_t i = 0; i < LENGTHS; i++) {
        json_t *point = json_object();
        json_object_set_new(point, "length", json_integer(lengths[i]));
        json_object_set_new(point, "captured", json_integer((json_int_t)capture->at_length[s][i][k]));
        json_array_append_new(by_length, point);
    }
    json_object_set_new(category, "total", json_integer((json_int_t)capture->total[s][k]));
    json_object_set_new(category, "formulas", json_integer((json_int_t)captured(capture, s, k)));
    json_object_set_new(category, "exact", json_integer((json_int_t)capture->exact[s][k]));
    json_object_set_new(category, "by_type", types);
    json_object_set_new(category, "by_length", by_length);
    return category;
}

static json_t *capture_json(const char *title, const struct capture *capture) {
    static const char *const kinds[] = {"sequences", "values"};
    json_t *object = json_object();
    json_object_set_new(object, "trace", refrain_json_text(title));
    json_object_set_new(object, "throttled", json_integer((json_int_t)capture->throttled));
    for (unsigned k = 0; k < 2; k++) {
        json_t *categories = json_object();
        for (size_t s = 0; s < SUBJECTS; s++)
            json_object_set_new(categories, subject_titles[s], category_json(capture, s, k));
        json_object_set_new(object, kinds[k], categories);
    }
    return object;
}

/* ---- command line ---- */

struct arguments {
    char **traces;
    int n_traces;
    unsigned length;
    bool json;
};

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    char *end;
    unsigned long length;
    switch (key) {
    case 'l':
        length = strtoul(value, &end, 10);
        if (*value < '0' || *value > '9' || *end || length < REFRAIN_RELEARN_SHORTEST ||
            length > REFRAIN_RELEARN_LONGEST)
            argp_error(state, "%s: a length of %u to %u items is expected", value, REFRAIN_RELEARN_SHORTEST,
                       REFRAIN_RELEARN_LONGEST);
        arguments->length = (unsigned)length;
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

static enum refrain_status capture_trace(const char *path, unsigned length, struct capture *capture,
                                         struct refrain_error *error) {
    struct refrain_trace *trace;
    enum refrain_status status = refrain_trace_open(path, false, &trace, error);
    if (status)
        return status;
    refrain_warn_missing(trace);
    status = refrain_replayable(trace, false, error);
    struct visit visit = {.capture = capture, .length = length};
    for (size_t i = 0; !status && !visit.no_memory && i < trace->n_processes; i++) {
        visit.process = &trace->processes[i];
        status = refrain_learners_check(visit.process, error);
        if (!status)
            refrain_learners_visit(visit.process, add_learner, &visit);
    }
    refrain_trace_close(trace);
    return visit.no_memory ? REFRAIN_FAIL_MEMORY(error) : status;
}

static const struct refrain_option options[] = {
    {"json", 'j', NULL, "Print JSON", 0, REFRAIN_FLAG(json)},
    {"length", 'l', "N", "Learn the sequences again with formulas of at most N items (4 to 128)", 0, REFRAIN_OWN},
    {0}};

static const char doc[] =
    "Says what share of the sequences of partners, tags, branch outcomes, loop counts and sizes the formulas hold.\v"
    "The shares are of sequences (one per construct, rank and thread) and of the values in them. identity, general, "
    "iteration and cycle are the types of Yan, Jin and Schmidt; nested and several (formulas in a row) go beyond them. "
    "An archive holds a sequence value by value, which is exact but no formula. A summary does not hold the end of its "
    "sequence exactly. A last line says of how many sequences only a part of the values was seen, since the probe was "
    "switched off at times (throttled).\n\n"
    "The second part shows what shorter formulas would have captured, as in figure 16 of the paper: every sequence is "
    "taken from the trace and learned again, with room for so many items and no archive. An item is a value or a loop: "
    "(a b^3)^n has four, two loops and two values. REFRAIN_FORMULA_LENGTH counts the same items; a run with that "
    "setting loses nothing, though, since what outgrows the formula goes to the archive as long as there is memory.\n\n"
    "Of several traces each is shown, then all together. A trace of mode events has no formulas and is refused.";

static const struct argp argp = {.parser = parse_option, .args_doc = "TRACE...", .doc = doc};

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {0};
    refrain_command_parse(&refrain_command_capture, argc, argv, &arguments);
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

const struct refrain_command refrain_command_capture = {
    .name = "capture",
    .summary = "what share of the sequences each type of formula holds",
    .argp = &argp,
    .options = options,
    .run = run,
    .flags = REFRAIN_COMMAND_PAGED,
};
