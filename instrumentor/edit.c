/* edit.c: insertions into a file's text (edit.h). */
#include "edit.h"
#include <stdlib.h>
#include <string.h>

static void add(struct refrain_edits *edits, unsigned offset, unsigned partner, char *text) {
    edits->items = refrain_memory_grow(edits->items, &edits->capacity, edits->count + 1, sizeof *edits->items);
    edits->items[edits->count] = (struct refrain_edit){offset, partner, (unsigned)edits->count, text};
    edits->count++;
}

void refrain_edit_insert(struct refrain_edits *edits, unsigned offset, char *text) {
    add(edits, offset, offset, text);
}

void refrain_edit_wrap(struct refrain_edits *edits, unsigned begin, unsigned end, char *opening, char *closing) {
    add(edits, begin, end, opening);
    add(edits, end, begin, closing);
}

/* 0 closes, 1 stands alone, 2 opens */
static int role(const struct refrain_edit *edit) {
    return edit->partner < edit->offset ? 0 : edit->partner == edit->offset ? 1 : 2;
}

static int compare(const void *left, const void *right) {
    const struct refrain_edit *a = left, *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (role(a) != role(b))
        return role(a) - role(b);
    if (a->partner != b->partner) /* closing: inner, that is later opened, first; opening: outer, later closed, first */
        return a->partner > b->partner ? -1 : 1;
    if (role(a) == 0)
        return a->order > b->order ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

void refrain_edit_apply(struct refrain_edits *edits, const char *bytes, size_t length, struct refrain_text *out) {
    size_t from = 0;
    if (edits->count)
        qsort(edits->items, edits->count, sizeof *edits->items, compare);
    for (size_t i = 0; i < edits->count; i++) {
        refrain_text_bytes(out, bytes + from, edits->items[i].offset - from);
        refrain_text_string(out, edits->items[i].text);
        from = edits->items[i].offset;
    }
    refrain_text_bytes(out, bytes + from, length - from);
}

void refrain_edit_free(struct refrain_edits *edits) {
    for (size_t i = 0; i < edits->count; i++)
        free(edits->items[i].text);
    free(edits->items);
    *edits = (struct refrain_edits){0};
}
