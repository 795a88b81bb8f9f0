/* edit.h: insertions into the text of a file, collected and applied together (place.c -> output).
 *
 * Nothing is removed. Every token keeps its line and column, except in some pragmas and after line 32,767, the largest
 * number of a #line directive. Inserted text gets a line of its own. #line gives it the number of the line that it
 * splits. The rest of the split line follows, after as many blanks as there were bytes before it (a tab stays a tab).
 * Schematically, for a pair of texts OPENING and CLOSING around `n--` in line 7:
 *
 *     while (n--)          while (
 *                          #line 7
 *                                 OPENING
 *                          #line 7
 *                                 n--
 *                          #line 7
 *                             CLOSING
 *                          #line 7
 *                                    )
 *
 * So compiler messages, debuggers and __LINE__ name the lines of the original file. Insertions at the same offset are
 * ordered so that pairs nest: closing texts (inner pair first), then single insertions, then opening texts (outer pair
 * first). */
#ifndef REFRAIN_EDIT_H
#define REFRAIN_EDIT_H

#include "text.h"

struct refrain_edit {
    unsigned offset;
    unsigned partner; /* offset of the other text of the pair; `offset` itself for a single insertion */
    unsigned order;   /* of creation, for pairs around the same bytes: the outer pair is created first */
    bool within;      /* inserted into the line, not on a line of its own */
    char *text;       /* malloced; freed by refrain_edit_free() */
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

/* Appends the edited text from byte `begin` on to `out`. `length`: of all `bytes`. No insertion may lie before `begin`.
 * Sorts the insertions. */
void refrain_edit_apply(struct refrain_edits *edits, const char *bytes, size_t begin, size_t length,
                        refrain_edit_line_fn *line, const void *context, struct refrain_text *out);

void refrain_edit_free(struct refrain_edits *edits);

#endif
