/* replay_program.h: a random program that makes probes, calls, operations, regions and jumps out of several frames,
 * depending on `state`, until steps_left is 0; and a reader of its recorded events. For test_replay.c and
 * test_live_copy.c. */
#ifndef REPLAY_PROGRAM_H
#define REPLAY_PROGRAM_H

#include "activation.h"
#include "arch/arch.h"
#include "call.h"
#include "run/loaded_units.h"
#include "walk/walk_rank.h"
#include <refrain/refrain.h>

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS 4u
#define SLOTS_EACH 15u
/* Each function: [0] entry, [2] if, [5] loop, [8] call, [10] MPI call, [12] switch, [13] macro */

static struct refrain_node nodes[1 + FUNCTIONS * 7];
static const char strings[] = "\0replay_program.h";
static struct refrain_unit unit = {.n_nodes = 1 + FUNCTIONS * 7,
                                   .n_slots = FUNCTIONS * SLOTS_EACH,
                                   .strings_bytes = sizeof strings,
                                   .nodes = nodes,
                                   .strings = strings};

static const struct refrain_units units = {.version = REFRAIN_UNIT_VERSION, .unit = &unit};

static void make_tables(void) {
    static const unsigned kinds[] = {REFRAIN_FUNCTION, REFRAIN_IF,     REFRAIN_FOR,  REFRAIN_CALL,
                                     REFRAIN_MPI_CALL, REFRAIN_SWITCH, REFRAIN_MACRO};
    static const unsigned slots[] = {0, 2, 5, 8, 10, 12, 13};
    for (unsigned f = 0; f < FUNCTIONS; f++)
        for (unsigned k = 0; k < 7; k++)
            nodes[1 + f * 7 + k] = (struct refrain_node){
                .kind = kinds[k], .parent = k ? 1 + f * 7 : 0, .slot = f * SLOTS_EACH + slots[k], .line = f + 1};
}

static uint64_t state;
static unsigned steps_left;
static bool alike;                /* most iterations of a loop decide as the one before, and there are more of them */
static void (*before_step)(void); /* may be null */

static unsigned chance(unsigned n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % n;
}

/* A function's decisions repeat after this number: a cycle that is longer than a formula. */
#define CYCLE 300u

static unsigned cyclic_decision(unsigned f) {
    static unsigned at[FUNCTIONS];
    uint64_t h = (at[f]++ % CYCLE + 1) * 0x9e3779b97f4a7c15u ^ f;
    return (unsigned)(h * (h >> 32 | 1) >> 63);
}

static jmp_buf landing;
static unsigned landing_depth;

static void mpi_call(unsigned depth);

static unsigned decide(struct activation *frame, unsigned slot, unsigned value) {
    refrain_probe(&unit, value ? slot + 1 : slot + 2, frame, 0);
    return value;
}

static __attribute__((noinline)) void function(unsigned f, unsigned depth) {
    ACTIVATION(frame, &unit, f * SLOTS_EACH);
    unsigned base = f * SLOTS_EACH, actions = 1 + chance(6);
    for (unsigned i = 0; i < actions && steps_left; i++) {
        steps_left--;
        if (before_step)
            before_step();
        switch (chance(depth < 12 ? 12 : 6)) {
        case 0:
            decide(&frame, base + 2, cyclic_decision(f));
            break;
        case 1: {
            unsigned n = chance(alike ? 60 : 5);
            uint64_t begin = state;
            for (unsigned j = 0; decide(&frame, base + 5, j < n); j++) {
                if (alike && steps_left && chance(16))
                    state = begin;
                if (depth < 12 && chance(alike ? 2 : 4) == 0)
                    function(chance(FUNCTIONS), depth + 1);
                else if (alike)
                    mpi_call(depth);
            }
            if (alike)
                state = (begin ^ steps_left) * 0x9e3779b97f4a7c15u | 1;
            break;
        }
        case 2:
            refrain_probe(&unit, base + 12, &frame, 0);
            break;
        case 3:
            refrain_probe(&unit, base + 10, &frame, 0);
            mpi_call(depth);
            break;
        case 4:
            mpi_call(depth);
            break;
        case 5:
            if (landing_depth && landing_depth < depth && chance(20) == 0)
                longjmp(landing, 1);
            break;
        case 6:
            refrain_region_begin("region");
            if (chance(2))
                decide(&frame, base + 2, cyclic_decision(f));
            function(chance(FUNCTIONS), depth + 1);
            refrain_region_end();
            break;
        case 7:
            if (landing_depth == 0) {
                landing_depth = depth;
                if (setjmp(landing) == 0)
                    function(chance(FUNCTIONS), depth + 1);
                landing_depth = 0;
                if (chance(2))
                    refrain_probe(&unit, base + 12, &frame, 0);
            }
            break;
        case 8:
            function(chance(FUNCTIONS), depth + 1);
            break;
        case 9:
            refrain_probe(&unit, base + 13, &frame, 0);
            function(chance(FUNCTIONS), depth + 1);
            function(chance(FUNCTIONS), depth + 1);
            break;
        default:
            refrain_probe(&unit, base + 8, &frame, 0);
            function(chance(FUNCTIONS), depth + 1);
        }
    }
}

/* Requests as a wrapper would keep them. */
static struct {
    bool taken;
    struct refrain_operation_record *posted;
} requests[16];

static void mpi_call(unsigned depth) {
    struct refrain_call call;
    unsigned function_number = chance(3), index = 0;
    refrain_call_begin(&call, function_number, __builtin_return_address(0), REFRAIN_FRAME_ADDRESS);
    while (index < 16 && requests[index].taken)
        index++;
    int64_t partner = chance(4), parameters[] = {partner, partner * 7, chance(2) * 100, 0};
    switch (function_number) {
    case 0:
        refrain_call_operation(&call, REFRAIN_OP_SEND, parameters, 4);
        if (depth < 12 && chance(8) == 0)
            function(chance(FUNCTIONS), depth + 1); /* as an MPI user operation */
        break;
    case 1:
        if (index < 16) {
            requests[index].posted = refrain_call_operation(&call, REFRAIN_OP_IRECV, &parameters[3], 1);
            requests[index].taken = true;
        }
        break;
    default:
        refrain_call_returned(&call);
        for (unsigned i = 0; i < 16; i++)
            if (requests[i].taken && chance(2)) {
                struct refrain_completion completions[2] = {
                    {requests[i].posted, parameters[0], parameters[1], parameters[2], parameters[3]},
                    {requests[(i + 1) % 16].posted, parameters[1], parameters[0], parameters[2], parameters[3]}};
                unsigned n = i + 1 < 16 && requests[i + 1].taken && chance(2) ? 2 : 1;
                refrain_call_complete(&call, i, completions, n, false);
                for (unsigned k = 0; k < n; k++)
                    requests[i + k].taken = false;
            }
    }
    refrain_call_end(&call);
}

/* Runs the whole program, with the trace file and the event file in `directory`. */
static void run_program(const char *directory) {
    setenv("REFRAIN_MODE", "both", 1);
    setenv("REFRAIN_DIRECTORY", directory, 1);
    make_tables();
    refrain_register(&units);
    for (int i = 0; i < 8; i++)
        chance(2);
    while (steps_left)
        function(chance(FUNCTIONS), 1);
}

/* The next recorded one of a file of one thread; false at the end. */
static bool next_recorded(const unsigned char *file, uint64_t file_bytes, uint64_t *at, struct refrain_record *record) {
    for (uint64_t begin; (begin = *at / REFRAIN_EVENTS_EXTENT_BYTES * REFRAIN_EVENTS_EXTENT_BYTES) < file_bytes;) {
        const struct refrain_events_header *header = (const void *)(file + begin);
        if (*at == begin) /* the extent before was full to its last byte */
            *at += REFRAIN_EVENTS_HEADER_BYTES;
        const uint64_t *words = (const void *)(file + *at);
        if (*at >= begin + header->bytes_used) {
            if (begin + REFRAIN_EVENTS_EXTENT_BYTES >= file_bytes)
                return false;
            *at = begin + REFRAIN_EVENTS_EXTENT_BYTES + REFRAIN_EVENTS_HEADER_BYTES;
            continue;
        }
        unsigned n = words[0] >> 24 & 255;
        memset(record, 0, sizeof *record);
        record->kind = (uint8_t)words[0];
        record->operation = (uint32_t)(words[0] >> 32);
        record->n_parameters = n - 3;
        record->ticks = words[1];
        record->id = words[2];
        memcpy(record->parameters, words + 3, (n - 3) * 8);
        *at += n * 8;
        return true;
    }
    return false;
}

/* True if the replayed record equals the recorded one. An approximate record may have other parameters, and a
 * completion none, since its request may not be a receive. */
static bool same_record(const struct refrain_record *replayed, const struct refrain_record *recorded) {
    return replayed->kind == recorded->kind && replayed->operation == recorded->operation &&
           replayed->id == recorded->id &&
           (replayed->approximate ||
            (replayed->n_parameters == recorded->n_parameters &&
             memcmp(replayed->parameters, recorded->parameters, sizeof replayed->parameters) == 0));
}

#endif
