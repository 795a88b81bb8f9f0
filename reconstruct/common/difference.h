/* difference.h: bytes told by how they differ from others (two states of the same memory -> what a copy has to keep).
 *
 *     base  |same|  a  |   same   |  b  |same|         words of 8 bytes; behind its end the base counts as zeros
 *     now   |same|  c  |   same   |  d  |same|
 *     difference: same n, different n, c | same n, different n, d | ...
 */
#ifndef REFRAIN_DIFFERENCE_H
#define REFRAIN_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>

/* The difference of `now` from `base`, both of whole words, written to `difference` unless that is null. Returns its
 * bytes. */
size_t refrain_difference(const void *now, size_t bytes, const void *base, size_t base_bytes, void *difference);

/* Makes `now` of base and difference again, which may be where the base is. Returns the difference's bytes. */
size_t refrain_difference_apply(void *now, size_t bytes, const void *base, size_t base_bytes, const void *difference);

/* Is a difference of `length` bytes one of what has so many bytes? One that was read has to be, before it is applied.
 */
bool refrain_difference_fits(size_t bytes, const void *difference, size_t length);

#endif
