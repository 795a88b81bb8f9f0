/* difference.h: the difference between two states of the same memory (for copies that need little room).
 *
 *     base  |same|  a  |   same   |  b  |same|         words of 8 bytes; after its end the base counts as zeros
 *     now   |same|  c  |   same   |  d  |same|
 *     difference: same n, different n, c | same n, different n, d | ... */
#ifndef REFRAIN_DIFFERENCE_H
#define REFRAIN_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the difference of `now` from `base`, both whole words, to `difference`, unless that is null. Returns its
 * size. */
size_t refrain_difference(const void *now, size_t bytes, const void *base, size_t base_bytes, void *difference);

/* Restores `now` from the base and the difference. `now` and `base` may be the same memory. Returns the size of the
 * difference. */
size_t refrain_difference_apply(void *now, size_t bytes, const void *base, size_t base_bytes, const void *difference);

/* True if the difference of `length` bytes fits a state of `bytes` bytes. A difference from a file must be checked
 * before it is applied. */
bool refrain_difference_fits(size_t bytes, const void *difference, size_t length);

#endif
