/* names_store.h: where the names of code addresses (names_file.h) lie: beside the ranks' files, or at the end of a
 * pack. */
#ifndef REFRAIN_NAMES_STORE_H
#define REFRAIN_NAMES_STORE_H

#include "model/trace_read.h"

/* The bytes that are stored with the trace, which owns them; null where there are none, or none that can be read. */
const unsigned char *refrain_names_load(struct refrain_trace *trace, size_t *n);

/* Stores the bytes in place of what was stored before: as a whole, or not at all. Null, or why that cannot be (a text
 * that the trace owns): mostly since the directory may not be written to. */
const char *refrain_names_store(struct refrain_trace *trace, const unsigned char *bytes, size_t n);

#endif
