/* names_store.h: loads and stores the names of code addresses (names_file.h): beside the files of the ranks, or at
 * the end of a pack. */
#ifndef REFRAIN_NAMES_STORE_H
#define REFRAIN_NAMES_STORE_H

#include "model/trace_read.h"

/* The stored bytes, which the trace owns; null if there are none, or if they cannot be read. */
const unsigned char *refrain_names_load(struct refrain_trace *trace, size_t *n);

/* Stores the bytes in place of those before, completely or not at all. Returns null, or why it failed (owned by the
 * trace): mostly because the directory is not writable. */
const char *refrain_names_store(struct refrain_trace *trace, const unsigned char *bytes, size_t n);

#endif
