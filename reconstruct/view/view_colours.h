/* view_colours.h: which regions are shown as one, and in which colour: the same as in the page (page/palette.ts). */
#ifndef REFRAIN_VIEW_COLOURS_H
#define REFRAIN_VIEW_COLOURS_H

#include <refrain/read.h>

/* All regions of one kind and name. */
struct refrain_group {
    const struct refrain_region_info *region; /* the first of them */
    const char *colour;                       /* "#rrggbb" */
    double own_ns, waiting_ns;
};

struct refrain_groups {
    struct refrain_group *groups;
    uint32_t n;
    uint32_t *of_region; /* index of each region's group */
};

/* Groups the regions of a trace; `own_ns` is each region's time, by which functions get their colours. False without
 * memory. The caller closes. */
bool refrain_groups_open(struct refrain_groups *groups, const struct refrain_trace *trace, const double *own_ns);
void refrain_groups_close(struct refrain_groups *groups);

#endif
