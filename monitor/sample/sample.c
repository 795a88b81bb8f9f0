/* sample.c: follows the stack of a thread in a signal handler, for each sample (sample.h). */
#define _GNU_SOURCE
#include "sample/sample.h"
#include "arch/caller.h"
#include "arch/clock.h"
#include "context.h"
#include "run/binary.h"
#include "run/configure.h"
#include "run/pool.h"
#include "sample/sample_table.h"
#include "sample/sample_timer.h"
#include <refrain/trace.h>

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#define MOST_FRAMES 256u
#define MOST_OBJECTS                                                                                                   \
    64u /* objects whose names a thread has at hand; with more, samples in a further object are lost                   \
         */
#define LEAST_ROWS 64u
#define MOST_ROWS 4096u
#define FILE_SHARE 64 /* 1 / FILE_SHARE of the trace file for one thread */

/* What a thread needs for its samples, in private memory. */
struct sampler {
    struct refrain_sample_table table;
    struct {
        uintptr_t load_address;
        const char *path;
        uint32_t name;
    } objects[MOST_OBJECTS];
    unsigned n_objects;
    struct refrain_sample_frame frames[MOST_FRAMES];
};

static __thread struct sampler *own;
static __thread bool has_none; /* making it has failed */
static bool is_on;

/* ---- a thread's table ---- */

/* The number of rows of the table: a power of two. */
static uint32_t rows(void) {
    uint64_t each = sizeof(struct refrain_sample_node) + sizeof(struct refrain_sample_count);
    uint64_t most = refrain_trace_file.header->bytes / FILE_SHARE / each;
    uint32_t n = LEAST_ROWS;
    while (n < MOST_ROWS && n * 2 <= most)
        n *= 2;
    return n;
}

static struct refrain_samples *make_samples(uint32_t n) {
    struct refrain_samples *samples = refrain_pool_take(sizeof *samples, REFRAIN_POOL_FIRST_MET);
    void *nodes = refrain_pool_take(n * sizeof(struct refrain_sample_node), REFRAIN_POOL_FIRST_MET);
    void *counts = refrain_pool_take(n * sizeof(struct refrain_sample_count), REFRAIN_POOL_FIRST_MET);
    if (!samples || !nodes || !counts)
        return NULL;
    samples->nodes = refrain_reference(nodes);
    samples->counts = refrain_reference(counts);
    samples->most_nodes = samples->most_counts = n;
    return samples;
}

static void list(struct refrain_samples *samples) {
    uint32_t *first = &refrain_trace_file.header->samples, head = __atomic_load_n(first, __ATOMIC_RELAXED);
    do
        samples->next = head;
    while (!__atomic_compare_exchange_n(first, &head, refrain_reference(samples), false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
}

static struct sampler *make_sampler(void) {
    uint32_t n = rows();
    size_t bytes = sizeof(struct sampler) + refrain_sample_table_bytes(n);
    struct sampler *sampler = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct refrain_samples *samples = sampler == MAP_FAILED ? NULL : make_samples(n);
    if (!samples) {
        if (sampler != MAP_FAILED)
            munmap(sampler, bytes);
        return NULL;
    }
    refrain_sample_table_open(&sampler->table, samples, sampler + 1);
    list(samples);
    return sampler;
}

/* ---- the stack ---- */

/* Reads a word of the stack. False if there is no memory at this address, so a damaged unwinding table does no harm. */
static bool read_word(uintptr_t address, uintptr_t *word) {
    struct iovec to = {word, sizeof *word}, from = {(void *)address, sizeof *word};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof *word;
}

/* Goes one frame up. As refrain_caller_step(), but checks each access, since the stack may be in any state. */
static bool step(struct refrain_caller *frame, uint64_t rule) {
    uintptr_t end = refrain_caller_frame_end(frame, rule), at = frame->stack_pointer;
    struct refrain_caller next = {0, end, frame->frame_pointer};
    if (end <= at || end % sizeof(uintptr_t) != 0 || !read_word(end - sizeof(uintptr_t), &next.address))
        return false;
    if (rule & REFRAIN_RULE_FRAME_POINTER_SAVED &&
        !read_word(end - (rule >> 8 & 0xffffff) * sizeof(uintptr_t), &next.frame_pointer))
        return false;
    *frame = next;
    return true;
}

/* Sets *name to the reference of the object's path. False if it is not stored yet and the pool must not be used now. */
static bool name_of(struct sampler *sampler, const struct refrain_loaded *object, bool may_take, uint32_t *name) {
    unsigned i = 0;
    *name = 0;
    if (!object->segments)
        return true;
    while (i < sampler->n_objects &&
           (sampler->objects[i].load_address != object->load_address || sampler->objects[i].path != object->path))
        i++;
    if (i == sampler->n_objects) {
        if (!may_take || i == MOST_OBJECTS || !(*name = refrain_binary_name(object)))
            return false;
        sampler->objects[i].load_address = object->load_address;
        sampler->objects[i].path = object->path;
        sampler->objects[i].name = *name;
        sampler->n_objects++;
    }
    *name = sampler->objects[i].name;
    return true;
}

/* True for refrain's own functions between the program and MPI, which are not shown. */
static bool is_own(const struct refrain_loaded *object) {
    const char *slash = strrchr(object->path, '/');
    return strncmp(slash ? slash + 1 : object->path, "librefrain", sizeof "librefrain" - 1) == 0;
}

/* Writes the functions on the stack to `frames`, the innermost first, without those of the C library that started the
 * program or the thread. Returns their number; 0 if the sample is lost. *cut: the outer functions are missing. */
static unsigned follow(struct sampler *sampler, struct refrain_caller frame, bool may_take, bool *cut) {
    unsigned n = 0, shown = 0; /* number of frames up to the outermost one that is not of the C library */
    bool follows = true, was_system = false;
    *cut = true;
    for (unsigned depth = 0; follows && n < MOST_FRAMES; depth++) {
        struct refrain_caller_code code;
        /* A return address lies behind the call, so it may belong to another function. */
        refrain_caller_look_at_once(frame.address - (depth > 0), NULL, &code);
        struct refrain_sample_frame *at = &sampler->frames[n];
        if (!name_of(sampler, &code.object, may_take, &at->object))
            return 0;
        at->address = code.function ? code.function - code.object.load_address : 0;
        if (depth == 0 || (at->object && !is_own(&code.object)))
            n++;
        /* Code that starts the program or a thread has no frame above it. */
        *cut = code.rule != 0 || !(was_system || code.owner == REFRAIN_OF_SYSTEM);
        if (n == 1 || (code.owner != REFRAIN_OF_SYSTEM && code.rule))
            shown = n;
        follows = code.rule && step(&frame, code.rule);
        was_system = code.owner == REFRAIN_OF_SYSTEM;
    }
    return *cut ? n : shown;
}

/* ---- the signal ---- */

static struct refrain_caller interrupted(const ucontext_t *at) {
#ifdef __x86_64__
    return (struct refrain_caller){(uintptr_t)at->uc_mcontext.gregs[REG_RIP], (uintptr_t)at->uc_mcontext.gregs[REG_RSP],
                                   (uintptr_t)at->uc_mcontext.gregs[REG_RBP]};
#else
    (void)at;
    return (struct refrain_caller){0, 0, 0};
#endif
}

/* The MPI call that the thread is in, or was in last; 0: none. */
static uint32_t call_of(const struct refrain_context *context) {
    const struct refrain_now *now = &context->thread->now;
    return now->call ? now->call | (now->inside ? REFRAIN_SAMPLE_INSIDE : 0) : 0;
}

/* Takes a sample. `n_samples`: it counts so often, since that many periods have passed since the last one. */
static void take(const ucontext_t *at, const struct refrain_context *context, uint64_t n_samples) {
    bool has_location = context && context->thread && context->trace_file, cut;
    /* The signal may have interrupted the pool's own code. */
    bool may_take = !context || context->busy == 0;
    if (!own && may_take && !has_none) {
        own = make_sampler();
        has_none = !own;
    }
    if (!own)
        return;
    struct refrain_samples *samples = own->table.samples;
    if (has_location && !samples->thread)
        samples->thread = context->number + 1;
    unsigned n = follow(own, interrupted(at), may_take, &cut);
    if (n == 0) {
        samples->taken += n_samples;
        samples->lost += n_samples;
        return;
    }
    samples->cut += cut ? n_samples : 0;
    const uint64_t start = refrain_trace_file.header->start.ticks, now = refrain_ticks();
    refrain_sample_table_add(&own->table, own->frames, n, has_location ? call_of(context) : 0,
                             now > start ? now - start : 0, n_samples);
}

static void on_signal(int number, siginfo_t *info, void *at) {
    (void)number;
    int saved = errno;
    const struct refrain_context *context = refrain_thread_context;
    struct refrain_header *header = refrain_trace_file.header;
    if (header && __atomic_load_n(&is_on, __ATOMIC_ACQUIRE) && !header->pause &&
        !(context && context->busy == REFRAIN_PAUSED))
        take(at, context, 1 + (uint64_t)(info->si_overrun > 0 ? info->si_overrun : 0));
    errno = saved;
}

void refrain_sample_open(void) {
    struct refrain_caller_code here;
    uint32_t hz = refrain_configuration.sample_hz;
    if (!hz)
        return;
    refrain_caller_look_at_once((uintptr_t)&refrain_sample_open, NULL, &here);
    if (!here.rule) {
        refrain_say("no samples are taken: that needs x86-64 and glibc 2.35 or later");
        return;
    }
    refrain_trace_file.header->sample_hz = hz;
    __atomic_store_n(&is_on, true, __ATOMIC_RELEASE);
    if (!refrain_sample_timers_open(on_signal, hz)) {
        refrain_trace_file.header->sample_hz = 0;
        refrain_say("no samples are taken: %s", strerror(errno));
    }
}

void refrain_sample_begin_thread(void) {
    if (__atomic_load_n(&is_on, __ATOMIC_ACQUIRE))
        refrain_sample_timer_begin();
}

void refrain_sample_close(void) {
    __atomic_store_n(&is_on, false, __ATOMIC_RELEASE);
}
