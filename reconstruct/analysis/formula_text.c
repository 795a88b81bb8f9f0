/* formula_text.c: writes formulas as text (formula_text.h). */
#define _GNU_SOURCE
#include "analysis/formula_text.h"
#include "sequence/sequence.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TERMS 4096               /* terms that are written; a longer formula is cut with a note */
#define MOST_COUNTED 16               /* values of a tally that are written */
#define MOST_ITERATIONS_COUNTED 65536 /* of a continuation whose iterations differ in length */

static const char counters[REFRAIN_LOOP_HEIGHTS + 1] = "ijklmn";

struct text {
    FILE *file;
    refrain_show_value *show;
    const void *data;
    const int32_t *own_rank; /* values are written as r plus a distance; null: as numbers */
    bool counts;             /* values are loop counts: -n is written as n, the iterations of a loop left early */
};

const char *refrain_formula_type_name(enum refrain_formula_type type) {
    static const char *const names[REFRAIN_TYPES] = {"identity", "general", "iteration", "cycle",
                                                     "nested",   "several", "archive",   "summary"};
    return names[type];
}

bool refrain_formula_type_captures(enum refrain_formula_type type) {
    return type < REFRAIN_TYPE_ARCHIVE;
}

/* ---- shapes ---- */

static bool is_constant(const struct refrain_item *item) {
    for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
        if (item->stride[h])
            return false;
    return true;
}

/* True if the item changes only with the loop at this height. */
static bool changes_only_with(const struct refrain_item *item, unsigned height) {
    for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
        if (item->stride[h] && h != height)
            return false;
    return true;
}

static bool all_constant(const struct refrain_item *items, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (!is_constant(&items[i]))
            return false;
    return true;
}

/* True for a value, or one value repeated. */
static bool is_run(const struct refrain_item *item) {
    return (item->kind == REFRAIN_ITEM_VALUE || (item->kind == REFRAIN_ITEM_LOOP && item->span == 2)) &&
           all_constant(item, item->span);
}

/* True for a, a+s, a+2s ... */
static bool is_steps(const struct refrain_item *item) {
    return item->kind == REFRAIN_ITEM_LOOP && item->span == 2 && is_constant(item) && item[1].stride[item->height] &&
           changes_only_with(&item[1], item->height);
}

static bool is_row_of_runs(const struct refrain_item *items, unsigned n) {
    for (unsigned i = 0; i < n; i += items[i].span)
        if (!is_run(&items[i]))
            return false;
    return true;
}

/* The type of a single term. */
static enum refrain_formula_type type_of_term(const struct refrain_item *term) {
    if (is_run(term))
        return REFRAIN_TYPE_IDENTITY;
    if (is_steps(term))
        return REFRAIN_TYPE_ITERATION;
    if (is_constant(term) && term->span > 1 && term[1].span + 1u == term->span && is_steps(&term[1]))
        return REFRAIN_TYPE_ITERATION;
    if (is_constant(term) && is_row_of_runs(term + 1, term->span - 1u))
        return REFRAIN_TYPE_CYCLE;
    return REFRAIN_TYPE_NESTED;
}

/* ---- writing ---- */

static void write_relative(struct text *text, uint64_t value) {
    int64_t distance = (int64_t)(value - (uint64_t)*text->own_rank);
    fputc('r', text->file);
    if (distance)
        fprintf(text->file, "%+" PRId64, distance);
}

static void write_value(struct text *text, uint64_t value) {
    if (text->own_rank)
        write_relative(text, value);
    else
        fprintf(text->file, "%" PRId64, text->counts && (int64_t)value < 0 ? -(int64_t)value : (int64_t)value);
}

static void write_affine(struct text *text, const struct refrain_item *item, bool as_value) {
    struct refrain_item count = *item;
    if (as_value && text->counts && item->base < 0) {
        count.base = -count.base;
        for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
            count.stride[h] = -count.stride[h];
        item = &count;
    }
    bool constant = is_constant(item), first = item->base == 0 && !constant && !(as_value && text->own_rank);
    bool grouped = as_value && text->own_rank && (!constant || item->base != *text->own_rank);
    if (grouped)
        fputc('(', text->file);
    if (as_value && text->own_rank)
        write_relative(text, (uint64_t)item->base);
    else if (constant && as_value && text->show)
        text->show(text->file, text->data, item->base);
    else if (!first)
        fprintf(text->file, "%" PRId64, item->base);
    for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++) {
        int64_t stride = item->stride[h];
        if (stride == 0)
            continue;
        if (stride == -1)
            fputc('-', text->file);
        else if (stride == 1)
            fputs(first ? "" : "+", text->file);
        else
            fprintf(text->file, first ? "%" PRId64 : "%+" PRId64, stride);
        fputc(counters[h], text->file);
        first = false;
    }
    if (grouped)
        fputc(')', text->file);
}

static bool counter_is_used(const struct refrain_item *loop) {
    for (unsigned i = 1; i < loop->span; i++)
        if (loop[i].stride[loop->height])
            return true;
    return false;
}

static void write_item(struct text *text, const struct refrain_item *item, uint64_t more);

static void write_row(struct text *text, const struct refrain_item *items, unsigned n) {
    for (unsigned i = 0; i < n; i += items[i].span) {
        if (i > 0)
            fputc(' ', text->file);
        write_item(text, &items[i], 0);
    }
}

/* `n` values in equal steps. */
static void write_steps(struct text *text, const struct refrain_item *loop, uint64_t n) {
    uint64_t first = (uint64_t)loop[1].base, stride = (uint64_t)loop[1].stride[loop->height];
    fputc('(', text->file);
    write_value(text, first);
    if (n > 1) {
        fputc(' ', text->file);
        write_value(text, first + stride);
    }
    if (n > 2) {
        fputs(n > 3 ? " .. " : " ", text->file);
        write_value(text, first + (n - 1) * stride);
    }
    fputc(')', text->file);
}

/* The cycle itself is written among the earlier terms. */
static void write_repeat(struct text *text, uint64_t values) {
    fprintf(text->file, " [%" PRIu64 " more, again]", values);
}

/* `more`: iterations beyond those of the item. */
static void write_item(struct text *text, const struct refrain_item *item, uint64_t more) {
    if (item->kind == REFRAIN_ITEM_VALUE) {
        write_affine(text, item, true);
        return;
    }
    struct refrain_item count = *item;
    count.base = (int64_t)((uint64_t)count.base + more);
    if (is_steps(item)) {
        write_steps(text, item, (uint64_t)count.base);
        return;
    }
    bool steps = item->span == item[1].span + 1u && is_steps(&item[1]); /* in parentheses already */
    bool alone = steps || (item->span == 2 && is_constant(&item[1])), used = counter_is_used(item);
    if (!alone)
        fputc('(', text->file);
    write_row(text, item + 1, item->span - 1u);
    if (!alone)
        fputc(')', text->file);
    if (used)
        fprintf(text->file, "^{%c<", counters[item->height]);
    else
        fputs(is_constant(item) ? "^" : "^(", text->file);
    write_affine(text, &count, false);
    fputs(used ? "}" : is_constant(item) ? "" : ")", text->file);
}

/* ---- continuation ---- */

/* Number of values of iteration `k` of a loop. */
static uint64_t values_of_iteration(const struct refrain_item *loop, uint64_t k) {
    struct refrain_item *body = malloc((loop->span - 1u) * sizeof *body);
    uint64_t n = 0;
    if (!body)
        return 0;
    memcpy(body, loop + 1, (loop->span - 1u) * sizeof *body);
    for (unsigned i = 0; i < loop->span - 1u; i++) {
        body[i].base = (int64_t)((uint64_t)body[i].base + (uint64_t)body[i].stride[loop->height] * k);
        body[i].stride[loop->height] = 0;
    }
    for (unsigned i = 0; i < loop->span - 1u; i += body[i].span)
        n += refrain_term_values(&body[i]);
    free(body);
    return n;
}

/* Number of whole iterations that *values further values make after those of the loop. *values becomes the rest. */
static uint64_t further_iterations(const struct refrain_item *loop, uint64_t *values) {
    bool differ = false;
    for (unsigned i = 1; i < loop->span; i++)
        differ |= loop[i].kind == REFRAIN_ITEM_LOOP && loop[i].stride[loop->height] != 0;
    uint64_t n = 0, at = (uint64_t)loop->base;
    if (!differ) {
        uint64_t each = values_of_iteration(loop, at);
        n = each ? *values / each : 0;
        *values -= n * each;
        return n;
    }
    for (uint64_t each; n < MOST_ITERATIONS_COUNTED && (each = values_of_iteration(loop, at + n)) <= *values; n++)
        *values -= each;
    return n;
}

/* ---- a whole learner ---- */

static int more_often(const void *a, const void *b) {
    const struct refrain_tally_entry *x = a, *y = b;
    return (x->count < y->count) - (x->count > y->count);
}

static void write_counted(struct text *text, int64_t value) {
    if (text->show)
        text->show(text->file, text->data, value);
    else
        fprintf(text->file, "%" PRId64, text->counts && value < 0 ? -value : value);
}

/* Writes a tally, the most frequent value first. */
static void write_tally(struct text *text, struct refrain_tally_reader *reader) {
    fprintf(text->file, " {%" PRIu64 ":", reader->left);
    size_t single = reader->n - reader->has_other;
    qsort(reader->entries, single, sizeof *reader->entries, more_often);
    for (size_t i = 0; i < single && i < MOST_COUNTED; i++) {
        fputc(' ', text->file);
        write_counted(text, (int64_t)reader->entries[i].words[1]);
        fprintf(text->file, "^%" PRIu64, reader->entries[i].count);
    }
    fputs(single > MOST_COUNTED || reader->has_other ? " ...}" : "}", text->file);
}

static void write_summary(struct text *text, const void *image, size_t image_bytes,
                          const struct refrain_learner *learner) {
    struct refrain_tally_reader reader;
    uint32_t tally = refrain_learner_tally(image, image_bytes, learner);
    if (tally && refrain_tally_open(&reader, image, image_bytes, tally)) {
        write_tally(text, &reader);
        refrain_tally_close(&reader);
    } else {
        fprintf(text->file, " {%" PRIu64 " counted with others}", (uint64_t)learner->stride);
    }
}

static void write_identity(struct text *text, const struct refrain_learner *learner) {
    struct refrain_item value = {.kind = REFRAIN_ITEM_VALUE, .span = 1, .base = learner->expect};
    write_affine(text, &value, true);
    if (learner->confirmed != 1)
        fprintf(text->file, "^%" PRIu64, learner->confirmed);
}

/* The type of a sequence of terms after one more term. A prologue of runs belongs to the cycle or nest after it. */
static enum refrain_formula_type combine(enum refrain_formula_type row, size_t n, enum refrain_formula_type term) {
    if (n == 0)
        return term;
    if (row != REFRAIN_TYPE_IDENTITY && row != REFRAIN_TYPE_GENERAL)
        return REFRAIN_TYPE_SEVERAL;
    if (term == REFRAIN_TYPE_IDENTITY)
        return REFRAIN_TYPE_GENERAL;
    return term == REFRAIN_TYPE_ITERATION ? REFRAIN_TYPE_SEVERAL : term;
}

/* The type of a sequence that repeats its terms: a cycle of single values, else a nest. */
static enum refrain_formula_type repeat(enum refrain_formula_type row) {
    return row == REFRAIN_TYPE_IDENTITY || row == REFRAIN_TYPE_GENERAL ? REFRAIN_TYPE_CYCLE : REFRAIN_TYPE_NESTED;
}

/* Number of values that are written in a term. */
static uint64_t values_written(const struct refrain_item *term) {
    uint64_t n = 0;
    for (unsigned i = 0; i < term->span; i++)
        n += term[i].kind == REFRAIN_ITEM_VALUE;
    return n;
}

/* True for a group of values in the archive: a loop with one iteration, which no rule makes. */
static bool is_group(const struct refrain_item *term) {
    return term->kind == REFRAIN_ITEM_LOOP && term->base == 1 && term->height == 0 && term->span > 2;
}

static void write_group(struct text *text, const struct refrain_item *term) {
    for (unsigned i = 1; i < term->span; i++) {
        if (i > 1)
            fputc(' ', text->file);
        write_item(text, &term[i], 0);
    }
}

static enum refrain_formula_type write_terms(struct text *text, struct refrain_terms *terms,
                                             const struct refrain_learner *learner) {
    enum refrain_formula_type type = REFRAIN_TYPE_IDENTITY, last_type = type;
    const struct refrain_item *term;
    bool last, archived = terms->formula->archived_terms > 0, repeating = learner->state == REFRAIN_REPEAT;
    uint64_t written = 0, values = learner->confirmed, last_values = 0;
    size_t n = 0;
    for (; (term = refrain_terms_next(terms, &last)); n++) {
        uint64_t left = last && !repeating ? learner->confirmed : 0, more = 0;
        if (left && term->kind == REFRAIN_ITEM_LOOP)
            more = further_iterations(term, &left);
        last_type = is_group(term) ? REFRAIN_TYPE_GENERAL : type_of_term(term);
        type = term->kind == REFRAIN_ITEM_REPEAT ? repeat(type) : combine(type, n, last_type);
        written += values_written(term);
        last_values = refrain_term_values(term);
        values += last_values;
        if (n >= MOST_TERMS)
            continue;
        if (term->kind == REFRAIN_ITEM_REPEAT) {
            write_repeat(text, (uint64_t)term->base);
            continue;
        }
        if (n > 0)
            fputc(' ', text->file);
        if (is_group(term))
            write_group(text, term);
        else
            write_item(text, term, more);
        if (left)
            fprintf(text->file, " +%" PRIu64, left);
    }
    if (n > MOST_TERMS)
        fprintf(text->file, " ... %zu more terms", n - MOST_TERMS);
    if (repeating) {
        write_repeat(text, learner->confirmed);
        type = repeat(type);
    }
    if (type == REFRAIN_TYPE_SEVERAL && last_type == REFRAIN_TYPE_NESTED &&
        last_values + learner->confirmed > values / 2)
        type = REFRAIN_TYPE_NESTED; /* the terms before it are its prologue */
    return archived && written > values / 2 ? REFRAIN_TYPE_ARCHIVE : type;
}

char *refrain_formula_text(const void *image, size_t image_bytes, const struct refrain_learner *learner,
                           const int32_t *own_rank, refrain_show_value *show, const void *data,
                           enum refrain_formula_type *type) {
    char *result = NULL;
    size_t bytes;
    struct text text = {open_memstream(&result, &bytes), show, data, own_rank, learner->kind == REFRAIN_KIND_LOOP};
    if (!text.file)
        return NULL;
    struct refrain_terms terms;
    refrain_terms_open(&terms, image, image_bytes, learner);
    *type = REFRAIN_TYPE_IDENTITY;
    if (terms.formula)
        *type = write_terms(&text, &terms, learner);
    else if (learner->state != REFRAIN_EMPTY)
        write_identity(&text, learner);
    if (learner->state == REFRAIN_SUMMARY || refrain_learner_tally(image, image_bytes, learner)) {
        *type = REFRAIN_TYPE_SUMMARY;
        write_summary(&text, image, image_bytes, learner);
    }
    if (terms.wrong)
        fprintf(text.file, " (damaged: byte %" PRIu64 ": %s)", terms.wrong_offset, terms.wrong);
    refrain_terms_close(&terms);
    if (fclose(text.file) != 0) {
        free(result);
        return NULL;
    }
    return result;
}
