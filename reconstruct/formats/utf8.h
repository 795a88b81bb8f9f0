/* utf8.h: converts names of a program to valid UTF-8, for formats that accept nothing else. */
#ifndef REFRAIN_UTF8_H
#define REFRAIN_UTF8_H

#include <stddef.h>

/* Bytes of the character at `text` (NUL-terminated, not at its end); 0 if it is not UTF-8. */
size_t refrain_utf8_length(const char *text);

/* Writes the name to `to`, with U+FFFD for each byte that is not UTF-8. Returns the number of bytes; the result is
 * not terminated. `to` must have room for three times the bytes of the name. */
size_t refrain_utf8_name(char *to, const char *name);

/* The largest length up to `most` at which the name can be cut without cutting a character. */
size_t refrain_utf8_cut(const char *name, size_t most);

#endif
