/* cmd_pause.c: refrain pause, refrain resume: stop and continue the tracing of running processes, by a word in their
 * trace files (struct refrain_header: pause). */
#define _GNU_SOURCE
#include "commands/command.h"
#include <refrain/process.h>
#include <refrain/trace.h>

#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_WAIT_MS 1000

struct arguments {
    const char *process;
};

/* ---- one trace file ---- */

static bool follow(const struct refrain_header *header, size_t bytes, uint32_t pause) {
    const struct refrain_thread *threads = (const void *)((const unsigned char *)header + header->threads);
    if (header->threads > bytes || header->n_threads * sizeof *threads > bytes - header->threads)
        return true;
    for (uint32_t t = 0; t < header->n_threads; t++)
        if (threads[t].started && __atomic_load_n(&threads[t].paused, __ATOMIC_RELAXED) != pause)
            return false;
    return true;
}

/* Sets the word in the trace file at `path`, if it is that of the process. */
static enum refrain_status set_pause(const char *path, long pid, uint32_t pause, struct refrain_error *error) {
    struct stat status;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0) {
        if (fd >= 0)
            close(fd);
        return REFRAIN_FAIL(error, "%s: %s", path, strerror(errno));
    }
    size_t bytes = (size_t)status.st_size;
    struct refrain_header *header =
        bytes < REFRAIN_HEADER_BYTES ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (header == MAP_FAILED)
        return REFRAIN_FAIL(error, "%s: is not the trace of a process that runs", path);
    enum refrain_status failed = REFRAIN_OK;
    if (memcmp(header->magic, REFRAIN_MAGIC, sizeof header->magic) != 0 || header->version != REFRAIN_TRACE_VERSION) {
        failed = REFRAIN_FAIL(error, "%s: not a trace of this version of refrain", path);
    } else {
        __atomic_store_n(&header->pause, pause, __ATOMIC_RELAXED);
        int left = MOST_WAIT_MS;
        for (; left > 0 && !follow(header, bytes, pause); left -= 10)
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        printf("rank %d, process %ld: %s%s\n", header->rank, pid, pause ? "paused" : "resumed",
               left > 0 ? "" : ", from its next MPI call on");
    }
    munmap(header, bytes);
    return failed;
}

/* ---- processes ---- */

/* Sets the word for a process. Its trace is one of its mapped files. */
static enum refrain_status set_pause_of_process(long pid, uint32_t pause, size_t *n_set, struct refrain_error *error) {
    char name[64], line[8192];
    enum refrain_status status = REFRAIN_OK;
    snprintf(name, sizeof name, "/proc/%ld/maps", pid);
    FILE *maps = fopen(name, "re");
    while (maps && !status && fgets(line, sizeof line, maps)) {
        char *path = strchr(line, '/'), *end = strchr(line, '\n');
        if (!path || !end)
            continue;
        *end = 0;
        const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
        if (strncmp(slash + 1, "rank-", 5) != 0 || !dot || strcmp(dot, ".trace") != 0)
            continue;
        status = set_pause(path, pid, pause, error);
        ++*n_set;
        break;
    }
    if (maps)
        fclose(maps);
    return status;
}

static long parent_of(long pid) {
    struct refrain_process_stat stat;
    return refrain_process_stat(pid, &stat) ? stat.parent : 0;
}

static bool is_below(long pid, long ancestor) {
    for (unsigned depth = 0; pid > 1 && depth < 1000; depth++, pid = parent_of(pid))
        if (pid == ancestor)
            return true;
    return false;
}

static enum refrain_status set_pause_of_all(const char *text, uint32_t pause, struct refrain_error *error) {
    char *end;
    long root = strtol(text, &end, 10);
    if (*end || root < 1)
        return REFRAIN_FAIL_USAGE(error, "%s: the number of a process is expected", text);
    DIR *processes = opendir("/proc");
    enum refrain_status status = processes ? REFRAIN_OK : REFRAIN_FAIL(error, "/proc: %s", strerror(errno));
    size_t n_set = 0;
    for (const struct dirent *entry; !status && (entry = readdir(processes));) {
        long pid = strtol(entry->d_name, &end, 10);
        if (pid > 0 && !*end && is_below(pid, root))
            status = set_pause_of_process(pid, pause, &n_set, error);
    }
    if (processes)
        closedir(processes);
    if (!status && n_set == 0)
        status = REFRAIN_FAIL(
            error,
            "process %ld is not traced, nor is one that it started: give the process number of a rank, or of "
            "the launcher on this node",
            root);
    return status;
}

/* ---- command line ---- */

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    return refrain_take_argument(key, value, state, "process", &arguments->process);
}

static const struct argp_option options[] = {{0}};

static const struct argp pause_argp = {
    options,
    parse_option,
    "PID",
    "Stops the tracing of a process that runs, and of those that it started.\v"
    "PID is a rank of a traced job, or its launcher: then all ranks on this node pause. Each thread pauses at its next "
    "MPI call. Until refrain resume, MPI calls are counted but not traced, and the pause is shown as the region "
    "\"paused\". A message with one end in a pause has no other end in the trace.",
    NULL,
    NULL,
    NULL};

static const struct argp resume_argp = {options,
                                        parse_option,
                                        "PID",
                                        "Goes on with the tracing of processes that were paused.\v"
                                        "PID is as for refrain pause. This also starts the tracing of processes that "
                                        "began paused (REFRAIN_PAUSED=on).",
                                        NULL,
                                        NULL,
                                        NULL};

static enum refrain_status run_pause(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {0};
    refrain_command_parse(&refrain_command_pause, argc, argv, &arguments);
    return set_pause_of_all(arguments.process, 1, error);
}

static enum refrain_status run_resume(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {0};
    refrain_command_parse(&refrain_command_resume, argc, argv, &arguments);
    return set_pause_of_all(arguments.process, 0, error);
}

const struct refrain_command refrain_command_pause = {
    .name = "pause",
    .summary = "stop the tracing of a program that runs, for a while",
    .argp = &pause_argp,
    .run = run_pause,
    .examples = "  refrain pause $(pgrep -o mpiexec)\n",
};

const struct refrain_command refrain_command_resume = {
    .name = "resume",
    .summary = "go on with the tracing of a program that runs",
    .argp = &resume_argp,
    .run = run_resume,
    .examples = "  refrain resume $(pgrep -o mpiexec)\n",
};
