/* copied_times.h: compresses the times of a rank in a pack that are not coded (packed_ranks.h) with libzstd. Without
 * libzstd, refrain writes them uncompressed, and reads only packs where they are uncompressed. */
#ifndef REFRAIN_COPIED_TIMES_H
#define REFRAIN_COPIED_TIMES_H

#include <stdbool.h>
#include <stddef.h>

/* True if refrain was built with libzstd. */
bool refrain_copied_are_compressed(void);

/* The most bytes that refrain_copied_compress() makes of `n` bytes. */
size_t refrain_copied_most_bytes(size_t n);

/* Compresses the bytes into `to`, which has `room` bytes. Returns the compressed size, or 0 if that is not smaller. */
size_t refrain_copied_compress(const void *bytes, size_t n, void *to, size_t room);

/* Decompresses. Returns *n_bytes bytes, which the caller frees. Null if that fails, or if they are more than `most`:
 * *wrong then says why. */
unsigned char *refrain_copied_expand(const void *compressed, size_t n, size_t most, size_t *n_bytes,
                                     const char **wrong);

#endif
