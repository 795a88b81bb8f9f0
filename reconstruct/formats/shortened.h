/* shortened.h: shortens names to the length that a format allows, and counts them (writers of formats). */
#ifndef REFRAIN_SHORTENED_H
#define REFRAIN_SHORTENED_H

#include <stddef.h>
#include <stdint.h>

/* All zero at first. */
struct refrain_shortened {
    uint64_t n;
    const char *first;
    size_t most; /* limit by which the first was shortened */
};

/* Number of bytes of the name that fit into `most`. The name must live as long as the trace. */
size_t refrain_shorten(struct refrain_shortened *shortened, const char *name, size_t most);

/* Prints one line on standard error: how many names were shortened, and the first of them. Nothing if there are
 * none. */
void refrain_shortened_warn(const struct refrain_shortened *shortened, const char *format);

#endif
