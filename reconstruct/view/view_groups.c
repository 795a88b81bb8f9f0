/* view_groups.c: groups regions by name (view_groups.h). */
#include "view/view_groups.h"
#include "view/picture_colours.h"

#include <stdlib.h>
#include <string.h>

/* The index of a region's group. Adds the group if there is none. */
static uint32_t group_of(struct refrain_groups *groups, const struct refrain_region_info *region) {
    uint32_t g = 0;
    while (g < groups->n && (groups->groups[g].region->kind != region->kind ||
                             strcmp(groups->groups[g].region->name, region->name) != 0))
        g++;
    if (g == groups->n)
        groups->groups[groups->n++] = (struct refrain_group){.region = region, .colour = refrain_region_colour(region)};
    return g;
}

bool refrain_groups_open(struct refrain_groups *groups, const struct refrain_picture *picture) {
    size_t n = (size_t)picture->n_regions + 1;
    *groups = (struct refrain_groups){calloc(n, sizeof *groups->groups), 0, calloc(n, sizeof(uint32_t))};
    if (!groups->groups || !groups->of_region) {
        refrain_groups_close(groups);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        groups->of_region[i] = group_of(groups, refrain_picture_region(picture, i));
        groups->groups[groups->of_region[i]].own_ns += picture->totals[i].own_ns;
        groups->groups[groups->of_region[i]].waiting_ns += picture->totals[i].waiting_ns;
    }
    return true;
}

void refrain_groups_close(struct refrain_groups *groups) {
    free(groups->groups);
    free(groups->of_region);
    *groups = (struct refrain_groups){0};
}
