/* learn_alone.h: learners without the monitor: a pool and counters of losses in place of pool.c. For programs that
 * measure, test or repeat learning, which are linked with learn*.c. One file of each program includes this. */
#ifndef REFRAIN_LEARN_ALONE_H
#define REFRAIN_LEARN_ALONE_H

#include "context.h"
#include "learn.h"
#include "learn_journal.h"
#include "learn_scratch.h"
#include "run/pool.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

struct refrain_trace_file refrain_trace_file;

static size_t refrain_alone_bytes; /* size of the pool; may be lowered during use */

void *refrain_pool_take(size_t bytes, enum refrain_pool_use use) {
    struct refrain_header *header = refrain_trace_file.header;
    uint64_t limit = refrain_alone_bytes, kept = refrain_pool_kept(use);
    bytes = (bytes + REFRAIN_ALIGNMENT_BYTES - 1) & ~(size_t)(REFRAIN_ALIGNMENT_BYTES - 1);
    if (kept > limit || header->pool_used + bytes > limit - kept)
        return NULL;
    void *p = refrain_trace_file.base + header->pool_used;
    header->pool_used += bytes;
    refrain_trace_file.taken[use] += bytes;
    return p;
}

/* Takes a page from the end of the file, if that is set; else from the pool. */
struct refrain_time_page *refrain_pool_take_page(void) {
    struct refrain_time_page *page;
    uint64_t *from = &refrain_trace_file.header->times_from;
    if (*from == 0)
        return refrain_pool_take(sizeof *page, REFRAIN_POOL_VALUES);
    if (*from - refrain_trace_file.header->pool_used < sizeof *page)
        return NULL;
    *from -= sizeof *page;
    return (void *)(refrain_trace_file.base + *from);
}

bool refrain_pool_extend(const void *end, size_t bytes, enum refrain_pool_use use) {
    return (const unsigned char *)end == refrain_trace_file.base + refrain_trace_file.header->pool_used &&
           refrain_pool_take(bytes, use);
}

void refrain_lose(enum refrain_loss loss, uint64_t n) {
    refrain_trace_file.header->losses[loss] += n;
}

/* Makes the pool in `bytes` bytes of zeroed memory. */
static inline void refrain_alone_open(void *memory, size_t bytes) {
    refrain_trace_file.base = memory;
    refrain_trace_file.header = memory;
    refrain_alone_bytes = bytes;
}

/* Empties the pool, `control` bytes of which only control flow may take, and puts a journal and an empty learner into
 * it. Null if it is too small. The caller sets context->scratch and ->formula_length. */
static inline struct refrain_learner *refrain_alone_begin(struct refrain_context *context, uint64_t control) {
    struct refrain_header *header = refrain_trace_file.header;
    memset(refrain_trace_file.base, 0, header->pool_used);
    header->bytes = refrain_alone_bytes;
    header->pool_used = REFRAIN_HEADER_BYTES;
    refrain_trace_file.most_control = control;
    memset(refrain_trace_file.taken, 0, sizeof refrain_trace_file.taken);
    memset(context->spare_formulas, 0, sizeof context->spare_formulas);
    context->waiting_formula = 0;
    context->journal = refrain_pool_take(refrain_journal_bytes(), true);
    return context->journal ? refrain_pool_take(sizeof(struct refrain_learner), true) : NULL;
}

#endif
