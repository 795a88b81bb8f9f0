/* shortened.h: names that are longer than a format allows (writers of formats). */
#ifndef REFRAIN_SHORTENED_H
#define REFRAIN_SHORTENED_H

#include <stddef.h>
#include <stdint.h>

/* All zero at first. */
struct refrain_shortened {
    uint64_t n;
    const char *first;
    size_t most; /* bytes that the first was cut to */
};

/* Bytes of a name, which lives as long as the trace, that fit into `most`. */
size_t refrain_shorten(struct refrain_shortened *shortened, const char *name, size_t most);

/* Says on standard error, in one line, how many names were cut, and the first of them; nothing when there is none. */
void refrain_shortened_say(const struct refrain_shortened *shortened, const char *format);

#endif
