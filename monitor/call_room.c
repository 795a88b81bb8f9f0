/* call_room.c: room for call sites and what they tell (call_room.h). */
#include "call_room.h"
#include "tracing.h"
#include <refrain/called.h>

static uint64_t named[REFRAIN_CALL_WORDS]; /* bits: functions that the tables name */

static bool has(const uint64_t *functions, unsigned function) {
    return functions[function / 64] >> function % 64 & 1;
}

uint64_t refrain_call_room_named_bytes(void) {
    struct refrain_called called = {.n = 0};
    refrain_units_called(&called);
    memset(named, 0, sizeof named);
    return refrain_called_bytes(&called, named);
}

void refrain_call_room_open(uint64_t bytes, uint64_t unforeseen) {
    refrain_trace_file.kept_for_calls = bytes;
    refrain_trace_file.kept_for_unforeseen = unforeseen;
}

static void keep(uint64_t bytes) {
    __atomic_fetch_add(&refrain_trace_file.kept_for_calls, bytes, __ATOMIC_RELAXED);
}

struct refrain_call_site *refrain_call_room_site(struct refrain_context *context, unsigned function) {
    const struct refrain_header *header = refrain_trace_file.header;
    bool first = !has(context->called, function);
    uint64_t bytes = refrain_call_room_bytes(0), whole = refrain_call_room_bytes(refrain_call_operations(function));
    enum refrain_pool_use use = REFRAIN_POOL_LAST;
    if (!first || !has(named, function) || !refrain_pool_take_kept(&refrain_trace_file.kept_for_calls, bytes)) {
        uint64_t used = __atomic_load_n(&header->pool_used, __ATOMIC_RELAXED);
        if (used + whole + refrain_pool_kept(header, REFRAIN_POOL_FIRST_MET) <= header->bytes)
            use = REFRAIN_POOL_FIRST_MET;
        else if (!first || !refrain_pool_take_kept(&refrain_trace_file.kept_for_unforeseen, whole))
            return NULL;
        keep(whole - bytes);
    }
    struct refrain_call_site *call_site = refrain_pool_take(sizeof *call_site, use);
    if (call_site)
        context->called[function / 64] |= (uint64_t)1 << function % 64;
    return call_site;
}

struct refrain_operation_record *refrain_call_room_operation(const struct refrain_call_site *call_site) {
    struct refrain_operation_record *record = NULL;
    unsigned n = 0;
    for (uint32_t link = call_site->operations; link; n++)
        link = ((const struct refrain_operation_record *)refrain_at_reference(link))->next;
    uint64_t bytes = refrain_call_room_bytes(1) - refrain_call_room_bytes(0);
    if (n >= refrain_call_operations(call_site->function))
        record = refrain_pool_take(sizeof *record, REFRAIN_POOL_FIRST_MET);
    else
        refrain_pool_take_kept(&refrain_trace_file.kept_for_calls, bytes);
    return record ? record : refrain_pool_take(sizeof *record, REFRAIN_POOL_LAST);
}
