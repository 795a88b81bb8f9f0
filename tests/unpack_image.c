/* unpack_image.c: writes the image of a rank-N.trace, unpacked, up to pool_used: unpack_image FILE > BYTES. */
#include "read_image.h"

#include <refrain/trace.h>
#include <stdbool.h>

int main(int argc, char **argv) {
    size_t n = 0;
    if (argc != 2)
        return fprintf(stderr, "usage: unpack_image FILE\n"), 2;
    unsigned char *image = read_image(argv[1], &n);
    if (!image || n < sizeof(struct refrain_header))
        return 1;
    const struct refrain_header *header = (const void *)image;
    size_t used = header->pool_used < n ? (size_t)header->pool_used : n;
    bool written = fwrite(image, 1, used, stdout) == used && fflush(stdout) == 0;
    free(image);
    return !written;
}
