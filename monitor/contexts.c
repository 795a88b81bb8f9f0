/* contexts.c: see contexts.h. */
#define _GNU_SOURCE
#include "contexts.h"
#include "configure.h"
#include "learn_memory.h"
#include "own_files.h"
#include "site_table.h"
#include "step.h"
#include <refrain/settings.h>

#include <sys/mman.h>

__thread struct refrain_context *refrain_thread_context;

static struct refrain_context *contexts;
static uint32_t contexts_taken;
static uint64_t contexts_given[(REFRAIN_MAXIMUM_THREADS + 63) / 64]; /* bits: its thread has ended */

/* Contexts, shadow stacks, site tables and scratch of all threads: one private mapping, touched as it is used. */
bool refrain_contexts_make(void) {
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
        events = refrain_own_files_events();
        if (!events)
            return false;
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

struct refrain_context *refrain_contexts_first(void) {
    return &contexts[0];
}

/* The first that is given back; null: none is. */
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
    if (n < refrain_configuration.threads)
        return &contexts[n];
    __atomic_fetch_sub(&contexts_taken, 1, __ATOMIC_RELAXED);
    refrain_lose(REFRAIN_LOSS_THREADS, 1);
    return NULL;
}

bool refrain_contexts_have_open(uint64_t function) {
    uint32_t n = __atomic_load_n(&contexts_taken, __ATOMIC_RELAXED);
    for (uint32_t t = 0; t < n && t < refrain_configuration.threads; t++)
        for (const struct refrain_entry *entry = contexts[t].top; entry > contexts[t].stack; entry--)
            if (entry->kind == REFRAIN_ENTRY_FUNCTION && entry->id == function)
                return true;
    return false;
}

/* Does no other thread learn at present, nor has since this was last asked? */
bool refrain_contexts_are_still(void) {
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
