/* include.h: reads #include lines without a preprocessor (unite.c, lean.c). */
#ifndef REFRAIN_INCLUDE_H
#define REFRAIN_INCLUDE_H

#include "text.h"

/* The name in a line #include "name" or, with `angled`, #include <name>. Returns its length, 0 if the line is no
 * such line. */
size_t refrain_include_name(const char *line, bool angled, const char **name);

/* Appends the path of `name` in the directory of the file `from`. False if there is no such file. */
bool refrain_include_beside(const char *from, const char *name, struct refrain_text *path);

/* Appends the path of `name` in the first directory of the flags (`kind`: -I, -iquote, ...) that has such a file.
 * False if none has. */
bool refrain_include_in(const char *const *flags, size_t n_flags, const char *kind, const char *name,
                        struct refrain_text *path);

#endif
