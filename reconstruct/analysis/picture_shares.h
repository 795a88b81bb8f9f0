/* picture_shares.h: each interval's time by region, one location at a time (picture.c -> shares). */
#ifndef REFRAIN_PICTURE_SHARES_H
#define REFRAIN_PICTURE_SHARES_H

#include "analysis/picture.h"

/* A location's interval that is being filled. */
struct refrain_picture_bin {
    size_t capacity;
    uint32_t bin, n;
    struct refrain_picture_part {
        uint32_t region, flags;
        double ns;
    } * parts;
};

/* The region had the time from `from_ns` to `to_ns`, which lies in the window and not before what was added last. */
void refrain_picture_share_add(struct refrain_picture *picture, uint32_t location, struct refrain_picture_bin *bin,
                               uint32_t region, uint32_t flags, double from_ns, double to_ns);

/* Gives the interval that is being filled. */
void refrain_picture_share_flush(struct refrain_picture *picture, uint32_t location, struct refrain_picture_bin *bin);

#endif
