/* pause.c: refrain_pause(), refrain_resume(), and how threads follow them (pause.h). */
#define _GNU_SOURCE
#include "pause.h"
#include "activation.h"
#include "arch/arch.h"
#include "arch/registers.h"
#include "begin.h"
#include "call_path.h"
#include "context.h"
#include "run/pool.h"
#include "untold.h"
#include "user.h"
#include <refrain/trace.h>
#define REFRAIN_BUILDING
#pragma GCC visibility push(default)
#include <refrain/refrain.h>
#pragma GCC visibility pop

/* `record`: of the region "paused". */
static bool begin_pause(struct refrain_context *context, struct refrain_region_name *record) {
    struct refrain_entry *base = context->top;
    struct refrain_entry *entry =
        record ? refrain_enter_region(context, record, base->address, REFRAIN_ENTRY_REGION) : NULL;
    if (!entry) {
        refrain_lose(REFRAIN_LOSS_REGIONS, 1);
        return false;
    }
    entry->frame = base->frame; /* that of its activation, since a later search compares it */
    context->thread->paused = 1;
    return true;
}

static void end_pause(struct refrain_context *context) {
    context->busy = 1;
    refrain_untold_flush(context);
    refrain_leave(context);
    context->thread->paused = 0;
}

void refrain_pause_follow(struct refrain_context *context, const void *frame_address) {
    bool pause = __atomic_load_n(&refrain_trace_file.header->pause, __ATOMIC_RELAXED) != 0;
    if (pause == (context->thread->paused != 0) || (context->busy & 1))
        return;
    if (!pause) {
        end_pause(context);
        refrain_end(context);
        return;
    }
    if (!refrain_begin())
        return;
    bool paused = false;
    if (!context->thread->now.inside) {
        refrain_drop_above_caller(context, frame_address);
        struct refrain_region_name *record = refrain_user_record(context, "paused", REFRAIN_USE_PAUSE);
        paused = begin_pause(context, refrain_untold_record(context) ? record : NULL);
    }
    refrain_end(context);
    context->busy = paused ? REFRAIN_PAUSED : 0;
}

static void flush_untold(void *context) {
    refrain_untold_flush(context);
}

/* Called by the probe of a function, which must not change registers. */
void refrain_pause_leave(uintptr_t frame) {
    struct refrain_context *context = refrain_thread_context;
    if (!context || context->busy != REFRAIN_PAUSED)
        return;
    context->busy = 1;
    struct refrain_region_name *record = refrain_user_record_on_top(context);
    refrain_keep_vectors(flush_untold, context);
    bool paused = true;
    if (refrain_drop_above(context, NULL, frame)) {
        refrain_leave(context);
        paused = begin_pause(context, record);
    }
    context->thread->paused = paused;
    context->busy = paused ? REFRAIN_PAUSED : 0;
}

void refrain_pause_end(struct refrain_context *context) {
    if (!context->thread || context->busy != REFRAIN_PAUSED)
        return;
    end_pause(context);
    refrain_end(context);
}

static void set_pause(uint32_t pause, const void *frame_address) {
    struct refrain_context *context = refrain_thread_context ? refrain_thread_context : refrain_context();
    if (!context || !context->thread || !refrain_trace_file.header)
        return;
    __atomic_store_n(&refrain_trace_file.header->pause, pause, __ATOMIC_RELAXED);
    refrain_pause_follow(context, frame_address);
}

void refrain_pause(void) {
    set_pause(1, REFRAIN_FRAME_ADDRESS);
}

void refrain_resume(void) {
    set_pause(0, REFRAIN_FRAME_ADDRESS);
}
