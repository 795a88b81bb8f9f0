/* unpack_region.c: the bytes of a rank-N.trace that are in use, unpacked: unpack_region FILE > BYTES. */
#include "read_region.h"

#include <refrain/trace.h>
#include <stdbool.h>

int main(int argc, char **argv) {
    size_t n = 0;
    if (argc != 2)
        return fprintf(stderr, "usage: unpack_region FILE\n"), 2;
    unsigned char *region = read_region(argv[1], &n);
    if (!region || n < sizeof(struct refrain_header))
        return 1;
    const struct refrain_header *header = (const void *)region;
    size_t used = header->pool_used < n ? (size_t)header->pool_used : n;
    bool written = fwrite(region, 1, used, stdout) == used && fflush(stdout) == 0;
    free(region);
    return !written;
}
