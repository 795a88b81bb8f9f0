/* copied_times.h: what a pack has of a rank's times beyond those that are coded (packed_ranks.h), by libzstd. Built
 * without it, refrain writes them as they are, and reads packs in which they are so. */
#ifndef REFRAIN_COPIED_TIMES_H
#define REFRAIN_COPIED_TIMES_H

#include <stdbool.h>
#include <stddef.h>

/* Is libzstd there? */
bool refrain_copied_are_compressed(void);

/* Room in which refrain_copied_compress() has enough for `n` bytes. */
size_t refrain_copied_most_bytes(size_t n);

/* Compresses the bytes into `to`; returns how many they are then, 0 where they become no fewer. */
size_t refrain_copied_compress(const void *bytes, size_t n, void *to, size_t room);

/* The bytes that were compressed, in memory of the caller's; null, and *wrong, where that fails. No more than `most`
 * are believed. */
unsigned char *refrain_copied_expand(const void *compressed, size_t n, size_t most, size_t *n_bytes,
                                     const char **wrong);

#endif
