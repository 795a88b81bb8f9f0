/* shortened.c: shortens names to the length that a format allows (shortened.h). */
#include "formats/shortened.h"
#include "formats/utf8.h"
#include "formats/warn.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t refrain_shorten(struct refrain_shortened *shortened, const char *name, size_t most) {
    size_t n = refrain_utf8_cut(name, most);
    if (name[n] == 0)
        return n;
    if (shortened->n++ == 0) {
        shortened->first = name;
        shortened->most = n;
    }
    return n;
}

void refrain_shortened_warn(const struct refrain_shortened *shortened, const char *format) {
    if (shortened->n)
        refrain_warn("%s has room for %zu bytes of a name: %" PRIu64 " are shortened, the first %.60s", format,
                     shortened->most, shortened->n, shortened->first);
}
