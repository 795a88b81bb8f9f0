/* openmp_regions.h: which user regions are OpenMP's constructs, by their names (refrain/openmp_names.h). */
#ifndef REFRAIN_OPENMP_REGIONS_H
#define REFRAIN_OPENMP_REGIONS_H

#include "model/trace_read.h"
#include <refrain/openmp_names.h>

struct refrain_openmp_region {
    enum refrain_openmp_class class;
    bool block;    /* the construct's block, on each thread that executes it */
    uint32_t lock; /* of critical constructs: those of one name have one number */
};

struct refrain_openmp_regions {
    struct refrain_openmp_region *of; /* by region index, and behind the last one what is none */
    size_t n;                         /* regions */
    bool any;                         /* some region is a construct */
};

/* Looks at the names of all regions of the trace. False without memory; then, too, refrain_openmp_regions_free is to be
 * called. */
bool refrain_openmp_regions_make(struct refrain_openmp_regions *regions, const struct refrain_trace *trace);
void refrain_openmp_regions_free(struct refrain_openmp_regions *regions);

/* What the region is; of class REFRAIN_OPENMP_NONE where it is no construct, or none of the trace's regions. */
static inline const struct refrain_openmp_region *refrain_openmp_region(const struct refrain_openmp_regions *regions,
                                                                        const struct refrain_region_info *region) {
    return &regions->of[region->index < regions->n ? region->index : regions->n];
}

#endif
