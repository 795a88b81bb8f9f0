/* cmd_record.c: refrain record: traces an MPI program without recompilation (record.h). */
#define _GNU_SOURCE
#include "commands/command.h"
#include "commands/names_text.h"
#include "record.h"
#include "report/report_line.h"
#include <refrain/metric_names.h>
#include <refrain/settings.h>
#include <refrain/suggest.h>
#include <refrain/variables.h>

#include <argp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPTION_NO_REPORT = 256 };

struct arguments {
    const char *directory, *filter;
    bool no_report;
    bool io;
    int first; /* index in argv of the launcher command */
};

static void set(struct argp_state *state, const char *variable, const char *value, bool valid, const char *expected) {
    if (!valid)
        argp_error(state, "%s: %s is expected", value, expected);
    setenv(variable, value, 1);
}

static bool is_one_of(const char *value, const char *const *words) {
    while (*words && strcmp(*words, value) != 0)
        words++;
    return *words != NULL;
}

/* Ends with a usage error if a name in the list is not that of a counter. */
static void check_metrics(struct argp_state *state, const char *list) {
    struct refrain_metric_event event;
    char copy[512], *rest = copy;
    if (strlen(list) >= sizeof copy)
        argp_error(state, "--metrics: a list of less than %zu bytes is expected", sizeof copy);
    strcpy(copy, list);
    for (char *name; (name = strtok_r(rest, REFRAIN_METRIC_SEPARATORS, &rest));) {
        if (refrain_metric_find(name, &event))
            continue;
        struct refrain_suggestion suggestion = {.typed = name};
        for (size_t i = 0; i < REFRAIN_METRIC_EVENTS; i++)
            refrain_suggest(&suggestion, refrain_metric_events[i].name);
        argp_error(state, "--metrics: there is no event %s%s%s%s", name, suggestion.name ? "; did you mean " : "",
                   suggestion.name ? suggestion.name : "", suggestion.name ? "?" : "");
    }
}

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    uint64_t number = 0;
    bool is_size = value && refrain_settings_size(value, &number);
    switch (key) {
    case 'm':
        set(state, "REFRAIN_TOTAL_MEMORY", value, is_size, "a number of bytes, or one followed by K, M or G,");
        return 0;
    case 'M':
        set(state, "REFRAIN_MODE", value,
            is_one_of(value, (const char *const[]){"stat", "events", "both", "off", NULL}),
            "stat, events, both or off");
        return 0;
    case 't':
        if (strcmp(value, "pthread") == 0) {
            setenv("REFRAIN_PTHREADS", "on", 1);
            return 0;
        }
        set(state, "REFRAIN_THREADS", value, is_size && number >= 1 && number <= REFRAIN_MAXIMUM_THREADS,
            "pthread, or a number of threads, 1 to 256,");
        return 0;
    case 'y':
        set(state, "REFRAIN_YIELD", value, is_one_of(value, (const char *const[]){"auto", "on", "off", NULL}),
            "auto, on or off");
        return 0;
    case 'l':
        set(state, "REFRAIN_LAYERS", value, strlen(value) < 512, "a list of less than 512 bytes");
        return 0;
    case 'c':
        value = value ? value : "on";
        set(state, "REFRAIN_CALL_PATH", value,
            strcmp(value, "on") == 0 || strcmp(value, "off") == 0 ||
                (refrain_settings_size(value, &number) && number > 1 && number <= REFRAIN_MAXIMUM_PATH),
            "a number of functions, 2 to 256,");
        return 0;
    case 's':
        value = value ? value : "on";
        set(state, "REFRAIN_SAMPLE", value,
            strcmp(value, "on") == 0 || strcmp(value, "off") == 0 ||
                (refrain_settings_size(value, &number) && number > 1 && number <= REFRAIN_MOST_SAMPLES),
            "a number of samples per second, 2 to 1000,");
        return 0;
    case 'i':
        arguments->io = true;
        return 0;
    case 'P':
        setenv("REFRAIN_PAUSED", "on", 1);
        return 0;
    case 'p':
        setenv("REFRAIN_PYTHON", "on", 1);
        return 0;
    case 'e':
        check_metrics(state, value);
        setenv("REFRAIN_METRICS", value, 1);
        return 0;
    case 'f':
        arguments->filter = value;
        return 0;
    case 'd':
        arguments->directory = value;
        return 0;
    case OPTION_NO_REPORT:
        arguments->no_report = true;
        return 0;
    case ARGP_KEY_ARG:
        arguments->first = state->next - 1;
        state->next = state->argc; /* all further arguments belong to the launcher */
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no command given; try: refrain record mpiexec -n 4 ./app");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"call-path", 'c', "DEPTH", OPTION_ARG_OPTIONAL,
     "Also trace which functions MPI calls are made through: the DEPTH innermost ones, or all", 0},
    {"directory", 'd', "DIRECTORY", 0, "Make the trace in DIRECTORY, which is created if it is missing (default: here)",
     0},
    {"filter", 'f', "FILE", 0,
     "Leave out what FILE excludes, in Score-P's syntax: MPI functions (their names begin with MPI_), functions of "
     "call "
     "paths, libraries",
     0},
    {"io", 'i', NULL, 0,
     "Also trace the calls that open, read, write, seek, flush and close files without MPI (open, write, fopen, "
     "fprintf "
     "...): refrain stats --by file",
     0},
    {"layers", 'l', "LIBRARY,...", 0,
     "File MPI calls of these libraries under what called the library, as for MPI's own layers; LIBRARY is the "
     "beginning of a file name",
     0},
    {"memory", 'm', "SIZE", 0, "Take at most SIZE bytes per process, in memory and on disk (16M)", 0},
    {"metrics", 'e', "EVENT,...", 0,
     "Also keep these counters of the processor or the kernel at each place, at most 8: instructions, cache-misses, "
     "page-faults, context-switches, "
     "task-clock ... as perf or PAPI names them",
     0},
    {"mode", 'M', "stat|events|both|off", 0,
     "Learn what repeats (stat, the default), record every event (events), both, or nothing (off)", 0},
    {"no-report", OPTION_NO_REPORT, NULL, 0, "Do not say at the end what cost the run most (refrain report)", 0},
    {"paused", 'P', NULL, 0,
     "Begin paused: nothing is traced before the program calls refrain_resume(), or refrain resume is run", 0},
    {"python", 'p', NULL, 0,
     "File the MPI calls of Python programs (mpi4py) under the Python line that made them; with --call-path also show "
     "Python's functions",
     0},
    {"sample", 's', "HZ", OPTION_ARG_OPTIONAL,
     "Also look HZ times (100) per second of each thread's processor time which function it is in: refrain samples", 0},
    {"threads", 't', "N|pthread", 0,
     "Trace up to N threads of each process (OMP_NUM_THREADS, else as many as OpenMP has, else 1). pthread: also trace "
     "threads that the program creates, its mutexes, conditions, barriers and locks; then N is at least 16. The option "
     "may be "
     "given twice",
     0},
    {"yield", 'y', "auto|on|off", 0,
     "Whether ranks that wait give up the processor: on, off, or auto (the default): soon if a node has more ranks "
     "than "
     "cores, else when a wait lasts. For MPICH over UCX; other MPI libraries do so by themselves",
     0},
    {0},
};

static const struct argp argp = {
    options,
    parse_option,
    "LAUNCHER [ARGUMENT...]",
    "Traces an MPI program as it is: C, C++, Fortran or Python, nothing compiled again.\v"
    "LAUNCHER and its arguments are run as they are given: mpiexec, mpirun, srun, a script that calls them, or the "
    "program alone. What they start on the way to the program (numactl, env, sh -c) runs as before. The exit status is "
    "that of the launcher. Settings for which no option is given come from the environment (REFRAIN_MODE, "
    "REFRAIN_TOTAL_MEMORY ..., see refrain help settings). Of a short run the last line says what cost it most.",
    NULL,
    NULL,
    NULL};

struct listing {
    char text[4096]; /* path of the latest trace, as the user would type it */
    const char *directory;
    uint64_t over_ns; /* CLOCK_REALTIME */
    size_t n;
};

/* Looks up the names of code addresses now, and stores them with the trace: later the program may have changed.
 * Damage of the trace is reported when it is read. Returns the number of processes that ended without packing their
 * files. */
static size_t keep_names(const char *directory, const char *name) {
    char path[4096];
    struct refrain_trace *trace;
    size_t unpacked = 0;
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path ||
        refrain_trace_open(path, true, &trace, NULL) != REFRAIN_OK)
        return 0;
    refrain_warn_names(trace);
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        unpacked += process->header->finished != REFRAIN_UNFINISHED && process->header->image_bytes == 0 &&
                    !process->events_path;
    }
    refrain_trace_close(trace);
    return unpacked;
}

static void list_trace(const char *name, void *data) {
    struct listing *listing = data;
    char here[4096];
    size_t unpacked = keep_names(listing->directory, name);
    bool is_here = getcwd(here, sizeof here) && strcmp(here, listing->directory) == 0;
    if (listing->n++ > 0)
        fprintf(stderr, "refrain record: trace: %s\n", listing->text);
    snprintf(listing->text, sizeof listing->text, "%.2000s%s%.1000s", is_here ? "" : listing->directory,
             is_here ? "" : "/", name);
    if (unpacked > 0)
        refrain_warn("%zu process%s had no memory left to pack the trace file; to make one small file of all: refrain "
                     "pack %s",
                     unpacked, unpacked == 1 ? "" : "es", listing->text);
    refrain_record_settle(listing->directory, name, listing->over_ns);
}

/* Prints the first line of the report on the latest trace, if reading it takes little time. */
static void print_finding(const struct listing *listing) {
    char *line = refrain_report_line(listing->text);
    if (line)
        fprintf(stderr, "refrain record: %s\n", line);
    free(line);
}

static void report(const char *id, time_t since, const struct timespec *over, int argc, char **argv, int status,
                   bool no_report) {
    struct listing listing = {.directory = getenv("REFRAIN_DIRECTORY"),
                              .over_ns = (uint64_t)over->tv_sec * 1000000000u + (uint64_t)over->tv_nsec};
    const char *mode = getenv("REFRAIN_MODE");
    if (mode && strcmp(mode, "off") == 0)
        return;
    if (refrain_record_traces(listing.directory, id, since, list_trace, &listing) == 0)
        refrain_record_explain(argc, argv, WIFEXITED(status) ? WEXITSTATUS(status) : 0);
    else if (!refrain_warn_quiet && listing.n > 0) {
        fprintf(stderr, "refrain record: trace: %s; next: refrain report %s\n", listing.text, listing.text);
        if (!no_report)
            print_finding(&listing);
    }
}

/* Ends this process as the launcher ended. */
static void end_as(int status) {
    fflush(NULL);
    if (WIFSIGNALED(status)) {
        prctl(PR_SET_DUMPABLE, 0); /* only a core dump of the launcher is of interest */
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
        exit(128 + WTERMSIG(status));
    }
    exit(WEXITSTATUS(status));
}

/* Reports unknown variables once; the monitor then does not look. */
static void look_for_unknown_variables(void) {
    extern char **environ;
    char message[256];
    for (char **entry = environ; *entry; entry++)
        if (!refrain_variable_is_known(*entry, message, sizeof message))
            refrain_warn("%s", message);
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {0};
    char id[128], host[64] = "";
    struct timespec now, over;
    bool made;
    refrain_command_parse(&refrain_command_record, argc, argv, &arguments);
    argc -= arguments.first;
    argv += arguments.first;
    look_for_unknown_variables();
    clock_gettime(CLOCK_REALTIME, &now);
    gethostname(host, sizeof host - 1);
    snprintf(id, sizeof id, "%s-%lld.%09ld-%d", host, (long long)now.tv_sec, now.tv_nsec, (int)getpid());
    setenv("REFRAIN_RECORD_ID", id, 1);
    enum refrain_status failed = refrain_record_directory(arguments.directory, &made, error);
    if (!failed && arguments.filter)
        failed = refrain_record_filter(arguments.filter, error);
    if (!failed && refrain_record_is_possible(argc, argv))
        failed = refrain_record_preload(arguments.io, error);
    if (failed)
        return failed;
    char **command = refrain_launcher_command(argc, argv);
    int status = 0;
    if (!command)
        return REFRAIN_FAIL(error, "out of memory");
    failed = refrain_run_command(command, &status, error);
    clock_gettime(CLOCK_REALTIME, &over);
    free(command);
    if (failed)
        fprintf(stderr, "refrain record: %s\n", error->message);
    else if (made)
        report(id, now.tv_sec, &over, argc, argv, status, arguments.no_report);
    end_as(status);
    return REFRAIN_OK;
}

const struct refrain_command refrain_command_record = {
    .name = "record",
    .summary = "trace an MPI program as it is, nothing compiled again",
    .argp = &argp,
    .run = run,
    .flags = REFRAIN_COMMAND_IN_ORDER,
    .examples = "  refrain record mpiexec -n 4 ./app input\n"
                "  refrain record --memory 64M --directory traces srun -n 256 ./app\n"
                "  refrain record mpirun -n 1 ./master : -n 7 ./worker\n",
};
