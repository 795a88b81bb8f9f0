/* unite.h: a source and the C files that it includes, as one text (source.c).
 *
 *     #include "table.c"     ->     #line 1 "table.c"
 *                                   ... its text ...
 *                                   #line 8 "source.c"
 *
 * What such files hold is code of this unit, not declarations for several: it is instrumented under its own name and
 * lines.
 */
#ifndef REFRAIN_UNITE_H
#define REFRAIN_UNITE_H

#include "text.h"

/* Reads `path` with what it includes by #include "NAME.c", found beside the file that includes it or where `flags` (-I,
 * -iquote) say, into `text`, and lists those files in `included` as the compiler would name them. A file that includes
 * itself, or cannot be read, stays an #include. Returns false when `path` cannot be read; true with an empty `included`
 * when the text is the file's own. */
bool refrain_unite(const char *path, const char *const *flags, size_t n_flags, struct refrain_text *text,
                   struct refrain_list *included);

#endif
