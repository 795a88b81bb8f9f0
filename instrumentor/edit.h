/* edit.h: insertions into a file's text, kept aside and applied in one go (place.c -> output).
 *
 * Nothing is ever removed and no newline is inserted, so that lines stay what they were. Insertions at one offset come
 * out so that constructs nest: what closes there first (inner before outer), then what stands alone, then what opens
 * (outer before inner).
 */
#ifndef REFRAIN_EDIT_H
#define REFRAIN_EDIT_H

#include "text.h"

struct refrain_edit {
    unsigned offset;
    unsigned partner; /* the other end of a pair; `offset` itself when it stands alone */
    unsigned order;   /* of creation: outer pairs are created before the pairs inside them */
    char *text;       /* owned */
};

struct refrain_edits {
    struct refrain_edit *items;
    size_t count, capacity;
};

/* Text in front of the byte at `offset`. Takes `text` over. */
void refrain_edit_insert(struct refrain_edits *edits, unsigned offset, char *text);

/* Text around [begin, end). Takes both over. */
void refrain_edit_wrap(struct refrain_edits *edits, unsigned begin, unsigned end, char *opening, char *closing);

/* Appends the edited text to `out`. */
void refrain_edit_apply(struct refrain_edits *edits, const char *bytes, size_t length, struct refrain_text *out);

void refrain_edit_free(struct refrain_edits *edits);

#endif
