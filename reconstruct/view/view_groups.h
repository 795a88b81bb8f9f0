/* view_groups.h: which regions a figure shows as one. The page uses the same groups (page/palette.ts). */
#ifndef REFRAIN_VIEW_GROUPS_H
#define REFRAIN_VIEW_GROUPS_H

#include "analysis/picture.h"

/* All regions of one kind and name. */
struct refrain_group {
    const struct refrain_region_info *region; /* the group's first region */
    uint32_t colour;                          /* 0xrrggbb (picture_colours.h) */
    double own_ns, waiting_ns;                /* totals in the picture's window */
};

struct refrain_groups {
    struct refrain_group *groups;
    uint32_t n;
    uint32_t *of_region; /* by region: index of its group; [n_regions]: group of the unknown region */
};

/* Groups the regions of a picture. False without memory. The caller closes the groups in both cases. */
bool refrain_groups_open(struct refrain_groups *groups, const struct refrain_picture *picture);
void refrain_groups_close(struct refrain_groups *groups);

#endif
