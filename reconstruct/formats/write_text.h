/* write_text.h: one event a line, tab-separated: rank, seconds since the start with nine decimals, event, name, then
 * key=value pairs (writer for event.h). */
#ifndef REFRAIN_WRITE_TEXT_H
#define REFRAIN_WRITE_TEXT_H

#include "error.h"
#include "event.h"
#include <stdio.h>

/* A writer that prints to `file`, which stays the caller's. `all`: also postings and completions of nonblocking calls,
 * one- sided and file accesses. Null without memory; freed by writer->end. */
struct refrain_writer *refrain_write_text(FILE *file, bool all, struct refrain_error *error);

#endif
