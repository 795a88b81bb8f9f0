/* build.h: one call of the compiler, carried out with its sources instrumented (wrapper.c -> command.c, instrument.c).
 */
#ifndef REFRAIN_BUILD_H
#define REFRAIN_BUILD_H

#include "text.h"

struct refrain_build {
    const char *program;     /* prefix of messages */
    const char *filter_path; /* or null */
    bool all;                /* --detail=all */
    bool verbose;
    bool off; /* run the command as it is */
};

/* Runs the compiler with the arguments. Returns the exit status, if it returns: the process may become the compiler. */
int refrain_build_run(const struct refrain_build *build, struct refrain_list *compiler, struct refrain_list *arguments);

/* One line on standard error. */
__attribute__((format(printf, 2, 3))) void refrain_build_warn(const struct refrain_build *build, const char *format,
                                                              ...);

#endif
