/* copied_times.h: the part of a rank's times in a pack that is not coded (packed_ranks.h), compressed by libzstd. A
 * refrain built without libzstd writes this part as it is, and reads only packs in which it is so. */
#ifndef REFRAIN_COPIED_TIMES_H
#define REFRAIN_COPIED_TIMES_H

#include <stdbool.h>
#include <stddef.h>

/* Was refrain built with libzstd? */
bool refrain_copied_are_compressed(void);

/* The most bytes that refrain_copied_compress() makes of `n` bytes. */
size_t refrain_copied_most_bytes(size_t n);

/* Compresses the bytes into `to`, which has `room` bytes. Returns the compressed size, 0 where that is not smaller. */
size_t refrain_copied_compress(const void *bytes, size_t n, void *to, size_t room);

/* The bytes that were compressed, *n_bytes of them, which the caller frees. Null where that fails, or where they are
 * more than `most`: *wrong says why. */
unsigned char *refrain_copied_expand(const void *compressed, size_t n, size_t most, size_t *n_bytes,
                                     const char **wrong);

#endif
