/* options.c: copies options of any size (options.h), and returns the version of the library. */
#include "common/options.h"

#include <string.h>

int refrain_read_version(void) {
    return REFRAIN_READ_VERSION;
}

enum refrain_status refrain_options_take(void *known, const void *given, struct refrain_error *error) {
    size_t size, known_size;
    memcpy(&size, given, sizeof size);
    memcpy(&known_size, known, sizeof known_size);
    if (size < sizeof size || size > SIZE_MAX / 2)
        return REFRAIN_FAIL_USAGE(
            error, "options begin with their size, and %zu is none: begin with the macro of read.h", size);
    for (size_t i = known_size; i < size; i++)
        if (((const unsigned char *)given)[i])
            return REFRAIN_FAIL_USAGE(error,
                                      "byte %zu of the options is set, and version %d of the library that reads traces "
                                      "knows the first %zu: install a later refrain",
                                      i, REFRAIN_READ_VERSION, known_size);
    memcpy(known, given, size < known_size ? size : known_size);
    memcpy(known, &known_size, sizeof known_size);
    return REFRAIN_OK;
}
