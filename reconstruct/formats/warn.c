/* warn.c: prints warnings on standard error (warn.h). */
#include "formats/warn.h"

#include <stdarg.h>
#include <stdio.h>

bool refrain_warn_quiet;

void refrain_warn(const char *format, ...) {
    if (refrain_warn_quiet)
        return;
    va_list arguments;
    va_start(arguments, format);
    fputs("refrain: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}
