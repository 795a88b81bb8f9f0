/* region_list.c: adds to the trace file's list of regions: user regions, constructs, functions without probes
 * (region_list.h). Several threads may add at once. */
#include "run/region_list.h"
#include "run/pool.h"
#include <refrain/trace.h>

void refrain_region_add(struct refrain_region_name *record) {
    uint64_t head = __atomic_load_n(&refrain_trace_file.header->regions, __ATOMIC_RELAXED);
    record->number = __atomic_fetch_add(&refrain_trace_file.header->n_regions, 1, __ATOMIC_RELAXED);
    do
        record->next = (uint32_t)head;
    while (!__atomic_compare_exchange_n(&refrain_trace_file.header->regions, &head, refrain_reference(record), false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}
