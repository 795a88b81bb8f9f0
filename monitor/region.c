/* region.c: the one allocation: the trace file, mapped, and what the monitor keeps outside it. Opened before the first
 * event, placed in the run's directory once the rank is known, closed at the end of the process. */
#define _GNU_SOURCE
#include "allowance.h"
#include "calibrate.h"
#include "call_path.h"
#include "configure.h"
#include "learn_memory.h"
#include "left_out.h"
#include "metrics.h"
#include "pack.h"
#include "pause.h"
#include "python.h"
#include "region_open.h"
#include "reserve.h"
#include "site_table.h"
#include "step.h"
#include "untold.h"
#include <refrain/settings.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define FIRST_CALIBRATION_NS 100000u
#define PATH_BYTES REFRAIN_PATH_BYTES
/* What is kept of the pool, as 1 / share of what the program's tables leave of it. */
#define CONTROL_SHARE 4u               /* for control flow, less what follows */
#define LEAST_COUNTS_SHARE 8u          /* for counts ... */
#define MOST_COUNTS_SHARE 4u           /* ... at most, where there are many places */
#define MOST_PLACES_SHARE 4u           /* for call sites, operations, communicators, at most */
#define OPEN_SHARE 8u                  /* for what is under way, where the program has requests, at most ... */
#define OPEN_BYTES ((uint64_t)1 << 20) /* ... and in any case */
#define LAST_SHARE 8u                  /* for the first call site of each MPI function, at most ... */
#define LAST_BYTES (64u << 10)         /* ... and in any case */
#define COUNTS_BYTES 160u              /* of a place: eight different values */
#define SITE_OPERATIONS 2u             /* kinds of operations at most call sites */
#define OTHER_SITES_BYTES (64u << 10)  /* for call sites that no table knows, and communicators, at most */
#define MOST_TIME_SHARE 2u             /* the most that timelines get */

struct refrain_region refrain_region;
int refrain_mpi_linked;

static int state; /* 0 closed, 1 opening, 2 settled */
static struct refrain_context *contexts;
static uint32_t contexts_taken;
static char own_directory[PATH_BYTES + 64]; /* where the files are now, absolute */
static char own_file[PATH_BYTES + 128];     /* the region's file, absolute */
static uint64_t ticks_per_us = 1000;        /* of the clock */
static bool has_events;
static bool finished; /* tracing has ended before the process does (MPI_Finalize, REFRAIN_PACK=on) ... */
static bool packed;   /* ... and what it was is in a file of all ranks */
static pid_t owner;

/* ---- the pool ---- */

void refrain_lose(enum refrain_loss loss, uint64_t n) {
    if (refrain_region.header)
        __atomic_fetch_add(&refrain_region.header->losses[loss], n, __ATOMIC_RELAXED);
}

void *refrain_pool_take(size_t bytes, enum refrain_pool_use use) {
    struct refrain_header *header = refrain_region.header;
    if (!header)
        return NULL;
    bytes = (bytes + REFRAIN_UNIT_BYTES - 1) & ~(size_t)(REFRAIN_UNIT_BYTES - 1);
    uint64_t limit = header->bytes - refrain_pool_kept(header, use);
    uint64_t at = __atomic_load_n(&header->pool_used, __ATOMIC_RELAXED);
    do {
        if (at + bytes > limit || at + bytes < at)
            return NULL;
    } while (
        !__atomic_compare_exchange_n(&header->pool_used, &at, at + bytes, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return refrain_region.base + at;
}

uint32_t refrain_pool_name(const char *text) {
    size_t length = strlen(text);
    struct refrain_name *name = refrain_pool_take(sizeof *name + length + 1, REFRAIN_POOL_PLACES);
    if (!name)
        return 0;
    name->length = (uint32_t)length;
    memcpy(name->text, text, length + 1);
    return refrain_reference(name);
}

/* ---- clocks ---- */

#define CLOCK_PAIR_TRIES 4

/* The system's clocks, between two reads of the probes'; of some tries the one in which these were closest, as the
 * process may have lost its processor in between. */
static void read_clock_pair(struct refrain_clock_pair *pair) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < CLOCK_PAIR_TRIES; i++) {
        uint64_t before = refrain_clock(), realtime_ns = refrain_clock_gettime_ns(CLOCK_REALTIME),
                 monotonic_ns = refrain_clock_gettime_ns(CLOCK_MONOTONIC), between = refrain_clock() - before;
        if (between < least) {
            *pair = (struct refrain_clock_pair){before + between / 2, realtime_ns, monotonic_ns};
            least = between;
        }
    }
}

void refrain_region_refresh_clock(void) {
    if (refrain_region.header)
        read_clock_pair(&refrain_region.header->last);
}

/* ---- opening ---- */

static uint64_t least_of(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Sets aside what learners may not take: for places that have not been seen yet, as many as the tables say there may
 * be, for requests under way, and for counting what comes next where its order is given up. */
static void keep_reserves(struct refrain_header *header) {
    uint64_t pool = header->bytes - header->pool_used, threads = header->n_threads;
    uint64_t site = sizeof(struct refrain_call_site) + SITE_OPERATIONS * sizeof(struct refrain_operation_record);
    uint64_t places = refrain_units_mpi_calls() * threads * site + OTHER_SITES_BYTES;
    uint64_t counts = header->n_slots * threads * COUNTS_BYTES;
    header->pool_last = least_of(pool / LAST_SHARE, LAST_BYTES);
    header->pool_places = header->pool_last + least_of(pool / MOST_PLACES_SHARE, places);
    refrain_region.kept_for_open =
        refrain_mpi_linked && refrain_units_use_requests() ? least_of(pool / OPEN_SHARE, OPEN_BYTES) : 0;
    header->pool_counts =
        header->pool_places + refrain_region.kept_for_open +
        (counts < pool / LEAST_COUNTS_SHARE ? pool / LEAST_COUNTS_SHARE : least_of(counts, pool / MOST_COUNTS_SHARE));
    header->pool_control = header->pool_counts + pool / CONTROL_SHARE;
}

static const char *executable_name(char *path, size_t bytes) {
    ssize_t n = readlink("/proc/self/exe", path, bytes - 1);
    path[n < 0 ? 0 : n] = 0;
    const char *slash = strrchr(path, '/');
    return n > 0 ? (slash ? slash + 1 : path) : "a.out";
}

/* Makes a directory that was not there: stem, then stem-2, stem-3 ... */
static bool make_directory(const char *stem, char *path, size_t bytes) {
    for (int i = 1; i < 10000; i++) {
        int n = i == 1 ? snprintf(path, bytes, "%s" REFRAIN_TRACE_SUFFIX, stem)
                       : snprintf(path, bytes, "%s-%d" REFRAIN_TRACE_SUFFIX, stem, i);
        if (n < 0 || (size_t)n >= bytes) {
            errno = ENAMETOOLONG;
            return false;
        }
        if (mkdir(path, 0777) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

static void directory_stem(char *stem, size_t bytes, bool with_pid) {
    char executable[PATH_BYTES], date[32];
    const char *name = executable_name(executable, sizeof executable);
    time_t now = time(NULL);
    struct tm local;
    localtime_r(&now, &local);
    strftime(date, sizeof date, "%Y%m%d-%H%M%S", &local);
    int n = snprintf(stem, bytes, "%.3000s/%.200s-%s", refrain_configuration.directory, name, date);
    if (with_pid)
        snprintf(stem + n, bytes - (size_t)n, ".%d", (int)getpid());
}

/* The file, its blocks reserved, mapped. Null with errno set. */
static void *map_file(const char *path, uint64_t bytes) {
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return NULL;
    int error = refrain_reserve(fd, 0, bytes);
    void *base = MAP_FAILED;
    if (error == 0) {
        base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        error = errno;
        /* There is nothing to read ahead: a system that does so all the same fills megabytes with zeroes first. */
        if (base != MAP_FAILED)
            (void)madvise(base, bytes, MADV_RANDOM);
    }
    close(fd);
    if (base == MAP_FAILED) {
        unlink(path);
        errno = error;
        return NULL;
    }
    return base;
}

static void read_boot_id(uint64_t id[2]) {
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    char text[64] = "";
    if (fd >= 0) {
        ssize_t n = read(fd, text, sizeof text - 1);
        text[n < 0 ? 0 : n] = 0;
        close(fd);
    }
    unsigned digits = 0;
    for (const char *p = text; *p && digits < 32; p++) {
        unsigned digit = *p >= '0' && *p <= '9'   ? (unsigned)(*p - '0')
                         : *p >= 'a' && *p <= 'f' ? (unsigned)(*p - 'a') + 10
                                                  : 16;
        if (digit < 16) {
            id[digits / 16] = id[digits / 16] << 4 | digit;
            digits++;
        }
    }
}

static void describe_environment(struct refrain_header *header) {
    extern char **environ;
    char text[8192], path[PATH_BYTES];
    size_t n = 0;
    for (char **e = environ; *e; e++) {
        size_t length = strlen(*e);
        if ((strncmp(*e, "REFRAIN_", 8) == 0 || strncmp(*e, "OMP_", 4) == 0) && n + length + 2 < sizeof text) {
            memcpy(text + n, *e, length);
            n += length;
            text[n++] = '\n';
        }
    }
    text[n] = 0;
    header->environment = refrain_pool_name(text);
    executable_name(path, sizeof path);
    header->executable = refrain_pool_name(path);
    header->start_directory = refrain_pool_name(refrain_configuration.start_directory);
    if (gethostname(path, sizeof path) == 0) {
        path[sizeof path - 1] = 0;
        header->host = refrain_pool_name(path);
    }
    read_boot_id(header->boot_id);
}

/* Contexts, shadow stacks, site tables and scratch of all threads: one private mapping, touched as it is used. */
static bool make_contexts(void) {
    struct refrain_header *header = refrain_region.header;
    size_t stack = (size_t)REFRAIN_SHADOW_STACK_ENTRIES * sizeof(struct refrain_entry);
    size_t sites = (size_t)REFRAIN_SITE_TABLE_ENTRIES * REFRAIN_SITE_ENTRY_BYTES;
    size_t scratch = (sizeof(struct refrain_learn_scratch) + 63) & ~(size_t)63;
    size_t each = ((sizeof(struct refrain_context) + 63) & ~(size_t)63) + stack + sites + scratch;
    unsigned char *memory = mmap(NULL, each * refrain_configuration.threads, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    contexts = (struct refrain_context *)memory;
    uint32_t site_entries = refrain_outside_open(refrain_configuration.total_bytes, refrain_configuration.threads);
    struct refrain_thread *threads =
        refrain_pool_take(sizeof *threads * refrain_configuration.threads, REFRAIN_POOL_LAST);
    if (!threads)
        return false;
    header->threads = (uint64_t)((unsigned char *)threads - refrain_region.base);
    struct refrain_events *events = NULL;
    if (refrain_configuration.mode & REFRAIN_MODE_EVENTS) {
        int fd = open(own_directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        char name[64];
        snprintf(name, sizeof name, refrain_mpi_linked ? "rank-unknown.events" : REFRAIN_EVENTS_NAME, 0);
        events = fd < 0 ? NULL : refrain_events_open(fd, name, refrain_configuration.threads);
        if (fd >= 0)
            close(fd);
        if (!events)
            return false;
        has_events = true;
    }
    unsigned char *rest =
        memory + ((sizeof(struct refrain_context) * refrain_configuration.threads + 63) & ~(size_t)63);
    for (uint32_t t = 0; t < refrain_configuration.threads; t++) {
        struct refrain_context *context = &contexts[t];
        struct refrain_journal *journal = refrain_pool_take(refrain_journal_bytes(), REFRAIN_POOL_LAST);
        if (!journal)
            return false;
        threads[t].journal = refrain_reference(journal);
        threads[t].root.number = UINT32_MAX;
        context->stack = (struct refrain_entry *)rest;
        context->stack_end = context->stack + REFRAIN_OUTSIDE_FIRST_ENTRIES;
        context->top = context->stack;
        context->top->last = &threads[t].root;
        context->top->address = UINTPTR_MAX;
        context->sites = (struct refrain_site_entry *)(rest + stack);
        context->site_mask = site_entries - 1;
        context->scratch = (struct refrain_learn_scratch *)(rest + stack + sites);
        rest += stack + sites + scratch;
        context->thread = &threads[t];
        context->region = refrain_region.base;
        context->site_table = &refrain_site_no_table;
        context->number = t;
        context->learning = (refrain_configuration.mode & REFRAIN_MODE_STAT) != 0;
        context->events = refrain_events_of_thread(events, t);
        context->journal = journal;
        context->formula_length = refrain_configuration.formula_length;
    }
    return true;
}

static void after_fork_in_child(void) {
    refrain_lose(REFRAIN_LOSS_FORKS, 1);
    refrain_region.header = NULL;
    refrain_region.base = NULL;
    refrain_units_close(true);
    refrain_context_drop();
}

static void untraced(const char *what, const char *path, int error) {
    refrain_say("%s %s: %s; the program runs untraced (see REFRAIN_DIRECTORY, REFRAIN_TOTAL_MEMORY)", what, path,
                strerror(error));
}

static void remove_own_files(void) {
    char path[PATH_BYTES + 128];
    static const char *const names[] = {"rank-unknown.trace", "rank-unknown.events", "rank-0.trace", "rank-0.events"};
    for (unsigned i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", own_directory, names[i]);
        unlink(path);
    }
    rmdir(own_directory);
}

/* The least that REFRAIN_TOTAL_MEMORY can be for this program: its tables, and some room to learn in. */
static uint64_t least_bytes(uint32_t threads) {
    uint64_t tables = REFRAIN_HEADER_BYTES + refrain_units_bytes(threads) +
                      threads * (sizeof(struct refrain_thread) + refrain_journal_bytes() + 2 * REFRAIN_UNIT_BYTES);
    return refrain_settings_least_bytes(tables, threads);
}

static void say_too_small(uint64_t least) {
    bool one = refrain_configuration.threads == 1;
    refrain_say("REFRAIN_TOTAL_MEMORY is %llu bytes, but this program and its %u thread%s need at least %llu "
                "(%lluK); the program runs untraced",
                (unsigned long long)refrain_configuration.total_bytes, refrain_configuration.threads, one ? "" : "s",
                (unsigned long long)least, (unsigned long long)(least + 1023) >> 10);
}

static void open_region(void) {
    refrain_configure();
    refrain_left_out_open();
    if (refrain_configuration.mode == REFRAIN_MODE_OFF)
        return;
    uint64_t bytes = refrain_settings_region_bytes(refrain_configuration.total_bytes, refrain_configuration.threads);
    uint64_t metrics_bytes = refrain_metrics_outside_bytes(refrain_configuration.threads);
    uint64_t least = least_bytes(refrain_configuration.threads) + metrics_bytes;
    if (refrain_configuration.total_bytes < least) {
        say_too_small(least);
        return;
    }
    bytes -= metrics_bytes;
    if (bytes > (uint64_t)REFRAIN_UNIT_BYTES << 32)
        bytes = (uint64_t)REFRAIN_UNIT_BYTES << 32;
    char stem[PATH_BYTES], path[PATH_BYTES + 128];
    directory_stem(stem, sizeof stem, refrain_mpi_linked);
    if (!refrain_reserve_directory(refrain_configuration.directory) ||
        !make_directory(stem, own_directory, sizeof own_directory)) {
        untraced("cannot make a trace directory in", refrain_configuration.directory, errno);
        return;
    }
    snprintf(path, sizeof path, refrain_mpi_linked ? "%s/rank-unknown.trace" : "%s/rank-0.trace", own_directory);
    snprintf(own_file, sizeof own_file, "%s", path);
    unsigned char *base = map_file(path, bytes);
    if (!base) {
        if (errno == EFBIG)
            refrain_say(
                "the trace has %llu bytes, and no file may be longer than %llu here (ulimit -f); the program runs "
                "untraced (see REFRAIN_TOTAL_MEMORY)",
                (unsigned long long)bytes, (unsigned long long)refrain_reserve_limit_bytes());
        else if (errno == ENODEV)
            refrain_say(
                "the file system of %s cannot map a file into the memory of a program, which a trace needs; the "
                "program runs untraced (see REFRAIN_DIRECTORY)",
                path);
        else
            untraced("cannot make the trace file", path, errno);
        remove_own_files();
        return;
    }
    struct refrain_header *header = (struct refrain_header *)base;
    header->version = REFRAIN_TRACE_VERSION;
    header->header_bytes = REFRAIN_HEADER_BYTES;
    header->bytes = bytes;
    header->pool_used = REFRAIN_HEADER_BYTES;
    header->mode = (uint32_t)refrain_configuration.mode;
    header->formula_length = refrain_configuration.formula_length;
    header->rank = refrain_mpi_linked ? -1 : 0;
    header->size = refrain_mpi_linked ? 0 : 1;
    header->pid = (uint32_t)getpid();
    header->clock = (uint32_t)refrain_clock_is_gettime;
    header->n_threads = refrain_configuration.threads;
    header->outside_bytes =
        refrain_settings_outside_bytes(refrain_configuration.total_bytes, refrain_configuration.threads) +
        metrics_bytes;
    read_clock_pair(&header->start);
    refrain_region.header = header;
    refrain_region.base = base;
    refrain_region.mode = refrain_configuration.mode;
    bool complete = make_contexts();
    uint64_t missing = complete ? refrain_units_open() : 0;
    if (complete && !missing && header->bytes - header->pool_used < REFRAIN_LEAST_POOL_BYTES)
        missing = 1;
    if (!complete || missing) {
        if (missing)
            say_too_small(refrain_settings_least_bytes(header->pool_used + missing, refrain_configuration.threads));
        else
            untraced("cannot set up", own_directory, errno);
        refrain_region = (struct refrain_region){.base = NULL};
        munmap(base, bytes);
        remove_own_files();
        return;
    }
    describe_environment(header);
    refrain_metrics_choose();
    keep_reserves(header);
    uint64_t most_for_time = (bytes - header->pool_used) / MOST_TIME_SHARE;
    header->time_bytes =
        refrain_configuration.time_bytes < most_for_time ? refrain_configuration.time_bytes : most_for_time;
    while (refrain_clock_gettime_ns(CLOCK_MONOTONIC) - header->start.monotonic_ns < FIRST_CALIBRATION_NS)
        ;
    read_clock_pair(&header->last);
    header->first = header->last;
    uint64_t ticks = header->last.ticks - header->start.ticks;
    uint64_t ns = header->last.monotonic_ns - header->start.monotonic_ns;
    ticks_per_us = ticks * 1000 / ns;
    refrain_calibrate(&contexts[0], ticks_per_us);
    header->pause = refrain_configuration.paused;
    owner = getpid();
    pthread_atfork(NULL, NULL, after_fork_in_child);
    header->setup_ticks = refrain_clock() - header->start.ticks;
    memcpy(header->magic, REFRAIN_MAGIC, sizeof header->magic);
    if (refrain_configuration.verbose)
        refrain_say("writing %llu bytes to %s", (unsigned long long)bytes, path);
}

bool refrain_region_open(void) {
    int expected = 0;
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 2)
        return true;
    if (!__atomic_compare_exchange_n(&state, &expected, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return expected == 2;
    int saved = errno;
    open_region();
    if (!refrain_region.base)
        refrain_units_close(false);
    errno = saved;
    __atomic_store_n(&state, 2, __ATOMIC_RELEASE);
    return true;
}

struct refrain_context *refrain_region_take_context(void) {
    uint32_t n = __atomic_fetch_add(&contexts_taken, 1, __ATOMIC_RELAXED);
    if (n >= refrain_configuration.threads) {
        __atomic_fetch_sub(&contexts_taken, 1, __ATOMIC_RELAXED);
        refrain_lose(REFRAIN_LOSS_THREADS, 1);
        return NULL;
    }
    struct refrain_context *context = &contexts[n];
    context->thread->start_ticks = n == 0 ? refrain_region.header->start.ticks : refrain_clock();
    context->thread->last_ticks = context->thread->start_ticks;
    refrain_timeline_open(context);
    refrain_metrics_open(context);
    context->python = refrain_configuration.python && refrain_python_open();
    context->filtered = refrain_leaves_out_some_calls() && refrain_untold_record(context);
    if (!refrain_path_open(context))
        refrain_lose(REFRAIN_LOSS_PATHS, 1);
    context->thread->started = 1;
    refrain_allowance_begin(&context->allowance, ticks_per_us, refrain_configuration.throttle);
    return context;
}

bool refrain_region_has_open(uint64_t function) {
    uint32_t n = __atomic_load_n(&contexts_taken, __ATOMIC_RELAXED);
    for (uint32_t t = 0; t < n && t < refrain_configuration.threads; t++)
        for (const struct refrain_entry *entry = contexts[t].top; entry > contexts[t].stack; entry--)
            if (entry->kind == REFRAIN_ENTRY_FUNCTION && entry->id == function)
                return true;
    return false;
}

/* ---- placing and closing ---- */

void refrain_directory_propose(char *path, size_t path_bytes) {
    char stem[PATH_BYTES];
    path[0] = 0;
    if (!refrain_region.base)
        return;
    directory_stem(stem, sizeof stem, false);
    if (!make_directory(stem, path, path_bytes))
        path[0] = 0;
}

void refrain_region_place(int rank, int size, const char *directory) {
    if (!refrain_region.base)
        return;
    refrain_region.header->rank = rank;
    refrain_region.header->size = size;
    refrain_region_refresh_clock();
    if (!directory[0])
        return; /* rank 0 is not traced: the files stay where they are, in a directory of their own */
    char from[PATH_BYTES + 128], to[PATH_BYTES + 128], name[64];
    snprintf(from, sizeof from, "%s/rank-unknown.trace", own_directory);
    snprintf(name, sizeof name, REFRAIN_REGION_NAME, rank);
    snprintf(to, sizeof to, "%s/%s", directory, name);
    int moved = rename(from, to);
    if (moved != 0 && errno == ENOENT) { /* rank 0 has made it; on a node with a file system of its own nobody has */
        if (mkdir(directory, 0777) == 0 || errno == EEXIST)
            moved = rename(from, to);
    }
    if (moved != 0) {
        untraced("cannot move the trace to", to, errno);
        return;
    }
    snprintf(own_file, sizeof own_file, "%s", to);
    if (has_events) {
        snprintf(from, sizeof from, "%s/rank-unknown.events", own_directory);
        snprintf(name, sizeof name, REFRAIN_EVENTS_NAME, rank);
        snprintf(to, sizeof to, "%s/%s", directory, name);
        if (rename(from, to) != 0)
            untraced("cannot move the events to", to, errno);
    }
    rmdir(own_directory);
    snprintf(own_directory, sizeof own_directory, "%s", directory);
}

/* Does no other thread learn at present, nor has since this was last asked? */
static bool others_are_still(void) {
    static uint64_t last_sum;
    uint32_t n = __atomic_load_n(&contexts_taken, __ATOMIC_ACQUIRE);
    uint64_t sum = n;
    bool busy = false;
    for (uint32_t t = 0; t < n && t < refrain_configuration.threads; t++) {
        if (&contexts[t] == refrain_thread_context)
            continue;
        busy |= __atomic_load_n(&contexts[t].busy, __ATOMIC_ACQUIRE) != 0;
        sum = sum * 31 + __atomic_load_n(&contexts[t].thread->last_ticks, __ATOMIC_RELAXED);
    }
    bool same = sum == last_sum;
    last_sum = sum;
    return !busy && same;
}

/* Ends what is open in this thread, as exit() does. */
static void end_thread(void) {
    if (refrain_thread_context)
        refrain_pause_end(refrain_thread_context);
    struct refrain_context *context = refrain_begin();
    if (context) {
        refrain_untold_tell(context);
        if (context->top > context->stack) /* exit() ends what is open, as a jump out of it would */
            refrain_unwind(context, context->stack);
        refrain_timeline_finish(&context->timeline, refrain_close_block(context, context->top->last));
        refrain_end(context);
    }
    refrain_region_refresh_clock();
}

const char *refrain_region_directory(void) {
    return own_directory;
}

void refrain_region_finish(void) {
    end_thread();
    refrain_region.header->finished = REFRAIN_FINISHED_WITH_MPI;
    finished = true;
    refrain_context_drop();
    others_are_still();
}

bool refrain_region_is_still(void) {
    return others_are_still();
}

void refrain_region_packed(bool last) {
    packed = true;
    unlink(own_file);
    if (last)
        rmdir(own_directory);
}

static __attribute__((destructor)) void close_region(void) {
    if (!refrain_region.base || getpid() != owner || packed)
        return;
    if (!finished) {
        end_thread();
        refrain_region.header->finished = REFRAIN_FINISHED;
    }
    others_are_still();
    refrain_pack_region(own_file, refrain_configuration.total_bytes >= REFRAIN_SMALL_MEMORY, others_are_still);
    if (refrain_configuration.verbose)
        refrain_say("trace written to %s", own_directory);
}
