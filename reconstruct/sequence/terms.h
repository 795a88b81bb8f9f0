/* terms.h: returns the terms of a learner in order: the archive first, then items or plain values (image ->
 * sequence.h).
 *
 * The image may be damaged: every reference is checked, and damage is reported with its offset. */
#ifndef REFRAIN_TERMS_H
#define REFRAIN_TERMS_H

#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFRAIN_SEQUENCE_TERM_ITEMS 1024u /* a longer term is damage */

struct refrain_terms {
    const unsigned char *image;
    size_t image_bytes;
    const struct refrain_formula *formula;    /* null: no term (EMPTY, IDENTITY) */
    const struct refrain_item *items;         /* of the formula */
    unsigned n_items, at;                     /* at: index of the next item */
    unsigned n_values;                        /* plain values left, instead of items */
    struct refrain_archive_position archived; /* next position in the archive, chunk 0 = none left */
    struct refrain_item *decoded;             /* one archived term, or the plain values; owned */
    const char *wrong;                        /* what is damaged; null = nothing so far */
    uint64_t wrong_offset;                    /* where, in bytes from the start of the image */
};

/* Starts reading. `learner` must lie in `image`. */
void refrain_terms_open(struct refrain_terms *terms, const void *image, size_t image_bytes,
                        const struct refrain_learner *learner);

/* The next term: its first item, which has the span of the term. Null at the end and after damage (terms->wrong).
 * Valid until the next call. *last (may be null): this is the last term, which the continuation continues. */
const struct refrain_item *refrain_terms_next(struct refrain_terms *terms, bool *last);

void refrain_terms_close(struct refrain_terms *terms);

/* The archived term at `position`, which moves behind it. Null at the end of the archive and after damage. */
const struct refrain_item *refrain_terms_archived(struct refrain_terms *terms,
                                                  struct refrain_archive_position *position);

/* `bytes` bytes at a reference, or null if they are outside the image. */
const void *refrain_terms_at(struct refrain_terms *terms, uint32_t reference, size_t bytes);

/* Notes damage and its offset, unless damage was noted before. Returns false. */
bool refrain_terms_damaged(struct refrain_terms *terms, uint64_t offset, const char *what);

#endif
