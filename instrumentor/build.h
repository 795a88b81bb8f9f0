/* build.h: runs one call of the compiler with instrumented sources (wrapper.c -> command.c, instrument.c). */
#ifndef REFRAIN_BUILD_H
#define REFRAIN_BUILD_H

#include "text.h"

enum refrain_detail {
    REFRAIN_DETAIL_CALLS,         /* no probes: the libraries see MPI calls and user regions */
    REFRAIN_DETAIL_COMMUNICATION, /* constructs that may lead to an event */
    REFRAIN_DETAIL_ALL,           /* also decisions and loops with enough work to pay for a probe */
    REFRAIN_DETAIL_EVERY          /* every decision and loop */
};

struct refrain_build {
    const char *program;     /* prefix of messages */
    const char *filter_path; /* or null */
    enum refrain_detail detail;
    bool verbose;
    bool off; /* run the command unchanged */
};

/* Runs the compiler with the arguments. Returns the exit status, if it returns: the process may become the compiler. */
int refrain_build_run(const struct refrain_build *build, struct refrain_list *compiler, struct refrain_list *arguments);

#endif
