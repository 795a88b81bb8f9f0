/* refrain_instrumentor.c: the instrumentor as a separate program, for the wrappers (program.h). */
#include "job.h"
#include "program.h"
#include <stdlib.h>
#include <sys/resource.h>

#define STACK_BYTES ((rlim_t)64 << 20) /* clang recurses into expressions */

/* This program contains the instrumentor; nothing is loaded (loaded.c). */
refrain_instrument_function *refrain_instrument_load(struct refrain_text *reason) {
    (void)reason;
    return refrain_instrument;
}

static void grow_stack(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < STACK_BYTES && limit.rlim_max >= STACK_BYTES) {
        limit.rlim_cur = STACK_BYTES;
        setrlimit(RLIMIT_STACK, &limit);
    }
}

int main(int argc, char **argv) {
    struct refrain_job_copy copy;
    grow_stack();
    if (argc < 1 || !refrain_job_read(&copy, argv + 1, (size_t)argc - 1))
        return REFRAIN_PROGRAM_CANNOT_RUN;
    _Exit((int)refrain_job_run(&copy.job));
}
