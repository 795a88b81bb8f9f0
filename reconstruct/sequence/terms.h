/* terms.h: the terms that a learner holds, in order: archive first, then items or plain values (bytes of an image ->
 * sequence.h).
 *
 * Works on bytes alone, which may be nonsense: every reference is checked, and damage is refused with its offset. */
#ifndef REFRAIN_TERMS_H
#define REFRAIN_TERMS_H

#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFRAIN_SEQUENCE_TERM_ITEMS 1024u /* items of the longest term a reader accepts */

struct refrain_terms {
    const unsigned char *image;
    size_t image_bytes;
    const struct refrain_formula *formula;    /* null: no term (EMPTY, IDENTITY) */
    const struct refrain_item *items;         /* of the formula */
    unsigned n_items, at;                     /* at: next item */
    unsigned n_values;                        /* plain ones in their place, to be read */
    struct refrain_archive_position archived; /* where the archive is being read, chunk 0 = none left */
    struct refrain_item *decoded;             /* one archived term, or the plain values; owned */
    const char *wrong;                        /* what does not hold together, null = nothing so far ... */
    uint64_t wrong_offset;                    /* ... and where, in bytes from the start of the image */
};

/* Starts reading. `learner` lies in `image`. */
void refrain_terms_open(struct refrain_terms *terms, const void *image, size_t image_bytes,
                        const struct refrain_learner *learner);

/* The next term: its first item, its span in items[0].span. Null at the end, or when something is wrong (terms->wrong).
 * Valid until the next call. `last` (may be null): this is the last term, which a continuation goes on with. */
const struct refrain_item *refrain_terms_next(struct refrain_terms *terms, bool *last);

void refrain_terms_close(struct refrain_terms *terms);

/* The archived term at `position`, which moves behind it; null when the archive is read or wrong. */
const struct refrain_item *refrain_terms_archived(struct refrain_terms *terms,
                                                  struct refrain_archive_position *position);

/* `bytes` bytes at a reference, or null. */
const void *refrain_terms_at(struct refrain_terms *terms, uint32_t reference, size_t bytes);

/* Notes what does not hold together, and where, unless something was noted before. False. */
bool refrain_terms_damaged(struct refrain_terms *terms, uint64_t offset, const char *what);

#endif
