/* view_symbols.h: names of code addresses from debug information, for the page (trace -> bytes -> the same trace in the
 * page's engine, which has no files to read).
 *
 *     object \0 build id \0 size \0 time of change \0 address, hexadecimal \0 f or c \0 function \0
 *     file \0 line \0
 *
 * They are sorted by refrain_symbol_compare(). f: a function's first instruction; c: the instruction after a call. An
 * empty function or file is unknown. The engine looks symbols up by object and address, so that no name depends on how
 * many others there are. */
#ifndef REFRAIN_VIEW_SYMBOLS_H
#define REFRAIN_VIEW_SYMBOLS_H

#include "model/trace_parts.h"

/* Returns the bytes, and in *n their number. Null without memory. The caller frees them. */
char *refrain_view_symbols_write(const struct refrain_trace *trace, size_t *n);

/* Returns an array of the symbols in the bytes, and in *n their number. Their names point into the bytes. Null without
 * memory. The caller frees the array. An incomplete symbol at the end is left out. */
struct refrain_symbol *refrain_view_symbols_read(const char *bytes, size_t length, size_t *n);

#endif
