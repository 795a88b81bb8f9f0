/* view_groups.h: which regions a figure shows as one; the page does the same (page/palette.ts). */
#ifndef REFRAIN_VIEW_GROUPS_H
#define REFRAIN_VIEW_GROUPS_H

#include "view/picture.h"

/* All regions of one kind and name. */
struct refrain_group {
    const struct refrain_region_info *region; /* the first of them */
    uint32_t colour;                          /* 0xrrggbb (picture_colours.h) */
    double own_ns, waiting_ns;                /* in the picture's window */
};

struct refrain_groups {
    struct refrain_group *groups;
    uint32_t n;
    uint32_t *of_region; /* index of each region's group; [n_regions]: of the unknown one */
};

/* Groups the regions of a picture. False without memory. The caller closes. */
bool refrain_groups_open(struct refrain_groups *groups, const struct refrain_picture *picture);
void refrain_groups_close(struct refrain_groups *groups);

#endif
