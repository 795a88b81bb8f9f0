/* view_symbols.h: what debug information said of code addresses, as the page has it (trace -> bytes -> the same trace
 * opened by the page's engine, which has no files to ask).
 *
 *     object \0 build id \0 size \0 time of change \0 address, hexadecimal \0 f or c \0 function \0 file \0 line \0
 *
 * They are in the order of refrain_symbol_compare(). f is a function's first instruction, c is behind a call. A
 * function or file of no bytes is unknown. The engine asks by object and address, so that no name depends on how many
 * others there are. */
#ifndef REFRAIN_VIEW_SYMBOLS_H
#define REFRAIN_VIEW_SYMBOLS_H

#include "model/trace_parts.h"

/* The bytes, and in *n their number; null without memory. The caller frees them. */
char *refrain_view_symbols_write(const struct refrain_trace *trace, size_t *n);

/* An array of the symbols in the bytes, which have to stay: names point into them. *n is their number; null without
 * memory. The caller frees it. Bytes that end in the middle of a symbol end before it. */
struct refrain_symbol *refrain_view_symbols_read(const char *bytes, size_t length, size_t *n);

#endif
