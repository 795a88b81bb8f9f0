/* warn.h: prints the messages of the wrapper and the instrumentor on standard error. */
#ifndef REFRAIN_WARN_H
#define REFRAIN_WARN_H

struct refrain_build;
struct refrain_instrument_options;

/* Prints one line with the name of the wrapper. */
__attribute__((format(printf, 2, 3))) void refrain_build_warn(const struct refrain_build *build, const char *format,
                                                              ...);

/* Prints one line about the source file; with --verbose only. */
__attribute__((format(printf, 3, 4))) void refrain_note(const struct refrain_instrument_options *options, unsigned line,
                                                        const char *format, ...);

#endif
