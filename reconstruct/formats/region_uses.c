/* region_uses.c: finds the uses of user region names (region_uses.h). */
#include "formats/region_uses.h"

#include <stdlib.h>

uint16_t *refrain_region_uses(const struct refrain_trace *trace) {
    uint16_t *uses = calloc(trace->n_regions + 1, sizeof *uses);
    for (size_t p = 0; uses && p < trace->n_processes; p++) {
        const struct refrain_process *process = &trace->processes[p];
        for (size_t i = 0; i < process->n_user_regions; i++) {
            const struct refrain_user_region_view *view = &process->user_regions[i];
            if (view->region && view->record->use != REFRAIN_USE_UNTOLD)
                uses[view->region->index] |= (uint16_t)(1u << view->record->use);
        }
    }
    return uses;
}
