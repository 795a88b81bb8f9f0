/* escape.h: escapes text for HTML and SVG. */
#ifndef REFRAIN_ESCAPE_H
#define REFRAIN_ESCAPE_H

#include <stdio.h>

/* Writes the text so that HTML and XML show it unchanged, also in an attribute. Control characters are left out,
 * since XML has none. The caller checks the file for errors. */
void refrain_put_escaped(FILE *file, const char *text);

#endif
