/* test_live_copy.c: tests copies of a running process, with the process at every point of its updates, and running
 * while the reader copies. A random program (replay_program.h) is held by ptrace. Before each copy it executes some
 * single instructions. Then the reader's own code makes the copy. Between any two of its accesses, also within a copied
 * structure, the program may continue by some instructions or by some of its own steps. The copy must have a beginning
 * of the recorded events. It must have all events that were recorded before the copy began, unless it reports that it
 * left something out. Usage: test_live_copy [SEED [LOOKS]] */
#define _GNU_SOURCE
#include "replay_program.h"

#include "model/trace_parts.h"
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t child;
static bool ended;

/* ---- the program continues ---- */

static uint64_t reader_state = 1;

static unsigned draw(unsigned n) {
    reader_state ^= reader_state << 13;
    reader_state ^= reader_state >> 7;
    reader_state ^= reader_state << 17;
    return (unsigned)(reader_state >> 33) % n;
}

static void stop_here(void) {
    raise(SIGSTOP);
}

/* To the next instruction (PTRACE_SINGLESTEP) or the next step of the program (PTRACE_CONT). */
static void go_on(enum __ptrace_request how) {
    int status;
    if (ended)
        return;
    if (ptrace(how, child, NULL, NULL) != 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
        ended = true;
    else if (WSTOPSIG(status) != SIGSTOP && WSTOPSIG(status) != SIGTRAP) {
        printf("the program got signal %d\n", WSTOPSIG(status));
        exit(1);
    }
}

/* IMPATIENT: by steps, and the reader tries only once what it usually tries several times before it leaves something
 * out. */
static enum { STILL, BY_INSTRUCTIONS, BY_STEPS, IMPATIENT, MOTIONS } motion;

static void meanwhile(void) {
    unsigned n = 0;
    if (motion == BY_INSTRUCTIONS)
        n = draw(4) ? 0 : draw(32) ? draw(8) : draw(400);
    else if (motion != STILL)
        n = draw(motion == BY_STEPS ? 32 : 4) ? 0 : 1 + draw(3);
    while (n-- > 0)
        go_on(motion == BY_INSTRUCTIONS ? PTRACE_SINGLESTEP : PTRACE_CONT);
}

/* ---- what the reader copies with ---- */

static void *copy_meanwhile(void *to, const void *from, size_t n) {
    for (size_t done = 0; done < n;) {
        size_t piece = motion == STILL || n - done < 16 ? n - done : 8 * (1 + draw(n - done < 512 ? 8 : 128));
        if (piece > n - done)
            piece = n - done;
        memmove((unsigned char *)to + done, (const unsigned char *)from + done, piece);
        done += piece;
        meanwhile();
    }
    return to;
}

static ssize_t read_meanwhile(int fd, void *to, size_t n, off_t at) {
    meanwhile();
    return pread(fd, to, motion != STILL && n > 4096 ? 4096 : n, at);
}

static int sleep_meanwhile(const struct timespec *time, struct timespec *left) {
    (void)time, (void)left;
    meanwhile();
    return 0;
}

#define memcpy copy_meanwhile
#define pread read_meanwhile
#define nanosleep sleep_meanwhile
#define __atomic_thread_fence(order) meanwhile()
#include "files/live_timeline.c"
#include "files/trace_file.c"
#include "files/trace_live.c"
#undef memcpy
#undef pread
#undef nanosleep
#undef __atomic_thread_fence

/* ---- looks ---- */

static int usual_tries;
static char region_path[512];
static const unsigned char *events;
static int events_fd;
static unsigned long looks, replayed, left_out, short_by, failed;

static uint64_t events_bytes(void) {
    struct stat status;
    return fstat(events_fd, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static uint64_t recorded_bytes(void) {
    uint64_t begin = events_bytes() - REFRAIN_EVENTS_EXTENT_BYTES;
    uint32_t used = ((const volatile struct refrain_events_header *)(events + begin))->bytes_used;
    return begin + (used ? used : REFRAIN_EVENTS_HEADER_BYTES);
}

/* The largest error of times: a quantum while the timeline has each block, later a part of the run. */
static uint64_t exact_to(const struct refrain_process *process) {
    const struct refrain_thread *thread = &process->threads[0];
    const struct refrain_timeline *timeline =
        (const void *)(process->image + (uint64_t)thread->timeline * REFRAIN_ALIGNMENT_BYTES);
    const struct refrain_time_page *page =
        (const void *)(process->image + (uint64_t)timeline->first * REFRAIN_ALIGNMENT_BYTES);
    if (!thread->timeline)
        return UINT64_MAX;
    return timeline->merges == 0 ? (uint64_t)1 << page->quantum_shift : (thread->last_ticks - thread->start_ticks) / 4;
}

/* Compares what the image gives with what was recorded. Returns the place in the event file up to which it goes. */
static uint64_t compare(unsigned long look, const struct refrain_process *process) {
    const char *what;
    uint64_t offset, at = REFRAIN_EVENTS_HEADER_BYTES;
    struct refrain_record a, b;
    struct refrain_walk *walk = refrain_walk_open(process->image, process->image_bytes, 0, &what, &offset);
    unsigned long n = 0, off = 0;
    while (walk && refrain_walk_next(walk, &a)) {
        if (!next_recorded(events, events_bytes(), &at, &b) || !same_record(&a, &b)) {
            printf("FAILED: look %lu (motion %d), record %lu: kind %d operation %u id %llu is not kind %d operation %u "
                   "id %llu as it was recorded\n",
                   look, motion, n, a.kind, a.operation, (unsigned long long)a.id, b.kind, b.operation,
                   (unsigned long long)b.id);
            failed++;
            break;
        }
        n++;
        uint64_t distance = a.ticks > b.ticks ? a.ticks - b.ticks : b.ticks - a.ticks;
        off += distance >= exact_to(process);
    }
    /* The time of the last record may not be stored yet. */
    if (!process->n_left_out && off > 1) {
        printf("FAILED: look %lu (motion %d): times of %lu records of %lu are off by more than they may be\n", look,
               motion, off, n);
        failed++;
    }
    if (!walk || (what = refrain_walk_wrong(walk, &offset))) {
        printf("FAILED: look %lu (motion %d): %s at %llu\n", look, motion, what, (unsigned long long)offset);
        failed++;
    }
    refrain_walk_close(walk);
    replayed += n;
    return at;
}

static void look(unsigned long number) {
    struct refrain_error error = {0};
    struct refrain_process process = {.path = region_path};
    motion = number % 16 == 15 ? IMPATIENT : number % 16 == 14 ? BY_STEPS : number % 3 ? BY_INSTRUCTIONS : STILL;
    refrain_settle_tries = motion == IMPATIENT ? 1 : usual_tries;
    for (unsigned n = draw(2) ? draw(60) : draw(3000); n > 0; n--)
        go_on(PTRACE_SINGLESTEP);
    uint64_t before = recorded_bytes();
    if (refrain_process_load(&process, &error)) {
        printf("FAILED: look %lu (motion %d): %s\n", number, motion, error.message);
        failed++;
        refrain_process_unload(&process);
        return;
    }
    for (int i = 0; i < 8; i++) /* the event that it was about to record */
        go_on(PTRACE_CONT);
    uint64_t reached = compare(number, &process);
    looks++;
    left_out += process.n_left_out;
    if (reached < before && !process.n_left_out) {
        printf("FAILED: look %lu (motion %d): reaches byte %llu of the events, %llu were recorded before, and does not "
               "say so\n",
               number, motion, (unsigned long long)reached, (unsigned long long)before);
        failed++;
    }
    short_by += reached < before;
    refrain_process_unload(&process);
}

static bool find_files(const char *directory) {
    char pattern[512];
    glob_t found;
    struct stat status;
    snprintf(pattern, sizeof pattern, "%s/*.refrain/rank-0.trace", directory);
    if (glob(pattern, 0, NULL, &found) != 0 || stat(found.gl_pathv[0], &status) != 0 || status.st_size == 0)
        return false;
    snprintf(region_path, sizeof region_path, "%s", found.gl_pathv[0]);
    globfree(&found);
    snprintf(pattern, sizeof pattern, "%s/*.refrain/rank-0.events", directory);
    if (glob(pattern, 0, NULL, &found) != 0)
        return false;
    events_fd = open(found.gl_pathv[0], O_RDONLY);
    globfree(&found);
    /* It grows: room for all that may come. */
    void *p = mmap(NULL, (size_t)1 << 30, PROT_READ, MAP_SHARED, events_fd, 0);
    events = p == MAP_FAILED ? NULL : p;
    return events != NULL;
}

static void program(const char *directory, uint64_t seed) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(77);
    state = seed * 0x9e3779b97f4a7c15u | 1;
    steps_left = 4000000;
    before_step = stop_here;
    setenv("REFRAIN_TOTAL_MEMORY", "16M", 1);
    run_program(directory);
    exit(0);
}

int main(int argc, char **argv) {
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    unsigned long wanted = argc > 2 ? strtoul(argv[2], NULL, 0) : 300;
    char directory[] = "/tmp/test_live_copy.XXXXXX", command[128];
    if (!mkdtemp(directory))
        return perror(directory), 1;
    reader_state = seed * 0x2545f4914f6cdd1du | 1;
    fflush(stdout);
    child = fork();
    if (child == 0)
        program(directory, seed);
    int status;
    usual_tries = refrain_settle_tries;
    bool held = child > 0 && waitpid(child, &status, 0) == child && WIFSTOPPED(status);
    for (int i = 0; held && !ended && i < 40; i++) /* the region is there, and something is in it */
        go_on(PTRACE_CONT);
    if (held && find_files(directory))
        while (looks + failed < wanted && failed < 10 && !ended) {
            for (unsigned n = draw(100); n > 0; n--)
                go_on(PTRACE_CONT);
            look(looks + failed);
        }
    if (held && !ended) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    if (system(command) != 0)
        failed++;
    if (!held && child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        puts("skipped: ptrace is not permitted here");
        return getenv("TEST_ALL") ? 1 : 77;
    }
    if (looks < wanted)
        printf("FAILED: %lu looks of %lu\n", looks, wanted);
    printf("%lu records in %lu looks; %lu sequences left out, %lu looks short of what was recorded before\n", replayed,
           looks, left_out, short_by);
    printf("%lu passed, %lu failed\n", looks - (failed < looks ? failed : looks), failed + (looks < wanted));
    return failed != 0 || looks < wanted;
}
