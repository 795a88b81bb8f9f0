/* contexts.c: reserves the memory of all contexts, and gives one to each thread (contexts.h). */
#define _GNU_SOURCE
#include "run/contexts.h"
#include "begin.h"
#include "context.h"
#include "events.h"
#include "learn_journal.h"
#include "learn_scratch.h"
#include "outside.h"
#include "run/configure.h"
#include "run/own_files.h"
#include "run/pool.h"
#include "sites/site_table.h"
#include <refrain/settings.h>
#include <refrain/trace.h>

#include <sys/mman.h>

__thread struct refrain_context *refrain_thread_context;
__thread const void *refrain_place;

static struct refrain_context *contexts;
static uint32_t contexts_taken;
static uint64_t contexts_given[(REFRAIN_MAXIMUM_THREADS + 63) / 64]; /* bit i: the thread of context i has ended, and
                                                                        another thread may take the context */

/* ---- threads without a context ---- */

/* The context of all threads that are not traced. It is always busy, so probes do nothing. Its allowance accounts for
 * their cost. */
static struct refrain_context not_traced = {.busy = 1, .allowance = {.probes = REFRAIN_ALLOWANCE_PROBES}};

/* Number of probes that ran while another thread was opening the trace file. */
static uint64_t early;

void refrain_context_came_early(void) {
    __atomic_fetch_add(&early, 1, __ATOMIC_RELAXED);
}

void refrain_context_count_early(void) {
    if (__atomic_load_n(&early, __ATOMIC_RELAXED))
        refrain_lose(REFRAIN_LOSS_INTERRUPTED, __atomic_exchange_n(&early, 0, __ATOMIC_RELAXED));
}

void refrain_context_drop(void) {
    refrain_thread_context = &not_traced;
}

struct refrain_context *refrain_context_untraced(void) {
    return refrain_thread_context == &not_traced ? &not_traced : NULL;
}

/* ---- contexts ---- */

/* The memory of which contexts are made. */
static struct {
    unsigned char
        *memory; /* all contexts, then for each thread its shadow stack, table of addresses and scratch memory */
    size_t each; /* bytes of these three for one thread */
    struct refrain_thread *threads;
    unsigned char *journals;
    struct refrain_events *events;
    uint32_t address_entries;
} parts;

#define STACK_BYTES ((size_t)REFRAIN_SHADOW_STACK_ENTRIES * sizeof(struct refrain_entry))
#define ADDRESSES_BYTES ((size_t)REFRAIN_ADDRESS_TABLE_ENTRIES * REFRAIN_ADDRESS_ENTRY_BYTES)

static size_t round_up(size_t bytes, size_t to) {
    return (bytes + to - 1) & ~(to - 1);
}

static size_t journal_bytes(void) {
    return round_up(refrain_journal_bytes(), REFRAIN_ALIGNMENT_BYTES);
}

uint64_t refrain_contexts_bytes(uint32_t n) {
    return round_up(n * sizeof(struct refrain_thread), REFRAIN_ALIGNMENT_BYTES) + n * journal_bytes();
}

/* Fills the context, record and journal of thread `t`, which are still zero. */
static void make_context(uint32_t t) {
    struct refrain_context *context = &contexts[t];
    struct refrain_thread *thread = &parts.threads[t];
    unsigned char *own = parts.memory + t * parts.each;
    context->journal = (struct refrain_journal *)(parts.journals + t * journal_bytes());
    thread->journal = refrain_reference(context->journal);
    thread->root.number = UINT32_MAX;
    context->stack = (struct refrain_entry *)own;
    context->stack_end = context->stack + REFRAIN_OUTSIDE_FIRST_ENTRIES;
    context->top = context->stack;
    context->top->last = &thread->root;
    context->top->address = UINTPTR_MAX;
    context->addresses = (struct refrain_address_entry *)(own + STACK_BYTES);
    context->address_mask = parts.address_entries - 1;
    context->scratch = (struct refrain_learn_scratch *)(own + STACK_BYTES + ADDRESSES_BYTES);
    context->trace_file = refrain_trace_file.base;
    context->site_table = &refrain_site_no_table;
    context->number = t;
    context->learning = (refrain_configuration.mode & REFRAIN_MODE_STAT) != 0;
    context->events = refrain_events_of_thread(parts.events, t);
    context->formula_length = refrain_configuration.formula_length;
    __atomic_store_n(&context->thread, thread, __ATOMIC_RELEASE); /* From here on other threads read it. */
}

_Static_assert(sizeof(struct refrain_learn_scratch) == REFRAIN_SCRATCH_BYTES, "as refrain size and info say it");

/* Contexts, shadow stacks, tables of addresses and scratch memory of all threads are one private mapping. The system
 * provides its pages when they are first used. */
bool refrain_contexts_make(void) {
    struct refrain_header *header = refrain_trace_file.header;
    uint32_t n = refrain_configuration.threads;
    size_t all_contexts = round_up(n * sizeof *contexts, 64);
    parts.each = STACK_BYTES + ADDRESSES_BYTES + round_up(sizeof(struct refrain_learn_scratch), 64);
    unsigned char *memory = mmap(NULL, all_contexts + parts.each * n, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    contexts = (struct refrain_context *)memory;
    parts.memory = memory + all_contexts;
    parts.address_entries = refrain_outside_open(refrain_configuration.total_bytes, n);
    parts.threads = refrain_pool_take(n * sizeof *parts.threads, REFRAIN_POOL_LAST);
    parts.journals = refrain_pool_take(n * journal_bytes(), REFRAIN_POOL_LAST);
    if (!parts.threads || !parts.journals)
        return false;
    header->threads = (uint64_t)((unsigned char *)parts.threads - refrain_trace_file.base);
    if (refrain_configuration.mode & REFRAIN_MODE_EVENTS) {
        parts.events = refrain_own_files_events();
        if (!parts.events)
            return false;
    }
    make_context(0);
    return true;
}

struct refrain_context *refrain_contexts_first(void) {
    return &contexts[0];
}

/* Returns the first context that was given back. Null if there is none. */
static struct refrain_context *take_given(void) {
    for (uint32_t word = 0; word < sizeof contexts_given / sizeof *contexts_given; word++) {
        uint64_t given = __atomic_load_n(&contexts_given[word], __ATOMIC_RELAXED);
        while (given)
            if (__atomic_compare_exchange_n(&contexts_given[word], &given, given & (given - 1), false, __ATOMIC_ACQUIRE,
                                            __ATOMIC_RELAXED))
                return &contexts[word * 64 + (uint32_t)__builtin_ctzll(given)];
    }
    return NULL;
}

void refrain_contexts_give(const struct refrain_context *context) {
    __atomic_fetch_or(&contexts_given[context->number / 64], UINT64_C(1) << context->number % 64, __ATOMIC_RELEASE);
}

struct refrain_context *refrain_contexts_take(void) {
    struct refrain_context *given = take_given();
    if (given)
        return given;
    uint32_t n = __atomic_fetch_add(&contexts_taken, 1, __ATOMIC_RELAXED);
    if (n < refrain_configuration.threads) {
        if (n > 0)
            make_context(n);
        return &contexts[n];
    }
    __atomic_fetch_sub(&contexts_taken, 1, __ATOMIC_RELAXED);
    refrain_lose(REFRAIN_LOSS_THREADS, 1);
    return NULL;
}

/* Null if the context has not been filled yet. */
static const struct refrain_thread *thread_of(uint32_t t) {
    return __atomic_load_n(&contexts[t].thread, __ATOMIC_ACQUIRE);
}

bool refrain_contexts_have_open(uint64_t function) {
    uint32_t n = __atomic_load_n(&contexts_taken, __ATOMIC_RELAXED);
    for (uint32_t t = 0; t < n && t < refrain_configuration.threads; t++)
        for (const struct refrain_entry *entry = thread_of(t) ? contexts[t].top : NULL;
             entry && entry > contexts[t].stack; entry--)
            if (entry->kind == REFRAIN_ENTRY_FUNCTION && entry->id == function)
                return true;
    return false;
}

/* See contexts.h. Compares a checksum of all threads' latest clock reads with that of the call before. */
bool refrain_contexts_are_still(void) {
    static uint64_t last_sum;
    uint32_t n = __atomic_load_n(&contexts_taken, __ATOMIC_ACQUIRE);
    uint64_t sum = n;
    bool busy = false;
    for (uint32_t t = 0; t < n && t < refrain_configuration.threads; t++) {
        const struct refrain_thread *thread = thread_of(t);
        if (&contexts[t] == refrain_thread_context || !thread)
            continue;
        busy |= __atomic_load_n(&contexts[t].busy, __ATOMIC_ACQUIRE) != 0;
        sum = sum * 31 + __atomic_load_n(&thread->last_ticks, __ATOMIC_RELAXED);
    }
    bool same = sum == last_sum;
    last_sum = sum;
    return !busy && same;
}
