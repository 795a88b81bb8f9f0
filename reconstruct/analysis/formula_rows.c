/* formula_rows.c: collects the formulas of all ranks, and joins equal ones (formula_rows.h). */
#define _GNU_SOURCE
#include "analysis/formula_rows.h"
#include "analysis/rank_list.h"
#include "common/array.h"
#include "sequence/sequence.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SHARED_RUNS 10000000u /* of a decision; the rest counts as equal to these */

/* ---- values by name ---- */

/* Writes a name on one line without control characters, since names come from programs. */
static void show_name(FILE *file, const char *name) {
    for (; *name; name++)
        if ((unsigned char)*name >= ' ' && *name != 127)
            fputc(*name, file);
        else if (*name == '\t' || *name == '\n')
            fputs(*name == '\t' ? "\\t" : "\\n", file);
        else
            fprintf(file, "\\x%02x", (unsigned)(unsigned char)*name);
}

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
    static const char *const names[] = {"",           "send",       "recv",         "isend",           "irecv",
                                        "send-init",  "recv-init",  "start",        "complete",        "cancelled",
                                        "free",       "collective", "icollective",  "collective-init", "rma",
                                        "io",         "nothing",    "complete-run", "complete-other",  "rma-request",
                                        "io-request", "window",     "file",         "moved",           "seek",
                                        "comm"};
    _Static_assert(sizeof names / sizeof *names == REFRAIN_OPERATIONS, "a name for each operation");
    fputs(operation > 0 && operation < REFRAIN_OPERATIONS ? names[operation] : "?", file);
}

/* Writes a successor: the destination of control. */
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
        show_name(file, is_untold ? "untold" : region ? region->region->name : "?");
    } else if (value >= REFRAIN_NEXT_REGION) {
        const struct refrain_user_region_view *region =
            refrain_process_user_region(process, (uint64_t)(value - REFRAIN_NEXT_REGION));
        show_name(file, region ? region->region->name : "?");
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

/* For writing a rank: the own rank and the number of ranks. */
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

static char *formula_of(const struct refrain_process *process, const struct refrain_learner_view *view,
                        enum refrain_formula_form form, enum refrain_formula_type *type) {
    struct own_rank own = {process->rank, process->header->size};
    refrain_show_value *show = view->subject == REFRAIN_SUBJECT_SUCCESSOR ? show_successor
                               : form == REFRAIN_FORM_MODULO              ? show_modulo
                               : form == REFRAIN_FORM_XOR                 ? show_xor
                                                                          : NULL;
    const void *data = show == show_successor ? (const void *)process : &own;
    return refrain_formula_text(process->image, process->image_bytes, view->learner,
                                form == REFRAIN_FORM_DISTANCE ? &own.rank : NULL, show, data, type);
}

/* The fraction of true values of a decision. */
static double taken_share(const struct refrain_process *process, const struct refrain_learner *learner) {
    struct refrain_sequence sequence;
    uint64_t values = 0, taken = 0;
    refrain_sequence_open(&sequence, process->image, process->image_bytes, learner);
    for (unsigned runs = 0; runs < MOST_SHARED_RUNS && refrain_sequence_advance(&sequence); runs++) {
        values += sequence.run;
        if (sequence.stride == 0 || sequence.run == 1)
            taken += sequence.value ? sequence.run : 0;
        else /* the values of a decision are 0 and 1, in either order */
            taken += 1;
        sequence.run = 0;
    }
    refrain_sequence_close(&sequence);
    return values ? (double)taken / (double)values : 0;
}

/* True if the construct contains a jump that may lead out of it: a break of its own, return or goto. */
static bool has_exit(const struct refrain_slot_view *slot) {
    const struct refrain_node *nodes = slot->unit->nodes, *loop = slot->node;
    for (const struct refrain_node *jump = loop + 1; jump < nodes + slot->unit->record->n_nodes; jump++) {
        if (jump->kind != REFRAIN_BREAK && jump->kind != REFRAIN_RETURN && jump->kind != REFRAIN_GOTO)
            continue;
        const struct refrain_node *around = &nodes[jump->parent];
        bool leaves = true;
        for (; around > loop; around = &nodes[around->parent])
            leaves &= jump->kind != REFRAIN_BREAK || around->kind < REFRAIN_WHILE || around->kind > REFRAIN_SWITCH;
        if (around == loop && leaves)
            return true;
    }
    return false;
}

/* True if the loop was left early. The monitor cannot know this of a do loop, whose condition comes last. For a do
 * loop: true if it may have been left early. */
static bool is_left_early(const struct refrain_process *process, const struct refrain_learner_view *view) {
    const struct refrain_slot_view *slot = &process->slots[view->slot];
    if (slot->node && slot->node->kind == REFRAIN_DO)
        return has_exit(slot);
    struct refrain_sequence sequence;
    bool early = false;
    refrain_sequence_open(&sequence, process->image, process->image_bytes, view->learner);
    for (unsigned runs = 0; !early && runs < MOST_SHARED_RUNS && refrain_sequence_advance(&sequence); runs++) {
        early = sequence.value < 0;
        sequence.run = 0;
    }
    refrain_sequence_close(&sequence);
    return early;
}

static int add_row(void *data, const struct refrain_learner_view *view) {
    struct refrain_formula_rows *rows = data;
    if (!rows->all && !refrain_learner_is_for_readers(view))
        return 0;
    if (!REFRAIN_ARRAY_ROOM(rows->rows, rows->n, rows->capacity)) {
        rows->no_memory = true;
        return 1;
    }
    const struct refrain_process *process = rows->process;
    struct refrain_formula_row *row = &rows->rows[rows->n];
    *row = (struct refrain_formula_row){.view = *view, .rank = process->rank, .share = -1};
    row->left_early = view->subject == REFRAIN_SUBJECT_LOOP && !view->throttled && is_left_early(process, view);
    rows->n++;
    bool ranks = view->subject == REFRAIN_SUBJECT_DEST || view->subject == REFRAIN_SUBJECT_SOURCE;
    for (enum refrain_formula_form form = REFRAIN_FORM_PLAIN; form < REFRAIN_FORMS; form++) {
        if (form > REFRAIN_FORM_PLAIN && (!ranks || row->type == REFRAIN_TYPE_SUMMARY))
            break;
        row->forms[form] = formula_of(process, view, form, &row->type);
        if (!row->forms[form]) {
            rows->no_memory = true;
            return 1;
        }
    }
    row->formula = row->forms[REFRAIN_FORM_PLAIN];
    row->values = refrain_learner_values(process->image, process->image_bytes, view->learner, &row->kept);
    bool long_text = strlen(row->formula) > REFRAIN_SHOWN_FORMULA_CHARACTERS;
    if (view->subject == REFRAIN_SUBJECT_BRANCH && (long_text || !refrain_formula_type_captures(row->type)))
        row->share = taken_share(process, view->learner);
    return 0;
}

bool refrain_formula_rows_add(struct refrain_formula_rows *rows, const struct refrain_process *process) {
    rows->process = process;
    refrain_learners_visit(process, add_row, rows);
    return !rows->no_memory;
}

/* ---- order ---- */

static int by_construct(const void *a, const void *b) {
    const struct refrain_formula_row *x = a, *y = b;
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
    return order;
}

static int by_construct_and_formula(const void *a, const void *b) {
    const struct refrain_formula_row *x = a, *y = b;
    int order = by_construct(a, b);
    if (!order)
        order = strcmp(x->formula, y->formula);
    if (!order)
        order = (int)x->view.throttled - (int)y->view.throttled;
    if (!order)
        order = (int)x->left_early - (int)y->left_early;
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

double refrain_formula_captured(const struct refrain_formula_row *row) {
    return row->values ? (double)row->kept / (double)row->values : 1;
}

static _Thread_local enum refrain_formula_order wanted_order; /* order for by_wish() */

static int by_wish(const void *a, const void *b) {
    const struct refrain_formula_row *x = a, *y = b;
    int order = 0;
    if (wanted_order == REFRAIN_ORDER_BY_VALUES)
        order = (x->values < y->values) - (x->values > y->values);
    else if (wanted_order == REFRAIN_ORDER_BY_TYPE)
        order = (int)x->type - (int)y->type;
    else if (wanted_order == REFRAIN_ORDER_BY_CAPTURED)
        order = (refrain_formula_captured(x) > refrain_formula_captured(y)) -
                (refrain_formula_captured(x) < refrain_formula_captured(y));
    if (!order)
        order = by_construct(a, b);
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

void refrain_formula_rows_sort(struct refrain_formula_rows *rows, enum refrain_formula_order order) {
    wanted_order = order;
    qsort(rows->rows, rows->n, sizeof *rows->rows, by_wish);
}

/* ---- rows of several ranks ---- */

/* "0-3,7": the ranks of the n rows. */
static char *list_ranks(const struct refrain_formula_row *rows, size_t n, bool steps) {
    int32_t *ranks = malloc(n * sizeof *ranks);
    for (size_t i = 0; ranks && i < n; i++)
        ranks[i] = rows[i].rank;
    char *text = ranks ? refrain_rank_list(ranks, n, steps) : NULL;
    free(ranks);
    return text;
}

static _Thread_local enum refrain_formula_form compared; /* form for by_form() */

static int by_form(const void *a, const void *b) {
    const struct refrain_formula_row *x = *(struct refrain_formula_row *const *)a,
                                     *y = *(struct refrain_formula_row *const *)b;
    return strcmp(x->forms[compared], y->forms[compared]);
}

/* Counts for each row how many have the same text in this form. */
static void count_same(struct refrain_formula_row **rows, size_t n, enum refrain_formula_form form) {
    compared = form;
    qsort(rows, n, sizeof *rows, by_form);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && strcmp(rows[i]->forms[form], rows[j]->forms[form]) == 0; j++)
            ;
        for (size_t k = i; k < j; k++)
            rows[k]->same[form] = j - i;
    }
}

/* Chooses for each of the n rows of one construct the form that it has in common with most ranks. False without
 * memory. */
static bool choose_forms(struct refrain_formula_row *rows, size_t n) {
    struct refrain_formula_row **sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return false;
    for (enum refrain_formula_form form = REFRAIN_FORM_PLAIN; form < REFRAIN_FORMS; form++) {
        size_t n_sorted = 0;
        for (size_t i = 0; i < n; i++)
            if (rows[i].forms[form])
                sorted[n_sorted++] = &rows[i];
        count_same(sorted, n_sorted, form);
    }
    for (size_t i = 0; i < n; i++) {
        enum refrain_formula_form best = REFRAIN_FORM_PLAIN;
        for (enum refrain_formula_form form = REFRAIN_FORM_DISTANCE; form < REFRAIN_FORMS; form++)
            if (rows[i].forms[form] && rows[i].same[form] > rows[i].same[best])
                best = form;
        rows[i].formula = rows[i].forms[best];
    }
    free(sorted);
    return true;
}

static void free_forms(struct refrain_formula_row *row) {
    for (enum refrain_formula_form form = REFRAIN_FORM_PLAIN; form < REFRAIN_FORMS; form++) {
        free(row->forms[form]);
        row->forms[form] = NULL;
    }
}

bool refrain_formula_rows_merge(struct refrain_formula_rows *rows, bool steps) {
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
        struct refrain_formula_row first = rows->rows[i];
        first.ranks = list_ranks(&rows->rows[i], j - i, steps);
        for (size_t k = i; k < j; k++)
            first.n_ranks += k == i || rows->rows[k].rank != rows->rows[k - 1].rank;
        for (size_t k = i + 1; k < j; k++) {
            free_forms(&rows->rows[k]);
        }
        rows->rows[kept++] = first;
        if (!first.ranks) { /* the caller frees the rest */
            memmove(&rows->rows[kept], &rows->rows[j], (rows->n - j) * sizeof *rows->rows);
            rows->n = kept + rows->n - j;
            return false;
        }
    }
    rows->n = kept;
    return true;
}

void refrain_formula_rows_free(struct refrain_formula_rows *rows) {
    for (size_t i = 0; i < rows->n; i++) {
        free_forms(&rows->rows[i]);
        free((char *)(uintptr_t)rows->rows[i].ranks);
    }
    free(rows->rows);
}
