/* picture_shares.c: adds up the time of each interval of the window by region (picture_shares.h). */
#include "analysis/picture_shares.h"
#include "common/array.h"

void refrain_picture_share_flush(struct refrain_picture *picture, uint32_t location, struct refrain_picture_bin *bin) {
    double width_ns = (picture->to_ns - picture->from_ns) / picture->n_bins;
    for (uint32_t i = 0; i < bin->n; i++) {
        const struct refrain_picture_part *part = &bin->parts[i];
        double share = part->ns / width_ns * REFRAIN_PICTURE_WHOLE + 0.5;
        if (share < 1)
            share = 1; /* a region with any time has a share, so that a search finds it */
        struct refrain_picture_share *given = refrain_picture_append(picture, &picture->shares, sizeof *given);
        if (given)
            *given = (struct refrain_picture_share){
                location, bin->bin,
                refrain_picture_share_of(part->region, (part->flags & REFRAIN_PICTURE_WAITING) != 0,
                                         share > REFRAIN_PICTURE_WHOLE ? REFRAIN_PICTURE_WHOLE : (uint32_t)share)};
    }
    bin->n = 0;
}

static void add_to_bin(struct refrain_picture *picture, struct refrain_picture_bin *bin, uint32_t region,
                       uint32_t flags, double ns) {
    uint32_t i = 0;
    while (i < bin->n && (bin->parts[i].region != region || bin->parts[i].flags != flags))
        i++;
    if (i == bin->n) {
        if (!REFRAIN_ARENA_ROOM(bin->parts, bin->n, bin->capacity)) {
            picture->no_memory = true;
            return;
        }
        bin->parts[bin->n++] = (struct refrain_picture_part){region, flags, 0};
    }
    bin->parts[i].ns += ns;
}

void refrain_picture_share_add(struct refrain_picture *picture, uint32_t location, struct refrain_picture_bin *bin,
                               uint32_t region, uint32_t flags, double from_ns, double to_ns) {
    double width_ns = (picture->to_ns - picture->from_ns) / picture->n_bins;
    double first = (from_ns - picture->from_ns) / width_ns;
    uint32_t last_bin = picture->n_bins - 1;
    uint32_t at = first < 0 ? 0 : first >= last_bin ? last_bin : (uint32_t)first;
    while (from_ns < to_ns) {
        double end_ns = at == last_bin ? to_ns : picture->from_ns + (at + 1) * width_ns;
        if (end_ns > to_ns)
            end_ns = to_ns;
        if (at != bin->bin) {
            refrain_picture_share_flush(picture, location, bin);
            bin->bin = at;
        }
        if (end_ns > from_ns)
            add_to_bin(picture, bin, region, flags, end_ns - from_ns);
        from_ns = end_ns;
        at++;
    }
}
