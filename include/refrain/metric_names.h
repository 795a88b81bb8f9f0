/* metric_names.h: names accepted by REFRAIN_METRICS: those of perf; those of PAPI that are the same on every
 * processor; and rHEX, an event of this processor by its number (perf's raw events). */
#ifndef REFRAIN_METRIC_NAMES_H
#define REFRAIN_METRIC_NAMES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* An event as the kernel defines it. */
struct refrain_metric_event {
    const char *name;
    uint32_t type; /* PERF_TYPE_* */
    uint64_t config;
};

#define REFRAIN_METRIC_HARDWARE(event) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event
#define REFRAIN_METRIC_SOFTWARE(event) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event
#define REFRAIN_METRIC_CACHE(cache, op, result)                                                                        \
    PERF_TYPE_HW_CACHE,                                                                                                \
        PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16

static const struct refrain_metric_event refrain_metric_events[] = {
    {"cycles", REFRAIN_METRIC_HARDWARE(CPU_CYCLES)},
    {"cpu-cycles", REFRAIN_METRIC_HARDWARE(CPU_CYCLES)},
    {"instructions", REFRAIN_METRIC_HARDWARE(INSTRUCTIONS)},
    {"cache-references", REFRAIN_METRIC_HARDWARE(CACHE_REFERENCES)},
    {"cache-misses", REFRAIN_METRIC_HARDWARE(CACHE_MISSES)},
    {"branches", REFRAIN_METRIC_HARDWARE(BRANCH_INSTRUCTIONS)},
    {"branch-instructions", REFRAIN_METRIC_HARDWARE(BRANCH_INSTRUCTIONS)},
    {"branch-misses", REFRAIN_METRIC_HARDWARE(BRANCH_MISSES)},
    {"bus-cycles", REFRAIN_METRIC_HARDWARE(BUS_CYCLES)},
    {"ref-cycles", REFRAIN_METRIC_HARDWARE(REF_CPU_CYCLES)},
    {"stalled-cycles-frontend", REFRAIN_METRIC_HARDWARE(STALLED_CYCLES_FRONTEND)},
    {"stalled-cycles-backend", REFRAIN_METRIC_HARDWARE(STALLED_CYCLES_BACKEND)},
    {"task-clock", REFRAIN_METRIC_SOFTWARE(TASK_CLOCK)}, /* ns on a processor */
    {"cpu-clock", REFRAIN_METRIC_SOFTWARE(CPU_CLOCK)},
    {"page-faults", REFRAIN_METRIC_SOFTWARE(PAGE_FAULTS)},
    {"faults", REFRAIN_METRIC_SOFTWARE(PAGE_FAULTS)},
    {"minor-faults", REFRAIN_METRIC_SOFTWARE(PAGE_FAULTS_MIN)},
    {"major-faults", REFRAIN_METRIC_SOFTWARE(PAGE_FAULTS_MAJ)},
    {"context-switches", REFRAIN_METRIC_SOFTWARE(CONTEXT_SWITCHES)},
    {"cs", REFRAIN_METRIC_SOFTWARE(CONTEXT_SWITCHES)},
    {"cpu-migrations", REFRAIN_METRIC_SOFTWARE(CPU_MIGRATIONS)},
    {"migrations", REFRAIN_METRIC_SOFTWARE(CPU_MIGRATIONS)},
    {"alignment-faults", REFRAIN_METRIC_SOFTWARE(ALIGNMENT_FAULTS)},
    {"emulation-faults", REFRAIN_METRIC_SOFTWARE(EMULATION_FAULTS)},
    {"L1-dcache-loads", REFRAIN_METRIC_CACHE(L1D, READ, ACCESS)},
    {"L1-dcache-load-misses", REFRAIN_METRIC_CACHE(L1D, READ, MISS)},
    {"L1-dcache-stores", REFRAIN_METRIC_CACHE(L1D, WRITE, ACCESS)},
    {"L1-dcache-store-misses", REFRAIN_METRIC_CACHE(L1D, WRITE, MISS)},
    {"L1-icache-loads", REFRAIN_METRIC_CACHE(L1I, READ, ACCESS)},
    {"L1-icache-load-misses", REFRAIN_METRIC_CACHE(L1I, READ, MISS)},
    {"LLC-loads", REFRAIN_METRIC_CACHE(LL, READ, ACCESS)},
    {"LLC-load-misses", REFRAIN_METRIC_CACHE(LL, READ, MISS)},
    {"LLC-stores", REFRAIN_METRIC_CACHE(LL, WRITE, ACCESS)},
    {"LLC-store-misses", REFRAIN_METRIC_CACHE(LL, WRITE, MISS)},
    {"dTLB-loads", REFRAIN_METRIC_CACHE(DTLB, READ, ACCESS)},
    {"dTLB-load-misses", REFRAIN_METRIC_CACHE(DTLB, READ, MISS)},
    {"dTLB-stores", REFRAIN_METRIC_CACHE(DTLB, WRITE, ACCESS)},
    {"dTLB-store-misses", REFRAIN_METRIC_CACHE(DTLB, WRITE, MISS)},
    {"iTLB-loads", REFRAIN_METRIC_CACHE(ITLB, READ, ACCESS)},
    {"iTLB-load-misses", REFRAIN_METRIC_CACHE(ITLB, READ, MISS)},
    {"branch-loads", REFRAIN_METRIC_CACHE(BPU, READ, ACCESS)},
    {"branch-load-misses", REFRAIN_METRIC_CACHE(BPU, READ, MISS)},
    {"node-loads", REFRAIN_METRIC_CACHE(NODE, READ, ACCESS)},
    {"node-load-misses", REFRAIN_METRIC_CACHE(NODE, READ, MISS)},
    {"PAPI_TOT_CYC", REFRAIN_METRIC_HARDWARE(CPU_CYCLES)},
    {"PAPI_TOT_INS", REFRAIN_METRIC_HARDWARE(INSTRUCTIONS)},
    {"PAPI_REF_CYC", REFRAIN_METRIC_HARDWARE(REF_CPU_CYCLES)},
    {"PAPI_BR_INS", REFRAIN_METRIC_HARDWARE(BRANCH_INSTRUCTIONS)},
    {"PAPI_BR_MSP", REFRAIN_METRIC_HARDWARE(BRANCH_MISSES)},
    {"PAPI_RES_STL", REFRAIN_METRIC_HARDWARE(STALLED_CYCLES_BACKEND)},
    {"PAPI_L1_DCM", REFRAIN_METRIC_CACHE(L1D, READ, MISS)},
    {"PAPI_L1_ICM", REFRAIN_METRIC_CACHE(L1I, READ, MISS)},
    {"PAPI_L3_TCA", REFRAIN_METRIC_HARDWARE(CACHE_REFERENCES)},
    {"PAPI_L3_TCM", REFRAIN_METRIC_HARDWARE(CACHE_MISSES)},
    {"PAPI_LD_INS", REFRAIN_METRIC_CACHE(L1D, READ, ACCESS)},
    {"PAPI_SR_INS", REFRAIN_METRIC_CACHE(L1D, WRITE, ACCESS)},
    {"PAPI_TLB_DM", REFRAIN_METRIC_CACHE(DTLB, READ, MISS)},
    {"PAPI_TLB_IM", REFRAIN_METRIC_CACHE(ITLB, READ, MISS)},
};
#define REFRAIN_METRIC_EVENTS (sizeof refrain_metric_events / sizeof *refrain_metric_events)

/* Finds an event by its name, ignoring case. False if there is none. */
static inline bool refrain_metric_find(const char *name, struct refrain_metric_event *event) {
    for (size_t i = 0; i < REFRAIN_METRIC_EVENTS; i++)
        if (strcasecmp(name, refrain_metric_events[i].name) == 0) {
            *event = refrain_metric_events[i];
            return true;
        }
    char *end = NULL;
    if ((name[0] != 'r' && name[0] != 'R') || strspn(name + 1, "0123456789abcdefABCDEF") != strlen(name + 1))
        return false;
    *event = (struct refrain_metric_event){name, PERF_TYPE_RAW, strtoull(name + 1, &end, 16)};
    return end != name + 1;
}

/* Characters that separate names in a list. */
#define REFRAIN_METRIC_SEPARATORS ", \t\n:;"

#endif
