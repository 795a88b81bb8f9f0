/* unite.h: joins a source and the C files that it includes into one text (source.c).
 *
 *     #include "table.c"     ->     #line 1 "table.c"
 *                                   ... its text ...
 *                                   #line 8 "source.c"
 *
 * Such files contain code of this unit, not declarations for several units. Their code is instrumented under their
 * own names and lines. */
#ifndef REFRAIN_UNITE_H
#define REFRAIN_UNITE_H

#include "text.h"

/* Reads `path` into `text`, with the files that it includes by #include "NAME.c". These are searched in the
 * directory of the including file and in those of `flags` (-I, -iquote). `included` lists them with the names that
 * the compiler would use. A file that includes itself, or cannot be read, stays an #include. Returns false if `path`
 * cannot be read; true with an empty `included` if the text is that of the file. */
bool refrain_unite(const char *path, const char *const *flags, size_t n_flags, struct refrain_text *text,
                   struct refrain_list *included);

#endif
