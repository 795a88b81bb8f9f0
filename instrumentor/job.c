/* job.c: instrumenting one source (job.h). */
#include "job.h"
#include "warn.h"
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#define LIMIT_SECONDS 120 /* of processor time for one file; far beyond what any takes */

enum refrain_instrument_status refrain_job_run(const struct refrain_job *job) {
    const struct refrain_build *build = job->build;
    struct refrain_text out = {0}, reason = {0}, names = {0}, names_path = {0};
    struct refrain_list included = {0};
    struct refrain_instrument_options options = {.program = build->program,
                                                 .source = job->source,
                                                 .flags = job->flags,
                                                 .n_flags = job->n_flags,
                                                 .filter = job->filter,
                                                 .all = build->detail >= REFRAIN_DETAIL_ALL,
                                                 .every = build->detail == REFRAIN_DETAIL_EVERY,
                                                 .late = job->late,
                                                 .included = &included,
                                                 .verbose = build->verbose};
    setrlimit(RLIMIT_CPU, &(struct rlimit){LIMIT_SECONDS, LIMIT_SECONDS});
    refrain_instrument_function *instrument = refrain_instrument_load(&reason);
    if (!instrument) {
        refrain_build_warn(build, "%s; compiling without instrumentation", reason.bytes);
        return REFRAIN_INSTRUMENT_LEFT_ALONE;
    }
    enum refrain_instrument_status status = instrument(&options, &out, &reason);
    for (size_t i = 0; i < included.count; i++)
        refrain_text_format(&names, "%s\n", included.items[i]);
    refrain_text_format(&names_path, "%s" REFRAIN_INCLUDED_SUFFIX, job->target);
    if (status == REFRAIN_INSTRUMENT_DONE &&
        (!refrain_text_write(&out, job->target) || (names.length && !refrain_text_write(&names, names_path.bytes)))) {
        refrain_build_warn(build, "%s is compiled as it was: cannot write '%s': %s", job->source, job->target,
                           strerror(errno));
        return REFRAIN_INSTRUMENT_LEFT_ALONE;
    }
    if (status != REFRAIN_INSTRUMENT_DONE && build->verbose)
        refrain_build_warn(build, "%s is compiled as it was: %s", job->source, reason.bytes ? reason.bytes : "");
    return status;
}
