/* call_room.c: memory for call sites and their operations (call_room.h). */
#include "call_room.h"
#include "context.h"
#include "run/pool.h"
#include "run/tracing.h"
#include <refrain/amounts.h>
#include <refrain/called.h>
#include <refrain/trace.h>

static struct refrain_called called; /* the MPI functions in the program's tables */

static uint64_t of_thread; /* bytes for the first call sites of one thread */

static bool has(const uint64_t *functions, unsigned function) {
    return functions[function / 64] >> function % 64 & 1;
}

uint64_t refrain_call_room_named_bytes(void) {
    called = (struct refrain_called){0};
    refrain_units_called(&called);
    return refrain_called_bytes(&called);
}

void refrain_call_room_open(uint64_t bytes, uint64_t others, uint64_t unforeseen) {
    of_thread = bytes;
    refrain_trace_file.kept_for_threads = others;
    refrain_trace_file.kept_for_calls = bytes;
    refrain_trace_file.kept_for_unforeseen = unforeseen;
}

void refrain_call_room_keep_overflow_sites(uint64_t bytes) {
    refrain_trace_file.kept_for_overflow_sites = bytes;
}

/* One of the announced call sites has been met: takes its part from the reserve. */
static bool give_overflow_site_room(void) {
    return refrain_pool_take_kept(&refrain_trace_file.kept_for_overflow_sites, sizeof(struct refrain_overflow_site));
}

/* Reserved in any case for the first call sites of functions that have not been called yet. */
#define UNFORESEEN_LEAST_BYTES (3u << 9)

/* When all other memory is taken, overflow sites of functions that were called may use what the reserve for first call
 * sites has beyond that. */
struct refrain_overflow_site *refrain_call_room_overflow_site(void) {
    enum refrain_pool_use use = give_overflow_site_room() ? REFRAIN_POOL_LAST : REFRAIN_POOL_OVERFLOW_SITES;
    struct refrain_overflow_site *overflow = refrain_pool_take(sizeof *overflow, use);
    if (!overflow &&
        __atomic_load_n(&refrain_trace_file.kept_for_unforeseen, __ATOMIC_RELAXED) > UNFORESEEN_LEAST_BYTES &&
        refrain_pool_take_kept(&refrain_trace_file.kept_for_unforeseen, sizeof *overflow))
        overflow = refrain_pool_take(sizeof *overflow, REFRAIN_POOL_LAST);
    return overflow;
}

static void keep(uint64_t bytes) {
    __atomic_fetch_add(&refrain_trace_file.kept_for_calls, bytes, __ATOMIC_RELAXED);
}

void refrain_call_room_begin_thread(void) {
    const struct refrain_header *header = refrain_trace_file.header;
    uint64_t *others = &refrain_trace_file.kept_for_threads;
    uint64_t bytes = refrain_least(of_thread, __atomic_load_n(others, __ATOMIC_RELAXED));
    if (!refrain_pool_take_kept(others, bytes))
        return;
    uint64_t used = __atomic_load_n(&header->pool_used, __ATOMIC_RELAXED);
    used += refrain_pool_kept(REFRAIN_POOL_FIRST_MET);
    keep(refrain_least(bytes, header->bytes - refrain_least(used, header->bytes)));
}

struct refrain_call_site *refrain_call_room_site(struct refrain_context *context, unsigned function) {
    bool first = !has(context->called, function);
    unsigned operations = refrain_call_names[function].operations;
    uint64_t bytes = refrain_call_room_bytes(0), whole = refrain_call_room_bytes(operations);
    uint64_t rows = refrain_call_rows_bytes(operations);
    enum refrain_pool_use use = REFRAIN_POOL_LAST;
    if (!first || !has(called.functions, function) ||
        !refrain_pool_take_kept(&refrain_trace_file.kept_for_calls, bytes)) {
        if (refrain_pool_share(whole + rows, REFRAIN_POOL_CALL_SITES)) {
            use = REFRAIN_POOL_FIRST_MET;
        } else {
            if (!first || !refrain_pool_take_kept(&refrain_trace_file.kept_for_unforeseen, whole))
                return NULL;
            rows = 0;
        }
        keep(whole - bytes + (first ? rows : 0));
    }
    struct refrain_call_site *call_site = refrain_pool_take(sizeof *call_site, use);
    if (call_site) {
        give_overflow_site_room();
        context->called[function / 64] |= (uint64_t)1 << function % 64;
        if (first && rows > 0)
            context->counted[function / 64] |= (uint64_t)1 << function % 64;
    }
    return call_site;
}

/* True if this is the first call site of its function in the thread, at which calls of others may be recorded. */
static bool is_first(const struct refrain_call_site *call_site) {
    const struct refrain_call_site *older = call_site;
    while (older->next) {
        older = refrain_at_reference(older->next);
        if (older->function == call_site->function && older->thread == call_site->thread)
            return false;
    }
    return true;
}

struct refrain_operation_record *refrain_call_room_operation(const struct refrain_context *context,
                                                             const struct refrain_call_site *call_site) {
    struct refrain_operation_record *record = NULL;
    unsigned n = 0;
    for (uint32_t link = call_site->operations; link; n++)
        link = ((const struct refrain_operation_record *)refrain_at_reference(link))->next;
    uint64_t bytes = refrain_call_room_bytes(1) - refrain_call_room_bytes(0);
    if (n >= refrain_call_names[call_site->function].operations)
        record = refrain_pool_take(sizeof *record, REFRAIN_POOL_FIRST_MET);
    else
        refrain_pool_take_kept(&refrain_trace_file.kept_for_calls, bytes);
    if (!record && (record = refrain_pool_take(sizeof *record, REFRAIN_POOL_LAST)))
        record->parameter[0].rows_kept = n < refrain_call_names[call_site->function].operations &&
                                         has(context->counted, call_site->function) && is_first(call_site);
    return record;
}
