/* numbered.h: call sites and guests, user regions and communicators of a process by their numbers, which is how learned
 * values name them (image -> walker, recursion, rows that were counted). */
#ifndef REFRAIN_NUMBERED_H
#define REFRAIN_NUMBERED_H

#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A guest (struct refrain_guest); zero: there is none of this number. */
struct refrain_numbered_guest {
    uint64_t host;       /* offset of the call site that is its host */
    uint64_t calls_left; /* that a walk has not come to yet */
    uint32_t slot;
    uint32_t rows; /* number of its first row, 0 none */
    bool mixed;    /* also of a host: not all values of its guests are in their rows */
};

/* One of its rows (struct refrain_guest_row). */
struct refrain_numbered_row {
    const struct refrain_guest_row *row;
    uint64_t given; /* of its count */
    uint32_t next;  /* number of the next row of the guest, 0 none */
    uint32_t guest;
};

struct refrain_numbered {
    uint64_t *call_sites;                  /* offsets, 0 = there is none of this number */
    struct refrain_numbered_guest *guests; /* by the same numbers */
    struct refrain_numbered_row *rows;     /* of guests, from 1 */
    uint64_t *regions;
    uint64_t *communicators;
    size_t n_call_sites, n_guests, n_rows, n_regions, n_communicators;
    const unsigned char *image;
};

/* Reads the lists of the image. False without memory; what is damaged is left out. */
bool refrain_numbered_open(struct refrain_numbered *numbered, const void *image, size_t image_bytes);

void refrain_numbered_close(struct refrain_numbered *numbered);

/* The offset of a struct refrain_call_site, of a guest that of its host; 0 where the image has none of this number. */
static inline uint64_t refrain_numbered_call_site(const struct refrain_numbered *numbered, uint64_t number) {
    uint64_t own = number < numbered->n_call_sites ? numbered->call_sites[number] : 0;
    return own ? own : number < numbered->n_guests ? numbered->guests[number].host : 0;
}

/* Is it a guest, which shares that record with others? */
static inline bool refrain_numbered_is_guest(const struct refrain_numbered *numbered, uint64_t number) {
    return number < numbered->n_guests && numbered->guests[number].host;
}

/* The same of a struct refrain_region_name. */
static inline uint64_t refrain_numbered_region(const struct refrain_numbered *numbered, uint64_t number) {
    return number < numbered->n_regions ? numbered->regions[number] : 0;
}

/* Is what was learned at the call site partly that of its guests, or of a guest partly that of its host? */
static inline bool refrain_numbered_is_mixed(const struct refrain_numbered *numbered, uint64_t number) {
    return number < numbered->n_guests && numbered->guests[number].mixed;
}

/* Takes the next values of a guest's operation from its rows, which are evenly spread; with `any` those of any guest of
 * the same host, where it has none left. False where there are none. *sure: they are those that came. */
bool refrain_numbered_take_row(struct refrain_numbered *numbered, uint64_t host, uint64_t guest, bool any,
                               unsigned operation, int64_t *values, bool *sure);

/* Are two communicators, by their indices, of the same members in the same order? */
bool refrain_numbered_same_members(const struct refrain_numbered *numbered, uint64_t a, uint64_t b);

#endif
