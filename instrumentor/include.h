/* include.h: the lines of a file that include others, read without a preprocessor (unite.c, lean.c). */
#ifndef REFRAIN_INCLUDE_H
#define REFRAIN_INCLUDE_H

#include "text.h"

/* The name in a line #include "name" or, with `angled`, #include <name>; its length, or 0 where the line is none. */
size_t refrain_include_name(const char *line, bool angled, const char **name);

/* Appends the path of `name` beside the file `from`; false when there is no such file. */
bool refrain_include_beside(const char *from, const char *name, struct refrain_text *path);

/* Appends the path of `name` in the first of the directories that the flags name (`kind`: -I, -iquote, ...) in which
 * there is such a file; false when there is none. */
bool refrain_include_in(const char *const *flags, size_t n_flags, const char *kind, const char *name,
                        struct refrain_text *path);

#endif
