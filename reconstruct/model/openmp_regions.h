/* openmp_regions.h: finds the user regions that are OpenMP constructs, by their names (refrain/openmp_names.h). */
#ifndef REFRAIN_OPENMP_REGIONS_H
#define REFRAIN_OPENMP_REGIONS_H

#include "model/trace_read.h"
#include <refrain/openmp_names.h>

struct refrain_openmp_region {
    enum refrain_openmp_class class;
    bool block;    /* the block of the construct, on each thread that executes it */
    uint32_t lock; /* number of the lock of a critical construct; equal names have equal numbers */
};

struct refrain_openmp_regions {
    struct refrain_openmp_region
        *of;  /* by region index; one more entry at the end is for regions that are no constructs */
    size_t n; /* regions */
    bool any; /* the trace has a construct */
};

/* Classifies all regions of the trace. False without memory; refrain_openmp_regions_free() must be called even then. */
bool refrain_openmp_regions_make(struct refrain_openmp_regions *regions, const struct refrain_trace *trace);
void refrain_openmp_regions_free(struct refrain_openmp_regions *regions);

/* The class of a region: REFRAIN_OPENMP_NONE if it is no construct, or no region of the trace. */
static inline const struct refrain_openmp_region *refrain_openmp_region(const struct refrain_openmp_regions *regions,
                                                                        const struct refrain_region_info *region) {
    return &regions->of[region->index < regions->n ? region->index : regions->n];
}

#endif
