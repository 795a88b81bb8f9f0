/* construct_regions.c: finds user regions that are constructs of OpenMP or pthreads (construct_regions.h). */
#include "model/construct_regions.h"

#include <stdlib.h>

static bool is_mutex(enum refrain_construct_class class) {
    return refrain_construct_locks(class) || refrain_construct_unlocks(class);
}

static bool has_lock(const struct refrain_construct_name *name) {
    return name->class == REFRAIN_CONSTRUCT_CRITICAL || (is_mutex(name->class) && name->argument_length);
}

/* The number of the lock of a construct: that of an earlier one with the same lock, or a new one. */
static uint32_t lock_of(const struct refrain_construct_regions *regions, const struct refrain_trace *trace, size_t n,
                        const struct refrain_construct_name *name, uint32_t *n_locks) {
    for (size_t i = 0; i < n; i++) {
        const struct refrain_construct_name other = refrain_construct_name(trace->regions[i].name);
        if (regions->of[i].lock && is_mutex(other.class) == is_mutex(name->class) &&
            other.argument_length == name->argument_length &&
            memcmp(other.argument_length ? other.argument : "", name->argument_length ? name->argument : "",
                   name->argument_length) == 0)
            return regions->of[i].lock;
    }
    return ++*n_locks;
}

bool refrain_construct_regions_make(struct refrain_construct_regions *regions, const struct refrain_trace *trace) {
    uint32_t n_locks = 0;
    regions->n = trace->n_regions;
    regions->any = false;
    regions->of = calloc(trace->n_regions + 1, sizeof *regions->of);
    for (size_t i = 0; regions->of && i < trace->n_regions; i++) {
        if (trace->regions[i].kind == REFRAIN_REGION_VALUE)
            continue;
        const struct refrain_construct_name name = refrain_construct_name(trace->regions[i].name);
        if (has_lock(&name))
            regions->of[i].lock = lock_of(regions, trace, i, &name, &n_locks);
        regions->of[i].class = name.class;
        regions->of[i].block = name.block;
        regions->any |= name.class != REFRAIN_CONSTRUCT_NONE;
    }
    return regions->of != NULL;
}

void refrain_construct_regions_free(struct refrain_construct_regions *regions) {
    free(regions->of);
    *regions = (struct refrain_construct_regions){0};
}
