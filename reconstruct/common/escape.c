/* escape.c: escapes text for HTML and SVG (escape.h). */
#include "common/escape.h"

void refrain_put_escaped(FILE *file, const char *text) {
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '&':
            fputs("&amp;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        default:
            if ((unsigned char)*text >= ' ')
                fputc(*text, file);
        }
}
