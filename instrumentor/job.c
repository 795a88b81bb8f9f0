/* job.c: instruments one source (job.h). */
#include "job.h"
#include "warn.h"
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#define LIMIT_SECONDS 120 /* of processor time for a file; far more than any needs */

void refrain_job_write(const struct refrain_job *job, struct refrain_list *words) {
    const struct refrain_build *build = job->build;
    const char *fixed[REFRAIN_JOB_OPTIONS] = {
        [REFRAIN_JOB_PROGRAM] = build->program,
        [REFRAIN_JOB_SOURCE] = job->source,
        [REFRAIN_JOB_TARGET] = job->target,
        [REFRAIN_JOB_FILTER] = build->filter_path ? build->filter_path : "",
    };
    for (int i = 0; i < REFRAIN_JOB_OPTIONS; i++)
        refrain_list_add(words, fixed[i]);
    const char *detail = build->detail == REFRAIN_DETAIL_EVERY ? "e" : build->detail == REFRAIN_DETAIL_ALL ? "a" : "";
    refrain_list_format(words, "%s%s%s", detail, job->lto ? "l" : "", build->verbose ? "v" : "");
    for (size_t i = 0; i < job->n_flags; i++)
        refrain_list_add(words, job->flags[i]);
}

bool refrain_job_read(struct refrain_job_copy *copy, char *const *words, size_t count) {
    struct refrain_text error = {0};
    if (count < REFRAIN_JOB_WORDS)
        return false;
    const char *options = words[REFRAIN_JOB_OPTIONS], *filter_path = words[REFRAIN_JOB_FILTER];
    *copy = (struct refrain_job_copy){0};
    copy->build = (struct refrain_build){.program = words[REFRAIN_JOB_PROGRAM],
                                         .filter_path = *filter_path ? filter_path : NULL,
                                         .detail = strchr(options, 'e')   ? REFRAIN_DETAIL_EVERY
                                                   : strchr(options, 'a') ? REFRAIN_DETAIL_ALL
                                                                          : REFRAIN_DETAIL_COMMUNICATION,
                                         .verbose = strchr(options, 'v') != NULL};
    copy->job = (struct refrain_job){.build = &copy->build,
                                     .filter = &copy->filter,
                                     .source = words[REFRAIN_JOB_SOURCE],
                                     .target = words[REFRAIN_JOB_TARGET],
                                     .flags = (const char *const *)words + REFRAIN_JOB_WORDS,
                                     .n_flags = count - REFRAIN_JOB_WORDS,
                                     .lto = strchr(options, 'l') != NULL};
    bool good = !*filter_path || refrain_filter_read(&copy->filter, filter_path, &error);
    refrain_text_free(&error);
    return good;
}

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
                                                 .lto = job->lto,
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
