/* numbered.h: finds call sites, overflow sites, user regions and communicators of a process by their numbers, which
 * learned values contain (image -> walker, recursion, tallies). */
#ifndef REFRAIN_NUMBERED_H
#define REFRAIN_NUMBERED_H

#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An overflow site (struct refrain_overflow_site). Zero: no overflow site has this number. */
struct refrain_numbered_overflow_site {
    uint64_t host;       /* offset of its host, the call site with the record */
    uint64_t calls_left; /* calls that a walk has not reached yet */
    uint32_t slot;
    uint32_t rows; /* number of its first row, 0 none */
    bool mixed;    /* some of its values are not in its rows but in its host (set for the host, too) */
};

/* A row of an overflow site (struct refrain_overflow_row). */
struct refrain_numbered_row {
    const struct refrain_overflow_row *row;
    uint64_t given;    /* how often it was delivered, of row->count times */
    uint32_t next;     /* number of the next row of the overflow site, 0 none */
    uint32_t overflow; /* number of the overflow site */
};

struct refrain_numbered {
    uint64_t *call_sites;                                  /* by number: offset; 0 = no call site has this number */
    struct refrain_numbered_overflow_site *overflow_sites; /* by the same numbers */
    struct refrain_numbered_row *rows;                     /* of overflow sites; numbers begin at 1 */
    uint64_t *regions;
    uint64_t *communicators;
    size_t n_call_sites, n_overflow_sites, n_rows, n_regions, n_communicators;
    const unsigned char *image;
};

/* Reads the lists of the image. Damaged records are left out. False without memory. */
bool refrain_numbered_open(struct refrain_numbered *numbered, const void *image, size_t image_bytes);

void refrain_numbered_close(struct refrain_numbered *numbered);

/* The offset of a call site (struct refrain_call_site); for an overflow site, that of its host. 0 if the image has
 * none with this number. */
static inline uint64_t refrain_numbered_call_site(const struct refrain_numbered *numbered, uint64_t number) {
    uint64_t own = number < numbered->n_call_sites ? numbered->call_sites[number] : 0;
    return own ? own : number < numbered->n_overflow_sites ? numbered->overflow_sites[number].host : 0;
}

/* True if it is an overflow site, which shares the record of its host. */
static inline bool refrain_numbered_is_overflow_site(const struct refrain_numbered *numbered, uint64_t number) {
    return number < numbered->n_overflow_sites && numbered->overflow_sites[number].host;
}

/* The offset of a user region (struct refrain_region_name); 0 if the image has none with this number. */
static inline uint64_t refrain_numbered_region(const struct refrain_numbered *numbered, uint64_t number) {
    return number < numbered->n_regions ? numbered->regions[number] : 0;
}

/* True if the record at the call site also holds values of its overflow sites, or if an overflow site has values in
 * its host. */
static inline bool refrain_numbered_is_mixed(const struct refrain_numbered *numbered, uint64_t number) {
    return number < numbered->n_overflow_sites && numbered->overflow_sites[number].mixed;
}

/* Takes the next values of an operation of an overflow site from its rows, evenly spread. With `any`, the rows of
 * other overflow sites of the same host will do if it has none left. False if there are none. *sure: the values are
 * exact. */
bool refrain_numbered_take_row(struct refrain_numbered *numbered, uint64_t host, uint64_t overflow, bool any,
                               unsigned operation, int64_t *values, bool *sure);

/* True if two communicators, given by their indices, have the same members in the same order. */
bool refrain_numbered_same_members(const struct refrain_numbered *numbered, uint64_t a, uint64_t b);

#endif
