/* numbered.h: call sites, user regions and communicators of a process by their numbers, which is how learned values
 * name them (image -> walker, recursion, rows that were counted). */
#ifndef REFRAIN_NUMBERED_H
#define REFRAIN_NUMBERED_H

#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_numbered {
    uint64_t *call_sites; /* offsets, 0 = there is none of this number */
    uint64_t *regions;
    uint64_t *communicators;
    size_t n_call_sites, n_regions, n_communicators;
    const unsigned char *image;
};

/* Reads the lists of the image. False without memory; what is damaged is left out. */
bool refrain_numbered_open(struct refrain_numbered *numbered, const void *image, size_t image_bytes);

void refrain_numbered_close(struct refrain_numbered *numbered);

/* The offset of a struct refrain_call_site, 0 where the image has none of this number. */
static inline uint64_t refrain_numbered_call_site(const struct refrain_numbered *numbered, uint64_t number) {
    return number < numbered->n_call_sites ? numbered->call_sites[number] : 0;
}

/* The same of a struct refrain_region_name. */
static inline uint64_t refrain_numbered_region(const struct refrain_numbered *numbered, uint64_t number) {
    return number < numbered->n_regions ? numbered->regions[number] : 0;
}

/* Are two communicators, by their indices, of the same members in the same order? */
bool refrain_numbered_same_members(const struct refrain_numbered *numbered, uint64_t a, uint64_t b);

#endif
