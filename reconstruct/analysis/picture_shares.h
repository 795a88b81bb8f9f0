/* picture_shares.h: divides each interval of the window among the regions, one location at a time (picture.c ->
 * shares). */
#ifndef REFRAIN_PICTURE_SHARES_H
#define REFRAIN_PICTURE_SHARES_H

#include "analysis/picture.h"

/* The current interval of a location. */
struct refrain_picture_bin {
    size_t capacity;
    uint32_t bin, n;
    struct refrain_picture_part {
        uint32_t region, flags;
        double ns;
    } * parts;
};

/* Adds the time from `from_ns` to `to_ns` for the region. It lies in the window, and not before the time added last. */
void refrain_picture_share_add(struct refrain_picture *picture, uint32_t location, struct refrain_picture_bin *bin,
                               uint32_t region, uint32_t flags, double from_ns, double to_ns);

/* Appends the shares of the current interval. */
void refrain_picture_share_flush(struct refrain_picture *picture, uint32_t location, struct refrain_picture_bin *bin);

#endif
