/* edit.h: insertions into the text of a file, collected and applied together (place.c -> output).
 *
 * Nothing is removed. Every token keeps its line and column, except in some pragmas. Inserted text has lines of its
 * own, with the number of the line that it interrupts. The rest of this line then follows after as many blanks as
 * there were bytes before it:
 *
 *     while (n--)          while (
 *                          #line 7
 *                          refrain__loop(&refrain__f, 2, !!(
 *                          #line 7
 *                                 n--
 *
 * So messages of compilers, debuggers and __LINE__ are those of the file itself. Insertions at the same offset are
 * ordered so that constructs nest: closing ends (inner before outer), then single insertions, then opening ends
 * (outer before inner). */
#ifndef REFRAIN_EDIT_H
#define REFRAIN_EDIT_H

#include "text.h"

struct refrain_edit {
    unsigned offset;
    unsigned partner; /* the other end of a pair; `offset` itself for a single insertion */
    unsigned order;   /* of creation: outer pairs are created before the pairs inside them */
    bool within;      /* inserted into the line, not on a line of its own */
    char *text;       /* owned */
};

struct refrain_edits {
    struct refrain_edit *items;
    size_t count, capacity;
};

/* Inserts text before the byte at `offset`. Takes ownership of `text`. */
void refrain_edit_insert(struct refrain_edits *edits, unsigned offset, char *text);

/* As refrain_edit_insert(), but within the line, for clauses of a pragma, which must be on one line. The rest of the
 * line moves. */
void refrain_edit_splice(struct refrain_edits *edits, unsigned offset, char *text);

/* Inserts text around [begin, end). Takes ownership of both texts. */
void refrain_edit_wrap(struct refrain_edits *edits, unsigned begin, unsigned end, char *opening, char *closing);

/* Returns the line number of the byte at `offset`, according to #line directives of the file. */
typedef unsigned refrain_edit_line_fn(const void *context, unsigned offset);

/* Appends the edited text, from byte `begin` on, to `out`. */
void refrain_edit_apply(struct refrain_edits *edits, const char *bytes, size_t begin, size_t length,
                        refrain_edit_line_fn *line, const void *context, struct refrain_text *out);

void refrain_edit_free(struct refrain_edits *edits);

#endif
