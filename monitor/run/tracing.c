/* tracing.c: begins tracing with the first probe of the process, and ends it with the process. Sets up the trace file,
 * gives contexts to threads, ends what is open at the end, and has the file packed. */
#define _GNU_SOURCE
#include "run/tracing.h"
#include "arch/clock_system.h"
#include "begin.h"
#include "call_path.h"
#include "call_room.h"
#include "context.h"
#include "learn_journal.h"
#include "left_out.h"
#include "metrics.h"
#include "pause.h"
#include "probe.h"
#include "python.h"
#include "run/allowance.h"
#include "run/calibrate.h"
#include "run/configure.h"
#include "run/contexts.h"
#include "run/describe.h"
#include "run/own_files.h"
#include "run/pack.h"
#include "run/pool.h"
#include "run/resident.h"
#include "sample/sample.h"
#include "stacks.h"
#include "step.h"
#include "thread_calls.h"
#include "untold.h"
#include <refrain/amounts.h>
#include <refrain/called.h>
#include <refrain/settings.h>
#include <refrain/trace.h>

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST_CALIBRATION_NS 100000u
#define FIRST_USED_BYTES (64u << 10) /* every run uses the tables, and mostly as much for what it learns */
/* The reserves of the pool (pool.h), as 1 / share of what the program's tables leave, without the guaranteed first call
 * sites of MPI functions. */
#define CONTROL_SHARE 4u               /* for control flow, without the reserves below */
#define COUNTS_BYTES 160u              /* of one place; a tally of four values takes 120, of eight 184 */
#define SITE_OPERATIONS 2u             /* kinds of operations at most call sites */
#define LEAST_COUNTS_SHARE 8u          /* for tallies, at least, if the tables announce few places */
#define COUNTS_SHARE 4u                /* for tallies, at most */
#define MOST_FIRST_MET_SHARE 4u        /* for call sites, operations, communicators, at most */
#define SURE_SHARE 16u                 /* part of that which is guaranteed to each kind */
#define OPEN_SHARE 8u                  /* for requests and handles, if the program has requests, at most ... */
#define OPEN_BYTES ((uint64_t)1 << 20) /* ... and never more than this */
#define UNFORESEEN_SHARE 16u           /* for first call sites of MPI functions that no table names ... */
#define UNKNOWN_SHARE 8u               /* ... or if there are no tables ... */
#define UNFORESEEN_BYTES (64u << 10)   /* ... and never more than this */
#define OVERFLOW_SHARE 8u              /* for overflow sites, at most */
#define OTHER_CALL_SITES_SHARE 8u      /* for call sites that no table announces, if there are tables, at most ... */
#define OTHER_CALL_SITES_BYTES (64u << 10) /* ... and never more than this, with communicators */
#define EXPECTING_BYTES (128u << 10)       /* with less memory the reserves have their full size from the beginning */
#define MOST_TIME_SHARE 2u                 /* for the timelines of several threads, at most */
#define TIME_SHARE 10u /* guaranteed to times of single blocks; reserved memory may hold further ones */

static int state;                    /* 0 closed, 1 being opened, 2 open, or known to be untraced */
static uint64_t ticks_per_us = 1000; /* ticks of the probes' clock in a microsecond */
static bool finished;                /* tracing has ended before the process (REFRAIN_PACK=on, MPI_Abort) */
static bool closed;                  /* the trace file has been packed, or is part of a pack */
static pid_t owner;

/* ---- opening ---- */

/* Sets the reserves, which learners may not take: for places that have not been reached yet, as many as the tables
 * announce, for requests under way, and for tallies of places whose order is given up. They are shares of what the
 * program's tables leave. The tables of its sites count as left, since the least memory has both in one (settings.h).
 */
static void keep_reserves(const struct refrain_header *header) {
    struct refrain_trace_file *file = &refrain_trace_file;
    uint64_t sites = refrain_least(refrain_units_site_tables_bytes(), REFRAIN_LEAST_OTHER_BYTES);
    uint64_t left = header->bytes - header->pool_used + sites, threads = header->n_threads;
    uint64_t of_thread = refrain_least(refrain_call_room_named_bytes(), left);
    uint64_t calls = refrain_least(of_thread * threads, left), pool = left - calls;
    uint64_t call_sites = refrain_units_mpi_calls() * threads;
    uint64_t places = call_sites * refrain_call_room_bytes(SITE_OPERATIONS);
    uint64_t others = refrain_least(calls ? pool / OTHER_CALL_SITES_SHARE : pool, OTHER_CALL_SITES_BYTES);
    uint64_t counts = header->n_slots * threads * COUNTS_BYTES;
    file->is_foreseen = calls > 0 || pool < EXPECTING_BYTES;
    file->is_settling = calls == 0 && threads == 1;
    file->settled_parts = REFRAIN_POOL_PARTS;
    refrain_call_room_keep_overflow_sites(
        refrain_least(call_sites * sizeof(struct refrain_overflow_site), pool / OVERFLOW_SHARE));
    refrain_call_room_open(of_thread, calls - of_thread,
                           refrain_least(pool / (calls ? UNFORESEEN_SHARE : UNKNOWN_SHARE), UNFORESEEN_BYTES));
    file->most_first_met = refrain_least(left / MOST_FIRST_MET_SHARE, (places > calls ? places - calls : 0) + others);
    file->sure_of_kind = file->most_first_met / SURE_SHARE;
    file->kept_for_open =
        refrain_mpi_linked && refrain_units_use_requests() ? refrain_least(pool / OPEN_SHARE, OPEN_BYTES) : 0;
    file->most_counts = !file->is_foreseen                   ? pool / COUNTS_SHARE
                        : counts < pool / LEAST_COUNTS_SHARE ? pool / LEAST_COUNTS_SHARE
                                                             : refrain_least(counts, pool / COUNTS_SHARE);
    file->most_control = pool / CONTROL_SHARE;
    file->sure_for_times = refrain_pool_lends_pages() ? refrain_least(header->time_bytes, pool / TIME_SHARE) : 0;
}

static void after_fork_in_child(void) {
    refrain_lose(REFRAIN_LOSS_FORKS, 1);
    refrain_trace_file.header = NULL;
    refrain_trace_file.base = NULL;
    refrain_units_close(true);
    refrain_context_drop();
}

/* Bytes of the program's tables, without those of its sites. */
static uint64_t tables_bytes(uint32_t threads) {
    return REFRAIN_HEADER_BYTES + refrain_units_bytes(threads) + refrain_contexts_bytes(threads);
}

/* The smallest REFRAIN_TOTAL_MEMORY for this program: its tables, those of its sites, the first call site of each MPI
 * function, and some memory to learn in. `other`: bytes of the trace file that something else takes. */
static uint64_t least_bytes(uint32_t threads, uint64_t other) {
    return refrain_settings_least_bytes(tables_bytes(threads) + other, refrain_units_site_tables_bytes(),
                                        threads * refrain_call_room_named_bytes(), threads);
}

static void say_too_small(uint64_t least) {
    bool one = refrain_configuration.threads == 1;
    refrain_say("REFRAIN_TOTAL_MEMORY is %llu byte%s, but this program and its %u thread%s need at least %llu "
                "(%lluK); the program runs untraced",
                (unsigned long long)refrain_configuration.total_bytes,
                refrain_configuration.total_bytes == 1 ? "" : "s", refrain_configuration.threads, one ? "" : "s",
                (unsigned long long)least, (unsigned long long)(least + 1023) >> 10);
}

/* These conditions do not change later. */
static void choose_way_of_calls(struct refrain_context *context) {
    context->unusual = context->path || context->python || context->filtered;
}

static void fill_header(struct refrain_header *header, uint64_t bytes, uint64_t metrics_bytes) {
    header->version = REFRAIN_TRACE_VERSION;
    header->header_bytes = REFRAIN_HEADER_BYTES;
    header->bytes = bytes;
    header->pool_used = REFRAIN_HEADER_BYTES;
    header->times_from = bytes;
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
    refrain_read_clock_pair(&header->start);
}

/* Measures the clock's speed since the start of the process. */
static void measure_clock(struct refrain_header *header) {
    refrain_read_clock_pair(&header->last);
    uint64_t ticks = header->last.ticks - header->start.ticks;
    uint64_t ns = header->last.monotonic_ns - header->start.monotonic_ns;
    ticks_per_us = ns ? ticks * 1000 / ns : ticks_per_us;
}

/* Measures it again when enough time has passed since the start for a good result. */
static void measure_clock_well(struct refrain_header *header) {
    while (refrain_clock_gettime_ns(CLOCK_MONOTONIC) - header->start.monotonic_ns < FIRST_CALIBRATION_NS)
        ;
    measure_clock(header);
    header->first = header->last;
}

static void open_trace_file(void) {
    refrain_configure();
    refrain_left_out_open();
    if (refrain_configuration.mode == REFRAIN_MODE_OFF)
        return;
    uint64_t bytes =
        refrain_settings_trace_file_bytes(refrain_configuration.total_bytes, refrain_configuration.threads);
    uint64_t metrics_bytes = refrain_metrics_outside_bytes(refrain_configuration.threads);
    uint64_t least = least_bytes(refrain_configuration.threads, metrics_bytes);
    if (refrain_configuration.total_bytes < least) {
        say_too_small(least);
        return;
    }
    bytes -= metrics_bytes;
    if (bytes > (uint64_t)REFRAIN_ALIGNMENT_BYTES << 32)
        bytes = (uint64_t)REFRAIN_ALIGNMENT_BYTES << 32;
    uint64_t tables = tables_bytes(1) + refrain_units_site_tables_bytes(), at_once = 2 * tables + FIRST_USED_BYTES;
    if (refrain_configuration.threads > 1)
        at_once = 0; /* the memory of threads that may never begin lies in between */
    unsigned char *base = refrain_own_files_make(bytes, at_once);
    if (!base)
        return;
    struct refrain_header *header = (struct refrain_header *)base;
    fill_header(header, bytes, metrics_bytes);
    refrain_trace_file.header = header;
    refrain_trace_file.base = base;
    refrain_trace_file.mode = refrain_configuration.mode;
    bool complete = refrain_contexts_make();
    uint64_t missing = complete ? refrain_units_open() : 0; /* more than 0: a unit was registered just now */
    if (!complete || missing) {
        if (missing)
            say_too_small(least_bytes(refrain_configuration.threads, metrics_bytes));
        else
            refrain_say_untraced("cannot set up", refrain_own_files_directory(), errno);
        refrain_trace_file = (struct refrain_trace_file){.base = NULL};
        munmap(base, bytes);
        refrain_own_files_remove();
        return;
    }
    refrain_describe_process(header);
    refrain_metrics_choose();
    uint64_t most_for_time = (bytes - header->pool_used) / (refrain_pool_lends_pages() ? 1 : MOST_TIME_SHARE);
    header->time_bytes = refrain_least(refrain_configuration.time_bytes, most_for_time);
    keep_reserves(header);
    choose_way_of_calls(refrain_contexts_first());
    measure_clock(header); /* good enough for the calibration, which uses most of the time until the next measurement */
    refrain_calibrate(refrain_contexts_first(), ticks_per_us);
    measure_clock_well(header);
    header->pause = refrain_configuration.paused;
    refrain_sample_open();
    refrain_resident_open(ticks_per_us);
    owner = getpid();
    pthread_atfork(NULL, NULL, after_fork_in_child);
    header->setup_ticks = refrain_clock() - header->start.ticks;
    memcpy(header->magic, REFRAIN_MAGIC, sizeof header->magic);
    if (refrain_configuration.verbose)
        refrain_say("writing %llu bytes to %s", (unsigned long long)bytes, refrain_own_files_trace_file());
}

bool refrain_tracing_open(void) {
    int expected = 0;
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 2)
        return true;
    if (!__atomic_compare_exchange_n(&state, &expected, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return expected == 2;
    int saved = errno;
    open_trace_file();
    if (!refrain_trace_file.base)
        refrain_units_close(false);
    errno = saved;
    __atomic_store_n(&state, 2, __ATOMIC_RELEASE);
    if (refrain_trace_file.base)
        refrain_thread_calls_open();
    return true;
}

struct refrain_context *refrain_tracing_take_context(void) {
    struct refrain_context *context = refrain_contexts_take();
    if (!context)
        return NULL;
    if (context->thread->started) { /* a thread with this context has ended; its location goes on */
        refrain_metrics_open(context);
        refrain_path_reopen(context);
        return context;
    }
    refrain_units_begin_thread(context->number);
    if (context->number > 0)
        refrain_call_room_begin_thread();
    context->thread->start_ticks = context->number == 0 ? refrain_trace_file.header->start.ticks : refrain_clock();
    context->thread->last_ticks = context->thread->start_ticks;
    refrain_timeline_open(context);
    refrain_metrics_open(context);
    context->python = refrain_configuration.python && refrain_python_open();
    context->filtered = refrain_leaves_out_some_calls() && refrain_untold_record(context);
    if (!refrain_path_open(context))
        refrain_lose(REFRAIN_LOSS_PATHS, 1);
    choose_way_of_calls(context);
    context->calls_left = REFRAIN_CLOCK_REFRESH_CALLS;
    context->thread->started = 1;
    refrain_allowance_begin(&context->allowance, ticks_per_us, refrain_configuration.throttle);
    return context;
}

/* ---- placing and closing ---- */

/* Begins to end what is open in the calling thread: first a pause, then all other activations, as a jump out of them
 * would. Null if the thread has no context, or is inside of a probe. */
static struct refrain_context *begin_end(void) {
    struct refrain_context *context = refrain_thread_context;
    if (!context)
        return NULL;
    refrain_pause_end(context);
    context = refrain_begin();
    if (!context)
        return NULL;
    refrain_untold_flush(context);
    if (context->top > context->stack)
        refrain_unwind(context, context->stack);
    refrain_probe_end_loops(context);
    return context;
}

void refrain_tracing_give_context(struct refrain_context *context) {
    if (!refrain_trace_file.base || context->busy == 1 || !begin_end())
        return;
    refrain_metrics_close(context);
    refrain_thread_context = NULL;
    refrain_end(context);
    refrain_contexts_give(context);
}

/* Ends what is open in the calling thread, as exit() would. */
static void end_thread(void) {
    refrain_resident_read(NULL, refrain_clock());
    struct refrain_context *context = begin_end();
    if (context) {
        refrain_timeline_finish(&context->timeline, refrain_close_block(context, context->top->last));
        refrain_end(context);
    }
    refrain_trace_file_refresh_clock();
}

void refrain_tracing_finish(enum refrain_finished how) {
    refrain_sample_close();
    end_thread();
    refrain_context_count_early();
    refrain_trace_file.header->finished = how;
    finished = true;
    refrain_context_drop();
    refrain_contexts_are_still();
}

/* Replaces the mapping of the trace file by a private copy at the same address, since other threads may still read it.
 * If the file stayed mapped when it is removed, NFS would keep it under another name, and its directory could not be
 * removed. */
static void leave_file(void) {
    size_t bytes = refrain_trace_file.header->bytes;
    void *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (copy == MAP_FAILED)
        return;
    uint64_t from = refrain_free_until(refrain_trace_file.header);
    memcpy(copy, refrain_trace_file.base, refrain_trace_file.header->pool_used);
    memcpy((unsigned char *)copy + from, refrain_trace_file.base + from, bytes - from);
    /* The system call itself, since UCX replaces mremap() by a function that ignores the fifth argument. */
    if (syscall(SYS_mremap, copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, refrain_trace_file.base) == -1)
        munmap(copy, bytes);
}

void refrain_tracing_packed(bool last) {
    closed = true;
    leave_file();
    refrain_own_files_drop(last);
}

/* True if there is enough memory for packing: what is set aside for it, and the unused part of the trace file. */
static bool may_pack(void) {
    const struct refrain_header *header = refrain_trace_file.header;
    uint64_t unused = refrain_free_until(header) - header->pool_used;
    return refrain_settings_end_bytes(refrain_configuration.total_bytes) + unused >= REFRAIN_OUTSIDE_END_BYTES;
}

static void pack_file(void) {
    refrain_pack_trace_file(refrain_own_files_trace_file(), may_pack(), refrain_contexts_are_still);
    if (refrain_configuration.verbose)
        refrain_say("trace written to %s", refrain_own_files_directory());
}

void refrain_trace_file_abort(int32_t code) {
    if (!refrain_trace_file.base || getpid() != owner || finished)
        return;
    int saved = errno;
    refrain_trace_file.header->abort_code = code;
    refrain_tracing_finish(REFRAIN_FINISHED_BY_ABORT);
    closed = true;
    pack_file();
    errno = saved;
}

/* True if the process has the MPI library, but called nothing of it, and only calls for files (io/io.h) are recorded:
 * such processes are tools that the job's script starts, and would have no trace without these calls. */
static bool has_only_files(void) {
    const struct refrain_header *header = refrain_trace_file.header;
    if (header->rank >= 0 || header->units || header->regions)
        return false;
    uint32_t next = (uint32_t)header->call_sites;
    while (next) {
        const struct refrain_call_site *call_site = refrain_at_reference(next);
        if (!refrain_call_names[call_site->function].is_file_call)
            return false;
        next = call_site->next;
    }
    return true;
}

static __attribute__((destructor)) void close_trace_file(void) {
    if (!refrain_trace_file.base || getpid() != owner || closed)
        return;
    refrain_sample_close();
    if (has_only_files()) {
        refrain_own_files_remove();
        return;
    }
    if (!finished) {
        end_thread();
        refrain_context_count_early();
        refrain_trace_file.header->finished = REFRAIN_FINISHED;
    }
    refrain_contexts_are_still();
    pack_file();
}
