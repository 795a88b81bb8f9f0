/* openmp_regions.c: see openmp_regions.h. */
#include "model/openmp_regions.h"

#include <stdlib.h>

static bool is_critical(const struct refrain_openmp_name *name) {
    return name->class == REFRAIN_OPENMP_CRITICAL;
}

/* The number of the lock of a critical construct: that of an earlier construct of the same name, or a new one. */
static uint32_t lock_of(const struct refrain_openmp_regions *regions, const struct refrain_trace *trace, size_t n,
                        const struct refrain_openmp_name *name, uint32_t *n_locks) {
    for (size_t i = 0; i < n; i++) {
        const struct refrain_openmp_name other = refrain_openmp_name(trace->regions[i].name);
        if (regions->of[i].class == REFRAIN_OPENMP_CRITICAL && other.argument_length == name->argument_length &&
            memcmp(other.argument_length ? other.argument : "", name->argument_length ? name->argument : "",
                   name->argument_length) == 0)
            return regions->of[i].lock;
    }
    return (*n_locks)++;
}

bool refrain_openmp_regions_make(struct refrain_openmp_regions *regions, const struct refrain_trace *trace) {
    uint32_t n_locks = 0;
    regions->n = trace->n_regions;
    regions->any = false;
    regions->of = calloc(trace->n_regions + 1, sizeof *regions->of);
    for (size_t i = 0; regions->of && i < trace->n_regions; i++) {
        if (trace->regions[i].kind == REFRAIN_REGION_VALUE)
            continue;
        const struct refrain_openmp_name name = refrain_openmp_name(trace->regions[i].name);
        if (is_critical(&name))
            regions->of[i].lock = lock_of(regions, trace, i, &name, &n_locks);
        regions->of[i].class = name.class;
        regions->of[i].block = name.block;
        regions->any |= name.class != REFRAIN_OPENMP_NONE;
    }
    return regions->of != NULL;
}

void refrain_openmp_regions_free(struct refrain_openmp_regions *regions) {
    free(regions->of);
    *regions = (struct refrain_openmp_regions){0};
}
