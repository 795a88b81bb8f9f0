/* warn.c: prints messages on standard error (warn.h). */
#include "warn.h"
#include "build.h"
#include "instrument.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void refrain_build_warn(const struct refrain_build *build, const char *format, ...) {
    va_list arguments;
    struct refrain_text line = {0};
    char message[2048];
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    refrain_text_format(&line, "%s: warning: %s\n", build->program, message);
    if (write(STDERR_FILENO, line.bytes, line.length) < 0)
        errno = 0; /* there is nowhere left to write it */
    refrain_text_free(&line);
}

void refrain_note(const struct refrain_instrument_options *options, unsigned line, const char *format, ...) {
    if (!options->verbose)
        return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: %s:%u: ", options->program, options->source, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}
