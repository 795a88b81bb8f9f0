/* settings.h: reads the settings of a traced program, and computes sizes from them (monitor and tools).
 *
 * The settings themselves, with their defaults and meanings, are in variables.def.
 *
 * Sizes accept K, M, G (powers of 1024), upper or lower case, with or without B or iB. Switches accept on, true,
 * yes, 1 and off, false, no, 0. The default of REFRAIN_TOTAL_MEMORY is that of Score-P's SCOREP_TOTAL_MEMORY: a job
 * that has room for one has room for the other. Nothing here allocates or prints. */
#ifndef REFRAIN_SETTINGS_H
#define REFRAIN_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strings.h>

#define REFRAIN_DEFAULT_TOTAL_MEMORY ((uint64_t)16 << 20)
#define REFRAIN_DEFAULT_TIME_SHARE 8u                  /* REFRAIN_TIME_MEMORY is 1 / this of REFRAIN_TOTAL_MEMORY */
#define REFRAIN_DEFAULT_TIME_BYTES ((uint64_t)2 << 20) /* at least this */
#define REFRAIN_SHADOW_STACK_ENTRIES 16384u            /* open activations of a thread */
#define REFRAIN_SHADOW_ENTRY_BYTES 48u
#define REFRAIN_ALLOWANCE_PERCENT 1u /* of the time of a thread, for its probes */
#define REFRAIN_ALLOWANCE_NS 500000u /* allowance that can be saved up for a time with many probes */
#define REFRAIN_ALLOWANCE_PROBES 64u /* number of probes between two samples */
/* Throttled probes are enabled again after this time, then after twice as long each time. */
#define REFRAIN_SLEEP_NS 100000000u
#define REFRAIN_ADDRESS_TABLE_ENTRIES 4096u /* most MPI call sites of a thread */
#define REFRAIN_ADDRESS_ENTRY_BYTES 24u
#define REFRAIN_OUTSIDE_THREAD_BYTES 32768u /* reserved for each thread */
#define REFRAIN_OUTSIDE_STACK_BYTES 16384u  /* of this, for its shadow stack; the rest is shared */
#define REFRAIN_OUTSIDE_SHARE 8u            /* 1 / this of what is left after that goes to data shared by threads */
/* Data of the libraries, and their first tables of requests, communicators and types. */
#define REFRAIN_OUTSIDE_FIXED_BYTES ((uint64_t)160 << 10)
/* Memory for packing at the end; before that, learners use it for rearranging. */
#define REFRAIN_OUTSIDE_END_BYTES ((uint64_t)1152 << 10)
/* Half of the memory above this is set aside for packing, until it is enough. */
#define REFRAIN_OUTSIDE_END_FROM ((uint64_t)1536 << 10)
/* Most that one thread needs for rearranging; touched only as far as it is used. */
#define REFRAIN_SCRATCH_BYTES 86536u
#define REFRAIN_SMALL_MEMORY ((uint64_t)2 << 20) /* below this, formulas are shorter */
#define REFRAIN_SMALL_FORMULA_LENGTH 32u
/* Least memory for calls, sites and learners besides the tables. */
#define REFRAIN_LEAST_POOL_BYTES ((uint64_t)20 << 10)
#define REFRAIN_LEAST_OTHER_BYTES ((uint64_t)8 << 10) /* of it, besides reserved call sites */
#define REFRAIN_LEAST_LEARN_BYTES ((uint64_t)4 << 10) /* of it, besides tables of sites as well */
#define REFRAIN_MAXIMUM_THREADS 256u
#define REFRAIN_MAXIMUM_PATH 256u    /* functions of a call path */
#define REFRAIN_DEFAULT_SAMPLES 100u /* per second of processor time (REFRAIN_SAMPLE) */
#define REFRAIN_MOST_SAMPLES 1000u
#define REFRAIN_MINIMUM_FORMULA_LENGTH 4u
#define REFRAIN_MAXIMUM_FORMULA_LENGTH 128u /* longer cycles are found in the archive */

/* Parses a size. False if `text` is no size, or exceeds 64 bits. */
static inline bool refrain_settings_size(const char *text, uint64_t *bytes) {
    uint64_t n = 0;
    const char *p = text;
    if (*p < '0' || *p > '9')
        return false;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (n > (UINT64_MAX - 9) / 10)
            return false;
        n = n * 10 + (uint64_t)(*p - '0');
    }
    unsigned shift = 0;
    switch (*p) {
    case 'k':
    case 'K':
        shift = 10;
        break;
    case 'm':
    case 'M':
        shift = 20;
        break;
    case 'g':
    case 'G':
        shift = 30;
        break;
    default:
        break;
    }
    if (shift)
        p++;
    if (shift && (*p == 'i' || *p == 'I') && (p[1] == 'b' || p[1] == 'B'))
        p += 2;
    else if (*p == 'b' || *p == 'B')
        p++;
    if (*p != 0 || (shift && n >> (64 - shift)))
        return false;
    *bytes = n << shift;
    return true;
}

/* Parses a switch. False if `text` is none. */
static inline bool refrain_settings_switch(const char *text, bool *value) {
    static const char *const on[] = {"on", "true", "yes", "1"}, *const off[] = {"off", "false", "no", "0"};
    for (unsigned i = 0; i < 4; i++) {
        if (strcasecmp(text, on[i]) == 0) {
            *value = true;
            return true;
        }
        if (strcasecmp(text, off[i]) == 0) {
            *value = false;
            return true;
        }
    }
    return false;
}

/* Bytes of `total` that are set aside for packing at the end. They grow slowly with `total`, so that a larger
 * `total` never leaves less memory for learning. If packing needs more, it uses unused parts of the trace file. */
static inline uint64_t refrain_settings_end_bytes(uint64_t total) {
    uint64_t bytes = total > REFRAIN_OUTSIDE_END_FROM ? (total - REFRAIN_OUTSIDE_END_FROM) / 2 : 0;
    return bytes < REFRAIN_OUTSIDE_END_BYTES ? bytes : REFRAIN_OUTSIDE_END_BYTES;
}

/* Bytes of `total` that the monitor keeps outside the trace file for `threads` threads: a part for each thread, and
 * a shared part. The shared part is enough for the whole shadow stack and call-site table of one thread, or for
 * parts of those of several threads. */
static inline uint64_t refrain_settings_outside_bytes(uint64_t total, uint32_t threads) {
    uint64_t whole = (uint64_t)REFRAIN_SHADOW_STACK_ENTRIES * REFRAIN_SHADOW_ENTRY_BYTES +
                     (uint64_t)REFRAIN_ADDRESS_TABLE_ENTRIES * REFRAIN_ADDRESS_ENTRY_BYTES -
                     REFRAIN_OUTSIDE_THREAD_BYTES;
    uint64_t each = REFRAIN_OUTSIDE_FIXED_BYTES + (uint64_t)threads * REFRAIN_OUTSIDE_THREAD_BYTES +
                    refrain_settings_end_bytes(total);
    uint64_t share = total > each ? (total - each) / REFRAIN_OUTSIDE_SHARE : 0;
    return each + (share < whole ? share : whole);
}

/* Bytes that are not part of the total: a list of the ranks of the run, and two lists of the members of a
 * communicator, each with room for some processes outside the run. */
#define REFRAIN_FOREIGN_MEMBERS 64u
static inline uint64_t refrain_settings_ranks_bytes(uint64_t ranks) {
    return 3 * sizeof(int32_t) * (ranks + REFRAIN_FOREIGN_MEMBERS);
}

/* Bytes that are not part of the total either: the working memory of this number of learning threads, beyond the
 * memory for packing, which is free until the end. */
static inline uint64_t refrain_settings_scratch_bytes(uint64_t total, uint32_t threads) {
    uint64_t bytes = (uint64_t)threads * REFRAIN_SCRATCH_BYTES, covered = refrain_settings_end_bytes(total);
    return bytes > covered ? bytes - covered : 0;
}

/* Bytes of the trace file of a process: the rest of `total`, in whole pages; 0 if nothing is left. */
static inline uint64_t refrain_settings_trace_file_bytes(uint64_t total, uint32_t threads) {
    uint64_t outside = refrain_settings_outside_bytes(total, threads);
    return total <= outside ? 0 : (total - outside) & ~(uint64_t)4095;
}

/* The smallest REFRAIN_TOTAL_MEMORY for a program. `tables`: bytes of its tables, including the header; `sites`: of
 * the tables of its sites (site_places.h); `calls`: of its reserved call sites (called.h). */
static inline uint64_t refrain_settings_least_bytes(uint64_t tables, uint64_t sites, uint64_t calls, uint32_t threads) {
    uint64_t other = sites + REFRAIN_LEAST_LEARN_BYTES;
    uint64_t pool = calls + (other < REFRAIN_LEAST_OTHER_BYTES ? REFRAIN_LEAST_OTHER_BYTES : other);
    uint64_t file = tables + (pool < REFRAIN_LEAST_POOL_BYTES ? REFRAIN_LEAST_POOL_BYTES : pool);
    uint64_t total = refrain_settings_outside_bytes(0, threads) + file;
    while (refrain_settings_trace_file_bytes(total, threads) < file)
        total += 4096;
    return total;
}

#endif
