/* transform.c: makes a stand-in for each source (compiler_call.h). */
#include "compiler_call.h"
#include "job.h"
#include "program.h"
#include "run.h"
#include "toolchain.h"
#include "warn.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Waits for a process that instruments, and returns its wait status. */
static int wait_for(pid_t child) {
    int status = W_EXITCODE(REFRAIN_INSTRUMENT_LEFT_ALONE, 0);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        refrain_run_check_signal();
    refrain_run_check_signal();
    return status;
}

/* Instruments in a child process: a crash, an endless loop or lack of memory there must not stop the build. */
static enum refrain_instrument_status instrument_in_child(const struct refrain_job *job) {
    pid_t child = refrain_program_start(job);
    int status = child > 0 ? wait_for(child) : W_EXITCODE(REFRAIN_PROGRAM_CANNOT_RUN, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == REFRAIN_PROGRAM_CANNOT_RUN) {
        child = fork();
        if (child == 0)
            _exit((int)refrain_job_run(job));
        status = wait_for(child);
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) > REFRAIN_INSTRUMENT_LEFT_ALONE) {
        refrain_build_warn(job->build, "%s is compiled as it was: the instrumentor failed on it", job->source);
        return REFRAIN_INSTRUMENT_LEFT_ALONE;
    }
    return WEXITSTATUS(status);
}

static enum refrain_instrument_status instrument(const struct refrain_compiler_call *call, const char *source,
                                                 const char *target) {
    struct refrain_job job = {.build = call->build,
                              .filter = &call->filter,
                              .source = source,
                              .target = target,
                              .flags = (const char *const *)call->own_flags.items,
                              .n_flags = call->own_flags.count,
                              .lto = call->command.lto};
    return instrument_in_child(&job);
}

/* Reads the list of included files that the child wrote. */
static void read_included(struct refrain_stand_in *source) {
    struct refrain_text path = {0}, names = {0};
    char *rest = NULL;
    refrain_text_format(&path, "%s" REFRAIN_INCLUDED_SUFFIX, source->path);
    if (refrain_text_read(&names, path.bytes))
        for (char *name = strtok_r(names.bytes, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest))
            refrain_list_add(&source->included, name);
    refrain_text_free(&names);
    refrain_text_free(&path);
}

/* The stand-in has the name and the time of the source, for debuggers, the symbol table of the object, and
 * __TIMESTAMP__. */
static bool instrument_source(struct refrain_compiler_call *call, struct refrain_stand_in *source, size_t number) {
    const char *path = call->command.arguments[source->argument].text;
    struct refrain_text target = {0};
    struct stat status;
    refrain_text_format(&target, "%s/%zu", call->temporary.bytes, number);
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || mkdir(target.bytes, 0700) != 0) {
        refrain_text_free(&target);
        return false;
    }
    refrain_text_format(&target, "/%s", refrain_text_basename(path));
    bool done = instrument(call, path, target.bytes) == REFRAIN_INSTRUMENT_DONE;
    if (done) {
        utimensat(AT_FDCWD, target.bytes, (struct timespec[]){status.st_atim, status.st_mtim}, 0);
        source->path = target.bytes;
        read_included(source);
    } else {
        refrain_text_free(&target);
    }
    return done;
}

bool refrain_compiler_call_make_directory(struct refrain_compiler_call *call) {
    struct refrain_text seed = {0};
    char *directory = getcwd(NULL, 0);
    refrain_text_string(&seed, directory ? directory : "");
    free(directory);
    for (size_t i = 0; i < call->command.words.count; i++)
        refrain_text_format(&seed, "\n%s", call->command.words.items[i]);
    bool made = refrain_run_directory(&call->temporary, seed.bytes);
    if (!made)
        refrain_build_warn(call->build, "no temporary directory (%s); compiling without instrumentation",
                           strerror(errno));
    refrain_text_free(&seed);
    return made;
}

void refrain_compiler_call_load(void) {
    struct refrain_text path = {0}, reason = {0};
    if (!refrain_program_path(&path))
        refrain_instrument_load(&reason); /* each source reports the failure itself */
    refrain_text_free(&path);
    refrain_text_free(&reason);
}

bool refrain_compiler_call_prepare(struct refrain_compiler_call *call) {
    struct refrain_text text = {0};
    if (call->command.n_sources > 1) /* with a single source, the fork is cheaper without it */
        refrain_compiler_call_load();
    if (call->build->filter_path && !refrain_filter_read(&call->filter, call->build->filter_path, &text)) {
        refrain_build_warn(call->build, "%s; compiling without instrumentation", text.bytes);
        refrain_text_free(&text);
        return false;
    }
    refrain_list_add(&call->own_flags, "-xc");
    if (!refrain_toolchain_headers(&call->own_flags, &text)) {
        refrain_build_warn(call->build, "%s; compiling without instrumentation", text.bytes);
        refrain_text_free(&text);
        return false;
    }
    refrain_command_flags(&call->command, &call->own_flags);
    if (call->shown.count)
        refrain_command_flags_of(call->shown.items + 1, call->shown.count - 1, &call->own_flags);
    return refrain_compiler_call_make_directory(call);
}

size_t refrain_compiler_call_instrument(struct refrain_compiler_call *call) {
    const struct refrain_command *command = &call->command;
    size_t capacity = 0, n = 0, done = 0;
    call->sources = refrain_memory_grow(NULL, &capacity, command->n_sources, sizeof *call->sources);
    for (size_t i = 0; i < command->count; i++) {
        if (command->arguments[i].kind != REFRAIN_ARGUMENT_SOURCE)
            continue;
        const char *path = command->arguments[i].text;
        struct refrain_text directory = {0};
        refrain_text_bytes(&directory, path, (size_t)(refrain_text_basename(path) - path));
        call->sources[n] = (struct refrain_stand_in){.argument = i, .directory = directory.bytes};
        done += instrument_source(call, &call->sources[n], n);
        n++;
    }
    return done;
}
