/* edit.c: insertions into the text of a file (edit.h). */
#include "edit.h"
#include <stdlib.h>
#include <string.h>

static void add(struct refrain_edits *edits, unsigned offset, unsigned partner, char *text) {
    edits->items = refrain_memory_grow(edits->items, &edits->capacity, edits->count + 1, sizeof *edits->items);
    edits->items[edits->count] = (struct refrain_edit){offset, partner, (unsigned)edits->count, false, text};
    edits->count++;
}

void refrain_edit_insert(struct refrain_edits *edits, unsigned offset, char *text) {
    add(edits, offset, offset, text);
}

void refrain_edit_splice(struct refrain_edits *edits, unsigned offset, char *text) {
    add(edits, offset, offset, text);
    edits->items[edits->count - 1].within = true;
}

void refrain_edit_wrap(struct refrain_edits *edits, unsigned begin, unsigned end, char *opening, char *closing) {
    add(edits, begin, end, opening);
    add(edits, end, begin, closing);
}

/* 0: closing end, 1: single insertion, 2: opening end */
static int role(const struct refrain_edit *edit) {
    return edit->partner < edit->offset ? 0 : edit->partner == edit->offset ? 1 : 2;
}

static int compare(const void *left, const void *right) {
    const struct refrain_edit *a = left, *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (role(a) != role(b))
        return role(a) - role(b);
    if (a->partner !=
        b->partner) /* closing ends: inner ones (opened later) first; opening ends: outer ones (closed later) first */
        return a->partner > b->partner ? -1 : 1;
    if (role(a) == 0)
        return a->order > b->order ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

#define LINE_LIMIT 32767 /* the limit of C90: a compiler may reject directives with larger numbers */

/* Writes blanks for the text before `offset` in its line. Tabs stay tabs, since their width depends on the column. */
static void append_blanks(struct refrain_text *out, const char *bytes, size_t line_begin, size_t offset) {
    for (size_t i = line_begin; i < offset; i++)
        refrain_text_bytes(out, bytes[i] == '\t' ? "\t" : " ", 1);
}

/* An opening begins, and a closing ends, in the column of its offset, so that an expression has the same extent with
 * a probe. */
static size_t column_of(const struct refrain_edits *edits, size_t first, size_t line_begin) {
    unsigned offset = edits->items[first].offset;
    size_t closing = 0;
    for (size_t i = first; i < edits->count && edits->items[i].offset == offset && role(&edits->items[i]) == 0; i++)
        closing += strlen(edits->items[i].text);
    return offset - line_begin > closing ? offset - closing : line_begin;
}

void refrain_edit_apply(struct refrain_edits *edits, const char *bytes, size_t begin, size_t length,
                        refrain_edit_line_fn *line, const void *context, struct refrain_text *out) {
    size_t from = begin;
    if (edits->count)
        qsort(edits->items, edits->count, sizeof *edits->items, compare);
    for (size_t i = 0; i < edits->count;) {
        unsigned offset = edits->items[i].offset, number = line(context, offset);
        size_t line_begin = offset, first;
        while (line_begin > begin && bytes[line_begin - 1] != '\n')
            line_begin--;
        for (first = line_begin; first < offset && (bytes[first] == ' ' || bytes[first] == '\t'); first++)
            continue;
        bool apart = number <= LINE_LIMIT && !edits->items[i].within;
        refrain_text_bytes(out, bytes + from, offset - from);
        if (apart && first < offset) {
            refrain_text_format(out, "\n#line %u\n", number);
            append_blanks(out, bytes, line_begin, column_of(edits, i, line_begin));
        }
        for (; i < edits->count && edits->items[i].offset == offset; i++)
            refrain_text_string(out, edits->items[i].text);
        if (apart) {
            refrain_text_format(out, "\n#line %u\n", number);
            append_blanks(out, bytes, line_begin, offset);
        }
        from = offset;
    }
    refrain_text_bytes(out, bytes + from, length - from);
}

void refrain_edit_free(struct refrain_edits *edits) {
    for (size_t i = 0; i < edits->count; i++)
        free(edits->items[i].text);
    free(edits->items);
    *edits = (struct refrain_edits){0};
}
