/* build.h: one call of the compiler, carried out with its sources instrumented (wrapper.c -> command.c, instrument.c).
 */
#ifndef REFRAIN_BUILD_H
#define REFRAIN_BUILD_H

#include "text.h"

enum refrain_detail {
    REFRAIN_DETAIL_CALLS,         /* no probe: MPI calls and user regions, which the libraries see */
    REFRAIN_DETAIL_COMMUNICATION, /* what can reach an event */
    REFRAIN_DETAIL_ALL,           /* decisions and loops that pay for a probe as well */
    REFRAIN_DETAIL_EVERY          /* every decision and loop */
};

struct refrain_build {
    const char *program;     /* prefix of messages */
    const char *filter_path; /* or null */
    enum refrain_detail detail;
    bool verbose;
    bool off; /* run the command as it is */
};

/* Runs the compiler with the arguments. Returns the exit status, if it returns: the process may become the compiler. */
int refrain_build_run(const struct refrain_build *build, struct refrain_list *compiler, struct refrain_list *arguments);

#endif
