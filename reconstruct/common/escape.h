/* escape.h: text in HTML and SVG. */
#ifndef REFRAIN_ESCAPE_H
#define REFRAIN_ESCAPE_H

#include <stdio.h>

/* Writes the text so that HTML and XML show it as it is, also within an attribute. Control characters are left out, as
 * XML has none. Whether the file took it is for the caller to ask. */
void refrain_put_escaped(FILE *file, const char *text);

#endif
