/* edit.h: insertions into a file's text, kept aside and applied in one go (place.c -> output).
 *
 * Nothing is ever removed, and every token of the file but those of some pragmas keeps its line and its column: what is
 * inserted stands on lines of its own, which bear the number of the line that they interrupt, and what follows in that
 * line stands behind as many blanks as it had bytes before it:
 *
 *     while (n--)          while (
 *                          #line 7
 *                          refrain__loop(&refrain__f, 2, !!(
 *                          #line 7
 *                                 n--
 *
 * So compilers, debuggers and __LINE__ say what they say of the file itself. Insertions at one offset come out so that
 * constructs nest: what closes there first (inner before outer), then what stands alone, then what opens (outer before
 * inner).
 */
#ifndef REFRAIN_EDIT_H
#define REFRAIN_EDIT_H

#include "text.h"

struct refrain_edit {
    unsigned offset;
    unsigned partner; /* the other end of a pair; `offset` itself when it stands alone */
    unsigned order;   /* of creation: outer pairs are created before the pairs inside them */
    bool within;      /* the line: no line of its own */
    char *text;       /* owned */
};

struct refrain_edits {
    struct refrain_edit *items;
    size_t count, capacity;
};

/* Text in front of the byte at `offset`. Takes `text` over. */
void refrain_edit_insert(struct refrain_edits *edits, unsigned offset, char *text);

/* The same within the line, as clauses of a pragma are, which no line may come into. What follows in the line moves. */
void refrain_edit_splice(struct refrain_edits *edits, unsigned offset, char *text);

/* Text around [begin, end). Takes both over. */
void refrain_edit_wrap(struct refrain_edits *edits, unsigned begin, unsigned end, char *opening, char *closing);

/* The number of the line that the byte at `offset` is in, as #line directives of the file have it. */
typedef unsigned refrain_edit_line_fn(const void *context, unsigned offset);

/* Appends the text from its byte `begin` on, edited, to `out`. */
void refrain_edit_apply(struct refrain_edits *edits, const char *bytes, size_t begin, size_t length,
                        refrain_edit_line_fn *line, const void *context, struct refrain_text *out);

void refrain_edit_free(struct refrain_edits *edits);

#endif
