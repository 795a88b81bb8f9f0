/* cmd_formulas.c: refrain formulas: what each branch, loop and MPI call did, as a formula. */
#define _GNU_SOURCE
#include "command.h"
#include "formula_text.h"
#include "learners.h"
#include "loop_exits.h"
#include "rank_list.h"
#include "sequence.h"

#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_FORMULA_CHARACTERS 160u
#define MOST_SHARED_RUNS 10000000u /* of a decision; what lies beyond is taken to be like what lies before */

enum order { ORDER_SOURCE, ORDER_VALUES, ORDER_TYPE, ORDER_CAPTURED };

struct arguments {
    const char *trace;
    bool json, all, full;
    enum order order;
};

/* How values that are ranks are told: more ranks may have the same formula in one of these than in another. */
enum form {
    FORM_PLAIN,    /* 3 */
    FORM_DISTANCE, /* (r+1) */
    FORM_MODULO,   /* ((r+1) mod 16) */
    FORM_XOR,      /* (r xor 2) */
    FORMS
};

/* A formula of one construct, on the ranks where it is the same. */
struct row {
    struct refrain_learner_view view;
    enum refrain_formula_type type;
    char *formula;         /* the one that is shown: one of the following */
    char *forms[FORMS];    /* of ranks all, else FORM_PLAIN only; null: not */
    size_t same[FORMS];    /* rows of the construct that have the same text */
    uint64_t values, kept; /* of one rank */
    int32_t rank;
    bool left_early;   /* a loop, at times: its counts are not those of single visits */
    double share;      /* of a decision without a short formula: of its values, those that are true; else -1 */
    size_t n_ranks;    /* that share it */
    const char *ranks; /* text, of the first of equal rows; null: the row is one of those before it */
};

struct rows {
    struct row *rows;
    size_t n, capacity;
    const struct refrain_process *process;
    const struct arguments *arguments;
    bool no_memory;
};

/* ---- values by name ---- */

static void show_number(FILE *file, const struct refrain_process *process, uint64_t number) {
    const struct refrain_slot_view *slot = number < process->header->n_slots ? &process->slots[number] : NULL;
    if (!slot || !slot->node) {
        fprintf(file, "place %" PRIu64, number);
        return;
    }
    static const char *const kinds[REFRAIN_NODE_KINDS] = {
        [REFRAIN_IF] = "if", [REFRAIN_CONDITIONAL] = "?:", [REFRAIN_AND] = "&&",
        [REFRAIN_OR] = "||", [REFRAIN_WHILE] = "while",    [REFRAIN_FOR] = "for",
        [REFRAIN_DO] = "do", [REFRAIN_SWITCH] = "switch",  [REFRAIN_CALL] = "call"};
    const char *name = refrain_node_name(slot->unit, slot->node);
    if (slot->node->kind == REFRAIN_FUNCTION)
        fprintf(file, "%s()", name);
    else
        fprintf(file, "%s@%u", name[0] || !kinds[slot->node->kind] ? name : kinds[slot->node->kind], slot->node->line);
}

static void show_operation(FILE *file, int64_t operation) {
    static const char *const names[REFRAIN_OPERATIONS] = {
        "",      "send",     "recv",      "isend",        "irecv",         "send-init",   "recv-init",
        "start", "complete", "cancelled", "free",         "collective",    "icollective", "collective-init",
        "rma",   "io",       "nothing",   "complete-run", "complete-other"};
    fputs(operation > 0 && operation < REFRAIN_OPERATIONS ? names[operation] : "?", file);
}

/* A successor: where control went. */
static void show_successor(FILE *file, const void *data, int64_t value) {
    const struct refrain_process *process = data;
    if (value == REFRAIN_NEXT_EXIT) {
        fputs("exit", file);
    } else if (value < 0) {
        fputs(value == REFRAIN_NEXT_UNWIND ? "unwind" : value == REFRAIN_NEXT_GONE ? "gone" : "abandoned", file);
    } else if (value >= REFRAIN_NEXT_VALUE) {
        const struct refrain_user_region_view *region =
            refrain_process_user_region(process, (uint64_t)(value - REFRAIN_NEXT_VALUE));
        bool is_untold = region && region->record->use == REFRAIN_USE_UNTOLD;
        fputs(is_untold ? "untold" : region ? refrain_show_name(region->region->name) : "?", file);
    } else if (value >= REFRAIN_NEXT_REGION) {
        const struct refrain_user_region_view *region =
            refrain_process_user_region(process, (uint64_t)(value - REFRAIN_NEXT_REGION));
        fputs(region ? refrain_show_name(region->region->name) : "?", file);
    } else if (value >= REFRAIN_NEXT_OPERATION) {
        show_operation(file, value - REFRAIN_NEXT_OPERATION);
    } else if (value >= REFRAIN_NEXT_CALL) {
        const struct refrain_call_site_view *call_site =
            refrain_process_call_site(process, (uint64_t)(value - REFRAIN_NEXT_CALL));
        if (call_site)
            fprintf(file, "%s@%u", call_site->region->name, call_site->region->line);
        else
            fputc('?', file);
    } else {
        show_number(file, process, (uint64_t)value);
    }
}

/* A rank, by the own one and the number of ranks. */
struct own_rank {
    int32_t rank, size;
};

static void show_modulo(FILE *file, const void *data, int64_t value) {
    const struct own_rank *own = data;
    if (value < 0 || value >= own->size) {
        fprintf(file, "%" PRId64, value);
        return;
    }
    int64_t distance = (value - own->rank + own->size) % own->size;
    if (distance > own->size / 2)
        distance -= own->size;
    if (distance)
        fprintf(file, "((r%+" PRId64 ") mod %d)", distance, own->size);
    else
        fputc('r', file);
}

static void show_xor(FILE *file, const void *data, int64_t value) {
    const struct own_rank *own = data;
    if (value < 0 || value >= own->size)
        fprintf(file, "%" PRId64, value);
    else if (value != own->rank)
        fprintf(file, "(r xor %" PRId64 ")", value ^ own->rank);
    else
        fputc('r', file);
}

/* ---- collecting ---- */

/* The formula; with the key where a parameter depends on another: "source 3: 30^95". */
static char *formula_of(const struct refrain_process *process, const struct refrain_learner_view *view, enum form form,
                        enum refrain_formula_type *type) {
    struct own_rank own = {process->rank, process->header->size};
    refrain_show_value *show = view->subject == REFRAIN_SUBJECT_SUCCESSOR ? show_successor
                               : form == FORM_MODULO                      ? show_modulo
                               : form == FORM_XOR                         ? show_xor
                                                                          : NULL;
    const void *data = show == show_successor ? (const void *)process : &own;
    char *formula = refrain_formula_text(process->image, process->image_bytes, view->learner,
                                         form == FORM_DISTANCE ? &own.rank : NULL, show, data, type);
    char *whole = NULL;
    int written;
    if (!formula || !view->by)
        return formula;
    if (view->other_keys)
        written = asprintf(&whole, "%s otherwise: %s", view->by, formula);
    else
        written = asprintf(&whole, "%s %" PRId64 ": %s", view->by, view->key, formula);
    free(formula);
    return written < 0 ? NULL : whole;
}

/* The share of a decision's values that are true. */
static double taken_share(const struct refrain_process *process, const struct refrain_learner *learner) {
    struct refrain_sequence sequence;
    uint64_t values = 0, taken = 0;
    refrain_sequence_open(&sequence, process->image, process->image_bytes, learner);
    for (unsigned runs = 0; runs < MOST_SHARED_RUNS && refrain_sequence_advance(&sequence); runs++) {
        values += sequence.run;
        if (sequence.stride == 0 || sequence.run == 1)
            taken += sequence.value ? sequence.run : 0;
        else /* decisions are 0 or 1: 0 1, or 1 0 */
            taken += 1;
        sequence.run = 0;
    }
    refrain_sequence_close(&sequence);
    return values ? (double)taken / (double)values : 0;
}

static int add_row(void *data, const struct refrain_learner_view *view) {
    struct rows *rows = data;
    if (!rows->arguments->all && !refrain_learner_is_for_readers(view))
        return 0;
    if (rows->n == rows->capacity) {
        size_t capacity = rows->capacity ? rows->capacity * 2 : 256;
        struct row *larger = realloc(rows->rows, capacity * sizeof *larger);
        if (!larger) {
            rows->no_memory = true;
            return 1;
        }
        rows->rows = larger;
        rows->capacity = capacity;
    }
    const struct refrain_process *process = rows->process;
    struct row *row = &rows->rows[rows->n];
    *row = (struct row){.view = *view, .rank = process->rank, .share = -1};
    row->left_early = view->subject == REFRAIN_SUBJECT_LOOP && !view->throttled &&
                      refrain_loop_left_early(process, view->thread, view->slot);
    rows->n++;
    bool ranks = view->subject == REFRAIN_SUBJECT_DEST || view->subject == REFRAIN_SUBJECT_SOURCE;
    for (enum form form = FORM_PLAIN; form < FORMS; form++) {
        if (form > FORM_PLAIN && (!ranks || row->type == REFRAIN_TYPE_SUMMARY))
            break;
        row->forms[form] = formula_of(process, view, form, &row->type);
        if (!row->forms[form]) {
            rows->no_memory = true;
            return 1;
        }
    }
    row->formula = row->forms[FORM_PLAIN];
    row->values = refrain_learner_values(process->image, process->image_bytes, view->learner, &row->kept);
    bool long_text = strlen(row->formula) > SHOWN_FORMULA_CHARACTERS;
    if (view->subject == REFRAIN_SUBJECT_BRANCH && (long_text || !refrain_formula_type_captures(row->type)))
        row->share = taken_share(process, view->learner);
    return 0;
}

static int by_construct(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    int order = strcmp(x->view.file, y->view.file);
    if (!order)
        order = (x->view.line > y->view.line) - (x->view.line < y->view.line);
    if (!order)
        order = strcmp(x->view.function, y->view.function);
    if (!order)
        order = strcmp(x->view.name, y->view.name);
    if (!order)
        order = (int)x->view.subject - (int)y->view.subject;
    if (!order)
        order = strcmp(x->view.label, y->view.label);
    if (!order)
        order = (x->view.thread > y->view.thread) - (x->view.thread < y->view.thread);
    if (!order)
        order = (x->view.by != NULL) - (y->view.by != NULL);
    if (!order)
        order = (int)x->view.other_keys - (int)y->view.other_keys;
    if (!order)
        order = (x->view.key > y->view.key) - (x->view.key < y->view.key);
    return order;
}

static int by_construct_and_formula(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    int order = by_construct(a, b);
    if (!order)
        order = strcmp(x->formula, y->formula);
    if (!order)
        order = (int)x->view.throttled - (int)y->view.throttled;
    if (!order)
        order = (int)x->left_early - (int)y->left_early;
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

static double captured(const struct row *row) {
    return row->values ? (double)row->kept / (double)row->values : 1;
}

static enum order wanted_order;

static int by_wish(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    int order = 0;
    if (wanted_order == ORDER_VALUES)
        order = (x->values < y->values) - (x->values > y->values);
    else if (wanted_order == ORDER_TYPE)
        order = (int)x->type - (int)y->type;
    else if (wanted_order == ORDER_CAPTURED)
        order = (captured(x) > captured(y)) - (captured(x) < captured(y));
    if (!order)
        order = by_construct(a, b);
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

/* "0-3,7": the ranks of the n rows. */
static char *list_ranks(const struct row *rows, size_t n, bool steps) {
    int32_t *ranks = malloc(n * sizeof *ranks);
    for (size_t i = 0; ranks && i < n; i++)
        ranks[i] = rows[i].rank;
    char *text = ranks ? refrain_rank_list(ranks, n, steps) : NULL;
    free(ranks);
    return text;
}

static enum form compared; /* by by_form() */

static int by_form(const void *a, const void *b) {
    const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
    return strcmp(x->forms[compared], y->forms[compared]);
}

/* Counts for each of these rows how many have the same text in this form. */
static void count_same(struct row **rows, size_t n, enum form form) {
    compared = form;
    qsort(rows, n, sizeof *rows, by_form);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && strcmp(rows[i]->forms[form], rows[j]->forms[form]) == 0; j++)
            ;
        for (size_t k = i; k < j; k++)
            rows[k]->same[form] = j - i;
    }
}

/* Of the n rows of one construct: each is shown in the form that it shares with most ranks. False without memory. */
static bool choose_forms(struct row *rows, size_t n) {
    struct row **sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return false;
    for (enum form form = FORM_PLAIN; form < FORMS; form++) {
        size_t told = 0;
        for (size_t i = 0; i < n; i++)
            if (rows[i].forms[form])
                sorted[told++] = &rows[i];
        count_same(sorted, told, form);
    }
    for (size_t i = 0; i < n; i++) {
        enum form best = FORM_PLAIN;
        for (enum form form = FORM_DISTANCE; form < FORMS; form++)
            if (rows[i].forms[form] && rows[i].same[form] > rows[i].same[best])
                best = form;
        rows[i].formula = rows[i].forms[best];
    }
    free(sorted);
    return true;
}

static void free_forms(struct row *row) {
    for (enum form form = FORM_PLAIN; form < FORMS; form++) {
        free(row->forms[form]);
        row->forms[form] = NULL;
    }
}

/* Brings equal rows of different ranks together; those after the first are dropped. */
static bool merge(struct rows *rows) {
    size_t kept = 0;
    qsort(rows->rows, rows->n, sizeof *rows->rows, by_construct_and_formula);
    for (size_t i = 0, j; i < rows->n; i = j) {
        for (j = i + 1; j < rows->n && by_construct(&rows->rows[i], &rows->rows[j]) == 0; j++)
            ;
        if (!choose_forms(&rows->rows[i], j - i))
            return false;
    }
    qsort(rows->rows, rows->n, sizeof *rows->rows, by_construct_and_formula);
    for (size_t i = 0, j; i < rows->n; i = j) {
        for (j = i + 1; j < rows->n && by_construct(&rows->rows[i], &rows->rows[j]) == 0 &&
                        strcmp(rows->rows[i].formula, rows->rows[j].formula) == 0 &&
                        rows->rows[i].view.throttled == rows->rows[j].view.throttled &&
                        rows->rows[i].left_early == rows->rows[j].left_early;
             j++)
            ;
        struct row first = rows->rows[i];
        first.ranks = list_ranks(&rows->rows[i], j - i, !rows->arguments->json);
        for (size_t k = i; k < j; k++)
            first.n_ranks += k == i || rows->rows[k].rank != rows->rows[k - 1].rank;
        for (size_t k = i + 1; k < j; k++) {
            free_forms(&rows->rows[k]);
        }
        rows->rows[kept++] = first;
        if (!first.ranks) { /* what is left is freed by the caller */
            memmove(&rows->rows[kept], &rows->rows[j], (rows->n - j) * sizeof *rows->rows);
            rows->n = kept + rows->n - j;
            return false;
        }
    }
    rows->n = kept;
    return true;
}

static void free_rows(struct rows *rows) {
    for (size_t i = 0; i < rows->n; i++) {
        free_forms(&rows->rows[i]);
        free((char *)(uintptr_t)rows->rows[i].ranks);
    }
    free(rows->rows);
}

/* ---- printing ---- */

static void print_totals(const struct rows *rows) {
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
        printf("%s left early: loops that break, return, goto or a jump left at times; the iterations of such a visit "
               "count with the next one\n",
               refrain_show_count(left_early));
}

/* "bound.c:12"; the whole path where it is asked for. */
static void place_text(const struct row *row, bool full, char *text, size_t bytes) {
    const char *file = strrchr(row->view.file, '/');
    if (row->view.file[0])
        snprintf(text, bytes, "%s:%u", file && !full ? file + 1 : row->view.file, row->view.line);
    else
        snprintf(text, bytes, "-");
}

static void widen(int *width, const char *text) {
    int length = (int)strlen(text);
    *width = length > *width ? length : *width;
}

/* Each column is as wide as what stands in it. */
static void print_text(const struct rows *rows, bool full) {
    int source = 12, function = 8, construct = 9, value = 5;
    char place[4096];
    for (size_t i = 0; i < rows->n; i++) {
        place_text(&rows->rows[i], full, place, sizeof place);
        widen(&source, place);
        widen(&function, rows->rows[i].view.function);
        widen(&construct, refrain_show_name(rows->rows[i].view.name));
        widen(&value, rows->rows[i].view.label);
    }
    printf("%-*s %-*s %-*s %-*s %-9s %12s %9s  %-8s %s\n", source, "source", function, "function", construct,
           "construct", value, "value", "type", "values", "captured", "ranks", "formula");
    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = &rows->rows[i];
        char values[32], share[16] = "a part", thread[16] = "";
        place_text(row, full, place, sizeof place);
        snprintf(values, sizeof values, "%s%" PRIu64, row->view.throttled ? ">=" : "", row->values);
        if (!row->view.throttled)
            snprintf(share, sizeof share, "%.2f %%", 100 * captured(row));
        if (row->view.thread)
            snprintf(thread, sizeof thread, ".%u", row->view.thread);
        printf("%-*s %-*s %-*s %-*s %-9s %12s %9s  ", source, place, function,
               row->view.function[0] ? row->view.function : "-", construct, refrain_show_name(row->view.name), value,
               row->view.label, refrain_formula_type_name(row->type), values, share);
        int width = refrain_rank_list_print(row->ranks, row->n_ranks, full);
        printf("%-*s ", width < 8 ? 8 - width : 0, thread);
        if (row->share >= 0 && !full)
            printf("taken %.1f %%", 100 * row->share);
        else if (full || strlen(row->formula) <= SHOWN_FORMULA_CHARACTERS)
            fputs(row->formula, stdout);
        else
            printf("%.*s ...", (int)SHOWN_FORMULA_CHARACTERS, row->formula);
        if (row->view.then_by)
            printf(" then by %s", row->view.then_by);
        puts(row->view.throttled ? "  throttled" : row->left_early ? "  left early" : "");
    }
    print_totals(rows);
}

static enum refrain_status print_json(const struct rows *rows, struct refrain_error *error) {
    json_t *array = json_array();
    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = &rows->rows[i];
        json_t *object = json_object();
        json_object_set_new(object, "file", refrain_json_text(row->view.file));
        json_object_set_new(object, "line", json_integer(row->view.line));
        json_object_set_new(object, "function", refrain_json_text(row->view.function));
        json_object_set_new(object, "construct", refrain_json_text(row->view.name));
        json_object_set_new(object, "category", json_string(refrain_subject_name(row->view.subject)));
        json_object_set_new(object, "value", json_string(row->view.label));
        if (row->view.then_by)
            json_object_set_new(object, "then_by", json_string(row->view.then_by));
        if (row->view.by)
            json_object_set_new(object, "by", json_string(row->view.by));
        if (row->view.by && !row->view.other_keys)
            json_object_set_new(object, "key", json_integer(row->view.key));
        json_object_set_new(object, "type", json_string(refrain_formula_type_name(row->type)));
        json_object_set_new(object, "values", json_integer((json_int_t)row->values));
        json_object_set_new(object, "captured", row->view.throttled ? json_null() : json_real(captured(row)));
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

enum { OPTION_SORT = 256, OPTION_FULL };

static error_t parse_option(int key, char *value, struct argp_state *state) {
    static const char *const orders[] = {"source", "values", "type", "captured"};
    struct arguments *arguments = state->input;
    switch (key) {
    case 'a':
        arguments->all = true;
        return 0;
    case 'j':
        arguments->json = true;
        return 0;
    case OPTION_FULL:
        arguments->full = true;
        return 0;
    case OPTION_SORT:
        for (int i = 0; i < 4; i++)
            if (strcmp(value, orders[i]) == 0) {
                arguments->order = (enum order)i;
                return 0;
            }
        argp_error(state, "%s: source, values, type or captured is expected", value);
        return 0;
    default:
        return refrain_take_argument(key, value, state, "trace", &arguments->trace);
    }
}

static const struct argp_option options[] = {
    {"all", 'a', NULL, 0, "Also show what came next at each place, and request numbers", 0},
    {"full", OPTION_FULL, NULL, 0, "Show whole paths and formulas, however long", 0},
    {"json", 'j', NULL, 0, "Print JSON", 0},
    {"sort", OPTION_SORT, "ORDER", 0, "Sort by source (default), values, type or captured", 0},
    {0}};

static const struct argp argp = {
    options,
    parse_option,
    "TRACE",
    "Shows what each branch, loop and MPI call did, as a formula, with its source line.\v"
    "Notation: a^n is a, n times; (a b .. z)^n counts in equal steps, n times over; p (c d)^n is a prologue and a "
    "cycle; in (3+2i 5^(i))^{i<n} the counter i goes from 0 to n-1, and j, k ... are those of loops further out; +r: "
    "the last cycle has begun once more and is r values long so far; [n more, again]: n further values of a cycle that "
    "is written out once before. Values: branch outcomes are 1 and 0, loops count iterations (do: how often the "
    "condition held), ranks are those of the "
    "communicator.\n\n"
    "Types: identity a^n, general a^r b^s ..., iteration (a b .. z)^n and cycle p (c^r d^s)^n are those of Yan, Jin "
    "and Schmidt. nested is a formula beyond them, several are formulas in a row. archive is a sequence in which most "
    "values stand by themselves: exact, but no formula. summary: memory ran out, and only the beginning is exact; the "
    "most frequent values follow in {}. 'then by source': what follows depends on the source; each has a formula of "
    "its own in the lines below, 'source 3: a^n'.\n\n"
    "Ranks on which a construct has the same formula share a line: 0-3,7 or, every second of them, 0-14:2; --full "
    "writes long lists out. If partners are alike on more ranks as distances to the own rank, r, they are shown as "
    "r+1, r-4. .t is thread t. captured is the share of the values that are held exactly. taken is the share of a "
    "decision's values that were true; it is shown if these have no short formula (--full writes them out). throttled: "
    "the probe came too often and was switched off at times; what is shown is a part of the visits, and their number "
    "is a lower bound. left early: break, return, goto or a jump left the loop at times. The iterations of such a "
    "visit are added to the count of the next visit that the loop's condition ends: 3 ended by break, then 10, is "
    "shown as 13.",
    NULL,
    NULL,
    NULL};

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {.order = ORDER_SOURCE};
    struct refrain_trace *trace;
    refrain_command_parse(&refrain_command_formulas, argc, argv, &arguments);
    enum refrain_status status = refrain_trace_open(arguments.trace, true, &trace, error);
    if (status)
        return status;
    refrain_warn_missing(trace);
    struct rows rows = {.arguments = &arguments};
    for (size_t i = 0; !rows.no_memory && i < trace->n_processes; i++) {
        rows.process = &trace->processes[i];
        refrain_learners_visit(rows.process, add_row, &rows);
    }
    if (rows.no_memory || !merge(&rows)) {
        status = REFRAIN_FAIL_MEMORY(error);
    } else {
        wanted_order = arguments.order;
        qsort(rows.rows, rows.n, sizeof *rows.rows, by_wish);
        status = REFRAIN_OK;
        if (arguments.json)
            status = print_json(&rows, error);
        else
            print_text(&rows, arguments.full);
        for (size_t i = 0; !status && i < trace->n_processes; i++)
            status = refrain_learners_check(&trace->processes[i], error);
    }
    free_rows(&rows);
    refrain_trace_close(trace);
    return status;
}

const struct refrain_command refrain_command_formulas = {
    .name = "formulas",
    .summary = "what each branch, loop and MPI call did, as a formula",
    .argp = &argp,
    .run = run,
    .flags = REFRAIN_COMMAND_PAGED,
    .examples = "  refrain formulas --sort values app-*.refrain  # most values first\n",
};
