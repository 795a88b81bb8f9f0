/* error.c: fills in an error (error.h). */
#include "common/error.h"

#include <stdarg.h>
#include <stdio.h>

enum refrain_status refrain_error_set(struct refrain_error *error, enum refrain_status code, const char *file, int line,
                                      const char *format, ...) {
    if (!error || error->code != REFRAIN_OK)
        return code;
    error->code = code;
    error->file = file;
    error->line = line;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    /* Names come from files: control characters could move the cursor of the terminal, or split the line. */
    for (char *p = error->message; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            *p = '?';
    return code;
}
