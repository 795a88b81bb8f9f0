/* simulate.c: see simulate.h. */
#define _GNU_SOURCE
#include "predict/simulate.h"
#include "match/replay.h"
#include "predict/changed_trace.h"
#include "predict/simulate_schedule.h"
#include <refrain/library_path.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MODULE "refrain-simgrid.so"
#define OWN "refrain-simulate: " /* begins lines of the module that the user sees */

struct walk {
    struct refrain_writer writer;
    struct refrain_trace *trace;
    struct refrain_schedule *schedule;
    struct refrain_changed_trace *changed; /* null in the first walk */
    enum refrain_status refused;           /* of the event that ended the first walk */
    struct refrain_error *error;
};

/* ---- SimGrid ---- */

/* The path of the module, malloced; null if refrain was built without SimGrid. */
static char *find_module(void) {
    char directory[PATH_MAX], *path;
    return refrain_library_directory(NULL, MODULE, directory, sizeof directory) &&
                   asprintf(&path, "%s/" MODULE, directory) >= 0
               ? path
               : NULL;
}

/* The child process, which does not outlive refrain. SimGrid may end it. */
static _Noreturn void carry_out(const struct refrain_simulate_job *job, FILE *said) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(fileno(said), STDOUT_FILENO);
    dup2(fileno(said), STDERR_FILENO);
    void *module = dlopen(job->module, RTLD_NOW);
    refrain_simulate_run_function *run = NULL;
    if (module)
        *(void **)&run = dlsym(module, "refrain_simulate_run");
    if (!run)
        fprintf(stderr, OWN "%s\n", dlerror());
    int status = run ? run(job) : 1;
    fflush(NULL);
    _exit(status != 0);
}

/* Copies the first error message from the output of SimGrid and the module, without its prefix. */
static void explain(FILE *said, char *line, size_t bytes) {
    static const char *const marks[] = {OWN, "Parse error at ", "/CRITICAL] ", "/ERROR] ", "/WARNING] "};
    char all[4096];
    rewind(said);
    all[fread(all, 1, sizeof all - 1, said)] = 0;
    const char *from = all;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *found = strstr(all, marks[i]);
        if (found) {
            from = found + strlen(marks[i]);
            break;
        }
    }
    snprintf(line, bytes, "%.*s", (int)strcspn(from, "\n"), from);
}

static enum refrain_status simulate(const struct refrain_simulate_job *job, struct refrain_error *error) {
    enum refrain_status status = REFRAIN_OK;
    int memory = memfd_create("refrain simulate", MFD_CLOEXEC);
    FILE *said = memory >= 0 ? fdopen(memory, "w+") : NULL;
    if (!said) {
        status = REFRAIN_FAIL(error, "no memory for the messages of SimGrid: %m");
        if (memory >= 0)
            close(memory);
        return status;
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        carry_out(job, said);
    int ended = 1;
    if (child < 0 || waitpid(child, &ended, 0) < 0) {
        status = REFRAIN_FAIL(error, "no process can be started: %m");
    } else if (ended) {
        char line[512];
        explain(said, line, sizeof line);
        status = REFRAIN_FAIL(error, "%s: SimGrid: %s", job->platform, line[0] ? line : "ended without saying why");
    }
    fclose(said);
    return status;
}

/* ---- walks ---- */

static int take_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct walk *walk = (struct walk *)writer;
    if (!walk->changed)
        return (int)(walk->refused = refrain_schedule_event(walk->schedule, event, walk->error));
    return refrain_changed_trace_add(walk->changed, event, refrain_schedule_time(walk->schedule, event));
}

static enum refrain_status replay(struct walk *walk, const struct refrain_simulate_request *request,
                                  struct refrain_cursor_report *report) {
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    options.recorded = request->recorded;
    options.untold = true;
    struct refrain_writer *writer =
        request->around ? request->around(request->around_data, &walk->writer) : &walk->writer;
    return refrain_write(walk->trace, &options, writer, report, walk->error);
}

static enum refrain_status write_trace(struct walk *walk, const struct refrain_simulate_request *request,
                                       struct refrain_cursor_report *report) {
    char *source;
    if (asprintf(&source, "simulated by refrain simulate, with SimGrid on %s, from %s", request->platform,
                 walk->trace->path) < 0)
        return REFRAIN_FAIL_MEMORY(walk->error);
    enum refrain_status status =
        refrain_changed_trace_open(walk->trace, request->directory, source, &walk->changed, walk->error);
    free(source);
    if (!status)
        status = replay(walk, request, report);
    enum refrain_status finished = refrain_changed_trace_finish(walk->changed, !status);
    return status ? status : finished;
}

static enum refrain_status walk_twice(struct walk *walk, const struct refrain_simulate_request *request,
                                      const char *module, struct refrain_cursor_report *report) {
    if (!walk->schedule)
        return REFRAIN_FAIL_MEMORY(walk->error);
    enum refrain_status status = replay(walk, request, report);
    if (status || walk->refused)
        return status ? status : walk->refused;
    const struct refrain_simulate_job *job = refrain_schedule_finish(walk->schedule, request->platform, module);
    if (!job)
        return REFRAIN_FAIL_MEMORY(walk->error);
    status = simulate(job, walk->error);
    return status ? status : write_trace(walk, request, report);
}

enum refrain_status refrain_simulate(struct refrain_trace *trace, const struct refrain_changes *changes,
                                     const struct refrain_simulate_request *request,
                                     struct refrain_simulate_result *result, struct refrain_cursor_report *report,
                                     struct refrain_error *error) {
    if (access(request->platform, R_OK) != 0)
        return REFRAIN_FAIL(error, "%s: %m", request->platform);
    char *module = find_module();
    if (!module)
        return REFRAIN_FAIL(
            error,
            "this refrain was built without SimGrid; install it (Debian: libsimgrid-dev) and build refrain again");
    struct walk walk = {.writer = {.event = take_event},
                        .trace = trace,
                        .schedule = refrain_schedule_open(trace, changes, request->speed),
                        .error = error};
    enum refrain_status status = walk_twice(&walk, request, module, report);
    if (!status)
        refrain_schedule_length(walk.schedule, &result->was_ns, &result->now_ns);
    refrain_schedule_close(walk.schedule);
    free(module);
    return status;
}
